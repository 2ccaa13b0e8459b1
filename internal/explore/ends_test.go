package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestEnds compares the counts and errors of programs whose main joins threads and ends with those of an exploration that adds all ends and joins, and
// with the number of executions that the enumerator finds.
func TestEnds(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			name, raw := strings.CutSuffix(string(m), "-raw")
			mod, err := model.Get(name, model.Options{Raw: raw || m == brute.TSO || m == brute.PSO})
			if err != nil {
				t.Fatal(err)
			}
			deps := slices.Contains(allDepModels, m)
			for i := range *programs {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 11))
				p := brute.Random(r, brute.Config{Awaits: i%2 == 0, NA: i%5 == 0, Starts: i%3 == 0, Deps: deps, Total: 8})
				if i%7 == 0 {
					p = brute.RandomLocks(r)
				}
				prog := brute.LowerJoined(p)
				o := Options{Model: mod, Options: engine.Options{Workers: 1 + i%2, RaceCheck: i%5 == 0, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, Observed: i%4 == 0 && !deps}
				seen := o
				seen.OnExecution = func(*Execution) {}
				got, want := summaryOf(t, prog, o), summaryOf(t, prog, seen)
				if got.errors != want.errors || got.errors == "" && (got.cut != want.cut || got.Counts != want.Counts) {
					t.Fatalf("seed %d, model %s:\n%v\n%+v\nshould be\n%+v", s, m, p, got, want)
				}
				if got.errors != "" || m == brute.LKMM {
					continue
				}
				all := brute.Enumerate(p, m)
				if o.Observed {
					all = brute.Observed(all)
				}
				if int(got.Complete) != len(all) {
					t.Fatalf("seed %d, model %s, observed %v:\n%v\n%d executions, should be %d", s, m, o.Observed, p, got.Complete, len(all))
				}
			}
		})
	}
}

// A summary is what is compared of a result.
type summary struct {
	Counts
	errors, cut string
}

func summaryOf(t *testing.T, p *ir.Program, o Options) summary {
	t.Helper()
	res, err := Explore(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	f := summary{Counts: res.Counts, cut: res.Cut}
	if len(res.Errors) > 0 {
		f.errors = string(res.Errors[0].Kind)
	}
	return f
}
