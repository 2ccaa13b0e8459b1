package model

import (
	"cmp"
	"slices"

	"ravel/internal/relation"
)

// A clock of Java's models is the set of the events that are vo-before an event: vo is not closed under po, so that a number for
// each thread can't tell it.

// tryClocks tries every pushto, with clocks.
func (m *jam) tryClocks(x *jamExec) bool {
	c := x.newClocks()
	found := false
	relation.LinearExtensions(&x.dom, &x.must, func(order []int) bool {
		c.advance(order)
		found = m.allowsClocks(x, c)
		return !found
	})
	return found
}

// clocks are the clocks of an execution for one pushto.
type clocks struct {
	x     *jamExec
	seq   []int         // the events in an order of po ∪ rf
	into  *relation.Rel // base⁻¹
	pulls *relation.Rel // push⁻¹
	base  *relation.Rel // the clocks without pushto
	known *relation.Rel // from an event to its clock
	place []int         // in pushto
	upTo  []relation.Set
}

func (x *jamExec) newClocks() *clocks {
	n := len(x.ids)
	c := &clocks{
		x: x, into: relation.NewRel(n), pulls: relation.NewRel(n),
		base: relation.NewRel(n), known: relation.NewRel(n), place: make([]int, n), seq: make([]int, n),
	}
	c.into.Inverse(&x.base)
	c.pulls.Inverse(&x.push)
	for i := range c.seq {
		c.seq[i] = i
	}
	slices.SortStableFunc(c.seq, func(a, b int) int { return cmp.Compare(x.event(a).Stamp, x.event(b).Stamp) })
	for _, e := range c.seq {
		c.learn(c.base, e, c.into.From(e))
	}
	return c
}

// learn adds the events of from, and what they know, to what e knows. It reports whether that is new.
func (c *clocks) learn(known *relation.Rel, e int, from relation.Set) bool {
	mine := known.From(e)
	before := mine.Count()
	for a := range from.Events() {
		its := known.From(a)
		mine.Union(&mine, &its)
	}
	mine.Union(&mine, &from)
	return mine.Count() > before
}

// advance computes the clocks for a pushto: what push leads to from an event of that order knows all that the events up to it
// know. One round is enough unless pushto goes against po ∪ rf.
func (c *clocks) advance(order []int) {
	c.known.Copy(c.base)
	for i, e := range order {
		c.place[e] = i
	}
	c.upTo = slices.Grow(c.upTo[:0], len(order))
	for again := true; again; {
		again = false
		c.upTo = c.upTo[:0]
		sum := relation.NewSet(len(c.x.ids))
		for _, e := range order {
			its := c.known.From(e)
			sum.Union(sum, &its)
			sum.Add(e)
			c.upTo = append(c.upTo, *sum.Clone())
		}
		for _, e := range c.seq {
			again = c.learn(c.known, e, c.into.From(e)) || again
			last := -1
			pulls := c.pulls.From(e)
			for b := range pulls.Events() {
				last = max(last, c.place[b])
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

// allowsClocks reports whether co extends what the clocks say, or, for the thesis, whether that is an order.
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
