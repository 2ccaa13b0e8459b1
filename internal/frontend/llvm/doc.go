// Package llvm turns C, C++, Rust, LLVM bitcode and text LLVM IR into package ir's form.
//
// Load is the way in: it runs clang, rustc or llvm-dis where a file needs it, parses the text
// of every module, links the modules by name and lowers what main and the other visible
// functions can reach. The text is that of LLVM 14 (typed pointers) to LLVM 22 (opaque
// pointers, debug records); attributes and metadata are skipped without a list of their
// names, so later versions mostly work too.
//
// # What is supported
//
//   - Integers of any width up to 128 bits, float and double, pointers, structs, arrays and
//     fixed vectors; wider integers as far as the optimiser uses them (moved, shifted by
//     constants, cut, compared for equality); half, bfloat, x86_fp80 and fp128 are moved only.
//   - All instructions but those below, all constant expressions, the intrinsics that clang
//     and rustc emit for integer and simple floating-point code; math intrinsics become calls
//     of the C function.
//   - Loads and stores of aggregates and vectors are one access for each scalar.
//   - Inline assembly that is a barrier (asm.go has the table) or empty.
//   - Linkage: internal names of different modules are different, weak and linkonce ones are
//     merged, aliases followed. A name nobody defines stays a declaration.
//   - Debug information: positions with inlined calls, and the shapes of variables.
//   - C++ exceptions: functions return them (unwind.go).
//   - Variable arguments, as clang reads them on x86-64 and i386 (varargs.go).
//   - Rust: what is generic or inline in the standard library is part of the module; the rest is taken from the bitcode
//     that rustc comes with (rust_std.go), but for what talks to the operating system, prints or panics (ruststd.ll).
//
// # What is not
//
// An instruction that can't be lowered becomes ir.Unsupported with a message, and matters
// only when reached: exceptions of Windows (catchpad and its kin), the instruction
// va_arg (clang does without it on x86), callbr, ifuncs, scalable vectors, arithmetic of half,
// x86_fp80 and fp128, unknown intrinsics, other inline assembly, values of more than 4096
// words in registers. Module-level assembly, big-endian targets and pointers that have neither 64 nor 32
// bits are errors. undef and poison are 0, and count as initialised.
//
// # How
//
// lexer.go, parse*.go, const.go, global.go, func.go, instr*.go and call.go read a module; types are in
// types.go and layout.go, constants are computed by eval.go and init.go, metadata is kept as text and read
// on demand (metadata.go, debug.go); link.go joins modules; lower*.go emit instructions.
package llvm
