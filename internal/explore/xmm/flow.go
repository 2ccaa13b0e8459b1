package xmm

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// A flow is which writes of a thread come after which of its reads, in the executions so far: what cycles of po ∪ rf are made of.
//
// Its nodes are the pairs of a thread and a location that it writes to; thread creation and end are locations of their own. There is an edge from a
// node to another one of another thread if that has read the location of the first before its own write, whatever it read there. The edge is loose unless
// all that the thread reads before such a write is before it in rpo, whatever way the thread takes.
type flow struct {
	nodes map[threadLoc]int32
	locs  []threadLoc
	from  []map[event.Addr]bool // by node: the locations of its predecessors; whether the edge may be loose
	reach [][]bool              // by node: those before it
	on    []bool                // by node: it is on a cycle with more than one location
	stale bool                  // reach and on have to be computed again
	known map[flowEdge]bool     // of helps

	unseen threadSet // threads that may come to a loose write that they were never seen at
	ahead  *machine.Ahead
	loose  bool // all edges are, as the model has no rpo

	paths map[pathStep]int32 // what the threads did: a tree
}

// A flowEdge is a location that one thread writes to and another one reads.
type flowEdge struct {
	from, to int32
	addr     event.Addr
}

// A pathStep is an event of a thread after some others of the same thread.
type pathStep struct {
	after int32
	addr  event.Addr
	write int32 // the number of the instruction, if it writes
	kind  graph.Kind
	mode  event.Mode
}

// The locations of thread creation and end.
const (
	creating event.Addr = ^event.Addr(0) - iota
	ending
)

func newFlow(ahead *machine.Ahead, loose bool) flow {
	return flow{ahead: ahead, loose: loose, nodes: map[threadLoc]int32{}, paths: map[pathStep]int32{}, known: map[flowEdge]bool{}}
}

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

// step returns the place in paths of the event e of a thread that has done before, whose last event has the place at: a write by the instruction of this number if it writes. It also returns
// whether the thread did something else in all executions so far.
func (f *flow) step(g *graph.Graph, before []graph.ID, e *graph.Event, at, number int32) (place int32, isNew bool) {
	s := pathStep{after: at, addr: flowAddr(g, e), write: number, kind: e.Kind, mode: e.Mode}
	place, known := f.paths[s]
	if !known {
		place = int32(len(f.paths))
		f.paths[s] = place
		if e.Kind == graph.Write || e.Kind == graph.Create || e.Kind == graph.End {
			f.wrote(g, before, e.Thread, &s)
		}
	}
	return place, !known
}

// flowAddr returns the location that the event e is about.
func flowAddr(g *graph.Graph, e *graph.Event) event.Addr {
	switch e.Kind {
	case graph.Start, graph.Create:
		return creating
	case graph.Join, graph.End:
		return ending
	case graph.Read, graph.Write:
		return g.Locs[e.Loc].Addr
	}
	return 0
}

// wrote adds the edges to the write s of thread t, which has done what is in before.
func (f *flow) wrote(g *graph.Graph, before []graph.ID, t int32, s *pathStep) {
	from := f.from[f.node(t, s.addr)]
	loose := f.loose || s.write != none && f.ahead.Loose(s.write)
	for _, id := range before {
		b := &g.Events[id]
		if b.Kind != graph.Read && b.Kind != graph.Start && b.Kind != graph.Join {
			continue
		}
		addr := flowAddr(g, b)
		edge := loose || b.Kind != graph.Read || s.kind != graph.Write
		if old, known := from[addr]; !known || edge && !old {
			from[addr] = edge
			f.stale = true
		}
	}
}

// setUnseen says whether t is in unseen.
func (f *flow) setUnseen(t int32, unseen bool) {
	if f.unseen.has(t) != unseen {
		f.stale = true
	}
	f.unseen.remove(t)
	if unseen {
		f.unseen.add(t)
	}
}

// settle computes which nodes are on cycles. It returns whether there was something new.
func (f *flow) settle() bool {
	if !f.stale {
		return false
	}
	f.stale = false
	clear(f.known)
	n := len(f.locs)
	f.reach, f.on = make([][]bool, n), make([]bool, n)
	for i := range f.reach {
		f.reach[i] = make([]bool, n)
		f.mark(int32(i), f.reach[i])
	}
	for i := range n {
		for j := range n {
			a, b := f.locs[i].addr, f.locs[j].addr
			if f.reach[i][j] && f.reach[j][i] && a != b && a < ending && b < ending {
				f.on[i] = true
			}
		}
	}
	return true
}

// mark sets what is before node i.
func (f *flow) mark(i int32, reach []bool) {
	for p := range f.locs {
		if !reach[p] && f.edge(int32(p), i) {
			reach[p] = true
			f.mark(int32(p), reach)
		}
	}
}

// edge reports whether there is an edge from node p to node i.
func (f *flow) edge(p, i int32) bool {
	_, ok := f.from[i][f.locs[p].addr]
	return ok && f.locs[p].thread != f.locs[i].thread
}

// useful reports whether helps holds for some write and the thread that reads it.
func (f *flow) useful() bool {
	for w := range f.on {
		for next := range f.on {
			if f.edge(int32(w), int32(next)) && f.helps(f.locs[w].thread, f.locs[next].thread, f.locs[w].addr) {
				return true
			}
		}
	}
	return false
}

// helps reports whether a write of thread t at addr that thread u reads may be on a cycle that comes to it by a loose edge.
func (f *flow) helps(t, u int32, addr event.Addr) bool {
	e := flowEdge{t, u, addr}
	yes, ok := f.known[e]
	if !ok {
		yes = f.closes(e)
		f.known[e] = yes
	}
	return yes
}

func (f *flow) closes(e flowEdge) bool {
	w, ok := f.nodes[threadLoc{thread: e.from, addr: e.addr}]
	if !ok || int(w) >= len(f.on) || !f.on[w] {
		return false
	}
	for last := range f.on {
		if !f.edge(int32(last), w) || !f.from[w][f.locs[last].addr] && !f.unseen.has(e.from) {
			continue
		}
		for next := range f.on {
			if f.locs[next].thread == e.to && f.edge(w, int32(next)) && (next == last || f.reach[last][next]) {
				return true
			}
		}
	}
	return false
}
