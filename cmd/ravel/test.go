package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ravel"
)

// testFlags are the flags of ravel test as given.
type testFlags struct {
	run, junit, sarif, markdown string
	json, verbose, noCache      bool
}

// A testRun is a target under one of its models.
type testRun struct {
	ravel.TestCase
	target *ravel.Target
	flags  *checkFlags
	model  string // "" is the default
	result *ravel.Result
}

// A testRecord is the JSON of a testRun.
type testRecord struct {
	File    string          `json:"file"`
	Name    string          `json:"name"`
	Passed  bool            `json:"passed"`
	Failure string          `json:"failure,omitempty"`
	Seconds float64         `json:"seconds"`
	Result  json.RawMessage `json:"result,omitempty"` // of ravel check
}

func newTest() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [DIR|FILE]... [flags]",
		Short: "Check the targets of ravel.toml, and compare with the expected verdicts",
		Long: `Check every target of ravel.toml in a folder and below it (by default, the current
one), and compare the results with what the file expects. A target is written like
this; name and files are needed, and the verdict is verified if it is not given:

  [[target]]
  name = "queue"
  files = ["queue.c"]            # as ravel check takes them, in the folder of ravel.toml
  compiler-flags = ["-DN=2"]
  models = ["rc11", "armv8"]     # each is a run of its own
  flags = ["--timeout", "60s"]   # of ravel check
  verdict = "error"              # verified, error, bounded or unknown
  error = "race"                 # the kind of one of the errors
  executions = 3                 # complete ones, with --symmetry=false

Exit status: 0 every target is as expected, 1 one is not, 2 wrong use or a wrong
ravel.toml.`,
		Example: `  ravel test
  ravel test examples --run queue -v
  ravel test --junit report.xml --sarif ravel.sarif --markdown summary.md`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return f.test(args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.run, "run", "", "only targets whose name, with /MODEL behind it, has a match of `REGEXP`")
	fl.StringVar(&f.junit, "junit", "", "write the outcomes to `FILE` as JUnit's XML")
	fl.StringVar(&f.sarif, "sarif", "", "write the errors that were not expected to `FILE` as SARIF")
	fl.StringVar(&f.markdown, "markdown", "", "write a summary to `FILE` as Markdown")
	fl.BoolVar(&f.json, "json", false, "print each outcome as JSON")
	fl.BoolVar(&f.noCache, "no-cache", false, "compile everything anew, and keep nothing in the user's cache folder")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "print outcomes that are as expected, too")
	return cmd
}

// test runs the targets. What is wrong with a ravel.toml is said before anything runs.
func (f *testFlags) test(names []string) error {
	want, err := regexp.Compile(f.run)
	if err != nil {
		return fmt.Errorf("--run %s: %w", f.run, err)
	}
	targets, err := ravel.Targets(names...)
	if err != nil {
		return err
	}
	var runs []*testRun
	for i := range targets {
		list, err := testRuns(&targets[i])
		if err != nil {
			return err
		}
		runs = append(runs, slices.DeleteFunc(list, func(r *testRun) bool { return !want.MatchString(r.Name) })...)
	}
	if len(runs) == 0 {
		return fmt.Errorf("--run %s: no target has such a name", f.run)
	}
	start, failed, suite := time.Now(), 0, 0
	for i, r := range runs {
		r.flags.noCache = r.flags.noCache || f.noCache
		r.check()
		if r.Failure != "" {
			failed++
		}
		if err := f.print(r); err != nil {
			return err
		}
		if last := i+1 == len(runs) || runs[i+1].Suite != r.Suite; last && !f.json {
			printSuite(runs[suite : i+1])
			suite = i + 1
		}
		if interruption().Err() != nil {
			return errors.New("interrupted")
		}
	}
	if !f.json {
		fmt.Printf("%d passed, %d failed in %.2f s\n", len(runs)-failed, failed, time.Since(start).Seconds())
	}
	if err := f.writeFiles(runs); err != nil {
		return err
	}
	if failed > 0 {
		return statusError(ravel.Wrong.ExitStatus())
	}
	return nil
}

// testRuns returns the runs of a target, one for each model.
func testRuns(t *ravel.Target) (runs []*testRun, err error) {
	models := t.Models
	if len(models) == 0 {
		models = []string{""}
	}
	flags := t.Flags
	if t.Executions != nil { // models differ in what they count as one
		flags = append([]string{"--symmetry=false"}, flags...)
	}
	for _, m := range models {
		f, err := targetFlags(t.Dir(), m, flags)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Place("flags"), err)
		}
		r := &testRun{target: t, flags: f, model: m}
		r.Suite, r.Name = t.Dir(), t.Name
		if len(models) > 1 {
			r.Name += "/" + m
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// targetFlags reads the flags of ravel check for a program that is not named by arguments. model is "" for the default; a file is relative to dir.
func targetFlags(dir, model string, args []string) (*checkFlags, error) {
	f := new(checkFlags)
	fl := pflag.NewFlagSet("ravel check", pflag.ContinueOnError)
	fl.Usage = func() {}
	f.define(fl)
	err := fl.Parse(args)
	if err == nil && fl.NArg() > 0 {
		err = fmt.Errorf("%s is not a flag: files and compiler-flags have keys of their own", fl.Arg(0))
	}
	if err == nil {
		err = refused(fl)
	}
	if err == nil {
		err = inRange(fl)
	}
	if err == nil && model != "" {
		err = fl.Set("model", inFolder(dir, model))
	}
	if err == nil {
		err = f.setEngine(fl)
	}
	return f, err
}

// refused returns an error if there is a flag that has no use in a target.
func refused(fl *pflag.FlagSet) (err error) {
	no := []string{"print-executions", "explain", "estimate", "print-ir", "json", "states-aut", "states-dot", "states-svg", "cpu-profile", "suggest", "language"}
	for _, f := range ravel.Formats() {
		no = append(no, f.Name)
	}
	fl.Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == "model":
			err = errors.New("--model is not for targets: write models = [\"" + f.Value.String() + "\"]")
		case slices.Contains(no, f.Name):
			err = fmt.Errorf("--%s is not for targets: use ravel check", f.Name)
		}
	})
	return err
}

// inFolder returns where a model that is a file is.
func inFolder(dir, model string) string {
	if file := filepath.Join(dir, model); strings.HasSuffix(model, ".cat") && !filepath.IsAbs(model) {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return model
}

// check runs the check and compares.
func (r *testRun) check() {
	start := time.Now()
	var res *ravel.Result
	err := r.flags.open(r.target.Dir(), r.target.Files, r.target.CompilerFlags)
	if err == nil {
		res, err = r.flags.check(r.flags.o)
	}
	r.Seconds = time.Since(start).Seconds()
	if err != nil {
		r.Failure, r.Details = r.target.Place("")+": can't be checked", err.Error()+"\n"
		return
	}
	r.result = res
	var line strings.Builder
	_ = ravel.WriteSummary(&line, res)
	r.Summary = strings.TrimSpace(line.String())
	if key, text := r.target.Difference(res); text != "" {
		r.Failure = r.target.Place(key) + ": " + text
		var b bytes.Buffer
		_ = ravel.WriteText(&b, res, ravel.StyleFor(&b))
		r.Details = b.String()
	}
}

// print prints the outcome of a run.
func (f *testFlags) print(r *testRun) error {
	if f.json {
		rec := testRecord{File: r.target.File, Name: r.Name, Passed: r.Failure == "", Failure: r.Failure, Seconds: r.Seconds}
		if r.result != nil {
			var b bytes.Buffer
			if err := ravel.WriteJSON(&b, r.result); err != nil {
				return err
			}
			rec.Result = b.Bytes()
		} else {
			rec.Failure += ": " + strings.TrimSpace(r.Details)
		}
		return json.NewEncoder(os.Stdout).Encode(rec)
	}
	switch {
	case r.Failure != "":
		fmt.Printf("--- FAIL: %s (%.2f s)\n    %s\n", r.Name, r.Seconds, r.Failure)
		for line := range strings.Lines(r.Details) {
			fmt.Print("    ", line)
		}
	case f.verbose:
		fmt.Printf("--- PASS: %s (%.2f s)\n    ", r.Name, r.Seconds)
		return ravel.WriteSummary(os.Stdout, r.result)
	}
	return nil
}

// printSuite prints the line about a ravel.toml.
func printSuite(runs []*testRun) {
	word, seconds := "ok  ", 0.0
	for _, r := range runs {
		seconds += r.Seconds
		if r.Failure != "" {
			word = "FAIL"
		}
	}
	fmt.Printf("%s  %s  %.2f s\n", word, runs[0].Suite, seconds)
}

// writeFiles writes the files asked for.
func (f *testFlags) writeFiles(runs []*testRun) error {
	var cases []ravel.TestCase
	all := &ravel.Result{Verdict: ravel.Verified, Version: version}
	for _, r := range runs {
		cases = append(cases, r.TestCase)
		if r.Failure == "" {
			continue
		}
		all.Verdict = ravel.Wrong
		if r.result != nil && len(r.result.Errors) > 0 {
			all.Errors = append(all.Errors, r.result.Errors...)
		} else {
			all.Warnings = append(all.Warnings, r.Name+": "+r.Failure)
		}
	}
	sarif := ravel.Formats()[slices.IndexFunc(ravel.Formats(), func(f ravel.Format) bool { return f.Name == "sarif" })]
	return writeFiles(
		output{f.junit, func(w io.Writer) error { return ravel.WriteJUnit(w, cases) }},
		output{f.markdown, func(w io.Writer) error { return ravel.WriteMarkdown(w, cases) }},
		output{f.sarif, func(w io.Writer) error { return sarif.Write(w, all, ravel.Style{}) }},
	)
}
