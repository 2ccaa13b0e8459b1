package jvm

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/ir"
)

// A value is what is known of an entry of the stack or of a local variable.
type value struct {
	kind    byte // I, J, F, D, A, or 0 if it is not one value
	nonNull bool
	known   any // what it is, where that is known: one of the types below; nil otherwise
}

// What may be known of a value.
type (
	knownClass  string // the object of the class, by its descriptor
	knownString string
	knownLookup struct{ class string } // a MethodHandles.Lookup of the class
	knownSite   int                    // an exception that is made here
	knownSelf   struct{}               // the object of the current thread
	knownVar    struct {               // a VarHandle
		static *field
		field  *field
		array  string // descriptor of the elements
	}
)

// A frame is what is known where a block begins.
type frame struct {
	locals, stack []value
}

// A body lowers the code of a method. Each local variable and each entry of the stack is a register; a long or double has one.
// Blocks of bytecode are lowered from what is known where they begin. If less turns out to be known, they are lowered again.
type body struct {
	*emitter
	m      *method
	code   []byte
	frames map[int]*frame // by the pc of the block
	blocks map[int]int    // the number of its block
	leads  map[int]bool   // where blocks begin
	work   []int
	now    frame // at the current instruction
	pc     int
	next   int // the instruction that follows
	locals ir.Reg
	base   ir.Reg // of the stack
	ends   bool   // the instruction ends the block
	lines  map[int]ir.Pos
	onPut  func(f *field, v value) // called with what static fields are set to
}

// funcOf returns the function of a method.
func (b *builder) funcOf(m *method) *ir.Func {
	f := b.funcs[m]
	if f != nil {
		return f
	}
	f = &ir.Func{Name: b.unique(m.display())}
	b.addFunc(f)
	b.funcs[m] = f
	params, result := signature(m.desc)
	n := len(params)
	if !m.is(accStatic) {
		n++
	}
	e := b.newEmitter(f, n, kindOf(result))
	b.queue = append(b.queue, func() { b.lowerMethod(m, e) })
	return f
}

// lowerMethod gives a method its code.
func (b *builder) lowerMethod(m *method, e *emitter) {
	e.method = m
	if in := intrinsicOf(m); in != nil {
		e.f.Runtime = true
		in(e)
		e.finish()
		return
	}
	switch {
	case m.class.jdk && !isTrusted(m), m.is(accNative):
		e.f.Runtime = true
		e.unsupported(fmt.Sprintf("%s.%s is not supported", dotted(m.class.name), m.name))
		e.finish()
		return
	case m.code == nil:
		e.unsupported(fmt.Sprintf("%s.%s has no body", dotted(m.class.name), m.name))
		e.finish()
		return
	}
	e.pos = b.prog.AddPos(ir.Position{File: m.class.file, Line: m.code.lineAt(0), Func: m.display()})
	e.f.Pos = e.pos
	if !m.is(accSynchronized) {
		b.lowerBody(m, e, nil)
		return
	}
	// A synchronized method holds the monitor while its body runs, however that ends.
	inner := &ir.Func{Name: b.unique(m.display()), Pos: e.pos}
	b.addFunc(inner)
	ie := b.newEmitter(inner, len(e.f.Params), e.result)
	ie.pos, ie.method = e.pos, m
	b.lowerBody(m, ie, nil)
	var args []ir.Operand
	for _, p := range e.f.Params {
		args = append(args, ir.R(p))
	}
	var lock ir.Operand
	if m.is(accStatic) {
		lock = ir.Imm(b.classObject(m.class.name))
	} else {
		lock = args[0]
	}
	e.intrinsic("__ravel_java_enter", false, e.address(lock, 0))
	in := ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: inner, Args: args}
	ret := ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg}
	for range e.f.Results {
		r := e.reg()
		in.Results = append(in.Results, r)
		ret.Args = append(ret.Args, ir.R(r))
	}
	e.add(in)
	e.intrinsic("__ravel_java_exit", true, e.address(lock, 0))
	e.add(ret)
	e.finish()
}

// lowerBody lowers the bytecode of a method.
func (b *builder) lowerBody(m *method, e *emitter, onPut func(*field, value)) {
	l := &body{
		emitter: e, m: m, code: m.code.bytes, frames: map[int]*frame{}, blocks: map[int]int{}, leads: map[int]bool{}, lines: map[int]ir.Pos{}, onPut: onPut,
	}
	defer func() {
		if e := recover(); e != nil {
			if bad, ok := e.(badClass); ok {
				fail("%s: %s: %w", dotted(m.class.name), m.name, bad.err)
			}
			panic(e)
		}
	}()
	l.locals = ir.Reg(e.f.Regs)
	e.f.Regs += m.code.maxLocals
	l.base = ir.Reg(e.f.Regs)
	e.f.Regs += m.code.maxStack
	l.findBlocks()
	l.unwind = l.pad
	start := &frame{locals: make([]value, m.code.maxLocals)}
	params, _ := signature(m.desc)
	i, p := 0, 0
	if !m.is(accStatic) && len(start.locals) > 0 {
		e.copy(l.locals, ir.R(e.f.Params[0]))
		start.locals[0] = value{kind: 'A', nonNull: true}
		i, p = 1, 1
	}
	for _, d := range params {
		if i >= len(start.locals) {
			panic(badClass{fmt.Errorf("%d local variables for %d parameters", len(start.locals), len(params))})
		}
		e.copy(l.locals+ir.Reg(i), ir.R(e.f.Params[p]))
		start.locals[i] = value{kind: kindOf(d)}
		i += slots(kindOf(d))
		p++
	}
	l.leads[0] = true
	e.jump(l.merge(0, start))
	for len(l.work) > 0 {
		pc := l.work[0]
		l.work = l.work[1:]
		l.lowerBlock(pc)
	}
	e.finish()
}

func slots(kind byte) int {
	if kind == 'J' || kind == 'D' {
		return 2
	}
	return 1
}

// merge notes that a frame leads to the block at pc, and returns the number of the block.
func (l *body) merge(pc int, f *frame) int {
	n, ok := l.blocks[pc]
	if !ok {
		n = l.block()
		l.blocks[pc] = n
	}
	old := l.frames[pc]
	if old == nil {
		l.frames[pc] = &frame{slices.Clone(f.locals), slices.Clone(f.stack)}
		l.work = append(l.work, pc)
		return n
	}
	if len(old.stack) != len(f.stack) {
		panic(badClass{fmt.Errorf("the stack has %d or %d entries at %d", len(old.stack), len(f.stack), pc)})
	}
	changed := false
	join := func(a *value, b value) {
		c := *a
		if c.kind != b.kind {
			c = value{}
		}
		c.nonNull = c.nonNull && b.nonNull
		if c.known != b.known {
			c.known = nil
		}
		if c != *a {
			*a, changed = c, true
		}
	}
	for i := range old.locals {
		join(&old.locals[i], f.locals[i])
	}
	for i := range old.stack {
		join(&old.stack[i], f.stack[i])
	}
	if changed && !slices.Contains(l.work, pc) {
		l.work = append(l.work, pc)
	}
	return n
}

// pad returns the block that takes the exception in exc to the handlers of the current instruction.
func (l *body) pad() int {
	var list []handler
	key := ""
	for _, h := range l.m.code.handlers {
		if h.start <= l.pc && l.pc < h.end {
			list = append(list, h)
			key += fmt.Sprintf("%d:%s ", h.target, h.catch)
			l.merge(h.target, &frame{l.now.locals, []value{{kind: 'A', nonNull: true}}})
			if h.catch == "" {
				break
			}
		}
	}
	if n, ok := l.pads[key]; ok {
		return n
	}
	at := l.at
	l.at = l.block()
	n := l.at
	l.pads[key] = n
	for _, h := range list {
		to := l.blocks[h.target]
		catch := l.block()
		if h.catch == "" {
			l.jump(catch)
		} else {
			c := l.b.w.find(h.catch)
			if c == nil {
				fail("%s: class %s is neither in the program nor in the JDK's java.base", l.m.display(), dotted(h.catch))
			}
			l.when(l.isInstance(ir.R(l.exc), c), catch)
		}
		after := l.at
		l.at = catch
		l.copy(l.base, ir.R(l.exc))
		l.jump(to)
		l.at = after
		if h.catch == "" {
			l.at = at
			return n
		}
	}
	l.returns(ir.R(l.exc), ir.Imm(0))
	l.at = at
	return n
}

// findBlocks finds where blocks begin.
func (l *body) findBlocks() {
	for pc := 0; pc < len(l.code); {
		n, targets, ends := l.decode(pc)
		for _, t := range targets {
			l.leads[t] = true
		}
		if ends || len(targets) > 0 {
			l.leads[pc+n] = true
		}
		pc += n
	}
	for _, h := range l.m.code.handlers {
		l.leads[h.target] = true
		l.leads[h.start] = true
		l.leads[h.end] = true
	}
}

func (l *body) u1(at int) int {
	if at < 0 || at >= len(l.code) {
		panic(badClass{fmt.Errorf("the code ends in the middle of an instruction")})
	}
	return int(l.code[at])
}
func (l *body) s1(at int) int { return int(int8(l.u1(at))) }
func (l *body) u2(at int) int { return l.u1(at)<<8 | l.u1(at+1) }
func (l *body) s2(at int) int { return int(int16(l.u2(at))) }
func (l *body) s4(at int) int { return int(int32(uint32(l.u2(at))<<16 | uint32(l.u2(at+2)))) }

// decode returns how long an instruction is, where it may jump to, and whether the next one does not follow.
func (l *body) decode(pc int) (n int, targets []int, ends bool) {
	op := l.u1(pc)
	switch {
	case op >= opIfeq && op <= opIfAcmpne, op == opIfnull, op == opIfnonnull:
		return 3, []int{pc + l.s2(pc+1)}, false
	case op == opGoto:
		return 3, []int{pc + l.s2(pc+1)}, true
	case op == opGotoW:
		return 5, []int{pc + l.s4(pc+1)}, true
	case op == opTableswitch:
		at := pc + 4 - pc%4
		low, high := l.s4(at+4), l.s4(at+8)
		targets = append(targets, pc+l.s4(at))
		if high < low || high-low > len(l.code) {
			panic(badClass{fmt.Errorf("a switch from %d to %d", low, high)})
		}
		for i := range high - low + 1 {
			targets = append(targets, pc+l.s4(at+12+4*i))
		}
		return at + 12 + 4*(high-low+1) - pc, targets, true
	case op == opLookupswitch:
		at := pc + 4 - pc%4
		count := l.s4(at + 4)
		targets = append(targets, pc+l.s4(at))
		if count < 0 || count > len(l.code) {
			panic(badClass{fmt.Errorf("a switch with %d cases", count)})
		}
		for i := range count {
			targets = append(targets, pc+l.s4(at+12+8*i))
		}
		return at + 8 + 8*count - pc, targets, true
	case op >= opIreturn && op <= opReturn, op == opAthrow:
		return 1, nil, true
	case op == opWide:
		if l.u1(pc+1) == opIinc {
			return 6, nil, false
		}
		return 4, nil, false
	case op < len(lengths):
		return int(lengths[op]), nil, false
	}
	panic(badClass{fmt.Errorf("there is no instruction %d", op)})
}

// lowerBlock lowers the block at pc.
func (l *body) lowerBlock(pc int) {
	f := l.frames[pc]
	l.now = frame{slices.Clone(f.locals), slices.Clone(f.stack)}
	l.at = l.blocks[pc]
	l.f.Blocks[l.at].Instrs = nil
	for {
		l.pc = pc
		n, _, _ := l.decode(pc)
		l.next = pc + n
		l.ends = false
		l.line = l.m.code.lineAt(pc)
		if _, ok := l.lines[l.line]; !ok {
			l.lines[l.line] = l.b.prog.AddPos(ir.Position{File: l.m.class.file, Line: l.line, Func: l.m.display()})
		}
		l.pos = l.lines[l.line]
		l.instr(l.u1(pc))
		if l.ends {
			return
		}
		pc = l.next
		if l.leads[pc] {
			l.jump(l.merge(pc, &l.now))
			return
		}
	}
}

// stackReg is the register of entry i of the stack.
func (l *body) stackReg(i int) ir.Reg {
	if i < 0 || i >= l.m.code.maxStack {
		panic(badClass{fmt.Errorf("the stack has %d entries at %d", i, l.pc)})
	}
	return l.base + ir.Reg(i)
}

// push puts a value on the stack.
func (l *body) push(v value, o ir.Operand) {
	l.copy(l.stackReg(len(l.now.stack)), o)
	l.now.stack = append(l.now.stack, v)
}

func (l *body) pushKind(kind byte, o ir.Operand) { l.push(value{kind: kind}, o) }

// pop takes a value from the stack. The operand is valid until the next push.
func (l *body) pop() (value, ir.Operand) {
	n := len(l.now.stack) - 1
	r := l.stackReg(n)
	v := l.now.stack[n]
	l.now.stack = l.now.stack[:n]
	return v, ir.R(r)
}

func (l *body) popOperand() ir.Operand {
	_, o := l.pop()
	return o
}

// popArgs takes n values, the last one first.
func (l *body) popArgs(n int) ([]value, []ir.Operand) {
	vs, os := make([]value, n), make([]ir.Operand, n)
	for i := n - 1; i >= 0; i-- {
		vs[i], os[i] = l.pop()
	}
	return vs, os
}

// check throws a NullPointerException if a value is null, unless it is known not to be. Local variables with the same value are then known too.
func (l *body) check(v value, o ir.Operand) {
	if !v.nonNull {
		l.notNull(o)
	}
}

// refuse ends the block: the program does something that is not supported.
func (l *body) refuse(format string, args ...any) {
	l.unsupported(fmt.Sprintf(format, args...))
	l.ends = true
}

// classRef returns the class that a constant names; nil after a refusal.
func (l *body) classRef(i int) *class {
	name := l.m.class.className(i)
	c := l.b.w.find(strings.TrimSuffix(name, ";"))
	if strings.HasPrefix(name, "[") {
		c = l.b.w.find(name)
	}
	if c == nil {
		l.refuse("class %s is neither in the program nor in the JDK's java.base", dotted(name))
	}
	return c
}
