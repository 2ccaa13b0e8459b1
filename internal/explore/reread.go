package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Reads that stand in for earlier ones.
//
// A loop that tries again with what its compare-and-swap has read,
//
//	a = x; while (!CAS(x, a, f(a)));
//
// is never in the same state twice. But after a failure that has read b it is where it would be if the load had read b.
//
// Definition. A CAS c of thread t that fails stands in for e, a read of t before c of the same location, if
//
//  1. there are only reads and fences of t between them, none of which is the read of an RMW that writes;
//  2. t would be in the same state, at the same action, if e had read the value that c has read, and not have written either;
//  3. e is not stronger than c.
//
// Lemma. If G is a consistent execution in which c stands in for e, then so is G without e and what is between them, where c is the access that e is.
//
// Proof. By 2, t does the same with e at the place of c as after c. By 3, c has no more constraints than before. What is
// left out are reads and fences, which nobody reads from. The relations of the models are monotone, so there are fewer constraints. ∎
//
// So t is blocked after c, and the execution does not count (machine.Again). An error that it has by an event of others it has in G without e as well. If
// c is not maximal, it stays as it is, and so t in all extensions of the graph: it need not be explored (see stale).

// maxBetween is how many events there may be between a read and the one that stands in for it.
const maxBetween = 16

// standsIn reports whether the last event of t, which is a read, is a CAS that stands in for an earlier read. Loads could do so too, but that a load reads
// again in a loop is part of the executions that others have counted.
func (w *worker) standsIn(t int32) bool {
	g := w.g
	evs := g.Threads[t]
	c := &g.Events[evs[len(evs)-1]]
	if c.Flags&(graph.Locked|graph.RMWPart|graph.Spurious) != graph.Locked {
		return false
	}
	for i := len(evs) - 2; i >= 0 && i >= len(evs)-2-maxBetween; i-- {
		e := &g.Events[evs[i]]
		switch {
		case e.Kind == graph.Fence && !e.Tag.IsRCU():
		case e.Kind != graph.Read || e.Flags&(graph.RMWPart|graph.Spurious) != 0:
			return false
		case e.Loc == c.Loc:
			return notStronger(e, c) && w.likeAfter(e, c.Val, w.cur[t])
		}
	}
	return false
}

// notStronger reports whether the read e has no more constraints than c.
func notStronger(e, c *graph.Event) bool {
	if e.Mode == event.NA || c.Mode == event.NA || e.Tag != c.Tag {
		return false
	}
	return e.Mode == event.Rlx || e.Mode == c.Mode || e.Mode == event.Acq && c.Mode == event.SC
}

// likeAfter reports whether the thread of e would be where it is at the pending p if e had read v.
func (w *worker) likeAfter(e *graph.Event, v event.Value, p uint32) bool {
	if act := &w.pends[e.Pend].act; act.Kind == machine.RMW && succeeds(act, v) {
		return false
	}
	pends, arena := len(w.pends), w.arena.Mark()
	same := w.alikeIn(w.resumed(e.Pend, v), p)
	w.pends = w.pends[:pends]
	w.arena.Release(arena)
	return same
}

// alikeIn reports whether a thread does the same in two pendings.
func (w *worker) alikeIn(i, j uint32) bool {
	w.comparing.Do(func() { w.run.comparer = w.prog.NewComparer() })
	p, q := &w.pends[i], &w.pends[j]
	return p.act.Kind == q.act.Kind && p.act.Block == q.act.Block && p.act.Addr == q.act.Addr && p.act.Val == q.act.Val && p.act.Exp == q.act.Exp &&
		w.comparer.Same(&w.arena, p.state, q.state)
}

// reread stops the thread t, the last event of which stands in for another. It returns false if the graph need not be explored.
func (w *worker) reread(t int32) bool {
	w.stopAgain(t)
	last := &w.g.Events[w.g.Last(t)]
	if !w.latestWhenAdded(last, last.RF) {
		w.explored(w.weight)
		return false
	}
	return true
}
