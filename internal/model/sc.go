package model

import "ravel/internal/graph"

// sc is sequential consistency.
type sc struct{}

var _ = register("sc", native{make: func(Options) Model { return sc{} }})

func (sc) Name() string { return "sc" }

func (sc) Doc() string {
	return `Sequential consistency
(Lamport: How to make a multiprocessor computer that correctly executes multiprocess programs, 1979)

  acyclic po ∪ rf ∪ co ∪ fr   rmw ∩ (fr;co) = ∅
  A race is a pair of conflicting accesses, one of them not atomic, unordered by (po ∪ rf)+.`
}

// Views implements Model: every rf edge orders.
func (sc) Views(g *graph.Graph, id graph.ID) {
	e := &g.Events[id]
	e.HB = e.Prefix
}

// Consistent implements Model.
func (m sc) Consistent(g *graph.Graph, id graph.ID) bool { return acyclicWith(g, id, m) }

// readable implements Traits.Readable.
func (m sc) readable(g *graph.Graph, id graph.ID, least int32) int32 {
	return readableFrom(g, id, least, m)
}

// before implements localOrder.
func (sc) before(_ *graph.Graph, _, _ *graph.Event) bool { return true }

// Traits implements Model.
func (m sc) Traits() Traits { return Traits{Readable: m.readable, ReadableOnly: true} }

// Local implements Model.
func (sc) Local() bool { return false }

// RaceView implements Model.
func (sc) RaceView(e *graph.Event) graph.View { return e.HB }
