// Package llvm translates C, C++, Rust, LLVM bitcode and LLVM text into package ir's form.
//
// Load runs clang, rustc or llvm-dis where a file needs it and parses the text of every module. It links the modules by
// name, and lowers the functions that main and other visible functions reach. It reads the text of LLVM 14 (typed
// pointers) to LLVM 22 (opaque pointers, debug records). It skips attributes and metadata without a list of their names,
// so later versions mostly work too.
//
// # What is supported
//
//   - Integers of any width up to 128 bits, float and double, pointers, structs, arrays and fixed vectors. Wider integers
//     as far as the optimiser uses them: moved, shifted by constants, truncated, compared for equality. half, bfloat,
//     x86_fp80 and fp128 are moved only.
//   - All instructions except those below, all constant expressions, and the intrinsics that clang and rustc emit for
//     integer and simple floating-point code. Math intrinsics become calls of the C function.
//   - Loads and stores of aggregates and vectors: one access per scalar.
//   - Inline assembly of AArch64, ARM, POWER, RISC-V and x86: package litmus reads its instructions, which become
//     instructions of ir (asm.go, asm_code.go). lkmm.h marks the accesses of the kernel by statements of its own.
//   - Linkage: internal names of different modules are different, weak and linkonce ones are merged, aliases are followed.
//     An undefined name stays a declaration.
//   - Debug information: positions with inlined calls, and the types of variables.
//   - C++ exceptions: functions return them (unwind.go).
//   - Variable arguments, as clang reads them on x86-64 and i386 (varargs.go).
//   - Rust: generic and inline functions of the standard library are part of the module. The others come from the bitcode
//     of rustc (rust_std.go). Calls of the operating system, output and panics are replaced (ruststd.ll).
//
// # What is not supported
//
// An instruction that cannot be lowered becomes ir.Unsupported with a message, and matters only when it is reached. Such are:
//
//   - exceptions of Windows (catchpad and so on), ifuncs, scalable vectors;
//   - the instruction va_arg, which clang does not emit on x86;
//   - arithmetic of half, x86_fp80 and fp128;
//   - unknown intrinsics, and instructions of inline assembly that package litmus does not know;
//   - values of more than 4096 words in registers.
//
// Module-level assembly of code, big-endian targets and pointers that have neither 64 nor 32 bits are
// errors. undef and poison are undefined values; in the initialiser of a variable they are 0.
//
// # Files
//
// lexer.go, parse*.go, const.go, global.go, func.go, instr*.go and call.go read a module. Types are in types.go and
// layout.go. eval.go and init.go compute constants. Metadata is kept as text and read on demand (metadata.go, debug.go).
// link.go joins modules. lower*.go emit instructions, asm*.go those of inline assembly.
package llvm
