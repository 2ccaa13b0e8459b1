package explore

import (
	"math"
	"math/rand/v2"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/model"
)

// TestSample holds the average of many small samples to the number of executions that the enumerator counts: an estimate may be off,
// but not always in the same direction.
func TestSample(t *testing.T) {
	if testing.Short() {
		t.Skip("takes thousands of samples")
	}
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
		if _, err := Explore(t.Context(), brute.Lower(p), Options{Model: mod, Options: engine.Options{Workers: 1}, sample: s}); err != nil {
			t.Fatal(err)
		}
		want := float64(len(brute.Enumerate(p, brute.RC11)))
		if got := s.sum / float64(s.n); math.Abs(got-want) > want/10 {
			t.Errorf("%s: %.1f executions on average, want %.0f", text, got, want)
		}
	}
}

// An estimate is given only if the rounds agree and it is not less than what was counted.
func TestEstimate(t *testing.T) {
	of := func(rounds ...float64) *sample {
		s := &sample{}
		for _, r := range rounds {
			s.n++
			s.sum += r
			s.sumSq += r * r
		}
		return s
	}
	for _, test := range []struct {
		s       *sample
		counted float64
		want    string
	}{
		{of(), 128136, "at least 128,136 executions, and the samples differ too much to say how many more"},
		{of(100, 110, 90, 100, 105, 95), 50, "about 100 executions"},
		{of(100, 110, 90, 100, 105, 95), 150, "at least 150 executions, and the samples differ too much to say how many more"},
		{of(1, 1, 1, 1, 1, 1e9), 7, "at least 7 executions, and the samples differ too much to say how many more"},
		{of(128000, 127000, 129000, 128000, 128500), 7, "about 130,000 executions"},
	} {
		if got := test.s.estimate(test.counted).String(); got != test.want {
			t.Errorf("%v: %s, want %s", test.s, got, test.want)
		}
	}
}
