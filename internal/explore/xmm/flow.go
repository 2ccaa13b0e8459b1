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
// all that the thread reads before such a write is before it in rpo, whatever way the thread takes, or only the read of the same read-modify-write is not.
type flow struct {
	nodes  map[threadLoc]int32
	locs   []threadLoc
	from   []map[event.Addr]*flowArc // by node: the locations of its predecessors
	arcs   []flowArc                 // by two nodes: the edge from the first one to the second
	writes []machine.WriteSet        // by node: the instructions that were seen to write
	reach  [][]bool                  // by node: those before it
	on     []bool                    // by node: it is on a cycle with more than one location
	stale  bool                      // reach and on have to be computed again
	known  map[keeping]bool          // of keeps

	round   int                   // grows with what keeps looks at
	code    []*machine.ThreadCode // by thread
	may     *machine.Forecast     // what the threads may write
	places  []machine.Place       // those that are not one address: their nodes have the locations firstPlace, firstPlace-1, …
	ahead   *machine.Ahead
	parents []int32
	loose   bool // all edges are, as the model has no rpo

	paths map[pathStep]int32 // what the threads did: a tree
}

// A flowArc is that a thread reads a location before it writes to another one.
type flowArc struct {
	is    bool // in flow.arcs: there is an edge
	loose bool
	after threadSet // the threads that it has created before such a read
}

// A keeping is that the write of a number, of one thread, is read by another one.
type keeping struct {
	from, to int32
	addr     event.Addr
	number   int32
	loose    machine.Looseness
}

// A pathStep is an event of a thread after some others of the same thread.
type pathStep struct {
	after int32
	addr  event.Addr
	write int32 // the number of the instruction, if it writes
	kind  graph.Kind
	mode  event.Mode
}

// The locations of thread creation and end, and the first of those that stand for places.
const (
	creating event.Addr = ^event.Addr(0) - iota
	ending
	firstPlace
)

// maxPlaces bounds the places of a flow.
const maxPlaces = 1 << 20

// locOf returns the location that stands for a place.
func (f *flow) locOf(p machine.Place) event.Addr {
	if p.IsOne() {
		return event.Addr(p.Lo)
	}
	i := slices.Index(f.places, p)
	if i < 0 {
		i = len(f.places)
		f.places = append(f.places, p)
	}
	return firstPlace - event.Addr(i)
}

// placeOf returns the place that a location of memory stands for.
func (f *flow) placeOf(addr event.Addr) machine.Place {
	if addr > firstPlace-maxPlaces {
		return f.places[firstPlace-addr]
	}
	return machine.At(uint64(addr.Visible()))
}

func newFlow(ahead *machine.Ahead, parents []int32, loose bool) flow {
	f := flow{ahead: ahead, parents: parents, loose: loose, nodes: map[threadLoc]int32{}, paths: map[pathStep]int32{}, known: map[keeping]bool{}}
	f.code = make([]*machine.ThreadCode, len(parents))
	return f
}

func (f *flow) node(t int32, addr event.Addr) int32 {
	k := threadLoc{thread: t, addr: addr}
	n, ok := f.nodes[k]
	if !ok {
		n = int32(len(f.locs))
		f.nodes[k] = n
		f.locs = append(f.locs, k)
		f.from = append(f.from, map[event.Addr]*flowArc{})
		f.writes = append(f.writes, f.ahead.NewSet())
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
	n := f.node(t, s.addr)
	from := f.from[n]
	loose := f.loose
	if s.write != none {
		f.writes[n].Add(s.write)
		loose = loose || f.ahead.Loose(s.write) == machine.LooseAny
	}
	var created threadSet
	for _, id := range before {
		b := &g.Events[id]
		if b.Kind == graph.Create {
			created.add(int32(b.Val.Lo))
		}
		if b.Kind != graph.Read && b.Kind != graph.Start && b.Kind != graph.Join {
			continue
		}
		addr := flowAddr(g, b)
		arc := from[addr]
		if arc == nil {
			arc = &flowArc{}
			from[addr] = arc
			f.stale = true
		}
		old := *arc
		arc.loose = arc.loose || loose || b.Kind != graph.Read || s.kind != graph.Write
		arc.after.union(&created)
		f.stale = f.stale || *arc != old
	}
}

// seenWriting takes note that thread t writes to a location by the instruction of this number.
func (f *flow) seenWriting(t int32, addr event.Addr, number int32) {
	f.writes[f.node(t, addr)].Add(number)
	f.forget()
}

// forget drops what keeps has found out.
func (f *flow) forget() {
	clear(f.known)
	f.round++
}

// expect adds what the code says that threads may do, whether they were seen to do it or not: which writes, thread creations and ends there are, and what may be read before them.
func (f *flow) expect() {
	for t, code := range f.code {
		t := int32(t)
		if b := code.BeforeCreation(); b != nil {
			f.expectArcs(f.node(t, creating), b, true)
		}
		f.expectArcs(f.node(t, ending), code.BeforeEnd(), true)
		f.may.Each(t, func(number int32, places []machine.Place) {
			for _, p := range places {
				f.expectArcs(f.node(t, f.locOf(p)), code.BeforeWrite(number), f.loose || f.ahead.Loose(number) == machine.LooseAny)
			}
		})
		for n := range f.locs {
			if f.locs[n].thread == t {
				f.writes[n].Each(func(number int32) {
					f.expectArcs(int32(n), code.BeforeWrite(number), f.loose || f.ahead.Loose(number) == machine.LooseAny)
				})
			}
		}
	}
}

// expectArcs adds edges to node n from what is read before it.
func (f *flow) expectArcs(n int32, b *machine.Before, loose bool) {
	add := func(addr event.Addr, loose, late bool) {
		arc := f.from[n][addr]
		if arc == nil {
			arc = &flowArc{}
			f.from[n][addr] = arc
		}
		arc.loose = arc.loose || loose
		if late {
			for i := range arc.after {
				arc.after[i] = ^uint64(0)
			}
		}
	}
	add(creating, true, true)
	if b.Joins {
		add(ending, true, true)
	}
	for _, r := range b.Reads {
		add(f.locOf(r.Place), loose, r.Late)
	}
}

// settle computes which nodes are on cycles. It returns whether there was something new.
func (f *flow) settle() bool {
	if !f.stale {
		return false
	}
	f.expect()
	f.stale = false
	f.forget()
	n := len(f.locs)
	f.arcs = make([]flowArc, n*n)
	for p := range n {
		for i := range n {
			f.arcs[p*n+i] = f.join(int32(p), int32(i))
		}
	}
	f.reach, f.on = make([][]bool, n), make([]bool, n)
	for i := range f.reach {
		f.reach[i] = make([]bool, n)
		f.mark(int32(i), f.reach[i])
	}
	for i := range n {
		for j := range n {
			a, b := f.locs[i].addr, f.locs[j].addr
			if i != j && f.reach[i][j] && f.reach[j][i] && a < ending && b < ending && (a != b || !f.placeOf(a).IsOne()) {
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
func (f *flow) edge(p, i int32) bool { return f.arcs[int(p)*len(f.on)+int(i)].is }

// isLoose reports whether the edge from node p to node i is loose.
func (f *flow) isLoose(p, i int32) bool { return f.arcs[int(p)*len(f.on)+int(i)].loose }

// join returns the edge from node p to node i: what is known of reads of the location, and of reads of any location.
func (f *flow) join(p, i int32) (all flowArc) {
	t, u := f.locs[p].thread, f.locs[i].thread
	if t == u {
		return all
	}
	child := f.parentOf(t, u)
	add := func(arc *flowArc) {
		if arc != nil && (f.loose || child == none || arc.after.has(child)) {
			all.is, all.loose = true, all.loose || arc.loose
		}
	}
	addr := f.locs[p].addr
	add(f.from[i][addr])
	if addr < ending {
		at := f.placeOf(addr)
		for other, arc := range f.from[i] {
			if other < ending && other != addr && f.placeOf(other).Meets(at) {
				add(arc)
			}
		}
	}
	return all
}

// parentOf returns the thread that u has created and that is t, or has created t, and so on; none if there is none. What u did before that is before all of t in hb, so it reads nothing of t.
func (f *flow) parentOf(t, u int32) int32 {
	for t > 0 && f.parents[t] != u {
		t = f.parents[t]
	}
	if t <= 0 {
		return none
	}
	return t
}

// useful reports whether a promise may be needed.
func (f *flow) useful() bool {
	for w := range f.on {
		for next := range f.on {
			if !f.edge(int32(w), int32(next)) {
				continue
			}
			t, addr, u := f.locs[w].thread, f.locs[w].addr, f.locs[next].thread
			if addr > firstPlace-maxPlaces { // no execution has such a write
				continue
			}
			may := false
			f.eachKeeper(t, addr, func(number int32) { may = may || f.keeps(t, u, addr, number) })
			if may {
				return true
			}
		}
	}
	return false
}

// eachKeeper calls yield with the instructions by which thread t may write to addr.
func (f *flow) eachKeeper(t int32, addr event.Addr, yield func(number int32)) {
	n, ok := f.nodes[threadLoc{thread: t, addr: addr}]
	if !ok || f.may == nil { // nothing is known before the first settle
		return
	}
	f.writes[n].Each(yield)
	f.may.Each(t, func(number int32, places []machine.Place) {
		if !f.writes[n].Has(number) && f.may.MayWrite(t, number, addr) {
			yield(number)
		}
	})
}

// keeps reports whether a write of thread t at addr, by the instruction of this number, that thread u reads may be needed as a promise: it may be on a cycle as Lemma 3 of docs/xmm.md says.
func (f *flow) keeps(t, u int32, addr event.Addr, number int32) bool {
	k := keeping{t, u, addr, number, f.ahead.Loose(number)}
	if f.loose {
		k.loose = machine.LooseAny
	}
	yes, ok := f.known[k]
	if !ok {
		yes = f.closes(k)
		f.known[k] = yes
	}
	return yes
}

func (f *flow) closes(k keeping) bool {
	w, ok := f.nodes[threadLoc{thread: k.from, addr: k.addr}]
	if !ok || int(w) >= len(f.on) {
		return false
	}
	for _, at := range f.nodesOf(k.from, k.number, w) {
		if f.closesAt(at, w, k.to) || k.loose == machine.LooseOwn && f.on[at] && f.closesByOwn(w, k) {
			return true
		}
	}
	return false
}

// nodesOf returns the node w, and that of each place that has its location and that thread t may write to by the instruction of this number.
func (f *flow) nodesOf(t, number, w int32) []int32 {
	list := []int32{w}
	at := f.placeOf(f.locs[w].addr)
	for _, p := range f.may.WritesTo(t, number) {
		if n, ok := f.nodes[threadLoc{thread: t, addr: f.locOf(p)}]; ok && n != w && int(n) < len(f.on) && p.Meets(at) {
			list = append(list, n)
		}
	}
	return list
}

// closesAt reports whether there is a cycle that comes to node at by a loose edge, and goes on with a read of thread u of what node w writes.
func (f *flow) closesAt(at, w, u int32) bool {
	if !f.on[at] {
		return false
	}
	for last := range f.on {
		if f.edge(int32(last), at) && f.isLoose(int32(last), at) && f.follows(int32(last), w, u) {
			return true
		}
	}
	return false
}

// follows reports whether node i may come after a read of thread u of what node w writes.
func (f *flow) follows(i, w, u int32) bool {
	for next := range f.on {
		if f.locs[next].thread == u && f.edge(w, int32(next)) && (int32(next) == i || f.reach[i][next]) {
			return true
		}
	}
	return false
}

// closesByOwn is closes for a read-modify-write at node w, all reads before which are in rpo before it, apart from its own one: Lemma 5 of docs/xmm.md.
func (f *flow) closesByOwn(w int32, k keeping) bool {
	type write struct{ node, number int32 }
	seen := map[write]bool{}
	var chain []write
	add := func(but, number int32) {
		for t := range int32(len(f.parents)) {
			if t == k.from || t == k.to || t == but {
				continue
			}
			f.eachKeeper(t, k.addr, func(j int32) {
				if !f.ahead.MayFeed(j, number) {
					return
				}
				n := f.nodes[threadLoc{thread: t, addr: k.addr}]
				for _, at := range f.nodesOf(t, j, n) {
					if int(at) < len(f.on) && !seen[write{at, j}] {
						seen[write{at, j}] = true
						chain = append(chain, write{at, j})
					}
				}
			})
		}
	}
	add(none, k.number)
	for i := 0; i < len(chain); i++ {
		c := chain[i]
		for last := range f.on {
			if f.edge(int32(last), c.node) && f.mayPrecede(f.locs[last].addr, f.locs[c.node].thread, c.number) && f.follows(int32(last), w, k.to) {
				return true
			}
		}
		if f.ahead.IsRMW(c.number) {
			add(f.locs[c.node].thread, c.number)
		}
	}
	return false
}

// mayPrecede reports whether thread t may have read addr before its write by the instruction of this number, by something other than the read of the same read-modify-write.
func (f *flow) mayPrecede(addr event.Addr, t, number int32) bool {
	return addr >= ending || f.code[t].BeforeRMW(number).Meets(f.placeOf(addr))
}
