package justify

import (
	"fmt"
	"maps"
	"slices"

	"ravel/internal/litmus"
	"ravel/internal/litmus/symbolic"
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
	ref    litmus.Reg    // the symbol of the read that gave the reference to the object, "" if none
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

// A walker is the symbolic.Engine that enumerates the paths of a thread.
type walker struct {
	symbolic.Walker[*walk]
	prog   *program
	paths  []*path
	budget int
}

// A walk is a path in the making.
type walk struct {
	symbolic.State
	path
	rounds map[int]int // how often each backward branch was taken
	marks  map[int]int // how many conditions there were when each operation was last come to
	held   []int       // places of locks in events
}

// A failure is the panic that carries an error out of a walk.
type failure struct{ err error }

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

func (w *walker) instr(op *litmus.Op) *litmus.Instr { return &w.Thread.Instrs[op.Ins] }

// Fail implements symbolic.Engine.
func (w *walker) Fail(ins int, format string, args ...any) {
	panic(failure{w.prog.errorAt(&w.Thread.Instrs[ins], format, args...)})
}

// Fork implements symbolic.Path.
func (w *walk) Fork() *walk {
	c := *w
	c.events = slices.Clone(w.events)
	c.Conds = slices.Clip(w.Conds)
	c.regs = maps.Clone(w.regs)
	c.rounds, c.marks = maps.Clone(w.rounds), maps.Clone(w.marks)
	c.held = slices.Clone(w.held)
	return &c
}

// paths returns all paths of a thread.
func (p *program) paths(th *litmus.Thread) (list []*path, err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			list, err = nil, f.err
		default:
			panic(f)
		}
	}()
	w := &walker{prog: p, budget: maxPaths}
	w.Walker = symbolic.Walker[*walk]{Thread: th, Engine: w, MaxSteps: maxSteps}
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
	w.Run(s)
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
// that no thread waits for a monitor that this one holds.
func (w *walker) cut(s *walk) {
	w.prog.cut = true
	if len(s.held) > 0 || w.prog.opts.Rules == Single {
		return
	}
	s.path.cut = true
	w.keep(s)
}

// End implements symbolic.Engine. Monitors that an exception leaves held are released.
func (w *walker) End(s *walk) {
	for len(s.held) > 0 {
		s.unlock(w.Thread.ID, nil)
	}
	if w.prog.joined[w.Thread.ID] {
		s.add(event{kind: lastEvent, thread: w.Thread.ID, loc: -1})
	}
	w.keep(s)
}

// keep adds a path that has ended, or was cut.
func (w *walker) keep(s *walk) {
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
		panic(failure{fmt.Errorf("%s: thread %d has more than %d paths", w.prog.test.File, w.Thread.ID, maxPaths)})
	}
	for _, c := range s.Conds {
		x := c.X
		if !c.Want {
			x = symbolic.Not(x)
		}
		s.conds = append(s.conds, x)
	}
	w.paths = append(w.paths, &s.path)
}

func (s *walk) unlock(thread int, in *litmus.Instr) {
	open := s.held[len(s.held)-1]
	s.held = s.held[:len(s.held)-1]
	s.add(event{kind: unlockEvent, thread: thread, loc: s.events[open].loc, instr: in})
	s.events[len(s.events)-1].open = open
}

// Value implements symbolic.Engine. A register without a value is 0.
func (w *walker) Value(s *walk, e litmus.Expr) litmus.Expr {
	return symbolic.Subst(e, func(r litmus.Reg) litmus.Expr {
		if x, ok := s.regs[r]; ok {
			return x
		}
		return litmus.Value{}
	})
}

// Assign implements symbolic.Engine.
func (w *walker) Assign(s *walk, r litmus.Reg, n int64) { s.regs[r] = litmus.Number(n) }

// Enter implements symbolic.Engine.
func (w *walker) Enter(s *walk, _ *litmus.Op) { s.marks[s.PC] = len(s.Conds) }

// Guard implements symbolic.Engine. An assignment with a guard is one of two values, without a fork.
func (w *walker) Guard(s *walk, op *litmus.Op) bool {
	if op.Kind != litmus.Set {
		return false
	}
	s.regs[op.Dst] = symbolic.Select(w.Value(s, op.If), w.Value(s, op.X), w.Value(s, op.Dst))
	s.PC++
	return true
}

// Skip implements symbolic.Engine.
func (w *walker) Skip(s *walk, op *litmus.Op) {
	if op.Pair >= 0 { // the read of a compare-and-set that failed
		if e := s.find(op.Pair); w.Thread.Ops[op.Pair].Else != nil {
			e.sets = w.Thread.Ops[op.Pair].Else
		}
	}
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
func (w *walker) alternatives(s *walk, x litmus.Expr, ins int, then func(*walk, litmus.Expr)) {
	size := uint8(8)
	if u, ok := x.(*litmus.Unary); ok && u.Op == litmus.Trunc {
		x, size = u.X, u.Width/8
	}
	c, ok := x.(*litmus.Select)
	if !ok {
		then(s, truncate(x, size))
		return
	}
	w.Decide(s, c.If, ins, func(s *walk, is bool) {
		chosen := c.Y
		if is {
			chosen = c.X
		}
		w.alternatives(s, truncate(chosen, size), ins, then)
	})
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

// Branch implements symbolic.Engine.
func (w *walker) Branch(s *walk, op *litmus.Op) litmus.Expr { return w.Value(s, op.X) }

// Jump implements symbolic.Engine. Going back, after something in the loop depended on what was read, needs a
// bound; a loop over a counter is run as it is.
func (w *walker) Jump(s *walk, op *litmus.Op, _ bool) bool {
	at := s.PC - 1
	if op.To <= at && len(s.Conds) > s.marks[op.To] {
		n := w.prog.opts.Unroll
		if n == 0 {
			w.Fail(op.Ins, "this loop has no bound: say how often it may go round with --unroll N")
		}
		if s.rounds[at]++; s.rounds[at] > n {
			w.cut(s)
			return false
		}
		for inner := op.To; inner < at; inner++ {
			delete(s.rounds, inner)
		}
	}
	s.PC = op.To
	return true
}

// Do implements symbolic.Engine.
func (w *walker) Do(s *walk, op *litmus.Op) bool {
	in := w.instr(op)
	t := w.Thread.ID
	switch op.Kind {
	case litmus.Set:
		x := w.Value(s, op.X)
		if w.prog.freezes && selects(x) {
			w.alternatives(s, x, op.Ins, func(s *walk, x litmus.Expr) {
				s.regs[op.Dst] = x
				w.Run(s)
			})
			return false
		}
		s.regs[op.Dst] = x
	case litmus.Fence:
		s.add(event{kind: fenceEvent, thread: t, loc: -1, sets: op.Sets, instr: in})
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
		s.add(event{kind: externalEvent, thread: t, loc: -1, value: w.Value(s, op.X), size: 4, instr: in})
	case litmus.Load:
		here := s.PC - 1
		return w.access(s, op, func(s *walk, loc int) {
			sym := litmus.Reg(fmt.Sprintf("#%d.%d", t, len(s.events)))
			s.add(event{kind: readEvent, thread: t, loc: loc, sets: op.Sets, symbol: sym, ref: w.reference(s, op), size: op.Size, instr: in, load: here})
			s.regs[op.Dst] = sym
		})
	case litmus.Store:
		value := truncate(w.Value(s, op.X), op.Size)
		if w.prog.freezes && selects(value) {
			w.alternatives(s, value, op.Ins, func(s *walk, x litmus.Expr) {
				if w.store(s, op, x) {
					w.Run(s)
				}
			})
			return false
		}
		return w.store(s, op, value)
	default:
		w.Fail(op.Ins, "not supported: %s", op)
	}
	return true
}

// store performs the write of an operation. It returns false if the path was forked.
func (w *walker) store(s *walk, op *litmus.Op, value litmus.Expr) bool {
	if op.Pair >= 0 {
		e := s.find(op.Pair)
		e.kind, e.value, e.sets = updateEvent, value, union(e.sets, op.Sets)
		return true
	}
	return w.access(s, op, func(s *walk, loc int) {
		s.add(event{kind: writeEvent, thread: w.Thread.ID, loc: loc, sets: op.Sets, value: value, ref: w.reference(s, op), size: op.Size, instr: w.instr(op)})
	})
}

// reference returns the symbol that an access's reference was read as.
func (w *walker) reference(s *walk, op *litmus.Op) litmus.Reg {
	if op.Ref == nil {
		return ""
	}
	x := w.Value(s, op.Ref)
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
// thread ends. It returns false if the path was forked.
func (w *walker) access(s *walk, op *litmus.Op, add func(*walk, int)) bool {
	addr := w.Value(s, op.Addr)
	if v, ok := addr.(litmus.Value); ok && v.Kind == litmus.Addr {
		loc := w.prog.place(v)
		if loc < 0 {
			s.PC = len(w.Thread.Ops)
			return true
		}
		add(s, loc)
		return true
	}
	sum, ok := addr.(*litmus.Binary)
	base, isBase := litmus.Value{}, false
	if ok {
		base, isBase = sum.X.(litmus.Value)
	}
	if !ok || sum.Op != litmus.Add || !isBase || base.Kind != litmus.Addr {
		w.Fail(op.Ins, "not supported: the address %s", addr)
	}
	v := w.prog.test.Var(base.Sym)
	for i := range v.Init {
		off := int64(i) * int64(v.Type.Size)
		is := symbolic.Equal(64, sum.Y, litmus.Number(off))
		t := s.Fork()
		t.Assume(is, op.Ins)
		s.Conds = append(s.Conds, symbolic.Condition{X: is, Want: false, Ins: op.Ins})
		add(t, w.prog.place(litmus.AddrOf(base.Sym, off)))
		w.Run(t)
	}
	s.PC = len(w.Thread.Ops)
	return true
}
