package litmus

import (
	"strings"

	"ravel/internal/litmus"
)

// A ctype is a type of C: Type, or so many pointers to it.
type ctype struct {
	litmus.Type
	stars int
}

var cInt = ctype{Type: litmus.Type{Name: "int", Size: 4, Signed: true}}

func (t ctype) size() int {
	if t.stars > 0 {
		return 8
	}
	return int(t.Type.Size)
}

// deref is what a pointer points to; a number that is used as one points to numbers of its size.
func (t ctype) deref() ctype {
	if t.stars > 0 {
		t.stars--
	}
	return t
}

func (t ctype) signed() bool { return t.stars == 0 && t.Type.Signed }

func (t ctype) regType() litmus.Type {
	if t.stars > 0 {
		return litmus.Type{Name: t.Type.Name + strings.Repeat("*", t.stars), Size: 8, Signed: false}
	}
	return t.Type
}

// A cval is a value with its type. A width of a computation is that of the wider operand, at least an int.
type cval struct {
	x litmus.Expr
	t ctype
}

func (v cval) width() int {
	if v.t.size() > 4 {
		return 64
	}
	return 32
}

// to converts v to a type.
func (v cval) to(t ctype) litmus.Expr {
	from, to := v.t.size(), t.size()
	switch {
	case to > from && v.t.signed() && from < 8:
		return un(litmus.SExt, 8*from, v.x)
	case to < from || to < 8 && isNegative(v.x):
		return un(litmus.Trunc, 8*to, v.x)
	}
	return v.x
}

func isNegative(x litmus.Expr) bool {
	v, ok := x.(litmus.Value)
	return ok && v.Kind == litmus.Int && int64(v.Int) < 0
}

// A clike reads code of C or Java: what the two have in common is here, primary and statement are theirs.
type clike struct {
	*lexer
	*builder
	locals  map[string]ctype
	depth   int
	loops   []loop
	java    bool                 // there are no pointers
	primary func() cval          // a name, a call, what only one of the languages has
	typ     func() (ctype, bool) // reads a type if one is here
	special func() bool          // reads a statement with a block that only one of the languages has
}

type loop struct{ breaks, continues []int }

func (c *clike) fail(off int, format string, args ...any) { c.lexer.fail(off, format, args...) }

// step begins something that is an instruction of its own: an access, a fence, a test, an assignment.
func (c *clike) step(off int) {
	end := off
	depth := 0
	for end < len(c.text) && end < off+120 {
		switch c.text[end] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if strings.IndexByte(";{}\n", c.text[end]) >= 0 || depth < 0 {
			break
		}
		end++
	}
	c.begin(off, c.text[off:end])
}

func (c *clike) enter() {
	if c.depth++; c.depth > maxDepth {
		c.fail(c.tok.off, "this is nested more than %d deep", maxDepth)
	}
}

func (c *clike) leave() { c.depth-- }

// block reads { … }.
func (c *clike) block() {
	open := c.tok.off
	c.expect("{")
	for !c.is("}") {
		if c.tok.kind == 0 {
			c.fail(open, "this block has no end")
		}
		c.statement()
	}
	c.next()
}

func (c *clike) statement() {
	c.enter()
	defer c.leave()
	at := c.tok.off
	switch {
	case c.is("{"):
		c.block()
		return
	case c.accept(";"):
		return
	case c.is("if"):
		c.ifStatement()
		return
	case c.is("while"):
		c.next()
		c.whileStatement(nil)
		return
	case c.is("do"):
		c.doStatement()
		return
	case c.is("for"):
		c.forStatement()
		return
	case c.special():
		return
	case c.is("break") || c.is("continue"):
		c.jumpStatement()
	case c.accept("return"):
		if !c.is(";") {
			c.expr()
		}
		c.step(at)
		c.branch(nil, endLabel)
	case c.is("goto") || c.is("switch") || c.is("case"):
		c.fail(at, "%s is not supported", c.tok.text)
	default:
		c.simple()
	}
	c.expect(";")
}

// simple reads a declaration, an assignment or an expression, without the semicolon.
func (c *clike) simple() {
	if t, ok := c.typ(); ok {
		c.declaration(t)
		return
	}
	c.assignment()
}

func (c *clike) declaration(base ctype) {
	for {
		t := base
		for c.accept("*") {
			t.stars++
		}
		for qualifiers[c.tok.text] {
			c.next()
		}
		at := c.tok.off
		name := c.ident("the name of a variable")
		if c.is("[") {
			c.fail(at, "a local array is not supported")
		}
		c.locals[name] = t
		c.th.Types[litmus.Reg(name)] = t.regType()
		if c.accept("=") {
			v := c.expr()
			c.step(at)
			c.set(litmus.Reg(name), v.to(t))
		}
		if !c.accept(",") {
			return
		}
	}
}

// An lval is a place to write: a local variable or memory.
type lval struct {
	local litmus.Reg
	addr  litmus.Expr
	t     ctype
}

// lvalue reads a place to write or to take the address of.
func (c *clike) lvalue() lval {
	c.enter()
	defer c.leave()
	at := c.tok.off
	switch {
	case c.accept("*"):
		c.pointers(at)
		p := c.unary()
		return lval{addr: p.x, t: p.t.deref()}
	case c.is("("):
		if c.castAhead() {
			break
		}
		c.next()
		v := c.lvalue()
		c.expect(")")
		return v
	}
	if c.tok.kind == 'i' && c.peek().text == "[" {
		l := c.index(c.primary())
		for c.is("[") {
			l = c.index(c.readPlace(at, l))
		}
		return l
	}
	name := c.ident("something to assign to")
	c.notShared(at, name)
	if c.is("->") || c.is(".") {
		c.fail(c.tok.off, "a field of a struct is not supported")
	}
	t, ok := c.locals[name]
	if !ok {
		t = cInt
		t.Name = ""
	}
	return lval{local: litmus.Reg(name), t: t}
}

// notShared refuses a variable of the initial state where a local of Java is expected.
func (c *clike) notShared(at int, name string) {
	if _, ok := c.locals[name]; c.java && !ok && c.p.vars[name] != nil {
		c.fail(at, "%s is a variable of all threads: access it by a VarHandle, as in %d:X=%s in the initial state and X.get() here", name, c.th.ID, name)
	}
}

// pointers refuses them in Java.
func (c *clike) pointers(at int) {
	if c.java {
		c.fail(at, "Java has no pointers; an element of an array is accessed by a VarHandle: A.get(0)")
	}
}

// index reads [i] after a pointer.
func (c *clike) index(p cval) lval {
	c.pointers(c.tok.off)
	c.expect("[")
	i := c.expr()
	c.expect("]")
	t := p.t.deref()
	return lval{addr: bin(litmus.Add, 64, p.x, bin(litmus.Mul, 64, i.to(ctype{Type: litmus.Type{Name: "long", Size: 8, Signed: true}}), num(int64(t.size())))), t: t}
}

// name returns the value of a local variable.
func (c *clike) name(at int, name string) cval {
	c.notShared(at, name)
	t, ok := c.locals[name]
	if !ok {
		t = cInt
	}
	return cval{litmus.Reg(name), t}
}

func (c *clike) readPlace(at int, l lval) cval {
	if l.addr == nil {
		return cval{l.local, l.t}
	}
	c.step(at)
	t, _ := c.load(l.addr, l.t.size(), "NA")
	return cval{t, l.t}
}

func (c *clike) writePlace(at int, l lval, v cval) {
	x := v.to(l.t)
	c.step(at)
	if l.addr == nil {
		if _, ok := c.locals[string(l.local)]; !ok {
			c.locals[string(l.local)] = v.t
			x = v.x
		}
		c.set(l.local, x)
		return
	}
	c.store(l.addr, x, l.t.size(), "NA")
}

var compound = map[string]string{"+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "&=": "&", "|=": "|", "^=": "^", "<<=": "<<", ">>=": ">>"}

// assignment reads an assignment, i++, or a call for its effect.
func (c *clike) assignment() {
	at := c.tok.off
	if c.is("++") || c.is("--") {
		op := c.next().text[:1]
		l := c.lvalue()
		c.writePlace(at, l, c.binary(at, op, c.readPlace(at, l), cval{num(1), cInt}))
		return
	}
	if c.tok.kind == 'i' || c.is("*") || c.is("(") {
		save, ops, instrs := *c.lexer, len(c.th.Ops), len(c.th.Instrs)
		if next := c.peek().text; c.is("*") || c.is("(") && !c.castAhead() || next == "=" || next == "[" || next == "++" || next == "--" || compound[next] != "" {
			l := c.lvalue()
			switch op := c.tok.text; {
			case c.accept("="):
				c.writePlace(at, l, c.expr())
				return
			case compound[op] != "":
				c.next()
				old := c.readPlace(at, l)
				c.writePlace(at, l, c.binary(at, compound[op], old, c.expr()))
				return
			case op == "++" || op == "--":
				c.next()
				c.writePlace(at, l, c.binary(at, op[:1], c.readPlace(at, l), cval{num(1), cInt}))
				return
			}
			*c.lexer = save
			c.th.Ops, c.th.Instrs = c.th.Ops[:ops], c.th.Instrs[:instrs]
		}
	}
	c.expr()
}

// test emits a branch that is taken when the condition is false, and returns its index.
func (c *clike) test(at int, cond cval) int {
	c.step(at)
	return c.emit(litmus.Op{Kind: litmus.Branch, X: bin(litmus.Eq, cond.width(), cond.x, num(0)), To: -1, Join: -1})
}

func (c *clike) land(branch, join int) {
	c.th.Ops[branch].To, c.th.Ops[branch].Join = len(c.th.Ops), join
}

func (c *clike) ifStatement() {
	at := c.next().off
	c.expect("(")
	cond := c.expr()
	c.expect(")")
	b := c.test(at, cond)
	c.statement()
	if !c.accept("else") {
		c.land(b, len(c.th.Ops))
		return
	}
	c.step(at)
	over := c.emit(litmus.Op{Kind: litmus.Branch, To: -1, Join: -1})
	c.land(b, -1)
	c.statement()
	c.land(over, -1)
	c.th.Ops[b].Join = len(c.th.Ops)
}

// whileStatement reads (cond) body, and what a for does after the body.
func (c *clike) whileStatement(after func()) {
	top := len(c.th.Ops)
	at := c.tok.off
	c.expect("(")
	b := c.test(at, c.expr())
	c.expect(")")
	c.loopBody(func() { c.statement() }, after)
	c.step(at)
	c.emit(litmus.Op{Kind: litmus.Branch, To: top, Join: -1})
	c.land(b, len(c.th.Ops))
	c.endLoop()
}

// loopBody reads the body; continue goes to its end.
func (c *clike) loopBody(body, after func()) {
	c.loops = append(c.loops, loop{})
	body()
	for _, b := range c.loops[len(c.loops)-1].continues {
		c.land(b, -1)
	}
	if after != nil {
		after()
	}
}

func (c *clike) endLoop() {
	for _, b := range c.loops[len(c.loops)-1].breaks {
		c.land(b, -1)
	}
	c.loops = c.loops[:len(c.loops)-1]
}

func (c *clike) doStatement() {
	c.next()
	top := len(c.th.Ops)
	c.loopBody(func() { c.statement() }, nil)
	at := c.tok.off
	c.expect("while")
	c.expect("(")
	cond := c.expr()
	c.expect(")")
	c.expect(";")
	c.step(at)
	c.emit(litmus.Op{Kind: litmus.Branch, X: bin(litmus.Ne, cond.width(), cond.x, num(0)), To: top, Join: len(c.th.Ops) + 1})
	c.endLoop()
}

// forStatement reads for (init; cond; step) body: the step is read again after the body.
func (c *clike) forStatement() {
	at := c.next().off
	c.expect("(")
	if !c.is(";") {
		c.simple()
	}
	c.expect(";")
	top := len(c.th.Ops)
	b := -1
	if !c.is(";") {
		b = c.test(at, c.expr())
	}
	c.expect(";")
	step := *c.lexer
	for depth := 0; depth > 0 || !c.is(")"); c.next() {
		switch {
		case c.is("("):
			depth++
		case c.is(")"):
			depth--
		case c.tok.kind == 0:
			c.unexpected(`")"`)
		}
	}
	c.next()
	c.loopBody(func() { c.statement() }, func() {
		done := *c.lexer
		*c.lexer = step
		if !c.is(")") {
			c.assignment()
		}
		*c.lexer = done
	})
	c.step(at)
	c.emit(litmus.Op{Kind: litmus.Branch, To: top, Join: -1})
	if b >= 0 {
		c.land(b, len(c.th.Ops))
	}
	c.endLoop()
}

func (c *clike) jumpStatement() {
	t := c.next()
	if len(c.loops) == 0 {
		c.fail(t.off, "%s outside of a loop", t.text)
	}
	c.step(t.off)
	b := c.emit(litmus.Op{Kind: litmus.Branch, To: -1, Join: -1})
	l := &c.loops[len(c.loops)-1]
	if t.text == "break" {
		l.breaks = append(l.breaks, b)
	} else {
		l.continues = append(l.continues, b)
	}
}

// expr reads an expression; what it reads from memory is emitted in the order of the text.
func (c *clike) expr() cval {
	c.enter()
	defer c.leave()
	at := c.tok.off
	cond := c.binaryExpr(0)
	if !c.accept("?") {
		return cond
	}
	first := len(c.th.Ops)
	x := c.expr()
	c.expect(":")
	y := c.expr()
	if len(c.th.Ops) > first {
		c.fail(at, "an access to memory in one arm of ?: is not supported; use if")
	}
	t := wider(x, y)
	return cval{sel(bin(litmus.Ne, cond.width(), cond.x, num(0)), x.to(t), y.to(t)), t}
}

func wider(x, y cval) ctype {
	if y.t.size() > x.t.size() || y.t.size() == x.t.size() && x.t.signed() && !y.t.signed() {
		return y.t
	}
	return x.t
}

var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
	"<<": 8, ">>": 8, ">>>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

func (c *clike) binaryExpr(min int) cval {
	x := c.unary()
	for c.tok.kind == 'p' {
		op := c.tok
		p := precedence[op.text]
		if p == 0 || p <= min {
			break
		}
		c.next()
		if op.text == "&&" || op.text == "||" {
			x = c.shortCircuit(op, x, p)
			continue
		}
		x = c.binary(op.off, op.text, x, c.binaryExpr(p))
	}
	return x
}

// shortCircuit reads the right side of && or ||: it is skipped as C says if it has effects.
func (c *clike) shortCircuit(op token, x cval, p int) cval {
	left := bin(litmus.Ne, x.width(), x.x, num(0))
	t := c.temp()
	c.step(op.off)
	first := c.emit(litmus.Op{Kind: litmus.Set, Dst: t, X: left})
	skip := litmus.Expr(t)
	if op.text == "&&" {
		skip = lnot(t)
	}
	b := c.emit(litmus.Op{Kind: litmus.Branch, X: skip, To: -1, Join: -1})
	y := c.binaryExpr(p)
	right := bin(litmus.Ne, y.width(), y.x, num(0))
	if len(c.th.Ops) == b+1 { // no effects: just a value
		c.th.Ops = c.th.Ops[:first]
		c.th.Instrs = c.th.Instrs[:len(c.th.Instrs)-1]
		return cval{bin(map[string]litmus.BinaryOp{"&&": litmus.And, "||": litmus.Or}[op.text], 64, left, right), cInt}
	}
	both := map[string]litmus.BinaryOp{"&&": litmus.And, "||": litmus.Or}[op.text] // t too: it depends on the left side in any case
	c.set(t, bin(both, 64, t, right))
	c.land(b, len(c.th.Ops))
	return cval{t, cInt}
}

func (c *clike) binary(at int, op string, x, y cval) cval {
	t := wider(x, y)
	if t.size() < 4 {
		t = cInt
	}
	w := cval{nil, t}.width()
	a, b := x.to(t), y.to(t)
	signed := t.signed()
	choose := func(s, u litmus.BinaryOp) litmus.BinaryOp {
		if signed {
			return s
		}
		return u
	}
	truth := func(op litmus.BinaryOp, a, b litmus.Expr) cval { return cval{bin(op, w, a, b), cInt} }
	if (op == "+" || op == "-") && x.t.stars > 0 && y.t.stars == 0 {
		b = bin(litmus.Mul, 64, y.to(ctype{Type: litmus.Type{Name: "long", Size: 8, Signed: true}}), num(int64(x.t.deref().size())))
		t = x.t
	}
	switch op {
	case "+":
		return cval{bin(litmus.Add, w, a, b), t}
	case "-":
		return cval{bin(litmus.Sub, w, a, b), t}
	case "*":
		return cval{bin(litmus.Mul, w, a, b), t}
	case "/":
		return cval{bin(choose(litmus.SDiv, litmus.UDiv), w, a, b), t}
	case "%":
		return cval{bin(choose(litmus.SRem, litmus.URem), w, a, b), t}
	case "&":
		return cval{bin(litmus.And, w, a, b), t}
	case "|":
		return cval{bin(litmus.Or, w, a, b), t}
	case "^":
		return cval{bin(litmus.Xor, w, a, b), t}
	case "<<":
		return cval{bin(litmus.Shl, x.width(), x.x, y.x), x.t}
	case ">>":
		if x.t.signed() {
			return cval{bin(litmus.AShr, x.width(), x.x, y.x), x.t}
		}
		return cval{bin(litmus.LShr, x.width(), x.x, y.x), x.t}
	case ">>>":
		return cval{bin(litmus.LShr, x.width(), x.x, y.x), x.t}
	case "==":
		return truth(litmus.Eq, a, b)
	case "!=":
		return truth(litmus.Ne, a, b)
	case "<":
		return truth(choose(litmus.SLt, litmus.ULt), a, b)
	case "<=":
		return truth(choose(litmus.SLe, litmus.ULe), a, b)
	case ">":
		return truth(choose(litmus.SLt, litmus.ULt), b, a)
	case ">=":
		return truth(choose(litmus.SLe, litmus.ULe), b, a)
	}
	c.fail(at, "no operator is called %q", op)
	return cval{}
}

// castAhead reports whether ( type ) is here.
func (c *clike) castAhead() bool {
	save := *c.lexer
	defer func() { *c.lexer = save }()
	c.next()
	_, ok := c.typ()
	return ok
}

func (c *clike) unary() cval {
	c.enter()
	defer c.leave()
	at := c.tok.off
	switch {
	case c.accept("!"):
		x := c.unary()
		return cval{bin(litmus.Eq, x.width(), x.x, num(0)), cInt}
	case c.accept("~"):
		x := c.unary()
		return cval{un(litmus.Not, x.width(), x.x), x.t}
	case c.accept("-"):
		x := c.unary()
		if v, ok := x.x.(litmus.Value); ok && v.Kind == litmus.Int {
			return cval{litmus.Number(-int64(v.Int)), x.t}
		}
		return cval{un(litmus.Neg, x.width(), x.x), x.t}
	case c.accept("+"):
		return c.unary()
	case c.accept("&"):
		c.pointers(at)
		if c.tok.kind == 'i' && c.peek().text != "[" {
			v := c.primary()
			if _, ok := v.x.(litmus.Value); !ok { // a parameter is the address of a variable of the test
				c.fail(at, "the address of a local variable is not supported")
			}
			return v
		}
		l := c.lvalue()
		if l.addr == nil {
			c.fail(at, "the address of a local variable is not supported")
		}
		return cval{l.addr, ctype{l.t.Type, l.t.stars + 1}}
	case c.accept("*"):
		c.pointers(at)
		p := c.unary()
		return c.readPlace(at, lval{addr: p.x, t: p.t.deref()})
	case c.is("("):
		if c.castAhead() {
			c.next()
			t, _ := c.typ()
			for c.accept("*") {
				t.stars++
			}
			c.expect(")")
			v := c.unary()
			return cval{v.to(t), t}
		}
		c.next()
		x := c.expr()
		c.expect(")")
		return c.postfix(at, x)
	case c.tok.kind == 'n':
		n := c.parseNumber(c.next())
		t := cInt
		if n != int64(int32(n)) && n != int64(uint32(n)) {
			t = ctype{Type: litmus.Type{Name: "long", Size: 8, Signed: true}}
		}
		return cval{num(n), t}
	case c.tok.kind == 'i':
		return c.postfix(at, c.primary())
	}
	c.unexpected("an expression")
	return cval{}
}

func (c *clike) postfix(at int, x cval) cval {
	for c.is("[") {
		x = c.readPlace(at, c.index(x))
	}
	if c.is("->") {
		c.fail(c.tok.off, "a field of a struct is not supported")
	}
	return x
}

// exprs reads (a, b, …).
func (c *clike) exprs() []cval {
	c.expect("(")
	return c.restOfExprs()
}

// restOfExprs reads up to the parenthesis that closes a list.
func (c *clike) restOfExprs() []cval {
	var list []cval
	for !c.is(")") {
		list = append(list, c.expr())
		if !c.accept(",") && !c.is(")") {
			c.unexpected(`"," or ")"`)
		}
	}
	c.next()
	return list
}
