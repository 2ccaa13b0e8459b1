// Package explore verifies a program by exploring its execution graphs, statelessly. It builds every consistent execution
// exactly once and remembers none.
//
// The algorithm is that of Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless, optimal dynamic partial order
// reduction" (POPL'22). A read branches over the writes that it may read. A write branches over its places in co. It also
// revisits earlier reads of its location that are not in its prefix, if the deleted events were added maximally (revisit.go).
// Threads are never replayed: every event keeps the state in which its thread stopped, and a revisited read resumes it with
// another value.
//
// Guarantees, for a model that is porf-acyclic, prefix-closed and extensible (sc, tso, pso, ra, rc11): the exploration is
// sound, complete and optimal. Each consistent execution is visited once, and memory is linear in the size of an execution.
// Other models need more:
//
//   - Models that track dependencies allow cycles in po ∪ rf: buffer.go finds out whether a program can have one, depsearch.go
//     explores them.
//   - xmm: package xmm explores the executions with cycles, with the Builder of this one.
//   - Java's models, and some models in cat, are not extensible: late.go decides the rest on complete executions.
//
// Limits: an execution must be finite. Loops that only read, or leave memory as it was (round.go), are blocked after one iteration (machine.Spin). Other endless
// loops need machine.Options.Unroll, or the run gives up at Options.MaxEvents, or when an execution has more branches than
// the search can be deep (maxBranches).
package explore

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/limits"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
)

// Options say what to explore and what counts as an error.
type Options struct {
	engine.Options // Symmetry: executions that differ only in the order of arrivals at barriers are one (barrier.go)

	Model     model.Model
	Observed  bool          // executions that differ only in co are one
	AllRounds bool          // rounds of loops that leave memory as it was are no waits, and retries are no rereads (round.go, reread.go): for comparisons
	MaxEvents int           // give up on longer executions; 0 is 5,000,000, 100,000 under a model that tracks dependencies
	Hunt      time.Duration // walk at random for so long instead of exploring (hunt.go); 0 is to explore
	Seed      uint64        // of the walks

	// OnExecution is called with every execution that ends, by one worker at a time.
	OnExecution func(*Execution)
	// Reexecution makes what finds the executions with cycles, under a model that re-executes: xmm.Use sets it.
	Reexecution func() Reexecution
	// OnSetup is called at the end with what the exploration has learnt (item.go).
	OnSetup func(Setup)

	eager  bool    // add reads that wait as soon as their threads come to them: for tests
	cyclic bool    // explore with cycles in po ∪ rf from the start, if the model has them
	walks  int     // how many walks a hunt has, 0 if only time limits them
	sample *sample // only estimate how many executions there are (estimate.go)
}

// Counts are the numbers of executions: Blocked ones have a thread that can't go on, Moot ones were
// given up because a thread waits in a loop for something that others have written already.
//
// Under xmm, LBRaces is the number of load-buffering races of the complete executions, Cyclic that of those with cycles in
// po ∪ rf, and Duplicate how often what makes a cycle was found again.
type Counts struct {
	Complete, Blocked, Moot    int64
	LBRaces, Cyclic, Duplicate int64
}

// Add adds the numbers of d.
func (c *Counts) Add(d Counts) {
	c.Complete += d.Complete
	c.Blocked += d.Blocked
	c.Moot += d.Moot
	c.LBRaces += d.LBRaces
	c.Cyclic += d.Cyclic
	c.Duplicate += d.Duplicate
}

// A Result is what an exploration found.
type Result struct {
	engine.Result
	Counts
	Explored float64  // the share of the executions that this is, by an estimate, if GaveUp
	Hunt     *Hunt    // of Options.Hunt
	UpTo     []string // what executions that are counted once may differ in: "barriers"
}

// sampled is a choice of which not all alternatives were explored.
type sampled struct {
	values *machine.Values
	at     report.Location
}

// A run is one exploration, shared by its workers.
type run struct {
	src     *ir.Program
	prog    *machine.Program
	alike   *machine.Comparer // if weak CASes may fail spuriously, and there are any
	opts    Options
	threads int      // how many threads graphs have room for
	tracks  bool     // events have their dependencies and instructions
	cyclic  bool     // explore executions with cycles in po ∪ rf too (depsearch.go)
	undef   bool     // registers may have undefined bits (machine.Options.Undef)
	items   bool     // explores a piece of the tree: what it learns changes nothing before the next one (item.go)
	silent  bool     // don't tell of executions: exploration may have to begin anew, and come to them again
	choices *choices // that accesses have, if it matters (spurious.go)

	reexecution Reexecution // of Options.Reexecution

	lenient     bool                      // take it for one
	disciplines map[event.Addr]discipline // of locations at which rounds give back what they take (round.go); it does not change

	stop      engine.Stop
	bounded   atomic.Bool
	sampled   atomic.Pointer[sampled]
	leaked    atomic.Bool
	missing   atomic.Bool // the model allows executions that are not explored: unexplored says why
	completed atomic.Bool // an execution is complete
	idle      chan *worker
	busy      atomic.Int32
	all       []*worker
	pathCost  atomic.Int64 // how long the last path took to follow, in nanoseconds
	refused   atomic.Bool  // a round that leaves memory as it was is no wait (round.go)
	observed  bool         // explore without co (observed.go)
	merges    bool         // explore with co, and count what differs only in co once (merge.go)
	barriers  atomic.Bool  // there was an arrival of which only one order was explored

	comparing sync.Once
	comparer  *machine.Comparer // of prog

	freezing sync.Once
	freezer  *machine.Freezer // of prog

	told sync.Mutex // held during OnExecution

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
	hottest     hot                       // what a worker was at when time ran out
	recut       []event.Addr              // where the layout is finer because of objects in blocks that were allocated again
	apart       []event.Addr              // blocks that are not to be allocated again
	again       bool                      // explore again, with more threads or a finer layout
	layout      *machine.Layout           // to explore with
	shared      map[event.Addr]uint8      // what is known of locations (await.go)
	rewritten   map[event.Addr]bool       // see rewrite
	rewrites    map[event.Addr]bool       // the same, to explore with next
	learnt      map[event.Addr]discipline // the disciplines to explore with next

	walks  int64            // of a hunt
	sketch Prints           // of a hunt in pieces
	prints map[uint64]bool  // executions that were seen, by their fingerprints: whether they were seen again
	merged map[rfPrint]bool // executions that were counted, if merges
}

// Explore explores p until ctx is done.
func Explore(ctx context.Context, p *ir.Program, opts Options) (*Result, error) {
	if opts.Workers <= 0 {
		opts.Workers = runtime.NumCPU()
	}
	if err := opts.complete(); err != nil {
		return nil, err
	}
	start := time.Now()
	whole := ctx
	ctx, cancel := engine.WithTimeout(whole, opts.Timeout)
	defer func() { cancel() }()
	names := report.NewNamer(p)
	traits, mopts := opts.Model.Traits(), opts.machine()
	deps, tracks := traits.Deps, traits.TracksDeps
	prog, err := machine.Compile(p, mopts)
	if err != nil {
		return nil, err
	}
	r := &run{src: p, opts: opts, threads: 4, layout: &machine.Layout{}, namer: names, tracks: tracks, cyclic: deps != nil && opts.Hunt == 0 && (opts.cyclic || !deps.AcyclicFirst())}
	r.silent = opts.OnExecution != nil && opts.Hunt == 0
	for {
		r.prog = prog.WithLayout(r.layout)
		if !opts.NoSpuriousCAS && r.prog.HasWeakCAS() {
			r.alike = r.prog.NewComparer()
		}
		if opts.Reexecution != nil {
			r.reexecution = opts.Reexecution()
		}
		r.explore(ctx, start)
		if r.reexecution != nil && !r.stop.Load() && !r.silent && opts.Hunt == 0 && r.reexecution.Needed() {
			r.reexecute(ctx, start)
		}
		if !r.again && !r.silent {
			break
		}
		r = &run{
			src: p, opts: opts, threads: r.roomFor(), layout: r.layout, namer: names,
			tracks: tracks, cyclic: r.cyclic, merges: r.merges, undef: r.undef, silent: r.silent && r.again, choices: r.choices, recut: r.recut, apart: r.apart, shared: r.shared, rewritten: r.rewrites, rewrites: r.rewrites,
			lenient: r.lenient, disciplines: r.learnt, learnt: r.learnt,
		}
		if r.undef && !mopts.Undef {
			mopts.Undef = true
			if prog, err = machine.Compile(p, mopts); err != nil {
				return nil, err
			}
		}
		if opts.OnExecution != nil && !r.silent {
			start = time.Now()
			cancel()
			ctx, cancel = engine.WithTimeout(whole, opts.Timeout)
		}
	}
	if opts.OnSetup != nil {
		opts.OnSetup(*r.known())
	}
	if opts.Hunt > 0 {
		return r.result(r.hunted())
	}
	return r.result(nil)
}

// complete sets what depends on the model, and refuses what can't be.
func (o *Options) complete() error {
	traits := o.Model.Traits()
	if o.MaxEvents == 0 {
		o.MaxEvents = 5_000_000
		if traits.Deps != nil {
			o.MaxEvents = 100_000 // the cost is quadratic
		}
	}
	if traits.Reexecutes && o.Reexecution == nil {
		return fmt.Errorf("%s is not explored without its re-executions (xmm.Use)", o.Model.Name())
	}
	if o.Observed && traits.Reexecutes {
		return fmt.Errorf("--coherence observed is not supported under %s", o.Model.Name())
	}
	return nil
}

// machine returns the options of the machine.
func (o *Options) machine() machine.Options {
	traits, m := o.Model.Traits(), o.Machine
	m.Deps = traits.TracksDeps
	m.Arms = traits.Armed != nil
	m.Rounds = canGoRound(*o)
	return m
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
	if r.missing.Load() {
		res.Cut = r.unexplored
	}
	if m := r.opts.Model.Traits().Missing; m != nil && m(false) != "" {
		res.Cut = m(false)
	}
	if s := r.sampled.Load(); s != nil {
		res.Cut = s.values.Untried(s.at)
	}
	if ranOut(res.GaveUp) && hunt == nil && len(r.errors) == 0 {
		res.Warnings = append(res.Warnings, r.advice())
	}
	if hunt != nil {
		res.Hunt = hunt
		res.Cut, res.GaveUp = hunt.reason(r.opts.Hunt), ""
	} else if r.bounded.Load() {
		res.Cut = fmt.Sprintf("loops were cut after %d iterations (--unroll)", r.opts.Machine.Unroll)
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
	r.merges = r.opts.Observed && (r.merges || r.cyclic || r.opts.Model.Traits().TotalCo)
	r.observed = r.opts.Observed && !r.merges
	if r.merges {
		r.merged = map[rfPrint]bool{}
	}
	r.busy.Store(1)
	var wg sync.WaitGroup
	for range n {
		w := newWorker(r)
		r.all = append(r.all, w)
		if len(r.all) > 1 {
			r.idle <- w // before the first one starts: what it gives at the root is the most
		}
	}
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
}

// explored adds to the share of the tree that has been explored.
func (w *worker) explored(share float64) {
	if !w.muted() {
		w.share += share
	}
}

// maxSilent is how many executions are looked at before others are told of them: in most programs the first ones have all threads and all
// sizes of accesses.
const maxSilent = 10_000

func (w *worker) flush() {
	r := w.run
	r.mu.Lock()
	r.total.Add(w.count)
	r.share += w.share
	if r.silent && r.total.Complete+r.total.Blocked > maxSilent {
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
			r.stop.GiveUp("stopped at the memory limit (--max-memory)")
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

// threadOf returns the number of the nth thread that parent creates.
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

// refine makes the layout finer, such that the access act of location loc and those of other can be taken apart, and has the program explored again. It
// returns false if that is not possible.
func (w *worker) refine(loc, other int32, act *machine.Action) bool {
	a, b := &w.g.Locs[loc], &w.g.Locs[other]
	w.mu.Lock()
	defer w.mu.Unlock()
	layout := w.layout.Clone()
	onlyPlainReads := b.NA == b.Reads && len(b.Co) == 1
	switch {
	case b.Size > a.Size && !allPlain(b) && act.Mode == event.NA && layout.AddWhole(b.Addr.Visible(), b.Size): // a plain access takes its part of the atomic whole
	case a.Size > b.Size && act.Mode != event.NA && allPlain(b) && layout.AddWhole(a.Addr.Visible(), a.Size):
	case a.Size > b.Size && act.Mode != event.NA && onlyPlainReads:
		layout.Add(a.Addr.Visible(), a.Size)
	default:
		layout.Add(a.Addr.Visible(), a.Size)
		layout.Add(b.Addr.Visible(), b.Size)
		if a.Size > b.Size && act.Mode == event.NA {
			w.refineObject(layout, other)
		}
	}
	return w.useLayout(layout, a.Addr)
}

// allPlain reports whether all accesses of the location are plain.
func allPlain(l *graph.Loc) bool { return int(l.NA) == int(l.Reads)+len(l.Co)-1 }

// refineObject adds the locations of the object of loc that have its size: what copies or clears one element of an array is
// likely to go on with the next, and each time the program is explored again.
func (w *worker) refineObject(layout *machine.Layout, loc int32) {
	like := &w.g.Locs[loc]
	first, _ := w.prog.Object(like.Addr.Visible())
	for i := range w.g.Locs {
		l := &w.g.Locs[i]
		if l.Size != like.Size || l.Empty() || !allPlain(l) || w.object[i] != w.object[loc] {
			continue
		}
		if w.object[loc] < 0 {
			if g, _ := w.prog.Object(l.Addr.Visible()); g != first {
				continue
			}
		}
		layout.Add(l.Addr.Visible(), l.Size)
	}
}

// useLayout has the program explored again with a layout that is finer at addr. It returns false if it is not finer.
func (r *run) useLayout(layout *machine.Layout, addr event.Addr) bool {
	if slices.Equal(layout.Granules(), r.layout.Granules()) {
		return false
	}
	r.layout = layout
	if addr.Incarnation() > 0 {
		r.recut = append(slices.Clip(r.recut), addr.Visible())
	}
	r.again = true
	r.stop.Store(true)
	return true
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
