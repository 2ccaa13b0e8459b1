package litmus

import (
	"strings"

	"ravel/internal/litmus"
)

func init() { register(litmus.BPF, dialect{ins: readBPF, reg: bpfReg}) }

// bpfReg returns r3 for r3.
func bpfReg(name string) (litmus.Reg, bool) { return numbered(strings.ToLower(name), "r", 10) }

// bpfSize is the size of every access and of every variable: as in herd, u32 and u64 both mean the whole variable, which may
// hold an address.
const bpfSize = 8

// bpfOps are what stands before the = of an assignment.
var bpfOps = map[string]litmus.BinaryOp{
	"+=": litmus.Add, "-=": litmus.Sub, "*=": litmus.Mul, "/=": litmus.UDiv, "%=": litmus.URem, "&=": litmus.And, "|=": litmus.Or, "^=": litmus.Xor, "<<=": litmus.Shl, ">>=": litmus.LShr, "s>>=": litmus.AShr,
}

// bpfConds are the conditions of jumps; those of a greater value have their operands the other way round.
var bpfConds = map[string]struct {
	op      litmus.BinaryOp
	swapped bool
}{
	"==": {litmus.Eq, false}, "!=": {litmus.Ne, false}, "<": {litmus.ULt, false}, "<=": {litmus.ULe, false}, ">": {litmus.ULt, true}, ">=": {litmus.ULe, true},
	"s<": {litmus.SLt, false}, "s<=": {litmus.SLe, false}, "s>": {litmus.SLt, true}, "s>=": {litmus.SLe, true},
}

// bpfAtomics are the functions that fetch; all of them are full barriers.
var bpfAtomics = map[string]string{
	"atomic_fetch_add": "ADD", "atomic_fetch_and": "AND", "atomic_fetch_or": "OR", "atomic_fetch_xor": "XOR",
}

// readBPF reads one instruction of BPF, which looks like an assignment of C.
func readBPF(a *asm) {
	switch {
	case a.is("*"):
		addr := a.bpfPlace()
		a.expect("=")
		a.store(addr, a.bpfVal(), bpfSize)
	case a.accept("lock"):
		addr := a.bpfPlace()
		at := a.tok.off
		op, ok := bpfOps[a.next().text]
		if !ok || op != litmus.Add && op != litmus.And && op != litmus.Or && op != litmus.Xor {
			a.fail(at, "an atomic operation is +=, &=, |= or ^=")
		}
		x := a.reg()
		t, n := a.load(addr, bpfSize, "X")
		a.storePair(n, nil, addr, bin(op, 64, t, x), bpfSize, "X")
	case a.accept("store_release"):
		a.expect("(")
		addr := a.bpfCast()
		a.comma()
		x := a.reg()
		a.expect(")")
		a.store(addr, x, bpfSize, "RL")
	case a.accept("goto"):
		a.branch(nil, a.target())
	case a.accept("if"):
		x := litmus.Expr(a.reg())
		at := a.tok.off
		c, ok := bpfConds[a.bpfMark()]
		if !ok {
			a.fail(at, "a condition is ==, !=, <, <=, >, >= or one of these after s")
		}
		y := a.bpfVal()
		if c.swapped {
			x, y = y, x
		}
		if !a.accept("goto") {
			a.unexpected(`"goto"`)
		}
		a.branch(bin(c.op, 64, x, y), a.target())
	case a.accept("exit"):
		a.branch(nil, endLabel)
	default:
		a.bpfAssign()
	}
}

// bpfMark reads an operator, which may begin with the s of signed.
func (a *asm) bpfMark() string {
	s := a.next().text
	if s == "s" {
		s += a.next().text
	}
	return s
}

// bpfVal reads a register or a number.
func (a *asm) bpfVal() litmus.Expr {
	if a.tok.kind == 'i' {
		return a.reg()
	}
	return num(a.number())
}

// bpfType reads (u32 *).
func (a *asm) bpfType() {
	a.expect("(")
	at := a.tok.off
	switch name := a.ident("a size: u32 or u64"); name {
	case "u32", "u64":
	case "u8", "u16", "s8", "s16", "s32":
		a.refuse(at, featParts, name)
	default:
		a.fail(at, "no size is called %q", name)
	}
	a.expect("*")
	a.expect(")")
}

// bpfAddr reads r1 + 8.
func (a *asm) bpfAddr() litmus.Expr {
	base := a.reg()
	if a.is("+") || a.is("-") {
		return bin(litmus.Add, 64, base, num(a.number()))
	}
	return base
}

// bpfCast reads (u32 *)(r1 + 8).
func (a *asm) bpfCast() litmus.Expr {
	a.bpfType()
	a.expect("(")
	addr := a.bpfAddr()
	a.expect(")")
	return addr
}

// bpfPlace reads *(u32 *)(r1 + 8).
func (a *asm) bpfPlace() litmus.Expr {
	a.expect("*")
	return a.bpfCast()
}

// bpfAssign reads what changes a register.
func (a *asm) bpfAssign() {
	d := a.reg()
	at := a.tok.off
	mark := a.bpfMark()
	if op, ok := bpfOps[mark]; ok {
		a.set(d, bin(op, 64, d, a.bpfVal()))
		return
	}
	if mark != "=" {
		a.fail(at, "%q where an assignment should be", mark)
	}
	switch name := a.tok.text; {
	case a.is("*"):
		a.loadTo(d, a.bpfPlace(), bpfSize)
	case a.accept("load_acquire"):
		a.expect("(")
		addr := a.bpfCast()
		a.expect(")")
		a.loadTo(d, addr, bpfSize, "AQ")
	case bpfAtomics[name] != "":
		a.next()
		a.expect("(")
		a.bpfFetch(d, bpfAtomics[name], a.bpfCast())
	case name == "xchg_64" || name == "xchg_32_32" || name == "xchg32_32":
		a.next()
		a.expect("(")
		a.bpfFetch(d, "SWAP", a.bpfAddr())
	case name == "cmpxchg_64" || name == "cmpxchg_32_32" || name == "cmpxchg32_32":
		a.next()
		a.bpfCmpxchg(d)
	case a.tok.kind == 'i' || a.atImm():
		a.set(d, a.bpfVal())
	default:
		a.unexpected("a value")
	}
}

// bpfFetch is the end of r1 = atomic_fetch_add((u64 *)(r2 + 0), r1). Its last operand gets what was in memory, too.
func (a *asm) bpfFetch(d litmus.Reg, op string, addr litmus.Expr) {
	a.comma()
	x := a.reg()
	a.expect(")")
	t, n := a.load(addr, bpfSize, "SC")
	a.storePair(n, nil, addr, atomicOps[op](64, t, x), bpfSize, "SC")
	a.set(x, t)
	if d != x {
		a.set(d, t)
	}
}

// bpfCmpxchg reads the operands of r0 = cmpxchg_64(r1 + 0, r0, r2). One that fails orders nothing.
func (a *asm) bpfCmpxchg(d litmus.Reg) {
	at := a.tok.off
	a.expect("(")
	addr := a.bpfAddr()
	a.comma()
	want := a.reg()
	a.comma()
	x := a.reg()
	a.expect(")")
	if d != "r0" || want != "r0" {
		a.fail(at, "what is compared, and what was in memory, is in r0")
	}
	t, n := a.load(addr, bpfSize, "SC")
	a.th.Ops[n].Else = []string{}
	a.storePair(n, bin(litmus.Eq, 64, t, want), addr, x, bpfSize, "SC")
	a.set(d, t)
}
