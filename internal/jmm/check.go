package jmm

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ravel/internal/justify"
	"ravel/internal/litmus"
	"ravel/internal/report"
)

// A Report is what Check finds out about one test. As JSON it has the fields of ravel litmus, and more.
type Report struct {
	Name          string             `json:"name"`
	Arch          string             `json:"arch"`
	Model         string             `json:"model"`
	Rules         string             `json:"rules"`
	Identity      string             `json:"identity,omitempty"`
	Quantifier    string             `json:"quantifier"`
	Observation   string             `json:"observation"`
	Holds         bool               `json:"holds"`
	Positive      int                `json:"positive"`
	Negative      int                `json:"negative"`
	States        []map[string]int64 `json:"states"`
	Flags         []string           `json:"flags"`
	Executions    int                `json:"executions"`
	Seconds       float64            `json:"seconds"`
	Required      []Assertion        `json:"required"`
	Forbidden     []Assertion        `json:"forbidden"`
	Justification []justify.Stage    `json:"justification"`
	Warnings      []string           `json:"warnings,omitempty"`

	analysis *justify.Analysis
	shown    *justify.Outcome // what Justification is about
}

// An Assertion is a proposition and whether the model allows a final state that satisfies it.
type Assertion struct {
	Condition string `json:"condition"`
	Allowed   bool   `json:"allowed"`
	Holds     bool   `json:"holds"`
	Decided   bool   `json:"decided"` // false: only up to the bound of loops
	Witness   string `json:"witness,omitempty"`

	outcome *justify.Outcome
}

// Check decides the assertions of a test: exists (…) is a required outcome, ~exists (…) a forbidden one, and
// forall (…) forbids all else; required (…) and forbidden (…) say it themselves.
func Check(test *litmus.Test, opts justify.Options) (*Report, error) {
	start := time.Now()
	a, err := justify.Analyse(test, opts)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Name: test.Name, Arch: string(test.Arch), Model: a.Model, Rules: string(a.Rules), Quantifier: test.Cond.Quant.String(),
		Executions: a.Graphs, Flags: []string{}, States: []map[string]int64{}, Required: []Assertion{}, Forbidden: []Assertion{},
		Justification: []justify.Stage{}, analysis: a,
	}
	if a.Rules != justify.Single {
		r.Identity = string(a.Identity)
	}
	if a.Bounded {
		r.Warnings = append(r.Warnings, fmt.Sprintf("loops were cut after %d rounds: what is not allowed may be, with more (--unroll)", opts.Unroll))
	}
	if a.GaveUp != "" {
		r.Warnings = append(r.Warnings, a.GaveUp)
	}
	if err := r.assertions(test); err != nil {
		return nil, err
	}
	r.states(test)
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

func (r *Report) assertions(test *litmus.Test) error {
	add := func(list *[]Assertion, p *litmus.Prop, required bool) error {
		w, err := r.analysis.Allows(p)
		if err != nil {
			return err
		}
		a := Assertion{Condition: p.String(), Allowed: w != nil, Holds: (w != nil) == required, Decided: w != nil || !r.analysis.Bounded && r.analysis.GaveUp == ""}
		if w != nil {
			a.Witness, a.outcome = r.analysis.State(w.Values), w.Outcome
			if w.Outcome == nil {
				r.Flags = append(r.Flags, "thin-air")
			}
			if r.shown == nil {
				r.shown = w.Outcome
			}
		}
		*list = append(*list, a)
		return nil
	}
	conds := struct{ required, forbidden []*litmus.Prop }{test.Required, test.Forbidden}
	switch c := test.Cond; {
	case c.Quant == litmus.Exists:
		conds.required = append([]*litmus.Prop{c.Prop}, conds.required...)
	case c.Quant == litmus.NotExists:
		conds.forbidden = append([]*litmus.Prop{c.Prop}, conds.forbidden...)
	case c.Prop.Kind != litmus.PTrue:
		conds.forbidden = append([]*litmus.Prop{{Kind: litmus.PNot, Args: []*litmus.Prop{c.Prop}}}, conds.forbidden...)
	}
	for _, p := range conds.required {
		if err := add(&r.Required, p, true); err != nil {
			return err
		}
	}
	for _, p := range conds.forbidden {
		if err := add(&r.Forbidden, p, false); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) all() []Assertion {
	return append(append([]Assertion(nil), r.Required...), r.Forbidden...)
}

func (r *Report) states(test *litmus.Test) {
	a := r.analysis
	for _, o := range a.Outcomes {
		r.States = append(r.States, a.Numbers(o.Values))
		if test.Cond.Prop.Eval(a.Getter(o.Values)) {
			r.Positive++
		} else {
			r.Negative++
		}
	}
	if len(r.Flags) > 0 { // thin air: the sample of the witness is one of many
		r.Positive++
	}
	switch {
	case r.Positive == 0:
		r.Observation = "Never"
	case r.Negative == 0:
		r.Observation = "Always"
	default:
		r.Observation = "Sometimes"
	}
	r.Holds = true
	for _, x := range r.all() {
		r.Holds = r.Holds && x.Holds
	}
}

// Status is the exit status: 0 as asserted, 1 not, 3 not decided.
func (r *Report) Status() int {
	status := 0
	if r.analysis.GaveUp != "" {
		status = 3
	}
	for _, a := range r.all() {
		switch {
		case !a.Decided:
			status = max(status, 3)
		case !a.Holds && status == 0:
			status = 1
		}
	}
	return status
}

// Explain adds the justification of the first allowed outcome that the test asks about.
func (r *Report) Explain() {
	if r.shown != nil {
		r.Justification = r.analysis.Justification(r.shown)
	}
}

// WriteJSON prints r in one line.
func (r *Report) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// WriteText prints r in the log format of herd, and then each assertion.
func (r *Report) WriteText(w io.Writer) error {
	a := r.analysis
	var b strings.Builder
	kind := map[string]string{"exists": "Allowed", "~exists": "Forbidden", "forall": "Required"}[r.Quantifier]
	fmt.Fprintf(&b, "Test %s %s\nStates %d\n", r.Name, kind, len(a.Outcomes))
	for _, o := range a.Outcomes {
		fmt.Fprintln(&b, a.State(o.Values))
	}
	fmt.Fprintln(&b, map[bool]string{true: "Ok", false: "No"}[r.Holds])
	fmt.Fprintf(&b, "Condition %s\n", a.Test.Cond)
	rules := r.Rules
	if r.Identity != "" {
		rules += ", identity " + r.Identity
	}
	fmt.Fprintf(&b, "Model %s, rules %s, %d executions\n", r.Model, rules, r.Executions)
	print := func(list []Assertion, word string) {
		for _, x := range list {
			verdict := "allowed"
			switch {
			case !x.Allowed && x.Decided:
				verdict = "forbidden"
			case !x.Allowed:
				verdict = "not found"
			}
			ok := map[bool]string{true: "ok", false: "NOT " + word}[x.Holds]
			if !x.Decided {
				ok = "not decided"
			}
			fmt.Fprintf(&b, "%s %s: %s, %s\n", capital(word), x.Condition, verdict, ok)
		}
	}
	print(r.Required, "required")
	print(r.Forbidden, "forbidden")
	for _, f := range r.Flags {
		if f == "thin-air" {
			fmt.Fprintln(&b, "Flag thin-air: values that nothing but themselves determine")
		}
	}
	for _, x := range r.Warnings {
		fmt.Fprintln(&b, "Warning:", x)
	}
	fmt.Fprintf(&b, "Observation %s %s %d %d\nTime %s %.2f\n", r.Name, r.Observation, r.Positive, r.Negative, r.Name, r.Seconds)
	_, err := io.WriteString(w, b.String())
	return err
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// WriteJustification prints the stages one below the other.
func (r *Report) WriteJustification(w io.Writer, o report.Options) error {
	if len(r.Justification) == 0 {
		_, err := fmt.Fprintf(w, "Nothing to justify: no outcome that the test asks about is allowed.\n\n")
		return err
	}
	fmt.Fprintf(w, "\nWhy %s is allowed\n", r.analysis.State(r.shown.Values))
	for i, s := range r.Justification {
		if err := report.WriteExecution(w, r.title(i), s.Execution, o); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

func (r *Report) title(i int) string {
	s := r.Justification[i]
	switch {
	case s.Target && len(r.Justification) == 1:
		return "The execution (" + r.Model + " asks for no justification)"
	case s.Target:
		return "The execution itself: all is committed"
	}
	title := fmt.Sprintf("Stage %d commits %s", i+1, strings.Join(s.Commits, "; "))
	for _, t := range s.Looping {
		title += fmt.Sprintf(" (Thread%d goes on in its loop)", t)
	}
	return title
}

// WriteSVG and WriteDOT draw the stages of the justification, as pictures and for Graphviz.
func (r *Report) WriteSVG(file string) error { return r.writePictures(file, report.WriteSVG) }
func (r *Report) WriteDOT(file string) error { return r.writePictures(file, report.WriteDOT) }

// writePictures draws each stage into a file: name.svg becomes name-1.svg, name-2.svg, …
func (r *Report) writePictures(file string, draw func(w io.Writer, title string, x *report.Execution, o report.Options) error) error {
	ext := filepath.Ext(file)
	for i, s := range r.Justification {
		f, err := os.Create(fmt.Sprintf("%s-%d%s", strings.TrimSuffix(file, ext), i+1, ext))
		if err != nil {
			return err
		}
		err = draw(f, r.Name+": "+r.title(i), s.Execution, report.Options{})
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}
