package machine

import (
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/ir"
)

// Without Options.Undef nothing keeps track of undefined bits, so a read of a promoted object that may not have been written is
// checked: if it was not, the error is Untracked.

// findUnwritten finds the reads of promoted objects that some path reaches without a store, and gives the
// cells that they read a register that says whether they were written. A copy to another promoted object is not a read.
func (m *promoter) findUnwritten() {
	m.checks = map[*instr][]ir.Reg{}
	if m.f.lenient || m.f.undef {
		return
	}
	in := m.written()
	need := bitset.New[ir.Reg](m.cells)
	for bi, b := range m.f.blocks {
		set := slices.Clone(in[bi])
		for i := range b.instrs {
			x := &b.instrs[i]
			for _, c := range m.reads(x) {
				if !set.Has(c.index) {
					m.checks[x] = append(m.checks[x], c.index)
					need.Add(c.index)
				}
			}
			m.write(set, x)
		}
	}
	// The source of a copied cell must be known too.
	for changed := len(m.checks) > 0; changed; {
		changed = false
		for _, b := range m.f.blocks {
			for i := range b.instrs {
				to, from := m.copied(&b.instrs[i])
				for k := range to {
					if need.Has(to[k].index) && !need.Has(from[k].index) {
						need.Add(from[k].index)
						changed = true
					}
				}
			}
		}
	}
	for _, l := range m.locals {
		for i := range l.cells {
			if need.Has(l.cells[i].index) {
				l.cells[i].set = m.f.newReg()
			}
		}
	}
}

// reads returns the cells that an instruction moves to other registers or to memory.
func (m *promoter) reads(x *instr) []cell {
	p, okA := m.good(x.A)
	q, okB := m.good(x.B)
	switch {
	case x.Op == ir.Load && okA && p.l.elem == 0:
		return p.in(uint64(x.Size))
	case x.Op == ir.MemCpy && okB && !okA:
		return q.in(x.C.Imm)
	}
	return nil
}

// check appends the checks of an instruction.
func (m *promoter) check(out []instr, x *instr) []instr {
	for _, c := range m.reads(x) {
		if slices.Contains(m.checks[x], c.index) {
			out = append(out, instr{Instr: ir.Instr{Op: midUninit, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.R(c.set), Pos: x.Pos}})
		}
	}
	return out
}

// mark assigns to the register that says whether the cell was written, if it has one.
func (c cell) mark(out []instr, v ir.Operand, pos ir.Pos) []instr {
	if c.set == ir.NoReg {
		return out
	}
	if c.bit != 0 {
		return append(out, compute(ir.Or, c.set, ir.R(c.set), ir.Imm(c.bit), pos))
	}
	return append(out, copyTo(c.set, v, pos))
}

// copied returns the cells that an instruction copies to others.
func (m *promoter) copied(x *instr) (to, from []cell) {
	if x.Op != ir.MemCpy {
		return nil, nil
	}
	p, okA := m.good(x.A)
	q, okB := m.good(x.B)
	if !okA || !okB {
		return nil, nil
	}
	return p.in(x.C.Imm), q.in(x.C.Imm)
}

// written returns the cells that were written on every way to each block.
func (m *promoter) written() []regset {
	f := m.f
	in := make([]regset, len(f.blocks))
	out := make([]regset, len(f.blocks))
	for i := range in {
		in[i], out[i] = bitset.New[ir.Reg](m.cells), bitset.New[ir.Reg](m.cells)
		for w := range out[i] {
			out[i][w] = ^uint64(0)
		}
	}
	preds := f.preds()
	for changed := true; changed; {
		changed = false
		for bi, b := range f.blocks {
			set := bitset.New[ir.Reg](m.cells)
			for k, q := range preds[bi] {
				for w := range set {
					if k == 0 {
						set[w] = out[q][w]
					} else {
						set[w] &= out[q][w]
					}
				}
			}
			if bi == 0 {
				clear(set)
			}
			copy(in[bi], set)
			for i := range b.instrs {
				m.write(set, &b.instrs[i])
			}
			if !slices.Equal(set, out[bi]) {
				out[bi] = set
				changed = true
			}
		}
	}
	return in
}

// write adds the cells that an instruction writes to set, and removes those that begin anew.
func (m *promoter) write(set regset, x *instr) {
	p, ok := m.good(x.A)
	switch x.Op {
	case ir.Alloca:
		if q, ok := m.good(ir.R(x.Dst)); ok && q.l.dst == x.Dst {
			for _, c := range q.l.cells {
				set.Remove(c.index)
			}
		}
	case ir.Store:
		if ok && !p.computed {
			for _, c := range p.in(uint64(x.Size)) {
				set.Add(c.index)
			}
		}
	case ir.MemSet, ir.MemCpy:
		if to, from := m.copied(x); to != nil {
			for i, c := range to {
				if set.Has(from[i].index) {
					set.Add(c.index)
				} else {
					set.Remove(c.index)
				}
			}
		} else if ok && x.C.IsConst() {
			for _, c := range p.in(x.C.Imm) {
				set.Add(c.index)
			}
		}
	}
}
