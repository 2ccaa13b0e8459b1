package states

import (
	"cmp"
	"slices"

	"ravel/internal/event"
	"ravel/internal/machine"
)

// Symmetry reduction: states that are equal up to a permutation of symmetric threads are identified.
//
// Definition. Two threads are symmetric if the same parent creates them with the same function, and with the same argument or one that the function never
// reads. For a permutation π of a class of symmetric threads that run, π(s) is the state s in which the locals and buffers of these threads are permuted by π.
//
// Lemma 4. m leads from s to s' if and only if π(m) leads from π(s) to π(s').
//
// Proof. Symmetric threads run the same code. Three things in a state could tell one from another:
//   - Their numbers. No instruction reads them (machine.Program.Nameless), and symmetric threads allocate nothing and create no threads.
//   - The order in which the parent joins them, and their results. The first join of one waits for all that run. After it, the
//     parent must join the others before it does anything else. So nothing that another thread can see depends on the wait. The
//     parent's next action is looked at as soon as the first join is possible (foresee). Symmetric threads return 0, and no other thread joins them.
//   - Fairness, which is by thread. Cycles are looked for without symmetry.
//
// The exploration checks the conditions. If threads turn out not to be symmetric, it starts again without taking them as such. ∎
//
// So one state of each class {π(s)} is stored: the one in which the running threads are sorted by their locals and buffers (canonicalise).

// An origin holds the common properties of symmetric threads.
type origin struct {
	parent int32
	fn     event.Addr
	arg    event.Value
}

// A symmetry holds what is known of symmetric threads. Consecutive explorations share it.
type symmetry struct {
	origins map[int32]origin // by thread
	unlike  map[origin]bool  // threads of this origin are not symmetric
	several map[int32]bool   // threads that have several origins
}

func newSymmetry() *symmetry {
	return &symmetry{map[int32]origin{}, map[origin]bool{}, map[int32]bool{}}
}

// findSymmetric fixes the classes of symmetric threads of this exploration.
func (r *run) findSymmetric() {
	if !r.opts.Symmetry {
		return
	}
	by := map[origin][]int32{}
	for t := int32(1); int(t) < r.threads; t++ {
		if o, ok := r.symmetry.origins[t]; ok && !r.symmetry.unlike[o] && !r.symmetry.several[t] {
			by[o] = append(by[o], t)
		}
	}
	var classes [][]int32
	for _, class := range by {
		if len(class) > 1 {
			classes = append(classes, class)
		}
	}
	slices.SortFunc(classes, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
	r.setClasses(classes)
}

// setClasses fixes the classes of symmetric threads.
func (r *run) setClasses(classes [][]int32) {
	if !r.opts.Symmetry {
		return
	}
	r.classes = classes
	r.symmetricTo = make([][]int32, r.threads)
	for _, class := range classes {
		for _, t := range class {
			r.symmetricTo[t] = class
		}
	}
}

// isSymmetric reports whether t is in a class of symmetric threads.
func (r *run) isSymmetric(t int32) bool { return r.symmetricTo != nil && r.symmetricTo[t] != nil }

// created notes where thread t comes from.
func (r *run) created(t int32, o origin) {
	if !r.opts.Symmetry {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.symmetry
	if old, ok := f.origins[t]; ok {
		if old != o && !f.several[t] {
			f.several[t] = true
			if r.isSymmetric(t) {
				r.restart()
			}
		}
		return
	}
	if !f.unlike[o] {
		for _, p := range f.origins {
			if p == o { // a symmetric thread that was not known
				r.restart()
			}
		}
	}
	f.origins[t] = o
}

// unlike notes that t is not symmetric to other threads of its origin.
func (r *run) unlike(t int32) {
	if !r.opts.Symmetry {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.symmetry.unlike[r.symmetry.origins[t]] = true
	if r.isSymmetric(t) {
		r.restart()
	}
}

// noteAsymmetry notes if the action of l makes its thread asymmetric.
func (w *worker) noteAsymmetry(l *local) {
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

// runs reports whether thread t was created and not joined.
func (w *worker) runs(t int32) bool {
	id := w.leaf(localLeaf(t))
	return id != 0 && !w.locals.at(id).local.joined
}

// hasEnded reports whether thread t, which was created, has come to its end.
func (w *worker) hasEnded(t int32) bool {
	return w.locals.at(w.leaf(localLeaf(t))).local.act.Kind == machine.Exit && w.leaf(bufferLeaf(t)) == 0
}

// allEnded reports whether all threads of the class of t that were not joined have ended.
func (w *worker) allEnded(t int32) bool {
	return !slices.ContainsFunc(w.symmetricTo[t], func(u int32) bool { return w.runs(u) && !w.hasEnded(u) })
}

// foresee looks at the next action of l's thread, which waits for the class of t, after a join of t. The join is possible in a state of this
// class of states if one thread of the class has ended.
func (w *worker) foresee(id uint32, l *local, t int32) {
	i := slices.IndexFunc(w.symmetricTo[t], func(u int32) bool { return w.runs(u) && w.hasEnded(u) })
	if i < 0 || w.rec != nil { // for a trace it was looked at before
		return
	}
	mark, cost := len(w.changes), w.cost
	u := w.symmetricTo[t][i]
	end := w.locals.at(w.renamed(w.leaf(localLeaf(u)), t)).local
	w.set(localLeaf(u), w.renamed(w.leaf(localLeaf(t)), u))
	w.set(bufferLeaf(u), w.leaf(bufferLeaf(t)))
	w.set(bufferLeaf(t), 0)
	w.set(localLeaf(t), w.join(end))
	if w.arrive(l.thread, w.resume(id, opResume, end.act.Val)) && w.goOn(l.thread) {
		w.joinedSymmetric(l.thread, t)
		id = w.leaf(localLeaf(l.thread))
		if next := w.locals.at(id).local; next.act.Kind == machine.Join && slices.Contains(w.symmetricTo[t], int32(next.act.Val.Lo)) && w.runs(int32(next.act.Val.Lo)) {
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

// joinedSymmetric checks the next action of parent, which has joined t.
func (w *worker) joinedSymmetric(parent, t int32) {
	class := w.symmetricTo[t]
	if w.symmetry.parentOf(w.run, t) != parent {
		w.unlike(t)
		return
	}
	for _, u := range class {
		if !w.runs(u) {
			continue
		}
		next := w.locals.at(w.leaf(localLeaf(parent))).local
		if a := &next.act; a.Kind != machine.Join || a.Val.Lo >= uint64(w.threads) || !w.isSymmetric(int32(a.Val.Lo)) || w.symmetricTo[a.Val.Lo][0] != class[0] {
			w.unlike(t)
		}
		return
	}
}

func (f *symmetry) parentOf(r *run, t int32) int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return f.origins[t].parent
}

// A renameMemo remembers a result of renamed.
type renameMemo struct {
	id, renamed uint32
	thread      int32
}

const renameMemoBits = 12

// renamed returns the local of thread t that equals id, a local of a symmetric thread, up to the number of the thread.
func (w *worker) renamed(id uint32, t int32) uint32 {
	l := w.locals.at(id).local
	if l.thread == t {
		return id
	}
	m := &w.renameMemos[mix(uint64(id)<<10|uint64(t))>>(64-renameMemoBits)]
	if m.id == id && m.thread == t {
		return m.renamed
	}
	words := append(w.local[:0], w.locals.words(id)...)
	w.local = words
	if words[localMeta]&ended != 0 {
		words[localMeta] = words[localMeta]&^(0xffff<<16) | uint64(t)<<16
	} else {
		machine.SetThread(words[localHeader+int(words[localMeta]>>32&0xffff):], int(t))
	}
	renamed := w.locals.intern(words, func() *local {
		return l.like(t)
	})
	*m = renameMemo{id, renamed, t}
	return renamed
}

// representative returns the local of the first thread of the class that equals id.
func (w *worker) representative(id uint32) uint32 {
	if t := w.locals.at(id).local.thread; w.isSymmetric(t) {
		return w.renamed(id, w.symmetricTo[t][0])
	}
	return id
}

// A position is the local and the buffer of a symmetric thread.
type position struct {
	local  uint32 // of the first thread of the class
	buffer uint32
	thread int32
}

func (p *position) before(q *position) bool {
	return p.local < q.local || p.local == q.local && p.buffer < q.buffer
}

// canonicalise replaces the state that the worker holds by the stored state of its class.
func (w *worker) canonicalise() {
	for _, class := range w.classes {
		list := w.positions[:0]
		sorted := true
		for _, t := range class {
			if !w.runs(t) {
				continue
			}
			p := position{w.renamed(w.leaf(localLeaf(t)), class[0]), w.leaf(bufferLeaf(t)), t}
			i := len(list)
			for list = append(list, p); i > 0 && p.before(&list[i-1]); i-- {
				list[i] = list[i-1]
				sorted = false
			}
			list[i] = p
		}
		w.positions = list
		if !sorted {
			w.exchange(class)
		}
	}
}

// exchange permutes the threads of a class into sorted order.
func (w *worker) exchange(class []int32) {
	i := 0
	old := append(w.oldPerm[:0], w.perm...)
	w.oldPerm = old
	for _, t := range class {
		if !w.runs(t) {
			continue
		}
		p := &w.positions[i]
		i++
		w.set(localLeaf(t), w.renamed(p.local, t))
		w.set(bufferLeaf(t), p.buffer)
		if w.perm != nil {
			w.perm[t] = old[p.thread]
		}
	}
}

// unsorted returns the moves of an execution through canonical states as moves of the same execution without permutations.
func (w *worker) unsorted(moves []move) []move {
	if len(w.classes) == 0 {
		return moves
	}
	w.perm = make([]int32, w.threads)
	for t := range w.perm {
		w.perm[t] = int32(t)
	}
	defer func() { w.perm = nil }()
	w.hold(w.initial)
	list := make([]move, 0, len(moves))
	for _, m := range moves {
		c := m
		c.thread = w.perm[m.thread]
		list = append(list, c)
		w.perform(m)
		w.state()
		w.changes, w.inner = w.changes[:0], w.inner[:0]
	}
	return list
}
