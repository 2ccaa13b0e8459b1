package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ravel/internal/report"
	"ravel/internal/short"
)

// TestMain runs ravel itself in place of the tests if RAVEL_RUN is set, for tests of what a process does: panic makes a worker panic.
func TestMain(m *testing.M) {
	switch os.Getenv("RAVEL_RUN") {
	case "":
		os.Exit(m.Run())
	case "panic":
		interruption = func() context.Context { return defect{context.Background()} }
	}
	main()
}

// A defect is a context that panics when workers look at it.
type defect struct{ context.Context }

func (defect) Err() error { panic("a defect") }

// process runs ravel as a process of its own, after the commands of the shell in before.
func process(t *testing.T, mode, before string, args ...string) (status int, out string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", append([]string{"-c", before + ` exec "$0" "$@"`, self}, args...)...)
	cmd.Env = append(os.Environ(), "RAVEL_RUN="+mode)
	text, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// TestOutOfRange checks that flags which make no sense are refused, whatever the command.
func TestOutOfRange(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"check --timeout -5s x.c", "--timeout -5s: it takes a time that is not negative"},
		{"check --workers -3 x.c", "--workers -3: it takes a number that is not negative"},
		{"check --unroll -1 x.c", "--unroll -1: it takes a number that is not negative"},
		{"check --max-events -1 x.c", "--max-events -1: it takes a number that is not negative"},
		{"check --max-memory -1 x.c", "--max-memory -1: it takes a size"},
		{"check --max-memory 0 x.c", "--max-memory 0: it takes a size"},
		{"check --engine states --buffer -1 x.c", "--buffer -1: it takes a number that is not negative"},
		{"check --engine states --max-events 9 x.c", "--max-events is for --engine graphs"},
		{"check --seed 3 x.c", "--seed is for --hunt and --estimate"},
		{"check --hunt 0s x.c", "--hunt 0s: the time to look for errors, such as 60s"},
		{"check --hunt -5s x.c", "--hunt -5s: it takes a time that is not negative"},
		{"check --hunt 5s --estimate x.c", "--hunt does not explore"},
		{"check --bound 0 x.c", "--bound 0: the bound is at least 1"},
		{"check --bound 2 --hunt 5s x.c", "--bound explores again and again"},
		{"check --bound 2 --model xmm x.c", "--bound is not supported under xmm"},
		{"check --hunt 5s --engine states x.c", "--hunt is for --engine graphs"},
		{"litmus --unroll -2 x.litmus", "--unroll -2: it takes a number that is not negative"},
		{"litmus --workers -2 x.litmus", "--workers -2: it takes a number that is not negative"},
		{"compare --models sc,tso --timeout -2s x.litmus", "--timeout -2s: it takes a time"},
		{"jmm check --unroll -2 x.litmus", "--unroll -2: it takes a number that is not negative"},
		{"bench peers --timeout -2s", "--timeout -2s: it takes a time"},
	} {
		expect(t, wrong{args: strings.Fields(test.args), status: 2, want: []string{test.want}}, "")
	}
	for _, args := range []string{"version", "--version"} {
		expect(t, wrong{args: []string{args}, want: []string{"ravel " + version}}, "")
	}
}

// TestPanic checks what a defect looks like to a user, in the goroutine of a worker.
func TestPanic(t *testing.T) {
	needClang(t)
	for _, engine := range []string{"graphs", "states"} {
		args := []string{"check", "--engine", engine, "--model", "sc", "../../testdata/c/bench/ainc.c", "--", "-DN=10"}
		status, out := process(t, "panic", "", args...)
		if status != 2 || strings.Contains(out, "goroutine") || !strings.Contains(out, "internal error: a defect\n") || !strings.Contains(out, strings.Join(args, " ")) || !strings.Contains(out, "version "+version) {
			t.Errorf("%s: status %d\n%s", engine, status, out)
		}
		if status, out := process(t, "panic", "RAVEL_DEBUG=1", args...); status != 2 || !strings.Contains(out, "goroutine") {
			t.Errorf("%s with RAVEL_DEBUG: status %d\n%s", engine, status, out)
		}
	}
}

// TestOutOfMemory checks that a run ends in order when memory is scarce: here by ulimit -v, beyond the 2 GB that Go reserves.
func TestOutOfMemory(t *testing.T) {
	needClang(t)
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("takes some seconds, and Linux")
	}
	file := writeProgram(t, "x.c", endless)
	for _, args := range [][]string{{"check", "--model", "sc", file}, {"check", "--engine", "states", "--model", "sc", file}} {
		status, out := process(t, "ravel", "ulimit -v 2600000;", args...)
		if status != 3 || !strings.Contains(out, "unknown: stopped at the memory limit (--max-memory); no errors in") {
			t.Errorf("%q: status %d\n%.1000s", args, status, out)
		}
	}
}

// TestNoneCompletes checks the verdict on a program that never gets anywhere, as text and as JSON.
func TestNoneCompletes(t *testing.T) {
	needClang(t)
	file, err := filepath.Abs("../../testdata/c/errors/none-completes.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"graphs", "states"} {
		args := []string{"check", "--engine", engine, "--model", "sc", file}
		expect(t, wrong{args: args, status: 3, want: []string{file + ":10:2: thread 0 stays here: the assumption does not hold", "unknown: no execution comes to its end"}}, "")
		_, out, errs := runRavel(t, append(args, "--json")...)
		var res report.Result
		if err := json.Unmarshal([]byte(out), &res); err != nil {
			t.Fatalf("%v: %s%s", err, out, errs)
		}
		if all := strings.Join(res.Warnings, "\n"); res.Verdict != report.Unknown || !strings.Contains(all, "unknown: no execution comes to its end") || !strings.Contains(all, file+":10:2") {
			t.Errorf("%s: %s", engine, out)
		}
	}
}

// TestStatuses checks the exit statuses of both engines.
func TestStatuses(t *testing.T) {
	needClang(t)
	const text = "#include <assert.h>\nunsigned x;\nint main(void)\n{\n#if CASE == 1\n\tassert(x);\n#elif CASE == 2\n\tint y = x +;\n#elif CASE == 3\n\tfor (;;)\n\t\tx++;\n#endif\n}\n"
	file := writeProgram(t, "x.c", text)
	for _, engine := range []string{"graphs", "states"} {
		for want, flag := range []string{"-DCASE=0", "-DCASE=1", "-DCASE=2", "-DCASE=3"} {
			timeout := "10m"
			if want == 3 { // it never ends
				timeout = "100ms"
			}
			if status, out, errs := runRavel(t, "check", "--engine", engine, "--model", "sc", "--timeout", timeout, file, "--", flag); status != want {
				t.Errorf("%s %s: status %d\n%s%s", engine, flag, status, out, errs)
			}
		}
	}
}

// TestMaxEvents checks the bound on the length of executions, and that the message says what to do about it.
func TestMaxEvents(t *testing.T) {
	needClang(t)
	file := writeProgram(t, "x.c", "int x;\nint main(void)\n{\n\tfor (int i = 0; i < 1000; i++)\n\t\tx++;\n}\n")
	expect(t, wrong{args: []string{"check", "--max-events", "100", "FILE"}, status: 3, want: []string{
		"an execution has more than 100 events", "FILE:5:", "--unroll", "--max-events", "--engine states",
	}}, file)
	expect(t, wrong{args: []string{"check", "--max-events", "10000", "FILE"}, want: []string{"verified"}}, file)
}

// TestTimeoutDuringTrace stops the engine of states at any moment, also after it has found an error: then the trace is still made.
func TestTimeoutDuringTrace(t *testing.T) {
	needClang(t)
	ll := filepath.Join(t.TempDir(), "x.ll")
	if out, err := exec.Command("clang", "-S", "-emit-llvm", "-g", "-O0", "-DSURE", "-o", ll, filepath.Join(root, "testdata/c/suites/scanf.c")).CombinedOutput(); err != nil {
		t.Skipf("%s", out)
	}
	for ms := 1; ms <= short.Count(12, 4); ms++ {
		status, out := process(t, "plain", "", "check", "--engine", "states", "--timeout", fmt.Sprintf("%dms", ms), ll)
		if status != 1 && status != 3 {
			t.Fatalf("--timeout %dms: status %d\n%s", ms, status, out)
		}
	}
}
