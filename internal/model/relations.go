package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// An exec is a graph as sets and relations over its events, numbered thread by thread in program
// order after the initial writes of the locations that have events.
type exec struct {
	g   *graph.Graph
	n   int
	ids []graph.ID // by number; Init for an initial write
	loc []int32    // by number; -1 if none
	num []int32    // by graph.ID: number

	r, w, f, init                         *relation.Set
	po, rf, co, fr, rmw, addr, data, ctrl *relation.Rel
	addrPo                                *relation.Rel // addr;po, also where the access between is a hole
	exp                                   *relation.Rel // from what the expected value of a CAS depends on
	start                                 *relation.Rel // create → start, end → join
	sameLoc, ext                          *relation.Rel
}

// newExec reads a graph.
func newExec(g *graph.Graph) *exec {
	x := &exec{g: g, num: make([]int32, len(g.Events))}
	initial := map[int32]int{}
	for l := range g.Locs {
		if g.Locs[l].Size > 0 && !g.Locs[l].Empty() {
			initial[int32(l)] = len(x.ids)
			x.ids, x.loc = append(x.ids, graph.Init), append(x.loc, int32(l))
		}
	}
	inits := len(x.ids)
	for _, evs := range g.Threads {
		for _, id := range evs {
			if id == graph.Init {
				continue
			}
			e := &g.Events[id]
			x.num[id] = int32(len(x.ids))
			l := int32(-1)
			if e.Kind == graph.Read || e.Kind == graph.Write {
				l = e.Loc
			}
			x.ids, x.loc = append(x.ids, id), append(x.loc, l)
		}
	}
	x.n = len(x.ids)
	for _, s := range []**relation.Set{&x.r, &x.w, &x.f, &x.init} {
		*s = relation.NewSet(x.n)
	}
	for _, r := range []**relation.Rel{&x.po, &x.rf, &x.co, &x.fr, &x.rmw, &x.addr, &x.data, &x.ctrl, &x.addrPo, &x.exp, &x.start, &x.sameLoc, &x.ext} {
		*r = relation.NewRel(x.n)
	}
	for i := range inits {
		x.w.Add(i)
		x.init.Add(i)
	}
	numOf := func(id graph.ID, loc int32) int {
		if id == graph.Init {
			return initial[loc]
		}
		return int(x.num[id])
	}
	for _, evs := range g.Threads {
		x.thread(evs, numOf)
	}
	for l, i := range initial {
		co := g.Locs[l].Co
		for a := range co {
			for b := a + 1; b < len(co); b++ {
				x.co.Add(numOf(co[a], l), numOf(co[b], l))
			}
		}
		_ = i
	}
	for i := range x.n {
		for j := range x.n {
			if i != j && x.loc[i] >= 0 && x.loc[i] == x.loc[j] {
				x.sameLoc.Add(i, j)
			}
			if x.ids[i] == graph.Init || x.ids[j] == graph.Init || g.Events[x.ids[i]].Thread != g.Events[x.ids[j]].Thread {
				x.ext.Add(i, j)
			}
		}
	}
	inv := x.inverse(x.rf)
	x.fr.Compose(inv, x.co)
	return x
}

// thread adds the events of one thread.
func (x *exec) thread(evs []graph.ID, numOf func(graph.ID, int32) int) {
	g := x.g
	for i, id := range evs {
		if id == graph.Init {
			continue
		}
		e := &g.Events[id]
		n := int(x.num[id])
		switch e.Kind {
		case graph.Read:
			x.r.Add(n)
			x.rf.Add(numOf(e.RF, e.Loc), n)
		case graph.Write:
			x.w.Add(n)
			if e.Flags&graph.RMWPart != 0 && evs[i-1] != graph.Init {
				x.rmw.Add(int(x.num[evs[i-1]]), n)
			}
		case graph.Fence:
			x.f.Add(n)
		case graph.Start, graph.Join:
			if e.RF != graph.Init {
				x.start.Add(int(x.num[e.RF]), n)
			}
		}
		for _, p := range evs[:i] {
			if p != graph.Init {
				x.po.Add(int(x.num[p]), n)
			}
		}
		x.deps(x.addr, e.Addr, evs, n)
		x.deps(x.data, e.Data, evs, n)
		x.deps(x.ctrl, e.Ctrl, evs, n)
		x.deps(x.addrPo, e.AddrPo, evs, n)
		x.deps(x.exp, e.Exp, evs, n)
	}
}

func (x *exec) deps(r *relation.Rel, s event.DepSet, evs []graph.ID, n int) {
	for _, i := range x.g.Deps.Members(s) {
		if int(i) < len(evs) && evs[i] != graph.Init && int(x.num[evs[i]]) != n {
			r.Add(int(x.num[evs[i]]), n)
		}
	}
}

// where returns the events that f holds for, without the initial writes.
func (x *exec) where(f func(*graph.Event) bool) *relation.Set {
	s := relation.NewSet(x.n)
	for i, id := range x.ids {
		if id != graph.Init && f(&x.g.Events[id]) {
			s.Add(i)
		}
	}
	return s
}

// The operations of cat, each on fresh relations.

func (x *exec) union(rs ...*relation.Rel) *relation.Rel {
	u := relation.NewRel(x.n)
	for _, r := range rs {
		u.Union(u, r)
	}
	return u
}

func (x *exec) seq(rs ...*relation.Rel) *relation.Rel {
	s := rs[0]
	for _, r := range rs[1:] {
		c := relation.NewRel(x.n)
		c.Compose(s, r)
		s = c
	}
	return s
}

func (x *exec) and(a, b *relation.Rel) *relation.Rel {
	r := relation.NewRel(x.n)
	r.Intersect(a, b)
	return r
}

func (x *exec) minus(a, b *relation.Rel) *relation.Rel {
	r := relation.NewRel(x.n)
	r.Minus(a, b)
	return r
}

func (x *exec) inverse(a *relation.Rel) *relation.Rel {
	r := relation.NewRel(x.n)
	r.Inverse(a)
	return r
}

func (x *exec) plus(a *relation.Rel) *relation.Rel {
	r := relation.NewRel(x.n)
	r.Closure(a)
	return r
}

func (x *exec) opt(a *relation.Rel) *relation.Rel {
	r := relation.NewRel(x.n)
	r.Opt(a)
	return r
}

func (x *exec) star(a *relation.Rel) *relation.Rel { return x.opt(x.plus(a)) }

func (x *exec) id(s *relation.Set) *relation.Rel {
	r := relation.NewRel(x.n)
	r.Identity(s)
	return r
}

// coherent reports whether hb;eco is irreflexive and RMWs that are not Bad are atomic.
func (x *exec) coherent(hb *relation.Rel) bool {
	eco := x.eco()
	return hb.Irreflexive() && x.seq(hb, eco).Irreflexive() && x.atomic()
}

func (x *exec) eco() *relation.Rel { return x.plus(x.union(x.rf, x.co, x.fr)) }

// atomic reports whether no write comes between the two halves of an RMW.
func (x *exec) atomic() bool {
	for i, j := range x.and(x.rmw, x.seq(x.fr, x.co)).Pairs() {
		_ = i
		if x.g.Events[x.ids[j]].Flags&graph.Bad == 0 {
			return false
		}
	}
	return true
}

// checkLast is CheckLast for a model in which what has no co- or fr-successor has no successor at all.
func checkLast(g *graph.Graph, id graph.ID, m DepModel) bool {
	e := &g.Events[id]
	if isBarrier(e) {
		return true
	}
	if g.CoMaximal(e) {
		return atomicLast(g, e)
	}
	return m.Check(g)
}
