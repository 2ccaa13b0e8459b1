package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBadInput checks that what is wrong with an input is said with its place and what to do about it.
func TestBadInput(t *testing.T) {
	needClang(t)
	dir := t.TempDir()
	t.Chdir(dir)
	asm := func(text string) string { return "int main(void) {\n\tint x = 1;\n\t" + text + "\n}\n" }
	writeAll(t, dir, map[string]string{
		"torn/compile_commands.json":    `[{"directory": "/", "file": "a.c", "command": "cc -c a.c"},`,
		"object/compile_commands.json":  `{"a": 1}`,
		"empty/compile_commands.json":   `[]`,
		"lacks/compile_commands.json":   `[{"directory": ".", "file": "none.c", "command": "cc -c none.c"}]`,
		"nothing/compile_commands.json": "[\n{\"directory\": \".\", \"file\": \"a.c\"}]",
		"mnemonic.c":                    asm(`__asm__ volatile("movl $1, %0\n\tbogus %0" : "+r"(x));`),
		"operand.c":                     asm(`float f; __asm__ volatile("movl $1, %0" : "=t"(f));`),
		"bits.c":                        asm(`__asm__ volatile("movl $1, %0" : "=x"(x));`),
		"x.bc":                          "garbage", "x.o": "garbage", "x.a": "!<arch>\ngarbage", "x.ll": "define\n", "x.py": "",
		"binary.c": "\x7fELF\x00\x01", "binary.rs": "\x00", "Makefile": "all:\n", "x.litmus": "", "x.cat": "", "x.h": "", "program": "",
	})
	for _, c := range []struct{ args, want string }{
		{"torn/compile_commands.json", "torn/compile_commands.json:1:60: the file ends here\nit should be a list of commands: build again with cmake"},
		{"object/compile_commands.json", "object/compile_commands.json:1:1: this is not a list of commands: build again with cmake"},
		{"empty/compile_commands.json", "no commands: build again with cmake"},
		{"lacks/compile_commands.json", "none.c, which is not there: build the project again"},
		{"nothing/compile_commands.json", `nothing/compile_commands.json:2:1: the command for a.c has no "command" and no "arguments"`},
		{"mnemonic.c", `mnemonic.c:3:2: inline assembly`},
		{"mnemonic.c", `no instruction "BOGUS" that this program knows; write it with __atomic builtins or in C`},
		{"operand.c", "operand.c:3:11: inline assembly"},
		{"bits.c", "bits.c:3:2: inline assembly"},
		{"x.bc", "x.bc: llvm-dis"},
		{"x.o", "x.o: this is not an object file"},
		{"x.a", "x.a: the archive is broken at byte 8"},
		{"x.ll", "x.ll:2:1: expected a type, found the end of the file"},
		{"x.py", `x.py: what is a ".py" file? ravel check reads .c`},
		{"binary.c", "binary.c: this is not the text of a program: it has bytes that are 0"},
		{"binary.rs", "binary.rs: this is not the text of a program"},
		{"Makefile", "use bear -- make, or cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, then ravel check compile_commands.json"},
		{"x.litmus", "x.litmus is a litmus test: ravel litmus x.litmus runs it"},
		{"x.cat", "x.cat is a memory model: --model x.cat checks a program under it"},
		{"x.h", "x.h is a header: name the source that includes it"},
		{"program", "program: the name does not say what language this is"},
		{"mnemonic.c -DN=3", "flags for the compiler come last, after --: ravel check FILE -- -DN=3"},
		{"--clang ./none mnemonic.c", "mnemonic.c: can't run ./none"},
	} {
		if runtime.GOARCH != "amd64" && strings.Contains(c.args, ".c") && !strings.Contains(c.args, "json") {
			continue // assembly of x86
		}
		if status, out, errs := runRavel(t, append([]string{"check"}, strings.Fields(c.args)...)...); status != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("ravel check %s: %d\n%s%s\nwant %s", c.args, status, out, errs, c.want)
		}
	}
}

// TestNoToolchain checks what is said where a compiler is missing, or killed.
func TestNoToolchain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("compilers are shell scripts")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	writeAll(t, dir, map[string]string{
		"x.c": "int main(void) { return 0; }\n", "x.cpp": "int main() {}\n", "x.rs": "fn main() {}\n", "x.bc": "", "p/Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\n", "p/src/main.rs": "fn main() {}\n",
		"bin/clang": "#!/bin/sh\nkill -9 $$\n", "bin/rustc": "#!/bin/sh\necho no toolchain >&2\nexit 1\n",
	})
	for _, f := range []string{"bin/clang", "bin/rustc"} {
		if err := os.Chmod(f, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	nowhere := "PATH=" + filepath.Join(dir, "none") + " HOME=" + dir + " XDG_CACHE_HOME=" + filepath.Join(dir, "cache")
	broken := strings.Replace(nowhere, "/none ", "/bin:"+filepath.Dir(sh)+" ", 1)
	for _, c := range []struct{ env, file, want string }{
		{nowhere, "x.c", "x.c: no clang on PATH: install one (apt-get install clang) or name it with --clang"},
		{nowhere, "x.cpp", "x.cpp: no clang on PATH"},
		{nowhere, "x.rs", "x.rs: no rustc on PATH: install Rust (https://rustup.rs)"},
		{nowhere, "x.bc", "x.bc: no llvm-dis on PATH to read bitcode: install it (apt-get install llvm)"},
		{nowhere, "p/Cargo.toml", "no cargo on PATH: install Rust (https://rustup.rs)"},
		{broken, "--clang bin/clang x.c", "x.c: clang failed:\nsignal: killed"},
		{broken, "x.rs", "x.rs: rustc failed:\nno toolchain"},
	} {
		if status, out := process(t, "main", c.env, append([]string{"check"}, strings.Fields(c.file)...)...); status != 2 || !strings.Contains(out, c.want) {
			t.Errorf("%s: %d %s, want %s", c.file, status, out, c.want)
		}
	}
}
