package explore

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// A revisit is made from one graph only: the one in which all that it deletes is what the exploration would add by itself, to what is kept, until
// the revisiting write comes next (canonical). canonicalSoFar can tell most of the time without doing so.

// canonicalSoFar is a quick test of whether what a revisit of the read r at place slot of the trail would delete
// is what the exploration would add by itself: all of it reads from, or is, the co-latest at its time. That is sure unless
// one that is not the co-latest comes before kept events of its thread, or threads wait for each other, or something comes after
// the revisiting write, at place i of thread t.
func (w *worker) canonicalSoFar(slot int, r *graph.Event, t, i int32) (yes, sure bool) {
	g := w.g
	yes, sure = true, w.joinsInTurn(slot, r)
	for _, id := range g.Trail[slot:] {
		e := &g.Events[id]
		if id != g.Trail[slot] && w.keeps(r, id) {
			continue
		}
		if e.Thread == t && e.Index > i {
			sure = false
		}
		m := id
		switch e.Kind {
		case graph.Read:
			m = e.RF
			yes = yes && e.Flags&graph.Spurious == 0
		case graph.Write:
			if e.Flags&graph.Bad != 0 {
				sure = false
			}
			if e.Flags&graph.RMWPart != 0 {
				continue // its place is that of its read
			}
		case graph.Choice:
			yes = yes && e.Val.Lo == 0
			continue
		default:
			continue
		}
		sure = sure && !w.waitsBefore(e, r)
		turn := w.turn(e, r)
		switch {
		case m != id && m != graph.Init && !w.comesBefore(m, turn, r):
			yes = false // e comes first, and can't read from m then
		case w.coLatest(e, m, turn, r):
		case turn>>63 == 0 || !w.depModel.Latest(g):
			sure = false
		default:
			yes = false
		}
	}
	return yes, sure
}

// joinsInTurn reports whether threads that others wait for move in their turn, once what a revisit of the read r at place slot
// would delete is gone: nothing of threads before them is deleted, or the waiting thread has joined those already.
func (w *worker) joinsInTurn(slot int, r *graph.Event) bool {
	g := w.g
	if len(w.cur) > 64 {
		return false
	}
	var deleted uint64 // threads
	w.joining = w.joining[:0]
	for _, id := range g.Trail[slot:] {
		if id != g.Trail[slot] && w.keeps(r, id) {
			continue
		}
		e := &g.Events[id]
		deleted |= 1 << e.Thread
		if e.Kind == graph.Join {
			w.joining = append(w.joining, joining{e.Thread, g.Events[e.RF].Thread})
		}
	}
	for t := range w.cur {
		if w.cur[t] == 0 || w.pendingOf(int32(t)).act.Kind != machine.Join {
			continue
		}
		if u := w.pendingOf(int32(t)).act.Val.Lo; u < uint64(len(w.cur)) {
			w.joining = append(w.joining, joining{int32(t), int32(u)})
		}
	}
	for k, j := range w.joining {
		before := deleted & (1<<j.joined - 1) &^ (1 << j.waits)
		for _, i := range w.joining[:k] {
			if i.waits == j.waits {
				before &^= 1 << i.joined
			}
		}
		if before != 0 {
			return false
		}
	}
	return true
}

// A joining is a pair of threads of which one waits for the end of the other.
type joining struct{ waits, joined int32 }

// waitsBefore reports whether the thread of e joins another before e, by an event that is deleted: then e does not come by turns.
func (w *worker) waitsBefore(e, r *graph.Event) bool {
	g := w.g
	for i := e.Index - 1; i >= 0; i-- {
		id := g.Threads[e.Thread][i]
		if id == graph.Init {
			continue
		}
		x := &g.Events[id]
		if x.Stamp < r.Stamp {
			break
		}
		if x.Kind == graph.Join && !w.keeps(r, id) {
			return true
		}
	}
	return false
}

// turn tells when depNext comes to the deleted event e again: events before kept ones come first, then it goes by threads.
func (w *worker) turn(e, r *graph.Event) uint64 {
	turn := uint64(1)<<63 | uint64(e.Thread)<<32 | uint64(e.Index)
	if w.readIsKept(e, r) {
		return w.firstTurn(e, r)
	}
	for _, id := range w.g.Threads[e.Thread][e.Index+1:] {
		if id != graph.Init && (w.g.Events[id].Stamp < r.Stamp || w.keeps(r, id)) {
			return turn &^ (1 << 63)
		}
	}
	return turn
}

// isKept reports whether event id is there after a revisit of r.
func (w *worker) isKept(id graph.ID, r *graph.Event) bool {
	return id != graph.Init && (w.g.Events[id].Stamp < r.Stamp || w.keeps(r, id))
}

// readIsKept reports whether e is the write of an RMW whose read is kept.
func (w *worker) readIsKept(e, r *graph.Event) bool {
	return e.Kind == graph.Write && e.Flags&graph.RMWPart != 0 && w.isKept(w.g.Threads[e.Thread][e.Index-1], r)
}

// firstTurn is the turn of the write e of an RMW whose read is kept: it comes as soon as the events before it are there.
func (w *worker) firstTurn(e, r *graph.Event) uint64 {
	for _, id := range w.g.Threads[e.Thread][:e.Index] {
		if !w.isKept(id, r) {
			return uint64(e.Thread)<<32 | uint64(e.Index)
		}
	}
	return 0
}

// comesBefore reports whether event id is there before the given turn: it is kept, or its own turn is earlier.
func (w *worker) comesBefore(id graph.ID, turn uint64, r *graph.Event) bool {
	e := &w.g.Events[id]
	return e.Stamp < r.Stamp || w.keeps(r, id) || w.turn(e, r) < turn
}

// coLatest reports whether no write that is there before the turn of e is co-after m.
func (w *worker) coLatest(e *graph.Event, m graph.ID, turn uint64, r *graph.Event) bool {
	for _, c := range w.g.Locs[e.Loc].Co[w.g.CoIndex(m)+1:] {
		if w.comesBefore(c, turn, r) {
			return false
		}
	}
	return true
}

// A place is where an event is in its thread.
type place struct{ thread, index int32 }

// An outline is a graph without its records: labels, rf and co by place.
type outline struct {
	events map[place]outlined
	co     [][]place
}

type outlined struct {
	label graph.Event // Kind, Mode, Loc, Val and Flags matter
	rf    place
}

// outline describes the graph.
func (w *worker) outline() *outline {
	g := w.g
	o := &outline{events: map[place]outlined{}}
	for t, evs := range g.Threads {
		for i, id := range evs {
			if id == graph.Init {
				continue
			}
			e := &g.Events[id]
			o.events[place{int32(t), int32(i)}] = outlined{
				graph.Event{Kind: e.Kind, Mode: e.Mode, Loc: e.Loc, Val: e.Val, Flags: e.Flags & (graph.RMWPart | graph.Bad)},
				w.placeOf(e.RF),
			}
		}
	}
	for i := range g.Locs {
		var co []place
		for _, id := range g.Locs[i].Co {
			co = append(co, w.placeOf(id))
		}
		o.co = append(o.co, co)
	}
	return o
}

func (w *worker) placeOf(id graph.ID) place {
	if id == graph.Init {
		return place{graph.NoThread, 0}
	}
	e := &w.g.Events[id]
	return place{e.Thread, e.Index}
}

// canonical reports whether the graph want is what the exploration makes by itself of the present
// one until the write at place i of thread t comes next.
func (w *worker) canonical(t, i int32, want *outline) bool {
	m := w.mark()
	savedCur := slices.Clone(w.cur)
	w.quiet, w.late = true, place{t, i}
	w.held = append(w.held[:0], make([]bool, len(w.cur))...)
	ok := w.extend(t, i, want)
	w.quiet, w.late, w.held = false, place{}, w.held[:0]
	w.undo(m)
	copy(w.cur, savedCur)
	return ok
}

// extend adds events in the order of the exploration, each with its first choice. The write of an RMW comes right after its read, whatever was there
// when that came: so if it is the write of one whose read is kept, threads stop where want has no more of them.
func (w *worker) extend(t, i int32, want *outline) bool {
	g := w.g
	rmw := g.FirstHole(t) == i && w.atWriteHalf(t, i)
	w.held[t] = rmw
	for {
		u := w.depNext()
		if u < 0 {
			if !rmw {
				return false
			}
			break
		}
		at := g.FirstHole(u)
		if u == t && at == i {
			break
		}
		target, there := want.events[place{u, at}]
		if !there && rmw {
			w.held[u] = true
			continue
		}
		if !there || !w.addFirst(u, at) {
			return false
		}
		e := &g.Events[g.Threads[u][at]]
		if e.Kind != target.label.Kind || e.Loc != target.label.Loc || e.Val != target.label.Val ||
			e.Flags&(graph.RMWPart|graph.Bad) != target.label.Flags || w.placeOf(e.RF) != target.rf {
			return false
		}
	}
	got := 0
	for t := range g.Threads {
		for _, id := range g.Threads[t] {
			if id != graph.Init {
				got++
			}
		}
	}
	if got != len(want.events) {
		return false
	}
	for l := range want.co {
		if len(g.Locs[l].Co) != len(want.co[l]) {
			return false
		}
		for k, id := range g.Locs[l].Co {
			if w.placeOf(id) != want.co[l][k] {
				return false
			}
		}
	}
	return true
}

// addFirst adds the event at place i of thread t as the exploration would first: reading from, or
// being, the co-latest that is consistent.
func (w *worker) addFirst(t, i int32) bool {
	act := &w.pendingOf(t).act
	switch {
	case act.Kind == machine.Store || w.atWriteHalf(t, i):
		return w.addFirstWrite(t, i)
	case act.Kind == machine.Load || act.Kind == machine.RMW:
		return w.addFirstRead(t, i)
	case act.Kind == machine.Choice:
		id := w.depEvent(t, i, graph.Choice, event.NA, -1)
		w.g.Add(id, 0)
		return w.advance(t, i)
	}
	return w.depSimple(t, i)
}

func (w *worker) addFirstWrite(t, i int32) bool {
	loc, ok := w.locate(t)
	if !ok {
		return false
	}
	first, last := w.depPlaces(t, i, loc)
	for pos := last; pos >= first; pos-- {
		m := w.mark()
		id := w.depNewWrite(t, i, loc)
		w.g.Add(id, pos)
		if w.depConsistent(id) {
			return w.advance(t, i)
		}
		w.undo(m)
	}
	return w.badRMW(t, i) && w.addBad(t, i, loc) && w.advance(t, i)
}

// addFirstRead adds a read of the co-latest write that is consistent; for an RMW, after which its write has
// a place too, if there is one.
func (w *worker) addFirstRead(t, i int32) bool {
	loc, ok := w.locate(t)
	if !ok {
		return false
	}
	fallback := -1
	for k := len(w.g.Locs[loc].Co) - 1; k >= 0; k-- {
		m := w.mark()
		id := w.depNewRead(t, i, loc, w.g.Locs[loc].Co[k], 0)
		w.g.Add(id, 0)
		if w.depConsistent(id) {
			if w.g.Events[id].Flags&graph.RMWPart == 0 || w.writeFits(t, i+1, loc) {
				return w.advance(t, i)
			}
			if fallback < 0 {
				fallback = k
			}
		}
		w.undo(m)
	}
	if fallback < 0 {
		return false
	}
	id := w.depNewRead(t, i, loc, w.g.Locs[loc].Co[fallback], 0)
	w.g.Add(id, 0)
	return w.advance(t, i)
}

// writeFits reports whether the write at place i of thread t, of the RMW whose read was just
// added, is there or has a place.
func (w *worker) writeFits(t, i, loc int32) bool {
	if evs := w.g.Threads[t]; int(i) < len(evs) && evs[i] != graph.Init {
		return true
	}
	m := w.mark()
	id := w.depNewWrite(t, i, loc)
	w.g.Add(id, w.g.CoIndex(w.g.Events[w.g.Threads[t][i-1]].RF)+1)
	ok := w.depConsistent(id)
	w.undo(m)
	return ok
}
