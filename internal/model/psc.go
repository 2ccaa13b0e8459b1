package model

import (
	"math"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// pscAcyclic reports whether psc has no cycle with a co or fr edge (eco, between fences) that leaves e.
//
// That is all there is to ask when e was added last: every new psc edge is of this kind, because e is
// the last event of its thread and hb only goes into it. So there is a new cycle iff some sc
// event that e now leads to reaches, along psc, one that leads to e.
func pscAcyclic(g *graph.Graph, e *graph.Event) bool {
	if e.Mode == event.SC {
		s := pscSearch{g, g.Scratch(0, far), g.Scratch(1, far)}
		s.enterByWrites(e)
		self := func(t int32) int {
			if t != e.Thread {
				return -1
			}
			return slices.Index(g.SC[t], g.Threads[t][e.Index])
		}
		if s.closes(self) {
			return false
		}
	}
	if g.SCFences == 0 {
		return true
	}
	// Of the fences in hb(e), the last one of each thread is reached by all before it.
	goal := func(t int32) int {
		sc := g.SC[t]
		for i := len(sc) - 1; i >= 0; i-- {
			if f := &g.Events[sc[i]]; f.Kind == graph.Fence && g.InHB(sc[i], e) {
				return i
			}
		}
		return -1
	}
	fences := false
	for t := range g.SC {
		fences = fences || goal(int32(t)) >= 0
	}
	if !fences {
		return true
	}
	s := pscSearch{g, g.Scratch(0, far), g.Scratch(1, far)}
	s.enterByAccesses(e)
	return !s.closes(goal)
}

const far = math.MaxInt32

// A pscSearch finds the sc events that psc leads to. Those of one thread are ordered by po, so it is
// enough to know the first: reach has its place in graph.SC, done that of the first whose
// edges have been followed.
type pscSearch struct {
	g     *graph.Graph
	reach []int32
	done  []int32
}

// enterByWrites begins with what (co ∪ fr);hb? leads to from e, an sc access.
func (s *pscSearch) enterByWrites(e *graph.Event) {
	front := s.g.Scratch(2, far)
	frontier(s.g, e, front, false)
	s.enter(e, front)
}

// enterByAccesses begins with what an sc fence before e leads to by e: eco;hb to fences, co ∪ fr to accesses.
func (s *pscSearch) enterByAccesses(e *graph.Event) {
	front := s.g.Scratch(2, far)
	frontier(s.g, e, front, true)
	s.enter(e, front)
}

// enter begins with the fences that happen after the events of front, and with the sc writes
// co- or fr-after e.
func (s *pscSearch) enter(e *graph.Event, front []int32) {
	g := s.g
	for t, sc := range g.SC {
		fences := true // those that were looked at know front
		for i := len(sc) - 1; i >= 0 && (fences || g.SCFences < g.NumSC); i-- {
			switch b := &g.Events[sc[i]]; {
			case b.Thread == e.Thread && b.Index >= e.Index:
			case b.Kind == graph.Fence:
				if fences = fences && knows(g, b, front); fences { // if not, those before it don't either
					s.reach[t] = int32(i)
				}
			case b.Kind == graph.Write && b.Loc == e.Loc && g.Key(e) < g.Key(b):
				s.reach[t] = int32(i)
			}
		}
	}
}

// closes follows psc until it comes to the goal of a thread (-1: it has none), or to its end.
func (s *pscSearch) closes(goal func(t int32) int) bool {
	g := s.g
	for again := true; again; {
		again = false
		for t := range s.reach {
			if s.reach[t] >= s.done[t] || s.reach[t] == far {
				continue
			}
			if i := goal(int32(t)); i >= 0 && int(s.reach[t]) <= i {
				return true
			}
			from, to := s.reach[t], min(s.done[t], int32(len(g.SC[t])))
			s.done[t] = from
			again = true
			fence := false
			for _, id := range g.SC[t][from:to] {
				a := &g.Events[id]
				if a.Kind == graph.Fence {
					if fence {
						continue // the first one leads to all that this does
					}
					fence = true
				}
				s.follow(a)
			}
		}
	}
	return false
}

// follow takes the psc edges that leave a.
func (s *pscSearch) follow(a *graph.Event) {
	g := s.g
	var front []int32 // only what leads to fences needs it
	next := nextElsewhere(g, a)
	for t, sc := range g.SC {
		if len(sc) == 0 || g.SCFences == 0 && s.leadsNowhere(a, int32(t)) {
			continue
		}
		for i, id := range sc[:min(len(sc), int(s.reach[t]))] {
			b := &g.Events[id]
			if a == b {
				continue
			}
			if front == nil && b.Kind == graph.Fence {
				front = frontOf(g, a)
			}
			if leadsTo(g, a, b, next, front) {
				s.reach[t] = int32(i)
				break
			}
		}
	}
}

// leadsNowhere reports whether the access a leads to nothing in thread t: it happens before none of its events, and comes before none of its writes in co or fr.
func (s *pscSearch) leadsNowhere(a *graph.Event, t int32) bool {
	g := s.g
	if t == a.Thread || hb(g, a, &g.Events[g.Last(t)]) {
		return false
	}
	w := g.Locs[a.Loc].Last[t].Write // the co-latest of its writes there
	return w == graph.None || g.Key(&g.Events[w]) <= g.Key(a)
}

// frontOf returns, for each thread, the first event that a leads to by (co ∪ fr), for a fence by hb;eco.
func frontOf(g *graph.Graph, a *graph.Event) []int32 {
	front := g.Scratch(2, far)
	if a.Kind == graph.Fence {
		fenceFrontier(g, a, front)
	} else {
		frontier(g, a, front, false)
	}
	return front
}

// leadsTo reports whether (a, b), two sc events, is in psc_base ∪ psc_F; next is nextElsewhere of a, front is frontOf it if b is a fence.
func leadsTo(g *graph.Graph, a, b, next *graph.Event, front []int32) bool {
	if a.Thread == b.Thread && a.Index < b.Index {
		return true
	}
	switch af, bf := a.Kind == graph.Fence, b.Kind == graph.Fence; {
	case af && bf:
		return hb(g, a, b) || knows(g, b, front)
	case bf:
		return knows(g, b, front) || accessToFence(g, a, b)
	case af:
		return fenceToAccess(g, a, b)
	default:
		return scb(g, a, b, next)
	}
}

// knows reports whether one of the events of front, by thread, happens before b.
func knows(g *graph.Graph, b *graph.Event, front []int32) bool {
	for t, i := range front {
		if int32(t) == b.Thread {
			if i < b.Index {
				return true
			}
		} else if i < g.Count(b.HB, int32(t)) {
			return true
		}
	}
	return false
}

// frontier lowers front, for each thread, to the first write that is co- or fr-after x; to the first access
// that is eco-after x if eco is set.
func frontier(g *graph.Graph, x *graph.Event, front []int32, eco bool) {
	l := &g.Locs[x.Loc]
	k := g.Key(x)
	for t := range l.Last {
		lower(g, l.Last[t].Write, k, &front[t])
		if eco {
			lower(g, l.Last[t].Read, k, &front[t])
		}
	}
}

// lower lowers first to the index of the earliest access in the chain from id whose key is above k.
func lower(g *graph.Graph, id graph.ID, k int32, first *int32) {
	for ; id != graph.None; id = g.Events[id].Prev {
		e := &g.Events[id]
		if g.Key(e) <= k {
			break
		}
		*first = min(*first, e.Index)
	}
}

// fenceFrontier is frontier for hb;eco from the fence a.
func fenceFrontier(g *graph.Graph, a *graph.Event, front []int32) {
	for t, evs := range g.Threads {
		from := int(a.Index) + 1
		if int32(t) != a.Thread {
			from = firstKnowing(g, evs, a)
		}
		for _, id := range evs[min(from, len(evs)):] {
			// A co-maximal write may still have readers.
			if x := &g.Events[id]; x.Kind == graph.Write || x.Kind == graph.Read && !g.CoMaximal(x) {
				frontier(g, x, front, true)
			}
		}
	}
}

// hb reports whether a happens before b (a ≠ b).
func hb(g *graph.Graph, a, b *graph.Event) bool {
	if a.Thread == b.Thread {
		return a.Index < b.Index
	}
	return a.Index < g.Count(b.HB, a.Thread)
}

// scb is po|≠loc;hb;po|≠loc ∪ hb|loc ∪ co ∪ fr, between accesses; u is nextElsewhere of a.
func scb(g *graph.Graph, a, b, u *graph.Event) bool {
	if a.Loc == b.Loc {
		return hb(g, a, b) || b.Kind == graph.Write && g.Key(a) < g.Key(b)
	}
	if u == nil || !hb(g, u, b) { // it happens before nothing that is before b either
		return false
	}
	v := prevElsewhere(g, b)
	return v != nil && u != v && hb(g, u, v)
}

// nextElsewhere returns the first event po-after a that is not an access of a's location.
func nextElsewhere(g *graph.Graph, a *graph.Event) *graph.Event {
	evs := g.Threads[a.Thread]
	for i := int(a.Index) + 1; i < len(evs); i++ {
		if u := &g.Events[evs[i]]; u.Loc != a.Loc {
			return u
		}
	}
	return nil
}

// prevElsewhere returns the last event po-before b that is not an access of b's location.
func prevElsewhere(g *graph.Graph, b *graph.Event) *graph.Event {
	evs := g.Threads[b.Thread]
	for i := int(b.Index) - 1; i >= 0; i-- {
		if v := &g.Events[evs[i]]; v.Loc != b.Loc {
			return v
		}
	}
	return nil
}

// accessToFence is [Esc];(po ∪ hb|loc);hb?;[Fsc].
func accessToFence(g *graph.Graph, a, b *graph.Event) bool {
	evs := g.Threads[a.Thread]
	if int(a.Index)+1 < len(evs) && g.InHB(evs[a.Index+1], b) {
		return true // po;hb?
	}
	l := &g.Locs[a.Loc]
	for t := range l.Last { // hb|loc;hb: the last access of a thread in hb(b) knows most
		for _, last := range [2]graph.ID{l.Last[t].Read, l.Last[t].Write} {
			if y := lastIn(g, last, b); y != nil && y != a && hb(g, a, y) {
				return true
			}
		}
	}
	return false
}

// lastIn returns the latest access in the chain from id that happens before b.
func lastIn(g *graph.Graph, id graph.ID, b *graph.Event) *graph.Event {
	for ; id != graph.None; id = g.Events[id].Prev {
		if y := &g.Events[id]; hb(g, y, b) {
			return y
		}
	}
	return nil
}

// fenceToAccess is [Fsc];hb?;scb;[Esc].
func fenceToAccess(g *graph.Graph, a, b *graph.Event) bool {
	if b.Index > 0 {
		pred := &g.Events[g.Threads[b.Thread][b.Index-1]]
		if pred == a || hb(g, a, pred) {
			return true // hb?;po
		}
	}
	l := &g.Locs[b.Loc]
	for t := range l.Last {
		for _, last := range [2]graph.ID{l.Last[t].Read, l.Last[t].Write} {
			// hb;hb|loc: the last access of a thread in hb(b) knows most.
			if x := lastIn(g, last, b); x != nil && hb(g, a, x) {
				return true
			}
			if b.Kind != graph.Write {
				continue
			}
			// hb;(co ∪ fr): the first access after a in a thread is the co-earliest.
			if x := firstAfter(g, last, a); x != nil && g.Key(x) < g.Key(b) {
				return true
			}
		}
	}
	return false
}

// firstAfter returns the earliest access in the chain from id that happens after a.
func firstAfter(g *graph.Graph, id graph.ID, a *graph.Event) *graph.Event {
	var first *graph.Event
	for ; id != graph.None; id = g.Events[id].Prev {
		x := &g.Events[id]
		if !hb(g, a, x) {
			break
		}
		first = x
	}
	return first
}

// firstKnowing returns the place in evs, the events of another thread, of the first that a happens before.
func firstKnowing(g *graph.Graph, evs []graph.ID, a *graph.Event) int {
	lo, hi := 0, len(evs)
	for lo < hi {
		mid := (lo + hi) / 2
		if hb(g, a, &g.Events[evs[mid]]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// PSC has what psc is made of: the sc events and, among them, the fences; po within threads; the pairs of accesses of one location; hb; co ∪ fr; and eco.
type PSC struct {
	SC, Fences                   *relation.Set
	PO, SameLoc, HB, CoOrFR, ECO *relation.Rel
}

// Relation returns psc as a relation, for executions that are checked as a whole:
//
//	scb = po ∪ po|≠loc;hb;po|≠loc ∪ hb|loc ∪ co ∪ fr
//	psc = ([Esc] ∪ [Fsc];hb?);scb;([Esc] ∪ hb?;[Fsc]) ∪ [Fsc];(hb ∪ hb;eco;hb);[Fsc]
//
// newRel returns empty relations.
func (p *PSC) Relation(newRel func() *relation.Rel) *relation.Rel {
	psc, tmp, other, scb := newRel(), newRel(), newRel(), newRel()
	other.Minus(p.PO, p.SameLoc)
	tmp.Compose(other, p.HB)
	scb.Compose(tmp, other)
	tmp.Intersect(p.HB, p.SameLoc)
	scb.Union(scb, tmp)
	scb.Union(scb, p.PO)
	scb.Union(scb, p.CoOrFR)

	sc, hbOpt, left, right := newRel(), newRel(), newRel(), newRel()
	sc.Identity(p.SC)
	hbOpt.Opt(p.HB)
	left.RestrictDomain(p.Fences, hbOpt)
	left.Union(left, sc)
	right.RestrictRange(hbOpt, p.Fences)
	right.Union(right, sc)
	tmp.Compose(left, scb)
	psc.Compose(tmp, right)
	if p.Fences.Empty() {
		return psc
	}
	fences := scb
	tmp.Compose(p.HB, p.ECO)
	fences.Compose(tmp, p.HB)
	fences.Union(fences, p.HB)
	tmp.RestrictDomain(p.Fences, fences)
	fences.RestrictRange(tmp, p.Fences)
	psc.Union(psc, fences)
	return psc
}

// psc is that of x, with this hb.
func (x *exec) psc(hb *relation.Rel) *relation.Rel {
	sc := x.where(func(e *graph.Event) bool { return e.Mode == event.SC })
	if sc.Empty() {
		return x.newRel()
	}
	p := PSC{SC: sc, PO: x.po, SameLoc: x.sameLoc, HB: hb, CoOrFR: x.union(x.co, x.fr), ECO: x.eco()}
	p.Fences = x.where(func(e *graph.Event) bool { return e.Mode == event.SC && e.Kind == graph.Fence })
	return p.Relation(x.newRel)
}
