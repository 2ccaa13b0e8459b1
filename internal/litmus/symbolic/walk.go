// Package symbolic runs a thread of a litmus test along all its paths, with symbols for the values that its reads receive.
//
// A Walker follows the control flow of the micro code: guards, branches, choices and assumptions. It forks where a condition depends
// on a symbol, and notes the condition. An Engine says what the other operations do: it makes events, and bounds loops.
// Packages enumerate and justify are engines.
package symbolic

import "ravel/internal/litmus"

// A Condition is what a path needs to be taken: X is not 0 if Want is true, otherwise X is 0.
type Condition struct {
	X    litmus.Expr
	Want bool
	Ins  int // the instruction that it comes from
}

// A State is where a path is. Engines embed it in their own.
type State struct {
	PC    int // the next operation
	Conds []Condition
	steps int
}

// At returns the state.
func (s *State) At() *State { return s }

// Assume notes that x is not 0. It returns false if it is.
func (s *State) Assume(x litmus.Expr, ins int) bool {
	if v, ok := x.(litmus.Value); ok {
		is, _ := v.Truth()
		return is
	}
	s.Conds = append(s.Conds, Condition{x, true, ins})
	return true
}

// A Path is a path of an engine, with its State.
type Path[P any] interface {
	At() *State
	Fork() P // a copy that does not change with it
}

// An Engine performs operations on paths of type P. It panics to give up.
type Engine[P Path[P]] interface {
	Value(p P, x litmus.Expr) litmus.Expr // x with registers replaced by what they hold
	Assign(p P, r litmus.Reg, n int64)
	Enter(p P, op *litmus.Op)              // the path has come to op
	Guard(p P, op *litmus.Op) bool         // op has a guard; true: the engine did or skipped it, and moved on
	Skip(p P, op *litmus.Op)               // the guard of op is 0
	Branch(p P, op *litmus.Op) litmus.Expr // the condition of a branch
	// Jump goes to an operation by a branch, whose condition is known to hold or not a symbol. False means that the path ends here.
	Jump(p P, op *litmus.Op, known bool) bool
	Do(p P, op *litmus.Op) bool // all other operations; false if the path was forked, or ends here
	End(p P)
	Fail(ins int, format string, args ...any)
}

// A Walker enumerates the paths of a thread.
type Walker[P Path[P]] struct {
	Thread   *litmus.Thread
	Engine   Engine[P]
	MaxSteps int
	Poll     func() // called before a path is run, if not nil; it panics to stop
}

// Run takes a path to its end, or forks it.
func (w *Walker[P]) Run(p P) {
	if w.Poll != nil {
		w.Poll()
	}
	s := p.At()
	for s.PC < len(w.Thread.Ops) {
		op := &w.Thread.Ops[s.PC]
		w.Engine.Enter(p, op)
		if s.steps++; s.steps > w.MaxSteps {
			w.Engine.Fail(op.Ins, "this thread runs for more than %d operations", w.MaxSteps)
		}
		if op.If != nil {
			if w.Engine.Guard(p, op) {
				continue
			}
			x := w.Engine.Value(p, op.If)
			if !isKnown(x) {
				w.Decide(p, x, op.Ins, func(p P, is bool) {
					if !is {
						w.skip(p, op)
					} else if !w.do(p, op) {
						return
					}
					w.Run(p)
				})
				return
			}
			if is, _ := x.(litmus.Value).Truth(); !is {
				w.skip(p, op)
				continue
			}
		}
		if !w.do(p, op) {
			return
		}
	}
	w.Engine.End(p)
}

// isKnown reports whether x is a value whose truth is known.
func isKnown(x litmus.Expr) bool {
	v, ok := x.(litmus.Value)
	return ok && v.Kind != litmus.Undef
}

// Decide goes on with f for each truth value that x may have.
func (w *Walker[P]) Decide(p P, x litmus.Expr, ins int, f func(p P, is bool)) {
	if v, ok := x.(litmus.Value); ok {
		is, ok := v.Truth()
		if !ok {
			w.Engine.Fail(ins, "whether this happens depends on the number of an address")
		}
		f(p, is)
		return
	}
	other := p.Fork()
	s, o := p.At(), other.At()
	s.Conds = append(s.Conds, Condition{x, false, ins})
	f(p, false)
	o.Conds = append(o.Conds, Condition{x, true, ins})
	f(other, true)
}

func (w *Walker[P]) skip(p P, op *litmus.Op) {
	p.At().PC++
	w.Engine.Skip(p, op)
}

// do performs one operation; it returns false if the path was forked or given up.
func (w *Walker[P]) do(p P, op *litmus.Op) bool {
	s := p.At()
	s.PC++
	switch op.Kind {
	case litmus.Assume:
		return s.Assume(w.Engine.Value(p, op.X), op.Ins)
	case litmus.Choose:
		other := p.Fork()
		w.Engine.Assign(p, op.Dst, 0)
		w.Run(p)
		w.Engine.Assign(other, op.Dst, 1)
		w.Run(other)
		return false
	case litmus.Branch:
		return w.branch(p, op)
	}
	return w.Engine.Do(p, op)
}

func (w *Walker[P]) branch(p P, op *litmus.Op) bool {
	if op.X == nil {
		return w.Engine.Jump(p, op, false)
	}
	x := w.Engine.Branch(p, op)
	if isKnown(x) {
		is, _ := x.(litmus.Value).Truth()
		return !is || w.Engine.Jump(p, op, true)
	}
	w.Decide(p, x, op.Ins, func(p P, is bool) {
		if !is || w.Engine.Jump(p, op, false) {
			w.Run(p)
		}
	})
	return false
}
