package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ravel/internal/compare"
	"ravel/internal/diy"
	"ravel/internal/enumerate"
	"ravel/internal/frontend/litmus"
	"ravel/internal/herd"
	"ravel/internal/memmodel"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	models            []string
	find, json, all   bool
	arch              string
	maxEdges, maxSize int
	unroll            int
	timeout           time.Duration
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare --models A,B[,...] FILE|DIR...",
		Short: "Show where memory models differ, with a witness for each",
		Long: `Run litmus tests under several models and show those whose final states differ: a state,
which models allow it and which forbid it, an execution that ends in it, and the check
that forbids it with the cycle it complains about.

With --find, no files are needed: tests are made from cycles of relaxation edges, as diy
does, from the smallest up, until one separates the models. The size of a test is the
number of its edges, plus one for each dependency, fence and annotation.

Exit status: 0 the models agree, 1 they differ, 2 wrong use or bad input, 3 not decided
(loops were cut, tests are not supported, or --find came to its bound).`,
		Example: "  ravel compare --models sc,tso tests/\n  ravel compare --models rc11,rc11-2017 --find\n  ravel compare --models power,my.cat --find --arch PPC --max-edges 5",
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			return f.run(args)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.models, "models", nil, "the models to compare: names or `FILE.cat`, with commas between")
	fl.BoolVar(&f.find, "find", false, "make tests until one separates the models")
	fl.StringVar(&f.arch, "arch", "", "with --find: AArch64, ARM, PPC, X86, X86_64, RISCV, C, LKMM, Java or LISA (default: that of the models)")
	fl.IntVar(&f.maxEdges, "max-edges", 6, "with --find: the most edges of a cycle")
	fl.IntVar(&f.maxSize, "max-size", 7, "with --find: the greatest size of a test")
	fl.BoolVar(&f.all, "all", false, "show every state that differs, not only the first of a test")
	fl.IntVar(&f.unroll, "unroll", 0, "bound every loop to `N` iterations (default 2)")
	fl.DurationVar(&f.timeout, "timeout", 0, "give up after this time")
	fl.BoolVar(&f.json, "json", false, "print an object per line and difference")
	completeModels(cmd, "models", memmodel.Litmus)
	return cmd
}

func (f *compareFlags) run(args []string) error {
	switch {
	case len(f.models) < 2:
		return errors.New("compare needs two models or more: --models sc,tso")
	case f.find && len(args) > 0:
		return errors.New("--find makes its own tests; it takes no files")
	case !f.find && len(args) == 0:
		return errors.New("no tests: give files or folders, or --find\nsee ravel compare --help")
	case f.unroll < 0 || f.maxEdges < 2 || f.maxEdges > 12 || f.maxSize < 2:
		return errors.New("--unroll is not negative, --max-edges is 2 to 12, --max-size is at least 2")
	}
	var models []*enumerate.Model
	for _, name := range f.models {
		m, err := herd.Load(name)
		if err != nil {
			return err
		}
		models = append(models, m)
	}
	opts := compare.Options{Unroll: f.unroll}
	if f.timeout > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), f.timeout)
		defer cancel()
		opts.Ctx = ctx
	}
	if f.find {
		return f.runFind(models, opts)
	}
	return f.runFiles(args, models, opts)
}

// runFiles compares the models on the tests that the arguments stand for.
func (f *compareFlags) runFiles(args []string, models []*enumerate.Model, opts compare.Options) error {
	var files []string
	for _, arg := range args {
		list, err := litmus.Files(arg)
		if err != nil {
			return err
		}
		files = append(files, list...)
	}
	if len(files) == 0 {
		return fmt.Errorf("no .litmus files in %s", strings.Join(args, " "))
	}
	same, differ, undecided, failed := 0, 0, 0, 0
	for _, file := range files {
		o, err := compareFile(file, models, opts)
		var e *litmus.Error
		switch {
		case errors.As(err, &e) && e.Feature != "":
			undecided++
			fmt.Fprintf(os.Stderr, "ravel: %s: not supported: %s\n", file, e.Feature)
		case err != nil:
			failed++
			fmt.Fprintln(os.Stderr, "ravel:", err)
		case o.Differ():
			differ++
			if err := f.show(file, o, opts); err != nil {
				return err
			}
		case o.Bounded:
			undecided++
			fmt.Fprintf(os.Stderr, "ravel: %s: not decided: loops were cut or the time is over\n", file)
		default:
			same++
		}
	}
	if !f.json {
		fmt.Printf("%d tests: %d differ, %d do not", len(files), differ, same)
		if undecided+failed > 0 {
			fmt.Printf(", %d not decided, %d wrong", undecided, failed)
		}
		fmt.Println()
	}
	switch {
	case failed > 0:
		return statusError(statusUsage)
	case differ > 0:
		return statusError(1)
	case undecided > 0:
		return statusError(3)
	}
	return nil
}

func compareFile(file string, models []*enumerate.Model, opts compare.Options) (*compare.Outcome, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := litmus.Parse(file, src)
	if err != nil {
		return nil, err
	}
	return compare.Test(t, models, opts)
}

// show prints the differences of a test.
func (f *compareFlags) show(file string, o *compare.Outcome, opts compare.Options) error {
	if f.json {
		return f.showJSON(file, o, opts)
	}
	if o.Other != "" {
		fmt.Printf("%s (%s): %s\n\n", o.Test.Name, file, o.Other)
		return nil
	}
	fmt.Printf("%s (%s)\n", o.Test.Name, file)
	for k, d := range o.Differences {
		if k > 0 && !f.all {
			fmt.Printf("  and %d more states (--all shows them)\n", len(o.Differences)-1)
			break
		}
		w, err := o.Explain(d, opts)
		if err != nil {
			return err
		}
		note := ""
		if d.Positive {
			note = "  (as the condition says)"
		}
		fmt.Printf("  %s%s\n  allowed by %s\n%s", herd.StateText(d.Result, d.Values), note, modelNames(d.Allowed), w)
	}
	fmt.Println()
	return nil
}

func modelNames(list []*enumerate.Model) string {
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// A jsonDifference is a line of compare --json.
type jsonDifference struct {
	Name      string         `json:"name"`
	File      string         `json:"file,omitempty"`
	Arch      litmus.Arch    `json:"arch"`
	State     map[string]any `json:"state,omitempty"`
	Condition bool           `json:"condition"` // the state is as the test's condition says
	Allowed   []string       `json:"allowed,omitempty"`
	Forbidden []jsonReason   `json:"forbidden,omitempty"`
	Events    []jsonEvent    `json:"events,omitempty"` // of an execution that ends in the state
	Rf        [][2]string    `json:"rf,omitempty"`
	Co        [][2]string    `json:"co,omitempty"`
	Other     string         `json:"other,omitempty"`
	Cycle     string         `json:"cycle,omitempty"` // with --find
	Test      string         `json:"test,omitempty"`
}

type jsonReason struct {
	Model string   `json:"model"`
	Check string   `json:"check"`
	Cycle []string `json:"cycle,omitempty"` // event, relation, event, …
}

type jsonEvent struct {
	Name        string `json:"name"`
	Thread      int    `json:"thread"` // -1: initial
	Event       string `json:"event"`
	Instruction string `json:"instruction,omitempty"`
}

func (f *compareFlags) showJSON(file string, o *compare.Outcome, opts compare.Options) error {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if o.Other != "" {
		return out.Encode(jsonDifference{Name: o.Test.Name, File: file, Arch: o.Test.Arch, Other: o.Other})
	}
	list := o.Differences
	if !f.all {
		list = list[:1]
	}
	for _, d := range list {
		j, err := newJSONDifference(o, d, opts)
		if err != nil {
			return err
		}
		j.File = file
		if err := out.Encode(j); err != nil {
			return err
		}
	}
	return nil
}

func newJSONDifference(o *compare.Outcome, d *compare.Difference, opts compare.Options) (*jsonDifference, error) {
	w, err := o.Explain(d, opts)
	if err != nil {
		return nil, err
	}
	j := &jsonDifference{Name: o.Test.Name, Arch: o.Test.Arch, State: herd.StateJSON(d.Result, d.Values), Condition: d.Positive}
	for _, m := range d.Allowed {
		j.Allowed = append(j.Allowed, m.Name)
	}
	for _, r := range w.Why {
		j.Forbidden = append(j.Forbidden, jsonReason{r.Model, r.Check, w.Path(r)})
	}
	for i, e := range w.Events {
		j.Events = append(j.Events, jsonEvent{w.Name(i), e.Thread, e.Label, e.Source})
	}
	named := func(pairs [][2]int) (list [][2]string) {
		for _, p := range pairs {
			list = append(list, [2]string{w.Name(p[0]), w.Name(p[1])})
		}
		return list
	}
	j.Rf, j.Co = named(w.Rf), named(w.Co)
	return j, nil
}

// testsOf returns the dialect whose tests show what a model is about, nil if all do.
func testsOf(name string) *diy.Arch {
	m, err := memmodel.Find(name)
	if err != nil {
		return nil
	}
	tests := ""
	switch {
	case len(m.Archs) > 0:
		tests = string(m.Archs[0])
	case m.Language == memmodel.Kernel:
		tests = diy.LKMM.Name
	default:
		tests = string(m.Language)
	}
	a, err := diy.ByName(tests)
	if err != nil {
		return nil
	}
	return a
}

// dialect is the dialect of the tests that --find makes.
func (f *compareFlags) dialect() (*diy.Arch, error) {
	if f.arch != "" {
		return diy.ByName(f.arch)
	}
	var found *diy.Arch
	compiled := func(a *diy.Arch) bool { return a != diy.LKMM && a != diy.Java } // tests in C11 are, for all others
	for _, name := range f.models {
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

func (f *compareFlags) runFind(models []*enumerate.Model, opts compare.Options) error {
	arch, err := f.dialect()
	if err != nil {
		return err
	}
	r, err := compare.Find(arch, models, f.maxEdges, f.maxSize, opts)
	if err != nil {
		return err
	}
	if r.Cycle == nil {
		if !f.json {
			fmt.Printf("%d tests of %s up to size %d: no difference found\n", r.Looked, arch.Name, f.maxSize)
		}
		return statusError(3)
	}
	if f.json {
		j, err := newJSONDifference(r.Outcome, r.Outcome.Differences[0], compare.Options{})
		if err != nil {
			return err
		}
		j.Cycle, j.Test = r.Cycle.String(), r.Text
		out := json.NewEncoder(os.Stdout)
		out.SetEscapeHTML(false)
		if err := out.Encode(j); err != nil {
			return err
		}
		return statusError(1)
	}
	fmt.Printf("%s\n", r.Text)
	if err := f.show(fmt.Sprintf("the smallest of %s, after %d others", arch.Name, r.Looked-1), r.Outcome, compare.Options{}); err != nil {
		return err
	}
	return statusError(1)
}
