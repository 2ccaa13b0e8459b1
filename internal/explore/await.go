package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Threads that wait.
//
// A read awaits if its thread blocks (machine.Spin, machine.Lock) as soon as it gets certain values, as in a loop that waits for a flag.
// Added as soon as its thread comes to it, such a read blocks the thread in most branches, and each write that lets it go on has to
// re-direct it. So it is postponed.
//
// Rule P. A thread at a read that the co-latest value would block moves only if no other thread can. Then the read is added as any other,
// from each write that it may read.
//
// Lemma. P changes no set of executions. Proof: the exploration is right for any choice of the thread that moves next. ∎
//
// Rule D. A read that blocks and that does not read the co-latest write is not added.
//
// Lemma. D drops only executions that are moot (see stale). Proof: let r be such a read of thread t, in graph G. No later write re-directs r or
// what comes before r in t, because r is not maximal, so t stays blocked at r in all extensions of G. Let H be one of them and H' the
// graph in which r reads the co-latest write of G instead. Nobody depends on r, so H' has the events of H, and is consistent
// as models are extensible. What H shows of other threads H' shows as well. What is left are races of r itself: they are found when r is added with the
// co-latest write too, unless synchronisation by that very read orders them. So D needs that nothing else at the location is non-atomic. ∎
//
// An RMW that writes what it reads, as the exchange of a test-and-set lock, awaits in the same way.

// An answer is what is known of a question.
type answer uint8

const (
	unknown answer = iota
	no
	yes
)

// waits reports whether thread t is at a read that the co-latest value would block.
func (w *worker) waits(t int32) bool {
	act := &w.pendingOf(t).act
	if !act.Awaits || !w.postpones {
		return false
	}
	loc := w.locOf(t, act)
	co := w.g.Locs[loc].Co
	if !w.opts.Observed {
		return w.blocks(t, w.valueOf(co[len(co)-1], loc))
	}
	for _, src := range co {
		if !w.blocks(t, w.valueOf(src, loc)) {
			return false
		}
	}
	return true
}

// blocks reports whether thread t, at a read, blocks in a loop as soon as it gets v.
func (w *worker) blocks(t int32, v event.Value) bool {
	i := w.cur[t]
	if p := &w.pends[i]; p.blocks != unknown && p.tried == v {
		return p.blocks == yes
	}
	pends, arena := len(w.pends), w.arena.Mark()
	act := &w.pends[w.resumed(i, v)].act
	blocks := no
	if act.Kind == machine.Block && (act.Block == machine.Spin || act.Block == machine.Lock) {
		blocks = yes
	}
	w.pends = w.pends[:pends]
	w.arena.Release(arena)
	w.pends[i].tried, w.pends[i].blocks = v, blocks
	return blocks == yes
}

// drops reports whether the read that t is at need not be added with src, which is not the co-latest write of loc: rule D.
func (w *worker) drops(t, loc int32, src graph.ID) bool {
	act := &w.pendingOf(t).act
	if !act.Awaits || !w.postpones || w.opts.Observed || w.flags != nil {
		return false
	}
	if w.opts.RaceCheck && (act.Mode == event.NA || w.g.Locs[loc].NA > 0) {
		return false
	}
	if src == graph.Init && w.object[loc] >= 0 {
		return false // it may be uninitialised
	}
	return w.blocks(t, w.valueOf(src, loc))
}
