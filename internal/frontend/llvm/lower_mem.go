package llvm

import (
	"math/bits"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// addrAt returns base + off.
func (l *lowerer) addrAt(base ir.Operand, off uint64) ir.Operand {
	if off == 0 {
		return base
	}
	if base.IsConst() {
		return ir.Imm(base.Imm + off)
	}
	in := newInstr(ir.Gep)
	in.Dst, in.A, in.Off = l.temp(1), base, int64(off)
	l.emit(in)
	return ir.R(in.Dst)
}

func isPowerOfTwo(n uint64) bool { return n != 0 && n&(n-1) == 0 }

// oneAccess reports whether a scalar is loaded and stored by one instruction.
func oneAccess(t *Type) bool {
	return t.kind != kVector && t.size <= 16 && isPowerOfTwo(t.size)
}

func (l *lowerer) lowerLoad(in *inst) {
	base := l.operand(in.args[0], 0)
	if in.mode != event.NA && !l.atomicType(in.typ, "atomic load") {
		return
	}
	for _, f := range l.lay.leaves(in.typ) {
		l.loadLeaf(in, f, l.addrAt(base, f.off))
	}
}

// atomicType checks the type of an atomic access.
func (l *lowerer) atomicType(t *Type, what string) bool {
	l.lay.lay(t)
	if t.isScalar() && oneAccess(t) {
		return true
	}
	l.unsupported(what + " of " + t.String())
	return false
}

func (l *lowerer) loadLeaf(in *inst, f leaf, addr ir.Operand) {
	l.lay.lay(f.typ)
	dst := l.dst + ir.Reg(f.word)
	ld := newInstr(ir.Load)
	ld.Mode, ld.Volatile = in.mode, l.isVolatile(in, f.typ)
	if oneAccess(f.typ) {
		ld.Dst, ld.A, ld.Size = dst, addr, uint8(f.typ.size)
		l.emit(ld)
		if n := f.typ.scalarBits(); n%8 != 0 {
			l.cast(ir.Trunc, int(f.typ.size)*8, n, dst, ir.R(dst))
		}
		return
	}
	var src []chunk
	for off := uint64(0); off < f.typ.size; {
		n := chunkSize(f.typ.size - off)
		ld.Dst, ld.A, ld.Size = l.temp(1), l.addrAt(addr, off), uint8(n)
		l.emit(ld)
		src = append(src, chunk{ir.R(ld.Dst), int(n) * 8})
		off += n
	}
	l.repack(src, l.chunksAt(dst, f.typ))
}

// isVolatile reports whether an access to a scalar is volatile and aligned: no processor splits it.
func (l *lowerer) isVolatile(in *inst, t *Type) bool {
	return in.volatile && (in.align == 0 || in.align >= min(t.size, 8))
}

// chunkSize returns the largest power of two, at most 8, that is not above n.
func chunkSize(n uint64) uint64 {
	return min(8, uint64(1)<<(bits.Len64(n)-1))
}

func (l *lowerer) lowerStore(in *inst) {
	v := in.args[0]
	base := l.operand(in.args[1], 0)
	if in.mode != event.NA && !l.atomicType(v.typ, "atomic store") {
		return
	}
	for _, f := range l.lay.leaves(v.typ) {
		l.storeLeaf(in, f, l.addrAt(base, f.off))
	}
}

func (l *lowerer) storeLeaf(in *inst, f leaf, addr ir.Operand) {
	l.lay.lay(f.typ)
	v := in.args[0]
	st := newInstr(ir.Store)
	st.Mode, st.Volatile = in.mode, l.isVolatile(in, f.typ)
	if oneAccess(f.typ) {
		st.A, st.B, st.Size = addr, l.wide(v, f.word, int(f.typ.size)*8), uint8(f.typ.size)
		l.emit(st)
		return
	}
	var src []chunk
	w := f.word
	for range f.typ.lanes() {
		for left := f.typ.scalar().scalarBits(); left > 0; left -= 64 {
			src = append(src, chunk{l.operand(v, w), min(left, 64)})
			w++
		}
	}
	var dst []chunk
	for off := uint64(0); off < f.typ.size; {
		n := chunkSize(f.typ.size - off)
		dst = append(dst, chunk{ir.R(l.temp(1)), int(n) * 8})
		off += n
	}
	l.repack(src, dst)
	off := uint64(0)
	for _, d := range dst {
		st.A, st.B, st.Size = l.addrAt(addr, off), d.op, uint8(d.bits/8)
		l.emit(st)
		off += uint64(d.bits / 8)
	}
}

func (l *lowerer) lowerCmpXchg(in *inst) {
	t := in.args[1].typ
	if !l.atomicType(t, "cmpxchg") {
		return
	}
	width := int(t.size) * 8
	c := newInstr(ir.CmpXchg)
	c.Dst, c.Dst2 = l.dst, l.dst+ir.Reg(l.lay.words(t))
	c.A, c.B, c.C = l.operand(in.args[0], 0), l.wide(in.args[1], 0, width), l.wide(in.args[2], 0, width)
	c.Size, c.Mode, c.Fail, c.Weak, c.Volatile = uint8(t.size), in.mode, in.fail, in.weak, in.volatile
	l.emit(c)
}

func (l *lowerer) lowerRMW(in *inst) {
	if !l.atomicType(in.typ, "atomicrmw") {
		return
	}
	r := newInstr(ir.RMW)
	r.Dst, r.A, r.B = l.dst, l.operand(in.args[0], 0), l.wide(in.args[1], 0, int(in.typ.size)*8)
	r.Size, r.Mode, r.RMW, r.Volatile = uint8(in.typ.size), in.mode, in.rmw, in.volatile
	l.emit(r)
}

// lowerFence leaves out fences that order only the accesses of a thread and its own signal
// handlers.
func (l *lowerer) lowerFence(in *inst) {
	if !in.single {
		l.fence(in.mode, event.NoTag)
		return
	}
	if own := processorOf(l.mod.triple); own != nil && !l.mod.runtime { // headers for x86 have it where others need a fence
		l.lk.prog.Barriers = append(l.lk.prog.Barriers, ir.Assembly{Pos: l.pos, For: []string{own.name}})
	}
}

func (l *lowerer) fence(m event.Mode, tag event.Tag) {
	f := newInstr(ir.Fence)
	f.Mode, f.Tag = m, tag
	l.emit(f)
}

func (l *lowerer) lowerAlloca(in *inst) {
	size := l.lay.allocSize(in.elem)
	if in.elem.isOpaque() {
		l.unsupported("alloca of " + in.elem.String())
		return
	}
	a := newInstr(ir.Alloca)
	a.Dst, a.A, a.Align = l.dst, ir.Imm(size), max(in.align, in.elem.align, 1)
	if a.Var = l.vars[in.res]; a.Var != nil && a.Var.Pos != ir.NoPos {
		l.pos = a.Var.Pos
	}
	if len(in.args) > 0 {
		n := l.operand(in.args[0], 0)
		if n.IsConst() {
			a.A = ir.Imm(mulSize(size, n.Imm))
		} else {
			r := l.temp(1)
			l.bin(ir.Mul, 64, r, n, ir.Imm(size))
			a.A = ir.R(r)
		}
	}
	if in.res == l.result {
		a.Var = &ir.Var{Name: l.out.Name, Pos: l.out.Pos, Result: true}
	}
	l.emit(a)
}

// findResult finds the variable of clang's that a C function's return statements assign to.
func (l *lowerer) findResult() int32 {
	if l.f.dbg < 0 || len(l.f.blocks) == 0 {
		return -1
	}
	from := map[int32]int32{} // the address that a local was loaded from
	for _, b := range l.f.blocks {
		for i := range b.insts {
			in := &b.insts[i]
			switch {
			case in.op == opLoad && in.args[0].kind == vLocal && l.vars[in.args[0].id] == nil:
				from[in.res] = in.args[0].id
			case in.op == opRet && len(in.args) > 0 && in.args[0].kind == vLocal:
				if a, ok := from[in.args[0].id]; ok {
					return a
				}
			}
		}
	}
	return -1
}

// lowerGEP computes an address as one Gep for each index that is not a constant, the sum of
// the constant ones in the last.
func (l *lowerer) lowerGEP(in *inst) {
	for i := range in.typ.lanes() {
		l.gepLane(in, i)
	}
}

// A scaled is an index with the size of what it counts.
type scaled struct {
	ix    ir.Operand
	scale uint64
}

func (l *lowerer) gepLane(in *inst, lane int) {
	laneOf := func(v value) int {
		if v.typ.kind == kVector {
			return lane
		}
		return 0
	}
	base := l.operand(in.args[0], laneOf(in.args[0]))
	off, t := uint64(0), in.elem
	var room [4]scaled
	vars := room[:0]
	for k, a := range in.args[1:] {
		var size uint64
		if t.isOpaque() || t.kind == kStruct && !t.defined {
			l.unsupported("getelementptr into '" + t.String() + "'")
			return
		}
		if k > 0 {
			switch t.kind {
			case kStruct:
				c := l.operand(a, laneOf(a)*l.lay.words(a.typ.scalar()))
				if !c.IsConst() || c.Imm >= uint64(len(t.fields)) {
					l.fail(in.pos, "wrong index into '%s'", t)
				}
				e, o, _ := l.lay.field(t, int(c.Imm))
				t, off = e, off+o
				continue
			case kArray:
				t = t.elem
				size = l.lay.allocSize(t)
			case kVector:
				t = t.elem
				l.lay.lay(t)
				size = t.size
			default:
				l.fail(in.pos, "wrong index into '%s'", t)
			}
		} else {
			size = l.lay.allocSize(t)
		}
		width := a.typ.scalar().bits
		c := l.operand(a, laneOf(a)*l.lay.words(a.typ.scalar()))
		switch {
		case c.IsConst():
			off += signExtend(c.Imm, min(width, l.lay.ptrBits())) * size
		case size == 0:
		default:
			if width = min(width, l.lay.ptrBits()); width < 64 {
				r := l.temp(1)
				l.cast(ir.SExt, width, 64, r, c)
				c = ir.R(r)
			}
			vars = append(vars, scaled{c, size})
		}
	}
	dst := l.dst + ir.Reg(lane)
	l.emitGep(dst, base, off, vars)
	if n := l.lay.ptrBits(); n < 64 && !l.isWithin(in) {
		l.cast(ir.Trunc, 64, n, dst, ir.R(dst))
	}
}

func (l *lowerer) emitGep(dst ir.Reg, base ir.Operand, off uint64, vars []scaled) {
	if len(vars) == 0 {
		if base.IsConst() || off == 0 {
			l.copy(dst, l.constAdd(base, off))
			return
		}
		vars = append(vars, scaled{ir.Imm(0), 0})
	}
	for i, v := range vars {
		g := newInstr(ir.Gep)
		g.Dst, g.A, g.B, g.Scale = dst, base, v.ix, int64(v.scale)
		if i == len(vars)-1 {
			g.Off = int64(off)
		}
		l.emit(g)
		base = ir.R(dst)
	}
}

// isWithin reports whether a getelementptr with constant indices is one into a variable on the stack, whose address does not overflow: there the machine
// follows it.
func (l *lowerer) isWithin(in *inst) bool {
	for _, a := range in.args[1:] {
		if a.kind != vInt && a.kind != vZero || int64(signExtend(a.bits, a.typ.scalar().bits)) < 0 {
			return false
		}
	}
	return in.args[0].kind == vLocal && l.onStack[in.args[0].id]
}

// findOnStack finds the locals that are addresses in variables on the stack.
func (l *lowerer) findOnStack() {
	l.onStack = map[int32]bool{}
	for _, b := range l.f.blocks {
		for i := range b.insts {
			in := &b.insts[i]
			if in.op == opAlloca || in.op == opGEP && l.isWithin(in) || in.op == opCast && in.noop && in.args[0].kind == vLocal && l.onStack[in.args[0].id] {
				l.onStack[in.res] = true
			}
		}
	}
}

func (l *lowerer) constAdd(base ir.Operand, off uint64) ir.Operand {
	if base.IsConst() {
		return ir.Imm(maskTo(base.Imm+off, l.lay.ptrBits()))
	}
	return base
}
