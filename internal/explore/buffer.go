package explore

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// Load buffering.
//
// Models that track dependencies allow executions with cycles in po ∪ rf: a load may be buffered until a later store of its thread has been read. Most programs have
// no such execution. Without cycles the exploration of the other models is right for these as well, and much faster than that of depsearch.go. So it comes
// first, and looks out for load buffering.
//
// Definitions. ord is what the model orders before an event: the prefix of depprefix.go, but for reads that the event can do without (canAvoid). An event a holds back a read r if r is ord-before a and all
// that may come after a in its thread. Let m be the last write of the location of r before r in its thread. r is late for w, the write of an RMW, if w reads from an RMW, which reads from an RMW, and so on, all ord-before w, up to
// the initial value, a write that comes before all other threads begin, or one of the thread of r, and m is not among these. A load-buffering pair of a graph is a read r and a write w of the same location, such that (r, w) ∉ ord, r is not late for w, and there is a path from r
// to w in po ∪ rf no event of which that another thread reads from holds back r.
//
// Rule. At the first load-buffering pair the exploration starts again, with depsearch.go.
//
// Lemma. If the program has a consistent execution with a cycle in po ∪ rf, the exploration without cycles comes to a load-buffering pair.
//
// Proof. Let G be such an execution, and e₁, e₂, … its accesses, and the beginnings and ends of its threads, in an order that extends ord: as a machine may perform them. Let Gᵢ have the events e₁ … eᵢ and
// those before them in po, with the co of G. In Gᵢ a read q among e₁ … eᵢ reads what it reads in G. The other reads are free: each reads the co-latest write, or, if a later
// read of its thread and location is among e₁ … eᵢ, what that reads, unless that makes a cycle; then they read what was there before. Gᵢ is consistent: e₁ … eᵢ do not depend on free reads, and nothing else leads on from
// them. If it has no cycle in po ∪ rf, it is explored. Since G has a cycle, there is a first i such that Gᵢ has one, whatever free reads read. So Gᵢ₋₁ is explored, and one of these is what eᵢ needs:
//
//   - eᵢ is a read r of a write w, and was free before. There is a path from r to w in Gᵢ₋₁. (r, w) ∉ ord, because r reads from w in G, which is consistent.
//   - eᵢ is a write w, and an RMW has taken what it comes right after in co: its read r, whatever that reads in G. r is free, so (r, w) ∉ ord. If r could read from w without a cycle, it would. So there is a path from r to w
//     in Gᵢ₋₁ with w. If w is of an RMW, that is asked where it has no place (contend).
//
// Let a be an event of the path that another thread reads from. It is e_k, or comes before e_k in po, for a k < i. r comes later than e_k, so (r, e_k) ∉ ord, and a does not hold back r. So r and w are a load-buffering pair.
// What does not come before w in po ∪ rf makes no difference to that.
//
// Nor is r late for w. Suppose it is, and let c be the first write of the chain of RMWs that leads to w. That is the same in G, as it is ord-before w; its writes follow each other in co, without m. Let r read from w in G: then m is co-before w, and so before c.
// So c is of the thread of r, and comes after r. It is co-before w, and r reads from w. That is not coherent. If r has taken what w reads, that is not coherent in the explored graph. ∎
//
// Without the condition on the path, programs with locks would have such pairs: a thread takes the lock, which acquires, gives it back, and stores to x. Another one reads x, and takes the lock, which is not ordered
// after that. But no thread sees that store before the first one has read the lock. If it gives the lock back by an exchange, what that reads may come after the store. But there it has seen its own write, which the other thread comes before.

// buffers reports whether a read that comes before wr in po ∪ rf could read from it, and if so has the program explored again.
func (d *tracker) buffers(wr *write) bool {
	g := d.g
	if len(g.Threads) < 2 || len(g.Threads[1]) == 0 {
		return false // before the first thread is created
	}
	l := &g.Locs[wr.loc]
	if l.Reads > 0 && !l.Written {
		l.Written = true
		if l.PassedOver && d.rewrite(wr.loc) {
			return true
		}
	}
	e := d.eventOf(wr)
	wr.ordered, wr.own = d.orderedBefore(e)
	if l.Reads == 0 {
		return false
	}
	// What comes before the first thread is created is ordered before all threads.
	since := g.Events[g.Events[g.Threads[1][0]].RF].Stamp
	pred := &g.Events[g.Last(wr.thread)]
	d.suspects = d.suspects[:0]
	first, last := d.chainBefore(e)
	for t := range l.Last {
		known := g.Count(pred.Prefix, int32(t))
		ordered := g.Count(wr.ordered, int32(t))
		if int32(t) == wr.thread || known <= ordered && !l.PassedOver && !l.OwnPassed {
			continue
		}
		for id := l.Last[t].Read; id != graph.None; id = g.Events[id].Prev {
			r := &g.Events[id]
			if r.Index >= known || r.Stamp < since {
				continue
			}
			if r.Index < ordered && !l.PassedOver && r.Flags&graph.Passed == 0 {
				if l.OwnPassed {
					continue
				}
				break
			}
			if r.Flags&graph.RMWPart != 0 && int(r.Index)+1 < len(g.Threads[t]) {
				if co := g.CoIndex(g.Threads[t][r.Index+1]); first <= co && co <= last {
					continue
				}
			}
			if r.Flags&graph.Passed != 0 && d.rewrite(wr.loc) {
				return true
			}
			d.suspects = append(d.suspects, id)
		}
	}
	if len(d.suspects) > 0 && d.anyIsFree(e, since, d.suspects) && d.anyIsPair(e, since, pred.Prefix) {
		d.startAgain(func(r *run) { r.cyclic = true })
		return true
	}
	d.pastArms(e, since, pred.Prefix)
	d.pastComparison(d.pendingOf(wr.thread), wr.thread)
	return false
}

// anyIsFree reports whether one of the reads is not ordered before e. The graph has views.
func (d *tracker) anyIsFree(e *graph.Event, since uint32, reads []graph.ID) bool {
	switch {
	case !d.traits.FreeRfi:
		return !d.hasBefore(e, since, reads)
	case !d.mayAvoid(e, since, reads, true):
		return false
	}
	return !d.hasBefore(e, since, reads) || slices.ContainsFunc(reads, func(id graph.ID) bool { return d.canAvoid(e, since, id) })
}

// anyIsPair reports whether one of the suspects and the write e are a load-buffering pair. What comes before e in po ∪ rf, since a stamp, is known. Under a model.Armed, a thread may come to a write by another arm than in the
// graph (arms.go): nothing holds back a read for sure.
func (d *tracker) anyIsPair(e *graph.Event, since uint32, known graph.View) bool {
	if d.armed != nil || d.opts.anyPath {
		return true
	}
	return slices.ContainsFunc(d.suspects, func(r graph.ID) bool {
		one := [...]graph.ID{r}
		return !d.isLate(r, e, since) && d.anyIsFree(e, since, one[:]) &&
			d.leads(r, e.Thread, since, known, func(x *graph.Event) bool { return !d.anyIsFree(x, since, one[:]) })
	})
}

// isLate reports whether the read r is late for the write e. The events that e has seen were added since a stamp, but for those that all threads have seen.
func (d *tracker) isLate(r graph.ID, e *graph.Event, since uint32) bool {
	g := d.g
	x := &g.Events[r]
	m := g.Locs[x.Loc].Last[x.Thread].Write
	for m != graph.None && g.Events[m].Index > x.Index {
		m = g.Events[m].Prev
	}
	if m == graph.None || d.observed {
		return false
	}
	for w := e; w.Flags&graph.RMWPart != 0; {
		u := [...]graph.ID{g.Threads[w.Thread][w.Index-1]}
		if w.Flags&graph.Blind != 0 && w != e && d.anyIsFree(e, since, u[:]) {
			return w.Thread == x.Thread
		}
		src := g.Events[u[0]].RF
		switch {
		case src == m:
			return false
		case src == graph.Init || g.Events[src].Stamp < since || g.Events[src].Thread == x.Thread:
			return true
		}
		w = &g.Events[src]
	}
	return false
}

// leads reports whether there is a path from the read r to the next event of thread t in po ∪ rf, no event of which that another thread reads from holds back r. What comes before the next event of t since a stamp
// is known; before reports whether r is ordered before an event.
func (d *tracker) leads(r graph.ID, t int32, since uint32, known graph.View, before func(*graph.Event) bool) bool {
	g := d.g
	if n := len(g.Threads); len(d.fronts) < n {
		d.fronts = make([]front, n)
	}
	for u := range d.fronts {
		d.fronts[u] = front{first: math.MaxInt32, loose: -1, held: math.MaxInt32}
	}
	d.fronts[g.Events[r].Thread].first = g.Events[r].Index + 1
	for again := true; again; {
		again = false
		for u, evs := range g.Threads {
			f := &d.fronts[u]
			n := int32(len(evs))
			if int32(u) != t {
				n = min(n, g.Count(known, int32(u)))
			}
			for i := min(n, f.first) - 1; i >= 0 && g.Events[evs[i]].Stamp >= since; i-- {
				if a := d.external(&g.Events[evs[i]]); a != nil && a.Index >= d.fronts[a.Thread].first && !d.holdsBack(a, before) {
					f.first, again = i, true
				}
			}
		}
	}
	return d.fronts[t].first != math.MaxInt32
}

// external returns the event of another thread that b reads from, nil if there is none.
func (d *tracker) external(b *graph.Event) *graph.Event {
	switch b.Kind {
	case graph.Read, graph.Start, graph.Join:
		if b.RF == graph.Init || d.g.Events[b.RF].Thread == b.Thread {
			return nil
		}
		return &d.g.Events[b.RF]
	}
	return nil
}

// A front is what leads knows of a thread: the first event that it has come to, the last that is known not to hold back the read, and the first that is known to.
type front struct{ first, loose, held int32 }

// holdsBack reports whether the event a holds back the read that before is about. Then later events of its thread do so, too. A relaxed read of another location, that is in no arm and has no dependencies but those of
// control that a has, comes after less than whatever may come after a.
func (d *tracker) holdsBack(a *graph.Event, before func(*graph.Event) bool) bool {
	f := &d.fronts[a.Thread]
	switch {
	case a.Index <= f.loose:
		return false
	case a.Index >= f.held:
		return true
	}
	d.later = graph.Event{Kind: graph.Read, Thread: a.Thread, Index: a.Index + 1, Loc: -1, RF: graph.Init, Ctrl: a.Ctrl}
	if before(a) && before(&d.later) {
		f.held = a.Index
		return true
	}
	f.loose = a.Index
	return false
}

// pastComparison is called for each write of thread t, which p is at. The result of an instruction that compares and swaps may come from memory alone. Then a write that uses it may be performed before
// the reads that the compared register depends on. But which events there are depends on these, and so executions in which one of them reads from behind the write are not explored.
func (d *tracker) pastComparison(p *pending, t int32) {
	if !d.prog.Picks() {
		return
	}
	act, g := &p.act, d.g
	uses := g.Deps.Join(g.Deps.Join(act.AddrDep, act.DataDep), act.CtrlDep)
	for _, i := range g.Deps.Members(uses) {
		id := g.Threads[t][i]
		if id == graph.Hole {
			continue
		}
		if r := &g.Events[id]; r.Exp != 0 && d.pends[r.Pend].act.Picks && g.Deps.Join(uses, r.Exp) != uses {
			d.notExplored(fmt.Sprintf("what the compare-and-swap at %s compares with depends on a read: a write that uses its result may be performed before that read, and executions that need this are not explored",
				d.location(d.sourcePos(&d.pends[r.Pend]))))
			return
		}
	}
}

// chainBefore returns the places in co of the first and the last write of the RMWs each of which reads from the one before, and e, the write of one, from the last. Their
// reads are in the prefix of e: no need to make that. It stops at exchanges, which need not depend on what they read.
func (d *tracker) chainBefore(e *graph.Event) (first, last int32) {
	if e.Flags&graph.RMWPart == 0 || d.observed {
		return 0, -1
	}
	g := d.g
	co := g.Locs[e.Loc].Co
	last = g.CoIndex(g.Events[g.Threads[e.Thread][e.Index-1]].RF)
	for first = last + 1; first > 0; first-- {
		if w := &g.Events[co[first-1]]; w.Flags&(graph.RMWPart|graph.Blind) != graph.RMWPart {
			break
		}
	}
	return first, last
}

// maxRewritten is how many locations a run may start again for. With more of them, as in an array, it costs less to make prefixes.
const maxRewritten = 16

// rewrite has the program explored again with the knowledge that a variable is written after reads of it that were passed over: then none is, and Ordered tells
// what comes before its writes. It returns false if that is not worth it, or executions have been shown. Addresses of other objects differ between executions.
func (d *tracker) rewrite(loc int32) bool {
	if d.opts.OnExecution != nil && !d.rehearses || d.object[loc] >= 0 || d.items || d.rewritten[d.g.Locs[loc].Addr] || len(d.rewritten) >= maxRewritten {
		return false
	}
	d.startAgain(func(r *run) {
		known := map[event.Addr]bool{d.g.Locs[loc].Addr: true}
		maps.Copy(known, r.rewrites)
		r.rewrites = known
	})
	return true
}

// eventOf returns the event that wr is going to be. It is valid until the next call.
func (d *tracker) eventOf(wr *write) *graph.Event {
	e := &d.next
	*e = graph.Event{Kind: graph.Write, Mode: wr.mode, Flags: wr.flags, Thread: wr.thread, Index: int32(len(d.g.Threads[wr.thread])), Loc: wr.loc}
	d.setDeps(e)
	if !d.model.AddrPo() {
		e.AddrPo = 0 // the model orders nothing by it
	}
	return e
}

// learn adds what is ordered before src, an event of another thread that e reads from, to what e knows of.
func (d *tracker) learn(e *graph.Event, src graph.ID) {
	if src == graph.Init {
		return
	}
	s := &d.g.Events[src]
	switch {
	case s.Thread == e.Thread:
	case s.Kind == graph.Write:
		e.Learnt = d.g.Join(e.Learnt, s.Ordered, s.Thread, s.OrderedOwn, graph.NoThread)
	default: // creation and end of threads order everything
		e.Learnt = d.g.Join(e.Learnt, s.Learnt, s.Thread, s.Index+1, graph.NoThread)
	}
}

// orderedBefore returns Ordered and OrderedOwn of the write e, which is not in the graph yet. It looks only at what its thread orders
// and depends on directly or by one fence.
func (d *tracker) orderedBefore(e *graph.Event) (graph.View, int32) {
	g := d.g
	evs := g.Threads[e.Thread]
	first := e.Index // the first read that is not known to be ordered
	var f fences
	var later *graph.Event // that leads to x
	for i := int32(len(evs)) - 1; i >= 0; {
		x := &g.Events[evs[i]]
		if !f.passes(d, x, e) {
			first = i
		}
		i = x.Before
		if later != nil && !d.matters(x) {
			later.Before = i
		} else {
			later = x
		}
	}
	if first == e.Index {
		return g.Events[g.Last(e.Thread)].Learnt, first
	}
	known := &d.known
	known.Thread, known.Learnt = e.Thread, 0
	f = fences{}
	for i := int32(len(evs)) - 1; i >= 0; {
		x := &g.Events[evs[i]]
		if f.passes(d, x, e) && (x.Kind == graph.Read || x.Kind == graph.Start || x.Kind == graph.Join) {
			d.learn(known, x.RF)
		}
		i = x.Before
	}
	return known.Learnt, first
}

// matters reports whether x has to be looked at for later writes of its thread. If not, it never has to be: what it is passed over for is not undone
// while x is there, and it has nothing to tell. In a long thread few events matter.
func (d *tracker) matters(x *graph.Event) bool {
	switch x.Kind {
	case graph.Read:
		if x.Flags&graph.Passed != 0 {
			return false
		}
		if !d.g.Locs[x.Loc].PassedOver {
			return true
		}
		s := &d.g.Events[x.RF]
		return s.Thread != x.Thread && (s.Ordered != 0 || s.OrderedOwn != 0)
	case graph.Write, graph.Alloc, graph.Free, graph.Choice:
		return false
	}
	return true
}

// fences are the last ones that come before a write.
type fences struct {
	last  [4]*graph.Event
	n     int
	reads int // that were looked at
}

// Passing over reads.
//
// Definition. A read is Passed if it counted as ordered before a later write of its thread, without being asked, when only its thread had been at its location.
//
// Lemma. With reads that are Passed, buffers finds what it finds without.
//
// Proof. A read that is Passed reads from its own thread or the initial value, so nothing is learnt by it: Ordered of an event may have too much, but only reads that are Passed. buffers does not
// rely on Ordered for these: whether one is before a write of its location is decided by the prefix of that write. ∎

// longThread is how many reads of a thread are asked whether a write comes after them before some are passed over without asking: those of locations that no other thread has been at,
// or that were never written after they were read.
const longThread = 32

// passes reports whether x, the next one backwards from the write e, is no read, or is known to be ordered before e, or need not be.
func (f *fences) passes(d *tracker, x, e *graph.Event) bool {
	g := d.g
	switch x.Kind {
	case graph.Fence, graph.Create, graph.Join:
		if f.n < len(f.last) && d.model.OrdersPo(g, x, e) {
			f.last[f.n] = x
			f.n++
		}
		return true
	case graph.Read:
	default:
		return true
	}
	l := &g.Locs[x.Loc]
	if x.Flags&graph.Passed != 0 || l.PassedOver && !l.Written {
		return true // whether it is ordered or not: most accesses of a long thread are of locations that no thread writes again
	}
	f.reads++
	if long := f.reads > longThread && !d.rewritten[l.Addr]; l.Private() && (long || d.object[x.Loc] >= 0) {
		x.Flags |= graph.Passed
		l.OwnPassed = true
		return true
	} else if long && !l.Written {
		l.PassedOver = true
		return true
	}
	if e.Flags&graph.RMWPart != 0 && x.Index == e.Index-1 || g.Depends(e, x.Index) || d.model.OrdersPo(g, x, e) {
		return true
	}
	for _, y := range f.last[:f.n] {
		if d.model.OrdersPo(g, x, y) {
			return true
		}
	}
	l.Written = l.Written || d.rewritten[l.Addr]
	l.PassedOver = l.PassedOver || !l.Written
	return !l.Written
}
