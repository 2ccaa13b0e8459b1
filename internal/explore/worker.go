package explore

import (
	"time"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// A worker explores a part of the search tree, with a graph of its own. All of its memory is used as a stack.
type worker struct {
	*run

	// The model.
	m          model.Model
	traits     model.Traits                         // of m
	backward   bool                                 // reads of a location may go backwards (backward.go)
	partial    bool                                 // m allows executions that are not explored
	races      bool                                 // look for races by views
	raceErrors bool                                 // races are errors, by views or otherwise
	flags      func(*graph.Graph, func(model.Flag)) // what complete executions are shown to, or nil

	// The parts that some models need, nil under others.
	deps   *tracker   // the model allows cycles in po ∪ rf, by dependencies (deps.go)
	cyclic *depSearch // and they are explored (depsearch.go)
	twins  *twins     // there are equal threads (symmetry.go)
	late   *late      // the model decides on complete executions (late.go)
	java   *java      // the model allows races, as Java's models do (java.go)

	// The graph, and where its threads are.
	g       *graph.Graph
	heap    // objects (heap.go)
	arena   machine.Arena
	pends   []pending
	numbers uint64   // of pendings that were made
	cur     []uint32 // by thread: its pending, 0 if it has not begun or has ended
	last    int32    // the thread that moved last
	log     []undone // changes of event records (depsearch.go)

	savedTrail []graph.ID // tails of the trail that cuts took off
	savedCur   []uint32   // values of cur before a cut
	savedCo    []graph.ID // the orders of locations before a cut, with Options.Observed
	effort     int64      // how many accesses were added, or tried

	// The place in the search tree (steal.go).
	path      []int32       // from the root: how many branches each node has had
	follow    []int32       // the path to what this worker owns
	top       int           // the depth of the first node that it owns
	until     *Slice        // when to cut the search off; nil: never (item.go)
	isCut     bool          // it was cut off, and follow is what is left
	given     chan struct{} // tells that another worker has given work away
	patience  int32         // for how many branches not to ask whether to give work away
	following bool          // the path has not been followed to its end
	since     time.Time     // when the path was given, followed, or the last one given away

	// What has been explored since the last flush.
	weight float64 // the share of the whole tree that the present subtree is assumed to have
	share  float64 // of the tree
	leaves int
	count  Counts

	// Reductions.
	postpones  bool      // reads that wait for something are added last (await.go)
	endsUnseen bool      // nothing looks at the ends of complete executions (ends.go)
	scouts     bool      // equal threads are looked for (symmetry.go)
	confirmed  bool      // a CAS reads what was read before it (confirm.go)
	cutsMatter bool      // what loops leave out may matter (late.go)
	rounds     bool      // rounds that write are waits without a loss (round.go)
	refuses    bool      // counters may refuse (refuse.go)
	looks      bool      // threads may look in vain (look.go)
	hasTurned  bool      // it is asked about the round of a thread that turns (turn.go)
	settles    bool      // loads of settled locations are passed over (settled.go)
	rereads    bool      // reads that stand in for others are left out (reread.go)
	floors     []floor   // of displaced reads (await.go)
	firstFloor int       // of those that hold
	known      []uint8   // by location: what is known of it
	blockings  blockings // see pending.blocking

	// Errors of rounds with what comes after them (aftermath.go).
	notes     bool                 // they are noted
	wentRound map[RoundAccess]bool // accesses of rounds
	lateAt    []conflicts          // by location: kinds of its accesses that may be late
	sawOver   bool                 // an execution was over before its threads had ended
	lateEnds  map[event.Addr]bool  // what frees, and ends of threads, that may be late end

	disciplined []*discipline // by location: its discipline, nil if it has none; see disciplineOf

	// Executions that differ only in co, with Options.Observed.
	dups      int       // how many leaves were counted before (merge.go)
	sums      []rfPrint // prints of the events of the trail up to each place, as far as graph.Low (merge.go)
	nextTrial int       // after how many leaves to try without co (trial.go)

	// How the worker is used.
	tentative bool                                            // what happens now is only tried: errors are not reported
	builds    bool                                            // for a Reexecution (builder.go)
	atLeaf    func(blocked bool) (counts bool, lbRaces int64) // see Builder.Extensions
	skipRest  bool                                            // see Builder.SkipRest
	told      bool                                            // what this worker was at when time ran out (stopped.go)
	spun      map[ir.Pos]bool                                 // spin loops that were warned of
}

func newWorker(r *run) *worker {
	w := &worker{run: r, m: r.opts.Model, g: graph.New(r.threads), pends: make([]pending, 1), weight: 1, nextTrial: firstTrial, path: make([]int32, 1), given: make(chan struct{}, 1)}
	if fork := w.m.Traits().Fork; fork != nil {
		w.m = fork()
	}
	w.traits = w.m.Traits()
	w.backward = w.traits.Cycles != nil && w.traits.Cycles.Backward()
	w.cur = make([]uint32, r.threads)
	if r.opts.Reexecution == nil { // which builds graphs in its own ways
		w.use(2) // buffers looks at the first thread that is created
	}
	if w.traits.Late != nil {
		w.late = &late{worker: w, model: w.traits.Late}
	}
	if w.traits.Races.Allowed {
		w.java = &java{worker: w}
	}
	if w.traits.Deps != nil {
		w.deps = &tracker{worker: w, model: w.traits.Deps, armed: w.traits.Armed}
	}
	if r.cyclic {
		w.cyclic = &depSearch{tracker: w.deps, failing: noThread}
	}
	w.cutsMatter = w.late != nil && (w.java == nil || w.traits.CutsMatter)
	w.partial = w.traits.Missing != nil && w.traits.Missing(true) != ""
	w.races = w.java != nil || r.opts.RaceCheck && w.deps == nil // else see findErrors
	if d := &w.traits.Races; d.Own && r.opts.RaceCheck {
		w.races, w.flags = d.ByView, d.Flags
	}
	w.raceErrors = r.opts.RaceCheck && w.java == nil && (w.races || w.traits.Races.Pairs != nil)
	w.postpones = !r.opts.eager && w.cyclic == nil && w.late == nil && w.java == nil && !w.traits.Reexecutes
	w.rounds = roundsAreWaits(r.opts)
	w.rereads = w.rounds && w.cyclic == nil && w.java == nil && !w.traits.Races.Own && !w.traits.Reexecutes
	if w.scouts = w.mayBeTwins(); w.scouts && r.twinned {
		w.twins = &twins{worker: w, owners: r.prog.HasOwners()}
	}
	w.endsUnseen = !r.endsSeen && w.cyclic == nil && w.late == nil && w.java == nil && w.twins == nil && w.flags == nil && r.opts.Reexecution == nil && r.opts.OnExecution == nil && !r.opts.LeakCheck
	w.confirmed = w.mayConfirm()
	w.refuses = w.countersMayRefuse()
	w.looks = w.looksMayBeVain()
	w.settles = w.maySettle()
	w.notes = w.notesRounds()
	w.useArena()
	return w
}

// useArena lets the parts of a worker know its arena.
func (w *worker) useArena() {
	w.g.Deps = w.arena.Deps()
	w.arena.Stop = w.stop.Load
}

// use has the worker know n threads: see graph.Use.
func (w *worker) use(n int) {
	w.g.Use(n)
	w.cur = w.cur[:n]
}

// A mark is a point to come back to.
type mark struct {
	graph graph.Mark
	trail int
	pends int
	arena int
	log   int
	last  int32

	weight float64
}

func (w *worker) mark() mark {
	return mark{w.g.Mark(), len(w.g.Trail), len(w.pends), w.arena.Mark(), len(w.log), w.last, w.weight}
}

// undo removes every event added since m and gives their memory back.
func (w *worker) undo(m mark) {
	g := w.g
	for len(g.Trail) > m.trail {
		e := &g.Events[g.Trail[len(g.Trail)-1]]
		w.cur[e.Thread] = e.Pend
		g.Pop()
	}
	g.Low = min(g.Low, m.trail)
	w.release(m)
}

func (w *worker) release(m mark) {
	w.restoreLog(m.log)
	w.g.Release(m.graph)
	w.pends = w.pends[:m.pends]
	w.arena.Release(m.arena)
	w.last, w.weight = m.last, m.weight
}

// begin adds the start of the main thread.
func (w *worker) begin() bool {
	id := w.g.NewEvent(0, graph.Start, event.NA, -1)
	w.m.Views(w.g, id)
	w.g.Add(id, 0)
	p := w.newPending()
	w.pends[p].state = w.prog.StartMain(&w.arena, &w.pends[p].act)
	w.cur[0] = p
	return w.arrived(0)
}

// visit explores every execution that extends the graph.
func (w *worker) visit() {
	if w.cyclic != nil {
		w.cyclic.visit()
		return
	}
	m := w.mark()
	for !w.stop.Load() && !w.left() && !w.skipRest {
		t := w.next()
		if over := t >= 0 && w.isOver(t); over || t < 0 {
			w.leaf(over)
			break
		}
		if w.tooLong() {
			w.endless(t)
			break
		}
		w.last = t
		if !w.step(t) {
			break
		}
	}
	if w.stop.Load() && !w.told {
		w.stopped()
	}
	w.undo(m)
}

// maxBranches bounds the depth of the search, which recurses: Go's stacks have at most 1 GB.
const maxBranches = 400_000

// tooLong reports whether the execution is given up, as it seems to have no end.
func (w *worker) tooLong() bool {
	return len(w.g.Trail) > w.opts.MaxEvents || len(w.path) > maxBranches
}

// next returns a thread that can move, -1 if there is none. Any choice is right; staying with one
// thread as long as possible keeps the graphs small where it matters. Threads that wait come last (await.go), before them some that end (ends.go).
func (w *worker) next() int32 {
	next := w.last
	best := w.readiness(next)
	if best == moves {
		return next
	}
	if best == stays {
		next = -1
	}
	for t := range w.cur {
		if int32(t) == w.last {
			continue
		}
		switch r := w.readiness(int32(t)); {
		case r == moves:
			return int32(t)
		case r > best || r == best && int32(t) < next:
			best, next = r, int32(t)
		}
	}
	return next
}

// A readiness says how soon a thread moves, compared with others.
type readiness uint8

const (
	stays readiness = iota // it can't move
	lost                   // it waits, and would not do so after the next round (lost.go)
	waits                  // it is at a read that would block it, or from which it comes back
	ends                   // it is at its end, and others may go on
	moves
)

func (w *worker) readiness(t int32) readiness {
	i := w.cur[t]
	if i == 0 {
		return stays
	}
	p := &w.pends[i]
	act := &p.act
	if !w.canMove(t, act) {
		return stays
	}
	switch act.Kind {
	case machine.Load, machine.RMW:
		if p.blocking != 0 && w.isAsleep(t, p) {
			return waits
		}
		if w.awaits(t) {
			return w.urgency(t)
		}
	case machine.Exit:
		if w.endsLast(t) {
			return ends
		}
	}
	return moves
}

// enabled reports whether thread t can move.
func (w *worker) enabled(t int32) bool {
	i := w.cur[t]
	return i != 0 && w.canMove(t, &w.pends[i].act)
}

// canMove reports whether thread t, which is at act, can move.
func (w *worker) canMove(t int32, act *machine.Action) bool {
	switch act.Kind {
	case machine.Block, machine.Fail:
		return false
	case machine.Join:
		return w.ended(act.Val.Lo) != graph.None
	case machine.Load, machine.RMW:
		return w.twins == nil || !w.twins.waits(t)
	}
	return true
}

// ended returns the End event of a thread, None if it has not ended.
func (w *worker) ended(tid uint64) graph.ID {
	if tid >= uint64(len(w.cur)) {
		return graph.None
	}
	last := w.g.Last(int32(tid))
	if w.g.Events[last].Kind == graph.End {
		return last
	}
	return graph.None
}

// step performs the pending action of thread t. It returns true if there was one way only, which
// it took; otherwise it has explored all of them, or there is none.
func (w *worker) step(t int32) bool {
	act := &w.pendingOf(t).act
	switch act.Kind {
	case machine.Load, machine.RMW:
		return w.read(t)
	case machine.Store:
		return w.write(t)
	case machine.Fence:
		if act.Tag.IsRCU() {
			if w.usesRCU(t, act) {
				w.startAgain(func(r *run) { r.cyclic = true }) // depSearch need not find the latest consistent
			}
			return false
		}
		w.simple(t, graph.Fence, act.Mode)
		return w.resume(t, event.Value{})
	case machine.Create:
		return w.create(t)
	case machine.Join:
		return w.join(t)
	case machine.Alloc:
		return w.alloc(t)
	case machine.Free:
		return w.free(t)
	case machine.Choice:
		return w.choose(t)
	case machine.Exit:
		id := w.simple(t, graph.End, event.NA)
		w.g.Events[id].Val = act.Val
		if !w.endsVisits(t, id) {
			return false
		}
		w.cur[t] = 0
		return true
	}
	panic("step: not an action")
}

// simple adds an event that has no choice.
func (w *worker) simple(t int32, kind graph.Kind, mode event.Mode) graph.ID {
	id := w.newEvent(t, kind, mode, -1)
	if w.twins != nil && kind == graph.Fence {
		w.g.Events[id].Alike = w.g.Events[w.g.Last(t)].Alike
	}
	w.m.Views(w.g, id)
	w.g.Add(id, 0)
	return id
}

// newEvent makes the event of the action that t is at.
func (w *worker) newEvent(t int32, kind graph.Kind, mode event.Mode, loc int32) graph.ID {
	id := w.g.NewEvent(t, kind, mode, loc)
	w.g.Events[id].Pend = w.cur[t]
	if w.tracks {
		w.setDeps(&w.g.Events[id])
	}
	return id
}
