package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ravel/internal/spell"
)

// A genmcFlag is what an option of GenMC is here: the flags of ravel check, or why there are none.
type genmcFlag struct {
	name  string   // with a value if the answer is for that one only: mode=verify
	value string   // what its value is, "" if it has none
	flags []string // of ravel check; one that ends with = takes the value
	note  string   // why it has no flags, or what is different
	wrong bool     // it would change what is verified, and we can't
}

const (
	notNeeded = "changes only how GenMC explores"
	notThere  = "not supported by ravel"
)

// genmcFlags are the options of RCMC, and of GenMC from 0.1 to 0.17 (Config.cpp, then lli/main.cpp of github.com/MPI-SWS/genmc),
// those of its debug builds among them.
var genmcFlags = []genmcFlag{
	{name: "sc", flags: []string{"--model=sc"}},
	{name: "tso", flags: []string{"--model=tso"}},
	{name: "pso", flags: []string{"--model=pso"}},
	{name: "ra", flags: []string{"--model=ra"}},
	{name: "rc11", flags: []string{"--model=rc11"}},
	{name: "imm", flags: []string{"--model=imm"}},
	{name: "lkmm", flags: []string{"--model=lkmm"}},
	{name: "mo", flags: []string{"--coherence=total"}},
	{name: "wb", flags: []string{"--coherence=observed"}},
	{name: "unroll=-1", note: "loops are not bounded without --unroll"},
	{name: "unroll", value: "N", flags: []string{"--unroll="}},
	{name: "nthreads", value: "N", flags: []string{"--workers="}},
	{name: "disable-race-detection", flags: []string{"--no-race-check"}},
	{name: "disable-spin-assume", flags: []string{"--spin-assume=false"}},
	{name: "disable-bam", flags: []string{"--symmetry=false"}},
	{name: "check-liveness", flags: []string{"--liveness"}},
	{name: "dump-error-graph", value: "FILE", flags: []string{"--dot="}},
	{name: "print-exec-graphs", flags: []string{"--print-executions"}},
	{name: "pretty-print-exec-graphs", flags: []string{"--print-executions"}},
	{name: "estimate", flags: []string{"--estimate"}},
	{name: "mode=verify", note: "every execution is explored unless told otherwise"},
	{name: "mode=estimate", flags: []string{"--estimate"}},
	{name: "mode=random", note: "ravel check --hunt TIME looks for errors by random walks", wrong: true},
	{name: "mode", value: "MODE", note: "the modes are verify, random and estimate", wrong: true},
	{name: "random-budget", value: "N", note: "ravel check --hunt TIME looks for errors by random walks", wrong: true},
	{name: "print-error-trace", note: "errors have their execution with them"},
	{name: "disable-estimation", note: "there is no estimate without --estimate"},
	{name: "disable-warn-on-unfreed-memory", note: "there is no warning without --check-leaks"},
	{name: "count-duplicate-execs", note: "no execution is explored twice"},
	{name: "count-moot-execs", note: "the result always has them"},
	{name: "check-consistency-type", value: "TYPE", note: "every check is full"},
	{name: "check-consistency-point", value: "POINT", note: "consistency is checked at each step"},
	{name: "check-psc-acyclicity", value: "TYPE", note: "every check is full"},
	{name: "check-wb-acyclicity", note: "every check is full"},
	{name: "sr", flags: []string{"--symmetry"}},
	{name: "disable-sr", flags: []string{"--symmetry=false"}},
	{name: "input-from-bitcode-file", note: "files that end with .ll and .bc are LLVM IR"},
	{name: "disable-stop-on-system-error", note: "a call that fails returns its error to the program"},
	{name: "lapor", note: notNeeded},
	{name: "helper", note: notNeeded},
	{name: "disable-helper", note: notNeeded},
	{name: "confirmation", note: notNeeded},
	{name: "disable-confirmation-annotation", note: notNeeded},
	{name: "disable-final-write", note: notNeeded},
	{name: "cache-instructions", note: notNeeded},
	{name: "disable-instruction-caching", note: notNeeded},
	{name: "disable-ipr", note: notNeeded},
	{name: "disable-lock-ipr", note: notNeeded},
	{name: "disable-loop-jump-threading", note: notNeeded},
	{name: "disable-cast-elimination", note: notNeeded},
	{name: "disable-function-inliner", note: notNeeded},
	{name: "disable-code-condenser", note: notNeeded},
	{name: "disable-load-annotation", note: notNeeded},
	{name: "disable-assume-propagation", note: notNeeded},
	{name: "disable-mm-detector", note: notNeeded},
	{name: "schedule-policy", value: "POLICY", note: notNeeded},
	{name: "schedule-seed", value: "SEED", note: notNeeded},
	{name: "print-schedule-seed", note: notNeeded},
	{name: "random-schedule-seed", value: "SEED", note: notNeeded},
	{name: "print-random-schedule-seed", note: notNeeded},
	{name: "randomize-schedule", note: notNeeded},
	{name: "randomize-schedule-seed", value: "SEED", note: notNeeded},
	{name: "print-randomize-schedule-seed", note: notNeeded},
	{name: "estimation-max", value: "N", note: notNeeded},
	{name: "estimation-min", value: "N", note: notNeeded},
	{name: "estimation-threshold", value: "N", note: notNeeded},
	{name: "print-estimation-stats", note: notNeeded},
	{name: "warn-on-graph-size", value: "N", note: notNeeded},
	{name: "skip-genmc-std-build", note: notNeeded},
	{name: "validate-exec-graphs", note: notNeeded},
	{name: "print-blocked-execs", note: "blocked executions are counted, not printed"},
	{name: "print-stamps", note: "events of a printed execution have no stamps"},
	{name: "color-accesses", note: "what is printed is the same"},
	{name: "dot-print-only-client-events", note: "changes only the picture"},
	{name: "v0", note: "what is printed is the same"},
	{name: "v1", note: "what is printed is the same"},
	{name: "v2", note: "what is printed is the same"},
	{name: "v3", note: "what is printed is the same"},
	{name: "v4", note: "what is printed is the same"},
	{name: "v5", note: "what is printed is the same"},
	{name: "v6", note: "what is printed is the same"},
	{name: "bound=-1", note: "executions are not bounded without --bound"},
	{name: "bound", value: "N", note: "GenMC counts rounds or context switches: ravel check --bound N counts thread switches and relaxations", wrong: true},
	{name: "bound-type", value: "TYPE", note: "ravel check --bound N counts thread switches and relaxations", wrong: true},
	{name: "bounds-histogram", note: notThere, wrong: true},
	{name: "wrc11", note: notThere + ": --model rc11 is the nearest", wrong: true},
	{name: "weakra", note: notThere + ": --model ra is the nearest", wrong: true},
	{name: "no-unroll", value: "FUNCTION", note: notThere + ": --unroll bounds all loops", wrong: true},
	{name: "program-entry-function", value: "FUNCTION", note: notThere + ": call the function from main", wrong: true},
	{name: "transform-output", value: "FILE", note: "ravel check --print-ir prints the program as the engines see it", wrong: true},
	{name: "output-llvm-before", value: "FILE", note: "ravel check --print-ir prints the program as the engines see it", wrong: true},
	{name: "output-llvm-after", value: "FILE", note: "ravel check --print-ir prints the program as the engines see it", wrong: true},
	{name: "library-specs", value: "FILE", note: notThere, wrong: true},
	{name: "collect-lin-spec", value: "FILE", note: notThere, wrong: true},
	{name: "check-lin-spec", value: "FILE", note: notThere, wrong: true},
	{name: "max-hint-size", value: "N", note: notThere, wrong: true},
	{name: "relinche-debug", note: notThere, wrong: true},
	{name: "persevere", note: notThere + ": files are not modelled", wrong: true},
	{name: "check-persistency-point", value: "POINT", note: notThere + ": files are not modelled", wrong: true},
	{name: "block-size", value: "N", note: notThere + ": files are not modelled", wrong: true},
	{name: "max-file-size", value: "N", note: notThere + ": files are not modelled", wrong: true},
	{name: "journal-data", value: "MODE", note: notThere + ": files are not modelled", wrong: true},
	{name: "disable-delalloc", note: notThere + ": files are not modelled", wrong: true},
	{name: "extra-input", value: "FILE"},
}

func newGenMC() *cobra.Command {
	return &cobra.Command{
		Use:   "genmc [GENMC-OPTIONS] [-- COMPILER-FLAGS] FILE",
		Short: "Run ravel check with the command line of GenMC",
		Long: `Run ravel check with the options of GenMC, so that scripts can switch.
The command that runs is printed first, and which options have no effect.
An option that would change what is verified, and that ravel does not have, is an error.
ravel genmc --help lists all options with ours beside them.

The exit status is that of ravel check.`,
		Example:            "  ravel genmc -imm -unroll=3 -- -DN=2 queue.c",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
				fmt.Println(cmd.Long)
				return genmcHelp(os.Stdout)
			}
			root := newRoot()
			if slices.Contains([]string{"-version", "--version"}, args[0]) {
				root.SetArgs([]string{"--version"})
				return root.Execute()
			}
			ours, notes, err := fromGenMC(args)
			if err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, "ravel "+strings.Join(ours, " "))
			for _, n := range notes {
				fmt.Fprintln(os.Stderr, "note: "+n)
			}
			root.SetArgs(ours)
			return root.Execute()
		},
	}
}

// genmcHelp prints the options of GenMC and ours.
func genmcHelp(w io.Writer) error {
	for _, f := range genmcFlags {
		name := "-" + f.name
		if f.value != "" {
			name += "=" + f.value
		}
		what := strings.Join(f.flags, " ") + f.value
		switch {
		case f.name == "extra-input":
			what = "a further file of ravel check"
		case len(f.flags) == 0 && f.wrong:
			what = "refused: " + f.note
		case len(f.flags) == 0:
			what = "no effect: " + f.note
		}
		if _, err := fmt.Fprintf(w, "  %-42s %s\n", name, what); err != nil {
			return err
		}
	}
	return nil
}

// fromGenMC returns the arguments of ravel for those of genmc, and what is to be said about options without effect.
func fromGenMC(args []string) (ours, notes []string, err error) {
	var files, rest []string
	var model string // the option that chose it
	dash := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		if dash || !strings.HasPrefix(a, "-") || a == "-" {
			rest = append(rest, a)
			continue
		}
		if a == "--" {
			dash = true
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(a, "-"), "=")
		f, err := findGenMC(name)
		if err != nil {
			return nil, nil, err
		}
		if f.value != "" && !hasValue {
			if i++; i == len(args) {
				return nil, nil, fmt.Errorf("-%s needs a value: -%s=%s", name, name, f.value)
			}
			value = args[i]
		}
		if f.value == "" && hasValue {
			on, err := strconv.ParseBool(value) // LLVM has the same words, but for t and f
			if err != nil {
				return nil, nil, fmt.Errorf("-%s takes no value, or true or false", name)
			}
			if !on {
				continue
			}
		}
		if f.value != "" {
			if special, ok := lookupGenMC(name + "=" + value); ok {
				f, name = special, special.name
			}
		}
		switch {
		case f.wrong:
			return nil, nil, fmt.Errorf("-%s: %s", name, f.note)
		case name == "extra-input":
			files = append(files, value)
		case len(f.flags) == 0:
			notes = append(notes, fmt.Sprintf("-%s has no effect: %s", name, f.note))
		}
		for _, flag := range f.flags {
			if strings.HasPrefix(flag, "--model=") {
				if model != "" && model != name {
					return nil, nil, fmt.Errorf("-%s and -%s: which model?", model, name)
				}
				model = name
			}
			if strings.HasSuffix(flag, "=") {
				flag += value
			}
			if !slices.Contains(ours, flag) {
				ours = append(ours, flag)
			}
		}
	}
	if len(rest) == 0 {
		return nil, nil, errors.New("which file? ravel genmc [GENMC-OPTIONS] [-- COMPILER-FLAGS] FILE")
	}
	last := len(rest) - 1 // the others go to the compiler
	if strings.HasPrefix(rest[last], "-") {
		return nil, nil, fmt.Errorf("%s is no file: the file comes last, after the flags of the compiler", rest[last])
	}
	ours = append(append([]string{"check"}, ours...), rest[last])
	ours = append(ours, files...)
	if last > 0 {
		ours = append(append(ours, "--"), rest[:last]...)
	}
	return ours, notes, nil
}

// findGenMC returns the option of a name.
func findGenMC(name string) (genmcFlag, error) {
	if f, ok := lookupGenMC(name); ok {
		return f, nil
	}
	var names []string
	for _, f := range genmcFlags {
		names = append(names, "-"+f.name)
	}
	msg := fmt.Sprintf("GenMC has no option -%s that ravel knows", name)
	if s := spell.Closest("-"+name, names); s != "" {
		msg += fmt.Sprintf(": did you mean %s?", s)
	}
	return genmcFlag{}, fmt.Errorf("%s\nsee ravel genmc --help", msg)
}

func lookupGenMC(name string) (genmcFlag, bool) {
	i := slices.IndexFunc(genmcFlags, func(f genmcFlag) bool { return f.name == name })
	if i < 0 {
		return genmcFlag{}, false
	}
	return genmcFlags[i], true
}
