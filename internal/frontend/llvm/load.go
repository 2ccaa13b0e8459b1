package llvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"ravel/internal/cache"
	"ravel/internal/ir"
	"ravel/internal/limits"
)

// Options say how sources become LLVM IR.
type Options struct {
	Clang      string   // path of clang; "" is the newest one on PATH
	Flags      []string // passed to clang (or rustc) behind ravel's own, so that they win
	IncludeDir string   // folder with ravel's headers
	Runtime    []byte   // text module of ravel's library; may be nil
	Runtime32  []byte   // the same for programs of 32 bits

	Builtin func(name string) bool // functions that the machine provides; nil: take inline functions as clang does

	Ctx     context.Context   // ends compilers; nil: never
	Dir     string            // folder that compilers run in and names of files are relative to; "" is the current one
	Sources map[string][]byte // text IR in memory, by name

	Units map[string]Unit // how single files are compiled, by name

	OnText func(file string, text []byte) // called with the text IR of each file; may be nil

	// Sealed: compilers read nothing but Sources, IncludeDir and the headers of the system. All files are in Sources.
	Sealed bool

	Cache *cache.Store // keeps what compilers make; nil: nothing

	kept    *kept
	externs []string // flags of rustc for the .rlib files
	mixed   bool     // the program has C and C++
	inline  bool     // give inline functions of C a definition
}

// A Unit says how a file is compiled, where that differs from others.
type Unit struct {
	Language string   // c or c++; "" is what the name of the file says
	Dir      string   // folder that the compiler runs in
	Flags    []string // before those of all files, which win
}

// language returns c, c++ or "" for a file.
func (o *Options) language(file string) string {
	if l := o.Units[file].Language; l != "" {
		return l
	}
	switch filepath.Ext(file) {
	case ".c", ".i":
		return "c"
	case ".cc", ".cpp", ".cxx", ".c++", ".C", ".ii":
		return "c++"
	}
	return ""
}

// Load reads, compiles and links files: .c .cc .cpp .cxx .C .rs .rlib .ll .bc .o .a, mixed. The error is a
// *CompileError if a compiler refused a file, an *Error if text IR can't be read.
func Load(files []string, opts Options) (prog *ir.Program, err error) {
	if len(files) == 0 {
		return nil, errors.New("no input files")
	}
	files, opts.externs, err = externFlags(files, &opts)
	if err != nil {
		return nil, err
	}
	languages := map[string]bool{}
	for _, f := range files {
		languages[opts.language(f)] = true
	}
	opts.mixed = languages["c"] && languages["c++"]
	if opts.Clang == "" && (languages["c"] || languages["c++"]) {
		opts.Clang, _ = FindClang() // once for all files; who needs it says that it is missing
	}
	if len(opts.Sources) == 0 {
		opts.kept = newKept(opts.Cache, opts.IncludeDir)
	}
	name, versions := opts.kept.name(files, &opts)
	if p := opts.kept.program(name, versions); p != nil {
		return p, nil
	}
	loaded, notes, err := loadFiles(files, opts)
	if err != nil {
		return nil, err
	}
	mods := slices.Concat(loaded...)
	if slices.ContainsFunc(files, func(f string) bool { return filepath.Ext(f) == ".rs" }) {
		opts.Flags = slices.Concat(opts.externs, opts.Flags)
		m, err := loadExterns(&opts)
		if err != nil {
			return nil, err
		}
		if m != nil {
			mods = append(mods, m)
		}
	}
	mods = needed(mods)
	if len(mods) == 0 {
		return nil, fmt.Errorf("%s: the program has no function main", files[0])
	}
	library := opts.Runtime
	if mods[0].lay.ptr == 4 {
		library = opts.Runtime32
		if library == nil && opts.Runtime != nil {
			return nil, fmt.Errorf("%s: programs with pointers of 32 bits are not checked in the browser", files[0])
		}
	}
	if library != nil {
		m, err := Parse("ravel's runtime library", library)
		if err != nil {
			return nil, err
		}
		m.runtime = true
		mods = append(mods, m)
	}
	if opts.Builtin != nil && lacksFunction(mods, opts.Builtin) {
		if err := defineInline(mods, opts); err != nil {
			return nil, err
		}
	}
	if prog, err = link(mods); err != nil {
		return nil, err
	}
	for _, n := range slices.Concat(notes...) {
		if n != "" {
			prog.Said = append(prog.Said, n)
		}
	}
	for _, m := range mods {
		if m.warning != "" && !slices.Contains(prog.Warnings, m.warning) {
			prog.Warnings = append(prog.Warnings, m.warning)
		}
	}
	opts.kept.putProgram(name, versions, prog, usesRust(mods))
	return prog, nil
}

// loadFiles reads and compiles all files, several at a time. An archive has several modules.
func loadFiles(files []string, opts Options) (mods [][]*Module, notes [][]string, err error) {
	mods = make([][]*Module, len(files))
	notes = make([][]string, len(files))
	errs := make([]error, len(files))
	var wg sync.WaitGroup
	gate := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range files {
		wg.Go(func() {
			defer limits.Crash()
			gate <- struct{}{}
			defer func() { <-gate }()
			if ext := filepath.Ext(f); ext == ".o" || ext == ".a" {
				mods[i], notes[i], errs[i] = loadObjects(f, opts)
				return
			}
			m, note, err := loadFile(f, opts)
			mods[i], notes[i], errs[i] = []*Module{m}, []string{note}, err
		})
	}
	wg.Wait()
	for _, e := range errs { // the first one, as its own type
		if e != nil {
			return nil, nil, e
		}
	}
	return mods, notes, nil
}

// lacksFunction reports whether some module calls a function that is not defined.
func lacksFunction(mods []*Module, builtin func(string) bool) bool {
	defined := map[string]bool{}
	for _, m := range mods {
		for _, s := range m.order {
			if !s.decl && s.link != linkLocal {
				defined[s.name] = true
			}
		}
	}
	for _, m := range mods {
		for _, s := range m.order {
			if s.kind == symFunc && s.decl && !s.implied && !s.isIntrinsic() && !lowered[s.name] && !defined[s.name] && !builtin(s.name) {
				return true
			}
		}
	}
	return false
}

// defineInline compiles C files again so that their inline functions have definitions. C wants one file to have an
// external definition of each, many programs rely on the compiler's inlining instead. A
// definition elsewhere is preferred. The older meaning of inline, which does this, takes away the definitions that are extern inline: a
// file with such ones stays as it is.
func defineInline(mods []*Module, opts Options) error {
	opts.inline = true
	for i, old := range mods {
		if old.file == "" || opts.language(old.file) != "c" {
			continue
		}
		m, _, err := loadFile(old.file, opts)
		if err != nil {
			return err
		}
		for _, s := range m.order {
			if old := mods[i].syms[s.name]; s.kind == symFunc && !s.decl && s.link == linkExternal && (old == nil || old.decl) {
				s.link = linkOnce
			}
		}
		if !loses(mods[i], m) {
			mods[i] = m
		}
	}
	return nil
}

// loses reports whether m lacks a definition that old has.
func loses(old, m *Module) bool {
	for _, s := range old.order {
		if s.kind == symFunc && !s.decl && (m.syms[s.name] == nil || m.syms[s.name].decl) {
			return true
		}
	}
	return false
}

// path returns where a file is.
func (o *Options) path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(o.Dir, file)
}

// isBinary reports whether a file has zero bytes where it begins. Compilers show all of such a file when they complain.
func isBinary(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	return bytes.IndexByte(head[:n], 0) >= 0
}

// unknownFile returns the error for a file that is no program, with what to do instead.
func unknownFile(file string) error {
	const reads = "ravel check reads .c .cc .cpp .cxx .C .rs .rlib .java .class .jar .ll .bc .o .a, compile_commands.json, Cargo.toml and folders"
	switch base, ext := filepath.Base(file), filepath.Ext(file); {
	case ext == ".litmus":
		return fmt.Errorf("%s is a litmus test: ravel litmus %s runs it", file, file)
	case ext == ".cat":
		return fmt.Errorf("%s is a memory model: --model %s checks a program under it", file, file)
	case ext == ".h" || ext == ".hpp" || ext == ".hh":
		return fmt.Errorf("%s is a header: name the source that includes it", file)
	case ext == ".toml":
		return fmt.Errorf("%s: ravel test runs the programs of a ravel.toml; %s", file, reads)
	case base == "Makefile" || base == "makefile" || base == "GNUmakefile" || base == "CMakeLists.txt" || base == "meson.build":
		return fmt.Errorf("%s: ravel takes the list of commands that a build writes: use bear -- make, or cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, then ravel check compile_commands.json", file)
	case ext == "":
		return fmt.Errorf("%s: the name does not say what language this is; %s", file, reads)
	default:
		return fmt.Errorf("%s: what is a %q file? %s", file, ext, reads)
	}
}

// loadFile reads one file; note is what the compiler said although it succeeded.
func loadFile(file string, opts Options) (m *Module, note string, err error) {
	text, known := opts.Sources[file]
	warning := ""
	if !known && opts.Sealed {
		return nil, "", fmt.Errorf("%s: a sealed compilation reads no files", file)
	}
	if !known {
		if _, err := os.Stat(opts.path(file)); err != nil {
			return nil, "", err
		}
	}
	ext := filepath.Ext(file)
	if !known && (opts.language(file) != "" || ext == ".rs") && isBinary(opts.path(file)) {
		return nil, "", fmt.Errorf("%s: this is not the text of a program: it has bytes that are 0", file)
	}
	switch {
	case opts.language(file) != "":
		text, note, warning, err = runClang(file, opts)
	case ext == ".ll":
		if !known {
			text, err = os.ReadFile(opts.path(file))
		}
	case ext == ".bc" && !opts.Sealed:
		text, note, err = disassemble(file, opts)
	case ext == ".rs":
		text, note, err = runRustc(file, opts)
	default:
		return nil, "", unknownFile(file)
	}
	if err != nil {
		return nil, "", err
	}
	if opts.OnText != nil {
		opts.OnText(file, text)
	}
	name := file
	if ext != ".ll" {
		name += " (as LLVM IR)"
	}
	if m, err = Parse(name, adaptRust(text)); err != nil {
		return nil, "", err
	}
	m.file, m.warning = file, warning
	return m, note, nil
}
