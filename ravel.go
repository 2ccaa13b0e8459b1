// Package ravel checks concurrent programs under weak memory models. The command ravel is built on it.
//
//   - [Check] explores every execution of a C, C++, Rust, Java or LLVM IR program that a memory model allows.
//   - [Litmus] runs herd's litmus tests under a model. [Compare] shows where models differ on them. [Distinguish] makes
//     tests that separate models.
//   - [Models] lists the memory models.
//
// Programs and tests are files, or texts in memory. LLVM text needs no compiler, so it can be checked where there is none,
// as in a browser.
//
// Every function takes a context. When the context ends, a run gives up and returns its result so far, whose verdict is never
// [Verified]. Several goroutines may call functions at the same time.
//
// Results are plain data. The JSON output of the command has the same fields (docs/reference.md).
package ravel

import (
	"io"
	"os"

	"ravel/internal/herd"
	"ravel/internal/report"
)

// A Source is a file of a program or a test. If Text is nil it is read from the disk. Otherwise Name, a relative path, only names it: in messages, and in #include
// directives of other sources.
type Source struct {
	Name string
	Text []byte

	// How a file of a program is compiled, where that differs from others.
	Language string   // c or c++; "" is what the name says
	Dir      string   // absolute path of the folder that the compiler runs in
	Flags    []string // before those of all files, which win
}

// Files returns the sources with these names on the disk.
func Files(names ...string) []Source {
	var list []Source
	for _, n := range names {
		list = append(list, Source{Name: n})
	}
	return list
}

// A Style says how to print texts: colours, width, and where source lines come from.
type Style = report.Options

// StyleFor returns the style that suits w: colour and the real width where it is a terminal. Lines of sources in memory are read from there.
func StyleFor(w io.Writer, sources ...Source) Style {
	s := report.OptionsFor(w)
	texts := map[string][]byte{}
	for _, src := range sources {
		if src.Text != nil {
			texts[src.Name] = src.Text
		}
	}
	if len(texts) > 0 {
		s.Source = func(file string) ([]byte, error) {
			if text, ok := texts[file]; ok {
				return text, nil
			}
			return os.ReadFile(file)
		}
	}
	return s
}

// An Execution is what happened in one run of a program, thread by thread.
type Execution = report.Execution

// WriteExecution prints an execution, one column for each thread.
func WriteExecution(w io.Writer, title string, x *Execution, s Style) error {
	return report.WriteExecution(w, title, x, s)
}

// tests returns sources as package herd takes them.
func tests(sources []Source) (list []herd.Source) {
	for _, s := range sources {
		list = append(list, herd.Source{File: s.Name, Text: s.Text})
	}
	return list
}
