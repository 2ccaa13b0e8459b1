package explore

import (
	"math"
	"slices"
	"sync"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/model"
)

// A need says how much of what comes before an event a prefix takes with it.
type need uint8

const (
	unneeded need = iota
	// byValue: what fixes the event's existence and value.
	byValue
	// byRfi: as byValue, but what it depends on is byOrder: it is read within its thread.
	byRfi
	// byPlace: as byOrder, but what it reads does not matter. See prefix.lax.
	byPlace
	// byOrder: all that the model orders before the event.
	byOrder
)

// A prefix is the set of events that a write can't be without: what it depends on, and what the
// model orders before it, so that no event outside of it could be in a cycle with the write later on.
// It is scratch: the list has to be copied before another prefix is made.
type prefix struct {
	g     *graph.Graph
	m     model.DepModel
	since uint32 // events before this stamp are not looked at: they are kept in any case
	needs []need // by graph.ID
	list  []graph.ID

	// If one read is to be left out: which. Then reads that only come first in order are left out if what they read depends on it.
	avoid graph.ID
	lax   bool // reads that only come first in order are there without what they read, if that is of their own thread
	byOwn bool // there is a read that comes first in order, of a write of its own thread that depends on something

	// If only some reads are looked for, in a graph with views: which. All is found when there are none.
	some   bool
	wanted []graph.ID
	least  []int32 // by thread: the first event that is wanted
}

// reset empties p.
func (p *prefix) reset(g *graph.Graph, m model.DepModel, since uint32) {
	p.g, p.m, p.since, p.some = g, m, since, false
	p.avoid, p.byOwn, p.lax = graph.None, false, false
	for _, id := range p.list {
		p.needs[id] = unneeded
	}
	p.list = p.list[:0]
	if n := len(g.Events); n > len(p.needs) {
		p.needs = append(p.needs, make([]need, 2*n-len(p.needs))...)
	}
}

// want has p look for some reads only: it leaves out events that have none of them in (po ∪ rf)⁺, and stops when it has them all. All that an event needs is in (po ∪ rf)⁺ of it,
// but for the write of an RMW, which needs nothing else.
func (p *prefix) want(reads []graph.ID) {
	p.some = true
	p.wanted = append(p.wanted[:0], reads...)
	p.least = p.least[:0]
	for range p.g.Threads {
		p.least = append(p.least, math.MaxInt32)
	}
	for _, id := range reads {
		e := &p.g.Events[id]
		p.least[e.Thread] = min(p.least[e.Thread], e.Index)
	}
}

// leads reports whether something that is wanted may be before x, or be x.
func (p *prefix) leads(x *graph.Event) bool {
	if !p.some || x.Index >= p.least[x.Thread] {
		return true
	}
	for t, n := range p.least {
		if n != math.MaxInt32 && p.g.Count(x.Prefix, int32(t)) > n {
			return true
		}
	}
	return false
}

// found takes id off the wanted reads.
func (p *prefix) found(id graph.ID) {
	if i := slices.Index(p.wanted, id); i >= 0 {
		p.wanted = slices.Delete(p.wanted, i, i+1)
	}
}

// prefixOf makes d.prefix the prefix of e, which need not be in the graph, without e, as far as it
// was added since the given stamp.
func (d *tracker) prefixOf(e *graph.Event, since uint32) *prefix {
	d.prefix.reset(d.g, d.model, since)
	d.prefix.expand(e, byOrder)
	return &d.prefix
}

// hasBefore reports whether the reads are all in the prefix of e. The graph has views.
func (d *tracker) hasBefore(e *graph.Event, since uint32, reads []graph.ID) bool {
	p := &d.prefix
	p.reset(d.g, d.model, since)
	p.want(reads)
	p.expand(e, byOrder)
	return len(p.wanted) == 0
}

// Reads of a thread's own writes.
//
// Where a read of a thread's own write comes first in order only, say by [Racq];po, the event e after it can be without it. The model may order what the write depends on before e (data;rfi of armv8), or not (imm):
// in r=x; x=r+2; a=x.acq; l=0, the write of l may be performed before r=x, and r read from what depends on it. Then a=x is left out of the prefix with r: it comes again later, with another value.
// Under models that do not order by rfi (model.Traits.FreeRfi), each read that the prefix has is asked whether it can do without.

// asksToAvoid reports whether the reads of d.prefix are to be asked.
func (d *tracker) asksToAvoid() bool { return d.traits.FreeRfi && d.prefix.byOwn }

// canAvoid reports whether e can do without the read id, which its prefix has. It makes d.prefix the prefix without it.
func (d *tracker) canAvoid(e *graph.Event, since uint32, id graph.ID) bool {
	d.prefix.reset(d.g, d.model, since)
	d.prefix.avoid = id
	d.prefix.expand(e, byOrder)
	return !d.prefix.has(id)
}

// readsOwn reports whether y reads a write of its own thread.
func (p *prefix) readsOwn(y *graph.Event) bool {
	return y.Kind == graph.Read && y.RF != graph.Init && p.g.Events[y.RF].Thread == y.Thread
}

// mayAvoid reports whether e may do without some of the reads. If not, its prefix has all, and none of them can be avoided: it has them without what reads read that only come first in order. The graph has views if some of
// it is enough.
func (d *tracker) mayAvoid(e *graph.Event, since uint32, reads []graph.ID, views bool) bool {
	p := &d.prefix
	p.reset(d.g, d.model, since)
	p.lax = true
	if views {
		p.want(reads)
	}
	p.expand(e, byOrder)
	return slices.ContainsFunc(reads, func(id graph.ID) bool { return !p.has(id) })
}

// avoids reports whether the read x, which comes first in order, is left out.
func (p *prefix) avoids(x graph.ID) bool {
	if p.avoid == graph.None || x == p.avoid || !p.readsOwn(&p.g.Events[x]) {
		return false
	}
	q := prefixes.Get().(*prefix)
	defer prefixes.Put(q)
	q.reset(p.g, p.m, p.since)
	q.add(x, byValue)
	return q.has(p.avoid)
}

func (p *prefix) has(id graph.ID) bool { return p.needs[id] != unneeded }

// add takes in event id.
func (p *prefix) add(id graph.ID, n need) {
	if id == graph.None || p.g.Events[id].Stamp < p.since || p.needs[id] >= n || p.some && (len(p.wanted) == 0 || !p.leads(&p.g.Events[id])) {
		return
	}
	if p.needs[id] == unneeded {
		p.list = append(p.list, id)
		if p.some {
			p.found(id)
		}
	}
	p.needs[id] = n
	p.expand(&p.g.Events[id], n)
}

// expand takes in what event e needs.
func (p *prefix) expand(e *graph.Event, n need) {
	g := p.g
	evs := g.Threads[e.Thread]
	evs = evs[:min(int(e.Index), len(evs))]
	deps := n
	if n >= byRfi {
		deps = byOrder
	}
	for _, s := range [...]event.DepSet{e.Addr, e.Data, e.Ctrl, e.Exp} {
		p.addReads(evs, s, deps)
	}
	if n >= byRfi && p.m.AddrPo() {
		p.addReads(evs, e.AddrPo, deps)
	}
	for i := len(evs) - 1; i >= 0; i-- {
		x := evs[i]
		if x == graph.Hole {
			continue
		}
		y := &g.Events[x]
		if y.Stamp < p.since && g.Holes == 0 || p.some && !p.leads(y) {
			break // without holes, what comes before in the thread was added before
		}
		switch {
		case n >= byPlace && p.m.OrdersPo(g, y, e):
			switch {
			case p.lax && p.readsOwn(y):
				p.add(x, byPlace)
			case !p.avoids(x):
				p.add(x, byOrder)
			}
		case y.Kind == graph.Fence && y.Tag == event.Plain: // in the place of a write (shadow.go of package machine)
		case y.Kind != graph.Read && y.Kind != graph.Write:
			p.add(x, byValue)
		}
	}
	p.expandKind(e, evs, n)
}

// expandKind takes in what e needs beyond its thread, and the other half of an RMW.
func (p *prefix) expandKind(e *graph.Event, evs []graph.ID, n need) {
	g := p.g
	switch e.Kind {
	case graph.Read:
		switch {
		case e.RF == graph.Init:
		case n == byPlace:
		case n != byOrder:
			p.add(e.RF, byValue)
		case g.Events[e.RF].Thread == e.Thread:
			w := &g.Events[e.RF]
			p.byOwn = p.byOwn || mayDepend(w)
			p.add(e.RF, byRfi)
		default:
			p.add(e.RF, byOrder)
		}
		p.addWriteHalf(e)
	case graph.Write:
		if e.Flags&graph.RMWPart != 0 && (n >= byPlace || e.Flags&graph.Blind == 0) {
			p.add(evs[e.Index-1], n)
		}
	case graph.Start, graph.Join:
		p.add(e.RF, byOrder)
	}
}

// mayDepend reports whether the write w depends on a read.
func mayDepend(w *graph.Event) bool { return w.Flags&graph.RMWPart != 0 || w.Data|w.Addr|w.Ctrl != 0 }

// addReads takes in the reads of s.
func (p *prefix) addReads(evs []graph.ID, s event.DepSet, n need) {
	for _, i := range p.g.Deps.Members(s) {
		if int(i) < len(evs) {
			p.add(evs[i], n)
		}
	}
}

// addWriteHalf takes in the write of an RMW with its read e, unless it depends on more than the read does.
func (p *prefix) addWriteHalf(e *graph.Event) {
	g := p.g
	evs := g.Threads[e.Thread]
	if e.Flags&graph.RMWPart == 0 || int(e.Index)+1 >= len(evs) || evs[e.Index+1] == graph.Hole {
		return
	}
	if v := &g.Events[evs[e.Index+1]]; v.Data == 0 || !p.isBeyond(v) {
		p.add(evs[e.Index+1], byValue)
	}
}

// isBeyond is dependsBeyondRead of v, which is in the graph. Without holes the answer stays the same as long as v is there: what decides its value
// stays as well.
func (p *prefix) isBeyond(v *graph.Event) bool {
	const no, yes = 1, 2
	if v.Memo != 0 {
		return v.Memo == yes
	}
	beyond := dependsBeyondRead(p.g, p.m, v, p.some)
	if p.g.Holes == 0 {
		v.Memo = no
		if beyond {
			v.Memo = yes
		}
	}
	return beyond
}

// badRMW reports whether the write at place i of thread t, of an RMW, depends on more than its read does.
func (d *depSearch) badRMW(t, i int32) bool {
	if !d.atWriteHalf(t, i) {
		return false
	}
	act := &d.pendingOf(t).act
	if act.DataDep == 0 {
		return false
	}
	e := graph.Event{Kind: graph.Write, Thread: t, Index: i, Flags: graph.RMWPart, Data: act.DataDep}
	return dependsBeyondRead(d.g, d.model, &e, false)
}

var prefixes = sync.Pool{New: func() any { return &prefix{} }}

// dependsBeyondRead reports whether v, the write of an RMW, has value dependencies that its read u is not
// decided by. views says whether the graph has views.
func dependsBeyondRead(g *graph.Graph, m model.DepModel, v *graph.Event, views bool) bool {
	evs := g.Threads[v.Thread]
	u := &g.Events[evs[v.Index-1]]
	decide := [...]event.DepSet{u.Addr, u.Ctrl, u.Exp}
	var reads []graph.ID
	for _, i := range g.Deps.Members(v.Data) {
		if i != u.Index && (evs[i] == graph.Hole || !slices.ContainsFunc(decide[:], func(s event.DepSet) bool { return g.Deps.Has(s, i) })) {
			reads = append(reads, evs[i])
		}
	}
	if len(reads) == 0 {
		return false
	}
	p := prefixes.Get().(*prefix)
	defer prefixes.Put(p)
	p.reset(g, m, 0)
	if views {
		p.want(reads)
	}
	for _, s := range decide {
		p.addReads(evs[:u.Index], s, byValue)
	}
	p.add(u.RF, byValue)
	return slices.ContainsFunc(reads, func(id graph.ID) bool { return !p.has(id) })
}
