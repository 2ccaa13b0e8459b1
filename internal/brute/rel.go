package brute

import "math/bits"

// maxEvents bounds the events of an execution, initial writes included.
const maxEvents = 32

// A set is a set of events.
type set uint32

func (s set) has(i int) bool { return s>>i&1 != 0 }

// all is the set of all events, those included that the execution does not have:
// the relations it is used in are composed with others that are empty there.
const all = set(1<<maxEvents - 1)

// A rel is a binary relation: row i is the set of events that i is related to.
type rel [maxEvents]set

func (r *rel) add(i, j int)     { r[i] |= 1 << j }
func (r rel) has(i, j int) bool { return r[i].has(j) }

// renamed has ids[i] in the place of i.
func (r rel) renamed(ids []int) (q rel) {
	for i, id := range ids {
		for row := r[i]; row != 0; row &= row - 1 {
			q.add(id, ids[bits.TrailingZeros32(uint32(row))])
		}
	}
	return q
}

// id is [s], the identity on s.
func id(s set) (r rel) {
	for i := range r {
		r[i] = s & (1 << i)
	}
	return r
}

// cross is a × b.
func cross(a, b set) (r rel) {
	for i := range r {
		if a.has(i) {
			r[i] = b
		}
	}
	return r
}

// or is the union of relations.
func or(rs ...rel) (u rel) {
	for _, r := range rs {
		for i := range u {
			u[i] |= r[i]
		}
	}
	return u
}

// and is r ∩ s.
func and(r, s rel) rel {
	for i := range r {
		r[i] &= s[i]
	}
	return r
}

// minus is r ∖ s.
func minus(r, s rel) rel {
	for i := range r {
		r[i] &^= s[i]
	}
	return r
}

// seq is the composition of relations: r;s;….
func seq(rs ...rel) rel {
	r := rs[0]
	for _, s := range rs[1:] {
		var q rel
		for i := range r {
			for row := r[i]; row != 0; row &= row - 1 {
				q[i] |= s[bits.TrailingZeros32(uint32(row))]
			}
		}
		r = q
	}
	return r
}

// inv is r⁻¹.
func inv(r rel) (q rel) {
	for i, row := range r {
		for ; row != 0; row &= row - 1 {
			q.add(bits.TrailingZeros32(uint32(row)), i)
		}
	}
	return q
}

// opt is r?, the reflexive closure.
func opt(r rel) rel { return or(r, id(all)) }

// plus is r⁺, the transitive closure (Warshall).
func plus(r rel) rel {
	for k := range r {
		if r[k] == 0 {
			continue
		}
		for i := range r {
			if r[i].has(k) {
				r[i] |= r[k]
			}
		}
	}
	return r
}

// star is r*.
func star(r rel) rel { return opt(plus(r)) }

func empty(r rel) bool { return r == rel{} }

func irreflexive(r rel) bool { return empty(and(r, id(all))) }

func acyclic(r rel) bool { return irreflexive(plus(r)) }
