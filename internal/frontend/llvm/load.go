package llvm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"ravel/internal/ir"
)

// Options say how sources become LLVM IR.
type Options struct {
	Clang      string   // path of clang; "" is the newest one on PATH
	Flags      []string // passed to clang (or rustc) behind ravel's own, so that they win
	IncludeDir string   // folder with ravel's headers
	Runtime    []byte   // text module of ravel's library; may be nil
}

// Load reads, compiles and links files: .c .cc .cpp .cxx .C .rs .ll .bc, mixed. The error is a
// *CompileError if a compiler refused a file, an *Error if text IR can't be read.
func Load(files []string, opts Options) (*ir.Program, error) {
	if len(files) == 0 {
		return nil, errors.New("no input files")
	}
	mods := make([]*Module, len(files))
	notes := make([]string, len(files))
	errs := make([]error, len(files))
	var wg sync.WaitGroup
	gate := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range files {
		wg.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			mods[i], notes[i], errs[i] = loadFile(f, opts)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		for _, e := range errs { // the first one, as its own type
			if e != nil {
				return nil, e
			}
		}
	}
	if opts.Runtime != nil {
		m, err := Parse("ravel's runtime library", opts.Runtime)
		if err != nil {
			return nil, err
		}
		m.runtime = true
		mods = append(mods, m)
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

// loadFile reads one file; note is what the compiler said although it succeeded.
func loadFile(file string, opts Options) (m *Module, note string, err error) {
	if _, err := os.Stat(file); err != nil {
		return nil, "", err
	}
	var text []byte
	switch ext := filepath.Ext(file); ext {
	case ".ll":
		text, err = os.ReadFile(file)
	case ".bc":
		text, note, err = disassemble(file)
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
	m, err = Parse(name, text)
	return m, note, err
}
