package states

import (
	"math/bits"

	"ravel/internal/machine"
)

// From a stored state the smallest set of threads is explored whose next moves are in conflict with nothing that the others may do before one of them moves:
// a crew. Thread t needs u in its crew if u may come to access what t accesses next, or what may leave the buffer of t next, or if t
// joins u. What t does after that does not matter: a crew is chosen anew in each state.

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
		if u := w.steps[k].thread; u != s.thread && w.mayMeet(u, t, part, s.thread, false) {
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
	case machine.Choice, machine.Alloc:
		s.local = true
	case machine.Join:
		for u := range int32(w.threads) {
			if w.awaits(l.outlook.target, u) && w.runs(u) && !w.hasEnded(u) {
				s.needs |= only(u)
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
			if w.mayMeet(u, s.act, s.part, s.thread, true) || c.part == whole && w.mayMeet(u, s.leaves, clashes, s.thread, true) {
				return false
			}
		}
	}
	return true
}
