package ravel

import (
	"context"
	"fmt"
	"io"
	"os"

	"ravel/internal/project"
	"ravel/internal/report"

	"ravel/internal/lazy"
)

// A Target is a program that a ravel.toml names, and what the result of its check should be. Its method Difference compares, Place says where a key is.
type Target = project.Target

// Targets returns the targets of each file, and those of each ravel.toml in a folder and below it.
func Targets(names ...string) ([]Target, error) { return project.FindTargets(names) }

// Cargo says which program of a Cargo.toml to build.
type Cargo = project.Cargo

// Open returns the program that names on the command line stand for. A name is a file, a folder with C and C++ sources, or a compile_commands.json, which compiles
// the other files, or all of its own if there are none, or a Cargo.toml, which is built. Names are relative to dir; "" is the current folder.
func Open(ctx context.Context, dir string, cargo Cargo, names ...string) (Program, error) {
	units, notes, err := project.Inputs(ctx, dir, names, cargo)
	p := Program{Name: project.Name(dir, names), Dir: dir, Notes: notes}
	for _, u := range units {
		p.Files = append(p.Files, Source{Name: u.File, Language: u.Language, Dir: u.Dir, Flags: u.Flags})
	}
	return p, err
}

var publicClass = lazy.Regexp(`(?m)^\s*public\s+(?:final\s+|abstract\s+)*(?:class|interface|enum|record)\s+(\w+)`)

// FromStdin returns the source that r has, in c, c++, rust, java or llvm. Names of headers and in flags are relative to the current folder.
func FromStdin(r io.Reader, language string) (Source, error) {
	extensions := map[string]string{"c": ".c", "c++": ".cpp", "rust": ".rs", "java": ".java", "llvm": ".ll"}
	ext, ok := extensions[language]
	if !ok {
		return Source{}, fmt.Errorf("--language %s: it takes c, c++, rust, java or llvm", language)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return Source{}, err
	}
	dir, err := os.Getwd()
	s := Source{Name: "stdin" + ext, Text: text}
	if m := publicClass().FindSubmatch(text); m != nil && language == "java" {
		s.Name = string(m[1]) + ext // javac wants it so
	}
	if language == "c" || language == "c++" {
		s.Dir, s.Flags = dir, []string{"-iquote", dir}
	}
	return s, err
}

// A TestCase is the outcome of a target under a model, for WriteJUnit and WriteMarkdown.
type TestCase = report.TestCase

// WriteMarkdown prints the outcomes of targets for people: a table, and the reports of those that are not as expected.
func WriteMarkdown(w io.Writer, cases []TestCase) error { return report.WriteMarkdown(w, cases) }

// WriteJUnit prints the outcomes of targets as JUnit's XML, which services for continuous integration read.
func WriteJUnit(w io.Writer, cases []TestCase) error { return report.WriteJUnit(w, cases) }
