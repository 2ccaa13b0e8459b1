package machine

import (
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/event"
)

// A Forecast is which instructions of the threads may access which addresses, and what they may write there.
//
// Each thread runs by itself, by abstract interpretation, with sets of values (valueSet). A read of a location that another thread may write to gets all values that any thread may write there, or the initial one. Any
// other read gets what the thread has written last, or the initial value. All ways of a branch that these values lead to are taken. That is repeated until no thread writes anything new: docs/xmm.md, Lemma 6.
// A thread that takes too many steps may do all that its code says (ThreadCode), at all addresses.
type Forecast struct {
	codes   []*ThreadCode
	sets    *valueSets
	threads []foreseen
	version int      // grows with what threads write
	steps   int      // how many instructions were performed
	vague   bool     // any read may get any value
	frees   bool     // the program frees memory, so an allocation may return a block of before
	blocks  valueSet // that are allocated on the heap

	counters map[uint64]*counter // by address
}

// foreseen is what a thread may do.
type foreseen struct {
	to   map[int32]valueSet // by the number of an instruction that writes: where to
	vals map[int32]valueSet // what it writes
	wild map[int32]bool     // the instructions that write to one of several places, and it is not known to which
	from map[int32]valueSet // by the place of an instruction that reads: where from
	seen bitset.Set[int32]  // the instructions that it comes to
	sums map[uint64]uint64  // by address: how much it adds there at most, by instructions that add a constant
	runs map[int32]valueSet // by function: what its parent may have it run with
	all  bool               // it may do all that its code says
	at   int                // the version when it was last run
}

const (
	maxForecast = 50_000 // the instructions that a thread may perform, in all ways that it may go, and a tenth of those that all may
	maxApart    = 64     // the states at one place that are kept apart; more are taken together
	maxCalls    = 50     // how deep calls may be
	maxObject   = 4096   // the bytes of an object whose initial values are looked at
)

// NewForecast returns the forecast of threads with this code. If vague, any read may get any value.
func NewForecast(codes []*ThreadCode, vague bool) *Forecast {
	p := codes[0].h.p
	f := &Forecast{codes: codes, sets: newValueSets(p), vague: vague || p.layout != nil}
	f.frees = slices.ContainsFunc(p.code, func(in insn) bool { return in.op == opFree })
	f.begin()
	f.settle()
	f.count()
	for _, c := range codes {
		c.reset(f)
	}
	return f
}

// begin forgets what the threads may do.
func (f *Forecast) begin() {
	f.threads, f.blocks, f.version, f.steps = nil, noValues, 1, 0
	for range f.codes {
		f.threads = append(f.threads, foreseen{
			to: map[int32]valueSet{}, vals: map[int32]valueSet{}, wild: map[int32]bool{}, from: map[int32]valueSet{}, seen: bitset.New[int32](len(f.sets.p.code)), sums: map[uint64]uint64{}, runs: map[int32]valueSet{},
		})
	}
}

// settle lets the threads run until none writes anything new.
func (f *Forecast) settle() {
	for again := true; again; {
		again = false
		for t := range f.threads {
			if th := &f.threads[t]; !th.all && th.at < f.version {
				again = true
				th.at = f.version
				f.run(int32(t))
			}
		}
	}
}

// WritesTo returns the places that the instruction of this number may write to in thread t: none if the thread never comes to it.
func (f *Forecast) WritesTo(t, number int32) []Place {
	if set, ok := f.threads[t].to[number]; ok {
		return f.sets.lists[set]
	}
	return nil
}

// readsFrom returns the places that the instruction at pc may read in thread t.
func (f *Forecast) readsFrom(t, pc int32) []Place {
	if f.threads[t].all {
		return []Place{Anywhere}
	}
	if set, ok := f.threads[t].from[pc]; ok {
		return f.sets.lists[set]
	}
	return nil
}

// Each calls yield with the instructions that thread t may write by, and where.
func (f *Forecast) Each(t int32, yield func(number int32, places []Place)) {
	f.codes[t].Writes.Each(func(number int32) {
		if list := f.WritesTo(t, number); len(list) > 0 {
			yield(number, list)
		}
	})
}

// MayWrite reports whether the instruction of this number may write to the address in thread t.
func (f *Forecast) MayWrite(t, number int32, addr event.Addr) bool {
	return slices.ContainsFunc(f.WritesTo(t, number), At(uint64(addr.Visible())).Meets)
}

// MayBe reports whether the instruction of this number may write this value, of so many bytes, in thread t.
func (f *Forecast) MayBe(t, number int32, size uint8, val event.Value) bool {
	c := f.codes[t]
	if in := &c.h.p.code[c.h.pcs[number]]; f.vague || in.size != size || in.flags&flagWide != 0 || val.Hi != 0 {
		return true // it may be performed in pieces
	}
	set, ok := f.threads[t].vals[number]
	return ok && slices.ContainsFunc(f.sets.lists[set], At(val.Lo).Meets)
}

// everything lets thread t do all that its code says.
func (f *Forecast) everything(t int32) {
	th := &f.threads[t]
	th.all = true
	f.version++
	for u, c := range f.codes {
		if c.open && c.parent == t && !f.threads[u].all {
			f.everything(int32(u))
		}
	}
	f.codes[t].Writes.Each(func(number int32) { th.to[number], th.vals[number], th.wild[number] = allValues, allValues, true })
}

// sharedPlace reports whether a thread other than t may write to a part of the place.
func (f *Forecast) sharedPlace(t int32, p Place) bool {
	for u := range f.threads {
		for _, set := range f.threads[u].to {
			if int32(u) != t && slices.ContainsFunc(f.sets.lists[set], func(q Place) bool { some, _ := p.overlaps(16, q, 16); return some }) {
				return true
			}
		}
	}
	return false
}

// written returns what thread u may write to the size bytes at the place: if wild, only by instructions of which it is not always known where they write.
func (f *Forecast) written(u int32, at Place, size uint8, wild bool) valueSet {
	h, th := f.codes[u].h, &f.threads[u]
	all := noValues
	for number, set := range th.to {
		if wild && !th.wild[number] {
			continue
		}
		n := h.p.code[h.pcs[number]].size
		for _, q := range f.sets.lists[set] {
			some, partly := at.overlaps(size, q, max(n, 1))
			if partly {
				return allValues
			}
			if some {
				all = f.sets.union(all, th.vals[number])
			}
		}
	}
	return all
}

// initial returns the initial values of the size bytes at the place.
func (f *Forecast) initial(at Place, size uint8) valueSet {
	p := f.sets.p
	if a := event.Addr(at.Lo); a.Owner() > 0 && (!at.IsOne() || a.IsAllocated()) {
		return f.sets.one(0)
	}
	if at.Hi-at.Lo > maxObject || size > 8 {
		return allValues
	}
	all := noValues
	for addr := at.Lo; addr <= at.Hi && all != allValues; addr += max(at.Step, 1) {
		v, ok := p.InitialValue(event.Addr(addr), size)
		switch {
		case ok:
			all = f.sets.union(all, f.sets.one(v.Lo))
		case at.IsOne():
			return allValues
		}
	}
	return all
}

// read returns what thread t reads at these addresses, in state s.
func (f *Forecast) read(t int32, s *foreState, from valueSet, size uint8) valueSet {
	if from == allValues || f.vague || size > 8 {
		return allValues
	}
	all := noValues
	for _, at := range f.sets.lists[from] {
		all = f.sets.union(all, f.readAt(t, s, at, size))
	}
	return all
}

func (f *Forecast) readAt(t int32, s *foreState, at Place, size uint8) valueSet {
	if o, _ := f.sets.p.slot(at.Lo); o != nil && o.ro {
		return f.initial(at, size)
	}
	others := noValues
	for u := range f.threads {
		if int32(u) != t {
			others = f.sets.union(others, f.written(int32(u), at, size, false))
		}
	}
	own := others == noValues && at.IsOne()
	if own {
		for _, c := range s.mem {
			switch {
			case c.addr == at.Lo && c.size == size:
				return c.val
			case c.addr < at.Lo+uint64(size) && at.Lo < c.addr+uint64(c.size):
				return allValues
			}
		}
	}
	all := f.sets.union(f.sets.union(others, f.initial(at, size)), f.written(t, at, size, own))
	if c := f.counters[at.Lo]; c != nil && at.IsOne() && c.size == size {
		if few := c.values(f.sets, t, s, at.Lo); few != allValues {
			return f.sets.filter(few, all, func(x, y uint64) bool { return x == y })
		}
	}
	return all
}
