package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

var _ = register(Format{Name: "svg", Usage: "write the counterexample to `FILE` as a picture", Write: ofError(WriteSVG), Picture: true})

// WriteSVG draws x: a column per thread with po from top to bottom, and rf, co and fr as arrows
// around the boxes; of a forbidden execution, the cycle in one colour. The picture needs nothing else to be shown.
func WriteSVG(w io.Writer, title string, x *Execution, o Options) error {
	_, err := io.WriteString(w, newDrawing(newTrace(x, o.Full), clean(title), "", false).draw(clean(title), true))
	return err
}

// PictureCSS is how pictures look that are part of a page.
//
//go:embed picture.css
var PictureCSS string

// Lengths in pixels. Text is monospaced, so that its width is known without a font.
const (
	charWidth   = 7.25 // of 12 px monospace, and a little air
	lineHeight  = 16.0
	boxPadX     = 9.0
	boxPadY     = 6.0
	rowGap      = 20.0 // between levels, without lanes
	gutterMin   = 46.0 // between columns, without lanes
	laneGap     = 11.0
	portGap     = 8.0
	labelHeight = 10.0
	margin      = 20.0
	maxBox      = 54 // characters
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
	over    []edge      // drawn over the picture
	shown   []*Relation // of the model
	colX    []float64
	colW    []float64
	gutters []*channel // gutters[i] is left of column i; the last one is right of all
	gaps    []*channel // gaps[l] is above level l
	levelY  []float64
	levelH  []float64
	top     float64
	w, h    float64
}

// newDrawing lays out a trace, with dependencies, and with the other relations of the model if they are wanted.
func newDrawing(t *trace, title, prefix string, relations bool) *picture {
	p := &picture{trace: t, prefix: prefix, byStep: map[*step]*box{}, place: map[int]int{}}
	p.layBoxes()
	p.routeEdges(relations)
	p.size(title)
	return p
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
	if p.x.Cycle != nil {
		c.mark = "" // the arrows tell
	}
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
	p.h = p.sizeLevels(p.top+2*lineHeight) + float64(1+len(p.legends()))*lineHeight + margin
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
	least := p.curveRoom()
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
		x += p.gutters[i].size(least[i], i == 0 && len(p.over) == 0)
		p.colX = append(p.colX, x)
		p.colW = append(p.colW, float64(chars)*charWidth+2*boxPadX)
		x += p.colW[i]
	}
	last := p.gutters[len(p.cols)]
	last.start = x
	return x + last.size(least[len(p.cols)], len(p.over) == 0)
}

// curveRoom returns how wide each gutter must be: those beside a column with curves have room for their names.
func (p *picture) curveRoom() []float64 {
	least := make([]float64, len(p.cols)+1)
	for i := range least {
		least[i] = gutterMin
	}
	for _, e := range p.over {
		gutter := p.place[e.from.col]
		if e.from.col != e.to.col {
			continue
		}
		if gutter > 0 {
			gutter++
		}
		least[gutter] = max(least[gutter], 44+9*float64(e.nth)+float64(textWidth(e.label))*charWidth)
	}
	return least
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
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="rv" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="graphics-document" aria-label="%s">`+"\n",
		p.w, p.h, p.w, p.h, html.EscapeString(title))
	if standalone {
		fmt.Fprintf(&b, "<title>%s</title>\n<style>\n%s</style>\n", html.EscapeString(title), PictureCSS)
	}
	b.WriteString("<defs>\n" + p.arrow("po"))
	for _, r := range relations {
		b.WriteString(p.arrow(r.name))
	}
	b.WriteString("</defs>\n")
	fmt.Fprintf(&b, `<rect class="rv-page" width="%.0f" height="%.0f"/>`+"\n", p.w, p.h)
	fmt.Fprintf(&b, `<text class="rv-title" x="%.0f" y="%.0f">%s</text>`+"\n", margin, margin+14, html.EscapeString(title))
	p.drawColumns(&b)
	for _, r := range p.routes {
		p.drawRoute(&b, r)
	}
	for _, x := range p.boxes {
		p.drawBox(&b, x)
	}
	p.drawOver(&b)
	p.drawLabels(&b)
	p.drawLegend(&b)
	p.drawHeads(&b)
	b.WriteString("</svg>\n")
	return b.String()
}

func (p *picture) arrow(name string) string {
	return fmt.Sprintf(`<marker id="%s%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path class="rv-head rv-%s" d="M0,1 L10,5 L0,9 z"/></marker>`+"\n",
		p.prefix, name, name)
}

// drawHeads draws the names of the threads, over the rest, so that a page can keep them in view.
func (p *picture) drawHeads(b *strings.Builder) {
	b.WriteString(`<g class="rv-heads">`)
	fmt.Fprintf(b, `<rect class="rv-page" y="%.1f" width="%.0f" height="%.1f"/>`+"\n", p.top, p.w, lineHeight+10)
	for i, col := range p.cols {
		fmt.Fprintf(b, `<rect class="rv-thread" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4"/>`+"\n",
			p.colX[i], p.top, p.colW[i], lineHeight+8)
		fmt.Fprintf(b, `<text class="rv-name" x="%.1f" y="%.1f">%s</text>`+"\n",
			p.colX[i]+p.colW[i]/2, p.top+lineHeight, html.EscapeString(threadName(p.threads[col])))
	}
	b.WriteString("</g>\n")
}

// drawColumns draws po.
func (p *picture) drawColumns(b *strings.Builder) {
	for i, col := range p.cols {
		mid := p.colX[i] + p.colW[i]/2
		var prev *box
		for _, x := range p.boxes {
			if x.col != col {
				continue
			}
			if prev != nil {
				fmt.Fprintf(b, `<path class="rv-edge rv-po" data-from="%d" data-to="%d" d="M%.1f,%.1f V%.1f" marker-end="url(#%spo)"/>`+"\n",
					prev.row, x.row, mid, prev.y+prev.h, x.y-1, p.prefix)
			}
			prev = x
		}
	}
}

func (p *picture) drawBox(b *strings.Builder, x *box) {
	fmt.Fprintf(b, `<g class="rv-event%s" data-row="%d"><title>%s</title>`, p.boxClass(x), x.row, html.EscapeString(p.tooltip(x.step)))
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="5"/>`, x.x, x.y, x.w, x.h)
	y := x.y + x.h/2 - float64(len(x.lines)-1)*lineHeight/2 + 4
	for i, l := range x.lines {
		class := ""
		if strings.HasPrefix(l, "└") && i > 0 {
			class = ` class="rv-mark"`
		}
		fmt.Fprintf(b, `<text%s x="%.1f" y="%.1f" xml:space="preserve">%s</text>`,
			class, x.x+boxPadX, y+float64(i)*lineHeight, html.EscapeString(l))
	}
	b.WriteString("</g>\n")
}

// boxClass returns how a box looks, beside the usual.
func (p *picture) boxClass(x *box) string {
	switch {
	case p.x.Cycle != nil && x.pointed():
		return " rv-in-cycle"
	case x.pointed():
		return " rv-bad"
	case x.fold != "":
		return " rv-fold"
	case x.stale, x.early, x.ev.Kind == Blocked:
		return " rv-odd"
	}
	return ""
}

// tooltip says all there is to say about a row.
func (p *picture) tooltip(s *step) string {
	text := fmt.Sprintf("row %d: %s %s", s.row, p.describe(s, noLimit), p.origin(s))
	if m := clean(s.mark()); m != "" {
		text += "\n" + m
	}
	if l := s.ev.Location; l.File != "" && s.fold == "" {
		text += "\n" + clean(l.String())
		if l.Function != "" {
			text += " in " + clean(l.Function)
		}
	}
	return text
}

// A legend explains what edges of a kind mean.
type legend struct{ rel, class, text string }

func (p *picture) legends() (list []legend) {
	for rel, r := range relations[:other] {
		if slices.ContainsFunc(p.routes, func(x *route) bool { return x.rel == relation(rel) }) {
			list = append(list, legend{r.name, r.name, r.name + " " + r.long})
		}
	}
	for _, r := range p.shown {
		list = append(list, legend{clean(r.Name), "other", clean(r.Name + " " + r.Long)})
	}
	if c := p.x.Cycle; c != nil {
		list = append(list, legend{"cycle", "cycle", "the cycle that " + clean(c.Check) + " forbids"})
	}
	return list
}

// drawLegend explains the edges that are used.
func (p *picture) drawLegend(b *strings.Builder) {
	list := p.legends()
	y := p.h - margin - float64(len(list)-1)*lineHeight
	for _, l := range list {
		fmt.Fprintf(b, `<g class="rv-key" data-rel="%s"><path class="rv-edge rv-%s" d="M%.0f,%.0f h26" marker-end="url(#%s%s)"/>`, html.EscapeString(l.rel), l.class, margin, y-4, p.prefix, l.class)
		fmt.Fprintf(b, `<text class="rv-legend" x="%.0f" y="%.0f">%s</text></g>`+"\n", margin+34, y, html.EscapeString(l.text))
		y += lineHeight
	}
}
