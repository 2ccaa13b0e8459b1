package report

import (
	"strconv"
	"strings"
)

const (
	minColumn = 24 // a thread's column is never narrower than this; below, rows become a list
	separator = " │ "
)

// A cell is one row of one thread's column.
type cell struct {
	line   string   // source line
	texts  []string // what it does, in ever shorter words
	origin string
	mark   string
	style  style
}

func (t *trace) cell(s *step, letters bool) cell {
	c := cell{line: t.line(s, letters), origin: t.origin(s), mark: clean(s.mark())}
	for _, limit := range []int{noLimit, 24, 16, 12, 8} {
		c.texts = append(c.texts, t.describe(s, limit))
	}
	switch {
	case s.pointed():
		c.style = red
	case s.fold != "":
		c.style = dim
		if !s.inCall {
			c.line = ""
		}
	case s.ev.Kind == Blocked, s.stale, s.early:
		c.style = yellow
	}
	return c
}

// columns prints x as one column per thread, or as a list where the columns don't fit.
func (p *printer) columns(x *Execution) {
	t := newTrace(x, p.Full)
	if len(t.rows) == 0 {
		p.line(p.paint(dim, "  (no events)"))
		return
	}
	if g := newGrid(t, false); g.total() <= p.width() {
		p.grid(g)
	} else if g := newGrid(t, true); g.shrink(p.width()) {
		p.grid(g)
	} else {
		t.others = nil
		p.list(newGrid(t, false))
	}
	for _, l := range t.legend() {
		for _, part := range wrap(l, p.width()-4) {
			p.line("  ", p.paint(dim, part))
		}
	}
}

// A grid is the text of a trace with the widths of its columns.
type grid struct {
	*trace
	cells   []cell // of rows
	cols    []int  // the threads that have rows
	lineNo  []int  // per thread: width of the source lines and a space, or 0
	content []int  // per thread: width of the text
	rowNo   int    // width of the row numbers
}

func newGrid(t *trace, letters bool) *grid {
	n := len(t.threads)
	g := &grid{trace: t, lineNo: make([]int, n), content: make([]int, n), rowNo: len(strconv.Itoa(len(t.rows)))}
	used := make([]bool, n)
	for _, s := range t.rows {
		c := t.cell(s, letters)
		g.cells = append(g.cells, c)
		used[s.col] = true
		if c.line != "" {
			g.lineNo[s.col] = max(g.lineNo[s.col], textWidth(c.line)+1)
		}
		w := textWidth(c.texts[0])
		if c.origin != "" {
			w += 2 + textWidth(c.origin)
		}
		g.content[s.col] = max(g.content[s.col], w, textWidth(c.mark)+2)
	}
	for col, th := range t.threads {
		if used[col] {
			g.cols = append(g.cols, col)
			g.content[col] = max(g.content[col], textWidth(threadName(th))-g.lineNo[col])
		}
	}
	return g
}

// width of the column of a thread.
func (g *grid) width(col int) int { return g.lineNo[col] + g.content[col] }

func (g *grid) total() int {
	total := 2 + g.rowNo + 1 + textWidth(separator)*(len(g.cols)-1)
	for _, col := range g.cols {
		total += g.width(col)
	}
	return total
}

// shrink makes the columns fit into width; it returns false if they can't.
func (g *grid) shrink(width int) bool {
	for total := g.total(); total > width; total-- {
		widest := g.cols[0]
		for _, col := range g.cols {
			if g.width(col) > g.width(widest) {
				widest = col
			}
		}
		if g.width(widest) <= minColumn {
			return false
		}
		g.content[widest]--
	}
	return true
}

// fit breaks a cell into lines of at most width columns: names in a long text are shortened, and
// as a last resort its end is cut, but where its value comes from and its mark are kept, below it
// if need be.
func (c cell) fit(width int) []string {
	first := cut(c.texts[len(c.texts)-1], width)
	for _, text := range c.texts {
		if textWidth(text) <= width {
			first = text
			break
		}
	}
	lines := []string{first}
	if c.origin != "" {
		switch room := width - textWidth(first); {
		case room >= textWidth(c.origin)+2:
			lines[0] += "  " + c.origin
		case room >= textWidth(c.origin)+1:
			lines[0] += " " + c.origin
		default:
			lines = append(lines, "  "+cut(c.origin, width-2))
		}
	}
	if c.mark != "" {
		lines = append(lines, "└ "+cut(c.mark, width-2))
	}
	return lines
}

func (p *printer) grid(g *grid) {
	indent := strings.Repeat(" ", 2+g.rowNo+1)
	var head, rule []string
	for _, col := range g.cols {
		head = append(head, p.paint(bold, pad(cut(threadName(g.threads[col]), g.width(col)), g.width(col))))
		rule = append(rule, strings.Repeat("─", g.width(col)))
	}
	bar := p.paint(dim, separator)
	p.line(indent, strings.TrimRight(strings.Join(head, bar), " "))
	p.line(indent, p.paint(dim, strings.Join(rule, "─┼─")))
	for i, s := range g.rows {
		c := g.cells[i]
		for j, text := range c.fit(g.content[s.col]) {
			var b strings.Builder
			b.WriteString(p.rowHead(g, i, j))
			for k, col := range g.cols {
				if k > 0 {
					b.WriteString(bar)
				}
				if col != s.col {
					b.WriteString(strings.Repeat(" ", g.width(col)))
					continue
				}
				b.WriteString(p.lineNumber(g, c, col, j) + p.paint(c.style, text))
				b.WriteString(strings.Repeat(" ", max(0, g.content[col]-textWidth(text))))
			}
			p.line(strings.TrimRight(b.String(), " "))
		}
	}
}

// rowHead returns what is left of the columns in line j of row i.
func (p *printer) rowHead(g *grid, i, j int) string {
	number := strings.Repeat(" ", g.rowNo)
	pointer := "  "
	if j == 0 {
		number = strconv.Itoa(g.rows[i].row)
		number = strings.Repeat(" ", g.rowNo-len(number)) + number
		if g.rows[i].pointed() {
			pointer = p.paint(red, "▶ ")
		}
	}
	return pointer + p.paint(dim, number) + " "
}

// lineNumber returns the source line at the left of line j of a cell.
func (p *printer) lineNumber(g *grid, c cell, col, j int) string {
	text := ""
	if j == 0 {
		text = c.line
	}
	if text == "" {
		return strings.Repeat(" ", g.lineNo[col])
	}
	return strings.Repeat(" ", g.lineNo[col]-1-textWidth(text)) + p.paint(blue, text) + " "
}

// list prints the rows one below the other, with the thread at the left: for more threads than
// columns fit.
func (p *printer) list(g *grid) {
	name, line := 0, 0
	for _, col := range g.cols {
		name = max(name, textWidth(threadName(g.threads[col])))
		line = max(line, g.lineNo[col])
	}
	name = min(name, max(8, p.width()/4))
	left := 2 + g.rowNo + 1 + name + 1 + line
	width := max(minColumn, p.width()-left)
	for i, s := range g.rows {
		c := g.cells[i]
		for j, text := range c.fit(width) {
			who := ""
			if j == 0 {
				who = cut(threadName(g.threads[s.col]), name)
			}
			p.line(p.rowHead(g, i, j), p.paint(bold, pad(who, name)), " ",
				strings.Repeat(" ", line-g.lineNo[s.col]), p.lineNumber(g, c, s.col, j), p.paint(c.style, text))
		}
	}
}
