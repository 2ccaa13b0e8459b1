package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore/exploretest"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// observedWays compares the executions of p that are found without co, and by trials, with those that exist, and the counts of explorations that tell of none.
func observedWays(t *testing.T, diff *strings.Builder, p *brute.Prog, m model.Model, workers int, want map[string]bool) {
	t.Helper()
	for _, coless := range []bool{false, true} {
		opts := Options{
			Model: m, Options: engine.Options{Workers: workers, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, Observed: true, coless: coless, tries: !coless,
		}
		var keys []string
		all, _ := executionsWith(t, p, opts)
		for _, x := range all {
			keys = append(keys, x.Key())
		}
		exploretest.Compare(diff, want, keys)
		res, err := Explore(t.Context(), brute.Lower(p), opts)
		if err != nil {
			t.Fatal(err)
		}
		if int(res.Complete) != len(want) {
			fmt.Fprintf(diff, "without co %v: %d executions are counted, should be %d\n", coless, res.Complete, len(want))
		}
	}
}

// TestObserved compares what is found of programs with many writes of few locations with what the enumerator finds.
func TestObserved(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, depModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for _, contended := range []string{
				"r0=CAS(x,1,2).rlx/acq || x=1; r0=XCHG(x,2).rel || x=1; F.acqrel; r0=x.acq", // one too many
				"r0=x; r1=CAS(x,1,2) || x=1 || x=2; r0=CAS(x,1,2)",                          // one was missing
			} {
				p := brute.MustParse(contended)
				if diff := compare(t, p, m, 1, true); diff != "" {
					t.Errorf("model %s:\n%v\n%s", m, p, diff)
				}
			}
			for i := range *programs {
				s := *seed + uint64(i)
				cfg := brute.Config{Locs: 1 + i%2, Total: 7 + i%2, Deps: slices.Contains(depModels, m), Awaits: i%5 == 0, Starts: i%7 == 0, NoRMW: i%3 == 0}
				p := brute.Random(rand.New(rand.NewPCG(s, 21)), cfg)
				if diff := compare(t, p, m, 1+i%2, true); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, diff)
				}
			}
		})
	}
}

// TestObservedLoops compares what is counted of programs with loops, locks and weak compare-and-swaps with the executions that differ in rf, of those that are explored with co.
func TestObservedLoops(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, allDepModels, []brute.Model{brute.JAM21, brute.JAM19}) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			mod := underName(t, m)
			for i := range *programs / 2 {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 22))
				var p *brute.Prog
				switch na := i%4 == 0; i % 7 {
				case 0:
					p = brute.RandomRounds(r, na)
				case 1:
					p = brute.RandomRetries(r, na)
				case 2:
					p = brute.RandomConfirms(r, na)
				case 3:
					p = brute.RandomLocks(r)
				case 4:
					p = brute.MustParse(strings.ReplaceAll(brute.Random(r, brute.Config{Total: 8}).String(), "CAS(", "WCAS("))
				default:
					p = brute.Random(r, brute.Config{Awaits: i%2 == 0, Deps: slices.Contains(allDepModels, m), Total: 8, Locs: 2})
				}
				opts := Options{
					Model: mod, Options: engine.Options{
						Workers: 1 + i%2, Symmetry: true, RaceCheck: i%3 == 0, MemoryCheck: true, Machine: machine.Options{SpinAssume: true, Unroll: 2}, Timeout: 2 * time.Second,
					},
				}
				want, executions := byRF(t, brute.Lower(p), opts)
				if want == nil {
					continue
				}
				for _, way := range []string{"with co", "without", "trial"} {
					opts.Observed, opts.coless, opts.tries = true, way == "without", way == "trial"
					got, n := byRF(t, brute.Lower(p), opts)
					if got == nil {
						continue
					}
					if n != len(got) || !maps.Equal(got, want) {
						t.Fatalf("seed %d, model %s, %s:\n%v\n%d executions, %d differ in rf, should be %d (of %d)", s, m, way, p, n, len(got), len(want), executions)
					}
				}
			}
		})
	}
}

// TestObservedEqual does it for programs with equal threads. By a trial, it finds an error if there is one.
func TestObservedEqual(t *testing.T) {
	for _, m := range twinModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			opts := Options{Model: underName(t, m), Twins: true, Options: engine.Options{Symmetry: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}
			for i := range *programs {
				s := *seed + uint64(i)
				p := randomEqual(rand.New(rand.NewPCG(s, 23)), i, i%5 == 0, slices.Contains(allDepModels, m))
				opts.Workers, opts.RaceCheck, opts.Observed, opts.tries = 1+i%2, i%5 == 0, false, false
				want, executions := byRF(t, p.lower(), opts)
				if want == nil {
					continue
				}
				opts.Observed = true
				got, n := byRF(t, p.lower(), opts)
				if n != len(got) || !maps.Equal(got, want) {
					t.Fatalf("seed %d, model %s:\n%v\n%d executions, %d differ in rf, should be %d (of %d)", s, m, p, n, len(got), len(want), executions)
				}
				opts.tries = true
				if got, _ := byRF(t, p.lower(), opts); got["error"] != want["error"] || len(got) < len(want) {
					t.Fatalf("seed %d, model %s:\n%v\n%d executions by a trial, not %d", s, m, p, len(got), len(want))
				}
			}
		})
	}
}

// byRF returns the executions of p, complete and blocked ones, without co, and how many there are with it. It is nil if that takes too long, or there are too many.
func byRF(t *testing.T, p *ir.Program, opts Options) (keys map[string]bool, n int) {
	t.Helper()
	keys = map[string]bool{}
	opts.OnExecution = func(x *Execution) {
		n++
		keys[rfKey(x)] = true
	}
	res, err := Explore(t.Context(), p, opts)
	switch {
	case err != nil:
		t.Fatal(err)
	case res.GaveUp != "", res.Complete+res.Blocked > maxRehearsed: // it may have started again after it has told of executions
		return nil, 0
	case len(res.Errors) > 0:
		return map[string]bool{"error": true}, 1
	case int(res.Complete+res.Blocked) != n:
		t.Fatalf("%d executions, %d counted", n, res.Complete+res.Blocked)
	}
	return keys, n
}

// rfKey is a text that two executions have in common if they differ only in co.
func rfKey(x *Execution) string {
	var b strings.Builder
	fmt.Fprint(&b, x.Blocked)
	for _, evs := range x.Graph.Threads {
		for _, id := range evs {
			switch e := &x.Graph.Events[id]; e.Kind {
			case graph.Read:
				src := &x.Graph.Events[e.RF]
				fmt.Fprintf(&b, " %d.%d<-%d.%d", e.Thread, e.Index, src.Thread, src.Index)
				if e.Flags&graph.Spurious != 0 {
					b.WriteString("!")
				}
			case graph.Choice:
				fmt.Fprintf(&b, " %d.%d=%d", e.Thread, e.Index, e.Val.Lo)
			}
		}
	}
	return b.String()
}
