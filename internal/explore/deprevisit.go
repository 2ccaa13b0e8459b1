package explore

import (
	"fmt"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// revisits explores the executions in which reads that are there already read from the write that
// thread t does at place i.
func (d *depSearch) revisits(t, i, loc int32) {
	g := d.g
	since := d.oldestRead(t, loc)
	if since == 0 {
		return
	}
	m := d.mark()
	e := g.Events[d.newWrite(t, i, loc)]
	d.release(m)
	k := d.prefixOf(&e, since)
	base := len(d.kept)
	d.kept = append(d.kept, k.list...)
	top := len(d.kept)
	ask := d.asksToAvoid()
	if ask {
		d.notExplored(fmt.Sprintf("executions with cycles in po ∪ rf were not all explored: what the write at %s comes after includes a read by a thread of what it has written itself, which %s lets come later",
			d.location(d.sourcePos(d.pendingOf(t))), d.m.Name()))
	}
	for slot := len(g.Trail) - 1; slot >= 0; slot-- {
		r := &g.Events[g.Trail[slot]]
		if r.Stamp < since {
			break
		}
		if r.Kind != graph.Read || r.Loc != loc || k.has(g.Trail[slot]) {
			continue
		}
		if cut := d.cutFor(slot, k); cut >= 0 {
			d.kept = append(d.kept, graph.ID(slot), graph.ID(cut)) // places of the trail, not events
		}
	}
	for n := top; n < len(d.kept) && !d.stop.Load(); n += 2 {
		d.revisit(int(d.kept[n]), int(d.kept[n+1]), t, i, loc, e.AddrPo, d.kept[base:top])
	}
	d.kept = d.kept[:base]
	if ask {
		d.revisitsBefore(&e, since)
	}
}

// revisitsBefore is revisits of the write e for reads that its prefix has, but can do without. An older read q may have to be revisited together with such a read r: in
//
//	q=x || r=x; y=r; s=y.acq; l=1 || a=l; x=a
//
// both may read from the last write. These executions are not explored.
func (d *depSearch) revisitsBefore(e *graph.Event, since uint32) {
	g := d.g
	d.prefixOf(e, since)
	var reads []graph.ID
	for _, id := range g.Trail {
		if r := &g.Events[id]; r.Kind == graph.Read && r.Loc == e.Loc && r.Stamp >= since && d.prefix.has(id) {
			reads = append(reads, id)
		}
	}
	if len(reads) == 0 || !d.mayAvoid(e, since, reads, false) {
		return
	}
	base := len(d.kept)
	for slot := len(g.Trail) - 1; slot >= 0 && !d.stop.Load(); slot-- {
		if !slices.Contains(reads, g.Trail[slot]) || !d.canAvoid(e, since, g.Trail[slot]) {
			continue
		}
		if cut := d.cutFor(slot, &d.prefix); cut >= 0 {
			d.kept = append(d.kept, d.prefix.list...)
			d.revisit(slot, cut, e.Thread, e.Index, e.Loc, e.AddrPo, d.kept[base:])
			d.kept = d.kept[:base]
		}
	}
}

// cutFor returns the first place of the trail that a revisit of the read at place slot clears, by a write with prefix k; -1 if
// there is no such revisit. That is slot, unless the read was pulled: then older reads read from newer writes, the
// pullers. They are kept, so k must have them: the read was pulled only because the model orders it before them, and the write, which can't
// be without them, was not there before. What the read has made them pull goes too.
func (d *depSearch) cutFor(slot int, k *prefix) int {
	g := d.g
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

// oldestRead returns the stamp of the oldest read of loc that may be revisited, 0 if there is none.
func (d *depSearch) oldestRead(t, loc int32) uint32 {
	g := d.g
	oldest, pulled := uint32(0), false
	l := &g.Locs[loc]
	for u := range l.Last {
		for r := l.Last[u].Read; r != graph.None; r = g.Events[r].Prev {
			e := &g.Events[r]
			switch {
			case e.Flags&graph.Pulled != 0:
				pulled = true
			case oldest == 0 || e.Stamp < oldest:
				oldest = e.Stamp
			}
		}
	}
	if pulled && d.readsPulled() {
		return 1
	}
	return oldest
}

// readsPulled reports whether a thread reads a write of its own that was pulled, or, under a model that does not order by rfi, that may depend on a read that was: what was pulled by order can't be revisited without.
func (d *depSearch) readsPulled() bool {
	g := d.g
	for _, id := range g.Trail {
		if e := &g.Events[id]; e.Kind == graph.Read && e.RF != graph.Init {
			if s := &g.Events[e.RF]; s.Thread == e.Thread && (s.Flags&graph.Pulled != 0 || d.traits.FreeRfi && mayDepend(s)) {
				return true
			}
		}
	}
	return false
}

// revisit explores the executions in which the read at place at of the trail reads from the
// write at place i of thread t, whose prefix is kept, as is what comes before place slot.
func (d *depSearch) revisit(at, slot int, t, i, loc int32, addrPo event.DepSet, kept []graph.ID) {
	g := d.g
	m := d.mark()
	r := g.Events[g.Trail[at]]
	r.Stamp = g.Events[g.Trail[slot]].Stamp // it takes that place
	keep := &g.Seen
	keep.Clear(g)
	for _, id := range kept {
		keep.Add(id)
	}
	yes, sure := d.canonicalSoFar(slot, &r, t, i)
	if sure && !yes {
		return
	}
	var want *outline
	if !sure {
		want = d.outline()
	}
	savedCur := len(d.savedCur)
	d.savedCur = append(d.savedCur, d.cur...)
	write := d.cur[t]
	cut := g.CutTo(slot, func(id graph.ID) bool { return d.keeps(&r, id) }, &d.savedTrail)
	g.Removed(cut, func(e *graph.Event) {
		if g.FirstHole(e.Thread) == e.Index {
			d.cur[e.Thread] = e.Pend
		}
	})
	if sure || d.canonical(t, i, want) {
		for _, id := range kept {
			if g.Events[id].Stamp > r.Stamp {
				d.change(id).Flags |= graph.Pulled
			}
		}
		d.revisitAt(&r, slot, t, i, loc, addrPo, write)
	}
	d.restoreLog(m.log)
	g.Restore(cut, &d.savedTrail)
	copy(d.cur, d.savedCur[savedCur:])
	d.savedCur = d.savedCur[:savedCur]
	d.release(m)
}

// keeps reports whether a revisit of r keeps event id, newer than r: it is in the prefix, which g.Seen has.
func (d *depSearch) keeps(r *graph.Event, id graph.ID) bool {
	g := d.g
	if e := &g.Events[id]; e.Kind == graph.Start {
		// A thread begins with its creation.
		return g.Seen.Has(e.RF) || g.Events[e.RF].Stamp < r.Stamp
	}
	return g.Seen.Has(id)
}

// isThere reports whether all that decides about the read r, which was taken out of the graph, is there.
func (d *depSearch) isThere(r *graph.Event) bool {
	for _, s := range [...]event.DepSet{r.Addr, r.Data, r.Ctrl, r.Exp} {
		for _, i := range d.g.Deps.Members(s) {
			if d.g.Threads[r.Thread][i] == graph.Hole {
				return false
			}
		}
	}
	return true
}

// revisitAt adds the write at place i of thread t, which is stopped at it in pending write, at
// each place in co, with the read r reading from it.
func (d *depSearch) revisitAt(r *graph.Event, slot int, t, i, loc int32, addrPo event.DepSet, write uint32) {
	g := d.g
	behind := g.FirstHole(r.Thread) < r.Index // something before it has been deleted
	if behind && !d.isThere(r) {
		return
	}
	old := g.Trail[slot]
	first, last := int32(1), int32(len(g.Locs[loc].Co))
	if d.pends[write].act.Kind == machine.RMW {
		first = d.g.CoIndex(g.Events[g.Threads[t][i-1]].RF) + 1
		last = first
	}
	for pos := last; pos >= first && !d.stop.Load(); pos-- {
		m := d.mark()
		at, from := d.cur[t], d.cur[r.Thread]
		d.cur[t] = write
		id := d.newWrite(t, i, loc)
		d.cur[t] = at
		g.Events[id].Flags |= graph.Pulled
		g.Events[id].AddrPo = addrPo // what comes before it may be gone
		g.Add(id, pos)
		ok := true
		if g.FirstHole(t) > i {
			d.cur[t] = write
			d.tentative = true // what it comes to may be no execution
			ok = d.advance(t, i)
			d.tentative = false
		}
		failed := ok && d.cur[t] != 0 && d.pendingOf(t).act.Kind == machine.Fail // not reported, as it was tentative
		log, reader := len(d.log), d.cur[r.Thread]
		if behind {
			d.cur[r.Thread] = r.Pend
		}
		for _, flags := range d.outcomes(r.Thread, g.Events[id].Val) {
			read := d.newRead(r.Thread, r.Index, loc, id, flags|r.Flags&graph.Pulled)
			g.AddAt(read, slot, r.Stamp)
			if behind {
				d.cur[r.Thread] = reader
			}
			if d.consistent(read) && d.consistent(id) {
				switch {
				case !ok:
					d.arrived(t)
				case failed && !d.arrived(t):
				case behind:
					d.branch(1)
				case d.advance(r.Thread, r.Index):
					d.branch(1)
				}
			}
			d.restoreLog(log)
			g.DropAt(slot, old)
			if d.cur[r.Thread] = reader; behind {
				d.cur[r.Thread] = r.Pend
			}
		}
		d.restoreLog(m.log)
		g.Pop()
		d.cur[t], d.cur[r.Thread] = at, from
		d.release(m)
	}
}
