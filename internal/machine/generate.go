package machine

import (
	"math/bits"

	"ravel/internal/bitset"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// A generator turns one fn into code.
type generator struct {
	p       *Program
	f       *fn
	colours []uint16
	scratch uint16 // for unused results
	frame   uint16
	starts  []int32 // of the blocks
	liveOut []regset
	patches []int32 // instructions whose t and u are still block numbers
}

// generate appends the code of f to p.
func (p *Program) generate(f *fn) bool {
	f.legalise()
	f.findAssumptions()
	if f.undef {
		f.addMasks()
	}
	if f.deps {
		f.addShadows()
	}
	colours, ok := f.colour()
	if !ok {
		return false
	}
	g := generator{p: p, f: f, colours: colours}
	top := uint16(f.header())
	for _, c := range colours {
		top = max(top, c+1)
	}
	g.scratch, g.frame = top, top+1
	in, out := f.liveness()
	g.liveOut = out
	info := &p.funcs[f.index]
	*info = function{name: f.name, entry: int32(len(p.code)), frame: g.frame, results: f.results, sig: f.sig, va: f.va, realm: f.realm, pos: f.pos}
	isParam := map[ir.Reg]bool{}
	param := func(r ir.Reg) uint16 {
		isParam[r] = true
		if in[0].Has(r) {
			return colours[r]
		}
		return noColour
	}
	for _, r := range f.params {
		info.params = append(info.params, param(r))
	}
	for _, r := range f.shadows {
		info.shadows = append(info.shadows, param(r))
	}
	for _, r := range f.masks {
		if r == ir.NoReg {
			info.masks = append(info.masks, noColour)
			continue
		}
		info.masks = append(info.masks, param(r))
	}
	in[0].Each(func(r ir.Reg) {
		if !isParam[r] {
			info.zero = append(info.zero, colours[r])
		}
	})
	switches := len(p.switches)
	for i := range f.blocks {
		g.starts = append(g.starts, int32(len(p.code)))
		g.block(i)
	}
	for _, pc := range g.patches {
		x := &p.code[pc]
		x.t, x.u = g.starts[x.t], g.starts[x.u]
	}
	for _, s := range p.switches[switches:] {
		for i, t := range s.targets {
			s.targets[i] = g.starts[t]
		}
	}
	return true
}

// legalise gives the address of a load a register of its own where it is that of the result:
// a load in pieces needs both.
func (f *fn) legalise() {
	for _, b := range f.blocks {
		for i := 0; i < len(b.instrs); i++ {
			x := &b.instrs[i]
			if x.Op == ir.Load && x.holds() && x.A.Reg == x.Dst && x.Dst != ir.NoReg {
				t := f.newReg()
				a := x.A
				x.A = ir.R(t)
				b.instrs = append(b.instrs[:i], append([]instr{copyTo(t, a, x.Pos)}, b.instrs[i:]...)...)
				i++
			}
		}
	}
}

// keeps returns how many words of the frame a stop at each instruction of the block keeps.
func (g *generator) keeps(i int) []uint16 {
	b := g.f.blocks[i]
	keep := make([]uint16, len(b.instrs))
	live := bitset.New[ir.Reg](g.f.regs)
	copy(live, g.liveOut[i])
	for k := len(b.instrs) - 1; k >= 0; k-- {
		x := &b.instrs[k]
		if !x.stops() {
			keep[k] = uint16(g.f.header())
			x.defs(live.Remove)
			x.uses(live.Add)
			continue
		}
		need := bitset.New[ir.Reg](g.f.regs)
		copy(need, live)
		if x.Op != ir.Alloca { // its result is known before the stop
			x.defs(need.Remove)
		}
		if x.Op == ir.RMW || x.Op == ir.CmpXchg || x.Op == ir.MemCpy || x.Op == ir.MemSet {
			x.uses(need.Add)
		}
		top := uint16(g.f.header())
		need.Each(func(r ir.Reg) { top = max(top, g.colours[r]+1) })
		keep[k] = top
		x.defs(live.Remove)
		x.uses(live.Add)
	}
	return keep
}

func (g *generator) operand(o ir.Operand) (uint16, uint64) {
	if o.Reg == ir.NoReg {
		return frameZero, o.Imm
	}
	return g.colours[o.Reg], o.Imm
}

func (g *generator) result(r ir.Reg) uint16 {
	if r == ir.NoReg {
		return g.scratch
	}
	return g.colours[r]
}

func (g *generator) operands(os []ir.Operand) []operand {
	list := make([]operand, len(os))
	for i, o := range os {
		list[i].reg, list[i].imm = g.operand(o)
	}
	return list
}

func (g *generator) results(rs []ir.Reg) []uint16 {
	list := make([]uint16, len(rs))
	for i, r := range rs {
		list[i] = g.result(r)
	}
	return list
}

func (g *generator) block(i int) {
	b := g.f.blocks[i]
	keep := g.keeps(i)
	for k := range b.instrs {
		x := &b.instrs[k]
		if g.fuses(i, k) {
			continue
		}
		in := insn{live: keep[k], frame: g.frame, dst: g.result(x.Dst), dst2: g.result(x.Dst2), pos: x.Pos}
		if in.pos == ir.NoPos {
			in.pos = g.f.pos
		}
		in.a, in.b, in.c = frameZero, frameZero, frameZero
		if a, b, c := x.operands(); true {
			if a {
				in.a, in.ia = g.operand(x.A)
			}
			if b {
				in.b, in.ib = g.operand(x.B)
			}
			if c {
				in.c, in.ic = g.operand(x.C)
			}
		}
		if x.Op.IsTerminator() && x.Op <= ir.Unsupported {
			g.terminator(i, k, in)
		} else {
			g.instr(x, in)
		}
		if g.f.undef {
			g.noteMasks(x)
		}
		if g.f.deps {
			g.shadow(x)
		}
	}
}

func (g *generator) emit(in insn) { g.p.code = append(g.p.code, in) }

// arithmetic has the operations that the interpreter does itself.
var arithmetic = map[ir.Op]opcode{
	ir.Add: opAdd, ir.Sub: opSub, ir.Mul: opMul, ir.And: opAnd, ir.Or: opOr, ir.Xor: opXor,
	ir.Shl: opShl, ir.LShr: opLShr, ir.AShr: opAShr, ir.SExt: opSExt,
}

// comparison returns the opcode of a comparison, and whether its operands are to be swapped.
func comparison(p ir.Pred) (op opcode, swap bool) {
	switch p {
	case ir.EQ:
		return opEQ, false
	case ir.NE:
		return opNE, false
	case ir.ULT:
		return opULT, false
	case ir.ULE:
		return opULE, false
	case ir.UGT:
		return opULT, true
	case ir.UGE:
		return opULE, true
	case ir.SLT:
		return opSLT, false
	case ir.SLE:
		return opSLE, false
	case ir.SGT:
		return opSLT, true
	}
	return opSLE, true
}

func (g *generator) instr(x *instr, in insn) {
	p := g.p
	if x.isWide() && x.Op < ir.Load {
		g.wide(x, in)
		return
	}
	if x.Op < ir.Alloca && x.Check&(ir.NSW|ir.NUW) != 0 {
		in.op, in.t = opEval, int32(len(p.evals))
		p.evals = append(p.evals, x.Instr)
		g.emit(in)
		return
	}
	switch x.Op {
	case ir.Copy, ir.ZExt:
		if in.dst == in.a && in.ia == 0 {
			return
		}
		in.op = opMov
	case ir.Trunc:
		in.op, in.b, in.ib = opAnd, frameZero, arith.Mask(x.To)
	case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor:
		in.op, in.ic = arithmetic[x.Op], arith.Mask(x.Width)
	case ir.Shl, ir.LShr, ir.AShr:
		in.op, in.width, in.ic = arithmetic[x.Op], x.Width, arith.Mask(x.Width)
		if x.Check&ir.InRange != 0 {
			in.flags |= flagCheck
		}
	case ir.SExt:
		in.op, in.width, in.ic = opSExt, 64-x.Width, arith.Mask(x.To)
	case ir.Select:
		in.op = opSelect
	case ir.Gep:
		in.op, in.ic = opGep, uint64(x.Scale)
		in.ia += uint64(x.Off)
	case ir.Cmp:
		g.compare(x, &in)
	case ir.TLSAddr:
		in.op, in.ia = opTLS, uint64(x.Global.Addr.Slot())*p.space.SlotSize()
	case ir.Load, ir.Store, ir.RMW, ir.CmpXchg, ir.Fence, ir.MemCpy, ir.MemSet, ir.Alloca, midFreeStack:
		g.action(x, in)
		return
	case ir.Call:
		c := call{args: g.operands(x.Args), results: g.results(x.Results), sig: x.Sig, va: ir.IsVariadic(x.Sig)}
		in.op = opCallAddr
		switch x.realm {
		case blocks:
			in.flags |= flagLock
		case own:
			in.flags |= flagOwn
		}
		in.ia += uint64(p.space.Tag())
		if x.Callee != nil {
			in.op, c.fn = opCall, int32(p.byFunc[x.Callee])
		}
		in.t = int32(len(p.calls))
		p.calls = append(p.calls, c)
	case midBuiltin:
		g.builtin(x, in)
		return
	case midFail:
		in.op = opFailNow
		err := &Error{Kind: x.kind, Message: x.Message}
		if x.kind == UninitError {
			err = Untracked
		}
		in.t = p.addAction(Action{Kind: Fail, Pos: in.pos, Error: err})
	case midUninit:
		in.op, in.t = opUninit, p.addAction(Action{Kind: Fail, Pos: in.pos, Error: Untracked})
	case midGet, midSet:
		in.op, in.t = opGet, g.array(x)
		if x.Op == midSet {
			in.op = opSet
		}
	case midUndef:
		in.op, in.a, in.ia = opMov, frameZero, 0
		if !g.f.undef && !g.f.lenient {
			in.op, in.t = opUninit, p.addAction(Action{Kind: Fail, Pos: in.pos, Error: Untracked})
		}
	case midMask:
		in.op, in.t = opMask, g.maskOp(x)
	case midUse:
		in.op, in.t = opUse, p.addAction(Action{Kind: Fail, Pos: in.pos, Error: used(x.Message, x.Var)})
	case midDeps:
		in.op = opDeps
	case midPick:
		in.op = opPick
	case midCtrl:
		in.op = opCtrl
	case midSpin:
		in.op, in.t = opSpinCheck, int32(len(p.spins))
		p.spins = append(p.spins, spin{seen: in.dst, now: g.operands(x.Args), then: g.results(x.Results), realm: x.realm, asks: x.asks, mixed: x.mixed})
		if x.asks { // it goes on from there
			in.live = in.frame
		}
	case midUnroll:
		in.op, in.ia = opUnrollCheck, x.A.Imm
	default:
		in.op, in.t = opEval, int32(len(p.evals))
		p.evals = append(p.evals, x.Instr)
	}
	g.emit(in)
}

// array returns the registers of the array that x accesses.
func (g *generator) array(x *instr) int32 {
	regs := g.results(x.Results)
	last := len(regs) - 1
	g.p.arrays = append(g.p.arrays, arrayOp{elements: regs[:last], set: regs[last], shift: uint8(bits.TrailingZeros8(x.Size))})
	return int32(len(g.p.arrays) - 1)
}

func (g *generator) compare(x *instr, in *insn) {
	op, swap := comparison(x.Pred)
	if swap {
		in.a, in.ia, in.b, in.ib = in.b, in.ib, in.a, in.ia
	}
	in.op, in.width = op, 64-x.Width
}

func (g *generator) wide(x *instr, in insn) {
	w := wideOp{in: x.Instr, dst: in.dst, a: in.a, aImm: in.ia, b: in.b, c: in.c}
	w.wideDst, w.wideA, w.wideB, w.wideC = x.wide()
	second := func(r ir.Reg) uint16 { return g.colours[r+1] }
	if w.wideDst {
		w.dstHi = second(x.Dst)
	}
	if x.Dst2 != ir.NoReg {
		w.dst2 = in.dst2
	}
	if w.wideA {
		w.aHi = second(x.A.Reg)
	}
	if w.wideB {
		w.bHi = second(x.B.Reg)
	}
	if w.wideC {
		w.cHi = second(x.C.Reg)
	}
	in.op, in.t = opWide, int32(len(g.p.wides))
	if x.Op >= ir.Load {
		in.op = opNop
	}
	g.p.wides = append(g.p.wides, w)
	g.emit(in)
}

// fuses reports whether instruction k is a comparison that the branch after it takes over.
func (g *generator) fuses(i, k int) bool {
	b := g.f.blocks[i]
	if k != len(b.instrs)-2 || b.instrs[k].Op != ir.Cmp || b.instrs[k].isWide() {
		return false
	}
	br := b.last()
	return br.Op == ir.CondBr && br.A == ir.R(b.instrs[k].Dst) && !g.liveOut[i].Has(b.instrs[k].Dst)
}

func (g *generator) terminator(i, k int, in insn) {
	p := g.p
	b := g.f.blocks[i]
	x := &b.instrs[k]
	switch x.Op {
	case ir.Br:
		if x.Targets[0] == i+1 {
			return
		}
		in.op, in.t, in.u = opJmp, int32(x.Targets[0]), int32(x.Targets[0])
		g.patches = append(g.patches, int32(len(p.code)))
	case ir.CondBr:
		in.op = opBr
		if k > 0 && g.fuses(i, k-1) {
			cmp := &b.instrs[k-1]
			in.a, in.ia = g.operand(cmp.A)
			in.b, in.ib = g.operand(cmp.B)
			g.compare(cmp, &in)
			in.op += opBrEQ - opEQ
		}
		in.t, in.u = int32(x.Targets[0]), int32(x.Targets[1])
		g.patches = append(g.patches, int32(len(p.code)))
	case ir.Switch:
		in.op, in.t = opSwitch, int32(len(p.switches))
		s := switchTable{cases: x.Cases}
		for _, t := range x.Targets {
			s.targets = append(s.targets, int32(t))
		}
		p.switches = append(p.switches, s)
	case ir.Ret:
		in.op, in.t = opRet, int32(len(p.rets))
		p.rets = append(p.rets, g.operands(x.Args))
	case ir.Unreachable:
		in.op = opFailNow
		in.t = p.addAction(Action{Kind: Fail, Pos: in.pos, Error: &Error{Kind: UnreachableError, Message: "code was reached that the compiler took for unreachable"}})
	case ir.Unsupported:
		in.op = opFailNow
		in.t = p.addAction(Action{Kind: Fail, Pos: in.pos, Error: &Error{Kind: Unsupported, Message: x.Message}})
	}
	g.emit(in)
}

func (p *Program) addAction(a Action) int32 {
	p.actions = append(p.actions, a)
	return int32(len(p.actions) - 1)
}

func (g *generator) action(x *instr, in insn) {
	p := g.p
	act := Action{Mode: x.Mode, Tag: x.Tag, Size: x.Size, Pos: in.pos, Private: x.private, Awaits: x.awaits, Retries: x.retries}
	in.size = x.Size
	if x.Mode == event.NA {
		in.flags |= flagPlain
	}
	switch x.Op {
	case ir.Load:
		in.op, act.Kind = opLoad, Load
	case ir.Store:
		in.op, act.Kind = opStore, Store
		in.flags |= flagWrite
	case ir.RMW:
		in.op, act.Kind, act.RMW = opRMW, RMW, x.RMW
		in.flags = flagWrite
		if x.arrives {
			act.Arrives = 1 // see run
		}
	case ir.CmpXchg:
		in.op, act.Kind, act.RMW, act.Fail, act.Weak = opCAS, RMW, event.CAS, x.Fail, x.Weak
		if x.RMW == event.AddUnless {
			act.RMW = event.AddUnless
		}
		act.Persists = x.persists
		in.flags = flagWrite
		if act.Picks = x.Picks; x.Picks {
			in.flags |= flagPicks
			p.picks = true
		}
	case ir.Fence:
		in.op, act.Kind = opFence, Fence
		if x.Picks {
			in.flags = flagPicks
		}
	case ir.MemCpy:
		in.op, act.Mode, in.u = opMemCpy, event.NA, int32(g.result(x.Results[0]))
		if x.Check&ir.Disjoint != 0 {
			in.flags |= flagCheck
		}
	case ir.MemSet:
		in.op, act.Mode = opMemSet, event.NA
	case ir.Alloca:
		in.op, act.Kind, act.Stack = opAlloca, Alloc, true
		in.u = int32(len(p.vars))
		if v := x.Var; v != nil && v.Result {
			p.vars = append(p.vars, nil)
		} else {
			p.vars = append(p.vars, v)
		}
		in.ic = x.Align
	case midFreeStack:
		in.op, act.Kind, act.Stack = opFreeStack, Free, true
		if x.always {
			in.flags |= flagAlways
		}
	}
	if in.size == 16 {
		in.flags |= flagWide
		in.u = g.wideAccess(x)
	}
	tag := uint64(p.space.Tag())
	switch x.Op {
	case ir.MemCpy:
		in.ia += tag
		in.ib += tag
	case ir.Load, ir.Store, ir.RMW, ir.CmpXchg, ir.MemSet, midFreeStack:
		in.ia += tag
	}
	if x.A.IsConst() && in.size > 0 && p.valid(in.ia, in.size, in.flags) {
		in.flags |= flagValid
	}
	in.t = p.addAction(act)
	g.emit(in)
}

// wideAccess notes where the words of a 16-byte access are.
func (g *generator) wideAccess(x *instr) int32 {
	code := len(g.p.code)
	in := insn{dst: g.result(x.Dst), dst2: g.result(x.Dst2)}
	if _, _, b, c := x.wide(); true {
		if b {
			in.b, _ = g.operand(x.B)
		}
		if c {
			in.c, _ = g.operand(x.C)
		}
	}
	g.wide(x, in)
	g.p.code = g.p.code[:code]
	return int32(len(g.p.wides) - 1)
}

func (g *generator) builtin(x *instr, in insn) {
	p := g.p
	in.op = x.bi.code
	arg := func(i int) (uint16, uint64) {
		if i < len(x.Args) {
			return g.operand(x.Args[i])
		}
		return frameZero, 0
	}
	pointer := func(i int) (uint16, uint64) {
		if i < len(x.Args) {
			r, imm := g.operand(x.Args[i])
			return r, imm + uint64(p.space.Tag())
		}
		return frameZero, 0
	}
	in.a, in.ia = arg(0)
	in.b, in.ib = arg(1)
	in.c, in.ic = arg(2)
	in.dst = g.scratch
	if len(x.Results) > 0 {
		in.dst = g.result(x.Results[0])
	}
	act := Action{Pos: in.pos}
	switch x.bi.code {
	case opClock:
		g.emit(in)
		return
	case opMath, opWords:
		in.t = int32(len(p.builtins))
		p.builtins = append(p.builtins, x.bi)
		if x.bi.code == opWords {
			in.u = int32(len(p.calls))
			p.calls = append(p.calls, call{args: g.operands(x.Args)})
		}
		g.emit(in)
		return
	case opCreate:
		act.Kind = Create
		in.a, in.ia = pointer(0)
	case opJoin:
		act.Kind = Join
	case opChoose:
		act.Kind, act.Weak = Choice, x.bi.weak
		if act.Values = x.values; x.values != nil {
			in.a, in.ia = frameZero, uint64(len(x.values.List))
		}
	case opSRCU:
		in.a, in.ia = pointer(0)
		act.Kind, act.Mode, act.Tag = Fence, event.Rlx, event.Tag(x.bi.n)
	case opAlloc:
		act.Kind = Alloc
		in.u = int32(len(p.vars))
		p.vars = append(p.vars, x.Var)
	case opFree:
		act.Kind = Free
		in.a, in.ia = pointer(0)
	case opSize:
		act.Kind = Size
		in.a, in.ia = pointer(0)
		in.u = int32(x.bi.n)
	case opNext:
		act.Kind = Next
	case opExit:
		act.Kind = Exit
	case opAssume:
		act.Kind, act.Block = Block, Assume
		act.N = int(x.bi.n)
		if x.oneLoad {
			act.N = 1
		}
	case opSpinEnd:
		act.Kind, act.Block = Block, Spin
	case opRetry:
		act.Kind, act.Block, act.N = Block, Lock, 1
	case opEnded:
		act.Kind, act.Block = Block, Ended
	case opFailCall:
		if x.bi.n > 0 {
			in.a, in.ia = pointer(int(x.bi.n) - 1)
		}
		in.u = int32(len(p.builtins))
		p.builtins = append(p.builtins, x.bi)
		act.Kind = Fail
	case opError, opErrorText:
		act.Kind = Fail
		in.a, in.ia = pointer(0)
		in.b, in.ib = pointer(1)
		if in.c, in.ic = pointer(2); x.bi.code == opError {
			break
		}
		in.u = int32(len(p.calls))
		p.calls = append(p.calls, call{args: g.operands(x.Args)})
	}
	in.t = p.addAction(act)
	g.emit(in)
}
