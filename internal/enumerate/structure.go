package enumerate

import (
	"fmt"
	"slices"

	"ravel/internal/cat"
	"ravel/internal/litmus"
	"ravel/internal/relation"
)

// A location is a byte of a variable at which accesses begin.
type location struct {
	name string
	off  int64
}

// A search goes through the executions of a test. One structure, one path of each thread, is current.
type search struct {
	test    *litmus.Test
	c       *compiled
	m       *cat.Machine
	guard   *cat.Machine // of compiled.guard, or nil
	guards  []int        // its checks
	x       *cat.Exec
	y       *cat.Exec // of view
	seen    []int     // of each event: its number in y
	shows   []int     // and back; the write of a read-modify-write
	merged  bool      // the current structure has such
	opts    Options
	res     *Result
	runners []*runner
	paths   [][]*path
	chosen  []*path
	cells   cells // nil unless accesses of different sizes overlap

	// The events of the structure: initial writes, one for each location, then thread after thread.
	locs    []location
	base    []int    // first event of each thread
	events  []*event // nil for initial writes
	thread  []int    // of each event, -1 for initial writes
	at      []int    // location of each event, or one of the constants below
	vals    []value  // what each event reads or writes
	src     []int    // of each read: what it reads from, -1 if that is not chosen yet
	reads   []int
	writes  []int // without initial ones
	dynamic bool  // some address depends on what is read
	unknown int   // addresses that are not known now
	wild    int   // addresses that are not of variables
	trail   []change
	rf, co  *relation.Rel
	shown   *relation.Rel // co without unlocks, for models that know of locks; otherwise nil

	order    [][]int  // of each location: its writes in coherence order as far as placed, without the initial one
	todo     []int    // writes to place
	update   []int    // of each read: the write of its read-modify-write, or -1
	forced   [][2]int // pairs that decide added to co
	must     relation.Rel
	decided  bool  // decide was used for this structure
	twin     []int // of each write: the one before it that it may change places with, or -1
	kin      []int // how many such writes there are
	weight   int   // how many executions the current one stands for
	thinAir  bool  // a value was guessed
	probing  bool  // executions are not counted; allowed says whether the model allows one
	allowed  bool
	observed observation
	consts   []litmus.Value
}

const (
	nowhere = -1 // a fence
	notYet  = -2 // the address is not known
	missing = -3 // the address is not that of a variable
)

func (s *search) fail(e int, format string, args ...any) {
	in := s.runners[s.thread[e]].Thread.Instrs[s.events[e].op.Ins]
	panic(failure{&Error{s.test.File, in.Line, in.Col, fmt.Sprintf(format, args...)}})
}

// structure builds the events of the chosen paths and goes through their executions.
func (s *search) structure() {
	s.collect()
	s.fill()
	s.fillScopes()
	s.merged = s.c.merged && s.merge()
	if s.c.inside {
		s.fillInside()
	}
	if s.unknown == 0 {
		s.settle()
		if s.violated(cat.Structure) {
			return
		}
	}
	s.choose(0)
}

// collect numbers the events.
func (s *search) collect() {
	s.locs, s.base, s.events, s.thread, s.at = s.locs[:0], s.base[:0], s.events[:0], s.thread[:0], s.at[:0]
	s.vals, s.src, s.reads, s.writes = s.vals[:0], s.src[:0], s.reads[:0], s.writes[:0]
	s.dynamic, s.unknown, s.wild, s.trail, s.thinAir = false, 0, 0, s.trail[:0], false
	for _, p := range s.chosen {
		if p.lost {
			s.wild++
		}
		for i := range p.events {
			switch a := p.events[i].addr.(type) {
			case nil:
			case litmus.Value:
				s.locate(a)
			default:
				s.dynamic = true
			}
		}
	}
	if s.dynamic { // any variable may be accessed
		for _, v := range s.test.Vars {
			for i := range v.Init {
				s.locate(litmus.AddrOf(v.Name, int64(i)*int64(v.Type.Size)))
			}
		}
	}
	for i, l := range s.locs {
		s.add(nil, -1, i, value{s.initial(l), true})
	}
	for t, p := range s.chosen {
		s.base = append(s.base, len(s.events))
		for i := range p.events {
			e := &p.events[i]
			at, val := nowhere, value{}
			switch a := e.addr.(type) {
			case nil:
			case litmus.Value:
				at = s.find(a)
			default:
				at = notYet
				s.unknown++
			}
			if e.kind == write {
				s.writes = append(s.writes, len(s.events))
				if v, ok := e.val.(litmus.Value); ok {
					val = value{v, true}
				}
			}
			if e.kind == read {
				s.reads = append(s.reads, len(s.events))
			}
			s.add(e, t, at, val)
			if at == missing {
				s.noVariable(len(s.events)-1, e.addr.(litmus.Value))
			}
		}
	}
}

// noVariable refuses an access to something else.
func (s *search) noVariable(e int, a litmus.Value) {
	if a.Kind == litmus.Code {
		s.fail(e, "not supported: self-modifying code (instructions as data): an access to %v", a)
	}
	s.fail(e, "this accesses %v, which is no variable", a)
}

func (s *search) add(e *event, thread, at int, v value) {
	s.events = append(s.events, e)
	s.thread = append(s.thread, thread)
	s.at = append(s.at, at)
	s.vals = append(s.vals, v)
	s.src = append(s.src, -1)
}

// locate makes sure that there is a location for an address.
func (s *search) locate(a litmus.Value) {
	if a.Kind == litmus.Addr && s.find(a) == missing && s.test.Var(a.Sym) != nil {
		s.locs = append(s.locs, location{a.Sym, int64(a.Int)})
	}
}

// find returns the location of an address, or missing.
func (s *search) find(a litmus.Value) int {
	if a.Kind != litmus.Addr {
		return missing
	}
	for i, l := range s.locs {
		if l.off == int64(a.Int) && l.name == a.Sym {
			return i
		}
	}
	return missing
}

// initial returns the initial value of a location.
func (s *search) initial(l location) litmus.Value {
	v := s.test.Var(l.name)
	size := int64(v.Type.Size)
	i, rest := l.off/size, l.off%size
	if l.off < 0 || i >= int64(len(v.Init)) {
		return litmus.Value{}
	}
	x := cutTo(v.Init[i], v.Type.Size)
	if cell := s.cells.cellSize(l.name, l.off); cell != 0 && x.Kind == litmus.Int {
		return cutOut(x, part{rest, cell}).(litmus.Value)
	}
	return x
}

// cutTo keeps so many bytes of a number.
func cutTo(v litmus.Value, size uint8) litmus.Value {
	if v.Kind == litmus.Int && size < 8 {
		v.Int &= 1<<(8*size) - 1
	}
	return v
}

// fill defines the sets and relations that do not depend on what is chosen later.
func (s *search) fill() {
	n := len(s.events)
	x := s.x
	x.Reset(n)
	s.rf, s.co, s.shown = x.Rel("rf"), x.Rel("co"), nil
	if s.c.locks {
		s.co, s.shown = x.Rel("lock-co"), s.co
	}
	s.must.Reset(n)
	s.forced, s.decided = s.forced[:0], false
	s.update = s.update[:0]
	for range n {
		s.update = append(s.update, -1)
	}
	setR, setW, setF, setIW, explicit := x.Set("R"), x.Set("W"), x.Set("F"), x.Set("IW"), x.Set("Exp")
	setNA := &relation.Set{}
	if s.c.voc.HasSet("NA") { // herd's NA is all that is not an atomic access
		setNA = x.Set("NA")
	} else {
		setNA.Reset(n)
	}
	po, same := x.Rel("po"), x.Rel("int")
	addr, data, ctrl := x.Rel("addr"), x.Rel("data"), x.Rel("ctrl")
	pickAddr, pickData := x.Rel("pick-addr"), x.Rel("pick-data")
	instance, si, selects, pairOrder := x.Rel("same-instance"), x.Rel("si"), x.Rel("select"), x.Rel("pair-order")
	for i, e := range s.events {
		if e == nil {
			setW.Add(i)
			setIW.Add(i)
			setNA.Add(i)
			instance.Add(i, i)
			si.Add(i, i)
			explicit.Add(i)
			continue
		}
		switch {
		case s.c.locks && e.locks():
		case e.kind == read:
			setR.Add(i)
			explicit.Add(i)
		case e.kind == write:
			setW.Add(i)
			explicit.Add(i)
		case e.kind == fence:
			setF.Add(i)
			setNA.Add(i)
		}
		for _, name := range e.sets {
			x.Set(name).Add(i)
		}
		base := s.base[s.thread[i]]
		for j := base; j < base+len(s.chosen[s.thread[i]].events); j++ {
			same.Add(i, j)
			// The parts and pairs of one instruction are not in program order.
			together := s.events[j].inst == e.inst && s.events[j].kind == e.kind
			if i < j && !together && (s.events[j].inst != e.inst || s.events[j].kind <= fence && e.kind <= fence) {
				po.Add(i, j)
			}
			if s.events[j].inst == e.inst {
				instance.Add(i, j)
			}
			if i < j && together && s.events[j].op != e.op && e.ordered() {
				pairOrder.Add(i, j)
			}
			if i == j || together && e.kind <= fence && (s.events[j].op == e.op || e.op.Excl || e.amo) {
				si.Add(i, j)
			}
			if j >= i {
				continue
			}
			k := j - base
			if e.addrs.has(k) {
				addr.Add(j, i)
			}
			if e.data.has(k) {
				data.Add(j, i)
			}
			if e.ctrl.has(k) {
				ctrl.Add(j, i)
			}
			if e.pickAddr.has(k) {
				pickAddr.Add(j, i)
			}
			if e.pickOn.has(k) {
				pickData.Add(j, i)
			}
			if e.selects.has(k) {
				selects.Add(j, i)
			}
		}
		if e.pair >= 0 {
			x.Rel("rmw").Add(base+e.pair, i)
			if s.c.usesCo && s.opts.OnRejected == nil {
				s.update[base+e.pair] = i
			}
			for j := base; j < i && e.cond; j++ {
				if f := s.events[j]; f.inst == e.inst && f.kind == read {
					x.Rel("pick-rmw").Add(j, i)
				}
			}
			if e.amo {
				x.Rel("amo").Add(base+e.pair, i)
			} else {
				x.Rel("lxsx").Add(base+e.pair, i)
			}
		}
	}
	x.Rel("sm").Copy(si) // herd's other name
}

// locks reports whether e is part of a macro for spinlocks of the Linux kernel.
func (e *event) locks() bool {
	return len(e.sets) == 1 && slices.Contains([]string{"LKR", "LKW", "UL", "LF", "RL", "RU"}, e.sets[0])
}

// settle defines what depends on addresses: loc, and that initial writes are first.
func (s *search) settle() {
	loc := s.x.Rel("loc")
	loc.Reset(len(s.events))
	s.co.Reset(len(s.events))
	if s.shown != nil {
		s.shown.Reset(len(s.events))
	}
	for len(s.order) < len(s.locs) {
		s.order = append(s.order, nil)
	}
	for i := range s.locs {
		s.order[i] = s.order[i][:0]
	}
	for i, l := range s.at {
		if l < 0 {
			continue
		}
		loc.Add(i, i)
		for j := range i {
			if s.at[j] == l {
				loc.Add(i, j)
				loc.Add(j, i)
			}
		}
		if e := s.events[i]; e != nil && e.kind == write {
			s.before(l, i)
		}
	}
	if s.c.inside {
		s.settleInside()
	}
}

// violated makes the checks that hold for partial executions; level is what has changed since the last time.
func (s *search) violated(level cat.Level) bool {
	s.poll()
	if s.opts.OnRejected != nil {
		return false
	}
	bad, err := s.m.Violated(s.view(), level, s.c.monotone)
	if err == nil && !bad && s.guard != nil {
		bad, err = s.guard.Violated(s.x, level, s.guards)
	}
	if err != nil {
		panic(failure{err})
	}
	return bad
}

func (s *search) values(e int) []value {
	t := s.thread[e]
	return s.vals[s.base[t]:][:len(s.chosen[t].events)]
}

// constants returns the numbers and addresses that the test and its condition name: candidates for values that nothing determines.
func (s *search) constants() []litmus.Value {
	if s.consts != nil {
		return s.consts
	}
	add := func(v litmus.Value) {
		if v.Kind != litmus.Undef && !slices.Contains(s.consts, v) {
			s.consts = append(s.consts, v)
		}
	}
	add(litmus.Number(0))
	add(litmus.Number(1))
	for _, v := range s.test.Vars {
		for _, x := range v.Init {
			add(x)
		}
		add(litmus.AddrOf(v.Name, 0))
	}
	for _, th := range s.test.Threads {
		for i := range th.Ops {
			for _, e := range []litmus.Expr{th.Ops[i].X, th.Ops[i].If} {
				leaves(e, add)
			}
		}
	}
	s.test.Cond.Prop.Values(add)
	return s.consts
}

// leaves visits the constants of an expression.
func leaves(e litmus.Expr, visit func(litmus.Value)) {
	switch e := e.(type) {
	case litmus.Value:
		visit(e)
	case *litmus.Unary:
		leaves(e.X, visit)
	case *litmus.Binary:
		leaves(e.X, visit)
		leaves(e.Y, visit)
	case *litmus.Select:
		leaves(e.If, visit)
		leaves(e.X, visit)
		leaves(e.Y, visit)
	}
}
