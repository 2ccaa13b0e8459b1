package llvm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ravel/internal/cache"
	"ravel/internal/ir"
)

// A keptProject is a program in a folder, with a compiler that counts its runs.
type keptProject struct {
	t     *testing.T
	dir   string
	store *cache.Store
	opts  Options
	files []string
}

func newKeptProject(t *testing.T) *keptProject {
	if runtime.GOOS == "windows" {
		t.Skip("the compiler is a shell script")
	}
	clang, err := FindClang()
	if err != nil {
		t.Skip(err)
	}
	p := &keptProject{t: t, dir: t.TempDir(), files: []string{"main.c", "part.c"}}
	p.store = cache.In(filepath.Join(p.dir, "cache"), cache.Limit)
	p.write("main.c", "#include \"own.h\"\n#include <late.h>\nint part(void);\nint main(void) { return part() + OWN + LATE; }\n")
	p.write("part.c", "#if __has_include(<maybe.h>)\n#include <maybe.h>\n#endif\n#ifdef FLAG\nint flag = FLAG;\n#endif\nint part(void) { return 1; }\n")
	p.write("own.h", "#define OWN 10\n")
	p.write("last/late.h", "#define LATE 100\n")
	p.write("clang", "#!/bin/sh\ncase \"$*\" in --version) ;; *-S*) echo run >>"+p.path("runs")+" ;; esac\nexec "+clang+" \"$@\"\n")
	for _, d := range []string{"first", "last"} {
		if err := os.MkdirAll(p.path(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.opts = Options{Clang: p.path("clang"), Dir: p.dir, Flags: []string{"-Ifirst", "-Inever", "-Ilast"}}
	return p
}

func (p *keptProject) path(name string) string { return filepath.Join(p.dir, name) }

// write writes a file that looks as if it were older than the run that follows.
func (p *keptProject) write(name, text string) {
	p.t.Helper()
	file := p.path(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
	p.age(name)
}

// age makes a file look older than the run that follows.
func (p *keptProject) age(name string) {
	p.t.Helper()
	then := time.Now().Add(-time.Minute)
	if err := os.Chtimes(p.path(name), then, then); err != nil {
		p.t.Fatal(err)
	}
}

// load loads the program, and wants as many files to be compiled, and the program that there is without a cache.
func (p *keptProject) load(what string, runs int) *ir.Program {
	p.t.Helper()
	got := p.count(what, runs)
	p.opts.Cache = nil
	want, err := Load(p.files, p.opts)
	if err != nil {
		p.t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		p.t.Errorf("%s: the program of the cache is another one:\n%v\nwant\n%v", what, got, want)
	}
	return got
}

// count loads the program, and wants as many files to be compiled.
func (p *keptProject) count(what string, runs int) *ir.Program {
	p.t.Helper()
	os.Remove(p.path("runs"))
	p.opts.Cache = p.store
	got, err := Load(p.files, p.opts)
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	log, _ := os.ReadFile(p.path("runs"))
	if n := strings.Count(string(log), "run"); n != runs {
		p.t.Errorf("%s: %d files are compiled, want %d", what, n, runs)
	}
	return got
}

// A file is compiled again if, and only if, something changed that its text depends on. That is what the documents of clang and C say: contents of headers, headers
// that come earlier in the search, flags, the compiler, the environment.
func TestKept(t *testing.T) {
	p := newKeptProject(t)
	p.load("at first", 2)
	p.load("again", 0)
	p.write("own.h", "#define OWN 20\n")
	p.load("a header that one file reads changed", 1)
	p.load("again", 0)
	p.write("own.h", "#define OWN 10\n")
	p.load("the header is as it was", 0)
	p.write("part.c", "int part(void) { return 1; }\n#if __has_include(<maybe.h>)\n#include <maybe.h>\n#endif\n")
	p.load("a source changed", 1)
	p.write("first/late.h", "#define LATE 300\n")
	p.load("a header appeared that is found earlier", 1)
	p.write("first/maybe.h", "int maybe;\n")
	p.load("a header appeared that was asked for", 1)
	p.write("never/late.h", "#define LATE 400\n")
	os.Remove(p.path("first/late.h"))
	p.load("a folder appeared, and a header is gone: one file asks for it", 1)
	p.opts.Flags = append(p.opts.Flags, "-DFLAG=1")
	p.load("another flag", 2)
	p.load("again", 0)
	p.opts.Flags[len(p.opts.Flags)-1] = "-UFLAG"
	p.load("another flag", 2)
	p.opts.Units = map[string]Unit{"part.c": {Flags: []string{"-DFLAG=2"}}}
	p.load("a flag of one file", 1)
	t.Setenv("CPATH", p.path("first"))
	p.load("another environment", 2)
	p.load("again", 0)

	text, err := os.ReadFile(p.path("clang"))
	if err != nil {
		t.Fatal(err)
	}
	p.write("clang", strings.Replace(string(text), "--version) ;;", "--version) echo version 99 ;;", 1))
	p.load("another compiler", 2)
	p.load("again", 0)

	k := newKept(p.store, "")
	name, versions := k.name(p.files, &p.opts)
	if k.program(name, versions) == nil {
		t.Error("the linked program is not kept")
	}
	if k.program(name, func() []string { return []string{"version 100"} }) != nil {
		t.Error("a linked program is taken for that of another compiler")
	}
	k.binary = "another ravel"
	if other, versions := k.name(p.files, &p.opts); k.program(other, versions) != nil {
		t.Error("a linked program is taken for that of another ravel")
	}
}

// A damaged cache is an empty one.
func TestKeptTorn(t *testing.T) {
	p := newKeptProject(t)
	p.load("at first", 2)
	entries, err := os.ReadDir(p.path("cache"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Truncate(filepath.Join(p.path("cache"), e.Name()), 100); err != nil {
			t.Fatal(err)
		}
	}
	p.load("all entries are cut", 2)
	p.load("again", 0)
}

// What can't be known for sure is not kept.
func TestNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("runs clang a dozen times")
	}
	for name, part := range map[string]string{
		"the time":     "int part(void) { return sizeof __TIME__; }\n",
		"a macro":      "#define H \"own.h\"\n#include H\nint part(void) { return OWN; }\n",
		"a macro, too": "#define H \"own.h\"\n#if __has_include(H)\n#endif\nint part(void) { return 1; }\n",
	} {
		p := newKeptProject(t)
		p.write("part.c", part)
		p.load(name, 2)
		p.load(name, 1)
	}
	p := newKeptProject(t)
	p.write("flags", "-DFLAG=1\n")
	p.opts.Flags = append(p.opts.Flags, "@flags")
	p.load("flags in a file", 2)
	p.load("flags in a file", 2)

	p = newKeptProject(t) // a file that is written while we run may change behind the compiler's back
	if err := os.Chtimes(p.path("part.c"), time.Now().Add(time.Hour), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	p.load("a new file", 2)
	p.load("a new file", 1)
}

// rustc names the files and variables that a crate reads.
func TestKeptRust(t *testing.T) {
	if testing.Short() {
		t.Skip("runs rustc several times")
	}
	if findRustc() == "" {
		t.Skip("no rustc")
	}
	p := newKeptProject(t)
	p.files = []string{"main.rs"}
	p.opts = Options{Dir: p.dir}
	p.write("main.rs", "mod part;\nfn main() { assert!(part::one() == 1, \"{:?}\", option_env!(\"RAVEL_TEST_WORD\")); }\n")
	p.write("part.rs", "pub fn one() -> u32 { 1 }\n")
	first := p.load("at first", 0)
	p.write("part.rs", "pub fn one() -> u32 { 2 }\n")
	second := p.load("a module changed", 0)
	t.Setenv("RAVEL_TEST_WORD", "a word")
	third := p.load("a variable of the environment", 0)
	if reflect.DeepEqual(first, second) || reflect.DeepEqual(second, third) {
		t.Error("programs are equal that are not")
	}
}

// A program with a crate from a file is kept.
func TestKeptCrate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles crates")
	}
	rustc := findRustc()
	if rustc == "" {
		t.Skip("no rustc")
	}
	p := newKeptProject(t)
	p.write("one.rs", "pub fn one() -> u32 { 1 }\n")
	cmd := exec.Command(rustc, "--crate-type=rlib", "-g", "one.rs")
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p.age("libone.rlib")
	p.write("bin/rustc", "#!/bin/sh\ncase \"$*\" in -vV|--version|--print*) ;; *) echo run >>"+p.path("runs")+" ;; esac\nexec "+rustc+" \"$@\"\n")
	t.Setenv("PATH", p.path("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	p.write("main.rs", "fn main() { assert!(one::one() == 1); }\n")
	p.opts = Options{Dir: p.dir}
	p.files = []string{"main.rs", "libone.rlib"}
	p.count("at first", 2) // the program, and the crates
	p.count("again", 0)
}

// What is kept depends on the contents of the crates that flags name, and of those that rustc may find.
func TestCrateParts(t *testing.T) {
	p := newKeptProject(t)
	names := []string{"lib/libone.rlib", "lib/libtwo.rmeta"}
	for _, flags := range []string{"--extern one=lib/libone.rlib", "--extern=priv:one=lib/libone.rlib", "--extern one -L lib", "-Llib", "-L dependency=lib"} {
		parts := func() string {
			k := newKept(p.store, "")
			text := strings.Join(k.crateParts(strings.Fields(flags), p.dir), "\n")
			if k.others || !k.settled() {
				t.Errorf("%s: is not kept", flags)
			}
			return text
		}
		for _, n := range names {
			p.write(n, "first")
		}
		first := parts()
		if parts() != first {
			t.Errorf("%s: differs from run to run", flags)
		}
		p.write(names[0], "other")
		if parts() == first {
			t.Errorf("%s: does not tell a crate from another", flags)
		}
		p.write(names[0], "first")
		p.write(names[1], "other")
		if all := strings.Contains(flags, "-L"); all != (parts() != first) {
			t.Errorf("%s: looks at crates that rustc may find: want %v", flags, all)
		}
	}
	k := newKept(p.store, "")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(p.path(names[0]), later, later); err != nil {
		t.Fatal(err)
	}
	if k.crateParts([]string{"-Llib"}, p.dir); k.settled() {
		t.Error("a crate that may be written while we run is kept")
	}
	p.write("lib/libmacro.so", "")
	k = newKept(p.store, "") // lists of folders are kept during a run
	if k.crateParts([]string{"-Llib"}, p.dir); !k.others {
		t.Error("a macro may read anything, and its result is kept")
	}
}

func TestPrerequisites(t *testing.T) {
	const rules = "x: a.c /usr/b.h \\\n  with\\ space.h dollar$$.h a.c\n\n# env-dep:A=b: c\nb.h:\n"
	want := []string{"a.c", "/usr/b.h", "with space.h", "dollar$.h"}
	if got := prerequisites(rules); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", fmt.Sprint(got), want)
	}
}

// TestVersionKey checks that what a program says of its version is remembered only if the program itself is a compiler.
func TestVersionKey(t *testing.T) {
	key := func(path string) bool {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		_, ok := versionKey(path, path, info)
		return ok
	}
	script := filepath.Join(t.TempDir(), "clang")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec clang \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if key(script) {
		t.Error("a script may run another compiler in each folder")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if key(self) {
		t.Errorf("%s is no clang", self)
	}
	_, err = os.Stat("/etc/ld.so.cache")
	named := filepath.Join(t.TempDir(), "clang-99")
	if err := os.Symlink(self, named); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && key(named) != (err == nil) {
		t.Errorf("a program in machine code is asked once, if there is a list of libraries: %v", err)
	}
}
