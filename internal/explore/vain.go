package explore

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Vain waits.
//
// Most waits for a condition variable are in a loop, the first thing that is done under the lock: lock; while (nothing to do) wait. A thread that was woken there might
// as well have come when it locks the mutex again, and have found out then.
//
// Definition. A vain wait V of a thread t is events after an event l by which t locks a mutex, up to what follows an event l2 by which it locks it again, such that t is in the same state before and
// after V. Between l and V, and between l2 and the end of V, t reads only what is steady: the latest write of a location to which no other thread writes after t was created. Beside reads and fences, V has what a
// wait does (runtime/src/cond.c): t enters the set of waiting threads, by e, unlocks the mutex, by u, is woken, and locks the mutex. t is woken spuriously, and leaves the set, or by a signal that
// leaves nobody in the set.
//
// Rule V, with Options.Symmetry. A thread is blocked after a vain wait, and the execution does not count. The other threads go on. A wait does not end spuriously if it is sure to be vain then.
//
// Lemma. Let G be a consistent execution with a vain wait V in which no thread reads that the mutex is held, from l or l2, and does something else than wait then. Then there is a consistent
// execution without V in which the other threads do the same, but for signals, and t comes to the same state.
//
// Proof. Leave out l and V but for l2, which takes the place of l. What is steady, t reads after l2 as it did after l. So t comes to the same state. Who locks the mutex after u reads what l has
// read; l acquires, and u releases, so what happens before that does not change. Nor does anything else that other threads read of V, but for the set: it is without t. A signal that found t in the
// set and woke another thread finds that one. The signal that woke t, if any, finds nobody, or the others that it wakes; it does less, and goes on in the same way. Who enters or leaves the set
// between e and the wake-up does the same, by a read-modify-write of one bit. The models are monotone: what is left out orders nothing. ∎
//
// V is in the prefix of its last event, so rule V is an assumption of t, which leaves out the executions with V and no others. An error of one of these is also one of an execution with fewer waits. Or it is one
// by an event of V, and was found when that was added. If a thread sees that the mutex is held and goes on, as after a trylock, or writes to what was taken for steady, the exploration starts
// again without rule V (seesLock, writesSteady).

// endsVainWait reports whether the last events of thread t, from a place on, are a vain wait: t is in the same state as there.
func (w *worker) endsVainWait(t int32, from int) bool {
	lock := w.lockBefore(t, from)
	if lock == nil {
		return false
	}
	g := w.g
	evs := g.Threads[t]
	var does [8]*graph.Event // the writes and choices of the wait
	n := 0
	for _, id := range evs[from:] {
		switch e := &g.Events[id]; {
		case e.Kind == graph.Read || e.Kind == graph.Fence:
		case (e.Kind == graph.Write || e.Kind == graph.Choice) && n < len(does):
			does[n] = e
			n++
		default:
			return false
		}
	}
	spurious, rest := false, does[:n]
	if n > 0 && rest[0].Kind == graph.Choice {
		if act := &w.pends[rest[0].Pend].act; !act.Weak || act.N != 2 {
			return false
		}
		spurious, rest = rest[0].Val.Lo != 0, rest[1:]
	}
	if len(rest) < 4 || !w.isOfLibrary(rest[0]) || isUpdate(rest[0]) || !w.isOfLibrary(rest[1]) || !isUpdate(rest[1]) {
		return false
	}
	flag, set, unlock, again := rest[0], rest[1], rest[2], rest[3]
	switch {
	case unlock.Loc != lock.Loc, isUpdate(unlock), unlock.Co != lock.Co+1, !unlock.Mode.IsRel(), unlock.Val != w.valueOf(g.Locs[lock.Loc].Co[lock.Co-1], lock.Loc),
		again.Loc != lock.Loc, !isUpdate(again), again.Val != lock.Val:
		return false
	case !spurious:
		if len(rest) != 4 || !w.leavesNobody(evs[from:], flag.Loc, set.Loc) {
			return false
		}
	case len(rest) != 7, rest[4].Loc != flag.Loc, !isUpdate(rest[4]), rest[5].Loc != set.Loc, !isUpdate(rest[5]), !w.isAwake(rest[6]):
		return false
	}
	if !w.areSteady(t, evs[lock.Index+1:from]) || !w.areSteady(t, evs[rest[len(rest)-1].Index+1:]) {
		return false
	}
	w.reliesOn(lock)
	return true
}

// lockBefore returns the event by which thread t locks a mutex, if after that it has only read, up to a place, and rule V is used.
func (w *worker) lockBefore(t int32, to int) *graph.Event {
	if !w.wakes || w.seen || !w.opts.Symmetry || !w.rounds || w.cyclic != nil || w.observed || w.builds || w.late != nil || w.traits.Races.Own || w.traits.Reexecutes {
		return nil
	}
	evs := w.g.Threads[t]
	for i := to - 1; i >= 0; i-- {
		switch e := &w.g.Events[evs[i]]; {
		case e.Kind == graph.Read && e.Flags&graph.RMWPart == 0 || e.Kind == graph.Fence:
		case !isUpdate(e) || !e.Mode.IsAcq() || w.items && !w.isOfLibrary(e):
			return nil
		default:
			return e
		}
	}
	return nil
}

// isUpdate reports whether e is the write of an RMW.
func isUpdate(e *graph.Event) bool { return e.Kind == graph.Write && e.Flags&graph.RMWPart != 0 }

// isOfLibrary reports whether the write e is of ravel's own library.
func (w *worker) isOfLibrary(e *graph.Event) bool {
	return e.Kind == graph.Write && w.pends[e.Pend].act.Private
}

// leavesNobody reports whether a thread was woken, by its last read of flag among the events, by a signal that left nobody in the set.
func (w *worker) leavesNobody(evs []graph.ID, flag, set int32) bool {
	g := w.g
	for i := len(evs) - 1; i >= 0; i-- {
		r := &g.Events[evs[i]]
		if r.Kind != graph.Read || r.Loc != flag {
			continue
		}
		if r.RF == graph.Init || r.RF == graph.None {
			return false
		}
		wake := &g.Events[r.RF]
		for k := wake.Index - 1; k >= 0; k-- {
			if e := &g.Events[g.Threads[wake.Thread][k]]; e.Kind == graph.Write && e.Loc == set {
				return isUpdate(e) && e.Val == event.Value{}
			}
		}
		return false
	}
	return false
}

// A steadyRead names a location, and a thread that takes it for steady.
type steadyRead struct {
	addr   event.Addr
	thread int32
}

// areSteady reports whether events of thread t are fences, and reads of what is taken for steady from now on: the latest write of a location to which only t itself has written since it was created.
func (w *worker) areSteady(t int32, evs []graph.ID) bool {
	g := w.g
	for _, id := range evs {
		e := &g.Events[id]
		if e.Kind != graph.Read {
			continue
		}
		if w.items || !g.CoMaximal(e) {
			return false
		}
		for _, c := range g.Locs[e.Loc].Co[1:] {
			if !w.precedes(c, t) {
				return false
			}
		}
	}
	for _, id := range evs {
		if e := &g.Events[id]; e.Kind == graph.Read {
			addr := g.Locs[e.Loc].Addr
			w.steady.Store(addr, true)
			w.steady.Store(steadyRead{addr, t}, true)
		}
	}
	return true
}

// precedes reports whether an event is of thread t, or before its creation.
func (w *worker) precedes(id graph.ID, t int32) bool {
	g := w.g
	return g.Events[id].Thread == t || g.InPrefix(id, &g.Events[g.Threads[t][0]])
}

// writesSteady notes that there is a write, id, to a location.
func (w *worker) writesSteady(id graph.ID) {
	g := w.g
	addr := g.Locs[g.Events[id].Loc].Addr
	if _, steady := w.steady.Load(addr); !steady || w.seen {
		return
	}
	for t := range g.Threads {
		if len(g.Threads[t]) == 0 || w.precedes(id, int32(t)) {
			continue
		}
		if _, steady := w.steady.Load(steadyRead{addr, int32(t)}); steady {
			w.withoutV()
		}
	}
}

// withoutV has the program explored again without rule V.
func (w *worker) withoutV() {
	w.startAgain(func(r *run) { r.seen = true })
}

// wakesInVain reports whether the wait that thread t begins would be vain if it ended spuriously.
func (w *worker) wakesInVain(t int32) bool {
	p := w.cur[t]
	if act := &w.pends[p].act; !act.Weak || act.N != 2 {
		return false
	}
	evs := w.g.Threads[t]
	lock := w.lockBefore(t, len(evs))
	if lock == nil {
		return false
	}
	if w.pends[p].wakes == unknown {
		pends, arena := len(w.pends), w.arena.Mark()
		from := w.backAt(t, lock)
		w.cur[t] = p
		w.pends = w.pends[:pends]
		w.arena.Release(arena)
		w.pends[p].wakes = no
		if from > int(lock.Index) && w.areSteady(t, evs[lock.Index+1:from]) {
			w.pends[p].wakes = yes
		}
	}
	if w.pends[p].wakes == no {
		return false
	}
	w.reliesOn(lock)
	return true
}

// maxWaitSteps bounds the actions of a wait of the library.
const maxWaitSteps = 32

// A waitStep is a write, or an RMW, of a wait.
type waitStep struct {
	loc       int32
	val       event.Value // what it writes
	isRMW     bool
	isPrivate bool // of ravel's own library
}

// isWait reports whether a thread does what it does if a wait ends spuriously: it clears its flag, enters the set, unlocks the mutex, locks it as lock does, sets its flag, and leaves the set.
func isWait(did []waitStep, lock *graph.Event) bool {
	return len(did) == 6 && did[0].isPrivate && !did[0].isRMW && did[1].isPrivate && did[1].isRMW && did[2].loc == lock.Loc && !did[2].isRMW && did[3].loc == lock.Loc && did[3].isRMW && did[3].val == lock.Val &&
		did[4].loc == did[0].loc && did[4].isRMW && did[5].loc == did[1].loc && did[5].isRMW
}

// backAt returns the place of the event of thread t, which begins to wait, before which it was in the state to which it comes if the wait ends spuriously; 0 if there is none. t has to do there what
// others can't change: it reads the set, of which it looks at its own bit and whether the variable was destroyed, and what it has read between the lock and that place.
func (w *worker) backAt(t int32, lock *graph.Event) int {
	g := w.g
	written := map[int32]event.Value{lock.Loc: lock.Val}
	evs := g.Threads[t]
	read := evs[lock.Index+1:]
	n := 1                    // actions since the wait began
	got := event.Value{Lo: 1} // it ends spuriously
	var did []waitStep
	for range maxWaitSteps {
		w.cur[t] = w.resumed(w.cur[t], got)
		got = event.Value{}
		switch act := w.pendingOf(t).act; act.Kind {
		case machine.Round:
			if !isWait(did, lock) {
				return 0
			}
			return w.roundOf(evs, act.N-n)
		case machine.Fence:
		case machine.Choice:
			if !act.Weak || act.N != 1 {
				return 0
			}
		case machine.Load, machine.RMW, machine.Store:
			loc := w.locOfNext(t)
			if act.Part {
				return 0
			}
			if act.Kind != machine.Load {
				did = append(did, waitStep{loc, act.Val, act.Kind == machine.RMW, act.Private})
			}
			if act.Kind == machine.Store {
				written[loc] = act.Val
				break
			}
			v, ok := written[loc]
			if !ok && act.Kind == machine.Load {
				k := slices.IndexFunc(read, func(id graph.ID) bool { return g.Events[id].Loc == loc })
				if k < 0 || !w.areSteady(t, read[k:k+1]) {
					return 0
				}
				v = g.Events[read[k]].Val
			} else if !ok {
				v = w.latestValue(loc)
			}
			if got = v; act.Kind == machine.RMW && succeeds(&act, v) {
				written[loc] = act.RMW.Apply(v, act.Val, act.Size)
				did[len(did)-1].val = written[loc]
			}
		default:
			return 0
		}
		n++
	}
	return 0
}

// A heldLock names a mutex, and the value that it has while a thread holds it.
type heldLock struct {
	addr event.Addr
	val  event.Value
}

// reliesOn notes that rule V is used for waits that unlock the mutex that lock has locked.
func (w *worker) reliesOn(lock *graph.Event) {
	if !w.later.Load() {
		w.later.Store(true)
	}
	held := heldLock{w.g.Locs[lock.Loc].Addr, lock.Val}
	if _, known := w.vain.LoadOrStore(held, true); known {
		return
	}
	if _, tried := w.glimpsed.Load(held); tried {
		w.withoutV()
	}
}

// seesLock notes that thread t, which was at pending p, has read, by e, what may be a lock that another one holds, if it does not just wait for it: it is neither blocked, nor at the same RMW again, in the same state, nor
// at another one that its execution does not survive if it succeeds, as where Rust's mutex is taken after a first attempt has failed. In an execution without V, such a thread comes to the first attempt later, or never.
func (w *worker) seesLock(t int32, e *graph.Event, p uint32) {
	if s := &w.g.Events[e.RF]; e.Mode == event.NA || !isUpdate(s) || s.Thread == t {
		return
	}
	act, next := &w.pends[p].act, &w.pendingOf(t).act
	if next.Kind == machine.Block || next.Kind == machine.RMW && next.Addr == act.Addr && (w.alikeIn(p, w.cur[t]) || w.endsIfTaken(w.cur[t])) {
		return
	}
	w.glimpses(e.Loc, e.Val, w.items && act.Kind == machine.RMW && act.Private)
}

// endsIfTaken reports whether the pending i is at a CAS, and an assumption of the thread fails if that succeeds.
func (w *worker) endsIfTaken(i uint32) bool {
	if act := &w.pends[i].act; !act.RMW.MayFail() {
		return false
	}
	pends, arena := len(w.pends), w.arena.Mark()
	act := &w.pends[w.resumed(i, w.pends[i].act.Exp)].act
	ends := act.Kind == machine.Block && act.Block == machine.Assume
	w.pends = w.pends[:pends]
	w.arena.Release(arena)
	return ends
}

// takesHeld is seesLock for the write e of an RMW, such as an exchange that finds a lock held.
func (w *worker) takesHeld(e *graph.Event) {
	if r := &w.g.Events[w.g.Threads[e.Thread][e.Index-1]]; isUpdate(&w.g.Events[r.RF]) && w.g.Events[r.RF].Thread != e.Thread {
		w.glimpses(e.Loc, r.Val, false)
	}
}

// glimpses notes that a thread has read v at loc, which may be a lock that another one holds. It may be one of the library where nobody has learnt that rule V is used.
func (w *worker) glimpses(loc int32, v event.Value, always bool) {
	if w.seen {
		return // rule V is not used
	}
	held := heldLock{w.g.Locs[loc].Addr, v}
	w.glimpsed.Store(held, true)
	if _, relied := w.vain.Load(held); relied || always {
		w.withoutV()
	}
}
