package model

import (
	"sync"

	"ravel/internal/graph"
	"ravel/internal/relation"
)

// tryAll is the definition: it tries every pushto.
func (m *jam) tryAll(x *jamExec) bool {
	found := false
	relation.LinearExtensions(&x.dom, &x.must, func(order []int) bool {
		pushto := relation.NewRel(len(x.ids))
		pushto.Order(order)
		found = m.allows(x, pushto)
		return !found && !x.stop.Load()
	})
	return found
}

// allows reports whether the graph is consistent if pushto is this order, or one that extends it.
func (m *jam) allows(x *jamExec, pushto *relation.Rel) bool {
	n := len(x.ids)
	vo, io := relation.NewRel(n), relation.NewRel(n)
	io.Compose(pushto, &x.push)
	io.Union(io, &x.base)
	vo.Closure(io)
	if m.thesis {
		return x.thesisCoherent(vo)
	}
	for a, b := range vo.Pairs() {
		if x.weak.Has(b, a) {
			return false
		}
	}
	return true
}

// thesisCoherent reports whether the order of writes that vo, without po|loc, leads to is acyclic.
func (x *jamExec) thesisCoherent(vo *relation.Rel) bool {
	n := len(x.ids)
	isWrite := func(i int, loc int32) bool { return i == 0 || x.writes[i] != graph.Init && x.event(i).Loc == loc }
	co := relation.NewRel(n)
	add := func(a, b int) {
		if a != b {
			co.Add(a, b)
		}
	}
	for b := 1; b < n; b++ {
		e := x.event(b)
		if e.Kind != graph.Read && e.Kind != graph.Write {
			continue
		}
		to := b
		if e.Kind == graph.Read {
			to = x.source(b)
		}
		for a := range n {
			sameLoc := x.po(a, b) && (a == 0 || x.event(a).Loc == e.Loc)
			if isWrite(a, e.Loc) && (vo.Has(a, b) || sameLoc) {
				add(a, to) // coww, cowr
			}
			if !x.po(a, b) || a == 0 {
				continue
			}
			if e.Kind == graph.Write { // corw
				for w := range n {
					if isWrite(w, e.Loc) && vo.Has(w, a) {
						add(w, b)
					}
				}
			} else if p := x.event(a); p.Kind == graph.Read && p.Loc == e.Loc { // corr
				add(x.source(a), to)
			}
		}
	}
	return co.Acyclic()
}

// po reports whether a is before b in program order; the initial write of the thesis, 0, is before everything.
func (x *jamExec) po(a, b int) bool {
	if a == 0 || b == 0 {
		return a == 0 && b != 0
	}
	e, y := x.event(a), x.event(b)
	return e.Thread == y.Thread && e.Index < y.Index
}

// source returns the number of the write that the read r reads.
func (x *jamExec) source(r int) int {
	for a := range x.ids {
		if x.rf.Has(a, r) {
			return a
		}
	}
	panic("jam: a read that reads nothing")
}

// forced is push;vo₀?;weak;vo₀? on the domain of push: what pushto has to extend if co is to extend what it leads to.
func (x *jamExec) forced() *relation.Rel {
	n := len(x.ids)
	x.vo.Resize(n)
	x.r.Resize(n)
	x.s.Resize(n)
	x.vo.Star(&x.base)
	x.r.Compose(&x.push, &x.vo)
	x.s.Compose(&x.r, &x.weak)
	x.r.Compose(&x.s, &x.vo)
	x.r.RestrictRange(&x.r, &x.dom)
	return &x.r
}

// orderable decides whether there is a pushto without looking for one: any order will do that extends must and
// forced (see jam.cycle), because must extends vo₀ on the domain of push.
func (x *jamExec) orderable() bool {
	r := x.forced()
	r.Union(r, &x.must)
	return r.Acyclic()
}

// A replay performs the events of a graph one after the other.
type replay struct {
	g       *graph.Graph
	at      []int32 // by thread: how many events were performed
	readers []int32 // by graph.ID of a write: how many of its reads were not
	initial []int32 // the same for initial writes, by location
}

var replays = sync.Pool{New: func() any { return &replay{} }}

// sequential reports whether the graph is sequentially consistent: then all models here allow it, because any order that extends po, rf, co
// and fr will do as pushto. What pushto has to extend and vo are part of that order, so whatever is derived agrees with co. Most
// executions of most programs are, and this is quick to see.
func sequential(g *graph.Graph) bool {
	r := replays.Get().(*replay)
	defer replays.Put(r)
	r.g, r.at = g, g.Scratch(0, 0)
	if len(r.readers) < len(g.Events) {
		r.readers = make([]int32, 2*len(g.Events))
	}
	if len(r.initial) < len(g.Locs) {
		r.initial = make([]int32, 2*len(g.Locs))
	}
	left := 0
	for _, evs := range g.Threads {
		left += len(evs)
		for _, id := range evs {
			if e := &g.Events[id]; e.Kind == graph.Write || e.Kind == graph.Read {
				r.readers[id], r.initial[e.Loc] = 0, 0
			}
		}
	}
	for _, evs := range g.Threads {
		for _, id := range evs {
			if e := &g.Events[id]; e.Kind == graph.Read {
				*r.of(e.RF, e.Loc)++
			}
		}
	}
	for moved := true; left > 0 && moved; {
		moved = false
		for t, evs := range g.Threads {
			for int(r.at[t]) < len(evs) && r.perform(evs[r.at[t]]) {
				r.at[t]++
				left--
				moved = true
			}
		}
	}
	return left == 0
}

// of returns the number of reads of a write, or of the initial write of loc, that were not performed.
func (r *replay) of(write graph.ID, loc int32) *int32 {
	if write == graph.Init {
		return &r.initial[loc]
	}
	return &r.readers[write]
}

// performed reports whether an event was.
func (r *replay) performed(id graph.ID) bool {
	e := &r.g.Events[id]
	return id == graph.Init || e.Index < r.at[e.Thread]
}

// perform performs the event id, the next of its thread, if what must come before it was performed.
func (r *replay) perform(id graph.ID) bool {
	e := &r.g.Events[id]
	switch e.Kind {
	case graph.Read:
		if !r.performed(e.RF) {
			return false
		}
		*r.of(e.RF, e.Loc)--
	case graph.Write:
		before := r.g.Locs[e.Loc].Co[e.Co-1]
		return r.performed(before) && *r.of(before, e.Loc) == 0
	case graph.Start, graph.Join:
		return r.performed(e.RF)
	}
	return true
}

// solve decides whether there is a pushto where must does not extend vo₀, or where co plays no part. It extends must by the
// pairs that are forced, and branches only if there are none.
func (m *jam) solve(x *jamExec) bool {
	if m.guess(x) {
		return true
	}
	order := relation.NewRel(len(x.ids))
	order.Union(order, &x.must)
	if !m.thesis {
		order.Union(order, x.forced())
	}
	order.Closure(order)
	if !order.Irreflexive() {
		return false
	}
	return m.extend(x, order)
}

// guess tries one pushto: an order that extends must and, though it need not, forced.
func (m *jam) guess(x *jamExec) bool {
	r := x.forced()
	r.Union(r, &x.must)
	found := false
	relation.LinearExtensions(&x.dom, r, func(order []int) bool {
		pushto := relation.NewRel(len(x.ids))
		pushto.Order(order)
		found = m.allows(x, pushto)
		return false
	})
	return found
}

// extend reports whether order, which is transitive, can be extended to a pushto.
func (m *jam) extend(x *jamExec, order *relation.Rel) bool {
	if !m.allows(x, order) {
		return false
	}
	free := [2]int{-1, -1}
	for again := true; again; {
		again = false
		free = [2]int{-1, -1}
		for a := range x.dom.Events() {
			for b := range x.dom.Events() {
				if a >= b || order.Has(a, b) || order.Has(b, a) {
					continue
				}
				if x.stop.Load() {
					return false
				}
				ab, ba := with(order, a, b), with(order, b, a)
				okAB, okBA := m.allows(x, ab), m.allows(x, ba)
				switch {
				case !okAB && !okBA:
					return false
				case !okAB:
					order, again = ba, true
				case !okBA:
					order, again = ab, true
				default:
					free = [2]int{a, b}
				}
			}
		}
	}
	if free[0] < 0 {
		return true
	}
	return m.extend(x, with(order, free[0], free[1])) || m.extend(x, with(order, free[1], free[0]))
}

// with returns the transitive order with a before b.
func with(order *relation.Rel, a, b int) *relation.Rel {
	r := order.Clone()
	for i := range order.Len() {
		if i != a && !order.Has(i, a) {
			continue
		}
		r.Add(i, b)
		for j := range order.Len() {
			if order.Has(b, j) {
				r.Add(i, j)
			}
		}
	}
	return r
}
