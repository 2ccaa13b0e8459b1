package herd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ravel/internal/enumerate"
	"ravel/internal/litmus"
	"ravel/internal/report"
)

// An Outcome is a final state that executions end in, allowed ones or, if there are none, forbidden ones.
type Outcome struct {
	State      string         `json:"state"` // as herd prints it
	Values     map[string]any `json:"values"`
	Allowed    bool           `json:"allowed"`
	Condition  bool           `json:"condition"`  // the proposition of the test is true in it
	Executions int            `json:"executions"` // so many end in it
	Check      string         `json:"check,omitempty"`
	Cycle      []string       `json:"cycle,omitempty"` // that the check forbids: event, relation, event, …

	Title     string            `json:"-"`
	Execution *report.Execution `json:"-"` // one of them
}

// Forbidden outcomes are looked for this long, and so many are kept: candidates are enumerated without pruning.
const (
	outcomesTime = 3 * time.Second
	maxOutcomes  = 64
)

// outcomes collects the final states of allowed executions, then those of forbidden ones.
type outcomes struct {
	test   *litmus.Test
	list   []*Outcome
	values map[string][]litmus.Value
	byKey  map[string]*Outcome
}

func (o *outcomes) see(x *enumerate.Execution, allowed bool) {
	key := fmt.Sprint(x.State)
	out := o.byKey[key]
	switch {
	case out == nil && len(o.list) >= maxOutcomes:
		return
	case out == nil:
		out = &Outcome{Allowed: allowed, Condition: x.Positive}
		o.byKey[key], o.values[key] = out, slices.Clone(x.State)
		o.list = append(o.list, out)
	case out.Allowed && !allowed:
		return
	}
	out.Executions++
	if allowed {
		if out.Execution == nil {
			p := newPicture(o.test, x)
			out.Title, out.Execution = p.title, p.x
		}
		return
	}
	if cycle := cycleText(o.test, x); out.Execution == nil || len(cycle) > 0 && (len(out.Cycle) == 0 || len(cycle) < len(out.Cycle)) {
		p := newPicture(o.test, x)
		out.Title, out.Execution, out.Check, out.Cycle = p.title, p.x, x.Forbidden(), cycle
	}
}

// forbidden looks for final states that only forbidden executions end in. It reports whether it saw all.
func (o *outcomes) forbidden(ctx context.Context, model *enumerate.Model, opts enumerate.Options) (all bool, err error) {
	ctx, stop := context.WithTimeout(ctx, outcomesTime)
	defer stop()
	opts.Ctx, opts.OnExecution = ctx, nil
	opts.OnRejected = func(x *enumerate.Execution) bool {
		o.see(x, false)
		return true
	}
	res, err := enumerate.Run(o.test, model, opts)
	return err == nil && !res.Stopped && len(o.list) < maxOutcomes, err
}

// result describes the outcomes: allowed ones first, and of those and of the others first those that the condition is about.
func (o *outcomes) result(r *enumerate.Result) []Outcome {
	for key, out := range o.byKey {
		out.State, out.Values = StateText(r, o.values[key]), StateJSON(r, o.values[key])
	}
	var list []Outcome
	for _, out := range o.list {
		list = append(list, *out)
	}
	rank := func(b bool) int {
		if b {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(rank(a.Allowed), rank(b.Allowed)), cmp.Compare(rank(a.Condition), rank(b.Condition)), cmp.Compare(a.State, b.State))
	})
	return list
}
