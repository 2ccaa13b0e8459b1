package explore

import (
	"maps"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Rounds that begin with giving something back.
//
//	lock(&m); while (!ready) { unlock(&m); lock(&m); }
//
// At the head of the loop the thread holds m. What it does from there until it comes back is no round (round.go): it begins with a store, and other threads may hold m before the thread has it again. But the thread is in the same state
// after each unlock as well, and what it does between two of these is a round by Z3.
//
// Definition. A write gives x back if it releases, and the last write of its thread to x before is that of an RMW and acquires. A thread turns at a location x if it is in the same state as before at the head of a loop, has written x at
// least twice since, first to give it back, and not as round.go asks for.
//
// Rule. Where some thread turns, the exploration starts again. After each write that gives x back, it compares the state of the thread with those after the last writes of its own there. If what is between is a round, the thread is blocked.
//
// The lemmas of round.go are about any set of consecutive events after which a thread is in the same state: where in the code that is makes no difference. A thread that turns is blocked in its second round. So one that comes to the end of two equal ones
// does not turn, and its rounds are taken for what round.go takes them for (leavesOut).

// maxTurns is how many of its last writes of a location a thread is compared after.
const maxTurns = 8

// turns reports whether thread t turns at the location that a round first writes by the event at place i. What is not known, the exploration learns.
func (w *worker) turns(t int32, round []graph.ID, i int) bool {
	loc := w.g.Events[round[i]].Loc
	if w.lenient || !w.gives(&w.g.Events[round[i]]) || !w.storesTo(loc, round[i+1:]) || w.stop.Load() || w.goesOn(t, len(w.g.Threads[t])-len(round), 2, true) {
		return false
	}
	addr := w.g.Locs[loc].Addr
	if !w.turned[addr] {
		w.startAgain(func(r *run) {
			if r.turned = maps.Clone(r.turned); r.turned == nil {
				r.turned = map[event.Addr]bool{}
			}
			r.turned[addr] = true
		})
	}
	return true
}

// gives reports whether e is a write that releases, after one of its thread to the same location by an RMW that acquires.
func (w *worker) gives(e *graph.Event) bool {
	if !e.Mode.IsRel() || e.Prev == graph.None {
		return false
	}
	take := &w.g.Events[e.Prev]
	return isUpdate(take) && take.Mode.IsAcq()
}

// turnedRound returns how many actions thread t has done since it was in the same state, if these are a round, its last event is a write of a location at which threads turn, and it was in that state after another one; 0 if not.
func (w *worker) turnedRound(t int32) int {
	g := w.g
	evs := g.Threads[t]
	last := &g.Events[evs[len(evs)-1]]
	if last.Kind != graph.Write || !w.gives(last) || w.pendingOf(t).act.Kind == machine.Block || !w.turned[g.Locs[last.Loc].Addr] {
		return 0
	}
	for id, k := last.Prev, 0; id != graph.None && k < maxTurns; id, k = g.Events[id].Prev, k+1 {
		round := evs[g.Events[id].Index+1:]
		if !w.alikeIn(g.Events[round[0]].Pend, w.cur[t]) {
			continue
		}
		n := 0
		for _, id := range round {
			if !isUpdate(&g.Events[id]) {
				n++
			}
		}
		w.hasTurned = true
		isRound := w.zeroNetEffect(t, n) != 0
		w.hasTurned = false
		if isRound {
			return n
		}
		return 0
	}
	return 0
}
