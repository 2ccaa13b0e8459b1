// Package machine runs the threads of a program. A thread is a pure function from the values it receives to the actions it
// performs. Resume gives a stopped thread a value and runs it to its next action. The engine chooses the values.
//
// # Guarantees
//
//   - A State is a value. Resume never changes the state it is given. So an engine keeps the state at which each event was
//     pending, and resumes any of them as often as it likes, with other values. No thread is replayed. Resume allocates on
//     the Go heap only to grow an Arena and to describe an error.
//   - The actions of a thread depend only on the values it received. Addresses come from a counter of the thread.
//   - The passes (inline.go, promote.go with uninit.go, simplify.go, idle.go with ranges.go and finite.go) keep the sequence of actions, except accesses to stack
//     objects that no other thread can see. These become registers.
//   - Every wrong program ends in a Fail. A program that cannot be run ends in a Fail of kind Unsupported. A loop without
//     actions that does not end is found by counting.
//
// # How it works
//
// Compile lowers the ir to a register code without SSA (mid.go, lower.go) and runs the passes. It adds checks to loops
// (spin.go), gives each register a word of the frame of its function (liveness.go, colour.go), and generates code
// (code.go), which run.go interprets. The frames of a thread are words of an Arena (arena.go), each with the offset of its
// caller's frame. Resume copies the live words of the top frame. States share the frame of a caller until it is returned
// to.
//
// With Options.Deps, each register that may depend on a read has a shadow register for the set of these reads, and code
// that updates it (shadow.go). This code is added last, so that everything else stays the same. Only simplifications that
// would drop a dependency are not made: of r == r, and of branches with equal targets.
//
// An event.Value says which of its bits are undefined. With Options.Undef, each register that may have undefined bits has a
// mask of them, and using them is an error (undef.go, undefrule.go). The option is set only for programs that read memory
// which was never written.
//
// A Forecast says what threads may write and read, whatever others do (forecast.go). It runs each thread with sets of values (forecaster.go, foreways.go, values.go), and knows of counters (forecount.go).
//
// An access may be several actions (pieces.go): a plain misaligned access, an access whose bytes the Layout divides, MemCpy
// and MemSet.
//
// # Limits
//
//   - A dependency is one of the code that the front end gives. It is kept even if the value cannot matter (r*0). If the
//     condition of a select is a constant, only the chosen value counts. The number of pieces of an access does not depend
//     on its address.
//   - Undefined bits of 16-byte accesses are not tracked. A 16-byte access, or a read-modify-write of any size, that reads
//     memory which was never written is an error at once.
//   - If an alloca in a loop makes several objects, only the last one ends at the return. The others last until the thread
//     exits.
//   - A spinning loop is found if its registers are the same as one iteration before. A loop that alternates between two
//     states, or keeps its state in memory, is not found. An atomic access to a stack object keeps that in memory.
//   - Calls with more arguments than parameters drop the rest, as on real machines. Calls of functions without prototypes,
//     and calls by ravel's own library, are checked by the number of arguments only.
//   - Frames are at most a million deep. A thread allocates at most 1.9 million objects of up to 60 KiB (larger ones count
//     for more).
//   - Signals are never delivered.
package machine
