package xmm

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// Each promise that search needs is on a cycle of po and rf, without another promise, in which a read comes before the promised write in po but not in rpo
// (docs/xmm.md). This file finds such reads. What a thread's creator read before it created it, and what a thread that was joined had read, comes
// before a write as well, and not in rpo.

// closes reports whether the write id closes a cycle of po and rf, without another promise on it, in which the promise p follows a loose read of the write.
func (s *search) closes(p *promise, id graph.ID) bool {
	g := s.g
	goal := &g.Events[p.read]
	return looseRead(g, id, s.java != nil, func(read graph.ID, r *graph.Event) bool {
		return r.RF != graph.Init && g.Events[r.RF].Thread != r.Thread && goal.Index < g.Count(r.Prefix, goal.Thread) && s.promiseOf(read) == nil
	})
}

// looseRead reports whether is holds for a read that comes before the write id in po, thread creation and join included, but not in rpo, unless all are loose.
func looseRead(g *graph.Graph, id graph.ID, all bool, is func(graph.ID, *graph.Event) bool) bool {
	e := &g.Events[id]
	after := make([]point, 1, 8) // what the write and the events before it in rpo are like
	after[0] = point{e.Kind, e.Mode}
	for i := e.Index - 1; i >= 0; i-- {
		id := g.Threads[e.Thread][i]
		b := &g.Events[id]
		here := point{b.Kind, b.Mode}
		if !all && slices.ContainsFunc(after, func(p point) bool { return kept(here.kind, here.mode, p.kind, p.mode) }) {
			if !slices.Contains(after, here) {
				after = append(after, here)
			}
			continue
		}
		if b.Kind == graph.Read && is(id, b) || anyRead(g, b, is) {
			return true
		}
	}
	return false
}

// A point is what rpo looks at of an event.
type point struct {
	kind graph.Kind
	mode event.Mode
}

// anyRead reports whether is holds for a read before the thread creation or end that e, if it is a start or a join, follows.
func anyRead(g *graph.Graph, e *graph.Event, is func(graph.ID, *graph.Event) bool) bool {
	if e.Kind != graph.Start && e.Kind != graph.Join || e.RF == graph.Init {
		return false
	}
	last := &g.Events[e.RF]
	for i := last.Index - 1; i >= 0; i-- {
		id := g.Threads[last.Thread][i]
		if b := &g.Events[id]; b.Kind == graph.Read && is(id, b) || anyRead(g, b, is) {
			return true
		}
	}
	return false
}
