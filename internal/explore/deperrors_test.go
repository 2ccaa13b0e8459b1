package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// TestErrorsWithHoles checks that an error of a thread is found if, and only if, an execution has it: a thread may come to it while others
// lack events that were deleted, or have a write of an RMW that has no place. A thread fails if its reads
// have received certain values, those of some execution of a weaker model or of its own.
func TestErrorsWithHoles(t *testing.T) {
	for _, m := range allDepModels {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			mod, err := model.Get(string(m), model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range *programs / 2 {
				s := *seed + uint64(i)
				r := rand.New(rand.NewPCG(s, 8))
				p := brute.Random(r, brute.Config{Deps: true, NoBranches: true})
				thread := r.IntN(len(p.Threads))
				from := brute.Enumerate(p, []brute.Model{m, brute.Power.Raw()}[r.IntN(2)])
				bad := received(from[r.IntN(len(from))], thread)
				want := slices.ContainsFunc(brute.Enumerate(p, m), func(x brute.Execution) bool { return slices.Equal(received(x, thread), bad) })
				for _, cyclic := range []bool{false, true} {
					res, err := Explore(t.Context(), failing(p, thread, bad), Options{
						Model: mod, Options: engine.Options{Workers: 1, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}}, cyclic: cyclic,
					})
					if err != nil {
						t.Fatal(err)
					}
					if got := len(res.Errors) > 0; got != want && (got || res.Cut == "") { // what is not explored is said
						t.Fatalf("seed %d, model %s, cyclic %v:\n%v\nthread %d reads %v: found %v, want %v", s, m, cyclic, p, thread, bad, got, want)
					}
				}
			}
		})
	}
}

// received returns what the reads of a thread receive.
func received(x brute.Execution, thread int) []uint32 {
	var vals []uint32
	for _, e := range x.Threads[thread] {
		if e.Kind == brute.R {
			vals = append(vals, e.Val)
		}
	}
	return vals
}

// failing returns p, which has no branches with statements, with a thread that fails at its end if its reads have received the
// values bad. Its registers are assigned once, in order.
func failing(p *brute.Prog, thread int, bad []uint32) *ir.Program {
	prog := brute.Lower(p)
	abort := &ir.Func{Name: "abort"}
	prog.AddFunc(abort)
	name := fmt.Sprintf("t%d", thread)
	f := prog.Funcs[slices.IndexFunc(prog.Funcs, func(f *ir.Func) bool { return f.Name == name })]
	end := slices.IndexFunc(f.Blocks, func(b *ir.Block) bool { return b.Instrs[len(b.Instrs)-1].Op == ir.Ret })
	b := f.Blocks[end]
	ret := b.Instrs[len(b.Instrs)-1]
	b.Instrs = b.Instrs[:len(b.Instrs)-1]
	blank := ir.Instr{Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.Imm(0), B: ir.Imm(0), C: ir.Imm(0)}
	call := blank
	call.Op, call.Callee = ir.Call, abort
	first := len(f.Blocks)
	f.Blocks = append(f.Blocks, &ir.Block{Name: "ok", Instrs: []ir.Instr{ret}}, &ir.Block{Name: "bad", Instrs: []ir.Instr{call, ret}})
	is := ir.Imm(1)
	for i, v := range bad {
		cmp, and := blank, blank
		cmp.Op, cmp.Dst, cmp.A, cmp.B, cmp.Width, cmp.Pred = ir.Cmp, ir.Reg(f.Regs), ir.R(ir.Reg(1+i)), ir.Imm(uint64(v)), 32, ir.EQ
		and.Op, and.Dst, and.A, and.B, and.Width = ir.And, ir.Reg(f.Regs+1), is, ir.R(cmp.Dst), 1
		f.Regs += 2
		is = ir.R(and.Dst)
		b.Instrs = append(b.Instrs, cmp, and)
	}
	br := blank
	br.Op, br.A, br.Targets = ir.CondBr, is, []int{first + 1, first}
	b.Instrs = append(b.Instrs, br)
	return prog
}
