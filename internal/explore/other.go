package explore

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// create starts a thread.
func (w *worker) create(t int32) bool {
	g := w.g
	act := w.pendingOf(t).act
	nth := w.creations(t, int32(len(g.Threads[t])))
	child, ok := w.threadOf(t, nth)
	if !ok {
		return false
	}
	c := w.simple(t, graph.Create, event.NA)
	g.Events[c].Val = event.Value{Lo: uint64(child), Hi: uint64(nth)}
	s := g.NewEvent(child, graph.Start, event.NA, -1)
	e := &g.Events[s]
	e.RF = c
	e.Val = act.Val
	e.Prefix = g.JoinEvent(e.Prefix, g.Events[c].Prefix, &g.Events[c], child)
	if w.deps != nil {
		w.deps.learn(e, c)
	}
	w.m.Views(g, s)
	g.Add(s, 0)
	if !w.resume(t, event.Value{Lo: uint64(child)}) {
		return false
	}
	p := w.newPending()
	w.pends[p].state = w.prog.Start(&w.arena, int(child), act.Addr, act.Val, &w.pends[p].act)
	w.cur[child] = p
	return w.arrived(child)
}

// creations returns how many threads t has created before place i.
func (w *worker) creations(t, i int32) int {
	evs := w.g.Threads[t]
	for i--; i >= 0; i-- {
		if e := &w.g.Events[evs[i]]; e.Kind == graph.Create {
			return int(e.Val.Hi) + 1
		}
	}
	return 0
}

// join waits for the end of a thread.
func (w *worker) join(t int32) bool {
	g := w.g
	end := w.ended(w.pendingOf(t).act.Val.Lo)
	if g.Events[end].Co > 0 {
		w.fail(t, &machine.Error{Kind: machine.CallError, Message: "this thread was joined before"}, w.joins(end)...)
		return false
	}
	j := w.newEvent(t, graph.Join, event.NA, -1)
	e, src := &g.Events[j], &g.Events[end]
	e.RF = end
	e.Val = src.Val
	e.Prefix = g.JoinEvent(e.Prefix, src.Prefix, src, t)
	if w.deps != nil {
		w.deps.learn(e, end)
	}
	w.m.Views(g, j)
	g.Add(j, 0)
	return w.resume(t, e.Val)
}

// joins returns the events that joined the thread of the End event end.
func (w *worker) joins(end graph.ID) []related {
	var others []related
	for _, id := range w.g.Trail {
		if e := &w.g.Events[id]; e.Kind == graph.Join && e.RF == end {
			others = append(others, related{id: id, what: "joined here"})
		}
	}
	return others
}

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

// locOf returns the location of the access act of thread t.
func (w *worker) locOf(t int32, act *machine.Action) int32 {
	addr := act.Addr
	if w.g.Reused > 0 {
		addr = w.incarnate(t, addr)
	}
	loc, old := w.g.Loc(addr, act.Size)
	if !old {
		v, static := w.prog.InitialValue(act.Addr, act.Size)
		w.g.Locs[loc].Init = v
		w.addToObject(loc, addr, static)
	} else if w.shifts && w.object[loc] >= 0 {
		w.moveToObject(loc, addr)
	}
	return loc
}

// locate returns the location of the access that t is at. It returns false if the access is an error.
func (w *worker) locate(t int32) (int32, bool) {
	g := w.g
	act := &w.pendingOf(t).act
	if act.Part && (w.cyclic != nil || w.traits.Reexecutes) {
		w.fail(t, &machine.Error{
			Kind:    machine.Unsupported,
			Message: fmt.Sprintf("a plain store to a part of %d bytes that are also accessed as a whole: under a model with load buffering that is not supported", act.Size),
		})
		return 0, false
	}
	loc := w.locOf(t, act)
	l := &g.Locs[loc]
	if obj := w.object[loc]; obj >= 0 && !w.validAccess(t, obj, act) {
		return 0, false
	}
	if owner := int32(act.Addr.Owner()) - 1; owner >= 0 && owner != t && !w.validVisit(t, owner, loc) {
		return 0, false
	}
	if act.Mode == event.NA && len(w.floors) > 0 {
		w.plainAccess(loc)
	}
	if l.Rival != nil {
		if r := g.Overlap(loc); r >= 0 {
			if !w.refine(loc, r, act) && !w.keepApart(t, act.Addr) {
				w.fail(t, mixed(act, g.Locs[r].Size))
			}
			return 0, false
		}
	}
	return loc, true
}

// completePart returns what a plain store to a part of loc makes of it: the rest is that of the last write that happens before it. Any other
// write is a race. Where races are no errors there must not be another thread that could write.
func (w *worker) completePart(t, loc int32, act *machine.Action) (event.Value, bool) {
	g := w.g
	l := &g.Locs[loc]
	rest := w.initialValue(loc)
	view := w.m.RaceView(&g.Events[g.Last(t)])
	for u := range g.Threads {
		if end := w.ended(uint64(u)); !w.races && int32(u) != t && len(g.Threads[u]) > 0 && (end == graph.Init || g.Events[end].Index >= g.Count(view, int32(u))) {
			w.fail(t, &machine.Error{
				Kind:    machine.Unsupported,
				Message: fmt.Sprintf("a plain store to a part of %d bytes that are also accessed as a whole, while there are other threads", act.Size),
			})
			return rest, false
		}
	}
	for _, id := range l.Co[1:] {
		if e := &g.Events[id]; e.Thread == t || e.Index < g.Count(view, e.Thread) {
			rest = e.Val
		}
	}
	return event.Value{Lo: act.Val.Lo | rest.Lo&^act.Exp.Lo, Hi: act.Val.Hi | rest.Hi&^act.Exp.Hi}, true
}

// mixed is the error of an access that can't be taken apart.
func mixed(a *machine.Action, size uint8) *machine.Error {
	return &machine.Error{
		Kind:    machine.Unsupported,
		Message: fmt.Sprintf("mixed-size accesses: this access of %d bytes overlaps one of %d bytes", a.Size, size),
	}
}
