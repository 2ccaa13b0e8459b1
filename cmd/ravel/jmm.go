package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ravel"
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
	cmd.AddCommand(newJMMCheck(), newJMMCompile(), newJMMJIT(), newJMMStress())
	return cmd
}

// addJMM adds the flags that choose the Java model.
func addJMM(cmd *cobra.Command, o *ravel.JMMOptions) {
	fl := cmd.Flags()
	fl.StringVar(&o.Model, "model", "jls04", strings.Join(ravel.ModelNames(ravel.JMM), ", ")+", or a `FILE.cat`; one that defines so, sw and hb gets causality rules")
	fl.StringVar(&o.Rules, "rules", "", "causality: jls (17.4.8), as (Aspinall and Ševčík), hb (none); default jls where the model has hb")
	fl.StringVar(&o.Identity, "identity", "index", "when actions of two executions are the same: index (n-th of its kind), free (chosen anew)")
	fl.IntVar(&o.Unroll, "unroll", 0, "bound every loop to `N` iterations; without it a loop is an error")
	fl.StringVar(&o.Solver, "solver", "", "solve values with this `PROGRAM` (z3 or cvc5) instead of the embedded solver")
	fl.DurationVar(&o.Timeout, "timeout", 0, "give up on a test after this time")
	completeModels(cmd, "model", ravel.JMM)
}

// runTests runs each test that the arguments stand for, and returns the status of all: 1 before 3 before 0, and 2 if one could not be run.
func runTests(args []string, run func(ravel.Source) (status int, err error)) error {
	tests, err := ravel.LitmusTests(args...)
	if err != nil {
		return err
	}
	worst, failed := 0, false
	for _, t := range tests {
		status, err := run(t)
		switch {
		case err != nil && len(tests) == 1:
			return err
		case err != nil:
			fmt.Fprintln(os.Stderr, "ravel:", err)
			failed = true
		case worst != 1:
			worst = max(worst, status)
			if status == 1 {
				worst = 1
			}
		}
	}
	switch {
	case failed:
		return statusError(statusUsage)
	case worst != 0:
		return statusError(worst)
	}
	return nil
}

// single refuses files to write if there are several tests.
func single(args []string, flags string, files ...string) error {
	if slices.Max(files) == "" {
		return nil
	}
	tests, err := ravel.LitmusTests(args...)
	if err == nil && len(tests) > 1 {
		err = fmt.Errorf("%s are for one test", flags)
	}
	return err
}

func newJMMCheck() *cobra.Command {
	var o ravel.JMMOptions
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
			if err := single(args, "--svg and --dot", svg, dot); err != nil {
				return err
			}
			return runTests(args, func(t ravel.Source) (int, error) {
				r, err := ravel.JMMCheck(interruption(), t, o)
				if err != nil {
					return 0, err
				}
				return r.Status(), showReport(r, asJSON, explain, svg, dot)
			})
		},
	}
	addJMM(cmd, &o)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each test")
	cmd.Flags().BoolVar(&explain, "explain", false, "the justification of the first outcome that is allowed")
	cmd.Flags().StringVar(&svg, "svg", "", "draw the stages of the justification: `FILE`-1.svg, …")
	cmd.Flags().StringVar(&dot, "dot", "", "the same for Graphviz: `FILE`-1.dot, …")
	return cmd
}

func showReport(r *ravel.JMMReport, asJSON, explain bool, svg, dot string) error {
	if explain || svg != "" || dot != "" {
		r.Explain()
	}
	if svg != "" {
		if err := r.WriteSVG(svg); err != nil {
			return err
		}
	}
	if dot != "" {
		if err := r.WriteDOT(dot); err != nil {
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
		if err := r.WriteJustification(os.Stdout, ravel.StyleFor(os.Stdout)); err != nil {
			return err
		}
	}
	fmt.Println()
	return nil
}

func newJMMCompile() *cobra.Command {
	var (
		o              ravel.JMMOptions
		target, scheme string
		asJSON, code   bool
		search         int
		emit           string
	)
	cmd := &cobra.Command{
		Use:   "compile FILE|DIR...",
		Short: "Ask whether a compilation scheme shows more than a Java memory model allows",
		Long: `Translate each test for a processor by a compilation scheme, statement by statement; find
all outcomes under our model of the processor; ask the Java model whether it allows them.
An outcome that it forbids is shown with an execution.

Targets: ` + strings.Join(ravel.JMMTargets(), ", ") + `, each with its usual scheme. Further schemes of the
literature: ` + strings.Join(ravel.JMMSchemes(), ", ") + `. docs/jmm.md
has them, and the form of a file with a scheme of your own.
With --search, tests are made: the shortest one on which the scheme fails is shown.

Exit status: 0 all is allowed, 1 something is not, 2 wrong use or bad input, 3 not decided.`,
		Example: `  ravel jmm compile --model jam21 testdata/java/jmt-fig5.litmus
  ravel jmm compile --target power --code testdata/java/IRIW-vol.litmus
  ravel jmm compile --scheme power-openjdk9 --model jam21 --search 5`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if scheme == "" {
				if !slices.Contains(ravel.JMMTargets(), target) {
					return fmt.Errorf("--target %s: it takes %s", target, strings.Join(ravel.JMMTargets(), " or "))
				}
				scheme = target
			} else if cmd.Flags().Changed("target") {
				return errors.New("--scheme names its target: leave out --target")
			}
			s, err := ravel.LoadJMMScheme(scheme)
			if err != nil {
				return err
			}
			if emit != "" && (emit != "litmus" || search > 0 || asJSON || code) {
				return errors.New("--emit takes litmus, and neither --search, --json nor --code")
			}
			if search > 0 {
				if len(args) > 0 {
					return errors.New("--search makes the tests: leave out the files")
				}
				return searchScheme(s, search, o, asJSON, code)
			}
			if len(args) == 0 {
				return errors.New("which file? see ravel jmm compile --help")
			}
			return runTests(args, func(t ravel.Source) (int, error) {
				if emit != "" {
					text, err := ravel.JMMEmit(t, s)
					fmt.Print(text)
					return 0, err
				}
				r, err := ravel.JMMCompile(interruption(), t, s, o)
				if err != nil {
					return 0, err
				}
				if asJSON {
					return r.Status(), json.NewEncoder(os.Stdout).Encode(r)
				}
				return r.Status(), r.WriteText(os.Stdout, code, ravel.StyleFor(os.Stdout))
			})
		},
	}
	addJMM(cmd, &o)
	cmd.Flags().StringVar(&target, "target", "x86", strings.Join(ravel.JMMTargets(), ", "))
	cmd.Flags().StringVar(&scheme, "scheme", "", "compile by this scheme: a `NAME` of the list above, or a FILE")
	cmd.Flags().StringVar(&emit, "emit", "", "litmus: print the compiled test in herd's `FORMAT`, and do not run it")
	cmd.Flags().IntVar(&search, "search", 0, "make tests of volatile accesses from cycles of up to `N` edges, and show the first on which the scheme fails")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each test")
	cmd.Flags().BoolVar(&code, "code", false, "print the compiled test")
	return cmd
}

// searchScheme looks for a test on which a scheme fails.
func searchScheme(s *ravel.JMMScheme, n int, o ravel.JMMOptions, asJSON, code bool) error {
	found, err := ravel.JMMFindUnsound(interruption(), s, n, o)
	if err != nil {
		return err
	}
	if found.Report == nil {
		fmt.Printf("Scheme %s: nothing that %s forbids in %d tests of volatile accesses with cycles of up to %d edges\n", s.Name, o.Model, found.Tests, n)
		return nil
	}
	if asJSON {
		err = json.NewEncoder(os.Stdout).Encode(found.Report)
	} else {
		fmt.Printf("%s\n", found.Text)
		err = found.Report.WriteText(os.Stdout, code, ravel.StyleFor(os.Stdout))
	}
	if err != nil {
		return err
	}
	return statusError(found.Report.Status())
}

func newJMMStress() *cobra.Command {
	var o ravel.JMMOptions
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
			if emit != "" || jcstress != "" {
				return writeStress(args, o, emit, jcstress)
			}
			return runTests(args, func(t ravel.Source) (int, error) {
				r, err := ravel.JMMStress(interruption(), t, seconds, o)
				if err != nil {
					return 0, err
				}
				if asJSON {
					return r.Status(), json.NewEncoder(os.Stdout).Encode(r)
				}
				return r.Status(), r.WriteText(os.Stdout)
			})
		},
	}
	addJMM(cmd, &o)
	cmd.Flags().Float64Var(&seconds, "seconds", 10, "how long each test runs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each test")
	cmd.Flags().StringVar(&emit, "emit", "", "write the program that would be run to `FILE`, and do not run it")
	cmd.Flags().StringVar(&jcstress, "jcstress", "", "write a test class for jcstress to `FILE`, and do not run it")
	return cmd
}

func newJMMJIT() *cobra.Command {
	var o ravel.JMMOptions
	var asJSON, code bool
	cmd := &cobra.Command{
		Use:   "jit FILE|DIR...",
		Short: "Compare the machine code of the JVM's compiler with a model",
		Long: `Have the JVM on PATH compile the threads of each test, lift the machine code to a litmus test
of the processor (x86-64), and compare its outcomes with those that the model allows.

It takes HotSpot with the compiler C2, 17 or later, and objdump (Debian: binutils) or hsdis,
the JVM's disassembler (Debian: libhsdis0-fcml). Monitors are those of JDK 17. Loops take --unroll.

Exit status: 0 the model allows all outcomes, 1 it does not, 2 wrong use or no JDK, 3 not decided.`,
		Example: "  ravel jmm jit --model jam21 --code testdata/java/SB+rfis.litmus",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTests(args, func(t ravel.Source) (int, error) {
				r, err := ravel.JMMJIT(interruption(), t, o)
				if err != nil {
					return 0, err
				}
				if asJSON {
					return r.Status(), json.NewEncoder(os.Stdout).Encode(r)
				}
				return r.Status(), r.WriteText(os.Stdout, code, ravel.StyleFor(os.Stdout))
			})
		},
	}
	addJMM(cmd, &o)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each test")
	cmd.Flags().BoolVar(&code, "code", false, "print the litmus test that the machine code is lifted to")
	return cmd
}

// writeStress writes the Java of one test.
func writeStress(args []string, o ravel.JMMOptions, emit, jcstress string) error {
	if err := single(args, "--emit and --jcstress", emit, jcstress); err != nil {
		return err
	}
	return runTests(args, func(t ravel.Source) (int, error) {
		if emit != "" {
			code, err := ravel.JMMHarness(t)
			if err != nil {
				return 0, err
			}
			if err := os.WriteFile(emit, []byte(code), 0o644); err != nil {
				return 0, err
			}
		}
		if jcstress == "" {
			return 0, nil
		}
		code, err := ravel.JCStress(interruption(), t, o)
		if err != nil {
			return 0, err
		}
		return 0, os.WriteFile(jcstress, []byte(code), 0o644)
	})
}
