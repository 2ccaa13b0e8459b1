package explore

import (
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

// TestBound explores random programs with growing bounds. What a bound shows, a larger one shows as well; once nothing is left out, the executions are those of
// the brute-force enumerator.
func TestBound(t *testing.T) {
	for _, m := range brute.Models {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO || m == brute.PSO})
			if err != nil {
				t.Fatal(err)
			}
			for i := range *programs / 8 {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 1)), brute.Config{})
				want := map[string]bool{}
				for _, x := range brute.Enumerate(p, m) {
					want[x.Key()] = true
				}
				prog := brute.Lower(p)
				before := map[string]bool{}
				for bound, cut := 1, true; cut; bound++ {
					seen := map[string]bool{}
					res, err := Explore(t.Context(), prog, Options{
						Model: mod, Options: engine.Options{Workers: 1 + i%2, Machine: machine.Options{SpinAssume: true}}, Bound: bound,
						OnExecution: func(x *Execution) {
							if !x.Blocked {
								found := exploretest.ExecutionOf(p, prog, x.Graph, false)
								seen[found.Key()] = true
							}
						},
					})
					if err != nil {
						t.Fatal(err)
					}
					for key := range before {
						if !seen[key] {
							t.Fatalf("seed %d, bound %d: an execution is missing that a smaller bound shows:\n%v\n%s", s, bound, p, key)
						}
					}
					before, cut = seen, res.Cut != ""
				}
				var diff strings.Builder
				if exploretest.Compare(&diff, want, slices.Collect(maps.Keys(before))); diff.Len() > 0 {
					t.Fatalf("seed %d:\n%v\n%s", s, p, diff.String())
				}
			}
		})
	}
}
