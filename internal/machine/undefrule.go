package machine

import (
	"math/bits"

	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// undefined returns which bits of the results of in are undefined, where v are its operands and u says which bits of those
// are. A bit that it calls defined is the same whatever the undefined bits of the operands are, except for divisions:
// an undefined divisor is an error.
//
// The rules are those of MemorySanitizer (Stepanov and Serebryany, CGO'15), except for two. Carries spread
// as far as they can: MemorySanitizer takes a bit of a sum for defined if those of the summands are. And a comparison with
// undefined bits is undefined even if other bits decide it: C has no values that are partly indeterminate.
func undefined(in *ir.Instr, v, u [3]pair, wide bool) (r pair, over uint64) {
	if u[0] == (pair{}) && u[1] == (pair{}) && u[2] == (pair{}) {
		return r, 0
	}
	if wide {
		return undefinedPair(in, v, u), 1
	}
	return pair{Lo: undefinedWord(in, v[0].Lo, v[1].Lo, v[2].Lo, u[0].Lo, u[1].Lo, u[2].Lo)}, 1
}

func undefinedWord(in *ir.Instr, a, b, c, ua, ub, uc uint64) uint64 {
	w := in.Width
	m := arith.Mask(w)
	switch in.Op {
	case ir.Freeze:
		return 0
	case ir.Copy, ir.ZExt:
		return ua
	case ir.Trunc:
		return ua & arith.Mask(in.To)
	case ir.SExt:
		return uint64(arith.Signed(ua, w)) & arith.Mask(in.To)
	case ir.And:
		return ua&ub | ua&b | a&ub
	case ir.Or:
		return ua&ub | ua&^b | ub&^a
	case ir.Xor:
		return ua | ub
	case ir.Add, ir.UAddO, ir.SAddO:
		return undefinedSum(a, b, ua, ub) & m
	case ir.Sub, ir.USubO, ir.SSubO: // a borrow is the likelier the smaller a is and the larger b
		return (((a &^ ua) - (b | ub)) ^ ((a | ua) - (b &^ ub)) | ua | ub) & m
	case ir.Mul, ir.UMulO, ir.SMulO:
		return undefinedProduct(a, b, ua, ub) & m
	case ir.Gep:
		scale := uint64(in.Scale)
		return undefinedSum(a+uint64(in.Off), b*scale, undefinedSum(a, uint64(in.Off), ua, 0), undefinedProduct(b, scale, ub, 0))
	case ir.Shl, ir.LShr, ir.AShr:
		if ub == 0 {
			return arith.Shift(in.Op, ua, b, w)
		}
	case ir.BSwap, ir.BitReverse:
		r, _, _ := arith.Eval(in, ua, 0, 0)
		return r
	case ir.FShl, ir.FShr:
		if uc == 0 {
			return arith.Funnel(in.Op, ua, ub, c, w)
		}
	case ir.Select:
		switch {
		case ua != 0:
			return (b ^ c) | ub | uc
		case a != 0:
			return ub
		}
		return uc
	case ir.Cmp:
		return undefinedComparison(in.Pred, b, ua, ub, w)
	case ir.FCmp:
		return 1
	}
	if in.To != 0 {
		return arith.Mask(in.To)
	}
	return m
}

// undefinedSum: the carry into a bit grows with the bits below, so it is defined if it is the same for the least and the
// greatest of them.
func undefinedSum(a, b, ua, ub uint64) uint64 {
	return ((a &^ ua) + (b &^ ub)) ^ ((a | ua) + (b | ub)) | ua | ub
}

// undefinedProduct: the bits below the lowest undefined one, shifted by the zeros that the other factor ends with, are defined.
func undefinedProduct(a, b, ua, ub uint64) uint64 {
	low := 64
	if ua != 0 {
		low = bits.TrailingZeros64(ua) + bits.TrailingZeros64(b|ub)
	}
	if ub != 0 {
		low = min(low, bits.TrailingZeros64(ub)+bits.TrailingZeros64(a|ua))
	}
	return ^uint64(0) << low
}

func undefinedComparison(p ir.Pred, b, ua, ub uint64, w uint8) uint64 {
	if ub == 0 && (b == 0 && (p == ir.SLT || p == ir.SGE) || b == arith.Mask(w) && (p == ir.SLE || p == ir.SGT)) { // the sign decides it
		return ua >> (w - 1) & 1
	}
	return 1
}

func undefinedPair(in *ir.Instr, v, u [3]pair) pair {
	a, b, c, ua, ub, uc := v[0], v[1], v[2], u[0], u[1], u[2]
	each := func(op ir.Op) pair {
		x := ir.Instr{Op: op, Width: 64}
		return pair{Lo: undefinedWord(&x, a.Lo, b.Lo, 0, ua.Lo, ub.Lo, 0), Hi: undefinedWord(&x, a.Hi, b.Hi, 0, ua.Hi, ub.Hi, 0)}
	}
	switch in.Op {
	case ir.Copy, ir.ZExt:
		return ua
	case ir.Trunc:
		return arith.Clip(ua, in.To)
	case ir.SExt:
		return arith.Clip(arith.Extend(ua, in.Width), in.To)
	case ir.And, ir.Or, ir.Xor:
		return each(in.Op)
	case ir.Shl, ir.LShr, ir.AShr:
		if ub == (pair{}) {
			return arith.ShiftPair(in.Op, ua, b, in.Width)
		}
	case ir.Select:
		switch {
		case ua.Lo != 0:
			return pair{Lo: (b.Lo ^ c.Lo) | ub.Lo | uc.Lo, Hi: (b.Hi ^ c.Hi) | ub.Hi | uc.Hi}
		case a.Lo != 0:
			return ub
		}
		return uc
	case ir.Cmp:
		return pair{Lo: 1}
	}
	w := in.Width
	if in.To != 0 {
		w = in.To
	}
	return arith.Clip(pair{Lo: ^uint64(0), Hi: ^uint64(0)}, w)
}
