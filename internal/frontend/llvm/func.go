package llvm

import "strings"

// funcState is what the parser knows of the function it is in.
type funcState struct {
	f        *function
	name     string
	byName   map[string]int32
	byNumber []int32 // local number of %12, or -1
	blocks   map[string]int32
	unnamed  int // number of the next unnamed value
}

func (p *parser) parseFunction(define bool) {
	p.next()
	link := linkExternal
	for { // linkage, visibility, calling convention, attributes of the result
		for p.is(tMeta) { // declare !dbg !4 i32 @f()
			p.next()
			p.metaRef()
		}
		if !p.is(tWord) || p.isTypeWord(p.tok.text) {
			if p.is(tString) || p.is(tHash) {
				p.skipAttrs(neverStop)
				continue
			}
			break
		}
		w := p.tok.text
		if l, ok := linkages[w]; ok {
			link = l
			p.next()
			continue
		}
		p.next()
		if p.is('(') {
			p.skipParens()
		} else if (w == "align" || w == "cc") && p.is(tInt) {
			p.next()
		}
	}
	result := p.parseType()
	name := p.expect(tGlobal)
	s := p.define(name, symFunc)
	f := &function{typ: &Type{kind: kFunc, elem: result}, dbg: -1}
	s.fn, s.link, s.decl = f, link, !define
	if f.typ.elem.kind == kLabel || f.typ.elem.kind == kMetadata {
		p.fail(name.pos, "a function can't return '%s'", result)
	}
	p.fn = funcState{f: f, name: name.text, byName: p.fn.byName, byNumber: p.fn.byNumber[:0], blocks: p.fn.blocks}
	if p.fn.byName == nil {
		p.fn.byName, p.fn.blocks = map[string]int32{}, map[string]int32{}
	}
	clear(p.fn.byName)
	clear(p.fn.blocks)
	p.parseParams(f)
	p.functionAttrs(f, define)
	if define {
		p.parseBody(f)
		if isAtomicFunction(s.name) {
			p.noteSymbol(sectionBegin)
			p.noteSymbol(sectionEnd)
		}
		if backsOff(s.name) {
			p.noteSymbol(standsFor)
		}
	}
	s.refs = p.refs
}

func (p *parser) parseParams(f *function) {
	p.expect('(')
	for !p.is(')') {
		if p.accept(tDots) {
			f.typ.variadic = true
			break
		}
		pos := p.tok.pos
		t := p.parseType()
		if !t.isFirst() && t.kind != kMetadata && t.kind != kToken && t.kind != kOpaque && t.kind != kLabel {
			p.fail(pos, "'%s' is not the type of a parameter", t)
		}
		by := p.skipAttrs(neverStop)
		f.typ.fields = append(f.typ.fields, t)
		tok := token{kind: tLocal, pos: pos}
		if p.is(tLocal) {
			tok = p.tok
			p.next()
		} else {
			tok.text = numberedName(p.fn.unnamed)
		}
		f.params = append(f.params, param{p.localDef(tok, t), by})
		if !p.accept(',') {
			break
		}
	}
	p.expect(')')
}

// functionAttrs reads what stands between the parameters and the body.
func (p *parser) functionAttrs(f *function, define bool) {
	for {
		switch p.tok.kind {
		case tMeta:
			if !define { // a declaration has its metadata in front
				return
			}
			w := p.tok.text
			p.next()
			if n := p.metaRef(); w == "dbg" {
				f.dbg = n
			}
		case tWord:
			switch p.tok.text {
			case "define", "declare", "attributes", "target", "source_filename", "module", "uselistorder", "uselistorder_bb":
				return
			case "personality", "prefix", "prologue":
				p.next()
				refs := p.refs // the personality is never called
				if v := p.parseTypedValue(); v.kind == vLocal {
					p.unexpected("a constant")
				}
				p.refs = refs
			case "section", "partition", "gc":
				p.next()
				p.expect(tString)
			case "align":
				p.next()
				p.expect(tInt)
			default:
				p.next()
				if p.is('(') {
					p.skipParens()
				}
			}
		case tString:
			p.next()
			if p.accept('=') {
				p.expect(tString)
			}
		case tHash:
			p.next()
		default:
			return
		}
	}
}

// local returns the number of a local, making it on first mention.
func (p *parser) local(tok token) int32 {
	st := &p.fn
	if n, ok := metaNumber(tok.text); ok && n < 1<<20 && int(n) < len(p.lx.src) && tok.text[0] != '0' || tok.text == "0" {
		for len(st.byNumber) <= int(n) {
			st.byNumber = append(st.byNumber, -1)
		}
		if st.byNumber[n] < 0 {
			st.byNumber[n] = p.newLocal(tok)
		}
		return st.byNumber[n]
	}
	id, ok := st.byName[tok.text]
	if !ok {
		id = p.newLocal(tok)
		st.byName[tok.text] = id
	}
	return id
}

func (p *parser) newLocal(tok token) int32 {
	p.fn.f.locals = append(p.fn.f.locals, local{name: tok.text, pos: tok.pos})
	return int32(len(p.fn.f.locals) - 1)
}

func (p *parser) localUse(tok token, t *Type) value {
	if p.fn.f == nil {
		p.fail(tok.pos, "local '%%%s' outside a function", tok.text)
	}
	id := p.local(tok)
	l := &p.fn.f.locals[id]
	if l.typ == nil {
		l.typ = t
	} else if !sameType(l.typ, t) {
		p.fail(tok.pos, "'%%%s' has type '%s', expected '%s'", tok.text, l.typ, t)
	}
	return value{typ: t, kind: vLocal, id: id}
}

func (p *parser) localDef(tok token, t *Type) int32 {
	id := p.local(tok)
	l := &p.fn.f.locals[id]
	if l.defined {
		p.fail(tok.pos, "'%%%s' is defined twice", tok.text)
	}
	if l.typ != nil && !sameType(l.typ, t) {
		p.fail(l.pos, "'%%%s' is used as '%s' but has type '%s'", tok.text, l.typ, t)
	}
	l.typ, l.defined = t, true
	if n, ok := metaNumber(tok.text); ok {
		p.fn.unnamed = max(p.fn.unnamed, int(n)+1)
	}
	return id
}

// blockRef returns the number of the block that label %name means.
func (p *parser) blockRef(tok token) int32 {
	n, ok := p.fn.blocks[tok.text]
	if !ok {
		n = int32(len(p.fn.f.blocks))
		p.fn.blocks[tok.text] = n
		p.fn.f.blocks = append(p.fn.f.blocks, &block{name: tok.text, pos: tok.pos})
	}
	return n
}

func (p *parser) parseLabel() int32 {
	p.expectWord("label")
	return p.blockRef(p.expect(tLocal))
}

func (p *parser) parseBody(f *function) {
	p.expect('{')
	var order []int32
	var cur *block
	begin := func(tok token) {
		n := p.blockRef(tok)
		cur = f.blocks[n]
		if cur.defined {
			p.fail(tok.pos, "block '%%%s' is defined twice", tok.text)
		}
		cur.defined = true
		cur.pos = tok.pos
		order = append(order, n)
		if k, ok := metaNumber(tok.text); ok {
			p.fn.unnamed = max(p.fn.unnamed, int(k)+1)
		}
	}
	for !p.is('}') {
		switch {
		case p.is(tEOF):
			p.unexpected("'}'")
		case p.is(tLabel):
			if cur != nil && !ends(cur) {
				p.fail(p.tok.pos, "block '%%%s' does not end with a branch or return", cur.name)
			}
			begin(p.tok)
			p.next()
			continue
		case p.is(tHash) && strings.HasPrefix(p.tok.text, "dbg_"):
			is := p.tok.text == "dbg_declare"
			p.next()
			if !p.is('(') {
				p.unexpected("'('")
			}
			p.parseDeclare(is, -1)
			continue
		case p.is(tWord) && (p.isWord("uselistorder") || p.isWord("uselistorder_bb")):
			p.skipLine()
			continue
		}
		if cur == nil || ends(cur) {
			begin(token{text: numberedName(p.fn.unnamed), pos: p.tok.pos})
		}
		cur.insts = append(cur.insts, inst{})
		p.parseInst(&cur.insts[len(cur.insts)-1])
	}
	if cur == nil {
		p.unexpected("an instruction")
	}
	if !ends(cur) {
		p.fail(p.tok.pos, "block '%%%s' does not end with a branch or return", cur.name)
	}
	p.expect('}')
	p.checkBody(f, order)
	p.fn.f = nil
}

// parseDeclare reads what follows #dbg_declare, or skips it if that is another one: the variable's address, the variable,
// an expression that says how to get from one to the other, and the place.
func (p *parser) parseDeclare(is bool, loc int32) {
	d := declare{local: -1, variable: -1, loc: loc}
	depth, arg, direct := 0, 0, is
	for {
		switch t := p.tok; {
		case t.kind == '(' || t.kind == '[' || t.kind == '{':
			depth++
		case t.kind == ')' || t.kind == ']' || t.kind == '}':
			depth--
		case t.kind == tEOF:
			p.unexpected("')'")
		case depth > 1:
			direct = direct && arg != 2
		case t.kind == ',':
			arg++
		case t.kind == tLocal && arg == 0:
			d.local = p.known(t)
		case t.kind == tMeta && arg == 1:
			d.variable, _ = metaNumber(t.text)
		case t.kind == tMeta && arg == 3:
			d.loc, _ = metaNumber(t.text)
		}
		p.next()
		if depth == 0 {
			break
		}
	}
	if direct && d.local >= 0 && d.variable >= 0 {
		p.fn.f.declares = append(p.fn.f.declares, d)
	}
}

// known returns the number of a local that was mentioned before, or -1.
func (p *parser) known(tok token) int32 {
	if id, ok := p.fn.byName[tok.text]; ok {
		return id
	}
	if n, ok := metaNumber(tok.text); ok && int(n) < len(p.fn.byNumber) {
		return p.fn.byNumber[n]
	}
	return -1
}

// ends reports whether b has its terminator.
func ends(b *block) bool {
	return len(b.insts) > 0 && b.insts[len(b.insts)-1].isTerminator()
}

func (in *inst) isTerminator() bool {
	switch in.op {
	case opBr, opCondBr, opSwitch, opIndirectBr, opRet, opInvoke, opCallBr, opResume, opUnreachable, opUnsupportedTerm:
		return true
	}
	return false
}

// checkBody checks that everything mentioned is defined, and puts the blocks into the order
// of the text.
func (p *parser) checkBody(f *function, order []int32) {
	for _, b := range f.blocks {
		if !b.defined {
			p.fail(b.pos, "use of undefined label '%%%s'", b.name)
		}
	}
	for i := range f.locals {
		if l := &f.locals[i]; !l.defined {
			p.fail(l.pos, "use of undefined value '%%%s'", l.name)
		}
	}
	place := make([]int32, len(order))
	blocks := make([]*block, len(order))
	for i, n := range order {
		place[n] = int32(i)
		blocks[i] = f.blocks[n]
	}
	f.blocks = blocks
	for _, b := range blocks {
		for i := range b.insts {
			for j, n := range b.insts[i].blocks {
				b.insts[i].blocks[j] = place[n]
			}
		}
	}
}
