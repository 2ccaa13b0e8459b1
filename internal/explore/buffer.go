package explore

import "ravel/internal/graph"

// Models that track dependencies allow executions with cycles in po ∪ rf: a load may be buffered until a later store of its
// thread has been read. Most programs have none, and without cycles the exploration of the other models is right for these as well, and much faster
// than that of deps.go. So it comes first, and looks out for load buffering: for a read r and a write w of the same
// location such that r comes before w in po ∪ rf, but the model does not order it before w. At the first such pair
// all starts again with deps.go.
//
// No cycle is missed that way. Let G be a consistent execution with a cycle. Add its events in an order that extends what the
// model orders, as a machine would perform them, but let each thread get to them in program order: give reads that are in
// the way but not yet performed the co-latest value there is (or, if a later read of the thread and location is performed already,
// what that reads). What is performed does not depend on them, and nothing else leads on from them, so this is consistent, and
// it has no cycles as long as every performed read finds its write there. Since G has cycles, there is a first read r whose write w is performed
// after r has been given something else. If r did not come before w in po ∪ rf, r could be given w without a
// cycle. So it does; and the model does not order r before w, since in G r reads from w.

// buffers reports whether a read that comes before wr in po ∪ rf could read from it, and if so has the program explored again.
func (w *worker) buffers(wr *write) bool {
	g := w.g
	if w.depModel == nil || len(g.Threads[1]) == 0 {
		return false // before the first thread is created
	}
	l := &g.Locs[wr.loc]
	l.Written = l.Written || l.Reads > 0
	e := w.eventOf(wr)
	wr.tight = w.tight(&e)
	if wr.tight && !l.PassedOver || l.Reads == 0 {
		return false
	}
	// What comes before the first thread is created is ordered before all threads.
	since := g.Events[g.Events[g.Threads[1][0]].RF].Stamp
	pred := &g.Events[g.Last(wr.thread)]
	var k *prefix
	for t := range l.Last {
		if int32(t) == wr.thread {
			continue
		}
		known := g.Count(pred.Prefix, int32(t))
		for id := l.Last[t].Read; id != graph.Init; id = g.Events[id].Prev {
			r := &g.Events[id]
			if r.Index >= known || r.Stamp < since {
				continue
			}
			if k == nil {
				k = w.prefixOf(&e, since)
			}
			if !k.has(id) {
				w.startAgain(func(r *run) { r.cyclic = true })
				return true
			}
		}
	}
	return false
}

// eventOf returns the event that wr is going to be.
func (w *worker) eventOf(wr *write) graph.Event {
	e := graph.Event{Kind: graph.Write, Mode: wr.mode, Flags: wr.flags, Thread: wr.thread, Index: int32(len(w.g.Threads[wr.thread])), Loc: wr.loc}
	w.setDeps(&e)
	return e
}

// tight is a quick check for graph.Event.Tight of the write e, which is not in the graph yet.
func (w *worker) tight(e *graph.Event) bool {
	g := w.g
	evs := g.Threads[e.Thread]
	if len(evs) > 0 && !g.Events[evs[len(evs)-1]].TightPo {
		return false
	}
	last := len(evs) - 1
	if e.Flags&graph.RMWPart != 0 {
		last-- // the read of the RMW
	}
	for i := last; i >= 0; i-- {
		r := &g.Events[evs[i]]
		if r.Kind != graph.Read || w.depModel.OrdersPo(g, r, e) || g.Depends(e, int32(i)) {
			continue
		}
		l := &g.Locs[r.Loc]
		if l.Written {
			return false
		}
		l.PassedOver = true
	}
	return true
}

// startAgain has the program explored again from scratch, by a run that change says.
func (r *run) startAgain(change func(*run)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
	r.again = true
	r.stop.Store(true)
}
