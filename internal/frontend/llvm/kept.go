package llvm

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ravel/internal/cache"
	"ravel/internal/ir"

	"ravel/internal/lazy"
)

// What compilers make is kept in the user's cache, as text of each file and as the linked program.
//
// Definition. The unit of a run of a compiler is its path, its version, its arguments, its folder and the variables of the environment that it looks at. Its
// inputs are the files that it read, and the files that it would have read if they were there: an #include looks in several folders, and __has_include at names
// that may be missing.
//
// The cache has, for a unit, the names of the inputs as of the last run (a manifest), and, for a unit with the names and contents of inputs, the text.
//
// Lemma. A text that is found is the one that the compiler would make. Proof. Compilers are deterministic (files that use the time are not kept). Look at the run that
// made the text. Its unit and its list of inputs are those of today, and so are the contents of all inputs that it read. A run of today goes the same way as long
// as it finds the same files. It looks only for names that are in files that it has read, in the folders that the manifest lists; those that
// were missing then are missing now. ∎
//
// Of the crates that flags of rustc name, the contents are part of the unit: rustc does not say which of them it read. These are the files of --extern, and all crates
// in the folders of -L.
//
// A linked program is kept under what decides the units of its texts, with the inputs of all of them, what these were, and the versions of the compilers. It is found
// if all that is as it was.

// A kept knows what is in the cache. A nil one keeps nothing.
type kept struct {
	store   *cache.Store
	headers string // ravel's own, where they are now
	binary  string // this ravel
	begun   time.Time

	mu       sync.Mutex
	versions map[[2]string]func() string // of programs, by path and folder
	hashes   map[string]string           // of files
	folders  map[string]map[string]bool
	search   map[string][]string // folders that a compiler searches, by its arguments
	asked    map[string]*questions

	inputs []*manifest // of the texts that the program is made of
	crates []string    // files of crates that the program may have
	others bool        // the program depends on something else
}

// ownHeaders stands for the folder with ravel's own headers, which is another one in each run.
const ownHeaders = "<ravel>"

func newKept(store *cache.Store, headers string) *kept {
	if store == nil {
		return nil
	}
	return &kept{
		store: store, headers: headers, binary: cache.Binary(), begun: time.Now(),
		versions: map[[2]string]func() string{}, hashes: map[string]string{}, folders: map[string]map[string]bool{}, search: map[string][]string{}, asked: map[string]*questions{},
	}
}

// A unit is what decides the text, except for the contents of files.
type unit struct {
	job
	key cache.Key
}

// environment has the variables that compilers look at.
var environment = []string{
	"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "CCC_OVERRIDE_OPTIONS", "CLANG_CONFIG_FILE_SYSTEM_DIR", "CLANG_CONFIG_FILE_USER_DIR", "GCC_TOOLCHAIN",
	"SDKROOT", "SOURCE_DATE_EPOCH", "LANG", "LC_ALL", "RUSTUP_TOOLCHAIN", "RUSTUP_HOME", "CARGO_HOME", "RUSTC_BOOTSTRAP", "RUST_TARGET_PATH",
}

// elsewhere are flags by which a compiler reads files that it does not name among those it read.
var elsewhere = lazy.Regexp(`^(@|--?config|-fplugin|-fpass-plugin|-load|-M|-fmodule|-fprofile|-fsanitize-.*list|-ivfsoverlay|-Z|-include-pch|-specs)`)

// unit returns the unit of a job, nil if its text is not kept.
func (k *kept) unit(j job, opts *Options) *unit {
	if k == nil || j.tool == disTool {
		return nil // a program has the contents of bitcode in its name
	}
	if slices.ContainsFunc(opts.Flags, elsewhere().MatchString) {
		k.failed()
		return nil
	}
	dir, err := filepath.Abs(j.dir)
	if err != nil {
		k.failed()
		return nil
	}
	j.dir = dir
	version := k.version(j.prog, dir, j.tool)
	if version == "" {
		k.failed()
		return nil
	}
	parts := []string{"text", string(j.tool), version, dir}
	for _, name := range environment {
		parts = append(parts, os.Getenv(name))
	}
	for _, a := range j.args {
		parts = append(parts, k.hide(a))
	}
	if j.tool == rustcTool {
		parts = append(parts, k.crateParts(opts.Flags, dir)...)
	}
	return &unit{j, cache.KeyOf(parts...)}
}

// crateParts returns what flags of rustc say about crates, with the contents of their files. Macros that are programs may read anything: what uses them is not kept.
func (k *kept) crateParts(flags []string, dir string) (parts []string) {
	add := func(file string) {
		switch filepath.Ext(file) {
		case ".so", ".dylib", ".dll":
			k.failed()
		}
		parts = append(parts, file, k.hash(file))
		k.mu.Lock()
		defer k.mu.Unlock()
		k.crates = append(k.crates, file)
	}
	for _, c := range crateFlags(flags) {
		_, path, named := strings.Cut(c.value, "=")
		switch {
		case c.flag == "--extern" && named:
			add(absolute(dir, path))
		case c.flag == "-L":
			if !named {
				path = c.value
			}
			path = absolute(dir, path)
			for _, name := range slices.Sorted(mapKeys(k.list(path))) {
				switch filepath.Ext(name) {
				case ".rlib", ".rmeta", ".so", ".dylib", ".dll", ".a":
					add(filepath.Join(path, name))
				}
			}
		}
		parts = append(parts, c.flag, c.value)
	}
	return parts
}

// settled reports whether the files of crates are older than this run, so that all who read them read the same.
func (k *kept) settled() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, f := range k.crates {
		if info, err := os.Stat(f); err != nil || !k.before(info) {
			return false
		}
	}
	return true
}

// before reports whether a file was last changed before this run began.
func (k *kept) before(info os.FileInfo) bool {
	const tick = 10 * time.Millisecond // or less, of the clock that files have their times from
	return info.ModTime().Before(k.begun.Add(-tick))
}

// hide returns a name without where ravel's headers are now; show is its inverse.
func (k *kept) hide(name string) string {
	if rest, ok := strings.CutPrefix(name, k.headers); ok && k.headers != "" {
		return ownHeaders + rest
	}
	return name
}

func (k *kept) show(name string) string {
	if rest, ok := strings.CutPrefix(name, ownHeaders); ok {
		return k.headers + rest
	}
	return name
}

// version returns which program this is: where, as large and as old as what, and what it says of itself in a folder; "" if it does not run.
func (k *kept) version(prog, dir string, tool toolKind) string {
	k.mu.Lock()
	at := [2]string{prog, dir}
	v, ok := k.versions[at]
	if !ok {
		v = sync.OnceValue(func() string { return k.askVersion(prog, dir, tool) })
		k.versions[at] = v
	}
	k.mu.Unlock()
	return v()
}

func (k *kept) askVersion(prog, dir string, tool toolKind) string {
	flag := "--version"
	if tool == rustcTool {
		flag = "-vV"
	}
	path, err := exec.LookPath(prog)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil {
		return ""
	}
	file := strings.Join([]string{prog, path, info.ModTime().String()}, "\n")
	key, same := versionKey(file, path, info)
	if out, ok := k.store.Get(key); same && ok {
		return file + "\n" + string(out)
	}
	cmd := exec.Command(prog, flag)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	if same {
		k.store.Put(key, out)
	}
	return file + "\n" + string(out)
}

// versionKey is where the cache has what a program says of itself: to ask clang takes half of the time until the exploration begins. It is not ok if the program may say something else
// though its file is the same. A script, or the rustc of rustup, may run another compiler in each folder. A program whose libraries were replaced has a new list of libraries beside it
// (ldconfig); where there is no such list, nothing is remembered.
func versionKey(file, path string, info os.FileInfo) (key cache.Key, ok bool) {
	if !strings.HasPrefix(filepath.Base(path), "clang") {
		return key, false
	}
	f, err := os.Open(path)
	if err != nil {
		return key, false
	}
	defer f.Close()
	magic := make([]byte, len(elf.ELFMAG))
	libraries, statErr := os.Stat("/etc/ld.so.cache")
	if _, err := io.ReadFull(f, magic); err != nil || string(magic) != elf.ELFMAG || statErr != nil {
		return key, false
	}
	return cache.KeyOf("version", file, fmt.Sprint(info.Size()), libraries.ModTime().String()), true
}

// A manifest is what a unit reads.
type manifest struct {
	Files   []string // that were read
	Folders []string // that were searched; below those that are relative are the folders of Files
	Names   []string // that were looked for in Folders
	Quoted  [][2]string
	// Lists are folders whose names of files matter, as those of compilers' versions do.
	Lists []string
	Env   []string // of rustc: variables that the source asks for
}

// text returns the key of the text of a unit, given what its manifest says and the files have now.
func (k *kept) text(u cache.Key, m *manifest) (key cache.Key, ok bool) {
	parts := []string{u.String()}
	for _, f := range m.Files {
		h := k.hash(k.show(f))
		if h == "" {
			return key, false
		}
		parts = append(parts, f, h)
	}
	parts = append(parts, "searched")
	there := func(dir, name string) string {
		sub, base := filepath.Split(name)
		if sub != "" || base == ".." {
			file := filepath.Join(dir, name)
			dir, base = filepath.Dir(file), filepath.Base(file)
		}
		if k.list(dir)[base] {
			return "+"
		}
		return "-"
	}
	var found strings.Builder
	for _, dir := range m.Folders {
		found.WriteString(dir + "\n")
		shown := filepath.Clean(k.show(dir))
		for _, name := range m.Names {
			found.WriteString(there(shown, name))
		}
	}
	for _, q := range m.Quoted {
		found.WriteString(q[0] + "\n" + q[1] + there(filepath.Clean(k.show(q[0])), q[1]))
	}
	for _, dir := range m.Lists {
		names := k.list(dir)
		found.WriteString(dir + "\n")
		for _, name := range slices.Sorted(mapKeys(names)) {
			found.WriteString(name + "\n")
		}
	}
	for _, name := range m.Env {
		value, set := os.LookupEnv(name)
		if set {
			found.WriteString(name + "=" + value + "\n")
		}
	}
	return cache.KeyOf(append(parts, strings.Join(m.Names, "\n"), found.String())...), true
}

func mapKeys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range m {
			if !yield(name) {
				return
			}
		}
	}
}

// get returns the text of a unit if it is kept.
func (k *kept) get(u *unit) (text []byte, note string, ok bool) {
	if k == nil || u == nil {
		return nil, "", false
	}
	stored, ok := k.store.Get(u.key)
	m := &manifest{}
	if !ok || json.Unmarshal(stored, m) != nil {
		return nil, "", false
	}
	key, ok := k.text(u.key, m)
	if !ok {
		return nil, "", false
	}
	content, ok := k.store.Get(key)
	if !ok {
		return nil, "", false
	}
	before, after, ok := bytes.Cut(content, []byte{0})
	if ok {
		k.use(m)
	}
	return after, string(before), ok
}

// use notes that the program is made of a text with these inputs.
func (k *kept) use(m *manifest) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.inputs = append(k.inputs, m)
}

// failed tells that the program depends on something that the cache does not know of.
func (k *kept) failed() {
	if k != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.others = true
	}
}

// hash returns the hash of a file, "" if it can't be read.
func (k *kept) hash(file string) string {
	k.mu.Lock()
	h, ok := k.hashes[file]
	k.mu.Unlock()
	if ok {
		return h
	}
	if text, err := os.ReadFile(file); err == nil {
		sum := sha256.Sum256(text)
		h = hex.EncodeToString(sum[:])
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hashes[file] = h
	return h
}

// list returns the names in a folder, nil if there is none.
func (k *kept) list(dir string) map[string]bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	names, ok := k.folders[dir]
	if ok {
		return names
	}
	if entries, err := os.ReadDir(dir); err == nil {
		names = map[string]bool{}
		for _, e := range entries {
			if e.Type()&os.ModeSymlink != 0 {
				if _, err := os.Stat(filepath.Join(dir, e.Name())); err != nil {
					continue
				}
			}
			names[e.Name()] = true
		}
	}
	k.folders[dir] = names
	return names
}

// put keeps the text of a unit. deps is the file with what was read, in the form of make.
func (k *kept) put(u *unit, deps string, text []byte, note string) {
	if k == nil || u == nil {
		return
	}
	m, ok := k.manifest(u, deps)
	if !ok || !k.settled() {
		k.failed()
		return
	}
	key, ok := k.text(u.key, m)
	stored, err := json.Marshal(m)
	if !ok || err != nil || strings.Contains(note, "\x00") {
		k.failed()
		return
	}
	k.store.Put(u.key, stored)
	k.store.Put(key, slices.Concat([]byte(note), []byte{0}, text))
	k.use(m)
}

// manifest returns what a run has read; not ok if that is not known for sure.
func (k *kept) manifest(u *unit, deps string) (m *manifest, ok bool) {
	m = &manifest{}
	text, err := os.ReadFile(deps)
	if err != nil {
		return nil, false
	}
	for _, f := range prerequisites(string(text)) {
		m.Files = append(m.Files, k.hide(absolute(u.dir, f)))
	}
	for _, e := range envDep().FindAllSubmatch(text, -1) {
		m.Env = append(m.Env, string(e[1]))
	}
	names := map[string]bool{}
	for _, f := range m.Files {
		path := k.show(f)
		if info, err := os.Stat(path); err != nil || f == path && !k.before(info) {
			return nil, false // it may have changed meanwhile
		}
		if u.tool != clangTool {
			continue
		}
		q := k.scan(path)
		if !q.known {
			return nil, false
		}
		for _, name := range q.names {
			names[name] = true
		}
		for _, name := range q.quoted {
			m.Quoted = append(m.Quoted, [2]string{filepath.Dir(f), name})
		}
	}
	if u.tool != clangTool {
		return m, true
	}
	m.Names = slices.Sorted(mapKeys(names))
	for _, dir := range k.searched(u) {
		m.Folders = append(m.Folders, k.hide(absolute(u.dir, dir)))
		if parent, base := filepath.Split(filepath.Clean(dir)); base != "" && base[0] >= '0' && base[0] <= '9' {
			m.Lists = append(m.Lists, absolute(u.dir, filepath.Clean(parent)))
		}
	}
	return m, len(m.Folders) > 0
}

// questions are what a file of C or C++ looks for.
type questions struct {
	names, quoted []string // all, and those in quotes
	known         bool     // no name is that of a macro, and the time does not matter
}

var (
	directive = lazy.Regexp(`^\s*#\s*(?:include|include_next|import|embed)\b\s*(.*)`)
	hasFile   = lazy.Regexp(`\b__has_(?:include|include_next|embed)\s*\(\s*([^)\n]*)`)
	fileName  = lazy.Regexp(`^(["<])([^">\n]+)[">]`)
	usesTime  = lazy.Regexp(`\b__(DATE|TIME|TIMESTAMP)__\b`)
	envDep    = lazy.Regexp(`(?m)^# env-dep:([^=\n]+)`)
)

// scan returns what a file looks for, in code or comments.
func (k *kept) scan(file string) *questions {
	k.mu.Lock()
	q, ok := k.asked[file]
	k.mu.Unlock()
	if ok {
		return q
	}
	q = &questions{}
	text, err := os.ReadFile(file)
	q.known = err == nil && !usesTime().Match(text)
	ask := func(name []byte) {
		n := fileName().FindSubmatch(name)
		if n == nil {
			q.known = false
			return
		}
		q.names = append(q.names, string(n[2]))
		if n[1][0] == '"' {
			q.quoted = append(q.quoted, string(n[2]))
		}
	}
	for line := range bytes.Lines(text) {
		if bytes.IndexByte(line, '#') >= 0 {
			if d := directive().FindSubmatch(line); d != nil {
				ask(d[1])
			}
		}
		if bytes.Contains(line, []byte("__has_")) {
			for _, d := range hasFile().FindAllSubmatch(line, -1) {
				ask(d[1])
			}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked[file] = q
	return q
}

func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// prerequisites returns the files that a rule of make depends on.
func prerequisites(rules string) (files []string) {
	rules = strings.ReplaceAll(rules, "\\\n", " ")
	for line := range strings.Lines(rules) {
		_, list, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		var name strings.Builder
		flush := func() {
			if name.Len() > 0 && !slices.Contains(files, name.String()) {
				files = append(files, name.String())
			}
			name.Reset()
		}
		for i := 0; i < len(list); i++ {
			switch c := list[i]; {
			case c == '\\' && i+1 < len(list) && (list[i+1] == ' ' || list[i+1] == '#' || list[i+1] == '\\'):
				i++
				name.WriteByte(list[i])
			case c == '$' && i+1 < len(list) && list[i+1] == '$':
				i++
				name.WriteByte('$')
			case c == ' ' || c == '\n' || c == '\r' || c == '\t':
				flush()
			default:
				name.WriteByte(c)
			}
		}
		flush()
	}
	return files
}

// searched returns the folders that clang looks for headers in, also those that are missing; none if it does not say.
func (k *kept) searched(u *unit) []string {
	source := slices.Index(u.args, "--")
	if source < 0 {
		return nil
	}
	language := "c"
	if slices.Contains(u.args, "--driver-mode=g++") {
		language = "c++"
	}
	args := slices.DeleteFunc(slices.Clone(u.args[:source]), func(a string) bool { return a == "-S" || a == "-emit-llvm" })
	args = append(args, "-E", "-v", "-o", os.DevNull, "-x", language, os.DevNull)
	id := strings.Join(append(args, u.prog, u.dir), "\x00")
	k.mu.Lock()
	dirs, ok := k.search[id]
	k.mu.Unlock()
	if ok {
		return dirs
	}
	cmd := exec.Command(u.prog, args...)
	cmd.Dir = u.dir
	if out, err := cmd.CombinedOutput(); err == nil {
		listed := false
		for line := range strings.Lines(string(out)) {
			line = strings.TrimRight(line, "\r\n")
			switch {
			case strings.HasPrefix(line, "ignoring nonexistent directory "):
				dirs = append(dirs, strings.Trim(line[len("ignoring nonexistent directory "):], `"`))
			case strings.HasSuffix(line, "search starts here:"):
				listed = true
			case strings.HasPrefix(line, "End of search list"):
				listed = false
			case listed:
				dirs = append(dirs, strings.TrimSuffix(strings.TrimSpace(line), " (framework directory)"))
			}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.search[id] = dirs
	return dirs
}

// name returns the key of the program that files make, and a function that returns the versions of the compilers. These are asked meanwhile.
func (k *kept) name(files []string, opts *Options) (key cache.Key, versions func() []string) {
	if k == nil {
		return key, nil
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil || k.binary == "" {
		k.failed()
	}
	parts := []string{"program", k.binary, dir, opts.Clang, strings.Join(opts.Flags, "\x00"), fmt.Sprint(opts.Runtime == nil)}
	for _, v := range environment {
		parts = append(parts, os.Getenv(v))
	}
	var tools []string
	var asking sync.WaitGroup
	asked := map[[2]string]bool{}
	ask := func(prog, dir string, tool toolKind) {
		if at := [2]string{prog, dir}; !asked[at] {
			asked[at] = true
			i := len(tools)
			tools = append(tools, "")
			asking.Go(func() { tools[i] = k.version(prog, dir, tool) })
		}
	}
	for _, f := range files {
		u := opts.Units[f]
		run := dir
		if u.Dir != "" {
			run = absolute(dir, u.Dir)
		}
		parts = append(parts, f, opts.language(f), run, strings.Join(u.Flags, "\x00"))
		switch ext := filepath.Ext(f); {
		case opts.language(f) != "":
			ask(opts.Clang, run, clangTool)
		case ext == ".rs":
			ask(findRustc(), dir, rustcTool)
			parts = append(parts, k.crateParts(slices.Concat(opts.externs, opts.Flags), dir)...)
		default:
			parts = append(parts, k.hash(opts.path(f)))
			if ext != ".ll" {
				ask(newest("llvm-dis"), dir, disTool)
			}
		}
	}
	return cache.KeyOf(parts...), func() []string {
		asking.Wait()
		return tools
	}
}

// A keptProgram goes before a linked program that is kept.
type keptProgram struct {
	Inputs   manifest
	Contents cache.Key // of the inputs
	Versions []string  // of the compilers
	Rust     string    // the rustc whose standard library is linked, "" for none
}

// program returns a linked program if it is kept, and all that it depends on is as it was.
func (k *kept) program(name cache.Key, versions func() []string) *ir.Program {
	if k == nil || k.others {
		return nil
	}
	content, ok := k.store.Get(name)
	if !ok {
		return nil
	}
	head, rest, ok := bytes.Cut(content, []byte{0})
	var p keptProgram
	if !ok || json.Unmarshal(head, &p) != nil {
		return nil
	}
	if p.Rust != "" && p.Rust != k.rust() {
		return nil
	}
	if now, ok := k.text(name, &p.Inputs); !ok || now != p.Contents {
		return nil
	}
	prog, err := ir.Decode(rest)
	if err != nil || !slices.Equal(versions(), p.Versions) {
		return nil
	}
	return prog
}

// rust returns which standard library of Rust is linked.
func (k *kept) rust() string {
	rustc := findRustc()
	if rustc == "" {
		return "none"
	}
	return k.version(rustc, "", rustcTool)
}

// putProgram keeps a linked program.
func (k *kept) putProgram(name cache.Key, versions func() []string, p *ir.Program, rust bool) {
	if k == nil || k.others || !k.settled() {
		return
	}
	head := keptProgram{Inputs: union(k.inputs), Versions: versions()}
	if head.Contents, _ = k.text(name, &head.Inputs); head.Contents == (cache.Key{}) {
		return
	}
	if rust {
		head.Rust = k.rust()
	}
	text, err := json.Marshal(head)
	if err != nil {
		return
	}
	code, err := p.Encode()
	if err != nil {
		return
	}
	k.store.Put(name, slices.Concat(text, []byte{0}, code))
}

// union returns what several units read together: names that one looks for count in the folders of all.
func union(list []*manifest) (all manifest) {
	for _, m := range list {
		all.Files = append(all.Files, m.Files...)
		all.Folders = append(all.Folders, m.Folders...)
		all.Names = append(all.Names, m.Names...)
		all.Quoted = append(all.Quoted, m.Quoted...)
		all.Lists = append(all.Lists, m.Lists...)
		all.Env = append(all.Env, m.Env...)
	}
	for _, s := range []*[]string{&all.Files, &all.Folders, &all.Names, &all.Lists, &all.Env} {
		slices.Sort(*s)
		*s = slices.Compact(*s)
	}
	slices.SortFunc(all.Quoted, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	all.Quoted = slices.Compact(all.Quoted)
	return all
}
