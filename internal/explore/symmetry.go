package explore

import (
	"cmp"
	"maps"
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Symmetry: equal threads.
//
// Executions that differ only by a permutation of equal threads show the same. With Options.Twins one of them is looked for, not all.
//
// Definition. Threads are equal if one parent creates them, one after the other, with the same function, and with the same argument or one that the function
// never reads. The twin of a thread b is the equal thread a that was created before it. Event i of a thread is the i-th in program order, and so is its next event, if
// there is none yet. a and b are alike up to i if their events before i are the same reads, from the same writes and with the same outcome, and the same fences. So they have written nothing, and
// are in the same state.
//
// Rule S. Let b_i be a read of b, and let b and its twin a be alike up to i.
//
//  1. b_i is added after a_i, and after the write of a_i if that is of an RMW. These are in the prefix of b_i, which is a view of its own (Event.Needs): the
//     models know nothing of it.
//  2. b_i reads what a_i reads, or what is co-later, or a write that has in its prefix the event i of an equal thread that reads what a_i reads.
//  3. If b_i is a weak CAS that reads what a_i reads, and fails spuriously, then a_i does not write.
//
// Lemma 1. For each execution G, complete or not, there is a permutation π of equal threads such that π(G) obeys S.
//
// Proof. Consider the tree of what equal threads have done until they first write: threads that are alike up to i share a node of depth i, and the reads that come next lead to
// its children, one for each source and outcome. An RMW that writes is the only thread of its child. An order of the children of each node gives an order of threads, hence a permutation. Those that
// have no event i come last. The edges of 1 go, at each node, from one thread to the next.
//
// There is an order such that po ∪ rf ∪ the edges of 1 is acyclic. Take a linear extension of po ∪ rf in which what equal threads have alike is contiguous: their sources are the same, and
// what comes before is alike by induction. Order children by the first time that they appear in. All edges go along with time.
//
// Now let P and Q be neighbours among the children of a node of depth i, such that Q reads a co-earlier write s than P, and s has no event i of P in its prefix; or that both read s, P writes, and Q fails
// spuriously. Then s has no event i of P in its prefix either, as these read from s. Exchange them. The
// edges are still acyclic. For let D be the events that have an event i of P in their prefix. s is not in D. Nor is an event j < i of Q: its source is that of an
// event of P, or it comes from the parent, where nothing is between the creations that could depend on P. So there is a linear order: what is not in D, where the events before i of P and Q, which nothing but
// the threads themselves depends on, have changed places; the events i of Q; those of P; the rest of D. It extends po, rf and the new edges.
//
// Each exchange puts two children into the order of co, and of failures before writes. So they end, and then 2 and 3 hold between all neighbours. ∎
//
// Lemma 2. If equal threads can't be told apart, π(G) is an execution if G is one, with the same errors.
//
// Proof. It has the same events up to the names of threads. Models do not know these: they see that events are of one thread or of two. Four things could tell equal threads from one another:
//   - Their numbers. A thread that looks at its own (machine.Arena.Named), or that allocates something or creates threads, the addresses and numbers of which have its own, is not equal to others. Locks
//     of the library have the number of who holds them, but threads compare that only with their own. If the program itself reads what the library has written atomically, or copies it, there are no equal threads.
//   - When they begin. Between the creations of twins, their parent creates threads, and accesses what no other thread accesses or frees.
//   - When they end. Their parent waits for all of them. In between, it makes plain accesses that are no errors (harmless), of what no other thread accesses or frees. Nobody else waits for them, not even before the
//     last is created. That is looked at when it comes to the first of them, whether or not that has ended: in a permutation of the execution it has. So the parent need not come to these accesses in any execution that obeys
//     S, and no thread may access or free what they access, whether or not they are in the graph.
//   - Their results. They are 0.
//
// All of this is checked. What breaks a condition in G breaks it in π(G), and so it is found. Threads that are not equal in one graph are equal in none: what events need must be the same in all graphs. ∎
//
// Lemma 3. The exploration visits each execution that obeys S, as often as it does without S.
//
// Proof. It is right for consistency predicates that are closed under prefixes, and under the addition of maximal events. S is both, where the prefix is that of 1. The part of a graph that has
// the prefixes of all its events has for each b_i its a_i, their sources, and what 2 asks for. An event that is added maximally reads the co-latest write, which is a_i's or co-later. If a_i is missing, a
// comes first: it is at the same action as b, so it can move if b can. ∎ Whatever is deleted takes with it what has it in its prefix. So b_i never stays without a_i.
//
// An event that is added maximally does not fail spuriously either.
//
// With other reductions. Waiting (await.go), barriers (barrier.go), rounds of weak CASes and of waits (spurious.go, wakeup.go), reads that stand in for others (reread.go) and rule C (confirm.go) leave out executions,
// each of which shows what another one shows that they do not leave out.
//
// Lemma 4. If they leave out G, one that shows the same is visited.
//
// Proof. Let H be the one that shows what G shows and is not left out, and π(H) obey S. What they leave out goes by the states of threads and by the relations of the graph, so π(H) is not left out. It is visited:
//   - What they do not explore below a graph has a read that no write revisits and no revisit deletes, and because of which it is to be left out. That is so because the read is not maximal. More needs make fewer
//     events maximal.
//   - A thread that they stop is one of another program, in which it ends there. If equal threads come there alike, all of them stop: whether they do depends on their own events, up to the first write. What a wait of
//     a condition variable does depends on more, but a thread that may wake spuriously is not equal to others.
//   - What was learnt of locations must be so in all executions, and what is learnt in G is learnt in π(G), unless it is about a thread, or about choices, which S has fewer of. So where rounds (round.go), counters that
//     refuse (refuse.go), and stores that have no choice (spurious.go) matter, there are no equal threads. ∎
//
// Lemma 5. Models that allow cycles in po ∪ rf, by dependencies or by re-execution, are explored with S as long as there is nothing that leads to a cycle. If a program has an execution with a cycle, that is found, and it
// is explored without S.
//
// Proof. By buffer.go, arms.go, java.go and the theorem of xmm, an execution H without cycles shows that there may be one: by a pair of events, one of which is in the prefix of the other, or that race. So does π(H). ∎
//
// Under models that decide on complete executions (late.go) S is right for what is explored, and the decision is the same for G and π(G).
//
// Pieces of a search (item.go) have the same tree: which threads are equal is a function of what the Setup says. It has the origins that are not equal, and what parents have for themselves. Both only grow, and an
// exploration that comes to more of either does not count.
//
// With Options.Observed, the same executions are visited, and those with the same rf count once (merge.go). An exploration without co (trial.go) has no equal threads: it counts all rf.
//
// More than one permutation of an execution may obey S, above all if threads write first. So a count is an upper bound of what differs by more than a permutation.

// An Origin is what equal threads have in common.
type Origin struct {
	Parent int32
	Func   event.Addr
	Arg    event.Value
}

func (o Origin) compare(p Origin) int {
	return cmp.Or(cmp.Compare(o.Parent, p.Parent), cmp.Compare(o.Func, p.Func), cmp.Compare(o.Arg.Hi, p.Arg.Hi), cmp.Compare(o.Arg.Lo, p.Arg.Lo))
}

// An Owning says that no thread but the parent may access Addr: the parent does so between the creations or the joins of threads that are equal.
type Owning struct {
	Addr   event.Addr
	Origin Origin
}

func (o Owning) compare(p Owning) int {
	return cmp.Or(cmp.Compare(o.Addr, p.Addr), o.Origin.compare(p.Origin))
}

// twins is what a worker knows of equal threads, nil if there are none.
type twins struct {
	*worker
	owners bool            // lock words have numbers of threads
	owned  [][]Origin      // by location: those of the Ownings; nil if unknown
	noted  map[Origin]bool // threads of these origins are not equal
	found  map[Owning]bool // what is not known yet
}

// mayBeTwins reports whether equal threads are looked for.
func (w *worker) mayBeTwins() bool {
	o := &w.opts
	return o.Twins && !w.allUnlike && w.cyclic == nil && !w.observed && o.Hunt == 0 && o.Bound == 0 && o.sample == nil && !o.AllRounds
}

// needs returns the view of what a revisit keeps with e.
func (w *worker) needs(e *graph.Event) graph.View {
	if w.twins != nil {
		return e.Needs
	}
	return e.Prefix
}

// needed reports whether event id is in the prefix of e, or is e itself.
func (w *worker) needed(id graph.ID, e *graph.Event) bool { return w.g.Within(id, w.needs(e), e) }

// twinOf returns the twin of thread t, 0 if it has none.
func (s *twins) twinOf(t int32) int32 {
	if evs := s.g.Threads[t]; len(evs) > 0 {
		return s.g.Events[evs[0]].Memo
	}
	return 0
}

// first returns the first of the threads that are equal to t.
func (s *twins) first(t int32) int32 {
	for a := s.twinOf(t); a != 0; a = s.twinOf(t) {
		t = a
	}
	return t
}

// creation returns the event that created thread t, which is not main.
func (s *twins) creation(t int32) *graph.Event { return &s.g.Events[s.g.Events[s.g.Threads[t][0]].RF] }

// originOf returns where the thread comes from that an event creates.
func (s *twins) originOf(create *graph.Event) Origin {
	act := &s.pends[create.Pend].act
	o := Origin{create.Thread, act.Addr, act.Val}
	if s.prog.IgnoresArgument(act.Addr) {
		o.Arg = event.Value{}
	}
	return o
}

// maxBetweenCreations is how many events of a parent are looked at for the creation of a twin.
const maxBetweenCreations = 64

// find sets the twin of the thread that starts with event start. If that is the first thread with a twin, the program is explored again: only then do
// events know what they need.
func (s *twins) find(start graph.ID) {
	g := s.g
	create := &g.Events[g.Events[start].RF]
	o := s.originOf(create)
	evs := g.Threads[create.Thread]
	for i := int(create.Index) - 1; i >= 0 && i >= int(create.Index)-maxBetweenCreations; i-- {
		switch e := &g.Events[evs[i]]; e.Kind {
		case graph.Create:
			if s.originOf(e) != o {
				continue
			}
			if s.links(o) {
				if s.twins == nil {
					s.startAgain(func(r *run) { r.twinned = true })
					return
				}
				s.ownsAll(o, evs[i:create.Index])
				g.Events[start].Memo = int32(e.Val.Lo)
				g.Events[start].Alike = true
			}
			return
		case graph.Read, graph.Write:
		default:
			return
		}
	}
}

// ownsAll notes that only the parent may access the locations of events between creations.
func (s *twins) ownsAll(o Origin, evs []graph.ID) {
	for _, id := range evs {
		if e := &s.g.Events[id]; e.Kind != graph.Create {
			s.owns(o, e.Loc)
		}
	}
}

// owns notes that only the parent may access loc.
func (s *twins) owns(o Origin, loc int32) {
	if slices.Contains(s.ownedBy(loc), o) {
		return
	}
	if s.found == nil {
		s.found = map[Owning]bool{}
	}
	s.found[Owning{s.g.Locs[loc].Addr, o}] = true
}

// ownedBy returns the origins of the Ownings of loc.
func (s *twins) ownedBy(loc int32) []Origin {
	for int(loc) >= len(s.owned) {
		s.owned = append(s.owned, nil)
	}
	if s.owned[loc] == nil {
		s.owned[loc] = []Origin{}
		for _, o := range s.ownings {
			if o.Addr == s.g.Locs[loc].Addr {
				s.owned[loc] = append(s.owned[loc], o.Origin)
			}
		}
	}
	return s.owned[loc]
}

// maxOwnings bounds the places that only a parent may access: each may have the exploration start again.
const maxOwnings = 1000

// learnsOwnings has the program explored again if there are Ownings that were not known: all accesses of these places are to be looked at.
func (s *twins) learnsOwnings() {
	if len(s.found) == 0 {
		return
	}
	found := slices.Collect(maps.Keys(s.found))
	s.found = nil
	s.startAgain(func(r *run) {
		r.ownings = append(slices.Clip(r.ownings), found...)
		slices.SortFunc(r.ownings, Owning.compare)
		r.ownings = slices.Compact(r.ownings)
		r.allUnlike = r.allUnlike || len(r.ownings) > maxOwnings
	})
}

// links reports whether threads of an origin may be twins, and notes that there are some.
func (s *twins) links(o Origin) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.allUnlike || s.unlike[o] {
		return false
	}
	if s.linked == nil {
		s.linked = map[Origin]bool{}
	}
	s.linked[o] = true
	s.forget()
	return true
}

// unequal notes that thread t is not equal to others of its origin. If some were taken for its equals, the program is explored again.
func (s *twins) unequal(t int32) {
	if t != 0 {
		s.unlikeFrom(s.originOf(s.creation(t)))
	}
}

// unlikeFrom notes that threads of an origin are not equal.
func (s *twins) unlikeFrom(o Origin) {
	if s.noted[o] {
		return
	}
	if s.noted == nil {
		s.noted = map[Origin]bool{}
	}
	s.noted[o] = true
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unequals == nil {
		s.unequals = map[Origin]bool{}
	}
	s.unequals[o] = !s.unlike[o]
	s.forget()
}

// none has the program explored without twins.
func (s *twins) none() {
	s.startAgain(func(r *run) { r.allUnlike = true })
}

// forget has the program explored again, as if it had no twins, if it relied on some that are none. The caller has locked mu.
func (s *twins) forget() {
	var wrong []Origin
	for o, isNew := range s.unequals {
		if isNew && s.linked[o] {
			wrong = append(wrong, o)
		}
	}
	if len(wrong) == 0 {
		return
	}
	unlike := maps.Clone(s.unlike)
	if unlike == nil {
		unlike = map[Origin]bool{}
	}
	for _, o := range wrong {
		unlike[o] = true
	}
	s.unlike, s.twinned, s.run.again = unlike, false, true
	s.stop.Store(true)
}

// arrived looks at the action that thread t came to.
func (s *twins) arrived(t int32) {
	switch act := &s.pendingOf(t).act; act.Kind {
	case machine.Alloc, machine.Create:
		s.unequal(t)
	case machine.Exit:
		if act.Val != (event.Value{}) {
			s.unequal(t)
		}
	case machine.Choice:
		if act.Weak {
			s.unequal(t)
		}
	case machine.Join:
		s.awaits(t, act.Val.Lo)
	}
}

// awaits looks at what thread t does, which is about to wait for another: if that has equals, t has to wait for all of them.
func (s *twins) awaits(t int32, tid uint64) {
	if tid >= uint64(len(s.g.Threads)) || len(s.g.Threads[tid]) == 0 {
		return // an error
	}
	u := int32(tid)
	if u == 0 || s.creation(u).Thread != t {
		s.unequal(u) // even if its equals are yet to be created
		return
	}
	first, n := s.first(u), 0
	for v := range s.g.Threads {
		if s.first(int32(v)) == first && s.g.Events[s.ended(uint64(v))].Co == 0 {
			n++ // it is to be joined
		}
	}
	if n == 1 && first == u {
		return
	}
	o := s.originOf(s.creation(u))
	seen := map[int32]bool{}
	stored := map[int32]event.Value{}
	p := s.cur[t]
	for range maxBetween * n {
		var got event.Value
		switch act := &s.pends[p].act; act.Kind {
		case machine.Join:
			v := int32(act.Val.Lo)
			if act.Val.Lo >= uint64(len(s.g.Threads)) || s.first(v) != first || seen[v] {
				s.unequal(u)
				return
			}
			if seen[v] = true; len(seen) == n {
				return
			}
		case machine.Load, machine.Store:
			loc, ok := s.harmless(t, p)
			if !ok {
				s.unequal(u)
				return
			}
			s.owns(o, loc)
			if act.Kind == machine.Store {
				stored[loc] = act.Val
			} else if v, ok := stored[loc]; ok {
				got = v
			} else {
				co := s.g.Locs[loc].Co
				got = s.valueOf(co[len(co)-1], loc)
			}
		default:
			s.unequal(u)
			return
		}
		p = s.resumed(p, got)
	}
	s.unequal(u)
}

// harmless returns the location of the access that thread t comes to at the pending p, and whether that is plain and no error. It may never come to it: the threads that it waits
// for need not all end.
func (s *twins) harmless(t int32, p uint32) (loc int32, ok bool) {
	act := &s.pends[p].act
	if act.Mode != event.NA || act.Part {
		return 0, false
	}
	at := s.cur[t]
	s.cur[t], s.tentative = p, true
	if loc, ok = s.locate(t); ok && act.Kind == machine.Load && len(s.g.Locs[loc].Co) == 1 {
		ok = s.initialised(t, loc)
	}
	s.cur[t], s.tentative = at, false
	obj := int32(-1)
	if ok {
		obj = s.object[loc]
	}
	return loc, ok && (obj < 0 || s.g.Events[s.g.Locs[obj].Alloc].Thread == t)
}

// named notes that a thread has looked at its number.
func (s *twins) named() {
	t := s.arena.Named
	s.arena.Named = 0
	s.unequal(int32(t))
}

// waits reports whether thread t, at a read, waits until its twin has read.
func (s *twins) waits(t int32) bool {
	n := len(s.g.Threads[t])
	return s.g.Events[s.g.Threads[t][n-1]].Alike && len(s.g.Threads[s.twinOf(t)]) <= n
}

// twinRead returns the event of its twin that corresponds to the next read of t, of loc, if the two are alike up to there.
func (s *twins) twinRead(t, loc int32) *graph.Event {
	evs := s.g.Threads[t]
	if !s.g.Events[evs[len(evs)-1]].Alike {
		return nil
	}
	a := &s.g.Events[s.g.Threads[s.twinOf(t)][len(evs)]]
	if a.Loc != loc { // of a block that was allocated again
		s.none()
		return nil
	}
	return a
}

// inOrder reports whether the next read of t, of loc, may read from src: rule S, 2.
func (s *twins) inOrder(t, loc int32, src graph.ID) bool {
	a := s.twinRead(t, loc)
	if a == nil || a.RF == src || s.g.CoIndex(a.RF) < s.g.CoIndex(src) {
		return true
	}
	if src == graph.Init {
		return false
	}
	from := &s.g.Events[src]
	first := s.first(t)
	for u := range s.g.Threads {
		if n := s.g.Threads[u]; len(n) > int(a.Index) && int32(u) != t && s.first(int32(u)) == first {
			if e := &s.g.Events[n[a.Index]]; e.Kind == graph.Read && e.Loc == loc && e.RF == a.RF && s.g.Within(n[a.Index], from.Needs, from) {
				return true
			}
		}
	}
	return false
}

// mayFail reports whether the weak CAS that t is at may read from src and fail: rule S, 3.
func (s *twins) mayFail(t, loc int32, src graph.ID) bool {
	a := s.twinRead(t, loc)
	return a == nil || a.RF != src || a.Flags&graph.RMWPart == 0
}

// learns gives e, which reads from src or follows it, what that needs.
func (s *twins) learns(e *graph.Event, src graph.ID) {
	if from := &s.g.Events[src]; src != graph.Init && from.Thread != e.Thread {
		e.Needs = s.g.JoinEvent(e.Needs, from.Needs, from, e.Thread)
	}
}

// reads completes the read e, which is new.
func (s *twins) reads(e *graph.Event) {
	s.learns(e, e.RF)
	if len(s.ownings) > 0 || s.owners {
		s.checkRead(e)
	}
	a := s.twinRead(e.Thread, e.Loc)
	if a == nil {
		return
	}
	if !s.ordered.Load() {
		s.ordered.Store(true)
	}
	n := a.Index + 1
	if a.Flags&graph.RMWPart != 0 {
		n++
	}
	e.Needs = s.g.Join(e.Needs, a.Needs, a.Thread, n, e.Thread)
	e.Alike = a.RF == e.RF && (a.Flags|e.Flags)&graph.RMWPart == 0 && (a.Flags^e.Flags)&graph.Spurious == 0
}

// checkRead looks at who else accesses what e reads.
func (s *twins) checkRead(e *graph.Event) {
	s.accesses(e.Thread, e.Loc)
	if e.RF == graph.Init || !s.owners {
		return
	}
	if s.isOfLibrary(&s.g.Events[e.RF]) && !s.isOfLibrary(e) {
		s.none()
	}
}

// isOfLibrary reports whether e is an atomic access of the library, as those of lock words are.
func (s *twins) isOfLibrary(e *graph.Event) bool {
	return e.Mode != event.NA && s.pends[e.Pend].act.Private
}

// frees looks at who else accesses the object obj, which t frees.
func (s *twins) frees(t, obj int32) {
	for _, loc := range s.parts[obj] {
		s.accesses(t, loc)
	}
}

// accesses looks at whether a location that t accesses or frees is one that another thread must have for itself.
func (s *twins) accesses(t, loc int32) {
	if len(s.ownings) == 0 {
		return
	}
	for _, o := range s.ownedBy(loc) {
		if o.Parent != t {
			s.unlikeFrom(o)
		}
	}
}
