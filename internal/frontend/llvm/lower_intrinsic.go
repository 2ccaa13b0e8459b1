package llvm

import (
	"math"
	"math/big"
	"strings"

	"ravel/internal/ir"
)

// intrinsic lowers a call of llvm.something.
func (l *lowerer) intrinsic(in *inst, name string, args []value) {
	base, types := splitIntrinsic(name)
	if droppedIntrinsics[base] || strings.HasPrefix(base, "dbg.") {
		return
	}
	for _, a := range args {
		if a.typ.kind == kMetadata {
			l.unsupported(name)
			return
		}
	}
	switch base {
	case "lifetime.start":
		l.lifetime(in, ir.Begin)
		return
	case "lifetime.end":
		l.lifetime(in, ir.End)
		return
	case "stackrestore":
		l.restore(in)
		return
	}
	l.what = name
	if otherIntrinsics[base] && l.dst == ir.NoReg {
		l.libCall(in, "abort", nil)
		return
	}
	if zeroIntrinsics[base] {
		l.needResult(in)
		l.copyWords(l.dst, value{typ: in.typ, kind: vZero})
		return
	}
	need := 1
	handler := l.memIntrinsic
	op := ir.Invalid
	if copyIntrinsics[base] {
		handler = l.copyIntrinsic
	} else if o, ok := unaryIntrinsics[base]; ok {
		handler, op = l.unaryIntrinsic, o
	} else if o, ok := binaryIntrinsics[base]; ok {
		handler, op, need = l.binaryIntrinsic, o, 2
	} else if o, ok := funnelIntrinsics[base]; ok {
		handler, op, need = l.funnelIntrinsic, o, 3
	} else if o, ok := overflowIntrinsics[base]; ok {
		handler, op, need = l.overflowIntrinsic, o, 2
	} else if o, ok := reduceIntrinsics[base]; ok {
		handler, op = l.reduceIntrinsic, o
	} else if f := libName(base, types); f != "" {
		l.libCall(in, f, args)
		return
	} else if arity := otherArity[base]; arity > 0 {
		need = arity
	} else if !otherIntrinsics[base] {
		l.unsupported(name)
		return
	} else {
		need = 0
	}
	if len(args) < need {
		l.fail(in.pos, "'%s' with %d arguments", name, len(args))
	}
	if !voidIntrinsics[base] {
		l.needResult(in)
	}
	handler(in, base, op, args)
}

func (l *lowerer) needResult(in *inst) {
	if l.dst == ir.NoReg {
		l.fail(in.pos, "'%s' without a result", l.what)
	}
}

// otherArity and otherIntrinsics are the names that memIntrinsic knows, with the
// arguments they need.
var (
	otherArity = map[string]int{
		"memcpy": 3, "memcpy.inline": 3, "memmove": 3, "memset": 3, "memset.inline": 3, "threadlocal.address": 1, "eh.typeid.for": 1, "ptrmask": 2,
		"objectsize": 2, "fmuladd": 3, "minnum": 2, "maxnum": 2, "minimum": 2, "maximum": 2, "minimumnum": 2, "maximumnum": 2, "copysign": 2,
		"scmp": 2, "ucmp": 2, "fptosi.sat": 1, "fptoui.sat": 1, "vector.reduce.fadd": 2, "vector.reduce.fmul": 2,
		"va_start": 1, "va_copy": 2,
	}
	voidIntrinsics  = map[string]bool{"va_start": true, "va_copy": true, "memcpy": true, "memcpy.inline": true, "memmove": true, "memset": true, "memset.inline": true}
	otherIntrinsics = map[string]bool{"trap": true, "ubsantrap": true, "debugtrap": true, "flt.rounds": true, "get.rounding": true}
)

func (l *lowerer) memIntrinsic(in *inst, base string, _ ir.Op, args []value) {
	switch base {
	case "memcpy", "memcpy.inline":
		l.memOp(ir.MemCpy, args, ir.Disjoint)
	case "memmove":
		l.memOp(ir.MemCpy, args, 0)
	case "memset", "memset.inline":
		l.memOp(ir.MemSet, args, 0)
	case "va_start":
		l.vaStart(args[0])
	case "va_copy":
		l.vaCopy(args[0], args[1])
	case "threadlocal.address":
		l.threadLocal(args[0])
	case "trap", "ubsantrap", "debugtrap":
		l.libCall(in, "abort", nil)
	case "objectsize":
		v := uint64(math.MaxUint64)
		if args[1].kind == vInt && args[1].bits != 0 {
			v = 0
		}
		l.copy(l.dst, ir.Imm(maskTo(v, in.typ.scalarBits())))
	case "eh.typeid.for":
		l.copy(l.dst, ir.Imm(l.typeID(l.operand(args[0], 0).Imm)))
	case "flt.rounds", "get.rounding":
		l.copy(l.dst, ir.Imm(1))
	case "vector.reduce.fadd":
		l.floatReduce(in, ir.FAdd, args)
	case "vector.reduce.fmul":
		l.floatReduce(in, ir.FMul, args)
	case "fptosi.sat", "fptoui.sat":
		l.satConvert(in, base == "fptosi.sat", args[0])
	default:
		l.lanesIntrinsic(in, base, args)
	}
}

func (l *lowerer) threadLocal(v value) {
	if v.kind == vConst && v.c.kind == cGlobal {
		if g := l.lk.target(v.c.sym).irVar; g != nil && g.TLS {
			in := newInstr(ir.TLSAddr)
			in.Dst, in.Global = l.dst, g
			l.emit(in)
			return
		}
	}
	l.copy(l.dst, l.operand(v, 0))
}

// libCall emits a call of a C function.
func (l *lowerer) libCall(in *inst, name string, args []value) {
	s := l.mod.syms[name]
	if s == nil || in.typ.kind == kVector {
		l.unsupported(l.what)
		return
	}
	f := l.lk.funcOf(s)
	if f == nil {
		l.unsupported("call of '" + name + "'")
		return
	}
	call := *in
	call.elem = &Type{kind: kFunc, elem: in.typ}
	l.call(&call, f, ir.Imm(0), args)
}

func (l *lowerer) memOp(op ir.Op, args []value, check ir.Checks) {
	m := newInstr(op)
	m.Check = check
	m.A, m.B, m.C = l.operand(args[0], 0), l.operand(args[1], 0), l.operand(args[2], 0)
	if m.C.IsConst() && m.C.Imm == 0 {
		return
	}
	if len(args) > 3 && args[3].kind == vInt {
		m.Volatile = args[3].bits != 0
	}
	l.emit(m)
}

// sized checks that the result is made of integers or floats that ir computes with, and
// that the arguments from 0 to n-1 have the same type.
func (l *lowerer) sized(in *inst, t *Type, args []value) bool {
	for _, a := range args {
		if !sameType(a.typ, t) {
			l.fail(in.pos, "'%s' with an argument of type '%s'", l.what, a.typ)
		}
	}
	if !t.scalar().isScalar() {
		l.fail(in.pos, "'%s' of type '%s'", l.what, t)
	}
	return !l.tooWide(l.what, t)
}

// wantInt fails where an operation of integers is applied to something else or the reverse.
func (l *lowerer) wantInt(in *inst, op ir.Op, t *Type) {
	if op.IsFloat() != t.scalar().isFloat() || t.scalar().kind == kPtr {
		l.fail(in.pos, "'%s' of type '%s'", l.what, t)
	}
}

func (l *lowerer) copyIntrinsic(in *inst, _ string, _ ir.Op, args []value) {
	if !sameType(in.typ, args[0].typ) {
		l.fail(in.pos, "'%s' of type '%s'", l.what, in.typ)
	}
	l.copyWords(l.dst, args[0])
}

func (l *lowerer) unaryIntrinsic(in *inst, _ string, op ir.Op, args []value) {
	l.wantInt(in, op, in.typ)
	if !l.sized(in, in.typ, args[:1]) {
		return
	}
	width, step := in.typ.scalar().scalarBits(), l.lay.words(in.typ.scalar())
	check := ir.Checks(0)
	if promised := len(args) > 1 && args[1].kind == vInt && args[1].bits != 0; promised && l.strict {
		check = map[ir.Op]ir.Checks{ir.Ctlz: ir.InRange, ir.Cttz: ir.InRange, ir.Abs: ir.NSW}[op]
	}
	for i := range in.typ.lanes() {
		u := newInstr(op)
		u.Width, u.Dst, u.A, u.Check = uint8(width), l.dst+ir.Reg(i*step), l.wide(args[0], i*step, width), check
		l.emit(u)
	}
}

func (l *lowerer) binaryIntrinsic(in *inst, _ string, op ir.Op, args []value) {
	l.wantInt(in, op, in.typ)
	if !l.sized(in, in.typ, args[:2]) {
		return
	}
	width, step := in.typ.scalar().scalarBits(), l.lay.words(in.typ.scalar())
	for i := range in.typ.lanes() {
		l.bin(op, width, l.dst+ir.Reg(i*step), l.wide(args[0], i*step, width), l.wide(args[1], i*step, width))
	}
}

func (l *lowerer) funnelIntrinsic(in *inst, _ string, op ir.Op, args []value) {
	l.wantInt(in, op, in.typ)
	if !l.sized(in, in.typ, args[:3]) {
		return
	}
	width, step := in.typ.scalar().scalarBits(), l.lay.words(in.typ.scalar())
	for i := range in.typ.lanes() {
		f := newInstr(op)
		f.Width, f.Dst = uint8(width), l.dst+ir.Reg(i*step)
		f.A, f.B, f.C = l.wide(args[0], i*step, width), l.wide(args[1], i*step, width), l.wide(args[2], i*step, width)
		l.emit(f)
	}
}

// overflowIntrinsic has the results of all lanes first, then the overflow bits.
func (l *lowerer) overflowIntrinsic(in *inst, _ string, op ir.Op, args []value) {
	t := args[0].typ
	l.wantInt(in, op, t)
	if in.typ.kind != kStruct || len(in.typ.fields) != 2 || !sameType(in.typ.fields[0], t) || l.lay.words(in.typ.fields[1]) != t.lanes() {
		l.fail(in.pos, "'%s' of type '%s'", l.what, in.typ)
	}
	if !l.sized(in, t, args[:2]) {
		return
	}
	width, step := t.scalar().scalarBits(), l.lay.words(t.scalar())
	flags := l.dst + ir.Reg(l.lay.words(t))
	for i := range t.lanes() {
		o := newInstr(op)
		o.Width, o.Dst, o.Dst2 = uint8(width), l.dst+ir.Reg(i*step), flags+ir.Reg(i)
		o.A, o.B = l.wide(args[0], i*step, width), l.wide(args[1], i*step, width)
		l.emit(o)
	}
}

func (l *lowerer) reduceIntrinsic(in *inst, _ string, op ir.Op, args []value) {
	v := args[0]
	if v.typ.kind != kVector || !sameType(v.typ.elem, in.typ) || in.typ.kind != kInt {
		l.fail(in.pos, "'%s' of type '%s'", l.what, v.typ)
	}
	if l.tooWide(l.what, in.typ) {
		return
	}
	width, step := in.typ.bits, l.lay.words(in.typ)
	for w := range step {
		l.copy(l.dst+ir.Reg(w), l.operand(v, w))
	}
	for i := 1; i < v.typ.lanes(); i++ {
		l.bin(op, width, l.dst, ir.R(l.dst), l.wide(v, i*step, width))
	}
}

func (l *lowerer) floatReduce(in *inst, op ir.Op, args []value) {
	v := args[1]
	if v.typ.kind != kVector || !sameType(v.typ.elem, in.typ) || !sameType(in.typ, args[0].typ) || !in.typ.isFloat() {
		l.fail(in.pos, "'%s' of type '%s'", l.what, v.typ)
	}
	if l.tooWide(l.what, in.typ) {
		return
	}
	l.copy(l.dst, l.operand(args[0], 0))
	for i := range v.typ.lanes() {
		l.bin(op, in.typ.scalarBits(), l.dst, ir.R(l.dst), l.operand(v, i))
	}
}

// lanesIntrinsic lowers intrinsics that are a few instructions for each lane.
func (l *lowerer) lanesIntrinsic(in *inst, base string, args []value) {
	t := args[0].typ
	want := t.scalar().isFloat()
	switch base {
	case "ptrmask":
		want = t.scalar().kind == kPtr && args[1].typ.scalar().kind == kInt && args[1].typ.scalar().bits == l.lay.ptrBits() && args[1].typ.lanes() == t.lanes()
	case "scmp", "ucmp":
		want = t.scalar().kind == kInt && sameType(t, args[1].typ) && in.typ.scalar().kind == kInt
	default:
		want = want && l.sized(in, in.typ, args)
	}
	if l.dead {
		return
	}
	if !want || in.typ.lanes() != t.lanes() {
		l.fail(in.pos, "'%s' with an argument of type '%s'", l.what, t)
	}
	if l.tooWide(l.what, in.typ) || l.tooWide(l.what, t) {
		return
	}
	width := t.scalar().scalarBits()
	as, ds := l.lay.words(t.scalar()), l.lay.words(in.typ.scalar())
	for i := range t.lanes() {
		dst := l.dst + ir.Reg(i*ds)
		a, b := l.wide(args[0], i*as, width), l.wide(args[1], i*as, width)
		switch base {
		case "ptrmask":
			l.bin(ir.And, 64, dst, a, b)
		case "fmuladd":
			l.bin(ir.FMul, width, dst, a, b)
			l.bin(ir.FAdd, width, dst, ir.R(dst), l.operand(args[2], i))
		case "copysign":
			sign := uint64(1) << (width - 1)
			l.bin(ir.And, width, dst, a, ir.Imm(sign-1))
			l.bin(ir.Or, width, dst, ir.R(dst), l.tempBin(ir.And, b, sign))
		case "scmp", "ucmp":
			l.threeWay(in.typ.scalar().bits, base == "scmp", width, dst, a, b)
		default:
			l.floatMinMax(base, width, dst, a, b)
		}
	}
}

// threeWay computes (a > b) - (a < b) in to bits.
func (l *lowerer) threeWay(to int, signed bool, width int, dst ir.Reg, a, b ir.Operand) {
	less, more := ir.ULT, ir.UGT
	if signed {
		less, more = ir.SLT, ir.SGT
	}
	lt, gt := l.temp(1), l.temp(1)
	l.cmp(ir.Cmp, less, width, lt, a, b)
	l.cmp(ir.Cmp, more, width, gt, a, b)
	if to > 64 {
		l.unsupported(l.what)
		return
	}
	l.bin(ir.Sub, to, dst, ir.R(gt), ir.R(lt))
}

// floatMinMax does minnum and maxnum, which prefer a number to a NaN, and minimum and
// maximum, which prefer the NaN.
func (l *lowerer) floatMinMax(base string, width int, dst ir.Reg, a, b ir.Operand) {
	pred := ir.FOLT
	if strings.HasPrefix(base, "max") {
		pred = ir.FOGT
	}
	c := l.temp(1)
	l.cmp(ir.FCmp, pred, width, c, a, b)
	l.sel(width, dst, ir.R(c), a, b)
	if base == "minimum" || base == "maximum" {
		l.cmp(ir.FCmp, ir.FUNO, width, c, a, b)
		nan := l.temp(1)
		l.bin(ir.FAdd, width, nan, a, b)
		l.sel(width, dst, ir.R(c), ir.R(nan), ir.R(dst))
		return
	}
	l.cmp(ir.FCmp, ir.FUNO, width, c, b, b)
	l.sel(width, dst, ir.R(c), a, ir.R(dst))
}

// satConvert converts a float to an integer, clamping what does not fit; NaN becomes 0.
func (l *lowerer) satConvert(in *inst, signed bool, v value) {
	from, to := v.typ.scalar(), in.typ.scalar()
	if !from.isFloat() || to.kind != kInt || v.typ.lanes() != in.typ.lanes() {
		l.fail(in.pos, "'%s' of type '%s'", l.what, v.typ)
	}
	if l.tooWide(l.what, v.typ) || l.tooWide(l.what, in.typ) {
		return
	}
	if to.bits > 64 {
		l.unsupported(l.what)
		return
	}
	op, lo, hi := ir.FPToUI, new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(to.bits))
	if signed {
		op = ir.FPToSI
		hi.Lsh(big.NewInt(1), uint(to.bits-1))
		lo.Neg(hi)
	}
	width := from.scalarBits()
	for i := range v.typ.lanes() {
		a, dst, c := l.operand(v, i), l.dst+ir.Reg(i), l.temp(1)
		l.cast(op, width, to.bits, dst, a)
		top := new(big.Int).Sub(hi, big.NewInt(1))
		l.cmp(ir.FCmp, ir.FOGE, width, c, a, floatImm(hi, width))
		l.sel(to.bits, dst, ir.R(c), ir.Imm(bigWords(top, to.bits)[0]), ir.R(dst))
		l.cmp(ir.FCmp, ir.FOLT, width, c, a, floatImm(lo, width))
		l.sel(to.bits, dst, ir.R(c), ir.Imm(bigWords(lo, to.bits)[0]), ir.R(dst))
		l.cmp(ir.FCmp, ir.FUNO, width, c, a, a)
		l.sel(to.bits, dst, ir.R(c), ir.Imm(0), ir.R(dst))
	}
}

// floatImm returns a power of two, its negative or 0 as float or double.
func floatImm(v *big.Int, width int) ir.Operand {
	f, _ := new(big.Float).SetInt(v).Float64()
	if width == 32 {
		return ir.Imm(uint64(math.Float32bits(float32(f))))
	}
	return ir.Imm(math.Float64bits(f))
}
