package explore

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore/exploretest"
	"ravel/internal/graph"
	"ravel/internal/machine"
	"ravel/internal/model"
)

var (
	rounds = flag.Int("rounds", 300, "random programs per model with rounds that are waits")
	// Larger programs would take most of the time.
	maxEnds = flag.Int("ends", 1000, "how many executions these may have, blocked ones included")
)

// TestRounds compares the outcomes of random programs that go round with those of an exploration that takes no round for a wait, and cuts loops after
// two: what round.go and reread.go leave out makes no difference. Leaving out rounds leaves fewer of them, so the outcomes are the same. And no execution is visited twice.
func TestRounds(t *testing.T) {
	kinds := [...]func(*rand.Rand, bool) *brute.Prog{brute.RandomRounds, brute.RandomRetries, brute.RandomPolls}
	testRounds(t, []brute.Model{brute.JAM21, brute.JAM19}, 9, func(r *rand.Rand, i int) *brute.Prog {
		p := kinds[i/3%3](r, i%3 == 0)
		p.Assumes = i/9%3 == 2
		return p
	})
}

// TestTries is TestRounds for threads that try a lock under another one, and give up.
func TestTries(t *testing.T) {
	testRounds(t, nil, 14, func(r *rand.Rand, i int) *brute.Prog { return brute.RandomTries(r, i%3 == 0) })
}

// TestTurns is TestRounds for threads that wait with a lock in their hands.
func TestTurns(t *testing.T) {
	testRounds(t, nil, 15, func(r *rand.Rand, i int) *brute.Prog { return brute.RandomTurns(r, i%3 == 0) })
}

// testRounds compares random programs with an exploration of all rounds up to a bound: complete executions leave the same values behind. Every third program may have races, which are found.
func testRounds(t *testing.T, more []brute.Model, salt uint64, program func(r *rand.Rand, i int) *brute.Prog) {
	t.Helper()
	for _, m := range slices.Concat(brute.Models, allDepModels, more) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			compared, left := 0, 0
			for i := range *rounds {
				s := *seed + uint64(i)
				p := program(rand.New(rand.NewPCG(s, salt)), i)
				got, few := outcomesOf(t, p, m, false, i%3 == 0)
				if got == nil {
					continue // it takes too long, or the verdict says that not all was explored
				}
				want, many := outcomesOf(t, p, m, true, i%3 == 0)
				if want == nil {
					continue
				}
				compared++
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, model %s:\n%v\noutcomes:\n%s\nshould be\n%s", s, m, p, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				if few < many {
					left++
				}
			}
			if left == 0 && !testing.Short() {
				t.Errorf("no round was left out")
			}
			t.Logf("%d programs compared, rounds were left out in %d of them", compared, left)
		})
	}
}

// outcomesOf returns what threads return and what memory has in the end, in all complete executions, and how many there are, or that there is
// an error. It is nil if that takes too long, or leaves something out and says so.
func outcomesOf(t *testing.T, p *brute.Prog, m brute.Model, allRounds, races bool) (list []string, n int) {
	t.Helper()
	mod, err := model.Get(string(m), model.Options{Raw: m == brute.TSO || m == brute.PSO})
	if err != nil {
		t.Fatal(err)
	}
	set, seen := map[string]bool{}, map[string]bool{}
	res, err := Explore(t.Context(), brute.Lower(p), Options{
		Model: mod, Options: engine.Options{Workers: 1, RaceCheck: races, MemoryCheck: true, Machine: machine.Options{SpinAssume: true, Unroll: 2}, Timeout: time.Minute}, AllRounds: allRounds, limit: *maxEnds,
		OnExecution: func(x *Execution) {
			if x.Blocked {
				return
			}
			n++
			seen[exploretest.GraphKey(x.Graph)] = true
			set[outcomeOf(x)] = true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n == int(res.Complete) && len(seen) < n { // else the exploration has started again
		t.Fatalf("%v under %s: %d executions, %d of them different", p, m, n, len(seen))
	}
	switch {
	case len(res.Errors) > 0:
		return []string{res.Errors[0].Kind}, 0
	case res.GaveUp != "", strings.Contains(res.Cut, "iterations of the loop"):
		return nil, 0
	}
	return append([]string{"outcomes"}, slices.Sorted(maps.Keys(set))...), n
}

// outcomeOf returns what threads return and what memory has in the end.
func outcomeOf(x *Execution) string {
	var b strings.Builder
	for _, evs := range x.Graph.Threads {
		if len(evs) > 0 {
			if e := &x.Graph.Events[evs[len(evs)-1]]; e.Kind == graph.End {
				fmt.Fprintf(&b, "%d ", e.Val.Lo)
			}
		}
	}
	var memory []string
	for i := range x.Graph.Locs {
		l := &x.Graph.Locs[i]
		if v := x.w.valueOf(l.Co[len(l.Co)-1], int32(i)); v.Lo != 0 {
			memory = append(memory, fmt.Sprintf("%d=%d ", l.Addr, v.Lo))
		}
	}
	slices.Sort(memory) // locations come in the order in which they were first accessed
	return b.String() + strings.Join(memory, "")
}
