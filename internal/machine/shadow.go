package machine

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// With Options.Deps, every register that may carry a dependency has a shadow: a register that holds the
// event.DepSet of the reads that its value was computed from. addShadows adds the instructions that keep
// shadows up to date, after all other passes and after spin detection, which does not see them. From there on
// they are ordinary registers. The values of registers have no influence on shadows.
//
// The word of a shadow has two sets. In the lower half are the reads that the value was computed from. In the upper half are those that picked it, with Options.Picks:
// a select of inline assembly depends on the operand that it selects, and what it tests picks. Such reads are ordered before writes of the value, or to it as an address, and before what comes
// after an access of that address as if a branch had tested them (Arm Architecture Reference Manual, B2.3). So they are control dependencies: of the one write that a picked value
// is for, and of all that follows a picked address.
//
// An instruction that compares and swaps has no branch behind it: what follows does not depend on it. But the place of an event in its thread must not depend on a read that the
// event does not depend on. So an event that does nothing takes the place of the write if the instruction fails: a fence with the tag Plain.
// If it succeeds, its result comes from memory or from the register that was compared: it picks what it read, and depends on nothing. That orders what the second choice orders, and
// less than both if the compared register depends on something.
//
// The reads that the thread's branches have tested so far are in the frame's word frameDeps, with
// the place of the next event: it goes with the thread through calls and returns.

// deps says which shadows an instruction that stops, calls or returns reads and writes.
type deps struct {
	addr, data, exp ir.Reg   // of its operands; of a MemCpy addr is that of the destination and exp that of the source
	dst             ir.Reg   // of what it reads; MemCpy: of the chunk in its hands
	open            ir.Reg   // of the branches whose arms are open, see arms.go
	args, results   []ir.Reg // Call, Ret
}

func newDeps() *deps {
	return &deps{addr: ir.NoReg, data: ir.NoReg, exp: ir.NoReg, dst: ir.NoReg, open: ir.NoReg}
}

func (d *deps) uses(f func(ir.Reg)) {
	for _, r := range [...]ir.Reg{d.addr, d.data, d.exp, d.open} {
		if r != ir.NoReg {
			f(r)
		}
	}
	for _, r := range d.args {
		if r != ir.NoReg {
			f(r)
		}
	}
}

func (d *deps) defs(f func(ir.Reg)) {
	if d.dst != ir.NoReg {
		f(d.dst)
	}
	for _, r := range d.results {
		f(r)
	}
}

// A shadower adds shadows to a function.
type shadower struct {
	f   *fn
	of  []ir.Reg // by register; NoReg: it depends on nothing
	out []instr  // of the block

	// If arms are tracked:
	arms []ir.Reg // by branch: the reads that it tested; NoReg: none so far
	open regset   // the branches whose arms are open
	now  ir.Reg   // the union of their arms, NoReg if it has to be made
}

func (f *fn) addShadows() {
	s := &shadower{f: f, of: slices.Repeat([]ir.Reg{ir.NoReg}, f.regs)}
	for _, r := range f.params {
		s.give(r)
	}
	for s.spread() {
	}
	f.shadows = make([]ir.Reg, len(f.params))
	for i, r := range f.params {
		f.shadows[i] = s.of[r]
	}
	var open []regset
	if f.tracksArms {
		open = f.openArms()
		s.findArms()
	}
	for bi, b := range f.blocks {
		s.out = make([]instr, 0, 2*len(b.instrs))
		if s.now = ir.NoReg; open != nil {
			s.open = open[bi]
		}
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
	f.dropDeadReads()
}

// dropDeadReads drops the shadows of reads that nothing depends on.
func (f *fn) dropDeadReads() {
	_, out := f.liveness()
	for bi, b := range f.blocks {
		live := out[bi]
		for i := len(b.instrs) - 1; i >= 0; i-- {
			x := &b.instrs[i]
			if x.deps != nil && x.Op != ir.MemCpy && x.deps.dst != ir.NoReg && !live.Has(x.deps.dst) {
				x.deps.dst = ir.NoReg
			}
			x.defs(live.Remove)
			x.uses(live.Add)
		}
	}
}

// give gives r a shadow, and reports whether it had none.
func (s *shadower) give(r ir.Reg) bool {
	if s.of[r] != ir.NoReg {
		return false
	}
	s.of[r] = s.f.newReg()
	return true
}

// spread gives shadows to the results of instructions that read, call, or compute from registers with shadows.
func (s *shadower) spread() (changed bool) {
	for _, b := range s.f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			carries := false
			switch x.Op {
			case ir.Load, ir.RMW, ir.CmpXchg, ir.Call:
				carries = true
			case ir.MemCpy, ir.MemSet, midSpin, midUnroll:
			default:
				carries = (x.computes() || x.isBuiltin(opSize)) && len(s.operands(x)) > 0
			}
			if carries {
				x.defs(func(r ir.Reg) { changed = s.give(r) || changed })
			}
		}
	}
	return changed
}

// computes reports whether all that the instruction does is to compute its results.
func (x *instr) computes() bool { return x.Op < ir.Alloca || x.Op == midBuiltin && x.bi.pure }

func (x *instr) isBuiltin(code opcode) bool { return x.Op == midBuiltin && x.bi.code == code }

// operands returns the shadows of the operands of x, each once.
func (s *shadower) operands(x *instr) (list []ir.Reg) {
	x.eachOperand(func(o *ir.Operand, wide bool) { list = s.add(list, *o, wide) })
	return list
}

// add appends the shadows of an operand to list, unless they are there.
func (s *shadower) add(list []ir.Reg, o ir.Operand, wide bool) []ir.Reg {
	if o.Reg == ir.NoReg {
		return list
	}
	n := ir.Reg(1)
	if wide {
		n = 2
	}
	for r := o.Reg; r < o.Reg+n; r++ {
		if d := s.of[r]; d != ir.NoReg && !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// assign makes dst the union of the shadows in list.
func (s *shadower) assign(dst ir.Reg, list []ir.Reg, pos ir.Pos) {
	for len(list) > 3 {
		t := s.f.newReg()
		s.assign(t, list[:3], pos)
		list = append([]ir.Reg{t}, list[3:]...)
	}
	o := [3]ir.Operand{ir.Imm(0), ir.Imm(0), ir.Imm(0)}
	for i, r := range list {
		o[i] = ir.R(r)
	}
	switch {
	case len(list) > 1:
		s.out = append(s.out, instr{Instr: ir.Instr{Op: midDeps, Dst: dst, Dst2: ir.NoReg, A: o[0], B: o[1], C: o[2], Pos: pos}})
	case o[0] != ir.R(dst):
		s.out = append(s.out, copyTo(dst, o[0], pos))
	}
}

// assignAll makes the shadows of all results of x the union of those in list.
func (s *shadower) assignAll(x *instr, list []ir.Reg) {
	dsts := s.results(x)
	if len(dsts) > 1 && len(list) > 0 { // the first result may be an operand
		t := s.f.newReg()
		s.assign(t, list, x.Pos)
		list = []ir.Reg{t}
	}
	for _, d := range dsts {
		s.assign(d, list, x.Pos)
	}
}

// results returns the shadows of the results of x.
func (s *shadower) results(x *instr) (list []ir.Reg) {
	x.defs(func(r ir.Reg) {
		if s.of[r] != ir.NoReg {
			list = append(list, s.of[r])
		}
	})
	return list
}

// one returns a register with the dependencies of an operand, NoReg if it has none.
func (s *shadower) one(o ir.Operand, wide bool, pos ir.Pos) ir.Reg {
	list := s.add(nil, o, wide)
	switch len(list) {
	case 0:
		return ir.NoReg
	case 1:
		return list[0]
	}
	t := s.f.newReg()
	s.assign(t, list, pos)
	return t
}

// test makes what comes after it depend on the operands. If it is a branch with arms, arm is its number.
func (s *shadower) test(at int, a, b ir.Operand, arm int, pos ir.Pos) {
	list := s.add(s.add(nil, a, false), b, false)
	if len(list) == 0 {
		return
	}
	x := instr{Instr: ir.Instr{Op: midCtrl, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.R(list[0]), B: ir.Imm(0), Pos: pos}}
	if len(list) > 1 {
		x.B = ir.R(list[1])
	}
	rest := slices.Clone(s.out[at:])
	s.out = append(s.out[:at], x)
	if arm > 0 {
		s.assign(s.arms[arm], list, pos)
	}
	s.out = append(s.out, rest...)
}

// findArms gives a register to each branch that tests something with a shadow.
func (s *shadower) findArms() {
	s.arms = slices.Repeat([]ir.Reg{ir.NoReg}, s.f.arms+1)
	for _, b := range s.f.blocks {
		for i := range b.instrs {
			if x := &b.instrs[i]; (x.Op == ir.CondBr || x.Op == ir.Switch) && x.arm > 0 && len(s.operands(x)) > 0 {
				s.arms[x.arm] = s.f.newReg()
			}
		}
	}
}

// opened returns a register with the reads that the open branches have tested, NoReg if there are none. A call of what x points to is in the arm of
// a branch on the pointer.
func (s *shadower) opened(x *instr) ir.Reg {
	if s.now == ir.NoReg {
		var list []ir.Reg
		s.open.Each(func(arm ir.Reg) {
			if r := s.arms[arm]; r != ir.NoReg {
				list = append(list, r)
			}
		})
		switch len(list) {
		case 0:
		case 1:
			s.now = list[0]
		default:
			s.now = s.f.newReg()
			s.assign(s.now, list, x.Pos)
		}
	}
	if x.Op != ir.Call || x.Callee != nil {
		return s.now
	}
	list := s.add(nil, x.A, false)
	if s.now != ir.NoReg {
		list = append(list, s.now)
	}
	if len(list) < 2 {
		return append(list, ir.NoReg)[0]
	}
	t := s.f.newReg()
	s.assign(t, list, x.Pos)
	return t
}

// instr appends x with what keeps the shadows up to date.
func (s *shadower) instr(x instr) {
	var after []ir.Reg // what the results depend on, where they are known after the instruction only
	switch {
	case x.Op == ir.Copy && x.Width > 64 && x.A.Reg != ir.NoReg:
		s.copyPair(&x)
	case x.Op == ir.Select && x.Picks:
		s.pick(&x)
	case x.computes():
		s.assignAll(&x, s.operands(&x))
	case x.Op == ir.CondBr:
		at := len(s.out)
		if at > 0 && s.out[at-1].Op == ir.Cmp && !s.out[at-1].isWide() && x.A == ir.R(s.out[at-1].Dst) {
			// The code of the comparison is part of the branch: keep them together.
			s.test(at-1, s.out[at-1].A, s.out[at-1].B, x.arm, x.Pos)
		} else {
			s.test(at, x.A, ir.Imm(0), x.arm, x.Pos)
		}
	case x.Op == ir.Switch || x.Op == ir.Call && x.Callee == nil:
		s.test(len(s.out), x.A, ir.Imm(0), x.arm, x.Pos)
	case (x.Op == ir.MemCpy || x.Op == ir.MemSet) && !x.C.IsConst():
		s.test(len(s.out), x.C, ir.Imm(0), 0, x.Pos)
	case (x.isBuiltin(opAssume) || x.isBuiltin(opSpinEnd)) && len(x.Args) > 0:
		s.test(len(s.out), x.Args[0], ir.Imm(0), 0, x.Pos)
	case x.Op == midArmEnd:
		if r := s.arms[x.arm]; r != ir.NoReg && s.open.Has(ir.Reg(x.arm)) {
			s.out = append(s.out, copyTo(r, ir.Imm(0), x.Pos))
			s.now = ir.NoReg
		}
		x.moveArms(s.open)
		return
	case x.isBuiltin(opSize):
		after = s.add(nil, x.Args[0], false)
	}
	results := s.results(&x)
	x.deps = s.depsOf(&x)
	if s.arms != nil && x.stops() {
		if open := s.opened(&x); open != ir.NoReg {
			if x.deps == nil {
				x.deps = newDeps()
			}
			x.deps.open = open
		}
	}
	s.out = append(s.out, x)
	switch x.Op {
	case ir.Load, ir.RMW, ir.CmpXchg:
		after = []ir.Reg{x.deps.dst}
	case ir.Alloca, midGet, midBuiltin:
		if x.computes() {
			return
		}
	default:
		return
	}
	for _, d := range results {
		s.assign(d, after, x.Pos)
	}
}

// pick makes the shadow of a select that of the operand that it selects, picked by what it tests.
func (s *shadower) pick(x *instr) {
	dst := s.of[x.Dst]
	if dst == ir.NoReg {
		return
	}
	sel := func(b, c ir.Reg) ir.Reg {
		if b == c {
			return b
		}
		in := instr{Instr: ir.Instr{Op: ir.Select, Width: 64, Dst: s.f.newReg(), Dst2: ir.NoReg, A: x.A, B: shadowed(b), C: shadowed(c), Pos: x.Pos}}
		s.out = append(s.out, in)
		return in.Dst
	}
	by, from, or := s.one(x.A, false, x.Pos), s.one(x.B, false, x.Pos), s.one(x.C, false, x.Pos)
	if x.Weak {
		by, from = sel(or, ir.NoReg), ir.NoReg
	}
	from = sel(from, or)
	s.out = append(s.out, instr{Instr: ir.Instr{Op: midPick, Dst: dst, Dst2: ir.NoReg, A: shadowed(from), B: shadowed(by), Pos: x.Pos}})
}

// shadowed returns a shadow as an operand; the one of nothing is empty.
func shadowed(r ir.Reg) ir.Operand {
	if r == ir.NoReg {
		return ir.Imm(0)
	}
	return ir.R(r)
}

// copyPair copies the shadows of a register pair.
func (s *shadower) copyPair(x *instr) {
	var from [2][]ir.Reg
	for i := range from {
		from[i] = s.add(nil, ir.R(x.A.Reg+ir.Reg(i)), false)
		if len(from[i]) > 0 && x.A.Reg != x.Dst { // the pairs may overlap
			t := s.f.newReg()
			s.assign(t, from[i], x.Pos)
			from[i] = []ir.Reg{t}
		}
	}
	for i := range from {
		if d := s.of[x.Dst+ir.Reg(i)]; d != ir.NoReg {
			s.assign(d, from[i], x.Pos)
		}
	}
}

// depsOf returns the shadows that x needs when it stops the thread.
func (s *shadower) depsOf(x *instr) *deps {
	d := newDeps()
	_, _, wb, wc := x.wide()
	one := func(o ir.Operand, wide bool) ir.Reg { return s.one(o, wide, x.Pos) }
	switch x.Op {
	case ir.Load:
		d.addr = one(x.A, false)
		if d.dst = s.f.newReg(); x.Dst != ir.NoReg && x.Size < 16 {
			d.dst = s.of[x.Dst]
		}
	case ir.Store, ir.MemSet:
		d.addr, d.data = one(x.A, false), one(x.B, wb)
	case ir.RMW:
		d.addr, d.data, d.dst = one(x.A, false), one(x.B, wb), s.f.newReg()
	case ir.CmpXchg:
		d.addr, d.exp, d.data, d.dst = one(x.A, false), one(x.B, wb), one(x.C, wc), s.f.newReg()
	case ir.MemCpy:
		d.addr, d.exp, d.dst = one(x.A, false), one(x.B, false), s.f.newReg()
	case ir.Alloca:
		d.data = one(x.A, false)
	case midFreeStack:
		d.addr = one(x.A, false)
	case midBuiltin:
		if x.bi.pure || len(x.Args) == 0 {
			return nil
		}
		s.builtin(x, d)
	case ir.Call, ir.Ret:
		for _, a := range x.Args {
			d.args = append(d.args, one(a, false))
		}
		for _, r := range x.Results {
			d.results = append(d.results, s.of[r])
		}
	default:
		return nil
	}
	return d
}

func (s *shadower) builtin(x *instr, d *deps) {
	arg := s.one(x.Args[0], false, x.Pos)
	switch x.bi.code {
	case opFree, opSize:
		d.addr = arg
	case opSRCU:
		d.addr = arg
		if len(x.Args) > 1 {
			d.data = s.one(x.Args[1], false, x.Pos)
		}
	case opCreate:
		d.addr, d.data = arg, s.one(x.Args[1], false, x.Pos)
	case opAlloc:
		d.data = arg
		if zero := s.one(x.Args[1], false, x.Pos); zero != ir.NoReg && zero != arg {
			if d.data = zero; arg != ir.NoReg {
				d.data = s.f.newReg()
				s.assign(d.data, []ir.Reg{arg, zero}, x.Pos)
			}
		}
	case opJoin, opExit, opChoose:
		d.data = arg
	}
}

// A shadow is deps in code: the words of a frame.
type shadow struct{ addr, data, exp, dst, open uint16 }

// shadow notes the shadows of x, whose code was made last.
func (g *generator) shadow(x *instr) {
	p := g.p
	for len(p.shadows) < len(p.code) {
		p.shadows = append(p.shadows, shadow{addr: frameZero, data: frameZero, exp: frameZero, dst: noColour, open: frameZero})
	}
	d := x.deps
	if d == nil {
		return
	}
	switch x.Op {
	case ir.Call:
		c := &p.calls[len(p.calls)-1]
		c.deps, c.depResults, c.open = g.shadowRegs(d.args), g.shadowRegs(d.results), g.shadowReg(d.open)
		return
	case ir.Ret:
		p.retDeps = append(p.retDeps, g.shadowRegs(d.args))
		return
	}
	sh := &p.shadows[len(p.shadows)-1]
	sh.addr, sh.data, sh.exp, sh.open = g.shadowReg(d.addr), g.shadowReg(d.data), g.shadowReg(d.exp), g.shadowReg(d.open)
	if d.dst != ir.NoReg {
		sh.dst = g.shadowReg(d.dst)
	}
}

// shadowReg returns where a shadow is: that of NoReg is always 0.
func (g *generator) shadowReg(r ir.Reg) uint16 {
	if r == ir.NoReg {
		return frameZero
	}
	return g.colours[r]
}

func (g *generator) shadowRegs(regs []ir.Reg) (list []uint16) {
	for _, r := range regs {
		list = append(list, g.shadowReg(r))
	}
	return list
}

// The word frameDeps of a frame is place:32 ctrl:32, and is there only if the program has shadows.
const (
	placeMask = 1<<32 - 1
	ctrlShift = 32
)

// join returns the union of two shadows, set by set.
func (a *Arena) join(x, y uint64) uint64 {
	if x == y || y == 0 {
		return x
	}
	if x == 0 {
		return y
	}
	set := uint64(a.deps.Join(event.DepSet(x), event.DepSet(y)))
	if (x|y)>>pickShift != 0 {
		set |= uint64(a.deps.Join(event.DepSet(x>>pickShift), event.DepSet(y>>pickShift))) << pickShift
	}
	return set
}

// pickShift is where the second set of a shadow begins.
const pickShift = 32

// picked returns the shadow of what is picked by a value with this one.
func (a *Arena) picked(set uint64) uint64 { return uint64(a.all(set)) << pickShift }

// all returns both sets of a shadow.
func (a *Arena) all(set uint64) event.DepSet {
	return a.deps.Join(event.DepSet(set), event.DepSet(set>>pickShift))
}

// tested makes what comes next depend on the reads in set.
func (a *Arena) tested(r frame, set uint64) {
	if set != 0 {
		w := r[frameDeps]
		r[frameDeps] = w&placeMask | uint64(a.deps.Join(event.DepSet(w>>ctrlShift), a.all(set)))<<ctrlShift
	}
}

// addDeps adds the dependencies to act, at which the instruction at pc stopped.
func (p *Program) addDeps(a *Arena, r frame, in *insn, pc int, act *Action) {
	sh := &p.shadows[pc]
	act.AddrDep, act.DataDep, act.ExpDep = event.DepSet(r[sh.addr]), event.DepSet(r[sh.data]), event.DepSet(r[sh.exp])
	a.tested(r, r[sh.addr]>>pickShift)
	act.CtrlDep = event.DepSet(r[frameDeps] >> ctrlShift)
	if (r[sh.data]|r[sh.exp])>>pickShift != 0 {
		act.CtrlDep = a.deps.Join(act.CtrlDep, a.deps.Join(event.DepSet(r[sh.data]>>pickShift), event.DepSet(r[sh.exp]>>pickShift)))
	}
	if p.arms {
		act.OpenDep = event.DepSet(a.join(r[frameOpen], r[sh.open]))
	}
	switch in.op {
	case opFence:
		if in.flags&flagPicks != 0 { // it is there because of what was read right before it
			act.CtrlDep = a.deps.Join(act.CtrlDep, a.deps.Single(int32(r[frameDeps]&placeMask)-1))
		}
	case opRMW, opCAS:
		if act.RMW != event.Xchg && act.RMW != event.CAS { // what it writes depends on what it reads
			act.DataDep = a.deps.Join(act.DataDep, a.deps.Single(int32(r[frameDeps]&placeMask)))
		}
	case opMemCpy:
		if act.Kind == Store {
			act.DataDep = event.DepSet(r[sh.dst])
		} else {
			act.AddrDep = act.ExpDep
		}
		act.ExpDep = 0
	case opRet:
		for _, d := range p.retDeps[in.t] {
			act.DataDep = a.deps.Join(act.DataDep, event.DepSet(r[d]))
		}
	}
}

// countEvents gives the shadow of what the instruction at pc reads its value, and counts the events that it was.
// v is what the thread is resumed with.
func (p *Program) countEvents(a *Arena, r frame, in *insn, pc int, v event.Value, spurious bool) {
	sh := &p.shadows[pc]
	place := int32(r[frameDeps] & placeMask)
	n := uint64(1)
	switch in.op {
	case opLoad:
		if sh.dst != noColour {
			d := uint64(a.deps.Single(place))
			if phase(r) != 0 {
				d = a.join(r[sh.dst], d)
			}
			r[sh.dst] = d
		}
	case opRMW:
		n = 2
		if sh.dst != noColour {
			r[sh.dst] = uint64(a.deps.Single(place))
		}
	case opCAS:
		exp, _ := p.casOperands(r, in)
		if p.actions[in.t].RMW.Succeeds(v, exp) && !spurious {
			n = 2
		}
		d := uint64(a.deps.Single(place))
		if in.flags&flagPicks == 0 {
			a.tested(r, a.join(d, r[sh.exp]))
		}
		if sh.dst != noColour {
			r[sh.dst] = d
		}
	case opMemCpy:
		if done := phase(r); done == 0 {
			r[sh.dst] = uint64(a.deps.Single(place))
		} else if _, _, size := p.copies(r, in); done < size {
			r[sh.dst] = a.join(r[sh.dst], uint64(a.deps.Single(place)))
		}
	case opSize, opNext, opSpinCheck:
		n = 0
	}
	r[frameDeps] += n
}
