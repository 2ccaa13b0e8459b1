package machine

import (
	"slices"

	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// Loops that end.
//
// Definition. In a loop, a register follows another one if it is assigned at one place of the loop, as a copy of the other plus a constant, of w bits, and each round comes
// to that place once. A register v is a counter with step s if, from v, one comes back to a register by following, and s is the sum of the constants on that circle.
//
// Lemma. A loop is finite if each round comes once to a branch that leaves it unless v p b holds, where b does not change in the loop, or is computed anew from what does not, v is a counter of w bits with step s, w is the width of the comparison, and
//
//	p is ≠ and s is odd, or p is = and s is not 0;
//	p is < (signed or unsigned) and s is 1, or p is > and s is -1;
//	p is ≤ and s is 1, or p is ≥ and s is -1, and b is a constant that is not the last number in that direction.
//
// Proof. If b is computed anew, it is the same from some round on, as it is computed at one place, from such registers or others that do not change. Each register of the circle is assigned once per round, so after n rounds, n being how many of the places on it come before the one that they follow, v has changed by s. The values of v
// in every n-th round are an arithmetic progression modulo 2ʷ, with the step s. If s is odd, it comes to b. If s is 1 and v < b, v+1 is at most b and there is no overflow, so v grows until it is b or
// more. The others are alike. ∎

// finite reports whether the loop is known to end, whatever the registers have when it begins. nested says how many loops each block is in.
func (l *loop) finite(f *fn, idom, nested []int) bool {
	if slices.ContainsFunc(l.latches, func(q int) bool { return !dominates(idom, l.header, q) }) {
		return false
	}
	for i, in := range l.body {
		if last := f.blocks[i].last(); in && last.Op == ir.CondBr && l.oncePerRound(i, idom, nested) && l.bounds(f, i, idom, nested) {
			return true
		}
	}
	return false
}

// oncePerRound reports whether each round comes to block i once.
func (l *loop) oncePerRound(i int, idom, nested []int) bool {
	return nested[i] == nested[l.header] && !slices.ContainsFunc(l.latches, func(q int) bool { return !dominates(idom, i, q) })
}

// bounds reports whether the branch at the end of block i leaves the loop at last.
func (l *loop) bounds(f *fn, i int, idom, nested []int) bool {
	b := f.blocks[i]
	last := b.last()
	stays := l.body[last.Targets[0]]
	if stays == l.body[last.Targets[1]] || last.A.Reg == ir.NoReg || last.A.Imm != 0 {
		return false
	}
	v, bound, p, w := last.A, ir.Imm(0), ir.NE, uint8(0)
	if x := definition(b, len(b.instrs)-1, last.A.Reg); x != nil && x.Op == ir.Cmp && !x.isWide() {
		v, bound, p, w = x.A, x.B, x.Pred, x.Width
	}
	if !stays {
		p = opposite(p)
	}
	if v.IsConst() || !l.constant(f, v, bound) {
		v, bound = bound, v
		p = [...]ir.Pred{ir.EQ, ir.NE, ir.UGT, ir.UGE, ir.ULT, ir.ULE, ir.SGT, ir.SGE, ir.SLT, ir.SLE}[p]
	}
	if v.IsConst() || !l.constant(f, v, bound) {
		return false
	}
	step, width := l.step(f, v, idom, nested)
	if step == 0 || w != 0 && w != width {
		return false
	}
	mask := arith.Mask(width)
	one, minusOne := step == 1, step == mask
	known := bound.IsConst()
	switch p {
	case ir.NE:
		return step&1 != 0
	case ir.EQ:
		return true
	case ir.ULT, ir.SLT:
		return one
	case ir.UGT, ir.SGT:
		return minusOne
	case ir.ULE:
		return one && known && bound.Imm != mask
	case ir.SLE:
		return one && known && bound.Imm != mask>>1
	case ir.UGE:
		return minusOne && known && bound.Imm != 0
	case ir.SGE:
		return minusOne && known && bound.Imm != mask>>1+1
	}
	return false
}

// constant reports whether bound does not change in the loop, and v does.
func (l *loop) constant(f *fn, v, bound ir.Operand) bool {
	return l.assignments(f, v.Reg) > 0 && !l.invariant(f, v.Reg, maxComputed) && (bound.IsConst() || l.invariant(f, bound.Reg, maxComputed))
}

// maxComputed is how many steps the computation of what does not change in a loop has at most.
const maxComputed = 6

// invariant reports whether r does not change in the loop after its first round: it is assigned nowhere, or at one place, by arithmetic on such registers, in at most n steps.
func (l *loop) invariant(f *fn, r ir.Reg, n int) bool {
	var found *instr
	for i, in := range l.body {
		if !in {
			continue
		}
		for k := range f.blocks[i].instrs {
			x := &f.blocks[i].instrs[k]
			if !x.assigns(r) {
				continue
			}
			if found != nil || !x.arithmetic() || n == 0 {
				return false
			}
			found = x
		}
	}
	same := true
	if found != nil {
		found.uses(func(u ir.Reg) { same = same && u != r && l.invariant(f, u, n-1) })
	}
	return same
}

// step returns the step of the counter v, modulo 2 to its width, and its width; the step is 0 if it is none.
func (l *loop) step(f *fn, v ir.Operand, idom, nested []int) (step uint64, width uint8) {
	var circle []ir.Reg
	var steps []uint64
	add := func(w uint8) bool { // another addition
		ok := width == 0 || width == w
		width = w
		return ok
	}
	if v.Imm != 0 {
		add(64)
	}
	for r := v.Reg; ; {
		if at := slices.Index(circle, r); at >= 0 {
			for _, s := range steps[at:] {
				step += s
			}
			return step & arith.Mask(width), width
		}
		x := l.onlyAssignment(f, r, idom, nested)
		if x == nil || x.isWide() || x.A.Reg == ir.NoReg {
			return 0, 0
		}
		s := uint64(0)
		switch x.Op {
		case ir.Copy:
			if s = x.A.Imm; s != 0 && !add(64) {
				return 0, 0
			}
		case ir.Add, ir.UAddO, ir.SAddO, ir.Sub, ir.USubO, ir.SSubO:
			if !x.B.IsConst() || x.A.Imm != 0 || !add(x.Width) {
				return 0, 0
			}
			if s = x.B.Imm; x.Op == ir.Sub || x.Op == ir.USubO || x.Op == ir.SSubO {
				s = -s
			}
		default:
			return 0, 0
		}
		circle, steps = append(circle, r), append(steps, s)
		r = x.A.Reg
	}
}

// onlyAssignment returns what assigns r in the loop, nil if that is not one instruction which each round comes to once.
func (l *loop) onlyAssignment(f *fn, r ir.Reg, idom, nested []int) (found *instr) {
	for i, in := range l.body {
		if !in {
			continue
		}
		for k := range f.blocks[i].instrs {
			x := &f.blocks[i].instrs[k]
			if !x.assigns(r) {
				continue
			}
			if found != nil || x.Dst != r || !l.oncePerRound(i, idom, nested) {
				return nil
			}
			found = x
		}
	}
	return found
}
