package litmus

import (
	"strconv"
	"strings"

	"ravel/internal/litmus"
)

func init() { register(litmus.AArch64, dialect{ins: readAArch64, reg: aarch64Reg}) }

// aarch64Reg returns X7 for w7, V3 for s3; XZR is not a register: code reads it as 0.
func aarch64Reg(name string) (litmus.Reg, bool) {
	r, ok := aarch64Operand(name)
	return r.reg, ok
}

// An a64 is a register as an operand.
type a64 struct {
	reg  litmus.Reg // "" for the zero register
	bits int
	fp   bool
}

func aarch64Operand(name string) (a64, bool) {
	s := strings.ToUpper(name)
	switch s {
	case "SP":
		return a64{"SP", 64, false}, true
	case "WSP":
		return a64{"SP", 32, false}, true
	case "XZR":
		return a64{"", 64, false}, true
	case "WZR":
		return a64{"", 32, false}, true
	case "LR":
		return a64{"X30", 64, false}, true
	case "FP":
		return a64{"X29", 64, false}, true
	case "N", "Z", "C", "V":
		return a64{litmus.Reg(s), 64, false}, true
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil || len(s) < 2 || s[1] < '0' || s[1] > '9' {
		return a64{}, false
	}
	switch s[0] {
	case 'X':
		return a64{litmus.Reg("X" + s[1:]), 64, false}, n <= 30
	case 'W':
		return a64{litmus.Reg("X" + s[1:]), 32, false}, n <= 30
	case 'B', 'H', 'S', 'D':
		return a64{litmus.Reg("V" + s[1:]), map[byte]int{'B': 8, 'H': 16, 'S': 32, 'D': 64}[s[0]], true}, n <= 31
	}
	return a64{}, false
}

// aarch64RegFeature names what a register that we don't have belongs to.
func aarch64RegFeature(name string) string {
	s := strings.ToUpper(name)
	switch {
	case len(s) > 1 && strings.IndexByte("VZPQ", s[0]) >= 0 && isDigit(s[1]):
		return featVector
	case len(s) > 1 && s[0] == 'C' && isDigit(s[1]):
		return featMorello
	case s == "ZA" || strings.HasPrefix(s, "ZA0"):
		return featVector
	case strings.Contains(s, "_EL"), s == "NZCV", s == "DAIF":
		return featSysReg
	}
	return ""
}

// aarch64Features are instructions of the system level, by how their names begin.
var aarch64Features = []struct{ feature, names string }{
	{featTags, "STG STZG ST2G STZ2G LDG LDGM STGM STGP IRG GMI ADDG SUBG SUBP CMPP"},
	{featTLB, "TLBI TLBIP"},
	{featVM, "AT"},
	{featCache, "DC IC"},
	{featPAC, "PAC* AUT* XPAC* RETAA RETAB BRAA* BLRAA* LDRAA LDRAB"},
	{featGCS, "GCS*"},
	{featSysReg, "MRS MSR SYS SYSL"},
	{featFault, "SVC HVC SMC ERET UDF BRK HLT"},
	{featSME, "SMSTART SMSTOP"},
	{featVector, "LD1* LD2* LD3* LD4* ST1* ST2* ST3* ST4* PTRUE* WHILE* CNTB CNTH CNTW CNTD INCB INCH INCW INCD INDEX MOVA ADDVA ADDHA " +
		"DUP UZP* ZIP* TBL LDAP1 STL1 PFALSE UADDV RDVL ADDVL LDFF* LDNT1* STNT1* FMOV MOVPRFX"},
	{featMorello, "SEAL CSEAL CHK* GC* SC* CLRTAG CPY* CVT* LDCT STCT"},
	{featFloat, "FADD FSUB FMUL FDIV FCMP SCVTF UCVTF FCVT*"},
}

func (a *asm) refuseFeature() {
	for _, f := range aarch64Features {
		for n := range strings.FieldsSeq(f.names) {
			if a.name == n || strings.HasSuffix(n, "*") && strings.HasPrefix(a.name, n[:len(n)-1]) {
				a.refuse(a.at, f.feature, a.name)
			}
		}
	}
}

// a64 reads a register operand.
func (a *asm) a64() a64 {
	at := a.tok.off
	if a.is("{") {
		a.refuse(at, featVector, a.name)
	}
	if a.accept("%") {
		return a64{litmus.Reg("%" + a.ident("the name of a register")), 64, false}
	}
	name := a.ident("a register")
	if r, ok := aarch64Operand(name); ok {
		return r
	}
	a.p.noRegister(at, name)
	return a64{}
}

func (r a64) val() litmus.Expr {
	if r.reg == "" {
		return num(0)
	}
	return un(litmus.Trunc, r.bits, r.reg)
}

// a64Addr reads [Xn …] with what follows, and returns the address and what to do with the base afterwards.
func (a *asm) a64Addr() (litmus.Expr, func()) {
	a.expect("[")
	base := a.a64()
	addr, update := base.val(), func() {}
	if base.bits != 64 {
		a.fail(a.tok.off, "a base register has 64 bits")
	}
	var off litmus.Expr
	if a.accept(",") {
		off = a.a64Offset()
		addr = bin(litmus.Add, 64, addr, off)
	}
	a.expect("]")
	switch {
	case a.accept("!"):
		to := addr
		update = func() { a.set(base.reg, to) }
	case a.accept(","):
		off = a.a64Offset()
		to := bin(litmus.Add, 64, base.val(), off)
		update = func() { a.set(base.reg, to) }
	}
	return addr, update
}

func (a *asm) a64Offset() litmus.Expr {
	if a.a64Low() {
		return num(0)
	}
	if a.atImm() {
		return num(a.imm())
	}
	r := a.a64()
	if a.accept(",") {
		return a.a64Shift(r, 64)
	}
	if r.bits == 32 {
		return un(litmus.SExt, 32, r.val())
	}
	return r.val()
}

// a64Shift reads LSL #n, SXTW #n and so on, for a register.
func (a *asm) a64Shift(r a64, bits int) litmus.Expr {
	at := a.tok.off
	kind := strings.ToUpper(a.ident("a shift or an extension"))
	n := int64(0)
	if a.atImm() {
		n = a.imm()
	}
	x := r.val()
	switch kind {
	case "LSL":
		return bin(litmus.Shl, bits, x, num(n))
	case "LSR":
		return bin(litmus.LShr, bits, x, num(n))
	case "ASR":
		return bin(litmus.AShr, bits, x, num(n))
	case "ROR":
		return bin(litmus.Ror, bits, x, num(n))
	}
	if len(kind) != 4 || !strings.HasSuffix(kind[:3], "XT") || strings.IndexByte("BHWX", kind[3]) < 0 {
		if kind == "MUL" {
			a.refuse(at, featVector, kind+" VL")
		}
		a.fail(at, "no shift or extension is called %s", kind)
	}
	w := map[byte]int{'B': 8, 'H': 16, 'W': 32, 'X': 64}[kind[3]]
	if kind[0] == 'S' {
		x = un(litmus.SExt, w, x)
	} else {
		x = un(litmus.Trunc, w, x)
	}
	if n == 0 {
		return un(litmus.Trunc, bits, x)
	}
	return bin(litmus.Shl, bits, x, num(n))
}

// a64Low reads :lo12:x, the rest of the address of a variable after ADRP, which has given all of it.
func (a *asm) a64Low() bool {
	save := *a.lexer
	a.accept("#")
	if !a.accept(":") {
		*a.lexer = save
		return false
	}
	for a.next().text != ":" {
		if a.tok.kind == 0 {
			a.unexpected(`":"`)
		}
	}
	at := a.tok.off
	a.variable(at, a.ident("a variable"))
	return true
}

// a64Second reads the last operand of an arithmetic instruction: an immediate or a register, perhaps shifted.
func (a *asm) a64Second(bits int) litmus.Expr {
	if a.a64Low() {
		return num(0)
	}
	if a.atImm() {
		n := a.imm()
		if a.accept(",") {
			if s := strings.ToUpper(a.ident("LSL")); s != "LSL" {
				a.fail(a.tok.off, "an immediate can be shifted by LSL only")
			}
			n <<= uint64(a.imm()) & 63
		}
		return num(int64(litmus.Mask(uint64(n), uint8(bits))))
	}
	r := a.a64()
	if a.accept(",") {
		return a.a64Shift(r, bits)
	}
	return un(litmus.Trunc, bits, r.val())
}

// setFlags sets N Z C V for x+y or x-y; logical operations set N and Z and clear C and V.
func (a *asm) setFlags(bits int, op litmus.BinaryOp, x, y litmus.Expr) {
	r := bin(op, bits, x, y)
	n, z, c, v := bin(litmus.SLt, bits, r, num(0)), bin(litmus.Eq, bits, r, num(0)), num(0), num(0)
	top := num(int64(bits - 1))
	switch op {
	case litmus.Sub:
		z = bin(litmus.Eq, bits, x, y)
		c = bin(litmus.ULe, bits, y, x)
		v = bin(litmus.LShr, bits, bin(litmus.And, bits, bin(litmus.Xor, bits, x, y), bin(litmus.Xor, bits, x, r)), top)
	case litmus.Add:
		c = bin(litmus.ULt, bits, r, x)
		v = bin(litmus.LShr, bits, bin(litmus.And, bits, bin(litmus.Xor, bits, x, r), bin(litmus.Xor, bits, y, r)), top)
	}
	a.set("N", n)
	a.set("Z", z)
	if a.p.test.Arch == litmus.ARM && op != litmus.Add && op != litmus.Sub {
		return // C is the shifter's, V stays
	}
	a.set("C", c)
	a.set("V", v)
}

// armCond returns the condition with an Arm name, over the flags.
func armCond(name string) (litmus.Expr, bool) {
	n, z, c, v := litmus.Reg("N"), litmus.Reg("Z"), litmus.Reg("C"), litmus.Reg("V")
	ge := bin(litmus.Eq, 64, n, v)
	switch strings.ToUpper(name) {
	case "EQ":
		return z, true
	case "NE":
		return lnot(z), true
	case "CS", "HS":
		return c, true
	case "CC", "LO":
		return lnot(c), true
	case "MI":
		return n, true
	case "PL":
		return lnot(n), true
	case "VS":
		return v, true
	case "VC":
		return lnot(v), true
	case "HI":
		return bin(litmus.And, 64, c, lnot(z)), true
	case "LS":
		return bin(litmus.Or, 64, lnot(c), z), true
	case "GE":
		return ge, true
	case "LT":
		return bin(litmus.Ne, 64, n, v), true
	case "GT":
		return bin(litmus.And, 64, lnot(z), ge), true
	case "LE":
		return bin(litmus.Or, 64, z, bin(litmus.Ne, 64, n, v)), true
	case "AL", "NV":
		return num(1), true
	}
	return nil, false
}

func (a *asm) a64Cond() litmus.Expr {
	at := a.tok.off
	name := a.ident("a condition")
	c, ok := armCond(name)
	if !ok {
		a.fail(at, "no condition is called %q", name)
	}
	return c
}

// readAArch64 reads one instruction of AArch64.
func readAArch64(a *asm) {
	a.name = a64Plain(a.name)
	if a.a64Memory() || a.a64Atomic() || a.a64Arith() || a.a64More() || a.a64Flow() {
		return
	}
	a.refuseFeature()
	a.unknown()
}

// a64Unprivileged are how the atomics that access memory as unprivileged code does begin; there is no difference here.
var a64Unprivileged = map[string]string{
	"LDTADD": "LDADD", "LDTCLR": "LDCLR", "LDTSET": "LDSET", "STTADD": "STADD", "STTCLR": "STCLR", "STTSET": "STSET", "SWPT": "SWP",
	"LDTXR": "LDXR", "LDATXR": "LDAXR", "STTXR": "STXR", "STLTXR": "STLXR", "LDTP": "LDP", "STTP": "STP", "LDTNP": "LDNP", "STTNP": "STNP",
}

// a64Plain returns the name of the same instruction without that.
func a64Plain(name string) string {
	for from, to := range a64Unprivileged {
		if rest, ok := strings.CutPrefix(name, from); ok {
			return to + rest
		}
	}
	if strings.HasPrefix(name, "CAS") {
		return strings.TrimSuffix(name, "T")
	}
	return name
}

// a64Width returns the size of an access and whether it is signed, by the suffix of its mnemonic.
func a64Width(suffix string, r a64) (size int, signed bool) {
	switch suffix {
	case "B", "SB":
		size = 1
	case "H", "SH":
		size = 2
	case "SW":
		size = 4
	default:
		size = r.bits / 8
	}
	return size, len(suffix) == 2
}

var a64Loads = map[string][]string{
	"LDR": {}, "LDUR": {}, "LDTR": {}, "LDAR": {"A"}, "LDLAR": {"A"}, "LDAPR": {"Q"}, "LDAPUR": {"Q"}, "LDXR": {"X", "EX"}, "LDAXR": {"A", "X", "EX"},
	"LDP": {}, "LDNP": {"NT"}, "LDXP": {"X", "EX"}, "LDAXP": {"A", "X", "EX"}, "LDIAPP": {"Q"},
}

var a64Stores = map[string][]string{
	"STR": {}, "STUR": {}, "STTR": {}, "STLR": {"L"}, "STLUR": {"L"}, "STLLR": {"L"}, "STXR": {"X", "EX"}, "STLXR": {"L", "X", "EX"},
	"STP": {}, "STNP": {}, "STXP": {"X", "EX"}, "STLXP": {"L", "X", "EX"}, "STILP": {"L"},
}

// a64Memory reads loads and stores.
func (a *asm) a64Memory() bool {
	for _, suffix := range []string{"", "SB", "SH", "SW", "B", "H"} {
		op, ok := strings.CutSuffix(a.name, suffix)
		if !ok {
			continue
		}
		if sets, ok := a64Loads[op]; ok {
			a.a64Load(suffix, sets, strings.HasSuffix(op, "P"))
			return true
		}
		if sets, ok := a64Stores[op]; ok && (suffix == "" || len(suffix) == 1) {
			a.a64Store(suffix, sets, strings.HasSuffix(op, "P"))
			return true
		}
	}
	return false
}

func (a *asm) a64Load(suffix string, sets []string, pair bool) {
	r := []a64{a.a64()}
	a.comma()
	if pair {
		r = append(r, a.a64())
		a.comma()
	}
	if !a.is("[") {
		a.refuse(a.tok.off, featCode, "a load from the code")
	}
	addr, update := a.a64Addr()
	size, signed := a64Width(suffix, r[0])
	var from []litmus.Reg
	for i := range r {
		t, n := a.load(bin(litmus.Add, 64, addr, num(int64(i*size))), size, sets...)
		a.th.Ops[n].Excl = strings.Contains(a.name, "X")
		from = append(from, t)
	}
	update()
	for i := range r {
		x := litmus.Expr(from[i])
		if signed {
			x = un(litmus.Trunc, r[i].bits, un(litmus.SExt, 8*size, x))
		}
		a.set(r[i].reg, x)
	}
}

func (a *asm) a64Store(suffix string, sets []string, pair bool) {
	excl := strings.Contains(a.name, "X")
	var status a64
	if excl {
		status = a.a64()
		a.comma()
	}
	r := []a64{a.a64()}
	a.comma()
	if pair {
		r = append(r, a.a64())
		a.comma()
	}
	addr, update := a.a64Addr()
	size, _ := a64Width(suffix, r[0])
	t := litmus.Reg("")
	if excl {
		t = a.temp()
	}
	for i := range r {
		op := litmus.Op{Kind: litmus.Store, Addr: bin(litmus.Add, 64, addr, num(int64(i*size))), X: un(litmus.Trunc, 8*size, r[i].val()), Size: uint8(size), Sets: sets, Excl: excl, Dst: t}
		if i > 0 && excl {
			op.Dst, op.If = "", lnot(t)
		}
		a.emit(op)
	}
	update()
	if excl {
		a.set(status.reg, t)
	}
}

// a64Atomic reads the atomics of LSE.
func (a *asm) a64Atomic() bool {
	name := a.name
	kind := ""
	for _, k := range []string{
		"CASP", "CAS", "SWPP", "LDCLRP", "LDSETP", "SWP", "LDADD", "LDCLR", "LDEOR", "LDSET", "LDSMAX", "LDSMIN", "LDUMAX", "LDUMIN",
		"STADD", "STCLR", "STEOR", "STSET", "STSMAX", "STSMIN", "STUMAX", "STUMIN",
	} {
		if strings.HasPrefix(name, k) {
			kind, name = k, name[len(k):]
			break
		}
	}
	if kind == "" {
		return false
	}
	order, suffix := cut(name, "B", "H")
	read, write := []string{"X"}, []string{"X"}
	switch order {
	case "", "A", "L", "AL":
	default:
		return false
	}
	if strings.HasPrefix(order, "A") {
		read = []string{"A", "X"}
	}
	if strings.HasSuffix(order, "L") {
		write = []string{"L", "X"}
	}
	switch {
	case kind == "CASP":
		a.a64CASP(read, write)
	case kind == "CAS":
		a.a64CAS(suffix, read, write)
	case a64PairOps[kind] != nil:
		a.a64RMWPair(kind, read, write)
	default:
		a.a64RMW(kind, suffix, read, write)
	}
	return true
}

func (a *asm) a64CAS(suffix string, read, write []string) {
	want := a.a64()
	a.comma()
	to := a.a64()
	a.comma()
	addr, _ := a.a64Addr()
	size, _ := a64Width(suffix, want)
	if want.reg == "" {
		read = noReturn
	}
	t, n := a.load(addr, size, read...)
	ok := bin(litmus.Eq, 8*size, t, want.val())
	a.storePair(n, ok, addr, un(litmus.Trunc, 8*size, to.val()), size, write...)
	a.set(want.reg, &litmus.Select{If: ok, X: un(litmus.Trunc, 8*size, want.val()), Y: t, Same: true})
}

// noReturn are the sets of a read whose value goes to no register: it is no acquire, and DMB LD does not order it (Arm ARM, B2.3).
var noReturn = []string{"X", "NoRet"}

func (a *asm) a64CASP(read, write []string) {
	var r [4]a64
	for i := range r {
		r[i] = a.a64()
		a.comma()
	}
	addr, _ := a.a64Addr()
	size := r[0].bits / 8
	addr2 := bin(litmus.Add, 64, addr, num(int64(size)))
	t0, n0 := a.load(addr, size, read...)
	t1, n1 := a.load(addr2, size, read...)
	ok := bin(litmus.And, 64, bin(litmus.Eq, 8*size, t0, r[0].val()), bin(litmus.Eq, 8*size, t1, r[1].val()))
	a.storePair(n0, ok, addr, r[2].val(), size, write...)
	a.storePair(n1, ok, addr2, r[3].val(), size, write...)
	a.set(r[0].reg, &litmus.Select{If: ok, X: r[0].val(), Y: t0, Same: true})
	a.set(r[1].reg, &litmus.Select{If: ok, X: r[1].val(), Y: t1, Same: true})
}

// a64RMW reads SWP, LDop and STop. Without a register for the result there is no acquire.
func (a *asm) a64RMW(kind, suffix string, read, write []string) {
	x := a.a64()
	a.comma()
	var dst a64
	if !strings.HasPrefix(kind, "ST") {
		dst = a.a64()
		a.comma()
	}
	addr, _ := a.a64Addr()
	size, _ := a64Width(suffix, x)
	op := atomicOps["SWAP"]
	if kind != "SWP" {
		op = atomicOps[kind[2:]]
	}
	if dst.reg == "" {
		read = noReturn
	}
	t, n := a.load(addr, size, read...)
	a.storePair(n, nil, addr, op(8*size, t, x.val()), size, write...)
	a.set(dst.reg, t)
}

var a64PairOps = map[string]atomicOp{"SWPP": atomicOps["SWAP"], "LDCLRP": atomicOps["CLR"], "LDSETP": atomicOps["SET"]}

// a64RMWPair reads SWPP, LDCLRP and LDSETP: 16 bytes at once, with what was there in the registers of the operand.
func (a *asm) a64RMWPair(kind string, read, write []string) {
	x := a.a64()
	a.comma()
	y := a.a64()
	a.comma()
	addr, _ := a.a64Addr()
	addr2 := bin(litmus.Add, 64, addr, num(8))
	op := a64PairOps[kind]
	t0, n0 := a.load(addr, 8, read...)
	t1, n1 := a.load(addr2, 8, read...)
	a.storePair(n0, nil, addr, op(64, t0, x.val()), 8, write...)
	a.storePair(n1, nil, addr2, op(64, t1, y.val()), 8, write...)
	a.set(x.reg, t0)
	a.set(y.reg, t1)
}

var a64Binary = map[string]litmus.BinaryOp{
	"ADD": litmus.Add, "SUB": litmus.Sub, "AND": litmus.And, "ORR": litmus.Or, "EOR": litmus.Xor, "ADDS": litmus.Add, "SUBS": litmus.Sub, "ANDS": litmus.And,
	"MUL": litmus.Mul, "SDIV": litmus.SDiv, "UDIV": litmus.UDiv, "LSL": litmus.Shl, "LSR": litmus.LShr, "ASR": litmus.AShr, "ROR": litmus.Ror,
	"LSLV": litmus.Shl, "LSRV": litmus.LShr, "ASRV": litmus.AShr, "RORV": litmus.Ror,
}
var a64Negated = map[string]litmus.BinaryOp{"BIC": litmus.And, "BICS": litmus.And, "ORN": litmus.Or, "EON": litmus.Xor}

// a64Arith reads instructions that only compute.
func (a *asm) a64Arith() bool {
	if op, ok := a64Binary[a.name]; ok {
		d := a.a64()
		if a.is(",") {
			a.comma()
		}
		x := a.a64()
		y := x.val()
		if a.accept(",") {
			y = a.a64Second(d.bits)
		} else {
			x = d
		}
		a.binaryTo(d, op, x.val(), y)
		return true
	}
	if op, ok := a64Negated[a.name]; ok {
		d := a.a64()
		a.comma()
		x := a.a64()
		a.comma()
		a.binaryTo(d, op, x.val(), un(litmus.Not, d.bits, a.a64Second(d.bits)))
		return true
	}
	switch a.name {
	case "CMP", "CMN", "TST":
		x := a.a64()
		a.comma()
		y := a.a64Second(x.bits)
		a.setFlags(x.bits, map[string]litmus.BinaryOp{"CMP": litmus.Sub, "CMN": litmus.Add, "TST": litmus.And}[a.name], x.val(), y)
	case "MOV", "MOVZ", "MOVN", "MVN", "NEG", "NEGS", "MOVI":
		d := a.a64()
		a.comma()
		y := a.a64Second(d.bits)
		switch a.name {
		case "MVN", "MOVN":
			y = un(litmus.Not, d.bits, y)
		case "NEG":
			y = bin(litmus.Sub, d.bits, num(0), y)
		case "NEGS":
			a.binaryTo(d, litmus.Sub, num(0), y)
			return true
		}
		a.set(d.reg, y)
	case "MOVK":
		d := a.a64()
		a.comma()
		n, shift := a.imm(), int64(0)
		if a.accept(",") {
			a.ident("LSL")
			shift = a.imm() & 63
		}
		a.set(d.reg, bin(litmus.Or, d.bits, bin(litmus.And, d.bits, d.val(), num(^(0xffff<<shift))), num(n<<shift)))
	case "CSEL", "CSINC", "CSINV", "CSNEG":
		d := a.a64()
		a.comma()
		x := a.a64()
		a.comma()
		y := a.a64()
		a.comma()
		a.set(d.reg, sel(a.a64Cond(), x.val(), a64Else(a.name, d.bits, y.val())))
	case "CSET", "CSETM":
		d := a.a64()
		a.comma()
		one := num(1)
		if a.name == "CSETM" {
			one = num(int64(litmus.Mask(^uint64(0), uint8(d.bits))))
		}
		a.set(d.reg, sel(a.a64Cond(), one, num(0)))
	case "CINC", "CINV", "CNEG":
		d := a.a64()
		a.comma()
		x := a.a64()
		a.comma()
		a.set(d.reg, sel(a.a64Cond(), a64Else("CS"+a.name[1:], d.bits, x.val()), x.val()))
	case "MADD", "MSUB", "MNEG":
		d := a.a64()
		a.comma()
		x := a.a64()
		a.comma()
		y := a.a64()
		z, op := num(0), litmus.Sub
		if a.name != "MNEG" {
			a.comma()
			z = a.a64().val()
		}
		if a.name == "MADD" {
			op = litmus.Add
		}
		a.set(d.reg, bin(op, d.bits, z, bin(litmus.Mul, d.bits, x.val(), y.val())))
	case "SXTW", "SXTH", "SXTB", "UXTW", "UXTH", "UXTB":
		d := a.a64()
		a.comma()
		x := a.a64()
		w := map[byte]int{'W': 32, 'H': 16, 'B': 8}[a.name[3]]
		op := map[byte]litmus.UnaryOp{'S': litmus.SExt, 'U': litmus.Trunc}[a.name[0]]
		a.set(d.reg, un(litmus.Trunc, d.bits, un(op, w, x.val())))
	case "UBFM", "SBFM", "UBFX", "SBFX", "UBFIZ", "SBFIZ":
		a.a64Bitfield()
	default:
		return false
	}
	return true
}

func a64Else(name string, bits int, x litmus.Expr) litmus.Expr {
	switch name {
	case "CSINC":
		return bin(litmus.Add, bits, x, num(1))
	case "CSINV":
		return un(litmus.Not, bits, x)
	case "CSNEG":
		return un(litmus.Neg, bits, x)
	}
	return x
}

// binaryTo sets d, and the flags if the mnemonic ends with S.
func (a *asm) binaryTo(d a64, op litmus.BinaryOp, x, y litmus.Expr) {
	r := bin(op, d.bits, x, y)
	if strings.HasSuffix(a.name, "S") {
		t := a.temp()
		a.set(t, r)
		a.setFlags(d.bits, op, x, y)
		r = t
	}
	a.set(d.reg, r)
}

// a64Bitfield reads UBFM d,n,#r,#s and its aliases: bits r to s, or shifted left if s < r.
func (a *asm) a64Bitfield() {
	d := a.a64()
	a.comma()
	x := a.a64().val()
	a.comma()
	r := a.imm()
	a.comma()
	s := a.imm()
	w := int64(d.bits)
	switch a.name[2:] {
	case "FX":
		s = r + s - 1
	case "FIZ":
		r, s = (w-r)%w, s-1
	}
	if r < 0 || r >= w || s < 0 || s >= w {
		a.fail(a.at, "bits %d to %d of %d", r, s, w)
	}
	// Put the field at the top, then move it down with or without its sign.
	width, place := s-r+1, int64(0)
	if s < r {
		width, place = s+1, w-r
	} else {
		x = bin(litmus.LShr, d.bits, x, num(r))
	}
	x = bin(litmus.Shl, d.bits, x, num(w-width))
	down := litmus.LShr
	if a.name[0] == 'S' {
		down = litmus.AShr
	}
	x = bin(down, d.bits, x, num(w-width))
	if place > 0 {
		x = bin(litmus.Shl, d.bits, x, num(place))
	}
	a.set(d.reg, x)
}

// a64Counters are the registers that count time.
var a64Counters = map[string]bool{"CNTVCT_EL0": true, "CNTPCT_EL0": true, "CNTVCTSS_EL0": true, "PMCCNTR_EL0": true}

// barrierNumber reads the option of DMB or DSB as a number: domain and kind in two bits each. Numbers that no option has are those of the full barrier.
func (a *asm) barrierNumber() string {
	at := a.tok.off
	n := a.imm()
	if n < 0 || n > 15 {
		a.fail(at, "the option of a barrier is 0 to 15")
	}
	kind := [4]string{"", "LD", "ST", ""}[n&3]
	domain := [4]string{"OSH", "NSH", "ISH", ""}[n>>2]
	if domain+kind == "" || n&3 == 0 {
		return "SY"
	}
	return domain + kind
}

var barrierOptions = "SY ST LD ISH ISHST ISHLD OSH OSHST OSHLD NSH NSHST NSHLD"

// a64Flow reads branches and barriers.
func (a *asm) a64Flow() bool {
	if c, ok := strings.CutPrefix(a.name, "BC."); ok { // the condition is hardly ever another one
		a.name = "B." + c
	}
	if c, ok := strings.CutPrefix(a.name, "B"); ok && len(c) == 2 { // BEQ, as assemblers allow
		if _, ok := armCond(c); ok {
			a.name = "B." + c
		}
	}
	if cond, ok := strings.CutPrefix(a.name, "B."); ok {
		c, ok := armCond(cond)
		if !ok {
			if strings.Contains(" FIRST NONE ANY LAST TCONT ", " "+cond+" ") {
				a.refuse(a.at, featVector, a.name)
			}
			a.fail(a.at, "no condition is called %q", cond)
		}
		a.branch(c, a.target())
		return true
	}
	switch a.name {
	case "CLREX":
		if a.atImm() {
			a.imm()
		}
		a.emit(litmus.Op{Kind: litmus.Clear})
	case "PRFM", "PRFUM":
		a.next()
		a.comma()
		a.a64Addr()
	case "WFET", "WFIT":
		a.a64()
	case "TSB", "PSB":
		a.ident("CSYNC")
	case "NOP", "HINT", "YIELD", "WFE", "WFI", "SEV", "SEVL", "CSDB", "DGH", "BTI", "SB", "SSBB", "PSSBB", "ESB":
		if a.name == "BTI" && a.tok.kind == 'i' {
			a.next()
		}
		if a.name == "HINT" {
			a.imm()
		}
	case "B":
		a.branch(nil, a.target())
	case "CBZ", "CBNZ":
		x := a.a64()
		a.comma()
		c := bin(litmus.Eq, x.bits, x.val(), num(0))
		if a.name == "CBNZ" {
			c = bin(litmus.Ne, x.bits, x.val(), num(0))
		}
		a.branch(c, a.target())
	case "TBZ", "TBNZ":
		x := a.a64()
		a.comma()
		bit := bin(litmus.And, 64, x.val(), num(1<<(uint64(a.imm())&63)))
		a.comma()
		op := map[string]litmus.BinaryOp{"TBZ": litmus.Eq, "TBNZ": litmus.Ne}[a.name]
		a.branch(bin(op, 64, bit, num(0)), a.target())
	case "BR":
		a.emit(litmus.Op{Kind: litmus.Jump, X: a.a64().val()})
	case "RET":
		link := a64{"X30", 64, false}
		if a.tok.kind == 'i' {
			link = a.a64()
		}
		a.ret(link.reg, nil)
	case "BL":
		a.call("X30", a.target())
	case "BLR":
		a.callTo("X30", a.a64().val())
	case "DMB", "DSB":
		at, opt := a.tok.off, "SY"
		if a.tok.kind == 'i' {
			opt = strings.ToUpper(a.next().text)
		} else if a.atImm() {
			opt = a.barrierNumber()
		}
		if a.name == "DSB" {
			opt = strings.TrimSuffix(opt, "NXS") // it differs for address translation
		}
		if !strings.Contains(" "+barrierOptions+" ", " "+opt+" ") {
			a.fail(at, "no barrier is called %s %s", a.name, opt)
		}
		a.fence(a.name + "." + opt)
	case "ISB":
		if a.atImm() {
			a.imm()
		} else if a.tok.kind == 'i' {
			a.next()
		}
		a.fence("ISB")
	case "MRS":
		d := a.a64()
		a.comma()
		if !a.p.form.inline || !a64Counters[strings.ToUpper(a.tok.text)] {
			return false
		}
		a.next()
		a.unknownValue(d.reg, 64, featSysReg)
	case "ADR", "ADRP":
		d := a.a64()
		a.comma()
		at := a.tok.off
		if a.is(".") {
			a.set(d.reg, a.code(a.target()))
			break
		}
		name := a.ident("a variable or a label")
		if a.p.test.Var(name) == nil {
			a.set(d.reg, a.code(name))
		} else {
			a.set(d.reg, a.variable(at, name))
		}
	default:
		return false
	}
	return true
}
