package cat

import (
	"strings"
	"unicode/utf8"
)

// A kind is the kind of a token. Operators and brackets are their own text.
type kind string

const (
	kEOF    kind = "end of file"
	kName   kind = "name"
	kTag    kind = "tag"
	kString kind = "string"
	kWord   kind = "keyword"
)

// A token is a word of a model; its text is the name, the tag without its quote, the string
// without its quotes, the keyword or the operator.
type token struct {
	kind kind
	text string
	off  int
}

// is reports whether t is the keyword or the operator with this text.
func (t token) is(text string) bool {
	return t.text == text && t.kind != kName && t.kind != kString && t.kind != kTag
}

func (t token) String() string {
	switch t.kind {
	case kEOF:
		return "the end of the file"
	case kName, kWord:
		return t.text
	case kTag:
		return "'" + t.text
	case kString:
		return `"` + t.text + `"`
	}
	return t.text
}

var keywords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`let rec and when acyclic irreflexive empty show unshow subset as fun in
		undefined_unless flag assert include variant begin end procedure call enum debug match with forall from do
		try if then else catdep instructions default not`) {
		keywords[w] = true
	}
}

// Longest first.
var operators = []string{"||", "&&", "++", "->", "-1", "(", ")", "{", "}", "[", "]", "_", "0", "|", "&", "*", "~", "+", "^", "\\", "?", "=", ";", ","}

// lex cuts the source into tokens, the last of which is kEOF.
func lex(src *Source) ([]token, error) {
	var out []token
	text := src.Text
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f':
			i++
		case c == '#' || strings.HasPrefix(text[i:], "//"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				end = len(text) - i
			}
			i += end
		case strings.HasPrefix(text[i:], "/*"): // Dartagnan's models have comments of C, too
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				return nil, errorf(Pos{src, i}, "this comment has no end")
			}
			i += end + 2
		case strings.HasPrefix(text[i:], "(*"):
			end := comment(text[i:])
			if end < 0 {
				return nil, errorf(Pos{src, i}, "this comment has no end")
			}
			i += end
		case c == '"':
			end := strings.IndexByte(text[i+1:], '"')
			if end < 0 {
				return nil, errorf(Pos{src, i}, "this string has no end")
			}
			out = append(out, token{kString, text[i+1 : i+1+end], i})
			i += end + 2
		case c == '\'':
			n := name(text[i+1:])
			if n == 0 {
				return nil, errorf(Pos{src, i}, "a tag is a name after a quote, as in 'acquire")
			}
			out = append(out, token{kTag, text[i+1 : i+1+n], i})
			i += 1 + n
		default:
			if n := name(text[i:]); n > 0 {
				k := kName
				if keywords[text[i:i+n]] {
					k = kWord
				}
				out = append(out, token{k, text[i : i+n], i})
				i += n
				continue
			}
			op := operator(text[i:])
			if op == "" {
				r, _ := utf8.DecodeRuneInString(text[i:])
				return nil, errorf(Pos{src, i}, "unexpected character %q", r)
			}
			out = append(out, token{kind(op), op, i})
			i += len(op)
		}
	}
	return append(out, token{kind: kEOF, off: len(text)}), nil
}

func operator(text string) string {
	for _, op := range operators {
		if strings.HasPrefix(text, op) {
			return op
		}
	}
	return ""
}

// name returns the length of the name at the beginning of text, or 0.
func name(text string) int {
	i := 0
	if i < len(text) && text[i] == '_' {
		i++
	}
	if i == len(text) || !letter(text[i]) {
		return 0
	}
	for i < len(text) && (letter(text[i]) || '0' <= text[i] && text[i] <= '9' || text[i] == '_' || text[i] == '.' ||
		text[i] == '-' && !strings.HasPrefix(text[i:], "->")) {
		i++
	}
	if i < len(text) && text[i] == '\'' {
		i++
	}
	return i
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// comment returns the length of the comment at the beginning of text, or -1. Comments nest, as in herd. Those of Dartagnan do not: a comment that would not end
// otherwise ends at the first end of one.
func comment(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
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
	if end := strings.Index(text[2:], "*)"); end >= 0 {
		return end + 4
	}
	return -1
}
