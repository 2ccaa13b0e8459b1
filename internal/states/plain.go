package states

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// Non-atomic stores in buffers, for programs without data races.
//
// Definition. An entry e of the buffer of thread t is plain if its store is not atomic and no younger atomic store of t has left the buffer.
//
// Lemma 3. If another thread u is about to access or free what a plain entry e of t writes, then the program has a data race.
//
// Proof. Let S be the store of e and A the access of u. Restrict the execution to the (po ∪ rf)-prefixes of S and of A, without S and A.
// Each read in it keeps its write, so it is an execution. (t creates and joins threads only with an empty buffer.) Stores of t that have left the buffer are atomic stores older than S, or
// non-atomic ones. If another thread has read one that is not older than S, it was a non-atomic one in a race. Otherwise S is
// not in the prefix of A, and A has not happened, so it is not in the prefix of S. Both are next in the restricted execution, so
// they are a race. ∎
//
// So if the program has no data race, the leaving of a plain entry is independent of all moves of other threads. Plain entries
// leave from the front of the buffer, and this move is in conflict with nothing. An entry is no longer plain when a younger atomic store
// overtakes it. If a state shows a race (seen), the program is explored again without this reduction, to find the race.

// isHidden reports whether the oldest entry of a buffer is plain, and no atomic entry may leave before it.
func (w *worker) isHidden(list []entry, o *future) bool {
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
		return true // a join waits for an empty buffer
	}
	return o.relyOnNot(0, relaxedStore)
}

// needsOut reports whether thread t can't go on before e has left its buffer, whatever else is there.
func (w *worker) needsOut(t int32, e *entry) bool {
	a := &w.locals.at(w.leaf(localLeaf(t))).local.act
	return a.Kind == machine.Free || a.Kind <= machine.RMW && e.overlaps(a.Addr, a.Size) && !e.covers(a.Addr, a.Size)
}

// aboutToFree reports whether thread u is about to free the object that addr is in.
func (w *worker) aboutToFree(u int32, addr event.Addr) bool {
	id := w.leaf(localLeaf(u))
	if id == 0 || !isHeap(addr) {
		return false
	}
	l := w.locals.at(id).local
	if l.act.Kind != machine.Free {
		return false
	}
	_, base := w.object(addr)
	return base == l.act.Addr
}

// seen reports whether a thread is about to access what a plain entry of another one's buffer writes, or to free it.
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
				if l := w.accessOf(u); l != nil && e.overlaps(l.act.Addr, l.act.Size) || w.aboutToFree(u, e.addr) {
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
