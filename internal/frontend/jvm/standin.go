package jvm

import (
	"errors"
	"io/fs"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// Stand-ins are classes in Java that take the place of classes of the JDK: pools, futures, semaphores, read-write locks, LockSupport, ThreadLocal. Each synchronises
// at most as the JDK's own code does, so that no execution of that code is missed, and without its queues of waiting threads: a thread that waits looks at what it waits for.
// They are compiled in advance; run go generate after a change.
//
//go:generate sh -c "rm -rf classes && mkdir classes && javac -g -XDstringConcat=inline -nowarn --patch-module java.base=lib -d classes $(find lib -name '*.java')"

// standin returns the class file that takes the place of a class of the JDK, nil if there is none.
func standin(name string) ([]byte, error) {
	text, err := standins.ReadFile("classes/" + name + ".class")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// machineClass declares what the stand-ins ask of the machine.
const machineClass = "java/lang/Machine"

// self returns the object of the current thread.
func (e *emitter) self() ir.Operand {
	e.b.asksForThread()
	dst := e.reg()
	e.add(ir.Instr{Op: ir.TLSAddr, Dst: dst, Dst2: ir.NoReg, Global: e.b.current})
	return e.load(ir.R(dst), descOf(threadClass), event.NA)
}

func (e *emitter) threadField(t ir.Operand, name string) ir.Operand {
	return e.address(t, e.b.instanceField(threadClass, name).offset)
}

// machineMethods adds the bodies of Machine.
func machineMethods(add func(class, names string, in intrinsic)) {
	add(machineClass, "take", func(e *emitter) {
		at := e.threadField(e.self(), "permit")
		head, try, done := e.block(), e.block(), e.block()
		e.jump(head)
		e.at = head
		e.branch(e.cmp(ir.EQ, 32, e.load(at, "I", event.SC), ir.Imm(0)), head, try)
		e.at = try
		_, ok := e.cas(at, ir.Imm(1), ir.Imm(0), "I", event.SC, false)
		e.branch(ok, done, head)
		e.at = done
		e.ret(ir.Imm(0))
	})
	add(machineClass, "give", func(e *emitter) {
		e.rmw(event.Xchg, e.threadField(e.arg(0), "permit"), ir.Imm(1), "I", event.SC)
		e.ret(ir.Imm(0))
	})
	add(machineClass, "locals", func(e *emitter) {
		e.ret(e.load(e.threadField(e.self(), "locals"), descOf(objectClass), event.NA))
	})
	add(machineClass, "setLocals", func(e *emitter) {
		e.store(e.threadField(e.self(), "locals"), e.arg(0), descOf(objectClass), event.NA)
		e.ret(ir.Imm(0))
	})
	add(machineClass, "self", func(e *emitter) {
		n := e.new(ir.Add, 64, e.intrinsic("__ravel_owner", true), ir.Imm(1))
		e.ret(e.cast(ir.Trunc, 64, 32, n))
	})
	add(machineClass, "choose", func(e *emitter) { e.ret(e.intrinsic("__ravel_choose", true, ir.Imm(2))) })
}

// unsafeClass has accesses of fields by their places. Its methods are named as those of VarHandle, with the type of the variable in between.
const unsafeClass = "jdk/internal/misc/Unsafe"

var unsafeTypes = map[string]string{"Int": "I", "Long": "J", "Reference": descOf(objectClass), "Object": descOf(objectClass), "Boolean": "Z", "Byte": "B", "Short": "S", "Char": "C"}

// unsafeMethod returns the intrinsic of a method of Unsafe.
func unsafeMethod(m *method) intrinsic {
	base, rest := "", m.name
	for _, p := range []string{"getAndAdd", "getAndSet", "getAndBitwiseOr", "getAndBitwiseAnd", "getAndBitwiseXor", "get", "put", "compareAndSet", "compareAndExchange", "weakCompareAndSet"} {
		if r, ok := strings.CutPrefix(m.name, p); ok {
			base, rest = p, r
			break
		}
	}
	for name, desc := range unsafeTypes {
		suffix, ok := strings.CutPrefix(rest, name)
		params, _ := signature(m.desc)
		if !ok || base == "" || len(params) < 2 || params[0] != descOf(objectClass) || params[1] != "J" {
			continue
		}
		return func(e *emitter) {
			at := e.new(ir.Add, 64, e.address(e.arg(1), 0), e.arg(2))
			var args []ir.Operand
			for i := range params[2:] {
				args = append(args, e.arg(i+3))
			}
			if base == "put" {
				base = "set"
			}
			v, _, ok := e.accessMode(base+suffix, at, desc, args)
			if !ok {
				e.unsupported(dotted(unsafeClass) + "." + m.name + " is not supported")
				return
			}
			e.ret(v)
		}
	}
	return nil
}

// addCount is ConcurrentHashMap.addCount. The JDK adds to one of several counters where threads compete, so an addition does not acquire what others have released.
func (e *emitter) addCount() {
	const class = "java/util/concurrent/ConcurrentHashMap"
	old := e.rmw(event.Add, e.address(e.arg(0), e.b.instanceField(class, "baseCount").offset), e.arg(1), "J", event.Rel)
	done, grow := e.block(), e.block()
	e.when(e.cmp(ir.SLT, 32, e.arg(2), ir.Imm(0)), done)
	limit := e.cast(ir.SExt, 32, 64, e.load(e.address(e.arg(0), e.b.instanceField(class, "sizeCtl").offset), "I", event.SC))
	e.when(e.cmp(ir.SLT, 64, limit, ir.Imm(0)), done) // another thread is about to set it
	e.branch(e.cmp(ir.SLT, 64, e.new(ir.Add, 64, old, e.arg(1)), limit), done, grow)
	e.at = grow
	e.unsupported("a ConcurrentHashMap that grows is not supported: give it a larger capacity")
	e.at = done
	e.ret(ir.Imm(0))
}

// waitForFuture is CompletableFuture.waitingGet without the stack of waiting threads: the thread looks at the result.
func (e *emitter) waitForFuture() {
	const class = "java/util/concurrent/CompletableFuture"
	c := e.b.w.class(class)
	at := e.address(e.arg(0), e.b.instanceField(class, "result").offset)
	v, head, done := e.reg(), e.block(), e.block()
	e.jump(head)
	e.at = head
	e.copy(v, e.load(at, descOf(objectClass), event.SC))
	e.branch(e.cmp(ir.EQ, 64, ir.R(v), ir.Imm(0)), head, done)
	e.at = done
	e.call(e.b.virtual(c, "postComplete", "()V"), 'V', e.arg(0))
	e.ret(ir.R(v))
}

// enumValueOf is Enum.valueOf: the constant of a class with a name.
func (e *emitter) enumValueOf() {
	e.notNull(e.arg(1))
	array := "[" + descOf(objectClass)
	values := e.load(e.lateCall("enum values", e.arg(0)), array, event.NA)
	n, i, head, next, found, none, known := e.length(values, array[1:]), e.reg(), e.block(), e.block(), e.block(), e.block(), e.block()
	v := e.reg()
	e.copy(i, ir.Imm(0))
	e.jump(head)
	e.at = head
	e.unless(e.cmp(ir.SLT, 32, ir.R(i), n), none)
	e.copy(v, e.load(e.elementAt(values, ir.R(i), array[1:]), array[1:], event.NA))
	name := e.load(e.address(ir.R(v), e.b.instanceField("java/lang/Enum", "name").offset), descOf(stringClass), event.NA)
	e.branch(e.cmp(ir.EQ, 64, name, e.arg(1)), found, next)
	e.at = next
	e.op(ir.Add, 32, i, ir.R(i), ir.Imm(1))
	e.jump(head)
	e.at = found
	e.ret(ir.R(v))
	e.at = none
	e.when(e.cmp(ir.EQ, 64, e.new(ir.LShr, 64, e.address(e.arg(1), 0), ir.Imm(event.AddrBits-10)), ir.Imm(0)), known)
	e.unsupported(unknownText)
	e.at = known
	e.jump(e.throw("java/lang/IllegalArgumentException"))
}
