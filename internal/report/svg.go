package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

var _ = register(Format{Name: "svg", Usage: "write the counterexample to `FILE` as a picture", Write: ofError(WriteSVG), Picture: true})

// WriteSVG draws x: a column per thread with po from top to bottom, and rf, co and fr as arrows
// around the boxes. The picture needs nothing else to be shown.
func WriteSVG(w io.Writer, title string, x *Execution) error {
	_, err := io.WriteString(w, drawing(newTrace(x, false), clean(title), "", true))
	return err
}

// Lengths in pixels. Text is monospaced, so that its width is known without a font.
const (
	charWidth  = 7.25 // of 12 px monospace, and a little air
	lineHeight = 16.0
	boxPadX    = 9.0
	boxPadY    = 6.0
	rowGap     = 20.0 // between levels, without lanes
	gutterMin  = 46.0 // between columns, without lanes
	laneGap    = 11.0
	portGap    = 8.0
	margin     = 20.0
	maxBox     = 54 // characters
)

// A box is a row in the picture.
type box struct {
	*step
	lines      []string
	level      int
	x, y, w, h float64
	ports      [2][]*port // on its left and its right side
}

// A port is where an edge meets a box.
type port struct {
	at    *box
	other *box
	side  int // left or right
	y     float64
	rel   relation
}

// A picture is a trace laid out: boxes in columns (threads) and levels, gutters between the
// columns for the vertical parts of edges, and gaps above the levels for those parts of edges that
// pass other columns. No edge crosses a box, because each part of it has a place of its own.
type picture struct {
	*trace
	prefix  string // of ids
	boxes   []*box // in the order of rows
	byStep  map[*step]*box
	cols    []int // threads that have boxes
	place   map[int]int
	levels  int
	routes  []*route
	colX    []float64
	colW    []float64
	gutters []*channel // gutters[i] is left of column i; the last one is right of all
	gaps    []*channel // gaps[l] is above level l
	levelY  []float64
	levelH  []float64
	top     float64
	w, h    float64
}

func drawing(t *trace, title, prefix string, standalone bool) string {
	p := &picture{trace: t, prefix: prefix, byStep: map[*step]*box{}, place: map[int]int{}}
	p.layBoxes()
	p.routeEdges()
	p.size(title)
	return p.draw(title, standalone)
}

// layBoxes gives every row a box, a column, and a level below all that it depends on.
func (p *picture) layBoxes() {
	level := map[*step]int{} // the first one that is free below a step
	below := make([]int, len(p.threads))
	for _, s := range p.order {
		l := below[s.col]
		for _, d := range s.hard {
			l = max(l, level[d])
		}
		if s.row > 0 {
			b := &box{step: s, lines: p.boxText(s), level: l}
			p.byStep[s] = b
			p.boxes = append(p.boxes, b)
			if !slices.Contains(p.cols, s.col) {
				p.cols = append(p.cols, s.col)
			}
			l++
		}
		level[s], below[s.col] = l, l
		p.levels = max(p.levels, l)
	}
	slices.Sort(p.cols)
	for i, col := range p.cols {
		p.place[col] = i
	}
}

func (p *picture) boxText(s *step) []string {
	c := p.cell(s, false)
	if s.from != nil && !s.stale && !s.early {
		c.origin = "" // the arrow tells
	}
	width := maxBox
	if c.line != "" {
		c.line += "  "
		width -= textWidth(c.line)
	}
	lines := c.fit(width)
	lines[0] = c.line + lines[0]
	return lines
}

// size gives everything its coordinates.
func (p *picture) size(title string) {
	p.w = max(p.sizeColumns()+margin, float64(textWidth(title))*8.5+2*margin, 480)
	p.top = margin + 2*lineHeight
	p.h = p.sizeLevels(p.top+2*lineHeight) + 2*lineHeight + margin
	p.placePorts()
	for _, g := range p.gutters {
		g.untangle()
	}
}

// placePorts spreads the ends of edges over the sides of their boxes.
func (p *picture) placePorts() {
	for _, b := range p.boxes {
		i := p.place[b.col]
		b.x, b.w = p.colX[i], p.colW[i]
		b.y = p.levelY[b.level] + (p.levelH[b.level]-b.h)/2
		for _, side := range b.ports {
			slices.SortStableFunc(side, func(a, c *port) int {
				return cmp.Or(cmp.Compare(a.other.level, c.other.level), cmp.Compare(a.rel, c.rel))
			})
			for j, pt := range side {
				pt.y = b.y + b.h*float64(j+1)/float64(len(side)+1)
			}
		}
	}
	for _, g := range p.gutters {
		g.separate()
	}
}

// sizeColumns places the columns and the gutters; it returns where they end.
func (p *picture) sizeColumns() float64 {
	x := margin
	for i, col := range p.cols {
		chars := textWidth(threadName(p.threads[col]))
		for _, b := range p.boxes {
			for _, l := range b.lines {
				if b.col == col {
					chars = max(chars, textWidth(l))
				}
			}
		}
		p.gutters[i].start = x
		x += p.gutters[i].size(gutterMin, i == 0)
		p.colX = append(p.colX, x)
		p.colW = append(p.colW, float64(chars)*charWidth+2*boxPadX)
		x += p.colW[i]
	}
	last := p.gutters[len(p.cols)]
	last.start = x
	return x + last.size(gutterMin, true)
}

// sizeLevels places the levels and the gaps; it returns where they end.
func (p *picture) sizeLevels(y float64) float64 {
	p.levelY = make([]float64, p.levels)
	p.levelH = make([]float64, p.levels)
	for _, b := range p.boxes {
		ports := max(len(b.ports[left]), len(b.ports[right]))
		b.h = max(float64(len(b.lines))*lineHeight+2*boxPadY, float64(ports+1)*portGap)
		p.levelH[b.level] = max(p.levelH[b.level], b.h)
	}
	for l := range p.levels {
		p.gaps[l].start = y
		y += p.gaps[l].size(rowGap, l == 0)
		p.levelY[l] = y
		y += p.levelH[l]
	}
	return y
}

func (p *picture) draw(title string, standalone bool) string {
	var b strings.Builder
	if standalone {
		b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="12">`+"\n",
		p.w, p.h, p.w, p.h)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	b.WriteString("<defs>\n")
	fmt.Fprint(&b, p.arrow("po", "#8c959f"))
	for _, r := range relations {
		fmt.Fprint(&b, p.arrow(r.name, r.color))
	}
	b.WriteString("</defs>\n")
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" fill="#ffffff"/>`+"\n", p.w, p.h)
	fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" font-family="system-ui, sans-serif" font-size="15" font-weight="600" fill="#1f2328">%s</text>`+"\n",
		margin, margin+14, html.EscapeString(title))
	p.drawColumns(&b)
	for _, r := range p.routes {
		p.drawRoute(&b, r)
	}
	for _, x := range p.boxes {
		p.drawBox(&b, x)
	}
	p.drawLabels(&b)
	p.drawLegend(&b)
	b.WriteString("</svg>\n")
	return b.String()
}

func (p *picture) arrow(name, color string) string {
	return fmt.Sprintf(`<marker id="%s%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0,1 L10,5 L0,9 z" fill="%s"/></marker>`+"\n",
		p.prefix, name, color)
}

// drawColumns draws the names of the threads and po.
func (p *picture) drawColumns(b *strings.Builder) {
	for i, col := range p.cols {
		mid := p.colX[i] + p.colW[i]/2
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" fill="#f6f8fa"/>`+"\n",
			p.colX[i], p.top, p.colW[i], lineHeight+8)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" font-weight="700" fill="#1f2328">%s</text>`+"\n",
			mid, p.top+lineHeight, html.EscapeString(threadName(p.threads[col])))
		var prev *box
		for _, x := range p.boxes {
			if x.col != col {
				continue
			}
			if prev != nil {
				fmt.Fprintf(b, `<path d="M%.1f,%.1f V%.1f" stroke="#8c959f" fill="none" marker-end="url(#%spo)"/>`+"\n",
					mid, prev.y+prev.h, x.y-1, p.prefix)
			}
			prev = x
		}
	}
}

func (p *picture) drawBox(b *strings.Builder, x *box) {
	fill, stroke, width, ink := "#ffffff", "#8c959f", 1.0, "#1f2328"
	dash := ""
	switch {
	case x.pointed():
		fill, stroke, width = "#ffebe9", "#cf222e", 2
	case x.fold != "":
		ink, dash = "#656d76", ` stroke-dasharray="4 3"`
	case x.stale, x.early, x.ev.Kind == Blocked:
		fill, stroke = "#fff8c5", "#bf8700"
	}
	b.WriteString("<g>")
	fmt.Fprintf(b, "<title>%s</title>", html.EscapeString(p.tooltip(x.step)))
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="5" fill="%s" stroke="%s" stroke-width="%.0f"%s/>`,
		x.x, x.y, x.w, x.h, fill, stroke, width, dash)
	y := x.y + x.h/2 - float64(len(x.lines)-1)*lineHeight/2 + 4
	for i, l := range x.lines {
		style := fmt.Sprintf(`fill="%s"`, ink)
		if strings.HasPrefix(l, "└") && i > 0 {
			style = `fill="#cf222e" font-weight="700"`
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" %s xml:space="preserve">%s</text>`,
			x.x+boxPadX, y+float64(i)*lineHeight, style, html.EscapeString(l))
	}
	b.WriteString("</g>\n")
}

// tooltip says all there is to say about a row.
func (p *picture) tooltip(s *step) string {
	text := fmt.Sprintf("row %d: %s %s", s.row, p.describe(s, noLimit), p.origin(s))
	if l := s.ev.Location; l.File != "" && s.fold == "" {
		text += "\n" + clean(l.String())
		if l.Function != "" {
			text += " in " + clean(l.Function)
		}
	}
	return text
}

// drawLegend explains the colours that are used.
func (p *picture) drawLegend(b *strings.Builder) {
	used := map[relation]bool{}
	for _, r := range p.routes {
		used[r.rel] = true
	}
	x, y := margin, p.h-margin
	for rel, r := range relations {
		if !used[relation(rel)] {
			continue
		}
		fmt.Fprintf(b, `<path d="M%.0f,%.0f h22" stroke="%s" stroke-width="1.6" fill="none" marker-end="url(#%s%s)"/>`,
			x, y-4, r.color, p.prefix, r.name)
		text := r.name + " " + r.long
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f" font-size="11" fill="#656d76">%s</text>`+"\n", x+28, y, text)
		x += 28 + float64(len(text))*6.7 + 20
	}
}
