package model

import (
	"slices"
	"sync"
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// A jamExec is a complete graph as Java's models see it: an RMW is one event, unless the variant says two. Events that can't
// make a difference are left out.
type jamExec struct {
	g       *graph.Graph
	ids     []graph.ID // by number, the read of an RMW; Init for the initial write of the thesis
	writes  []graph.ID // by number: the write that it is or has, Init if none
	fences  []lastFences
	nums    []int   // by graph.ID
	threads [][]int // by thread: the numbers of its events

	base relation.Rel // svo ∪ ra ∪ push ∪ rf, and the creation and join of threads
	push relation.Rel
	weak relation.Rel // (e, w): e is co- or fr-before w, or the po-predecessor of a write that is co-before w
	dom  relation.Set // of push
	must relation.Rel // what pushto has to extend, on dom
	rf   relation.Rel // not of initial writes, but in the thesis

	cyclic bool // po ∪ rf may have cycles

	vo, r, s relation.Rel // scratch

	stop *atomic.Bool // set when the search for a pushto has to end
}

// lastFences has the indices of the last full, release and acquire fence before an event, -1 if there is none.
type lastFences struct{ full, rel, acq int32 }

var jamExecs = sync.Pool{New: func() any { return &jamExec{} }}

// newExec reads a graph, in which the last writes of locations are known if it is complete.
// po ∪ rf may have cycles if cyclic. The caller gives it back to jamExecs.
func (m *jam) newExec(g *graph.Graph, complete, cyclic bool) *jamExec {
	x := jamExecs.Get().(*jamExec)
	x.g, x.cyclic = g, cyclic
	x.number(m)
	n := len(x.ids)
	for _, r := range []*relation.Rel{&x.base, &x.push, &x.weak, &x.must, &x.rf} {
		r.Reset(n)
	}
	for _, evs := range x.threads {
		if m.thesis {
			x.thesisOrder(evs)
			continue
		}
		for i, a := range evs {
			for _, b := range evs[i+1:] {
				x.order(m, a, b)
			}
		}
	}
	x.external(m.thesis)
	x.later()
	x.dom.Reset(n)
	if m.thesis {
		x.dom.Domain(&x.push)
	} else {
		x.domain(m)
	}
	x.constrain(m, complete)
	return x
}

// domain fills dom. An event from which push leads only to events that were left out has a place in pushto all the same.
func (x *jamExec) domain(m *jam) {
	for t, evs := range x.g.Threads {
		if len(x.threads[t]) == 0 {
			continue
		}
		// Indices of the last access or fence, full fence with one after it, volatile event, and volatile read.
		memory, full, volatile, read := int32(-1), int32(-1), int32(-1), int32(-1)
		for _, id := range slices.Backward(evs) {
			e := &x.g.Events[id]
			if !inMemory(e) {
				continue
			}
			if e.Mode == event.SC {
				volatile = max(volatile, e.Index)
				if e.Kind == graph.Fence && memory >= 0 {
					full = max(full, e.Index)
				}
				if e.Kind == graph.Read {
					read = max(read, e.Index)
				}
			}
			memory = max(memory, e.Index)
		}
		for _, i := range x.threads[t] {
			e := x.event(i)
			if !inMemory(e) {
				continue
			}
			end := x.access(i).Index
			pushes := full > end
			if m.of2019 {
				pushes = pushes || read > end || e.Mode == event.SC && x.writes[i] != graph.Init && memory > end
			} else {
				pushes = pushes || e.Mode == event.SC && volatile > end
			}
			if pushes {
				x.dom.Add(i)
			}
		}
	}
}

// number numbers the events, thread by thread.
func (x *jamExec) number(m *jam) {
	g := x.g
	if len(x.nums) < len(g.Events) {
		x.nums = make([]int, 2*len(g.Events))
	}
	x.ids, x.writes, x.fences = x.ids[:0], x.writes[:0], x.fences[:0]
	x.threads = append(x.threads[:0], make([][]int, len(g.Threads))...)
	if m.thesis {
		x.nums[graph.Init] = 0
		x.ids, x.writes, x.fences = append(x.ids, graph.Init), append(x.writes, graph.Init), append(x.fences, lastFences{-1, -1, -1})
	}
	lean := !m.thesis && !x.cyclic && creatorsApart(g)
	for t, evs := range g.Threads {
		if lean && creates(g, evs) {
			continue
		}
		last, half := lastFences{-1, -1, -1}, lean && halfFences(g, evs)
		for _, id := range evs {
			e := &g.Events[id]
			switch n := len(x.ids); {
			case !m.matters(g, e, lean, half):
			case e.Kind == graph.Write && e.Flags&graph.RMWPart != 0 && !m.thesis && !m.c11:
				x.nums[id] = n - 1
				x.writes[n-1] = id
			default:
				x.nums[id] = n
				x.threads[t] = append(x.threads[t], n)
				x.ids, x.writes, x.fences = append(x.ids, id), append(x.writes, graph.Init), append(x.fences, last)
				if e.Kind == graph.Write {
					x.writes[n] = id
				}
			}
			if e.Kind == graph.Fence {
				last.see(e)
			}
		}
	}
}

func (l *lastFences) see(e *graph.Event) {
	if e.Mode == event.SC {
		l.full = e.Index
	}
	if e.Mode.IsRel() {
		l.rel = e.Index
	}
	if e.Mode.IsAcq() {
		l.acq = e.Index
	}
}

// matters reports whether e makes a difference, except for what is in the domain of push. If lean, threads begin with nothing before them; then
// some do not, because whatever leads to them leads to all that they lead to, and has the same place in pushto: fences, after which push leads
// from what is before them; and opaque and plain accesses that no other thread sees. halfFences is whether the thread has release or
// acquire fences, which order some kinds of accesses only.
func (m *jam) matters(g *graph.Graph, e *graph.Event, lean, halfFences bool) bool {
	switch e.Kind {
	case graph.Alloc, graph.Free, graph.Choice:
		return false
	case graph.Read, graph.Write:
		return !lean || halfFences || e.Mode > event.Rlx || isShared(g, e)
	}
	return !lean
}

// isShared reports whether another thread accesses the location of e.
func isShared(g *graph.Graph, e *graph.Event) bool {
	l := &g.Locs[e.Loc]
	for t := range l.Last {
		if int32(t) != e.Thread && (l.Last[t].Read != graph.None || l.Last[t].Write != graph.None) {
			return true
		}
	}
	return false
}

// creates reports whether a thread with these events creates or joins others.
func creates(g *graph.Graph, evs []graph.ID) bool {
	for _, id := range evs {
		if k := g.Events[id].Kind; k == graph.Create || k == graph.Join {
			return true
		}
	}
	return false
}

// halfFences reports whether a thread with these events has release or acquire fences.
func halfFences(g *graph.Graph, evs []graph.ID) bool {
	for _, id := range evs {
		if e := &g.Events[id]; e.Kind == graph.Fence && e.Mode != event.SC {
			return true
		}
	}
	return false
}

// creatorsApart reports whether threads that create or join others can be left out: they access nothing that others
// do, and have no fences, except for what the first thread does before all others begin or after all have ended, which is in no
// cycle; and they create no thread after they have joined one.
func creatorsApart(g *graph.Graph) bool {
	others := -1
	for _, evs := range g.Threads {
		if len(evs) > 0 {
			others++
		}
	}
	for t, evs := range g.Threads {
		if !creates(g, evs) {
			continue
		}
		alone, joined := t == 0, 0
		for _, id := range evs {
			e := &g.Events[id]
			switch e.Kind {
			case graph.Create:
				if joined > 0 {
					return false
				}
				alone = false
			case graph.Join:
				joined++
				alone = t == 0 && joined == others
			case graph.Fence:
				if !alone {
					return false
				}
			case graph.Read, graph.Write:
				if !alone && isShared(g, e) {
					return false
				}
			}
		}
	}
	return true
}

// order adds svo, ra and push from a to b, which is po-later.
func (x *jamExec) order(m *jam, a, b int) {
	e, y := x.event(a), x.event(b)
	write := x.writes[b] != graph.Init
	last := &x.fences[b]
	push := e.Mode == event.SC && y.Mode == event.SC
	if m.of2019 {
		push = y.Mode == event.SC && y.Kind == graph.Read || e.Mode == event.SC && x.writes[a] != graph.Init
	}
	push = (push || last.full > e.Index) && inMemory(e) && inMemory(y)
	if push {
		x.push.Add(a, b)
	}
	if push || acquires(e) || y.Kind == graph.Create || y.Kind == graph.End || write && (y.Mode.IsRel() || last.rel > e.Index) ||
		e.Kind == graph.Read && last.acq > e.Index {
		x.base.Add(a, b)
	}
}

// thesisOrder adds ra, svo and push of the thesis in a thread; the initial write comes before everything in po.
func (x *jamExec) thesisOrder(evs []int) {
	line := append([]int{0}, evs...)
	for i, a := range line {
		strong := false // such an event was seen; a release and an acquire fence are strong
		index := int32(-1)
		if a > 0 {
			index = x.event(a).Index
		}
		for _, b := range line[i+1:] {
			y := x.event(b)
			volint := a > 0 && x.event(a).Mode == event.SC && y.Mode == event.SC
			if volint || x.fences[b].full > index && (a == 0 || inMemory(x.event(a))) && inMemory(y) {
				x.push.Add(a, b)
			}
			if strong || volint {
				x.base.Add(a, b)
			}
			strong = strong || y.Mode > event.Rlx || isSync(y)
		}
	}
}

func (x *jamExec) event(i int) *graph.Event { return &x.g.Events[x.ids[i]] }

// external adds rf and the creation and join of threads.
func (x *jamExec) external(init bool) {
	for i, id := range x.ids {
		e := &x.g.Events[id]
		switch e.Kind {
		case graph.Read, graph.Start, graph.Join:
			if src := &x.g.Events[e.RF]; e.RF != graph.Init && (src.Kind != graph.Write || x.has(e.RF)) || init && e.Kind == graph.Read {
				x.rf.Add(x.nums[e.RF], i)
			}
		}
	}
	x.base.Union(&x.base, &x.rf)
}

// has reports whether the event id has not been left out.
func (x *jamExec) has(id graph.ID) bool {
	n := x.nums[id]
	return n < len(x.ids) && (x.ids[n] == id || x.writes[n] == id)
}

// later fills weak.
func (x *jamExec) later() {
	g := x.g
	for w, id := range x.writes {
		if id == graph.Init {
			continue
		}
		k := g.Key(&g.Events[id])
		loc := g.Events[id].Loc
		for i := range x.ids {
			if e := x.access(i); i != w && e.Loc == loc && g.Key(e) < k {
				x.weak.Add(i, w)
			}
		}
	}
	for _, evs := range x.threads {
		var after relation.Set // what the writes po-after are co-before
		after.Reset(len(x.ids))
		for i := len(evs) - 1; i >= 0; i-- {
			row := x.weak.From(evs[i])
			if x.writes[evs[i]] != graph.Init {
				after.Union(&after, &row)
			}
			row.Union(&row, &after)
		}
	}
}

// access returns the event with number i, of an RMW its write; one without location if it is not an access.
func (x *jamExec) access(i int) *graph.Event {
	if id := x.writes[i]; id != graph.Init {
		return &x.g.Events[id]
	}
	return x.event(i)
}

// constrain fills must, except for pairs that follow from others.
func (x *jamExec) constrain(m *jam, complete bool) {
	if m.of2019 {
		x.r.Reset(len(x.ids))
		x.r.Union(&x.r, &x.base)
		x.final(&x.r, m, complete)
		x.must.Closure(&x.r)
	} else {
		switch {
		case m.direct:
			x.must.Union(&x.must, &x.rf)
		case x.cyclic:
			x.causes()
		default:
			x.prefixes()
		}
		for _, evs := range x.threads {
			last := -1
			if m.thesis {
				last = 0
			}
			for _, b := range evs {
				if x.dom.Has(b) {
					if last >= 0 {
						x.must.Add(last, b)
					}
					last = b
				}
			}
		}
		x.final(&x.must, m, complete)
	}
	x.must.RestrictDomain(&x.dom, &x.must)
	x.must.RestrictRange(&x.must, &x.dom)
}

// prefixes adds to must, for each event of dom and each other thread, the last event of that in its prefix.
func (x *jamExec) prefixes() {
	g := x.g
	for t, evs := range x.threads {
		for u, others := range x.threads {
			if t == u {
				continue
			}
			next, last := 0, -1 // of others
			for _, b := range evs {
				n := g.Count(x.event(b).Prefix, int32(u))
				for ; next < len(others) && x.event(others[next]).Index < n; next++ {
					if x.dom.Has(others[next]) {
						last = others[next]
					}
				}
				if last >= 0 && x.dom.Has(b) {
					x.must.Add(last, b)
					last = -1 // later events of the thread come after b
				}
			}
		}
	}
}

// final adds to r that the last write of a location is after the others.
func (x *jamExec) final(r *relation.Rel, m *jam, complete bool) {
	if m.thesis || !complete {
		return
	}
	for w, id := range x.writes {
		if id == graph.Init || !x.g.CoMaximal(&x.g.Events[id]) {
			continue
		}
		for v, other := range x.writes {
			if v != w && other != graph.None && x.g.Events[other].Loc == x.g.Events[id].Loc {
				r.Add(v, w)
			}
		}
	}
}
