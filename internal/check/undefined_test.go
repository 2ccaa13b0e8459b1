package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ravel/internal/engine"
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
			g := explore.Options{Options: engine.Options{RaceCheck: true, MemoryCheck: true, Workers: 1, Timeout: time.Minute, Machine: machine.Options{SpinAssume: true}}}
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
				res, err := explore.Explore(t.Context(), p, g)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				expect(name, res.Errors, res.GaveUp, err)
			}
			for _, m := range []states.Model{states.SC, states.TSO} {
				s := States{Options: states.Options{
					Model: m, Options: engine.Options{Machine: g.Machine, Workers: 1, RaceCheck: true, MemoryCheck: true, Symmetry: true, Timeout: time.Minute, MaxMemory: 1 << 30},
					POR: true, Buffer: 8,
				}}
				res, _, err := s.explore(t.Context(), p)
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
	if testing.Short() {
		t.Skip("compiles with sanitizers")
	}
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

// TestUndefValues checks what becomes of undef and poison in LLVM text: the language reference lets them be copied, computed with and chosen between,
// but not decide on a branch, an address or output.
func TestUndefValues(t *testing.T) {
	const tail = "  br i1 %c, label %yes, label %no\nyes:\n  ret i32 0\nno:\n  ret i32 1\n}\n"
	const head = "@g = global i32 0\n@a = global [4 x i32] zeroinitializer\ndefine i32 @main() {\n"
	pair := "define { i32, i64 } @f() {\n%s}\n"
	for _, test := range []struct{ name, text, want string }{
		{"branch", head + "  %c = icmp eq i32 undef, 1\n" + tail, "a branch depends on an undefined value"},
		{"poison", head + "  %c = icmp eq i32 poison, 1\n" + tail, "a branch depends on an undefined value"},
		{"switch", head + "  switch i32 undef, label %x [ i32 1, label %x ]\nx:\n  ret i32 0\n}\n", "a branch depends on an undefined value"},
		{"wide", head + "  %w = add i128 undef, 1\n  %c = icmp eq i128 %w, 1\n" + tail, "a branch depends on an undefined value"},
		{"frozen", head + "  %w = freeze i32 undef\n  %u = add i128 undef, 1\n  %v = freeze i128 %u\n  %d = icmp eq i128 %v, 1\n  %e = icmp eq i32 %w, 1\n  %c = or i1 %d, %e\n" + tail, ""},
		{"computed", head + "  %x = and i32 undef, 0\n  %c = icmp eq i32 %x, 0\n" + tail, ""},
		{"low byte", head + "  %x = zext i8 undef to i32\n  %y = lshr i32 %x, 8\n  %c = icmp eq i32 %y, 0\n" + tail, ""},
		{"not chosen", head + "  %x = load i32, ptr @g\n  %d = icmp eq i32 %x, 0\n  %y = select i1 %d, i32 3, i32 undef\n  %c = icmp eq i32 %y, 3\n" + tail, ""},
		{"chosen", head + "  %x = load i32, ptr @g\n  %d = icmp ne i32 %x, 0\n  %y = select i1 %d, i32 3, i32 undef\n  %c = icmp eq i32 %y, 3\n" + tail, "a branch depends on"},
		{"phi", head + "  br label %l\nl:\n  %i = phi i32 [ 0, %0 ], [ 1, %l ]\n  %v = phi i32 [ undef, %0 ], [ 5, %l ]\n  %d = icmp eq i32 %i, 0\n  br i1 %d, label %l, label %m\nm:\n  %c = icmp eq i32 %v, 5\n" + tail, ""},
		{"phi used", head + "  br label %m\nm:\n  %v = phi i32 [ undef, %0 ]\n  %c = icmp eq i32 %v, 5\n" + tail, "a branch depends on an undefined value"},
		{"address", head + "  %x = and i64 undef, 3\n  %p = getelementptr [4 x i32], ptr @a, i64 0, i64 %x\n  store i32 1, ptr %p\n  ret i32 0\n}\n", "an address depends on an undefined value"},
		{"stored", head + "  store i32 undef, ptr @g\n  ret i32 0\n}\n", ""},
		{"stored and used", head + "  store i32 undef, ptr @g\n  %x = load i32, ptr @g\n  %c = icmp eq i32 %x, 0\n" + tail, "a branch depends on memory that was never written"},
		{"exit status", "define i32 @main() {\n  ret i32 undef\n}\n", "the exit status depends on"},
		{"returned", "define i32 @f() {\n  ret i32 undef\n}\n" + head + "  %x = call i32 @f()\n  %y = add i32 %x, 1\n  ret i32 0\n}\n", ""},
		{"returned and used", "define i32 @f() {\n  ret i32 undef\n}\n" + head + "  %x = call i32 @f()\n  %c = icmp eq i32 %x, 1\n" + tail, "a branch depends on"},
		{"passed", "define i32 @f(i32 %x, i32 %y) {\n  ret i32 %y\n}\n" + head + "  %x = call i32 @f(i32 undef, i32 0)\n  %c = icmp eq i32 %x, 0\n" + tail, ""},
		{
			"filled", fmt.Sprintf(pair, "  %a = insertvalue { i32, i64 } poison, i32 3, 0\n  %b = insertvalue { i32, i64 } %a, i64 4, 1\n  ret { i32, i64 } %b\n") +
				head + "  %x = call { i32, i64 } @f()\n  %y = extractvalue { i32, i64 } %x, 1\n  %c = icmp eq i64 %y, 4\n" + tail, "",
		},
		{
			"half filled", fmt.Sprintf(pair, "  ret { i32, i64 } { i32 0, i64 undef }\n") +
				head + "  %x = call { i32, i64 } @f()\n  %y = extractvalue { i32, i64 } %x, 0\n  %c = icmp eq i32 %y, 0\n" + tail, "",
		},
		{
			"the other half", fmt.Sprintf(pair, "  ret { i32, i64 } { i32 0, i64 undef }\n") +
				head + "  %x = call { i32, i64 } @f()\n  %y = extractvalue { i32, i64 } %x, 1\n  %c = icmp eq i64 %y, 0\n" + tail, "a branch depends on",
		},
		{"lane", head + "  %v = insertelement <2 x i32> poison, i32 1, i32 0\n  %w = shufflevector <2 x i32> %v, <2 x i32> poison, <2 x i32> zeroinitializer\n  %x = extractelement <2 x i32> %w, i32 1\n  %c = icmp eq i32 %x, 1\n" + tail, ""},
		{"other lane", head + "  %v = insertelement <2 x i32> poison, i32 1, i32 0\n  %x = extractelement <2 x i32> %v, i32 1\n  %c = icmp eq i32 %x, 1\n" + tail, "a branch depends on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.ll")
			if err := os.WriteFile(file, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			p, err := Load([]string{file}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"rc11", "imm"} {
				m, err := model.Get(name, model.Options{})
				if err != nil {
					t.Fatal(err)
				}
				res, err := explore.Explore(t.Context(), p, explore.Options{Model: m, Options: engine.Options{RaceCheck: true, MemoryCheck: true, Workers: 1, Machine: machine.Options{SpinAssume: true}}})
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				if len(res.Errors) > 0 {
					got = res.Errors[0].Message
				}
				if (got == "") != (test.want == "") || !strings.HasPrefix(got, test.want) {
					t.Errorf("%s: %q, want %q\n%s", name, got, test.want, test.text)
				}
			}
		})
	}
}
