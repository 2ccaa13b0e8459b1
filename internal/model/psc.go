package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// pscAcyclic reports whether psc is acyclic in g, given that it was before e was added.
//
// Every new psc edge leaves through co or fr from e, because e is the last event of its thread
// and hb only goes into it. So there is a new cycle iff some sc event that e now leads to
// reaches, along psc, one that leads to e.
func pscAcyclic(g *graph.Graph, e *graph.Event) bool {
	if e.Mode == event.SC && closesPSC(g, e, e) {
		return false
	}
	for _, f := range g.SC {
		if a := &g.Events[f]; a.Kind == graph.Fence && g.InHB(f, e) && closesPSC(g, a, e) {
			return false
		}
	}
	return true
}

// closesPSC reports whether a psc edge from a, by co or fr from e (eco if between fences), begins a
// path back to a.
func closesPSC(g *graph.Graph, a, e *graph.Event) bool {
	g.Seen.Clear(g)
	for _, id := range g.SC {
		b := &g.Events[id]
		if b == e || g.Seen.Has(id) {
			continue
		}
		var edge bool
		if b.Kind == graph.Fence {
			edge = beforeFence(g, e, b, a.Kind == graph.Fence)
		} else {
			edge = b.Kind == graph.Write && b.Loc == e.Loc && g.Key(e) < g.Key(b)
		}
		if edge && reachesPSC(g, id, a) {
			return true
		}
	}
	return false
}

// reachesPSC reports whether psc* leads from the sc event from to goal, by events not seen yet.
func reachesPSC(g *graph.Graph, from graph.ID, goal *graph.Event) bool {
	a := &g.Events[from]
	if a == goal {
		return true
	}
	g.Seen.Add(from)
	for _, id := range g.SC {
		if !g.Seen.Has(id) && psc(g, a, &g.Events[id]) && reachesPSC(g, id, goal) {
			return true
		}
	}
	return false
}

// psc reports whether (a, b), two sc events, is in psc_base ∪ psc_F.
func psc(g *graph.Graph, a, b *graph.Event) bool {
	if a.Thread == b.Thread && a.Index < b.Index {
		return true
	}
	switch af, bf := a.Kind == graph.Fence, b.Kind == graph.Fence; {
	case af && bf:
		return hb(g, a, b) || fencesCross(g, a, b)
	case bf:
		return accessToFence(g, a, b)
	case af:
		return fenceToAccess(g, a, b)
	default:
		return scb(g, a, b)
	}
}

// hb reports whether a happens before b (a ≠ b).
func hb(g *graph.Graph, a, b *graph.Event) bool {
	if a.Thread == b.Thread {
		return a.Index < b.Index
	}
	return a.Index < g.Count(b.HB, a.Thread)
}

// scb is po|≠loc;hb;po|≠loc ∪ hb|loc ∪ co ∪ fr, between accesses.
func scb(g *graph.Graph, a, b *graph.Event) bool {
	if a.Loc == b.Loc {
		return hb(g, a, b) || b.Kind == graph.Write && g.Key(a) < g.Key(b)
	}
	u := nextElsewhere(g, a)
	v := prevElsewhere(g, b)
	return u != nil && v != nil && u != v && hb(g, u, v)
}

// nextElsewhere returns the first event po-after a that is not an access of a's location.
func nextElsewhere(g *graph.Graph, a *graph.Event) *graph.Event {
	evs := g.Threads[a.Thread]
	for i := int(a.Index) + 1; i < len(evs); i++ {
		if u := &g.Events[evs[i]]; u.Loc != a.Loc {
			return u
		}
	}
	return nil
}

// prevElsewhere returns the last event po-before b that is not an access of b's location.
func prevElsewhere(g *graph.Graph, b *graph.Event) *graph.Event {
	evs := g.Threads[b.Thread]
	for i := int(b.Index) - 1; i >= 0; i-- {
		if v := &g.Events[evs[i]]; v.Loc != b.Loc {
			return v
		}
	}
	return nil
}

// accessToFence is [Esc];scb;hb?;[Fsc].
func accessToFence(g *graph.Graph, a, b *graph.Event) bool {
	evs := g.Threads[a.Thread]
	if int(a.Index)+1 < len(evs) && g.InHB(evs[a.Index+1], b) {
		return true // po;hb?
	}
	l := &g.Locs[a.Loc]
	for t := range l.Last { // hb|loc;hb: the last access of a thread in hb(b) knows most
		for _, last := range [2]graph.ID{l.Last[t].Read, l.Last[t].Write} {
			if y := lastIn(g, last, b); y != nil && y != a && hb(g, a, y) {
				return true
			}
		}
	}
	return beforeFence(g, a, b, false)
}

// beforeFence reports whether (x, b) is in (co ∪ fr);hb, or in eco;hb if eco is set.
func beforeFence(g *graph.Graph, x, b *graph.Event, eco bool) bool {
	l := &g.Locs[x.Loc]
	k := g.Key(x)
	for t := range l.Last {
		if y := lastIn(g, l.Last[t].Write, b); y != nil && g.Key(y) > k {
			return true
		}
		if eco {
			if y := lastIn(g, l.Last[t].Read, b); y != nil && g.Key(y) > k {
				return true
			}
		}
	}
	return false
}

// lastIn returns the latest access in the chain from id that happens before b.
func lastIn(g *graph.Graph, id graph.ID, b *graph.Event) *graph.Event {
	for ; id != graph.Init; id = g.Events[id].Prev {
		if y := &g.Events[id]; hb(g, y, b) {
			return y
		}
	}
	return nil
}

// fenceToAccess is [Fsc];hb?;scb;[Esc].
func fenceToAccess(g *graph.Graph, a, b *graph.Event) bool {
	if b.Index > 0 {
		pred := &g.Events[g.Threads[b.Thread][b.Index-1]]
		if pred == a || hb(g, a, pred) {
			return true // hb?;po
		}
	}
	l := &g.Locs[b.Loc]
	for t := range l.Last {
		for _, last := range [2]graph.ID{l.Last[t].Read, l.Last[t].Write} {
			// hb;hb|loc: the last access of a thread in hb(b) knows most.
			if x := lastIn(g, last, b); x != nil && hb(g, a, x) {
				return true
			}
			if b.Kind != graph.Write {
				continue
			}
			// hb;(co ∪ fr): the first access after a in a thread is the co-earliest.
			if x := firstAfter(g, last, a); x != nil && g.Key(x) < g.Key(b) {
				return true
			}
		}
	}
	return false
}

// firstAfter returns the earliest access in the chain from id that happens after a.
func firstAfter(g *graph.Graph, id graph.ID, a *graph.Event) *graph.Event {
	var first *graph.Event
	for ; id != graph.Init; id = g.Events[id].Prev {
		x := &g.Events[id]
		if !hb(g, a, x) {
			break
		}
		first = x
	}
	return first
}

// fencesCross is [Fsc];hb;eco;hb;[Fsc].
func fencesCross(g *graph.Graph, a, b *graph.Event) bool {
	for t, evs := range g.Threads {
		from := int(a.Index) + 1
		if int32(t) != a.Thread {
			from = firstKnowing(g, evs, a)
		}
		for _, id := range evs[min(from, len(evs)):] {
			if x := &g.Events[id]; (x.Kind == graph.Read || x.Kind == graph.Write) && !g.CoMaximal(x) && beforeFence(g, x, b, true) {
				return true
			}
		}
	}
	return false
}

// firstKnowing returns the place in evs, the events of another thread, of the first that a happens before.
func firstKnowing(g *graph.Graph, evs []graph.ID, a *graph.Event) int {
	lo, hi := 0, len(evs)
	for lo < hi {
		mid := (lo + hi) / 2
		if hb(g, a, &g.Events[evs[mid]]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
