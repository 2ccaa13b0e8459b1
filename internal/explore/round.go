package explore

import (
	"fmt"
	"maps"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Rounds that leave memory as it was.
//
// A thread that comes back to where it was in a loop, with the same registers, does the same again as long as it reads the same. If the round has
// also left memory as it was, then going round is waiting (machine.Round): take a lock, look, give it back. That such loops are waits is an idea of
// Kokologiannakis, Ren, Vafeiadis, "Dynamic Partial Order Reductions for Spinloops" (FMCAD'21); what follows is ours.
//
// Definition. A round R is a set of consecutive events of a thread t such that t is in the same state before and after R; R has reads, fences, writes, and
// objects that are made and freed in R; and each location x that R writes is, by one of these, as it was:
//
//  1. No write of R to x is atomic, races are errors, and the last one has the value that was there before.
//  2. Only t accesses x, and the last write of R has the value that was there before. Under a model with dependencies, that value depended on nothing that t had read.
//  3. The writes of R follow each other in co. The first one, w, is that of an RMW which reads from a, and the last one, z, has the
//     value of a. If some are no RMWs, w acquires and the last of these releases. Under a model with dependencies, w acquires and z releases.
//  4. The writes of R, and those between them in co, are RMWs that add something. Those of R add 0 in all. A thread whose RMW is between them does the same, in
//     the same state, if it reads the value that it would read without R. There are no dependencies in the model.
//
// The writes of R by 3 and 4 before the last are interior. By 4, those between them are shifted: without R, they have other values.
//
// Rule. A thread is blocked after a round (machine.Spin).
//
// Lemma 1. Let G be a consistent execution with a round R. Let each read outside of R that reads an interior or shifted write be that of an RMW of 4, or one that makes no difference to
// its thread; let no other write be co-between those of R. Then G without R, where what read a write of R reads the last one before that is not of R, is a consistent
// execution in which all threads come to the same states.
//
// Proof. t does the same without R as it is in the same state after R. The relations of the models are monotone: fewer events mean fewer constraints. New is only that an
// event q which read z, or an RMW of 4, reads from another event a. Nothing is between a and z in co but RMWs, so q comes before the same writes in fr. That a comes before q in rf was so
// in co;rf. If a releases and q acquires, a happened before q: q has read from the release sequence of a, or else w acquires from a, and what q reads is released after
// w. So nothing happens before q that did not. Under a model with dependencies, w acquires and z releases, so a was ordered before q, and so was what is ordered before a. At
// locations of 2, what t reads from z it reads from what was there before, which orders nothing new. At locations of 1: R releases nothing, if it has no atomic writes that change
// something. So an access by another thread that the writes of R are not ordered with races with them, and one that they are ordered before would be ordered before those of
// all other rounds, or race with them. ∎
//
// So the rule loses no outcome if the conditions of Lemma 1 hold for all rounds in all executions. This is a matter of how the threads use x.
//
// Definition. The set H of x has the values of the interior writes of rounds, with the thread of the round, and those of the shifted writes, with what they would be
// without it. x is used with discipline if
//
//	D1. H has all interior and shifted values;
//	D2. a thread that reads x, and would get a value of another thread in H, waits: it does nothing but read x until it blocks, whatever it reads, and its RMWs write what
//	    they read. Or the value is shifted, and the thread does the same without the shift. Or it is an RMW, that succeeds, and no round has other writes of x than RMWs. Or it is sure to
//	    read its own last write, and H has that;
//	D3. a store to x comes right after a write of the same thread in co, and H has the value of that;
//	D4. D2, D3, and that only one thread accesses a location of 2, need not hold for accesses before other threads begin, and after all of them were joined.
//
// Lemma 2. If x is used with discipline in all executions that the rule leaves, the conditions of Lemma 1 hold at x in all executions.
//
// Proof. Take a least execution G in which they do not, with the event b to blame, added last. Take the rounds out of G without b, one after the other, such that what is in the prefix of
// another comes first: then the prefix of each is an execution that the rule leaves, so H has its values, and by Lemma 1 the threads come to the same
// states. In the end b's thread is at b. If b reads an interior or shifted write of a round that is taken out, D2 holds. If the thread waits, b blocks it, or is in a round of reads that can be taken
// out too. If it does the same, the conditions hold. If b is an RMW between RMWs of a round, then that is one of 4, or else no round. If b is sure to read its own
// last write m, but does not in G, there is a write right after m in G, by another thread. It is no store by D3, so it is an RMW that reads m, and by D2 its thread
// waits. If b is a store that comes right after a write m of its thread, but not in G, the same holds. ∎
//
// What is in H is found out on the way: the exploration starts again with each value. So does it where there is no discipline. There rounds are no waits, and
// a thread that goes round for ever exceeds the bound on the length of executions. Then the exploration starts again, takes such rounds for waits all the same, and the verdict is bounded
// (leavesOut). Threads that take turns in making each other fail exceed the bound as well, as no round of theirs is one of 4.

// canGoRound reports whether rounds can be waits: the model is monotone, and executions are built in the plain way. Elsewhere, a loop that writes to memory in each
// round has no end.
func canGoRound(opts Options) bool {
	t := opts.Model.Traits()
	return !opts.Observed && !opts.cyclic && !opts.AllRounds && t.Late == nil && !t.Races.Allowed && !t.Races.Own && !t.Reexecutes
}

// wentRound returns 1 if the last n actions of thread t, which is in the same state as before them, are a round.
func (w *worker) wentRound(t int32, n int) uint64 {
	if w.cyclic != nil {
		return 0
	}
	g := w.g
	evs := g.Threads[t]
	evs = evs[w.roundOf(evs, n):]
	made := map[int32]bool{}                                          // whether an object of the round is still there
	before, after := map[int32]event.Value{}, map[int32]event.Value{} // of the places written
	atomic := false
	for i, id := range evs {
		switch e := &g.Events[id]; e.Kind {
		case graph.Read, graph.Fence:
		case graph.Alloc:
			made[e.Loc] = true
		case graph.Free:
			if _, ok := made[e.Loc]; !ok {
				return 0
			}
			made[e.Loc] = false
		case graph.Write:
			if _, temporary := made[w.object[e.Loc]]; temporary {
				continue
			}
			old := g.Locs[e.Loc].Co[e.Co-1]
			if e.Mode == event.NA && w.raceErrors && old != graph.Init && !w.pends[e.Pend].act.Private {
				if _, ok := before[e.Loc]; !ok {
					before[e.Loc] = w.valueOf(old, e.Loc)
				}
				after[e.Loc] = e.Val
				continue
			}
			if w.storesTo(e.Loc, evs[:i]) {
				continue
			}
			atomic = atomic || e.Mode != event.NA
			if !w.givesBack(evs[i:], e.Loc) && !w.putsBack(evs[i:], e.Loc) && !w.leavesOut(t, evs[i:], e.Loc) {
				return 0
			}
		default:
			return 0
		}
	}
	if atomic && len(before) > 0 {
		return 0
	}
	for _, there := range made {
		if there {
			return 0
		}
	}
	for loc, v := range before {
		if after[loc] != v {
			return 0
		}
	}
	return 1
}

// roundOf returns the place of the first of the last n actions of a thread. The read and the write of an RMW are one action.
func (w *worker) roundOf(evs []graph.ID, n int) int {
	from := len(evs)
	for ; n > 0 && from > 0; from-- {
		if e := &w.g.Events[evs[from-1]]; e.Kind != graph.Write || e.Flags&graph.RMWPart == 0 {
			n--
		}
	}
	return from
}

// givesBack reports whether the events of a round, the first of which is a write of loc, leave loc as it was: 3. and 4. of the definition.
func (w *worker) givesBack(evs []graph.ID, loc int32) bool {
	g := w.g
	first, last := g.Events[evs[0]], g.Events[evs[0]]
	var store *graph.Event
	changes, neighbours := false, true
	for _, id := range evs {
		e := &g.Events[id]
		if e.Kind != graph.Write || e.Loc != loc {
			continue
		}
		if e.Flags&graph.RMWPart == 0 {
			store = e
		}
		changes = changes || e.Flags&graph.RMWPart == 0 || e.Val != w.valueOf(g.Locs[loc].Co[e.Co-1], loc)
		if id != evs[0] {
			neighbours = neighbours && g.Events[w.comesAfter(e)].Index == last.Index && g.Events[w.comesAfter(e)].Thread == e.Thread
		}
		last = *e
	}
	switch {
	case !changes:
		return true
	case first.Flags&graph.RMWPart == 0:
		return false
	case !neighbours:
		return store == nil && w.deps == nil && w.addsNothing(first.Co, last.Co, &first)
	case last.Val != w.valueOf(g.Locs[loc].Co[first.Co-1], loc):
		return false
	case (store != nil || w.deps != nil) && !first.Mode.IsAcq(), store != nil && !store.Mode.IsRel(), w.deps != nil && !last.Mode.IsRel():
		return false
	}
	for _, id := range g.Locs[loc].Co[first.Co:last.Co] {
		if e := &g.Events[id]; e.Thread == first.Thread && !w.holds(loc, holding{thread: e.Thread, val: e.Val}, store != nil) {
			return false
		}
	}
	return true
}

// addsNothing reports whether the writes of a round that are at places from to to of co, of which e is one, add 0 in all, and nobody can tell
// that there was something in between: 4. of the definition.
func (w *worker) addsNothing(from, to int32, e *graph.Event) bool {
	g := w.g
	t, loc := e.Thread, e.Loc
	old := w.valueOf(g.Locs[loc].Co[from-1], loc)
	added := uint64(0)
	for i := from; i <= to; i++ {
		id := g.Locs[loc].Co[i]
		e := &g.Events[id]
		act := &w.pends[e.Pend].act
		if e.Flags&graph.RMWPart == 0 || act.RMW != event.Add && act.RMW != event.Sub || act.Size > 8 || old.Hi != 0 || e.Val.Hi != 0 {
			return false
		}
		mask := ^uint64(0) >> (64 - 8*act.Size)
		h := holding{thread: t, val: e.Val}
		if e.Thread == t {
			added += e.Val.Lo - old.Lo
			old = e.Val
			if i == to {
				break
			}
		} else {
			now, then := old, event.Value{Lo: (old.Lo - added) & mask}
			old = e.Val
			if added&mask == 0 {
				continue
			}
			h.counted, h.instead = true, event.Value{Lo: (e.Val.Lo - added) & mask}
			if !w.sameAfter(e.Pend, now, then) {
				return false
			}
		}
		if !w.holds(loc, h, false) {
			return false
		}
	}
	return true
}

// sameAfter reports whether the thread that is at the pending i does the same whether it gets v or u.
func (w *worker) sameAfter(i uint32, v, u event.Value) bool {
	if v == u {
		return true
	}
	pends, arena := len(w.pends), w.arena.Mark()
	same := w.alikeIn(w.resumed(i, v), w.resumed(i, u))
	w.pends = w.pends[:pends]
	w.arena.Release(arena)
	return same
}

// putsBack reports whether the events of a round leave the location loc, which nobody else accesses, as it was: 2. of the definition.
func (w *worker) putsBack(evs []graph.ID, loc int32) bool {
	g := w.g
	first, last := &g.Events[evs[0]], &g.Events[evs[0]]
	for _, id := range evs[1:] {
		if e := &g.Events[id]; e.Kind == graph.Write && e.Loc == loc {
			last = e
		}
	}
	old := g.Locs[loc].Co[first.Co-1]
	if o := &g.Events[old]; old == graph.Init && w.object[loc] >= 0 || last.Val != w.valueOf(old, loc) ||
		w.tracks && old != graph.Init && o.Thread == first.Thread && (o.Data != 0 || o.Addr != 0) {
		return false
	}
	owner := first.Thread + 1
	if known := w.disciplines[g.Locs[loc].Addr].owner; known != 0 || w.stop.Load() {
		return known == owner
	}
	w.know(loc, func(d *discipline) { d.owner = owner })
	return false
}

// leavesOut reports whether a round is taken for a wait though others may tell: at the location loc, it leaves the value that was there before. That is so only if
// an execution without end was found, and the verdict then says that not all is explored.
func (w *worker) leavesOut(t int32, evs []graph.ID, loc int32) bool {
	first, last := &w.g.Events[evs[0]], &w.g.Events[evs[0]]
	for _, id := range evs[1:] {
		if e := &w.g.Events[id]; e.Kind == graph.Write && e.Loc == loc {
			last = e
		}
	}
	old := w.g.Locs[loc].Co[first.Co-1]
	if w.stop.Load() || old == graph.Init && w.object[loc] >= 0 || last.Val != w.valueOf(old, loc) {
		return false
	}
	if !w.lenient {
		if !w.refused.Load() {
			w.refused.Store(true)
		}
		return false
	}
	w.notExplored(fmt.Sprintf("iterations of the loop at %s that leave memory as it was were not all explored, though other threads may see what it was in between",
		w.location(w.sourcePos(w.pendingOf(t)))))
	return true
}

// comesAfter returns the write that e comes right after in co, but for RMWs of other threads that write what they read.
func (w *worker) comesAfter(e *graph.Event) graph.ID {
	g := w.g
	co := g.Locs[e.Loc].Co
	i := e.Co - 1
	for ; i > 0; i-- {
		if o := &g.Events[co[i]]; o.Flags&graph.RMWPart == 0 || o.Thread == e.Thread || o.Val != w.valueOf(co[i-1], e.Loc) {
			break
		}
	}
	return co[i]
}

// A discipline says how a location is used at which rounds take something and give it back.
type discipline struct {
	held   []holding
	vals   []event.Value // all that are written
	stores bool          // some rounds have writes there that are no RMWs
	none   bool          // there is no discipline
	owner  int32         // 1 more than the thread that is the only one to access the location; 0 if that does not matter, -1 if there is none
}

// A holding is a value that is there because of a round of a thread.
type holding struct {
	thread  int32
	val     event.Value
	counted bool        // another thread writes it
	instead event.Value // and would write that without the round
}

// holds reports whether it is known that h is held. If not, the exploration starts again and knows it.
func (w *worker) holds(loc int32, h holding, stores bool) bool {
	d := w.disciplines[w.g.Locs[loc].Addr]
	if d.none || slices.Contains(d.held, h) && (d.stores || !stores) {
		return !d.none
	}
	w.know(loc, func(d *discipline) {
		if !slices.Contains(d.held, h) {
			d.held = append(slices.Clip(d.held), h)
		}
		d.add(h.val)
		d.stores = d.stores || stores
	})
	return false
}

// add adds a value that is written.
func (d *discipline) add(v event.Value) {
	if !slices.Contains(d.vals, v) {
		d.vals = append(slices.Clip(d.vals), v)
	}
	d.none = d.none || len(d.vals) > maxVals
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
		if d.vals == nil {
			d.add(w.initialValue(loc))
		}
		change(&d)
		r.learnt[addr] = d
	})
}

// followDiscipline looks whether the access id, which was added last in its thread, follows the discipline of its location, if there is one: D2 to D4.
func (w *worker) followDiscipline(id graph.ID) {
	g := w.g
	e := g.Events[id]
	d, ok := w.disciplines[g.Locs[e.Loc].Addr]
	if !ok || w.alone(e.Thread) {
		return
	}
	if d.owner > 0 && d.owner != e.Thread+1 {
		w.know(e.Loc, func(d *discipline) { d.owner = -1 })
	}
	if len(d.held) == 0 || d.none {
		return
	}
	if e.Kind == graph.Write && !slices.Contains(d.vals, e.Val) {
		w.know(e.Loc, func(d *discipline) { d.add(e.Val) })
	}
	switch {
	case e.Kind == graph.Read && !w.waitsFor(e.Thread, &d):
		if src := g.Events[e.RF]; e.RF != graph.Init && src.Thread == e.Thread && g.CoMaximal(&e) {
			w.holds(e.Loc, holding{thread: e.Thread, val: src.Val}, true)
			return
		}
	case e.Kind == graph.Write && e.Flags&graph.RMWPart == 0:
		if id := w.comesAfter(&e); id != graph.Init && g.Events[id].Thread == e.Thread {
			w.holds(e.Loc, holding{thread: e.Thread, val: g.Events[id].Val}, true)
			return
		}
	default:
		return
	}
	w.know(e.Loc, func(d *discipline) { d.none = true })
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
		if h.thread == t || act.Kind == machine.RMW && !d.stores && succeeds(act, h.val) {
			continue
		}
		if !w.onlyWaits(i, h.val, d, maxReads) && !(h.counted && !d.stores && w.sameAfter(i, h.val, h.instead)) {
			answer = no
			break
		}
	}
	w.pends[i].waits = answer
	return answer == yes
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
	if act.Kind == machine.RMW && succeeds(&act, v) && act.RMW.Apply(v, act.Val, act.Size) != v {
		return false
	}
	next := w.resumed(i, v)
	switch to := &w.pends[next].act; {
	case to.Kind == machine.Block && (to.Block == machine.Spin || to.Block == machine.Lock):
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
