package brute

import (
	"math/rand/v2"
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// RandomEqual returns a random program whose first two or three threads, n of them, are equal. main joins them in some way, and then stores one more than it
// reads of the first location. Some threads wait for that at their end, so that it may never come. The globals are all that is of interest.
func RandomEqual(rnd *rand.Rand) (prog *ir.Program, n int) {
	p := Random(rnd, Config{Threads: 3, Total: 6, PerThread: 3})
	n = 2 + rnd.IntN(2)
	for len(p.Threads) < n {
		p.Threads = append(p.Threads, p.Threads[0])
	}
	prog = Lower(p)
	b := prog.Main.Blocks[0]
	first := b.Instrs[0].Args[0]
	for i := range n {
		b.Instrs[i].Args[0] = first
	}
	join := prog.Funcs[slices.IndexFunc(prog.Funcs, func(f *ir.Func) bool { return f.Name == JoinFunc })]
	seen := &ir.Global{Name: "seen", Size: 4, Align: 4}
	prog.AddGlobal(seen)
	look := func() []ir.Instr {
		r := ir.Reg(prog.Main.Regs)
		prog.Main.Regs++
		ld := ir.Instr{Op: ir.Load, Dst: r, Dst2: ir.NoReg, A: ir.Imm(uint64(prog.Globals[0].Addr)), B: ir.Imm(0), C: ir.Imm(0), Size: 4, Mode: event.Rlx}
		st := ir.Instr{Op: ir.Store, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.Imm(uint64(seen.Addr)), B: ir.R(r), C: ir.Imm(0), Size: 4, Mode: event.Rlx}
		inc := ir.Instr{Op: ir.Add, Dst: r, Dst2: ir.NoReg, A: ir.R(r), B: ir.Imm(1), C: ir.Imm(0), Width: 32}
		return []ir.Instr{ld, inc, st}
	}
	if rnd.IntN(2) == 0 {
		awaitAtEnd(prog, seen, 1+rnd.Uint64N(2))
	}
	ret := b.Instrs[len(b.Instrs)-1]
	b.Instrs = b.Instrs[:len(b.Instrs)-1]
	order := rnd.Perm(n)
	switch rnd.IntN(4) {
	case 0:
		order = nil
	case 1:
		order = order[:rnd.IntN(n)]
	}
	between := rnd.IntN(3) == 0
	for _, t := range order {
		r := ir.Reg(prog.Main.Regs)
		prog.Main.Regs++
		b.Instrs = append(b.Instrs, ir.Instr{Op: ir.Call, Callee: join, Dst: ir.NoReg, Dst2: ir.NoReg, Args: []ir.Operand{ir.R(b.Instrs[t].Results[0])}, Results: []ir.Reg{r}})
		if between {
			b.Instrs = append(b.Instrs, look()...)
		}
	}
	b.Instrs = append(append(b.Instrs, look()...), ret)
	return prog, n
}

// LowerEqual is Lower, with one function for each class of equal threads, which main creates.
func LowerEqual(p *Prog, equal [][]int) *ir.Program {
	prog := Lower(p)
	var creates []*ir.Instr
	for _, b := range prog.Main.Blocks {
		for i := range b.Instrs {
			if in := &b.Instrs[i]; in.Op == ir.Call && in.Callee.Name == CreateFunc {
				creates = append(creates, in)
			}
		}
	}
	for _, class := range equal {
		for _, t := range class[1:] {
			creates[t].Args[0] = creates[class[0]].Args[0]
		}
	}
	return prog
}

// SumResults has threads add what they would return to a location instead: equal threads return 0.
func SumResults(prog *ir.Program) {
	sum := &ir.Global{Name: "sum", Size: 4, Align: 4}
	prog.AddGlobal(sum)
	for _, f := range prog.Funcs {
		for _, b := range f.Blocks {
			if last := &b.Instrs[len(b.Instrs)-1]; f != prog.Main && last.Op == ir.Ret && len(last.Args) == 1 {
				add := ir.Instr{Op: ir.RMW, RMW: event.Add, Dst: ir.Reg(f.Regs), Dst2: ir.NoReg, A: ir.Imm(uint64(sum.Addr)), B: last.Args[0], C: ir.Imm(0), Size: 4, Mode: event.Rlx}
				f.Regs++
				last.Args[0] = ir.Imm(0)
				b.Instrs = slices.Insert(b.Instrs, len(b.Instrs)-1, add)
			}
		}
	}
}

// awaitAtEnd has thread t0 wait at its end until g is not 0, unless it is one of the first k that get there.
func awaitAtEnd(prog *ir.Program, g *ir.Global, k uint64) {
	i := slices.IndexFunc(prog.Funcs, func(f *ir.Func) bool { return f.Name == "t0" })
	f := prog.Funcs[i]
	turn := &ir.Global{Name: "turn", Size: 4, Align: 4}
	prog.AddGlobal(turn)
	b := f.Blocks[len(f.Blocks)-1]
	n := len(f.Blocks)
	ret := b.Instrs[len(b.Instrs)-1]
	b.Instrs = b.Instrs[:len(b.Instrs)-1]
	emit := func(in ir.Instr) ir.Operand {
		in.Dst, in.Dst2 = ir.Reg(f.Regs), ir.NoReg
		f.Regs++
		b.Instrs = append(b.Instrs, in)
		return ir.R(in.Dst)
	}
	mine := emit(ir.Instr{Op: ir.RMW, RMW: event.Add, A: ir.Imm(uint64(turn.Addr)), B: ir.Imm(1), C: ir.Imm(0), Size: 4, Mode: event.Rlx})
	late := emit(ir.Instr{Op: ir.Cmp, A: mine, B: ir.Imm(k), C: ir.Imm(0), Width: 32, Pred: ir.UGE})
	b.Instrs = append(b.Instrs, ir.Instr{Op: ir.Br, Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{n}})
	b = &ir.Block{Name: "spin"}
	x := emit(ir.Instr{Op: ir.Load, A: ir.Imm(uint64(g.Addr)), B: ir.Imm(0), C: ir.Imm(0), Size: 4, Mode: event.Rlx})
	unset := emit(ir.Instr{Op: ir.Cmp, A: x, B: ir.Imm(0), C: ir.Imm(0), Width: 32, Pred: ir.EQ})
	waits := emit(ir.Instr{Op: ir.And, A: late, B: unset, C: ir.Imm(0), Width: 32})
	b.Instrs = append(b.Instrs, ir.Instr{Op: ir.CondBr, A: waits, Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{n, n + 1}})
	f.Blocks = append(f.Blocks, b, &ir.Block{Name: "end", Instrs: []ir.Instr{ret}})
}
