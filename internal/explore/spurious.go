package explore

import (
	"fmt"
	"sync"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// A weak CAS may fail although it reads the expected value: spuriously. Most of them are in a loop that tries again, and then the
// failure makes no difference. Executions with such a failure are not counted and, as far as possible, not explored.
//
// Definition. Let c be a read of thread t that fails spuriously. A round is a set R of consecutive events of t, with c, such that
//
//  1. t is in the same state before and after R: at the same action, with the same values in all registers that it will read;
//  2. R has reads, fences and stores, and nothing else;
//  3. each store s in R has a twin: a store of t to the same location, with nothing but reads, fences and stores between the two, which either
//     comes before R and wrote the same value as the last store of R there, or comes after R, before t reads the location;
//  4. s and its twin are not atomic and races are errors, or else no access of the location has a choice: there is one write that it can read, or
//     one place that it can have in co.
//
// Lemma. If G is a consistent execution with a round R, then G without R is one, in which all other events read and write the same values.
//
// Proof. By 1 t does the same without R, and its events depend on the same reads, apart from what R has read again (sameSource). All relations of the
// models are monotone in po, rf, co, fr and dependencies: fewer events mean fewer constraints. What is left are reads of other threads from a
// store s in R, and writes of others that are co-between s and its twin. Where accesses have no choice there are none of the latter, and a
// read of s reads the value of the twin before R, or there is none. Where races are errors let a be such an access. It is not ordered between
// s and its twin: t releases nothing there. If it is ordered with neither, it races with both. If it is ordered with one only, it races with the other; if
// that is s, it is so in a graph without c as well, as either s is before c, or the twin is and does the same. If it is ordered after both
// it does not read s, unless the twin comes before R and has the same value. ∎
//
// So an error that G has by an event outside of R, G without R has too; one by an event of R is found when that event is added. If c is the
// last read of R, the graph need not be explored on: c is in no prefix, as t writes nothing after it, and a revisit deletes no
// read that failed spuriously (maximal, canonicalSoFar). Otherwise the reads after c may be revisited and lead t elsewhere. So t stays
// where it is, blocked, the other threads go on, and the execution does not count (machine.Again).
//
// A thread that fails spuriously for ever is not fair. So rounds are neither deadlocks nor endless loops.
//
// Whether accesses of a location have a choice is seen in the executions: the exploration begins again when it first matters, to look at all of them, and once
// more if one has a choice. That sees enough: take the first choice in an execution that is not explored. What comes before it, without its rounds, is
// explored; there the access has the same choice, or it is between s and its twin. Then s is in the graph, as t has not gone on.

// maxSpurious is how often in a row a weak CAS fails spuriously if each time the thread is in another state, as when it counts its attempts.
const maxSpurious = 8

// compares sets up what spurious failures and wake-ups need, if there are any.
func (r *run) compares() {
	r.weak = !r.opts.NoSpuriousCAS && r.prog.HasWeakCAS()
	r.wakes = r.prog.HasWakeups()
	if r.weak || r.wakes {
		r.alike = r.prog.NewComparer()
	}
}

// spuriousBranch explores the executions in which a weak CAS reads its expected value and fails.
func (w *worker) spuriousBranch(t, loc int32, src graph.ID) {
	if !w.mayFail(t) || w.twins != nil && !w.twins.mayFail(t, loc, src) {
		return
	}
	m := w.mark()
	if w.addRead(t, loc, src, graph.Spurious) && w.resumeRead(t) {
		w.branch(1)
	}
	w.undo(m)
}

// outcomes are the flags of the read that thread t is at if it reads v: if that is a weak CAS which could succeed, it may fail as well.
func (w *worker) outcomes(t int32, v event.Value) []uint8 {
	if !w.weak {
		return bothOutcomes[:1]
	}
	act := &w.pendingOf(t).act
	if act.Kind == machine.RMW && act.Weak && succeeds(act, v) && w.mayFail(t) {
		return bothOutcomes[:]
	}
	return bothOutcomes[:1]
}

var bothOutcomes = [2]uint8{0, graph.Spurious}

// mayFail reports whether the weak CAS that thread t is at has not failed spuriously too often in a row.
func (w *worker) mayFail(t int32) bool {
	g := w.g
	evs := w.past(t)
	failed, since := 0, 0
	for i := len(evs) - 1; i >= 0 && since < maxEvents; i-- {
		e := &g.Events[evs[i]]
		since++
		if e.Kind == graph.Write && e.Flags&graph.RMWPart != 0 {
			break
		}
		if e.Flags&graph.Spurious == 0 || e.Kind != graph.Read {
			continue
		}
		since = 0
		if failed++; failed == maxSpurious {
			w.notExplored(fmt.Sprintf("the weak compare-and-swap at %s failed spuriously %d times in a row, more was not explored (--no-spurious-cas explores none)",
				w.location(w.sourcePos(w.pendingOf(t))), maxSpurious))
			return false
		}
	}
	return true
}

// past returns the events of thread t before the action that it is at.
func (w *worker) past(t int32) []graph.ID {
	if w.cyclic != nil {
		return w.g.Threads[t][:w.g.FirstHole(t)]
	}
	return w.g.Threads[t]
}

// triesAgain reports whether the last events of thread t are a round: it is where it was before a weak CAS failed spuriously.
func (w *worker) triesAgain(t int32) bool {
	p := w.pendingOf(t)
	evs := w.past(t)
	if len(evs) == 0 {
		return false
	}
	last := &w.g.Events[evs[len(evs)-1]]
	switch p.act.Kind {
	case machine.Block:
		if p.act.Block != machine.Spin && p.act.Block != machine.Lock || !w.failedAmong(evs, p.act.N) {
			return false
		}
		w.noteAgain(t, evs[w.roundOf(evs, p.act.N):])
		return true
	case machine.Load, machine.Store, machine.Fence, machine.RMW:
		if !p.act.Weak && (last.Kind != graph.Read || last.Flags&graph.Spurious == 0) {
			return false
		}
	default:
		return false
	}
	c := len(evs) - 1
	for ; c >= 0 && (w.g.Events[evs[c]].Kind != graph.Read || w.g.Events[evs[c]].Flags&graph.Spurious == 0); c-- {
		if !w.mayBeOfRound(evs[c]) || len(evs)-c > maxEvents {
			return false
		}
	}
	if c < 0 {
		return false
	}
	next := p // what comes after c
	if c+1 < len(evs) {
		next = &w.pends[w.g.Events[evs[c+1]].Pend]
	}
	for i := c; i >= 0 && c-i < maxEvents && w.mayBeOfRound(evs[i]); i-- {
		if w.alikeTo(&w.g.Events[evs[i]], next) {
			if w.overwrites(evs, i, c) && w.sameSource(evs, i, c) {
				w.noteAgain(t, evs[i:c+1])
				return true
			}
			break
		}
	}
	if !w.alikeTo(&w.g.Events[evs[c]], p) || !w.restores(evs, c) || !w.sameSource(evs, c, c) {
		return false
	}
	w.noteAgain(t, evs[c:])
	return true
}

// maxEvents is how many events a round has at most, and how many there are at most between two failures in a row.
const maxEvents = 100

// failedAmong reports whether one of the last n actions of a thread failed spuriously.
func (w *worker) failedAmong(evs []graph.ID, n int) bool {
	for i := len(evs) - 1; i >= 0 && n > 0; i-- {
		e := &w.g.Events[evs[i]]
		if e.Kind == graph.Read && e.Flags&graph.Spurious != 0 {
			return true
		}
		if e.Kind != graph.Write || e.Flags&graph.RMWPart == 0 {
			n--
		}
	}
	return false
}

// mayBeOfRound reports whether the event is a read, a fence or a store.
func (w *worker) mayBeOfRound(id graph.ID) bool {
	switch e := &w.g.Events[id]; e.Kind {
	case graph.Read:
		return e.Flags&graph.RMWPart == 0
	case graph.Fence:
		return !e.Tag.IsRCU()
	case graph.Write:
		return e.Flags&graph.RMWPart == 0 && !w.pends[e.Pend].act.Private
	}
	return false
}

// alikeTo reports whether the thread was, before event e, in the state that it has in p.
func (w *worker) alikeTo(e *graph.Event, p *pending) bool {
	q := &w.pends[e.Pend]
	return q.act.Kind == p.act.Kind && q.act.Addr == p.act.Addr && q.act.Val == p.act.Val && q.act.Exp == p.act.Exp &&
		w.alike.Same(&w.arena, q.state, p.state)
}

// sameSource reports whether the dependencies are the same without the events of places from to c, where c is the weak CAS. If it has read what it
// expected from another write than the read r did that this came from, let r read from that one, too: what depended on c then depends on r, and
// that it comes after what c has read is so by the control dependency on c already. That is fine if nothing before the round depends on r.
func (w *worker) sameSource(evs []graph.ID, from, c int) bool {
	if !w.tracks {
		return true
	}
	g := w.g
	e := &g.Events[evs[c]]
	for _, r := range g.Deps.Members(e.Exp) {
		if int(r) >= from || g.Events[evs[r]].Loc != e.Loc || g.Events[evs[r]].RF == e.RF {
			continue
		}
		for _, id := range evs[r+1 : from] {
			if g.Depends(&g.Events[id], r) {
				return false
			}
		}
	}
	return true
}

// restores reports whether each store after place c has its twin before c.
func (w *worker) restores(evs []graph.ID, c int) bool {
	g := w.g
	for i := len(evs) - 1; i > c; i-- {
		e := &g.Events[evs[i]]
		if e.Kind != graph.Write || w.storesTo(e.Loc, evs[i+1:]) {
			continue
		}
		k := c - 1
		for ; k >= 0 && w.mayBeOfRound(evs[k]) && (g.Events[evs[k]].Kind != graph.Write || g.Events[evs[k]].Loc != e.Loc); k-- {
		}
		if k < 0 || !w.mayBeOfRound(evs[k]) || g.Events[evs[k]].Val != e.Val || !w.hasNoChoice(e) {
			return false
		}
	}
	return true
}

// overwrites reports whether each store from place from on up to c has its twin after c.
func (w *worker) overwrites(evs []graph.ID, from, c int) bool {
	g := w.g
	for _, id := range evs[from:c] {
		e := &g.Events[id]
		if e.Kind != graph.Write {
			continue
		}
		k := c + 1
		for ; k < len(evs) && g.Events[evs[k]].Loc != e.Loc; k++ {
		}
		if k == len(evs) || g.Events[evs[k]].Kind != graph.Write || !w.hasNoChoice(e) {
			return false
		}
	}
	return true
}

// storesTo reports whether one of the events is a write to loc.
func (w *worker) storesTo(loc int32, evs []graph.ID) bool {
	for _, id := range evs {
		if e := &w.g.Events[id]; e.Kind == graph.Write && e.Loc == loc {
			return true
		}
	}
	return false
}

// again stops the thread t after a round. It returns false if the graph need not be explored.
func (w *worker) again(t int32) bool {
	w.stopAgain(t)
	if w.cutsMatter {
		w.notExplored(fmt.Sprintf("rounds in which a weak compare-and-swap fails spuriously were left out, and %s has constraints that are decided on complete executions, where they may matter", w.m.Name()))
	}
	evs := w.past(t)
	stores := false
	for i := len(evs) - 1; i >= 0; i-- {
		e := &w.g.Events[evs[i]]
		stores = stores || e.Kind == graph.Write
		if e.Kind != graph.Read {
			continue
		}
		if e.Flags&graph.Spurious != 0 && !(stores && w.choices != nil) || w.cyclic == nil && !w.observed && !stores && !w.latestWhenAdded(e, e.RF) {
			w.explored(w.weight)
			return false
		}
		break
	}
	return true
}

// stopAgain blocks the thread t where it is. The block is Weak if it is where the thread is about to wait.
func (w *worker) stopAgain(t int32) {
	n := w.newPending()
	p := &w.pends[n]
	p.state, p.act = w.pends[w.cur[t]].state, w.pends[w.cur[t]].act
	p.act.Weak = p.act.Weak && p.act.Kind == machine.Choice
	p.act.Kind, p.act.Block = machine.Block, machine.Again
	w.cur[t] = n
}

// choices says of which locations accesses have a choice, if that matters: there is more than one write to read, or more than one place in co.
type choices struct {
	has    sync.Map // by event.Addr
	relied sync.Map // by event.Addr: where a round has left none out
	noted  sync.Map // by event.Addr: as has, in an exploration of an item, without an effect on what it leaves out
}

// hasNoChoice reports whether what comes between the store e and its twin may be ruled out: 4. of the definition.
func (w *worker) hasNoChoice(e *graph.Event) bool {
	if e.Mode == event.NA && w.raceErrors {
		return true
	}
	if w.cyclic != nil || w.observed || w.builds {
		return false // not looked at
	}
	if w.twins != nil {
		w.twins.none() // not all choices are explored
		return false
	}
	if w.choices == nil {
		w.startAgain(func(r *run) { r.choices = &choices{} })
		return false
	}
	addr := w.g.Locs[e.Loc].Addr
	w.choices.relied.Store(addr, true)
	_, has := w.choices.has.Load(addr)
	return !has
}

// hasChoice takes note that an access of loc has a choice.
func (w *worker) hasChoice(loc int32) {
	addr := w.g.Locs[loc].Addr
	if _, known := w.choices.has.Load(addr); known {
		return
	}
	if w.items {
		w.choices.noted.Store(addr, true)
	} else {
		w.choices.has.Store(addr, true)
	}
	if _, relied := w.choices.relied.Load(addr); relied {
		w.startAgain(func(r *run) { r.choices.has.Store(addr, true) })
	}
}
