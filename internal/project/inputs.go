package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Unit is a file of a program, and how it is compiled.
type Unit struct {
	File     string
	Language string   // c or c++; "" is what the name of the file says
	Dir      string   // folder that the compiler runs in, "" is that of the program
	Flags    []string // for this file only
}

// languageOf returns c or c++ by the name of a source, "" if it is neither.
func languageOf(file string) string {
	switch filepath.Ext(file) {
	case ".c":
		return "c"
	case ".cc", ".cpp", ".cxx", ".c++", ".C":
		return "c++"
	}
	return ""
}

// Inputs returns the files that names stand for, which are relative to dir: a folder stands for its C and C++ sources, and compile_commands.json for the files that it
// compiles. If there are other files beside a compile_commands.json, those are the program, and the database says how to compile them. A Cargo.toml stands for the
// program that cargo chooses.
func Inputs(ctx context.Context, dir string, names []string, cargo Cargo) (units []Unit, notes []string, err error) {
	var database []Unit
	databaseName := ""
	for _, name := range names {
		path := name
		if dir != "" {
			path = within(dir, name)
		}
		info, err := os.Stat(path)
		switch {
		case filepath.Base(name) == CommandsFile && err == nil && !info.IsDir():
			if databaseName != "" {
				return nil, nil, fmt.Errorf("%s: one %s is enough, and there is %s", path, CommandsFile, databaseName)
			}
			databaseName = path
			if database, notes, err = readCommands(path); err != nil {
				return nil, nil, err
			}
		case isManifest(name) && err == nil:
			list, err := cargo.units(ctx, path)
			if err != nil {
				return nil, nil, err
			}
			units = append(units, shortNames(dir, list)...)
		case err == nil && info.IsDir():
			list, err := sources(path)
			if err != nil {
				return nil, nil, err
			}
			for _, f := range list {
				units = append(units, Unit{File: filepath.Join(name, f)})
			}
		default:
			units = append(units, Unit{File: name})
		}
	}
	if !slices.ContainsFunc(names, isManifest) && cargo.given() {
		return nil, nil, errors.New("--bin, --example, --test, --package and those for features are for projects of Rust: name the Cargo.toml")
	}
	if databaseName == "" {
		return units, nil, nil
	}
	if len(units) == 0 {
		for _, u := range database {
			if _, err := os.Stat(u.File); errors.Is(err, fs.ErrNotExist) {
				return nil, nil, fmt.Errorf("%s: it compiles %s, which is not there: build the project again, or name the files to check", databaseName, u.File)
			}
		}
		return shortNames(dir, database), notes, nil
	}
	for i, u := range units {
		if languageOf(u.File) == "" {
			continue
		}
		abs, err := filepath.Abs(within(dir, u.File))
		if err != nil {
			return nil, nil, err
		}
		j := slices.IndexFunc(database, func(o Unit) bool { return o.File == abs })
		if j < 0 {
			return nil, nil, fmt.Errorf("%s: no command compiles %s", databaseName, within(dir, u.File))
		}
		units[i] = database[j]
	}
	return shortNames(dir, units), notes, nil
}

// shortNames makes names of files relative to dir where they are in it.
func shortNames(dir string, units []Unit) []Unit {
	base, err := filepath.Abs(dir)
	for i, u := range units {
		if rel, e := filepath.Rel(base, u.File); err == nil && e == nil && filepath.IsAbs(u.File) && filepath.IsLocal(rel) {
			units[i].File = rel
		}
	}
	return units
}

// sources returns the names of the C and C++ sources in a folder, without those below.
func sources(dir string) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var hints []string
	for _, e := range entries {
		switch {
		case e.Type()&fs.ModeDir != 0:
		case languageOf(e.Name()) != "":
			list = append(list, e.Name())
		case e.Name() == CommandsFile, e.Name() == ManifestFile:
			hints = append(hints, "name "+filepath.Join(dir, e.Name()))
		case strings.HasSuffix(e.Name(), ".rs"), strings.HasSuffix(e.Name(), ".ll"):
			hints = append(hints, "name "+filepath.Join(dir, e.Name()))
		case e.Name() == TargetsFile:
			hints = append(hints, "run ravel test "+dir)
		}
	}
	if len(list) == 0 {
		message := dir + " has no C or C++ sources"
		if len(hints) > 0 {
			message += ": " + strings.Join(hints[:min(3, len(hints))], ", or ")
		}
		return nil, errors.New(message)
	}
	return list, nil
}
