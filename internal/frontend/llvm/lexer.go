package llvm

import "strings"

// A tokKind is the kind of a token; punctuation is its own byte.
type tokKind uint8

const (
	tEOF     tokKind = iota
	tWord            // a keyword, type name, attribute …
	tLabel           // name:  (text without the colon)
	tLocal           // %name
	tGlobal          // @name
	tComdat          // $name
	tMeta            // !name or !12
	tHash            // #12 or #dbg_declare
	tString          // "…", not yet unescaped
	tCString         // c"…", not yet unescaped
	tInt             // 12, -3, u0xFF, s0xFF
	tFloat           // 1.0e+00, 0x3FF…, 0xK…, +inf
	tDots            // ...
	tBad
)

// A token is one word of the text.
type token struct {
	kind tokKind
	pos  int32
	text string // without its sigil
}

// A lexer splits text IR into tokens.
type lexer struct {
	src string
	off int
}

const (
	cSpace = 1 << iota
	cDigit
	cName // letters, digits and $ . _ -
	cHex
)

var class = func() (t [256]uint8) {
	for c := 0; c < 256; c++ {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0:
			t[c] = cSpace
		case '0' <= c && c <= '9':
			t[c] = cDigit | cName | cHex
		case 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F':
			t[c] = cName | cHex
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '.' || c == '$' || c == '-':
			t[c] = cName
		}
	}
	return
}()

// next returns the next token.
func (lx *lexer) next() token {
	src, i := lx.src, lx.off
	for i < len(src) {
		c := src[i]
		if class[c]&cSpace != 0 {
			i++
		} else if c == ';' {
			n := strings.IndexByte(src[i:], '\n')
			if n < 0 {
				i = len(src)
			} else {
				i += n + 1
			}
		} else {
			break
		}
	}
	lx.off = i
	if i >= len(src) {
		return token{kind: tEOF, pos: int32(len(src))}
	}
	switch c := src[i]; c {
	case '%':
		return lx.sigil(tLocal)
	case '@':
		return lx.sigil(tGlobal)
	case '!':
		if i+1 < len(src) && (class[src[i+1]]&cName != 0 || src[i+1] == '\\') {
			j := i + 1
			for j < len(src) && (class[src[j]]&cName != 0 || src[j] == '\\') {
				j++
			}
			return lx.take(tMeta, i+1, j, j)
		}
		return lx.take('!', i, i+1, i+1)
	case '#':
		j := lx.nameEnd(i + 1)
		return lx.take(tHash, i+1, j, j)
	case '"':
		return lx.quoted()
	case 'c':
		if i+1 < len(src) && src[i+1] == '"' {
			if n := strings.IndexByte(src[i+2:], '"'); n >= 0 {
				return lx.take(tCString, i+2, i+2+n, i+3+n)
			}
			return lx.take(tBad, i, len(src), len(src))
		}
		return lx.word()
	case '.':
		if strings.HasPrefix(src[i:], "...") {
			return lx.take(tDots, i, i+3, i+3)
		}
		return lx.word()
	case '$':
		if i+1 < len(src) && src[i+1] == '"' {
			return lx.sigil(tComdat)
		}
		t := lx.word()
		if t.kind == tWord && len(t.text) > 1 {
			t.kind, t.text = tComdat, t.text[1:]
		}
		return t
	case '-', '+', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return lx.number()
	default:
		if class[c]&cName != 0 {
			return lx.word()
		}
		if c < ' ' || c >= 127 {
			return lx.take(tBad, i, i+1, i+1)
		}
		return lx.take(tokKind(c), i, i+1, i+1)
	}
}

// take makes a token of src[from:to] and moves on to end.
func (lx *lexer) take(k tokKind, from, to, end int) token {
	t := token{kind: k, pos: int32(lx.off), text: lx.src[from:to]}
	lx.off = end
	return t
}

func (lx *lexer) nameEnd(i int) int {
	for i < len(lx.src) && class[lx.src[i]]&cName != 0 {
		i++
	}
	return i
}

// sigil reads %name, %"name", @name and the like.
func (lx *lexer) sigil(k tokKind) token {
	i := lx.off + 1
	if i < len(lx.src) && lx.src[i] == '"' {
		n := strings.IndexByte(lx.src[i+1:], '"')
		if n < 0 {
			return lx.take(tBad, lx.off, len(lx.src), len(lx.src))
		}
		t := lx.take(k, i+1, i+1+n, i+2+n)
		if strings.IndexByte(t.text, '\\') >= 0 {
			t.text = unescape(t.text)
		}
		return t
	}
	j := lx.nameEnd(i)
	if j == i {
		return lx.take(tBad, lx.off, i, i)
	}
	return lx.take(k, i, j, j)
}

func (lx *lexer) quoted() token {
	i := lx.off
	n := strings.IndexByte(lx.src[i+1:], '"')
	if n < 0 {
		return lx.take(tBad, i, len(lx.src), len(lx.src))
	}
	end := i + n + 2
	if end < len(lx.src) && lx.src[end] == ':' {
		t := lx.take(tLabel, i+1, end-1, end+1)
		t.text = unescape(t.text)
		return t
	}
	return lx.take(tString, i+1, end-1, end)
}

func (lx *lexer) word() token {
	i := lx.off
	j := lx.nameEnd(i)
	if j < len(lx.src) && lx.src[j] == ':' {
		return lx.take(tLabel, i, j, j+1)
	}
	t := lx.take(tWord, i, j, j)
	if len(t.text) > 3 && t.text[1] == '0' && t.text[2] == 'x' {
		switch t.text[0] {
		case 'u', 's':
			t.kind = tInt
		case 'f':
			t.kind = tFloat
		}
	}
	return t
}

// number reads an integer, a float, or a label that begins like one.
func (lx *lexer) number() token {
	src, i := lx.src, lx.off
	j := i
	if src[j] == '-' || src[j] == '+' {
		j++
	}
	if strings.HasPrefix(src[j:], "0x") {
		j = lx.nameEnd(j)
		return lx.take(tFloat, i, j, j)
	}
	digits := j
	for j < len(src) && class[src[j]]&cDigit != 0 {
		j++
	}
	if j == digits { // -name, +inf, +nan(0x1)
		if src[i] == '-' && j < len(src) && class[src[j]]&cName != 0 && !strings.HasPrefix(src[j:], "inf") && !strings.HasPrefix(src[j:], "qnan") && !strings.HasPrefix(src[j:], "nan") {
			return lx.word()
		}
		j = lx.nameEnd(j)
		if j == digits {
			return lx.take(tBad, i, i+1, i+1)
		}
		return lx.take(tFloat, i, j, j)
	}
	kind := tInt
	if j < len(src) && src[j] == '.' {
		kind = tFloat
		for j++; j < len(src) && class[src[j]]&cDigit != 0; j++ {
		}
		if j < len(src) && (src[j] == 'e' || src[j] == 'E') {
			k := j + 1
			if k < len(src) && (src[k] == '-' || src[k] == '+') {
				k++
			}
			if k < len(src) && class[src[k]]&cDigit != 0 {
				for ; k < len(src) && class[src[k]]&cDigit != 0; k++ {
				}
				j = k
			}
		}
	}
	if j < len(src) && (src[j] == ':' || class[src[j]]&cName != 0) { // 12: or 12.foo:
		if e := lx.nameEnd(j); e < len(src) && src[e] == ':' {
			return lx.take(tLabel, i, e, e+1)
		}
	}
	return lx.take(kind, i, j, j)
}

// unescape replaces \xx by its byte and \\ by a backslash.
func unescape(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i = 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\\' {
				i++
			} else if i+2 < len(s) && class[s[i+1]]&cHex != 0 && class[s[i+2]]&cHex != 0 {
				b = append(b, hexDigit(s[i+1])<<4|hexDigit(s[i+2]))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

func hexDigit(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	default:
		return c - 'a' + 10
	}
}
