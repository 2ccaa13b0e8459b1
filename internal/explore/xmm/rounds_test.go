package xmm

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/graph"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestRounds compares random programs that go round under a lock with an exploration that takes no round for a wait, and cuts loops after two. Where rounds are left out and the verdict does not say that this may make a difference, there are
// all outcomes of the other exploration, and that finds no execution with cycles in po ∪ rf (explore/sync.go).
func TestRounds(t *testing.T) {
	t.Parallel()
	compared, left, bounded := 0, 0, 0
	for i := range *programs {
		s := *seed + uint64(i)
		r := rand.New(rand.NewPCG(s, 9))
		p := [...]func(*rand.Rand, bool) *brute.Prog{brute.RandomPolls, brute.RandomRounds}[i/4%2](r, i%2 == 0)
		got, few := outcomes(t, p, 0)
		if got == nil {
			bounded++
			continue
		}
		if few.Cyclic > 0 {
			continue // no round was left out
		}
		want, many := outcomes(t, p, 2)
		if want == nil {
			continue // it takes too long
		}
		compared++
		if many.Cyclic > 0 || slices.ContainsFunc(want, func(o string) bool { return !slices.Contains(got, o) }) {
			t.Fatalf("seed %d:\n%v\n%d executions with cycles, outcomes:\n%s\nshould have\n%s", s, p, many.Cyclic, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if few.Complete < many.Complete {
			left++
		}
	}
	if left == 0 && !testing.Short() {
		t.Errorf("no round was left out")
	}
	t.Logf("%d programs compared, rounds were left out in %d of them; %d are bounded", compared, left, bounded)
}

// outcomes returns what threads return and what memory has in the end, in all complete executions, or that there is an error. It is nil if that takes too long, or leaves something out and says so. If unroll is not 0, no round is a wait, and loops are cut after so many.
func outcomes(t *testing.T, p *brute.Prog, unroll int) ([]string, explore.Counts) {
	t.Helper()
	m, err := model.Get(model.XMM, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	opts := explore.Options{
		Model: m, AllRounds: unroll > 0, MaxEvents: 200,
		Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true, Unroll: unroll}, Timeout: 5 * time.Second},
		OnExecution: func(x *explore.Execution) {
			if !x.Blocked {
				set[outcomeOf(x.Graph)] = true
			}
		},
	}
	Use(&opts, nil)
	res, err := explore.Explore(t.Context(), brute.Lower(p), opts)
	switch {
	case err != nil:
		t.Fatal(err)
	case len(res.Errors) > 0:
		return []string{res.Errors[0].Kind}, res.Counts
	case res.GaveUp != "", unroll == 0 && res.Cut != "":
		return nil, res.Counts
	}
	return append([]string{"outcomes"}, slices.Sorted(maps.Keys(set))...), res.Counts
}

// outcomeOf returns what threads return and what memory has in the end.
func outcomeOf(g *graph.Graph) string {
	var words []string
	for i := range g.Locs {
		l := &g.Locs[i]
		v := l.Init
		if last := l.Co[len(l.Co)-1]; last != graph.Init {
			v = g.Events[last].Val
		}
		if v.Lo != 0 {
			words = append(words, fmt.Sprintf("%d=%d", l.Addr, v.Lo))
		}
	}
	slices.Sort(words) // locations come in the order in which they were first accessed
	for t, evs := range g.Threads {
		if len(evs) > 0 && g.Events[evs[len(evs)-1]].Kind == graph.End {
			words = append(words, fmt.Sprintf("thread %d: %d", t, g.Events[evs[len(evs)-1]].Val.Lo))
		}
	}
	return strings.Join(words, " ")
}
