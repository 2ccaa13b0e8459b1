package llvm

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// Variable arguments, as clang reads them on x86-64: va_arg takes what its va_list says is left in registers, and otherwise goes
// through the overflow area, where arguments are in memory one after the other. Here they always are: a caller puts them
// into an object on its stack, and va_start says that no registers are left. On 32-bit x86 and ARM, a va_list is the address of the next argument.

// Offsets in a va_list, and the values that mean that no registers are left.
const (
	vaGP       = 0
	vaFP       = 4
	vaOverflow = 8
	vaSaved    = 16
	vaSize     = 24

	vaNoGP = 48
	vaNoFP = 176
)

// varargs puts the arguments of a call from first on into memory and returns their address, 0 if there are none.
func (l *lowerer) varargs(in *inst, args []value, first int) ir.Operand {
	if first >= len(args) {
		return ir.Imm(0)
	}
	area := ir.R(l.temp(1))
	size := uint64(0)
	for i, a := range args[first:] {
		by, ok := in.byval[first+i]
		t := a.typ
		if ok {
			t = by.typ
		}
		n := l.lay.allocSize(t)
		if l.lay.ptr == 8 && (max(t.align, by.align) >= 16 || t.kind == kInt && t.bits > 64) {
			size = (size + 15) &^ 15
		}
		if ok {
			m := newInstr(ir.MemCpy)
			m.A, m.B, m.C = l.addrAt(area, size), l.operand(a, 0), ir.Imm(n)
			l.emit(m)
		} else {
			st := inst{args: []value{a}}
			for _, f := range l.lay.leaves(t) {
				l.storeLeaf(&st, f, l.addrAt(area, size+f.off))
			}
		}
		size += roundUp(n, l.lay.ptr)
	}
	a := newInstr(ir.Alloca)
	a.Dst, a.A, a.Align, a.Pos = area.Reg, ir.Imm(size), 16, l.pos
	entry := l.out.Blocks[0]
	entry.Instrs = slices.Insert(entry.Instrs, 0, a) // there it ends when the function returns
	return area
}

// vaStart makes ap the list of the arguments of this function.
func (l *lowerer) vaStart(ap value) {
	if !l.out.Variadic {
		l.unsupported("va_start in a function without variable arguments")
		return
	}
	at := l.operand(ap, 0)
	store := func(off uint64, size uint8, v ir.Operand) {
		st := newInstr(ir.Store)
		st.A, st.B, st.Size, st.Mode = l.addrAt(at, off), v, size, event.NA
		l.emit(st)
	}
	if l.lay.ptr == 4 {
		store(0, 4, ir.R(l.out.Params[len(l.out.Params)-1]))
		return
	}
	store(vaGP, 4, ir.Imm(vaNoGP))
	store(vaFP, 4, ir.Imm(vaNoFP))
	store(vaOverflow, 8, ir.R(l.out.Params[len(l.out.Params)-1]))
	store(vaSaved, 8, ir.Imm(0))
}

func (l *lowerer) vaCopy(to, from value) {
	m := newInstr(ir.MemCpy)
	m.A, m.B, m.C = l.operand(to, 0), l.operand(from, 0), ir.Imm(vaSize)
	if l.lay.ptr == 4 {
		m.C = ir.Imm(4)
	}
	l.emit(m)
}
