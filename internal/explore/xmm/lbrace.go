package xmm

import (
	"ravel/internal/explore"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Ended implements explore.Reexecution.
func (x *reexecution) Ended(b explore.Builder) int64 {
	if x.java != nil {
		return 0
	}
	n, weak := lbRaces(b)
	if weak {
		x.Racy()
	}
	return n
}

// Racy implements explore.Reexecution.
func (x *reexecution) Racy() {
	if !x.racy.Load() {
		x.racy.Store(true)
	}
}

// lbRaces counts the load-buffering races of a graph without cycles: a read and a write of its location, not ordered by hb,
// where the read is in the prefix of the write and does not read it. As in the published figures those count where the read acquires and the write releases;
// weak is whether there is another one. The read of a release read-modify-write does not acquire, and the write of an acquire one does not release.
func lbRaces(b explore.Builder) (n int64, weak bool) {
	g := b.Graph
	for i := range g.Locs {
		l := &g.Locs[i]
		if l.Reads == 0 || len(l.Co) == 1 {
			continue
		}
		for _, id := range l.Co[1:] {
			e := &g.Events[id]
			if e.Memo == 0 {
				e.Memo = lbRacesOf(b, l, id)
			}
			n += int64((e.Memo - 1) >> 1)
			weak = weak || (e.Memo-1)&1 != 0
		}
	}
	return n, weak
}

// lbRacesOf returns one more than twice the number of races of the write id of l, and one more than that if one of them is weak. As it is about
// what is in the prefix of the write, it does not change as long as the write stays.
func lbRacesOf(b explore.Builder, l *graph.Loc, id graph.ID) int32 {
	g := b.Graph
	e := &g.Events[id]
	n, weak := int32(0), int32(0)
	for t := range l.Last {
		if l.Last[t].Read == graph.None || int32(t) == e.Thread {
			continue
		}
		known, before := g.Count(e.HB, int32(t)), g.Count(e.Prefix, int32(t))
		if known == before {
			continue
		}
		for r := l.Last[t].Read; r != graph.None && g.Events[r].Index >= known; r = g.Events[r].Prev {
			if x := &g.Events[r]; x.Index < before && x.RF != id {
				n++
				if !e.Mode.IsRel() || mayBeWeak(b, x) {
					weak = 1
				}
			}
		}
	}
	return 1 + 2*n + weak
}

// mayBeWeak reports whether the read r does not acquire, or would not if it read another value: the mode of a compare-and-swap depends on whether it succeeds.
func mayBeWeak(b explore.Builder, r *graph.Event) bool {
	act := b.ActionOf(r)
	return !r.Mode.IsAcq() || act.Kind == machine.RMW && act.RMW.MayFail() && !(act.Mode.IsAcq() && act.Fail.IsAcq())
}

// lbRaces is the number of them in a graph with cycles.
func (f *facts) lbRaces() (n int64) {
	for _, list := range f.byLoc() {
		for _, i := range list {
			for _, j := range list {
				if f.evs[i].kind == graph.Read && f.evs[j].kind == graph.Write && f.evs[i].src != j &&
					f.porf.Has(int(i), int(j)) && !f.hb.Has(int(i), int(j)) && !f.hb.Has(int(j), int(i)) {
					n++
				}
			}
		}
	}
	return n
}
