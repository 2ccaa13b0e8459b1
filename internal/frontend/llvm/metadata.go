package llvm

import (
	"strings"

	"ravel/internal/ir"
)

// A metaTable finds the text of numbered metadata. Nodes are read only when something asks
// for them, so that kinds this package does not know cost nothing and can't fail.
type metaTable struct {
	spans []span // by number

	// Their contents as far as they were read; see debug.go.
	positions []ir.Pos
	files     map[int32]int
	scopes    map[int32]scopeInfo
	shapes    map[int32]*ir.Shape
	copies    []shapeCopy
}

type span struct{ from, to int32 }

// parseMetaDef records !12 = … and skips named metadata.
func (p *parser) parseMetaDef() {
	name, pos := p.tok.text, p.tok.pos
	n, numbered := metaNumber(name)
	p.next()
	if !p.is('=') {
		p.unexpected("'='")
	}
	from := p.lx.off
	to := metaEnd(p.lx.src, from)
	p.lx.off = to
	p.next()
	if !numbered {
		return
	}
	if int(n) > len(p.lx.src) {
		p.fail(pos, "metadata number is out of range")
	}
	for len(p.m.meta.spans) <= int(n) {
		p.m.meta.spans = append(p.m.meta.spans, span{})
	}
	p.m.meta.spans[n] = span{int32(from), int32(to)}
}

func metaNumber(s string) (int32, bool) {
	if len(s) == 0 || len(s) > 9 {
		return 0, false
	}
	n := int32(0)
	for i := 0; i < len(s); i++ {
		if class[s[i]]&cDigit == 0 {
			return 0, false
		}
		n = n*10 + int32(s[i]-'0')
	}
	return n, true
}

// metaEnd returns the end of the node that begins at i: the end of the line once all
// brackets are closed.
func metaEnd(src string, i int) int {
	depth := 0
	for i < len(src) {
		switch src[i] {
		case '"':
			n := strings.IndexByte(src[i+1:], '"')
			if n < 0 {
				return len(src)
			}
			i += n + 1
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case '\n':
			if depth <= 0 {
				return i
			}
		}
		i++
	}
	return i
}

// metaRef reads the metadata behind !dbg: a number, or a node written in place, for which it
// returns -1.
func (p *parser) metaRef() int32 {
	if p.is('!') { // !{…} or !"…"
		p.next()
		if p.accept(tString) {
			return -1
		}
		if !p.is('{') {
			p.unexpected("metadata")
		}
		p.skipParens()
		return -1
	}
	if p.acceptWord("distinct") {
		return p.metaRef()
	}
	t := p.expect(tMeta)
	if n, ok := metaNumber(t.text); ok {
		return n
	}
	if p.is('(') {
		p.skipParens()
	}
	return -1
}

// A metaNode is a node as written: !DILocation(line: 3, scope: !5) or !{!1, !2}.
type metaNode struct {
	kind   string // without the !; empty for a tuple
	fields []metaField
}

type metaField struct {
	name string // empty in a tuple
	text string // as written, strings unquoted
	ref  int32  // of a reference !12, else -1
}

// node reads node n; an unknown number or unreadable text is an empty node.
func (m *Module) node(n int32) metaNode {
	if n < 0 || int(n) >= len(m.meta.spans) {
		return metaNode{}
	}
	s := m.meta.spans[n]
	lx := lexer{src: m.src[:s.to], off: int(s.from)}
	t := lx.next()
	if t.kind == tWord && t.text == "distinct" {
		t = lx.next()
	}
	var node metaNode
	switch t.kind {
	case tMeta:
		node.kind = t.text
		t = lx.next()
	case '!':
		t = lx.next()
	}
	if t.kind != '(' && t.kind != '{' {
		return node
	}
	t = lx.next()
	for t.kind != tEOF {
		f := metaField{ref: -1}
		if t.kind == tLabel {
			f.name = t.text
			t = lx.next()
		}
		depth := 0
	value:
		for ; t.kind != tEOF; t = lx.next() {
			switch t.kind {
			case '(', '{':
				depth++
			case ')', '}':
				if depth == 0 {
					break value
				}
				depth--
			case ',':
				if depth == 0 {
					break value
				}
			case tMeta:
				if r, ok := metaNumber(t.text); ok && depth == 0 && f.text == "" {
					f.ref = r
				} else if f.text == "" {
					f.text = t.text
				}
			case tString:
				f.text = unescape(t.text)
			case '|', '!':
			default:
				if depth == 0 {
					f.text += t.text
				}
			}
		}
		node.fields = append(node.fields, f)
		if t.kind == ',' {
			t = lx.next()
		} else {
			break
		}
	}
	return node
}

func (n *metaNode) field(name string) *metaField {
	for i := range n.fields {
		if n.fields[i].name == name {
			return &n.fields[i]
		}
	}
	return &noField
}

var noField = metaField{ref: -1}

// number returns a field's value as a non-negative number, 0 if it is none.
func (f *metaField) number() int {
	n := 0
	for i := 0; i < len(f.text); i++ {
		if class[f.text[i]]&cDigit == 0 || n > 1<<40 {
			return 0
		}
		n = n*10 + int(f.text[i]-'0')
	}
	return n
}
