package explore

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// A pending is a thread stopped at an action: what the thread does next.
type pending struct {
	state machine.State
	act   machine.Action

	from uint32      // the pending of the thread that this one follows, once that got the value got; 0 if unknown
	to   uint32      // one that followed this one, if it is still there
	got  event.Value // see from

	loc      int32  // 1 more than the location of the access that the thread is at, as long as no block was allocated again; 0 if unknown (location.go)
	number   uint64 // no other pending of the worker ever has it
	blocking uint64 // the values below 64 of which it is known that they block the thread at once (await.go)
	goesOn   uint64 // the values below 64 of which it is known that the thread does not try and give back with them (refuse.go)

	joining  bool   // main is at the first of some joins (ends.go)
	ending   bool   // and only its end follows
	confirms answer // whether the thread, at a CAS, reads only what it has read before (confirm.go)
	waits    answer // whether the thread waits when it reads what others hold (discipline.go)

	refusable answer      // whether values may refuse the thread (refuse.go)
	vain      answer      // whether values do, of which refuser is one
	even      answer      // whether C2 holds
	wakes     answer      // whether the thread, which begins to wait, does so in vain if the wait ends spuriously (vain.go)
	refuser   event.Value // see vain
}

// newPending makes a pending whose state and action the caller sets.
func (w *worker) newPending() uint32 {
	n := len(w.pends)
	if n == cap(w.pends) {
		w.pends = slices.Grow(w.pends, 1)
	}
	w.pends = w.pends[:n+1]
	p := &w.pends[n]
	w.numbers++
	p.from, p.to, p.loc, p.number, p.blocking, p.goesOn = 0, 0, 0, w.numbers, 0, 0
	p.joining, p.ending = false, false
	p.waits, p.confirms, p.refusable, p.vain, p.even, p.wakes = unknown, unknown, unknown, unknown, unknown, unknown
	return uint32(n)
}

// pendingOf returns where thread t is stopped.
func (w *worker) pendingOf(t int32) *pending { return &w.pends[w.cur[t]] }

// resumed returns the pending that follows pending p when it gets v. A thread is a function of what it gets, so one that is there already
// will do: whatever follows p lies above it in the stack, and is gone when p is.
func (w *worker) resumed(p uint32, v event.Value) uint32 {
	if to := w.pends[p].to; int(to) < len(w.pends) && w.pends[to].from == p && w.pends[to].got == v {
		return to
	}
	n := w.newPending()
	next, prev := &w.pends[n], &w.pends[p]
	next.state = w.prog.Resume(&w.arena, prev.state, v, &next.act)
	if w.arena.Named != 0 && w.twins != nil {
		w.twins.named()
	}
	next.from, next.got = p, v
	prev.to = n
	if next.act.Awaits {
		next.blocking = w.blockings.of(prev.number, v)
	}
	return n
}

// resumedAfter is resumed, after event e: a weak CAS may have failed spuriously.
func (w *worker) resumedAfter(p uint32, e *graph.Event, v event.Value) uint32 {
	if e.Kind != graph.Read || e.Flags&graph.Spurious == 0 {
		return w.resumed(p, v)
	}
	n := w.newPending()
	next := &w.pends[n]
	next.state = w.prog.ResumeFailed(&w.arena, w.pends[p].state, v, &next.act)
	return n
}

// resume lets thread t run on with v to its next action.
// It returns false if that ends the exploration of this graph.
func (w *worker) resume(t int32, v event.Value) bool {
	w.cur[t] = w.resumed(w.cur[t], v)
	return w.arrived(t)
}

// answered lets thread t go on from where it asks something that is not an event, so that it is never left at such an action: the size of an
// object, the number of the thread that it creates next, whether it went round. place is that of its next event. It returns false if there
// is no such object or no room for the thread.
func (w *worker) answered(t, place int32) bool {
	for {
		switch act := &w.pendingOf(t).act; act.Kind {
		case machine.Round:
			if w.twins != nil && (!w.traits.Reexecutes || w.polls) {
				w.twins.none()
			}
			effect := uint64(0)
			if w.isLoud(t, act.N) {
				w.cur[t] = w.resumed(w.cur[t], event.Value{Lo: wentOn})
				break
			}
			if w.wakes && w.endsVainWait(t, w.roundOf(w.g.Threads[t], act.N)) {
				w.stopAgain(t)
				return true
			}
			if w.cyclic == nil && w.onlyReads(w.g.Threads[t][w.roundOf(w.g.Threads[t], act.N):]) {
				effect = 1
			} else if w.cyclic == nil {
				effect = w.zeroNetEffect(t, act.N)
			} else if w.cyclic.restores(t, place, act.N) {
				effect = 1
			}
			w.cur[t] = w.resumed(w.cur[t], event.Value{Lo: effect})
		case machine.Size:
			obj, ok := w.freed(t, act)
			if !ok {
				return false
			}
			w.cur[t] = w.resumed(w.cur[t], w.g.Events[w.g.Locs[obj].Alloc].Val)
		case machine.Next:
			if place == firstHole {
				place = w.g.FirstHole(t)
			}
			child, ok := w.threadOf(t, w.creations(t, place))
			if !ok {
				return false
			}
			w.cur[t] = w.resumed(w.cur[t], event.Value{Lo: uint64(child)})
		default:
			return true
		}
	}
}

// firstHole stands for the place of a thread's first event that is not there.
const firstHole = -1

// arrived looks at the action that thread t came to. It returns false if the graph need not be
// explored: after an error (but see goesOnAfter), or if the execution is moot (stale).
func (w *worker) arrived(t int32) bool {
	switch w.pendingOf(t).act.Kind {
	case machine.Round, machine.Size, machine.Next:
		if !w.answered(t, firstHole) {
			return false
		}
	}
	if len(w.turned) > 0 && w.cyclic == nil {
		if n := w.turnedRound(t); n > 0 {
			return w.stopAfter(t, n)
		}
	}
	if w.twins != nil {
		w.twins.arrived(t)
	}
	if w.traits.Reexecutes {
		w.followSync(t)
	}
	if w.weak && w.triesAgain(t) {
		return w.again(t)
	}
	switch act := &w.pendingOf(t).act; act.Kind {
	case machine.Fail:
		if act.Error.Kind == machine.Unsupported && w.keepApart(t, act.Addr) {
			return false
		}
		if w.late != nil && stops(act.Error) {
			return true // at the leaf
		}
		w.fail(t, act.Error, w.about(t, act)...)
		return w.goesOnAfter(act.Error)
	case machine.Join:
		if tid := act.Val.Lo; tid >= uint64(len(w.cur)) || len(w.g.Threads[tid]) == 0 {
			w.fail(t, &machine.Error{Kind: machine.CallError, Message: "join of a thread that does not exist"})
			return false
		}
		w.lookAhead(t)
	case machine.Choice:
		if act.Weak && w.waitsAgain(t) {
			return w.waitAgain(t)
		}
	case machine.Block:
		switch act.Block {
		case machine.Again:
			return true
		case machine.Unroll:
			w.bounded.Store(true)
		}
		if act.Block == machine.Spin || act.Block == machine.Lock {
			w.noteRound(t, act.N, nil, act)
		}
		if w.cutsMatter {
			w.late.cutsLoop(act)
			return true
		}
		if w.java != nil && w.java.writesInRound(t) {
			return true
		}
		if w.cyclic == nil && w.stale(t, act) {
			if !w.belongsToOther() {
				w.count.Moot++
				w.done()
			}
			return false
		}
	}
	return true
}

// stale reports whether the last read r of thread t, which is blocked, read something else than the co-latest write when it was added. Then the execution is moot.
//
// Lemma. t stays blocked in all extensions of the graph, and what the other threads do there they also do in an execution in which r reads the co-latest write.
// Proof: r is in no prefix, so a revisit of r or of anything before it would have to find r maximal, which it is not. No event depends on r. ∎
//
// The races of r are left: if r reads the co-latest write, synchronisation may order them. Those that are found by views were found when r was added. Where they are found in graphs in which
// no thread can move (findErrors, flagged), the execution has to be explored.
//
// The lemma holds for every assumption, and for a loop that is cut (--unroll), of which the verdict tells. But executions are counted as others have published them: those in which an assumption about
// more than one read fails are blocked, not moot, unless rule D leaves them out (await.go).
func (w *worker) stale(t int32, act *machine.Action) bool {
	if w.observed || act.Block == machine.Ended || act.Block == machine.Assume && act.N != 1 || act.Block == machine.Spin && act.N == 0 {
		return false // of the last: it would not read again
	}
	g := w.g
	evs := g.Threads[t]
	for i := len(evs) - 1; i >= 0; i-- {
		switch e := &g.Events[evs[i]]; e.Kind {
		case graph.Read:
			return !w.latestWhenAdded(e, e.RF) && w.flags == nil && (w.traits.Races.Pairs == nil || !w.opts.RaceCheck || g.Locs[e.Loc].NA == 0)
		case graph.Fence, graph.Join:
		default:
			return false
		}
	}
	return false
}

// latestWhenAdded reports whether no write that was there before e is co-after m.
func (w *worker) latestWhenAdded(e *graph.Event, m graph.ID) bool {
	g := w.g
	co := g.Locs[e.Loc].Co
	for _, c := range co[w.g.CoIndex(m)+1:] {
		if g.Events[c].Stamp < e.Stamp {
			return false
		}
	}
	return true
}
