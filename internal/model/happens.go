package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// hbBefore sets view, by thread, to how many events happen before what follows the first n events of
// thread t, for hb of rc11 with C++20's release sequences: it walks back along po and sw. It needs
// no views of events, so threads may have holes.
func hbBefore(g *graph.Graph, t, n int32, view []int32) {
	done := g.Scratch(3, 0)
	view[t] = n
	for again := true; again; {
		again = false
		for u := range view {
			for done[u] < view[u] {
				i := done[u]
				done[u]++
				if id := g.Threads[u][i]; id != graph.Init && synchronises(g, id, view) {
					again = true
				}
			}
		}
	}
}

// synchronises adds to view what synchronises with the event id, and reports whether it is new.
func synchronises(g *graph.Graph, id graph.ID, view []int32) bool {
	e := &g.Events[id]
	switch {
	case e.Kind == graph.Start || e.Kind == graph.Join:
		return e.RF != graph.Init && lift(&g.Events[e.RF], view)
	case e.Kind == graph.Read && e.Mode.IsAcq():
		return released(g, e.RF, view)
	case e.Kind == graph.Fence && e.Mode.IsAcq():
		news := false
		for _, x := range g.Threads[e.Thread][:e.Index] {
			if x == graph.Init {
				continue
			}
			if r := &g.Events[x]; r.Kind == graph.Read && r.Mode >= event.Rlx && released(g, r.RF, view) {
				news = true
			}
		}
		return news
	}
	return false
}

// released adds the release events that a reader of w synchronises with.
func released(g *graph.Graph, w graph.ID, view []int32) bool {
	news := false
	for w != graph.Init {
		e := &g.Events[w]
		if e.Mode < event.Rlx {
			break
		}
		if e.Mode.IsRel() {
			news = lift(e, view) || news
		} else if f := lastReleaseFence(g, e); f != nil {
			news = lift(f, view) || news
		}
		if e.Flags&graph.RMWPart == 0 || g.Threads[e.Thread][e.Index-1] == graph.Hole {
			break
		}
		w = g.Events[g.Threads[e.Thread][e.Index-1]].RF
	}
	return news
}

// lastReleaseFence returns the last release fence before e in its thread.
func lastReleaseFence(g *graph.Graph, e *graph.Event) *graph.Event {
	for i := e.Index - 1; i >= 0; i-- {
		if id := g.Threads[e.Thread][i]; id != graph.Init {
			if f := &g.Events[id]; f.Kind == graph.Fence && f.Mode.IsRel() {
				return f
			}
		}
	}
	return nil
}

// lift adds e and what is before it in its thread to view.
func lift(e *graph.Event, view []int32) bool {
	if view[e.Thread] > e.Index {
		return false
	}
	view[e.Thread] = e.Index + 1
	return true
}

// coherentLast reports whether the access e, the last event of its thread, is coherent: no write that
// happens before it, or that is read by a read which does, is co-after it or what it reads.
func coherentLast(g *graph.Graph, e *graph.Event) bool {
	view := g.Scratch(2, 0)
	hbBefore(g, e.Thread, e.Index, view)
	if e.Kind == graph.Read && e.Mode.IsAcq() {
		// What e itself synchronises with is before the write it reads, by the coherence of that.
		view[e.Thread] = e.Index
	}
	k := g.Key(e)
	l := &g.Locs[e.Loc]
	for t := range l.Last {
		for _, id := range [2]graph.ID{l.Last[t].Read, l.Last[t].Write} {
			for ; id != graph.None; id = g.Events[id].Prev {
				if x := &g.Events[id]; x != e && x.Index < view[t] {
					if g.Key(x) > k {
						return false
					}
					break
				}
			}
		}
	}
	return true
}

// atomicLast reports whether the write e of an RMW follows what its read reads, and no other write comes between
// an RMW and what it reads.
func atomicLast(g *graph.Graph, e *graph.Event) bool {
	if e.Kind != graph.Write {
		return true
	}
	co := g.Locs[e.Loc].Co
	if e.Flags&(graph.RMWPart|graph.Bad) == graph.RMWPart {
		if read := g.Threads[e.Thread][e.Index-1]; read != graph.Init && co[e.Co-1] != g.Events[read].RF {
			return false
		}
	}
	if int(e.Co)+1 < len(co) {
		next := &g.Events[co[e.Co+1]]
		if next.Flags&(graph.RMWPart|graph.Bad) == graph.RMWPart {
			return false
		}
	}
	return true
}
