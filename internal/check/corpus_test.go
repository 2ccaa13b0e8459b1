package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
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
	return rows
}

func needClang(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang on PATH: scripts/setup installs it")
	}
}

// checkRow runs ravel check on the program of a row.
func checkRow(t *testing.T, dir string, r row, change func(*explore.Options)) (*report.Result, error) {
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
		Model: m, Workers: 1, RaceCheck: true, MemoryCheck: true,
		Machine: machine.Options{SpinAssume: true},
	}
	var flags []string
	for _, f := range strings.Fields(r["flags"]) {
		switch {
		case f == "--":
		case f == "--no-race-check":
			opts.RaceCheck = false
		case strings.HasPrefix(f, "--timeout="):
			opts.Timeout, err = time.ParseDuration(strings.TrimPrefix(f, "--timeout="))
			if err != nil {
				t.Fatal(err)
			}
		case f == "--liveness":
			opts.Liveness = true
		case f == "--spurious-cas":
			opts.SpuriousCAS = true
		case strings.HasPrefix(f, "--unroll="):
			opts.Machine.Unroll, err = strconv.Atoi(strings.TrimPrefix(f, "--unroll="))
			if err != nil {
				t.Fatal(err)
			}
		default:
			flags = append(flags, f)
		}
	}
	if change != nil {
		change(&opts)
	}
	return Run(Config{Files: []string{filepath.Join(dir, r["file"])}, CompilerFlags: flags, Explore: opts})
}

// TestCounts checks the corpus against published numbers of executions under rc11.
func TestCounts(t *testing.T) {
	needClang(t)
	for _, set := range []struct{ dir, complete, blocked string }{
		{"c/litmus", "rc11_complete", "rc11_blocked"},
		{"c/xmm", "rc11", ""},
		{"c/structures", "rc11_complete", "rc11_blocked"},
		{"c/bench", "rc11_complete", "rc11_blocked"},
	} {
		dir := filepath.Join(corpus, set.dir)
		for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
			t.Run(strings.TrimSpace(set.dir+"/"+r["file"]+" "+r["flags"]), func(t *testing.T) {
				t.Parallel()
				if v := r["verdict"]; v != "" && v != "verified" {
					t.Skip("stops at an error: see TestErrors")
				}
				res, err := checkRow(t, dir, r, nil)
				if err != nil {
					t.Fatal(err)
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
	for _, sub := range []string{"c/errors", "c/ok", "cxx", "c/structures/wrong"} {
		dir := filepath.Join(corpus, sub)
		for _, r := range readManifest(t, filepath.Join(dir, "expected.tsv")) {
			t.Run(strings.TrimSpace(sub+"/"+r["file"]+" "+r["flags"]), func(t *testing.T) {
				t.Parallel()
				res, err := checkRow(t, dir, r, nil)
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
				if verdict == "error" {
					expectError(t, res.Errors[0], r)
				}
			})
		}
	}
}

func expectError(t *testing.T, e report.Error, r row) {
	t.Helper()
	if kind := r["kind"]; kind != "" && e.Kind != kind {
		t.Errorf("%s: %s; want %s (%s)", e.Kind, e.Message, kind, r["note"])
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
