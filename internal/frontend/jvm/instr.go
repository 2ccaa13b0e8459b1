package jvm

import (
	"fmt"
	"math"

	"ravel/internal/event"
	"ravel/internal/ir"
)

const kinds = "IJFDA"

// widthOf returns the bits of a value of the stack.
func widthOf(kind byte) uint8 {
	if kind == 'I' || kind == 'F' {
		return 32
	}
	return 64
}

// int32Imm returns an int as registers hold it.
func int32Imm(v int) ir.Operand { return ir.Imm(uint64(uint32(int32(v)))) }

// instr lowers one instruction.
func (l *body) instr(op int) {
	switch {
	case op == opNop:
	case op <= opLdc2W:
		l.constant(op)
	case op <= opAload:
		l.loadLocal(kinds[op-opIload], l.u1(l.pc+1))
	case op <= opAload3:
		l.loadLocal(kinds[(op-opIload0)/4], (op-opIload0)%4)
	case op <= opSaload:
		l.loadElement("IJFDABCS"[op-opIaload : op-opIaload+1])
	case op <= opAstore:
		l.storeLocal(l.u1(l.pc + 1))
	case op <= opAstore3:
		l.storeLocal((op - opIstore0) % 4)
	case op <= opSastore:
		l.storeElement("IJFDABCS"[op-opIastore : op-opIastore+1])
	case op <= opSwap:
		l.shuffle(op)
	case op <= opLxor:
		l.arithmetic(op)
	case op == opIinc:
		l.increment(l.u1(l.pc+1), l.s1(l.pc+2))
	case op <= opI2s:
		l.convert(op)
	case op <= opDcmpg:
		l.compare(op)
	case op <= opIfAcmpne, op == opIfnull, op == opIfnonnull:
		l.conditional(op)
	case op == opGoto, op == opGotoW:
		_, targets, _ := l.decode(l.pc)
		l.jump(l.merge(targets[0], &l.now))
		l.ends = true
	case op == opTableswitch, op == opLookupswitch:
		l.switches(op)
	case op >= opIreturn && op < opReturn:
		_, v := l.pop()
		if l.m.desc[len(l.m.desc)-1] == 'Z' { // JVMS: the lowest bit
			v = l.new(ir.And, 32, v, ir.Imm(1))
		}
		l.ret(v)
		l.ends = true
	case op == opReturn:
		l.ret(ir.Imm(0))
		l.ends = true
	case op <= opPutfield && op >= opGetstatic:
		l.access(op)
	case op <= opInvokeiface:
		l.invoke(op)
	case op == opInvokedynamic:
		l.invokeDynamic()
	case op <= opInstanceof:
		l.objectInstr(op)
	case op == opMonitorenter, op == opMonitorexit:
		l.monitor(op)
	case op == opWide:
		l.wide()
	case op == opMultianewarr:
		l.multi()
	default:
		l.refuse("the instruction %d (jsr or ret, of old compilers) is not supported: compile for Java 8 or later", op)
	}
}

func (l *body) wide() {
	op, i := l.u1(l.pc+1), l.u2(l.pc+2)
	switch {
	case op == opIinc:
		l.increment(i, l.s2(l.pc+4))
	case op >= opIload && op <= opAload:
		l.loadLocal(kinds[op-opIload], i)
	case op >= opIstore && op <= opAstore:
		l.storeLocal(i)
	default:
		l.refuse("the instruction wide %d is not supported", op)
	}
}

func (l *body) constant(op int) {
	float := func(v float32) ir.Operand { return ir.Imm(uint64(math.Float32bits(v))) }
	double := func(v float64) ir.Operand { return ir.Imm(math.Float64bits(v)) }
	switch {
	case op == opAconstNull:
		l.pushKind('A', ir.Imm(0))
	case op < opLconst0:
		l.pushKind('I', int32Imm(op-opIconst0))
	case op < opFconst0:
		l.pushKind('J', ir.Imm(uint64(op-opLconst0)))
	case op < opDconst0:
		l.pushKind('F', float(float32(op-opFconst0)))
	case op < opBipush:
		l.pushKind('D', double(float64(op-opDconst0)))
	case op == opBipush:
		l.pushKind('I', int32Imm(l.s1(l.pc+1)))
	case op == opSipush:
		l.pushKind('I', int32Imm(l.s2(l.pc+1)))
	case op == opLdc:
		l.pushConstant(l.u1(l.pc + 1))
	default:
		l.pushConstant(l.u2(l.pc + 1))
	}
}

// pushConstant pushes an entry of the constant pool.
func (l *body) pushConstant(i int) {
	c := l.m.class
	switch k := c.at(i, tagInteger, tagFloat, tagLong, tagDouble, tagString, tagClass, tagMethodType, tagMethodHandle, tagDynamic); k.tag {
	case tagInteger:
		l.pushKind('I', int32Imm(int(k.bits)))
	case tagFloat:
		l.pushKind('F', ir.Imm(k.bits))
	case tagLong:
		l.pushKind('J', ir.Imm(k.bits))
	case tagDouble:
		l.pushKind('D', ir.Imm(k.bits))
	case tagString:
		s := c.utf8(int(k.a))
		l.push(value{'A', true, knownString(s)}, ir.Imm(l.b.text(s)))
	case tagClass:
		name := c.className(i)
		l.push(value{'A', true, knownClass(descOf(name))}, ir.Imm(l.b.classObject(name)))
	default:
		l.refuse("method handles and types as constants are not supported")
	}
}

func (l *body) loadLocal(kind byte, i int) {
	if i >= len(l.now.locals) {
		panic(badClass{fmt.Errorf("there is no local variable %d", i)})
	}
	v := l.now.locals[i]
	v.kind = kind
	l.push(v, ir.R(l.locals+ir.Reg(i)))
}

func (l *body) storeLocal(i int) {
	if i >= len(l.now.locals) {
		panic(badClass{fmt.Errorf("there is no local variable %d", i)})
	}
	v, o := l.pop()
	l.copy(l.locals+ir.Reg(i), o)
	l.now.locals[i] = v
	if slots(v.kind) == 2 && i+1 < len(l.now.locals) {
		l.now.locals[i+1] = value{}
	}
}

func (l *body) increment(i, by int) {
	if i >= len(l.now.locals) {
		panic(badClass{fmt.Errorf("there is no local variable %d", i)})
	}
	r := l.locals + ir.Reg(i)
	l.op(ir.Add, 32, r, ir.R(r), int32Imm(by))
}

// elementType turns the type of an array instruction into a descriptor.
func elementType(t string) string {
	if t == "A" {
		return "Ljava/lang/Object;"
	}
	return t
}

func (l *body) loadElement(t string) {
	index := l.popOperand()
	v, array := l.pop()
	l.check(v, array)
	desc := elementType(t)
	l.pushKind(kindOf(desc), l.load(l.element(array, index, desc), desc, event.NA))
}

func (l *body) storeElement(t string) {
	v := l.popOperand()
	index := l.popOperand()
	of, array := l.pop()
	l.check(of, array)
	desc := elementType(t)
	at := l.element(array, index, desc)
	if t == "A" {
		store, check := l.block(), l.block()
		l.branch(l.cmp(ir.EQ, 64, v, ir.Imm(0)), store, check)
		l.at = check
		ok := l.cast(ir.Trunc, 64, 1, l.lateCall("store check", array, v))
		l.branch(ok, store, l.throw("java/lang/ArrayStoreException"))
		l.at = store
	}
	l.store(at, v, desc, event.NA)
}

// shuffle moves entries of the stack.
func (l *body) shuffle(op int) {
	type entry struct {
		v value
		o ir.Operand
	}
	take := func() entry {
		v, o := l.pop()
		r := l.reg()
		l.copy(r, o)
		return entry{v, ir.R(r)}
	}
	put := func(list ...entry) {
		for _, e := range list {
			l.push(e.v, e.o)
		}
	}
	// words takes entries of n words in all.
	words := func(n int) (list []entry) {
		for n > 0 {
			e := take()
			n -= slots(e.v.kind)
			list = append([]entry{e}, list...)
		}
		return list
	}
	switch op {
	case opPop:
		l.pop()
	case opPop2:
		words(2)
	case opDup:
		x := take()
		put(x, x)
	case opDupX1:
		x, y := take(), take()
		put(x, y, x)
	case opDupX2:
		x, y := take(), words(2)
		put(x)
		put(y...)
		put(x)
	case opDup2:
		x := words(2)
		put(x...)
		put(x...)
	case opDup2X1:
		x, y := words(2), take()
		put(x...)
		put(y)
		put(x...)
	case opDup2X2:
		x, y := words(2), words(2)
		put(x...)
		put(y...)
		put(x...)
	case opSwap:
		x, y := take(), take()
		put(x, y)
	}
}

// arithmetic lowers the instructions from iadd to lxor.
func (l *body) arithmetic(op int) {
	switch {
	case op <= opDrem:
		kind := kinds[(op-opIadd)%4]
		b := l.popOperand()
		a := l.popOperand()
		l.pushKind(kind, l.calculate((op-opIadd)/4, kind, a, b))
	case op <= opDneg:
		kind := kinds[op-opIneg]
		a := l.popOperand()
		if kind == 'F' || kind == 'D' {
			l.pushKind(kind, l.new(ir.FNeg, widthOf(kind), a, ir.Imm(0)))
		} else {
			l.pushKind(kind, l.new(ir.Sub, widthOf(kind), ir.Imm(0), a))
		}
	case op <= opLushr:
		kind := kinds[(op-opIshl)%2]
		w := widthOf(kind)
		b := l.popOperand()
		a := l.popOperand()
		n := l.new(ir.And, 32, b, ir.Imm(uint64(w-1)))
		l.pushKind(kind, l.new([]ir.Op{ir.Shl, ir.AShr, ir.LShr}[(op-opIshl)/2], w, a, n))
	default:
		kind := kinds[(op-opIand)%2]
		b := l.popOperand()
		a := l.popOperand()
		l.pushKind(kind, l.new([]ir.Op{ir.And, ir.Or, ir.Xor}[(op-opIand)/2], widthOf(kind), a, b))
	}
}

// calculate lowers an addition (0), subtraction, multiplication, division or remainder (4).
func (l *body) calculate(what int, kind byte, a, b ir.Operand) ir.Operand {
	w := widthOf(kind)
	if kind == 'F' || kind == 'D' {
		return l.new([]ir.Op{ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem}[what], w, a, b)
	}
	if what < 3 {
		return l.new([]ir.Op{ir.Add, ir.Sub, ir.Mul}[what], w, a, b)
	}
	l.unless(l.cmp(ir.NE, w, b, ir.Imm(0)), l.throw("java/lang/ArithmeticException"))
	// The least number divided by -1 is itself: do not ask the machine, for which it is an error.
	minus := l.cmp(ir.EQ, w, b, ir.Imm(math.MaxUint64>>(64-w)))
	by := l.choose(w, minus, ir.Imm(1), b)
	if what == 4 {
		return l.new(ir.SRem, w, a, by)
	}
	return l.choose(w, minus, l.new(ir.Sub, w, ir.Imm(0), a), l.new(ir.SDiv, w, a, by))
}

// convert lowers the instructions from i2l to i2s.
func (l *body) convert(op int) {
	if op >= opI2s-2 {
		a := l.popOperand()
		switch op {
		case opI2s - 2: // i2b
			a = l.cast(ir.SExt, 8, 32, l.cast(ir.Trunc, 32, 8, a))
		case opI2s - 1: // i2c
			a = l.new(ir.And, 32, a, ir.Imm(0xffff))
		default:
			a = l.cast(ir.SExt, 16, 32, l.cast(ir.Trunc, 32, 16, a))
		}
		l.pushKind('I', a)
		return
	}
	n := op - opI2l
	from := kinds[n/3]
	to := [4]string{"JFD", "IFD", "IJD", "IJF"}[n/3][n%3]
	l.pushKind(to, l.converted(from, to, l.popOperand()))
}

func (e *emitter) converted(from, to byte, a ir.Operand) ir.Operand {
	isFloat := func(k byte) bool { return k == 'F' || k == 'D' }
	w, t := widthOf(from), widthOf(to)
	switch {
	case from == to:
		return a
	case from == 'I' && to == 'J':
		return e.cast(ir.SExt, w, t, a)
	case from == 'J' && to == 'I':
		return e.cast(ir.Trunc, w, t, a)
	case isFloat(from) && !isFloat(to): // saturates, and NaN is 0, as JLS 5.1.3 wants it
		return e.cast(ir.FPToSI, w, t, a)
	case !isFloat(from):
		return e.cast(ir.SIToFP, w, t, a)
	case from == 'F':
		return e.cast(ir.FPExt, w, t, a)
	}
	return e.cast(ir.FPTrunc, w, t, a)
}

// compare lowers lcmp, fcmpl, fcmpg, dcmpl and dcmpg.
func (l *body) compare(op int) {
	b := l.popOperand()
	a := l.popOperand()
	minus := ir.Imm(math.MaxUint32)
	var less, greater ir.Operand
	switch op {
	case opLcmp:
		less, greater = l.cmp(ir.SLT, 64, a, b), l.cmp(ir.SGT, 64, a, b)
	default:
		w := uint8(32)
		if op >= opDcmpg-1 {
			w = 64
		}
		lt, gt := ir.FULT, ir.FOGT // fcmpl: a NaN makes it less
		if (op-opLcmp)%2 == 0 {
			lt, gt = ir.FOLT, ir.FUGT
		}
		less, greater = l.cmp(lt, w, a, b), l.cmp(gt, w, a, b)
	}
	l.pushKind('I', l.choose(32, less, minus, l.cast(ir.ZExt, 1, 32, greater)))
}

var conditions = [6]ir.Pred{ir.EQ, ir.NE, ir.SLT, ir.SGE, ir.SGT, ir.SLE}

// conditional lowers a branch.
func (l *body) conditional(op int) {
	_, targets, _ := l.decode(l.pc)
	var c ir.Operand
	switch {
	case op <= opIfle:
		c = l.cmp(conditions[op-opIfeq], 32, l.popOperand(), ir.Imm(0))
	case op <= opIfIcmple:
		b := l.popOperand()
		c = l.cmp(conditions[op-opIfIcmpeq], 32, l.popOperand(), b)
	case op <= opIfAcmpne:
		b := l.popOperand()
		c = l.cmp(conditions[op-opIfAcmpeq], 64, l.popOperand(), b)
	default:
		c = l.cmp(conditions[op-opIfnull], 64, l.popOperand(), ir.Imm(0))
	}
	l.branch(c, l.merge(targets[0], &l.now), l.merge(l.next, &l.now))
	l.ends = true
}

func (l *body) switches(op int) {
	_, targets, _ := l.decode(l.pc)
	in := ir.Instr{Op: ir.Switch, Width: 32, Dst: ir.NoReg, Dst2: ir.NoReg, A: l.popOperand()}
	at := l.pc + 4 - l.pc%4
	for i, t := range targets[1:] {
		n := l.s4(at+4) + i
		if op == opLookupswitch {
			n = l.s4(at + 8 + 8*i)
		}
		in.Cases = append(in.Cases, uint64(uint32(n)))
		in.Targets = append(in.Targets, l.merge(t, &l.now))
	}
	in.Targets = append(in.Targets, l.merge(targets[0], &l.now))
	l.add(in)
	l.ends = true
}

// access lowers getstatic, putstatic, getfield and putfield.
func (l *body) access(op int) {
	r := l.m.class.ref(l.u2(l.pc + 1))
	c := l.b.w.find(r.class)
	if c == nil {
		l.refuse("class %s is neither in the program nor in the JDK's java.base", dotted(r.class))
		return
	}
	f := c.field(r.name, r.desc)
	if f == nil {
		l.refuse("%s has no field %s", dotted(r.class), r.name)
		return
	}
	kind := kindOf(f.desc)
	switch op {
	case opGetstatic:
		l.getStatic(f, kind)
	case opPutstatic:
		v, o := l.pop()
		if l.onPut != nil {
			l.onPut(f, v)
		}
		l.initialised(f.class)
		if f.name == assertions || l.b.constant(f) != nil {
			return
		}
		l.store(ir.Imm(uint64(l.b.static(f).Addr)), o, f.desc, f.mode())
	case opGetfield:
		v, o := l.pop()
		l.check(v, o)
		c.layOut()
		l.pushKind(kind, l.load(l.address(o, f.offset), f.desc, f.mode()))
	case opPutfield:
		x := l.popOperand()
		v, o := l.pop()
		l.check(v, o)
		c.layOut()
		l.store(l.address(o, f.offset), x, f.desc, f.mode())
	}
}

// assertions is the field that javac adds to classes with assert statements.
const assertions = "$assertionsDisabled"

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (l *body) getStatic(f *field, kind byte) {
	if f.class.name == "java/lang/System" {
		if f.name != "out" && f.name != "err" {
			l.refuse("java.lang.System.%s is not supported", f.name)
			return
		}
		l.push(value{kind: 'A', nonNull: true}, ir.Imm(l.b.single("System."+f.name, "java/io/PrintStream", headerSize)))
		return
	}
	for prim, box := range boxes {
		if box.class == f.class.name && f.name == "TYPE" { // int.class is Integer.TYPE
			l.push(value{'A', true, knownClass(string(prim))}, ir.Imm(l.b.classObject(primitives[string(prim)])))
			return
		}
	}
	if f.class.name == "java/lang/Boolean" && f.desc == descOf(f.class.name) {
		m := f.class.method("valueOf", "(Z)Ljava/lang/Boolean;")
		l.push(value{kind: 'A', nonNull: true}, l.call(l.b.funcOf(m), 'A', ir.Imm(truth(f.name == "TRUE"))))
		return
	}
	if f.name == assertions { // those of the JDK itself are off, as for java -ea
		l.pushKind('I', ir.Imm(truth(f.class.jdk)))
		return
	}
	if f.class.name == "java/util/stream/Tripwire" && f.name == "ENABLED" { // a property for those who write the JDK
		l.pushKind('I', ir.Imm(0))
		return
	}
	if f.class.jdk && f.desc == descOf(unsafeClass) {
		l.push(value{kind: 'A', nonNull: true}, ir.Imm(l.b.single("Unsafe", unsafeClass, headerSize)))
		return
	}
	l.initialised(f.class)
	if k := l.b.constant(f); k != nil {
		l.push(value{'A', true, k}, ir.Imm(0))
		return
	}
	if f.class.jdk && !trustedStatics(f.class) {
		l.refuse("%s.%s is not supported", dotted(f.class.name), f.name)
		return
	}
	l.pushKind(kind, l.load(ir.Imm(uint64(l.b.static(f).Addr)), f.desc, f.mode()))
}

// objectInstr lowers the instructions from new to instanceof.
func (l *body) objectInstr(op int) {
	switch op {
	case opNew:
		c := l.classRef(l.u2(l.pc + 1))
		if c == nil {
			return
		}
		l.initialised(c)
		v := value{kind: 'A', nonNull: true}
		o := l.object(c)
		if c.is(l.b.w.class(throwableClass)) {
			v.known = knownSite(l.b.site(c, l.pos))
		}
		l.push(v, o)
	case opNewarray:
		t := l.u1(l.pc + 1)
		if t < 4 || t > 11 {
			panic(badClass{fmt.Errorf("an array of type %d", t)})
		}
		l.push(value{kind: 'A', nonNull: true}, l.array(l.b.w.class("["+"ZCFDBSIJ"[t-4:t-3]), l.popOperand()))
	case opAnewarray:
		if c := l.classRef(l.u2(l.pc + 1)); c != nil {
			l.push(value{kind: 'A', nonNull: true}, l.array(l.b.w.class("["+descOf(c.name)), l.popOperand()))
		}
	case opArraylength:
		v, o := l.pop()
		l.check(v, o)
		l.pushKind('I', l.anyLength(o))
	case opAthrow:
		v, o := l.pop()
		l.check(v, o)
		l.copy(l.exc, o)
		l.jump(l.unwind())
		l.ends = true
	case opCheckcast:
		c := l.classRef(l.u2(l.pc + 1))
		if c == nil {
			return
		}
		v, o := l.pop()
		if c.name != objectClass {
			good := l.block()
			if !v.nonNull {
				l.when(l.cmp(ir.EQ, 64, o, ir.Imm(0)), good)
			}
			l.branch(l.isInstance(o, c), good, l.throw("java/lang/ClassCastException"))
			l.at = good
		}
		l.push(v, o)
	case opInstanceof:
		c := l.classRef(l.u2(l.pc + 1))
		if c == nil {
			return
		}
		o := l.popOperand()
		dst := l.reg()
		l.copy(dst, ir.Imm(0))
		done := l.block()
		l.when(l.cmp(ir.EQ, 64, o, ir.Imm(0)), done)
		l.copy(dst, l.isInstance(o, c))
		l.jump(done)
		l.at = done
		l.pushKind('I', ir.R(dst))
	}
}

// anyLength returns the length of an array of unknown type.
func (e *emitter) anyLength(array ir.Operand) ir.Operand {
	n := e.new(ir.Sub, 64, e.intrinsic("__ravel_length", true, e.address(array, 0)), ir.Imm(headerSize))
	return e.new(ir.LShr, 64, n, e.lateCall("element size", array))
}

func (l *body) monitor(op int) {
	v, o := l.pop()
	l.check(v, o)
	if op == opMonitorenter {
		l.intrinsic("__ravel_java_enter", false, l.address(o, 0))
		return
	}
	l.exitMonitor(o)
}

// exitMonitor gives a monitor back.
func (e *emitter) exitMonitor(o ir.Operand) {
	ok := e.intrinsic("__ravel_java_exit", true, e.address(o, 0))
	e.unless(e.cmp(ir.NE, 32, ok, ir.Imm(0)), e.throw("java/lang/IllegalMonitorStateException"))
}

// multi lowers multianewarray: a loop for each dimension but the last one.
func (l *body) multi() {
	c := l.classRef(l.u2(l.pc + 1))
	if c == nil {
		return
	}
	_, os := l.popArgs(l.u1(l.pc + 3))
	sizes := make([]ir.Operand, len(os))
	for i, o := range os { // all are looked at before any array is made
		r := l.reg()
		l.copy(r, o)
		sizes[i] = ir.R(r)
		l.when(l.cmp(ir.SLT, 32, sizes[i], ir.Imm(0)), l.throw("java/lang/NegativeArraySizeException"))
	}
	l.push(value{kind: 'A', nonNull: true}, l.arrays(c, sizes))
}

func (e *emitter) arrays(c *class, sizes []ir.Operand) ir.Operand {
	array := e.array(c, sizes[0])
	if len(sizes) == 1 {
		return array
	}
	i := e.reg()
	e.copy(i, ir.Imm(0))
	head, done := e.block(), e.block()
	e.jump(head)
	e.at = head
	e.unless(e.cmp(ir.SLT, 32, ir.R(i), sizes[0]), done)
	inner := e.arrays(e.b.w.class(c.elem), sizes[1:])
	e.store(e.elementAt(array, ir.R(i), c.elem), inner, c.elem, event.NA)
	e.op(ir.Add, 32, i, ir.R(i), ir.Imm(1))
	e.jump(head)
	e.at = done
	return array
}
