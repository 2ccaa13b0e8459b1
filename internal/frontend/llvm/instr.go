package llvm

import "ravel/internal/ir"

var binOps = map[string]ir.Op{
	"add": ir.Add, "sub": ir.Sub, "mul": ir.Mul, "udiv": ir.UDiv, "sdiv": ir.SDiv, "urem": ir.URem, "srem": ir.SRem,
	"shl": ir.Shl, "lshr": ir.LShr, "ashr": ir.AShr, "and": ir.And, "or": ir.Or, "xor": ir.Xor,
	"fadd": ir.FAdd, "fsub": ir.FSub, "fmul": ir.FMul, "fdiv": ir.FDiv, "frem": ir.FRem,
}

// unaryOps are the instructions with one operand that are one operation of the ir.
var unaryOps = map[string]ir.Op{"fneg": ir.FNeg}

// castOps has ir.Copy for the casts that change no bits.
var castOps = map[string]ir.Op{
	"trunc": ir.Trunc, "zext": ir.ZExt, "sext": ir.SExt, "fptoui": ir.FPToUI, "fptosi": ir.FPToSI,
	"uitofp": ir.UIToFP, "sitofp": ir.SIToFP, "fptrunc": ir.FPTrunc, "fpext": ir.FPExt,
	"ptrtoint": ir.ZExt, "ptrtoaddr": ir.ZExt, "inttoptr": ir.ZExt, "bitcast": ir.Copy, "addrspacecast": ir.Copy,
}

// parseInst reads one instruction with its attachments.
func (p *parser) parseInst(in *inst) {
	in.res, in.dbg, in.pos = -1, -1, p.tok.pos
	var name token
	if p.is(tLocal) {
		name = p.tok
		p.next()
		p.expect('=')
	}
	op := p.expect(tWord)
	p.operation(in, op)
	if in.typ == nil {
		in.typ = voidType
	}
	switch {
	case name.kind == tLocal && in.typ.kind == kVoid:
		p.fail(name.pos, "'%s' has no result to name", op.text)
	case name.kind == tLocal:
		in.res = p.localDef(name, in.typ)
	case in.typ.kind != kVoid:
		in.res = p.localDef(token{text: numberedName(p.fn.unnamed), pos: in.pos}, in.typ)
	}
	for p.accept(',') {
		p.attachment(in)
	}
	if n := len(p.fn.f.declares); n > 0 && p.fn.f.declares[n-1].loc == locFollows {
		p.fn.f.declares[n-1].loc = in.dbg
	}
}

// attachment reads one of the parts that follow the operands: align 4, !dbg !5 …
func (p *parser) attachment(in *inst) {
	switch {
	case p.is(tMeta):
		w := p.tok.text
		p.next()
		if n := p.metaRef(); w == "dbg" {
			in.dbg = n
		}
	case p.acceptWord("align"):
		if !p.is(tInt) {
			p.unexpected("a number")
		}
		in.align = p.alignment()
		p.next()
	case p.is(tWord):
		p.next()
		if p.is('(') {
			p.skipParens()
		}
	default:
		p.unexpected("an attachment")
	}
}

// comma reports whether a comma with another operand follows; a comma in front of an
// attachment is left alone.
func (p *parser) comma() bool {
	if !p.is(',') {
		return false
	}
	lx, tok := p.lx, p.tok
	p.next()
	if p.typeStarts() {
		return true
	}
	p.lx, p.tok = lx, tok
	return false
}

func (p *parser) operation(in *inst, op token) {
	w := op.text
	if sub, ok := binOps[w]; ok {
		in.check = p.skipFlags()
		a := p.parseTypedValue()
		p.expect(',')
		p.finishBin(in, sub, a, p.parseValue(a.typ))
		return
	}
	if sub, ok := castOps[w]; ok {
		p.skipFlags()
		v := p.parseTypedValue()
		p.expectWord("to")
		p.finishCast(in, sub, v, p.parseType())
		return
	}
	switch w {
	case "load":
		p.parseLoad(in)
	case "store":
		p.parseStore(in)
	case "call":
		p.parseCall(in, opCall)
	case "tail", "musttail", "notail":
		p.expectWord("call")
		p.parseCall(in, opCall)
	case "invoke":
		p.parseCall(in, opInvoke)
	case "callbr":
		p.parseCallBr(in)
	case "br":
		p.parseBr(in)
	case "ret":
		p.parseRet(in)
	case "getelementptr":
		p.skipFlags()
		t := p.parseType()
		p.afterType("getelementptr")
		args := []value{p.parseTypedValue()}
		for p.comma() {
			args = append(args, p.parseTypedValue())
		}
		p.finishGEP(in, t, args)
	case "icmp", "fcmp":
		p.skipFlags()
		pred := p.parsePred(w == "fcmp")
		a := p.parseTypedValue()
		p.expect(',')
		p.finishCmp(in, pred, a, p.parseValue(a.typ))
	case "alloca":
		p.parseAlloca(in)
	case "phi":
		p.parsePhi(in)
	case "select":
		p.skipFlags()
		p.finishSelect(in, p.threeValues())
	case "switch":
		p.parseSwitch(in)
	case "unreachable":
		in.op = opUnreachable
	default:
		p.rareOperation(in, op)
	}
}

func (p *parser) rareOperation(in *inst, op token) {
	w := op.text
	switch w {
	case "cmpxchg":
		p.parseCmpXchg(in)
	case "atomicrmw":
		p.parseRMW(in)
	case "fence":
		in.op = opFence
		p.syncScope(in)
		in.mode = p.ordering()
	case "extractvalue", "insertvalue":
		p.parseElementOp(in, w == "insertvalue")
	case "extractelement":
		a := p.parseTypedValue()
		p.expect(',')
		p.finishExtractElement(in, []value{a, p.parseTypedValue()})
	case "insertelement":
		p.finishInsertElement(in, p.threeValues())
	case "shufflevector":
		p.finishShuffle(in, p.threeValues())
	case "freeze":
		v := p.parseTypedValue()
		in.op, in.typ, in.args = opFreeze, v.typ, []value{v}
	case "va_arg":
		p.parseTypedValue()
		p.expect(',')
		in.op, in.what, in.typ = opUnsupported, w, p.parseType()
	case "landingpad":
		p.parseLandingPad(in)
	case "resume":
		in.op, in.args = opResume, []value{p.parseTypedValue()}
	case "indirectbr":
		p.parseIndirectBr(in)
	case "catchpad", "cleanuppad":
		p.expectWord("within")
		p.skipPadParent()
		p.expect('[')
		for !p.is(']') {
			p.parseTypedValue()
			if !p.accept(',') {
				break
			}
		}
		p.expect(']')
		in.op, in.what, in.typ = opUnsupported, w, tokenType
	case "catchswitch":
		p.expectWord("within")
		p.skipPadParent()
		p.labelList()
		p.unwind()
		in.op, in.what, in.typ = opUnsupportedTerm, w, tokenType
	case "catchret", "cleanupret":
		p.expectWord("from")
		p.parseValue(tokenType)
		if !p.acceptWord("to") {
			p.unwind()
		} else {
			p.parseLabel()
		}
		in.op, in.what = opUnsupportedTerm, w
	default:
		sub, ok := unaryOps[w]
		if !ok {
			p.fail(op.pos, "unknown instruction '%s'", w)
		}
		p.skipFlags()
		p.finishUnary(in, sub, p.parseTypedValue())
	}
}

func (p *parser) skipPadParent() { p.parseValue(tokenType) }

func (p *parser) unwind() {
	p.expectWord("unwind")
	if p.acceptWord("to") {
		p.expectWord("caller")
		return
	}
	p.parseLabel()
}

func (p *parser) parseIndirectBr(in *inst) {
	in.op, in.args = opIndirectBr, []value{p.parseTypedValue()}
	p.expect(',')
	p.expect('[')
	for !p.is(']') {
		p.expectWord("label")
		tok := p.expect(tLocal)
		in.blocks = append(in.blocks, p.blockRef(tok))
		in.args = append(in.args, value{typ: p.ptr, kind: vInt, bits: p.m.addressOf(label{p.fn.name, tok.text})})
		if !p.accept(',') {
			break
		}
	}
	p.expect(']')
}

func (p *parser) labelList() {
	p.expect('[')
	for !p.is(']') {
		p.parseLabel()
		if !p.accept(',') {
			break
		}
	}
	p.expect(']')
}

func (p *parser) threeValues() []value {
	a := p.parseTypedValue()
	p.expect(',')
	b := p.parseTypedValue()
	p.expect(',')
	return []value{a, b, p.parseTypedValue()}
}

// parseElementOp reads the operands of extractvalue and insertvalue.
func (p *parser) parseElementOp(in *inst, insert bool) {
	agg := p.parseTypedValue()
	in.op, in.args = opExtractValue, []value{agg}
	if insert {
		p.expect(',')
		in.op, in.args = opInsertValue, []value{agg, p.parseTypedValue()}
	}
	t := agg.typ
	for p.is(',') {
		lx, tok := p.lx, p.tok
		p.next()
		if !p.is(tInt) {
			p.lx, p.tok = lx, tok
			break
		}
		pos := p.tok.pos
		i := p.parseNumber(1 << 31)
		switch {
		case t.kind == kStruct && i < uint64(len(t.fields)):
			t = t.fields[i]
		case t.kind == kArray && i < t.len:
			t = t.elem
		default:
			p.fail(pos, "'%s' has no element %d", t, i)
		}
		in.index = append(in.index, int(i))
	}
	if in.index == nil {
		p.unexpected("an index")
	}
	in.typ = t
	if insert {
		if !sameType(t, in.args[1].typ) {
			p.fail(in.pos, "inserting '%s' where '%s' is expected", in.args[1].typ, t)
		}
		in.typ = agg.typ
	}
}

func (p *parser) parseBr(in *inst) {
	if p.isWord("label") {
		in.op, in.blocks = opBr, []int32{p.parseLabel()}
		return
	}
	pos := p.tok.pos
	c := p.parseTypedValue()
	if c.typ.kind != kInt || c.typ.bits != 1 {
		p.fail(pos, "condition of type '%s'", c.typ)
	}
	p.expect(',')
	a := p.parseLabel()
	p.expect(',')
	in.op, in.args, in.blocks = opCondBr, []value{c}, []int32{a, p.parseLabel()}
}

func (p *parser) parseRet(in *inst) {
	in.op = opRet
	pos := p.tok.pos
	want := p.fn.f.typ.elem
	t := p.parseType()
	if t.kind != kVoid {
		in.args = []value{p.parseValue(t)}
	}
	if !sameType(t, want) {
		p.fail(pos, "returning '%s' from a function of type '%s'", t, want)
	}
}

func (p *parser) parseSwitch(in *inst) {
	pos := p.tok.pos
	v := p.parseTypedValue()
	if v.typ.kind != kInt {
		p.fail(pos, "switch on '%s'", v.typ)
	}
	p.expect(',')
	in.op, in.args, in.blocks = opSwitch, []value{v}, []int32{p.parseLabel()}
	p.expect('[')
	for !p.is(']') {
		pos := p.tok.pos
		c := p.parseTypedValue()
		if !sameType(c.typ, v.typ) || c.kind == vLocal {
			p.fail(pos, "wrong case")
		}
		p.expect(',')
		in.args = append(in.args, c)
		in.blocks = append(in.blocks, p.parseLabel())
	}
	p.expect(']')
}

func (p *parser) parsePhi(in *inst) {
	p.skipFlags()
	in.op, in.typ = opPhi, p.parseType()
	if !in.typ.isFirst() && !in.typ.isOpaque() && in.typ.kind != kToken {
		p.fail(in.pos, "phi of '%s'", in.typ)
	}
	for {
		p.expect('[')
		in.args = append(in.args, p.parseValue(in.typ))
		p.expect(',')
		in.blocks = append(in.blocks, p.blockRef(p.expect(tLocal)))
		p.expect(']')
		lx, tok := p.lx, p.tok
		if !p.accept(',') {
			return
		}
		if !p.is('[') {
			p.lx, p.tok = lx, tok
			return
		}
	}
}

func (p *parser) parseAlloca(in *inst) {
	p.acceptWord("inalloca")
	p.acceptWord("swifterror")
	pos := p.tok.pos
	in.op, in.typ, in.elem = opAlloca, p.ptr, p.parseType()
	if !in.elem.isFirst() && !in.elem.isOpaque() {
		p.fail(pos, "alloca of '%s'", in.elem)
	}
	if p.comma() {
		n := p.parseTypedValue()
		if n.typ.kind != kInt || n.typ.bits > 64 {
			p.fail(pos, "number of elements of type '%s'", n.typ)
		}
		in.args = []value{n}
	}
}

func (p *parser) parseLandingPad(in *inst) {
	in.op, in.typ = opLandingPad, p.parseType()
	in.volatile = p.acceptWord("cleanup")
	for p.isWord("catch") || p.isWord("filter") {
		kind := clauseCatch
		if p.isWord("filter") {
			kind = clauseFilter
		}
		p.next()
		in.index = append(in.index, kind)
		in.args = append(in.args, p.parseTypedValue())
	}
}

// The kinds of clauses of a landing pad.
const (
	clauseCatch = iota
	clauseFilter
)

func (p *parser) parseCallBr(in *inst) {
	p.parseCall(in, opCall)
	p.expectWord("to")
	in.op, in.blocks = opCallBr, []int32{p.parseLabel()}
	p.expect('[')
	for !p.is(']') {
		in.blocks = append(in.blocks, p.parseLabel())
		if !p.accept(',') {
			break
		}
	}
	p.expect(']')
	if callee := in.args[0]; callee.kind != vConst || callee.c.kind != cAsm {
		p.fail(in.pos, "callbr of something else than inline assembly")
	}
}

// noteSymbol makes the function being parsed depend on a symbol it does not mention.
func (p *parser) noteSymbol(name string) {
	s := p.symbol(name, p.tok.pos)
	s.implied = true
	p.refs = append(p.refs, s)
}
