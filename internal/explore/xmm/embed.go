package xmm

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"ravel/internal/graph"
)

// A class is what a committed event has in common with its image: thread and label, and, if it is a read, the class of what it reads from.
// It is packed, because it is looked for often.
type class [5]uint64

// classOf returns the class of an event of a thread that reads from one of the class source, which is none if it reads nothing, or an initial value.
func classOf(thread, source int32, l label) class {
	c := class{uint64(uint32(thread))<<32 | uint64(uint32(source)), 0, uint64(l.addr), l.val.Lo, l.val.Hi}
	c[1] = uint64(l.kind)<<32 | uint64(l.mode)<<24 | uint64(l.tag)<<16 | uint64(l.size)<<8
	if l.locked {
		c[1]++
	}
	return c
}

// Classes are numbers of classes, and the needs that there are.
type classes struct {
	numbers map[class]int32
	needs   map[string]*needs
}

func newClasses() *classes {
	return &classes{map[class]int32{}, map[string]*needs{}}
}

// Needs are how many events of each class a commitment has. Many commitments have the same.
type needs struct {
	list   []need
	target int // the number of the last target that was asked
	met    bool
}

// A need is how many events of a class there are.
type need struct{ class, n int32 }

// of returns the class of each event of s, none for those that are not committed: neither accesses nor fences.
func (c *classes) of(s *sketch) []int32 {
	list := make([]int32, len(s.evs))
	for i := range s.evs {
		switch e := &s.evs[i]; {
		case !ordered(e.kind):
			list[i] = none
		case e.kind != graph.Read:
			list[i] = c.number(classOf(e.thread, none, e.label))
		}
	}
	for i := range s.evs {
		if e := &s.evs[i]; e.kind == graph.Read {
			source := int32(none)
			if e.src != none {
				source = list[e.src]
			}
			list[i] = c.number(classOf(e.thread, source, e.label))
		}
	}
	return list
}

// number returns the number of the class k.
func (c *classes) number(k class) int32 {
	n, ok := c.numbers[k]
	if !ok {
		n = int32(len(c.numbers))
		c.numbers[k] = n
	}
	return n
}

// needsOf returns how many events there are of each class in the list.
func (c *classes) needsOf(list []int32) *needs {
	slices.Sort(list)
	var key []byte
	for _, n := range list {
		key = binary.AppendUvarint(key, uint64(n))
	}
	all := c.needs[string(key)]
	if all != nil {
		return all
	}
	all = &needs{target: none}
	c.needs[string(key)] = all
	for _, class := range list {
		if n := len(all.list); n > 0 && all.list[n-1].class == class {
			all.list[n-1].n++
		} else {
			all.list = append(all.list, need{class, 1})
		}
	}
	return all
}

// source returns what the event e reads from, None if it is no read, or reads an initial value.
func source(e *graph.Event) graph.ID {
	if e.Kind == graph.Read && e.RF != graph.Init {
		return e.RF
	}
	return graph.None
}

// A target is an execution that cores are to be embedded in: the last condition for it to re-execute to them (docs/xmm.md).
type target struct {
	number int           // of the execution
	g      *facts        // of the execution; nil as long as they are not needed
	facts  func() *facts // finds them
	byClass
	stop *atomic.Bool

	// Scratch of embed.
	k    *facts
	of   []int32 // by event of k: its class
	set  []int32 // the events of k that are committed
	f    []int32 // by event of k: its image, none if it has none yet
	back []int32 // by event of g: what it is the image of
}

// byClass has the events of an execution by their classes.
type byClass struct {
	classes []int32 // by event
	first   []int32 // by class: the first event; none if there is none
	next    []int32 // by event: the next one of its class
	count   []int32 // by class
}

// sort takes the events of the classes that there are of all.
func (b *byClass) sort(all int) {
	for len(b.first) < all {
		b.first, b.count = append(b.first, none), append(b.count, 0)
	}
	for i := range b.first {
		b.first[i], b.count[i] = none, 0
	}
	b.next = append(b.next[:0], b.classes...)
	for i := int32(len(b.classes)) - 1; i >= 0; i-- {
		c := b.classes[i]
		if c == none {
			continue
		}
		b.next[i] = b.first[c]
		b.first[c] = i
		b.count[c]++
	}
}

// has reports whether there are as many events of each class.
func (t *target) has(all *needs) bool {
	if all.target == t.number {
		return all.met
	}
	all.target, all.met = t.number, true
	for i, n := range all.list {
		if int(n.class) >= len(t.count) || t.count[n.class] < n.n {
			all.met = false
			all.list[0], all.list[i] = n, all.list[0] // the next target, which is like this one, often lacks it too
			break
		}
	}
	return all.met
}

// aim makes the execution with events of these classes, of all that there are, the target.
func (t *target) aim(classes []int32, all int, find func() *facts) {
	t.number++
	t.g, t.facts = nil, find
	t.classes = classes
	t.sort(all)
}

// embed returns the image of each committed event of a core, none for the others; nil if there is no embedding, or when stop is set.
func (t *target) embed(c *commitments) []int32 {
	t.k, t.of = c.k, c.classes
	if !t.try(c, c.root) {
		return nil
	}
	return slices.Clone(t.f)
}

// try looks for an embedding of a commitment that s is part of.
func (t *target) try(c *commitments, s *commitment) bool {
	if s.failed == t.number || t.stop.Load() {
		return false
	}
	if t.has(s.needs) {
		next := c.next(s)
		for _, n := range next {
			if t.try(c, n) {
				return true
			}
		}
		if len(next) == 0 && t.begin(s) {
			return true
		}
	}
	s.failed = t.number
	return false
}

// begin gives the events of s images, first those that can have only one. Causes take longest to find out, so they are looked at last.
func (t *target) begin(s *commitment) bool {
	if t.g == nil {
		t.g = t.facts()
	}
	t.set = s.events
	t.f, t.back = cleared(t.f, len(t.k.evs)), cleared(t.back, len(t.g.evs))
	for _, c := range t.set {
		if t.count[t.of[c]] == 1 {
			y := t.first[t.of[c]]
			if !t.fits(c, y) {
				return false
			}
			t.f[c], t.back[y] = y, c
		}
	}
	for _, c := range t.set {
		if y := t.f[c]; y != none && !t.caused(c, y) {
			return false
		}
	}
	return t.assign()
}

// cleared returns list with n elements, all none.
func cleared(list []int32, n int) []int32 {
	list = list[:0]
	for range n {
		list = append(list, none)
	}
	return list
}

// assign gives each committed event an image. It goes on with the event that has the fewest possible ones: often there
// is only one, or none.
func (t *target) assign() bool {
	if t.stop.Load() {
		return false
	}
	best, fewest := int32(none), int32(len(t.g.evs)+1)
	for _, c := range t.set {
		if t.f[c] != none {
			continue
		}
		n := int32(0)
		for y := t.first[t.of[c]]; y != none && n < fewest; y = t.next[y] {
			if t.back[y] == none && t.fits(c, y) && t.caused(c, y) {
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
	for y := t.first[t.of[best]]; y != none; y = t.next[y] {
		if t.back[y] != none || !t.fits(best, y) || !t.caused(best, y) {
			continue
		}
		t.f[best], t.back[y] = y, best
		if t.assign() {
			return true
		}
		t.f[best], t.back[y] = none, none
	}
	return false
}

// fits reports whether y, of the same class, can be the image of c next to those that there are: rf, co and rpo are the same among the committed events.
func (t *target) fits(c, y int32) bool {
	kc, gy := &t.k.evs[c], &t.g.evs[y]
	for _, d := range t.set {
		z := t.f[d]
		if z == none {
			continue
		}
		kd, gz := &t.k.evs[d], &t.g.evs[z]
		if kc.kind == graph.Read && (kc.src == d) != (gy.src == z) || kd.kind == graph.Read && (kd.src == c) != (gz.src == y) {
			return false
		}
		if kc.kind == graph.Write && kd.kind == graph.Write && kc.addr == kd.addr && (kc.co < kd.co) != (gy.co < gz.co) {
			return false
		}
		if kc.thread == kd.thread && !(t.keepsRpo(c, d, y, z) && t.keepsRpo(d, c, z, y)) {
			return false
		}
	}
	return true
}

// keepsRpo reports whether the events a and b of one thread of k, with the images x and y, are in rpo in both graphs or in none.
func (t *target) keepsRpo(a, b, x, y int32) bool {
	return (a < b && t.k.rpo.Has(int(a), int(b))) == (x < y && t.g.keeps(x, y))
}

// caused reports whether what is causally ordered in k, of c with the image y and the events that have images, may be so in g.
func (t *target) caused(c, y int32) bool {
	k, g := t.k, t.g
	if g.cause == nil {
		return true
	}
	if k.porf.Has(int(c), int(c)) && !g.cause(y, y) {
		return false
	}
	for _, d := range t.set {
		z := t.f[d]
		if z == none || d == c {
			continue
		}
		if k.porf.Has(int(c), int(d)) && !g.cause(y, z) || k.porf.Has(int(d), int(c)) && !g.cause(z, y) {
			return false
		}
	}
	return true
}
