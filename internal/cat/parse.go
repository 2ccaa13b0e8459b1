package cat

// maxDepth bounds the nesting of a text, so that no input exhausts the stack.
const maxDepth = 400

// Parse parses a file of the cat or the bell language. An error is an *Error.
func Parse(src *Source) (f *File, err error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{src: src, toks: toks}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			f, err = nil, e
		}
	}()
	f = &File{Src: src}
	p.header(f)
	f.Body = p.instrs()
	if p.peek().kind != kEOF {
		p.unexpected("an instruction")
	}
	f.variants = p.asked
	return f, nil
}

// A parser reads tokens. Its methods panic with an *Error, which Parse returns.
type parser struct {
	src   *Source
	toks  []token
	i     int
	depth int

	asked []string // for which variants
}

func (p *parser) peek() token         { return p.toks[p.i] }
func (p *parser) at(text string) bool { return p.toks[p.i].is(text) }
func (p *parser) pos() Pos            { return Pos{p.src, p.toks[p.i].off} }

func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != kEOF {
		p.i++
	}
	return t
}

// accept skips the keyword or operator if it is next.
func (p *parser) accept(text string) bool {
	if p.at(text) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.unexpected(text)
	}
}

func (p *parser) unexpected(want string) {
	panic(errorf(p.pos(), "expected %s, found %v", want, p.peek()))
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		panic(errorf(p.pos(), "nested more than %d deep", maxDepth))
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) name() string {
	if p.peek().kind != kName {
		p.unexpected("a name")
	}
	return p.next().text
}

// header reads [name] [title] [catdep].
func (p *parser) header(f *File) {
	switch p.peek().kind {
	case kName:
		f.Name = p.next().text
		if k := p.peek().kind; k == kName || k == kString {
			f.Title = p.next().text
		}
	case kString:
		f.Title = p.next().text
	}
	f.CatDep = p.accept("catdep")
	for p.peek().kind == kName && oldOptions[p.peek().text] {
		p.next()
	}
}

// Words that headers of older models have; what they chose is now part of the models.
var oldOptions = map[string]bool{
	"withco": true, "withoutco": true, "withinit": true, "withoutinit": true, "withsc": true, "withoutsc": true,
}

func (p *parser) instrs() []Instr {
	p.enter()
	defer p.leave()
	var out []Instr
	for {
		in := p.instr()
		if in == nil {
			return out
		}
		out = append(out, in)
	}
}

// instr returns nil if no instruction begins here.
func (p *parser) instr() Instr {
	pos := p.pos()
	t := p.peek()
	if t.kind != kWord && !t.is("~") {
		return nil
	}
	switch t.text {
	case "let":
		p.next()
		in := &Let{Pos: pos, Rec: p.accept("rec"), Binds: p.binds()}
		if in.Rec && p.accept("when") {
			test := p.test()
			in.When = &test
		}
		p.accept("in")
		return in
	case "flag", "undefined_unless", "assert", "~", "acyclic", "irreflexive", "empty":
		in := &Check{Pos: pos}
		for m := Flag; m <= Assert; m++ {
			if p.accept(m.String()) {
				in.Mode = m
				break
			}
		}
		in.Test = p.test()
		return in
	case "show":
		p.next()
		return p.show(pos)
	case "unshow":
		p.next()
		in := &Unshow{Pos: pos, Names: []string{p.name()}}
		for p.accept(",") {
			in.Names = append(in.Names, p.name())
		}
		return in
	case "include":
		p.next()
		if p.peek().kind != kString {
			p.unexpected("a file name in quotes")
		}
		return &Include{pos, p.next().text}
	case "procedure":
		p.next()
		in := &Procedure{Pos: pos, Rec: p.accept("rec"), Name: p.name(), Pat: p.param()}
		p.expect("=")
		in.Body = p.instrs()
		p.expect("end")
		return in
	case "call":
		p.next()
		in := &Call{Pos: pos, Name: p.name()}
		if !p.startsArg() {
			p.unexpected("an argument")
		}
		in.Arg = p.arg()
		in.As = p.as()
		return in
	case "enum":
		p.next()
		in := &Enum{Pos: pos, Name: p.name()}
		p.expect("=")
		p.accept("||")
		in.Tags = append(in.Tags, p.tag())
		for p.accept("||") {
			in.Tags = append(in.Tags, p.tag())
		}
		return in
	case "forall":
		p.next()
		in := &Forall{Pos: pos, Name: p.name()}
		p.expect("in")
		in.Expr = p.expr()
		p.expect("do")
		in.Body = p.instrs()
		p.expect("end")
		return in
	case "with":
		p.next()
		in := &With{Pos: pos, Name: p.name()}
		p.expect("from")
		in.Expr = p.expr()
		return in
	case "match":
		p.next()
		return p.matchInstr(pos)
	case "if":
		p.next()
		in := &IfVariant{Pos: pos, Cond: p.variants()}
		in.Then = p.instrs()
		if p.accept("else") {
			in.Else = p.instrs()
		}
		p.expect("end")
		return in
	case "debug":
		p.next()
		return &Debug{pos, p.expr()}
	case "instructions", "default":
		p.next()
		in := &Declare{Pos: pos, Default: t.text == "default", Kind: p.name()}
		p.expect("[")
		in.Args = p.list("]")
		return in
	}
	return nil
}

func (p *parser) tag() string {
	if p.peek().kind != kTag {
		p.unexpected("a tag, as in 'acquire")
	}
	return p.next().text
}

func (p *parser) as() string {
	if p.accept("as") {
		return p.name()
	}
	return ""
}

// test reads [~](acyclic|irreflexive|empty) e [as name].
func (p *parser) test() Test {
	t := Test{Pos: p.pos(), Not: p.accept("~")}
	switch {
	case p.accept("acyclic"):
		t.Kind = Acyclic
	case p.accept("irreflexive"):
		t.Kind = Irreflexive
	case p.accept("empty"):
		t.Kind = Empty
	default:
		p.unexpected("acyclic, irreflexive or empty")
	}
	t.Expr = p.expr()
	t.Name = p.as()
	return t
}

func (p *parser) show(pos Pos) Instr {
	in := &Show{Pos: pos}
	for {
		e := p.base(0)
		item := ShowItem{Expr: e, Name: p.as()}
		if item.Name == "" {
			v, ok := e.(*Var)
			if !ok {
				p.unexpected("as and a name")
			}
			item.Name = v.Name
		}
		in.Items = append(in.Items, item)
		if !p.accept(",") {
			return in
		}
	}
}

func (p *parser) matchInstr(pos Pos) Instr {
	in := &MatchInstr{Pos: pos, Expr: p.expr()}
	p.expect("with")
	p.accept("||")
	for {
		if p.accept("_") {
			p.expect("->")
			in.HasDef, in.Default = true, p.instrs()
			break
		}
		c := InstrClause{Tag: p.tag()}
		p.expect("->")
		c.Body = p.instrs()
		in.Clauses = append(in.Clauses, c)
		if !p.accept("||") {
			break
		}
	}
	p.expect("end")
	return in
}

// variants reads a condition on variants; || is looser than && and than not.
func (p *parser) variants() Cond {
	p.enter()
	defer p.leave()
	x := p.variantAnd()
	for p.at("||") {
		pos := p.pos()
		p.next()
		x = &BoolCond{pos, true, x, p.variantAnd()}
	}
	return x
}

func (p *parser) variantAnd() Cond {
	x := p.variant()
	for p.at("&&") {
		pos := p.pos()
		p.next()
		x = &BoolCond{pos, false, x, p.variant()}
	}
	return x
}

func (p *parser) variant() Cond {
	p.enter()
	defer p.leave()
	pos := p.pos()
	switch {
	case p.accept("not"):
		return &NotCond{pos, p.variant()}
	case p.accept("("):
		c := p.variants()
		p.expect(")")
		return c
	}
	p.accept("variant")
	if p.peek().kind != kString {
		p.unexpected("a variant, as in \"mixed\"")
	}
	v := &Variant{pos, p.next().text}
	p.asked = append(p.asked, v.Name)
	return v
}

// pat0 reads a name or _, which is "".
func (p *parser) pat0() string {
	if p.accept("_") {
		return ""
	}
	return p.name()
}

// names reads names separated by commas, up to the closing bracket.
func (p *parser) names(end string) []string {
	names := []string{}
	if p.accept(end) {
		return names
	}
	for {
		names = append(names, p.pat0())
		if p.accept(end) {
			return names
		}
		if !p.accept(",") {
			p.unexpected(", or " + end)
		}
	}
}

func tuplePat(names []string) Pat { return Pat{Tuple: len(names) != 1, Names: names} }

// param reads the parameter of a function or procedure: a name, _ or (a, b, …).
func (p *parser) param() Pat {
	if p.accept("(") {
		return tuplePat(p.names(")"))
	}
	return Pat{Names: []string{p.pat0()}}
}

func (p *parser) binds() []Bind {
	var out []Bind
	for {
		out = append(out, p.bind())
		if !p.accept("and") {
			return out
		}
	}
}

// bind reads pat = e, f x = e, f(x, y) = e, or f x y = e, which is f = fun x -> fun y -> e.
func (p *parser) bind() Bind {
	p.enter()
	defer p.leave()
	b := Bind{Pos: p.pos()}
	if p.accept("(") {
		b.Pat = tuplePat(p.names(")"))
		p.expect("=")
		b.Expr = p.expr()
		return b
	}
	names := []string{p.pat0()}
	for p.accept(",") {
		names = append(names, p.pat0())
	}
	b.Pat = tuplePat(names)
	var params []Pat
	for len(names) == 1 && (p.at("(") || p.at("_") || p.peek().kind == kName) {
		params = append(params, p.param())
	}
	p.expect("=")
	b.Expr = p.expr()
	for i := len(params) - 1; i >= 0; i-- {
		b.Expr = &Fun{b.Pos, params[i], b.Expr}
	}
	return b
}
