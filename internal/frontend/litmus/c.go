package litmus

import (
	"strings"

	"ravel/internal/litmus"
)

func init() { register(litmus.C, dialect{read: readC}) }

// A cthread is one thread in C.
type cthread struct {
	clike
	params map[string]ctype
}

// readC reads the functions P0(…) { … } of a test.
func readC(p *parser, off int) int {
	for {
		off = p.skipTop(off)
		if off >= len(p.text) || p.atSection(off) {
			break
		}
		l := newLexer(p.source, cText, off, len(p.text))
		for l.is("void") || l.is("static") {
			l.next()
		}
		at := l.tok.off
		name := l.ident("a thread: P0(…) { … }")
		n, ok := threadName(name)
		if !ok {
			p.fail(at, "%q is not a thread: those are P0, P1, …", name)
		}
		if len(p.test.Threads) >= maxThreads {
			p.fail(at, "a test has at most %d threads", maxThreads)
		}
		for _, t := range p.test.Threads {
			if t.ID == n {
				p.fail(at, "thread %s is here twice", name)
			}
		}
		c := &cthread{clike{lexer: l, builder: newBuilder(p, n), locals: map[string]ctype{}}, map[string]ctype{}}
		c.primary, c.typ, c.special = c.value, c.cType, func() bool { return false }
		c.parameters()
		open := l.tok.off
		if !l.is("{") {
			l.unexpected(`"{"`)
		}
		end := open + closing(p.source, open)
		l.end = end
		c.body()
		c.finish(func(int) int { return at })
		off = end
	}
	return off
}

// skipTop skips blanks and comments of both kinds between functions.
func (p *parser) skipTop(off int) int {
	for {
		next := p.skipSpace(p.skipSpace(off, len(p.text), true), len(p.text), false)
		if next == off {
			return off
		}
		off = next
	}
}

// closing returns how far it is from a brace to after the one that closes it; comments of C are skipped.
func closing(s *source, open int) int {
	depth := 0
	for i := open; i < len(s.text); {
		if next := s.skipSpace(i, len(s.text), true); next > i {
			i = next
			continue
		}
		switch s.text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1 - open
			}
		}
		i++
	}
	s.fail(open, "this block has no end")
	return 0
}

// body reads the body of a function, with which the text of the lexer ends.
func (c *cthread) body() {
	c.block()
	if c.tok.kind != 0 {
		c.unexpected("the end of the function")
	}
}

func (c *cthread) parameters() {
	c.expect("(")
	for !c.accept(")") {
		at := c.tok.off
		t, ok := c.cType()
		if !ok {
			c.fail(at, "a parameter is a type and the name of a variable")
		}
		for c.is("*") || qualifiers[c.tok.text] {
			if c.next().text == "*" {
				t.stars++
			}
		}
		if c.is(")") && t.stars == 0 { // (void)
			continue
		}
		at = c.tok.off
		name := c.ident("the name of a variable")
		if c.accept("[") {
			if c.tok.kind == 'n' {
				c.number()
			}
			c.expect("]")
			t.stars++
		}
		if t.stars == 0 {
			t.stars = 1
		}
		c.params[name] = t
		if v := c.p.variable(at, name); !v.Typed {
			v.Type, v.Typed = t.deref().regType(), true
		}
		if !c.accept(",") && !c.is(")") {
			c.unexpected(`"," or ")"`)
		}
	}
}

// cType reads a type if one is here, without stars.
func (c *cthread) cType() (ctype, bool) {
	var words []string
	save := *c.lexer
	for c.tok.kind == 'i' {
		w := c.tok.text
		_, isType := scalarTypes[w]
		if !qualifiers[w] && !isType && w != "struct" && w != "unsigned" && !(len(words) > 0 && words[len(words)-1] == "struct") {
			break
		}
		if next := c.peek().text; next == "=" || next == ";" || next == "(" && !qualifiers[w] { // a variable with the name of a type
			break
		}
		words = append(words, c.next().text)
	}
	if len(words) == 0 {
		return ctype{}, false
	}
	t, ok := makeType(words, 0)
	if !ok {
		at := c.tok.off
		*c.lexer = save
		c.fail(at, "type %s is not supported", strings.Join(words, " "))
	}
	stars := 0
	for c.accept("*") {
		stars++
	}
	return ctype{t, stars}, true
}

// value reads a name or a call.
func (c *cthread) value() cval {
	t := c.tok
	switch c.peek().text {
	case "(":
		return c.call()
	case "{":
		return c.lkmmCore()
	}
	c.next()
	switch t.text {
	case "true":
		return cval{num(1), cInt}
	case "false", "NULL":
		return cval{num(0), cInt}
	}
	if p, ok := c.params[t.text]; ok {
		if _, local := c.locals[t.text]; !local {
			return cval{litmus.AddrOf(t.text, 0), p}
		}
	}
	return c.name(t.off, t.text)
}

// cOrders are the memory orders of C11, as sets.
var cOrders = map[string]string{
	"memory_order_relaxed": "RLX", "memory_order_consume": "CON", "memory_order_acquire": "ACQ", "memory_order_release": "REL",
	"memory_order_acq_rel": "ACQ_REL", "memory_order_seq_cst": "SC",
}

func (c *cthread) order() string {
	at := c.tok.off
	name := c.ident("a memory order")
	o, ok := cOrders[strings.TrimPrefix(name, "std::")]
	if !ok {
		c.fail(at, "no memory order is called %q", name)
	}
	return o
}

// call reads a call: C11's atomics here, the kernel's macros in lkmm.go.
// pointer reads a pointer; an element of an array stands for its address, as in herd.
func (c *cthread) pointer() cval {
	if p, ok := c.params[c.tok.text]; ok && p.stars == 1 && c.peek().text == "[" {
		l := c.lvalue()
		return cval{l.addr, p}
	}
	return c.expr()
}

func (c *cthread) call() cval {
	at := c.tok.off
	name := c.next().text
	if f, ok := strings.CutPrefix(name, "atomic_"); ok {
		explicit := strings.HasSuffix(f, "_explicit")
		f = strings.TrimSuffix(f, "_explicit")
		order := func() string {
			if !explicit {
				return "SC"
			}
			c.expect(",")
			return c.order()
		}
		switch f {
		case "load":
			c.expect("(")
			p := c.pointer()
			o := order()
			c.expect(")")
			c.step(at)
			t, _ := c.load(p.x, p.t.deref().size(), "A", o)
			return cval{t, p.t.deref()}
		case "store", "init":
			c.expect("(")
			p := c.pointer()
			c.expect(",")
			v := c.expr()
			o := order()
			c.expect(")")
			c.step(at)
			if f == "init" {
				c.store(p.x, v.to(p.t.deref()), p.t.deref().size(), "NA")
			} else {
				c.store(p.x, v.to(p.t.deref()), p.t.deref().size(), "A", o)
			}
			return cval{num(0), cInt}
		case "thread_fence", "signal_fence":
			c.expect("(")
			o := c.order()
			c.expect(")")
			c.step(at)
			if f == "thread_fence" {
				c.fence(o)
			}
			return cval{num(0), cInt}
		case "compare_exchange_strong", "compare_exchange_weak":
			return c.compareExchange(at, f, explicit)
		}
		if op, ok := c11RMW[f]; ok && explicit {
			c.expect("(")
			p := c.pointer()
			c.expect(",")
			v := c.expr()
			o := order()
			c.expect(")")
			return c.fetch(at, op, p, v, o)
		} else if ok {
			args := c.exprs()
			c.count(at, name, args, 2)
			if f == "exchange" || args[0].t.stars > 0 {
				return c.fetch(at, op, args[0], args[1], "SC")
			}
			return c.lkmmFetch(at, f, args) // the kernel has the value first
		}
	}
	if v, ok := c.lkmm(at, name); ok {
		return v
	}
	c.fail(at, "no function is called %q", name)
	return cval{}
}

var c11RMW = map[string]string{"exchange": "SWAP", "fetch_add": "ADD", "fetch_sub": "SUB", "fetch_or": "OR", "fetch_and": "AND", "fetch_xor": "XOR"}

// fetch is an exchange or an operation that returns the old value.
func (c *cthread) fetch(at int, op string, p, v cval, o string) cval {
	t := p.t.deref()
	c.step(at)
	old, n := c.load(p.x, t.size(), "A", o, "RMW")
	c.storePair(n, nil, p.x, atomicOps[op](8*t.size(), old, v.to(t)), t.size(), "A", o, "RMW")
	return cval{old, t}
}

// compareExchange reads (p, expected, new[, order, order on failure]): expected points to memory, which is
// read first and written on failure.
func (c *cthread) compareExchange(at int, f string, explicit bool) cval {
	c.expect("(")
	p := c.pointer()
	c.expect(",")
	e := c.pointer()
	c.expect(",")
	v := c.expr()
	success, failure := "SC", "SC"
	if explicit {
		c.expect(",")
		success = c.order()
		c.expect(",")
		failure = c.order()
	}
	c.expect(")")
	t := p.t.deref()
	c.step(at)
	want, _ := c.load(e.x, t.size(), "NA")
	c.step(at)
	ok := c.temp()
	if f == "compare_exchange_weak" {
		c.emit(litmus.Op{Kind: litmus.Choose, Dst: ok})
	}
	old, n := c.load(p.x, t.size(), "A", success, "RMW")
	c.th.Ops[n].Else = []string{"A", failure}
	same := bin(litmus.Eq, 8*t.size(), old, want)
	if f == "compare_exchange_weak" {
		same = bin(litmus.And, 64, ok, same)
	}
	c.set(ok, same)
	c.storePair(n, ok, p.x, v.to(t), t.size(), "A", success, "RMW")
	c.step(at)
	c.emit(litmus.Op{Kind: litmus.Store, Addr: e.x, X: old, Size: uint8(t.size()), Sets: []string{"NA"}, If: lnot(ok)})
	return cval{ok, cInt}
}
