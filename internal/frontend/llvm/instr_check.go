package llvm

import "ravel/internal/ir"

// The functions here complete an instruction, or a constant expression, once its operands
// are read: they check the types, so that lowering need not, and set the result's.

func (p *parser) finishBin(in *inst, sub ir.Op, a, b value) {
	t := a.typ.scalar()
	if !sameType(a.typ, b.typ) {
		p.fail(in.pos, "operands of types '%s' and '%s'", a.typ, b.typ)
	}
	if !a.typ.isOpaque() && (sub.IsFloat() && !t.isFloat() || !sub.IsFloat() && t.kind != kInt) {
		p.fail(in.pos, "%s of type '%s'", sub, a.typ)
	}
	in.op, in.sub, in.typ, in.args = opBin, sub, a.typ, []value{a, b}
}

func (p *parser) finishUnary(in *inst, sub ir.Op, v value) {
	if !v.typ.isOpaque() && (sub.IsFloat() && !v.typ.scalar().isFloat() || !sub.IsFloat() && v.typ.scalar().kind != kInt) {
		p.fail(in.pos, "%s of type '%s'", sub, v.typ)
	}
	in.op, in.sub, in.typ, in.args = opUnary, sub, v.typ, []value{v}
}

func (p *parser) finishCmp(in *inst, pred ir.Pred, a, b value) {
	t := a.typ.scalar()
	in.op = opICmp
	if pred >= ir.FFalse {
		in.op = opFCmp
	}
	if !sameType(a.typ, b.typ) {
		p.fail(in.pos, "operands of types '%s' and '%s'", a.typ, b.typ)
	}
	if !a.typ.isOpaque() && (in.op == opFCmp) != t.isFloat() || a.typ.isAggregate() {
		p.fail(in.pos, "comparison of type '%s'", a.typ)
	}
	in.pred, in.args, in.typ = pred, []value{a, b}, p.boolLike(a.typ)
}

// boolLike returns i1, or the vector of i1 with as many elements as t.
func (p *parser) boolLike(t *Type) *Type {
	switch t.kind {
	case kVector:
		return &Type{kind: kVector, len: t.len, elem: p.intType(1)}
	case kOpaque:
		return &Type{kind: kOpaque, name: "vector of i1"}
	}
	return p.intType(1)
}

func (p *parser) finishCast(in *inst, sub ir.Op, v value, to *Type) {
	in.op, in.sub, in.typ, in.args = opCast, sub, to, []value{v}
	if v.typ.isOpaque() || to.isOpaque() {
		return
	}
	a, b := v.typ.scalar(), to.scalar()
	ok := a.isScalar() && b.isScalar()
	lanes := v.typ.kind == to.kind || v.typ.kind != kVector && to.kind != kVector
	if v.typ.kind == kVector && to.kind == kVector {
		lanes = v.typ.len == to.len
	}
	ab, bb := a.scalarBits(), b.scalarBits()
	isInt := func(t *Type) bool { return t.kind == kInt || t.kind == kPtr }
	switch sub {
	case ir.Trunc:
		ok = ok && lanes && a.kind == kInt && b.kind == kInt && ab > bb
	case ir.ZExt, ir.SExt: // also ptrtoint, inttoptr
		ok = ok && lanes && isInt(a) && isInt(b)
		switch {
		case ab == bb:
			in.noop = true
		case ab > bb:
			in.sub = ir.Trunc
		}
		if a.kind == kInt && b.kind == kInt && ab >= bb {
			ok = false
		}
	case ir.Copy:
		n, m := uint64(ab)*uint64(v.typ.lanes()), uint64(bb)*uint64(to.lanes())
		ok = ok && n == m
		in.noop = ab == bb
	case ir.FPToUI, ir.FPToSI:
		ok = ok && lanes && a.isFloat() && b.kind == kInt
	case ir.UIToFP, ir.SIToFP:
		ok = ok && lanes && a.kind == kInt && b.isFloat()
	case ir.FPTrunc:
		ok = ok && lanes && a.isFloat() && b.isFloat() && ab > bb
	case ir.FPExt:
		ok = ok && lanes && a.isFloat() && b.isFloat() && ab < bb
	}
	if !ok {
		p.fail(in.pos, "wrong cast from '%s' to '%s'", v.typ, to)
	}
}

func (p *parser) finishGEP(in *inst, t *Type, args []value) {
	in.op, in.elem, in.args, in.typ = opGEP, t, args, p.ptr
	if t.kind == kVoid || t.kind == kFunc && len(args) > 1 {
		p.fail(in.pos, "getelementptr into '%s'", t)
	}
	for i, a := range args {
		s := a.typ.scalar()
		if a.typ.isOpaque() {
			in.typ = a.typ
			return
		}
		if i == 0 && s.kind != kPtr || i > 0 && s.kind != kInt {
			p.fail(in.pos, "wrong operand of type '%s'", a.typ)
		}
		if a.typ.kind == kVector {
			if in.typ.kind == kVector && in.typ.len != a.typ.len {
				p.fail(in.pos, "vectors of different lengths")
			}
			in.typ = &Type{kind: kVector, len: a.typ.len, elem: p.ptr}
		}
	}
}

func (p *parser) finishSelect(in *inst, args []value) {
	if len(args) != 3 || !sameType(args[1].typ, args[2].typ) {
		p.fail(in.pos, "wrong operands of select")
	}
	c := args[0].typ
	s := c.scalar()
	if !c.isOpaque() && (s.kind != kInt || s.bits != 1 || c.kind == kVector && (args[1].typ.kind != kVector || args[1].typ.len != c.len)) {
		p.fail(in.pos, "condition of type '%s'", c)
	}
	in.op, in.typ, in.args = opSelect, args[1].typ, args
}

func (p *parser) finishExtractElement(in *inst, args []value) {
	if len(args) == 2 && args[0].typ.isOpaque() {
		p.fail(in.pos, "elements of '%s' are not supported", args[0].typ)
	}
	if len(args) != 2 || args[0].typ.kind != kVector || args[1].typ.kind != kInt {
		p.fail(in.pos, "wrong operands of extractelement")
	}
	in.op, in.typ, in.args = opExtractElement, args[0].typ.elem, args
}

func (p *parser) finishInsertElement(in *inst, args []value) {
	if len(args) == 3 && args[0].typ.isOpaque() {
		in.op, in.typ, in.what = opUnsupported, args[0].typ, "insertelement into "+args[0].typ.String()
		return
	}
	if len(args) != 3 || args[0].typ.kind != kVector || !sameType(args[0].typ.elem, args[1].typ) || args[2].typ.kind != kInt {
		p.fail(in.pos, "wrong operands of insertelement")
	}
	in.op, in.typ, in.args = opInsertElement, args[0].typ, args
}

func (p *parser) finishShuffle(in *inst, args []value) {
	if len(args) == 3 && args[0].typ.isOpaque() {
		in.op, in.typ, in.what = opUnsupported, args[2].typ, "shufflevector of "+args[0].typ.String()
		return
	}
	if len(args) != 3 || args[0].typ.kind != kVector || !sameType(args[0].typ, args[1].typ) ||
		args[2].typ.kind != kVector || args[2].typ.elem.kind != kInt || args[2].kind == vLocal {
		p.fail(in.pos, "wrong operands of shufflevector")
	}
	in.op, in.args = opShuffle, args
	in.typ = &Type{kind: kVector, len: args[2].typ.len, elem: args[0].typ.elem}
}
