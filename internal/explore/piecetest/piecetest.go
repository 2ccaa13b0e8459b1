// Package piecetest explores programs in pieces, as the workers of a cluster do, for the tests of other packages.
package piecetest

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/ir"
)

// Explore explores p in pieces of random numbers of executions. It encodes and decodes p first, as a worker gets it. Some pieces are explored twice, and one of the two
// records counts, as if a process had died. With KeepGoing the order is random, and else that of a plain exploration, so that the first error is the same.
// It returns how many generations there were.
func Explore(ctx context.Context, p *ir.Program, opts explore.Options, rng *rand.Rand) (*explore.Result, int, error) {
	data, err := p.Encode()
	if err != nil {
		return nil, 0, err
	}
	q, err := ir.Decode(data)
	if err != nil {
		return nil, 0, err
	}
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	ctx, cancel := engine.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	x := &explorer{ctx: ctx, prog: q, opts: opts, rng: rng}
	defer context.AfterFunc(ctx, func() { x.stop.Store(true) })()
	var setup explore.Setup
	for generation := 1; ; generation++ {
		res, next, err := x.generation(setup)
		if next == nil {
			return res, generation, err
		}
		setup = *next
	}
}

type explorer struct {
	ctx       context.Context
	prog      *ir.Program
	opts      explore.Options
	rng       *rand.Rand
	stop      atomic.Bool
	search    *explore.Search
	explorers [3]*explore.Explorer
	most      int // executions of a piece
}

// generation explores everything under one Setup. It returns another one if that is needed.
func (x *explorer) generation(setup explore.Setup) (*explore.Result, *explore.Setup, error) {
	if err := x.use(setup); err != nil {
		return nil, nil, err
	}
	sum := &explore.Sum{}
	least, n := 1+x.rng.IntN(20), 0
	x.most = least
	for todo := []explore.Item{explore.Root()}; len(todo) > 0; {
		i := len(todo) - 1
		if x.opts.KeepGoing {
			i = x.rng.IntN(len(todo))
		}
		rec := x.one(todo[i])
		if x.rng.IntN(4) == 0 && rec.GaveUp == "" {
			rec = x.one(todo[i])
		}
		if rec.Next != nil {
			if !rec.Next.Extends(x.search.Setup()) {
				return nil, rec.Next, nil
			}
			if err := x.use(*rec.Next); err != nil {
				return nil, nil, err
			}
			continue
		}
		sum.Add(rec, x.opts.KeepGoing)
		if next := sum.Next(x.search.Setup()); next != nil {
			return nil, next, nil
		}
		if rec.Ends(x.opts.KeepGoing) {
			break
		}
		todo = slices.Delete(todo, i, i+1)
		if len(rec.Rest.Path) > 0 {
			todo = append(todo, rec.Rest.Split(1+x.rng.IntN(5))...)
		}
		n++
		x.most = least + n/50*least // so that there are not too many
	}
	if sum.GaveUp != "" && x.stop.Load() {
		sum.GaveUp = engine.Why(x.ctx)
	}
	return x.search.Result(x.ctx, sum)
}

// use makes a search that has the Setup.
func (x *explorer) use(setup explore.Setup) (err error) {
	clear(x.explorers[:])
	x.search, err = explore.NewSearch(x.prog, x.opts, setup)
	return err
}

// one explores an item, with one of several explorers.
func (x *explorer) one(it explore.Item) *explore.Record {
	i := x.rng.IntN(len(x.explorers))
	if x.explorers[i] == nil || x.rng.IntN(4) == 0 {
		x.explorers[i] = x.search.NewExplorer()
	}
	return x.explorers[i].Explore(it, explore.Slice{Executions: 1 + x.rng.IntN(x.most), Stop: &x.stop})
}
