package states

import (
	"ravel/internal/event"
	"ravel/internal/machine"
)

// An entry is what a thread has done that memory does not know of yet.
type entry struct {
	addr event.Addr
	size uint8
	kind entryKind
	late bool // rmo: it was issued past a deferred instruction, and there are older reads
	val  event.Value
}

type entryKind uint8

const (
	write   entryKind = iota
	read              // lmo: a load whose thread has not got the value
	barrier           // pso: writes after it wait for those before it
	owed              // rmo: a write whose value is to come
)

// overlaps reports whether two accesses have bytes in common.
func (e *entry) overlaps(a event.Addr, size uint8) bool {
	return e.kind != barrier && e.addr < a+event.Addr(size) && a < e.addr+event.Addr(e.size)
}

// In a chunk an entry is its address, size and kind in one word, and its value in one or two.
const (
	entrySize = 48
	entryKnd  = 56
	entryLate = 60
)

// decoded is a buffer that a worker has decoded.
type decoded struct {
	id   uint32
	list []entry
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
		d.id, d.list = id, w.decode(id, d.list[:0])
	}
	return d.list
}

// without returns list without its ith entry.
func (w *worker) without(list []entry, i int) []entry {
	w.entries = append(append(w.entries[:0], list[:i]...), list[i+1:]...)
	return w.entries
}

// decode appends the entries of a buffer to list.
func (w *worker) decode(id uint32, list []entry) []entry {
	for words := w.buffers.words(id); len(words) > 0; {
		x := words[0]
		e := entry{addr: event.Addr(x & (1<<entrySize - 1)), size: uint8(x >> entrySize), kind: entryKind(x >> entryKnd & 15), late: x>>entryLate != 0}
		words = words[1:]
		if e.kind == write {
			e.val.Lo = words[0]
			words = words[1:]
			if e.size == 16 {
				e.val.Hi = words[0]
				words = words[1:]
			}
		}
		list = append(list, e)
	}
	return list
}

// setBuffer makes list the buffer of thread t. Barriers that nothing is before, or that nothing separates, go.
func (w *worker) setBuffer(t int32, list []entry) {
	words := w.entryWords[:0]
	last := barrier
	reads := false
	for _, e := range list {
		if e.kind == barrier && last == barrier {
			continue
		}
		last = e.kind
		x := uint64(e.addr) | uint64(e.size)<<entrySize | uint64(e.kind)<<entryKnd
		if e.late && reads {
			x |= 1 << entryLate
		}
		reads = reads || e.kind == read
		words = append(words, x)
		if e.kind == write {
			words = append(words, e.val.Lo)
			if e.size == 16 {
				words = append(words, e.val.Hi)
			}
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
		switch list[i].kind {
		case read:
			reads++
		case write, owed:
			writes++
		}
	}
	return reads, writes
}

// mayLeave reports whether the ith entry of a buffer may be performed.
func (w *worker) mayLeave(list []entry, i int) bool {
	if k := list[i].kind; k == barrier || k == owed {
		return false
	}
	if w.model == TSO {
		return i == 0
	}
	for k := range list[:i] {
		if list[k].kind == barrier || list[k].overlaps(list[i].addr, list[i].size) {
			return false
		}
	}
	return true
}

// leave performs the ith entry of the buffer of t.
func (w *worker) leave(t int32, i int) bool {
	list := w.buffer(t)
	e := list[i]
	reads, writes := count(list[:i])
	w.overtakes(reads, writes, e.kind == write, e.late)
	if e.kind == read {
		return w.arrives(t, i)
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

// overtakes notes that an access is performed before older ones of its thread. A late one, before a read: under lmo
// its thread would have waited.
func (w *worker) overtakes(reads, writes int, isWrite, late bool) {
	switch {
	case reads > 0 && late:
		w.cost = max(w.cost, RMO)
	case reads > 0:
		w.cost = max(w.cost, LMO)
	case writes > 0 && isWrite:
		w.cost = max(w.cost, PSO)
	case writes > 0:
		w.cost = max(w.cost, TSO)
	}
}

// forward looks for the value of a load in the thread's own buffer. It may have to wait until what it finds is in memory.
func forward(list []entry, a event.Addr, size uint8) (v event.Value, found, wait bool) {
	for i := len(list) - 1; i >= 0; i-- {
		e := &list[i]
		if !e.overlaps(a, size) {
			continue
		}
		if e.kind != write || a < e.addr || a+event.Addr(size) > e.addr+event.Addr(e.size) {
			return v, false, true
		}
		off := uint(a - e.addr)
		v = e.val
		if off >= 8 {
			v = event.Value{Lo: v.Hi}
			off -= 8
		}
		v.Lo >>= 8 * off
		return v.Mask(size), true, false
	}
	return v, false, false
}

// fenceWaits reports whether a fence has to wait for the buffer.
func (w *worker) fenceWaits(mode event.Mode, list []entry) bool {
	if len(list) == 0 {
		return false
	}
	switch w.model {
	case TSO, PSO:
		return mode == event.SC
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
	if w.model < LMO || mode > event.Rlx {
		return true
	}
	for i := range list {
		if list[i].overlaps(act.Addr, act.Size) {
			return true
		}
	}
	return false
}

// storeWaits reports whether a store has to wait for the buffer because of its mode, and whether it is
// performed at once then.
func (w *worker) storeWaits(act *machine.Action, list []entry) (waits, direct bool) {
	if w.opts.Raw || w.model == SC {
		return false, false
	}
	switch {
	case act.Mode == event.SC:
		return len(list) > 0, true
	case act.Mode.IsRel() && w.model >= LMO:
		return len(list) > 0, false
	}
	return false, false
}
