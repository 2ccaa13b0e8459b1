package explore

import (
	"fmt"
	"slices"

	"ravel/internal/engine"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
)

// leaf counts the graph, in which no thread can move, or which is over (ends.go).
func (w *worker) leaf(over bool) {
	w.sawOver = w.sawOver || over
	if w.notes && w.cyclic != nil {
		w.noteCyclic()
	}
	if w.twins != nil {
		w.twins.learnsOwnings()
	}
	if w.java != nil {
		w.java.loudRounds()
	}
	var blocked, assumed, ended, empty, waits, failed bool
	for t := range w.cur {
		if w.cur[t] == 0 {
			continue
		}
		act := &w.pendingOf(int32(t)).act
		if act.Kind != machine.Block {
			blocked = blocked || act.Kind == machine.Join && !over
			failed = failed || act.Kind == machine.Fail
			continue
		}
		if act.Block == machine.Ended {
			ended = true
			continue
		}
		if act.Block == machine.Spin && act.N == 0 && w.cur[0] == 0 {
			empty = true // main has ended: no thread waits for this one
			continue
		}
		if act.Block == machine.Again {
			if w.deps != nil {
				w.deps.findErrors()
			}
			if act.Weak {
				w.seesRound()
			}
			w.explored(w.weight)
			return
		}
		blocked = true
		switch act.Block {
		case machine.Assume:
			assumed = true
		case machine.Unroll:
			assumed = true
			w.bounded.Store(true)
		default:
			waits = true
		}
	}
	if ended && !assumed {
		blocked = false // others need not wait for ever
	}
	if w.late != nil {
		defer func() { w.late.judged = false }()
		if !w.late.finished() {
			return
		}
	}
	if w.java != nil {
		w.java.plainRaces()
	}
	if w.deps != nil && w.deps.findErrors() {
		return
	}
	if blocked && w.deps != nil && w.deps.armed != nil {
		w.deps.pastWaits()
	}
	w.done()
	if w.flags != nil {
		w.flagged()
	}
	if w.reexecution != nil && !w.reexecutes(blocked || failed) {
		return
	}
	if failed {
		return // the error has been reported, and the others wait for the thread in vain
	}
	if w.twins != nil && w.reexecution != nil && w.reexecution.Needed() {
		w.twins.none() // cycles are found for all threads
	}
	if waits && w.observed && !w.items {
		w.stopWithoutCo(0)
		return
	}
	before := w.merged != nil && w.countedBefore(blocked)
	if !blocked {
		if !before {
			w.count.Complete++
		}
		if !w.completed.Load() {
			w.completed.Store(true)
		}
		w.complete(ended, before)
		if empty && !ended {
			w.stuck(false)
		}
		return
	}
	if !before {
		w.count.Blocked++
	}
	if !w.completed.Load() {
		w.endAll(over)
		w.noteWaits()
	}
	switch {
	case assumed:
	case w.observed:
		w.observedStuck(over)
	default:
		w.stuck(over)
	}
	if !before {
		w.tell(true)
	}
}

// flagged asks the model what it has against the execution.
func (w *worker) flagged() {
	w.flags(w.g, func(f model.Flag) {
		id, others := f.A, []related(nil)
		if f.B != graph.None && f.B != id {
			if id == graph.None {
				id = f.B
			} else {
				others = append(others, related{id: f.B, what: "and this"})
			}
		}
		if id == graph.None {
			id = w.g.Trail[len(w.g.Trail)-1]
		}
		w.failEvent(id, &machine.Error{
			Kind:    machine.RaceError,
			Message: fmt.Sprintf("the model flags this execution: %s (%s)", f.Name, f.At),
		}, others...)
	})
}

// tell passes the execution on.
func (w *worker) tell(blocked bool) {
	if w.opts.OnExecution != nil && !w.rehearses {
		w.telling.Lock()
		defer w.telling.Unlock()
		w.opts.OnExecution(&Execution{w.g, blocked, w})
	}
}

// complete looks at a complete execution, which has ended by a call of exit or not, and of which others were told before or not.
func (w *worker) complete(exit, before bool) {
	w.leaks(exit)
	if !before {
		w.tell(false)
	}
}

// waitForEver reports whether each thread that waits has read the latest write, waits whatever it chooses, stores nothing again before what another one has stored, and waits for nothing that another one gives back in each round.
func (w *worker) waitForEver() bool {
	for t := range w.cur {
		evs := w.lastRound(int32(t))
		if evs == nil {
			continue
		}
		if act := &w.pendingOf(int32(t)).act; !w.readsLatest(int32(t), act.N) || !w.waitsWhatever(int32(t), act.N) || w.storesBefore(evs) {
			return false
		}
		for u := range w.cur {
			if u != t && w.mayLetGo(w.lastRound(int32(u)), evs) {
				return false
			}
		}
	}
	return true
}

// storesBefore reports whether a round stores again what its thread has stored there last (Z5 of round.go), though another thread has stored something since, in co. Not all rounds can do so before that store.
func (w *worker) storesBefore(round []graph.ID) bool {
	g := w.g
	return slices.ContainsFunc(round, func(id graph.ID) bool {
		e := &g.Events[id]
		if e.Kind != graph.Write || isUpdate(e) {
			return false
		}
		co := g.Locs[e.Loc].Co
		before, last := &g.Events[co[e.Co-1]], &g.Events[co[len(co)-1]]
		return co[e.Co-1] != graph.Init && before.Thread == e.Thread && !isUpdate(before) && before.Val == e.Val && last.Thread != e.Thread
	})
}

// lastRound returns the events of the round after which thread t is blocked, nil if it is not.
func (w *worker) lastRound(t int32) []graph.ID {
	if w.cur[t] == 0 {
		return nil
	}
	act := &w.pendingOf(t).act
	if act.Kind != machine.Block || act.Block == machine.Ended {
		return nil
	}
	evs := w.g.Threads[t]
	return evs[w.roundOf(evs, act.N):]
}

// mayLetGo reports whether a round leaves a value in between with which a thread would go on that waits by reading. In
//
//	lock(&m); while (!ready) { unlock(&m); lock(&m); }
//
// a thread is blocked with the mutex in its hands, but others may take it while the thread goes round.
func (w *worker) mayLetGo(round, waiting []graph.ID) bool {
	g := w.g
	writes := func(id graph.ID) bool { return g.Events[id].Kind == graph.Write }
	if !slices.ContainsFunc(round, writes) || slices.ContainsFunc(waiting, writes) {
		return false
	}
	for i, id := range round {
		e := g.Events[id]
		last := !slices.ContainsFunc(round[i+1:], func(id graph.ID) bool { return writes(id) && g.Events[id].Loc == e.Loc })
		if e.Kind != graph.Write || last {
			continue
		}
		for _, id := range waiting {
			q := &g.Events[id]
			if q.Kind != graph.Read || q.Loc != e.Loc || w.wasRefused(q) {
				continue
			}
			if d := w.disciplines[g.Locs[q.Loc].Addr]; !w.onlyWaits(q.Pend, e.Val, &d, maxReads) {
				return true
			}
		}
	}
	return false
}

// stuck looks at an execution in which threads wait for ever. It is an error if each of them has read the latest write.
func (w *worker) stuck(over bool) {
	if !w.waitForEver() {
		return
	}
	culprit := int32(-1)
	lock := false
	for t := range w.cur {
		if w.cur[t] == 0 {
			continue
		}
		act := &w.pendingOf(int32(t)).act
		if act.Kind != machine.Block || act.Block == machine.Ended {
			continue
		}
		if isLock := act.Block == machine.Lock; culprit < 0 || isLock && !lock {
			culprit, lock = int32(t), isLock
		}
	}
	w.endAll(over)
	if culprit < 0 {
		w.joinCycle()
		return
	}
	switch {
	case lock:
		w.fail(culprit, engine.Deadlock(), w.otherWaiters(culprit)...)
	case w.opts.Liveness:
		w.fail(culprit, engine.Spins())
	default:
		w.noteSpins()
	}
}

// maxWaits bounds the places that are told where threads wait.
const maxWaits = 10

// noteWaits remembers where the threads stay, in an execution that is not complete.
func (w *worker) noteWaits() {
	for t := range w.cur {
		if w.cur[t] == 0 {
			continue
		}
		switch act := &w.pendingOf(int32(t)).act; {
		case act.Kind == machine.Join && w.ended(act.Val.Lo) == graph.None:
			w.noteWait(&w.waits, int32(t), report.WhyJoin)
		case act.Kind == machine.Block && act.Block == machine.Assume:
			w.noteWait(&w.waits, int32(t), report.WhyAssume)
		case act.Kind == machine.Block && act.Block == machine.Lock:
			w.noteWait(&w.waits, int32(t), report.WhyLock)
		case act.Kind == machine.Block && act.Block == machine.Spin:
			w.noteWait(&w.waits, int32(t), report.WhyLoop)
		}
	}
}

// noteSpins warns of the threads that spin, in an execution in which no other thread will end that.
func (w *worker) noteSpins() {
	for t := range w.cur {
		if w.cur[t] == 0 {
			continue
		}
		act := &w.pendingOf(int32(t)).act
		if act.Kind != machine.Block || act.Block != machine.Spin || w.spun[act.Pos] {
			continue
		}
		if w.spun == nil {
			w.spun = map[ir.Pos]bool{}
		}
		w.spun[act.Pos] = true
		why := report.WhySpin
		if act.N == 0 {
			why = report.WhyEmpty
		}
		w.noteWait(&w.spins, int32(t), why)
	}
}

// noteWait adds the place where thread t stays to a list of the run.
func (w *worker) noteWait(list *[]report.Wait, t int32, why string) {
	at := report.Wait{Location: w.location(w.sourcePos(w.pendingOf(t))), Thread: int(t), Why: why}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(*list) < maxWaits && !slices.ContainsFunc(*list, func(o report.Wait) bool { return o.Location == at.Location }) {
		*list = append(*list, at)
	}
}

// otherWaiters returns the last events of the threads other than t that wait.
func (w *worker) otherWaiters(t int32) []related {
	var others []related
	for u := range w.cur {
		if int32(u) != t && w.cur[u] != 0 && w.pendingOf(int32(u)).act.Kind == machine.Block {
			others = append(others, related{id: w.g.Last(int32(u)), what: engine.WaitsAsWell})
		}
	}
	return others
}

// joinCycle reports threads that wait for each other's end.
func (w *worker) joinCycle() {
	for t := range w.cur {
		if w.cur[t] != 0 {
			if act := &w.pendingOf(int32(t)).act; act.Kind == machine.Join {
				w.fail(int32(t), engine.JoinDeadlock())
				return
			}
		}
	}
}

// readsLatest reports whether the reads among the last n actions of t read what is there now: then t would read the same again.
// In a loop that waits an RMW writes what was there, so the values decide. What t itself has written in between does not matter.
func (w *worker) readsLatest(t int32, n int) bool {
	g := w.g
	evs := g.Threads[t]
	from := w.roundOf(evs, n)
	for _, id := range evs[from:] {
		e := &g.Events[id]
		if e.Kind != graph.Read || e.RF != graph.Init && g.Events[e.RF].Thread == t && int(g.Events[e.RF].Index) >= from {
			continue
		}
		co := g.Locs[e.Loc].Co
		if last := co[len(co)-1]; w.looks && w.wasRefused(e) {
			if last != e.RF && !w.isStopped(t, e.Pend, e.Loc, last) {
				return false
			}
		} else if last != e.RF && w.valueOf(last, e.Loc) != e.Val {
			return false
		}
	}
	return true
}
