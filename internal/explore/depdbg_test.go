package explore

import (
	"math/rand/v2"
	"testing"

	"ravel/internal/brute"
)

// depModels are the models that track dependencies.
var depModels = []brute.Model{brute.IMM, brute.ARMv8, brute.RISCV, brute.Power, brute.ARMv7}

// TestDependencies compares the executions of random programs with dependencies with those that the
// brute-force enumerator finds.
func TestDependencies(t *testing.T) {
	for _, m := range depModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 2)), brute.Config{Deps: true})
				if diff := compare(t, p, m, 1, false); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, diff)
				}
			}
		})
	}
}
