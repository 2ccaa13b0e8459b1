package model

import "ravel/internal/graph"

// A localOrder is a model that wants its order within threads to be acyclic together with rfe, co, fr and the creation and join of
// threads.
type localOrder interface {
	// before reports whether x comes directly before y, which is po-later.
	before(g *graph.Graph, x, y *graph.Event) bool
}

// acyclicWith reports whether the order of m stays acyclic with id, the last event of its thread in a graph without holes: whether
// no write that is co- or fr-after it leads back to it.
func acyclicWith(g *graph.Graph, id graph.ID, m localOrder) bool {
	g.Seen.Clear(g)
	s := orderSearch{g, m, id}
	return !s.writesAfter(&g.Events[id])
}

// An orderSearch looks for a path to goal.
type orderSearch struct {
	g    *graph.Graph
	m    localOrder
	goal graph.ID
}

// leads reports whether the order leads from an event to the goal, by events not seen yet.
func (s *orderSearch) leads(from graph.ID) bool {
	g := s.g
	if from == s.goal {
		return true
	}
	if !g.Seen.Add(from) {
		return false
	}
	e := &g.Events[from]
	for _, id := range g.Threads[e.Thread][e.Index+1:] {
		if !g.Seen.Has(id) && s.m.before(g, e, &g.Events[id]) && s.leads(id) {
			return true
		}
	}
	switch e.Kind {
	case graph.Read:
		return s.writesAfter(e)
	case graph.Write:
		return s.readers(from, e) || s.writesAfter(e)
	case graph.Create:
		return s.leads(g.Threads[e.Val.Lo][0])
	case graph.End:
		return anyJoin(g, from, s.leads)
	}
	return false
}

// writesAfter follows co and fr from e.
func (s *orderSearch) writesAfter(e *graph.Event) bool {
	for _, w := range s.g.Locs[e.Loc].Co[s.g.Key(e)/2+1:] {
		if s.leads(w) {
			return true
		}
	}
	return false
}

// readers follows rfe from the write w.
func (s *orderSearch) readers(w graph.ID, e *graph.Event) bool {
	g := s.g
	l := &g.Locs[e.Loc]
	for t := range l.Last {
		if int32(t) == e.Thread {
			continue
		}
		for r := l.Last[t].Read; r != graph.None; r = g.Events[r].Prev {
			if g.Events[r].RF == w && s.leads(r) {
				return true
			}
		}
	}
	return false
}

// anyJoin reports whether f is true of an event that joins the thread which ends with the event end.
func anyJoin(g *graph.Graph, end graph.ID, f func(graph.ID) bool) bool {
	left := g.Events[end].Co
	for t := range g.Threads {
		evs := g.Threads[t]
		for i := len(evs) - 1; i >= 0 && left > 0; i-- {
			if e := &g.Events[evs[i]]; e.Kind == graph.Join && e.RF == end {
				if f(evs[i]) {
					return true
				}
				left--
			}
		}
	}
	return false
}

// internalSource returns the write of its own thread that the read y reads from, nil if it reads from elsewhere.
func internalSource(g *graph.Graph, y *graph.Event) *graph.Event {
	if y.Kind != graph.Read || y.RF == graph.Init {
		return nil
	}
	if w := &g.Events[y.RF]; w.Thread == y.Thread {
		return w
	}
	return nil
}

// addrOrData reports whether the address or the value of y depends on the read x.
func addrOrData(g *graph.Graph, x, y *graph.Event) bool {
	return g.Deps.Has(y.Addr, x.Index) || g.Deps.Has(y.Data, x.Index)
}

// dependsLate reports whether y comes after a branch on the read x, or after an access whose address depends on it.
func dependsLate(g *graph.Graph, x, y *graph.Event) bool {
	return g.Deps.Has(y.Ctrl, x.Index) || g.Deps.Has(y.AddrPo, x.Index)
}
