// Package states verifies a program by exploring its states: every thread by itself, the memory, and a buffer per
// thread of what memory does not know of yet. It answers what execution graphs cannot: loops without a
// bound whose states are finite, deadlock and livelock, temporal formulas. It is the system of F.I. van der Berg's
// thesis "Model checking LLVM IR using LTSmin: using relaxed memory model semantics" (Twente, 2013; "the thesis" below) over
// ravel's ir and machine, without its limits: heap, any number of threads, states that are operated on as they
// are stored, dead registers left out.
//
// # Models
//
//	sc    a store is in memory at once
//	tso   stores wait in the thread's buffer and leave it in order; its loads look there first
//	pso   stores to different locations leave in any order, but not across a fence that is a release or stronger
//	lmo   the eleven rules of §3.2.3 of the thesis: loads wait in the buffer as well, and their thread goes on until it uses the
//	      value; entries leave in any order that keeps accesses to one location in order
//	rmo   lmo with what its §6.3.1 plans: an instruction that depends on a load in the buffer is itself deferred, so that its
//	      thread goes on (owed.go): arithmetic, accesses whose address or value is to come, calls and returns that pass it on. Only
//	      branches wait. Relaxed read-modify-writes are in the buffer like loads
//
// So rmo orders two accesses of a thread if the second depends on the first, by data, by its address or by a branch; if both are to
// the same location; or by a fence or access mode. An access whose address is to come may be passed by accesses to other locations (guess.go). That is RMO as SPARC V9
// defines it, but for loads of the same location, which it lets pass each other, and loads after a branch, which it does not order with
// what the branch depends on.
//
// A fence is, under lmo, what the thesis says and not what C says: acquire waits until no load is in the buffer,
// release until no store is (so it orders a store with a later load, but not a load with a later store). So lmo
// is not weaker than tso for programs with such fences, though it is for all others; ExploreAll takes that into account.
//
// Access modes are compiled as for the graph engine, unless Options.Raw ignores them: a seq_cst store waits for the
// buffer and is performed at once; under pso a release store does not overtake stores, under lmo nothing overtakes it from before;
// under lmo a load that is acquire or stronger is performed at once. A read-modify-write waits for the buffer; under lmo
// a relaxed one only for accesses to its location.
//
// Creating and joining threads wait for the buffer of the thread that does it (the thesis: for all buffers, which allows less), and a thread can be
// joined when its own buffer is empty. Allocations don't wait; a deallocation waits for what is in the buffer for the object.
//
// # Guarantees
//
//   - The set of states is exact: a state is stored once, compared in full. Without POR, counts do not depend on
//     the number of workers.
//   - All executions of the model are explored, with buffers of Options.Buffer entries. If a buffer was ever full,
//     Result.Cut says so.
//   - Without GaveUp and Cut, no error means that there is none of: failed assertions and what else the machine finds, wrong accesses of
//     memory, data races (if asked for), deadlock, and if asked for fair endless executions and executions that violate a formula.
//   - Error.StrongestModel is the strongest model of sc, tso, pso, lmo, rmo whose own exploration has the error, up to the present one. The
//     trace is the least relaxed one, then the shortest (trace.go).
//   - Options.POR and Options.Symmetry merge steps and states, or leave them out, and lose no verdict, but change counts.
//
// # How it works
//
// A thread stopped at an action is a number (local.go), and so are pages of memory (memory.go) and buffers (buffer.go). A state is
// a tree of such numbers, compressed (vector.go, chunk.go). A move (step.go) changes a few of them. As threads are functions of
// the values they receive, their steps are remembered, and most moves run no code of the program. What a thread does that is in
// conflict with nothing others may still do is part of the move before it (por.go, outlook.go), and from most states only some threads are explored (crew.go, plain.go). The
// search (search.go) goes by levels: all that sc allows first, then what is left for tso, and so on. Cycles
// (cycle.go) and formulas (ltl.go, product.go) are looked for after each level and now and then before, by one worker. States that differ only
// by which of several equal threads is where are one (symmetry.go). Large tables may be in files (spill.go).
//
// # Limits
//
//   - The number of states must be finite. An address is used again once its object is freed and nothing in the state
//     points there (reclaim.go; a pointer that is kept in parts is not seen). The numbers of threads are not used again, so a loop that creates
//     threads never comes back to a state.
//   - Threads are taken for each other only if they don't know their number: those that lock a mutex, use thread-local variables
//     or allocate are not, nor is any when endless executions are looked for.
//   - Copies (memcpy) are accesses one by one, not atomic as in the thesis. Atomic sections (llmc_atomic_begin) exclude each other, but not what
//     is outside of any, which the thesis does: more is allowed, and an error may be none of a program that relies on that.
//   - An access that overlaps an older one in the buffer in part waits until that is in memory.
//   - Under lmo, a value that is passed to a function that is not inlined, or returned from one, counts as used. Under lmo and rmo 16-byte loads
//     and loads in pieces are performed in order, and wait for their addresses; loads whose values nobody uses are left out.
//   - Under rmo, an access that waited for its address must be aligned. Copies, calls of addresses, and accesses that C11 orders (unless
//     Options.Raw) wait for what they depend on.
//   - Formulas read memory, not buffers. X counts moves, so it depends on what is merged. Fairness is weak, of threads and buffers.
//   - Traces are found by a second search. It remembers at most 4 million states; if it takes more, the trace need not be the least relaxed, and it
//     is given up at 16 million.
package states
