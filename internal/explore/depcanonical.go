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
func (d *depSearch) canonicalSoFar(slot int, r *graph.Event, t, i int32) (yes, sure bool) {
	g := d.g
	yes, sure = true, d.joinsInTurn(slot, r)
	for _, id := range g.Trail[slot:] {
		e := &g.Events[id]
		if id != g.Trail[slot] && d.keeps(r, id) {
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
		sure = sure && !d.waitsBefore(e, r)
		turn := d.turn(e, r)
		switch {
		case m != id && m != graph.Init && !d.comesBefore(m, turn, r):
			yes = false // e comes first, and can't read from m then
		case d.coLatest(e, m, turn, r):
		case turn>>63 == 0 || !d.model.Latest(g):
			sure = false
		default:
			yes = false
		}
	}
	return yes, sure
}

// joinsInTurn reports whether threads that others wait for move in their turn, once what a revisit of the read r at place slot
// would delete is gone: nothing of threads before them is deleted, or the waiting thread has joined those already.
func (d *depSearch) joinsInTurn(slot int, r *graph.Event) bool {
	g := d.g
	if len(d.cur) > 64 {
		return false
	}
	var deleted uint64 // threads
	d.joining = d.joining[:0]
	for _, id := range g.Trail[slot:] {
		if id != g.Trail[slot] && d.keeps(r, id) {
			continue
		}
		e := &g.Events[id]
		deleted |= 1 << e.Thread
		if e.Kind == graph.Join {
			d.joining = append(d.joining, joining{e.Thread, g.Events[e.RF].Thread})
		}
	}
	for t := range d.cur {
		if d.cur[t] == 0 || d.pendingOf(int32(t)).act.Kind != machine.Join {
			continue
		}
		if u := d.pendingOf(int32(t)).act.Val.Lo; u < uint64(len(d.cur)) {
			d.joining = append(d.joining, joining{int32(t), int32(u)})
		}
	}
	for k, j := range d.joining {
		before := deleted & (1<<j.joined - 1) &^ (1 << j.waits)
		for _, i := range d.joining[:k] {
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
func (d *depSearch) waitsBefore(e, r *graph.Event) bool {
	g := d.g
	for i := e.Index - 1; i >= 0; i-- {
		id := g.Threads[e.Thread][i]
		if id == graph.Hole {
			continue
		}
		x := &g.Events[id]
		if x.Stamp < r.Stamp {
			break
		}
		if x.Kind == graph.Join && !d.keeps(r, id) {
			return true
		}
	}
	return false
}

// turn tells when next comes to the deleted event e again: events before kept ones come first, then it goes by threads.
func (d *depSearch) turn(e, r *graph.Event) uint64 {
	turn := uint64(1)<<63 | uint64(e.Thread)<<32 | uint64(e.Index)
	if d.readIsKept(e, r) {
		return d.firstTurn(e, r)
	}
	for _, id := range d.g.Threads[e.Thread][e.Index+1:] {
		if id != graph.Hole && (d.g.Events[id].Stamp < r.Stamp || d.keeps(r, id)) {
			return turn &^ (1 << 63)
		}
	}
	return turn
}

// isKept reports whether event id is there after a revisit of r.
func (d *depSearch) isKept(id graph.ID, r *graph.Event) bool {
	return id != graph.Hole && (d.g.Events[id].Stamp < r.Stamp || d.keeps(r, id))
}

// readIsKept reports whether e is the write of an RMW whose read is kept.
func (d *depSearch) readIsKept(e, r *graph.Event) bool {
	return e.Kind == graph.Write && e.Flags&graph.RMWPart != 0 && d.isKept(d.g.Threads[e.Thread][e.Index-1], r)
}

// firstTurn is the turn of the write e of an RMW whose read is kept: it comes as soon as the events before it are there.
func (d *depSearch) firstTurn(e, r *graph.Event) uint64 {
	for _, id := range d.g.Threads[e.Thread][:e.Index] {
		if !d.isKept(id, r) {
			return uint64(e.Thread)<<32 | uint64(e.Index)
		}
	}
	return 0
}

// comesBefore reports whether event id is there before the given turn: it is kept, or its own turn is earlier.
func (d *depSearch) comesBefore(id graph.ID, turn uint64, r *graph.Event) bool {
	e := &d.g.Events[id]
	return e.Stamp < r.Stamp || d.keeps(r, id) || d.turn(e, r) < turn
}

// coLatest reports whether no write that is there before the turn of e is co-after m.
func (d *depSearch) coLatest(e *graph.Event, m graph.ID, turn uint64, r *graph.Event) bool {
	for _, c := range d.g.Locs[e.Loc].Co[d.g.CoIndex(m)+1:] {
		if d.comesBefore(c, turn, r) {
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
func (d *depSearch) outline() *outline {
	g := d.g
	o := &outline{events: map[place]outlined{}}
	for t, evs := range g.Threads {
		for i, id := range evs {
			if id == graph.Hole {
				continue
			}
			e := &g.Events[id]
			o.events[place{int32(t), int32(i)}] = outlined{
				graph.Event{Kind: e.Kind, Mode: e.Mode, Loc: e.Loc, Val: e.Val, Flags: e.Flags & (graph.RMWPart | graph.Bad)},
				d.placeOf(e.RF),
			}
		}
	}
	for i := range g.Locs {
		var co []place
		for _, id := range g.Locs[i].Co {
			co = append(co, d.placeOf(id))
		}
		o.co = append(o.co, co)
	}
	return o
}

func (d *depSearch) placeOf(id graph.ID) place {
	if id == graph.Init {
		return place{graph.NoThread, 0}
	}
	e := &d.g.Events[id]
	return place{e.Thread, e.Index}
}

// canonical reports whether the graph want is what the exploration makes by itself of the present
// one until the write at place i of thread t comes next.
func (d *depSearch) canonical(t, i int32, want *outline) bool {
	m := d.mark()
	savedCur := slices.Clone(d.cur)
	d.tentative, d.waiting = true, place{t, i}
	d.held = append(d.held[:0], make([]bool, len(d.cur))...)
	ok := d.extend(t, i, want)
	d.tentative, d.waiting, d.held = false, place{}, d.held[:0]
	d.undo(m)
	copy(d.cur, savedCur)
	return ok
}

// extend adds events in the order of the exploration, each with its first choice. The write of an RMW comes right after its read, whatever was there
// when that came: so if it is the write of one whose read is kept, threads stop where want has no more of them. If the write fills a hole, it comes before what
// other threads had done already: that is added then.
func (d *depSearch) extend(t, i int32, want *outline) bool {
	g := d.g
	rmw := g.FirstHole(t) == i && d.atWriteHalf(t, i)
	fills, early := int(i) < len(g.Threads[t]), false // it may come before its turn
	d.held[t] = rmw
	for {
		u := d.next()
		if u < 0 {
			if !rmw && !early {
				return false
			}
			break
		}
		at := g.FirstHole(u)
		if u == t && at == i {
			if !fills {
				break
			}
			d.held[t], early = true, true
			continue
		}
		if _, there := want.events[place{u, at}]; !there && (rmw || early) {
			d.held[u] = true
			continue
		}
		if !d.addsFirst(u, at, want) {
			return false
		}
	}
	got := 0
	for t := range g.Threads {
		for _, id := range g.Threads[t] {
			if id != graph.Hole {
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
			if d.placeOf(id) != want.co[l][k] {
				return false
			}
		}
	}
	return true
}

// addsFirst adds the event at place i of thread t as the exploration would first, and reports whether it is that of want.
func (d *depSearch) addsFirst(t, i int32, want *outline) bool {
	target, there := want.events[place{t, i}]
	if !there || !d.addFirst(t, i) {
		return false
	}
	e := &d.g.Events[d.g.Threads[t][i]]
	return e.Kind == target.label.Kind && e.Loc == target.label.Loc && e.Val == target.label.Val &&
		e.Flags&(graph.RMWPart|graph.Bad) == target.label.Flags && d.placeOf(e.RF) == target.rf
}

// addFirst adds the event at place i of thread t as the exploration would first: reading from, or
// being, the co-latest that is consistent.
func (d *depSearch) addFirst(t, i int32) bool {
	act := &d.pendingOf(t).act
	switch {
	case act.Kind == machine.Store || d.atWriteHalf(t, i):
		return d.addFirstWrite(t, i)
	case act.Kind == machine.Load || act.Kind == machine.RMW:
		return d.addFirstRead(t, i)
	case act.Kind == machine.Choice:
		id := d.newEvent(t, i, graph.Choice, event.NA, -1)
		d.g.Add(id, 0)
		return d.advance(t, i)
	}
	return d.simple(t, i)
}

func (d *depSearch) addFirstWrite(t, i int32) bool {
	loc, ok := d.locate(t)
	if !ok {
		return false
	}
	first, last := d.places(t, i, loc)
	for pos := last; pos >= first; pos-- {
		m := d.mark()
		id := d.newWrite(t, i, loc)
		d.g.Add(id, pos)
		if d.consistent(id) && d.leadsOn(t, i) {
			return d.advance(t, i)
		}
		d.undo(m)
	}
	return d.badRMW(t, i) && d.addBad(t, i, loc) && d.advance(t, i)
}

// addFirstRead adds a read of the co-latest write that is consistent; for an RMW, after which its write has
// a place too, if there is one.
func (d *depSearch) addFirstRead(t, i int32) bool {
	loc, ok := d.locate(t)
	if !ok {
		return false
	}
	fallback := -1
	for k := len(d.g.Locs[loc].Co) - 1; k >= 0; k-- {
		m := d.mark()
		id := d.newRead(t, i, loc, d.g.Locs[loc].Co[k], 0)
		d.g.Add(id, 0)
		if d.consistent(id) && d.leadsOn(t, i) {
			if d.g.Events[id].Flags&graph.RMWPart == 0 || d.writeFits(t, i+1, loc) {
				return d.advance(t, i)
			}
			if fallback < 0 {
				fallback = k
			}
		}
		d.undo(m)
	}
	if fallback < 0 {
		return false
	}
	id := d.newRead(t, i, loc, d.g.Locs[loc].Co[fallback], 0)
	d.g.Add(id, 0)
	return d.advance(t, i)
}

// leadsOn reports whether the holes can be filled after the event at place i of thread t, which was just added. Under armv7 they may not: in r=y; x=r*0+2; x=2, with both of the other events there, r may read
// something that leaves no place in co for x=r*0+2.
func (d *depSearch) leadsOn(t, i int32) bool {
	if d.g.Holes == 0 {
		return true
	}
	m := d.mark()
	saved := slices.Clone(d.cur)
	ok := !d.advance(t, i) || d.fills()
	d.undo(m)
	copy(d.cur, saved)
	return ok
}

// fills reports whether the holes can be filled, in any way.
func (d *depSearch) fills() bool {
	g := d.g
	if g.Holes == 0 {
		return true
	}
	t := d.next()
	if t < 0 {
		return d.isHeld(d.waiting.thread) // the others wait for it, and the hole is for its write
	}
	i := g.FirstHole(t)
	act := &d.pendingOf(t).act
	write := act.Kind == machine.Store || d.atWriteHalf(t, i)
	switch {
	case place{t, i} == d.waiting || int(i) >= len(g.Threads[t]):
		return true
	case !write && act.Kind != machine.Load && act.Kind != machine.RMW:
		return !d.addFirst(t, i) || d.fills()
	}
	loc, ok := d.locate(t)
	if !ok {
		return true
	}
	first, last := int32(0), int32(len(g.Locs[loc].Co))-1
	if write {
		first, last = d.places(t, i, loc)
	}
	for k := last; k >= first; k-- {
		m := d.mark()
		if write {
			g.Add(d.newWrite(t, i, loc), k)
		} else {
			g.Add(d.newRead(t, i, loc, g.Locs[loc].Co[k], 0), 0)
		}
		id := g.Threads[t][i]
		fits := d.consistent(id) && d.leadsOn(t, i)
		d.undo(m)
		if fits {
			return true
		}
	}
	return write && d.badRMW(t, i)
}

// writeFits reports whether the write at place i of thread t, of the RMW whose read was just
// added, is there or has a place.
func (d *depSearch) writeFits(t, i, loc int32) bool {
	if evs := d.g.Threads[t]; int(i) < len(evs) && evs[i] != graph.Hole {
		return true
	}
	m := d.mark()
	id := d.newWrite(t, i, loc)
	d.g.Add(id, d.g.CoIndex(d.g.Events[d.g.Threads[t][i-1]].RF)+1)
	ok := d.consistent(id)
	d.undo(m)
	return ok
}
