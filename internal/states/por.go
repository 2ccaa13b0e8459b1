package states

import (
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/machine"
)

// Partial-order reduction by persistent sets (Godefroid, "Partial-order methods for the verification of concurrent systems", 1996).
//
// Definition. A move is an action of a thread, or an entry that leaves its buffer. Two moves of different threads are dependent
// if both access a byte and one of them writes it, if one frees an object that the other accesses, or if one can enable or
// disable the other, as the end of a thread enables its join. Independent moves of different threads commute.
//
// Definition. A set T of threads is persistent in a state s if no sequence of moves of other threads from s contains a move that
// depends on a next move of a thread in T.
//
// Lemma 1. Let T be persistent in s, let w be a sequence of moves from s to d.
//   - (a) If w contains a move of T, let w = u m v with m the first. Then m u v also leads from s to d.
//   - (b) If w contains none, and m is a move of T that is possible in s, then m is possible in d, and m w and w m lead to the same state.
//
// Proof. The moves of u, and in (b) those of w, are of threads outside T. So they leave the thread of m and its buffer as they
// are, and m is one of its next moves in s. By persistence m depends on none of them. So m commutes with each of them in turn. ∎
//
// So every state has an explored representative if each stored state explores a persistent set T, by induction on the length of
// w: (a) makes w shorter, and (b) keeps it. Two conditions make the induction end:
//   - Progress. (b) must not apply for ever. An explored move of T leads to a state that is later in an order without infinite
//     chains. If no thread can return to an earlier local, every successor is later. Otherwise the successor must be one that is
//     not explored yet. If T has no such move, other threads are added (keep, tryPersistentSets).
//   - Cost. An error must be found under the strongest model that has it. Commuting moves keep their costs. A move that is put
//     first must be free: the oldest entry leaves a buffer for free, and so does an action with an empty buffer (keep).
//
// The lemma is used twice. A thread that has moved goes on while its next action is independent of all future moves of others: that is
// one move (goOn). And a stored state explores a smallest persistent set (persistent.go). Other threads' future accesses are in future.go.
// Endless executions and formulas need more than the lemma, so they use only goOn.

// A threadSet is a set of threads. Those beyond the 64th are in none.
type threadSet = bitset.Word[int32]

const everyone = ^threadSet(0)

// maxEager bounds the actions that are merged into one move: a thread that never comes to a visible action must
// not stop the others.
const maxEager = 1000

// goOn lets thread t perform actions that commute with all moves of others: an allocation without a choice, a fence that does not
// wait and, with POR, every access without a conflict.
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

// eager reports whether the action of l commutes with all present and future moves of other threads.
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

// private reports whether no other thread conflicts with the access of l until its own thread has ended.
func (w *worker) private(l *local) bool {
	if l.footprint == nil || w.isWatched(l.footprint) || w.ownerRuns(l) >= 0 {
		return false
	}
	w.unnoted = false
	return w.noConflict(l, false) && (!w.unnoted || w.noConflict(l, true)) // an access that another worker adds meanwhile is seen by one of the two calls
}

// noConflict reports whether no other thread conflicts with the access of l.
func (w *worker) noConflict(l *local, rely bool) bool {
	for u := range int32(w.threads) {
		if u != l.thread && w.runs(u) && w.mayMeet(u, l.footprint, conflicts, l.thread, rely) {
			return false
		}
	}
	return true
}

// isWatched reports whether the formula reads a cell of a footprint.
func (w *worker) isWatched(t footprint) bool {
	return slices.ContainsFunc(t, func(x footprintWord) bool { return w.watched[x.word]&x.bits[accesses] != 0 })
}

// ownerRuns returns the thread that owns the variable that l accesses, on its stack or as a thread-local, if that is another thread that has not
// ended: its end ends the variable. Otherwise it returns -1.
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

// mayMeet reports whether an entry of the buffer of thread u, or a future access of u before it joins the thread by, is in conflict with a footprint.
// If rely is true, the answer no is noted as relied on; otherwise w.unnoted is set if it is not noted yet.
func (w *worker) mayMeet(u int32, t footprint, part footprintPart, by int32, rely bool) bool {
	if w.leaf(bufferLeaf(u)) != 0 {
		for _, b := range w.bufferFootprint(u) {
			for i := range t {
				if t[i].word == b.word && t[i].bits[part]&b.bits[accesses] != 0 {
					return true
				}
			}
		}
	}
	l := w.locals.at(w.leaf(localLeaf(u))).local
	o := l.future
	if l.act.Kind == machine.Exit && !l.joined && w.isSymmetric(u) {
		// Its parent joins it together with its class, so its end is not the last that others see of it.
		if first, ok := w.starts.Load(u); ok {
			o = first.(*future)
		}
	}
	return w.mayReach(o, t, part, by, rely, 0)
}

// mayReach is mayMeet for a future.
func (w *worker) mayReach(o *future, t footprint, part footprintPart, by int32, rely bool, depth int) bool {
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

// awaits reports whether a join of thread t waits for u.
func (w *worker) awaits(t, u int32) bool {
	return t == u || int(t) < w.threads && w.isSymmetric(t) && slices.Contains(w.symmetricTo[t], u)
}
