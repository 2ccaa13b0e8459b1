package site

import (
	"bytes"
	"fmt"
	"html"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"ravel"
	"ravel/docs"
	"ravel/internal/web"
	"ravel/testdata"
)

// render returns a document as HTML: its links lead to pages of the site, and its commands to the page on which they run.
func (m *maker) render(p page, source []byte) ([]byte, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	tree := md.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids{}))))
	var outside []ast.Node
	var blocks []*ast.FencedCodeBlock
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if to, ok := target(p, string(n.Destination)); ok {
				n.Destination = []byte(to)
			} else if entering {
				outside = append(outside, n)
			}
		case *ast.FencedCodeBlock:
			if entering {
				blocks = append(blocks, n)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	for _, n := range outside { // a file of the source: its name is left
		for c := n.FirstChild(); c != nil; {
			next := c.NextSibling()
			n.Parent().InsertBefore(n.Parent(), n, c)
			c = next
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
	for _, b := range blocks {
		if links := m.live(p, b, source); links != "" {
			s := ast.NewString([]byte(links))
			s.SetRaw(true)
			s.SetCode(true)
			b.Parent().InsertAfter(b.Parent(), b, s)
		}
	}
	var out bytes.Buffer
	err = md.Renderer().Render(&out, source, tree)
	return out.Bytes(), err
}

// ids names headings as GitHub does, which links in the documents rely on.
type ids map[string]int

func (i ids) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	id := b.String()
	if n := i[id]; n > 0 {
		i[id]++
		return fmt.Appendf(nil, "%s-%d", id, n)
	}
	i[id] = 1
	return []byte(id)
}

func (i ids) Put(value []byte) { i[string(value)]++ }

// target returns where a link leads in the site; false if that is not part of it.
func target(p page, to string) (string, bool) {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") {
		return to, true
	}
	name, fragment, _ := strings.Cut(to, "#")
	if fragment != "" {
		fragment = "#" + fragment
	}
	at := path.Join(path.Dir(p.Source), name)
	if _, err := docs.Files.Open(at); err != nil || strings.HasPrefix(at, "..") {
		return "", false
	}
	if strings.HasSuffix(name, ".md") {
		if at == "README.md" {
			return p.Root + "index.html" + fragment, true
		}
		name = strings.TrimSuffix(name, ".md") + ".html"
	}
	return name + fragment, true
}

// live returns links that run the commands of a block in the browser.
func (m *maker) live(p page, b *ast.FencedCodeBlock, source []byte) string {
	var out strings.Builder
	add := func(e web.Example, words string) {
		if !slices.ContainsFunc(m.examples, func(x web.Example) bool { return x.ID == e.ID }) {
			m.examples = append(m.examples, e)
		}
		fmt.Fprintf(&out, `<a class="run" href="%splay/index.html#example=%s">%s</a>`, p.Root, e.ID, html.EscapeString(words))
	}
	for i := range b.Lines().Len() {
		line := b.Lines().At(i)
		command, ok := strings.CutPrefix(strings.TrimSpace(string(line.Value(source))), "$ ravel ")
		if !ok {
			continue
		}
		if e, ok := exampleOf(p, command); ok {
			add(e, "Run "+e.Title)
		}
	}
	if out.Len() == 0 {
		return ""
	}
	return "<div class=\"live\">" + out.String() + "</div>\n"
}

var notID = regexp.MustCompile(`[^a-z0-9]+`)

// exampleOf returns the program that a command of the documents runs, if the page can run it with these flags.
func exampleOf(p page, command string) (web.Example, bool) {
	args, flags, _ := strings.Cut(command, " -- ")
	words := strings.Fields(args)
	e := web.Example{
		ID: "doc-" + strings.Trim(notID.ReplaceAllString(strings.ToLower(command), "-"), "-"), Topic: "From the documents", About: "From “" + p.Title + "”: ravel " + command,
		Flags: strings.TrimSpace(flags), Options: map[string]any{},
	}
	if len(words) == 0 || strings.Contains(flags, "--target") || strings.Contains(flags, "--cfg") {
		return e, false
	}
	kind := words[0]
	if words = words[1:]; kind == "jmm" {
		if len(words) == 0 || words[0] != "check" {
			return e, false
		}
		words, e.Models = words[1:], []string{"jls04"}
	}
	if !slices.Contains([]string{"check", "litmus", "compare", "jmm"}, kind) {
		return e, false
	}
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--model" || w == "--models":
			if i++; i == len(words) {
				return e, false
			}
			for name := range strings.SplitSeq(words[i], ",") {
				if ravel.IsModelFile(name) {
					if !e.Add(name, read) {
						return e, false
					}
					name = base(name)
				}
				e.Models = append(e.Models, name)
			}
		case w == "--suggest":
			e.Options["suggest"] = true
		case w == "--unroll":
			i++
			n, err := strconv.Atoi(words[min(i, len(words)-1)])
			if err != nil {
				return e, false
			}
			e.Options["unroll"] = n
		case w == "--timeout":
			i++
		case w == "--explain" || w == "--json":
		case strings.HasPrefix(w, "-") || !e.Add(w, read):
			return e, false
		}
	}
	if len(e.Files) == 0 {
		return e, false
	}
	slices.SortStableFunc(e.Files, func(a, b web.File) int { return strings.Compare(order(a.Name), order(b.Name)) })
	e.Title, e.Language = e.Files[0].Name, strings.TrimPrefix(path.Ext(e.Files[0].Name), ".")
	if len(e.Models) > 0 {
		e.Title += " under " + strings.Join(e.Models, ", ")
	}
	if e.Flags != "" {
		e.Title += " with " + e.Flags
	}
	return e, true
}

// order puts models behind programs.
func order(name string) string {
	if path.Ext(name) == ".cat" {
		return "2"
	}
	return "1"
}

// read returns a program that the documents name.
func read(name string) ([]byte, bool) {
	if text, err := ravel.Examples.ReadFile(name); err == nil {
		return text, true
	}
	rest, ok := strings.CutPrefix(name, "testdata/")
	if !ok {
		return nil, false
	}
	text, err := testdata.Programs.ReadFile(rest)
	if err != nil {
		text, err = testdata.Java.ReadFile(rest)
	}
	return text, err == nil
}

// prepare compiles the programs of the examples, where that is possible, and drops those that the browser cannot run.
func (m *maker) prepare() {
	var list []web.Example
	for _, e := range m.examples {
		switch ext := path.Ext(e.Files[0].Name); ext {
		case ".rs", ".java":
			continue // needs the standard library of rustc, or a JDK
		case ".c", ".cpp":
			p := ravel.Program{CompilerFlags: strings.Fields(e.Flags), Sealed: true}
			for _, f := range e.Files {
				if path.Ext(f.Name) == ext {
					p.Files = append(p.Files, ravel.Source{Name: f.Name, Text: []byte(f.Text)})
				}
			}
			texts, err := ravel.LLVM(m.ctx, p)
			if err != nil {
				m.Note(fmt.Sprintf("%s is left out: %v", e.Title, err))
				continue
			}
			files := slices.Clone(e.Files)
			for name, text := range texts {
				files = append(files, web.File{Name: strings.TrimSuffix(name, ext) + ".ll", Text: string(text)})
			}
			e.Files = files
		}
		list = append(list, e)
	}
	m.examples = list
}
