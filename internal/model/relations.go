package model

import (
	"sync"

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

	initial []int32 // by location: the number of its initial write
	// Relations and sets are used again for the next graph.
	rels     []*relation.Rel
	sets     []*relation.Set
	usedRels int
	usedSets int
}

var execs = sync.Pool{New: func() any { return &exec{} }}

// done gives the memory of x back.
func (x *exec) done() {
	x.usedRels, x.usedSets = 0, 0
	execs.Put(x)
}

// newRel returns an empty relation.
func (x *exec) newRel() *relation.Rel {
	r := x.anyRel()
	r.Reset(x.n)
	return r
}

// anyRel returns a relation to write to.
func (x *exec) anyRel() *relation.Rel {
	if x.usedRels == len(x.rels) {
		x.rels = append(x.rels, &relation.Rel{})
	}
	x.usedRels++
	r := x.rels[x.usedRels-1]
	r.Resize(x.n)
	return r
}

// newSet returns an empty set.
func (x *exec) newSet() *relation.Set {
	if x.usedSets == len(x.sets) {
		x.sets = append(x.sets, &relation.Set{})
	}
	x.usedSets++
	s := x.sets[x.usedSets-1]
	s.Reset(x.n)
	return s
}

// newExec reads a graph. The caller calls done when it has finished with it.
func newExec(g *graph.Graph) *exec {
	x := execs.Get().(*exec)
	x.g = g
	x.ids, x.loc, x.initial = x.ids[:0], x.loc[:0], x.initial[:0]
	if len(x.num) < len(g.Events) {
		x.num = make([]int32, 2*len(g.Events))
	}
	for l := range g.Locs {
		x.initial = append(x.initial, -1)
		if g.Locs[l].Size > 0 && !g.Locs[l].Empty() {
			x.initial[l] = int32(len(x.ids))
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
		*s = x.newSet()
	}
	for _, r := range []**relation.Rel{&x.po, &x.rf, &x.co, &x.fr, &x.rmw, &x.addr, &x.data, &x.ctrl, &x.addrPo, &x.exp, &x.start, &x.sameLoc, &x.ext} {
		*r = x.newRel()
	}
	for i := range inits {
		x.w.Add(i)
		x.init.Add(i)
	}
	for _, evs := range g.Threads {
		x.thread(evs)
	}
	for l := range g.Locs {
		if x.initial[l] < 0 {
			continue
		}
		co := g.Locs[l].Co
		for a := range co {
			for b := a + 1; b < len(co); b++ {
				x.co.Add(x.numOf(co[a], int32(l)), x.numOf(co[b], int32(l)))
			}
		}
	}
	x.places()
	inv := x.inverse(x.rf)
	x.fr.Compose(inv, x.co)
	return x
}

// places sets sameLoc and ext, a row at a time.
func (x *exec) places() {
	byThread := make([]*relation.Set, len(x.g.Threads))
	byLoc := make([]*relation.Set, len(x.g.Locs))
	add := func(s **relation.Set, i int) {
		if *s == nil {
			*s = x.newSet()
		}
		(*s).Add(i)
	}
	for i, id := range x.ids {
		if id != graph.Init {
			add(&byThread[x.g.Events[id].Thread], i)
		}
		if x.loc[i] >= 0 {
			add(&byLoc[x.loc[i]], i)
		}
	}
	none := x.newSet()
	for i, id := range x.ids {
		mine := none
		if id != graph.Init {
			mine = byThread[x.g.Events[id].Thread]
		}
		row := x.ext.From(i)
		row.Complement(mine)
		if x.loc[i] >= 0 {
			row = x.sameLoc.From(i)
			row.Union(byLoc[x.loc[i]], none)
			x.sameLoc.Del(i, i)
		}
	}
}

// numOf returns the number of a write of location loc.
func (x *exec) numOf(id graph.ID, loc int32) int {
	if id == graph.Init {
		return int(x.initial[loc])
	}
	return int(x.num[id])
}

// thread adds the events of one thread.
func (x *exec) thread(evs []graph.ID) {
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
			x.rf.Add(x.numOf(e.RF, e.Loc), n)
		case graph.Write:
			x.w.Add(n)
			if e.Flags&graph.RMWPart != 0 && evs[i-1] != graph.Hole {
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
		if int(i) < len(evs) && evs[i] != graph.Hole && int(x.num[evs[i]]) != n {
			r.Add(int(x.num[evs[i]]), n)
		}
	}
}

// where returns the events that f holds for, without the initial writes.
func (x *exec) where(f func(*graph.Event) bool) *relation.Set {
	s := x.newSet()
	for i, id := range x.ids {
		if id != graph.Init && f(&x.g.Events[id]) {
			s.Add(i)
		}
	}
	return s
}

// The operations of cat, each on a relation of its own.

func (x *exec) union(rs ...*relation.Rel) *relation.Rel {
	u := x.newRel()
	for _, r := range rs {
		u.Union(u, r)
	}
	return u
}

func (x *exec) seq(rs ...*relation.Rel) *relation.Rel {
	s := rs[0]
	for _, r := range rs[1:] {
		c := x.anyRel()
		c.Compose(s, r)
		s = c
	}
	return s
}

func (x *exec) and(a, b *relation.Rel) *relation.Rel {
	r := x.newRel()
	r.Intersect(a, b)
	return r
}

func (x *exec) minus(a, b *relation.Rel) *relation.Rel {
	r := x.newRel()
	r.Minus(a, b)
	return r
}

func (x *exec) inverse(a *relation.Rel) *relation.Rel {
	r := x.newRel()
	r.Inverse(a)
	return r
}

func (x *exec) plus(a *relation.Rel) *relation.Rel {
	r := x.newRel()
	r.Closure(a)
	return r
}

func (x *exec) opt(a *relation.Rel) *relation.Rel {
	r := x.newRel()
	r.Opt(a)
	return r
}

func (x *exec) star(a *relation.Rel) *relation.Rel { return x.opt(x.plus(a)) }

func (x *exec) id(s *relation.Set) *relation.Rel {
	r := x.newRel()
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
	if !isAccess(e) {
		return true
	}
	if g.CoMaximal(e) {
		return atomicLast(g, e)
	}
	return m.Check(g)
}
