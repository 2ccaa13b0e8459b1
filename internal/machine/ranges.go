package machine

import (
	"math/bits"
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// Ranges of what a thread counts by itself.
//
// A delay that is doubled up to a limit leads to no error: neither to a shift out of range nor to the panic of an overflow. As long as that is not known, the delay
// matters (idle.go). So the values of the registers that depend on constants only are bounded, by abstract interpretation with intervals: Cousot and
// Cousot (POPL'77). What is then known of comparisons, overflows and shifts is put into the code.

// A interval has the values from lo to hi, as words.
type interval struct{ lo, hi uint64 }

var anything = interval{0, ^uint64(0)}

func (s interval) join(t interval) interval { return interval{min(s.lo, t.lo), max(s.hi, t.hi)} }

// within reports whether no value of s is above n.
func (s interval) within(n uint64) bool { return s.hi <= n }

// largest returns the largest signed number of w bits.
func largest(w uint8) uint64 { return arith.Mask(w) >> 1 }

// autonomous returns the registers whose values do not depend on anything but constants.
func (f *fn) autonomous() regset { return f.unread(false) }

// unread returns the registers whose values do not depend on anything but constants and, if chosen, on values that the thread chooses.
func (f *fn) unread(chosen bool) regset {
	set := bitset.New[ir.Reg](f.regs)
	for r := range f.regs {
		set.Add(ir.Reg(r))
	}
	for _, r := range f.params {
		set.Remove(r)
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.blocks {
			for i := range b.instrs {
				x := &b.instrs[i]
				alone := x.arithmetic()
				if alone {
					x.uses(func(r ir.Reg) { alone = alone && set.Has(r) })
				}
				if alone || chosen && x.choosesValue() {
					continue
				}
				x.defs(func(r ir.Reg) {
					changed = changed || set.Has(r)
					set.Remove(r)
				})
			}
		}
	}
	return set
}

// growing returns the registers of a set that may have other values in each round of a loop: they depend on themselves, or on such ones. What others have,
// simplify knows. Pairs are left out.
func (f *fn) growing(auto regset) regset {
	set := slices.Clone(auto)
	for changed := true; changed; {
		changed = false
		grows := bitset.New[ir.Reg](f.regs)
		for _, b := range f.blocks {
			for i := range b.instrs {
				x := &b.instrs[i]
				from := false
				x.uses(func(r ir.Reg) { from = from || set.Has(r) })
				if from {
					x.defs(grows.Add)
				}
			}
		}
		for i := range set {
			changed = changed || set[i]&^grows[i] != 0
			set[i] &= grows[i]
		}
	}
	for _, b := range f.blocks {
		for i := range b.instrs {
			if x := &b.instrs[i]; x.isWide() {
				x.defs(set.Remove)
			}
		}
	}
	return set
}

// exactVisits is how often the intervals of a block are joined as they are. After that they grow to the next limit, and after as many more to anything.
const exactVisits = 32

// maxIntervals bounds the intervals that are looked at in a function.
const maxIntervals = 1 << 17

// A ranger finds the ranges of registers.
type ranger struct {
	f      *fn
	index  []int        // by register: which interval it has, -1: none
	before [][]interval // by block; nil: it is not reached
	visits []int
	news   []bool   // by block: more is known before it than when it was visited
	limits []uint64 // in ascending order
}

// foldRanges puts into the code what the ranges of the registers that grow say. It reports whether that changed something.
func (f *fn) foldRanges(grows regset) bool {
	n := &ranger{f: f, index: make([]int, f.regs), before: make([][]interval, len(f.blocks)), visits: make([]int, len(f.blocks)), news: make([]bool, len(f.blocks))}
	tracked := 0
	for r := range n.index {
		n.index[r] = -1
		if grows.Has(ir.Reg(r)) {
			n.index[r] = tracked
			tracked++
		}
	}
	if tracked == 0 {
		return false
	}
	n.findLimits()
	n.before[0] = make([]interval, tracked) // registers begin as 0
	n.news[0] = true
	looked := 0
	for changed := true; changed; {
		changed = false
		for bi := range f.blocks {
			if n.news[bi] {
				n.news[bi], changed = false, true
				n.visit(bi)
				looked += tracked
			}
		}
		if looked > maxIntervals {
			return false
		}
	}
	changed := false
	for bi := range f.blocks {
		changed = n.rewrite(bi) || changed
	}
	return changed
}

// findLimits finds where intervals that grow stop first: at what the function compares with.
func (n *ranger) findLimits() {
	for _, k := range [...]uint8{7, 8, 15, 16, 31, 32, 63} {
		n.limits = append(n.limits, arith.Mask(k))
	}
	for _, b := range n.f.blocks {
		for i := range b.instrs {
			if x := &b.instrs[i]; x.Op == ir.Cmp && x.Width <= 64 && x.B.IsConst() {
				n.limits = append(n.limits, x.B.Imm-1, x.B.Imm, x.B.Imm+1)
			}
		}
	}
	slices.Sort(n.limits)
}

// visit takes block bi to its successors.
func (n *ranger) visit(bi int) {
	at := slices.Clone(n.before[bi])
	b := n.f.blocks[bi]
	for i := range b.instrs {
		n.run(&b.instrs[i], at)
	}
	last := b.last()
	for k, to := range last.Targets {
		after := at
		if last.Op == ir.CondBr {
			after = slices.Clone(at)
			if !n.assume(b, after, last.A, k == 0) {
				continue
			}
		}
		n.flow(to, after)
	}
}

// flow joins intervals into those before block bi.
func (n *ranger) flow(bi int, from []interval) {
	if n.before[bi] == nil {
		n.before[bi], n.news[bi] = slices.Clone(from), true
		return
	}
	changed := false
	for i, s := range n.before[bi] {
		t := s.join(from[i])
		if t == s {
			continue
		}
		changed = true
		if n.visits[bi] >= exactVisits {
			t = n.widen(s, t, n.visits[bi] >= 2*exactVisits)
		}
		n.before[bi][i] = t
	}
	if changed {
		n.visits[bi]++
		n.news[bi] = true
	}
}

// widen returns t, which is larger than s, with limits for the bounds that differ.
func (n *ranger) widen(s, t interval, far bool) interval {
	if far {
		return anything
	}
	if t.lo < s.lo {
		i, found := slices.BinarySearch(n.limits, t.lo)
		switch {
		case found:
		case i > 0:
			t.lo = n.limits[i-1]
		default:
			t.lo = 0
		}
	}
	if t.hi > s.hi {
		if i, _ := slices.BinarySearch(n.limits, t.hi); i < len(n.limits) {
			t.hi = n.limits[i]
		} else {
			t.hi = anything.hi
		}
	}
	return t
}

// of returns the interval of an operand.
func (n *ranger) of(o ir.Operand, at []interval) interval {
	if o.Reg == ir.NoReg {
		return interval{o.Imm, o.Imm}
	}
	if n.index[o.Reg] < 0 {
		return anything
	}
	s := at[n.index[o.Reg]]
	lo, c := bits.Add64(s.lo, o.Imm, 0)
	hi, d := bits.Add64(s.hi, o.Imm, 0)
	if c != d {
		return anything
	}
	return interval{lo, hi}
}

// operands returns the intervals of the operands of x, as far as it has them.
func (n *ranger) operands(x *instr, at []interval) (a, b, c interval) {
	hasA, hasB, hasC := x.operands()
	if hasA {
		a = n.of(x.A, at)
	}
	if hasB {
		b = n.of(x.B, at)
	}
	if hasC {
		c = n.of(x.C, at)
	}
	return a, b, c
}

func (n *ranger) set(r ir.Reg, s interval, at []interval) {
	if r != ir.NoReg && n.index[r] >= 0 {
		at[n.index[r]] = s
	}
}

// run makes at, the intervals before x, those after it.
func (n *ranger) run(x *instr, at []interval) {
	if !x.arithmetic() || x.isWide() {
		x.defs(func(r ir.Reg) { n.set(r, anything, at) })
		return
	}
	a, b, c := n.operands(x, at)
	n.set(x.Dst, resultOf(&x.Instr, a, b, c), at)
	over := interval{0, 1}
	if x.Op.Form() == ir.Overflow && fits(x.Op, x.Width, a, b) {
		over.hi = 0
	}
	n.set(x.Dst2, over, at)
}

// resultOf returns a interval with all results of an instruction on words.
func resultOf(x *ir.Instr, a, b, c interval) interval {
	w := x.Width
	mask := arith.Mask(w)
	all := interval{0, mask}
	switch x.Op {
	case ir.Copy, ir.Freeze, ir.ZExt:
		return a
	case ir.Add, ir.UAddO, ir.SAddO:
		lo, _ := bits.Add64(a.lo, b.lo, 0)
		if hi, carry := bits.Add64(a.hi, b.hi, 0); carry == 0 && hi <= mask {
			return interval{lo, hi}
		}
		if k := mask - b.lo + 1; b.lo == b.hi && b.lo != 0 && b.lo <= mask && a.lo >= k && a.within(mask) { // minus k
			return interval{a.lo - k, a.hi - k}
		}
	case ir.Sub, ir.USubO, ir.SSubO:
		if a.lo >= b.hi && a.within(mask) {
			return interval{a.lo - b.hi, a.hi - b.lo}
		}
	case ir.Mul, ir.UMulO, ir.SMulO:
		if over, hi := bits.Mul64(a.hi, b.hi); over == 0 && hi <= mask {
			return interval{a.lo * b.lo, hi}
		}
	case ir.Shl:
		if b.hi < uint64(w) && a.hi <= mask>>b.hi {
			return interval{a.lo << b.lo, a.hi << b.hi}
		}
	case ir.LShr:
		if b.hi < uint64(w) && a.within(mask) {
			return interval{a.lo >> b.hi, a.hi >> b.lo}
		}
	case ir.And:
		return interval{0, min(a.hi, b.hi)}
	case ir.UDiv:
		if b.lo > 0 && a.within(mask) {
			return interval{a.lo / b.hi, a.hi / b.lo}
		}
	case ir.URem:
		if b.lo > 0 && a.within(mask) {
			return interval{0, min(a.hi, b.hi-1)}
		}
	case ir.UMin:
		return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
	case ir.UMax:
		return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
	case ir.SMin:
		if a.within(largest(w)) && b.within(largest(w)) {
			return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
		}
	case ir.SMax:
		if a.within(largest(w)) && b.within(largest(w)) {
			return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
		}
	case ir.Select:
		switch {
		case a.lo > 0:
			return b
		case a.hi == 0:
			return c
		}
		return b.join(c)
	case ir.Cmp:
		if yes, known := decide(x.Pred, w, a, b); known {
			return interval{arith.Truth(yes), arith.Truth(yes)}
		}
		return interval{0, 1}
	case ir.FCmp:
		return interval{0, 1}
	case ir.Trunc:
		if a.within(arith.Mask(x.To)) {
			return a
		}
		return interval{0, arith.Mask(x.To)}
	case ir.SExt:
		if a.within(largest(w)) {
			return a
		}
		return interval{0, arith.Mask(x.To)}
	}
	if x.Op.Form() == ir.Cast {
		return interval{0, arith.Mask(x.To)}
	}
	return all
}

// fits reports whether the result of an operation that may overflow always fits.
func fits(op ir.Op, w uint8, a, b interval) bool {
	limit := arith.Mask(w)
	switch op {
	case ir.SAddO, ir.SSubO, ir.SMulO:
		limit = largest(w)
	}
	if !a.within(limit) || !b.within(limit) {
		return false
	}
	switch op {
	case ir.UAddO, ir.SAddO:
		hi, carry := bits.Add64(a.hi, b.hi, 0)
		return carry == 0 && hi <= limit
	case ir.USubO:
		return a.lo >= b.hi
	case ir.SSubO:
		return true
	case ir.UMulO, ir.SMulO:
		over, hi := bits.Mul64(a.hi, b.hi)
		return over == 0 && hi <= limit
	}
	return false
}

// decide reports whether a comparison of values of w bits has the same result for all values of two intervals, and which.
func decide(p ir.Pred, w uint8, a, b interval) (yes, known bool) {
	p, ok := unsigned(p, w, a, b)
	switch {
	case !ok:
		return false, false
	case p == ir.NE || p == ir.UGT || p == ir.UGE:
		yes, known = decide(opposite(p), w, a, b)
		return !yes, known
	case p == ir.EQ:
		if a.lo == a.hi && a == b {
			return true, true
		}
		return false, a.hi < b.lo || b.hi < a.lo
	case p == ir.ULT:
		return a.hi < b.lo, a.hi < b.lo || a.lo >= b.hi
	default: // ULE
		return a.hi <= b.lo, a.hi <= b.lo || a.lo > b.hi
	}
}

// unsigned returns the unsigned predicate that is the same as p for values of two intervals, if there is one.
func unsigned(p ir.Pred, w uint8, a, b interval) (ir.Pred, bool) {
	if p < ir.SLT || p > ir.SGE {
		return p, p <= ir.UGE && a.within(arith.Mask(w)) && b.within(arith.Mask(w))
	}
	return p - ir.SLT + ir.ULT, a.within(largest(w)) && b.within(largest(w))
}

// opposite returns the predicate that holds if p, which is one of integers, does not.
func opposite(p ir.Pred) ir.Pred {
	return [...]ir.Pred{ir.NE, ir.EQ, ir.UGE, ir.UGT, ir.ULE, ir.ULT, ir.SGE, ir.SGT, ir.SLE, ir.SLT}[p]
}

// assume restricts at, the intervals at the end of block b, to those with which the condition is as the branch wants it. It reports whether there are any.
func (n *ranger) assume(b *block, at []interval, cond ir.Operand, want bool) bool {
	s := n.of(cond, at)
	if want && s.hi == 0 || !want && s.lo > 0 {
		return false
	}
	if cond.Reg == ir.NoReg || cond.Imm != 0 {
		return true
	}
	if !want {
		n.restrict(b, cond.Reg, interval{0, 0}, at)
	} else {
		n.restrict(b, cond.Reg, interval{1, anything.hi}, at)
	}
	x := definition(b, len(b.instrs)-1, cond.Reg)
	if x == nil || x.Op != ir.Cmp || x.isWide() {
		return true
	}
	p := x.Pred
	if !want {
		p = opposite(p)
	}
	l, r := n.of(x.A, at), n.of(x.B, at)
	p, ok := unsigned(p, x.Width, l, r)
	if !ok {
		return true
	}
	var left, right interval
	switch p {
	case ir.EQ:
		left, right = r, l
	case ir.ULT:
		if r.hi == 0 || l.lo == anything.hi {
			return false
		}
		left, right = interval{0, r.hi - 1}, interval{l.lo + 1, anything.hi}
	case ir.ULE:
		left, right = interval{0, r.hi}, interval{l.lo, anything.hi}
	case ir.UGT:
		if l.hi == 0 || r.lo == anything.hi {
			return false
		}
		left, right = interval{r.lo + 1, anything.hi}, interval{0, l.hi - 1}
	case ir.UGE:
		left, right = interval{r.lo, anything.hi}, interval{0, l.hi}
	default:
		return true
	}
	return n.restrictOperand(b, x.A, left, at) && n.restrictOperand(b, x.B, right, at)
}

func (n *ranger) restrictOperand(b *block, o ir.Operand, to interval, at []interval) bool {
	if o.Reg == ir.NoReg || o.Imm != 0 {
		return true
	}
	return n.restrict(b, o.Reg, to, at)
}

// restrict restricts the interval of a register at the end of block b, and those of its copies. It reports whether something is left.
func (n *ranger) restrict(b *block, r ir.Reg, to interval, at []interval) bool {
	if n.index[r] < 0 {
		return true
	}
	s := at[n.index[r]]
	s.lo, s.hi = max(s.lo, to.lo), min(s.hi, to.hi)
	if s.lo > s.hi {
		return false
	}
	at[n.index[r]] = s
	for _, c := range copiesOf(b, r) {
		n.set(c, s, at)
	}
	return true
}

// definition returns what register r has before instruction end of b, nil if the block does not say: its operands must still have the values that it has used.
func definition(b *block, end int, r ir.Reg) *instr {
	for i := end - 1; i >= 0; i-- {
		x := &b.instrs[i]
		if !x.assigns(r) {
			continue
		}
		for k := i; k < end; k++ {
			stale := false
			x.uses(func(u ir.Reg) { stale = stale || b.instrs[k].assigns(u) })
			if stale {
				return nil
			}
		}
		return x
	}
	return nil
}

// copiesOf returns the registers that block b leaves with the value of r.
func copiesOf(b *block, r ir.Reg) (list []ir.Reg) {
	for i := range b.instrs {
		x := &b.instrs[i]
		x.defs(func(d ir.Reg) {
			if d == r {
				list = nil
			}
			list = slices.DeleteFunc(list, func(c ir.Reg) bool { return c == d })
		})
		if x.Op == ir.Copy && x.Width <= 64 && x.A == ir.R(r) && x.Dst != r {
			list = append(list, x.Dst)
		}
	}
	return list
}

// neverOverflows reports whether instruction i of b asks whether a sum is less than one of the summands, and it never is.
func (n *ranger) neverOverflows(b *block, i int, at []interval) bool {
	x := &b.instrs[i]
	if x.Pred != ir.ULT || x.A.Reg == ir.NoReg || x.A.Imm != 0 || x.B.Reg == ir.NoReg {
		return false
	}
	sum := definition(b, i, x.A.Reg)
	return sum != nil && sum.Op == ir.Add && sum.Width == x.Width && (sum.A == x.B || sum.B == x.B) && fits(ir.UAddO, x.Width, n.of(sum.A, at), n.of(sum.B, at))
}

// rewrite puts what is known into block bi.
func (n *ranger) rewrite(bi int) (changed bool) {
	if n.before[bi] == nil {
		return false
	}
	at := slices.Clone(n.before[bi])
	b := n.f.blocks[bi]
	for i := 0; i < len(b.instrs); i++ {
		x := &b.instrs[i]
		if !x.arithmetic() && x.Op != ir.CondBr || x.isWide() {
			n.run(x, at)
			continue
		}
		l, r, _ := n.operands(x, at)
		switch x.Op {
		case ir.Cmp:
			if yes, known := decide(x.Pred, x.Width, l, r); known || n.neverOverflows(b, i, at) {
				*x = copyTo(x.Dst, ir.Imm(arith.Truth(yes)), x.Pos)
				changed = true
			}
		case ir.CondBr:
			if !x.A.IsConst() && (l.lo > 0 || l.hi == 0) {
				x.A = ir.Imm(min(l.lo, 1))
				changed = true
			}
		case ir.UAddO, ir.SAddO, ir.USubO, ir.SSubO, ir.UMulO, ir.SMulO:
			if fits(x.Op, x.Width, l, r) {
				x.Op = [...]ir.Op{ir.Add, ir.Add, ir.Sub, ir.Sub, ir.Mul, ir.Mul}[x.Op-ir.UAddO]
				over, pos := x.Dst2, x.Pos
				x.Dst2 = ir.NoReg
				n.run(x, at)
				i++
				b.instrs = slices.Insert(b.instrs, i, copyTo(over, ir.Imm(0), pos))
				x = &b.instrs[i]
				changed = true
			}
		case ir.Shl, ir.LShr, ir.AShr:
			if x.Check&ir.InRange != 0 && r.hi < uint64(x.Width) {
				x.Check &^= ir.InRange
				changed = true
			}
		case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
			x.safe = r.lo > 0 && r.within(largest(x.Width))
		}
		n.run(x, at)
	}
	return changed
}
