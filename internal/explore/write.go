package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// A write is one that a thread is about to perform.
type write struct {
	thread int32
	loc    int32
	val    event.Value
	mode   event.Mode
	flags  uint8
	after  uint32 // the thread's pending once it has written

	ordered graph.View // Event.Ordered
	own     int32      // Event.OrderedOwn
}

// write performs a store: it revisits reads, then branches over the places in co.
func (w *worker) write(t int32) bool {
	g := w.g
	loc, ok := w.locate(t)
	if !ok {
		return false
	}
	act := &w.pendingOf(t).act
	val, mode := act.Val, act.Mode
	if act.Part {
		if val, ok = w.completePart(t, loc, act); !ok {
			return false
		}
	}
	if w.values != nil {
		w.writes(t, loc, val, mode)
	}
	wr := write{t, loc, val, mode, 0, w.resumed(w.cur[t], event.Value{}), 0, 0}
	if w.deps != nil && w.deps.buffers(&wr) {
		return false
	}
	w.revisits(&wr, graph.None, 1)

	end := int32(len(g.Locs[loc].Co))
	least := end - 1
	if !w.observed {
		least = w.floorsOf(loc, t).all
	}
	if least == end-1 {
		return w.addWrite(&wr, end)
	}
	w.observe(loc, unserial)
	wr.flags |= graph.Loose
	for pos := end; pos > least && !w.stop.Load(); pos-- {
		if !w.splitsRMW(loc, pos) {
			w.place(&wr, pos, int(end-least))
		}
	}
	return false
}

// splitsRMW reports whether a write at index pos of co would come between the write of an RMW and
// what the RMW reads.
func (w *worker) splitsRMW(loc, pos int32) bool {
	co := w.g.Locs[loc].Co
	return int(pos) < len(co) && w.g.Events[co[pos]].Flags&graph.RMWPart != 0
}

// place explores the executions in which wr is at index pos of co.
func (w *worker) place(wr *write, pos int32, n int) {
	m := w.mark()
	id := w.newWrite(wr)
	w.g.Add(id, pos)
	w.cur[wr.thread] = wr.after
	if w.checkAccess(id) {
		if w.choices != nil && !w.g.CoMaximal(&w.g.Events[id]) {
			w.hasChoice(wr.loc)
		}
		if w.arrived(wr.thread) {
			w.branch(n)
		}
	}
	w.undo(m)
}

// addWrite adds wr at index pos of co, the only place that it has. It returns false if that ends the exploration of this graph.
func (w *worker) addWrite(wr *write, pos int32) bool {
	id := w.newWrite(wr)
	w.g.Add(id, pos)
	w.cur[wr.thread] = wr.after
	return w.checkAccess(id) && w.arrived(wr.thread)
}

// writeHalf adds the write of the RMW whose read is the last event of t, directly after what
// that reads, and explores.
func (w *worker) writeHalf(t int32) {
	if wr, pos, ok := w.half(t); ok {
		w.place(&wr, pos, 1)
	}
}

// half returns the write of the RMW whose read is the last event of t, and its place in co, once the write has revisited what it may. It returns false if it is
// not to be added.
func (w *worker) half(t int32) (wr write, pos int32, ok bool) {
	g := w.g
	r := &g.Events[g.Last(t)]
	loc, src, old := r.Loc, r.RF, r.Val
	wr = write{t, loc, w.rmwValue(t, old), w.pendingOf(t).act.Mode, graph.RMWPart, w.resumed(w.cur[t], old), 0, 0}
	if w.values != nil {
		w.writes(t, loc, wr.val, wr.mode)
	}
	if w.deps != nil && w.deps.buffers(&wr) {
		return wr, 0, false
	}
	if !w.arrives(t, loc, &w.pendingOf(t).act) {
		w.revisits(&wr, graph.None, 1)
	}
	pos = w.g.CoIndex(src) + 1
	if w.observed {
		pos = int32(len(g.Locs[loc].Co))
	}
	if int(pos) < len(g.Locs[loc].Co) {
		w.observe(loc, unserial)
	}
	return wr, pos, true
}

// newWrite makes the event of wr.
func (w *worker) newWrite(wr *write) graph.ID {
	id := w.newEvent(wr.thread, graph.Write, wr.mode, wr.loc)
	e := &w.g.Events[id]
	e.Flags |= wr.flags
	e.Val = wr.val
	e.Ordered, e.OrderedOwn = wr.ordered, wr.own
	if w.twins != nil {
		w.twins.accesses(e.Thread, e.Loc)
	}
	w.m.Views(w.g, id)
	return id
}

// checkAccess reports whether the graph is consistent with the access id, which was added
// last, and free of errors by it.
func (w *worker) checkAccess(id graph.ID) bool {
	if w.observed {
		return w.observedConsistent(id) && w.raceFree(id) && w.allocated(id)
	}
	return w.isConsistent(id) && w.isRight(id)
}

// isConsistent reports whether the graph is consistent with the access id.
func (w *worker) isConsistent(id graph.ID) bool {
	return w.g.CoMaximal(&w.g.Events[id]) || w.m.Consistent(w.g, id)
}

// isRight reports whether the access id, with which the graph is consistent, is free of errors.
func (w *worker) isRight(id graph.ID) bool {
	w.effort++
	g := w.g
	if w.disciplines != nil {
		w.followDiscipline(id)
	}
	if e := &g.Events[id]; e.Kind == graph.Write {
		if w.wakes {
			w.writesSteady(id)
			if isUpdate(e) {
				w.takesHeld(e)
			}
		}
		if w.unsettled != nil {
			w.stirs(e.Thread, g.Locs[e.Loc].Addr)
		}
		if w.writers != nil {
			w.writesTo(e.Thread, e.Loc)
		}
		if w.values != nil {
			w.comesAgain(e)
		}
	}
	if w.notes && (w.racesMatter() || w.buffersMatter()) {
		w.accessMayBeLate(id)
	}
	return w.raceFree(id) && w.allocated(id)
}
