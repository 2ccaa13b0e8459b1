package jvm

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// invoke lowers invokevirtual, invokespecial, invokestatic and invokeinterface.
func (l *body) invoke(op int) {
	r := l.m.class.ref(l.u2(l.pc + 1))
	if l.invokeHandle(op, r) {
		return
	}
	if r.class == machineClass && r.name == "refuse" {
		vs, _ := l.popArgs(1)
		what, _ := vs[0].known.(knownString)
		l.refuse("%s is not supported", string(what))
		return
	}
	c := l.b.w.find(r.class)
	if c == nil {
		l.refuse("%s.%s is not supported: it is neither in the program nor in the JDK's java.base", dotted(r.class), r.name)
		return
	}
	m := c.method(r.name, r.desc)
	if m == nil && c.standin {
		l.refuse("%s.%s is not supported", dotted(r.class), r.name)
		return
	}
	if m == nil && !(c.elem != "" && r.name == "clone") {
		l.refuse("%s has no method %s", dotted(r.class), r.name)
		return
	}
	params, result := signature(r.desc)
	n := len(params)
	if op != opInvokestatic {
		n++
	}
	vs, args := l.popArgs(n)
	if len(vs) == 1 && vs[0].known == any(knownSelf{}) && r.name == "interrupt" && !l.b.interrupts() {
		// Handlers of InterruptedException do this, and are not reached.
		l.refuse("a thread that interrupts itself is not supported in a program in which no thread interrupts another")
		return
	}
	kind := kindOf(result)
	var f *ir.Func
	switch {
	case op == opInvokestatic:
		l.initialised(m.class)
		f = l.b.funcOf(m)
	case op == opInvokespecial:
		l.check(vs[0], args[0])
		if m.is(accAbstract) {
			l.refuse("%s.%s has no body", dotted(m.class.name), m.name)
			return
		}
		f = l.b.funcOf(m)
		if at, ok := vs[0].known.(knownSite); ok && m.name == "<init>" && len(vs) > 1 {
			if s, ok := vs[1].known.(knownString); ok {
				l.b.sites[at].message = string(s)
			}
		}
	default:
		l.check(vs[0], args[0])
		if m != nil && (m.is(accPrivate) || m.is(accFinal) && !m.is(accAbstract) || c.access&accFinal != 0 && !m.is(accAbstract)) {
			f = l.b.funcOf(m)
		} else {
			f = l.b.virtual(c, r.name, r.desc)
		}
	}
	v := l.call(f, kind, args...)
	if m != nil && m.class.name == threadClass && m.name == "currentThread" {
		l.push(value{kind: 'A', nonNull: true, known: knownSelf{}}, v)
		return
	}
	if kind != 'V' {
		l.pushKind(kind, v)
	}
}

// arrayClone returns the function that copies an array.
func (b *builder) arrayClone(c *class) *ir.Func {
	name := "clone of " + dotted(c.name)
	if f := b.late[name]; f != nil {
		return f
	}
	f := &ir.Func{Name: name, Runtime: true}
	b.addFunc(f)
	b.late[name] = f
	e := b.newEmitter(f, 1, 'A')
	from := ir.R(f.Params[0])
	n := e.length(from, c.elem)
	to := e.array(c, n)
	i := e.reg()
	e.copy(i, ir.Imm(0))
	head, done := e.block(), e.block()
	e.jump(head)
	e.at = head
	e.unless(e.cmp(ir.SLT, 32, ir.R(i), n), done)
	e.store(e.elementAt(to, ir.R(i), c.elem), e.load(e.elementAt(from, ir.R(i), c.elem), c.elem, event.NA), c.elem, event.NA)
	e.op(ir.Add, 32, i, ir.R(i), ir.Imm(1))
	e.jump(head)
	e.at = done
	e.ret(to)
	e.finish()
	return f
}

// A boxing is the class whose objects hold a primitive value.
type boxing struct{ class, unbox string }

var boxes = map[byte]boxing{
	'Z': {"java/lang/Boolean", "booleanValue"}, 'B': {"java/lang/Byte", "byteValue"}, 'C': {"java/lang/Character", "charValue"}, 'S': {"java/lang/Short", "shortValue"},
	'I': {"java/lang/Integer", "intValue"}, 'J': {"java/lang/Long", "longValue"}, 'F': {"java/lang/Float", "floatValue"}, 'D': {"java/lang/Double", "doubleValue"},
}

// adapt converts a value of the type specific as LambdaMetafactory does: it boxes, unboxes and widens.
func (e *emitter) adapt(v ir.Operand, specific, to string) ir.Operand {
	switch from := kindOf(specific); {
	case kindOf(to) == 'V' || from == 'V':
		return ir.Imm(0)
	case from == 'A' && kindOf(to) == 'A':
		return v
	case from == 'A': // unbox, then widen
		for prim, box := range boxes {
			if descOf(box.class) == specific {
				m := e.b.w.class(box.class).method(box.unbox, "()"+string(prim))
				e.notNull(v)
				v = e.call(e.b.funcOf(m), kindOf(string(prim)), v)
				return e.converted(kindOf(string(prim)), kindOf(to), v)
			}
		}
		box := boxes[to[0]] // the caller has an Object: the value must be of the type itself
		return e.call(e.b.funcOf(e.b.w.class(box.class).method(box.unbox, "()"+to)), kindOf(to), v)
	case kindOf(to) == 'A':
		box := boxes[specific[0]]
		m := e.b.w.class(box.class).method("valueOf", fmt.Sprintf("(%s)L%s;", specific, box.class))
		return e.call(e.b.funcOf(m), 'A', v)
	default:
		return e.converted(from, kindOf(to), v)
	}
}
