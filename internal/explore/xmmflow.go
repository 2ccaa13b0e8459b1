package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// A flow is which writes of a thread come after which reads of others' writes, in the executions so far: what cycles of po ∪ rf are made of.
//
// Its nodes are the pairs of a thread and a location that it writes to; thread creation and end are locations of their own. There is an edge from a
// node to another if the thread of the second has read a write of the first before its own.
type flow struct {
	nodes  map[threadLoc]int32
	locs   []threadLoc
	from   []map[int32]bool // by node: its predecessors
	useful []bool           // by node: it is on a cycle with more than one location
	stale  bool             // useful has to be computed again
	before []int32          // scratch: what the thread has read from
}

// The locations of thread creation and end.
const (
	creating event.Addr = ^event.Addr(0) - iota
	ending
)

func (f *flow) node(t int32, addr event.Addr) int32 {
	k := threadLoc{thread: t, addr: addr}
	n, ok := f.nodes[k]
	if !ok {
		n = int32(len(f.locs))
		f.nodes[k] = n
		f.locs = append(f.locs, k)
		f.from = append(f.from, map[int32]bool{})
	}
	return n
}

// learn adds the executions' flow.
func (f *flow) learn(g *graph.Graph) {
	for t, ids := range g.Threads {
		f.before = f.before[:0]
		for _, id := range ids {
			e := &g.Events[id]
			switch e.Kind {
			case graph.Read, graph.Start, graph.Join:
				if src := &g.Events[e.RF]; e.RF != graph.Init && src.Thread != e.Thread {
					f.before = append(f.before, f.node(src.Thread, whereIs(g, src)))
				}
			case graph.Write, graph.Create, graph.End:
				if len(f.before) == 0 {
					continue
				}
				from := f.from[f.node(int32(t), whereIs(g, e))]
				for _, n := range f.before {
					if !from[n] {
						from[n] = true
						f.stale = true
					}
				}
			}
		}
	}
}

// whereIs returns the location that e, which others read from, is at.
func whereIs(g *graph.Graph, e *graph.Event) event.Addr {
	switch e.Kind {
	case graph.Create:
		return creating
	case graph.End:
		return ending
	}
	return g.Locs[e.Loc].Addr
}

// settle computes which nodes are useful. It returns whether that has changed.
func (f *flow) settle() bool {
	if !f.stale {
		return false
	}
	f.stale = false
	n := len(f.locs)
	reach := make([][]bool, n) // by node: those before it
	for i := range reach {
		reach[i] = make([]bool, n)
		f.mark(int32(i), reach[i])
	}
	changed := false
	for len(f.useful) < n {
		f.useful = append(f.useful, false)
	}
	for i := range n {
		if f.useful[i] || !reach[i][i] {
			continue
		}
		for j := range n {
			a, b := f.locs[i].addr, f.locs[j].addr
			if reach[i][j] && reach[j][i] && a != b && a < ending && b < ending {
				f.useful[i], changed = true, true
			}
		}
	}
	return changed
}

// mark sets what is before node i.
func (f *flow) mark(i int32, reach []bool) {
	for p := range f.from[i] {
		if !reach[p] {
			reach[p] = true
			f.mark(p, reach)
		}
	}
}

// helps reports whether a write of thread t at addr may be on a cycle.
func (f *flow) helps(t int32, addr event.Addr) bool {
	n, ok := f.nodes[threadLoc{thread: t, addr: addr}]
	return ok && int(n) < len(f.useful) && f.useful[n]
}
