package litmus

import (
	"slices"
	"strconv"
	"strings"

	"ravel/internal/litmus"
)

func init() { register(litmus.MIPS, dialect{ins: readMIPS, reg: mipsReg}) }

// mipsNames are the registers by what calls use them for.
var mipsNames = strings.Fields("zero at v0 v1 a0 a1 a2 a3 t0 t1 t2 t3 t4 t5 t6 t7 s0 s1 s2 s3 s4 s5 s6 s7 t8 t9 k0 k1 gp sp fp ra")

// mipsReg returns r2 for r2, R2, v0 and $v0.
func mipsReg(name string) (litmus.Reg, bool) {
	name = strings.ToLower(strings.TrimPrefix(name, "$"))
	if i := slices.Index(mipsNames, name); i >= 0 {
		name = "r" + strconv.Itoa(i)
	}
	return numbered(name, "r", 31)
}

// mipsOperand reads $n or rn; register 0 is 0.
func (a *asm) mipsOperand() litmus.Reg {
	if a.accept("$") {
		at := a.tok.off
		n := a.next().text
		r, ok := mipsReg("r" + n)
		if !ok {
			r, ok = mipsReg(n)
		}
		if !ok {
			a.fail(at, "MIPS has no register $%s", n)
		}
		return r
	}
	return a.reg()
}

func (a *asm) mips() litmus.Expr {
	if r := a.mipsOperand(); r != "r0" {
		return r
	}
	return num(0)
}

var mipsOps = map[string]litmus.BinaryOp{
	"ADD": litmus.Add, "ADDU": litmus.Add, "SUB": litmus.Sub, "SUBU": litmus.Sub, "AND": litmus.And, "OR": litmus.Or, "XOR": litmus.Xor, "SLT": litmus.SLt, "SLTU": litmus.ULt,
	"ADDI": litmus.Add, "ADDIU": litmus.Add, "ANDI": litmus.And, "ORI": litmus.Or, "XORI": litmus.Xor, "SLTI": litmus.SLt, "SLTIU": litmus.ULt, "NOR": litmus.Or, "SLL": litmus.Shl, "SRL": litmus.LShr, "SRA": litmus.AShr,
}

// readMIPS reads one instruction of MIPS.
func readMIPS(a *asm) {
	if op, ok := mipsOps[a.name]; ok {
		d := a.mipsOperand()
		a.comma()
		x := a.mips()
		a.comma()
		var y litmus.Expr
		if a.tok.kind == 'n' || a.is("-") {
			y = num(a.number())
		} else {
			y = a.mips()
		}
		r := bin(op, 32, x, y)
		if a.name == "NOR" {
			r = un(litmus.Not, 32, r)
		}
		a.set(d, r)
		return
	}
	size := map[byte]int{'B': 1, 'H': 2, 'W': 4, 'L': 4, 'C': 4}
	addr := func() litmus.Expr {
		off := num(0)
		if a.tok.kind == 'n' || a.is("-") {
			off = num(a.number())
		}
		a.expect("(")
		x := a.mips()
		a.expect(")")
		return bin(litmus.Add, 32, x, off)
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
			a.set(d, un(litmus.Trunc, 32, un(litmus.SExt, 8*s, t)))
		} else {
			a.set(d, t)
		}
	case "SW", "SB", "SH":
		x := a.mips()
		a.comma()
		s := size[a.name[1]]
		a.store(addr(), un(litmus.Trunc, 8*s, x), s)
	case "SC":
		r := a.mipsOperand()
		a.comma()
		t := a.temp()
		a.emit(litmus.Op{Kind: litmus.Store, Addr: addr(), X: r, Size: 4, Sets: []string{"X", "EX"}, Excl: true, Dst: t})
		a.set(r, lnot(t))
	case "LD":
		d := a.mipsOperand()
		a.comma()
		t, _ := a.load(addr(), 8)
		a.set(d, t)
	case "SD":
		x := a.mips()
		a.comma()
		a.store(addr(), x, 8)
	case "EXT", "DEXT": // a field of bits: where it begins, how many
		d := a.mipsOperand()
		a.comma()
		x := a.mips()
		a.comma()
		pos := a.number()
		a.comma()
		a.set(d, bin(litmus.And, 64, bin(litmus.LShr, 64, x, num(pos)), num(1<<uint(a.number())-1)))
	case "B", "J":
		a.branch(nil, a.target())
	case "JR":
		a.emit(litmus.Op{Kind: litmus.Jump, X: a.mips()})
	case "BEQ", "BNE":
		x := a.mips()
		a.comma()
		y := a.mips()
		a.comma()
		a.branch(bin(map[string]litmus.BinaryOp{"BEQ": litmus.Eq, "BNE": litmus.Ne}[a.name], 32, x, y), a.target())
	case "BEQZ", "BNEZ", "BLEZ", "BGTZ", "BLTZ", "BGEZ":
		x := a.mips()
		a.comma()
		ops := map[string]litmus.Expr{
			"BEQZ": bin(litmus.Eq, 32, x, num(0)), "BNEZ": bin(litmus.Ne, 32, x, num(0)), "BLEZ": bin(litmus.SLe, 32, x, num(0)),
			"BGTZ": bin(litmus.SLt, 32, num(0), x), "BLTZ": bin(litmus.SLt, 32, x, num(0)), "BGEZ": bin(litmus.SLe, 32, num(0), x),
		}
		a.branch(ops[a.name], a.target())
	default:
		a.unknown()
	}
}
