package states

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A picture of a state space has a row for each distance from the initial state. Pictures of more than maxDrawn states are unreadable.
const (
	maxDrawn  = 500
	rowHeight = 70
	colWidth  = 120
	radius    = 9
)

// A picture is where the states are drawn.
type picture struct {
	*LTS
	rows [][]int
	row  []int     // by state
	x    []float64 // by state, in columns
}

// A TooLarge error is about a space that has too many states for a picture.
type TooLarge struct{ States int }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("the state space was not drawn: it has %d states, and a picture (--states-svg) at most %d; --states-dot and --states-aut write any", e.States, maxDrawn)
}

// WriteSVG draws the space, if it is small: otherwise it writes nothing and returns a *TooLarge.
func (l *LTS) WriteSVG(w io.Writer) error {
	if l.States > maxDrawn {
		return &TooLarge{l.States}
	}
	p := &picture{LTS: l, row: make([]int, l.States), x: make([]float64, l.States)}
	p.arrange()
	return p.write(w)
}

// arrange puts the states into rows, and each near to those that lead to it.
func (p *picture) arrange() {
	before := make([][]int, p.States)
	for i := range p.row {
		p.row[i] = -1
	}
	p.row[0] = 0
	p.rows = [][]int{{0}}
	for _, e := range p.Edges { // states are numbered breadth first, so edges come from earlier rows first
		before[e.To] = append(before[e.To], e.From)
		if p.row[e.To] >= 0 {
			continue
		}
		r := p.row[e.From] + 1
		p.row[e.To] = r
		if r == len(p.rows) {
			p.rows = append(p.rows, nil)
		}
		p.rows[r] = append(p.rows[r], e.To)
	}
	for r, row := range p.rows {
		mean := map[int]float64{}
		for _, s := range row {
			n := 0
			for _, b := range before[s] {
				if p.row[b] < r {
					mean[s] += p.x[b]
					n++
				}
			}
			mean[s] /= float64(max(n, 1))
		}
		slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
		for i, s := range row {
			p.x[s] = float64(i) - float64(len(row)-1)/2
		}
	}
}

// at returns where a state is.
func (p *picture) at(s int) (x, y float64) {
	widest := slices.MaxFunc(p.rows, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	return (p.x[s] + float64(len(widest))/2) * colWidth, (float64(p.row[s]) + 0.5) * rowHeight
}

const svgStyle = `circle{fill:#fff;stroke:#345}.first{fill:#345}.end{stroke-width:3}.error{fill:#c33;stroke:#c33}` +
	`path{fill:none;stroke:#999}text{font:10px sans-serif;fill:#345;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3px}`

func (p *picture) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	right, bottom := 0.0, float64(len(p.rows))*rowHeight
	for s := range p.States {
		x, _ := p.at(s)
		right = max(right, x+colWidth/2)
	}
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\">\n<style>%s</style>\n", right, bottom, svgStyle)
	fmt.Fprintln(b, `<marker id="to" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#999"/></marker>`)
	moves := make([]int, p.States)
	for _, e := range p.Edges {
		if moves[e.From]++; e.From != e.To {
			p.edge(b, e)
		}
	}
	for s := range p.States {
		x, y := p.at(s)
		class := ""
		switch {
		case p.Failed == s && s > 0:
			class = "error"
		case s == 0:
			class = "first"
		case moves[s] == 0:
			class = "end"
		}
		fmt.Fprintf(b, "<circle class=%q cx=\"%.0f\" cy=\"%.0f\" r=\"%d\"><title>state %d</title></circle>\n", class, x, y, radius, s)
	}
	fmt.Fprintln(b, "</svg>")
	return b.Flush()
}

// edge draws a transition, with its label in the middle. One that does not lead to the next row is bent.
func (p *picture) edge(b *bufio.Writer, e Edge) {
	x, y := p.at(e.From)
	tx, ty := p.at(e.To)
	bend := 0.0
	if p.row[e.To] != p.row[e.From]+1 {
		bend = colWidth / 2
	}
	y, ty = y+radius, ty-radius
	mx, my := (x+tx)/2+bend, (y+ty)/2
	fmt.Fprintf(b, "<path marker-end=\"url(#to)\" d=\"M%.0f %.0fQ%.0f %.0f %.0f %.0f\"/><text x=\"%.0f\" y=\"%.0f\">%s</text>\n", x, y, mx, my, tx, ty, (x+tx)/2+bend/2, my, escape(e.Label))
}

func escape(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic(err) // a Builder takes everything
	}
	return b.String()
}
