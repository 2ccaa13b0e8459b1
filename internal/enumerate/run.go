package enumerate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ravel/internal/cat"
	"ravel/internal/litmus"
	"ravel/internal/relation"
)

// Options say how to run a test.
type Options struct {
	Unroll int             // how often a backward branch is taken, 0: twice
	Ctx    context.Context // ends the run early, nil: never

	// OnExecution, if not nil, is called with each consistent execution; false stops the run.
	OnExecution func(*Execution) bool
	// OnRejected, if not nil, is called with each execution that a check forbids, which it names. Executions
	// are then not pruned while they grow: it is for small tests and explanations.
	OnRejected func(*Execution) bool
}

// A Result is what the executions of a test are like. Positive and negative ones are those whose final
// state makes the proposition of the condition true and false.
type Result struct {
	Test               *litmus.Test
	Model              string
	Locs               []litmus.Loc // what the values of a state belong to
	Types              []litmus.Type
	States             []State // all different ones, sorted
	Positive, Negative int
	Flags              []string // raised by some execution
	Undefined          bool     // an undefined_unless of the model fails: data races in C
	Bounded            bool     // a loop goes round more often than the bound
	ThinAir            int      // executions with values that only depend on themselves
	Open               bool     // such values are computed: they may have solutions that were not tried
	Faults             int      // candidate executions dropped since they access what is not a variable
	Stopped            bool     // a callback or the context ended the run early
}

// A State is a final state: the values of Result.Locs.
type State struct {
	Values     []litmus.Value
	Positive   bool
	Executions int
}

// Executions returns how many executions are consistent.
func (r *Result) Executions() int { return r.Positive + r.Negative }

// Holds reports whether the condition of the test holds. A program with undefined behaviour fulfils none.
func (r *Result) Holds() bool { return !r.Undefined && r.Test.Cond.Holds(r.Positive, r.Negative) }

// Observation says, as herd does, whether the proposition is true Never, Sometimes or Always.
func (r *Result) Observation() string {
	switch {
	case r.Positive == 0:
		return "Never"
	case r.Negative == 0:
		return "Always"
	}
	return "Sometimes"
}

// Decided reports whether the verdict is final: all executions were seen, or a witness, or a counterexample, was
// found among those that were.
func (r *Result) Decided() bool {
	if !r.Bounded && !r.Stopped && !r.Open {
		return true
	}
	if r.Test.Cond.Quant == litmus.ForAll {
		return r.Negative > 0
	}
	return r.Positive > 0
}

// An Error is something about a test that keeps it from being run.
type Error struct {
	File      string
	Line, Col int
	Msg       string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg) }

// errStop ends a run early.
var errStop = errors.New("stopped")

// Run enumerates the executions of a test under a model.
func Run(t *litmus.Test, m *Model, o Options) (*Result, error) {
	if m.selector != nil {
		return runSelected(t, m, o)
	}
	return runAll(t, m, o)
}

// runAll enumerates the executions that satisfy the axioms of the model.
func runAll(t *litmus.Test, m *Model, o Options) (res *Result, err error) {
	ins, err := m.instructions(t)
	if err != nil {
		return nil, err
	}
	c, err := m.compile(ins)
	if err != nil {
		return nil, err
	}
	if o.Unroll == 0 {
		o.Unroll = 2
	}
	mach := c.machines.Get().(*cat.Machine)
	if o.Ctx != nil {
		mach.Stop = func() bool { return o.Ctx.Err() != nil }
	}
	defer func() {
		mach.Stop = nil
		c.machines.Put(mach)
	}()
	s := &search{test: ins, c: c, m: mach, opts: o, res: &Result{Test: t, Model: m.Name}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			if err = r.err; errors.Is(err, errStop) || errors.Is(err, cat.Stopped) {
				err = nil
				s.res.Stopped = true
				s.states()
				res = s.res
			}
		default:
			panic(r)
		}
	}()
	s.x = cat.NewExec(c.voc, 0)
	if c.guard != nil {
		s.guard, s.guards = c.guard.NewMachine(), c.guard.Monotone()
	}
	s.x.SameValue = func(a, b int) bool { return s.vals[a] == s.vals[b] }
	s.x.AtLoc = s.atLocation
	s.observe()
	s.alone()
	s.combine(0)
	s.states()
	return s.res, nil
}

// alone finds the paths of the threads.
func (s *search) alone() {
	s.runThreads()
	if s.cells = findCells(s.test, s.paths); s.cells != nil {
		s.runThreads()
	}
	for _, r := range s.runners {
		if r.split >= 0 && !s.c.prog.Uses("si") && !s.c.prog.Uses("sm") {
			r.Fail(r.split, "not supported: accesses of different sizes to the same bytes, under a model that does not speak of parts of accesses (the relation si): %s", s.res.Model)
		}
	}
	s.chosen = make([]*path, len(s.paths))
}

func (s *search) runThreads() {
	s.runners, s.paths = nil, nil
	for _, th := range s.test.Threads {
		r, list := paths(s.test, th, s.opts.Unroll, s.cells, s.c.inside, s.poll)
		s.res.Bounded = s.res.Bounded || r.cut
		s.runners = append(s.runners, r)
		s.paths = append(s.paths, list)
		for _, p := range list {
			s.checkSets(r, p)
		}
	}
}

// checkSets makes sure that the vocabulary has the sets of the events.
func (s *search) checkSets(r *runner, p *path) {
	for i := range p.events {
		for _, name := range p.events[i].sets {
			if !s.c.voc.HasSet(name) {
				r.Fail(p.events[i].op.Ins, "not supported: the set %s of %s", name, s.test.Arch)
			}
		}
	}
}

// atLocation returns the events at a location, by its name.
func (s *search) atLocation(name string) relation.Set {
	set := relation.NewSet(len(s.events))
	for i, l := range s.at {
		if l >= 0 && s.name(s.locs[l]) == name {
			set.Add(i)
		}
	}
	return *set
}

// combine takes every combination of paths.
func (s *search) combine(k int) {
	if k < len(s.paths) {
		for _, p := range s.paths[k] {
			s.chosen[k] = p
			s.combine(k + 1)
		}
		return
	}
	s.structure()
}

// poll ends the run if the context says so.
func (s *search) poll() {
	if s.opts.Ctx != nil && s.opts.Ctx.Err() != nil {
		panic(failure{errStop})
	}
}

func sortedInsert(list []string, s string) []string {
	if i, ok := slices.BinarySearch(list, s); !ok {
		return slices.Insert(list, i, s)
	}
	return list
}
