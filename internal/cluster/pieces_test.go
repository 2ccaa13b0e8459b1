package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/brute"
	"ravel/internal/catmodel"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/piecetest"
	"ravel/internal/explore/xmm"
	"ravel/internal/machine"
	"ravel/internal/model"
)

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
				if s%4 == 2 {
					p = brute.RandomAwaits(rand.New(rand.NewPCG(s, 19)), false)
				}
				opts := explore.Options{Model: m, Twins: true, Options: engine.Options{Workers: int(s % 3), Symmetry: true, RaceCheck: true, MemoryCheck: true, KeepGoing: true, Machine: machine.Options{SpinAssume: true}}}
				if m.Traits().Reexecutes {
					xmm.Use(&opts, nil)
				}
				opts.Observed = s%5 == 2 && s%4 != 2 && !m.Traits().TotalCo && m.Traits().Deps == nil && m.Traits().Late == nil && !m.Traits().Reexecutes
				prog := brute.Lower(p)
				want, err := explore.Explore(t.Context(), prog, opts)
				if err != nil {
					t.Fatalf("seed %d: %v", s, err)
				}
				got, generations, err := piecetest.Explore(t.Context(), prog, opts, rand.New(rand.NewPCG(s, 12)))
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

// TestPiecesEqual explores random programs with equal threads in pieces, some of which turn out not to be equal.
func TestPiecesEqual(t *testing.T) {
	programs := uint64(200)
	if testing.Short() {
		programs = 20
	}
	for _, name := range []string{"sc", "tso", "ra", "rc11", "imm"} {
		t.Run(name, func(t *testing.T) {
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			reduced := 0
			for s := range programs {
				prog, _ := brute.RandomEqual(rand.New(rand.NewPCG(s, 13)))
				opts := explore.Options{Model: m, Twins: true, Options: engine.Options{Workers: int(s % 3), Symmetry: true, MemoryCheck: true, KeepGoing: true, Machine: machine.Options{SpinAssume: true}}}
				want, err := explore.Explore(t.Context(), prog, opts)
				if err != nil {
					t.Fatalf("seed %d: %v", s, err)
				}
				got, _, err := piecetest.Explore(t.Context(), prog, opts, rand.New(rand.NewPCG(s, 14)))
				if err != nil {
					t.Fatalf("seed %d: %v", s, err)
				}
				if diff := differences(got, want); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, name, prog, diff)
				}
				if slices.Contains(want.UpTo, "symmetry") {
					reduced++
				}
			}
			t.Logf("%d programs of %d have equal threads", reduced, programs)
		})
	}
}

// TestPiecesMixed explores random programs with locks, barriers, retries and waits in pieces, with and without equal threads.
func TestPiecesMixed(t *testing.T) {
	programs := uint64(100)
	if testing.Short() {
		programs = 15
	}
	for _, name := range []string{"sc", "tso", "rc11", "imm", "lkmm"} {
		t.Run(name, func(t *testing.T) {
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			compared := 0
			for s := range programs {
				p, n := brute.RandomMixed(rand.New(rand.NewPCG(s, 17)), s%3 == 0)
				prog := brute.Lower(p)
				if equal := []int{0, 1, 2}; n > 0 {
					prog = brute.LowerEqual(p, [][]int{equal[:n]})
					brute.SumResults(prog)
				}
				opts := explore.Options{Model: m, Twins: true, Options: engine.Options{
					Workers: int(s % 3), Symmetry: true, RaceCheck: true, MemoryCheck: true, Liveness: s%2 == 0, KeepGoing: true, Timeout: 2 * time.Second, Machine: machine.Options{SpinAssume: true, Unroll: 2},
				}}
				want, err := explore.Explore(t.Context(), prog, opts)
				if err != nil {
					t.Fatalf("seed %d: %v", s, err)
				}
				if want.GaveUp != "" || want.Complete+want.Blocked > 300 {
					continue // it takes too long
				}
				opts.Timeout = 0
				got, _, err := piecetest.Explore(t.Context(), prog, opts, rand.New(rand.NewPCG(s, 18)))
				if err != nil {
					t.Fatalf("seed %d: %v", s, err)
				}
				compared++
				if diff := differences(got, want); diff != "" {
					t.Fatalf("seed %d, model %s:\n%v\n%s", s, name, p, diff)
				}
			}
			t.Logf("%d programs of %d were compared", compared, programs)
		})
	}
}

// TestWalks walks at random in pieces: the pieces of a chain are different walks, and so are those of two chains.
func TestWalks(t *testing.T) {
	p, opts := writers(t)
	opts.Hunt = time.Hour
	search, err := explore.NewSearch(p, opts, explore.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	for { // until all threads are known
		rec := search.NewExplorer().Explore(explore.Walks(1)[0], explore.Slice{Executions: 5})
		if rec.Next == nil {
			break
		}
		if search, err = explore.NewSearch(p, opts, *rec.Next); err != nil {
			t.Fatal(err)
		}
	}
	var sum explore.Sum
	seen := map[uint64]bool{}
	const pieces, executions = 5, 5
	for _, it := range explore.Walks(2) {
		for range pieces {
			rec := search.NewExplorer().Explore(it, explore.Slice{Executions: executions})
			if len(rec.Rest.Path) == 0 || rec.Rest.Walk == it.Walk {
				t.Fatalf("after %+v comes %+v", it, rec.Rest)
			}
			if rec.Walks < executions {
				t.Errorf("%d walks, want %d", rec.Walks, executions)
			}
			for _, print := range rec.Prints.Prints {
				seen[print.Hash] = true
			}
			sum.Add(rec, false)
			it = rec.Rest
		}
	}
	if n := 2 * pieces * executions; len(seen) < n*9/10 { // of 5,040 executions, two rarely are the same
		t.Errorf("%d executions in %d walks", len(seen), n)
	}
	res, _, err := search.Result(t.Context(), &sum)
	if err != nil || res.Hunt == nil || res.Hunt.Walks != sum.Walks || res.Hunt.Distinct != int64(len(seen)) {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestPiecesObserved explores random programs whose threads wait in pieces, without co: there are as many complete executions, and the same errors. Threads that wait for ever are found whatever co says.
func TestPiecesObserved(t *testing.T) {
	programs := uint64(300)
	if testing.Short() {
		programs = 30
	}
	for _, name := range []string{"sc", "tso", "ra", "rc11"} {
		t.Run(name, func(t *testing.T) {
			m, err := model.Get(name, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			failed := 0
			for s := range programs {
				r := rand.New(rand.NewPCG(s, 15))
				p := brute.Random(r, brute.Config{Awaits: true, Starts: s%3 == 0, Total: 8})
				if s%4 == 1 {
					p = brute.RandomLocks(r)
				}
				opts := explore.Options{Model: m, Observed: true, Options: engine.Options{Workers: 1, MemoryCheck: true, Liveness: true, Machine: machine.Options{SpinAssume: true}}}
				prog := brute.Lower(p)
				want, err := explore.Explore(t.Context(), prog, opts)
				if err != nil {
					t.Fatalf("seed %d: %v", s, err)
				}
				got, _, err := piecetest.Explore(t.Context(), prog, opts, rand.New(rand.NewPCG(s, 16)))
				if err != nil {
					t.Fatalf("seed %d: %v", s, err)
				}
				failed += len(want.Errors)
				if len(got.Errors) != len(want.Errors) || len(got.Errors) == 0 && got.Complete != want.Complete {
					t.Fatalf("seed %d, model %s:\n%v\n%d executions, %d errors, want %d, %d", s, name, p, got.Complete, len(got.Errors), want.Complete, len(want.Errors))
				}
			}
			if failed == 0 && !testing.Short() {
				t.Error("no thread waits for ever")
			}
		})
	}
}
