package justify

import (
	"fmt"
	"maps"
	"slices"

	"ravel/internal/litmus"
)

// This file decides JLS 17.4.8 by brute force, with concrete values and none of the code of the package but Observed, which says what to compare: all
// executions that 17.4.2 to 17.4.7 allow, then all sequences of committed sets, each any superset of the last. It
// knows plain and volatile variables, arrays, monitors, start and join, final fields, print, and loops up to a bound:
// all that chapter 17 has and ravel jmm reads. bruteExecutions makes the executions, bruteJustified the sequences.

// An action of a concrete execution.
type action struct {
	thread int
	kind   string // R W U lock unlock print start join first last freeze
	loc    string // the thread that is started, joined, begins or ends
	vol    bool
	read   uint64
	wrote  uint64 // or printed
	nth    int    // of its thread, kind and place
	final  bool   // a write of a final field
	serial int    // its place in its thread
	ref    int    // the serial of the read that the reference to the object came from, -1 for none
	copied int    // the serial of the read that a write just copies, -1 for none
}

func (a *action) isRead() bool  { return a.kind == "R" || a.kind == "U" }
func (a *action) isWrite() bool { return a.kind == "W" || a.kind == "U" }
func (a *action) sync() bool {
	return a.vol || len(a.kind) > 1 && a.kind != "print" && a.kind != "freeze"
}

// A trace is one run of a thread. from tells which read a register holds the value of.
type trace struct {
	actions []action
	regs    map[litmus.Reg]litmus.Value
	from    map[litmus.Reg]int
	rounds  map[int]int // how often each branch back was taken
	idle    bool        // nobody starts the thread
	cut     bool        // it goes on in a loop
}

func (t trace) clone() trace {
	return trace{slices.Clone(t.actions), maps.Clone(t.regs), maps.Clone(t.from), maps.Clone(t.rounds), t.idle, t.cut}
}

func (t *trace) add(a action) {
	a.serial = len(t.actions)
	t.actions = append(t.actions, a)
}

// origin returns the read that the value of e is, -1 if it is computed.
func (t *trace) origin(e litmus.Expr) int {
	get := func(r litmus.Reg) litmus.Value { return t.regs[r] }
	switch e := e.(type) {
	case litmus.Reg:
		if n, ok := t.from[e]; ok {
			return n
		}
	case *litmus.Unary:
		if e.Op == litmus.Trunc {
			return t.origin(e.X)
		}
	case *litmus.Select:
		if litmus.Eval(e.If, get).Int != 0 {
			return t.origin(e.X)
		}
		return t.origin(e.Y)
	}
	return -1
}

// An execution of 17.4.6; sets of actions are bit sets. Initial writes come first.
type execution struct {
	acts       []action
	inits      int
	seen       []int // W(r)
	hb, so, sw []uint64
	frozen     []uint64 // hb of 17.5.1, by final fields
	endless    []string // threads that go on in a loop: such an execution has no final state, but may be one of a sequence
	po         []uint64
	regs       []map[litmus.Reg]litmus.Value
	states     []string
}

func has(s uint64, i int) bool { return s>>i&1 != 0 }

// runThread interprets a thread; each read receives any of the values. A branch back, in a loop with a read, is taken
// at most so many times.
func runThread(test *litmus.Test, th *litmus.Thread, values []uint64, rounds int, yield func(trace)) {
	me := fmt.Sprint("T", th.ID)
	var step func(pc int, t trace)
	step = func(pc int, t trace) {
		get := func(r litmus.Reg) litmus.Value { return t.regs[r] }
		for pc < len(th.Ops) {
			op := &th.Ops[pc]
			if op.If != nil && litmus.Eval(op.If, get).Int == 0 {
				pc++
				continue
			}
			loc := ""
			if op.Addr != nil && op.Pair < 0 {
				addr := litmus.Eval(op.Addr, get)
				if op.Kind != litmus.Lock && op.Kind != litmus.Unlock && (int64(addr.Int) < 0 || int(addr.Int) >= test.Var(addr.Sym).Size()) {
					break // an exception
				}
				loc = addr.String()
			}
			a := action{thread: th.ID, loc: loc, vol: slices.Contains(op.Sets, "V"), ref: -1, copied: -1}
			if op.Ref != nil {
				a.ref = t.origin(op.Ref)
			}
			switch op.Kind {
			case litmus.Set:
				from := t.origin(op.X)
				t.regs[op.Dst] = litmus.Eval(op.X, get)
				delete(t.from, op.Dst)
				if from >= 0 {
					t.from[op.Dst] = from
				}
			case litmus.Branch:
				if op.X != nil && litmus.Eval(op.X, get).Int == 0 {
					break
				}
				if op.To <= pc && slices.ContainsFunc(th.Ops[op.To:pc], func(o litmus.Op) bool { return o.Kind == litmus.Load }) {
					if t.rounds[pc]++; t.rounds[pc] > rounds {
						if len(t.held()) == 0 {
							t = t.clone()
							t.cut = true
							yield(t)
						}
						return
					}
					for inner := op.To; inner < pc; inner++ {
						delete(t.rounds, inner)
					}
				}
				pc = op.To
				continue
			case litmus.Assume:
				if litmus.Eval(op.X, get).Int == 0 {
					return
				}
			case litmus.Choose:
				u := t.clone()
				u.regs[op.Dst] = litmus.Value{Int: 1}
				step(pc+1, u)
				t.regs[op.Dst] = litmus.Value{}
			case litmus.Load:
				for _, v := range values {
					u := t.clone()
					u.regs[op.Dst], u.from[op.Dst] = litmus.Value{Int: v}, len(u.actions)
					a.kind, a.read = "R", v
					u.add(a)
					step(pc+1, u)
				}
				return
			case litmus.Store:
				a.kind, a.wrote, a.copied, a.final = "W", litmus.Eval(op.X, get).Int, t.origin(op.X), slices.Contains(op.Sets, "Final")
				if op.Size < 8 {
					a.wrote &= 1<<(8*op.Size) - 1
				}
				if op.Pair >= 0 { // of the read before it
					last := &t.actions[len(t.actions)-1]
					last.kind, last.wrote, last.copied = "U", a.wrote, a.copied
					break
				}
				t.add(a)
			case litmus.Lock, litmus.Unlock:
				a.kind = map[litmus.Kind]string{litmus.Lock: "lock", litmus.Unlock: "unlock"}[op.Kind]
				t.add(a)
			case litmus.Start, litmus.Join:
				a.kind = map[litmus.Kind]string{litmus.Start: "start", litmus.Join: "join"}[op.Kind]
				a.loc = fmt.Sprint("T", litmus.Eval(op.X, get).Int)
				t.add(a)
			case litmus.External:
				a.kind, a.wrote = "print", litmus.Eval(op.X, get).Int
				t.add(a)
			case litmus.Freeze:
				a.kind = "freeze"
				t.add(a)
			default:
				panic("brute: " + op.String())
			}
			pc++
		}
		t = t.clone()
		for held := t.held(); len(held) > 0; held = t.held() { // an exception leaves the blocks
			t.add(action{thread: th.ID, kind: "unlock", loc: held[len(held)-1], ref: -1, copied: -1})
		}
		if named(test, litmus.Join, th.ID) {
			t.add(action{thread: th.ID, kind: "last", loc: me, ref: -1, copied: -1})
		}
		yield(t)
	}
	t := trace{regs: map[litmus.Reg]litmus.Value{}, from: map[litmus.Reg]int{}, rounds: map[int]int{}}
	for _, r := range th.Init {
		t.regs[r.Reg] = r.Value
	}
	if named(test, litmus.Start, th.ID) {
		idle := t.clone()
		idle.idle = true
		yield(idle)
		t.add(action{thread: th.ID, kind: "first", loc: me, ref: -1, copied: -1})
	}
	step(0, t)
}

// held returns the monitors that the trace holds at its end, as often as it has locked them.
func (t *trace) held() []string {
	var held []string
	for _, a := range t.actions {
		switch a.kind {
		case "lock":
			held = append(held, a.loc)
		case "unlock":
			held = held[:len(held)-1] // blocks are nested
		}
	}
	return held
}

// named reports whether a thread is started or joined somewhere.
func named(test *litmus.Test, kind litmus.Kind, id int) bool {
	for _, th := range test.Threads {
		for i := range th.Ops {
			if op := &th.Ops[i]; op.Kind == kind && int(op.X.(litmus.Value).Int) == id {
				return true
			}
		}
	}
	return false
}

// maxValues is how many values a read may try; beyond that, brute force gives up.
const maxValues = 16

// bruteExecutions returns all well-formed executions, false if there are too many values to try.
func bruteExecutions(test *litmus.Test, rounds int) ([]*execution, bool) {
	x, values := initials(test)
	traces, ok := bruteTraces(test, values, rounds)
	if !ok {
		return nil, false
	}
	possible(x.acts, traces)
	var out []*execution
	var combine func(t int, x *execution, idle []string)
	combine = func(t int, x *execution, idle []string) {
		if t == len(traces) {
			if x.finish(idle) {
				x.orders(finals(test), func(y *execution) { out = append(out, y.withStates(test)) })
			}
			return
		}
		for _, tr := range traces[t] {
			y := &execution{acts: slices.Concat(x.acts, tr.actions), inits: x.inits, regs: append(slices.Clone(x.regs), tr.regs), endless: x.endless}
			if tr.cut {
				y.endless = append(slices.Clone(x.endless), fmt.Sprint("T", test.Threads[t].ID))
			}
			if tr.idle {
				combine(t+1, y, append(slices.Clone(idle), fmt.Sprint("T", test.Threads[t].ID)))
			} else {
				combine(t+1, y, idle)
			}
		}
	}
	combine(0, x, nil)
	return out, true
}

// initials returns the initial writes, and the values to begin with: theirs, and the numbers in the program, which, out
// of thin air, may come from themselves.
func initials(test *litmus.Test) (*execution, []uint64) {
	x, values := &execution{}, []uint64{0}
	for _, v := range test.Vars {
		for i, n := range v.Init {
			loc := litmus.AddrOf(v.Name, int64(i)*int64(v.Type.Size)).String()
			if v.Type.Size < 8 {
				n.Int &= 1<<(8*v.Type.Size) - 1
			}
			x.acts = append(x.acts, action{thread: -1, kind: "W", loc: loc, wrote: n.Int, ref: -1, copied: -1})
			values = append(values, n.Int)
		}
	}
	x.inits = len(x.acts)
	for _, th := range test.Threads {
		for i := range th.Ops {
			for _, n := range constants(th.Ops[i].X) {
				values = append(values, n&0xffffffff)
			}
		}
	}
	return x, values
}

// constants returns the numbers in an expression.
func constants(e litmus.Expr) []uint64 {
	switch e := e.(type) {
	case litmus.Value:
		return []uint64{e.Int}
	case *litmus.Unary:
		return constants(e.X)
	case *litmus.Binary:
		return slices.Concat(constants(e.X), constants(e.Y))
	case *litmus.Select:
		return slices.Concat(constants(e.If), constants(e.X), constants(e.Y))
	}
	return nil
}

// bruteTraces runs each thread with all values that the program can compute from the ones given.
func bruteTraces(test *litmus.Test, given []uint64, rounds int) ([][]trace, bool) {
	var values []uint64
	add := func(v uint64) {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	stores := 1
	for _, v := range given {
		add(v)
	}
	for _, th := range test.Threads {
		for i := range th.Ops {
			if th.Ops[i].Kind == litmus.Store {
				stores += 1 + rounds
			}
		}
	}
	for { // a value is computed by at most all the stores, one from the other
		n := len(values)
		if n > maxValues {
			return nil, false
		}
		var traces [][]trace
		for _, th := range test.Threads {
			var list []trace
			runThread(test, th, values[:n:n], rounds, func(t trace) { list = append(list, t) })
			for _, t := range list {
				for _, a := range t.actions {
					if a.isWrite() {
						add(a.wrote)
					}
				}
			}
			traces = append(traces, list)
		}
		if stores--; len(values) == n || stores < 0 {
			return traces, true
		}
	}
}

// possible drops traces with a read of a value that nobody writes there.
func possible(inits []action, traces [][]trace) {
	type written struct {
		loc   string
		value uint64
	}
	for dropped := true; dropped; {
		dropped = false
		writes := map[written]bool{}
		note := func(list []action) {
			for _, a := range list {
				if a.isWrite() {
					writes[written{a.loc, a.wrote}] = true
				}
			}
		}
		note(inits)
		for _, list := range traces {
			for _, t := range list {
				note(t.actions)
			}
		}
		for i, list := range traces {
			traces[i] = slices.DeleteFunc(list, func(t trace) bool {
				return slices.ContainsFunc(t.actions, func(a action) bool { return a.isRead() && !writes[written{a.loc, a.read}] })
			})
			dropped = dropped || len(traces[i]) < len(list)
		}
	}
}

// finish numbers the actions. It reports whether just the threads that somebody starts run, of those that wait for it, and
// those that somebody has waited for have ended.
func (x *execution) finish(idle []string) bool {
	for i := range x.acts {
		a := &x.acts[i]
		if a.kind == "start" && slices.Contains(idle, a.loc) || a.kind == "join" && slices.Contains(x.endless, a.loc) ||
			a.kind == "first" && !slices.ContainsFunc(x.acts, func(b action) bool { return b.kind == "start" && b.loc == a.loc }) {
			return false
		}
		a.nth = 0
		for j := range i {
			b := &x.acts[j]
			if a.thread == b.thread && a.kind == b.kind && a.loc == b.loc {
				a.nth++
			}
		}
	}
	return true
}

// finals are the final fields of the program.
func finals(test *litmus.Test) map[string]bool {
	out := map[string]bool{}
	for _, th := range test.Threads {
		for i := range th.Ops {
			if op := &th.Ops[i]; op.Kind == litmus.Store && slices.Contains(op.Sets, "Final") {
				out[op.Addr.(litmus.Value).String()] = true
			}
		}
	}
	return out
}

// withStates computes the final states: registers, and for a place in memory any write that happens before no other one.
func (x *execution) withStates(test *litmus.Test) *execution {
	x.states = []string{""}
	for _, l := range Observed(test) {
		size, values := uint8(4), []uint64{0}
		if l.Thread < 0 {
			v := test.Var(l.Var)
			size, values = v.Type.Size, nil
			loc := litmus.AddrOf(l.Var, int64(max(l.Index, 0))*int64(size)).String()
			for i := range x.acts {
				a := &x.acts[i]
				if a.isWrite() && a.loc == loc && !slices.Contains(values, a.wrote) &&
					!slices.ContainsFunc(bitsOf(x.hb[i]), func(j int) bool { return x.acts[j].isWrite() && x.acts[j].loc == loc }) {
					values = append(values, a.wrote)
				}
			}
		}
		for t, th := range test.Threads {
			if th.ID == l.Thread {
				size, values = max(th.Types[l.Reg].Size, 4), []uint64{x.regs[t][l.Reg].Int}
			}
		}
		var states []string
		for _, s := range x.states {
			for _, v := range values {
				states = append(states, fmt.Sprintf("%s%s=%d;", s, l, int64(v)<<(64-8*size)>>(64-8*size)))
			}
		}
		x.states = states
	}
	return x
}

func bitsOf(s uint64) []int {
	var out []int
	for i := range 64 {
		if has(s, i) {
			out = append(out, i)
		}
	}
	return out
}

// orders chooses W and so.
func (x *execution) orders(final map[string]bool, yield func(*execution)) {
	n := len(x.acts)
	x.po = make([]uint64, n)
	var syncs []int
	for i := range x.acts {
		for j := i + 1; j < n; j++ {
			if x.acts[i].thread >= 0 && x.acts[i].thread == x.acts[j].thread {
				x.po[i] |= 1 << j
			}
		}
		if x.acts[i].sync() {
			syncs = append(syncs, i)
		}
	}
	seen := make([]int, n)
	var reads func(i int)
	reads = func(i int) {
		if i < n && !x.acts[i].isRead() {
			reads(i + 1)
			return
		}
		if i < n {
			for w := range x.acts {
				if a := &x.acts[w]; w != i && a.isWrite() && a.loc == x.acts[i].loc && a.wrote == x.acts[i].read {
					seen[i] = w
					reads(i + 1)
				}
			}
			return
		}
		var order []int
		var choose func(left []int)
		choose = func(left []int) {
			if len(left) == 0 {
				y := *x
				y.seen = slices.Clone(seen)
				if y.wellFormed(order, final) {
					yield(&y)
				}
				return
			}
			for k, e := range left {
				if !slices.ContainsFunc(left, func(o int) bool { return has(x.po[o], e) }) {
					order = append(order, e)
					choose(slices.Delete(slices.Clone(left), k, k+1))
					order = order[:len(order)-1]
				}
			}
		}
		choose(syncs)
	}
	reads(0)
}

// wellFormed is 17.4.7 and 17.5.1, for the synchronization order given.
func (x *execution) wellFormed(order []int, final map[string]bool) bool {
	n := len(x.acts)
	x.so, x.sw, x.hb = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	holder := map[string]int{}
	depth := map[string]int{}
	for i, e := range order {
		for _, f := range order[i+1:] {
			x.so[e] |= 1 << f
		}
		a := &x.acts[e]
		switch a.kind {
		case "lock":
			if depth[a.loc] > 0 && holder[a.loc] != a.thread {
				return false
			}
			holder[a.loc] = a.thread
			depth[a.loc]++
		case "unlock":
			depth[a.loc]--
		}
		for _, f := range order[i+1:] { // a thread begins when it is started, and is waited for until it ends
			if b := &x.acts[f]; a.loc == b.loc && (a.kind == "first" && b.kind == "start" || a.kind == "join" && b.kind == "last") {
				return false
			}
		}
	}
	for i := range x.acts {
		for j := range x.acts {
			a, b := &x.acts[i], &x.acts[j]
			if has(x.so[i], j) && a.loc == b.loc && (a.isWrite() && b.isRead() || a.kind == "unlock" && b.kind == "lock" ||
				a.kind == "start" && b.kind == "first" || a.kind == "last" && b.kind == "join") {
				x.sw[i] |= 1 << j
			}
			if i < x.inits && j >= x.inits {
				x.hb[i] |= 1 << j
			}
		}
		x.hb[i] |= x.po[i] | x.sw[i]
	}
	closure(x.hb)
	x.freezes(final)
	for r := range x.acts {
		if !x.acts[r].isRead() {
			continue
		}
		w := x.seen[r]
		if has(x.hb[r], w) || has(x.so[r], w) {
			return false
		}
		for v := range x.acts {
			if v == w || v == r || !x.acts[v].isWrite() || x.acts[v].loc != x.acts[r].loc {
				continue
			}
			if has(x.hb[w], v) && (has(x.hb[v], r) || has(x.frozen[v], r)) || has(x.so[w], v) && has(x.so[v], r) {
				return false
			}
		}
	}
	return true
}

// freezes is 17.5.1: with a freeze f of a final field, a write w with hb(w, f), an action a with hb(f, a) that is not a read of a final field,
// a read r1 of that field with mc(a, r1) and an access r2 with dereferences(r1, r2), w happens before r2; all of these orders are reflexive. It is
// asked only of a read r2 of the place that w writes.
func (x *execution) freezes(final map[string]bool) {
	n := len(x.acts)
	deref, mc := make([]uint64, n), make([]uint64, n)
	for i := range x.acts {
		deref[i] |= 1 << i
		mc[i] |= 1 << i
		for j := range x.acts {
			a, b := &x.acts[i], &x.acts[j]
			mine := a.isRead() && a.thread == b.thread && a.serial < b.serial
			if mine && b.ref == a.serial {
				deref[i] |= 1 << j
			}
			if mine && (b.ref == a.serial || b.isWrite() && b.copied == a.serial) || b.isRead() && x.seen[j] == i {
				mc[i] |= 1 << j
			}
		}
	}
	closure(deref)
	closure(mc)
	x.frozen = make([]uint64, n)
	field := func(i int) bool { return x.acts[i].isRead() && final[x.acts[i].loc] }
	for f := range x.acts {
		if x.acts[f].kind != "freeze" {
			continue
		}
		for r1 := range x.acts {
			ofField := field(r1) && slices.ContainsFunc(x.acts, func(w action) bool {
				return w.final && w.loc == x.acts[r1].loc && w.thread == x.acts[f].thread && w.serial < x.acts[f].serial
			})
			for a := range x.acts {
				if !ofField || field(a) || !has(x.hb[f]|1<<f, a) || !has(mc[a], r1) {
					continue
				}
				for w := range x.acts {
					for r2 := range x.acts {
						if x.acts[w].isWrite() && has(x.hb[w], f) && has(deref[r1], r2) && x.acts[r2].isRead() && x.acts[w].loc == x.acts[r2].loc {
							x.frozen[w] |= 1 << r2
						}
					}
				}
			}
		}
	}
}

// closure makes a relation transitive.
func closure(r []uint64) {
	for k := range r {
		for i := range r {
			if has(r[i], k) {
				r[i] |= r[k]
			}
		}
	}
}

// A variant is one reading of 17.4.8.
type variant struct {
	rules    Rules
	identity Identity
	without  int // the number of a rule that is left out; 0 for none
}

func (v variant) has(rule int) bool { return v.without != rule }

// bruteOutcomes returns the final states that some execution has which is allowed, sorted.
func bruteOutcomes(all []*execution, v variant) []string {
	allowed := map[string]bool{}
	for _, e := range all {
		news := len(e.endless) == 0 && slices.ContainsFunc(e.states, func(s string) bool { return !allowed[s] })
		if news && (v.rules == Single || bruteJustified(e, all, v)) {
			for _, s := range e.states {
				allowed[s] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(allowed))
}

// bruteJustified searches all sequences of executions and committed sets that justify e. Where it goes on to depends on
// what is committed and on the synchronizations that rule 8 keeps, so no such pair is tried twice.
func bruteJustified(e *execution, all []*execution, v variant) bool {
	var candidates []*candidate
	for _, g := range all {
		correspond(e, g, v.identity, func(m []int) { candidates = append(candidates, newCandidate(e, g, m, v)) })
	}
	type place struct {
		committed uint64
		kept      uint64 // edges of e.sw
	}
	full := uint64(1)<<len(e.acts) - 1
	visited := map[place]bool{}
	var from func(p place) bool
	from = func(p place) bool {
		if p.committed == full {
			return true // e itself is the last execution
		}
		if visited[p] {
			return false
		}
		visited[p] = true
		for _, c := range candidates {
			if p.kept&^c.has != 0 || !c.goesOn(p.committed) {
				continue
			}
			single := uint64(0)
			for _, i := range bitsOf(full &^ p.committed) {
				if c.mayCommit(i, p.committed) {
					single |= 1 << i
				}
			}
			for add := single; add != 0; add = (add - 1) & single {
				next := p.committed | add
				if !c.together(next) {
					continue
				}
				keep, ok := c.keeps(next)
				if ok && from(place{next, p.kept | keep}) {
					return true
				}
			}
		}
		return false
	}
	return from(place{committed: uint64(1)<<e.inits - 1})
}

// A candidate is an execution g that may be one of the sequence for e, with a map m from actions of e to actions of g
// that are the same. Where last is what was committed before and next what is committed with g, the rules are about
// last alone (goesOn), about each action of next and last (mayCommit), or about next (together, keeps).
type candidate struct {
	variant
	e, g   *execution
	m      []int    // -1 where there is none
	back   []int    // from g to e
	differ []uint64 // for each action of e, those that are ordered otherwise in g
	has    uint64   // which edges of e.sw g has
	needs  []need8
}

// A need8 is an edge of g that rule 8 keeps as soon as an action of after is committed.
type need8 struct {
	edge  uint64 // of e.sw; 0 if e has no such edge
	after uint64
}

func newCandidate(e, g *execution, m []int, v variant) *candidate {
	c := &candidate{variant: v, e: e, g: g, m: m, differ: make([]uint64, len(e.acts))}
	c.back = make([]int, len(g.acts))
	for i := range c.back {
		c.back[i] = -1
	}
	for i, j := range m {
		if j >= 0 {
			c.back[j] = i
		}
	}
	for i := range m {
		for k := range m {
			if m[i] >= 0 && m[k] >= 0 && v.rules == JLS &&
				(v.has(2) && has(e.hb[i], k) != has(g.hb[m[i]], m[k]) || v.has(3) && has(e.so[i], k) != has(g.so[m[i]], m[k])) {
				c.differ[i] |= 1 << k
				c.differ[k] |= 1 << i
			}
		}
	}
	if v.rules == JLS && v.has(8) && v.identity == Index {
		c.synchronizations()
	}
	return c
}

// synchronizations finds which edges of e.sw are in g, and the edges of g that rule 8 is about: those of sw that are
// in the transitive reduction of hb, and not in po. (Initial writes synchronize with the first action of each thread in every
// execution: their edges are left out.)
func (c *candidate) synchronizations() {
	e, g := c.e, c.g
	bit := uint64(1)
	edges := map[[2]int]uint64{}
	for i := range e.acts {
		for _, k := range bitsOf(e.sw[i]) {
			edges[[2]int{i, k}] = bit
			if c.m[i] >= 0 && c.m[k] >= 0 && has(g.sw[c.m[i]], c.m[k]) {
				c.has |= bit
			}
			if bit <<= 1; bit == 0 {
				panic("brute: more than 64 synchronizations")
			}
		}
	}
	for x := range g.acts {
		for _, y := range bitsOf(g.sw[x] &^ g.po[x]) {
			if slices.ContainsFunc(bitsOf(g.hb[x]), func(z int) bool { return has(g.hb[z], y) }) {
				continue
			}
			n := need8{edge: edges[[2]int{c.back[x], c.back[y]}]}
			for _, z := range bitsOf(g.hb[y] | 1<<y) {
				if c.back[z] >= 0 {
					n.after |= 1 << c.back[z]
				}
			}
			c.needs = append(c.needs, n)
		}
	}
}

// goesOn is what the rules say of what was committed before.
func (c *candidate) goesOn(last uint64) bool {
	for _, i := range bitsOf(last) {
		if !c.sameAction(i, last) {
			return false
		}
		if c.variant.has(5) && c.e.acts[i].isRead() && c.m[i] >= 0 && c.m[c.e.seen[i]] != c.g.seen[c.m[i]] {
			return false // 5
		}
	}
	for r := range c.g.acts {
		w := c.g.seen[r]
		if c.g.acts[r].isRead() && !(c.back[r] >= 0 && has(last, c.back[r])) && !has(c.g.hb[w], r) && !has(c.g.frozen[w], r) && c.variant.has(6) {
			return false // 6
		}
	}
	return true
}

// sameAction is rules 1 to 4 for an action and others.
func (c *candidate) sameAction(i int, others uint64) bool {
	if c.m[i] < 0 {
		return !c.variant.has(1) // 1
	}
	a, b := &c.e.acts[i], &c.g.acts[c.m[i]]
	if c.variant.has(4) && (a.isWrite() || a.kind == "print") && a.wrote != b.wrote {
		return false // 4
	}
	if c.rules == AspinallSevcik && c.variant.has(2) && a.isRead() {
		w := c.e.seen[i]
		if c.m[w] < 0 || has(c.e.hb[w], i) != has(c.g.hb[c.m[w]], c.m[i]) || has(c.g.hb[c.m[i]], c.m[w]) {
			return false // 2 of Aspinall and Ševčík
		}
	}
	return c.differ[i]&(others|1<<i) == 0 // 2 and 3
}

// mayCommit is what the rules say of an action that is not in last.
func (c *candidate) mayCommit(i int, last uint64) bool {
	if !c.sameAction(i, last) {
		return false
	}
	if !c.e.acts[i].isRead() || !c.variant.has(7) {
		return true
	}
	if c.m[i] < 0 {
		return has(last, c.e.seen[i])
	}
	sees := c.back[c.g.seen[c.m[i]]]
	return has(last, c.e.seen[i]) && (c.rules == AspinallSevcik || sees >= 0 && has(last, sees)) // 7
}

// together is rules 2 and 3 for all of next, and 9.
func (c *candidate) together(next uint64) bool {
	for _, i := range bitsOf(next) {
		if c.differ[i]&next != 0 {
			return false
		}
		for x := range c.e.acts {
			if c.rules == AspinallSevcik && c.variant.has(9) && c.e.acts[i].kind == "print" && has(c.e.hb[x], i) && !has(next, x) {
				return false // 9 of Aspinall and Ševčík
			}
		}
		for x := range c.g.acts {
			if c.rules == JLS && c.variant.has(9) && c.m[i] >= 0 && c.g.acts[x].kind == "print" && has(c.g.hb[x], c.m[i]) && !(c.back[x] >= 0 && has(next, c.back[x])) {
				return false // 9
			}
		}
	}
	return true
}

// keeps is rule 8: the synchronizations that all later executions need. It returns false if e lacks one.
func (c *candidate) keeps(next uint64) (uint64, bool) {
	kept := uint64(0)
	for _, n := range c.needs {
		if n.after&next != 0 {
			if n.edge == 0 {
				return 0, false
			}
			kept |= n.edge
		}
	}
	return kept, true
}

// correspond calls yield with the maps from actions of e to actions of g that are the same: for index identity, of the same number among
// those of their thread, kind and place; for free identity, any. A map of some actions can be extended as long as
// g has more of the kind: so an action goes without only if there are fewer in g than in e.
func correspond(e, g *execution, identity Identity, yield func(m []int)) {
	m := make([]int, len(e.acts))
	for i := range m {
		m[i] = -1
	}
	same := func(a, b *action) bool {
		return a.thread == b.thread && a.kind == b.kind && a.loc == b.loc && (identity == Free || a.nth == b.nth)
	}
	var choose func(i int)
	choose = func(i int) {
		if i == len(m) {
			yield(slices.Clone(m))
			return
		}
		mine, theirs := 0, 0
		for k := range e.acts {
			if same(&e.acts[i], &e.acts[k]) {
				mine++
			}
		}
		for j := range g.acts {
			if !same(&e.acts[i], &g.acts[j]) {
				continue
			}
			theirs++
			if !slices.Contains(m, j) {
				m[i] = j
				choose(i + 1)
				m[i] = -1
			}
		}
		if mine > theirs {
			choose(i + 1)
		}
	}
	choose(0)
}
