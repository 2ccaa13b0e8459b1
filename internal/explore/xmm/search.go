package xmm

import (
	"math/bits"
	"slices"
	"sync"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// A search finds the cores that extend a given one by one more strongly connected part of po ∪ rf.
//
// It runs only threads that something waits for: first a thread that may promise something. A read that a thread comes to reads from a write that is there, or waits for
// another thread, which runs until it writes, or gets its value from a promise: a write that some graph had, of a thread that has yet to do it. A promise is tried
// only if its thread waits for the one that reads it, or the read has waited in vain. When nothing waits, the thread that made the oldest promise runs until
// it has kept it. When all promises are kept there is a graph; co is chosen then.
//
// The first thread is the least one that promises something: Lemma 4 of docs/xmm.md.
//
// Searches run side by side: what they find out is collected, and known to all when they have ended.
type search struct {
	*reexecution
	builder
	ahead    *machine.Ahead
	g        *graph.Graph
	base     []int32 // by thread: how many events the core that is extended has
	promises []promise
	goals    []goal
	waiting  []bool // by thread: it stands before a read and waits for another thread to write
	hot      []bool // by thread: it has read a promise
	missed   []bool // by thread: something else would have run it, had it not been waiting
	begun    bool   // there has been a promise
	first    int32  // the first thread
	commits  commits
	co       coOrder
	fences   fences
	views    []uint64 // by access whose Memo is not 0: what it sees (sees)
	part     part
	firsts   int // how many first promises there were
	learnt   map[seenWrite]bool
	may      map[threadLoc]machine.WriteSet // see writers
	found    []found
}

// A promise is that thread will do the write want, for a read that has its value already.
type promise struct {
	read graph.ID
	*edge
	kept bool
}

// A goal is what thread has to run for: to write to the location loc, for the thread waiter; to create the thread waiter; or to end.
type goal struct {
	kind   machine.ActionKind // Store, Create or Exit
	thread int32
	loc    int32
	waiter int32
}

// A part is what one worker does of the search: of each core every n-th of the first promises, from one on.
type part struct {
	core    *core
	from, n int
}

// search looks for candidates on top of the cores.
func (x *reexecution) search(cores []*core) {
	x.allKinds()
	x.findKeepers()
	workers := x.Workers()
	if x.java != nil {
		workers = 1
	}
	for len(x.helpers) < workers {
		h := helper{x.builder, x.ahead}
		if len(x.helpers) > 0 {
			h = helper{builder{x.Another()}, x.NewAhead()}
		}
		x.helpers = append(x.helpers, h)
	}
	parts := make([][]part, workers) // by worker
	for i, c := range cores {
		if len(cores) >= workers {
			parts[i%workers] = append(parts[i%workers], part{c, 0, 1})
			continue
		}
		for w := range parts {
			parts[w] = append(parts[w], part{c, w, workers})
		}
	}
	found := make([][]*search, workers)
	var all sync.WaitGroup
	for w := range parts {
		all.Go(func() {
			for _, p := range parts[w] {
				found[w] = append(found[w], x.extend(x.helpers[w], p))
			}
		})
	}
	all.Wait()
	x.collect(cores, slices.Concat(found...))
}

// A helper is what a worker searches with.
type helper struct {
	builder
	ahead *machine.Ahead
}

// collect takes in what the searches on top of the cores have found, in an order that does not depend on the number of workers.
func (x *reexecution) collect(cores []*core, all []*search) {
	for _, c := range cores {
		var list []found
		for _, s := range all {
			if s.part.core == c {
				list = append(list, s.found...)
			}
		}
		slices.SortStableFunc(list, func(a, b found) int { return a.first - b.first })
		for _, k := range list {
			x.add(k.key, k.facts)
		}
	}
	for _, s := range all {
		for w := range s.learnt {
			x.learnWrite(w)
		}
	}
}

// A found is a candidate.
type found struct {
	*facts
	key   string
	first int // the number of the first promise
}

// extend searches for cores on top of one.
func (x *reexecution) extend(h helper, p part) *search {
	s := &search{reexecution: x, builder: h.builder, ahead: h.ahead, g: h.Graph, part: p, learnt: map[seenWrite]bool{}, may: map[threadLoc]machine.WriteSet{}}
	m := s.Mark()
	s.loadCore(p.core)
	for _, evs := range s.g.Threads {
		s.base = append(s.base, int32(len(evs)))
	}
	for _, id := range s.g.Trail {
		s.commits.event(s.g, id)
	}
	for _, id := range s.g.Trail {
		if s.g.Events[id].Kind == graph.Read {
			s.commits.read(s, id, nil)
		}
	}
	n := len(s.g.Threads)
	s.waiting, s.hot, s.missed = make([]bool, n), make([]bool, n), make([]bool, n)
	for t := range s.g.Threads {
		if s.first = int32(t); x.helping[t] != nil {
			s.goals = []goal{{machine.Exit, int32(t), 0, none}}
			s.solve()
		}
	}
	s.Undo(m)
	return s
}

// findKeepers finds out which edges may be promised, and by which instructions the promises may be kept: none that is a release, by Lemma 3.
func (x *reexecution) findKeepers() {
	x.helping = make([]machine.WriteSet, len(x.parents))
	for _, e := range x.edges {
		if e.helps = x.helps(e); !e.helps || !e.cyclic {
			continue
		}
		e.keepers = x.ahead.NewSet()
		x.eachKeeper(e, func(number int32, keeps bool) {
			if keeps {
				e.keepers.Add(number)
			}
		})
		if x.helping[e.from] == nil {
			x.helping[e.from] = x.ahead.NewSet()
		}
		x.helping[e.from].Join(e.keepers)
	}
}

// helps reports whether e may be promised: it is on a cycle of the flow, with a loose read before the write. Java's models have no rpo.
func (x *reexecution) helps(e *edge) bool {
	if x.java == nil && e.write.mode.IsRel() {
		return false
	}
	if e.asked != x.flow.round {
		e.asked, e.may = x.flow.round, false
		x.eachKeeper(e, func(_ int32, keeps bool) { e.may = e.may || keeps })
	}
	return e.may
}

// eachKeeper calls yield with each instruction that may do the write of e. It is told whether a promise that this instruction keeps may be needed.
func (x *reexecution) eachKeeper(e *edge, yield func(number int32, keeps bool)) {
	never := x.unlike(e)
	x.flow.eachKeeper(e.from, e.write.addr, func(number int32) {
		if !never.Has(number) && x.flow.may.MayBe(e.from, number, e.write.size, e.write.val) {
			yield(number, x.flow.keeps(e.from, e.to, e.write.addr, number))
		}
	})
}

// unlike returns the instructions that never do the write of e, and the releases.
func (x *reexecution) unlike(e *edge) machine.WriteSet {
	if e.unlike == nil {
		l := &e.write
		e.unlike = x.ahead.Unlike(l.mode, l.locked, l.size, l.val)
		e.unlike.Join(x.releases)
	}
	return e.unlike
}

// solve runs the thread that matters most by one step, in all ways.
func (s *search) solve() {
	if s.stop.Load() || (s.begun || s.part.from == 0) && !s.spend() {
		return
	}
	t := int32(none)
	if n := len(s.goals); n > 0 {
		t = s.goals[n-1].thread
	} else {
		for i := range s.promises {
			if !s.promises[i].kept {
				t = s.promises[i].from
				break
			}
		}
		if t == none {
			if s.begun {
				s.take()
			}
			return
		}
	}
	if s.waiting[t] {
		s.miss(t)
		return
	}
	if s.hopeless(t) {
		return
	}
	act := s.Action(t)
	if act == nil {
		if len(s.g.Threads[t]) == 0 {
			s.await(goal{machine.Create, s.parents[t], 0, t})
		}
		return
	}
	switch act.Kind {
	case machine.Block, machine.Fail:
	case machine.Load, machine.RMW:
		s.readStep(t)
	case machine.Store:
		s.writeStep(t)
	case machine.Join:
		if other := act.Val.Lo; s.EndOf(other) == graph.None {
			if other < uint64(len(s.g.Threads)) {
				s.await(goal{machine.Exit, int32(other), 0, none})
			}
			return
		}
		s.otherStep(t)
	case machine.Choice:
		for i := range act.N {
			m := s.Mark()
			v := event.Value{Lo: uint64(i)}
			s.AddChoice(t, v)
			s.commits.event(s.g, s.g.Last(t))
			s.goOn(t, v)
			s.solve()
			s.Undo(m)
		}
	default:
		s.otherStep(t)
	}
}

// hopeless reports whether thread t can no longer do what it has to run for, or keep a promise.
func (s *search) hopeless(t int32) bool {
	if n := len(s.goals); n > 0 && s.goals[n-1].kind == machine.Store && !s.mayWrite(t, s.goals[n-1].loc) {
		return true
	}
	for i := range s.promises {
		if p := &s.promises[i]; !p.kept && p.from == t && !s.mayKeep(p.edge) {
			return true
		}
	}
	return !s.begun && t == s.first && s.Action(t) != nil && !s.MayWrite(s.ahead, t, s.helping[t], s.every)
}

// mayKeep reports whether the thread that promises e may still come to a write that keeps the promise.
func (s *search) mayKeep(e *edge) bool {
	if s.Action(e.from) == nil {
		return len(s.g.Threads[e.from]) == 0
	}
	return s.MayWrite(s.ahead, e.from, e.keepers, s.every)
}

// mayWrite reports whether thread t may still write to the location loc.
func (s *search) mayWrite(t, loc int32) bool {
	if s.Action(t) == nil {
		return len(s.g.Threads[t]) == 0
	}
	l := &s.g.Locs[loc]
	return s.MayWrite(s.ahead, t, s.writers(threadLoc{t, l.Addr, l.Size}), s.every)
}

// writers returns the instructions that may write at.
func (s *search) writers(at threadLoc) machine.WriteSet {
	set := s.may[at]
	if set == nil {
		set = s.ahead.NewSet()
		if seen := s.writes[at]; seen != nil {
			set.Join(seen)
		}
		s.flow.may.Each(at.thread, func(number int32, _ []machine.Place) {
			if s.flow.may.MayWrite(at.thread, number, at.addr) {
				set.Add(number)
			}
		})
		s.may[at] = set
	}
	return set
}

// take takes the graph, in which all promises are kept, as a candidate, with each co that makes it consistent.
func (s *search) take() {
	var whole sketch
	whole.sketchOf(s.g, nil)
	f, _ := ordersOf(&whole)
	for i := range s.promises {
		e := &s.g.Events[s.promises[i].read]
		if at := int(whole.first[e.Thread] + e.Index); !f.porf.Has(at, at) {
			return
		}
	}
	k := s.factsOf(whole.prefix(f.core()), false)
	fixed := func(w int32) bool {
		t := k.evs[w].thread
		return w-k.first[t] < s.base[t]
	}
	k.eachCo(fixed, s.stop, func() {
		f := *k // its relations do not depend on co, unless the model is one of Java's
		if f.sketch = k.clone(); s.java != nil {
			f = *s.factsOf(f.sketch, false)
		}
		s.found = append(s.found, found{&f, k.key(), s.firsts})
	})
}

// await solves with one more goal. A thread never waits for one that waits for it.
func (s *search) await(g goal) {
	goals := s.goals
	for i, o := range goals {
		if o == g {
			s.missAbove(i)
			return
		}
	}
	s.goals = append(goals[:len(goals):len(goals)], g)
	s.solve()
	s.goals = goals
}

// miss takes note that something needs thread t, which waits, and with it those that it waits for.
func (s *search) miss(t int32) {
	for i := len(s.goals) - 1; i >= 0; i-- {
		if g := &s.goals[i]; g.kind == machine.Store && g.waiter == t {
			s.missAbove(i - 1)
			return
		}
	}
}

// missAbove takes note that something needs a thread that waits for the goals after number i.
func (s *search) missAbove(i int) {
	for _, g := range s.goals[i+1:] {
		if g.kind == machine.Store {
			s.missed[g.waiter] = true
		}
	}
}

// goOn resumes t with v after its last event, without looking at what it comes to.
func (s *search) goOn(t int32, v event.Value) {
	s.Resume(t, v)
	s.EndRound(t)
}

// otherStep performs an action that is no access.
func (s *search) otherStep(t int32) {
	m, goals := s.Mark(), s.goals
	kind := s.Action(t).Kind
	before := len(s.g.Trail)
	s.Step(t)
	for _, id := range s.g.Trail[before:] {
		s.commits.event(s.g, id)
	}
	if len(s.g.Trail) > before && (kind != machine.Fence || !s.begun || s.commits.possible(s)) {
		if n := len(goals); n > 0 && goals[n-1].thread == t && goals[n-1].kind == kind &&
			(kind == machine.Exit || kind == machine.Create && len(s.g.Threads[goals[n-1].waiter]) > 0) {
			s.goals = goals[:n-1]
		}
		s.solve()
		s.goals = goals
	}
	s.Undo(m)
}

// readStep lets thread t read, in every way.
func (s *search) readStep(t int32) {
	g := s.g
	loc, ok := s.Loc(t)
	if !ok {
		return
	}
	stale := s.stale(t, loc)
	for i := range g.Locs[loc].Co {
		if s.stop.Load() {
			return
		}
		if i < 64 && stale>>i&1 != 0 {
			continue
		}
		src := g.Locs[loc].Co[i]
		s.readFrom(t, loc, src, s.ValueOf(src, loc), nil)
	}
	l := &g.Locs[loc]
	at := threadLoc{t, l.Addr, l.Size}
	for u := range s.g.Threads {
		o := int32(u)
		if s.stop.Load() {
			return
		}
		if o == t || !s.mayRun(o, threadLoc{o, at.addr, at.size}) {
			continue
		}
		if s.waiting[o] {
			s.miss(o)
			s.readPromises(t, loc, o)
			continue
		}
		missed := s.missed[t]
		s.missed[t] = false
		s.waiting[t] = true
		s.await(goal{machine.Store, o, loc, t})
		s.waiting[t] = false
		if s.missed[t] {
			s.readPromises(t, loc, o)
		}
		s.missed[t] = missed
	}
}

// mayRun reports whether thread o may be run for a write at.
func (s *search) mayRun(o int32, at threadLoc) bool {
	set := s.writers(at)
	return set.Common(set) > 0 && (s.Action(o) == nil || s.MayWrite(s.ahead, o, set, s.every))
}

// readPromises lets thread t read from the promises of thread o.
func (s *search) readPromises(t, loc, o int32) {
	if o < s.first {
		return
	}
	l := &s.g.Locs[loc]
	for _, e := range s.promisedTo[threadLoc{t, l.Addr, l.Size}] {
		if e.from != o || !e.helps || !s.mayKeep(e) {
			continue
		}
		if !s.begun {
			s.firsts++
			s.missAbove(-1)
			if (s.firsts-1)%s.part.n != s.part.from {
				continue
			}
		}
		s.readFrom(t, loc, graph.Init, e.read.val, e)
	}
}

// readFrom adds the read that t is at, of value v from src or, if e is not nil, from a promise, and goes on, in every way.
func (s *search) readFrom(t, loc int32, src graph.ID, v event.Value, e *edge) {
	for _, flags := range s.Outcomes(t, v) {
		s.readBy(t, loc, src, v, e, flags)
	}
}

// readBy is readFrom for a read with these flags.
func (s *search) readBy(t, loc int32, src graph.ID, v event.Value, e *edge, flags uint8) {
	g := s.g
	m := s.Mark()
	defer s.Undo(m)
	id := s.NewRead(t, loc, v, flags)
	r := &g.Events[id]
	r.RF = src
	if e == nil {
		if w := &g.Events[src]; src != graph.Init && w.Thread != t {
			r.Prefix = g.JoinEvent(r.Prefix, w.Prefix, w, t)
		}
		s.Views(id)
	}
	g.Add(id, 0)
	if e != nil {
		if labelOf(g, &g.Events[id]) != e.read {
			return
		}
		promises, hot, begun, goals := s.promises, s.hot[t], s.begun, s.goals
		s.promises = append(promises[:len(promises):len(promises)], promise{read: id, edge: e})
		if !begun {
			s.goals = goals[1:] // the first one was to come here
		}
		s.hot[t], s.begun = true, true
		defer func() { s.promises, s.hot[t], s.begun, s.goals = promises, hot, begun, goals }()
	}
	if !s.coherent(loc, id) {
		return
	}
	s.commits.read(s, id, e)
	lone := s.commits.lone
	defer func() { s.commits.lone = lone }()
	if s.begun && (s.commits.changed(s, id, e) && !s.commits.possible(s) || s.opaqueCycle()) || s.looks(id) && s.fences.mayDiffer(s, loc, id) && !s.fences.inOrder(s) {
		return
	}
	if g.Events[id].Flags&graph.RMWPart != 0 {
		w := s.AddUpdate(t, loc, v)
		s.goOn(t, v)
		s.wrote(t, w)
		return
	}
	s.goOn(t, v)
	s.solve()
}

// looks reports whether the order of the fences is looked at after the new access id. Until a promise is read, every fourth event of a thread is enough: few graphs are given up, and what is
// wrong with them is seen later.
func (s *search) looks(id graph.ID) bool { return s.begun || s.g.Events[id].Index%4 == 0 }

// writeStep performs a store.
func (s *search) writeStep(t int32) {
	loc, ok := s.Loc(t)
	if !ok {
		return
	}
	m := s.Mark()
	id := s.AddStore(t, loc)
	s.goOn(t, event.Value{})
	s.wrote(t, id)
	s.Undo(m)
}

// wrote goes on after the write id of thread t: it keeps the promises that it may keep, or leaves them for a later
// one, and lets the thread that waits for it read it, or wait for another one.
func (s *search) wrote(t int32, id graph.ID) {
	g := s.g
	s.commits.event(s.g, id)
	l := labelOf(g, &g.Events[id])
	if w := seenAt(g, &g.Events[id], s.WriteAt(s.ahead, &g.Events[id])); s.writes[w.threadLoc] == nil || !s.writes[w.threadLoc].Has(w.number) {
		s.learnt[w] = true
	}
	s.keep(t, id, l, 0, g.Events[id].Flags&graph.RMWPart != 0)
}

// keep branches over the promises from number i on that the write id, with label l, may keep. It is told whether the write comes before something in co.
func (s *search) keep(t int32, id graph.ID, l label, i int, early bool) {
	for ; i < len(s.promises); i++ {
		p := &s.promises[i]
		if p.kept || p.from != t || p.write != l {
			continue
		}
		if !s.closes(p, id) {
			continue
		}
		p.kept = true
		read := p.read
		s.g.Events[read].RF = id
		s.commits.keeping = true // the next promises may be kept by id as well
		possible := s.commits.possible(s)
		s.commits.keeping = false
		if possible && !s.opaqueCycle() {
			s.keep(t, id, l, i+1, true)
		}
		s.g.Events[read].RF = graph.Init
		s.promises[i].kept = false
	}
	loc := s.g.Events[id].Loc
	early = early || s.promised(loc)
	if early && !(s.feasible(loc) && (!s.looks(id) || s.fences.inOrder(s))) {
		return
	}
	n := len(s.goals)
	if n > 0 && s.goals[n-1].kind == machine.Store && s.goals[n-1].thread == t && s.goals[n-1].loc == loc {
		goals := s.goals
		waiter := goals[n-1].waiter
		s.goals, s.waiting[waiter] = goals[:n-1], false
		s.readFrom(waiter, loc, id, s.g.Events[id].Val, nil)
		s.goals, s.waiting[waiter] = goals, true
	}
	s.solve()
}

// coherent is feasible after the read id was added. Nothing sees the read yet, so all that is new is that what it sees comes before the write that it reads from.
func (s *search) coherent(loc int32, id graph.ID) bool {
	e := &s.g.Events[id]
	l := &s.g.Locs[loc]
	if len(l.Co) > 64 || e.Flags&graph.RMWPart != 0 || s.promised(loc) {
		return s.feasible(loc)
	}
	at := s.writeOf(id)
	switch seen := s.sees(l, id, s.settled(loc)) &^ (1 << at); {
	case at == 0:
		return seen == 0
	case seen&^1 == 0:
		return true
	}
	return s.feasible(loc)
}

// promised reports whether there is a promise to write to loc that is not kept.
func (s *search) promised(loc int32) bool {
	for i := range s.promises {
		if p := &s.promises[i]; !p.kept && s.g.Events[p.read].Loc == loc {
			return true
		}
	}
	return false
}

// feasible reports whether co of the location can be such that everything sees its writes in that order, and a read-modify-write comes right after what it reads: a part of
// coherence that is cheap to check and rules out most of what would fail in the end. Where promises are not kept yet, hb is not
// complete; then it rules out less.
func (s *search) feasible(loc int32) bool { return s.co.find(s, loc) }

// stale returns the writes of loc that a new read of thread t cannot read: it has seen a later one of the same thread, or, for the initial value, any other one.
// So the read would be before, in eco, what is before it in hb.
func (s *search) stale(t, loc int32) (writes uint64) {
	l := &s.g.Locs[loc]
	if len(l.Co)+len(s.promises) > 64 || s.java != nil {
		return 0
	}
	seen := s.seen(l, s.end(t))
	if seen&^1 != 0 {
		writes = 1
	}
	for rest := seen &^ 1 & (1<<len(l.Co) - 1); rest != 0; rest &= rest - 1 {
		w := &s.g.Events[l.Co[bits.TrailingZeros64(rest)]]
		for id := w.Prev; id != graph.None; id = s.g.Events[id].Prev {
			writes |= 1 << s.g.Events[id].Co
		}
	}
	return writes
}

// end returns what stands for the next event of thread t, which has begun.
func (s *search) end(t int32) *graph.Event {
	e := s.g.Events[s.g.Last(t)]
	e.Index++
	e.Kind = graph.Write
	return &e
}

// sees is seen for the access id. Unless a promise is about the location, it stays the same as long as the access is there: hb before it does, and the places of the writes do.
func (s *search) sees(l *graph.Loc, id graph.ID, settled bool) uint64 {
	if !settled {
		return s.seen(l, &s.g.Events[id])
	}
	e := &s.g.Events[id]
	for len(s.views) <= int(id) {
		s.views = append(s.views, 0)
	}
	if e.Memo == 0 {
		e.Memo = 1
		s.views[id] = s.seen(l, e)
	}
	return s.views[id]
}

// settled reports whether no promise is about loc, kept or not.
func (s *search) settled(loc int32) bool {
	for i := range s.promises {
		if s.g.Events[s.promises[i].read].Loc == loc {
			return false
		}
	}
	return s.java == nil
}

// seen returns the writes of l that are before the access e in hb, or read by a read that is: the last ones of each thread.
func (s *search) seen(l *graph.Loc, e *graph.Event) (writes uint64) {
	g := s.g
	for t := range l.Last {
		known := e.Index
		if int32(t) != e.Thread {
			known = g.Count(e.HB, int32(t))
		}
		for _, last := range [2]graph.ID{l.Last[t].Read, l.Last[t].Write} {
			for id := last; id != graph.None; id = g.Events[id].Prev {
				if x := &g.Events[id]; x.Index < known && (x.Thread != e.Thread || !s.mayGoBack(x, e)) {
					writes |= 1 << s.writeOf(id)
					break
				}
			}
		}
	}
	return writes
}

// writeOf returns the index in Loc.Co of the write that the access id is or reads; the number of a promise comes after
// those.
func (s *search) writeOf(id graph.ID) int32 {
	e := &s.g.Events[id]
	if e.Kind == graph.Write {
		return e.Co
	}
	if e.RF == graph.Init {
		for i := range s.promises {
			if p := &s.promises[i]; p.read == id && !p.kept {
				return int32(len(s.g.Locs[e.Loc].Co) + i)
			}
		}
	}
	return s.g.CoIndex(e.RF)
}
