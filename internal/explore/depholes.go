package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// What a thread finds by itself in a graph with holes is an error of an execution only if the graph is part of one: if its holes can be filled.

// realised calls f in the graph with its holes filled, if that can be: with events that are not there yet though later ones of their thread are,
// an error need not be one of an execution. What thread t, which the error is of, would do after it is left out.
func (d *depSearch) realised(t int32, f func()) {
	if d.hasBad() {
		return
	}
	m := d.mark()
	cur := append([]uint32(nil), d.cur...)
	d.tentative, d.failing = true, t
	ok := d.fillHoles()
	d.tentative, d.failing = false, noThread
	if ok {
		f()
	}
	d.undo(m)
	copy(d.cur, cur)
}

// fillHoles adds what is missing in some consistent way, and returns false if there is none.
func (d *depSearch) fillHoles() bool {
	t := d.holeThread()
	if t < 0 {
		return true
	}
	i := d.g.FirstHole(t)
	act := &d.pendingOf(t).act
	switch {
	case act.Kind == machine.Store || d.atWriteHalf(t, i):
		return d.fillWrite(t, i)
	case act.Kind == machine.Load || act.Kind == machine.RMW:
		return d.fillRead(t, i)
	case act.Kind == machine.Choice:
		return d.fillChoice(t, i)
	}
	return d.enabled(t) && d.simple(t, i) && d.fillHoles()
}

// holeThread returns a thread that lacks an event before others, or the write of an RMW; -1 if there is none.
func (d *depSearch) holeThread() int32 {
	g := d.g
	for t, p := range d.cur {
		if p == 0 || int32(t) == d.failing {
			continue
		}
		if i := g.FirstHole(int32(t)); int(i) < len(g.Threads[t]) || d.pends[p].act.Kind == machine.RMW && d.atWriteHalf(int32(t), i) {
			return int32(t)
		}
	}
	return -1
}

func (d *depSearch) fillWrite(t, i int32) bool {
	loc, ok := d.locate(t)
	if !ok {
		return false
	}
	first, last := d.places(t, i, loc)
	for pos := last; pos >= first; pos-- {
		m := d.mark()
		id := d.newWrite(t, i, loc)
		d.g.Add(id, pos)
		if d.consistent(id) && d.advance(t, i) && d.fillHoles() {
			return true
		}
		d.undo(m)
	}
	return false
}

func (d *depSearch) fillRead(t, i int32) bool {
	loc, ok := d.locate(t)
	if !ok {
		return false
	}
	for k := len(d.g.Locs[loc].Co) - 1; k >= 0; k-- {
		m := d.mark()
		id := d.newRead(t, i, loc, d.g.Locs[loc].Co[k], 0)
		d.g.Add(id, 0)
		if d.consistent(id) && d.advance(t, i) && d.fillHoles() {
			return true
		}
		d.undo(m)
	}
	return false
}

func (d *depSearch) fillChoice(t, i int32) bool {
	for v := range d.pendingOf(t).act.N {
		m := d.mark()
		id := d.newEvent(t, i, graph.Choice, event.NA, -1)
		d.g.Events[id].Val.Lo = uint64(v)
		d.g.Add(id, 0)
		if d.advance(t, i) && d.fillHoles() {
			return true
		}
		d.undo(m)
	}
	return false
}
