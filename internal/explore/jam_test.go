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

// TestJavaFound compares programs that show what is easily lost with the brute-force enumerator.
func TestJavaFound(t *testing.T) {
	for _, test := range []struct {
		prog, why string
	}{
		{"a=1.sc; p=1.sc; w=1 || r=w; s=z.sc; t=b.sc || b=1.sc; u=a.sc", "a volatile access of what no other thread uses has its place in pushto"},
		{"x=1.sc; r=z.sc; y=1.na || s=y.na; F.acq; t=x", "and it orders others"},
		{"x=1; F.rel; z=1; r=z; F.acq; y=1 || s=y.acq; t=x", "so does a write that its own thread reads, between fences"},
		{"x=1; z=1 || r=z; F.sc; s=x || t=y; F.sc; z=2", "what comes before a fence depends on what comes after it"},
		{"x=1; x=2.sc || FADD(x,1).sc; y=1.sc || r=y.sc; s=x", "a read-modify-write is one event"},
	} {
		p := brute.MustParse(test.prog)
		for _, m := range brute.Java {
			want := brute.Enumerate(p, m)
			for _, checker := range model.Checkers {
				for _, inMain := range []bool{false, true} {
					got := javaExecutions(t, p, javaModel(t, m, checker), inMain)
					for _, x := range want {
						if got[x.Key()] != 1 {
							t.Errorf("%s, %s, checker %s (%s): visited %d times:\n%s", test.prog, m, checker, test.why, got[x.Key()], x.Key())
						}
					}
					if len(got) != len(want) {
						t.Errorf("%s, %s, checker %s (%s): %d executions, want %d", test.prog, m, checker, test.why, len(got), len(want))
					}
				}
			}
		}
	}
}
