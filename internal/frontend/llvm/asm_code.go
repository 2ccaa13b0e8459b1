package llvm

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/arch"
	"ravel/internal/event"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/ir"
	"ravel/internal/litmus"
)

// An asmCode is inline assembly that becomes ir.
type asmCode struct {
	*lowerer
	proc    *processor
	in      *inst
	ops     []asmOperand
	results []*Type
	labels  int
	intel   bool
	th      *litmus.Thread

	regs    map[litmus.Reg]ir.Reg
	updates map[int]*litmus.Update // by their loads
	retried map[int]bool
	done    map[int]bool        // operations that are part of an update, or of one of two registers
	needed  map[litmus.Reg]bool // registers that somebody reads
	blocks  map[int]int         // where branches go: the block of an operation
	monitor ir.Reg              // what the last exclusive load found: its size, its address, two words; the size is 0 before the first one, cleared after a store
	acquire bool                // all exclusive loads acquire
}

// cleared is the size in a monitor that makes stores fail.
const cleared = 255

// hasEvents reports whether the code accesses memory or is a fence.
func (a *asmCode) hasEvents() bool {
	return slices.ContainsFunc(a.th.Ops, func(op litmus.Op) bool {
		return op.Kind == litmus.Load || op.Kind == litmus.Store || op.Kind == litmus.Fence
	})
}

// check finds what can't be lowered, and the read-modify-writes.
func (a *asmCode) check() error {
	updates, retried := a.th.Updates()
	a.retried, a.updates, a.done = retried, map[int]*litmus.Update{}, map[int]bool{}
	for i := range updates {
		u := &updates[i]
		a.updates[u.Load] = u
		for _, n := range []int{u.Store, u.Load2, u.Store2} {
			if n >= 0 {
				a.done[n] = true
			}
		}
	}
	a.acquire = true
	for i := range a.th.Ops {
		op := &a.th.Ops[i]
		bad := ""
		switch {
		case op.Kind == litmus.Jump:
			bad = "a jump to an address"
		case op.Kind == litmus.Store && op.Pair >= 0 && !a.done[i]:
			bad = "no atomic operation of the language does this in one step"
		case a.proc.arch == arch.ARM && (has(op.Sets, "A") || has(op.Sets, "L")):
			bad = "ARMv7 does not have it: compile for AArch64"
		case op.Kind == litmus.Load && op.Excl && op.Size == 8 && a.second(i) >= 0 && a.mayTear(i):
			bad = "without a stxp that succeeds, the processor may read the two registers at different times; use casp or __atomic builtins"
		case has(op.Sets, "NT"):
			bad = "accesses that are not temporal have no model"
		case a.usesStack(op.Addr) && (a.updates[i] == nil || !isNothing(a.updates[i])) && !a.done[i]:
			bad = "it accesses the stack"
		}
		for _, e := range []litmus.Expr{op.Addr, op.X, op.If} {
			if hasPlace(e) {
				bad = "it names a place in the code"
			}
		}
		if bad != "" {
			ins := a.th.Instrs[op.Ins]
			return asmFail("%q: %s", ins.Text, bad)
		}
		if op.Kind == litmus.Load && op.Excl && !has(op.Sets, "A") && !has(op.Sets, "Acq") && !has(op.Sets, "AcqRel") {
			a.acquire = false
		}
	}
	return nil
}

// mayTear reports whether the program may look at what an exclusive load of 16 bytes found though the store did not succeed.
func (a *asmCode) mayTear(i int) bool {
	for j := i + 1; j < len(a.th.Ops); j++ {
		switch op := &a.th.Ops[j]; {
		case op.Kind == litmus.Branch:
			return true
		case op.Kind == litmus.Store && op.Excl:
			return !a.retried[j]
		}
	}
	return true
}

func has(sets []string, name string) bool { return slices.Contains(sets, name) }

// usesStack reports whether an address is on the stack, of which inline assembly knows nothing.
func (a *asmCode) usesStack(addr litmus.Expr) bool {
	return a.proc.arch == arch.X86_64 && slices.ContainsFunc(litmus.Uses(addr), func(r litmus.Reg) bool { return r == "RSP" || r == "RBP" })
}

// isNothing reports whether an update leaves memory as it is: on the stack it is then a fence.
func isNothing(u *litmus.Update) bool {
	return (u.RMW == event.Add || u.RMW == event.Or || u.RMW == event.Xor || u.RMW == event.Sub) && u.With == litmus.Expr(litmus.Number(0))
}

// hasPlace reports whether an expression has the address of a label.
func hasPlace(e litmus.Expr) bool {
	switch e := e.(type) {
	case litmus.Value:
		return e.Kind != litmus.Int
	case *litmus.Unary:
		return hasPlace(e.X)
	case *litmus.Binary:
		return hasPlace(e.X) || hasPlace(e.Y)
	case *litmus.Select:
		return hasPlace(e.If) || hasPlace(e.X) || hasPlace(e.Y)
	}
	return false
}

// lower emits the code.
func (a *asmCode) lower() error {
	a.regs, a.blocks = map[litmus.Reg]ir.Reg{}, map[int]int{}
	a.findNeeded()
	a.inputs()
	if a.needsMonitor() {
		a.monitor = a.temp(4)
		a.copy(a.monitor, ir.Imm(0))
	}
	ops := a.th.Ops
	var gotos []int
	for i := range ops {
		if op := &ops[i]; op.Kind == litmus.Branch && !a.isBack(i) {
			if _, ok := a.blocks[op.To]; !ok {
				a.blocks[op.To] = len(a.out.Blocks)
				a.newBlock(fmt.Sprintf("%s.asm%d", a.f.blocks[a.at].name, op.To))
				if op.To > len(ops) {
					gotos = append(gotos, op.To)
				}
			}
		}
	}
	for i := range ops {
		a.enter(i)
		if !a.done[i] || ops[i].Kind == litmus.Store {
			a.lowerOp(i)
		}
	}
	a.enter(len(ops))
	a.outputs()
	if a.in.op != opCallBr {
		return nil
	}
	a.branch(int(a.in.blocks[0]))
	for _, to := range gotos {
		a.cur, a.dead = a.out.Blocks[a.blocks[to]], false
		a.outputs()
		a.branch(int(a.in.blocks[to-len(ops)]))
	}
	return nil
}

// enter begins the block of operation i, if it has one.
func (a *asmCode) enter(i int) {
	if b, ok := a.blocks[i]; ok {
		a.jump(b)
		a.cur, a.dead = a.out.Blocks[b], false
	}
}

func (a *asmCode) jump(to int) {
	br := newInstr(ir.Br)
	br.Targets = []int{to}
	a.emit(br)
}

// fork ends the block, and begins a new one where cond is true; otherwise control goes to block no, or the one that is
// returned if that is -1.
func (a *asmCode) fork(cond ir.Operand, no int) int {
	br := newInstr(ir.CondBr)
	yes := len(a.out.Blocks)
	next := a.newBlock("asm")
	if no < 0 {
		no = len(a.out.Blocks)
		a.newBlock("asm")
	}
	br.A, br.Targets = cond, []int{yes, no}
	a.emit(br)
	a.cur, a.dead = next, false
	return no
}

// join goes on in a block that others have gone to.
func (a *asmCode) join(block int) {
	a.jump(block)
	a.cur, a.dead = a.out.Blocks[block], false
}

// isBack reports whether operation i is the branch of a loop that is one update.
func (a *asmCode) isBack(i int) bool {
	for _, u := range a.updates {
		if u.Back == i {
			return true
		}
	}
	return false
}

func (a *asmCode) needsMonitor() bool {
	for i := range a.th.Ops {
		if op := &a.th.Ops[i]; op.Excl && !a.done[i] && a.updates[i] == nil {
			return true
		}
	}
	return false
}

// findNeeded finds the registers that are read, by something that matters.
func (a *asmCode) findNeeded() {
	a.needed = map[litmus.Reg]bool{}
	add := func(exprs ...litmus.Expr) {
		for _, e := range exprs {
			for _, r := range litmus.Uses(e) {
				a.needed[r] = true
			}
		}
	}
	for i := range a.ops {
		op := &a.ops[i]
		if op.result >= 0 {
			for _, r := range op.micro {
				a.needed[r] = true
			}
			if op.cond != "" {
				c, _ := frontend.Condition(a.proc.arch, op.cond)
				add(c)
			}
		}
	}
	for _, u := range a.updates {
		add(u.With, u.With2, u.Want, u.Want2, u.Can)
	}
	for i := range a.th.Ops {
		op := &a.th.Ops[i]
		if op.Kind == litmus.Set || a.isBack(i) {
			continue
		}
		add(op.If)
		if !a.done[i] {
			add(op.Addr, op.X)
		}
	}
	for again := true; again; {
		n := len(a.needed)
		for i := range a.th.Ops {
			if op := &a.th.Ops[i]; op.Kind == litmus.Set && a.needed[op.Dst] {
				add(op.X, op.If)
			}
		}
		again = len(a.needed) > n
	}
}

// reg returns the register of ir that a register is.
func (a *asmCode) reg(r litmus.Reg) ir.Reg {
	n, ok := a.regs[r]
	if !ok {
		n = a.temp(1)
		a.regs[r] = n
	}
	return n
}

// inputs gives registers their values.
func (a *asmCode) inputs() {
	for i := range a.ops {
		op := &a.ops[i]
		if _, tied := metaNumber(op.con); tied || !op.in || op.label >= 0 || op.imm || len(op.micro) == 0 {
			continue
		}
		x := a.operand(op.val, 0)
		bits := 64
		if !op.memory {
			bits = op.typ.scalarBits()
		}
		switch {
		case op.memory:
			a.copy(a.reg(op.micro[0]), x)
		case len(op.micro) == 2 && a.proc.word == 32:
			a.cast(ir.Trunc, 64, 32, a.reg(op.micro[0]), x)
			a.bin(ir.LShr, 64, a.reg(op.micro[1]), x, ir.Imm(32))
		case len(op.micro) == 2:
			a.copy(a.reg(op.micro[0]), x)
			a.copy(a.reg(op.micro[1]), a.operand(op.val, 1))
		case a.proc.signed && bits < 64 && op.typ.kind == kInt:
			a.cast(ir.SExt, bits, 64, a.reg(op.micro[0]), x)
		default:
			a.copy(a.reg(op.micro[0]), x)
		}
	}
	for _, r := range a.th.Regs() {
		if _, ok := a.regs[r]; !ok && a.needed[r] && !strings.HasPrefix(string(r), "$") {
			a.copy(a.reg(r), ir.Imm(0))
		}
	}
}

// outputs sets the results.
func (a *asmCode) outputs() {
	dst := a.dst
	for i := range a.ops {
		op := &a.ops[i]
		if op.result < 0 {
			continue
		}
		words := a.lay.words(op.typ)
		bits := op.typ.scalarBits()
		switch {
		case op.cond != "":
			c, _ := frontend.Condition(a.proc.arch, op.cond)
			a.copy(dst, a.truth(c))
		case words == 2:
			a.copy(dst, ir.R(a.reg(op.micro[0])))
			a.copy(dst+1, ir.R(a.reg(op.micro[1])))
		case len(op.micro) == 2:
			a.copy(dst, a.both(a.reg(op.micro[0]), a.reg(op.micro[1])))
		default:
			r, ok := a.regs[op.micro[0]]
			switch {
			case !ok: // it is never set
				a.copy(dst, ir.Imm(0))
			case bits < 64:
				a.cast(ir.Trunc, 64, bits, dst, ir.R(r))
			default:
				a.copy(dst, ir.R(r))
			}
		}
		dst += ir.Reg(words)
	}
}

// both returns two words of 32 bits as one.
func (a *asmCode) both(lo, hi ir.Reg) ir.Operand {
	r, low := a.temp(1), a.temp(1)
	a.bin(ir.Shl, 64, r, ir.R(hi), ir.Imm(32))
	a.cast(ir.Trunc, 64, 32, low, ir.R(lo))
	a.bin(ir.Or, 64, r, ir.R(r), ir.R(low))
	return ir.R(r)
}

// truth returns 1 if e is not 0, else 0.
func (a *asmCode) truth(e litmus.Expr) ir.Operand {
	x, bits := a.expr(e)
	if bits == 1 {
		return x
	}
	if x.IsConst() {
		if x.Imm != 0 {
			return ir.Imm(1)
		}
		return x
	}
	r := a.temp(1)
	a.cmp(ir.Cmp, ir.NE, 64, r, x, ir.Imm(0))
	return ir.R(r)
}

// cut returns the lower bits of a value that has at most have bits.
func (a *asmCode) cut(x ir.Operand, have, bits int) ir.Operand {
	if have <= bits || bits >= 64 {
		return x
	}
	if x.IsConst() {
		return ir.Imm(maskTo(x.Imm, bits))
	}
	r := a.temp(1)
	a.cast(ir.Trunc, 64, bits, r, x)
	return ir.R(r)
}

// value returns e, cut to so many bits.
func (a *asmCode) value(e litmus.Expr, bits int) ir.Operand {
	x, have := a.expr(e)
	return a.cut(x, have, bits)
}

// expr computes an expression. It also returns how many bits it has at most.
func (a *asmCode) expr(e litmus.Expr) (ir.Operand, int) {
	switch e := e.(type) {
	case litmus.Value:
		return ir.Imm(e.Int), 64
	case litmus.Reg:
		return ir.R(a.reg(e)), 64
	case *litmus.Unary:
		return a.unary(e)
	case *litmus.Binary:
		return a.binary(e)
	case *litmus.Select:
		c := a.truth(e.If)
		x, n := a.expr(e.X)
		y, m := a.expr(e.Y)
		in := newInstr(ir.Select)
		in.Width, in.Dst, in.A, in.B, in.C = 64, a.temp(1), c, x, y
		in.Picks, in.Weak = a.proc.arch == arch.AArch64, e.Same
		a.emit(in)
		return ir.R(in.Dst), max(n, m)
	}
	return ir.Imm(0), 64
}

func (a *asmCode) unary(e *litmus.Unary) (ir.Operand, int) {
	w := int(e.Width)
	x := a.value(e.X, w)
	r := a.temp(1)
	switch e.Op {
	case litmus.Neg:
		a.bin(ir.Sub, w, r, ir.Imm(0), x)
	case litmus.Not:
		a.bin(ir.Xor, w, r, x, ir.Imm(maskTo(^uint64(0), w)))
	case litmus.LNot:
		a.cmp(ir.Cmp, ir.EQ, w, r, x, ir.Imm(0))
		return ir.R(r), 1
	case litmus.SExt:
		if w == 64 {
			return x, 64
		}
		a.cast(ir.SExt, w, 64, r, x)
		return ir.R(r), 64
	default:
		return x, w
	}
	return ir.R(r), w
}

var asmOps = map[litmus.BinaryOp]ir.Op{
	litmus.Add: ir.Add, litmus.Sub: ir.Sub, litmus.Mul: ir.Mul, litmus.And: ir.And, litmus.Or: ir.Or, litmus.Xor: ir.Xor,
	litmus.Shl: ir.Shl, litmus.LShr: ir.LShr, litmus.AShr: ir.AShr,
	litmus.UDiv: ir.UDiv, litmus.SDiv: ir.SDiv, litmus.URem: ir.URem, litmus.SRem: ir.SRem,
}

var asmPreds = map[litmus.BinaryOp]ir.Pred{
	litmus.Eq: ir.EQ, litmus.Ne: ir.NE, litmus.ULt: ir.ULT, litmus.ULe: ir.ULE, litmus.SLt: ir.SLT, litmus.SLe: ir.SLE,
}

func (a *asmCode) binary(e *litmus.Binary) (ir.Operand, int) {
	w := int(e.Width)
	x, y := a.value(e.X, w), a.value(e.Y, w)
	r := a.temp(1)
	if pred, ok := asmPreds[e.Op]; ok {
		a.cmp(ir.Cmp, pred, w, r, x, y)
		return ir.R(r), 1
	}
	switch e.Op {
	case litmus.Shl, litmus.LShr, litmus.AShr, litmus.Ror: // by a number modulo the width
		if y.IsConst() {
			y = ir.Imm(y.Imm % uint64(w))
		} else {
			n := a.temp(1)
			a.bin(ir.And, w, n, y, ir.Imm(uint64(w-1)))
			y = ir.R(n)
		}
		if e.Op == litmus.Ror {
			in := newInstr(ir.FShr)
			in.Width, in.Dst, in.A, in.B, in.C = uint8(w), r, x, x, y
			a.emit(in)
			return ir.R(r), w
		}
	case litmus.UDiv, litmus.SDiv, litmus.URem, litmus.SRem:
		return a.divide(e.Op, w, x, y), w
	}
	a.bin(asmOps[e.Op], w, r, x, y)
	return ir.R(r), w
}

// divide computes a division that has a result for every divisor: x / 0 is 0 and x % 0 is x, as package litmus has them; the largest negative number by -1 overflows.
func (a *asmCode) divide(op litmus.BinaryOp, w int, x, y ir.Operand) ir.Operand {
	zero, minus, special, by, r, alt := a.temp(1), a.temp(1), a.temp(1), a.temp(1), a.temp(1), a.temp(1)
	a.cmp(ir.Cmp, ir.EQ, w, zero, y, ir.Imm(0))
	a.copy(special, ir.R(zero))
	if op == litmus.SDiv || op == litmus.SRem {
		a.cmp(ir.Cmp, ir.EQ, w, minus, y, ir.Imm(maskTo(^uint64(0), w)))
		a.bin(ir.Or, 64, special, ir.R(special), ir.R(minus))
	} else {
		a.copy(minus, ir.Imm(0))
	}
	a.sel(64, by, ir.R(special), ir.Imm(1), y)
	a.bin(asmOps[op], w, r, x, ir.R(by))
	byZero := ir.Imm(0)
	if op == litmus.URem || op == litmus.SRem {
		byZero = x
		a.copy(alt, ir.Imm(0))
	} else {
		a.bin(ir.Sub, w, alt, ir.Imm(0), x)
	}
	a.sel(64, r, ir.R(minus), ir.R(alt), ir.R(r))
	a.sel(64, r, ir.R(zero), byZero, ir.R(r))
	return ir.R(r)
}

// lowerOp emits operation i.
func (a *asmCode) lowerOp(i int) {
	op := &a.th.Ops[i]
	switch op.Kind {
	case litmus.Set:
		if a.needed[op.Dst] {
			x, _ := a.expr(op.X)
			if op.If != nil {
				c, r := a.truth(op.If), a.temp(1)
				a.sel(64, r, c, x, ir.R(a.reg(op.Dst)))
				x = ir.R(r)
			}
			a.copy(a.reg(op.Dst), x)
		}
		return
	case litmus.Branch:
		a.lowerBranch(i, op)
		return
	case litmus.Any:
		if a.needed[op.Dst] {
			call := newInstr(ir.Call)
			call.Callee, call.Results = a.lk.anyValue(8*int(op.Size)), []ir.Reg{a.reg(op.Dst)}
			a.emit(call)
		}
		return
	}
	after := -1
	if op.If != nil && !a.done[i] && !(op.Kind == litmus.Store && op.Excl && op.Dst == "") {
		after = a.fork(a.truth(op.If), -1)
	}
	switch {
	case op.Kind == litmus.Fence:
		tag := asmFence(a.proc.arch, op.Sets[0])
		a.fence(tag.Mode(), tag)
	case op.Kind == litmus.Clear:
		if a.needsMonitor() {
			a.copy(a.monitor, ir.Imm(cleared))
		}
	case a.updates[i] != nil:
		a.update(a.updates[i])
	case op.Kind == litmus.Load && op.Excl:
		a.exclusiveLoad(i)
	case op.Kind == litmus.Load:
		mode, tag := a.order(op, op.Sets, nil)
		a.load(a.reg(op.Dst), a.value(op.Addr, 64), op.Size, mode, tag)
	case a.done[i]: // the store of an update
		if op.Dst != "" && a.needed[op.Dst] {
			x := ir.Imm(0)
			if op.If != nil {
				r := a.temp(1)
				a.sel(64, r, a.truth(op.If), x, ir.R(a.reg(op.Dst)))
				x = ir.R(r)
			}
			a.copy(a.reg(op.Dst), x)
		}
	case op.Excl:
		a.exclusiveStore(i)
	default:
		st := newInstr(ir.Store)
		st.A, st.B, st.Size = a.value(op.Addr, 64), a.value(op.X, 8*int(op.Size)), op.Size
		st.Mode, st.Tag = a.order(op, nil, op.Sets)
		a.emit(st)
	}
	if after >= 0 {
		a.join(after)
	}
}

func (a *asmCode) lowerBranch(i int, op *litmus.Op) {
	if a.isBack(i) {
		return
	}
	to := a.blocks[op.To]
	if op.X == nil && op.If == nil {
		a.jump(to)
		a.cur, a.dead = a.newBlock("asm"), false // reached only by a label
		return
	}
	c := ir.Imm(1)
	if op.X != nil {
		c = a.truth(op.X)
	}
	if op.If != nil {
		r := a.temp(1)
		a.bin(ir.And, 64, r, c, a.truth(op.If))
		c = ir.R(r)
	}
	if c.IsConst() {
		if c.Imm != 0 {
			a.jump(to)
			a.cur, a.dead = a.newBlock("asm"), false
		}
		return
	}
	br := newInstr(ir.CondBr)
	br.A, br.Targets = c, []int{to, len(a.out.Blocks)}
	next := a.newBlock("asm")
	a.emit(br)
	a.cur, a.dead = next, false
}

func (a *asmCode) load(dst ir.Reg, addr ir.Operand, size uint8, mode event.Mode, tag event.Tag) {
	ld := newInstr(ir.Load)
	ld.Dst, ld.A, ld.Size, ld.Mode, ld.Tag = dst, addr, size, mode, tag
	a.emit(ld)
}

// order returns what an access is: as a C11 mode, and as an instruction where the mode does not tell. load and store are the sets of the two halves; of an
// access that is not a read-modify-write one is nil.
//
// A mode is what the processor guarantees: the one that compilers use the instruction for.
func (a *asmCode) order(op *litmus.Op, load, store []string) (event.Mode, event.Tag) {
	isUpdate := load != nil && store != nil
	switch a.proc.arch {
	case arch.X86_64:
		switch {
		case isUpdate || has(load, "X") || has(store, "X"):
			return event.SC, event.NoTag
		case store != nil || op.Kind == litmus.Store:
			return event.Rel, event.NoTag
		}
		return event.Acq, event.NoTag
	case arch.AArch64:
		acq, rel := has(load, "A"), has(store, "L")
		if isUpdate && op.Excl { // by its mode: that is what compilers make of it
			return [...]event.Mode{event.Rlx, event.Acq, event.Rel, event.SC}[b2i(acq)+2*b2i(rel)], event.NoTag
		}
		switch {
		case has(load, "NoRet") && rel:
			return event.Rel, event.Noreturn
		case has(load, "NoRet"):
			return event.Rlx, event.Noreturn
		case acq && rel:
			return event.SC, event.AqRl
		case acq && isUpdate:
			return event.Acq, event.AcquireA
		case rel && isUpdate:
			return event.Rel, event.ReleaseL
		case acq:
			return event.SC, event.AcquireA
		case rel:
			return event.SC, event.ReleaseL
		case has(load, "Q"):
			return event.Acq, event.AcquirePC
		}
	case arch.RISCV:
		amo := isUpdate && !op.Excl
		acq, rel := has(load, "Acq") || has(load, "AcqRel"), has(store, "Rel") || has(store, "AcqRel")
		mode, tag := event.Rlx, event.Plain
		switch {
		case has(load, "AcqRel") && (rel || amo):
			mode, tag = event.SC, event.AqRl
		case acq && rel:
			mode, tag = event.AcqRel, event.AqRl
		case acq:
			mode, tag = event.Acq, event.AcquireA
		case rel:
			mode, tag = event.Rel, event.ReleaseL
		}
		if !amo && (isUpdate || tag == event.Plain) {
			tag = event.NoTag // lr and sc, by their modes: a branch ends the loop
		}
		return mode, tag
	}
	return event.Rlx, event.NoTag
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// failing is the mode of a compare-and-swap that fails.
func failing(m event.Mode) event.Mode {
	switch m {
	case event.SC:
		return event.SC
	case event.Acq, event.AcqRel:
		return event.Acq
	}
	return event.Rlx
}

// asmFence returns the fence that is in a set of package litmus. Domains are those of all threads for us.
func asmFence(name arch.Name, set string) event.Tag {
	if kind, option, ok := strings.Cut(set, "."); ok && (kind == "DMB" || kind == "DSB") {
		for _, domain := range []string{"ISH", "OSH", "NSH", "SY"} {
			option = strings.TrimPrefix(option, domain)
		}
		switch {
		case option != "":
			set = kind + "." + option
		case name == arch.AArch64:
			set = kind + ".SY"
		default:
			set = kind
		}
	}
	for _, f := range arch.Of(name).Fences {
		if f.Set == set {
			return f.Tag
		}
	}
	return event.NoTag
}

// update emits a read-modify-write.
func (a *asmCode) update(u *litmus.Update) {
	ld, st := &a.th.Ops[u.Load], &a.th.Ops[u.Store]
	if a.usesStack(ld.Addr) { // a locked instruction that does nothing but lock
		a.fence(event.SC, event.MFENCE)
		if a.needed[ld.Dst] {
			a.copy(a.reg(ld.Dst), ir.Imm(0))
		}
		return
	}
	size := ld.Size
	if u.Load2 >= 0 {
		size *= 2
	}
	in := newInstr(ir.RMW)
	in.Size, in.RMW, in.A = size, u.RMW, a.value(ld.Addr, 64)
	in.Mode, in.Tag = a.order(ld, ld.Sets, st.Sets)
	with := a.pair(u.With, u.With2, size)
	dst := a.temp(2)
	in.Dst, in.B = dst, with
	if u.RMW == event.CAS {
		in.Op, in.RMW = ir.CmpXchg, 0
		in.Dst2, in.B, in.C, in.Fail = a.temp(1), a.pair(u.Want, u.Want2, size), with, failing(in.Mode)
		in.Picks = !ld.Excl
		if u.Can != nil {
			no := a.fork(a.truth(u.Can), -1)
			a.emit(in)
			after := len(a.out.Blocks)
			a.newBlock("asm")
			a.jump(after)
			a.cur, a.dead = a.out.Blocks[no], false
			mode, tag := a.order(ld, ld.Sets, nil)
			a.load(dst, in.A, size, mode, tag)
			a.join(after)
		} else {
			a.emit(in)
		}
	} else {
		a.emit(in)
	}
	a.split(u.Load, u.Load2, dst)
}

// split puts what an access found in the registers of its loads.
func (a *asmCode) split(load, load2 int, dst ir.Reg) {
	first := &a.th.Ops[load]
	switch {
	case load2 < 0:
		a.copy(a.reg(first.Dst), ir.R(dst))
	case first.Size == 4:
		a.cast(ir.Trunc, 64, 32, a.reg(first.Dst), ir.R(dst))
		a.bin(ir.LShr, 64, a.reg(a.th.Ops[load2].Dst), ir.R(dst), ir.Imm(32))
	default:
		a.copy(a.reg(first.Dst), ir.R(dst))
		a.copy(a.reg(a.th.Ops[load2].Dst), ir.R(dst+1))
	}
}

// pair returns a value of size bytes, of two registers if y is not nil.
func (a *asmCode) pair(x, y litmus.Expr, size uint8) ir.Operand {
	switch {
	case y == nil:
		return a.value(x, 8*int(size))
	case size == 8:
		lo, hi := a.temp(1), a.temp(1)
		a.copy(lo, a.value(x, 32))
		a.copy(hi, a.value(y, 32))
		return a.both(lo, hi)
	}
	r := a.temp(2)
	lo, hi := a.value(x, 64), a.value(y, 64)
	a.copy(r, lo)
	a.copy(r+1, hi)
	return ir.R(r)
}

// second returns the second half of an access of two registers, or -1.
func (a *asmCode) second(i int) int {
	if i+1 < len(a.th.Ops) {
		x, y := &a.th.Ops[i], &a.th.Ops[i+1]
		if x.Kind == y.Kind && x.Ins == y.Ins && x.Excl && y.Excl {
			return i + 1
		}
	}
	return -1
}

// exclusiveLoad emits a load that a store may follow which is in no pattern of frontend.Updates. The monitor remembers what it found.
func (a *asmCode) exclusiveLoad(i int) {
	op := &a.th.Ops[i]
	size, second := op.Size, a.second(i)
	if second >= 0 {
		size *= 2
		a.done[second] = true
	}
	mode, tag := a.order(op, op.Sets, nil)
	addr := a.value(op.Addr, 64)
	a.copy(a.monitor+1, addr)
	a.load(a.monitor+2, addr, size, mode, tag)
	a.copy(a.monitor, ir.Imm(uint64(size)))
	a.split(i, second, a.monitor+2)
}

// exclusiveStore emits a store that may fail: a compare-and-swap with what the exclusive load found.
//
// Lemma. It has the executions of the processor. Proof. An exclusive load whose store fails is a read, and may always be there once more. So an execution
// of the compare-and-swap, where the load read from w and the compare-and-swap from w', is one of the processor where a first try failed and a
// second one, whose load read from w', succeeded: what the two read is equal. An execution where the first try succeeds is the one
// with w = w'.
func (a *asmCode) exclusiveStore(i int) {
	op := &a.th.Ops[i]
	size, x, second := op.Size, litmus.Expr(nil), a.second(i)
	if second >= 0 {
		size *= 2
		x = a.th.Ops[second].X
		a.done[second] = true
	}
	addr := a.value(op.Addr, 64)
	same, sized := a.temp(1), a.temp(1)
	a.cmp(ir.Cmp, ir.EQ, 64, same, addr, ir.R(a.monitor+1))
	a.cmp(ir.Cmp, ir.EQ, 64, sized, ir.R(a.monitor), ir.Imm(uint64(size)))
	a.bin(ir.And, 64, same, ir.R(same), ir.R(sized))
	failed := a.temp(1)
	a.copy(failed, ir.Imm(1))
	with := a.pair(op.X, x, size)
	other := a.fork(ir.R(same), -1)
	store, after := a.cur, len(a.out.Blocks)
	a.newBlock("asm")
	a.cur, a.dead = a.out.Blocks[other], false
	open := a.temp(1)
	a.cmp(ir.Cmp, ir.EQ, 64, open, ir.R(a.monitor), ir.Imm(cleared))
	br := newInstr(ir.CondBr)
	br.A, br.Targets = ir.R(open), []int{after, len(a.out.Blocks)}
	a.emit(br)
	a.cur, a.dead = a.newBlock("asm"), false
	bad := newInstr(ir.Unsupported)
	bad.Message = fmt.Sprintf("inline assembly %q: an exclusive store without an exclusive load from there before it in the same template; write both in one", a.th.Instrs[op.Ins].Text)
	a.emit(bad)
	a.cur, a.dead = store, false
	cas := newInstr(ir.CmpXchg)
	cas.Size, cas.A, cas.B, cas.C, cas.Dst, cas.Dst2 = size, addr, ir.R(a.monitor+2), with, a.temp(2), a.temp(1)
	load := []string{"X"}
	if a.acquire {
		load = append(load, "A", "Acq")
	}
	cas.Mode, cas.Tag = a.order(op, load, op.Sets)
	cas.Fail, cas.Weak = failing(cas.Mode), !a.retried[i]
	a.emit(cas)
	a.bin(ir.Xor, 64, failed, ir.R(cas.Dst2), ir.Imm(1))
	a.join(after)
	a.copy(a.monitor, ir.Imm(cleared))
	if op.Dst != "" {
		a.copy(a.reg(op.Dst), ir.R(failed))
	}
}

// anyValue returns the machine's function for a value of so many bits that the processor chooses.
func (lk *linker) anyValue(bits int) *ir.Func {
	name := fmt.Sprintf("__ravel_any%d", bits)
	f := lk.anyValues[name]
	if f == nil {
		f = &ir.Func{Name: lk.unique(name), Results: 1}
		lk.prog.AddFunc(f)
		lk.declared[f] = true
		if lk.anyValues == nil {
			lk.anyValues = map[string]*ir.Func{}
		}
		lk.anyValues[name] = f
	}
	return f
}
