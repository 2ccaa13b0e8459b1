package jvm

import (
	"ravel/internal/event"
	"ravel/internal/ir"
)

// An emitter writes the code of one function. Every function of a method returns the exception that ends it, or 0, and then its
// result, if it has one.
type emitter struct {
	b      *builder
	f      *ir.Func
	at     int // the block that instructions are added to
	pos    ir.Pos
	exc    ir.Reg           // holds an exception on its way to a handler
	result byte             // kind of the result, V for none
	unwind func() int       // returns the block that handles the exception in exc
	thrown map[thrownAt]int // blocks that throw
	pads   map[string]int   // see body.pad
	line   int              // of the source
	method *method          // nil if it is no method
}

type thrownAt struct {
	class string
	line  int
	block int
}

// newEmitter begins a function with parameters of these kinds.
func (b *builder) newEmitter(f *ir.Func, params int, result byte) *emitter {
	e := &emitter{b: b, f: f, result: result, thrown: map[thrownAt]int{}, pads: map[string]int{}}
	f.Results = 1
	if result != 'V' {
		f.Results = 2
	}
	f.Unwinds = true
	for range params {
		f.Params = append(f.Params, e.reg())
	}
	e.at = e.block()
	e.exc = e.reg()
	e.unwind = func() int {
		if _, ok := e.pads[""]; !ok {
			at := e.at
			e.at = e.block()
			e.pads[""] = e.at
			e.returns(ir.R(e.exc), ir.Imm(0))
			e.at = at
		}
		return e.pads[""]
	}
	return e
}

func (e *emitter) reg() ir.Reg {
	e.f.Regs++
	return ir.Reg(e.f.Regs - 1)
}

// block adds a block and returns its number.
func (e *emitter) block() int {
	e.f.Blocks = append(e.f.Blocks, &ir.Block{})
	return len(e.f.Blocks) - 1
}

func (e *emitter) add(in ir.Instr) {
	in.Pos = e.pos
	bl := e.f.Blocks[e.at]
	if n := len(bl.Instrs); n > 0 && bl.Instrs[n-1].Op.IsTerminator() {
		return // unreachable
	}
	bl.Instrs = append(bl.Instrs, in)
}

// op adds an instruction with the result dst.
func (e *emitter) op(op ir.Op, width uint8, dst ir.Reg, a, b ir.Operand) {
	e.add(ir.Instr{Op: op, Width: width, Dst: dst, Dst2: ir.NoReg, A: a, B: b})
}

func (e *emitter) new(op ir.Op, width uint8, a, b ir.Operand) ir.Operand {
	dst := e.reg()
	e.op(op, width, dst, a, b)
	return ir.R(dst)
}

func (e *emitter) copy(dst ir.Reg, a ir.Operand) {
	if a != ir.R(dst) {
		e.op(ir.Copy, 64, dst, a, ir.Imm(0))
	}
}

func (e *emitter) cast(op ir.Op, from, to uint8, a ir.Operand) ir.Operand {
	dst := e.reg()
	e.add(ir.Instr{Op: op, Width: from, To: to, Dst: dst, Dst2: ir.NoReg, A: a})
	return ir.R(dst)
}

func (e *emitter) cmp(pred ir.Pred, width uint8, a, b ir.Operand) ir.Operand {
	dst := e.reg()
	op := ir.Cmp
	if pred >= ir.FFalse {
		op = ir.FCmp
	}
	e.add(ir.Instr{Op: op, Width: width, Pred: pred, Dst: dst, Dst2: ir.NoReg, A: a, B: b})
	return ir.R(dst)
}

func (e *emitter) choose(width uint8, c, a, b ir.Operand) ir.Operand {
	dst := e.reg()
	e.add(ir.Instr{Op: ir.Select, Width: width, Dst: dst, Dst2: ir.NoReg, A: c, B: a, C: b})
	return ir.R(dst)
}

func (e *emitter) jump(to int) {
	e.add(ir.Instr{Op: ir.Br, Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{to}})
}

func (e *emitter) branch(c ir.Operand, yes, no int) {
	e.add(ir.Instr{Op: ir.CondBr, Dst: ir.NoReg, Dst2: ir.NoReg, A: c, Targets: []int{yes, no}})
}

// unless goes to the block no if c is 0, and on in a new block otherwise.
func (e *emitter) unless(c ir.Operand, no int) {
	next := e.block()
	e.branch(c, next, no)
	e.at = next
}

// when goes to the block yes if c is 1, and on in a new block otherwise.
func (e *emitter) when(c ir.Operand, yes int) {
	next := e.block()
	e.branch(c, yes, next)
	e.at = next
}

// returns ends the function with an exception, or 0, and a result.
func (e *emitter) returns(exc, result ir.Operand) {
	args := []ir.Operand{exc}
	if e.result != 'V' {
		args = append(args, result)
	}
	e.add(ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg, Args: args})
}

// ret ends the function with a result.
func (e *emitter) ret(result ir.Operand) { e.returns(ir.Imm(0), result) }

// unsupported ends the run with a message.
func (e *emitter) unsupported(message string) {
	e.add(ir.Instr{Op: ir.Unsupported, Dst: ir.NoReg, Dst2: ir.NoReg, Message: message})
}

// addrMask has the bits of a reference that are the address.
const addrMask = 1<<48 - 1

// address returns the address off bytes into the object that a reference refers to.
func (e *emitter) address(ref ir.Operand, off uint64) ir.Operand {
	if ref.IsConst() {
		return ir.Imm(ref.Imm&addrMask + off)
	}
	a := e.new(ir.And, 64, ref, ir.Imm(addrMask))
	return e.plus(a, off)
}

func (e *emitter) plus(a ir.Operand, off uint64) ir.Operand {
	switch {
	case off == 0:
		return a
	case a.IsConst():
		return ir.Imm(a.Imm + off)
	}
	return e.new(ir.Add, 64, a, ir.Imm(off))
}

// load reads a value of a type and returns it as the stack has it.
func (e *emitter) load(addr ir.Operand, desc string, mode event.Mode) ir.Operand {
	dst := e.reg()
	e.add(ir.Instr{Op: ir.Load, Size: uint8(sizeOf(desc)), Mode: mode, Dst: dst, Dst2: ir.NoReg, A: addr})
	return e.widen(desc, ir.R(dst))
}

// widen makes an int of a value that memory has fewer bits of.
func (e *emitter) widen(desc string, v ir.Operand) ir.Operand {
	switch desc[0] {
	case 'B', 'S':
		return e.cast(ir.SExt, uint8(8*sizeOf(desc)), 32, v)
	}
	return v
}

// narrow returns the bits of a value of the stack that memory of the type holds.
func (e *emitter) narrow(desc string, v ir.Operand) ir.Operand {
	n := uint8(8 * sizeOf(desc))
	switch desc[0] {
	case 'B', 'S', 'C':
		return e.cast(ir.Trunc, 32, n, v)
	case 'Z': // JVMS: the lowest bit
		return e.new(ir.And, 32, v, ir.Imm(1))
	}
	return v
}

func (e *emitter) store(addr, v ir.Operand, desc string, mode event.Mode) {
	e.add(ir.Instr{Op: ir.Store, Size: uint8(sizeOf(desc)), Mode: mode, Dst: ir.NoReg, Dst2: ir.NoReg, A: addr, B: e.narrow(desc, v)})
}

func (e *emitter) rmw(op event.RMWOp, addr, v ir.Operand, desc string, mode event.Mode) ir.Operand {
	dst := e.reg()
	e.add(ir.Instr{Op: ir.RMW, RMW: op, Size: uint8(sizeOf(desc)), Mode: mode, Dst: dst, Dst2: ir.NoReg, A: addr, B: e.narrow(desc, v)})
	return e.widen(desc, ir.R(dst))
}

// cas returns the old value and whether the new one was written.
func (e *emitter) cas(addr, expected, v ir.Operand, desc string, mode event.Mode, weak bool) (old, ok ir.Operand) {
	dst, dst2 := e.reg(), e.reg()
	fails := mode
	if mode == event.Rel {
		fails = event.Rlx
	}
	e.add(ir.Instr{
		Op: ir.CmpXchg, Size: uint8(sizeOf(desc)), Mode: mode, Fail: fails, Weak: weak, Dst: dst, Dst2: dst2,
		A: addr, B: e.narrow(desc, expected), C: e.narrow(desc, v),
	})
	return e.widen(desc, ir.R(dst)), ir.R(dst2)
}

func (e *emitter) fence(mode event.Mode) {
	e.add(ir.Instr{Op: ir.Fence, Mode: mode, Dst: ir.NoReg, Dst2: ir.NoReg})
}

// intrinsic calls a function of the machine or of the library that returns at most one word.
func (e *emitter) intrinsic(name string, hasResult bool, args ...ir.Operand) ir.Operand {
	in := ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: e.b.library(name), Args: args}
	if hasResult {
		in.Results = []ir.Reg{e.reg()}
	}
	e.add(in)
	if !hasResult {
		return ir.Imm(0)
	}
	return ir.R(in.Results[0])
}

// call calls the function of a method and handles its exception. It returns the result, if there is one.
func (e *emitter) call(f *ir.Func, result byte, args ...ir.Operand) ir.Operand {
	in := ir.Instr{Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: f, Args: args, Results: []ir.Reg{e.exc}}
	var v ir.Operand
	if result != 'V' {
		r := e.reg()
		v = ir.R(r)
		in.Results = append(in.Results, r)
	}
	e.add(in)
	e.when(e.cmp(ir.NE, 64, ir.R(e.exc), ir.Imm(0)), e.unwind())
	return v
}

// allocate makes an object of a class, with size bytes, and returns a reference to it.
func (e *emitter) allocate(c *class, size ir.Operand) ir.Operand {
	e.b.instantiate(c)
	r := e.reg()
	e.add(ir.Instr{
		Op: ir.Call, Dst: ir.NoReg, Dst2: ir.NoReg, Callee: e.b.library("__ravel_alloc"), Args: []ir.Operand{size, ir.Imm(zeroed)}, Results: []ir.Reg{r},
		Var: e.b.varOf(c),
	})
	return e.new(ir.Or, 64, ir.R(r), ir.Imm(c.tag()))
}

const zeroed = 1 // as in runtime/src/rt.h

// object makes an object of a class that is no array.
func (e *emitter) object(c *class) ir.Operand {
	c.layOut()
	ref := e.allocate(c, ir.Imm(c.size))
	if c.is(e.b.w.class(throwableClass)) {
		e.store(e.address(ref, e.b.siteField().offset), ir.Imm(uint64(e.b.site(c, e.pos))), "I", event.NA)
	}
	return ref
}

// tag returns the bits above the address of references to objects of c.
func (c *class) tag() uint64 { return uint64(c.id) << 48 }

// classID returns the number of the class of an object.
func (e *emitter) classID(ref ir.Operand) ir.Operand { return e.new(ir.LShr, 64, ref, ir.Imm(48)) }

// throw makes the block that throws a new exception of a class, and returns it.
func (e *emitter) throw(name string) int {
	to := e.unwind()
	key := thrownAt{name, e.line, to}
	if n, ok := e.thrown[key]; ok {
		return n
	}
	at := e.at
	e.at = e.block()
	n := e.at
	e.thrown[key] = n
	e.copy(e.exc, e.object(e.b.w.class(name)))
	e.jump(to)
	e.at = at
	return n
}

// notNull throws a NullPointerException if a reference is null.
func (e *emitter) notNull(ref ir.Operand) {
	e.unless(e.cmp(ir.NE, 64, ref, ir.Imm(0)), e.throw("java/lang/NullPointerException"))
}

// length returns the length of an array whose elements have size bytes, an int.
func (e *emitter) length(array ir.Operand, desc string) ir.Operand {
	n := e.intrinsic("__ravel_length", true, e.address(array, 0))
	n = e.new(ir.Sub, 64, n, ir.Imm(headerSize))
	if s := sizeOf(desc); s > 1 {
		n = e.new(ir.LShr, 64, n, ir.Imm(map[uint64]uint64{2: 1, 4: 2, 8: 3}[s]))
	}
	return n
}

// element returns the address of an element after a check of the index.
func (e *emitter) element(array, index ir.Operand, desc string) ir.Operand {
	n := e.length(array, desc)
	e.unless(e.cmp(ir.ULT, 32, index, n), e.throw("java/lang/ArrayIndexOutOfBoundsException"))
	return e.elementAt(array, index, desc)
}

func (e *emitter) elementAt(array, index ir.Operand, desc string) ir.Operand {
	dst := e.reg()
	e.add(ir.Instr{Op: ir.Gep, Dst: dst, Dst2: ir.NoReg, A: e.address(array, 0), B: index, Scale: int64(sizeOf(desc)), Off: headerSize})
	return ir.R(dst)
}

// array makes an array of a class.
func (e *emitter) array(c *class, n ir.Operand) ir.Operand {
	e.when(e.cmp(ir.SLT, 32, n, ir.Imm(0)), e.throw("java/lang/NegativeArraySizeException"))
	size := e.new(ir.Mul, 64, n, ir.Imm(sizeOf(c.elem)))
	return e.allocate(c, e.new(ir.Add, 64, size, ir.Imm(headerSize)))
}

// finish drops blocks that nothing leads to.
func (e *emitter) finish() {
	f := e.f
	number := make([]int, len(f.Blocks))
	for i := range number {
		number[i] = -1
	}
	var kept []*ir.Block
	var visit func(i int)
	work := []int{0}
	visit = func(i int) {
		if number[i] < 0 {
			number[i] = len(kept)
			kept = append(kept, f.Blocks[i])
			work = append(work, i)
		}
	}
	visit(0)
	for len(work) > 0 {
		bl := f.Blocks[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, t := range bl.Instrs[len(bl.Instrs)-1].Targets {
			visit(t)
		}
	}
	for _, bl := range kept {
		last := &bl.Instrs[len(bl.Instrs)-1]
		for i, t := range last.Targets {
			last.Targets[i] = number[t]
		}
	}
	f.Blocks = kept
}
