package states

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// The machine gives every object of a thread an address of its own, so a loop that allocates and frees, or that calls a function with
// a variable in memory, would never come back to a state. When the last objects of a thread are freed and nothing in the
// state points to them, they are forgotten and their addresses are used again. Nobody can tell.

// reclaim forgets the last objects of thread t that are freed, as far as nothing points to them.
func (w *worker) reclaim(t int32) {
	id := w.leaf(localLeaf(t))
	if id == 0 {
		return
	}
	words := w.locals.words(id)
	if words[localMeta]&ended != 0 {
		return
	}
	top := localHeader + int(words[localMeta]>>32&0xffff)
	slot := machine.Slot(words[top:])
	next := slot
	for next > 0 {
		head, base := w.object(event.MakeAddr(int(t)+1, next-1))
		size := head >> objShift
		if head&objFreed == 0 || base.Slot()+event.Slots(size) != next || w.pointsTo(base, event.Slots(size)) {
			break
		}
		w.set(w.pageLeaf(base), 0)
		next = base.Slot()
	}
	if next == slot {
		return
	}
	w.local = append(w.local[:0], words...)
	machine.SetSlot(w.local[top:], next)
	l := w.locals.at(id).local
	to := w.locals.intern(w.local, func() *local {
		return &local{act: l.act, pos: l.pos, thread: l.thread, creates: l.creates, loads: l.loads, waits: l.waits, lock: l.lock, whole: l.whole, owes: l.owes, late: l.late, cells: l.cells}
	})
	w.edges.add(uint64(id)<<32 | uint64(to))
	w.set(localLeaf(t), to)
}

// pointsTo reports whether a word of the state may be a pointer into the object at base.
func (w *worker) pointsTo(base event.Addr, slots int) bool {
	into := func(words []uint64) bool {
		return slices.ContainsFunc(words, func(x uint64) bool {
			a := event.Addr(x&(1<<47-1)) - base // upper bits may be tags
			return a < event.Addr(slots)*event.SlotSize
		})
	}
	for t := range int32(w.threads) {
		if id := w.leaf(bufferLeaf(t)); id != 0 && into(w.buffers.words(id)) {
			return true
		}
		id := w.leaf(localLeaf(t))
		if id == 0 {
			continue
		}
		words := w.locals.words(id)
		if words[localMeta]&ended != 0 {
			if into(words[1:]) {
				return true
			}
			continue
		}
		waits := int(words[localMeta] >> 32 & 0xffff)
		top := words[localHeader+waits:]
		if into(words[localAddr:localHeader+waits]) || into(top[2:]) {
			return true
		}
		for up := uint32(top[0] >> 32); up != 0; {
			frame := w.frames.words(up)
			if into(frame[2:]) {
				return true
			}
			up = uint32(frame[0] >> 32)
		}
	}
	own := w.pageLeaf(base)
	n := int32(w.pageCount())
	for leaf := w.pageBase; leaf < w.pageBase+n; leaf++ {
		if id := w.leaf(leaf); id != 0 && leaf != own && into(w.pages.words(id)) {
			return true
		}
	}
	return false
}

func (r *run) pageCount() int {
	r.pageMu.RLock()
	defer r.pageMu.RUnlock()
	return len(r.pageList)
}
