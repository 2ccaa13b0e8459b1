package machine

import (
	"fmt"
	"slices"

	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// Reading what was never written is not an error: to copy a struct copies its padding too. Using it is one: a branch, an
// address, a divisor or output that depends on it.
//
// A Value says which of its bits are undefined. Without Options.Undef only MemCpy passes that on, and any other
// instruction that gets an undefined bit ends in an error that is Untracked: then the engine compiles the program again with
// Options.Undef and starts anew. So programs that do not read what was never written pay nothing.
//
// With Options.Undef, every register that may have undefined bits has a mask: a register that says which.
// addMasks adds the instructions that keep masks up to date (undefrule.go), and the checks, after all other passes.

// A masker adds masks to a function.
type masker struct {
	f      *fn
	of     []ir.Reg  // by register; NoReg: all its bits are defined
	origin []*ir.Var // by register: the variable that undefined bits come from; nil: none yet, unknownVar: several, or memory
	out    []instr   // of the block
}

var (
	unknownVar = new(ir.Var)
	noValue    = new(ir.Var) // an ir.Undef
)

func (f *fn) addMasks() {
	s := &masker{f: f, of: slices.Repeat([]ir.Reg{ir.NoReg}, f.regs), origin: make([]*ir.Var, f.regs)}
	for _, r := range f.params {
		s.give(r, unknownVar)
	}
	for s.spread() {
	}
	f.masks = make([]ir.Reg, len(f.params))
	for i, r := range f.params {
		f.masks[i] = s.of[r]
	}
	for _, b := range f.blocks {
		s.out = make([]instr, 0, 2*len(b.instrs))
		for i := range b.instrs {
			s.instr(b.instrs[i])
		}
		b.instrs = s.out
	}
	for range 20 {
		if !f.dropDead() {
			break
		}
	}
}

// give gives r a mask, for bits that come from v, and reports whether that is news.
func (s *masker) give(r ir.Reg, v *ir.Var) (changed bool) {
	if s.of[r] == ir.NoReg {
		s.of[r] = s.f.newReg()
		s.of, s.origin = append(s.of, ir.NoReg), append(s.origin, nil)
		changed = true
	}
	if v != nil && s.origin[r] != v && s.origin[r] != unknownVar {
		if s.origin[r] != nil {
			v = unknownVar
		}
		s.origin[r] = v
		changed = true
	}
	return changed
}

// spread gives masks to the results of instructions that load, call, or compute from registers with masks.
func (s *masker) spread() (changed bool) {
	for _, b := range s.f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			var from *ir.Var
			switch {
			case x.Op == midUndef:
				if from = x.Var; from == nil {
					from = unknownVar
				}
			case x.Op == ir.Load && x.Size <= 8, x.Op == ir.Call, x.isBuiltin(opJoin):
				from = unknownVar
			case x.computes():
				x.eachOperand(func(o *ir.Operand, wide bool) {
					for _, r := range registers(*o, wide) {
						if v := s.origin[r]; v != nil && from != v {
							if from != nil {
								v = unknownVar
							}
							from = v
						}
					}
				})
			}
			if from != nil {
				x.defs(func(r ir.Reg) { changed = s.give(r, from) || changed })
			}
		}
	}
	return changed
}

// registers returns those of an operand.
func registers(o ir.Operand, wide bool) []ir.Reg {
	switch {
	case o.Reg == ir.NoReg:
		return nil
	case wide:
		return []ir.Reg{o.Reg, o.Reg + 1}
	}
	return []ir.Reg{o.Reg}
}

// mask returns the register with the mask of an operand, NoReg if all its bits are defined.
func (s *masker) mask(o ir.Operand, pos ir.Pos) ir.Reg {
	if o.Reg == ir.NoReg || s.of[o.Reg] == ir.NoReg {
		return ir.NoReg
	}
	if o.Imm == 0 {
		return s.of[o.Reg]
	}
	t := s.f.newReg()
	s.out = append(s.out, instr{
		Instr:  ir.Instr{Op: midMask, Dst: ir.NoReg, Dst2: ir.NoReg, Args: []ir.Operand{ir.R(o.Reg), ir.Imm(o.Imm), ir.Imm(0), ir.R(s.of[o.Reg]), ir.Imm(0), ir.Imm(0)}, Results: []ir.Reg{t}, Pos: pos},
		masked: &ir.Instr{Op: ir.Add, Width: 64},
	})
	return t
}

// instr appends x with what keeps the masks up to date before it.
func (s *masker) instr(x instr) {
	switch {
	case x.Op == midUndef:
		s.out = append(s.out, copyTo(s.of[x.Dst], ir.Imm(arith.Mask(x.Width)), x.Pos))
	case x.Op == ir.Copy && x.Width <= 64 && x.A.Imm == 0:
		if to := s.of[x.Dst]; to != ir.NoReg {
			from := ir.Imm(0)
			if x.A.Reg != ir.NoReg && s.of[x.A.Reg] != ir.NoReg {
				from = ir.R(s.of[x.A.Reg])
			}
			s.out = append(s.out, copyTo(to, from, x.Pos))
		}
	case x.computes():
		s.compute(&x)
	case x.Op == ir.CondBr:
		at := len(s.out)
		if at > 0 && s.out[at-1].Op == ir.Cmp && !s.out[at-1].isWide() && x.A == ir.R(s.out[at-1].Dst) {
			at-- // the code of the comparison is part of the branch: keep them together
		}
		s.useAt(at, "a branch depends on", x.A, x.Pos)
	case x.Op == midOutput:
		for _, a := range x.Args {
			s.use(x.Message, a, x.Pos)
		}
		return
	default:
		s.access(&x)
	}
	s.out = append(s.out, x)
	if x.Op == midUndef || x.Op == ir.Load && x.Size <= 8 || x.Op == ir.Call || x.isBuiltin(opJoin) || x.computes() {
		return
	}
	x.defs(func(r ir.Reg) { // other results are defined
		if int(r) < len(s.of) && s.of[r] != ir.NoReg {
			s.out = append(s.out, copyTo(s.of[r], ir.Imm(0), x.Pos))
		}
	})
}

// compute computes the masks of the results of x, an instruction that only computes.
func (s *masker) compute(x *instr) {
	if x.Op == ir.UDiv || x.Op == ir.SDiv || x.Op == ir.URem || x.Op == ir.SRem {
		_, _, wide, _ := x.wide()
		for _, r := range registers(x.B, wide) {
			s.use("a divisor depends on", ir.R(r), x.Pos)
		}
	}
	m := instr{Instr: ir.Instr{Op: midMask, Dst: ir.NoReg, Dst2: ir.NoReg, Pos: x.Pos}, masked: &x.Instr, pairs: x.isWide()}
	var values, masks []ir.Operand
	some := false
	word := func(o ir.Operand) {
		u := ir.Imm(0)
		if r := s.mask(o, x.Pos); r != ir.NoReg {
			u, some = ir.R(r), true
		}
		values, masks = append(values, o), append(masks, u)
	}
	list := []ir.Operand{x.A, x.B, x.C}
	var wide [3]bool
	_, wide[0], wide[1], wide[2] = x.wide()
	var has [3]bool
	has[0], has[1], has[2] = x.operands()
	if x.Op == midBuiltin {
		list, has = slices.Grow(slices.Clone(x.Args), 3)[:3], [3]bool{len(x.Args) > 0, len(x.Args) > 1, len(x.Args) > 2}
		m.masked = &ir.Instr{Width: 64}
	}
	for i, o := range list {
		if !has[i] {
			o = ir.Imm(0)
		}
		word(o)
		if m.pairs {
			if wide[i] && has[i] && o.Reg != ir.NoReg {
				word(ir.R(o.Reg + 1))
			} else {
				word(ir.Imm(0))
			}
		}
	}
	known := false
	x.defs(func(r ir.Reg) {
		known = known || s.of[r] != ir.NoReg
		m.Results = append(m.Results, s.of[r])
	})
	if !known {
		return
	}
	for i, r := range m.Results {
		if r == ir.NoReg {
			m.Results[i] = s.f.newReg()
		}
	}
	if !some {
		for _, r := range m.Results {
			s.out = append(s.out, copyTo(r, ir.Imm(0), x.Pos))
		}
		return
	}
	m.Args = append(values, masks...)
	s.out = append(s.out, m)
}

// use makes it an error if o has an undefined bit.
func (s *masker) use(what string, o ir.Operand, pos ir.Pos) { s.useAt(len(s.out), what, o, pos) }

func (s *masker) useAt(at int, what string, o ir.Operand, pos ir.Pos) {
	if o.Reg == ir.NoReg || s.of[o.Reg] == ir.NoReg {
		return
	}
	x := instr{Instr: ir.Instr{Op: midUse, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.R(s.of[o.Reg]), Message: what, Pos: pos}}
	if v := s.origin[o.Reg]; v != unknownVar {
		x.Var = v
	}
	s.out = slices.Insert(s.out, at, x)
}

// access adds the checks of the operands of x, and notes the masks that it needs.
func (s *masker) access(x *instr) {
	d := newDeps()
	use := func(what string, o ir.Operand) { s.use(what, o, x.Pos) }
	switch x.Op {
	case ir.Load:
		use("an address depends on", x.A)
		if x.Size > 8 {
			return
		}
		if d.dst = s.f.newReg(); x.Dst != ir.NoReg {
			d.dst = s.of[x.Dst]
		}
	case ir.Store, ir.MemSet, ir.RMW:
		use("an address depends on", x.A)
		if x.Op == ir.MemSet {
			use("a size depends on", x.C)
		}
		if x.Size > 8 {
			return
		}
		d.data = s.mask(x.B, x.Pos)
	case ir.CmpXchg:
		use("an address depends on", x.A)
		for _, r := range registers(x.B, x.Size > 8) {
			use("the expected value of a compare-and-swap depends on", ir.R(r))
		}
		if x.Size > 8 {
			return
		}
		d.data = s.mask(x.C, x.Pos)
	case ir.MemCpy:
		use("an address depends on", x.A)
		use("an address depends on", x.B)
		use("a size depends on", x.C)
		return
	case ir.Alloca:
		use("a size depends on", x.A)
		return
	case ir.Switch:
		use("a branch depends on", x.A)
		return
	case ir.Call, ir.Ret:
		if x.Op == ir.Call && x.Callee == nil {
			use("the address of a call depends on", x.A)
		}
		for _, a := range x.Args {
			d.args = append(d.args, s.mask(a, x.Pos))
		}
		for _, r := range x.Results {
			d.results = append(d.results, s.of[r])
		}
	case midBuiltin:
		s.builtin(x, d)
	default:
		return
	}
	x.undef = d
}

func (s *masker) builtin(x *instr, d *deps) {
	passed := -1 // the argument that is only passed on
	switch x.bi.code {
	case opFailCall, opError, opErrorText:
		return
	case opCreate:
		passed = 1
	case opExit:
		passed = 0
	}
	for i, a := range x.Args {
		switch {
		case i == passed:
			d.data = s.mask(a, x.Pos)
		case x.bi.code == opAssume:
			s.use("an assumption depends on", a, x.Pos)
		default:
			s.use("an argument of the library depends on", a, x.Pos)
		}
	}
	if x.bi.code == opJoin {
		for _, r := range x.Results {
			d.dst = s.of[r]
		}
	}
}

// used is the error of midUse: what was undefined, if anything is known of that, is v.
func used(what string, v *ir.Var) *Error {
	switch {
	case v == noValue:
		return &Error{Kind: UninitError, Message: what + " an undefined value"}
	case v == nil:
		return &Error{Kind: UninitError, Message: what + " memory that was never written"}
	case v.Result:
		return &Error{Kind: UninitError, Message: fmt.Sprintf("%s the result of `%s`, which ended without a return statement", what, v.Name), Decl: v.Pos}
	}
	return &Error{Kind: UninitError, Message: fmt.Sprintf("%s `%s`, which was never written", what, v.Name), Decl: v.Pos}
}

// Untracked is the error of an undefined bit where nothing keeps track of it.
var Untracked = &Error{Kind: UninitError, Message: "read of memory that was never written", Untracked: true}

// Unwritten is the error of a read-modify-write that reads an undefined bit. C has no word for an atomic object that was not initialised.
var Unwritten = &Error{Kind: UninitError, Message: "read of memory that was never written"}

// A maskOp computes the masks of an instruction's results.
type maskOp struct {
	in     ir.Instr
	values []operand
	masks  []uint16
	pairs  bool // operands and the first result are register pairs
	dst    []uint16
}

// maskOp makes x, a midMask, one in code.
func (g *generator) maskOp(x *instr) int32 {
	n := len(x.Args) / 2
	m := maskOp{in: *x.masked, values: g.operands(x.Args[:n]), pairs: x.pairs, dst: g.results(x.Results)}
	for _, o := range x.Args[n:] {
		r, _ := g.operand(o)
		m.masks = append(m.masks, r)
	}
	g.p.maskOps = append(g.p.maskOps, m)
	return int32(len(g.p.maskOps) - 1)
}

// any reports whether an operand has an undefined bit.
func (m *maskOp) any(r frame) bool {
	u := uint64(0)
	for _, k := range m.masks {
		u |= r[k]
	}
	return u != 0
}

func (m *maskOp) run(r frame) {
	if !m.any(r) {
		for _, d := range m.dst {
			r[d] = 0
		}
		return
	}
	var v, u [3]pair
	for i := range v {
		if !m.pairs {
			v[i].Lo, u[i].Lo = r[m.values[i].reg]+m.values[i].imm, r[m.masks[i]]
			continue
		}
		lo, hi := m.values[2*i], m.values[2*i+1]
		v[i] = pair{Lo: r[lo.reg] + lo.imm, Hi: r[hi.reg] + hi.imm}
		u[i] = pair{Lo: r[m.masks[2*i]], Hi: r[m.masks[2*i+1]]}
	}
	x, over := undefined(&m.in, v, u, m.pairs)
	r[m.dst[0]] = x.Lo
	rest := m.dst[1:]
	if wide := (&instr{Instr: m.in}); m.pairs && len(rest) > 0 {
		if d, _, _, _ := wide.wide(); d {
			r[rest[0]] = x.Hi
			rest = rest[1:]
		}
	}
	for _, d := range rest {
		r[d] = over
	}
}

// noteMasks notes the masks of x, whose code was made last.
func (g *generator) noteMasks(x *instr) {
	p := g.p
	for len(p.masks) < len(p.code) {
		p.masks = append(p.masks, shadow{addr: frameZero, data: frameZero, exp: frameZero, dst: g.scratch})
	}
	d := x.undef
	if d == nil {
		return
	}
	switch x.Op {
	case ir.Call:
		c := &p.calls[len(p.calls)-1]
		c.masks, c.maskResults = g.shadowRegs(d.args), g.shadowRegs(d.results)
		return
	case ir.Ret:
		for len(p.retMasks) < len(p.rets)-1 {
			p.retMasks = append(p.retMasks, nil)
		}
		p.retMasks = append(p.retMasks, g.shadowRegs(d.args))
		return
	}
	p.code[len(p.code)-1].flags |= flagUndef
	m := &p.masks[len(p.masks)-1]
	m.data = g.shadowReg(d.data)
	if d.dst != ir.NoReg {
		m.dst = g.shadowReg(d.dst)
	}
}
