package states

import (
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// Partial-order reduction: a thread that has moved goes on as long as what it does commutes with all that others do from then on. Above all that is
// so where nobody else who can still move accesses what it accesses. Who does is found out on the way: before a thread takes memory for its
// own, it claims it, and so does everybody else who comes to access it. A claim that proves such a decision wrong has the exploration begin
// again, with all claims so far; in the last exploration there is none.
//
// Claims are made by agents. An agent is a thread between two of its creations of others: what main has done before it
// created a thread is no concern of that thread. A thread that is alone, before it creates others or after they were joined, claims
// nothing: so what main looks at in the end is not shared by that.

// A cell says which agents access four bytes of memory: bits, as agents has them.
type cell struct {
	readers, writers atomic.Uint64
	relied           atomic.Uint64 // those that were let go on because no other accesses it
}

const cellBytes = 4

// A claim is an access of memory by an agent.
type claim struct {
	bit    uint64
	writes bool
	cells  []*cell
}

// An agentKey is a thread that has created some others.
type agentKey struct{ thread, creates int32 }

// agents gives bits to agents. It is never changed, but replaced.
type agents struct {
	bits map[agentKey]uint64
	of   []uint64   // by thread: all its bits
	past [][]uint64 // by thread and what it has created: the bits of what it was before
}

// anyone is the bit of agents that have none of their own: those beyond the 63rd, and threads that are taken for each other.
const anyone = 1 << 63

// bitOf returns the bit of an agent, and gives it one if it has none.
func (r *run) bitOf(k agentKey) uint64 {
	if r.isTwin(k.thread) {
		return anyone
	}
	if b, ok := r.agents.Load().bits[k]; ok {
		return b
	}
	r.claimMu.Lock()
	defer r.claimMu.Unlock()
	old := r.agents.Load()
	if b, ok := old.bits[k]; ok {
		return b
	}
	if len(old.bits) == 63 {
		return anyone
	}
	r.agents.Store(old.with(k, 1<<len(old.bits)))
	return 1 << len(old.bits)
}

// with returns a with another agent.
func (a *agents) with(k agentKey, bit uint64) *agents {
	next := &agents{bits: map[agentKey]uint64{k: bit}}
	for k, b := range a.bits {
		next.bits[k] = b
	}
	for k, b := range next.bits {
		for int(k.thread) >= len(next.of) {
			next.of, next.past = append(next.of, 0), append(next.past, nil)
		}
		next.of[k.thread] |= b
		past := &next.past[k.thread]
		*past = append(*past, make([]uint64, max(0, int(k.creates)+2-len(*past)))...)
	}
	for k, b := range next.bits {
		past := next.past[k.thread]
		for n := int(k.creates) + 1; n < len(past); n++ {
			past[n] |= b
		}
	}
	return next
}

// ofThread returns the bits of a thread.
func (a *agents) ofThread(t int32) uint64 {
	if int(t) < len(a.of) {
		return a.of[t]
	}
	return 0
}

// before returns the bits of what thread t was before it had created that many.
func (a *agents) before(t, creates int32) uint64 {
	if int(t) >= len(a.past) || len(a.past[t]) == 0 {
		return 0
	}
	return a.past[t][min(int(creates), len(a.past[t])-1)]
}

// claim notes that the thread of l accesses what it accesses.
func (w *worker) claim(l *local) *claim {
	if c := l.claimed.Load(); c != nil {
		return c
	}
	a := &l.act
	if l.issue != nil {
		a = l.issue
	}
	c := &claim{writes: a.Kind != machine.Load}
	if a.Kind <= machine.RMW && l.lacks&lacksAddr == 0 {
		c.bit = w.bitOf(agentKey{l.thread, l.creates})
		// What is on the heap is mostly there to be shared: no need to begin with the contrary.
		heap := false
		if isHeap(a.Addr) {
			head, _ := w.object(a.Addr)
			heap = head&objStack == 0
		}
		w.claimMu.Lock()
		freed := w.freedBy[a.Addr/event.SlotSize]
		w.claimMu.Unlock()
		for at := a.Addr &^ (cellBytes - 1); at < a.Addr+event.Addr(a.Size); at += cellBytes {
			x := w.cellOf(at)
			c.cells = append(c.cells, x)
			if heap {
				x.writers.Or(anyone)
			}
			w.mark(x, c.bit, c.writes)
			if freed != 0 {
				w.mark(x, freed, true)
			}
		}
	}
	l.claimed.Store(c)
	return c
}

// claimFree notes that the thread of l frees the object at base: that is a write of all that is in it.
func (w *worker) claimFree(l *local, base event.Addr, size uint64) {
	if !w.opts.POR || w.alone(l.thread) || l.isFree.Swap(true) {
		return
	}
	bit := w.bitOf(agentKey{l.thread, l.creates})
	w.claimMu.Lock()
	w.freedBy[base/event.SlotSize] |= bit
	w.claimMu.Unlock()
	w.cells.Range(func(k, c any) bool {
		if a := event.Addr(k.(uint64) * cellBytes); a >= base && a-base < event.Addr(size) {
			w.mark(c.(*cell), bit, true)
		}
		return true
	})
}

func (r *run) cellOf(a event.Addr) *cell {
	key := uint64(a) / cellBytes
	if c, ok := r.cells.Load(key); ok {
		return c.(*cell)
	}
	c, _ := r.cells.LoadOrStore(key, new(cell))
	return c.(*cell)
}

// mark enters an agent in a cell. If another has relied on it not to be there, the exploration so far is not complete.
func (r *run) mark(c *cell, bit uint64, writes bool) {
	set, others := &c.readers, &c.writers
	if writes {
		set = &c.writers
	}
	if set.Or(bit)&bit != 0 {
		return
	}
	relied := c.relied.Load()
	if !writes {
		relied &= others.Load()
	}
	if bit != anyone {
		relied &^= bit
	}
	if relied != 0 {
		r.restart()
	}
}

// private reports whether nobody else who can still move accesses what l accesses, in a way that could tell.
func (w *worker) private(l *local) bool {
	c := w.claim(l)
	if c.cells == nil || w.contested(l.thread, c) {
		return false
	}
	for _, x := range c.cells {
		if x.relied.Load()&c.bit == 0 {
			x.relied.Or(c.bit)
		}
	}
	return !w.contested(l.thread, c) // others may have made claims before they could know
}

// contested reports whether threads other than t that can still move may tell when claim c of t is performed.
func (w *worker) contested(t int32, c *claim) bool {
	var by uint64
	for _, x := range c.cells {
		by |= x.writers.Load()
		if c.writes {
			by |= x.readers.Load()
		}
	}
	all := w.agents.Load()
	by &^= all.ofThread(t)
	if by == 0 || by >= anyone {
		return by != 0
	}
	for u := range int32(w.threads) {
		its := by & all.ofThread(u)
		if its == 0 || w.leaf(localLeaf(u)) != 0 && w.hasEnded(u) {
			continue
		}
		if id := w.leaf(localLeaf(u)); id == 0 || its&^all.before(u, w.locals.at(id).local.creates) != 0 {
			return true
		}
	}
	return false
}

// alone reports whether thread t is the only one that can move, until it creates others, and has to be: all others were joined. If they had only ended
// that could be because the exploration has let them go on.
func (w *worker) alone(t int32) bool {
	if w.formula != nil {
		return false // which looks at what it does
	}
	for u := range int32(w.threads) {
		if u == t {
			continue
		}
		if id := w.leaf(localLeaf(u)); id != 0 && !w.locals.at(id).local.joined {
			return false
		}
	}
	return true
}

// maxEager bounds what is merged into one transition: a thread that never comes to a visible action must
// not keep the others from going on.
const maxEager = 1000

// goOn lets thread t do what no other thread can tell from not having done it yet: an allocation, a fence that has nothing to
// wait for and, with POR, whatever is independent of all that others do.
func (w *worker) goOn(t int32) bool {
	for n := 0; ; n++ {
		id := w.leaf(localLeaf(t))
		l := w.locals.at(id).local
		if !w.eager(l) || n == maxEager {
			return true
		}
		w.bypasses = l.isAccess()
		ok := w.do(move{t, act, 0}, id, l)
		w.bypasses = false
		if !ok {
			return w.fault == nil && !w.again.Load() // nothing was changed
		}
	}
}

// eager reports whether what l does, where its thread has arrived, commutes with all that other threads do, now and later. So to explore only
// that first loses nothing. There is no problem of ignoring either, as every stored state is fully expanded.
func (w *worker) eager(l *local) bool {
	switch l.act.Kind {
	case machine.Alloc, machine.Size:
		return true
	case machine.Fence:
		return !w.fenceWaits(l.act.Mode, w.buffer(l.thread))
	case machine.Load, machine.Store, machine.RMW:
		return w.opts.POR && (w.alone(l.thread) || w.private(l)) && !w.isBuffered(l)
	case machine.Create, machine.Join:
		return w.opts.POR
	case waitKind:
		if l.issue != nil && w.opts.POR && !w.alone(l.thread) {
			w.claim(l)
		}
	}
	return false
}

// takeClaims takes over the claims of an earlier exploration. Its threads may have had other numbers: then claims are made that
// need not be, and those that need be are made again.
func (r *run) takeClaims(old *run) {
	if r.agents.Store(&agents{}); old.agents.Load() == nil {
		return
	}
	r.agents.Store(old.agents.Load())
	old.cells.Range(func(k, v any) bool {
		x, c := v.(*cell), new(cell)
		c.readers.Store(x.readers.Load())
		c.writers.Store(x.writers.Load())
		r.cells.Store(k, c)
		return true
	})
}
