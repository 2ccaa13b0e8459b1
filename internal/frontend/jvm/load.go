package jvm

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ravel/internal/ir"
)

// Options say how sources become class files, and where library functions come from.
type Options struct {
	Ctx     context.Context   // ends javac; nil: never
	Dir     string            // folder that names of files are relative to; "" is the current one
	Flags   []string          // passed to javac
	Sources map[string][]byte // files in memory, by name

	// Sealed: javac reads nothing but Sources and the JDK. All files are in Sources.
	Sealed bool

	// Library returns a program that has the functions of these names of ravel's library.
	Library func(names []string) (*ir.Program, error)
}

// A CompileError is what javac says of a program that it refuses.
type CompileError struct{ Output string }

func (e *CompileError) Error() string { return strings.TrimSuffix(e.Output, "\n") }

// HasCompiler reports whether there is a javac on this machine.
func HasCompiler() bool {
	jdk, err := findJDK()
	if err != nil {
		return false
	}
	_, err = os.Stat(javacOf(jdk))
	return err == nil
}

func javacOf(jdk string) string {
	path := filepath.Join(jdk, "bin", "javac")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	return path
}

// IsFile reports whether a file is one of Java.
func IsFile(name string) bool {
	switch filepath.Ext(name) {
	case ".java", ".class", ".jar":
		return true
	}
	return false
}

// Load makes a program of .java, .class and .jar files.
func Load(files []string, opts Options) (prog *ir.Program, err error) {
	defer recovered(files[0], &prog, &err)
	jdk, err := findJDK()
	if err != nil {
		return nil, err
	}
	mods, err := openModules(filepath.Join(jdk, "lib", "modules"))
	if err != nil {
		return nil, err
	}
	set := &classSet{opts: &opts, jdk: jdk, sources: map[string]string{}, classes: map[string][]byte{}}
	if err := set.read(files); err != nil {
		return nil, err
	}
	var names []string
	lazy := map[string]bool{}
	for {
		prog, needed, more, err := set.lower(mods, names, lazy)
		if err != nil {
			return nil, err
		}
		if len(needed) == 0 && len(more) == 0 {
			if set.said != "" {
				prog.Said = append(prog.Said, set.said)
			}
			return prog, nil
		}
		names = append(names, needed...)
		slices.Sort(names)
		for _, c := range more {
			lazy[c] = true
		}
	}
}

// recovered turns a panic about the input into an error about a file.
func recovered(file string, prog **ir.Program, err *error) {
	switch e := recover().(type) {
	case nil:
	case bailout:
		*prog, *err = nil, fmt.Errorf("%s: %w", file, e.err)
	case badClass:
		*prog, *err = nil, fmt.Errorf("%s: %w", file, e.err)
	default:
		panic(e)
	}
}

// A classSet has the class files of a program.
type classSet struct {
	opts    *Options
	jdk     string
	sources map[string]string // by class: its file
	classes map[string][]byte // by name
	order   []string          // names of classes of the files that were given, in order
	main    string            // of the manifest of a jar
	said    string
}

// findJDK returns the folder of the JDK: that of JAVA_HOME, or of javac or java on the path.
func findJDK() (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		if _, err := os.Stat(filepath.Join(home, "lib", "modules")); err == nil {
			return home, nil
		}
	}
	for _, tool := range []string{"javac", "java"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			continue
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			continue
		}
		home := filepath.Dir(filepath.Dir(path))
		if _, err := os.Stat(filepath.Join(home, "lib", "modules")); err == nil {
			return home, nil
		}
	}
	return "", errors.New("no JDK found: install one (Debian: openjdk-17-jdk-headless) or set JAVA_HOME")
}

// read reads the files, and compiles those that are sources.
func (s *classSet) read(files []string) error {
	var sources []string
	for _, f := range files {
		switch filepath.Ext(f) {
		case ".java":
			sources = append(sources, f)
		case ".class":
			text, err := s.file(f)
			if err != nil {
				return err
			}
			if err := s.add(f, "", text); err != nil {
				return err
			}
		case ".jar":
			if err := s.readJar(f); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s: a program in Java has .java, .class and .jar files only", f)
		}
	}
	if len(sources) == 0 {
		return s.siblings(files)
	}
	return s.compile(sources)
}

func (s *classSet) path(name string) string {
	if s.opts.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.opts.Dir, name)
}

func (s *classSet) file(name string) ([]byte, error) {
	if text, ok := s.opts.Sources[name]; ok {
		return text, nil
	}
	return os.ReadFile(s.path(name))
}

// add adds a class file.
func (s *classSet) add(file, source string, text []byte) error {
	c, err := parseClass(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	s.order = append(s.order, c.name)
	s.classes[c.name] = text
	s.sources[c.name] = source
	return nil
}

// siblings adds the classes beside a .class file that it names: Foo$1.class and others of its package.
func (s *classSet) siblings(files []string) error {
	for _, f := range files {
		if filepath.Ext(f) != ".class" {
			continue
		}
		if _, ok := s.opts.Sources[f]; ok {
			continue
		}
		others, err := filepath.Glob(filepath.Join(filepath.Dir(s.path(f)), "*.class"))
		if err != nil {
			return err
		}
		for _, o := range others {
			text, err := os.ReadFile(o)
			if err != nil {
				return err
			}
			c, err := parseClass(text)
			if err == nil && s.classes[c.name] == nil {
				s.classes[c.name] = text
			}
		}
	}
	return nil
}

func (s *classSet) readJar(f string) error {
	text, err := s.file(f)
	if err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return fmt.Errorf("%s: %w", f, err)
	}
	for _, e := range z.File {
		if e.Name != "META-INF/MANIFEST.MF" && (filepath.Ext(e.Name) != ".class" || strings.HasPrefix(e.Name, "META-INF/") || filepath.Base(e.Name) == "module-info.class") {
			continue
		}
		r, err := e.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		text, err := io.ReadAll(io.LimitReader(r, 16<<20))
		_ = r.Close()
		if err != nil {
			return fmt.Errorf("%s: %s: %w", f, e.Name, err)
		}
		if filepath.Ext(e.Name) == ".class" {
			if err := s.add(f+": "+e.Name, "", text); err != nil {
				return err
			}
			continue
		}
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "Main-Class:"); ok {
				s.main = strings.ReplaceAll(strings.TrimSpace(name), ".", "/")
			}
		}
	}
	return nil
}

// compile runs javac. Its output goes to a folder of its own, and so do sources that are in memory.
func (s *classSet) compile(files []string) error {
	javac := javacOf(s.jdk)
	if _, err := os.Stat(javac); err != nil {
		return fmt.Errorf("%s: no javac in %s: install a JDK, or compile the program yourself and give ravel the .class files", files[0], s.jdk)
	}
	scratch, err := os.MkdirTemp("", "ravel-java-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	out, src := filepath.Join(scratch, "classes"), filepath.Join(scratch, "src")
	if err := errors.Join(os.Mkdir(out, 0o700), os.Mkdir(src, 0o700)); err != nil {
		return err
	}
	args := []string{"-g", "-XDstringConcat=inline", "-proc:none", "-nowarn", "-implicit:class", "-encoding", "UTF-8", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-d", out}
	dir := s.opts.Dir
	if len(s.opts.Sources) > 0 {
		dir = src
		if err := s.writeSources(src); err != nil {
			return err
		}
		files = slices.Clone(files)
		for i, f := range files { // others stay where they are
			if _, ok := s.opts.Sources[f]; !ok {
				if files[i], err = filepath.Abs(s.path(f)); err != nil {
					return err
				}
			}
		}
	}
	paths := []string{"-sourcepath", strings.Join(foldersOf(files), string(filepath.ListSeparator))}
	if s.opts.Sealed {
		paths = []string{"-J-Xmx512m", "-cp", src, "-sourcepath", src}
	}
	args = slices.Concat(args, paths, s.opts.Flags, files)
	ctx := s.opts.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	cmd := exec.CommandContext(ctx, javac, args...)
	cmd.Dir = dir
	if s.opts.Sealed {
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + scratch}
	}
	var msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &msg, &msg
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && msg.Len() > 0 {
			return &CompileError{msg.String()}
		}
		return fmt.Errorf("%s: can't run javac: %w", files[0], err)
	}
	s.said = strings.TrimSpace(msg.String())
	return filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".class" || d.Name() == "module-info.class" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		c, err := parseClass(text)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		source, given := s.sourceOf(c, files)
		if !given { // javac found it on its own: its main does not count
			s.classes[c.name], s.sources[c.name] = text, source
			return nil
		}
		return s.add(path, source, text)
	})
}

// writeSources writes the sources that are in memory to a folder.
func (s *classSet) writeSources(dir string) error {
	for name, text := range s.opts.Sources {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%s: the name of a source in memory is relative and stays in its folder", name)
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// foldersOf returns the folders of files, each once.
func foldersOf(files []string) (list []string) {
	for _, f := range files {
		if d := filepath.Dir(f); !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// sourceOf returns the file that a class comes from, and whether it is one of those compiled: of two with the same name, the one in the folder of the package.
func (s *classSet) sourceOf(c *classFile, files []string) (source string, given bool) {
	pack := filepath.FromSlash(path.Dir(c.name))
	for _, f := range files {
		if filepath.Base(f) == c.source && (source == "" || strings.HasSuffix(filepath.Dir(f), pack)) {
			source = f
		}
	}
	if source != "" {
		return source, true
	}
	for _, d := range foldersOf(files) {
		f := filepath.Join(d, pack, c.source)
		if _, err := os.Stat(s.path(f)); err == nil {
			return f, false
		}
	}
	return "", false
}

// lower makes the program. It returns the functions of the library that are missing in it, and the classes that have to be lazy and are not.
func (s *classSet) lower(mods *modules, names []string, lazy map[string]bool) (prog *ir.Program, needed, more []string, err error) {
	if prog, err = s.opts.Library(names); err != nil {
		return nil, nil, nil, err
	}
	prog.Managed = true
	if len(prog.Positions) == 0 {
		prog.Positions = []ir.Position{{File: -1}}
	}
	if len(prog.Scopes) == 0 {
		prog.Scopes = make([]ir.Scope, 1)
	}
	w := &world{classes: map[string]*class{}, own: map[string]*classFile{}, sources: map[string]string{}, jdk: mods.class, prog: prog, files: map[string]int{}}
	for name, text := range s.classes {
		if w.own[name], err = parseClass(text); err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", dotted(name), err)
		}
		w.sources[name] = s.sources[name]
	}
	if w.main, err = s.mainClass(w); err != nil {
		return nil, nil, nil, err
	}
	b := &builder{
		w: w, prog: prog, libs: map[string]*ir.Func{}, need: map[string]bool{}, funcs: map[*method]*ir.Func{}, virtuals: map[string]*virtual{},
		tests: map[*class]*ir.Func{}, vars: map[*class]*ir.Var{}, statics: map[*field]*ir.Global{}, strings: map[string]*text{}, objects: map[string]*ir.Global{},
		constants: map[*field]any{}, scanning: map[*class]bool{}, late: map[string]*ir.Func{}, names: map[string]int{}, triggers: map[*ir.Func][]*class{}, lazy: lazy,
		initFuncs: map[*class]*ir.Func{},
	}
	for _, f := range prog.Funcs {
		b.libs[f.Name] = f
	}
	more = b.lowerProgram()
	for name := range b.need {
		needed = append(needed, name)
	}
	return prog, needed, more, nil
}

// mainClass returns the class whose main runs: that of the manifest, or the first one of the files that has one.
func (s *classSet) mainClass(w *world) (*class, error) {
	names := s.order
	if s.main != "" {
		names = []string{s.main}
	}
	var found []string
	for _, name := range names {
		c := w.find(name)
		if c == nil {
			continue
		}
		if m := c.declared("main", "([Ljava/lang/String;)V"); m != nil && m.is(accStatic) && m.is(accPublic) {
			found = append(found, name)
		}
	}
	switch {
	case len(found) == 0:
		return nil, errors.New("the program has no method public static void main(String[])")
	case len(found) > 1:
		return nil, fmt.Errorf("%s and %s have a method main: name the files of one program", dotted(found[0]), dotted(found[1]))
	}
	return w.find(found[0]), nil
}

// lowerProgram lowers everything that main reaches. It returns the classes that have to be lazy and are not.
func (b *builder) lowerProgram() []string {
	c := b.w.main
	m := c.declared("main", "([Ljava/lang/String;)V")
	if c.initialiser() != nil {
		b.meet(c)
	}
	start := b.funcOf(m)
	main := &ir.Func{Name: "main", Results: 1}
	b.addFunc(main)
	b.prog.Main = main
	b.lateFunc("uncaught", 1)
	args := b.w.class("[" + descOf(stringClass))
	e := &emitter{b: b, f: main, result: 'V', thrown: map[thrownAt]int{}, pads: map[string]int{}}
	usesArgs := m.code != nil && (slices.Contains(m.code.bytes, 42) || slices.Contains(m.code.bytes, opAload)) // aload_0, or what looks like it
	if usesArgs {
		b.instantiate(args)
	}
	b.run()
	lazy, order := b.findLazy()
	if b.asksAlive {
		lazy = append(lazy, aliveKey)
	}
	if b.interrupting {
		lazy = append(lazy, interruptKey)
	}
	lazy = slices.DeleteFunc(lazy, func(name string) bool { return b.lazy[name] })
	e.at = e.block()
	e.pos = start.Pos
	main.Pos = start.Pos
	if b.current != nil {
		e.setThread(ir.Imm(b.single("main thread", threadClass, b.threadSize())))
	}
	for _, k := range order {
		e.runOrReport(b.funcs[k.initialiser()])
	}
	list := ir.Imm(0)
	if usesArgs {
		list = e.allocate(args, ir.Imm(headerSize))
	}
	e.runOrReport(start, list)
	e.ret1(ir.Imm(0))
	e.finish()
	return lazy
}

func (b *builder) threadSize() uint64 {
	c := b.w.class(threadClass)
	c.layOut()
	return c.size
}
