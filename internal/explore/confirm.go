package explore

import (
	"maps"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Reads that a compare-and-swap confirms.
//
//	do { a = x; } while (!CAS(x, a, f(a)));
//
// A thread that fails here only starts again, so what matters are the executions in which nobody came between. But a write that comes later revisits the CAS as well as
// the load, and each of these failures would be a blocked execution.
//
// Definition. A CAS c of thread t confirms q, a read of t of the same location x, if
//
//  1. q comes right before c in t, c expects the value that q has read, and q is not stronger than c when that succeeds;
//  2. whatever value c fails with, of those that are written to x, t blocks in a loop that reads q again (machine.Spin), or is where it would be if q had read that value. In the second case, q is
//     not stronger than c when that fails;
//  3. no write of x is non-atomic, and the model has no dependencies;
//  4. in no execution there are two writes of x with the same value.
//
// Rule C. c reads from the write that q reads from. Executions in which it does not are left out.
//
// Lemma 1. C leaves out no complete execution. Each one that it leaves out has another that it does not, in which all threads do the same, apart from those that wait or try again.
//
// Proof. Let G be a consistent execution in which q reads from a, and c from b ≠ a. By coherence, a is co-before b. By 4, c fails.
//
//   - t blocks. G without q and c is consistent, and so is what follows if t reads the latest write with both. t was not stuck in G, as q and c had read
//     different values, and it waits for both to be the same. In if (x == 0) while (!CAS(x, 0, 1)); it waits for c only, and is stuck: there q is no part of the loop. Errors of q and c are use after free, and races. The former, t has whenever it comes to q. There are none of the latter, by 3.
//   - t is where it would be if q had read from b: see reread.go.
//
// There are fewer events, or fewer pairs with different sources, each time. ∎
//
// So, of the writes that c may read, the others are not explored, and no write revisits c.
//
// Lemma 2. All executions below a branch that is not explored are to be left out, if c was added right after q.
//
// Proof. Let c read from b, and let w be a write that is added later. First, let b have revisited c. If w revisits something before c in the trail, then b is in its prefix, as a write
// that has revisited does not get deleted. Then q, which reads from a write that is co-before b, is not maximal. If b was there before q, q is not maximal either. So q stays as it is, and
// what is before q in the trail as well. There is nothing between q and c, apart from the prefix of a write that has revisited q, which w then has in its prefix. So c is not deleted; it
// may be revisited by w, which is not what q reads from. ∎
//
// Which values are written is found out on the way: the exploration starts again with each one, and without C at x when one comes again.
//
// Lemma 3. That finds all values. Proof: if c succeeds in G above, against 4, let q read from b as well: by 1, t does the same. q is followed by c, which reads from b and comes before all writes that are co-after
// b, other than its own. So what q comes before, c comes before, and what comes before q now comes before c, as q is not stronger: there is no new cycle. So there is an execution with the same writes that C
// does not leave out, and it shows that a value comes again. Suppose that another value is not found. Let P' be the program whose threads stop before a store of a value that was not found, and after the read of an RMW that would write one,
// which then writes nothing. In P' all values are known, so its executions are explored, but for those that C leaves out rightly. A least execution with an unknown
// value is one of P' up to the write, in which no thread waits, so it is part of an execution of P' that is explored. The exploration of the program itself is the same until a thread comes to an unknown
// value, and then it is found. ∎

// A valueSet has the values that are written to a location.
type valueSet struct {
	vals []event.Value
	none bool // rule C does not hold there: there are too many, or writes that are not atomic, or with equal values
}

// maxWritten bounds the values of a location that are looked at: each may have the exploration start again.
const maxWritten = 32

// mayConfirm reports whether rule C holds.
func (w *worker) mayConfirm() bool {
	return w.postpones && w.rereads && w.deps == nil && !w.traits.TracksDeps && w.flags == nil && !w.observed && w.opts.Hunt == 0
}

// confirms reports whether the CAS at the pending p confirms the read q, the event before it in its thread. before is the event that comes before the CAS in the trail.
func (w *worker) confirms(p uint32, q, before graph.ID) bool {
	g := w.g
	act, e := &w.pends[p].act, &g.Events[q]
	if !w.confirmed || !act.Retries || act.RMW != event.CAS || e.Kind != graph.Read {
		return false
	}
	if before != q && (before != e.RF || g.Events[before].Flags&graph.Revisitor == 0) {
		return false
	}
	if w.pends[p].confirms == unknown {
		answer := no
		if w.onlyConfirms(p, q) {
			answer = yes
		}
		if w.stop.Load() {
			return false
		}
		w.pends[p].confirms = answer
	}
	return w.pends[p].confirms == yes
}

// onlyConfirms reports whether c confirms q.
func (w *worker) onlyConfirms(p uint32, q graph.ID) bool {
	act, e := w.pends[p].act, w.g.Events[q]
	l := &w.g.Locs[e.Loc]
	switch {
	case e.Flags&(graph.RMWPart|graph.Spurious) != 0 || e.Val != act.Exp || e.Tag != act.Tag || l.Addr != act.Addr || w.pends[e.Pend].act.Size != act.Size:
		return false
	case e.Mode == event.NA || e.Mode.IsAcq() && !act.Mode.IsAcq() || e.Mode == event.SC && act.Mode != event.SC:
		return false
	}
	known, ok := w.values[l.Addr]
	if !ok {
		w.learnValue(e.Loc, w.initialValue(e.Loc), false)
		return false
	}
	if known.none {
		return false
	}
	c := e
	c.Mode = act.Fail
	again := notStronger(&e, &c)
	for _, v := range known.vals {
		if v != act.Exp && !w.inVain(p, &e, v, again) {
			return false
		}
	}
	return true
}

// inVain reports whether the thread at the pending p only waits, or tries again, if its CAS fails with v. again says whether it may be where it would be if q had read v.
func (w *worker) inVain(p uint32, q *graph.Event, v event.Value, again bool) bool {
	pends, arena := len(w.pends), w.arena.Mark()
	defer func() {
		w.pends = w.pends[:pends]
		w.arena.Release(arena)
	}()
	next := w.resumed(p, v)
	if act := &w.pends[next].act; act.Kind == machine.Block {
		return act.N >= 2 && (act.Block == machine.Spin || act.Block == machine.Lock)
	}
	return again && w.likeAfter(q, v, next)
}

// confirming returns the only write that t, at an RMW, may read from, and whether there is such a rule.
func (w *worker) confirming(t int32) (graph.ID, bool) {
	if !w.confirmed || w.pendingOf(t).act.Kind != machine.RMW {
		return graph.None, false
	}
	g := w.g
	q := g.Last(t)
	if !w.confirms(w.cur[t], q, g.Trail[len(g.Trail)-1]) {
		return graph.None, false
	}
	return g.Events[q].RF, true
}

// keeps reports whether no write may revisit the read e, which is at place slot of the trail.
func (w *worker) keeps(slot int, e *graph.Event) bool {
	return w.confirmed && e.Flags&graph.Locked != 0 && slot > 0 && w.confirms(e.Pend, w.g.At(e.Thread, e.Index-1), w.g.Trail[slot-1])
}

// writes notes that t is about to write val to loc. What it writes before other threads begin, or after they have ended, no CAS of them fails with.
func (w *worker) writes(t, loc int32, val event.Value, mode event.Mode) {
	known, ok := w.values[w.g.Locs[loc].Addr]
	if ok && !known.none && (mode == event.NA || !slices.Contains(known.vals, val)) && !w.alone(t) {
		w.learnValue(loc, val, mode == event.NA)
	}
}

// comesAgain looks whether the write e, which is in the graph, has the value of another one.
func (w *worker) comesAgain(e *graph.Event) {
	l := &w.g.Locs[e.Loc]
	known, ok := w.values[l.Addr]
	if !ok || known.none || w.alone(e.Thread) {
		return
	}
	for i, id := range l.Co {
		if int32(i) != e.Co && w.valueOf(id, e.Loc) == e.Val {
			w.learnValue(e.Loc, e.Val, true)
			return
		}
	}
}

// learnValue has the exploration start again with a value of loc, or, with none, without looking at them.
func (w *worker) learnValue(loc int32, val event.Value, none bool) {
	g := w.g
	l := &g.Locs[loc]
	w.startAgain(func(r *run) {
		if r.written = maps.Clone(r.written); r.written == nil {
			r.written = map[event.Addr]valueSet{}
		}
		s := r.written[l.Addr]
		s.vals = slices.Clone(s.vals)
		for i := range l.Co {
			if v := w.valueOf(l.Co[i], loc); !slices.Contains(s.vals, v) {
				s.vals = append(s.vals, v)
			}
		}
		if !slices.Contains(s.vals, val) {
			s.vals = append(s.vals, val)
		}
		s.none = s.none || none || len(s.vals) > maxWritten
		r.written[l.Addr] = s
	})
}
