// Package explore verifies a program by exploring its execution graphs, statelessly. It builds every consistent execution
// exactly once and remembers none. Reductions that are asked for leave some out.
//
// # Words
//
// An execution graph has events, and the relations po (program order), rf (reads-from: from a write to the reads that read it) and co (coherence:
// the order of the writes of a location). fr is rf⁻¹;co. The prefix of an event is what it can't be without: its (po ∪ rf)-predecessors, under most models.
// A graph is consistent if the memory model allows it. The trail is the order in which the events were added.
//
// # Algorithm
//
// It is that of Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless, optimal dynamic partial order reduction" (POPL'22). visit
// adds one event after the other, of whichever thread can move:
//
//   - A read branches over the writes that it may read.
//   - A write branches over its places in co. It also revisits: earlier reads of its location that are not in its prefix may read from it. A revisit of r by w
//     deletes what was added after r and is not in the prefix of w. It is made only if all that it deletes was added maximally, that is, as the search would
//     add it first after that prefix. So each graph is reached once.
//   - Other events have no alternatives.
//
// A thread is never replayed. Every event keeps the state in which its thread stopped before it (a pending), and a revisited read resumes that
// state with another value. Backtracking cuts the trail.
//
// # Guarantees
//
// For a model that is porf-acyclic, prefix-closed and extensible (sc, tso, pso, ra, rc11) the exploration is sound, complete and optimal: each
// consistent execution is visited once, and memory is linear in the size of an execution. Other models need more:
//
//   - Models that track dependencies allow cycles in po ∪ rf. A tracker finds out whether a program can have one; then a depSearch explores them.
//   - xmm: package explore/xmm explores the executions with cycles, with the Builder of this package.
//   - Java's models, and some in cat, are not extensible: late decides the rest on complete executions. Package explore/xmm explores the executions of Java's models with cycles.
//
// Limits: an execution must be finite. Loops that only read, or leave memory as it was, are blocked after one iteration (machine.Spin). Other endless
// loops need machine.Options.Unroll, or the run gives up at Options.MaxEvents, or when an execution has more branches than
// the search can be deep (maxBranches).
//
// # Where to read
//
// The core, in this order: worker.go (visit and step), pending.go (where threads are), read.go, write.go, revisit.go, threads.go and choice.go (other actions), leaf.go and ends.go (what ends), steal.go
// (many workers), explore.go and run.go (around it). An hour is enough. The rest is independent of each other:
//
//	errors        race.go, memory.go, leak.go, fail.go and trace.go (how they are reported), stopped.go (what to try when time ran out)
//	memory        location.go (addresses, sizes and layouts), heap.go (objects), reuse.go (blocks that are allocated again)
//	waiting       await.go (threads that wait), round.go, turn.go, discipline.go, giveup.go, refuse.go, look.go, lost.go, reread.go, confirm.go and sync.go (loops that do not get on), aftermath.go (errors of rounds with what comes after them), settled.go (loops that also look at what does not change), barrier.go, spurious.go (weak CASes), wakeup.go and vain.go (condition variables)
//	equal threads symmetry.go
//	dependencies  deps.go, buffer.go, arms.go, rcu.go, deperrors.go (a tracker); depsearch.go, depsteps.go, depprefix.go, deprevisit.go, depcanonical.go, depholes.go, depround.go (a depSearch)
//	Java          late.go (what is decided on complete executions, also of models in cat), java.go (races), backward.go (reads)
//	other modes   merge.go, observed.go and trial.go (without co), bound.go (few deviations first), hunt.go (random walks), estimate.go, item.go and huntitem.go (pieces of a search), builder.go (for package explore/xmm)
//
// Each reduction states what it leaves out as a rule, with a lemma and its proof.
package explore
