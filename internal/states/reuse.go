package states

import (
	"ravel/internal/event"
)

// An allocation may return a block that was freed, as long as something in the state points to the old object: otherwise no thread can see a difference, and reclaim has
// forgotten it or will. It then is a move with a choice. Which block another thread frees meanwhile does not matter: an allocation
// that comes without a choice is part of the move before (goOn), so that it sees the blocks whose deallocation happens before it, and maybe more. C lets
// an allocator return any of them: to free a block synchronises with the allocation that returns it.

// reusable calls f with the leaves of the freed blocks that the allocation of l may return, until f returns false.
func (w *worker) reusable(l *local, f func(leaf int32) bool) {
	if l.act.Stack || w.opts.NoReuse || !w.freesHeap.Load() {
		return
	}
	n := int32(w.pageCount())
	for leaf := w.pageBase; leaf < w.pageBase+n; leaf++ {
		if head, base, ok := w.freedBlock(leaf); ok && event.SameClass(l.act.Val.Lo, head>>objShift) && (l.act.N <= 1 || uint64(base)%uint64(l.act.N) == 0) &&
			w.pointsTo(base, w.space.Slots(head>>objShift)) && !f(leaf) {
			return
		}
	}
}

// freedBlock returns the head and the address of the freed block of the heap whose first page has the leaf; false if there is none.
func (w *worker) freedBlock(leaf int32) (head uint64, base event.Addr, ok bool) {
	id := w.leaf(leaf)
	if id == 0 {
		return 0, 0, false
	}
	p := w.pageAt(leaf)
	if !p.heap {
		return 0, 0, false
	}
	head = getWord(w.pages.words(id), heapHead)
	return head, event.Addr(p.key << pageBits), head&objFreed != 0 && head&objStack == 0
}

// allocAgain performs the allocation of l, which is at id, with the block whose first page has the leaf.
func (w *worker) allocAgain(leaf int32, id uint32, l *local) bool {
	act := &l.act
	_, base, ok := w.freedBlock(leaf)
	if !ok {
		return false
	}
	w.notePlace(base, l)
	w.setPage(leaf, []uint64{0, objectHead(act)})
	v := event.Value{Lo: uint64(base)}
	w.record(l, v)
	ok = w.arrive(l.thread, w.resume(id, opResume, v))
	w.reclaim(l.thread)
	return ok
}
