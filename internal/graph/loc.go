package graph

import "ravel/internal/event"

// A Loc is a memory location: the bytes that one access reads or writes as a whole. A Loc of
// size 0 stands for an allocated object, and has its Alloc and Free events only.
// Locations are made when first seen and stay, empty, when their events are undone.
type Loc struct {
	Addr  event.Addr
	Size  uint8
	Init  event.Value
	Co    []ID // Co[0] is Init
	Last  []LastAccess
	Reads int32 // how many reads
	NA    int32 // how many accesses that are not atomic
	Alloc ID
	Free  ID
	Again ID      // the Alloc event that gave out the block again
	Rival []int32 // locations that overlap this one

	// For Event.Ordered, and never undone: whether there was ever a write here after a read, and whether a read was
	// passed over because there was none.
	Written, PassedOver bool
	OwnPassed           bool // whether a read here is Passed; never undone

	// For Graph.Contested, and never undone: the first thread that was ever here, plus one, and whether there was another one.
	owner     int32
	shared    bool
	contested bool
}

// LastAccess has a thread's po-latest read and write of a location, None if there is none.
type LastAccess struct{ Read, Write ID }

// Empty reports whether the graph has no event at l.
func (l *Loc) Empty() bool { return l.Reads == 0 && len(l.Co) == 1 }

// Private reports whether only one thread has ever been at l.
func (l *Loc) Private() bool { return !l.shared && !l.contested }

// meet notes that there is the access e, for Contested.
func (g *Graph) meet(l *Loc, e *Event) {
	switch other := e.Thread+1 != l.owner; {
	case l.owner == 0:
		l.owner = e.Thread + 1
	case e.Kind == Write && (other || l.shared), e.Kind == Read && other && !g.CoMaximal(e):
		l.contested = true
		g.Contested = append(g.Contested, e.Loc)
	case other:
		l.shared = true
	}
}

// insert puts write id at index i of co.
func (l *Loc) insert(g *Graph, id ID, i int32) {
	l.Co = append(l.Co, id)
	for j := int32(len(l.Co)) - 1; j > i; j-- {
		l.Co[j] = l.Co[j-1]
		g.Events[l.Co[j]].Co = j
	}
	l.Co[i] = id
	g.Events[id].Co = i
}

func (l *Loc) remove(g *Graph, i int32) {
	n := int32(len(l.Co)) - 1
	for j := i; j < n; j++ {
		l.Co[j] = l.Co[j+1]
		g.Events[l.Co[j]].Co = j
	}
	l.Co = l.Co[:n]
}

// Loc returns the location of an access, made with the given initial value if it is new.
// ok is false if it is new: then the caller sets Init and checks Rival.
func (g *Graph) Loc(addr event.Addr, size uint8) (loc int32, ok bool) {
	key := uint64(addr)<<5 | uint64(size)
	if l, ok := g.byAddr.get(key); ok {
		return l, true
	}
	loc = int32(len(g.Locs))
	g.Locs = append(g.Locs, Loc{Addr: addr, Size: size, Co: append(make([]ID, 0, 8), Init), Last: make([]LastAccess, len(g.Threads), g.stride)})
	g.byAddr.put(key, loc)
	if size > 0 {
		g.findRivals(loc)
	}
	return loc, false
}

// findRivals links loc with the locations that share a byte with it.
func (g *Graph) findRivals(loc int32) {
	l := &g.Locs[loc]
	g.unaligned = g.unaligned || uint64(l.Addr)%uint64(l.Size) != 0
	for d := -15; d < int(l.Size); d++ {
		for size := uint8(1); size <= 16; size *= 2 {
			if d+int(size) <= 0 || d == 0 && size == l.Size {
				continue
			}
			a := event.Addr(int64(l.Addr) + int64(d))
			if uint64(a)%uint64(size) != 0 && !g.unaligned {
				continue
			}
			if other, ok := g.byAddr.get(uint64(a)<<5 | uint64(size)); ok {
				l.Rival = append(l.Rival, other)
				g.Locs[other].Rival = append(g.Locs[other].Rival, loc)
			}
		}
	}
}

// Find returns the location of an access, false if there is none yet.
func (g *Graph) Find(addr event.Addr, size uint8) (int32, bool) {
	return g.byAddr.get(uint64(addr)<<5 | uint64(size))
}

// Overlap returns a location that has events and shares bytes with loc, or -1.
func (g *Graph) Overlap(loc int32) int32 {
	for _, r := range g.Locs[loc].Rival {
		if !g.Locs[r].Empty() {
			return r
		}
	}
	return -1
}

// An addrTable is an open-addressing hash table from location keys (never 0) to numbers.
type addrTable struct {
	keys []uint64
	vals []int32
	n    int
}

func (t *addrTable) slot(key uint64) int {
	mask := len(t.keys) - 1
	i := int(key*0x9E3779B97F4A7C15>>32) & mask
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

func (t *addrTable) get(key uint64) (int32, bool) {
	if t.n == 0 {
		return 0, false
	}
	i := t.slot(key)
	return t.vals[i], t.keys[i] == key
}

func (t *addrTable) put(key uint64, val int32) {
	if 2*t.n >= len(t.keys) {
		old := *t
		size := max(64, 2*len(old.keys))
		t.keys, t.vals = make([]uint64, size), make([]int32, size)
		for i, k := range old.keys {
			if k != 0 {
				j := t.slot(k)
				t.keys[j], t.vals[j] = k, old.vals[i]
			}
		}
	}
	i := t.slot(key)
	t.keys[i], t.vals[i] = key, val
	t.n++
}
