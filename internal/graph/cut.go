package graph

// A removal remembers an event that Cut took out, and where it was in co.
type removal struct {
	id  ID
	co  int32
	old ID // what Deleted had at the place of the event
}

// A Cut undoes Graph.Cut.
type Cut struct{ removed, trail, slot int }

// Cut removes the read at place slot of the trail and the events added after it that are not in
// the view keep, in which own events of thread t count up to n. saved receives the trail's tail.
// A thread stays where it is created by an event that stays, even if nothing that it does is kept.
// The place of the read in the trail stays free, for AddAt.
func (g *Graph) Cut(slot int, keep View, t, n int32, saved *[]ID) Cut {
	r := &g.Events[g.Trail[slot]]
	c := Cut{removed: len(g.removed), trail: len(*saved), slot: slot}
	g.Low = min(g.Low, slot)
	count := func(u int32) int32 {
		if u == t {
			return n
		}
		return g.Count(keep, u)
	}
	for u := range g.Threads {
		k := count(int32(u))
		if evs := g.Threads[u]; k == 0 && len(evs) > 0 {
			if create := &g.Events[g.Events[evs[0]].RF]; create.Index < count(create.Thread) {
				k = 1
			}
		}
		for evs := g.Threads[u]; len(evs) > 0; evs = g.Threads[u] {
			id := evs[len(evs)-1]
			e := &g.Events[id]
			if e.Stamp < r.Stamp || e.Index < k {
				break
			}
			g.removed = append(g.removed, removal{id: id, co: e.Co})
			g.unlink(id)
		}
	}
	tail := g.Trail[slot:]
	*saved = append(*saved, tail...)
	kept := slot + 1
	for _, id := range tail[1:] {
		e := &g.Events[id]
		if evs := g.Threads[e.Thread]; int(e.Index) < len(evs) && evs[e.Index] == id {
			g.Trail[kept] = id
			kept++
		}
	}
	g.Trail = g.Trail[:kept]
	return c
}

// CutTo removes the event at place slot of the trail and those after it that keep does not want.
// The place in the trail stays free, for AddAt.
func (g *Graph) CutTo(slot int, keep func(ID) bool, saved *[]ID) Cut {
	c := Cut{removed: len(g.removed), trail: len(*saved), slot: slot}
	g.Low = min(g.Low, slot)
	tail := g.Trail[slot:]
	*saved = append(*saved, tail...)
	kept := len(tail)
	for i := len(tail) - 1; i >= 0; i-- {
		id := tail[i]
		if i > 0 && keep(id) {
			kept--
			tail[kept] = id
			continue
		}
		g.removed = append(g.removed, removal{id, g.Events[id].Co, g.leave(id)})
		g.unlink(id)
	}
	n := copy(g.Trail[slot+1:], tail[kept:])
	g.Trail[slot] = (*saved)[c.trail]
	g.Trail = g.Trail[:slot+1+n]
	return c
}

// leave makes id the event that was deleted from its place, and returns the one before.
func (g *Graph) leave(id ID) ID {
	e := &g.Events[id]
	t := g.Deleted[e.Thread]
	for len(t) <= int(e.Index) {
		t = append(t, Hole)
	}
	g.Deleted[e.Thread] = t
	old := t[e.Index]
	t[e.Index] = id
	return old
}

// Removed calls f with the events that c took out, the earliest of each thread last.
func (g *Graph) Removed(c Cut, f func(*Event)) {
	for _, r := range g.removed[c.removed:] {
		f(&g.Events[r.id])
	}
}

// Restore undoes c. Events added since must have been removed.
func (g *Graph) Restore(c Cut, saved *[]ID) {
	g.Trail = append(g.Trail[:c.slot], (*saved)[c.trail:]...)
	g.Low = min(g.Low, c.slot)
	*saved = (*saved)[:c.trail]
	for i := len(g.removed) - 1; i >= c.removed; i-- {
		r := g.removed[i]
		g.link(r.id, r.co)
		if e := &g.Events[r.id]; int(e.Index) < len(g.Deleted[e.Thread]) {
			g.Deleted[e.Thread][e.Index] = r.old
		}
	}
	g.removed = g.removed[:c.removed]
}
