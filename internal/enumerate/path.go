package enumerate

import (
	"fmt"
	"slices"

	"ravel/internal/litmus"
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

// A condition is what a path needs to be taken.
type condition struct {
	x    litmus.Expr
	want bool
	ins  int
}

// A path is one way through a thread, with what reads receive left open.
type path struct {
	events []event
	conds  []condition
	regs   []litmus.Expr // at the end, in the order of runner.regs
	lost   bool          // it ends with a jump to what is no label
}

// A runner finds the paths of a thread.
type runner struct {
	test   *litmus.Test
	file   string
	th     *litmus.Thread
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
	poll    func()
}

// A progress is where a runner is on one path.
type progress struct {
	pc      int
	regs    []symbol
	events  []event
	conds   []condition
	ctrl    []control
	inst    int     // of the current instruction
	ins     int     // its index, -1 at the beginning
	excl    []int   // the last exclusive loads
	storing []int   // those that the current store-exclusive is paired with
	back    []uint8 // how often each backward branch was taken
	own     bits    // reads of the current instruction
	selects bits    // reads that conditions of selects depend on
	known   *symbol // the address of the next access, if forkAddress chose it
	steps   int
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

func (r *runner) fail(ins int, format string, args ...any) {
	panic(failure{&Error{r.file, r.th.Instrs[ins].Line, r.th.Instrs[ins].Col, fmt.Sprintf(format, args...)}})
}

// paths returns all paths of a thread. cut says that some were dropped since a loop goes round too often.
func paths(t *litmus.Test, th *litmus.Thread, unroll int, c cells, inside bool, poll func()) (*runner, []*path) {
	r := &runner{
		test: t, file: t.File, th: th, regs: map[litmus.Reg]int{}, unroll: unroll, cells: c, split: -1,
		success: t.Arch == litmus.RISCV, inside: inside, machine: isMachine(t.Arch), poll: poll,
	}
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
	r.run(p)
	return r, r.paths
}

func (p *progress) clone() *progress {
	c := *p
	c.regs = slices.Clone(p.regs)
	c.events = slices.Clone(p.events)
	c.conds = slices.Clone(p.conds)
	c.ctrl = slices.Clone(p.ctrl)
	c.back = slices.Clone(p.back)
	return &c
}

// value returns an expression with the registers replaced, and the reads it depends on.
func (r *runner) value(p *progress, e litmus.Expr) symbol {
	var s symbol
	s.x = subst(e, func(reg litmus.Reg) litmus.Expr { return p.regs[r.regs[reg]].x })
	r.depend(p, e, false, &s)
	return s
}

// depend collects the reads that an expression uses; those in the condition of a select only pick.
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
		r.depend(p, e.If, true, s)
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

// decide goes on with f for each truth value that x may have.
func (r *runner) decide(p *progress, x litmus.Expr, ins int, f func(p *progress, is bool)) {
	if v, ok := x.(litmus.Value); ok {
		is, ok := v.Truth()
		if !ok {
			r.fail(ins, "whether this happens depends on the number of an address")
		}
		f(p, is)
		return
	}
	other := p.clone()
	p.conds = append(p.conds, condition{x, false, ins})
	f(p, false)
	other.conds = append(other.conds, condition{x, true, ins})
	f(other, true)
}

// run takes a path to its end, or forks it.
func (r *runner) run(p *progress) {
	r.poll()
	for p.pc < len(r.th.Ops) {
		op := &r.th.Ops[p.pc]
		p.ctrl = slices.DeleteFunc(p.ctrl, func(c control) bool { return c.join == p.pc })
		if op.Ins != p.ins {
			p.newInstruction(op.Ins)
		}
		if p.steps++; p.steps > maxSteps {
			r.fail(op.Ins, "this thread runs for more than %d operations", maxSteps)
		}
		if op.If != nil {
			cond := r.value(p, op.If)
			r.guard(p, op)
			if v, ok := cond.x.(litmus.Value); !ok || v.Kind == litmus.Undef {
				r.decide(p, cond.x, op.Ins, func(p *progress, is bool) { r.step(p, op, is) })
				return
			} else if is, _ := v.Truth(); !is {
				r.skip(p, op)
				continue
			}
		}
		if !r.do(p, op) {
			return
		}
	}
	r.end(p)
}

func (p *progress) newInstruction(ins int) {
	p.inst++
	p.ins, p.own, p.storing = ins, bits{}, nil
}

// step does or skips an operation and runs on.
func (r *runner) step(p *progress, op *litmus.Op, is bool) {
	if !is {
		r.skip(p, op)
	} else if !r.do(p, op) {
		return
	}
	r.run(p)
}

// skip passes over an operation whose guard is false.
func (r *runner) skip(p *progress, op *litmus.Op) {
	p.pc++
	if op.Kind == litmus.Store && op.Pair >= 0 {
		load := &r.th.Ops[op.Pair]
		for i := len(p.events) - 1; i >= 0 && load.Else != nil; i-- {
			if p.events[i].op == load && p.events[i].kind == read {
				p.events[i].sets = load.Else
				break
			}
		}
	}
}

// do runs one operation; it returns false if the path was forked or given up.
func (r *runner) do(p *progress, op *litmus.Op) bool {
	p.pc++
	switch op.Kind {
	case litmus.Set:
		if s, ok := op.X.(*litmus.Select); ok && r.machine {
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
	case litmus.Assume:
		x := r.value(p, op.X)
		if v, ok := x.x.(litmus.Value); ok {
			is, _ := v.Truth()
			return is
		}
		p.conds = append(p.conds, condition{x.x, true, op.Ins})
	case litmus.Choose:
		other := p.clone()
		p.regs[r.regs[op.Dst]] = symbol{x: litmus.Number(0)}
		r.run(p)
		other.regs[r.regs[op.Dst]] = symbol{x: litmus.Number(1)}
		r.run(other)
		return false
	case litmus.Jump:
		return r.jumpTo(p, op)
	case litmus.Branch:
		return r.branch(p, op)
	case litmus.Lock, litmus.Unlock, litmus.Start, litmus.Join, litmus.External, litmus.Freeze:
		r.fail(op.Ins, "not supported here: %s; ravel jmm check does monitors, threads, output and final fields of Java", r.th.Instrs[op.Ins].Text)
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
	return from < to && !slices.ContainsFunc(r.th.Ops[from:to], func(op litmus.Op) bool {
		return op.Kind == litmus.Choose || op.Kind == litmus.Jump || op.Excl
	})
}

func (r *runner) branch(p *progress, op *litmus.Op) bool {
	if op.X == nil {
		return r.jump(p, op, op.To)
	}
	x := r.value(p, op.X)
	p.control(x, op.Join)
	r.branching(p, op.X, "BCC")
	if v, ok := x.x.(litmus.Value); ok && v.Kind != litmus.Undef {
		if is, _ := v.Truth(); is {
			if r.counts(op.To, p.pc) && p.rounds < maxRounds {
				p.rounds++
				p.pc, p.ins = op.To, -1
				return true
			}
			return r.jump(p, op, op.To)
		}
		return true
	}
	r.decide(p, x.x, op.Ins, func(p *progress, is bool) {
		if !is || r.jump(p, op, op.To) {
			r.run(p)
		}
	})
	return false
}

// jumpTo goes to where a register says: to each label that it may hold, and, if the operation says what to do then, on if it holds none.
func (r *runner) jumpTo(p *progress, op *litmus.Op) bool {
	x := r.value(p, op.X)
	p.control(x, -1)
	r.branching(p, op.X, "BCC")
	if v, ok := x.x.(litmus.Value); ok {
		to, found := r.th.Place(v)
		if !found {
			if to = op.To; to < 0 || v.Kind == litmus.Code {
				r.fail(op.Ins, "not supported: a jump to %v, which is no label that the initial state names", v)
			}
		}
		return r.jump(p, op, to)
	}
	none := p.clone()
	for _, v := range r.th.Found {
		is := binary(&litmus.Binary{Op: litmus.Eq, Width: 64}, x.x, v)
		none.conds = append(none.conds, condition{is, false, op.Ins})
		c := p.clone()
		c.conds = append(c.conds, condition{is, true, op.Ins})
		if to, _ := r.th.Place(v); r.jump(c, op, to) {
			r.run(c)
		}
	}
	if op.To < 0 {
		none.lost = true
		r.end(none)
	} else if r.jump(none, op, op.To) {
		r.run(none)
	}
	return false
}

// jump goes to an operation; false means that this goes round a loop too often.
func (r *runner) jump(p *progress, op *litmus.Op, to int) bool {
	if to < p.pc {
		bound := r.unroll
		if op.Kind == litmus.Jump {
			bound *= 4 // subroutines come back to all their callers
		}
		if p.back[p.pc-1]++; int(p.back[p.pc-1]) > bound {
			r.cut = true
			return false
		}
	}
	p.pc, p.ins = to, -1
	return true
}

func (r *runner) add(p *progress, e event) int {
	if len(p.events) == maxEvents {
		r.fail(e.op.Ins, "a thread has more than %d events", maxEvents)
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
	p.pc--
	for _, v := range r.test.Vars {
		size := int64(min(op.Size, v.Type.Size))
		for off := int64(0); off < int64(v.Size()); off += size {
			c := p.clone()
			at := litmus.AddrOf(v.Name, off)
			c.conds = append(c.conds, condition{binary(&litmus.Binary{Op: litmus.Eq, Width: 64}, a.x, at), true, op.Ins})
			c.known = &symbol{x: at, deps: a.deps, pick: a.pick}
			r.run(c)
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
		for i := len(p.events) - 1; i >= 0 && p.events[i].inst == p.inst; i-- {
			if p.events[i].op == &r.th.Ops[op.Pair] && p.events[i].kind == read {
				e.pair = i
			}
		}
	case op.Excl && op.Dst == "": // the second half of a pair
		if len(p.storing) > 1 {
			e.pair = p.storing[1]
		}
	case op.Excl:
		failed := p.clone()
		failed.excl = nil
		failed.regs[r.regs[op.Dst]] = symbol{x: litmus.Number(1), made: r.written(failed, op, bits{})}
		r.run(failed)
		if len(p.excl) == 0 || p.events[p.excl[0]].op.Size != op.Size && r.test.Arch != litmus.RISCV {
			return false
		}
		equal := litmus.Expr(litmus.Number(1)) // RISC-V: any address may be in the set of those that are reserved
		if r.test.Arch != litmus.RISCV {
			equal = binary(&litmus.Binary{Op: litmus.Eq, Width: 64}, p.events[p.excl[0]].addr, a.x)
		}
		v, known := equal.(litmus.Value)
		if elsewhere := !known || v.Int == 0; elsewhere && r.test.Arch == litmus.AArch64 { // it may succeed, but is no read-modify-write
			other := p.clone()
			if !known {
				other.conds = append(other.conds, condition{equal, false, op.Ins})
			}
			other.excl, other.storing = nil, nil
			r.write(other, op, e, a, x)
			r.run(other)
		}
		if known && v.Int == 0 {
			return false
		}
		if !known {
			p.conds = append(p.conds, condition{equal, true, op.Ins})
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

func (r *runner) end(p *progress) {
	if len(r.paths) == maxPaths {
		panic(failure{&Error{File: r.file, Line: 1, Col: 1, Msg: fmt.Sprintf("thread %d has more than %d paths", r.th.ID, maxPaths)}})
	}
	regs := make([]litmus.Expr, len(p.regs))
	for i := range regs {
		regs[i] = p.regs[i].x
	}
	r.paths = append(r.paths, &path{p.events, p.conds, regs, p.lost})
}
