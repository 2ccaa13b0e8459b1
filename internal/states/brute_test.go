package states

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
)

var (
	programs = flag.Int("programs", 150, "random programs per model")
	seed     = flag.Uint64("seed", 1, "of the first random program")
)

// withOutcome returns p lowered, with every register stored to a variable of its own at the end of its thread,
// and these variables.
func withOutcome(p *brute.Prog) (prog *ir.Program, vars []*ir.Global) {
	prog = brute.Lower(p)
	vars = slices.Clone(prog.Globals[:len(p.Locs)])
	for i, th := range p.Threads {
		var f *ir.Func
		for _, g := range prog.Funcs {
			if g.Name == fmt.Sprintf("t%d", i) {
				f = g
			}
		}
		for k := range th.Regs {
			out := &ir.Global{Name: fmt.Sprintf("out%d_%d", i, k), Size: 4, Align: 4}
			prog.AddGlobal(out)
			vars = append(vars, out)
			b := f.Blocks[len(f.Blocks)-1]
			st := ir.Instr{Op: ir.Store, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.Imm(uint64(out.Addr)), B: ir.R(ir.Reg(1 + k)), C: ir.Imm(0), Size: 4, Mode: event.Rlx}
			b.Instrs = slices.Insert(b.Instrs, len(b.Instrs)-1, st)
		}
	}
	return prog, vars
}

// final returns what the registers of a thread are in the end, given what its reads read.
func final(body []brute.Stmt, regs []uint32, vals *[]uint32) {
	for _, s := range body {
		switch s.Kind {
		case brute.Load, brute.FAdd, brute.Xchg, brute.CAS:
			if s.Reg != brute.NoReg {
				regs[s.Reg] = (*vals)[0]
			}
			*vals = (*vals)[1:]
		case brute.If:
			if regs[s.Reg] == s.Is {
				final(s.Then, regs, vals)
			} else {
				final(s.Else, regs, vals)
			}
		}
	}
}

// started reports whether a thread of x starts thread i.
func started(x brute.Execution, i int) bool {
	return slices.ContainsFunc(slices.Concat(x.Threads...), func(e brute.Event) bool { return e.Kind == brute.S && e.Other == i })
}

// outcomes returns the outcomes that the axioms allow.
func outcomes(p *brute.Prog, m brute.Model) map[string]bool {
	all := map[string]bool{}
	for _, x := range brute.Enumerate(p, m) {
		out := make([]uint32, len(p.Locs))
		for l, ws := range x.Co {
			if len(ws) > 0 {
				last := ws[len(ws)-1]
				out[l] = x.Threads[last.Thread][last.Index].Val
			}
		}
		for i, th := range p.Threads {
			regs := make([]uint32, len(th.Regs))
			var vals []uint32
			for _, e := range x.Threads[i] {
				if e.Kind == brute.R {
					vals = append(vals, e.Val)
				}
			}
			if !p.Child(i) || started(x, i) {
				final(th.Body, regs, &vals)
			}
			out = append(out, regs...)
		}
		all[fmt.Sprint(out)] = true
	}
	return all
}

// explored returns the outcomes that Explore finds, with the strongest model that has each.
func explored(t *testing.T, p *brute.Prog, o Options) map[string]Model {
	t.Helper()
	prog, vars := withOutcome(p)
	return exploredVars(t, prog, vars, o)
}

// exploredVars returns the final values of the variables.
func exploredVars(t *testing.T, prog *ir.Program, vars []*ir.Global, o Options) map[string]Model {
	t.Helper()
	all := map[string]Model{}
	o.MemoryCheck, o.RaceCheck = true, false
	var last *run
	o.onFinal = func(w *worker) {
		out := []uint32{}
		for _, g := range vars {
			out = append(out, uint32(w.value(w.pageLeaf(g.Addr), g.Addr, 4).Lo))
		}
		w.mu.Lock()
		if w.run != last { // what came before was wrong about what is shared
			last = w.run
			clear(all)
		}
		if _, old := all[fmt.Sprint(out)]; !old {
			all[fmt.Sprint(out)] = w.level
		}
		w.mu.Unlock()
	}
	res := mustExplore(t, prog, o)
	if len(res.Errors) > 0 || res.GaveUp != "" || res.Cut != "" {
		t.Fatalf("%+v", res)
	}
	return all
}

// compare compares the outcomes of a program with those that each model up to the one explored should have.
func compare(t *testing.T, name string, got map[string]Model, model Model, want map[Model]map[string]bool) {
	t.Helper()
	for m := model; ; m-- {
		if w, ok := want[m]; ok {
			have := map[string]bool{}
			for out, strongest := range got {
				if strongest <= m {
					have[out] = true
				}
			}
			if !maps.Equal(have, w) {
				t.Fatalf("%s\ngot under %v %v\nwant %v", name, m, slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(w)))
			}
		}
		if m == SC {
			return
		}
	}
}

// TestRandomPrograms compares the outcomes of random programs with those that the brute-force enumerator finds.
func TestRandomPrograms(t *testing.T) { compareRandom(t, brute.Config{Total: 8}, false) }

// TestStarts does it for programs whose threads start and join others: what they access before and after is not always shared.
func TestStarts(t *testing.T) { compareRandom(t, brute.Config{Total: 8, Starts: true}, false) }

// TestWeakCAS does it for programs whose compare-and-swaps may fail spuriously, also where only one thread is left.
func TestWeakCAS(t *testing.T) {
	compareRandom(t, brute.Config{Total: 6}, true)
	compareRandom(t, brute.Config{Total: 6, Starts: true}, true)
}

// updates returns a random program with many stores and read-modify-writes.
func updates(rnd *rand.Rand) *brute.Prog {
	var threads []string
	for range 2 {
		var text []string
		for i := range 3 {
			loc := string("xyz"[rnd.IntN(3)])
			text = append(text, fmt.Sprintf([]string{
				"%s=%[3]d", "%s=%[3]d", "r%[2]d=%[1]s", "r%[2]d=%[1]s", "r%[2]d=FADD(%[1]s,1)", "r%[2]d=FADD(%[1]s,1).sc", "r%[2]d=CAS(%[1]s,0,%[3]d)",
				"r%[2]d=FADD(%[1]s,2); F.rel", "%s=%[3]d; F.rel",
			}[rnd.IntN(9)], loc, i, 1+rnd.IntN(2)))
		}
		threads = append(threads, strings.Join(text, "; "))
	}
	if rnd.IntN(2) == 0 { // the second shows what the first does late
		threads[0] = "x=1; " + threads[0]
		threads[1] = "r0=y; r1=z; r2=x"
	}
	return brute.MustParse(strings.Join(threads, " || "))
}

// TestRelaxedRMW does it for pso whose stores overtake relaxed read-modify-writes.
func TestRelaxedRMW(t *testing.T) {
	more := 0
	for i := range *programs {
		s := *seed + uint64(i)
		rnd := rand.New(rand.NewPCG(s, 5))
		p := updates(rnd)
		if i%4 == 0 {
			p = brute.Random(rnd, brute.Config{Total: 8, Starts: true})
		}
		want := map[Model]map[string]bool{PSO: outcomes(p, brute.PSORelaxedRMW), TSO: outcomes(p, brute.TSO), SC: outcomes(p, brute.SC)}
		for _, por := range []bool{false, true} {
			got := explored(t, p, Options{Model: PSO, RelaxedRMW: true, Options: engine.Options{Workers: 1 + i%2}, Raw: true, Buffer: 12, POR: por})
			compare(t, fmt.Sprintf("seed %d, por %v:\n%v", s, por, p), got, PSO, want)
		}
		if len(want[PSO]) > len(outcomes(p, brute.PSO)) {
			more++
		}
	}
	if t.Logf("%d programs have more outcomes than under pso", more); !testing.Short() && more == 0 {
		t.Error("no program tells the difference")
	}
}

// compareRandom does it for programs that cfg asks for; weak if all their compare-and-swaps are.
func compareRandom(t *testing.T, cfg brute.Config, weak bool) {
	for _, m := range []Model{SC, TSO, PSO} {
		for _, por := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/por=%v", m, por), func(t *testing.T) {
				t.Parallel()
				for i := range *programs {
					s := *seed + uint64(i)
					p := brute.Random(rand.New(rand.NewPCG(s, 1)), cfg)
					if weak {
						p = brute.MustParse(strings.NewReplacer("CAS(", "WCAS(", "FADD(x,", "WCAS(x,0,").Replace(p.String()))
					}
					want := map[Model]map[string]bool{}
					for k := SC; k <= m; k++ {
						want[k] = outcomes(p, brute.Model(k.String()))
					}
					got := explored(t, p, Options{Model: m, Options: engine.Options{Workers: 1 + i%2}, Raw: true, Buffer: 12, POR: por})
					compare(t, fmt.Sprintf("seed %d, model %v, por %v:\n%v", s, m, por, p), got, m, want)
				}
			})
		}
	}
}
