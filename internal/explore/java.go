package explore

import (
	"fmt"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Java's models differ from the others in three ways. A graph may be explored and, when it is complete, turn out not to be consistent (late.go). A race is no
// error. And where plain accesses race, the models allow executions that this package does not build.
//
// Definition. A plain race is a pair of a read r and a write w of one location, of different threads, one of them plain, that hb does not order. It is a
// buffering race if the thread of w has a read of a shared location before w, and the thread of r a write to a shared location after r. It is a backward
// race if w is plain and the thread of r has another read of the location.
//
// After a buffering race there may be executions with cycles in po ∪ rf, which a Reexecution finds (docs/jam21.md says which). Without a Reexecution the verdict is bounded. After a
// backward race there may be executions that are not coherent. They are not explored, and the verdict is bounded. Models that are coherent in C11 as well (model.Traits.Cycles is nil)
// have neither.
//
// Lemma 1. If the model allows an execution G with a cycle in po ∪ rf that another one re-executes to, some execution without cycles has a buffering race.
//
// Proof. Let G be the first one with a cycle that is reached, from G₀, which has none. The cycle has a committed read r, whose write w is committed too. By rule 6 of docs/jam21.md, G₀ has a cycle of po, rf
// and pairs of accesses that race in some execution without cycles. Every rf edge of the cycle is from a write after a read of its thread to a read before a write, and one of them has a
// plain end, because the model forbids cycles of opaque events. These threads race there if the edge is in no execution without cycles; otherwise an execution that ends before the write of that edge, goes on
// with the read, and then with the write, has them unordered. ∎ (The tests of package xmm compare programs with brute force, which searches without looking at races.)
//
// Lemma 2. If the model allows an execution whose reads of a location go backwards in co, some explored execution has a backward race. Proof: the models order
// reads of a location, unless a plain write that one of them reads races with them. ∎

// Definition. A location is torn if it is a long or a double, two accesses of different threads that hb does not order are a plain one and a write, and two of its values, the
// initial one among them, differ in both halves. Java allows plain accesses of the halves one by one (JLS 17.7). Where a location is torn, the verdict is bounded.
//
// Lemma 3. If no location is torn, no program can tell that the halves are accessed one by one.
//
// Proof. Without a race, both halves of a read are of one write. With one, any two values agree in a half. Then all of them agree in the same half: let (a, b) and (a, c) be values with b ≠ c, and
// (d, e) another one. If d ≠ a, then e = b and e = c. So a read has the value of the write from which it reads the other half, and could have read both from there. ∎

// The last write of a location comes after all others in pushto. A round of a loop that writes what it reads, or puts back what it takes, may be the last to write: without
// it another write is the last one, and is ordered with more than before.
//
// Definition. A write of x tries for x if it is that of an RMW that writes what it reads, and its thread has accessed only x since then, has changed nothing, and waits.
// A round of more than one action is silent if each of its writes, of a location x, has all writes of x that are co-before it and do not try for x in its prefix, and the model orders
// these (model.Traits.Rounds). Where one is not, the verdict is bounded.
//
// Lemma 4. If all rounds are silent, those that are left out change no last write in a way that matters.
//
// Proof. Let z be a write of a round R in an execution G, and the last one of x. Without R, the last one is the write a that is co-before z and not of R, and every other write of x has to come before a in pushto. If
// b is one that does not come before a in (po ∪ rf)+ anyway, it does not come before z so either, because what is between a and z is of R or reads from a. Take from G what comes after R in (po ∪ rf)+. It keeps b,
// which is not after R, as a is before R. The thread of R waits there. So this graph was explored (it is not moot: see arrived), and R is not silent, unless b tries for x. Then its thread reads a write v of x in
// G that lets it go on. v is not after R in (po ∪ rf)+, as it is co-before z, so there is also a graph that was explored in which the thread goes on. ∎
//
// A round of one action that writes is an RMW of x that writes what it reads. When its thread goes on, that RMW is another one, which comes after it in co.

// A java looks for such races and rounds.
type java struct {
	*worker
	raced bool // there was a race
}

// round returns the events of the round after which thread t waits, none if it does not, or if that is one action.
func (j *java) round(t int32) []graph.ID {
	act := &j.pendingOf(t).act
	evs := j.g.Threads[t]
	from := len(evs)
	switch {
	case act.Kind != machine.Block:
	case (act.Block == machine.Spin || act.Block == machine.Lock) && act.N > 1:
		from = j.roundOf(evs, act.N)
	case act.Block == machine.Again && act.Weak:
		for from > 0 && !j.isAwake(&j.g.Events[evs[from-1]]) {
			from--
		}
	}
	return evs[from:]
}

// writesInRound reports whether thread t waits after a round that has written.
func (j *java) writesInRound(t int32) bool {
	return slices.ContainsFunc(j.round(t), func(id graph.ID) bool { return j.g.Events[id].Kind == graph.Write })
}

// loudRounds looks for rounds that are not silent.
func (j *java) loudRounds() {
	g := j.g
	for t := range j.cur {
		if j.cur[t] == 0 || j.missing.Load() {
			continue
		}
		for _, id := range j.round(int32(t)) {
			z := &g.Events[id]
			if z.Kind != graph.Write {
				continue
			}
			if !j.rounded.Load() {
				j.rounded.Store(true)
			}
			for _, b := range g.Locs[z.Loc].Co[1:z.Co] {
				if g.Events[b].Thread != z.Thread && (!j.traits.Rounds || !g.InPrefix(b, z)) && !j.triesFor(&g.Events[b]) {
					j.notExplored(fmt.Sprintf("iterations of the loop at %s that leave memory as it was were not all explored: under %s it makes a difference which write of a location is the last one",
						j.location(j.sourcePos(j.pendingOf(int32(t)))), j.m.Name()))
					return
				}
			}
		}
	}
}

// triesFor reports whether the write b tries for its location.
func (j *java) triesFor(b *graph.Event) bool {
	if act := &j.pendingOf(b.Thread).act; act.Kind != machine.Block || act.Block != machine.Spin && act.Block != machine.Lock {
		return false
	}
	g := j.g
	for _, id := range g.Threads[b.Thread][b.Index:] {
		e := &g.Events[id]
		if e.Loc != b.Loc || e.Kind != graph.Read && (e.Kind != graph.Write || e.Flags&graph.RMWPart == 0 || e.Val != j.valueOf(g.Locs[e.Loc].Co[e.Co-1], e.Loc)) {
			return false
		}
	}
	return true
}

// plainRaces looks for races because of which the model allows executions that are not explored.
func (j *java) plainRaces() {
	if j.raced && !j.missing.Load() {
		j.tornLocation()
	}
	if !j.raced || j.traits.Cycles == nil || j.missing.Load() && (j.reexecution == nil || j.reexecution.Needed()) {
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
			if j.shares(r.Thread, r.Index+1, int32(len(g.Threads[r.Thread])), graph.Write) && j.shares(wr.Thread, 0, wr.Index, graph.Read) {
				if j.reexecution == nil {
					j.allowsMore(l, wr, r, "a read may see a write that comes after it (load buffering)")
					return true
				}
				j.reexecution.Racy()
			}
			if wr.Mode == event.NA && (r.Prev != graph.None || lastRead != id) && !j.missing.Load() {
				j.allowsMore(l, wr, r, "one of two reads may see an older write than the one before it")
			}
			if j.missing.Load() && (j.reexecution == nil || j.reexecution.Needed()) {
				return true
			}
		}
	}
	return false
}

// tornLocation looks for a location that is torn.
func (j *java) tornLocation() {
	for i := range j.g.Locs {
		l := &j.g.Locs[i]
		if l.NA == 0 || l.Size != 8 || l.Reads == 0 || !j.differInHalves(l) {
			continue
		}
		w, o := j.anyRace(l)
		if w == nil {
			continue
		}
		j.mu.Lock()
		j.nameObjects()
		halves := j.namer.Halves(l.Addr, l.Size)
		j.mu.Unlock()
		if halves {
			j.allowsMore(l, w, o, "the halves of a long or double may be of different writes (JLS 17.7)")
			return
		}
	}
}

// differInHalves reports whether two values of l, which has eight bytes, differ in both halves. All agree in a half if each agrees in it with the first.
func (j *java) differInHalves(l *graph.Loc) bool {
	var differ uint64
	for _, id := range l.Co[1:] {
		differ |= j.g.Events[id].Val.Lo ^ l.Init.Lo
	}
	return uint32(differ) != 0 && differ>>32 != 0
}

// anyRace returns a write of l and another access that races with it, nil if there are none.
func (j *java) anyRace(l *graph.Loc) (write, other *graph.Event) {
	g := j.g
	for t := range l.Last {
		for wid := l.Last[t].Write; wid != graph.None; wid = g.Events[wid].Prev {
			w := &g.Events[wid]
			for u := range l.Last {
				for _, last := range [2]graph.ID{l.Last[u].Read, l.Last[u].Write} {
					for id := last; u != t && id != graph.None && !g.InHB(id, w); id = g.Events[id].Prev {
						if o := &g.Events[id]; !g.InHB(wid, o) && (w.Mode == event.NA || o.Mode == event.NA) {
							return w, o
						}
					}
				}
			}
		}
	}
	return nil, nil
}

// allowsMore notes that, because the write wr and the access r race, the model allows executions that are not explored.
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
