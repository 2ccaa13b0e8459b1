package explore

import (
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// consistent reports whether f, whose writes have their places in co, satisfies C11's axioms: those of rc11 without
// acyclic(po ∪ rf).
func (f *facts) consistent() bool {
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
		if !e.access() {
			continue
		}
		for j := range f.evs {
			x := &f.evs[j]
			if j == i || !x.access() || x.addr != e.addr || !f.hb.Has(i, j) {
				continue
			}
			if a, b := f.place(e), f.place(x); a > b || a == b && (e.kind != graph.Read || x.kind != graph.Read) {
				return false
			}
		}
	}
	return sc < 2 || f.psc()
}

// psc reports whether psc of rc11 is acyclic.
func (f *facts) psc() bool {
	n := len(f.evs)
	isSC := func(i int) bool { return f.evs[i].mode == event.SC }
	isFence := func(i int) bool { return isSC(i) && f.evs[i].kind == graph.Fence }
	sameLoc := func(i, j int) bool {
		a, b := &f.evs[i], &f.evs[j]
		return a.access() && b.access() && a.addr == b.addr
	}
	scb, other, eco := relation.NewRel(n), relation.NewRel(n), relation.NewRel(n)
	for i := range n {
		for j := range n {
			a, b := &f.evs[i], &f.evs[j]
			po := a.thread == b.thread && i < j
			if po && !sameLoc(i, j) {
				other.Add(i, j)
			}
			before := i != j && sameLoc(i, j) && f.place(a) < f.place(b)
			if before {
				eco.Add(i, j)
			}
			if po || sameLoc(i, j) && f.hb.Has(i, j) || before && b.kind == graph.Write {
				scb.Add(i, j) // co and fr lead to writes
			}
		}
	}
	tmp := relation.NewRel(n)
	tmp.Compose(other, f.hb)
	through := relation.NewRel(n)
	through.Compose(tmp, other)
	scb.Union(scb, through)

	hbOpt := relation.NewRel(n)
	hbOpt.Opt(f.hb)
	left, right := relation.NewRel(n), relation.NewRel(n)
	for i := range n {
		if isSC(i) {
			left.Add(i, i)
			right.Add(i, i)
		}
		for j := range n {
			if hbOpt.Has(i, j) {
				if isFence(i) {
					left.Add(i, j)
				}
				if isFence(j) {
					right.Add(i, j)
				}
			}
		}
	}
	psc := relation.NewRel(n)
	tmp.Compose(left, scb)
	psc.Compose(tmp, right)
	tmp.Compose(f.hb, eco)
	through.Compose(tmp, f.hb)
	through.Union(through, f.hb)
	for i, j := range through.Pairs() {
		if isFence(i) && isFence(j) {
			psc.Add(i, j)
		}
	}
	return psc.Acyclic()
}

// eachCo gives the writes of f every order of co that makes it consistent, and calls yield each time.
// The writes that are fixed keep the order that they have among themselves. It ends early when stop is set.
func (f *facts) eachCo(fixed func(w int32) bool, stop *atomic.Bool, yield func()) {
	if !f.hb.Irreflexive() {
		return
	}
	var locs [][]int32
	for _, ws := range f.writes() {
		if len(ws) > 1 {
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
	write := func(i int) (int, bool) {
		e := &f.evs[i]
		w := int32(i)
		if e.kind == graph.Read {
			w = e.src
		}
		at, ok := index[w]
		return at, ok
	}
	addr := f.evs[ws[0]].addr
	for i := range f.evs {
		for j := range f.evs {
			a, b := &f.evs[i], &f.evs[j]
			if i == j || !a.access() || !b.access() || a.addr != addr || b.addr != addr || !f.hb.Has(i, j) {
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
