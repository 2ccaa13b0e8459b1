package model

import (
	"sync"

	"ravel/internal/graph"
)

// A propSearch looks for a cycle that POWER and ARMv7 forbid and that can be told without relations: one of co ∪ prop∩W×W, or of
// fre;prop∩W×W;hb*, where prop∩W×W is (fence ∪ rfe;fence);hb*, and of hb there are the fences, rfe, and the pairs of ppo that
// one dependency or acquire gives.
type propSearch struct {
	g    *graph.Graph
	m    *herdingCats
	goal graph.ID
	seen []place // by event: the places that were visited there
}

// A place says where in a cycle an event is.
type place uint8

const (
	changed place = 1 << iota // a write after co or fre
	seen                      // a read of that
	fenced                    // after the fence; there was no write since
	written                   // there was: a step of prop∩W×W can end
)

var propSearches = sync.Pool{New: func() any { return &propSearch{} }}

// forbidden reports whether there is such a cycle through id, the last event of its thread.
func (m *herdingCats) forbidden(g *graph.Graph, id graph.ID) bool {
	s := propSearches.Get().(*propSearch)
	defer propSearches.Put(s)
	s.g, s.m, s.goal = g, m, id
	s.seen = append(s.seen[:0], make([]place, len(g.Events))...)
	e := &g.Events[id]
	for _, w := range g.Locs[e.Loc].Co[g.Key(e)/2+1:] {
		if (e.Kind == graph.Write || g.Events[w].Thread != e.Thread) && s.leads(w, changed) {
			return true
		}
	}
	return false
}

// leads reports whether the cycle can be closed from an event at a place.
func (s *propSearch) leads(from graph.ID, at place) bool {
	g := s.g
	e := &g.Events[from]
	if from == s.goal {
		return at == written || at == fenced && e.Kind == graph.Write
	}
	if s.seen[from]&at != 0 {
		return false
	}
	s.seen[from] |= at
	for _, id := range g.Threads[e.Thread][e.Index+1:] {
		y := &g.Events[id]
		if s.m.fences(g, e, y) || at >= fenced && s.m.preserves(g, e, y) {
			next := max(at, fenced)
			if y.Kind == graph.Write {
				next = written
			}
			if s.leads(id, next) {
				return true
			}
		}
	}
	switch e.Kind {
	case graph.Write:
		if at == written && g.Events[s.goal].Kind == graph.Write {
			for _, w := range g.Locs[e.Loc].Co[g.Key(e)/2+1:] {
				if s.leads(w, changed) {
					return true
				}
			}
		}
		if at == changed {
			at = seen
		}
		return s.readers(from, e, at)
	case graph.Create:
		return s.leads(g.Threads[e.Val.Lo][0], at)
	}
	return false
}

// readers follows rfe from the write w.
func (s *propSearch) readers(w graph.ID, e *graph.Event, at place) bool {
	l := &s.g.Locs[e.Loc]
	for t := range l.Last {
		if int32(t) == e.Thread {
			continue
		}
		for r := l.Last[t].Read; r != graph.None; r = s.g.Events[r].Prev {
			if s.g.Events[r].RF == w && s.leads(r, at) {
				return true
			}
		}
	}
	return false
}

// fences reports whether a fence, or the creation or join of a thread, is between x and y and orders them.
func (m *herdingCats) fences(g *graph.Graph, x, y *graph.Event) bool {
	if isSync(x) || isSync(y) {
		return true
	}
	return isAccess(x) && isAccess(y) && m.fencedBy(g, x, y)
}

// preserves reports whether one dependency or acquire puts the access y after the read x in ppo.
func (m *herdingCats) preserves(g *graph.Graph, x, y *graph.Event) bool {
	if x.Kind != graph.Read || !isAccess(y) {
		return false
	}
	tested := m.tested(x)
	return addrOrData(g, x, y) || tested && x.Mode.IsAcq() || y.Kind == graph.Write && (tested || dependsLate(g, x, y)) || m.isyncBetween(g, x, y)
}
