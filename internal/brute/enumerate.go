package brute

import (
	"fmt"
	"slices"

	"ravel/internal/event"
)

// Enumerate returns all executions of p that are consistent under m, each once.
func Enumerate(p *Prog, m Model) []Execution { return enumerate(p, m, true) }

// enumerate is Enumerate; without prune it leaves all filtering to the model.
func enumerate(p *Prog, m Model, prune bool) []Execution {
	consistent, ok := models[m]
	if !ok {
		panic(fmt.Sprintf("brute: no model %q", m))
	}
	var out []Execution
	known := map[string][]choice{}
	eachChoice(p.paths(p.values()), func(threads [][]Event) {
		g := newGraph(p, threads)
		g.loose, g.known = loose[m], known
		g.eachRfCo(prune, func(co [][]int) {
			if consistent(g) {
				out = append(out, g.execution(p, co, racy(g, m)))
			}
		})
	})
	return out
}

// Compare calls yield with all executions of p that are consistent under weaker, each once. allows says of each of the models ms,
// which allow no more than that, whether it allows the execution.
func Compare(p *Prog, weaker Model, ms []Model, yield func(x Execution, allows []bool)) {
	known := map[string][]choice{}
	eachChoice(p.paths(p.values()), func(threads [][]Event) {
		g := newGraph(p, threads)
		g.loose, g.known = loose[weaker], known
		g.eachRfCo(true, func(co [][]int) {
			if !models[weaker](g) {
				return
			}
			allows := make([]bool, len(ms))
			for i, m := range ms {
				allows[i] = models[m](g)
			}
			yield(g.execution(p, co, false), allows)
		})
	})
}

// values returns, for each location, the values that reads may receive: 0 and what the threads
// write when their reads receive such values, as often as there are writes in the program. That
// is enough, even where the fixpoint is infinite and where po ∪ rf may be cyclic:
//
// Say that a write explains another if the other has a data or ctrl dependency on a read of it. This
// is acyclic in all models. Those of this package with acyclic(po ∪ rf) need no argument. The others
// keep rfe, data, ctrl to writes, and data;rfi;data and data;rfi;ctrl in order; and after ctrl;rfi
// there is ctrl already, as it leads to all that follows. (Under LKMM ctrl leads to what is in the arms; what comes after them is
// written whatever is read.) So each write has a rank in this order, below the
// number of writes, because a thread without loops performs each at most once. A write of rank k
// has its value after k+1 rounds: it is performed, with the same value, when the reads that it does
// not depend on receive 0, and the others receive what earlier rounds have found.
func (p *Prog) values() [][]uint32 {
	vals := make([][]uint32, len(p.Locs))
	for l := range vals {
		vals[l] = []uint32{0}
	}
	for range p.countWrites() {
		more := make([][]uint32, len(vals))
		for l := range vals {
			more[l] = slices.Clone(vals[l])
		}
		for _, paths := range p.pathsAnd(vals, true) {
			for _, path := range paths {
				for _, e := range path {
					if e.Kind == W && !slices.Contains(more[e.Loc], e.Val) {
						more[e.Loc] = append(more[e.Loc], e.Val)
					}
				}
			}
		}
		if slices.EqualFunc(vals, more, slices.Equal) {
			break
		}
		vals = more
	}
	return vals
}

// weak reports whether p has a weak CAS.
func (p *Prog) weak() bool {
	var has func(body []Stmt) bool
	has = func(body []Stmt) bool {
		return slices.ContainsFunc(body, func(s Stmt) bool { return s.Weak || has(s.Then) || has(s.Else) })
	}
	return slices.ContainsFunc(p.Threads, func(t Thread) bool { return has(t.Body) })
}

func (p *Prog) countWrites() int {
	var count func(body []Stmt) int
	count = func(body []Stmt) (n int) {
		for _, s := range body {
			switch s.Kind {
			case Store, FAdd, Xchg, CAS:
				n++
			case If:
				n += count(s.Then) + count(s.Else)
			case Loop:
				n += maxRounds * count(s.Then)
			case Await:
				n += count(s.Then)
			}
		}
		return n
	}
	n := 0
	for _, t := range p.Threads {
		n += count(t.Body)
	}
	return n
}

// paths returns, for each thread, its events for every sequence of values its reads may receive.
func (p *Prog) paths(vals [][]uint32) [][][]Event { return p.pathsAnd(vals, false) }

// pathsAnd is paths and, with waiting, what a thread does before it waits for a value that it does not receive.
func (p *Prog) pathsAnd(vals [][]uint32, waiting bool) [][][]Event {
	out := make([][][]Event, len(p.Threads))
	for i := range p.Threads {
		var extend func(received []uint32)
		extend = func(received []uint32) {
			evs, need := p.Threads[i].run(received)
			switch need {
			case NoLoc:
				out[i] = append(out[i], append([]Event{}, evs...))
				return
			case impossible:
				if waiting {
					out[i] = append(out[i], append([]Event{}, evs...))
				}
				return
			}
			for _, v := range vals[need] {
				extend(append(slices.Clip(received), v))
				if p.weak() {
					extend(append(slices.Clip(received), v|spuriously))
				}
			}
		}
		extend(nil)
		if p.Child(i) {
			out[i] = append(out[i], nil) // it was not started
		}
	}
	return out
}

// eachChoice calls yield with every choice of one path per thread in which every
// value that is read is 0 or written by someone, and the threads that others start are there if they do.
func eachChoice(paths [][][]Event, yield func(threads [][]Event)) {
	threads := make([][]Event, len(paths))
	var choose func(t int)
	choose = func(t int) {
		if t == len(paths) {
			if explained(threads) && started(paths, threads) {
				yield(threads)
			}
			return
		}
		for _, path := range paths[t] {
			threads[t] = path
			choose(t + 1)
		}
	}
	choose(0)
}

// started reports whether those of the threads that may be missing are there if another one starts them.
func started(paths [][][]Event, threads [][]Event) bool {
	for t, evs := range threads {
		if !slices.ContainsFunc(paths[t], func(path []Event) bool { return path == nil }) {
			continue
		}
		starts := slices.ContainsFunc(threads, func(evs []Event) bool {
			return slices.ContainsFunc(evs, func(e Event) bool { return e.Kind == S && e.Other == t })
		})
		if starts != (evs != nil) {
			return false
		}
	}
	return true
}

func explained(threads [][]Event) bool {
	written := func(r Event) bool {
		for _, evs := range threads {
			for _, w := range evs {
				if w.Kind == W && w.Loc == r.Loc && w.Val == r.Val {
					return true
				}
			}
		}
		return r.Val == 0
	}
	for _, evs := range threads {
		for _, e := range evs {
			if e.Kind == R && !written(e) {
				return false
			}
		}
	}
	return true
}

// A graph is a candidate execution as sets and relations. Events are numbered: first
// the initial writes, by location, then thread after thread.
type graph struct {
	evs  []Event
	refs []Ref
	locs int

	r, w, f            set
	init               set // initial writes: not atomic, in no thread, not in po
	na, acq, rel, sc   set // by mode; acq and rel are those at least that strong
	locked             set
	sync               set // where threads start, begin, end and join others
	po, loc, same, rmw rel // same: both in the same thread
	ts                 rel // from the start of a thread to its beginning, and from its end to where it is joined

	addr, data, ctrl, casdep rel // casdep: to the read of a CAS, from what the expected value depends on
	open                     rel // ctrl, to what is in the arms

	loose bool                // reads of a location may go backwards, as looselyCoherent says
	known map[string][]choice // see choicesAt

	rf, co, fr rel // the candidate; the rest is fixed by the paths
}

func newGraph(p *Prog, threads [][]Event) *graph {
	g := &graph{locs: len(p.Locs)}
	for l := range p.Locs {
		g.init |= 1 << len(g.evs)
		g.evs = append(g.evs, Event{Kind: W, Loc: l})
		g.refs = append(g.refs, Init)
	}
	for t, evs := range threads {
		child := evs != nil && p.Child(t)
		mark := func(k EventKind) {
			if child {
				g.evs = append(g.evs, Event{Kind: k, Loc: NoLoc, Other: t})
				g.refs = append(g.refs, Ref{t, -1})
			}
		}
		mark(begin)
		for i, e := range evs {
			g.evs = append(g.evs, e)
			g.refs = append(g.refs, Ref{t, i})
		}
		mark(end)
	}
	if len(g.evs) > maxEvents {
		panic(fmt.Sprintf("brute: more than %d events in %v", maxEvents, p))
	}
	put := func(s *set, i int, yes bool) {
		if yes {
			*s |= 1 << i
		}
	}
	for i, e := range g.evs {
		put(&g.r, i, e.Kind == R)
		put(&g.w, i, e.Kind == W)
		put(&g.f, i, e.Kind == F)
		put(&g.na, i, e.Mode == event.NA)
		put(&g.acq, i, e.Mode.IsAcq())
		put(&g.rel, i, e.Mode.IsRel())
		put(&g.sc, i, e.Mode == event.SC)
		put(&g.locked, i, e.Locked)
		put(&g.sync, i, e.Kind >= S)
		for j, d := range g.evs {
			if e.Loc != NoLoc && e.Loc == d.Loc {
				g.loc.add(i, j)
			}
			if e.Other == d.Other {
				put(&g.ts[i], j, e.Kind == S && d.Kind == begin || e.Kind == end && d.Kind == J)
			}
			if g.refs[i] == Init || g.refs[i].Thread != g.refs[j].Thread {
				continue
			}
			g.same.add(i, j)
			if i < j {
				g.po.add(i, j)
			}
			read := g.refs[i].Index
			if read < 0 {
				continue
			}
			put(&g.addr[i], j, d.Addr.Has(read))
			put(&g.data[i], j, d.Data.Has(read))
			put(&g.ctrl[i], j, d.Ctrl.Has(read))
			put(&g.open[i], j, d.Open.Has(read))
			put(&g.casdep[i], j, d.Cas.Has(read))
			// Only a read-modify-write has a locked write, and its read is just before.
			if j == i+1 && d.Kind == W && d.Locked {
				g.rmw.add(i, j)
			}
		}
	}
	return g
}

// A choice is rf and co of one location: its writes in order, the initial write first.
type choice struct {
	rf, co rel
	order  []int
}

// eachRfCo sets rf, co and fr to every candidate in turn and calls yield
// with the writes of each location in co. With prune, it leaves out what is not coherent per location and atomic.
func (g *graph) eachRfCo(prune bool, yield func(co [][]int)) {
	choices := make([][]choice, g.locs)
	for l := range choices {
		if !prune {
			choices[l] = g.choices(l, false)
		} else if choices[l] = g.choicesAt(l); len(choices[l]) == 0 {
			return
		}
	}
	order := make([][]int, g.locs)
	var choose func(l int, rf, co rel)
	choose = func(l int, rf, co rel) {
		if l == g.locs {
			g.rf, g.co, g.fr = rf, co, seq(inv(rf), co)
			yield(order)
			return
		}
		for _, c := range choices[l] {
			order[l] = c.order
			choose(l+1, or(rf, c.rf), or(co, c.co))
		}
	}
	choose(0, rel{}, rel{})
}

// choicesAt is choices with prune, by those of the graph that has the events of location l only. Many graphs of a program have that in common: known has its choices.
func (g *graph) choicesAt(l int) []choice {
	at := &graph{loose: g.loose}
	var ids []int
	var key []byte
	for i, e := range g.evs {
		if e.Loc != l {
			continue
		}
		k := len(ids)
		ids = append(ids, i)
		at.evs, at.refs = append(at.evs, e), append(at.refs, g.refs[i])
		key = fmt.Append(key, g.refs[i].Thread, e.Kind, e.Val, e.Locked, g.na.has(i), ";")
		for _, s := range []struct{ to, from *set }{{&at.r, &g.r}, {&at.w, &g.w}, {&at.na, &g.na}, {&at.init, &g.init}} {
			if s.from.has(i) {
				*s.to |= 1 << k
			}
		}
		for n, j := range ids {
			for _, r := range []struct{ to, from *rel }{{&at.po, &g.po}, {&at.loc, &g.loc}, {&at.rmw, &g.rmw}} {
				if r.from.has(i, j) {
					r.to.add(k, n)
				}
				if r.from.has(j, i) {
					r.to.add(n, k)
				}
			}
		}
	}
	local, ok := g.known[string(key)]
	if !ok {
		if g.known == nil {
			g.known = map[string][]choice{}
		}
		for i := range at.evs {
			at.evs[i].Loc = 0
		}
		local = at.choices(0, true)
		g.known[string(key)] = local
	}
	out := make([]choice, len(local))
	for i, c := range local {
		out[i] = choice{c.rf.renamed(ids), c.co.renamed(ids), make([]int, len(c.order))}
		for k, w := range c.order {
			out[i].order[k] = ids[w]
		}
	}
	return out
}

// choices returns every rf and co of location l; with prune, those that satisfy
// coherence per location and atomicity, which all models demand: some a looser one.
func (g *graph) choices(l int, prune bool) []choice {
	var reads, writes []int
	for i, e := range g.evs {
		switch {
		case e.Loc != l:
		case e.Kind == R:
			reads = append(reads, i)
		case e.Kind == W && g.refs[i] != Init:
			writes = append(writes, i)
		}
	}
	var out []choice
	eachOrder(writes, func(a, b int) bool { return prune && g.po.has(a, b) }, func(order []int) {
		order = append([]int{l}, order...) // event l is the initial write
		var co rel
		for i, w := range order {
			for _, v := range order[i+1:] {
				co.add(w, v)
			}
		}
		// What a few reads violate, more of them do not mend: coherence and atomicity only ask for less where rf has less.
		allowed := func(rf rel) bool {
			fr := seq(inv(rf), co)
			ok := coherent
			if g.loose {
				ok = looselyCoherent
			}
			return !prune || ok(g, rf, co, fr) && atomic(g, co, fr)
		}
		if allowed(rel{}) {
			g.eachRf(reads, order, rel{}, allowed, func(rf rel) { out = append(out, choice{rf, co, order}) })
		}
	})
	return out
}

// eachRf extends rf by every choice of writes with the right values for the reads, as far as it is allowed after each read.
func (g *graph) eachRf(reads, writes []int, rf rel, allowed func(rel) bool, yield func(rf rel)) {
	if len(reads) == 0 {
		yield(rf)
		return
	}
	for _, w := range writes {
		if g.evs[w].Val != g.evs[reads[0]].Val {
			continue
		}
		more := rf
		if more.add(w, reads[0]); allowed(more) {
			g.eachRf(reads[1:], writes, more, allowed, yield)
		}
	}
}

// eachOrder calls yield with every permutation of s in which a is before b where before(a, b).
func eachOrder(s []int, before func(a, b int) bool, yield func(order []int)) {
	var permute func(k int)
	permute = func(k int) {
		if k == len(s) {
			yield(s)
			return
		}
		for i := k; i < len(s); i++ {
			if slices.ContainsFunc(s[k:], func(a int) bool { return before(a, s[i]) }) {
				continue
			}
			s[k], s[i] = s[i], s[k]
			permute(k + 1)
			s[k], s[i] = s[i], s[k]
		}
	}
	permute(0)
}

// execution makes the canonical form of the candidate.
func (g *graph) execution(p *Prog, co [][]int, race bool) Execution {
	x := Execution{Prog: p, Threads: make([][]Event, len(p.Threads)), Co: make([][]Ref, len(p.Locs)), Race: race}
	src := inv(g.rf)
	for i, e := range g.evs {
		if g.refs[i].Index < 0 {
			continue
		}
		for w := range g.evs {
			if src.has(i, w) {
				e.Src = g.refs[w]
			}
		}
		t := g.refs[i].Thread
		x.Threads[t] = append(x.Threads[t], e)
	}
	for l, order := range co {
		for _, w := range order[1:] {
			x.Co[l] = append(x.Co[l], g.refs[w])
		}
	}
	return x
}
