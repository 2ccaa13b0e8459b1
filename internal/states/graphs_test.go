package states

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/explore"
	"ravel/internal/ir"
	"ravel/internal/model"
)

// asserting returns p lowered, with a main that joins all threads and then fails if the final values of the variables and
// registers are those of bad.
func asserting(p *brute.Prog, bad []uint64) *ir.Program {
	prog, vars := withOutcome(p)
	main := prog.Main
	b := main.Blocks[0]
	ret := b.Instrs[len(b.Instrs)-1]
	creates := slices.Clone(b.Instrs[:len(b.Instrs)-1])
	emit := func(in ir.Instr) ir.Operand {
		in.Dst2 = ir.NoReg
		in.Dst = ir.Reg(main.Regs)
		main.Regs++
		if in.Op == ir.Call {
			in.Results, in.Dst = []ir.Reg{in.Dst}, ir.NoReg
		}
		b.Instrs = append(b.Instrs, in)
		return ir.R(ir.Reg(main.Regs - 1))
	}
	b.Instrs = slices.Clone(creates)
	join := find(prog, "__ravel_join", 1, 1)
	for i := range creates {
		emit(ir.Instr{Op: ir.Call, Callee: join, Args: []ir.Operand{ir.R(creates[i].Results[0])}})
	}
	all := ir.Imm(1)
	for i, g := range vars {
		x := emit(ir.Instr{Op: ir.Load, A: ir.Imm(uint64(g.Addr)), B: ir.Imm(0), C: ir.Imm(0), Size: 4, Mode: event.Rlx})
		is := emit(ir.Instr{Op: ir.Cmp, A: x, B: ir.Imm(bad[i]), C: ir.Imm(0), Width: 32, Pred: ir.EQ})
		all = emit(ir.Instr{Op: ir.And, A: all, B: is, C: ir.Imm(0), Width: 32})
	}
	b.Instrs = append(b.Instrs, ir.Instr{Op: ir.CondBr, A: all, Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{1, 2}})
	fail := find(prog, "reach_error", 0, 0)
	end := ir.Instr{Op: ir.Br, Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{2}}
	main.Blocks = append(main.Blocks,
		&ir.Block{Name: "fail", Instrs: []ir.Instr{{Op: ir.Call, Callee: fail, Dst: ir.NoReg, Dst2: ir.NoReg}, end}},
		&ir.Block{Name: "end", Instrs: []ir.Instr{ret}})
	return prog
}

// TestVerdicts compares verdicts on assertions over final states with those of the graph engine: the strongest model that has the error
// must be the first under which graphs have it.
func TestVerdicts(t *testing.T) {
	var wrong [models]int
	for i := range *programs {
		s := *seed + uint64(i)
		rnd := rand.New(rand.NewPCG(s, 3))
		raw := i%5 < 3
		p := brute.Random(rnd, brute.Config{Total: 8})
		// Mostly outcomes that some model has, half of them those that take the weakest, and some that none has.
		found := explored(t, p, Options{Model: PSO, Options: engine.Options{Workers: 1}, Raw: raw, Buffer: 12, POR: true})
		outs := slices.Sorted(maps.Keys(found))
		if rnd.IntN(2) == 0 {
			weakest := slices.Max(slices.Collect(maps.Values(found)))
			outs = slices.DeleteFunc(outs, func(out string) bool { return found[out] < weakest })
		}
		var bad []uint64
		for _, x := range numbers(outs[rnd.IntN(len(outs))]) {
			bad = append(bad, uint64(x))
		}
		if rnd.IntN(4) == 0 {
			bad[rnd.IntN(len(bad))] = uint64(rnd.IntN(3))
		}
		prog := asserting(p, bad)
		want := ""
		for m := SC; m <= PSO && want == ""; m++ {
			mod, err := model.Get(m.String(), model.Options{Raw: raw})
			if err != nil {
				t.Fatal(err)
			}
			res, err := explore.Explore(t.Context(), prog, explore.Options{Model: mod, Options: engine.Options{MemoryCheck: true, Workers: 1}})
			if err != nil || res.GaveUp != "" {
				t.Fatal(err, res.GaveUp)
			}
			if len(res.Errors) > 0 {
				want = m.String()
				wrong[m]++
			}
		}
		res := mustExplore(t, prog, Options{Model: PSO, Options: engine.Options{Workers: 1 + i%2, Symmetry: i%3 > 0, MemoryCheck: true}, Raw: raw, Buffer: 12, POR: i%4 > 0})
		got := ""
		if len(res.Errors) > 0 {
			got = res.Errors[0].StrongestModel
		}
		if got != want || res.Cut+res.GaveUp != "" {
			t.Fatalf("seed %d: graphs say %q, states %q\n%v\nnot %v %s %s", s, want, got, p, bad, res.Cut, res.GaveUp)
		}
	}
	t.Logf("of %d programs, %d are wrong from sc on, %d from tso, %d from pso", *programs, wrong[SC], wrong[TSO], wrong[PSO])
}

// numbers returns the numbers of an outcome.
func numbers(out string) (list []int) {
	for _, f := range strings.Fields(strings.Trim(out, "[]")) {
		n, err := strconv.Atoi(f)
		if err != nil {
			panic(err)
		}
		list = append(list, n)
	}
	return list
}
