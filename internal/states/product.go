package states

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
)

// A formula is checked on all fair executions: the automaton of its negation runs along, and a component of the product
// that is fair and meets every accepting set is a counterexample. An execution that has ended, or is stuck, goes on in the same state for ever.

// A point is a state and a node of the automaton.
type point struct {
	state uint64
	node  int32
	over  bool // the execution has ended
}

// stutter is a move that changes nothing, of an execution that has ended.
const stutter moveKind = 255

// An arrow leads from one point to another.
type arrow struct {
	m  move
	to point
}

// A product is the state space together with an automaton.
type product struct {
	*worker
	b     *buchi
	model Model              // that the moves take
	memo  map[uint64][]arrow // successors of a state, with node unset
	truth map[uint64]uint64  // atoms that hold in a state
}

// A variable is where the value of an atom is.
type variable struct {
	addr     event.Addr
	size     uint8
	unsigned bool
}

// resolve finds the variables of a formula.
func (r *run) resolve(f *ltl) ([]variable, error) {
	vars := make([]variable, len(f.atoms))
	for i, a := range f.atoms {
		if a.name == "" {
			if a.fn != "" && !slices.ContainsFunc(r.src.Funcs, func(f *ir.Func) bool { return f.Name == a.fn && len(f.Blocks) > 0 }) {
				return nil, f.fail(a.at, "the program has no function %s", a.fn)
			}
			continue
		}
		addr, size, ok := r.lookUp(a.name)
		if !ok {
			return nil, f.fail(a.at, "the program has no variable %s", a.name)
		}
		vars[i] = variable{addr, size, r.namer.Unsigned(addr, size)}
	}
	return vars, nil
}

// lookUp returns the place of a global variable, or of a part of one, by the name that reports give it.
func (r *run) lookUp(name string) (event.Addr, uint8, bool) {
	for _, g := range r.src.Globals {
		if g.TLS || !strings.HasPrefix(name, g.Name) {
			continue
		}
		if name == g.Name && slices.Contains([]uint64{1, 2, 4, 8}, g.Size) {
			return g.Addr, uint8(g.Size), true
		}
		for _, size := range []uint8{8, 4, 2, 1} {
			for off := uint64(0); off+uint64(size) <= min(g.Size, 1<<16); off += uint64(size) {
				if at := g.Addr + event.Addr(off); r.namer.Loc(at, size) == name {
					return at, size, true
				}
			}
		}
	}
	return 0, 0, false
}

// holds returns the atoms that hold in a state.
func (p *product) holds(s uint64) (set uint64) {
	if t, ok := p.truth[s]; ok {
		return t
	}
	p.hold(s)
	for i, a := range p.formula.atoms {
		if p.atom(&a, &p.variables[i]) {
			set |= 1 << i
		}
	}
	p.truth[s] = set
	return set
}

func (p *product) atom(a *atom, v *variable) bool {
	if a.name == "" {
		if a.thread >= p.threads || p.leaf(localLeaf(int32(a.thread))) == 0 {
			return false
		}
		l := p.locals.at(p.leaf(localLeaf(int32(a.thread)))).local
		if l.act.Kind == machine.Exit {
			return a.line < 0
		}
		at := p.namer.Location(l.pos)
		return a.line > 0 && at.Line == a.line || a.fn != "" && at.Function == a.fn
	}
	bits := p.value(p.pageLeaf(v.addr), v.addr, v.size).Lo
	order := 1
	if shift := 64 - 8*uint(v.size); !v.unsigned {
		order = cmp.Compare(int64(bits<<shift)>>shift, a.num)
	} else if a.num >= 0 {
		order = cmp.Compare(bits, uint64(a.num))
	}
	switch a.op {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	return bits != 0
}

// arrows returns the moves from a state.
func (p *product) arrows(s uint64) []arrow {
	if list, ok := p.memo[s]; ok {
		return list
	}
	p.hold(s)
	var list []arrow
	assumed := p.assumed()
	moved := p.try(allThreads, func(m move, ok bool) bool {
		if !ok || p.cost > p.model {
			return false
		}
		to := s
		if len(p.changes) > 0 {
			to = p.state()
		}
		list = append(list, arrow{m, point{state: to}})
		return true
	})
	if !assumed && (!moved || p.over() && !p.guesses()) {
		list = append(list, arrow{move{kind: stutter}, point{state: s, over: true}})
	}
	if len(p.memo) < 1<<20 {
		p.memo[s] = list
	}
	return list
}

// assumed reports whether a thread is where the execution does not count.
func (w *worker) assumed() bool {
	for t := range int32(w.threads) {
		if id := w.leaf(localLeaf(t)); id != 0 {
			if a := &w.locals.at(id).local.act; a.Kind == machine.Block && a.Block != machine.Ended {
				return true
			}
		}
	}
	return false
}

// accepts reports whether a state may be in a node.
func (p *product) accepts(n int32, s uint64) bool {
	x := &p.b.nodes[n]
	t := p.holds(s)
	return x.yes&^t == 0 && x.no&t == 0
}

// next returns the arrows from a point to states that are known.
func (p *product) next(from point) (list []arrow) {
	for _, a := range p.arrows(from.state) {
		if !p.visited.has(a.to.state) || from.over && !a.to.over {
			continue
		}
		for _, n := range p.b.nodes[from.node].next {
			if p.accepts(int32(n), a.to.state) {
				list = append(list, arrow{a.m, point{a.to.state, int32(n), a.to.over}})
			}
		}
	}
	return list
}

// checkLTL looks for a fair execution of model m that does not have the formula.
func (w *worker) checkLTL(m Model) {
	l := w.counterexample(m)
	if l == nil {
		return
	}
	w.hold(l.state)
	fl := &fault{err: &machine.Error{Kind: machine.LivenessError, Message: fmt.Sprintf("the formula `%s` does not hold", w.formula.text)}}
	for _, m := range l.cycle {
		if m.kind != stutter {
			fl.thread = m.thread
		}
	}
	if id := w.leaf(localLeaf(fl.thread)); id != 0 {
		fl.pos = w.locals.at(id).local.pos
	}
	w.report(fl, m, l)
}

// counterexample returns an execution of model m that the automaton accepts.
func (w *worker) counterexample(m Model) *lasso {
	p := &product{w, w.automaton, m, map[uint64][]arrow{}, map[uint64]uint64{}}
	starts := []point{}
	for _, n := range p.b.starts {
		if p.accepts(int32(n), w.initial) {
			starts = append(starts, point{state: w.initial, node: int32(n)})
		}
	}
	members := p.component(starts)
	if members == nil {
		return nil
	}
	return p.lasso(starts, members)
}

// component returns the points of a component that is a counterexample, by Tarjan's algorithm; nil if there is none.
func (p *product) component(starts []point) map[point]bool {
	type vertex struct {
		at   point
		low  int32
		open bool
	}
	type frame struct {
		n     int32
		succs []arrow
	}
	number := map[point]int32{}
	var list []vertex
	var open []int32
	var stack []frame
	push := func(at point) {
		n := int32(len(list))
		number[at] = n
		list = append(list, vertex{at, n, true})
		open = append(open, n)
		stack = append(stack, frame{n, p.next(at)})
	}
	for i := 0; i < len(starts); i++ {
		if _, old := number[starts[i]]; !old {
			push(starts[i])
		}
		for len(stack) > 0 {
			if len(list)&1023 == 0 {
				p.watchCycle(int64(len(list)) * 3)
			}
			if p.stop.Load() {
				return nil
			}
			f := &stack[len(stack)-1]
			if len(f.succs) > 0 {
				to, kind := f.succs[0].to, f.succs[0].m.kind
				f.succs = f.succs[1:]
				if kind == spurious { // on no cycle
					starts = append(starts, to)
					continue
				}
				if k, old := number[to]; !old {
					push(to)
				} else if list[k].open {
					list[f.n].low = min(list[f.n].low, list[k].low)
				}
				continue
			}
			n := f.n
			stack = stack[:len(stack)-1]
			low := list[n].low
			if len(stack) > 0 {
				up := &list[stack[len(stack)-1].n]
				up.low = min(up.low, low)
			}
			if low != n {
				continue
			}
			from := slices.Index(open, n)
			members := map[point]bool{}
			for _, k := range open[from:] {
				list[k].open = false
				members[list[k].at] = true
			}
			open = open[:from]
			if p.isCounterexample(members) {
				return members
			}
		}
	}
	return nil
}

// isCounterexample reports whether a component has a cycle that is fair and accepted.
func (p *product) isCounterexample(members map[point]bool) bool {
	d := newDuties(p.threads)
	sets := uint64(0)
	moves := false
	for at := range members {
		sets |= p.b.nodes[at.node].in
		p.stateDuties(at.state, d)
		for _, a := range p.next(at) {
			if a.m.kind != spurious && members[a.to] {
				moves = true
				d.took(a.m)
			}
		}
	}
	return moves && d.done() && bits.OnesCount64(sets) == p.b.sets
}

// took notes the duty that a move fulfils.
func (d duties) took(m move) {
	switch m.kind {
	case stutter: // the program has ended
		for t := range d.moves {
			d.moves[t], d.leaves[t] = true, true
		}
	case leave:
		if m.arg == 0 {
			d.leaves[m.thread] = true
		}
	default:
		d.moves[m.thread] = true
	}
}

// stateDuties notes the duties that hold in a state because a thread can't move.
func (p *product) stateDuties(s uint64, d duties) {
	can := make([]bool, p.threads)
	for _, a := range p.arrows(s) {
		if a.m.kind != leave && a.m.kind != stutter {
			can[a.m.thread] = true
		}
	}
	p.hold(s)
	for t := range can {
		if !can[t] && !p.ends(int32(t)) {
			d.moves[t] = true
		}
		if p.leaf(bufferLeaf(int32(t))) == 0 {
			d.leaves[t] = true
		}
	}
}

// lasso returns an execution that leads into the component and goes round it.
func (p *product) lasso(starts []point, members map[point]bool) *lasso {
	var stem []leg
	var home point
	if i := slices.IndexFunc(starts, func(s point) bool { return members[s] }); i >= 0 {
		home = starts[i]
	} else {
		stem = p.way(starts, func(arrow) bool { return true }, func(l leg) bool { return members[l.to] })
		home = stem[len(stem)-1].to
	}
	inside := func(a arrow) bool { return a.m.kind != spurious && members[a.to] }
	d := newDuties(p.threads)
	sets := uint64(0)
	note := func(l leg, d duties, sets uint64) uint64 {
		p.stateDuties(l.from.state, d)
		d.took(l.m)
		return sets | p.b.nodes[l.from.node].in
	}
	var round []leg
	at := home
	for len(round) == 0 || !d.done() || bits.OnesCount64(sets) < p.b.sets {
		before := d.count() + bits.OnesCount64(sets)
		way := p.way([]point{at}, inside, func(l leg) bool {
			e := d.clone()
			s := note(l, e, sets)
			return len(round) == 0 || e.count()+bits.OnesCount64(s) > before
		})
		if way == nil {
			break
		}
		for _, l := range way {
			sets = note(l, d, sets)
		}
		round = append(round, way...)
		at = round[len(round)-1].to
	}
	if at != home {
		round = append(round, p.way([]point{at}, inside, func(l leg) bool { return l.to == home })...)
	}
	return &lasso{state: home.state, stem: moves(stem), cycle: moves(round)}
}

// A leg is one arrow of a way.
type leg struct {
	from point
	arrow
}

// moves returns the moves of a way; not nil.
func moves(way []leg) []move {
	list := make([]move, 0, len(way))
	for _, l := range way {
		list = append(list, l.m)
	}
	return list
}

// way returns the shortest way from one of the points to an arrow that is wanted.
func (p *product) way(from []point, inside func(arrow) bool, wanted func(leg) bool) []leg {
	came := map[point]leg{}
	queue := slices.Clone(from)
	for _, s := range from {
		came[s] = leg{}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, a := range p.next(at) {
			if !inside(a) {
				continue
			}
			l := leg{at, a}
			if wanted(l) {
				way := []leg{l}
				for back := came[at]; back.to != (point{}); back = came[back.from] {
					way = append(way, back)
				}
				slices.Reverse(way)
				return way
			}
			if _, old := came[a.to]; !old {
				came[a.to] = l
				queue = append(queue, a.to)
			}
		}
	}
	return nil
}
