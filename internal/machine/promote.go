package machine

import (
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// An object larger than this stays in memory.
const maxPromoted = 512

// A local is a stack object that may become registers, one for each cell.
type local struct {
	dst   ir.Reg
	index ir.Reg // in sets of locals
	v     *ir.Var
	size  uint64
	cut   []bool // where a cell begins; one more for the end
	cells []cell
	bad   bool   // its address escapes, or an access is not inside
	elem  uint64 // size of the accesses at computed offsets, 0 if there are none (array.go)
	set   ir.Reg // of an array: which elements were written
}

type cell struct {
	off, size uint64
	reg       ir.Reg
	set       ir.Reg // whether it was written, where that has to be checked; else NoReg
	bit       uint64 // of an element of an array: the bit of set
	index     ir.Reg // in sets of cells
}

// A place is a register that points into a local.
type place struct {
	l        *local
	off      uint64
	computed bool // it points elsewhere in l, which is known at run time
}

// promote turns stack objects whose address is used only to access them into registers: no other thread can see them.
// An object is split into cells such that each access covers whole ones. It reports whether there were any.
func (f *fn) promote() bool {
	m := f.findLocals()
	if len(m.locals) == 0 {
		return false
	}
	m.escapes()
	m.findArrays()
	m.checkEnds()
	if f.deps && slices.ContainsFunc(m.locals, func(l *local) bool { return l.elem != 0 && !l.bad }) {
		m.keepDependent()
	}
	folded := m.foldNull()
	good := slices.DeleteFunc(m.locals, func(l *local) bool { return l.bad })
	if len(good) == 0 {
		return folded
	}
	m.locals = good
	m.cut()
	for _, l := range good {
		for from := uint64(0); from < l.size; {
			to := from + 1
			for to < l.size && !l.cut[to] {
				to++
			}
			l.cells = append(l.cells, cell{off: from, size: to - from, reg: f.newReg(), set: ir.NoReg, index: ir.Reg(m.cells)})
			m.cells++
			from = to
		}
		if l.elem == 0 {
			continue
		}
		l.set = f.newReg()
		for i := range l.cells {
			l.cells[i].set, l.cells[i].bit = l.set, 1<<i
		}
	}
	m.findUnwritten()
	m.rewrite()
	return true
}

type promoter struct {
	f      *fn
	locals []*local
	places map[ir.Reg]place
	cells  int                 // of all locals
	checks map[*instr][]ir.Reg // the cells that an instruction may read before they are written, by index
}

// findLocals finds the objects of constant size and the registers that point into them.
func (f *fn) findLocals() *promoter {
	m := &promoter{f: f, places: map[ir.Reg]place{}}
	defs := f.singles()
	for _, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			if x.Op == ir.Alloca && x.A.IsConst() && x.A.Imm <= maxPromoted && !defs[x.Dst].many {
				l := &local{dst: x.Dst, index: ir.Reg(len(m.locals)), v: x.Var, size: x.A.Imm, cut: make([]bool, x.A.Imm+1)}
				m.locals = append(m.locals, l)
				m.places[x.Dst] = place{l: l}
			}
		}
	}
	for changed := len(m.locals) > 0; changed; {
		changed = false
		for _, b := range f.blocks {
			for i := range b.instrs {
				x := &b.instrs[i]
				computed := x.Op == ir.Gep && f.indexes()
				if x.Op != ir.Copy && !computed || x.Width > 64 || defs[x.Dst].many {
					continue
				}
				if p, ok := m.at(x.A); ok {
					p.computed = p.computed || computed
					if _, known := m.places[x.Dst]; !known {
						m.places[x.Dst] = p
						changed = true
					}
				}
			}
		}
	}
	return m
}

// at returns the place that an operand points to.
func (m *promoter) at(o ir.Operand) (place, bool) {
	if o.Reg == ir.NoReg {
		return place{}, false
	}
	p, ok := m.places[o.Reg]
	p.off += o.Imm
	return p, ok
}

// good returns the place that an operand points to if its object is to be promoted.
func (m *promoter) good(o ir.Operand) (place, bool) {
	p, ok := m.at(o)
	return p, ok && !p.l.bad
}

// escapes marks the locals that must stay in memory.
func (m *promoter) escapes() {
	access := func(o ir.Operand, n uint64) {
		p, ok := m.at(o)
		switch {
		case !ok:
		case p.computed:
			p.l.elem = n
		case p.off+n > p.l.size || p.off+n < n:
			p.l.bad = true
		}
	}
	aligned := func(x *instr) {
		if p, ok := m.at(x.A); ok && !p.computed && x.Mode != event.NA && p.off%uint64(x.Size) != 0 {
			p.l.bad = true
		}
	}
	escape := func(o ir.Operand) {
		if p, ok := m.at(o); ok {
			p.l.bad = true
		}
	}
	escapeComputed := func(o ir.Operand) {
		if p, ok := m.at(o); ok && p.computed {
			p.l.bad = true
		}
	}
	for _, b := range m.f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			switch {
			case x.Op == ir.Load && x.Size <= 8:
				access(x.A, uint64(x.Size))
				aligned(x)
			case x.Op == ir.Store && x.Size <= 8:
				access(x.A, uint64(x.Size))
				aligned(x)
				escape(x.B)
			case x.Op == ir.MemCpy && x.C.IsConst() && x.C.Imm <= maxPromoted:
				access(x.A, x.C.Imm)
				access(x.B, x.C.Imm)
				escapeComputed(x.A)
				escapeComputed(x.B)
				if p, ok := m.at(x.A); ok {
					if q, ok := m.at(x.B); ok && p.l == q.l {
						p.l.bad = true
					}
				}
			case x.Op == ir.MemSet && x.C.IsConst() && x.C.Imm <= maxPromoted:
				access(x.A, x.C.Imm)
				escapeComputed(x.A)
				escape(x.B)
			case x.Op == midFreeStack:
			case x.Op == ir.Copy && x.Width <= 64, x.Op == ir.Gep:
				if _, ok := m.places[x.Dst]; !ok {
					escape(x.A)
				}
				if x.Op == ir.Gep {
					escape(x.B)
				}
			case x.Op == ir.Cmp && m.isNullCheck(x):
			default:
				x.eachOperand(func(o *ir.Operand, wide bool) {
					escape(*o)
					if wide && o.Reg != ir.NoReg {
						escape(ir.R(o.Reg + 1))
					}
				})
			}
		}
	}
}

// checkEnds marks the locals that an access may come to after their end: the engine has to find that.
func (m *promoter) checkEnds() {
	f := m.f
	ended := make([]regset, len(f.blocks)) // at the beginning of each block; nil: none
	var work []int
	for bi, b := range f.blocks {
		for i := range b.instrs {
			if _, ok := m.good(b.instrs[i].A); ok && b.instrs[i].Op == midFreeStack {
				work = append(work, bi)
				break
			}
		}
	}
	for len(work) > 0 {
		bi := work[len(work)-1]
		work = work[:len(work)-1]
		set := bitset.New[ir.Reg](len(m.locals))
		set.Join(ended[bi])
		any := ended[bi] != nil
		access := func(o ir.Operand) {
			if p, ok := m.good(o); ok && set.Has(p.l.index) {
				p.l.bad = true
			}
		}
		for i := range f.blocks[bi].instrs {
			switch x := &f.blocks[bi].instrs[i]; x.Op {
			case ir.Alloca:
				if p, ok := m.places[x.Dst]; ok {
					set.Remove(p.l.index)
				}
			case midFreeStack:
				if p, ok := m.good(x.A); ok {
					set.Add(p.l.index)
					any = true
				}
			case ir.Load, ir.Store, ir.MemSet:
				if any {
					access(x.A)
				}
			case ir.MemCpy:
				if any {
					access(x.A)
					access(x.B)
				}
			}
		}
		for _, s := range f.blocks[bi].succs() {
			if !any {
				break
			}
			if ended[s] == nil {
				ended[s] = bitset.New[ir.Reg](len(m.locals))
			}
			if ended[s].Join(set) {
				work = append(work, s)
			}
		}
	}
}

// isNullCheck reports whether a comparison asks if the address of a local is null.
func (m *promoter) isNullCheck(x *instr) bool {
	p, ok := m.at(x.A)
	return ok && !p.computed && x.Width == 64 && x.B == ir.Imm(0) && p.off <= p.l.size && (x.Pred == ir.EQ || x.Pred == ir.NE)
}

// foldNull answers null checks, which could keep an object from being promoted.
func (m *promoter) foldNull() (changed bool) {
	for _, b := range m.f.blocks {
		for i := range b.instrs {
			if x := &b.instrs[i]; x.Op == ir.Cmp && m.isNullCheck(x) {
				*x = copyTo(x.Dst, ir.Imm(arith.Truth(x.Pred == ir.NE)), x.Pos)
				changed = true
			}
		}
	}
	return changed
}

// cut decides where the cells begin: where an access does, where the other end of a copy is cut, and such
// that each cell can be accessed in memory at once.
func (m *promoter) cut() {
	set := func(l *local, off uint64) bool {
		if l.cut[off] {
			return false
		}
		l.cut[off] = true
		return true
	}
	span := func(o ir.Operand, n uint64) {
		if p, ok := m.good(o); ok && !p.computed {
			set(p.l, p.off)
			set(p.l, p.off+n)
		}
	}
	var copies []*instr
	for _, b := range m.f.blocks {
		for i := range b.instrs {
			switch x := &b.instrs[i]; x.Op {
			case ir.Load, ir.Store:
				span(x.A, uint64(x.Size))
			case ir.MemCpy, ir.MemSet:
				if x.C.IsConst() {
					span(x.A, x.C.Imm)
				}
				if x.Op == ir.MemCpy && x.C.IsConst() {
					span(x.B, x.C.Imm)
					copies = append(copies, x)
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, l := range m.locals {
			if l.bad {
				continue
			}
			set(l, 0)
			set(l, l.size)
			for off := l.elem; l.elem != 0 && off < l.size; off += l.elem {
				set(l, off)
			}
			for from := uint64(0); from < l.size; {
				to := from + 1
				for !l.cut[to] {
					to++
				}
				for from < to {
					from += uint64(natural(event.Addr(from), 8, to-from))
					changed = set(l, from) || changed
				}
			}
		}
		for _, x := range copies {
			p, okP := m.good(x.A)
			q, okQ := m.good(x.B)
			for i := uint64(0); okP && okQ && i <= x.C.Imm; i++ {
				if p.l.cut[p.off+i] || q.l.cut[q.off+i] {
					changed = set(p.l, p.off+i) || changed
					changed = set(q.l, q.off+i) || changed
				}
			}
		}
	}
}

// in returns the cells of n bytes at a place.
func (p place) in(n uint64) []cell {
	var list []cell
	for _, c := range p.l.cells {
		if c.off >= p.off && c.off < p.off+n {
			list = append(list, c)
		}
	}
	return list
}

// rewrite replaces the accesses.
func (m *promoter) rewrite() {
	for _, b := range m.f.blocks {
		var out []instr
		for i := range b.instrs {
			out = m.rewriteInstr(out, &b.instrs[i])
		}
		b.instrs = out
	}
}

func (m *promoter) rewriteInstr(out []instr, x *instr) []instr {
	p, okA := m.good(x.A)
	out = m.check(out, x)
	if okA && p.l.elem != 0 {
		if y, ok := m.rewriteArray(x, p); ok {
			return append(out, y)
		}
	}
	switch x.Op {
	case ir.Alloca:
		if q, ok := m.good(ir.R(x.Dst)); ok && q.l.dst == x.Dst {
			for _, c := range q.l.cells { // nothing of an earlier object in a loop remains
				if m.f.undef && !m.f.lenient {
					out = append(out, instr{Instr: ir.Instr{Op: midUndef, Width: uint8(8 * c.size), Dst: c.reg, Dst2: ir.NoReg, Var: x.Var, Pos: x.Pos}})
					continue
				}
				out = append(out, copyTo(c.reg, ir.Imm(0), x.Pos))
				if c.bit == 0 {
					out = c.mark(out, ir.Imm(0), x.Pos)
				}
			}
			if q.l.elem != 0 {
				out = append(out, copyTo(q.l.set, ir.Imm(-arith.Truth(m.f.lenient)), x.Pos))
			}
			return out
		}
	case midFreeStack:
		if okA {
			return out
		}
	case ir.Copy:
		if okA && x.Width <= 64 {
			return out
		}
	case ir.Load:
		if okA {
			all, code := m.gather(out, p, uint64(x.Size), x.Pos)
			return append(code, copyTo(x.Dst, all, x.Pos))
		}
	case ir.Store:
		if okA {
			return m.scatter(out, p, uint64(x.Size), x.B, x.Pos)
		}
	case ir.MemSet:
		if !okA {
			break
		}
		t := m.f.newReg()
		u := m.f.newReg()
		out = append(out, compute(ir.And, u, x.B, ir.Imm(0xff), x.Pos), compute(ir.Mul, t, ir.R(u), ir.Imm(0x0101010101010101), x.Pos))
		for _, c := range p.in(x.C.Imm) {
			out = append(out, compute(ir.And, c.reg, ir.R(t), ir.Imm(arith.Mask(uint8(8*c.size))), x.Pos))
			out = c.mark(out, ir.Imm(1), x.Pos)
		}
		return out
	case ir.MemCpy:
		return m.rewriteCopy(out, x)
	}
	return append(out, *x)
}

// gather computes the value of n bytes at a place.
func (m *promoter) gather(out []instr, p place, n uint64, pos ir.Pos) (ir.Operand, []instr) {
	cells := p.in(n)
	all := ir.R(cells[0].reg)
	for _, c := range cells[1:] {
		t, u := m.f.newReg(), m.f.newReg()
		out = append(out, compute(ir.Shl, t, ir.R(c.reg), ir.Imm(8*(c.off-p.off)), pos), compute(ir.Or, u, all, ir.R(t), pos))
		all = ir.R(u)
	}
	return all, out
}

// scatter assigns a value to the n bytes at a place.
func (m *promoter) scatter(out []instr, p place, n uint64, v ir.Operand, pos ir.Pos) []instr {
	cells := p.in(n)
	for _, c := range cells {
		out = c.mark(out, ir.Imm(1), pos)
	}
	if len(cells) == 1 {
		return append(out, copyTo(cells[0].reg, v, pos))
	}
	for _, c := range cells {
		t := m.f.newReg()
		out = append(out, compute(ir.LShr, t, v, ir.Imm(8*(c.off-p.off)), pos), compute(ir.And, c.reg, ir.R(t), ir.Imm(arith.Mask(uint8(8*c.size))), pos))
	}
	return out
}

func compute(op ir.Op, dst ir.Reg, a, b ir.Operand, pos ir.Pos) instr {
	return instr{Instr: ir.Instr{Op: op, Width: 64, Dst: dst, Dst2: ir.NoReg, A: a, B: b, Pos: pos}}
}

// rewriteCopy replaces a copy from or to locals. Memory is accessed in the same pieces as before.
func (m *promoter) rewriteCopy(out []instr, x *instr) []instr {
	p, okA := m.good(x.A)
	q, okB := m.good(x.B)
	if okA && okB {
		from := q.in(x.C.Imm)
		for i, c := range p.in(x.C.Imm) {
			out = append(out, copyTo(c.reg, ir.R(from[i].reg), x.Pos))
			if from[i].set != ir.NoReg {
				out = c.mark(out, ir.R(from[i].set), x.Pos)
			} else {
				out = c.mark(out, ir.Imm(1), x.Pos)
			}
		}
		return out
	}
	if !okA && !okB {
		return append(out, *x)
	}
	access := func(op ir.Op, dst ir.Reg, at ir.Operand, v ir.Operand, n uint64) {
		out = append(out, instr{private: x.private, Instr: ir.Instr{Op: op, Size: uint8(n), Dst: dst, Dst2: ir.NoReg, A: at, B: v, Pos: x.Pos}})
	}
	for done := uint64(0); done < x.C.Imm; {
		from, to := x.B, x.A
		from.Imm += done
		to.Imm += done
		at := place{l: p.l, off: p.off + done}
		if okB {
			at = place{l: q.l, off: q.off + done}
		}
		n := uint64(natural(event.Addr(at.off), 8, x.C.Imm-done))
		if okA {
			t := m.f.newReg()
			access(ir.Load, t, from, ir.Imm(0), n)
			out = m.scatter(out, at, n, ir.R(t), x.Pos)
		} else {
			var v ir.Operand
			v, out = m.gather(out, at, n, x.Pos)
			access(ir.Store, ir.NoReg, to, v, n)
		}
		done += n
	}
	return out
}
