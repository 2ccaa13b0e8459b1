package explore

import (
	"cmp"
	"fmt"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
)

// Errors of a round with what comes after it.
//
//	while (!ready) { if (p->n == 7) break; } done = 1;     ||     ready = 1; if (done) free(p);
//
// A thread is blocked after a round (machine.Spin, round.go). What comes after the loop is explored without rounds. So no graph has both a round and an event that is there only because the thread has left the loop. That pair may be an
// error of its own: here, if all is relaxed, nothing orders the access of p->n before the free, and in the graph in which p is freed the thread has not accessed it.
//
// Definition. Let R be a round after which a thread t is blocked, of the spin loop L. An exit of R is an event of t of the same action as the first event of R, or as one of
// the last events before R that are in spin loops, which may be around L: at the same place of the program, with the same address. An event q of another
// thread is late for R if it conflicts with an access e of R, and an exit h of R comes before q in po ∪ rf but not in hb. Conflict: e and q access the same location, one of them writes, and one is not atomic; or q frees what e accesses, or is
// the end of the thread that it belongs to.
//
// Rule A. If in some graph an event is late for a round of the loop L, the run starts again, and L is loud: a thread goes on after a round of L, and is blocked only after another one that follows at once.
//
// Lemma. If a consistent execution has an error by an access e of a round R and an event q of another thread, which e does not happen before, then an error is found.
//
// Proof. Let G be that execution. Take all other rounds out of it, one after the other, and then what is neither in R nor in the prefixes of R and q. That is consistent, by Lemma 1 of round.go; for rounds that only read, because the models are prefix-closed and
// their relations monotone. e does not happen before q still, as there is less of hb. If t has no event after R, R is the last that t does. W leaves that graph, and what drops it (await.go, lost.go) has an argument about errors of t.
// Otherwise let h be the first event of t after R. t is in the same state as before R, so h is an exit of R. h is in the prefix of q, and does not happen before q: else e would. If W leaves G without R, q is late for R, and L is loud. Then W leaves the execution
// with R as well. Otherwise R is in an iteration of a loop around L that is a round, R' (and R' without R is one, too). Then let R' be the round of e, and h be the first event after it, which is of the action that t began R' with, before R. So
// L is loud by R, and then the loop around L by R'. ∎
//
// What spurious.go, wakeup.go and reread.go leave out are rounds in the sense of the definition, too: the thread comes to the action again with which they begin. They have no loop that could be loud. Where an event is late for one, the verdict is bounded.
//
// Executions with cycles in po ∪ rf are looked for where executions without show that they may exist (buffer.go, xmm). A read of a round may be what shows it: then a write that it may read comes after the loop. So under such models a read conflicts with all
// writes, and the verdict is bounded where one is late for it.
//
// An event is not late for an access if the threads of both hold the same lock then: the one has given it back before the other took it.
//
// Vain attempts (refuse.go) and looks in vain (look.go) are no such rounds: what is left out there are accesses of the location of the RMW before which the thread is stopped, which is an access of the exit too, and of what is used in a way that rules
// out races and uses after free.
//
// All rounds that are met, and all events that may be late for one, are only noted by their places. If there is a place that both have, the run starts again with those, its suspects, and looks for exits.
//
// Under sc, tso and pso, po ∪ rf is hb for races, so no access is late. Under pso a write of R may take effect later (model.Traits.InEffect): there, a free or an end of a thread need only come after the exit, unless t has ended. With cycles
// in po ∪ rf, what may be late is only told apart by creations and joins, and the verdict is bounded where such an event may be late for a round.

// A RoundAccess is an access of a round after which a thread was blocked.
type RoundAccess struct {
	Thread   int32 // noThread if it is that of any thread, as there may be equal ones
	Loop     ir.Pos
	First    ir.Pos     // of the action of exits; ir.NoPos: any that accesses Addr
	Addr     event.Addr // that it accesses, 0 if it accesses nothing
	Place    event.Addr // where the access is, the object that it is in, or (endOf) the thread that this belongs to
	Conflict conflicts  // with what it conflicts
	Lock     event.Addr `json:",omitempty"` // that the thread holds then, which it has taken in the round
	acquires bool       // the action of exits acquires
	Buffered bool       `json:",omitempty"` // it is a read, and conflicts as it may be buffered
	Again    bool       `json:",omitempty"` // the round was left out otherwise than by blocking the thread in a loop
}

func (a RoundAccess) compare(b RoundAccess) int {
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Loop, b.Loop), cmp.Compare(a.First, b.First), cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Conflict, b.Conflict), cmp.Compare(a.Lock, b.Lock), compareBools(a.Buffered, b.Buffered), compareBools(a.Again, b.Again))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// conflicts are kinds of events.
type conflicts uint8

const (
	plainWrites conflicts = 1 << iota
	plainReads
	atomicWrites
	atomicReads
	endings // a free, or the end of a thread
)

// kindAmong returns the kind of an access.
func kindAmong(e *graph.Event) conflicts {
	k := plainWrites
	if e.Mode != event.NA {
		k = atomicWrites
	}
	if e.Kind == graph.Read {
		k <<= 1
	}
	return k
}

// conflictsOf returns the kinds of accesses that conflict with one of kind k, if races are errors.
func conflictsOf(k conflicts) conflicts {
	switch k {
	case plainWrites:
		return plainWrites | plainReads | atomicWrites | atomicReads
	case plainReads:
		return plainWrites | atomicWrites
	case atomicWrites:
		return plainWrites | plainReads
	}
	return plainWrites
}

// A LateEvent says what kinds of events that end or access a place may be late.
type LateEvent struct {
	Place event.Addr
	Kind  conflicts
}

// endOf stands for the end of a thread.
func endOf(t int32) event.Addr { return ^event.Addr(t) }

// maxSuspects bounds how many accesses are looked for at their exits. With more, all of their loops are loud.
const maxSuspects = 256

// notesRounds reports whether rule A holds.
func (w *worker) notesRounds() bool {
	return !w.observed && !w.builds && w.opts.Hunt == 0 && (w.racesMatter() || w.buffersMatter() || w.opts.MemoryCheck)
}

// racesMatter reports whether races are errors, or the model says what they are.
func (w *worker) racesMatter() bool { return w.raceErrors || w.flags != nil }

// buffersMatter reports whether a read of a round that reads what comes after the loop is looked for in executions without cycles.
func (w *worker) buffersMatter() bool {
	return w.cyclic == nil && (w.deps != nil || w.traits.Reexecutes || w.java != nil)
}

// noteRound notes that thread t blocks in a loop after its last n actions, and after the read act, at which it is, if that is not nil. Reads of settled locations that
// may come then (settled.go) conflict with nothing.
func (w *worker) noteRound(t int32, n int, act, block *machine.Action) {
	if !w.notes || w.cyclic != nil || n <= 0 || slices.Contains(w.loud, block.Pos) {
		return
	}
	from := w.roundOf(w.g.Threads[t], n)
	before, evs := w.g.Threads[t][:from], w.g.Threads[t][from:]
	if len(evs) == 0 || act == nil && len(evs) == 1 && w.g.Events[evs[0]].Kind == graph.Read {
		return // the exit accesses the same
	}
	w.noteExit(t, evs, act, block, &w.pends[w.g.Events[evs[0]].Pend].act)
	for k := len(before) - 1; k > 0 && k >= len(before)-maxBefore; k-- {
		if first := &w.pends[w.g.Events[before[k]].Pend].act; first.Awaits || first.Retries {
			w.noteExit(t, evs, act, block, first)
		}
	}
}

// maxBefore is how many events before a round are looked at for those of loops around it.
const maxBefore = 32

// noteExit is noteRound for one action of exits.
func (w *worker) noteExit(t int32, evs []graph.ID, act, block, first *machine.Action) {
	w.noteAccesses(t, evs, exitsAt(first, block.Pos), act, block.CtrlDep)
}

// exitsAt returns what is known of the accesses of a round in a loop whose exits are of the action first.
func exitsAt(first *machine.Action, loop ir.Pos) RoundAccess {
	return RoundAccess{Loop: loop, First: first.Pos, Addr: addrOf(first), acquires: first.Mode.IsAcq()}
}

// noteAgain is noteRound for a set of events of thread t that spurious.go, wakeup.go or reread.go leaves out.
func (w *worker) noteAgain(t int32, evs []graph.ID) {
	if !w.notes || len(evs) < 2 {
		return
	}
	first := &w.pends[w.g.Events[evs[0]].Pend].act
	a := exitsAt(first, w.sourcePos(&w.pends[w.g.Events[evs[0]].Pend]))
	a.Again = true
	w.noteAccesses(t, evs[1:], a, nil, w.pendingOf(t).act.CtrlDep)
}

// noteAccesses notes the accesses among events of thread t, and that of the read act if that is not nil, as such a. The thread has tested what some have read.
func (w *worker) noteAccesses(t int32, evs []graph.ID, a RoundAccess, act *machine.Action, tested event.DepSet) {
	if a.Thread = t; w.twins != nil {
		a.Thread = noThread
	}
	for k, id := range evs {
		e := &w.g.Events[id]
		if e.Kind != graph.Read && e.Kind != graph.Write {
			continue
		}
		a.Lock = w.lockHeld(evs[:k])
		w.noteAccess(t, a, e.Loc, kindAmong(e), w.mayBeBuffered(e.Loc, e.Mode, w.tracks && w.g.Deps.Has(tested, e.Index), &a))
	}
	if act != nil {
		a.Lock = 0
		loc := w.locOf(t, act)
		w.noteAccess(t, a, loc, kindAmong(&graph.Event{Kind: graph.Read, Mode: act.Mode}), w.mayBeBuffered(loc, act.Mode, w.tracks && w.g.Deps.Has(tested, int32(len(w.past(t)))), &a))
	}
}

// mayBeBuffered reports whether a read of a round may be one that reads what comes after the loop although the exit of a shows nothing of that. Else it is ordered before what comes after it, as it acquires, or as the thread has tested
// what it has read; or the exit reads the same location, with no more constraints; or rounds take and give back what is there, as they do a lock: then the RMW that follows acquires, and reads from the same write or a later one,
// and who writes there has acquired what was written before.
func (w *worker) mayBeBuffered(loc int32, mode event.Mode, isTested bool, a *RoundAccess) bool {
	addr := w.g.Locs[loc].Addr
	d := w.disciplines[addr]
	switch isExit := addr == a.Addr; {
	case !w.buffersMatter() || mode.IsAcq() || len(d.held) > 0 && !d.none, isExit && !a.acquires:
		return false
	case isTested:
		return w.traits.Armed != nil && !isExit
	}
	return true
}

// lockHeld returns the last location that a thread has changed among the events by an RMW that acquires, and not written since; 0 if there is none.
func (w *worker) lockHeld(evs []graph.ID) event.Addr {
	for k := len(evs) - 1; k > 0; k-- {
		if e := &w.g.Events[evs[k]]; isUpdate(e) && e.Mode.IsAcq() && e.Val != w.g.Events[evs[k-1]].Val && !w.storesTo(e.Loc, evs[k+1:]) {
			return w.g.Locs[e.Loc].Addr
		}
	}
	return 0
}

// holdsToo reports whether the thread of q, the last event there, has taken a lock at addr and not given it back, and has heard of all that was written there before.
func (w *worker) holdsToo(q *graph.Event, addr event.Addr) bool {
	g := w.g
	evs := g.Threads[q.Thread]
	for k := int(q.Index) - 1; k > 0; k-- {
		e := &g.Events[evs[k]]
		if e.Kind != graph.Write || g.Locs[e.Loc].Addr != addr {
			continue
		}
		if !isUpdate(e) || !e.Mode.IsAcq() || e.Val == g.Events[evs[k-1]].Val {
			return false
		}
		for _, c := range g.Locs[e.Loc].Co[1:e.Co] {
			if c := &g.Events[c]; !w.leadsTo(c, e, true) {
				return false
			}
		}
		return true
	}
	return false
}

// addrOf returns what address an action accesses. That of an allocation depends on what was allocated before.
func addrOf(act *machine.Action) event.Addr {
	switch act.Kind {
	case machine.Load, machine.Store, machine.RMW:
		return act.Addr
	}
	return 0
}

// noteAccess notes an access of a round of thread t. If it is a read that may be buffered, it conflicts with all writes.
func (w *worker) noteAccess(t int32, a RoundAccess, loc int32, kind conflicts, buffered bool) {
	addr := w.g.Locs[loc].Addr
	a.acquires = false // it has been looked at
	note := func(place event.Addr, k conflicts) {
		a.Place, a.Conflict = place, k
		if !w.wentRound[a] {
			if w.wentRound == nil {
				w.wentRound = map[RoundAccess]bool{}
			}
			w.wentRound[a] = true
		}
	}
	if w.racesMatter() {
		note(addr, conflictsOf(kind))
	}
	if buffered && kind&(plainReads|atomicReads) != 0 {
		a.Buffered = true
		note(addr, plainWrites|atomicWrites)
		a.Buffered = false
	}
	if !w.opts.MemoryCheck || w.traits.InEffect != nil && kind&(plainWrites|atomicWrites) == 0 {
		return
	}
	obj := w.object[loc]
	if obj >= 0 {
		note(w.g.Locs[obj].Addr, endings)
	}
	if owner := int32(addr.Owner()) - 1; owner >= 0 && owner != t && (obj < 0 || w.g.Locs[obj].Alloc != graph.None && w.g.Events[w.g.Locs[obj].Alloc].Flags&graph.OnStack != 0) {
		note(endOf(owner), endings) // as endsWith says
	}
}

// accessMayBeLate notes that the access id may be late for rounds, if events come before it in po ∪ rf that do not happen before it.
func (w *worker) accessMayBeLate(id graph.ID) {
	e := &w.g.Events[id]
	k := kindAmong(e)
	if e.Kind == graph.Write && w.inNewBlock(e) {
		return // no round knows of the block: the address comes after e in po ∪ rf
	}
	if w.suspects == nil && w.isNotedLate(e.Loc, k) {
		return
	}
	if w.isLate(e, w.g.Locs[e.Loc].Addr, k) {
		w.noteLate(e.Loc, k)
	}
}

// endMayBeLate is accessMayBeLate for an event that ends what is at place.
func (w *worker) endMayBeLate(id graph.ID, place event.Addr) {
	if w.cyclic == nil && w.isLate(&w.g.Events[id], place, endings) {
		w.noteEnd(place)
	}
}

// noteCyclic is noteRound and accessMayBeLate for a graph with cycles in po ∪ rf, in which no thread can move. All that is not ordered by creations and joins may be late.
func (w *worker) noteCyclic() {
	g := w.g
	for t := range w.cur {
		if evs := w.lastRound(int32(t)); len(evs) > 1 {
			w.noteAgain(int32(t), evs)
		}
	}
	for _, id := range g.Trail {
		switch e := &g.Events[id]; e.Kind {
		case graph.Read, graph.Write:
			if k := kindAmong(e); !w.isNotedLate(e.Loc, k) && w.isConcurrent(e) {
				w.noteLate(e.Loc, k)
			}
		case graph.Free:
			if place := g.Locs[e.Loc].Addr; !w.lateEnds[place] && w.isConcurrent(e) {
				w.noteEnd(place)
			}
		case graph.End:
			if place := endOf(e.Thread); !w.lateEnds[place] && w.isConcurrent(e) {
				w.noteEnd(place)
			}
		}
	}
}

// isConcurrent reports whether there is another thread that has events which no creation or join orders before e.
func (w *worker) isConcurrent(e *graph.Event) bool {
	for t := range w.g.Threads {
		if int32(t) != e.Thread && int32(len(w.g.Threads[t])) > w.deps.doneBefore(int32(t), e.Thread) && !w.deps.joined(e, int32(t)) {
			return true
		}
	}
	return false
}

// isNotedLate reports whether it is noted that an access of such a kind may be late.
func (w *worker) isNotedLate(loc int32, k conflicts) bool {
	return int(loc) < len(w.lateAt) && w.lateAt[loc]&k != 0
}

// noteLate notes that an access of such a kind may be late.
func (w *worker) noteLate(loc int32, k conflicts) {
	for int(loc) >= len(w.lateAt) {
		w.lateAt = append(w.lateAt, 0)
	}
	w.lateAt[loc] |= k
}

// noteEnd notes that what ends a place may be late.
func (w *worker) noteEnd(place event.Addr) {
	if w.lateEnds == nil {
		w.lateEnds = map[event.Addr]bool{}
	}
	w.lateEnds[place] = true
}

// isLate reports whether events come before e in po ∪ rf that do not happen before it, and looks for exits of suspects among them.
func (w *worker) isLate(e *graph.Event, place event.Addr, kind conflicts) (late bool) {
	g := w.g
	view := w.m.RaceView(e)
	for t := range g.Threads {
		known, before := g.Count(view, int32(t)), g.Count(e.Prefix, int32(t))
		if w.deps != nil { // prefixes are about dependencies, so findExit looks at po ∪ rf
			before = int32(len(g.Threads[t]))
		}
		if w.traits.InEffect != nil && kind == endings && before > 0 && g.Events[g.Threads[t][before-1]].Kind != graph.End {
			known = 0
		}
		if int32(t) == e.Thread || known >= before {
			continue
		}
		late = true
		if w.suspects != nil {
			w.findExit(int32(t), g.Threads[t][known:before], e, place, kind)
		}
	}
	return late
}

// findExit looks for an exit of a suspect among events of thread t that come before q. If there is one, its loop is loud.
func (w *worker) findExit(t int32, evs []graph.ID, q *graph.Event, place event.Addr, kind conflicts) {
	for _, s := range w.suspects {
		if s.Place != place || s.Conflict&kind == 0 || s.Thread != t && s.Thread != noThread {
			continue
		}
		for _, id := range evs {
			if id == graph.Hole {
				continue
			}
			h := &w.g.Events[id]
			if act := &w.pends[h.Pend].act; (act.Pos == s.First || s.First == ir.NoPos) && addrOf(act) == s.Addr && (w.deps == nil || w.leadsTo(h, q, false)) && !(w.traits.Races.Own && w.leadsTo(h, q, true)) && (s.Lock == 0 || !w.holdsToo(q, s.Lock)) {
				if s.Buffered {
					if !w.readsAgain(h, s.Place) {
						w.notExplored(fmt.Sprintf("an iteration of the loop at %s may read what comes after it, and was not explored (--spin-assume=false --unroll N explores N of them)", w.location(s.Loop)))
					}
					continue
				}
				if s.Again {
					w.notExplored(fmt.Sprintf("what comes after the loop with %s may race with iterations in which a compare-and-swap fails, or a wait ends without a signal, and these were not all explored", w.location(s.Loop)))
					continue
				}
				w.startAgain(func(r *run) { r.makeLoud(s.Loop) })
				return
			}
		}
	}
}

// readsAgain reports whether the thread of h reads what is at addr after that, before it writes something. Such a read may be buffered if one of the round may.
func (w *worker) readsAgain(h *graph.Event, addr event.Addr) bool {
	g := w.g
	for _, id := range g.Threads[h.Thread][h.Index:] {
		if id == graph.Hole {
			return false
		}
		e := &g.Events[id]
		switch {
		case e.Kind == graph.Read && g.Locs[e.Loc].Addr == addr && !e.Mode.IsAcq():
			return true
		case e.Kind == graph.Write:
			return false
		}
	}
	return false
}

// leadsTo reports whether h comes before q by po, rf, and the creation and the join of threads; if synchronised is set, only by releases that acquires read instead of all of rf. Models that say themselves what races have no view
// of that, and order more.
func (w *worker) leadsTo(h, q *graph.Event, synchronised bool) bool {
	g := w.g
	from := make([]int32, len(g.Threads)) // by thread: the first event that comes after h
	for t := range from {
		from[t] = int32(len(g.Threads[t]))
	}
	from[h.Thread] = h.Index
	reached := func(id graph.ID) bool {
		return id != graph.Init && g.Events[id].Index >= from[g.Events[id].Thread]
	}
	for more := true; more; {
		more = false
		for _, id := range g.Trail {
			e := &g.Events[id]
			after := false
			switch e.Kind {
			case graph.Start, graph.Join:
				after = reached(e.RF)
			case graph.Read:
				if !synchronised {
					after = reached(e.RF)
					break
				}
				for src := e.RF; e.Mode.IsAcq() && src != graph.Init && !after; {
					s := &g.Events[src]
					if after = s.Mode.IsRel() && reached(src); s.Flags&graph.RMWPart == 0 {
						break
					}
					src = g.Events[g.At(s.Thread, s.Index-1)].RF
				}
			}
			if after && e.Index < from[e.Thread] {
				from[e.Thread], more = e.Index, true
			}
		}
	}
	return q.Index >= from[q.Thread]
}

// makeLoud notes that the loop is loud.
func (k *knowledge) makeLoud(loop ir.Pos) {
	if !slices.Contains(k.heard, loop) {
		k.heard = append(slices.Clip(k.heard), loop)
		slices.Sort(k.heard)
	}
}

// suspect looks whether what was noted makes new suspects, or whether ends of threads matter that were not made, as some executions were over (ends.go). If so, the exploration has to start again.
func (k *knowledge) suspect(rounds map[RoundAccess]bool, late map[event.Addr]conflicts, over bool) bool {
	n := len(k.suspected)
	for a := range rounds {
		if over && !k.endsSeen && a.Place >= endOf(event.MaxOwners) {
			k.endsSeen = true
			return true
		}
		if late[a.Place]&a.Conflict != 0 && (a.Again || a.Buffered || !slices.Contains(k.heard, a.Loop)) && !slices.Contains(k.suspected, a) {
			k.suspected = append(slices.Clip(k.suspected), a)
		}
	}
	if len(k.suspected) == n {
		return false
	}
	slices.SortFunc(k.suspected, RoundAccess.compare)
	if len(k.suspected) > maxSuspects {
		for _, a := range k.suspected {
			if !a.Again && !a.Buffered {
				k.makeLoud(a.Loop)
			}
		}
		k.suspected = slices.DeleteFunc(slices.Clone(k.suspected), func(a RoundAccess) bool { return !a.Again && !a.Buffered })
	}
	return true
}

// suspectAll is suspect for what all workers have noted.
func (r *run) suspectAll() bool {
	rounds, late, over := map[RoundAccess]bool{}, map[event.Addr]conflicts{}, false
	for _, w := range r.all {
		for a := range w.wentRound {
			rounds[a] = true
		}
		w.eachLate(func(place event.Addr, k conflicts) { late[place] |= k })
		over = over || w.sawOver
	}
	if r.cyclic {
		r.mayRaceLater(rounds, late)
		return false
	}
	return r.suspect(rounds, late, over)
}

// mayRaceLater says that not all was explored, if what was noted shows that an access of a round may race with what comes after its loop, in an exploration with cycles.
func (r *run) mayRaceLater(rounds map[RoundAccess]bool, late map[event.Addr]conflicts) {
	var first *RoundAccess
	for a := range rounds {
		if late[a.Place]&a.Conflict != 0 && (first == nil || a.compare(*first) < 0) {
			first = &a
		}
	}
	if first != nil {
		r.notExplored(fmt.Sprintf("what comes after the loop with %s may race with iterations of it that were not explored, as there are executions with cycles in po ∪ rf", r.namer.Location(first.Loop)))
	}
}

// eachLate calls f with the places of events that may be late, and their kinds.
func (w *worker) eachLate(f func(event.Addr, conflicts)) {
	for loc, k := range w.lateAt {
		if k != 0 {
			f(w.g.Locs[loc].Addr, k)
		}
	}
	for place := range w.lateEnds {
		f(place, endings)
	}
}

// isLoud reports whether thread t, which asks whether its last n actions are a round, goes on because the loop is loud.
func (w *worker) isLoud(t int32, n int) bool {
	loop := w.pendingOf(t).act.Pos
	if len(w.loud) == 0 || !slices.Contains(w.loud, loop) {
		return false
	}
	evs := w.g.Threads[t]
	from := w.roundOf(evs, n)
	if from == len(evs) {
		return false
	}
	for i := w.g.Events[evs[from]].Pend; w.pends[i].from != 0; i = w.pends[i].from {
		switch act := &w.pends[w.pends[i].from].act; act.Kind {
		case machine.Round:
			if act.Pos == loop && w.pends[i].got.Lo == wentOn {
				return false
			}
		case machine.Size, machine.Next:
		default:
			return true
		}
	}
	return true
}

// wentOn is what a thread is resumed with that goes on after a round because its loop is loud.
const wentOn = 2

// onlyReads reports whether a thread asks whether it went round only because its loop is loud.
func (w *worker) onlyReads(evs []graph.ID) bool {
	return len(w.loud) > 0 && !slices.ContainsFunc(evs, func(id graph.ID) bool {
		e := &w.g.Events[id]
		return e.Kind != graph.Read && e.Kind != graph.Fence && (e.Kind != graph.Choice || w.pends[e.Pend].act.Weak)
	})
}

// asksLoud has threads ask in loops that are loud whether they went round. Those that the program marks itself (__VERIFIER_spin_end) can't be loud.
func (r *run) asksLoud() {
	r.loud, r.suspects = r.heard, nil
	for _, a := range r.suspected {
		if a.Again || a.Buffered || !slices.Contains(r.loud, a.Loop) {
			r.suspects = append(r.suspects, a)
		}
	}
	r.prog = r.prog.WithQuestions(r.loud)
	for _, loop := range r.loud {
		if !r.prog.MayAsk(loop) {
			r.notExplored(fmt.Sprintf("iterations of the loop at %s were not all explored, though other threads come to accesses later that are not ordered with those of an iteration", r.namer.Location(loop)))
		}
	}
}
