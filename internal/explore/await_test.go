package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore/exploretest"
	"ravel/internal/graph"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestAwaits compares programs with threads that wait.
func TestAwaits(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			deps := slices.Contains(allDepModels, m)
			for i := range *programs {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 7))
				p := brute.Random(r, brute.Config{Awaits: true, Deps: deps, Starts: i%4 == 0, Total: 9})
				if i%3 == 0 {
					p = brute.RandomLocks(r)
				}
				p.Assumes = i%7 > 4
				for _, observed := range []bool{false, true} {
					if observed && i%5 > 0 {
						continue // TestObserved looks at more
					}
					if diff := compare(t, p, m, 1+i%2, observed); diff != "" {
						if i%4 != 0 && !observed {
							p = shrink(t, p, m)
							diff = compare(t, p, m, 1, false)
						}
						t.Fatalf("seed %d, model %s, observed %v:\n%v\n%s", s, m, observed, p, diff)
					}
				}
			}
		})
	}
}

// TestAwaitsFound has a program for each rule that was found to be needed: without it, an execution is lost or comes twice.
func TestAwaitsFound(t *testing.T) {
	for _, test := range []struct{ prog, why string }{
		{"x=2 || r=x || s=x until !2; y=1 || x=1", "a read that waits is added last, even if an earlier write would let it go on"},
		{"x=2 || r=x until !2", "a read that is forced to move reads the latest write too"},
		{"r=x until 0 || s=x || x=2", "a displaced read does not read what is before its floor"},
		{"r=x until !1 || x=1", "the same"},
		{"x=1 || r=x || s=y until !2 || y=2; y=2; x=1", "a re-direction of an earlier read drops floors"},
		{"r=x until 0 || y=2; y=2; x=1 || s=x until 0; y=s || y=2; x=1; q=y", "reads are displaced only where writes are serial"},
		{"r=x until !2 || x=1 || x=2", "the same"},
	} {
		p := brute.MustParse(test.prog)
		for _, m := range slices.Concat(brute.Models, allDepModels) {
			if diff := compare(t, p, m, 1, false); diff != "" {
				t.Errorf("%s, model %s (%s):\n%s", test.prog, m, test.why, diff)
			}
		}
	}
}

// TestTwice has a program of TestAwaits with an execution to which the exploration comes twice. It counts once.
func TestTwice(t *testing.T) {
	p := brute.MustParse("r0=y.acq; CAS(l,0,1).acq/rlx until; r1=y.acq; r2=y.acq; l=0 || r0=x; XCHG(l,1).acq until !1; y=2.rel; r1=y; l=0 || r0=x; CAS(l,0,1).acq/rlx until; y=1; x=2.rel; l=0; x=2")
	for _, workers := range []int{1, 2} {
		if diff := compare(t, p, brute.ARMv8, workers, false); diff != "" {
			t.Error(diff)
		}
	}
}

// TestAwaitsStuck compares the executions in which threads wait for ever, and whether there are races, with those of an exploration that
// postpones nothing.
func TestAwaitsStuck(t *testing.T) {
	for _, m := range []brute.Model{brute.SC, brute.TSO, brute.RA, brute.RC11} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 8))
				p := brute.Random(r, brute.Config{Awaits: true, NA: i%2 == 0, Total: 9})
				if i%3 == 0 {
					p = brute.RandomLocks(r)
				}
				p.Assumes = i%7 > 4
				want, wantRace := stuckOnes(t, p, m, true, i%2 == 0)
				got, race := stuckOnes(t, p, m, false, i%2 == 0)
				if race != wantRace {
					t.Fatalf("seed %d, model %s:\n%v\nrace: %v, should be %v", s, m, p, race, wantRace)
				}
				if !race && !slices.Equal(got, want) {
					t.Fatalf("seed %d, model %s:\n%v\nstuck: %s\nshould be %s", s, m, p, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		})
	}
}

// stuckOnes returns the keys of the executions in which all threads that wait have read the latest values, and whether there is a race.
func stuckOnes(t *testing.T, p *brute.Prog, m brute.Model, eager, races bool) (keys []string, race bool) {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO})
	if err != nil {
		t.Fatal(err)
	}
	prog := brute.Lower(p)
	res, err := Explore(t.Context(), prog, Options{
		Model: mod, Options: engine.Options{Workers: 1, RaceCheck: races, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, eager: eager,
		OnExecution: func(x *Execution) {
			if x.Blocked && x.w.allReadLatest() {
				e := exploretest.ExecutionOf(p, prog, x.Graph, false)
				keys = append(keys, e.Key())
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys, len(res.Errors) > 0
}

// allReadLatest reports whether every thread that waits has read from the latest write. One that has read the same value from an earlier write is
// stuck as well, but which of these executions there are depends on the order in which events are added.
func (w *worker) allReadLatest() bool {
	for t := range w.cur {
		if w.cur[t] == 0 || w.pendingOf(int32(t)).act.Kind != machine.Block {
			continue
		}
		last := &w.g.Events[w.g.Last(int32(t))]
		if last.Kind == graph.Write {
			last = &w.g.Events[w.g.At(int32(t), last.Index-1)]
		}
		if last.Kind == graph.Read && !w.g.CoMaximal(last) {
			return false
		}
	}
	return true
}
