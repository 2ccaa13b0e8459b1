package llvm

import "strings"

// parseCall reads a call or invoke behind its mnemonic. args[0] becomes the callee, in.elem the
// function type.
func (p *parser) parseCall(in *inst, op opcode) {
	in.op = op
	p.skipAttrs(p.isTypeWord) // fast-math flags, calling convention, attributes of the result
	pos := p.tok.pos
	t := p.parseType()
	ft := t
	if t.kind != kFunc {
		ft = &Type{kind: kFunc, elem: t}
	}
	in.typ = ft.elem
	if in.typ.kind == kLabel || in.typ.kind == kMetadata || in.typ.kind == kFunc {
		p.fail(pos, "call that returns '%s'", in.typ)
	}
	if name := p.tok; name.kind == tGlobal && strings.HasPrefix(name.text, "llvm.dbg.") {
		p.next()
		if !p.is('(') {
			p.unexpected("'('")
		}
		p.parseDeclare(name.text == "llvm.dbg.declare", locFollows)
		in.op = opNothing
		p.callTail(in, op)
		return
	}
	callee := p.parseValue(p.ptr)
	in.args = append(make([]value, 0, 4), callee)
	p.expect('(')
	for !p.is(')') {
		v, by := p.argument()
		if by.typ != nil {
			if in.byval == nil {
				in.byval = map[int]byval{}
			}
			in.byval[len(in.args)-1] = by
		}
		in.args = append(in.args, v)
		if !p.accept(',') {
			break
		}
	}
	p.expect(')')
	if t.kind == kFunc {
		p.checkArgs(pos, ft, in.args[1:])
	} else {
		for _, a := range in.args[1:] {
			ft.fields = append(ft.fields, a.typ)
		}
	}
	in.elem = ft
	if callee.kind == vConst && callee.c.kind == cGlobal {
		for _, name := range impliedCalls(callee.c.sym.name) {
			p.noteSymbol(name)
		}
	}
	p.callTail(in, op)
}

func (p *parser) checkArgs(pos int32, ft *Type, args []value) {
	if len(args) < len(ft.fields) || len(args) > len(ft.fields) && !ft.variadic {
		p.fail(pos, "%d arguments for a function of type '%s'", len(args), ft)
	}
	for i, t := range ft.fields {
		if !sameType(t, args[i].typ) {
			p.fail(pos, "argument %d has type '%s', expected '%s'", i+1, args[i].typ, t)
		}
	}
}

// argument reads one argument of a call.
func (p *parser) argument() (v value, by byval) {
	pos := p.tok.pos
	t := p.parseType()
	if t.kind == kMetadata {
		return p.metaValue(), by
	}
	if !t.isFirst() && t.kind != kToken && t.kind != kOpaque && t.kind != kLabel {
		p.fail(pos, "'%s' is not the type of an argument", t)
	}
	if p.is(tWord) || p.is(tString) {
		by = p.skipAttrs(isValueWord)
	}
	if t.kind == kLabel {
		p.blockRef(p.expect(tLocal))
		return value{typ: t, kind: vZero}, by
	}
	return p.parseValue(t), by
}

// callTail reads attributes, operand bundles and the destinations of an invoke.
func (p *parser) callTail(in *inst, op opcode) {
	p.skipAttrs(func(w string) bool { return p.fnEnds(w, op) })
	if p.is('[') {
		p.skipParens()
	}
	if op != opInvoke {
		return
	}
	p.expectWord("to")
	a := p.parseLabel()
	p.expectWord("unwind")
	in.blocks = []int32{a, p.parseLabel()}
}

// fnEnds reports whether the word w is not an attribute of a call. What follows a call is
// another instruction, so the words that begin one stop the attributes.
func (p *parser) fnEnds(w string, op opcode) bool {
	if op == opInvoke {
		return w == "to"
	}
	return w == "to" || isInstWord(w)
}

func isInstWord(w string) bool {
	if _, ok := binOps[w]; ok {
		return true
	}
	if _, ok := castOps[w]; ok {
		return true
	}
	if _, ok := unaryOps[w]; ok {
		return true
	}
	switch w {
	case "load", "store", "call", "tail", "musttail", "notail", "invoke", "callbr", "br", "ret", "getelementptr",
		"icmp", "fcmp", "alloca", "phi", "select", "switch", "unreachable", "cmpxchg", "atomicrmw", "fence",
		"extractvalue", "insertvalue", "extractelement", "insertelement", "shufflevector", "freeze", "va_arg",
		"landingpad", "resume", "indirectbr", "catchpad", "cleanuppad", "catchswitch", "catchret", "cleanupret",
		"uselistorder", "uselistorder_bb":
		return true
	}
	return false
}
