package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// The ends of executions.
//
// In most programs, main creates threads, joins them, and ends. Then the last events of each execution are the ends of the threads, the joins of main, and its end. There are no choices among them, but they take
// as long as all others: an execution differs from the one before in its last few events only.
//
// Definition. main is joining if it next joins threads, each for the first time, as long as these return 0, and ending if it ends then. An execution is over if each thread other than main has ended, or is at its end, or is
// blocked, and main is ending and will join threads that return 0, or main is joining and will join such threads and then one that is blocked.
//
// Rule O. An execution that is over counts as it is. So that it is over early, threads end last as long as main is ending.
//
// Lemma. If nothing looks at the ends and joins of executions, O changes neither what is explored nor what is found.
//
// Proof. Let G be over. It can be extended in one way only: by the ends of threads, the joins of main up to one of a thread that is blocked, and the end of main if there is none. None of these events is an access, so they
// are consistent, revisit nothing, race with nothing, and no thread that is blocked goes on. What main does between its joins are no events; it has no errors, as these would be actions.
// The end of a thread is an error if others access its variables: visits has the threads of which others have accessed any, and G is not over then. So the execution that G is extended to has no errors but those of threads
// that wait for ever, and it is complete if and only if no thread is blocked in G. Where it is reported, it is made first (endAll). Which thread moves next makes no difference (next); a thread that joins another one
// moves once the other has ended, and threads end before one moves that waits. ∎

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
	ending := w.pends[p].act.Kind == machine.Exit
	for q := first; q != p; q = w.pends[q].to {
		w.pends[q].joining, w.pends[q].ending = true, ending
	}
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
	p := w.cur[0]
	for w.pends[p].act.Kind == machine.Join {
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
	return w.pends[p].act.Kind == machine.Exit
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
