package explore

import (
	"cmp"
	"slices"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/graph"
)

// leaks looks for heap objects that are still allocated in the graph, which is complete. It warns of the first that anything finds. With Options.LeakCheck one is an
// error if no pointer leads to it: from a static variable or a thread-local one of main, or from an
// object that pointers lead to. That is what LeakSanitizer calls a leak. A pointer into the middle of an object counts. After a call of exit, variables of
// functions that have not returned could be what points to it: then it is not known.
func (w *worker) leaks(exit bool) {
	g := w.g
	if g.Heap == 0 || w.prog.Managed() || w.leaked.Load() && !w.opts.LeakCheck {
		return
	}
	var objs []leakable
	for _, evs := range g.Threads {
		for _, id := range evs {
			e := &g.Events[id]
			if id == graph.Hole || e.Kind != graph.Alloc || g.Locs[e.Loc].Free != graph.None || e.Flags&graph.OnStack != 0 ||
				w.prog.Keeps(&w.arena, w.pends[e.Pend].state) {
				continue
			}
			objs = append(objs, leakable{alloc: id, base: g.Locs[e.Loc].Addr.Visible(), size: e.Val.Lo})
		}
	}
	if objs == nil {
		return
	}
	slices.SortFunc(objs, func(a, b leakable) int { return cmp.Compare(a.base, b.base) })
	s := leakSearch{worker: w, objs: objs}
	s.fromMemory(isMainsTLS)
	s.follow()
	for i := range objs {
		if !objs[i].reached {
			w.unfreed(objs[i].alloc)
			break
		}
	}
	if !w.opts.LeakCheck {
		return
	}
	if exit {
		w.notExplored(engine.NoLeaksAtExit)
		return
	}
	s.fromMemory(isRoot)
	s.follow()
	for i := range objs {
		if !objs[i].reached {
			w.failEvent(objs[i].alloc, engine.Leak())
			return
		}
	}
}

// leakable is an object of the heap that is still allocated.
type leakable struct {
	alloc   graph.ID
	base    event.Addr
	size    uint64
	reached bool
}

// leakSearch is a search for the objects that pointers lead to.
type leakSearch struct {
	*worker
	objs []leakable // by address
	work []int      // objects that were reached, but not followed yet
}

// isRoot reports whether addr is in a variable that is there when all threads have ended: a static one, or a thread-local one of main.
func isRoot(addr event.Addr) bool {
	return addr.Incarnation() == 0 && (addr.Owner() == 0 || isMainsTLS(addr))
}

func isMainsTLS(addr event.Addr) bool {
	return addr.Incarnation() == 0 && addr.Owner() == 1 && !addr.IsAllocated()
}

// fromMemory looks at the variables that root is true of.
func (s *leakSearch) fromMemory(root func(event.Addr) bool) {
	g := s.g
	var locs []int32
	for loc := range g.Locs {
		l := &g.Locs[loc]
		if l.Size == 0 || len(l.Co) == 1 || !root(l.Addr) {
			continue
		}
		locs = append(locs, int32(loc))
	}
	s.fromLocations(locs)
}

// fromLocations looks at the last values of locations. Those of less than a word may be pieces of one.
func (s *leakSearch) fromLocations(locs []int32) {
	g := s.g
	pieces := map[event.Addr]uint64{}
	for _, loc := range locs {
		l := &g.Locs[loc]
		if len(l.Co) == 1 {
			continue
		}
		v := g.Events[l.Co[len(l.Co)-1]].Val
		if l.Size < 8 {
			pieces[l.Addr&^7] |= v.Lo << (8 * (l.Addr & 7))
			if l.Size == 4 {
				s.reach(v.Lo) // a pointer of 32 bits
			}
			continue
		}
		s.reach(v.Lo)
		if l.Size == 16 {
			s.reach(v.Hi)
		}
	}
	for _, word := range pieces {
		s.reach(word)
	}
}

// reach looks at a word.
func (s *leakSearch) reach(word uint64) {
	a := s.prog.Pointer(word)
	i, found := slices.BinarySearchFunc(s.objs, a, func(o leakable, a event.Addr) int { return cmp.Compare(o.base, a) })
	if !found {
		i--
	}
	if i >= 0 && uint64(a-s.objs[i].base) <= s.objs[i].size && !s.objs[i].reached {
		s.objs[i].reached = true
		s.work = append(s.work, i)
	}
}

// follow looks at what is in the objects that were reached.
func (s *leakSearch) follow() {
	for len(s.work) > 0 {
		i := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		s.fromLocations(s.parts[s.g.Events[s.objs[i].alloc].Loc])
	}
}
