package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore/exploretest"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestBarriers compares programs whose threads meet at a barrier with the brute-force enumerator: the executions are the same up to the
// events of the barrier, and none comes twice.
func TestBarriers(t *testing.T) {
	for _, m := range []brute.Model{brute.SC, brute.TSO, brute.RA, brute.RC11, brute.IMM, brute.ARMv8} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			reduced := 0
			for i := range *programs / 4 {
				s := *seed + uint64(i)
				text := randomBarrier(rand.New(rand.NewPCG(s, 9)))
				p := brute.MustParse(text)
				want := map[string]bool{}
				for _, x := range brute.Enumerate(p, m) {
					want[withoutBarrier(&x)] = true
				}
				var diff strings.Builder
				got, once := barrierExecutions(t, p, m)
				exploretest.Compare(&diff, want, got)
				if once {
					reduced++
				}
				if diff.Len() > 0 {
					t.Fatalf("seed %d, model %s:\n%s\n%s", s, m, text, diff.String())
				}
			}
			if reduced < *programs/5 {
				t.Errorf("all orders of arrival were explored in all but %d of %d programs", reduced, *programs/4)
			}
		})
	}
}

// randomBarrier returns a program with two or three threads, which access memory, meet at the barrier b, and access memory again. Location
// c tells that all have arrived.
func randomBarrier(r *rand.Rand) string {
	n := 2 + r.IntN(2)
	var threads []string
	for range n {
		regs := 0
		some := func() (body []string) {
			for range r.IntN(2) + r.IntN(2) {
				loc, mode := "xy"[r.IntN(2)], r.IntN(3)
				if r.IntN(2) == 0 {
					body = append(body, fmt.Sprintf("r%d=%c%s", regs, loc, []string{"", ".acq", ".sc"}[mode]))
					regs++
				} else {
					body = append(body, fmt.Sprintf("%c=%d%s", loc, 1+r.IntN(2), []string{"", ".rel", ".sc"}[mode]))
				}
			}
			return body
		}
		body := some()
		body = append(body, fmt.Sprintf("before=FADD(b,1).acqrel; if(before==%d){c=1.rel} else {go=c.acq until 1}", n-1))
		body = append(body, some()...)
		threads = append(threads, strings.Join(body, "; "))
	}
	return strings.Join(threads, " || ")
}

// barrierExecutions returns the keys of the executions that Explore finds, without what the barrier does, and whether they are up to the order of arrival. Those with cycles in po ∪ rf
// are explored for all orders; then each key comes once.
func barrierExecutions(t *testing.T, p *brute.Prog, m brute.Model) (keys []string, once bool) {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO})
	if err != nil {
		t.Fatal(err)
	}
	prog := brute.Lower(p)
	res, err := Explore(t.Context(), prog, Options{
		Model: mod, Options: engine.Options{Workers: 1, MemoryCheck: true, Symmetry: true, Machine: machine.Options{SpinAssume: true}},
		OnExecution: func(x *Execution) {
			if !x.Blocked {
				e := exploretest.ExecutionOf(p, prog, x.Graph, false)
				keys = append(keys, withoutBarrier(&e))
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(res.UpTo, "barriers") {
		return keys, true
	}
	slices.Sort(keys)
	return slices.Compact(keys), false
}

// withoutBarrier is the key of an execution without the events of the barrier.
func withoutBarrier(x *brute.Execution) string {
	out := brute.Execution{Prog: x.Prog, Threads: make([][]brute.Event, len(x.Threads)), Co: make([][]brute.Ref, len(x.Co))}
	moved := map[brute.Ref]brute.Ref{brute.Init: brute.Init}
	for t, evs := range x.Threads {
		for i, e := range evs {
			if e.Loc != brute.NoLoc && (x.Prog.Locs[e.Loc] == "b" || x.Prog.Locs[e.Loc] == "c") {
				continue
			}
			moved[brute.Ref{Thread: t, Index: i}] = brute.Ref{Thread: t, Index: len(out.Threads[t])}
			out.Threads[t] = append(out.Threads[t], e)
		}
	}
	for _, evs := range out.Threads {
		for i := range evs {
			evs[i].Src = moved[evs[i].Src]
		}
	}
	for l, co := range x.Co {
		for _, ref := range co {
			if to, ok := moved[ref]; ok {
				out.Co[l] = append(out.Co[l], to)
			}
		}
	}
	return out.Key()
}

// TestBarrierOfMore has more threads than the barrier is for: which of them meet matters, so all orders are explored.
func TestBarrierOfMore(t *testing.T) {
	p := brute.MustParse("x=1; r=FADD(b,1).acqrel; s=x || y=1; r=FADD(b,1).acqrel; s=y")
	want := map[string]bool{}
	for _, x := range brute.Enumerate(p, brute.RC11) {
		want[x.Key()] = true
	}
	prog := brute.Lower(p)
	for _, f := range prog.Funcs {
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if x := &b.Instrs[i]; x.Callee != nil && x.Callee.Name == brute.ArriveFunc {
					x.Args[1].Imm = 1
				}
			}
		}
	}
	got := map[string]bool{}
	mod, _ := model.Get("rc11", model.Options{})
	res, err := Explore(t.Context(), prog, Options{
		Model: mod, Options: engine.Options{Workers: 1, MemoryCheck: true, Symmetry: true, Machine: machine.Options{SpinAssume: true}},
		OnExecution: func(x *Execution) {
			e := exploretest.ExecutionOf(p, prog, x.Graph, false)
			got[e.Key()] = true
		},
	})
	if err != nil || len(res.UpTo) > 0 || !maps.Equal(got, want) {
		t.Fatalf("%v, up to %v: %d executions, should be %d", err, res.UpTo, len(got), len(want))
	}
}
