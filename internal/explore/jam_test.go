package explore

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var javaPrograms = flag.Int("java-programs", 100, "random programs for each of Java's models")

// javaModel returns the model that brute calls m, with a checker.
func javaModel(t *testing.T, m brute.Model, checker string) model.Model {
	t.Helper()
	name, o := string(m), model.Options{Checker: checker}
	if v, ok := strings.CutPrefix(name, "jam21-"); ok && v != "thesis" {
		name, o.Variants = "jam21", []string{v}
	}
	mod, err := model.Get(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// javaExecutions returns the executions that Explore visits, by key, with how often.
func javaExecutions(t *testing.T, p *brute.Prog, m model.Model, inMain bool) map[string]int {
	t.Helper()
	prog, first := brute.Lower(p), 1
	if inMain {
		prog, first = brute.LowerInMain(p), 0
	}
	got := map[string]int{}
	_, err := Explore(prog, Options{
		Model: m, Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true},
		OnExecution: func(x *Execution) {
			e := executionFrom(first, p, prog, x.Graph, false)
			got[e.Key()]++
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestJavaRandomPrograms compares the executions of random programs that mix all modes and fences, under each of Java's models
// and with each of the checkers, with those of the brute-force enumerator, which tries every pushto.
func TestJavaRandomPrograms(t *testing.T) {
	for _, m := range brute.Java {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			for i := range *javaPrograms {
				s := *seed + uint64(i)
				p := brute.Random(rand.New(rand.NewPCG(s, 2)), brute.Config{Total: 8, NA: s%2 == 0})
				want := brute.Enumerate(p, m)
				for _, checker := range model.Checkers {
					got := javaExecutions(t, p, javaModel(t, m, checker), s%3 == 0)
					for _, x := range want {
						k := x.Key()
						if got[k] != 1 {
							t.Fatalf("seed %d, %s, checker %s:\n%v\nvisited %d times:\n%s", s, m, checker, p, got[k], k)
						}
						delete(got, k)
					}
					for k := range got {
						t.Fatalf("seed %d, %s, checker %s:\n%v\nextra:\n%s", s, m, checker, p, k)
					}
				}
			}
		})
	}
}
