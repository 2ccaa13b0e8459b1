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
// Definition. A thread restores memory if it is in the same state before and after a set of consecutive events, which are reads, fences and writes, and each location that it writes there has in the end the value that it has read or
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
	last := evs[from:]
	for _, id := range last {
		switch e := &g.Events[id]; {
		case e.Kind == graph.Read && e.Flags&graph.Spurious == 0, e.Kind == graph.Fence:
		case e.Kind != graph.Write || !d.endsAsBefore(evs, from, e.Loc):
			return false
		}
	}
	if !d.lenient {
		if d.equalBefore(evs, from) {
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

// equalBefore reports whether the events of a thread from a place on are like those right before.
func (d *depSearch) equalBefore(evs []graph.ID, from int) bool {
	n := len(evs) - from
	if from < n {
		return false
	}
	for i, id := range evs[from:] {
		if a, b := &d.g.Events[evs[from-n+i]], &d.g.Events[id]; a.Kind != b.Kind || a.Loc != b.Loc || a.Val != b.Val || a.Flags&graph.Spurious != 0 {
			return false
		}
	}
	return true
}
