// Package states verifies a program by exploring its states: the threads, the memory, and per thread a buffer of accesses
// that memory does not know yet. It answers questions that execution graphs cannot: loops without a bound whose states are
// finite, deadlock and livelock, temporal formulas. It is the system of F.I. van der Berg's thesis "Model checking LLVM IR
// using LTSmin: using relaxed memory model semantics" (Twente, 2013; "the thesis" below) over ravel's ir and machine. It
// lifts the thesis' limits: it has a heap and any number of threads, operates on states as they are stored, and leaves out
// dead registers.
//
// # Models
//
//	sc    a store is in memory at once
//	tso   stores wait in the thread's buffer and leave it in order; its loads look there first
//	pso   stores to different locations leave in any order, but not across a fence that is a release or stronger
//	lmo   the eleven rules of §3.2.3 of the thesis: loads wait in the buffer as well, and their thread goes on until it uses the
//	      value; entries leave in any order that keeps accesses to one location in order
//	rmo   lmo with the plan of its §6.3.1: an instruction that depends on a load in the buffer is itself deferred, so that its
//	      thread goes on (rmo.go): arithmetic, accesses whose address or value is to come, calls and returns that pass it on. Only
//	      branches wait, unless Options.Speculate has them guessed (guess.go). Relaxed read-modify-writes are in the buffer like loads
//
// So rmo orders two accesses of a thread in three cases. The second depends on the first, by data, by its address or by a
// branch. Both are to the same location. A fence or an access mode orders them. An access whose address is to come may be
// passed by accesses to other locations (guess.go). That is RMO as SPARC V9 defines it, with two exceptions. SPARC lets loads
// of the same location pass each other. It does not order loads after a branch with the reads that the branch depends on, which Options.Speculate allows.
//
// Under lmo, a fence is that of the thesis, not that of C. Acquire waits until no load is in the buffer, release until no store
// is. So release orders a store with a later load, but not a load with a later store. For programs with such fences, lmo is
// not weaker than tso; for all others it is. ExploreAll takes that into account.
//
// Access modes are compiled as for the graph engine, unless Options.Raw ignores them. A seq_cst store waits for the buffer
// and is performed at once. Under pso, a release store does not overtake stores; under lmo, it overtakes nothing. Under lmo, a
// load that is acquire or stronger is performed at once. A read-modify-write waits for the buffer; under lmo, a relaxed one
// waits only for accesses to its location. With Options.RelaxedRMW it does so under pso, too, unless a barrier is in the buffer:
// rule 8 of the thesis. SPARC's PSO allows that. The default is x86's locked instruction, as in the graph engine.
//
// Creating and joining threads wait for the buffer of the calling thread (in the thesis for all buffers, which allows less). A
// thread can be joined when its own buffer is empty. Allocations do not wait. A deallocation waits for the entries of its
// object.
//
// # Guarantees
//
//   - The set of states is exact: a state is stored once, compared in full. Without POR, counts do not depend on the number of
//     workers.
//   - All executions of the model are explored, with buffers of Options.Buffer entries. Result.Cut says whether a buffer was
//     ever full.
//   - Without GaveUp and Cut, a result without errors is a proof. The program has no failed assertion or other error of the
//     machine, no wrong access of memory, and no deadlock. If asked for, it has no data race, no fair endless execution, and no
//     execution that violates the formula.
//   - Error.StrongestModel is the strongest model of sc, tso, pso, lmo, rmo whose own exploration has the error, up to the
//     present one. The trace is the least relaxed one, then the shortest (trace.go).
//   - Options.POR and Options.Symmetry keep every verdict, but change counts.
//
// # How it works
//
// A thread stopped at an action is a number (local.go). So are pages of memory (memory.go) and buffers (buffer.go). A state is
// a compressed tree of such numbers (vector.go, chunk.go). A move (step.go) changes a few of them. Threads are functions of
// the values they receive, so their steps are memoised, and most moves run no code of the program.
//
// Partial-order reduction needs the future accesses of threads, which the exploration learns (future.go). Steps that conflict
// with none of them are merged with the move before (por.go). Most states explore only a persistent set of threads (persistent.go,
// plain.go). The search (search.go) goes by levels: all that sc allows first, then what tso adds, and so on. One worker looks
// for cycles (cycle.go) and checks formulas (ltl.go, product.go) after each level, and sometimes before. States that are equal
// up to a permutation of symmetric threads are identified (symmetry.go). Large tables may be in files (spill.go). A run may be kept in
// a folder, and go on in another process (checkpoint.go, restore.go). Executions under sc are counted without visiting each of them (count.go).
//
// # Limits
//
//   - The number of states must be finite. An address is reused when its object is freed and nothing in the state points there
//     (reclaim.go; a pointer that is kept in parts is not seen). Thread numbers are not reused, so a loop that creates threads
//     never returns to a state.
//   - Threads are symmetric only if they do not know their number. Threads that lock a mutex, use thread-local variables or
//     allocate are not symmetric. No threads are if endless executions are looked for.
//   - A copy (memcpy) is a sequence of accesses, not atomic as in the thesis. In an atomic section of LLMC (section.go)
//     only its thread moves. Those of ravel.h and SV-COMP exclude each other, but not accesses outside of them: more is allowed, and an
//     error may be a false alarm for a program that relies on that.
//   - An access that partly overlaps an older one in the buffer waits until that is in memory.
//   - Under lmo, a value that is passed to a function that is not inlined, or returned from one, counts as used. Under lmo and
//     rmo, 16-byte loads and loads in pieces are performed in order, and wait for their addresses. Loads whose values are never
//     used are left out.
//   - Under rmo, an access that waited for its address must be aligned. Copies, calls of addresses, and accesses that C11 orders
//     (unless Options.Raw) wait for what they depend on.
//   - Formulas read memory, not buffers. X counts moves, so it depends on merging. Fairness is weak, of threads and buffers.
//   - A second search finds traces. It remembers at most 4 million states. Beyond that, the trace need not be the least relaxed
//     one. It is given up at 16 million.
package states
