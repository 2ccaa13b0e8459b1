package explore

import (
	"fmt"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Java's models differ from the others in four ways. A graph may be explored and, when it is complete, turn out not to be consistent (late.go). A race is no
// error. Reads may go backwards (backward.go). And where plain accesses race, the models allow executions that this package does not build: those with cycles in po ∪ rf, which a
// Reexecution finds (docs/jam21.md says which). Without a Reexecution the verdict is bounded. Models that are coherent in C11 as well (model.Traits.Cycles is nil) have no cycles.
//
// Definition. A plain race is a pair of a read and a write of one location, of different threads, one of them plain, that hb does not order. Threads t and u may buffer at a location x if
//
//	(1) an execution without cycles has a plain race of a write of x by t and a read of x by u;
//	(2) in one, a write of x by t comes after a read, and in one, a read of x by u comes before a write, in po and by the creation and joining of threads, where other threads access the
//	    locations of that read and that write, too.
//
// Lemma 1. If there is an execution with a cycle that others re-execute to, some threads may buffer at some location.
//
// Proof. Let G' be the first such execution that is reached, from G, which has no cycles, with the committed events C and the function f. The numbers of rules are those of docs/jam21.md. By rule 3, a read r of the cycle is
// committed, and by rule 2 so is the write w that it reads. (po ∪ rf)⁺ leads from r to w in G'. So, by rule 6, (po ∪ rf ∪ re)⁺ leads from f(r) to f(w) in G, and rf from f(w) to f(r): G has a cycle of po, rf and
// re. As it has none of po and rf, there is a pair (a, b) of re, of threads t and u at x: that is (1), because hb is part of what has to leave a race unordered. In G, which has no cycles, rf within a thread is part of
// po. All other pairs of rf and re lead from a write to a read of its location by another thread, and the rest of the cycle is po and the creation and joining of threads. So, back from a, the cycle comes to a read, and
// on from b, it comes to a write: that is (2). ∎
//
// That (1) and (2) are seen in different executions does matter: TestJavaRaces of package xmm has a program.

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
// Under jam19, po is in pushto only where something releases or acquires (model.Traits.Linked). There a round is silent only if each write of x that is co-before its own is linked to the one before it in co that does not try for x: it is that of an RMW, which
// reads from that one, or from one that tries for x, or of the same thread, and it releases or that one acquires. Then all of these are before a in pushto. A write that is not linked is not after R, as a is before R, nor is the one before it, so they
// are in the graph of the proof, or what is between them is of rounds, and then the later one is that of an RMW.
//
// A round of one action that writes is an RMW of x that writes what it reads. When its thread goes on, that RMW is another one, which comes after it in co.

// A java looks for such races and rounds.
type java struct {
	*worker
	noted   map[buffers]bool // what this worker has noted
	sharing []bool           // scratch, by location: several threads access it
	after   []int32          // scratch, by thread: see findSpans
	before  []int32          // the same
}

// buffers is a part of the definition: (1) if there are a writer and a reader, (2) if there is one of them.
type buffers struct {
	writer, reader int32 // nobody if there is none
	addr           event.Addr
}

const nobody = -1

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
				if j.traits.Linked && !j.linked(&g.Events[b]) || g.Events[b].Thread != z.Thread && (!j.traits.Rounds || !g.InPrefix(b, z)) && !j.triesFor(&g.Events[b]) {
					j.notExplored(fmt.Sprintf("iterations of the loop at %s that leave memory as it was were not all explored: under %s it makes a difference which write of a location is the last one",
						j.location(j.sourcePos(j.pendingOf(int32(t)))), j.m.Name()))
					return
				}
			}
		}
	}
}

// linked reports whether the write b is linked to the one before it in co that does not try for the location.
func (j *java) linked(b *graph.Event) bool {
	co := j.g.Locs[b.Loc].Co
	i := b.Co - 1
	for i > 0 && j.triesFor(&j.g.Events[co[i]]) {
		i--
	}
	if i == 0 || b.Flags&graph.RMWPart != 0 {
		return true
	}
	a := &j.g.Events[co[i]]
	return a.Thread == b.Thread && (b.Mode.IsRel() || a.Flags&graph.RMWPart != 0 && a.Mode.IsAcq())
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
	if !j.raced.Load() {
		if !j.calm.Load() {
			j.calm.Store(true)
		}
		if !j.raced.Load() { // else another worker may have looked at calm before
			return
		}
	}
	if !j.missing.Load() {
		j.tornLocation()
	}
	if j.traits.Cycles == nil || j.reexecution == nil && j.missing.Load() || j.reexecution != nil && j.reexecution.Needed() {
		return
	}
	g := j.g
	j.findSharing()
	j.findSpans()
	j.noteAccesses()
	for i := range g.Locs {
		l := &g.Locs[i]
		if l.NA == 0 || l.Size == 0 || l.Reads == 0 || len(l.Co) == 1 {
			continue
		}
		for t := range l.Last {
			for u := range l.Last {
				if at := (buffers{int32(t), int32(u), l.Addr}); u != t && !j.noted[at] && j.plainRace(l.Last[t].Write, l.Last[u].Read) {
					j.note(at)
				}
			}
		}
	}
}

// findSharing finds out which locations several threads access.
func (j *java) findSharing() {
	j.sharing = j.sharing[:0]
	for i := range j.g.Locs {
		n := 0
		for _, last := range j.g.Locs[i].Last {
			if last.Read != graph.None || last.Write != graph.None {
				n++
			}
		}
		j.sharing = append(j.sharing, n > 1)
	}
}

// findSpans finds out, for each thread, from which index on its events come after a read, and up to which index they come before a write, of locations that several threads access.
func (j *java) findSpans() {
	g := j.g
	j.after, j.before = j.after[:0], j.before[:0]
	for _, evs := range g.Threads {
		j.after, j.before = append(j.after, int32(len(evs))), append(j.before, -1)
		for i, id := range evs {
			switch e := &g.Events[id]; {
			case e.Kind == graph.Read && j.sharing[e.Loc]:
				j.after[e.Thread] = min(j.after[e.Thread], int32(i))
			case e.Kind == graph.Write && j.sharing[e.Loc]:
				j.before[e.Thread] = int32(i)
			}
		}
	}
	for again := true; again; { // what comes by the creation and the end of threads
		again = false
		for _, evs := range g.Threads {
			for _, id := range evs {
				e := &g.Events[id]
				if e.Kind != graph.Start && e.Kind != graph.Join || e.RF == graph.None {
					continue
				}
				from := &g.Events[e.RF] // the creation, or the end
				if j.after[from.Thread] < from.Index && j.after[e.Thread] > e.Index {
					j.after[e.Thread], again = e.Index, true
				}
				if j.before[e.Thread] > e.Index && j.before[from.Thread] < from.Index {
					j.before[from.Thread], again = from.Index, true
				}
			}
		}
	}
}

// noteAccesses notes the writes that come after a read, and the reads that come before a write.
func (j *java) noteAccesses() {
	g := j.g
	for i := range g.Locs {
		l := &g.Locs[i]
		if !j.sharing[i] {
			continue
		}
		for t := range l.Last {
			last := l.Last[t]
			if last.Write != graph.None && g.Events[last.Write].Index > j.after[t] {
				j.note(buffers{int32(t), nobody, l.Addr})
			}
			first := last.Read
			for first != graph.None && g.Events[first].Prev != graph.None {
				first = g.Events[first].Prev
			}
			if first != graph.None && g.Events[first].Index < j.before[t] {
				j.note(buffers{nobody, int32(t), l.Addr})
			}
		}
	}
}

// note notes a part of the definition. If threads may buffer by what is known now, there may be executions with cycles. What was not looked at, because there was no race yet or because it is in
// another piece of the search, is taken to be there.
func (j *java) note(at buffers) {
	if j.noted[at] {
		return
	}
	if j.noted == nil {
		j.noted = map[buffers]bool{}
	}
	j.noted[at] = true
	j.buffering.Store(at, true)
	all := j.calm.Load() || j.items
	has := func(part buffers) bool {
		_, ok := j.buffering.Load(part)
		return ok || all && (part.writer == nobody || part.reader == nobody)
	}
	for t := range j.g.Threads {
		for u := range j.g.Threads {
			t, u := int32(t), int32(u)
			if (at.writer == t || at.writer == nobody) && (at.reader == u || at.reader == nobody) &&
				has(buffers{t, u, at.addr}) && has(buffers{t, nobody, at.addr}) && has(buffers{nobody, u, at.addr}) {
				j.mayBuffer(at.addr)
				return
			}
		}
	}
}

// mayBuffer notes that threads may buffer at a location.
func (j *java) mayBuffer(addr event.Addr) {
	if j.reexecution != nil {
		j.reexecution.Racy()
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.nameObjects()
	for i := range j.g.Locs {
		if l := &j.g.Locs[i]; l.Addr == addr && l.Size > 0 && !j.missing.Load() {
			j.unexplored = fmt.Sprintf("plain accesses of `%s` race, and under %s a read may see a write that comes after it (load buffering): such executions are not explored",
				j.namer.Loc(l.Addr, l.Size), j.m.Name())
			j.missing.Store(true)
		}
	}
}

// plainRace reports whether a write and a read of one location, in two chains, race.
func (j *java) plainRace(lastWrite, lastRead graph.ID) bool {
	g := j.g
	for id := lastRead; id != graph.None; id = g.Events[id].Prev {
		r := &g.Events[id]
		for wid := lastWrite; wid != graph.None && !g.InHB(wid, r); wid = g.Events[wid].Prev {
			if wr := &g.Events[wid]; !g.InHB(id, wr) && (r.Mode == event.NA || wr.Mode == event.NA) {
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
