package llvm

import "ravel/internal/ir"

// Integers of more than 128 bits come from the optimiser, which moves small structs in one
// register: they are shifted, masked and cut. isHuge says that t is one of them.
func isHuge(t *Type) bool { return t.kind == kInt && t.bits > 128 }

// hugeBin lowers what can be done word by word, and shifts by constants.
func (l *lowerer) hugeBin(in *inst) bool {
	a, b := in.args[0], in.args[1]
	switch in.sub {
	case ir.And, ir.Or, ir.Xor:
		for w := range l.lay.words(in.typ) {
			l.bin(in.sub, 64, l.dst+ir.Reg(w), l.operand(a, w), l.operand(b, w))
		}
		return true
	case ir.Shl, ir.LShr, ir.AShr:
		words, bad := l.constWords(b)
		if bad || words[0] >= uint64(in.typ.bits) {
			return false
		}
		n := int(words[0])
		src, dst := l.chunksOf(a), l.chunksAt(l.dst, in.typ)
		switch in.sub {
		case ir.AShr:
			l.repackFrom(l.withSigns(src, n), n, dst)
			return true
		case ir.LShr:
			l.repackFrom(src, n, dst)
			return true
		}
		var zeros []chunk
		for ; n > 0; n -= 64 {
			zeros = append(zeros, chunk{ir.Imm(0), min(n, 64)})
		}
		l.repack(append(zeros, src...), dst)
		return true
	}
	return false
}

// constWords returns the words of v if it is a constant.
func (l *lowerer) constWords(v value) (words []uint64, bad bool) {
	if v.kind == vLocal {
		return nil, true
	}
	words, msg := l.lk.eval(l.mod, v)
	return words, msg != "" || len(words) == 0
}

// hugeCmp lowers a comparison for equality.
func (l *lowerer) hugeCmp(in *inst) bool {
	if in.pred != ir.EQ && in.pred != ir.NE {
		return false
	}
	diff := l.temp(1)
	l.copy(diff, ir.Imm(0))
	for w := range l.lay.words(in.args[0].typ) {
		x := l.temp(1)
		l.bin(ir.Xor, 64, x, l.operand(in.args[0], w), l.operand(in.args[1], w))
		l.bin(ir.Or, 64, diff, ir.R(diff), ir.R(x))
	}
	l.cmp(ir.Cmp, in.pred, 64, l.dst, ir.R(diff), ir.Imm(0))
	return true
}

// withSigns appends at least n copies of the sign of src.
func (l *lowerer) withSigns(src []chunk, n int) []chunk {
	top := src[len(src)-1]
	s := l.tempBin(ir.AShr, l.tempBin(ir.Shl, top.op, uint64(64-top.bits)), 63)
	for ; n > 0; n -= 64 {
		src = append(src, chunk{s, 64})
	}
	return src
}

// hugeCast lowers casts from or to a huge integer.
func (l *lowerer) hugeCast(in *inst) bool {
	src := l.chunksOf(in.args[0])
	switch in.sub {
	case ir.SExt:
		src = l.withSigns(src, in.typ.bits)
	case ir.Trunc, ir.ZExt:
	default:
		return false
	}
	l.repack(src, l.chunksAt(l.dst, in.typ))
	return true
}
