package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ravel/internal/diy"
	"ravel/internal/frontend/litmus"
	"ravel/internal/herd"
	"ravel/internal/memmodel"
)

func newLitmus() *cobra.Command {
	var c herd.Config
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
			if c.Model != "" {
				if _, err := herd.Load(c.Model); err != nil {
					return err
				}
			}
			var files []string
			for _, a := range args {
				list, err := litmus.Files(a)
				if err != nil {
					return err
				}
				files = append(files, list...)
			}
			if len(files) == 0 {
				return fmt.Errorf("no .litmus files in %s", strings.Join(args, " "))
			}
			if c.Picture = svg+dot != ""; c.Picture && len(files) > 1 {
				return errors.New("--svg and --dot are for one test")
			}
			worst := 0
			err := herd.Run(files, c, func(e *herd.Entry) error {
				worst = max(worst, e.Status())
				return showEntry(e, asJSON, svg, dot)
			})
			if err == nil && worst > 0 {
				err = statusError(worst)
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&c.Model, "model", "", "a model by its name (ravel models), or a `FILE.cat`; default: that of the test's dialect")
	fl.StringVar(&c.Bell, "bell", "", "run `FILE.bell` before the model")
	fl.StringSliceVar(&c.Variants, "variant", nil, "`NAME` of a variant of the model; several with commas between")
	fl.BoolVar(&asJSON, "json", false, "print one JSON object per test")
	fl.BoolVar(&c.Explain, "explain", false, "print the check of the model that forbids the outcome, and a cycle")
	fl.StringVar(&svg, "svg", "", "draw the execution that the condition asks for, allowed or forbidden, in `FILE`")
	fl.StringVar(&dot, "dot", "", "write that execution to `FILE` for Graphviz")
	fl.IntVar(&c.Unroll, "unroll", 0, "bound every loop to `N` iterations (default 2)")
	fl.IntVar(&c.Workers, "workers", 0, "tests to run at a time (default: all cores)")
	fl.DurationVar(&c.Timeout, "timeout", 0, "give up on a test after this time")
	fl.StringVar(&cycle, "generate", "", "print the test of a `CYCLE` of edges instead of running tests")
	fl.StringVar(&arch, "arch", "AArch64", "dialect of the test that --generate prints: AArch64, ARM, PPC, X86, X86_64, RISCV, C, LKMM, Java or LISA")
	completeModels(cmd, "model", memmodel.Litmus)
	return cmd
}

// generate prints the test of a cycle.
func generate(cycle, arch string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("--generate takes no files; edges are in one argument: --generate '%s %s …'", cycle, args[0])
	}
	a, err := diy.ByName(arch)
	if err != nil {
		return err
	}
	c, err := diy.Parse(a, cycle)
	if err != nil {
		return err
	}
	text, err := c.Litmus()
	if err != nil {
		return err
	}
	fmt.Print(text)
	return nil
}

// showEntry prints what became of one test.
func showEntry(e *herd.Entry, asJSON bool, svg, dot string) error {
	if asJSON {
		if err := e.WriteJSON(os.Stdout); err != nil {
			return err
		}
	} else if e.Err != nil {
		fmt.Fprintln(os.Stderr, "ravel:", e.Err)
		return nil
	} else {
		for _, w := range e.Warnings() {
			fmt.Fprintf(os.Stderr, "ravel: %s: warning: %s\n", e.File, w)
		}
		if err := e.WriteLog(os.Stdout); err != nil {
			return err
		}
	}
	if e.Picture == nil {
		if svg+dot != "" && e.Err == nil {
			fmt.Fprintf(os.Stderr, "ravel: %s: no execution has the outcome: there is nothing to draw\n", e.File)
		}
		return nil
	}
	for _, out := range []struct {
		file  string
		write func(io.Writer) error
	}{{svg, e.Picture.WriteSVG}, {dot, e.Picture.WriteDOT}} {
		if out.file != "" {
			if err := writeFile(out.file, out.write); err != nil {
				return err
			}
		}
	}
	return nil
}
