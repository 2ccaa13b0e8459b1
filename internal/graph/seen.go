package graph

// A Set is a scratch set of events for one search at a time: Clear starts a new search.
type Set struct {
	marks []uint32
	epoch uint32
}

// Clear empties s, with room for the events of g.
func (s *Set) Clear(g *Graph) {
	if len(s.marks) < len(g.Events) {
		s.marks = make([]uint32, 2*len(g.Events))
		s.epoch = 0
	}
	s.epoch++
	if s.epoch == 0 {
		clear(s.marks)
		s.epoch = 1
	}
}

// Add adds id and reports whether it was new.
func (s *Set) Add(id ID) bool {
	if s.marks[id] == s.epoch {
		return false
	}
	s.marks[id] = s.epoch
	return true
}

// Has reports whether id is in s.
func (s *Set) Has(id ID) bool { return s.marks[id] == s.epoch }

// Marks is like Set for searches that come to an event in more than one way, of up to four.
type Marks struct {
	marks []uint32 // the epoch, and a bit for each way
	epoch uint32
}

// Clear removes all marks, with room for the events of g.
func (s *Marks) Clear(g *Graph) {
	if len(s.marks) < len(g.Events) {
		s.marks = make([]uint32, 2*len(g.Events))
		s.epoch = 0
	}
	s.epoch++
	if s.epoch == 1<<28 {
		clear(s.marks)
		s.epoch = 1
	}
}

// Of returns the bits that id is marked with.
func (s *Marks) Of(id ID) uint32 {
	if m := s.marks[id]; m>>4 == s.epoch {
		return m & 15
	}
	return 0
}

// Add marks id with bits.
func (s *Marks) Add(id ID, bits uint32) { s.marks[id] = s.epoch<<4 | s.Of(id) | bits }

// Keys has a key for each location, of one search at a time: Clear starts a new search.
type Keys struct {
	keys  []locKey
	epoch uint32
}

type locKey struct {
	epoch uint32
	key   int32
}

// Clear removes all keys, with room for the locations of g.
func (s *Keys) Clear(g *Graph) {
	if len(s.keys) < len(g.Locs) {
		s.keys = make([]locKey, 2*len(g.Locs))
		s.epoch = 0
	}
	s.epoch++
	if s.epoch == 0 {
		clear(s.keys)
		s.epoch = 1
	}
}

// Lower makes key that of location loc, and reports whether it had none or a greater one.
func (s *Keys) Lower(loc, key int32) bool {
	k := &s.keys[loc]
	if k.epoch == s.epoch && k.key <= key {
		return false
	}
	*k = locKey{s.epoch, key}
	return true
}
