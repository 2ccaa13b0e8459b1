package xmm

import (
	"maps"
	"slices"
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/model"
	"ravel/internal/relation"
)

// consistent reports whether f, whose writes have their places in co, satisfies C11's axioms: those of rc11 without
// acyclic(po ∪ rf); or those of Java's model.
func (f *facts) consistent() bool {
	if f.java != nil {
		return f.inJava()
	}
	if !f.hb.Irreflexive() {
		return false
	}
	sc := 0
	for i := range f.evs {
		e := &f.evs[i]
		if e.mode == event.SC {
			sc++
		}
		if e.rmw {
			before := int32(0)
			if src := f.evs[i-1].src; src != none {
				before = f.evs[src].co
			}
			if e.co != before+1 {
				return false
			}
		}
	}
	for _, list := range f.byLoc() {
		for _, i := range list {
			e := &f.evs[i]
			for _, j := range list {
				x := &f.evs[j]
				if j == i || !f.hb.Has(int(i), int(j)) {
					continue
				}
				if a, b := f.place(e), f.place(x); a > b || a == b && (e.kind != graph.Read || x.kind != graph.Read) {
					return false
				}
			}
		}
	}
	return sc < 2 || f.psc()
}

// byLoc returns the accesses of each location.
func (f *facts) byLoc() map[event.Addr][]int32 {
	if f.accesses == nil {
		f.accesses = map[event.Addr][]int32{}
		for i := range f.evs {
			if e := &f.evs[i]; e.access() {
				f.accesses[e.addr] = append(f.accesses[e.addr], int32(i))
			}
		}
	}
	return f.accesses
}

// psc reports whether psc of rc11 is acyclic.
func (f *facts) psc() bool {
	n := len(f.evs)
	newRel := func() *relation.Rel { return relation.NewRel(n) }
	p := model.PSC{SC: relation.NewSet(n), Fences: relation.NewSet(n), PO: newRel(), SameLoc: newRel(), HB: f.hb, CoOrFR: newRel(), ECO: newRel()}
	for i := range n {
		a := &f.evs[i]
		if a.mode == event.SC {
			p.SC.Add(i)
			if a.kind == graph.Fence {
				p.Fences.Add(i)
			}
		}
		for j := range n {
			b := &f.evs[j]
			if a.thread == b.thread && i < j {
				p.PO.Add(i, j)
			}
			if i == j || !a.access() || !b.access() || a.addr != b.addr {
				continue
			}
			p.SameLoc.Add(i, j)
			if f.place(a) < f.place(b) {
				p.ECO.Add(i, j)
				if b.kind == graph.Write {
					p.CoOrFR.Add(i, j) // rf leads to reads
				}
			}
		}
	}
	return p.Relation(newRel).Acyclic()
}

// eachCo gives the writes of f every order of co that makes it consistent, and calls yield each time.
// The writes that are fixed keep the order that they have among themselves. It ends early when stop is set.
func (f *facts) eachCo(fixed func(w int32) bool, stop *atomic.Bool, yield func()) {
	if f.java == nil && !f.hb.Irreflexive() {
		return
	}
	var locs [][]int32
	writes := f.writes()
	for _, addr := range slices.Sorted(maps.Keys(writes)) {
		if ws := writes[addr]; len(ws) > 1 {
			locs = append(locs, ws)
		} else {
			f.evs[ws[0]].co = 1
		}
	}
	var choose func(l int)
	choose = func(l int) {
		if l == len(locs) {
			if f.consistent() {
				yield()
			}
			return
		}
		ws := locs[l]
		before := f.mustBefore(ws, fixed)
		placed := make([]bool, len(ws))
		var put func(n int)
		put = func(n int) {
			if stop.Load() {
				return
			}
			if n == len(ws) {
				choose(l + 1)
				return
			}
			for i, w := range ws {
				if placed[i] || !free(i, before, placed) || !f.adjacent(ws, w, int32(n+1)) {
					continue
				}
				placed[i] = true
				old := f.evs[w].co
				f.evs[w].co = int32(n + 1)
				put(n + 1)
				f.evs[w].co = old
				placed[i] = false
			}
		}
		put(0)
	}
	choose(0)
}

// free reports whether all that must come before i is placed.
func free(i int, before [][]bool, placed []bool) bool {
	for j := range before {
		if before[j][i] && !placed[j] {
			return false
		}
	}
	return true
}

// adjacent reports whether the write w may come at place n: that of an RMW right after what the RMW reads.
func (f *facts) adjacent(ws []int32, w, n int32) bool {
	if !f.evs[w].rmw {
		return true
	}
	src := f.evs[w-1].src
	if src == none {
		return n == 1
	}
	return f.evs[src].co == n-1
}

// mustBefore returns which of the writes of a location come before which by coherence.
func (f *facts) mustBefore(ws []int32, fixed func(w int32) bool) [][]bool {
	before := make([][]bool, len(ws))
	index := map[int32]int{}
	for i, w := range ws {
		before[i] = make([]bool, len(ws))
		index[w] = i
	}
	for i, w := range ws {
		for j, v := range ws {
			if fixed(w) && fixed(v) && f.evs[w].co < f.evs[v].co {
				before[i][j] = true
			}
		}
	}
	write := func(i int32) (int, bool) {
		e := &f.evs[i]
		w := i
		if e.kind == graph.Read {
			w = e.src
		}
		at, ok := index[w]
		return at, ok
	}
	list := f.byLoc()[f.evs[ws[0]].addr]
	for _, i := range list {
		for _, j := range list {
			if i == j || !f.hb.Has(int(i), int(j)) {
				continue
			}
			x, ok := write(i)
			y, ok2 := write(j)
			if ok && ok2 && x != y {
				before[x][y] = true
			}
		}
	}
	return before
}
