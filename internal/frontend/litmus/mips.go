package litmus

import "strings"

func init() { register(MIPS, dialect{ins: readMIPS, reg: mipsReg}) }

// mipsReg returns r2 for $2 and R2.
func mipsReg(name string) (Reg, bool) { return numbered(strings.ToLower(name), "r", 31) }

// mipsOperand reads $n or rn; register 0 is 0.
func (a *asm) mipsOperand() Reg {
	if a.accept("$") {
		at := a.tok.off
		n := a.next().text
		r, ok := mipsReg("r" + n)
		if !ok {
			a.fail(at, "MIPS has no register $%s", n)
		}
		return r
	}
	return a.reg()
}

func (a *asm) mips() Expr {
	if r := a.mipsOperand(); r != "r0" {
		return r
	}
	return num(0)
}

var mipsOps = map[string]BinaryOp{
	"ADD": Add, "ADDU": Add, "SUB": Sub, "SUBU": Sub, "AND": And, "OR": Or, "XOR": Xor, "SLT": SLt, "SLTU": ULt,
	"ADDI": Add, "ADDIU": Add, "ANDI": And, "ORI": Or, "XORI": Xor, "SLTI": SLt, "SLTIU": ULt, "NOR": Or, "SLL": Shl, "SRL": LShr, "SRA": AShr,
}

// readMIPS reads one instruction of MIPS.
func readMIPS(a *asm) {
	if op, ok := mipsOps[a.name]; ok {
		d := a.mipsOperand()
		a.comma()
		x := a.mips()
		a.comma()
		var y Expr
		if a.tok.kind == 'n' || a.is("-") {
			y = num(a.number())
		} else {
			y = a.mips()
		}
		r := bin(op, 32, x, y)
		if a.name == "NOR" {
			r = un(Not, 32, r)
		}
		a.set(d, r)
		return
	}
	size := map[byte]int{'B': 1, 'H': 2, 'W': 4, 'L': 4, 'C': 4}
	addr := func() Expr {
		off := num(0)
		if a.tok.kind == 'n' || a.is("-") {
			off = num(a.number())
		}
		a.expect("(")
		x := a.mips()
		a.expect(")")
		return bin(Add, 32, x, off)
	}
	switch a.name {
	case "NOP":
	case "SYNC":
		a.fence("SYNC")
	case "LI":
		d := a.mipsOperand()
		a.comma()
		a.set(d, num(a.number()))
	case "LUI":
		d := a.mipsOperand()
		a.comma()
		a.set(d, num(int64(uint32(a.number()<<16))))
	case "MOVE":
		d := a.mipsOperand()
		a.comma()
		a.set(d, a.mips())
	case "LW", "LB", "LBU", "LH", "LHU", "LL":
		d := a.mipsOperand()
		a.comma()
		s := size[a.name[1]]
		t, n := a.load(addr(), s)
		if a.name == "LL" {
			a.th.Ops[n].Excl, a.th.Ops[n].Sets = true, []string{"X", "EX"}
		}
		if a.name == "LB" || a.name == "LH" {
			a.set(d, un(Trunc, 32, un(SExt, 8*s, t)))
		} else {
			a.set(d, t)
		}
	case "SW", "SB", "SH":
		x := a.mips()
		a.comma()
		s := size[a.name[1]]
		a.store(addr(), un(Trunc, 8*s, x), s)
	case "SC":
		r := a.mipsOperand()
		a.comma()
		t := a.temp()
		a.emit(Op{Kind: Store, Addr: addr(), X: r, Size: 4, Sets: []string{"X", "EX"}, Excl: true, Dst: t})
		a.set(r, lnot(t))
	case "B", "J":
		a.branch(nil, a.target())
	case "BEQ", "BNE":
		x := a.mips()
		a.comma()
		y := a.mips()
		a.comma()
		a.branch(bin(map[string]BinaryOp{"BEQ": Eq, "BNE": Ne}[a.name], 32, x, y), a.target())
	case "BEQZ", "BNEZ", "BLEZ", "BGTZ", "BLTZ", "BGEZ":
		x := a.mips()
		a.comma()
		ops := map[string]Expr{
			"BEQZ": bin(Eq, 32, x, num(0)), "BNEZ": bin(Ne, 32, x, num(0)), "BLEZ": bin(SLe, 32, x, num(0)),
			"BGTZ": bin(SLt, 32, num(0), x), "BLTZ": bin(SLt, 32, x, num(0)), "BGEZ": bin(SLe, 32, num(0), x),
		}
		a.branch(ops[a.name], a.target())
	default:
		a.unknown()
	}
}
