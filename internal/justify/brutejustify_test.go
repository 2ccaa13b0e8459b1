package justify

import (
	"maps"
	"slices"
)

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
