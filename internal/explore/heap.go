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
	return alloc != graph.None && uint64(slot-first.Visible()) < uint64(space.Slots(w.g.Events[alloc].Val.Lo))*space.SlotSize()
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
	blocks, forgotten := w.reusable(t, act)
	if len(blocks) == 0 {
		return w.allocate(t, w.objectOf(act), graph.None, forgotten)
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
		if w.allocate(t, obj, free, forgotten) {
			w.branch(len(blocks) + 1)
		}
		w.undo(m)
	}
	return false
}

// allocate adds the allocation of obj that t is at. If free is not None, obj is the block that free has freed. forgotten says that no freed block is known then (reuse.go).
func (w *worker) allocate(t, obj int32, free graph.ID, forgotten bool) bool {
	act := &w.pendingOf(t).act
	id := w.newEvent(t, graph.Alloc, event.NA, obj)
	e := &w.g.Events[id]
	e.RF = free
	e.Val = act.Val
	e.Flags = allocFlags(act)
	if forgotten && !w.builds && !w.traits.Reexecutes {
		e.Memo = 1
	}
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
	if w.twins != nil {
		w.twins.frees(t, obj)
	}
	id := w.newEvent(t, graph.Free, event.NA, obj)
	g.Events[id].Flags = allocFlags(act)
	w.m.Views(g, id)
	g.Add(id, 0)
	if w.unsettled != nil {
		w.stirsAll(t, obj)
	}
	if w.disciplines != nil {
		for _, loc := range w.parts[obj] {
			w.unguard(t, loc)
		}
	}
	if w.notes && w.opts.MemoryCheck {
		w.endMayBeLate(id, g.Locs[obj].Addr)
	}
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
