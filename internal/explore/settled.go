package explore

import (
	"maps"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Loops that wait, and also look at what does not change.
//
//	while (b->arrived < b->size);
//
// The load of arrived does not block the thread at once, as the load of size follows. But it is known what that reads.
//
// Definition. A location y is settled for a thread t if, in every execution, each write of y is by t, or before the creation of t or of one of its ancestors in that ancestor's po, or after the end of t in hb; and
// so is the end of y, if t does not allocate it: that its block is freed, or that the thread ends on whose stack or in whose thread-local variables it is.
//
// Lemma 1. A load of y by t reads the co-latest of the writes by t and of those before its creation. It races with nothing and makes no thread wait or go on.
//
// Proof. These writes, and the load, are ordered by po and by creations, so the load reads the last of them by coherence. All others come after it. ∎
//
// So a read of t awaits (await.go) also if its thread blocks after it, with loads of settled locations in between, provided that the round with which it blocks has the read. Let these be the tail of the read.
//
// Lemma 2. Rules P, D and R hold of such reads.
//
// Proof. P is about the choice of the thread that moves. In the proofs for D and R, take the read r and its tail for r. No write revisits the tail: by Lemma 1, only t writes y while it is there. The tail is maximal
// where r is deleted, for the same reason. It depends on nothing but t, so it is the same whatever r reads from. What is lost with it are its errors. By Lemma 1 there are no races. If y is not there any more, or is uninitialised, y is not looked
// at. That the end of y is not ordered with the tail is no matter, as it comes after the end of t. And t is stuck in an execution only if it has read the co-latest write in its last round, which has r. ∎
//
// Whether y is settled for t is found out on the way: the exploration starts again with each location that matters, and with each thread for which one is not settled after all.
//
// Lemma 3. That finds all of them. Proof: suppose that in the last run y is taken to be settled for t, and is not. Let P' be the program whose threads stop before a write of such a y, or the end of one, that comes while such a t
// is there. In P', what is taken to be settled is settled, so its executions are explored, but for those that D drops rightly. Let e be the first such write, in an order that contains po ∪ rf, of an execution. What comes before e is part of an
// execution of P', or of one that shows the same of all threads that do not wait. The exploration of the program itself is the same until a thread comes to e, and then it is found. ∎

const (
	maxSettled = 64 // how many locations are looked at
	maxTail    = 8  // of the loads in a tail
)

// maySettle reports whether loads of settled locations are passed over.
func (w *worker) maySettle() bool {
	return w.postpones && !w.observed && w.flags == nil && w.opts.Hunt == 0
}

// waitsAfter reports whether thread t, which has got what the action at which it is reads, waits where it is at the pending i, or after a tail.
func (w *worker) waitsAfter(t int32, i uint32) bool {
	if w.waitsAt(i) {
		act := &w.pends[i].act
		w.noteRound(t, act.N-1, &w.pendingOf(t).act, act)
		return true
	}
	if act := &w.pends[i].act; act.Kind != machine.Load || !act.Awaits || !w.settles || t >= 64 {
		return false
	}
	var asked [maxTail]event.Addr
	n, tail := 0, 0
	for ; tail < maxTail; tail++ {
		act := w.pends[i].act
		if act.Kind != machine.Load {
			break
		}
		addr, v, ok := w.settledValue(t, &act)
		if !ok {
			return false
		}
		if _, known := w.unsettled[addr]; !known {
			asked[n] = addr
			n++
		}
		i = w.resumed(i, v)
	}
	if !w.waitsAt(i) || w.pends[i].act.N <= tail {
		return false
	}
	w.noteRound(t, w.pends[i].act.N-tail-1, &w.pendingOf(t).act, &w.pends[i].act)
	if n > 0 && !w.stop.Load() {
		w.learnUnsettled(asked[:n], 0)
	}
	return n == 0
}

// settledValue returns the location of the load act of thread t, and what it reads. It returns false if the location is not known to be settled for t, nor asked about. That depends on the graph, and on
// what the run knew when it began: so does the order in which threads move.
func (w *worker) settledValue(t int32, act *machine.Action) (addr event.Addr, v event.Value, ok bool) {
	g := w.g
	if g.Reused > 0 || act.Part {
		return 0, v, false
	}
	loc := w.locOf(t, act)
	l := &g.Locs[loc]
	not, known := w.unsettled[l.Addr]
	if not>>t&1 != 0 || !known && len(w.unsettled) >= maxSettled || g.Overlap(loc) >= 0 {
		return 0, v, false
	}
	last := l.Co[len(l.Co)-1]
	if obj := w.object[loc]; obj >= 0 {
		o := &g.Locs[obj]
		if last == graph.Init || o.Alloc == graph.None || o.Free != graph.None || !w.isOwnOrBefore(o.Alloc, t) {
			return 0, v, false
		}
	}
	if owner := int32(act.Addr.Owner()) - 1; owner >= 0 && owner != t && w.endsWith(owner, loc) && w.ended(uint64(owner)) != graph.None {
		return 0, v, false
	}
	for _, id := range l.Co[1:] {
		if !w.isOwnOrBefore(id, t) {
			return 0, v, false
		}
	}
	return l.Addr, w.valueOf(last, loc), true
}

// isOwnOrBefore reports whether the event id is one of t, or one of an ancestor before the creation.
func (w *worker) isOwnOrBefore(id graph.ID, t int32) bool {
	e := &w.g.Events[id]
	return e.Thread == t || e.Index < w.countBefore(e.Thread, t)
}

// countBefore returns how many events thread u has before it creates t or an ancestor of t, 0 if it does not.
func (w *worker) countBefore(u, t int32) int32 {
	g := w.g
	for t != 0 {
		c := &g.Events[g.Events[g.At(t, 0)].RF]
		if t = c.Thread; t == u {
			return c.Index
		}
	}
	return 0
}

// stirs notes that thread u, with its last event, has written to addr, or ended what was there: it is not settled for the threads that are there.
func (w *worker) stirs(u int32, addr event.Addr) {
	not, known := w.unsettled[addr]
	if !known {
		return
	}
	g := w.g
	last := &g.Events[g.Last(u)]
	var more uint64
	for t := range min(len(g.Threads), 64) {
		if int32(t) == u || not>>t&1 != 0 || len(g.Threads[t]) == 0 {
			continue
		}
		if !w.endsBefore(int32(t), last) {
			more |= 1 << t
		}
	}
	if more != 0 && !w.stop.Load() {
		w.learnUnsettled([]event.Addr{addr}, more)
	}
}

// endsBefore reports whether thread t has ended before e.
func (w *worker) endsBefore(t int32, e *graph.Event) bool {
	end := w.ended(uint64(t))
	if end == graph.None {
		return false
	}
	if w.deps != nil { // whose views are made later
		return w.joinedIn(w.g.Threads[e.Thread], t)
	}
	return w.g.Within(end, w.m.RaceView(e), e)
}

// stirsAll is stirs for the parts of the object obj.
func (w *worker) stirsAll(u, obj int32) {
	for _, loc := range w.parts[obj] {
		w.stirs(u, w.g.Locs[loc].Addr)
	}
}

// stirsOwn is stirs for what belongs to thread u, which has ended.
func (w *worker) stirsOwn(u int32) {
	for addr := range w.unsettled {
		if int32(addr.Owner())-1 == u {
			w.stirs(u, addr)
		}
	}
}

// learnUnsettled has the exploration start again with locations that matter, which are not settled for some threads.
func (w *worker) learnUnsettled(addrs []event.Addr, not uint64) {
	w.startAgain(func(r *run) {
		if r.stirred = maps.Clone(r.stirred); r.stirred == nil {
			r.stirred = map[event.Addr]uint64{}
		}
		for _, a := range addrs {
			r.stirred[a] |= not
		}
	})
}
