package explore

import (
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/graph"
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
		if r := w.conflict(e, l.Last[t].Write, known); r != graph.None {
			return w.race(id, r)
		}
		if e.Kind == graph.Write {
			if r := w.conflict(e, l.Last[t].Read, known); r != graph.None {
				return w.race(id, r)
			}
		}
	}
	return true
}

// conflict returns an access in the chain from other, beyond the first known events of its
// thread, that races with e.
func (w *worker) conflict(e *graph.Event, other graph.ID, known int32) graph.ID {
	for ; other != graph.None; other = w.g.Events[other].Prev {
		o := &w.g.Events[other]
		if o.Index < known {
			break
		}
		if o.Mode == event.NA || e.Mode == event.NA {
			return other
		}
	}
	return graph.None
}

// race reports that the accesses id and other are not ordered.
func (w *worker) race(id, other graph.ID) bool {
	if w.java != nil { // no error, but reason to look closer
		w.raced.Store(true)
		w.races = false
		return true
	}
	g := w.g
	e, o := &g.Events[id], &g.Events[other]
	l := &g.Locs[e.Loc]
	w.mu.Lock()
	w.nameObjects()
	name := w.namer.Loc(l.Addr, l.Size)
	w.mu.Unlock()
	w.failEvent(id, engine.Race(name, kindOf(e), kindOf(o)), related{id: other, what: kindOf(o).String()})
	return false
}

// kindOf says what kind of access e is.
func kindOf(e *graph.Event) engine.Access {
	return engine.Access{Write: e.Kind == graph.Write, Atomic: e.Mode != event.NA}
}
