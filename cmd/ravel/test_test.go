package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamplesTargets checks every program of examples/ against its ravel.toml.
func TestExamplesTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("checks all examples")
	}
	needClang(t)
	if !hasProgram("cargo") || !hasProgram("rustc") {
		t.Skip("no Rust")
	}
	if !hasProgram("javac") {
		t.Skip("no JDK")
	}
	t.Chdir(root)
	if status, out, errs := runRavel(t, "test", "examples"); status != 0 {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

// In LLVM text, so that no compiler is needed: a program without threads, and one that fails.
const (
	rightLL = "define i32 @main() {\n  ret i32 0\n}\n"
	wrongLL = "declare void @abort()\ndefine i32 @main() {\n  call void @abort()\n  unreachable\n}\n"
)

func writeProject(t *testing.T, targets string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"right.ll": rightLL, "wrong.ll": wrongLL, "ravel.toml": targets} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTargets(t *testing.T) {
	dir := writeProject(t, `
[[target]]
name = "right"
files = ["right.ll"]
models = ["sc", "tso"]
executions = 1

[[target]]
name = "wrong"
files = ["wrong.ll"]

[[target]]
name = "known"
files = ["wrong.ll"]
verdict = "error"
error = "assertion"

[[target]]
name = "other-kind"
files = ["wrong.ll"]
verdict = "error"
error = "race"

[[target]]
name = "count"
files = ["right.ll"]
executions = 2

[[target]]
name = "missing"
files = ["none.ll"]
`)
	junit, sarif := filepath.Join(dir, "junit.xml"), filepath.Join(dir, "out.sarif")
	status, out, errs := runRavel(t, "test", dir, "--junit", junit, "--sarif", sarif)
	if status != 1 {
		t.Errorf("status %d, want 1: %s", status, errs)
	}
	file := filepath.Join(dir, "ravel.toml")
	for _, want := range []string{
		"--- FAIL: wrong", file + ":8:3: want verified, have error", "error[assertion]",
		"--- FAIL: other-kind", file + ":22:1: want an error of kind race, have assertion",
		"--- FAIL: count", file + ":27:1: want 2 complete executions, have 1",
		"--- FAIL: missing", filepath.Join(dir, "none.ll") + ": no such file",
		"FAIL  " + dir, "3 passed, 4 failed",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	checkJUnit(t, junit)
	text, err := os.ReadFile(sarif)
	if err != nil || strings.Count(string(text), `"ruleId": "assertion"`) != 2 {
		t.Errorf("SARIF has not two errors (%v):\n%s", err, text)
	}

	status, out, _ = runRavel(t, "test", dir, "--run", "^right|known", "-v")
	if status != 0 || !strings.Contains(out, "--- PASS: right/tso") || !strings.Contains(out, "ok    "+dir) || !strings.Contains(out, "3 passed, 0 failed") {
		t.Errorf("status %d\n%s", status, out)
	}
	_, out, _ = runRavel(t, "test", dir, "--run", "^count", "--json")
	var rec testRecord
	if err := json.Unmarshal([]byte(out), &rec); err != nil || rec.Passed || rec.Name != "count" || !strings.Contains(string(rec.Result), `"verdict":"verified"`) {
		t.Errorf("%v: %s", err, out)
	}
}

func checkJUnit(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suite    []struct {
			Case []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Tests != 7 || suites.Failures != 4 || len(suites.Suite) != 1 || len(suites.Suite[0].Case) != 7 || suites.Suite[0].Case[2].Failure == nil {
		t.Errorf("%+v", suites)
	}
}

// TestBadTargets: what is wrong with a ravel.toml is said with its place.
func TestBadTargets(t *testing.T) {
	const begin = "[[target]]\nname = \"a\"\nfiles = [\"right.ll\"]\n"
	for _, c := range []struct{ text, place, want string }{
		{"", "1:1", "no [[target]]"},
		{"[[target]]\nname = \n", "2:8", ""},
		{"# none\n[[target]]\nfiles = [\"right.ll\"]\n", "2:3", "no name"},
		{"[[target]]\nname = \"a\"\n", "1:3", "no files"},
		{begin + "verdct = \"error\"\n", "4:1", "did you mean verdict?"},
		{begin + "zzz = 1\n", "4:1", "a target has name, files"},
		{begin + "verdict = \"wrong\"\n", "4:1", "verified, error, bounded or unknown"},
		{begin + "verdict = 3\n", "4:11", ""},
		{begin + "error = \"race\"\n", "4:1", "verdict = \"error\""},
		{begin + "verdict = \"error\"\nerror = \"rice\"\n", "5:1", "the kinds are assertion"},
		{begin + begin, "5:1", "another target"},
		{begin + "flags = [\"--modle\", \"tso\"]\n", "4:1", "unknown flag: --modle"},
		{begin + "flags = [\"--model\", \"tso\"]\n", "4:1", "write models = [\"tso\"]"},
		{begin + "flags = [\"--json\"]\n", "4:1", "use ravel check"},
		{begin + "flags = [\"x.c\"]\n", "4:1", "not a flag"},
		{begin + "flags = [\"--unroll\", \"-1\"]\n", "4:1", "not negative"},
		{begin + "flags = [\"--engine\", \"states\", \"--hunt\", \"3s\"]\n", "4:1", "--hunt is for --engine graphs"},
	} {
		dir := writeProject(t, c.text)
		status, out, errs := runRavel(t, "test", dir)
		if place := filepath.Join(dir, "ravel.toml") + ":" + c.place + ": "; status != 2 || !strings.Contains(errs, place) || !strings.Contains(errs, c.want) || out != "" {
			t.Errorf("%s\nstatus %d, want 2 and %s %s, have\n%s%s", c.text, status, c.place, c.want, out, errs)
		}
	}
	for _, args := range [][]string{{"test", t.TempDir()}, {"test", "none"}, {"test", "--run", "("}} {
		if status, _, errs := runRavel(t, args...); status != 2 || errs == "" {
			t.Errorf("%v: status %d: %s", args, status, errs)
		}
	}
}
