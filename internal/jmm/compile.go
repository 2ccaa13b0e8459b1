package jmm

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ravel/internal/enumerate"
	"ravel/internal/herd"
	"ravel/internal/justify"
	"ravel/internal/litmus"
	"ravel/internal/report"
)

// A CompileReport compares what a compiled test shows with what the Java model allows its source.
type CompileReport struct {
	Name        string          `json:"name"`
	Model       string          `json:"model"`
	Scheme      string          `json:"scheme"`
	Target      string          `json:"target"`
	TargetModel string          `json:"target_model"`
	Sound       bool            `json:"sound"` // nothing is shown that the model forbids
	States      []CompiledState `json:"states"`
	Warnings    []string        `json:"warnings,omitempty"`
	Seconds     float64         `json:"seconds"`
	Code        string          `json:"code"`

	undecided bool
	title     string
}

// A CompiledState is a final state of the compiled test.
type CompiledState struct {
	State      string `json:"state"`
	Allowed    bool   `json:"allowed"`
	Undecided  bool   `json:"undecided,omitempty"` // it may be allowed
	Executions int    `json:"executions"`

	Witness *report.Execution `json:"-"` // of a state that is not allowed
}

// Compile translates a test for a target, finds its outcomes under our model of the target, and asks the
// Java model whether it allows each of them.
func Compile(ctx context.Context, test *litmus.Test, s *Scheme, opts justify.Options) (*CompileReport, error) {
	start := time.Now()
	code, err := Translate(test, s)
	if err != nil {
		return nil, err
	}
	a, err := justify.Analyse(test, opts)
	if err != nil {
		return nil, err
	}
	code.Locations, code.Filter = nil, nil
	for _, l := range a.Locs {
		code.Locations = append(code.Locations, litmus.Observed{Loc: l})
	}
	r := &CompileReport{Name: test.Name, Model: a.Model, Scheme: s.Name, Target: s.Target, TargetModel: s.Model, Code: Listing(code), title: s.title}
	if err := r.compare(ctx, code, a, opts); err != nil {
		return nil, err
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// compare finds the outcomes of code, whose locations are those of the analysis in their order, and asks the Java model whether it allows each of them.
func (r *CompileReport) compare(ctx context.Context, code *litmus.Test, a *justify.Analysis, opts justify.Options) error {
	r.Sound = true
	code.Required, code.Forbidden = nil, nil
	m, err := enumerate.Load(r.TargetModel)
	if err != nil {
		return err
	}
	open := a.Bounded || a.GaveUp != ""
	if open {
		r.Warnings = append(r.Warnings, "the Java model was not decided completely: more outcomes may be allowed")
	}
	var places []int // in a state, of the locations
	for _, o := range code.Locations {
		places = append(places, slices.Index(code.Observed(), o.Loc))
	}
	allowed := map[string]bool{}
	witness := map[string]*report.Execution{}
	var asked error
	res, err := enumerate.Run(code, m, enumerate.Options{Ctx: ctx, Unroll: max(opts.Unroll, 1), OnExecution: func(x *enumerate.Execution) bool {
		vals := numbers(x.State, places)
		key := a.State(vals)
		ok, known := allowed[key]
		if !known {
			if ok, asked = a.AllowsState(vals); asked != nil {
				return false
			}
			allowed[key] = ok
		}
		if !ok && !open && witness[key] == nil {
			witness[key] = herd.Draw(code, x)
		}
		return true
	}})
	if err == nil {
		err = asked
	}
	if err != nil {
		return err
	}
	for _, st := range res.States {
		key := a.State(numbers(st.Values, places))
		r.States = append(r.States, CompiledState{key, allowed[key], !allowed[key] && open, st.Executions, witness[key]})
		r.Sound = r.Sound && (allowed[key] || open)
		r.undecided = r.undecided || !allowed[key] && open
	}
	if res.Open {
		r.undecided = true
		r.Warnings = append(r.Warnings, "values of the compiled test that only depend on themselves are computed: there may be others than those that were tried")
	}
	if res.Bounded || res.Stopped {
		r.undecided = true
		r.Warnings = append(r.Warnings, "not all executions of the compiled test were seen: loops were cut, or time ran out")
	}
	return nil
}

// numbers returns the values at some places.
func numbers(vals []litmus.Value, places []int) []uint64 {
	out := make([]uint64, len(places))
	for i, at := range places {
		out[i] = vals[at].Int
	}
	return out
}

// Status is the exit status: 1 if the compiled test shows what the model forbids, 3 if that is not decided.
func (r *CompileReport) Status() int {
	switch {
	case !r.Sound:
		return 1
	case r.undecided:
		return 3
	}
	return 0
}

// WriteText prints r, with an execution for each outcome that is not allowed.
func (r *CompileReport) WriteText(w io.Writer, code bool, o report.Options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Compile %s for %s (%s), model %s\n", r.Name, r.Target, r.TargetModel, r.Model)
	if code {
		fmt.Fprintf(&b, "%s: %s\n%s", r.Scheme, r.title, r.Code)
	}
	for _, s := range r.States {
		verdict := "FORBIDDEN"
		switch {
		case s.Allowed:
			verdict = "allowed"
		case s.Undecided:
			verdict = "undecided"
		}
		fmt.Fprintf(&b, "%8d  %-9s  %s\n", s.Executions, verdict, s.State)
	}
	for _, x := range r.Warnings {
		fmt.Fprintln(&b, "Warning:", x)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	for _, s := range r.States {
		if s.Allowed || s.Undecided {
			continue
		}
		if err := report.WriteExecution(w, fmt.Sprintf("%s shows %s, which %s forbids", r.Target, s.State, r.Model), s.Witness, o); err != nil {
			return err
		}
	}
	verdict := "everything that it shows is allowed"
	switch {
	case !r.Sound:
		verdict = "NOT SOUND: it shows what " + r.Model + " forbids"
	case r.undecided:
		verdict = "not decided: nothing is known to be forbidden of what it shows up to the bound"
	}
	_, err := fmt.Fprintf(w, "Scheme %s: %s\n", r.Scheme, verdict)
	return err
}
