package brute

import "math/bits"

// XMM returns the executions of p under xmm, as docs/xmm.md defines it: those of RC11, and those that some other one re-executes to.
func XMM(p *Prog) (out []Execution) {
	for _, x := range reexecute(p, xmmRules{causal: true, closed: true}) {
		if x.reached {
			out = append(out, x.execution(p, x.order, false))
		}
	}
	return out
}

// xmmRules are what models and tests vary.
type xmmRules struct {
	java    Model // the executions are those of this model, not of C11; rpo is empty, and vo takes the place of hb
	causal  bool  // what is causally ordered among committed events must be possibly so in the source
	closed  bool  // what is before a committed event in rpo is committed
	literal bool  // take every prefix to re-execute to and every committed set, without the arguments of docs/xmm.md
}

// An xmmGraph is a graph that is consistent, perhaps with cycles in po ∪ rf.
type xmmGraph struct {
	*graph
	order   [][]int
	porf    rel
	rpo     rel
	cause   rel // (po ∪ re)⁺
	reached bool
}

// reexecute returns the graphs of p that are consistent, with reached set for those that need no cycle or that others re-execute to.
//
// Any of them is reached from any other that is, until nothing changes. Values are those of values, which is enough: a value that a
// read has from nowhere was written in the source.
func reexecute(p *Prog, rules xmmRules) (all []*xmmGraph) {
	known := map[string][]choice{}
	eachChoice(p.paths(p.values()), func(threads [][]Event) {
		g := newGraph(p, threads)
		g.loose, g.known = loose[rules.java], known
		g.eachRfCo(true, func(co [][]int) {
			if rules.consistent(g) {
				all = append(all, newXMMGraph(g, co, rules))
			}
		})
	})
	if rules.java != "" {
		javaCauses(all, rules.java)
	}
	for again := true; again; {
		again = false
		for _, k := range all {
			if !k.reached && k.eachCommitted(rules, func(c set) bool {
				for _, g := range all {
					if g.reached && k.embeds(c, g, rules) {
						return true
					}
				}
				return false
			}) {
				k.reached, again = true, true
			}
		}
	}
	return all
}

// consistent reports whether g is, whatever cycles po ∪ rf has.
func (r *xmmRules) consistent(g *graph) bool {
	if r.java != "" {
		return bufferedJam(g, r.java)
	}
	return c11(g)
}

// c11 is RC11 without acyclic(po ∪ rf).
func c11(g *graph) bool {
	h := hb(g, rs(g))
	return irreflexive(seq(h, opt(eco(g)))) && atomic(g, g.co, g.fr) && psc(g, h)
}

func newXMMGraph(g *graph, order [][]int, rules xmmRules) *xmmGraph {
	c := *g
	k := &xmmGraph{graph: &c, porf: plus(or(g.po, g.rf))}
	if rules.java == "" {
		k.rpo = rpo(g)
	}
	for _, ws := range order {
		k.order = append(k.order, append([]int(nil), ws...))
	}
	k.reached = irreflexive(k.porf)
	if rules.java == "" {
		// re: a write and a read of its location that is not before it.
		re := minus(and(g.loc, cross(g.w, g.r)), inv(hb(g, rs(g))))
		k.cause = plus(or(g.po, re))
	}
	return k
}

func rpo(g *graph) rel {
	atomic := all &^ g.na
	return plus(or(
		seq(id(g.r&atomic), g.po, id(g.f&g.acq)),
		seq(id(g.acq), g.po),
		seq(g.po, id(g.rel)),
		seq(id(g.f&g.rel), g.po, id(g.w&atomic)),
	))
}

// eachCommitted calls yield, until it returns true, with each committed set with which k can be re-executed to, except for what depends on
// the source.
func (k *xmmGraph) eachCommitted(rules xmmRules, yield func(c set) bool) bool {
	if rules.literal {
		return k.eachPrefix(func(e set) bool {
			return eachSubset(e, func(c set) bool { return k.guided(e, c|k.init, rules) && yield(c|k.init) })
		})
	}
	core := k.core()
	return eachSubset(core&k.r, func(reads set) bool {
		c := k.closure(reads, rules)
		return c&k.r == reads && k.guided(core, c, rules) && yield(c)
	})
}

// core is what is in or before a cycle of po ∪ rf.
func (k *xmmGraph) core() (core set) {
	var cyclic set
	for i := range k.evs {
		if k.porf.has(i, i) {
			cyclic |= 1 << i
		}
	}
	for i := range k.evs {
		if !k.init.has(i) && (cyclic.has(i) || k.porf[i]&cyclic != 0) {
			core |= 1 << i
		}
	}
	return core
}

// closure is the least committed set with these reads.
func (k *xmmGraph) closure(c set, rules xmmRules) set {
	before := inv(k.rf)
	if rules.closed {
		before = or(before, inv(k.rpo))
	}
	c |= k.init
	for old := set(0); old != c; {
		old = c
		for i := range k.evs {
			if c.has(i) {
				c |= before[i]
			}
		}
	}
	return c
}

// eachPrefix calls yield with every set of events that is closed under po and rf and after which the rest can be executed as in RC11.
func (k *xmmGraph) eachPrefix(yield func(e set) bool) bool {
	var events set
	for i := range k.evs {
		if !k.init.has(i) {
			events |= 1 << i
		}
	}
	before := inv(or(k.po, k.rf))
	return eachSubset(events, func(e set) bool {
		for i := range k.evs {
			if e.has(i) && before[i]&^(e|k.init) != 0 {
				return false
			}
		}
		rest := events &^ e
		return acyclic(and(or(k.po, k.rf), cross(rest, rest))) && yield(e)
	})
}

// eachSubset calls yield with the subsets of s until it returns true.
func eachSubset(s set, yield func(set) bool) bool {
	for sub := s; ; sub = (sub - 1) & s {
		if yield(sub) {
			return true
		}
		if sub == 0 {
			return false
		}
	}
}

// guided reports whether the events e can be executed one by one with c committed: a committed read reads from a committed write,
// perhaps one that comes later; an uncommitted one from a write that is there; and the threads have an order in which
// they read from each other uncommitted.
func (k *xmmGraph) guided(e, c set, rules xmmRules) bool {
	if k.closure(c, rules) != c {
		return false
	}
	u := k.r & e &^ c
	inside := cross(e, e)
	if !acyclic(and(or(k.po, seq(k.rf, id(u))), inside)) {
		return false
	}
	var threads rel
	for w := range k.evs {
		for row := k.rf[w] & u; row != 0; row &= row - 1 {
			s, t := k.refs[w].Thread, k.refs[bits.TrailingZeros32(uint32(row))].Thread
			if !k.init.has(w) && s != t {
				threads.add(s, t)
			}
		}
	}
	return acyclic(threads)
}

// embeds reports whether there is an f from c to the events of g that keeps threads, labels, rf, co and rpo.
func (k *xmmGraph) embeds(c set, g *xmmGraph, rules xmmRules) bool {
	f := make([]int, len(k.evs))
	for i := range f {
		f[i] = -1
		if k.init.has(i) {
			f[i] = i
		}
	}
	agree := func(a, b int) bool {
		x, y := f[a], f[b]
		return k.rpo.has(a, b) == g.rpo.has(x, y) && k.rf.has(a, b) == g.rf.has(x, y) && k.co.has(a, b) == g.co.has(x, y) &&
			(!rules.causal || k.init.has(a) || !k.porf.has(a, b) || g.cause.has(x, y))
	}
	var assign func(e int, used set) bool
	assign = func(e int, used set) bool {
		for e < len(k.evs) && (!c.has(e) || k.init.has(e)) {
			e++
		}
		if e == len(k.evs) {
			return true
		}
		for x := range g.evs {
			if g.init.has(x) || used.has(x) || g.refs[x].Thread != k.refs[e].Thread || !sameLabel(k.evs[e], g.evs[x]) {
				continue
			}
			f[e] = x
			ok := agree(e, e)
			for i := range f {
				ok = ok && (i == e || f[i] < 0 || agree(e, i) && agree(i, e))
			}
			if ok && assign(e+1, used|1<<x) {
				return true
			}
			f[e] = -1
		}
		return false
	}
	return assign(0, 0)
}

func sameLabel(a, b Event) bool {
	return a.Kind == b.Kind && a.Loc == b.Loc && a.Val == b.Val && a.Mode == b.Mode && a.Tag == b.Tag && a.Locked == b.Locked
}

// lbRace reports whether the graph has a load-buffering race: a read and a write of its location, where the read does not acquire or the write does not release, not
// ordered by hb, where (po ∪ rf)⁺ leads from the read to the write.
func (k *xmmGraph) lbRace() bool {
	h := hb(k.graph, rs(k.graph))
	pairs := minus(and(and(k.loc, cross(k.r, k.w)), k.porf), or(h, inv(h)))
	return !empty(minus(and(pairs, or(cross(all&^k.acq, all), cross(all, all&^k.rel))), inv(k.rf)))
}
