package llvm

import "ravel/internal/ir"

// tooWide reports, and makes unsupported, integers of more than 128 bits and the floats
// that ir has no arithmetic for.
func (l *lowerer) tooWide(what string, t *Type) bool {
	s := t.scalar()
	switch s.kind {
	case kInt:
		if s.bits <= 128 {
			return false
		}
	case kPtr, kFloat, kDouble:
		return false
	}
	l.unsupported(what + " of " + t.String())
	return true
}

func (l *lowerer) lowerBin(in *inst) {
	if isHuge(in.typ) && l.hugeBin(in) {
		return
	}
	if l.tooWide(in.sub.String(), in.typ) {
		return
	}
	width, step := in.typ.scalar().scalarBits(), l.lay.words(in.typ.scalar())
	for i := range in.typ.lanes() {
		w := i * step
		a := l.wide(in.args[0], w, width)
		b := l.wide(in.args[1], w, width)
		op := newInstr(in.sub)
		op.Width, op.Dst, op.A, op.B, op.Check = uint8(width), l.dst+ir.Reg(w), a, b, l.checks(in)
		l.emit(op)
	}
}

// checks returns what is an error of an operation.
func (l *lowerer) checks(in *inst) ir.Checks {
	switch {
	case !l.strict:
		return 0
	case in.sub == ir.Shl || in.sub == ir.LShr || in.sub == ir.AShr:
		return in.check | ir.InRange
	}
	return in.check
}

func (l *lowerer) lowerUnary(in *inst) {
	if l.tooWide(in.sub.String(), in.typ) {
		return
	}
	width, step := in.typ.scalar().scalarBits(), l.lay.words(in.typ.scalar())
	for i := range in.typ.lanes() {
		l.un(in.sub, width, l.dst+ir.Reg(i*step), l.wide(in.args[0], i*step, width))
	}
}

func (l *lowerer) lowerCmp(in *inst) {
	t := in.args[0].typ
	op := ir.Cmp
	if in.op == opFCmp {
		op = ir.FCmp
	}
	if isHuge(t) && l.hugeCmp(in) || l.tooWide(op.String(), t) {
		return
	}
	width, step := t.scalar().scalarBits(), l.lay.words(t.scalar())
	for i := range t.lanes() {
		a := l.wide(in.args[0], i*step, width)
		b := l.wide(in.args[1], i*step, width)
		l.cmp(op, in.pred, width, l.dst+ir.Reg(i), a, b)
	}
}

func (l *lowerer) lowerSelect(in *inst) {
	words := l.lay.words(in.typ)
	width, perLane := 64, 0
	if s := in.typ.scalar(); s.isScalar() {
		width = min(s.scalarBits(), 64)
	}
	if in.args[0].typ.kind == kVector {
		perLane = words / in.typ.lanes()
	}
	c := ir.Imm(0)
	for w := range words {
		if perLane > 0 {
			c = l.operand(in.args[0], w/perLane)
		} else if w == 0 {
			c = l.operand(in.args[0], 0)
		}
		l.sel(width, l.dst+ir.Reg(w), c, l.operand(in.args[1], w), l.operand(in.args[2], w))
	}
}

func (l *lowerer) lowerCast(in *inst) {
	from, to := in.args[0].typ, in.typ
	if in.noop && l.lay.words(from) == l.lay.words(to) {
		l.copyWords(l.dst, in.args[0])
		return
	}
	if in.sub == ir.Copy {
		l.repack(l.chunksOf(in.args[0]), l.chunksAt(l.dst, to))
		return
	}
	if (isHuge(from) || isHuge(to)) && l.hugeCast(in) {
		return
	}
	if l.tooWide(in.sub.String(), from) || l.tooWide(in.sub.String(), to) {
		return
	}
	a, b := from.scalar(), to.scalar()
	width := a.scalarBits()
	as, bs := l.lay.words(a), l.lay.words(b)
	for i := range from.lanes() {
		l.cast(in.sub, width, b.scalarBits(), l.dst+ir.Reg(i*bs), l.wide(in.args[0], i*as, width))
	}
}

// A chunk is a register, or constant, and how many of its low bits count.
type chunk struct {
	op   ir.Operand
	bits int
}

// chunksOf returns the words of a scalar or vector.
func (l *lowerer) chunksOf(v value) []chunk {
	var out []chunk
	w := 0
	for range v.typ.lanes() {
		for left := v.typ.scalar().scalarBits(); left > 0; left -= 64 {
			out = append(out, chunk{l.operand(v, w), min(left, 64)})
			w++
		}
	}
	return out
}

// chunksAt returns the words of a value of type t that begins at register r.
func (l *lowerer) chunksAt(r ir.Reg, t *Type) []chunk {
	var out []chunk
	for range t.lanes() {
		for left := t.scalar().scalarBits(); left > 0; left -= 64 {
			out = append(out, chunk{ir.R(r), min(left, 64)})
			r++
		}
	}
	return out
}

// repack moves a string of bits, held in the registers of src, into those of dst. Both begin
// with the least significant bits.
func (l *lowerer) repack(src, dst []chunk) { l.repackFrom(src, 0, dst) }

// repackFrom is repack without the lowest skip bits of src.
func (l *lowerer) repackFrom(src []chunk, skip int, dst []chunk) {
	d0 := skip
	first, s0 := 0, 0 // src[first] begins at bit s0
	for _, d := range dst {
		for first < len(src) && s0+src[first].bits <= d0 {
			s0 += src[first].bits
			first++
		}
		started := false
		for i, at := first, s0; i < len(src) && at < d0+d.bits; i++ {
			s := src[i]
			piece := s.op
			valid := s.bits // bits of piece that may be set
			if at < d0 {
				piece = l.tempBin(ir.LShr, piece, uint64(d0-at))
				valid -= d0 - at
			} else if at > d0 {
				if over := at + s.bits - (d0 + d.bits); over > 0 { // drop them before they are shifted
					piece = l.tempBin(ir.And, piece, 1<<(s.bits-over)-1)
				}
				piece = l.tempBin(ir.Shl, piece, uint64(at-d0))
				valid = 0
			}
			if valid > d.bits {
				piece = l.tempBin(ir.And, piece, 1<<d.bits-1)
			}
			if started {
				l.bin(ir.Or, 64, d.op.Reg, d.op, piece)
			} else {
				l.copy(d.op.Reg, piece)
				started = true
			}
			at += s.bits
		}
		if !started {
			l.copy(d.op.Reg, ir.Imm(0))
		}
		d0 += d.bits
	}
}

func (l *lowerer) tempBin(op ir.Op, a ir.Operand, b uint64) ir.Operand {
	r := l.temp(1)
	l.bin(op, 64, r, a, ir.Imm(b))
	return ir.R(r)
}

func (l *lowerer) lowerElement(in *inst) {
	t, word := in.args[0].typ, 0
	for _, i := range in.index {
		e, _, w := l.lay.field(t, i)
		t, word = e, word+w
	}
	n := l.lay.words(t)
	if in.op == opExtractValue {
		for w := range n {
			l.copy(l.dst+ir.Reg(w), l.operand(in.args[0], word+w))
		}
		return
	}
	for w := range l.lay.words(in.typ) {
		if w >= word && w < word+n {
			l.copy(l.dst+ir.Reg(w), l.operand(in.args[1], w-word))
		} else {
			l.copy(l.dst+ir.Reg(w), l.operand(in.args[0], w))
		}
	}
}

// lowerExtractElement picks a lane by a chain of selects where the index is not known.
func (l *lowerer) lowerExtractElement(in *inst) {
	vec, ix := in.args[0], in.args[1]
	step := l.lay.words(in.typ)
	if ix.kind != vLocal {
		words, bad := l.lk.eval(l.mod, ix)
		i := 0
		if bad == "" && words[0] < vec.typ.len {
			i = int(words[0])
		}
		for w := range step {
			l.copy(l.dst+ir.Reg(w), l.operand(vec, i*step+w))
		}
		return
	}
	width := min(ix.typ.bits, 64)
	for w := range step {
		l.copy(l.dst+ir.Reg(w), l.operand(vec, w))
	}
	for i := 1; i < vec.typ.lanes(); i++ {
		c := l.temp(1)
		l.cmp(ir.Cmp, ir.EQ, width, c, l.operand(ix, 0), ir.Imm(uint64(i)))
		for w := range step {
			d := l.dst + ir.Reg(w)
			l.sel(64, d, ir.R(c), l.operand(vec, i*step+w), ir.R(d))
		}
	}
}

func (l *lowerer) lowerInsertElement(in *inst) {
	vec, elem, ix := in.args[0], in.args[1], in.args[2]
	step := l.lay.words(elem.typ)
	width := min(ix.typ.bits, 64)
	for i := range vec.typ.lanes() {
		c := l.operand(ix, 0)
		if !c.IsConst() {
			r := l.temp(1)
			l.cmp(ir.Cmp, ir.EQ, width, r, c, ir.Imm(uint64(i)))
			c = ir.R(r)
		}
		for w := range step {
			d := l.dst + ir.Reg(i*step+w)
			old := l.operand(vec, i*step+w)
			switch {
			case !c.IsConst():
				l.sel(64, d, c, l.operand(elem, w), old)
			case c.Imm == uint64(i):
				l.copy(d, l.operand(elem, w))
			default:
				l.copy(d, old)
			}
		}
	}
}

func (l *lowerer) lowerShuffle(in *inst) {
	mask, bad := l.lk.eval(l.mod, in.args[2])
	if bad != "" {
		l.unsupported(bad)
		return
	}
	n := in.args[0].typ.lanes()
	step := l.lay.words(in.typ.elem)
	mstep := l.lay.words(in.args[2].typ.elem)
	for i := range in.typ.lanes() {
		k := mask[i*mstep]
		for w := range step {
			src := ir.Imm(0)
			if k < uint64(n) {
				src = l.operand(in.args[0], int(k)*step+w)
			} else if k < uint64(2*n) {
				src = l.operand(in.args[1], (int(k)-n)*step+w)
			}
			l.copy(l.dst+ir.Reg(i*step+w), src)
		}
	}
}
