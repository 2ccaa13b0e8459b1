package report

import (
	"encoding/json"
	"io"
)

// WriteJSON prints r as one JSON object on one line, with every field present.
func WriteJSON(w io.Writer, r *Result) error {
	c := *r
	c.Warnings = []string{}
	if c.Reason != "" && (c.Verdict == Bounded || c.Verdict == Unknown) {
		c.Warnings = append(c.Warnings, string(c.Verdict)+": "+c.Reason)
	}
	c.Warnings = append(append(c.Warnings, r.Warnings...), r.compilerWarnings()...)
	c.Errors = append([]Error{}, r.Errors...)
	for i := range c.Errors {
		e := &c.Errors[i]
		if e.Related == nil {
			e.Related = []Related{}
		}
		e.Trace = r.Errors[i].trace()
		if n := len(e.Trace) - maxTrace; n > 0 {
			e.Trace, e.Omitted = e.Trace[n:], n
		}
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

// trace returns the execution that shows e in the order in which reports show it, with nothing left out; empty if there is none.
func (e *Error) trace() []TraceStep {
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
