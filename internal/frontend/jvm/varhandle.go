package jvm

import (
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// VarHandles that are known when the program is lowered: those of static final fields, and others that stay in one method. An access by one is an access
// of the variable with the mode that the method says.

// invokeHandle lowers calls that make or use VarHandles. It returns false if the call is another one.
func (l *body) invokeHandle(op int, r ref) bool {
	push := func(known any) {
		l.push(value{'A', true, known}, ir.Imm(0))
	}
	params, result := signature(r.desc)
	switch r.class + "." + r.name {
	case unsafeClass + ".getUnsafe":
		l.push(value{kind: 'A', nonNull: true}, ir.Imm(l.b.single("Unsafe", unsafeClass, headerSize)))
		return true
	case updaters + "IntegerFieldUpdater.newUpdater", updaters + "LongFieldUpdater.newUpdater", updaters + "ReferenceFieldUpdater.newUpdater":
		vs, _ := l.popArgs(len(params))
		c, _ := vs[0].known.(knownClass)
		off, ok := l.offsetOf(c, vs[len(vs)-1])
		if !ok {
			l.refuse("an updater of a field that is no constant is not supported")
			return true
		}
		k := l.b.w.class(r.class)
		l.initialised(k)
		at := k.declared("at", "(J)L"+r.class+";")
		l.push(value{kind: 'A', nonNull: true}, l.call(l.b.funcOf(at), 'A', ir.Imm(off)))
		return true
	case unsafeClass + ".objectFieldOffset":
		vs, _ := l.popArgs(len(params) + 1)
		c, _ := vs[1].known.(knownClass)
		if off, ok := l.offsetOf(c, vs[len(vs)-1]); ok {
			l.pushKind('J', ir.Imm(off))
			return true
		}
		l.refuse("the place of a field that is no constant is not supported")
		return true
	case unsafeClass + ".arrayBaseOffset":
		l.popArgs(len(params) + 1)
		l.pushKind('I', ir.Imm(headerSize))
		return true
	case unsafeClass + ".arrayIndexScale":
		vs, _ := l.popArgs(len(params) + 1)
		c, ok := vs[1].known.(knownClass)
		if !ok || c[0] != '[' {
			l.refuse("arrayIndexScale of a class that is no constant is not supported")
			return true
		}
		l.pushKind('I', ir.Imm(sizeOf(string(c[1:]))))
		return true
	case "java/lang/invoke/MethodHandles.lookup":
		push(knownLookup{l.m.class.name})
		return true
	case "java/lang/invoke/MethodHandles.privateLookupIn":
		vs, _ := l.popArgs(2)
		c, _ := vs[0].known.(knownClass)
		if c == "" {
			l.refuse("privateLookupIn of a class that is no constant is not supported")
			return true
		}
		push(knownLookup{className(string(c))})
		return true
	case "java/lang/invoke/MethodHandles.arrayElementVarHandle":
		v, _ := l.pop()
		c, ok := v.known.(knownClass)
		if !ok || c[0] != '[' {
			l.refuse("arrayElementVarHandle of a class that is no constant is not supported")
			return true
		}
		push(knownVar{array: string(c[1:])})
		return true
	case "java/lang/invoke/MethodHandles$Lookup.findVarHandle", "java/lang/invoke/MethodHandles$Lookup.findStaticVarHandle":
		vs, _ := l.popArgs(4)
		c, _ := vs[1].known.(knownClass)
		l.findHandle(r.name, className(string(c)), vs[2], vs[3])
		return true
	case "jdk/internal/invoke/MhUtil.findVarHandle": // in newer JDKs, which the atomic classes use
		vs, _ := l.popArgs(len(params))
		lookup, _ := vs[0].known.(knownLookup)
		name := lookup.class
		if len(vs) == 4 {
			c, _ := vs[1].known.(knownClass)
			name = className(string(c))
		}
		l.findHandle(r.name, name, vs[len(vs)-2], vs[len(vs)-1])
		return true
	}
	if r.class != varHandleClass || op == opInvokestatic {
		return false
	}
	n := len(params)
	vs, args := l.popArgs(n + 1)
	k, ok := vs[0].known.(knownVar)
	if !ok {
		l.refuse("a VarHandle that is no constant is not supported: keep it in a static final field")
		return true
	}
	args, vs = args[1:], vs[1:]
	var at ir.Operand
	desc := ""
	switch {
	case k.static != nil:
		desc = k.static.desc
		l.initialised(k.static.class)
		at = ir.Imm(uint64(l.b.static(k.static).Addr))
	case k.field != nil && n >= 1:
		desc = k.field.desc
		l.check(vs[0], args[0])
		k.field.class.layOut()
		at = l.address(args[0], k.field.offset)
		args, params = args[1:], params[1:]
	case n >= 2:
		desc = k.array
		l.check(vs[0], args[0])
		at = l.element(args[0], args[1], desc)
		args, params = args[2:], params[2:]
	default:
		l.refuse("VarHandle.%s with %d arguments", r.name, n)
		return true
	}
	for i := range args { // the call may have other types than the variable
		if kindOf(params[i]) != kindOf(desc) {
			args[i] = l.adapt(args[i], params[i], desc)
		}
	}
	v, kind, ok := l.accessMode(r.name, at, desc, args)
	if !ok {
		l.refuse("VarHandle.%s is not supported", r.name)
		return true
	}
	if kindOf(result) == 'V' {
		return true
	}
	if kind != kindOf(result) {
		v = l.adapt(v, desc, result)
	}
	l.pushKind(kindOf(result), v)
	return true
}

// updaters begins the names of the updaters of fields.
const updaters = "java/util/concurrent/atomic/Atomic"

// offsetOf returns where objects of a class have the field of a name, if both are constants.
func (l *body) offsetOf(c knownClass, name value) (uint64, bool) {
	text, ok := name.known.(knownString)
	if !ok || c == "" {
		return 0, false
	}
	for _, f := range l.b.w.class(className(string(c))).fields {
		if f.name == string(text) && !f.is(accStatic) {
			f.class.layOut()
			return f.offset, true
		}
	}
	return 0, false
}

// findHandle pushes the VarHandle of a field.
func (l *body) findHandle(method, class string, name, t value) {
	field, ok := name.known.(knownString)
	desc, ok2 := t.known.(knownClass)
	if class == "" || !ok || !ok2 {
		l.refuse("%s with arguments that are no constants is not supported", method)
		return
	}
	f := l.b.w.class(class).field(string(field), string(desc))
	switch {
	case f == nil:
		l.refuse("%s has no field %s %s", dotted(class), dotted(className(string(desc))), field)
	case f.is(accStatic) != (method == "findStaticVarHandle"):
		l.refuse("%s of %s.%s", method, dotted(f.class.name), f.name)
	case f.is(accStatic):
		l.push(value{'A', true, knownVar{static: f}}, ir.Imm(0))
	default:
		l.push(value{'A', true, knownVar{field: f}}, ir.Imm(0))
	}
}

// modes are the suffixes of the names of methods.
var modes = []struct {
	suffix string
	mode   event.Mode
}{{"Volatile", event.SC}, {"Acquire", event.Acq}, {"Release", event.Rel}, {"Opaque", event.Rlx}, {"Plain", event.Rlx}}

// accessMode lowers a method of VarHandle, or the same one of an atomic class. It returns the result and its kind.
func (e *emitter) accessMode(name string, at ir.Operand, desc string, args []ir.Operand) (v ir.Operand, kind byte, ok bool) {
	base, mode, suffix := name, event.SC, ""
	for _, m := range modes {
		if strings.HasSuffix(name, m.suffix) {
			base, mode, suffix = strings.TrimSuffix(name, m.suffix), m.mode, m.suffix
			break
		}
	}
	of := kindOf(desc)
	want := map[string]int{
		"get": 0, "set": 1, "compareAndSet": 2, "weakCompareAndSet": 2, "compareAndExchange": 2, "getAndSet": 1, "getAndAdd": 1,
		"getAndBitwiseOr": 1, "getAndBitwiseAnd": 1, "getAndBitwiseXor": 1,
	}
	if n, known := want[base]; !known || n != len(args) {
		return v, 0, false
	}
	isFloat := of == 'F' || of == 'D'
	switch base {
	case "get", "set":
		if suffix == "" {
			mode = event.NA
		}
		if base == "get" {
			return e.load(at, desc, mode), of, suffix != "Release"
		}
		e.store(at, args[0], desc, mode)
		return v, 'V', suffix != "Acquire"
	case "compareAndSet", "weakCompareAndSet":
		_, done := e.cas(at, args[0], args[1], desc, mode, base[0] == 'w')
		return done, 'I', true
	case "compareAndExchange":
		old, _ := e.cas(at, args[0], args[1], desc, mode, false)
		return old, of, true
	case "getAndSet":
		return e.rmw(event.Xchg, at, args[0], desc, mode), of, true
	case "getAndAdd":
		op := event.Add
		if isFloat {
			op = event.FAdd
		}
		return e.rmw(op, at, args[0], desc, mode), of, of != 'A' && desc != "Z"
	}
	op := map[string]event.RMWOp{"getAndBitwiseOr": event.Or, "getAndBitwiseAnd": event.And, "getAndBitwiseXor": event.Xor}[base]
	return e.rmw(op, at, args[0], desc, mode), of, !isFloat && of != 'A'
}
