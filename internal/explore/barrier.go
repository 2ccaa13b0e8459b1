package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Barriers.
//
// The arrivals at a barrier of n threads are fetch-and-adds of one location b, so there are n! orders of them in each round. With Options.Symmetry one is
// explored.
//
// Rule B. An arrival reads the co-latest write of b, and its write revisits nothing.
//
// Definition. Executions G and G' are equal up to b if they have the same events, rf and co at all locations but b.
//
// Lemma. Let no more than n threads ever arrive at b, and let no thread look at who was last. Then each execution is equal up to b to one that B explores.
//
// Proof. Let a and a' be two arrivals of one round, and t and t' their threads. Between its arrival and the release of its round a thread only waits. All n arrivals of the
// round happen before its release, in whatever order they are, and the release happens before all that follows. So the exchange of a and a' in co changes hb between events of b only, and gives
// an execution that is equal up to b. By such exchanges the arrivals come into the order in which B adds them. If a round is never complete, its threads wait for ever in all orders. ∎
//
// The conditions are checked. If the program uses the result of pthread_barrier_wait, it looks at who was last: then the machine makes no arrivals of the fetch-and-adds. If
// more than n threads arrive, it matters which of them are in one round: the run starts again without B for b. That is found, because before the last of these threads arrives no more than
// n have arrived, so B has explored what leads to it.

// arrives reports whether the RMW act of thread t is an arrival for which B holds.
func (w *worker) arrives(t, loc int32, act *machine.Action) bool {
	if act.Arrives == 0 || !w.opts.Symmetry || !w.postpones || w.knownOf(loc)&excluded != 0 {
		return false
	}
	if w.observed {
		w.stopWithoutCo(t)
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
