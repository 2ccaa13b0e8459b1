package xmm

import "ravel/internal/graph"

// This file finds out which events of the execution that is looked at are in (po ∪ re)⁺: facts.cause.

// causes reports whether the read e, which has number i in a sketch, is before the write that it reads from in (po ∪ re)⁺: see facts.cause.
func (x *reexecution) causes(e *graph.Event, i int32) bool {
	if x.java != nil {
		return x.leafFacts().cause(i, x.leaf.evs[i].src)
	}
	return x.reach(e.Thread, e.Index, &x.Graph.Events[e.RF])
}

// reach computes from: what follows the event i of thread t in (po ∪ re)⁺. If it is to find an event, it returns true as soon as that follows.
func (x *reexecution) reach(t, i int32, find *graph.Event) bool {
	g := x.Graph
	x.startFrom(t, i)
	x.follow(g.Threads[t][i])
	for again := true; again; {
		if find != nil && x.from[find.Thread] <= find.Index {
			return true
		}
		again = false
		for u := range g.Threads {
			for x.upTo[u] > x.from[u] {
				x.upTo[u]--
				again = true
				x.follow(g.Threads[u][x.upTo[u]])
			}
		}
	}
	return false
}

// startFrom makes from what is after event i of thread t in po.
func (x *reexecution) startFrom(t, i int32) {
	g := x.Graph
	if x.from == nil {
		x.from, x.upTo = make([]int32, len(g.Threads)), make([]int32, len(g.Threads))
	}
	for u := range g.Threads {
		x.from[u] = int32(len(g.Threads[u]))
		x.upTo[u] = x.from[u]
	}
	x.from[t] = i + 1
}

// follow takes in what follows the event id in re, thread creation and join.
func (x *reexecution) follow(id graph.ID) {
	g := x.Graph
	e := &g.Events[id]
	switch e.Kind {
	case graph.Create:
		x.from[e.Val.Lo] = 0
	case graph.End:
		for u, ids := range g.Threads {
			for i, j := range ids {
				if o := &g.Events[j]; o.Kind == graph.Join && o.RF == id {
					x.from[u] = min(x.from[u], int32(i))
				}
			}
		}
	case graph.Write:
		l := &g.Locs[e.Loc]
		for u := range l.Last {
			known := g.Count(e.HB, int32(u))
			if int32(u) == e.Thread {
				known = e.Index
			}
			for r := l.Last[u].Read; r != graph.None && g.Events[r].Index >= known; r = g.Events[r].Prev {
				x.from[u] = min(x.from[u], g.Events[r].Index)
			}
		}
	}
}

// findCauses computes effects: by event, in the order of a sketch, and thread, where what follows the event in (po ∪ re)⁺ begins.
//
// If it begins with event d of a thread, all that follows d follows as well, and includes what follows the later events of that thread. So effects are the greatest numbers
// that are at most those of what follows directly, and closed under this.
func (x *reexecution) findCauses() {
	g := x.Graph
	n := len(g.Threads)
	x.effects = x.effects[:0]
	for t, ids := range g.Threads {
		for i, id := range ids {
			x.startFrom(int32(t), int32(i))
			x.follow(id)
			x.effects = append(x.effects, x.from...)
		}
	}
	for again := true; again; {
		again = false
		for at := len(x.effects) - n; at >= 0; at -= n {
			row := x.effects[at : at+n]
			for u, d := range row {
				if int(d) == len(g.Threads[u]) {
					continue
				}
				next := (int(x.leaf.first[u]) + int(d)) * n
				for v, e := range x.effects[next : next+n] {
					if e < row[v] {
						row[v] = e
						again = true
					}
				}
			}
		}
	}
}
