package event

import (
	"math"
	"math/bits"
)

// Apply returns what the read-modify-write op writes when it reads old.
// Whether it writes at all is the caller's to ask (Succeeds).
func (op RMWOp) Apply(old, operand Value, size uint8) Value {
	if size == 16 {
		return op.apply128(old, operand)
	}
	a, b := old.Lo, operand.Lo
	shift := 64 - 8*size
	sa, sb := int64(a<<shift)>>shift, int64(b<<shift)>>shift
	var r uint64
	switch op {
	case Xchg, CAS:
		r = b
	case Add, AddUnless:
		r = a + b
	case Sub:
		r = a - b
	case And:
		r = a & b
	case Nand:
		r = ^(a & b)
	case Or:
		r = a | b
	case Xor:
		r = a ^ b
	case Max:
		r = uint64(max(sa, sb))
	case Min:
		r = uint64(min(sa, sb))
	case UMax:
		r = max(a, b)
	case UMin:
		r = min(a, b)
	case FAdd, FSub, FMax, FMin:
		r = op.applyFloat(a, b, size)
	case UIncWrap:
		if a < b {
			r = a + 1
		}
	case UDecWrap:
		r = a - 1
		if a == 0 || a > b {
			r = b
		}
	}
	return Value{r, undefined(op, old, operand)}.Mask(size)
}

// undefined returns which bits of what op writes are undefined.
func undefined(op RMWOp, old, operand Value) uint64 {
	switch {
	case op == Xchg || op == CAS:
		return operand.Hi
	case old.Hi|operand.Hi != 0:
		return ^uint64(0)
	}
	return 0
}

func (op RMWOp) applyFloat(a, b uint64, size uint8) uint64 {
	if size == 4 {
		return uint64(math.Float32bits(float32(op.float(
			float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b)))))))
	}
	return math.Float64bits(op.float(math.Float64frombits(a), math.Float64frombits(b)))
}

func (op RMWOp) float(a, b float64) float64 {
	switch op {
	case FAdd:
		return a + b
	case FSub:
		return a - b
	case FMax:
		if math.IsNaN(a) || b > a {
			return b
		}
		return a
	default:
		if math.IsNaN(a) || b < a {
			return b
		}
		return a
	}
}

func (op RMWOp) apply128(a, b Value) Value {
	less := a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo
	sless := int64(a.Hi) < int64(b.Hi) || a.Hi == b.Hi && a.Lo < b.Lo
	pick := func(first bool) Value {
		if first {
			return a
		}
		return b
	}
	switch op {
	case Add, AddUnless:
		lo, c := bits.Add64(a.Lo, b.Lo, 0)
		hi, _ := bits.Add64(a.Hi, b.Hi, c)
		return Value{lo, hi}
	case Sub:
		lo, c := bits.Sub64(a.Lo, b.Lo, 0)
		hi, _ := bits.Sub64(a.Hi, b.Hi, c)
		return Value{lo, hi}
	case And:
		return Value{a.Lo & b.Lo, a.Hi & b.Hi}
	case Nand:
		return Value{^(a.Lo & b.Lo), ^(a.Hi & b.Hi)}
	case Or:
		return Value{a.Lo | b.Lo, a.Hi | b.Hi}
	case Xor:
		return Value{a.Lo ^ b.Lo, a.Hi ^ b.Hi}
	case Max:
		return pick(!sless)
	case Min:
		return pick(sless)
	case UMax:
		return pick(!less)
	case UMin:
		return pick(less)
	default:
		return b
	}
}
