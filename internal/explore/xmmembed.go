package explore

import (
	"slices"

	"ravel/internal/graph"
	"ravel/internal/relation"
)

// An embedding looks for a committed set of the graph k, a core, whose events are embedded in the graph g: the last
// condition for g to re-execute to k (docs/xmm.md).
//
// The committed set grows from nothing. As long as po ∪ rf of the uncommitted reads has a cycle, one of the reads on it has to be
// committed; as long as the threads have no order that the uncommitted reads respect, those between some two
// threads have. Committing an event also commits what it reads from and what is before it in rpo.
type embedding struct {
	k, g *facts
	f    []int32 // by event of k: its image, none if it is not committed
	back []int32 // by event of g: what it is the image of
}

// embed returns the image in g of each committed event of k, none for the others; nil if there is no embedding.
func embed(k, g *facts) []int32 {
	e := &embedding{k, g, make([]int32, len(k.evs)), make([]int32, len(g.evs))}
	for i := range e.f {
		e.f[i] = none
	}
	for i := range e.back {
		e.back[i] = none
	}
	if !e.repair() {
		return nil
	}
	return e.f
}

// repair commits events until nothing is wrong with the uncommitted reads.
func (e *embedding) repair() bool {
	if cycle := e.porfCycle(); cycle != nil {
		for i, r := range cycle {
			w := cycle[(i+len(cycle)-1)%len(cycle)]
			if e.uncommitted(int32(r)) && int(e.k.evs[r].src) == w && e.commit([]int32{int32(r)}, e.repair) {
				return true
			}
		}
		return false
	}
	cycle := e.threadCycle()
	if cycle == nil {
		return true
	}
	for i, t := range cycle {
		if e.commit(e.readsBetween(cycle[(i+len(cycle)-1)%len(cycle)], t), e.repair) {
			return true
		}
	}
	return false
}

// uncommitted reports whether event i is a read that is not committed.
func (e *embedding) uncommitted(i int32) bool {
	return e.k.evs[i].kind == graph.Read && e.f[i] == none
}

// porfCycle returns a cycle of po and rf of uncommitted reads.
func (e *embedding) porfCycle() []int {
	k := e.k
	r := relation.NewRel(len(k.evs))
	for i := range k.evs {
		x := &k.evs[i]
		if int32(i) > k.first[x.thread] {
			r.Add(i-1, i)
		}
		if x.src != none && (x.kind != graph.Read || e.f[i] == none) {
			r.Add(int(x.src), i)
		}
	}
	return r.Cycle()
}

// threadCycle returns a cycle of threads each of which has an uncommitted read of a write of the one before.
func (e *embedding) threadCycle() []int {
	k := e.k
	r := relation.NewRel(len(k.first) - 1)
	for i := range k.evs {
		x := &k.evs[i]
		if e.uncommitted(int32(i)) && x.src != none && k.evs[x.src].thread != x.thread {
			r.Add(int(k.evs[x.src].thread), int(x.thread))
		}
	}
	return r.Cycle()
}

// readsBetween returns the uncommitted reads of thread t that read from thread s.
func (e *embedding) readsBetween(s, t int) (reads []int32) {
	k := e.k
	for i := k.first[t]; i < k.first[t+1]; i++ {
		if x := &k.evs[i]; e.uncommitted(i) && x.src != none && int(k.evs[x.src].thread) == s {
			reads = append(reads, i)
		}
	}
	return reads
}

// commit commits the events of the list, and what has to be with them, in every possible way until then is true.
func (e *embedding) commit(list []int32, then func() bool) bool {
	for len(list) > 0 && e.f[list[len(list)-1]] != none {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		return then()
	}
	c := list[len(list)-1]
	rest := slices.Clip(list[:len(list)-1])
	k := e.k
	x := &k.evs[c]
	if x.kind == graph.Read && x.src != none {
		rest = append(rest, x.src)
	}
	for i := k.first[x.thread]; i < c; i++ {
		if k.rpo.Has(int(i), int(c)) {
			rest = append(rest, i)
		}
	}
	if int(x.thread) >= len(e.g.first)-1 {
		return false
	}
	for y := e.g.first[x.thread]; y < e.g.first[x.thread+1]; y++ {
		if e.back[y] != none || e.g.evs[y].label != x.label || !e.fits(c, y) {
			continue
		}
		e.f[c], e.back[y] = y, c
		if e.commit(rest, then) {
			return true
		}
		e.f[c], e.back[y] = none, none
	}
	return false
}

// fits reports whether y can be the image of c next to what is committed already: rf, co, rpo are the same among the
// committed events, and what is causally ordered in k may be so in g.
func (e *embedding) fits(c, y int32) bool {
	k, g := e.k, e.g
	a, b := &k.evs[c], &g.evs[y]
	if a.kind == graph.Read && (a.src == none) != (b.src == none) {
		return false
	}
	if !e.agree(c, c, y, y) {
		return false
	}
	for d, z := range e.f {
		if z != none && !(e.agree(c, int32(d), y, z) && e.agree(int32(d), c, z, y)) {
			return false
		}
	}
	return true
}

// agree checks the events a and b of k with the images x and y.
func (e *embedding) agree(a, b, x, y int32) bool {
	k, g := e.k, e.g
	if k.porf.Has(int(a), int(b)) && !g.cause.Has(int(x), int(y)) {
		return false
	}
	if a == b {
		return true
	}
	if k.rpo.Has(int(a), int(b)) != g.rpo.Has(int(x), int(y)) {
		return false
	}
	ka, kb, ga, gb := &k.evs[a], &k.evs[b], &g.evs[x], &g.evs[y]
	switch {
	case kb.kind == graph.Read:
		return (kb.src == a) == (gb.src == x)
	case ka.kind == graph.Write && kb.kind == graph.Write && ka.addr == kb.addr:
		return (ka.co < kb.co) == (ga.co < gb.co)
	}
	return true
}
