package justify

import (
	"fmt"
	"maps"
	"slices"

	"ravel/internal/litmus"
)

// A kind is what an event does.
type kind uint8

const (
	readEvent kind = iota
	writeEvent
	updateEvent // both, of an atomic read-modify-write
	fenceEvent
	lockEvent
	unlockEvent
	startEvent
	joinEvent
	firstEvent // of a thread that another one starts
	lastEvent  // of a thread that another one waits for
	externalEvent
	freezeEvent
)

var kindNames = [...]string{"R", "W", "U", "F", "lock", "unlock", "start", "join", "first", "last", "external", "freeze"}

// An event is one action of a thread. Values are expressions over the symbols of the reads
// that come before it in its thread.
type event struct {
	kind   kind
	thread int // -1: an initial write
	loc    int // the place in memory or the monitor; -1 for none
	other  int // the thread that is started or joined
	sets   []string
	symbol litmus.Reg // what a read receives
	value  litmus.Expr
	size   uint8
	instr  *litmus.Instr // nil for synthetic actions
	index  int           // how many similar events come before it in its thread
	open   int           // of an unlock: the place of its lock in the path; else -1
	ref    litmus.Reg    // the symbol of the read that gave the reference to the object, "" if nobody says
	load   int           // of a read: the operation, to find it when its write comes
}

func (e *event) reads() bool  { return e.kind == readEvent || e.kind == updateEvent }
func (e *event) writes() bool { return e.kind == writeEvent || e.kind == updateEvent }

// similar reports whether two events of a thread may be the same action of different executions:
// their type and place are the same.
func (e *event) similar(o *event) bool {
	return e.kind == o.kind && e.loc == o.loc && e.other == o.other && (e.kind != fenceEvent || slices.Equal(e.sets, o.sets))
}

// A path is one way through a thread: a symbolic execution of it.
type path struct {
	events []event
	conds  []litmus.Expr // Γ: none of these is 0
	regs   map[litmus.Reg]litmus.Expr
	idle   bool // the thread is not started
	cut    bool // it is in a loop that went round as often as it may, and goes on
}

// A walker enumerates the paths of a thread.
type walker struct {
	prog   *program
	th     *litmus.Thread
	paths  []*path
	budget int
}

// A walk is a path in the making.
type walk struct {
	path
	pc     int
	steps  int
	rounds map[int]int // how often each backward branch was taken
	marks  map[int]int // how many conditions there were when each operation was last come to
	held   []int       // places of locks in events
}

// Limits on what one thread may do: beyond, a test is refused, not cut.
const (
	maxSteps = 10_000
	maxPaths = 10_000
)

// An Error is about a place in a test.
type Error = litmus.Error

func (p *program) errorAt(in *litmus.Instr, format string, args ...any) error {
	return &Error{File: p.test.File, Line: in.Line, Col: in.Col, Msg: fmt.Sprintf(format, args...)}
}

func (w *walker) instr(op *litmus.Op) *litmus.Instr { return &w.th.Instrs[op.Ins] }

func (w *walk) fork() *walk {
	c := *w
	c.events = slices.Clone(w.events)
	c.conds = slices.Clip(w.conds)
	c.regs = maps.Clone(w.regs)
	c.rounds, c.marks = maps.Clone(w.rounds), maps.Clone(w.marks)
	c.held = slices.Clone(w.held)
	return &c
}

// paths returns all paths of a thread.
func (p *program) paths(th *litmus.Thread) ([]*path, error) {
	w := &walker{prog: p, th: th, budget: maxPaths}
	s := &walk{path: path{regs: map[litmus.Reg]litmus.Expr{}}, rounds: map[int]int{}, marks: map[int]int{}}
	for _, i := range th.Init {
		if i.Value.Kind != litmus.Int {
			return nil, fmt.Errorf("%s: register %d:%s begins as %s: only numbers are supported, and VarHandles in upper case", p.test.File, th.ID, i.Reg, i.Value)
		}
		s.regs[i.Reg] = i.Value
	}
	if p.started[th.ID] {
		w.paths = append(w.paths, &path{regs: maps.Clone(s.regs), idle: true})
		s.add(event{kind: firstEvent, thread: th.ID, loc: -1})
	}
	if err := w.run(s); err != nil {
		return nil, err
	}
	return w.paths, nil
}

func (s *walk) add(e event) {
	e.index, e.open = 0, -1
	for i := range s.events {
		if s.events[i].similar(&e) {
			e.index++
		}
	}
	s.events = append(s.events, e)
}

// cut ends a path beyond the bound of loops. It is kept for stages of a justification: however the thread goes on, it can do so
// with reads that see writes which happen before them, after all others in so; nothing that is committed comes after those. That needs
// that nobody waits for a monitor that the thread holds.
func (w *walker) cut(s *walk) error {
	w.prog.cut = true
	if len(s.held) > 0 || w.prog.opts.Rules == Single {
		return nil
	}
	s.path.cut = true
	return w.end(s)
}

// finish ends a path; monitors that an exception leaves held are released.
func (w *walker) finish(s *walk) error {
	for len(s.held) > 0 {
		s.unlock(w.th.ID, nil)
	}
	if w.prog.joined[w.th.ID] {
		s.add(event{kind: lastEvent, thread: w.th.ID, loc: -1})
	}
	return w.end(s)
}

func (w *walker) end(s *walk) error {
	for i := range s.events { // an update was a read when it was added
		e := &s.events[i]
		e.index = 0
		for j := range i {
			if s.events[j].similar(e) {
				e.index++
			}
		}
	}
	if w.budget--; w.budget < 0 {
		return fmt.Errorf("%s: thread %d has more than %d paths", w.prog.test.File, w.th.ID, maxPaths)
	}
	w.paths = append(w.paths, &s.path)
	return nil
}

func (s *walk) unlock(thread int, in *litmus.Instr) {
	open := s.held[len(s.held)-1]
	s.held = s.held[:len(s.held)-1]
	s.add(event{kind: unlockEvent, thread: thread, loc: s.events[open].loc, instr: in})
	s.events[len(s.events)-1].open = open
}

// assume goes on with a condition that must hold; it reports whether it can.
func (s *walk) assume(cond litmus.Expr) bool {
	if v, ok := cond.(litmus.Value); ok {
		return v.Int != 0
	}
	s.conds = append(s.conds, cond)
	return true
}

// either runs both continuations: cond holds, or it does not.
func (w *walker) either(s *walk, cond litmus.Expr, then, els func(*walk) error) error {
	if v, ok := cond.(litmus.Value); ok {
		if v.Int != 0 {
			return then(s)
		}
		return els(s)
	}
	t := s.fork()
	t.assume(cond)
	if err := then(t); err != nil {
		return err
	}
	s.assume(not(cond))
	return els(s)
}

func (w *walker) run(s *walk) error {
	ops := w.th.Ops
	for s.pc < len(ops) {
		if s.steps++; s.steps > maxSteps {
			return w.prog.errorAt(w.instr(&ops[s.pc]), "more than %d steps: this loop does not end", maxSteps)
		}
		s.marks[s.pc] = len(s.conds)
		op := &ops[s.pc]
		if op.Kind == litmus.Branch {
			return w.branch(s, op)
		}
		if op.If != nil {
			cond := substitute(op.If, s.regs)
			if op.Kind == litmus.Set {
				old, ok := s.regs[op.Dst]
				if !ok {
					old = litmus.Value{}
				}
				s.regs[op.Dst] = choose(cond, substitute(op.X, s.regs), old)
				s.pc++
				continue
			}
			return w.either(s, cond, func(s *walk) error { return w.do(s, op) }, func(s *walk) error {
				if op.Pair >= 0 { // the read of a compare-and-set that failed
					if e := s.find(op.Pair); ops[op.Pair].Else != nil {
						e.sets = ops[op.Pair].Else
					}
				}
				s.pc++
				return w.run(s)
			})
		}
		if op.Kind != litmus.Set {
			return w.do(s, op)
		}
		x := substitute(op.X, s.regs)
		if w.prog.freezes && selects(x) {
			return w.alternatives(s, x, func(s *walk, x litmus.Expr) error {
				s.regs[op.Dst] = x
				s.pc++
				return w.run(s)
			})
		}
		s.regs[op.Dst] = x
		s.pc++
	}
	return w.finish(s)
}

// selects reports whether a value is one of two.
func selects(x litmus.Expr) bool {
	if u, ok := x.(*litmus.Unary); ok && u.Op == litmus.Trunc {
		x = u.X
	}
	_, ok := x.(*litmus.Select)
	return ok
}

// alternatives goes on with each of the values that x may be: by final fields it matters which read a reference came from.
func (w *walker) alternatives(s *walk, x litmus.Expr, then func(*walk, litmus.Expr) error) error {
	size := uint8(8)
	if u, ok := x.(*litmus.Unary); ok && u.Op == litmus.Trunc {
		x, size = u.X, u.Width/8
	}
	c, ok := x.(*litmus.Select)
	if !ok {
		return then(s, truncate(x, size))
	}
	return w.either(s, c.If,
		func(s *walk) error { return w.alternatives(s, truncate(c.X, size), then) },
		func(s *walk) error { return w.alternatives(s, truncate(c.Y, size), then) })
}

// find returns the last event of an operation.
func (s *walk) find(load int) *event {
	for i := len(s.events) - 1; i >= 0; i-- {
		if e := &s.events[i]; e.reads() && e.load == load {
			return e
		}
	}
	return nil
}

// branch follows a branch. Going back, after something in the loop depended on what was read, needs a
// bound; a loop over a counter is run as it is.
func (w *walker) branch(s *walk, op *litmus.Op) error {
	at := s.pc
	jump := func(s *walk) error {
		if op.To <= at && len(s.conds) > s.marks[op.To] {
			n := w.prog.opts.Unroll
			if n == 0 {
				return w.prog.errorAt(w.instr(op), "this loop has no bound: say how often it may go round with --unroll N")
			}
			if s.rounds[at]++; s.rounds[at] > n {
				return w.cut(s)
			}
			for inner := op.To; inner < at; inner++ {
				delete(s.rounds, inner)
			}
		}
		s.pc = op.To
		return w.run(s)
	}
	if op.X == nil {
		return jump(s)
	}
	return w.either(s, substitute(op.X, s.regs), jump, func(s *walk) error {
		s.pc++
		return w.run(s)
	})
}

// do performs an operation that is an action or a choice, and goes on.
func (w *walker) do(s *walk, op *litmus.Op) error {
	in := w.instr(op)
	here := s.pc
	s.pc++
	t := w.th.ID
	switch op.Kind {
	case litmus.Fence:
		s.add(event{kind: fenceEvent, thread: t, loc: -1, sets: op.Sets, instr: in})
	case litmus.Assume:
		if !s.assume(substitute(op.X, s.regs)) {
			return nil
		}
	case litmus.Choose:
		other := s.fork()
		other.regs[op.Dst] = litmus.Number(1)
		if err := w.run(other); err != nil {
			return err
		}
		s.regs[op.Dst] = litmus.Number(0)
	case litmus.Lock:
		s.held = append(s.held, len(s.events))
		s.add(event{kind: lockEvent, thread: t, loc: w.prog.place(op.Addr.(litmus.Value)), instr: in})
	case litmus.Unlock:
		s.unlock(t, in)
	case litmus.Start, litmus.Join:
		k := startEvent
		if op.Kind == litmus.Join {
			k = joinEvent
		}
		s.add(event{kind: k, thread: t, loc: -1, other: int(op.X.(litmus.Value).Int), instr: in})
	case litmus.Freeze:
		s.add(event{kind: freezeEvent, thread: t, loc: -1, instr: in})
	case litmus.External:
		s.add(event{kind: externalEvent, thread: t, loc: -1, value: substitute(op.X, s.regs), size: 4, instr: in})
	case litmus.Load:
		return w.access(s, op, func(s *walk, loc int) {
			sym := litmus.Reg(fmt.Sprintf("#%d.%d", t, len(s.events)))
			s.add(event{kind: readEvent, thread: t, loc: loc, sets: op.Sets, symbol: sym, ref: s.reference(op), size: op.Size, instr: in, load: here})
			s.regs[op.Dst] = sym
		})
	case litmus.Store:
		value := truncate(substitute(op.X, s.regs), op.Size)
		if w.prog.freezes && selects(value) {
			return w.alternatives(s, value, func(s *walk, x litmus.Expr) error { return w.store(s, op, x) })
		}
		return w.store(s, op, value)
	default:
		return w.prog.errorAt(in, "not supported: %s", op)
	}
	return w.run(s)
}

// store performs the write of an operation and goes on.
func (w *walker) store(s *walk, op *litmus.Op, value litmus.Expr) error {
	if op.Pair >= 0 {
		e := s.find(op.Pair)
		e.kind, e.value, e.sets = updateEvent, value, union(e.sets, op.Sets)
		return w.run(s)
	}
	return w.access(s, op, func(s *walk, loc int) {
		s.add(event{kind: writeEvent, thread: w.th.ID, loc: loc, sets: op.Sets, value: value, ref: s.reference(op), size: op.Size, instr: w.instr(op)})
	})
}

// reference returns the symbol that an access's reference was read as.
func (s *walk) reference(op *litmus.Op) litmus.Reg {
	if op.Ref == nil {
		return ""
	}
	x := substitute(op.Ref, s.regs)
	if r, ok := x.(litmus.Reg); ok {
		return r
	}
	return "" // a constant: the thread's own object
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// access forks over the elements that a computed address may mean. An index out of bounds throws: the
// thread ends.
func (w *walker) access(s *walk, op *litmus.Op, add func(*walk, int)) error {
	addr := substitute(op.Addr, s.regs)
	if v, ok := addr.(litmus.Value); ok && v.Kind == litmus.Addr {
		loc := w.prog.place(v)
		if loc < 0 {
			s.pc = len(w.th.Ops)
			return w.finish(s)
		}
		add(s, loc)
		return w.run(s)
	}
	sum, ok := addr.(*litmus.Binary)
	base, isBase := litmus.Value{}, false
	if ok {
		base, isBase = sum.X.(litmus.Value)
	}
	if !ok || sum.Op != litmus.Add || !isBase || base.Kind != litmus.Addr {
		return w.prog.errorAt(w.instr(op), "not supported: the address %s", addr)
	}
	v := w.prog.test.Var(base.Sym)
	for i := range v.Init {
		off := int64(i) * int64(v.Type.Size)
		t := s.fork()
		t.assume(equal(sum.Y, litmus.Number(off), 64))
		s.assume(not(equal(sum.Y, litmus.Number(off), 64)))
		add(t, w.prog.place(litmus.AddrOf(base.Sym, off)))
		if err := w.run(t); err != nil {
			return err
		}
	}
	s.pc = len(w.th.Ops)
	return w.finish(s)
}
