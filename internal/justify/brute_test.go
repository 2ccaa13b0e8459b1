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
