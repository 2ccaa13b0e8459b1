// Command ravel checks concurrent programs under weak memory models.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Exit statuses; errors found and undecided runs have those of report.Verdict.
const statusUsage = 2

// version is set by the linker in releases.
var version = "devel"

// A statusError ends ravel with a status; what there is to say has been said.
type statusError int

func (s statusError) Error() string { return fmt.Sprint("status ", int(s)) }

func main() {
	debug.SetMaxStack(8 << 30) // the exploration recurses once for each branching event
	debug.SetGCPercent(400)    // what lives long is small, and arenas are reused
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	err := root.Execute()
	var status statusError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintln(os.Stderr, "ravel:", err)
	return statusUsage
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "ravel",
		Short: "Check concurrent programs under weak memory models",
		Long: `ravel verifies concurrent programs under weak memory models: it explores every
execution of the program that the model allows, each exactly once, and shows the
one that goes wrong at source level.`,
		Example:       "  ravel check queue.c\n  ravel check --model tso queue.c -- -DN=2 -O1",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			msg := fmt.Sprintf("unknown command %q", args[0])
			if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
				msg += fmt.Sprintf(": did you mean %q?", s[0])
			}
			return fmt.Errorf("%s\nsee ravel --help", msg)
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(newCheck(), newModels(), newBench(), &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ravel version",
		Args:    cobra.NoArgs,
		Run:     func(*cobra.Command, []string) { fmt.Println("ravel", version) },
	})
	return root
}
