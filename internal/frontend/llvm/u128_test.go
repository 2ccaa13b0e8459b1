package llvm

import (
	"math/big"
	"math/bits"

	"ravel/internal/ir"
)

// The integer arithmetic of the test interpreter, by way of big integers. It shares nothing with package arith.

// A u128 is an integer of up to 128 bits.
type u128 struct{ lo, hi uint64 }

func (a u128) mask(n int) u128 {
	if n >= 128 {
		return a
	}
	if n >= 64 {
		return u128{a.lo, maskTo(a.hi, n-64)}
	}
	return u128{maskTo(a.lo, n), 0}
}

// signed returns a, read as an n-bit two's complement number.
func (a u128) signed(n int) *big.Int {
	v := a.big()
	if n > 0 && v.Bit(n-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return v
}

func (a u128) big() *big.Int {
	v := new(big.Int).SetUint64(a.hi)
	return v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(a.lo))
}

func fromBig(v *big.Int) u128 {
	w := bigWords(v, 128)
	return u128{w[0], w[1]}
}

func evalBin(op ir.Op, a, b u128, n int) (u128, string) {
	var r u128
	switch op {
	case ir.Add:
		var c uint64
		r.lo, c = bits.Add64(a.lo, b.lo, 0)
		r.hi, _ = bits.Add64(a.hi, b.hi, c)
	case ir.Sub:
		var c uint64
		r.lo, c = bits.Sub64(a.lo, b.lo, 0)
		r.hi, _ = bits.Sub64(a.hi, b.hi, c)
	case ir.And:
		r = u128{a.lo & b.lo, a.hi & b.hi}
	case ir.Or:
		r = u128{a.lo | b.lo, a.hi | b.hi}
	case ir.Xor:
		r = u128{a.lo ^ b.lo, a.hi ^ b.hi}
	case ir.Mul:
		r = fromBig(new(big.Int).Mul(a.big(), b.big()))
	case ir.Shl, ir.LShr, ir.AShr:
		s := uint(min(b.lo, 128))
		switch op {
		case ir.Shl:
			r = fromBig(new(big.Int).Lsh(a.big(), s))
		case ir.LShr:
			r = fromBig(new(big.Int).Rsh(a.big(), s))
		default:
			r = fromBig(new(big.Int).Rsh(a.signed(n), s))
		}
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		if b == (u128{}) {
			return u128{}, "division by zero in a constant"
		}
		switch op {
		case ir.UDiv:
			r = fromBig(new(big.Int).Quo(a.big(), b.big()))
		case ir.URem:
			r = fromBig(new(big.Int).Rem(a.big(), b.big()))
		case ir.SDiv:
			r = fromBig(new(big.Int).Quo(a.signed(n), b.signed(n)))
		default:
			r = fromBig(new(big.Int).Rem(a.signed(n), b.signed(n)))
		}
	default:
		return u128{}, "constant expression " + op.String()
	}
	return r.mask(n), ""
}

func evalCmp(pred ir.Pred, a, b u128, n int) u128 {
	var c int
	if pred >= ir.SLT {
		c = a.signed(n).Cmp(b.signed(n))
	} else {
		c = a.big().Cmp(b.big())
	}
	var r bool
	switch pred {
	case ir.EQ:
		r = c == 0
	case ir.NE:
		r = c != 0
	case ir.ULT, ir.SLT:
		r = c < 0
	case ir.ULE, ir.SLE:
		r = c <= 0
	case ir.UGT, ir.SGT:
		r = c > 0
	default:
		r = c >= 0
	}
	if r {
		return u128{lo: 1}
	}
	return u128{}
}
