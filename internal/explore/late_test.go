package explore

import (
	"slices"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/cat"
	"ravel/internal/catmodel"
)

// lateModel returns a model of the library with more constraints.
func lateModel(t *testing.T, base brute.Model, more string) *catmodel.Model {
	t.Helper()
	file, err := cat.LoadText("late.cat", "include \""+string(base)+".cat\"\n"+more)
	if err != nil {
		t.Fatal(err)
	}
	m, err := catmodel.New("late.cat", file, catmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lateConstraints are constraints that are not monotone, in cat and as what brute force has to filter by.
var lateConstraints = []struct {
	cat   string
	holds func(x *brute.Execution) bool
}{
	{"~empty [W \\ IW]; rfe", func(x *brute.Execution) bool {
		return some(x, func(r brute.Ref, e *brute.Event) bool {
			return e.Kind == brute.R && e.Src != brute.Init && e.Src.Thread != r.Thread
		})
	}},
	{"empty [R]; po; [FW]", func(x *brute.Execution) bool {
		return !some(x, func(r brute.Ref, e *brute.Event) bool {
			return isLast(x, r, e) && slices.ContainsFunc(x.Threads[r.Thread][:r.Index], func(p brute.Event) bool { return p.Kind == brute.R })
		})
	}},
	// Every write that is overwritten is read first: what violates it may come to fulfil it, and the other way round.
	{"empty (W \\ (IW | FW)) \\ domain(rf)", func(x *brute.Execution) bool {
		return !some(x, func(r brute.Ref, e *brute.Event) bool {
			return e.Kind == brute.W && !isLast(x, r, e) && !some(x, func(_ brute.Ref, by *brute.Event) bool { return by.Kind == brute.R && by.Src == r })
		})
	}},
	// A linear order of writes that agrees with what is read exists if po, rf and co agree.
	{"with o from linearisations(W, (po & (W * W)) | co) acyclic o | po | rf", func(x *brute.Execution) bool { return acyclicOrders(x) }},
	{"forall s in classes(loc & (M * M)) do ~empty rf; [s] end", func(x *brute.Execution) bool {
		return !some(x, func(_ brute.Ref, e *brute.Event) bool {
			return e.Kind == brute.W && !some(x, func(_ brute.Ref, by *brute.Event) bool { return by.Kind == brute.R && by.Loc == e.Loc })
		})
	}},
}

// some reports whether an event of x fulfils f.
func some(x *brute.Execution, f func(brute.Ref, *brute.Event) bool) bool {
	for t := range x.Threads {
		for i := range x.Threads[t] {
			if f(brute.Ref{Thread: t, Index: i}, &x.Threads[t][i]) {
				return true
			}
		}
	}
	return false
}

// isLast reports whether the event is the last write of its location.
func isLast(x *brute.Execution, r brute.Ref, e *brute.Event) bool {
	return e.Kind == brute.W && x.Co[e.Loc][len(x.Co[e.Loc])-1] == r
}

// acyclicOrders reports whether po ∪ rf ∪ co is acyclic: events can be taken away one after the other that have nothing before them.
func acyclicOrders(x *brute.Execution) bool {
	done := make([]int, len(x.Threads))
	isDone := func(r brute.Ref) bool { return r == brute.Init || r.Index < done[r.Thread] }
	ready := func(r brute.Ref, e *brute.Event) bool {
		if e.Kind == brute.R {
			return isDone(e.Src)
		}
		if e.Kind == brute.W {
			co := x.Co[e.Loc]
			i := slices.Index(co, r)
			return i == 0 || isDone(co[i-1])
		}
		return true
	}
	for again := true; again; {
		again = false
		for t := range x.Threads {
			for done[t] < len(x.Threads[t]) && ready(brute.Ref{Thread: t, Index: done[t]}, &x.Threads[t][done[t]]) {
				done[t]++
				again = true
			}
		}
	}
	for t := range x.Threads {
		if done[t] < len(x.Threads[t]) {
			return false
		}
	}
	return true
}

// TestLate compares executions under models with constraints on complete executions with those that the enumerator finds for the
// model without them and that fulfil them.
func TestLate(t *testing.T) {
	for _, base := range []brute.Model{brute.SC, brute.RC11, brute.IMM, brute.ARMv8} {
		for _, k := range lateConstraints {
			t.Run(string(base)+"/"+k.cat, func(t *testing.T) {
				m := lateModel(t, base, k.cat)
				e := m.Explorer()
				if e.Traits().Late == nil || m.Missing(true) != "" {
					t.Fatalf("%s", m.Explain())
				}
				rejected := 0
				for i := range *catPrograms {
					p := randomFor(base, *seed+uint64(i)+3e6)
					var want []string
					for _, x := range brute.Enumerate(p, base) {
						if k.holds(&x) {
							want = append(want, x.Key())
						} else {
							rejected++
						}
					}
					slices.Sort(want)
					if diff := difference(keysUnder(t, p, e, 1+i%2), want); diff != "" {
						t.Fatalf("seed %d:\n%v\n%s", *seed+uint64(i)+3e6, p, diff)
					}
				}
				if rejected == 0 && base != brute.SC && !testing.Short() {
					t.Error("nothing was rejected")
				}
			})
		}
	}
}
