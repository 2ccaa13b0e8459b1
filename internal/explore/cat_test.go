package explore

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/catmodel"
	"ravel/internal/model"
)

var catPrograms = flag.Int("cat-programs", 40, "random programs per model for the models in cat")

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

// keysUnder returns the executions of a program under a model, sorted: some may be there twice.
func keysUnder(t *testing.T, p *brute.Prog, m model.Model, workers int) []string {
	t.Helper()
	var keys []string
	for _, x := range executionsUnder(t, p, m, workers, false, false) {
		keys = append(keys, x.Key())
	}
	slices.Sort(keys)
	return keys
}

// difference says what one of two sorted lists has that the other has not.
func difference(got, want []string) string {
	var diff strings.Builder
	for i, k := range got {
		if i > 0 && k == got[i-1] {
			fmt.Fprintf(&diff, "twice:\n%s\n", k)
		}
		if _, ok := slices.BinarySearch(want, k); !ok {
			fmt.Fprintf(&diff, "extra:\n%s\n", k)
		}
	}
	for _, k := range want {
		if _, ok := slices.BinarySearch(got, k); !ok {
			fmt.Fprintf(&diff, "missing:\n%s\n", k)
		}
	}
	return diff.String()
}

// randomFor returns a random program for a model: with dependencies and instructions where the model knows them.
func randomFor(m brute.Model, seed uint64) *brute.Prog {
	rnd := rand.New(rand.NewPCG(seed, 5))
	c := brute.Config{}
	if slices.Contains(depModels, m) {
		c.Deps = true
		if slices.Contains(tagModels, m) && rnd.IntN(2) == 0 {
			c.Tags = m
		}
	}
	return brute.Random(rnd, c)
}

// TestCat compares the executions of random programs under models in cat with those that the enumerator finds.
func TestCat(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, depModels) {
		t.Run(string(m), func(t *testing.T) {
			cat := twin(t, m)
			for i := range *catPrograms {
				p := randomFor(m, *seed+uint64(i))
				var want []string
				for _, x := range brute.Enumerate(p, m) {
					want = append(want, x.Key())
				}
				slices.Sort(want)
				if diff := difference(keysUnder(t, p, cat, 1), want); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", *seed+uint64(i), m, p, diff)
				}
			}
		})
	}
}

// TestCatTwins compares the executions under models in cat with those under the same models in Go, also with the access modes of
// hardware models as they are, and with several workers.
func TestCatTwins(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, depModels) {
		t.Run(string(m), func(t *testing.T) {
			cats := []model.Model{nil, nil}
			natives := []model.Model{nil, nil}
			for i, raw := range []bool{false, true} {
				c, err := catmodel.Embedded(string(m), catmodel.Options{Raw: raw})
				if err != nil {
					t.Fatal(err)
				}
				if cats[i], err = c.Explorer(); err != nil {
					t.Fatal(err)
				}
				if natives[i], err = model.Get(string(m), model.Options{Raw: raw}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range *catPrograms {
				p := randomFor(m, *seed+uint64(i)+1e6)
				workers := 1
				if i%16 == 0 {
					workers = 4
				}
				if diff := difference(keysUnder(t, p, cats[i%2], workers), keysUnder(t, p, natives[i%2], workers)); diff != "" {
					t.Fatalf("seed %d, model %s, raw %v:\n%v\n%s", *seed+uint64(i)+1e6, m, i%2 == 1, p, diff)
				}
			}
		})
	}
}

// TestCatFound compares programs that once were wrong under models in Go.
func TestCatFound(t *testing.T) {
	for _, m := range depModels {
		cat := twin(t, m)
		for _, prog := range depFound {
			p := brute.MustParse(prog.prog)
			var want []string
			for _, x := range brute.Enumerate(p, m) {
				want = append(want, x.Key())
			}
			slices.Sort(want)
			if diff := difference(keysUnder(t, p, cat, 1), want); diff != "" {
				t.Errorf("%s, model %s:\n%s", prog.prog, m, diff)
			}
		}
	}
}
