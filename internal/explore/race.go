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
	if l.NA == 0 || !w.races {
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

// race reports that the accesses id and other are not ordered.
func (w *worker) race(id, other graph.ID) bool {
	if w.java { // no error, but reason to look closer
		w.raced, w.races = true, false
		return true
	}
	g := w.g
	e, o := &g.Events[id], &g.Events[other]
	l := &g.Locs[e.Loc]
	w.mu.Lock()
	w.nameObjects()
	name := w.namer.Loc(l.Addr, l.Size)
	w.mu.Unlock()
	w.failEvent(id, &machine.Error{
		Kind:    machine.RaceError,
		Message: fmt.Sprintf("data race on `%s`: %s and %s of another thread are not ordered", name, accessWords(e, true), accessWords(o, true)),
		Label:   accessWords(e, false),
		Help:    "make both accesses atomic, or order them: by a lock, or by a release store that the other thread reads with an acquire load",
	}, related{id: other, what: accessWords(o, false)})
	return false
}

// accessWords says what kind of access e is.
func accessWords(e *graph.Event, article bool) string {
	kind, atomic := "read", "non-atomic"
	if e.Kind == graph.Write {
		kind = "write"
	}
	a := "a "
	if e.Mode != event.NA {
		atomic, a = "atomic", "an "
	}
	if !article {
		a = ""
	}
	return a + atomic + " " + kind
}
