// Package check is `ravel check`: it loads a program, explores it with an engine, and makes the result.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ravel/internal/cache"
	"ravel/internal/explore"
	"ravel/internal/explore/xmm"
	"ravel/internal/frontend/jvm"
	"ravel/internal/frontend/llvm"
	"ravel/internal/ir"
	"ravel/internal/limits"
	"ravel/internal/machine"
	"ravel/internal/report"
	rt "ravel/internal/runtime"
	"ravel/internal/states"

	"ravel/internal/lazy"
)

// A Config says what to check.
type Config struct {
	Ctx           context.Context // ends compilers and engines; nil: never
	Name          string          // of the program; "" is the names of the files
	Dir           string          // folder that names of files and in flags are relative to; "" is the current one
	Files         []string
	Sources       map[string][]byte    // the text of files that are in memory only, by name; others are on the disk
	Units         map[string]llvm.Unit // how single files are compiled, by name
	Sealed        bool                 // compilers read nothing but Sources and headers of the system
	Notes         []string             // warnings of every result
	onText        func(file string, text []byte)
	CompilerFlags []string
	Clang         string
	Cache         *cache.Store // keeps what compilers make; nil: nothing
	Version       string
	Linked        *ir.Program // instead of loading Files, which only name it
	Explore       explore.Options
	States        *States // if set, the explicit-state engine is used, with these options instead of Explore

	// Explorer, if set, explores graphs in place of explore.Explore: elsewhere.
	Explorer func(context.Context, *ir.Program, explore.Options) (*explore.Result, error)

	// OnEstimate, if set, is called before the check with an estimate of the number of executions, for which Explore.Seed is used.
	OnEstimate func(explore.Estimate)
	Suggest    bool // which memory orders are missing, or stronger than needed
	// OnExecution is called with every execution, if set.
	OnExecution func(title string, x *report.Execution) error
	// OnReexecution is called with the graphs that justify executions with cycles, under xmm, if set.
	OnReexecution func(title string, x *report.Execution) error
}

// Run checks a program. An error is about the input, not about the program's behaviour.
func Run(c Config) (*report.Result, error) {
	if c.States != nil {
		return runStates(c)
	}
	start := time.Now()
	p, err := c.load(true)
	if err != nil {
		return c.stopped("graphs", err)
	}
	traits := c.Explore.Model.Traits()
	notes, err := checkAssembly(p, c.Explore.Model.Name(), titleOf(traits.Arch), traits.Kernel)
	if err != nil {
		return nil, err
	}
	xmm.Use(&c.Explore, nil)
	if c.OnEstimate != nil {
		n, err := explore.Guess(c.context(), p, c.Explore)
		if err != nil {
			return nil, err
		}
		c.OnEstimate(n)
	}
	var printErr error
	if c.OnExecution != nil {
		n := 0
		c.Explore.Workers = 1 // in the order of exploration
		c.Explore.OnExecution = func(x *explore.Execution) {
			n++
			kind := "execution"
			if x.Blocked {
				kind = "blocked execution"
			}
			printErr = errors.Join(printErr, c.OnExecution(fmt.Sprintf("%s %d", kind, n), x.Report()))
		}
	}
	if c.OnReexecution != nil {
		xmm.Use(&c.Explore, func(title string, x *report.Execution) {
			printErr = errors.Join(printErr, c.OnReexecution(title, x))
		})
	}
	c.Explore.Cache = c.Cache
	if c.Explorer == nil {
		c.Explorer = explore.Explore
	}
	found, err := c.Explorer(c.context(), p, c.Explore)
	if err = errors.Join(err, printErr); err != nil {
		return nil, err
	}
	res := &report.Result{
		Verdict: report.Verified,
		Model:   c.Explore.Model.Name(),
		Engine:  "graphs",
		File:    c.name(),
		Executions: report.Executions{
			Complete: found.Complete, Blocked: found.Blocked, Moot: found.Moot,
			Duplicate: found.Duplicate, Cyclic: found.Cyclic, LBRaces: found.LBRaces, UpTo: found.UpTo,
		},
		Errors:     found.Errors,
		Warnings:   slices.Concat(found.Warnings, c.Notes, p.Warnings, notes),
		Compiler:   p.Said,
		Seconds:    time.Since(start).Seconds(),
		PeakMemory: limits.PeakMemory(),
		Version:    c.Version,
	}
	if races := traits.Races; races.Own && !races.ByView && races.Flags == nil && races.Pairs == nil && c.Explore.RaceCheck {
		res.Warnings = append(res.Warnings, fmt.Sprintf(
			"%s does not say what a data race is (undefined_unless empty …, or flag ~empty … as …): none was looked for", res.Model))
	}
	noteOptimised(res, c.CompilerFlags)
	noteVolatile(res, p)
	settle(res, outcomeOf(found), c.Explore.KeepGoing)
	if c.Suggest {
		res.Suggestion, err = suggest(c.context(), p, c.Explore, res, start)
	}
	return res, err
}

// context returns what ends the engines.
func (c *Config) context() context.Context {
	if c.Ctx == nil {
		return context.Background()
	}
	return c.Ctx
}

// stopped returns what there is to tell if the context ended before the program was loaded, or the error why it could not be.
func (c *Config) stopped(engine string, err error) (*report.Result, error) {
	if c.Ctx == nil || c.Ctx.Err() == nil {
		return nil, err
	}
	return &report.Result{Verdict: report.Unknown, Reason: "interrupted", Engine: engine, File: c.name(), Version: c.Version}, nil
}

// noteOptimised adds to races that the compiler may have made them: it may read earlier what is not atomic, also where the source
// reads it only if a flag is set.
func noteOptimised(res *report.Result, flags []string) {
	i := slices.IndexFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-O") && f != "-O0" })
	if i < 0 {
		return
	}
	for j := range res.Errors {
		if e := &res.Errors[j]; e.Kind == "race" {
			e.Notes = append(e.Notes, fmt.Sprintf("with %s, the compiler may have moved a read to where it races; see whether it does without", flags[i]))
		}
	}
}

// noteVolatile adds to races between volatile accesses how to take them as atomic.
func noteVolatile(res *report.Result, p *ir.Program) {
	if !slices.ContainsFunc(res.Errors, func(e report.Error) bool { return e.Kind == "race" }) {
		return
	}
	volatile := map[report.Location]bool{}
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if in := &b.Instrs[i]; in.Volatile && in.Pos != ir.NoPos {
					pos := p.Positions[in.Pos]
					volatile[report.Location{File: filepath.Base(p.Files[pos.File]), Line: pos.Line, Column: pos.Col}] = true
				}
			}
		}
	}
	for j := range res.Errors {
		e := &res.Errors[j]
		at := func(l report.Location) bool {
			return volatile[report.Location{File: filepath.Base(l.File), Line: l.Line, Column: l.Column}] // reports have shorter names
		}
		if e.Kind == "race" && at(e.Location) && slices.ContainsFunc(e.Related, func(r report.Related) bool { return at(r.Location()) }) {
			e.Notes = append(e.Notes, "both accesses are volatile, which is not atomic in C, C++ and Rust; --volatile relaxed takes volatile accesses as relaxed atomic ones")
		}
	}
}

// An outcome is how far an engine came.
type outcome struct {
	gaveUp, cut  string
	completes    bool          // an execution comes to its end, or goes on for ever and does something
	waits, spins []report.Wait // where threads stay, if none completes; where they spin for ever
}

func outcomeOf(r *explore.Result) outcome {
	return outcome{r.GaveUp, r.Cut, r.Complete > 0, r.Waits, r.Spins}
}

// settle sets the verdict of res, which has its errors: all of them, if asked for, so far as all was explored.
func settle(res *report.Result, o outcome, all bool) {
	switch why := cmp.Or(o.gaveUp, o.cut); {
	case len(res.Errors) > 0:
		res.Verdict = report.Wrong
		if all && why != "" {
			res.Warnings = append(res.Warnings, "there may be other errors: "+why)
		}
	case o.gaveUp != "":
		res.Verdict, res.Reason = report.Unknown, o.gaveUp
	case o.cut != "":
		res.Verdict, res.Reason = report.Bounded, o.cut
	case !o.completes && len(o.waits) == 0:
		res.Verdict, res.Reason = report.Unknown, report.NoExecution
	case !o.completes:
		res.Verdict, res.Reason = report.Unknown, report.NoneCompletes
	}
	places := slices.Clone(o.spins)
	if len(res.Errors) == 0 && o.gaveUp == "" && !o.completes {
		if o.cut != "" && len(o.waits) > 0 {
			res.Warnings = append(res.Warnings, report.NoneCompletes)
		}
		places = append(places, o.waits...)
	}
	told := map[report.Location]bool{}
	for _, w := range places {
		if !told[w.Location] {
			told[w.Location] = true
			res.Warnings = append(res.Warnings, w.String())
		}
	}
}

// Load reads, compiles and links a program that has a main.
func Load(files []string, clang string, flags []string) (*ir.Program, error) {
	c := Config{Files: files, Clang: clang, CompilerFlags: flags}
	return c.load(true)
}

// load reads, compiles and links the program; it must have a main, if needed.
func (c *Config) load(main bool) (*ir.Program, error) {
	if c.Linked != nil {
		return c.Linked, nil
	}
	if slices.ContainsFunc(c.Files, jvm.IsFile) {
		return c.loadJava()
	}
	opts := llvm.Options{
		Ctx: c.Ctx, Dir: c.Dir, Clang: c.Clang, Cache: c.Cache, Flags: c.CompilerFlags, Sources: c.Sources, Units: c.Units, Sealed: c.Sealed, OnText: c.onText,
		Runtime: rt.Library(), Runtime32: rt.Library32(), Builtin: machine.IsBuiltin,
	}
	if err := c.findFiles(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(c.Files, func(f string) bool { return filepath.Ext(f) != ".ll" }) {
		dir, err := os.MkdirTemp("", "ravel-include-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return nil, err
		}
		if err := c.prepare(dir, &opts); err != nil {
			return nil, err
		}
	}
	p, err := llvm.Load(c.Files, opts)
	if err != nil {
		return nil, err
	}
	for i, f := range p.Files {
		if len(c.Sources) > 0 && opts.Dir != "" {
			p.Files[i] = strings.TrimPrefix(f, opts.Dir+string(filepath.Separator)) // sources in memory have no folder
		}
	}
	for _, f := range p.Funcs {
		if f.Name == "__VERIFIER_recovery_routine" && len(f.Blocks) > 0 {
			return nil, fmt.Errorf("%s: the program has a recovery routine (%s): what is left of persistent memory after a crash is not modelled", c.Files[0], f.Name)
		}
	}
	switch {
	case !main || p.Main != nil && !states.HasProcedures(p):
		return p, nil
	case states.HasProcedures(p):
		return nil, fmt.Errorf("%s: the program has no function main; --engine states runs its procedures llmc_proc*", c.Files[0])
	}
	return nil, fmt.Errorf("%s: the program has no function main", c.Files[0])
}

// findFiles checks that the files are there.
func (c *Config) findFiles() error {
	for _, f := range c.Files {
		if _, ok := c.Sources[f]; ok {
			continue
		}
		if c.Sealed {
			return fmt.Errorf("%s: no such file among the sources", f)
		}
		if info, err := os.Stat(c.path(f)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: no such file", c.path(f))
		} else if err == nil && info.IsDir() {
			return fmt.Errorf("%s is a folder, not a program", c.path(f))
		}
	}
	return nil
}

// path returns where a file is.
func (c *Config) path(file string) string {
	if c.Dir == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(c.Dir, file)
}

// name returns what the result calls the program.
func (c *Config) name() string {
	if c.Name != "" {
		return c.Name
	}
	var names []string
	for _, f := range c.Files {
		if _, ok := c.Sources[f]; !ok {
			f = c.path(f)
		}
		names = append(names, f)
	}
	return strings.Join(names, " ")
}

// prepare writes what compilers read to a folder: our headers, and sources that are in memory, which compilers then find under their own names.
func (c *Config) prepare(dir string, opts *llvm.Options) error {
	opts.IncludeDir = filepath.Join(dir, "include")
	if err := rt.WriteHeaders(opts.IncludeDir); err != nil {
		return err
	}
	if len(c.Sources) == 0 {
		return nil
	}
	opts.Dir = filepath.Join(dir, "src")
	for name, text := range c.Sources {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%s: the name of a source in memory is relative and stays in its folder", name)
		}
		file := filepath.Join(opts.Dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
	c.Files, opts.Units = slices.Clone(c.Files), map[string]llvm.Unit{}
	for i, f := range c.Files { // others stay where they are
		unit := c.Units[f]
		if _, ok := c.Sources[f]; !ok {
			abs, err := filepath.Abs(c.path(f))
			if err != nil {
				return err
			}
			c.Files[i] = abs
		}
		opts.Units[c.Files[i]] = unit
	}
	return nil
}

// IR returns the program as text, after a check of its form.
func IR(c Config) (string, error) {
	p, err := c.load(false)
	if err != nil {
		return "", err
	}
	if err := p.Check(); err != nil {
		return "", err
	}
	return p.String(), nil
}

// LLVM returns the text of LLVM IR of each file of a program in memory, as compilers make it. Names of sources in it are as c has them.
func LLVM(c Config) (map[string][]byte, error) {
	texts := map[string][]byte{}
	c.onText = func(file string, text []byte) { texts[file] = inMemory().ReplaceAll(text, nil) }
	_, err := c.load(false)
	return texts, err
}

// inMemory is the folder that prepare makes for sources in memory, where LLVM IR names it.
var inMemory = lazy.Regexp(`[^" ]*[/\\]ravel-include-[0-9]+[/\\]src(?:[/\\]|\b)`)
