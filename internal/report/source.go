package report

import (
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sources reads source files, each at most once.
type sources struct {
	read  func(string) ([]byte, error)
	files map[string][]string // the lines; nil for a file that can't be read
}

func newSources(o Options) *sources {
	read := o.Source
	if read == nil {
		read = os.ReadFile
	}
	return &sources{read: read, files: map[string][]string{}}
}

// line returns a line of a file, without its end; ok is false if there is no such line.
func (s *sources) line(file string, n int) (text string, ok bool) {
	lines, known := s.files[file]
	if !known {
		if data, err := s.read(file); err == nil && file != "" {
			text := strings.ReplaceAll(string(data), "\r\n", "\n")
			lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
		s.files[file] = lines
	}
	if n < 1 || n > len(lines) {
		return "", false
	}
	return lines[n-1], true
}

// span returns the bytes of line that a location with this column means: a name, with the
// arguments of a call if it ends on the line; an operator; or, without a column, all of the line.
func span(line string, column int) (from, to int) {
	if column <= 0 {
		from = len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
		return from, max(from, len(strings.TrimRightFunc(line, unicode.IsSpace)))
	}
	from = min(column-1, len(line))
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from--
	}
	rest := line[from:]
	if n := prefixLen(rest, isNameRune); n > 0 {
		return from, from + n + callLen(rest[n:])
	}
	if n := prefixLen(rest, func(r rune) bool { return strings.ContainsRune("=+-*/%&|^<>!~", r) }); n > 0 {
		return from, from + n
	}
	_, n := utf8.DecodeRuneInString(rest)
	return from, from + n
}

func isNameRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func prefixLen(s string, ok func(rune) bool) int {
	if i := strings.IndexFunc(s, func(r rune) bool { return !ok(r) }); i >= 0 {
		return i
	}
	return len(s)
}

// callLen returns the length of the parenthesised arguments that s starts with, or 0.
func callLen(s string) int {
	depth := 0
	var quote rune
	skip := false
	for i, r := range s {
		switch {
		case i == 0 && r != '(':
			return 0
		case skip:
			skip = false
		case quote != 0:
			skip = r == '\\'
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '(':
			depth++
		case r == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// columnAt returns the column, from 0, at which byte i of line is printed after expand.
func columnAt(line string, i int) int { return textWidth(expand(line[:i])) }
