package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// JAM21 lets the reads of a location go backwards (model.CycleModel.Backward): corr orders the writes that two reads of a thread read only if both writes are opaque.
//
// Definition. A read of location x that comes next in thread t may read the write w of x if no write comes after w in co that is one of these:
// a write of t, a write in hb of the read, what a read in hb of another thread reads, and, if w is opaque, an opaque write that a read of t reads. Initial writes count as opaque.
// A write of x must come after what any earlier read of t reads. An update is such a write, right after what it reads.
//
// Lemma. Let co be total, and every RMW right after what it reads. Then the graphs in which all accesses keep to the definition, and that the model finds consistent, are those that satisfy the axioms.
//
// Proof. Let v vo-before or po-before an access a of the same location. Of the axioms, coww and cowr for po|loc are the first writes of the definition. hb is part of vo, so the second and the
// third follow from coww and cowr for vo: if r reads v, then rf leads from v to r. corr is the fourth. corw: v is read by r, and a is a write after r; that is the rule for writes. For an update that reads w, corw
// puts v before its write, which comes right after w, so v is not after w. What vo orders otherwise, also between two reads of t by a fence or an acquire, is what Consistent and Complete ask. ∎
//
// The exploration is the same: the co-latest write may always be read, and whether a graph is consistent does not depend on what is added to it with nothing after it in co or fr, save for
// what is decided when it is complete (late.go). Of the reductions, Java's models have these: a round that is left out takes away reads, and with them constraints (spurious.go); a read of a round that wrote reads
// what was there before instead (round.go), and corr asks no more of that than it did: the write of the round was opaque, and came right after it. What is said of blocked threads (stale) holds
// as well.

// coFloors are the least places in co of writes that an access may read, or be placed after.
type coFloors struct {
	plain  int32 // for a read of a plain write
	opaque int32 // for a read of an opaque or initial write
	all    int32 // for a write, and for the read of an update
}

// floorsOf returns the floors of the next access of loc by thread t.
func (w *worker) floorsOf(loc, t int32) coFloors {
	return w.floorsWith(loc, t, event.Rlx)
}

// floorsWith is floorsOf if there will also be a write of this mode.
func (w *worker) floorsWith(loc, t int32, mode event.Mode) coFloors {
	g := w.g
	pred := &g.Events[g.Last(t)]
	if !w.backward || g.Locs[loc].NA == 0 && mode != event.NA {
		least := g.MinCo(loc, pred)
		if w.traits.Floor != nil {
			least = max(least, w.traits.Floor(g, loc, pred))
		}
		return coFloors{least, least, least}
	}
	var f coFloors
	l := &g.Locs[loc]
	for u := range l.Last {
		n := pred.Index + 1
		if int32(u) != t {
			n = g.Count(pred.HB, int32(u))
		}
		for id := l.Last[u].Write; id != graph.None; id = g.Events[id].Prev {
			if e := &g.Events[id]; e.Index < n {
				f.plain = max(f.plain, e.Co)
				break // the ones before it are lower
			}
		}
		for id := l.Last[u].Read; id != graph.None; id = g.Events[id].Prev {
			e := &g.Events[id]
			switch src := &g.Events[e.RF]; {
			case e.Index >= n:
			case int32(u) != t:
				f.plain = max(f.plain, src.Co)
			default:
				f.all = max(f.all, src.Co)
				if src.Mode != event.NA {
					f.opaque = max(f.opaque, src.Co)
				}
			}
		}
	}
	f.opaque = max(f.opaque, f.plain)
	f.all = max(f.all, f.opaque)
	return f
}

// of returns the least place for a read of a write with this mode; that of an initial write is 0, which is below all others.
func (f *coFloors) of(mode event.Mode, init bool) int32 {
	if mode == event.NA && !init {
		return f.plain
	}
	return f.opaque
}

// mayRead reports whether the read that t is at may read from src by the floors. only says that it may not write then, as an update.
func (w *worker) mayRead(f *coFloors, t, loc int32, src graph.ID) (ok, only bool) {
	at := w.g.CoIndex(src)
	if at >= f.all {
		return true, false
	}
	return at >= f.of(w.g.Events[src].Mode, src == graph.Init), w.takes(t, loc, src)
}
