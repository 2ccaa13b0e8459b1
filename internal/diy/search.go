package diy

import (
	"iter"
	"slices"
)

// A symbol is an edge to make cycles of.
type symbol struct {
	Edge
	strength int // 1 for what orders more than program order does
}

// symbols are the edges that Cycles combines: communication, program order, dependencies, fences between
// different locations, and read-modify-writes. Weak ones come first.
func (a *Arch) symbols() (list []symbol) {
	dirs := []Dir{R, W}
	both := func(e Edge, strength int) {
		for _, src := range dirs {
			for _, dst := range dirs {
				e.Src, e.Dst = src, dst
				list = append(list, symbol{e, strength})
			}
		}
	}
	for _, ext := range []bool{true, false} {
		list = append(list,
			symbol{Edge{Kind: Rf, Ext: ext, Same: true, Src: W, Dst: R}, 0},
			symbol{Edge{Kind: Fr, Ext: ext, Same: true, Src: R, Dst: W}, 0},
			symbol{Edge{Kind: Co, Ext: ext, Same: true, Src: W, Dst: W}, 0})
	}
	both(Edge{Kind: Po}, 0)
	both(Edge{Kind: Po, Same: true}, 0)
	var deps []string
	for _, d := range a.deps {
		if !slices.Contains(deps, d) {
			deps = append(deps, d)
		}
	}
	slices.Sort(deps)
	for _, d := range deps {
		targets := dirs
		switch d {
		case "Addr", "Ctrl":
		case "Data":
			targets = []Dir{W}
		default: // with a fence, which only matters for reads
			targets = []Dir{R}
		}
		for _, dst := range targets {
			list = append(list, symbol{Edge{Kind: Dep, Via: d, Src: R, Dst: dst}, 1})
		}
	}
	for _, f := range a.search {
		both(Edge{Kind: Fenced, Via: f}, 1)
	}
	if a.searchRmw != "" {
		list = append(list, symbol{Edge{Kind: Rmw, Via: a.searchRmw, Same: true, Src: R, Dst: W}, 1})
	}
	return list
}

// Cycles yields the well-formed cycles with n edges and with strength dependencies, fences, read-modify-writes and annotated
// accesses, each in one of its rotations. Left out are cycles of which a smaller one says the same: with two communications in a row
// that are a third one (rf and fr are co), with a plain access between program order or fences, and long ones of a single thread.
func Cycles(a *Arch, n, strength int) iter.Seq[*Cycle] {
	return func(yield func(*Cycle) bool) {
		s := &cycles{arch: a, syms: a.symbols(), modes: map[Dir][]string{R: {""}, W: {""}}, yield: yield}
		for _, m := range a.searchModes {
			for _, d := range a.modes[m] {
				s.modes[Dir(d)] = append(s.modes[Dir(d)], m)
			}
		}
		s.seq = make([]int, n)
		s.mode = make([]int, n)
		s.edge(0, strength)
	}
}

// cycles is a search.
type cycles struct {
	arch  *Arch
	syms  []symbol
	modes map[Dir][]string
	seq   []int // symbols
	mode  []int // of the source of each edge
	yield func(*Cycle) bool
}

// edge chooses the k-th edge and those after it, with exactly this much strength left. It is false if the search has ended.
func (s *cycles) edge(k, left int) bool {
	n := len(s.seq)
	if k == n {
		return !s.closed() || s.annotate(0, left)
	}
	first := 0
	if k > 0 {
		first = s.seq[0] // the first edge is the least one of its rotations
	}
	for id := first; id < len(s.syms); id++ {
		sym := &s.syms[id]
		if sym.strength > left {
			continue
		}
		if k > 0 && !follows(&s.syms[s.seq[k-1]].Edge, &sym.Edge) {
			continue
		}
		s.seq[k] = id
		if !s.edge(k+1, left-sym.strength) {
			return false
		}
	}
	return true
}

// follows reports whether f may come after e.
func follows(e, f *Edge) bool {
	if e.Dst != f.Src {
		return false
	}
	if e.com() && f.com() && f.Kind != Rf {
		return false // one edge of communication, or none
	}
	return e.Kind != Rmw || f.Kind != Rmw
}

// closed reports whether the edges are a cycle: of several threads, or of one, in which one communication goes back.
func (s *cycles) closed() bool {
	n := len(s.seq)
	if !follows(&s.syms[s.seq[n-1]].Edge, &s.syms[s.seq[0]].Edge) {
		return false
	}
	ext, diff, po, com := 0, 0, 0, 0
	for _, id := range s.seq {
		e := &s.syms[id].Edge
		if e.Ext {
			ext++
		}
		if !e.Same {
			diff++
		}
		if e.com() {
			com++
		} else {
			po++
		}
	}
	return (ext >= 2 || ext == 0 && com == 1 && n <= 3) && diff != 1 && po > 0
}

// annotate chooses the annotations of the k-th access and those after it.
func (s *cycles) annotate(k, left int) bool {
	n := len(s.seq)
	if k == n {
		return left != 0 || !s.least() || s.emit()
	}
	if left > n-k {
		return true
	}
	in, out := &s.syms[s.seq[(k+n-1)%n]].Edge, &s.syms[s.seq[k]].Edge
	first := 0
	if merge(in, out) {
		first = 1
	}
	for m := first; m < len(s.modes[out.Src]); m++ {
		strength := min(m, 1)
		if strength > left {
			break
		}
		s.mode[k] = m
		if !s.annotate(k+1, left-strength) {
			return false
		}
	}
	return true
}

// merge reports whether two edges are one if the access between them is plain: program order, with a fence in it if one of them has.
func merge(e, f *Edge) bool {
	plain := func(e *Edge) bool { return (e.Kind == Po || e.Kind == Fenced) && !e.Same }
	return plain(e) && plain(f) && (e.Kind == Po || f.Kind == Po)
}

// least reports whether no rotation comes before this one.
func (s *cycles) least() bool {
	n := len(s.seq)
	for r := 1; r < n; r++ {
		for k := range n {
			j := (k + r) % n
			c := s.seq[j] - s.seq[k]
			if c == 0 {
				c = s.mode[j] - s.mode[k]
			}
			if c < 0 {
				return false
			}
			if c > 0 {
				break
			}
		}
	}
	return true
}

func (s *cycles) emit() bool {
	n := len(s.seq)
	edges := make([]Edge, n)
	annot := func(k int) Annot {
		m := s.modes[s.syms[s.seq[k]].Src][s.mode[k]]
		return Annot{Mode: m, Given: m != ""}
	}
	for k, id := range s.seq {
		edges[k] = s.syms[id].Edge
		edges[k].From, edges[k].To = annot(k), annot((k+1)%n)
	}
	c, err := Make(s.arch, edges)
	return err != nil || s.yield(c)
}
