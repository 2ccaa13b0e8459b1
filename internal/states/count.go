package states

import (
	"context"
	"math/big"

	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
)

// This file counts executions without visiting each of them.
//
// Under sc an execution, told apart by rf and co, is a Mazurkiewicz trace: the interleavings that differ only by the order of steps of different threads that do not conflict. Sleep sets
// (Godefroid, 1996) leave one interleaving of each trace: when the ways of a thread have been followed, the thread sleeps in those of the others, until a step that conflicts with its own. What can follow is a function of
// the state and of the threads that sleep. So the number of executions from each such pair is found once.

// Count returns how many executions of p are complete under sc, told apart by rf and co. why says why it does not know.
func Count(ctx context.Context, p *ir.Program, opts Options) (n *big.Int, why string, err error) {
	opts.Model, opts.POR, opts.Symmetry, opts.Workers = SC, false, false, 1
	opts.onEnd = func(r *run) {
		if r.stop.GaveUp() == "" && len(r.found) == 0 && r.unsupported == nil {
			n, why = r.countAll()
		}
	}
	res, err := Explore(ctx, p, opts)
	switch {
	case err != nil || n != nil || why != "":
	case len(res.Errors) > 0:
		why = "the program has an error"
	default:
		why = res.GaveUp
	}
	return n, why, err
}

// A counter counts the executions from the states of a run.
type counter struct {
	*worker
	known   map[asleep]*big.Int // nil while they are being counted
	endless bool
}

// An asleep is a state, and the threads that sleep there.
type asleep struct {
	state   uint64
	threads threadSet
}

// A touch is what the next step of a thread does to memory.
type touch struct {
	addr   event.Addr
	size   uint8 // 0 if it does nothing
	writes bool
}

func (a *touch) conflicts(b *touch) bool {
	return (a.writes || b.writes) && a.addr < b.addr+event.Addr(b.size) && b.addr < a.addr+event.Addr(a.size)
}

// countAll counts the executions of a program whose states are known.
func (r *run) countAll() (n *big.Int, why string) {
	if r.threads > 64 {
		return nil, "there are more than 64 threads"
	}
	c := counter{worker: newWorker(r), known: map[asleep]*big.Int{}}
	n = c.from(asleep{state: r.initial})
	switch {
	case r.ctx.Err() != nil:
		return nil, context.Cause(r.ctx).Error()
	case c.endless:
		return nil, "a thread may go round in a loop for ever"
	}
	return n, ""
}

// from returns how many executions there are from a state. It takes all moves of a thread before those of the next one.
func (c *counter) from(at asleep) *big.Int {
	if n, ok := c.known[at]; ok {
		c.endless = c.endless || n == nil
		return n
	}
	c.known[at] = nil
	c.hold(at.state)
	touches := make([]touch, c.threads)
	moves := make([][]move, c.threads)
	complete := true
	for t := range touches {
		if id := c.leaf(localLeaf(int32(t))); id != 0 {
			touches[t] = c.touchOf(c.locals.at(id).local)
			complete = complete && c.hasEnded(int32(t))
		}
	}
	c.moves(func(m move) { moves[m.thread] = append(moves[m.thread], m) })
	n := new(big.Int)
	if complete {
		n.SetInt64(1)
	}
	asleepNow := at.threads
	for t := range moves {
		if asleepNow.Has(int32(t)) {
			continue
		}
		next := threadSet(0)
		for u := range touches {
			if asleepNow.Has(int32(u)) && !touches[t].conflicts(&touches[u]) {
				next |= 1 << u
			}
		}
		for _, m := range moves[t] {
			c.hold(at.state)
			ok := c.perform(m) && len(c.changes) > 0
			to := uint64(0)
			if ok {
				to = c.state()
			}
			c.undo()
			if !ok || c.ctx.Err() != nil {
				continue
			}
			asleepNow |= 1 << t
			if more := c.from(asleep{to, next}); more != nil {
				n.Add(n, more)
			}
		}
	}
	c.known[at] = n
	return n
}

// touchOf returns what the next step of l does in the state that the worker holds.
func (c *counter) touchOf(l *local) touch {
	a, ok := l.touches()
	if !ok || a.Kind == machine.Free {
		return touch{}
	}
	writes := a.Kind == machine.Store
	if a.Kind == machine.RMW {
		writes = a.RMW.Succeeds(c.value(c.leafOf(l), a.Addr, a.Size), a.Exp)
	}
	return touch{a.Addr, a.Size, writes}
}
