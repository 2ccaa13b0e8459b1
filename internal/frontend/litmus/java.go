package litmus

import (
	"strconv"
	"strings"
)

// A jthread is one thread in Java; handles are its VarHandles.
type jthread struct {
	clike
	handles map[string]Value
}

// readJava reads Thread0 { … } Thread1 { … } …
func readJava(p *parser, off int) int {
	for n := 0; ; n++ {
		off = p.skipTop(off)
		if off >= len(p.text) || p.atSection(off) {
			return off
		}
		l := newLexer(p.source, cText, off, len(p.text))
		at := l.tok.off
		name := l.ident("Thread0 { … }")
		if name != "Thread"+strconv.Itoa(n) || n >= maxThreads {
			p.fail(at, "%q where Thread%d should be: threads are in order", name, n)
		}
		if !l.is("{") {
			l.unexpected(`"{"`)
		}
		end := l.tok.off + closing(p.source, l.tok.off)
		l.end = end
		j := &jthread{clike{lexer: l, builder: newBuilder(p, n), locals: map[string]ctype{}}, map[string]Value{}}
		j.primary, j.typ, j.special = j.value, j.javaType, func() bool { return false }
		var others []threadReg
		for _, r := range p.regs {
			if r.thread == n && r.init.Value.Kind == Addr && isHandle(string(r.init.Reg)) {
				j.handles[string(r.init.Reg)] = r.init.Value
			} else {
				others = append(others, r)
			}
		}
		p.regs = others
		j.block()
		if j.tok.kind != 0 {
			j.unexpected("the end of the thread")
		}
		j.finish(func(int) int { return at })
		off = end
	}
}

func isHandle(name string) bool { return name == strings.ToUpper(name) }

func (j *jthread) javaType() (ctype, bool) {
	t, ok := map[string]ctype{"int": cInt, "long": {Type: Type{"long", 8, true}}, "boolean": {Type: Type{"boolean", 4, false}}, "final": cInt}[j.tok.text]
	if !ok || j.tok.kind != 'i' {
		return ctype{}, false
	}
	if j.next().text == "final" {
		return j.javaType()
	}
	return t, true
}

var javaFences = map[string][]string{
	"fullFence": {"V"}, "acquireFence": {"RA", "ACQ"}, "releaseFence": {"RA", "REL"}, "loadLoadFence": {"RA", "ACQ"}, "storeStoreFence": {"RA", "REL"},
}

// value reads a name, a fence or a method of a VarHandle.
func (j *jthread) value() cval {
	t := j.next()
	if t.text == "VarHandle" && j.accept(".") {
		t = j.next()
	}
	if f, ok := javaFences[t.text]; ok && j.is("(") {
		j.next()
		j.expect(")")
		j.step(t.off)
		j.fence(f...)
		return cval{num(0), cInt}
	}
	switch {
	case t.text == "true" || t.text == "false":
		return cval{truthValue(t.text == "true"), cInt}
	case j.is("."):
		return j.method(t)
	case j.is("("):
		j.fail(t.off, "no method is called %q", t.text)
	}
	if _, ok := j.locals[t.text]; !ok && isHandle(t.text) {
		j.fail(t.off, "a VarHandle is used by its methods only: %s.get()", t.text)
	}
	return j.name(t.off, t.text)
}

// javaModes are the sets of the read and of the write of an access mode.
var javaModes = map[string][2][]string{
	"": {nil, nil}, "Plain": {nil, nil}, "Opaque": {{"O"}, {"O"}}, "Acquire": {{"RA", "ACQ"}, nil}, "Release": {nil, {"RA", "REL"}}, "Volatile": {{"V"}, {"V"}},
}

// method reads X.name(args).
func (j *jthread) method(h token) cval {
	addr, ok := j.handles[h.text]
	if !ok {
		j.fail(h.off, "VarHandle %s is not bound in the initial state: write %d:%s=x there", h.text, j.th.ID, h.text)
	}
	j.expect(".")
	at := j.tok.off
	name := j.ident("a method")
	t := cInt
	if v := j.p.vars[addr.Sym]; v != nil && v.typed {
		t = ctype{Type: v.Type}
		if t.Name == "" {
			t.Name = "int"
		}
	}
	args := j.exprs()
	want := func(n int) {
		if len(args) != n {
			j.fail(at, "%s takes %d arguments, not %d", name, n, len(args))
		}
	}
	m, mode := cut(name, "Plain", "Opaque", "Acquire", "Release", "Volatile")
	sets := javaModes[mode]
	size := t.size()
	j.step(h.off)
	switch {
	case m == "get" && mode != "Release" && mode != "Plain":
		want(0)
		r, _ := j.load(addr, size, sets[0]...)
		return cval{r, t}
	case m == "set" && mode != "Acquire" && mode != "Plain":
		want(1)
		j.store(addr, args[0].to(t), size, sets[1]...)
		return cval{num(0), cInt}
	}
	if mode == "" && !strings.HasPrefix(m, "weakCompareAndSetPlain") {
		sets = javaModes["Volatile"]
	}
	read, write := append([]string{"RMW"}, sets[0]...), append([]string{"RMW"}, sets[1]...)
	switch m {
	case "compareAndExchange", "compareAndSet", "weakCompareAndSet":
		if m == "compareAndSet" && mode != "" || m == "compareAndExchange" && mode == "Plain" || mode == "Opaque" {
			break
		}
		want(2)
		ok := j.temp()
		if m == "weakCompareAndSet" {
			j.emit(Op{Kind: Choose, Dst: ok})
		}
		old, n := j.load(addr, size, read...)
		j.th.Ops[n].Else = append([]string{}, sets[0]...)
		same := bin(Eq, 8*size, old, args[0].to(t))
		if m == "weakCompareAndSet" {
			same = bin(And, 64, ok, same)
		}
		j.set(ok, same)
		j.storePair(n, ok, addr, args[1].to(t), size, write...)
		if m == "compareAndExchange" {
			return cval{old, t}
		}
		return cval{ok, cInt}
	case "getAndSet", "getAndAdd", "getAndBitwiseOr", "getAndBitwiseAnd", "getAndBitwiseXor":
		if mode == "Plain" || mode == "Opaque" || mode == "Volatile" {
			break
		}
		want(1)
		op := map[string]string{"getAndSet": "SWAP", "getAndAdd": "ADD", "getAndBitwiseOr": "OR", "getAndBitwiseAnd": "AND", "getAndBitwiseXor": "XOR"}[m]
		old, n := j.load(addr, size, read...)
		j.storePair(n, nil, addr, atomicOps[op](8*size, old, args[0].to(t)), size, write...)
		return cval{old, t}
	}
	j.fail(at, "VarHandle has no method %q", name)
	return cval{}
}
