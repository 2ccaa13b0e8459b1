package justify

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"ravel/internal/frontend/litmus"
)

// This file decides JLS 17.4.8 by brute force, with concrete values and none of the code of the package: all
// executions that 17.4.2 to 17.4.7 allow, then all sequences of committed sets, each any superset of the last. It
// knows plain and volatile variables, arrays, monitors, start and join, and print.

// An action of a concrete execution.
type action struct {
	thread int
	kind   string // R W U lock unlock print start join first last
	loc    string // the thread that is started, joined, begins or ends
	vol    bool
	read   uint64
	wrote  uint64 // or printed
	nth    int    // of its thread, kind and place
}

func (a *action) isRead() bool  { return a.kind == "R" || a.kind == "U" }
func (a *action) isWrite() bool { return a.kind == "W" || a.kind == "U" }
func (a *action) sync() bool    { return a.vol || len(a.kind) > 1 && a.kind != "print" }

// A trace is one run of a thread.
type trace struct {
	actions []action
	regs    map[litmus.Reg]litmus.Value
}

// An execution of 17.4.6; sets of actions are bit sets. Initial writes come first.
type execution struct {
	acts       []action
	inits      int
	seen       []int // W(r)
	hb, so, sw []uint64
	po         []uint64
	state      string
}

func has(s uint64, i int) bool { return s>>i&1 != 0 }

// runThread interprets a thread; each read receives any of the values.
func runThread(test *litmus.Test, th *litmus.Thread, values []uint64, yield func(trace)) {
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
			switch op.Kind {
			case litmus.Set:
				t.regs[op.Dst] = litmus.Eval(op.X, get)
			case litmus.Branch:
				if op.X == nil || litmus.Eval(op.X, get).Int != 0 {
					pc = op.To
					continue
				}
			case litmus.Load:
				addr := litmus.Eval(op.Addr, get)
				if int(addr.Int) >= test.Var(addr.Sym).Size() {
					pc = len(th.Ops) // an exception
					continue
				}
				loc := addr.String()
				for _, v := range values {
					u := trace{slices.Clone(t.actions), map[litmus.Reg]litmus.Value{}}
					for r, x := range t.regs {
						u.regs[r] = x
					}
					u.regs[op.Dst] = litmus.Value{Int: v}
					u.actions = append(u.actions, action{thread: th.ID, kind: "R", loc: loc, vol: slices.Contains(op.Sets, "V"), read: v})
					step(pc+1, u)
				}
				return
			case litmus.Store:
				v := litmus.Eval(op.X, get).Int & 0xffffffff
				if op.Pair >= 0 {
					last := &t.actions[len(t.actions)-1]
					last.kind, last.wrote = "U", v
					break
				}
				addr := litmus.Eval(op.Addr, get)
				if int(addr.Int) >= test.Var(addr.Sym).Size() {
					pc = len(th.Ops)
					continue
				}
				t.actions = append(t.actions, action{thread: th.ID, kind: "W", loc: addr.String(), vol: slices.Contains(op.Sets, "V"), wrote: v})
			case litmus.Lock, litmus.Unlock:
				kind := map[litmus.Kind]string{litmus.Lock: "lock", litmus.Unlock: "unlock"}[op.Kind]
				t.actions = append(t.actions, action{thread: th.ID, kind: kind, loc: litmus.Eval(op.Addr, get).String()})
			case litmus.Start, litmus.Join:
				kind := map[litmus.Kind]string{litmus.Start: "start", litmus.Join: "join"}[op.Kind]
				t.actions = append(t.actions, action{thread: th.ID, kind: kind, loc: fmt.Sprint("T", litmus.Eval(op.X, get).Int)})
			case litmus.External:
				t.actions = append(t.actions, action{thread: th.ID, kind: "print", wrote: litmus.Eval(op.X, get).Int})
			default:
				panic("brute: " + op.String())
			}
			pc++
		}
		if named(test, litmus.Join, th.ID) {
			t.actions = append(slices.Clone(t.actions), action{thread: th.ID, kind: "last", loc: me})
		}
		yield(t)
	}
	t := trace{regs: map[litmus.Reg]litmus.Value{}}
	if named(test, litmus.Start, th.ID) {
		t.actions = append(t.actions, action{thread: th.ID, kind: "first", loc: me})
	}
	step(0, t)
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

// bruteExecutions returns all well-formed executions.
func bruteExecutions(test *litmus.Test) []*execution {
	values := []uint64{0}
	add := func(v uint64) bool {
		if slices.Contains(values, v) {
			return false
		}
		values = append(values, v)
		return true
	}
	inits := map[string]uint64{}
	for _, v := range test.Vars {
		for i, x := range v.Init {
			inits[litmus.AddrOf(v.Name, int64(i)*int64(v.Type.Size)).String()] = x.Int
			add(x.Int)
		}
	}
	stores := 0
	for _, th := range test.Threads { // constants, out of thin air, may come from themselves
		for i := range th.Ops {
			numbers(th.Ops[i].X, func(n uint64) { add(n & 0xffffffff) })
			if th.Ops[i].Kind == litmus.Store {
				stores++
			}
		}
	}
	// A value is computed by at most all the stores, one from the other.
	var traces [][]trace
	for grown := true; grown && stores >= 0; stores-- {
		grown = false
		traces = nil
		for _, th := range test.Threads {
			var list []trace
			runThread(test, th, slices.Clone(values), func(t trace) { list = append(list, t) })
			for _, t := range list {
				for _, a := range t.actions {
					if a.isWrite() && add(a.wrote) {
						grown = true
					}
				}
			}
			traces = append(traces, list)
		}
		if len(values) > 12 {
			return nil // too many for brute force
		}
	}
	var out []*execution
	var combine func(t int, x *execution, regs []map[litmus.Reg]litmus.Value)
	combine = func(t int, x *execution, regs []map[litmus.Reg]litmus.Value) {
		if t < len(traces) {
			for _, tr := range traces[t] {
				y := &execution{acts: slices.Concat(x.acts, tr.actions), inits: x.inits}
				combine(t+1, y, append(slices.Clone(regs), tr.regs))
			}
			return
		}
		for i := range x.acts {
			a := &x.acts[i]
			for j := range i {
				b := &x.acts[j]
				if a.thread == b.thread && a.kind == b.kind && a.loc == b.loc {
					a.nth++
				}
			}
		}
		x.state = finalState(test, regs)
		x.orders(func(y *execution) { out = append(out, y) })
	}
	x := &execution{}
	var names []string
	for n := range inits {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		x.acts = append(x.acts, action{thread: -1, kind: "W", loc: n, wrote: inits[n]})
	}
	x.inits = len(x.acts)
	combine(0, x, nil)
	return out
}

func finalState(test *litmus.Test, regs []map[litmus.Reg]litmus.Value) string {
	var b strings.Builder
	for _, l := range Observed(test) {
		for t, th := range test.Threads {
			if th.ID == l.Thread {
				fmt.Fprintf(&b, "%s=%d;", l, int32(regs[t][l.Reg].Int))
			}
		}
	}
	return b.String()
}

// orders chooses W and so.
func (x *execution) orders(yield func(*execution)) {
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
				if y.wellFormed(order) {
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

// wellFormed is 17.4.7, for the synchronization order given.
func (x *execution) wellFormed(order []int) bool {
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
	for k := range n {
		for i := range n {
			if has(x.hb[i], k) {
				x.hb[i] |= x.hb[k]
			}
		}
	}
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
			if has(x.hb[w], v) && has(x.hb[v], r) || has(x.so[w], v) && has(x.so[v], r) {
				return false
			}
		}
	}
	return true
}

// bruteOutcomes returns the final states that rules allow, sorted.
func bruteOutcomes(test *litmus.Test, rules Rules, identity Identity) []string {
	all := bruteExecutions(test)
	if all == nil {
		return nil
	}
	allowed := map[string]bool{}
	for _, e := range all {
		if rules == Single || !allowed[e.state] && bruteJustified(e, all, rules, identity) {
			allowed[e.state] = true
		}
	}
	var out []string
	for s := range allowed {
		out = append(out, s)
	}
	sort.Strings(out)
	return out
}

type commitment struct {
	committed uint64
	kept      string // sw edges that must stay: rule 8
}

// bruteJustified searches all sequences of executions and committed sets.
func bruteJustified(e *execution, all []*execution, rules Rules, identity Identity) bool {
	inits := uint64(1)<<e.inits - 1
	full := uint64(1)<<len(e.acts) - 1
	visited := map[commitment]bool{}
	var from func(c commitment, kept [][2]action) bool
	from = func(c commitment, kept [][2]action) bool {
		if c.committed == full {
			// E itself is the last execution.
			return !slices.ContainsFunc(kept, func(s [2]action) bool { return !e.synchronizes(s) })
		}
		if visited[c] {
			return false
		}
		visited[c] = true
		for _, g := range all {
			if slices.ContainsFunc(kept, func(s [2]action) bool { return !g.synchronizes(s) }) {
				continue
			}
			rest := full &^ c.committed
			for add := rest; add != 0; add = (add - 1) & rest {
				found := false
				correspond(e, g, c.committed|add, identity, func(m []int) {
					if found || !stageOK(e, g, m, c.committed, c.committed|add, rules) {
						return
					}
					next := kept
					if rules == JLS && identity == Index {
						next = append(slices.Clone(kept), g.sufficient(m, c.committed|add)...)
						if slices.ContainsFunc(next, func(s [2]action) bool { return !e.synchronizes(s) }) {
							return // the last execution lacks it
						}
					}
					found = from(commitment{c.committed | add, fmt.Sprint(unique(next))}, unique(next))
				})
				if found {
					return true
				}
			}
		}
		return false
	}
	return from(commitment{inits, "[]"}, nil)
}

func unique(s [][2]action) [][2]action {
	var out [][2]action
	for _, x := range s {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	sort.Slice(out, func(i, j int) bool { return fmt.Sprint(out[i]) < fmt.Sprint(out[j]) })
	return out
}

// who forgets the values of an action: what is left is its identity.
func (a action) who() action {
	a.read, a.wrote = 0, 0
	return a
}

// synchronizes reports whether x has these actions with sw between them.
func (x *execution) synchronizes(s [2]action) bool {
	for i := range x.acts {
		for j := range x.acts {
			if has(x.sw[i], j) && x.acts[i].who() == s[0] && x.acts[j].who() == s[1] {
				return true
			}
		}
	}
	return false
}

// sufficient returns the edges ssw of rule 8 that committed actions come after.
func (x *execution) sufficient(m []int, committed uint64) [][2]action {
	var out [][2]action
	for i := range x.acts {
		for j := range x.acts {
			if !has(x.sw[i], j) || has(x.po[i], j) {
				continue
			}
			between, needed := false, false
			for k := range x.acts {
				between = between || has(x.hb[i], k) && has(x.hb[k], j)
			}
			for a, b := range m {
				if b >= 0 && has(committed, a) && (b == j || has(x.hb[j], b)) {
					needed = true
				}
			}
			if needed && !between {
				out = append(out, [2]action{x.acts[i].who(), x.acts[j].who()})
			}
		}
	}
	return out
}

// correspond calls yield with each map from the committed actions of e to actions of g.
func correspond(e, g *execution, committed uint64, identity Identity, yield func(m []int)) {
	m := make([]int, len(e.acts))
	for i := range m {
		m[i] = -1
	}
	var choose func(i int)
	choose = func(i int) {
		for i < len(e.acts) && !has(committed, i) {
			i++
		}
		if i == len(e.acts) {
			yield(m)
			return
		}
		for j := range g.acts {
			a, b := &e.acts[i], &g.acts[j]
			if a.thread == b.thread && a.kind == b.kind && a.loc == b.loc && (identity == Free || a.nth == b.nth) && !slices.Contains(m, j) {
				m[i] = j
				choose(i + 1)
				m[i] = -1
			}
		}
	}
	choose(0)
}

// stageOK is rules 1 to 7 and 9; m is total on next, which is rule 1.
func stageOK(e, g *execution, m []int, last, next uint64, rules Rules) bool {
	image := uint64(0)
	for _, j := range m {
		if j >= 0 {
			image |= 1 << j
		}
	}
	imageLast := uint64(0)
	for i, j := range m {
		if j >= 0 && has(last, i) {
			imageLast |= 1 << j
		}
	}
	for i := range e.acts {
		if !has(next, i) {
			continue
		}
		a, b := &e.acts[i], &g.acts[m[i]]
		if (a.isWrite() || a.kind == "print") && a.wrote != b.wrote {
			return false // 4
		}
		for k := range e.acts {
			if rules == JLS && has(next, k) && (has(e.hb[i], k) != has(g.hb[m[i]], m[k]) || has(e.so[i], k) != has(g.so[m[i]], m[k])) {
				return false // 2 and 3
			}
			if rules == AspinallSevcik && a.kind == "print" && has(e.hb[k], i) && !has(next, k) {
				return false // 9 of Aspinall and Ševčík
			}
		}
		if !a.isRead() {
			continue
		}
		w := e.seen[i]
		switch {
		case has(last, i):
			if m[w] != g.seen[m[i]] {
				return false // 5
			}
		case !has(last, w), rules == JLS && !has(imageLast, g.seen[m[i]]):
			return false // 7
		}
		if rules == AspinallSevcik && (has(e.hb[w], i) != has(g.hb[m[w]], m[i]) || has(g.hb[m[i]], m[w])) {
			return false // 2 of Aspinall and Ševčík
		}
	}
	for r := range g.acts {
		if g.acts[r].isRead() && !has(imageLast, r) && !has(g.hb[g.seen[r]], r) {
			return false // 6
		}
		for y := range g.acts {
			if rules == JLS && g.acts[r].kind == "print" && has(g.hb[r], y) && has(image, y) && !has(image, r) {
				return false // 9
			}
		}
	}
	return true
}
