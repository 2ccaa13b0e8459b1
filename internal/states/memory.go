package states

import (
	"fmt"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
)

// Memory is a set of pages of 64 bytes, each interned. A page gets a leaf of the states' tree when it is
// first written in any state. Where a leaf is 0 the page is as it was at the beginning: a static object's has its
// initial value, another one's has no object.
//
// A page of a static object is its words and, for each, which bits are undefined, without zeros at the end. A page of an allocated
// object has two more words before them: which of its bytes were written, and, in the first page of the object, its size and flags.
const (
	pageBits  = 6
	pageBytes = 1 << pageBits
	pageWords = pageBytes / 8
)

const (
	heapMask = iota
	heapHead // size<<objShift and flags
	heapData
)

const (
	objLive = 1 << iota
	objFreed
	objStack
	objZeroed
	objFamily = 4 // the first of three bits
	objShift  = 7
)

// A page is what the run knows of a page of memory.
type page struct {
	key  uint64 // address / pageBytes
	heap bool
	init uint32 // the chunk of its initial value, 0 for all zeros
}

func pageKey(a event.Addr) uint64 { return uint64(a) >> pageBits }

// isHeap reports whether a is in an allocated object, on the heap or on a stack, if in any.
func isHeap(a event.Addr) bool { return a.IsAllocated() }

// pageLeaf returns the leaf of the page with a, -1 if it has none because it was never written.
func (r *run) pageLeaf(a event.Addr) int32 {
	r.pageMu.RLock()
	defer r.pageMu.RUnlock()
	if i, ok := r.pageOf[pageKey(a)]; ok {
		return r.pageBase + i
	}
	return -1
}

// newPageLeaf returns the leaf of the page with a, a new one if it has none.
func (w *worker) newPageLeaf(a event.Addr) int32 {
	if i := w.pageLeaf(a); i >= 0 {
		return i
	}
	key := pageKey(a)
	p := page{key: key, heap: isHeap(a)}
	if !p.heap {
		words := w.initialPage(a)
		if len(words) > 0 {
			p.init = w.pages.intern(words, nil)
		}
	}
	w.pageMu.Lock()
	defer w.pageMu.Unlock()
	if i, ok := w.pageOf[key]; ok {
		return w.pageBase + i
	}
	i := int32(len(w.pageList))
	if int(i) >= w.maxPages {
		w.mu.Lock()
		w.morePages = true
		w.mu.Unlock()
		w.again.Store(true)
		w.stop.Store(true)
		return -1
	}
	w.pageList = append(w.pageList, p)
	w.pageOf[key] = i
	return w.pageBase + i
}

// initialPage returns the words that the page with a has at the beginning, trimmed.
func (w *worker) initialPage(a event.Addr) []uint64 {
	base := a &^ (pageBytes - 1)
	words := make([]uint64, pageWords)
	for i := range words {
		words[i] = w.initialWord(base + event.Addr(8*i))
	}
	return trim(words)
}

func (w *worker) initialWord(a event.Addr) (x uint64) {
	g, off := w.prog.Object(a)
	if g == nil {
		return 0
	}
	for i := uint64(0); i < 8 && off+i < uint64(len(g.Init)); i++ {
		x |= uint64(g.Init[off+i]) << (8 * i)
	}
	return x
}

func trim(words []uint64) []uint64 {
	for len(words) > 0 && words[len(words)-1] == 0 {
		words = words[:len(words)-1]
	}
	return words
}

// leafOf returns the leaf of the page that l accesses, -1 if it has none.
func (w *worker) leafOf(l *local) int32 {
	if p := l.page.Load(); p != 0 {
		return p - 1
	}
	i := w.pageLeaf(l.act.Addr)
	if i >= 0 {
		l.page.Store(i + 1)
	}
	return i
}

func getWord(words []uint64, i int) uint64 {
	if i < len(words) {
		return words[i]
	}
	return 0
}

// value returns the size bytes of memory at a, whose page has the leaf.
func (w *worker) value(leaf int32, a event.Addr, size uint8) (v event.Value) {
	id := uint32(0)
	if leaf >= 0 {
		id = w.leaf(leaf)
	}
	at := int(a) & (pageBytes - 1)
	i := at / 8
	heap := isHeap(a)
	if id == 0 && !heap {
		v.Lo = w.initialWord(a &^ 7)
		if size == 16 {
			v.Hi = w.initialWord(a&^7 + 8)
		}
	} else {
		words := w.pageWords(id)
		if heap {
			i += heapData
		}
		v = event.Value{Lo: getWord(words, i), Hi: getWord(words, i+pageWords)}
		if size == 16 {
			v.Hi = getWord(words, i+1)
		} else if heap {
			if missing := missingBytes(words, at, size); missing != 0 && w.undefined(a) {
				v.Hi |= byteBits[missing>>(at&^7)&0xff]
			}
		}
	}
	if shift := 8 * uint(at&7); shift != 0 {
		v.Lo >>= shift
		v.Hi >>= shift
	}
	return v.Mask(size)
}

// pageWords returns the words of the chunk of a page, none of an allocated object's that was never written.
func (w *worker) pageWords(id uint32) []uint64 {
	if id == 0 {
		return nil
	}
	return w.pages.words(id)
}

// missingBytes returns which of the size bytes at place at of a page were never written.
func missingBytes(words []uint64, at int, size uint8) uint64 {
	return uint64(1<<size-1) << at &^ getWord(words, heapMask)
}

// byteBits has, for each set of the bytes of a word, the set of their bits.
var byteBits = func() (t [256]uint64) {
	for set := range t {
		for i := range 8 {
			if set>>i&1 != 0 {
				t[set] |= 0xff << (8 * i)
			}
		}
	}
	return t
}()

// undefined reports whether what was never written of the object at a has no value.
func (w *worker) undefined(a event.Addr) bool {
	head, _ := w.object(a)
	return w.opts.MemoryCheck && head&objZeroed == 0
}

// put writes to memory. It returns false if there was no leaf left for the page.
func (w *worker) put(leaf int32, a event.Addr, size uint8, v event.Value) bool {
	if leaf < 0 {
		if leaf = w.newPageLeaf(a); leaf < 0 {
			return false
		}
	}
	id := w.leaf(leaf)
	heap := isHeap(a)
	n := 0
	var words [2*pageWords + heapData + 1]uint64
	switch {
	case id != 0:
		n = copy(words[:], w.pages.words(id))
	case !heap:
		if init := w.pageAt(leaf).init; init != 0 {
			n = copy(words[:], w.pages.words(init))
		}
	}
	at := int(a) & (pageBytes - 1)
	i := at / 8
	if heap {
		i += heapData
		words[heapMask] |= (1<<size - 1) << at
	}
	switch {
	case size < 8:
		shift := 8 * uint(at&7)
		mask := uint64(1)<<(8*size) - 1
		words[i] = words[i]&^(mask<<shift) | v.Lo<<shift
		words[i+pageWords] = words[i+pageWords]&^(mask<<shift) | v.Hi<<shift
	case size == 8:
		words[i], words[i+pageWords] = v.Lo, v.Hi
	default:
		words[i], words[i+pageWords] = v.Lo, 0
		words[i+1], words[i+1+pageWords] = v.Hi, 0
	}
	n = max(n, i+1+int(size)/16)
	if words[i+pageWords] != 0 {
		n = max(n, i+pageWords+1)
	}
	w.setPage(leaf, trim(words[:n]))
	return true
}

func (r *run) pageAt(leaf int32) page {
	r.pageMu.RLock()
	defer r.pageMu.RUnlock()
	return r.pageList[leaf-r.pageBase]
}

func (w *worker) setPage(leaf int32, words []uint64) {
	id := uint32(0)
	if len(words) > 0 {
		id = w.pages.intern(words, nil)
	}
	if init := w.inits(leaf); id == init {
		id = 0
	} else if id == 0 {
		id = w.pages.intern(nil, nil) // all zeros, where the initial value is not
	}
	w.set(leaf, id)
}

// inits returns the chunk of the initial value of a page.
func (w *worker) inits(leaf int32) uint32 {
	i := int(leaf - w.pageBase)
	for i >= len(w.initOf) {
		w.initOf = append(w.initOf, w.pageAt(w.pageBase+int32(len(w.initOf))).init)
	}
	return w.initOf[i]
}

// object returns the head of the allocated object at a, and its base; 0 if there is none.
func (w *worker) object(a event.Addr) (head uint64, base event.Addr) {
	base = a.Base()
	for first := base; ; {
		if leaf := w.pageLeaf(base); leaf >= 0 {
			if id := w.leaf(leaf); id != 0 {
				if head = getWord(w.pages.words(id), heapHead); head != 0 {
					if base != first && a.Space().Slots(head>>objShift) <= first.Slot()-base.Slot() {
						return 0, base
					}
					return head, base
				}
			}
		}
		if base.Slot() == 0 || int64(first.Slot()-base.Slot()) >= w.largest.Load() {
			return 0, base
		}
		base -= event.Addr(a.Space().SlotSize()) // of an object larger than a slot?
	}
}

// validAccess reports whether l may access what it is about to; otherwise it leaves the fault in w.
func (w *worker) validAccess(l *local) bool {
	act := &l.act
	if !w.opts.MemoryCheck {
		return true
	}
	if !isHeap(act.Addr) {
		owner := int32(act.Addr.Owner()) - 1
		if owner < 0 || owner == l.thread || int(owner) >= w.threads || w.leaf(localLeaf(owner)) == 0 || !w.hasEnded(owner) {
			return true
		}
		w.failMemory(l, "use of a thread-local variable of a thread that has ended")
		return false
	}
	head, base := w.object(act.Addr)
	off := uint64(act.Addr - base)
	size := head >> objShift
	switch {
	case head == 0:
		w.failMemory(l, engine.NoObject)
	case off+uint64(act.Size) > size:
		w.failMemory(l, fmt.Sprintf("access of %d bytes at offset %d of an object of %d bytes", act.Size, off, size), about{base, allocated})
	case head&objFreed != 0 && head&objStack != 0:
		w.failMemory(l, "use of a variable whose lifetime has ended", about{base, freed}, about{base, allocated})
	case head&objFreed != 0:
		w.failMemory(l, engine.UseAfterFree, about{base, freed}, about{base, allocated})
	case head&objStack != 0 && w.hasEnded(int32(base.Owner())-1):
		// pthread_exit leaves functions in the middle, with variables that nothing frees.
		w.failMemory(l, "use of a variable of a thread that has ended", about{base, allocated})
	default:
		return true
	}
	return false
}

// initialised reports whether the bytes that l is about to read were written, where their value has no room for saying so; otherwise
// it leaves the fault in w.
func (w *worker) initialised(l *local, leaf int32) bool {
	act := &l.act
	if !isHeap(act.Addr) || act.Size <= 8 || !w.opts.MemoryCheck {
		return true
	}
	var words []uint64
	if leaf >= 0 {
		words = w.pageWords(w.leaf(leaf))
	}
	if missingBytes(words, int(act.Addr)&(pageBytes-1), act.Size) == 0 || !w.undefined(act.Addr) {
		return true
	}
	_, base := w.object(act.Addr)
	w.fail(l, machine.Unwritten, about{base, allocated})
	return false
}

// isLargest notes how many slots an object takes, and reports whether it is the first one that takes or is aligned to several.
func (r *run) isLargest(n int64) bool {
	for {
		switch old := r.largest.Load(); {
		case n <= old:
			return false
		case r.largest.CompareAndSwap(old, n):
			return old == 0
		}
	}
}

// alloc makes the object that l allocates.
func (w *worker) alloc(l *local) bool {
	act := &l.act
	w.notePlace(act.Addr, l)
	if n := act.Addr.Space().Slots(act.Val.Lo); (n > 1 || act.N > int(act.Addr.Space().SlotSize())) && w.isLargest(int64(n)) {
		w.again.Store(true)
		w.stop.Store(true)
		return false
	}
	leaf := w.newPageLeaf(act.Addr)
	if leaf < 0 {
		return false
	}
	w.setPage(leaf, []uint64{0, objectHead(act)})
	return true
}

// notePlace notes where the object of the heap at base is allocated.
func (w *worker) notePlace(base event.Addr, l *local) {
	if l.act.Stack {
		return
	}
	if pos, old := w.allocs.LoadOrStore(base, l.pos); old && pos != l.pos {
		w.allocs.Store(base, ir.NoPos)
	}
}

// objectHead is the head of the object that act allocates.
func objectHead(act *machine.Action) uint64 {
	head := act.Val.Lo<<objShift | objLive
	if act.Stack {
		head |= objStack
	}
	if act.Zeroed {
		head |= objZeroed
	}
	return head | uint64(act.Family)<<objFamily
}

// freeable returns the head of the object that l frees, or asks for the size of. It returns false if there is none.
func (w *worker) freeable(l *local) (head uint64, ok bool) {
	act := &l.act
	base := event.Addr(0)
	if isHeap(act.Addr) {
		head, base = w.object(act.Addr)
	}
	if head == 0 || base != act.Addr || act.Stack != (head&objStack != 0) {
		var abouts []about
		if head != 0 {
			abouts = []about{{base, pointsInto}}
		}
		w.failMemory(l, engine.NotAllocated, abouts...)
		return 0, false
	}
	if head&objFreed != 0 {
		w.failMemory(l, engine.DoubleFree, about{base, freedBefore})
		return 0, false
	}
	if act.Kind == machine.Free && w.opts.MemoryCheck {
		if text := act.Mismatch(machine.Family(head>>objFamily&7), head>>objShift); text != "" {
			w.failMemory(l, text, about{base, allocated})
			return 0, false
		}
	}
	return head, true
}

// free ends an object. It returns false if it can't, yet or at all.
func (w *worker) free(l *local) bool {
	act := &l.act
	head, ok := w.freeable(l)
	if !ok {
		return false
	}
	base := act.Addr
	size := head >> objShift
	for t := range w.threads {
		for _, e := range w.buffer(int32(t)) {
			if e.kind >= barrier || e.missing&missingAddr != 0 || uint64(e.addr-base) >= max(size, 1) {
				continue
			}
			if int32(t) == l.thread {
				return false // it has to be in memory first
			}
			if w.opts.MemoryCheck && !act.Stack {
				w.failMemory(l, engine.StillAccessed)
				return false
			}
		}
	}
	if !w.passes(l.thread, base, max(size, 1)) {
		return false
	}
	if !act.Stack && !w.freesHeap.Load() {
		w.freesHeap.Store(true)
	}
	w.clearObject(base, size)
	leaf := w.pageLeaf(base)
	w.setPage(leaf, []uint64{0, head&^objLive | objFreed})
	return true
}

// clearObject forgets what is in the pages of an object but the first.
func (w *worker) clearObject(base event.Addr, size uint64) {
	if size <= pageBytes {
		return
	}
	first, last := pageKey(base), pageKey(base+event.Addr(size-1))
	if last-first < 64 {
		for k := first + 1; k <= last; k++ {
			if leaf := w.pageLeaf(event.Addr(k << pageBits)); leaf >= 0 {
				w.set(leaf, 0)
			}
		}
		return
	}
	w.pageMu.RLock()
	var leaves []int32
	for i, p := range w.pageList {
		if p.key > first && p.key <= last {
			leaves = append(leaves, w.pageBase+int32(i))
		}
	}
	w.pageMu.RUnlock()
	for _, leaf := range leaves {
		w.set(leaf, 0)
	}
}
