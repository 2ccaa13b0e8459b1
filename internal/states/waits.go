package states

import (
	"slices"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// Threads wait for ever in a state from which nothing will change: each thread has ended, joins one that has not, or goes round a loop in
// which it only reads. If one of them waits inside the library, for a lock, that is a deadlock; otherwise it is a loop that spins for ever, an error
// with Options.Liveness and a warning without. The graph engine says the same of an execution in which all threads are blocked and
// have read the latest. Other endless executions, in which memory changes, are livelocks: only Options.Liveness looks for them (cycle.go).
//
// A loop with one access is a move that changes nothing, so the search notices when there is nothing else (stuck). Loops with more are cycles of
// states, which are looked for when a level is explored (lookForWaits). Leaving out moves that commute (por.go) keeps a state of
// each such cycle: let C be the states that some w, a sequence of moves, leads to from a stored state s, where threads do nothing but wait. If w has a move of the
// persistent set T explored in s, the first such move can be made first, and the rest of w is shorter (Lemma 1 a, por.go). If it has none, a move of T commutes with
// all of w and is possible in C, so w leads from its successor to C as well (Lemma 1 b). Progress excludes that this goes on for ever.

// maxRound bounds the places that a thread that waits passes.
const maxRound = 10_000

// waiters returns the threads that wait in the state that the worker holds, if that is for ever; nil if somebody can do something else, or if
// the execution has ended or does not count.
func (w *worker) waiters() (list []*local) {
	if w.over() {
		return nil
	}
	for t := range int32(w.threads) {
		if w.leaf(bufferLeaf(t)) != 0 {
			return nil
		}
		id := w.leaf(localLeaf(t))
		if id == 0 {
			continue
		}
		l := w.locals.at(id).local
		switch l.act.Kind {
		case machine.Exit:
			continue
		case machine.Block:
			if l.act.Block != machine.Spin {
				return nil
			}
		case machine.Join:
			can := w.perform(move{t, act, 0})
			w.undo()
			if can {
				return nil
			}
		default:
			if !w.onlyReads(t) {
				return nil
			}
		}
		list = append(list, l)
	}
	return list
}

// onlyReads reports whether thread t, if no other moves, will never change anything nor come to its end.
func (w *worker) onlyReads(t int32) bool {
	place := w.place[localLeaf(t)]
	first := w.tree[place]
	defer func() { w.tree[place] = first }()
	seen := map[uint32]bool{}
	work := []uint32{first}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		if k := w.locals.at(id).local.act.Kind; k == machine.Exit || k == machine.Join || k == machine.Block || len(seen) > maxRound {
			return false
		}
		unchanged := true
		var next []uint32
		w.tree[place] = id
		w.moves(func(m move) {
			if m.thread != t || !unchanged {
				return
			}
			if w.perform(m) {
				unchanged = !w.changed(place)
				next = append(next, w.tree[place])
			} else if w.fault != nil {
				unchanged = false
			}
			w.undo()
		})
		if !unchanged {
			return false
		}
		work = append(work, next...)
	}
	return true
}

// changed reports whether the present move has changed a component other than the one at place.
func (w *worker) changed(place int32) bool {
	for i, c := range w.changes {
		again := slices.ContainsFunc(w.changes[:i], func(b change) bool { return b.node == c.node })
		if c.node != place && !again && w.tree[c.node] != c.old {
			return true
		}
	}
	return false
}

// judge returns the error that it is that these threads wait for ever, nil if it is a warning only.
func (w *worker) judge(waiters []*local) *fault {
	var joins, spins *local
	for _, l := range waiters {
		switch {
		case l.act.Kind == machine.Join:
			if joins == nil {
				joins = l
			}
		case spins == nil || l.lock && !spins.lock:
			spins = l
		}
	}
	switch {
	case spins == nil:
		return &fault{engine.JoinDeadlock(), joins.pos, joins.thread, nil}
	case spins.lock:
		f := &fault{engine.Deadlock(), spins.pos, spins.thread, nil}
		for _, l := range waiters {
			if l.isAccess() && l.thread != spins.thread {
				f.abouts = append(f.abouts, about{event.Addr(l.thread), otherWaiter})
			}
		}
		return f
	case w.opts.Liveness:
		return &fault{engine.Spins(), spins.pos, spins.thread, nil}
	}
	w.blocked.Store(true)
	for _, l := range waiters {
		switch {
		case l.act.Kind == machine.Block:
			w.noteWait(&w.spins, l, report.WhyEmpty)
		case l.act.Kind != machine.Join:
			w.noteWait(&w.spins, l, report.WhySpin)
		}
	}
	return nil
}

// noteBlocked remembers where threads stay in a state in which an assumption does not hold.
func (w *worker) noteBlocked() {
	w.blocked.Store(true)
	if w.ended.Load() {
		return
	}
	for t := range int32(w.threads) {
		id := w.leaf(localLeaf(t))
		if id == 0 {
			continue
		}
		switch l := w.locals.at(id).local; {
		case l.act.Kind == machine.Exit:
		case l.act.Kind == machine.Join:
			w.noteWait(&w.waits, l, report.WhyJoin)
		case l.act.Kind == machine.Block && l.act.Block == machine.Assume:
			w.noteWait(&w.waits, l, report.WhyAssume)
		case l.lock:
			w.noteWait(&w.waits, l, report.WhyLock)
		default:
			w.noteWait(&w.waits, l, report.WhyLoop)
		}
	}
}

// maxWaits bounds the places that are reported where threads wait.
const maxWaits = 10

// noteWait adds the place where a thread stays to a list of the run.
func (w *worker) noteWait(list *[]report.Wait, l *local, why string) {
	key := noted{l.pos, why}
	if w.waited[key] {
		return
	}
	if w.waited == nil {
		w.waited = map[noted]bool{}
	}
	w.waited[key] = true
	at := report.Wait{Location: w.namer.Location(l.pos), Thread: int(l.thread), Why: why}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(*list) < maxWaits && !slices.ContainsFunc(*list, func(o report.Wait) bool { return o.Location == at.Location }) {
		*list = append(*list, at)
	}
}

// noted is a wait that a worker has noted.
type noted struct {
	pos ir.Pos
	why string
}

// lookForWaits looks for threads that wait for ever in loops with several accesses, among all states so far.
func (w *worker) lookForWaits() {
	if w.opts.Liveness || w.done() || w.again.Load() { // fairCycle finds them
		return
	}
	cyclic := w.cyclicLocals()
	if len(cyclic) == 0 {
		return
	}
	n := 0
	w.visited.each(func(state uint64) bool {
		if n++; n&1023 == 0 {
			w.watch()
		}
		if w.stop.Load() {
			return false
		}
		w.hold(state)
		if !w.mayWait(cyclic) {
			return true
		}
		list := w.waiters()
		if list == nil {
			return true
		}
		if f := w.judge(list); f != nil {
			w.report(f, w.run.level, &lasso{state: state})
			return w.opts.KeepGoing
		}
		return true
	})
}

// mayWait reports whether each thread in the state that the worker holds may be one that waits, and one is in a loop with several accesses.
func (w *worker) mayWait(cyclic map[uint32]bool) (yes bool) {
	for t := range int32(w.threads) {
		id := w.leaf(localLeaf(t))
		if id == 0 {
			continue
		}
		l := w.locals.at(id).local
		switch l.act.Kind {
		case machine.Exit, machine.Join, machine.Load, machine.RMW, machine.Fence, machine.Choice, machine.Size, machine.Block:
		default:
			return false
		}
		yes = yes || cyclic[w.representative(id)]
	}
	return yes
}
