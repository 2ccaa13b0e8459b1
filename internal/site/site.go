package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ravel/docs"
	"ravel/internal/play"
	"ravel/internal/web"
)

//go:embed document.html
var documentText string

var document = template.Must(template.New("document").Parse(documentText))

// Options say what a site is made of.
type Options struct {
	Wasm    []byte // cmd/ravel-wasm, compiled
	Version string
	Note    func(string) // what is missing, and why
}

// A maker writes one site.
type maker struct {
	Options
	ctx      context.Context
	dir      string
	examples []web.Example
	pages    []page
}

// A page is a document of the site.
type page struct {
	Source, File, Title string
	Current             bool
	Root                string // the way to the first page
}

// Write writes the site to a folder.
func Write(ctx context.Context, dir string, o Options) error {
	m := &maker{Options: o, ctx: ctx, dir: dir, examples: web.Examples()}
	if err := m.findPages(); err != nil {
		return err
	}
	for _, p := range m.pages {
		if err := m.writePage(p); err != nil {
			return fmt.Errorf("%s: %w", p.Source, err)
		}
	}
	pictures, err := fs.Glob(docs.Files, "pictures/*")
	if err != nil {
		return err
	}
	for _, name := range pictures {
		text, err := docs.Files.ReadFile(name)
		if err != nil {
			return err
		}
		if err := m.put(name, text); err != nil {
			return err
		}
	}
	return m.writePlay()
}

// put writes a file of the site.
func (m *maker) put(name string, text []byte) error {
	file := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

func (m *maker) putJSON(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return m.put(name, text)
}

// findPages lists the documents, with their titles.
func (m *maker) findPages() error {
	var names []string
	for _, pattern := range []string{"*.md", "tasks/*.md"} {
		found, err := fs.Glob(docs.Files, pattern)
		if err != nil {
			return err
		}
		names = append(names, found...)
	}
	for _, name := range names {
		text, err := docs.Files.ReadFile(name)
		if err != nil {
			return err
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		p := page{Source: name, File: htmlName(name), Title: strings.ReplaceAll(title, "`", ""), Root: strings.Repeat("../", strings.Count(name, "/"))}
		if name == "README.md" {
			m.pages = append([]page{p}, m.pages...)
		} else {
			m.pages = append(m.pages, p)
		}
	}
	return nil
}

// htmlName returns the file of the page of a document.
func htmlName(source string) string {
	if source == "README.md" {
		return "index.html"
	}
	return strings.TrimSuffix(source, ".md") + ".html"
}

func (m *maker) writePage(p page) error {
	text, err := docs.Files.ReadFile(p.Source)
	if err != nil {
		return err
	}
	body, err := m.render(p, text)
	if err != nil {
		return err
	}
	nav := append([]page{}, m.pages...)
	for i := range nav {
		nav[i].Current = nav[i].Source == p.Source
	}
	var b bytes.Buffer
	err = document.Execute(&b, struct {
		page
		Pages   []page
		Body    template.HTML
		Version string
	}{p, nav, template.HTML(body), m.Version}) // the documents are ours
	if err != nil {
		return err
	}
	return m.put(p.File, b.Bytes())
}

// writePlay writes the page on which examples run.
func (m *maker) writePlay() error {
	policy := "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'nonce-NONCE'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
	nonce := rand.Text()
	index := strings.Replace(string(web.Page(nonce)), `data-mode="server"`, `data-mode="wasm"`, 1)
	index = strings.Replace(index, "<title>", `<meta http-equiv="Content-Security-Policy" content="`+strings.Replace(policy, "NONCE", nonce, 1)+`">`+"\n<title>", 1)
	if err := m.put("play/index.html", []byte(index)); err != nil {
		return err
	}
	assets := web.Assets()
	err := fs.WalkDir(assets, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "examples.json" {
			return err
		}
		text, err := fs.ReadFile(assets, name)
		if err != nil {
			return err
		}
		return m.put("play/"+name, text)
	})
	if err != nil {
		return err
	}
	m.prepare()
	for i := range m.examples {
		if e := &m.examples[i]; len(e.Files[len(e.Files)-1].Text) > 10_000 { // LLVM IR is long
			e.Href = "examples/" + e.ID + ".json"
			if err := m.putJSON("play/"+e.Href, e.Files); err != nil {
				return err
			}
			e.Files = nil
		}
	}
	if err := m.putJSON("play/examples.json", m.examples); err != nil {
		return err
	}
	if err := m.putJSON("play/info.json", play.NewInfo(play.Browser)); err != nil {
		return err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(m.Wasm); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := m.put("site.css", []byte(siteCSS)); err != nil {
		return err
	}
	return m.put("play/ravel.wasm.gz", packed.Bytes())
}

//go:embed site.css
var siteCSS string

// base returns the name of a file without folders.
func base(name string) string { return path.Base(name) }
