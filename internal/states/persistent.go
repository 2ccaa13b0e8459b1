package states

import (
	"ravel/internal/bitset"
	"ravel/internal/machine"
)

// A stored state explores a smallest persistent set of threads (por.go has the definition). Thread t needs thread u in its
// set in three cases. u may come to access what t accesses next. u may come to access what may leave the buffer of t next. t joins u.
// Later accesses of t do not matter, because each state chooses a new set.

// A persistentSet is a set of threads whose moves are enough to explore in a state.
type persistentSet struct {
	threads threadSet
	part    setPart
}

// A setPart says which moves of a persistent set.
type setPart uint8

const (
	whole   setPart = iota
	actions         // of one thread: the entries of its buffer stay there
	front           // of one thread: the oldest entry leaves its buffer
)

var allThreads = persistentSet{threads: everyone}

// tryPersistentSets calls f for persistent sets until one makes progress.
func (w *worker) tryPersistentSets(f func(persistentSet) (progress bool)) {
	w.look()
	if c, ok := w.partOfOne(); ok && f(c) {
		return
	}
	for done := threadSet(0); ; {
		c, ok := w.nextPersistentSet(done)
		if !ok || f(c) {
			return
		}
		done |= c.threads
	}
}

// partOfOne returns a persistent set that is a part of the moves of one thread; false if there is none.
func (w *worker) partOfOne() (persistentSet, bool) {
	for i := range w.steps {
		s := &w.steps[i]
		if s.hidden {
			return persistentSet{bitset.One(s.thread), front}, true
		}
		c := persistentSet{bitset.One(s.thread), actions}
		if s.local && w.meets(s, s.act, s.part) == 0 && w.relyOn(c) {
			return c, true
		}
	}
	return persistentSet{}, false
}

// nextPersistentSet returns the smallest persistent set that has threads outside done, without the threads in done; false if there is none.
func (w *worker) nextPersistentSet(done threadSet) (best persistentSet, ok bool) {
	for i := range w.steps {
		if c := w.persistentSetOf(i); !done.Contains(c) && (!ok || c.Count() < best.threads.Count()) {
			best, ok = persistentSet{threads: c}, true
		}
	}
	if ok && !w.relyOn(best) {
		best = allThreads
	}
	best.threads &^= done
	return best, ok
}

// A nextStep holds the next moves of a thread.
type nextStep struct {
	thread int32
	act    footprint
	part   footprintPart // of act
	leaves footprint     // of the entries that may leave its buffer
	local  bool          // its action commutes with its own buffer, and with all moves of others that do not race with it
	hidden bool          // the oldest entry of its buffer can leave, and commutes with all moves of others (plain.go)
	needs  threadSet     // the threads that each persistent set with this thread has
}

// look finds the next moves of all threads, and which threads need which.
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
		s.needs |= w.meets(s, s.act, s.part) | w.meets(s, s.leaves, conflicts)
	}
	w.noted = !w.unnoted
}

// meets returns the threads whose future accesses conflict with a footprint of s.
func (w *worker) meets(s *nextStep, t footprint, part footprintPart) (set threadSet) {
	if len(t) == 0 {
		return 0
	}
	for k := range w.steps {
		if u := w.steps[k].thread; u != s.thread && w.mayMeet(u, t, part, s.thread, false) {
			set |= bitset.One(u)
		}
	}
	return set
}

// isOver reports whether a thread will perform no more actions.
func (w *worker) isOver(id uint32) bool {
	k := w.locals.at(id).local.act.Kind
	return k == machine.Exit || k == machine.Block
}

// stepOf returns the next moves of thread t, which is at id.
func (w *worker) stepOf(t int32, id uint32) nextStep {
	l := w.locals.at(id).local
	s := nextStep{thread: t, act: l.footprint, part: conflicts, needs: bitset.One(t)}
	var list []entry
	if w.leaf(bufferLeaf(t)) != 0 {
		list = w.buffer(t)
		s.leaves = w.bufferFootprint(t)
		s.hidden = w.isHidden(list, l.future)
	}
	if owner := w.ownerRuns(l); owner >= 0 {
		s.needs |= bitset.One(owner)
	}
	switch a := &l.act; a.Kind {
	case machine.Store:
		if _, direct := w.storeWaits(a, list); !direct {
			s.part = races
			s.local = s.needs == bitset.One(t) && len(list) < w.opts.Buffer
		}
	case machine.Choice, machine.Alloc:
		s.local = true
	case machine.Join:
		for u := range int32(w.threads) {
			if w.awaits(l.future.target, u) && w.runs(u) && !w.hasEnded(u) {
				s.needs |= bitset.One(u)
			}
		}
	}
	return s
}

// persistentSetOf returns the smallest persistent set with the thread of the ith step.
func (w *worker) persistentSetOf(i int) threadSet {
	c := w.steps[i].needs
	for before := threadSet(0); before != c; {
		before = c
		for k := range w.steps {
			if c.Has(w.steps[k].thread) {
				c |= w.steps[k].needs
			}
		}
	}
	return c
}

// relyOn notes which accesses a persistent set relies on not to come. It returns false if another worker has found one of them meanwhile.
func (w *worker) relyOn(c persistentSet) bool {
	if w.noted {
		return true
	}
	for i := range w.steps {
		s := &w.steps[i]
		if !c.threads.Has(s.thread) {
			continue
		}
		for k := range w.steps {
			u := w.steps[k].thread
			if c.threads.Has(u) {
				continue
			}
			if w.mayMeet(u, s.act, s.part, s.thread, true) || c.part == whole && w.mayMeet(u, s.leaves, conflicts, s.thread, true) {
				return false
			}
		}
	}
	return true
}
