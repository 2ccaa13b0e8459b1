package report

import (
	"encoding/json"
	"io"
)

// WriteJSON prints r as one JSON object on one line, with every field present.
func WriteJSON(w io.Writer, r *Result) error {
	type jsonError struct {
		Error
		Trace   []TraceStep `json:"trace"`
		Omitted int         `json:"trace_omitted,omitempty"`
	}
	c := struct {
		*Result
		Errors   []jsonError `json:"errors"`
		Warnings []string    `json:"warnings"`
	}{Result: r, Errors: []jsonError{}, Warnings: []string{}}
	if r.Reason != "" && (r.Verdict == Bounded || r.Verdict == Unknown) {
		c.Warnings = append(c.Warnings, string(r.Verdict)+": "+r.Reason)
	}
	c.Warnings = append(append(c.Warnings, r.Warnings...), r.compilerWarnings()...)
	for i := range r.Errors {
		e := jsonError{Error: r.Errors[i], Trace: r.Errors[i].Trace()}
		if e.Related == nil {
			e.Related = []Related{}
		}
		if e.Omitted = len(e.Trace) - maxTrace; e.Omitted > 0 {
			e.Trace = e.Trace[e.Omitted:]
		} else {
			e.Omitted = 0
		}
		c.Errors = append(c.Errors, e)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(&c)
}

// compilerWarnings returns what compilers said, as warnings.
func (r *Result) compilerWarnings() (list []string) {
	for _, text := range r.Compiler {
		list = append(list, "the compiler says:\n"+text)
	}
	return list
}

// maxTrace is how many steps of a trace are in JSON, the last ones.
const maxTrace = 10_000

// A TraceStep is one step of the execution that shows an error.
type TraceStep struct {
	Thread   int      `json:"thread"`
	Text     string   `json:"text"` // as reports print it: "CAS lock 0→1 (acq)"
	Kind     string   `json:"kind"` // read, write, fence, create, join, start, end, alloc, free, choice, error, blocked; both halves of a read-modify-write are one step
	Location Location `json:"location"`
	Loc      string   `json:"variable,omitempty"`
	Value    string   `json:"value,omitempty"`   // that it reads or, if it only writes, writes
	Written  string   `json:"written,omitempty"` // by a read-modify-write
	Mode     string   `json:"mode,omitempty"`
	From     *int     `json:"from,omitempty"` // the number of the step whose value it reads, from 0 in the whole trace
	Via      string   `json:"via,omitempty"`  // the function of a library that does it
	Mark     string   `json:"mark,omitempty"` // what it has to do with the error
}

// Trace returns the execution that shows e in the order in which reports show it, with nothing left out; empty if there is none.
func (e *Error) Trace() []TraceStep {
	steps := []TraceStep{}
	x := e.Marked()
	if x == nil {
		return steps
	}
	t := newTrace(x, true)
	for _, s := range t.rows {
		ev := s.ev
		step := TraceStep{
			Thread: t.threads[s.col].ID, Text: t.describe(s, noLimit), Kind: ev.Kind.String(), Location: ev.Location,
			Loc: clean(ev.Loc), Value: clean(ev.Value), Via: clean(ev.Via), Mark: clean(s.mark()),
		}
		if ev.Kind == Read || ev.Kind == Write || ev.Kind == Fence {
			step.Mode = ev.Mode.String()
		}
		if s.read != nil && s.write != nil {
			step.Written = clean(s.write.Value)
		}
		if s.from != nil && s.from.row > 0 {
			row := s.from.row - 1
			step.From = &row
		}
		steps = append(steps, step)
	}
	return steps
}
