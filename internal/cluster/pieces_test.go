package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/catmodel"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/xmm"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// inPieces explores p in pieces, in random order and for random numbers of executions. Some pieces are explored twice, and one of the two records counts, as
// if a process had died. It returns how many generations there were.
func inPieces(p *ir.Program, opts explore.Options, rng *rand.Rand) (*explore.Result, int, error) {
	var setup explore.Setup
	for generation := 1; ; generation++ {
		res, next, err := oneGeneration(p, opts, setup, rng)
		if next == nil {
			return res, generation, err
		}
		setup = *next
	}
}

func oneGeneration(p *ir.Program, opts explore.Options, setup explore.Setup, rng *rand.Rand) (*explore.Result, *explore.Setup, error) {
	search, err := explore.NewSearch(p, opts, setup)
	if err != nil {
		return nil, nil, err
	}
	sum := &explore.Sum{}
	explorers := make([]*explore.Explorer, 3)
	most := 1 + rng.IntN(20)
	one := func(it explore.Item) *explore.Record {
		i := rng.IntN(len(explorers))
		if explorers[i] == nil || rng.IntN(4) == 0 {
			explorers[i] = search.NewExplorer()
		}
		return explorers[i].Explore(it, explore.Slice{Executions: 1 + rng.IntN(most)})
	}
	for todo := []explore.Item{explore.Root()}; len(todo) > 0; {
		i := rng.IntN(len(todo))
		it := todo[i]
		rec := one(it)
		if rng.IntN(4) == 0 {
			rec = one(it)
		}
		if rec.Next != nil {
			if !rec.Next.Extends(search.Setup()) {
				return nil, rec.Next, nil
			}
			if search, err = explore.NewSearch(p, opts, *rec.Next); err != nil {
				return nil, nil, err
			}
			clear(explorers)
			continue
		}
		sum.Add(rec, opts.KeepGoing)
		if rec.Ends(opts.KeepGoing) {
			break
		}
		todo = slices.Delete(todo, i, i+1)
		if len(rec.Rest.Path) > 0 {
			todo = append(todo, rec.Rest.Split(1+rng.IntN(5))...)
		}
		if next := sum.Next(search.Setup()); next != nil {
			return nil, next, nil
		}
	}
	return search.Result(context.Background(), sum)
}

// differences says how the result of an exploration in pieces differs from that of a plain one.
func differences(got, want *explore.Result) string {
	var diff []string
	if got.Counts != want.Counts {
		diff = append(diff, fmt.Sprintf("counts %+v, want %+v", got.Counts, want.Counts))
	}
	if g, w := errorsOf(got), errorsOf(want); !slices.Equal(g, w) {
		diff = append(diff, fmt.Sprintf("errors %q, want %q", g, w))
	}
	if (got.Cut == "") != (want.Cut == "") || (got.GaveUp == "") != (want.GaveUp == "") || !slices.Equal(got.UpTo, want.UpTo) {
		diff = append(diff, fmt.Sprintf("cut %q, gave up %q, up to %v, want %q, %q, %v", got.Cut, got.GaveUp, got.UpTo, want.Cut, want.GaveUp, want.UpTo))
	}
	if len(got.Warnings) != len(want.Warnings) || len(got.Spins) != len(want.Spins) || (len(got.Waits) > 0) != (len(want.Waits) > 0) {
		diff = append(diff, fmt.Sprintf("warnings %q, spins %v, waits %v, want %q, %v, %v", got.Warnings, got.Spins, got.Waits, want.Warnings, want.Spins, want.Waits))
	}
	return strings.Join(diff, "; ")
}

func errorsOf(res *explore.Result) []string {
	var list []string
	for _, e := range res.Errors {
		list = append(list, e.Kind+" at "+e.Location.String())
	}
	slices.Sort(list)
	return list
}

// TestPieces explores random programs in pieces, under every native model and some in cat.
func TestPieces(t *testing.T) {
	deps := []brute.Model{brute.IMM, brute.ARMv8, brute.RISCV, brute.Power, brute.ARMv7}
	var models []model.Model
	for _, m := range slices.Concat(brute.Models, deps, []brute.Model{model.XMM, "lkmm"}) {
		mod, err := model.Get(string(m), model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, mod)
	}
	for _, name := range []string{"rc11", "armv8"} {
		c, err := catmodel.Embedded(name, catmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, c.Explorer())
	}
	programs := uint64(60)
	if testing.Short() {
		programs = 10
	}
	for i, m := range models {
		t.Run(fmt.Sprint(i, m.Name()), func(t *testing.T) {
			again := 0
			for s := range programs {
				cfg := brute.Config{Deps: m.Traits().Deps != nil || s%2 == 0, Starts: s%3 == 0}
				if m.Traits().Reexecutes {
					cfg.Threads, cfg.PerThread, cfg.Total = 3, 3, 6
				}
				p := brute.Random(rand.New(rand.NewPCG(s, 11)), cfg)
				if s%4 == 1 {
					p = brute.MustParse(strings.ReplaceAll(p.String(), "CAS(", "WCAS("))
				}
				opts := explore.Options{Model: m, Options: engine.Options{Workers: 1, Symmetry: true, RaceCheck: true, MemoryCheck: true, KeepGoing: true, Machine: machine.Options{SpinAssume: true}}}
				if m.Traits().Reexecutes {
					xmm.Use(&opts, nil)
				}
				opts.Observed = s%5 == 2 && !m.Traits().TotalCo && m.Traits().Deps == nil && m.Traits().Late == nil && !m.Traits().Reexecutes
				prog := brute.Lower(p)
				want, err := explore.Explore(t.Context(), prog, opts)
				if err != nil {
					t.Fatalf("seed %d: %v", s, err)
				}
				got, generations, err := inPieces(prog, opts, rand.New(rand.NewPCG(s, 12)))
				if err != nil {
					t.Fatalf("seed %d: %v", s, err)
				}
				if generations > 1 {
					again++
				}
				if diff := differences(got, want); diff != "" {
					t.Fatalf("seed %d, model %s, observed %v:\n%v\n%s", s, m.Name(), opts.Observed, p, diff)
				}
			}
			t.Logf("%d programs of %d began again", again, programs)
		})
	}
}
