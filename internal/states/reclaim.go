package states

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// The machine gives every object of a thread the slot after the last one, so a loop that allocates and frees, or that calls a function with
// a variable in memory, would never come back to a state. So objects that are freed and that nothing in the state points to are forgotten, and
// the next object of a thread gets its first slot that is free. No thread can see a difference.
//
// An object that takes several slots must not meet others: a program that has any gets back only the last slots of a thread.

// reclaim forgets the objects of thread t that are freed and that nothing points to, and chooses the slot of its next one.
func (w *worker) reclaim(t int32) {
	id := w.leaf(localLeaf(t))
	if id == 0 {
		return
	}
	words := w.locals.words(id)
	if words[localMeta]&ended != 0 {
		return
	}
	l := w.locals.at(id).local
	top := localHeader + int(words[localMeta]>>32&0xffff)
	slot := machine.Slot(words[top:])
	var next int
	if w.largest.Load() > 0 {
		next = w.dropLast(t, slot)
	} else {
		next = w.firstFree(t, l)
	}
	if next == slot {
		return
	}
	w.local = append(w.local[:0], words...)
	machine.SetSlot(w.local[top:], next)
	to := w.locals.intern(w.local, func() *local {
		return l.like(t)
	})
	w.edges.add(uint64(id)<<32 | uint64(to))
	w.set(localLeaf(t), to)
}

// firstFree forgets all objects of t that can be, and returns the first slot that is free.
func (w *worker) firstFree(t int32, l *local) int {
	first := -1
	for slot := w.space.Place(0, 1); ; slot = w.space.Place(slot+1, 1) {
		base := w.space.Make(int(t)+1, slot)
		leaf := w.slotLeaf(t, slot)
		if leaf >= 0 && w.leaf(leaf) != 0 {
			if head := getWord(w.pages.words(w.leaf(leaf)), heapHead); head&objFreed == 0 || w.pointsTo(base, 1) {
				continue
			}
			w.set(leaf, 0)
		}
		coming := l.act.Kind == machine.Alloc && l.act.Addr == base
		if first < 0 && !coming {
			first = slot
		}
		if leaf < 0 && !coming { // nor was there ever an object in what follows
			return first
		}
	}
}

// slotLeaf returns the leaf of the first page of a slot of t, -1 if it has none. It remembers those it has found.
func (w *worker) slotLeaf(t int32, slot int) int32 {
	if w.slots == nil {
		w.slots = make([][]int32, w.threads)
	}
	if slot < len(w.slots[t]) && w.slots[t][slot] >= 0 {
		return w.slots[t][slot]
	}
	leaf := w.pageLeaf(w.space.Make(int(t)+1, slot))
	if leaf >= 0 {
		for slot >= len(w.slots[t]) {
			w.slots[t] = append(w.slots[t], -1)
		}
		w.slots[t][slot] = leaf
	}
	return leaf
}

// dropLast forgets the last objects of t, as far as they can be, and returns the slot after the rest.
func (w *worker) dropLast(t int32, next int) int {
	for next > 0 {
		head, base := w.object(w.space.Make(int(t)+1, next-1))
		size := head >> objShift
		if head&objFreed == 0 || base.Slot()+w.space.Slots(size) != next || w.pointsTo(base, w.space.Slots(size)) {
			break
		}
		w.set(w.pageLeaf(base), 0)
		next = base.Slot()
	}
	return next
}

// pointsTo reports whether a word of the state may be a pointer into the object at base.
func (w *worker) pointsTo(base event.Addr, slots int) bool {
	into := func(words []uint64) bool {
		return slices.ContainsFunc(words, func(x uint64) bool {
			end := event.Addr(slots) * event.Addr(w.space.SlotSize())
			// Upper bits may be tags, or another pointer of 32 bits. A program may keep the complement of an address, or its negative.
			return w.prog.Pointer(x)-base < end || w.prog.Pointer(^x)-base < end || w.prog.Pointer(-x)-base < end || w.space == event.Narrow && w.prog.Pointer(x>>32)-base < end
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
