package explore

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// A wait for a condition variable may end without a signal: spuriously (POSIX pthread_cond_wait, C11 7.26.3.6, C++ [thread.condition], JLS 17.2.1). The
// library chooses that when the wait begins (runtime/src/cond.c): a Choice c that is Weak, with alternative 1. The thread then enters the set of waiting
// threads and unlocks the mutex as always, locks it again, and leaves the set; another Weak choice, with one alternative, says that it is awake. If a signal
// has taken it out of the set before, the execution ends there: the one in which the signal woke it stands for it.
//
// A wait with a timeout may end late as well, which is alternative 1 of 3. The thread is not in the set then: it may have taken no signal, though one came before it
// locked the mutex again. A timeout of the futex system call comes before the thread is in the set, and is alternative 1 of 2: a round of it is one by round.go.
//
// Most waits are in a loop that looks at the condition and waits again. Executions with such a round are not counted and, as far as possible, not explored. vain.go leaves out more where a thread
// only looks before it waits.
//
// Definition. A round R of a spurious wake-up is the events of a thread t from c up to the next wait, such that t is in the same state before c and after R, and
// the events Q of R after t is awake leave memory as it was: they are reads, fences, objects that are allocated and freed in Q, and writes by Z1 to Z4 of round.go. The lock of a std::condition_variable_any
// may be the program's own, so the writes of R before t is awake, other than those of the flag of t and of the set, are looked at as well. Each location that they write has, after them, the value that it had before:
//
//	L1. they are of the library, as those of a mutex are; or
//	L2. they are not atomic, and races are errors; or
//	L3. one of them releases, and the other one, by an RMW, acquires: the lock is a word. There is one such location at most.
//
// Lemma. Let G be a consistent execution with a round R, in which no thread reads a write of R and then does something that it would not do without R. Then
// there is a consistent execution without R in which all other threads read and write the same values, and t comes to the same state.
//
// Proof. After R, t waits: it enters the set again, by an event o', and unlocks the mutex. Let o be the event by which it enters the set in R, u the one by
// which it unlocks the mutex there, and d the one by which it leaves the set.
//
//   - If no signal reads the set between d and o', leave out all after u up to the second unlock: t stays in the set. Q changes nothing by
//     round.go. The lock and the second unlock of the mutex follow each other in co, as t holds it; the threads that read
//     in between that it is held wait. Fewer events mean fewer constraints, as the models are monotone. By L2, others access what the program's lock writes plainly only while t does not hold it, or race. The value is
//     then what it was at u, as the second unlock does what the first one does.
//   - Otherwise let s be the first such signal. It does not hold the mutex, so it is ordered neither before u nor after d but by the set itself. If it wakes another
//     thread than t, it can choose that one with t in the set as well. If there is no other, or if it wakes all, let it come before d: it finds t in the set, and wakes it. That orders
//     nothing: the flag of a thread is relaxed. t locks the mutex where it does in R, does Q, and waits again.
//   - R is a timeout: then t is not in the set before o'. If its next wait is a timeout too, leave out all after u up to the second unlock, as above. Otherwise it enters the set at once instead of
//     R. A signal between u and o' may then find t and choose another thread as before; if there is no other, or if it wakes all, it wakes t, and the signal that wakes t in G finds nobody. t locks the mutex where it
//     does after that signal in G. If no signal wakes it in G, it does not go on, and counts as little. ∎
//
// So an error by an event outside of R is one of another execution, too; one by an event of R is found when that event is added. t stays where it is, blocked, with the
// mutex. The other threads go on, as they may revisit reads of R and lead t elsewhere. If a thread reads a write of R and goes on, as after
// a trylock that fails, the verdict says that not all was explored (seesRound).
//
// Nothing hides a deadlock: the wait that does not end spuriously is an alternative too, and a thread that nobody wakes stays there. A thread that wakes spuriously for ever is not
// fair. So rounds are neither deadlocks nor endless loops.

// maxWakeups is how often in a row waits of a thread end spuriously, if each time it is in another state.
const maxWakeups = 8

// endsSpuriously reports whether an event is the choice that a wait ends spuriously, or by a timeout.
func (w *worker) endsSpuriously(e *graph.Event) bool {
	return e.Kind == graph.Choice && e.Val.Lo != 0 && w.pends[e.Pend].act.Weak
}

// isAwake reports whether an event says that a thread is awake after a wait that has ended spuriously.
func (w *worker) isAwake(e *graph.Event) bool {
	return e.Kind == graph.Choice && w.pends[e.Pend].act.Weak && w.pends[e.Pend].act.N == 1 && e.Val.Lo == 0
}

// waitsAgain reports whether thread t, which is about to wait, comes from a round. If it has been awake too often in a row, it will not wake spuriously.
func (w *worker) waitsAgain(t int32) bool {
	p := w.pendingOf(t)
	if p.act.N == 1 {
		return false
	}
	evs := w.past(t)
	woken, awake := 0, len(evs)
	for i := len(evs) - 1; i >= 0; i-- {
		e := &w.g.Events[evs[i]]
		switch {
		case e.Kind != graph.Choice || !w.pends[e.Pend].act.Weak:
			continue
		case w.isAwake(e):
			if woken == 0 {
				awake = i + 1
			}
			continue
		case e.Val.Lo == 0:
			return false
		}
		if woken++; woken == 1 && w.alikeTo(e, p) && w.takesLockAgain(evs[i+1:awake]) && w.leavesMemory(t, evs[awake:]) {
			w.noteWakeup(t, evs[i:], awake-i)
			return true
		}
		if woken == maxWakeups {
			w.notExplored(fmt.Sprintf("the wait at %s ended without a signal %d times in a row, more was not explored (--no-spurious-wakeups explores timeouts only)",
				w.location(w.sourcePos(p)), maxWakeups))
			p.act.N = 1
			return false
		}
	}
	return false
}

// noteWakeup notes, for aftermath.go, a round of thread t that begins with the choice that its wait ends spuriously, and in which it is awake from a place on. What is left out by it begins after the thread has unlocked the mutex, and ends
// when it does so again. So it ends before the thread locks the mutex.
func (w *worker) noteWakeup(t int32, round []graph.ID, awake int) {
	if !w.notes {
		return
	}
	g := w.g
	for k, id := range round[:awake] {
		lock := &g.Events[id]
		if !isUpdate(lock) || !lock.Mode.IsAcq() {
			continue
		}
		for n, id := range round[:k] {
			if unlock := &g.Events[id]; unlock.Kind == graph.Write && unlock.Loc == lock.Loc && !(w.isOfLibrary(unlock) && w.isWaitsOwn(unlock, lock)) {
				w.noteAccesses(t, round[n+1:], RoundAccess{Loop: w.sourcePos(&w.pends[g.Events[round[0]].Pend]), Addr: g.Locs[lock.Loc].Addr, Again: true}, nil, w.pendingOf(t).act.CtrlDep)
				return
			}
		}
	}
}

// takesLockAgain reports whether the events of a thread from where its wait begins, and ends spuriously, to where it is awake are as the definition of a round has them: L1 to L3.
func (w *worker) takesLockAgain(evs []graph.ID) bool {
	g := w.g
	words := 0
	for i, id := range evs {
		first := &g.Events[id]
		switch first.Kind {
		case graph.Read, graph.Fence, graph.Choice:
			continue
		case graph.Write:
		default:
			return false
		}
		if w.storesTo(first.Loc, evs[:i]) {
			continue
		}
		last, n, private, plain := first, 0, true, true
		for _, id := range evs[i:] {
			if e := &g.Events[id]; e.Kind == graph.Write && e.Loc == first.Loc {
				last = e
				n++
				private, plain = private && w.isOfLibrary(e), plain && e.Mode == event.NA
			}
		}
		switch {
		case private && w.isWaitsOwn(first, last):
		case !w.leavesAsWas(evs[i:], first.Loc) && !(private && w.addsZero(evs[i:], first.Loc)):
			return false
		case private || plain && w.raceErrors:
		default:
			if words++; words > 1 || n != 2 || !first.Mode.IsRel() || !isUpdate(last) || !last.Mode.IsAcq() {
				return false
			}
		}
	}
	return true
}

// isWaitsOwn reports whether first and last are the first and the last write of a wait to the flag of the thread, or to the set.
func (w *worker) isWaitsOwn(first, last *graph.Event) bool {
	if !isUpdate(last) {
		return false
	}
	enters, leaves := &w.pends[first.Pend].act, &w.pends[last.Pend].act
	if isUpdate(first) {
		return enters.RMW == event.Or && leaves.RMW == event.And
	}
	return enters.Val == event.Value{} && leaves.RMW == event.Xchg
}

// waitAgain stops the thread t after a round. It returns false if the graph need not be explored: its last read is not the co-latest (stale).
func (w *worker) waitAgain(t int32) bool {
	w.stopAgain(t)
	if w.cutsMatter {
		w.notExplored(fmt.Sprintf("rounds in which a wait ends spuriously were left out, and %s has constraints that are decided on complete executions, where they may matter", w.m.Name()))
	}
	if w.cyclic != nil || w.observed {
		return true
	}
	evs := w.past(t)
	for i := len(evs) - 1; i >= 0; i-- {
		switch e := &w.g.Events[evs[i]]; e.Kind {
		case graph.Read:
			if w.latestWhenAdded(e, e.RF) {
				return true
			}
			w.explored(w.weight)
			return false
		case graph.Fence:
		default:
			return true
		}
	}
	return true
}

// seesRound takes note if a thread has tried to take a lock that another one holds in a round of a spurious wake-up, or has looked at one of the program, and has gone on. What else is read of a round is the
// set, by signals, and what Q writes, of which leavesMemory makes sure that it does not matter.
func (w *worker) seesRound() {
	g := w.g
	for t := range w.cur {
		if w.cur[t] == 0 {
			continue
		}
		act := &w.pendingOf(int32(t)).act
		if act.Kind != machine.Block || act.Block != machine.Again || !act.Weak {
			continue
		}
		evs := w.past(int32(t))
		from := len(evs) - 1
		for from > 0 && !w.endsSpuriously(&g.Events[evs[from]]) {
			from--
		}
		awake := from
		for awake < len(evs) && !w.isAwake(&g.Events[evs[awake]]) {
			awake++
		}
		isSeen := func(e *graph.Event) bool {
			if e.Kind != graph.Read || e.RF == graph.Init {
				return false
			}
			s := &g.Events[w.setBy(e.RF)]
			if s.Kind != graph.Write || int(s.Thread) != t || int(s.Index) <= from {
				return false
			}
			ofProgram := int(s.Index) < awake && isUpdate(s) && !w.isOfLibrary(s) // L3
			return ofProgram || e.Flags&graph.RMWPart == 0 && w.pends[e.Pend].act.Kind == machine.RMW
		}
		for u := range w.cur {
			if u == t {
				continue
			}
			for _, id := range w.beforeWait(int32(u)) {
				if isSeen(&g.Events[id]) {
					w.notExplored(fmt.Sprintf("a thread may see that another one, whose wait at %s has ended spuriously, holds the mutex; what follows was not explored",
						w.location(w.sourcePos(w.pendingOf(int32(t))))))
					return
				}
			}
		}
	}
}

// setBy returns the write that gave a location the value that it has after the write id: RMWs that write what they read are passed over.
func (w *worker) setBy(id graph.ID) graph.ID {
	g := w.g
	for id != graph.Init && isUpdate(&g.Events[id]) {
		e := &g.Events[id]
		r := &g.Events[g.At(e.Thread, e.Index-1)]
		if r.Val != e.Val {
			break
		}
		id = r.RF
	}
	return id
}

// beforeWait returns the events of thread t but for those by which it only waits, or ends the execution: its last attempts at the lock that it waits for, all of them in the same state.
func (w *worker) beforeWait(t int32) []graph.ID {
	g := w.g
	evs := w.past(t)
	if !w.goesNoFurther(t) || len(evs) == 0 {
		return evs
	}
	n, next, round := len(evs), len(evs), len(evs)-1 // next is where its next action begins
	if act := &w.pendingOf(t).act; act.Block != machine.Assume {
		round = min(round, w.roundOf(evs, act.N))
	}
	for last := &g.Events[evs[n-1]]; n > 0; n-- {
		e := &g.Events[evs[n-1]]
		if e.Loc != last.Loc || e.Kind != graph.Read && !isUpdate(e) {
			break
		}
		if e.Kind == graph.Read {
			if n-1 < round && !w.alikeTo(e, &w.pends[g.Events[evs[next]].Pend]) {
				break
			}
			next = n - 1
		}
	}
	return evs[:next]
}

// goesNoFurther reports whether thread t waits in a loop, or does not count.
func (w *worker) goesNoFurther(t int32) bool {
	if w.cur[t] == 0 {
		return false
	}
	act := &w.pendingOf(t).act
	return act.Kind == machine.Block && (act.Block == machine.Spin || act.Block == machine.Lock || act.Block == machine.Assume)
}
