package llvm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Crates that a program in Rust takes from files (.rlib) have their bitcode beside their machine code. Only rustc itself is sure to read it: it prints it as text when it
// links an empty program with them, as it does for the standard library (rust_std.go). What is the standard library's is left out again.

// externFlags makes flags for rustc of the .rlib files on the command line: libqueue-1a2b.rlib is the crate queue. Other files are returned.
func externFlags(files []string, opts *Options) (others []string, flags []string, err error) {
	rust := slices.ContainsFunc(files, func(f string) bool { return filepath.Ext(f) == ".rs" })
	for _, f := range files {
		if filepath.Ext(f) != ".rlib" {
			others = append(others, f)
			continue
		}
		if !rust {
			return nil, nil, fmt.Errorf("%s: a library of Rust is for a program in Rust: name its .rs as well", f)
		}
		path, err := filepath.Abs(opts.path(f))
		if err != nil {
			return nil, nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, nil, err
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(filepath.Base(f), ".rlib"), "lib"), "-")
		flags = append(flags, "--extern", name+"="+path, "-L", "dependency="+filepath.Dir(path))
	}
	return others, flags, nil
}

// A crateFlag is a flag of rustc about crates, --extern or -L, with its value.
type crateFlag struct{ flag, value string }

func crateFlags(flags []string) (found []crateFlag) {
	for i, f := range flags {
		switch {
		case (f == "--extern" || f == "-L") && i+1 < len(flags):
			found = append(found, crateFlag{f, flags[i+1]})
		case strings.HasPrefix(f, "--extern="):
			found = append(found, crateFlag{"--extern", strings.TrimPrefix(f, "--extern=")})
		case strings.HasPrefix(f, "-L") && f != "-L":
			found = append(found, crateFlag{"-L", f[2:]})
		}
	}
	return found
}

// loadExterns returns a module with the code of the crates that flags name and of those that they need, nil if there are none.
func loadExterns(opts *Options) (*Module, error) {
	var names, flags []string // where crates are; other flags are for the program
	for _, c := range crateFlags(opts.Flags) {
		flags = append(flags, c.flag, c.value)
		if c.flag == "--extern" {
			name, _, _ := strings.Cut(c.value, "=")
			names = append(names, name[strings.LastIndexByte(name, ':')+1:]) // behind options such as priv:
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "ravel")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source := "#![allow(warnings)]\nfn main() {}\n"
	for _, n := range names {
		source += "extern crate " + n + ";\n"
	}
	file := filepath.Join(dir, "externs.rs")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		return nil, err
	}
	args := []string{
		"--emit=llvm-ir,link", "-C", "linker=true", "-C", "lto=fat", "-C", "opt-level=0", "-C", "codegen-units=1", "-C", "panic=unwind", "-g", "--color=never", "--out-dir", dir, "--remap-path-prefix", dir + "=.",
	}
	what := "the crates " + strings.Join(names, ", ")
	rustc := findRustc()
	if _, _, err := (&job{rustcTool, what, rustc, nil, opts.Dir}).start(append(append(args, flags...), file), opts); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "externs.ll"))
	if err != nil {
		return nil, err
	}
	std, err := rustStdText(false)
	if err != nil {
		return nil, err
	}
	m, err := Parse(what+" (as LLVM IR)", adaptRust(withoutStd(text, indexStd(std))))
	if err != nil {
		return nil, err
	}
	m.archived = true
	return m, nil
}

// withoutStd returns what is not the standard library's, with declarations of what it needs of it, and makes everything visible that has a name of Rust's.
func withoutStd(text []byte, std *stdIndex) []byte {
	all := indexStd(text)
	var out []byte
	need := map[string]bool{}
	var work []string
	add := func(text []byte) {
		out = append(out, text...)
		work = append(work, symbolNames(text)...)
	}
	for _, e := range all.all {
		if name := symbolName(e.head); isRust(name) && e.head[0] != '@' && !bytes.HasPrefix(e.head, []byte("declare ")) && !std.has(name) {
			need[name] = true
			add(bytes.Replace(e.text, []byte("define internal "), []byte("define "), 1))
		}
	}
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		i, ok := all.byName[name]
		if !ok || need[name] {
			continue
		}
		need[name] = true
		switch e := all.all[i]; {
		case bytes.HasPrefix(e.head, []byte("define ")): // of the standard library
			head, _, _ := bytes.Cut(e.head, []byte(" !dbg "))
			head = bytes.TrimSuffix(bytes.TrimSuffix(head, []byte("\n")), []byte(" {"))
			out = append(out, declaration(bytes.Replace(head, []byte("define internal "), []byte("define "), 1))...)
		case e.head[0] == '@' && isRust(name) && std.has(name):
			out = append(out, externalVariable(e.head)...)
		case e.head[0] == '@' && isRust(name):
			add(bytes.Replace(e.text, []byte(" = internal "), []byte(" = "), 1))
		default:
			add(e.text)
		}
	}
	return append(headerFor(all.header, out), out...)
}

// headerFor returns the lines of a header, of its metadata only what text needs.
func headerFor(header, text []byte) []byte {
	var out []byte
	nodes := map[string][]byte{}
	for line := range bytes.Lines(header) {
		if line[0] != '!' {
			out = append(out, line...)
		} else if name, _, ok := bytes.Cut(line, []byte(" = ")); ok {
			nodes[string(name)] = line
		}
	}
	need := map[string]bool{}
	work := metadataNames(nil, text)
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		if line, ok := nodes[name]; ok && !need[name] {
			need[name] = true
			out = append(out, line...)
			work = metadataNames(work, line[len(name):])
		}
	}
	return out
}

// metadataNames adds the numbers of metadata in a text, such as !12, to a list.
func metadataNames(list []string, text []byte) []string {
	for {
		at := bytes.IndexByte(text, '!')
		if at < 0 {
			return list
		}
		text = text[at:]
		n := 1
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		if n > 1 {
			list = append(list, string(text[:n]))
		}
		text = text[n:]
	}
}

// externalVariable makes the definition of a variable a declaration.
func externalVariable(line []byte) []byte {
	name, rest, _ := bytes.Cut(line, []byte(" = "))
	words := " external "
	if bytes.Contains(rest, []byte("thread_local")) {
		words += "thread_local "
	}
	for _, kind := range []string{"global ", "constant "} {
		if at := bytes.Index(rest, []byte(kind)); at >= 0 {
			typ := rest[at+len(kind):]
			return slices.Concat(name, []byte(" ="+words+kind), typ[:typeLength(typ)], []byte("\n"))
		}
	}
	return line
}

// typeLength returns how long the type is that a text begins with.
func typeLength(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '<', '[', '{', '(':
			depth++
		case '>', ']', '}', ')':
			depth--
		}
		if depth == 0 && (c == ' ' || c == ',' || c == '\n') {
			return i
		}
	}
	return len(text)
}
