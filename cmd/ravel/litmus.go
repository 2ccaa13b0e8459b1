package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ravel"
)

func newLitmus() *cobra.Command {
	var o ravel.LitmusOptions
	var asJSON bool
	var svg, dot, cycle, arch string
	cmd := &cobra.Command{
		Use:   "litmus FILE|DIR...",
		Short: "Run herd's litmus tests under a model: outcomes, verdicts, explanations",
		Long: `Run litmus tests under a memory model, and print their final states and verdicts as
herd7 does. Dialects: AArch64, ARM, PPC, X86, X86_64, RISCV, MIPS, BPF, C (C11 atomics or
the macros of the Linux kernel), Java, LISA. A folder stands for all .litmus files in it,
a file whose name begins with @ for the files that it lists. Without --model, each test
runs under the model of its dialect: armv8, armv7, power, tso, riscv, mips, bpf, rc11,
lkmm, jam21.

--generate prints a test whose outcome is a cycle of relaxation edges, named as diy7 does:
Rfe Fre Coe, PodRW PosWR …, DpAddrdR DpDatadW DpCtrldW …, fences (DMB.SYdWW, LwSyncdWW,
Fence.rw.rwdRW, FenceScdWR …), and annotations of accesses (L, A, Rel, Acq, Once …).

Exit status: 0 all conditions hold, 1 one does not, 2 wrong use, or a test that is not
supported or wrong, 3 not decided (a bound or the time ran out).`,
		Example: `  ravel litmus MP+dmb.sy+addr.litmus
  ravel litmus --model my.cat --json tests/
  ravel litmus --explain --svg why.svg SB+dmb.sys.litmus
  ravel litmus --generate 'DMB.SYdWW Rfe DpAddrdR Fre' --arch AArch64`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("generate") {
				return generate(cycle, arch, args)
			}
			if len(args) == 0 {
				return errors.New("no tests: give files or folders, or --generate a cycle\nsee ravel litmus --help")
			}
			tests, err := ravel.LitmusTests(args...)
			if err != nil {
				return err
			}
			o.Picture = svg+dot != ""
			worst := 0
			err = ravel.Litmus(interruption(), tests, o, func(r *ravel.LitmusResult) error {
				worst = max(worst, r.Status)
				return showResult(r, asJSON, svg, dot)
			})
			if err == nil && worst > 0 {
				err = statusError(worst)
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Model, "model", "", "a model by its name (ravel models), or a `FILE.cat`; default: that of the test's dialect")
	fl.StringVar(&o.Bell, "bell", "", "run `FILE.bell` before the model")
	fl.StringSliceVar(&o.Variants, "variant", nil, "`NAME` of a variant of the model; several with commas between")
	fl.BoolVar(&asJSON, "json", false, "print one JSON object per test")
	fl.BoolVar(&o.Explain, "explain", false, "print the check of the model that forbids the outcome, and a cycle")
	fl.StringVar(&svg, "svg", "", "draw the execution that the condition asks for, allowed or forbidden, in `FILE`")
	fl.StringVar(&dot, "dot", "", "write that execution to `FILE` for Graphviz")
	fl.IntVar(&o.Unroll, "unroll", 0, "bound every loop to `N` iterations (default 2)")
	fl.IntVar(&o.Workers, "workers", 0, "tests to run at a time (default: all cores)")
	fl.DurationVar(&o.Timeout, "timeout", 0, "give up on a test after this time")
	fl.StringVar(&cycle, "generate", "", "print the test of a `CYCLE` of edges instead of running tests")
	fl.StringVar(&arch, "arch", "AArch64", "dialect of the test that --generate prints: AArch64, ARM, PPC, X86, X86_64, RISCV, C, LKMM, Java or LISA")
	completeModels(cmd, "model", ravel.LitmusRun)
	return cmd
}

// generate prints the test of a cycle.
func generate(cycle, arch string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("--generate takes no files; edges are in one argument: --generate '%s %s …'", cycle, args[0])
	}
	text, err := ravel.Generate(cycle, arch)
	if err != nil {
		return err
	}
	fmt.Print(text)
	return nil
}

// showResult prints what became of one test.
func showResult(r *ravel.LitmusResult, asJSON bool, svg, dot string) error {
	switch {
	case asJSON:
		if err := r.WriteJSON(os.Stdout); err != nil {
			return err
		}
	case r.Err() != nil:
		fmt.Fprintln(os.Stderr, "ravel:", r.Err())
		return nil
	default:
		for _, w := range r.Warnings {
			fmt.Fprintf(os.Stderr, "ravel: %s: warning: %s\n", r.File, w)
		}
		if err := r.WriteLog(os.Stdout); err != nil {
			return err
		}
	}
	if !r.HasPicture() {
		if svg+dot != "" && r.Err() == nil {
			fmt.Fprintf(os.Stderr, "ravel: %s: no execution has the outcome: there is nothing to draw\n", r.File)
		}
		return nil
	}
	return writeFiles(output{svg, r.WriteSVG}, output{dot, r.WriteDOT})
}
