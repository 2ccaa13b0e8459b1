package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// depRevisits explores the executions in which reads that are there already read from the write that
// thread t does at place i.
func (w *worker) depRevisits(t, i, loc int32) {
	g := w.g
	since := w.oldestRead(t, loc)
	if since == 0 {
		return
	}
	m := w.mark()
	e := g.Events[w.depNewWrite(t, i, loc)]
	w.release(m)
	k := w.prefixOf(&e, since)
	base := len(w.kept)
	w.kept = append(w.kept, k.list...)
	top := len(w.kept)
	for slot := len(g.Trail) - 1; slot >= 0; slot-- {
		r := &g.Events[g.Trail[slot]]
		if r.Stamp < since {
			break
		}
		if r.Kind != graph.Read || r.Loc != loc || k.has(g.Trail[slot]) {
			continue
		}
		if cut := w.cutFor(slot, k); cut >= 0 {
			w.kept = append(w.kept, graph.ID(slot), graph.ID(cut)) // places of the trail, not events
		}
	}
	for n := top; n < len(w.kept) && !w.stop.Load(); n += 2 {
		w.depRevisit(int(w.kept[n]), int(w.kept[n+1]), t, i, loc, e.AddrPo, w.kept[base:top])
	}
	w.kept = w.kept[:base]
}

// cutFor returns the first place of the trail that a revisit of the read at place slot clears, by a write with prefix k; -1 if
// there is no such revisit. That is slot, unless the read was pulled: then older reads read from newer writes, the
// pullers. They are kept, so k must have them: the read was pulled only because the model orders it before them, and the write, which can't
// be without them, was not there before. What the read has made them pull goes too.
func (w *worker) cutFor(slot int, k *prefix) int {
	g := w.g
	if g.Events[g.Trail[slot]].Flags&graph.Pulled == 0 {
		return slot
	}
	first := slot
	for at := 0; at < first; at++ {
		e := &g.Events[g.Trail[at]]
		if e.Kind != graph.Read || e.RF == graph.Init || g.Events[e.RF].Stamp < g.Events[g.Trail[first]].Stamp {
			continue
		}
		if !k.has(e.RF) {
			return -1
		}
		first, at = at, -1
	}
	for first++; first < slot && k.has(g.Trail[first]); first++ {
	}
	return min(first, slot)
}

// oldestRead returns the stamp of the oldest read of loc that may be re-directed, 0 if there is none.
func (w *worker) oldestRead(t, loc int32) uint32 {
	g := w.g
	oldest, pulled := uint32(0), false
	l := &g.Locs[loc]
	for u := range l.Last {
		for r := l.Last[u].Read; r != graph.Init; r = g.Events[r].Prev {
			e := &g.Events[r]
			switch {
			case e.Flags&graph.Pulled != 0:
				pulled = true
			case oldest == 0 || e.Stamp < oldest:
				oldest = e.Stamp
			}
		}
	}
	if pulled && w.readsPulled() {
		return 1
	}
	return oldest
}

// readsPulled reports whether a thread reads a write of its own that was pulled: what was pulled by order can't be re-directed without.
func (w *worker) readsPulled() bool {
	g := w.g
	for _, id := range g.Trail {
		if e := &g.Events[id]; e.Kind == graph.Read && e.RF != graph.Init {
			if s := &g.Events[e.RF]; s.Thread == e.Thread && s.Flags&graph.Pulled != 0 {
				return true
			}
		}
	}
	return false
}

// depRevisit explores the executions in which the read at place at of the trail reads from the
// write at place i of thread t, whose prefix is kept, as is what comes before place slot.
func (w *worker) depRevisit(at, slot int, t, i, loc int32, addrPo event.DepSet, kept []graph.ID) {
	g := w.g
	m := w.mark()
	r := g.Events[g.Trail[at]]
	r.Stamp = g.Events[g.Trail[slot]].Stamp // it takes that place
	keep := &g.Seen
	keep.Clear(g)
	for _, id := range kept {
		keep.Add(id)
	}
	yes, sure := w.canonicalSoFar(slot, &r, t, i)
	if sure && !yes {
		return
	}
	var want *outline
	if !sure {
		want = w.outline()
	}
	savedCur := len(w.savedCur)
	w.savedCur = append(w.savedCur, w.cur...)
	write := w.cur[t]
	cut := g.CutTo(slot, func(id graph.ID) bool { return w.keeps(&r, id) }, &w.savedTrail)
	g.Removed(cut, func(e *graph.Event) {
		if g.FirstHole(e.Thread) == e.Index {
			w.cur[e.Thread] = e.Pend
		}
	})
	if sure || w.canonical(t, i, want) {
		for _, id := range kept {
			if g.Events[id].Stamp > r.Stamp {
				w.change(id).Flags |= graph.Pulled
			}
		}
		w.depRedirect(&r, slot, t, i, loc, addrPo, write)
	}
	w.restoreLog(m.log)
	g.Restore(cut, &w.savedTrail)
	copy(w.cur, w.savedCur[savedCur:])
	w.savedCur = w.savedCur[:savedCur]
	w.release(m)
}

// keeps reports whether a revisit of r keeps event id, newer than r: it is in the prefix, which g.Seen has.
func (w *worker) keeps(r *graph.Event, id graph.ID) bool {
	g := w.g
	if e := &g.Events[id]; e.Kind == graph.Start {
		// A thread begins with its creation.
		return g.Seen.Has(e.RF) || g.Events[e.RF].Stamp < r.Stamp
	}
	return g.Seen.Has(id)
}

// depRedirect adds the write at place i of thread t, which is stopped at it in pending write, at
// each place in co, with the read r reading from it.
func (w *worker) depRedirect(r *graph.Event, slot int, t, i, loc int32, addrPo event.DepSet, write uint32) {
	g := w.g
	old := g.Trail[slot]
	first, last := int32(1), int32(len(g.Locs[loc].Co))
	if w.pends[write].act.Kind == machine.RMW {
		first = w.g.CoIndex(g.Events[g.Threads[t][i-1]].RF) + 1
		last = first
	}
	for pos := last; pos >= first && !w.stop.Load(); pos-- {
		m := w.mark()
		at, from := w.cur[t], w.cur[r.Thread]
		w.cur[t] = write
		id := w.depNewWrite(t, i, loc)
		w.cur[t] = at
		g.Events[id].Flags |= graph.Pulled
		g.Events[id].AddrPo = addrPo // what comes before it may be gone
		g.Add(id, pos)
		ok := true
		if g.FirstHole(t) > i {
			w.cur[t] = write
			w.quiet = true // what it comes to may be no execution
			ok = w.advance(t, i)
			w.quiet = false
		}
		log, reader := len(w.log), w.cur[r.Thread]
		for _, flags := range w.outcomes(r.Thread, g.Events[id].Val) {
			read := w.depNewRead(r.Thread, r.Index, loc, id, flags|r.Flags&graph.Pulled)
			g.AddAt(read, slot, r.Stamp)
			if w.depConsistent(read) && w.depConsistent(id) {
				switch {
				case !ok:
					w.arrived(t)
				case w.advance(r.Thread, r.Index):
					w.branch(1)
				}
			}
			w.restoreLog(log)
			g.DropAt(slot, old)
			w.cur[r.Thread] = reader
		}
		w.restoreLog(m.log)
		g.Pop()
		w.cur[t], w.cur[r.Thread] = at, from
		w.release(m)
	}
}

// restoreLog undoes changes of event records.
func (w *worker) restoreLog(n int) {
	for k := len(w.log) - 1; k >= n; k-- {
		u := w.log[k]
		e := &w.g.Events[u.id]
		e.Pend, e.Flags = u.pend, u.flags
	}
	w.log = w.log[:n]
}
