package brute

import (
	"fmt"
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// CreateFunc is the built-in function that starts a thread: it takes a function and
// its argument, and returns the number of the new thread.
const CreateFunc = "__ravel_create"

// ArriveFunc is the one with which a thread arrives at a barrier.
const ArriveFunc = "__ravel_arrive"

// BarrierLoc is the name of a location whose fetch-and-adds are arrivals at a barrier of all threads of the program.
const BarrierLoc = "b"

// AssumeFunc is the one with which an execution goes on only if its argument is not 0.
const AssumeFunc = "__ravel_assume"

// JoinFunc is the one that waits for the end of a thread, whose number it takes.
const JoinFunc = "__ravel_join"

// Lower returns p as a program for the machine. Global i is location i, 4 bytes, under its
// name. The threads are functions t0, t1, … of one argument, which they ignore; main creates
// them in this order and does not join them. Every access of p is one of the program, with its mode
// and its tag.
func Lower(p *Prog) *ir.Program { return lower(p, 0, false, nil) }

// LowerJoined is Lower, but main joins the threads that it has created, and ends then.
func LowerJoined(p *Prog) *ir.Program { return lower(p, 0, true, nil) }

// LowerJudged is LowerJoined, but main reads all locations before it ends. It is an error if they have the values bad.
func LowerJudged(p *Prog, bad []uint32) *ir.Program { return lower(p, 0, true, bad) }

// LowerInMain is Lower, but main runs the first thread itself, after it has created the others.
func LowerInMain(p *Prog) *ir.Program { return lower(p, 1, false, nil) }

// lower is Lower for the threads from first on; main runs the ones before, of which there is at most one.
// If joins is set, main joins those that it has created, and judges the last values by bad, if that is not nil.
func lower(p *Prog, first int, joins bool, bad []uint32) *ir.Program {
	prog := &ir.Program{}
	for _, name := range p.Locs {
		prog.AddGlobal(&ir.Global{Name: name, Size: 4, Align: 4})
	}
	create := &ir.Func{Name: CreateFunc, Params: []ir.Reg{0, 1}, Regs: 2, Results: 1}
	prog.AddFunc(create)
	join := &ir.Func{Name: JoinFunc, Params: []ir.Reg{0}, Regs: 1, Results: 1}
	arrive := &ir.Func{Name: ArriveFunc, Params: []ir.Reg{0, 1}, Regs: 2, Results: 1}
	main := &lowerer{prog: prog, f: &ir.Func{Name: "main", Results: 1}, create: create, join: join, arrive: arrive, started: map[int]ir.Reg{}}
	main.newBlock()
	funcs := make([]*ir.Func, len(p.Threads))
	main.funcs = funcs
	if p.Assumes {
		main.assume = &ir.Func{Name: AssumeFunc, Params: []ir.Reg{0}, Regs: 1}
		prog.AddFunc(main.assume)
	}
	main.loops = slices.ContainsFunc(p.Threads, func(t Thread) bool { return loops(t.Body) })
	for i := first; i < len(p.Threads); i++ {
		funcs[i] = &ir.Func{Name: fmt.Sprintf("t%d", i), Results: 1}
		prog.AddFunc(funcs[i])
	}
	for i := first; i < len(p.Threads); i++ {
		lowerThread(main, funcs[i], &p.Threads[i])
		if !p.Child(i) {
			main.start(i)
		}
	}
	if first > 0 {
		main.thread(&p.Threads[0])
	}
	for i := range p.Threads {
		if r, ok := main.started[i]; ok && joins {
			main.call(join, main.temp(), ir.R(r))
		}
	}
	if bad != nil {
		main.judge(bad)
	}
	main.ret()
	prog.AddFunc(main.f)
	prog.AddFunc(join)
	prog.AddFunc(arrive)
	prog.Main = main.f
	return prog
}

// judge reads all locations. It is an error if they have the values bad.
func (lo *lowerer) judge(bad []uint32) {
	all := ir.Imm(1)
	for l, v := range bad {
		in := instr(ir.Load)
		in.Dst, in.A, in.Size = lo.temp(), ir.Imm(uint64(lo.prog.Globals[l].Addr)), 4
		lo.emit(in)
		cmp := instr(ir.Cmp)
		cmp.Dst, cmp.A, cmp.B, cmp.Width, cmp.Pred = lo.temp(), ir.R(in.Dst), ir.Imm(uint64(v)), 32, ir.EQ
		lo.emit(cmp)
		all = lo.binary(ir.And, all, ir.R(cmp.Dst))
	}
	br := instr(ir.CondBr)
	br.A = all
	from := lo.cur
	failed := lo.newBlock()
	lo.emit(instr(ir.Unreachable))
	br.Targets = []int{failed, lo.newBlock()}
	lo.emitTo(from, br)
}

// LocAt returns the index in Locs of the location at address a of the lowered
// program, or NoLoc if there is none.
func (p *Prog) LocAt(prog *ir.Program, a event.Addr) int {
	for l := range p.Locs {
		if prog.Globals[l].Addr == a {
			return l
		}
	}
	return NoLoc
}

// A lowerer builds one function; cur is the block it appends to.
type lowerer struct {
	prog *ir.Program
	f    *ir.Func
	regs []ir.Reg // of the registers of the thread
	cur  int

	loops        bool // some thread has a loop
	create, join *ir.Func
	arrive       *ir.Func
	assume       *ir.Func       // nil if threads wait for what they read
	funcs        []*ir.Func     // of the threads
	started      map[int]ir.Reg // what creating each of them has returned
}

func lowerThread(main *lowerer, f *ir.Func, t *Thread) {
	lo := &lowerer{prog: main.prog, f: f, create: main.create, join: main.join, arrive: main.arrive, assume: main.assume, funcs: main.funcs, started: map[int]ir.Reg{}}
	f.Params = []ir.Reg{lo.temp()}
	lo.newBlock()
	lo.thread(t)
	if main.loops {
		lo.retAll()
		return
	}
	lo.ret()
}

func loops(body []Stmt) bool {
	return slices.ContainsFunc(body, func(s Stmt) bool { return s.Kind == Loop || loops(s.Then) || loops(s.Else) })
}

// thread appends the code of t.
func (lo *lowerer) thread(t *Thread) {
	for range t.Regs {
		r := lo.temp()
		lo.regs = append(lo.regs, r)
		zero := instr(ir.Copy)
		zero.Dst, zero.Width = r, 32
		lo.emit(zero)
	}
	lo.body(t.Body)
}

func instr(op ir.Op) ir.Instr {
	return ir.Instr{Op: op, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.Imm(0), B: ir.Imm(0), C: ir.Imm(0)}
}

func (lo *lowerer) temp() ir.Reg {
	lo.f.Regs++
	return ir.Reg(lo.f.Regs - 1)
}

// newBlock adds a block, makes it the current one and returns its number.
func (lo *lowerer) newBlock() int {
	lo.cur = len(lo.f.Blocks)
	lo.f.Blocks = append(lo.f.Blocks, &ir.Block{Name: fmt.Sprintf("b%d", lo.cur)})
	return lo.cur
}

func (lo *lowerer) emit(in ir.Instr) { lo.emitTo(lo.cur, in) }

func (lo *lowerer) emitTo(block int, in ir.Instr) {
	b := lo.f.Blocks[block]
	b.Instrs = append(b.Instrs, in)
}

func (lo *lowerer) ret() {
	in := instr(ir.Ret)
	in.Args = []ir.Operand{ir.Imm(0)}
	lo.emit(in)
}

// retAll returns something that is computed from all registers: they are part of the thread's state until the end.
func (lo *lowerer) retAll() {
	sum := ir.Imm(0)
	for _, r := range lo.regs {
		sum = lo.binary(ir.Add, lo.binary(ir.Mul, sum, ir.Imm(31)), ir.R(r))
	}
	in := instr(ir.Ret)
	in.Args = []ir.Operand{sum}
	lo.emit(in)
}

func (lo *lowerer) body(body []Stmt) {
	for i := range body {
		switch s := &body[i]; {
		case s.Kind == If:
			lo.cond(s)
		case s.Kind == Loop:
			lo.loop(s)
		case s.Kind == Await:
			lo.round(s)
		case s.Until != Always:
			lo.await(s)
		default:
			lo.simple(s)
		}
	}
}

// await repeats s until what it waits for holds. The registers are the same in all rounds: what s reads is copied in the end. If the program assumes,
// it does s once, and goes on only if that holds.
func (lo *lowerer) await(s *Stmt) {
	head := 0
	if lo.assume == nil {
		br := instr(ir.Br)
		br.Targets = []int{len(lo.f.Blocks)}
		lo.emit(br)
		head = lo.newBlock()
	}
	lo.simple(&Stmt{
		Kind: s.Kind, Reg: NoReg, Loc: s.Loc, Addr: s.Addr, Other: s.Other, Mode: s.Mode, Fail: s.Fail, Tag: s.Tag, Val: s.Val, Exp: s.Exp, Weak: s.Weak, Unless: s.Unless,
	})
	b := lo.f.Blocks[lo.cur].Instrs
	read := b[len(b)-1]
	done := ir.R(read.Dst2)
	if s.Until != Done {
		cmp := instr(ir.Cmp)
		cmp.Dst, cmp.A, cmp.B, cmp.Width, cmp.Pred = lo.temp(), ir.R(read.Dst), ir.Imm(uint64(s.Is)), 32, ir.EQ
		if s.Until == Differs {
			cmp.Pred = ir.NE
		}
		lo.emit(cmp)
		done = ir.R(cmp.Dst)
	}
	if lo.assume != nil {
		call := instr(ir.Call)
		call.Callee, call.Args = lo.assume, []ir.Operand{done}
		lo.emit(call)
	} else {
		end := lo.cur
		exit := lo.newBlock()
		br := instr(ir.CondBr)
		br.A, br.Targets = done, []int{exit, head}
		lo.emitTo(end, br)
	}
	if s.Reg != NoReg {
		cp := instr(ir.Copy)
		cp.Dst, cp.A, cp.Width = lo.regs[s.Reg], ir.R(read.Dst), 32
		lo.emit(cp)
	}
}

// start creates thread t.
func (lo *lowerer) start(t int) {
	lo.started[t] = lo.temp()
	lo.call(lo.create, lo.started[t], ir.Imm(uint64(lo.funcs[t].Addr)), ir.Imm(0))
}

func (lo *lowerer) call(f *ir.Func, result ir.Reg, args ...ir.Operand) {
	call := instr(ir.Call)
	call.Callee, call.Args, call.Results = f, args, []ir.Reg{result}
	lo.emit(call)
}

func (lo *lowerer) simple(s *Stmt) {
	switch s.Kind {
	case Start:
		lo.start(s.Thread)
		return
	case Join:
		lo.call(lo.join, lo.temp(), ir.R(lo.started[s.Thread]))
		return
	}
	if s.Kind == FAdd && lo.prog.Globals[s.Loc].Name == BarrierLoc {
		dst := lo.temp()
		if s.Reg != NoReg {
			dst = lo.regs[s.Reg]
		}
		lo.call(lo.arrive, dst, lo.addr(s), ir.Imm(uint64(len(lo.funcs))))
		return
	}
	if s.Kind == Fence {
		in := instr(ir.Fence)
		in.Mode, in.Tag = s.Mode, s.Tag
		lo.emit(in)
		return
	}
	var in ir.Instr
	switch s.Kind {
	case Load:
		in = instr(ir.Load)
	case Store:
		in = instr(ir.Store)
		in.B = lo.expr(s.Val)
	case FAdd, Xchg:
		in = instr(ir.RMW)
		in.RMW = event.Add
		if s.Kind == Xchg {
			in.RMW = event.Xchg
		}
		in.B = lo.expr(s.Val)
	case CAS:
		in = instr(ir.CmpXchg)
		in.B, in.C, in.Fail, in.Weak = lo.expr(s.Exp), lo.expr(s.Val), s.Fail, s.Weak
		in.Dst2 = lo.temp()
		if s.Unless {
			in.RMW = event.AddUnless
		}
	}
	in.A = lo.addr(s)
	in.Size, in.Mode, in.Tag = 4, s.Mode, s.Tag
	switch {
	case s.Kind == Store:
	case s.Reg == NoReg:
		in.Dst = lo.temp()
	default:
		in.Dst = lo.regs[s.Reg]
	}
	lo.emit(in)
}

// addr is the address of an access: that of the location, plus a zero that depends on the register, if there is one. If there is another location, the register chooses.
func (lo *lowerer) addr(s *Stmt) ir.Operand {
	a := ir.Imm(uint64(lo.prog.Globals[s.Loc].Addr))
	if s.Addr == NoReg {
		return a
	}
	if s.Other > 0 {
		in := instr(ir.Select)
		in.Dst, in.A, in.B, in.C, in.Width = lo.temp(), ir.R(lo.is(s.Addr, 0)), a, ir.Imm(uint64(lo.prog.Globals[s.Other-1].Addr)), 64
		lo.emit(in)
		return ir.R(in.Dst)
	}
	in := instr(ir.Gep)
	in.Dst, in.A, in.B, in.Scale = lo.temp(), a, lo.zero(lo.regs[s.Addr]), 4
	lo.emit(in)
	return ir.R(in.Dst)
}

// zero computes 0 from r so that no compiler sees it, unlike r*0 or r^r: bit 1 of a square is 0.
func (lo *lowerer) zero(r ir.Reg) ir.Operand {
	return lo.binary(ir.And, lo.binary(ir.Mul, ir.R(r), ir.R(r)), ir.Imm(2))
}

// expr computes e into a register, unless it is a constant or a register already.
func (lo *lowerer) expr(e Expr) ir.Operand {
	if e.Reg == NoReg {
		return ir.Imm(uint64(e.Const))
	}
	a := ir.R(lo.regs[e.Reg])
	if e.Zero {
		a = lo.zero(lo.regs[e.Reg])
	}
	if e.Zero || e.Const != 0 {
		a = lo.binary(ir.Add, a, ir.Imm(uint64(e.Const)))
	}
	return a
}

func (lo *lowerer) binary(op ir.Op, a, b ir.Operand) ir.Operand {
	in := instr(op)
	in.Dst, in.A, in.B, in.Width = lo.temp(), a, b, 32
	lo.emit(in)
	return ir.R(in.Dst)
}

func (lo *lowerer) loop(s *Stmt) {
	from := lo.cur
	head := lo.newBlock()
	lo.body(s.Then)
	var ok ir.Reg
	if s.Reg != NoReg {
		ok = lo.is(s.Reg, s.Is)
	} else {
		body := lo.f.Blocks[lo.cur]
		ok = body.Instrs[len(body.Instrs)-1].Dst2 // of the CAS
	}
	end := lo.cur
	after := lo.newBlock()
	br := instr(ir.Br)
	br.Targets = []int{head}
	lo.emitTo(from, br)
	br = instr(ir.CondBr)
	br.A, br.Targets = ir.R(ok), []int{after, head}
	lo.emitTo(end, br)
}

// round repeats the body of the Await s until its tests hold.
func (lo *lowerer) round(s *Stmt) {
	from := lo.cur
	head := lo.newBlock()
	for _, reg := range assigned(s.Then) {
		zero := instr(ir.Copy)
		zero.Dst, zero.Width = lo.regs[reg], 32
		lo.emit(zero)
	}
	lo.body(s.Then)
	var ok ir.Operand
	for k, t := range s.Tests {
		cmp := instr(ir.Cmp)
		cmp.Dst, cmp.A, cmp.B, cmp.Width, cmp.Pred = lo.temp(), ir.R(lo.regs[t.Reg]), ir.Imm(uint64(t.Is)), 32, ir.EQ
		if t.Other != NoReg {
			cmp.B = ir.R(lo.regs[t.Other])
		}
		if t.Not {
			cmp.Pred = ir.NE
		}
		lo.emit(cmp)
		switch {
		case k == 0:
			ok = ir.R(cmp.Dst)
		case s.Any:
			ok = lo.binary(ir.Or, ok, ir.R(cmp.Dst))
		default:
			ok = lo.binary(ir.And, ok, ir.R(cmp.Dst))
		}
	}
	end := lo.cur
	after := lo.newBlock()
	br := instr(ir.Br)
	br.Targets = []int{head}
	lo.emitTo(from, br)
	br = instr(ir.CondBr)
	br.A, br.Targets = ok, []int{after, head}
	lo.emitTo(end, br)
}

// is compares a register of the thread with a number.
func (lo *lowerer) is(reg int, v uint32) ir.Reg {
	cmp := instr(ir.Cmp)
	cmp.Dst, cmp.A, cmp.B, cmp.Width, cmp.Pred = lo.temp(), ir.R(lo.regs[reg]), ir.Imm(uint64(v)), 32, ir.EQ
	lo.emit(cmp)
	return cmp.Dst
}

func (lo *lowerer) cond(s *Stmt) {
	cmp := lo.is(s.Reg, s.Is)
	head := lo.cur
	then := lo.newBlock()
	lo.body(s.Then)
	thenEnd := lo.cur
	els := lo.newBlock()
	lo.body(s.Else)
	elseEnd := lo.cur
	join := lo.newBlock()

	br := instr(ir.CondBr)
	br.A, br.Targets = ir.R(cmp), []int{then, els}
	lo.emitTo(head, br)
	br = instr(ir.Br)
	br.Targets = []int{join}
	lo.emitTo(thenEnd, br)
	lo.emitTo(elseEnd, br)
}
