package model

import (
	"cmp"
	"slices"

	"ravel/internal/relation"
)

// A clock of Java's models is the set of the events that are vo-before an event: vo is not closed under po, so that a number for
// each thread can't tell it.

// tryClocks looks for a pushto, with clocks: it places one event after the other, and goes back as soon as what the clocks know
// is too much.
func (m *jam) tryClocks(x *jamExec) bool {
	c := x.newClocks()
	for e := range x.dom.Events() {
		c.left = append(c.left, e)
	}
	return c.place(m)
}

// place reports whether the events that are left can be placed after those of the order so far.
func (c *clocks) place(m *jam) bool {
	if c.x.stop.Load() {
		return false
	}
	c.advance()
	if !m.allowsClocks(c.x, c) {
		return false
	}
	if len(c.left) == 0 {
		return true
	}
	for i, e := range c.left {
		if c.mustWait(e) {
			continue
		}
		c.order = append(c.order, e)
		c.left = slices.Delete(c.left, i, i+1)
		if c.place(m) {
			return true
		}
		c.left = slices.Insert(c.left, i, e)
		c.order = c.order[:len(c.order)-1]
	}
	return false
}

// mustWait reports whether something that is left must be placed before e.
func (c *clocks) mustWait(e int) bool {
	for _, b := range c.left {
		if c.x.must.Has(b, e) {
			return true
		}
	}
	return false
}

// clocks are the clocks of an execution for one pushto.
type clocks struct {
	x     *jamExec
	seq   []int         // the events in an order of po ∪ rf
	into  *relation.Rel // base⁻¹
	pulls *relation.Rel // push⁻¹
	base  *relation.Rel // the clocks without pushto
	known *relation.Rel // from an event to its clock
	order []int         // the beginning of pushto
	left  []int         // the rest of its domain
	at    []int         // by event: its place in order, -1 if it is left
	upTo  []relation.Set
}

func (x *jamExec) newClocks() *clocks {
	n := len(x.ids)
	c := &clocks{
		x: x, into: relation.NewRel(n), pulls: relation.NewRel(n),
		base: relation.NewRel(n), known: relation.NewRel(n), at: make([]int, n), seq: make([]int, n),
	}
	c.into.Inverse(&x.base)
	c.pulls.Inverse(&x.push)
	for i := range c.seq {
		c.seq[i] = i
	}
	slices.SortStableFunc(c.seq, func(a, b int) int { return cmp.Compare(x.event(a).Stamp, x.event(b).Stamp) })
	for _, e := range c.seq {
		c.absorb(c.base, e, c.into.From(e))
	}
	return c
}

// absorb adds the events of from, and what they know, to what e knows. It reports whether that is new.
func (c *clocks) absorb(known *relation.Rel, e int, from relation.Set) bool {
	mine := known.From(e)
	before := mine.Count()
	for a := range from.Events() {
		its := known.From(a)
		mine.Union(&mine, &its)
	}
	mine.Union(&mine, &from)
	return mine.Count() > before
}

// advance computes the clocks for the order so far: what push leads to from an event of that order knows all that the events up to it
// know. One round is enough unless pushto goes against po ∪ rf.
func (c *clocks) advance() {
	c.known.Copy(c.base)
	for i := range c.at {
		c.at[i] = -1
	}
	for i, e := range c.order {
		c.at[e] = i
	}
	for again := true; again; {
		again = false
		c.upTo = c.upTo[:0]
		sum := relation.NewSet(len(c.x.ids))
		for _, e := range c.order {
			its := c.known.From(e)
			sum.Union(sum, &its)
			sum.Add(e)
			c.upTo = append(c.upTo, *sum.Clone())
		}
		for _, e := range c.seq {
			again = c.absorb(c.known, e, c.into.From(e)) || again
			last := -1
			pulls := c.pulls.From(e)
			for b := range pulls.Events() {
				last = max(last, c.at[b])
			}
			if last >= 0 {
				mine := c.known.From(e)
				before := mine.Count()
				mine.Union(&mine, &c.upTo[last])
				again = again || mine.Count() > before
			}
		}
	}
}

// allowsClocks reports whether co extends what the clocks say, or, for the thesis, whether that is an order. What it does
// not allow it does not allow when the clocks know more.
func (m *jam) allowsClocks(x *jamExec, c *clocks) bool {
	if m.thesis {
		vo := relation.NewRel(len(x.ids))
		vo.Inverse(c.known)
		return x.thesisCoherent(vo)
	}
	both := relation.NewRel(len(x.ids))
	both.Intersect(c.known, &x.weak)
	return both.Empty()
}
