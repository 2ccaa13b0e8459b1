package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ravel"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	o          ravel.CompareOptions
	find, json bool
	timeout    time.Duration
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
	fl.StringSliceVar(&f.o.Models, "models", nil, "the models to compare: names or `FILE.cat`, with commas between")
	fl.BoolVar(&f.find, "find", false, "make tests until one separates the models")
	fl.StringVar(&f.o.Dialect, "arch", "", "with --find: AArch64, ARM, PPC, X86, X86_64, RISCV, C, LKMM, Java or LISA (default: that of the models)")
	fl.IntVar(&f.o.MaxEdges, "max-edges", 6, "with --find: the most edges of a cycle")
	fl.IntVar(&f.o.MaxSize, "max-size", 7, "with --find: the greatest size of a test")
	fl.BoolVar(&f.o.All, "all", false, "show every state that differs, not only the first of a test")
	fl.IntVar(&f.o.Unroll, "unroll", 0, "bound every loop to `N` iterations (default 2)")
	fl.DurationVar(&f.timeout, "timeout", 0, "give up after this time")
	fl.BoolVar(&f.json, "json", false, "print an object per line and difference")
	completeModels(cmd, "models", ravel.LitmusRun)
	return cmd
}

func (f *compareFlags) run(args []string) error {
	switch {
	case len(f.o.Models) < 2:
		return errors.New("compare needs two models or more: --models sc,tso")
	case f.find && len(args) > 0:
		return errors.New("--find makes its own tests; it takes no files")
	case !f.find && len(args) == 0:
		return errors.New("no tests: give files or folders, or --find\nsee ravel compare --help")
	case f.o.Unroll < 0 || f.o.MaxEdges < 2 || f.o.MaxEdges > 12 || f.o.MaxSize < 2:
		return errors.New("--unroll is not negative, --max-edges is 2 to 12, --max-size is at least 2")
	}
	ctx := interruption()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	if f.find {
		return f.runFind(ctx)
	}
	tests, err := ravel.LitmusTests(args...)
	if err != nil {
		return err
	}
	return f.runFiles(ctx, tests)
}

// runFiles compares the models on tests.
func (f *compareFlags) runFiles(ctx context.Context, tests []ravel.Source) error {
	same, differ, undecided, failed := 0, 0, 0, 0
	err := ravel.Compare(ctx, tests, f.o, func(c *ravel.Comparison) error {
		switch {
		case c.Unsupported != "":
			undecided++
			fmt.Fprintf(os.Stderr, "ravel: %s: not supported: %s\n", c.File, c.Unsupported)
		case c.Err != nil:
			failed++
			fmt.Fprintln(os.Stderr, "ravel:", c.Err)
		case c.Undecided:
			undecided++
			fmt.Fprintf(os.Stderr, "ravel: %s: not decided: loops were cut or the time is over\n", c.File)
		case len(c.Differences) > 0:
			differ++
			return f.show(c)
		default:
			same++
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !f.json {
		fmt.Printf("%d tests: %d differ, %d do not", len(tests), differ, same)
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

// show prints the differences of a test.
func (f *compareFlags) show(c *ravel.Comparison) error {
	if !f.json {
		fmt.Print(c.Text)
		return nil
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, d := range c.Differences {
		if err := out.Encode(d); err != nil {
			return err
		}
	}
	return nil
}

func (f *compareFlags) runFind(ctx context.Context) error {
	d, err := ravel.Distinguish(ctx, f.o)
	if err != nil {
		return err
	}
	if len(d.Differences) == 0 {
		if !f.json {
			fmt.Printf("%d tests of %s up to size %d: no difference found\n", d.Looked, d.Dialect, f.o.MaxSize)
		}
		return statusError(3)
	}
	if !f.json {
		fmt.Printf("%s\n", d.Test)
	}
	if err := f.show(&d.Comparison); err != nil {
		return err
	}
	return statusError(1)
}
