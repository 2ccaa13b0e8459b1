package llvm

import "strconv"

// typeStarts reports whether the current token begins a type.
func (p *parser) typeStarts() bool {
	switch p.tok.kind {
	case tLocal, '[', '{', '<':
		return true
	case tWord:
		return p.isTypeWord(p.tok.text)
	}
	return false
}

func (p *parser) isTypeWord(w string) bool {
	if w[0] == 'i' && len(w) > 1 && class[w[1]]&cDigit != 0 {
		for i := 1; i < len(w); i++ {
			if class[w[i]]&cDigit == 0 {
				return false
			}
		}
		return true
	}
	return p.simple[w] != nil || w == "target"
}

// parseType reads a type with its suffixes: T*, T addrspace(1)*, T (params).
func (p *parser) parseType() *Type {
	p.enter()
	t := p.baseType()
	for {
		switch {
		case p.is('*'):
			p.next()
			t = p.ptr
		case p.isWord("addrspace"):
			p.next()
			p.expect('(')
			p.parseAddrSpace()
			p.expect(')')
			if p.accept('*') {
				t = p.ptr
			} else if t.kind != kPtr {
				p.unexpected("'*'")
			}
		case p.is('('):
			t = p.funcType(t)
		default:
			p.leave()
			return t
		}
	}
}

func (p *parser) parseAddrSpace() {
	if !p.accept(tString) { // "A", "G", "P" in LLVM 16 and later
		p.parseNumber(1 << 24)
	}
}

func (p *parser) intType(bits int) *Type {
	if bits >= len(p.ints) {
		return &Type{kind: kInt, bits: bits}
	}
	if p.ints[bits] == nil {
		p.ints[bits] = &Type{kind: kInt, bits: bits}
	}
	return p.ints[bits]
}

func (p *parser) baseType() *Type {
	tok := p.tok
	switch tok.kind {
	case tWord:
		w := tok.text
		if w[0] == 'i' && p.isTypeWord(w) {
			n, err := strconv.Atoi(w[1:])
			if err != nil || n < 1 || n > 1<<23 {
				p.fail(tok.pos, "wrong width of integer type '%s'", w)
			}
			p.next()
			return p.intType(n)
		}
		if t := p.simple[w]; t != nil {
			p.next()
			return t
		}
		if w == "target" {
			p.next()
			if !p.is('(') {
				p.unexpected("'('")
			}
			p.skipParens()
			return &Type{kind: kOpaque, name: "target"}
		}
		p.fail(tok.pos, "unknown type '%s'", w)
	case tLocal:
		t := p.namedType(tok)
		p.next()
		return t
	case '[':
		p.next()
		n := p.parseNumber(1 << 62)
		p.expectWord("x")
		t := &Type{kind: kArray, len: n, elem: p.elemType()}
		p.expect(']')
		return t
	case '{':
		return p.structType(false)
	case '<':
		p.next()
		if p.is('{') {
			t := p.structType(true)
			p.expect('>')
			return t
		}
		return p.vectorType()
	}
	p.unexpected("a type")
	return nil
}

func (p *parser) elemType() *Type {
	pos := p.tok.pos
	t := p.parseType()
	if t.kind == kVoid || t.kind == kFunc || t.kind == kLabel || t.kind == kMetadata || t.kind == kToken {
		p.fail(pos, "'%s' can't be an element", t)
	}
	return t
}

func (p *parser) vectorType() *Type {
	scalable := p.acceptWord("vscale")
	if scalable {
		p.expectWord("x")
	}
	n := p.parseNumber(1 << 32)
	p.expectWord("x")
	pos := p.tok.pos
	t := &Type{kind: kVector, len: n, elem: p.elemType()}
	if !t.elem.isScalar() && !t.elem.isOpaque() {
		p.fail(pos, "'%s' can't be an element of a vector", t.elem)
	}
	p.expect('>')
	if scalable || t.elem.isOpaque() || n == 0 {
		name := t.String()
		if scalable {
			name = "<vscale x " + name[1:]
		}
		return &Type{kind: kOpaque, name: name}
	}
	return t
}

func (p *parser) structType(packed bool) *Type {
	t := &Type{kind: kStruct, packed: packed, defined: true}
	p.expect('{')
	for !p.is('}') {
		t.fields = append(t.fields, p.elemType())
		if !p.accept(',') {
			break
		}
	}
	p.expect('}')
	return t
}

func (p *parser) funcType(result *Type) *Type {
	t := &Type{kind: kFunc, elem: result}
	p.expect('(')
	for !p.is(')') {
		if p.accept(tDots) {
			t.variadic = true
			break
		}
		t.fields = append(t.fields, p.parseType())
		p.skipAttrs(neverStop)
		if !p.accept(',') {
			break
		}
	}
	p.expect(')')
	return t
}

func neverStop(string) bool { return false }
