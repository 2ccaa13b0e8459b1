package states

import (
	"cmp"
	"slices"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
)

// leakable is an object of the heap that is still allocated when the program has ended.
type leakable struct {
	base    event.Addr
	size    uint64
	reached bool
}

// leaks looks for heap objects that are still there when the program has ended, by a call of exit or not. It warns of the first that anything finds. With
// Options.LeakCheck it returns an error if no pointer leads to one: from a static variable or a thread-local one of main, or from an object that
// pointers lead to. After a call of exit, variables of functions that have not returned could be what points to it: then it is not known.
func (w *worker) leaks(exit bool) *fault {
	if w.prog.Managed() || w.leaked.Load() && !w.opts.LeakCheck {
		return nil
	}
	var objs []leakable
	n := int32(w.pageCount())
	for leaf := w.pageBase; leaf < w.pageBase+n; leaf++ {
		if id, p := w.leaf(leaf), w.pageAt(leaf); id != 0 && p.heap {
			if head := getWord(w.pages.words(id), heapHead); head&objLive != 0 && head&objStack == 0 {
				objs = append(objs, leakable{base: event.Addr(p.key << pageBits), size: head >> objShift})
			}
		}
	}
	if objs == nil {
		return nil
	}
	slices.SortFunc(objs, func(a, b leakable) int { return cmp.Compare(a.base, b.base) })
	if !w.leaked.Swap(true) {
		w.unfreed(objs[0].base)
	}
	if !w.opts.LeakCheck {
		return nil
	}
	if exit {
		w.exits.Store(true)
		return nil
	}
	return w.lost(objs)
}

// unfreed warns of the heap object at base.
func (w *worker) unfreed(base event.Addr) {
	text := "memory is allocated that is not freed in some execution"
	w.mu.Lock()
	defer w.mu.Unlock()
	if pos := w.placeOf(base); pos != ir.NoPos {
		text = engine.NotFreed(w.namer.Location(pos))
	}
	w.warnings = append(w.warnings, text)
}

// placeOf returns where the heap object at base is allocated, NoPos if in several places.
func (w *worker) placeOf(base event.Addr) ir.Pos {
	if pos, ok := w.allocs.Load(base); ok {
		return pos.(ir.Pos)
	}
	return ir.NoPos
}

// lost returns an error if no pointer leads to one of the objects.
func (w *worker) lost(objs []leakable) *fault {
	var work []int
	reach := func(words []uint64) {
		for k := range 2 * len(words) { // a word may be two pointers of 32 bits
			a := w.prog.Pointer(words[k/2] >> (32 * (k % 2)))
			i, found := slices.BinarySearchFunc(objs, a, func(o leakable, a event.Addr) int { return cmp.Compare(o.base, a) })
			if !found {
				i--
			}
			if i >= 0 && uint64(a-objs[i].base) <= objs[i].size && !objs[i].reached {
				objs[i].reached = true
				work = append(work, i)
			}
		}
	}
	pages := func(f func(p page, words []uint64)) {
		n := int32(w.pageCount())
		for leaf := w.pageBase; leaf < w.pageBase+n; leaf++ {
			if id := w.leaf(leaf); id != 0 {
				f(w.pageAt(leaf), w.pages.words(id))
			}
		}
	}
	pages(func(p page, words []uint64) {
		if a := event.Addr(p.key << pageBits); !p.heap && a.Owner() <= 1 {
			reach(words)
		}
	})
	for len(work) > 0 {
		o := objs[work[len(work)-1]]
		work = work[:len(work)-1]
		pages(func(p page, words []uint64) {
			if p.heap && p.key >= pageKey(o.base) && p.key <= pageKey(o.base+event.Addr(o.size)) && len(words) > heapData {
				reach(words[heapData:])
			}
		})
	}
	for _, o := range objs {
		if !o.reached {
			return &fault{
				engine.Leak(),
				w.placeOf(o.base), int32(o.base.Owner()) - 1,
				[]about{{o.base, allocated}},
			}
		}
	}
	return nil
}
