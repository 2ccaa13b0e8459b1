package explore

import (
	"math/rand/v2"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestRefused compares whether threads of random programs wait for ever with what an exploration finds that lets threads take from counters that refuse them.
func TestRefused(t *testing.T) {
	t.Parallel()
	found := 0
	for i := range *rounds {
		s := *seed + uint64(i)
		p := brute.RandomRounds(rand.New(rand.NewPCG(s, 9)), false)
		var waits [2]bool
		known := true
		for k := range waits {
			m, err := model.Get("rc11", model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			res, err := Explore(t.Context(), brute.Lower(p), Options{
				Model: m, eager: k == 1, MaxEvents: 100,
				Options: engine.Options{Workers: 1, Liveness: true, Machine: machine.Options{SpinAssume: true}, Timeout: 2 * time.Second},
			})
			if err != nil {
				t.Fatal(err)
			}
			waits[k] = len(res.Errors) > 0
			known = known && (waits[k] || res.GaveUp == "" && res.Cut == "")
		}
		if known && waits[0] != waits[1] {
			t.Fatalf("seed %d:\n%v\nthreads wait for ever: %v, should be %v", s, p, waits[0], waits[1])
		}
		if known && waits[0] {
			found++
		}
	}
	if found == 0 && !testing.Short() {
		t.Error("no thread waits for ever")
	}
}
