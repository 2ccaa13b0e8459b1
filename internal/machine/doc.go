// Package machine runs the threads of a program. A thread is a pure function from the values it
// receives to the actions it performs: Resume gives a stopped thread a value and runs it to its
// next action. An engine decides which values there are.
//
// # Guarantees
//
//   - A State is a value. Resume never changes the state it is given, so an engine keeps the state that
//     each event was pending at and goes on from any of them, as often as it likes, with other values.
//     Nothing is ever replayed, and Resume does not allocate on the Go heap, but to grow an Arena and to say what went wrong.
//   - What a thread does depends on nothing but the values it received: addresses come from a counter of the
//     thread, and nothing is hashed, timed or left to chance.
//   - The passes (inline.go, promote.go with uninit.go, simplify.go) keep the sequence of actions, but for accesses to stack objects
//     that no other thread can see: these become registers.
//   - Every wrong program ends in a Fail, a program that can't be run in a Fail of kind Unsupported; a loop
//     without actions that does not end is found by counting.
//
// # How it works
//
// Compile lowers the ir to a register code without SSA (mid.go, lower.go), runs the passes, adds checks to the
// loops (spin.go), gives each register a word of its function's frame (liveness.go, colour.go) and
// generates code (code.go), which run.go interprets. The frames of a thread are words of an Arena
// (arena.go), each with the offset of its caller's. Resume copies the top frame, of which only the words
// that are still live; a caller's frame is shared between states until it is returned to.
//
// With Options.Deps each register that may depend on a read has a shadow register for the set of these reads, and
// code that keeps it up to date (shadow.go). It is added last, so that all else is as without, but for
// simplifications that would drop a dependency: of r == r, and of branches that go the same way in both cases.
//
// An event.Value says which of its bits are undefined. With Options.Undef each register that may have some has a mask of them,
// and using them is an error (undef.go, undefrule.go); it is set only for programs that read what was never written.
//
// An access may be several actions (pieces.go): if it is plain and misaligned, or if the Layout says that its
// bytes are accessed in other sizes too; and so are MemCpy and MemSet.
//
// # Limits
//
//   - A dependency is one of the code that the front end gives, and is kept even if the value can't matter (r*0); but
//     where the condition of a select is a constant only the value that it chooses counts. How many pieces an
//     access has is no dependency on its address.
//   - Undefined bits of 16-byte accesses are not tracked: one that reads what was never written is an error at once, and so is a
//     read-modify-write of any size. undef and poison in the code that the front end gives count as defined.
//   - Of several objects that one alloca in a loop makes, only the last ends at the return; the others last until the thread exits.
//   - A spinning loop is found if its registers are the same as one round before; one that alternates between
//     two states, or keeps its state in memory, is not. An atomic access to a stack object keeps that in memory.
//   - Calls with more arguments than parameters drop the rest, as on real machines. Those of C's functions without prototypes, and
//     by ravel's own library, are compared with the function by the number of arguments only.
//   - Frames are at most a million deep; a thread allocates at most 1.9 million objects of up to 60 KiB (larger ones count for more).
//   - setjmp, signals and inline assembly are not here: the front end says Unsupported.
package machine
