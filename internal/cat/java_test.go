package cat

import (
	"flag"
	"math/rand/v2"
	"testing"

	"ravel/internal/brute"
)

var javaPrograms = flag.Int("java-programs", 60, "random programs for the comparison of Java's models with brute")

// TestJavaTwins compares Java's models with brute, which the native checkers agree with (TestJavaRandomPrograms of package explore, on the same
// programs). The models here derive an order of writes and look at the last ones only, those of brute have a total
// order: what is compared are rf and the last writes. With plain writes, brute has coherence that the models do not ask for.
func TestJavaTwins(t *testing.T) {
	for _, twin := range []struct {
		name, variant string
		brute         brute.Model
	}{
		{"jam21", "", brute.JAM21},
		{"jam21", "direct", brute.JAM21Direct},
		{"jam19", "", brute.JAM19},
	} {
		t.Run(string(twin.brute), func(t *testing.T) {
			t.Parallel()
			machine := compileFor(t, twin.name, java, Options{Variants: []string{twin.variant}}).NewMachine()
			x := NewExec(java, 0)
			for i := range *javaPrograms {
				s := 1 + uint64(i)
				plain := s%2 == 0
				p := brute.Random(rand.New(rand.NewPCG(s, 2)), brute.Config{Total: 8, NA: plain})
				want, got := map[string]bool{}, map[string]bool{}
				for _, e := range brute.Enumerate(p, twin.brute) {
					want[lastWrites(e)] = true
				}
				for _, e := range brute.Enumerate(p, brute.Coherent) {
					k := lastWrites(e)
					if got[k] {
						continue
					}
					javaFill(&candidate{e.Threads, e.Co}, x)
					err := machine.Run(x, func(r *Result) bool {
						got[k] = got[k] || r.Failed == nil
						return !got[k]
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				for k := range want {
					if !got[k] {
						t.Fatalf("seed %d: %v\ncat forbids\n%s", s, p, k)
					}
				}
				for k, ok := range got {
					if ok && !want[k] && !plain {
						t.Fatalf("seed %d: %v\ncat allows\n%s", s, p, k)
					}
				}
			}
		})
	}
}

// lastWrites is the key of an execution in which only the last write of each location is known.
func lastWrites(e brute.Execution) string {
	last := e
	last.Co = make([][]brute.Ref, len(e.Co))
	for l, ws := range e.Co {
		last.Co[l] = ws[max(0, len(ws)-1):]
	}
	return last.Key()
}
