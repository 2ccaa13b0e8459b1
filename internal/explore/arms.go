package explore

import (
	"fmt"
	"math"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Arms of branches.
//
// Under a model.Armed a write need not wait for the reads that decide on the way to it: behind the arms of an `if` it may be performed before what the
// `if` tests has been read. Executions in which it is not performed before are explored: the model is asked about them, and knows the arms. In the others, which have
// a cycle in po ∪ rf, the thread comes to the write by an arm that is known only later. They are not explored. The verdict is bounded if there may be one.
//
// Definition. The model firmly orders an event e before a write w if it does so whatever way the thread takes to w: by dependencies, without
// control dependencies that have ended; and by fences and accesses that are in no arm that has ended.
//
// Lemma. If there is a consistent execution G that is not explored, some explored graph has a read r and a write w of the same location, such that r is before w
// in (po ∪ rf)⁺ and not firmly ordered before it.
//
// The lemma is about threads that go on. A thread that waits for ever after a read, or whose assumption fails, comes to no write behind that: then the verdict is bounded, unless it acquires (pastWaits).
//
// Proof. As in buffer.go: the first event of G that differs from all explored graphs is a read r of a write w that it comes before. The ways of the thread to its later writes may depend on
// r, but they lead to the same writes behind the arms. If r were firmly ordered before w, it would be so in G. ∎

// A firm is the set of events that a model firmly orders before a write.
type firm struct {
	d     *tracker
	since uint32  // events before this stamp are not looked at
	least []int32 // by thread: the first event that is looked for; nil: all are
	how   []reach // by graph.ID
	list  []graph.ID

	at   *graph.Event            // what open is about
	open func(*graph.Event) bool // whether an event orders others before at whatever way the thread takes

	// The reads that are looked for and not found yet. All is found when there are none; with hurry, nothing else is looked for.
	wanted []graph.ID
	hurry  bool
}

// A reach says what is known to be ordered before a write because an event is.
type reach uint8

const (
	unreached reach = iota
	others          // the event is in an arm that has ended: what other threads did before it
	whole           // what its own thread did before it, too
)

// firmBefore returns the events, as far as they were added since the given stamp, that the model firmly orders before the write e. It is valid until the next call.
// If least is not nil, it leaves out events that have nothing from there on in their prefix.
func (d *tracker) firmBefore(e *graph.Event, since uint32, least []int32) *firm {
	f := &d.firm
	f.d, f.since, f.least, f.hurry = d, since, least, false
	return f.search(e)
}

// search makes f for the write e.
func (f *firm) search(e *graph.Event) *firm {
	for _, id := range f.list {
		f.how[id] = unreached
	}
	f.list = f.list[:0]
	if f.open == nil {
		f.open = func(x *graph.Event) bool { return f.d.isOpen(x, f.at) && !f.d.mayDiffer(x) }
	}
	if n := len(f.d.g.Events); n > len(f.how) {
		f.how = append(f.how, make([]reach, 2*n-len(f.how))...)
	}
	f.expand(e, whole)
	return f
}

// leads reports whether something that is looked for may be ordered before x, or be x.
func (f *firm) leads(x *graph.Event) bool {
	if f.least == nil || x.Index >= f.least[x.Thread] {
		return true
	}
	for t, n := range f.least {
		if f.d.g.Count(x.Prefix, int32(t)) > n {
			return true
		}
	}
	return false
}

func (f *firm) has(id graph.ID) bool { return f.how[id] != unreached }

// add takes in event id.
func (f *firm) add(id graph.ID, how reach) {
	if id == graph.None || f.d.g.Events[id].Stamp < f.since || f.how[id] >= how || !f.leads(&f.d.g.Events[id]) {
		return
	}
	if f.how[id] == unreached {
		f.list = append(f.list, id)
	}
	f.how[id] = how
	if f.hurry && f.finds(id, how) {
		return
	}
	f.expand(&f.d.g.Events[id], how)
}

// finds takes id off the wanted reads and, if it is a write of their location, those that it has seen: it was asked about them when it was added. It reports whether all are found.
func (f *firm) finds(id graph.ID, how reach) bool {
	g := f.d.g
	x := &g.Events[id]
	if len(f.wanted) == 0 || x.Loc != g.Events[f.wanted[0]].Loc {
		return len(f.wanted) == 0
	}
	left := f.wanted[:0]
	for t := range f.least {
		f.least[t] = math.MaxInt32
	}
	for _, r := range f.wanted {
		e := &g.Events[r]
		if r == id || x.Kind == graph.Write && how == whole && e.Thread != x.Thread && e.Index < g.Count(x.Prefix, e.Thread) {
			continue
		}
		left = append(left, r)
		f.least[e.Thread] = min(f.least[e.Thread], e.Index)
	}
	f.wanted = left
	return len(left) == 0
}

// expand takes in what is ordered before e.
func (f *firm) expand(e *graph.Event, how reach) {
	g := f.d.g
	if e.RF != graph.Init && (e.Kind == graph.Start || e.Kind == graph.Join || e.Kind == graph.Read && g.Events[e.RF].Thread != e.Thread) {
		f.add(e.RF, whole)
	}
	if how != whole {
		return
	}
	evs := g.Threads[e.Thread]
	evs = evs[:min(int(e.Index), len(evs))]
	f.reads(evs, e.Addr, e)
	switch e.Kind {
	case graph.Write:
		f.reads(evs, e.Data, e)
		f.reads(evs, e.Open, e)
		if e.Flags&graph.RMWPart != 0 {
			f.add(evs[e.Index-1], whole)
		}
	case graph.Read: // (addr ∪ data);rfi
		if s := &g.Events[e.RF]; e.RF != graph.Init && s.Thread == e.Thread && f.d.isOpen(s, e) && !f.d.mayDiffer(s) {
			f.reads(evs, s.Addr, e)
			f.reads(evs, s.Data, e)
		}
	}
	for i := len(evs) - 1; i >= 0 && (!f.hurry || len(f.wanted) > 0); i-- {
		id := evs[i]
		if id != graph.Hole && !f.leads(&g.Events[id]) {
			break // nor does what comes before it
		}
		if id != graph.Hole && g.Events[id].Stamp >= f.since && f.how[id] != whole && !f.d.mayDiffer(&g.Events[id]) && f.orders(&g.Events[id], e) {
			f.add(id, reachOf(f.d.isOpen(&g.Events[id], e)))
		}
	}
}

// reads takes in the reads of s among the events of the thread before e.
func (f *firm) reads(evs []graph.ID, s event.DepSet, e *graph.Event) {
	g := f.d.g
	for _, i := range g.Deps.Members(s) {
		if int(i) < len(evs) && evs[i] != graph.Hole {
			f.add(evs[i], reachOf(f.d.isOpen(&g.Events[evs[i]], e)))
		}
	}
}

// orders reports whether x is ordered before e by fences and accesses that are in no arm that has ended.
func (f *firm) orders(x, e *graph.Event) bool {
	f.at = e
	return f.d.armed.OrdersPoAmong(f.d.g, x, e, f.open)
}

func reachOf(open bool) reach {
	if open {
		return whole
	}
	return others
}

// mayDiffer reports whether x belongs to a compare-and-swap that orders other events only if it has the outcome that it has. One that its
// thread repeats until it succeeds has no other in the end.
func (d *tracker) mayDiffer(x *graph.Event) bool {
	if x.Flags&(graph.Locked|graph.RMWPart) == 0 {
		return false
	}
	act := &d.pends[x.Pend].act
	return act.Kind == machine.RMW && act.RMW.MayFail() && !act.Persists && (act.Tag != event.NoTag || act.Mode.IsAcq() != act.Fail.IsAcq())
}

// isOpen reports whether the arms that x is in are open at the later event e of its thread.
func (d *tracker) isOpen(x, e *graph.Event) bool {
	return x.Open == 0 || d.g.Deps.Join(x.Open, e.Open) == e.Open
}

// pastArms is asked when the write e is about to be added, which has seen the events in known: it sees whether one of the reads of its location among them, which it is ordered
// after, may read from it under the model.
func (d *tracker) pastArms(e *graph.Event, since uint32, known graph.View) {
	if d.armed == nil || d.missing.Load() {
		return
	}
	g := d.g
	f := &d.firm
	f.d, f.since, f.hurry = d, since, true
	f.want(e, known)
	if len(f.wanted) == 0 {
		return
	}
	if f.search(e); len(f.wanted) == 0 {
		return
	}
	missed := f.wanted[0]
	f.want(e, known)
	d.endedArms(d.firmBefore(e, since, f.least), e, &g.Events[missed])
}

// want has f look for the reads of other threads, among those in known, of the location of e.
func (f *firm) want(e *graph.Event, known graph.View) {
	g := f.d.g
	f.wanted, f.least = f.wanted[:0], g.Scratch(3, math.MaxInt32)
	for t, last := range g.Locs[e.Loc].Last {
		n := g.Count(known, int32(t))
		for id := last.Read; id != graph.None && int32(t) != e.Thread; id = g.Events[id].Prev {
			if r := &g.Events[id]; r.Index < n && r.Stamp >= f.since {
				f.wanted = append(f.wanted, id)
				f.least[t] = r.Index
			}
		}
	}
}

// pastArmsAt is pastArms in an exploration with cycles, for the write at place i of thread t.
func (d *depSearch) pastArmsAt(t, i, loc int32) {
	if d.armed == nil || d.missing.Load() {
		return
	}
	g := d.g
	e := graph.Event{Kind: graph.Write, Thread: t, Index: i, Loc: loc, Mode: d.pendingOf(t).act.Mode}
	if d.atWriteHalf(t, i) {
		e.Flags = graph.RMWPart
	}
	d.setDeps(&e)
	var f *firm
	var k *prefix
	for _, id := range g.Trail {
		r := &g.Events[id]
		if r.Kind != graph.Read || r.Loc != loc || r.Thread == t {
			continue
		}
		if f == nil {
			f, k = d.firmBefore(&e, 0, nil), d.prefixOf(&e, 0)
		}
		if k.has(id) && !f.has(id) {
			d.endedArms(f, &e, r)
			return
		}
	}
}

// endedArms notes that the write e may be read by r, which it is ordered after only because of arms that have ended.
func (d *tracker) endedArms(f *firm, e, r *graph.Event) {
	g := d.g
	pos := func(x *graph.Event) any {
		if x == e {
			return d.location(d.sourcePos(d.pendingOf(e.Thread)))
		}
		return d.location(d.posOf(x))
	}
	// Which read and which write behind it?
	first, later := r, e
	for i := len(f.list); i >= 0; i-- {
		x := e
		if i < len(f.list) {
			x = &g.Events[f.list[i]]
		}
		if x.Kind != graph.Write {
			continue
		}
		for _, at := range g.Deps.Members(x.Ctrl) {
			evs := g.Threads[x.Thread]
			if int(at) < len(evs) && evs[at] != graph.Hole && !g.Deps.Has(x.Open, at) && !f.has(evs[at]) {
				first, later = &g.Events[evs[at]], x
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.nameObjects()
	name := func(x *graph.Event) string { return d.namer.Loc(g.Locs[x.Loc].Addr, g.Locs[x.Loc].Size) }
	d.unexplored = fmt.Sprintf("the read of `%s` at %s decides on a branch whose arms have ended before the write of `%s` at %s: %s lets the write be performed first, and executions that need this are not explored",
		name(first), pos(first), name(later), pos(later), d.m.Name())
	d.missing.Store(true)
}

// pastWaits looks at the threads of a graph in which nothing can move. One that waits may write behind its loop before the loop ends, and so let itself go on, by way of other threads: such executions are not
// explored. An acquire orders what comes after it. Where a thread has not read what is there now, graphs in which it has are explored.
func (d *tracker) pastWaits() {
	if !d.waitForEver() {
		return
	}
	g := d.g
	for t := range d.cur {
		if d.cur[t] == 0 {
			continue
		}
		act := &d.pendingOf(int32(t)).act
		if act.Kind != machine.Block || act.Block != machine.Spin && act.Block != machine.Assume {
			continue
		}
		n := act.N
		if act.Block == machine.Assume {
			n = 1 // what was read last
		}
		evs := g.Threads[t]
		for _, id := range evs[d.roundOf(evs, n):] {
			if e := &g.Events[id]; e.Kind == graph.Read && !e.Mode.IsAcq() {
				d.notExplored(fmt.Sprintf("a thread does not get past %s: under %s, what it writes behind that may be performed before it reads there, and let it go on; such executions are not explored",
					d.location(d.sourcePos(&d.pends[e.Pend])), d.m.Name()))
				return
			}
		}
	}
}
