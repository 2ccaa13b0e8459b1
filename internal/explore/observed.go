package explore

import (
	"slices"

	"ravel/internal/graph"
)

// With Options.Observed two executions that differ only in co are one: a graph has po and rf, and
// is consistent if some co makes it so. Loc.Co then has the writes of a location in any order; a
// check leaves the order there that it found.
//
// The exploration is the same but for what "maximal" means. There is no co-latest write, so
// the choice that a read would make first is, by definition, the greatest write in the order of threads
// and program order that is consistent. Any rule would do that depends on the graph only and always has an answer.

// canonicalOrder compares writes.
func (w *worker) canonicalOrder(a, b graph.ID) int {
	x, y := &w.g.Events[a], &w.g.Events[b]
	if x.Thread != y.Thread {
		return int(x.Thread - y.Thread)
	}
	return int(x.Index - y.Index)
}

// observedWrites returns the writes of a location, the greatest first.
func (w *worker) observedWrites(loc int32) []graph.ID {
	co := slices.Clone(w.g.Locs[loc].Co[1:])
	slices.SortFunc(co, func(a, b graph.ID) int { return w.canonicalOrder(b, a) })
	return append(co, graph.Init)
}

// observedRead is read without co.
func (w *worker) observedRead(t, loc int32) {
	writes := w.observedWrites(loc)
	for _, src := range writes {
		if w.stop.Load() {
			return
		}
		w.readBranch(t, loc, src, len(writes))
	}
}

// observedTakenBy is takenBy without co.
func (w *worker) observedTakenBy(loc int32, src graph.ID) graph.ID {
	g := w.g
	for _, c := range g.Locs[loc].Co[1:] {
		if e := &g.Events[c]; e.Flags&graph.RMWPart != 0 && g.Events[g.Threads[e.Thread][e.Index-1]].RF == src {
			return c
		}
	}
	return graph.Init
}

// observedMaximal is maximal for the read at place slot of the trail: whether it reads what it would
// read if it were added after the prefix of wr.
func (w *worker) observedMaximal(slot int, wr write) bool {
	g := w.g
	e := g.Events[g.Trail[slot]]
	m := w.mark()
	saved := len(w.savedCur)
	w.savedCur = append(w.savedCur, w.cur...)
	cut := g.Cut(slot, g.Events[g.Last(wr.thread)].Prefix, wr.thread, int32(len(g.Threads[wr.thread])), &w.savedTrail)
	g.Removed(cut, func(e *graph.Event) { w.cur[e.Thread] = e.Pend })
	first := w.canonicalSource(e.Thread, e.Loc)
	g.Restore(cut, &w.savedTrail)
	copy(w.cur, w.savedCur[saved:])
	w.savedCur = w.savedCur[:saved]
	w.release(m)
	return first == e.RF
}

// canonicalSource returns the greatest write that the read which t is at can consistently read.
func (w *worker) canonicalSource(t, loc int32) graph.ID {
	for _, src := range w.observedWrites(loc) {
		m := w.mark()
		id := w.newRead(t, loc, src, 0)
		w.g.Add(id, 0)
		e := &w.g.Events[id]
		ok := (e.Flags&graph.RMWPart == 0 || w.observedTakenBy(loc, src) == graph.Init) && w.observedConsistent(loc)
		w.undo(m)
		if ok {
			return src
		}
	}
	return graph.Init
}

// observedConsistent reports whether some co makes the graph consistent, given that this was so
// before the last events, all of location loc, were added.
func (w *worker) observedConsistent(loc int32) bool {
	g := w.g
	blocks, ok := w.coBlocks(loc)
	if !ok {
		return false
	}
	if w.m.Local() && g.NumSC < 2 {
		return blocks.arrange(g, loc, func() bool { return true })
	}
	return w.arrangeAll(0)
}

// arrangeAll looks for an order of every location from the i-th on such that the whole is consistent.
func (w *worker) arrangeAll(i int) bool {
	g := w.g
	for i < len(g.Locs) && len(g.Locs[i].Co) < 2 {
		i++
	}
	if i == len(g.Locs) {
		return w.consistentWithCo()
	}
	blocks, ok := w.coBlocks(int32(i))
	return ok && blocks.arrange(g, int32(i), func() bool { return w.arrangeAll(i + 1) })
}

// consistentWithCo asks the model about every access, with co as it is in the graph.
func (w *worker) consistentWithCo() bool {
	g := w.g
	for _, evs := range g.Threads {
		for _, id := range evs {
			e := &g.Events[id]
			if (e.Kind == graph.Read || e.Kind == graph.Write) && !g.CoMaximal(e) && !w.m.Consistent(g, id) {
				return false
			}
		}
	}
	return true
}

// A coOrder has what is known of the co of a location: the chains of writes that RMWs tie
// together, and which chain has to come before which.
type coOrder struct {
	chains [][]graph.ID
	before [][]bool // before[i][j]: chain i comes before chain j
}

// coBlocks finds the order that coherence forces on the writes of loc: eco(x, y) must not contradict
// hb(x, y). ok is false if that is not possible.
func (w *worker) coBlocks(loc int32) (o coOrder, ok bool) {
	g := w.g
	chain, place := map[graph.ID]int{}, map[graph.ID]int{}
	next := map[graph.ID]graph.ID{} // by write: the write of the RMW that reads it
	l := &g.Locs[loc]
	var accesses []*graph.Event
	for t := range l.Last {
		for r := l.Last[t].Read; r != graph.Init; r = g.Events[r].Prev {
			e := &g.Events[r]
			accesses = append(accesses, e)
			evs := g.Threads[t]
			if e.Flags&graph.RMWPart == 0 || int(e.Index)+1 == len(evs) {
				continue // an RMW without its write yet ties nothing
			}
			if _, twice := next[e.RF]; twice {
				return o, false // two RMWs read the same write
			}
			next[e.RF] = evs[e.Index+1]
		}
	}
	second := map[graph.ID]bool{}
	for _, c := range next {
		second[c] = true
	}
	for _, id := range append([]graph.ID{graph.Init}, l.Co[1:]...) {
		if id != graph.Init {
			accesses = append(accesses, &g.Events[id])
		}
		if second[id] {
			continue
		}
		var list []graph.ID
		for at, more := id, true; more; {
			chain[at], place[at] = len(o.chains), len(list)
			list = append(list, at)
			at, more = lookup(next, at)
		}
		o.chains = append(o.chains, list)
	}
	o.before = make([][]bool, len(o.chains))
	for i := range o.before {
		o.before[i] = make([]bool, len(o.chains))
		o.before[0][i] = i > 0
	}
	write := func(e *graph.Event) graph.ID {
		if e.Kind == graph.Read {
			return e.RF
		}
		return g.Threads[e.Thread][e.Index]
	}
	for _, x := range accesses {
		for _, y := range accesses {
			a, b := write(x), write(y)
			if x == y || a == b || !w.before(x, y) {
				continue
			}
			switch i, j := chain[a], chain[b]; {
			case i != j:
				o.before[i][j] = true
			case place[a] > place[b]:
				return o, false
			}
		}
	}
	return o, true
}

func lookup(m map[graph.ID]graph.ID, k graph.ID) (graph.ID, bool) {
	v, ok := m[k]
	return v, ok
}

// before reports whether x happens before y.
func (w *worker) before(x, y *graph.Event) bool {
	if x.Thread == y.Thread {
		return x.Index < y.Index
	}
	return x.Index < w.g.Count(y.HB, x.Thread)
}

// arrange puts the writes of loc into each order that o allows, until try is content with one;
// if it never is, they are left as they were.
func (o *coOrder) arrange(g *graph.Graph, loc int32, try func() bool) bool {
	old := slices.Clone(g.Locs[loc].Co)
	placed := make([]bool, len(o.chains))
	put := func(n int32, ids []graph.ID) {
		for k, id := range ids {
			g.Locs[loc].Co[int(n)+k] = id
			if id != graph.Init {
				g.Events[id].Co = n + int32(k)
			}
		}
	}
	var extend func(n int32) bool
	extend = func(n int32) bool {
		if int(n) == len(g.Locs[loc].Co) {
			return try()
		}
		for j := range o.chains {
			if placed[j] || !o.free(j, placed) {
				continue
			}
			placed[j] = true
			put(n, o.chains[j])
			if extend(n + int32(len(o.chains[j]))) {
				return true
			}
			placed[j] = false
		}
		return false
	}
	if extend(0) {
		return true
	}
	put(0, old)
	return false
}

// free reports whether all that comes before chain j is placed.
func (o *coOrder) free(j int, placed []bool) bool {
	for i := range o.chains {
		if o.before[i][j] && !placed[i] {
			return false
		}
	}
	return true
}
