package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Threads that wait.
//
// Definition. A read awaits if its thread blocks (machine.Spin, machine.Lock) as soon as it gets certain values, as in a loop that waits for a flag. So does an RMW that writes what
// it reads, as the exchange of a test-and-set lock. So does a read that does not write, if the program says right after certain values that the execution does not count
// (machine.Assume): an assumption is a wait that may be in vain. After an RMW that writes, another thread may still run into an error because of what was written.
// settled.go adds reads that are followed by loads of what does not change.
//
// Added as soon as its thread comes to it, such a read blocks the thread in most branches, and each write that lets it go on has to
// revisit it. So it is postponed.
//
// Rule P. A thread at a read that the co-latest value would block, or that comes back (lost.go), moves only if no other thread can. Then the read is added as any other,
// from each write that it may read.
//
// Lemma 1. P changes no set of executions. Proof: the exploration is right for any choice of the thread that moves next. ∎
//
// Rule D. A read that blocks and that does not read the co-latest write is not added.
//
// Lemma 2. If nothing else at the location is non-atomic, D drops only executions that are moot (see stale).
//
// Proof. Let r be such a read of thread t, in graph G. No later write revisits r or what comes before r in t, because r is not maximal. So t stays blocked at r in all
// extensions of G. Let H be one of them, and H' the graph in which r reads the co-latest write of G instead. No event depends on r, so H' has the events of H. H' is consistent,
// as models are extensible. What H shows of other threads, H' shows as well. The races of r are left. They are found when r is added with the co-latest write, unless
// synchronisation by r itself orders them: hence the condition. ∎
//
// Definition. A location is serial if each of its writes is co-latest when it is added, and has its co-predecessor in its prefix. Those of locks are.
//
// Rule R. Let a write w revisit a read r of a serial location with a value that blocks r. Then r is displaced: it is taken out of the graph, and its thread waits by P. When
// the thread moves again, it reads w or what is co-later. w is the floor of r. At other locations, if w is not co-latest, D drops the revisit.
//
// Lemma 3. R changes no set of executions.
//
// Proof. Without R, r would stay in the graph, reading from w and blocked, until a later write w' revisits it. w' has w in its prefix, because the location is serial. r has no
// successors and reads the co-latest write, so it is maximal for w' wherever it is in the trail: it may as well be added at the end, after w'. Writes before w belong to the branch
// in which r was not revisited. If a read q that was added before r is revisited, r is deleted, and its floor with it. If r was added again and is deleted, its floor is
// there again. ∎ The tests compare with an exploration without R.
//
// Whether a location is serial is found out on the way: the run starts again if one is not after all (observe).

// A floor is the least of the writes that a displaced read may read from.
type floor struct {
	thread int32
	pend   uint32 // where the thread waits
	src    graph.ID
	stamp  uint32 // of the read when it was displaced
}

// What is known of a location. If it is both unserial and displaced, the run starts again, and displaces nothing there.
const (
	asked     uint8 = 1 << iota // this worker has asked the others
	unserial                    // a write was not co-latest when it was added
	displaced                   // a read was displaced
	excluded                    // none may be
	noted                       // unserial, in an exploration of an item
)

// knownOf returns what is known of a location.
func (w *worker) knownOf(loc int32) uint8 {
	for int(loc) >= len(w.known) {
		w.known = append(w.known, 0)
	}
	if w.known[loc] == 0 {
		w.mu.Lock()
		w.known[loc] = w.shared[w.g.Locs[loc].Addr] | asked
		w.mu.Unlock()
	}
	return w.known[loc]
}

// observe notes that a location is unserial or displaced.
func (w *worker) observe(loc int32, what uint8) {
	if w.items && what == unserial {
		w.note(loc)
		return
	}
	if !w.postpones || w.knownOf(loc)&(what|excluded) != 0 || w.stop.Load() { // a run that has ended has nothing to say of the next one
		return
	}
	w.known[loc] |= what
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shared == nil {
		w.shared = map[event.Addr]uint8{}
	}
	addr := w.g.Locs[loc].Addr
	w.shared[addr] |= what
	switch w.shared[addr] {
	case unserial | displaced:
		w.shared[addr] = excluded
	case noted | displaced:
		w.shared[addr] = unserial
	default:
		return
	}
	w.run.again = true
	w.stop.Store(true)
}

// note notes that a location is unserial, without an effect on what is displaced: that must not depend on what this process has explored.
func (w *worker) note(loc int32) {
	if w.postpones && w.knownOf(loc)&unserial == 0 {
		w.observe(loc, noted)
	}
}

// displaces reports whether the read r, which was taken out of the graph, need not be there again with a write of val: its thread waits.
func (w *worker) displaces(r *graph.Event, val event.Value) bool {
	return w.dropsWaiting(r.Thread, r.Loc) && (w.isRefused(r.Thread, w.cur[r.Thread], val) || w.blocks(r.Thread, val))
}

// displacesAt reports whether reads of the location are displaced, and notes that.
func (w *worker) displacesAt(loc int32) bool {
	if w.knownOf(loc)&(unserial|excluded) != 0 {
		return false
	}
	w.observe(loc, displaced)
	return true
}

// displace explores the executions in which r, which is at place slot of the trail, reads from src, the co-latest write, or later.
func (w *worker) displace(r *graph.Event, slot int, src graph.ID) {
	g := w.g
	w.floors = append(w.floors, floor{r.Thread, w.cur[r.Thread], src, r.Stamp})
	old := g.Trail[slot]
	g.Trail = append(g.Trail[:slot], g.Trail[slot+1:]...)
	g.Low = min(g.Low, slot)
	w.branch(1)
	g.Low = min(g.Low, slot)
	g.Trail = append(g.Trail, graph.None)
	copy(g.Trail[slot+1:], g.Trail[slot:])
	g.Trail[slot] = old
	w.floors = w.floors[:len(w.floors)-1]
}

// leastAbove returns the place in co of the floor of the read that t is at, if there is one above least.
func (w *worker) leastAbove(t, least int32) int32 {
	for i := len(w.floors) - 1; i >= w.firstFloor; i-- {
		if f := &w.floors[i]; f.thread == t && f.pend == w.cur[t] {
			return max(least, w.g.CoIndex(f.src))
		}
	}
	return least
}

// dropFloors forgets, until restoreFloors, the floors of reads that were added after a stamp.
func (w *worker) dropFloors(stamp uint32) (n, first int) {
	n, first = len(w.floors), w.firstFloor
	if n > first {
		for _, f := range w.floors[first:n] {
			if f.stamp <= stamp {
				w.floors = append(w.floors, f)
			}
		}
		w.firstFloor = n
	}
	return n, first
}

func (w *worker) restoreFloors(n, first int) {
	w.floors, w.firstFloor = w.floors[:n], first
}

// An answer is what is known of a question.
type answer uint8

const (
	unknown answer = iota
	no
	yes
)

// awaits reports whether thread t is at a read that the co-latest value would block.
func (w *worker) awaits(t int32) bool {
	act := &w.pendingOf(t).act
	if !w.mayWait(act, w.cur[t]) {
		return false
	}
	if _, confirms := w.confirming(t); confirms {
		return false
	}
	loc := w.locOfNext(t)
	co := w.g.Locs[loc].Co
	if !w.observed {
		src := co[len(co)-1]
		if w.blocksFrom(t, loc, src) {
			return true
		}
		_, back := w.comesBack(t, w.valueOf(src, loc))
		return back
	}
	pends, arena := len(w.pends), w.arena.Mark()
	blocks := true
	for i := 0; blocks && i < len(co); i++ {
		blocks = w.blocks(t, w.valueOf(co[i], loc))
	}
	w.pends = w.pends[:pends]
	w.arena.Release(arena)
	return blocks
}

// isAsleep reports whether it is known that thread t, which is at the load p, awaits and is not lost.
func (w *worker) isAsleep(t int32, p *pending) bool {
	if p.act.Kind != machine.Load || p.loc == 0 || w.observed || w.g.Reused > 0 || w.shifts || w.hasJustRead(t) {
		return false
	}
	loc := p.loc - 1
	co := w.g.Locs[loc].Co
	return p.isKnownToBlock(w.valueOf(co[len(co)-1], loc))
}

// isKnownToBlock reports whether it is known that the thread at p blocks as soon as it gets v.
func (p *pending) isKnownToBlock(v event.Value) bool {
	return v.Hi == 0 && v.Lo < 64 && p.blocking>>v.Lo&1 != 0
}

// mayWait reports whether what a thread reads at the action act, which is that of the pending i, may block it.
func (w *worker) mayWait(act *machine.Action, i uint32) bool {
	return w.postpones && (act.Awaits || w.disciplines != nil && act.Kind == machine.RMW && w.mayBeStopped(act, i))
}

// mayBeStopped reports whether a thread may be stopped before the RMW act, which is that of the pending i, writes.
func (w *worker) mayBeStopped(act *machine.Action, i uint32) bool {
	d := w.disciplines[act.Addr]
	return w.looks && d.isLock() || len(d.takes) > 0 && w.mayBeRefused(i)
}

// blocksFrom reports whether thread t, at a read of loc, blocks in a loop as soon as it reads from src, or is stopped there.
func (w *worker) blocksFrom(t, loc int32, src graph.ID) bool {
	return w.pendingOf(t).act.Kind == machine.RMW && w.isStopped(t, w.cur[t], loc, src) || w.blocks(t, w.valueOf(src, loc))
}

// blocks reports whether thread t, at a read, blocks in a loop, or at an assumption, as soon as it gets v.
func (w *worker) blocks(t int32, v event.Value) bool {
	p := w.cur[t]
	if w.pends[p].isKnownToBlock(v) {
		return true
	}
	if to := w.resumed(p, v); !w.waitsAfter(t, to) && !w.discards(p, v, to) {
		return false
	}
	if v.Hi == 0 && v.Lo < 64 {
		at := &w.pends[p]
		at.blocking |= 1 << v.Lo
		if at.from != 0 {
			w.blockings.set(w.pends[at.from].number, at.got, at.blocking)
		}
	}
	return true
}

// discards reports whether the program says at the pending to that the execution does not count, right after the thread has got v at the pending i without writing.
func (w *worker) discards(i uint32, v event.Value, to uint32) bool {
	act, next := &w.pends[i].act, &w.pends[to].act
	return next.Kind == machine.Block && next.Block == machine.Assume && !(act.Kind == machine.RMW && succeeds(act, v))
}

// blockings remember pending.blocking of pendings that are gone, for when the same pending follows the same one again: threads that wait are at the same place in most executions.
type blockings [128]struct {
	after uint64 // the number of the pending that the one in question follows, once that got the value got
	got   event.Value
	vals  uint64
}

func (b *blockings) slot(after uint64, got event.Value) uint64 {
	return (after*31 + got.Lo) % uint64(len(b))
}

// of returns what is known of the pending that follows the one with the number after.
func (b *blockings) of(after uint64, got event.Value) uint64 {
	if e := &b[b.slot(after, got)]; e.after == after && e.got == got {
		return e.vals
	}
	return 0
}

func (b *blockings) set(after uint64, got event.Value, vals uint64) {
	e := &b[b.slot(after, got)]
	e.after, e.got, e.vals = after, got, vals
}

// drops reports whether the read that t is at need not be added with src, which is not the co-latest write of loc, where dropsWaiting holds: rule D.
func (w *worker) drops(t, loc int32, src graph.ID) bool {
	return (src != graph.Init || w.object[loc] < 0) && // else it may be uninitialised
		w.blocksFrom(t, loc, src)
}

// dropsAllBelow reports whether the read that t is at, of loc, need only be added with the co-latest write, of those from least on: then it is no branch. dropsWaiting holds.
func (w *worker) dropsAllBelow(t, loc, least int32) bool {
	co := w.g.Locs[loc].Co
	for _, src := range co[least : len(co)-1] {
		if !w.drops(t, loc, src) {
			return false
		}
	}
	return true
}

// dropsWaiting reports whether D and R apply to the read of loc that t is at. Races of reads that are not added would not be found, where races are errors.
func (w *worker) dropsWaiting(t, loc int32) bool {
	act := &w.pendingOf(t).act
	return w.mayWait(act, w.cur[t]) && !w.observed && w.flags == nil &&
		(!w.raceErrors || act.Mode != event.NA && !w.mayRace(t, loc))
}

// mayRace reports whether an atomic access of loc by t could race.
func (w *worker) mayRace(t, loc int32) bool {
	g := w.g
	l := &g.Locs[loc]
	if l.NA == 0 {
		return false
	}
	var view graph.View
	if w.deps == nil {
		view = w.m.RaceView(&g.Events[g.Last(t)])
	}
	for u := range l.Last {
		if int32(u) == t {
			continue
		}
		var known int32
		if w.deps == nil {
			known = g.Count(view, int32(u))
		} else { // whose views are made later; but what is before the creation of t happens before r
			known = w.countBefore(int32(u), t)
		}
		for _, a := range [2]graph.ID{l.Last[u].Read, l.Last[u].Write} {
			for ; a != graph.None && g.Events[a].Index >= known; a = g.Events[a].Prev {
				if g.Events[a].Mode == event.NA {
					return true
				}
			}
		}
	}
	return false
}

// plainAccess notes a non-atomic access of loc. It may race with a read that was displaced.
func (w *worker) plainAccess(loc int32) {
	for _, f := range w.floors[w.firstFloor:] {
		if w.g.Events[f.src].Loc == loc {
			w.observe(loc, unserial)
		}
	}
}
