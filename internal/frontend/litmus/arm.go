package litmus

import (
	"strconv"
	"strings"

	"ravel/internal/litmus"
)

func init() { register(litmus.ARM, dialect{ins: readARM, reg: armReg}) }

// armReg returns R13 for sp.
func armReg(name string) (litmus.Reg, bool) {
	s := strings.ToUpper(name)
	switch s {
	case "SP":
		return "R13", true
	case "LR":
		return "R14", true
	case "PC":
		return "R15", true
	case "IP":
		return "R12", true
	case "FP":
		return "R11", true
	case "N", "Z", "C", "V":
		return litmus.Reg(s), true
	}
	return numbered(s, "R", 15)
}

// numbered returns the register with a prefix and a number up to last.
func numbered(s, prefix string, last int) (litmus.Reg, bool) {
	digits, ok := strings.CutPrefix(s, prefix)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n > last || digits != strconv.Itoa(n) {
		return "", false
	}
	return litmus.Reg(s), true
}

var armOps = map[string]litmus.BinaryOp{"ADD": litmus.Add, "SUB": litmus.Sub, "RSB": litmus.Sub, "AND": litmus.And, "ORR": litmus.Or, "EOR": litmus.Xor, "BIC": litmus.And, "MUL": litmus.Mul, "LSL": litmus.Shl, "LSR": litmus.LShr, "ASR": litmus.AShr, "ROR": litmus.Ror}

var armMemory = map[string][]string{
	"LDR": {}, "STR": {}, "LDREX": {"X", "EX"}, "STREX": {"X", "EX"}, "LDA": {"A"}, "STL": {"L"}, "LDAEX": {"A", "X", "EX"}, "STLEX": {"L", "X", "EX"},
}

// readARM reads one instruction of 32-bit Arm. A condition at the end of a mnemonic guards what it does.
func readARM(a *asm) {
	if !a.arm(a.name, nil) {
		if n := len(a.name) - 2; n > 0 {
			if cond, ok := armCond(a.name[n:]); ok && a.arm(a.name[:n], cond) {
				return
			}
		}
		a.unknown()
	}
}

// arm reads the operands of an instruction and emits it, guarded by a condition unless that is nil.
func (a *asm) arm(name string, cond litmus.Expr) bool {
	set := func(d litmus.Reg, x litmus.Expr) {
		if cond != nil {
			x = sel(cond, x, d)
		}
		a.set(d, x)
	}
	setFlags := func(op litmus.BinaryOp, x, y litmus.Expr) {
		if cond == nil {
			a.setFlags(32, op, x, y)
			return
		}
		t := a.temp()
		a.set(t, cond)
		cond = t
		from := len(a.th.Ops)
		a.setFlags(32, op, x, y)
		for i := from; i < len(a.th.Ops); i++ {
			a.th.Ops[i].X = sel(t, a.th.Ops[i].X, a.th.Ops[i].Dst)
		}
	}
	flags := strings.HasSuffix(name, "S") && len(name) == 4
	if op, ok := armOps[strings.TrimSuffix(name, "S")]; ok && (flags || len(name) == 3) {
		d := a.reg()
		a.comma()
		x := litmus.Expr(d)
		var y litmus.Expr
		if a.atImm() {
			y = a.armSecond()
		} else {
			x = a.reg()
			if a.accept(",") {
				y = a.armSecond()
			} else {
				x, y = d, x
			}
		}
		switch strings.TrimSuffix(name, "S") {
		case "BIC":
			y = un(litmus.Not, 32, y)
		case "RSB":
			x, y = y, x
		}
		r := bin(op, 32, x, y)
		if flags {
			t := a.temp()
			a.set(t, r)
			setFlags(op, x, y)
			if op >= litmus.Shl && a.p.form.inline {
				a.unknownValue("C", 8, "") // the last bit that is shifted out
			}
			r = t
		}
		set(d, r)
		return true
	}
	switch name {
	case "ADC", "SBC", "ADCS", "SBCS":
		d := a.reg()
		a.comma()
		x := litmus.Expr(a.reg())
		a.comma()
		y := a.armSecond()
		if name[0] == 'S' {
			y = un(litmus.Not, 32, y)
		}
		if cond != nil {
			return false
		}
		a.a64Carry(a64{d, 32, false}, x, y)
		return true
	}
	for _, suffix := range []string{"", "B", "H", "SB", "SH"} {
		if op, ok := strings.CutSuffix(name, suffix); ok {
			if sets, ok := armMemory[op]; ok {
				a.armAccess(op, suffix, sets, cond)
				return true
			}
		}
	}
	switch name {
	case "MOV", "MOVW", "MVN", "MOVS":
		d := a.reg()
		a.comma()
		y := a.armSecond()
		switch name {
		case "MVN":
			y = un(litmus.Not, 32, y)
		case "MOVS":
			setFlags(litmus.Or, y, num(0))
		}
		set(d, y)
	case "MOVT":
		d := a.reg()
		a.comma()
		set(d, bin(litmus.Or, 32, bin(litmus.And, 32, d, num(0xffff)), num(a.imm()<<16)))
	case "CMP", "CMN", "TST", "TEQ":
		x := a.reg()
		a.comma()
		y := a.armSecond()
		setFlags(map[string]litmus.BinaryOp{"CMP": litmus.Sub, "CMN": litmus.Add, "TST": litmus.And, "TEQ": litmus.Xor}[name], x, y)
	case "SXTB", "SXTH", "UXTB", "UXTH":
		d := a.reg()
		a.comma()
		w := map[byte]int{'B': 8, 'H': 16}[name[3]]
		ext := map[byte]litmus.UnaryOp{'S': litmus.SExt, 'U': litmus.Trunc}[name[0]]
		set(d, un(litmus.Trunc, 32, un(ext, w, a.reg())))
	case "LDRD", "STRD":
		r := []litmus.Reg{a.reg()}
		a.comma()
		r = append(r, a.reg())
		a.comma()
		a.armPair(r, name == "STRD", cond)
	case "LDM", "LDMIA", "LDMIB", "LDMDA", "LDMDB", "STM", "STMIA", "STMIB", "STMDA", "STMDB":
		base := a.reg()
		update := a.accept("!")
		a.comma()
		a.armMultiple(name, base, update)
	case "PUSH", "POP":
		a.armMultiple(map[string]string{"PUSH": "STMDB", "POP": "LDMIA"}[name], "R13", true)
	case "LDREXD", "STREXD", "LDAEXD", "STLEXD":
		a.armExclusivePair(name, cond)
	case "CLREX":
		a.emit(litmus.Op{Kind: litmus.Clear})
	case "MLA", "MLS":
		d := a.reg()
		a.comma()
		x := a.reg()
		a.comma()
		y := a.reg()
		a.comma()
		set(d, bin(map[string]litmus.BinaryOp{"MLA": litmus.Add, "MLS": litmus.Sub}[name], 32, a.reg(), bin(litmus.Mul, 32, x, y)))
	case "UDIV", "SDIV":
		d := a.reg()
		a.comma()
		x := a.reg()
		a.comma()
		set(d, bin(map[string]litmus.BinaryOp{"UDIV": litmus.UDiv, "SDIV": litmus.SDiv}[name], 32, x, a.reg()))
	case "UBFX", "SBFX":
		d := a.reg()
		a.comma()
		x := a.reg()
		a.comma()
		n := a.imm()
		a.comma()
		w := a.imm()
		if n < 0 || w < 1 || n+w > 32 {
			a.fail(a.at, "bits %d to %d of 32", n, n+w-1)
		}
		down := map[string]litmus.BinaryOp{"UBFX": litmus.LShr, "SBFX": litmus.AShr}[name]
		set(d, bin(down, 32, bin(litmus.Shl, 32, x, num(32-n-w)), num(32-w)))
	case "CLZ", "REV", "RBIT", "REV16":
		d := a.reg()
		a.comma()
		set(d, a.bits(name, 32, a.reg()))
	case "ADR":
		d := a.reg()
		a.comma()
		at := a.tok.off
		set(d, a.variable(at, a.ident("a variable")))
	case "PLD", "PLDW", "PLI":
		a.expect("[")
		a.reg()
		if a.accept(",") {
			a.armSecond()
		}
		a.expect("]")
	case "SWP", "SWPB":
		size := map[string]int{"SWP": 4, "SWPB": 1}[name]
		d := a.reg()
		a.comma()
		x := a.reg()
		a.comma()
		a.expect("[")
		addr := a.reg()
		a.expect("]")
		if cond != nil {
			a.unknown()
		}
		t, n := a.load(addr, size, "X")
		a.storePair(n, nil, addr, un(litmus.Trunc, 8*size, x), size, "X")
		a.set(d, t)
	case "B":
		a.branch(cond, a.target())
	case "BL":
		if cond != nil {
			a.refuse(a.at, featCalls, a.name)
		}
		a.call("R14", a.target())
	case "BX":
		r := a.reg()
		if r == "R14" {
			a.ret(r, cond)
		} else {
			a.emit(litmus.Op{Kind: litmus.Jump, X: r, If: cond})
		}
	case "CBZ", "CBNZ":
		x := a.reg()
		a.comma()
		op := map[string]litmus.BinaryOp{"CBZ": litmus.Eq, "CBNZ": litmus.Ne}[name]
		a.branch(bin(op, 32, x, num(0)), a.target())
	case "NOP", "WFE", "WFI", "SEV", "YIELD":
	case "IT", "ITT", "ITE", "ITTT", "ITTE", "ITET", "ITEE", "ITTTT": // the instructions say their conditions themselves
		a.a64Cond()
	case "ISB":
		if a.atImm() {
			a.imm()
		} else if a.tok.kind == 'i' {
			a.next()
		}
		a.emit(litmus.Op{Kind: litmus.Fence, Sets: []string{"ISB"}, If: cond})
	case "DMB", "DSB":
		opt := "SY"
		if a.tok.kind == 'i' {
			at := a.tok.off
			opt = strings.ToUpper(a.next().text)
			if !strings.Contains(" "+barrierOptions+" ", " "+opt+" ") {
				a.fail(at, "no barrier is called %s %s", name, opt)
			}
		} else if a.atImm() {
			opt = a.barrierNumber()
		}
		if opt == "SY" {
			a.emit(litmus.Op{Kind: litmus.Fence, Sets: []string{name}, If: cond})
		} else {
			a.emit(litmus.Op{Kind: litmus.Fence, Sets: []string{name + "." + opt}, If: cond})
		}
	default:
		return false
	}
	return true
}

// armSecond reads an immediate or a register, perhaps shifted.
func (a *asm) armSecond() litmus.Expr {
	if a.atImm() {
		return num(int64(uint32(a.imm())))
	}
	x := litmus.Expr(a.reg())
	if !a.accept(",") {
		return x
	}
	at := a.tok.off
	op, ok := armOps[strings.ToUpper(a.ident("a shift"))]
	if !ok || op < litmus.Shl {
		a.fail(at, "a shift is LSL, LSR, ASR or ROR")
	}
	if a.atImm() {
		return bin(op, 32, x, num(a.imm()))
	}
	return bin(op, 32, x, a.reg())
}

func (a *asm) armAccess(op, suffix string, sets []string, cond litmus.Expr) {
	store, excl := op[0] == 'S', strings.HasSuffix(op, "EX")
	size := map[string]int{"": 4, "B": 1, "SB": 1, "H": 2, "SH": 2}[suffix]
	var status litmus.Reg
	if store && excl {
		status = a.reg()
		a.comma()
	}
	r := a.reg()
	a.comma()
	a.expect("[")
	base := a.reg()
	addr, update := litmus.Expr(base), litmus.Expr(nil)
	if a.accept(",") {
		addr = bin(litmus.Add, 32, base, a.armSecond())
	}
	a.expect("]")
	if a.accept("!") {
		update = addr
	} else if a.accept(",") {
		update = bin(litmus.Add, 32, base, a.armSecond())
	}
	if store {
		a.emit(litmus.Op{Kind: litmus.Store, Addr: addr, X: un(litmus.Trunc, 8*size, r), Size: uint8(size), Sets: sets, Excl: excl, Dst: status, If: cond})
	} else {
		t := a.temp()
		a.emit(litmus.Op{Kind: litmus.Load, Dst: t, Addr: addr, Size: uint8(size), Sets: sets, Excl: excl, If: cond})
		x := litmus.Expr(t)
		if len(suffix) == 2 {
			x = un(litmus.Trunc, 32, un(litmus.SExt, 8*size, t))
		}
		if update != nil {
			a.setIf(cond, base, update)
			update = nil
		}
		a.setIf(cond, r, x)
	}
	if update != nil {
		a.setIf(cond, base, update)
	}
}

// armPair reads the address of LDRD and STRD, and loads or stores two words.
func (a *asm) armPair(r []litmus.Reg, store bool, cond litmus.Expr) {
	a.expect("[")
	addr := litmus.Expr(a.reg())
	if a.accept(",") {
		addr = bin(litmus.Add, 32, addr, a.armSecond())
	}
	a.expect("]")
	var temps []litmus.Reg
	for i := range r {
		at := bin(litmus.Add, 32, addr, num(int64(4*i)))
		if store {
			a.emit(litmus.Op{Kind: litmus.Store, Addr: at, X: un(litmus.Trunc, 32, r[i]), Size: 4, If: cond})
			continue
		}
		temps = append(temps, a.temp())
		a.emit(litmus.Op{Kind: litmus.Load, Dst: temps[i], Addr: at, Size: 4, If: cond})
	}
	for i, t := range temps {
		a.setIf(cond, r[i], t)
	}
}

// armExclusivePair reads exclusive accesses of two words.
func (a *asm) armExclusivePair(name string, cond litmus.Expr) {
	store, sets := name[0] == 'S', []string{"X", "EX"}
	if name[2] == 'A' || name[2] == 'L' {
		sets = append([]string{name[2:3]}, sets...)
	}
	var status litmus.Reg
	if store {
		status = a.reg()
		a.comma()
	}
	r := [2]litmus.Reg{}
	for i := range r {
		r[i] = a.reg()
		a.comma()
	}
	a.expect("[")
	addr := a.reg()
	a.expect("]")
	if cond != nil {
		a.unknown()
	}
	var temps [2]litmus.Reg
	t := a.temp()
	for i := range r {
		at := bin(litmus.Add, 32, addr, num(int64(4*i)))
		switch {
		case !store:
			temps[i] = a.temp()
			a.emit(litmus.Op{Kind: litmus.Load, Dst: temps[i], Addr: at, Size: 4, Sets: sets, Excl: true})
		case i == 0:
			a.emit(litmus.Op{Kind: litmus.Store, Addr: at, X: un(litmus.Trunc, 32, r[i]), Size: 4, Sets: sets, Excl: true, Dst: t})
		default:
			a.emit(litmus.Op{Kind: litmus.Store, Addr: at, X: un(litmus.Trunc, 32, r[i]), Size: 4, Sets: sets, Excl: true, If: lnot(t)})
		}
	}
	if store {
		a.set(status, t)
		return
	}
	for i := range r {
		a.set(r[i], temps[i])
	}
}

// armMultiple reads LDM and STM: registers from consecutive words.
func (a *asm) armMultiple(name string, base litmus.Reg, update bool) {
	a.expect("{")
	var regs []litmus.Reg
	for !a.accept("}") {
		regs = append(regs, a.reg())
		if !a.accept(",") && !a.is("}") {
			a.unexpected(`"," or "}"`)
		}
	}
	off := int64(0)
	switch {
	case strings.HasSuffix(name, "IB"):
		off = 4
	case strings.HasSuffix(name, "DB"):
		off = -4 * int64(len(regs))
	case strings.HasSuffix(name, "DA"):
		off = 4 - 4*int64(len(regs))
	}
	var temps []litmus.Reg
	for i, r := range regs {
		addr := bin(litmus.Add, 32, base, num(off+4*int64(i)))
		if name[0] == 'L' {
			t, _ := a.load(addr, 4)
			temps = append(temps, t)
		} else {
			a.store(addr, r, 4)
		}
	}
	if update {
		n := 4 * int64(len(regs))
		if off < 0 {
			n = -n
		}
		a.set(base, bin(litmus.Add, 32, base, num(n)))
	}
	for i, t := range temps {
		a.set(regs[i], t)
	}
}
