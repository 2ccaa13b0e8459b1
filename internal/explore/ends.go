package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// The ends of executions.
//
// In most programs, main creates threads, joins them, looks at what they have left, and ends. Then the last events of each execution are the ends of the threads, the joins of main, its last reads, and its end. There are
// no choices among them, but they take as long as all others: an execution differs from the one before in its last few events only.
//
// Definition. main is joining if it next joins threads, each for the first time, as long as these return 0, and ending if it ends then, or reads before that. An execution is over if each thread other than main has ended, or is at
// its end, or is blocked, and one of these holds:
//
//	O1. main is joining and will join threads that return 0, and then one that is blocked;
//	O2. main is ending, will join threads that return 0, and ends without further events;
//	O3. main is ending and will join threads that return 0, such that all threads were joined then. It has fences and loads of static or allocated memory after that, and ends if each load gets the co-latest value.
//
// Rule O. An execution that is over counts as it is. So that it is over early, threads end last as long as main is ending.
//
// Lemma. If nothing looks at the ends and joins of executions, nor at the reads of O3, O changes neither what is explored nor what is found.
//
// Proof. Let G be over. It can be extended in one way only: by the ends of threads, the joins of main up to one of a thread that is blocked, and what main does then. The ends and joins are no accesses, so they
// are consistent, revisit nothing, race with nothing, and no thread that is blocked goes on. What main does between its joins are no events; it has no errors, as these would be actions.
// By O3, all events of other threads happen before the reads of main, as all threads were joined by main, or by threads that were. So each read has one choice, the co-latest write, and races with nothing; the memory that it reads was
// allocated before, and is not freed, or is static. No write follows, so nothing is revisited.
// The end of a thread is an error if others access its variables: visits has the threads of which others have accessed any, and G is not over then. So the execution that G is extended to has no errors but those of threads
// that wait for ever, and it is complete if and only if no thread is blocked in G. Where it is reported, it is made first (endAll). Which thread moves next makes no difference (next); a thread that joins another one
// moves once the other has ended, and threads end before one moves that waits. ∎
//
// Executions that differ only in co are told apart by what main reads last, so O3 is left with Options.Observed.

// lookAhead makes the pendings that follow where t is, at a Join, if the joined threads return 0, as most do. Threads are joined in the same
// way in most executions that follow: so these need not be made for each. It notes whether t is joining or ending.
func (w *worker) lookAhead(t int32) {
	first := w.cur[t]
	if to := w.pends[first].to; int(to) < len(w.pends) && w.pends[to].from == first {
		return
	}
	p, once := first, true
	joined := w.g.Scratch(0, 0)
	for w.pends[p].act.Kind == machine.Join {
		if tid := w.pends[p].act.Val.Lo; tid < uint64(len(joined)) {
			once = once && joined[tid] == 0
			joined[tid] = 1
		}
		p = w.resumed(p, event.Value{})
	}
	if t != 0 || !once {
		return
	}
	ending := w.mayEnd(p)
	for q := first; q != p; q = w.pends[q].to {
		w.pends[q].joining, w.pends[q].ending = true, ending
	}
}

// maxLastReads bounds the loads and fences of main after its joins.
const maxLastReads = 64

// mayEnd reports whether main, at the pending i, ends without further events but loads and fences, or finds an error, if it gets the values that are there now.
func (w *worker) mayEnd(i uint32) bool {
	k := w.afterLastReads(i, w.latestAt)
	return k == machine.Exit || k == machine.Fail // it looks at what the threads have not done yet
}

// afterLastReads returns what main, at the pending i, comes to after its loads and fences. It stops at a load without a value.
func (w *worker) afterLastReads(i uint32, valueOf func(*machine.Action) (event.Value, bool)) machine.ActionKind {
	for n := 0; n < maxLastReads && !w.opts.Observed; n++ {
		var v event.Value
		act := &w.pends[i].act
		switch act.Kind {
		case machine.Fence:
			if act.Tag.IsRCU() {
				return act.Kind
			}
		case machine.Load:
			var ok bool
			if v, ok = valueOf(act); !ok {
				return act.Kind
			}
		default:
			return act.Kind
		}
		i = w.resumed(i, v)
	}
	return w.pends[i].act.Kind
}

// lastValue returns what main, which is alone, gets with the load act. It returns false if the load may be an error.
func (w *worker) lastValue(act *machine.Action) (event.Value, bool) {
	g := w.g
	if act.Part || g.Reused > 0 || w.shifts {
		return event.Value{}, false
	}
	loc := w.locOf(0, act)
	l := &g.Locs[loc]
	last := l.Co[len(l.Co)-1]
	if l.Rival != nil && g.Overlap(loc) >= 0 {
		return event.Value{}, false
	}
	owner := act.Addr.Owner() - 1
	obj := w.object[loc]
	if obj < 0 {
		return w.valueOf(last, loc), owner <= 0
	}
	o := &g.Locs[obj]
	a := &g.Events[o.Alloc]
	valid := o.Alloc != graph.None && o.Free == graph.None && (owner <= 0 || a.Flags&graph.OnStack == 0) && uint64(act.Addr-o.Addr)+uint64(act.Size) <= a.Val.Lo
	return w.valueOf(last, loc), valid && last != graph.Init
}

// endsLast reports whether thread t, which is at its end, is to stay there as long as others can move.
func (w *worker) endsLast(t int32) bool {
	return w.endsUnseen && t != 0 && w.pends[w.cur[0]].ending
}

// isOver reports whether the execution is over. t is a thread that can move.
func (w *worker) isOver(t int32) bool {
	if !w.endsUnseen || len(w.visits.of) > 0 {
		return false
	}
	if k := w.pendingOf(t).act.Kind; k != machine.Exit && k != machine.Join {
		return false
	}
	if !w.pends[w.cur[0]].joining {
		return false
	}
	blocked := false
	for _, p := range w.cur[1:] {
		if p == 0 {
			continue
		}
		switch act := &w.pends[p].act; {
		case act.Kind == machine.Exit:
		case act.Kind != machine.Block || act.Block == machine.Spin && act.N == 0: // of the latter it matters whether main has ended
			return false
		default:
			blocked = true
		}
	}
	if !blocked && !w.pends[w.cur[0]].ending {
		return false
	}
	p, joins := w.cur[0], 0
	for ; w.pends[p].act.Kind == machine.Join; joins++ {
		tid := w.pends[p].act.Val.Lo
		if tid >= uint64(len(w.cur)) {
			return false
		}
		if w.pends[w.cur[tid]].act.Kind == machine.Block && w.cur[tid] != 0 {
			return true
		}
		next := w.pends[p].to
		if !w.returnsZero(tid) || int(next) >= len(w.pends) || w.pends[next].from != p || w.pends[next].got != (event.Value{}) {
			return false
		}
		p = next
	}
	if w.pends[p].act.Kind == machine.Exit {
		return true
	}
	if joins != w.unjoined() {
		return false
	}
	return w.afterLastReads(p, w.lastValue) == machine.Exit
}

// unjoined returns how many threads other than main were not joined.
func (w *worker) unjoined() int {
	n := 0
	for t, p := range w.cur[1:] {
		if end := &w.g.Events[w.g.Last(int32(t)+1)]; p != 0 || end.Kind == graph.End && end.Co == 0 {
			n++
		}
	}
	return n
}

// returnsZero reports whether a thread has ended or is at its end, with the result 0, and was not joined.
func (w *worker) returnsZero(tid uint64) bool {
	if p := w.cur[tid]; p != 0 {
		return w.pends[p].act.Val == event.Value{}
	}
	end := &w.g.Events[w.g.Last(int32(tid))]
	return end.Kind == graph.End && end.Co == 0 && end.Val == event.Value{}
}

// endAll adds what is left of an execution that is over.
func (w *worker) endAll(over bool) {
	for over {
		t := w.next()
		over = t >= 0 && w.step(t)
	}
}
