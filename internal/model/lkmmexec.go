package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// The events of a kernel. Relations are square, so those that make no difference are left out:
//
//   - initial writes: nothing leads to them, and pre-race has none. fr is made without them.
//   - allocations, the end of memory, choices, and fences that addFenced alone has to see.
//   - plain accesses of locations that only one thread has ever been at. They are in no pair of pre-race, and hb, pb, prop and vis relate marked events.
//     What goes through them are dependencies, by (data;rfi)*, and addr;[Plain];wmb. A dependencies makes both without relations.

// newKernelExec reads a graph. What it has are r, w, po, rf, co, fr, rmw, start, sameLoc and ext.
func newKernelExec(g *graph.Graph) *exec {
	x := execs.Get().(*exec)
	x.g = g
	x.ids, x.loc, x.initial = x.ids[:0], x.loc[:0], x.initial[:0]
	if len(x.num) < len(g.Events) {
		x.num = make([]int32, 2*len(g.Events))
	}
	for _, evs := range g.Threads {
		for _, id := range evs {
			if id == graph.Hole {
				continue
			}
			e := &g.Events[id]
			x.num[id] = -1
			if !isRelated(g, e) {
				continue
			}
			x.num[id] = int32(len(x.ids))
			loc := int32(-1)
			if isAccess(e) {
				loc = e.Loc
			}
			x.ids, x.loc = append(x.ids, id), append(x.loc, loc)
		}
	}
	x.n = len(x.ids)
	x.r, x.w = x.newSet(), x.newSet()
	for _, r := range []**relation.Rel{&x.po, &x.rf, &x.co, &x.fr, &x.rmw, &x.start, &x.sameLoc, &x.ext} {
		*r = x.newRel()
	}
	for n := range x.ids {
		x.addRelated(n)
	}
	x.places()
	return x
}

// isRelated reports whether e is an event of a kernel.
func isRelated(g *graph.Graph, e *graph.Event) bool {
	switch e.Kind {
	case graph.Read, graph.Write:
		return !isPlain(e) || !g.Locs[e.Loc].Private()
	case graph.Fence:
		return e.Tag.IsRCU() || e.Tag == event.SmpRMB || e.Tag == event.AfterUnlockLock
	}
	return isSync(e)
}

// addRelated adds event number n to the relations: po to it, and what else leads to it or from it.
func (x *exec) addRelated(n int) {
	g := x.g
	e := &g.Events[x.ids[n]]
	for p := n - 1; p >= 0 && g.Events[x.ids[p]].Thread == e.Thread; p-- {
		x.po.Add(p, n)
	}
	after := int32(0) // the place in co of the first write that comes after e
	switch e.Kind {
	case graph.Read:
		x.r.Add(n)
		if e.RF != graph.Init && x.num[e.RF] >= 0 {
			x.rf.Add(int(x.num[e.RF]), n)
		}
		after = g.CoIndex(e.RF) + 1
	case graph.Write:
		x.w.Add(n)
		if e.Flags&graph.RMWPart != 0 {
			if r := g.Threads[e.Thread][e.Index-1]; r != graph.Hole && x.num[r] >= 0 {
				x.rmw.Add(int(x.num[r]), n)
			}
		}
		after = e.Co + 1
	case graph.Start, graph.Join:
		if e.RF != graph.Init {
			x.start.Add(int(x.num[e.RF]), n)
		}
	}
	if after == 0 {
		return
	}
	to := x.co
	if e.Kind == graph.Read {
		to = x.fr
	}
	for _, w := range g.Locs[e.Loc].Co[after:] {
		if x.num[w] >= 0 {
			to.Add(n, int(x.num[w]))
		}
	}
}

// A dependencies goes along a thread and knows what values of its reads come from.
type dependencies struct {
	k       *kernel
	evs     []graph.ID
	origins []event.DepSet // by place, of a read: itself and, by (data;rfi)*, the reads that its value comes from; without those that are no events of k
	last    event.DepSet   // expand was asked about it
	lastTo  event.DepSet   // and answered
}

// addDependencies makes dep, ctrl2, addr2 and addrWMB.
func (k *kernel) addDependencies() {
	k.dep, k.ctrl2, k.addr2, k.addrWMB = k.newRel(), k.newRel(), k.newRel(), k.newRel()
	for t, evs := range k.g.Threads {
		d := dependencies{k: k, evs: evs, origins: k.origins[:0]}
		d.along(int32(t))
		k.origins = d.origins
	}
}

// along goes along thread t.
func (d *dependencies) along(t int32) {
	k, g := d.k, d.k.g
	var plain, fenced event.DepSet // what the addresses of plain writes depend on; of those before smp_wmb
	for i := range d.evs {
		d.origins = append(d.origins, 0)
		if id := g.At(t, int32(i)); id != graph.Init && kernelFence(&g.Events[id]) == event.SmpWMB {
			fenced = g.Deps.Join(fenced, plain)
		}
		id := d.evs[i]
		if id == graph.Hole {
			continue
		}
		e := &g.Events[id]
		addr := d.expand(e.Addr)
		if n := k.num[id]; n >= 0 {
			d.relate(k.addr2, addr, n)
			d.relate(k.dep, addr, n)
			d.relate(k.dep, d.expand(e.Data), n)
			d.relate(k.ctrl2, d.expand(e.Open), n)
			if e.Kind == graph.Write {
				d.relate(k.addrWMB, fenced, n)
			}
		}
		switch {
		case e.Kind == graph.Write && isPlain(e):
			plain = g.Deps.Join(plain, addr)
		case e.Kind == graph.Read:
			d.origins[i] = d.originsOf(e, id)
		}
	}
}

// originsOf returns origins of the read e.
func (d *dependencies) originsOf(e *graph.Event, id graph.ID) event.DepSet {
	own := event.DepSet(0)
	if d.k.num[id] >= 0 {
		own = d.k.g.Deps.Single(e.Index)
	}
	if w := internalSource(d.k.g, e); w != nil {
		return d.k.g.Deps.Join(own, d.expand(w.Data))
	}
	return own
}

// expand returns the union of the origins of reads.
func (d *dependencies) expand(s event.DepSet) event.DepSet {
	switch s {
	case 0:
		return 0
	case d.last:
		return d.lastTo
	}
	to := event.DepSet(0)
	for _, i := range d.k.g.Deps.Members(s) {
		if int(i) < len(d.origins) {
			to = d.k.g.Deps.Join(to, d.origins[i])
		}
	}
	d.last, d.lastTo = s, to
	return to
}

// relate adds to r the pairs of the reads in s and event number n.
func (d *dependencies) relate(r *relation.Rel, s event.DepSet, n int32) {
	for _, i := range d.k.g.Deps.Members(s) {
		if m := d.k.num[d.evs[i]]; m != n {
			r.Add(int(m), int(n))
		}
	}
}
