package enumerate_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/enumerate"
	"ravel/internal/herd"
)

// TestXMMBrute compares litmus tests under xmm with the brute-force construction of its executions, on random programs of three threads.
func TestXMMBrute(t *testing.T) {
	file := filepath.Join(t.TempDir(), "random.litmus")
	cyclic := 0
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 50
	}
	for seed := range seeds {
		p := brute.Random(rand.New(rand.NewPCG(seed, 9)), brute.Config{Deps: true, Threads: 3, PerThread: 3, Total: 6})
		text, ok := enumerate.AsLitmus(p, false)
		if !ok {
			continue
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := len(brute.XMM(p))
		err := herd.Run(t.Context(), []herd.Source{{File: file}}, herd.Config{Model: "xmm"}, func(e *herd.Entry) error {
			if e.Err != nil {
				return e.Err
			}
			if got := e.Result.Executions(); got != want && !e.Result.Open {
				t.Errorf("seed %d: %d executions, want %d\n%v", seed, got, want, p)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if want > len(brute.Enumerate(p, brute.RC11)) {
			cyclic++
		}
	}
	if !testing.Short() && cyclic < 5 {
		t.Errorf("only %d programs have executions with cycles", cyclic)
	}
}
