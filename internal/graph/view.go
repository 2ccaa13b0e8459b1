package graph

import "slices"

// A View is a set of events closed under po: for each thread, how many of its first events are
// in it. It is an offset into the graph's arena; 0 is the empty view. Views never change.
type View uint32

// Count returns how many events of thread t are in v.
func (g *Graph) Count(v View, t int32) int32 { return int32(g.views[int(v)+int(t)]) }

// Counts returns how many events of each thread are in v.
func (g *Graph) Counts(v View) []uint32 { return g.views[int(v) : int(v)+len(g.Threads)] }

// InHB reports whether event id is in hb(e) or is e itself.
func (g *Graph) InHB(id ID, e *Event) bool { return g.within(id, e.HB, e) }

// InPrefix reports whether event id is in prefix(e) or is e itself.
func (g *Graph) InPrefix(id ID, e *Event) bool { return g.within(id, e.Prefix, e) }

// Within reports whether event id is in the view v of e or is e itself.
func (g *Graph) Within(id ID, v View, e *Event) bool { return g.within(id, v, e) }

func (g *Graph) within(id ID, v View, e *Event) bool {
	x := &g.Events[id]
	if x.Thread == e.Thread {
		return x.Index <= e.Index
	}
	if x.Thread == NoThread {
		return true
	}
	return x.Index < g.Count(v, x.Thread)
}

// Join returns the union of a, b, and the first n events of thread t.
// It returns a itself if that has everything already. own is the thread whose component of the
// result does not matter (it is implicit in the events that will have this view).
func (g *Graph) Join(a, b View, t, n, own int32) View {
	if t != own && g.Count(a, t) < n && g.Count(b, t) < n { // as that of most joins of threads
		v := g.union(a, b)
		g.views[int(v)+int(t)] = uint32(n)
		return v
	}
	switch {
	case a == b || b == 0 || g.contains(a, b, own):
		return a
	case a == 0 || g.contains(b, a, own):
		return b
	}
	return g.union(a, b)
}

// contains reports whether b is part of a, but for the component own.
func (g *Graph) contains(a, b View, own int32) bool {
	threads := View(len(g.Threads))
	vb := g.views[b : b+threads]
	for i, x := range g.views[a : a+threads] {
		if vb[i] > x && int32(i) != own {
			return false
		}
	}
	return true
}

// union makes the view of what is in a or b.
func (g *Graph) union(a, b View) View {
	v := g.newView()
	threads := View(len(g.Threads))
	vb, r := g.views[b:b+threads], g.views[v:v+threads]
	for i, x := range g.views[a : a+threads] {
		r[i] = max(x, vb[i])
	}
	return v
}

// newView makes room for a view.
func (g *Graph) newView() View {
	v := len(g.views)
	if v+g.stride > cap(g.views) {
		g.views = slices.Grow(g.views, g.stride)
	}
	g.views = g.views[:v+g.stride]
	return View(v)
}

// JoinEvent returns v ∪ view ∪ {events of e's thread up to e}, for a thread own ≠ e.Thread
// that learns of e.
func (g *Graph) JoinEvent(v, view View, e *Event, own int32) View {
	return g.Join(v, view, e.Thread, e.Index+1, own)
}

// With returns v with the first n events of thread t added.
func (g *Graph) With(v View, t, n int32) View { return g.Join(v, v, t, n, NoThread) }
