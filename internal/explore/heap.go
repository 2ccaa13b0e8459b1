package explore

import (
	"fmt"
	"slices"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// heap knows which locations belong to which allocated object. It only grows: whether an object
// exists is in the graph.
type heap struct {
	object  []int32                   // by location: the location that stands for its object, -1 if static
	parts   map[int32][]int32         // by object: its locations
	bigSlot map[event.Addr]event.Addr // of objects larger than a slot: slot → first slot
	slots   map[event.Addr]int        // of objects larger than a slot: first slot → how many it has
	shifts  bool                      // an object has more slots in some executions than in others: so those after it begin elsewhere
	visits  visits

	// Scratch of findStale.
	words       []uint64
	overwritten []uint32 // by location: the search that has come to a write there
	epoch       uint32
}

// addToObject registers the new location loc.
func (w *worker) addToObject(loc int32, addr event.Addr, static bool) {
	for int(loc) >= len(w.object) {
		w.object = append(w.object, -1)
	}
	if static {
		return
	}
	obj := w.objectAt(addr)
	w.object[loc] = obj
	if w.parts == nil {
		w.parts = map[int32][]int32{}
	}
	w.parts[obj] = append(w.parts[obj], loc)
}

// moveToObject gives loc, at addr, to the object that it is in now.
func (w *worker) moveToObject(loc int32, addr event.Addr) {
	old, obj := w.object[loc], w.objectAt(addr)
	if obj == old {
		return
	}
	w.object[loc] = obj
	w.parts[old] = slices.DeleteFunc(w.parts[old], func(l int32) bool { return l == loc })
	w.parts[obj] = append(w.parts[obj], loc)
}

// base returns the first address of the object that addr is in, if there is one.
func (w *worker) base(addr event.Addr) event.Addr {
	slot := addr.Visible().Base()
	if first, ok := w.bigSlot[slot]; ok && (!w.shifts || w.reaches(first.Incarnate(addr.Incarnation()), slot)) {
		slot = first
	}
	return slot.Incarnate(addr.Incarnation())
}

// reaches reports whether the object that begins at first, in the present graph, has the given slot.
func (w *worker) reaches(first, slot event.Addr) bool {
	obj, _ := w.g.Loc(first, 0)
	alloc := w.g.Locs[obj].Alloc
	space := slot.Space()
	return alloc != graph.None && uint64(slot-first.Visible()) < uint64(space.Slots(w.g.Events[alloc].Val.Lo))*uint64(space.SlotSize())
}

// objectAt returns the location that stands for the object at addr.
func (w *worker) objectAt(addr event.Addr) int32 {
	obj, _ := w.g.Loc(w.base(addr), 0)
	for int(obj) >= len(w.object) {
		w.object = append(w.object, -1)
	}
	return obj
}

// objectOf returns the location that stands for the object that act allocates.
func (w *worker) objectOf(act *machine.Action) int32 {
	n := act.Addr.Space().Slots(act.Val.Lo)
	if old, ok := w.slots[act.Addr]; ok && old != n || !ok && n > 1 && w.wasObject(act.Addr) || n == 1 && w.bigSlot[act.Addr] != 0 {
		w.shifts = true
	}
	if n > 1 && w.slots == nil {
		w.slots = map[event.Addr]int{}
		w.bigSlot = map[event.Addr]event.Addr{}
	}
	if n > 1 {
		w.slots[act.Addr] = n
	}
	for i := 1; i < n; i++ {
		w.bigSlot[act.Addr+event.Addr(i)*event.Addr(act.Addr.Space().SlotSize())] = act.Addr
	}
	return w.objectAt(act.Addr)
}

// wasObject reports whether an object has begun at addr before.
func (w *worker) wasObject(addr event.Addr) bool {
	obj, old := w.g.Loc(addr, 0)
	for int(obj) >= len(w.object) {
		w.object = append(w.object, -1)
	}
	return old
}

// allocFlags are the flags of the event of an allocation or deallocation.
func allocFlags(act *machine.Action) (flags uint8) {
	if act.Stack {
		flags |= graph.OnStack
	}
	if act.Zeroed {
		flags |= graph.Zeroed
	}
	return flags
}

// alloc performs an allocation: it branches over the blocks that it may be given.
func (w *worker) alloc(t int32) bool {
	act := &w.pendingOf(t).act
	blocks := w.reusable(t, act)
	if len(blocks) == 0 {
		return w.allocate(t, w.objectOf(act), graph.None)
	}
	for i := -1; i < len(blocks) && !w.stop.Load(); i++ {
		m := w.mark()
		obj, free := int32(0), graph.None
		if i < 0 {
			obj = w.objectOf(&w.pendingOf(t).act)
		} else {
			free = blocks[i]
			old := w.g.Locs[w.g.Events[free].Loc].Addr
			obj = w.objectAt(old.Incarnate(old.Incarnation() + 1))
		}
		if w.allocate(t, obj, free) {
			w.branch(len(blocks) + 1)
		}
		w.undo(m)
	}
	return false
}

// allocate adds the allocation of obj that t is at. If free is not None, obj is the block that free has freed.
func (w *worker) allocate(t, obj int32, free graph.ID) bool {
	act := &w.pendingOf(t).act
	id := w.newEvent(t, graph.Alloc, event.NA, obj)
	e := &w.g.Events[id]
	e.RF = free
	e.Val = act.Val
	e.Flags = allocFlags(act)
	w.m.Views(w.g, id)
	w.g.Add(id, 0)
	return w.resume(t, event.Value{Lo: uint64(w.g.Locs[obj].Addr.Visible())})
}

// freed returns the object that act frees. It returns false if that is an error.
func (w *worker) freed(t int32, act *machine.Action) (int32, bool) {
	g := w.g
	obj := int32(-1)
	if act.Addr.Owner() > 0 {
		obj = w.objectAt(w.incarnate(t, act.Addr))
	}
	if obj < 0 || g.Locs[obj].Alloc == graph.None || g.Locs[obj].Addr.Visible() != act.Addr ||
		act.Stack != (g.Events[g.Locs[obj].Alloc].Flags&graph.OnStack != 0) {
		var others []related
		if obj >= 0 && g.Locs[obj].Alloc != graph.None {
			others = append(others, related{id: g.Locs[obj].Alloc, what: engine.PointsInto})
		}
		w.fail(t, memoryError(engine.NotAllocated), others...)
		return 0, false
	}
	if f := g.Locs[obj].Free; f != graph.None {
		w.fail(t, memoryError(engine.DoubleFree), related{id: f, what: engine.FreedBefore})
		return 0, false
	}
	if act.Kind == machine.Free && w.opts.MemoryCheck {
		a := &g.Events[g.Locs[obj].Alloc]
		from := w.pends[a.Pend].act.Family
		if text := act.Mismatch(from, a.Val.Lo); text != "" {
			w.fail(t, memoryError(text), related{id: g.Locs[obj].Alloc, what: "allocated with `" + from.Allocator() + "` here"})
			return 0, false
		}
	}
	return obj, true
}

// free performs a deallocation. Every access to the object must happen before it.
func (w *worker) free(t int32) bool {
	g := w.g
	act := &w.pendingOf(t).act
	obj, ok := w.freed(t, act)
	if !ok {
		return false
	}
	id := w.newEvent(t, graph.Free, event.NA, obj)
	g.Events[id].Flags = allocFlags(act)
	w.m.Views(g, id)
	g.Add(id, 0)
	if w.opts.MemoryCheck && w.deps == nil {
		if other := w.unorderedAccess(obj, id); other != graph.None {
			text := engine.StillAccessed
			if act.Stack {
				text = fmt.Sprintf("end of %s, which another thread may still access", w.nameOf(&g.Events[g.Locs[obj].Alloc]))
			}
			w.fail(t, memoryError(text), related{id: other, what: "the access"})
			return false
		}
	}
	return w.resume(t, event.Value{})
}

// firstHole stands for the place of a thread's first event that is not there.
const firstHole = -1

// answered lets thread t go on from where it asks something that is not an event, so that it is never left at such an action: the size of an
// object, the number of the thread that it creates next, whether it went round. place is that of its next event. It returns false if there
// is no such object or no room for the thread.
func (w *worker) answered(t, place int32) bool {
	for {
		switch act := &w.pendingOf(t).act; act.Kind {
		case machine.Round:
			w.cur[t] = w.resumed(w.cur[t], event.Value{Lo: w.zeroNetEffect(t, act.N)})
		case machine.Size:
			obj, ok := w.freed(t, act)
			if !ok {
				return false
			}
			w.cur[t] = w.resumed(w.cur[t], w.g.Events[w.g.Locs[obj].Alloc].Val)
		case machine.Next:
			if place == firstHole {
				place = w.g.FirstHole(t)
			}
			child, ok := w.threadOf(t, w.creations(t, place))
			if !ok {
				return false
			}
			w.cur[t] = w.resumed(w.cur[t], event.Value{Lo: uint64(child)})
		default:
			return true
		}
	}
}

// unorderedAccess returns an access of the object that does not happen before the Free event id, or a write that need not have taken effect by then.
func (w *worker) unorderedAccess(obj int32, id graph.ID) graph.ID {
	for _, loc := range w.parts[obj] {
		if other := w.unorderedWith(loc, id); other != graph.None {
			return other
		}
	}
	return graph.None
}

// unorderedWith is unorderedAccess for one location, and an event that ends it. A variable on the stack may end while another thread still looks at
// it in the library, on its way out of pthread_barrier_wait.
func (w *worker) unorderedWith(loc int32, id graph.ID) graph.ID {
	g := w.g
	f := &g.Events[id]
	view := w.m.RaceView(f)
	onStack := f.Kind == graph.End || f.Flags&graph.OnStack != 0
	for t, last := range g.Locs[loc].Last {
		if int32(t) == f.Thread {
			continue
		}
		for _, a := range [2]graph.ID{last.Read, last.Write} {
			if a != graph.None && g.Events[a].Index >= g.Count(view, int32(t)) && !(onStack && w.pends[g.Events[a].Pend].act.Private) {
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

// validVisit checks that thread t may access loc, which belongs to another thread.
func (w *worker) validVisit(t, owner, loc int32) bool {
	g := w.g
	obj := w.object[loc]
	if !w.opts.MemoryCheck || obj >= 0 && g.Events[g.Locs[obj].Alloc].Flags&graph.OnStack == 0 {
		return true
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
