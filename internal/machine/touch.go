package machine

import (
	"ravel/internal/bitset"
	"ravel/internal/ir"
)

// touch has the program call __ravel_touch(address) before its accesses, where the library defines that: it finds accesses of objects that were
// retired. Variables are never retired, so accesses of addresses that are constants or begin with a stack object need no call.
func (c *compiler) touch(f *fn) {
	hook := c.named["__ravel_touch"]
	if hook == nil || f.runtime {
		return
	}
	onStack := f.stackAddresses()
	for _, b := range f.blocks {
		var out []instr
		for _, x := range b.instrs {
			var at []ir.Operand
			switch x.Op {
			case ir.Load, ir.Store, ir.RMW, ir.CmpXchg, ir.MemSet:
				at = []ir.Operand{x.A}
			case ir.MemCpy:
				at = []ir.Operand{x.A, x.B}
			}
			for _, a := range at {
				if !x.private && !a.IsConst() && !onStack.Has(a.Reg) {
					out = append(out, instr{private: true, Instr: ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: hook, Args: []ir.Operand{a}, Pos: x.Pos}})
				}
			}
			out = append(out, x)
		}
		b.instrs = out
	}
}

// stackAddresses returns the registers that only ever hold addresses in stack objects of the function.
func (f *fn) stackAddresses() regset {
	from, other := bitset.New[ir.Reg](f.regs), bitset.New[ir.Reg](f.regs)
	for _, r := range f.params {
		other.Add(r)
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.blocks {
			for i := range b.instrs {
				x := &b.instrs[i]
				in, out := from, other
				x.defs(func(r ir.Reg) {
					derived := (x.Op == ir.Copy || x.Op == ir.Gep) && !x.A.IsConst()
					switch {
					case x.Op == ir.Alloca || derived && in.Has(x.A.Reg):
						if !in.Has(r) {
							in.Add(r)
							changed = true
						}
						if derived && out.Has(x.A.Reg) && !out.Has(r) {
							out.Add(r)
							changed = true
						}
					case derived && !out.Has(x.A.Reg): // not known yet
					case !out.Has(r):
						out.Add(r)
						changed = true
					}
				})
			}
		}
	}
	for i := range from {
		from[i] &^= other[i]
	}
	return from
}
