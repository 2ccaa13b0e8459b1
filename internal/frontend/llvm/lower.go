package llvm

import (
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A lowerer turns one function into ir. Every SSA value has its own registers, one for each
// word; casts that change no bits and extractions at known places share the registers of
// their operand, which is sound because the operand is defined whenever they are and, as
// phis are copied on the edges, never changes while they are in use.
type lowerer struct {
	lk    *linker
	s     *symbol
	mod   *Module
	lay   *layout
	f     *function
	out   *ir.Func
	regs  []ir.Reg    // first register of each local, or ir.NoReg
	share []sharedReg // what a local shares, if id >= 0
	cur   *ir.Block
	at    int  // number of the current block in the function
	dead  bool // the current block has ended
	pos   ir.Pos
	dst   ir.Reg            // of the instruction being lowered
	what  string            // the intrinsic being lowered
	vars  map[int32]*ir.Var // by the local that is their address

	nextTag   event.Tag // of the next atomic access of the block
	section   ir.Reg    // what beginSection returned
	exception ir.Reg    // of the call being lowered: the exception that ended it, if one can
	thrown    ir.Reg    // see inFlight
	unwindTo  int       // see unwindBlock
	wentBack  ir.Reg    // see beginBackOff
	jumps     *jumper   // of a function that calls setjmp
	nextJump  int       // how many calls of setjmp were lowered
	catching  bool      // catch_unwind runs the function
	strict    bool      // what a result is promised to be is checked
	lives     lifetimes
	onStack   map[int32]bool // see findOnStack; only where pointers have 32 bits
	result    int32          // the local that findResult found, or -1
	rust      bool           // values that were never written may be moved about
}

// A sharedReg says that a local is the registers of local id from word on.
type sharedReg struct {
	id   int32
	word int32
}

func (lk *linker) lowerFunc(s *symbol) {
	f := s.fn
	l := &lowerer{
		lk: lk, s: s, mod: s.mod, lay: s.mod.lay, f: f, out: s.irFunc, section: ir.NoReg, wentBack: ir.NoReg, exception: ir.NoReg, thrown: ir.NoReg, unwindTo: -1,
		rust: isRust(s.irFunc.Name) || strings.HasSuffix(lk.fileName(s.mod, f.dbg), ".rs"),
		regs: make([]ir.Reg, len(f.locals)), share: make([]sharedReg, len(f.locals)),
	}
	for i := range l.regs {
		l.regs[i] = ir.NoReg
		l.share[i].id = -1
	}
	r := ir.Reg(0)
	for i, p := range f.params {
		l.regs[p.local] = r
		r += ir.Reg(l.lay.words(f.typ.fields[i]))
	}
	l.spinOnce()
	l.findShared()
	l.findVars()
	l.result = l.findResult()
	if l.lay.ptr == 4 {
		l.findOnStack()
	}
	l.lives = l.findLifetimes()
	l.strict = !s.mod.runtime && lk.unoptimised(s.mod, f.dbg)
	for _, b := range f.blocks {
		l.out.Blocks = append(l.out.Blocks, &ir.Block{Name: b.name})
	}
	for i, b := range f.blocks {
		l.begin(i)
		if i == 0 {
			l.copyByval()
			l.beginJumps()
			l.catching = lk.rustCatches && lk.catchesPanics(s)
			l.countTry(1)
			l.beginSection()
			l.beginBackOff()
		}
		stored := i > 0 // the arguments are in their variables
		for j := range b.insts {
			if l.dead {
				break
			}
			if !stored && l.mayUseArguments(&b.insts[j]) {
				stored = true
				l.clearPadding()
			}
			l.lower(&b.insts[j])
		}
		if !l.dead { // can't be: every block has a terminator
			l.unsupported("block without end")
		}
	}
}

// findVars reads what the debug information says of variables.
func (l *lowerer) findVars() {
	l.vars = make(map[int32]*ir.Var, len(l.f.declares))
	for i := range l.f.declares {
		d := &l.f.declares[i]
		if l.vars[d.local] == nil {
			l.vars[d.local] = l.lk.local(l.mod, d)
		}
	}
}

func (l *lowerer) begin(block int) {
	l.at, l.cur, l.dead = block, l.out.Blocks[block], false
	l.nextTag = event.NoTag
	l.pos = ir.NoPos
}

func (l *lowerer) fail(pos int32, format string, args ...any) {
	l.lk.fail(l.s, pos, format, args...)
}

// copyByval gives the function its own copies of byval arguments.
func (l *lowerer) copyByval() {
	for _, p := range l.f.params {
		if p.typ == nil {
			continue
		}
		size := l.lay.allocSize(p.typ)
		old := l.reg(p.local)
		fresh := l.temp(1)
		a := newInstr(ir.Alloca)
		a.Dst, a.A, a.Align = fresh, ir.Imm(size), max(p.align, p.typ.align, 1)
		l.emit(a)
		c := newInstr(ir.MemCpy)
		c.A, c.B, c.C = ir.R(fresh), ir.R(old), ir.Imm(size)
		l.emit(c)
		l.copy(old, ir.R(fresh))
	}
}

// newInstr returns an instruction whose registers and operands are absent.
func newInstr(op ir.Op) ir.Instr {
	return ir.Instr{Op: op, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.Imm(0), B: ir.Imm(0), C: ir.Imm(0)}
}

func (l *lowerer) emit(in ir.Instr) {
	if l.dead {
		return
	}
	in.Pos = l.pos
	if l.nextTag != event.NoTag && in.Mode != event.NA && in.Op != ir.Fence {
		in.Tag, l.nextTag = l.nextTag, event.NoTag
	}
	l.cur.Instrs = append(l.cur.Instrs, in)
	if in.Op.IsTerminator() {
		l.dead = true
	}
}

// unsupported ends the block: a run that gets here stops with a message.
func (l *lowerer) unsupported(what string) {
	in := newInstr(ir.Unsupported)
	in.Message = what + " is not supported"
	l.emit(in)
}

func (l *lowerer) un(op ir.Op, width int, dst ir.Reg, a ir.Operand) {
	in := newInstr(op)
	in.Width, in.Dst, in.A = uint8(width), dst, a
	l.emit(in)
}

func (l *lowerer) bin(op ir.Op, width int, dst ir.Reg, a, b ir.Operand) {
	in := newInstr(op)
	in.Width, in.Dst, in.A, in.B = uint8(width), dst, a, b
	l.emit(in)
}

func (l *lowerer) cmp(op ir.Op, pred ir.Pred, width int, dst ir.Reg, a, b ir.Operand) {
	in := newInstr(op)
	in.Width, in.Pred, in.Dst, in.A, in.B = uint8(width), pred, dst, a, b
	l.emit(in)
}

func (l *lowerer) sel(width int, dst ir.Reg, c, a, b ir.Operand) {
	in := newInstr(ir.Select)
	in.Width, in.Dst, in.A, in.B, in.C = uint8(width), dst, c, a, b
	l.emit(in)
}

func (l *lowerer) cast(op ir.Op, from, to int, dst ir.Reg, a ir.Operand) {
	in := newInstr(op)
	in.Width, in.To, in.Dst, in.A = uint8(from), uint8(to), dst, a
	l.emit(in)
}

// copy moves one word.
func (l *lowerer) copy(dst ir.Reg, a ir.Operand) {
	if a.Reg != dst {
		l.un(ir.Copy, 64, dst, a)
	}
}

// temp returns n fresh registers.
func (l *lowerer) temp(n int) ir.Reg {
	r := ir.Reg(l.out.Regs)
	l.out.Regs += n
	return r
}

// resolving marks a local whose sharing is being followed.
const resolving ir.Reg = -2

// reg returns the first register of a local.
func (l *lowerer) reg(id int32) ir.Reg {
	if r := l.regs[id]; r >= 0 {
		return r
	}
	// Values that share in a circle are in unreachable code: any register will do.
	if s := l.share[id]; s.id >= 0 && l.regs[id] != resolving {
		l.regs[id] = resolving
		l.regs[id] = l.reg(s.id) + ir.Reg(s.word)
	} else {
		l.regs[id] = l.temp(max(l.lay.words(l.f.locals[id].typ), 1))
	}
	return l.regs[id]
}

// operand returns word w of a value.
func (l *lowerer) operand(v value, w int) ir.Operand {
	switch v.kind {
	case vLocal:
		return ir.R(l.reg(v.id) + ir.Reg(w))
	case vInt:
		return ir.Imm(v.bits)
	case vUndef:
		return l.undef(v.typ, w)
	case vConst:
		if e, at := l.element(v, w); e.kind == vUndef {
			return l.undef(e.typ, at)
		}
		if l.lk.usesTLS(v) {
			return ir.R(l.lowerTLS(v) + ir.Reg(w))
		}
		words, bad := l.lk.evalConst(l.mod, v)
		if bad != "" {
			l.unsupported(bad)
			return ir.Imm(0)
		}
		if w < len(words) {
			return ir.Imm(words[w])
		}
	}
	return ir.Imm(0)
}

// element returns the element of a constant that word w of it belongs to, and which word of that it is.
func (l *lowerer) element(v value, w int) (value, int) {
	for v.kind == vConst {
		switch v.c.kind {
		case cSplat:
			v, w = v.c.elems[0], w%max(l.lay.words(v.c.elems[0].typ), 1)
			continue
		case cElems:
			i := 0
			for i < len(v.c.elems) && w >= l.lay.words(v.c.elems[i].typ) {
				w -= l.lay.words(v.c.elems[i].typ)
				i++
			}
			if i < len(v.c.elems) {
				v = v.c.elems[i]
				continue
			}
		}
		break
	}
	return v, w
}

// undef returns word w of an undefined value.
func (l *lowerer) undef(t *Type, w int) ir.Operand {
	for _, x := range l.lay.leaves(t) {
		bits := x.typ.scalar().scalarBits()
		if w < x.word || w >= x.word+l.lay.words(x.typ) {
			continue
		}
		n := 1 // of more than 64 bits: a pair, if there is one
		if bits > 64 && w == x.word {
			n = 2
		}
		r := l.temp(n)
		for i := range n {
			in := newInstr(ir.Undef)
			in.Dst, in.Width = r+ir.Reg(i), uint8(min(bits, 64))
			l.emit(in)
		}
		return ir.R(r)
	}
	return ir.Imm(0)
}

// wide is operand for instructions of the given width: above 64 bits they take no
// constants, so one is put into a pair of registers first.
func (l *lowerer) wide(v value, w, width int) ir.Operand {
	a := l.operand(v, w)
	if width <= 64 || !a.IsConst() {
		return a
	}
	r := l.temp(2)
	l.copy(r, a)
	l.copy(r+1, l.operand(v, w+1))
	return ir.R(r)
}

// usesTLS reports whether a constant depends on the address of a thread-local variable.
func (lk *linker) usesTLS(v value) bool {
	if v.kind != vConst {
		return false
	}
	c := v.c
	if c.tls == 0 {
		c.tls = -1
		found := false
		switch c.kind {
		case cGlobal:
			s := lk.target(c.sym)
			found = s.irVar != nil && s.irVar.TLS
			if s.kind == symAlias && !s.resolve {
				s.resolve = true
				found = lk.usesTLS(s.aliasee)
				s.resolve = false
			}
		case cExpr:
			for _, a := range c.expr.args {
				found = found || lk.usesTLS(a)
			}
		case cElems, cSplat:
			for _, a := range c.elems {
				found = found || lk.usesTLS(a)
			}
		}
		if found {
			c.tls = 1
		}
	}
	return c.tls > 0
}

// lowerTLS computes a constant that mentions a thread-local variable.
func (l *lowerer) lowerTLS(v value) ir.Reg {
	switch c := v.c; c.kind {
	case cGlobal:
		s := l.lk.target(c.sym)
		if s.irVar != nil {
			r := l.temp(1)
			in := newInstr(ir.TLSAddr)
			in.Dst, in.Global = r, s.irVar
			l.emit(in)
			return r
		}
		if s.kind == symAlias && s.aliasee.kind == vConst && !s.resolve {
			s.resolve = true
			r := l.lowerTLS(s.aliasee)
			s.resolve = false
			return r
		}
	case cExpr:
		saved, r := l.dst, l.temp(max(l.lay.words(v.typ), 1))
		l.dst = r
		l.lowerValue(c.expr)
		l.dst = saved
		return r
	}
	l.unsupported("thread-local variable in a constant of type '" + v.typ.String() + "'")
	return l.temp(max(l.lay.words(v.typ), 1))
}

// findShared finds the locals that need no registers of their own.
func (l *lowerer) findShared() {
	for _, b := range l.f.blocks {
		for i := range b.insts {
			in := &b.insts[i]
			if in.res < 0 || len(in.args) == 0 || in.args[0].kind != vLocal {
				continue
			}
			if word, ok := l.sharedWord(in); ok {
				l.share[in.res] = sharedReg{in.args[0].id, int32(word)}
			}
		}
	}
}

// sharedWord returns the word of its first operand at which in's result already is.
func (l *lowerer) sharedWord(in *inst) (int, bool) {
	n := l.lay.words(in.args[0].typ)
	if n == 0 || n > maxWords {
		return 0, false
	}
	switch in.op {
	case opCast:
		return 0, in.noop && l.lay.words(in.typ) == n && in.args[0].typ.lanes() == in.typ.lanes()
	case opExtractValue:
		t, word := in.args[0].typ, 0
		for _, i := range in.index {
			e, _, w := l.lay.field(t, i)
			t, word = e, word+w
		}
		return word, true
	case opExtractElement:
		if i := in.args[1]; i.kind == vInt && i.bits < in.args[0].typ.len {
			return int(i.bits) * l.lay.words(in.typ), true
		}
	case opGEP:
		if in.typ.kind == kPtr {
			for _, a := range in.args[1:] {
				if !(a.kind == vInt && a.bits == 0 || a.kind == vZero) {
					return 0, false
				}
			}
			return 0, !in.elem.isOpaque() || len(in.args) < 2
		}
	}
	return 0, false
}

// lower emits the code of one instruction.
func (l *lowerer) lower(in *inst) {
	l.pos = l.lk.position(l.mod, in.dbg)
	if in.res >= 0 && l.share[in.res].id >= 0 {
		return
	}
	if bad := l.badType(in); bad != nil {
		l.unsupported("a value of type '" + bad.String() + "'")
		return
	}
	switch in.op {
	case opNothing, opPhi:
		return
	case opUnsupported, opUnsupportedTerm:
		l.unsupported(in.what)
		return
	case opBr:
		l.branch(int(in.blocks[0]))
		return
	case opCondBr:
		l.condBranch(in)
		return
	case opSwitch:
		l.lowerSwitch(in)
		return
	case opIndirectBr:
		l.indirectBranch(in)
		return
	case opRet:
		l.ret(in)
		return
	case opUnreachable:
		l.emit(newInstr(ir.Unreachable))
		return
	case opInvoke:
		l.setDst(in)
		l.lowerCall(in)
		l.afterCall(in)
		return
	case opCallBr:
		l.setDst(in)
		l.lowerAsm(in, in.args[0].c, in.args[1:])
		return
	case opResume:
		l.lowerResume(in)
		return
	}
	l.setDst(in)
	l.lowerValue(in)
}

func (l *lowerer) setDst(in *inst) {
	l.dst = ir.NoReg
	if in.res >= 0 {
		l.dst = l.reg(in.res)
	}
}

// badType returns a type of in that no registers can hold.
func (l *lowerer) badType(in *inst) *Type {
	bad := func(t *Type) bool {
		return t != nil && (t.isOpaque() || t.kind == kStruct && !t.defined || l.lay.words(t) > maxWords)
	}
	if bad(in.typ) {
		return in.typ
	}
	for i := range in.args {
		if t := in.args[i].typ; bad(t) {
			return t
		}
	}
	return nil
}

// lowerValue emits an instruction that is neither a terminator nor a phi; l.dst is the
// first register of its result.
func (l *lowerer) lowerValue(in *inst) {
	switch in.op {
	case opBin:
		l.lowerBin(in)
	case opUnary:
		l.lowerUnary(in)
	case opICmp, opFCmp:
		l.lowerCmp(in)
	case opCast:
		l.lowerCast(in)
	case opSelect:
		l.lowerSelect(in)
	case opFreeze:
		if in.args[0].kind == vUndef {
			l.copyWords(l.dst, value{typ: in.typ, kind: vZero})
			break
		}
		for w := range l.lay.words(in.typ) {
			l.un(ir.Freeze, 64, l.dst+ir.Reg(w), l.operand(in.args[0], w))
		}
	case opGEP:
		l.lowerGEP(in)
	case opLoad:
		l.lowerLoad(in)
	case opStore:
		l.lowerStore(in)
	case opCmpXchg:
		l.lowerCmpXchg(in)
	case opRMW:
		l.lowerRMW(in)
	case opFence:
		l.lowerFence(in)
	case opAlloca:
		l.lowerAlloca(in)
	case opCall:
		l.lowerCall(in)
		l.afterCall(in)
	case opLandingPad:
		l.lowerLandingPad(in)
	case opExtractValue, opInsertValue:
		l.lowerElement(in)
	case opExtractElement:
		l.lowerExtractElement(in)
	case opInsertElement:
		l.lowerInsertElement(in)
	case opShuffle:
		l.lowerShuffle(in)
	default:
		l.unsupported("constant expression")
	}
}

// copyWords copies a whole value.
func (l *lowerer) copyWords(dst ir.Reg, v value) {
	for w := range l.lay.words(v.typ) {
		l.copy(dst+ir.Reg(w), l.operand(v, w))
	}
}
