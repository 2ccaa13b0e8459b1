package enumerate

import (
	"context"
	"errors"
	"slices"

	"ravel/internal/litmus"
)

// A Selector chooses from the executions of one test that satisfy the axioms of a model those that the model allows. It is for models that look at
// several executions at a time.
type Selector interface {
	// See is called with each execution.
	See(*Execution) error
	// Allowed says which of the executions seen are allowed. It is false if the context ended before that was known.
	Allowed(ctx context.Context) ([]bool, bool)
	// Rule is what forbids the others.
	Rule() string
	// Derivation says, line by line, why the i-th execution that was seen is allowed, if others are the reason.
	Derivation(i int) []string
}

// UseSelector makes the model choose. It is for a model that no test was run under yet.
func (m *Model) UseSelector(make func(*litmus.Test) (Selector, error)) { m.selector = make }

// A selected is what is kept of an execution that satisfies the axioms.
type selected struct {
	state                        []litmus.Value
	positive, thinAir, undefined bool
}

// runSelected is Run for a model that chooses. The executions are enumerated a second time, in the same order, if somebody wants to see them.
func runSelected(t *litmus.Test, m *Model, o Options) (*Result, error) {
	sel, err := m.selector(t)
	if err != nil {
		return nil, err
	}
	if o.Ctx == nil {
		o.Ctx = context.Background()
	}
	var outcomes []selected
	var failed error
	first := o
	first.OnRejected = nil
	first.OnExecution = func(x *Execution) bool {
		failed = sel.See(x)
		outcomes = append(outcomes, selected{slices.Clone(x.State), x.Positive, x.ThinAir, x.Result.Undefined})
		return failed == nil
	}
	res, err := runAll(t, m, first)
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	allowed, known := sel.Allowed(o.Ctx)
	res.Stopped = res.Stopped || !known
	res.keep(outcomes, allowed)
	if o.OnExecution == nil && o.OnRejected == nil || res.Stopped {
		return res, nil
	}
	i := 0
	second := o
	second.OnExecution = func(x *Execution) bool {
		i++
		if allowed[i-1] {
			n := i - 1
			x.derivation = func() []string { return sel.Derivation(n) }
			return o.OnExecution == nil || o.OnExecution(x)
		}
		x.rule = sel.Rule()
		return o.OnRejected == nil || o.OnRejected(x)
	}
	shown, err := runAll(t, m, second)
	if err == nil {
		res.Stopped = shown.Stopped
	}
	return res, err
}

// keep counts the outcomes that are allowed, and no others.
func (r *Result) keep(outcomes []selected, allowed []bool) {
	r.Positive, r.Negative, r.ThinAir, r.Undefined = 0, 0, 0, false
	for i := range r.States {
		r.States[i].Executions = 0
	}
	for i, out := range outcomes {
		if !allowed[i] {
			continue
		}
		if out.positive {
			r.Positive++
		} else {
			r.Negative++
		}
		if out.thinAir {
			r.ThinAir++
		}
		r.Undefined = r.Undefined || out.undefined
		n := slices.IndexFunc(r.States, func(s State) bool { return slices.Equal(s.Values, out.state) })
		r.States[n].Executions++
	}
	r.States = slices.DeleteFunc(r.States, func(s State) bool { return s.Executions == 0 })
}
