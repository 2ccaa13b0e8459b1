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

var (
	programs = flag.Int("programs", 400, "random programs per model")
	seed     = flag.Uint64("seed", 1, "of the first random program")
)

// TestRandomPrograms compares the executions of random programs with those that the brute-force
// enumerator finds: the same set, and none twice.
func TestRandomPrograms(t *testing.T) {
	for _, m := range brute.Models {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *programs {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 1)), brute.Config{})
				for _, observed := range []bool{false, true} {
					if diff := compare(t, p, m, 1, observed); diff != "" {
						t.Fatalf("seed %d, model %s, observed %v:\n%v\n%s", s, m, observed, p, diff)
					}
				}
			}
		})
	}
}

// TestStarts does it for programs whose threads start and join others.
func TestStarts(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			deps := slices.Contains(allDepModels, m)
			for i := range *programs {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 3)), brute.Config{Starts: true, Total: 8, Deps: deps})
				for _, observed := range []bool{false, true} {
					if diff := compare(t, p, m, 1+i%2, observed); diff != "" {
						t.Fatalf("seed %d, model %s, observed %v:\n%v\n%s", s, m, observed, p, diff)
					}
				}
			}
		})
	}
}

// TestFound compares programs that once had a missing, a surplus or a repeated execution.
func TestFound(t *testing.T) {
	for _, test := range []struct {
		prog, why string
	}{
		{
			"x=1.rel; F.sc; y=1.sc || r0=y.sc; z=1 || r0=z.sc; F.sc; x=2.sc; z=2",
			"psc between fences goes by eco, also from a co-maximal write to its readers",
		},
		{
			"START(1); r=y; START(2); x=1 || y=1; r=x || x=2",
			"a thread stays that is created by what a revisit keeps, though nothing that it does is kept",
		},
	} {
		p := brute.MustParse(test.prog)
		for _, m := range brute.Models {
			if diff := compare(t, p, m, 1, false); diff != "" {
				t.Errorf("%s, model %s (%s):\n%s", test.prog, m, test.why, diff)
			}
		}
	}
}

// TestWorkers compares the executions that two workers find with those of the enumerator.
func TestWorkers(t *testing.T) {
	for i := range *programs / 4 {
		s := *seed + uint64(i)
		p := brute.Random(rand.New(rand.NewPCG(s, 1)), brute.Config{})
		if diff := compare(t, p, brute.RC11, 4, false); diff != "" {
			t.Fatalf("seed %d:\n%v\n%s", s, p, diff)
		}
	}
}

// compare returns how the executions of p that Explore visits differ from those that exist. For models that track dependencies, it
// has them explored with cycles in po ∪ rf from the start, too.
func compare(t *testing.T, p *brute.Prog, m brute.Model, workers int, observed bool) string {
	t.Helper()
	if m == brute.LKMM {
		return compareKernel(t, p, workers)
	}
	want := map[string]bool{}
	all := brute.Enumerate(p, m)
	if observed {
		all = brute.Observed(all)
	}
	for _, x := range all {
		want[x.Key()] = true
	}
	var diff strings.Builder
	if observed {
		observedWays(t, &diff, p, underName(t, m), workers, want)
	}
	for _, cyclic := range []bool{false, true} {
		if cyclic && !slices.Contains(allDepModels, brute.Model(strings.TrimSuffix(string(m), "-raw"))) {
			break
		}
		all, cut := executionsAndCut(t, p, underName(t, m), workers, observed, cyclic)
		var keys []string
		for _, x := range all {
			keys = append(keys, x.Key())
		}
		expected := want
		if m == brute.IMM && strings.Contains(cut, "of what it has written itself") { // there may be more (deprevisit.go)
			expected = maps.Clone(want)
			maps.DeleteFunc(expected, func(k string, _ bool) bool { return !slices.Contains(keys, k) })
		}
		exploretest.Compare(&diff, expected, keys)
	}
	return diff.String()
}

// explored returns the keys of the executions that Explore visits.
func explored(t *testing.T, p *brute.Prog, m brute.Model, workers int, observed, cyclic bool) []string {
	t.Helper()
	var keys []string
	for _, x := range executions(t, p, m, workers, observed, cyclic) {
		keys = append(keys, x.Key())
	}
	return keys
}

// executions returns the executions that Explore visits.
func executions(t *testing.T, p *brute.Prog, m brute.Model, workers int, observed, cyclic bool) []brute.Execution {
	t.Helper()
	return executionsUnder(t, p, underName(t, m), workers, observed, cyclic)
}

// underName returns the checker for a model of the enumerator.
func underName(t *testing.T, m brute.Model) model.Model {
	t.Helper()
	name, raw := strings.CutSuffix(string(m), "-raw")
	mod, err := model.Get(name, model.Options{Raw: raw || m == brute.TSO || m == brute.PSO})
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// executionsUnder returns the executions that Explore visits under a model.
func executionsUnder(t *testing.T, p *brute.Prog, mod model.Model, workers int, observed, cyclic bool) []brute.Execution {
	t.Helper()
	all, _ := executionsAndCut(t, p, mod, workers, observed, cyclic)
	return all
}

// executionsAndCut is executionsUnder, with why the verdict would be bounded.
func executionsAndCut(t *testing.T, p *brute.Prog, mod model.Model, workers int, observed, cyclic bool) ([]brute.Execution, string) {
	t.Helper()
	return executionsWith(t, p, Options{
		Model: mod, Options: engine.Options{Workers: workers, RaceCheck: false, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, Observed: observed, cyclic: cyclic,
	})
}

// executionsWith is executionsAndCut with these options.
func executionsWith(t *testing.T, p *brute.Prog, opts Options) ([]brute.Execution, string) {
	t.Helper()
	prog := brute.Lower(p)
	var all []brute.Execution
	opts.OnExecution = func(x *Execution) {
		if !x.Blocked {
			all = append(all, exploretest.ExecutionOf(p, prog, x.Graph, opts.Observed))
		}
	}
	res, err := Explore(t.Context(), prog, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Errors) > 0 {
		t.Fatalf("%v\n%+v", p, res.Errors)
	}
	if int(res.Complete) != len(all) {
		t.Fatalf("%v\n%d executions, %d counted", p, len(all), res.Complete)
	}
	return all, res.Cut
}

// TestCounts checks programs with known numbers of executions.
func TestCounts(t *testing.T) {
	tests := []struct {
		prog  string
		model brute.Model
		want  int
		why   string
	}{
		{"x=1; r=y || y=1; s=x", brute.RC11, 4, "SB, every combination"},
		{"x=1; r=y || y=1; s=x", brute.SC, 3, "SB, not both 0"},
		{"FADD(x,1) || FADD(x,1) || FADD(x,1) || FADD(x,1)", brute.RC11, 24, "4! orders"},
		{"x=1.sc; r=y.sc || y=1.sc; s=x.sc", brute.RC11, 3, "SB+4sc, appendix C"},
		{"x=1; F.sc; r=y || y=1; F.sc; s=x", brute.RC11, 3, "SB+scfs, appendix C"},
		{"y=1 || y=2 || y=3 || r=y", brute.RC11, 24, "3! orders of co × 4 values"},
	}
	for _, test := range tests {
		got := explored(t, brute.MustParse(test.prog), test.model, 1, false, false)
		slices.Sort(got)
		if n := len(slices.Compact(got)); n != test.want || n != len(got) {
			t.Errorf("%s under %s: %d executions, %d distinct, want %d (%s)", test.prog, test.model, len(got), n, test.want, test.why)
		}
	}
}
