package explore

import (
	"fmt"
	"maps"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// noteChoice remembers that not all the values were tried that thread t may choose from.
func (w *worker) noteChoice(t int32) {
	act := &w.pendingOf(t).act
	if act.Values == nil || !act.Values.Some {
		return
	}
	if w.sampled.Load() == nil {
		w.sampled.Store(&sampled{act.Values, w.location(w.sourcePos(w.pendingOf(t)))})
	}
}

// alternatives returns how many alternatives of the choice that thread t is at are to be explored.
func (w *worker) alternatives(t int32) int {
	w.noteChoice(t)
	if w.wakes && w.wakesInVain(t) {
		return 1 // it does not end spuriously
	}
	return w.pendingOf(t).act.N
}

// choose branches over a nondeterministic choice.
func (w *worker) choose(t int32) bool {
	n := w.alternatives(t)
	for i := 0; i < n && !w.stop.Load(); i++ {
		m := w.mark()
		id := w.simple(t, graph.Choice, event.NA)
		w.g.Events[id].Val.Lo = uint64(i)
		if w.resume(t, event.Value{Lo: uint64(i)}) {
			w.branch(n)
		}
		w.undo(m)
	}
	return false
}

// A thread that waits in a loop in which it chooses,
//
//	do i = choose(2); while (try_lock(&m[i]) fails);
//
// goes on if another choice leads it out of the loop. So it is only sure to wait for ever if all choices lead back to where it is, with what memory has in the end.

// maxTried is how many actions of a thread are tried to find out whether it waits.
const maxTried = 1000

// waitsWhatever reports whether thread t, which is blocked after a round of n actions, would be so whatever it had chosen in the round.
func (w *worker) waitsWhatever(t int32, n int) bool {
	g := w.g
	evs := g.Threads[t]
	evs = evs[w.roundOf(evs, n):]
	if !slices.ContainsFunc(evs, func(id graph.ID) bool { return g.Events[id].Kind == graph.Choice }) {
		return true
	}
	pends, arena, cur := len(w.pends), w.arena.Mark(), w.cur[t]
	tried := maxTried
	waits := w.waitsFrom(t, g.Events[evs[0]].Pend, map[int32]event.Value{}, &tried)
	w.cur[t] = cur
	w.pends = w.pends[:pends]
	w.arena.Release(arena)
	if tried < 0 {
		w.notExplored(fmt.Sprintf("whether the thread that chooses in the loop at %s waits for ever is not known", w.location(w.sourcePos(w.pendingOf(t)))))
		return false
	}
	return waits
}

// waitsFrom reports whether thread t blocks from the pending p on, whatever it chooses, if no other thread moves. written is what it has written since it began to go round. At most tried actions are tried.
func (w *worker) waitsFrom(t int32, p uint32, written map[int32]event.Value, tried *int) bool {
	for ; *tried >= 0; *tried-- {
		act := w.pends[p].act
		w.cur[t] = p
		got := event.Value{}
		switch act.Kind {
		case machine.Block:
			return act.Block != machine.Ended
		case machine.Choice:
			if act.Weak {
				break // it is not awake yet
			}
			for i := 1; i < act.N; i++ {
				if !w.waitsFrom(t, w.resumed(p, event.Value{Lo: uint64(i)}), maps.Clone(written), tried) {
					return false
				}
			}
		case machine.Fence:
		case machine.Round:
			for loc, v := range written {
				if v != w.latestValue(loc) {
					return false
				}
			}
			got.Lo = 1
		case machine.Load, machine.RMW, machine.Store:
			if act.Part {
				return false
			}
			loc := w.locOfNext(t)
			if act.Kind == machine.Store {
				written[loc] = act.Val
				break
			}
			v, ok := written[loc]
			if !ok {
				v = w.latestValue(loc)
			}
			if got = v; act.Kind == machine.RMW && succeeds(&act, v) {
				written[loc] = act.RMW.Apply(v, act.Val, act.Size)
			}
		default:
			return false
		}
		p = w.resumed(p, got)
	}
	return false
}

// latestValue returns the value of the co-latest write of a location.
func (w *worker) latestValue(loc int32) event.Value {
	co := w.g.Locs[loc].Co
	return w.valueOf(co[len(co)-1], loc)
}
