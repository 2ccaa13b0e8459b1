package explore

import (
	"maps"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Lost rounds.
//
//	do { s = seq; a = x; b = y; } while (seq != s);
//
// A thread that reads several places in a loop that waits may fail because of an earlier read, though the last one reads what is there now. It is blocked then, but it does not wait for ever: it would read something else in the next
// round. Such an execution leads nowhere. If the last read is stale, it is dropped by await.go. If an earlier one is, a later write may still revisit the last read and let the thread go on. So it is dropped only if no such write comes.
//
// Definition. Thread t comes back if it is at a read, and if reads and fences alone lead it to the end of a round of a loop that waits (machine.Spin, machine.Lock), provided that each reads the co-latest write. So rule P of await.go is
// about threads that come back. t is lost if it comes back, its round has only fences and reads that don't write, and one of these has not read the co-latest write.
//
// P chooses lost threads last of all. If no other thread can do anything about it (closed, see below), they are chosen first. As for P, any choice is right.
//
// Definition. A read is fixed if it did not read the co-latest write when it was added. Let f be the first fixed read of the round of t. A place x is closed for t if each thread that is there, other than t, had ended when f was added, or runs a
// function that never writes x in any execution; and if no thread is created after that.
//
// Rule F. A lost thread t is at a read r of x that ends its round, if it reads the co-latest write: it would be blocked. r is not added with that write if
//
//	F1. no other thread can move; or
//	F2. x is closed for t, and so is each place that t has read in the round.
//
// Lemma 1. If F drops a graph, then in all its extensions t is blocked after this round, and has not read the co-latest writes in it.
//
// Proof. F1: it has no extensions. F2: By induction, no write revisits an event that was added before f, or f: f is not maximal, and in the prefix of no write, because t only reads since. So what was there when f was added stays
// (after a revisit of f, the prefix of the write that f reads as well: that write is never deleted). By F2 all writes of x, and of the places that t has read in the round, are there. So no read of the round is revisited, and no
// write comes co-after what was co-latest. ∎
//
// Lemma 2. What a dropped graph, or an extension H of it, shows of other threads, a graph that is not dropped shows as well: each complete execution, each in which all threads that wait have read the co-latest writes in their rounds, and each
// error.
//
// Proof. H is neither of these executions, by Lemma 1. Let H have an error, and let H' be H in which t reads the co-latest writes in its round instead. H' is consistent, as models are extensible and no event depends on the round. Let threads go
// on in H', and let those that wait in vain go round again, as long as that leads to anything else. The execution that this ends with is not dropped, because no thread is lost there. It has all events of H, apart from reads of t in the round; so it has the error, if that is of
// others, as reads at the end of t order nothing of others. If the error is one of a read q in the round, with an event e: if e was there when q was added, it was found then. Otherwise e came later, so by F2 it is no write, but frees the
// place. H' has a read there too, which the same e is not ordered with. Models that find errors in graphs in which no thread can move are left: there, F asks that no access of x and of the places of the round is
// non-atomic, and that these places do not end before the program does. For others, races at x are the matter of dropsWaiting. ∎
//
// Which functions write to the places of such rounds is found out on the way: the exploration starts again with each one that was not known. So it does when a thread is created late: by another thread than main, or after main has joined one. If main is at a
// join or at its end, it creates no others.
//
// Lemma 3. That finds all of them. Proof. Suppose that the last run did not. Let P' be the program whose threads stop before a write by a function that was not known to write there, and before a late creation, if none was known. What was known is right for P', so all its executions are
// explored, but for those that F drops rightly. Consider an execution with a write or a creation that was not found, and the first one in an order that contains po ∪ rf. What comes before is part of an execution of P' that is not dropped. The
// exploration of the program is the same until a thread comes to the write or the creation, and then it is found. ∎ (Equal threads run the same function, so they are equal in P'.)
//
// What the tests have found: if plain accesses are looked at in the end only, a race of an earlier read in the round was lost under lkmm:
//
//	x=1; await{a=y; b=CAS(x,7,3)} until all a==1, b==0; x=0 || y=1.na; …

// maxBack is how many accesses are looked at to find out whether a thread comes back.
const maxBack = 32

// comesBack returns how many of the last actions of thread t, which is at a read of a location with the co-latest value v, are of the round at the end of which it would wait. It returns false if t does not come back, or writes, or if
// the read is not in that round.
func (w *worker) comesBack(t int32, v event.Value) (done int, back bool) {
	if act := &w.pendingOf(t).act; act.Kind == machine.RMW && succeeds(act, v) {
		return 0, false
	}
	i := w.resumed(w.cur[t], v)
	for k := 1; k < maxBack; k++ {
		act := &w.pends[i].act
		switch act.Kind {
		case machine.Block:
			return act.N - k, act.N >= k && w.waitsAt(i)
		case machine.Fence:
			if act.Tag.IsRCU() {
				return 0, false
			}
			i = w.resumed(i, event.Value{})
		case machine.Load, machine.RMW:
			if !act.Awaits || act.Part {
				return 0, false
			}
			v, ok := w.latestAt(act)
			if !ok || act.Kind == machine.RMW && succeeds(act, v) {
				return 0, false
			}
			i = w.resumed(i, v)
		default:
			return 0, false
		}
	}
	return 0, false
}

// latestAt returns the co-latest value of what a read accesses, false if it may have none. It depends on the graph only, as the schedule has to: not on which locations are known.
func (w *worker) latestAt(act *machine.Action) (event.Value, bool) {
	loc, ok := w.g.Find(act.Addr, act.Size)
	if !ok {
		return w.prog.InitialValue(act.Addr, act.Size)
	}
	co := w.g.Locs[loc].Co
	last := co[len(co)-1]
	return w.valueOf(last, loc), last != graph.Init || w.object[loc] < 0
}

// isLost reports whether one of the last n actions of t, all of which have to be fences and reads that don't write and race with nothing, does not read the co-latest write.
func (w *worker) isLost(t int32, n int) bool {
	if n <= 0 {
		return false
	}
	g := w.g
	lost := false
	evs := g.Threads[t]
	for _, id := range evs[max(0, len(evs)-n):] {
		switch e := &g.Events[id]; {
		case e.Kind == graph.Fence && !e.Tag.IsRCU():
		case e.Kind != graph.Read || e.Flags&graph.RMWPart != 0:
			return false
		case w.isJudgedAtEnd(e.Loc):
			return false
		default:
			lost = lost || !g.CoMaximal(e)
		}
	}
	return lost
}

// isJudgedAtEnd reports whether errors of accesses of loc are only found in graphs in which no thread can move: races with plain accesses, and uses of what has ended.
func (w *worker) isJudgedAtEnd(loc int32) bool {
	l := &w.g.Locs[loc]
	return w.opts.RaceCheck && l.NA > 0 && (w.deps != nil || w.traits.Races.Pairs != nil) ||
		w.opts.MemoryCheck && w.deps != nil && (w.object[loc] >= 0 || l.Addr.Owner() != 0)
}

// urgency returns how soon a thread moves that awaits.
func (w *worker) urgency(t int32) readiness {
	if w.observed || !w.hasJustRead(t) {
		return waits
	}
	loc := w.locOfNext(t)
	co := w.g.Locs[loc].Co
	n, back := w.comesBack(t, w.valueOf(co[len(co)-1], loc))
	switch {
	case !back || !w.isLost(t, n):
		return waits
	case w.isClosed(t, n, loc):
		return moves
	}
	return lost
}

// hasJustRead reports whether the last event of t is a read that does not write, or a fence. Otherwise t is not lost.
func (w *worker) hasJustRead(t int32) bool {
	e := &w.g.Events[w.g.Last(t)]
	return e.Kind == graph.Read && e.Flags&graph.RMWPart == 0 || e.Kind == graph.Fence
}

// dropsLatest reports whether the read that t is at, of loc, need not be added with src, the co-latest write: rule F.
func (w *worker) dropsLatest(t, loc int32, src graph.ID) bool {
	if !w.pendingOf(t).act.Awaits || !w.hasJustRead(t) || w.isJudgedAtEnd(loc) || !w.dropsWaiting(t, loc) || src == graph.Init && w.object[loc] >= 0 {
		return false
	}
	v := w.valueOf(src, loc)
	if !w.blocks(t, v) {
		return false
	}
	n := w.pends[w.resumed(w.cur[t], v)].act.N - 1
	return w.isLost(t, n) && (w.othersStay(t) || w.isClosed(t, n, loc))
}

// othersStay reports whether no thread other than t can move.
func (w *worker) othersStay(t int32) bool {
	for u, i := range w.cur {
		if int32(u) == t || i == 0 {
			continue
		}
		switch act := &w.pends[i].act; act.Kind {
		case machine.Block, machine.Fail:
		case machine.Join:
			if w.ended(act.Val.Lo) != graph.None {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isClosed reports whether loc, and what t has read in its last n actions, are closed for t.
func (w *worker) isClosed(t int32, n int, loc int32) bool {
	g := w.g
	evs := g.Threads[t]
	evs = evs[max(0, len(evs)-n):]
	fixed := slices.IndexFunc(evs, func(id graph.ID) bool {
		e := &g.Events[id]
		return e.Kind == graph.Read && !w.latestWhenAdded(e, e.RF)
	})
	if fixed < 0 || len(w.writers[lateCreation]) > 0 || w.mayLearnWriters(evs, loc) {
		return false
	}
	stamp := g.Events[evs[fixed]].Stamp
	return w.isClosedSince(t, loc, stamp) && !slices.ContainsFunc(evs, func(id graph.ID) bool {
		e := &g.Events[id]
		return e.Kind == graph.Read && !w.isClosedSince(t, e.Loc, stamp)
	})
}

// isClosedSince reports whether no thread other than t writes to loc, or creates others, after the events with stamps below the given one.
func (w *worker) isClosedSince(t, loc int32, stamp uint32) bool {
	g := w.g
	fns := w.writers[g.Locs[loc].Addr]
	if len(fns) > maxWriters {
		return false
	}
	for u, evs := range g.Threads {
		if int32(u) == t || len(evs) == 0 {
			continue
		}
		last := &g.Events[evs[len(evs)-1]]
		kind := machine.Exit
		if last.Kind != graph.End {
			kind = w.pendingOf(int32(u)).act.Kind
		}
		switch {
		case last.Stamp < stamp && kind == machine.Exit:
		case u == 0 && !(last.Stamp < stamp && kind == machine.Join): // main may create threads
			return false
		case slices.Contains(fns, w.functionOf(int32(u))):
			return false
		}
	}
	return true
}

// maxWriters bounds the functions that write to a location that matters.
const maxWriters = 16

// maxMatter bounds these locations: each may have the exploration start again.
const maxMatter = 64

// lateCreation stands for a location that is written to by threads that create others, unless it is main before it joins any.
const lateCreation event.Addr = 0

// mainFunction stands for the function of main.
const mainFunction event.Addr = 0

// functionOf returns the function that thread t runs.
func (w *worker) functionOf(t int32) event.Addr {
	if t == 0 {
		return mainFunction
	}
	g := w.g
	return w.pends[g.Events[g.Events[g.At(t, 0)].RF].Pend].act.Addr
}

// writesTo notes that thread t writes to loc.
func (w *worker) writesTo(t, loc int32) {
	fns, matters := w.writers[w.g.Locs[loc].Addr]
	if matters && len(fns) <= maxWriters && !slices.Contains(fns, w.functionOf(t)) {
		w.learnWriters(loc)
	}
}

// creates notes that thread t creates another one.
func (w *worker) creates(t int32) {
	late := func(id graph.ID) bool { return w.g.Events[id].Kind == graph.Join }
	if len(w.writers[lateCreation]) == 0 && (t != 0 || slices.ContainsFunc(w.g.Threads[t], late)) {
		w.startAgain(func(r *run) {
			r.wrote = maps.Clone(r.wrote)
			r.wrote[lateCreation] = []event.Addr{mainFunction}
		})
	}
}

// mayLearnWriters reports whether it is not known yet who writes to loc, and to what the events of a round have read. If so, and if these are not too many locations, the exploration starts again.
func (w *worker) mayLearnWriters(evs []graph.ID, loc int32) bool {
	g := w.g
	locs := []int32{loc}
	for _, id := range evs {
		if e := &g.Events[id]; e.Kind == graph.Read {
			locs = append(locs, e.Loc)
		}
	}
	locs = slices.DeleteFunc(locs, func(loc int32) bool {
		_, known := w.writers[g.Locs[loc].Addr]
		return known
	})
	if len(locs) > 0 && len(w.writers) < maxMatter && !w.stop.Load() {
		w.learnWriters(locs...)
	}
	return len(locs) > 0
}

// learnWriters has the exploration start again with the functions that write to the locations, and to others that matter, as far as the graph shows them.
func (w *worker) learnWriters(locs ...int32) {
	g := w.g
	w.startAgain(func(r *run) {
		if r.wrote = maps.Clone(r.wrote); r.wrote == nil {
			r.wrote = map[event.Addr][]event.Addr{}
		}
		for _, loc := range locs {
			r.wrote[g.Locs[loc].Addr] = slices.Clone(r.wrote[g.Locs[loc].Addr])
		}
		for l := range g.Locs {
			addr := g.Locs[l].Addr
			fns, matters := r.wrote[addr]
			if !matters || len(fns) > maxWriters {
				continue
			}
			for _, id := range g.Locs[l].Co[1:] {
				if fn := w.functionOf(g.Events[id].Thread); !slices.Contains(fns, fn) {
					fns = append(slices.Clip(fns), fn)
				}
			}
			r.wrote[addr] = fns
		}
	})
}
