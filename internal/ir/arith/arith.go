// Package arith is the one definition of the ir's arithmetic. The machine, its passes and the front ends compute by it.
// (The interpreter of the machine repeats the commonest operations, for speed.)
//
// Eval computes on words, EvalWide on pairs of words, where an operand or the result has more than 64 bits.
package arith

import (
	"fmt"
	"math"
	"math/bits"

	"ravel/internal/ir"
)

// Eval computes an instruction on words. r2 is the second result; fault is not empty if the operation is an error.
func Eval(in *ir.Instr, a, b, c uint64) (r, r2 uint64, fault string) {
	w := in.Width
	m := Mask(w)
	if in.Check != 0 {
		if fault := misuse(in, a, b); fault != "" {
			return 0, 0, fault
		}
	}
	switch in.Op {
	case ir.Copy, ir.ZExt, ir.Freeze:
		return a, 0, ""
	case ir.Add:
		return (a + b) & m, 0, ""
	case ir.Sub:
		return (a - b) & m, 0, ""
	case ir.Mul:
		return (a * b) & m, 0, ""
	case ir.UDiv, ir.SDiv, ir.URem, ir.SRem:
		return divide(in.Op, a, b, w)
	case ir.Shl, ir.LShr, ir.AShr:
		return Shift(in.Op, a, b, w), 0, ""
	case ir.And:
		return a & b, 0, ""
	case ir.Or:
		return a | b, 0, ""
	case ir.Xor:
		return a ^ b, 0, ""
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FNeg, ir.FAbs, ir.FSqrt:
		return float(in.Op, a, b, w), 0, ""
	case ir.Cmp:
		return Truth(Compare(in.Pred, a, b, w)), 0, ""
	case ir.FCmp:
		return Truth(compareFloat(in.Pred, toFloat(a, w), toFloat(b, w))), 0, ""
	case ir.Trunc:
		return a & Mask(in.To), 0, ""
	case ir.SExt:
		return uint64(Signed(a, w)) & Mask(in.To), 0, ""
	case ir.FPToUI, ir.FPToSI, ir.UIToFP, ir.SIToFP, ir.FPTrunc, ir.FPExt:
		return convert(in, a), 0, ""
	case ir.Select:
		if a != 0 {
			return b, 0, ""
		}
		return c, 0, ""
	case ir.Ctpop:
		return uint64(bits.OnesCount64(a)), 0, ""
	case ir.Ctlz:
		return uint64(bits.LeadingZeros64(a)) - 64 + uint64(w), 0, ""
	case ir.Cttz:
		return min(uint64(bits.TrailingZeros64(a)), uint64(w)), 0, ""
	case ir.BSwap:
		return bits.ReverseBytes64(a) >> (64 - w), 0, ""
	case ir.BitReverse:
		return bits.Reverse64(a) >> (64 - w), 0, ""
	case ir.Abs:
		if Signed(a, w) < 0 {
			a = -a
		}
		return a & m, 0, ""
	case ir.SMin, ir.SMax, ir.UMin, ir.UMax:
		if less := Compare(ir.SLT, a, b, w); in.Op == ir.SMin && less || in.Op == ir.SMax && !less {
			return a, 0, ""
		}
		if less := a < b; in.Op == ir.UMin && less || in.Op == ir.UMax && !less {
			return a, 0, ""
		}
		return b, 0, ""
	case ir.FShl, ir.FShr:
		return Funnel(in.Op, a, b, c, w), 0, ""
	case ir.UAddO, ir.SAddO, ir.USubO, ir.SSubO, ir.UMulO, ir.SMulO:
		r, over := overflow(in.Op, a, b, w)
		return r, Truth(over), ""
	case ir.UAddSat, ir.SAddSat, ir.USubSat, ir.SSubSat:
		return saturate(in.Op, a, b, w), 0, ""
	case ir.Gep:
		return a + b*uint64(in.Scale) + uint64(in.Off), 0, ""
	}
	return 0, 0, "no such operation: " + in.Op.String()
}

// misuse says what Check finds wrong with an operation; "" if nothing.
func misuse(in *ir.Instr, a, b uint64) string {
	w := in.Width
	switch in.Op {
	case ir.Shl, ir.LShr, ir.AShr:
		if b >= uint64(w) && in.Check&ir.InRange != 0 {
			return ShiftFault(b, w)
		}
		if r := a << b & Mask(w); in.Op != ir.Shl || b >= uint64(w) || !(in.Check&ir.NSW != 0 && Signed(r, w)>>b != Signed(a, w) || in.Check&ir.NUW != 0 && r>>b != a) {
			return ""
		}
	case ir.Ctlz, ir.Cttz:
		if a == 0 {
			return zeroFault
		}
		return ""
	case ir.Abs:
		if a != 1<<(w-1) {
			return ""
		}
		return fmt.Sprintf("overflow: the absolute value of %d does not fit in %d bits", Signed(a, w), w)
	case ir.Add, ir.Sub, ir.Mul:
		s, u := false, false
		if in.Check&ir.NSW != 0 {
			_, s = overflow(signedOverflow[in.Op], a, b, w)
		}
		if in.Check&ir.NUW != 0 {
			_, u = overflow(unsignedOverflow[in.Op], a, b, w)
		}
		if !s && !u {
			return ""
		}
	default:
		return ""
	}
	if in.Check&ir.NSW == 0 {
		return fmt.Sprintf("overflow: %d %s %d does not fit in %d bits", a, symbols[in.Op], b, w)
	}
	return fmt.Sprintf("signed overflow: %d %s %d does not fit in %d bits", Signed(a, w), symbols[in.Op], Signed(b, w), w)
}

var (
	signedOverflow   = map[ir.Op]ir.Op{ir.Add: ir.SAddO, ir.Sub: ir.SSubO, ir.Mul: ir.SMulO}
	unsignedOverflow = map[ir.Op]ir.Op{ir.Add: ir.UAddO, ir.Sub: ir.USubO, ir.Mul: ir.UMulO}
	symbols          = map[ir.Op]string{ir.Add: "+", ir.Sub: "-", ir.Mul: "*", ir.Shl: "<<"}
)

const zeroFault = "the number of leading or trailing zeros of 0 is undefined"

// ShiftFault says what is wrong with a shift by n bits.
func ShiftFault(n uint64, w uint8) string {
	if s := Signed(n, w); s < 0 {
		return fmt.Sprintf("shift by %d bits, a negative number", s)
	}
	return fmt.Sprintf("shift of a number of %d bits by %d", w, n)
}

func Truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Signed sign-extends the low w bits of a.
func Signed(a uint64, w uint8) int64 {
	s := 64 - w
	return int64(a<<s) >> s
}

func divide(op ir.Op, a, b uint64, w uint8) (r, r2 uint64, fault string) {
	if b == 0 {
		return 0, 0, "division by zero"
	}
	switch op {
	case ir.UDiv:
		return a / b, 0, ""
	case ir.URem:
		return a % b, 0, ""
	}
	x, y := Signed(a, w), Signed(b, w)
	if y == -1 && x == Signed(1<<(w-1), w) {
		return 0, 0, "signed division overflows"
	}
	if op == ir.SDiv {
		return uint64(x/y) & Mask(w), 0, ""
	}
	return uint64(x%y) & Mask(w), 0, ""
}

// Shift by the width or more leaves nothing but the sign.
func Shift(op ir.Op, a, b uint64, w uint8) uint64 {
	switch {
	case op == ir.AShr:
		return uint64(Signed(a, w)>>min(b, 63)) & Mask(w)
	case b >= uint64(w):
		return 0
	case op == ir.Shl:
		return a << b & Mask(w)
	}
	return a >> b
}

func Funnel(op ir.Op, a, b, c uint64, w uint8) uint64 {
	n := c % uint64(w)
	if op == ir.FShr {
		if n == 0 {
			return b
		}
		n = uint64(w) - n
	} else if n == 0 {
		return a
	}
	return (a<<n | b>>(uint64(w)-n)) & Mask(w)
}

func overflow(op ir.Op, a, b uint64, w uint8) (r uint64, over bool) {
	m := Mask(w)
	x, y := Signed(a, w), Signed(b, w)
	switch op {
	case ir.UAddO:
		r = (a + b) & m
		return r, r < a
	case ir.USubO:
		return (a - b) & m, a < b
	case ir.UMulO:
		hi, lo := bits.Mul64(a, b)
		return lo & m, hi != 0 || lo > m
	case ir.SAddO:
		r = (a + b) & m
		z := Signed(r, w)
		return r, x >= 0 == (y >= 0) && z >= 0 != (x >= 0)
	case ir.SSubO:
		r = (a - b) & m
		z := Signed(r, w)
		return r, x >= 0 != (y >= 0) && z >= 0 != (x >= 0)
	default:
		hi, lo := bits.Mul64(uint64(x), uint64(y)) // unsigned; correct it to the signed product
		if x < 0 {
			hi -= uint64(y)
		}
		if y < 0 {
			hi -= uint64(x)
		}
		r = lo & m
		fits := Signed(r, w)
		return r, int64(lo) != fits || int64(hi) != fits>>63
	}
}

func saturate(op ir.Op, a, b uint64, w uint8) uint64 {
	of := map[ir.Op]ir.Op{ir.UAddSat: ir.UAddO, ir.SAddSat: ir.SAddO, ir.USubSat: ir.USubO, ir.SSubSat: ir.SSubO}[op]
	r, over := overflow(of, a, b, w)
	switch {
	case !over:
		return r
	case op == ir.UAddSat:
		return Mask(w)
	case op == ir.USubSat:
		return 0
	case Signed(a, w) < 0: // the sum of two negative numbers, or a negative minus a positive one
		return 1 << (w - 1)
	}
	return Mask(w - 1)
}

func Compare(p ir.Pred, a, b uint64, w uint8) bool {
	x, y := Signed(a, w), Signed(b, w)
	switch p {
	case ir.EQ:
		return a == b
	case ir.NE:
		return a != b
	case ir.ULT:
		return a < b
	case ir.ULE:
		return a <= b
	case ir.UGT:
		return a > b
	case ir.UGE:
		return a >= b
	case ir.SLT:
		return x < y
	case ir.SLE:
		return x <= y
	case ir.SGT:
		return x > y
	}
	return x >= y
}

func toFloat(a uint64, w uint8) float64 {
	if w == 32 {
		return float64(math.Float32frombits(uint32(a)))
	}
	return math.Float64frombits(a)
}

func FromFloat(x float64, w uint8) uint64 {
	if w == 32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func float(op ir.Op, a, b uint64, w uint8) uint64 {
	x, y := toFloat(a, w), toFloat(b, w)
	switch op {
	case ir.FAdd:
		x += y
	case ir.FSub:
		x -= y
	case ir.FMul:
		x *= y
	case ir.FDiv:
		x /= y
	case ir.FRem:
		x = math.Mod(x, y)
	case ir.FNeg:
		return a ^ 1<<(w-1)
	case ir.FAbs:
		return a &^ (1 << (w - 1))
	case ir.FSqrt:
		x = math.Sqrt(x)
	}
	// A float32 operation computed in float64 and rounded once more is exact: 53 ≥ 2·24+2.
	return FromFloat(x, w)
}

func compareFloat(p ir.Pred, x, y float64) bool {
	nan := math.IsNaN(x) || math.IsNaN(y)
	switch p {
	case ir.FFalse:
		return false
	case ir.FOEQ:
		return x == y
	case ir.FOGT:
		return x > y
	case ir.FOGE:
		return x >= y
	case ir.FOLT:
		return x < y
	case ir.FOLE:
		return x <= y
	case ir.FONE:
		return !nan && x != y
	case ir.FORD:
		return !nan
	case ir.FUNO:
		return nan
	case ir.FUEQ:
		return nan || x == y
	case ir.FUGT:
		return nan || x > y
	case ir.FUGE:
		return nan || x >= y
	case ir.FULT:
		return nan || x < y
	case ir.FULE:
		return nan || x <= y
	case ir.FUNE:
		return nan || x != y
	}
	return true
}

// convert between integers and floats. Out of range, an integer is the nearest that there is and
// that of NaN is 0, as in Rust; elsewhere such a result has no meaning.
func convert(in *ir.Instr, a uint64) uint64 {
	switch in.Op {
	case ir.FPToUI:
		x := math.Trunc(toFloat(a, in.Width))
		switch {
		case !(x > 0):
			return 0
		case x >= math.Ldexp(1, int(in.To)):
			return Mask(in.To)
		}
		return uint64(x)
	case ir.FPToSI:
		x := math.Trunc(toFloat(a, in.Width))
		limit := math.Ldexp(1, int(in.To)-1)
		switch {
		case math.IsNaN(x):
			return 0
		case x >= limit:
			return Mask(in.To - 1)
		case x < -limit:
			return 1 << (in.To - 1)
		}
		return uint64(int64(x)) & Mask(in.To)
	case ir.UIToFP:
		if in.To == 32 {
			return uint64(math.Float32bits(float32(a)))
		}
		return math.Float64bits(float64(a))
	case ir.SIToFP:
		if in.To == 32 {
			return uint64(math.Float32bits(float32(Signed(a, in.Width))))
		}
		return math.Float64bits(float64(Signed(a, in.Width)))
	}
	return FromFloat(toFloat(a, in.Width), in.To)
}

// Mask has the low width bits set.
func Mask(width uint8) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}
