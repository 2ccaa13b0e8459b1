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
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ravel/internal/catmodel"
	"ravel/internal/check"
	"ravel/internal/explore"
	"ravel/internal/limits"
	"ravel/internal/machine"
	"ravel/internal/memmodel"
	"ravel/internal/model"
	"ravel/internal/report"
	"ravel/internal/states"
)

// checkFlags are the flags of ravel check as given.
type checkFlags struct {
	model, engine, coherence, mapping string
	checker                           string
	variants                          []string
	clang                             string
	volatile                          string
	unroll, workers, maxEvents        int
	timeout                           time.Duration
	maxMemory                         string
	keepGoing, noRace, noMemory       bool
	overflow                          bool
	liveness, spinAssume              bool
	spurious, noSpurious              bool
	leaks, noReuse                    bool
	symmetry                          bool
	printExecutions, json, estimate   bool
	seed                              uint64
	explain, suggest                  bool
	sarif, html, dot, svg             string
	cpuProfile                        string

	// Of the explicit-state engine.
	buffer                          int
	por                             bool
	ltl                             string
	statesAUT, statesDOT, statesSVG string
	spill                           string
	irTrace                         bool
}

// engineFlags are the flags that only one engine has.
var engineFlags = map[string][]string{
	"graphs": {"checker", "variant", "coherence", "spin-assume", "print-executions", "estimate", "seed", "explain", "suggest", "max-events"},
	"states": {"buffer", "por", "ltl", "states-aut", "states-dot", "states-svg", "spill", "ir-trace"},
}

func newCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE... [flags] [-- COMPILER-FLAGS]",
		Short: "Verify a C, C++, Rust or LLVM IR program under a memory model",
		Long: `Verify a program under a memory model, by exploring every execution that the model
allows. FILE is C, C++ or Rust source, LLVM text (.ll) or bitcode (.bc); several
files are linked. Arguments after -- go to the compiler.

Exit status: 0 verified, 1 an error was found, 2 wrong use or bad input,
3 not decided (a bound, the time or the memory ran out, or Ctrl-C).`,
		Example: `  ravel check queue.c
  ravel check --model tso --json queue.c -- -DN=3
  ravel check --model jam21 --checker vector queue.c
  ravel check --unroll 4 --svg bug.svg lock.cpp
  ravel check --model my.cat queue.c
  ravel check --suggest queue.c
  ravel check --engine states --model all --liveness peterson.c
  ravel check --engine states --model sc --ltl 'G(request -> F grant)' server.c`,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, compilerFlags := args, []string(nil)
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				files, compilerFlags = args[:n], args[n:]
			}
			if len(files) == 0 {
				return errors.New("which file? see ravel check --help")
			}
			if err := f.setEngine(cmd.Flags()); err != nil {
				return err
			}
			return f.run(files, compilerFlags)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.model, "model", "rc11", "memory model, or several with commas between: "+strings.Join(memmodel.Names(memmodel.Graphs), ", ")+"; or `NAME|FILE.cat`, a model in cat: a file, or one of ours; of --engine states: "+strings.Join(memmodel.Names(memmodel.States), ", ")+", all")
	fl.StringVar(&f.engine, "engine", "graphs", "graphs: stateless exploration of execution graphs; states: explicit states with store buffers (its default model is all)")
	fl.StringVar(&f.coherence, "coherence", "total", "what makes two executions different: total (rf and co), observed (rf only)")
	fl.StringVar(&f.mapping, "mapping", "c11", "c11: compile access modes for a hardware model; raw: ignore them, except on fences")
	fl.StringVar(&f.checker, "checker", "", "how to check Java's models: "+strings.Join(model.Checkers, ", ")+" (default "+model.Checkers[0]+")")
	fl.StringSliceVar(&f.variants, "variant", nil, "`NAME` of a variant of the model, see ravel models NAME; several with commas between")
	fl.StringVar(&f.clang, "clang", "", "the clang to compile with (default: the newest on PATH)")
	fl.IntVar(&f.unroll, "unroll", 0, "bound every loop to `N` iterations; if a loop is cut, the verdict is bounded")
	fl.IntVar(&f.maxEvents, "max-events", 0, "graphs: give up on an execution with more than `N` events (default: 5,000,000; 100,000 with dependencies, 20,000 under xmm)")
	fl.IntVar(&f.workers, "workers", 0, "parallel workers (default: all cores)")
	fl.DurationVar(&f.timeout, "timeout", 0, "give up after this time, e.g. 30s")
	fl.StringVar(&f.maxMemory, "max-memory", "", "give up at this `SIZE`, e.g. 2G (default: 70% of what the machine, control groups and ulimit allow)")
	fl.BoolVar(&f.keepGoing, "keep-going", false, "report every distinct error, not only the first")
	fl.BoolVar(&f.noRace, "no-race-check", false, "do not check for data races")
	fl.BoolVar(&f.noMemory, "no-memory-check", false, "do not check memory accesses")
	fl.BoolVar(&f.overflow, "check-overflow", false, "signed integer overflow is an error")
	fl.StringVar(&f.volatile, "volatile", "plain", "what a volatile access is: plain, as in the languages; relaxed, a relaxed atomic access, as in the Linux kernel")
	fl.BoolVar(&f.liveness, "liveness", false, "endless spinning is an error; with --engine states, any fair endless execution is (livelock)")
	fl.BoolVar(&f.spinAssume, "spin-assume", true, "block a thread in a loop that only reads, instead of repeating the loop")
	fl.BoolVar(&f.leaks, "check-leaks", false, "allocated memory without a pointer to it is an error when the program ends")
	fl.BoolVar(&f.noReuse, "no-reuse", false, "never give freed memory to a new allocation")
	fl.BoolVar(&f.symmetry, "symmetry", true, "states: identify states that are equal up to a permutation of symmetric threads; graphs: explore one order of arrival at barriers")
	fl.BoolVar(&f.noSpurious, "no-spurious-cas", false, "weak compare-and-swaps never fail spuriously (by default they may)")
	fl.BoolVar(&f.spurious, "spurious-cas", true, "weak compare-and-swaps may fail spuriously: the default")
	_ = fl.MarkHidden("spurious-cas")
	fl.BoolVar(&f.printExecutions, "print-executions", false, "print every complete execution")
	fl.BoolVar(&f.explain, "explain", false, "with --model xmm: print the source of each execution with cycles, with the committed events marked")
	fl.BoolVar(&f.suggest, "suggest", false, "find memory orders that are missing, or stronger than needed")
	fl.BoolVar(&f.estimate, "estimate", false, "first estimate the number of executions, by a random sample")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the random sample of --estimate")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	fl.StringVar(&f.sarif, "sarif", "", "write the errors to `FILE` as SARIF")
	fl.StringVar(&f.html, "html", "", "write the result to `FILE` as an HTML page")
	fl.StringVar(&f.dot, "dot", "", "write the counterexample to `FILE` for Graphviz")
	fl.StringVar(&f.svg, "svg", "", "write the counterexample to `FILE` as a picture")
	fl.IntVar(&f.buffer, "buffer", 5, "states: `N` entries in the buffer of each thread; if one gets full, the verdict is bounded")
	fl.BoolVar(&f.por, "por", true, "states: merge steps that are independent of other threads (turn it off for counting)")
	fl.StringVar(&f.ltl, "ltl", "", "states: a `FORMULA` that every fair execution must satisfy: x == 1, flag[0], T1@23 (thread 1 is at line 23), T1@f (in function f), T1@end, ! && || -> <-> G F X U R W")
	fl.StringVar(&f.statesAUT, "states-aut", "", "states: write the state space to `FILE` for mCRL2, CADP and LTSmin (.aut)")
	fl.StringVar(&f.statesDOT, "states-dot", "", "states: write the state space to `FILE` for Graphviz")
	fl.BoolVar(&f.irTrace, "ir-trace", false, "states: print the trace of an error as LLVM IR, with the contents of the buffers")
	fl.StringVar(&f.spill, "spill", "", "states: keep large tables in files in `FOLDER`, where they don't count for --max-memory")
	fl.StringVar(&f.statesSVG, "states-svg", "", "states: draw the state space, if it is small, in `FILE`")
	fl.StringVar(&f.cpuProfile, "cpu-profile", "", "write a CPU profile to `FILE`")
	_ = fl.MarkHidden("cpu-profile")
	completeModels(cmd, "model", memmodel.Graphs, memmodel.States)
	return cmd
}

// config turns the flags into what check needs.
func (f *checkFlags) config(files, compilerFlags []string) (check.Config, error) {
	var c check.Config
	if err := oneOf("--coherence", f.coherence, "total", "observed"); err != nil {
		return c, err
	}
	if err := oneOf("--mapping", f.mapping, "c11", "raw"); err != nil {
		return c, err
	}
	if err := oneOf("--volatile", f.volatile, "plain", "relaxed"); err != nil {
		return c, err
	}
	memory, err := f.memory()
	if err != nil {
		return c, err
	}
	c = check.Config{Files: files, CompilerFlags: compilerFlags, Clang: f.clang, Version: version, Suggest: f.suggest}
	if f.engine == "states" {
		c.States, err = f.states(memory)
		return c, err
	}
	if f.model == "all" {
		return c, errors.New("--model all is for --engine states; several models have commas between")
	}
	m, err := memmodel.Checker(f.model, model.Options{Raw: f.mapping == "raw", Checker: f.checker, Variants: f.variants})
	if err != nil {
		return c, err
	}
	if f.coherence == "observed" && catmodel.IsFile(f.model) {
		return c, errors.New("--coherence observed is not supported with a model in cat")
	}
	c.Explore = explore.Options{
		Model:         m,
		Machine:       machine.Options{Unroll: f.unroll, SpinAssume: f.spinAssume, Overflow: f.overflow, Relaxed: f.volatile == "relaxed"},
		Workers:       f.workers,
		RaceCheck:     !f.noRace,
		MemoryCheck:   !f.noMemory,
		Liveness:      f.liveness,
		NoSpuriousCAS: f.noSpurious || !f.spurious,
		NoReuse:       f.noReuse,
		LeakCheck:     f.leaks,
		Symmetry:      f.symmetry,
		Observed:      f.coherence == "observed",
		KeepGoing:     f.keepGoing,
		MaxEvents:     f.maxEvents,
		MaxMemory:     memory,
		Timeout:       f.timeout,
	}
	return c, nil
}

// memory returns how much memory the run may take.
func (f *checkFlags) memory() (int64, error) {
	if f.maxMemory == "" {
		return limits.Default().Bytes, nil
	}
	return parseSize(f.maxMemory)
}

// run checks the program under each of the models asked for.
func (f *checkFlags) run(files, compilerFlags []string) error {
	if names := strings.Split(f.model, ","); len(names) > 1 {
		return f.runSeveral(names, files, compilerFlags)
	}
	res, err := f.check(files, compilerFlags)
	if err != nil {
		return err
	}
	if err := f.write(res); err != nil {
		return err
	}
	if s := res.Verdict.ExitStatus(); s != 0 {
		return statusError(s)
	}
	return nil
}

// check checks the program under one model.
func (f *checkFlags) check(files, compilerFlags []string) (*report.Result, error) {
	c, err := f.config(files, compilerFlags)
	if err != nil {
		return nil, err
	}
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
	if f.printExecutions {
		c.OnExecution = func(title string, x *report.Execution) error {
			return report.WriteExecution(os.Stdout, title, x, report.OptionsFor(os.Stdout))
		}
	}
	if f.explain {
		if f.model != model.XMM {
			return nil, fmt.Errorf("--explain tells where executions with cycles come from, with --model %s", model.XMM)
		}
		c.OnReexecution = func(title string, x *report.Execution) error {
			return report.WriteExecution(os.Stdout, title, x, report.OptionsFor(os.Stdout))
		}
	}
	if f.estimate {
		c.OnEstimate = func(e explore.Estimate) { fmt.Fprintln(os.Stderr, "estimate:", e) }
		c.Seed = f.seed
	}
	var sample sampler
	c.Explore.OnProgress = sample.set
	c.Explore.Interrupted = interrupted()
	if c.States != nil {
		c.States.Options.Interrupted = c.Explore.Interrupted
		c.States.Options.OnProgress = sample.setStates
	}
	if memory, err := f.memory(); err == nil && memory > 0 && f.maxMemory == "" {
		debug.SetMemoryLimit(memory + memory/4) // collect garbage more often when the machine has little left
	}
	progress := report.StartProgress(os.Stderr, sample.get)
	res, err := check.Run(c)
	progress.Stop()
	return res, err
}

// interrupted returns a function that reports whether the user wants to stop. The result so far is printed then. A second
// Ctrl-C kills the process.
var interrupted = sync.OnceValue(func() func() bool {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return func() bool { return ctx.Err() != nil }
})

// write prints the result in the forms asked for.
func (f *checkFlags) write(res *report.Result) error {
	if err := f.writeFiles(res); err != nil {
		return err
	}
	if f.json {
		return report.WriteJSON(os.Stdout, res)
	}
	return report.WriteText(os.Stdout, res, report.OptionsFor(os.Stdout))
}

// writeFiles writes the result to the files asked for.
func (f *checkFlags) writeFiles(res *report.Result) error {
	for _, o := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{f.sarif, func(w io.Writer) error { return report.WriteSARIF(w, res, report.Options{}) }},
		{f.html, func(w io.Writer) error { return report.WriteHTML(w, res, report.Options{}) }},
		{f.dot, func(w io.Writer) error { return report.WriteDOT(w, title(res), counterexample(res)) }},
		{f.svg, func(w io.Writer) error { return report.WriteSVG(w, title(res), counterexample(res)) }},
	} {
		if o.file == "" || counterexample(res) == nil && (o.file == f.dot || o.file == f.svg) {
			continue
		}
		if err := writeFile(o.file, o.write); err != nil {
			return err
		}
	}
	return nil
}

// counterexample returns the execution of the first error, nil if there is none.
func counterexample(res *report.Result) *report.Execution {
	if len(res.Errors) == 0 {
		return nil
	}
	return res.Errors[0].Marked()
}

func title(res *report.Result) string {
	e := res.Errors[0]
	return fmt.Sprintf("%s: %s (%s)", e.Location, e.Message, res.Model)
}

// A sampler keeps how far the exploration is, for the progress line.
type sampler struct {
	mu sync.Mutex
	s  report.Sample

	before, then report.Sample // at a quarter and at half of what is done now, or less
}

// set notes how far the exploration is. The share is a guess that is good only for trees whose branches are alike, so the total is told only if it would have been
// about the same when half as much, and a quarter, was done.
func (s *sampler) set(n explore.Counts, share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := report.Sample{Done: n.Complete + n.Blocked}
	if share > 0 {
		now.Total = float64(now.Done) / share
	}
	if now.Done >= 2*s.then.Done {
		s.before, s.then = s.then, now
	}
	s.s = report.Sample{Done: now.Done}
	if like(now.Total, s.then.Total) && like(now.Total, s.before.Total) {
		s.s.Total = now.Total
	}
}

// like reports whether two estimates agree.
func like(a, b float64) bool { return a > 0 && b > 0 && a < 1.3*b && b < 1.3*a }

func (s *sampler) setStates(n states.Counts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.s = report.Sample{Done: n.Stored, Noun: "state"}
}

func (s *sampler) get() report.Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.s
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
