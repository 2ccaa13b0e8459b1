package explore

import (
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Exploration for models that track dependencies (HMC: Kokologiannakis, Vafeiadis, ASPLOS'20). Their
// executions may have cycles in po ∪ rf, so the prefix of a write is what it depends on, not all
// that comes before it in its thread, and a revisit may keep events that come after the revisited
// read or after deleted events of their thread. Threads then have holes: the thread is resumed
// up to its first hole, and must come to the kept events again with the same labels.
//
// Definition. Let K be what a revisit of r by w keeps. The canonical graph of K and w is what the search makes of K by itself, each event with its first
// choice, until w comes next.
//
// Rule. The revisit is made from the canonical graph of K and w only (depcanonical.go).
//
// So it is a reverse search: every graph has exactly one parent, and is explored only from that. The tests compare with brute force.

// A depSearch is the exploration of executions with cycles in po ∪ rf, with the graph of its worker.
type depSearch struct {
	*tracker
	kept    []graph.ID // stack of prefixes
	waiting place      // of the write of an RMW that waits for its turn, though its read is there
	held    []bool     // threads that do not move, while canonical looks at what others do; empty otherwise
	failing int32      // the thread whose error realised is asked about; noThread otherwise
	joining []joining  // scratch
}

// visit explores every execution that extends the graph.
func (d *depSearch) visit() {
	if d.stop.Load() {
		if !d.told {
			d.stopped()
		}
		return
	}
	if d.tooLong() {
		d.endless(0)
		return
	}
	t := d.next()
	if t < 0 {
		if !d.hasBad() {
			d.leaf(false)
		}
		return
	}
	m := d.mark()
	i := d.g.FirstHole(t)
	switch act := &d.pendingOf(t).act; {
	case act.Kind == machine.Store || d.atWriteHalf(t, i):
		d.write(t, i)
	case act.Kind == machine.Load || act.Kind == machine.RMW:
		d.read(t, i)
	case act.Kind == machine.Choice:
		d.choose(t, i)
	default:
		if d.simple(t, i) {
			d.branch(1)
		}
	}
	d.undo(m)
}

// next returns the thread to move: the lowest that has done the read of an RMW, so that no other RMW gets what it
// reads; or else the lowest that has a hole before other events, so that holes are filled soon,
// and otherwise the lowest that can move, or that the lowest waits for. It has to be a function of the graph, by which
// threads do not come later if others have done their part already: were those that a thread waits for not first, what comes between would come
// before its end or after it, depending on whether its end is kept.
func (d *depSearch) next() int32 {
	g := d.g
	for t, p := range d.cur {
		if p == 0 || d.pends[p].act.Kind != machine.RMW {
			continue
		}
		if at := (place{int32(t), g.FirstHole(int32(t))}); at != d.waiting && d.atWriteHalf(at.thread, at.index) {
			return at.thread
		}
	}
	if g.Holes > 0 {
		for t := range d.cur {
			if int(g.FirstHole(int32(t))) < len(g.Threads[t]) && d.enabled(int32(t)) && !d.isHeld(int32(t)) {
				return int32(t)
			}
		}
	}
	for t := range d.cur {
		if u := d.awaited(int32(t)); u >= 0 {
			return u
		}
	}
	return -1
}

// awaited returns the thread that has to move for thread t to get on: t itself, or the one that it joins, or that one joins, and
// so on; -1 if there is none.
func (d *depSearch) awaited(t int32) int32 {
	for range d.cur {
		if d.isHeld(t) {
			return -1
		}
		if d.enabled(t) {
			return t
		}
		if d.cur[t] == 0 || d.pendingOf(t).act.Kind != machine.Join {
			return -1
		}
		u := d.pendingOf(t).act.Val.Lo
		if u >= uint64(len(d.cur)) {
			return -1
		}
		t = int32(u)
	}
	return -1 // they wait for each other
}

// isHeld reports whether thread t does not move.
func (d *depSearch) isHeld(t int32) bool { return len(d.held) > 0 && d.held[t] }

func (d *depSearch) hasBad() bool {
	for _, id := range d.g.Trail {
		if d.g.Events[id].Flags&graph.Bad != 0 {
			return true
		}
	}
	return false
}

// atWriteHalf reports whether place i of thread t is for the write of the RMW whose read is before it.
func (d *depSearch) atWriteHalf(t, i int32) bool {
	if i == 0 {
		return false
	}
	e := &d.g.Events[d.g.Threads[t][i-1]]
	return e.Kind == graph.Read && e.Flags&graph.RMWPart != 0 && e.Pend == d.cur[t]
}

// An undone is an event whose record has been changed, as it was.
type undone struct {
	id    graph.ID
	pend  uint32
	flags uint8
}

// change remembers event id before its record is changed.
func (w *worker) change(id graph.ID) *graph.Event {
	e := &w.g.Events[id]
	w.log = append(w.log, undone{id, e.Pend, e.Flags})
	return e
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
