package litmus

import (
	"strings"

	"ravel/internal/litmus"
)

// initial reads the initial state, { item; … }, and returns what follows it.
func (p *parser) initial(off int) int {
	l := newLexer(p.source, plainText, off, len(p.text))
	open := l.tok.off
	l.expect("{")
	for !l.is("}") {
		if l.accept(";") {
			continue
		}
		if l.tok.kind == 0 {
			p.fail(open, "this initial state has no end")
		}
		p.initItem(l)
		if !l.is(";") && !l.is("}") {
			l.unexpected(`";" or "}"`)
		}
	}
	end := l.tok.off + 1
	return p.skipEmpty(end)
}

// skipEmpty skips a semicolon after the initial state.
func (p *parser) skipEmpty(off int) int {
	i := p.skipSpace(off, len(p.text), false)
	if i < len(p.text) && p.text[i] == ';' {
		return i + 1
	}
	return off
}

func (p *parser) initItem(l *lexer) {
	start := l.tok.off
	words, stars := p.typeWords(l)
	typ := intType
	if len(words) > 0 {
		var ok bool
		if typ, ok = makeType(words, stars); !ok {
			if name := words[0]; strings.HasPrefix(name, "pteval") || strings.HasPrefix(name, "parel") {
				p.refuse(start, featVM, "type "+name)
			}
			if isVector(words[0]) {
				p.refuse(start, featVector, "type "+words[0])
			}
			p.fail(start, "no type is called %q", strings.Join(words, " "))
		}
	}
	if p.initReg(l, typ) {
		return
	}
	bracket := !l.is("*") && l.accept("[")
	if !bracket {
		l.accept("*")
	}
	at := l.tok.off
	name := l.ident("a variable or a register")
	if l.is("(") {
		p.refuseCall(at, name)
	}
	index := -1
	if bracket {
		if l.accept("[") { // [a[1]]
			index = int(l.number())
			l.expect("]")
		}
		l.expect("]")
	}
	v := p.variable(at, name)
	if len(words) > 0 {
		v.Type, v.Typed = typ, true
		if p.test.Arch == litmus.BPF {
			v.Type.Size = bpfSize
		}
	}
	if !bracket && l.accept("[") {
		n := -1
		if !l.is("]") {
			n = int(l.number())
		}
		l.expect("]")
		if len(words) > 0 || n < 0 {
			p.initArray(l, v, at, n)
			return
		}
		index = n
	}
	if !l.accept("=") {
		return
	}
	if l.is("{") {
		p.initElements(l, v, at, -1)
		return
	}
	val := p.value(l)
	if index < 0 {
		v.Init[0] = val
		return
	}
	v.Array = true
	if index < 0 || index >= maxArray {
		p.fail(at, "an array has at most %d elements", maxArray)
	}
	for len(v.Init) <= index {
		v.Init = append(v.Init, litmus.Value{})
	}
	v.Init[index] = val
}

// initArray reads what may follow name[n].
func (p *parser) initArray(l *lexer, v *litmus.Var, at, n int) {
	if n == 0 || n > maxArray {
		p.fail(at, "an array has 1 to %d elements", maxArray)
	}
	v.Array = true
	if n > 0 {
		v.Init = make([]litmus.Value, n)
	}
	if l.accept("=") {
		p.initElements(l, v, at, n)
	} else if n < 0 {
		p.fail(at, "how many elements has this array?")
	}
}

// initElements reads {v, …} for an array of n elements, or of as many as there are values if n is -1.
func (p *parser) initElements(l *lexer, v *litmus.Var, at, n int) {
	vals := p.values(l)
	if n >= 0 && len(vals) > n {
		p.fail(at, "%d values for %d elements", len(vals), n)
	}
	for n >= 0 && len(vals) < n {
		vals = append(vals, litmus.Value{})
	}
	v.Array, v.Init = true, vals
}

// values reads {v, …}.
func (p *parser) values(l *lexer) []litmus.Value {
	l.expect("{")
	var vals []litmus.Value
	for !l.is("}") {
		vals = append(vals, p.value(l))
		if len(vals) > maxArray {
			l.fail(l.tok.off, "an array has at most %d elements", maxArray)
		}
		if !l.accept(",") && !l.is("}") {
			l.unexpected(`"," or "}"`)
		}
	}
	if len(vals) == 0 {
		l.unexpected("a value")
	}
	l.next()
	return vals
}

// typeWords reads a type, if one is here, and its stars.
func (p *parser) typeWords(l *lexer) (words []string, stars int) {
	save := *l
	for l.tok.kind == 'i' && !isThread(l) {
		words = append(words, l.next().text)
	}
	for l.accept("*") {
		stars++
	}
	// The last word is the name, unless a thread's register, a star or a symbolic register follows.
	if len(words) > 0 && stars == 0 && l.tok.kind != 'n' && !isThread(l) && !l.is("%") {
		words = words[:len(words)-1]
	}
	*l = save
	for range words {
		l.next()
	}
	for i := 0; len(words) > 0 && i < stars; i++ {
		l.next()
	}
	return words, stars
}

// isThread reports whether P0: is here, as in P0:EAX.
func isThread(l *lexer) bool {
	_, ok := threadName(l.tok.text)
	return ok && l.tok.kind == 'i' && l.peek().text == ":"
}

// threadName returns n of Pn.
func threadName(s string) (int, bool) {
	if len(s) < 2 || len(s) > 4 || s[0] != 'P' {
		return 0, false
	}
	n := 0
	for _, c := range s[1:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// initReg reads the initial value of a register, if one is here.
func (p *parser) initReg(l *lexer, typ litmus.Type) bool {
	thread, reg := -1, litmus.Reg("")
	at := l.tok.off
	switch {
	case l.is("%"):
		reg = p.symbolicReg(l)
	case l.tok.kind == 'n' || isThread(l):
		thread, reg = p.threadReg(l)
	default:
		return false
	}
	init := litmus.RegInit{Reg: reg, Type: typ}
	if l.accept("=") {
		init.Value = p.value(l)
	}
	if thread >= maxThreads {
		p.fail(at, "a test has at most %d threads", maxThreads)
	}
	p.regs = append(p.regs, threadReg{thread, init})
	return true
}

// symbolicReg reads %name.
func (p *parser) symbolicReg(l *lexer) litmus.Reg {
	l.expect("%")
	return litmus.Reg("%" + l.ident("the name of a register"))
}

// threadReg reads 0:reg or P0:reg.
func (p *parser) threadReg(l *lexer) (int, litmus.Reg) {
	var thread int
	if n, ok := threadName(l.tok.text); ok && l.tok.kind == 'i' {
		thread = n
		l.next()
	} else {
		thread = int(l.number())
	}
	l.expect(":")
	return thread, p.register(l)
}

// register reads the name of a register.
func (p *parser) register(l *lexer) litmus.Reg {
	if l.is("%") {
		if p.test.Arch == litmus.X86_64 || p.test.Arch == litmus.X86 {
			l.next()
		} else {
			return p.symbolicReg(l)
		}
	}
	at := l.tok.off
	if p.test.Arch == litmus.MIPS && l.accept("$") {
		n := l.next().text
		if r, ok := mipsReg("r" + n); ok {
			return r
		}
		p.noRegister(at, "$"+n)
	}
	name := l.ident("a register")
	if p.dia.reg == nil {
		return litmus.Reg(name)
	}
	if r, ok := p.dia.reg(name); ok {
		return r
	}
	p.noRegister(at, name)
	return ""
}

// noRegister says why a name is not a register that we have.
func (p *parser) noRegister(at int, name string) {
	if p.test.Arch == litmus.AArch64 {
		if f := aarch64RegFeature(name); f != "" {
			p.refuse(at, f, "register "+name)
		}
	}
	p.fail(at, "%s has no register %q", p.test.Arch, name)
}

// value reads a value: a number, an address, a label.
func (p *parser) value(l *lexer) litmus.Value {
	at := l.tok.off
	switch {
	case l.tok.kind == 'n' || l.is("-") || l.is("+"):
		n := l.number()
		if l.is(":") && l.peek().kind == 'i' && n >= 0 { // 1:L0, a label
			l.next()
			return litmus.Value{Kind: litmus.Code, Int: uint64(n), Sym: l.next().text}
		}
		return litmus.Number(n)
	case l.is("("):
		if n := l.peek(); n.kind == 'i' {
			p.refuse(at, featVM, "a page table entry as a value")
		}
		l.next()
		v := p.value(l)
		l.expect(")")
		return v
	case l.is(":"):
		p.refuse(at, featTags, "a tag as a value")
	case l.accept("&"):
	case l.accept("["):
		v := p.value(l)
		l.expect("]")
		return v
	}
	if n, ok := threadName(l.tok.text); ok && l.peek().text == ":" {
		l.next()
		l.next()
		return litmus.Value{Kind: litmus.Code, Int: uint64(n), Sym: l.ident("a label")}
	}
	name := l.ident("a value")
	switch {
	case p.test.Arch == litmus.Java && (name == "true" || name == "false" || name == "null"):
		return litmus.Bool(name == "true")
	case name == "instr" && l.is(":"):
		p.refuse(at, featCode, "an instruction as a value")
	case name == "label" && l.accept(":"):
		text := strings.Trim(l.next().text, `"`)
		thread, label, _ := strings.Cut(text, ":")
		n, ok := threadName(thread)
		if !ok {
			p.fail(at, `a label is "P0:name"`)
		}
		return litmus.Value{Kind: litmus.Code, Int: uint64(n), Sym: label}
	case strings.HasSuffix(name, "_INIT") && l.accept("("): // ATOMIC_INIT
		v := p.value(l)
		l.expect(")")
		return v
	case strings.HasPrefix(name, "__SPIN_LOCK_UNLOCKED"):
		if l.accept("(") {
			l.next()
			l.expect(")")
		}
		return litmus.Value{}
	}
	if l.is("(") {
		p.refuseCall(at, name)
	}
	v := litmus.AddrOf(name, 0)
	if l.accept("[") {
		index := l.number()
		l.expect("]")
		v.Int = uint64(index * int64(p.variable(at, name).Type.Size))
	}
	if l.is(":") {
		l.next()
		if tag := l.ident("a tag"); tag != "green" { // green is what all memory has
			p.refuse(at, featTags, name+":"+tag)
		}
	}
	if (l.is("+") || l.is("-")) && l.peek().kind == 'n' {
		v.Int += uint64(l.number())
	}
	p.variable(at, name)
	return v
}

// refuseCall says what name( belongs to: page tables, tags, signed pointers, shadow stacks.
func (p *parser) refuseCall(at int, name string) {
	features := map[string]string{"pte": featVM, "pa": featVM, "tag": featTags, "ss": featGCS}
	f := features[strings.ToLower(name)]
	if strings.HasPrefix(name, "pac") {
		f = featPAC
	}
	if f != "" {
		p.refuse(at, f, name+"(…)")
	}
	p.fail(at, "%s(…) is no variable and no value", name)
}

// isVector reports whether a type is one of vectors, such as int32x4_t.
func isVector(name string) bool {
	n := strings.IndexByte(name, 'x')
	digit := func(i int) bool { return name[i] >= '0' && name[i] <= '9' }
	return n > 0 && n+1 < len(name) && digit(n-1) && digit(n+1)
}
