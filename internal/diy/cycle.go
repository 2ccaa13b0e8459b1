package diy

import (
	"fmt"
	"slices"
	"strings"
)

// A Cycle is a well-formed cycle of edges, in its normal form: edge i is from access i to access i+1, thread 0 comes first.
type Cycle struct {
	Arch      *Arch
	Edges     []Edge
	Nodes     []Node
	Threads   int
	Locations int
	main      int // threads except for those that an edge leaves for, which come last
	mixed     bool
	order     [][]int // of each location: its accesses, in the order of the execution that the cycle describes
}

// A Node is an access of the cycle.
type Node struct {
	Dir    Dir
	Annot  Annot
	Thread int
	Loc    int
	Value  uint64 // written, or read in the execution of the cycle
	old    uint64 // what was there before a write
}

// An Error is what is wrong with a cycle, and where in its text.
type Error struct {
	Text string
	Off  int
	Msg  string
}

// Error returns the message with the cycle and a caret.
func (e *Error) Error() string {
	return fmt.Sprintf("cycle:1:%d: %s\n  %s\n  %s^", e.Off+1, e.Msg, e.Text, strings.Repeat(" ", e.Off))
}

// Parse reads a cycle, edges separated by blanks or commas, and checks that it is well formed.
func Parse(a *Arch, text string) (*Cycle, error) {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' || r == ',' {
			return ' '
		}
		return r
	}, text)
	var edges []Edge
	alone := map[int][]token{} // by the number of edges before it
	for _, t := range words(text) {
		if via, ok := detours[t.text]; ok {
			for _, name := range via {
				e, _ := a.parseEdge(name)
				e.text, e.off = t.text, t.off
				edges = append(edges, e)
			}
			continue
		}
		if n, ok := a.parseAnnot(t.text); ok {
			alone[len(edges)] = append(alone[len(edges)], token{off: t.off, annot: n, text: t.text})
			continue
		}
		e, err := a.parseEdge(t.text)
		if err != nil {
			return nil, &Error{text, t.off, err.Error()}
		}
		e.text, e.off = t.text, t.off
		edges = append(edges, e)
	}
	return resolve(a, text, edges, alone)
}

// Make checks a cycle of edges.
func Make(a *Arch, edges []Edge) (*Cycle, error) {
	var b strings.Builder
	edges = slices.Clone(edges)
	for i := range edges {
		e := &edges[i]
		e.text, e.off = a.edge(e), b.Len()
		b.WriteString(e.text + " ")
	}
	return resolve(a, strings.TrimSpace(b.String()), edges, nil)
}

// detours are pairs of edges with names of their own: to a write of another thread, and back.
var detours = map[string][]string{"DetourR": {"FrLeave", "RfBack"}, "DetourW": {"CoLeave", "RfBack"}}

type token struct {
	text  string
	off   int
	annot Annot
}

func words(s string) (list []token) {
	for off := 0; off < len(s); {
		if s[off] == ' ' {
			off++
			continue
		}
		end := strings.IndexByte(s[off:], ' ')
		if end < 0 {
			end = len(s) - off
		}
		list = append(list, token{text: s[off : off+end], off: off})
		off += end
	}
	return list
}

// maxEdges bounds cycles: registers and names of locations are enough for so many.
const maxEdges = 24

func resolve(a *Arch, text string, edges []Edge, alone map[int][]token) (*Cycle, error) {
	n := len(edges)
	if n < 2 || n > maxEdges {
		return nil, &Error{text, 0, fmt.Sprintf("a cycle has 2 to %d edges, this has %d", maxEdges, n)}
	}
	c := &Cycle{Arch: a, Edges: edges}
	if err := c.annotate(text, alone); err != nil {
		return nil, err
	}
	if err := c.count(text); err != nil {
		return nil, err
	}
	c.normalise()
	c.place()
	if err := c.values(text); err != nil {
		return nil, err
	}
	return c, nil
}

// annotate makes the accesses, with what the edges around each say of it.
func (c *Cycle) annotate(text string, alone map[int][]token) error {
	n := len(c.Edges)
	if list := alone[n]; list != nil { // the last access is the first one
		alone[0] = append(alone[0], list...)
	}
	c.Nodes = make([]Node, n)
	for i := range c.Nodes {
		in, out := &c.Edges[(i+n-1)%n], &c.Edges[i]
		if in.Dst != out.Src {
			return &Error{text, out.off, fmt.Sprintf("%s begins with %s, but %s before it ends with %s", out.text, access(out.Src), in.text, access(in.Dst))}
		}
		node := &c.Nodes[i]
		node.Dir, node.Annot = in.Dst, in.To
		for _, t := range append(slices.Clone(alone[i]), token{out.text, out.off, out.From}) {
			if !t.annot.Given {
				continue
			}
			if node.Annot.Given && node.Annot != t.annot {
				return &Error{text, t.off, fmt.Sprintf("%s: the access between %s and %s is both %s and %s", t.text, in.text, out.text, c.Arch.annotName(node.Annot), c.Arch.annotName(t.annot))}
			}
			node.Annot = t.annot
		}
		if m := node.Annot.Mode; m != "" && !strings.ContainsRune(c.Arch.modes[m], rune(node.Dir)) {
			return &Error{text, out.off, fmt.Sprintf("%s: %s is not for %s", out.text, m, access(node.Dir))}
		}
		if node.Annot.Size > 0 {
			c.mixed = true
		}
	}
	if slices.ContainsFunc(c.Nodes, func(n Node) bool { return n.Annot.Mode != "" }) {
		for i := range c.Nodes { // in a language all accesses have a mode in names, or none has
			if a := &c.Nodes[i].Annot; a.Mode == "" {
				a.Mode = c.Arch.unannotated
			}
		}
	}
	for i := range c.Edges {
		e := &c.Edges[i]
		e.From, e.To = c.Nodes[i].Annot, c.Nodes[(i+1)%n].Annot
		if e.Kind == Rmw {
			if err := c.Arch.checkRmw(e); err != nil {
				return &Error{text, e.off, fmt.Sprintf("%s: %v", e.text, err)}
			}
		}
		if c.mixed && e.Same && !overlap(e.From, e.To) && e.com() {
			return &Error{text, e.off, fmt.Sprintf("%s: the accesses have no byte in common", e.text)}
		}
	}
	return nil
}

func overlap(a, b Annot) bool {
	sa, oa := a.extent()
	sb, ob := b.extent()
	return oa < ob+sb && ob < oa+sa
}

// extent is the size of an access in bytes and its offset in the location.
func (a Annot) extent() (size, off uint8) {
	if a.Size > 0 {
		return a.Size, a.Off
	}
	return 4, 0
}

func access(d Dir) string {
	if d == R {
		return "a read"
	}
	return "a write"
}

// count checks the numbers of locations and threads.
func (c *Cycle) count(text string) error {
	ext, diff, po, com := 0, 0, 0, 0
	var lastExt, lastDiff *Edge
	leaves := 0
	for i := range c.Edges {
		e := &c.Edges[i]
		if next := &c.Edges[(i+1)%len(c.Edges)]; e.Leave != next.Back {
			if e.Leave {
				return &Error{text, next.off, fmt.Sprintf("%s has to be followed by RfBack, FrBack or CoBack, not by %s", e.text, next.text)}
			}
			return &Error{text, next.off, fmt.Sprintf("%s comes back, but no edge before it leaves", next.text)}
		}
		if e.Leave {
			leaves++
		}
		if e.Ext {
			ext++
			lastExt = e
		}
		if !e.Same {
			diff++
			lastDiff = e
		}
		if e.com() {
			com++
		} else {
			po++
		}
		if e.Back {
			po++ // what it comes back to is later in program order
		}
	}
	switch {
	case ext == 1:
		return &Error{text, lastExt.off, fmt.Sprintf("%s is the only edge between threads: it goes from a thread to another and nothing comes back", lastExt.text)}
	case diff == 1:
		return &Error{text, lastDiff.off, fmt.Sprintf("%s is the only edge between locations: it goes to another one and nothing comes back", lastDiff.text)}
	case com == 0:
		return &Error{text, 0, "no edge is communication (Rfe, Fre, Coe …): program order has no cycles"}
	case po == 0:
		return &Error{text, 0, "all edges are communication: rf, co and fr have no cycle in any execution"}
	}
	c.main, c.Locations = max(ext, 1), max(diff, 1)
	c.Threads = c.main + leaves
	return nil
}

// rotate makes access k the first one.
func (c *Cycle) rotate(k int) {
	c.Edges = append(slices.Clone(c.Edges[k:]), c.Edges[:k]...)
	c.Nodes = append(slices.Clone(c.Nodes[k:]), c.Nodes[:k]...)
}

// place gives each access its thread and its location.
func (c *Cycle) place() {
	thread, alone := 0, c.main
	for i := range c.Nodes {
		c.Nodes[i].Thread = thread
		if c.Edges[i].Back { // the access that was left for
			c.Nodes[i].Thread = alone
			alone++
		}
		if c.Edges[i].Ext {
			thread++
		}
	}
	loc := 0
	for i := range c.Nodes {
		c.Nodes[i].Loc = loc % c.Locations
		if !c.Edges[i].Same {
			loc++
		}
	}
	// The location of the first access may begin at the end of the list.
	n := len(c.Nodes)
	first := 0
	if c.Locations == 1 {
		for i := range c.Edges {
			if !c.Edges[i].com() || c.Edges[i].Back {
				first = (i + 1) % n // program order against coherence
			}
		}
	} else {
		for c.Edges[(first+n-1)%n].Same {
			first = (first + n - 1) % n
		}
	}
	c.order = make([][]int, c.Locations)
	for k := range n {
		i := (first + k) % n
		l := c.Nodes[i].Loc
		c.order[l] = append(c.order[l], i)
	}
}

// values runs the accesses to each location in their order.
func (c *Cycle) values(text string) error {
	for _, list := range c.order {
		mem, writes := uint64(0), uint64(0)
		for _, i := range list {
			node := &c.Nodes[i]
			if node.Dir == R {
				node.Value = c.part(node, mem)
				continue
			}
			writes++
			node.old = c.part(node, mem)
			if !c.mixed {
				node.Value = writes
				mem = writes
				continue
			}
			size, off := node.Annot.extent()
			node.Value = writes * 0x0101010101010101 & mask(size)
			mem = mem&^(mask(size)<<(8*off)) | node.Value<<(8*off)
		}
	}
	for i := range c.Edges { // an edge that the order of a location does not have would be a contradiction
		e, from, to := &c.Edges[i], &c.Nodes[i], &c.Nodes[(i+1)%len(c.Nodes)]
		if c.Locations == 1 && e.Kind == Rf && !c.mixed && from.Value != to.Value {
			return &Error{text, e.off, fmt.Sprintf("%s: the read would come before and after the write", e.text)}
		}
	}
	return nil
}

// part is what an access of node's size sees of a location.
func (c *Cycle) part(n *Node, mem uint64) uint64 {
	if !c.mixed {
		return mem
	}
	size, off := n.Annot.extent()
	return mem >> (8 * off) & mask(size)
}

func mask(size uint8) uint64 {
	if size == 8 {
		return ^uint64(0)
	}
	return 1<<(8*size) - 1
}

// String is the cycle as a user writes it, in its normal form.
func (c *Cycle) String() string {
	var list []string
	for i := range c.Edges {
		list = append(list, c.Arch.edge(&c.Edges[i]))
	}
	return strings.Join(list, " ")
}
