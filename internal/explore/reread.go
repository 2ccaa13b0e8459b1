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
// is never in the same state twice. But after a failure that has read b it is where it would be if the load had read b. So is a loop that stores what it has
// read to where no other thread looks yet, once it has read again:
//
//	do { a = x; n->next = a; } while (!CAS(x, a, n));
//
// Definition. A read c of thread t stands in for e, a read of t before c of the same location, if
//
//  1. t would be in the same state, at the same action, if e had read the value that c has read, and e would not have written;
//  2. e is not stronger than c;
//  3. between them there are only reads and fences of t, and no reads of RMWs that write, and c is a CAS that fails; or there are also stores, all to the
//     location l that t is about to store to, and hidden, and c does not read from them.
//
// A store of t to l is hidden if it is not atomic and races are errors, or if l is in a block that t has allocated itself and no other thread can know of: since then
// t has written to this block only, and has released nothing.
//
// Lemma. If G is a consistent execution in which c stands in for e, and t goes on, then so is G without e and what is between them, where c is the access that e is.
//
// Proof. By 1, t does the same with e at the place of c as after c. By 2, c has no more constraints than before. The relations of the models are monotone, so fewer events mean
// fewer constraints. Of what is left out, others can read only stores to l, or write between them and the store s that follows c. Let a be such an access. If the stores are not atomic, a races
// with them, as t releases nothing between them and s. If l is in a new block, a is an error unless it happens after the allocation. Then it happens after something that t
// has released since, so after s, and so it is co-after s or reads s or later. ∎
//
// So t is blocked after c, and the execution does not count (machine.Again). An error that it has by an event of others it has in G without e as well. If
// c is not maximal, it stays as it is, and so t in all extensions of the graph: it need not be explored (see stale).

// maxBetween is how many events there may be between a read and the one that stands in for it.
const maxBetween = 16

// standsIn reports whether the last event of t, which is a read, stands in for an earlier one. A load without a store in between could do so too, but that
// a load reads again in a loop is part of the executions that others have counted.
func (w *worker) standsIn(t int32) bool {
	g := w.g
	evs := g.Threads[t]
	c := &g.Events[evs[len(evs)-1]]
	if c.Flags&(graph.RMWPart|graph.Spurious) != 0 {
		return false
	}
	stores := false
	from := int32(0) // the write that c reads from, if t has written it
	if c.RF != graph.Init && g.Events[c.RF].Thread == t {
		from = g.Events[c.RF].Index
	}
	for i := len(evs) - 2; i >= 0 && i >= len(evs)-2-maxBetween; i-- {
		e := &g.Events[evs[i]]
		switch {
		case e.Kind == graph.Fence && !e.Tag.IsRCU():
		case e.Kind == graph.Write:
			if stores = w.overwrittenNext(e) && e.Index != from; !stores {
				return false
			}
		case e.Kind != graph.Read || e.Flags&(graph.RMWPart|graph.Spurious) != 0:
			return false
		case e.Loc == c.Loc && (stores || c.Flags&graph.Locked != 0) && notStronger(e, c) && w.likeAfter(e, c.Val, w.cur[t]):
			w.noteAgain(t, evs[i:len(evs)-1])
			return true
		}
	}
	return false
}

// overwrittenNext reports whether the store s of a thread is hidden, and the thread is about to store to the same location.
func (w *worker) overwrittenNext(s *graph.Event) bool {
	act, old := &w.pendingOf(s.Thread).act, &w.pends[s.Pend].act
	if act.Kind != machine.Store || s.Flags&graph.RMWPart != 0 || old.Addr != act.Addr || old.Size != act.Size || old.Part || act.Part {
		return false
	}
	return s.Mode == event.NA && w.raceErrors && !old.Private || w.unknownToOthers(s)
}

// unknownToOthers reports whether the store s is to a block that its thread has allocated, and that others can't know of.
func (w *worker) unknownToOthers(s *graph.Event) bool {
	return w.traits.ByRelease && w.inNewBlock(s)
}

// inNewBlock reports whether the store s is to a block that its thread has allocated, and the address of which it has not told anyone.
func (w *worker) inNewBlock(s *graph.Event) bool {
	g := w.g
	obj := w.object[s.Loc]
	if obj < 0 || !w.opts.MemoryCheck {
		return false
	}
	alloc := g.Locs[obj].Alloc
	if alloc == graph.None || g.Events[alloc].Thread != s.Thread || g.Events[alloc].RF != graph.None {
		return false
	}
	for _, id := range g.Threads[s.Thread][g.Events[alloc].Index+1:] {
		switch e := &g.Events[id]; {
		case e.Kind == graph.Read || e.Kind == graph.Alloc || e.Kind == graph.Fence && e.Mode == event.Acq:
		case e.Kind == graph.Write && w.object[e.Loc] == obj && (e.Mode == event.NA || e.Mode == event.Rlx):
		default:
			return false
		}
	}
	return true
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
	if w.observed {
		w.stopWithoutCo(t)
	}
	w.stopAgain(t)
	last := &w.g.Events[w.g.Last(t)]
	if !w.latestWhenAdded(last, last.RF) {
		w.explored(w.weight)
		return false
	}
	return true
}
