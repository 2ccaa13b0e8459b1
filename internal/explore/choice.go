package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// noteChoice remembers that not all the values were tried that thread t may choose from.
func (w *worker) noteChoice(t int32) {
	act := &w.pendingOf(t).act
	if act.Values == nil || !act.Values.Some {
		return
	}
	if w.sampled.Load() == nil {
		w.sampled.Store(&sampled{act.Values, w.location(w.sourcePos(w.pendingOf(t)))})
	}
}

// choose branches over a nondeterministic choice.
func (w *worker) choose(t int32) bool {
	w.noteChoice(t)
	n := w.pendingOf(t).act.N
	for i := 0; i < n && !w.stop.Load(); i++ {
		m := w.mark()
		id := w.simple(t, graph.Choice, event.NA)
		w.g.Events[id].Val.Lo = uint64(i)
		if w.resume(t, event.Value{Lo: uint64(i)}) {
			w.branch(n)
		}
		w.undo(m)
	}
	return false
}
