package machine

import (
	"maps"
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// findPersistent marks the compare-and-swaps that a thread repeats until one succeeds: whatever a failed one has read, the thread
// comes back to it, or waits, and writes nothing before. A spin lock is taken like that.
func (f *fn) findPersistent() {
	for bi, b := range f.blocks {
		for i := range b.instrs {
			if x := &b.instrs[i]; x.Op == ir.CmpXchg && x.Dst2 != ir.NoReg {
				x.persists = x.persists || f.comesBack(bi, i)
			}
		}
	}
}

// markLocks marks the compare-and-swap of a mutex of the library. It fails for good only if its own thread holds the mutex already, or destroyed it.
func (c *compiler) markLocks() {
	if lock := c.named["pthread_mutex_lock"]; lock != nil && lock.Runtime && c.fns[lock] != nil {
		c.fns[lock].each(func(x *instr) { x.persists = x.Op == ir.CmpXchg })
	}
}

// comesBack reports whether each way from instruction i of block bi, a compare-and-swap that failed, leads back to it without a write. It follows the
// constants that the failure gives registers: where the ways come to a block with different ones, they are forgotten.
func (f *fn) comesBack(bi, i int) bool {
	at := make([]map[ir.Reg]uint64, len(f.blocks)) // what is known at the beginning of a block; nil: it was not reached
	x := &f.blocks[bi].instrs[i]
	first := map[ir.Reg]uint64{x.Dst2: 0}
	if x.RMW == event.AddUnless && x.B.IsConst() {
		first[x.Dst] = x.B.Imm
	}
	next, ok := f.waysOn(bi, i+1, i, first)
	if !ok {
		return false
	}
	for len(next) > 0 {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		known := n.known
		if old := at[n.block]; old != nil {
			maps.DeleteFunc(known, func(r ir.Reg, v uint64) bool { w, ok := old[r]; return !ok || w != v })
			if len(known) == len(old) {
				continue
			}
		}
		at[n.block] = known
		stop := -1
		if n.block == bi {
			stop = i
		}
		more, ok := f.waysOn(n.block, 0, stop, known)
		if !ok {
			return false
		}
		next = append(next, more...)
	}
	return true
}

// A way leads to a block, where the values of some registers are known.
type way struct {
	block int
	known map[ir.Reg]uint64
}

// waysOn goes through block bi from instruction from on, up to instruction stop, and returns the ways that lead on. It returns false if there is
// a write, or an end.
func (f *fn) waysOn(bi, from, stop int, known map[ir.Reg]uint64) (list []way, ok bool) {
	known = maps.Clone(known)
	value := func(o ir.Operand) (uint64, bool) {
		if o.IsConst() {
			return o.Imm, true
		}
		k, ok := known[o.Reg]
		return k + o.Imm, ok
	}
	b := f.blocks[bi]
	for i := from; i < len(b.instrs); i++ {
		x := &b.instrs[i]
		if i == stop {
			return nil, true
		}
		switch x.Op {
		case ir.Br, ir.CondBr, ir.Switch:
			targets := x.Targets
			k, ok := value(x.A)
			switch {
			case !ok || x.Op == ir.Br:
			case x.Op == ir.Switch:
				n := slices.Index(x.Cases, k&arith.Mask(x.Width))
				if n < 0 {
					n = len(x.Cases)
				}
				targets = targets[n : n+1]
			case k != 0:
				targets = targets[:1]
			default:
				targets = targets[1:]
			}
			for _, t := range targets {
				list = append(list, way{t, maps.Clone(known)})
			}
			return list, true
		case ir.Load, ir.Fence, midSpin, midUnroll, midUninit, midArmEnd:
			x.defs(func(r ir.Reg) { delete(known, r) })
			continue
		}
		if !x.pure() {
			return nil, false
		}
		f.compute(x, known, value)
	}
	return nil, false
}

// compute forgets what x assigns, or finds it out.
func (f *fn) compute(x *instr, known map[ir.Reg]uint64, value func(ir.Operand) (uint64, bool)) {
	needA, needB, needC := x.operands()
	a, okA := value(x.A)
	b, okB := value(x.B)
	c, okC := value(x.C)
	r, fault := uint64(0), "unknown"
	if x.Op < ir.Alloca && !x.isWide() && x.Dst2 == ir.NoReg && (okA || !needA) && (okB || !needB) && (okC || !needC) {
		r, _, fault = arith.Eval(&x.Instr, a, b, c)
	}
	x.defs(func(r ir.Reg) { delete(known, r) })
	if fault == "" {
		known[x.Dst] = r
	}
}
