package explore

import (
	"fmt"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/graph"
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

// findErrors looks for such errors in the graph, in which no thread can move. It returns true if there is one.
func (d *tracker) findErrors() bool {
	if d.traits.Races.Pairs != nil && d.opts.RaceCheck && d.findRace() {
		return true
	}
	return d.opts.MemoryCheck && (d.findFreed() || d.findEnded())
}

// findEnded reports an access of a variable of another thread that may come after the end of that thread, if there is one.
// The end counts as a release write to the variable: what its thread did before is ordered before it.
func (d *tracker) findEnded() bool {
	g := d.g
	for owner, locs := range d.visits.of {
		if owner >= len(g.Threads) || len(g.Threads[owner]) == 0 || g.Events[g.Last(int32(owner))].Kind != graph.End {
			continue
		}
		end := g.Last(int32(owner))
		for _, loc := range locs {
			if obj := d.object[loc]; obj >= 0 && (g.Locs[obj].Alloc == graph.None || g.Locs[obj].Free != graph.None) || !d.othersAccess(end, loc) {
				continue
			}
			other := graph.None
			if d.traits.Races.Pairs != nil {
				other = d.racesWithFree(end, loc, event.Rel)
			}
			if other == graph.None {
				other = d.followsFree(end, loc, event.Rel)
			}
			if other != graph.None {
				d.failEvent(other, memoryError(fmt.Sprintf("use of %s of a thread that may have ended", d.visited(loc))), d.visitRelated(loc, related{id: end, what: "the thread ends here"})...)
				return true
			}
		}
	}
	return false
}

// findRace reports a data race, if there is one.
func (d *tracker) findRace() bool {
	if d.onRace == nil { // once: it escapes
		d.onRace = func(a, b graph.ID) bool {
			if a == graph.None || b == graph.None {
				return true
			}
			d.race(b, a)
			d.hasRace = true
			return false
		}
	}
	d.hasRace = false
	d.traits.Races.Pairs(d.g, d.onRace)
	return d.hasRace
}

// findFreed reports an access that may come after the object was freed, if there is one.
func (d *tracker) findFreed() bool {
	g := d.g
	if g.Frees == 0 {
		return false
	}
	for obj, locs := range d.parts {
		f := g.Locs[obj].Free
		if f == graph.None {
			continue
		}
		for _, loc := range locs {
			if !d.othersAccess(f, loc) {
				continue
			}
			var other graph.ID
			if d.traits.Races.Pairs != nil {
				other = d.racesWithFree(f, loc, event.NA)
			} else {
				other = d.followsFree(f, loc, event.Rlx)
			}
			if other != graph.None {
				d.failFreed(f, other)
				return true
			}
		}
	}
	return false
}

// failFreed reports that the access other may come after the event f, which frees its object.
func (d *tracker) failFreed(f, other graph.ID) {
	e := &d.g.Events[f]
	if e.Flags&graph.OnStack != 0 {
		alloc := d.g.Locs[e.Loc].Alloc
		d.failEvent(other, memoryError(fmt.Sprintf("use of %s, whose lifetime may have ended", d.nameOf(&d.g.Events[alloc]))), related{id: f, what: "its lifetime ends here"}, d.origin(alloc))
		return
	}
	d.failEvent(f, memoryError(engine.StillAccessed), related{id: other, what: "the access"})
}

// othersAccess reports whether loc has an access of another thread than that of the event f that is not ordered before f by the creation or the
// join of a thread.
func (d *tracker) othersAccess(f graph.ID, loc int32) bool {
	g := d.g
	e := &g.Events[f]
	for t, last := range g.Locs[loc].Last {
		if int32(t) == e.Thread || last.Read == graph.None && last.Write == graph.None || d.joined(e, int32(t)) {
			continue
		}
		before := d.doneBefore(int32(t), e.Thread)
		for _, id := range [...]graph.ID{last.Read, last.Write} {
			if id != graph.Hole && g.Events[id].Index >= before {
				return true
			}
		}
	}
	return false
}

// doneBefore returns how many events of thread t come before the start of thread u: t created u, or a thread that led to its creation.
func (d *tracker) doneBefore(t, u int32) int32 {
	g := d.g
	for u != 0 && len(g.Threads[u]) > 0 && g.Threads[u][0] != graph.Hole {
		create := &g.Events[g.Events[g.Threads[u][0]].RF]
		if create.Thread == t {
			return create.Index
		}
		u = create.Thread
	}
	return 0
}

// joined reports whether the thread of e has joined thread t before e, by itself.
func (d *tracker) joined(e *graph.Event, t int32) bool {
	return d.joinedIn(d.g.Threads[e.Thread][:e.Index], t)
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

// racesWithFree returns an access of loc that races with f as a write of a mode, None if there is none.
func (d *tracker) racesWithFree(f graph.ID, loc int32, mode event.Mode) (other graph.ID) {
	undo := d.g.Become(f, mode, loc, int32(len(d.g.Locs[loc].Co)))
	defer undo()
	d.traits.Races.Pairs(d.g, func(a, b graph.ID) bool {
		switch {
		case f == a:
			other = b
		case f == b:
			other = a
		}
		return other == graph.None
	})
	return other
}

// followsFree returns an access of loc that can come after f as a write of a mode, None if there is none: one of the
// writes after the place of f in co, or the last read of a thread, if it can read from f. What happens before f comes before it: that leaves few places, and most often no read.
func (d *tracker) followsFree(f graph.ID, loc int32, mode event.Mode) graph.ID {
	g := d.g
	thread := g.Events[f].Thread
	least, before := int32(0), graph.View(0)
	if d.cyclic == nil { // else there are no views
		least, before = g.MinCo(loc, &g.Events[f]), g.Events[f].HB
	}
	for pos := least + 1; pos <= int32(len(g.Locs[loc].Co)); pos++ {
		co := g.Locs[loc].Co
		last := co[pos-1]
		after := graph.None
		if int(pos) < len(co) {
			after = co[pos]
		}
		undo := g.Become(f, mode, loc, pos)
		if after != graph.None && g.Events[after].Thread != thread && d.allowed() {
			undo()
			return after
		}
		for t := range g.Locs[loc].Last {
			r := g.Locs[loc].Last[t].Read
			if r == graph.None || int32(t) == thread || g.Events[r].RF != last || g.Events[r].Flags&graph.RMWPart != 0 || g.Events[r].Index < g.Count(before, int32(t)) {
				continue
			}
			g.Events[r].RF = f
			ok := d.allowed()
			g.Events[r].RF = last
			if ok {
				undo()
				return r
			}
		}
		undo()
	}
	return graph.None
}

// allowed reports whether the graph, which is complete, is consistent.
func (d *tracker) allowed() bool {
	if !d.model.Check(d.g) {
		return false
	}
	if d.late == nil {
		return true
	}
	ok, err := d.late.model.Complete(d.g, &d.stop.Bool)
	if err != nil {
		d.stop.GiveUp(err.Error())
	}
	return ok
}
