package relation

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// A Rel is a binary relation over events. The zero Rel is over no events; see Reset.
type Rel struct {
	n, w int // events; words in a row
	b    []uint64
}

// NewRel returns the relation of the given pairs, over n events.
func NewRel(n int, pairs ...[2]int) *Rel {
	r := &Rel{}
	r.Reset(n)
	for _, p := range pairs {
		r.Add(p[0], p[1])
	}
	return r
}

// Reset makes r the empty relation over n events.
func (r *Rel) Reset(n int) {
	r.Resize(n)
	clear(r.b)
}

// Resize makes r a relation over n events with unspecified pairs, even bits beyond n: what an
// operation that writes all rows may start from. It is Reset without the work.
func (r *Rel) Resize(n int) {
	r.n, r.w = n, words(n)
	size := n * r.w
	if cap(r.b) < size {
		r.b = make([]uint64, size)
	}
	r.b = r.b[:size]
}

// Len returns n, the number of events.
func (r *Rel) Len() int { return r.n }

func (r *Rel) row(i int) []uint64 { return r.b[i*r.w : (i+1)*r.w] }

// Has reports whether r relates i to j.
func (r *Rel) Has(i, j int) bool { return r.b[i*r.w+j>>6]>>(j&63)&1 != 0 }

// Add adds the pair (i, j).
func (r *Rel) Add(i, j int) { r.b[i*r.w+j>>6] |= 1 << (j & 63) }

// Del removes the pair (i, j).
func (r *Rel) Del(i, j int) { r.b[i*r.w+j>>6] &^= 1 << (j & 63) }

// Copy makes r equal to a, whatever its size was.
func (r *Rel) Copy(a *Rel) {
	r.n, r.w = a.n, a.w
	r.b = append(r.b[:0], a.b...)
}

// Clone returns a copy of r.
func (r *Rel) Clone() *Rel {
	c := &Rel{}
	c.Copy(r)
	return c
}

// All makes r relate all events to all.
func (r *Rel) All() {
	for i := range r.b {
		r.b[i] = ^uint64(0)
	}
	r.trim()
}

func (r *Rel) trim() {
	if m := last(r.n); m != ^uint64(0) {
		for i := r.w - 1; i < len(r.b); i += r.w {
			r.b[i] &= m
		}
	}
}

// Union makes r = a ∪ b.
func (r *Rel) Union(a, b *Rel) {
	x, y := a.b[:len(r.b)], b.b[:len(r.b)]
	for i := range r.b {
		r.b[i] = x[i] | y[i]
	}
}

// Intersect makes r = a ∩ b.
func (r *Rel) Intersect(a, b *Rel) {
	x, y := a.b[:len(r.b)], b.b[:len(r.b)]
	for i := range r.b {
		r.b[i] = x[i] & y[i]
	}
}

// Minus makes r = a ∖ b.
func (r *Rel) Minus(a, b *Rel) {
	x, y := a.b[:len(r.b)], b.b[:len(r.b)]
	for i := range r.b {
		r.b[i] = x[i] &^ y[i]
	}
}

// Complement makes r the relation of the pairs that are not in a.
func (r *Rel) Complement(a *Rel) {
	x := a.b[:len(r.b)]
	for i := range r.b {
		r.b[i] = ^x[i]
	}
	r.trim()
}

// Identity makes r = [s], the identity on s.
func (r *Rel) Identity(s *Set) {
	clear(r.b)
	for i := range r.n {
		r.b[i*r.w+i>>6] = s.b[i>>6] & (1 << (i & 63))
	}
}

// IdentityAll makes r the identity on all events.
func (r *Rel) IdentityAll() {
	clear(r.b)
	for i := range r.n {
		r.Add(i, i)
	}
}

// Product makes r = a × b.
func (r *Rel) Product(a, b *Set) {
	for i := range r.n {
		if a.Has(i) {
			copy(r.row(i), b.b)
		} else {
			clear(r.row(i))
		}
	}
}

// RestrictDomain makes r = [s];a.
func (r *Rel) RestrictDomain(s *Set, a *Rel) {
	if r.w == 1 {
		in := s.b[0]
		x := a.b[:len(r.b)]
		for i := range r.b {
			r.b[i] = x[i] & -(in >> i & 1)
		}
		return
	}
	for i := range r.n {
		if s.Has(i) {
			copy(r.row(i), a.row(i))
		} else {
			clear(r.row(i))
		}
	}
}

// RestrictRange makes r = a;[s].
func (r *Rel) RestrictRange(a *Rel, s *Set) {
	if r.w == 1 {
		in := s.b[0]
		x := a.b[:len(r.b)]
		for i := range r.b {
			r.b[i] = x[i] & in
		}
		return
	}
	for i := range r.n {
		dst, src := r.row(i), a.row(i)
		for k := range dst {
			dst[k] = src[k] & s.b[k]
		}
	}
}

// Compose makes r = a;b. r may be a but not b.
func (r *Rel) Compose(a, b *Rel) {
	if r.w == 1 {
		x, y := a.b[:len(r.b)], b.b
		for i := range r.b {
			var out uint64
			for row := x[i]; row != 0; row &= row - 1 {
				out |= y[bits.TrailingZeros64(row)]
			}
			r.b[i] = out
		}
		return
	}
	var buf [8]uint64 // 512 events
	out := buf[:]
	if r.w > len(buf) {
		out = make([]uint64, r.w)
	}
	out = out[:r.w]
	for i := range r.n {
		clear(out)
		for k, row := range a.row(i) {
			for ; row != 0; row &= row - 1 {
				for m, w := range b.row(k<<6 + bits.TrailingZeros64(row)) {
					out[m] |= w
				}
			}
		}
		copy(r.row(i), out)
	}
}

// Inverse makes r = a⁻¹. r is not a.
func (r *Rel) Inverse(a *Rel) {
	clear(r.b)
	if r.w == 1 {
		for i, row := range a.b {
			for ; row != 0; row &= row - 1 {
				r.b[bits.TrailingZeros64(row)] |= 1 << i
			}
		}
		return
	}
	for i := range r.n {
		for k, row := range a.row(i) {
			for ; row != 0; row &= row - 1 {
				r.Add(k<<6+bits.TrailingZeros64(row), i)
			}
		}
	}
}

// Empty reports whether r has no pairs.
func (r *Rel) Empty() bool {
	for _, w := range r.b {
		if w != 0 {
			return false
		}
	}
	return true
}

// Count returns the number of pairs.
func (r *Rel) Count() int {
	c := 0
	for _, w := range r.b {
		c += bits.OnesCount64(w)
	}
	return c
}

// Equal reports whether r and a have the same pairs.
func (r *Rel) Equal(a *Rel) bool { return r.n == a.n && equal(r.b, a.b) }

// SubsetOf reports whether all pairs of r are in a.
func (r *Rel) SubsetOf(a *Rel) bool { return subset(r.b, a.b) }

// Compare orders relations as the sorted lists of their pairs.
func (r *Rel) Compare(a *Rel) int { return compare(r.b, a.b) }

// From returns the set of events that i is related to. It is a view: a change of r changes it.
func (r *Rel) From(i int) Set { return Set{r.n, r.row(i)} }

// Pairs yields the pairs of r in order.
func (r *Rel) Pairs() iter.Seq2[int, int] {
	return func(yield func(i, j int) bool) {
		for i := range r.n {
			for j := range each(r.row(i)) {
				if !yield(i, j) {
					return
				}
			}
		}
	}
}

// First returns the least pair of r, or -1, -1.
func (r *Rel) First() (i, j int) {
	for i, j := range r.Pairs() {
		return i, j
	}
	return -1, -1
}

func (r *Rel) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, j := range r.Pairs() {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d->%d", i, j)
	}
	b.WriteByte('}')
	return b.String()
}
