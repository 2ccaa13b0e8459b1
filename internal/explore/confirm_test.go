package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestConfirms compares the outcomes and the errors of random programs that confirm what they have read with those of an exploration without rule C: races, and threads
// that spin for ever.
func TestConfirms(t *testing.T) {
	for _, m := range brute.Models {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			compared, left := 0, 0
			for i := range *rounds {
				s := *seed + uint64(i)
				p := brute.RandomConfirms(rand.New(rand.NewPCG(s, 11)), i%3 == 0)
				got, _ := outcomesOf(t, p, m, false, i%3 == 0)
				if got == nil {
					continue // it takes too long
				}
				want, _ := outcomesOf(t, p, m, true, i%3 == 0)
				if want == nil {
					continue
				}
				compared++
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, model %s:\n%v\noutcomes:\n%s\nshould be\n%s", s, m, p, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				wantSpins, many := spins(t, p, m, true)
				gotSpins, few := spins(t, p, m, false)
				if gotSpins != wantSpins {
					t.Fatalf("seed %d, model %s:\n%v\na thread spins for ever: %v, should be %v", s, m, p, gotSpins, wantSpins)
				}
				if few < many {
					left++
				}
			}
			if left == 0 && !testing.Short() {
				t.Errorf("no execution was left out")
			}
			t.Logf("%d programs compared, executions were left out in %d of them", compared, left)
		})
	}
}

// spins reports whether there is an execution in which threads spin for ever, and how many executions are blocked.
func spins(t *testing.T, p *brute.Prog, m brute.Model, allRounds bool) (spins bool, blocked int64) {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO || m == brute.PSO})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Explore(t.Context(), brute.Lower(p), Options{
		Model: mod, Options: engine.Options{Workers: 1, Liveness: true, Machine: machine.Options{SpinAssume: true, Unroll: 2}, Timeout: time.Minute}, AllRounds: allRounds,
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.GaveUp != "" {
		t.Fatalf("%v under %s: %s", p, m, res.GaveUp)
	}
	return len(res.Errors) > 0, res.Blocked
}
