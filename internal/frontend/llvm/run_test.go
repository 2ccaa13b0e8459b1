package llvm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ravel/internal/ir"
	"ravel/internal/short"
)

// allClangs returns every clang on PATH, in short mode only the newest.
func allClangs(t testing.TB) []string {
	if testing.Short() {
		if p, err := FindClang(); err == nil {
			return []string{p}
		}
	}
	var out []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.Clean(dir) == "/bin" { // the same files as /usr/bin
			continue
		}
		found, _ := filepath.Glob(filepath.Join(dir, "clang-[0-9][0-9]"))
		out = append(out, found...)
	}
	if len(out) == 0 {
		if p, err := exec.LookPath("clang"); err == nil {
			return []string{p}
		}
		t.Skip("no clang on PATH")
	}
	return out
}

// TestRun compares the result of each program, as lowered, with that of the native code.
func TestRun(t *testing.T) {
	files, _ := filepath.Glob("testdata/run/*.c*")
	for _, clang := range allClangs(t) {
		for _, file := range short.Every(4, files) {
			for _, flags := range short.Every(3, []string{"-O0", "-O2", "-O3 -mavx2"}) {
				t.Run(filepath.Base(clang)+"/"+filepath.Base(file)+"/"+flags, func(t *testing.T) {
					t.Parallel()
					runBoth(t, clang, file, strings.Fields(flags))
				})
			}
		}
	}
}

func runBoth(t *testing.T, clang, file string, flags []string) {
	flags = append(flags, "-w", "-mcx16")
	exe := filepath.Join(t.TempDir(), "a.out")
	cxx := "--driver-mode=gcc"
	if filepath.Ext(file) != ".c" {
		cxx = "--driver-mode=g++"
	}
	args := append([]string{cxx}, flags...)
	if out, err := exec.Command(clang, append(args, "-o", exe, file, "-lm", "-latomic")...).CombinedOutput(); err != nil {
		if out2, err2 := exec.Command(clang, append(args, "-o", exe, file, "-lm")...).CombinedOutput(); err2 != nil {
			t.Skipf("%s\n%s", out, out2)
		}
	}
	p, err := Load([]string{file}, Options{Clang: clang, Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, p, exe)
}

// TestRunRust does the same for Rust.
func TestRunRust(t *testing.T) {
	rustc := findRustc()
	if rustc == "" {
		t.Skip("no rustc")
	}
	files, _ := filepath.Glob("testdata/run/*.rs")
	for _, file := range short.Every(2, files) {
		for _, opt := range short.Every(2, []string{"", "opt-level=3"}) {
			t.Run(filepath.Base(file)+"/"+opt, func(t *testing.T) { runRust(t, rustc, file, opt) })
		}
	}
}

func runRust(t *testing.T, rustc, file, opt string) {
	exe := filepath.Join(t.TempDir(), "a.out")
	var flags []string
	if opt != "" {
		flags = []string{"-C", opt}
	}
	args := append([]string{"--edition=2021", "-C", "panic=abort", "-o", exe, file}, flags...)
	if out, err := exec.Command(rustc, args...).CombinedOutput(); err != nil {
		t.Skipf("%s", out)
	}
	p, err := Load([]string{file}, Options{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, p, exe)
}

// compare runs exe and the lowered program.
func compare(t *testing.T, p *ir.Program, exe string) {
	want := 0
	var exit *exec.ExitError
	if err := exec.Command(exe).Run(); errors.As(err, &exit) {
		want = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	got, err := runMain(p)
	if err != nil {
		t.Fatal(err)
	}
	if int(got&255) != want {
		t.Errorf("lowered code returns %d, native code %d", got&255, want)
	}
}

// Several rustc at once, on files of the same name from one working directory, do not read each other's intermediate files.
func TestRustSideBySide(t *testing.T) {
	if findRustc() == "" {
		t.Skip("no rustc")
	}
	var wait sync.WaitGroup
	for i := range short.Count(8, 3) {
		name := fmt.Sprint("program", i)
		file := filepath.Join(t.TempDir(), "same.rs")
		text := "#[no_mangle]\npub fn " + name + "() {}\nfn main() { " + name + "() }\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		wait.Go(func() {
			p, err := Load([]string{file}, Options{})
			if err != nil {
				t.Error(err)
			} else if !slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool { return f.Name == name }) {
				t.Errorf("%s is missing: another program was loaded", name)
			}
		})
	}
	wait.Wait()
}
