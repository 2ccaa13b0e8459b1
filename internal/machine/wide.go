package machine

import (
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// A wideOp is an instruction on register pairs: for each operand and result, the words it is in.
type wideOp struct {
	in                           ir.Instr
	dst, dstHi, dst2             uint16
	a, aHi, b, bHi, c, cHi       uint16
	aImm                         uint64
	wideDst, wideA, wideB, wideC bool
}

type pair = event.Value

// run computes the instruction on a frame.
func (w *wideOp) run(r frame) (fault string) {
	get := func(lo, hi uint16, wide bool) pair {
		if wide {
			return pair{Lo: r[lo], Hi: r[hi]}
		}
		return pair{Lo: r[lo]}
	}
	a := get(w.a, w.aHi, w.wideA)
	a.Lo += w.aImm
	v, over, fault := arith.EvalWide(&w.in, a, get(w.b, w.bHi, w.wideB), get(w.c, w.cHi, w.wideC))
	r[w.dst] = v.Lo
	if w.wideDst {
		r[w.dstHi] = v.Hi
	}
	if w.dst2 != noColour {
		r[w.dst2] = over
	}
	return fault
}
