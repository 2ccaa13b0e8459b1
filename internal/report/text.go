package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteText prints r for people: warnings, errors with their source and execution, and the verdict in the last line, after which compilers have their say if
// there is an error.
func WriteText(w io.Writer, r *Result, o Options) error {
	p := newPrinter(o)
	for _, warning := range r.Warnings {
		head, rest, more := strings.Cut(warning, "\n")
		p.line(p.paint(yellow, "warning") + p.paint(bold, ": "+clean(head)))
		for more {
			head, rest, more = strings.Cut(rest, "\n")
			p.line(expand(head))
		}
	}
	if len(r.Warnings) > 0 {
		p.line("")
	}
	for i := range r.Errors {
		p.error(&r.Errors[i])
		p.line("")
	}
	if r.Suggestion != nil {
		p.suggestion(r.Suggestion)
	}
	p.verdict(r)
	if r.Verdict == Wrong || p.Verbose {
		for _, text := range r.Compiler {
			p.line("")
			p.line(p.paint(bold, "the compiler says:"))
			for line := range strings.Lines(text) {
				p.line(expand(strings.TrimRight(line, "\n")))
			}
		}
	}
	return p.flush(w)
}

// WriteExecution prints x as one column per thread, under a title.
func WriteExecution(w io.Writer, title string, x *Execution, o Options) error {
	p := newPrinter(o)
	p.line(p.paint(bold, clean(title)))
	p.columns(x)
	p.line("")
	return p.flush(w)
}

// A style is how a piece of text looks on a terminal.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "1;31"
	green  style = "1;32"
	yellow style = "1;33"
	blue   style = "1;34"
	cyan   style = "1;36"
)

// A printer collects text, so that it reaches the user in one piece.
type printer struct {
	strings.Builder
	Options
	sources *sources
}

func newPrinter(o Options) *printer { return &printer{Options: o, sources: newSources(o)} }

func (p *printer) flush(w io.Writer) error {
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *printer) paint(s style, text string) string {
	if !p.Color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

func (p *printer) line(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
	p.WriteByte('\n')
}

// error prints one error as rustc does.
func (p *printer) error(e *Error) {
	head, color := "error", red
	if KindOf(e.Kind).Warning {
		head, color = "warning", yellow
	}
	p.line(p.paint(color, head+"["+clean(e.Kind)+"]"), p.paint(bold, ": "+clean(e.Message)))
	gutter := p.snippet(e, color)
	margin := strings.Repeat(" ", gutter)
	note := func(s style, word, text string) {
		p.line(margin, p.paint(blue, " = "), p.paint(s, word), ": ", clean(text))
	}
	if e.StrongestModel != "" {
		note(bold, "note", "the strongest model under which this happens is "+e.StrongestModel)
	}
	for _, n := range e.Notes {
		note(bold, "note", n)
	}
	for _, h := range e.Help {
		note(cyan, "help", h)
	}
	if x := e.Marked(); x != nil {
		p.line("")
		p.columns(x)
	}
	waits := e.StrongestModel != "sc" && slices.ContainsFunc(e.Steps, func(s Step) bool { return s.Buffers != nil })
	if len(e.Steps) > 0 && (waits || e.Repeats > 0 || e.ShowSteps) {
		p.line("")
		p.steps(e)
	}
}

// maxSteps bounds the moves that are printed.
const maxSteps = 60

// steps prints the moves of a trace, and beside each what waits in buffers after it.
func (p *printer) steps(e *Error) {
	head := "the moves in their order"
	if slices.ContainsFunc(e.Steps, func(s Step) bool { return s.Buffers != nil }) {
		head += ", and what waits to be performed after each"
	}
	p.line("    ", p.paint(bold, head))
	steps := e.Steps
	if hidden := len(steps) - max(maxSteps, e.Repeats); hidden > 0 && !p.Full {
		p.line(fmt.Sprintf("    … %s before", count(int64(hidden), "move")))
		steps = steps[hidden:]
	}
	digits := 1
	for _, s := range steps {
		digits = max(digits, len(strconv.Itoa(s.Location.Line)))
	}
	text := func(s Step) string {
		line := ""
		if s.Location.Line > 0 {
			line = strconv.Itoa(s.Location.Line)
		}
		return fmt.Sprintf("T%d %*s %s", s.Thread, digits, line, clean(s.Text))
	}
	wide := 0
	for _, s := range steps {
		wide = max(wide, textWidth(text(s)))
	}
	for i, s := range steps {
		if e.Repeats > 0 && i == len(steps)-e.Repeats {
			p.line("    ", p.paint(bold, "again and again:"))
		}
		var waits []string
		for t, b := range s.Buffers {
			if b != "" {
				waits = append(waits, fmt.Sprintf("T%d: %s", t, clean(b)))
			}
		}
		line := text(s)
		if len(waits) > 0 {
			line += strings.Repeat(" ", wide-textWidth(line)) + " │ " + strings.Join(waits, "   ")
		}
		p.line("    ", cut(line, p.width()-4))
	}
}

// A label is a text below an underlined piece of source.
type label struct {
	Location
	thread  int // -1 for a declaration
	text    string
	primary bool
}

// labels returns the places that e is about, its own first.
func labels(e *Error) []label {
	text := e.Label
	if text == "" {
		text = KindOf(e.Kind).Label
	}
	ls := []label{{e.Location, e.Thread, clean(text), true}}
	for _, r := range e.Related {
		text := clean(r.Message)
		if r.Declaration {
			ls = append(ls, label{r.Location(), -1, text, false})
			continue
		}
		if !strings.Contains(text, "thread") {
			text = strings.TrimSpace(fmt.Sprintf("%s (thread %d)", text, r.Thread))
		}
		ls = append(ls, label{r.Location(), r.Thread, text, false})
	}
	return ls
}

// snippet prints the source that e is about, one excerpt per file, and returns the width of the
// line numbers.
func (p *printer) snippet(e *Error, color style) int { return p.excerpts(labels(e), color) }

func (p *printer) excerpts(ls []label, color style) int {
	gutter := 1
	for _, l := range ls {
		gutter = max(gutter, len(strconv.Itoa(l.Line)))
	}
	for i := 0; len(ls) > 0; i++ {
		here := slices.DeleteFunc(slices.Clone(ls), func(l label) bool { return l.File != ls[0].File })
		ls = slices.DeleteFunc(ls, func(l label) bool { return l.File == here[0].File })
		arrow := "--> "
		if i > 0 {
			arrow = "::: "
		}
		p.excerpt(here, gutter, arrow, color)
	}
	return gutter
}

// where returns " in push (thread 1)".
func (l label) where() string {
	if l.thread < 0 {
		return ""
	}
	if l.Function == "" {
		return fmt.Sprintf(" (thread %d)", l.thread)
	}
	return fmt.Sprintf(" in %s (thread %d)", clean(l.Function), l.thread)
}

// excerpt prints the lines of one file that have labels.
func (p *printer) excerpt(ls []label, gutter int, arrow string, color style) {
	margin := strings.Repeat(" ", gutter)
	bar := margin + p.paint(blue, " |")
	p.line(margin, p.paint(blue, arrow), clean(ls[0].String()), ls[0].where())

	byLine := map[int][]label{}
	var numbers []int
	for i, l := range ls {
		if _, ok := p.sources.line(l.File, l.Line); !ok {
			if i > 0 {
				p.line(margin, p.paint(blue, "::: "), clean(l.String()), l.where())
			}
			if l.text != "" && l.Line > 0 {
				p.line(margin, p.paint(blue, " = "), p.paint(bold, "here"), ": ", l.text, " (the source text is not at hand)")
			}
			continue
		}
		if byLine[l.Line] == nil {
			numbers = append(numbers, l.Line)
		}
		byLine[l.Line] = append(byLine[l.Line], l)
	}
	if len(numbers) == 0 {
		return
	}
	slices.Sort(numbers)
	p.line(bar)
	for i, n := range numbers {
		if i > 0 {
			switch gap := n - numbers[i-1]; {
			case gap == 2: // one line between: show it, as long as an ellipsis
				p.sourceLine(ls[0].File, n-1, gutter)
			case gap > 2:
				p.line(p.paint(blue, "..."))
			}
		}
		p.labelled(n, byLine[n], gutter, bar, color)
	}
	p.line(bar)
}

func (p *printer) sourceLine(file string, n, gutter int) {
	text, _ := p.sources.line(file, n)
	p.line(p.paint(blue, fmt.Sprintf("%*d |", gutter, n)), strings.TrimRight(" "+cut(expand(text), p.width()-gutter-4), " "))
}

// A caret is a label at its place on the screen.
type caret struct {
	from, to int // columns
	label
}

// labelled prints line n and its labels below it, the way rustc does:
//
//	9 |     x = y;
//	  |     - ^ the text of the last label
//	  |     |
//	  |     the text of the one before it
func (p *printer) labelled(n int, ls []label, gutter int, bar string, color style) {
	raw, _ := p.sources.line(ls[0].File, n)
	var flags []caret
	for _, l := range ls {
		from, to := span(raw, l.Column)
		a, b := columnAt(raw, from), columnAt(raw, to)
		flags = append(flags, caret{a, max(b, a+1), l})
	}
	text, shift := p.window(expand(raw), flags, p.width()-gutter-4)
	for i := range flags {
		flags[i].from = max(0, flags[i].from-shift)
		flags[i].to = min(flags[i].to-shift, max(textWidth(text), flags[i].from+1))
	}
	p.line(p.paint(blue, fmt.Sprintf("%*d |", gutter, n)), " ", text)

	// From right to left; of two at one place the primary one first.
	slices.SortStableFunc(flags, func(a, b caret) int {
		if a.primary != b.primary && a.from == b.from {
			return -cmp.Compare(toInt(a.primary), toInt(b.primary))
		}
		return cmp.Compare(b.from, a.from)
	})
	under := p.underline(flags, color)
	if last := flags[0]; last.to+1+textWidth(last.text) <= p.width()-gutter-4 {
		p.line(strings.TrimRight(bar+" "+under+" "+p.paint(last.style(color), last.text), " "))
		for flags = flags[1:]; len(flags) > 0 && flags[0].from == last.from; flags = flags[1:] { // below the first text
			p.line(bar, " ", strings.Repeat(" ", last.to), " ", p.paint(flags[0].style(color), flags[0].text))
		}
	} else {
		p.line(bar, " ", under)
	}
	for ; len(flags) > 0; flags = flags[1:] {
		f, rest := flags[0], flags[1:]
		for len(rest) > 0 && rest[0].from == f.from {
			rest = rest[1:]
		}
		p.line(bar, " ", p.connectors(flags, color))
		for ; len(flags) > len(rest)+1; flags = flags[1:] {
			p.hang(flags[0], rest, bar, color)
		}
		p.hang(flags[0], rest, bar, color)
	}
}

// hang prints the text of a label below its connector, to the right of the connectors of rest.
func (p *printer) hang(f caret, rest []caret, bar string, color style) {
	indent := f.from
	if len(rest) > 0 {
		indent -= rest[0].from + 1
	}
	p.line(bar, " ", p.connectors(rest, color), strings.Repeat(" ", max(0, indent)), p.paint(f.style(color), f.text))
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (f caret) style(primary style) style {
	if f.primary {
		return primary
	}
	return blue
}

// window returns the part of a long line that shows its labels, and what column it starts at.
func (p *printer) window(text string, flags []caret, width int) (part string, shift int) {
	if textWidth(text) <= width || width < 20 {
		return text, 0
	}
	first := flags[0].from
	for _, f := range flags {
		first = min(first, f.from)
	}
	if first < width*2/3 {
		return cut(text, width), 0
	}
	drop := first - width/3
	n := 0
	for i, r := range text {
		if n >= drop {
			return "…" + cut(text[i:], width-1), n - 1
		}
		n += runeWidth(r)
	}
	return text, 0
}

// underline draws ^^^ below the primary places and --- below the others.
func (p *printer) underline(flags []caret, color style) string {
	end := 0
	for _, f := range flags {
		end = max(end, f.to)
	}
	marks := make([]byte, end)
	for i := range marks {
		marks[i] = ' '
	}
	for _, primary := range []bool{false, true} {
		for _, f := range flags {
			for c := f.from; c < f.to && f.primary == primary; c++ {
				marks[c] = "-^"[toInt(primary)]
			}
		}
	}
	styles := map[byte]style{'-': blue, '^': color, ' ': plain}
	var b strings.Builder
	for i := 0; i < end; {
		j := i
		for j < end && marks[j] == marks[i] {
			j++
		}
		b.WriteString(p.paint(styles[marks[i]], string(marks[i:j])))
		i = j
	}
	return b.String()
}

// connectors draws the lines from places whose text comes further down.
func (p *printer) connectors(flags []caret, color style) string {
	var b strings.Builder
	col := 0
	for _, f := range slices.Backward(flags) {
		if f.from < col {
			continue
		}
		b.WriteString(strings.Repeat(" ", f.from-col) + p.paint(f.style(color), "|"))
		col = f.from + 1
	}
	return b.String()
}

// verdict prints the last line.
func (p *printer) verdict(r *Result) {
	word, rest, _ := strings.Cut(Summary(r), ":")
	color := map[Verdict]style{Verified: green, Wrong: red}[r.Verdict]
	if color == plain {
		color = yellow
	}
	p.line(p.paint(color, word), ":", rest)
}

// Summary returns the verdict in one line, such as
// "verified: no errors in 4 executions (rc11, 2 blocked) in 0.01 s".
func Summary(r *Result) string {
	errors, warnings := 0, 0
	for _, e := range r.Errors {
		if KindOf(e.Kind).Warning {
			warnings++
		} else {
			errors++
		}
	}
	found := "no errors"
	if errors > 0 {
		found = count(int64(errors), "error")
	}
	if warnings > 0 {
		found += " and " + count(int64(warnings), "warning")
	}
	if errors > 0 {
		found += " after "
	} else {
		found += " in "
	}
	found += explored(r) + " in " + duration(r.Seconds)
	switch r.Verdict {
	case Verified, Wrong:
		return string(r.Verdict) + ": " + found
	}
	why := clean(r.Reason)
	if why == "" {
		why = "not everything was explored"
	}
	return string(r.Verdict) + ": " + why + "; " + found
}

// explored says what was explored: "4 executions (rc11, 2 blocked)".
func explored(r *Result) string {
	x := r.Executions
	what := count(x.Complete, "execution")
	details := []string{r.Model}
	if r.Engine == "states" {
		what = count(r.States.Stored, "state")
		details = append(details, count(r.States.Transitions, "transition"))
	}
	for _, d := range []struct {
		n    int64
		word string
	}{{x.Blocked, "blocked"}, {x.Duplicate, "duplicate"}, {x.Moot, "moot"}} {
		if d.n > 0 {
			details = append(details, thousands(d.n)+" "+d.word)
		}
	}
	if slices.Contains(x.UpTo, "symmetry") {
		details = append(details, "up to symmetry")
	}
	return what + " (" + strings.Join(details, ", ") + ")"
}

func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands returns n as 1,234,567.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// duration returns seconds as people read them.
func duration(seconds float64) string {
	switch {
	case seconds < 0.0095:
		return fmt.Sprintf("%.3f s", seconds)
	case seconds < 9.995:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 119.5:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 7170:
		return fmt.Sprintf("%.0f min", math.Round(seconds/60))
	case seconds < 48*3600:
		return fmt.Sprintf("%.1f h", seconds/3600)
	case seconds < 1000*86400:
		return fmt.Sprintf("%.0f days", math.Round(seconds/86400))
	}
	return fmt.Sprintf("%.0f years", seconds/(365*86400))
}
