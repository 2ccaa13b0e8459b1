package machine

import (
	"ravel/internal/event"
	"ravel/internal/ir"
)

// Arrays that only their thread sees.
//
// promote turns a stack object into registers also if it is accessed at computed offsets, as `t[i]`. Such an object is an array: all its
// accesses have the same size, and each element is a register. midGet and midSet choose the register at run time. A pointer into the array is
// represented by its offset.
//
// Another register of the array has one bit per element: whether it was written. An access outside the array, between two elements, or of an
// element that was not written ends in an error that is Untracked. Then the engine compiles the program again with Options.Undef. With it no
// object is an array, so that the access is one of memory, and the engine says what is wrong with it.
//
// With Options.Deps what an element depends on would not be tracked: arraydeps.go has the objects that depend on nothing.

// maxElements is how many elements an array may have: one bit of a word for each.
const maxElements = 64

// indexes reports whether objects of f may become arrays.
func (f *fn) indexes() bool { return !f.undef && f.word == 64 }

// findArrays decides which of the locals that are accessed at computed offsets become arrays. The others must stay in memory.
func (m *promoter) findArrays() {
	any := false
	for _, l := range m.locals {
		if l.elem == 0 || l.bad {
			continue
		}
		any = true
		l.bad = l.size%l.elem != 0 || l.size/l.elem > maxElements
	}
	if !any {
		return
	}
	fits := func(o ir.Operand, n uint64) {
		p, ok := m.at(o)
		if ok && p.l.elem != 0 && (!p.computed && p.off%p.l.elem != 0 || n%p.l.elem != 0) {
			p.l.bad = true
		}
	}
	spoils := func(o ir.Operand) {
		if p, ok := m.at(o); ok && p.l.elem != 0 {
			p.l.bad = true
		}
	}
	for _, b := range m.f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			switch x.Op {
			case ir.Load, ir.Store:
				fits(x.A, uint64(x.Size))
				if uint64(x.Size) != m.elem(x.A) || x.Mode > event.Rlx || x.Tag != event.NoTag { // one that orders others does so whoever sees its location
					spoils(x.A)
				}
			case ir.MemSet:
				fits(x.A, x.C.Imm)
			case ir.MemCpy:
				fits(x.A, x.C.Imm)
				spoils(x.B)
				if _, local := m.at(x.B); local {
					spoils(x.A)
				}
			}
		}
	}
}

// elem returns the size of the elements of the array that o points into, 0 if there is none.
func (m *promoter) elem(o ir.Operand) uint64 {
	if p, ok := m.at(o); ok {
		return p.l.elem
	}
	return 0
}

// registers returns those of an array: its elements, then the one that says which were written.
func (l *local) registers() []ir.Reg {
	list := make([]ir.Reg, 0, len(l.cells)+1)
	for _, c := range l.cells {
		list = append(list, c.reg)
	}
	return append(list, l.set)
}

// element returns an instruction that accesses an element of the array at place p, with x.A as the register of the offset if it is computed.
func (m *promoter) element(op ir.Op, p place, x *instr) instr {
	at := ir.Imm(p.off)
	if p.computed {
		at = x.A
	}
	return instr{Instr: ir.Instr{Op: op, Dst: ir.NoReg, Dst2: ir.NoReg, A: at, Size: uint8(p.l.elem), Results: p.l.registers(), Pos: x.Pos}}
}

// rewriteArray replaces an access of an array, at place p. It returns false if x is none.
func (m *promoter) rewriteArray(x *instr, p place) (instr, bool) {
	switch x.Op {
	case ir.Load:
		y := m.element(midGet, p, x)
		y.Dst = x.Dst
		return y, true
	case ir.Store:
		y := m.element(midSet, p, x)
		y.B = x.B
		return y, true
	case ir.Copy: // of an offset
		return *x, p.computed
	case ir.Gep:
		y := *x
		if !p.computed {
			y.A = ir.Imm(p.off)
		}
		return y, true
	}
	return instr{}, false
}

// An arrayOp has the registers of an array.
type arrayOp struct {
	elements []uint16
	set      uint16 // which elements were written
	shift    uint8  // an offset is a number shifted by so many bits
}

// element returns the number of the element at an offset, false if there is none.
func (o *arrayOp) element(off uint64) (uint64, bool) {
	i := off >> o.shift
	return i, i < uint64(len(o.elements)) && i<<o.shift == off
}

// get returns the element at an offset, false if there is none or it was not written.
func (o *arrayOp) get(r frame, off uint64) (uint64, bool) {
	i, ok := o.element(off)
	if !ok || r[o.set]>>i&1 == 0 {
		return 0, false
	}
	return r[o.elements[i]], true
}

// put assigns to the element at an offset. It returns false if there is none.
func (o *arrayOp) put(r frame, off, v uint64) bool {
	i, ok := o.element(off)
	if ok {
		r[o.elements[i]] = v
		r[o.set] |= 1 << i
	}
	return ok
}
