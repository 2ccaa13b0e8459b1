// Command ravel checks concurrent programs under weak memory models.
package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ravel"
	"ravel/internal/limits"
	"ravel/internal/spell"
)

// Exit statuses; errors found and undecided runs have those of report.Verdict.
const statusUsage = 2

// version and commit are set by the linker in releases (scripts/release).
var version, commit = "devel", ""

// fullVersion is the version with the commit that it was built from, as far as that is known.
func fullVersion() string {
	from := commit
	if info, ok := debug.ReadBuildInfo(); ok && from == "" {
		changed := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				from = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = ", changed"
			}
		}
		if from != "" {
			from += changed
		}
	}
	if from == "" {
		return version
	}
	return version + " (" + from + ")"
}

// A statusError ends ravel with a status; what there is to say has been said.
type statusError int

func (s statusError) Error() string { return fmt.Sprint("status ", int(s)) }

func main() {
	debug.SetMaxStack(8 << 30) // the exploration recurses once for each branching event
	debug.SetGCPercent(400)    // what lives long is small, and arenas are reused
	limits.Version, ravel.Version = version, version
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

// completeModels makes the shell complete the names of models that one of the engines runs.
func completeModels(cmd *cobra.Command, flag string, engines ...ravel.Engine) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1] // of a list
		var names []string
		for _, m := range ravel.Models() {
			if slices.ContainsFunc(engines, func(e ravel.Engine) bool { return slices.Contains(m.Engines, e) }) {
				names = append(names, before+m.Name+"\t"+m.Title)
			}
		}
		return names, cobra.ShellCompDirectiveDefault // and files
	})
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

// compilerFlag is how the complaint about a flag that is one of compilers ends: -DN=3, -I/usr/include, -std=c11, -O2.
var compilerFlag = regexp.MustCompile(`^unknown shorthand flag: '[DUIOfWstm]' in (-[DUIOfWstm].*)$`)

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
		Version:       fullVersion(),
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
			if s := spell.Closest(flag, flags); s != "" {
				msg += fmt.Sprintf(": did you mean %s?", s)
			}
		}
		if m := compilerFlag.FindStringSubmatch(msg); m != nil && cmd.Name() == "check" {
			msg += fmt.Sprintf(": flags for the compiler come last, after --: ravel check FILE -- %s", m[1])
		}
		return fmt.Errorf("%s\nsee %s --help", msg, cmd.CommandPath())
	})
	root.SetVersionTemplate("ravel {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(newCheck(), newTest(), newLitmus(), newCompare(), newJMM(), newModels(), newServe(), newSite(), newLSP(), newBench(), newMan(), newGenMC(), newWorker(), newCluster(), newStatus(), &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ravel version",
		Args:    cobra.NoArgs,
		Run:     func(*cobra.Command, []string) { fmt.Println("ravel", fullVersion()) },
	})
	return root
}
