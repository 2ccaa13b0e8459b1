package explore

import (
	"fmt"

	"ravel/internal/graph"
)

// Rounds in an exploration with cycles.
//
// Lemma 1 of round.go takes rounds out of executions, one after the other, such that what is in the prefix of another one comes first. With cycles in po ∪ rf there is no such order, and what a round would write may be read before
// the thread has come to it. So rounds that write are no waits without a loss here. But polling under a lock would make an execution without end.
//
// Definition. A thread restores memory if it is in the same state before and after a set of consecutive events, which are reads, fences, writes, and allocations of objects that it frees there, and each location of other objects that it writes there has in the end the value that it has read or
// written there last before it wrote, or is private to it.
//
// Rule. If a thread restores memory twice in a row, by equal events, the exploration starts again. From then on, each thread that restores memory is blocked, and the verdict is bounded.
//
// A thread that restores memory twice may do so for ever, so the exploration without the rule would not end. Once may be by chance: what the thread has synchronised with may not let it read the same again.
//
// Lemma. The rule keeps the search a reverse search. Proof. Whether a thread is blocked depends on its own events up to there, as all that it does. ∎

// restores reports whether thread t, at place, is blocked because it restores memory by its last n actions.
func (d *depSearch) restores(t, place int32, n int) bool {
	if d.opts.Machine.Unroll > 0 {
		return false
	}
	g := d.g
	if place == firstHole {
		place = g.FirstHole(t)
	}
	evs := g.Threads[t][:place]
	from := d.roundOf(evs, n)
	made := map[int32]bool{} // whether an object that was made there is still there
	for _, id := range evs[from:] {
		switch e := &g.Events[id]; {
		case e.Kind == graph.Read && e.Flags&graph.Spurious == 0, e.Kind == graph.Fence:
		case e.Kind == graph.Alloc:
			made[e.Loc] = true
		case e.Kind == graph.Free && made[e.Loc]:
			made[e.Loc] = false
		case e.Kind != graph.Write || !d.isPartOf(e, made) && !d.endsAsBefore(evs, from, e.Loc):
			return false
		}
	}
	for _, there := range made {
		if there {
			return false
		}
	}
	if !d.lenient {
		if d.equalBefore(evs, from, made) {
			d.takeLenient()
		}
		return false
	}
	d.notExplored(fmt.Sprintf("iterations of the loop at %s that leave memory as it was were not all explored: in executions with cycles in po ∪ rf they may make a difference", d.location(d.sourcePos(d.pendingOf(t)))))
	return true
}

// endsAsBefore reports whether the last access of loc among the events of a thread has the value that the first one from a place on has read, or, if that is a write, the one before. A private location may be written
// without.
func (d *depSearch) endsAsBefore(evs []graph.ID, from int, loc int32) bool {
	var before, first, last *graph.Event
	for i, id := range evs {
		switch e := &d.g.Events[id]; {
		case e.Loc != loc || e.Kind != graph.Read && e.Kind != graph.Write:
		case i < from:
			before = e
		default:
			if first == nil {
				first = e
			}
			last = e
		}
	}
	if first.Kind == graph.Write {
		if d.pends[first.Pend].act.Private {
			before = first
		}
		first = before
	}
	return first != nil && last.Val == first.Val
}

// isPartOf reports whether e is about one of the objects.
func (d *depSearch) isPartOf(e *graph.Event, objects map[int32]bool) bool {
	switch e.Kind {
	case graph.Alloc, graph.Free:
		return true
	case graph.Read, graph.Write:
		_, ok := objects[d.object[e.Loc]]
		return ok
	}
	return false
}

// equalBefore reports whether the events of a thread from a place on are like those right before. The objects that are made there differ.
func (d *depSearch) equalBefore(evs []graph.ID, from int, made map[int32]bool) bool {
	n := len(evs) - from
	if from < n {
		return false
	}
	for i, id := range evs[from:] {
		a, b := &d.g.Events[evs[from-n+i]], &d.g.Events[id]
		if a.Kind != b.Kind || a.Flags&graph.Spurious != 0 || !d.isPartOf(b, made) && (a.Loc != b.Loc || a.Val != b.Val) {
			return false
		}
	}
	return true
}
