package states

import (
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/frontend/llvm"
	rt "ravel/internal/runtime"
)

// TestCountRandom compares the number of executions of random programs with brute force.
func TestCountRandom(t *testing.T) {
	for i := range *programs {
		s := *seed + uint64(i)
		p := brute.Random(rand.New(rand.NewPCG(s, 21)), brute.Config{Total: 7, Starts: i%2 == 0})
		n, why, err := Count(t.Context(), brute.Lower(p), Options{Options: engine.Options{NoSpuriousCAS: true}})
		if err != nil || n == nil {
			t.Fatalf("seed %d: %v %s\n%v", s, err, why, p)
		}
		if want := int64(len(brute.Enumerate(p, brute.SC))); n.Cmp(big.NewInt(want)) != 0 {
			t.Fatalf("seed %d: %v executions, want %d\n%v", s, n, want, p)
		}
	}
}

// TestCount has programs whose executions are known.
func TestCount(t *testing.T) {
	include := t.TempDir()
	if err := rt.WriteHeaders(include); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, flags, want, why string }{
		{"lamport.c", "-DN=2", "16", "as many as GenMC finds"},
		{"lamport.c", "-DN=3", "9216", "as many as GenMC finds"},
		{"lamport.c", "-DN=4", "669024738", "another program, which has the algorithm as a table of steps, counts as many"},
		{"ainc.c", "-DN=5", "120", "the orders of five increments"},
		{"ainc.c", "-DN=12", "479001600", "the orders of twelve increments"},
	} {
		p, err := llvm.Load([]string{filepath.Join("../../testdata/c/bench", test.file)}, llvm.Options{Flags: strings.Fields(test.flags), IncludeDir: include, Runtime: rt.Library()})
		if err != nil {
			t.Fatal(err)
		}
		n, why, err := Count(t.Context(), p, Options{Options: engine.Options{MemoryCheck: true, RaceCheck: true}})
		if err != nil || n == nil || n.String() != test.want {
			t.Errorf("%s %s: %v executions, want %s (%s), %s %v", test.file, test.flags, n, test.want, test.why, why, err)
		}
	}
}
