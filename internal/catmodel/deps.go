package catmodel

import (
	"encoding/binary"

	"ravel/internal/cat"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/model"
	"ravel/internal/relation"
)

// deps is a model without cycles of rf and dependencies.
type deps struct {
	base
	local   *local
	ordered map[string]*relation.Set // by the key of a thread: the places that are before its last event
	key     []byte
}

// Traits implements model.Model.
func (d *deps) Traits() model.Traits {
	t := d.traits()
	t.Deps, t.TracksDeps, t.FreeRfi = d, true, true
	return t
}

var _ model.DepModel = (*deps)(nil)

// AcyclicFirst implements model.DepModel: coherence, which the exploration of graphs without cycles relies on, was shown (safe.go).
func (d *deps) AcyclicFirst() bool { return true }

// Latest implements model.DepModel: what an event after which nothing comes may violate is late.
func (d *deps) Latest(*graph.Graph) bool { return true }

// AddrPo implements model.DepModel.
func (d *deps) AddrPo() bool { return d.m.addrPo }

// Views implements model.Model: coherence is that of each thread.
func (d *deps) Views(g *graph.Graph, id graph.ID) { threadViews(g, id) }

// Consistent implements model.Model.
func (d *deps) Consistent(g *graph.Graph, _ graph.ID) bool {
	return d.whole(g, func(c *check) bool { return !c.atomicity })
}

// RaceView implements model.Model. It is not used.
func (d *deps) RaceView(e *graph.Event) graph.View { return e.HB }

// Check implements model.DepModel.
func (d *deps) Check(g *graph.Graph) bool {
	for l := range g.Locs {
		for _, w := range g.Locs[l].Co[1:] {
			if !isAtomic(g, &g.Events[w]) {
				return false
			}
		}
	}
	return d.whole(g, func(c *check) bool { return !c.atomicity })
}

// CheckLast implements model.DepModel: an event after which nothing comes violates no constraint that is extensible.
func (d *deps) CheckLast(g *graph.Graph, id graph.ID) bool {
	e := &g.Events[id]
	last := !isAccess(e) || g.CoMaximal(e)
	if e.Kind == graph.Write {
		co := g.Locs[e.Loc].Co
		if !isAtomic(g, e) || int(e.Co)+1 < len(co) && !isAtomic(g, &g.Events[co[e.Co+1]]) {
			return false
		}
	}
	return last || d.whole(g, func(c *check) bool { return !c.atomicity })
}

// isAtomic reports whether the write e, if it is one of an RMW and not Bad, comes right after what the RMW reads.
func isAtomic(g *graph.Graph, e *graph.Event) bool {
	if e.Flags&(graph.RMWPart|graph.Bad) != graph.RMWPart {
		return true
	}
	r := g.Threads[e.Thread][e.Index-1]
	return r == graph.Init || g.Locs[e.Loc].Co[e.Co-1] == g.Events[r].RF
}

// OrdersPo implements model.DepModel: x is ordered before e if it is so in each execution with these events of their thread, whatever
// other threads do. That is what the constraints say about an execution in which every read that does not read from its
// own thread reads from a write of its own, by another thread.
func (d *deps) OrdersPo(g *graph.Graph, x, e *graph.Event) bool {
	switch {
	case isThreadEvent(x) || isThreadEvent(e):
		return true
	case !isAccess(x) || !isAccess(e):
		return false
	case x.Loc == e.Loc && x.Kind == graph.Write && e.Kind == graph.Read && source(g, e) == -1:
		return true // a detour: Power has it only between what is before x and what is after e
	}
	if d.local == nil {
		d.local = &local{m: d.m, x: newExec(d.m.d, d.m.uses), machine: d.m.prog.NewMachine()}
		d.ordered = map[string]*relation.Set{}
	}
	d.key = threadKey(g, e, d.key[:0])
	before, ok := d.ordered[string(d.key)]
	if !ok {
		if len(d.ordered) > 1<<16 {
			clear(d.ordered)
		}
		before = d.local.before(g, e)
		d.ordered[string(d.key)] = before
	}
	return before.Has(int(x.Index))
}

// threadKey describes the events of a thread up to e, as far as they matter within the thread.
func threadKey(g *graph.Graph, e *graph.Event, key []byte) []byte {
	evs := g.Threads[e.Thread]
	for i := range min(int(e.Index), len(evs)) {
		id := g.At(e.Thread, int32(i))
		key = eventKey(g, &g.Events[id], key)
		if evs[i] == graph.Hole {
			key = append(key, 0xff)
		}
	}
	return eventKey(g, e, key)
}

func eventKey(g *graph.Graph, e *graph.Event, key []byte) []byte {
	key = append(key, byte(e.Kind), byte(e.Mode), e.Flags&(graph.RMWPart|graph.Locked), byte(e.Tag))
	if isAccess(e) {
		key = binary.AppendVarint(key, int64(e.Loc))
	}
	if e.Kind == graph.Read {
		key = binary.AppendVarint(key, source(g, e))
	}
	for _, set := range [...]event.DepSet{e.Addr, e.Data, e.Ctrl, e.Exp} {
		members := g.Deps.Members(set)
		key = append(key, byte(len(members)))
		for _, r := range members {
			key = binary.AppendUvarint(key, uint64(r))
		}
	}
	return key
}

// source tells where a read reads from: -2 initially, -1 another thread, else the place in its own.
func source(g *graph.Graph, e *graph.Event) int64 {
	switch {
	case e.RF == graph.Init:
		return -2
	case g.Events[e.RF].Thread != e.Thread:
		return -1
	}
	return int64(g.Events[e.RF].Index)
}

// A local finds out what the constraints say about one thread by itself.
type local struct {
	m       *Model
	x       *exec
	machine *cat.Machine
	order   relation.Rel
}

// before returns the places of the events that are ordered before e.
func (l *local) before(g *graph.Graph, e *graph.Event) *relation.Set {
	alone, last := isolate(g, e)
	l.machine.Begin(l.x.read(alone))
	out := relation.NewSet(int(e.Index) + 1)
	for _, k := range l.m.global {
		r := l.machine.Relation(k)
		l.order.Resize(r.Len())
		l.order.Closure(r)
		for i, id := range alone.Threads[0][:e.Index] {
			if id != graph.Init && l.x.num[id] >= 0 && l.order.Has(int(l.x.num[id]), int(l.x.num[last])) {
				out.Add(i)
			}
		}
	}
	return out
}

// isolate returns a graph with the thread of e up to e, which need not be in g, and with writes of other threads for the
// reads that read from those. Coherence follows program order.
func isolate(g *graph.Graph, e *graph.Event) (alone *graph.Graph, last graph.ID) {
	events := []*graph.Event{}
	for i := range e.Index {
		var x *graph.Event
		if int(i) < len(g.Threads[e.Thread]) {
			if id := g.At(e.Thread, i); id != graph.Init {
				x = &g.Events[id]
			}
		}
		events = append(events, x)
	}
	events = append(events, e)
	threads := 1
	for _, x := range events {
		if x != nil && x.Kind == graph.Read && source(g, x) == -1 {
			threads++
		}
	}
	alone = graph.New(threads)
	alone.Deps = g.Deps
	for i, x := range events {
		if x == nil {
			alone.Deleted[0] = append(alone.Deleted[0], graph.Init)
			continue
		}
		missing := x != e && g.Threads[e.Thread][i] == graph.Hole
		loc := int32(-1)
		if isAccess(x) {
			loc, _ = alone.Loc(event.Addr(x.Loc+1)<<8, 1)
		}
		rf := graph.Init
		if x.Kind == graph.Read && !missing {
			switch src := source(g, x); {
			case src == -1:
				threads--
				rf = alone.NewEventAt(int32(threads), 0, graph.Write, event.Rlx, loc)
				alone.Add(rf, int32(len(alone.Locs[loc].Co)))
			case src >= 0 && int(src) < len(alone.Threads[0]):
				rf = alone.Threads[0][src]
			}
		}
		kind := x.Kind
		switch kind {
		case graph.Join: // its thread is not there
			kind = graph.Create
		case graph.Alloc, graph.Free:
			kind = graph.Choice
		}
		last = alone.NewEventAt(0, int32(i), kind, x.Mode, loc)
		y := &alone.Events[last]
		y.Flags, y.Tag, y.RF = x.Flags&^graph.Bad, x.Tag, rf
		y.Addr, y.Data, y.Ctrl, y.Exp = x.Addr, x.Data, x.Ctrl, x.Exp
		alone.Deleted[0] = append(alone.Deleted[0], last)
		if missing {
			continue
		}
		co := int32(0)
		if x.Kind == graph.Write {
			co = int32(len(alone.Locs[loc].Co))
		}
		alone.Add(last, co)
	}
	return alone, last
}
