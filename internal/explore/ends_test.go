package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestEnds compares the counts and errors of programs whose main joins threads and ends, or reads before that, with those of an exploration that adds all ends and joins, and
// with the number of executions that the enumerator finds.
func TestEnds(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			name, raw := strings.CutSuffix(string(m), "-raw")
			mod, err := model.Get(name, model.Options{Raw: raw || m == brute.TSO || m == brute.PSO})
			if err != nil {
				t.Fatal(err)
			}
			deps := slices.Contains(allDepModels, m)
			for i := range *programs {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 11))
				p := brute.Random(r, brute.Config{Awaits: i%2 == 0, NA: i%5 == 0, Starts: i%3 == 0 || i%9 == 1, Deps: deps, Total: 8})
				if i%7 == 0 {
					p = brute.RandomLocks(r)
				}
				prog := brute.LowerJoined(p)
				judged := i%3 == 1
				if judged {
					prog = brute.LowerJudged(p, make([]uint32, len(p.Locs)))
				}
				o := Options{Model: mod, Options: engine.Options{Workers: 1 + i%2, RaceCheck: i%5 == 0, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, Observed: i%4 == 0 && !deps}
				seen := o
				seen.OnExecution = func(*Execution) {}
				got, want := summaryOf(t, prog, o), summaryOf(t, prog, seen)
				if judged && got.Blocked < want.Blocked { // the plain reads of main are no races with reads that wait
					got.Blocked = want.Blocked
				}
				if judged && got.errors != "" && want.errors != "" { // which one comes first is another matter
					continue
				}
				if got.errors != want.errors || got.errors == "" && (got.cut != want.cut || got.Counts != want.Counts) {
					t.Fatalf("seed %d, model %s:\n%v\n%+v\nshould be\n%+v", s, m, p, got, want)
				}
				if got.errors != "" || m == brute.LKMM || judged { // see TestLastReads
					continue
				}
				all := brute.Enumerate(p, m)
				if o.Observed {
					all = brute.Observed(all)
				}
				if int(got.Complete) != len(all) {
					t.Fatalf("seed %d, model %s, observed %v:\n%v\n%d executions, should be %d", s, m, o.Observed, p, got.Complete, len(all))
				}
			}
		})
	}
}

// TestLastReads compares programs whose main reads all locations once it has joined all threads with the enumerator: it is an error if they have certain values, and the number of executions is that of the
// program without these reads.
func TestLastReads(t *testing.T) {
	for _, m := range slices.Concat(brute.Models, allDepModels) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			name, raw := strings.CutSuffix(string(m), "-raw")
			mod, err := model.Get(name, model.Options{Raw: raw || m == brute.TSO || m == brute.PSO})
			if err != nil {
				t.Fatal(err)
			}
			deps := slices.Contains(allDepModels, m)
			failed := 0
			for i := range *programs {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 12))
				p := brute.Random(r, brute.Config{Awaits: i%2 == 0, Deps: deps, Total: 7})
				if i%7 == 0 {
					p = brute.RandomLocks(r)
				}
				all := brute.Enumerate(p, m)
				if len(all) == 0 {
					continue
				}
				bad := all[r.IntN(len(all))].Last()
				if l := r.IntN(len(bad)); i%2 == 0 {
					bad[l] ^= 1
				}
				wants := slices.ContainsFunc(all, func(x brute.Execution) bool { return slices.Equal(x.Last(), bad) })
				o := Options{Model: mod, Options: engine.Options{Workers: 1 + i%2, RaceCheck: i%5 == 0, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, Observed: i%4 == 0 && !deps}
				got := summaryOf(t, brute.LowerJudged(p, bad), o)
				if wants {
					failed++
				}
				if hasFailed := got.errors != ""; got.cut == "" && hasFailed != wants {
					t.Fatalf("seed %d, model %s:\n%v\nlast values %v: error %q, should be one: %v", s, m, p, bad, got.errors, wants)
				}
				want := len(all)
				if o.Observed {
					want = len(withLast(all))
				}
				if !wants && m != brute.LKMM && int(got.Complete) != want {
					t.Fatalf("seed %d, model %s:\n%v\n%d executions, should be %d", s, m, p, got.Complete, want)
				}
			}
			t.Logf("%d of %d programs have an error", failed, *programs)
		})
	}
}

// withLast returns those of the executions that differ in rf, or in what the last values are.
func withLast(all []brute.Execution) map[string]bool {
	seen := map[string]bool{}
	for _, x := range all {
		last := make([]string, len(x.Co))
		for l, co := range x.Co {
			if len(co) > 0 {
				last[l] = co[len(co)-1].String()
			}
		}
		x.Co = nil
		seen[x.Key()+strings.Join(last, " ")] = true
	}
	return seen
}

// A summary is what is compared of a result.
type summary struct {
	Counts
	errors, cut string
}

func summaryOf(t *testing.T, p *ir.Program, o Options) summary {
	t.Helper()
	res, err := Explore(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	f := summary{Counts: res.Counts, cut: res.Cut}
	if len(res.Errors) > 0 {
		f.errors = string(res.Errors[0].Kind)
	}
	return f
}
