package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Exploration for models that track dependencies (HMC: Kokologiannakis, Vafeiadis, ASPLOS'20). Their
// executions may have cycles in po ∪ rf, so the prefix of a write is what it depends on, not all
// that comes before it in its thread, and a revisit may keep events that come after the re-directed
// read or after deleted events of their thread. Threads then have holes: the thread is resumed
// up to its first hole, and must come to the kept events again with the same labels.
//
// It is a reverse search: every graph has exactly one parent, and is explored only from that. A
// revisit of r by w is made from the graph in which everything that it deletes is what the
// exploration would add by itself after the kept events (depcanonical.go).

// An undone is an event whose record has been changed, as it was.
type undone struct {
	id    graph.ID
	pend  uint32
	flags uint8
}

// change remembers event id before its record is changed.
func (w *worker) change(id graph.ID) *graph.Event {
	e := &w.g.Events[id]
	w.log = append(w.log, undone{id, e.Pend, e.Flags})
	return e
}

// depVisit is visit for models that track dependencies.
func (w *worker) depVisit() {
	if w.stop.Load() {
		if !w.told {
			w.stopped()
		}
		return
	}
	if w.tooLong() {
		w.endless(0)
		return
	}
	t := w.depNext()
	if t < 0 {
		if !w.hasBad() {
			w.leaf()
		}
		return
	}
	m := w.mark()
	i := w.g.FirstHole(t)
	switch act := &w.pendingOf(t).act; {
	case act.Kind == machine.Store || w.atWriteHalf(t, i):
		w.depWrite(t, i)
	case act.Kind == machine.Load || act.Kind == machine.RMW:
		w.depRead(t, i)
	case act.Kind == machine.Choice:
		w.depChoose(t, i)
	default:
		if w.depSimple(t, i) {
			w.branch(1)
		}
	}
	w.undo(m)
}

// depNext returns the thread to move: the lowest that has done the read of an RMW, so that no other RMW gets what it
// reads; or else the lowest that has a hole before other events, so that holes are filled soon,
// and otherwise the lowest that can move, or that the lowest waits for. It has to be a function of the graph, by which
// threads do not come later if others have done their part already: were those that a thread waits for not first, what comes between would come
// before its end or after it, depending on whether its end is kept.
func (w *worker) depNext() int32 {
	g := w.g
	for t, p := range w.cur {
		if p == 0 || w.pends[p].act.Kind != machine.RMW {
			continue
		}
		if at := (place{int32(t), g.FirstHole(int32(t))}); at != w.late && w.atWriteHalf(at.thread, at.index) {
			return at.thread
		}
	}
	if g.Holes > 0 {
		for t := range w.cur {
			if int(g.FirstHole(int32(t))) < len(g.Threads[t]) && w.enabled(int32(t)) && !w.isHeld(int32(t)) {
				return int32(t)
			}
		}
	}
	for t := range w.cur {
		if u := w.awaited(int32(t)); u >= 0 {
			return u
		}
	}
	return -1
}

// awaited returns the thread that has to move for thread t to get on: t itself, or the one that it joins, or that one joins, and
// so on; -1 if there is none.
func (w *worker) awaited(t int32) int32 {
	for range w.cur {
		if w.isHeld(t) {
			return -1
		}
		if w.enabled(t) {
			return t
		}
		if w.cur[t] == 0 || w.pendingOf(t).act.Kind != machine.Join {
			return -1
		}
		u := w.pendingOf(t).act.Val.Lo
		if u >= uint64(len(w.cur)) {
			return -1
		}
		t = int32(u)
	}
	return -1 // they wait for each other
}

// isHeld reports whether thread t does not move.
func (w *worker) isHeld(t int32) bool { return len(w.held) > 0 && w.held[t] }

func (w *worker) hasBad() bool {
	for _, id := range w.g.Trail {
		if w.g.Events[id].Flags&graph.Bad != 0 {
			return true
		}
	}
	return false
}

// atWriteHalf reports whether place i of thread t is for the write of the RMW whose read is before it.
func (w *worker) atWriteHalf(t, i int32) bool {
	if i == 0 {
		return false
	}
	e := &w.g.Events[w.g.Threads[t][i-1]]
	return e.Kind == graph.Read && e.Flags&graph.RMWPart != 0 && e.Pend == w.cur[t]
}

// depEvent makes the event at place i of thread t, with the dependencies of its action.
func (w *worker) depEvent(t, i int32, kind graph.Kind, mode event.Mode, loc int32) graph.ID {
	id := w.g.NewEventAt(t, i, kind, mode, loc)
	w.g.Events[id].Pend = w.cur[t]
	w.setDeps(&w.g.Events[id])
	return id
}

// setDeps sets what e, which its thread is at, depends on, if the model tracks dependencies.
func (w *worker) setDeps(e *graph.Event) {
	if !w.tracks {
		return
	}
	act := &w.pendingOf(e.Thread).act
	e.Tag = act.Tag
	e.Addr, e.Ctrl, e.Exp, e.Open = act.AddrDep, act.CtrlDep, act.ExpDep, act.OpenDep
	evs := w.g.Threads[e.Thread]
	if i := e.Index; i > 0 && int(i) <= len(evs) && evs[i-1] != graph.Init {
		prev := &w.g.Events[evs[i-1]]
		e.AddrPo = w.g.Deps.Join(prev.AddrPo, prev.Addr)
	}
	if e.Kind != graph.Write {
		return
	}
	e.Data = act.DataDep
	if act.Kind != machine.RMW {
		return
	}
	switch act.RMW {
	case event.Xchg:
		e.Flags |= graph.Blind
	case event.CAS:
		// The write comes after a branch on the comparison.
		test := w.g.Deps.Join(e.Exp, w.g.Deps.Single(e.Index-1))
		e.Ctrl = w.g.Deps.Join(e.Ctrl, test)
		if w.armed != nil {
			e.Open = w.g.Deps.Join(e.Open, test)
		}
	}
}

// depRead branches over the writes that a read may read.
func (w *worker) depRead(t, i int32) {
	loc, ok := w.locate(t)
	if !ok {
		return
	}
	fits := false
	co := w.g.Locs[loc].Co
	for k := len(co) - 1; k >= 0 && !w.stop.Load(); k-- {
		src := w.g.Locs[loc].Co[k]
		for _, flags := range w.outcomes(t, w.valueOf(src, loc)) {
			m := w.mark()
			id := w.depNewRead(t, i, loc, src, flags)
			w.g.Add(id, 0)
			if w.depConsistent(id) {
				fits = true
				if (src != graph.Init || w.initialised(t, loc)) && w.advance(t, i) {
					w.branch(1)
				}
			}
			w.undo(m)
		}
	}
	if !fits && !w.depModel.Latest(w.g) {
		w.deadEnd(t)
	}
}

// depNewRead makes the read of src at place i of thread t; flags may have Spurious.
func (w *worker) depNewRead(t, i, loc int32, src graph.ID, flags uint8) graph.ID {
	act := &w.pendingOf(t).act
	v := w.valueOf(src, loc)
	mode := act.Mode
	if act.Kind == machine.RMW {
		flags |= graph.Locked
		if flags&graph.Spurious == 0 && succeeds(act, v) {
			flags |= graph.RMWPart
			w.updates()
		} else {
			mode = act.Fail
		}
	}
	id := w.depEvent(t, i, graph.Read, mode, loc)
	e := &w.g.Events[id]
	e.Flags, e.RF, e.Val = flags, src, v
	return id
}

// depNewWrite makes the write at place i of thread t.
func (w *worker) depNewWrite(t, i, loc int32) graph.ID {
	act := &w.pendingOf(t).act
	val, flags := act.Val, uint8(0)
	if act.Kind == machine.RMW {
		flags = graph.RMWPart
		val = w.rmwValue(t, w.g.Events[w.g.Threads[t][i-1]].Val)
	}
	id := w.depEvent(t, i, graph.Write, act.Mode, loc)
	e := &w.g.Events[id]
	e.Flags |= flags
	e.Val = val
	return id
}

// depWrite branches over the places of a write in co, and re-directs reads to it.
func (w *worker) depWrite(t, i int32) {
	loc, ok := w.locate(t)
	if !ok {
		return
	}
	w.depPastArms(t, i, loc)
	fits := false
	first, last := w.depPlaces(t, i, loc)
	for pos := last; pos >= first && !w.stop.Load(); pos-- {
		m := w.mark()
		id := w.depNewWrite(t, i, loc)
		w.g.Add(id, pos)
		if w.depConsistent(id) {
			fits = true
			if w.advance(t, i) {
				w.branch(1)
			}
		}
		w.undo(m)
	}
	if !fits && !w.depModel.Latest(w.g) {
		w.deadEnd(t)
	}
	if !fits && w.badRMW(t, i) {
		m := w.mark()
		if w.addBad(t, i, loc) && w.advance(t, i) {
			w.branch(1)
		}
		w.undo(m)
	}
	w.depRevisits(t, i, loc)
}

// deadEnd is called when an access of thread t has no place in a graph with a grace period. If another thread could go on, it might re-direct what is in the
// way: such executions are not explored.
func (w *worker) deadEnd(t int32) {
	for u := range w.cur {
		if int32(u) != t && w.enabled(int32(u)) {
			w.notExplored("a grace period waits for an access of a reader, and what other threads do meanwhile is not explored")
			return
		}
	}
}

// depPlaces returns the first and the last place in co to try for the write at place i of thread t: an RMW's is
// right after what its read reads.
func (w *worker) depPlaces(t, i, loc int32) (first, last int32) {
	if w.atWriteHalf(t, i) {
		pos := w.g.CoIndex(w.g.Events[w.g.Threads[t][i-1]].RF) + 1
		return pos, pos
	}
	return 1, int32(len(w.g.Locs[loc].Co))
}

// addBad adds the write of an RMW that has no place, at the co-latest place where nothing but atomicity is broken.
func (w *worker) addBad(t, i, loc int32) bool {
	for pos := int32(len(w.g.Locs[loc].Co)); pos > 0; pos-- {
		m := w.mark()
		id := w.depNewWrite(t, i, loc)
		w.g.Events[id].Flags |= graph.Bad
		w.g.Add(id, pos)
		if w.depConsistent(id) {
			return true
		}
		w.undo(m)
	}
	return false
}

// depChoose branches over a nondeterministic choice.
func (w *worker) depChoose(t, i int32) {
	w.noteChoice(t)
	for v := 0; v < w.pendingOf(t).act.N && !w.stop.Load(); v++ {
		m := w.mark()
		id := w.depEvent(t, i, graph.Choice, event.NA, -1)
		w.g.Events[id].Val.Lo = uint64(v)
		w.g.Add(id, 0)
		if w.advance(t, i) {
			w.branch(1)
		}
		w.undo(m)
	}
}

// depSimple adds an event that has no choice.
func (w *worker) depSimple(t, i int32) bool {
	g := w.g
	act := &w.pendingOf(t).act
	switch act.Kind {
	case machine.Fence:
		return w.depFence(t, i)
	case machine.Create:
		return w.depCreate(t, i)
	case machine.Join:
		end := w.ended(act.Val.Lo)
		if g.Events[end].Co > 0 {
			w.fail(t, &machine.Error{Kind: machine.CallError, Message: "this thread was joined before"}, w.joins(end)...)
			return false
		}
		id := w.depEvent(t, i, graph.Join, event.NA, -1)
		e := &g.Events[id]
		e.RF, e.Val = end, g.Events[end].Val
		g.Add(id, 0)
		return w.depConsistent(id) && w.advance(t, i)
	case machine.Exit:
		if !w.sectionsEnd(t) {
			return false
		}
		id := w.depEvent(t, i, graph.End, event.NA, -1)
		g.Events[id].Val = act.Val
		g.Add(id, 0)
		w.cur[t] = 0
		return true
	case machine.Alloc, machine.Free:
		return w.depHeap(t, i)
	}
	panic("depSimple: not an action")
}

// depCreate starts a thread.
func (w *worker) depCreate(t, i int32) bool {
	g := w.g
	act := w.pendingOf(t).act
	nth := w.creations(t, i)
	child, ok := w.threadOf(t, nth)
	if !ok {
		return false
	}
	c := w.depEvent(t, i, graph.Create, event.NA, -1)
	g.Events[c].Val = event.Value{Lo: uint64(child), Hi: uint64(nth)}
	g.Add(c, 0)
	s := g.NewEventAt(child, 0, graph.Start, event.NA, -1)
	g.Events[s].RF, g.Events[s].Val = c, act.Val
	g.Add(s, 0)
	p := w.newPending()
	w.pends[p].state = w.prog.Start(&w.arena, int(child), act.Addr, act.Val, &w.pends[p].act)
	w.cur[child] = p
	return w.arrived(child) && w.advance(t, i)
}

// depHeap performs an allocation or a deallocation.
func (w *worker) depHeap(t, i int32) bool {
	g := w.g
	act := &w.pendingOf(t).act
	if act.Kind == machine.Alloc {
		if w.mayReuse(t, i, act) {
			w.leavesReuse()
		}
		id := w.depEvent(t, i, graph.Alloc, event.NA, w.objectOf(act))
		e := &g.Events[id]
		e.Val = act.Val
		e.Flags |= allocFlags(act)
		g.Add(id, 0)
		return w.advance(t, i)
	}
	obj, ok := w.freed(t, act)
	if !ok {
		return false
	}
	id := w.depEvent(t, i, graph.Free, event.NA, obj)
	g.Events[id].Flags |= allocFlags(act)
	g.Add(id, 0)
	return w.advance(t, i)
}

// advance lets thread t run on from the event at place i to its first hole, through the events that
// are there. It returns false if that is an error.
func (w *worker) advance(t, i int32) bool {
	g := w.g
	for ; ; i++ {
		e := &g.Events[g.Threads[t][i]]
		if e.Kind == graph.Read && e.Flags&graph.RMWPart != 0 {
			// The write comes next, by the same action.
		} else {
			w.cur[t] = w.resumedAfter(w.cur[t], e, w.yield(e))
		}
		if int(i)+1 == len(g.Threads[t]) || g.Threads[t][i+1] == graph.Init {
			break
		}
		next := g.Threads[t][i+1]
		if !w.answered(t, i+1) {
			return false
		}
		w.assertSame(t, next)
		w.change(next).Pend = w.cur[t]
		if g.Events[next].Kind == graph.End {
			w.cur[t] = 0
			return true
		}
	}
	if w.atWriteHalf(t, i+1) {
		return true
	}
	return w.arrived(t)
}

// yield returns what a thread is resumed with after event e.
func (w *worker) yield(e *graph.Event) event.Value {
	switch e.Kind {
	case graph.Read, graph.Join, graph.Choice:
		return e.Val
	case graph.Create:
		return event.Value{Lo: e.Val.Lo}
	case graph.Alloc:
		return event.Value{Lo: uint64(w.g.Locs[e.Loc].Addr)}
	case graph.Fence:
		return event.Value{Lo: e.Val.Hi} // of srcu_read_lock
	case graph.Write:
		if e.Flags&graph.RMWPart != 0 {
			return w.g.Events[w.g.Threads[e.Thread][e.Index-1]].Val
		}
	}
	return event.Value{}
}

// assertSame checks that thread t has come to the event id again.
func (w *worker) assertSame(t int32, id graph.ID) {
	g := w.g
	e := &g.Events[id]
	act := &w.pendingOf(t).act
	ok := true
	switch e.Kind {
	case graph.Read:
		ok = act.Kind == machine.Load || act.Kind == machine.RMW
		ok = ok && g.Locs[e.Loc].Addr == act.Addr
	case graph.Write:
		if e.Flags&graph.RMWPart != 0 {
			ok = act.Kind == machine.RMW && e.Val == w.rmwValue(t, w.yield(e))
		} else {
			ok = act.Kind == machine.Store && e.Val == act.Val
		}
		ok = ok && g.Locs[e.Loc].Addr == act.Addr
	case graph.Fence:
		ok = act.Kind == machine.Fence && e.Mode == act.Mode && e.Tag == act.Tag
	}
	if !ok {
		panic("a kept event was not reproduced: its dependencies are not complete")
	}
}

// depConsistent reports whether the graph is consistent with event id, which was added last.
func (w *worker) depConsistent(id graph.ID) bool {
	g := w.g
	if e := &g.Events[id]; int(e.Index) == len(g.Threads[e.Thread])-1 {
		return w.depModel.CheckLast(g, id)
	}
	return w.depModel.Check(g)
}
