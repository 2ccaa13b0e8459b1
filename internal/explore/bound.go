package explore

import (
	"context"
	"fmt"

	"ravel/internal/engine"
	"ravel/internal/graph"
	"ravel/internal/ir"
)

// Bounded search.
//
// The simplest execution runs threads one after the other, as next has them, each read of which sees the latest write. Every other one deviates from that
// a number of times. With Options.Bound those with no deviation are explored, then those with at most one, and so on. So the error that is reported
// needs the least number of them.
//
// Definition. A deviation of a graph is a write that an earlier read was re-directed to, which is a switch from one thread to another; a read or a write that
// had a co-later one before it when it was added, which is a relaxation; a spurious failure; an alternative of a choice but the first; and a block of
// memory that is used again.
//
// Each execution is reached in one way, through graphs whose deviations may come and go: a revisit may delete the write that a read did not see. With a bound of n,
// the executions are explored on whose way no graph has more than n. The number depends on the order of threads: it is a measure, not a property
// of the memory model. With a bound that is large enough nothing is left out, and the verdict is that of an exploration without one.

// boundedExplore explores p with at most 0, 1, … opts.Bound deviations, until there is an error or nothing is left out.
func boundedExplore(ctx context.Context, p *ir.Program, opts Options) (*Result, error) {
	ctx, cancel := engine.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	for n := 0; ; n++ {
		opts.most = n
		r, res, err := explore(ctx, p, opts)
		if err != nil || len(res.Errors) > 0 || res.GaveUp != "" || !r.beyond.Load() {
			return res, err
		}
		if n == opts.Bound {
			res.Cut = fmt.Sprintf("executions that deviate more than %d times from running the threads one after the other are not explored (--bound)", n)
			return res, nil
		}
	}
}

// isBeyond reports whether the graph has more deviations than are explored.
func (w *worker) isBeyond() bool {
	n, g := 0, w.g
	for _, id := range g.Trail {
		switch e := &g.Events[id]; e.Kind {
		case graph.Read:
			if e.Flags&graph.Spurious != 0 || !w.latestWhenAdded(e, e.RF) {
				n++
			}
		case graph.Write:
			if e.Flags&graph.Revisitor != 0 || !w.latestWhenAdded(e, id) {
				n++
			}
		case graph.Choice:
			if e.Val.Lo != 0 {
				n++
			}
		case graph.Alloc:
			if e.RF != graph.Init {
				n++
			}
		}
	}
	return n > w.opts.most
}
