package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// fillViews sets HB of every event, for hb of rc11, in a graph that has not kept them: one with dependencies, which may have
// holes and cycles in po ∪ rf. It returns false if hb has a cycle. The views are valid until the graph's arenas are released.
func fillViews(g *graph.Graph) bool {
	done := g.Scratch(0, 0)
	for again := true; again; {
		again = false
		for t, evs := range g.Threads {
			for int(done[t]) < len(evs) {
				if id := evs[done[t]]; id != graph.Init && !fillView(g, id, done) {
					break
				}
				done[t]++
				again = true
			}
		}
	}
	for t, evs := range g.Threads {
		if int(done[t]) < len(evs) {
			return false
		}
	}
	return true
}

// fillView sets HB of event id, all before which are done in its thread. It returns false if what it synchronises
// with is not done yet.
func fillView(g *graph.Graph, id graph.ID, done []int32) bool {
	e := &g.Events[id]
	hb := graph.View(0)
	for i := e.Index - 1; i >= 0; i-- {
		if p := g.Threads[e.Thread][i]; p != graph.Init {
			hb = g.Events[p].HB
			break
		}
	}
	ok := true
	switch {
	case e.Kind == graph.Start || e.Kind == graph.Join:
		if e.RF != graph.Init {
			ok = joinEvent(g, &hb, &g.Events[e.RF], e.Thread, done)
		}
	case e.Kind == graph.Read && e.Mode.IsAcq():
		ok = joinReleases(g, &hb, e.RF, e.Thread, done)
	case e.Kind == graph.Fence && e.Mode.IsAcq():
		for _, x := range g.Threads[e.Thread][:e.Index] {
			if x == graph.Init {
				continue
			}
			if r := &g.Events[x]; r.Kind == graph.Read && r.Mode >= event.Rlx {
				ok = ok && joinReleases(g, &hb, r.RF, e.Thread, done)
			}
		}
	}
	if ok {
		e.HB = hb
	}
	return ok
}

// joinEvent adds e and what happens before it to hb, a view of thread own.
func joinEvent(g *graph.Graph, hb *graph.View, e *graph.Event, own int32, done []int32) bool {
	if e.Index >= done[e.Thread] {
		return false
	}
	if e.Thread != own {
		*hb = g.JoinEvent(*hb, e.HB, e, own)
	}
	return true
}

// joinReleases adds the release events that a reader of w synchronises with to hb.
func joinReleases(g *graph.Graph, hb *graph.View, w graph.ID, own int32, done []int32) bool {
	for w != graph.Init {
		e := &g.Events[w]
		if e.Mode < event.Rlx {
			break
		}
		if e.Mode.IsRel() {
			if !joinEvent(g, hb, e, own, done) {
				return false
			}
		} else if f := lastReleaseFence(g, e); f != nil && !joinEvent(g, hb, f, own, done) {
			return false
		}
		if e.Flags&graph.RMWPart == 0 || g.Threads[e.Thread][e.Index-1] == graph.Hole {
			break
		}
		w = g.Events[g.Threads[e.Thread][e.Index-1]].RF
	}
	return true
}
