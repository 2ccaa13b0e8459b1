package catmodel

import (
	"errors"
	"fmt"
	"slices"

	"ravel/internal/cat"
	"ravel/internal/graph"
)

// A rel is a relation that one step of an automaton goes along.
type rel uint8

const (
	stepPo rel = iota
	stepRf
	stepCo
	stepFr
	stepRmw
	stepDep  // addr, data, ctrl or casdep
	stepSync // the order that creating and joining threads gives
	stepView // the relation that the views of events are of

	stepPoLoc // po & loc, where it is told apart (views.go)
)

var rels = map[string]rel{
	syncName: stepSync,
	"po":     stepPo, "rf": stepRf, "co": stepCo, "fr": stepFr, "rmw": stepRmw,
	"addr": stepDep, "data": stepDep, "ctrl": stepDep, "casdep": stepDep,
}

// A step goes from an event to another.
type step struct {
	rel    rel
	name   string // of a dependency
	filter cat.Filter
}

// An edge leads from a state at an event to another state at another event. The first event has to pass
// the tests need, a set of bits.
type edge struct {
	need uint64
	step step
	to   int
}

// A state is one of an automaton without empty moves.
type state struct {
	out    []edge
	accept []uint64 // it accepts at events that pass one of these
}

// An automaton accepts the walks along a relation. State 0 is its first one.
type automaton []state

// tests numbers the sets that automata ask for.
type tests struct {
	list []test
}

type test struct {
	set int32
	not bool
}

var errTests = errors.New("more than 64 different sets")

func (t *tests) bit(x test) (uint64, error) {
	i := slices.Index(t.list, x)
	if i < 0 {
		if len(t.list) == 64 {
			return 0, errTests
		}
		i = len(t.list)
		t.list = append(t.list, x)
	}
	return 1 << i, nil
}

// A move is one of an automaton in the making: a step, or a test, or nothing.
type move struct {
	step *step
	need uint64
	to   int
}

type maker struct {
	tests *tests
	moves [][]move
	steps int
	err   error
}

// maxMoves bounds the work for an automaton.
const maxMoves = 200_000

var errMoves = errors.New("the relation is too large")

// automatonOf returns the automaton of a path. With loop, it goes round: it is that of the closure, which never ends.
func (m *Model) automatonOf(p *cat.Path, t *tests, loop bool) (automaton, error) {
	a, err := makeAutomaton(p, t, loop)
	if err != nil {
		return nil, err
	}
	possible := t.possible(m.prog, m.d)
	for i, arrivals := range a.arrivals() {
		arrivals &^= m.d.hides()
		a[i].out = slices.DeleteFunc(a[i].out, func(e edge) bool { return !possible(e.need, arrivals&e.step.rel.from()) })
		a[i].accept = slices.DeleteFunc(a[i].accept, func(need uint64) bool { return !possible(need, arrivals) })
	}
	return a.trim().reachable().merge(), nil
}

// kinds is a set of kinds of events.
type kinds uint16

const allKinds kinds = 1<<numKinds - 1

// has reports whether an event is of one of the kinds.
func (k kinds) has(e *graph.Event) bool { return k>>kindOf[e.Kind]&1 != 0 }

// from and to return the kinds of events that a step may begin and end with.
func (r rel) from() kinds {
	switch r {
	case stepRf, stepCo:
		return 1<<write | 1<<initial
	case stepFr, stepRmw:
		return 1 << read
	}
	return allKinds
}

func (r rel) to() kinds {
	switch r {
	case stepRf:
		return 1 << read
	case stepCo, stepFr, stepRmw:
		return 1 << write
	}
	return allKinds
}

// arrivals returns, for each state, the kinds of events that a walk may be at in it.
func (a automaton) arrivals() []kinds {
	out := make([]kinds, len(a))
	out[0] = allKinds
	for _, s := range a {
		for _, e := range s.out {
			out[e.to] |= e.step.rel.to()
		}
	}
	return out
}

// reachable leaves out the states that nothing leads to.
func (a automaton) reachable() automaton {
	number := map[int]int{0: 0}
	queue := []int{0}
	var out automaton
	for i := 0; i < len(queue); i++ {
		s := a[queue[i]]
		for k := range s.out {
			n, ok := number[s.out[k].to]
			if !ok {
				n = len(queue)
				number[s.out[k].to] = n
				queue = append(queue, s.out[k].to)
			}
			s.out[k].to = n
		}
		out = append(out, s)
	}
	return out
}

func makeAutomaton(p *cat.Path, t *tests, loop bool) (automaton, error) {
	m := &maker{tests: t}
	first, last := m.state(), m.state()
	m.path(p, first, last)
	if m.err != nil {
		return nil, m.err
	}
	if loop {
		m.add(last, move{to: first})
	}
	a := m.finish(first, last)
	return a, m.err
}

func (m *maker) state() int {
	m.moves = append(m.moves, nil)
	return len(m.moves) - 1
}

func (m *maker) add(from int, mv move) { m.moves[from] = append(m.moves[from], mv) }

// path makes moves for p between two states.
func (m *maker) path(p *cat.Path, from, to int) {
	if len(m.moves) > maxMoves {
		m.err = errMoves
		return
	}
	switch p.Kind {
	case cat.PathNone:
	case cat.PathID:
		m.add(from, move{to: to})
	case cat.PathTest:
		bit, err := m.tests.bit(test{p.Set, p.Not})
		if err != nil {
			m.err = err
		}
		m.add(from, move{need: bit, to: to})
	case cat.PathStep:
		if p.Rel == "si" && p.Filter == 0 {
			m.add(from, move{to: to})
			return
		}
		s := step{stepView, "", p.Filter}
		if p.Rel != "" {
			r, ok := rels[p.Rel]
			if !ok {
				m.err = fmt.Errorf("no steps along %s", p.Rel)
				return
			}
			s.rel = r
			if r == stepDep {
				s.name = p.Rel
			}
		}
		m.add(from, move{step: &s, to: to})
	case cat.PathSeq:
		mid := m.state()
		m.path(p.X, from, mid)
		m.path(p.Y, mid, to)
	case cat.PathUnion:
		m.path(p.X, from, to)
		m.path(p.Y, from, to)
	case cat.PathOpt:
		m.add(from, move{to: to})
		m.path(p.X, from, to)
	case cat.PathPlus, cat.PathStar:
		a, b := m.state(), m.state()
		m.add(from, move{to: a})
		m.path(p.X, a, b)
		m.add(b, move{to: a})
		m.add(b, move{to: to})
		if p.Kind == cat.PathStar {
			m.add(from, move{to: to})
		}
	}
}

// finish takes out the empty moves. The states that are left are those that a step leads to, and the first.
func (m *maker) finish(first, last int) automaton {
	number := map[int]int{first: 0}
	queue := []int{first}
	var a automaton
	for i := 0; i < len(queue); i++ {
		var s state
		m.closure(queue[i], 0, map[[2]uint64]bool{}, func(at int, need uint64) {
			if at == last {
				s.accept = addNeed(s.accept, need)
			}
			for _, mv := range m.moves[at] {
				if mv.step == nil {
					continue
				}
				n, ok := number[mv.to]
				if !ok {
					n = len(queue)
					number[mv.to] = n
					queue = append(queue, mv.to)
				}
				s.out = addEdge(s.out, edge{need, *mv.step, n})
			}
		})
		a = append(a, s)
	}
	return a
}

// closure calls f with the states that empty moves and tests lead to, and the tests.
func (m *maker) closure(at int, need uint64, seen map[[2]uint64]bool, f func(at int, need uint64)) {
	key := [2]uint64{uint64(at), need}
	if m.steps++; m.steps > maxMoves {
		m.err = errMoves
	}
	if seen[key] || m.err != nil {
		return
	}
	seen[key] = true
	f(at, need)
	for _, mv := range m.moves[at] {
		if mv.step == nil {
			m.closure(mv.to, need|mv.need, seen, f)
		}
	}
}

// addNeed adds an alternative, unless a weaker one is there.
func addNeed(list []uint64, need uint64) []uint64 {
	for _, n := range list {
		if n&^need == 0 {
			return list
		}
	}
	list = slices.DeleteFunc(list, func(n uint64) bool { return need&^n == 0 })
	return append(list, need)
}

func addEdge(list []edge, e edge) []edge {
	for _, o := range list {
		if o.step == e.step && o.to == e.to && o.need&^e.need == 0 {
			return list
		}
	}
	list = slices.DeleteFunc(list, func(o edge) bool { return o.step == e.step && o.to == e.to && e.need&^o.need == 0 })
	return append(list, e)
}

// trim drops edges to states from which nothing is accepted and no cycle is reached.
func (a automaton) trim() automaton {
	dead := make([]bool, len(a))
	for again := true; again; {
		again = false
		for i := range a {
			a[i].out = slices.DeleteFunc(a[i].out, func(e edge) bool { return dead[e.to] })
			if !dead[i] && len(a[i].out) == 0 && len(a[i].accept) == 0 {
				dead[i], again = true, true
			}
		}
	}
	return a
}

// merge makes states that go on in the same way one.
func (a automaton) merge() automaton {
	block := make([]int, len(a))
	for n := 1; ; {
		keys := map[string]int{}
		next := make([]int, len(a))
		for i := range a {
			out := make([]string, len(a[i].out))
			for j, e := range a[i].out {
				out[j] = fmt.Sprint(e.need, e.step, block[e.to])
			}
			slices.Sort(out)
			accept := slices.Clone(a[i].accept)
			slices.Sort(accept)
			key := fmt.Sprint(block[i], slices.Compact(out), accept)
			if _, ok := keys[key]; !ok {
				keys[key] = len(keys)
			}
			next[i] = keys[key]
		}
		block = next
		if len(keys) == n {
			break
		}
		n = len(keys)
	}
	return a.quotient(block)
}

// quotient makes the states with the same number one; that of state 0 is 0.
func (a automaton) quotient(block []int) automaton {
	out := make(automaton, slices.Max(block)+1)
	for i, s := range a {
		b := &out[block[i]]
		for _, e := range s.out {
			e.to = block[e.to]
			b.out = addEdge(b.out, e)
		}
		for _, n := range s.accept {
			b.accept = addNeed(b.accept, n)
		}
	}
	return out
}
