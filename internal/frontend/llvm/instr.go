package llvm

import (
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

var binOps = map[string]ir.Op{
	"add": ir.Add, "sub": ir.Sub, "mul": ir.Mul, "udiv": ir.UDiv, "sdiv": ir.SDiv, "urem": ir.URem, "srem": ir.SRem,
	"shl": ir.Shl, "lshr": ir.LShr, "ashr": ir.AShr, "and": ir.And, "or": ir.Or, "xor": ir.Xor,
	"fadd": ir.FAdd, "fsub": ir.FSub, "fmul": ir.FMul, "fdiv": ir.FDiv, "frem": ir.FRem,
}

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
		p.skipFlags()
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
		p.expect(',')
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
	case "fneg":
		p.skipFlags()
		v := p.parseTypedValue()
		if !v.typ.scalar().isFloat() && !v.typ.isOpaque() {
			p.fail(op.pos, "fneg of '%s'", v.typ)
		}
		in.op, in.typ, in.args = opFNeg, v.typ, []value{v}
	case "va_arg":
		p.parseTypedValue()
		p.expect(',')
		in.op, in.what, in.typ = opUnsupported, w, p.parseType()
	case "landingpad":
		p.parseLandingPad(in)
	case "resume":
		p.parseTypedValue()
		in.op, in.what = opUnsupportedTerm, w
	case "indirectbr":
		p.parseTypedValue()
		p.expect(',')
		p.labelList()
		in.op, in.what = opUnsupportedTerm, w
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
		p.fail(op.pos, "unknown instruction '%s'", w)
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

func (p *parser) finishBin(in *inst, sub ir.Op, a, b value) {
	t := a.typ.scalar()
	if !sameType(a.typ, b.typ) {
		p.fail(in.pos, "operands of types '%s' and '%s'", a.typ, b.typ)
	}
	if !a.typ.isOpaque() && (sub >= ir.FAdd && !t.isFloat() || sub < ir.FAdd && t.kind != kInt) {
		p.fail(in.pos, "%s of type '%s'", sub, a.typ)
	}
	in.op, in.sub, in.typ, in.args = opBin, sub, a.typ, []value{a, b}
}

func (p *parser) finishCmp(in *inst, pred ir.Pred, a, b value) {
	t := a.typ.scalar()
	in.op = opICmp
	if pred >= ir.FFalse {
		in.op = opFCmp
	}
	if !sameType(a.typ, b.typ) {
		p.fail(in.pos, "operands of types '%s' and '%s'", a.typ, b.typ)
	}
	if !a.typ.isOpaque() && (in.op == opFCmp) != t.isFloat() || a.typ.isAggregate() {
		p.fail(in.pos, "comparison of type '%s'", a.typ)
	}
	in.pred, in.args, in.typ = pred, []value{a, b}, p.boolLike(a.typ)
}

// boolLike returns i1, or the vector of i1 with as many elements as t.
func (p *parser) boolLike(t *Type) *Type {
	switch t.kind {
	case kVector:
		return &Type{kind: kVector, len: t.len, elem: p.intType(1)}
	case kOpaque:
		return &Type{kind: kOpaque, name: "vector of i1"}
	}
	return p.intType(1)
}

func (p *parser) finishCast(in *inst, sub ir.Op, v value, to *Type) {
	in.op, in.sub, in.typ, in.args = opCast, sub, to, []value{v}
	if v.typ.isOpaque() || to.isOpaque() {
		return
	}
	a, b := v.typ.scalar(), to.scalar()
	ok := a.isScalar() && b.isScalar()
	lanes := v.typ.kind == to.kind || v.typ.kind != kVector && to.kind != kVector
	if v.typ.kind == kVector && to.kind == kVector {
		lanes = v.typ.len == to.len
	}
	ab, bb := a.scalarBits(), b.scalarBits()
	isInt := func(t *Type) bool { return t.kind == kInt || t.kind == kPtr }
	switch sub {
	case ir.Trunc:
		ok = ok && lanes && a.kind == kInt && b.kind == kInt && ab > bb
	case ir.ZExt, ir.SExt: // also ptrtoint, inttoptr
		ok = ok && lanes && isInt(a) && isInt(b)
		switch {
		case ab == bb:
			in.noop = true
		case ab > bb:
			in.sub = ir.Trunc
		}
		if a.kind == kInt && b.kind == kInt && ab >= bb {
			ok = false
		}
	case ir.Copy:
		n, m := uint64(ab)*uint64(v.typ.lanes()), uint64(bb)*uint64(to.lanes())
		ok = ok && n == m
		in.noop = ab == bb
	case ir.FPToUI, ir.FPToSI:
		ok = ok && lanes && a.isFloat() && b.kind == kInt
	case ir.UIToFP, ir.SIToFP:
		ok = ok && lanes && a.kind == kInt && b.isFloat()
	case ir.FPTrunc:
		ok = ok && lanes && a.isFloat() && b.isFloat() && ab > bb
	case ir.FPExt:
		ok = ok && lanes && a.isFloat() && b.isFloat() && ab < bb
	}
	if !ok {
		p.fail(in.pos, "wrong cast from '%s' to '%s'", v.typ, to)
	}
}

func (p *parser) finishGEP(in *inst, t *Type, args []value) {
	in.op, in.elem, in.args, in.typ = opGEP, t, args, ptrType
	if t.kind == kVoid || t.kind == kFunc && len(args) > 1 {
		p.fail(in.pos, "getelementptr into '%s'", t)
	}
	for i, a := range args {
		s := a.typ.scalar()
		if a.typ.isOpaque() {
			in.typ = a.typ
			return
		}
		if i == 0 && s.kind != kPtr || i > 0 && s.kind != kInt {
			p.fail(in.pos, "wrong operand of type '%s'", a.typ)
		}
		if a.typ.kind == kVector {
			if in.typ.kind == kVector && in.typ.len != a.typ.len {
				p.fail(in.pos, "vectors of different lengths")
			}
			in.typ = &Type{kind: kVector, len: a.typ.len, elem: ptrType}
		}
	}
}

func (p *parser) finishSelect(in *inst, args []value) {
	if len(args) != 3 || !sameType(args[1].typ, args[2].typ) {
		p.fail(in.pos, "wrong operands of select")
	}
	c := args[0].typ
	s := c.scalar()
	if !c.isOpaque() && (s.kind != kInt || s.bits != 1 || c.kind == kVector && (args[1].typ.kind != kVector || args[1].typ.len != c.len)) {
		p.fail(in.pos, "condition of type '%s'", c)
	}
	in.op, in.typ, in.args = opSelect, args[1].typ, args
}

func (p *parser) finishExtractElement(in *inst, args []value) {
	if len(args) == 2 && args[0].typ.isOpaque() {
		p.fail(in.pos, "elements of '%s' are not supported", args[0].typ)
	}
	if len(args) != 2 || args[0].typ.kind != kVector || args[1].typ.kind != kInt {
		p.fail(in.pos, "wrong operands of extractelement")
	}
	in.op, in.typ, in.args = opExtractElement, args[0].typ.elem, args
}

func (p *parser) finishInsertElement(in *inst, args []value) {
	if len(args) == 3 && args[0].typ.isOpaque() {
		in.op, in.typ, in.what = opUnsupported, args[0].typ, "insertelement into "+args[0].typ.String()
		return
	}
	if len(args) != 3 || args[0].typ.kind != kVector || !sameType(args[0].typ.elem, args[1].typ) || args[2].typ.kind != kInt {
		p.fail(in.pos, "wrong operands of insertelement")
	}
	in.op, in.typ, in.args = opInsertElement, args[0].typ, args
}

func (p *parser) finishShuffle(in *inst, args []value) {
	if len(args) == 3 && args[0].typ.isOpaque() {
		in.op, in.typ, in.what = opUnsupported, args[2].typ, "shufflevector of "+args[0].typ.String()
		return
	}
	if len(args) != 3 || args[0].typ.kind != kVector || !sameType(args[0].typ, args[1].typ) ||
		args[2].typ.kind != kVector || args[2].typ.elem.kind != kInt || args[2].kind == vLocal {
		p.fail(in.pos, "wrong operands of shufflevector")
	}
	in.op, in.args = opShuffle, args
	in.typ = &Type{kind: kVector, len: args[2].typ.len, elem: args[0].typ.elem}
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
	in.op, in.typ, in.elem = opAlloca, ptrType, p.parseType()
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
	in.op, in.what, in.typ = opUnsupported, "landingpad", p.parseType()
	p.acceptWord("cleanup")
	for p.isWord("catch") || p.isWord("filter") {
		p.next()
		p.parseTypedValue()
	}
}

func (p *parser) parseCallBr(in *inst) {
	p.parseCall(in, opCall)
	p.expectWord("to")
	p.parseLabel()
	p.labelList()
	in.op, in.what = opUnsupportedTerm, "callbr"
}

// noteSymbol makes the function being parsed depend on a symbol it does not mention.
func (p *parser) noteSymbol(name string) {
	s := p.symbol(name, p.tok.pos)
	s.implied = true
	p.refs = append(p.refs, s)
}

// ordering reads a memory ordering.
func (p *parser) ordering() event.Mode {
	if p.is(tWord) {
		if m, ok := orderings[p.tok.text]; ok {
			p.next()
			return m
		}
	}
	p.unexpected("a memory ordering")
	return 0
}

var orderings = map[string]event.Mode{
	"unordered": event.Rlx, "monotonic": event.Rlx, "acquire": event.Acq, "release": event.Rel,
	"acq_rel": event.AcqRel, "seq_cst": event.SC,
}

func (p *parser) syncScope(in *inst) {
	if p.acceptWord("syncscope") {
		p.expect('(')
		in.single = p.expect(tString).text == "singlethread"
		p.expect(')')
	}
}

func (p *parser) pointer() value {
	pos := p.tok.pos
	v := p.parseTypedValue()
	if v.typ.kind != kPtr {
		p.fail(pos, "'%s' is not a pointer", v.typ)
	}
	return v
}

func (p *parser) parseLoad(in *inst) {
	in.op = opLoad
	atomic := p.acceptWord("atomic")
	in.volatile = p.acceptWord("volatile")
	pos := p.tok.pos
	in.typ = p.parseType()
	if !in.typ.isFirst() && !in.typ.isOpaque() {
		p.fail(pos, "load of '%s'", in.typ)
	}
	p.expect(',')
	in.args = []value{p.pointer()}
	if atomic {
		p.syncScope(in)
		in.mode = p.ordering()
	}
}

func (p *parser) parseStore(in *inst) {
	in.op = opStore
	atomic := p.acceptWord("atomic")
	in.volatile = p.acceptWord("volatile")
	v := p.parseTypedValue()
	p.expect(',')
	in.args = []value{v, p.pointer()}
	if atomic {
		p.syncScope(in)
		in.mode = p.ordering()
	}
}

func (p *parser) parseCmpXchg(in *inst) {
	in.op = opCmpXchg
	in.weak = p.acceptWord("weak")
	in.volatile = p.acceptWord("volatile")
	ptr := p.pointer()
	p.expect(',')
	pos := p.tok.pos
	old := p.parseTypedValue()
	p.expect(',')
	repl := p.parseTypedValue()
	if !sameType(old.typ, repl.typ) || old.typ.kind != kInt && old.typ.kind != kPtr {
		p.fail(pos, "cmpxchg of '%s' and '%s'", old.typ, repl.typ)
	}
	in.args = []value{ptr, old, repl}
	p.syncScope(in)
	in.mode = p.ordering()
	in.fail = p.ordering()
	in.typ = &Type{kind: kStruct, defined: true, fields: []*Type{old.typ, p.intType(1)}}
}

var rmwOps = map[string]event.RMWOp{
	"xchg": event.Xchg, "add": event.Add, "sub": event.Sub, "and": event.And, "nand": event.Nand, "or": event.Or,
	"xor": event.Xor, "max": event.Max, "min": event.Min, "umax": event.UMax, "umin": event.UMin,
	"fadd": event.FAdd, "fsub": event.FSub, "fmax": event.FMax, "fmin": event.FMin,
	"uinc_wrap": event.UIncWrap, "udec_wrap": event.UDecWrap,
}

func (p *parser) parseRMW(in *inst) {
	in.op = opRMW
	in.volatile = p.acceptWord("volatile")
	w := p.expect(tWord)
	op, known := rmwOps[w.text]
	in.rmw = op
	ptr := p.pointer()
	p.expect(',')
	v := p.parseTypedValue()
	in.args, in.typ = []value{ptr, v}, v.typ
	p.syncScope(in)
	in.mode = p.ordering()
	float := strings.HasPrefix(w.text, "f")
	switch {
	case !known || v.typ.kind == kVector || v.typ.kind == kHalf || v.typ.kind == kBFloat || v.typ.isOpaque():
		in.op, in.what = opUnsupported, "atomicrmw "+w.text+" of "+v.typ.String()
	case !v.typ.isScalar() || op != event.Xchg && float != v.typ.isFloat() || op != event.Xchg && v.typ.kind == kPtr:
		p.fail(w.pos, "atomicrmw %s of '%s'", w.text, v.typ)
	}
}
