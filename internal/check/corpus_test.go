package check

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ravel/internal/engine"
	"ravel/internal/explore"
	"ravel/internal/explore/piecetest"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
	"ravel/internal/short"
)

const corpus = "../../testdata"

// A row is a line of an expected.tsv, by column.
type row map[string]string

// readManifest reads a table of tab-separated values with a header.
func readManifest(t *testing.T, file string) []row {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	var header []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if header == nil {
			header = fields
			continue
		}
		r := row{}
		for i, f := range fields {
			if i < len(header) {
				r[header[i]] = f
			}
		}
		rows = append(rows, r)
	}
	if testing.Short() { // the headers of C++ and the library of Rust take long to compile
		rows = slices.DeleteFunc(rows, func(r row) bool { return slices.Contains([]string{".cpp", ".rs"}, filepath.Ext(r["file"])) })
	}
	return short.Every(40, rows)
}

func needClang(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang on PATH: scripts/setup installs it")
	}
}

// parseFlags reads the flags of a row into opts and returns those of the compiler: what follows --,
// and whatever does not begin with two dashes.
func parseFlags(column string, opts *explore.Options) (compiler []string, err error) {
	words := strings.Fields(column)
	for i := 0; i < len(words); i++ {
		if words[i] == "--" {
			return append(compiler, words[i+1:]...), nil
		}
		name, isFlag := strings.CutPrefix(words[i], "--")
		if !isFlag {
			compiler = append(compiler, words[i])
			continue
		}
		name, value, hasValue := strings.Cut(name, "=")
		next := func() string {
			if !hasValue && i+1 < len(words) {
				i++
				value = words[i]
			}
			return value
		}
		switch name {
		case "model":
			opts.Model, err = model.Get(next(), model.Options{})
		case "coherence":
			opts.Observed = next() == "observed"
		case "unroll":
			opts.Machine.Unroll, err = strconv.Atoi(next())
		case "max-events":
			opts.MaxEvents, err = strconv.Atoi(next())
		case "timeout":
			opts.Timeout, err = time.ParseDuration(next())
		case "no-race-check":
			opts.RaceCheck = false
		case "no-memory-check":
			opts.MemoryCheck = false
		case "check-overflow":
			opts.Machine.Overflow = true
		case "volatile":
			opts.Machine.Relaxed = next() == "relaxed"
		case "liveness":
			opts.Liveness = true
		case "no-spurious-cas":
			opts.NoSpuriousCAS = true
		case "no-spurious-wakeups":
			opts.Machine.NoWakeups = true
		case "symmetry":
			opts.Symmetry = true
		case "check-leaks":
			opts.LeakCheck = true
		case "no-reuse":
			opts.NoReuse = true
		default:
			err = fmt.Errorf("unknown flag %s", words[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return compiler, nil
}

// checkRow runs ravel check on the program of a row, under the model that the row's flags say, else the one
// in its column, else rc11.
func checkRow(t *testing.T, dir string, r row) (*report.Result, error) {
	t.Helper()
	name := r["model"]
	if name == "" {
		name = "rc11"
	}
	m, err := model.Get(name, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := explore.Options{
		Model: m, Options: engine.Options{Workers: 1, RaceCheck: true, MemoryCheck: true, Machine: machine.Options{SpinAssume: true}},
	}
	flags, err := parseFlags(r["flags"], &opts)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Files: []string{filepath.Join(dir, r["file"])}, CompilerFlags: flags, Explore: opts}
	if *pieces {
		if traits := opts.Model.Traits(); opts.Observed && (traits.TotalCo || traits.Deps != nil) {
			t.Skip("observed coherence is for one process under this model")
		}
		c.Explorer = inPieces
	} else {
		c.Explorer = withEqualThreads(t)
	}
	return Run(c)
}

// maxCompared is how many executions a program may have that is explored again for a comparison.
const maxCompared = 2_000

// withEqualThreads returns what explores a program as explore.Explore does, and then again without permutations of equal threads: the verdict is the same, and there are no more executions.
func withEqualThreads(t *testing.T) func(context.Context, *ir.Program, explore.Options) (*explore.Result, error) {
	return func(ctx context.Context, p *ir.Program, opts explore.Options) (*explore.Result, error) {
		res, err := explore.Explore(ctx, p, opts)
		if err != nil || res.GaveUp != "" || testing.Short() || res.Complete+res.Blocked+res.Moot > maxCompared {
			return res, err
		}
		opts.Twins, opts.Timeout = true, 0
		fewer, err := explore.Explore(ctx, p, opts)
		switch {
		case err != nil:
			return nil, err
		case !slices.Contains(fewer.UpTo, "symmetry"):
		case (len(fewer.Errors) == 0) != (len(res.Errors) == 0) || fewer.Cut != res.Cut || fewer.GaveUp != "":
			t.Errorf("with equal threads: %v, %q, %q, want %v, %q", fewer.Errors, fewer.Cut, fewer.GaveUp, res.Errors, res.Cut)
		case len(res.Errors) == 0 && (fewer.Complete > res.Complete || (fewer.Complete == 0) != (res.Complete == 0)):
			t.Errorf("with equal threads: %d executions, %d without", fewer.Complete, res.Complete)
		}
		return res, nil
	}
}

var pieces = flag.Bool("pieces", false, "explore the programs of the corpus in pieces, as the workers of a cluster do")

// inPieces is explore.Explore in pieces.
func inPieces(ctx context.Context, p *ir.Program, opts explore.Options) (*explore.Result, error) {
	res, _, err := piecetest.Explore(ctx, p, opts, rand.New(rand.NewPCG(uint64(len(p.Funcs)), 1)))
	return res, err
}

// TestCounts checks the corpus against published numbers of executions. Where a number in a table is not
// the published one, the row's note says why.
func TestCounts(t *testing.T) {
	needClang(t)
	for _, set := range []struct{ dir, model, complete, blocked string }{
		{"c/litmus", "", "rc11_complete", "rc11_blocked"},
		{"c/litmus", "rc11-2017", "rc11_2017_complete", ""},
		{"c/xmm", "", "rc11", ""},
		{"c/xmm", "xmm", "xmm", ""},
		{"c/structures", "", "rc11_complete", "rc11_blocked"},
		{"c/bench", "", "rc11_complete", "rc11_blocked"},
	} {
		dir := filepath.Join(corpus, set.dir)
		for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
			if set.model != "" {
				r["model"] = set.model
			}
			t.Run(strings.Join(strings.Fields(set.dir+"/"+r["file"]+" "+r["flags"]+" "+set.model), " "), func(t *testing.T) {
				t.Parallel()
				res, err := checkRow(t, dir, r)
				if err != nil {
					t.Fatal(err)
				}
				if v := r["verdict"]; v != "" && v != "verified" { // a kind of error
					if len(res.Errors) == 0 {
						t.Fatalf("%s, want an error of kind %s (%s)", res.Verdict, v, r["note"])
					}
					expectError(t, res.Errors[0], row{"kind": v, "note": r["note"]})
					return
				}
				if len(res.Errors) > 0 {
					t.Fatalf("%s: %s at %v", res.Errors[0].Kind, res.Errors[0].Message, res.Errors[0].Location)
				}
				expectCount(t, "complete", res.Executions.Complete, r[set.complete], r["note"])
				expectCount(t, "blocked", res.Executions.Blocked, r[set.blocked], r["note"])
			})
		}
	}
}

func expectCount(t *testing.T, what string, got int64, want, note string) {
	t.Helper()
	if want != "" && strconv.FormatInt(got, 10) != want {
		t.Errorf("%s: %d, want %s (%s)", what, got, want, note)
	}
}

// TestErrors checks programs that are wrong, and the right ones beside them.
func TestErrors(t *testing.T) {
	needClang(t)
	for _, sub := range []string{"c/errors", "c/ok", "c/waits", "c/suites", "c/asm", "cxx", "c/structures/wrong", "c/kernel", "libraries", "rust"} {
		if _, err := exec.LookPath("rustc"); err != nil && sub == "rust" {
			continue
		}
		dir := filepath.Join(corpus, sub)
		for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
			t.Run(strings.TrimSpace(sub+"/"+r["file"]+" "+r["flags"]), func(t *testing.T) {
				t.Parallel()
				res, err := checkRow(t, dir, r)
				if err != nil {
					if r["verdict"] != "unsupported" {
						t.Fatal(err)
					}
					return
				}
				verdict := r["verdict"]
				if verdict == "" {
					verdict = "error"
				}
				if string(res.Verdict) != verdict {
					t.Fatalf("verdict %s, want %s (%s)\n%v", res.Verdict, verdict, r["note"], res.Errors)
				}
				expectCount(t, "complete", res.Executions.Complete, r["complete"], r["note"])
				expectCount(t, "blocked", res.Executions.Blocked, r["blocked"], r["note"])
				if verdict == "error" {
					expectError(t, res.Errors[0], r)
				} else if at := ":" + r["line"] + ":"; r["line"] != "" && !slices.ContainsFunc(res.Warnings, func(w string) bool { return strings.Contains(w, at) }) {
					t.Errorf("no warning about line %s (%s): %q", r["line"], r["note"], res.Warnings)
				}
			})
		}
	}
}

func expectError(t *testing.T, e report.Error, r row) {
	t.Helper()
	if kinds := r["kind"]; kinds != "" && !slices.Contains(strings.Split(kinds, "|"), e.Kind) {
		t.Errorf("%s: %s; want %s (%s)", e.Kind, e.Message, kinds, r["note"])
	}
	lines := []string{strconv.Itoa(e.Location.Line)}
	for _, o := range e.Related {
		lines = append(lines, strconv.Itoa(o.Line))
	}
	// Either of two racing accesses may be reported first.
	for _, want := range []string{r["line"], r["related_line"]} {
		found := want == ""
		for _, l := range lines {
			found = found || l == want
		}
		if !found {
			t.Errorf("%s: %s at lines %v, want %s", e.Kind, e.Message, lines, want)
		}
	}
}

// TestCxx32 checks the programs in C++ with pointers of 32 bits. The headers of libstdc++ and glibc for 64 bits serve, as all that differs is in the compiler's macros.
func TestCxx32(t *testing.T) {
	if testing.Short() {
		t.Skip("the headers of C++ take long")
	}
	needClang(t)
	all, _ := filepath.Glob("/usr/include/c++/*")
	own, _ := filepath.Glob("/usr/include/x86_64-linux-gnu/c++/*")
	if len(all) == 0 || len(own) == 0 {
		t.Skip("no headers of libstdc++ where Debian has them")
	}
	stubs := t.TempDir()
	if err := os.MkdirAll(filepath.Join(stubs, "gnu"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stubs, "gnu/stubs-32.h"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	headers := ""
	for _, dir := range []string{all[len(all)-1], own[len(own)-1], stubs, "/usr/include/x86_64-linux-gnu"} {
		headers += " -isystem " + dir
	}
	dir := filepath.Join(corpus, "cxx")
	for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
		switch r["file"] {
		case "catch.cpp", "cds.cpp", "ilp32.cpp": // it takes long; it has headers of its own; it is checked by TestErrors
			continue
		}
		if !strings.Contains(r["flags"], "--") {
			r["flags"] += " --"
		}
		r["flags"] += " -m32 -w" + headers
		t.Run(r["file"]+" "+r["flags"], func(t *testing.T) {
			t.Parallel()
			res, err := checkRow(t, dir, r)
			if err != nil {
				t.Fatal(err)
			}
			if string(res.Verdict) != r["verdict"] {
				t.Fatalf("verdict %s, want %s (%s)\n%v", res.Verdict, r["verdict"], r["note"], res.Errors)
			}
			expectCount(t, "complete", res.Executions.Complete, r["complete"], r["note"])
		})
	}
}
