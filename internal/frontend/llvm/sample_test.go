package llvm

import (
	"os"
	"path/filepath"
	"testing"

	"ravel/internal/short"
)

// TestSamples loads programs that use much of the standard libraries, with every compiler
// found and at two levels of optimisation.
func TestSamples(t *testing.T) {
	files, _ := filepath.Glob("testdata/parse/*.c*")
	for _, clang := range allClangs(t) {
		for _, file := range short.Every(4, files) {
			for _, opt := range []string{"-O0", "-O2"} {
				t.Run(filepath.Base(clang)+"/"+filepath.Base(file)+"/"+opt, func(t *testing.T) {
					t.Parallel()
					loadSample(t, file, Options{Clang: clang, Flags: []string{opt, "-w"}})
				})
			}
		}
	}
}

func TestSamplesRust(t *testing.T) {
	if testing.Short() {
		t.Skip("runs rustc several times")
	}
	if findRustc() == "" {
		t.Skip("no rustc")
	}
	for _, opt := range []string{"opt-level=0", "opt-level=2"} {
		loadSample(t, "testdata/parse/threads.rs", Options{Flags: []string{"-C", opt}})
	}
	loadSample(t, "testdata/parse/threads.rs", Options{})
}

func loadSample(t *testing.T, file string, opts Options) {
	t.Helper()
	p, err := Load([]string{file}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if p.Main == nil {
		t.Error("no main")
	}
	if len(p.Warnings) > 0 {
		t.Error(p.Warnings)
	}
}

// BenchmarkParse reads a large C++ module; BenchmarkLoad links and lowers it too.
func BenchmarkParse(b *testing.B) {
	src := benchSource(b)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Parse("std.ll", src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	src := benchSource(b)
	file := filepath.Join(b.TempDir(), "std.ll")
	os.WriteFile(file, src, 0o666)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Load([]string{file}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSource(b *testing.B) []byte {
	clang, err := FindClang()
	if err != nil {
		b.Skip(err)
	}
	src, _, _, err := runClang("testdata/parse/std.cpp", Options{Clang: clang})
	if err != nil {
		b.Fatal(err)
	}
	return src
}
