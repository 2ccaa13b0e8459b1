package xmm

import (
	"slices"
	"sync/atomic"

	"ravel/internal/graph"
)

// An embedding looks for a committed set of the graph k, a core, whose events are embedded in the graph g: the last
// condition for g to re-execute to k (docs/xmm.md).
//
// The committed set grows from nothing. As long as po ∪ rf of the uncommitted reads has a cycle, one of the reads on it has to be
// committed; as long as the threads have no order that the uncommitted reads respect, those between some two
// threads have. Committing an event also commits what it reads from and what is before it in rpo.
type embedding struct {
	k, g *facts
	in   []bool    // by event of k: it is committed
	f    []int32   // by event of k: its image, none if it has none yet
	back []int32   // by event of g: what it is the image of
	may  [][]int32 // by event of k: see images
	done []uint8   // scratch of porfCycle
	stop *atomic.Bool
}

// embed returns the image in g of each committed event of k, none for the others; nil if there is no embedding, or when stop is set.
func embed(k, g *facts, stop *atomic.Bool) []int32 {
	e := newEmbedding(k)
	e.g, e.stop = g, stop
	e.back = make([]int32, len(g.evs))
	for i := range e.back {
		e.back[i] = none
	}
	if !e.repair() {
		return nil
	}
	return e.f
}

func newEmbedding(k *facts) *embedding {
	n := len(k.evs)
	e := &embedding{k: k, in: make([]bool, n), f: make([]int32, n), may: make([][]int32, n), done: make([]uint8, n)}
	for i := range e.f {
		e.f[i] = none
	}
	return e
}

// repair commits events until nothing is wrong with the uncommitted reads, and then gives the committed ones images.
func (e *embedding) repair() bool {
	if e.stop.Load() {
		return false
	}
	if cycle := e.porfCycle(); cycle != nil {
		for _, r := range e.readsOn(cycle) {
			if e.commit([]int32{r}) {
				return true
			}
		}
		return false
	}
	cycle := e.threadCycle()
	for i, t := range cycle {
		if e.commit(e.readsBetween(cycle[(i+len(cycle)-1)%len(cycle)], t)) {
			return true
		}
	}
	return cycle == nil && e.assign()
}

// commit commits the reads, with what has to be committed with them, and goes on.
func (e *embedding) commit(reads []int32) bool {
	var list []int32
	for _, r := range reads {
		for _, c := range e.k.committedWith(r) {
			if !e.in[c] && !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	for _, c := range list {
		if !slices.ContainsFunc(e.images(c), func(y int32) bool { return e.sameSource(c, y) }) {
			return false
		}
	}
	for _, c := range list {
		e.in[c] = true
	}
	ok := e.repair()
	for _, c := range list {
		e.in[c] = false
	}
	return ok
}

// committedWith returns the events that are committed whenever r is, r itself included.
func (k *facts) committedWith(r int32) []int32 {
	if k.with == nil {
		k.with = make([][]int32, len(k.evs))
	}
	if k.with[r] != nil {
		return k.with[r]
	}
	list := []int32{r}
	for n := 0; n < len(list); n++ {
		c := list[n]
		x := &k.evs[c]
		if x.kind == graph.Read && x.src != none && !slices.Contains(list, x.src) {
			list = append(list, x.src)
		}
		for i := k.first[x.thread]; i < c; i++ {
			if k.rpo.Has(int(i), int(c)) && !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	k.with[r] = list
	return list
}

// uncommitted reports whether event i is a read that is not committed.
func (e *embedding) uncommitted(i int32) bool {
	return e.k.evs[i].kind == graph.Read && !e.in[i]
}

// porfCycle returns a cycle of po and rf of uncommitted reads, each event before the next one.
func (e *embedding) porfCycle() []int {
	c := cycleFinder{state: e.done, before: e.before}
	clear(c.state)
	return c.find()
}

// before returns what is directly before event i in po or rf, rf of committed reads left out; none if there is less.
func (e *embedding) before(i int) (po, rf int32) {
	k := e.k
	x := &k.evs[i]
	po, rf = none, none
	if int32(i) > k.first[x.thread] {
		po = int32(i) - 1
	}
	if x.src != none && (x.kind != graph.Read || !e.in[i]) {
		rf = x.src
	}
	return po, rf
}

// readsOn returns the reads of a cycle that come after a write of another thread, which they read from.
func (e *embedding) readsOn(cycle []int) (reads []int32) {
	for i, r := range cycle {
		w := cycle[(i+len(cycle)-1)%len(cycle)]
		if x := &e.k.evs[r]; x.kind == graph.Read && int(x.src) == w && e.k.evs[w].thread != x.thread {
			reads = append(reads, int32(r))
		}
	}
	return reads
}

// threadCycle returns a cycle of threads each of which has an uncommitted read of a write of the one before.
func (e *embedding) threadCycle() []int {
	k := e.k
	n := len(k.first) - 1
	from := make([][]int32, n)
	for i := range k.evs {
		if x := &k.evs[i]; e.uncommitted(int32(i)) && x.src != none && k.evs[x.src].thread != x.thread {
			from[x.thread] = append(from[x.thread], k.evs[x.src].thread)
		}
	}
	// Two at a time, as cycleFinder takes them: node n*j+t has the sources of thread t from number j on.
	most := 1
	for _, s := range from {
		most = max(most, len(s))
	}
	c := cycleFinder{state: make([]uint8, n*most), before: func(i int) (int32, int32) {
		t, j := i%n, i/n
		if j >= len(from[t]) {
			return none, none
		}
		next := int32(none)
		if j+1 < len(from[t]) {
			next = int32(i + n)
		}
		return from[t][j], next
	}}
	var threads []int
	for _, i := range c.find() {
		if t := i % n; len(threads) == 0 || threads[len(threads)-1] != t {
			threads = append(threads, t)
		}
	}
	if m := len(threads); m > 1 && threads[0] == threads[m-1] {
		threads = threads[:m-1]
	}
	return threads
}

// A cycleFinder finds a cycle of a relation in which everything has at most two elements before it.
type cycleFinder struct {
	state  []uint8 // by element: new, on the path, or without a cycle before it
	before func(i int) (a, b int32)
	path   []int
	cycle  []int
}

func (c *cycleFinder) find() []int {
	for i := range c.state {
		if c.cycle == nil {
			c.visit(i)
		}
	}
	return c.cycle
}

func (c *cycleFinder) visit(i int) {
	if c.cycle != nil || c.state[i] == 2 {
		return
	}
	if c.state[i] == 1 {
		c.cycle = slices.Clone(c.path[slices.Index(c.path, i):])
		slices.Reverse(c.cycle)
		return
	}
	c.state[i] = 1
	c.path = append(c.path, i)
	a, b := c.before(i)
	if a != none {
		c.visit(int(a))
	}
	if b != none {
		c.visit(int(b))
	}
	c.path = c.path[:len(c.path)-1]
	c.state[i] = 2
}

// readsBetween returns the uncommitted reads of thread t that read from thread s.
func (e *embedding) readsBetween(s, t int) (reads []int32) {
	k := e.k
	for i := k.first[t]; i < k.first[t+1]; i++ {
		if x := &k.evs[i]; e.uncommitted(i) && x.src != none && int(k.evs[x.src].thread) == s {
			reads = append(reads, i)
		}
	}
	return reads
}

// assign gives each committed event an image. It goes on with the event that has the fewest possible ones: often there
// is only one, or none.
func (e *embedding) assign() bool {
	if e.stop.Load() {
		return false
	}
	best, fewest := int32(none), len(e.g.evs)+1
	for i, in := range e.in {
		c := int32(i)
		if !in || e.f[c] != none {
			continue
		}
		n := 0
		for _, y := range e.images(c) {
			if n < fewest && e.back[y] == none && e.fits(c, y) {
				n++
			}
		}
		if n == 0 {
			return false
		}
		if n < fewest {
			best, fewest = c, n
		}
		if n == 1 {
			break
		}
	}
	if best == none {
		return true
	}
	for _, y := range e.images(best) {
		if e.back[y] != none || !e.fits(best, y) {
			continue
		}
		e.f[best], e.back[y] = y, best
		if e.assign() {
			return true
		}
		e.f[best], e.back[y] = none, none
	}
	return false
}

// images returns the events of g with the thread and the label of c.
func (e *embedding) images(c int32) []int32 {
	if e.may[c] == nil {
		x := &e.k.evs[c]
		may := []int32{}
		if int(x.thread) < len(e.g.first)-1 {
			for y := e.g.first[x.thread]; y < e.g.first[x.thread+1]; y++ {
				if e.g.evs[y].label == x.label {
					may = append(may, y)
				}
			}
		}
		e.may[c] = may
	}
	return e.may[c]
}

// sameSource reports whether c and y, if they are reads, read from writes of the same label and thread.
func (e *embedding) sameSource(c, y int32) bool {
	a, b := e.k.evs[c].src, e.g.evs[y].src
	if e.k.evs[c].kind != graph.Read || a == none || b == none {
		return e.k.evs[c].kind != graph.Read || a == b
	}
	v, w := &e.k.evs[a], &e.g.evs[b]
	return v.thread == w.thread && v.label == w.label
}

// fits reports whether y can be the image of c next to those that there are: rf, co, rpo are the same among the
// committed events, and what is causally ordered in k may be so in g.
func (e *embedding) fits(c, y int32) bool {
	if !e.sameSource(c, y) || !e.agree(c, c, y, y) {
		return false
	}
	for d, z := range e.f {
		if z != none && !(e.agree(c, int32(d), y, z) && e.agree(int32(d), c, z, y)) {
			return false
		}
	}
	return true
}

// agree checks the events a and b of k with the images x and y.
func (e *embedding) agree(a, b, x, y int32) bool {
	k, g := e.k, e.g
	if a != b {
		if k.rpo.Has(int(a), int(b)) != g.rpo.Has(int(x), int(y)) {
			return false
		}
		ka, kb, ga, gb := &k.evs[a], &k.evs[b], &g.evs[x], &g.evs[y]
		switch {
		case kb.kind == graph.Read:
			if (kb.src == a) != (gb.src == x) {
				return false
			}
		case ka.kind == graph.Write && kb.kind == graph.Write && ka.addr == kb.addr:
			if (ka.co < kb.co) != (ga.co < gb.co) {
				return false
			}
		}
	}
	return g.cause == nil || !k.porf.Has(int(a), int(b)) || g.cause(x, y)
}
