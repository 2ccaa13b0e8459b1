package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ravel/internal/short"
)

func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInputs checks programs that are not files with sources. Each has an assertion that holds only if the right files were compiled in the right way.
func TestInputs(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	t.Chdir(dir)
	writeAll(t, dir, map[string]string{
		// C11 lets _Generic stand here, C++17 if with an initialiser: neither compiler takes the other's.
		"both/main.c":      "#include <assert.h>\nint twice(int);\nint main(void) { assert(twice(_Generic(1, int: 2)) == 4); }\n",
		"both/twice.cpp":   "extern \"C\" int twice(int n) { if (int m = n; m) return 2 * m; return 0; }\n",
		"both/sub/other.c": "int main(void) { return 1; }\n",
		"cmake/a.c":        "#include <assert.h>\n#include \"n.h\"\nint main(void) { assert(N == M); }\n",
		"cmake/b.c":        "#include <assert.h>\nint main(void) { assert(N == 5); }\n",
		"cmake/inc/n.h":    "#define M 4\n",
		"cmake/compile_commands.json": `[
			{"directory": ".", "file": "a.c", "arguments": ["cc", "-DN=4", "-Iinc", "-O3", "-c", "a.c"]},
			{"directory": ".", "file": "b.c", "command": "cc -DN=5 -DNDEBUG -c b.c"}]`,
		"empty/x.txt": "",
	})
	for _, c := range short.Every(2, []struct {
		args   string
		status int
		want   string
	}{
		{"check both", 0, "verified"},
		{"check both -- -std=c11 -std=c++17", 0, "verified"},
		{"check both -- -std=c++17", 0, "verified"},
		{"check both/main.c -- -std=c++17", 2, "-std=c++17"},
		{"check empty", 2, "empty has no C or C++ sources"},
		{"check cmake/compile_commands.json cmake/a.c", 0, "verified"},
		{"check cmake/compile_commands.json cmake/a.c -- -UN -DN=3", 1, "assertion"},
		{"check cmake/compile_commands.json cmake/b.c", 0, "-DNDEBUG takes the assertions out of b.c"},
		{"check cmake/compile_commands.json", 2, "name the files of one program"},
		{"check cmake/compile_commands.json both/main.c", 2, "no command compiles both/main.c"},
		{"check -", 2, "say with --language"},
		{"check --language c both", 2, "--language is for the standard input"},
	}) {
		status, out, errs := runRavel(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(out+errs, c.want) {
			t.Errorf("ravel %s: status %d, want %d and %q:\n%s%s", c.args, status, c.status, c.want, out, errs)
		}
	}
}

func TestStdin(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	t.Chdir(dir)
	writeAll(t, dir, map[string]string{
		"n.h": "#define N 4\n", "inc/m.h": "#define M 4\n",
		"in": "#include <assert.h>\n#include \"n.h\"\n#include <m.h>\nint main(void) {\n  assert(N != M);\n}\n",
	})
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	for _, language := range []string{"c", "c++"} {
		f, err := os.Open("in")
		if err != nil {
			t.Fatal(err)
		}
		os.Stdin = f
		status, out, errs := runRavel(t, "check", "--language", language, "-", "--", "-Iinc")
		f.Close()
		if status != 1 || !strings.Contains(out, "stdin.c") || !strings.Contains(out, "assert(N != M)") {
			t.Errorf("%s: status %d\n%s%s", language, status, out, errs)
		}
	}
}

// TestObjects: of an archive, only objects that are needed become part of the program.
func TestObjects(t *testing.T) {
	needClang(t)
	for _, tool := range []string{"clang", "ar", "llvm-dis"} {
		if !hasProgram(tool) {
			t.Skip("no " + tool)
		}
	}
	dir := t.TempDir()
	t.Chdir(dir)
	writeAll(t, dir, map[string]string{
		"main.c":                   "#include <assert.h>\nint twice(int);\nint main(void) { assert(twice(2) == 4); }\n",
		"twice_with_a_long_name.c": "int helper(int);\nint twice(int n) { return helper(n) * 2; }\n",
		"helper.c":                 "int helper(int n) { return n; }\n",
		"other.c":                  "#include <stdlib.h>\nint main(void) { abort(); }\n__attribute__((constructor)) static void init(void) { abort(); }\n",
		"broken.a":                 "!<arch>\nx",
		"thin.a":                   "!<thin>\n",
		"not.o":                    "text",
		"machine.c":                "int main(void) { return 0; }\n",
	})
	command := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%v: %v\n%s", args, err, out)
		}
	}
	for _, f := range []string{"main", "twice_with_a_long_name", "other"} {
		command("clang", "-g", "-O0", "-flto", "-c", f+".c")
	}
	command("clang", "-g", "-O0", "-fembed-bitcode", "-c", "helper.c")
	command("clang", "-c", "machine.c")
	command("ar", "rcS", "lib.a", "other.o", "helper.o", "twice_with_a_long_name.o")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"check main.o lib.a", 0, "verified"},
		{"check main.c lib.a", 0, "verified"},
		{"check main.c helper.o twice_with_a_long_name.o", 0, "verified"},
		{"check lib.a", 1, "abort"},
		{"check machine.o", 2, "machine.o has machine code and no bitcode"},
		{"check broken.a", 2, "the archive is broken at byte 8"},
		{"check thin.a", 2, "thin.a is a thin archive"},
		{"check not.o", 2, "not.o: this is not an object file"},
	} {
		status, out, errs := runRavel(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(out+errs, c.want) {
			t.Errorf("ravel %s: status %d, want %d and %q:\n%s%s", c.args, status, c.status, c.want, out, errs)
		}
	}
}

// What the compiler says comes after the verdict, if there is an error or -v.
func TestCompilerSays(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	t.Chdir(dir)
	writeAll(t, dir, map[string]string{"warn.c": "#include <assert.h>\n#warning strange\n#ifndef N\n#define N 1\n#endif\nint main(void) { assert(N); }\n"})
	for args, want := range map[string]bool{"check warn.c": false, "check -v warn.c": true, "check warn.c -- -DN=0": true} {
		_, out := process(t, "main", "", strings.Fields(args)...)
		verdict, said := strings.Index(out, " (rc11)"), strings.Index(out, "strange")
		if verdict < 0 || (said > verdict) != want || !want && said >= 0 {
			t.Errorf("%s: %s", args, out)
		}
	}
	if _, out := process(t, "main", "", "check", "--json", "warn.c"); !strings.Contains(out, "strange") {
		t.Errorf("no warning in %s", out)
	}
}

// A run that is stopped says where executions are long, or that there are many.
func TestStopped(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	t.Chdir(dir)
	const head = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\nvoid *f(void *p) {\n"
	const tail = "\treturn 0;\n}\nint main(void) {\n\tpthread_t t;\n\tfor (int i = 0; i < 12; i++) pthread_create(&t, 0, f, 0);\n}\n"
	writeAll(t, dir, map[string]string{
		"long.c": head + "\tfor (int i = 0; i < 99; i++)\n\t\tx++;\n" + tail,
		"many.c": head + "\tx++;\n\tx++;\n" + tail,
	})
	for args, want := range map[string]string{
		"check --timeout 500ms long.c":               "passes long.c:6:4 99 times",
		"check --timeout 500ms --model armv8 long.c": "passes long.c:6:4 99 times",
		"check --timeout 500ms many.c":               "there are many executions",
	} {
		if status, out := process(t, "main", "", strings.Fields(args)...); status != 3 || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s, want %q", args, status, out, want)
		}
	}
}
