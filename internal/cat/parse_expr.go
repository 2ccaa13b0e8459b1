package cat

// The binding powers of herd's operators, loosest first. Those of one level that herd
// declares non-associative are level 6: r*, r+, r?, A*B and ~r cannot be combined without
// parentheses, except for a chain of postfix ones.
const (
	levelPostfix = 6
	levelInverse = 7
)

var levels = map[kind]struct {
	level int
	right bool
	op    BinaryOp
}{
	"|":  {1, true, Union},
	"++": {2, true, Append},
	";":  {3, true, Seq},
	"\\": {4, false, Diff},
	"&":  {5, true, Inter},
}

// expr reads an expression of any form; tuples need no parentheses.
func (p *parser) expr() Expr {
	p.enter()
	defer p.leave()
	pos := p.pos()
	switch {
	case p.accept("let"):
		e := &LetIn{Pos: pos, Rec: p.accept("rec"), Binds: p.binds()}
		p.expect("in")
		e.Body = p.expr()
		return e
	case p.accept("fun"):
		e := &Fun{Pos: pos, Pat: p.param()}
		p.expect("->")
		e.Body = p.expr()
		return e
	case p.accept("try"):
		e := &Try{Pos: pos, X: p.expr()}
		p.expect("with")
		e.Else = p.expr()
		return e
	case p.accept("if"):
		e := &If{Pos: pos, Cond: p.cond()}
		p.expect("then")
		e.Then = p.expr()
		p.expect("else")
		e.Else = p.expr()
		return e
	case p.accept("match"):
		return p.match(pos)
	}
	e := p.base(0)
	if !p.at(",") {
		return e
	}
	t := &Tuple{pos, []Expr{e}}
	for p.accept(",") {
		t.Elems = append(t.Elems, p.base(0))
	}
	return t
}

// base reads operators that bind at least as tightly as level.
func (p *parser) base(level int) Expr {
	p.enter()
	defer p.leave()
	x, closed := p.prefix()
	for {
		t := p.peek()
		pos := p.pos()
		switch {
		case t.is("^"):
			p.next()
			p.expect("-1")
			x = &Unary{pos, Inverse, x}
			continue
		case t.is("*"), t.is("+"), t.is("?"):
			if closed != "" {
				panic(errorf(pos, "%s", closed))
			}
			p.next()
			if t.is("*") && p.startsOperand() {
				y, _ := p.operand()
				x = &Binary{pos, Product, x, y}
				closed = "a product and a closure or another product in one expression: write a*(b*) or (a*b)*"
				continue
			}
			x = &Unary{pos, map[string]UnaryOp{"*": Star, "+": Plus, "?": Opt}[t.text], x}
			continue
		}
		b, ok := levels[t.kind]
		if !ok || b.level < level {
			return x
		}
		p.next()
		next := b.level + 1
		if b.right {
			next = b.level
		}
		x = &Binary{pos, b.op, x, p.base(next)}
		closed = ""
	}
}

// prefix reads ~x or a simple expression. closed is what to say if a closure or a product follows at once.
func (p *parser) prefix() (x Expr, closed string) {
	pos := p.pos()
	if !p.accept("~") {
		return p.primary(), ""
	}
	p.enter()
	defer p.leave()
	x, _ = p.operand()
	return &Unary{pos, Not, x}, "the complement and a closure or a product in one expression: write ~(r*) or (~r)*"
}

// operand reads what ~ and the right of a product apply to: ~x, or a simple expression with inversions.
func (p *parser) operand() (Expr, string) {
	x, closed := p.prefix()
	for p.at("^") {
		pos := p.pos()
		p.next()
		p.expect("-1")
		x = &Unary{pos, Inverse, x}
	}
	return x, closed
}

// startsOperand reports whether an operand begins here, so that the * before it is a product.
func (p *parser) startsOperand() bool {
	if p.at("~") {
		t := p.toks[p.i+1] // the end of the file at least
		return !t.is("acyclic") && !t.is("irreflexive") && !t.is("empty")
	}
	return p.startsArg()
}

// startsArg reports whether an argument begins here.
func (p *parser) startsArg() bool {
	t := p.peek()
	if t.kind == kName || t.kind == kTag {
		return true
	}
	for _, s := range []string{"(", "[", "{", "_", "0", "begin"} {
		if t.is(s) {
			return true
		}
	}
	return false
}

// primary reads a simple expression, or a name applied to arguments.
func (p *parser) primary() Expr {
	if p.peek().kind != kName {
		if !p.startsArg() {
			p.unexpected("an expression")
		}
		return p.arg()
	}
	x := p.arg()
	for p.startsArg() {
		pos := p.pos()
		x = &App{pos, x, p.arg()}
	}
	return x
}

// arg reads a simple expression: what can be an argument without parentheses.
func (p *parser) arg() Expr {
	pos := p.pos()
	t := p.next()
	switch {
	case t.kind == kName:
		return &Var{pos, t.text}
	case t.kind == kTag:
		return &TagLit{pos, t.text}
	case t.is("0"):
		return &Const{Pos: pos}
	case t.is("_"):
		return &Const{pos, true}
	case t.is("{"):
		return &SetLit{pos, p.list("}")}
	case t.is("["):
		x := p.expr()
		p.expect("]")
		return &Unary{pos, ToID, x}
	case t.is("begin"):
		x := p.expr()
		p.expect("end")
		return x
	}
	// (
	if p.accept(")") {
		return &Tuple{pos, nil}
	}
	x := p.expr()
	p.expect(")")
	return x
}

// list reads expressions separated by commas, up to the closing bracket.
func (p *parser) list(end string) []Expr {
	var out []Expr
	if p.accept(end) {
		return out
	}
	for {
		out = append(out, p.base(0))
		if p.accept(end) {
			return out
		}
		if !p.accept(",") {
			p.unexpected(", or " + end)
		}
	}
}

// cond reads a condition: of variants, or a comparison.
func (p *parser) cond() Cond {
	i := p.i
	for p.toks[i].is("(") {
		i++
	}
	if t := p.toks[i]; t.kind == kString || t.is("variant") || t.is("not") {
		return p.variants()
	}
	c := &Compare{X: p.expr(), Pos: p.pos()}
	switch {
	case p.at("="), p.at("subset"), p.at("in"):
		c.Op = p.next().text
	default:
		p.unexpected("=, subset or in")
	}
	c.Y = p.expr()
	return c
}

// match reads a match after its keyword.
func (p *parser) match(pos Pos) Expr {
	x := p.expr()
	p.expect("with")
	p.accept("||")
	if p.peek().kind == kTag || p.at("_") && p.toks[p.i+1].is("->") {
		return p.matchTag(pos, x)
	}
	m := &MatchSet{Pos: pos, X: x}
	p.setClause(m)
	p.expect("||")
	p.setClause(m)
	if m.Empty == nil || m.Body == nil {
		panic(errorf(pos, "a match on a set has one clause {} and one clause x ++ xs"))
	}
	p.expect("end")
	return m
}

func (p *parser) matchTag(pos Pos, x Expr) Expr {
	m := &MatchTag{Pos: pos, X: x}
	for {
		if p.accept("_") {
			p.expect("->")
			m.Default = p.expr()
			break
		}
		c := TagClause{Tag: p.tag()}
		p.expect("->")
		c.Expr = p.expr()
		m.Clauses = append(m.Clauses, c)
		if !p.accept("||") {
			break
		}
	}
	p.expect("end")
	return m
}

// setClause reads {} -> e, x ++ xs -> e or xs | x ++ ys -> e.
func (p *parser) setClause(m *MatchSet) {
	if p.accept("{") {
		p.expect("}")
		p.expect("->")
		m.Empty = p.expr()
		return
	}
	m.HasPre, m.Elem = false, p.pat0()
	if p.accept("|") {
		m.HasPre, m.Pre, m.Elem = true, m.Elem, p.pat0()
	}
	p.expect("++")
	m.Rest = p.pat0()
	p.expect("->")
	m.Body = p.expr()
}
