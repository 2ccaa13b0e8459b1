package machine

import (
	"ravel/internal/ir"
)

// findArrivals makes arrivals at barriers ordinary if the program looks at which thread was last: the order of arrival matters then.
func (c *compiler) findArrivals(fns []*fn) {
	wait := c.named["pthread_barrier_wait"]
	if wait == nil || !wait.Runtime {
		return
	}
	for _, f := range fns {
		if c.looksAtLast(f, wait) {
			c.fns[wait].each(func(x *instr) { x.arrives = false })
			return
		}
	}
}

// looksAtLast reports whether f uses what wait returns, or its address.
func (c *compiler) looksAtLast(f *fn, wait *ir.Func) (yes bool) {
	calls := false
	f.each(func(x *instr) {
		calls = calls || x.Op == ir.Call && x.Callee == wait
		x.eachOperand(func(o *ir.Operand, _ bool) { yes = yes || o.IsConst() && o.Imm == uint64(wait.Addr) })
	})
	if !calls || yes {
		return yes
	}
	f.clean() // a result that is only copied to a variable is not used
	results := map[ir.Reg]bool{}
	f.each(func(x *instr) {
		if x.Op == ir.Call && x.Callee == wait {
			for _, r := range x.Results {
				results[r] = true
			}
		}
	})
	f.each(func(x *instr) {
		x.uses(func(r ir.Reg) { yes = yes || results[r] })
	})
	return yes
}

// each calls visit with every instruction.
func (f *fn) each(visit func(x *instr)) {
	for _, b := range f.blocks {
		for i := range b.instrs {
			visit(&b.instrs[i])
		}
	}
}
