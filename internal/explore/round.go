package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// canGoRound reports whether wentRound may be asked: races are errors, and executions are built in the plain way. Elsewhere, a loop that
// writes to memory in each round has no end.
func canGoRound(opts Options) bool {
	t := opts.Model.Traits()
	return opts.RaceCheck && !opts.Observed && !opts.cyclic && t.Late == nil && !t.Races.Allowed && !t.Races.Own && !t.Reexecutes
}

// wentRound returns 1 if the last n actions of thread t, a round of a loop, have left memory as it was: every place that they wrote holds
// what it held before, and every object that they created is gone. The thread, whose registers are the same as well, then does
// the same again as long as it reads the same.
//
// Nor would others see another round. What it writes is not atomic, and it releases nothing. So an access by another thread that the writes of
// this round are not ordered with races with them, and an access that they are ordered before would be ordered before those
// of all other rounds, or race with them. That needs races to be errors (canGoRound).
func (w *worker) wentRound(t int32, n int) uint64 {
	g := w.g
	evs := g.Threads[t]
	from := len(evs)
	for ; n > 0 && from > 0; from-- {
		if e := &g.Events[evs[from-1]]; e.Kind != graph.Write || e.Flags&graph.RMWPart == 0 {
			n--
		}
	}
	made := map[int32]bool{}                                          // whether an object of the round is still there
	before, after := map[int32]event.Value{}, map[int32]event.Value{} // of the places written
	rmw := false
	for _, id := range evs[from:] {
		switch e := &g.Events[id]; e.Kind {
		case graph.Read, graph.Fence:
		case graph.Alloc:
			made[e.Loc] = true
		case graph.Free:
			if _, ok := made[e.Loc]; !ok {
				return 0
			}
			made[e.Loc] = false
		case graph.Write:
			if _, temporary := made[w.object[e.Loc]]; temporary {
				continue
			}
			old := g.Locs[e.Loc].Co[e.Co-1]
			switch {
			case e.Flags&graph.RMWPart != 0:
				if e.Val != w.valueOf(old, e.Loc) {
					return 0
				}
				rmw = true
				continue
			case e.Mode != event.NA || old == graph.Init || w.pends[e.Pend].act.Private:
				return 0
			}
			if _, ok := before[e.Loc]; !ok {
				before[e.Loc] = w.valueOf(old, e.Loc)
			}
			after[e.Loc] = e.Val
		default:
			return 0
		}
	}
	if rmw && len(before) > 0 {
		return 0
	}
	for _, there := range made {
		if there {
			return 0
		}
	}
	for loc, v := range before {
		if after[loc] != v {
			return 0
		}
	}
	return 1
}
