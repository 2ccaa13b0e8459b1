package xmm

import (
	"fmt"
	"slices"
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/explore"
	"ravel/internal/graph"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/relation"
	"ravel/internal/report"
)

// A reexecution finds the executions in which po ∪ rf has cycles (docs/xmm.md).
//
// All that is before or in a cycle of an execution is its core. The executions with a given core are its extensions, in the
// same way as those of rc11 are the extensions of the empty graph, and are explored in that way, each once. So what
// has to be found are the cores. They are the candidates, C11-consistent graphs which search builds, that some execution re-executes
// to, which embed decides. Every execution is looked at for that, also those with a core: it is a fixpoint.
type reexecution struct {
	builder
	explain func(title string, x *report.Execution)
	java    model.CycleModel // the model, if it is one of Java's; nil for xmm
	lax     bool             // without rule 6: for tests
	always  bool             // search whatever races there are: for tests
	racy    atomic.Bool      // an execution has a load-buffering race

	cores []*core
	known map[string]*core // cores and candidates
	asked []*core          // candidates, in the order in which they were found
	count explore.Counts

	// What the executions so far have.
	classes    *classes
	kinds      []kind // by class
	edges      []*edge
	here       bitSet                         // scratch: the classes that an execution has
	promisedTo map[threadLoc][]*edge          // that may be promised, by reader
	writes     map[threadLoc]machine.WriteSet // what a thread was seen to write to, and by which instructions
	roots      [][]machine.Root               // by thread: what it was seen to run
	created    [][]int32                      // by thread: where in the code it was seen to create threads
	rooted     bool                           // flow.code is that of roots
	every      machine.WriteSet               // all instructions that write
	releases   machine.WriteSet               // the instructions that are releases; none under Java's models
	helping    []machine.WriteSet             // by thread: the instructions that may keep a promise that helps; nil if there is none
	ahead      *machine.Ahead
	helpers    []helper // by worker
	flow       flow
	races      map[race]bool // under Java's models: java.go
	version    int           // grows with the above
	parents    []int32

	from, upTo []int32 // scratch of causes: by thread, where what is reached begins, and what has been followed
	effects    []int32 // see findCauses

	stop  *atomic.Bool
	left  atomic.Int64 // search steps
	leaf  sketch
	facts *facts // of leaf, if they were needed

	sketched bool   // leaf is the execution that is looked at
	notes    []note // what was found out of events: Event.Memo is the place of an event here

	target target
}

// searchSteps bounds the search for cores; javaSteps under Java's models, whose verdict is then bounded.
const (
	searchSteps = 10_000_000
	javaSteps   = 1_000_000
)

// A threadLoc is a location that a thread accesses.
type threadLoc struct {
	thread int32
	addr   event.Addr
	size   uint8
}

// A kind is what the executions so far have of a class of events.
type kind struct {
	most   int32  // how many events of the class an execution has; 0 if none has it
	beside bitSet // the classes that some execution has beside it
	edge   *edge  // if they are reads that read from another thread
}

// An edge is what rf edges between threads have in common that may stand for each other in a re-execution.
type edge struct {
	from, to    int32
	write, read label
	number      int32 // of the class of the read
	wrote       int32 // of the class of the write

	tries  int  // of triesCause
	cyclic bool // in some execution the read can be a cause of the write, if other reads are re-directed, or that is not known
	helps  bool // see reexecution.helps; set before a search
	may    bool // what helps has returned
	asked  int  // in which round of the flow

	unlike  machine.WriteSet // the instructions that never do this write, and the releases; nil as long as it is not known
	keepers machine.WriteSet // the instructions that may keep a promise of it
}

// A core is what is in and before the cycles of executions.
type core struct {
	*facts
	may       *commitments // what may be committed; nil as long as it is not known
	confirmed bool
	explored  bool // its extensions have been counted
	asked     int  // how many candidates its extensions were looked at for; -1 if never; -2 if it is not known either which edges help
	searched  int  // the version that its extensions were searched with

	source *sketch // the execution that re-executes to it
	of     *core   // the core of that
	image  []int32 // of its committed events in source; none for the others
}

// A threadSet is a set of threads.
type threadSet [event.MaxOwners / 64]uint64

func (s *threadSet) add(t int32)      { s[t>>6] |= 1 << (t & 63) }
func (s *threadSet) remove(t int32)   { s[t>>6] &^= 1 << (t & 63) }
func (s *threadSet) has(t int32) bool { return s[t>>6]>>(t&63)&1 != 0 }
func (s *threadSet) union(o *threadSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

// A bitSet is a set of small numbers.
type bitSet []uint64

func (s bitSet) has(i int32) bool { return int(i>>6) < len(s) && s[i>>6]>>(i&63)&1 != 0 }

// with adds i and returns the set.
func (s bitSet) with(i int32) bitSet {
	for len(s) <= int(i>>6) {
		s = append(s, 0)
	}
	s[i>>6] |= 1 << (i & 63)
	return s
}

// intersect removes what is not in o.
func (s bitSet) intersect(o bitSet) {
	for i := range s {
		if i < len(o) {
			s[i] &= o[i]
		} else {
			s[i] = 0
		}
	}
}

// union adds the elements of o and returns the set, and whether there were new ones.
func (s bitSet) union(o bitSet) (bitSet, bool) {
	grown := false
	for len(s) < len(o) {
		s = append(s, 0)
	}
	for i, bits := range o {
		grown = grown || bits&^s[i] != 0
		s[i] |= bits
	}
	return s, grown
}

// Needed implements explore.Reexecution: without a load-buffering race there is no cycle (LBRF, docs/xmm.md).
func (x *reexecution) Needed() bool { return x.racy.Load() || x.always }

// Explore implements explore.Reexecution.
func (x *reexecution) Explore(b explore.Builder) explore.Counts {
	x.builder = builder{b}
	x.stop = b.Stop()
	x.parents = b.Parents()
	x.known, x.promisedTo, x.writes = map[string]*core{}, map[threadLoc][]*edge{}, map[threadLoc]machine.WriteSet{}
	x.races = map[race]bool{}
	x.classes = newClasses()
	x.target.stop = x.stop
	x.left.Store(x.maxSteps())
	x.ahead = b.NewAhead()
	x.flow = newFlow(x.ahead, x.parents, x.java != nil)
	x.every, x.releases = x.ahead.Every(), x.ahead.NewSet()
	if x.java == nil {
		x.releases = x.ahead.Releases()
	}
	x.roots, x.created = make([][]machine.Root, len(x.parents)), make([][]int32, len(x.parents))
	x.cores = []*core{{explored: true, confirmed: true, asked: -2}}
	x.scan(x.cores[0])
	if !x.flow.useful() {
		return explore.Counts{}
	}
	for t, code := range x.flow.code {
		if x.java == nil && !code.CreatesOnce(x.flow.may, x.created[t]) {
			x.NotExplored("a thread may be created only in an execution with a cycle in po ∪ rf: such executions are not explored")
			break
		}
	}
	if x.decided() {
		x.cores[0].asked = 0
	}
	for again := true; again && !x.stop.Load() && x.left.Load() >= 0; {
		again = false
		for i := 1; i <= len(x.cores) && !x.stop.Load(); i++ {
			c := x.cores[i%len(x.cores)] // the empty one has the most extensions, so it comes last
			if c.asked < len(x.asked) && (c.asked < 0 || !c.explored || x.open(c.asked)) {
				x.scan(c)
				again = true
			}
		}
		var stale []*core
		for _, c := range x.cores {
			if c.searched != x.version {
				c.searched = x.version
				stale = append(stale, c)
			}
		}
		if len(stale) > 0 && !x.stop.Load() {
			x.search(stale)
			again = true
		}
	}
	x.explainAll()
	return x.count
}

// open reports whether one of the candidates from number n on is not confirmed.
func (x *reexecution) open(n int) bool {
	for _, c := range x.asked[max(n, 0):] {
		if !c.confirmed {
			return true
		}
	}
	return false
}

func (x *reexecution) maxSteps() int64 {
	if x.java != nil {
		return javaSteps
	}
	return searchSteps
}

// spend reports whether the search may go on.
func (x *reexecution) spend() bool {
	if x.left.Add(-1) >= 0 {
		return true
	}
	why := fmt.Sprintf("the search for executions with cycles in po ∪ rf took more than %d steps: bound loops with --unroll", x.maxSteps())
	if x.java != nil {
		x.NotExplored(why)
	} else {
		x.GiveUp(why)
	}
	return false
}

// with calls do with the core c loaded.
func (x *reexecution) with(c *core, do func()) {
	m := x.Mark()
	x.loadCore(c)
	do()
	x.Undo(m)
}

// loadCore makes the graph, which is empty, the core c.
func (x builder) loadCore(c *core) {
	if c.facts != nil {
		x.load(c.sketch)
	} else {
		x.Begin()
	}
}

// scan explores the extensions of c: the first time to count them, and each time to see which candidates they re-execute to.
func (x *reexecution) scan(c *core) {
	first := !c.explored
	asked := len(x.asked)
	x.notes = x.notes[:0]
	var n explore.Counts
	x.with(c, func() {
		n = x.Extensions(first, func(blocked bool) (counts bool, lbRaces int64) {
			x.visited(c)
			if first && !blocked && x.java == nil {
				f, _ := ordersOf(x.sketch())
				lbRaces = f.lbRaces()
			}
			return first, lbRaces
		})
	})
	x.findCode()
	if x.flow.settle() {
		x.version++
	}
	if first {
		n.Cyclic = n.Complete
		x.count.Add(n)
		c.explored = true
	}
	if c.asked == -2 {
		asked = -1
	}
	c.asked = asked
}

// visited looks at an execution that ends, an extension of c.
func (x *reexecution) visited(c *core) {
	x.sketched, x.facts = false, nil
	if c.asked == -2 || !c.explored {
		x.learnPaths()
	}
	if c.asked == -2 {
		x.learnRaces()
		x.target.aim(x.classesHere(x.target.classes[:0]), len(x.classes.numbers), x.source)
		x.learn(x.triesCause)
		return
	}
	if c.asked < 0 && c.explored { // the rest was learnt when c.asked was -2
		version := x.version
		if x.learnEdges(x.findsCause); x.version != version && x.decided() {
			x.SkipRest()
		}
		return
	}
	open := x.open(c.asked)
	if c.explored && !open {
		x.SkipRest()
		return
	}
	x.target.aim(x.classesHere(x.target.classes[:0]), len(x.classes.numbers), x.source)
	if !c.explored {
		x.learn(x.findsCause)
	}
	if !open {
		return
	}
	for _, k := range x.asked[max(c.asked, 0):] {
		if x.stop.Load() {
			return
		}
		if !k.confirmed {
			x.confirm(k, c)
		}
	}
}

// sketch returns the execution that is looked at.
func (x *reexecution) sketch() *sketch {
	if !x.sketched {
		x.sketched = true
		x.leaf.sketchOf(x.Graph, nil)
	}
	return &x.leaf
}

// leafFacts returns the facts of the execution that is looked at.
func (x *reexecution) leafFacts() *facts {
	if x.facts == nil {
		x.facts = x.factsOf(x.sketch(), !x.lax)
	}
	return x.facts
}

// source returns what embed needs to know of the execution that is looked at: fewer relations than leafFacts has.
func (x *reexecution) source() *facts {
	if x.java != nil {
		return x.leafFacts()
	}
	s := x.sketch()
	f := &facts{sketch: s, rpo: relation.NewRel(len(s.evs)), ready: make([]bool, len(s.evs))}
	if !x.lax {
		n, known := int32(len(x.Graph.Threads)), false
		f.cause = func(a, b int32) bool {
			if !known { // most embeddings fail before
				known = true
				x.findCauses()
			}
			t := s.evs[b].thread
			return b-s.first[t] >= x.effects[a*n+t]
		}
	}
	return f
}

// confirm makes k a core if the execution, an extension of c, re-executes to it.
func (x *reexecution) confirm(k, c *core) {
	if k.may == nil {
		k.may = newCommitments(k.facts, x.classes)
	}
	image := x.target.embed(k.may)
	if image == nil {
		return
	}
	k.confirmed, k.asked, k.may = true, -1, nil
	k.source, k.of, k.image = x.leaf.clone(), c, image
	x.cores = append(x.cores, k)
}

// learn takes note of the events of the execution, the target, and of its rf edges. It asks cyclic of an edge that is not known to be so.
func (x *reexecution) learn(cyclic func(e *edge, r *graph.Event, i int32) bool) {
	t := &x.target
	clear(x.here)
	x.allKinds()
	for _, n := range t.classes {
		if n != none {
			x.here = x.here.with(n)
		}
	}
	for i, n := range t.classes {
		if n == none || t.first[n] != int32(i) {
			continue
		}
		k := &x.kinds[n]
		grown := false
		if k.beside, grown = k.beside.union(x.here); grown || t.count[n] > k.most {
			k.most = max(k.most, t.count[n])
			x.version++
		}
	}
	x.learnEdges(cyclic)
}

// allKinds adds what is missing of kinds. Candidates have classes that no execution has.
func (x *reexecution) allKinds() {
	for len(x.kinds) < len(x.classes.numbers) {
		x.kinds = append(x.kinds, kind{})
	}
}

// learnEdges takes note of the rf edges of the execution.
func (x *reexecution) learnEdges(cyclic func(e *edge, r *graph.Event, i int32) bool) {
	g := x.Graph
	i := int32(0)
	for _, ids := range g.Threads {
		for _, id := range ids {
			if g.Events[id].Kind == graph.Read && external(g, id) {
				if e := x.edgeTo(id); !e.cyclic && cyclic(e, &g.Events[id], i) {
					x.setCyclic(e)
				}
			}
			i++
		}
	}
}

// edgeTo returns the edge to the read id.
func (x *reexecution) edgeTo(id graph.ID) *edge {
	n := x.class(id)
	e := x.kinds[n].edge
	if e == nil {
		g := x.Graph
		r := &g.Events[id]
		w := &g.Events[r.RF]
		e = &edge{from: w.Thread, to: r.Thread, write: labelOf(g, w), read: labelOf(g, r), number: n, wrote: x.class(r.RF)}
		x.kinds[n].edge = e
		x.edges = append(x.edges, e)
	}
	return e
}

// setCyclic sets e.cyclic.
func (x *reexecution) setCyclic(e *edge) {
	e.cyclic = true
	at := threadLoc{e.to, e.read.addr, e.read.size}
	x.promisedTo[at] = append(x.promisedTo[at], e)
	if x.helps(e) {
		x.version++
	}
}

// findsCause reports whether the read r of the edge e, number i in a sketch, can be a cause of the write, or that need not be known.
func (x *reexecution) findsCause(e *edge, r *graph.Event, i int32) bool {
	return x.lax || !x.helps(e) || x.causes(r, i)
}

// triesCause is findsCause as long as it is not known which edges help. It looks at fewer and fewer reads of an edge: executions that follow each other are alike.
func (x *reexecution) triesCause(e *edge, r *graph.Event, i int32) bool {
	e.tries++
	return x.lax || (e.tries&(e.tries-1) == 0 || e.tries%64 == 0) && x.causes(r, i)
}

// decided sets cyclic of the edges for which it need not be known. It reports whether it is set for all.
func (x *reexecution) decided() bool {
	all := true
	for _, e := range x.edges {
		switch {
		case e.cyclic:
		case x.helps(e):
			all = false
		default:
			x.setCyclic(e)
		}
	}
	return all
}

// learnPaths takes note of what the threads of the execution that ends do. Most do what they did in another one.
func (x *reexecution) learnPaths() {
	g := x.Graph
	for t, ids := range g.Threads {
		if n := len(ids); n == 0 || x.note(&g.Events[ids[n-1]]).path != 0 {
			continue
		}
		at := -1 - int32(t)
		for i, id := range ids {
			e := &g.Events[id]
			if p := x.note(e).path; p != 0 {
				at = p - 1
				continue
			}
			number := int32(none)
			if e.Kind == graph.Write {
				number = x.WriteAt(x.ahead, e)
			}
			next, isNew := x.flow.step(g, ids[:i], e, at, number)
			if isNew && e.Kind == graph.Create {
				x.created[t] = append(x.created[t], x.InstructionOf(e))
			}
			if isNew && e.Kind == graph.Start {
				x.learnRoot(int32(t), e)
			}
			if isNew && e.Kind == graph.Write {
				x.learnWrite(seenAt(g, e, number))
			}
			at = next
			x.note(e).path = at + 1
		}
	}
}

// A note is what was found out of an event.
type note struct {
	path  int32 // one more than the place of the event in flow.paths; 0 if it is not known yet
	class int32 // one more than the number of its class
}

// note returns the note of e.
func (x *reexecution) note(e *graph.Event) *note {
	if e.Memo == 0 {
		x.notes = append(x.notes, note{})
		e.Memo = int32(len(x.notes))
	}
	return &x.notes[e.Memo-1]
}

// class returns the number of the class of the event id.
func (x *reexecution) class(id graph.ID) int32 {
	e := &x.Graph.Events[id]
	if n := x.note(e).class; n != 0 {
		return n - 1
	}
	from := int32(none)
	if w := source(e); w != graph.None {
		from = x.class(w)
	}
	n := x.classes.number(classOf(e.Thread, from, labelOf(x.Graph, e)))
	x.note(e).class = n + 1
	return n
}

// classesHere appends the class of each event of the execution that is looked at.
func (x *reexecution) classesHere(list []int32) []int32 {
	for _, ids := range x.Graph.Threads {
		for _, id := range ids {
			n := int32(none)
			if ordered(x.Graph.Events[id].Kind) {
				n = x.class(id)
			}
			list = append(list, n)
		}
	}
	return list
}

// learnRoot takes note of what thread t runs, from its Start event e.
func (x *reexecution) learnRoot(t int32, e *graph.Event) {
	r := machine.Root{Func: x.ahead.Main()}
	if t > 0 {
		r = machine.Root{Func: x.ahead.FuncAt(x.ActionOf(&x.Graph.Events[e.RF]).Addr), Arg: e.Val.Lo}
	}
	if r.Func >= 0 && !slices.Contains(x.roots[t], r) {
		x.roots[t] = append(x.roots[t], r)
		x.rooted, x.flow.stale = false, true
	}
}

// findCode finds out which code the threads may come to. A thread runs what it was seen to run. If its parent may read something before it creates threads, it may run anything that the parent may name.
func (x *reexecution) findCode() {
	if x.rooted {
		return
	}
	x.rooted = true
	for t := range x.flow.code {
		var parent *machine.ThreadCode
		if t > 0 && len(x.roots[t]) > 0 {
			parent = x.flow.code[x.parents[t]]
			if b := parent.MayDecide(); len(b.Reads) == 0 && !b.Joins {
				parent = nil
			}
		}
		x.flow.code[t] = x.ahead.Code(int32(t), x.roots[t], parent)
	}
	x.flow.may = machine.NewForecast(x.flow.code, x.java != nil)
}

// A seenWrite is that a thread writes to a location by the instruction of a number.
type seenWrite struct {
	threadLoc
	number int32
}

// seenAt returns what was seen of the write e.
func seenAt(g *graph.Graph, e *graph.Event, number int32) seenWrite {
	l := &g.Locs[e.Loc]
	return seenWrite{threadLoc{e.Thread, l.Addr, l.Size}, number}
}

// learnWrite takes note of a write.
func (x *reexecution) learnWrite(w seenWrite) {
	set := x.writes[w.threadLoc]
	if set == nil {
		set = x.ahead.NewSet()
		x.writes[w.threadLoc] = set
	}
	if !set.Has(w.number) {
		set.Add(w.number)
		x.flow.seenWriting(w.thread, w.addr, w.number)
		x.version++
	}
}

// add makes k a candidate, unless it is one.
func (x *reexecution) add(key string, k *facts) {
	if _, ok := x.known[key]; ok {
		x.count.Duplicate++
		return
	}
	c := &core{facts: k}
	x.known[key] = c
	x.asked = append(x.asked, c)
}
