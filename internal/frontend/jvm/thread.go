package jvm

import (
	"ravel/internal/event"
	"ravel/internal/ir"
)

// Threads. The field number of a Thread is 0 until it is started, and then the machine's number of the thread plus 1.

const runnable = "java/lang/Runnable"

// runTarget is Thread.run.
func (e *emitter) runTarget() {
	target := e.load(e.address(e.arg(0), e.b.instanceField(threadClass, "target").offset), descOf(runnable), event.NA)
	done := e.block()
	e.when(e.cmp(ir.EQ, 64, target, ir.Imm(0)), done)
	e.call(e.b.virtual(e.b.w.class(runnable), "run", "()V"), 'V', target)
	e.jump(done)
	e.at = done
	e.ret(ir.Imm(0))
}

// startThread is Thread.start.
func (e *emitter) startThread() {
	at := e.address(e.arg(0), e.b.instanceField(threadClass, "number").offset)
	e.unless(e.cmp(ir.EQ, 64, e.load(at, "J", event.NA), ir.Imm(0)), e.throw("java/lang/IllegalThreadStateException"))
	e.store(at, e.new(ir.Add, 64, e.intrinsic("__ravel_next", true), ir.Imm(1)), "J", event.NA)
	if e.b.lazy[aliveKey] {
		e.b.asksForThread()
		e.store(e.threadField(e.arg(0), "alive"), ir.Imm(1), "I", event.SC)
	}
	e.b.virtual(e.b.w.class(threadClass), "run", "()V")
	e.b.virtual(e.b.w.class(runnable), "run", "()V")
	e.lateCall("start", e.arg(0))
	e.b.lateFunc("uncaught", 1)
	e.ret(ir.Imm(0))
}

// joinThread is Thread.join; one that was not started is not waited for.
func (e *emitter) joinThread() {
	n := e.load(e.address(e.arg(0), e.b.instanceField(threadClass, "number").offset), "J", event.NA)
	done := e.block()
	e.when(e.cmp(ir.EQ, 64, n, ir.Imm(0)), done)
	e.intrinsic("__ravel_join", true, e.new(ir.Sub, 64, n, ir.Imm(1)))
	e.jump(done)
	e.at = done
}

// Interrupts. A thread looks whether it was interrupted where it sleeps, joins, or asks. That one is interrupted while it waits in a monitor is not modelled,
// so programs that interrupt threads may not wait there. Which programs do is known when they are lowered: then they are lowered again, as for lazy classes.

const interruptKey = "interrupts"

// aliveKey is the same for programs that ask whether a thread is alive: threads say so when they end (JLS 17.4.4: isAlive that returns false synchronizes with the end).
const aliveKey = "asks for threads that are alive"

// interrupts reports whether the program interrupts threads.
func (b *builder) interrupts() bool { return b.lazy[interruptKey] }

// interruptThread is Thread.interrupt. A thread that is interrupted does not park.
func (e *emitter) interruptThread() {
	e.b.interrupting = true
	e.store(e.threadField(e.arg(0), "interrupted"), ir.Imm(1), "I", event.SC)
	e.rmw(event.Xchg, e.threadField(e.arg(0), "permit"), ir.Imm(1), "I", event.SC)
	e.ret(ir.Imm(0))
}

// interruptible throws an InterruptedException if the thread was interrupted.
func (e *emitter) interruptible() {
	if e.b.interrupts() {
		was := e.rmw(event.Xchg, e.threadField(e.self(), "interrupted"), ir.Imm(0), "I", event.SC)
		e.when(e.cmp(ir.NE, 32, was, ir.Imm(0)), e.throw("java/lang/InterruptedException"))
	}
}

// uninterrupted refuses a wait in a program that interrupts threads.
func (e *emitter) uninterrupted() {
	if e.b.interrupts() {
		e.unsupported("a wait in a program that interrupts threads is not supported: use a flag and notifyAll")
		e.at = e.block()
	}
}

// asksForThread notes that the program asks for the object of the current thread.
func (b *builder) asksForThread() {
	if b.current == nil {
		b.current = &ir.Global{Name: "current thread", Size: 8, Align: 8, TLS: true}
		b.addGlobal(b.current)
		b.instantiate(b.w.class(threadClass))
	}
}

// setThread notes the object of the current thread.
func (e *emitter) setThread(ref ir.Operand) {
	if e.b.current != nil {
		dst := e.reg()
		e.add(ir.Instr{Op: ir.TLSAddr, Dst: dst, Dst2: ir.NoReg, Global: e.b.current})
		e.store(ir.R(dst), ref, descOf(threadClass), event.NA)
	}
}

// lowerStart makes the function that creates the thread of a Thread. Each method that threads run has an entry of its own, so that reports name threads by it.
func (b *builder) lowerStart(e *emitter) {
	threads := b.virtuals[threadClass+".run()V"]
	targets := b.virtuals[runnable+".run()V"]
	base := b.funcs[b.w.class(threadClass).method("run", "()V")]
	create := func(f *ir.Func, arg ir.Operand) {
		e.intrinsic("__ravel_create", true, ir.Imm(uint64(f.Addr)), arg)
		e.ret1(ir.Imm(0))
	}
	// dispatch creates a thread by the class of an object that it runs.
	dispatch := func(of ir.Operand, v *virtual, otherwise func(), entry func(t *ir.Func)) {
		in := ir.Instr{Op: ir.Switch, Width: 64, Dst: ir.NoReg, Dst2: ir.NoReg, A: e.classID(of)}
		at := e.at
		blocks := map[*ir.Func]int{}
		for _, c := range b.instances {
			t := v.targets[c]
			if t == nil {
				continue
			}
			n, ok := blocks[t]
			if !ok {
				n = e.block()
				blocks[t] = n
				e.at = n
				entry(t)
			}
			in.Cases = append(in.Cases, uint64(c.id))
			in.Targets = append(in.Targets, n)
		}
		e.at = e.block()
		in.Targets = append(in.Targets, e.at)
		otherwise()
		e.at = at
		e.add(in)
	}
	nothing := func() { create(b.threadEntry(nil, false), ir.R(0)) }
	dispatch(ir.R(0), threads, func() { e.unsupported("a thread whose class is not known") }, func(t *ir.Func) {
		if t != base {
			create(b.threadEntry(t, false), ir.R(0))
			return
		}
		target := e.load(e.address(ir.R(0), b.instanceField(threadClass, "target").offset), descOf(runnable), event.NA)
		dispatch(target, targets, nothing, func(t *ir.Func) {
			if b.current != nil {
				create(b.threadEntry(t, true), ir.R(0))
			} else {
				create(b.threadEntry(t, false), target)
			}
		})
	})
}

// threadEntry returns the function in which a thread begins that runs a method of its argument, or, if target is set, of the target of the Thread that is
// its argument; nil: none.
func (b *builder) threadEntry(run *ir.Func, target bool) *ir.Func {
	f := &ir.Func{Name: "thread", Params: []ir.Reg{0}, Regs: 1, Results: 1}
	e := &emitter{b: b, f: f, result: 'V', thrown: map[thrownAt]int{}, pads: map[string]int{}}
	b.addFunc(f)
	e.at = e.block()
	if run != nil {
		f.Name, f.Pos = run.Name, run.Pos
		e.pos = f.Pos
		e.setThread(ir.R(0))
		of := ir.R(0)
		if target {
			of = e.load(e.address(of, b.instanceField(threadClass, "target").offset), descOf(runnable), event.NA)
		}
		e.runOrReport(run, of)
	}
	if b.lazy[aliveKey] {
		e.store(e.threadField(ir.R(0), "alive"), ir.Imm(0), "I", event.SC)
	}
	e.ret1(ir.Imm(0))
	return f
}

// runOrReport calls a method and reports an exception that ends it.
func (e *emitter) runOrReport(f *ir.Func, args ...ir.Operand) {
	r := e.reg()
	e.add(ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: f, Args: args, Results: []ir.Reg{r}})
	ok := e.block()
	e.unless(e.cmp(ir.NE, 64, ir.R(r), ir.Imm(0)), ok)
	e.lateCall("uncaught", ir.R(r))
	e.jump(ok)
	e.at = ok
}
