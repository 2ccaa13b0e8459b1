package explore

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Looks in vain.
//
//	for (;;) { lock(&l); n = x; unlock(&l); if (n) break; }
//
// A thread that looks at x under a lock, and finds nothing to do, gives the lock back and looks again. round.go stops it after that. But it has taken the lock: others take it before or after, and each order
// makes another execution that leads nowhere. If x is accessed under the lock only, what the thread will see is known before it takes the lock. So it is stopped there, as at a lock that is taken.
//
// Definition. A location l is a lock, which is free if it has the value f, if no access of l is non-atomic, and each write of l is
//
//	L1. a take: that of an RMW that acquires, reads f, and writes another value; or
//	L2. a gift: it releases, writes f, and comes right after a take of the same thread in co.
//
// A thread holds l from its take to its gift. A location x ≠ l is guarded by l if each thread that accesses x holds l, and none frees the block of x, or ends if x is on its stack. As in D4 of discipline.go, this need not hold for what a
// thread does before others begin, and after all of them were joined; nor, if threads synchronise by release and acquire only, for what it does in a block that others can't know of (unknownToOthers in reread.go): that happens before what others do there.
//
// A location is fixed for a thread t if all of its writes happen before t begins, and no other thread frees its block, or ends if it is on its stack, while t is there. As a pointer to what t works on. A read of t there reads the co-latest write.
//
// Lemma 1. Let l be a lock, and x be guarded by l, in a consistent execution. Let r be the read of a take, which reads from a. Let m be the co-latest of the writes of x whose threads hold l by a take that is co-before a, or that come
// before others begin or know of it. Then a read of x by the thread that holds l by r reads from m, unless its thread has written x in between. And m is in the prefix of a.
//
// Proof. A take comes right after what it reads in co, so in co there is a gift between any two takes, each take reads from the gift before it, and all of this is in the prefix of a. By L1 and L2, what a thread does while
// it holds l happens before what is done by those that hold l later; under imm, armv8 and riscv it is ordered before. So the accesses of x are in the order of the takes, and of the writes before r, m is the last. ∎
//
// Definition. A thread t at an RMW r of a lock l looks in vain with a, a write of l, if with a r is the read of a take, and t then does only this: it reads l, and places that are guarded by l or fixed for t, and has fences, at most maxLook in all; it gives l
// back; then it reads l, and places that are fixed, at most maxLook times, and whatever it reads of l, it waits for l to be free, or is where it was at r.
//
// By Lemma 1, that is a function of t and the prefix of a.
//
// Rule L. If t looks in vain with a, it reads a, does not write, and waits.
//
// Lemma 2. Let l be a lock that is used with discipline (discipline.go), in which H has the values that takes of looks in vain write, and let what they look at be guarded or fixed, in all executions that L leaves. Then it is so in all
// executions. For each consistent execution G there is a consistent execution G' without looks in vain, in which all threads come to the same states, apart from those in a look in vain, which are before it.
//
// Proof. By induction, in an order of the events that contains po ∪ rf and co of l. Let e be the last event of G, of thread u, and G0' be the execution for G without e.
//
//   - If u is in a look in vain, e is part of it, and G' is G0'. u holds l while it looks, and takes and gives back as L1 and L2 say. In co, its take comes after a gift: by the order, that was so in G0' or with a gift of a look in vain.
//   - Otherwise u is at the same action in G0'. Let e read l. A look in vain is a round by Z3 of round.go, so as in Lemma 2 of discipline.go, e waits if it reads from the take of one, and can be left out. If it reads from the gift
//     of one, let it read from the last gift before in co that is in G0'. That has the same value, and by Lemma 1 the same m for all x that are guarded. So e begins a look in vain in G if u is refused by L in G',
//     and otherwise G' is G0' with e. It is consistent by Lemma 1 of round.go.
//   - If e is another event, G' is G0' with e. If e were to blame for l being no lock, or x not guarded or fixed, it would be in G', which L leaves. ∎
//
// So L loses no outcome. Nor does it lose a thread that waits for ever: t waits in G', with the last write of l, if it looks in vain with that. A look in vain has no errors of its own: its first access is there with L, accesses of x do not race
// and find x allocated, as m does, or what was written before t began, and those of l are atomic. A block that has not been written to, which may be uninitialised, is not looked at in vain.
//
// As t is refused by what it reads and its prefix, and writes nothing then, the exploration is that of a program in which it does so. What waits by L, waits as in await.go: Rules P, D and R hold, as they are about reads that block.
//
// Under a model with dependencies, a look in vain could have shown that a load may be buffered (buffer.go). But its reads are ordered before all that others may do with the same locations later: r acquires, and those of x are
// before a gift, which releases.
//
// Which locks there are, and what they guard, is found out on the way: the first rounds that look have the exploration start again, and so has what contradicts.

// maxLook is how many accesses a thread may have while it holds the lock.
const maxLook = 16

// looksMayBeVain reports whether rule L holds. Under pso, what was done under a lock need not have taken effect.
func (w *worker) looksMayBeVain() bool {
	return w.countersMayRefuse() && w.traits.InEffect == nil && !w.opts.allLooks
}

// isStopped reports whether the thread t, which is at the pending i, is stopped before it writes if it reads from src: by rule E or L.
func (w *worker) isStopped(t int32, i uint32, loc int32, src graph.ID) bool {
	return w.isRefused(t, i, w.valueOf(src, loc)) || w.looks && w.disciplines != nil && w.looksInVain(t, i, loc, src)
}

// looksInVain reports whether the thread t, which is at the pending i, looks in vain with src, a write of loc.
func (w *worker) looksInVain(t int32, i uint32, loc int32, src graph.ID) bool {
	d := w.disciplineOf(loc)
	if d == nil || !d.isLock() {
		return false
	}
	act := w.pends[i].act
	if act.Kind != machine.RMW || w.valueOf(src, loc) != d.free || !succeeds(&act, d.free) || !act.Mode.IsAcq() || act.Tag != event.NoTag {
		return false
	}
	taken := act.RMW.Apply(d.free, act.Val, act.Size)
	if taken == d.free || w.alone(t) {
		return false
	}
	pends, arena := len(w.pends), w.arena.Mark()
	vain, stores := w.givesBackAsWas(t, i, loc, src, taken, d)
	w.pends = w.pends[:pends]
	w.arena.Release(arena)
	if !vain || !w.holds(loc, holding{thread: t, val: taken, stores: stores}) {
		return false
	}
	if w.twins != nil {
		w.twins.none() // which values are held is known of single threads
	}
	return true
}

// givesBackAsWas reports whether the thread t, which is at the pending i, looks in vain with src, and if so, whether it gives the lock back by a store.
func (w *worker) givesBackAsWas(t int32, i uint32, loc int32, src graph.ID, taken event.Value, d *discipline) (vain, stores bool) {
	r := w.pends[i].act
	if r.Weak && w.weak && !w.waitsAt(w.failed(i, d.free)) {
		return false, false
	}
	j := w.after(i, d.free)
	for range maxLook {
		act := w.pends[j].act
		switch own := act.Addr == r.Addr && act.Size == r.Size && !act.Part && act.Mode != event.NA; {
		case act.Kind == machine.Fence && !act.Tag.IsRCU():
			j = w.after(j, event.Value{})
		case act.Kind == machine.Load && own:
			j = w.after(j, taken)
		case act.Kind == machine.Load:
			v, ok := w.seenUnder(t, &act, loc, src)
			if !ok {
				return false, false
			}
			j = w.after(j, v)
		case act.Kind == machine.Store && own && act.Val == d.free && act.Mode.IsRel():
			return w.looksAgain(t, i, w.after(j, event.Value{}), d), true
		case act.Kind == machine.RMW && own && succeeds(&act, taken) && act.RMW.Apply(taken, act.Val, act.Size) == d.free && act.Mode.IsRel() && !(act.Weak && w.weak):
			return w.looksAgain(t, i, w.after(j, taken), d), false
		default:
			return false, false
		}
	}
	return false, false
}

// failed returns where a thread is after the weak CAS at the pending i has failed spuriously.
func (w *worker) failed(i uint32, v event.Value) uint32 {
	n := w.newPending()
	next := &w.pends[n]
	next.state = w.prog.ResumeFailed(&w.arena, w.pends[i].state, v, &next.act)
	return n
}

// seenUnder returns what a thread t that has taken the lock loc, after its write src, reads by the load act: the value of m of Lemma 1. It returns false if that is not
// known.
func (w *worker) seenUnder(t int32, act *machine.Action, loc int32, src graph.ID) (event.Value, bool) {
	g := w.g
	if act.Part {
		return event.Value{}, false
	}
	x := w.locOf(t, act)
	d := w.disciplineOf(x)
	if d == nil || !d.isGuardedBy(g.Locs[loc].Addr) {
		return w.seenFixed(t, act)
	}
	obj := w.object[x]
	if !w.isThere(x) {
		return event.Value{}, false
	}
	last := g.CoIndex(src)
	co := g.Locs[x].Co
	for k := len(co) - 1; k > 0; k-- {
		e := &g.Events[co[k]]
		take := g.Locs[loc].Last[e.Thread].Write
		for take != graph.None && g.Events[take].Index > e.Index {
			take = g.Events[take].Prev
		}
		if take == graph.None || g.Events[take].Co <= last {
			return e.Val, true
		}
	}
	return w.initialValue(x), obj < 0
}

// isThere reports whether the block of x, if it is in one, has been allocated and not freed, and nothing overlaps x.
func (w *worker) isThere(x int32) bool {
	g := w.g
	obj := w.object[x]
	return g.Overlap(x) < 0 && (obj < 0 || g.Locs[obj].Alloc != graph.None && g.Locs[obj].Free == graph.None)
}

// seenFixed returns what a thread t reads by the load act, if its location is fixed for t. If it turns out that it is not, the exploration starts again.
func (w *worker) seenFixed(t int32, act *machine.Action) (event.Value, bool) {
	if act.Part {
		return event.Value{}, false
	}
	x := w.locOf(t, act)
	d := w.disciplineOf(x)
	if d == nil || d.loose || !slices.Contains(d.fixed, t) || !w.isThere(x) {
		return event.Value{}, false
	}
	if !w.isFixed(t, x) {
		if !w.stop.Load() {
			w.know(x, func(d *discipline) { d.loose = true })
		}
		return event.Value{}, false
	}
	co := w.g.Locs[x].Co
	return w.valueOf(co[len(co)-1], x), len(co) > 1 || w.object[x] < 0
}

// isFixed reports whether all writes of x in the graph happen before thread t begins.
func (w *worker) isFixed(t, x int32) bool {
	g := w.g
	view := w.m.RaceView(&g.Events[g.At(t, 0)])
	for _, id := range g.Locs[x].Co[1:] {
		if e := &g.Events[id]; e.Index >= g.Count(view, e.Thread) {
			return false
		}
	}
	return true
}

// looksAgain reports whether a thread that was at r, the pending i, and is at j, where it has given the lock back, waits for the lock or is where it was at r, after some reads of the lock.
func (w *worker) looksAgain(t int32, i, j uint32, d *discipline) bool {
	r := w.pends[i].act
	for range maxLook {
		act := w.pends[j].act
		if act.Kind == machine.Load && act.Addr != r.Addr {
			v, ok := w.seenFixed(t, &act)
			if !ok {
				return false
			}
			j = w.after(j, v)
			continue
		}
		switch {
		case act.Addr != r.Addr || act.Size != r.Size || act.Mode == event.NA || act.Part:
			return false
		case act.Kind == machine.RMW:
			if act.RMW != r.RMW || act.Val != r.Val || act.Exp != r.Exp || act.Mode != r.Mode || act.Fail != r.Fail || act.Weak != r.Weak {
				return false
			}
			for _, v := range d.vals {
				if !w.alikeIn(w.after(i, v), w.after(j, v)) {
					return false
				}
			}
			return true
		case act.Kind != machine.Load:
			return false
		}
		next := w.after(j, d.free)
		if w.waitsAt(next) {
			return false
		}
		for _, v := range d.vals {
			if to := w.after(j, v); v != d.free && !w.waitsAt(to) && !w.alikeIn(next, to) {
				return false
			}
		}
		j = next
	}
	return false
}

// isLock reports whether the location is a lock, as far as it is known.
func (d *discipline) isLock() bool { return d.lock && !d.none && !d.noLock }

// isGuardedBy reports whether the location is guarded by the lock at addr, as far as it is known.
func (d *discipline) isGuardedBy(addr event.Addr) bool {
	return d.guarded && d.guard == addr && !d.bare
}

// learnLook looks whether the events of a round are a look in vain. If so, the exploration starts again and knows the lock, and what it guards.
func (w *worker) learnLook(t int32, evs []graph.ID) {
	g := w.g
	take, gift := -1, -1
	for i, id := range evs {
		switch e := &g.Events[id]; {
		case e.Kind == graph.Read || e.Kind == graph.Fence:
		case e.Kind != graph.Write || gift >= 0:
			return
		case take < 0:
			take = i
		default:
			gift = i
		}
	}
	if gift < 0 {
		return
	}
	first := g.Events[evs[take]]
	free, ok := w.takenAndGiven(&first, &g.Events[evs[gift]])
	if !ok {
		return
	}
	lock := w.disciplines[g.Locs[first.Loc].Addr]
	if lock.none || lock.noLock || lock.lock && lock.free != free {
		return
	}
	learns := !lock.lock
	var guarded, fixed []int32
	for i, id := range evs {
		e := &g.Events[id]
		if e.Kind != graph.Read || e.Loc == first.Loc {
			continue
		}
		d := w.disciplines[g.Locs[e.Loc].Addr]
		switch {
		case i > take && i < gift && !d.bare && (!d.guarded || d.guard == g.Locs[first.Loc].Addr):
			learns = learns || !d.guarded
			guarded = append(guarded, e.Loc)
		case w.deps == nil && !d.loose && w.isFixed(t, e.Loc):
			learns = learns || !slices.Contains(d.fixed, t)
			fixed = append(fixed, e.Loc)
		default:
			return
		}
	}
	if !learns || w.stop.Load() {
		return
	}
	w.know(first.Loc, func(d *discipline) { d.lock, d.free = true, free })
	for _, x := range guarded {
		w.learnGuard(x, first.Loc, free)
	}
	for _, x := range fixed {
		w.know(x, func(d *discipline) {
			if !slices.Contains(d.fixed, t) {
				d.fixed = append(slices.Clip(d.fixed), t)
			}
		})
	}
}

// learnGuard has the exploration start again and take lock, which has the value free if nobody holds it, for one that guards x.
func (w *worker) learnGuard(x, lock int32, free event.Value) {
	l := &w.g.Locs[lock]
	w.know(lock, func(d *discipline) { d.lock, d.free = true, free })
	w.know(x, func(d *discipline) { d.guarded, d.guard, d.guardSize = true, l.Addr, l.Size })
}

// takenAndGiven reports whether the writes first and last, of a round, are a take and a gift of a location, and returns the value that it has if it is free.
func (w *worker) takenAndGiven(first, last *graph.Event) (free event.Value, ok bool) {
	free = w.valueOf(w.g.Locs[first.Loc].Co[first.Co-1], first.Loc)
	return free, last.Loc == first.Loc && first.Flags&graph.RMWPart != 0 && first.Mode.IsAcq() && first.Val != free && last.Val == free && last.Mode.IsRel()
}

// followLock looks whether the access e, which was added last in its thread, is one that a lock, or what it guards, may have.
func (w *worker) followLock(e *graph.Event, d *discipline) {
	if w.stop.Load() || w.unknownToOthers(e) {
		return // what has ended the run may change the rest of it
	}
	if d.isLock() && !w.takesOrGives(e, d) {
		w.know(e.Loc, func(d *discipline) { d.noLock = true })
	}
	if d.guarded && !d.bare && !w.isHeldBy(e.Thread, d) {
		w.know(e.Loc, func(d *discipline) { d.bare = true })
	}
	if e.Kind == graph.Write && w.begun(d.fixed, noThread) && !d.loose {
		w.know(e.Loc, func(d *discipline) { d.loose = true })
	}
}

// begun reports whether one of the threads, other than t, has begun.
func (w *worker) begun(threads []int32, t int32) bool {
	return slices.ContainsFunc(threads, func(u int32) bool { return u != t && int(u) < len(w.g.Threads) && len(w.g.Threads[u]) > 0 })
}

// takesOrGives reports whether e, an access of a lock, is a read, or a write by L1 or L2.
func (w *worker) takesOrGives(e *graph.Event, d *discipline) bool {
	switch {
	case e.Mode == event.NA:
		return false
	case e.Kind != graph.Write:
		return true
	}
	g := w.g
	before := g.Locs[e.Loc].Co[e.Co-1]
	if e.Val != d.free {
		return e.Flags&graph.RMWPart != 0 && e.Mode.IsAcq() && w.valueOf(before, e.Loc) == d.free
	}
	return e.Mode.IsRel() && before != graph.Init && g.Events[before].Thread == e.Thread && g.Events[before].Val != d.free
}

// isHeldBy reports whether thread t holds the lock that guards a location.
func (w *worker) isHeldBy(t int32, d *discipline) bool {
	g := w.g
	lock := w.disciplines[d.guard]
	loc, ok := g.Find(d.guard, d.guardSize)
	if !ok || !lock.isLock() || int(t) >= len(g.Locs[loc].Last) {
		return false
	}
	last := g.Locs[loc].Last[t].Write
	return last != graph.None && g.Events[last].Val != lock.free
}

// unguard notes that thread t frees a location, or ends with it on its stack.
func (w *worker) unguard(t, loc int32) {
	d := w.disciplineOf(loc)
	if d == nil || w.stop.Load() {
		return
	}
	guarded, fixed := d.guarded && !d.bare, !d.loose && w.begun(d.fixed, t)
	if (guarded || fixed) && !w.alone(t) {
		w.know(loc, func(d *discipline) { d.bare, d.loose = d.bare || guarded, d.loose || fixed })
	}
}
