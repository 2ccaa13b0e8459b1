package justify

import (
	"fmt"

	"ravel/internal/bitset"
	"ravel/internal/litmus"
	"ravel/internal/litmus/symbolic"
	"ravel/internal/smt"
)

// maxEvents is how many events an execution has at most, initial writes included: sets of them are words.
const maxEvents = 64

// A mask is a set of events.
type mask = bitset.Word[int]

// A shape is one path for each thread: the events of an execution and their order, initial writes first.
type shape struct {
	prog   *program
	paths  []*path
	events []*event
	first  []int // of each thread, its first event
	conds  []litmus.Expr
	reads  mask
	writes mask
	inits  int
	cut    bool               // a thread goes on: the execution is a stage at most
	symbol map[litmus.Reg]int // the read
	bits   map[litmus.Reg]uint8
}

// A graph is a symbolic execution that the model allows.
type graph struct {
	*shape
	rf         []int // the write that each read sees, -1 for other events
	so, sw, hb []mask
	frozen     []mask // what happens before reads by the rules of final fields; nil if the model has none
	final      mask   // the last write of each place, if the model asks for it
	values     values
}

// values are what events read and write, as far as they follow from each other by substitution.
type values struct {
	read, written []uint64
	readOK        mask
	writtenOK     mask
}

func (v *values) complete(s *shape) bool { return s.reads&^v.readOK == 0 && s.writes&^v.writtenOK == 0 }

// newShape puts paths together. It returns nil if they do not fit: a thread runs that is not started, or is waited for and does
// not end.
func (p *program) newShape(paths []*path) (*shape, error) {
	s := &shape{prog: p, paths: append([]*path(nil), paths...), symbol: map[litmus.Reg]int{}, bits: map[litmus.Reg]uint8{}}
	starts, joins := map[int]int{}, map[int]bool{}
	for _, pt := range paths {
		for i := range pt.events {
			e := &pt.events[i]
			if e.kind == startEvent {
				if starts[e.other]++; starts[e.other] > 1 {
					return nil, p.errorAt(e.instr, "Thread%d is started twice", e.other)
				}
			}
			joins[e.other] = joins[e.other] || e.kind == joinEvent
		}
	}
	for t, pt := range paths {
		id := p.test.Threads[t].ID
		if p.started[id] && pt.idle != (starts[id] == 0) || pt.cut && joins[id] {
			return nil, nil
		}
		s.cut = s.cut || pt.cut
	}
	for i := range p.places {
		pl := &p.places[i]
		if !pl.mon {
			s.events = append(s.events, &event{kind: writeEvent, thread: -1, loc: i, value: litmus.Value{Int: pl.init}, size: pl.size, open: -1})
		}
	}
	s.inits = len(s.events)
	for _, pt := range paths {
		s.first = append(s.first, len(s.events))
		for i := range pt.events {
			s.events = append(s.events, &pt.events[i])
		}
		s.conds = append(s.conds, pt.conds...)
	}
	if len(s.events) > maxEvents {
		return nil, fmt.Errorf("%s: an execution has %d events; at most %d are supported", p.test.File, len(s.events), maxEvents)
	}
	for i, e := range s.events {
		if e.reads() {
			s.reads |= bitset.One(i)
			s.symbol[e.symbol] = i
			s.bits[e.symbol] = 8 * e.size
		}
		if e.writes() {
			s.writes |= bitset.One(i)
		}
	}
	return s, nil
}

// propagate computes what follows from rf, where fixed tells what some writes wrote. It returns false
// if a condition is false. rf may be -1 for reads that are not decided.
func (s *shape) propagate(rf []int, fixed mask, given []uint64, v *values) bool {
	n := len(s.events)
	if v.read == nil {
		v.read, v.written = make([]uint64, n), make([]uint64, n)
	}
	v.readOK, v.writtenOK = 0, 0
	known := func(r litmus.Reg) (uint64, bool) {
		i := s.symbol[r]
		return v.read[i], v.readOK.Has(i)
	}
	fixed.Each(func(i int) { v.written[i] = given[i] })
	v.writtenOK = fixed
	for changed := true; changed; {
		changed = false
		(s.writes &^ v.writtenOK).Each(func(i int) {
			if x, ok := evaluate(s.events[i].value, known); ok {
				v.written[i], changed = x, true
				v.writtenOK |= bitset.One(i)
			}
		})
		(s.reads &^ v.readOK).Each(func(i int) {
			if w := rf[i]; w >= 0 && v.writtenOK.Has(w) {
				v.read[i], changed = v.written[w], true
				v.readOK |= bitset.One(i)
			}
		})
	}
	for _, c := range s.conds {
		if x, ok := evaluate(c, known); ok && x == 0 {
			return false
		}
	}
	holds := true
	fixed.Each(func(i int) {
		if x, ok := evaluate(s.events[i].value, known); ok && x != given[i] {
			holds = false
		}
	})
	return holds
}

// problem is Γ of an execution: the conditions of its paths, and that each read receives what its write wrote.
func (s *shape) problem(rf []int) *smt.Problem {
	p := &smt.Problem{Conds: append([]litmus.Expr(nil), s.conds...), Bits: s.bits}
	s.reads.Each(func(i int) {
		p.Conds = append(p.Conds, symbolic.Equal(64, s.events[i].symbol, s.events[rf[i]].value))
	})
	return p
}

// candidates calls yield with each choice of rf whose Γ is satisfiable, except for those that the model says are
// hopeless; the slice is used again.
func (s *shape) candidates(m *execModel, solver smt.Solver, yield func(rf []int, v *values) error) error {
	rf := make([]int, len(s.events))
	for i := range rf {
		rf[i] = -1
	}
	var reads []int
	s.reads.Each(func(i int) { reads = append(reads, i) })
	var v values
	var choose func(k int) error
	choose = func(k int) error {
		if !s.propagate(rf, 0, nil, &v) {
			return nil
		}
		if bad, err := m.hopeless(s, rf); bad || err != nil {
			return err
		}
		if k == len(reads) {
			if !v.complete(s) && !s.guess(rf, 0, make([]uint64, len(s.events)), 3) {
				m, err := solver.Solve(s.problem(rf))
				if m == nil || err != nil {
					return err
				}
			}
			return yield(rf, &v)
		}
		r := reads[k]
		var err error
		s.writes.Each(func(w int) {
			if err == nil && w != r && s.events[w].loc == s.events[r].loc && !(m.name == "jls04" && s.hidden(w, r)) {
				rf[r] = w
				err = choose(k + 1)
			}
		})
		rf[r] = -1
		return err
	}
	return choose(0)
}

// guess tries the constants of the program where values depend on themselves: it mostly saves asking the solver. Of
// so many writes at most it guesses the value.
func (s *shape) guess(rf []int, fixed mask, given []uint64, depth int) bool {
	var v values
	if !s.propagate(rf, fixed, given, &v) {
		return false
	}
	if v.complete(s) {
		return true
	}
	if depth == 0 {
		return false
	}
	open := s.reads &^ v.readOK
	w := rf[open.First()]
	for _, x := range s.prog.constants {
		given[w] = x
		if s.guess(rf, fixed|bitset.One(w), given, depth-1) {
			return true
		}
	}
	return false
}

// hidden reports whether program order alone keeps a read from seeing a write, in the specification: the write is
// later in its thread, or the thread has written the place again in between.
func (s *shape) hidden(w, r int) bool {
	thread := s.events[r].thread
	if w >= s.inits && s.events[w].thread != thread {
		return false
	}
	if w > r {
		return true
	}
	for i := max(w+1, s.start(r)); i < r; i++ {
		if s.events[i].writes() && s.events[i].loc == s.events[r].loc {
			return true
		}
	}
	return false
}
