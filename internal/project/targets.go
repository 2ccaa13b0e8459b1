// Package project reads the files in which projects say what to check and how to build it.
//
//   - ravel.toml names programs, models and the verdicts that are expected (targets.go).
//   - compile_commands.json says how each file is compiled (commands.go).
//   - Cargo.toml describes a project of Rust, which cargo builds (cargo.go).
//   - A folder stands for its sources (inputs.go).
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"ravel/internal/report"
	"ravel/internal/spell"
)

// TargetsFile is the name of the file with the targets of a folder.
const TargetsFile = "ravel.toml"

// A Target is a program to check, and what the result should be.
type Target struct {
	Name          string         `toml:"name"`
	Files         []string       `toml:"files"` // as ravel check takes them, relative to the folder of ravel.toml
	CompilerFlags []string       `toml:"compiler-flags"`
	Models        []string       `toml:"models"` // none is the default of ravel check
	Flags         []string       `toml:"flags"`  // of ravel check
	Verdict       report.Verdict `toml:"verdict"`
	Error         string         `toml:"error"`      // the kind of one of the errors; "" is any
	Executions    *int64         `toml:"executions"` // complete ones; nil is any number

	File string `toml:"-"` // the ravel.toml
	keys map[string]unstable.Position
}

// Place is where a key of the target is, or the target itself if it lacks the key, as file:line:column.
func (t *Target) Place(key string) string {
	p, ok := t.keys[key]
	if !ok {
		p = t.keys[""]
	}
	return fmt.Sprintf("%s:%d:%d", t.File, p.Line, p.Column)
}

// Dir is the folder that names in the target are relative to.
func (t *Target) Dir() string { return filepath.Dir(t.File) }

// FindTargets returns the targets of each file, and those of each ravel.toml in a folder and below it. Folders whose names begin with a dot, and those that cargo builds
// in, are left out.
func FindTargets(names []string) (all []Target, err error) {
	for _, name := range names {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file or folder", name)
		} else if err != nil {
			return nil, err
		}
		files := []string{name}
		if info.IsDir() {
			if files, err = below(name); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s: no %s here or below; it names what to check, see ravel test --help", name, TargetsFile)
			}
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			list, err := readTargets(f, text)
			if err != nil {
				return nil, err
			}
			all = append(all, list...)
		}
	}
	return all, nil
}

// below returns the files with targets in a folder and in those below it.
func below(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && (strings.HasPrefix(d.Name(), ".") || builtByCargo(path)):
			return fs.SkipDir
		case !d.IsDir() && d.Name() == TargetsFile:
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// builtByCargo reports whether cargo made the folder: it marks it.
func builtByCargo(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "CACHEDIR.TAG"))
	return err == nil
}

// readTargets reads the text of a ravel.toml. Errors begin with the place.
func readTargets(file string, text []byte) ([]Target, error) {
	var content struct {
		Target []Target `toml:"target"`
	}
	d := toml.NewDecoder(strings.NewReader(string(text))).DisallowUnknownFields()
	err := d.Decode(&content)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		return nil, unknownKey(file, &unknown.Errors[0])
	case errors.As(err, &wrong):
		line, column := wrong.Position()
		return nil, fmt.Errorf("%s:%d:%d: %s", file, line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case len(content.Target) == 0:
		return nil, fmt.Errorf("%s:1:1: no [[target]]: a target has a name, files, and the verdict that is expected", file)
	}
	places := keyPlaces(text)
	seen := map[string]bool{}
	for i := range content.Target {
		t := &content.Target[i]
		t.File, t.keys = file, places[i]
		if err := t.check(seen); err != nil {
			return nil, err
		}
	}
	return content.Target, nil
}

var targetKeys = []string{"name", "files", "compiler-flags", "models", "flags", "verdict", "error", "executions"}

func unknownKey(file string, e *toml.DecodeError) error {
	line, column := e.Position()
	key := e.Key()[len(e.Key())-1]
	hint := "a target has " + strings.Join(targetKeys, ", ")
	if known := spell.Closest(key, append(targetKeys, "target")); known != "" {
		hint = fmt.Sprintf("did you mean %s?", known)
	}
	return fmt.Errorf("%s:%d:%d: unknown key %q: %s", file, line, column, key, hint)
}

// check checks what a target says, and sets defaults.
func (t *Target) check(seen map[string]bool) error {
	if t.Verdict == "" {
		t.Verdict = report.Verified
	}
	key, message := "", ""
	switch {
	case t.Name == "":
		message = "the target has no name"
	case seen[t.Name]:
		key, message = "name", fmt.Sprintf("there is another target %q", t.Name)
	case len(t.Files) == 0:
		key, message = "files", "the target has no files"
	case slices.Contains(t.Models, ""):
		key, message = "models", "a model has a name"
	case !slices.Contains([]report.Verdict{report.Verified, report.Wrong, report.Bounded, report.Unknown}, t.Verdict):
		key, message = "verdict", fmt.Sprintf("verdict %q: it is verified, error, bounded or unknown", t.Verdict)
	case t.Error != "" && t.Verdict != report.Wrong:
		key, message = "error", `error is for targets with verdict = "error"`
	case t.Error != "" && !slices.ContainsFunc(report.Kinds, func(k report.ErrorKind) bool { return k.Name == t.Error }):
		var kinds []string
		for _, k := range report.Kinds {
			kinds = append(kinds, k.Name)
		}
		key, message = "error", fmt.Sprintf("error %q: the kinds are %s", t.Error, strings.Join(kinds, ", "))
	}
	seen[t.Name] = true
	if message != "" {
		return fmt.Errorf("%s: %s", t.Place(key), message)
	}
	return nil
}

// Difference says how a result differs from what the target expects, "" if it does not, and which key of the target is about it.
func (t *Target) Difference(r *report.Result) (key, text string) {
	switch {
	case r.Verdict != t.Verdict:
		have := string(r.Verdict)
		if r.Reason != "" {
			have += " (" + r.Reason + ")"
		}
		return "verdict", fmt.Sprintf("want %s, have %s", t.Verdict, have)
	case t.Error != "" && !slices.ContainsFunc(r.Errors, func(e report.Error) bool { return e.Kind == t.Error }):
		var have []string
		for _, e := range r.Errors {
			have = append(have, e.Kind)
		}
		return "error", fmt.Sprintf("want an error of kind %s, have %s", t.Error, strings.Join(have, ", "))
	case t.Executions != nil && r.Executions.Complete != *t.Executions:
		return "executions", fmt.Sprintf("want %d complete executions, have %d", *t.Executions, r.Executions.Complete)
	}
	return "", ""
}

// keyPlaces returns where the keys of each [[target]] are; "" is the target itself.
func keyPlaces(text []byte) (places []map[string]unstable.Position) {
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		keys := e.Key()
		if !keys.Next() {
			continue
		}
		k := keys.Node()
		at := p.Shape(k.Raw).Start
		switch {
		case e.Kind == unstable.ArrayTable && string(k.Data) == "target":
			places = append(places, map[string]unstable.Position{"": at})
		case e.Kind == unstable.KeyValue && string(k.Data) == "target" && len(places) == 0: // target = [{…}]
			for it := e.Value().Children(); it.Next(); {
				places = append(places, map[string]unstable.Position{"": at})
			}
		case e.Kind == unstable.KeyValue && len(places) > 0:
			places[len(places)-1][string(k.Data)] = at
		}
	}
	return places
}
