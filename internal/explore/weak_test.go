package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
)

// TestWeakCAS is TestRandomPrograms and TestDependencies for programs whose compare-and-swaps may fail spuriously.
func TestWeakCAS(t *testing.T) {
	for _, m := range slices.Concat([]brute.Model{brute.SC, brute.RC11}, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs / 4 {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 7)), brute.Config{Deps: true})
				p = brute.MustParse(strings.ReplaceAll(p.String(), "CAS(", "WCAS("))
				if diff := compare(t, p, m, 1, false); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s\nsmaller: %v", s, m, p, diff, shrink(t, p, m))
				}
			}
		})
	}
	// A CAS that comes to the value by a revisit fails spuriously, too.
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		for _, prog := range []string{"r=WCAS(x,1,2) || x=1", "x=1 || r=WCAS(x,1,2)"} {
			if n := len(explored(t, brute.MustParse(prog), m, 1, false, false)); n != 3 {
				t.Errorf("%s under %s: %d executions, want 3: it reads 0, or it reads 1 and writes or fails", prog, m, n)
			}
		}
	}
}
