package states

import (
	"cmp"
	"slices"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// Threads that one thread creates with the same function and argument, or one that the function never reads, are twins. States that differ only by which of the twins
// is where are explored once: the twins that run are kept in the order of their locals.
//
// That is sound because exchanging two twins maps moves to moves, wherever it is done. They run the same code, and nothing in a state tells
// one from the other but for
//   - their numbers, if they can see them: no instruction reads them, and twins allocate nothing and create no threads;
//   - the order in which their parent joins them, and their results. So the first join of a twin waits for all of them that run; after it
//     their parent must join the others before it does anything else, so that it makes no difference to anyone that it waited: what it would do
//     is looked at when it could go on for the first time (foresee). Twins return 0, and no other thread joins them;
//   - fairness, of threads by number: cycles are looked for without symmetry.
//
// All this is seen during the exploration: who is found to be no twin after all is not one when it is done again.

// An origin is what twins have in common.
type origin struct {
	parent int32
	fn     event.Addr
	arg    event.Value
}

// A family is what is known of twins. Explorations that follow each other share it.
type family struct {
	origins map[int32]origin // by thread
	unlike  map[origin]bool  // threads of this origin are not twins
	several map[int32]bool   // threads that have several origins
}

func newFamily() *family {
	return &family{map[int32]origin{}, map[origin]bool{}, map[int32]bool{}}
}

// findTwins fixes who are twins in this exploration.
func (r *run) findTwins() {
	if !r.opts.Symmetry {
		return
	}
	by := map[origin][]int32{}
	for t := int32(1); int(t) < r.threads; t++ {
		if o, ok := r.family.origins[t]; ok && !r.family.unlike[o] && !r.family.several[t] {
			by[o] = append(by[o], t)
		}
	}
	r.twinsOf = make([][]int32, r.threads)
	for _, twins := range by {
		if len(twins) < 2 {
			continue
		}
		r.groups = append(r.groups, twins)
		for _, t := range twins {
			r.twinsOf[t] = twins
		}
	}
	slices.SortFunc(r.groups, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
}

// isTwin reports whether t has twins in this exploration.
func (r *run) isTwin(t int32) bool { return r.twinsOf != nil && r.twinsOf[t] != nil }

// created notes where thread t comes from.
func (r *run) created(t int32, o origin) {
	if !r.opts.Symmetry {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.family
	if old, ok := f.origins[t]; ok {
		if old != o && !f.several[t] {
			f.several[t] = true
			if r.isTwin(t) {
				r.restart()
			}
		}
		return
	}
	if !f.unlike[o] {
		for _, p := range f.origins {
			if p == o { // a twin that nobody knew of
				r.restart()
			}
		}
	}
	f.origins[t] = o
}

// unlike notes that t differs from its twins.
func (r *run) unlike(t int32) {
	if !r.opts.Symmetry {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.family.unlike[r.family.origins[t]] = true
	if r.isTwin(t) {
		r.restart()
	}
}

// noteTwin looks whether what l is at tells its thread from its twins.
func (w *worker) noteTwin(l *local) {
	if l.thread == 0 {
		return
	}
	switch l.act.Kind {
	case machine.Alloc, machine.Create:
		w.unlike(l.thread)
	case machine.Exit:
		if l.act.Val != (event.Value{}) {
			w.unlike(l.thread)
		}
	}
}

// runs reports whether twin t was created and not joined.
func (w *worker) runs(t int32) bool {
	id := w.leaf(localLeaf(t))
	return id != 0 && !w.locals.at(id).local.joined
}

// hasEnded reports whether thread t, which was created, has come to its end.
func (w *worker) hasEnded(t int32) bool {
	return w.locals.at(w.leaf(localLeaf(t))).local.act.Kind == machine.Exit && w.leaf(bufferLeaf(t)) == 0
}

// allEnded reports whether all twins of t that were not joined have ended.
func (w *worker) allEnded(t int32) bool {
	return !slices.ContainsFunc(w.twinsOf[t], func(u int32) bool { return w.runs(u) && !w.hasEnded(u) })
}

// foresee looks at what l's thread, which waits for all twins of t, would do if it joined t now: it could, if one of them has
// ended, in this state or in one of its class.
func (w *worker) foresee(id uint32, l *local, t int32) {
	i := slices.IndexFunc(w.twinsOf[t], func(u int32) bool { return w.runs(u) && w.hasEnded(u) })
	if i < 0 || w.rec != nil { // for a trace it was looked at before
		return
	}
	mark, cost := len(w.changes), w.cost
	u := w.twinsOf[t][i]
	end := w.locals.at(w.twin(w.leaf(localLeaf(u)), t)).local
	w.set(localLeaf(u), w.twin(w.leaf(localLeaf(t)), u))
	w.set(bufferLeaf(u), w.leaf(bufferLeaf(t)))
	w.set(bufferLeaf(t), 0)
	w.set(localLeaf(t), w.join(end))
	if w.arrive(l.thread, w.resume(id, opResume, end.act.Val)) && w.goOn(l.thread) {
		w.joinedTwin(l.thread, t)
		id = w.leaf(localLeaf(l.thread))
		if next := w.locals.at(id).local; next.act.Kind == machine.Join && slices.Contains(w.twinsOf[t], int32(next.act.Val.Lo)) && w.runs(int32(next.act.Val.Lo)) {
			w.foresee(id, next, int32(next.act.Val.Lo))
		}
	} else {
		w.unlike(t)
	}
	for i := len(w.changes) - 1; i >= mark; i-- {
		w.tree[w.changes[i].node] = w.changes[i].old
	}
	w.changes, w.cost, w.fault = w.changes[:mark], cost, nil
}

// joinedTwin looks at what parent does after it has joined t.
func (w *worker) joinedTwin(parent, t int32) {
	twins := w.twinsOf[t]
	if w.family.parentOf(w.run, t) != parent {
		w.unlike(t)
		return
	}
	for _, u := range twins {
		if !w.runs(u) {
			continue
		}
		next := w.locals.at(w.leaf(localLeaf(parent))).local
		if a := &next.act; a.Kind != machine.Join || a.Val.Lo >= uint64(w.threads) || !w.isTwin(int32(a.Val.Lo)) || w.twinsOf[a.Val.Lo][0] != twins[0] {
			w.unlike(t)
		}
		return
	}
}

func (f *family) parentOf(r *run, t int32) int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return f.origins[t].parent
}

// A twinMemo is what a worker remembers of the locals of twins.
type twinMemo struct {
	id, twin uint32
	thread   int32
}

const twinMemoBits = 12

// twin returns the local of thread t that is like id, a local of one of its twins.
func (w *worker) twin(id uint32, t int32) uint32 {
	l := w.locals.at(id).local
	if l.thread == t {
		return id
	}
	m := &w.twinMemos[mix(uint64(id)<<10|uint64(t))>>(64-twinMemoBits)]
	if m.id == id && m.thread == t {
		return m.twin
	}
	words := append(w.local[:0], w.locals.words(id)...)
	w.local = words
	if words[localMeta]&ended != 0 {
		words[localMeta] = words[localMeta]&^(0xffff<<16) | uint64(t)<<16
	} else {
		machine.SetThread(words[localHeader+int(words[localMeta]>>32&0xffff):], int(t))
	}
	twin := w.locals.intern(words, func() *local {
		return l.like(t)
	})
	*m = twinMemo{id, twin, t}
	return twin
}

// eldest returns the local of the first of the twins of its thread that is like id.
func (w *worker) eldest(id uint32) uint32 {
	if t := w.locals.at(id).local.thread; w.isTwin(t) {
		return w.twin(id, w.twinsOf[t][0])
	}
	return id
}

// A berth is where a twin is.
type berth struct {
	local  uint32 // of the first of the twins
	buffer uint32
	thread int32
}

func (p *berth) before(q *berth) bool {
	return p.local < q.local || p.local == q.local && p.buffer < q.buffer
}

// sortTwins makes the state that the worker holds that of its class which is stored.
func (w *worker) sortTwins() {
	for _, twins := range w.groups {
		list := w.berths[:0]
		sorted := true
		for _, t := range twins {
			if !w.runs(t) {
				continue
			}
			p := berth{w.twin(w.leaf(localLeaf(t)), twins[0]), w.leaf(bufferLeaf(t)), t}
			i := len(list)
			for list = append(list, p); i > 0 && p.before(&list[i-1]); i-- {
				list[i] = list[i-1]
				sorted = false
			}
			list[i] = p
		}
		w.berths = list
		if !sorted {
			w.exchange(twins)
		}
	}
}

// exchange moves the twins to their places.
func (w *worker) exchange(twins []int32) {
	i := 0
	old := append(w.oldWere[:0], w.were...)
	w.oldWere = old
	for _, t := range twins {
		if !w.runs(t) {
			continue
		}
		p := &w.berths[i]
		i++
		w.set(localLeaf(t), w.twin(p.local, t))
		w.set(bufferLeaf(t), p.buffer)
		if w.were != nil {
			w.were[t] = old[p.thread]
		}
	}
}

// unsorted returns the moves of an execution whose states were sorted as those of the same one without that.
func (w *worker) unsorted(moves []move) []move {
	if len(w.groups) == 0 {
		return moves
	}
	w.were = make([]int32, w.threads)
	for t := range w.were {
		w.were[t] = int32(t)
	}
	defer func() { w.were = nil }()
	w.hold(w.initial)
	list := make([]move, 0, len(moves))
	for _, m := range moves {
		c := m
		c.thread = w.were[m.thread]
		list = append(list, c)
		w.perform(m)
		w.state()
		w.changes, w.inner = w.changes[:0], w.inner[:0]
	}
	return list
}
