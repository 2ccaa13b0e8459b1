package explore

import (
	"math"
	"math/rand/v2"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/model"
)

// TestSample holds the average of many small samples to the number of executions that the enumerator counts: an estimate may be off,
// but not always in the same direction.
func TestSample(t *testing.T) {
	for _, text := range []string{
		"FADD(x,1) || FADD(x,1) || FADD(x,1) || FADD(x,1) || FADD(x,1)",
		"x=1; r0=y || y=1; r0=z || z=1; r0=x || x=2; z=2",
		"r0=x; r1=y; r2=z || x=1; x=2 || y=1; y=2 || r0=x; z=1",
	} {
		p := brute.MustParse(text)
		mod, err := model.Get("rc11", model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := &sample{rng: rand.New(rand.NewPCG(1, 0)), limit: 1000}
		if _, err := Explore(brute.Lower(p), Options{Model: mod, Workers: 1, sample: s}); err != nil {
			t.Fatal(err)
		}
		want := float64(len(brute.Enumerate(p, brute.RC11)))
		if got := s.estimate().Executions; math.Abs(got-want) > want/10 {
			t.Errorf("%s: %.1f executions on average, want %.0f", text, got, want)
		}
	}
}
