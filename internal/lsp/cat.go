package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ravel/internal/cat"
	"ravel/internal/enumerate"
	"ravel/internal/justify"
)

// model reads the model in a document, and the index of its names. An error is one of its syntax.
func model(d *document) (*cat.Model, *cat.Index, error) {
	name := d.path
	if name == "" {
		name = d.uri
	}
	m, err := cat.LoadText(name, d.text)
	if err != nil {
		return nil, nil, err
	}
	return m, cat.NewIndex(m, append(enumerate.Dialects(bell(d.path)), justify.Dialect())), nil
}

// bell returns the bell file that is beside a model and has its name, or that of the kernel, which models of the kernel need; nil if there is none.
func bell(path string) *cat.Model {
	base, ok := strings.CutSuffix(path, ".cat")
	if !ok {
		return nil
	}
	if m, err := cat.Load(base + ".bell"); err == nil {
		return m
	}
	if name := filepath.Base(base); strings.Contains(name, "lkmm") || strings.HasPrefix(name, "linux-kernel") {
		if m, err := cat.Embedded("lkmm.bell"); err == nil {
			return m
		}
	}
	return nil
}

// catMistakes returns what is wrong with a model.
func (s *server) catMistakes(d *document) []problem {
	if ours, err := cat.Embedded(filepath.Base(d.path)); err == nil && ours.File.Src.Text == d.text {
		return nil // also if what includes it has to define something
	}
	m, ix, err := model(d)
	var e *cat.Error
	switch {
	case errors.As(err, &e):
	case err != nil:
		return []problem{s.remark(d.path, severityError, err.Error())}
	case ix.Err == nil:
		return nil
	default:
		e = ix.Err
	}
	pos, message, severity := e.Pos, e.Msg, severityError
	if strings.HasPrefix(message, "unbound ") && included(d.path) {
		message, severity = message+"; the files that include this one have to define it", severityInformation
	}
	if m != nil && pos.Src != m.File.Src { // in a file that is included
		pos, message = m.Place(e), fmt.Sprintf("%v: %s", e.Pos, e.Msg)
	}
	start := min(pos.Off, len(d.text))
	end := start
	for end < len(d.text) && (isWord(d.text[end]) || d.text[end] == '-' && end > start) {
		end++
	}
	if end == start && end < len(d.text) {
		end++
	}
	r := s.encoding.textRange(d.text, start, end)
	return []problem{{path: d.path, diagnostic: diagnostic{Range: r, Severity: severity, Source: "ravel", Message: message}}}
}

// included reports whether another file of the folder includes a file.
func included(path string) bool {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.cat"))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(files, func(f string) bool {
		text, err := os.ReadFile(f)
		return err == nil && f != path && strings.Contains(string(text), `include "`+filepath.Base(path)+`"`)
	})
}

func (s *server) catHover(d *document, off int) any {
	_, ix, err := model(d)
	if err != nil {
		return nil
	}
	u := ix.At(off)
	if u == nil {
		return nil
	}
	def := u.Def
	var b strings.Builder
	text := def.Text
	if text == "" {
		text = def.Name
	}
	fmt.Fprintf(&b, "```cat\n%s\n```\n", text)
	if def.Type != "" {
		fmt.Fprintf(&b, "%s is %s", code(def.Name), def.Type)
		if def.Pos.Src == nil {
			b.WriteString(" that executions define")
			if def.Type == "a function" {
				b.Reset()
				fmt.Fprintf(&b, "```cat\n%s\n```\n%s is a function of the language", text, code(def.Name))
			}
		} else if def.Pos.Src.Name != d.path {
			fmt.Fprintf(&b, ", from %s", filepath.Base(def.Pos.Src.Name))
		}
		b.WriteString(".\n")
	}
	if def.Doc != "" {
		fmt.Fprintf(&b, "\n%s\n", def.Doc)
	}
	r := s.encoding.textRange(d.text, u.Start, u.End)
	return hoverResult{markup{"markdown", b.String()}, &r}
}

func code(s string) string { return "`" + s + "`" }

// definition leads to the definition of a name of a model, also in a file that is included.
func (s *server) definition(_ context.Context, p positionParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil || d.language != langCat {
		return nil, nil
	}
	_, ix, err := model(&d)
	if err != nil {
		return nil, nil
	}
	u := ix.At(s.encoding.offset(d.text, p.Position))
	if u == nil || u.Def.Pos.Src == nil {
		return nil, nil
	}
	src := u.Def.Pos.Src
	path := src.Name
	if embedded, ok := strings.CutPrefix(path, cat.EmbeddedPrefix); ok {
		if path, err = unpacked(embedded, src.Text); err != nil {
			return nil, err
		}
	}
	length := len(u.Def.Name)
	if u.Def.Type == "a file" {
		length = 0
	}
	return location{uriOf(path), s.encoding.textRange(src.Text, u.Def.Pos.Off, u.Def.Pos.Off+length)}, nil
}

// unpacked writes a file of our library to the user's cache, so that the editor can open it.
func unpacked(name, text string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, "ravel", "cat", filepath.FromSlash(name))
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(text), 0o644)
}
