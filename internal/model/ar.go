package model

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// An arSearch follows ar of imm, rfe ∪ bob ∪ ppo ∪ detour ∪ [Fsc];hb;eco;hb;[Fsc], from event to event.
// HB of the events has to be set.
type arSearch struct {
	g     *graph.Graph
	goal  func(*graph.Event) bool
	seen  []bool // by graph.ID: reached
	chain []bool // by graph.ID: reached within ppo, by dependencies and rfi only
}

// arFenceCycle reports whether ar has a cycle through a psc edge between fences that goes by the co or fr edges of e.
func arFenceCycle(g *graph.Graph, e *graph.Event) bool {
	var front []int32
	for t := range g.SC {
		a := lastFenceBefore(g, int32(t), e)
		if a == nil {
			continue
		}
		if front == nil {
			front = slices.Clone(g.Scratch(2, far))
			frontier(g, e, front, true)
		}
		s := &arSearch{
			g: g, seen: make([]bool, len(g.Events)), chain: make([]bool, len(g.Events)),
			goal: func(x *graph.Event) bool { return x.Thread == a.Thread && x.Kind == graph.Fence && x.Index <= a.Index },
		}
		for _, sc := range g.SC {
			for _, id := range sc {
				if b := &g.Events[id]; b.Kind == graph.Fence && knows(g, b, front) && s.reach(id) {
					return true
				}
			}
		}
	}
	return false
}

// lastFenceBefore returns the last sc fence of thread t that happens before e.
func lastFenceBefore(g *graph.Graph, t int32, e *graph.Event) *graph.Event {
	sc := g.SC[t]
	for i := len(sc) - 1; i >= 0; i-- {
		if f := &g.Events[sc[i]]; f.Kind == graph.Fence && g.InHB(sc[i], e) {
			return f
		}
	}
	return nil
}

// reach reports whether ar leads from id to the goal.
func (s *arSearch) reach(id graph.ID) bool {
	g := s.g
	x := &g.Events[id]
	if s.goal(x) {
		return true
	}
	if s.seen[id] {
		return false
	}
	s.seen[id] = true
	for _, y := range g.Threads[x.Thread][x.Index+1:] {
		if y == graph.Init || s.seen[y] {
			continue
		}
		if e := &g.Events[y]; immBob(x, e) || detours(g, x, e) {
			if s.reach(y) {
				return true
			}
		}
	}
	switch x.Kind {
	case graph.Read:
		return s.depend(id)
	case graph.Write:
		return s.readers(id, false, s.reach)
	case graph.Start, graph.Join, graph.Create, graph.End:
		return s.threads(id)
	case graph.Fence:
		return x.Mode == event.SC && s.fences(x)
	}
	return false
}

// depend follows ppo from the read id: dependencies and rfi, to writes.
func (s *arSearch) depend(id graph.ID) bool {
	g := s.g
	if s.chain[id] {
		return false
	}
	s.chain[id] = true
	x := &g.Events[id]
	for _, y := range g.Threads[x.Thread][x.Index+1:] {
		if y == graph.Init {
			continue
		}
		e := &g.Events[y]
		if !(x.Flags&graph.Locked != 0) && !g.Depends(e, x.Index) {
			continue
		}
		switch e.Kind {
		case graph.Write:
			if s.reach(y) || s.readers(y, true, s.depend) {
				return true
			}
		case graph.Read:
			if s.depend(y) {
				return true
			}
		}
	}
	return false
}

// readers calls f with the reads of the write w within its thread, or outside.
func (s *arSearch) readers(w graph.ID, internal bool, f func(graph.ID) bool) bool {
	g := s.g
	e := &g.Events[w]
	l := &g.Locs[e.Loc]
	for t := range l.Last {
		if (int32(t) == e.Thread) != internal {
			continue
		}
		for r := l.Last[t].Read; r != graph.None; r = g.Events[r].Prev {
			if g.Events[r].RF == w && f(r) {
				return true
			}
		}
	}
	return false
}

// threads follows the creation and the join of threads.
func (s *arSearch) threads(id graph.ID) bool {
	g := s.g
	x := &g.Events[id]
	for _, evs := range g.Threads {
		for _, y := range evs {
			if y == graph.Init {
				continue
			}
			e := &g.Events[y]
			if (e.Kind == graph.Start && x.Kind == graph.Create || e.Kind == graph.Join && x.Kind == graph.End) && e.RF == id && s.reach(y) {
				return true
			}
		}
	}
	return false
}

// fences follows [Fsc];hb;eco;hb;[Fsc] from the fence a.
func (s *arSearch) fences(a *graph.Event) bool {
	g := s.g
	front := make([]int32, len(g.Threads))
	for i := range front {
		front[i] = far
	}
	fenceFrontier(g, a, front)
	for _, sc := range g.SC {
		for _, id := range sc {
			if b := &g.Events[id]; !s.seen[id] && b.Kind == graph.Fence && knows(g, b, front) && s.reach(id) {
				return true
			}
		}
	}
	return false
}

// immBob is bob of imm, for x po-before e.
func immBob(x, e *graph.Event) bool {
	return isBarrier(x) || isBarrier(e) ||
		e.Kind == graph.Write && e.Mode.IsRel() || x.Kind == graph.Read && x.Mode.IsAcq() ||
		x.Kind == graph.Write && x.Mode.IsRel() && e.Kind == graph.Write && x.Loc == e.Loc
}

// detours reports whether (x, e) is in (coe;rfe) ∩ po, for x po-before e.
func detours(g *graph.Graph, x, e *graph.Event) bool {
	if x.Kind != graph.Write || e.Kind != graph.Read || x.Loc != e.Loc || e.RF == graph.Init {
		return false
	}
	w := &g.Events[e.RF]
	return w.Thread != e.Thread && w.Co > x.Co
}
