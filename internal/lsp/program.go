package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ravel"
	"ravel/internal/project"
)

// A job is a check of one program under one model.
type job struct {
	title         string // for people
	dir           string
	names         []string // as ravel.Open takes them
	compilerFlags []string
	model         string
	check         Check
	target        *ravel.Target // nil: ravel.toml does not name the program
}

// key tells jobs apart.
func (j *job) key() string {
	return strings.Join(append([]string{j.title, j.dir, j.model}, j.names...), "\x00")
}

// maxPrograms is how many programs of a compile_commands.json are checked when a file that several link is saved.
const maxPrograms = 8

// errNoMain is why a file is not checked.
var errNoMain = errors.New("this file has no main, and neither ravel.toml nor compile_commands.json says which program it is part of: name it in a target of ravel.toml")

// jobs returns how to check the programs that a file is part of, and what there is to say about them:
//
//   - the targets of ravel.toml that have the file,
//   - or the programs of compile_commands.json that link it,
//   - or the package of Cargo.toml,
//   - or the file alone, if it has a main.
func (s *server) jobs(d *document, settings *Settings) (jobs []*job, note string, err error) {
	top := s.top(d.path)
	targets, err := project.TargetsOf(d.path, top)
	if err != nil {
		return nil, "", err
	}
	if len(targets) > 0 {
		for i := range targets {
			list, err := s.targetJobs(&targets[i])
			if err != nil {
				return nil, "", err
			}
			jobs = append(jobs, list...)
		}
		return jobs, "", nil
	}
	dir := filepath.Dir(d.path)
	cargo := ravel.Cargo{}
	programs := [][]string{}
	switch {
	case d.language == langJava:
		if javaMain.MatchString(d.text) {
			programs = [][]string{{d.path}}
		}
	case d.language == langRust:
		if manifest := project.Above(dir, top, project.ManifestFile); manifest != "" {
			dir = filepath.Dir(manifest)
			cargo = chosen(dir, d.path)
			programs = [][]string{{project.ManifestFile}}
		} else if project.DefinesMain(d.text) {
			programs = [][]string{{d.path}}
		}
	default:
		if database := project.Above(dir, top, project.CommandsFile, filepath.Join("build", project.CommandsFile)); database != "" {
			found, err := project.ProgramsOf(database, d.path)
			if err != nil {
				return nil, "", err
			}
			for _, p := range found {
				programs = append(programs, append([]string{database}, p...))
			}
		}
		if len(programs) == 0 && project.DefinesMain(d.text) {
			programs = [][]string{{d.path}}
		}
	}
	if len(programs) == 0 {
		return nil, "", errNoMain
	}
	if len(programs) > maxPrograms {
		note = fmt.Sprintf("%d programs have this file; only the first %d are checked: name those that matter in ravel.toml", len(programs), maxPrograms)
		programs = programs[:maxPrograms]
	}
	for _, names := range programs {
		for model := range strings.SplitSeq(settings.Model, ",") {
			check, err := s.config.Flags(dir, model, settings.Flags)
			if err != nil {
				return nil, "", fmt.Errorf("settings of ravel: %w", err)
			}
			if c := &check.Cargo; c.Bin+c.Example+c.Test == "" {
				*c = cargo
			}
			if model == "" {
				model = ravel.DefaultModel(ravel.Program{Files: ravel.Files(names...)})
			}
			jobs = append(jobs, &job{title: s.short(named(dir, names)), dir: dir, names: names, compilerFlags: settings.CompilerFlags, model: model, check: check})
		}
	}
	return jobs, note, nil
}

// javaMain finds the method that a program in Java begins with.
var javaMain = regexp.MustCompile(`\bstatic\s+void\s+main\s*\(`)

// named returns the file that a program is called by: the first that is not a list of commands.
func named(dir string, names []string) string {
	for _, n := range names {
		if filepath.Base(n) != project.CommandsFile {
			if !filepath.IsAbs(n) {
				n = filepath.Join(dir, n)
			}
			return n
		}
	}
	return dir
}

// targetJobs returns the jobs of a target, one for each model.
func (s *server) targetJobs(t *ravel.Target) (jobs []*job, err error) {
	models := t.Models
	if len(models) == 0 {
		models = []string{""}
	}
	for _, m := range models {
		check, err := s.config.Flags(t.Dir(), m, t.Flags)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Place("flags"), err)
		}
		model := check.Options.Model
		if model == "" {
			model = ravel.DefaultModel(ravel.Program{Files: ravel.Files(t.Files...)})
		}
		jobs = append(jobs, &job{title: "target " + t.Name, dir: t.Dir(), names: t.Files, compilerFlags: t.CompilerFlags, model: model, check: check, target: t})
	}
	return jobs, nil
}

// chosen returns which program of a package a source file is, as far as its place tells.
func chosen(dir, file string) ravel.Cargo {
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return ravel.Cargo{}
	}
	name := strings.TrimSuffix(filepath.Base(rel), ".rs")
	switch filepath.ToSlash(filepath.Dir(rel)) {
	case "examples":
		return ravel.Cargo{Example: name}
	case "src/bin":
		return ravel.Cargo{Bin: name}
	}
	return ravel.Cargo{}
}

// top returns the folder of the workspace that a file is in, or else the file's own.
func (s *server) top(path string) string {
	for _, f := range s.folders {
		if rel, err := filepath.Rel(f, path); err == nil && filepath.IsLocal(rel) {
			return f
		}
	}
	return filepath.Dir(path)
}

// short returns a path as it is called in the workspace.
func (s *server) short(path string) string {
	for _, f := range s.folders {
		if rel, err := filepath.Rel(f, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return filepath.Base(path)
}

// resolve returns the absolute path of a file that a result names.
func (j *job) resolve(file string) string {
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	if abs, err := filepath.Abs(file); err == nil {
		if _, err := os.Stat(abs); err == nil {
			return abs
		}
	}
	return filepath.Join(j.dir, file)
}
