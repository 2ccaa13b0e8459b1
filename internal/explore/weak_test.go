package explore

import (
	"flag"
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

var loops = flag.Int("loops", 40, "random programs with loops per model")

// TestWeakCAS is TestRandomPrograms, TestDependencies, TestJavaRandomPrograms and TestCat for programs whose compare-and-swaps may fail spuriously.
func TestWeakCAS(t *testing.T) {
	random := func(s uint64, cfg brute.Config) *brute.Prog {
		p := brute.Random(rand.New(rand.NewPCG(s, 7)), cfg)
		return brute.MustParse(strings.ReplaceAll(p.String(), "CAS(", "WCAS("))
	}
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs / 4 {
				s := *seed + uint64(i)
				p := random(s, brute.Config{Deps: true})
				if diff := compare(t, p, m, 1, false); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s\nsmaller: %v", s, m, p, diff, shrink(t, p, m))
				}
			}
		})
	}
	t.Run("Java", func(t *testing.T) {
		t.Parallel()
		c := newJavaComparison(t)
		for n, s := 0, *seed; n < *javaPrograms/4; s++ {
			p := random(s, brute.Config{Total: 7, NA: s%2 == 0})
			if strings.Contains(p.String(), "WCAS(") {
				c.program(t, s, p)
				n++
			}
		}
	})
	for _, m := range slices.Concat(brute.Models, depModels) {
		t.Run(string(m)+" in cat", func(t *testing.T) {
			t.Parallel()
			twin := twin(t, m)
			for n, s := 0, *seed; n < *catPrograms/2; s++ {
				p := random(s, brute.Config{Deps: slices.Contains(depModels, m)})
				if !strings.Contains(p.String(), "WCAS(") {
					continue
				}
				n++
				var want []string
				for _, x := range brute.Enumerate(p, m) {
					want = append(want, x.Key())
				}
				slices.Sort(want)
				if diff := difference(keysUnder(t, p, twin, 1), want); diff != "" {
					t.Fatalf("seed %d, model %s in cat:\n%v\n%s", s, m, p, diff)
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

// TestWeakLoops compares the outcomes of random programs that retry a weak CAS until it succeeds with those that the enumerator finds, which goes
// round like the program: what spurious.go leaves out makes no difference. Where a round only reads, there are as many executions as with a strong CAS.
func TestWeakLoops(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *loops {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 8))
				p := brute.Random(r, brute.Config{Deps: true, Threads: 2, PerThread: 2, Total: 4, NoFences: r.IntN(3) > 0})
				pure, ok := exploretest.AddLoops(r, p)
				if !ok {
					continue
				}
				want, explorable := weakOutcomes(p, m)
				ways := []bool{false}
				if slices.Contains(allDepModels, m) {
					ways = append(ways, true)
				}
				for _, cyclic := range ways {
					got, complete, cut := loopExecutions(t, p, m, cyclic, false)
					if got == nil {
						continue
					}
					for o := range want {
						if !got[o] && (explorable[o] || cut == "") {
							t.Fatalf("seed %d, model %s, cyclic %v:\n%v\nmissing, bounded %q: %s", s, m, cyclic, p, cut, o)
						}
					}
					for o := range got {
						if !want[o] {
							t.Fatalf("seed %d, model %s, cyclic %v:\n%v\nextra: %s", s, m, cyclic, p, o)
						}
					}
					if set, strong, _ := loopExecutions(t, p, m, cyclic, true); pure && set != nil && strong != complete {
						t.Fatalf("seed %d, model %s, cyclic %v:\n%v\n%d executions, %d with a strong CAS", s, m, cyclic, p, complete, strong)
					}
				}
			}
		})
	}
}

// weakOutcomes returns the outcomes of p under m, and those that are explored.
func weakOutcomes(p *brute.Prog, m brute.Model) (all, explorable map[string]bool) {
	xs, some := enumerated(p, m)
	return exploretest.Outcomes(xs), exploretest.Outcomes(some)
}

// enumerated returns the executions of p under m, and those that are explored. Under lkmm these differ: executions in which a write behind the arms of a branch is performed before
// what the branch tests are not explored (arms.go), and the verdict has to be bounded.
func enumerated(p *brute.Prog, m brute.Model) (all, explorable []brute.Execution) {
	if m != brute.LKMM {
		all = brute.Enumerate(p, m)
		return all, all
	}
	brute.Compare(p, m, []brute.Model{brute.LKMMJoined, brute.LKMMInPo}, func(x brute.Execution, allows []bool) {
		all = append(all, x)
		if allows[0] || allows[1] {
			explorable = append(explorable, x)
		}
	})
	return all, explorable
}

// manyLoops is how many executions of a program are looked at: where the rounds of two loops write to the same variable, there are millions.
const manyLoops = 2_000

// loopExecutions returns the outcomes of p, how many complete executions it has, and why the verdict would be bounded. The outcomes are nil if there are too many executions.
func loopExecutions(t *testing.T, p *brute.Prog, m brute.Model, cyclic, strong bool) (map[string]bool, int64, string) {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO || m == brute.PSO})
	if err != nil {
		t.Fatal(err)
	}
	prog := brute.Lower(p)
	outcomes := map[string]bool{}
	res, err := Explore(t.Context(), prog, Options{
		Model: mod, Options: engine.Options{Workers: 1, MemoryCheck: true, NoSpuriousCAS: strong, Machine: machine.Options{SpinAssume: true}}, cyclic: cyclic, limit: manyLoops,
		OnExecution: func(x *Execution) {
			if !x.Blocked {
				maps.Copy(outcomes, exploretest.Outcomes([]brute.Execution{exploretest.ExecutionOf(p, prog, x.Graph, false)}))
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.GaveUp != "" && len(res.Errors) == 0 {
		return nil, 0, ""
	}
	if len(res.Errors) > 0 {
		t.Fatalf("%v\n%v", p, res.Errors)
	}
	return outcomes, res.Complete, res.Cut
}
