package explore

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ravel/internal/brute"
)

// TestAddUnless compares programs with additions that depend on what is there.
func TestAddUnless(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for n, s := 0, *seed; n < *programs/2; s++ {
				r := rand.New(rand.NewPCG(s, 19))
				p := brute.Random(r, brute.Config{Awaits: n%2 == 0, Deps: slices.Contains(allDepModels, m), Total: 8})
				if n%3 == 0 {
					p = brute.RandomLocks(r)
				}
				p, ok := brute.AddUnless(r, p)
				if !ok {
					continue
				}
				n++
				if diff := compare(t, p, m, 1+n%2, n%5 == 0); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, diff)
				}
			}
		})
	}
	t.Run("Java", func(t *testing.T) {
		t.Parallel()
		c := newJavaComparison(t)
		for n, s := 0, *seed; n < *javaPrograms/4; s++ {
			r := rand.New(rand.NewPCG(s, 19))
			if p, ok := brute.AddUnless(r, brute.Random(r, brute.Config{Total: 7, NA: s%2 == 0})); ok {
				c.program(t, s, p)
				n++
			}
		}
	})
}
