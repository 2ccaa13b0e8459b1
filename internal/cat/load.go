package cat

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Model is a parsed file and where its includes are looked for.
type Model struct {
	File *File
	dirs []string // search folders, after the folder of the including file
}

//go:embed lib/*.cat models/*.cat models/*.bell
var embedded embed.FS

// Load parses the model in a file. Includes are looked for in the folder of the including
// file, then in the given folders, then in the embedded library and models.
func Load(file string, dirs ...string) (*Model, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	return load(&Source{file, string(text)}, dirs)
}

// LoadText parses a model given as a text; name is its name in messages.
func LoadText(name, text string, dirs ...string) (*Model, error) {
	return load(&Source{name, text}, dirs)
}

// Embedded returns a model of the embedded library by its name, such as "rc11" or "lkmm.bell".
func Embedded(name string) (*Model, error) {
	if path.Ext(name) == "" || !strings.HasSuffix(name, ".bell") && !strings.HasSuffix(name, ".cat") {
		name += ".cat"
	}
	f, err := library(name)
	if err != nil {
		return nil, err
	}
	return &Model{File: f}, nil
}

// Same reports whether m and o are the same texts, with those that they include, comments and layout apart. Only includes outside of branches count.
func (m *Model) Same(o *Model) bool {
	if m.File.String() != o.File.String() {
		return false
	}
	for _, in := range m.File.Body {
		if in, ok := in.(*Include); ok {
			a, err := m.find(in.File, m.File.Src)
			b, err2 := o.find(in.File, o.File.Src)
			if err != nil || err2 != nil || !a.Same(b) {
				return false
			}
		}
	}
	return true
}

// Text returns the text of an embedded model, followed by those of the library that it includes.
func Text(name string) (string, error) {
	var b strings.Builder
	seen := map[string]bool{}
	var add func(name string) error
	add = func(name string) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		f, err := library(name)
		if err != nil {
			return err
		}
		if len(seen) > 1 {
			fmt.Fprintf(&b, "\n(* ---- %s ---- *)\n\n", name)
		}
		b.WriteString(f.Src.Text)
		for _, in := range f.Body {
			if in, ok := in.(*Include); ok {
				if err := add(in.File); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := add(name + ".cat")
	return b.String(), err
}

// Names returns the names of the embedded models.
func Names() []string {
	entries, err := embedded.ReadDir("models")
	if err != nil {
		panic(err)
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".cat"); ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func load(src *Source, dirs []string) (*Model, error) {
	f, err := Parse(src)
	if err != nil {
		return nil, err
	}
	return &Model{f, dirs}, nil
}

// find parses an included file. from is the file that includes it, or nil.
func (m *Model) find(file string, from *Source) (*Model, error) {
	var dirs []string
	if from != nil && !strings.HasPrefix(from.Name, EmbeddedPrefix) {
		dirs = append(dirs, filepath.Dir(from.Name))
	}
	for _, dir := range append(dirs, m.dirs...) {
		name := filepath.Join(dir, file)
		switch {
		case InMemory(dir) && !filepath.IsLocal(file):
			continue // what is in memory includes nothing on the disk
		case filepath.IsAbs(file):
			name = file
		}
		text, err := readFile(name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.ErrUnsupported) { // a browser has no files
			continue
		}
		if err != nil {
			return nil, err
		}
		return load(&Source{name, string(text)}, m.dirs)
	}
	f, err := library(path.Base(file))
	if err != nil {
		return nil, err
	}
	return &Model{f, m.dirs}, nil
}

// Heading returns the name and the title that a model of the embedded library begins with. It reads no more of it.
func Heading(model string) (name, title string, err error) {
	text, err := embedded.ReadFile("models/" + model + ".cat")
	if err != nil {
		return "", "", err
	}
	end := bytes.IndexByte(text, '\n') + 1
	toks, err := lex(&Source{model, string(text[:end])})
	if err != nil {
		return "", "", err
	}
	f := &File{}
	(&parser{toks: toks}).header(f)
	return f.Name, f.Title, nil
}

// EmbeddedPrefix begins the names of files of the library, in messages.
const EmbeddedPrefix = "<ravel>/"

var parsed sync.Map // name → *File of the embedded library

func library(name string) (*File, error) {
	if f, ok := parsed.Load(name); ok {
		return f.(*File), nil
	}
	for _, dir := range []string{"lib/", "models/"} {
		text, err := embedded.ReadFile(dir + name)
		if err != nil {
			continue
		}
		f, err := Parse(&Source{EmbeddedPrefix + dir + name, string(text)})
		if err != nil {
			return nil, err
		}
		parsed.Store(name, f)
		return f, nil
	}
	return nil, fmt.Errorf("cannot find %q: not in the folder of this file, the search folders or the embedded library", name)
}
