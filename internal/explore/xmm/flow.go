package xmm

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// A flow is which writes of a thread come after which of its reads, in the executions so far: what cycles of po ∪ rf are made of.
//
// Its nodes are the pairs of a thread and a location that it writes to; thread creation and end are locations of their own. There is an edge from a
// node to another one of another thread if that has read the location of the first before its own write, whatever it read there.
type flow struct {
	nodes  map[threadLoc]int32
	locs   []threadLoc
	from   []map[event.Addr]bool // by node: the locations of its predecessors
	useful []bool                // by node: it is on a cycle with more than one location
	stale  bool                  // useful has to be computed again
	before []event.Addr          // scratch: what the thread has read
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
		f.from = append(f.from, map[event.Addr]bool{})
		f.stale = true
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
			case graph.Start:
				f.before = append(f.before, creating)
			case graph.Join:
				f.before = append(f.before, ending)
			case graph.Read:
				f.before = append(f.before, g.Locs[e.Loc].Addr)
			case graph.Write:
				f.wrote(int32(t), g.Locs[e.Loc].Addr)
			case graph.Create:
				f.wrote(int32(t), creating)
			case graph.End:
				f.wrote(int32(t), ending)
			}
		}
	}
}

// wrote adds a write of thread t, which has read what is in before.
func (f *flow) wrote(t int32, addr event.Addr) {
	from := f.from[f.node(t, addr)]
	for _, a := range f.before {
		if !from[a] {
			from[a] = true
			f.stale = true
		}
	}
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
	for p, at := range f.locs {
		if !reach[p] && at.thread != f.locs[i].thread && f.from[i][at.addr] {
			reach[p] = true
			f.mark(int32(p), reach)
		}
	}
}

// helps reports whether a write of thread t at addr may be on a cycle.
func (f *flow) helps(t int32, addr event.Addr) bool {
	n, ok := f.nodes[threadLoc{thread: t, addr: addr}]
	return ok && int(n) < len(f.useful) && f.useful[n]
}
