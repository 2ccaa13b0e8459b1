package llvm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

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

	inline bool // give inline functions of C a definition
}

// Load reads, compiles and links files: .c .cc .cpp .cxx .C .rs .ll .bc, mixed. The error is a
// *CompileError if a compiler refused a file, an *Error if text IR can't be read.
func Load(files []string, opts Options) (*ir.Program, error) {
	if len(files) == 0 {
		return nil, errors.New("no input files")
	}
	mods, notes, err := loadFiles(files, opts)
	if err != nil {
		return nil, err
	}
	library := opts.Runtime
	if mods[0].lay.ptr == 4 {
		library = opts.Runtime32
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
		if err := defineInline(mods, files, opts); err != nil {
			return nil, err
		}
	}
	prog, err := link(mods)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		if n != "" {
			prog.Warnings = append(prog.Warnings, "the compiler says:\n"+n)
		}
	}
	return prog, nil
}

// loadFiles reads and compiles all files, several at a time.
func loadFiles(files []string, opts Options) (mods []*Module, notes []string, err error) {
	mods = make([]*Module, len(files))
	notes = make([]string, len(files))
	errs := make([]error, len(files))
	var wg sync.WaitGroup
	gate := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range files {
		wg.Go(func() {
			defer limits.Crash()
			gate <- struct{}{}
			defer func() { <-gate }()
			mods[i], notes[i], errs[i] = loadFile(f, opts)
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

// lacksFunction reports whether some module calls a function that nobody defines.
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
func defineInline(mods []*Module, files []string, opts Options) error {
	opts.inline = true
	for i, f := range files {
		if ext := filepath.Ext(f); ext != ".c" && ext != ".i" {
			continue
		}
		m, _, err := loadFile(f, opts)
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

// loadFile reads one file; note is what the compiler said although it succeeded.
func loadFile(file string, opts Options) (m *Module, note string, err error) {
	text, known := opts.Sources[file]
	if !known {
		if _, err := os.Stat(opts.path(file)); err != nil {
			return nil, "", err
		}
	}
	switch ext := filepath.Ext(file); ext {
	case ".ll":
		if !known {
			text, err = os.ReadFile(opts.path(file))
		}
	case ".bc":
		text, note, err = disassemble(file, opts)
	case ".c", ".i", ".cc", ".cpp", ".cxx", ".c++", ".C", ".ii":
		text, note, err = runClang(file, ext != ".c" && ext != ".i", opts)
	case ".rs":
		text, note, err = runRustc(file, opts)
	default:
		return nil, "", fmt.Errorf("%s: what is a %q file? ravel reads .c .cc .cpp .cxx .C .rs .ll .bc", file, ext)
	}
	if err != nil {
		return nil, "", err
	}
	name := file
	if filepath.Ext(file) != ".ll" {
		name += " (as LLVM IR)"
	}
	m, err = Parse(name, awaitScopes(text))
	return m, note, err
}
