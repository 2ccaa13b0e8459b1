package states

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/limits"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// A worker explores states. It holds one at a time (vector.go).
type worker struct {
	*run
	arena       machine.Arena
	tree        []uint32
	changes     []change
	inner       []change
	dirty       []int32
	memos       []memo
	pairMemos   []pairMemo
	decoded     [1 << decodedBits]decoded
	renameMemos []renameMemo
	initOf      []uint32  // by page: the chunk of its initial value
	slots       [][]int32 // by thread, by slot: its leaf (slotLeaf)

	// Scratch space.
	words, top, local, entryWords []uint64
	entries                       []entry
	thawed                        []thawed
	below                         uint32 // the frame below those in the arena, 0 if all are there
	lazy                          *machine.Lazy
	positions                     []position
	steps                         []nextStep
	plains                        []entry
	unnoted                       bool // mayMeet has said no, which is not noted
	noted                         bool // of steps: there is none of that
	oldPerm                       []int32

	// Of the present move.
	cost  Model
	fault *fault
	wrong bool // a guess was wrong: the execution does not count (guess.go)
	rec   *recorder
	// The variable is the thread's own, so the access need not wait in the buffer. The effect of its mode on the buffer stays, because it orders other
	// accesses.
	bypasses bool

	concrete bool    // do not permute symmetric threads
	perm     []int32 // if not nil: by thread, which one it was at the beginning

	waited map[noted]bool

	level   Model
	reached []reached        // from the present state
	next    []uint64         // states found that the level still has to explore
	later   [models][]uint64 // states found by relaxing more than the level allows
	moved   int64
	atEnd   bool // the program has come to its end in the state that stuck looked at
}

func newWorker(r *run) *worker {
	w := &worker{
		run: r, tree: make([]uint32, 2*r.leaves), memos: make([]memo, 1<<memoBits), pairMemos: make([]pairMemo, 1<<pairMemoBits),
	}
	w.arena.Stop = func() bool {
		w.watch()
		return r.stop.Load()
	}
	if len(r.classes) > 0 {
		w.renameMemos = make([]renameMemo, 1<<renameMemoBits)
	}
	return w
}

// A fault is an error of the program.
type fault struct {
	err    *machine.Error
	pos    ir.Pos
	thread int32
	abouts []about
}

// An about is something that has to do with a fault: what was done with the object at base, or another thread's access.
type about struct {
	base event.Addr
	what aboutKind
}

type aboutKind uint8

const (
	allocated aboutKind = iota
	freed
	freedBefore
	pointsInto
	joinedBefore // thread base
	otherAccess  // of thread base
	otherWaiter  // thread base
)

// fail leaves an error of what l is about to do.
func (w *worker) fail(l *local, err *machine.Error, abouts ...about) {
	w.fault = &fault{err, l.pos, l.thread, abouts}
}

func (w *worker) failMemory(l *local, msg string, abouts ...about) {
	w.fail(l, &machine.Error{Kind: machine.MemoryError, Message: msg}, abouts...)
}

// found is an error and where it was found.
type found struct {
	fault
	level Model // the strongest model that has it
	loc   report.Location
	lasso *lasso
}

// same reports whether two faults are the same to a user.
func (r *run) same(f *fault, g *found) bool {
	return f.err.Kind == g.err.Kind && r.namer.Location(f.pos) == g.loc
}

// report notes the fault of the present move or state.
func (w *worker) report(f *fault, level Model, l *lasso) {
	r := w.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.err.Untracked {
		r.undefined.Store(true)
		r.stop.Store(true)
		return
	}
	loc := r.namer.Location(f.pos)
	if f.err.Endless {
		r.stop.GiveUp(fmt.Sprintf("%s at %s: %s", f.err.Message, loc, f.err.Help))
		return
	}
	if f.err.Kind == machine.Unsupported {
		if r.unsupported == nil {
			r.unsupported = &engine.Unsupported{Location: loc, Message: f.err.Message}
		}
		r.stop.Store(true)
		return
	}
	for _, g := range r.found {
		if !r.same(f, g) {
			continue
		}
		if level < g.level { // the way that was found first took a weaker model
			*g = found{*f, level, loc, l}
		}
		return
	}
	r.found = append(r.found, &found{*f, level, loc, l})
}

// explore explores all states, those of the strongest model first.
func (r *run) explore() error {
	defer r.follow()()
	n := r.opts.Workers
	if r.formula != nil {
		if err := r.watchFormula(); err != nil {
			return err
		}
	}
	if r.section != 0 {
		r.watchVariable(r.section, 4)
	}
	at, err := r.opts.Checkpoint.restore(r)
	if err != nil {
		return err
	}
	workers := []*worker{newWorker(r)}
	if at == nil {
		if at = r.begin(workers[0]); at == nil {
			return nil
		}
	}
	for ; r.level <= r.model; r.nextLevel(at) {
		for len(at.rest) > 0 && !r.stop.Load() && (at.inside || !r.done()) {
			for len(workers) < n && len(at.rest) > 256 {
				workers = append(workers, newWorker(r))
			}
			r.exploreAll(workers, at)
			if n := r.visited.count.Load(); n > at.lookAt && len(at.rest) > 0 {
				workers[0].lookForCycles()
				at.lookAt = 4 * n
			}
		}
		r.save(at, r.opts.Checkpoint.isLong())
		workers[0].lookForCycles()
		workers[0].lookForWaits()
		if r.done() {
			break
		}
	}
	r.completes = r.ended.Load() || !r.blocked.Load() || !r.stop.Load() && len(r.found) == 0 && workers[0].makesProgress()
	if r.again.Load() {
		return nil
	}
	slices.SortFunc(r.found, func(a, b *found) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.loc.String(), b.loc.String()), cmp.Compare(a.err.Kind, b.err.Kind))
	})
	if len(r.found) > 1 && !r.opts.KeepGoing {
		r.found = r.found[:1]
	}
	return nil
}

// A searchState is where the search is.
type searchState struct {
	rest   []uint64         // states that the present round still has to explore
	next   []uint64         // … the next one
	later  [models][]uint64 // … the levels of weaker models
	lookAt int64            // the number of states at which to look for cycles
	inside bool             // a part of the round is explored
}

// begin returns where the search begins; nil if the program has no state.
func (r *run) begin(w *worker) *searchState {
	r.opts.Checkpoint.begin()
	state, ok := w.begins()
	if !ok {
		if f := w.fault; f != nil {
			w.report(f, SC, nil)
		}
		return nil
	}
	r.initial = state
	if r.opts.onInitial != nil {
		r.opts.onInitial(state)
	}
	r.visited.add(state)
	at := &searchState{rest: []uint64{state}, lookAt: firstLook}
	r.opts.Checkpoint.found(at.rest)
	return at
}

// nextLevel goes on with the states that the next weaker model has.
func (r *run) nextLevel(at *searchState) {
	r.level++
	if r.level > r.model {
		return
	}
	at.rest = nil
	for _, s := range at.later[r.level] {
		if r.visited.add(s) {
			at.rest = append(at.rest, s)
		}
	}
	r.opts.Checkpoint.found(at.rest)
	at.later[r.level] = nil
}

// follow stops the exploration when its context is done. With a checkpoint, workers come to rest first, if they can.
func (r *run) follow() (end func()) {
	if r.opts.Checkpoint == nil {
		return r.stop.Follow(r.ctx)
	}
	var mu sync.Mutex
	var late *time.Timer
	stop := context.AfterFunc(r.ctx, func() {
		r.giveUp(engine.Why(r.ctx))
		mu.Lock()
		defer mu.Unlock()
		late = time.AfterFunc(2*time.Second, func() { r.stop.GiveUp(engine.Why(r.ctx)) })
	})
	return func() {
		stop()
		mu.Lock()
		defer mu.Unlock()
		if late != nil {
			late.Stop()
		}
	}
}

// giveUp stops the exploration. With a checkpoint, workers come to rest first, so that all they did can be saved.
func (r *run) giveUp(why string) {
	if r.opts.Checkpoint == nil {
		r.stop.GiveUp(why)
		return
	}
	r.ending.CompareAndSwap(nil, &why)
	r.rest.Store(true)
	if !r.exploring.Load() {
		r.stop.GiveUp(why)
	}
}

// save saves the search if that is due, or if it must. No worker may be at work.
func (r *run) save(at *searchState, must bool) {
	if c := r.opts.Checkpoint; c != nil && (must || c.isDue()) && !r.stop.Load() && !r.again.Load() {
		c.save(r, at)
	}
}

// watchFormula makes the automaton of the formula, and accesses to what it is about visible: nothing is merged with them.
func (r *run) watchFormula() (err error) {
	if r.variables, err = r.resolve(r.formula); err != nil {
		return err
	}
	if r.automaton, err = r.formula.tableau(r.formula.nnf(r.formula.root, true)); err != nil {
		return err
	}
	for i, v := range r.variables {
		if r.formula.atoms[i].name == "" {
			r.opts.POR = false
		} else {
			r.watchVariable(v.addr, v.size)
		}
	}
	return nil
}

// watchVariable makes accesses to a variable visible.
func (r *run) watchVariable(a event.Addr, size uint8) {
	for _, x := range r.footprintOf(&machine.Action{Kind: machine.RMW, Addr: a, Size: size}) {
		r.watched[x.word] |= x.bits[conflicts]
	}
}

// done reports whether the search is over before all is explored. An error that takes a weaker model than the present
// level waits for its level: a stronger model may have it too.
func (r *run) done() bool {
	if r.stop.Load() {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	here := slices.ContainsFunc(r.found, func(f *found) bool { return f.level <= r.level })
	return here && !r.opts.KeepGoing && r.opts.lts == nil && !r.again.Load()
}

const batchSize = 64

// exploreAll explores the states of a round. Then those that come next are the rest.
func (r *run) exploreAll(workers []*worker, at *searchState) {
	if r.cyclic {
		r.fresh = new(set)
		for _, s := range at.next {
			r.fresh.add(s)
		}
	}
	r.exploring.Store(true)
	for {
		r.exploreSome(workers, at)
		if len(at.rest) == 0 || r.stop.Load() {
			break
		}
		at.inside = true
		r.rest.Store(false)
		if r.ending.Load() != nil {
			break
		}
		r.save(at, false)
	}
	r.exploring.Store(false)
	if len(at.rest) == 0 {
		at.rest, at.next, at.inside = at.next, nil, false
	}
	r.save(at, r.ending.Load() != nil)
	if why := r.ending.Load(); why != nil {
		r.stop.GiveUp(*why)
	}
}

// exploreSome explores the states of a round until it ends, or until the workers have to rest or to stop.
func (r *run) exploreSome(workers []*worker, at *searchState) {
	var done atomic.Int64
	var wg sync.WaitGroup
	frontier := at.rest
	work := func(w *worker) {
		w.level = r.level
		for !r.stop.Load() && !r.rest.Load() {
			from := int(done.Add(batchSize)) - batchSize
			if from >= len(frontier) {
				break
			}
			for _, s := range frontier[from:min(from+batchSize, len(frontier))] {
				w.visit(s)
			}
			r.transitions.Add(w.moved)
			w.moved = 0
			w.watch()
		}
	}
	if len(frontier) <= 256 {
		workers = workers[:1]
	}
	for _, w := range workers[1:] {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer limits.Crash()
			work(w)
		}()
	}
	work(workers[0])
	wg.Wait()
	r.spill.sweep()
	at.rest = frontier[min(int(done.Load()), len(frontier)):]
	total := 0
	for _, w := range workers {
		total += len(w.next)
	}
	at.next = slices.Grow(at.next, total)
	later := &at.later
	for _, w := range workers {
		at.next = append(at.next, w.next...)
		r.opts.Checkpoint.found(w.next)
		w.next = w.next[:0]
		for m := range w.later {
			later[m] = append(later[m], w.later[m]...)
			w.later[m] = w.later[m][:0]
		}
	}
	r.laterBytes.Store(0)
	for m := range later {
		// Many moves lead to the same state: keep the list from growing for that.
		if len(later[m]) > 1<<16 && len(later[m]) > 2*r.sorted[m] {
			slices.Sort(later[m])
			later[m] = slices.Compact(later[m])
			r.sorted[m] = len(later[m])
		}
		r.laterBytes.Add(int64(cap(later[m])) * 8)
	}
}

// watch gives up when memory runs out.
func (w *worker) watch() {
	r := w.run
	stored := r.visited.count.Load()
	if r.again.Load() && stored > r.enough.Load() {
		r.stop.Store(true)
	}
	if r.opts.MaxStates > 0 && stored > r.opts.MaxStates {
		r.stop.GiveUp(fmt.Sprintf("stopped after %d states", r.opts.MaxStates))
	}
	if _, err := r.spill.size(); err != nil {
		r.stop.GiveUp("stopped: " + err.Error())
	}
	if r.opts.MaxMemory > 0 && (r.memory().onHeap()+w.queued() > r.opts.MaxMemory || r.heapFull()) {
		r.giveUp(engine.MemoryLimit)
	}
	if r.opts.Checkpoint.isDue() {
		r.rest.Store(true)
	}
	r.tell()
}

// heapFull looks now and then whether the heap is larger than the limit: what the tables take is not all.
func (r *run) heapFull() bool {
	if !r.progressMu.TryLock() {
		return false
	}
	defer r.progressMu.Unlock()
	if time.Since(r.lastHeap) < 100*time.Millisecond {
		return false
	}
	full := limits.Exceeded(r.opts.MaxMemory)
	r.lastHeap = time.Now()
	return full
}

// tell calls OnProgress, now and then and once at a time.
func (r *run) tell() {
	if r.opts.OnProgress == nil || !r.progressMu.TryLock() {
		return
	}
	defer r.progressMu.Unlock()
	if now := time.Now(); now.Sub(r.lastProgress) > 50*time.Millisecond {
		r.lastProgress = now
		r.opts.OnProgress(engine.Progress{Done: r.counts().Stored})
	}
}

// queued estimates what the lists of states to explore take.
func (w *worker) queued() int64 {
	n := len(w.next)
	for m := range w.later {
		n += len(w.later[m])
	}
	return int64(n)*16*int64(w.opts.Workers) + w.laterBytes.Load()
}

// visit explores the ways to go on from a state.
func (w *worker) visit(state uint64) {
	w.hold(state)
	if w.opts.onVisit != nil {
		w.opts.onVisit(w)
	}
	if w.plain && w.seen() {
		w.run.plain = false
		w.again.Store(true)
		w.stop.Store(true)
		return
	}
	if w.opts.RaceCheck {
		w.races(func(f *fault) { w.report(f, w.level, nil) })
	}
	var moved bool
	if w.persistent {
		w.tryPersistentSets(func(c persistentSet) bool {
			moved = w.tryMoves(state, c) || moved
			return w.keep()
		})
	} else {
		moved = w.tryMoves(state, allThreads)
		w.keep()
	}
	if !moved {
		if f := w.stuck(); f != nil {
			w.report(f, w.level, nil)
		}
		if w.atEnd && w.opts.lts != nil {
			w.opts.lts.end(state)
		}
	}
}

// tryMoves makes the moves of a persistent set. It reports whether there were any.
func (w *worker) tryMoves(state uint64, c persistentSet) bool {
	return w.try(c, func(m move, ok bool) bool {
		w.moved++
		if ok {
			return w.reach(state, m)
		}
		w.report(w.fault, max(w.level, w.cost), nil)
		if w.opts.lts != nil {
			w.opts.lts.add(state, w.label(m), errorState)
		}
		return true
	})
}

// reach notes the state that a move leads to. It returns false if that is where it came from.
func (w *worker) reach(from uint64, m move) bool {
	to := from
	if len(w.changes) > 0 {
		to = w.state()
	}
	if w.opts.lts != nil {
		w.opts.lts.add(from, w.label(m), to)
	}
	if to == from {
		return false
	}
	w.reached = append(w.reached, reached{to, max(w.level, w.cost)})
	return true
}

// reached is a state that a move leads to, with the model that this takes.
type reached struct {
	state uint64
	level Model
}

// keep stores the states that the moves of a state lead to. It reports whether that is progress: one of them, which takes no weaker model, comes after
// this one in an order without cycles. If threads don't come back to where they were, all do.
func (w *worker) keep() (progress bool) {
	for i := range w.reached {
		w.visited.touch(w.reached[i].state)
	}
	for _, r := range w.reached {
		switch {
		case r.level > w.level:
			if !w.visited.has(r.state) {
				w.later[r.level] = append(w.later[r.level], r.state)
			}
		case w.visited.add(r.state):
			progress = true
			w.next = append(w.next, r.state)
			if w.cyclic {
				w.fresh.add(r.state)
			}
		default:
			progress = progress || !w.cyclic || w.fresh.has(r.state)
		}
	}
	w.reached = w.reached[:0]
	return progress
}

// stuck looks at a state that no move changes. It returns the error that this is, if it is one, and sets atEnd.
func (w *worker) stuck() *fault {
	w.atEnd = w.over()
	if w.atEnd {
		return w.leaks(true)
	}
	var waiters []*local
	for t := range int32(w.threads) {
		id := w.leaf(localLeaf(t))
		if id == 0 {
			continue
		}
		switch l := w.locals.at(id).local; {
		case l.act.Kind == machine.Exit:
		case l.act.Kind == machine.Block && l.act.Block != machine.Spin:
			w.noteBlocked() // the execution does not count
			return nil
		default:
			waiters = append(waiters, l)
		}
	}
	if len(waiters) > 0 {
		if !slices.ContainsFunc(waiters, func(l *local) bool { return l.act.Kind != machine.Block || l.thread == 0 }) {
			w.atEnd = true
			w.ended.Store(true) // main has ended, and threads that only spin do not matter
		}
		return w.judge(waiters)
	}
	if w.opts.onFinal != nil {
		w.opts.onFinal(w)
	}
	w.atEnd = true
	w.ended.Store(true)
	return w.leaks(false)
}
