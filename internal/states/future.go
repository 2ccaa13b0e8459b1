package states

import (
	"slices"
	"sync"
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// A future holds the accesses that a thread may still perform from a place in the program on, until it joins another thread.
// The exploration learns them on the way: if a thread gets from place p to place q, the future of q is part of the future of p.
// Before the exploration concludes anything from an access that is not ahead of p, it notes the access in relied. If the
// access turns out to be ahead of p after all, the exploration starts again and keeps everything it has learnt.
//
// Lemma 2. In an exploration that ends without a restart, no access in relied(p) is ever performed from p on.
//
// Proof. Suppose one is. Take a shortest execution w whose last move performs such an access x from p on. All that was relied
// on holds for the moves of w before the last. So the sets of threads that were explored are persistent with respect to these moves, and
// by Lemma 1 (por.go) the exploration contains w up to the order of independent moves. There the thread got from p to x. Then leads and does
// added x to ahead(p), found it in relied(p), and started again: a contradiction. ∎
//
// A place is given by the innermost frames of the thread, and by how many threads it has created and joined. So accesses of main before
// it creates a thread, or after it has joined it, are not in conflict with that thread.
type future struct {
	ahead  [cellWords]atomic.Uint64 // accesses that may come
	relied [cellWords]atomic.Uint64 // accesses that others rely on not to come
	joins  atomic.Pointer[[]*future]
	next   atomic.Pointer[[]*future] // places that the thread reaches from here, and first places of the threads that it creates
	target int32                     // the thread that it is about to join, -1 if none: ahead is what comes after
	before []*future                 // guarded by futures.mu
	key    placeKey
	number int // in futures.list
}

// Memory is divided into cells of four bytes, with one more cell for each object that may be freed. A cell has four bits. Cells with the same number
// are not distinguished.
const (
	cellBytes = 4
	maxCells  = 4096
	cellWords = maxCells / 16
)

const (
	readBit      = 1 << iota // the cell is read
	writeBit                 // … written
	plainReadBit             // … by an access that is not atomic
	plainWriteBit
)

// The cell 0 is for all stores that may overtake others under pso.
const (
	relaxedStores = 1 << 62
	relaxedStore  = writeBit
)

// A footprint holds the cells that an access touches, and the accesses that it is in conflict with.
type footprint []footprintWord

// A footprintWord is one word of it.
type footprintWord struct {
	word int
	bits [3]uint64
}

type footprintPart int

const (
	accesses  footprintPart = iota // its own accesses
	conflicts                      // accesses of others that it does not commute with
	races                          // accesses of others that it would race with, if it goes to a buffer
)

// A placeKey is a place in the program.
type placeKey struct {
	thread, creates, joins int32
	target                 int32
	frames                 [4]uint32
}

// futures holds the futures of all places. Consecutive explorations share it.
type futures struct {
	mu    sync.Mutex
	of    map[placeKey]*future
	list  []*future
	cells map[uint64]int
	news  int // how often something was learnt
}

func newFutures() *futures {
	return &futures{of: map[placeKey]*future{}, cells: map[uint64]int{relaxedStores: 0}}
}

// forget forgets all reliances.
func (o *futures) forget() {
	for _, p := range o.of {
		for i := range p.relied {
			p.relied[i].Store(0)
		}
	}
}

// at returns the future of a place.
func (o *futures) at(k placeKey) *future {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.of[k]
	if p == nil {
		p = &future{target: k.target, key: k, number: len(o.list)}
		o.of[k] = p
		o.list = append(o.list, p)
	}
	return p
}

// cell returns the number of a cell.
func (o *futures) cell(key uint64) int {
	n, ok := o.cells[key]
	if !ok {
		n = len(o.cells) % maxCells
		o.cells[key] = n
	}
	return n
}

// footprintOf returns the footprint of an access.
func (r *run) footprintOf(a *machine.Action) (t footprint) {
	o := r.futures
	o.mu.Lock()
	defer o.mu.Unlock()
	add := func(key uint64, bits [3]uint64) {
		c := o.cell(key)
		i := slices.IndexFunc(t, func(s footprintWord) bool { return s.word == c/16 })
		if i < 0 {
			i = len(t)
			t = append(t, footprintWord{word: c / 16})
		}
		for p := range bits {
			t[i].bits[p] |= bits[p] << (c % 16 * 4)
		}
	}
	if isHeap(a.Addr) {
		// A free writes the object's own cell. An access reads it.
		key := 1<<63 | uint64(a.Addr.Owner())<<32
		if r.largest.Load() == 0 {
			key |= uint64(a.Addr.Slot())
		}
		if a.Kind == machine.Free {
			add(key, [3]uint64{writeBit, readBit | writeBit, 0})
			return t
		}
		add(key, [3]uint64{readBit, writeBit, 0})
	}
	bits := [3]uint64{writeBit, readBit | writeBit, 0}
	if a.Kind == machine.Load {
		bits = [3]uint64{readBit, writeBit, 0}
	}
	if r.opts.RaceCheck && a.Mode == event.NA {
		bits[accesses] |= bits[accesses] << 2
		bits[races] = bits[conflicts]
	} else if r.opts.RaceCheck {
		bits[races] = plainReadBit | plainWriteBit
	}
	if r.model == PSO && a.Kind == machine.Store && a.Mode == event.Rlx {
		add(relaxedStores, [3]uint64{relaxedStore, 0, 0})
	}
	for at := a.Addr &^ (cellBytes - 1); at < a.Addr+event.Addr(a.Size); at += cellBytes {
		add(uint64(at)/cellBytes, bits)
	}
	return t
}

// lookAhead sets the future and the footprint of l.
func (w *worker) lookAhead(l *local, s machine.State) {
	k := placeKey{thread: l.thread, creates: l.creates, joins: l.joins, target: -1}
	if w.isSymmetric(l.thread) {
		k.thread = w.symmetricTo[l.thread][0]
	}
	for i := 0; i < len(k.frames) && s != 0; i++ {
		k.frames[i] = w.arena.PC(s)
		s = w.arena.Caller(s)
	}
	if l.act.Kind == machine.Join {
		k.target = int32(min(l.act.Val.Lo, maxThreads-1))
	}
	l.future = w.futures.at(k)
	if a, ok := l.touches(); ok {
		l.footprint = w.footprintOf(a)
		w.does(l.future, l.footprint)
	}
}

// touches returns the access or the deallocation that l is at; false if it is at none, or at one without an address.
func (l *local) touches() (*machine.Action, bool) {
	a := &l.act
	if l.issue != nil {
		a = l.issue
	}
	return a, (a.Kind <= machine.RMW || a.Kind == machine.Free) && l.missing&missingAddr == 0
}

// relyOnNot reports whether bits are not ahead, and notes it.
func (o *future) relyOnNot(word int, bits uint64) bool {
	if o.ahead[word].Load()&bits != 0 {
		return false
	}
	if o.relied[word].Load()&bits == bits {
		return true
	}
	o.relied[word].Or(bits)
	return o.ahead[word].Load()&bits == 0
}

// joinsAhead returns the joins that may come next. Later accesses are in their futures.
func (o *future) joinsAhead() []*future { return deref(o.joins.Load()) }

func deref(p *[]*future) []*future {
	if p == nil {
		return nil
	}
	return *p
}

// does notes that a thread at o accesses something.
func (r *run) does(o *future, t footprint) {
	if !slices.ContainsFunc(t, func(s footprintWord) bool { return s.bits[accesses]&^o.ahead[s.word].Load() != 0 }) {
		return
	}
	r.futures.mu.Lock()
	defer r.futures.mu.Unlock()
	for i := range t {
		r.extend(o, t[i].word, t[i].bits[accesses])
	}
	r.spread(o)
}

// leads notes that a thread gets from one place to another, or creates one that begins there.
func (r *run) leads(from, to *future) {
	if from == to || slices.Contains(deref(from.next.Load()), to) {
		return
	}
	r.futures.mu.Lock()
	defer r.futures.mu.Unlock()
	if !add(&from.next, to) {
		return
	}
	to.before = append(to.before, from)
	if r.absorb(from, to) {
		r.spread(from)
	}
}

// add adds a future to a list that others may read. It returns false if it is there.
func add(list *atomic.Pointer[[]*future], o *future) bool {
	old := deref(list.Load())
	if slices.Contains(old, o) {
		return false
	}
	next := append(slices.Clip(old), o)
	list.Store(&next)
	return true
}

// absorb adds the future o, which follows p, to p. It reports whether p changed.
func (r *run) absorb(p, o *future) (changed bool) {
	if o.target >= 0 {
		return r.mayJoin(p, o)
	}
	for i := range o.ahead {
		changed = r.extend(p, i, o.ahead[i].Load()) || changed
	}
	for _, j := range o.joinsAhead() {
		changed = r.mayJoin(p, j) || changed
	}
	return changed
}

// mayJoin notes that a join may come after p.
func (r *run) mayJoin(p, join *future) bool {
	if !add(&p.joins, join) {
		return false
	}
	r.futures.news++
	for i := range p.relied {
		if p.relied[i].Load() != 0 {
			r.restart()
			break
		}
	}
	return true
}

// extend adds bits to the accesses of o. It reports whether they are new.
func (r *run) extend(o *future, word int, bits uint64) bool {
	bits &^= o.ahead[word].Load()
	if bits == 0 {
		return false
	}
	r.futures.news++
	o.ahead[word].Or(bits)
	if o.relied[word].Load()&bits != 0 {
		r.restart()
	}
	return true
}

// spread adds the accesses of o to all places before it.
func (r *run) spread(o *future) {
	for todo := []*future{o}; len(todo) > 0; {
		o = todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if o.target >= 0 {
			continue
		}
		for _, p := range o.before {
			if r.absorb(p, o) {
				todo = append(todo, p)
			}
		}
	}
}
