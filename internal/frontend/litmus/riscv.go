package litmus

import (
	"strings"

	"ravel/internal/litmus"
)

func init() { register(litmus.RISCV, dialect{ins: readRISCV, reg: riscvReg}, "RISC-V") }

var riscvABI = map[string]string{
	"zero": "x0", "ra": "x1", "sp": "x2", "gp": "x3", "tp": "x4", "t0": "x5", "t1": "x6", "t2": "x7", "s0": "x8", "fp": "x8", "s1": "x9",
	"a0": "x10", "a1": "x11", "a2": "x12", "a3": "x13", "a4": "x14", "a5": "x15", "a6": "x16", "a7": "x17",
	"s2": "x18", "s3": "x19", "s4": "x20", "s5": "x21", "s6": "x22", "s7": "x23", "s8": "x24", "s9": "x25", "s10": "x26", "s11": "x27",
	"t3": "x28", "t4": "x29", "t5": "x30", "t6": "x31",
}

// riscvReg returns x8 for s0.
func riscvReg(name string) (litmus.Reg, bool) {
	name = strings.ToLower(name)
	if r, ok := riscvABI[name]; ok {
		name = r
	}
	return numbered(name, "x", 31)
}

// rv reads a register as a value: x0 is 0.
func (a *asm) rv() litmus.Expr { return rvVal(a.reg()) }

func rvVal(r litmus.Reg) litmus.Expr {
	if r == "x0" {
		return num(0)
	}
	return r
}

func (a *asm) rvSet(d litmus.Reg, x litmus.Expr) {
	if d != "x0" {
		a.set(d, x)
	}
}

var rvOps = map[string]litmus.BinaryOp{
	"ADD": litmus.Add, "SUB": litmus.Sub, "AND": litmus.And, "OR": litmus.Or, "XOR": litmus.Xor, "SLL": litmus.Shl, "SRL": litmus.LShr, "SRA": litmus.AShr, "SLT": litmus.SLt, "SLTU": litmus.ULt,
	"MUL": litmus.Mul, "DIV": litmus.SDiv, "DIVU": litmus.UDiv, "REM": litmus.SRem, "REMU": litmus.URem,
}

var rvBranches = map[string]struct {
	op      litmus.BinaryOp
	swapped bool
}{"BEQ": {litmus.Eq, false}, "BNE": {litmus.Ne, false}, "BLT": {litmus.SLt, false}, "BLTU": {litmus.ULt, false}, "BGE": {litmus.SLe, true}, "BGEU": {litmus.ULe, true}, "BGT": {litmus.SLt, true}, "BLE": {litmus.SLe, false}, "BGTU": {litmus.ULt, true}, "BLEU": {litmus.ULe, false}}

// rvDotted are instructions that only compute, with a dot in their names.
var rvDotted = map[string]bool{
	"SEXT.W": true, "SEXT.B": true, "SEXT.H": true, "ZEXT.W": true, "ZEXT.B": true, "ZEXT.H": true, "ADD.UW": true, "CZERO.EQZ": true, "CZERO.NEZ": true,
}

// rvBits are the instructions of the extension B on two registers.
var rvBits = map[string]func(x, y litmus.Expr) litmus.Expr{
	"ANDN":      func(x, y litmus.Expr) litmus.Expr { return bin(litmus.And, 64, x, un(litmus.Not, 64, y)) },
	"ORN":       func(x, y litmus.Expr) litmus.Expr { return bin(litmus.Or, 64, x, un(litmus.Not, 64, y)) },
	"XNOR":      func(x, y litmus.Expr) litmus.Expr { return un(litmus.Not, 64, bin(litmus.Xor, 64, x, y)) },
	"MAX":       func(x, y litmus.Expr) litmus.Expr { return atomicOps["MAX"](64, x, y) },
	"MIN":       func(x, y litmus.Expr) litmus.Expr { return atomicOps["MIN"](64, x, y) },
	"MAXU":      func(x, y litmus.Expr) litmus.Expr { return atomicOps["MAXU"](64, x, y) },
	"MINU":      func(x, y litmus.Expr) litmus.Expr { return atomicOps["MINU"](64, x, y) },
	"SH1ADD":    func(x, y litmus.Expr) litmus.Expr { return bin(litmus.Add, 64, bin(litmus.Shl, 64, x, num(1)), y) },
	"SH2ADD":    func(x, y litmus.Expr) litmus.Expr { return bin(litmus.Add, 64, bin(litmus.Shl, 64, x, num(2)), y) },
	"SH3ADD":    func(x, y litmus.Expr) litmus.Expr { return bin(litmus.Add, 64, bin(litmus.Shl, 64, x, num(3)), y) },
	"ADD.UW":    func(x, y litmus.Expr) litmus.Expr { return bin(litmus.Add, 64, un(litmus.Trunc, 32, x), y) },
	"ROR":       func(x, y litmus.Expr) litmus.Expr { return bin(litmus.Ror, 64, x, y) },
	"RORI":      func(x, y litmus.Expr) litmus.Expr { return bin(litmus.Ror, 64, x, y) },
	"ROL":       func(x, y litmus.Expr) litmus.Expr { return bin(litmus.Ror, 64, x, un(litmus.Neg, 64, y)) },
	"CZERO.EQZ": func(x, y litmus.Expr) litmus.Expr { return sel(bin(litmus.Eq, 64, y, num(0)), num(0), x) },
	"CZERO.NEZ": func(x, y litmus.Expr) litmus.Expr { return sel(bin(litmus.Ne, 64, y, num(0)), num(0), x) },
}

// readRISCV reads one instruction of RISC-V.
func readRISCV(a *asm) {
	parts := strings.Split(a.name, ".")
	order, ok := rvOrder(parts[1:])
	switch {
	case parts[0] == "FENCE":
		a.rvFence()
	case strings.HasPrefix(parts[0], "AMO") && ok && len(parts) > 1:
		a.rvAMO(parts, order)
	case (parts[0] == "LR" || parts[0] == "SC") && ok && len(parts) > 1 && rvWidth(parts) >= 4:
		a.rvExclusive(parts, order)
	case rvAccess[parts[0]].size > 0 && ok:
		a.rvLoadStore(rvAccess[parts[0]], parts[0][0] == 'S', order)
	case parts[0] == "SFENCE":
		a.refuse(a.at, featTLB, a.name)
	case parts[0] == "CBO":
		a.refuse(a.at, featCache, a.name)
	case parts[0] == "PREFETCH":
		a.rvAddr()
	case len(parts) == 1, rvDotted[a.name]:
		a.rvOther()
	default:
		a.unknown()
	}
}

type rvSize struct {
	size   int
	signed bool
}

var rvAccess = map[string]rvSize{
	"LB": {1, true}, "LBU": {1, false}, "LH": {2, true}, "LHU": {2, false}, "LW": {4, true}, "LWU": {4, false}, "LD": {8, false},
	"SB": {1, false}, "SH": {2, false}, "SW": {4, false}, "SD": {8, false},
}

// rvOrder returns the sets that .aq and .rl put an access in; the width, .w or .d, is skipped.
func rvOrder(parts []string) ([]string, bool) {
	aq, rl := false, false
	for i, p := range parts {
		switch {
		case (p == "W" || p == "D" || p == "B" || p == "H") && i == 0:
		case p == "AQ":
			aq = true
		case p == "RL":
			rl = true
		case p == "AQRL":
			aq, rl = true, true
		default:
			return nil, false
		}
	}
	switch {
	case aq && rl:
		return []string{"AcqRel"}, true
	case aq:
		return []string{"Acq"}, true
	case rl:
		return []string{"Rel"}, true
	}
	return nil, true
}

func (a *asm) rvFence() {
	switch a.name {
	case "FENCE.I":
		a.fence("Fence.i")
		return
	case "FENCE.TSO":
		a.fence("Fence.tso")
		return
	case "FENCE":
	default:
		a.unknown()
	}
	if a.tok.kind == 0 {
		a.fence("Fence.rw.rw")
		return
	}
	kind := func() string {
		at := a.tok.off
		s := strings.ToLower(a.ident("r, w or rw"))
		mem := strings.NewReplacer("i", "", "o", "").Replace(s) // devices
		if mem != "r" && mem != "w" && mem != "rw" && (mem != "" || s == "") {
			a.fail(at, "a fence orders r, w or rw")
		}
		return mem
	}
	before := kind()
	a.comma()
	if after := kind(); before != "" && after != "" {
		a.fence("Fence." + before + "." + after)
	}
}

// rvAddr reads off(reg) or (reg).
func (a *asm) rvAddr() litmus.Expr {
	off := num(0)
	if a.atImm() {
		off = num(a.imm())
	}
	a.expect("(")
	base := a.rv()
	a.expect(")")
	return bin(litmus.Add, 64, base, off)
}

func (a *asm) rvLoadStore(s rvSize, store bool, sets []string) {
	r := a.reg()
	a.comma()
	addr := a.rvAddr()
	switch {
	case store:
		a.store(addr, un(litmus.Trunc, 8*s.size, rvVal(r)), s.size, sets...)
	case s.signed:
		t, _ := a.load(addr, s.size, sets...)
		a.rvSet(r, un(litmus.SExt, 8*s.size, t))
	case r == "x0":
		a.loadTo("", addr, s.size, sets...)
	default:
		a.loadTo(r, addr, s.size, sets...)
	}
}

func rvWidth(parts []string) int {
	return map[string]int{"B": 1, "H": 2, "W": 4, "D": 8}[parts[1]]
}

func (a *asm) rvAMO(parts []string, order []string) {
	op, ok := atomicOps[strings.TrimPrefix(parts[0], "AMO")]
	if size := rvWidth(parts); size == 0 || !ok && parts[0] != "AMOCAS" {
		a.unknown()
	}
	d := a.reg()
	a.comma()
	x := a.rv()
	a.comma()
	addr := a.rvAddr()
	size := rvWidth(parts)
	all := sets([]string{"X"}, order)
	t, n := a.load(addr, size, all...)
	if parts[0] == "AMOCAS" {
		a.storePair(n, bin(litmus.Eq, 8*size, t, rvVal(d)), addr, un(litmus.Trunc, 8*size, x), size, all...)
	} else {
		a.storePair(n, nil, addr, op(8*size, t, x), size, all...)
	}
	a.rvSet(d, un(litmus.SExt, 8*size, t))
}

func (a *asm) rvExclusive(parts []string, order []string) {
	d := a.reg()
	a.comma()
	size := rvWidth(parts)
	all := sets([]string{"X", "EX"}, order)
	if parts[0] == "LR" {
		t, n := a.load(a.rvAddr(), size, all...)
		a.th.Ops[n].Excl = true
		a.rvSet(d, un(litmus.SExt, 8*size, t))
		return
	}
	x := a.rv()
	a.comma()
	t := a.temp()
	a.emit(litmus.Op{Kind: litmus.Store, Addr: a.rvAddr(), X: un(litmus.Trunc, 8*size, x), Size: uint8(size), Sets: all, Excl: true, Dst: t})
	a.rvSet(d, t)
}

// rvOther reads arithmetic and branches.
func (a *asm) rvOther() {
	if b, ok := rvBranches[a.name]; ok {
		x := a.rv()
		a.comma()
		y := a.rv()
		a.comma()
		if b.swapped {
			x, y = y, x
		}
		a.branch(bin(b.op, 64, x, y), a.target())
		return
	}
	if cond, ok := strings.CutSuffix(a.name, "Z"); ok {
		if b, ok := rvBranches[cond]; ok {
			x := a.rv()
			a.comma()
			y := num(0)
			if b.swapped {
				x, y = y, x
			}
			a.branch(bin(b.op, 64, x, y), a.target())
			return
		}
	}
	base, word := strings.CutSuffix(a.name, "W")
	op, ok := rvOps[base]
	imm := false
	if !ok {
		if base, imm = strings.CutSuffix(base, "I"); imm {
			op, ok = rvOps[base]
		}
		if base == "SLTIU" || a.name == "SLTIU" {
			op, ok, imm = litmus.ULt, true, true
		}
	}
	if ok {
		d := a.reg()
		a.comma()
		x := a.rv()
		a.comma()
		var y litmus.Expr
		if imm || a.atImm() {
			y = num(a.imm())
		} else {
			y = a.rv()
		}
		width := 64
		if word {
			width = 32
		}
		r := bin(op, width, x, y)
		if op == litmus.SDiv || op == litmus.UDiv { // by 0 it is -1
			r = sel(bin(litmus.Eq, width, y, num(0)), num(-1), r)
		}
		if word {
			r = un(litmus.SExt, 32, r)
		}
		a.rvSet(d, r)
		return
	}
	if f := rvBits[a.name]; f != nil {
		d := a.reg()
		a.comma()
		x := a.rv()
		a.comma()
		if a.atImm() {
			a.rvSet(d, f(x, num(a.imm())))
		} else {
			a.rvSet(d, f(x, a.rv()))
		}
		return
	}
	switch a.name {
	case "NOP", "PAUSE", "WFI":
	case "LA", "LLA":
		d := a.reg()
		a.comma()
		at := a.tok.off
		a.rvSet(d, a.variable(at, a.ident("a variable")))
	case "ECALL", "EBREAK":
		a.refuse(a.at, featFault, a.name)
	case "RDCYCLE", "RDTIME", "RDINSTRET":
		d := a.reg()
		if d == "x0" {
			d = ""
		}
		a.unknownValue(d, 64, featSysReg)
	case "CSRR", "CSRW", "CSRRW", "CSRRS", "CSRRC":
		a.refuse(a.at, featSysReg, a.name)
	case "LI":
		d := a.reg()
		a.comma()
		a.rvSet(d, num(a.imm()))
	case "LUI":
		d := a.reg()
		a.comma()
		a.rvSet(d, num(a.imm()<<12))
	case "MV", "NOT", "NEG", "SEQZ", "SNEZ", "SLTZ", "SGTZ", "SEXT.W", "SEXT.H", "SEXT.B", "ZEXT.W", "ZEXT.H", "ZEXT.B", "NEGW":
		d := a.reg()
		a.comma()
		x := a.rv()
		switch a.name {
		case "NOT":
			x = un(litmus.Not, 64, x)
		case "NEG":
			x = bin(litmus.Sub, 64, num(0), x)
		case "SEXT.W", "SEXT.H", "SEXT.B":
			x = un(litmus.SExt, 8*ppcSizes[a.name[5]], x)
		case "ZEXT.W", "ZEXT.H", "ZEXT.B":
			x = un(litmus.Trunc, 8*ppcSizes[a.name[5]], x)
		case "SLTZ":
			x = bin(litmus.SLt, 64, x, num(0))
		case "SGTZ":
			x = bin(litmus.SLt, 64, num(0), x)
		case "NEGW":
			x = un(litmus.SExt, 32, bin(litmus.Sub, 32, num(0), x))
		case "SEQZ":
			x = bin(litmus.Eq, 64, x, num(0))
		case "SNEZ":
			x = bin(litmus.Ne, 64, x, num(0))
		}
		a.rvSet(d, x)
	case "J":
		a.branch(nil, a.target())
	case "RET":
		a.ret("x1", nil)
	case "JAL", "CALL":
		link := litmus.Reg("x1")
		if a.peek().text == "," {
			link = a.reg()
			a.comma()
		}
		if link == "x0" {
			link = ""
		}
		a.call(link, a.target())
	case "JR":
		a.emit(litmus.Op{Kind: litmus.Jump, X: a.reg()})
	default:
		a.unknown()
	}
}
