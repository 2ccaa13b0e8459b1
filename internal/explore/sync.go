package explore

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Rounds under a model that re-executes.
//
// The executions of xmm without cycles in po ∪ rf are those of rc11, and rule W of round.go leaves out rounds in these. Executions with cycles come from all of them, also from those that are left out. But if threads
// synchronise whenever they communicate, there are none: by the LBRF theorem (docs/xmm.md), as no execution of rc11 has a load-buffering race.
//
// Definition. An event is visible if it is a write, or creates or ends a thread. An execution is synchronised if for each read q of a write u of another thread, u happens before q, or before the first visible event that follows q in its
// thread, or none does.
//
// Lemma 1. A synchronised execution has no load-buffering race.
//
// Proof. Let r be (po ∪ rf)-before w. A path from r to w leaves a thread at a visible event, and ends at one. It comes to the next thread by creation or join, which are in hb, or by rf from u to q. It goes on after q to a visible event,
// which u happens before. So r happens before w. ∎
//
// Rules, for all graphs that are explored:
//
//	S1. Let a read q read a write u of another thread. Then u happens before q. Or the next event of the thread is a fence, and u happens before that. Or q is a read of a lock (look.go), but not that of a take; and
//	    what the thread does next is to read the lock, or it is blocked after an iteration that has only read the lock.
//	S2. A round writes only to locks, and to what only its thread accesses (Z2).
//
// Lemma 2. If S1 and S2 hold in all graphs that W leaves, all executions of rc11 are synchronised.
//
// Proof. Let G be an execution of rc11. By round.go and discipline.go, rounds can be taken out of G one after the other, and the threads come to the same states. So each event of G is in a graph that W leaves: one without rounds, or
// one that has only the round of the event, as the last that its thread does. What is ordered there by hb is ordered in G. Let a location be a lock in all these graphs. Each of its writes in G is a take, which
// reads the value f, or a gift, which writes f and before which the thread has taken the lock. So in co a take comes after the start or a gift, and a gift after the take of its thread. All of these
// are in hb, as takes acquire and gifts release. Let q read u in G, of another thread.
//
//   - Let q read a lock, and not be the read of a take. Whatever its thread reads next, by S1 it reads the lock until it takes it. By coherence u is before this take in co, so in hb. Nothing visible is between q and the take.
//   - Otherwise let u be in a round. By S2 it is a write of a lock. So q is the read of a take, which reads f: u is a gift, which happens before q.
//   - Otherwise there is a graph that W leaves in which q reads u: that without rounds, or the one with the round of q. It has u, as nothing before q comes after its round. By S1 u happens before q, or before the fence that follows. ∎
//
// Where S1 or S2 does not hold, and there is a round that has written, the verdict is bounded. So rounds are not taken for waits as long as there is no need to: where others have to do something for each of them, as
// between two attempts to take a lock, they have an end. Rule W holds once a thread was found that may repeat a round for ever, unless loops are cut.

// repeats reports whether the thread of the events, which is in the same state as before them, gets the same values if it goes on alone: then it may do so for ever.
func (w *worker) repeats(evs []graph.ID) bool {
	g := w.g
	now := map[int32]event.Value{}
	for _, id := range evs {
		switch e := &g.Events[id]; e.Kind {
		case graph.Read:
			v, ok := now[e.Loc]
			if co := g.Locs[e.Loc].Co; !ok {
				v = w.valueOf(co[len(co)-1], e.Loc)
			}
			if v != e.Val || e.Flags&graph.Spurious != 0 {
				return false
			}
		case graph.Write:
			now[e.Loc] = e.Val
		case graph.Choice:
			return false // it may choose something else
		}
	}
	return true
}

// roundsMatter reports whether there may be executions with cycles because of rounds that were left out.
func (r *run) roundsMatter() bool { return r.rounded.Load() && r.unsynced.Load() }

// followSync looks whether the last read of thread t, which was resumed after it, follows S1.
func (w *worker) followSync(t int32) {
	if !w.builds && !w.unsynced.Load() && !w.synchronises(t) {
		w.unsynced.Store(true)
	}
}

// synchronises reports whether the last event of thread t, if it reads, follows S1.
func (w *worker) synchronises(t int32) bool {
	g := w.g
	last := &g.Events[g.Last(t)]
	q := last
	if last.Flags&graph.RMWPart != 0 && last.Kind == graph.Write {
		q = &g.Events[g.At(t, last.Index-1)]
	}
	if q.Kind != graph.Read || q.RF == graph.Init || g.Events[q.RF].Thread == t || g.InHB(q.RF, last) {
		return true
	}
	switch act := &w.pendingOf(t).act; {
	case last.Kind == graph.Write:
		return false
	case act.Kind == machine.Fence:
		return act.Mode.IsAcq() && !act.Tag.IsRCU() && g.Within(q.RF, q.Acq, q)
	case act.Kind == machine.Block && (act.Block == machine.Spin || act.Block == machine.Lock):
		evs := g.Threads[t]
		return act.N > 0 && w.isLockAt(q.Loc) && !slices.ContainsFunc(evs[w.roundOf(evs, act.N):], func(id graph.ID) bool {
			return g.Events[id].Kind != graph.Read || g.Events[id].Loc != q.Loc
		})
	case act.Kind == machine.Block: // for good
		return true
	default:
		return (act.Kind == machine.Load || act.Kind == machine.RMW) && !act.Part && act.Addr == g.Locs[q.Loc].Addr && act.Size == g.Locs[q.Loc].Size && w.isLockAt(q.Loc)
	}
}

// isLockAt reports whether a location is known to be a lock.
func (w *worker) isLockAt(loc int32) bool {
	d := w.disciplineOf(loc)
	return d != nil && d.isLock()
}

// roundsLeftOut notes that the events of thread t are a round that is taken for a wait, and looks whether it follows S2. If it takes and gives what is not known to be a lock, the exploration starts again and knows it.
func (w *worker) roundsLeftOut(t int32, evs []graph.ID) {
	if !w.rounded.Load() {
		w.rounded.Store(true)
	}
	g := w.g
	for i, id := range evs {
		e := g.Events[id]
		if e.Kind != graph.Write {
			continue
		}
		d := w.disciplines[g.Locs[e.Loc].Addr]
		if d.owner == t+1 || d.isLock() {
			continue
		}
		var writes []graph.ID
		for _, id := range evs[i:] {
			if o := &g.Events[id]; o.Kind == graph.Write && o.Loc == e.Loc {
				writes = append(writes, id)
			}
		}
		if len(writes) == 2 && !d.none && !d.lock {
			if free, ok := w.takenAndGiven(&e, &g.Events[writes[1]]); ok {
				w.know(e.Loc, func(d *discipline) { d.lock, d.free = true, free })
				return
			}
		}
		w.unsynced.Store(true)
		return
	}
}
