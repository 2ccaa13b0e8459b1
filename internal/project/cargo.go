package project

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ManifestFile is the name of the file that describes a project of Rust.
const ManifestFile = "Cargo.toml"

// Cargo says which program of a project of Rust to build: one of the three, or none if the project has one binary.
type Cargo struct {
	Bin, Example string
	Test         string   // the path of a function marked #[test], or its end
	Package      string   // of a workspace; "" is all
	Features     []string // beside the default ones
	AllFeatures  bool
	NoDefault    bool     // no default features
	Flags        []string // for rustc
}

// Name returns what to call the program that names stand for, "" for the names of its files. Those of a project of Rust are in the folder that cargo builds in.
func Name(dir string, names []string) string {
	if !slices.ContainsFunc(names, isManifest) {
		return ""
	}
	paths := make([]string, len(names))
	for i, n := range names {
		paths[i] = n
		if dir != "" {
			paths[i] = within(dir, n)
		}
	}
	return strings.Join(paths, " ")
}

func isManifest(name string) bool { return filepath.Base(name) == ManifestFile }

// given reports whether something is said that is about projects of Rust only.
func (c *Cargo) given() bool {
	return c.Bin+c.Example+c.Test+c.Package != "" || len(c.Features) > 0 || c.AllFeatures || c.NoDefault
}

// featureFlags returns what cargo is told about features.
func (c *Cargo) featureFlags() (flags []string) {
	if len(c.Features) > 0 {
		flags = append(flags, "--features", strings.Join(c.Features, ","))
	}
	if c.AllFeatures {
		flags = append(flags, "--all-features")
	}
	if c.NoDefault {
		flags = append(flags, "--no-default-features")
	}
	return flags
}

// rustFlags make rustc write the text of each crate, as package llvm takes it. Below level 2, rustc leaves generic functions to other crates.
var rustFlags = []string{"--emit=llvm-ir", "-g", "-Ccodegen-units=1", "-Copt-level=2", "-Cno-prepopulate-passes", "-Cdebug-assertions=on", "-Clinker=true"}

// A cargoBuild builds a program with the user's cargo, without the network, in a folder of its own.
type cargoBuild struct {
	ctx      context.Context
	manifest string
	dir      string // where cargo puts what it builds
	triple   string // of the machine: named, so that flags are not for build scripts
	flags    []string
	features []string // flags for cargo
}

// The parts of cargo's messages that matter.
type (
	cargoMetadata struct {
		Packages []cargoPackage `json:"packages"`
		Target   string         `json:"target_directory"`
	}
	cargoPackage struct {
		ID       string        `json:"id"`
		Name     string        `json:"name"`
		Manifest string        `json:"manifest_path"`
		Targets  []cargoTarget `json:"targets"`
	}
	cargoTarget struct {
		Name string   `json:"name"`
		Kind []string `json:"kind"`
	}
	cargoMessage struct {
		Reason     string      `json:"reason"`
		Target     cargoTarget `json:"target"`
		Filenames  []string    `json:"filenames"`
		Executable string      `json:"executable"`
		Profile    struct {
			Test bool `json:"test"`
		} `json:"profile"`
	}
)

// units builds the program that c chooses, and returns the texts of its crates.
func (c *Cargo) units(ctx context.Context, manifest string) ([]Unit, error) {
	abs, err := filepath.Abs(manifest)
	if err != nil {
		return nil, err
	}
	b := &cargoBuild{ctx: ctx, manifest: abs, features: c.featureFlags(), flags: slices.Concat(rustFlags, strings.Fields(os.Getenv("RUSTFLAGS")), c.Flags)}
	var meta cargoMetadata
	out, err := b.cargo("metadata", "--no-deps", "--format-version", "1")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &meta); err != nil {
		return nil, fmt.Errorf("cargo metadata: %w", err)
	}
	b.dir = filepath.Join(meta.Target, "ravel")
	version, err := exec.CommandContext(ctx, "rustc", "-vV").Output()
	if err != nil {
		return nil, fmt.Errorf("can't run rustc -vV: %w", err)
	}
	_, after, _ := strings.Cut(string(version), "host: ")
	b.triple, _, _ = strings.Cut(after, "\n")
	packages := meta.Packages
	if i := slices.IndexFunc(packages, func(p cargoPackage) bool { return p.Manifest == abs }); i >= 0 {
		packages = packages[i : i+1] // not a workspace
	}
	if c.Package != "" {
		i := slices.IndexFunc(meta.Packages, func(p cargoPackage) bool { return p.Name == c.Package })
		if i < 0 {
			var names []string
			for _, p := range meta.Packages {
				names = append(names, p.Name)
			}
			return nil, fmt.Errorf("%s: there is no package %s, only %s", abs, c.Package, strings.Join(names, ", "))
		}
		packages = meta.Packages[i : i+1]
	}
	if c.Test != "" {
		return b.test(packages, c.Test)
	}
	return b.program(packages, c)
}

// program builds a binary or an example.
func (b *cargoBuild) program(packages []cargoPackage, c *Cargo) ([]Unit, error) {
	kind, name := "bin", c.Bin
	if c.Example != "" {
		kind, name = "example", c.Example
	}
	var names []string
	var from *cargoPackage
	for i := range packages {
		for _, t := range packages[i].Targets {
			if !slices.Contains(t.Kind, kind) {
				continue
			}
			names = append(names, t.Name)
			if t.Name == name || name == "" {
				from = &packages[i]
			}
		}
	}
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	count := 0
	for _, n := range names {
		if n == name {
			count++
		}
	}
	switch {
	case len(names) == 0 && name == "":
		return nil, fmt.Errorf("%s: there is no binary: choose with --example or --test", b.manifest)
	case len(names) == 0:
		return nil, fmt.Errorf("%s: there is no %s at all, and no %s", b.manifest, kind, name)
	case name == "":
		return nil, fmt.Errorf("%s: which program? --bin takes %s", b.manifest, strings.Join(names, ", "))
	case count == 0:
		return nil, fmt.Errorf("%s: there is no %s %s, only %s", b.manifest, kind, name, strings.Join(names, ", "))
	case count > 1:
		return nil, fmt.Errorf("%s: several packages have a %s %s: name the Cargo.toml of one", b.manifest, kind, name)
	}
	// cargo does not say which of the texts in its folder is that of a binary, so there is only one.
	if _, err := b.cargo("clean", "-p", from.ID, "--target", b.triple, "--target-dir", b.dir); err != nil {
		return nil, err
	}
	messages, err := b.build("build", "-p", from.ID, "--"+kind, name)
	if err != nil {
		return nil, err
	}
	folder := "deps"
	if kind == "example" {
		folder = "examples"
	}
	pattern := filepath.Join(b.dir, b.triple, "debug", folder, strings.ReplaceAll(name, "-", "_")+"-*.ll")
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	units, libraries := b.libraries(messages)
	found = slices.DeleteFunc(found, func(f string) bool { return libraries[f] })
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: cargo built %s, and left %d texts of it as %s: remove %s and try again", b.manifest, name, len(found), pattern, b.dir)
	}
	return append([]Unit{{File: found[0]}}, units...), nil
}

// libraries returns the texts of the libraries that cargo built for the program.
func (b *cargoBuild) libraries(messages []cargoMessage) (units []Unit, texts map[string]bool) {
	texts = map[string]bool{}
	for _, m := range messages {
		for _, f := range m.Filenames {
			dir, name := filepath.Split(f)
			if filepath.Ext(name) != ".rlib" || !strings.HasPrefix(dir, filepath.Join(b.dir, b.triple)) {
				continue // for build scripts and macros
			}
			text := filepath.Join(dir, strings.TrimSuffix(strings.TrimPrefix(name, "lib"), ".rlib")+".ll")
			if !texts[text] {
				texts[text] = true
				units = append(units, Unit{File: text})
			}
		}
	}
	return units, texts
}

// test builds the tests, and makes a program that runs one of them.
func (b *cargoBuild) test(packages []cargoPackage, name string) ([]Unit, error) {
	args := []string{"test", "--no-run", "--tests"}
	for _, p := range packages {
		args = append(args, "-p", p.ID)
	}
	messages, err := b.build(args...)
	if err != nil {
		return nil, err
	}
	var all, found []string
	var program string
	for _, m := range messages {
		if m.Executable == "" || !m.Profile.Test {
			continue
		}
		text, err := os.ReadFile(m.Executable + ".ll")
		if err != nil {
			return nil, err
		}
		for _, t := range findTests(text) {
			all = append(all, t.path)
			if t.path != name && !strings.HasSuffix(t.path, "::"+name) {
				continue
			}
			found = append(found, t.path)
			only, err := t.program(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.manifest, err)
			}
			program = filepath.Join(b.dir, "tests", strings.ReplaceAll(t.path, "::", ".")+".ll")
			if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(program, only, 0o644); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(all)
	slices.Sort(found)
	switch {
	case len(found) > 1:
		return nil, fmt.Errorf("%s: --test %s may be %s: give more of the path", b.manifest, name, strings.Join(found, " or "))
	case len(found) == 0 && len(all) == 0:
		return nil, fmt.Errorf("%s: there is no function marked #[test]", b.manifest)
	case len(found) == 0:
		return nil, fmt.Errorf("%s: there is no test %s; there is %s", b.manifest, name, strings.Join(all[:min(len(all), 10)], ", "))
	}
	units, _ := b.libraries(messages)
	return append([]Unit{{File: program}}, units...), nil
}

// build builds, and returns what cargo says about it.
func (b *cargoBuild) build(args ...string) (messages []cargoMessage, err error) {
	out, err := b.cargo(append(append(args, b.features...), "--target", b.triple, "--target-dir", b.dir, "--message-format", "json-render-diagnostics")...)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(out) {
		var m cargoMessage
		if json.Unmarshal(line, &m) == nil && m.Reason == "compiler-artifact" {
			messages = append(messages, m)
		}
	}
	return messages, nil
}

// cargo runs cargo and returns its output.
func (b *cargoBuild) cargo(args ...string) ([]byte, error) {
	args = append(args, "--offline", "--manifest-path", b.manifest, "--color", "never")
	cmd := exec.CommandContext(b.ctx, "cargo", args...)
	cmd.Dir = filepath.Dir(b.manifest)
	incremental := "CARGO_INCREMENTAL=0"
	if args[0] == "test" {
		incremental = "CARGO_INCREMENTAL=1" // then rustc does not inline tests into the harness
	}
	cmd.Env = append(os.Environ(), "CARGO_ENCODED_RUSTFLAGS="+strings.Join(b.flags, "\x1f"), incremental, "RUST_BACKTRACE=0")
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case b.ctx.Err() != nil:
		return nil, fmt.Errorf("cargo was stopped: %w", context.Cause(b.ctx))
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("%s: no cargo on PATH: install Rust (https://rustup.rs)", b.manifest)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("%s: cargo %s failed: repair the project, or run cargo fetch if a dependency is missing (ravel builds offline)\n%s",
			b.manifest, args[0], strings.TrimSpace(msg.String()))
	case err != nil:
		return nil, fmt.Errorf("%s: can't run cargo: %w", b.manifest, err)
	}
	return out.Bytes(), nil
}
