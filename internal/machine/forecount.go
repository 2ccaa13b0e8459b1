package machine

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir/arith"
)

// Counters: locations that threads only add constants to, by read-modify-writes, as the top of a deque or the next ticket of a lock.
//
// A first forecast, which knows nothing of them, says how much each thread adds at most, in any way that it may go. A second one uses that: docs/xmm.md, Lemma 8.

// A counter is such a location.
type counter struct {
	size uint8
	init uint64
	step uint64   // divides all that is added
	sums []uint64 // by thread: the most that it adds
}

// many is a sum that is too large, or not known.
const many = 1 << 32

// increment returns what an instruction adds to the location that it writes to. It returns false if that is not a positive constant.
func (p *Program) increment(in *insn) (by uint64, ok bool) {
	switch {
	case in.flags&flagWide != 0:
	case in.op == opCAS && p.actions[in.t].RMW == event.AddUnless:
		if in.c == frameZero {
			by = in.ic
		}
	case in.op == opCAS && in.b == in.c:
		by = in.ic - in.ib
	case in.op == opRMW && p.actions[in.t].RMW == event.Add && in.b == frameZero:
		by = in.ib
	}
	by &= arith.Mask(8 * in.size)
	if by == 0 || by >= many {
		return 0, false
	}
	return by, true
}

// counts takes note that s, at an instruction that writes, has added so much to the location at addr.
func (r *forecaster) counts(addr, sum uint64) {
	sums := r.f.threads[r.t].sums
	sums[addr] = max(sums[addr], sum)
}

// widen makes the sums of s that are larger than those of old, an earlier state at the same place, unknown: they may grow for ever.
func (s *foreState) widen(old *foreState) {
	for i := range s.mem {
		w := &s.mem[i]
		j := slices.IndexFunc(old.mem, func(o ownWrite) bool { return o.addr == w.addr })
		if w.sum > 0 && (j < 0 || old.mem[j].sum < w.sum) {
			w.sum = many
		}
	}
}

// findCounters finds the counters.
func (f *Forecast) findCounters() map[uint64]*counter {
	all := map[uint64]*counter{}
	for t := range f.threads {
		for addr := range f.threads[t].sums {
			if c := f.counterAt(addr); c != nil {
				all[addr] = c
			}
		}
	}
	return all
}

// counterAt returns the counter at addr, nil if there is none.
func (f *Forecast) counterAt(addr uint64) *counter {
	c := &counter{size: f.sizeAt(addr)}
	for t := range f.threads {
		h := f.codes[t].h
		for number, set := range f.threads[t].to {
			in := &h.p.code[h.pcs[number]]
			meets := func(q Place) bool { some, _ := At(addr).overlaps(c.size, q, max(in.size, 1)); return some }
			if !slices.ContainsFunc(f.sets.lists[set], meets) {
				continue
			}
			by, ok := h.p.increment(in)
			if !ok || set != f.sets.one(addr) || in.size != c.size {
				return nil
			}
			c.step = gcd(c.step, by)
		}
		c.sums = append(c.sums, f.threads[t].sums[addr])
	}
	init := f.sets.lists[f.initial(At(addr), c.size)]
	if event.Addr(addr).Owner() > 0 || len(init) != 1 || !init[0].IsOne() {
		return nil
	}
	c.init = init[0].Lo
	return c
}

// sizeAt returns the size of an access that adds something at addr.
func (f *Forecast) sizeAt(addr uint64) uint8 {
	for t := range f.threads {
		h := f.codes[t].h
		for number, set := range f.threads[t].to {
			if in := &h.p.code[h.pcs[number]]; set == f.sets.one(addr) {
				if _, ok := h.p.increment(in); ok {
					return in.size
				}
			}
		}
	}
	return 8
}

// values returns what thread t, in state s, may read of the counter at addr: all values if there are many.
func (c *counter) values(v *valueSets, t int32, s *foreState, addr uint64) valueSet {
	sum := uint64(0)
	for u, n := range c.sums {
		if int32(u) != t {
			sum += n
		}
	}
	for _, w := range s.mem {
		if w.addr == addr {
			sum += w.sum
		}
	}
	if sum/c.step >= maxValues || c.init+sum > arith.Mask(8*c.size) || c.init+sum < sum {
		return allValues
	}
	var list []Place
	for n := uint64(0); n <= sum; n += c.step {
		list = append(list, At(c.init+n))
	}
	return v.of(list)
}

// count makes the forecast again with what it says of counters, unless a thread then takes too many steps.
func (f *Forecast) count() {
	f.counters = f.findCounters()
	if len(f.counters) == 0 {
		return
	}
	before, blocks := f.threads, f.blocks
	f.begin()
	f.settle()
	if slices.ContainsFunc(f.threads, func(th foreseen) bool { return th.all }) {
		f.threads, f.blocks = before, blocks
		clear(f.counters)
	}
}
