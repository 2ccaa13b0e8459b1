package states

import (
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/machine"
)

// A move is one way to go on from a state.
type move struct {
	thread int32
	kind   moveKind
	arg    int32 // choose: the number chosen; leave: the place in the buffer; reuse: the leaf of the block
}

type moveKind uint8

const (
	act      moveKind = iota // the thread performs what it is at
	spurious                 // … a weak CAS that fails though it need not, or a wait that ends without a signal
	choose
	now   // a load is not deferred, if what it reads is undefined
	leave // an entry leaves the thread's buffer
	reuse // an allocation returns a block that was freed
)

// moves calls f for every way to go on from the state that the worker holds, whether or not it is possible.
func (w *worker) moves(f func(move)) { w.movesOf(allThreads, f) }

// movesOf is moves for a persistent set.
func (w *worker) movesOf(c persistentSet, f func(move)) {
	if t := w.alone(); t >= 0 {
		w.movesOfThread(t, whole, f)
		return
	}
	for t := range int32(w.threads) {
		if c.threads == everyone || c.threads.Has(t) {
			w.movesOfThread(t, c.part, f)
		}
	}
}

// movesOfThread is moves for one thread.
func (w *worker) movesOfThread(t int32, part setPart, f func(move)) {
	if id := w.leaf(bufferLeaf(t)); id != 0 && part != actions {
		list := w.buffer(t)
		for i, n := 0, len(list); i < n && (i == 0 || part != front); i++ {
			if w.mayLeave(list, i) && (i == 0 || !list[i].plain || w.needsOut(t, &list[i])) {
				f(move{t, leave, int32(i)})
				list = w.buffer(t)
			}
		}
	}
	id := w.leaf(localLeaf(t))
	if id == 0 || part == front {
		return
	}
	l := w.locals.at(id).local
	switch l.act.Kind {
	case machine.Exit, machine.Block:
	case waitKind:
		if l.issue != nil {
			f(move{t, act, 0})
			if w.mayFail(l.issue) {
				f(move{t, spurious, 0})
			}
		}
		for i := range l.outcomes {
			f(move{t, choose, int32(i)})
		}
	case machine.Choice:
		for i := range l.act.N {
			kind := choose
			if l.act.Weak && i > 0 {
				kind = spurious
			}
			f(move{t, kind, int32(i)})
		}
	case machine.Alloc:
		f(move{t, act, 0})
		w.reusable(l, func(leaf int32) bool {
			f(move{t, reuse, leaf})
			return true
		})
	case machine.RMW:
		f(move{t, act, 0})
		if w.mayFail(&l.act) {
			f(move{t, spurious, 0})
		}
	case machine.Load:
		f(move{t, act, 0})
		if w.opts.Machine.Undef && w.defers(l) {
			f(move{t, now, 0})
		}
	default:
		f(move{t, act, 0})
	}
}

// over reports whether a thread is about to end the program. It may take its time: until then the others go on.
func (w *worker) over() bool {
	for t := range int32(w.threads) {
		if w.ends(t) {
			return true
		}
	}
	return false
}

// ends reports whether thread t is about to end the program.
func (w *worker) ends(t int32) bool {
	id := w.leaf(localLeaf(t))
	if id == 0 {
		return false
	}
	a := &w.locals.at(id).local.act
	return a.Kind == machine.Block && a.Block == machine.Ended
}

// perform makes a move, and what follows from it without a choice. It returns false if the move is not possible now, or
// is an error: then w.fault is set. w.cost says which model it takes.
func (w *worker) perform(m move) bool {
	w.cost = SC
	w.fault, w.wrong = nil, false
	if m.kind == leave {
		return w.leave(m.thread, int(m.arg)) && w.goOn(m.thread)
	}
	id := w.leaf(localLeaf(m.thread))
	l := w.locals.at(id).local
	return w.do(m, id, l) && w.goOn(m.thread)
}

// do performs the action of l.
func (w *worker) do(m move, id uint32, l *local) bool {
	t := l.thread
	a := &l.act
	switch a.Kind {
	case machine.Load:
		return w.doLoad(id, l, m.kind == now)
	case machine.Store:
		return w.doStore(id, l)
	case machine.RMW:
		return w.doRMW(id, l, m.kind == spurious)
	case waitKind:
		if m.kind == choose {
			return w.guessBranch(id, l, m.arg)
		}
		return w.issue(id, l, m.kind == spurious)
	case machine.Fail:
		w.fail(l, a.Error)
		return false
	case machine.Fence:
		if a.Tag.IsRCU() {
			w.fail(l, &machine.Error{Kind: machine.Unsupported, Message: a.Tag.String() + " is known to --model lkmm only"})
			return false
		}
		list := w.buffer(t)
		if w.fenceWaits(a.Mode, list) {
			return false
		}
		if w.barrierBefore(a.Mode, true) && len(list) > 0 {
			w.setBuffer(t, append(list, entry{kind: barrier}))
		}
		w.record(l, event.Value{})
		return w.arrive(t, w.resume(id, opResume, event.Value{}))
	case machine.Create:
		return w.doCreate(id, l)
	case machine.Join:
		return w.doJoin(id, l)
	case machine.Alloc:
		if m.kind == reuse {
			return w.allocAgain(m.arg, id, l)
		}
		if !w.alloc(l) {
			return false
		}
		w.record(l, event.Value{Lo: uint64(a.Addr)})
		w.reclaim(t)
		return w.arrive(t, w.resume(w.leaf(localLeaf(t)), opResume, event.Value{Lo: uint64(a.Addr)}))
	case machine.Free:
		if !w.free(l) {
			return false
		}
		w.record(l, event.Value{})
		ok := w.arrive(t, w.resume(id, opResume, event.Value{}))
		w.reclaim(int32(a.Addr.Owner()) - 1)
		return ok
	case machine.Size:
		head, ok := w.freeable(l)
		if !ok {
			return false
		}
		return w.arrive(t, w.resume(id, opResume, event.Value{Lo: head >> objShift}))
	case machine.Next:
		child, ok := w.threadOf(t, int(l.creates))
		if !ok {
			return false
		}
		return w.arrive(t, w.resume(id, opResume, event.Value{Lo: uint64(child)}))
	case machine.Choice:
		if a.Values != nil && a.Values.Some && w.sampled.Load() == nil {
			c := *a
			w.sampled.Store(&c)
		}
		v := event.Value{Lo: uint64(m.arg)}
		w.record(l, v)
		return w.arrive(t, w.resume(id, opResume, v))
	}
	w.fail(l, &machine.Error{Kind: machine.Unsupported, Message: "the explicit-state engine does not know this action"})
	return false
}

// doLoad performs a load, or puts it into the buffer. A load that reads what is undefined is not performed from there: the machine
// could not say where it goes. It may be performed now instead: no thread has written there by then, so none can see a difference.
func (w *worker) doLoad(id uint32, l *local, now bool) bool {
	a := &l.act
	if !w.validAccess(l) {
		return false
	}
	if w.leaf(bufferLeaf(l.thread)) != 0 && !w.bypasses {
		list := w.buffer(l.thread)
		at, open := source(list, a.Addr, a.Size)
		if w.defers(l) && !now {
			switch {
			case at < 0 || open:
				return w.deferLoad(id, l, list)
			case !list[at].covers(a.Addr, a.Size):
				if k := incompleteAt(list, at, a.Addr, a.Size); k >= 0 {
					return w.aliasLoad(id, l, list, at, k)
				}
				return w.deferLoad(id, l, list)
			}
		}
		if at >= 0 && !list[at].covers(a.Addr, a.Size) {
			return false // it waits until that is in memory
		}
		w.overtakes(list, false, l.pastDeferred)
		if at >= 0 {
			v := list[at].part(a.Addr, a.Size)
			if now && v.Hi == 0 {
				return false
			}
			if open && !w.passes(l.thread, a.Addr, uint64(a.Size)) {
				return false
			}
			w.record(l, v)
			return w.arrive(l.thread, w.resume(id, opResume, v))
		}
		if !w.passes(l.thread, a.Addr, uint64(a.Size)) {
			return false
		}
	} else if w.defers(l) && !w.bypasses && !now {
		return w.deferLoad(id, l, nil)
	}
	leaf := w.leafOf(l)
	if !w.initialised(l, leaf) {
		return false
	}
	v := w.value(leaf, a.Addr, a.Size)
	if now && v.Hi == 0 {
		return false
	}
	w.record(l, v)
	return w.arrive(l.thread, w.resume(id, opResume, v))
}

func (w *worker) doStore(id uint32, l *local) bool {
	a := &l.act
	if !w.validAccess(l) {
		return false
	}
	v := a.Val.Mask(a.Size)
	list := w.buffer(l.thread)
	waits, direct := w.storeWaits(a, list)
	if waits {
		return false
	}
	direct = direct || w.bypasses
	if !direct && w.bufferFull(list) {
		return false
	}
	if w.barrierBefore(a.Mode, false) && len(list) > 0 {
		list = append(list, entry{kind: barrier})
		w.setBuffer(l.thread, list)
	}
	if direct {
		w.record(l, v)
		w.recordLeft(l, v)
		return w.put(w.leafOf(l), a.Addr, a.Size, v) && w.arrive(l.thread, w.resume(id, opResume, event.Value{}))
	}
	e := l.entry(false)
	e.plain = w.plain && a.Mode == event.NA
	w.setBuffer(l.thread, append(list, e))
	w.record(l, v)
	return w.arrive(l.thread, w.resume(id, opResume, event.Value{}))
}

// bufferFull reports whether there is no room for another entry. Then what is explored is not all that the model allows.
func (w *worker) bufferFull(list []entry) bool {
	n := 0
	for i := range list {
		if list[i].kind != barrier && list[i].kind != branch {
			n++
		}
	}
	if n < w.opts.Buffer {
		return false
	}
	w.bounded.Store(true)
	return true
}

func (w *worker) doRMW(id uint32, l *local, spurious bool) bool {
	a := &l.act
	if !w.validAccess(l) {
		return false
	}
	if w.model >= RMO && isRelaxed(a) && !w.bypasses {
		return w.deferRMW(id, l, spurious)
	}
	leaf := w.leafOf(l)
	v := w.value(leaf, a.Addr, a.Size)
	writes := a.RMW.Succeeds(v, a.Exp)
	if spurious && !writes {
		return false
	}
	mode := a.Mode
	if !writes || spurious {
		mode = a.Fail
	}
	if w.leaf(bufferLeaf(l.thread)) != 0 {
		list := w.buffer(l.thread)
		if w.rmwWaits(a, mode, list) {
			return false
		}
		if !w.bypasses {
			w.overtakes(list, writes && !spurious || w.model == PSO, l.pastDeferred)
			if !w.passes(l.thread, a.Addr, uint64(a.Size)) {
				return false
			}
		}
	}
	if !w.initialised(l, leaf) {
		return false
	}
	if spurious {
		w.recordRMW(l, v, v, false)
		return w.arrive(l.thread, w.resume(id, opFail, v))
	}
	if writes {
		x := a.RMW.Apply(v, a.Val, a.Size)
		w.recordRMW(l, v, x, true)
		if !w.put(leaf, a.Addr, a.Size, x) {
			return false
		}
	} else {
		w.recordRMW(l, v, v, false)
	}
	return w.arrive(l.thread, w.resume(id, opResume, v))
}

func (w *worker) doCreate(id uint32, l *local) bool {
	if w.leaf(bufferLeaf(l.thread)) != 0 {
		return false
	}
	child, ok := w.threadOf(l.thread, int(l.creates))
	if !ok {
		return false
	}
	from := origin{l.thread, l.act.Addr, l.act.Val}
	if w.prog.IgnoresArgument(from.fn) {
		from.arg = event.Value{}
	}
	w.created(child, from)
	w.record(l, event.Value{Lo: uint64(child)})
	if !w.arrive(l.thread, w.resume(id, opCreated, event.Value{Lo: uint64(child)})) {
		return false
	}
	if !w.begin(child, l.act.Addr, l.act.Val) {
		return false
	}
	first := w.locals.at(w.leaf(localLeaf(child))).local.future
	w.leads(l.future, first)
	if w.isSymmetric(child) {
		w.starts.Store(child, first)
	}
	return w.goOn(child)
}

// begin starts thread t.
func (w *worker) begin(t int32, fn event.Addr, arg event.Value) bool {
	var a machine.Action
	w.arena.Release(0)
	w.thawed, w.below = w.thawed[:0], 0
	s := w.prog.Start(&w.arena, int(t), fn, arg, &a)
	if w.rec != nil {
		w.rec.start(t, fn)
	}
	return w.arrive(t, step{next: w.freeze(s, &a, t, lineage{}, nil, 0, -1)})
}

func (w *worker) doJoin(id uint32, l *local) bool {
	if w.leaf(bufferLeaf(l.thread)) != 0 {
		return false
	}
	tid := l.act.Val.Lo
	if tid >= uint64(w.threads) {
		return false
	}
	t := int32(tid)
	symmetric := w.isSymmetric(t)
	if symmetric && w.runs(t) && !w.allEnded(t) {
		w.foresee(id, l, t)
		return false
	}
	target := w.leaf(localLeaf(t))
	if target == 0 || w.leaf(bufferLeaf(t)) != 0 {
		return false
	}
	end := w.locals.at(target).local
	if end.act.Kind != machine.Exit {
		return false
	}
	if end.joined {
		w.fail(l, engine.JoinedBefore(), about{event.Addr(tid), joinedBefore})
		return false
	}
	w.record(l, end.act.Val)
	w.set(localLeaf(t), w.join(end))
	ok := w.arrive(l.thread, w.resume(id, opResume, end.act.Val))
	if symmetric && ok {
		ok = w.goOn(l.thread)
		w.joinedSymmetric(l.thread, t)
	}
	return ok
}

// arrive moves thread t to where a step leads. It returns false if that is an error.
func (w *worker) arrive(t int32, st step) bool {
	if w.leaf(localLeaf(t)) == st.next && len(w.changes) > 0 {
		w.turned(st.next)
	}
	w.set(localLeaf(t), st.next)
	if st.fill != 0 && !w.fillAccesses(t, st.fill) {
		return false
	}
	if st.drop != 0 {
		w.dropLoads(t, st.drop)
	}
	l := w.locals.at(st.next).local
	switch l.act.Kind {
	case machine.Fail:
		if w.guesses() { // it is one once they are right
			return true
		}
		w.fail(l, l.act.Error)
		return false
	case machine.Exit:
		if w.rec != nil {
			w.rec.end(l)
		}
	case machine.Block:
		switch l.act.Block {
		case machine.Unroll:
			w.unroll.Store(true)
		case machine.Ended:
			w.ended.Store(true)
		}
	}
	return true
}

// turned notes that a thread has changed something and is where it was.
func (w *worker) turned(id uint32) {
	if !w.revisits.Load() {
		w.revisits.Store(true)
	}
	if !w.lockRevisits.Load() && w.locals.at(id).local.lock {
		w.lockRevisits.Store(true)
	}
}
