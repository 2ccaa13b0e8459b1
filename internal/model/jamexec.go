package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// A jamExec is a complete graph as Java's models see it: an RMW is one event, unless the variant says two, and accesses of locations that only one thread
// uses are left out, which are coherent anyway and which nothing else can see.
type jamExec struct {
	g       *graph.Graph
	ids     []graph.ID // by number, the read of an RMW; Init for the initial write of the thesis
	threads [][]int    // by thread: the numbers of its events
	writes  []graph.ID // by number: the write that it is or has, Init if none

	base *relation.Rel // svo ∪ ra ∪ push ∪ rf, and the creation and join of threads
	push *relation.Rel
	weak *relation.Rel // (e, w): e is co- or fr-before w, or the po-predecessor of a write that is co-before w
	dom  *relation.Set // of push
	must *relation.Rel // what pushto has to extend, on dom
	rf   *relation.Rel
	po   *relation.Rel
	loc  *relation.Rel // same location, both writes
}

// newExec reads a graph, in which the last writes of locations are known if it is complete.
func (m *jam) newExec(g *graph.Graph, complete bool) *jamExec {
	x := &jamExec{g: g, threads: make([][]int, len(g.Threads))}
	num := make([]int, len(g.Events))
	if m.thesis {
		x.ids, x.writes = append(x.ids, graph.Init), append(x.writes, graph.Init)
	}
	for t, evs := range g.Threads {
		for _, id := range evs {
			e := &g.Events[id]
			if !m.matters(g, e) {
				continue
			}
			if n := len(x.ids); !m.thesis && !m.c11 && e.Kind == graph.Write && e.Flags&graph.RMWPart != 0 {
				num[id] = n - 1
				x.writes[n-1] = id
				continue
			}
			num[id] = len(x.ids)
			x.threads[t] = append(x.threads[t], len(x.ids))
			x.ids, x.writes = append(x.ids, id), append(x.writes, graph.Init)
			if e.Kind == graph.Write {
				x.writes[num[id]] = id
			}
		}
	}
	n := len(x.ids)
	x.base, x.push, x.weak, x.must = relation.NewRel(n), relation.NewRel(n), relation.NewRel(n), relation.NewRel(n)
	x.rf, x.po, x.loc = relation.NewRel(n), relation.NewRel(n), relation.NewRel(n)
	for _, evs := range x.threads {
		for i := range evs {
			for _, b := range evs[i+1:] {
				x.po.Add(evs[i], b)
			}
			if m.thesis {
				x.po.Add(0, evs[i])
				continue
			}
			m.order(x, evs[i:])
		}
	}
	if m.thesis {
		x.thesisOrder()
	}
	x.external(num, m.thesis)
	x.before()
	x.dom = relation.NewSet(n)
	x.dom.Domain(x.push)
	m.constrain(x, complete)
	return x
}

// matters reports whether e is an event of the models, and not an access that only its thread can see.
func (m *jam) matters(g *graph.Graph, e *graph.Event) bool {
	switch e.Kind {
	case graph.Alloc, graph.Free, graph.Choice:
		return false
	case graph.Read, graph.Write:
		if m.thesis {
			return true
		}
		l := &g.Locs[e.Loc]
		for t := range l.Last {
			if int32(t) != e.Thread && (l.Last[t].Read != graph.Init || l.Last[t].Write != graph.Init) {
				return true
			}
		}
		return false
	}
	return true
}

// order adds svo, ra and push from the first of evs, events of a thread, to the others.
func (m *jam) order(x *jamExec, evs []int) {
	a := evs[0]
	e := x.event(a)
	var full, rel, acq bool // such a fence was seen
	for _, b := range evs[1:] {
		y := x.event(b)
		push := full || e.Mode == event.SC && y.Mode == event.SC
		if m.of2019 {
			push = full || y.Mode == event.SC && y.Kind == graph.Read || e.Mode == event.SC && x.writes[a] != graph.Init
		}
		push = push && inMemory(e) && inMemory(y)
		if push {
			x.push.Add(a, b)
		}
		releases := y.Kind == graph.Create || y.Kind == graph.End || x.writes[b] != graph.Init && y.Mode.IsRel()
		if push || acquires(e) || releases || rel && x.writes[b] != graph.Init || acq && e.Kind == graph.Read {
			x.base.Add(a, b)
		}
		if y.Kind == graph.Fence {
			full = full || y.Mode == event.SC
			rel = rel || y.Mode.IsRel()
			acq = acq || y.Mode.IsAcq()
		}
	}
}

// thesisOrder adds ra, svo and push of the thesis; the initial write comes before everything in po.
func (x *jamExec) thesisOrder() {
	for _, evs := range x.threads {
		line := append([]int{0}, evs...)
		for i, a := range line {
			strong, full := false, false // such an event was seen; a release and an acquire fence are strong
			for _, b := range line[i+1:] {
				y := x.event(b)
				volint := a != 0 && x.event(a).Mode == event.SC && y.Mode == event.SC
				if full && (a == 0 || inMemory(x.event(a))) && inMemory(y) || volint {
					x.push.Add(a, b)
				}
				if strong || volint {
					x.base.Add(a, b)
				}
				strong = strong || y.Mode > event.Rlx || isSync(y)
				full = full || y.Kind == graph.Fence && y.Mode == event.SC
			}
		}
	}
}

func (x *jamExec) event(i int) *graph.Event { return &x.g.Events[x.ids[i]] }

// external adds rf and the creation and join of threads.
func (x *jamExec) external(num []int, init bool) {
	for i, id := range x.ids {
		e := &x.g.Events[id]
		switch e.Kind {
		case graph.Read, graph.Start, graph.Join:
			if e.RF != graph.Init || init && e.Kind == graph.Read {
				x.rf.Add(num[e.RF], i)
			}
		}
	}
	x.base.Union(x.base, x.rf)
}

// before fills weak and loc.
func (x *jamExec) before() {
	g := x.g
	for w, id := range x.writes {
		if id == graph.Init {
			continue
		}
		later := &g.Events[id]
		for i, first := range x.ids {
			e := &g.Events[first]
			if wr := x.writes[i]; wr != graph.Init {
				e = &g.Events[wr]
			}
			if i == w || e.Loc != later.Loc || e.Kind != graph.Read && e.Kind != graph.Write {
				continue
			}
			if e.Kind == graph.Write {
				x.loc.Add(i, w)
			}
			if g.Key(e) >= g.Key(later) {
				continue
			}
			x.weak.Add(i, w)
			if e.Kind == graph.Write {
				for _, p := range x.threads[e.Thread] {
					if p == i {
						break
					}
					x.weak.Add(p, w)
				}
			}
		}
	}
}

// constrain fills must.
func (m *jam) constrain(x *jamExec, complete bool) {
	porf, n := relation.NewRel(len(x.ids)), len(x.ids)
	porf.Union(x.po, x.rf)
	final := relation.NewRel(n)
	for w, id := range x.writes {
		if id == graph.Init || m.thesis || !complete || !x.g.CoMaximal(&x.g.Events[id]) {
			continue
		}
		for v := range x.ids {
			if x.loc.Has(v, w) {
				final.Add(v, w)
			}
		}
	}
	switch {
	case m.of2019:
		porf.Union(x.base, final)
		x.must.Closure(porf)
	case m.direct:
		x.must.Union(porf, final)
	default:
		x.must.Closure(porf)
		x.must.Union(x.must, final)
	}
	x.must.RestrictDomain(x.dom, x.must)
	x.must.RestrictRange(x.must, x.dom)
}
