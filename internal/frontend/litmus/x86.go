package litmus

import "strings"

// x86Names has every name of a register with its 64-bit register and its width.
var x86Names = func() map[string]x86Name {
	m := map[string]x86Name{}
	for _, l := range []string{"A", "B", "C", "D"} {
		m[l+"L"], m[l+"X"], m["E"+l+"X"], m["R"+l+"X"] = x86Name{"R" + l + "X", 8}, x86Name{"R" + l + "X", 16}, x86Name{"R" + l + "X", 32}, x86Name{"R" + l + "X", 64}
	}
	for _, l := range []string{"SI", "DI", "SP", "BP", "IP"} {
		m[l+"L"], m[l], m["E"+l], m["R"+l] = x86Name{"R" + l, 8}, x86Name{"R" + l, 16}, x86Name{"R" + l, 32}, x86Name{"R" + l, 64}
	}
	for _, l := range []string{"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"} {
		m[l+"B"], m[l+"W"], m[l+"D"], m[l] = x86Name{l, 8}, x86Name{l, 16}, x86Name{l, 32}, x86Name{l, 64}
	}
	for _, l := range []string{"CS", "DS", "ES", "FS", "GS", "SS"} {
		m[l] = x86Name{l, 16}
	}
	for _, l := range []string{"ZF", "SF", "CF", "OF"} {
		m[l] = x86Name{l, 64}
	}
	return m
}()

type x86Name struct {
	reg   string
	width int
}

// x86Reg64 returns the 64-bit register: RAX for al.
func x86Reg64(name string) (Reg, bool) {
	n, ok := x86Names[strings.ToUpper(name)]
	return Reg(n.reg), ok
}

// x86Reg32 returns the 32-bit register: EAX for al.
func x86Reg32(name string) (Reg, bool) {
	n, ok := x86Names[strings.ToUpper(name)]
	if ok && n.reg[0] == 'R' && !isDigit(n.reg[1]) {
		return Reg("E" + n.reg[1:]), true
	}
	return Reg(n.reg), ok
}

// An x86Arg is an operand: a register, an immediate or memory.
type x86Arg struct {
	reg   Reg
	width int // of reg
	imm   Expr
	addr  Expr
}

func (a *asm) x86Arg() x86Arg {
	percent := a.accept("%")
	if a.tok.kind == 'i' {
		if n, ok := x86Names[strings.ToUpper(a.tok.text)]; ok {
			a.next()
			if percent && a.accept(":") { // a segment says nothing here
				return a.x86Arg()
			}
			r, _ := a.p.dia.reg(n.reg)
			return x86Arg{reg: r, width: n.width}
		}
		at := a.tok.off
		name := a.ident("an operand")
		if percent {
			if s := strings.ToUpper(name); strings.Contains(s, "MM") {
				a.refuse(at, featVector, name)
			}
			a.p.noRegister(at, name)
		}
		if a.is("(") { // name(%base)
			return x86Arg{addr: a.x86Base(a.p.addr(at, name))}
		}
		return x86Arg{addr: a.p.addr(at, name)}
	}
	if a.accept("[") {
		sum := a.x86Term()
		for a.is("+") || a.is("-") {
			op := Add
			if a.next().text == "-" {
				op = Sub
			}
			sum = bin(op, 64, sum, a.x86Term())
		}
		a.expect("]")
		return x86Arg{addr: sum}
	}
	if a.is("(") {
		return x86Arg{addr: a.x86Base(num(0))}
	}
	dollar := a.accept("$")
	if dollar && a.tok.kind == 'i' {
		at := a.tok.off
		return x86Arg{imm: a.p.addr(at, a.ident("a variable"))}
	}
	n := a.imm()
	if a.is("(") && !dollar {
		return x86Arg{addr: a.x86Base(num(n))}
	}
	return x86Arg{imm: num(n)}
}

// x86Term reads a register, a variable or a number inside brackets.
func (a *asm) x86Term() Expr {
	if a.tok.kind == 'i' || a.is("%") {
		x := a.x86Arg()
		if x.reg != "" {
			return un(Trunc, x.width, x.reg)
		}
		return x.addr
	}
	return num(a.imm())
}

// x86Base reads (base,index,scale) for an offset.
func (a *asm) x86Base(off Expr) Expr {
	a.expect("(")
	addr := off
	if !a.is(",") {
		if v := a.x86Term(); off == Expr(num(0)) {
			addr = v
		} else {
			addr = bin(Add, 64, v, off)
		}
	}
	if a.accept(",") {
		index := a.x86Term()
		scale := int64(1)
		if a.accept(",") {
			scale = a.imm()
		}
		addr = bin(Add, 64, addr, bin(Mul, 64, index, num(scale)))
	}
	a.expect(")")
	return addr
}

// val is the value of a register or an immediate, of so many bits.
func (x x86Arg) val(width int) Expr {
	if x.imm != nil {
		return un(Trunc, width, x.imm)
	}
	return un(Trunc, width, x.reg)
}

// x86Set writes a register: one of 32 bits clears the upper half, smaller ones keep the rest.
func (a *asm) x86Set(r Reg, width int, x Expr) {
	if width < 32 {
		m := int64(1)<<width - 1
		x = bin(Or, 64, bin(And, 64, r, num(^m)), un(Trunc, width, x))
	}
	a.set(r, x)
}

// x86Read reads an operand, from memory if it is there; load is -1 if not.
func (a *asm) x86Read(x x86Arg, width int, sets ...string) (Expr, int) {
	if x.addr == nil {
		return x.val(width), -1
	}
	t, n := a.load(x.addr, width/8, sets...)
	return t, n
}

func (a *asm) x86Write(d x86Arg, width, load int, v Expr, sets ...string) {
	switch {
	case d.addr != nil && load >= 0 && len(sets) > 0:
		a.storePair(load, nil, d.addr, v, width/8, sets...)
	case d.addr != nil:
		a.store(d.addr, v, width/8, sets...)
	default:
		a.x86Set(d.reg, width, v)
	}
}

var (
	x86Binary = map[string]BinaryOp{"ADD": Add, "SUB": Sub, "AND": And, "OR": Or, "XOR": Xor, "SHL": Shl, "SAL": Shl, "SHR": LShr, "SAR": AShr, "IMUL": Mul, "CMP": Sub, "TEST": And}
	x86Other  = map[string]int{"MOV": 2, "XCHG": 2, "UXCH": 2, "XADD": 2, "CMPXCHG": 2, "INC": 1, "DEC": 1, "NEG": 1, "NOT": 1, "LEA": 2, "NOP": 0, "MOVNTI": 2, "MOVABS": 2}
)

// x86Cond returns a condition over the flags.
func x86Cond(name string) (Expr, bool) {
	z, s, c, o := Reg("ZF"), Reg("SF"), Reg("CF"), Reg("OF")
	less := bin(Ne, 64, s, o)
	conds := map[string]Expr{
		"E": z, "Z": z, "NE": lnot(z), "NZ": lnot(z), "S": s, "NS": lnot(s), "C": c, "B": c, "NC": lnot(c), "AE": lnot(c), "NB": lnot(c),
		"A": bin(And, 64, lnot(c), lnot(z)), "BE": bin(Or, 64, c, z), "L": less, "GE": lnot(less),
		"G": bin(And, 64, lnot(z), lnot(less)), "NLE": bin(And, 64, lnot(z), lnot(less)), "GT": bin(And, 64, lnot(z), lnot(less)), "LT": less, "NL": lnot(less), "NGE": less, "LE": bin(Or, 64, z, less), "NG": bin(Or, 64, z, less), "O": o, "NO": lnot(o),
	}
	x, ok := conds[name]
	return x, ok
}

// readX86 reads one instruction of x86, in Intel's order of operands for X86 and AT&T's for X86_64.
func readX86(a *asm) {
	lock := false
	if a.name == "LOCK" {
		lock = true
		a.name = strings.ToUpper(a.ident("an instruction"))
	}
	switch a.name {
	case "MFENCE", "LFENCE", "SFENCE":
		a.fence(a.name)
		return
	case "JMP":
		a.branch(nil, a.target())
		return
	case "RET":
		a.branch(nil, endLabel)
		return
	case "NOP", "ENDBR64", "ENDBR32", "PAUSE":
		return
	case "PREFETCH", "PREFETCHT0", "PREFETCHT1", "PREFETCHT2", "PREFETCHNTA", "PREFETCHW":
		a.x86Arg()
		return
	case "CPUID", "UD2", "SYSCALL", "HLT", "INT":
		a.refuse(a.at, featFault, a.name)
	case "CLFLUSH", "CLFLUSHOPT", "CLWB":
		a.refuse(a.at, featCache, a.name)
	case "CLTQ", "CDQE":
		rax, _ := a.p.dia.reg("RAX")
		a.set(rax, un(SExt, 32, rax))
		return
	}
	if a.x86Extend() {
		return
	}
	if c, ok := strings.CutPrefix(a.name, "J"); ok {
		if cond, ok := x86Cond(c); ok {
			a.branch(cond, a.target())
			return
		}
	}
	name, width := a.x86Width()
	if c, ok := strings.CutPrefix(name, "CMOV"); ok || strings.HasPrefix(name, "SET") {
		a.x86Conditional(name, c, width)
		return
	}
	var args []x86Arg
	for a.tok.kind != 0 {
		args = append(args, a.x86Arg())
		if a.tok.kind != 0 {
			a.comma()
		}
	}
	if name == "MOVABS" {
		name = "MOV"
	}
	if a.p.test.Arch == X86_64 && len(args) == 2 {
		args[0], args[1] = args[1], args[0]
	}
	for _, x := range args {
		if width == 0 && x.reg != "" {
			width = x.width
		}
	}
	if width == 0 {
		width = 32
	}
	a.x86Do(name, width, lock, args)
}

// x86Extend reads MOVZ and MOVS with two sizes, such as MOVZBL: from a smaller operand, without or with its sign. MOVZB takes the
// size of the register.
func (a *asm) x86Extend() bool {
	op := map[string]UnaryOp{"MOVZ": Trunc, "MOVS": SExt}
	size := map[byte]int{'B': 8, 'W': 16, 'L': 32, 'Q': 64}
	if len(a.name) < 5 || len(a.name) > 6 || size[a.name[4]] == 0 {
		return false
	}
	ext, ok := op[a.name[:4]]
	if !ok || a.p.test.Arch != X86_64 {
		return false
	}
	s := a.x86Arg()
	a.comma()
	d := a.x86Arg()
	if d.reg == "" {
		a.fail(a.at, "%s writes a register", a.name)
	}
	width := d.width
	if len(a.name) == 6 {
		width = size[a.name[5]]
	}
	if width <= size[a.name[4]] {
		a.fail(a.at, "%s does not extend", a.name)
	}
	v, _ := a.x86Read(s, size[a.name[4]])
	a.x86Set(d.reg, width, un(Trunc, width, un(ext, size[a.name[4]], v)))
	return true
}

// x86Width takes the suffix for a size off the mnemonic.
func (a *asm) x86Width() (string, int) {
	known := func(s string) bool {
		_, ok1 := x86Binary[s]
		_, ok2 := x86Other[s]
		return ok1 || ok2
	}
	if known(a.name) || len(a.name) < 2 {
		return a.name, 0
	}
	if w := map[byte]int{'B': 8, 'W': 16, 'L': 32, 'Q': 64}[a.name[len(a.name)-1]]; w != 0 && known(a.name[:len(a.name)-1]) {
		return a.name[:len(a.name)-1], w
	}
	return a.name, 0
}

// x86Conditional reads CMOVcc and SETcc.
func (a *asm) x86Conditional(name, c string, width int) {
	set := strings.HasPrefix(name, "SET")
	if set {
		c = name[3:]
	}
	cond, ok := x86Cond(c)
	if !ok && !set && len(c) > 1 {
		cond, ok = x86Cond(c[:len(c)-1])
	}
	if !ok {
		a.unknown()
	}
	d := a.x86Arg()
	if set {
		a.x86Write(d, 8, -1, cond)
		return
	}
	a.comma()
	s := a.x86Arg()
	if a.p.test.Arch == X86_64 {
		d, s = s, d
	}
	if d.reg == "" {
		a.fail(a.at, "CMOV writes a register")
	}
	v, _ := a.x86Read(s, d.width)
	a.x86Set(d.reg, d.width, sel(cond, v, un(Trunc, d.width, d.reg)))
}

func (a *asm) x86Flags(width int, op BinaryOp, x, y, r Expr) {
	top := num(int64(width - 1))
	zero, carry, over := bin(Eq, width, r, num(0)), num(0), num(0)
	switch op {
	case Sub:
		zero, carry = bin(Eq, width, x, y), bin(ULt, width, x, y)
		over = bin(LShr, width, bin(And, width, bin(Xor, width, x, y), bin(Xor, width, x, bin(Sub, width, x, y))), top)
	case Add:
		s := bin(Add, width, x, y)
		carry = bin(ULt, width, s, x)
		over = bin(LShr, width, bin(And, width, bin(Xor, width, x, s), bin(Xor, width, y, s)), top)
	}
	a.set("ZF", zero)
	a.set("SF", bin(SLt, width, r, num(0)))
	a.set("CF", carry)
	a.set("OF", over)
}

// x86Do emits an instruction with its destination first.
func (a *asm) x86Do(name string, width int, lock bool, args []x86Arg) {
	_, isBinary := x86Binary[name]
	n, isOther := x86Other[name]
	if isBinary {
		n = 2
	}
	if name == "NOP" {
		return
	}
	if !isBinary && !isOther {
		a.unknown()
	}
	if len(args) == 1 && (name == "SHL" || name == "SHR" || name == "SAR" || name == "SAL") {
		args, n = append(args, x86Arg{imm: num(1)}), 2
	}
	if len(args) != n {
		a.fail(a.at, "%s has %d operands", a.name, n)
	}
	if args[0].imm != nil {
		a.fail(a.at, "a number cannot be written to")
	}
	if n == 2 && args[0].addr != nil && args[1].addr != nil {
		a.fail(a.at, "two operands are in memory")
	}
	d := args[0]
	var sets []string
	if (lock || name == "XCHG") && (d.addr != nil || n == 2 && args[1].addr != nil) {
		sets = []string{"X"}
	}
	switch name {
	case "MOV":
		v, _ := a.x86Read(args[1], width)
		a.x86Write(d, width, -1, v)
	case "MOVNTI":
		a.x86Write(d, width, -1, args[1].val(width), "NT")
	case "LEA":
		if args[1].addr == nil {
			a.fail(a.at, "LEA needs an operand in memory")
		}
		a.x86Set(d.reg, width, args[1].addr)
	case "XCHG", "UXCH": // herd's name for one that does not lock
		s := args[1]
		if s.addr != nil {
			d, s = s, d
		}
		if s.reg == "" {
			a.fail(a.at, "XCHG needs a register")
		}
		old, n := a.x86Read(d, width, sets...)
		if n < 0 {
			t := a.temp()
			a.set(t, old)
			old = t
		}
		a.x86Write(d, width, n, s.val(width), sets...)
		a.x86Set(s.reg, width, old)
	case "XADD":
		s := args[1]
		if s.reg == "" {
			a.fail(a.at, "XADD adds a register")
		}
		old, n := a.x86Read(d, width, sets...)
		t := a.temp()
		a.set(t, bin(Add, width, old, s.val(width)))
		x, y := old, s.val(width)
		a.x86Flags(width, Add, x, y, t)
		a.x86Write(d, width, n, t, sets...)
		a.x86Set(s.reg, width, old)
	case "CMPXCHG":
		old, n := a.x86Read(d, width, sets...)
		rax, _ := a.p.dia.reg("RAX")
		acc := un(Trunc, width, rax)
		ok := bin(Eq, width, old, acc)
		t := a.temp()
		a.set(t, ok)
		a.x86Flags(width, Sub, acc, old, bin(Sub, width, acc, old))
		if d.addr != nil {
			op := Op{Kind: Store, Addr: d.addr, X: args[1].val(width), If: t, Size: uint8(width / 8), Sets: sets}
			if len(sets) > 0 {
				op.Pair = n + 1
			}
			a.emit(op)
		} else {
			a.setIf(t, d.reg, args[1].val(width))
		}
		a.setIf(lnot(t), rax, old)
	case "INC", "DEC":
		op := map[string]BinaryOp{"INC": Add, "DEC": Sub}[name]
		a.x86Modify(d, width, sets, func(old Expr) Expr { return bin(op, width, old, num(1)) }, true)
	case "NEG", "NOT":
		op := map[string]UnaryOp{"NEG": Neg, "NOT": Not}[name]
		a.x86Modify(d, width, sets, func(old Expr) Expr { return un(op, width, old) }, name == "NEG")
	default:
		a.x86Arith(name, width, sets, d, args[1])
	}
}

// x86Modify is a read, an operation and a write, with the flags of the result.
func (a *asm) x86Modify(d x86Arg, width int, sets []string, f func(Expr) Expr, flags bool) {
	old, n := a.x86Read(d, width, sets...)
	t := a.temp()
	a.set(t, f(old))
	if flags {
		a.set("ZF", bin(Eq, width, t, num(0)))
		a.set("SF", bin(SLt, width, t, num(0)))
	}
	a.x86Write(d, width, n, t, sets...)
}

func (a *asm) x86Arith(name string, width int, sets []string, d, s x86Arg) {
	op := x86Binary[name]
	x, n := a.x86Read(d, width, sets...)
	y, _ := a.x86Read(s, width)
	r := bin(op, width, x, y)
	if name == "CMP" || name == "TEST" {
		a.x86Flags(width, op, x, y, r)
		return
	}
	t := a.temp()
	a.set(t, r)
	a.x86Flags(width, op, x, y, t)
	a.x86Write(d, width, n, t, sets...)
}
