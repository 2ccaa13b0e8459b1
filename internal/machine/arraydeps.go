package machine

import (
	"ravel/internal/bitset"
	"ravel/internal/ir"
)

// Arrays and dependencies.
//
// Definition. A register is dependent if a read may have a part in its value: it is a parameter, or what a call returns, or what is read from memory, or computed from a dependent
// register, or read from a local that a dependent value is written to.
//
// Rule. With Options.Deps, a local becomes an array only if neither its offsets nor the values that are written to it are dependent. Most such arrays have the threads that main creates.
//
// Lemma. What is read from an array has no dependencies.
//
// Proof. Shadows have a reason in what makes registers dependent (shadower.spread, shadower.instr): one that is not dependent has an empty shadow at all times. So elements and offsets have none.
// What comes later keeps that: other passes replace values by equal ones, with no more in their shadows. ∎

// A dependence knows what is dependent in a function, wherever it is in the code.
type dependence struct {
	*promoter
	regs   regset
	locals regset // by index
}

// keepDependent marks the locals accessed at computed offsets that dependencies go through. Then what is read from these is dependent, and others may have to stay as well.
func (m *promoter) keepDependent() {
	for again := true; again; {
		again = false
		d := dependence{m, bitset.New[ir.Reg](m.f.regs), bitset.New[ir.Reg](len(m.locals))}
		for _, r := range m.f.params {
			d.regs.Add(r)
		}
		for d.spread() {
		}
		for _, l := range m.locals {
			if l.elem != 0 && !l.bad && d.locals.Has(l.index) {
				l.bad, again = true, true
			}
		}
	}
}

// spread adds what is dependent by what is known to be. It returns whether that was more.
func (d *dependence) spread() (more bool) {
	for _, b := range d.f.blocks {
		for i := range b.instrs {
			more = d.instr(&b.instrs[i]) || more
		}
	}
	return more
}

// instr adds what is dependent by x.
func (d *dependence) instr(x *instr) (more bool) {
	to, local := d.good(x.A)
	reads := false // a read has a part in the results
	switch x.Op {
	case ir.RMW, ir.CmpXchg, ir.Call:
		reads = true
	case ir.Load:
		reads = !local || d.locals.Has(to.l.index)
	case ir.Store, ir.MemSet:
		return local && d.has(x.B) && d.addLocal(to.l)
	case ir.MemCpy:
		from, ok := d.good(x.B)
		return local && (!ok || d.locals.Has(from.l.index)) && d.addLocal(to.l)
	case ir.Gep:
		if local {
			return d.has(x.B) && d.addLocal(to.l)
		}
	}
	if !reads {
		x.uses(func(r ir.Reg) { reads = reads || d.regs.Has(r) })
	}
	if reads {
		x.defs(func(r ir.Reg) {
			more = more || !d.regs.Has(r)
			d.regs.Add(r)
		})
	}
	return more
}

// has reports whether an operand is dependent.
func (d *dependence) has(o ir.Operand) bool {
	return o.Reg != ir.NoReg && d.regs.Has(o.Reg)
}

// addLocal adds a local. It returns false if it was there.
func (d *dependence) addLocal(l *local) bool {
	if d.locals.Has(l.index) {
		return false
	}
	d.locals.Add(l.index)
	return true
}
