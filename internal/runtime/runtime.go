// Package rt is the library that programs under test are linked with: threads, locks, the heap,
// strings and what C++ needs, written in C (src) on top of the machine's intrinsics, and the
// headers that ship in the binary (include).
//
// The library is kept as LLVM text (runtime.ll), made by `go generate` with clang 19, so that
// ravel needs no compiler to have it. A program links only the functions it reaches.
//
// Limits: condition variables hold back threads with numbers below 64 only; a spurious wake-up
// never happens; a wait with a timeout may time out at any moment; each thread has a clock of its own, and
// more time has passed whenever it looks (src/stdlib.c); what runs at a thread's end needs the machine's help
// (src/key.c); output is discarded, though what is printed is read; of texts from the standard input, those of up to two
// characters are tried, and the verdict is bounded (src/scan.c); an access behind the first 64 KiB of a retired object
// is not found (src/verifier.c).
package rt

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
)

//go:generate go run ./gen

//go:embed runtime.ll
var library []byte

//go:embed runtime32.ll
var library32 []byte

//go:embed include
var include embed.FS

// Library returns the runtime library as the text of an LLVM module. Don't change it.
func Library() []byte { return library }

// Library32 returns the library for programs with pointers of 32 bits.
func Library32() []byte { return library32 }

// Headers returns the include folder: ravel.h, genmc.h and what they need.
func Headers() fs.FS {
	sub, err := fs.Sub(include, "include")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}

// WriteHeaders writes the include folder to dir, which a compiler can then be pointed at with -I.
func WriteHeaders(dir string) error {
	headers := Headers()
	return fs.WalkDir(headers, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := fs.ReadFile(headers, path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}
