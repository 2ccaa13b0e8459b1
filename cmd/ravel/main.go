// Command ravel checks concurrent programs under weak memory models.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ravel/internal/limits"
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
	limits.Version = version
	defer limits.Crash()
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

// closest returns the one of words that is most like word, "" if none is.
func closest(word string, words []string) string {
	best, least := "", 3
	for _, w := range words {
		if d := distance(word, w); d < least {
			best, least = w, d
		}
	}
	return best
}

// distance is the number of letters to insert, drop, change or swap to get from a to b.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// inRange refuses numbers and times below zero: no flag has a use for them.
func inRange(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		want := ""
		switch f.Value.Type() {
		case "int":
			if n, _ := strconv.Atoi(f.Value.String()); n < 0 {
				want = "a number that is not negative"
			}
		case "duration":
			if d, _ := time.ParseDuration(f.Value.String()); d < 0 {
				want = "a time that is not negative, such as 30s"
			}
		}
		if want != "" && err == nil {
			err = fmt.Errorf("--%s %s: it takes %s", f.Name, f.Value, want)
		}
	})
	return err
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
		Version:       version,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return inRange(cmd.Flags())
		},
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
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		msg := err.Error()
		if flag, ok := strings.CutPrefix(msg, "unknown flag: "); ok {
			var flags []string
			cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
			if s := closest(flag, flags); s != "" {
				msg += fmt.Sprintf(": did you mean %s?", s)
			}
		}
		return fmt.Errorf("%s\nsee %s --help", msg, cmd.CommandPath())
	})
	root.SetVersionTemplate("ravel {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(newCheck(), newLitmus(), newCompare(), newJMM(), newModels(), newBench(), &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ravel version",
		Args:    cobra.NoArgs,
		Run:     func(*cobra.Command, []string) { fmt.Println("ravel", version) },
	})
	return root
}
