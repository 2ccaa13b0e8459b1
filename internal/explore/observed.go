package explore

import (
	"math"
	"slices"

	"ravel/internal/graph"
)

// With Options.Observed two executions that differ only in co are one: a graph has po and rf, and
// is consistent if some co makes it so. Loc.Co then has the writes of a location in any order; a
// check leaves the order there that it found.
//
// The exploration is the same, except for what "maximal" means. There is no co-latest write, so
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
		w.readBranch(t, loc, src, len(writes), false)
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
func (w *worker) observedMaximal(slot int, wr *write) bool {
	g := w.g
	e := g.Events[g.Trail[slot]]
	w.effort++
	m := w.mark()
	saved := len(w.savedCur)
	w.savedCur = append(w.savedCur, w.cur...)
	orders := w.saveOrders()
	cut := g.Cut(slot, g.Events[g.Last(wr.thread)].Prefix, wr.thread, int32(len(g.Threads[wr.thread])), &w.savedTrail)
	g.Removed(cut, func(e *graph.Event) { w.cur[e.Thread] = e.Pend })
	maximal := w.fitsUpdate(wr) && w.canonicalSource(e.Thread, e.Loc) == e.RF
	g.Restore(cut, &w.savedTrail)
	w.restoreOrders(orders)
	copy(w.cur, w.savedCur[saved:])
	w.savedCur = w.savedCur[:saved]
	w.release(m)
	return maximal
}

// fitsUpdate reports whether the graph is consistent with the read before wr, if that is of an RMW. Then co is an order with which it is. The read was not asked about when it was added
// if another RMW contends with it.
func (w *worker) fitsUpdate(wr *write) bool {
	return wr.flags&graph.RMWPart == 0 || w.observedConsistent(w.g.Last(wr.thread))
}

// saveOrders remembers co before a cut: what follows may order the writes that are left in another way.
func (w *worker) saveOrders() int {
	at := len(w.savedCo)
	for i := range w.g.Locs {
		w.savedCo = append(w.savedCo, w.g.Locs[i].Co...)
	}
	return at
}

// restoreOrders undoes saveOrders, which returned at, in the same graph.
func (w *worker) restoreOrders(at int) {
	g := w.g
	saved := w.savedCo[at:]
	for i := range g.Locs {
		co := g.Locs[i].Co
		saved = saved[copy(co, saved):]
		for k, id := range co {
			if id != graph.Init {
				g.Events[id].Co = int32(k)
			}
		}
	}
	w.savedCo = w.savedCo[:at]
}

// canonicalSource returns the greatest write that the read which t is at can consistently read.
func (w *worker) canonicalSource(t, loc int32) graph.ID {
	for _, src := range w.observedWrites(loc) {
		m := w.mark()
		id := w.newRead(t, loc, src, 0)
		w.g.Add(id, 0)
		e := &w.g.Events[id]
		ok := (e.Flags&graph.RMWPart == 0 || w.observedTakenBy(loc, src) == graph.None) && w.observedConsistent(id)
		w.undo(m)
		if ok {
			return src
		}
	}
	return graph.Init
}

// observedConsistent reports whether some co makes the graph consistent, given that this was so
// before the access id was added.
func (w *worker) observedConsistent(id graph.ID) bool {
	g := w.g
	if w.effort++; w.givesUp() {
		return true
	}
	if !w.m.Local() || g.NumSC >= 2 {
		return w.arrangeAll(w.consistentWithCo)
	}
	if w.fitsOrder(id) { // as it often does
		return true
	}
	loc := g.Events[id].Loc
	// An order that was tried in vain must not stay: the next check relies on it.
	saved := w.saveOrders()
	blocks, ok := w.coBlocks(loc)
	ok = ok && blocks.arrange(g, loc, func() bool { return true })
	if !ok {
		w.restoreOrders(saved)
	}
	w.savedCo = w.savedCo[:saved]
	return ok
}

// fitsOrder reports whether the graph, under a model that is local to locations, is consistent with the co that it has, and the write of an RMW after what that reads.
func (w *worker) fitsOrder(id graph.ID) bool {
	g := w.g
	e := &g.Events[id]
	switch {
	case e.Kind == graph.Read:
		if e.Flags&graph.RMWPart != 0 && w.observedTakenBy(e.Loc, e.RF) != graph.None ||
			e.Index > 0 && w.g.CoIndex(e.RF) < g.MinCo(e.Loc, &g.Events[g.Threads[e.Thread][e.Index-1]]) {
			return false
		}
	case e.Flags&graph.RMWPart != 0:
		pos := w.g.CoIndex(g.Events[g.Threads[e.Thread][e.Index-1]].RF) + 1
		co := g.Locs[e.Loc].Co
		if int(pos) < len(co) && co[pos] != id && w.splitsRMW(e.Loc, pos) {
			return false
		}
		copy(co[pos+1:], co[pos:len(co)-1])
		co[pos] = id
		for i := pos; int(i) < len(co); i++ {
			g.Events[co[i]].Co = i
		}
	}
	return g.CoMaximal(e) || w.m.Consistent(g, id)
}

// arrangeAll looks for an order of every location such that try is content with the whole.
func (w *worker) arrangeAll(try func() bool) bool {
	if w.effort++; w.givesUp() {
		return true
	}
	var locs []int32
	var orders []coOrder
	for i := range w.g.Locs {
		if len(w.g.Locs[i].Co) < 2 {
			continue
		}
		o, ok := w.coBlocks(int32(i))
		if !ok {
			return false
		}
		locs, orders = append(locs, int32(i)), append(orders, o)
	}
	var from func(i int) bool
	from = func(i int) bool {
		if i == len(locs) {
			return try()
		}
		return orders[i].arrange(w.g, locs[i], func() bool { return from(i + 1) })
	}
	return from(0)
}

// consistentWithCo asks the model about every access, with co as it is in the graph.
func (w *worker) consistentWithCo() bool {
	g := w.g
	if w.effort++; w.givesUp() {
		return true
	}
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

// observedStuck looks at an execution in which threads wait for ever if some co has them read the latest write.
func (w *worker) observedStuck(over bool) {
	saved := w.saveOrders()
	if w.arrangeAll(func() bool { return w.waitForEver() && w.consistentWithCo() }) {
		w.stuck(over)
	}
	w.restoreOrders(saved)
}

// A coOrder has what is known of the co of a location: the chains of writes that RMWs tie
// together, and which chain has to come before which. Init heads the first.
type coOrder struct {
	chains [][]graph.ID
	before [][]bool // before[i][j]: chain i comes before chain j
}

// coBlocks finds the order that coherence forces on the writes of loc: eco(x, y) must not contradict
// hb(x, y). ok is false if that is not possible.
func (w *worker) coBlocks(loc int32) (o coOrder, ok bool) {
	g := w.g
	l := &g.Locs[loc]
	n := len(l.Co)
	ints := make([]int32, 3*n)
	next, chain, place := ints[:n], ints[n:2*n], ints[2*n:] // by index of co; next is the write of the RMW that reads it
	second := make([]bool, n)
	for t := range l.Last {
		evs := g.Threads[t]
		for r := l.Last[t].Read; r != graph.None; r = g.Events[r].Prev {
			e := &g.Events[r]
			if e.Flags&graph.RMWPart == 0 || int(e.Index)+1 == len(evs) {
				continue // an RMW without its write yet ties nothing
			}
			from, to := w.g.CoIndex(e.RF), g.Events[evs[e.Index+1]].Co
			if next[from] != 0 {
				return o, false // two RMWs read the same write
			}
			next[from], second[to] = to, true
		}
	}
	list := make([]graph.ID, 0, n)
	for i := range int32(n) {
		if second[i] {
			continue
		}
		first := len(list)
		for at := i; ; at = next[at] {
			chain[at], place[at] = int32(len(o.chains)), int32(len(list)-first)
			list = append(list, l.Co[at])
			if next[at] == 0 {
				break
			}
		}
		o.chains = append(o.chains, list[first:])
	}
	k := len(o.chains)
	cells := make([]bool, k*k)
	for i := range k {
		o.before = append(o.before, cells[i*k:(i+1)*k])
		o.before[0][i] = i > 0
	}
	for t := range l.Last {
		for y := lastAccess(g, l, t, math.MaxInt32); y != nil; {
			var prev *graph.Event
			for u := range l.Last { // the last access before y of each thread: those before it come before it
				known := y.Index
				if u != t {
					known = g.Count(y.HB, int32(u))
				}
				x := lastAccess(g, l, u, known)
				if u == t {
					prev = x
				}
				if x == nil {
					continue
				}
				from, to := w.written(x), w.written(y)
				switch i, j := chain[from], chain[to]; {
				case i != j:
					o.before[i][j] = true
				case place[from] > place[to]:
					return o, false
				}
			}
			y = prev
		}
	}
	return o, true
}

// lastAccess returns the last access of l by thread t whose index is below n, nil if there is none.
func lastAccess(g *graph.Graph, l *graph.Loc, t int, n int32) *graph.Event {
	r, wr := l.Last[t].Read, l.Last[t].Write
	for r != graph.None && g.Events[r].Index >= n {
		r = g.Events[r].Prev
	}
	for wr != graph.None && g.Events[wr].Index >= n {
		wr = g.Events[wr].Prev
	}
	switch {
	case r == graph.None && wr == graph.None:
		return nil
	case wr == graph.None || r != graph.None && g.Events[r].Index > g.Events[wr].Index:
		return &g.Events[r]
	}
	return &g.Events[wr]
}

// written returns the index in co of the write that e is or reads.
func (w *worker) written(e *graph.Event) int32 {
	if e.Kind == graph.Read {
		return w.g.CoIndex(e.RF)
	}
	return e.Co
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
