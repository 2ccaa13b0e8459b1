package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Barriers.
//
// The arrivals at a barrier of n threads are fetch-and-adds of one location, so there are n! orders of them in each round. With Options.Symmetry one is
// explored.
//
// Rule B. An arrival reads the co-latest write, and its write re-directs nothing.
//
// Lemma. Let no more than n threads ever arrive at the barrier, and let nobody look at who was last. Then each execution has the same
// events, reads-from and coherence as one that B explores, but for those of the barrier. Proof: between its arrival and the release of its
// round a thread does nothing but wait. All n arrivals of a round happen before its release, whatever their order, and the release before all that follows. So
// exchanging two arrivals of a round changes what happens before events of the barrier only. If a round is never complete, its threads wait for
// ever in all orders. ∎
//
// A program whose result of pthread_barrier_wait is used looks at who was last: the machine then makes no arrivals of its fetch-and-adds. If more than n
// threads arrive, it matters which of them are in one round: the run starts again without B for this barrier. That is found: until the last of
// these threads arrives, no more than n have, so that B has explored what leads to it.

// arrives reports whether the RMW act of thread t is an arrival for which B holds.
func (w *worker) arrives(t, loc int32, act *machine.Action) bool {
	if act.Arrives == 0 || !w.opts.Symmetry || !w.postpones || w.opts.Observed || w.knownOf(loc)&excluded != 0 {
		return false
	}
	g := w.g
	n := uint32(1)
	for u, last := range g.Locs[loc].Last {
		if int32(u) != t && last.Write != graph.None && g.Events[last.Write].Flags&graph.RMWPart != 0 {
			n++
		}
	}
	if n > act.Arrives {
		w.startAgain(func(r *run) {
			if r.shared == nil {
				r.shared = map[event.Addr]uint8{}
			}
			r.shared[g.Locs[loc].Addr] = excluded
		})
	}
	w.barriers.Store(true)
	return true
}
