package llvm

import (
	"strings"

	"ravel/internal/event"
)

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
	p.afterType("load")
	in.args = []value{p.pointer()}
	if atomic {
		p.syncScope(in)
		in.mode = p.ordering()
	}
}

// afterType reads the comma after the type of what an instruction accesses.
func (p *parser) afterType(name string) {
	if p.tok.kind != ',' {
		p.fail(p.tok.pos, "this is text of LLVM 3.6 or older, where %s has no type but that of the pointer: ravel reads the text of LLVM 3.7 and later", name)
	}
	p.next()
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
