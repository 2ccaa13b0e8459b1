package explore

import (
	"fmt"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// Rounds: iterations with zero net effect.
//
// A thread that comes back to where it was in a loop, with the same registers, does the same again as long as it reads the same. If the iteration has
// also left memory as it was, going round is waiting (machine.Round): take a lock, look, give it back. That such loops are waits is an idea of
// Kokologiannakis, Ren, Vafeiadis, "Dynamic Partial Order Reductions for Spinloops" (FMCAD'21). What follows is ours.
//
// Definition. A round R is a set of consecutive events of a thread t with these properties. t is in the same state before and after R. R has reads, fences, writes, choices, and
// objects that are allocated and freed in R, nothing else. And R leaves each location x that it writes as it was, in one of these ways:
//
//	Z1 (plain)    No write of R to x is atomic, and races are errors. The last one has the value that was there before, and R has no atomic write between it and the first one.
//	Z2 (private)  Only t accesses x, and the last write of R has the value that was there before. Under a model with dependencies, that value depended on nothing that t had read.
//	Z3 (lock)     The writes of R to x follow each other in co. The first one, w, is that of an RMW, which reads from a, and the last one, z, has the value of a. If some are
//	              no RMWs, w acquires and the last of these releases. Under a model with dependencies, w acquires and z releases.
//	Z4 (counter)  The writes of R to x, and those between them in co, are RMWs that add something. Those of R add 0 in all. A thread whose RMW is between them does the same, in
//	              the same state, if it reads the value that it would read without R. The model has no dependencies.
//	Z5 (again)    x is serial (await.go). The writes of R to x are stores that follow each other in co, the first one right after a store s0 of t with the same value and mode. The model has no dependencies.
//
//	Z6 (guarded)  x is guarded by a lock (look.go), which t holds from the first write of R to x to the last one. That has the value that was there before.
//
// The writes of R by Z3 and Z4 before the last one are interior. By Z4, those between them are shifted: without R, they have other values.
//
// Rule W. A thread is blocked after a round (machine.Spin).
//
// Lemma 1. Let G be a consistent execution with a round R, such that
//
//	(a) each read outside of R of an interior or shifted write is that of an RMW of Z4, or makes no difference to its thread;
//	(b) no other write is co-between those of R.
//
// Let G' be G without R, where each read of a write of R reads the last write before it in co that is not of R. Then G' is a consistent execution in which all threads come to the same states.
//
// Proof. t does the same without R, as it is in the same state after R. By (a), so do the other threads. The relations of the models are monotone: fewer events mean fewer
// constraints. New in G' are only edges from a to an event q, where q is a read of z or an RMW of Z4.
//
//   - fr: only RMWs are between a and z in co, so q comes before the same writes. rf: (a, q) was in co;rf.
//   - hb, Z3 and Z4: let a release and q acquire. Then a happened before q in G: q read from the release sequence of a, or else w acquires from a, and what q read was
//     released after w. So nothing happens before q that did not. Under a model with dependencies w acquires and z releases, so a was ordered before q, and so was what is ordered before a.
//   - Z5: a read of R's stores reads s0 instead, which has the same value. What happened before s0 happened before these stores, and they have the mode of s0, so nothing happens before
//     the read that did not. As x is serial, who writes x later has heard of R's stores: no write comes co-between s0 and them, which is (b).
//   - Z2: what t reads from z in G, it reads from the value before in G'. This orders nothing new.
//   - Z1: suppose that the program has no races. An access of x by another thread then happens before all writes of R to x or after all of them, as t releases nothing between them. So who reads x from R in G reads the last write before R in G',
//     which has the same value, and no other write is between the two. If the program has races, G need not be explored: see below.
//   - Z6: all accesses of x are in the order in which threads hold the lock, so none of another thread is between the writes of R. Who reads x from R in G reads the last write before R in G', which has the same value, and is before it in that order. ∎
//
// So W loses no outcome if (a) and (b) hold for all rounds in all executions. discipline.go sees to that. Errors that rounds have with what comes after their loop are the matter of aftermath.go.

// Lemma 1 is about models that are monotone, and that order events by release and acquire or by dependencies. Of others (model.Traits.Rounds):
//
//   - jam21: rf, [acq];po and po;[rel] are in vo. So a was before q in vo and in (po ∪ rf)+: by rf from a to w, from w to the last store of R by [acq];po, and from there by rf from RMW to RMW.
//     By Z2, what is before the write of a in vo is also before z, if a does not release and is no RMW. What is new is that a may be the last write of x, and every
//     other write has to come before it in pushto. java.go looks whether all of them are before a in (po ∪ rf)+ anyway, as those of a lock are.
//     It does not look at executions with cycles in po ∪ rf: if there may be some, they are not explored, and the verdict is bounded.
//   - jam19 has the same vo. But of po, only what svo, ra and push have of it is in pushto, so the writes of x are before a only if they are linked (java.go).
//   - lkmm, by Z2 and Z3: let X be what ends with a in cumul-fence*. If a is external to t, rfe from a to w and po from w to z, which releases, are in cumul-fence: so is po from a to z if a is internal. So what is
//     before q by X and rfe from a in prop was so by X, cumul-fence and rfe from z, if q is external to t; with rmw-sequence, too, as z begins one. And rfe from a to q was in hb+, as acq-po and po-rel are in ppo. If
//     q is internal to t, let a be external: what is before q in prop or hb was before w so, and acq-po, or a strong fence after q, which is one after w as well, was there. If both are internal, rfi adds
//     something only to a dependency on which a depends, or if a releases and q acquires (lkmm-2018). Either was there from a to w, followed by acq-po. All other relations are
//     monotone. Plain accesses are ordered by less than before, so what races, races without R; a round with plain writes is none (see below), and a location at which rounds take something and that has plain accesses is
//     not used with discipline.
//   - xmm: Lemma 1 is about its executions without cycles in po ∪ rf, which are those of rc11. sync.go says when there are no others; else they are not explored, and the verdict is bounded.
//   - A model in cat may say anything: with jam21 written in cat, a round makes a difference in testdata/c/waits/last-write.c. There, a round that writes is a wait if it is like the one before, as the thread may go on like that for ever. The verdict is then bounded.

// roundsMayWait reports whether threads ask if they go round.
func roundsMayWait(opts Options) bool {
	return !opts.cyclic && !opts.AllRounds
}

// roundsAreWaits reports whether Lemma 1 holds, so that rounds are waits without a loss.
func roundsAreWaits(opts Options) bool {
	t := opts.Model.Traits()
	return roundsMayWait(opts) && (t.Rounds || t.Late == nil && !t.Races.Allowed && !t.Races.Own)
}

// zeroNetEffect returns 1 if the last n actions of thread t, which is in the same state as before them, are a round.
func (w *worker) zeroNetEffect(t int32, n int) uint64 {
	if w.observed {
		w.stopWithoutCo(t)
	}
	if w.builds || w.observed {
		return 0
	}
	from := w.roundOf(w.g.Threads[t], n)
	evs := w.g.Threads[t][from:]
	switch {
	case w.traits.Reexecutes && !w.polls:
		if w.opts.Machine.Unroll == 0 && (w.repeats(evs) || w.goesOn(t, from, maxEqual, false)) {
			w.startAgain(func(r *run) { r.polls = true })
		}
		return 0
	case !w.rounds, (w.traits.Races.Own || w.java != nil) && w.writesPlainly(evs):
		if w.opts.Machine.Unroll > 0 || !w.goesOn(t, from, maxEqual, false) {
			return 0
		}
		w.notExplored(fmt.Sprintf("iterations of the loop at %s that leave memory as it was were not all explored: under %s they may make a difference",
			w.location(w.sourcePos(w.pendingOf(t))), w.m.Name()))
	case !w.leavesMemory(t, evs):
		if w.refused.Load() && !w.stop.Load() && w.opts.Machine.Unroll == 0 && (w.repeats(evs) || w.goesOn(t, from, maxEqual, true)) {
			w.takeLenient()
		}
		return 0
	case w.traits.Reexecutes:
		w.roundsLeftOut(t, evs)
	case w.looks:
		w.learnLook(t, evs)
	}
	return 1
}

// writesPlainly reports whether there are plain writes among the events. Where races are allowed, or the model says what they are, Z1 does not hold.
func (w *worker) writesPlainly(evs []graph.ID) bool {
	return slices.ContainsFunc(evs, func(id graph.ID) bool {
		e := &w.g.Events[id]
		return e.Kind == graph.Write && e.Mode == event.NA && !w.pends[e.Pend].act.Private
	})
}

// maxEqual is how many equal rounds in a row are explored where rounds need not be waits. Most loops that have an end have it before.
const maxEqual = 5

// goesOn reports whether the events of thread t from a place on are what they were in the rounds before, of which there are so many in all, and leave memory as it was: then t may go on like that for ever, as it
// may read from the same writes again. Spurious failures count only if spurious says so.
func (w *worker) goesOn(t int32, from, rounds int, spurious bool) bool {
	g := w.g
	evs := g.Threads[t]
	n := len(evs) - from
	if from < (rounds-1)*n {
		return false
	}
	for i := range n {
		b := &g.Events[evs[from+i]]
		for k := 1; k < rounds; k++ {
			if a := &g.Events[evs[from-k*n+i]]; a.Kind != b.Kind || a.Loc != b.Loc || a.Val != b.Val || (a.Flags^b.Flags)&graph.Spurious != 0 || a.Flags&graph.Spurious != 0 && !spurious {
				return false
			}
		}
		switch {
		case b.Kind == graph.Read || b.Kind == graph.Fence:
		case b.Kind != graph.Write || !w.storesTo(b.Loc, evs[from:from+i]) && !w.leavesAsWas(evs[from+i:], b.Loc):
			return false
		}
	}
	return true
}

// leavesMemory reports whether consecutive events of thread t leave memory as it was, by Z1 to Z4. Where rounds are no waits, only Z1 counts; if races are
// allowed, the verdict tells of those.
func (w *worker) leavesMemory(t int32, evs []graph.ID) bool {
	g := w.g
	made := map[int32]bool{} // whether an object of the round is still there
	for i, id := range evs {
		switch e := &g.Events[id]; e.Kind {
		case graph.Read, graph.Fence:
		case graph.Choice:
			if w.pends[e.Pend].act.Weak {
				return false // a wait for a signal that ends without one (wakeup.go)
			}
		case graph.Alloc:
			made[e.Loc] = true
		case graph.Free:
			if _, ok := made[e.Loc]; !ok {
				return false
			}
			made[e.Loc] = false
		case graph.Write:
			if _, temporary := made[w.object[e.Loc]]; temporary {
				continue
			}
			if w.cyclic != nil || w.observed {
				return false
			}
			if !w.storesTo(e.Loc, evs[:i]) && !w.isAsBefore(t, evs, i) {
				return false
			}
		default:
			return false
		}
	}
	for _, there := range made {
		if there {
			return false
		}
	}
	return true
}

// isAsBefore reports whether a round of thread t leaves the location as it was that is first written by the event at place i: Z1 to Z5.
func (w *worker) isAsBefore(t int32, round []graph.ID, i int) bool {
	evs, loc := round[i:], w.g.Events[round[i]].Loc
	if !w.rounds {
		return w.restoresPlain(round, i)
	}
	return w.givesBack(evs, loc) || w.putsBack(evs, loc) || w.restoresPlain(round, i) || w.writesAgain(evs, loc) || w.isUnderLock(t, evs, loc) || !w.hasTurned && !w.turns(t, round, i) && w.leavesOut(t, evs, loc)
}

// restoresPlain reports whether a round leaves the location as it was that is first written by the event at place i: Z1. Where races are allowed, it must have no atomic writes at all.
func (w *worker) restoresPlain(round []graph.ID, i int) bool {
	if !w.raceErrors && w.java == nil {
		return false
	}
	g := w.g
	loc, atomic := g.Events[round[i]].Loc, false
	between := false // the last atomic write
	for k, id := range round {
		e := &g.Events[id]
		switch {
		case e.Kind != graph.Write:
		case e.Loc == loc && (between || e.Mode != event.NA || w.pends[e.Pend].act.Private):
			return false
		case e.Mode != event.NA:
			atomic, between = true, k > i
		}
	}
	return !(atomic && w.java != nil) && w.leavesAsWas(round[i:], loc)
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

// givesBack reports whether the events of a round, the first of which is a write of loc, leave loc as it was: Z3 and Z4.
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
		if e := &g.Events[id]; e.Thread == first.Thread && !w.holds(loc, holding{thread: e.Thread, val: e.Val, stores: store != nil}) {
			return false
		}
	}
	return true
}

// addsNothing reports whether the writes of a round that are at places from to to of co, of which e is one, add 0 in all, and no thread can tell
// that there was something in between: Z4.
func (w *worker) addsNothing(from, to int32, e *graph.Event) bool {
	g := w.g
	t, loc := e.Thread, e.Loc
	old := w.valueOf(g.Locs[loc].Co[from-1], loc)
	added := uint64(0)
	for i := from; i <= to; i++ {
		id := g.Locs[loc].Co[i]
		e := &g.Events[id]
		act := &w.pends[e.Pend].act
		if e.Flags&graph.RMWPart == 0 || act.RMW != event.Add && act.RMW != event.Sub && act.RMW != event.AddUnless || act.Size > 8 || old.Hi != 0 || e.Val.Hi != 0 {
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
		if !w.holds(loc, h) {
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

// leavesAsWas reports whether the events of a round, the first of which is a write of loc, end with the value there that was there before.
func (w *worker) leavesAsWas(evs []graph.ID, loc int32) bool {
	first, last := &w.g.Events[evs[0]], &w.g.Events[evs[0]]
	for _, id := range evs[1:] {
		if e := &w.g.Events[id]; e.Kind == graph.Write && e.Loc == loc {
			last = e
		}
	}
	old := w.g.Locs[loc].Co[first.Co-1]
	return (old != graph.Init || w.object[loc] < 0) && last.Val == w.valueOf(old, loc)
}

// putsBack reports whether the events of a round leave the location loc, which no other thread accesses, as it was: Z2.
func (w *worker) putsBack(evs []graph.ID, loc int32) bool {
	g := w.g
	first := &g.Events[evs[0]]
	old := g.Locs[loc].Co[first.Co-1]
	switch o := &g.Events[old]; {
	case !w.leavesAsWas(evs, loc):
		return false
	case old == graph.Init || o.Thread != first.Thread:
	case w.tracks && (o.Data != 0 || o.Addr != 0), w.java != nil && (o.Mode.IsRel() || o.Flags&graph.RMWPart != 0):
		return false
	}
	owner := first.Thread + 1
	if known := w.disciplines[g.Locs[loc].Addr].owner; known != 0 || w.stop.Load() {
		return known == owner
	}
	w.know(loc, func(d *discipline) { d.owner = owner })
	return false
}

// writesAgain reports whether the events of a round, the first of which is a write of loc, store there what their thread has stored there last: Z5.
func (w *worker) writesAgain(evs []graph.ID, loc int32) bool {
	if !w.postpones || w.deps != nil || w.traits.TracksDeps {
		return false
	}
	g := w.g
	co := g.Locs[loc].Co
	at := g.Events[evs[0]].Co
	id := co[at-1]
	if id == graph.Init || g.Events[id].Thread != g.Events[evs[0]].Thread || g.Events[id].Flags&graph.RMWPart != 0 {
		return false
	}
	before := &g.Events[id]
	for _, id := range evs {
		e := &g.Events[id]
		if e.Kind != graph.Write || e.Loc != loc {
			continue
		}
		if e.Co != at || e.Flags&graph.RMWPart != 0 || e.Val != before.Val || e.Mode != before.Mode || e.Tag != before.Tag {
			return false
		}
		at++
	}
	return w.displacesAt(loc)
}

// isUnderLock reports whether the events of a round of thread t, the first of which writes loc, leave loc as it was, under a lock that guards it: Z6. What is not known, the exploration learns.
func (w *worker) isUnderLock(t int32, evs []graph.ID, loc int32) bool {
	if !w.looks || w.stop.Load() || !w.leavesAsWas(evs, loc) {
		return false
	}
	g := w.g
	from, to := g.Events[evs[0]].Index, int32(0)
	for _, id := range evs {
		if e := &g.Events[id]; e.Kind == graph.Write && e.Loc == loc {
			to = e.Index
		}
	}
	d := w.disciplines[g.Locs[loc].Addr]
	if d.bare {
		return false
	}
	if d.guarded {
		lock, ok := g.Find(d.guard, d.guardSize)
		l := w.disciplines[d.guard]
		return ok && l.isLock() && w.holdsLock(t, lock, l.free, from, to)
	}
	for i := from - 1; i > 0; i-- {
		e := g.Events[g.Threads[t][i]]
		if !isUpdate(&e) || e.Loc == loc || !e.Mode.IsAcq() || e.Tag != event.NoTag {
			continue
		}
		free := w.valueOf(g.Locs[e.Loc].Co[e.Co-1], e.Loc)
		if l := w.disciplines[g.Locs[e.Loc].Addr]; !l.none && !l.noLock && (!l.lock || l.free == free) && w.holdsLock(t, e.Loc, free, from, to) {
			w.learnGuard(loc, e.Loc, free)
			return false
		}
	}
	return false
}

// holdsLock reports whether thread t, before its event from, has written by an RMW that the lock is not free, and does not write there up to its event to.
func (w *worker) holdsLock(t, lock int32, free event.Value, from, to int32) bool {
	g := w.g
	if int(t) >= len(g.Locs[lock].Last) {
		return false
	}
	id := g.Locs[lock].Last[t].Write
	for id != graph.None && g.Events[id].Index > to {
		id = g.Events[id].Prev
	}
	return id != graph.None && g.Events[id].Index < from && isUpdate(&g.Events[id]) && g.Events[id].Val != free
}

// leavesOut reports whether a round is taken for a wait though others may tell: at the location loc, it leaves the value that was there before, or adds 0 in all. That is so only if
// an execution without end was found, and the verdict then says that not all is explored.
func (w *worker) leavesOut(t int32, evs []graph.ID, loc int32) bool {
	return !w.stop.Load() && (w.leavesAsWas(evs, loc) || w.addsZero(evs, loc)) && w.isTakenForWait(t)
}

// isTakenForWait reports whether a round of thread t that leaves memory as it was is taken for a wait, though it is not known whether that makes a difference.
func (w *worker) isTakenForWait(t int32) bool {
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

// addsZero reports whether the events of a round write loc by RMWs only, and these change it by 0 in all. Other threads may write between them.
func (w *worker) addsZero(evs []graph.ID, loc int32) bool {
	g := w.g
	sum := uint64(0)
	for _, id := range evs {
		e := &g.Events[id]
		if e.Kind != graph.Write || e.Loc != loc {
			continue
		}
		act := &w.pends[e.Pend].act
		if e.Flags&graph.RMWPart == 0 || act.Size > 8 {
			return false
		}
		sum += (e.Val.Lo - w.valueOf(g.Locs[loc].Co[e.Co-1], loc).Lo) << (64 - 8*act.Size)
	}
	return sum == 0
}

// takeLenient has the exploration start again because of an execution without end, and take rounds for waits that others may see. It returns false if it does so already.
func (w *worker) takeLenient() bool {
	if w.lenient {
		return false
	}
	w.startAgain(func(r *run) { r.lenient = true })
	return true
}

// comesAfter returns the write that e comes right after in co, apart from RMWs of other threads that write what they read.
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
