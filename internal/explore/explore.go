package explore

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"ravel/internal/engine"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
)

// Options say what to explore and what counts as an error.
type Options struct {
	engine.Options // Symmetry: executions that differ only in the order of arrivals at barriers, or in vain waits, are one (barrier.go, vain.go)

	Model     model.Model
	Twins     bool          // executions that differ only by a permutation of equal threads are one (symmetry.go)
	Observed  bool          // executions that differ only in co are one
	AllRounds bool          // explore rounds and rereads as all other events (round.go, reread.go): for comparisons
	MaxEvents int           // give up on longer executions; 0 is 5,000,000, 100,000 under a model that tracks dependencies
	Hunt      time.Duration // walk at random for so long instead of exploring (hunt.go); 0 is to explore
	Seed      uint64        // of the walks
	Bound     int           // explore with at most so many deviations, fewer first (bound.go); 0 is without a bound

	// OnExecution is called with every execution that ends, by one worker at a time.
	OnExecution func(*Execution)
	// Reexecution makes what finds the executions with cycles, under a model that re-executes: xmm.Use sets it.
	Reexecution func() Reexecution

	eager    bool    // add reads that wait as soon as their threads come to them: for tests
	allLooks bool    // threads look in vain (look.go): for tests
	anyPath  bool    // take every read that comes before a write of its location, and is not ordered before it, for a pair with that (buffer.go): for tests
	limit    int     // give up when a worker has come to so many ends; 0 is no limit: for tests
	cyclic   bool    // explore with cycles in po ∪ rf from the start, if the model has them
	coless   bool    // with Observed: explore without co from the start, if that can be
	trial    *trial  // with coless: when to give up, and the program
	tries    bool    // with Observed: try without co as soon as an execution was counted before, for as long as it takes: for tests
	most     int     // with Bound: how many deviations there may be in this run
	walks    int     // how many walks a hunt has, 0 if only time limits them
	sample   *sample // only estimate how many executions there are (estimate.go)
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
	UpTo     []string // what executions that are counted once may differ in: "barriers", "waits", "symmetry"
}

// Explore explores p until ctx is done.
func Explore(ctx context.Context, p *ir.Program, opts Options) (*Result, error) {
	if opts.Bound > 0 {
		return boundedExplore(ctx, p, opts)
	}
	_, res, err := explore(ctx, p, opts)
	return res, err
}

// explore explores p once, and returns the last run with its result.
func explore(ctx context.Context, p *ir.Program, opts Options) (*run, *Result, error) {
	if err := opts.complete(); err != nil {
		return nil, nil, err
	}
	start := time.Now()
	whole := ctx
	ctx, cancel := engine.WithTimeout(whole, opts.Timeout)
	defer func() { cancel() }()
	names := report.NewNamer(p)
	traits, mopts := opts.Model.Traits(), opts.machine()
	deps, tracks := traits.Deps, traits.TracksDeps
	var prog *machine.Program
	var err error
	if opts.trial != nil {
		prog = opts.trial.prog
	} else if prog, err = opts.Compile(p, mopts); err != nil {
		return nil, nil, err
	}
	r := &run{src: p, opts: opts, threads: 4, namer: names, tracks: tracks}
	r.layout, r.cyclic = &machine.Layout{}, deps != nil && opts.Hunt == 0 && (opts.cyclic || !deps.AcyclicFirst())
	r.rehearses = opts.OnExecution != nil && opts.Hunt == 0
	for {
		r.compiled, r.prog = prog, prog.WithLayout(r.layout)
		r.asksLoud()
		r.compares()
		if opts.Reexecution != nil {
			r.reexecution = opts.Reexecution()
		}
		r.explore(ctx, start)
		if r.tried != nil {
			if !r.rehearses {
				r = r.tried
				break
			}
			r.coless, r.again = true, true
		}
		if opts.trial != nil && !r.canDoWithoutCo() {
			break
		}
		if r.reexecution != nil && !r.stop.Load() && !r.rehearses && opts.Hunt == 0 && (r.reexecution.Needed() || r.roundsMatter()) {
			r.reexecute(ctx, start)
		}
		if !r.again && !r.stop.Load() && r.suspectAll() {
			r.again = true
		}
		if !r.again && !r.rehearses {
			break
		}
		r = &run{src: p, opts: opts, threads: r.roomFor(), namer: names, tracks: tracks, rehearses: r.rehearses && r.again, before: r.all, knowledge: r.knowledge}
		r.disciplines, r.rewritten, r.values, r.unsettled, r.writers = r.learnt, r.rewrites, r.written, r.stirred, r.wrote
		if r.undef && !mopts.Undef {
			mopts.Undef = true
			if prog, err = opts.Compile(p, mopts); err != nil {
				return nil, nil, err
			}
		}
		if opts.OnExecution != nil && !r.rehearses {
			start = time.Now()
			cancel()
			ctx, cancel = engine.WithTimeout(whole, opts.Timeout)
		}
	}
	var hunt *Hunt
	if opts.Hunt > 0 {
		hunt = r.hunted()
	}
	res, err := r.result(hunt)
	return r, res, err
}

// complete sets what depends on the model, and refuses what can't be.
func (o *Options) complete() error {
	traits := o.Model.Traits()
	if o.Workers <= 0 {
		o.Workers = runtime.NumCPU()
	}
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
	m.Picks = traits.Picks()
	m.Arms = traits.Armed != nil
	m.Rounds = roundsMayWait(*o)
	return m
}
