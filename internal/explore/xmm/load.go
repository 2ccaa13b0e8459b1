package xmm

import (
	"ravel/internal/event"
	"ravel/internal/explore"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// A builder builds graphs from sketches.
type builder struct{ explore.Builder }

// load makes the graph, which is empty, the core s. Its events are never deleted or re-directed: they are in the
// prefix of every event.
func (x builder) load(s *sketch) {
	x.Begin()
	ids := make([]graph.ID, len(s.evs))
	for again := true; again; {
		again = false
		for t := range s.first[1:] {
			for x.replay(s, int32(t), ids) {
				again = true
			}
		}
	}
	x.link(s, ids)
	x.settleViews()
}

// replay performs the next action of thread t as s has it. It returns false if s has none, or the thread waits for another one.
func (x builder) replay(s *sketch, t int32, ids []graph.ID) bool {
	g := x.Graph
	n := int32(len(g.Threads[t]))
	at := s.first[t] + n
	if n == 0 || at >= s.first[t+1] || x.Action(t) == nil {
		return false
	}
	e := &s.evs[at]
	act := *x.Action(t)
	switch act.Kind {
	case machine.Load, machine.RMW:
		loc := x.LocOf(&act)
		flags := uint8(0)
		if e.spurious {
			flags = graph.Spurious
		}
		ids[at] = x.NewRead(t, loc, e.val, flags)
		g.Add(ids[at], 0)
		if g.Events[ids[at]].Flags&graph.RMWPart != 0 {
			ids[at+1] = x.AddUpdate(t, loc, e.val)
		}
		x.Resume(t, e.val)
	case machine.Store:
		ids[at] = x.AddStore(t, x.LocOf(&act))
		x.Resume(t, event.Value{})
	case machine.Choice:
		x.AddChoice(t, e.val)
		x.Resume(t, e.val)
	case machine.Free:
		x.AddFree(t)
		x.Resume(t, event.Value{})
	case machine.Join:
		if x.EndOf(act.Val.Lo) == graph.None {
			return false
		}
		x.Step(t)
	default:
		x.Step(t)
	}
	return true
}

// link gives the reads of a loaded core what they read, and the writes their places in co.
func (x builder) link(s *sketch, ids []graph.ID) {
	g := x.Graph
	for i := range s.evs {
		if e := &s.evs[i]; e.kind == graph.Read && e.src != none {
			g.Events[ids[i]].RF = ids[e.src]
		}
	}
	for _, ws := range s.writes() {
		co := g.Locs[g.Events[ids[ws[0]]].Loc].Co
		for i, w := range ws {
			co[i+1] = ids[w]
			g.Events[ids[w]].Co = int32(i + 1)
		}
	}
}

// settleViews computes the views of all events of the graph, where po ∪ rf may have cycles: their least fixpoint.
func (x builder) settleViews() {
	g := x.Graph
	all := graph.View(0)
	for t, evs := range g.Threads {
		all = g.With(all, int32(t), int32(len(evs)))
	}
	for _, id := range g.Trail {
		g.Events[id].Prefix = all
	}
	for again := true; again; {
		again = false
		for _, id := range g.Trail {
			e := &g.Events[id]
			old := *e
			pred := &g.Events[graph.Init]
			if e.Index > 0 {
				pred = &g.Events[g.Threads[e.Thread][e.Index-1]]
			}
			e.HB, e.Acq, e.FenceR, e.Rel = pred.HB, pred.Acq, pred.FenceR, 0
			x.Views(id)
			e = &g.Events[id]
			for _, v := range [...][2]graph.View{{old.HB, e.HB}, {old.Acq, e.Acq}, {old.FenceR, e.FenceR}, {old.Rel, e.Rel}} {
				again = again || !x.sameView(v[0], v[1])
			}
		}
	}
}

func (x builder) sameView(a, b graph.View) bool {
	if a == b {
		return true
	}
	for t := range x.Graph.Threads {
		if x.Graph.Count(a, int32(t)) != x.Graph.Count(b, int32(t)) {
			return false
		}
	}
	return true
}
