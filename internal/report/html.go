//go:build !js

package report

// This file is not part of ravel for the browser: html/template makes the linker keep all methods, a tenth of the WebAssembly.

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"code": codeHTML}).Parse(pageText))

// codeHTML returns text with what is in backquotes set as code.
func codeHTML(text string) template.HTML {
	parts := strings.Split(text, "`")
	var b strings.Builder
	for i, s := range parts {
		s = template.HTMLEscapeString(s)
		switch {
		case i%2 == 0:
			b.WriteString(s)
		case i+1 < len(parts):
			b.WriteString("<code>" + s + "</code>")
		default:
			b.WriteString("`" + s) // it has no end
		}
	}
	return template.HTML(b.String())
}

var _ = register(Format{Name: "html", Usage: "write the result to `FILE` as an HTML page", Write: WriteHTML})

// WriteHTML prints r as one page that needs nothing else: the verdict, and for each error the
// source, the execution as a table and as a picture.
func WriteHTML(w io.Writer, r *Result, o Options) error {
	word, summary, _ := strings.Cut(Summary(r), ":")
	p := htmlPage{
		File: clean(r.File), Verdict: word, Summary: summary, Model: r.Model, Engine: r.Engine,
		Version: r.Version, Warnings: r.Warnings, Compiler: r.Compiler, CSS: template.CSS(PictureCSS),
	}
	if r.Engine == "states" {
		p.Facts = append(p.Facts, htmlFact{"states", count(r.States.Stored, "state") + ", " + count(r.States.Transitions, "transition")})
	} else {
		p.Facts = append(p.Facts, htmlFact{"executions", thousands(r.Executions.Complete) + " complete, " + thousands(r.Executions.Blocked) + " blocked"})
	}
	p.Facts = append(p.Facts, htmlFact{"time", duration(r.Seconds)})
	if r.PeakMemory > 0 {
		p.Facts = append(p.Facts, htmlFact{"peak memory", fmt.Sprintf("%.1f MB", float64(r.PeakMemory)/1e6)})
	}
	src := newSources(o)
	for i := range r.Errors {
		p.Errors = append(p.Errors, htmlErrorOf(&r.Errors[i], i, src, o))
	}
	var b bytes.Buffer
	if err := page.Execute(&b, p); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// The contents of page.html.
type (
	htmlPage struct {
		File, Verdict, Summary, Model, Engine, Version string
		Facts                                          []htmlFact
		Warnings, Compiler                             []string
		Errors                                         []htmlError
		CSS                                            template.CSS
	}
	htmlFact  struct{ Name, Value string }
	htmlError struct {
		Head, Message, Explain string
		Warning                bool
		Files                  []htmlFile
		Notes                  []htmlFact
		Threads                []string
		Rows                   []htmlRow
		Legend                 []string
		SVG                    template.HTML
		Relations              []htmlRelation
	}
	htmlRelation struct {
		Name, Long, Class string
		On                bool
	}
	htmlFile struct {
		Name  string
		Lines []htmlLine
	}
	htmlLine struct {
		Gap    bool
		Number int
		Parts  []htmlPart
		Labels []htmlLabel
	}
	htmlPart  struct{ Text, Class string }
	htmlLabel struct{ Indent, Text, Class string }
	htmlRow   struct {
		ID     string
		Number int
		Cells  []htmlCell
	}
)

func htmlErrorOf(e *Error, index int, src *sources, o Options) htmlError {
	kind := KindOf(e.Kind)
	h := htmlError{
		Head: level(kind) + "[" + clean(e.Kind) + "]", Message: clean(e.Message),
		Explain: kind.Text, Warning: kind.Warning, Files: htmlFiles(labels(e), src),
	}
	if e.StrongestModel != "" {
		h.Notes = append(h.Notes, htmlFact{"note", "the strongest model under which this happens is " + e.StrongestModel})
	}
	for _, n := range e.Notes {
		h.Notes = append(h.Notes, htmlFact{"note", clean(n)})
	}
	for _, n := range e.Help {
		h.Notes = append(h.Notes, htmlFact{"help", clean(n)})
	}
	x := e.Marked()
	if x == nil {
		return h
	}
	t := newTrace(x, o.Full)
	prefix := fmt.Sprintf("e%d", index+1)
	g := newGrid(t, false)
	for _, col := range g.cols {
		h.Threads = append(h.Threads, threadName(t.threads[col]))
	}
	for i, s := range t.rows {
		row := htmlRow{ID: fmt.Sprintf("%sr%d", prefix, s.row), Number: s.row}
		for _, col := range g.cols {
			if col == s.col {
				row.Cells = append(row.Cells, g.htmlCell(i, prefix))
			} else {
				row.Cells = append(row.Cells, htmlCell{})
			}
		}
		h.Rows = append(h.Rows, row)
	}
	h.Legend = t.legend()
	// The drawing escapes all text from outside itself.
	d := newDrawing(t, clean(e.Message), prefix, true)
	h.SVG = template.HTML(d.draw(clean(e.Message), false))
	for _, r := range d.relations() {
		x := htmlRelation{r.Name, r.Long, "t-" + r.Name, true}
		if len(d.shown) > 0 && slices.ContainsFunc(d.shown, func(s *Relation) bool { return clean(s.Name) == r.Name }) {
			x.Class, x.On = "t-other", false // all of them at once
		}
		h.Relations = append(h.Relations, x)
	}
	return h
}

const context = 2 // lines of source around a label

// htmlFiles returns the source around labels, file by file.
func htmlFiles(ls []label, src *sources) []htmlFile {
	var files []htmlFile
	for len(ls) > 0 {
		here := slices.DeleteFunc(slices.Clone(ls), func(l label) bool { return l.File != ls[0].File })
		ls = slices.DeleteFunc(ls, func(l label) bool { return l.File == here[0].File })
		f := htmlFile{Name: clean(here[0].String()) + here[0].where()}
		var numbers []int
		for _, l := range here {
			for n := l.Line - context; n <= l.Line+context; n++ {
				if _, ok := src.line(l.File, n); ok && l.Line > 0 && !slices.Contains(numbers, n) {
					numbers = append(numbers, n)
				}
			}
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			if i > 0 && numbers[i-1] != n-1 {
				f.Lines = append(f.Lines, htmlLine{Gap: true})
			}
			f.Lines = append(f.Lines, htmlLineOf(n, here, src))
		}
		if len(numbers) == 0 {
			f.Name += ": " + here[0].text
		}
		files = append(files, f)
	}
	return files
}

func htmlLineOf(n int, ls []label, src *sources) htmlLine {
	raw, _ := src.line(ls[0].File, n)
	line := htmlLine{Number: n}
	class := make([]string, len(raw)) // of each byte
	for _, primary := range []bool{true, false} {
		for _, l := range ls {
			if l.Line != n || l.primary != primary {
				continue
			}
			name := "other"
			if primary {
				name = "own"
			}
			from, to := span(raw, l.Column)
			for i := from; i < to; i++ {
				if class[i] == "" {
					class[i] = name
				}
			}
			if l.text != "" {
				line.Labels = append(line.Labels, htmlLabel{strings.Repeat(" ", columnAt(raw, from)), l.text, name})
			}
		}
	}
	for i := 0; i < len(raw); {
		j := i
		for j < len(raw) && class[j] == class[i] {
			j++
		}
		line.Parts = append(line.Parts, htmlPart{expand(raw[i:j]), class[i]})
		i = j
	}
	return line
}
