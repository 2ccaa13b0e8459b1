package ravel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ravel/internal/diy"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/herd"
)

// LitmusOptions say how to run litmus tests.
type LitmusOptions struct {
	Model    string        // a name or a FILE.cat; "" is the usual one of each test's dialect
	Bell     string        // a FILE.bell that runs before the model
	Variants []string      // of the model
	Unroll   int           // how often loops go round, 0 is twice
	Timeout  time.Duration // of each test; 0 is none
	Workers  int           // tests to run at a time, 0 is one per core
	Explain  bool          // find out which check forbids the outcome
	Picture  bool          // keep an execution to draw
	Outcomes bool          // keep an execution for each final state, also for those that the model forbids
}

// A LitmusResult is what became of a test: plain data, and in Entry what writes it in other forms.
type LitmusResult struct {
	LitmusRecord
	// Status is the exit status of the command: 0 the condition holds, 1 it does not, 2 the test could not be run, 3 it is not decided.
	Status int
	entry  *herd.Entry
}

// A LitmusRecord is what the JSON has of a test, a LitmusReason a check that forbids the outcome.
type (
	LitmusRecord = herd.Record
	LitmusReason = herd.Reason
)

// Litmus runs litmus tests and calls yield with the result of each, in their order. It stops when yield returns an error. When the context ends, the tests
// that are left have results that say so.
func Litmus(ctx context.Context, list []Source, o LitmusOptions, yield func(*LitmusResult) error) error {
	if o.Model != "" {
		if _, err := herd.Load(o.Model); err != nil {
			return err
		}
	}
	if o.Picture && len(list) > 1 {
		return errors.New("--svg and --dot are for one test")
	}
	c := herd.Config{
		Model: o.Model, Bell: o.Bell, Variants: o.Variants, Workers: o.Workers, Timeout: o.Timeout, Unroll: o.Unroll, Explain: o.Explain, Picture: o.Picture, Outcomes: o.Outcomes,
	}
	return herd.Run(ctx, tests(list), c, func(e *herd.Entry) error {
		return yield(&LitmusResult{LitmusRecord: *e.Record(), Status: e.Status(), entry: e})
	})
}

// Err is why the test could not be run, nil if it was.
func (r *LitmusResult) Err() error { return r.entry.Err }

// A LitmusOutcome is a final state with an execution that ends in it.
type LitmusOutcome = herd.Outcome

// Outcomes are the final states that the model allows, then those that it forbids; all is false if forbidden ones may be missing.
func (r *LitmusResult) Outcomes() (list []LitmusOutcome, all bool) {
	return r.entry.Outcomes, r.entry.AllOutcomes
}

// WriteLog prints the result in the format of herd7's logs.
func (r *LitmusResult) WriteLog(w io.Writer) error { return r.entry.WriteLog(w) }

// WriteJSON prints the result as one JSON object on one line.
func (r *LitmusResult) WriteJSON(w io.Writer) error { return r.entry.WriteJSON(w) }

// HasPicture reports whether there is an execution to draw.
func (r *LitmusResult) HasPicture() bool { return r.entry.Picture != nil }

// WriteSVG draws the execution that the condition asks for, allowed or forbidden.
func (r *LitmusResult) WriteSVG(w io.Writer) error { return r.entry.Picture.WriteSVG(w) }

// WriteDOT prints it for Graphviz.
func (r *LitmusResult) WriteDOT(w io.Writer) error { return r.entry.Picture.WriteDOT(w) }

// LitmusTests returns the tests that paths stand for: a file itself; of a folder all in it and below; of an index, a file whose name begins with @, those it lists.
func LitmusTests(paths ...string) ([]Source, error) {
	var list []Source
	for _, p := range paths {
		files, err := frontend.Files(p)
		if err != nil {
			return nil, err
		}
		list = append(list, Files(files...)...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no .litmus files in %s", strings.Join(paths, " "))
	}
	return list, nil
}

// Generate returns the litmus test of a cycle of relaxation edges, named as diy7 does, in a dialect.
func Generate(cycle, dialect string) (string, error) {
	a, err := diy.ByName(dialect)
	if err != nil {
		return "", err
	}
	c, err := diy.Parse(a, cycle)
	if err != nil {
		return "", err
	}
	return c.Litmus()
}
