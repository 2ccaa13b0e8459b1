package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ravel/internal/explore"
	"ravel/internal/machine"
	"ravel/internal/model"
	"ravel/internal/report"
	"ravel/internal/states"
)

// undefined is the folder of programs that misuse memory or arithmetic, and of right ones beside them.
var undefined = filepath.Join(corpus, "c/undefined")

// TestUndefined checks that both engines find what is wrong, under models of all kinds, and nothing in the right programs.
func TestUndefined(t *testing.T) {
	needClang(t)
	for _, r := range readManifest(t, filepath.Join(undefined, "expected.tsv")) {
		t.Run(r["file"]+" "+r["flags"], func(t *testing.T) {
			t.Parallel()
			g := explore.Options{RaceCheck: true, MemoryCheck: true, Workers: 1, Timeout: time.Minute, Machine: machine.Options{SpinAssume: true}}
			flags, err := parseFlags(r["flags"], &g)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Load([]string{filepath.Join(undefined, r["file"])}, "", flags)
			if err != nil {
				t.Fatal(err)
			}
			expect := func(engine string, errs []report.Error, gaveUp string, err error) {
				t.Helper()
				switch {
				case err != nil:
					t.Errorf("%s: %v", engine, err)
				case gaveUp != "":
					t.Errorf("%s: gave up: %s", engine, gaveUp)
				case (len(errs) > 0) != (r["verdict"] == "error"):
					t.Errorf("%s: %v, want %s (%s)", engine, errs, r["verdict"], r["note"])
				case len(errs) > 0:
					expectError(t, errs[0], r)
				}
			}
			for _, name := range []string{"rc11", "sc", "pso", "imm"} {
				if name == r["missed"] {
					continue
				}
				if g.Model, err = model.Get(name, model.Options{}); err != nil {
					t.Fatal(err)
				}
				res, err := explore.Explore(p, g)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				expect(name, res.Errors, res.GaveUp, err)
			}
			for _, m := range []states.Model{states.SC, states.TSO} {
				s := States{Options: states.Options{
					Model: m, Machine: g.Machine, Workers: 1, RaceCheck: true, MemoryCheck: true,
					POR: true, Symmetry: true, Timeout: time.Minute, MaxMemory: 1 << 30, Buffer: 8,
				}}
				res, _, err := s.explore(p)
				if err != nil {
					t.Fatalf("states, %v: %v", m, err)
				}
				expect("states, "+m.String(), res.Errors, res.GaveUp, err)
			}
		})
	}
}

// TestSanitizers compares the verdicts of the manifest with what the program does natively, under the sanitizer that the row
// names; "-" is for what no sanitizer finds.
func TestSanitizers(t *testing.T) {
	needClang(t)
	available := map[string]bool{}
	for name := range sanitizers {
		available[name] = hasSanitizer(t, name)
	}
	for _, r := range readManifest(t, filepath.Join(undefined, "expected.tsv")) {
		s, known := sanitizers[r["sanitizer"]]
		if !known {
			continue
		}
		t.Run(r["file"]+" "+r["flags"], func(t *testing.T) {
			if !available[r["sanitizer"]] {
				t.Skipf("clang has no runtime for -fsanitize=%s", r["sanitizer"])
			}
			t.Parallel()
			flags, err := parseFlags(r["flags"], &explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			out, failed := runNatively(t, filepath.Join(undefined, r["file"]), append(flags, s...))
			if failed != (r["verdict"] == "error") {
				t.Errorf("-fsanitize=%s: failed: %v, want %s (%s)\n%s", r["sanitizer"], failed, r["verdict"], r["note"], out)
			}
		})
	}
}

// sanitizers are the names in the column, with the flags that choose them.
var sanitizers = map[string][]string{
	"address":   {"-fsanitize=address", "-fsanitize-address-use-after-scope"},
	"memory":    {"-fsanitize=memory"},
	"undefined": {"-fsanitize=undefined", "-fno-sanitize-recover=all"},
}

func hasSanitizer(t *testing.T, name string) bool {
	t.Helper()
	file := filepath.Join(t.TempDir(), "empty.c")
	if err := os.WriteFile(file, []byte("int main(void) { return 0; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return exec.Command("clang", append(sanitizers[name], file, "-o", file+".out")...).Run() == nil
}

// runNatively compiles and runs a program. Right ones return 0.
func runNatively(t *testing.T, file string, flags []string) (out string, failed bool) {
	t.Helper()
	clang := "clang"
	if filepath.Ext(file) != ".c" {
		clang = "clang++"
	}
	exe := filepath.Join(t.TempDir(), "program")
	if msg, err := exec.Command(clang, append(flags, "-O0", "-w", "-g", "-pthread", file, "-o", exe)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=0")
	text, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(text)), err != nil
}
