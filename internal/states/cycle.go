package states

import (
	"slices"

	"ravel/internal/engine"
	"ravel/internal/ir"
	"ravel/internal/machine"
)

// An endless execution is a path to a cycle. It counts if it is fair: a thread that could go on does so some time,
// or else is kept from it again and again, and what is in a buffer leaves it some time: so its oldest entry, which always can, does so again and again, or it is
// empty. These are conditions that
// something happens infinitely often, so a strongly connected component has a fair cycle iff it has
// what fairness asks for anywhere in it: a walk round the whole of it is fair.
//
// A weak CAS that could succeed does not fail for ever without a reason: an endless execution has a last spurious failure. So these
// are moves that lead to cycles, but are on none.
//
// They are looked for when all states of a model are known, the strongest first, and before that whenever there are four times as many states
// as the last time: a cycle among the states so far is one of the program. So one that comes early is found early.
//
// A component of one state is a state that no move changes, which the search itself notices (stuck). There are
// others only if a thread by itself can come back to where it was, which is easy to see: so for most
// programs there is nothing to do here.

// A lasso is an endless execution: a state, and moves that lead from it back to it.
type lasso struct {
	state uint64
	stem  []move // that lead to the state, nil if any do
	cycle []move
}

// firstLook is the number of states at which cycles are looked for first, if not all states are known before; tests change it.
var firstLook int64 = 1 << 16

// lookForCycles looks for fair cycles, and for executions that violate the formula, among the states so far. None takes
// a stronger model than the present level, or it would have been found before.
func (w *worker) lookForCycles() {
	if w.done() || w.again.Load() {
		return
	}
	if w.persistent && !w.cyclic && w.mayRevisit(true) {
		w.cyclic = true
		w.again.Store(true)
		w.stop.Store(true)
		return
	}
	if w.mayRevisit(w.opts.Liveness) {
		if w.persistent {
			w.persistent = false
			w.again.Store(true)
			w.stop.Store(true)
			return
		}
		if len(w.classes) > 0 {
			w.mayStarve = true
			w.again.Store(true)
			w.stop.Store(true)
			return
		}
		if f, l := w.fairCycle(w.run.level); f != nil {
			w.report(f, w.run.level, l)
		}
	}
	if w.formula != nil && !w.done() {
		w.checkLTL(w.run.level)
	}
}

// mayRevisit reports whether a thread can come back to where it was, other than by standing still: anywhere, or where threads wait for locks, which
// is enough if only deadlocks are asked for.
func (w *worker) mayRevisit(anywhere bool) bool {
	if w.revisits.Load() && anywhere || w.lockRevisits.Load() {
		return true
	}
	return len(w.onCycles(w.localEdges(anywhere), true)) > 0
}

// cyclicLocals returns the locals to which a thread can come back, other than by standing still.
func (w *worker) cyclicLocals() map[uint32]bool { return w.onCycles(w.localEdges(true), false) }

// localEdges returns which locals lead to which, by the first of those that are alike: all, or those of threads that wait for locks.
func (w *worker) localEdges(anywhere bool) map[uint32][]uint32 {
	next := map[uint32][]uint32{}
	w.edges.each(func(e uint64) bool {
		from, to := w.representative(uint32(e>>32)), w.representative(uint32(e))
		if anywhere || w.locals.at(from).local.lock && w.locals.at(to).local.lock {
			next[from] = append(next[from], to)
		}
		return true
	})
	return next
}

// onCycles returns the nodes of a graph that are on cycles, or just one of them, by Tarjan's algorithm.
func (w *worker) onCycles(next map[uint32][]uint32, one bool) map[uint32]bool {
	cycles := map[uint32]bool{}
	number, low := map[uint32]int{}, map[uint32]int{}
	closed := map[uint32]bool{}
	var open []uint32
	type frame struct {
		id uint32
		i  int
	}
	for root := range next {
		if number[root] != 0 {
			continue
		}
		enter := func(id uint32) frame {
			number[id] = len(number) + 1
			low[id] = number[id]
			open = append(open, id)
			return frame{id, 0}
		}
		for stack := []frame{enter(root)}; len(stack) > 0; {
			f := &stack[len(stack)-1]
			if f.i < len(next[f.id]) {
				to := next[f.id][f.i]
				f.i++
				switch {
				case number[to] == 0:
					stack = append(stack, enter(to))
				case !closed[to]:
					low[f.id] = min(low[f.id], low[to])
					cycles[to] = true
					if one {
						return cycles
					}
				}
				continue
			}
			id := f.id
			if stack = stack[:len(stack)-1]; len(stack) > 0 {
				up := stack[len(stack)-1].id
				low[up] = min(low[up], low[id])
			}
			if low[id] != number[id] {
				continue
			}
			from := len(open) - 1
			for open[from] != id {
				from--
			}
			for _, member := range open[from:] {
				closed[member] = true
				if len(open)-from > 1 {
					cycles[member] = true
				}
			}
			open = open[:from]
		}
	}
	return cycles
}

// A node is a state during the search for components.
type node struct {
	state uint64
	low   int32
	comp  int32 // 0: still open
}

// fairCycle looks for a fair cycle of moves that model m allows.
func (w *worker) fairCycle(m Model) (found *fault, way *lasso) {
	w.components(m, func(states []uint64, inside func(uint64) bool) bool {
		if found = w.fair(states, inside, m); found != nil {
			way = w.walk(states[0], inside, m)
		}
		return found == nil
	})
	return found, way
}

// makesProgress reports whether an execution goes on for ever and changes something besides where threads are.
func (w *worker) makesProgress() (yes bool) {
	w.components(w.model, func(states []uint64, _ func(uint64) bool) bool {
		var first []uint32
		for _, s := range states {
			w.hold(s)
			var shared []uint32
			for i := range w.leaves {
				if i >= w.pageBase || i%2 == 1 {
					shared = append(shared, w.leaf(i))
				}
			}
			if first == nil {
				first = shared
			}
			yes = yes || !slices.Equal(first, shared)
		}
		return !yes
	})
	return yes
}

// components calls visit with the strongly connected components of the states so far that have more than one state, by Tarjan's algorithm, until it
// returns false.
func (w *worker) components(m Model, visit func(states []uint64, inside func(uint64) bool) bool) {
	number := map[uint64]int32{}
	var nodes []node
	var open []int32
	type frame struct {
		n     int32
		succs []uint64
	}
	var stack []frame
	comps := int32(0)
	roots := []uint64{w.initial}
	push := func(s uint64) {
		k := int32(len(nodes))
		number[s] = k
		nodes = append(nodes, node{state: s, low: k})
		open = append(open, k)
		succs, more := w.successors(s, m)
		stack = append(stack, frame{k, succs})
		roots = append(roots, more...)
		if k&1023 == 0 {
			w.watchCycle(int64(k))
		}
	}
	for len(stack) > 0 || len(roots) > 0 {
		if w.stop.Load() {
			return
		}
		if len(stack) == 0 {
			s := roots[len(roots)-1]
			roots = roots[:len(roots)-1]
			if _, old := number[s]; !old {
				push(s)
			}
			continue
		}
		f := &stack[len(stack)-1]
		v := &nodes[f.n]
		if len(f.succs) > 0 {
			to := f.succs[len(f.succs)-1]
			f.succs = f.succs[:len(f.succs)-1]
			if k, old := number[to]; old {
				if nodes[k].comp == 0 {
					v.low = min(v.low, nodes[k].low)
				}
				continue
			}
			push(to)
			continue
		}
		stack = stack[:len(stack)-1]
		if len(stack) > 0 {
			p := &nodes[stack[len(stack)-1].n]
			p.low = min(p.low, v.low)
		}
		if v.low != f.n {
			continue
		}
		comps++
		from := len(open)
		for {
			from--
			nodes[open[from]].comp = comps
			if open[from] == f.n {
				break
			}
		}
		members := open[from:]
		if len(members) > 1 {
			inside := func(s uint64) bool {
				k, ok := number[s]
				return ok && nodes[k].comp == comps
			}
			states := make([]uint64, len(members))
			for i, k := range members {
				states[i] = nodes[k].state
			}
			if !visit(states, inside) {
				return
			}
		}
		open = open[:from]
	}
}

// watchCycle gives up when memory runs out.
func (w *worker) watchCycle(nodes int64) {
	if w.opts.MaxMemory > 0 && w.memory().onHeap()+nodes*64 > w.opts.MaxMemory {
		w.stop.GiveUp("stopped at the memory limit (--max-memory) during the search for endless executions")
	}
	w.watch()
}

// successors returns the states that follow, of those that are known, and those that follow by a spurious failure.
func (w *worker) successors(s uint64, m Model) (list, spuriously []uint64) {
	w.hold(s)
	w.moves(func(mv move) {
		if w.perform(mv) && w.cost <= m && len(w.changes) > 0 {
			switch to := w.state(); {
			case to == s || !w.visited.has(to):
			case mv.kind == spurious:
				spuriously = append(spuriously, to)
			case !slices.Contains(list, to):
				list = append(list, to)
			}
		}
		w.undo()
	})
	return list, spuriously
}

// duties are what fairness asks for, by thread: that it moves or is kept from it, and that its buffer is empty or the oldest entry leaves it.
type duties struct{ moves, leaves []bool }

func newDuties(n int) duties { return duties{make([]bool, n), make([]bool, n)} }

func (d duties) clone() duties { return duties{slices.Clone(d.moves), slices.Clone(d.leaves)} }

func (d duties) done() bool {
	return !slices.Contains(d.moves, false) && !slices.Contains(d.leaves, false)
}

// duties notes the duties that state s and the moves from it that stay inside fulfil, and tells of the threads that move.
func (w *worker) duties(s uint64, inside func(uint64) bool, m Model, d duties, took func(int32)) {
	w.hold(s)
	can := make([]bool, w.threads)
	for t := range int32(w.threads) {
		if w.leaf(bufferLeaf(t)) == 0 {
			d.leaves[t] = true
		}
	}
	w.moves(func(mv move) {
		ok := w.perform(mv)
		if !ok && w.fault == nil || w.cost > m {
			w.undo()
			return
		}
		if mv.kind != leave {
			can[mv.thread] = true
		}
		if ok && mv.kind != spurious && inside(w.state()) {
			d.took(mv)
			if mv.kind != leave {
				took(mv.thread)
			}
		}
		w.undo()
	})
	for t := range can {
		if !can[t] {
			d.moves[t] = true
		}
	}
}

// fair returns the error that a component is, nil if it has no fair cycle or is none. It is a deadlock if all threads wait for locks. A thread that waits stays in one call
// of the library, so that its accesses have one place in the program's source. One with two of them returns from a call, say of pthread_mutex_trylock or unlock: the
// threads back off and try again for ever, a livelock.
func (w *worker) fair(states []uint64, inside func(uint64) bool, m Model) *fault {
	d := newDuties(w.threads)
	lock := true
	at := make([]ir.Pos, w.threads) // where each thread moves
	var culprit *local
	for _, s := range states {
		var who []int32
		w.duties(s, inside, m, d, func(t int32) { who = append(who, t) })
		w.hold(s)
		for t := range int32(w.threads) {
			if id := w.leaf(localLeaf(t)); id != 0 {
				if a := &w.locals.at(id).local.act; a.Kind == machine.Block && a.Block != machine.Spin {
					return nil // the execution does not count
				}
			}
		}
		for _, t := range who {
			l := w.locals.at(w.leaf(localLeaf(t))).local
			lock = lock && l.lock && (at[t] == ir.NoPos || at[t] == l.pos || !w.prog.IsOwn(at[t]) || !w.prog.IsOwn(l.pos))
			at[t] = l.pos
			if culprit == nil || l.lock && !culprit.lock {
				culprit = l
			}
		}
	}
	if !d.done() || culprit == nil {
		return nil
	}
	w.hold(states[0])
	waiters := w.waiters()
	switch {
	case waiters != nil:
		return w.judge(waiters)
	case lock:
		return &fault{engine.Deadlock(), culprit.pos, culprit.thread, nil}
	case w.opts.Liveness:
		return &fault{&machine.Error{Kind: machine.LivenessError, Message: "livelock: an endless execution, in which every thread that can go on does so, comes back here again and again"}, culprit.pos, culprit.thread, nil}
	}
	return nil
}

// walk returns a fair cycle through s inside its component.
func (w *worker) walk(s uint64, inside func(uint64) bool, m Model) *lasso {
	l := &lasso{state: s}
	d := newDuties(w.threads)
	at := s
	for !d.done() {
		// The nearest state that fulfils another duty.
		before := d.count()
		path, to := w.path(at, inside, m, func(from, to uint64, mv move) bool {
			e := d.clone()
			w.stepDuties(from, mv, e)
			return e.count() > before
		})
		if path == nil {
			break
		}
		for _, h := range path {
			w.stepDuties(h.from, h.m, d)
		}
		l.cycle = append(l.cycle, movesOf(path)...)
		at = to
	}
	if back, _ := w.path(at, inside, m, func(_, to uint64, _ move) bool { return to == s }); at != s {
		l.cycle = append(l.cycle, movesOf(back)...)
	}
	return l
}

func movesOf(path []hop) (list []move) {
	for _, h := range path {
		list = append(list, h.m)
	}
	return list
}

func (d duties) count() (n int) {
	for i := range d.moves {
		if d.moves[i] {
			n++
		}
		if d.leaves[i] {
			n++
		}
	}
	return n
}

// stepDuties notes the duties that the state from and the move mv in it fulfil.
func (w *worker) stepDuties(from uint64, mv move, d duties) {
	w.duties(from, func(uint64) bool { return false }, w.model, d, func(int32) {})
	d.took(mv)
}

// path returns the shortest way from a state to a step that is wanted.
func (w *worker) path(from uint64, inside func(uint64) bool, m Model, wanted func(from, to uint64, mv move) bool) (path []hop, to uint64) {
	came := map[uint64]hop{}
	queue := []uint64{from}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		type edge struct {
			m  move
			to uint64
		}
		var edges []edge
		w.hold(s)
		w.moves(func(mv move) {
			if mv.kind != spurious && w.perform(mv) && w.cost <= m {
				if to := w.state(); inside(to) {
					edges = append(edges, edge{mv, to})
				}
			}
			w.undo()
		})
		for _, e := range edges {
			if wanted(s, e.to, e.m) {
				path = []hop{{s, e.m}}
				for at := s; at != from; {
					h := came[at]
					path = append(path, h)
					at = h.from
				}
				slices.Reverse(path)
				return path, e.to
			}
			if _, old := came[e.to]; !old && e.to != from {
				came[e.to] = hop{s, e.m}
				queue = append(queue, e.to)
			}
		}
	}
	return nil, from
}
