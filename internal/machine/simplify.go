package machine

import (
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// simplify propagates copies and constants, folds what is constant and drops what is not used,
// until nothing changes. No instruction that may stop or fail is dropped.
func (f *fn) simplify() {
	f.tidy()
	for range 20 {
		changed := f.propagate()
		changed = f.dropDead() || changed
		if !changed {
			break
		}
		f.tidy()
	}
}

// A fact says that a register is a constant or another register plus one, and how many bits it has.
type fact struct {
	val  ir.Operand
	bits uint8 // 0: unknown
	same bool  // val is set
	not  bool  // the register is 1 if val is 0, and 0 otherwise
}

// facts is what is known at one point of a function. users has, for each register, those
// whose facts speak of it.
type facts struct {
	of    map[ir.Reg]fact
	users map[ir.Reg][]ir.Reg
}

func (k *facts) forget(r ir.Reg) {
	delete(k.of, r)
	for _, u := range k.users[r] {
		if x, ok := k.of[u]; ok && (x.same || x.not) && x.val.Reg == r {
			x.same, x.not = false, false
			k.of[u] = x
		}
	}
	delete(k.users, r)
}

func (k *facts) set(r ir.Reg, x fact) {
	if (x.same || x.not) && x.val.Reg != ir.NoReg {
		k.users[x.val.Reg] = append(k.users[x.val.Reg], r)
	}
	k.of[r] = x
}

// startingFrom returns what holds after each of the given ends.
func startingFrom(ends []map[ir.Reg]fact) *facts {
	if len(ends) == 0 {
		return &facts{of: map[ir.Reg]fact{}, users: map[ir.Reg][]ir.Reg{}}
	}
	k := &facts{of: make(map[ir.Reg]fact, len(ends[0])), users: map[ir.Reg][]ir.Reg{}}
	for r, x := range ends[0] {
		for _, e := range ends[1:] {
			y := e[r]
			if x.same != y.same || x.not != y.not || x.val != y.val {
				x.same, x.not = false, false
			}
			if x.bits == 0 || y.bits == 0 {
				x.bits = 0
			} else {
				x.bits = max(x.bits, y.bits)
			}
		}
		if x.same || x.not || x.bits != 0 {
			k.set(r, x)
		}
	}
	return k
}

// A single is a register that is assigned at one place only, and where.
type single struct {
	block, index int
	val          ir.Operand // of a copy
	copies       bool
	many         bool
	seen         bool
}

// singles finds the definitions of the registers that have just one.
func (f *fn) singles() []single {
	defs := make([]single, f.regs)
	for _, r := range f.params {
		defs[r] = single{block: 0, index: -1, seen: true}
	}
	for bi, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			x.defs(func(r ir.Reg) {
				if defs[r].seen {
					defs[r].many = true
					return
				}
				defs[r] = single{block: bi, index: i, seen: true}
				if x.Op == ir.Copy && x.Width <= 64 {
					defs[r].copies, defs[r].val = true, x.A
				}
			})
		}
	}
	return defs
}

// propagate replaces operands by what they are known to be.
func (f *fn) propagate() (changed bool) {
	defs := f.singles()
	idom := f.dominators()
	preds := f.preds()
	ends := make([]map[ir.Reg]fact, len(f.blocks))
	before := func(d single, block, index int) bool {
		if d.block == block {
			return d.index < index
		}
		return dominates(idom, d.block, block)
	}
	for bi, b := range f.blocks {
		var from []map[ir.Reg]fact
		for _, q := range preds[bi] {
			if ends[q] == nil { // a back edge
				from = nil
				break
			}
			from = append(from, ends[q])
		}
		k := startingFrom(from)
		for i := range b.instrs {
			x := &b.instrs[i]
			// A register that is assigned once has the same value wherever its definition came before, as in SSA form.
			// (Not in the index order within this block: folding never moves instructions.)
			x.eachOperand(func(o *ir.Operand, wide bool) {
				if wide || o.Reg == ir.NoReg {
					return
				}
				for range 8 {
					if o.Reg == ir.NoReg {
						break
					}
					v, ok := k.of[o.Reg]
					if ok = ok && v.same; ok {
						o.Reg, o.Imm = v.val.Reg, o.Imm+v.val.Imm
						changed = true
						continue
					}
					d := defs[o.Reg]
					if !d.copies || d.many || !before(d, bi, i) {
						break
					}
					if d.val.Reg != ir.NoReg {
						s := defs[d.val.Reg]
						if !s.seen || s.many || d.val.Reg == o.Reg || !before(s, d.block, d.index) {
							break
						}
					}
					o.Reg, o.Imm = d.val.Reg, o.Imm+d.val.Imm
					changed = true
				}
			})
			if f.fold(x, k) {
				changed = true
			}
			f.note(x, k)
		}
		ends[bi] = k.of
	}
	return changed
}

// note records what an instruction makes known.
func (f *fn) note(x *instr, k *facts) {
	if x.Op == ir.Copy && x.Width <= 64 {
		n := fact{val: x.A, same: x.A.Reg != x.Dst, bits: k.bits(x.A)}
		k.forget(x.Dst)
		k.set(x.Dst, n)
		return
	}
	var n fact
	switch x.Op {
	case ir.Cmp, ir.FCmp:
		n.bits = 1
		if x.Op == ir.Cmp && x.Width <= 64 && x.B == ir.Imm(0) && x.A.Reg != x.Dst && x.Pred == ir.EQ {
			n.val, n.not = x.A, true
		}
	case ir.Xor:
		if x.Width <= 64 && x.B == ir.Imm(1) && k.bits(x.A) == 1 && x.A.Reg != x.Dst {
			n.val, n.not, n.bits = x.A, true, 1
		}
	case ir.Trunc:
		n.bits = x.To
	case ir.And:
		if x.Width <= 64 {
			n.bits = least(k.bits(x.A), k.bits(x.B))
		}
	case ir.Or:
		if a, b := k.bits(x.A), k.bits(x.B); x.Width <= 64 && a != 0 && b != 0 {
			n.bits = max(a, b)
		}
	case ir.Load, ir.RMW, ir.CmpXchg:
		n.bits = x.Size * 8
	}
	x.defs(k.forget)
	if x.Dst2 != ir.NoReg && (x.Op == ir.CmpXchg || x.Op < ir.Alloca) {
		k.set(x.Dst2, fact{bits: 1}) // success, or overflow
	}
	if x.Dst != ir.NoReg && n != (fact{}) && n.bits <= 64 {
		k.set(x.Dst, n)
	}
}

func least(a, b uint8) uint8 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// bits returns an upper bound of the bits of an operand's value; 0 if there is none.
func (k *facts) bits(o ir.Operand) uint8 {
	if o.Reg == ir.NoReg {
		n := uint8(1)
		for n < 64 && o.Imm>>n != 0 {
			n++
		}
		return n
	}
	if o.Imm != 0 {
		return 0
	}
	return k.of[o.Reg].bits
}

// fold rewrites one instruction to a simpler one, and reports whether it did.
func (f *fn) fold(x *instr, k *facts) bool {
	become := func(o ir.Operand) bool {
		x.Instr = ir.Instr{Op: ir.Copy, Width: 64, Dst: x.Dst, Dst2: ir.NoReg, A: o, Pos: x.Pos}
		return true
	}
	switch x.Op {
	case ir.CondBr:
		if x.A.IsConst() {
			to := x.Targets[1]
			if x.A.Imm != 0 {
				to = x.Targets[0]
			}
			x.Op, x.Targets, x.A = ir.Br, []int{to}, ir.Imm(0)
			return true
		}
		if x.A.Imm == 0 {
			if n := k.of[x.A.Reg]; n.not {
				x.A = n.val
				x.Targets[0], x.Targets[1] = x.Targets[1], x.Targets[0]
				return true
			}
		}
		return false
	case ir.Switch:
		if !x.A.IsConst() {
			return false
		}
		to := x.Targets[len(x.Cases)]
		for i, c := range x.Cases {
			if c == x.A.Imm {
				to = x.Targets[i]
				break
			}
		}
		x.Op, x.Targets, x.A = ir.Br, []int{to}, ir.Imm(0)
		return true
	case midUninit:
		if !x.A.IsConst() {
			return false
		}
		if x.A.Imm != 0 {
			*x = copyTo(f.newReg(), ir.Imm(0), x.Pos) // nothing
		} else {
			*x = failing(UninitError, "", x.Pos)
		}
		return true
	}
	if x.isWide() || x.Op >= ir.TLSAddr || x.Op == ir.Copy {
		return false
	}
	a, b, c := x.operands()
	if (!a || x.A.IsConst()) && (!b || x.B.IsConst()) && (!c || x.C.IsConst()) && x.Dst2 == ir.NoReg {
		if r, _, fault := arith.Eval(&x.Instr, x.A.Imm, x.B.Imm, x.C.Imm); fault == "" {
			return become(ir.Imm(r))
		}
		return false
	}
	if !x.pure() {
		return false
	}
	switch x.Op {
	case ir.Add, ir.And, ir.Or, ir.Xor, ir.Mul: // a constant goes to the right
		if x.A.IsConst() {
			x.A, x.B = x.B, x.A
		}
	}
	switch x.Op {
	case ir.ZExt:
		if n := k.of[x.A.Reg]; x.A.Imm == 0 && n.bits == 0 { // the copy would not tell
			n.bits = x.Width
			k.of[x.A.Reg] = n
		}
		return become(x.A)
	case ir.Freeze:
		if !f.undef {
			return become(x.A)
		}
	case ir.Trunc:
		if n := k.bits(x.A); n != 0 && n <= x.To {
			return become(x.A)
		}
	case ir.SExt:
		if n := k.bits(x.A); n != 0 && n < x.Width {
			return become(x.A)
		}
	case ir.Add:
		if x.B.IsConst() && (x.Width == 64 || x.B.Imm == 0) {
			return become(ir.Operand{Reg: x.A.Reg, Imm: x.A.Imm + x.B.Imm})
		}
	case ir.Sub:
		if x.B.IsConst() && (x.Width == 64 || x.B.Imm == 0) {
			return become(ir.Operand{Reg: x.A.Reg, Imm: x.A.Imm - x.B.Imm})
		}
	case ir.Gep:
		if x.B.IsConst() {
			return become(ir.Operand{Reg: x.A.Reg, Imm: x.A.Imm + x.B.Imm*uint64(x.Scale) + uint64(x.Off)})
		}
		if x.A.IsConst() && x.Scale == 1 {
			return become(ir.Operand{Reg: x.B.Reg, Imm: x.B.Imm + x.A.Imm + uint64(x.Off)})
		}
	case ir.And:
		if n := k.bits(x.A); x.B.IsConst() && n != 0 && arith.Mask(n)&^x.B.Imm == 0 {
			return become(x.A)
		}
	case ir.Or, ir.Xor, ir.Shl, ir.LShr, ir.AShr:
		if x.B == ir.Imm(0) {
			return become(x.A)
		}
	case ir.Mul, ir.UDiv:
		if x.B == ir.Imm(1) {
			return become(x.A)
		}
	case ir.Cmp:
		return f.foldCmp(x, k, become)
	case ir.Select:
		if x.A.IsConst() {
			if x.A.Imm != 0 {
				return become(x.B)
			}
			return become(x.C)
		}
		if x.B == ir.Imm(1) && x.C == ir.Imm(0) && k.bits(x.A) == 1 && !x.Picks {
			return become(x.A)
		}
	}
	return false
}

func (f *fn) foldCmp(x *instr, k *facts, become func(ir.Operand) bool) bool {
	if x.A.IsConst() {
		x.A, x.B = x.B, x.A
		x.Pred = [...]ir.Pred{ir.EQ, ir.NE, ir.UGT, ir.UGE, ir.ULT, ir.ULE, ir.SGT, ir.SGE, ir.SLT, ir.SLE}[x.Pred]
	}
	if x.A == x.B && !f.deps && !f.undef {
		return become(ir.Imm(arith.Truth(arith.Compare(x.Pred, 0, 0, 64))))
	}
	if !x.B.IsConst() || x.A.Reg == ir.NoReg || k.bits(x.A) != 1 || x.B.Imm > 1 {
		return false
	}
	// A truth value compared with another one.
	switch {
	case x.Pred == ir.NE && x.B.Imm == 0, x.Pred == ir.EQ && x.B.Imm == 1:
		return become(x.A)
	case x.Pred == ir.NE && x.B.Imm == 1:
		x.Pred, x.B.Imm = ir.EQ, 0
		return true
	}
	if x.Pred == ir.EQ && x.B.Imm == 0 && x.A.Imm == 0 {
		if n := k.of[x.A.Reg]; n.not && k.bits(n.val) == 1 {
			return become(n.val)
		}
	}
	return false
}

// dropDead removes instructions whose results are never used.
func (f *fn) dropDead() (changed bool) {
	_, out := f.liveness()
	for bi, b := range f.blocks {
		live := out[bi]
		kept := len(b.instrs)
		for i := len(b.instrs) - 1; i >= 0; i-- {
			x := &b.instrs[i]
			used := !x.pure() || x.Op == ir.Copy && x.Width > 64 && x.A.Reg == ir.NoReg
			x.defs(func(r ir.Reg) { used = used || live.Has(r) })
			if x.Op == ir.Copy && x.A == ir.R(x.Dst) {
				used = false
			}
			if !used {
				changed = true
				continue
			}
			x.defs(live.Remove)
			x.uses(live.Add)
			if kept--; kept != i {
				b.instrs[kept] = *x
			}
		}
		b.instrs = append(b.instrs[:0], b.instrs[kept:]...)
	}
	return changed
}
