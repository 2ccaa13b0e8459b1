package explore

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Errors under models that track dependencies.
//
// What a thread finds by itself is an error of an execution only if the graph is part of one: other threads may have holes
// (realised). What is about the order of two events, data races and accesses of memory that may have been freed, is looked for in
// graphs that no thread can go on in. Nothing is lost by that: such pairs are in every execution that has both.
//
// Data races are those of the model. Hardware has none: there, plain accesses are accesses.
//
// A free is looked at as a write to all of the object, which may be put to another use then: the program is wrong if
// an access of another thread could come after that write, that is, read from it or overwrite it.

// depErrors looks for such errors in the graph, in which no thread can move. It returns true if there is one.
func (w *worker) depErrors() bool {
	if w.traits.Races.Pairs != nil && w.opts.RaceCheck && w.depRace() {
		return true
	}
	return w.opts.MemoryCheck && (w.depFreed() || w.depEnded())
}

// depEnded reports an access of a variable of another thread that may come after the end of that thread, if there is one.
// The end counts as a release write to the variable: what its thread did before is ordered before it.
func (w *worker) depEnded() bool {
	g := w.g
	for owner, locs := range w.visits.of {
		if owner >= len(g.Threads) || len(g.Threads[owner]) == 0 || g.Events[g.Last(int32(owner))].Kind != graph.End {
			continue
		}
		end := g.Last(int32(owner))
		for _, loc := range locs {
			if obj := w.object[loc]; obj >= 0 && (g.Locs[obj].Alloc == graph.Init || g.Locs[obj].Free != graph.Init) || !w.othersAccess(end, loc) {
				continue
			}
			other := graph.Init
			if w.traits.Races.Pairs != nil {
				other = w.racesWithFree(end, loc, event.Rel)
			}
			if other == graph.Init {
				other = w.followsFree(end, loc, event.Rel)
			}
			if other != graph.Init {
				w.failEvent(other, memoryError(fmt.Sprintf("use of %s of a thread that may have ended", w.visited(loc))), w.visitRelated(loc, related{id: end, what: "the thread ends here"})...)
				return true
			}
		}
	}
	return false
}

// depRace reports a data race, if there is one.
func (w *worker) depRace() bool {
	found := false
	w.traits.Races.Pairs(w.g, func(a, b graph.ID) bool {
		if a == graph.Init || b == graph.Init {
			return true
		}
		w.race(b, a)
		found = true
		return false
	})
	return found
}

// depFreed reports an access that may come after the object was freed, if there is one.
func (w *worker) depFreed() bool {
	g := w.g
	for obj, locs := range w.parts {
		f := g.Locs[obj].Free
		if f == graph.Init {
			continue
		}
		for _, loc := range locs {
			if !w.othersAccess(f, loc) {
				continue
			}
			var other graph.ID
			if w.traits.Races.Pairs != nil {
				other = w.racesWithFree(f, loc, event.NA)
			} else {
				other = w.followsFree(f, loc, event.Rlx)
			}
			if other != graph.Init {
				w.failFreed(f, other)
				return true
			}
		}
	}
	return false
}

// failFreed reports that the access other may come after the event f, which frees its object.
func (w *worker) failFreed(f, other graph.ID) {
	e := &w.g.Events[f]
	if e.Flags&graph.OnStack != 0 {
		alloc := w.g.Locs[e.Loc].Alloc
		w.failEvent(other, memoryError(fmt.Sprintf("use of %s, whose lifetime may have ended", w.nameOf(&w.g.Events[alloc]))), related{id: f, what: "its lifetime ends here"}, w.origin(alloc))
		return
	}
	w.failEvent(f, memoryError("free of memory that another thread may still access"), related{id: other, what: "the access"})
}

// othersAccess reports whether loc has an access of another thread than that of the event f that is not ordered before f by the creation or the
// join of a thread.
func (w *worker) othersAccess(f graph.ID, loc int32) bool {
	g := w.g
	e := &g.Events[f]
	for t, last := range g.Locs[loc].Last {
		if int32(t) == e.Thread || last.Read == graph.Init && last.Write == graph.Init || w.joined(e, int32(t)) {
			continue
		}
		before := w.doneBefore(int32(t), e.Thread)
		for _, id := range [...]graph.ID{last.Read, last.Write} {
			if id != graph.Init && g.Events[id].Index >= before {
				return true
			}
		}
	}
	return false
}

// doneBefore returns how many events of thread t come before the start of thread u: t created u, or a thread that led to its creation.
func (w *worker) doneBefore(t, u int32) int32 {
	g := w.g
	for u != 0 && len(g.Threads[u]) > 0 && g.Threads[u][0] != graph.Init {
		create := &g.Events[g.Events[g.Threads[u][0]].RF]
		if create.Thread == t {
			return create.Index
		}
		u = create.Thread
	}
	return 0
}

// joined reports whether the thread of e has joined thread t before e, by itself.
func (w *worker) joined(e *graph.Event, t int32) bool {
	return w.joinedIn(w.g.Threads[e.Thread][:e.Index], t)
}

// joinedIn reports whether thread t is joined by one of the events.
func (w *worker) joinedIn(events []graph.ID, t int32) bool {
	g := w.g
	for _, id := range events {
		if j := &g.Events[id]; j.Kind == graph.Join && g.Events[j.RF].Thread == t {
			return true
		}
	}
	return false
}

// racesWithFree returns an access of loc that races with f as a write of a mode, Init if there is none.
func (w *worker) racesWithFree(f graph.ID, loc int32, mode event.Mode) (other graph.ID) {
	onStack := w.g.Events[f].Kind == graph.End || w.g.Events[f].Flags&graph.OnStack != 0
	undo := w.g.Become(f, mode, loc, int32(len(w.g.Locs[loc].Co)))
	defer undo()
	w.traits.Races.Pairs(w.g, func(a, b graph.ID) bool {
		switch {
		case f == a && !w.mayOutlive(onStack, b):
			other = b
		case f == b && !w.mayOutlive(onStack, a):
			other = a
		}
		return other == graph.Init
	})
	return other
}

// mayOutlive reports whether the access id of an object on the stack is one of ravel's own library: a lock or a barrier may be destroyed as soon as others
// have come past it.
func (w *worker) mayOutlive(onStack bool, id graph.ID) bool {
	return onStack && w.pends[w.g.Events[id].Pend].act.Private
}

// followsFree returns an access of loc that can come after f as a write of a mode, Init if there is none: one of the
// writes after the place of f in co, or the last read of a thread, if it can read from f.
func (w *worker) followsFree(f graph.ID, loc int32, mode event.Mode) graph.ID {
	g := w.g
	thread := g.Events[f].Thread
	onStack := g.Events[f].Kind == graph.End || g.Events[f].Flags&graph.OnStack != 0
	for pos := int32(1); pos <= int32(len(g.Locs[loc].Co)); pos++ {
		co := g.Locs[loc].Co
		before := co[pos-1]
		after := graph.Init
		if int(pos) < len(co) {
			after = co[pos]
		}
		undo := g.Become(f, mode, loc, pos)
		if after != graph.Init && g.Events[after].Thread != thread && !w.mayOutlive(onStack, after) && w.allowed() {
			undo()
			return after
		}
		for t := range g.Locs[loc].Last {
			r := g.Locs[loc].Last[t].Read
			if r == graph.Init || int32(t) == thread || g.Events[r].RF != before || g.Events[r].Flags&graph.RMWPart != 0 || w.mayOutlive(onStack, r) {
				continue
			}
			g.Events[r].RF = f
			ok := w.allowed()
			g.Events[r].RF = before
			if ok {
				undo()
				return r
			}
		}
		undo()
	}
	return graph.Init
}

// allowed reports whether the graph, which is complete, is consistent.
func (w *worker) allowed() bool {
	if !w.depModel.Check(w.g) {
		return false
	}
	if w.final == nil {
		return true
	}
	ok, err := w.final.Complete(w.g, &w.stop.Bool)
	if err != nil {
		w.stop.GiveUp(err.Error())
	}
	return ok
}

// realised calls f in the graph with its holes filled, if that can be: with events that are not there yet though later ones of their thread are,
// an error need not be one of an execution.
func (w *worker) realised(f func()) {
	if w.hasBad() {
		return
	}
	m := w.mark()
	cur := append([]uint32(nil), w.cur...)
	w.quiet = true
	ok := w.fillHoles()
	w.quiet = false
	if ok {
		f()
	}
	w.undo(m)
	copy(w.cur, cur)
}

// fillHoles adds what is missing in some consistent way, and returns false if there is none.
func (w *worker) fillHoles() bool {
	t := w.holeThread()
	if t < 0 {
		return true
	}
	i := w.g.FirstHole(t)
	act := &w.pendingOf(t).act
	switch {
	case act.Kind == machine.Store || w.atWriteHalf(t, i):
		return w.fillWrite(t, i)
	case act.Kind == machine.Load || act.Kind == machine.RMW:
		return w.fillRead(t, i)
	case act.Kind == machine.Choice:
		return w.fillChoice(t, i)
	}
	return w.enabled(t) && w.depSimple(t, i) && w.fillHoles()
}

// holeThread returns a thread that lacks an event before others, or the write of an RMW; -1 if there is none.
func (w *worker) holeThread() int32 {
	g := w.g
	for t, p := range w.cur {
		if p == 0 {
			continue
		}
		if i := g.FirstHole(int32(t)); int(i) < len(g.Threads[t]) || w.pends[p].act.Kind == machine.RMW && w.atWriteHalf(int32(t), i) {
			return int32(t)
		}
	}
	return -1
}

func (w *worker) fillWrite(t, i int32) bool {
	loc, ok := w.locate(t)
	if !ok {
		return false
	}
	first, last := w.depPlaces(t, i, loc)
	for pos := last; pos >= first; pos-- {
		m := w.mark()
		id := w.depNewWrite(t, i, loc)
		w.g.Add(id, pos)
		if w.depConsistent(id) && w.advance(t, i) && w.fillHoles() {
			return true
		}
		w.undo(m)
	}
	return false
}

func (w *worker) fillRead(t, i int32) bool {
	loc, ok := w.locate(t)
	if !ok {
		return false
	}
	for k := len(w.g.Locs[loc].Co) - 1; k >= 0; k-- {
		m := w.mark()
		id := w.depNewRead(t, i, loc, w.g.Locs[loc].Co[k], 0)
		w.g.Add(id, 0)
		if w.depConsistent(id) && w.advance(t, i) && w.fillHoles() {
			return true
		}
		w.undo(m)
	}
	return false
}

func (w *worker) fillChoice(t, i int32) bool {
	for v := range w.pendingOf(t).act.N {
		m := w.mark()
		id := w.depEvent(t, i, graph.Choice, event.NA, -1)
		w.g.Events[id].Val.Lo = uint64(v)
		w.g.Add(id, 0)
		if w.advance(t, i) && w.fillHoles() {
			return true
		}
		w.undo(m)
	}
	return false
}
