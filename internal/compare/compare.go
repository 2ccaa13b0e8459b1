package compare

import (
	"context"
	"fmt"
	"slices"

	"ravel/internal/enumerate"
	"ravel/internal/litmus"
)

// Options say how tests are run.
type Options struct {
	Unroll int
	Ctx    context.Context // ends a run early, nil: never
}

// An Outcome is what the models say of a test.
type Outcome struct {
	Test    *litmus.Test
	Results []*enumerate.Result // one for each model
	Bounded bool                // loops were cut, or a run was stopped: more may be possible
	// Differences are the final states that not all models agree on, those first that make the test's proposition true.
	Differences []*Difference
	// Other says how models differ that allow the same states: by undefined behaviour, or by flags. "" if they do not.
	Other string
}

// Differ reports whether the models do.
func (o *Outcome) Differ() bool { return len(o.Differences) > 0 || o.Other != "" }

// A Difference is a final state that some models allow and others forbid.
type Difference struct {
	Result             *enumerate.Result // of a model that allows it: what the values belong to
	Values             []litmus.Value
	Positive           bool // the proposition of the test is true in it
	Allowed, Forbidden []*enumerate.Model
}

// Test runs a test under each model and compares the final states.
func Test(t *litmus.Test, models []*enumerate.Model, opts Options) (*Outcome, error) {
	o := &Outcome{Test: t}
	for _, m := range models {
		res, err := enumerate.Run(t, m, enumerate.Options{Unroll: opts.Unroll, Ctx: opts.Ctx})
		if err != nil {
			return nil, err
		}
		o.Results = append(o.Results, res)
		o.Bounded = o.Bounded || res.Bounded || res.Stopped
		if res.Stopped { // what it lacks may be what it did not get to
			return o, nil
		}
	}
	if !same(o.Results) {
		o.Differences = differences(o.Results, models)
	}
	if len(o.Differences) == 0 {
		o.Other = other(o.Results)
	}
	return o, nil
}

// same reports whether the states, which are sorted, are those of the first result in all of them.
func same(results []*enumerate.Result) bool {
	return !slices.ContainsFunc(results[1:], func(r *enumerate.Result) bool {
		return !slices.EqualFunc(results[0].States, r.States, func(x, y enumerate.State) bool { return slices.Equal(x.Values, y.Values) })
	})
}

// differences lists the states that are not in all results.
func differences(results []*enumerate.Result, models []*enumerate.Model) (list []*Difference) {
	seen := map[string]*Difference{}
	var keys []string
	for k, res := range results {
		for _, s := range res.States {
			key := fmt.Sprint(s.Values)
			d := seen[key]
			if d == nil {
				d = &Difference{Result: res, Values: s.Values, Positive: s.Positive}
				seen[key] = d
				keys = append(keys, key)
			}
			d.Allowed = append(d.Allowed, models[k])
		}
	}
	for _, key := range keys {
		d := seen[key]
		for _, m := range models {
			if !slices.Contains(d.Allowed, m) {
				d.Forbidden = append(d.Forbidden, m)
			}
		}
		if len(d.Forbidden) > 0 {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(x, y *Difference) int {
		switch {
		case x.Positive == y.Positive:
			return 0
		case x.Positive:
			return -1
		}
		return 1
	})
	return list
}

// other compares what is not a final state.
func other(results []*enumerate.Result) string {
	first := results[0]
	for _, r := range results[1:] {
		if r.Undefined != first.Undefined {
			undefined, defined := first, r
			if r.Undefined {
				undefined, defined = r, first
			}
			return fmt.Sprintf("%s says that the behaviour is undefined, %s does not", undefined.Model, defined.Model)
		}
		for _, pair := range [][2]*enumerate.Result{{first, r}, {r, first}} {
			for _, f := range pair[0].Flags {
				if !slices.Contains(pair[1].Flags, f) {
					return fmt.Sprintf("%s raises the flag %s, %s does not", pair[0].Model, f, pair[1].Model)
				}
			}
		}
	}
	return ""
}
