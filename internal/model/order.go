package model

import "ravel/internal/graph"

// A localOrder is a model that wants its order within threads to be acyclic together with rfe, co, fr and the creation and join of
// threads.
type localOrder interface {
	// before reports whether x comes directly before y, which is po-later.
	before(g *graph.Graph, x, y *graph.Event) bool
}

// shortGraph is up to how many events acyclicInPo takes less time than overtakes. In longer graphs it may have to look at much that is not shared. In short ones that have a cycle in po,
// something overtakes as a rule.
const shortGraph = 256

// acyclicWith reports whether the order of m stays acyclic with id, the last event of its thread in a graph without holes: whether
// no write that is co- or fr-after it leads back to it.
func acyclicWith(g *graph.Graph, id graph.ID, m localOrder) bool {
	e := &g.Events[id]
	inside := len(g.Trail) > shortGraph && !overtakes(g, e)
	if !inside && acyclicInPo(g, e) {
		return true
	}
	g.Seen.Clear(g)
	s := orderSearch{g: g, m: m, goal: id, inside: inside}
	return !s.writesAfter(e)
}

// readableFrom returns the least place in co, from least on, from which on e may read: e is a load at the end of its thread, in a graph without holes that is consistent without it, and
// reads the co-latest write. It has the model's own answer for writes of other threads, all above least.
//
// Lemma. Let e read from w instead, a write of another thread. Then the order stays acyclic if and only if no w' that is co-after w leads to an event of the thread of e
// that comes before e in the order.
//
// Proof. Only fr leads on from e, to such a w'. Into e leads the order of its thread, or rf from w. If w' led to w, there would be a cycle without e, as w leads to w' by co. ∎
func readableFrom(g *graph.Graph, id graph.ID, least int32, m localOrder) int32 {
	e := &g.Events[id]
	co := g.Locs[e.Loc].Co
	at := int32(len(co)) - 1
	inside := len(g.Trail) > shortGraph && !overtakes(g, e)
	if !inside {
		s := startInPo(g, e.Thread, e.Index, g.Events[g.Threads[e.Thread][e.Index-1]].Prefix)
		for at > least && s.lowerTo(&g.Events[co[at]]) && s.close() {
			at--
		}
	}
	if at == least {
		return at
	}
	g.Seen.Clear(g)
	o := orderSearch{g: g, m: m, goal: id, inside: inside, unread: true}
	for at > least && !o.leads(co[at]) {
		at--
	}
	return at
}

// A poSearch looks for what some events lead to by po ∪ rf ∪ co ∪ fr. That is, in each thread, all from some event on.
type poSearch struct {
	g      *graph.Graph
	fronts []graph.Front // by thread
	at     int32         // the thread that is being looked at
	again  bool          // it, or one before it, has to be looked at again
}

// startInPo begins a search for a path into the first n events of thread t or into prefix.
func startInPo(g *graph.Graph, t, n int32, prefix graph.View) poSearch {
	s := poSearch{g: g, fronts: g.Fronts()}
	counts := g.Counts(prefix)
	for t := range s.fronts {
		s.fronts[t] = graph.Front{First: far, Done: far, Prefix: int32(counts[t])}
	}
	s.fronts[t].Prefix = n
	g.Keys.Clear(g)
	return s
}

// acyclicInPo reports whether po ∪ rf ∪ co ∪ fr stays acyclic with e: whether no event that is co- or fr-after e leads into its prefix.
func acyclicInPo(g *graph.Graph, e *graph.Event) bool {
	s := startInPo(g, e.Thread, e.Index+1, e.Prefix)
	return s.lowerAfter(e) && s.close()
}

// close lowers fronts to all that the events behind them lead to. It returns false if that is in the prefix.
func (s *poSearch) close() bool {
	g := s.g
	for s.again = true; s.again; {
		s.again = false
		for t, evs := range g.Threads {
			f := &s.fronts[t]
			from, to := int(f.First), min(int(f.Done), len(evs))
			if from >= to {
				continue
			}
			s.at, f.Done = int32(t), f.First
			for _, id := range evs[from:to] {
				if !s.lowerAfter(&g.Events[id]) {
					return false
				}
			}
		}
	}
	return true
}

// lowerAfter lowers fronts to the first events of other threads that x leads to. It returns false if one of them is in the prefix.
func (s *poSearch) lowerAfter(x *graph.Event) bool {
	g := s.g
	switch x.Kind {
	case graph.Read, graph.Write:
		l := &g.Locs[x.Loc]
		k := g.Key(x)
		if l.Private() || !g.Keys.Lower(x.Loc, k) {
			return true
		}
		for _, w := range l.Co[k/2+1:] {
			if !s.lowerTo(&g.Events[w]) {
				return false
			}
		}
		return l.Reads == 0 || s.lowerToReads(l, k)
	case graph.Create:
		return s.lowerTo(&g.Events[g.Threads[x.Val.Lo][0]])
	case graph.End:
		return !anyJoin(g, g.Threads[x.Thread][x.Index], func(j graph.ID) bool { return !s.lowerTo(&g.Events[j]) })
	}
	return true
}

// lowerToReads is lowerAfter for the reads at l of what comes after key k.
func (s *poSearch) lowerToReads(l *graph.Loc, k int32) bool {
	g := s.g
	for t := range l.Last {
		first := graph.None
		for r := l.Last[t].Read; r != graph.None && g.Key(&g.Events[r]) > k; r = g.Events[r].Prev {
			first = r
		}
		if first != graph.None && !s.lowerTo(&g.Events[first]) {
			return false
		}
	}
	return true
}

// lowerTo lowers the front of a thread to x. It returns false if that is in the prefix.
func (s *poSearch) lowerTo(x *graph.Event) bool {
	f := &s.fronts[x.Thread]
	if x.Index >= f.First {
		return true
	}
	f.First = x.Index
	s.again = s.again || x.Thread <= s.at
	return x.Index >= f.Prefix
}

// overtakes reports whether an event outside of the prefix of e is co- or fr-before a write of the prefix, or before e. If not, no path leads into the prefix: it is closed under po and rf.
func overtakes(g *graph.Graph, e *graph.Event) bool {
	for _, loc := range g.Contested {
		l := &g.Locs[loc]
		last := len(l.Co) - 1 // the last write of the prefix
		for last > 0 && !g.InPrefix(l.Co[last], e) {
			last--
		}
		if last == 0 {
			continue
		}
		for _, w := range l.Co[1:last] {
			if !g.InPrefix(w, e) {
				return true
			}
		}
		for t := range l.Last {
			for r := l.Last[t].Read; r != graph.None && !g.InPrefix(r, e); r = g.Events[r].Prev {
				if int(g.CoIndex(g.Events[r].RF)) < last {
					return true
				}
			}
		}
	}
	return false
}

// An orderSearch looks for a path to goal.
type orderSearch struct {
	g      *graph.Graph
	m      localOrder
	goal   graph.ID
	inside bool // only in the prefix of the goal
	unread bool // not by rf to the goal
}

// leads reports whether the order leads from an event to the goal, by events not seen yet.
func (s *orderSearch) leads(from graph.ID) bool {
	g := s.g
	if from == s.goal {
		return true
	}
	if s.inside && !g.InPrefix(from, &g.Events[s.goal]) || !g.Seen.Add(from) {
		return false
	}
	e := &g.Events[from]
	for _, id := range g.Threads[e.Thread][e.Index+1:] {
		if !g.Seen.Has(id) && s.m.before(g, e, &g.Events[id]) && s.leads(id) {
			return true
		}
	}
	switch e.Kind {
	case graph.Read:
		return s.writesAfter(e)
	case graph.Write:
		return s.readers(from, e) || s.writesAfter(e)
	case graph.Create:
		return s.leads(g.Threads[e.Val.Lo][0])
	case graph.End:
		return anyJoin(g, from, s.leads)
	}
	return false
}

// writesAfter follows co and fr from e.
func (s *orderSearch) writesAfter(e *graph.Event) bool {
	for _, w := range s.g.Locs[e.Loc].Co[s.g.Key(e)/2+1:] {
		if s.leads(w) {
			return true
		}
	}
	return false
}

// readers follows rfe from the write w.
func (s *orderSearch) readers(w graph.ID, e *graph.Event) bool {
	g := s.g
	l := &g.Locs[e.Loc]
	for t := range l.Last {
		if int32(t) == e.Thread {
			continue
		}
		for r := l.Last[t].Read; r != graph.None && g.CoIndex(g.Events[r].RF) >= e.Co; r = g.Events[r].Prev {
			if g.Events[r].RF == w && !(s.unread && r == s.goal) && s.leads(r) {
				return true
			}
		}
	}
	return false
}

// anyJoin reports whether f is true of an event that joins the thread which ends with the event end.
func anyJoin(g *graph.Graph, end graph.ID, f func(graph.ID) bool) bool {
	for j := g.Events[end].Prev; j != graph.None; j = g.Events[j].Prev {
		if f(j) {
			return true
		}
	}
	return false
}

// internalSource returns the write of its own thread that the read y reads from, nil if it reads from elsewhere.
func internalSource(g *graph.Graph, y *graph.Event) *graph.Event {
	if y.Kind != graph.Read || y.RF == graph.Init {
		return nil
	}
	if w := &g.Events[y.RF]; w.Thread == y.Thread {
		return w
	}
	return nil
}

// addrOrData reports whether the address or the value of y depends on the read x.
func addrOrData(g *graph.Graph, x, y *graph.Event) bool {
	return g.Deps.Has(y.Addr, x.Index) || g.Deps.Has(y.Data, x.Index)
}

// dependsLate reports whether y comes after a branch on the read x, or after an access whose address depends on it.
func dependsLate(g *graph.Graph, x, y *graph.Event) bool {
	return g.Deps.Has(y.Ctrl, x.Index) || g.Deps.Has(y.AddrPo, x.Index)
}
