// Package rt is the library that programs under test are linked with: threads, locks, the heap, strings and the support of
// C++. It is written in C (src) on top of the intrinsics of the machine. The headers for users (include) ship in the
// binary.
//
// The library is kept as LLVM text (runtime.ll), which `go generate` makes with clang 19, so that ravel needs no compiler
// to have it. A program links only the functions that it reaches.
//
// Limits:
//
//   - Only the first 63 threads can wait on a condition variable.
//   - A wait with a timeout may time out at any moment.
//   - A futex never wakes spuriously.
//   - A thread can initialise 64 barriers (src/barrier.c).
//   - Each thread has a clock of its own, which advances at every look (src/stdlib.c).
//   - Output is discarded, but the printed values are read.
//   - Of texts from the standard input, those of up to two characters are tried; the verdict is bounded (src/scan.c).
//   - An access behind the first 64 KiB of a retired object is not found (src/verifier.c).
//   - mmap has anonymous memory only, and munmap takes whole mappings (src/mmap.c).
//   - A variable that changed between setjmp and longjmp keeps the newer value, volatile or not (src/jump.c).
//   - Handlers of atexit do not run if main ends by pthread_exit (src/atexit.c).
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

//go:embed include
var include embed.FS

// Library returns the runtime library as the text of an LLVM module. Don't change it.
func Library() []byte { return library }

// Library32 returns the library for programs with pointers of 32 bits, nil in the browser.
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
