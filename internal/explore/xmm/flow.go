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
	from   []map[event.Addr]*flowArc      // by node: the locations of its predecessors
	writes []machine.WriteSet             // by node: the instructions that were seen to write
	after  map[threadLoc]machine.WriteSet // by thread and location that it was seen to read: the writes that may come after such a read
	reach  [][]bool                       // by node: those before it
	on     []bool                         // by node: it is on a cycle with more than one location
	stale  bool                           // reach and on have to be computed again
	known  map[keeping]bool               // of keeps

	before  map[int32][]event.Addr // of readsBefore
	round   int                    // grows with what keeps looks at
	unseen  []machine.WriteSet     // by thread: the writes that it may come to and was never seen at
	ahead   *machine.Ahead
	parents []int32
	loose   bool // all edges are, as the model has no rpo

	paths map[pathStep]int32 // what the threads did: a tree
}

// A flowArc is that a thread reads a location before it writes to another one.
type flowArc struct {
	loose bool
	after threadSet // the threads that it has created before such a read
}

// A keeping is that the write of a number, of one thread, is read by another one.
type keeping struct {
	from, to int32
	addr     event.Addr
	number   int32
	loose    machine.Looseness
	unseen   bool // the thread was never seen at it
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

func newFlow(ahead *machine.Ahead, parents []int32, loose bool) flow {
	f := flow{ahead: ahead, parents: parents, loose: loose, nodes: map[threadLoc]int32{}, paths: map[pathStep]int32{}, known: map[keeping]bool{}, after: map[threadLoc]machine.WriteSet{}, before: map[int32][]event.Addr{}}
	for range parents {
		f.unseen = append(f.unseen, ahead.NewSet())
	}
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

// read takes note of the read e. The function adds the writes that may come after it.
func (f *flow) read(g *graph.Graph, e *graph.Event, add func(machine.WriteSet)) {
	at := threadLoc{thread: e.Thread, addr: flowAddr(g, e)}
	if f.after[at] == nil {
		f.after[at] = f.ahead.NewSet()
	}
	old := slices.Clone(f.after[at])
	add(f.after[at])
	f.stale = f.stale || !slices.Equal(f.after[at], old)
}

// forget drops what keeps has found out.
func (f *flow) forget() {
	clear(f.known)
	f.round++
}

// setUnseen sets unseen of thread t.
func (f *flow) setUnseen(t int32, unseen machine.WriteSet) {
	if !slices.Equal(f.unseen[t], unseen) {
		f.stale = true
	}
	f.unseen[t] = unseen
}

// expect adds what is known of the writes that the threads were never seen at: those to constant addresses, and what may be read before them by the code, at constant addresses or where the thread was seen
// to read.
func (f *flow) expect() {
	for t := range f.unseen {
		f.unseen[t].Each(func(number int32) {
			addr, ok := f.ahead.Address(number)
			if !ok {
				return
			}
			from := f.from[f.node(int32(t), event.Addr(addr))]
			loose := f.loose || f.ahead.Loose(number) == machine.LooseAny
			add := func(addr event.Addr, loose bool) {
				if from[addr] == nil {
					from[addr] = &flowArc{}
				}
				from[addr].loose = from[addr].loose || loose
				for i := range from[addr].after {
					from[addr].after[i] = ^uint64(0)
				}
			}
			add(creating, true)
			for _, addr := range f.readsBefore(number) {
				add(addr, loose)
			}
			for at, after := range f.after {
				if at.thread == int32(t) && after.Has(number) {
					add(at.addr, loose)
				}
			}
		})
	}
}

// readsBefore returns the constant addresses that may be read before the write of this number.
func (f *flow) readsBefore(number int32) []event.Addr {
	list, ok := f.before[number]
	if !ok {
		f.ahead.ReadsBefore(number, func(addr uint64) { list = append(list, event.Addr(addr)) })
		slices.Sort(list)
		list = slices.Compact(list)
		f.before[number] = list
	}
	return list
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
	arc := f.from[i][f.locs[p].addr]
	t, u := f.locs[p].thread, f.locs[i].thread
	return arc != nil && t != u && (f.loose || f.parentOf(t, u) == none || arc.after.has(f.parentOf(t, u)))
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
			if addr >= ending {
				continue
			}
			may := false
			f.eachKeeper(t, addr, func(number int32, _ bool) { may = may || f.keeps(t, u, addr, number) })
			if may {
				return true
			}
		}
	}
	return false
}

// eachKeeper calls yield with the instructions by which thread t was seen to write to addr, and those that it may come to and was never seen at.
func (f *flow) eachKeeper(t int32, addr event.Addr, yield func(number int32, seen bool)) {
	if n, ok := f.nodes[threadLoc{thread: t, addr: addr}]; ok {
		f.writes[n].Each(func(number int32) { yield(number, true) })
		f.unseen[t].Each(func(number int32) {
			if !f.writes[n].Has(number) {
				yield(number, false)
			}
		})
	}
}

// keeps reports whether a write of thread t at addr, by the instruction of this number, that thread u reads may be needed as a promise: it may be on a cycle as Lemma 3 of docs/xmm.md says.
func (f *flow) keeps(t, u int32, addr event.Addr, number int32) bool {
	k := keeping{t, u, addr, number, f.ahead.Loose(number), f.unseen[t].Has(number)}
	if f.loose {
		k.loose = machine.LooseAny
	}
	if k.loose != machine.LooseOwn {
		k.number = none // all that matters is known
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
	if !ok || int(w) >= len(f.on) || !f.on[w] {
		return false
	}
	all := k.unseen && k.loose == machine.LooseAny
	for last := range f.on {
		if f.edge(int32(last), w) && (all || f.from[w][f.locs[last].addr].loose) && f.follows(int32(last), w, k.to) {
			return true
		}
	}
	return k.loose == machine.LooseOwn && f.closesByOwn(w, k)
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
			n, ok := f.nodes[threadLoc{thread: t, addr: k.addr}]
			if !ok || int(n) >= len(f.on) || t == k.from || t == k.to || t == but {
				continue
			}
			may := func(j int32) {
				if !seen[write{n, j}] && f.ahead.MayFeed(j, number) {
					seen[write{n, j}] = true
					chain = append(chain, write{n, j})
				}
			}
			f.writes[n].Each(may)
			f.unseen[t].Each(func(j int32) {
				if addr, ok := f.ahead.Address(j); ok && event.Addr(addr) == k.addr {
					may(j)
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
	after := f.after[threadLoc{thread: t, addr: addr}]
	return addr >= ending || f.unseen[t].Has(number) || after != nil && after.Has(number)
}
