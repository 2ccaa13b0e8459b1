package states

import (
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

// goOn lets thread t do what no other thread can tell from not having done it yet: an allocation that has no choice, a fence that has nothing to
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
	case machine.Size, machine.Next:
		return true
	case machine.Alloc:
		none := true
		w.reusable(l, func(int32) bool { none = false; return false })
		return none
	case machine.Fence:
		return !w.fenceWaits(l.act.Mode, w.buffer(l.thread))
	case machine.Load, machine.Store, machine.RMW:
		return w.opts.POR && !w.mayFail(&l.act) && w.private(l) && !w.isBuffered(l)
	case machine.Free:
		return w.opts.POR && w.private(l)
	case machine.Create, machine.Join:
		return w.opts.POR
	}
	return false
}

// mayFail reports whether a is a weak CAS, which has two ways to go on.
func (w *worker) mayFail(a *machine.Action) bool { return a.Weak && !w.opts.NoSpuriousCAS }

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
		if u != l.thread && w.runs(u) && w.mayMeet(u, l.trail, clashes, l.thread, rely) {
			return false
		}
	}
	return true
}

// isWatched reports whether a formula is about what leaves a trail.
func (w *worker) isWatched(t trail) bool {
	return slices.ContainsFunc(t, func(x trailWord) bool { return w.watched[x.word]&x.bits[marks] != 0 })
}

// ownerRuns returns the thread on whose stack, or among whose thread-local variables, is what l accesses, if it is another that has not
// ended: it ends these variables. It is -1 otherwise.
func (w *worker) ownerRuns(l *local) int32 {
	owner := int32(l.act.Addr.Owner()) - 1
	if owner < 0 || owner == l.thread || int(owner) >= w.threads || w.leaf(localLeaf(owner)) == 0 || w.hasEnded(owner) {
		return -1
	}
	if isHeap(l.act.Addr) {
		if head, _ := w.object(l.act.Addr); head&objStack == 0 {
			return -1
		}
	}
	return owner
}

// mayMeet reports whether what thread u has in its buffer, or may still do before it joins the thread by, is in conflict with a trail.
// If rely is true, the answer no is noted where it comes from; otherwise w.unnoted is set if it is not.
func (w *worker) mayMeet(u int32, t trail, part trailPart, by int32, rely bool) bool {
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
	return w.mayReach(o, t, part, by, rely, 0)
}

// mayReach is mayMeet for what is ahead of an outlook.
func (w *worker) mayReach(o *outlook, t trail, part trailPart, by int32, rely bool, depth int) bool {
	if o.target >= 0 && w.awaits(o.target, by) {
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
		if depth == maxThreads || w.mayReach(j, t, part, by, rely, depth+1) {
			return true
		}
	}
	return false
}

// awaits reports whether to join thread t is to wait for u.
func (w *worker) awaits(t, u int32) bool {
	return t == u || int(t) < w.threads && w.isTwin(t) && slices.Contains(w.twinsOf[t], u)
}
