package herd

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"ravel/internal/enumerate"
	"ravel/internal/litmus"
)

// WriteLog prints the entry in the format of herd7's logs, which mcompare7 and other scripts read.
func (e *Entry) WriteLog(w io.Writer) error {
	r, t := e.Result, e.Result.Test
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Test %s %s\n", t.Name, [...]string{litmus.Exists: "Allowed", litmus.NotExists: "Forbidden", litmus.ForAll: "Required"}[t.Cond.Quant])
	fmt.Fprintf(b, "States %d\n", len(r.States))
	for _, s := range r.States {
		fmt.Fprintln(b, StateText(r, s.Values))
	}
	fmt.Fprintln(b, e.verdict())
	positive, negative := r.Positive, r.Negative
	if t.Cond.Quant == litmus.NotExists {
		positive, negative = negative, positive
	}
	fmt.Fprintf(b, "Witnesses\nPositive: %d Negative: %d\n", positive, negative)
	for _, f := range r.Flags {
		fmt.Fprintln(b, "Flag", f)
	}
	fmt.Fprintf(b, "Condition %s\n", t.Cond)
	fmt.Fprintf(b, "Observation %s %s %d %d\n", t.Name, r.Observation(), r.Positive, r.Negative)
	fmt.Fprintf(b, "Time %s %.3f\n", t.Name, e.Seconds)
	for _, i := range t.Info {
		if strings.EqualFold(i.Key, "Hash") {
			fmt.Fprintf(b, "Hash=%s\n", i.Value)
		}
	}
	if err := e.writeReasons(b); err != nil {
		return err
	}
	fmt.Fprintln(b)
	return b.Flush()
}

// verdict is herd's word for whether the condition holds; Loop says that loops were cut. Unknown is ours, for runs that
// were stopped.
func (e *Entry) verdict() string {
	v := "No"
	switch {
	case e.Result.Stopped && !e.Result.Decided():
		return "Unknown"
	case e.Result.Undefined:
		v = "Undef"
	case e.Result.Holds():
		v = "Ok"
	}
	if e.Result.Bounded {
		v = "Loop " + v
	}
	return v
}

// locName is the name of an observed location as herd prints it.
func locName(t *litmus.Test, l litmus.Loc) string {
	if l.Thread < 0 && l.Index == 0 && !t.Var(l.Var).Array {
		l.Index = -1
	}
	return l.String()
}

// valueText prints a value, signed if its type is.
func valueText(r *enumerate.Result, i int, v litmus.Value) string {
	t := r.Types[i]
	switch {
	case v.Kind != litmus.Int:
		return v.String()
	case t.Signed && t.Size < 8:
		shift := 64 - 8*t.Size
		return fmt.Sprint(int64(v.Int<<shift) >> shift)
	case t.Signed || t.Size == 0: // the register has no declared type
		return fmt.Sprint(int64(v.Int))
	}
	return fmt.Sprint(v.Int)
}

// A Record is what there is to tell of one test, as JSON has it.
type Record struct {
	Name        string           `json:"name"`
	File        string           `json:"file"`
	Arch        string           `json:"arch,omitempty"`
	Model       string           `json:"model,omitempty"`
	Quantifier  string           `json:"quantifier,omitempty"`
	Observation string           `json:"observation,omitempty"`
	Verdict     string           `json:"verdict"` // ok, no, undef, unknown or error
	Holds       bool             `json:"holds"`
	Positive    int              `json:"positive"`
	Negative    int              `json:"negative"`
	States      []map[string]any `json:"states"`
	Flags       []string         `json:"flags"`
	Executions  int              `json:"executions"`
	Bounded     bool             `json:"bounded,omitempty"`
	ThinAir     int              `json:"thin_air,omitempty"`
	Warnings    []string         `json:"warnings,omitempty"`
	Reasons     []Reason         `json:"reasons,omitempty"`
	Error       string           `json:"error,omitempty"`
	Feature     string           `json:"unsupported,omitempty"`
	Seconds     float64          `json:"seconds"`
}

// WriteJSON prints the entry as an object in one line.
func (e *Entry) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(e.Record()) }

// Record returns the entry as plain data.
func (e *Entry) Record() *Record {
	j := &Record{File: e.File, Verdict: "error", Seconds: e.Seconds, States: []map[string]any{}, Flags: []string{}}
	if e.Err != nil {
		j.Error, j.Feature = e.Err.Error(), e.Unsupported()
		return j
	}
	r, t := e.Result, e.Result.Test
	j.Name, j.Arch, j.Model = t.Name, string(t.Arch), r.Model
	j.Quantifier, j.Observation, j.Holds = t.Cond.Quant.String(), r.Observation(), r.Holds()
	j.Positive, j.Negative, j.Executions = r.Positive, r.Negative, r.Executions()
	j.Flags = append(j.Flags, r.Flags...)
	if r.Undefined {
		j.Flags = append(j.Flags, "undefined")
	}
	j.Bounded, j.ThinAir, j.Warnings, j.Reasons = r.Bounded, r.ThinAir, e.Warnings(), e.Reasons
	switch {
	case !r.Decided():
		j.Verdict = "unknown"
	case r.Undefined:
		j.Verdict = "undef"
	case r.Holds():
		j.Verdict = "ok"
	default:
		j.Verdict = "no"
	}
	for _, s := range r.States {
		j.States = append(j.States, StateJSON(r, s.Values))
	}
	return j
}

// StateText is a final state of a result as herd prints it.
func StateText(r *enumerate.Result, values []litmus.Value) string {
	var parts []string
	for i := 0; i < len(values); i++ {
		l := r.Locs[i]
		if n := wholeArray(r, i); n > 0 {
			var elems []string
			for k := range n {
				elems = append(elems, valueText(r, i+k, values[i+k]))
			}
			parts = append(parts, fmt.Sprintf("%s={%s};", l.Var, strings.Join(elems, ",")))
			i += n - 1
			continue
		}
		parts = append(parts, fmt.Sprintf("%s=%s;", locName(r.Test, l), valueText(r, i, values[i])))
	}
	return strings.Join(parts, " ")
}

// wholeArray returns the length of the array whose elements are observed from i on, 0 if there is none or only some of them are
// named.
func wholeArray(r *enumerate.Result, i int) int {
	l := r.Locs[i]
	if l.Thread >= 0 || l.Index != 0 || !slices.Contains(r.Test.Observed(), litmus.Loc{Thread: -1, Var: l.Var, Index: -1}) {
		return 0
	}
	if v := r.Test.Var(l.Var); v.Array {
		return len(v.Init)
	}
	return 0
}

// StateJSON is a final state as an object: locations and their values.
func StateJSON(r *enumerate.Result, values []litmus.Value) map[string]any {
	state := map[string]any{}
	for i, v := range values {
		name := strings.Trim(locName(r.Test, r.Locs[i]), "[]")
		if r.Locs[i].Index > 0 || r.Locs[i].Thread < 0 && r.Test.Var(r.Locs[i].Var).Array {
			name = locName(r.Test, r.Locs[i])
		}
		if v.Kind == litmus.Int {
			state[name] = json.Number(valueText(r, i, v))
		} else {
			state[name] = v.String()
		}
	}
	return state
}

// Unsupported names the feature that a refused test needs, "" if it was refused for something else.
func (e *Entry) Unsupported() string {
	if le, ok := e.Err.(*litmus.Error); ok {
		return le.Feature
	}
	return ""
}

// Warnings are what the user should know about a result.
func (e *Entry) Warnings() []string {
	r := e.Result
	var w []string
	if r.Stopped {
		w = append(w, "stopped early (--timeout): executions are missing")
	}
	if r.Bounded {
		w = append(w, "loops go round more often than the bound (--unroll): executions are missing")
	}
	if r.ThinAir > 0 {
		w = append(w, fmt.Sprintf("%d executions have values that only depend on themselves; of such values those that the test names were tried", r.ThinAir))
	}
	if r.Open {
		w = append(w, "some of those values are computed: there may be others")
	}
	if r.Faults > 0 {
		w = append(w, "executions that access what is no variable were left out")
	}
	return w
}
