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
	"github.com/spf13/pflag"

	"ravel"
	"ravel/internal/frontend/litmus"
	"ravel/internal/jmm"
	"ravel/internal/justify"
	"ravel/internal/report"
	"ravel/internal/smt"
)

func newJMM() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "jmm",
		Short: "Java memory models: outcomes, compilation schemes, the real JVM",
		Long: `Put a Java memory model to the test, on litmus tests in Java (docs/jmm.md).

check decides which outcomes a model allows, with the causality rules of the Java
Language Specification (17.4.8) over any single-execution model in cat. compile asks
whether a compilation scheme shows more than that, stress whether the JVM does.`,
		Example: "  ravel jmm check --explain LbOdd.litmus\n  ravel jmm compile --target x86 --model jam21 figure5.litmus\n  ravel jmm stress --model jam21 --seconds 10 SB+rfis.litmus",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return fmt.Errorf("unknown command %q: there are jmm check, jmm compile and jmm stress\nsee ravel jmm --help", args[0])
		},
	}
	cmd.AddCommand(newJMMCheck(), newJMMCompile(), newJMMStress())
	return cmd
}

// jmmFlags choose the Java model.
type jmmFlags struct {
	model, rules, identity, solver string
	unroll                         int
	timeout                        time.Duration
}

func (f *jmmFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.model, "model", "jls04", strings.Join(ravel.ModelNames(ravel.JMM), ", ")+", or a `FILE.cat`; one that defines so, sw and hb gets causality rules")
	fl.StringVar(&f.rules, "rules", "", "causality: jls (17.4.8), as (Aspinall and Ševčík), hb (none); default jls where the model has hb")
	fl.StringVar(&f.identity, "identity", "index", "when actions of two executions are the same: index (n-th of its kind), free (chosen anew)")
	fl.IntVar(&f.unroll, "unroll", 0, "bound every loop to `N` iterations; without it a loop is an error")
	fl.StringVar(&f.solver, "solver", "", "solve values with this `PROGRAM` (z3 or cvc5) instead of the embedded solver")
	fl.DurationVar(&f.timeout, "timeout", 0, "give up on a test after this time")
}

func (f *jmmFlags) options() (justify.Options, error) {
	o := justify.Options{Model: f.model, Rules: justify.Rules(f.rules), Identity: justify.Identity(f.identity), Unroll: f.unroll, Timeout: f.timeout}
	if f.rules != "" {
		if err := oneOf("--rules", f.rules, "jls", "as", "hb"); err != nil {
			return o, err
		}
	}
	if err := oneOf("--identity", f.identity, "index", "free"); err != nil {
		return o, err
	}
	if f.unroll < 0 {
		return o, errors.New("--unroll is not negative")
	}
	if f.solver != "" {
		s, err := smt.External(f.solver)
		if err != nil {
			return o, err
		}
		o.Solver = s
	}
	return o, nil
}

// jmmTests reads the tests that the arguments stand for.
func jmmTests(args []string) ([]*litmus.Test, error) {
	var tests []*litmus.Test
	for _, arg := range args {
		files, err := litmus.Files(arg)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			t, err := jmm.Load(file)
			if err != nil {
				return nil, err
			}
			tests = append(tests, t)
		}
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("no .litmus files in %s", strings.Join(args, " "))
	}
	return tests, nil
}

func newJMMCheck() *cobra.Command {
	var f jmmFlags
	var asJSON, explain bool
	var svg, dot string
	cmd := &cobra.Command{
		Use:   "check FILE|DIR...",
		Short: "Decide which outcomes of a test a Java memory model allows",
		Long: `Decide the assertions of litmus tests in Java. exists (…) and required (…) are outcomes
that the model has to allow, ~exists (…) and forbidden (…) those that it must not.

Exit status: 0 all is as asserted, 1 something is not, 2 wrong use or bad input, 3 not decided.`,
		Example: "  ravel jmm check testdata/java/ctc1.litmus\n  ravel jmm check --rules as --explain --svg why.svg ctc17.litmus",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			opts, err := f.options()
			if err != nil {
				return err
			}
			tests, err := jmmTests(args)
			if err != nil {
				return err
			}
			if (svg != "" || dot != "") && len(tests) > 1 {
				return errors.New("--svg and --dot are for one test")
			}
			worst, failed := 0, error(nil)
			for _, t := range tests {
				r, err := jmm.Check(t, opts)
				if err != nil {
					if len(tests) == 1 {
						return err
					}
					fmt.Fprintln(os.Stderr, "ravel:", err)
					failed = err
					continue
				}
				worst = worseStatus(worst, r.Status())
				if err := showReport(r, asJSON, explain, svg, dot); err != nil {
					return err
				}
			}
			switch {
			case failed != nil:
				return statusError(statusUsage)
			case worst != 0:
				return statusError(worst)
			}
			return nil
		},
	}
	f.add(cmd.Flags())
	completeModels(cmd, "model", ravel.JMM)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each test")
	cmd.Flags().BoolVar(&explain, "explain", false, "the justification of the first outcome that is allowed")
	cmd.Flags().StringVar(&svg, "svg", "", "draw the stages of the justification: `FILE`-1.svg, …")
	cmd.Flags().StringVar(&dot, "dot", "", "the same for Graphviz: `FILE`-1.dot, …")
	return cmd
}

// worseStatus is the status of several tests: 1 before 3 before 0.
func worseStatus(a, b int) int {
	if a == 1 || b == 1 {
		return 1
	}
	return max(a, b)
}

func showReport(r *jmm.Report, asJSON, explain bool, svg, dot string) error {
	if explain || svg != "" || dot != "" {
		r.Explain()
	}
	if svg != "" {
		if err := r.WritePictures(svg, report.WriteSVG); err != nil {
			return err
		}
	}
	if dot != "" {
		if err := r.WritePictures(dot, report.WriteDOT); err != nil {
			return err
		}
	}
	if asJSON {
		return r.WriteJSON(os.Stdout)
	}
	if err := r.WriteText(os.Stdout); err != nil {
		return err
	}
	if explain {
		if err := r.WriteJustification(os.Stdout, report.OptionsFor(os.Stdout)); err != nil {
			return err
		}
	}
	fmt.Println()
	return nil
}

func newJMMCompile() *cobra.Command {
	var f jmmFlags
	var target string
	var asJSON, code bool
	cmd := &cobra.Command{
		Use:   "compile FILE|DIR...",
		Short: "Ask whether a compilation scheme shows more than a Java memory model allows",
		Long: `Translate each test for a processor by a compilation scheme, statement by statement; find
all outcomes under our model of the processor; ask the Java model whether it allows them.
An outcome that it forbids is shown with an execution.

Targets: x86, aarch64, power, riscv. docs/jmm.md has the schemes.
Exit status: 0 all is allowed, 1 something is not, 2 wrong use or bad input, 3 not decided.`,
		Example: "  ravel jmm compile --model jam21 testdata/java/jmt-fig5.litmus\n  ravel jmm compile --target power --code testdata/java/IRIW-vol.litmus",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := f.options()
			if err != nil {
				return err
			}
			if err := oneOf("--target", target, jmm.Targets()...); err != nil {
				return err
			}
			tests, err := jmmTests(args)
			if err != nil {
				return err
			}
			worst, failed := 0, false
			for _, t := range tests {
				ctx, stop := cmd.Context(), func() {}
				if f.timeout > 0 {
					ctx, stop = context.WithTimeout(ctx, f.timeout)
				}
				r, err := jmm.Compile(ctx, t, target, opts)
				stop()
				if err != nil {
					if len(tests) == 1 {
						return err
					}
					fmt.Fprintln(os.Stderr, "ravel:", err)
					failed = true
					continue
				}
				if asJSON {
					err = json.NewEncoder(os.Stdout).Encode(r)
				} else {
					err = r.WriteText(os.Stdout, code, report.OptionsFor(os.Stdout))
				}
				if err != nil {
					return err
				}
				worst = worseStatus(worst, r.Status())
			}
			switch {
			case failed:
				return statusError(statusUsage)
			case worst != 0:
				return statusError(worst)
			}
			return nil
		},
	}
	f.add(cmd.Flags())
	completeModels(cmd, "model", ravel.JMM)
	cmd.Flags().StringVar(&target, "target", "x86", "x86, aarch64, power or riscv")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each test")
	cmd.Flags().BoolVar(&code, "code", false, "print the compiled test")
	return cmd
}

func newJMMStress() *cobra.Command {
	var f jmmFlags
	var seconds float64
	var asJSON bool
	var emit, jcstress string
	cmd := &cobra.Command{
		Use:   "stress FILE|DIR...",
		Short: "Run a test on the JVM and compare what it shows with a model",
		Long: `Make a Java program of each test, compile it with the JDK on PATH, run it, and compare
the outcomes that were seen with those that the model allows.

Exit status: 0 nothing was seen that the model forbids, 1 something was, 2 wrong use or no JDK.`,
		Example: "  ravel jmm stress --model jam21 --seconds 10 testdata/java/SB+rfis.litmus\n  ravel jmm stress --jcstress SB.java --model jam21 testdata/java/SB+rfis.litmus",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := f.options()
			if err != nil {
				return err
			}
			if seconds <= 0 {
				return errors.New("--seconds is positive")
			}
			tests, err := jmmTests(args)
			if err != nil {
				return err
			}
			if emit != "" || jcstress != "" {
				return writeStress(tests, opts, emit, jcstress)
			}
			status := 0
			for _, t := range tests {
				r, err := jmm.Stress(cmd.Context(), t, opts, seconds)
				if err != nil {
					return err
				}
				if asJSON {
					err = json.NewEncoder(os.Stdout).Encode(r)
				} else {
					err = r.WriteText(os.Stdout)
				}
				if err != nil {
					return err
				}
				status = max(status, r.Status())
			}
			if status != 0 {
				return statusError(status)
			}
			return nil
		},
	}
	f.add(cmd.Flags())
	completeModels(cmd, "model", ravel.JMM)
	cmd.Flags().Float64Var(&seconds, "seconds", 10, "how long each test runs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each test")
	cmd.Flags().StringVar(&emit, "emit", "", "write the program that would be run to `FILE`, and do not run it")
	cmd.Flags().StringVar(&jcstress, "jcstress", "", "write a test class for jcstress to `FILE`, and do not run it")
	return cmd
}

// writeStress writes the Java of one test.
func writeStress(tests []*litmus.Test, opts justify.Options, emit, jcstress string) error {
	if len(tests) > 1 {
		return errors.New("--emit and --jcstress are for one test")
	}
	if emit != "" {
		code, err := jmm.Harness(tests[0])
		if err != nil {
			return err
		}
		if err := os.WriteFile(emit, []byte(code), 0o644); err != nil {
			return err
		}
	}
	if jcstress == "" {
		return nil
	}
	a, err := justify.Analyse(tests[0], opts)
	if err != nil {
		return err
	}
	code, err := jmm.JCStress(a)
	if err != nil {
		return err
	}
	return os.WriteFile(jcstress, []byte(code), 0o644)
}
