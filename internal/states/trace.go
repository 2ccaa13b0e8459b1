package states

import (
	"container/heap"
	"slices"

	"ravel/internal/machine"
)

// The search keeps no way back from a state: that would be half as much memory again. A trace is found by a
// second search, from the beginning, in order of cost: ⟨r, ww, wr⟩, compared lexicographically, are the numbers of accesses performed before an
// older read of their thread, of writes before older writes and of reads before older writes (thesis, §3.4); then the number of moves. So it is
// the least relaxed and then the shortest one.

// maxTrace bounds the states that the second search remembers, maxReducedTrace those if it explores persistent sets.
const (
	maxTrace        = 4_000_000
	maxReducedTrace = 4 * maxTrace
)

// A cost is r:10 ww:14 wr:16 moves:24.
type cost uint64

func (c cost) add(m Model) cost {
	c++
	switch m {
	case TSO:
		c += 1 << 24
	case PSO:
		c += 1 << 40
	case LMO, RMO:
		c += 1 << 54
	}
	return c
}

// A hop is a move from a state.
type hop struct {
	from uint64
	m    move
}

type queued struct {
	cost  cost
	nth   int    // first come, first served
	state uint64 // 0: the goal
	hop   hop
}

type queue []queued

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].cost < q[j].cost || q[i].cost == q[j].cost && q[i].nth < q[j].nth
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(queued)) }
func (q *queue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// A goal is what a trace should lead to: a fault, or a state.
type goal struct {
	found *found
	state uint64
}

// trace returns the moves of an execution that leads to the goal: the cheapest one, unless that takes too large a search. It returns false if any does.
func (w *worker) trace(g goal, level Model) (moves []move, ok bool) {
	if w.persistent && w.visited.count.Load() > maxTrace/4 { // all states are many more
		return w.cheapest(g, level, true)
	}
	if moves, ok = w.cheapest(g, level, false); !ok && w.persistent && !w.exhausted() {
		moves, ok = w.cheapest(g, level, true)
	}
	return moves, ok
}

// cheapest returns the moves of the cheapest execution that leads to the goal, of all or of those in persistent sets.
func (w *worker) cheapest(g goal, level Model, persistent bool) (moves []move, ok bool) {
	came := map[uint64]hop{}
	q := &queue{{state: w.initial}}
	n := 0
	push := func(c cost, state uint64, h hop) {
		n++
		heap.Push(q, queued{c, n, state, h})
	}
	for q.Len() > 0 {
		x := heap.Pop(q).(queued)
		if x.state != 0 {
			if _, old := came[x.state]; old {
				continue
			}
			if len(came) > maxTrace && (!persistent || len(came) > maxReducedTrace) || len(came)&1023 == 1023 && w.exhausted() {
				return nil, false
			}
			came[x.state] = x.hop
		}
		if x.state == 0 || w.isGoal(x.state, g) {
			if x.state == 0 {
				moves = append(moves, x.hop.m)
			}
			at := x.state
			if at == 0 {
				at = x.hop.from
			}
			for at != w.initial {
				h := came[at]
				moves = append(moves, h.m)
				at = h.from
			}
			slices.Reverse(moves)
			return moves, true
		}
		w.hold(x.state)
		explore := func(moving persistentSet) (progress bool) {
			w.try(moving, func(m move, ok bool) bool {
				c := x.cost.add(w.cost)
				switch {
				case w.cost > level:
				case ok && len(w.changes) > 0:
					to := w.state()
					if _, old := came[to]; !old {
						push(c, to, hop{x.state, m})
						progress = true
					}
				case !ok && g.found != nil && w.same(w.fault, g.found):
					push(c, 0, hop{x.state, m})
				}
				return true
			})
			return progress
		}
		if persistent {
			w.tryPersistentSets(explore)
		} else {
			explore(allThreads)
		}
	}
	return nil, false
}

// exhausted reports whether there is no time, memory or patience left.
func (r *run) exhausted() bool {
	return r.ctx.Err() != nil || r.opts.MaxMemory > 0 && r.heapFull()
}

// isGoal reports whether a state is the goal.
func (w *worker) isGoal(state uint64, g goal) bool {
	if g.found == nil {
		return state == g.state
	}
	switch g.found.err.Kind {
	case machine.RaceError:
		w.hold(state)
		is := false
		w.races(func(f *fault) { is = is || w.same(f, g.found) })
		return is
	case machine.DeadlockError, machine.LivenessError, machine.LeakError:
		w.hold(state)
		if w.try(allThreads, func(_ move, ok bool) bool { return !ok || len(w.changes) > 0 }) {
			return false
		}
		f := w.stuck()
		return f != nil && w.same(f, g.found)
	}
	return false
}
