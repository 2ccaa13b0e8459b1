package machine

import (
	"fmt"
	"math"
	"math/bits"

	"ravel/internal/ir"
)

// eval computes an instruction on words: the one definition of what the ir's arithmetic means.
// (The interpreter repeats the commonest operations, for speed.) r2 is the second result;
// fault is not empty if the operation is an error.
func eval(in *ir.Instr, a, b, c uint64) (r, r2 uint64, fault string) {
	w := in.Width
	m := mask(w)
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
		return shift(in.Op, a, b, w), 0, ""
	case ir.And:
		return a & b, 0, ""
	case ir.Or:
		return a | b, 0, ""
	case ir.Xor:
		return a ^ b, 0, ""
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FNeg, ir.FAbs, ir.FSqrt:
		return float(in.Op, a, b, w), 0, ""
	case ir.Cmp:
		return truth(compare(in.Pred, a, b, w)), 0, ""
	case ir.FCmp:
		return truth(compareFloat(in.Pred, toFloat(a, w), toFloat(b, w))), 0, ""
	case ir.Trunc:
		return a & mask(in.To), 0, ""
	case ir.SExt:
		return uint64(signed(a, w)) & mask(in.To), 0, ""
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
		if signed(a, w) < 0 {
			a = -a
		}
		return a & m, 0, ""
	case ir.SMin, ir.SMax, ir.UMin, ir.UMax:
		if less := compare(ir.SLT, a, b, w); in.Op == ir.SMin && less || in.Op == ir.SMax && !less {
			return a, 0, ""
		}
		if less := a < b; in.Op == ir.UMin && less || in.Op == ir.UMax && !less {
			return a, 0, ""
		}
		return b, 0, ""
	case ir.FShl, ir.FShr:
		return funnel(in.Op, a, b, c, w), 0, ""
	case ir.UAddO, ir.SAddO, ir.USubO, ir.SSubO, ir.UMulO, ir.SMulO:
		r, over := overflow(in.Op, a, b, w)
		return r, truth(over), ""
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
			return shiftFault(b, w)
		}
		if r := a << b & mask(w); in.Op != ir.Shl || b >= uint64(w) || !(in.Check&ir.NSW != 0 && signed(r, w)>>b != signed(a, w) || in.Check&ir.NUW != 0 && r>>b != a) {
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
		return fmt.Sprintf("overflow: the absolute value of %d does not fit in %d bits", signed(a, w), w)
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
	return fmt.Sprintf("signed overflow: %d %s %d does not fit in %d bits", signed(a, w), symbols[in.Op], signed(b, w), w)
}

var (
	signedOverflow   = map[ir.Op]ir.Op{ir.Add: ir.SAddO, ir.Sub: ir.SSubO, ir.Mul: ir.SMulO}
	unsignedOverflow = map[ir.Op]ir.Op{ir.Add: ir.UAddO, ir.Sub: ir.USubO, ir.Mul: ir.UMulO}
	symbols          = map[ir.Op]string{ir.Add: "+", ir.Sub: "-", ir.Mul: "*", ir.Shl: "<<"}
)

const zeroFault = "the number of leading or trailing zeros of 0 is undefined"

// shiftFault says what is wrong with a shift by n bits.
func shiftFault(n uint64, w uint8) string {
	if s := signed(n, w); s < 0 {
		return fmt.Sprintf("shift by %d bits, a negative number", s)
	}
	return fmt.Sprintf("shift of a number of %d bits by %d", w, n)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// signed sign-extends the low w bits of a.
func signed(a uint64, w uint8) int64 {
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
	x, y := signed(a, w), signed(b, w)
	if y == -1 && x == signed(1<<(w-1), w) {
		return 0, 0, "signed division overflows"
	}
	if op == ir.SDiv {
		return uint64(x/y) & mask(w), 0, ""
	}
	return uint64(x%y) & mask(w), 0, ""
}

// shift by the width or more leaves nothing but the sign.
func shift(op ir.Op, a, b uint64, w uint8) uint64 {
	switch {
	case op == ir.AShr:
		return uint64(signed(a, w)>>min(b, 63)) & mask(w)
	case b >= uint64(w):
		return 0
	case op == ir.Shl:
		return a << b & mask(w)
	}
	return a >> b
}

func funnel(op ir.Op, a, b, c uint64, w uint8) uint64 {
	n := c % uint64(w)
	if op == ir.FShr {
		if n == 0 {
			return b
		}
		n = uint64(w) - n
	} else if n == 0 {
		return a
	}
	return (a<<n | b>>(uint64(w)-n)) & mask(w)
}

func overflow(op ir.Op, a, b uint64, w uint8) (r uint64, over bool) {
	m := mask(w)
	x, y := signed(a, w), signed(b, w)
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
		z := signed(r, w)
		return r, x >= 0 == (y >= 0) && z >= 0 != (x >= 0)
	case ir.SSubO:
		r = (a - b) & m
		z := signed(r, w)
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
		fits := signed(r, w)
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
		return mask(w)
	case op == ir.USubSat:
		return 0
	case signed(a, w) < 0: // the sum of two negative numbers, or a negative minus a positive one
		return 1 << (w - 1)
	}
	return mask(w - 1)
}

func compare(p ir.Pred, a, b uint64, w uint8) bool {
	x, y := signed(a, w), signed(b, w)
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

func fromFloat(x float64, w uint8) uint64 {
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
	return fromFloat(x, w)
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
			return mask(in.To)
		}
		return uint64(x)
	case ir.FPToSI:
		x := math.Trunc(toFloat(a, in.Width))
		limit := math.Ldexp(1, int(in.To)-1)
		switch {
		case math.IsNaN(x):
			return 0
		case x >= limit:
			return mask(in.To - 1)
		case x < -limit:
			return 1 << (in.To - 1)
		}
		return uint64(int64(x)) & mask(in.To)
	case ir.UIToFP:
		if in.To == 32 {
			return uint64(math.Float32bits(float32(a)))
		}
		return math.Float64bits(float64(a))
	case ir.SIToFP:
		if in.To == 32 {
			return uint64(math.Float32bits(float32(signed(a, in.Width))))
		}
		return math.Float64bits(float64(signed(a, in.Width)))
	}
	return fromFloat(toFloat(a, in.Width), in.To)
}
