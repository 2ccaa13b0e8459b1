package states

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/machine"
)

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
