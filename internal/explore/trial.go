package explore

import (
	"math"
	"sync/atomic"

	"ravel/internal/engine"
	"ravel/internal/machine"
)

// With Options.Observed there are two ways to explore. With co (merge.go), all executions are visited, and most of them may differ only in co: n writes that nobody reads have n! orders. Without co
// (observed.go), each rf is visited once, but that takes longer for each, and the reductions of threads that wait are missing.
//
// So an exploration begins with co. If d executions of a worker have the same rf, on average, it tries to explore without co, with d⁴/32768 of the effort that it has spent so far. It
// does so after each fourfold number of executions. As long as d is at most 8, this costs at most a sixth of the effort. If d is large, one of the first trials comes to an end, and what it found is the result.
// Effort costs more without co. So no trial may take more than two thirds of what the exploration with co still seems to need.
//
// The two ways find the same complete executions and errors, unless threads wait or go round in loops: with co, an execution in which a thread tries again counts as the one in which it is
// successful at once, and whether a thread waits for ever depends on co. A trial that comes to such a thread ends without a result. It would tell equal threads apart, so where some were found there are no trials.

// A trial is an exploration without co that may take no more than some effort.
type trial struct {
	prog   *machine.Program
	effort int64        // as worker.effort
	outer  *engine.Stop // of the exploration that waits for it
	failed atomic.Bool
}

// firstTrial is after how many executions a worker first thinks of trying, leastEffort is what a trial has to be worth.
const (
	firstTrial  = 500
	leastEffort = 1000
)

// mayTry explores without co if that seems to be better. The last execution was counted before.
func (w *worker) mayTry() {
	if !w.triable || w.ordered.Load() || w.leaves < w.nextTrial && !w.opts.tries || !w.trying.CompareAndSwap(false, true) {
		return
	}
	defer w.trying.Store(false)
	w.nextTrial = 4 * w.leaves
	d := float64(w.leaves) / float64(w.leaves-w.dups)
	effort := int64(min(min(d*d*d*d/32768, 1<<20)*float64(w.effort), w.rest()*2/3))
	if w.opts.tries {
		effort = math.MaxInt64
	}
	if effort < leastEffort {
		return
	}
	opts := w.opts
	opts.Workers, opts.Timeout, opts.OnProgress, opts.OnExecution = 1, 0, nil, nil
	opts.coless, opts.trial = true, &trial{prog: w.compiled, effort: effort, outer: &w.stop}
	r, res, err := explore(w.ctx, w.src, opts)
	switch {
	case r != nil && !r.canDoWithoutCo():
		w.nextTrial = math.MaxInt
	case err == nil && res.GaveUp == "" && !opts.trial.failed.Load():
		w.mu.Lock()
		w.tried = r
		w.mu.Unlock()
		w.stop.Store(true)
	}
}

// rest estimates the effort that the exploration still needs, in that of the worker.
func (w *worker) rest() float64 {
	w.flush()
	w.mu.Lock()
	share := w.run.share
	w.mu.Unlock()
	return float64(w.effort) * (1 - share) / share
}

// canDoWithoutCo reports whether the program may be explored without co. Which memory nothing points to in the end depends on co.
func (r *run) canDoWithoutCo() bool {
	return !r.needsCo && !r.cyclic && !r.opts.Model.Traits().TotalCo && !r.opts.LeakCheck && r.opts.Hunt == 0
}

// stopWithoutCo ends an exploration without co, as a thread waits, or thread t goes round: the program is explored with co. In pieces, that can't be.
func (w *worker) stopWithoutCo(t int32) {
	if !w.items {
		w.startAgain(func(r *run) { r.needsCo = true })
		return
	}
	w.fail(t, &machine.Error{Kind: machine.Unsupported, Message: "--coherence observed is for one process if threads go round in loops or meet at barriers: executions that differ only in co may be in several pieces of the search"})
}

// givesUp reports whether the exploration is a trial that takes too much effort.
func (w *worker) givesUp() bool {
	t := w.opts.trial
	if t == nil || w.effort < t.effort && !t.outer.Load() {
		return false
	}
	t.failed.Store(true)
	w.stop.Store(true)
	return true
}
