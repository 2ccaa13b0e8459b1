package states

import (
	"ravel/internal/event"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// Under rmo an instruction that depends on a load in the buffer is itself deferred (thesis, §6.3.1), so its thread goes on past it. A store of
// such a value is in the buffer without it. Such stores have no names either: the ith of them is the ith that the thread owes (machine.Waits).
// An address, a branch, an argument of a call and the operands of a read-modify-write are waited for, as under lmo.

// The first of the words of a machine.Waits, under rmo: how many of each.
const (
	waitsOwed     = 16
	waitsDeferred = 32
	waitsAct      = 48
)

// encodeWaits appends the words of v to buf.
func (w *worker) encodeWaits(v *machine.Waits, buf []uint64) []uint64 {
	if w.model >= RMO && len(v.Regs)+len(v.Owed)+v.Act+1 > 0 {
		buf = append(buf, uint64(len(v.Regs))|uint64(len(v.Owed))<<waitsOwed|uint64(len(v.Deferred))<<waitsDeferred|uint64(v.Act+1)<<waitsAct)
	}
	for _, p := range v.Regs {
		buf = append(buf, uint64(p.Depth)<<32|uint64(p.Reg)<<16|uint64(p.Value))
	}
	for _, x := range v.Owed {
		buf = append(buf, uint64(x))
	}
	for i := range v.Deferred {
		buf = v.Deferred[i].Encode(buf)
	}
	return buf
}

// decodeWaits makes v that of a local.
func (w *worker) decodeWaits(local []uint64, v *machine.Waits) {
	words := local[localHeader : localHeader+int(local[localMeta]>>32&0xffff)]
	v.Regs, v.Owed, v.Deferred, v.Act = v.Regs[:0], v.Owed[:0], v.Deferred[:0], -1
	regs, owed := len(words), 0
	if w.model >= RMO && len(words) > 0 {
		head := words[0]
		words = words[1:]
		regs, owed, v.Act = int(head&0xffff), int(head>>waitsOwed&0xffff), int(head>>waitsAct)-1
	}
	for _, x := range words[:regs] {
		v.Regs = append(v.Regs, machine.Pending{Depth: uint16(x >> 32), Reg: uint16(x >> 16), Value: uint8(x)})
	}
	for _, x := range words[regs : regs+owed] {
		v.Owed = append(v.Owed, uint8(x))
	}
	for words = words[regs+owed:]; len(words) > 0; words = words[machine.DeferredWords:] {
		v.Deferred = append(v.Deferred, machine.DecodeDeferred(words))
	}
}

// encodeFills returns the number of the chunk of fills, for fillStores.
func (w *worker) encodeFills(fills []machine.Fill) uint32 {
	if len(fills) == 0 {
		return 0
	}
	words := w.entryWords[:0]
	for _, f := range fills {
		words = append(words, uint64(f.Store), f.Value)
	}
	w.entryWords = words
	return w.buffers.intern(words, nil)
}

// fillStores gives stores in the buffer of t their values.
func (w *worker) fillStores(t int32, fill uint32) {
	list := append(w.entries[:0], w.buffer(t)...)
	w.entries = list
	words := w.buffers.words(fill)
	k, still := uint64(0), 0
	for i := range list {
		if list[i].kind != owed {
			continue
		}
		if len(words) > 0 && words[0] == k {
			list[i].kind, list[i].val = write, event.Value{Lo: words[1]}
			words = words[2:]
			if w.rec != nil {
				w.rec.fill(t, still, list[i].val)
			}
		} else {
			still++
		}
		k++
	}
	w.setBuffer(t, list)
}

// owedAt returns which of the owed stores a load reads, -1 if none.
func owedAt(list []entry, a event.Addr, size uint8) int {
	k, at := -1, -1
	for i := range list {
		e := &list[i]
		if e.kind == owed {
			k++
		}
		if e.overlaps(a, size) {
			at = -1
			if e.kind == owed && e.addr == a && e.size == size {
				at = k
			}
		}
	}
	return at
}

// aliasLoad lets the load that l is at read the kth of the owed stores.
func (w *worker) aliasLoad(id uint32, l *local, list []entry, k int) bool {
	reads, writes := count(list)
	w.overtakes(reads, writes, false, true)
	w.record(l, event.Value{})
	return w.arrive(l.thread, w.resume(id, opAlias+uint32(k), event.Value{}))
}

// isBuffered reports whether what l accesses is in the buffer of its thread.
func (w *worker) isBuffered(l *local) bool {
	for _, e := range w.buffer(l.thread) {
		if e.overlaps(l.act.Addr, l.act.Size) {
			return true
		}
	}
	return false
}

// fill notes the value of the number'th write of t that has none. The reads that have read it have it too.
func (c *recorder) fill(t int32, number int, v event.Value) {
	for _, r := range c.waiting[t] {
		x := c.at(r)
		if !x.owed {
			continue
		}
		if number > 0 {
			number--
			continue
		}
		x.owed, x.val = false, v
		for i := range c.events[t] {
			if y := &c.events[t][i]; y.kind == report.Read && y.from != nil && *y.from == r {
				y.val = v
			}
		}
		return
	}
}
