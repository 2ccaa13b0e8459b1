package llvm

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"ravel/internal/ir"
)

// isValueWord reports whether w begins a constant; in argument lists every other word is an
// attribute.
func isValueWord(w string) bool {
	switch w {
	case "true", "false", "null", "none", "undef", "poison", "zeroinitializer", "splat", "blockaddress",
		"dso_local_equivalent", "no_cfi", "ptrauth", "asm", "getelementptr", "icmp", "fcmp", "select",
		"extractvalue", "insertvalue", "extractelement", "insertelement", "shufflevector":
		return true
	}
	if w[0] < 'a' {
		return false
	}
	_, bin := binOps[w]
	_, cast := castOps[w]
	_, unary := unaryOps[w]
	return bin || cast || unary
}

func (p *parser) parseTypedValue() value {
	pos := p.tok.pos
	t := p.parseType()
	if t.kind == kMetadata {
		return p.metaValue()
	}
	if !t.isFirst() && t.kind != kToken && t.kind != kLabel && t.kind != kOpaque {
		p.fail(pos, "'%s' is not the type of a value", t)
	}
	return p.parseValue(t)
}

// metaValue skips metadata used as a value.
func (p *parser) metaValue() value {
	depth := 0
	for {
		switch p.tok.kind {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth == 0 {
				return value{typ: metaType, kind: vZero}
			}
			depth--
		case ',':
			if depth == 0 {
				return value{typ: metaType, kind: vZero}
			}
		case tEOF:
			p.unexpected("')'")
		}
		p.next()
	}
}

func constOf(t *Type, c constant) value {
	return value{typ: t, kind: vConst, c: &c}
}

// parseValue reads a value of type t.
func (p *parser) parseValue(t *Type) value {
	tok := p.tok
	switch tok.kind {
	case tLocal:
		p.next()
		return p.localUse(tok, t)
	case tGlobal:
		p.next()
		if t.kind != kPtr {
			p.fail(tok.pos, "global '@%s' is not of type '%s'", tok.text, t)
		}
		s := p.symbol(tok.text, tok.pos)
		p.refs = append(p.refs, s)
		return value{typ: t, kind: vConst, c: p.globalConst(s)}
	case tInt:
		p.next()
		return p.intConst(tok, t)
	case tFloat:
		p.next()
		return p.floatConst(tok, t)
	case tCString:
		p.next()
		s := unescape(tok.text)
		if t.kind != kArray || t.elem.kind != kInt || t.elem.bits != 8 || t.len != uint64(len(s)) {
			p.fail(tok.pos, "a string of %d bytes is not of type '%s'", len(s), t)
		}
		return constOf(t, constant{kind: cBytes, text: s})
	case '[', '{', '<':
		return p.aggregate(t)
	case tWord:
		return p.wordValue(tok, t)
	}
	p.unexpected("a value")
	return value{}
}

// globalConst returns the one constant that is the address of s.
func (p *parser) globalConst(s *symbol) *constant {
	if s.addr == nil {
		s.addr = &constant{kind: cGlobal, sym: s}
	}
	return s.addr
}

func (p *parser) intConst(tok token, t *Type) value {
	if t.kind != kInt {
		p.fail(tok.pos, "a number is not of type '%s'", t)
	}
	text, base := tok.text, 10
	if text[0] == 'u' || text[0] == 's' {
		text, base = text[3:], 16
	}
	if t.bits <= 64 && base == 10 {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return value{typ: t, kind: vInt, bits: maskTo(uint64(n), t.bits)}
		}
	}
	n, ok := new(big.Int).SetString(text, base)
	if !ok || len(text) > 4000 {
		p.fail(tok.pos, "malformed number '%s'", text)
	}
	if tok.text[0] == 's' && n.Bit(4*len(text)-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(4*len(text))))
	}
	words := bigWords(n, t.bits)
	if t.bits <= 64 {
		return value{typ: t, kind: vInt, bits: words[0]}
	}
	return constOf(t, constant{kind: cWords, words: words, evaluated: true})
}

// bigWords returns the two's complement of n in 64-bit words, low word first.
func bigWords(n *big.Int, bits int) []uint64 {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	n = new(big.Int).Mod(n, mod)
	words := make([]uint64, (bits+63)/64)
	mask := new(big.Int).SetUint64(math.MaxUint64)
	for i := range words {
		words[i] = new(big.Int).And(n, mask).Uint64()
		n.Rsh(n, 64)
	}
	return words
}

func maskTo(v uint64, bits int) uint64 {
	if bits >= 64 {
		return v
	}
	return v & (1<<bits - 1)
}

// floatConst reads 1.5e+00, 0x3FF8000000000000 (the bits of a double, for float too), 0xH…,
// 0xR…, 0xK…, 0xL…, 0xM… and f0x… (the bits of the type itself).
func (p *parser) floatConst(tok token, t *Type) value {
	if !t.isFloat() {
		p.fail(tok.pos, "a floating-point number is not of type '%s'", t)
	}
	text := tok.text
	hex := strings.HasPrefix(text, "0x")
	exact := strings.HasPrefix(text, "f0x") || hex && len(text) > 2 && strings.IndexByte("HRKLM", text[2]) >= 0
	if exact {
		n, ok := new(big.Int).SetString(text[3:], 16)
		if !ok {
			p.fail(tok.pos, "malformed number '%s'", text)
		}
		words := bigWords(n, t.scalarBits())
		if len(words) == 1 {
			return value{typ: t, kind: vInt, bits: words[0]}
		}
		if text[2] == 'L' || text[2] == 'M' { // low word is printed first
			words[0], words[1] = words[1], words[0]
		}
		return constOf(t, constant{kind: cWords, words: words, evaluated: true})
	}
	var d float64
	if hex {
		n, err := strconv.ParseUint(text[2:], 16, 64)
		if err != nil {
			p.fail(tok.pos, "malformed number '%s'", text)
		}
		d = math.Float64frombits(n)
	} else {
		var err error
		if d, err = strconv.ParseFloat(strings.Replace(text, "qnan", "nan", 1), 64); err != nil && !math.IsInf(d, 0) {
			p.fail(tok.pos, "malformed number '%s'", text)
		}
		if p.is('(') { // nan(0x1)
			p.skipParens()
		}
	}
	switch t.kind {
	case kDouble:
		return value{typ: t, kind: vInt, bits: math.Float64bits(d)}
	case kFloat:
		return value{typ: t, kind: vInt, bits: uint64(math.Float32bits(float32(d)))}
	}
	if d == 0 && !math.Signbit(d) {
		return value{typ: t, kind: vZero}
	}
	return constOf(t, constant{kind: cBad, text: t.String() + " constant"})
}

// aggregate reads [ … ], { … }, <{ … }> or < … >.
func (p *parser) aggregate(t *Type) value {
	p.enter()
	pos := p.tok.pos
	open := p.tok.kind
	p.next()
	packed := open == '<' && p.accept('{')
	end := map[tokKind]tokKind{'[': ']', '{': '}', '<': '>'}[open]
	if packed {
		end = '}'
	}
	want := kStruct
	if open == '[' {
		want = kArray
	} else if open == '<' && !packed {
		want = kVector
	}
	if t.kind != want || t.kind == kStruct && (t.packed != packed || !t.defined) {
		p.fail(pos, "constant is not of type '%s'", t)
	}
	var elems []value
	for !p.is(end) {
		epos := p.tok.pos
		v := p.parseTypedValue()
		et := t.elem
		if t.kind == kStruct && len(elems) < len(t.fields) {
			et = t.fields[len(elems)]
		}
		if et == nil || !sameType(v.typ, et) {
			p.fail(epos, "element of type '%s' in a constant of type '%s'", v.typ, t)
		}
		if v.kind == vLocal {
			p.fail(epos, "element of a constant is not a constant")
		}
		elems = append(elems, v)
		if !p.accept(',') {
			break
		}
	}
	p.expect(end)
	if packed {
		p.expect('>')
	}
	n := t.len
	if t.kind == kStruct {
		n = uint64(len(t.fields))
	}
	if uint64(len(elems)) != n {
		p.fail(pos, "%d elements in a constant of type '%s'", len(elems), t)
	}
	p.leave()
	return constOf(t, constant{kind: cElems, elems: elems})
}

func (p *parser) wordValue(tok token, t *Type) value {
	p.enter()
	defer p.leave()
	p.next()
	switch tok.text {
	case "true", "false":
		if t.kind != kInt || t.bits != 1 {
			p.fail(tok.pos, "'%s' is not of type '%s'", tok.text, t)
		}
		v := value{typ: t, kind: vInt}
		if tok.text == "true" {
			v.bits = 1
		}
		return v
	case "null":
		if t.kind != kPtr {
			p.fail(tok.pos, "null is not of type '%s'", t)
		}
		return value{typ: t, kind: vInt}
	case "undef", "poison":
		return value{typ: t, kind: vUndef}
	case "zeroinitializer", "none":
		return value{typ: t, kind: vZero}
	case "splat":
		p.expect('(')
		v := p.parseTypedValue()
		p.expect(')')
		if t.kind != kVector && t.kind != kOpaque || t.kind == kVector && !sameType(v.typ, t.elem) || v.kind == vLocal {
			p.fail(tok.pos, "splat is not of type '%s'", t)
		}
		return constOf(t, constant{kind: cSplat, elems: []value{v}})
	case "blockaddress":
		p.expect('(')
		function := p.expect(tGlobal)
		p.expect(',')
		block := p.expect(tLocal)
		p.expect(')')
		return value{typ: t, kind: vInt, bits: p.m.addressOf(label{function.text, block.text})}
	case "ptrauth":
		if !p.is('(') {
			p.unexpected("'('")
		}
		p.skipParens()
		return constOf(t, constant{kind: cBad, text: tok.text})
	case "dso_local_equivalent", "no_cfi":
		return p.parseValue(t)
	case "asm":
		return p.asmValue(t)
	}
	if !isValueWord(tok.text) {
		p.fail(tok.pos, "expected a value, found '%s'", tok.text)
	}
	in := p.constExpr(tok)
	if !sameType(in.typ, t) {
		p.fail(tok.pos, "constant expression of type '%s' where '%s' is expected", in.typ, t)
	}
	return constOf(t, constant{kind: cExpr, expr: in})
}

// asmValue reads asm sideeffect … "template", "constraints".
func (p *parser) asmValue(t *Type) value {
	intel := false
	for p.is(tWord) {
		intel = intel || p.isWord("inteldialect")
		p.next()
	}
	text := unescape(p.expect(tString).text)
	p.expect(',')
	cons := unescape(p.expect(tString).text)
	return constOf(t, constant{kind: cAsm, text: text, cons: cons, intel: intel})
}

// constExpr reads the rest of op (operands …) as the instruction of the same name.
func (p *parser) constExpr(op token) *inst {
	in := &inst{res: -1, dbg: -1, pos: op.pos}
	w := op.text
	if sub, ok := castOps[w]; ok {
		p.skipFlags()
		p.expect('(')
		v := p.parseTypedValue()
		p.expectWord("to")
		p.finishCast(in, sub, v, p.parseType())
	} else if sub, ok := binOps[w]; ok {
		p.skipFlags()
		p.expect('(')
		a := p.parseTypedValue()
		p.expect(',')
		b := p.parseTypedValue()
		p.finishBin(in, sub, a, b)
	} else if sub, ok := unaryOps[w]; ok {
		p.skipFlags()
		p.expect('(')
		p.finishUnary(in, sub, p.parseTypedValue())
	} else {
		p.otherExpr(in, w)
	}
	p.expect(')')
	for _, a := range in.args {
		if a.kind == vLocal {
			p.fail(op.pos, "operand of a constant expression is not a constant")
		}
	}
	return in
}

func (p *parser) otherExpr(in *inst, w string) {
	switch w {
	case "getelementptr":
		p.skipFlags()
		p.expect('(')
		t := p.parseType()
		p.expect(',')
		p.finishGEP(in, t, p.typedValues(p.gepOperand))
	case "icmp", "fcmp":
		p.skipFlags()
		pred := p.parsePred(w == "fcmp")
		p.expect('(')
		a := p.parseTypedValue()
		p.expect(',')
		b := p.parseTypedValue()
		p.finishCmp(in, pred, a, b)
	case "select", "extractelement", "insertelement", "shufflevector":
		p.expect('(')
		args := p.typedValues(p.parseTypedValue)
		switch w {
		case "select":
			p.finishSelect(in, args)
		case "extractelement":
			p.finishExtractElement(in, args)
		case "insertelement":
			p.finishInsertElement(in, args)
		default:
			p.finishShuffle(in, args)
		}
	case "extractvalue", "insertvalue":
		p.expect('(')
		p.parseElementOp(in, w == "insertvalue")
	}
}

// gepOperand reads an operand of a constant getelementptr, which may have inrange before it.
func (p *parser) gepOperand() value {
	if p.acceptWord("inrange") && p.is('(') {
		p.skipParens()
	}
	return p.parseTypedValue()
}

func (p *parser) typedValues(one func() value) []value {
	vs := []value{one()}
	for p.accept(',') {
		vs = append(vs, one())
	}
	return vs
}

// skipFlags skips nuw, nsw, exact, inbounds, inrange(-8, 16), fast, samesign …: every word that is not
// the beginning of what comes next. It returns what they promise.
func (p *parser) skipFlags() (check ir.Checks) {
	for p.is(tWord) && !p.isTypeWord(p.tok.text) && !isPred(p.tok.text) {
		switch p.tok.text {
		case "nsw":
			check |= ir.NSW
		case "nuw":
			check |= ir.NUW
		}
		p.next()
		if p.is('(') && p.lastWord("inrange") {
			p.skipParens()
		}
	}
	return check
}

// lastWord reports whether the token before the current one is w.
func (p *parser) lastWord(w string) bool {
	return strings.HasSuffix(strings.TrimRight(p.lx.src[:p.tok.pos], " \t\r\n"), w)
}

var intPreds = map[string]ir.Pred{
	"eq": ir.EQ, "ne": ir.NE, "ult": ir.ULT, "ule": ir.ULE, "ugt": ir.UGT, "uge": ir.UGE,
	"slt": ir.SLT, "sle": ir.SLE, "sgt": ir.SGT, "sge": ir.SGE,
}

var floatPreds = map[string]ir.Pred{
	"false": ir.FFalse, "oeq": ir.FOEQ, "ogt": ir.FOGT, "oge": ir.FOGE, "olt": ir.FOLT, "ole": ir.FOLE,
	"one": ir.FONE, "ord": ir.FORD, "uno": ir.FUNO, "ueq": ir.FUEQ, "ugt": ir.FUGT, "uge": ir.FUGE,
	"ult": ir.FULT, "ule": ir.FULE, "une": ir.FUNE, "true": ir.FTrue,
}

func isPred(w string) bool {
	_, i := intPreds[w]
	_, f := floatPreds[w]
	return i || f
}

func (p *parser) parsePred(float bool) ir.Pred {
	m := intPreds
	if float {
		m = floatPreds
	}
	if p.is(tWord) {
		if pred, ok := m[p.tok.text]; ok {
			p.next()
			return pred
		}
	}
	p.unexpected("a comparison")
	return 0
}
