package cat

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Source is the text of one file.
type Source struct {
	Name string // as it is shown in messages
	Text string
}

// A Pos is a place in a source.
type Pos struct {
	Src *Source
	Off int // in bytes
}

// A place is a Pos by the name of its file: it is the same when an included file is read again.
type place struct {
	file string
	off  int
}

func (p Pos) place() place { return place{p.Src.Name, p.Off} }

// Line and column of p, from 1; the column counts characters.
func (p Pos) lineCol() (line, col int) {
	before := p.Src.Text[:p.Off]
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

func (p Pos) String() string {
	if p.Src == nil {
		return "-"
	}
	line, col := p.lineCol()
	return fmt.Sprintf("%s:%d:%d", p.Src.Name, line, col)
}

// An Error is a mistake in a model: of its text, or found when it is evaluated.
type Error struct {
	Pos Pos
	Msg string
	Via []Pos // the includes, calls and procedures that led there, innermost first
}

// Error is file:line:col: message, then the line and a caret under the place.
func (e *Error) Error() string {
	if e.Pos.Src == nil {
		return e.Msg
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s\n%s", e.Pos, e.Msg, e.Pos.excerpt())
	for _, via := range e.Via {
		fmt.Fprintf(&b, "\n%v: from here", via)
	}
	return b.String()
}

// excerpt is the line of p and a caret.
func (p Pos) excerpt() string {
	text := p.Src.Text
	start := strings.LastIndexByte(text[:p.Off], '\n') + 1
	end := strings.IndexByte(text[p.Off:], '\n')
	if end < 0 {
		end = len(text)
	} else {
		end += p.Off
	}
	line := strings.TrimRight(text[start:end], "\r")
	var indent strings.Builder
	for _, r := range text[start:p.Off] {
		if r == '\t' {
			indent.WriteByte('\t') // so that the caret is below, however wide tabs are
		} else {
			indent.WriteByte(' ')
		}
	}
	return "  " + line + "\n  " + indent.String() + "^"
}

// via returns the error with one more place that led to it.
func (e *Error) via(pos Pos) *Error {
	if len(e.Via) >= 5 {
		return e
	}
	return &Error{e.Pos, e.Msg, append(slices.Clip(e.Via), pos)}
}

func errorf(pos Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}
