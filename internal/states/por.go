package states

import (
	"math/bits"
	"slices"

	"ravel/internal/machine"
)

// Partial-order reduction. Moves of different threads commute unless they access the same memory, one of them to write. So in a state it is enough to
// explore the moves of some threads, if nothing that the others may ever do before one of them moves is in conflict with what these
// do next: the others' moves can be put after theirs (Godefroid, "Partial-order methods for the verification of concurrent systems", 1996:
// persistent sets). What a thread may still do is its outlook (outlook.go).
//
// It is used in two ways. A thread that has moved goes on as long as what it does is in conflict with nobody: that is one move (goOn). And from a stored
// state only the smallest set of threads is explored that has this property (crew).
//
// Two things have to be seen to:
//   - A thread must not be left out for ever. Every state whose moves are not all explored leads to one that comes later, and the last of these has them
//     all explored. If no thread can come back to where it was, any will do; otherwise it has to be one that is not explored yet (progress).
//   - An error must be found under the strongest model that has it. Commuting moves keep their cost, and moves that are put before others
//     must have none: that the oldest entry leaves a buffer has none, nor has an action if the buffer is empty (progress, again).
//
// Endless executions and formulas take more than that: for these there is only goOn.

// A threadSet is a set of threads. Those beyond the 64th are in none.
type threadSet uint64

const everyone = ^threadSet(0)

func only(t int32) threadSet                  { return 1 << t }
func (s threadSet) has(t int32) bool          { return s>>t&1 != 0 }
func (s threadSet) contains(u threadSet) bool { return u&^s == 0 }

// maxEager bounds what is merged into one transition: a thread that never comes to a visible action must
// not keep the others from going on.
const maxEager = 1000

// goOn lets thread t do what no other thread can tell from not having done it yet: an allocation, a fence that has nothing to
// wait for and, with POR, whatever is in conflict with nobody.
func (w *worker) goOn(t int32) bool {
	was := uint32(0) // where it was the last time that n was a power of two
	for n := 0; ; n++ {
		id := w.leaf(localLeaf(t))
		l := w.locals.at(id).local
		if id == was || n == maxEager || !w.eager(l) {
			return true
		}
		if n&(n-1) == 0 {
			was = id
		}
		w.bypasses = l.isAccess()
		ok := w.do(move{t, act, 0}, id, l)
		w.bypasses = false
		if !ok {
			return w.fault == nil && !w.stop.Load() // nothing was changed
		}
	}
}

// eager reports whether what l does, where its thread has arrived, commutes with all that other threads do, now and later.
func (w *worker) eager(l *local) bool {
	switch l.act.Kind {
	case machine.Alloc, machine.Size:
		return true
	case machine.Fence:
		return !w.fenceWaits(l.act.Mode, w.buffer(l.thread))
	case machine.Load, machine.Store, machine.RMW:
		return w.opts.POR && w.private(l) && !w.isBuffered(l)
	case machine.Create, machine.Join:
		return w.opts.POR
	}
	return false
}

// private reports whether nobody else accesses what l accesses before its thread has ended, in a way that could tell.
func (w *worker) private(l *local) bool {
	if l.trail == nil || w.isWatched(l.trail) || w.ownerRuns(l) >= 0 {
		return false
	}
	w.unnoted = false
	return w.meetsNobody(l, false) && (!w.unnoted || w.meetsNobody(l, true)) // what others come to do meanwhile is seen here or there
}

// meetsNobody reports whether what others do is in conflict with l.
func (w *worker) meetsNobody(l *local, rely bool) bool {
	for u := range int32(w.threads) {
		if u != l.thread && w.runs(u) && w.mayMeet(u, l.trail, clashes, only(l.thread), rely) {
			return false
		}
	}
	return true
}

// isWatched reports whether a formula is about what leaves a trail.
func (w *worker) isWatched(t trail) bool {
	return slices.ContainsFunc(t, func(x trailWord) bool { return w.watched[x.word]&x.bits[marks] != 0 })
}

// ownerRuns returns the thread on whose stack is what l accesses, if it is another that has not ended: it ends these variables. It is -1 otherwise.
func (w *worker) ownerRuns(l *local) int32 {
	owner := int32(l.act.Addr.Owner()) - 1
	if owner < 0 || owner == l.thread || int(owner) >= w.threads || !isHeap(l.act.Addr) || w.leaf(localLeaf(owner)) == 0 || w.hasEnded(owner) {
		return -1
	}
	if head, _ := w.object(l.act.Addr); head&objStack == 0 {
		return -1
	}
	return owner
}

// mayMeet reports whether what thread u has in its buffer, or may still do before it joins one of the set, is in conflict with a trail.
// If rely is true, the answer no is noted where it comes from; otherwise w.unnoted is set if it is not.
func (w *worker) mayMeet(u int32, t trail, part trailPart, set threadSet, rely bool) bool {
	if w.leaf(bufferLeaf(u)) != 0 {
		for _, b := range w.bufferTrail(u) {
			for i := range t {
				if t[i].word == b.word && t[i].bits[part]&b.bits[marks] != 0 {
					return true
				}
			}
		}
	}
	l := w.locals.at(w.leaf(localLeaf(u))).local
	o := l.outlook
	if l.act.Kind == machine.Exit && !l.joined && w.isTwin(u) {
		// Its parent joins it together with others that may not have ended if it weren't for that.
		if first, ok := w.births.Load(u); ok {
			o = first.(*outlook)
		}
	}
	return w.mayReach(o, t, part, set, rely, 0)
}

// mayReach is mayMeet for what is ahead of an outlook.
func (w *worker) mayReach(o *outlook, t trail, part trailPart, set threadSet, rely bool, depth int) bool {
	if o.target >= 0 && w.awaitsOne(o.target, set) {
		return false
	}
	for i := range t {
		word, b := t[i].word, t[i].bits[part]
		if o.relied[word].Load()&b != b {
			if rely {
				o.relied[word].Or(b)
			}
			w.unnoted = true
		}
		if o.ahead[word].Load()&b != 0 {
			return true
		}
	}
	for _, j := range o.joinsAhead() {
		if depth == maxThreads || w.mayReach(j, t, part, set, rely, depth+1) {
			return true
		}
	}
	return false
}

// awaitsOne reports whether to join thread t is to wait for one of the set.
func (w *worker) awaitsOne(t int32, set threadSet) bool {
	if !w.isTwin(t) {
		return set.has(t)
	}
	for _, u := range w.twinsOf[t] {
		if set.has(u) && w.runs(u) {
			return true
		}
	}
	return false
}

// A crew is a set of threads whose moves are enough to explore in a state.
type crew struct {
	threads threadSet
	part    crewPart
}

// A crewPart says which moves of a crew.
type crewPart uint8

const (
	whole   crewPart = iota
	actions          // of one thread: what is in its buffer can stay there
	front            // of one thread: that the oldest entry leaves its buffer
)

var allThreads = crew{threads: everyone}

// tryCrews calls f for a crew, and for others until that is progress.
func (w *worker) tryCrews(f func(crew) (progress bool)) {
	w.look()
	if c, ok := w.partOfOne(); ok && f(c) {
		return
	}
	for done := threadSet(0); ; {
		c, ok := w.nextCrew(done)
		if !ok || f(c) {
			return
		}
		done |= c.threads
	}
}

// partOfOne returns moves of one thread that are enough; false if there are none.
func (w *worker) partOfOne() (crew, bool) {
	for i := range w.steps {
		s := &w.steps[i]
		if s.hidden {
			return crew{only(s.thread), front}, true
		}
		c := crew{only(s.thread), actions}
		if s.local && w.meets(s, s.act, s.part) == 0 && w.relyOn(c) {
			return c, true
		}
	}
	return crew{}, false
}

// nextCrew returns the smallest crew that has threads which are not done yet, without those that are; false if there is none.
func (w *worker) nextCrew(done threadSet) (best crew, ok bool) {
	for i := range w.steps {
		if c := w.crewOf(i); !done.contains(c) && (!ok || bits.OnesCount64(uint64(c)) < bits.OnesCount64(uint64(best.threads))) {
			best, ok = crew{threads: c}, true
		}
	}
	if ok && !w.relyOn(best) {
		best = allThreads
	}
	best.threads &^= done
	return best, ok
}

// A nextStep is what a thread may do next.
type nextStep struct {
	thread int32
	act    trail
	part   trailPart // of act
	leaves trail     // of what may leave its buffer
	local  bool      // its action is nothing that its own buffer could tell, nor others but for a race
	hidden bool      // the oldest entry of its buffer is nothing that anybody could tell, and can leave it
	needs  threadSet // those who have to be in a crew that it is in
}

// look finds out what the threads may do next, and who needs whom for that.
func (w *worker) look() {
	w.unnoted = false
	w.steps = w.steps[:0]
	for t := range int32(w.threads) {
		if id := w.leaf(localLeaf(t)); id != 0 && !(w.isOver(id) && w.leaf(bufferLeaf(t)) == 0) {
			w.steps = append(w.steps, w.stepOf(t, id))
		}
	}
	for i := range w.steps {
		s := &w.steps[i]
		s.needs |= w.meets(s, s.act, s.part) | w.meets(s, s.leaves, clashes)
	}
	w.noted = !w.unnoted
}

// meets returns the threads that a trail of s is in conflict with.
func (w *worker) meets(s *nextStep, t trail, part trailPart) (set threadSet) {
	if len(t) == 0 {
		return 0
	}
	for k := range w.steps {
		if u := w.steps[k].thread; u != s.thread && w.mayMeet(u, t, part, only(s.thread), false) {
			set |= only(u)
		}
	}
	return set
}

// isOver reports whether a thread does nothing more.
func (w *worker) isOver(id uint32) bool {
	k := w.locals.at(id).local.act.Kind
	return k == machine.Exit || k == machine.Block
}

// stepOf returns what thread t, which is at id, may do next.
func (w *worker) stepOf(t int32, id uint32) nextStep {
	l := w.locals.at(id).local
	s := nextStep{thread: t, act: l.trail, part: clashes, needs: only(t)}
	var list []entry
	if w.leaf(bufferLeaf(t)) != 0 {
		list = w.buffer(t)
		s.leaves = w.bufferTrail(t)
		s.hidden = w.isHidden(list, l.outlook)
	}
	if owner := w.ownerRuns(l); owner >= 0 {
		s.needs |= only(owner)
	}
	switch a := &l.act; a.Kind {
	case machine.Store:
		if _, direct := w.storeWaits(a, list); !direct {
			s.part = races
			s.local = s.needs == only(t) && len(list) < w.opts.Buffer
		}
	case machine.Choice:
		s.local = true
	case machine.Join:
		if v := a.Val.Lo; v < uint64(w.threads) && w.leaf(localLeaf(int32(v))) != 0 && !w.hasEnded(int32(v)) {
			s.needs |= only(int32(v))
		}
		if v := a.Val.Lo; v < uint64(w.threads) && w.isTwin(int32(v)) {
			for _, u := range w.twinsOf[v] {
				if w.runs(u) && !w.hasEnded(u) {
					s.needs |= only(u)
				}
			}
		}
	}
	return s
}

// crewOf returns the smallest crew with the thread of the ith step.
func (w *worker) crewOf(i int) threadSet {
	c := w.steps[i].needs
	for before := threadSet(0); before != c; {
		before = c
		for k := range w.steps {
			if c.has(w.steps[k].thread) {
				c |= w.steps[k].needs
			}
		}
	}
	return c
}

// relyOn notes what a crew relies on. It returns false if others have come to do more meanwhile.
func (w *worker) relyOn(c crew) bool {
	if w.noted {
		return true
	}
	for i := range w.steps {
		s := &w.steps[i]
		if !c.threads.has(s.thread) {
			continue
		}
		for k := range w.steps {
			u := w.steps[k].thread
			if c.threads.has(u) {
				continue
			}
			if w.mayMeet(u, s.act, s.part, only(s.thread), true) || c.part == whole && w.mayMeet(u, s.leaves, clashes, only(s.thread), true) {
				return false
			}
		}
	}
	return true
}

// A program without data races can't tell when a store that is not atomic leaves the buffer, until a younger store that is atomic has left it: to access what it
// writes, another thread has to have heard of it, and would have to hear of that store. If one does, there is a race: let u be about to access
// what an entry e of t writes. Take of what has happened only what is before u's access, or before the store of e, in program order and by reading from each other. That
// is an execution too, as what another thread reads of t is older than e: all that has left the buffer is. There both are about to happen.
//
// So such entries, which are called plain, leave the buffer from the front, and that is in conflict with nothing. A younger atomic store that overtakes one
// makes it one like others. If a state shows that the program has a race (seen), it is explored again without all this, to find where.

// isHidden reports whether the oldest entry of a buffer is plain, and no atomic one could come to leave before it.
func (w *worker) isHidden(list []entry, o *outlook) bool {
	if !list[0].plain {
		return false
	}
	if w.model == TSO {
		return true
	}
	for i := range list {
		if list[i].kind == barrier {
			return true
		}
		if !list[i].plain {
			return false
		}
	}
	if o.target >= 0 {
		return true // to join it needs the buffer empty
	}
	return o.relyOnNot(0, relaxedStore)
}

// awaits reports whether thread t can't go on before e has left its buffer, whatever else is there.
func (w *worker) awaits(t int32, e *entry) bool {
	a := &w.locals.at(w.leaf(localLeaf(t))).local.act
	return a.Kind == machine.Free || a.Kind <= machine.RMW && e.overlaps(a.Addr, a.Size) && !e.covers(a.Addr, a.Size)
}

// seen reports whether a thread is about to access what a plain entry of another one's buffer writes.
func (w *worker) seen() bool {
	for t := range int32(w.threads) {
		if w.leaf(bufferLeaf(t)) == 0 {
			continue
		}
		w.plains = append(w.plains[:0], w.buffer(t)...)
		for i := range w.plains {
			e := &w.plains[i]
			if !e.plain {
				continue
			}
			for u := range int32(w.threads) {
				if u == t {
					continue
				}
				if l := w.accessOf(u); l != nil && e.overlaps(l.act.Addr, l.act.Size) {
					return true
				}
				if w.leaf(bufferLeaf(u)) != 0 && slices.ContainsFunc(w.buffer(u), func(o entry) bool { return o.overlaps(e.addr, e.size) }) {
					return true
				}
			}
		}
	}
	return false
}
