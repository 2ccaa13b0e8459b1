package llvm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// findRustc looks on PATH and where rustup puts it.
func findRustc() string {
	if p, err := exec.LookPath("rustc"); err == nil {
		return p
	}
	if home, err := os.UserHomeDir(); err == nil {
		if p := filepath.Join(home, ".cargo", "bin", "rustc"); isProgram(p) {
			return p
		}
	}
	return ""
}

// panicStrategy returns unwind for a program that catches panics. In others a panic is an error where it is, and code without landing pads is smaller.
func panicStrategy(file string) string {
	if src, err := os.ReadFile(file); err == nil && strings.Contains(string(src), "catch_unwind") {
		return "unwind"
	}
	return "abort"
}

// runRustc compiles a crate of one file to text IR. The standard library stays outside, except for generic and inline
// functions; the linker adds what is needed of it.
func runRustc(file string, opts Options) (text []byte, note string, err error) {
	rustc := findRustc()
	if rustc == "" {
		return nil, "", fmt.Errorf("%s: no rustc on PATH: install Rust (https://rustup.rs)", file)
	}
	args := []string{
		"-g", "-C", "panic=" + panicStrategy(opts.path(file)), "-C", "codegen-units=1", "-C", "debug-assertions=on", "--color=never",
	}
	opts.Flags = slices.Concat(opts.externs, opts.Flags)
	if !slices.ContainsFunc(opts.Flags, func(f string) bool { return strings.HasPrefix(f, "--edition") }) {
		args = append(args, "--edition=2021")
	}
	if !slices.ContainsFunc(opts.Flags, func(f string) bool { return f == "-O" || strings.Contains(f, "opt-level") }) {
		// Below level 2 rustc leaves generic functions that std has instances of to std.
		args = append(args, "-C", "opt-level=2", "-C", "no-prepopulate-passes")
	} else {
		// The linker knows functions of std by their names (rust_link.go), so optimised code has to keep them apart.
		args = append(args, "-C", "llvm-args=-inline-threshold=-1000000")
	}
	if opts.Sealed {
		if err := sealedRust(opts.Sources); err != nil {
			return nil, "", err
		}
		args = append(args, "--crate-type=bin") // whatever the source says
	}
	args = append(args, opts.Flags...)
	args = append(args, file)
	return job{rustcTool, file, rustc, args, opts.Dir}.run(&opts)
}
