package llvm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ravel/internal/cache"

	"ravel/internal/lazy"
)

// Rust's standard library comes as machine code, together with the bitcode that link-time optimisation needs.
// A link of an empty program, with a linker that does nothing, makes rustc print all of it as text. That
// takes a few seconds, so the text is kept in the user's cache, one for each version of rustc, without
// what ravel has no use for.

// stdFormat is part of the name of what is kept: a change of stripStd needs another one.
const stdFormat = "1"

// rustHarness ends the names of functions that the library of tests shares with tests.
var rustHarness = lazy.Regexp(`Cs\w+_4test$`)

// rustStdText returns the text of the standard library of the rustc on PATH, with the library of tests for programs that are made of tests.
func rustStdText(tests bool) ([]byte, error) {
	rustc := findRustc()
	if rustc == "" {
		return nil, fmt.Errorf("no rustc on PATH")
	}
	version, err := exec.Command(rustc, "-vV").Output()
	if err != nil {
		return nil, fmt.Errorf("%s -vV: %w", rustc, err)
	}
	store, key := cache.Open(), cache.KeyOf("rust-std", stdFormat, string(version), fmt.Sprint(tests))
	if text, ok := store.Get(key); ok {
		return text, nil
	}
	text, err := makeRustStd(rustc, tests)
	if err == nil {
		store.Put(key, text)
	}
	return text, err
}

func makeRustStd(rustc string, tests bool) ([]byte, error) {
	dir, err := os.MkdirTemp("", "ravel")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	src := filepath.Join(dir, "empty.rs")
	if err := os.WriteFile(src, []byte("fn main() {}\n"), 0o644); err != nil {
		return nil, err
	}
	args := []string{
		"--emit=llvm-ir,link", "-C", "linker=true", "-C", "lto=fat", "-C", "opt-level=0",
		"-C", "codegen-units=1", "-C", "panic=unwind", "--out-dir", dir, src,
	}
	if tests {
		args = append(args, "--test")
	}
	cmd := exec.Command(rustc, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s can't print it: %w\n%s", rustc, err, bytes.TrimSpace(out))
	}
	text, err := os.ReadFile(filepath.Join(dir, "empty.ll"))
	if err != nil {
		return nil, err
	}
	return stripStd(text), nil
}

// stripStd leaves out debug information and other metadata, and makes everything visible that has a name of Rust's.
func stripStd(text []byte) []byte {
	out := make([]byte, 0, len(text)/2)
	for line := range bytes.Lines(text) {
		switch {
		case line[0] == '!', line[0] == ';', line[0] == '\n',
			bytes.HasPrefix(line, []byte("source_filename")), bytes.HasPrefix(line, []byte("attributes #")),
			bytes.HasPrefix(line, []byte("target triple")),
			bytes.HasPrefix(line, []byte("    #dbg_")), bytes.Contains(line, []byte("(metadata ")):
			continue
		case line[0] == ' ':
			if i := bytes.Index(line, []byte(", !")); i >= 0 {
				line = append(line[:i:i], '\n')
			}
		case bytes.HasPrefix(line, []byte("define ")):
			if i := bytes.Index(line, []byte(" !dbg ")); i >= 0 {
				line = append(line[:i:i], " {\n"...)
			}
			if isRust(symbolName(line)) {
				line = bytes.Replace(line, []byte("define internal "), []byte("define "), 1)
			}
		case line[0] == '@':
			if i := bytes.LastIndex(line, []byte(", !dbg !")); i >= 0 {
				line = append(line[:i:i], '\n')
			}
			if isRust(symbolName(line)) {
				line = bytes.Replace(line, []byte(" = internal "), []byte(" = "), 1)
			}
		}
		if i := bytes.Index(line, []byte(" ; preds = ")); i >= 0 {
			line = append(bytes.TrimRight(line[:i:i], " "), '\n')
		}
		out = append(out, line...)
	}
	return out
}

// symbolName returns the first name with an @ of a line, without the @ and quotes.
func symbolName(line []byte) string {
	i := bytes.IndexByte(line, '@')
	if i < 0 {
		return ""
	}
	name := line[i+1:]
	if len(name) > 0 && name[0] == '"' {
		n := bytes.IndexByte(name[1:], '"')
		if n < 0 {
			return ""
		}
		return string(name[1 : 1+n])
	}
	n := 0
	for n < len(name) && isNameByte(name[n]) {
		n++
	}
	return string(name[:n])
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$' || c == '-'
}

// addRustStd adds what the modules leave undefined of Rust's standard library to those that are linked: the stand-ins of
// ruststd.ll, and the library's own code for the rest.
func (lk *linker) addRustStd() error {
	ours, err := Parse("ruststd.ll", rustStd)
	if err != nil {
		return err
	}
	ours.runtime = true
	names, err := lk.scopeNames()
	if err != nil {
		return err
	}
	names = slices.Concat(lk.rwLockNames(), names)
	var missing []string
	for _, m := range lk.mods {
		lk.rustCatches = lk.rustCatches || m.syms[rustTry] != nil // a test that should panic
		if slices.ContainsFunc(m.order, lk.catchesPanics) {
			if m.syms["__rust_try"] != nil && m.syms["rust_eh_personality"] != nil {
				lk.rustCatches = true
			} else {
				lk.prog.Warnings = append(lk.prog.Warnings, "a panic is an error, also where catch_unwind would catch it: the code was compiled with panic=abort")
			}
		}
		for _, s := range m.order {
			if s.decl && isRust(s.name) {
				missing = append(missing, s.name)
			}
		}
	}
	lk.mods = append(lk.mods, ours)
	lk.rust = slices.Concat(names, rustBare)
	text, err := rustStdText(slices.ContainsFunc(missing, rustHarness().MatchString))
	if err != nil {
		lk.prog.Warnings = append(lk.prog.Warnings, fmt.Sprintf("Rust's standard library is not at hand: %v", err))
		return nil
	}
	std := indexStd(text)
	if !slices.ContainsFunc(missing, std.has) {
		lk.prog.Warnings = append(lk.prog.Warnings, "the Rust code was compiled by another rustc than the one on PATH: its standard library is not at hand")
		return nil
	}
	lk.rust = names
	if std.knowsBarrier() {
		lk.rust = slices.Concat(names, []rustName{rustBarrier})
	}
	write := std.find(fmtWrite)
	real := lk.realPanic(std)
	m, err := Parse("Rust's standard library", append(std.excerpt(append(append(missing, write), symbolNames(real)...), lk.rust), real...))
	if err != nil {
		return err
	}
	lk.mods = append(lk.mods, m)
	if enable := m.syms[std.find(guardEnable)]; enable != nil {
		ours.syms["rust.guard_enable"].def = enable
	} else { // the program does not need it
		ours.syms["rust.guard_enable"].def = ours.syms["rust.nothing"]
	}
	lk.bindFormat(ours, m.syms[write])
	return nil
}

// knowsBarrier reports whether std::sync::Barrier has its fields where rust.barrier_wait expects them.
func (x *stdIndex) knowsBarrier() bool {
	name := x.find("7Barrier4wait")
	if name == "" || !matchPieces(name, rustBarrier.pattern) {
		return false
	}
	text := x.all[x.byName[name]].text
	return !slices.ContainsFunc(barrierFields, func(line func() *regexp.Regexp) bool { return !line().Match(text) })
}

// realPanic returns the definition of core::panicking::panic_fmt under another name, for programs that catch panics.
func (lk *linker) realPanic(std *stdIndex) []byte {
	name := std.find("4core9panicking9panic_fmt")
	if !lk.rustCatches || name == "" {
		return nil
	}
	text := std.all[std.byName[name]].text
	as := "@rust.panic_real("
	if head, _, _ := bytes.Cut(text, []byte("\n")); bytes.Count(head, []byte("ptr ")) < 3 {
		as = "@rust.panic_real_old("
	}
	return bytes.ReplaceAll(text, []byte("@"+name+"("), []byte(as))
}

// symbolNames returns the names of symbols in a text.
func symbolNames(text []byte) (names []string) {
	for {
		at := bytes.IndexByte(text, '@')
		if at < 0 {
			return names
		}
		names = append(names, symbolName(text[at:]))
		text = text[at+1:]
	}
}

// catchesPanics reports whether a function runs a closure of the program's own for catch_unwind.
func (lk *linker) catchesPanics(s *symbol) bool {
	if s.kind != symFunc || s.decl {
		return false
	}
	f, ok := strings.CutPrefix(lk.scope(s.mod, s.fn.dbg).fn, "do_call<")
	f = strings.TrimPrefix(f, "core::panic::unwind_safe::AssertUnwindSafe<")
	return ok && !strings.HasPrefix(f, "std::") && !strings.HasPrefix(f, "&dyn core::ops::function::Fn")
}

// scopeNames returns the stand-ins for a program with or without scopes that awaitScopes has changed.
func (lk *linker) scopeNames() ([]rustName, error) {
	waits, counts := false, false
	for _, m := range lk.mods {
		switch {
		case m.syms["rust.scope_wait"] != nil:
			waits = true
		case slices.ContainsFunc(m.order, func(s *symbol) bool { return strings.Contains(s.name, scopePark) }):
			counts = true
		}
	}
	if waits && counts {
		return nil, fmt.Errorf("std::thread::scope is compiled in two ways: use the same rustc and options for all files")
	}
	lk.rustKeeps = counts
	if waits {
		return slices.Concat(rustScoped, rustNames), nil
	}
	return rustNames, nil
}

// rwLockNames returns the stand-ins for the slow paths of RwLock.
func (lk *linker) rwLockNames() []rustName {
	if slices.ContainsFunc(lk.mods, func(m *Module) bool { return m.syms[rustTries] != nil }) {
		return rustTried
	}
	return rustUntried
}

// bindFormat lets the stand-in for panics call core::fmt::write.
func (lk *linker) bindFormat(ours *Module, write *symbol) {
	panics := func(name string) {
		lk.rust = append([]rustName{{"9panicking9panic_fmt", name}, {"9panicking18panic_nounwind_fmt", name}}, lk.rust...)
	}
	switch {
	case write == nil || write.kind != symFunc:
		panics("rust.panic")
	case len(write.fn.params) == 3:
		panics("rust.panic_fmt_old")
		lk.rust = append([]rustName{{"9panicking18panic_nounwind_fmt", "rust.panic_nounwind_old"}}, lk.rust...)
		ours.syms["rust.fmt_write_old"].def = write
	default:
		ours.syms["rust.fmt_write"].def = write
	}
}

// A stdIndex has the definitions of the standard library.
type stdIndex struct {
	header []byte
	all    []stdEntity
	byName map[string]int
}

type stdEntity struct{ text, head []byte } // the whole, and its first line

func (x *stdIndex) has(name string) bool {
	_, ok := x.byName[name]
	return ok
}

// find returns the name of the library that ends with this.
func (x *stdIndex) find(end string) string {
	for name := range x.byName {
		if strings.HasSuffix(name, end) {
			return name
		}
	}
	return ""
}

func indexStd(text []byte) *stdIndex {
	x := &stdIndex{byName: map[string]int{}}
	for rest := text; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		head := rest[:end]
		if bytes.HasPrefix(head, []byte("define ")) {
			if n := bytes.Index(rest, []byte("\n}\n")); n >= 0 {
				end = n + 3
			}
		}
		if head[0] == '@' || head[0] == 'd' {
			x.byName[symbolName(head)] = len(x.all)
			x.all = append(x.all, stdEntity{rest[:end], head})
		} else {
			x.header = append(x.header, head...)
		}
		rest = rest[end:]
	}
	return x
}

// excerpt returns the definitions of the names, and of everything that they need, in the order of the text. What has a
// stand-in is declared only.
func (x *stdIndex) excerpt(names []string, known []rustName) []byte {
	need := map[string]bool{}
	var found []int
	for work := slices.Clone(names); len(work) > 0; {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		i, ok := x.byName[name]
		if !ok || need[name] {
			continue
		}
		need[name] = true
		found = append(found, i)
		e := &x.all[i]
		if e.head[0] == 'd' && standIn(name, known) != "" {
			e.text = declaration(e.head)
			continue
		}
		e.text = await(name, e.text)
		for rest := e.text; ; rest = rest[1:] {
			at := bytes.IndexByte(rest, '@')
			if at < 0 {
				break
			}
			rest = rest[at:]
			work = append(work, symbolName(rest))
		}
	}
	slices.Sort(found)
	out := append(x.header, "declare i64 @__ravel_await(i64, ...)\ndeclare i1 @__ravel_no_wake(ptr)\ndeclare i32 @__ravel_rust_create(ptr, ptr, ptr, ptr)\n"...)
	for _, i := range found {
		out = append(out, x.all[i].text...)
	}
	return out
}

// await lets a function of std wait for the change of a futex, instead of a wake-up: a thread that is woken by others, or late, looks at the
// word again anyway, so only the number of executions differs. Those that wait for a condition have stand-ins.
func await(name string, text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("@pthread_create("), []byte("@__ravel_rust_create("))
	if !bytes.HasPrefix(text, []byte("define ")) {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("@syscall("), []byte("@__ravel_await("))
	for _, wake := range []string{"5futex10futex_wake(", "5futex14futex_wake_all("} {
		for at := bytes.Index(text, []byte(wake)); at >= 0 && !strings.HasSuffix(name+"(", wake); at = bytes.Index(text, []byte(wake)) {
			from := bytes.LastIndexByte(text[:at], '@')
			text = slices.Concat(text[:from], []byte("@__ravel_no_wake("), text[at+len(wake):])
		}
	}
	return text
}

// declaration makes the first line of a definition a declaration.
func declaration(head []byte) []byte {
	line := bytes.Replace(bytes.TrimSuffix(head, []byte(" {\n")), []byte("define "), []byte("declare "), 1)
	line, _, _ = bytes.Cut(line, []byte(" personality "))
	return append(line, '\n')
}
