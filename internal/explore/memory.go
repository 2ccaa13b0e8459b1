package explore

import (
	"fmt"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Errors in the use of memory.

// unorderedAccess returns an access of the object that does not happen before the Free event id, or a write that need not have taken effect by then.
func (w *worker) unorderedAccess(obj int32, id graph.ID) graph.ID {
	for _, loc := range w.parts[obj] {
		if other := w.unorderedWith(loc, id); other != graph.None {
			return other
		}
	}
	return graph.None
}

// unorderedWith is unorderedAccess for one location, and an event that ends it.
func (w *worker) unorderedWith(loc int32, id graph.ID) graph.ID {
	g := w.g
	f := &g.Events[id]
	view := w.m.RaceView(f)
	for t, last := range g.Locs[loc].Last {
		if int32(t) == f.Thread {
			continue
		}
		for _, a := range [2]graph.ID{last.Read, last.Write} {
			if a != graph.None && g.Events[a].Index >= g.Count(view, int32(t)) {
				return a
			}
		}
		if inEffect := w.traits.InEffect; inEffect != nil && last.Write != graph.None && !inEffect(g, last.Write, id) {
			return last.Write
		}
	}
	return graph.None
}

// visits are the locations on the stacks of threads, and of their thread-local variables, that other threads have accessed in some execution.
// They end with their thread: pthread_exit leaves functions in the middle, with variables that nothing frees.
type visits struct {
	of   [][]int32 // by thread
	seen []bool    // by location
}

// endsWith reports whether loc, which belongs to the thread owner, ends with that thread, and notes that another thread accesses it.
func (w *worker) endsWith(owner, loc int32) bool {
	g := w.g
	obj := w.object[loc]
	if !w.opts.MemoryCheck || obj >= 0 && g.Events[g.Locs[obj].Alloc].Flags&graph.OnStack == 0 {
		return false
	}
	for int(owner) >= len(w.visits.of) {
		w.visits.of = append(w.visits.of, nil)
	}
	for int(loc) >= len(w.visits.seen) {
		w.visits.seen = append(w.visits.seen, false)
	}
	if !w.visits.seen[loc] {
		w.visits.seen[loc] = true
		w.visits.of[owner] = append(w.visits.of[owner], loc)
	}
	return true
}

// validVisit checks that thread t may access loc, which belongs to another thread.
func (w *worker) validVisit(t, owner, loc int32) bool {
	g := w.g
	if !w.endsWith(owner, loc) {
		return true
	}
	if int(owner) >= len(g.Threads) || len(g.Threads[owner]) == 0 {
		return true
	}
	end := g.Last(owner)
	if g.Events[end].Kind != graph.End || w.deps != nil && !w.joinedIn(g.Threads[t], owner) {
		return true
	}
	w.fail(t, memoryError(fmt.Sprintf("use of %s of a thread that has ended", w.visited(loc))), w.visitRelated(loc, related{id: end, what: "the thread ends here"})...)
	return false
}

// endsVisits checks that what others access of thread t, which ends with the event id, happens before its end.
func (w *worker) endsVisits(t int32, id graph.ID) bool {
	w.stirsOwn(t)
	if w.notes && w.opts.MemoryCheck {
		w.endMayBeLate(id, endOf(t))
	}
	if w.disciplines != nil && int(t) < len(w.visits.of) {
		for _, loc := range w.visits.of[t] {
			w.unguard(t, loc)
		}
	}
	if int(t) >= len(w.visits.of) || w.deps != nil {
		return true
	}
	g := w.g
	for _, loc := range w.visits.of[t] {
		if obj := w.object[loc]; obj >= 0 && (g.Locs[obj].Alloc == graph.None || g.Locs[obj].Free != graph.None) {
			continue
		}
		if other := w.unorderedWith(loc, id); other != graph.None {
			w.fail(t, memoryError(fmt.Sprintf("end of a thread with %s that another thread may still access", w.visited(loc))), w.visitRelated(loc, related{id: other, what: "the access"})...)
			return false
		}
	}
	return true
}

// visited names the variable of loc.
func (w *worker) visited(loc int32) string {
	if obj := w.object[loc]; obj >= 0 {
		return w.nameOf(&w.g.Events[w.g.Locs[obj].Alloc])
	}
	if v, _ := w.prog.Object(w.g.Locs[loc].Addr); v != nil {
		return fmt.Sprintf("the thread-local variable `%s`", v.Name)
	}
	return "a thread-local variable"
}

func (w *worker) visitRelated(loc int32, first related) []related {
	if obj := w.object[loc]; obj >= 0 {
		return []related{first, w.origin(w.g.Locs[obj].Alloc)}
	}
	return []related{first}
}

// nameOf names the variable of an Alloc event on the stack.
func (w *worker) nameOf(a *graph.Event) string {
	if v := w.variable(a); v != nil {
		return "`" + v.Name + "`"
	}
	return "a variable"
}

// validAccess checks an access of the allocated object obj.
func (w *worker) validAccess(t, obj int32, act *machine.Action) bool {
	if !w.opts.MemoryCheck {
		return true
	}
	g := w.g
	o := &g.Locs[obj]
	if o.Alloc == graph.None {
		w.fail(t, memoryError(engine.NoObject))
		return false
	}
	a := &g.Events[o.Alloc]
	off := uint64(act.Addr - o.Addr.Visible())
	if off+uint64(act.Size) > a.Val.Lo {
		if off < a.Val.Lo && w.cutAtEnd(t, act.Addr, a.Val.Lo-off) {
			return false
		}
		name := "an object of"
		if v := w.variable(a); v != nil {
			name = fmt.Sprintf("`%s`, which has", v.Name)
		}
		w.fail(t, memoryError(fmt.Sprintf("access of %d bytes at offset %d of %s %d bytes", act.Size, off, name, a.Val.Lo)), w.origin(o.Alloc))
		return false
	}
	if o.Free != graph.None && (w.deps == nil || w.isPast(o.Free, t)) {
		if a.Flags&graph.OnStack != 0 {
			w.fail(t, memoryError(fmt.Sprintf("use of %s, whose lifetime has ended", w.nameOf(a))), related{id: o.Free, what: "its lifetime ends here"}, w.origin(o.Alloc))
			return false
		}
		w.fail(t, memoryError(engine.UseAfterFree), related{id: o.Free, what: engine.FreedHere}, w.origin(o.Alloc))
		return false
	}
	return true
}

// allocated checks that the object of the access id, just added, was allocated before: a pointer that comes through
// relaxed accesses only may point to what is not yet an object. It is asked after raceFree, because an object that is
// published like that and initialised first has a race, which says more.
func (w *worker) allocated(id graph.ID) bool {
	g := w.g
	e := &g.Events[id]
	obj := w.object[e.Loc]
	if obj < 0 || !w.opts.MemoryCheck || w.deps != nil || w.java != nil {
		return true
	}
	alloc := g.Locs[obj].Alloc
	a := &g.Events[alloc]
	if a.Thread == e.Thread || a.Index < g.Count(w.m.RaceView(&g.Events[g.At(e.Thread, e.Index-1)]), a.Thread) {
		return true
	}
	w.failEvent(id, memoryError("access of memory whose allocation does not happen before it"), w.origin(alloc))
	return false
}

// isPast reports whether event id comes before the next one of thread t: it is one of its own, or of a thread that it has joined. An access of
// another thread is looked at when all events are there: see findFreed.
func (w *worker) isPast(id graph.ID, t int32) bool {
	e := &w.g.Events[id]
	return e.Thread == t && e.Index < w.g.FirstHole(t) || w.joinedIn(w.g.Threads[t], e.Thread)
}

// initialValue returns the value of loc before any write: undefined, in an object whose memory does not begin as zeros.
func (w *worker) initialValue(loc int32) event.Value {
	l := &w.g.Locs[loc]
	if w.object[loc] >= 0 && l.Size <= 8 && w.undefined(loc) {
		return event.Undefined(l.Size)
	}
	return l.Init
}

// undefined reports whether loc has no value before it is written.
func (w *worker) undefined(loc int32) bool {
	obj := w.object[loc]
	return obj >= 0 && w.opts.MemoryCheck && w.g.Events[w.g.Locs[obj].Alloc].Flags&graph.Zeroed == 0
}

// initialised checks a read of the initial value of loc, at which thread t is: one of 16 bytes has no room for
// saying that it is undefined.
func (w *worker) initialised(t, loc int32) bool {
	if w.g.Locs[loc].Size <= 8 || !w.undefined(loc) {
		return true
	}
	w.fail(t, machine.Unwritten, w.origin(w.g.Locs[w.object[loc]].Alloc))
	return false
}

// undefinedOrigins tells where the undefined bits come from that thread t uses: what it read last that has some, through
// which writes that came to it, and what object was never written.
func (w *worker) undefinedOrigins(t int32) (list []related) {
	g := w.g
	evs := g.Threads[t]
	for i := len(evs) - 1; i >= 0 && len(list) < 8; i-- {
		e := &g.Events[evs[i]]
		if e.Kind != graph.Read || e.Val.Hi == 0 || g.Locs[e.Loc].Size > 8 {
			continue
		}
		if e.RF == graph.Init {
			if obj := w.object[e.Loc]; obj >= 0 {
				list = append(list, w.origin(g.Locs[obj].Alloc))
			}
			break
		}
		list = append(list, related{id: e.RF, what: "copied here"})
		evs, i = g.Threads[g.Events[e.RF].Thread], int(g.Events[e.RF].Index)
	}
	return list
}

// origin tells where the object of the Alloc event id comes from.
func (w *worker) origin(id graph.ID) related {
	if w.g.Events[id].Flags&graph.OnStack != 0 {
		return related{id: id, what: "declared here"}
	}
	return related{id: id, what: engine.AllocatedHere}
}

func memoryError(msg string) *machine.Error {
	return &machine.Error{Kind: machine.MemoryError, Message: msg}
}
