package states

import (
	"ravel/internal/arch"
	"ravel/internal/event"
	"ravel/internal/machine"
)

// An entry is what a thread has done that memory does not know of yet.
type entry struct {
	addr         event.Addr // where it lacks its address: the ir.Pos of the access
	size         uint8
	kind         entryKind
	pastDeferred bool  // rmo: it was issued past a deferred instruction, and there are older reads
	plain        bool  // it is not atomic, and no younger one that is has left the buffer: others can't see it yet (plain.go)
	missing      uint8 // rmo: bit i: part i of it is to come (machine.Missing)
	val          event.Value
	exp          uint64 // rmw: what a CAS expects
	op           rmwOp  // rmw
}

type entryKind uint8

const (
	write   entryKind = iota
	read              // lmo: a load whose thread has not got the value
	rmw               // rmo: a read-modify-write
	barrier           // pso: writes after it wait for those before it. From here on, no accesses
	guess             // rmo: an access that was performed before the address of an older one was known (guess.go); val.Lo is its size
	branch            // rmo: a branch that was guessed (guess.go); val.Lo is which way
)

const missingAddr = 1 << machine.PartAddr

// overlaps reports whether an entry has bytes in common with an access. It does not where its address is to come, or it is in memory.
func (e *entry) overlaps(a event.Addr, size uint8) bool {
	return e.kind < barrier && e.missing&missingAddr == 0 && e.addr < a+event.Addr(size) && a < e.addr+event.Addr(e.size)
}

// covers reports whether an entry is a write whose value a load gets all its bytes from.
func (e *entry) covers(a event.Addr, size uint8) bool {
	return e.kind == write && e.missing == 0 && a >= e.addr && a+event.Addr(size) <= e.addr+event.Addr(e.size)
}

// reads and writes report whether an entry is something that a fence may wait for.
func (e *entry) reads() bool  { return e.kind == read || e.kind == rmw }
func (e *entry) writes() bool { return e.kind == write || e.kind == rmw }

// In a chunk an entry is its address, size, kind and flags in one word, and its value in one or two. A read-modify-write has one more for what it expects
// and one for what it does.
const (
	entrySize         = 48
	entryPastDeferred = 53
	entryPlain        = 54
	entryHi           = 55 // a word follows with val.Hi
	entryKnd          = 56
	entryMissing      = 60
)

// decoded is a buffer that a worker has decoded.
type decoded struct {
	id        uint32
	list      []entry
	footprint footprint // nil if it was not asked for
}

const decodedBits = 8

// buffer returns the buffer of thread t, oldest entry first. It is valid until the next call, and not to be changed: to append is fine.
func (w *worker) buffer(t int32) []entry {
	id := w.leaf(bufferLeaf(t))
	if id == 0 {
		return nil
	}
	d := &w.decoded[mix(uint64(id))>>(64-decodedBits)]
	if d.id != id {
		d.id, d.list, d.footprint = id, w.decode(id, d.list[:0]), nil
	}
	return d.list
}

// bufferFootprint returns the footprint of the buffer of t, which is not empty: the accesses of all entries, and the conflicts of those that may leave next.
func (w *worker) bufferFootprint(t int32) footprint {
	list := w.buffer(t)
	id := w.leaf(bufferLeaf(t))
	d := &w.decoded[mix(uint64(id))>>(64-decodedBits)]
	if d.footprint != nil {
		return d.footprint
	}
	if known, ok := w.footprints.Load(id); ok {
		d.footprint = known.(footprint)
		return d.footprint
	}
	d.footprint = footprint{}
	for i := range list {
		e := &list[i]
		if e.kind >= barrier || e.missing&missingAddr != 0 {
			continue
		}
		a := machine.Action{Kind: machine.Store, Addr: e.addr, Size: e.size, Mode: event.Rlx}
		if e.kind == read {
			a.Kind = machine.Load
		}
		for _, x := range w.footprintOf(&a) {
			if e.plain || !w.mayLeave(list, i) {
				x.bits[conflicts] = 0
			}
			d.footprint = append(d.footprint, x)
		}
	}
	w.footprints.Store(id, d.footprint)
	return d.footprint
}

// without returns list without its ith entry, which was performed. It may leave a guess.
func (w *worker) without(list []entry, i int) []entry {
	rest := append(w.entries[:0], list[:i]...)
	if !list[i].plain {
		for k := range rest {
			rest[k].plain = false
		}
	}
	if isOpen(rest) {
		rest = append(rest, guessOf(list[i].addr, uint64(list[i].size)))
	}
	w.entries = append(rest, list[i+1:]...)
	return w.entries
}

// decode appends the entries of a buffer to list.
func (w *worker) decode(id uint32, list []entry) []entry {
	for words := w.buffers.words(id); len(words) > 0; {
		x := words[0]
		e := entry{
			addr: event.Addr(x & (1<<entrySize - 1)), size: uint8(x >> entrySize & 31), kind: entryKind(x >> entryKnd & 15),
			pastDeferred: x>>entryPastDeferred&1 != 0, plain: x>>entryPlain&1 != 0, missing: uint8(x >> entryMissing),
		}
		words = words[1:]
		if e.kind != read && e.kind != barrier {
			e.val.Lo = words[0]
			words = words[1:]
		}
		if x>>entryHi&1 != 0 {
			e.val.Hi = words[0]
			words = words[1:]
		}
		if e.kind == rmw {
			e.exp, e.op = words[0], rmwOp(words[1])
			words = words[2:]
		}
		list = append(list, e)
	}
	return list
}

// setBuffer makes list the buffer of thread t. Barriers that nothing is before, or that nothing separates, go, and so do guesses that are about no entry
// and branches that went as was guessed.
func (w *worker) setBuffer(t int32, list []entry) {
	words := w.entryWords[:0]
	last := barrier
	reads, open := false, false
	for i, e := range list {
		if e.kind == barrier && last == barrier || e.kind == guess && (!open || hasGuess(list[i+1:], e)) || e.kind == branch && e.missing == 0 {
			continue
		}
		last = e.kind
		x := uint64(e.addr) | uint64(e.size)<<entrySize | uint64(e.kind)<<entryKnd | uint64(e.missing)<<entryMissing
		if e.pastDeferred && reads {
			x |= 1 << entryPastDeferred
		}
		if e.plain {
			x |= 1 << entryPlain
		}
		reads = reads || e.reads()
		open = open || e.missing&missingAddr != 0
		at := len(words)
		words = append(words, x)
		if e.kind != read && e.kind != barrier {
			words = append(words, e.val.Lo)
		}
		if e.val.Hi != 0 {
			words[at] |= 1 << entryHi
			words = append(words, e.val.Hi)
		}
		if e.kind == rmw {
			words = append(words, e.exp, uint64(e.op))
		}
	}
	w.entryWords = words
	id := uint32(0)
	if len(words) > 0 {
		id = w.buffers.intern(words, nil)
	}
	w.set(bufferLeaf(t), id)
}

// count returns how many reads and writes there are.
func count(list []entry) (reads, writes int) {
	for i := range list {
		if list[i].reads() {
			reads++
		}
		if list[i].writes() {
			writes++
		}
	}
	return reads, writes
}

// mayLeave reports whether the ith entry of a buffer may be performed.
func (w *worker) mayLeave(list []entry, i int) bool {
	e := &list[i]
	if e.kind >= barrier || e.missing != 0 {
		return false
	}
	if w.model == TSO {
		return i == 0
	}
	for k := i - 1; k >= 0; k-- {
		o := &list[k]
		if o.kind == barrier || o.kind == branch && e.writes() {
			return false
		}
		if o.overlaps(e.addr, e.size) {
			return e.kind == read && o.covers(e.addr, e.size) // it may have been issued past an address that was not known
		}
	}
	return true
}

// leave performs the ith entry of the buffer of t.
func (w *worker) leave(t int32, i int) bool {
	list := w.buffer(t)
	e := list[i]
	w.overtakes(list[:i], e.writes(), e.pastDeferred)
	switch e.kind {
	case read:
		return w.arrives(t, i)
	case rmw:
		return w.leaveRMW(t, i)
	}
	if w.rec != nil {
		w.rec.left(t, &e)
	}
	if !w.put(w.pageLeaf(e.addr), e.addr, e.size, e.val) {
		return false
	}
	w.setBuffer(t, w.without(list, i))
	return true
}

// overtakes notes that an access is performed before older ones of its thread. One that was issued past a deferred
// instruction, before a read: under lmo its thread would have waited. So it would for a read-modify-write, and for an address.
func (w *worker) overtakes(older []entry, isWrite, pastDeferred bool) {
	reads, writes := count(older)
	for i := range older {
		pastDeferred = pastDeferred || older[i].kind == rmw || older[i].kind == branch || older[i].missing&missingAddr != 0
	}
	switch {
	case reads > 0 && pastDeferred, isOpen(older):
		w.cost = max(w.cost, RMO)
	case reads > 0:
		w.cost = max(w.cost, LMO)
	case writes > 0 && isWrite:
		w.cost = max(w.cost, PSO)
	case writes > 0:
		w.cost = max(w.cost, TSO)
	}
}

// source returns the newest entry that overlaps a load, -1 if there is none; open if a newer one may, as its address is to come.
func source(list []entry, a event.Addr, size uint8) (at int, open bool) {
	for at = len(list) - 1; at >= 0 && !list[at].overlaps(a, size); at-- {
		open = open || list[at].missing&missingAddr != 0
	}
	return at, open
}

// part returns the size bytes at a of the value of a write.
func (e *entry) part(a event.Addr, size uint8) event.Value {
	off := uint(a - e.addr)
	v := e.val
	if e.size == 16 && size < 16 {
		if off >= 8 {
			v.Lo = v.Hi
			off -= 8
		}
		v.Hi = 0
	}
	v.Lo >>= 8 * off
	v.Hi >>= 8 * off
	return v.Mask(size)
}

// fenceWaits reports whether a fence has to wait for the buffer.
func (w *worker) fenceWaits(mode event.Mode, list []entry) bool {
	if len(list) == 0 {
		return false
	}
	switch w.model {
	case TSO, PSO:
		return x86.Fence[mode] == event.MFENCE
	case LMO, RMO:
		reads, writes := count(list)
		switch mode {
		case event.Acq:
			return reads > 0
		case event.Rel:
			return writes > 0
		}
		return mode >= event.AcqRel
	}
	return false
}

// rmwWaits reports whether a read-modify-write has to wait for the buffer.
func (w *worker) rmwWaits(act *machine.Action, mode event.Mode, list []entry) bool {
	if len(list) == 0 {
		return false
	}
	switch {
	case mode > event.Rlx || w.model < PSO:
		return true
	case w.model == PSO && (!w.opts.RelaxedRMW || w.bypasses):
		return true // it would pass for free if it bypassed the buffer, but under tso it does not
	}
	for i := range list {
		if list[i].kind == barrier || list[i].kind == branch || list[i].overlaps(act.Addr, act.Size) {
			return true
		}
	}
	return false
}

// storeWaits reports whether a store has to wait for the buffer because of its mode, and whether it is
// performed at once then.
func (w *worker) storeWaits(act *machine.Action, list []entry) (waits, direct bool) {
	switch {
	case w.model == SC:
		return false, true
	case w.opts.Raw:
	case w.model >= LMO:
		return act.Mode.IsRel() && len(list) > 0, act.Mode == event.SC
	case x86.Store[act.Mode].After == event.MFENCE:
		return len(list) > 0, true
	}
	return false, false
}

// x86 is how C11 is compiled for tso and pso. A full fence after a store waits for what is in the buffer before it.
var x86 = arch.Of(arch.X86_64).C11

// barrierBefore reports whether a store barrier comes before a store in the mode, or is what a fence in it becomes.
func (w *worker) barrierBefore(mode event.Mode, fence bool) bool {
	if w.model != PSO {
		return false
	}
	if fence {
		return x86.Fence[mode] == event.SFENCE
	}
	return !w.opts.Raw && x86.Store[mode].Before == event.SFENCE
}
