package model

import (
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// Graphs in which po ∪ rf has cycles. All that the models ask of a graph is defined for these as well. Two things are done in another way: views do not tell what is before an event, so
// relations do; and the first check of a core (docs/jam21.md) looks at the whole of it, not at one event.

// hasCore reports whether the graph extends a core: the prefix of each of its events is all of it.
func hasCore(g *graph.Graph) bool {
	e := &g.Events[g.Trail[0]]
	return g.Count(e.Prefix, e.Thread) > e.Index
}

// Allows implements CycleModel.
func (m *jam) Allows(g *graph.Graph) bool {
	if !m.opaqueAcyclic(g) {
		return false
	}
	x := m.newExec(g, false, true)
	defer jamExecs.Put(x)
	x.stop = new(atomic.Bool)
	x.vo.Resize(len(x.ids))
	x.vo.Closure(&x.base)
	for a, b := range x.vo.Pairs() {
		if x.weak.Has(b, a) || a == b && x.writes[a] != graph.Init && x.writes[a] != x.ids[a] {
			return false // of an RMW fr leads from itself to itself
		}
	}
	if m.direct {
		return m.solve(x)
	}
	return x.orderable()
}

// opaqueAcyclic reports whether (po ∪ rf);[opq] is acyclic, in 2019 po ∪ rf between opaque events. The creation, start and end of threads are opaque.
func (m *jam) opaqueAcyclic(g *graph.Graph) bool {
	first := numberAll(g)
	r := relation.NewRel(int(first[len(g.Threads)]))
	for _, evs := range g.Threads {
		for j, id := range evs {
			e := &g.Events[id]
			to := int(first[e.Thread] + e.Index)
			if plain(e) {
				continue
			}
			for _, before := range evs[:j] {
				if b := &g.Events[before]; !m.of2019 || !plain(b) {
					r.Add(int(first[b.Thread]+b.Index), to)
				}
			}
			if src, ok := sourceOf(g, e); ok && (!m.of2019 || !plain(src)) {
				r.Add(int(first[src.Thread]+src.Index), to)
			}
		}
	}
	return r.Acyclic()
}

func plain(e *graph.Event) bool {
	return (e.Kind == graph.Read || e.Kind == graph.Write) && e.Mode == event.NA
}

// sourceOf returns what e reads from, the creation of a start, or the end that is joined.
func sourceOf(g *graph.Graph, e *graph.Event) (*graph.Event, bool) {
	switch e.Kind {
	case graph.Read, graph.Start, graph.Join:
		return &g.Events[e.RF], e.RF != graph.Init
	}
	return nil, false
}

// numberAll returns, by thread, the number of its first event, if all events are numbered thread by thread; one more at the end.
func numberAll(g *graph.Graph) []int32 {
	first := make([]int32, 1, len(g.Threads)+1)
	for t, evs := range g.Threads {
		first = append(first, first[t]+int32(len(evs)))
	}
	return first
}

// Backward implements CycleModel.
func (m *jam) Backward() bool { return !m.of2019 }

// OpaqueAcyclic implements CycleModel.
func (m *jam) OpaqueAcyclic() bool { return true }

// Ordered implements CycleModel: co extends what vo leads to.
func (m *jam) Ordered(g *graph.Graph) *relation.Rel { return m.Visible(g) }

// Visible implements CycleModel.
func (m *jam) Visible(g *graph.Graph) *relation.Rel {
	x := m.newExec(g, false, true)
	defer jamExecs.Put(x)
	x.vo.Resize(len(x.ids))
	x.vo.Closure(&x.base)
	first := numberAll(g)
	all := relation.NewRel(int(first[len(g.Threads)]))
	halves := func(i int) []graph.ID {
		if w := x.writes[i]; w != graph.Init && w != x.ids[i] {
			return []graph.ID{x.ids[i], w}
		}
		return x.ids[i : i+1]
	}
	for a, b := range x.vo.Pairs() {
		for _, from := range halves(a) {
			for _, to := range halves(b) {
				e, y := &g.Events[from], &g.Events[to]
				all.Add(int(first[e.Thread]+e.Index), int(first[y.Thread]+y.Index))
			}
		}
	}
	return all
}

// causes adds (po ∪ rf)⁺ between events of dom to must.
func (x *jamExec) causes() {
	g := x.g
	first := numberAll(g)
	r := relation.NewRel(int(first[len(g.Threads)]))
	for _, evs := range g.Threads {
		for i, id := range evs {
			e := &g.Events[id]
			to := int(first[e.Thread] + e.Index)
			if i > 0 {
				r.Add(to-1, to)
			}
			if src, ok := sourceOf(g, e); ok {
				r.Add(int(first[src.Thread]+src.Index), to)
			}
		}
	}
	r.Closure(r)
	for a := range x.dom.Events() {
		for b := range x.dom.Events() {
			e, y := x.event(a), x.access(b)
			if a != b && r.Has(int(first[e.Thread]+e.Index), int(first[y.Thread]+y.Index)) {
				x.must.Add(a, b)
			}
		}
	}
}
