package xmm

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestEqualThreads compares programs with equal threads with explorations of all permutations: what memory has in the end is the same. If there are executions with cycles, so are the numbers.
func TestEqualThreads(t *testing.T) {
	for _, name := range []string{"xmm", "jam21"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			reduced, cyclic := 0, 0
			for i := range *programs / 4 {
				s := *seed + uint64(i)
				prog := randomEqual(rand.New(rand.NewPCG(s, 21)), name != "xmm")
				want, all := outcomesOf(t, prog, m, false)
				got, fewer := outcomesOf(t, prog, m, true)
				if !maps.Equal(want, got) {
					t.Fatalf("seed %d:\n%v\noutcomes %v, want %v", s, prog, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
				}
				switch isReduced := slices.Contains(fewer.UpTo, "symmetry"); {
				case all.Cyclic > 0 && fewer.Counts != all.Counts, fewer.Complete > all.Complete, fewer.Cut != all.Cut:
					t.Fatalf("seed %d:\n%v\n%+v, want %+v", s, prog, fewer, all)
				case isReduced:
					reduced++
				}
				if all.Cyclic > 0 {
					cyclic++
				}
			}
			t.Logf("%d programs reduced, %d with cycles", reduced, cyclic)
		})
	}
}

// randomEqual returns a random program whose first two threads are equal, and may load late. With na some accesses are plain.
func randomEqual(r *rand.Rand, na bool) *ir.Program {
	if r.IntN(2) == 0 {
		prog, _ := brute.RandomEqual(r)
		return prog
	}
	mode := ""
	if na && r.IntN(2) == 0 {
		mode = ".na"
	}
	thread := func(from, to string) string {
		last := []string{"=1", "=2", "=r0*0+1", "=r0+1", "=1.rel"}[r.IntN(5)]
		if !strings.HasSuffix(last, ".rel") {
			last += mode
		}
		return "r0=" + from + []string{mode, mode, ".acq"}[r.IntN(3)] + "; " + []string{"", "", "r1=" + to + "; ", "F.acqrel; "}[r.IntN(4)] + to + last
	}
	first := thread("x", "y")
	prog := brute.Lower(brute.MustParse(first + " || " + first + " || " + thread("y", "x")))
	b := prog.Main.Blocks[0]
	b.Instrs[1].Args[0] = b.Instrs[0].Args[0]
	return prog
}

// outcomesOf returns what memory has in the end, in all complete executions.
func outcomesOf(t *testing.T, prog *ir.Program, m model.Model, twins bool) (map[string]bool, *explore.Result) {
	t.Helper()
	set := map[string]bool{}
	opts := explore.Options{Model: m, Twins: twins, Options: engine.Options{Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}}
	opts.OnExecution = func(x *explore.Execution) {
		if x.Blocked {
			return
		}
		text := ""
		for i := range x.Graph.Locs {
			if l := &x.Graph.Locs[i]; l.Co[len(l.Co)-1] != graph.Init {
				text += fmt.Sprintf("%d=%d ", l.Addr, x.Graph.Events[l.Co[len(l.Co)-1]].Val.Lo)
			}
		}
		set[text] = true
	}
	Use(&opts, nil)
	res, err := explore.Explore(t.Context(), prog, opts)
	if err != nil {
		t.Fatal(err)
	}
	return set, res
}
