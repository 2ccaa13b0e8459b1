package explore

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore/exploretest"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestHunt compares the executions that random walks show with those that the enumerator finds: every one is reached, and no other. There are at least 2,000 walks, more until all are
// reached, but at most 20,000.
func TestHunt(t *testing.T) {
	const most, least, walks = 16, 2000, 20000
	programs := 25
	if testing.Short() {
		programs = 3
	}
	for _, m := range brute.Models {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO || m == brute.PSO})
			if err != nil {
				t.Fatal(err)
			}
			tried := 0
			for s := uint64(1); tried < programs; s++ {
				p := brute.Random(rand.New(rand.NewPCG(s, 1)), brute.Config{})
				want := map[string]bool{}
				for _, x := range brute.Enumerate(p, m) {
					want[x.Key()] = true
				}
				if len(want) > most {
					continue
				}
				tried++
				prog, seen, ended := brute.Lower(p), map[uint64]string{}, 0
				ctx, cancel := context.WithCancel(t.Context())
				_, err := Explore(ctx, prog, Options{
					Model: mod, Options: engine.Options{Workers: 1, Machine: machine.Options{SpinAssume: true}}, Hunt: time.Hour, walks: walks,
					OnExecution: func(x *Execution) {
						if print := x.w.fingerprint(); seen[print] == "" && !x.Blocked {
							found := exploretest.ExecutionOf(p, prog, x.Graph, false)
							seen[print] = found.Key()
						}
						if ended++; ended > least && len(seen) >= len(want) {
							cancel()
						}
					},
				})
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, key := range seen {
					got = append(got, key)
				}
				var diff strings.Builder
				if exploretest.Compare(&diff, want, got); diff.Len() > 0 {
					t.Errorf("seed %d:\n%v\n%s", s, p, diff.String())
				}
			}
		})
	}
}
