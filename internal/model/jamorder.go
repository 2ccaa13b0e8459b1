package model

import (
	"ravel/internal/event"
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

// onlyVolatile reports whether all accesses that more than one thread can see are volatile, but for those before the first
// thread is created. If forced is acyclic, such a graph is sequentially consistent, because between two edges of co or fr in a cycle of
// po, rf, co and fr there is one of po, which is a push, or else they are one edge. And any order in which it is
// sequentially consistent will do as pushto: vo, and must, are part of it.
func onlyVolatile(g *graph.Graph) bool {
	for t, evs := range g.Threads {
		created := t > 0
		for _, id := range evs {
			e := &g.Events[id]
			switch {
			case e.Kind == graph.Create:
				created = true
			case created && e.Mode != event.SC && (e.Kind == graph.Read || e.Kind == graph.Write) && isShared(g, e):
				return false
			}
		}
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
