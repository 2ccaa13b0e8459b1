package arith

import (
	"fmt"
	"math"
	"math/bits"

	"ravel/internal/event"
	"ravel/internal/ir"
)

type pair = event.Value

// misusePair is misuse where an operand or the result has more than 64 bits.
func misusePair(in *ir.Instr, a, b pair) string {
	w := in.Width
	bad := false
	switch in.Op {
	case ir.Shl, ir.LShr, ir.AShr:
		if bad = b.Hi != 0 || b.Lo >= uint64(w); bad && in.Check&ir.InRange != 0 {
			return fmt.Sprintf("shift of a number of %d bits by that many or more", w)
		}
		r := ShiftPair(ir.Shl, a, b, w)
		bad = in.Op == ir.Shl && !bad && (in.Check&ir.NSW != 0 && ShiftPair(ir.AShr, r, b, w) != a || in.Check&ir.NUW != 0 && ShiftPair(ir.LShr, r, b, w) != a)
	case ir.Ctlz, ir.Cttz:
		if a == (pair{}) {
			return zeroFault
		}
	case ir.Abs:
		bad = negative(a, w) && Clip(negate(a), w) == a
	case ir.Add, ir.Sub, ir.Mul:
		for check, ops := range map[ir.Checks]map[ir.Op]ir.Op{ir.NSW: signedOverflow, ir.NUW: unsignedOverflow} {
			if in.Check&check != 0 {
				_, over := overflowPair(ops[in.Op], a, b, w)
				bad = bad || over
			}
		}
	}
	if bad {
		return fmt.Sprintf("overflow: the result of %s does not fit in %d bits", in.Op, w)
	}
	return ""
}

// EvalWide is Eval where an operand or the result has more than 64 bits.
func EvalWide(in *ir.Instr, a, b, c pair) (r pair, r2 uint64, fault string) {
	w := in.Width
	clip := func(v pair) pair { return Clip(v, w) }
	if in.Check != 0 {
		if fault := misusePair(in, a, b); fault != "" {
			return pair{}, 0, fault
		}
	}
	switch in.Op {
	case ir.Copy, ir.ZExt:
		return a, 0, ""
	case ir.Trunc:
		return Clip(a, in.To), 0, ""
	case ir.SExt:
		return Clip(Extend(a, w), in.To), 0, ""
	case ir.Add, ir.Sub, ir.And, ir.Or, ir.Xor, ir.UMax, ir.UMin:
		op := map[ir.Op]event.RMWOp{
			ir.Add: event.Add, ir.Sub: event.Sub, ir.And: event.And, ir.Or: event.Or, ir.Xor: event.Xor,
			ir.UMax: event.UMax, ir.UMin: event.UMin,
		}[in.Op]
		return clip(op.Apply(a, b, 16)), 0, ""
	case ir.SMax, ir.SMin:
		less := comparePair(ir.SLT, a, b, w)
		if less == (in.Op == ir.SMin) {
			return a, 0, ""
		}
		return b, 0, ""
	case ir.Mul:
		return clip(mulPair(a, b)), 0, ""
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		return dividePair(in.Op, a, b, w)
	case ir.Shl, ir.LShr, ir.AShr:
		return ShiftPair(in.Op, a, b, w), 0, ""
	case ir.Cmp:
		return pair{Lo: Truth(comparePair(in.Pred, a, b, w))}, 0, ""
	case ir.Select:
		if a.Lo != 0 {
			return b, 0, ""
		}
		return c, 0, ""
	case ir.Ctpop:
		return pair{Lo: uint64(bits.OnesCount64(a.Lo) + bits.OnesCount64(a.Hi))}, 0, ""
	case ir.Ctlz:
		return pair{Lo: uint64(int(w) - lenPair(a))}, 0, ""
	case ir.Cttz:
		n := bits.TrailingZeros64(a.Lo)
		if a.Lo == 0 {
			n = 64 + bits.TrailingZeros64(a.Hi)
		}
		return pair{Lo: uint64(min(n, int(w)))}, 0, ""
	case ir.BSwap:
		return ShiftPair(ir.LShr, pair{Lo: bits.ReverseBytes64(a.Hi), Hi: bits.ReverseBytes64(a.Lo)}, pair{Lo: uint64(128 - w)}, 128), 0, ""
	case ir.BitReverse:
		return ShiftPair(ir.LShr, pair{Lo: bits.Reverse64(a.Hi), Hi: bits.Reverse64(a.Lo)}, pair{Lo: uint64(128 - w)}, 128), 0, ""
	case ir.Abs:
		if negative(a, w) {
			a = clip(negate(a))
		}
		return a, 0, ""
	case ir.FShl, ir.FShr:
		return funnelPair(in.Op, a, b, c, w), 0, ""
	case ir.UAddO, ir.SAddO, ir.USubO, ir.SSubO, ir.UMulO, ir.SMulO:
		r, over := overflowPair(in.Op, a, b, w)
		return r, Truth(over), ""
	case ir.UAddSat, ir.SAddSat, ir.USubSat, ir.SSubSat:
		return saturatePair(in.Op, a, b, w), 0, ""
	case ir.FPToUI, ir.FPToSI:
		return floatToPair(in, toFloat(a.Lo, w)), 0, ""
	case ir.UIToFP, ir.SIToFP:
		return pair{Lo: FromFloat(pairToFloat(in, a), in.To)}, 0, ""
	}
	return r, 0, "128-bit " + in.Op.String() + " is not supported"
}

func Clip(v pair, w uint8) pair {
	if w <= 64 {
		return pair{Lo: v.Lo & Mask(w)}
	}
	return pair{Lo: v.Lo, Hi: v.Hi & Mask(w-64)}
}

func negative(v pair, w uint8) bool {
	if w <= 64 {
		return v.Lo>>(w-1)&1 != 0
	}
	return v.Hi>>(w-65)&1 != 0
}

// Extend sign-extends the low w bits to 128.
func Extend(v pair, w uint8) pair {
	if w <= 64 {
		lo := Signed(v.Lo, w)
		return pair{Lo: uint64(lo), Hi: uint64(lo >> 63)}
	}
	return pair{Lo: v.Lo, Hi: uint64(Signed(v.Hi, w-64))}
}

func negate(v pair) pair { return event.Sub.Apply(pair{}, v, 16) }

func lenPair(v pair) int {
	if v.Hi != 0 {
		return 64 + bits.Len64(v.Hi)
	}
	return bits.Len64(v.Lo)
}

func comparePair(p ir.Pred, a, b pair, w uint8) bool {
	if p >= ir.SLT { // flip the sign bits: the signed order becomes the unsigned one
		a, b = Extend(a, w), Extend(b, w)
		a.Hi ^= 1 << 63
		b.Hi ^= 1 << 63
		p = p - ir.SLT + ir.ULT
	}
	less := a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo
	switch p {
	case ir.EQ:
		return a == b
	case ir.NE:
		return a != b
	case ir.ULT:
		return less
	case ir.ULE:
		return less || a == b
	case ir.UGT:
		return !less && a != b
	}
	return !less
}

func mulPair(a, b pair) pair {
	hi, lo := bits.Mul64(a.Lo, b.Lo)
	return pair{Lo: lo, Hi: hi + a.Lo*b.Hi + a.Hi*b.Lo}
}

func ShiftPair(op ir.Op, a, b pair, w uint8) pair {
	n := uint64(255)
	if b.Hi == 0 && b.Lo < 255 {
		n = b.Lo
	}
	switch {
	case op == ir.AShr:
		a = Extend(a, w)
		if n >= 64 {
			a = pair{Lo: uint64(int64(a.Hi) >> min(n-64, 63)), Hi: uint64(int64(a.Hi) >> 63)}
		} else if n > 0 {
			a = pair{Lo: a.Lo>>n | a.Hi<<(64-n), Hi: uint64(int64(a.Hi) >> n)}
		}
	case n >= uint64(w):
		return pair{}
	case op == ir.Shl:
		if n >= 64 {
			a = pair{Hi: a.Lo << (n - 64)}
		} else {
			a = pair{Lo: a.Lo << n, Hi: a.Hi<<n | a.Lo>>(64-n)}
		}
	default:
		if n >= 64 {
			a = pair{Lo: a.Hi >> (n - 64)}
		} else {
			a = pair{Lo: a.Lo>>n | a.Hi<<(64-n), Hi: a.Hi >> n}
		}
	}
	return Clip(a, w)
}

func funnelPair(op ir.Op, a, b, c pair, w uint8) pair {
	_, rem := divmodPair(c, pair{Lo: uint64(w)})
	n := rem.Lo
	if op == ir.FShr {
		if n == 0 {
			return b
		}
		n = uint64(w) - n
	} else if n == 0 {
		return a
	}
	return event.Or.Apply(ShiftPair(ir.Shl, a, pair{Lo: n}, w), ShiftPair(ir.LShr, b, pair{Lo: uint64(w) - n}, w), 16)
}

// divmodPair divides by shifting and subtracting: 128-bit divisions are rare.
func divmodPair(a, b pair) (q, r pair) {
	if a.Hi == 0 && b.Hi == 0 {
		return pair{Lo: a.Lo / b.Lo}, pair{Lo: a.Lo % b.Lo}
	}
	for i := lenPair(a) - 1; i >= 0; i-- {
		top := r.Hi >> 63
		r = ShiftPair(ir.Shl, r, pair{Lo: 1}, 128)
		r.Lo |= ShiftPair(ir.LShr, a, pair{Lo: uint64(i)}, 128).Lo & 1
		q = ShiftPair(ir.Shl, q, pair{Lo: 1}, 128)
		if top != 0 || comparePair(ir.UGE, r, b, 128) {
			r = event.Sub.Apply(r, b, 16)
			q.Lo |= 1
		}
	}
	return q, r
}

func dividePair(op ir.Op, a, b pair, w uint8) (pair, uint64, string) {
	if b == (pair{}) {
		return pair{}, 0, "division by zero"
	}
	if op == ir.UDiv || op == ir.URem {
		q, r := divmodPair(a, b)
		if op == ir.UDiv {
			return q, 0, ""
		}
		return r, 0, ""
	}
	na, nb := negative(a, w), negative(b, w)
	x, y := Extend(a, w), Extend(b, w)
	if na {
		x = negate(x)
	}
	if nb {
		y = negate(y)
	}
	q, r := divmodPair(x, y)
	if na == nb && negative(q, w) {
		return pair{}, 0, "signed division overflows"
	}
	if na != nb {
		q = negate(q)
	}
	if na {
		r = negate(r)
	}
	if op == ir.SDiv {
		return Clip(q, w), 0, ""
	}
	return Clip(r, w), 0, ""
}

func overflowPair(op ir.Op, a, b pair, w uint8) (r pair, over bool) {
	na, nb := negative(a, w), negative(b, w)
	switch op {
	case ir.UAddO:
		r = Clip(event.Add.Apply(a, b, 16), w)
		return r, comparePair(ir.ULT, r, a, 128)
	case ir.USubO:
		return Clip(event.Sub.Apply(a, b, 16), w), comparePair(ir.ULT, a, b, 128)
	case ir.SAddO:
		r = Clip(event.Add.Apply(a, b, 16), w)
		return r, na == nb && negative(r, w) != na
	case ir.SSubO:
		r = Clip(event.Sub.Apply(a, b, 16), w)
		return r, na != nb && negative(r, w) != na
	case ir.UMulO:
		r = Clip(mulPair(a, b), w)
		if a == (pair{}) {
			return r, false
		}
		q, _ := divmodPair(r, a)
		return r, q != b
	default:
		r = Clip(mulPair(a, b), w)
		if a == (pair{}) || b == (pair{}) {
			return r, false
		}
		q, _, fault := dividePair(ir.SDiv, r, a, w)
		return r, fault != "" || q != b || negative(r, w) != (na != nb)
	}
}

func saturatePair(op ir.Op, a, b pair, w uint8) pair {
	of := map[ir.Op]ir.Op{ir.UAddSat: ir.UAddO, ir.SAddSat: ir.SAddO, ir.USubSat: ir.USubO, ir.SSubSat: ir.SSubO}[op]
	r, over := overflowPair(of, a, b, w)
	ones := pair{Lo: ^uint64(0), Hi: ^uint64(0)}
	switch {
	case !over:
		return r
	case op == ir.UAddSat:
		return Clip(ones, w)
	case op == ir.USubSat:
		return pair{}
	case negative(a, w):
		return ShiftPair(ir.Shl, pair{Lo: 1}, pair{Lo: uint64(w - 1)}, 128)
	}
	return Clip(ones, w-1)
}

func floatToPair(in *ir.Instr, x float64) pair {
	x = math.Trunc(x)
	top := int(in.To)
	if in.Op == ir.FPToSI {
		top--
	}
	neg := x < 0
	switch {
	case math.IsNaN(x), neg && in.Op == ir.FPToUI:
		return pair{}
	case x >= math.Ldexp(1, top):
		return Clip(pair{Lo: ^uint64(0), Hi: ^uint64(0)}, uint8(top))
	case neg && x < -math.Ldexp(1, top):
		x = -math.Ldexp(1, top)
	}
	x = math.Abs(x)
	hi := math.Floor(math.Ldexp(x, -64))
	v := pair{Lo: uint64(x - math.Ldexp(hi, 64)), Hi: uint64(hi)}
	if neg {
		v = negate(v)
	}
	return Clip(v, in.To)
}

func pairToFloat(in *ir.Instr, v pair) float64 {
	neg := in.Op == ir.SIToFP && negative(v, in.Width)
	if neg {
		v = negate(Extend(v, in.Width))
	}
	x := math.Ldexp(float64(v.Hi), 64) + float64(v.Lo)
	if neg {
		x = -x
	}
	return x
}
