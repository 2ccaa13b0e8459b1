package states

import (
	"slices"
	"sync"
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// An outlook is what a thread may still do from some place in the program on, until it joins another thread. It is found out on the way: where a thread
// gets to from a place, the outlook from there is part of that from here. Before anything is concluded from what is not ahead of a thread,
// that is noted in its outlook. If it turns out to be wrong, the exploration begins again, with all that is known by then; in the last one nothing that was relied on
// was wrong. Then it was right: a shortest execution in which it is not would have been explored, up to commuting moves, until the thread comes to do
// what it was thought not to do.
//
// A place is where the innermost frames of the thread are, and how many threads it has created and joined. So what main does before it creates a
// thread, or after it has joined it, is no concern of that thread.
type outlook struct {
	ahead  [cellWords]atomic.Uint64 // what it accesses
	relied [cellWords]atomic.Uint64 // what others rely on it not to access
	joins  atomic.Pointer[[]*outlook]
	next   atomic.Pointer[[]*outlook] // where the thread gets to from here, and where threads that it creates begin
	target int32                      // the thread that it is about to join, -1 if none: ahead is what comes after
	before []*outlook                 // guarded by outlooks.mu
}

// Memory is divided into cells of four bytes, and one for each object that may be freed. There are four bits for each of them; cells that have the same number
// are taken for each other.
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

// A trail is what an access leaves in outlooks, and what it is in conflict with.
type trail []trailWord

// A trailWord is one word of it.
type trailWord struct {
	word int
	bits [3]uint64
}

type trailPart int

const (
	marks   trailPart = iota // what it does
	clashes                  // what others must not do if it is to commute with that
	races                    // … if it goes to a buffer: only what it would be in a race with
)

// A placeKey is a place in the program.
type placeKey struct {
	thread, creates, joins int32
	target                 int32
	frames                 [4]uint32
}

// outlooks are what is known of all places. Explorations that follow each other share it.
type outlooks struct {
	mu    sync.Mutex
	of    map[placeKey]*outlook
	cells map[uint64]int
	news  int // how often more became known
}

func newOutlooks() *outlooks {
	return &outlooks{of: map[placeKey]*outlook{}, cells: map[uint64]int{relaxedStores: 0}}
}

// forget forgets what was relied on.
func (o *outlooks) forget() {
	for _, p := range o.of {
		for i := range p.relied {
			p.relied[i].Store(0)
		}
	}
}

// at returns the outlook from a place.
func (o *outlooks) at(k placeKey) *outlook {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.of[k]
	if p == nil {
		p = &outlook{target: k.target}
		o.of[k] = p
	}
	return p
}

// cell returns the number of a cell.
func (o *outlooks) cell(key uint64) int {
	n, ok := o.cells[key]
	if !ok {
		n = len(o.cells) % maxCells
		o.cells[key] = n
	}
	return n
}

// trailOf returns the trail of an access.
func (r *run) trailOf(a *machine.Action) (t trail) {
	o := r.outlooks
	o.mu.Lock()
	defer o.mu.Unlock()
	add := func(key uint64, bits [3]uint64) {
		c := o.cell(key)
		i := slices.IndexFunc(t, func(s trailWord) bool { return s.word == c/16 })
		if i < 0 {
			i = len(t)
			t = append(t, trailWord{word: c / 16})
		}
		for p := range bits {
			t[i].bits[p] |= bits[p] << (c % 16 * 4)
		}
	}
	if isHeap(a.Addr) {
		// To free an object is to write it, in the cell that it has for that; to access it is to read that.
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
		bits[marks] |= bits[marks] << 2
		bits[races] = bits[clashes]
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

// lookAhead gives l its outlook, and its trail.
func (w *worker) lookAhead(l *local, s machine.State) {
	k := placeKey{thread: l.thread, creates: l.creates, joins: l.joins, target: -1}
	if w.isTwin(l.thread) {
		k.thread = w.twinsOf[l.thread][0]
	}
	for i := 0; i < len(k.frames) && s != 0; i++ {
		k.frames[i] = w.arena.PC(s)
		s = w.arena.Caller(s)
	}
	if l.act.Kind == machine.Join {
		k.target = int32(min(l.act.Val.Lo, maxThreads-1))
	}
	l.outlook = w.outlooks.at(k)
	a := &l.act
	if l.issue != nil {
		a = l.issue
	}
	if (a.Kind <= machine.RMW || a.Kind == machine.Free) && l.lacks&lacksAddr == 0 {
		l.trail = w.trailOf(a)
		w.does(l.outlook, l.trail)
	}
}

// relyOnNot reports whether bits are not ahead, and notes it.
func (o *outlook) relyOnNot(word int, bits uint64) bool {
	if o.ahead[word].Load()&bits != 0 {
		return false
	}
	if o.relied[word].Load()&bits == bits {
		return true
	}
	o.relied[word].Or(bits)
	return o.ahead[word].Load()&bits == 0
}

// joinsAhead returns the joins that may come before anything else that is not ahead.
func (o *outlook) joinsAhead() []*outlook { return deref(o.joins.Load()) }

func deref(p *[]*outlook) []*outlook {
	if p == nil {
		return nil
	}
	return *p
}

// does notes that a thread at o accesses something.
func (r *run) does(o *outlook, t trail) {
	if !slices.ContainsFunc(t, func(s trailWord) bool { return s.bits[marks]&^o.ahead[s.word].Load() != 0 }) {
		return
	}
	r.outlooks.mu.Lock()
	defer r.outlooks.mu.Unlock()
	for i := range t {
		r.extend(o, t[i].word, t[i].bits[marks])
	}
	r.spread(o)
}

// leads notes that a thread gets from one place to another, or creates one that begins there.
func (r *run) leads(from, to *outlook) {
	if from == to || slices.Contains(deref(from.next.Load()), to) {
		return
	}
	r.outlooks.mu.Lock()
	defer r.outlooks.mu.Unlock()
	if !add(&from.next, to) {
		return
	}
	to.before = append(to.before, from)
	if r.absorb(from, to) {
		r.spread(from)
	}
}

// add adds an outlook to a list that others may read. It returns false if it is there.
func add(list *atomic.Pointer[[]*outlook], o *outlook) bool {
	old := deref(list.Load())
	if slices.Contains(old, o) {
		return false
	}
	next := append(slices.Clip(old), o)
	list.Store(&next)
	return true
}

// absorb makes what is ahead of o, which follows p, part of what is ahead of p. It reports whether p did not have it.
func (r *run) absorb(p, o *outlook) (changed bool) {
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
func (r *run) mayJoin(p, join *outlook) bool {
	if !add(&p.joins, join) {
		return false
	}
	r.outlooks.news++
	for i := range p.relied {
		if p.relied[i].Load() != 0 {
			r.restart()
			break
		}
	}
	return true
}

// extend adds bits to what is ahead of o. It reports whether they are new.
func (r *run) extend(o *outlook, word int, bits uint64) bool {
	bits &^= o.ahead[word].Load()
	if bits == 0 {
		return false
	}
	r.outlooks.news++
	o.ahead[word].Or(bits)
	if o.relied[word].Load()&bits != 0 {
		r.restart()
	}
	return true
}

// spread has all places before o know what is ahead of it.
func (r *run) spread(o *outlook) {
	for todo := []*outlook{o}; len(todo) > 0; {
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
