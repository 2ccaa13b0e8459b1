package explore

import (
	"math/rand/v2"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestLooks compares random programs that poll under a lock with an exploration that lets threads look in vain: there are as many complete executions. And it compares whether there are errors, among them threads that wait for
// ever, with that and with one that postpones nothing.
func TestLooks(t *testing.T) {
	for _, name := range []string{"sc", "tso", "ra", "rc11", "imm", "armv8", "riscv"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, fewer := 0, 0
			for i := range *rounds {
				s := *seed + uint64(i)
				p := brute.RandomPolls(rand.New(rand.NewPCG(s, 11)), i%2 == 0)
				var errs [3]bool
				var counts [3]Counts
				known := true
				for k := range errs {
					m, err := model.Get(name, model.Options{})
					if err != nil {
						t.Fatal(err)
					}
					res, err := Explore(t.Context(), brute.Lower(p), Options{
						Model: m, allLooks: k == 1, eager: k == 2, MaxEvents: 60,
						Options: engine.Options{Workers: 1, Liveness: i%3 > 0, RaceCheck: i%2 == 0, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}, Timeout: 2 * time.Second},
					})
					if err != nil {
						t.Fatal(err)
					}
					errs[k], counts[k] = len(res.Errors) > 0, res.Counts
					known = known && (errs[k] || res.GaveUp == "" && res.Cut == "")
				}
				if !known {
					continue
				}
				if errs[0] != errs[1] || errs[0] != errs[2] || !errs[0] && counts[0].Complete != counts[1].Complete {
					t.Fatalf("seed %d:\n%v\nerrors: %v, executions: %+v", s, p, errs, counts)
				}
				if errs[0] {
					found++
				}
				if !errs[0] && counts[0].Blocked+counts[0].Moot < counts[1].Blocked+counts[1].Moot {
					fewer++
				}
			}
			if (found == 0 || fewer == 0) && !testing.Short() {
				t.Errorf("%d programs have errors, %d have fewer executions that lead nowhere", found, fewer)
			}
			t.Logf("%d programs have errors, %d have fewer executions that lead nowhere", found, fewer)
		})
	}
}
