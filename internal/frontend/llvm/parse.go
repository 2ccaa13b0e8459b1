package llvm

import (
	"strconv"
	"strings"
)

// Parse reads one text module. The error is an *Error.
func Parse(name string, src []byte) (m *Module, err error) {
	p := &parser{
		lx:    lexer{src: string(src)},
		types: map[string]*Type{}, simple: newSimpleTypes(), ptr: ptrType,
		m: &Module{Name: name, lay: newLayout(), syms: map[string]*symbol{}},
	}
	if len(src) > 1<<30 {
		return nil, &Error{File: name, Msg: "more than 1 GiB of text"}
	}
	p.m.src = p.lx.src
	defer func() {
		if e, ok := recover().(bailout); ok {
			m, err = nil, e.err
		} else if e != (bailout{}) {
			panic(e)
		}
	}()
	p.next()
	for p.tok.kind != tEOF {
		p.topLevel()
	}
	p.finish()
	return p.m, nil
}

// A bailout carries the first error up to Parse.
type bailout struct{ err *Error }

type parser struct {
	sections sections // of module-level assembly
	lx       lexer
	tok      token
	m        *Module
	types    map[string]*Type
	simple   map[string]*Type
	ptr      *Type // that of pointers
	ints     [129]*Type
	depth    int
	refs     []*symbol // of the entity being parsed

	fn funcState
}

// The types that every module lays out alike are shared.
var (
	voidType  = &Type{kind: kVoid, laid: isLaid, align: 1}
	ptrType   = newPtrType(8)
	ptrType32 = newPtrType(4)
	labelType = &Type{kind: kLabel, laid: isLaid, align: 1}
	metaType  = &Type{kind: kMetadata, laid: isLaid, align: 1}
	tokenType = &Type{kind: kToken, laid: isLaid, align: 1}
)

func newPtrType(size uint64) *Type {
	t := &Type{kind: kPtr, laid: isLaid, size: size, align: size, nwords: 1}
	t.leafs = []leaf{{typ: t}}
	return t
}

// newSimpleTypes returns the types that are one word, integers apart.
func newSimpleTypes() map[string]*Type {
	return map[string]*Type{
		"void": voidType, "ptr": ptrType, "label": labelType, "metadata": metaType, "token": tokenType,
		"half": {kind: kHalf}, "bfloat": {kind: kBFloat}, "float": {kind: kFloat}, "double": {kind: kDouble},
		"x86_fp80": {kind: kX86FP80}, "fp128": {kind: kFP128}, "ppc_fp128": {kind: kPPCFP128},
		"x86_mmx": {kind: kOpaque, name: "x86_mmx"}, "x86_amx": {kind: kOpaque, name: "x86_amx"},
		"opaque": {kind: kOpaque},
	}
}

func (p *parser) next() {
	p.tok = p.lx.next()
}

func (p *parser) fail(pos int32, format string, args ...any) {
	panic(bailout{errorAt(p.m.Name, p.lx.src, int(pos), format, args...)})
}

// unexpected fails at the current token.
func (p *parser) unexpected(want string) {
	if p.tok.kind == tEOF {
		p.fail(p.tok.pos, "expected %s, found the end of the file", want)
	}
	p.fail(p.tok.pos, "expected %s, found '%s'", want, p.tokText())
}

func (p *parser) tokText() string {
	text := p.lx.src[p.tok.pos:max(p.lx.off, int(p.tok.pos))]
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return text
}

func (p *parser) is(k tokKind) bool    { return p.tok.kind == k }
func (p *parser) isWord(w string) bool { return p.tok.kind == tWord && p.tok.text == w }

func (p *parser) accept(k tokKind) bool {
	if p.tok.kind == k {
		p.next()
		return true
	}
	return false
}

func (p *parser) acceptWord(w string) bool {
	if p.isWord(w) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(k tokKind) token {
	t := p.tok
	if t.kind != k {
		p.unexpected(kindText(k))
	}
	p.next()
	return t
}

func (p *parser) expectWord(w string) {
	if !p.acceptWord(w) {
		p.unexpected("'" + w + "'")
	}
}

func kindText(k tokKind) string {
	switch k {
	case tWord:
		return "a word"
	case tLocal:
		return "a %name"
	case tGlobal:
		return "an @name"
	case tInt:
		return "a number"
	case tString:
		return "a string"
	case tMeta:
		return "metadata"
	}
	return "'" + string(rune(k)) + "'"
}

// enter bounds the nesting of types and constants.
func (p *parser) enter() {
	p.depth++
	if p.depth > 500 {
		p.fail(p.tok.pos, "nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

// skipParens skips from an opening bracket to its partner.
func (p *parser) skipParens() {
	depth := 0
	for {
		switch p.tok.kind {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case tEOF:
			p.unexpected("')'")
		}
		p.next()
		if depth == 0 {
			return
		}
	}
}

// skipAttrs skips attributes: words that stop does not know, each with an optional value.
// It returns the type of byval and the number of align where it meets them.
func (p *parser) skipAttrs(stop func(string) bool) (by byval) {
	for {
		switch p.tok.kind {
		case tWord:
			w := p.tok.text
			if stop(w) {
				return
			}
			p.next()
			switch {
			case w == "byval" && p.is('('):
				p.next()
				by.typ = p.parseType()
				p.expect(')')
			case p.is('('):
				p.skipParens()
			case (w == "align" || w == "cc") && p.is(tInt):
				if w == "align" {
					by.align = p.alignment()
				}
				p.next()
			}
		case tString:
			p.next()
			if p.accept('=') {
				p.expect(tString)
			}
		case tHash:
			if strings.HasPrefix(p.tok.text, "dbg_") {
				return
			}
			p.next()
		default:
			return
		}
	}
}

func (p *parser) alignment() uint64 {
	n, err := strconv.ParseUint(p.tok.text, 10, 63)
	if err != nil || n > 1<<32 || n&(n-1) != 0 {
		p.fail(p.tok.pos, "wrong alignment")
	}
	return n
}

func (p *parser) topLevel() {
	switch p.tok.kind {
	case tWord:
		switch p.tok.text {
		case "define":
			p.parseFunction(true)
		case "declare":
			p.parseFunction(false)
		case "source_filename":
			p.next()
			p.expect('=')
			p.expect(tString)
		case "target":
			p.parseTarget()
		case "module":
			p.parseModuleAsm()
		case "attributes":
			p.next()
			p.expect(tHash)
			p.expect('=')
			if !p.is('{') {
				p.unexpected("'{'")
			}
			p.skipParens()
		case "uselistorder", "uselistorder_bb":
			p.skipLine()
		default:
			p.unexpected("a definition")
		}
	case tLocal:
		p.parseTypeDef()
	case tGlobal:
		p.parseGlobal()
	case tComdat:
		p.next()
		p.expect('=')
		p.expectWord("comdat")
		p.expect(tWord)
	case tMeta:
		p.parseMetaDef()
	case '^':
		p.skipLine()
	default:
		p.unexpected("a definition")
	}
}

// skipLine goes on behind the line of the current token.
func (p *parser) skipLine() {
	n := strings.IndexByte(p.lx.src[p.tok.pos:], '\n')
	if n < 0 {
		p.lx.off = len(p.lx.src)
	} else {
		p.lx.off = int(p.tok.pos) + n
	}
	p.next()
}

func (p *parser) parseTarget() {
	p.next()
	what := p.expect(tWord).text
	p.expect('=')
	t := p.expect(tString)
	if what == "triple" {
		p.m.triple = t.text
	}
	if what != "datalayout" {
		return
	}
	lay, err := parseLayout(t.text)
	if err != nil {
		p.fail(t.pos, "%v", err)
	}
	p.m.lay = lay
	if lay.ptr == 4 {
		p.ptr = ptrType32
	}
	p.simple["ptr"] = p.ptr
}

func (p *parser) parseModuleAsm() {
	pos := p.tok.pos
	p.next()
	p.expectWord("asm")
	t := p.expect(tString)
	for line := range strings.FieldsFuncSeq(unescape(t.text), func(r rune) bool { return r == '\n' || r == ';' }) {
		if bad := p.sections.statement(line); bad != "" {
			p.fail(pos, "module-level assembly of code is not supported: %s", bad)
		}
	}
}

func (p *parser) parseTypeDef() {
	t := p.namedType(p.tok)
	pos := p.tok.pos
	if t.defined {
		p.fail(pos, "type '%s' is defined twice", t)
	}
	p.next()
	p.expect('=')
	p.expectWord("type")
	t.defined = true
	name := t.name
	if p.is(tWord) || p.is(tLocal) { // opaque, or a name for another type
		u := p.parseType()
		if u == t || u.kind == kStruct && !u.defined {
			p.fail(pos, "type '%s' is defined by one that is not", t)
		}
		*t = *u
		t.defined = true
		if t.kind == kOpaque {
			t.name = "%" + name
		}
		return
	}
	u := p.parseType()
	*t = *u
	t.name, t.defined, t.pos = name, true, pos
	if t.kind != kStruct {
		t.name = ""
	}
}

func (p *parser) namedType(tok token) *Type {
	t := p.types[tok.text]
	if t == nil {
		t = &Type{kind: kStruct, name: tok.text, pos: tok.pos}
		p.types[tok.text] = t
	}
	return t
}

// finish checks what can be checked only at the end.
func (p *parser) finish() {
	for _, t := range p.types {
		if !t.defined {
			p.fail(t.pos, "use of undefined type '%s'", t)
		}
	}
	for _, t := range p.types {
		if !p.m.lay.lay(t) {
			p.fail(t.pos, "type '%s' contains itself", t)
		}
	}
	for _, s := range p.m.order {
		if s.kind != symUndefined {
			continue
		}
		s.kind, s.decl = symFunc, true
		s.fn = &function{typ: &Type{kind: kFunc, elem: voidType}, dbg: -1}
		if !s.implied && !strings.HasPrefix(s.name, "llvm.") {
			p.fail(s.pos, "use of undefined value '@%s'", s.name)
		}
	}
}

// symbol returns the symbol of a name; pos is where it is mentioned.
func (p *parser) symbol(name string, pos int32) *symbol {
	s := p.m.syms[name]
	if s == nil {
		s = &symbol{name: name, mod: p.m, pos: pos}
		p.m.syms[name] = s
		p.m.order = append(p.m.order, s)
	}
	return s
}

// define begins the definition or declaration of a symbol.
func (p *parser) define(tok token, kind symKind) *symbol {
	s := p.symbol(tok.text, tok.pos)
	if s.kind != symUndefined {
		p.fail(tok.pos, "redefinition of '@%s'", s.name)
	}
	s.kind, s.pos = kind, tok.pos
	p.refs = nil
	return s
}

// parseNumber reads a non-negative number below limit.
func (p *parser) parseNumber(limit uint64) uint64 {
	t := p.expect(tInt)
	n, err := strconv.ParseUint(t.text, 10, 64)
	if err != nil || n >= limit {
		p.fail(t.pos, "number '%s' is out of range", t.text)
	}
	return n
}

func numberedName(n int) string { return strconv.Itoa(n) }
