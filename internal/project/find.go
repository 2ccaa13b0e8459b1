package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ravel/internal/lazy"
)

// Above returns the first of the named files that is in a folder or in one above it, up to top, "" if there is none. A name may be in a folder: build/compile_commands.json.
func Above(dir, top string, names ...string) string {
	for {
		for _, n := range names {
			path := filepath.Join(dir, n)
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				return path
			}
		}
		up := filepath.Dir(dir)
		if dir == top || up == dir {
			return ""
		}
		dir = up
	}
}

// TargetsOf returns the targets that a file is part of, of the first ravel.toml in its folder or above, up to top. Headers are part of all targets in C and C++.
func TargetsOf(file, top string) (targets []Target, err error) {
	path := Above(filepath.Dir(file), top, TargetsFile)
	if path == "" {
		return nil, nil
	}
	all, err := FindTargets([]string{path})
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.has(file) {
			targets = append(targets, t)
		}
	}
	return targets, nil
}

// has reports whether a file, by its absolute path, is part of a target.
func (t *Target) has(file string) bool {
	header := IsHeader(file)
	named := slices.ContainsFunc(t.Files, func(n string) bool { return languageOf(n) != "" })
	return slices.ContainsFunc(t.Files, func(name string) bool {
		path := within(t.Dir(), name)
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return false
		case path == file:
			return true
		case info.IsDir():
			return header || filepath.Dir(file) == path && languageOf(file) != ""
		case isManifest(path):
			rel, err := filepath.Rel(filepath.Dir(path), file)
			return err == nil && filepath.IsLocal(rel) && filepath.Ext(file) == ".rs"
		case filepath.Base(path) == CommandsFile && !named:
			units, _, err := readCommands(path)
			return err == nil && (header || slices.ContainsFunc(units, func(u Unit) bool { return u.File == file }))
		}
		return header && languageOf(path) != ""
	})
}

// IsHeader reports whether a file is a header of C or C++.
func IsHeader(file string) bool {
	return slices.Contains([]string{".h", ".hh", ".hpp", ".hxx"}, filepath.Ext(file))
}

// ProgramsOf returns the programs that a file is part of, by a compile_commands.json, as lists of files: each file that defines main, with all files that do not. It
// returns none if nothing compiles the file.
func ProgramsOf(database, file string) (programs [][]string, err error) {
	units, _, err := readCommands(database)
	if err != nil {
		return nil, err
	}
	var mains, rest []string
	for _, u := range units {
		text, err := os.ReadFile(u.File)
		if err != nil {
			return nil, err
		}
		if DefinesMain(string(text)) {
			mains = append(mains, u.File)
		} else {
			rest = append(rest, u.File)
		}
	}
	for _, m := range mains {
		if m == file || slices.Contains(rest, file) || IsHeader(file) {
			programs = append(programs, append([]string{m}, rest...))
		}
	}
	return programs, nil
}

var (
	comments = lazy.Regexp(`(?s)//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"`)
	defMain  = lazy.Regexp(`(?m)\b(?:int|void|auto|fn)\s+main\s*\([^;{]*\{|^\s*main\s*\([^;{]*\{`)
)

// DefinesMain reports whether a source of C, C++ or Rust defines main, as far as its tokens tell.
func DefinesMain(text string) bool {
	return strings.Contains(text, "main") && defMain().MatchString(comments().ReplaceAllString(text, " "))
}
