package litmus

import (
	"strconv"
	"strings"

	"ravel/internal/litmus"
)

func init() { register(litmus.Java, dialect{read: readJava}) }

// A jthread is one thread in Java; handles are its VarHandles, held the monitors of the synchronized blocks that are open.
type jthread struct {
	clike
	handles map[string]litmus.Value
	held    []litmus.Value
	threads *[]threadUse // that are started or waited for
}

// A threadUse is a place where a thread is named.
type threadUse struct{ off, id int }

// readJava reads Thread0 { … } Thread1 { … } …
func readJava(p *parser, off int) int {
	var threads []threadUse
	for n := 0; ; n++ {
		off = p.skipTop(off)
		if off >= len(p.text) || p.atSection(off) {
			for _, u := range threads {
				if u.id >= n {
					p.fail(u.off, "there is no Thread%d", u.id)
				}
			}
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
		j := &jthread{clike: clike{lexer: l, builder: newBuilder(p, n), locals: map[string]ctype{}, java: true}, handles: map[string]litmus.Value{}, threads: &threads}
		j.primary, j.typ, j.special = j.value, j.javaType, j.synchronized
		var others []threadReg
		for _, r := range p.regs {
			if r.thread == n && r.init.Value.Kind == litmus.Addr && isHandle(string(r.init.Reg)) {
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
		for name, t := range j.locals {
			if _, ok := j.th.Types[litmus.Reg(name)]; !ok {
				j.th.Types[litmus.Reg(name)] = t.regType()
			}
		}
		off = end
	}
}

// synchronized reads synchronized (m) { … }: m is a monitor, by any name.
func (j *jthread) synchronized() bool {
	if len(j.held) > 0 && (j.is("return") || j.is("break") || j.is("continue")) {
		j.fail(j.tok.off, "%s in a synchronized block is not supported", j.tok.text)
	}
	if !j.is("synchronized") {
		return false
	}
	at := j.next().off
	j.expect("(")
	name := j.tok.off
	addr := j.monitor(name, j.ident("a monitor"))
	j.expect(")")
	j.step(at)
	j.emit(litmus.Op{Kind: litmus.Lock, Addr: addr})
	j.held = append(j.held, addr)
	j.block()
	j.held = j.held[:len(j.held)-1]
	j.step(at)
	j.emit(litmus.Op{Kind: litmus.Unlock, Addr: addr})
	return true
}

// monitor returns the monitor of a name.
func (j *jthread) monitor(off int, name string) litmus.Value {
	if h, ok := j.handles[name]; ok {
		return h
	}
	return j.p.addr(off, name)
}

// wait reads the rest of m.wait(), m.notify() or m.notifyAll(). A thread that waits may go on without being notified (17.2.1), and a
// notification synchronizes with nothing (17.4.5): so wait releases the monitor and takes it again, as often as the thread holds it, and
// notify does nothing.
func (j *jthread) wait(m token, method string) cval {
	args := j.exprs()
	if method != "wait" && len(args) > 0 || len(args) > 1 {
		j.fail(m.off, "%s.%s takes fewer arguments than %d", m.text, method, len(args))
	}
	addr := j.monitor(m.off, m.text)
	times := 0
	for _, h := range j.held {
		if h == addr {
			times++
		}
	}
	if times == 0 {
		j.fail(m.off, "%s.%s() throws outside of synchronized (%s) { … }", m.text, method, m.text)
	}
	if method != "wait" {
		return cval{num(0), cInt}
	}
	for _, h := range j.held[len(j.held)-times:] {
		if h != addr {
			j.fail(m.off, "%s.wait() is not supported where the monitor %s is held, too, since later", m.text, h.Sym)
		}
	}
	j.step(m.off)
	for _, kind := range []litmus.Kind{litmus.Unlock, litmus.Lock} {
		for range times {
			j.emit(litmus.Op{Kind: kind, Addr: addr})
		}
	}
	return cval{num(0), cInt}
}

// thread reads Thread1.start() and Thread1.join().
func (j *jthread) thread(t token, id int) cval {
	j.expect(".")
	at := j.tok.off
	kind, ok := map[string]litmus.Kind{"start": litmus.Start, "join": litmus.Join}[j.ident("start() or join()")]
	if !ok {
		j.fail(at, "a thread has start() and join() only")
	}
	j.expect("(")
	j.expect(")")
	if id == j.th.ID {
		j.fail(t.off, "a thread that starts or waits for itself")
	}
	j.step(t.off)
	j.emit(litmus.Op{Kind: kind, X: num(int64(id))})
	*j.threads = append(*j.threads, threadUse{t.off, id})
	return cval{num(0), cInt}
}

func isHandle(name string) bool { return name == strings.ToUpper(name) }

func (j *jthread) javaType() (ctype, bool) {
	t, ok := map[string]ctype{"int": cInt, "long": {Type: litmus.Type{Name: "long", Size: 8, Signed: true}}, "boolean": {Type: litmus.Type{Name: "boolean", Size: 4, Signed: false}}, "var": cInt, "final": cInt}[j.tok.text]
	if !ok || j.tok.kind != 'i' {
		return ctype{}, false
	}
	if j.next().text == "final" {
		return j.javaType()
	}
	return t, true
}

var javaFences = map[string][]string{
	"fullFence": {"V"}, "acquireFence": {"RA", "ACQ"}, "releaseFence": {"RA", "REL"}, "loadLoadFence": {"RA", "ACQ", "LL"}, "storeStoreFence": {"RA", "REL", "SS"},
}

// value reads a name, a fence or a method of a VarHandle.
func (j *jthread) value() cval {
	t := j.next()
	if t.text == "VarHandle" && j.accept(".") {
		t = j.next()
	}
	if t.text == "System" && j.accept(".") { // System.out.println(x)
		if out := j.next(); out.text != "out" || !j.accept(".") || !j.is("println") && !j.is("print") {
			j.fail(t.off, "of System, only System.out.println(x) is supported")
		}
		t = j.next()
		t.text = "print"
	}
	if t.text == "Thread" && j.is(".") {
		return j.pause()
	}
	if f, ok := javaFences[t.text]; ok && j.is("(") {
		j.next()
		j.expect(")")
		j.step(t.off)
		j.fence(f...)
		return cval{num(0), cInt}
	}
	if t.text == "print" && j.is("(") {
		args := j.exprs()
		if len(args) != 1 {
			j.fail(t.off, "print takes 1 argument, not %d", len(args))
		}
		j.step(t.off)
		j.emit(litmus.Op{Kind: litmus.External, X: args[0].to(cInt)})
		return cval{num(0), cInt}
	}
	if t.text == "freeze" && j.is("(") {
		j.next()
		j.expect(")")
		j.step(t.off)
		j.emit(litmus.Op{Kind: litmus.Freeze})
		return cval{num(0), cInt}
	}
	if id, ok := javaThread(t.text); ok && j.is(".") {
		return j.thread(t, id)
	}
	switch {
	case t.text == "true" || t.text == "false":
		return cval{litmus.Bool(t.text == "true"), cInt}
	case j.is("."):
		return j.method(t)
	case j.is("("):
		j.fail(t.off, "no method is called %q", t.text)
	case t.text == "this":
		j.fail(t.off, "this is a monitor, or the first argument of a method of a VarHandle")
	}
	if _, ok := j.locals[t.text]; !ok && isHandle(t.text) {
		j.fail(t.off, "a VarHandle is used by its methods only: %s.get()", t.text)
	}
	return j.name(t.off, t.text)
}

// pause reads the rest of what threads do while they wait, which means nothing to a memory model (17.3).
func (j *jthread) pause() cval {
	j.expect(".")
	at := j.tok.off
	switch j.ident("a method") {
	case "onSpinWait", "yield", "sleep":
		j.exprs()
		return cval{num(0), cInt}
	}
	j.fail(at, "of Thread, only onSpinWait(), yield() and sleep(n) are supported")
	return cval{}
}

// javaModes are the sets of the read and of the write of an access mode.
var javaModes = map[string][2][]string{
	"": {nil, nil}, "Plain": {nil, nil}, "Opaque": {{"O"}, {"O"}}, "Acquire": {{"RA", "ACQ"}, nil}, "Release": {nil, {"RA", "REL"}}, "Volatile": {{"V"}, {"V"}},
	"Final": {nil, {"Final"}},
}

// receiver is the reference that a field is accessed by: a thread ends at null.
func (j *jthread) receiver(h token, r cval) litmus.Expr {
	if _, ok := r.x.(litmus.Reg); !ok {
		j.fail(h.off, "the object of %s is a register that holds a reference", h.text)
	}
	if len(j.held) > 0 {
		j.fail(h.off, "an access by a reference in a synchronized block is not supported: null would throw")
	}
	j.step(h.off)
	j.branch(bin(litmus.Eq, r.width(), r.x, num(0)), endLabel)
	return r.x
}

// javaThread returns n of Threadn.
func javaThread(s string) (int, bool) {
	digits, ok := strings.CutPrefix(s, "Thread")
	if !ok || len(digits) > 2 {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// arguments reads those of a method of a VarHandle. The object whose field is accessed, if it is this, is left out.
func (j *jthread) arguments() []cval {
	j.expect("(")
	if j.accept("this") && !j.accept(",") && !j.is(")") {
		j.unexpected(`"," or ")"`)
	}
	return j.restOfExprs()
}

var javaMethods = map[string]bool{
	"get": true, "set": true, "compareAndSet": true, "compareAndExchange": true, "weakCompareAndSet": true, "getAndSet": true, "getAndAdd": true,
	"getAndBitwiseOr": true, "getAndBitwiseAnd": true, "getAndBitwiseXor": true,
}

// javaInstead says what to write for methods of AtomicInteger.
var javaInstead = map[string]string{
	"lazySet": ": lazySet is setRelease", "getPlain": ": getPlain is get", "setPlain": ": setPlain is set",
	"getAndIncrement": ": write getAndAdd(1)", "getAndDecrement": ": write getAndAdd(-1)", "addAndGet": ": write getAndAdd(n) + n",
	"incrementAndGet": ": write getAndAdd(1) + 1", "decrementAndGet": ": write getAndAdd(-1) - 1",
}

// method reads X.name(args); for an array, the first argument is the index.
func (j *jthread) method(h token) cval {
	j.expect(".")
	at := j.tok.off
	name := j.ident("a method")
	if name == "wait" || name == "notify" || name == "notifyAll" {
		return j.wait(h, name)
	}
	handle, ok := j.handles[h.text]
	switch {
	case !ok && isHandle(h.text):
		j.fail(h.off, "VarHandle %s is not bound in the initial state: write %d:%s=x there", h.text, j.th.ID, h.text)
	case !ok:
		j.fail(h.off, "%s is no VarHandle, whose names are in upper case, and no thread: %s.%s is not supported", h.text, h.text, name)
	}
	t := cInt
	v := j.p.vars[handle.Sym]
	if v != nil && v.Typed {
		t = ctype{Type: v.Type}
		if t.Name == "" {
			t.Name = "int"
		}
	}
	m, mode := cut(name, "Plain", "Opaque", "Acquire", "Release", "Volatile", "Final")
	if !javaMethods[m] {
		j.fail(at, "VarHandle has no method %q%s", name, javaInstead[name])
	}
	args := j.arguments()
	addr := litmus.Expr(handle)
	if v != nil && v.Array {
		if len(args) == 0 {
			j.fail(at, "%s is an array: the first argument of %s is the index", h.text, name)
		}
		i := bin(litmus.Mul, 64, args[0].to(ctype{Type: litmus.Type{Name: "long", Size: 8, Signed: true}}), num(int64(t.size())))
		addr, args = bin(litmus.Add, 64, addr, i), args[1:]
	}
	want := func(n int) {
		if len(args) != n {
			j.fail(at, "%s takes %d arguments, not %d", name, n, len(args))
		}
	}
	sets := javaModes[mode]
	size := t.size()
	var ref litmus.Expr
	if isGet := m == "get"; (isGet && len(args) == 1 || m == "set" && len(args) == 2) && !(v != nil && v.Array) {
		ref, args = j.receiver(h, args[0]), args[1:]
	}
	j.step(h.off)
	switch {
	case m == "get" && mode != "Release" && mode != "Plain" && mode != "Final":
		want(0)
		r, n := j.load(addr, size, sets[0]...)
		j.th.Ops[n].Ref = ref
		return cval{r, t}
	case m == "set" && mode != "Acquire" && mode != "Plain":
		want(1)
		j.emit(litmus.Op{Kind: litmus.Store, Addr: addr, X: args[0].to(t), Size: uint8(size), Sets: sets[1], Ref: ref})
		return cval{num(0), cInt}
	}
	if mode == "" && !strings.HasPrefix(m, "weakCompareAndSetPlain") {
		sets = javaModes["Volatile"]
	}
	read, write := append([]string{"RMW"}, sets[0]...), append([]string{"RMW"}, sets[1]...)
	switch m {
	case "compareAndExchange", "compareAndSet", "weakCompareAndSet":
		if m == "compareAndSet" && mode != "" || m == "compareAndExchange" && mode == "Plain" || mode == "Opaque" || mode == "Volatile" || mode == "Final" {
			break
		}
		want(2)
		ok := j.temp()
		if m == "weakCompareAndSet" {
			j.emit(litmus.Op{Kind: litmus.Choose, Dst: ok})
		}
		old, n := j.load(addr, size, read...)
		j.th.Ops[n].Else = append([]string{}, sets[0]...)
		same := bin(litmus.Eq, 8*size, old, args[0].to(t))
		if m == "weakCompareAndSet" {
			same = bin(litmus.And, 64, ok, same)
		}
		j.set(ok, same)
		j.storePair(n, ok, addr, args[1].to(t), size, write...)
		if m == "compareAndExchange" {
			return cval{old, t}
		}
		return cval{ok, cInt}
	case "getAndSet", "getAndAdd", "getAndBitwiseOr", "getAndBitwiseAnd", "getAndBitwiseXor":
		if mode == "Plain" || mode == "Opaque" || mode == "Volatile" || mode == "Final" {
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
