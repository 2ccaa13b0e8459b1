package enumerate

import (
	"fmt"
	"slices"

	"ravel/internal/litmus"
	"ravel/internal/litmus/symbolic"
)

// A kind is what an event does.
type kind uint8

const (
	read kind = iota
	write
	fence
	// Only for models that look inside instructions (registers.go):
	readReg
	writeReg
	branching
)

// An event is one of a path: its address and value may depend on what reads of the path receive.
type event struct {
	kind             kind
	size             uint8
	amo              bool // pair is of one instruction
	cond             bool // a compare-and-swap: what pair reads decides whether it happens
	op               *litmus.Op
	addr, val        litmus.Expr // val of a write; addr is nil for most fences
	sets             []string
	inst             int // the instruction, counted as they are run
	pair             int // of a write: the read of its read-modify-write in the path, or -1
	addrs, data      bits
	ctrl             bits
	pickAddr, pickOn bits // reads that chose the address, or the value
	selects          bits // reads that some earlier select depends on
	inside           inside
}

// A path is one way through a thread, with what reads receive left open.
type path struct {
	events []event
	conds  []symbolic.Condition
	regs   []litmus.Expr // at the end, in the order of runner.regs
	lost   bool          // it ends with a jump to what is not a label
}

// A runner is the symbolic.Engine that finds the paths of a thread.
type runner struct {
	symbolic.Walker[*progress]
	test   *litmus.Test
	file   string
	regs   map[litmus.Reg]int
	unroll int
	cells  cells
	paths  []*path
	cut    bool // a loop was left because of the bound
	split  int  // an instruction whose access is done in parts, or -1
	// success: what uses the result of a store-exclusive depends on the write, as on RISC-V.
	success bool
	inside  bool // accesses of registers are events
	machine bool // the thread is of a processor's instructions
	// picks: what a select tests only picks. On RISC-V the result depends on all operands (Zicond). So do quotients, which are selects here.
	picks bool
}

// A progress is where a runner is on one path.
type progress struct {
	symbolic.State
	regs    []symbol
	events  []event
	ctrl    []control
	inst    int     // of the current instruction
	ins     int     // its index, -1 at the beginning
	excl    []int   // the last exclusive loads
	storing []int   // those that the current store-exclusive is paired with
	back    []uint8 // how often each backward branch was taken
	own     bits    // reads of the current instruction
	selects bits    // reads that conditions of selects depend on
	known   *symbol // the address of the next access, if forkAddress chose it
	lost    bool
	rounds  int // of loops that count
}

// A control is the reads that a branch depended on, up to the operation join.
type control struct {
	deps bits
	join int
}

const maxPaths, maxSteps, maxRounds = 20_000, 4_000, 100

// A failure is the panic that carries an error out of the enumeration.
type failure struct{ err error }

// Fail implements symbolic.Engine.
func (r *runner) Fail(ins int, format string, args ...any) {
	panic(failure{&Error{r.file, r.Thread.Instrs[ins].Line, r.Thread.Instrs[ins].Col, fmt.Sprintf(format, args...)}})
}

// paths returns all paths of a thread. cut says that some were dropped since a loop goes round too often.
func paths(t *litmus.Test, th *litmus.Thread, unroll int, c cells, inside bool, poll func()) (*runner, []*path) {
	r := &runner{
		test: t, file: t.File, regs: map[litmus.Reg]int{}, unroll: unroll, cells: c, split: -1,
		success: t.Arch == litmus.RISCV, inside: inside, machine: isMachine(t.Arch), picks: t.Arch != litmus.RISCV,
	}
	r.Walker = symbolic.Walker[*progress]{Thread: th, Engine: r, MaxSteps: maxSteps, Poll: poll}
	for i, reg := range th.Regs() {
		r.regs[reg] = i
	}
	p := &progress{ins: -1, regs: make([]symbol, len(r.regs)), back: make([]uint8, len(th.Ops))}
	for i := range p.regs {
		p.regs[i].x = litmus.Value{}
	}
	for _, init := range th.Init {
		p.regs[r.regs[init.Reg]].x = init.Value
	}
	r.Run(p)
	return r, r.paths
}

// Fork implements symbolic.Path.
func (p *progress) Fork() *progress {
	c := *p
	c.regs = slices.Clone(p.regs)
	c.events = slices.Clone(p.events)
	c.Conds = slices.Clone(p.Conds)
	c.ctrl = slices.Clone(p.ctrl)
	c.back = slices.Clone(p.back)
	return &c
}

// value returns an expression with the registers replaced, and the reads it depends on.
func (r *runner) value(p *progress, e litmus.Expr) symbol {
	s := symbol{x: r.subst(p, e)}
	r.depend(p, e, false, &s)
	return s
}

func (r *runner) subst(p *progress, e litmus.Expr) litmus.Expr {
	return symbolic.Subst(e, func(reg litmus.Reg) litmus.Expr { return p.regs[r.regs[reg]].x })
}

// depend collects the reads that an expression uses; those in the condition of a select may only pick.
func (r *runner) depend(p *progress, e litmus.Expr, pick bool, s *symbol) {
	switch e := e.(type) {
	case litmus.Reg:
		reg := &p.regs[r.regs[e]]
		if pick {
			s.pick = s.pick.or(reg.deps).or(reg.pick)
		} else {
			s.deps, s.pick = s.deps.or(reg.deps), s.pick.or(reg.pick)
		}
	case *litmus.Unary:
		r.depend(p, e.X, pick, s)
	case *litmus.Binary:
		r.depend(p, e.X, pick, s)
		r.depend(p, e.Y, pick, s)
	case *litmus.Select:
		r.depend(p, e.If, pick || r.picks, s)
		r.depend(p, e.X, pick, s)
		r.depend(p, e.Y, pick, s)
	}
}

// address returns the address of an access.
func (r *runner) address(p *progress, op *litmus.Op) symbol {
	if a := p.known; a != nil {
		p.known = nil
		return *a
	}
	return r.value(p, op.Addr)
}

// Value implements symbolic.Engine.
func (r *runner) Value(p *progress, e litmus.Expr) litmus.Expr { return r.subst(p, e) }

// Assign implements symbolic.Engine.
func (r *runner) Assign(p *progress, reg litmus.Reg, n int64) {
	p.regs[r.regs[reg]] = symbol{x: litmus.Number(n)}
}

// Enter implements symbolic.Engine.
func (r *runner) Enter(p *progress, op *litmus.Op) {
	p.ctrl = slices.DeleteFunc(p.ctrl, func(c control) bool { return c.join == p.PC })
	if op.Ins != p.ins {
		p.newInstruction(op.Ins)
	}
}

func (p *progress) newInstruction(ins int) {
	p.inst++
	p.ins, p.own, p.storing = ins, bits{}, nil
}

// Skip implements symbolic.Engine.
func (r *runner) Skip(p *progress, op *litmus.Op) {
	if op.Kind == litmus.Store && op.Pair >= 0 {
		load := &r.Thread.Ops[op.Pair]
		for i := len(p.events) - 1; i >= 0 && load.Else != nil; i-- {
			if p.events[i].op == load && p.events[i].kind == read {
				p.events[i].sets = load.Else
				break
			}
		}
	}
}

// Do implements symbolic.Engine.
func (r *runner) Do(p *progress, op *litmus.Op) bool {
	switch op.Kind {
	case litmus.Set:
		if s, ok := op.X.(*litmus.Select); ok && r.machine && r.picks {
			return r.pick(p, op, s)
		}
		x := r.value(p, op.X)
		p.selects = p.selects.or(x.pick)
		x.made = r.written(p, op, r.sources(p, op.X, plain))
		p.regs[r.regs[op.Dst]] = x
	case litmus.Load:
		return r.load(p, op)
	case litmus.Store:
		return r.store(p, op)
	case litmus.Fence:
		e := event{kind: fence, op: op, sets: op.Sets, inst: p.inst, pair: -1, ctrl: p.controls()}
		if op.Addr != nil {
			a := r.value(p, op.Addr)
			e.addr, e.addrs = a.x, a.deps
		}
		r.add(p, e)
	case litmus.Clear:
		p.excl = nil
	case litmus.Jump:
		return r.jumpTo(p, op)
	case litmus.Lock, litmus.Unlock, litmus.Start, litmus.Join, litmus.External, litmus.Freeze:
		r.Fail(op.Ins, "not supported here: %s; ravel jmm check does monitors, threads, output and final fields of Java", r.Thread.Instrs[op.Ins].Text)
	}
	return true
}

// control notes that what follows depends on a condition, up to the operation join.
func (p *progress) control(x symbol, join int) {
	if d := x.deps.or(x.pick); !d.empty() {
		p.ctrl = append(p.ctrl, control{d, join})
	}
}

func (p *progress) controls() (b bits) {
	for _, c := range p.ctrl {
		b = b.or(c.deps)
	}
	return b
}

// counts reports whether a backward branch on a known value is that of a loop that counts: nothing between was a guess of ours.
func (r *runner) counts(from, to int) bool {
	return from < to && !slices.ContainsFunc(r.Thread.Ops[from:to], func(op litmus.Op) bool {
		return op.Kind == litmus.Choose || op.Kind == litmus.Jump || op.Excl
	})
}

// Branch implements symbolic.Engine.
func (r *runner) Branch(p *progress, op *litmus.Op) litmus.Expr {
	x := r.value(p, op.X)
	p.control(x, op.Join)
	r.branching(p, op.X, "BCC", plain)
	return x.x
}

// Jump implements symbolic.Engine. A loop that counts goes round as often as it does.
func (r *runner) Jump(p *progress, op *litmus.Op, known bool) bool {
	if known && r.counts(op.To, p.PC) && p.rounds < maxRounds {
		p.rounds++
		p.PC, p.ins = op.To, -1
		return true
	}
	return r.jump(p, op, op.To)
}

// jumpTo goes to where a register says: to each label that it may hold, and, if the operation says what to do then, on if it holds none.
func (r *runner) jumpTo(p *progress, op *litmus.Op) bool {
	x := r.value(p, op.X)
	p.control(x, -1)
	r.branching(p, op.X, "BCC", plain)
	if v, ok := x.x.(litmus.Value); ok {
		to, found := r.Thread.Place(v)
		if !found {
			if to = op.To; to < 0 || v.Kind == litmus.Code {
				r.Fail(op.Ins, "not supported: a jump to %v, which is no label that the initial state names", v)
			}
		}
		return r.jump(p, op, to)
	}
	none := p.Fork()
	for _, v := range r.Thread.Found {
		is := symbolic.Equal(64, x.x, v)
		none.Conds = append(none.Conds, symbolic.Condition{X: is, Want: false, Ins: op.Ins})
		c := p.Fork()
		c.Conds = append(c.Conds, symbolic.Condition{X: is, Want: true, Ins: op.Ins})
		if to, _ := r.Thread.Place(v); r.jump(c, op, to) {
			r.Run(c)
		}
	}
	if op.To < 0 {
		none.lost = true
		r.End(none)
	} else if r.jump(none, op, op.To) {
		r.Run(none)
	}
	return false
}

// jump goes to an operation; false means that this goes round a loop too often.
func (r *runner) jump(p *progress, op *litmus.Op, to int) bool {
	if to < p.PC {
		bound := r.unroll
		if op.Kind == litmus.Jump {
			bound *= 4 // subroutines come back to all their callers
		}
		if p.back[p.PC-1]++; int(p.back[p.PC-1]) > bound {
			r.cut = true
			return false
		}
	}
	p.PC, p.ins = to, -1
	return true
}

func (r *runner) add(p *progress, e event) int {
	if len(p.events) == maxEvents {
		r.Fail(e.op.Ins, "a thread has more than %d events", maxEvents)
	}
	e.selects = p.selects
	p.events = append(p.events, e)
	return len(p.events) - 1
}

func (r *runner) load(p *progress, op *litmus.Op) bool {
	a := r.address(p, op)
	if r.forkAddress(p, op, a) {
		return false
	}
	x, deps := litmus.Expr(litmus.Value{}), bits{}
	parts := r.parts(op, a.x)
	from := inside{data: r.sources(p, op.Addr, address), ctrl: p.guarded(op)}
	for i, part := range parts {
		n := r.add(p, event{
			kind: read, op: op, size: part.size, addr: offset(a.x, part.off), sets: op.Sets, inst: p.inst, pair: -1,
			addrs: a.deps.minus(p.own), pickAddr: a.pick.minus(p.own), ctrl: p.controls(), inside: from,
		})
		if op.Excl && i == 0 {
			if len(p.excl) == 0 || p.events[p.excl[0]].inst != p.inst {
				p.excl = nil
			}
			p.excl = append(slices.Clone(p.excl), n)
		}
		deps = deps.or(bit(n))
		if len(parts) == 1 {
			x = received(n)
		} else {
			x = join(x, received(n), part)
		}
	}
	p.own = p.own.or(deps)
	p.regs[r.regs[op.Dst]] = symbol{x: x, deps: deps, made: r.written(p, op, deps)}
	return true
}

// parts returns the cells that an access is done in.
func (r *runner) parts(op *litmus.Op, addr litmus.Expr) []part {
	parts := r.cells.parts(addr, op.Size)
	if len(parts) > 1 {
		r.split = op.Ins
	}
	return parts
}

// forkAddress goes on once for each address that an access may have, where that decides in which parts it is done. It
// reports whether it did.
func (r *runner) forkAddress(p *progress, op *litmus.Op, a symbol) bool {
	if _, ok := a.x.(litmus.Value); ok || r.cells == nil {
		return false
	}
	p.PC--
	for _, v := range r.test.Vars {
		size := int64(min(op.Size, v.Type.Size))
		for off := int64(0); off < int64(v.Size()); off += size {
			c := p.Fork()
			at := litmus.AddrOf(v.Name, off)
			c.Conds = append(c.Conds, symbolic.Condition{X: symbolic.Equal(64, a.x, at), Want: true, Ins: op.Ins})
			c.known = &symbol{x: at, deps: a.deps, pick: a.pick}
			r.Run(c)
		}
	}
	return true
}

func (r *runner) store(p *progress, op *litmus.Op) bool {
	a, x := r.address(p, op), r.value(p, op.X)
	if r.forkAddress(p, op, a) {
		return false
	}
	e := event{
		kind: write, op: op, sets: op.Sets, inst: p.inst, pair: -1,
		addrs: a.deps.minus(p.own), data: x.deps.minus(p.own), ctrl: p.controls(),
		pickAddr: a.pick.minus(p.own), pickOn: x.pick.minus(p.own),
	}
	e.inside = inside{data: r.sources(p, op.Addr, address).or(r.sources(p, op.X, stored)), ctrl: p.guarded(op)}
	switch {
	case op.Pair >= 0:
		e.amo, e.cond = true, op.If != nil
		if e.cond { // what is compared with picks whether there is a write
			cond := r.value(p, op.If)
			e.pickOn = e.pickOn.or(cond.deps).or(cond.pick).minus(p.own)
		}
		for i := len(p.events) - 1; i >= 0 && p.events[i].inst == p.inst; i-- {
			if p.events[i].op == &r.Thread.Ops[op.Pair] && p.events[i].kind == read {
				e.pair = i
			}
		}
	case op.Excl && op.Dst == "": // the second half of a pair
		if len(p.storing) > 1 {
			e.pair = p.storing[1]
		}
	case op.Excl:
		failed := p.Fork()
		failed.excl = nil
		failed.regs[r.regs[op.Dst]] = symbol{x: litmus.Number(1), made: r.written(failed, op, bits{})}
		r.Run(failed)
		if len(p.excl) == 0 || p.events[p.excl[0]].op.Size != op.Size && r.test.Arch != litmus.RISCV {
			return false
		}
		equal := litmus.Expr(litmus.Number(1)) // RISC-V: any address may be in the set of those that are reserved
		if r.test.Arch != litmus.RISCV {
			equal = symbolic.Equal(64, p.events[p.excl[0]].addr, a.x)
		}
		v, known := equal.(litmus.Value)
		if elsewhere := !known || v.Int == 0; elsewhere && r.test.Arch == litmus.AArch64 { // it may succeed, but is not a read-modify-write
			other := p.Fork()
			if !known {
				other.Conds = append(other.Conds, symbolic.Condition{X: equal, Want: false, Ins: op.Ins})
			}
			other.excl, other.storing = nil, nil
			r.write(other, op, e, a, x)
			r.Run(other)
		}
		if known && v.Int == 0 {
			return false
		}
		if !known {
			p.Conds = append(p.Conds, symbolic.Condition{X: equal, Want: true, Ins: op.Ins})
		}
		e.pair = p.excl[0]
		p.storing, p.excl = p.excl, nil
	}
	r.write(p, op, e, a, x)
	return true
}

// write adds the events of a store that happens.
func (r *runner) write(p *progress, op *litmus.Op, e event, a, x symbol) {
	parts := r.parts(op, a.x)
	var written bits
	for i, part := range parts {
		w := e
		w.size, w.addr, w.val = part.size, offset(a.x, part.off), x.x
		if len(parts) > 1 {
			w.val = cutOut(x.x, part)
		}
		if e.pair >= 0 {
			w.pair += i
		}
		written = written.or(bit(r.add(p, w)))
	}
	if op.Excl && op.Dst != "" {
		status := symbol{x: litmus.Number(0)}
		if r.success {
			status.deps = written
		}
		status.made = r.written(p, op, status.deps)
		p.regs[r.regs[op.Dst]] = status
	}
}

// End implements symbolic.Engine.
func (r *runner) End(p *progress) {
	if len(r.paths) == maxPaths {
		panic(failure{&Error{File: r.file, Line: 1, Col: 1, Msg: fmt.Sprintf("thread %d has more than %d paths", r.Thread.ID, maxPaths)}})
	}
	regs := make([]litmus.Expr, len(p.regs))
	for i := range regs {
		regs[i] = p.regs[i].x
	}
	r.paths = append(r.paths, &path{p.events, p.Conds, regs, p.lost})
}
