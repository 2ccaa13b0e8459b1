package llvm

import "ravel/internal/ir"

// Integers of more than 128 bits are lists of words, the least significant first; bits of the last one that do not count are 0. The optimiser makes some that it only shifts and
// cuts, to move small structs; _BitInt(N) of C has all operations.

// isHuge says that t is one of them.
func isHuge(t *Type) bool { return t.kind == kInt && t.bits > 128 }

// hugeBin lowers an operation on two integers.
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
		if bad {
			l.setWords(in.typ, l.hugeShift(in.sub, l.wordsOf(a), l.operand(b, 0), in.typ))
			return true
		}
		if words[0] >= uint64(in.typ.bits) {
			return false
		}
		l.shiftBy(in.sub, l.chunksOf(a), int(words[0]), l.chunksAt(l.dst, in.typ))
		return true
	}
	x, y := l.wordsOf(a), l.wordsOf(b)
	switch in.sub {
	case ir.Add:
		l.setWords(in.typ, l.hugeAdd(x, y))
	case ir.Sub:
		d, _ := l.hugeSub(x, y)
		l.setWords(in.typ, d)
	case ir.Mul:
		l.setWords(in.typ, l.hugeMul(x, y))
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		l.setWords(in.typ, l.hugeDiv(in.sub, x, y, in.typ))
	default:
		return false
	}
	return true
}

// shiftBy shifts by a constant.
func (l *lowerer) shiftBy(op ir.Op, src []chunk, n int, dst []chunk) {
	switch op {
	case ir.AShr:
		l.repackFrom(l.withSigns(src, n), n, dst)
	case ir.LShr:
		l.repackFrom(src, n, dst)
	default:
		var zeros []chunk
		for ; n > 0; n -= 64 {
			zeros = append(zeros, chunk{ir.Imm(0), min(n, 64)})
		}
		l.repack(append(zeros, src...), dst)
	}
}

// wordsOf returns the words of a value.
func (l *lowerer) wordsOf(v value) (words []ir.Operand) {
	for w := range l.lay.words(v.typ) {
		words = append(words, l.operand(v, w))
	}
	return words
}

// setWords makes words the result of an instruction, without the bits that a value of type t does not have.
func (l *lowerer) setWords(t *Type, words []ir.Operand) {
	for w, x := range words {
		if left := t.bits - 64*w; left < 64 {
			x = l.tempBin(ir.And, x, 1<<left-1)
		}
		l.copy(l.dst+ir.Reg(w), x)
	}
}

// temps copies words to registers that may be changed.
func (l *lowerer) temps(words []ir.Operand, n int) (regs []ir.Operand) {
	for w := range n {
		r := l.temp(1)
		if w < len(words) {
			l.copy(r, words[w])
		} else {
			l.copy(r, ir.Imm(0))
		}
		regs = append(regs, ir.R(r))
	}
	return regs
}

func (l *lowerer) tempOf(op ir.Op, a, b ir.Operand) ir.Operand {
	r := l.temp(1)
	l.bin(op, 64, r, a, b)
	return ir.R(r)
}

func (l *lowerer) less(a, b ir.Operand) ir.Operand {
	r := l.temp(1)
	l.cmp(ir.Cmp, ir.ULT, 64, r, a, b)
	return ir.R(r)
}

func (l *lowerer) hugeAdd(a, b []ir.Operand) (sum []ir.Operand) {
	carry := ir.Imm(0)
	for w := range a {
		s := l.tempOf(ir.Add, a[w], b[w])
		t := l.tempOf(ir.Add, s, carry)
		carry = l.tempOf(ir.Or, l.less(s, a[w]), l.less(t, s))
		sum = append(sum, t)
	}
	return sum
}

// hugeSub returns the difference, and 1 if b is the larger one.
func (l *lowerer) hugeSub(a, b []ir.Operand) (diff []ir.Operand, borrow ir.Operand) {
	borrow = ir.Imm(0)
	for w := range a {
		d := l.tempOf(ir.Sub, a[w], b[w])
		e := l.tempOf(ir.Sub, d, borrow)
		borrow = l.tempOf(ir.Or, l.less(a[w], b[w]), l.less(d, borrow))
		diff = append(diff, e)
	}
	return diff, borrow
}

// hugeMul multiplies as one learns at school, with words for digits.
func (l *lowerer) hugeMul(a, b []ir.Operand) []ir.Operand {
	product := l.temps(nil, len(a))
	pair := func(x ir.Operand) ir.Operand {
		r := l.temp(2)
		l.copy(r, x)
		l.copy(r+1, ir.Imm(0))
		return ir.R(r)
	}
	for i := range a {
		carry := ir.Imm(0)
		for j := 0; i+j < len(a); j++ {
			r := l.temp(2) // a word times a word, plus two words, fits in two
			l.bin(ir.Mul, 128, r, pair(a[i]), pair(b[j]))
			l.bin(ir.Add, 128, r, ir.R(r), pair(product[i+j]))
			l.bin(ir.Add, 128, r, ir.R(r), pair(carry))
			l.copy(product[i+j].Reg, ir.R(r))
			carry = ir.R(r + 1)
		}
	}
	return product
}

// hugeShift shifts by a number of bits that is not known, by those of its powers of 2.
func (l *lowerer) hugeShift(op ir.Op, a []ir.Operand, by ir.Operand, t *Type) []ir.Operand {
	words := l.temps(a, len(a))
	chunks := func(words []ir.Operand) (list []chunk) {
		for w, x := range words {
			list = append(list, chunk{x, min(t.bits-64*w, 64)})
		}
		return list
	}
	for k := 0; 1<<k < t.bits; k++ {
		moved := l.temps(nil, len(a))
		l.shiftBy(op, chunks(words), 1<<k, chunks(moved))
		set := l.tempBin(ir.And, l.tempBin(ir.LShr, by, uint64(k)), 1)
		for w := range words {
			l.sel(64, words[w].Reg, set, moved[w], words[w])
		}
	}
	return words
}

// hugeDiv divides bit by bit, in a loop.
func (l *lowerer) hugeDiv(op ir.Op, a, b []ir.Operand, t *Type) []ir.Operand {
	any := ir.Imm(0)
	for _, x := range b {
		any = l.tempOf(ir.Or, any, x)
	}
	l.tempOf(ir.UDiv, ir.Imm(1), any) // division by 0 is an error
	negative := func(x []ir.Operand) ir.Operand {
		return l.tempBin(ir.And, l.tempBin(ir.LShr, x[len(x)-1], uint64((t.bits-1)%64)), 1)
	}
	mask := uint64(1)<<(t.bits%64) - 1 // of the last word
	if t.bits%64 == 0 {
		mask = 1<<64 - 1
	}
	negateIf := func(c ir.Operand, x []ir.Operand) []ir.Operand {
		n, _ := l.hugeSub(l.temps(nil, len(x)), x)
		n[len(n)-1] = l.tempBin(ir.And, n[len(n)-1], mask)
		out := l.temps(x, len(x))
		for w := range x {
			l.sel(64, out[w].Reg, c, n[w], x[w])
		}
		return out
	}
	sign := ir.Imm(0)
	if op == ir.SDiv || op == ir.SRem {
		sa, sb := negative(a), negative(b)
		a, b = negateIf(sa, a), negateIf(sb, b)
		if sign = sa; op == ir.SDiv {
			sign = l.tempOf(ir.Xor, sa, sb)
		}
	}
	n := len(a)
	quotient, rest, divisor := l.temps(a, n), l.temps(nil, n+1), l.temps(b, n+1)
	count := l.temp(1)
	l.copy(count, ir.Imm(uint64(t.bits)))
	loop, done := l.newBlock("divide"), l.newBlock("divided")
	end := len(l.out.Blocks) - 1
	l.emit(jumpTo(end - 1))
	l.cur, l.dead = loop, false
	// The highest bit of what is left moves to the rest; a bit of the quotient takes the free place.
	double := func(x []ir.Operand, in ir.Operand) {
		for w := range x {
			out := l.tempBin(ir.LShr, x[w], 63)
			l.bin(ir.Shl, 64, x[w].Reg, x[w], ir.Imm(1))
			l.bin(ir.Or, 64, x[w].Reg, x[w], in)
			in = out
		}
	}
	double(rest, negative(quotient))
	less, borrow := l.hugeSub(rest, divisor)
	fits := l.tempBin(ir.Xor, borrow, 1)
	for w := range rest {
		l.sel(64, rest[w].Reg, fits, less[w], rest[w])
	}
	double(quotient, fits)
	l.bin(ir.Sub, 64, count, ir.R(count), ir.Imm(1))
	more := l.temp(1)
	l.cmp(ir.Cmp, ir.NE, 64, more, ir.R(count), ir.Imm(0))
	br := newInstr(ir.CondBr)
	br.A, br.Targets = ir.R(more), []int{end - 1, end}
	l.emit(br)
	l.cur, l.dead = done, false
	result := quotient
	if op == ir.URem || op == ir.SRem {
		result = rest[:n]
	} else {
		result[n-1] = l.tempBin(ir.And, result[n-1], mask)
	}
	if op == ir.SDiv || op == ir.SRem {
		result = negateIf(sign, result)
	}
	return result
}

// constWords returns the words of v if it is a constant.
func (l *lowerer) constWords(v value) (words []uint64, bad bool) {
	if v.kind == vLocal {
		return nil, true
	}
	words, msg := l.lk.eval(l.mod, v)
	return words, msg != "" || len(words) == 0
}

// hugeCmp lowers a comparison.
func (l *lowerer) hugeCmp(in *inst) bool {
	a, b := l.wordsOf(in.args[0]), l.wordsOf(in.args[1])
	switch in.pred {
	case ir.EQ, ir.NE:
		diff := ir.Imm(0)
		for w := range a {
			diff = l.tempOf(ir.Or, diff, l.tempOf(ir.Xor, a[w], b[w]))
		}
		l.cmp(ir.Cmp, in.pred, 64, l.dst, diff, ir.Imm(0))
		return true
	case ir.SLT, ir.SLE, ir.SGT, ir.SGE: // with the sign turned round, as if there were none
		sign := uint64(1) << ((in.args[0].typ.bits - 1) % 64)
		last := len(a) - 1
		a[last], b[last] = l.tempBin(ir.Xor, a[last], sign), l.tempBin(ir.Xor, b[last], sign)
	}
	swap := in.pred == ir.UGT || in.pred == ir.ULE || in.pred == ir.SGT || in.pred == ir.SLE
	if swap {
		a, b = b, a
	}
	_, less := l.hugeSub(a, b)
	if in.pred == ir.ULE || in.pred == ir.UGE || in.pred == ir.SLE || in.pred == ir.SGE {
		less = l.tempBin(ir.Xor, less, 1)
	}
	l.copy(l.dst, less)
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
