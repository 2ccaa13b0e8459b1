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

// TestLost compares programs with threads that wait in rounds of several reads.
func TestLost(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs {
				s := *seed + uint64(i)
				p := brute.RandomAwaits(rand.New(rand.NewPCG(s, 27)), false)
				for _, observed := range []bool{false, true} {
					if observed && i%5 > 0 {
						continue
					}
					if diff := compare(t, p, m, 1+i%2, observed); diff != "" {
						if !observed {
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

// TestLostStuck compares the executions of such programs in which threads wait for ever, and whether there are races, with those of an exploration that postpones nothing and drops nothing.
func TestLostStuck(t *testing.T) {
	for _, m := range slices.Concat([]brute.Model{brute.SC, brute.TSO, brute.RA, brute.RC11}, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			var few, many int64
			for i := range *programs {
				s := *seed + uint64(i)
				races := i%3 == 0
				p := brute.RandomAwaits(rand.New(rand.NewPCG(s, 28)), races)
				if p.Child(1) || len(p.Threads) > 2 && p.Child(2) {
					continue // a thread that waits for the end of another one need not have started the next
				}
				want, all, wantRace := stuckRounds(t, p, m, true, races)
				got, left, race := stuckRounds(t, p, m, false, races)
				if race != wantRace {
					t.Fatalf("seed %d, model %s:\n%v\nrace: %v, should be %v", s, m, p, race, wantRace)
				}
				if race {
					continue
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, model %s:\n%v\nstuck: %s\nshould be %s", s, m, p, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				few, many = few+left, many+all
			}
			t.Logf("%d executions lead nowhere, %d of an exploration that postpones nothing", few, many)
		})
	}
}

// stuckRounds returns the keys of the executions in which all threads that wait have read the latest writes in their last rounds, how many executions lead nowhere, and whether there is a race.
func stuckRounds(t *testing.T, p *brute.Prog, m brute.Model, eager, races bool) (keys []string, nowhere int64, race bool) {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO})
	if err != nil {
		t.Fatal(err)
	}
	prog := brute.Lower(p)
	res, err := Explore(t.Context(), prog, Options{
		Model: mod, Options: engine.Options{Workers: 1, RaceCheck: races, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, eager: eager,
		OnExecution: func(x *Execution) {
			if x.Blocked && x.w.roundsReadLatest() {
				e := exploretest.ExecutionOf(p, prog, x.Graph, false)
				keys = append(keys, e.Key())
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys, res.Blocked + res.Moot - int64(len(keys)), len(res.Errors) > 0
}

// roundsReadLatest reports whether every thread that waits has read the latest writes in its last round.
func (w *worker) roundsReadLatest() bool {
	for t := range w.cur {
		if w.cur[t] == 0 || w.pendingOf(int32(t)).act.Kind != machine.Block {
			continue
		}
		evs := w.g.Threads[t]
		for _, id := range evs[w.roundOf(evs, w.pendingOf(int32(t)).act.N):] {
			if e := &w.g.Events[id]; e.Kind == graph.Read && !w.g.CoMaximal(e) {
				return false
			}
		}
	}
	return true
}

// TestLostFound has a program for each condition of rule F that was found to be needed: without it, an execution is lost.
func TestLostFound(t *testing.T) {
	for _, test := range []struct{ prog, why string }{
		{"y=1; y=2 || await{r=y; s=x} until any r==2, s==1 || START(3) || x=1", "a thread that is created later may write"},
		{"y=1; y=2 || await{r=y; s=x} until any r==2, s==1 || x=1", "a thread that has not ended may write"},
		{"y=1; y=2 || await{r=y; s=x} until any r==2, s==1; z=1 || await{a=y; b=z} until any a==2, b==1; x=1", "the same if both are lost"},
		{"x=1; await{r=CAS(y,7,3).sc/rlx; s=x} until any r!=2, s==1; x=0 || y=1; await{r=x.sc; if(r==1){s=y.sc}; q=x.sc} until any r==2, s!=0, q==0", "the same"},
	} {
		p := brute.MustParse(test.prog)
		for _, m := range slices.Concat(brute.Models, allDepModels) {
			if diff := compare(t, p, m, 1, false); diff != "" {
				t.Errorf("%s, model %s (%s):\n%s", test.prog, m, test.why, diff)
			}
		}
	}
}
