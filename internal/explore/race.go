package explore

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// raceFree checks the access id, just added, for races with those of other threads.
func (w *worker) raceFree(id graph.ID) bool {
	g := w.g
	e := &g.Events[id]
	l := &g.Locs[e.Loc]
	if l.NA == 0 || !w.opts.RaceCheck {
		return true
	}
	view := w.m.RaceView(e)
	for t := range l.Last {
		if int32(t) == e.Thread {
			continue
		}
		known := g.Count(view, int32(t))
		if r := w.conflict(e, l.Last[t].Write, known); r != graph.Init {
			return w.race(id, r)
		}
		if e.Kind == graph.Write {
			if r := w.conflict(e, l.Last[t].Read, known); r != graph.Init {
				return w.race(id, r)
			}
		}
	}
	return true
}

// conflict returns an access in the chain from other, beyond the first known events of its
// thread, that races with e.
func (w *worker) conflict(e *graph.Event, other graph.ID, known int32) graph.ID {
	for ; other != graph.Init; other = w.g.Events[other].Prev {
		o := &w.g.Events[other]
		if o.Index < known {
			break
		}
		if o.Mode == event.NA || e.Mode == event.NA {
			return other
		}
	}
	return graph.Init
}

func (w *worker) race(id, other graph.ID) bool {
	g := w.g
	e, o := &g.Events[id], &g.Events[other]
	msg := fmt.Sprintf("data race: %s and %s are not ordered", describeAccess(e), describeAccess(o))
	w.failAt(e.Thread, w.posOf(e), &machine.Error{Kind: machine.RaceError, Message: msg}, related{other, "the other access"})
	return false
}

func describeAccess(e *graph.Event) string {
	kind := "read"
	if e.Kind == graph.Write {
		kind = "write"
	}
	if e.Mode == event.NA {
		return "a non-atomic " + kind
	}
	return "an atomic " + kind
}
