package litmus

import (
	"math/bits"
	"strconv"
	"strings"

	"ravel/internal/litmus"
)

func init() {
	register(litmus.X86, dialect{ins: readX86, reg: x86Reg32})
	register(litmus.X86_64, dialect{ins: readX86, reg: x86Reg64})
}

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

// x86Name returns what a name stands for. Only inline assembly has the registers that APX has added.
func (a *asm) x86Name(name string) (x86Name, bool) {
	n, ok := x86Names[strings.ToUpper(name)]
	return n, ok && (a.p.form.inline || n.index() < 16)
}

// index returns the number in the name of a register, or 0.
func (n x86Name) index() int {
	i, _ := strconv.Atoi(strings.TrimPrefix(n.reg, "R"))
	return i
}

// intelOrder reports whether the destination of an instruction comes first.
func (a *asm) intelOrder() bool { return a.p.test.Arch == litmus.X86 || a.p.form.intel }

// x86Reg64 returns the 64-bit register: RAX for al.
func x86Reg64(name string) (litmus.Reg, bool) {
	n, ok := x86Names[strings.ToUpper(name)]
	return litmus.Reg(n.reg), ok && n.index() < 16
}

// x86Reg32 returns the 32-bit register: EAX for al.
func x86Reg32(name string) (litmus.Reg, bool) {
	n, ok := x86Names[strings.ToUpper(name)]
	if ok && n.reg[0] == 'R' && !isDigit(n.reg[1]) {
		return litmus.Reg("E" + n.reg[1:]), true
	}
	return litmus.Reg(n.reg), ok && n.index() < 16
}

// An x86Arg is an operand: a register, an immediate or memory.
type x86Arg struct {
	reg   litmus.Reg
	width int // of reg, or of memory where it is said; 0 if not
	imm   litmus.Expr
	addr  litmus.Expr
}

func (a *asm) x86Arg() x86Arg {
	percent := a.accept("%")
	if a.tok.kind == 'i' {
		if size := x86Sizes[strings.ToUpper(a.tok.text)]; size != 0 && strings.EqualFold(a.peek().text, "PTR") {
			a.next()
			a.next()
			x := a.x86Arg()
			x.width = size
			return x
		}
		if n, ok := a.x86Name(a.tok.text); ok {
			a.next()
			if at := a.tok.off; percent && a.accept(":") { // a segment says nothing in a test
				if a.p.form.inline {
					a.fail(at, "there are no segments")
				}
				return a.x86Arg()
			}
			r := litmus.Reg(n.reg)
			if n.index() < 16 {
				r, _ = a.p.dia.reg(n.reg)
			}
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
			return x86Arg{addr: a.x86Base(a.variable(at, name))}
		}
		return x86Arg{addr: a.variable(at, name)}
	}
	if a.accept("[") {
		sum := a.x86Term()
		for a.is("+") || a.is("-") {
			op := litmus.Add
			if a.next().text == "-" {
				op = litmus.Sub
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
		return x86Arg{imm: a.variable(at, a.ident("a variable"))}
	}
	n := a.imm()
	if !dollar && a.is("+") && a.peek().text == "(" { // 8+%0 where %0 is in memory
		a.next()
	}
	if a.is("(") && !dollar {
		return x86Arg{addr: a.x86Base(num(n))}
	}
	if a.p.form.inline && !dollar && !a.intelOrder() {
		a.fail(a.at, "an absolute address: a number begins with $")
	}
	return x86Arg{imm: num(n)}
}

// x86Term reads a register, a variable or a number inside brackets.
func (a *asm) x86Term() litmus.Expr {
	if a.tok.kind == 'i' || a.is("%") {
		x := a.x86Arg()
		if x.reg == "" {
			return x.addr
		}
		if r := un(litmus.Trunc, x.width, x.reg); a.accept("*") {
			return bin(litmus.Mul, 64, r, num(a.imm()))
		} else {
			return r
		}
	}
	return num(a.imm())
}

// x86Base reads (base,index,scale) for an offset.
func (a *asm) x86Base(off litmus.Expr) litmus.Expr {
	a.expect("(")
	addr := off
	if !a.is(",") {
		if v := a.x86Term(); off == num(0) {
			addr = v
		} else {
			addr = bin(litmus.Add, 64, v, off)
		}
	}
	if a.accept(",") {
		index := a.x86Term()
		scale := int64(1)
		if a.accept(",") {
			scale = a.imm()
		}
		addr = bin(litmus.Add, 64, addr, bin(litmus.Mul, 64, index, num(scale)))
	}
	a.expect(")")
	return addr
}

// val is the value of a register or an immediate, of so many bits.
func (x x86Arg) val(width int) litmus.Expr {
	if x.imm != nil {
		return un(litmus.Trunc, width, x.imm)
	}
	return un(litmus.Trunc, width, x.reg)
}

// x86Set writes a register: one of 32 bits clears the upper half, smaller ones keep the rest.
func (a *asm) x86Set(r litmus.Reg, width int, x litmus.Expr) {
	if width < 32 {
		m := int64(1)<<width - 1
		x = bin(litmus.Or, 64, bin(litmus.And, 64, r, num(^m)), un(litmus.Trunc, width, x))
	}
	a.set(r, x)
}

// x86Read reads an operand, from memory if it is there; load is -1 if not.
func (a *asm) x86Read(x x86Arg, width int, sets ...string) (litmus.Expr, int) {
	if x.addr == nil {
		return x.val(width), -1
	}
	t, n := a.load(x.addr, width/8, sets...)
	return t, n
}

func (a *asm) x86Write(d x86Arg, width, load int, v litmus.Expr, sets ...string) {
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
	x86Binary = map[string]litmus.BinaryOp{"ADD": litmus.Add, "SUB": litmus.Sub, "AND": litmus.And, "OR": litmus.Or, "XOR": litmus.Xor, "IMUL": litmus.Mul, "CMP": litmus.Sub, "TEST": litmus.And}
	x86Sizes  = map[string]int{"BYTE": 8, "WORD": 16, "DWORD": 32, "QWORD": 64, "XMMWORD": 128}
	x86Other  = map[string]int{
		"ADC": 2, "SBB": 2, "SHL": 2, "SAL": 2, "SHR": 2, "SAR": 2, "BT": 2, "BTS": 2, "BTR": 2, "BTC": 2, "BSR": 2, "BSF": 2, "LZCNT": 2, "TZCNT": 2, "POPCNT": 2, "BSWAP": 1, "ROL": 2, "ROR": 2,
		"CMPXCHG8B": 1, "CMPXCHG16B": 1,
		"MOV": 2, "XCHG": 2, "UXCH": 2, "XADD": 2, "CMPXCHG": 2, "INC": 1, "DEC": 1, "NEG": 1, "NOT": 1, "LEA": 2, "NOP": 0, "MOVNTI": 2, "MOVABS": 2,
	}
)

// x86Cond returns a condition over the flags.
func x86Cond(name string) (litmus.Expr, bool) {
	z, s, c, o := litmus.Reg("ZF"), litmus.Reg("SF"), litmus.Reg("CF"), litmus.Reg("OF")
	less := bin(litmus.Ne, 64, s, o)
	conds := map[string]litmus.Expr{
		"E": z, "Z": z, "NE": lnot(z), "NZ": lnot(z), "S": s, "NS": lnot(s), "C": c, "B": c, "NC": lnot(c), "AE": lnot(c), "NB": lnot(c), "NAE": c,
		"A": bin(litmus.And, 64, lnot(c), lnot(z)), "NBE": bin(litmus.And, 64, lnot(c), lnot(z)), "BE": bin(litmus.Or, 64, c, z), "NA": bin(litmus.Or, 64, c, z), "L": less, "GE": lnot(less),
		"G": bin(litmus.And, 64, lnot(z), lnot(less)), "NLE": bin(litmus.And, 64, lnot(z), lnot(less)), "GT": bin(litmus.And, 64, lnot(z), lnot(less)), "LT": less, "NL": lnot(less), "NGE": less, "LE": bin(litmus.Or, 64, z, less), "NG": bin(litmus.Or, 64, z, less), "O": o, "NO": lnot(o),
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
	if a.name == "REP" && strings.EqualFold(a.tok.text, "nop") {
		a.next()
		a.name = "PAUSE"
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
	case "RDTSC", "RDTSCP", "CPUID", "RDPMC":
		names := map[string]string{"RDTSC": "RAX RDX", "RDPMC": "RAX RDX", "RDTSCP": "RAX RDX RCX", "CPUID": "RAX RBX RCX RDX"}
		for r := range strings.FieldsSeq(names[a.name]) {
			a.unknownValue(litmus.Reg(r), 32, featSysReg)
		}
		return
	case "RDRAND", "RDSEED":
		d := a.x86Arg()
		if d.reg == "" {
			a.fail(a.at, "%s writes a register", a.name)
		}
		a.unknownValue(d.reg, max(d.width, 32), featSysReg)
		a.unknownValue("CF", 8, featSysReg)
		a.set("CF", bin(litmus.And, 64, litmus.Reg("CF"), num(1)))
		return
	case "UD2", "SYSCALL", "HLT", "INT":
		a.refuse(a.at, featFault, a.name)
	case "CLFLUSH", "CLFLUSHOPT", "CLWB":
		a.refuse(a.at, featCache, a.name)
	case "CLTQ", "CDQE":
		rax, _ := a.p.dia.reg("RAX")
		a.set(rax, un(litmus.SExt, 32, rax))
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
	if !a.intelOrder() && len(args) == 2 {
		args[0], args[1] = args[1], args[0]
	}
	for _, x := range args {
		if width == 0 && x.imm == nil {
			width = x.width
		}
	}
	if width == 0 && a.p.form.inline && !strings.HasSuffix(name, "8B") && !strings.HasSuffix(name, "16B") && name != "NOP" {
		a.fail(a.at, "%s of how many bytes? add b, w, l or q", a.name)
	}
	if width == 0 {
		width = 32
	}
	a.x86Do(name, width, lock, args)
}

// x86Extend reads MOVZ and MOVS with two sizes, such as MOVZBL: from a smaller operand, without or with its sign. MOVZB takes the
// size of the register.
func (a *asm) x86Extend() bool {
	op := map[string]litmus.UnaryOp{"MOVZ": litmus.Trunc, "MOVS": litmus.SExt}
	size := map[byte]int{'B': 8, 'W': 16, 'L': 32, 'Q': 64}
	if len(a.name) < 5 || len(a.name) > 6 || size[a.name[4]] == 0 && a.name[4] != 'X' {
		return false
	}
	if intel, ok := map[string]litmus.UnaryOp{"MOVZX": litmus.Trunc, "MOVSX": litmus.SExt, "MOVSXD": litmus.SExt}[a.name]; ok && a.intelOrder() {
		d := a.x86Arg()
		a.comma()
		s := a.x86Arg()
		if d.reg == "" || s.width == 0 || d.width <= s.width {
			a.fail(a.at, "%s does not extend", a.name)
		}
		v, _ := a.x86Read(s, s.width)
		a.x86Set(d.reg, d.width, un(litmus.Trunc, d.width, un(intel, s.width, v)))
		return true
	}
	ext, ok := op[a.name[:4]]
	if !ok || a.intelOrder() || size[a.name[4]] == 0 {
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
	a.x86Set(d.reg, width, un(litmus.Trunc, width, un(ext, size[a.name[4]], v)))
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
	if !a.intelOrder() {
		d, s = s, d
	}
	if d.reg == "" {
		a.fail(a.at, "CMOV writes a register")
	}
	v, _ := a.x86Read(s, d.width)
	a.x86Set(d.reg, d.width, sel(cond, v, un(litmus.Trunc, d.width, d.reg)))
}

func (a *asm) x86Flags(width int, op litmus.BinaryOp, x, y, r litmus.Expr) {
	top := num(int64(width - 1))
	zero, carry, over := bin(litmus.Eq, width, r, num(0)), num(0), num(0)
	switch op {
	case litmus.Sub:
		zero, carry = bin(litmus.Eq, width, x, y), bin(litmus.ULt, width, x, y)
		over = bin(litmus.LShr, width, bin(litmus.And, width, bin(litmus.Xor, width, x, y), bin(litmus.Xor, width, x, bin(litmus.Sub, width, x, y))), top)
	case litmus.Add:
		s := bin(litmus.Add, width, x, y)
		carry = bin(litmus.ULt, width, s, x)
		over = bin(litmus.LShr, width, bin(litmus.And, width, bin(litmus.Xor, width, x, s), bin(litmus.Xor, width, y, s)), top)
	}
	a.set("ZF", zero)
	a.set("SF", bin(litmus.SLt, width, r, num(0)))
	if op == litmus.Mul {
		if a.p.form.inline { // it need not fit
			a.unknownValue("CF", 8, "")
			a.unknownValue("OF", 8, "")
		}
		return
	}
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
	if _, shift := x86Shifts[name]; len(args) == 1 && shift {
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
		a.x86Set(d.reg, width, un(litmus.Trunc, width, args[1].addr))
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
		a.set(t, bin(litmus.Add, width, old, s.val(width)))
		x, y := old, s.val(width)
		a.x86Flags(width, litmus.Add, x, y, t)
		a.x86Write(d, width, n, t, sets...)
		a.x86Set(s.reg, width, old)
	case "CMPXCHG":
		old, n := a.x86Read(d, width, sets...)
		rax, _ := a.p.dia.reg("RAX")
		acc := un(litmus.Trunc, width, rax)
		ok := bin(litmus.Eq, width, old, acc)
		t := a.temp()
		a.set(t, ok)
		a.x86Flags(width, litmus.Sub, acc, old, bin(litmus.Sub, width, acc, old))
		if d.addr != nil {
			op := litmus.Op{Kind: litmus.Store, Addr: d.addr, X: args[1].val(width), If: t, Size: uint8(width / 8), Sets: sets}
			if len(sets) > 0 {
				op.Pair = n + 1
			}
			a.emit(op)
		} else {
			a.setIf(t, d.reg, args[1].val(width))
		}
		a.setIf(lnot(t), rax, old)
	case "INC", "DEC":
		op := map[string]litmus.BinaryOp{"INC": litmus.Add, "DEC": litmus.Sub}[name]
		limit := map[string]int64{"INC": -1 << (width - 1), "DEC": 1<<(width-1) - 1}[name] // the result that has overflowed
		a.x86Modify(d, width, sets, func(old litmus.Expr) litmus.Expr { return bin(op, width, old, num(1)) }, func(r litmus.Expr) {
			a.set("OF", bin(litmus.Eq, width, r, num(limit)))
		})
	case "NEG":
		a.x86Modify(d, width, sets, func(old litmus.Expr) litmus.Expr { return un(litmus.Neg, width, old) }, func(r litmus.Expr) {
			a.set("CF", bin(litmus.Ne, width, r, num(0)))
			a.set("OF", bin(litmus.Eq, width, r, num(-1<<(width-1))))
		})
	case "NOT":
		a.x86Modify(d, width, sets, func(old litmus.Expr) litmus.Expr { return un(litmus.Not, width, old) }, nil)
	case "ADC", "SBB":
		a.x86Carry(name, width, sets, d, args[1])
	case "BT", "BTS", "BTR", "BTC":
		a.x86Bit(name, width, sets, d, args[1])
	case "BSR", "BSF", "LZCNT", "TZCNT", "POPCNT", "BSWAP":
		a.x86Bits(name, width, d, args[n-1])
	case "SHL", "SAL", "SHR", "SAR", "ROL", "ROR":
		a.x86Shift(name, width, d, args[1])
	case "CMPXCHG8B", "CMPXCHG16B":
		a.x86Double(name, d, sets)
	default:
		a.x86Arith(name, width, sets, d, args[1])
	}
}

// x86Modify is a read, an operation and a write; flags sets those that ZF and SF are not, nil if there are none at all.
func (a *asm) x86Modify(d x86Arg, width int, sets []string, f func(litmus.Expr) litmus.Expr, flags func(litmus.Expr)) {
	old, n := a.x86Read(d, width, sets...)
	t := a.temp()
	a.set(t, f(old))
	if flags != nil {
		a.set("ZF", bin(litmus.Eq, width, t, num(0)))
		a.set("SF", bin(litmus.SLt, width, t, num(0)))
		flags(t)
	}
	a.x86Write(d, width, n, t, sets...)
}

// x86Carry reads ADC and SBB: with the carry of what came before.
func (a *asm) x86Carry(name string, w int, sets []string, d, s x86Arg) {
	op := map[string]litmus.BinaryOp{"ADC": litmus.Add, "SBB": litmus.Sub}[name]
	x, n := a.x86Read(d, w, sets...)
	y, _ := a.x86Read(s, w)
	t, top := a.temp(), num(int64(w-1))
	// memory + (y + CF): as a read-modify-write this adds one number
	a.set(t, bin(op, w, x, bin(litmus.Add, w, y, litmus.Reg("CF"))))
	carry := bin(litmus.Or, w, bin(litmus.And, w, x, y), bin(litmus.And, w, bin(litmus.Or, w, x, y), un(litmus.Not, w, t)))
	over := bin(litmus.And, w, bin(litmus.Xor, w, x, t), bin(litmus.Xor, w, y, t))
	if name == "SBB" {
		notX := un(litmus.Not, w, x)
		carry = bin(litmus.Or, w, bin(litmus.And, w, notX, y), bin(litmus.And, w, bin(litmus.Or, w, notX, y), t))
		over = bin(litmus.And, w, bin(litmus.Xor, w, x, y), bin(litmus.Xor, w, x, t))
	}
	a.set("ZF", bin(litmus.Eq, w, t, num(0)))
	a.set("SF", bin(litmus.SLt, w, t, num(0)))
	a.set("OF", bin(litmus.LShr, w, over, top))
	a.x86Write(d, w, n, t, sets...)
	a.set("CF", bin(litmus.LShr, w, carry, top))
}

// x86Bit reads BT and its kin: CF is a bit, which is then set, cleared or changed. A number in a register may be beyond the width: it counts the bits
// from the address of an operand in memory.
func (a *asm) x86Bit(name string, w int, sets []string, d, s x86Arg) {
	if s.addr != nil {
		a.fail(a.at, "the number of the bit is in memory")
	}
	bit := a.temp()
	a.set(bit, bin(litmus.And, w, s.val(w), num(int64(w-1))))
	if d.addr != nil && s.reg != "" {
		words := bin(litmus.AShr, 64, un(litmus.SExt, w, s.val(w)), num(int64(bits.TrailingZeros(uint(w)))))
		d.addr = bin(litmus.Add, 64, d.addr, bin(litmus.Mul, 64, words, num(int64(w/8))))
	}
	op, with := litmus.Or, bin(litmus.Shl, w, num(1), bit)
	switch name {
	case "BTR":
		op, with = litmus.And, un(litmus.Not, w, with)
	case "BTC":
		op = litmus.Xor
	}
	old, n := a.x86Read(d, w, sets...)
	a.set("CF", bin(litmus.And, w, bin(litmus.LShr, w, old, bit), num(1)))
	if name != "BT" {
		a.x86Write(d, w, n, bin(op, w, old, with), sets...)
	}
}

// x86Bits reads instructions that find and count bits.
func (a *asm) x86Bits(name string, w int, d, s x86Arg) {
	if d.reg == "" {
		a.fail(a.at, "%s writes a register", name)
	}
	v, _ := a.x86Read(s, w)
	x := a.temp()
	a.set(x, v)
	none := bin(litmus.Eq, w, x, num(0))
	below := bin(litmus.And, w, un(litmus.Not, w, x), bin(litmus.Sub, w, x, num(1))) // the zeros under the lowest one
	switch name {
	case "BSWAP":
		a.x86Set(d.reg, w, a.bits("REV", w, x))
		return
	case "BSR", "BSF": // of 0 the result is what it was
		r := a.countOnes(w, below)
		if name == "BSR" {
			r = bin(litmus.Sub, w, num(int64(w-1)), a.bits("CLZ", w, x))
		}
		a.x86Set(d.reg, w, sel(none, un(litmus.Trunc, w, d.reg), r))
		a.set("ZF", none)
		return
	case "POPCNT":
		a.x86Set(d.reg, w, a.countOnes(w, x))
		a.set("CF", num(0))
		a.set("ZF", none)
		return
	}
	r := a.temp()
	if name == "LZCNT" {
		a.set(r, a.bits("CLZ", w, x))
	} else {
		a.set(r, a.countOnes(w, below))
	}
	a.x86Set(d.reg, w, r)
	a.set("CF", none)
	a.set("ZF", bin(litmus.Eq, w, r, num(0)))
}

var x86Shifts = map[string]litmus.BinaryOp{"SHL": litmus.Shl, "SAL": litmus.Shl, "SHR": litmus.LShr, "SAR": litmus.AShr, "ROL": litmus.Ror, "ROR": litmus.Ror}

// x86Shift reads shifts and rotations, by a number modulo 64 or 32. A shift by 0 leaves the flags alone.
func (a *asm) x86Shift(name string, w int, d, s x86Arg) {
	old, n := a.x86Read(d, w)
	y, _ := a.x86Read(s, 8)
	x, by, t := a.temp(), a.temp(), a.temp()
	var carry litmus.Expr
	a.set(x, old)
	a.set(by, bin(litmus.And, 64, y, num(int64(max(w, 32)-1))))
	op := x86Shifts[name]
	switch {
	case name == "ROL":
		a.set(t, bin(litmus.Ror, w, x, un(litmus.Neg, 64, by)))
		carry = bin(litmus.And, w, t, num(1))
	case op == litmus.Ror:
		a.set(t, bin(litmus.Ror, w, x, by))
		carry = bin(litmus.LShr, w, t, num(int64(w-1)))
	case op == litmus.Shl:
		a.set(t, un(litmus.Trunc, w, bin(litmus.Shl, 64, x, by)))
		carry = bin(litmus.LShr, 64, bin(litmus.Shl, 64, x, by), num(int64(w)))
		if w == 64 {
			carry = bin(litmus.LShr, 64, x, un(litmus.Neg, 64, by))
		}
	default:
		from := litmus.Expr(x)
		if op == litmus.AShr {
			from = un(litmus.SExt, w, x)
		}
		a.set(t, un(litmus.Trunc, w, bin(op, 64, from, by)))
		carry = bin(op, 64, from, bin(litmus.Sub, 64, by, num(1)))
	}
	set := func(flag litmus.Reg, x litmus.Expr) { a.set(flag, sel(by, x, flag)) }
	set("CF", bin(litmus.And, 64, carry, num(1)))
	over := bin(litmus.Xor, w, x, t) // what counts for a shift by 1
	if name == "SAR" {
		over = num(0)
	} else if name == "ROR" {
		over = bin(litmus.Xor, w, t, bin(litmus.Shl, w, t, num(1)))
	}
	set("OF", bin(litmus.LShr, w, over, num(int64(w-1))))
	if op != litmus.Ror {
		set("ZF", bin(litmus.Eq, w, t, num(0)))
		set("SF", bin(litmus.SLt, w, t, num(0)))
	}
	a.x86Write(d, w, n, t)
}

// x86Double reads CMPXCHG8B and CMPXCHG16B: as CMPXCHG of two registers each.
func (a *asm) x86Double(name string, d x86Arg, sets []string) {
	if d.addr == nil {
		a.fail(a.at, "%s needs an operand in memory", name)
	}
	var r [4]litmus.Reg
	for i, name := range []string{"RAX", "RDX", "RBX", "RCX"} {
		r[i], _ = a.p.dia.reg(name)
	}
	var lo, hi litmus.Expr
	ok := a.temp()
	store := func(load int, addr, x litmus.Expr, size int) {
		op := litmus.Op{Kind: litmus.Store, Addr: addr, X: x, If: ok, Size: uint8(size), Sets: sets}
		if len(sets) > 0 {
			op.Pair = load + 1
		}
		a.emit(op)
	}
	if name == "CMPXCHG8B" {
		both := func(lo, hi litmus.Reg) litmus.Expr {
			return bin(litmus.Or, 64, un(litmus.Trunc, 32, lo), bin(litmus.Shl, 64, hi, num(32)))
		}
		t, n := a.load(d.addr, 8, sets...)
		a.set(ok, bin(litmus.Eq, 64, t, both(r[0], r[1])))
		store(n, d.addr, both(r[2], r[3]), 8)
		lo, hi = un(litmus.Trunc, 32, t), bin(litmus.LShr, 64, t, num(32))
	} else {
		addr := bin(litmus.Add, 64, d.addr, num(8))
		t0, n0 := a.load(d.addr, 8, sets...)
		t1, n1 := a.load(addr, 8, sets...)
		a.set(ok, bin(litmus.And, 64, bin(litmus.Eq, 64, t0, r[0]), bin(litmus.Eq, 64, t1, r[1])))
		store(n0, d.addr, r[2], 8)
		store(n1, addr, r[3], 8)
		lo, hi = t0, t1
	}
	a.setIf(lnot(ok), r[0], lo)
	a.setIf(lnot(ok), r[1], hi)
	a.set("ZF", ok)
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
