package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/short"
)

// ravel runs the command line and returns its exit status and what it printed.
func runRavel(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	stdout, stderr := os.Stdout, os.Stderr
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	read := func(f **os.File) func() string {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		text := make(chan string)
		go func() {
			b, _ := io.ReadAll(r)
			text <- string(b)
		}()
		*f = w
		return func() string {
			w.Close()
			return <-text
		}
	}
	outText, errText := read(&os.Stdout), read(&os.Stderr)
	status = run(args)
	return status, outText(), errText()
}

// A wrong is a command line that must end in a message, not in a panic.
type wrong struct {
	name   string
	args   []string // FILE is the program
	file   string   // its name
	text   string   // of the program
	status int
	want   []string // in what is printed; FILE is the program's path
}

var wrongs = []wrong{
	{
		name: "unknown instruction", file: "x.ll", status: 2, args: []string{"check", "FILE"},
		text: "define i32 @main() {\n  %x = frobnicate i32 1, 2\n  ret i32 %x\n}\n",
		want: []string{"FILE:2:8: unknown instruction 'frobnicate'"},
	},
	{
		name: "truncated module", file: "x.ll", status: 2, args: []string{"check", "FILE"},
		text: "define i32 @main() {\n  %x = add i32 1,",
		want: []string{"FILE:2:"},
	},
	{
		name: "does not compile", file: "x.c", status: 2, args: []string{"check", "FILE"},
		text: "int main(void)\n{\n\treturn y;\n}\n",
		want: []string{"FILE:3:9: error: use of undeclared identifier 'y'"},
	},
	{
		name: "missing file", status: 2, args: []string{"check", "no/such/file.c"},
		want: []string{"no/such/file.c: no such file"},
	},
	{
		name: "folder", status: 2, args: []string{"check", "."},
		want: []string{". has no C or C++ sources"},
	},
	{
		name: "no file", status: 2, args: []string{"check"},
		want: []string{"which file?", "--help"},
	},
	{
		name: "endless recursion", file: "x.c", status: 3, args: []string{"check", "FILE"},
		text: "int x;\nstatic int f(int n)\n{\n\treturn f(n + 1) + x;\n}\nint main(void) { return f(0); }\n",
		want: []string{"calls are nested more than 1048576 deep", "FILE:4:"},
	},
	{
		name: "no main", file: "x.c", status: 2, args: []string{"check", "FILE"},
		text: "int f(void) { return 0; }\n",
		want: []string{"FILE", "no function main"},
	},
	{
		name: "endless loop that writes", file: "x.c", status: 3, args: []string{"check", "--max-events", "200000", "FILE"},
		text: "int x;\nint main(void)\n{\n\tfor (;;)\n\t\tx++;\n}\n",
		want: []string{"unknown", "FILE:5:", "--unroll"},
	},
	{
		name: "endless loop without accesses", file: "x.c", status: 3, args: []string{"check", "FILE"},
		text: "int main(void)\n{\n\tint i = 1;\n\tfor (;;)\n\t\ti = 3 * i + 1;\n}\n",
		want: []string{"unknown", "FILE:4:", "--unroll"},
	},
	{
		name: "bounded", file: "x.c", status: 3, args: []string{"check", "--unroll", "3", "FILE"},
		text: "int x;\nint main(void)\n{\n\tfor (;;)\n\t\tx++;\n}\n",
		want: []string{"bounded", "3 iterations"},
	},
	{
		name: "missing function", file: "x.c", status: 2, args: []string{"check", "FILE"},
		text: "int f(int);\nint main(void)\n{\n\treturn f(1);\n}\n",
		want: []string{"`f`, which is not defined", "FILE:4:"},
	},
	{
		name: "a race of an optimised program", file: "x.c", status: 1, args: []string{"check", "FILE", "--", "-O1"},
		text: "#include <pthread.h>\nint x;\nvoid *f(void *p)\n{\n\tx = 1;\n\treturn p;\n}\nint main(void)\n{\n\tpthread_t t;\n\tpthread_create(&t, 0, f, 0);\n\tx = 2;\n\tpthread_join(t, 0);\n}\n",
		want: []string{"data race on `x`", "with -O1, the compiler may have moved"},
	},
	{
		name: "the compiler warns", file: "x.c", status: 0, args: []string{"check", "-v", "FILE"},
		text: "#define N 1\n#define N 2\nint main(void)\n{\n\treturn 0;\n}\n",
		// Versions of clang show the line and the caret in different ways.
		want: []string{"the compiler says:\nFILE:2:9: warning: 'N' macro redefined [-Wmacro-redefined]\n", "#define N 2\n"},
	},
	{
		name: "mistyped flag", status: 2, args: []string{"check", "--modle", "sc", "x.c"},
		want: []string{"unknown flag: --modle", "did you mean --model?", "ravel check --help"},
	},
	{
		name: "mistyped model", status: 2, args: []string{"check", "--model", "rc1", "x.c"},
		want: []string{`unknown memory model "rc1"`, "did you mean rc11?"},
	},
	{
		name: "mistyped command", status: 2, args: []string{"chekc", "x.c"},
		want: []string{`unknown command "chekc"`, `did you mean "check"?`},
	},
	{
		name: "wrong value", status: 2, args: []string{"check", "--coherence", "some", "x.c"},
		want: []string{"--coherence some: it takes total or observed"},
	},
	{
		name: "wrong size", status: 2, args: []string{"check", "--max-memory", "much", "x.c"},
		want: []string{"--max-memory much"},
	},
	{
		name: "wrong number", status: 2, args: []string{"check", "--unroll", "x", "x.c"},
		want: []string{`invalid argument "x" for "--unroll"`},
	},
	{
		name: "unknown table", status: 2, args: []string{"bench", "tables"},
		want: []string{"tables"},
	},
	{
		name: "no such clang", file: "x.c", status: 2, args: []string{"check", "--clang", "no-such-clang", "FILE"},
		text: "int main(void) { return 0; }\n",
		want: []string{"no-such-clang"},
	},
}

func TestWrongUse(t *testing.T) {
	for _, w := range short.Every(4, wrongs) {
		t.Run(w.name, func(t *testing.T) {
			if strings.HasSuffix(w.file, ".c") {
				needClang(t)
			}
			file := writeProgram(t, w.file, w.text)
			expect(t, w, file)
		})
	}
}

// TestNoClang checks a C program where no compiler is.
func TestNoClang(t *testing.T) {
	file := writeProgram(t, "x.c", "int main(void) { return 0; }\n")
	t.Setenv("PATH", "")
	expect(t, wrong{args: []string{"check", "FILE"}, status: 2, want: []string{"no clang on PATH", "--clang"}}, file)
	file = writeProgram(t, "x.ll", "define i32 @main() {\n  ret i32 0\n}\n")
	expect(t, wrong{args: []string{"check", "FILE"}, status: 0, want: []string{"verified"}}, file)
}

// TestFlags checks that the flags of the contract are taken.
func TestFlags(t *testing.T) {
	file := writeProgram(t, "x.ll", "define i32 @main() {\n  ret i32 0\n}\n")
	args := strings.Fields("--model tso --engine graphs --coherence total --mapping c11 --unroll 5 --workers 1 --timeout 1m --max-memory 1G " +
		"--keep-going --no-race-check --no-memory-check --check-overflow --volatile relaxed --liveness --symmetry=false --spin-assume=false --print-executions --json")
	expect(t, wrong{args: append([]string{"check", "FILE"}, args...), status: 0, want: []string{`"verdict":`, `"verified"`}}, file)
	if status, out, _ := runRavel(t, []string{}...); status != 0 || !strings.Contains(out, "ravel check") {
		t.Errorf("ravel alone: status %d\n%s", status, out)
	}
	for _, cmd := range []string{"check", "models", "bench", "version"} {
		status, out, _ := runRavel(t, cmd, "--help")
		if status != 0 || !strings.Contains(out, "Examples:") {
			t.Errorf("ravel %s --help: status %d, no example\n%s", cmd, status, out)
		}
	}
}

// TestSymmetry checks that equal threads are taken for each other unless --symmetry=false says otherwise, and that the result says so.
func TestSymmetry(t *testing.T) {
	needClang(t)
	for flag, want := range map[string]string{
		"--workers=1": "in 1 execution (rc11, up to symmetry)", "--symmetry": "in 1 execution (rc11, up to symmetry)", "--json": `"up_to":["symmetry"]`,
		"--symmetry=false": "in 6 executions (rc11)", "--model=armv8": "in 1 execution (armv8, up to symmetry)", "--checkpoint=" + t.TempDir(): "in 1 execution (rc11, up to symmetry)",
	} {
		expect(t, wrong{args: []string{"check", flag, "../../testdata/c/ok/equal-threads.c", "--", "-DTICKET"}, status: 0, want: []string{want}}, "")
	}
}

func writeProgram(t *testing.T, name, text string) string {
	t.Helper()
	if name == "" {
		return ""
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// expect runs a command line on a program.
func expect(t *testing.T, w wrong, file string) {
	t.Helper()
	args := make([]string, len(w.args))
	for i, a := range w.args {
		args[i] = strings.ReplaceAll(a, "FILE", file)
	}
	status, out, errs := runRavel(t, args...)
	if status != w.status {
		t.Errorf("ravel %s: status %d, want %d\n%s%s", strings.Join(args, " "), status, w.status, out, errs)
	}
	for _, want := range w.want {
		if want = strings.ReplaceAll(want, "FILE", file); !strings.Contains(out+errs, want) {
			t.Errorf("ravel %s does not say %q:\n%s%s", strings.Join(args, " "), want, out, errs)
		}
	}
}

func needClang(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang on PATH: scripts/setup installs it")
	}
}

// An interrupt ends the exploration; what was found until then is printed. The program has more executions than anybody
// can wait for: ten threads that increment a counter.
func TestInterrupted(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("no clang")
	}
	defer func(old func() context.Context) { interruption = old }(interruption)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	interruption = func() context.Context { return over }
	for _, args := range [][]string{{"check"}, {"check", "--engine", "states", "--model", "pso"}} {
		status, out, errs := runRavel(t, append(args, "../../testdata/c/bench/ainc.c", "--", "-DN=10")...)
		if status != 3 || !strings.Contains(out, "unknown: interrupted") {
			t.Errorf("%q: status %d, %s%s", args, status, out, errs)
		}
	}
}
