package llvm

func (p *parser) parseGlobal() {
	name := p.tok
	p.next()
	p.expect('=')
	gv := &globalVar{dbg: -1}
	link := linkExternal
	decl := false
	for {
		if !p.is(tWord) {
			p.unexpected("'global', 'constant' or 'alias'")
		}
		w := p.tok.text
		p.next()
		switch w {
		case "global", "constant":
			gv.isConst = w == "constant"
			p.globalBody(name, gv, link, decl)
			return
		case "alias", "ifunc":
			p.aliasBody(name, w, link)
			return
		case "thread_local":
			gv.tls = true
		case "external", "extern_weak":
			decl = true
		}
		if l, ok := linkages[w]; ok {
			link = l
		}
		if p.is('(') {
			p.skipParens()
		}
	}
}

var linkages = map[string]linkage{
	"private": linkLocal, "internal": linkLocal, "weak": linkWeak, "weak_odr": linkWeak, "common": linkWeak,
	"linkonce": linkOnce, "linkonce_odr": linkOnce, "available_externally": linkAvailable,
	"appending": linkAppending, "extern_weak": linkExternWeak, "external": linkExternal,
}

func (p *parser) globalBody(name token, gv *globalVar, link linkage, decl bool) {
	s := p.define(name, symVar)
	s.link, s.gv, s.decl = link, gv, decl
	gv.typ = p.parseType()
	if gv.typ.kind == kVoid || gv.typ.kind == kLabel || gv.typ.kind == kMetadata || gv.typ.kind == kFunc {
		p.fail(name.pos, "a global can't have type '%s'", gv.typ)
	}
	if !decl {
		gv.init = p.parseValue(gv.typ)
		gv.hasInit = true
		if gv.init.kind == vLocal {
			p.fail(name.pos, "initialiser is not a constant")
		}
	}
	for {
		if p.accept(',') {
			p.globalProperty(gv)
		} else if !p.accept(tHash) {
			break
		}
	}
	s.refs = p.refs
	switch name.text {
	case "llvm.global_ctors":
		p.m.ctors = append(p.m.ctors, ctors(s)...)
	case "llvm.global_dtors":
		p.m.dtors = append(p.m.dtors, ctors(s)...)
	}
}

func (p *parser) globalProperty(gv *globalVar) {
	switch p.tok.kind {
	case tMeta:
		w := p.tok.text
		p.next()
		n := p.metaRef()
		if w == "dbg" && gv.dbg < 0 {
			gv.dbg = n
		}
	case tWord:
		w := p.tok.text
		p.next()
		switch {
		case w == "align":
			if !p.is(tInt) {
				p.unexpected("a number")
			}
			gv.align = p.alignment()
			p.next()
		case p.is('('):
			p.skipParens()
		case p.is(tString):
			p.next()
		}
	default:
		p.unexpected("a property of the global")
	}
}

// ctors reads [n x { i32, ptr, ptr }]. An entry that is not a function is left out.
func ctors(s *symbol) (list []ctor) {
	v := s.gv.init
	if v.kind != vConst || v.c.kind != cElems {
		return nil
	}
	for _, e := range v.c.elems {
		if e.kind != vConst || e.c.kind != cElems || len(e.c.elems) < 2 {
			continue
		}
		f := e.c.elems[1]
		for f.kind == vConst && f.c.kind == cExpr && f.c.expr.noop {
			f = f.c.expr.args[0]
		}
		if f.kind == vConst && f.c.kind == cGlobal {
			list = append(list, ctor{int64(e.c.elems[0].bits), f.c.sym})
		}
	}
	return list
}

func (p *parser) aliasBody(name token, w string, link linkage) {
	kind := symAlias
	if w == "ifunc" {
		kind = symIFunc
	}
	s := p.define(name, kind)
	s.link = link
	p.parseType()
	p.expect(',')
	if p.typeStarts() {
		s.aliasee = p.parseTypedValue()
	} else { // alias i8, bitcast (…)
		s.aliasee = p.parseValue(p.ptr)
	}
	if s.aliasee.kind == vLocal {
		p.fail(name.pos, "aliasee is not a constant")
	}
	for p.accept(',') {
		p.expectWord("partition")
		p.expect(tString)
	}
	s.refs = p.refs
}
