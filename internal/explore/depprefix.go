package explore

import (
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
	// byOrder: all that the model orders before the event.
	byOrder
)

// A prefix is the set of events that a write can't be without: what it depends on, and what the
// model orders before it, so that no event outside of it could be in a cycle with the write later on.
type prefix struct {
	w     *worker
	m     model.DepModel
	since uint32 // events before this stamp are not looked at: they are kept in any case
	needs map[graph.ID]need
	list  []graph.ID
}

// prefixOf returns the prefix of e, which need not be in the graph, without e, as far as it was added since the given stamp.
func (w *worker) prefixOf(e *graph.Event, since uint32) *prefix {
	p := &prefix{w: w, m: w.m.(model.DepModel), since: since, needs: map[graph.ID]need{}}
	p.expand(e, byOrder)
	return p
}

func (p *prefix) has(id graph.ID) bool { return p.needs[id] != unneeded }

// add takes in event id.
func (p *prefix) add(id graph.ID, n need) {
	if id == graph.Init || p.w.g.Events[id].Stamp < p.since || p.needs[id] >= n {
		return
	}
	if p.needs[id] == unneeded {
		p.list = append(p.list, id)
	}
	p.needs[id] = n
	p.expand(&p.w.g.Events[id], n)
}

// expand takes in what event e needs.
func (p *prefix) expand(e *graph.Event, n need) {
	g := p.w.g
	evs := g.Threads[e.Thread]
	evs = evs[:min(int(e.Index), len(evs))]
	deps := n
	if n == byRfi {
		deps = byOrder
	}
	for _, s := range [...]event.DepSet{e.Addr, e.Data, e.Ctrl, e.Exp} {
		p.addReads(evs, s, deps)
	}
	for _, x := range evs {
		if x == graph.Init {
			continue
		}
		y := &g.Events[x]
		if n >= byRfi && (y.Kind == graph.Read || y.Kind == graph.Write) {
			p.addReads(evs, y.Addr, deps) // addr;po
		}
		switch {
		case n == byOrder && p.m.OrdersPo(g, y, e):
			p.add(x, byOrder)
		case y.Kind != graph.Read && y.Kind != graph.Write:
			p.add(x, byValue)
		}
	}
	switch e.Kind {
	case graph.Read:
		switch {
		case e.RF == graph.Init:
		case n != byOrder:
			p.add(e.RF, byValue)
		case g.Events[e.RF].Thread == e.Thread:
			p.add(e.RF, byRfi)
		default:
			p.add(e.RF, byOrder)
		}
		p.addWriteHalf(e)
	case graph.Write:
		if e.Flags&graph.RMWPart != 0 {
			p.add(evs[e.Index-1], n)
		}
	case graph.Start, graph.Join:
		p.add(e.RF, byOrder)
	}
}

// addReads takes in the reads of s.
func (p *prefix) addReads(evs []graph.ID, s event.DepSet, n need) {
	for _, i := range p.w.g.Deps.Members(s) {
		if int(i) < len(evs) {
			p.add(evs[i], n)
		}
	}
}

// addWriteHalf takes in the write of an RMW with its read e, unless it depends on more than the read does.
func (p *prefix) addWriteHalf(e *graph.Event) {
	g := p.w.g
	evs := g.Threads[e.Thread]
	if e.Flags&graph.RMWPart == 0 || int(e.Index)+1 >= len(evs) || evs[e.Index+1] == graph.Init {
		return
	}
	if !p.w.dependsBeyondRead(&g.Events[evs[e.Index+1]]) {
		p.add(evs[e.Index+1], byValue)
	}
}

// badRMW reports whether the write at place i of thread t, of an RMW, depends on more than its read does.
func (w *worker) badRMW(t, i int32) bool {
	if !w.atWriteHalf(t, i) {
		return false
	}
	act := &w.pendingOf(t).act
	e := graph.Event{Kind: graph.Write, Thread: t, Index: i, Flags: graph.RMWPart, Data: act.DataDep, Addr: act.AddrDep, Ctrl: act.CtrlDep}
	return w.dependsBeyondRead(&e)
}

// dependsBeyondRead reports whether v, the write of an RMW, has value dependencies that its read u is not
// decided by.
func (w *worker) dependsBeyondRead(v *graph.Event) bool {
	g := w.g
	evs := g.Threads[v.Thread]
	u := &g.Events[evs[v.Index-1]]
	p := &prefix{w: w, m: w.m.(model.DepModel), needs: map[graph.ID]need{}}
	p.expandValue(u)
	for _, i := range g.Deps.Members(v.Data) {
		if id := evs[i]; id != evs[v.Index-1] && !p.has(id) {
			return true
		}
	}
	return false
}

// expandValue takes in what fixes the value of the read u, without the writes of RMWs on the way.
func (p *prefix) expandValue(u *graph.Event) {
	g := p.w.g
	evs := g.Threads[u.Thread][:u.Index]
	for _, s := range [...]event.DepSet{u.Addr, u.Ctrl, u.Exp} {
		p.addReads(evs, s, byValue)
	}
	if u.RF != graph.Init {
		p.add(u.RF, byValue)
	}
}
