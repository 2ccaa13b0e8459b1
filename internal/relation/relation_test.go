package relation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// matrix is the obvious implementation that the tests compare with.
type matrix [][]bool

func (m matrix) rel() *Rel {
	r := NewRel(len(m))
	for i := range m {
		for j := range m {
			if m[i][j] {
				r.Add(i, j)
			}
		}
	}
	return r
}

func build(n int, f func(i, j int) bool) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]bool, n)
		for j := range m {
			m[i][j] = f(i, j)
		}
	}
	return m
}

func (m matrix) compose(o matrix) matrix {
	return build(len(m), func(i, j int) bool {
		for k := range m {
			if m[i][k] && o[k][j] {
				return true
			}
		}
		return false
	})
}

func (m matrix) plus() matrix {
	r := m
	for range m {
		rm := r.compose(m)
		r = build(len(m), func(i, j int) bool { return r[i][j] || rm[i][j] })
	}
	return r
}

// TestAgainstMatrix compares every operator with its definition, for sizes around the word boundaries.
func TestAgainstMatrix(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 7, 20, 63, 64, 65, 100, 130} {
		for range 3 {
			density := []float64{0.01, 0.05, 0.4}[rnd.IntN(3)]
			random := func(int, int) bool { return rnd.Float64() < density }
			a, b := build(n, random), build(n, random)
			ra, rb := a.rel(), b.rel()
			s, u := NewSet(n), NewSet(n)
			for i := range n {
				if rnd.IntN(2) == 0 {
					s.Add(i)
				}
				if rnd.IntN(3) == 0 {
					u.Add(i)
				}
			}
			check := func(name string, op func(r *Rel), f func(i, j int) bool) {
				t.Helper()
				r := NewRel(3, [2]int{1, 2})
				r.Resize(n)
				for i := range r.b {
					r.b[i] = ^uint64(0)
				}
				op(r)
				if want := build(n, f).rel(); !r.Equal(want) {
					t.Errorf("n=%d %s: %v, want %v", n, name, r, want)
				}
			}
			ab, plus, inv := a.compose(b), a.plus(), build(n, func(i, j int) bool { return a[j][i] })
			check("union", func(r *Rel) { r.Union(ra, rb) }, func(i, j int) bool { return a[i][j] || b[i][j] })
			check("intersect", func(r *Rel) { r.Intersect(ra, rb) }, func(i, j int) bool { return a[i][j] && b[i][j] })
			check("minus", func(r *Rel) { r.Minus(ra, rb) }, func(i, j int) bool { return a[i][j] && !b[i][j] })
			check("complement", func(r *Rel) { r.Complement(ra) }, func(i, j int) bool { return !a[i][j] })
			check("compose", func(r *Rel) { r.Compose(ra, rb) }, func(i, j int) bool { return ab[i][j] })
			check("compose in place", func(r *Rel) { r.Copy(ra); r.Compose(r, rb) }, func(i, j int) bool { return ab[i][j] })
			check("inverse", func(r *Rel) { r.Inverse(ra) }, func(i, j int) bool { return inv[i][j] })
			check("closure", func(r *Rel) { r.Closure(ra) }, func(i, j int) bool { return plus[i][j] })
			check("star", func(r *Rel) { r.Star(ra) }, func(i, j int) bool { return plus[i][j] || i == j })
			check("opt", func(r *Rel) { r.Opt(ra) }, func(i, j int) bool { return a[i][j] || i == j })
			check("identity", func(r *Rel) { r.Identity(s) }, func(i, j int) bool { return i == j && s.Has(i) })
			check("identity on all", func(r *Rel) { r.IdentityAll() }, func(i, j int) bool { return i == j })
			check("all", func(r *Rel) { r.All() }, func(i, j int) bool { return true })
			check("product", func(r *Rel) { r.Product(s, u) }, func(i, j int) bool { return s.Has(i) && u.Has(j) })
			check("restrict domain", func(r *Rel) { r.RestrictDomain(s, ra) }, func(i, j int) bool { return s.Has(i) && a[i][j] })
			check("restrict range", func(r *Rel) { r.RestrictRange(ra, s) }, func(i, j int) bool { return s.Has(j) && a[i][j] })

			d, g := NewSet(n), NewSet(n)
			d.Domain(ra)
			g.Range(ra)
			irreflexive := true
			acyclic := true
			for i := range n {
				if d.Has(i) != slices.Contains(a[i], true) || g.Has(i) != slices.Contains(inv[i], true) {
					t.Errorf("n=%d: domain or range", n)
				}
				irreflexive = irreflexive && !a[i][i]
				acyclic = acyclic && !plus[i][i]
			}
			if ra.Irreflexive() != irreflexive || ra.Acyclic() != acyclic {
				t.Errorf("n=%d: irreflexive or acyclic", n)
			}
			checkCycle(t, ra, a, acyclic)
			if c := s.Clone(); c.Compare(s) != 0 || !c.Equal(s) || s.Compare(u) != -u.Compare(s) || (s.Compare(u) == 0) != s.Equal(u) {
				t.Errorf("n=%d: compare", n)
			}
		}
	}
}

// checkCycle checks that Cycle returns a cycle and that there is no shorter one.
func checkCycle(t *testing.T, r *Rel, m matrix, acyclic bool) {
	t.Helper()
	cycle := r.Cycle()
	if (cycle == nil) != acyclic {
		t.Errorf("cycle %v, acyclic %v", cycle, acyclic)
		return
	}
	for k, i := range cycle {
		if !r.Has(i, cycle[(k+1)%len(cycle)]) {
			t.Errorf("%v is not a cycle", cycle)
		}
	}
	path := m
	for range len(cycle) - 1 {
		for i := range path {
			if path[i][i] {
				t.Errorf("%v is not a shortest cycle", cycle)
				return
			}
		}
		path = path.compose(m)
	}
}

func TestCompare(t *testing.T) {
	sets := []*Set{NewSet(70), NewSet(70, 0), NewSet(70, 0, 1), NewSet(70, 0, 1, 69), NewSet(70, 0, 2), NewSet(70, 0, 69), NewSet(70, 1), NewSet(70, 69)}
	for i, a := range sets {
		for j, b := range sets {
			got := a.Compare(b)
			if (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("compare %v %v = %d", a, b, got)
			}
		}
	}
}

func TestLinearExtensions(t *testing.T) {
	tests := []struct {
		s    *Set
		r    *Rel
		want string
	}{
		{NewSet(3), NewRel(3), "[[]]"},
		{NewSet(3, 0, 1, 2), NewRel(3), "[[0 1 2] [0 2 1] [1 0 2] [1 2 0] [2 0 1] [2 1 0]]"},
		{NewSet(3, 0, 1, 2), NewRel(3, [2]int{2, 0}), "[[1 2 0] [2 0 1] [2 1 0]]"},
		{NewSet(3, 0, 2), NewRel(3, [2]int{2, 1}, [2]int{1, 0}), "[[0 2] [2 0]]"},
		{NewSet(3, 0, 2), NewRel(3, [2]int{2, 0}, [2]int{0, 2}), "[]"},
	}
	for _, test := range tests {
		got := [][]int{}
		LinearExtensions(test.s, test.r, func(o []int) bool {
			got = append(got, slices.Clone(o))
			return true
		})
		if s := fmt.Sprint(got); s != test.want {
			t.Errorf("%v %v: %s, want %s", test.s, test.r, s, test.want)
		}
	}
	count := 0
	LinearExtensions(NewSet(5, 0, 1, 2, 3, 4), NewRel(5), func([]int) bool { count++; return count < 7 })
	if count != 7 {
		t.Errorf("did not stop: %d", count)
	}
	// A cycle of two events among 30 is noticed before all orders of the others are tried.
	all := NewSet(30)
	for e := range 30 {
		all.Add(e)
	}
	LinearExtensions(all, NewRel(30, [2]int{28, 29}, [2]int{29, 28}), func(o []int) bool {
		t.Errorf("an order in spite of a cycle: %v", o)
		return false
	})
}

func benchRels(n int) (a, b *Rel) {
	rnd := rand.New(rand.NewPCG(3, 4))
	a, b = NewRel(n), NewRel(n)
	for range 3 * n {
		i, j := rnd.IntN(n), rnd.IntN(n)
		if i < j {
			a.Add(i, j)
		}
		b.Add(rnd.IntN(n), rnd.IntN(n))
	}
	return a, b
}

func Benchmark(b *testing.B) {
	for _, n := range []int{20, 100} {
		x, y := benchRels(n)
		r := NewRel(n)
		for _, op := range []struct {
			name string
			run  func()
		}{
			{"Union", func() { r.Union(x, y) }},
			{"Compose", func() { r.Compose(x, y) }},
			{"Inverse", func() { r.Inverse(y) }},
			{"Closure", func() { r.Closure(x) }},
			{"Acyclic", func() { x.Acyclic() }},
		} {
			b.Run(fmt.Sprintf("%s/%d", op.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					op.run()
				}
			})
		}
	}
}
