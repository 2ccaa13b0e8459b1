package litmus

import (
	"slices"
	"strings"

	"ravel/internal/litmus"
)

var sections = []string{"exists", "forall", "locations", "filter", "observed", "final", "scopes", "regions", "not", "required", "forbidden"}

// atSection reports whether the program ends at off.
func (p *parser) atSection(off int) bool {
	rest := p.text[off:]
	if rest == "" || rest[0] == '~' || rest[0] == '(' || strings.HasPrefix(rest, "<<") {
		return true
	}
	i := 0
	for i < len(rest) && isLetter(rest[i]) {
		i++
	}
	if i < len(rest) && isDigit(rest[i]) {
		return false
	}
	if strings.EqualFold(rest[:i], "not") { // RISC-V has an instruction with this name
		at := p.skipSpace(off+i, len(p.text), false)
		return strings.HasPrefix(p.text[at:], "exists")
	}
	return slices.Contains(sections, strings.ToLower(rest[:i]))
}

// condition reads all that follows the program.
func (p *parser) condition(off int) {
	l := newLexer(p.source, plainText, off, len(p.text))
	p.test.Cond = litmus.Cond{Quant: litmus.ForAll, Prop: &litmus.Prop{Kind: litmus.PTrue}}
	for l.is("scopes") || l.is("regions") {
		if l.accept("regions") {
			p.regions(l)
		} else {
			p.scopes(l)
		}
	}
	if l.accept("locations") {
		p.locations(l)
	}
	if l.accept("filter") {
		p.test.Filter = p.prop(l, 0)
	}
	for l.is("required") || l.is("forbidden") {
		list := &p.test.Required
		if l.next().text == "forbidden" {
			list = &p.test.Forbidden
		}
		*list = append(*list, p.prop(l, 0))
		l.accept(";")
	}
	switch {
	case l.is("<<") || l.tok.kind == 0:
		return
	case l.accept("forall"):
		p.test.Cond.Prop = p.prop(l, 0)
	case l.accept("exists") || l.accept("final"):
		p.test.Cond = litmus.Cond{Quant: litmus.Exists, Prop: p.prop(l, 0)}
	case (l.is("~") || l.is("not")) && l.peek().text == "exists":
		l.next()
		l.next()
		p.test.Cond = litmus.Cond{Quant: litmus.NotExists, Prop: p.prop(l, 0)}
	case l.accept("observed") || l.accept("Observed"):
		p.test.Cond = litmus.Cond{Quant: litmus.Exists, Prop: p.observed(l)}
	default:
		p.test.Cond = litmus.Cond{Quant: litmus.Exists, Prop: p.prop(l, 0)}
	}
	l.accept(";")
	if l.accept("with") { // tso: exists; … of old tests: what some models say
		return
	}
	if l.tok.kind != 0 && !l.is("<<") {
		l.unexpected("the end of the test")
	}
}

// scopes keeps the scope tree of a LISA test.
func (p *parser) scopes(l *lexer) {
	start := l.next().off
	l.expect(":")
	depth := 0
	for {
		if l.is("(") {
			depth++
		}
		if l.is(")") {
			depth--
		}
		end := l.off
		if l.tok.kind == 0 {
			l.unexpected(`")"`)
		}
		l.next()
		if depth <= 0 {
			p.test.Scopes = strings.TrimSpace(p.test.Scopes + " " + p.text[start:end])
			return
		}
	}
}

// regions reads what region each variable is in, x: global, y: local. No model of ours looks at that.
func (p *parser) regions(l *lexer) {
	l.expect(":")
	for {
		l.ident("a variable")
		l.expect(":")
		l.ident("a region")
		if !l.accept(",") {
			return
		}
	}
}

func (p *parser) locations(l *lexer) {
	l.expect("[")
	for !l.accept("]") {
		if l.accept(";") {
			continue
		}
		if isFault(l) {
			p.refuse(l.tok.off, featFault, "fault(…)")
		}
		o := litmus.Observed{Loc: p.loc(l)}
		var words []string
		for l.tok.kind == 'i' {
			words = append(words, l.next().text)
		}
		stars := 0
		for l.accept("*") {
			stars++
		}
		if len(words) > 0 {
			o.Type, _ = makeType(words, stars)
		}
		p.test.Locations = append(p.test.Locations, o)
		if !l.is(";") && !l.is("]") {
			l.unexpected(`";" or "]"`)
		}
	}
}

func isFault(l *lexer) bool {
	return l.tok.kind == 'i' && strings.EqualFold(l.tok.text, "fault") && l.peek().text == "("
}

// observed reads a; b; and c; d; …: is one of these states seen?
func (p *parser) observed(l *lexer) *litmus.Prop {
	all := &litmus.Prop{Kind: litmus.POr}
	for {
		state := &litmus.Prop{Kind: litmus.PAnd}
		for l.tok.kind != 0 && !l.is("and") && !l.is("<<") {
			state.Args = append(state.Args, p.atom(l))
			if !l.accept(";") {
				break
			}
		}
		all.Args = append(all.Args, state)
		if !l.accept("and") {
			return all
		}
	}
}

// prop reads a proposition: \/ binds less than /\, which binds less than =>.
func (p *parser) prop(l *lexer, depth int) *litmus.Prop {
	return p.chain(l, depth, litmus.POr, "\\/", func(d int) *litmus.Prop {
		return p.chain(l, d, litmus.PAnd, "/\\", func(d int) *litmus.Prop { return p.implies(l, d) })
	})
}

func (p *parser) chain(l *lexer, depth int, kind litmus.PropKind, mark string, read func(int) *litmus.Prop) *litmus.Prop {
	if depth > maxDepth {
		p.fail(l.tok.off, "this is nested more than %d deep", maxDepth)
	}
	first := read(depth + 1)
	if !l.is(mark) {
		return first
	}
	all := &litmus.Prop{Kind: kind, Args: []*litmus.Prop{first}}
	for l.accept(mark) {
		all.Args = append(all.Args, read(depth+1))
	}
	return all
}

func (p *parser) implies(l *lexer, depth int) *litmus.Prop {
	if depth > maxDepth {
		p.fail(l.tok.off, "this is nested more than %d deep", maxDepth)
	}
	x := p.simple(l, depth+1)
	if l.accept("=>") {
		return &litmus.Prop{Kind: litmus.PImplies, Args: []*litmus.Prop{x, p.implies(l, depth+1)}}
	}
	return x
}

func (p *parser) simple(l *lexer, depth int) *litmus.Prop {
	if depth > maxDepth {
		p.fail(l.tok.off, "this is nested more than %d deep", maxDepth)
	}
	switch {
	case l.accept("~") || l.accept("not"):
		return &litmus.Prop{Kind: litmus.PNot, Args: []*litmus.Prop{p.simple(l, depth+1)}}
	case l.accept("("):
		x := p.prop(l, depth+1)
		l.expect(")")
		return x
	case l.is("true") || l.is("false"):
		if next := l.peek().text; next != "=" && next != ":" {
			if l.next().text == "true" {
				return &litmus.Prop{Kind: litmus.PTrue}
			}
			return &litmus.Prop{Kind: litmus.PFalse}
		}
	}
	return p.atom(l)
}

func (p *parser) atom(l *lexer) *litmus.Prop {
	if isFault(l) {
		p.refuse(l.tok.off, featFault, "fault(…)")
	}
	start := l.tok.off
	a := &litmus.Atom{Loc: p.loc(l)}
	if p.test.Arch == litmus.Java && a.Loc.IsReg() && p.typeOf(a.Loc) == (litmus.Type{}) {
		p.fail(start, "Thread%d has no register %s", a.Loc.Thread, a.Loc.Reg)
	}
	switch {
	case l.accept("=") || l.accept("=="):
	case l.accept("!=") || l.accept("<>"):
		a.NotEqual = true
	default:
		l.unexpected(`"=" or "!="`)
	}
	a.Type = p.typeOf(a.Loc)
	n := l.peek()
	switch {
	case l.is("{"):
		a.Elems = p.values(l)
	case l.tok.kind == 'n' && n.text == ":" || isThread(l) && !p.isLabel(l) || l.is("[") || l.is("*"):
		o := p.loc(l)
		a.Other = &o
	default:
		at := l.tok.off
		a.Value = p.value(l)
		if p.test.Arch == litmus.Java && a.Value.Kind != litmus.Int {
			p.fail(at, "%s is no value: there are numbers, true, false and null", a.Value.Sym)
		}
	}
	return &litmus.Prop{Kind: litmus.PAtom, Atom: a}
}

// isLabel reports whether Pn:name is a label rather than a register.
func (p *parser) isLabel(l *lexer) bool {
	n, _ := threadName(l.tok.text)
	c := *l
	c.next()
	name := c.peek().text
	for _, t := range p.test.Threads {
		if _, ok := t.Labels[name]; ok && t.ID == n {
			return true
		}
	}
	return false
}

// typeOf returns the type of a location, the zero Type if it is not known.
func (p *parser) typeOf(loc litmus.Loc) litmus.Type {
	if !loc.IsReg() {
		return p.vars[loc.Var].Type
	}
	for _, t := range p.test.Threads {
		if t.ID == loc.Thread {
			return t.Types[loc.Reg]
		}
	}
	return litmus.Type{}
}

// loc reads a location: 0:r, x, [x], *x or x[i].
func (p *parser) loc(l *lexer) litmus.Loc {
	at := l.tok.off
	if l.tok.kind == 'n' || isThread(l) {
		thread, reg := p.threadReg(l)
		if !slices.ContainsFunc(p.test.Threads, func(t *litmus.Thread) bool { return t.ID == thread }) {
			p.fail(at, "there is no thread %d", thread)
		}
		return litmus.Loc{Thread: thread, Reg: reg, Index: -1}
	}
	bracket := l.accept("[")
	if !bracket {
		l.accept("*")
	}
	at = l.tok.off
	name := l.ident("a location")
	if l.is("(") {
		p.refuseCall(at, name)
	}
	loc := litmus.Loc{Thread: -1, Var: name, Index: -1}
	v := p.variable(at, name)
	if bracket && l.accept("+") {
		off := l.number()
		loc.Index = int(off) / int(v.Type.Size)
	}
	if l.accept("[") {
		loc.Index = int(l.number())
		l.expect("]")
	}
	if bracket {
		l.expect("]")
	}
	if loc.Index >= len(v.Init) || loc.Index < -1 {
		p.fail(at, "%s has %d elements", name, len(v.Init))
	}
	return loc
}
