package litmus

import (
	"strconv"
	"strings"
)

// A token is a word, a number, a string or a punctuation mark. At the end its kind is 0.
type token struct {
	kind byte // 'i', 'n', 's', 'p' or 0
	text string
	off  int
}

// A language is what a lexer takes for comments, words and marks.
type language struct {
	dots   bool // words may have dots: mnemonics
	cStyle bool // comments as in C, suffixes of numbers
	marks  []string
}

var (
	plainText = &language{marks: []string{"/\\", "\\/", "=>", "<>", "!=", "==", "<<", ">>"}}
	assembly  = &language{dots: true, marks: []string{"<<=", ">>=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}}
	cText     = &language{cStyle: true, marks: []string{
		">>>", "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	}}
)

// A lexer reads tokens one by one; tok is the current one.
type lexer struct {
	*source
	lang *language
	off  int // after tok
	end  int
	tok  token
}

func newLexer(s *source, lang *language, off, end int) *lexer {
	l := &lexer{source: s, lang: lang, off: off, end: end}
	l.next()
	return l
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// skipSpace returns the offset after blanks and comments.
func (s *source) skipSpace(off, end int, cStyle bool) int {
	for off < end {
		rest := s.text[off:end]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			off++
		case cStyle && strings.HasPrefix(rest, "//"):
			i := strings.IndexByte(rest, '\n')
			if i < 0 {
				return end
			}
			off += i
		case cStyle && strings.HasPrefix(rest, "/*"):
			i := strings.Index(rest[2:], "*/")
			if i < 0 {
				s.fail(off, "this comment has no end")
			}
			off += i + 4
		case !cStyle && strings.HasPrefix(rest, "(*"):
			off = s.skipComment(off, end)
		default:
			return off
		}
	}
	return end
}

// skipComment returns the offset after a comment of herd's, which may be nested.
func (s *source) skipComment(off, end int) int {
	depth := 0
	for i := off; i < end-1; i++ {
		switch s.text[i : i+2] {
		case "(*":
			depth++
			i++
		case "*)":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	s.fail(off, "this comment has no end")
	return end
}

func (l *lexer) next() token {
	old := l.tok
	off := l.skipSpace(l.off, l.end, l.lang.cStyle)
	l.off = off
	if off >= l.end {
		l.tok = token{off: off}
		return old
	}
	text := l.text[:l.end]
	i := off
	kind := byte('p')
	switch c := text[off]; {
	case isLetter(c):
		kind = 'i'
		for i < len(text) && (isLetter(text[i]) || isDigit(text[i]) || l.lang.dots && text[i] == '.') {
			i++
		}
	case isDigit(c):
		kind = 'n'
		for i < len(text) && (isLetter(text[i]) || isDigit(text[i])) {
			i++
		}
	case c == '"':
		kind = 's'
		n := strings.IndexByte(text[off+1:], '"')
		if n < 0 {
			l.fail(off, "this string has no end")
		}
		i = off + n + 2
	default:
		i++
		for _, m := range l.lang.marks {
			if strings.HasPrefix(text[off:], m) {
				i = off + len(m)
				break
			}
		}
	}
	l.tok = token{kind, text[off:i], off}
	l.off = i
	return old
}

// is reports whether the current token is this mark or word.
func (l *lexer) is(text string) bool {
	return l.tok.kind != 's' && l.tok.kind != 0 && l.tok.text == text
}

func (l *lexer) accept(text string) bool {
	if l.is(text) {
		l.next()
		return true
	}
	return false
}

func (l *lexer) expect(text string) {
	if !l.accept(text) {
		l.unexpected(strconv.Quote(text))
	}
}

func (l *lexer) unexpected(want string) {
	if l.tok.kind == 0 {
		l.fail(l.tok.off, "this ends where %s should be", want)
	}
	l.fail(l.tok.off, "%q where %s should be", l.tok.text, want)
}

func (l *lexer) ident(what string) string {
	if l.tok.kind != 'i' {
		l.unexpected(what)
	}
	return l.next().text
}

// number reads an integer, perhaps with a minus.
func (l *lexer) number() int64 {
	neg := false
	for l.is("-") || l.is("+") {
		neg = neg != l.is("-")
		l.next()
	}
	if l.tok.kind != 'n' {
		l.unexpected("a number")
	}
	n := l.parseNumber(l.next())
	if neg {
		return -n
	}
	return n
}

func (l *lexer) parseNumber(t token) int64 {
	text := t.text
	if l.lang.cStyle {
		text = strings.TrimRight(text, "uUlL")
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		// A leading 0 is not octal here.
		n, err = strconv.ParseUint(text, 10, 64)
	}
	if err != nil {
		l.fail(t.off, "%q is not a number of 64 bits", t.text)
	}
	return int64(n)
}

// peek returns the token after the current one.
func (l *lexer) peek() token {
	c := *l
	c.next()
	return c.tok
}
