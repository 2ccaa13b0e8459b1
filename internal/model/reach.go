package model

import "ravel/internal/graph"

// An ordering says which events of its thread an event is ordered with by ppo and fences.
type ordering uint8

const (
	ordersNone   ordering = 0
	ordersWrites ordering = 1 << iota // the event comes before all po-later writes
	ordersAll                         // … all po-later events
	afterAll                          // the event comes after all po-earlier events
	afterWrites                       // a store barrier is before the event: it and all that follow, if they are writes, come after all po-earlier writes
)

// everything is the ordering of sc.
func everything(*graph.Graph, *graph.Event) ordering { return ordersAll | afterAll }

// closesCycle reports whether ppo ∪ fence ∪ rfe ∪ co ∪ fr has a cycle through e, the last event of
// its thread: whether the writes that are co- or fr-after e lead back to it.
func closesCycle(g *graph.Graph, e graph.ID, order func(*graph.Graph, *graph.Event) ordering) bool {
	g.Seen.Clear(g)
	return writesAfter(g, &g.Events[e], e, order)
}

// leads reports whether the order leads from the event from to goal, by events not seen yet.
func leads(g *graph.Graph, from, goal graph.ID, order func(*graph.Graph, *graph.Event) ordering) bool {
	if from == goal {
		return true
	}
	if !g.Seen.Add(from) {
		return false
	}
	e := &g.Events[from]
	o := order(g, e)
	for _, id := range g.Threads[e.Thread][e.Index+1:] {
		y := &g.Events[id]
		if e.Kind == graph.Write && o&ordersWrites == 0 && order(g, y)&afterWrites != 0 {
			o |= ordersWrites
		}
		if g.Seen.Has(id) {
			continue
		}
		if o&ordersAll != 0 || o&ordersWrites != 0 && y.Kind == graph.Write || order(g, y)&afterAll != 0 {
			if leads(g, id, goal, order) {
				return true
			}
		}
	}
	if e.Loc < 0 || e.Kind != graph.Read && e.Kind != graph.Write {
		return false
	}
	if e.Kind == graph.Write && readersLead(g, from, goal, order) {
		return true
	}
	return writesAfter(g, e, goal, order)
}

// writesAfter follows co and fr from e.
func writesAfter(g *graph.Graph, e *graph.Event, goal graph.ID, order func(*graph.Graph, *graph.Event) ordering) bool {
	co := g.Locs[e.Loc].Co
	for _, w := range co[g.Key(e)/2+1:] {
		if leads(g, w, goal, order) {
			return true
		}
	}
	return false
}

// readersLead follows rfe from the write w.
func readersLead(g *graph.Graph, w, goal graph.ID, order func(*graph.Graph, *graph.Event) ordering) bool {
	e := &g.Events[w]
	l := &g.Locs[e.Loc]
	for t := range l.Last {
		if int32(t) == e.Thread {
			continue
		}
		for r := l.Last[t].Read; r != graph.Init; r = g.Events[r].Prev {
			if g.Events[r].RF == w && leads(g, r, goal, order) {
				return true
			}
		}
	}
	return false
}
