package report

import (
	"fmt"
	"strings"
)

// A Picture is an execution laid out, for a page that shows it: the drawing, which is that of WriteSVG, and its rows as data.
type Picture struct {
	SVG       string            `json:"svg"`
	Threads   []string          `json:"threads"`
	Rows      []PictureRow      `json:"rows"`
	Relations []PictureRelation `json:"relations"`
	Legend    []string          `json:"legend,omitempty"` // explains words in rows
	Cycle     string            `json:"cycle,omitempty"`  // the check that forbids the execution
	Folded    bool              `json:"folded,omitempty"` // rows stand for several events
}

// A PictureRow is one event, or several that are folded.
type PictureRow struct {
	Row      int      `json:"row"`    // from 1
	Thread   int      `json:"thread"` // an index into Threads
	Text     string   `json:"text"`
	Origin   string   `json:"origin,omitempty"` // where the value that is read comes from
	From     int      `json:"from,omitempty"`   // the row that wrote it
	Mark     string   `json:"mark,omitempty"`
	Class    string   `json:"class,omitempty"` // bad, odd, fold
	Location Location `json:"location"`
}

// A PictureRelation is one that the drawing shows, and how many edges it has.
type PictureRelation struct {
	Name  string `json:"name"`
	Long  string `json:"long"`
	Edges int    `json:"edges"`
}

// NewPicture lays x out, without folding anything if full is set. The ids in the drawing begin with prefix.
func NewPicture(title string, x *Execution, prefix string, full bool) *Picture {
	t := newTrace(x, full)
	g := newGrid(t, false)
	d := newDrawing(t, clean(title), prefix, true)
	p := &Picture{SVG: d.draw(clean(title), false), Rows: []PictureRow{}, Legend: t.legend()}
	columns := map[int]int{}
	for i, col := range g.cols {
		columns[col] = i
		p.Threads = append(p.Threads, threadName(t.threads[col]))
	}
	for i, s := range t.rows {
		h := g.htmlCell(i, prefix)
		r := PictureRow{Row: s.row, Thread: columns[s.col], Text: h.Text, Origin: h.Origin, Mark: h.Mark, Class: h.Class, Location: s.ev.Location}
		r.Location.File = clean(r.Location.File)
		if s.from != nil {
			r.From = s.from.row
		}
		p.Folded = p.Folded || s.fold != ""
		p.Rows = append(p.Rows, r)
	}
	p.Relations = d.relations()
	if x.Cycle != nil {
		p.Cycle = clean(x.Cycle.Check)
	}
	return p
}

// relations lists those that are drawn.
func (p *picture) relations() []PictureRelation {
	list := []PictureRelation{{"po", "program order", max(0, len(p.boxes)-len(p.cols))}}
	for rel, r := range relations[:other] {
		n := 0
		for _, x := range p.routes {
			if x.rel == relation(rel) {
				n++
			}
		}
		if n > 0 {
			list = append(list, PictureRelation{r.name, r.long, n})
		}
	}
	for _, r := range p.shown {
		n := 0
		for _, e := range p.over {
			if e.rel == other && e.label == clean(r.Name) {
				n++
			}
		}
		list = append(list, PictureRelation{clean(r.Name), strings.TrimSpace(r.Long), n})
	}
	return list
}

// An htmlCell is a row in words, with how it looks.
type htmlCell struct{ Class, At, Text, Origin, Link, Mark, Title string }

func (g *grid) htmlCell(i int, prefix string) htmlCell {
	s, c := g.rows[i], g.cells[i]
	h := htmlCell{At: c.line, Text: c.texts[0], Origin: c.origin, Mark: c.mark}
	if s.from != nil && s.from.row > 0 {
		h.Link = fmt.Sprintf("%sr%d", prefix, s.from.row)
	}
	if l := s.ev.Location; l.File != "" && s.fold == "" {
		h.Title = clean(l.String())
	}
	switch c.style {
	case red:
		h.Class = "bad"
	case yellow:
		h.Class = "odd"
	case dim:
		h.Class = "fold"
	}
	return h
}
