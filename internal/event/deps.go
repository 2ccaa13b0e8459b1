package event

import "slices"

// A DepSet is a set of reads of one thread that something depends on, as a number of a DepTable.
// 0 is the empty set.
type DepSet uint32

// A DepTable keeps sets of reads, each once, so that a register carries its dependencies in a word.
// The reads are named by their place in the thread. The zero DepTable has the empty set only.
type DepTable struct {
	sets   [][]int32         // sorted; set 0 is sets[0]
	single []DepSet          // by place: the set of that read only
	joins  map[uint64]DepSet // of two sets, the smaller number in the upper half
	hash   map[uint64][]DepSet
	recent [256]joined // some of joins, by hash
}

type joined struct {
	key   uint64
	union DepSet
}

// Members returns the places of the reads in s, in order. Don't change it.
func (t *DepTable) Members(s DepSet) []int32 {
	if s == 0 {
		return nil
	}
	return t.sets[s]
}

// Has reports whether the read at a place is in s.
func (t *DepTable) Has(s DepSet, place int32) bool {
	_, ok := slices.BinarySearch(t.Members(s), place)
	return ok
}

// Single returns the set of the read at a place.
func (t *DepTable) Single(place int32) DepSet {
	if int(place) < len(t.single) && t.single[place] != 0 {
		return t.single[place]
	}
	return t.newSingle(place)
}

func (t *DepTable) newSingle(place int32) DepSet {
	for int(place) >= len(t.single) {
		t.single = append(t.single, 0)
	}
	t.single[place] = t.intern([]int32{place})
	return t.single[place]
}

// Join returns the union of two sets.
func (t *DepTable) Join(a, b DepSet) DepSet {
	if a > b {
		a, b = b, a
	}
	if a == 0 || a == b {
		return b
	}
	key := uint64(a)<<32 | uint64(b)
	r := &t.recent[key*0x9e3779b97f4a7c15>>56]
	if r.key != key {
		*r = joined{key, t.joinSets(a, b, key)}
	}
	return r.union
}

// joinSets returns the union of two sets that are different and not empty, a < b.
func (t *DepTable) joinSets(a, b DepSet, key uint64) DepSet {
	if s, ok := t.joins[key]; ok {
		return s
	}
	union := slices.Concat(t.sets[a], t.sets[b])
	slices.Sort(union)
	s := t.intern(slices.Compact(union))
	if t.joins == nil {
		t.joins = map[uint64]DepSet{}
	}
	t.joins[key] = s
	return s
}

// intern returns the number of a set.
func (t *DepTable) intern(set []int32) DepSet {
	h := uint64(14695981039346656037)
	for _, x := range set {
		h = (h ^ uint64(x)) * 1099511628211
	}
	for _, s := range t.hash[h] {
		if slices.Equal(t.sets[s], set) {
			return s
		}
	}
	if t.hash == nil {
		t.hash = map[uint64][]DepSet{}
	}
	if len(t.sets) == 0 {
		t.sets = [][]int32{nil}
	}
	s := DepSet(len(t.sets))
	t.sets = append(t.sets, set)
	t.hash[h] = append(t.hash[h], s)
	return s
}
