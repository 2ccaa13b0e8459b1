package machine

import (
	"fmt"
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// lower copies an ir function into the machine's form: calls are resolved, plain 16-byte accesses
// are halved, and stack objects end (lifetime.go).
func (c *compiler) lower(src *ir.Func) *fn {
	f := &fn{name: src.Name, src: src, params: slices.Clone(src.Params), regs: src.Regs, results: src.Results, pos: src.Pos, runtime: src.Runtime, realm: c.realmOf(src), lenient: c.opts.zero, deps: c.opts.Deps, tracksArms: c.opts.Arms, undef: c.opts.Undef, word: uint8(8 * c.src.PtrSize())}
	if len(src.Blocks) == 0 {
		c.thunk(f)
		return f
	}
	f.va = src.Variadic
	if !src.Runtime {
		f.sig = src.Sig
	}
	for _, sb := range src.Blocks {
		b := &block{name: sb.Name}
		b.instrs = make([]instr, 0, len(sb.Instrs))
		for i := range sb.Instrs {
			in := instr{Instr: sb.Instrs[i], private: src.Runtime}
			if !in.Op.IsTerminator() && i == len(sb.Instrs)-1 {
				b.instrs = append(b.instrs, in)
				in = instr{Instr: ir.Instr{Op: ir.Unreachable, Dst: ir.NoReg, Dst2: ir.NoReg, Pos: in.Pos}}
			}
			in.Args = slices.Clone(in.Args)
			in.Results = slices.Clone(in.Results)
			in.Targets = slices.Clone(in.Targets)
			c.lowerInstr(f, b, in)
		}
		f.blocks = append(f.blocks, b)
	}
	f.lifetimes(src != c.src.Main || c.runsAtExit())
	if c.opts.Arms {
		f.addArms(scopes{c.src})
	}
	return f
}

// lowerInstr appends in to b.
func (c *compiler) lowerInstr(f *fn, b *block, in instr) {
	if in.Op >= ir.Store && in.Op != ir.RMW && in.Op != ir.CmpXchg {
		in.Dst = ir.NoReg
	}
	if in.Op != ir.CmpXchg && !(in.Op >= ir.UAddO && in.Op <= ir.SMulO) {
		in.Dst2 = ir.NoReg
	}
	if !c.opts.Overflow {
		in.Check &^= ir.NSW | ir.NUW
	}
	if (in.Op == ir.Load || in.Op == ir.Store) && in.Volatile && in.Mode == event.NA && c.opts.Relaxed && in.Size <= 8 {
		in.Mode = event.Rlx
	}
	switch in.Op {
	case ir.Undef:
		in.Op, in.Var = midUndef, noValue
	case ir.Select:
		if in.Picks = in.Picks && c.opts.Picks; in.Weak && !in.Picks {
			in = copyTo(in.Dst, in.C, in.Pos)
		}
	case ir.CmpXchg:
		if in.Picks = in.Picks && c.opts.Picks; in.Picks {
			if in.Dst2 == ir.NoReg {
				in.Dst2 = f.newReg()
			}
			none := instr{Instr: ir.Instr{Op: ir.Fence, Mode: event.Rlx, Tag: event.Plain, Picks: true, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.R(in.Dst2), Pos: in.Pos}, private: in.private}
			b.instrs = append(b.instrs, in, none)
			return
		}
	case ir.Call:
		c.lowerCall(f, b, in)
		return
	case ir.Load:
		if in.Size == 16 && in.Mode == event.NA {
			if in.A.Reg == in.Dst { // the low half must not overwrite the address
				t := f.newReg()
				b.instrs = append(b.instrs, copyTo(t, in.A, in.Pos))
				in.A = ir.R(t)
			}
			lo, hi := in, in
			lo.Size, hi.Size = 8, 8
			hi.Dst++
			hi.A.Imm += 8
			c.lowerInstr(f, b, lo)
			c.lowerInstr(f, b, hi)
			return
		}
	case ir.Store:
		if in.Size == 16 && in.Mode == event.NA {
			lo, hi := in, in
			lo.Size, hi.Size = 8, 8
			hi.A.Imm += 8
			hi.B.Reg++
			c.lowerInstr(f, b, lo)
			c.lowerInstr(f, b, hi)
			return
		}
	case ir.MemCpy, ir.MemSet:
		in.Dst, in.Dst2 = f.newReg(), f.newReg() // how far it is, and what it holds
		if in.Op == ir.MemCpy {
			in.Results = []ir.Reg{f.newReg()} // and which bits of that are undefined
		}
	case ir.Gep:
		if in.B.IsConst() {
			in.Instr = ir.Instr{
				Op: ir.Copy, Width: 64, Dst: in.Dst, Dst2: ir.NoReg, Pos: in.Pos,
				A: ir.Operand{Reg: in.A.Reg, Imm: in.A.Imm + in.B.Imm*uint64(in.Scale) + uint64(in.Off)},
			}
		}
	case ir.Unsupported:
		in.kind = Unsupported
	}
	b.instrs = append(b.instrs, in)
}

func (c *compiler) lowerCall(f *fn, b *block, in instr) {
	if in.Callee == nil && in.A.IsConst() {
		if g := c.byAddr[c.Pointer(in.A.Imm)]; g != nil {
			in.Callee = g // an indirect call of a known function
		}
	}
	if in.Callee == nil {
		b.instrs = append(b.instrs, in)
		return
	}
	in.Callee = c.resolve(in.Callee)
	name := in.Callee.Name
	for in.Callee.Runtime && len(in.Args) < len(in.Callee.Params) {
		in.Args = append(in.Args, ir.Imm(0)) // the library has many parameters for the arguments that a variadic function may get
	}
	if len(in.Callee.Blocks) > 0 {
		b.instrs = append(b.instrs, in)
		return
	}
	if op := memFunctions[name]; op != ir.Invalid && len(in.Args) >= 3 {
		m := instr{private: in.private, Instr: ir.Instr{Op: op, Dst: ir.NoReg, Dst2: ir.NoReg, A: in.Args[0], B: in.Args[1], C: in.Args[2], Pos: in.Pos}}
		if name == "memcpy" {
			m.Check = ir.Disjoint
		}
		c.lowerInstr(f, b, m)
		for _, r := range in.Results {
			b.instrs = append(b.instrs, copyTo(r, in.Args[0], in.Pos))
		}
		return
	}
	bi := builtins()[name]
	switch {
	case bi == nil:
		b.instrs = append(b.instrs, failing(Unsupported, fmt.Sprintf("call of `%s`, which is not defined in the program nor in ravel's library", name), in.Pos))
	case len(in.Args) < bi.args || len(in.Results) > 1:
		b.instrs = append(b.instrs, failing(CallError, fmt.Sprintf("call of `%s` with %d arguments and %d results", name, len(in.Args), len(in.Results)), in.Pos))
	case bi.code == opRMW:
		b.instrs = append(b.instrs, arrival(f, in))
		return
	case bi.code == opCAS:
		size := uint8(4)
		if bi.n == 1 {
			size = uint8(c.src.PtrSize())
		}
		b.instrs = append(b.instrs, addition(f, in, size))
		return
	case bi.code == opNop || bi.weak && bi.n == 0 && c.opts.NoWakeups:
		c.lowerOutput(f, b, &in, name)
		for _, r := range in.Results {
			b.instrs = append(b.instrs, copyTo(r, ir.Imm(bi.ret), in.Pos))
		}
		return
	default:
		switch {
		case bi.weak && c.opts.NoWakeups && in.Args[0].Imm == 3:
			in.Args = []ir.Operand{ir.Imm(2)} // the last alternative is to wake up spuriously
		case bi.code == opJoin:
			c.lowerHook(f, b, c.named["__ravel_joins"], in.Pos, in.Args[0])
		case bi.code == opExit:
			c.lowerHook(f, b, c.named["__ravel_thread_exit"], in.Pos)
		case name == "exit":
			c.lowerExit(f, b, in.Pos)
		case name == "quick_exit":
			c.lowerHook(f, b, c.named["__ravel_at_quick_exit"], in.Pos)
		}
		in.Op, in.bi, in.Callee = midBuiltin, bi, nil
		b.instrs = append(b.instrs, in)
		return
	}
	for _, r := range in.Results { // never reached, but every use has its definition
		b.instrs = append(b.instrs, copyTo(r, ir.Imm(0), in.Pos))
	}
}

// arrival is the fetch-and-add of __ravel_arrive.
func arrival(f *fn, call instr) instr {
	dst := f.newReg()
	if len(call.Results) > 0 {
		dst = call.Results[0]
	}
	return instr{arrives: true, private: call.private, Instr: ir.Instr{
		Op: ir.RMW, RMW: event.Add, Mode: event.AcqRel, Size: 4, Dst: dst, Dst2: ir.NoReg,
		A: call.Args[0], B: ir.Imm(1), C: call.Args[1], Pos: call.Pos,
	}}
}

// addition is the read-modify-write of __ravel_add_unless.
func addition(f *fn, call instr, size uint8) instr {
	dst := f.newReg()
	if len(call.Results) > 0 {
		dst = call.Results[0]
	}
	return instr{private: call.private, Instr: ir.Instr{
		Op: ir.CmpXchg, RMW: event.AddUnless, Mode: event.Acq, Fail: event.Rlx, Size: size, Dst: dst, Dst2: f.newReg(),
		A: call.Args[0], B: call.Args[2], C: call.Args[1], Pos: call.Pos,
	}}
}

// lowerHook calls hook, a function that only some programs have.
func (c *compiler) lowerHook(f *fn, b *block, hook *ir.Func, pos ir.Pos, args ...ir.Operand) {
	if hook == nil {
		return
	}
	call := instr{Instr: ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: hook, Args: args, Pos: pos}}
	for range hook.Results {
		call.Results = append(call.Results, f.newReg())
	}
	c.lowerCall(f, b, call)
}

// lowerExit runs what a program has to run before it ends: the destructors of the thread's own variables, what was
// registered with atexit, which includes the destructors of C++'s global objects, and functions that are marked as destructors.
func (c *compiler) lowerExit(f *fn, b *block, pos ir.Pos) {
	c.lowerHook(f, b, c.named["__ravel_thread_locals_exit"], pos)
	c.lowerHook(f, b, c.named["__ravel_at_exit"], pos)
	for _, dtor := range c.src.Dtors {
		c.lowerHook(f, b, dtor, pos)
	}
}

// runsAtExit reports whether code of the program runs after main has returned, so that it matters that main's variables are gone.
func (c *compiler) runsAtExit() bool {
	return len(c.src.Dtors) > 0 || c.named["__ravel_at_exit"] != nil || c.named["__ravel_thread_locals_exit"] != nil
}

var memFunctions = map[string]ir.Op{"memcpy": ir.MemCpy, "memmove": ir.MemCpy, "memset": ir.MemSet}

// thunk gives a declared function a body that calls the builtin of its name, for calls through pointers.
func (c *compiler) thunk(f *fn) {
	b := &block{name: "thunk"}
	f.blocks = []*block{b}
	call := instr{Instr: ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: f.src}}
	for _, r := range f.params {
		call.Args = append(call.Args, ir.R(r))
	}
	ret := instr{Instr: ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg}}
	for i := range f.results {
		if i == 0 && f.src.Unwinds {
			ret.Args = append(ret.Args, ir.Imm(0))
			continue
		}
		r := f.newReg()
		call.Results = append(call.Results, r)
		ret.Args = append(ret.Args, ir.R(r))
	}
	c.lowerCall(f, b, call)
	b.instrs = append(b.instrs, ret)
}

// start makes the function that thread 0 runs: the constructors, then main.
func (c *compiler) startFunc() *fn {
	f := &fn{name: "_start", results: 1, deps: c.opts.Deps, tracksArms: c.opts.Arms, undef: c.opts.Undef, word: uint8(8 * c.src.PtrSize())}
	b := &block{name: "entry"}
	f.blocks = []*block{b}
	for _, ctor := range c.src.Ctors {
		call := instr{Instr: ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: ctor, Pos: ctor.Pos}}
		for range ctor.Params {
			call.Args = append(call.Args, ir.Imm(0))
		}
		for range ctor.Results {
			call.Results = append(call.Results, f.newReg())
		}
		c.lowerCall(f, b, call)
	}
	main := c.src.Main
	call := instr{Instr: ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: main, Pos: main.Pos}}
	args := []ir.Operand{ir.Imm(1), ir.Imm(c.argv), ir.Imm(c.argv + c.src.PtrSize())}
	for i := range main.Params {
		call.Args = append(call.Args, args[min(i, 2)])
	}
	ret := instr{Instr: ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg, Pos: main.Pos}}
	for range main.Results {
		call.Results = append(call.Results, f.newReg())
		ret.Args = append(ret.Args, ir.R(ir.Reg(f.regs-1)))
	}
	f.results = main.Results
	c.lowerCall(f, b, call)
	c.output(b, "the exit status depends on", ret.Args, main.Pos)
	c.lowerExit(f, b, main.Pos)
	if c.named["__ravel_joins"] != nil { // the program detaches threads, which end with it
		b.instrs = append(b.instrs, instr{bi: builtins()["_exit"], Instr: ir.Instr{Op: midBuiltin, Dst: ir.NoReg, Dst2: ir.NoReg, Pos: main.Pos}})
	}
	b.instrs = append(b.instrs, ret)
	return f
}

// output makes it an error if what leaves the program is undefined.
func (c *compiler) output(b *block, what string, args []ir.Operand, pos ir.Pos) {
	if c.opts.Undef {
		b.instrs = append(b.instrs, instr{Instr: ir.Instr{Op: midOutput, Dst: ir.NoReg, Dst2: ir.NoReg, Args: slices.Clone(args), Message: what, Pos: pos}})
	}
}

func copyTo(dst ir.Reg, a ir.Operand, pos ir.Pos) instr {
	return instr{Instr: ir.Instr{Op: ir.Copy, Width: 64, Dst: dst, Dst2: ir.NoReg, A: a, Pos: pos}}
}

func failing(kind ErrorKind, text string, pos ir.Pos) instr {
	return instr{kind: kind, Instr: ir.Instr{Op: midFail, Dst: ir.NoReg, Dst2: ir.NoReg, Message: text, Pos: pos}}
}
