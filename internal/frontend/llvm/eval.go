package llvm

import (
	"math/big"

	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// eval returns the registers of a constant. Where it has no value that is a number, bad says
// what is the matter.
func (lk *linker) eval(m *Module, v value) (words []uint64, bad string) {
	switch v.kind {
	case vInt:
		return []uint64{v.bits}, ""
	case vConst:
		return lk.evalConst(m, v)
	}
	n := m.lay.words(v.typ)
	if n > maxWords {
		return nil, "a value of type '" + v.typ.String() + "'"
	}
	return make([]uint64, n), ""
}

func (lk *linker) evalConst(m *Module, v value) (words []uint64, bad string) {
	c := v.c
	if c.evaluated {
		return c.words, ""
	}
	switch c.kind {
	case cGlobal:
		a, bad := lk.address(c.sym)
		if bad != "" {
			return nil, bad
		}
		words = []uint64{a}
	case cBytes:
		if len(c.text) > maxWords {
			return nil, "a string of " + numberedName(len(c.text)) + " bytes as a value"
		}
		words = make([]uint64, len(c.text))
		for i := range words {
			words[i] = uint64(c.text[i])
		}
	case cElems, cSplat:
		if m.lay.words(v.typ) > maxWords {
			return nil, "a value of type '" + v.typ.String() + "'"
		}
		n := len(c.elems)
		if c.kind == cSplat {
			n = v.typ.lanes()
		}
		for i := range n {
			w, bad := lk.eval(m, c.elems[i%len(c.elems)])
			if bad != "" {
				return nil, bad
			}
			words = append(words, w...)
		}
	case cExpr:
		if words, bad = lk.evalExpr(m, c.expr); bad != "" {
			return nil, bad
		}
	case cBad:
		return nil, c.text
	default:
		return nil, "inline assembly as a value"
	}
	c.words, c.evaluated = words, true
	return words, ""
}

// evalExpr computes a constant expression, element by element for vectors.
func (lk *linker) evalExpr(m *Module, in *inst) ([]uint64, string) {
	n := m.lay.words(in.typ)
	if n > maxWords {
		return nil, "a value of type '" + in.typ.String() + "'"
	}
	args := make([][]uint64, len(in.args))
	for i, a := range in.args {
		w, bad := lk.eval(m, a)
		if bad != "" {
			return nil, bad
		}
		args[i] = w
	}
	out := make([]uint64, n)
	switch in.op {
	case opBin, opUnary, opICmp, opFCmp, opGEP:
	case opCast:
		if in.sub == ir.Copy {
			repackConst(out, in.typ, args[0], in.args[0].typ)
			return out, ""
		}
	case opSelect:
		w := n / in.typ.lanes()
		for i := range out {
			k := 0
			if in.args[0].typ.kind == kVector {
				k = i / w
			}
			out[i] = args[2][i]
			if args[0][k] != 0 {
				out[i] = args[1][i]
			}
		}
		return out, ""
	case opExtractValue, opInsertValue:
		t, w := in.args[0].typ, 0
		for _, i := range in.index {
			e, _, k := m.lay.field(t, i)
			t, w = e, w+k
		}
		if in.op == opExtractValue {
			copy(out, args[0][w:])
		} else {
			copy(out, args[0])
			copy(out[w:], args[1])
		}
		return out, ""
	case opExtractElement, opInsertElement, opShuffle:
		return lk.evalLanes(m, in, args, out)
	default:
		return nil, "constant expression"
	}
	step := n / in.typ.lanes()
	for i := range in.typ.lanes() {
		r, bad := lk.evalLane(m, in, args, i)
		if bad != "" {
			return nil, bad
		}
		out[i*step] = r.Lo
		if step > 1 {
			out[i*step+1] = r.Hi
		}
	}
	return out, ""
}

func (lk *linker) evalLanes(m *Module, in *inst, args [][]uint64, out []uint64) ([]uint64, string) {
	step := m.lay.words(in.args[0].typ.elem)
	lanes := uint64(in.args[0].typ.lanes())
	switch in.op {
	case opExtractElement:
		if i := args[1][0]; i < lanes {
			copy(out, args[0][int(i)*step:])
		}
	case opInsertElement:
		copy(out, args[0])
		if i := args[2][0]; i < lanes {
			copy(out[int(i)*step:], args[1])
		}
	default:
		both := append(append([]uint64{}, args[0]...), args[1]...)
		mstep := m.lay.words(in.args[2].typ.elem)
		for i := range in.typ.lanes() {
			if k := args[2][i*mstep]; k < 2*lanes {
				copy(out[i*step:(i+1)*step], both[int(k)*step:])
			}
		}
	}
	return out, ""
}

// lane returns element i of operand k.
func lane(in *inst, args [][]uint64, k, i int) event.Value {
	t := in.args[k].typ
	w := len(args[k])
	if t.kind == kVector {
		w /= t.lanes()
	} else {
		i = 0
	}
	v := event.Value{Lo: args[k][i*w]}
	if w > 1 {
		v.Hi = args[k][i*w+1]
	}
	return v
}

// evalLane computes element i of the result.
func (lk *linker) evalLane(m *Module, in *inst, args [][]uint64, i int) (event.Value, string) {
	a := lane(in, args, 0, i)
	if in.op == opGEP {
		off, bad := lk.evalOffset(m, in, args, i)
		return event.Value{Lo: maskTo(a.Lo+off, m.lay.ptrBits())}, bad
	}
	for _, t := range []*Type{in.args[0].typ, in.typ} {
		if s := t.scalar(); s.scalarBits() > 128 || s.isFloat() && s.kind != kFloat && s.kind != kDouble {
			return event.Value{}, "constant of type '" + t.String() + "'"
		}
	}
	op := ir.Instr{Op: in.sub, Pred: in.pred, Width: uint8(in.args[0].typ.scalar().scalarBits())}
	var b event.Value
	switch in.op {
	case opICmp:
		op.Op = ir.Cmp
	case opFCmp:
		op.Op = ir.FCmp
	case opCast:
		op.To = uint8(in.typ.scalar().scalarBits())
	}
	if len(args) > 1 {
		b = lane(in, args, 1, i)
	}
	var r event.Value
	var fault string
	if dst, _, _, _ := op.Widths(); op.Width > 64 || dst > 64 {
		r, _, fault = arith.EvalWide(&op, a, b, event.Value{})
	} else {
		r.Lo, _, fault = arith.Eval(&op, a.Lo, b.Lo, 0)
	}
	if fault != "" {
		fault += " in a constant"
	}
	return r, fault
}

// evalOffset returns what the indices of a getelementptr add.
func (lk *linker) evalOffset(m *Module, in *inst, args [][]uint64, i int) (uint64, string) {
	t, off := in.elem, uint64(0)
	for k := 1; k < len(in.args); k++ {
		ix := lane(in, args, k, i)
		n := int64(signExtend(ix.Lo, min(in.args[k].typ.scalar().scalarBits(), m.lay.ptrBits())))
		if k == 1 {
			off += uint64(n) * m.lay.allocSize(t)
			continue
		}
		switch t.kind {
		case kStruct:
			if n < 0 || n >= int64(len(t.fields)) {
				return 0, "getelementptr out of range"
			}
			e, o, _ := m.lay.field(t, int(n))
			t, off = e, off+o
		case kArray:
			t = t.elem
			off += uint64(n) * m.lay.allocSize(t)
		case kVector:
			t = t.elem
			off += uint64(n) * t.size
		default:
			return 0, "getelementptr into '" + t.String() + "'"
		}
	}
	return off, ""
}

func signExtend(v uint64, bits int) uint64 {
	if bits >= 64 || bits <= 0 {
		return v
	}
	s := 64 - bits
	return uint64(int64(v<<s) >> s)
}

// repackConst copies the bits of src, a value of type from, into dst, one of type to.
func repackConst(dst []uint64, to *Type, src []uint64, from *Type) {
	all := new(big.Int)
	ab, bb := from.scalar().scalarBits(), to.scalar().scalarBits()
	aw, bw := (ab+63)/64, (bb+63)/64
	for i := from.lanes() - 1; i >= 0; i-- {
		all.Lsh(all, uint(ab))
		v := new(big.Int)
		for k := aw - 1; k >= 0; k-- {
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(src[i*aw+k]))
		}
		all.Or(all, v)
	}
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bb)), big.NewInt(1))
	for i := range to.lanes() {
		copy(dst[i*bw:(i+1)*bw], bigWords(new(big.Int).And(all, mask), bb))
		all.Rsh(all, uint(bb))
	}
}

func (lk *linker) warn(m *Module, pos int32, format string, args ...any) {
	e := errorAt(m.Name, m.src, int(pos), format, args...)
	lk.prog.Warnings = append(lk.prog.Warnings, e.Error())
}
