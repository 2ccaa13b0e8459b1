package explore

import (
	"context"
	"fmt"
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

// A run is one exploration, shared by its workers.
type run struct {
	src       *ir.Program
	prog      *machine.Program
	compiled  *machine.Program  // the same, with the first layout
	weak      bool              // weak CASes may fail spuriously, and there are any
	alike     *machine.Comparer // if so, or if waits may end spuriously
	opts      Options
	threads   int  // how many threads graphs have room for
	tracks    bool // events have their dependencies and instructions
	items     bool // explores a piece of the tree: what it learns changes nothing before the next one (item.go)
	rehearses bool // do not tell of executions: the exploration may have to start again, and come to them again
	knowledge

	reexecution Reexecution // of Options.Reexecution

	disciplines map[event.Addr]discipline   // learnt, as it was when the run began
	rewritten   map[event.Addr]bool         // rewrites, as it was when the run began
	values      map[event.Addr]valueSet     // written, as it was when the run began
	unsettled   map[event.Addr]uint64       // stirred, as it was when the run began
	writers     map[event.Addr][]event.Addr // wrote, as it was when the run began
	loud        []ir.Pos                    // heard, as it was when the run began
	suspects    []RoundAccess               // suspected, as it was when the run began

	stop      engine.Stop
	bounded   atomic.Bool
	beyond    atomic.Bool // a graph with too many deviations was not explored (bound.go)
	sampled   atomic.Pointer[sampled]
	leaked    atomic.Bool
	missing   atomic.Bool // the model allows executions that are not explored: unexplored says why
	completed atomic.Bool // an execution is complete
	idle      chan *worker
	busy      atomic.Int32
	all       []*worker
	before    []*worker    // of the run before: the arenas are used again
	pathCost  atomic.Int64 // how long the last path took to follow, in nanoseconds
	refused   atomic.Bool  // a round that leaves memory as it was does not count as a wait (round.go)
	rounded   atomic.Bool  // a thread waits after a round that has written, under a model with a Reexecution
	unsynced  atomic.Bool  // threads do not synchronise whenever they communicate (sync.go)
	raced     atomic.Bool  // there was a race, under a model that allows races
	calm      atomic.Bool  // an execution came before the first race
	buffering sync.Map     // by buffers: what was seen of it
	observed  bool         // explore without co (observed.go)
	merges    bool         // explore with co, and count what differs only in co once (merge.go)
	triable   bool         // it may turn out to be better without co (trial.go)
	trying    atomic.Bool  // a worker tries to explore without co (trial.go)
	tried     *run         // what did so to the end
	ctx       context.Context
	wakes     bool        // there are waits for signals (vain.go)
	later     atomic.Bool // vain waits were left out: threads come later
	vain      sync.Map    // by heldLock: their mutexes
	steady    sync.Map    // by event.Addr and steadyRead: what was taken for steady
	glimpsed  sync.Map    // by heldLock: locks that were seen to be held by threads that went on
	barriers  atomic.Bool // there was an arrival of which only one order was explored
	ordered   atomic.Bool // reads of equal threads were put in an order (symmetry.go)

	linked   map[Origin]bool // threads of these origins are taken for equal (symmetry.go); guarded by mu
	unequals map[Origin]bool // threads of these origins are not: whether that was not known before; guarded by mu

	comparing sync.Once
	comparer  *machine.Comparer // of prog

	freezing sync.Once
	freezer  *machine.Freezer // of prog

	telling sync.Mutex // held during OnExecution

	mu          sync.Mutex
	namer       *report.Namer
	unexplored  string // why missing is set
	total       Counts
	share       float64 // estimated share of the tree that has been explored
	errors      []report.Error
	warnings    []string
	waits       []report.Wait
	spins       []report.Wait
	unsupported *engine.Unsupported
	names       engine.Threads
	hottest     hot  // what a worker was at when time ran out
	again       bool // explore again, with more threads or a finer layout

	walks  int64           // of a hunt
	sketch Prints          // of a hunt in pieces
	prints map[uint64]bool // executions that were seen, by their fingerprints: whether they were seen again
	merged *printSet       // executions that were counted, if they may come again (merge.go)
}

// knowledge is what a run learns for the next one, which explores the program again from scratch (startAgain). All but choices is guarded by run.mu.
type knowledge struct {
	cyclic  bool // explore executions with cycles in po ∪ rf, too (depsearch.go)
	undef   bool // registers may have undefined bits (machine.Options.Undef)
	coless  bool // with Options.Observed: explore without co (observed.go)
	needsCo bool // with Options.Observed: don't
	lenient bool // rounds that others may see are waits (round.go)
	polls   bool // rounds are waits under a model that re-executes (sync.go)
	seen    bool // threads see that others hold a lock before and after they wait for a signal (vain.go)

	layout    *machine.Layout             // of memory (location.go)
	recut     []event.Addr                // where it is finer because of objects in blocks that were allocated again (reuse.go)
	apart     []event.Addr                // blocks that are not to be allocated again
	shared    map[event.Addr]uint8        // what is known of locations (await.go)
	rewrites  map[event.Addr]bool         // see rewrite
	learnt    map[event.Addr]discipline   // how locations are used at which rounds give back what they take (discipline.go)
	written   map[event.Addr]valueSet     // which values are written to locations (confirm.go)
	turned    map[event.Addr]bool         // locations at which rounds end that begin with giving something back (turn.go)
	stirred   map[event.Addr]uint64       // locations that loops that wait look at, besides what they wait for: the threads for which they are not settled (settled.go)
	wrote     map[event.Addr][]event.Addr // which functions write to locations, if that matters (lost.go)
	endsSeen  bool                        // rounds access variables of other threads, so the ends of these are made (ends.go, aftermath.go)
	heard     []ir.Pos                    // loops that are loud (aftermath.go)
	suspected []RoundAccess               // accesses in rounds that others may conflict with later (aftermath.go)
	choices   *choices                    // that accesses have, if it matters (spurious.go)
	unlike    map[Origin]bool             // threads of these origins are not equal (symmetry.go)
	ownings   []Owning                    // what only the parents of equal threads may access
	twinned   bool                        // there may be equal threads
	allUnlike bool                        // no threads are
}

// sampled is a choice of which not all alternatives were explored.
type sampled struct {
	values *machine.Values
	at     report.Location
}

// result returns what r, which has ended, found; hunt is what random walks found out, if there were any.
func (r *run) result(hunt *Hunt) (*Result, error) {
	if r.unsupported != nil && len(r.errors) == 0 {
		return nil, r.unsupported
	}
	res := &Result{Counts: r.total, Explored: r.share}
	res.Errors, res.Warnings, res.Spins, res.GaveUp = r.errors, r.warnings, r.spins, r.stop.GaveUp()
	if res.Complete == 0 {
		res.Waits = r.waits
	}
	if r.barriers.Load() {
		res.UpTo = []string{"barriers"}
	}
	if r.later.Load() {
		res.UpTo = append(res.UpTo, "waits")
	}
	if r.ordered.Load() {
		res.UpTo = append(res.UpTo, "symmetry")
	}
	if r.missing.Load() {
		res.Cut = r.unexplored
	}
	if m := r.opts.Model.Traits().Missing; m != nil && m(false) != "" {
		res.Cut = m(false)
	}
	if s := r.sampled.Load(); s != nil {
		res.Cut = s.values.Untried(s.at)
	}
	if engine.RanOut(res.GaveUp) && hunt == nil && len(r.errors) == 0 {
		res.Warnings = append(res.Warnings, r.advice())
	}
	if hunt != nil {
		res.Hunt = hunt
		res.Cut, res.GaveUp = hunt.reason(r.opts.Hunt), ""
	} else if r.bounded.Load() {
		res.Cut = engine.Unrolled(r.opts.Machine.Unroll)
	}
	return res, nil
}

// roomFor returns how many threads to make room for.
func (r *run) roomFor() int {
	n := r.threads
	for n <= len(r.names.Keys) {
		n *= 2
	}
	return min(n, event.MaxOwners-1)
}

// explore runs the workers until there is nothing left to do.
func (r *run) explore(ctx context.Context, start time.Time) {
	n := r.opts.Workers
	r.idle = make(chan *worker, n)
	r.ctx = ctx
	r.observed = r.opts.Observed && r.canDoWithoutCo() && (r.coless || r.opts.coless || r.opts.sample != nil)
	r.merges = r.opts.Observed && !r.observed && r.opts.Hunt == 0
	r.triable = r.merges && r.canDoWithoutCo() && r.alike == nil && r.opts.Bound == 0 && (r.opts.OnExecution == nil || r.rehearses)
	if r.merges || r.cyclic && !r.items {
		r.merged = &printSet{}
	}
	r.busy.Store(1)
	var wg sync.WaitGroup
	for range n {
		w := newWorker(r)
		if i := len(r.all); i < len(r.before) {
			w.arena = r.before[i].arena.Reuse()
			w.useArena()
		}
		r.all = append(r.all, w)
		if len(r.all) > 1 {
			r.idle <- w // before the first one starts: what it gives at the root is the most
		}
	}
	r.before = nil
	finished := make(chan struct{})
	go r.watch(start, finished)
	defer r.stop.Follow(ctx)()
	for i, w := range r.all {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer limits.Crash()
			if r.opts.Hunt > 0 {
				if w.begin() {
					w.hunt(r.opts.Seed, uint64(i))
				}
				return
			}
			w.work(i == 0)
		}()
	}
	wg.Wait()
	close(finished)
}

// done adds the present subtree, which has one leaf, to the explored share.
func (w *worker) done() {
	w.explored(w.weight)
	if w.leaves++; w.leaves%1000 == 0 {
		w.flush()
	}
	if w.opts.limit > 0 && w.leaves >= w.opts.limit {
		w.stop.GiveUp("stopped after many executions")
	}
}

// explored adds to the share of the tree that has been explored.
func (w *worker) explored(share float64) {
	if !w.belongsToOther() {
		w.share += share
	}
}

// maxRehearsed is how many executions are looked at before others are told of them: in most programs the first ones have all threads and all
// sizes of accesses.
const maxRehearsed = 10_000

func (w *worker) flush() {
	if w.twins != nil {
		w.twins.learnsOwnings()
	}
	r := w.run
	r.mu.Lock()
	r.total.Add(w.count)
	r.share += w.share
	if r.rehearses && r.total.Complete+r.total.Blocked > maxRehearsed {
		r.stop.Store(true)
	}
	r.mu.Unlock()
	w.count, w.share = Counts{}, 0
}

// watch gives up when memory runs out, ends hunts, and tells of the progress.
func (r *run) watch(start time.Time, finished chan struct{}) {
	defer limits.Crash()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-finished:
			return
		case <-tick.C:
		}
		if r.opts.Hunt > 0 && time.Since(start) > r.opts.Hunt {
			r.stop.Store(true)
		}
		if r.opts.MaxMemory > 0 && limits.Exceeded(r.opts.MaxMemory) {
			r.stop.GiveUp(engine.MemoryLimit)
		}
		if r.opts.OnProgress != nil {
			r.mu.Lock()
			p := engine.Progress{Done: r.total.Complete + r.total.Blocked, Share: r.share}
			r.mu.Unlock()
			r.opts.OnProgress(p)
		}
	}
}

// maxThreads is a number of threads at which the program is taken to create them without end.
const maxThreads = 1000

// threadOf returns the number of the nth thread that parent creates. From now on the worker knows it.
func (w *worker) threadOf(parent int32, nth int) (int32, bool) {
	t, ok := w.run.threadOf(parent, nth)
	if ok && int(t) >= len(w.cur) {
		w.use(int(t) + 1)
	}
	return t, ok
}

// threadOf returns the number of the nth thread that parent creates, false if there is no room for it.
func (r *run) threadOf(parent int32, nth int) (int32, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, known := r.names.Number(parent, nth)
	if int(t) < r.threads && (known || !r.items) {
		return t, true
	}
	if t > maxThreads {
		r.stop.GiveUp(fmt.Sprintf("an execution has more than %d threads: bound the loop that creates them with --unroll", maxThreads))
		return 0, false
	}
	// Explore again with room for more threads: this costs what was done until the first execution had them all.
	r.again = true
	r.stop.Store(true)
	return 0, false
}

// startAgain has the program explored again from scratch, by a run that change says.
func (r *run) startAgain(change func(*run)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
	r.again = true
	r.stop.Store(true)
}

// notExplored notes why the model may allow executions that are not explored.
func (r *run) notExplored(why string) {
	if r.missing.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unexplored = why
	r.missing.Store(true)
}
