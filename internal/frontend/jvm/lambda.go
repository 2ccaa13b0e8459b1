package jvm

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// A lambda is what an invokedynamic instruction of a lambda expression or a method reference makes: an object of a class of its own, whose fields are the
// values that it captures.
type lambda struct {
	name, desc string // of the method that it implements, as the interface has it
	specific   string // descriptor of that method with the types of this use
	kind       int    // of the method handle (JVMS table 5.4.3.5-A)
	impl       ref
	captures   []string
	f          *ir.Func
}

const (
	handleVirtual   = 5
	handleStatic    = 6
	handleSpecial   = 7
	handleNew       = 8
	handleInterface = 9
)

// invokeDynamic lowers lambda expressions, method references and concatenations of strings.
func (l *body) invokeDynamic() {
	c := l.m.class
	k := c.at(l.u2(l.pc+1), tagInvokeDynamic)
	nt := c.at(int(k.b), tagNameAndType)
	name, desc := c.utf8(int(nt.a)), c.descriptor(int(nt.b))
	if int(k.a) >= len(c.bootstraps) {
		panic(badClass{fmt.Errorf("there is no bootstrap method %d", k.a)})
	}
	boot := c.bootstraps[k.a]
	maker := c.ref(int(c.at(int(boot.handle), tagMethodHandle).b))
	params, result := signature(desc)
	_, args := l.popArgs(len(params))
	switch maker.class {
	case "java/lang/invoke/StringConcatFactory":
		for i, p := range params {
			if kindOf(p) == 'A' {
				l.asText(args[i])
			}
		}
		l.push(value{kind: 'A', nonNull: true}, l.object(l.b.w.class(stringClass)))
		return
	case "java/lang/runtime/ObjectMethods":
		l.recordMethod(name, boot.args, args)
		return
	case "java/lang/invoke/LambdaMetafactory":
	default:
		l.refuse("%s.%s is not supported", dotted(maker.class), maker.name)
		return
	}
	if len(boot.args) < 3 {
		panic(badClass{fmt.Errorf("a lambda has %d arguments", len(boot.args))})
	}
	handle := c.at(int(boot.args[1]), tagMethodHandle)
	lam := &lambda{
		name: name, desc: c.descriptor(int(c.at(int(boot.args[0]), tagMethodType).a)), specific: c.descriptor(int(c.at(int(boot.args[2]), tagMethodType).a)),
		kind: int(handle.a), impl: c.ref(int(handle.b)), captures: params,
	}
	if lam.kind < handleVirtual {
		l.refuse("a method handle of a field is not supported")
		return
	}
	k2 := l.b.lambdaClass(c, l.pc, l.m, lam, className(result))
	if len(params) == 0 {
		l.push(value{kind: 'A', nonNull: true}, ir.Imm(l.b.single(lam.impl.name, k2.name, headerSize)))
		return
	}
	k2.layOut()
	o := l.allocate(k2, ir.Imm(k2.size))
	for i, f := range k2.fields {
		l.store(l.address(o, f.offset), args[i], f.desc, event.NA)
	}
	if lam.kind == handleVirtual || lam.kind == handleInterface || lam.kind == handleSpecial { // a bound receiver is not null
		l.notNull(args[0])
	}
	l.push(value{kind: 'A', nonNull: true}, o)
}

// lambdaClass returns the class of the objects that an instruction makes.
func (b *builder) lambdaClass(c *class, pc int, m *method, lam *lambda, iface string) *class {
	name := fmt.Sprintf("%s$$lambda/%s%s/%d", c.name, m.name, m.desc, pc)
	if k := b.w.classes[name]; k != nil {
		return k
	}
	file := &classFile{name: name, super: objectClass, interfaces: []string{iface}, source: c.source}
	for i, d := range lam.captures {
		file.fields = append(file.fields, &field{name: fmt.Sprintf("captured%d", i+1), desc: d})
	}
	b.w.own[name] = file
	b.w.sources[name] = b.w.sources[c.name]
	k := b.w.class(name)
	k.lambda = lam
	return k
}

// lambdaMethod returns the method of a lambda that implements the one of this name, nil if it is another one.
func (b *builder) lambdaMethod(c *class, name, desc string) *ir.Func {
	lam := c.lambda
	if name != lam.name || desc != lam.desc && desc != lam.specific {
		return nil
	}
	if lam.f != nil {
		return lam.f
	}
	params, result := signature(lam.desc)
	specific, specificResult := signature(lam.specific)
	f := &ir.Func{Name: b.unique("lambda " + lam.impl.name)}
	b.addFunc(f)
	lam.f = f
	e := b.newEmitter(f, 1+len(params), kindOf(result))
	var args []ir.Operand
	var types []string
	for _, fd := range c.fields {
		c.layOut()
		args = append(args, e.load(e.address(ir.R(f.Params[0]), fd.offset), fd.desc, event.NA))
		types = append(types, fd.desc)
	}
	for i := range params {
		args = append(args, ir.R(f.Params[i+1]))
		types = append(types, specific[i])
	}
	impl := b.w.class(lam.impl.class)
	m := impl.method(lam.impl.name, lam.impl.desc)
	if m == nil && impl.elem == "" {
		fail("%s has no method %s", dotted(impl.name), lam.impl.name)
	}
	to, implResult := signature(lam.impl.desc)
	if lam.kind == handleVirtual || lam.kind == handleInterface || lam.kind == handleSpecial {
		to = append([]string{descOf(impl.name)}, to...)
	}
	if len(to) != len(args) {
		fail("a lambda of %s has %d arguments for %d", dotted(impl.name), len(args), len(to))
	}
	if m != nil && m.code != nil {
		e.pos = b.prog.AddPos(ir.Position{File: m.class.file, Line: m.code.lineAt(0), Func: m.display()})
		f.Pos = e.pos
	}
	for i := range args {
		args[i] = e.adapt(args[i], types[i], to[i])
	}
	var v ir.Operand
	switch lam.kind {
	case handleStatic:
		e.initialised(m.class)
		v = e.call(b.funcOf(m), kindOf(implResult), args...)
	case handleSpecial:
		v = e.call(b.funcOf(m), kindOf(implResult), args...)
	case handleNew:
		e.initialised(impl)
		v = e.object(impl)
		implResult = descOf(impl.name)
		e.call(b.funcOf(m), 'V', append([]ir.Operand{v}, args...)...)
	default:
		e.notNull(args[0])
		fn := b.virtual(impl, lam.impl.name, lam.impl.desc)
		if m != nil && m.is(accPrivate) {
			fn = b.funcOf(m)
		}
		v = e.call(fn, kindOf(implResult), args...)
	}
	if kindOf(result) != 'V' {
		if kindOf(implResult) == 'A' && kindOf(specificResult) != 'A' {
			implResult = descOf(boxes[specificResult[0]].class)
		}
		v = e.adapt(v, implResult, result)
	}
	e.ret(v)
	e.finish()
	return f
}

// recordMethod lowers equals, hashCode and toString of a record (java.lang.runtime.ObjectMethods): the components in order.
func (l *body) recordMethod(name string, boot []uint16, args []ir.Operand) {
	c := l.m.class
	var fields []*field
	for _, a := range boot[min(2, len(boot)):] {
		r := c.ref(int(c.at(int(a), tagMethodHandle).b))
		f := c.field(r.name, r.desc)
		if f == nil {
			panic(badClass{fmt.Errorf("a record has no field %s", r.name)})
		}
		c.layOut()
		fields = append(fields, f)
	}
	get := func(of ir.Operand, f *field) ir.Operand { return l.load(l.address(of, f.offset), f.desc, f.mode()) }
	static := func(class, name, desc string, args ...ir.Operand) ir.Operand {
		_, result := signature(desc)
		return l.call(l.b.funcOf(l.b.w.class(class).method(name, desc)), kindOf(result), args...)
	}
	switch name {
	case "toString":
		for _, f := range fields {
			if kindOf(f.desc) == 'A' {
				l.asText(get(args[0], f))
			}
		}
		l.push(value{kind: 'A', nonNull: true}, l.object(l.b.w.class(stringClass)))
	case "hashCode":
		h := l.reg()
		l.copy(h, ir.Imm(0))
		for _, f := range fields {
			var n ir.Operand
			if v := get(args[0], f); kindOf(f.desc) == 'A' {
				n = static("java/util/Objects", "hashCode", "(Ljava/lang/Object;)I", v)
			} else {
				n = static(boxes[f.desc[0]].class, "hashCode", "("+f.desc+")I", v)
			}
			l.op(ir.Mul, 32, h, ir.R(h), ir.Imm(31))
			l.op(ir.Add, 32, h, ir.R(h), n)
		}
		l.pushKind('I', ir.R(h))
	default:
		self, other, yes, no, end, is := args[0], args[1], l.block(), l.block(), l.block(), l.reg()
		l.when(l.cmp(ir.EQ, 64, self, other), yes)
		l.when(l.cmp(ir.EQ, 64, other, ir.Imm(0)), no)
		l.unless(l.isInstance(other, c), no)
		for _, f := range fields {
			x, y := get(self, f), get(other, f)
			switch kind := kindOf(f.desc); kind {
			case 'A':
				l.unless(l.cmp(ir.NE, 32, static("java/util/Objects", "equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z", x, y), ir.Imm(0)), no)
			case 'F', 'D':
				l.unless(l.cmp(ir.EQ, 32, static(boxes[f.desc[0]].class, "compare", "("+f.desc+f.desc+")I", x, y), ir.Imm(0)), no)
			default:
				l.unless(l.cmp(ir.EQ, widthOf(kind), x, y), no)
			}
		}
		l.jump(yes)
		l.at = yes
		l.copy(is, ir.Imm(1))
		l.jump(end)
		l.at = no
		l.copy(is, ir.Imm(0))
		l.jump(end)
		l.at = end
		l.pushKind('I', ir.R(is))
	}
}
