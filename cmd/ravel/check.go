package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ravel"
)

// checkFlags are the flags of ravel check as given.
type checkFlags struct {
	p     ravel.Program
	cargo ravel.Cargo
	o     ravel.CheckOptions

	engine, maxMemory, language     string
	spinAssume, spurious            bool
	symmetry, por                   bool
	printExecutions, json, estimate bool
	printIR, explain                bool
	files                           map[string]*string // by format
	statesAUT, statesDOT, statesSVG string
	autLabels                       string
	cpuProfile                      string
	noCache, verbose, fullTrace     bool
	away                            away
}

// engineFlags are the flags that only one engine has.
var engineFlags = map[string][]string{
	"graphs": {"checker", "coherence", "spin-assume", "print-executions", "estimate", "seed", "explain", "max-events", "hunt", "bound"},
	"states": {"buffer", "por", "ltl", "states-aut", "aut-labels", "states-dot", "states-svg", "spill", "ir-trace"},
}

func newCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE... [flags] [-- COMPILER-FLAGS]",
		Short: "Verify a C, C++, Rust, Java or LLVM IR program under a memory model",
		Long: `Verify a program under a memory model, by exploring every execution that the model
allows. FILE is one of these; several are linked:
  - C, C++ or Rust source, LLVM text (.ll) or bitcode (.bc)
  - Java source, .class files or a .jar
  - an object file or an archive with bitcode (clang -flto)
  - a folder: its C and C++ sources, without those of folders in it
  - compile_commands.json (CMake, Bear): all files that it compiles, each with its own
    flags, or only those that are named beside it
  - Cargo.toml: the binary, or what --bin, --example or --test chooses
  - with --language, - for the standard input
Arguments after -- go to the compiler. If there is C and C++, each takes its own -std=.

Exit status: 0 verified, 1 an error was found, 2 wrong use or bad input,
3 not decided (a bound, the time or the memory ran out, or Ctrl-C).`,
		Example: `  ravel check queue.c
  ravel check --model tso --json queue.c -- -DN=3
  ravel check build/compile_commands.json test/queue_test.cpp src/queue.c
  ravel check --model jam21 --checker vector queue.c
  ravel check --unroll 4 --svg bug.svg lock.cpp
  ravel check --model my.cat queue.c
  ravel check --suggest queue.c
  ravel check --checkpoint run1 queue.c; ravel check --resume run1
  ravel check --cluster nats://server:4222 queue.c
  ravel check --engine states --model all --liveness peterson.c
  ravel check --engine states --model sc --ltl 'G(request -> F grant)' server.c`,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, compilerFlags := args, []string(nil)
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				files, compilerFlags = args[:n], args[n:]
			}
			if f.away.resume != "" {
				return f.goOn(cmd.Flags(), args)
			}
			if len(files) == 0 {
				return errors.New("which file? see ravel check --help")
			}
			if err := f.setEngine(cmd.Flags()); err != nil {
				return err
			}
			if err := f.away.check(&f, cmd.Flags()); err != nil {
				return err
			}
			if err := f.open("", files, compilerFlags); err != nil {
				return err
			}
			return f.run()
		},
	}
	f.define(cmd.Flags())
	f.away.define(cmd.Flags())
	completeModels(cmd, "model", ravel.Graphs, ravel.States)
	return cmd
}

// open sets the program.
func (f *checkFlags) open(dir string, files, compilerFlags []string) error {
	clang := f.p.Clang
	stdin := slices.Contains(files, "-")
	switch {
	case stdin && f.language == "":
		return errors.New("- is the standard input: say with --language what it is (c, c++, rust, java or llvm)")
	case !stdin && f.language != "":
		return errors.New("--language is for the standard input (-)")
	}
	var err error
	f.cargo.Flags = compilerFlags
	if f.p, err = ravel.Open(interruption(), dir, f.cargo, slices.DeleteFunc(slices.Clone(files), func(n string) bool { return n == "-" })...); err != nil {
		return err
	}
	if stdin {
		source, err := ravel.FromStdin(os.Stdin, f.language)
		if err != nil {
			return err
		}
		f.p.Files = append(f.p.Files, source)
	}
	f.p.Clang, f.p.CompilerFlags, f.p.Cache = clang, compilerFlags, !f.noCache
	if f.o.Model == "" {
		f.o.Model = ravel.DefaultModel(f.p)
	}
	return nil
}

// style is that of texts for the standard output.
func (f *checkFlags) style() ravel.Style { return f.dress(ravel.StyleFor(os.Stdout, f.p.Files...)) }

// dress sets what flags say about texts.
func (f *checkFlags) dress(s ravel.Style) ravel.Style {
	s.Full, s.Verbose = f.fullTrace, f.verbose
	return s
}

// define makes the flags.
func (f *checkFlags) define(fl *pflag.FlagSet) {
	fl.StringVar(&f.o.Model, "model", "", "memory model (default rc11, for Java jam21), or several with commas between: "+strings.Join(ravel.ModelNames(ravel.Graphs), ", ")+"; or `NAME|FILE.cat`, a model in cat: a file, or one of ours; of --engine states: "+strings.Join(ravel.ModelNames(ravel.States), ", ")+", all")
	fl.StringVar(&f.engine, "engine", "graphs", "graphs: stateless exploration of execution graphs; states: explicit states with store buffers (its default model is all)")
	fl.StringVar(&f.o.Coherence, "coherence", "total", "what makes two executions different: total (rf and co), observed (rf only)")
	fl.StringVar(&f.o.Mapping, "mapping", "c11", "c11: compile access modes for a hardware model; raw: ignore them, except on fences")
	fl.StringVar(&f.o.Checker, "checker", "", "how to check Java's models: "+"order, vector, relation (default order)")
	fl.StringSliceVar(&f.o.Variants, "variant", nil, "`NAME` of a variant of the model, see ravel models NAME; several with commas between")
	fl.StringVar(&f.p.Clang, "clang", "", "the clang to compile with (default: the newest on PATH)")
	fl.BoolVar(&f.noCache, "no-cache", false, "compile everything anew, and keep nothing in the user's cache folder")
	fl.StringVar(&f.language, "language", "", "`NAME` of the language of the standard input: c, c++, rust, java or llvm")
	fl.StringVar(&f.cargo.Bin, "bin", "", "with Cargo.toml: check the binary `NAME`")
	fl.StringVar(&f.cargo.Example, "example", "", "with Cargo.toml: check the example `NAME`")
	fl.StringVar(&f.cargo.Package, "package", "", "with Cargo.toml: only the package `NAME` of the workspace")
	fl.StringSliceVar(&f.cargo.Features, "features", nil, "with Cargo.toml: build with the features `NAMES`, with commas between")
	fl.BoolVar(&f.cargo.AllFeatures, "all-features", false, "with Cargo.toml: build with all features")
	fl.BoolVar(&f.cargo.NoDefault, "no-default-features", false, "with Cargo.toml: build without the default features")
	fl.StringVar(&f.cargo.Test, "test", "", "with Cargo.toml: check the function `NAME` that is marked #[test], e.g. tests::push")
	fl.IntVar(&f.o.Unroll, "unroll", 0, "bound every loop to `N` iterations; if a loop is cut, the verdict is bounded")
	fl.IntVar(&f.o.MaxEvents, "max-events", 0, "graphs: give up on an execution with more than `N` events (default: 5,000,000; 100,000 with dependencies, 20,000 under xmm)")
	fl.IntVar(&f.o.Workers, "workers", 0, "parallel workers (default: all cores)")
	fl.DurationVar(&f.o.Timeout, "timeout", 0, "give up after this time, e.g. 30s")
	fl.StringVar(&f.maxMemory, "max-memory", "", "give up at this `SIZE`, e.g. 2G (default: 70% of what the machine, control groups and ulimit allow)")
	fl.BoolVar(&f.o.KeepGoing, "keep-going", false, "report every distinct error, not only the first")
	fl.BoolVar(&f.o.NoRaceCheck, "no-race-check", false, "do not check for data races")
	fl.BoolVar(&f.o.NoMemoryCheck, "no-memory-check", false, "do not check memory accesses")
	fl.BoolVar(&f.o.CheckOverflow, "check-overflow", false, "signed integer overflow is an error")
	fl.StringVar(&f.o.Volatile, "volatile", "plain", "what a volatile access is: plain, as in the languages; relaxed, a relaxed atomic access, as in the Linux kernel")
	fl.BoolVar(&f.o.Liveness, "liveness", false, "endless spinning is an error; with --engine states, any fair endless execution is (livelock)")
	fl.BoolVar(&f.spinAssume, "spin-assume", true, "block a thread in a loop that only reads, instead of repeating the loop")
	fl.BoolVar(&f.o.CheckLeaks, "check-leaks", false, "allocated memory without a pointer to it is an error when the program ends")
	fl.BoolVar(&f.o.NoReuse, "no-reuse", false, "never give freed memory to a new allocation")
	fl.BoolVar(&f.symmetry, "symmetry", true, "explore once what differs only by a permutation of equal threads; graphs: also what differs only in the order of arrival at barriers, or in waits for signals (turn it off for counting)")
	fl.BoolVar(&f.o.NoSpuriousCAS, "no-spurious-cas", false, "weak compare-and-swaps never fail spuriously (by default they may)")
	fl.BoolVar(&f.o.NoSpuriousWakeups, "no-spurious-wakeups", false, "waits for condition variables never end without a signal (by default they may)")
	fl.BoolVar(&f.spurious, "spurious-cas", true, "weak compare-and-swaps may fail spuriously: the default")
	_ = fl.MarkHidden("spurious-cas")
	fl.BoolVar(&f.printExecutions, "print-executions", false, "print every complete execution")
	fl.BoolVar(&f.explain, "explain", false, "with --model xmm, jam21 or jam19: print the source of each execution with cycles, with the committed events marked")
	fl.BoolVar(&f.o.Suggest, "suggest", false, "find memory orders that are missing, or stronger than needed; states: also fences that are missing")
	fl.BoolVar(&f.estimate, "estimate", false, "first estimate the number of executions, by a random sample")
	fl.IntVar(&f.o.Bound, "bound", 0, "explore executions with few thread switches and relaxations first, and those with at most this number only")
	fl.DurationVar(&f.o.Hunt, "hunt", 0, "look for errors by random walks for this time, e.g. 60s, instead of exploring every execution")
	fl.Uint64Var(&f.o.Seed, "seed", 1, "seed of the random walks of --hunt and of the sample of --estimate")
	fl.BoolVar(&f.fullTrace, "full-trace", false, "show every step of the execution that shows an error; by default, equal rounds of loops, library code and what is far from the error are folded")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "print what the compiler says, also if there is no error")
	fl.BoolVar(&f.printIR, "print-ir", false, "print the program as the engines see it, after a check of its form, and do not verify it")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	f.files = map[string]*string{}
	for _, format := range ravel.Formats() {
		f.files[format.Name] = fl.String(format.Name, "", format.Usage)
	}
	fl.IntVar(&f.o.Buffer, "buffer", 5, "states: `N` entries in the buffer of each thread; if one gets full, the verdict is bounded")
	fl.BoolVar(&f.por, "por", true, "states: merge steps that are independent of other threads (turn it off for counting)")
	fl.StringVar(&f.o.LTL, "ltl", "", "states: a `FORMULA` that every fair execution must satisfy: x == 1, flag[0], T1@23 (thread 1 is at line 23), T1@f (in function f), T1@end, ! && || -> <-> G F X U R W")
	fl.StringVar(&f.statesAUT, "states-aut", "", "states: write the state space to `FILE` for mCRL2, CADP and LTSmin (.aut)")
	fl.StringVar(&f.autLabels, "aut-labels", "all", "states: labels of --states-aut: all; tau, all silent; last, all silent and fini where the program ends")
	fl.StringVar(&f.statesDOT, "states-dot", "", "states: write the state space to `FILE` for Graphviz")
	fl.BoolVar(&f.o.IRTrace, "ir-trace", false, "states: print the trace of an error as LLVM IR, with the contents of the buffers")
	fl.StringVar(&f.o.Spill, "spill", "", "states: keep large tables in files in `FOLDER`, where they don't count for --max-memory")
	fl.StringVar(&f.statesSVG, "states-svg", "", "states: draw the state space, if it is small, in `FILE`")
	fl.StringVar(&f.cpuProfile, "cpu-profile", "", "write a CPU profile to `FILE`")
	_ = fl.MarkHidden("cpu-profile")
}

// setEngine checks that the flags given are those of the engine, and sets the options that are not flags themselves.
func (f *checkFlags) setEngine(fl *pflag.FlagSet) error {
	if err := oneOf("--engine", f.engine, "graphs", "states"); err != nil {
		return err
	}
	if err := oneOf("--aut-labels", f.autLabels, "all", "tau", "last"); err != nil {
		return err
	}
	if fl.Changed("aut-labels") && f.statesAUT == "" {
		return errors.New("--aut-labels is for --states-aut")
	}
	for engine, names := range engineFlags {
		if engine == f.engine {
			continue
		}
		for _, name := range names {
			if fl.Changed(name) {
				return fmt.Errorf("--%s is for --engine %s; this is --engine %s", name, engine, f.engine)
			}
		}
	}
	if fl.Changed("hunt") && f.o.Hunt <= 0 {
		return fmt.Errorf("--hunt %v: the time to look for errors, such as 60s", f.o.Hunt)
	}
	if fl.Changed("bound") && f.o.Bound < 1 {
		return fmt.Errorf("--bound %d: the bound is at least 1", f.o.Bound)
	}
	if fl.Changed("seed") && !f.estimate && f.o.Hunt == 0 {
		return errors.New("--seed is for --hunt and --estimate")
	}
	f.o.Engine = ravel.Engine(f.engine)
	if f.o.Engine == ravel.States && !fl.Changed("model") {
		f.o.Model = "all"
	}
	if f.o.Buffer < 1 {
		return fmt.Errorf("--buffer %d: a buffer has at least 1 entry", f.o.Buffer)
	}
	f.o.NoSpinAssume, f.o.NoSymmetry, f.o.NoPOR = !f.spinAssume, !f.symmetry, !f.por
	f.o.NoSpuriousCAS = f.o.NoSpuriousCAS || !f.spurious
	var err error
	if f.maxMemory != "" {
		f.o.MaxMemory, err = parseSize(f.maxMemory)
	}
	f.callbacks()
	return err
}

// callbacks sets what is printed during a run.
func (f *checkFlags) callbacks() {
	show := func(title string, x *ravel.Execution) error {
		return ravel.WriteExecution(os.Stdout, title, x, f.dress(ravel.StyleFor(os.Stdout)))
	}
	if f.printExecutions {
		f.o.OnExecution = show
	}
	if f.explain {
		f.o.OnReexecution = show
	}
	if f.estimate {
		f.o.OnEstimate = func(e string) { fmt.Fprintln(os.Stderr, "estimate:", e) }
	}
	if f.statesAUT+f.statesDOT+f.statesSVG != "" {
		f.o.OnSpace = func(space *ravel.StateSpace) error {
			aut := space.WriteAUT
			if f.autLabels != "all" {
				aut = func(w io.Writer) error { return space.WriteTau(w, f.autLabels == "last") }
			}
			return writeFiles(output{f.statesAUT, aut}, output{f.statesDOT, space.WriteDOT}, output{f.statesSVG, space.WriteSVG})
		}
	}
}

// run checks the program under each of the models asked for.
func (f *checkFlags) run() error {
	if f.printIR {
		text, err := ravel.IR(interruption(), f.p)
		if err == nil {
			fmt.Print(text)
		}
		return err
	}
	if names := strings.Split(f.o.Model, ","); len(names) > 1 {
		return f.runSeveral(names)
	}
	res, err := f.check(f.o)
	if err != nil {
		return err
	}
	if err := f.write(res); err != nil {
		return err
	}
	f.away.told(res)
	if s := res.Verdict.ExitStatus(); s != 0 {
		return statusError(s)
	}
	return nil
}

// check checks the program under one model.
func (f *checkFlags) check(o ravel.CheckOptions) (*ravel.Result, error) {
	if f.cpuProfile != "" {
		out, err := os.Create(f.cpuProfile)
		if err != nil {
			return nil, err
		}
		defer out.Close()
		if err := pprof.StartCPUProfile(out); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	if memory := ravel.DefaultMemory(); memory > 0 && o.MaxMemory == 0 {
		debug.SetMemoryLimit(memory + memory/4) // collect garbage more often when the machine has little left
	}
	on, stop := ravel.ShowProgress(os.Stderr)
	defer stop()
	o.OnProgress = on
	if f.away.used() {
		end, err := f.away.begin(f, &o)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	return ravel.Check(interruption(), f.p, o)
}

// interruption ends when the user wants to stop: what was found until then is printed. A second Ctrl-C kills the process.
var interruption = sync.OnceValue(func() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
})

// runSeveral checks the program under several models: a line for each, then which is the strongest that breaks the program, and how.
func (f *checkFlags) runSeveral(names []string) error {
	if f.o.OnSpace != nil {
		return errors.New("--states-aut, --states-dot and --states-svg write the states of one model")
	}
	width := 0
	for _, n := range names {
		width = max(width, len(n))
	}
	var results []*ravel.Result
	for _, name := range names {
		one := f.o
		one.Model = name
		res, err := f.check(one)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		results = append(results, res)
		if f.json {
			if err := ravel.WriteJSON(os.Stdout, res); err != nil {
				return err
			}
			continue
		}
		fmt.Printf("%-*s  ", width, name)
		if err := ravel.WriteSummary(os.Stdout, res); err != nil {
			return err
		}
	}
	return f.conclude(names, results)
}

// conclude shows the error under the strongest model that has one, and returns the status of the worst result.
func (f *checkFlags) conclude(names []string, results []*ravel.Result) error {
	var broken []string
	status := 0
	for i, res := range results {
		if res.Verdict == ravel.Wrong {
			broken = append(broken, names[i])
		}
		if s := res.Verdict.ExitStatus(); status != ravel.Wrong.ExitStatus() && s != 0 {
			status = s
		}
	}
	show := results[0]
	if len(broken) > 0 {
		strongest := ravel.Strongest(broken)
		show = results[slices.Index(names, strongest[0])]
		if !f.json {
			fmt.Printf("\n%s\n\n", strongestWords(strongest))
		}
	}
	if err := f.writeFiles(show); err != nil {
		return err
	}
	if !f.json {
		if len(broken) > 0 {
			if err := ravel.WriteText(os.Stdout, show, f.style()); err != nil {
				return err
			}
		} else {
			printWarnings(results)
		}
	}
	if status != 0 {
		return statusError(status)
	}
	return nil
}

// strongestWords says which of the models break the program first.
func strongestWords(names []string) string {
	if len(names) == 1 {
		return fmt.Sprintf("the strongest of these models that breaks the program is %s:", names[0])
	}
	return fmt.Sprintf("the strongest of these models that break the program are %s, none of which is stronger than the others; under %s:",
		strings.Join(names[:len(names)-1], ", ")+" and "+names[len(names)-1], names[0])
}

// printWarnings prints each warning once.
func printWarnings(results []*ravel.Result) {
	seen := map[string]bool{}
	for _, res := range results {
		for _, w := range res.Warnings {
			if !seen[w] {
				seen[w] = true
				fmt.Printf("warning: %s\n", w)
			}
		}
	}
}

// write prints the result in the forms asked for.
func (f *checkFlags) write(res *ravel.Result) error {
	if err := f.writeFiles(res); err != nil {
		return err
	}
	if f.json {
		return ravel.WriteJSON(os.Stdout, res)
	}
	return ravel.WriteText(os.Stdout, res, f.style())
}

// writeFiles writes the result to the files asked for.
func (f *checkFlags) writeFiles(res *ravel.Result) error {
	for _, format := range ravel.Formats() {
		if !format.For(res) {
			continue
		}
		if err := writeFiles(output{*f.files[format.Name], func(w io.Writer) error { return format.Write(w, res, f.dress(ravel.Style{})) }}); err != nil {
			return err
		}
	}
	return nil
}

// An output is a file to write, "" for none.
type output struct {
	file  string
	write func(io.Writer) error
}

func writeFiles(files ...output) error {
	for _, o := range files {
		if o.file != "" {
			if err := writeFile(o.file, o.write); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		os.Remove(name)
		return err
	}
	return f.Close()
}

// oneOf checks the value of a flag.
func oneOf(flag, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("%s %s: it takes %s", flag, value, strings.Join(allowed, " or "))
}

// parseSize reads a number of bytes with an optional K, M or G.
func parseSize(s string) (int64, error) {
	num, shift := strings.TrimSuffix(strings.ToUpper(s), "B"), 0
	for i, unit := range []string{"K", "M", "G", "T"} {
		if n, ok := strings.CutSuffix(num, unit); ok {
			num, shift = n, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil || n <= 0 || n > 1<<(62-shift) {
		return 0, fmt.Errorf("--max-memory %s: it takes a size such as 500M or 2G", s)
	}
	return n << shift, nil
}
