package relation

import (
	"iter"
	"math/bits"
	"strconv"
	"strings"
)

// A Set is a set of events. The zero Set is a set over no events; see Reset.
type Set struct {
	n int
	b []uint64
}

// NewSet returns the set of the given events, out of n.
func NewSet(n int, events ...int) *Set {
	s := &Set{}
	s.Reset(n)
	for _, e := range events {
		s.Add(e)
	}
	return s
}

func words(n int) int { return (n + 63) >> 6 }

// last is the mask of the bits in use in the last word.
func last(n int) uint64 { return ^uint64(0) >> (-n & 63) }

// Reset makes s the empty set over n events.
func (s *Set) Reset(n int) {
	s.n = n
	w := words(n)
	if cap(s.b) < w {
		s.b = make([]uint64, w)
		return
	}
	s.b = s.b[:w]
	clear(s.b)
}

// Len returns n, the number of all events, not of those in s.
func (s *Set) Len() int { return s.n }

// Has reports whether e is in s.
func (s *Set) Has(e int) bool { return s.b[e>>6]>>(e&63)&1 != 0 }

// Add adds e to s.
func (s *Set) Add(e int) { s.b[e>>6] |= 1 << (e & 63) }

// Del removes e from s.
func (s *Set) Del(e int) { s.b[e>>6] &^= 1 << (e & 63) }

// Copy makes s equal to a, whatever its size was.
func (s *Set) Copy(a *Set) {
	s.n = a.n
	s.b = append(s.b[:0], a.b...)
}

// Clone returns a copy of s.
func (s *Set) Clone() *Set {
	c := &Set{}
	c.Copy(s)
	return c
}

// All makes s the set of all events.
func (s *Set) All() {
	for i := range s.b {
		s.b[i] = ^uint64(0)
	}
	s.trim()
}

func (s *Set) trim() {
	if len(s.b) > 0 {
		s.b[len(s.b)-1] &= last(s.n)
	}
}

// Union makes s = a ∪ b.
func (s *Set) Union(a, b *Set) {
	for i := range s.b {
		s.b[i] = a.b[i] | b.b[i]
	}
}

// Intersect makes s = a ∩ b.
func (s *Set) Intersect(a, b *Set) {
	for i := range s.b {
		s.b[i] = a.b[i] & b.b[i]
	}
}

// Minus makes s = a ∖ b.
func (s *Set) Minus(a, b *Set) {
	for i := range s.b {
		s.b[i] = a.b[i] &^ b.b[i]
	}
}

// Complement makes s the set of events that are not in a.
func (s *Set) Complement(a *Set) {
	for i := range s.b {
		s.b[i] = ^a.b[i]
	}
	s.trim()
}

// Domain makes s the set of events that r relates to something.
func (s *Set) Domain(r *Rel) {
	clear(s.b)
	for i := range s.n {
		for _, w := range r.row(i) {
			if w != 0 {
				s.Add(i)
				break
			}
		}
	}
}

// Range makes s the set of events that r relates something to.
func (s *Set) Range(r *Rel) {
	clear(s.b)
	for i := range s.n {
		for k, w := range r.row(i) {
			s.b[k] |= w
		}
	}
}

// Empty reports whether s has no events.
func (s *Set) Empty() bool {
	for _, w := range s.b {
		if w != 0 {
			return false
		}
	}
	return true
}

// Count returns the number of events in s.
func (s *Set) Count() int {
	c := 0
	for _, w := range s.b {
		c += bits.OnesCount64(w)
	}
	return c
}

// Equal reports whether s and a have the same events.
func (s *Set) Equal(a *Set) bool { return s.n == a.n && equal(s.b, a.b) }

// SubsetOf reports whether all events of s are in a.
func (s *Set) SubsetOf(a *Set) bool { return subset(s.b, a.b) }

// Compare orders sets by their least elements, then the next ones, and so on; a set is after its prefixes.
func (s *Set) Compare(a *Set) int { return compare(s.b, a.b) }

// First returns the least event of s, or -1.
func (s *Set) First() int {
	for i, w := range s.b {
		if w != 0 {
			return i<<6 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// Events yields the events of s in order.
func (s *Set) Events() iter.Seq[int] { return each(s.b) }

func (s *Set) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for e := range s.Events() {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(e))
	}
	b.WriteByte('}')
	return b.String()
}

func each(row []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range row {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

func equal(a, b []uint64) bool {
	for i, w := range a {
		if w != b[i] {
			return false
		}
	}
	return true
}

func subset(a, b []uint64) bool {
	for i, w := range a {
		if w&^b[i] != 0 {
			return false
		}
	}
	return true
}

// compare compares two bit strings as the sorted lists of their ones.
func compare(a, b []uint64) int {
	for i, w := range a {
		d := w ^ b[i]
		if d == 0 {
			continue
		}
		low := d & -d
		// The list that has the first difference is smaller, unless the other one ends before it.
		has, other := -1, b[i]
		rest := b[i+1:]
		if b[i]&low != 0 {
			has, other, rest = 1, w, a[i+1:]
		}
		if other&^(low-1) != 0 {
			return has
		}
		for _, w := range rest {
			if w != 0 {
				return has
			}
		}
		return -has
	}
	return 0
}
