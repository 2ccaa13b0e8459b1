package graph

// A View is a set of events closed under po: for each thread, how many of its first events are
// in it. It is an offset into the graph's arena; 0 is the empty view. Views never change.
type View uint32

// Count returns how many events of thread t are in v.
func (g *Graph) Count(v View, t int32) int32 { return int32(g.views[int(v)+int(t)]) }

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
	va, vb := g.views[a:][:g.stride], g.views[b:][:g.stride]
	bigger := t != own && int32(va[t]) < n
	if !bigger && a != b {
		for i, x := range vb {
			if x > va[i] && int32(i) != own {
				bigger = true
				break
			}
		}
	}
	if !bigger {
		return a
	}
	if int32(vb[t]) >= n || t == own {
		smaller := false
		for i, x := range va {
			if x > vb[i] && int32(i) != own {
				smaller = true
				break
			}
		}
		if !smaller {
			return b
		}
	}
	v := View(len(g.views))
	g.views = append(g.views, va...)
	r := g.views[v:][:g.stride]
	for i, x := range g.views[b:][:g.stride] {
		if x > r[i] {
			r[i] = x
		}
	}
	if int32(r[t]) < n {
		r[t] = uint32(n)
	}
	return v
}

// JoinEvent returns v ∪ view ∪ {events of e's thread up to e}, for a thread own ≠ e.Thread
// that learns of e.
func (g *Graph) JoinEvent(v, view View, e *Event, own int32) View {
	return g.Join(v, view, e.Thread, e.Index+1, own)
}

// With returns v with the first n events of thread t added.
func (g *Graph) With(v View, t, n int32) View { return g.Join(v, v, t, n, NoThread) }
