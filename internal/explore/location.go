package explore

import (
	"fmt"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Locations are pairs of an address and a size. Accesses of different sizes that overlap have the program explored again, with a finer layout.

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

// locOfNext is locOf of the access that t is at. Where no block was allocated again, the location of an address stays the same.
func (w *worker) locOfNext(t int32) int32 {
	p := w.pendingOf(t)
	if w.g.Reused > 0 || w.shifts {
		return w.locOf(t, &p.act)
	}
	if p.loc == 0 {
		p.loc = w.locOf(t, &p.act) + 1
	}
	return p.loc - 1
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
	if act.Part && w.builds {
		w.notExplored(fmt.Sprintf("a plain store goes to a part of %d bytes that are also accessed as a whole, and plain accesses race: under %s a read may see a write that comes after it (load buffering), and such executions are not explored",
			act.Size, w.m.Name()))
		return 0, false
	}
	loc := w.locOfNext(t)
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
// write is a race. Where races are not errors, there must not be another thread that could write.
func (w *worker) completePart(t, loc int32, act *machine.Action) (event.Value, bool) {
	g := w.g
	l := &g.Locs[loc]
	rest := w.initialValue(loc)
	view := w.m.RaceView(&g.Events[g.Last(t)])
	for u := range g.Threads {
		if end := w.ended(uint64(u)); !w.races && int32(u) != t && len(g.Threads[u]) > 0 && (end == graph.None || g.Events[end].Index >= g.Count(view, int32(u))) {
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

// refine makes the layout finer, such that the access act of location loc and those of other can be taken apart, and has the program explored again. It
// returns false if that is not possible.
func (w *worker) refine(loc, other int32, act *machine.Action) bool {
	a, b := &w.g.Locs[loc], &w.g.Locs[other]
	w.mu.Lock()
	defer w.mu.Unlock()
	layout := w.layout.Clone()
	site := w.siteOf(a.Addr)
	onlyPlainReads := b.NA == b.Reads && len(b.Co) == 1
	switch {
	case b.Size > a.Size && !allPlain(b) && act.Mode == event.NA && layout.AddWhole(b.Addr.Visible(), b.Size, site): // a plain access takes its part of the atomic whole
	case a.Size > b.Size && act.Mode != event.NA && allPlain(b) && layout.AddWhole(a.Addr.Visible(), a.Size, site):
	case a.Size > b.Size && act.Mode != event.NA && onlyPlainReads:
		layout.Add(a.Addr.Visible(), a.Size, site)
	default:
		layout.Add(a.Addr.Visible(), a.Size, site)
		layout.Add(b.Addr.Visible(), b.Size, site)
		if a.Size > b.Size && act.Mode == event.NA {
			w.refineObject(layout, other)
		}
	}
	return w.useLayout(layout, a.Addr)
}

// siteOf returns the site of the object that addr is in, or of the first of those that have had its block; 0 if it is always at this address.
func (w *worker) siteOf(addr event.Addr) uint32 {
	obj, ok := w.g.Find(w.base(addr.Visible()), 0)
	if !ok || w.g.Locs[obj].Alloc == graph.None {
		return 0
	}
	return w.pends[w.g.Events[w.g.Locs[obj].Alloc].Pend].act.Site
}

// allPlain reports whether all accesses of the location are plain.
func allPlain(l *graph.Loc) bool { return int(l.NA) == int(l.Reads)+len(l.Co)-1 }

// refineObject adds the locations of the object of loc that have its size: what copies or clears one element of an array is
// likely to go on with the next, and each time the program is explored again.
func (w *worker) refineObject(layout *machine.Layout, loc int32) {
	like := &w.g.Locs[loc]
	first, _ := w.prog.Object(like.Addr.Visible())
	for i := range w.g.Locs {
		l := &w.g.Locs[i]
		if l.Size != like.Size || l.Empty() || !allPlain(l) || w.object[i] != w.object[loc] {
			continue
		}
		if w.object[loc] < 0 {
			if g, _ := w.prog.Object(l.Addr.Visible()); g != first {
				continue
			}
		}
		layout.Add(l.Addr.Visible(), l.Size, w.siteOf(l.Addr))
	}
}

// useLayout has the program explored again with a layout that is finer at addr. It returns false if it is not finer.
func (r *run) useLayout(layout *machine.Layout, addr event.Addr) bool {
	if slices.Equal(layout.Granules(), r.layout.Granules()) {
		return false
	}
	r.layout = layout
	if addr.Incarnation() > 0 {
		r.recut = append(slices.Clip(r.recut), addr.Visible())
	}
	r.again = true
	r.stop.Store(true)
	return true
}
