package explore

import (
	"maps"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// How locations are used at which rounds take something and give it back (round.go).
//
// Definition. The set H of a location x has the values of the interior writes of rounds, with the thread of the round, and those of the shifted writes, with the values that they would have
// without it. x is used with discipline if
//
//	D1. H has all interior and shifted values;
//	D2. a thread that reads x, and would get a value of H that another thread holds, (i) waits: it does nothing but read x, whatever it reads, until it blocks or the program says that the
//	    execution does not count, and its RMWs write what they read, or the program says right after them that the execution does not count, or the value refuses it at an RMW that keeps it (refuse.go); or (ii) the value is shifted, and the thread does the same without the shift; or (iii) it is at an RMW that succeeds, and no round that holds the value has other writes of x than
//	    RMWs, nor does a store follow it by D3;
//	    or (iv) it is sure to read its own last write, and H has that; or (v) it gives up (giveup.go);
//	D3. a store to x comes right after a write of the same thread in co, and H has the value of that; or the thread has allocated the block of x, has not told anyone where it is, and no write of another thread
//	    is co-before the store;
//	D4. D2, D3, and that only one thread accesses a location of Z2, need not hold for accesses before other threads begin, and after all of them were joined.
//
// Lemma 2. If x is used with discipline in all executions that rule W leaves, (a) and (b) of Lemma 1 hold at x in all executions.
//
// Proof. Suppose not. Let G be a least execution in which they do not hold, and b the event to blame, added last, of thread u. Take the rounds out of G without b, one after the other, such that what is in the prefix of
// another one comes first. The prefix of each is then an execution that W leaves, so by D1 H has its values, and by Lemma 1 the threads come to the same
// states. In the end u is at b.
//
//   - b reads an interior or shifted write of a round. By D2 (i), u waits: b blocks it, or no execution that counts comes of it (then u does nothing after b that others see, and they do the same without b), or is in a round of reads or a vain attempt, which can be taken out too. By (ii), (a) holds. By (iii), b is between RMWs of a
//     round: then that is one of Z4, or no round. By (iv), b is sure to read its own last write m. If it does not in G, there is a write right after m in G, of another thread. It is no store, by D3. So it is an RMW that
//     reads m, and by D2 its thread waits.
//   - b is a store. By D3 it comes right after a write m of u, or there is a write right after m in G, and the same holds. Or others do not know x yet. If
//     another thread accesses x, b is in its prefix, as u tells where the block is after b. So b is not to blame, but an access after it: see the next point.
//   - b is a write of a round at x that comes co-before such a store of another thread. By D3 there is none. ∎
//
// H is found out on the way: the exploration starts again with each value, and where there is no discipline. There rounds do not count as waits, and a thread that goes round for ever exceeds the
// bound on the length of executions. Then the exploration starts again, takes such rounds for waits all the same, and the verdict is bounded (leavesOut). Threads that take turns in making each
// other fail exceed the bound as well, as no round of theirs is one of Z4.

// A discipline says how a location is used at which rounds take something and give it back.
type discipline struct {
	held   []holding
	vals   []event.Value // all that are read or written
	none   bool          // there is no discipline
	takes  []taking      // what threads may have in the air (refuse.go)
	uneven bool          // it is no counter

	lock, noLock bool        // it is a lock, or not after all (look.go)
	free         event.Value // the value of the lock when nobody holds it

	guarded, bare bool       // it is accessed under a lock only, or not after all (look.go)
	guard         event.Addr // the lock
	fixed         []int32    // threads before which all of its writes are (look.go)
	loose         bool       // they are not
	guardSize     uint8

	owner int32 // 1 more than the thread that is the only one to access the location; 0 if that does not matter, -1 if there is none
}

// A holding is a value that is there because of a round of a thread.
type holding struct {
	thread  int32
	val     event.Value
	counted bool        // another thread writes it
	instead event.Value // and would write that without the round
	stores  bool        // the round has writes there that are not of RMWs

	followed bool // it is no round, but a store follows, or a read that is sure to read it
}

// holds reports whether it is known that h is held. If not, the exploration starts again and knows it.
func (w *worker) holds(loc int32, h holding) bool {
	d := w.disciplines[w.g.Locs[loc].Addr]
	if d.none || slices.Contains(d.held, h) {
		return !d.none
	}
	w.know(loc, func(d *discipline) {
		if !slices.Contains(d.held, h) {
			d.held = append(slices.Clip(d.held), h)
		}
		d.add(h.val)
	})
	return false
}

// add adds a value that is written.
func (d *discipline) add(v event.Value) {
	if !slices.Contains(d.vals, v) {
		d.vals = append(slices.Clip(d.vals), v)
	}
	if len(d.vals) > maxVals {
		d.none, d.uneven = true, true
	}
}

// maxVals bounds the values of a location with discipline.
const maxVals = 64

// know has the exploration start again with what is known of a location.
func (w *worker) know(loc int32, change func(*discipline)) {
	addr := w.g.Locs[loc].Addr
	w.startAgain(func(r *run) {
		if r.learnt = maps.Clone(r.learnt); r.learnt == nil {
			r.learnt = map[event.Addr]discipline{}
		}
		d := r.learnt[addr]
		if d.vals == nil && !w.undefined(loc) {
			d.add(w.initialValue(loc))
		}
		if d.vals == nil { // nobody who has read what was written reads the undefined value that was there before
			for _, id := range w.g.Locs[loc].Co[1:] {
				d.add(w.g.Events[id].Val)
			}
		}
		change(&d)
		r.learnt[addr] = d
		if r.shared[addr]&excluded == 0 {
			delete(r.shared, addr) // what was seen there may not come again
		}
	})
}

// disciplineOf returns the discipline of a location, nil if there is none.
func (w *worker) disciplineOf(loc int32) *discipline {
	for int(loc) >= len(w.disciplined) {
		var known *discipline
		if d, ok := w.disciplines[w.g.Locs[len(w.disciplined)].Addr]; ok {
			known = &d
		}
		w.disciplined = append(w.disciplined, known)
	}
	return w.disciplined[loc]
}

// followDiscipline looks whether the access id, which was added last in its thread, follows the discipline of its location, if there is one: D2 to D4.
func (w *worker) followDiscipline(id graph.ID) {
	g := w.g
	d := w.disciplineOf(g.Events[id].Loc)
	if d == nil {
		return
	}
	e := g.Events[id]
	if w.alone(e.Thread) {
		return
	}
	if d.owner > 0 && d.owner != e.Thread+1 {
		w.know(e.Loc, func(d *discipline) { d.owner = -1 })
	}
	if d.lock || d.guarded || len(d.fixed) > 0 {
		w.followLock(&e, d)
	}
	counts := len(d.takes) > 0 && !d.uneven
	if (len(d.held) == 0 || d.none) && !counts {
		return
	}
	if !slices.Contains(d.vals, e.Val) {
		w.know(e.Loc, func(d *discipline) { d.add(e.Val) })
	}
	if counts {
		w.followCounter(&e, d)
	}
	if e.Mode == event.NA && w.traits.Races.Own {
		w.know(e.Loc, func(d *discipline) { d.none = true })
	}
	if len(d.held) == 0 || d.none {
		return
	}
	if e.Kind == graph.Write && w.comesBeforeFirst(&e) {
		w.know(e.Loc, func(d *discipline) { d.none = true })
		return
	}
	switch {
	case e.Kind == graph.Read && w.readsFollowed(&e, d):
	case e.Kind == graph.Read && !w.waitsFor(e.Thread, d):
		if src := g.Events[e.RF]; e.RF != graph.Init && src.Thread == e.Thread && g.CoMaximal(&e) {
			w.holds(e.Loc, holding{thread: e.Thread, val: src.Val, followed: true})
			return
		}
	case e.Kind == graph.Write && e.Flags&graph.RMWPart == 0:
		if w.inNewBlock(&e) {
			return
		}
		if id := w.comesAfter(&e); id != graph.Init && g.Events[id].Thread == e.Thread {
			w.holds(e.Loc, holding{thread: e.Thread, val: g.Events[id].Val, followed: true})
			return
		}
	default:
		return
	}
	w.know(e.Loc, func(d *discipline) { d.none = true })
}

// comesBeforeFirst reports whether the write e comes right before a store of another thread in co that does not come after a write of its own.
func (w *worker) comesBeforeFirst(e *graph.Event) bool {
	g := w.g
	co := g.Locs[e.Loc].Co
	if int(e.Co)+1 >= len(co) {
		return false
	}
	next, before := &g.Events[co[e.Co+1]], co[e.Co-1]
	return next.Thread != e.Thread && next.Flags&graph.RMWPart == 0 && (before == graph.Init || g.Events[before].Thread != next.Thread)
}

// waitsFor reports whether the thread t, at a read, waits if it reads a value that another thread holds.
func (w *worker) waitsFor(t int32, d *discipline) bool {
	i := w.cur[t]
	if known := w.pends[i].waits; known != unknown {
		return known == yes
	}
	answer := yes
	for _, h := range d.held {
		act := &w.pends[i].act
		if h.thread == t || h.followed || act.Kind == machine.RMW && !h.stores && succeeds(act, h.val) {
			continue
		}
		if !w.waitsIfHeld(t, i, h.val, d) && !(h.counted && w.sameAfter(i, h.val, h.instead)) {
			answer = no
			break
		}
	}
	w.pends[i].waits = answer
	return answer == yes
}

// waitsIfHeld reports whether the thread t waits if it gets v at the pending i.
func (w *worker) waitsIfHeld(t int32, i uint32, v event.Value, d *discipline) bool {
	return w.onlyWaits(i, v, d, maxReads) || w.refuses && keeps(&w.pends[i].act, v) && w.isRefused(t, i, v) || w.abandons(t, i, v)
}

// readsFollowed reports whether the read e gets a value of H that another thread holds and that is followed by a store, and goes on.
func (w *worker) readsFollowed(e *graph.Event, d *discipline) bool {
	if e.RF == graph.Init {
		return false
	}
	src := &w.g.Events[e.RF]
	return src.Thread != e.Thread && slices.ContainsFunc(d.held, func(h holding) bool { return h.followed && h.thread == src.Thread && h.val == src.Val }) &&
		!w.waitsIfHeld(e.Thread, w.cur[e.Thread], e.Val, d)
}

// maxReads is how many reads a thread may do before it is back where it waits.
const maxReads = 4

// onlyWaits reports whether a thread that gets v at the pending i does nothing but read the same location, at most n times, until it blocks, whatever it reads.
func (w *worker) onlyWaits(i uint32, v event.Value, d *discipline, n int) bool {
	pends, arena := len(w.pends), w.arena.Mark()
	defer func() {
		w.pends = w.pends[:pends]
		w.arena.Release(arena)
	}()
	act := w.pends[i].act
	next := w.resumed(i, v)
	if act.Kind == machine.RMW && succeeds(&act, v) && act.RMW.Apply(v, act.Val, act.Size) != v {
		return w.pends[next].act.Kind == machine.Block && w.pends[next].act.Block == machine.Assume
	}
	switch to := &w.pends[next].act; {
	case to.Kind == machine.Block && (to.Block == machine.Spin || to.Block == machine.Lock || to.Block == machine.Assume):
		return true
	case n == 0 || to.Kind != machine.Load && to.Kind != machine.RMW || to.Addr != act.Addr || to.Size != act.Size:
		return false
	}
	for _, v := range d.vals {
		if !w.onlyWaits(next, v, d, n-1) {
			return false
		}
	}
	return true
}

// alone reports whether no other thread has begun that t has not seen the end of.
func (w *worker) alone(t int32) bool {
	g := w.g
	last := &g.Events[g.Last(t)]
	for u := range g.Threads {
		if int32(u) == t || len(g.Threads[u]) == 0 {
			continue
		}
		if end := w.ended(uint64(u)); end == graph.None || !g.InPrefix(end, last) {
			return false
		}
	}
	return true
}
