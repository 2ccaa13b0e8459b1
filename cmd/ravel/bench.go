package main

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ravel/internal/bench"
)

func newBench() *cobra.Command {
	var o bench.Options
	cmd := &cobra.Command{
		Use:   "bench [TABLE]",
		Short: "Run the papers' tables, side by side with the published figures",
		Long: `Run the programs of a table and print our figures beside the published ones.
Tables: ` + strings.Join(bench.Tables(), ", ") + ` (default: all).
ravel bench differences prints the figures that differ from published ones, with the
reasons, as docs/differences.md has them.`,
		Example: "  ravel bench peers\n  ravel bench hmc --only indexer\n  ravel bench differences",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "differences" {
				return bench.WriteDifferences(os.Stdout)
			}
			tables := bench.Tables()
			if len(args) > 0 {
				tables = args
			}
			for _, t := range tables {
				if err := bench.Run(os.Stdout, t, o); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Clang, "clang", "", "the clang to compile with (default: the newest on PATH)")
	cmd.Flags().StringVar(&o.Only, "only", "", "rows whose name contains `TEXT`")
	cmd.Flags().StringVar(&o.SVG, "svg", "", "draw the seconds of imm over those of rc11 to `FILE` (table hmc)")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", time.Minute, "give up on a row after this time")
	return cmd
}
