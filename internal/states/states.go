package states

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// A Model is a memory model. Each allows all that those before it allow, except for what the package comment says of fences.
type Model uint8

const (
	SC Model = iota
	TSO
	PSO
	LMO
	RMO

	models // how many there are
)

var modelNames = [models]string{"sc", "tso", "pso", "lmo", "rmo"}

func (m Model) String() string { return modelNames[m] }

// ModelByName returns the model of that name.
func ModelByName(name string) (Model, error) {
	for i, n := range modelNames {
		if n == name {
			return Model(i), nil
		}
	}
	return 0, fmt.Errorf("unknown memory model %q: the explicit-state engine has %s", name, strings.Join(modelNames[:], ", "))
}

// Options say what to explore and what counts as an error. The zero Options explore under sc and look for nothing but
// what the program itself says is wrong.
type Options struct {
	// Machine.SpinAssume is ignored: a loop that spins is a cycle of states.
	// Symmetry: states that are equal up to a permutation of symmetric threads are one.
	// MaxMemory bounds the tables, and the heap of this process.
	engine.Options

	Model  Model
	Buffer int  // entries of a store buffer; 0 is 5
	Raw    bool // access modes have no effect but on read-modify-writes and fences
	// RelaxedRMW lets stores overtake later relaxed read-modify-writes of other locations under pso, as the thesis does. Under lmo and rmo they always do.
	RelaxedRMW bool
	// Speculate lets loads pass branches that they depend on under rmo (guess.go).
	Speculate bool
	LTL       string // a formula that every fair execution must have; see parseLTL
	POR       bool   // leave out what only differs by the order of moves that commute
	Spill     string // a folder: large tables are in files there, and do not count
	// Checkpoint, if not nil, keeps the run, and may have what a process before this one has explored.
	Checkpoint *Checkpoint
	MaxStates  int64

	lts       *lts
	onInitial func(uint64)  // is told the initial state
	onFinal   func(*worker) // is called in every state in which the program has ended
	onVisit   func(*worker) // … in every state
	onEnd     func(*run)    // is called when all states are known
}

// Counts are the sizes of what was explored.
type Counts struct{ Stored, Transitions int64 }

// Memory says what the store takes.
type Memory struct {
	Bytes  int64 // of all tables
	Files  int64 // of these, in files (Options.Spill)
	Set    int64 // of the set of states
	Pairs  int   // inner nodes of the trees
	Chunks int   // threads, frames, pages and buffers
}

func (m *Memory) onHeap() int64 { return m.Bytes - m.Files }

// A Result is what an exploration found.
type Result struct {
	engine.Result
	Counts
	Memory    Memory
	Traces    [][]Step // of each error, the moves that lead to it; nil if none were found
	Completes bool     // an execution comes to its end, or goes on for ever and changes something again and again
}

// A run is one exploration, shared by its workers.
type run struct {
	src     *ir.Program
	prog    *machine.Program
	freezer *machine.Freezer
	opts    Options
	model   Model
	formula *ltl
	// Of the formula: what its atoms are about, and the automaton of its negation.
	variables []variable
	automaton *buchi
	procs     bool       // the program is in the form of procedures
	section   event.Addr // the variable of atomic sections, 0 if there are none that keep others from moving (section.go)

	// The shape of states.
	threads  int
	maxPages int
	pageBase int32
	leaves   int32
	place    []int32 // by leaf: its node

	locals, frames, pages, buffers chunkTable
	pairs                          pairTable
	spill                          *spill
	visited                        set
	transitions                    atomic.Int64
	edges                          set // of locals: from<<32 | to

	pageMu   sync.RWMutex
	pageOf   map[uint64]int32
	pageList []page

	freesHeap atomic.Bool // an object of the heap was freed in some state
	allocs    sync.Map    // ir.Pos by event.Addr: where the objects of the heap are allocated, NoPos if in several places

	futures    *futures
	footprints sync.Map          // footprint by number of a buffer
	watched    [cellWords]uint64 // cells that the formula is about, and of the variable of sections
	persistent bool              // each state explores a persistent set of threads (persistent.go)
	plain      bool              // non-atomic entries leave buffers from the front, independently of all other moves (plain.go)
	cyclic     bool              // threads may return to an earlier local, so persistent sets need progress (por.go)
	fresh      *set              // if cyclic: states that the next round explores

	symmetry    *symmetry // guarded by mu
	classes     [][]int32 // of symmetric threads
	symmetricTo [][]int32 // by thread: its class, itself among it; nil if it is not symmetric
	starts      sync.Map  // *future by symmetric thread: of its first place

	ctx          context.Context
	stop         engine.Stop
	undefined    atomic.Bool // explore again, with machine.Options.Undef
	again        atomic.Bool // explore again: there is no room for a thread or a page, or something was relied on that is wrong
	bounded      atomic.Bool // a buffer was full
	unroll       atomic.Bool
	sampled      atomic.Pointer[machine.Action] // a choice of which not all values were tried
	deferredAll  atomic.Bool                    // rmo: an instruction was not deferred for want of room
	leaked       atomic.Bool
	space        event.Space
	exits        atomic.Bool  // with LeakCheck, an execution ends by a call of exit
	largest      atomic.Int64 // how many slots an object takes, if several or if it is aligned to several (reclaim.go)
	ended        atomic.Bool  // an execution came to its end
	blocked      atomic.Bool  // an execution did not: an assumption fails, or a thread spins forever
	completes    bool         // once all is explored: see Result
	revisits     atomic.Bool  // a thread changed something and is at an earlier local again
	lockRevisits atomic.Bool  // … that waits for a lock
	enough       atomic.Int64 // after restart: the states at which to stop

	exploring atomic.Bool            // workers explore states: they can be told to rest
	rest      atomic.Bool            // workers have to come to rest
	ending    atomic.Pointer[string] // why the exploration stops once they rest

	start   time.Time
	initial uint64
	level   Model // the strongest model that allows what is being explored

	sorted     [models]int  // states of the next levels when they were last sorted
	laterBytes atomic.Int64 // of these lists

	progressMu   sync.Mutex // held during OnProgress, and to look at the heap
	lastProgress time.Time
	lastHeap     time.Time

	mu          sync.Mutex
	namer       *report.Namer
	names       *engine.Threads
	found       []*found
	warnings    []string
	waits       []report.Wait
	spins       []report.Wait
	unsupported *engine.Unsupported
	moreThreads bool
	mayStarve   bool // threads may wait for locks for ever: that is looked for without symmetry
	morePages   bool
}

// maxThreads is more than the number of threads there can be.
const maxThreads = event.MaxOwners

// Explore explores p until ctx is done.
func Explore(ctx context.Context, p *ir.Program, opts Options) (*Result, error) {
	ctx, cancel := engine.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	res, err := exploreModel(ctx, p, opts)
	if err != nil || opts.Model < LMO || opts.lts != nil {
		return res, err
	}
	return res, confirm(ctx, p, opts, res)
}

// confirm sets the StrongestModel of errors found under lmo or rmo. By then it is the strongest whose kinds of reordering are enough; but these models let a relaxed
// read-modify-write pass older stores, which under tso and pso it does not, and have other fences. So the stronger models are asked.
func confirm(ctx context.Context, p *ir.Program, opts Options, res *Result) error {
	open := map[int]Model{} // errors, and the strongest model that may have them
	for i := range res.Errors {
		if m, err := ModelByName(res.Errors[i].StrongestModel); err == nil && m > SC && m < opts.Model {
			open[i] = m
		}
	}
	weak := opts.Model
	opts.OnProgress, opts.KeepGoing = nil, true
	for m := TSO; m < weak && len(open) > 0 && ctx.Err() == nil; m++ {
		if !slices.ContainsFunc(slices.Collect(maps.Values(open)), func(least Model) bool { return least <= m }) {
			continue
		}
		opts.Model = m
		own, err := exploreModel(ctx, p, opts)
		if err != nil {
			return err
		}
		for i := range open {
			if e := &res.Errors[i]; slices.ContainsFunc(own.Errors, func(f report.Error) bool { return f.Kind == e.Kind && f.Location == e.Location }) {
				e.StrongestModel = m.String()
				delete(open, i)
			}
		}
	}
	for i := range open {
		if ctx.Err() == nil {
			res.Errors[i].StrongestModel = weak.String()
		} else {
			res.Errors[i].StrongestModel = "" // a stronger one may have it
		}
	}
	return nil
}

// exploreModel explores p under one model.
func exploreModel(ctx context.Context, p *ir.Program, opts Options) (*Result, error) {
	res, undefined, err := exploreOnce(ctx, p, opts)
	if undefined { // explore again, where registers may have undefined bits
		opts.Machine.Undef = true
		res, _, err = exploreOnce(ctx, p, opts)
	}
	return res, err
}

// exploreOnce explores p under one model, unless it finds that it needs machine.Options.Undef.
func exploreOnce(ctx context.Context, p *ir.Program, opts Options) (res *Result, undefined bool, err error) {
	opts.Workers = cmp.Or(opts.Workers, runtime.NumCPU())
	opts.Buffer = cmp.Or(opts.Buffer, 5)
	opts.Machine.SpinAssume = false
	opts.Machine.Layout = nil
	q, procs := procMode(p)
	prog, err := opts.Compile(q, opts.Machine)
	if err != nil {
		return nil, false, err
	}
	var formula *ltl
	if opts.LTL != "" {
		if formula, err = parseLTL(opts.LTL); err != nil {
			return nil, false, err
		}
	}
	if res, undefined := opts.Checkpoint.completed(opts.Machine.Undef); res != nil || undefined {
		return res, undefined, nil
	}
	start := time.Now()
	opts.Symmetry = opts.Symmetry && !opts.Liveness && opts.LTL == "" && opts.lts == nil && prog.Nameless()
	freezer := prog.NewFreezer(opts.Model >= LMO)
	names := report.NewNamer(q)
	r := &run{threads: 4, maxPages: 8, names: &engine.Threads{}, futures: newFutures()}
	r.persistent = opts.POR && opts.Model < LMO && !opts.Liveness && opts.LTL == "" && opts.lts == nil
	section := sectionOf(q)
	r.persistent = r.persistent && section == 0
	r.plain = r.persistent && opts.RaceCheck && !opts.Raw && !opts.RelaxedRMW // a read-modify-write that passes entries shows that they are late
	symmetry := newSymmetry()
	sampling := true
	if saved := opts.Checkpoint.resumes(); saved != nil {
		r.symmetry = symmetry
		saved.prepare(r)
		sampling, opts.Symmetry = false, saved.Symmetry
	}
	for {
		if sampling {
			r.threads, r.maxPages = walkThreads, walkPages
		}
		next := &run{
			ctx: ctx, src: q, prog: prog, space: prog.Space(), freezer: freezer, opts: opts, model: opts.Model, namer: names, start: start, lastHeap: start, procs: procs, section: section,
			threads: r.threads, maxPages: r.maxPages, pageOf: map[uint64]int32{}, names: r.names, symmetry: symmetry,
			futures: r.futures, persistent: r.persistent, plain: r.plain, cyclic: r.cyclic,
		}
		if opts.lts != nil {
			opts.lts.reset()
		}
		next.takeOver(r)
		r.spill.close()
		r = next
		if opts.Spill != "" && !sampling {
			r.spill = &spill{dir: opts.Spill}
			r.pairs.spill, r.visited.spill = r.spill, r.spill
		}
		if sampling {
			sampling = false
			r.opts.POR = false // sample walks rely on nothing
			r.sampleWalks()
			r.threads, r.maxPages = 4, 8
			continue
		}
		if opts.Checkpoint.resumes() == nil {
			r.findSymmetric()
		}
		r.formula = formula
		if err := r.explore(); err != nil {
			return nil, false, err
		}
		if r.undefined.Load() {
			r.spill.close()
			return nil, true, nil
		}
		if r.mayStarve {
			opts.Symmetry = false
		}
		if r.again.Load() && r.stop.GaveUp() != "" { // what it found can't be relied on
			r.found, r.unsupported = nil, nil
			r.again.Store(false)
		}
		if r.again.Load() {
			continue
		}
		if opts.onEnd != nil {
			opts.onEnd(r)
		}
		// The search for a trace may come to states that the exploration did not, and find that it lacks room, too.
		res, err := r.result()
		if !r.again.Load() || r.stop.GaveUp() != "" {
			r.spill.close()
			if err == nil {
				opts.Checkpoint.complete(res, opts.Machine.Undef)
			}
			return res, false, err
		}
	}
}

// takeOver takes over what the sample walks, or an exploration that has to be done again, have learnt.
func (r *run) takeOver(old *run) {
	for r.threads <= len(old.names.Keys) {
		r.threads *= 2
	}
	for r.maxPages < len(old.pageList) || old.morePages && r.maxPages <= len(old.pageList) {
		r.maxPages *= 2
	}
	r.futures.forget()
	r.largest.Store(old.largest.Load())
	r.pageBase = int32(2 * r.threads)
	for r.leaves = 4; int(r.leaves) < 2*r.threads+r.maxPages; {
		r.leaves *= 2
	}
	r.maxPages = int(r.leaves) - 2*r.threads
	r.place = places(r.leaves)
	r.persistent = r.persistent && r.threads <= 64
	r.plain = r.plain && r.persistent
}

// restart has the program explored again because something was relied on that is wrong (future.go). The present
// exploration goes on for a while, to find more of that.
func (r *run) restart() {
	if r.again.CompareAndSwap(false, true) {
		r.enough.Store(2*r.visited.count.Load() + 2000)
	}
}

// threadOf returns the number of the nth thread that parent creates.
func (r *run) threadOf(parent int32, nth int) (int32, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, _ := r.names.Number(parent, nth)
	if t < min(int32(r.threads), maxThreads-1) {
		return t, true
	}
	if t >= maxThreads-1 { // thread t owns the addresses of owner t+1
		r.stop.GiveUp(fmt.Sprintf("the program creates more than %d threads: bound the loop that creates them with --unroll", maxThreads-2))
	} else {
		r.moreThreads = true
		r.again.Store(true)
	}
	r.stop.Store(true)
	return 0, false
}

// memory returns what the tables take.
func (r *run) memory() *Memory {
	m := &Memory{}
	m.Files, _ = r.spill.size()
	m.Set = r.visited.bytes.Load()
	m.Bytes = m.Set + r.pairs.bytes.Load() + r.locals.bytes.Load() + r.frames.bytes.Load() + r.pages.bytes.Load() + r.buffers.bytes.Load()
	return m
}

func (r *run) counts() Counts { return Counts{r.visited.count.Load(), r.transitions.Load()} }

// result makes the result.
func (r *run) result() (*Result, error) {
	if r.unsupported != nil && len(r.found) == 0 {
		return nil, r.unsupported
	}
	res := &Result{Counts: r.counts(), Memory: *r.memory(), Completes: r.completes}
	res.Warnings, res.Spins, res.GaveUp = r.warnings, r.spins, r.stop.GaveUp()
	if engine.RanOut(res.GaveUp) && len(r.found) == 0 {
		res.Warnings = append(res.Warnings, r.advice())
	}
	if !res.Completes {
		res.Waits = append(r.waits, r.spins...)
	}
	res.Memory.Pairs = r.pairs.count()
	res.Memory.Chunks = r.locals.count() + r.frames.count() + r.pages.count() + r.buffers.count()
	for _, f := range r.found {
		e, trace := r.reportError(f)
		res.Errors = append(res.Errors, e)
		res.Traces = append(res.Traces, trace)
	}
	var cuts []string
	if r.unroll.Load() {
		cuts = append(cuts, engine.Unrolled(r.opts.Machine.Unroll))
	}
	if a := r.sampled.Load(); a != nil {
		cuts = append(cuts, a.Values.Untried(r.namer.Location(a.Pos)))
	}
	if r.bounded.Load() {
		cuts = append(cuts, fmt.Sprintf("a store buffer was full at %d entries (--buffer)", r.opts.Buffer))
	}
	if r.deferredAll.Load() {
		cuts = append(cuts, "a thread had more instructions to defer than there is room for")
	}
	if r.exits.Load() {
		cuts = append(cuts, engine.NoLeaksAtExit)
	}
	res.Cut = strings.Join(cuts, "; ")
	return res, nil
}

// ExploreAll explores p under all models: first under pso, whose StrongestModel is exact for sc, tso and pso, and then, if
// there is no error or KeepGoing, under lmo, which is a model of its own where fences are concerned. Counts are of both.
func ExploreAll(ctx context.Context, p *ir.Program, opts Options) (*Result, error) {
	ctx, cancel := engine.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	opts.Model = PSO
	first, err := exploreModel(ctx, p, opts)
	if err != nil || len(first.Errors) > 0 && !opts.KeepGoing || first.GaveUp != "" {
		return first, err
	}
	opts.Model = LMO
	if tell := opts.OnProgress; tell != nil {
		opts.OnProgress = func(p engine.Progress) { tell(engine.Progress{Done: first.Stored + p.Done}) }
	}
	res, err := exploreModel(ctx, p, opts)
	if err != nil {
		return nil, err
	}
	res.Stored += first.Stored
	res.Transitions += first.Transitions
	res.Cut = cmp.Or(res.Cut, first.Cut)
	res.Spins = append(first.Spins, res.Spins...)
	errors, traces := first.Errors, first.Traces
	for i, e := range res.Errors {
		if !slices.ContainsFunc(first.Errors, func(f report.Error) bool { return f.Kind == e.Kind && f.Location == e.Location }) {
			if e.StrongestModel != "" && e.StrongestModel != SC.String() {
				e.StrongestModel = LMO.String() // pso has not got it
			}
			errors, traces = append(errors, e), append(traces, res.Traces[i])
		}
	}
	res.Errors, res.Traces = errors, traces
	return res, nil
}
