package xmm

import (
	"slices"

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

	paths  map[pathStep]int32 // what the threads did: a tree
	at     int32              // where in it the thread is
	thread int32
	before []pathStep // what it has done
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

// begin begins with the events of thread t.
func (f *flow) begin(t int32) {
	f.thread, f.at, f.before = t, -1-t, f.before[:0]
}

// add adds the next event of the thread, a write by the instruction of this number if it writes. It returns whether the thread did something else in all executions so far.
func (f *flow) add(g *graph.Graph, e *graph.Event, number int32) bool {
	s := pathStep{after: f.at, write: number, kind: e.Kind, mode: e.Mode}
	switch e.Kind {
	case graph.Start, graph.Create:
		s.addr = creating
	case graph.Join, graph.End:
		s.addr = ending
	case graph.Read, graph.Write:
		s.addr = g.Locs[e.Loc].Addr
	}
	at, known := f.paths[s]
	if !known {
		at = int32(len(f.paths))
		f.paths[s] = at
		if e.Kind == graph.Write || e.Kind == graph.Create || e.Kind == graph.End {
			f.wrote(&s)
		}
	}
	f.at = at
	f.before = append(f.before, s)
	return !known
}

// wrote adds the edges to the write s of the thread, which has done what is in before.
func (f *flow) wrote(s *pathStep) {
	from := f.from[f.node(f.thread, s.addr)]
	loose := f.loose || s.write != none && f.ahead.Loose(s.write)
	for i := range f.before {
		b := &f.before[i]
		if b.kind != graph.Read && b.kind != graph.Start && b.kind != graph.Join {
			continue
		}
		edge := loose || b.kind != graph.Read || s.kind != graph.Write
		if old, known := from[b.addr]; !known || edge && !old {
			from[b.addr] = edge
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

// cyclic reports whether there are cycles.
func (f *flow) cyclic() bool { return slices.Contains(f.on, true) }

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
