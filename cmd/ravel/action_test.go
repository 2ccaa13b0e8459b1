package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestActionFile checks action.yml against what GitHub documents: the keys there are, a shell for each command, and that what expressions name exists.
// https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax
func TestActionFile(t *testing.T) {
	text := readDocument(t, "action.yml")
	var action struct {
		Name        string
		Description string
		Author      string
		Branding    struct{ Icon, Color string }
		Inputs      map[string]struct {
			Description, Default string
			Required             bool
		}
		Outputs map[string]struct{ Description, Value string }
		Runs    struct {
			Using string
			Steps []struct {
				Name, ID, If, Run, Shell, Uses string
				WorkingDirectory               string `yaml:"working-directory"`
				ContinueOnError                bool   `yaml:"continue-on-error"`
				Env, With                      map[string]string
			}
		}
	}
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&action); err != nil {
		t.Fatal(err)
	}
	if action.Name == "" || action.Description == "" || action.Runs.Using != "composite" {
		t.Errorf("name, description and runs are needed: %+v", action)
	}
	if !slices.Contains([]string{"white", "black", "yellow", "blue", "green", "orange", "red", "purple", "gray-dark"}, action.Branding.Color) {
		t.Errorf("color %q", action.Branding.Color)
	}
	var ids []string
	for _, s := range action.Runs.Steps {
		switch {
		case (s.Run == "") == (s.Uses == ""):
			t.Errorf("a step has either run or uses: %+v", s)
		case s.Run != "" && s.Shell == "":
			t.Errorf("run needs a shell: %+v", s)
		case s.Uses != "" && !regexp.MustCompile(`^[\w.-]+/[\w./-]+@v\d+$`).MatchString(s.Uses):
			t.Errorf("uses %s", s.Uses)
		case strings.Contains(s.Run, "${{"):
			t.Errorf("%s: an expression in a command may be more than one word: use env", s.Run)
		}
		if script := regexp.MustCompile(`scripts/[\w/]+`).FindString(s.Run); script != "" {
			if info, err := os.Stat(filepath.Join(root, script)); err != nil || info.Mode()&0o111 == 0 {
				t.Errorf("%s is not a program: %v", script, err)
			}
		}
		if s.ID != "" {
			ids = append(ids, s.ID)
		}
	}
	for name, in := range action.Inputs {
		if in.Description == "" || !strings.Contains(text, "inputs."+name) {
			t.Errorf("input %s has no description or no use", name)
		}
	}
	for _, m := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(text, -1) {
		if _, ok := action.Inputs[m[1]]; !ok {
			t.Errorf("there is no input %s", m[1])
		}
	}
	scripts := readDocument(t, "scripts/action/where") + readDocument(t, "scripts/action/test")
	for _, m := range regexp.MustCompile(`steps\.([\w-]+)\.outputs\.([\w-]+)`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(ids, m[1]) || !strings.Contains(scripts, `echo "`+m[2]+"=") {
			t.Errorf("no step sets %s", m[0])
		}
	}
}

// A runner is what GitHub gives the steps of an action.
type runner struct {
	t   *testing.T
	dir string
	env []string
}

func newRunner(t *testing.T) *runner {
	t.Helper()
	if runtime.GOOS != "linux" || !hasProgram("bash") || !hasProgram("curl") {
		t.Skip("the steps run on Linux")
	}
	dir := t.TempDir()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	arch := map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]
	r := &runner{t, dir, append(os.Environ(), "GITHUB_ACTION_PATH="+top, "RUNNER_OS=Linux", "RUNNER_ARCH="+arch, "RUNNER_TEMP="+dir, "RUNNER_TOOL_CACHE="+filepath.Join(dir, "tools"), "RAVEL_RELEASES=")}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"} {
		r.env = append(r.env, name+"="+filepath.Join(dir, name))
	}
	return r
}

// step runs a step and returns its status and what it printed.
func (r *runner) step(name, dir string, env ...string) (int, string) {
	r.t.Helper()
	script, err := filepath.Abs(filepath.Join(root, "scripts/action", name))
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script) // as GitHub runs it
	cmd.Dir, cmd.Env = dir, append(r.env, env...)
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		r.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// file returns what steps wrote to one of GitHub's files.
func (r *runner) file(name string) string {
	text, _ := os.ReadFile(filepath.Join(r.dir, name))
	return string(text)
}

func (r *runner) output(name string) string {
	r.t.Helper()
	m := regexp.MustCompile(`(?m)^`+name+`=(.*)$`).FindAllStringSubmatch(r.file("GITHUB_OUTPUT"), -1)
	if len(m) == 0 {
		return ""
	}
	return m[len(m)-1][1]
}

// TestActionRun runs the steps of the action: ravel is built, tests a project that has a mistake, and then one that has none.
func TestActionRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds ravel and runs the examples")
	}
	needClang(t)
	r := newRunner(t)
	if status, out := r.step("where", r.dir, "RAVEL_VERSION="); status != 0 || !strings.HasPrefix(r.output("version"), "source-") {
		t.Fatalf("status %d\n%s\n%s", status, out, r.file("GITHUB_OUTPUT"))
	}
	program := "RAVEL_PROGRAM=" + r.output("program")
	if status, out := r.step("install", r.dir, "RAVEL_VERSION=", program, "RAVEL_COMPILER=true"); status != 0 || !strings.HasPrefix(out, "ravel devel") {
		t.Fatalf("status %d\n%s", status, out)
	}
	if path := strings.TrimSpace(r.file("GITHUB_PATH")); path != filepath.Dir(r.output("program")) {
		t.Errorf("PATH gets %q", path)
	}
	project := filepath.Join(r.dir, "project")
	writeAll(t, project, map[string]string{"x.c": wrongFlag, "ravel.toml": "[[target]]\nname = \"flag\"\nfiles = [\"x.c\"]\n[[target]]\nname = \"sc\"\nfiles = [\"x.c\"]\nmodels = [\"sc\"]\nflags = [\"--no-race-check\"]\n"})
	for _, test := range []struct {
		args, status, summary string
		sarif                 bool
	}{
		{"", "1", "1 passed, 1 failed", true},
		{"--run ^sc", "0", "1 passed, 0 failed", true},
		{"--run nothing", "2", "No target was checked", false},
	} {
		if status, out := r.step("test", project, program, "RAVEL_PATH=.", "RAVEL_ARGS="+test.args); status != 0 || r.output("status") != test.status {
			t.Errorf("%q: status %d, output %q, want %q\n%s", test.args, status, r.output("status"), test.status, out)
		}
		if !strings.Contains(r.file("GITHUB_STEP_SUMMARY"), test.summary) {
			t.Errorf("%q: no %q in\n%s", test.args, test.summary, r.file("GITHUB_STEP_SUMMARY"))
		}
		if text := r.file("ravel/ravel.sarif"); (text != "") != test.sarif {
			t.Errorf("%q: SARIF %q", test.args, text)
		}
	}
	if text := r.file("GITHUB_STEP_SUMMARY"); !strings.Contains(text, "| ❌ | .: flag |") || !strings.Contains(text, "data race on") {
		t.Errorf("summary:\n%s", text)
	}
}

// TestActionRelease installs a release, and refuses one whose checksum is wrong.
func TestActionRelease(t *testing.T) {
	r := newRunner(t)
	name := "ravel-1.2.3-linux-" + runtime.GOARCH
	releases := filepath.Join(r.dir, "releases/v1.2.3")
	writeAll(t, releases, map[string]string{name + "/ravel": "#!/bin/sh\necho ravel 1.2.3\n"})
	if err := os.Chmod(filepath.Join(releases, name, "ravel"), 0o755); err != nil {
		t.Fatal(err)
	}
	pack := exec.Command("tar", "-czf", name+".tar.gz", name)
	pack.Dir = releases
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	archive, err := os.ReadFile(filepath.Join(releases, name+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"RAVEL_VERSION=v1.2.3", "RAVEL_RELEASES=file://" + filepath.Dir(releases)}
	if status, out := r.step("where", r.dir, env...); status != 0 || r.output("version") != "1.2.3" || r.output("releases") != "file://"+filepath.Dir(releases) {
		t.Fatalf("status %d\n%s%s", status, out, r.file("GITHUB_OUTPUT"))
	}
	env = append(env, "RAVEL_PROGRAM="+r.output("program"))
	for _, test := range []struct {
		sums   string
		status int
	}{
		{fmt.Sprintf("%064d  %s.tar.gz\n", 0, name), 1},
		{"", 1},
		{fmt.Sprintf("%x  other.tar.gz\n%x  %s.tar.gz\n", sha256.Sum256(nil), sha256.Sum256(archive), name), 0},
	} {
		writeAll(t, releases, map[string]string{"SHA256SUMS": test.sums})
		status, out := r.step("install", r.dir, env...)
		if (status == 0) != (test.status == 0) || (status == 0) != strings.Contains(out, "ravel 1.2.3") {
			t.Errorf("sums %q: status %d\n%s", test.sums, status, out)
		}
	}
}
