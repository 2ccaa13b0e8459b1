package explore

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Attempts that are given up.
//
//	for (;;) { lock(&a); if (trylock(&b)) break; unlock(&a); }
//
// A thread that finds b taken here gives a back and tries again: a round (round.go). Another thread, which has taken b and tries a, may see that a is taken meanwhile, and give up too. So what is seen of the one round makes a difference
// to the other thread. But that does nothing with it: both rounds can be left out together.
//
// Definition. A take of a round is the write of an RMW by which its thread changes a location; it acquires. A gift of the take is the next write of the thread there; it releases, and writes what the take has read.
// Thread t, at a read r of x, gives up with v, if, having read v, r writes nothing else than v, and t then only gives, reads locations that it has taken and not given, and has fences, until it is in the same state as before an event f
// that is not after r; between f and then it has reads, fences, RMWs that write what they read, takes of locations other than x, and one gift of each take, nothing else. What t does from f on, if r reads a value with which it gives up, is an attempt.
//
// This is (v) of D2 in discipline.go: t gives up with the value, and H has what its takes write.
//
// Lemma 2 of discipline.go holds with (v). More precisely: let the locations at which rounds and attempts take something be used with discipline in all executions that rule W leaves. For each consistent execution G there is an execution G' that W leaves, which is G
// without its rounds and attempts, in which all threads come to the same states, but for those in an attempt, which are before it. And (a) and (b) of Lemma 1 of round.go hold in G if all reads of rounds and attempts are set aside.
//
// Proof. By induction, in an order of the events that contains po ∪ rf ∪ co of the locations. Let e be the last event of G, of thread u, and G0' the execution for G without e.
//
//   - If u is in an attempt, e is part of it, by its definition: G' is G0'. If it reads a location that it has taken, it reads its own take. By D2, D3, and as H has what the take writes, no write of another thread is co-after it, but
//     those of RMWs that write what they read, which are of rounds and attempts, or are left out as Lemma 2 says.
//   - Otherwise u is at the same action in G0', and has read something there, as W leaves G0'. Let e read a value that a round or an attempt of another thread holds. By D2, u waits, or does the same as without that, as in
//     Lemma 2; or it gives up. Then let P be what u has done since f, which is in G0'. G' is G0' without P: each read of a take of P that is of another thread is one of a value of H. So by D2 that thread waits there, or has given up, and the read is not in G0'.
//     By D3 no store of another thread comes right after a take of P in co.
//   - If e completes a round, G' is G0' without the round, for the same reason.
//   - In all other cases, G' is G0' with e.
//
// G' is consistent by Lemma 1 of round.go: its proof is about what leads from a, the last write before some of what is left out, to a later event q that reads a instead. Where several rounds and attempts are left out between
// a and q, each take acquires what the gift before it has released. ∎
//
// An attempt has no errors that are not found otherwise: r, and what comes before it, are there in G0', and what follows are accesses of locations that t has taken, with values that are known.
//
// Threads may go on to make each other give up for ever. That is a livelock of the program, so (v) is not used with Options.Liveness. Rules that say more about H than D2 does are left alone: (v) is not used under models for which Lemma 1
// of round.go has an argument of its own.

// givingUpMatters reports whether (v) holds.
func (w *worker) givingUpMatters() bool {
	t := &w.traits
	return w.rounds && !w.opts.Liveness && w.java == nil && t.Late == nil && !t.Races.Own && !t.Races.Allowed && !t.Reexecutes
}

// maxGifts bounds the actions of a thread after it has given up.
const maxGifts = 32

// A take is what a thread has taken in a round, and not given back yet.
type take struct {
	loc      int32
	old, val event.Value
}

// abandons reports whether thread t, whose last event is the read at the pending i, gives up with v, and has learnt what its takes write.
func (w *worker) abandons(t int32, i uint32, v event.Value) bool {
	if act := &w.pends[i].act; !w.givingUpMatters() || act.Kind == machine.RMW && succeeds(act, v) && !keeps(act, v) {
		return false
	}
	pends, arena := len(w.pends), w.arena.Mark()
	held, ok := w.takesOf(t, i, v)
	w.pends = w.pends[:pends]
	w.arena.Release(arena)
	if !ok {
		return false
	}
	for _, h := range held {
		addr := w.g.Locs[h.loc].Addr
		if w.disciplines[addr].none {
			return false
		}
		w.holds(h.loc, holding{thread: t, val: h.val, stores: true})
	}
	if w.twins != nil {
		w.twins.none() // which values are held is known of single threads
	}
	return true
}

// takesOf returns the takes of the attempt of thread t, whose last event is the read at the pending i, if it reads v; false if that is no attempt.
func (w *worker) takesOf(t int32, i uint32, v event.Value) ([]take, bool) {
	g := w.g
	evs := g.Threads[t]
	x := g.Events[evs[len(evs)-1]].Loc
	evs = evs[:len(evs)-1]
	var gifts []graph.Event
	var read []int32
	for n := 1; n <= maxGifts; n++ {
		i, v = w.resumed(i, v), event.Value{}
		act := w.pends[i].act
		switch act.Kind {
		case machine.Round:
			if act.N < n {
				return nil, false
			}
			return w.givenBack(evs[w.roundOf(evs, act.N-n):], gifts, read, x)
		case machine.Fence:
			if act.Tag.IsRCU() {
				return nil, false
			}
			continue
		case machine.Load, machine.Store, machine.RMW:
		default:
			return nil, false
		}
		loc, ok := g.Find(act.Addr, act.Size)
		if !ok || act.Part || slices.ContainsFunc(gifts, func(e graph.Event) bool { return e.Loc == loc }) || int(t) >= len(g.Locs[loc].Last) || g.Locs[loc].Last[t].Write == graph.None {
			return nil, false
		}
		if own := g.Events[g.Locs[loc].Last[t].Write].Val; act.Kind != machine.Store {
			read = append(read, loc)
			v = own
		}
		switch {
		case act.Kind == machine.Store:
			gifts = append(gifts, graph.Event{Kind: graph.Write, Mode: act.Mode, Loc: loc, Val: act.Val})
		case act.Kind == machine.RMW && (act.Weak && w.weak || !succeeds(&act, v)):
			return nil, false
		case act.Kind == machine.RMW:
			gifts = append(gifts, graph.Event{Kind: graph.Write, Mode: act.Mode, Loc: loc, Val: act.RMW.Apply(v, act.Val, act.Size)})
		}
	}
	return nil, false
}

// givenBack returns the takes among the events of a round, if the thread does nothing else there that others might see, and has given back all when the gifts have followed. It has to have taken and not given what it reads then, and not x.
func (w *worker) givenBack(evs []graph.ID, gifts []graph.Event, read []int32, x int32) (all []take, ok bool) {
	g := w.g
	var held []take
	gives := func(e *graph.Event) bool {
		n := len(held)
		held = slices.DeleteFunc(held, func(h take) bool { return h.loc == e.Loc && h.old == e.Val })
		return e.Mode.IsRel() && len(held) < n
	}
	for _, id := range evs {
		e := &g.Events[id]
		switch {
		case e.Kind == graph.Read || e.Kind == graph.Fence && !e.Tag.IsRCU():
		case e.Kind != graph.Write:
			return nil, false
		case gives(e):
		case !isUpdate(e) || e.Tag != event.NoTag:
			return nil, false
		default:
			h := take{e.Loc, w.valueOf(g.Locs[e.Loc].Co[e.Co-1], e.Loc), e.Val}
			if h.old == h.val {
				continue
			}
			if !e.Mode.IsAcq() || e.Loc == x || slices.ContainsFunc(held, func(o take) bool { return o.loc == e.Loc }) {
				return nil, false
			}
			held, all = append(held, h), append(all, h)
		}
	}
	for _, loc := range read {
		if !slices.ContainsFunc(held, func(h take) bool { return h.loc == loc }) {
			return nil, false
		}
	}
	for k := range gifts {
		if !gives(&gifts[k]) {
			return nil, false
		}
	}
	return all, len(held) == 0
}
