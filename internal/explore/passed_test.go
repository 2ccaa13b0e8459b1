package explore

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestPassed compares random programs whose loops access data with an exploration that blocks no thread in a loop, and cuts loops after three iterations: that has the same races, and the same outcomes where there are none.
func TestPassed(t *testing.T) {
	for _, m := range []brute.Model{brute.RC11, brute.RA, brute.SC, brute.LKMM} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			races, compared := 0, 0
			for i := range *rounds {
				s := *seed + uint64(i)
				p := brute.RandomPassed(rand.New(rand.NewPCG(s, 16)))
				got := resultOf(t, p, m, machine.Options{SpinAssume: true})
				want := resultOf(t, p, m, machine.Options{Unroll: 3})
				if got == nil || want == nil {
					continue
				}
				compared++
				if want[0] == "race" {
					races++
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, model %s:\n%v\n%s\nshould be\n%s", s, m, p, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
			t.Logf("%d programs compared, %d of them with races", compared, races)
		})
	}
}

// resultOf returns the kind of an error of p, or the outcomes of its complete executions. It is nil if that takes too long, or if something was left out.
func resultOf(t *testing.T, p *brute.Prog, m brute.Model, mopts machine.Options) []string {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	res, err := Explore(t.Context(), brute.Lower(p), Options{
		Model: mod, Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Machine: mopts, Timeout: time.Minute}, limit: *maxEnds,
		OnExecution: func(x *Execution) {
			if !x.Blocked {
				set[outcomeOf(x)] = true
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(res.Errors) > 0:
		return []string{res.Errors[0].Kind}
	case res.GaveUp != "" || res.Cut != "" && mopts.Unroll == 0:
		return nil
	}
	return append([]string{"outcomes"}, slices.Sorted(maps.Keys(set))...)
}
