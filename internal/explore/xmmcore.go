package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// load makes the graph of w, which is empty, the core s. Its events are never deleted or re-directed: they are in the
// prefix of every event.
func (w *worker) load(s *sketch) {
	w.begin()
	ids := make([]graph.ID, len(s.evs))
	for again := true; again; {
		again = false
		for t := range s.first[1:] {
			for w.replay(s, int32(t), ids) {
				again = true
			}
		}
	}
	w.link(s, ids)
	w.settleViews()
}

// replay performs the next action of thread t as s has it. It returns false if s has none, or the thread waits for another one.
func (w *worker) replay(s *sketch, t int32, ids []graph.ID) bool {
	g := w.g
	n := int32(len(g.Threads[t]))
	at := s.first[t] + n
	if n == 0 || at >= s.first[t+1] || w.cur[t] == 0 {
		return false
	}
	e := &s.evs[at]
	act := w.pendingOf(t).act
	switch act.Kind {
	case machine.Load, machine.RMW:
		loc := w.access(&act)
		flags := uint8(0)
		if e.spurious {
			flags = graph.Spurious
		}
		ids[at] = w.readNowhere(t, loc, e.val, flags)
		g.Add(ids[at], 0)
		if g.Events[ids[at]].Flags&graph.RMWPart != 0 {
			wr := write{thread: t, loc: loc, val: w.rmwValue(t, e.val), mode: act.Mode, flags: graph.RMWPart}
			ids[at+1] = w.newWrite(wr)
			g.Add(ids[at+1], int32(len(g.Locs[loc].Co)))
		}
		w.cur[t] = w.resumedAfter(w.cur[t], &g.Events[ids[at]], e.val)
	case machine.Store:
		loc := w.access(&act)
		ids[at] = w.newWrite(write{thread: t, loc: loc, val: act.Val, mode: act.Mode})
		g.Add(ids[at], int32(len(g.Locs[loc].Co)))
		w.cur[t] = w.resumed(w.cur[t], event.Value{})
	case machine.Choice:
		id := w.simple(t, graph.Choice, event.NA)
		g.Events[id].Val = e.val
		w.cur[t] = w.resumed(w.cur[t], e.val)
	case machine.Free:
		id := g.NewEvent(t, graph.Free, event.NA, w.objectAt(act.Addr))
		g.Events[id].Pend, g.Events[id].Flags = w.cur[t], allocFlags(&act)
		g.Add(id, 0)
		w.cur[t] = w.resumed(w.cur[t], event.Value{})
	case machine.Join:
		if w.ended(act.Val.Lo) == graph.Init {
			return false
		}
		w.step(t)
	default:
		w.step(t)
	}
	w.answered(t, firstHole)
	return true
}

// access returns the location of an access, without checking it.
func (w *worker) access(act *machine.Action) int32 {
	loc, old := w.g.Loc(act.Addr, act.Size)
	if !old {
		v, static := w.prog.InitialValue(act.Addr, act.Size)
		w.g.Locs[loc].Init = v
		w.addToObject(loc, act.Addr, static)
	}
	return loc
}

// readNowhere makes the read that t is at, with value v, from a write that is not there yet; flags may have Spurious.
func (w *worker) readNowhere(t, loc int32, v event.Value, flags uint8) graph.ID {
	g := w.g
	act := &w.pendingOf(t).act
	mode := act.Mode
	if act.Kind == machine.RMW {
		flags |= graph.Locked
		if flags&graph.Spurious == 0 && succeeds(act, v) {
			flags |= graph.RMWPart
		} else {
			mode = act.Fail
		}
	}
	id := g.NewEvent(t, graph.Read, mode, loc)
	e := &g.Events[id]
	e.Flags, e.Pend, e.Val = flags, w.cur[t], v
	return id
}

// link gives the reads of a loaded core what they read, and the writes their places in co.
func (w *worker) link(s *sketch, ids []graph.ID) {
	g := w.g
	for i := range s.evs {
		if e := &s.evs[i]; e.kind == graph.Read && e.src != none {
			g.Events[ids[i]].RF = ids[e.src]
		}
	}
	for _, ws := range s.writes() {
		co := g.Locs[g.Events[ids[ws[0]]].Loc].Co
		for i, x := range ws {
			co[i+1] = ids[x]
			g.Events[ids[x]].Co = int32(i + 1)
		}
	}
}

// settleViews computes the views of all events of the graph, where po ∪ rf may have cycles: their least fixpoint.
func (w *worker) settleViews() {
	g := w.g
	all := graph.View(0)
	for t, evs := range g.Threads {
		all = g.With(all, int32(t), int32(len(evs)))
	}
	for again := true; again; {
		again = false
		for _, id := range g.Trail {
			e := &g.Events[id]
			old := *e
			pred := &g.Events[graph.Init]
			if e.Index > 0 {
				pred = &g.Events[g.Threads[e.Thread][e.Index-1]]
			}
			e.HB, e.Acq, e.FenceR, e.Rel = pred.HB, pred.Acq, pred.FenceR, 0
			e.Prefix = all
			w.m.Views(g, id)
			e = &g.Events[id]
			for _, v := range [...][2]graph.View{{old.HB, e.HB}, {old.Acq, e.Acq}, {old.FenceR, e.FenceR}, {old.Rel, e.Rel}} {
				again = again || !w.sameView(v[0], v[1])
			}
		}
	}
}

func (w *worker) sameView(a, b graph.View) bool {
	if a == b {
		return true
	}
	for t := range w.g.Threads {
		if w.g.Count(a, int32(t)) != w.g.Count(b, int32(t)) {
			return false
		}
	}
	return true
}

// coreIsRight looks for errors in a core that has just been loaded. It returns false if there is one, or its extensions need not be explored.
func (w *worker) coreIsRight() bool {
	for t := range w.cur {
		if w.cur[t] != 0 && !w.arrived(int32(t)) {
			return false
		}
	}
	g := w.g
	for _, id := range g.Trail {
		e := &g.Events[id]
		if e.Kind != graph.Read && e.Kind != graph.Write {
			continue
		}
		if obj := w.object[e.Loc]; obj >= 0 && w.opts.MemoryCheck {
			if free := g.Locs[obj].Free; free != graph.Init && !g.InHB(id, &g.Events[free]) {
				w.failEvent(id, memoryError("use after free"), related{id: free, what: "freed here"})
				return false
			}
		}
		if g.Locs[e.Loc].NA > 0 && w.opts.RaceCheck && !w.raceFreeInCore(id) {
			return false
		}
	}
	return true
}

// raceFreeInCore checks the access id for races with those that come after it in the trail.
func (w *worker) raceFreeInCore(id graph.ID) bool {
	g := w.g
	e := &g.Events[id]
	for _, other := range g.Trail {
		o := &g.Events[other]
		if o.Stamp <= e.Stamp || o.Loc != e.Loc || o.Thread == e.Thread || o.Kind != graph.Read && o.Kind != graph.Write {
			continue
		}
		if (o.Kind == graph.Write || e.Kind == graph.Write) && (o.Mode == event.NA || e.Mode == event.NA) && !g.InHB(id, o) && !g.InHB(other, e) {
			return w.race(other, id)
		}
	}
	return true
}
