package explore

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// Java's models differ from the others here in three ways. A graph may be explored and, when it is complete, turn
// out not to be consistent (late.go). A race is no error. And where plain accesses race, the models allow executions that are
// not explored: then the verdict is bounded.
//
// The explored ones have no cycle in po ∪ rf, and are coherent. Say that an execution of the model has a cycle. Take out the events
// that have one before them; what is left, C, is explored, and so are its extensions. The next event of each thread that lost
// some is a read r whose write w was taken out: w comes after the like read of its own thread. Following these from thread to
// thread gives a cycle of such edges w → r and of po, from reads to writes. One of the edges has a plain end: the models forbid cycles of
// opaque events. Let the thread of w run on from C alone up to w, then r: in this execution, which is explored, w and r race, a read is
// before w, and a write comes after r. That is what plainRaces looks for. The argument assumes that w is written whatever the reads of
// the cycle return: a write that is there only because the cycle makes it so comes out of thin air, and such executions are
// not taken into account. Likewise reads of a location go backwards only if a plain write of it races with them.

// A java looks for such races.
type java struct {
	*worker
	raced bool // there was a race
}

// plainRaces looks for races because of which the model allows executions that are not explored.
func (j *java) plainRaces() {
	if !j.raced || j.missing.Load() {
		return
	}
	g := j.g
	for i := range g.Locs {
		l := &g.Locs[i]
		if l.NA == 0 || l.Size == 0 || l.Reads == 0 || len(l.Co) == 1 {
			continue
		}
		for t := range l.Last {
			if l.Last[t].Write == graph.None {
				continue
			}
			for u := range l.Last {
				if u != t && l.Last[u].Read != graph.None && j.plainRace(l, l.Last[t].Write, l.Last[u].Read) {
					return
				}
			}
		}
	}
}

// plainRace looks for races between the writes and the reads of l in two chains.
func (j *java) plainRace(l *graph.Loc, lastWrite, lastRead graph.ID) bool {
	g := j.g
	for id := lastRead; id != graph.None; id = g.Events[id].Prev {
		r := &g.Events[id]
		for wid := lastWrite; wid != graph.None && !g.InHB(wid, r); wid = g.Events[wid].Prev {
			wr := &g.Events[wid]
			if g.InHB(id, wr) || r.Mode != event.NA && wr.Mode != event.NA {
				continue
			}
			switch {
			case j.shares(r.Thread, r.Index+1, int32(len(g.Threads[r.Thread])), graph.Write) && j.shares(wr.Thread, 0, wr.Index, graph.Read):
				j.allowsMore(l, wr, r, "a read may see a write that comes after it (load buffering)")
				return true
			case wr.Mode == event.NA && (r.Prev != graph.None || lastRead != id):
				j.allowsMore(l, wr, r, "one of two reads may see an older write than the one before it")
				return true
			}
		}
	}
	return false
}

// allowsMore notes that, because the write wr and the read r race, the model allows executions that are not explored.
func (j *java) allowsMore(l *graph.Loc, wr, r *graph.Event, what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.nameObjects()
	j.unexplored = fmt.Sprintf("plain accesses of `%s` race (%s and %s), and under %s %s: such executions are not explored",
		j.namer.Loc(l.Addr, l.Size), j.location(j.posOf(wr)), j.location(j.posOf(r)), j.m.Name(), what)
	j.missing.Store(true)
}

// shares reports whether thread t has, from index i to n, accesses of this kind to locations that other threads use.
func (j *java) shares(t, i, n int32, kind graph.Kind) bool {
	g := j.g
	for _, id := range g.Threads[t][i:n] {
		e := &g.Events[id]
		if e.Kind != kind {
			continue
		}
		l := &g.Locs[e.Loc]
		for u := range l.Last {
			if int32(u) != t && (l.Last[u].Read != graph.None || l.Last[u].Write != graph.None) {
				return true
			}
		}
	}
	return false
}
