package explore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/catmodel"
	"ravel/internal/model"
)

// twin returns the model of that name written in cat.
func twin(t *testing.T, m brute.Model) model.Model {
	t.Helper()
	name, raw := strings.CutSuffix(string(m), "-raw")
	c, err := catmodel.Embedded(name, catmodel.Options{Raw: raw || m == brute.TSO || m == brute.PSO})
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Explorer()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// compareTwin returns how the executions of p under a model written in cat differ from those that brute finds.
func compareTwin(t *testing.T, p *brute.Prog, m brute.Model, cat model.Model) string {
	t.Helper()
	want := map[string]bool{}
	for _, x := range brute.Enumerate(p, m) {
		want[x.Key()] = true
	}
	var diff strings.Builder
	seen := map[string]bool{}
	for _, x := range executionsUnder(t, p, cat, 1, false, false) {
		k := x.Key()
		switch {
		case seen[k]:
			fmt.Fprintf(&diff, "twice:\n%s\n", k)
		case !want[k]:
			fmt.Fprintf(&diff, "extra:\n%s\n", k)
		}
		seen[k] = true
	}
	for k := range want {
		if !seen[k] {
			fmt.Fprintf(&diff, "missing:\n%s\n", k)
		}
	}
	return diff.String()
}

// TestCat compares the executions of random programs under models written in cat with those that brute finds.
func TestCat(t *testing.T) {
	for _, m := range brute.Models {
		t.Run(string(m), func(t *testing.T) {
			cat := twin(t, m)
			for i := range *programs / 8 {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 5)), brute.Config{})
				if diff := compareTwin(t, p, m, cat); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, diff)
				}
			}
		})
	}
}

// TestCatDependencies is TestCat for models that track dependencies.
func TestCatDependencies(t *testing.T) {
	for _, m := range depModels {
		t.Run(string(m), func(t *testing.T) {
			cat := twin(t, m)
			for i := range *programs / 8 {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 6)), brute.Config{Deps: true})
				if diff := compareTwin(t, p, m, cat); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, m, p, diff)
				}
			}
		})
	}
}
