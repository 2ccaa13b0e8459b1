package explore

import (
	"fmt"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// newEvent makes the event at place i of thread t, with the dependencies of its action.
func (d *depSearch) newEvent(t, i int32, kind graph.Kind, mode event.Mode, loc int32) graph.ID {
	id := d.g.NewEventAt(t, i, kind, mode, loc)
	d.g.Events[id].Pend = d.cur[t]
	d.setDeps(&d.g.Events[id])
	return id
}

// read branches over the writes that a read may read.
func (d *depSearch) read(t, i int32) {
	loc, ok := d.locate(t)
	if !ok {
		return
	}
	fits := false
	co := d.g.Locs[loc].Co
	for k := len(co) - 1; k >= 0 && !d.stop.Load(); k-- {
		src := d.g.Locs[loc].Co[k]
		for _, flags := range d.outcomes(t, d.valueOf(src, loc)) {
			m := d.mark()
			id := d.newRead(t, i, loc, src, flags)
			d.g.Add(id, 0)
			if d.consistent(id) {
				fits = true
				if (src != graph.Init || d.initialised(t, loc)) && d.advance(t, i) {
					d.branch(1)
				}
			}
			d.undo(m)
		}
	}
	if !fits && !d.stop.Load() && !d.model.Latest(d.g) {
		d.deadEnd(t)
	}
}

// newRead makes the read of src at place i of thread t; flags may have Spurious.
func (d *depSearch) newRead(t, i, loc int32, src graph.ID, flags uint8) graph.ID {
	act := &d.pendingOf(t).act
	v := d.valueOf(src, loc)
	mode := act.Mode
	if act.Kind == machine.RMW {
		flags |= graph.Locked
		if flags&graph.Spurious == 0 && succeeds(act, v) {
			flags |= graph.RMWPart
			d.updates()
		} else {
			mode = act.Fail
		}
	}
	id := d.newEvent(t, i, graph.Read, mode, loc)
	e := &d.g.Events[id]
	e.Flags, e.RF, e.Val = flags, src, v
	return id
}

// newWrite makes the write at place i of thread t.
func (d *depSearch) newWrite(t, i, loc int32) graph.ID {
	act := &d.pendingOf(t).act
	val, flags := act.Val, uint8(0)
	if act.Kind == machine.RMW {
		flags = graph.RMWPart
		val = d.rmwValue(t, d.g.Events[d.g.Threads[t][i-1]].Val)
	}
	id := d.newEvent(t, i, graph.Write, act.Mode, loc)
	e := &d.g.Events[id]
	e.Flags |= flags
	e.Val = val
	return id
}

// write branches over the places of a write in co, and revisits reads.
func (d *depSearch) write(t, i int32) {
	loc, ok := d.locate(t)
	if !ok {
		return
	}
	d.pastArmsAt(t, i, loc)
	d.pastComparison(d.pendingOf(t), t)
	fits := false
	first, last := d.places(t, i, loc)
	for pos := last; pos >= first && !d.stop.Load(); pos-- {
		m := d.mark()
		id := d.newWrite(t, i, loc)
		d.g.Add(id, pos)
		if d.consistent(id) {
			fits = true
			if d.advance(t, i) {
				d.branch(1)
			}
		}
		d.undo(m)
	}
	if d.stop.Load() {
		return // in a long execution, each of thousands of writes would look for what it revisits
	}
	if !fits && !d.model.Latest(d.g) {
		d.deadEnd(t)
	}
	if !fits && d.badRMW(t, i) {
		m := d.mark()
		if d.addBad(t, i, loc) && d.advance(t, i) {
			d.branch(1)
		}
		d.undo(m)
	}
	d.revisits(t, i, loc)
}

// deadEnd is called when an access of thread t has no place in a graph with a grace period. If another thread could go on, it might revisit what is in the
// way: such executions are not explored.
func (d *depSearch) deadEnd(t int32) {
	for u := range d.cur {
		if int32(u) != t && d.enabled(int32(u)) {
			d.notExplored("a grace period waits for an access of a reader, and what other threads do meanwhile is not explored")
			return
		}
	}
}

// places returns the first and the last place in co to try for the write at place i of thread t: an RMW's is
// right after what its read reads.
func (d *depSearch) places(t, i, loc int32) (first, last int32) {
	if d.atWriteHalf(t, i) {
		pos := d.g.CoIndex(d.g.Events[d.g.Threads[t][i-1]].RF) + 1
		return pos, pos
	}
	return 1, int32(len(d.g.Locs[loc].Co))
}

// addBad adds the write of an RMW that has no place, at the co-latest place where nothing but atomicity is broken.
func (d *depSearch) addBad(t, i, loc int32) bool {
	for pos := int32(len(d.g.Locs[loc].Co)); pos > 0; pos-- {
		m := d.mark()
		id := d.newWrite(t, i, loc)
		d.g.Events[id].Flags |= graph.Bad
		d.g.Add(id, pos)
		if d.consistent(id) {
			return true
		}
		d.undo(m)
	}
	return false
}

// choose branches over a nondeterministic choice.
func (d *depSearch) choose(t, i int32) {
	d.noteChoice(t)
	for v := 0; v < d.pendingOf(t).act.N && !d.stop.Load(); v++ {
		m := d.mark()
		id := d.newEvent(t, i, graph.Choice, event.NA, -1)
		d.g.Events[id].Val.Lo = uint64(v)
		d.g.Add(id, 0)
		if d.advance(t, i) {
			d.branch(1)
		}
		d.undo(m)
	}
}

// simple adds an event that has no choice.
func (d *depSearch) simple(t, i int32) bool {
	g := d.g
	act := &d.pendingOf(t).act
	switch act.Kind {
	case machine.Fence:
		return d.fence(t, i)
	case machine.Create:
		return d.create(t, i)
	case machine.Join:
		end := d.ended(act.Val.Lo)
		if g.Events[end].Co > 0 {
			d.fail(t, engine.JoinedBefore(), d.joins(end)...)
			return false
		}
		id := d.newEvent(t, i, graph.Join, event.NA, -1)
		e := &g.Events[id]
		e.RF, e.Val = end, g.Events[end].Val
		g.Add(id, 0)
		return d.consistent(id) && d.advance(t, i)
	case machine.Exit:
		if !d.sectionsEnd(t) {
			return false
		}
		id := d.newEvent(t, i, graph.End, event.NA, -1)
		g.Events[id].Val = act.Val
		g.Add(id, 0)
		d.cur[t] = 0
		return true
	case machine.Alloc, machine.Free:
		return d.allocOrFree(t, i)
	}
	panic("simple: not an action")
}

// create starts a thread.
func (d *depSearch) create(t, i int32) bool {
	g := d.g
	act := d.pendingOf(t).act
	nth := d.creations(t, i)
	child, ok := d.threadOf(t, nth)
	if !ok {
		return false
	}
	c := d.newEvent(t, i, graph.Create, event.NA, -1)
	g.Events[c].Val = event.Value{Lo: uint64(child), Hi: uint64(nth)}
	g.Add(c, 0)
	s := g.NewEventAt(child, 0, graph.Start, event.NA, -1)
	g.Events[s].RF, g.Events[s].Val = c, act.Val
	g.Add(s, 0)
	p := d.newPending()
	d.pends[p].state = d.prog.Start(&d.arena, int(child), act.Addr, act.Val, &d.pends[p].act)
	d.cur[child] = p
	return d.arrived(child) && d.advance(t, i)
}

// allocOrFree performs an allocation or a deallocation.
func (d *depSearch) allocOrFree(t, i int32) bool {
	g := d.g
	act := &d.pendingOf(t).act
	if act.Kind == machine.Alloc {
		if d.mayReuse(t, i, act) {
			d.leavesReuse()
		}
		id := d.newEvent(t, i, graph.Alloc, event.NA, d.objectOf(act))
		e := &g.Events[id]
		e.Val = act.Val
		e.Flags |= allocFlags(act)
		g.Add(id, 0)
		return d.advance(t, i)
	}
	obj, ok := d.freed(t, act)
	if !ok {
		return false
	}
	id := d.newEvent(t, i, graph.Free, event.NA, obj)
	g.Events[id].Flags |= allocFlags(act)
	g.Add(id, 0)
	return d.advance(t, i)
}

// advance lets thread t run on from the event at place i to its first hole, through the events that
// are there. It returns false if that is an error, or if the thread waits before it comes to one of them: it goes on in a loop only if a register that is compared there (machine.Spin) has changed, but
// what follows does not depend on that register.
func (d *depSearch) advance(t, i int32) bool {
	g := d.g
	for ; ; i++ {
		e := &g.Events[g.Threads[t][i]]
		if e.Kind == graph.Read && e.Flags&graph.RMWPart != 0 {
			// The write comes next, by the same action.
		} else {
			d.cur[t] = d.resumedAfter(d.cur[t], e, d.yield(e))
		}
		if int(i)+1 == len(g.Threads[t]) || g.Threads[t][i+1] == graph.Hole {
			break
		}
		next := g.Threads[t][i+1]
		if !d.answered(t, i+1) {
			return false
		}
		if d.waitsAt(d.cur[t]) {
			d.notExplored(fmt.Sprintf("iterations of the loop at %s were not all explored in executions with cycles in po ∪ rf: whether the thread waits there depends on what it has read, but what follows does not",
				d.location(d.sourcePos(d.pendingOf(t)))))
			return false
		}
		if act := &d.pendingOf(t).act; act.Kind == machine.Fail { // what follows does not depend on it, and was performed before
			d.fail(t, act.Error, d.about(t, act)...)
			return false
		}
		d.assertSame(t, next)
		d.change(next).Pend = d.cur[t]
		if g.Events[next].Kind == graph.End {
			d.cur[t] = 0
			return true
		}
	}
	if d.atWriteHalf(t, i+1) {
		return true
	}
	return d.arrived(t)
}

// yield returns what a thread is resumed with after event e.
func (d *depSearch) yield(e *graph.Event) event.Value {
	switch e.Kind {
	case graph.Read, graph.Join, graph.Choice:
		return e.Val
	case graph.Create:
		return event.Value{Lo: e.Val.Lo}
	case graph.Alloc:
		return event.Value{Lo: uint64(d.g.Locs[e.Loc].Addr)}
	case graph.Fence:
		return event.Value{Lo: e.Val.Hi} // of srcu_read_lock
	case graph.Write:
		if e.Flags&graph.RMWPart != 0 {
			return d.g.Events[d.g.Threads[e.Thread][e.Index-1]].Val
		}
	}
	return event.Value{}
}

// assertSame checks that thread t has come to the event id again.
func (d *depSearch) assertSame(t int32, id graph.ID) {
	g := d.g
	e := &g.Events[id]
	act := &d.pendingOf(t).act
	ok := true
	switch e.Kind {
	case graph.Read:
		ok = act.Kind == machine.Load || act.Kind == machine.RMW
		ok = ok && g.Locs[e.Loc].Addr == act.Addr
	case graph.Write:
		if e.Flags&graph.RMWPart != 0 {
			ok = act.Kind == machine.RMW && e.Val == d.rmwValue(t, d.yield(e))
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

// consistent reports whether the graph is consistent with event id, which was added last.
func (d *depSearch) consistent(id graph.ID) bool {
	g := d.g
	if e := &g.Events[id]; int(e.Index) == len(g.Threads[e.Thread])-1 {
		return d.model.CheckLast(g, id)
	}
	return d.model.Check(g)
}

// fence adds a fence.
func (d *depSearch) fence(t, i int32) bool {
	act := &d.pendingOf(t).act
	val := event.Value{}
	if act.Tag.IsRCU() {
		if !d.usesRCU(t, act) {
			return false
		}
		val = event.Value{Lo: uint64(act.Addr), Hi: act.Val.Lo}
		if act.Tag == event.SRCULock {
			val.Hi = uint64(t)<<20 | uint64(i)
		}
	}
	id := d.newEvent(t, i, graph.Fence, act.Mode, -1)
	d.g.Events[id].Val = val
	d.g.Events[id].Data = act.DataDep
	d.g.Add(id, 0)
	return d.consistent(id) && d.advance(t, i)
}
