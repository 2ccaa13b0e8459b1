package diy

import (
	"slices"
	"strings"
)

// families are the classic names of shapes, by the first and last direction in each thread.
var families = map[string]string{
	"WW+RR": "MP", "WR+WR": "SB", "RW+RW": "LB", "WW+WR": "R", "WW+RW": "S", "WW+WW": "2+2W",
	"WR+WR+WR": "3.SB", "WR+WR+WR+WR": "4.SB", "RW+RW+RW": "3.LB", "RW+RW+RW+RW": "4.LB", "WW+WW+WW": "3.2W", "WW+WW+WW+WW": "4.2W",
	"W+RW+RR": "WRC", "W+RR+WR": "RWC", "W+RW+WR": "WRW+WR", "W+RR+WW": "WRR+2W", "W+RW+RW": "WWC", "W+RW+WW": "WRW+2W",
	"WW+RR+WR": "W+RWC", "WW+RW+RR": "ISA2",
	"W+RR+W+RR": "IRIW", "W+RR+W+RW": "IRRWIW", "W+RW+W+RR": "IRRWIW", "W+RW+W+RW": "IRWIW",
	"WW+RW+WR": "Z6.0", "WW+WW+RW": "Z6.1", "WW+RW+RW": "Z6.2", "WW+WW+RR": "Z6.3", "WW+WR+WR": "Z6.4", "WW+WW+WR": "Z6.5",
}

// coherence are those of one location.
var coherence = map[string]string{"WW": "CoWW", "RW": "CoRW1", "WR": "CoWR0", "W+RW": "CoRW2", "W+WR": "CoWR", "W+RR": "CoRR"}

// A segment is the accesses of one thread, from lo to before hi.
type segment struct{ lo, hi int }

func (c *Cycle) segments() (list []segment) {
	lo := 0
	for i := range c.Edges {
		if c.Edges[i].Ext || i == len(c.Edges)-1 {
			list = append(list, segment{lo, i + 1})
			lo = i + 1
		}
	}
	return list
}

// threads are the accesses of each thread, in program order.
func (c *Cycle) threads() [][]int {
	list := make([][]int, c.Threads)
	for i := range c.Nodes {
		t := c.Nodes[i].Thread
		list[t] = append(list[t], i)
	}
	return list
}

// points are the directions of the first and the last access of a thread.
func (c *Cycle) points(s segment) string {
	if s.hi == s.lo+1 {
		return string(c.Nodes[s.lo].Dir)
	}
	return string(c.Nodes[s.lo].Dir) + string(c.Nodes[s.hi-1].Dir)
}

var pointsOrder = []string{"W", "WW", "RR", "RW", "WR", "R"}

// normalise rotates the cycle so that the thread comes first whose points, and those of the threads after it, come first
// in the order above; then as written.
func (c *Cycle) normalise() {
	n := len(c.Edges)
	start := 0
	for i := range c.Edges {
		if c.Edges[i].Ext || c.main == 1 && c.Edges[i].com() && !c.Edges[i].Leave { // in a single thread, the last communication goes back
			start = (i + 1) % n
		}
	}
	c.rotate(start)
	if c.main == 1 {
		return
	}
	best := *c
	for _, s := range c.segments()[1:] {
		r := *c
		r.rotate(s.lo)
		if r.compare(&best) < 0 {
			best = r
		}
	}
	*c = best
}

func (c *Cycle) compare(d *Cycle) int {
	cs, ds := c.segments(), d.segments()
	for i := range cs {
		if x := slices.Index(pointsOrder, c.points(cs[i])) - slices.Index(pointsOrder, d.points(ds[i])); x != 0 {
			return x
		}
	}
	return 0
}

// Family is the name of the shape: a classic one, or the directions of the threads.
func (c *Cycle) Family() string {
	var list []string
	for _, s := range c.segments() {
		list = append(list, c.points(s))
	}
	key := strings.Join(list, "+")
	if name := coherence[key]; name != "" && c.Locations == 1 {
		return name
	}
	if name := families[key]; name != "" {
		return name
	}
	return key
}

// Name is the name of the test: the family, then what is between the accesses of each thread, as diy has it.
func (c *Cycle) Name() string { return c.name(true) }

// name is Name; without letters, as in the archives of tests, several cycles may have the same one.
func (c *Cycle) name(letters bool) string {
	name := c.Family()
	var list []string
	for _, s := range c.segments() {
		if parts := c.threadName(s, letters); parts != "" {
			list = append(list, parts)
		}
	}
	if len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return s != list[0] }) {
		switch {
		case list[0] == "po", list[0] == "pos" && len(list) == 1:
			list = nil
		case len(list) > 1:
			list = []string{list[0] + "s"}
		}
	}
	for _, s := range append(list, c.alone()) {
		if s != "" {
			name += "+" + s
		}
	}
	return name
}

// threadName is the edges of a thread, without the one that leaves it.
func (c *Cycle) threadName(s segment, letters bool) string {
	var list []string
	for i := s.lo; i < s.hi-1; i++ {
		e := &c.Edges[i]
		part := e.short()
		if next := &c.Edges[i+1]; letters && i+1 < s.hi-1 && !e.com() && e.Kind != Rmw && (next.Kind == Po || next.Kind == Fenced) {
			part += string(e.Dst) // po-po could be read in two ways
		}
		if !e.From.plain() || !e.To.plain() {
			part += strings.ToLower(c.Arch.annotName(e.From) + c.Arch.annotName(e.To))
		}
		list = append(list, part)
	}
	return strings.Join(list, "-")
}

// annotName is the annotation in names: that of an access without one is P, or the mode that it has in a language.
func (a *Arch) annotName(n Annot) string {
	switch {
	case !n.plain():
		return n.String()
	case a.unannotated != "":
		return a.unannotated
	}
	return "P"
}

// short is the name of an edge in names of tests.
func (e *Edge) short() string {
	switch {
	case e.Leave:
		return "[" + strings.ToLower(e.base()[:2])
	case e.Back:
		return strings.ToLower(e.base()[:2]) + "]"
	case e.com():
		return strings.ToLower(e.base())
	case e.Kind == Rmw:
		return strings.ToLower(e.Via)
	}
	s := "po"
	if e.Kind != Po {
		s = strings.ToLower(e.Via)
	}
	if e.Same {
		s += "s"
	}
	return s
}

// alone is the annotations of accesses that are a thread of their own, if one is annotated.
func (c *Cycle) alone() string {
	s, any := "", false
	for _, seg := range c.segments() {
		if seg.hi != seg.lo+1 {
			continue
		}
		n := c.Nodes[seg.lo].Annot
		any = any || !n.plain()
		s += c.Arch.annotName(n)
	}
	if !any {
		return ""
	}
	return s
}
