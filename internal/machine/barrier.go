package machine

import (
	"bytes"
	"encoding/binary"
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A meeting is a function of the library in which a thread arrives and waits until all others have. The order of arrival matters if the program looks
// at which thread was last, or has arrivals of another kind, after which threads go on.
type meeting struct {
	name      string
	tellsLast bool     // its result is whether the thread was last
	others    []string // functions that arrive without waiting, or look who has
}

var meetings = []meeting{
	{name: "pthread_barrier_wait", tellsLast: true},
	{name: "rust.barrier_wait", tellsLast: true},
	{name: "__ravel_barrier_arrive_and_wait", others: []string{"__ravel_barrier_arrive", "__ravel_barrier_drop"}},
	{name: "__ravel_latch_arrive_and_wait", others: []string{"__ravel_latch_count_down", "__ravel_latch_try_wait"}},
}

// findArrivals makes arrivals at barriers ordinary if their order matters.
func (c *compiler) findArrivals(fns []*fn) {
	for _, m := range meetings {
		wait := c.named[m.name]
		if wait == nil || !wait.Runtime {
			continue
		}
		matters := slices.ContainsFunc(m.others, func(name string) bool { return c.fns[c.named[name]] != nil })
		looked := m.tellsLast && (c.isStored(wait) || slices.ContainsFunc(fns, func(f *fn) bool { return c.looksAtLast(f, wait) }))
		if matters || looked {
			c.fns[wait].each(func(x *instr) { x.arrives = false })
		}
	}
}

// isStored reports whether a variable begins with the address of a function: calls by it may use the result.
func (c *compiler) isStored(f *ir.Func) bool {
	addr := binary.LittleEndian.AppendUint64(nil, uint64(f.Addr))
	if c.src.Space == event.Narrow {
		addr = addr[:4]
	}
	return slices.ContainsFunc(c.src.Globals, func(g *ir.Global) bool {
		return bytes.Contains(slices.Concat(g.Init, make([]byte, len(addr))), addr) // zeros may follow
	})
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
