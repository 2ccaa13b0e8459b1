package explore

import (
	"math/rand/v2"
	"testing"

	"ravel/internal/brute"
)

// TestKernel compares the executions of random programs with the kernel's fences, locks and read-side critical sections with those that
// the brute-force enumerator finds.
func TestKernel(t *testing.T) {
	for _, cfg := range []brute.Config{
		{Deps: true},
		{Deps: true, Tags: brute.LKMM},
		{Tags: brute.LKMM},
	} {
		for i := range *programs / 2 {
			s := *seed + uint64(i)
			p := brute.Random(rand.New(rand.NewPCG(s, 5)), cfg)
			if diff := compare(t, p, brute.LKMM, 1, false); diff != "" {
				t.Fatalf("seed %d, %+v:\n%v\n%s\nsmaller: %v", s, cfg, p, diff, shrink(t, p, brute.LKMM))
			}
		}
	}
}
