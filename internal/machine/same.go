package machine

import "slices"

// A Comparer tells whether stopped threads do the same from where they are. It never changes, so any number of workers may use it.
type Comparer struct{ live *Freezer }

// NewComparer returns a Comparer for the threads of p.
func (p *Program) NewComparer() *Comparer {
	c := &Comparer{p.NewFreezerOnDemand()}
	c.live.values = true
	return c
}

// HasWeakCAS reports whether p has a CAS that may fail spuriously.
func (p *Program) HasWeakCAS() bool {
	return slices.ContainsFunc(p.code, func(in insn) bool { return in.op == opCAS && p.actions[in.t].Weak })
}

// HasWakeups reports whether p has waits that may end spuriously.
func (p *Program) HasWakeups() bool {
	return slices.ContainsFunc(p.code, func(in insn) bool { return in.op == opChoose && p.actions[in.t].Weak })
}

// matters reports whether the instruction has an influence on what its thread does, other than by where it stops it in a loop; live
// are the registers that are live after it.
func (in *insn) matters(live []uint64) bool {
	switch in.op {
	case opSpinCheck, opUnrollCheck, opDeps, opPick, opCtrl:
		return false
	case opMov: // of a set of dependencies, perhaps
		return live[in.dst/64]>>(in.dst%64)&1 != 0
	}
	return true
}

// Same reports whether s and t, states of the same thread, are at the same action with the same values in all registers that will be
// read: both then do the same as long as they read the same. How often loops have gone round, and what values depend on, is not compared.
func (c *Comparer) Same(a *Arena, s, t State) bool {
	for part := Stopped; ; part = Caller {
		x, y := a.words[s:], a.words[t:]
		pc := uint32(x[frameCode])
		if pc != uint32(y[frameCode]) || part == Stopped && x[frameThread] != y[frameThread] || x[frameThread]&phaseMask != 0 {
			return false
		}
		for _, r := range c.live.registers(pc, part) {
			if x[r] != y[r] {
				return false
			}
		}
		s, t = State(x[frameCode]>>32), State(y[frameCode]>>32)
		if s == t {
			return true
		}
		if s == 0 || t == 0 {
			return false
		}
	}
}
