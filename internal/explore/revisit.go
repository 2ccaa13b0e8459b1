package explore

import (
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// revisits explores the executions in which reads of the graph read from wr, which is not in the graph yet. It scans the trail from its end: all that a
// revisit deletes must be maximal, and whether an event is maximal does not depend on which read is revisited.
// If taken is not None, it has to be among the deleted events.
// Each of the reads, and each of the others further ways to go on, gets an equal part of the weight.
func (w *worker) revisits(wr *write, taken graph.ID, others int) {
	g := w.g
	pred := &g.Events[g.Last(wr.thread)]
	left := w.candidates(wr, pred)
	if left == 0 {
		return
	}
	part := w.weight / float64(left+others)
	w.weight = part
	left -= w.scan(wr, taken, left)
	w.explored(part * float64(left)) // missing candidates count as explored
	w.weight = part * float64(others)
}

// scan goes through the trail and revisits at most n reads. It returns how many it came to.
func (w *worker) scan(wr *write, taken graph.ID, n int) (seen int) {
	g := w.g
	pred := &g.Events[g.Last(wr.thread)]
	for i := len(g.Trail) - 1; seen < n && i >= 0 && !w.stop.Load(); i-- {
		id := g.Trail[i]
		if w.needed(id, pred) {
			continue
		}
		if !w.maximal(i, wr, pred) {
			return seen
		}
		pred = &g.Events[g.Last(wr.thread)] // the arenas may have moved
		e := &g.Events[id]
		if id == taken {
			taken = graph.None
		}
		if e.Kind == graph.Read && e.Loc == wr.loc {
			seen++
			if taken == graph.None && !w.keeps(i, e) {
				w.revisit(i, wr)
			} else {
				w.explored(w.weight)
			}
			pred = &g.Events[g.Last(wr.thread)]
		}
	}
	return seen
}

// candidates counts the reads of the location that are not in the prefix of wr.
func (w *worker) candidates(wr *write, pred *graph.Event) int {
	g := w.g
	l := &g.Locs[wr.loc]
	if l.Reads == 0 {
		return 0
	}
	n := 0
	for t := range l.Last {
		if int32(t) == wr.thread {
			continue
		}
		known := g.Count(w.needs(pred), int32(t))
		for r := l.Last[t].Read; r != graph.None; r = g.Events[r].Prev {
			if g.Events[r].Index < known {
				break
			}
			n++
		}
	}
	return n
}

// maximal reports whether the event e at place slot of the trail, outside of the prefix of wr, was added maximally: as the exploration would
// add it first, after that prefix. Among the graphs that differ only in e, this one then stands for all. pred is the po-predecessor of wr.
func (w *worker) maximal(slot int, wr *write, pred *graph.Event) bool {
	g := w.g
	e := &g.Events[g.Trail[slot]]
	var m graph.ID
	switch e.Kind {
	case graph.Read:
		if e.Flags&graph.Spurious != 0 {
			return false
		}
		if w.observed {
			return w.observedMaximal(slot, wr)
		}
		m = e.RF
	case graph.Write:
		if e.Flags&graph.Revisitor != 0 || w.observed {
			return e.Flags&graph.Revisitor == 0
		}
		m = g.Threads[e.Thread][e.Index]
	case graph.Choice:
		return e.Val.Lo == 0
	case graph.Alloc:
		return e.RF == graph.None // a new block can always be had
	default:
		return true
	}
	for _, c := range g.Locs[e.Loc].Co[w.g.CoIndex(m)+1:] {
		if g.Events[c].Stamp < e.Stamp || w.needed(c, pred) {
			return false
		}
	}
	return true
}

// revisit explores the executions in which the read r at place slot of the trail reads from wr. It restricts the graph to the events that were added before r
// and to the prefix of wr.
func (w *worker) revisit(slot int, wr *write) {
	g := w.g
	m := w.mark()
	r := g.Events[g.Trail[slot]]
	saved := len(w.savedCur)
	w.savedCur = append(w.savedCur, w.cur...)
	orders := 0
	if w.observed {
		orders = w.saveOrders()
	}
	cut := g.Cut(slot, w.needs(&g.Events[g.Last(wr.thread)]), wr.thread, int32(len(g.Threads[wr.thread])), &w.savedTrail)
	g.Removed(cut, func(e *graph.Event) { w.cur[e.Thread] = e.Pend })
	n, first := w.dropFloors(r.Stamp)
	w.revisitAt(&r, slot, wr)
	w.restoreFloors(n, first)
	g.Restore(cut, &w.savedTrail)
	if w.observed {
		w.restoreOrders(orders)
	}
	copy(w.cur, w.savedCur[saved:])
	w.savedCur = w.savedCur[:saved]
	w.release(m)
}

// revisitAt adds wr at each of its places in co, and the read r, which the cut has taken out, reading from it.
func (w *worker) revisitAt(r *graph.Event, slot int, wr *write) {
	g := w.g
	t := wr.thread
	if w.observed && !w.fitsUpdate(wr) {
		return
	}
	least, update, last := w.places(wr, r.Thread)
	before, old := w.cur[t], g.Trail[slot]
	waits := w.displaces(r, wr.val)
	if int(least)+1 < len(g.Locs[wr.loc].Co) {
		w.observe(wr.loc, unserial)
	}
	if w.merges && wr.flags&graph.RMWPart == 0 && w.floorsOf(wr.loc, wr.thread).all+1 < last { // the read may be deleted, and its floor with it
		loose := *wr
		loose.flags |= graph.Loose
		wr = &loose
	}
	for pos := last; pos > least && !w.stop.Load(); pos-- {
		if w.splitsRMW(wr.loc, pos) && !w.observed {
			continue
		}
		if waits && int(pos) < len(g.Locs[wr.loc].Co) {
			continue // it would wait in vain
		}
		m := w.mark()
		id := w.newWrite(wr)
		g.Events[id].Flags |= graph.Revisitor
		g.Add(id, pos)
		if w.checkAccess(id) && (w.twins == nil || w.twins.inOrder(r.Thread, wr.loc, id)) {
			w.cur[t] = wr.after
			if waits && w.displacesAt(wr.loc) {
				if w.arrived(t) {
					w.displace(r, slot, id)
				}
				g.Pop()
				w.cur[t] = before
				w.release(m)
				continue
			}
			at, outcomes := w.cur[r.Thread], w.outcomes(r.Thread, wr.val)
			w.weight /= float64(int(last-least) * len(outcomes))
			for _, flags := range outcomes {
				if pos <= update && flags&graph.Spurious == 0 && w.takesValue(r.Thread, wr.val) {
					w.explored(w.weight)
					continue
				}
				read := w.newRead(r.Thread, wr.loc, id, flags)
				g.AddAt(read, slot, r.Stamp)
				if w.checkAccess(read) {
					if w.choices != nil {
						w.hasChoice(wr.loc)
					}
					if w.arrived(t) {
						w.afterRevisit(r.Thread)
					}
				}
				g.DropAt(slot, old)
				w.cur[r.Thread] = at
			}
		}
		g.Pop()
		w.cur[t] = before
		w.release(m)
	}
}

// places returns the least and the last of the places in co that wr may have (above least, and above update if that is an update) when a
// read that is next in thread t reads from it.
func (w *worker) places(wr *write, t int32) (least, update, last int32) {
	g := w.g
	last = int32(len(g.Locs[wr.loc].Co))
	if w.observed {
		return last - 1, last - 1, last
	}
	floors := w.floorsWith(wr.loc, t, wr.mode)
	least = max(w.floorsOf(wr.loc, wr.thread).all, floors.of(wr.mode, false))
	if wr.flags&graph.RMWPart != 0 {
		last = w.g.CoIndex(g.Events[g.Last(wr.thread)].RF) + 1
		least = max(least, last-1)
	}
	return least, floors.all, last
}

// afterRevisit goes on from a graph in which the last event of t is a read that was revisited.
func (w *worker) afterRevisit(t int32) {
	act := &w.pendingOf(t).act
	last := &w.g.Events[w.g.Last(t)]
	switch {
	case act.Kind == machine.RMW && last.Flags&graph.RMWPart != 0:
		w.writeHalf(t)
	case w.resumeRead(t):
		if _, confirms := w.confirming(t); confirms {
			w.last = t
		}
		w.branch(1)
	}
}
