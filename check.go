package ravel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"ravel/internal/cache"
	"ravel/internal/check"
	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/frontend/jvm"
	"ravel/internal/frontend/llvm"
	"ravel/internal/ir"
	"ravel/internal/limits"
	"ravel/internal/machine"
	"ravel/internal/memmodel"
	"ravel/internal/model"
	"ravel/internal/orders"
	"ravel/internal/report"
	"ravel/internal/states"
)

// Version is the version in results. The command sets it.
var Version = "devel"

// A Program is what Check verifies.
type Program struct {
	Name          string   // in the result; "" is the names of the files
	Files         []Source // C, C++ or Rust source, text of LLVM IR (.ll), bitcode (.bc, or in .o and .a), or .java, .class and .jar; several are linked
	Headers       []Source // in memory, for #include directives of files that are
	CompilerFlags []string
	Clang         string   // "" is the newest on PATH
	Cache         bool     // keep what compilers make in the user's cache folder, and take it from there
	Dir           string   // folder that names of files and in flags are relative to; "" is the current one
	Notes         []string // become warnings of the result

	// Linked is a program that ravel has compiled and linked before, in its serialised form, instead of Files.
	Linked []byte

	// Sealed is for programs of strangers: all files are in memory, and compilers read nothing but these and the headers of the system.
	Sealed bool
}

// CheckOptions say how to verify a program. The zero value checks under the DefaultModel, and finds data races and memory errors.
type CheckOptions struct {
	Engine Engine // Graphs, which is the default, or States
	// Model is a name or a FILE.cat. The default of States is all, which says of each error which model is the strongest that has it.
	Model     string
	Mapping   string   // of access modes for a hardware model: c11 compiles them, which is the default, raw ignores them, except on fences
	Volatile  string   // what a volatile access is: plain, which is the default, or relaxed, a relaxed atomic access
	Coherence string   // what makes two executions different: total, which is the default, or observed
	Checker   string   // of Java's models: order, which is the default, vector or relation
	Variants  []string // of the model

	Unroll    int           // bound every loop; 0 is no bound
	MaxEvents int           // give up on longer executions; 0 is a default
	MaxMemory int64         // give up at this number of bytes; 0 is a share of what the machine has
	Timeout   time.Duration // of the exploration; 0 is none
	Workers   int           // 0 is one per core

	KeepGoing         bool // report every distinct error, not only the first
	NoRaceCheck       bool
	NoMemoryCheck     bool
	CheckOverflow     bool // signed overflow is an error
	CheckLeaks        bool
	Liveness          bool // endless spinning is an error; for States, any fair endless execution
	NoSpuriousCAS     bool // weak compare-and-swaps do not fail without a reason
	NoSpuriousWakeups bool // waits for condition variables do not end without a signal
	NoReuse           bool // freed memory is not allocated again
	NoSymmetry        bool // count every execution and state; by default, those that differ only by a permutation of equal threads, or in the order of arrival at barriers, or in waits for signals, are one
	NoSpinAssume      bool // repeat loops that only read
	Suggest           bool // find memory orders that are missing, or stronger than needed

	// Of States.
	Buffer  int    // entries of a thread's buffer, 0 is 5
	NoPOR   bool   // do not merge steps that are independent of other threads
	LTL     string // a formula that every fair execution must satisfy
	Spill   string // a folder for files with large tables
	IRTrace bool   // traces are in LLVM IR
	OnSpace func(*StateSpace) error

	// OnProgress is called now and then, by another goroutine.
	OnProgress func(Progress)
	// OnExecution is called with every complete execution, OnReexecution with those that executions with cycles come from, under xmm.
	OnExecution, OnReexecution func(title string, x *Execution) error
	// OnEstimate is called before the check with an estimate of the number of executions by a random sample.
	OnEstimate func(text string)

	// Hunt is how long to look for errors by random walks instead of exploring: for programs that are too large to finish. 0 is to explore.
	Hunt time.Duration
	Seed uint64 // of the walks and of the estimate
	// Bound is how many times an execution may deviate from running the threads one after the other. Those with fewer deviations are explored first. 0 is no bound.
	Bound int

	// Explorer explores execution graphs in place of this process. The command sets it, for --checkpoint and --cluster.
	Explorer func(context.Context, *ir.Program, explore.Options) (*explore.Result, error)
	// Keep returns where the exploration of states is kept. The command sets it, for --checkpoint.
	Keep func(*ir.Program) (*states.Checkpoint, error)
}

// Progress is how far a run has come: how many executions or states it has explored, and an estimate of how many there are, 0 if there is none.
type Progress = report.Sample

// A StateSpace is a graph of states, to be written to a file.
type StateSpace = states.LTS

// Results of Check.
type (
	// A Result says whether a program is right under a model, and which errors it has.
	Result = report.Result
	// An Error is one thing wrong with a program.
	Error = report.Error
	// A Location is a place in a source.
	Location = report.Location
	// A Related is another place that has to do with an error.
	Related = report.Related
	// A Step is one move of a trace that States found.
	Step = report.Step
	// Executions and StateCounts say how much was explored.
	Executions  = report.Executions
	StateCounts = report.States
	// A Verdict is the answer to the question whether a program is right under a model.
	Verdict = report.Verdict
	// A Suggestion is about memory orders that a program lacks or does not need.
	Suggestion = report.Suggestion
)

const (
	Verified = report.Verified // every execution was explored, and none is wrong
	Wrong    = report.Wrong    // an error was found
	Bounded  = report.Bounded  // there is no error up to a bound that cut something off
	Unknown  = report.Unknown  // the run was given up
)

// Check verifies a program. An error is about the input or the options, not about the behaviour of the program.
func Check(ctx context.Context, p Program, o CheckOptions) (*Result, error) {
	c, err := config(p, o)
	if err != nil {
		return nil, err
	}
	c.Ctx = ctx
	return check.Run(c)
}

// IR returns the program as the engines see it, in text. It has passed the check of its form.
func IR(ctx context.Context, p Program) (string, error) {
	c := program(p)
	c.Ctx = ctx
	return check.IR(c)
}

// LLVM returns the text of LLVM IR that compilers make of each file of a program in memory. Such texts can be checked where there is no compiler.
func LLVM(ctx context.Context, p Program) (map[string][]byte, error) {
	c := program(p)
	c.Ctx = ctx
	return check.LLVM(c)
}

// program returns the program as package check takes it.
func program(p Program) check.Config {
	c := check.Config{
		Name: p.Name, CompilerFlags: p.CompilerFlags, Clang: p.Clang, Dir: p.Dir, Notes: p.Notes, Sealed: p.Sealed, Version: Version, Units: map[string]llvm.Unit{},
	}
	if p.Cache && !p.Sealed { // what was compiled with access to files is not for strangers
		c.Cache = cache.Open()
	}
	for i, s := range slices.Concat(p.Files, p.Headers) {
		if i < len(p.Files) {
			c.Files = append(c.Files, s.Name)
			c.Units[s.Name] = llvm.Unit{Language: s.Language, Dir: s.Dir, Flags: s.Flags}
		}
		if s.Text != nil {
			if c.Sources == nil {
				c.Sources = map[string][]byte{}
			}
			c.Sources[s.Name] = s.Text
		}
	}
	return c
}

// config checks the options and turns them into those of the engines.
func config(p Program, o CheckOptions) (check.Config, error) {
	c := program(p)
	if p.Linked != nil {
		var err error
		if c.Linked, err = ir.Decode(p.Linked); err != nil {
			return c, err
		}
	} else if len(c.Files) == 0 {
		return c, errors.New("no files to check")
	}
	for _, f := range []struct {
		name, value string
		allowed     []string
	}{
		{"engine", string(o.Engine), []string{"graphs", "states"}},
		{"coherence", o.Coherence, []string{"total", "observed"}},
		{"mapping", o.Mapping, []string{"c11", "raw"}},
		{"volatile", o.Volatile, []string{"plain", "relaxed"}},
	} {
		if f.value != "" && !slices.Contains(f.allowed, f.value) {
			return c, fmt.Errorf("--%s %s: it takes %s", f.name, f.value, strings.Join(f.allowed, " or "))
		}
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = DefaultMemory()
	}
	c.Explorer = o.Explorer
	c.Suggest, c.OnExecution, c.OnReexecution = o.Suggest, o.OnExecution, o.OnReexecution
	if o.OnEstimate != nil {
		c.OnEstimate = func(e explore.Estimate) { o.OnEstimate(e.String()) }
	}
	if o.Engine == States {
		var err error
		c.States, err = statesConfig(&o)
		return c, err
	}
	return c, graphsConfig(p, &o, &c)
}

// DefaultModel returns the model under which the graph engine checks a program if no other is asked for: jam21 for Java, rc11 for others.
func DefaultModel(p Program) string {
	if slices.ContainsFunc(p.Files, func(s Source) bool { return jvm.IsFile(s.Name) }) {
		return "jam21"
	}
	return "rc11"
}

// graphsConfig sets the options of the engine of graphs.
func graphsConfig(p Program, o *CheckOptions, c *check.Config) error {
	switch o.Model {
	case "":
		o.Model = DefaultModel(p)
	case "all":
		return errors.New("--model all is for --engine states; several models have commas between")
	}
	m, err := memmodel.Checker(o.Model, model.Options{Raw: o.Mapping == "raw", Checker: o.Checker, Variants: o.Variants})
	if err != nil {
		return err
	}
	if t := m.Traits(); o.OnReexecution != nil && !t.Reexecutes && t.Cycles == nil {
		return fmt.Errorf("--explain tells where executions with cycles come from, with --model xmm, jam21 or jam19")
	}
	if o.Hunt > 0 && (o.Coherence == "observed" || o.OnEstimate != nil || o.OnExecution != nil || o.Suggest || o.OnReexecution != nil) {
		return errors.New("--hunt does not explore: it goes with none of --coherence observed, --estimate, --print-executions, --suggest, --explain")
	}
	if o.Bound > 0 && m.Traits().Reexecutes {
		return fmt.Errorf("--bound is not supported under %s", m.Name())
	}
	if o.Bound > 0 && (o.Hunt > 0 || o.OnExecution != nil || o.OnEstimate != nil || o.Suggest) {
		return errors.New("--bound explores again and again: it goes with none of --hunt, --print-executions, --estimate, --suggest")
	}
	c.Explore = explore.Options{
		Options:   common(o),
		Model:     m,
		Twins:     !o.NoSymmetry,
		Observed:  o.Coherence == "observed",
		MaxEvents: o.MaxEvents,
		Hunt:      o.Hunt,
		Seed:      o.Seed,
		Bound:     o.Bound,
	}
	c.Explore.Machine.SpinAssume = !o.NoSpinAssume
	if o.OnProgress != nil {
		var s sampler
		c.Explore.OnProgress = func(p engine.Progress) { o.OnProgress(s.sample(p)) }
	}
	return nil
}

// common returns the options that both engines have.
func common(o *CheckOptions) engine.Options {
	return engine.Options{
		Machine:       machine.Options{Unroll: o.Unroll, Overflow: o.CheckOverflow, Relaxed: o.Volatile == "relaxed", NoWakeups: o.NoSpuriousWakeups},
		Workers:       o.Workers,
		RaceCheck:     !o.NoRaceCheck,
		MemoryCheck:   !o.NoMemoryCheck,
		Liveness:      o.Liveness,
		NoSpuriousCAS: o.NoSpuriousCAS,
		NoReuse:       o.NoReuse,
		LeakCheck:     o.CheckLeaks,
		Symmetry:      !o.NoSymmetry,
		KeepGoing:     o.KeepGoing,
		MaxMemory:     o.MaxMemory,
		Timeout:       o.Timeout,
	}
}

// The variants that the engine of states has: of pso, and of rmo.
const (
	relaxedRMW = "relaxed-rmw"
	speculate  = "speculate"
)

// statesConfig returns the options of the engine of states.
func statesConfig(o *CheckOptions) (*check.States, error) {
	if o.Buffer == 0 {
		o.Buffer = 5
	}
	s := &check.States{All: o.Model == "all" || o.Model == "", IRTrace: o.IRTrace, OnSpace: o.OnSpace, Keep: o.Keep, Options: states.Options{
		Options: common(o),
		Buffer:  o.Buffer,
		Raw:     o.Mapping == "raw",
		LTL:     o.LTL,
		POR:     !o.NoPOR,
		Spill:   o.Spill,
	}}
	for _, v := range o.Variants {
		switch {
		case v == relaxedRMW && (s.All || o.Model == "pso"):
			s.Options.RelaxedRMW = true
		case v == speculate && o.Model == "rmo":
			s.Options.Speculate = true
		default:
			return nil, fmt.Errorf("%s has no variant %q with --engine states: pso has %s, rmo has %s", cmp.Or(o.Model, "all"), v, relaxedRMW, speculate)
		}
	}
	if o.Buffer < 1 {
		return nil, fmt.Errorf("--buffer %d: a buffer has at least 1 entry", o.Buffer)
	}
	if o.OnProgress != nil {
		s.Options.OnProgress = func(p engine.Progress) { o.OnProgress(Progress{Done: p.Done, Noun: "state"}) }
	}
	if s.All {
		if o.OnSpace != nil {
			return nil, errors.New("--states-aut, --states-dot and --states-svg write the states of one model: give --model sc, tso, pso, lmo or rmo")
		}
		return s, nil
	}
	m, err := memmodel.For(States, o.Model)
	if err != nil {
		return nil, err
	}
	s.Options.Model, err = states.ModelByName(m.Name)
	return s, err
}

// A sampler makes samples for a progress line.
type sampler struct {
	mu           sync.Mutex
	before, then Progress // at a quarter and at half of what is done now, or less
}

// sample says how far the exploration is. The share is a guess that is good only for trees whose branches are alike, so the total is told only if it would have been
// about the same when half as much, and a quarter, was done.
func (s *sampler) sample(p engine.Progress) Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := Progress{Done: p.Done}
	if p.Share > 0 {
		now.Total = float64(now.Done) / p.Share
	}
	if now.Done >= 2*s.then.Done {
		s.before, s.then = s.then, now
	}
	if !like(now.Total, s.then.Total) || !like(now.Total, s.before.Total) {
		now.Total = 0
	}
	return now
}

// like reports whether two estimates agree.
func like(a, b float64) bool { return a > 0 && b > 0 && a < 1.3*b && b < 1.3*a }

// ShowProgress shows progress on w, if it is a terminal, until stop is called; on is an OnProgress.
func ShowProgress(w io.Writer) (on func(Progress), stop func()) {
	var mu sync.Mutex
	var last Progress
	p := report.StartProgress(w, func() Progress {
		mu.Lock()
		defer mu.Unlock()
		return last
	})
	on = func(s Progress) {
		mu.Lock()
		defer mu.Unlock()
		last = s
	}
	return on, p.Stop
}

// WriteText prints a result for people: errors with source lines and the execution that shows them, then the verdict.
func WriteText(w io.Writer, r *Result, s Style) error { return report.WriteText(w, r, s) }

// WriteSummary prints the verdict of a result in a line.
func WriteSummary(w io.Writer, r *Result) error {
	_, err := fmt.Fprintln(w, report.Summary(r))
	return err
}

// WriteJSON prints a result as one JSON object on one line.
func WriteJSON(w io.Writer, r *Result) error { return report.WriteJSON(w, r) }

// A Format is a form of a result for a file: sarif, html, dot and svg. Its method For reports whether there is something to write of a result, and its field
// Write writes it.
type Format = report.Format

// Formats returns all formats.
func Formats() []Format { return report.Formats() }

// DefaultMemory returns how many bytes a run may take by default, 0 if that is not known.
func DefaultMemory() int64 { return limits.Default().Bytes }

// A Change is one change of a memory order that a Suggestion has, an Edit a change of a text.
type (
	Change = report.Change
	Edit   = orders.Edit
)

// Edits returns the edits of a source that make the changes, which are in this source, and the changes that no edit can make: those of operators on atomic variables.
func Edits(source string, changes []Change) (edits []Edit, left []Change) {
	return orders.Edits(source, changes)
}

// ApplyEdits returns the source with the edits made.
func ApplyEdits(source string, edits []Edit) string { return orders.Apply(source, edits) }

// HasCompiler reports whether there is a compiler for a language on this machine: c, c++, rust or java.
func HasCompiler(language string) bool {
	if language == "java" {
		return jvm.HasCompiler()
	}
	return llvm.HasCompiler(language)
}
