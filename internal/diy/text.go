package diy

import (
	"fmt"
	"strings"
)

// A text is a test while it is written: the parts that all dialects have.
type text struct {
	c       *Cycle
	init    []string // lines of the initial state
	program strings.Builder
	cond    []string // conjuncts
	err     error
}

// locNames are the names of locations, in order of appearance.
var locNames = []string{"x", "y", "z", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "s", "t", "u", "v"}

// Litmus is the text of the test.
func (c *Cycle) Litmus() (string, error) {
	t := &text{c: c}
	c.Arch.write(c, t)
	if t.err != nil {
		return "", t.err
	}
	for l, list := range c.order {
		if last, ok := c.final(list); ok {
			t.cond = append(t.cond, fmt.Sprintf("%s=%s", locNames[l], c.number(last)))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n%q\nOrig=%s\n{", c.Arch.Title, c.Name(), c.String(), c)
	for _, line := range t.init {
		b.WriteString("\n" + line)
	}
	fmt.Fprintf(&b, "\n}\n%sexists (%s)\n", t.program.String(), strings.Join(t.cond, ` /\ `))
	return b.String(), nil
}

// final is the last value of a location, and whether the condition needs it: to know which write was the last one.
func (c *Cycle) final(list []int) (mem uint64, needed bool) {
	writes := 0
	for _, i := range list {
		n := &c.Nodes[i]
		if strings.HasPrefix(n.Annot.Mode, "X") {
			needed = true // a load-exclusive is followed by a store, too
		}
		if n.Dir == W {
			writes++
			mem = c.apply(mem, n)
		}
	}
	return mem, needed || writes > 1
}

// apply is the memory of a location after a write.
func (c *Cycle) apply(mem uint64, n *Node) uint64 {
	if !c.mixed {
		return n.Value
	}
	size, off := n.Annot.extent()
	return mem&^(mask(size)<<(8*off)) | n.Value<<(8*off)
}

// observed reports whether the value of a read says something: its location is written.
func (c *Cycle) observed(n *Node) bool {
	for _, i := range c.order[n.Loc] {
		if c.Nodes[i].Dir == W {
			return true
		}
	}
	return false
}

// observers are the locations whose writes the final value does not put in order: there are three or more, and those before the
// last are not all of one thread. Each needs a thread that reads it, once for each write but the last. The reads get these values.
func (c *Cycle) observers() map[int][]uint64 {
	m := map[int][]uint64{}
	for l, list := range c.order {
		var states []uint64
		mem, threads := uint64(0), map[int]bool{}
		last := -1
		for _, i := range list {
			if n := &c.Nodes[i]; n.Dir == W {
				if last >= 0 {
					threads[last] = true
				}
				last = n.Thread
				mem = c.apply(mem, n)
				states = append(states, mem)
			}
		}
		if len(states) > 2 && len(threads) > 1 {
			m[l] = states[:len(states)-1]
		}
	}
	return m
}

// number is a value in a test: those of accesses of several sizes are patterns of bytes.
func (c *Cycle) number(v uint64) string {
	if c.mixed {
		return fmt.Sprintf("%#x", v)
	}
	return fmt.Sprint(v)
}
