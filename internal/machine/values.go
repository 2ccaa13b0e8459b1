package machine

import (
	"cmp"
	"encoding/binary"
	"slices"

	"ravel/internal/event"
)

// A Place is one value, or Lo, Lo+Step and so on up to Hi: the addresses of a part of each element of an object, or of all of it, or all addresses.
type Place struct{ Lo, Hi, Step uint64 }

// Anywhere is all addresses.
var Anywhere = Place{0, ^uint64(0), 1}

// At returns the place of one address.
func At(addr uint64) Place { return Place{Lo: addr, Hi: addr} }

// IsOne reports whether it is one address.
func (p Place) IsOne() bool { return p.Lo == p.Hi }

// Meets reports whether the places may have an address in common.
func (p Place) Meets(q Place) bool { return p.mayBe(q, 0) }

// mayBe reports whether an address of p may be d bytes behind one of q.
func (p Place) mayBe(q Place, d int64) bool {
	lo, hi := q.Lo+uint64(d), q.Hi+uint64(d)
	if lo > hi { // of Anywhere
		return true
	}
	if p.Lo > hi || lo > p.Hi {
		return false
	}
	step := gcd(p.Step, q.Step)
	return step == 0 || (max(p.Lo, lo)-min(p.Lo, lo))%step == 0
}

// overlaps reports whether n bytes at an address of p may share some with m bytes at one of q, and whether they may do so without being the same ones.
func (p Place) overlaps(n uint8, q Place, m uint8) (some, partly bool) {
	for d := 1 - int64(n); d < int64(m); d++ {
		if p.mayBe(q, d) {
			some, partly = true, partly || d != 0 || n != m
		}
	}
	return some, partly
}

// contains reports whether all of q is in p.
func (p Place) contains(q Place) bool {
	if p.IsOne() {
		return p == q
	}
	return p.Lo <= q.Lo && q.Hi <= p.Hi && (q.Lo-p.Lo)%p.Step == 0 && q.Step%p.Step == 0
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A valueSet is a set of values that a register or a location may have, by its number in valueSets.
type valueSet int32

const (
	allValues valueSet = iota
	noValues
)

// maxValues bounds the places of a set. A larger one has the objects that its values point into, or all values.
const maxValues = 8

// maxPairs bounds the pairs of values that an instruction is computed for.
const maxPairs = 64

// valueSets are sets of values.
//
// An address that is computed from one of an object, and an index that is not known, is within that object: an index that leads from one object into another is an error of the program.
type valueSets struct {
	p      *Program
	lists  [][]Place // by number
	byKey  map[string]valueSet
	single map[uint64]valueSet
	unions map[[2]valueSet]valueSet
	key    []byte
}

func newValueSets(p *Program) *valueSets {
	return &valueSets{p: p, lists: [][]Place{{Anywhere}, nil}, byKey: map[string]valueSet{"": noValues}, single: map[uint64]valueSet{}, unions: map[[2]valueSet]valueSet{}}
}

// one returns the set of one value.
func (v *valueSets) one(x uint64) valueSet {
	s, ok := v.single[x]
	if !ok {
		s = v.of([]Place{At(x)})
		v.single[x] = s
	}
	return s
}

// of returns the set of the values of these places. It may be larger if there are many.
func (v *valueSets) of(list []Place) valueSet {
	if list = tidy(list); len(list) > maxValues {
		list = tidy(v.together(list))
	}
	if len(list) > maxValues || slices.Contains(list, Anywhere) {
		return allValues
	}
	v.key = v.key[:0]
	for _, p := range list {
		for _, x := range []uint64{p.Lo, p.Hi, p.Step} {
			v.key = binary.LittleEndian.AppendUint64(v.key, x)
		}
	}
	s, ok := v.byKey[string(v.key)]
	if !ok {
		s = valueSet(len(v.lists))
		v.lists = append(v.lists, list)
		v.byKey[string(v.key)] = s
	}
	return s
}

// tidy sorts the places and drops those that are part of others.
func tidy(list []Place) []Place {
	slices.SortFunc(list, func(p, q Place) int {
		return cmp.Or(cmp.Compare(p.Lo, q.Lo), cmp.Compare(q.Hi, p.Hi), cmp.Compare(p.Step, q.Step))
	})
	var out []Place
	for _, p := range list {
		if !slices.ContainsFunc(out, func(q Place) bool { return q.contains(p) }) {
			out = append(out, p)
		}
	}
	return out
}

// together makes one place of those in each object.
func (v *valueSets) together(list []Place) (out []Place) {
	for _, p := range list {
		object := v.objectAt(p)
		i := slices.IndexFunc(out, func(q Place) bool { return object != Anywhere && v.objectAt(q) == object })
		if i < 0 {
			out = append(out, p)
			continue
		}
		step := gcd(gcd(p.Step, out[i].Step), max(p.Lo, out[i].Lo)-min(p.Lo, out[i].Lo))
		out[i] = v.every(p, step)
	}
	return out
}

// every returns the addresses of the object of p whose distance from those of p is a multiple of step, which divides that of p.
func (v *valueSets) every(p Place, step uint64) Place {
	object := v.objectAt(p)
	if object == Anywhere || step == 0 {
		return object
	}
	lo := object.Lo + (p.Lo-object.Lo)%step
	return Place{lo, max(lo, object.Hi), step}
}

// union returns the values of both sets.
func (v *valueSets) union(a, b valueSet) valueSet {
	switch {
	case a == b, b == noValues, a == allValues:
		return a
	case a == noValues, b == allValues:
		return b
	}
	k := [2]valueSet{min(a, b), max(a, b)}
	s, ok := v.unions[k]
	if !ok {
		s = v.of(slices.Concat(v.lists[a], v.lists[b]))
		v.unions[k] = s
	}
	return s
}

// objectAt returns the addresses of the object that p is of: of all that the thread allocates, if it is in the memory of a thread.
func (v *valueSets) objectAt(p Place) Place {
	at := event.Addr(p.Lo)
	if v.p.space != event.Wide || p == Anywhere || !v.p.space.Has(at) {
		return Anywhere
	}
	if at.Owner() > 0 && (!p.IsOne() || at.IsAllocated()) {
		return v.region(at.Owner())
	}
	s, local := v.p.slot(p.Lo)
	if s == nil || s.size == 0 || local < s.base || local > s.base+s.size {
		return Anywhere
	}
	lo := p.Lo - (local - s.base)
	return Place{lo, lo + s.size, 1}
}

// region returns the addresses that an owner has.
func (v *valueSets) region(owner int) Place {
	return Place{uint64(owner) << ownerShift, uint64(owner+1)<<ownerShift - 1, 1}
}

// ownerShift is how many bits of an address are below its owner, in event.Wide.
const ownerShift = event.AddrBits - 10

// objects returns the addresses of the objects that the addresses are of.
func (v *valueSets) objects(s valueSet) valueSet { return v.elements(s, 1) }

// elements returns the addresses at a distance of a multiple of step, in the same object.
func (v *valueSets) elements(s valueSet, step uint64) valueSet {
	list := slices.Clone(v.lists[s])
	for i, p := range list {
		list[i] = v.every(p, gcd(p.Step, step))
	}
	return v.of(list)
}

// plus adds a constant to the values. An address that is not known stays within its object.
func (v *valueSets) plus(s valueSet, x uint64) valueSet {
	if x == 0 || s == allValues || s == noValues {
		return s
	}
	if list := v.lists[s]; len(list) == 1 && list[0].IsOne() {
		return v.one(list[0].Lo + x)
	}
	list := slices.Clone(v.lists[s])
	for i, p := range list {
		if p.IsOne() {
			list[i] = At(p.Lo + x)
			continue
		}
		object := v.objectAt(p)
		by := x % p.Step
		if int64(x) < 0 {
			by = (p.Step - -x%p.Step) % p.Step
		}
		p.Lo = object.Lo + (p.Lo-object.Lo+by)%p.Step
		list[i] = v.every(p, p.Step)
	}
	return v.of(list)
}

// known returns the number of values, 0 if some are not known.
func (v *valueSets) known(s valueSet) int {
	if slices.ContainsFunc(v.lists[s], func(p Place) bool { return !p.IsOne() }) {
		return 0
	}
	return len(v.lists[s])
}

// mapped returns what f returns for the values of the sets; all values if some of these are not known, or f returns false.
func (v *valueSets) mapped(a, b, c valueSet, f func(x, y, z uint64) (uint64, bool)) valueSet {
	if n := v.known(a) * v.known(b) * v.known(c); n == 0 || n > maxPairs {
		if a == noValues || b == noValues || c == noValues {
			return noValues
		}
		return allValues
	}
	var list []Place
	for _, x := range v.lists[a] {
		for _, y := range v.lists[b] {
			for _, z := range v.lists[c] {
				r, ok := f(x.Lo, y.Lo, z.Lo)
				if !ok {
					return allValues
				}
				list = append(list, At(r))
			}
		}
	}
	if len(list) == 1 {
		return v.one(list[0].Lo)
	}
	return v.of(list)
}

// filter returns the values of a for which keep holds with one of b. Values that are not known are kept.
func (v *valueSets) filter(a, b valueSet, keep func(x, y uint64) bool) valueSet {
	if a == allValues || b == allValues {
		return a
	}
	list := slices.DeleteFunc(slices.Clone(v.lists[a]), func(x Place) bool {
		return x.IsOne() && !slices.ContainsFunc(v.lists[b], func(y Place) bool { return !y.IsOne() || keep(x.Lo, y.Lo) })
	})
	if len(list) == len(v.lists[a]) {
		return a
	}
	return v.of(list)
}
