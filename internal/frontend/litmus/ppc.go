package litmus

import (
	"fmt"
	"strconv"
	"strings"

	"ravel/internal/litmus"
)

func init() { register(litmus.PPC, dialect{ins: readPPC, reg: ppcReg}) }

// ppcReg returns r3 for R3; condition fields are three registers each, CR0.LT, CR0.GT, CR0.EQ.
func ppcReg(name string) (litmus.Reg, bool) {
	if r, ok := numbered(strings.ToLower(name), "r", 31); ok {
		return r, true
	}
	return numbered(strings.ToUpper(name), "CR", 7)
}

var (
	ppcBinary = map[string]litmus.BinaryOp{
		"ADD": litmus.Add, "ADDC": litmus.Add, "MULLW": litmus.Mul, "MULLD": litmus.Mul, "DIVD": litmus.SDiv, "DIVDU": litmus.UDiv, "AND": litmus.And, "OR": litmus.Or, "XOR": litmus.Xor, "DIVW": litmus.SDiv, "DIVWU": litmus.UDiv,
		"SLW": litmus.Shl, "SRW": litmus.LShr, "SRAW": litmus.AShr, "SLD": litmus.Shl, "SRD": litmus.LShr, "SRAD": litmus.AShr,
	}
	ppcImm = map[string]litmus.BinaryOp{
		"ADDI": litmus.Add, "ADDIC": litmus.Add, "ADDIC.": litmus.Add, "ADDIS": litmus.Add, "ANDI.": litmus.And, "ANDIS.": litmus.And, "ORI": litmus.Or, "ORIS": litmus.Or, "XORI": litmus.Xor, "XORIS": litmus.Xor, "MULLI": litmus.Mul, "SUBI": litmus.Sub,
		"SLWI": litmus.Shl, "SRWI": litmus.LShr, "SRAWI": litmus.AShr, "SLDI": litmus.Shl, "SRDI": litmus.LShr, "SRADI": litmus.AShr,
	}
	ppcFences = map[string]string{"SYNC": "SYNC", "HWSYNC": "SYNC", "LWSYNC": "LWSYNC", "EIEIO": "EIEIO", "ISYNC": "ISYNC"}
	ppcSizes  = map[byte]int{'B': 1, 'H': 2, 'W': 4, 'D': 8}
)

// readPPC reads one instruction of Power.
func readPPC(a *asm) {
	name, dot := strings.CutSuffix(a.name, ".")
	if f, ok := ppcFences[a.name]; ok {
		if a.name == "SYNC" && a.atImm() {
			at := a.tok.off
			switch a.imm() {
			case 0:
			case 1:
				f = "LWSYNC"
			default:
				a.fail(at, "sync 0 and sync 1 are known")
			}
		}
		a.fence(f)
		return
	}
	if op, ok := ppcImm[a.name]; ok {
		d := a.reg()
		a.comma()
		x := litmus.Expr(a.reg())
		a.comma()
		n := a.imm()
		if strings.HasSuffix(name, "IS") {
			n <<= 16
		}
		if x == litmus.Reg("r0") && (a.name == "ADDI" || a.name == "ADDIS") {
			x = num(0)
		}
		a.ppcSet(d, ppcBin(op, strings.HasSuffix(a.name, "WI"), x, num(n)), dot)
		return
	}
	if op, ok := ppcBinary[name]; ok {
		d := a.reg()
		a.comma()
		x := a.reg()
		a.comma()
		a.ppcSet(d, ppcBin(op, strings.HasSuffix(strings.TrimSuffix(name, "U"), "W"), x, a.reg()), dot)
		return
	}
	if a.ppcAccess(name) {
		return
	}
	switch name {
	case "NOP":
	case "LI":
		d := a.reg()
		a.comma()
		a.set(d, num(a.imm()))
	case "LIS":
		d := a.reg()
		a.comma()
		a.set(d, num(a.imm()<<16))
	case "MR", "NEG", "NOT", "EXTSB", "EXTSH", "EXTSW":
		d := a.reg()
		a.comma()
		x := litmus.Expr(a.reg())
		switch name {
		case "NEG":
			x = un(litmus.Neg, 64, x)
		case "NOT":
			x = un(litmus.Not, 64, x)
		case "EXTSB", "EXTSH", "EXTSW":
			x = un(litmus.SExt, 8*ppcSizes[name[4]], x)
		}
		a.ppcSet(d, x, dot)
	case "SUBFIC":
		d := a.reg()
		a.comma()
		x := a.reg()
		a.comma()
		a.set(d, bin(litmus.Sub, 64, num(a.imm()), x))
	case "LA":
		d := a.reg()
		a.comma()
		off := num(a.imm())
		a.expect("(")
		a.set(d, bin(litmus.Add, 64, a.reg(), off))
		a.expect(")")
	case "CLRLWI", "CLRLDI", "RLDICL", "RLDICR":
		a.ppcClear(name, dot)
	case "ISEL":
		d := a.reg()
		a.comma()
		x := a.reg()
		a.comma()
		y := a.reg()
		a.comma()
		n := a.imm()
		bit := map[int64]string{0: ".LT", 1: ".GT", 2: ".EQ"}[n&3]
		if n < 0 || n > 31 || bit == "" {
			a.fail(a.at, "isel knows bits 0 to 2 of a condition field")
		}
		a.set(d, sel(litmus.Reg(fmt.Sprintf("CR%d%s", n>>2, bit)), x, y))
	case "COM": // a comment
		if a.tok.kind == 's' {
			a.next()
		}
	case "SUB", "SUBF", "NOR", "NAND", "EQV", "ANDC", "ORC":
		d := a.reg()
		a.comma()
		x := a.reg()
		a.comma()
		y := a.reg()
		switch name {
		case "SUB":
			a.ppcSet(d, bin(litmus.Sub, 64, x, y), dot)
		case "SUBF":
			a.ppcSet(d, bin(litmus.Sub, 64, y, x), dot)
		case "ANDC":
			a.ppcSet(d, bin(litmus.And, 64, x, un(litmus.Not, 64, y)), dot)
		case "ORC":
			a.ppcSet(d, bin(litmus.Or, 64, x, un(litmus.Not, 64, y)), dot)
		default:
			op := map[string]litmus.BinaryOp{"NOR": litmus.Or, "NAND": litmus.And, "EQV": litmus.Xor}[name]
			a.ppcSet(d, un(litmus.Not, 64, bin(op, 64, x, y)), dot)
		}
	case "RLWIMI", "RLWINM":
		a.ppcRotate(name, dot)
	case "CMPW", "CMPWI", "CMPD", "CMPDI", "CMPLW", "CMPLWI", "CMPLD", "CMPLDI":
		a.ppcCompare(name)
	case "B":
		a.branch(nil, a.target())
	case "BEQ", "BNE", "BLT", "BGT", "BLE", "BGE", "BNL", "BNG":
		if !a.accept("+") { // hints
			a.accept("-")
		}
		cr := litmus.Reg("CR0")
		if strings.HasPrefix(strings.ToUpper(a.tok.text), "CR") && a.peek().text == "," {
			cr = a.reg()
			a.comma()
		} else if a.p.form.inline && a.tok.kind == 'n' && a.peek().text == "," {
			cr = litmus.Reg("CR" + a.next().text)
			a.comma()
		}
		conds := map[string]litmus.Expr{"BEQ": cr + ".EQ", "BNE": lnot(cr + ".EQ"), "BLT": cr + ".LT", "BGT": cr + ".GT", "BLE": lnot(cr + ".GT"), "BGE": lnot(cr + ".LT"), "BNG": lnot(cr + ".GT"), "BNL": lnot(cr + ".LT")}
		a.branch(conds[name], a.target())
	case "LMW", "STMW":
		r := a.reg()
		a.comma()
		off := a.imm()
		a.expect("(")
		base := a.reg()
		a.expect(")")
		first, _ := strconv.Atoi(string(r[1:]))
		var temps []litmus.Reg
		for i := first; i <= 31; i++ {
			addr := bin(litmus.Add, 64, base, num(off+4*int64(i-first)))
			if name == "STMW" {
				a.store(addr, un(litmus.Trunc, 32, litmus.Reg(fmt.Sprint("r", i))), 4)
				continue
			}
			t, _ := a.load(addr, 4)
			temps = append(temps, t)
		}
		for i, t := range temps {
			a.set(litmus.Reg(fmt.Sprint("r", first+i)), t)
		}
	case "MFLR", "MTLR", "MFCTR", "MTCTR":
		d, s := a.reg(), litmus.Reg(name[2:])
		if name[1] == 'T' {
			d, s = s, d
		}
		a.set(d, s)
	case "BCTR":
		a.emit(litmus.Op{Kind: litmus.Jump, X: litmus.Reg("CTR")})
	case "BCTRL":
		a.callTo("LR", litmus.Reg("CTR"))
	case "BDNZ", "BDZ":
		a.set("CTR", bin(litmus.Sub, 64, litmus.Reg("CTR"), num(1)))
		a.branch(bin(map[string]litmus.BinaryOp{"BDNZ": litmus.Ne, "BDZ": litmus.Eq}[name], 64, litmus.Reg("CTR"), num(0)), a.target())
	case "BL":
		a.call("LR", a.target())
	case "BLRL":
		a.refuse(a.at, featCalls, a.name)
	case "PTESYNC", "TLBIE", "TLBIEL", "TLBSYNC":
		a.refuse(a.at, featTLB, a.name)
	case "DCBT", "DCBTST":
		if !a.p.form.inline {
			a.refuse(a.at, featCache, a.name)
		}
		a.hint()
	case "MFTB", "MFTBL", "MFTBU":
		a.unknownValue(a.reg(), 64, featSysReg)
	case "DCBF", "DCBST", "DCBZ", "ICBI":
		a.refuse(a.at, featCache, a.name)
	case "BLR":
		a.ret("LR", nil)
	default:
		a.unknown()
	}
}

// ppcBin computes with double words, or with words: signed ones, except for what is shifted in or divided without a sign.
func ppcBin(op litmus.BinaryOp, word bool, x, y litmus.Expr) litmus.Expr {
	switch {
	case !word:
		return bin(op, 64, x, y)
	case op == litmus.Shl || op == litmus.LShr || op == litmus.UDiv:
		return bin(op, 32, x, y)
	case op == litmus.Mul:
		return bin(op, 64, un(litmus.SExt, 32, x), un(litmus.SExt, 32, y))
	}
	return un(litmus.SExt, 32, bin(op, 32, x, y))
}

// ppcSet sets d, and condition field 0 for mnemonics with a dot.
func (a *asm) ppcSet(d litmus.Reg, x litmus.Expr, dot bool) {
	a.set(d, x)
	if dot {
		a.ppcFlags("CR0", 64, litmus.SLt, d, num(0))
	}
}

func (a *asm) ppcFlags(cr litmus.Reg, width int, less litmus.BinaryOp, x, y litmus.Expr) {
	a.set(cr+".LT", bin(less, width, x, y))
	a.set(cr+".GT", bin(less, width, y, x))
	a.set(cr+".EQ", bin(litmus.Eq, width, x, y))
}

func (a *asm) ppcCompare(name string) {
	cr := litmus.Reg("CR0")
	if strings.HasPrefix(strings.ToUpper(a.tok.text), "CR") {
		cr = a.reg()
		a.comma()
	} else if a.p.form.inline && a.tok.kind == 'n' && strings.Count(a.lexer.text[a.tok.off:a.end], ",") == 2 { // a field as a number
		cr = litmus.Reg("CR" + a.next().text)
		a.comma()
	}
	x := a.reg()
	a.comma()
	var y litmus.Expr
	if strings.HasSuffix(name, "I") {
		y = num(a.imm())
	} else {
		y = a.reg()
	}
	width, less := 32, litmus.SLt
	if strings.Contains(name, "D") {
		width = 64
	}
	if strings.HasPrefix(name, "CMPL") {
		less = litmus.ULt
	}
	a.ppcFlags(cr, width, less, x, y)
}

// ppcClear reads clrlwi and clrldi, which clear the upper bits, and rldicl and rldicr, which rotate before they clear the upper or the lower ones.
func (a *asm) ppcClear(name string, dot bool) {
	d := a.reg()
	a.comma()
	x := litmus.Expr(a.reg())
	a.comma()
	n := a.imm()
	if name[0] == 'R' {
		x = bin(litmus.Ror, 64, x, num((64-n)&63))
		a.comma()
		n = a.imm()
	}
	if n < 0 || n > 63 {
		a.fail(a.at, "bits are 0 to 63")
	}
	mask := ^uint64(0) >> n
	switch name {
	case "CLRLWI":
		mask = uint64(^uint32(0) >> n)
	case "RLDICR":
		mask = ^(mask >> 1)
	}
	a.ppcSet(d, bin(litmus.And, 64, x, num(int64(mask))), dot)
}

// ppcRotate reads rlwimi and rlwinm: a word rotated left, bits mb to me of it (0 is the top bit).
func (a *asm) ppcRotate(name string, dot bool) {
	d := a.reg()
	a.comma()
	s := a.reg()
	a.comma()
	n := a.imm()
	a.comma()
	mb := a.imm()
	a.comma()
	me := a.imm()
	if n < 0 || n > 31 || mb < 0 || mb > 31 || me < 0 || me > 31 {
		a.fail(a.at, "a rotation and bits are 0 to 31")
	}
	var m uint32
	for i := mb; ; i = (i + 1) % 32 {
		m |= 1 << (31 - i)
		if i == me {
			break
		}
	}
	rot := bin(litmus.Ror, 32, s, num((32-n)%32))
	x := bin(litmus.And, 64, rot, num(int64(m)))
	if name == "RLWIMI" {
		x = bin(litmus.Or, 64, x, bin(litmus.And, 64, d, num(int64(^uint64(m)))))
	}
	a.ppcSet(d, x, dot)
}

// ppcAccess reads loads and stores: lwz lwzx lwzu lwa lwax lbz lhz ld std stw stwx lwarx stwcx. …
func (a *asm) ppcAccess(name string) bool {
	switch name {
	case "LWARX", "LDARX", "LBARX", "LHARX":
		d := a.reg()
		a.comma()
		addr := a.ppcIndexed()
		if a.accept(",") {
			a.imm() // a hint
		}
		size := ppcSizes[name[1]]
		a.th.Ops[a.loadTo(d, addr, size, "X", "EX")].Excl = true
		return true
	case "STWCX", "STDCX", "STBCX", "STHCX":
		x := a.reg()
		a.comma()
		addr := a.ppcIndexed()
		t := a.temp()
		size := ppcSizes[name[2]]
		a.emit(litmus.Op{Kind: litmus.Store, Addr: addr, X: un(litmus.Trunc, 8*size, x), Size: uint8(size), Sets: []string{"X", "EX"}, Excl: true, Dst: t})
		a.set("CR0.LT", num(0))
		a.set("CR0.GT", num(0))
		a.set("CR0.EQ", lnot(t))
		return true
	}
	loads := map[string]struct {
		size   int
		signed bool
	}{"LBZ": {1, false}, "LHZ": {2, false}, "LHA": {2, true}, "LWZ": {4, false}, "LWA": {4, true}, "LD": {8, false}}
	stores := map[string]int{"STB": 1, "STH": 2, "STW": 4, "STD": 8}
	base, x := strings.CutSuffix(name, "X")
	base, u := strings.CutSuffix(base, "U")
	ld, isLoad := loads[base]
	size, isStore := stores[base]
	if !isLoad && !isStore {
		return false
	}
	r := a.reg()
	a.comma()
	var addr litmus.Expr
	var b litmus.Reg
	if x {
		save := *a.lexer
		if a.tok.kind == 'i' {
			b = a.reg()
		}
		*a.lexer = save
		addr = a.ppcIndexed()
	} else {
		off := num(a.imm())
		a.expect("(")
		b = a.reg()
		a.expect(")")
		addr = bin(litmus.Add, 64, b, off)
	}
	if isStore {
		a.store(addr, un(litmus.Trunc, 8*size, r), size)
	} else if ld.signed {
		t, _ := a.load(addr, ld.size)
		a.set(r, un(litmus.SExt, 8*ld.size, t))
	} else {
		a.loadTo(r, addr, ld.size)
	}
	if u {
		a.set(b, addr)
	}
	return true
}

// ppcIndexed reads ra,rb; a base 0 or r0 is the number 0.
func (a *asm) ppcIndexed() litmus.Expr {
	var base litmus.Expr
	if a.atImm() {
		base = num(a.imm())
	} else {
		base = a.reg()
	}
	a.comma()
	index := a.reg()
	if base == num(0) {
		return index
	}
	return bin(litmus.Add, 64, base, index)
}
