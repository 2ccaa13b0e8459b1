package ravel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"ravel/internal/compare"
	"ravel/internal/diy"
	"ravel/internal/enumerate"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/herd"
	"ravel/internal/litmus"
	"ravel/internal/memmodel"
)

// CompareOptions say how to compare models.
type CompareOptions struct {
	Models []string // names or FILE.cat, two or more
	Unroll int      // how often loops go round, 0 is twice
	All    bool     // every state that differs, not only the first of a test

	// Of Distinguish.
	Dialect           string // of the tests; "" is that of the models
	MaxEdges, MaxSize int    // of the cycles that tests are made from; 0 is 6 and 7
}

// A Comparison is how models differ on a test.
type Comparison struct {
	File        string
	Err         error        // the test could not be run
	Unsupported string       // it uses this, which is not supported
	Undecided   bool         // the models agree on what was seen, but loops were cut or time ran out
	Differences []Difference // none if the models agree
	More        int          // so many more states differ
	Text        string       // the differences, for people
}

// A Difference is a final state that some models allow and others forbid, with an execution that ends in it. The JSON of the command is that.
type Difference = compare.Record

// Compare runs tests under several models and calls yield with how they differ on each. It stops when yield returns an error.
func Compare(ctx context.Context, list []Source, o CompareOptions, yield func(*Comparison) error) error {
	models, err := o.load()
	if err != nil {
		return err
	}
	for _, s := range list {
		c, err := compareTest(ctx, s, models, &o)
		if err != nil {
			return err
		}
		if err := yield(c); err != nil {
			return err
		}
	}
	return nil
}

func (o *CompareOptions) load() ([]*enumerate.Model, error) {
	if len(o.Models) < 2 {
		return nil, errors.New("compare needs two models or more: --models sc,tso")
	}
	var models []*enumerate.Model
	for _, name := range o.Models {
		m, err := herd.Load(name)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

func compareTest(ctx context.Context, s Source, models []*enumerate.Model, o *CompareOptions) (*Comparison, error) {
	c := &Comparison{File: s.Name}
	text := s.Text
	if text == nil {
		if text, c.Err = os.ReadFile(s.Name); c.Err != nil {
			return c, nil
		}
	}
	t, err := frontend.Parse(s.Name, text)
	var found *compare.Outcome
	opts := compare.Options{Unroll: o.Unroll, Ctx: ctx}
	if err == nil {
		found, err = compare.Test(t, models, opts)
	}
	if err != nil {
		var e *litmus.Error
		if errors.As(err, &e) {
			c.Unsupported = e.Feature
		}
		c.Err = err
		return c, nil
	}
	c.Undecided = found.Bounded && !found.Differ()
	return c, c.fill(found, opts, o.All)
}

// fill sets the differences.
func (c *Comparison) fill(found *compare.Outcome, opts compare.Options, all bool) error {
	if !found.Differ() {
		return nil
	}
	records, texts, err := found.Records(all, opts)
	if err != nil {
		return err
	}
	for i := range records {
		records[i].File = c.File
	}
	c.Differences, c.More = records, max(0, len(found.Differences)-len(records))
	if found.Other != "" {
		c.Text = fmt.Sprintf("%s (%s): %s\n\n", found.Test.Name, c.File, found.Other)
		return nil
	}
	more := ""
	if c.More > 0 {
		more = fmt.Sprintf("  and %d more states (--all shows them)\n", c.More)
	}
	c.Text = fmt.Sprintf("%s (%s)\n%s%s\n", found.Test.Name, c.File, strings.Join(texts, ""), more)
	return nil
}

// A Distinction is the smallest test that tells models apart.
type Distinction struct {
	Comparison // without differences if there is no such test within the bounds
	Test       string
	Dialect    string
	Looked     int // at so many tests
}

// Distinguish makes tests from cycles of relaxation edges, from the smallest up, until one separates the models. It is over when the context ends.
func Distinguish(ctx context.Context, o CompareOptions) (*Distinction, error) {
	models, err := o.load()
	if err != nil {
		return nil, err
	}
	a, err := o.dialect()
	if err != nil {
		return nil, err
	}
	if o.MaxEdges == 0 {
		o.MaxEdges = 6
	}
	if o.MaxSize == 0 {
		o.MaxSize = 7
	}
	found, err := compare.Find(a, models, o.MaxEdges, o.MaxSize, compare.Options{Unroll: o.Unroll, Ctx: ctx})
	if err != nil {
		return nil, err
	}
	d := &Distinction{Test: found.Text, Dialect: a.Name, Looked: found.Looked}
	if found.Cycle == nil {
		return d, nil
	}
	d.File = fmt.Sprintf("the smallest of %s, after %d others", a.Name, found.Looked-1)
	if err := d.fill(found.Outcome, compare.Options{}, o.All); err != nil {
		return nil, err
	}
	for i := range d.Differences {
		d.Differences[i].File, d.Differences[i].Cycle, d.Differences[i].Test = "", found.Cycle.String(), found.Text
	}
	return d, nil
}

// dialect returns the dialect of the tests that Distinguish makes.
func (o *CompareOptions) dialect() (*diy.Arch, error) {
	if o.Dialect != "" {
		return diy.ByName(o.Dialect)
	}
	var found *diy.Arch
	compiled := func(a *diy.Arch) bool { return a != diy.LKMM && a != diy.Java } // tests in C11 are, for all others
	for _, name := range o.Models {
		switch a := testsOf(name); {
		case a == nil || a == found:
		case found == nil:
			found = a
		case compiled(a) && compiled(found):
			found = diy.C
		case !compiled(a):
			found = a
		}
	}
	if found == nil {
		return nil, errors.New("--find does not know which tests these models are for: say --arch AArch64, C, …")
	}
	return found, nil
}

// testsOf returns the dialect whose tests show what a model is about, nil if all do.
func testsOf(name string) *diy.Arch {
	m, err := memmodel.Find(name)
	if err != nil {
		return nil
	}
	tests := string(m.Language)
	switch {
	case len(m.Archs) > 0:
		tests = string(m.Archs[0])
	case m.Language == memmodel.Kernel:
		tests = diy.LKMM.Name
	}
	a, err := diy.ByName(tests)
	if err != nil {
		return nil
	}
	return a
}
