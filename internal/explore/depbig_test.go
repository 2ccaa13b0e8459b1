package explore

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/explore/exploretest"
	"ravel/internal/graph"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestContainsRC11 checks on programs that are too large for the enumerator that imm has every execution of rc11, and
// none twice, where there are no sc fences (with them psc is part of imm's order, next to dependencies).
func TestContainsRC11(t *testing.T) {
	keys := func(p *brute.Prog, name string, limit int) map[string]int {
		m, err := model.Get(name, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		prog := brute.Lower(p)
		found := map[string]int{}
		res, err := Explore(t.Context(), prog, Options{Model: m, Options: engine.Options{Workers: 1, Machine: machine.Options{SpinAssume: true}}, OnExecution: func(x *Execution) {
			if len(found) < limit {
				e := exploretest.ExecutionOf(p, prog, x.Graph, false)
				found[e.Key()]++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if int(res.Complete) > limit {
			return nil
		}
		return found
	}
	n := 0
	for s := *seed; n < *programs/8; s++ {
		p := brute.Random(rand.New(rand.NewPCG(s, 3)), brute.Config{Deps: true, Threads: 3, PerThread: 6, Total: 15})
		rc11 := keys(p, "rc11", 3000)
		if len(rc11) < 100 {
			continue
		}
		n++
		imm := keys(p, "imm", 20000)
		for k, count := range imm {
			if count > 1 {
				t.Fatalf("seed %d: %v\ntwice:\n%s", s, p, k)
			}
		}
		for k := range rc11 {
			if imm != nil && imm[k] == 0 {
				t.Fatalf("seed %d: %v\nmissing under imm (%d, rc11 %d):\n%s", s, p, len(imm), len(rc11), k)
			}
		}
	}
}

// twice asks its model both ways: about the last event, and about the whole graph by its relations.
type twice struct {
	model.DepModel
	differ func(id graph.ID, g *graph.Graph)
}

func (m *twice) Consistent(g *graph.Graph, id graph.ID) bool {
	ok := m.DepModel.Consistent(g, id)
	if ok != m.Check(g) {
		m.differ(id, g)
	}
	return ok
}

func (m *twice) Traits() model.Traits {
	t := m.DepModel.Traits()
	t.Deps = m
	return t
}

// TestConsistent compares the searches of models with their relations, on programs that are too large for the enumerator.
func TestConsistent(t *testing.T) {
	for _, m := range []brute.Model{brute.ARMv8, brute.ARMv8.Raw(), brute.RISCV, brute.Power, brute.Power.Raw(), brute.ARMv7, brute.ARMv7.Raw(), brute.LKMM} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			name, raw := strings.CutSuffix(string(m), "-raw")
			for i := range *programs / 8 {
				s := *seed + uint64(i)
				c := brute.Config{Deps: true, PerThread: 6, Total: 12, NA: m == brute.LKMM && i%3 == 0}
				if i%2 == 0 {
					c.Tags = brute.Model(name)
				}
				p := brute.Random(rand.New(rand.NewPCG(s, 6)), c)
				mod, err := model.Get(name, model.Options{Raw: raw})
				if err != nil {
					t.Fatal(err)
				}
				two := &twice{mod.(model.DepModel), func(id graph.ID, g *graph.Graph) {
					t.Errorf("seed %d: the two ways differ on event %d of thread %d\n%v", s, g.Events[id].Index, g.Events[id].Thread, p)
				}}
				if executionsUnder(t, p, two, 1, false, false); t.Failed() {
					return
				}
			}
		})
	}
}
