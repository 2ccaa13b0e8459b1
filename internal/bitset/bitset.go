// Package bitset has sets of small numbers: a Word for numbers below 64, which is a value, and a Set for any.
//
// Other sets of the project are not these for a reason: relation.Set is a row of a relation, graph.Set is cleared in constant time, and
// event.DepSet and the sets of package enumerate are parts of hashed and compared values.
package bitset

import "math/bits"

// An Element is a type of small numbers.
type Element interface{ ~int | ~int32 | ~uint32 }

// A Word is a set of numbers below 64. Its operators are those of bits: |, & and &^.
type Word[E Element] uint64

// One returns the set of e alone.
func One[E Element](e E) Word[E] { return 1 << e }

// Below returns the set of all numbers below n.
func Below[E Element](n E) Word[E] { return ^Word[E](0) >> (64 - n) }

// Has reports whether e is in the set. Numbers from 64 on are in none.
func (s Word[E]) Has(e E) bool { return s>>e&1 != 0 }

// Contains reports whether all elements of t are in the set.
func (s Word[E]) Contains(t Word[E]) bool { return t&^s == 0 }

// Count returns the number of elements.
func (s Word[E]) Count() int { return bits.OnesCount64(uint64(s)) }

// First returns the least element. The set must not be empty.
func (s Word[E]) First() E { return E(bits.TrailingZeros64(uint64(s))) }

// Each calls f for the elements in order.
func (s Word[E]) Each(f func(E)) {
	for ; s != 0; s &= s - 1 {
		f(s.First())
	}
}

// A Set is a set of numbers up to a limit that New fixes.
type Set[E Element] []uint64

// New returns an empty set for the numbers below n.
func New[E Element](n int) Set[E] { return make(Set[E], (n+63)/64) }

// Has reports whether e is in the set.
func (s Set[E]) Has(e E) bool { return s[e/64]>>(e%64)&1 != 0 }

// Add adds e.
func (s Set[E]) Add(e E) { s[e/64] |= 1 << (e % 64) }

// Remove removes e.
func (s Set[E]) Remove(e E) { s[e/64] &^= 1 << (e % 64) }

// Join adds the elements of t, and reports whether there were any new ones.
func (s Set[E]) Join(t Set[E]) (more bool) {
	for i, w := range t {
		more = more || w&^s[i] != 0
		s[i] |= w
	}
	return more
}

// Common returns how many elements are in both sets.
func (s Set[E]) Common(t Set[E]) (n int) {
	for i := range min(len(s), len(t)) {
		n += bits.OnesCount64(s[i] & t[i])
	}
	return n
}

// Each calls f for the elements in order.
func (s Set[E]) Each(f func(E)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(E(i*64 + bits.TrailingZeros64(w)))
		}
	}
}
