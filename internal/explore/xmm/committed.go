package xmm

import (
	"encoding/binary"
	"slices"

	"ravel/internal/graph"
)

// Commitments are the sets of events of a core that may be committed: those that rules 2 to 5 allow (docs/xmm.md).
//
// The committed set grows from nothing. As long as po ∪ rf of the uncommitted reads has a cycle, one of the reads on it has to be
// committed; as long as the threads have no order that the uncommitted reads respect, those between some two
// threads have. Committing an event also commits what it reads from and what is before it in rpo.
//
// None of this depends on the execution that the core is embedded in. So the sets are found once, when they are asked for.
type commitments struct {
	k       *facts
	all     *classes
	classes []int32 // by event
	root    *commitment
	known   map[string]*commitment
	in      []bool  // scratch: by event: it is committed
	done    []uint8 // scratch of porfCycle
}

// A commitment is a set of events that are committed.
type commitment struct {
	events []int32 // sorted
	needs  *needs
	whole  bool // next is known
	next   []*commitment
	failed int // the number of the last target that it is not embedded in
}

func newCommitments(k *facts, all *classes) *commitments {
	n := len(k.evs)
	c := &commitments{k: k, all: all, classes: all.of(k.sketch), known: map[string]*commitment{}, in: make([]bool, n), done: make([]uint8, n)}
	c.root = c.set(nil)
	return c
}

// set returns the commitment of these events.
func (c *commitments) set(events []int32) *commitment {
	slices.Sort(events)
	events = slices.Compact(events)
	key := make([]byte, 0, 2*len(events))
	for _, e := range events {
		key = binary.AppendUvarint(key, uint64(e))
	}
	s := c.known[string(key)]
	if s != nil {
		return s
	}
	s = &commitment{events: events, failed: none}
	c.known[string(key)] = s
	of := make([]int32, len(events))
	for i, e := range events {
		of[i] = c.classes[e]
	}
	s.needs = c.all.needsOf(of)
	return s
}

// next returns commitments one of which is part of every larger one that the rules allow; none if they allow this one.
func (c *commitments) next(s *commitment) []*commitment {
	if s.whole {
		return s.next
	}
	s.whole = true
	clear(c.in)
	for _, e := range s.events {
		c.in[e] = true
	}
	if cycle := c.porfCycle(); cycle != nil {
		for _, r := range c.readsOn(cycle) {
			s.next = append(s.next, c.with(s, []int32{r}))
		}
		return s.next
	}
	cycle := c.threadCycle()
	for i, t := range cycle {
		s.next = append(s.next, c.with(s, c.readsBetween(cycle[(i+len(cycle)-1)%len(cycle)], t)))
	}
	return s.next
}

// with returns s with the reads, and all that has to be committed with them.
func (c *commitments) with(s *commitment, reads []int32) *commitment {
	list := slices.Clone(s.events)
	for _, r := range reads {
		list = append(list, c.k.committedWith(r)...)
	}
	return c.set(list)
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
func (c *commitments) uncommitted(i int32) bool {
	return c.k.evs[i].kind == graph.Read && !c.in[i]
}

// porfCycle returns a cycle of po and rf of uncommitted reads, each event before the next one.
func (c *commitments) porfCycle() []int {
	f := cycleFinder{state: c.done, before: c.before}
	clear(f.state)
	return f.find()
}

// before returns what is directly before event i in po or rf, rf of committed reads left out; none if there is less.
func (c *commitments) before(i int) (po, rf int32) {
	k := c.k
	x := &k.evs[i]
	po, rf = none, none
	if int32(i) > k.first[x.thread] {
		po = int32(i) - 1
	}
	if x.src != none && (x.kind != graph.Read || !c.in[i]) {
		rf = x.src
	}
	return po, rf
}

// readsOn returns the reads of a cycle that come after a write of another thread, which they read from.
func (c *commitments) readsOn(cycle []int) (reads []int32) {
	for i, r := range cycle {
		w := cycle[(i+len(cycle)-1)%len(cycle)]
		if x := &c.k.evs[r]; x.kind == graph.Read && int(x.src) == w && c.k.evs[w].thread != x.thread {
			reads = append(reads, int32(r))
		}
	}
	return reads
}

// threadCycle returns a cycle of threads each of which has an uncommitted read of a write of the one before.
func (c *commitments) threadCycle() []int {
	k := c.k
	n := len(k.first) - 1
	from := make([][]int32, n)
	for i := range k.evs {
		if x := &k.evs[i]; c.uncommitted(int32(i)) && x.src != none && k.evs[x.src].thread != x.thread {
			from[x.thread] = append(from[x.thread], k.evs[x.src].thread)
		}
	}
	// Two at a time, as cycleFinder takes them: node n*j+t has the sources of thread t from number j on.
	most := 1
	for _, s := range from {
		most = max(most, len(s))
	}
	f := cycleFinder{state: make([]uint8, n*most), before: func(i int) (int32, int32) {
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
	for _, i := range f.find() {
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
func (c *commitments) readsBetween(s, t int) (reads []int32) {
	k := c.k
	for i := k.first[t]; i < k.first[t+1]; i++ {
		if x := &k.evs[i]; c.uncommitted(i) && x.src != none && int(k.evs[x.src].thread) == s {
			reads = append(reads, i)
		}
	}
	return reads
}
