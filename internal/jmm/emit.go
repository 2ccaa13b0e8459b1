package jmm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ravel/internal/event"
	frontend "ravel/internal/frontend/litmus"
	"ravel/internal/justify"
	"ravel/internal/litmus"
)

// Emit returns the test as the scheme compiles it, in herd's format. It refuses what it can't write as Translate means it, such as variables of 8 bytes.
func Emit(test *litmus.Test, s *Scheme) (text string, err error) {
	code, err := Translate(test, s)
	if err != nil {
		return "", err
	}
	defer func() {
		if r := recover(); r != nil {
			refused, ok := r.(notWritten)
			if !ok {
				panic(r)
			}
			text, err = "", fmt.Errorf("%s: --emit does not write %s for %s", test.File, string(refused), s.Target)
		}
	}()
	e := &emitter{scheme: s, code: code, asm: assemblers[s.Target]}
	for _, th := range code.Threads {
		e.thread(th)
	}
	text = e.text(test)
	if _, err := frontend.Parse(test.Name+".litmus", []byte(text)); err != nil {
		return "", fmt.Errorf("%s: what was written can't be read: %w\n%s", test.File, err, text)
	}
	return text, nil
}

// A notWritten is what Emit refuses.
type notWritten string

// An assembler writes the instructions of a processor.
type assembler struct {
	regs    []string                                // in the order in which they are given to values
	bases   []string                                // those that addresses are in; nil if instructions have addresses
	name    func(r string) string                   // of a register in an instruction
	address func(r string) string                   // of one that has an address
	offset  func(at, base string, n int64) []string // at = base + n
	index   func(at, base, i string) []string       // at = base + 4i
	load    func(name, dst, at string) string       // name is that of the scheme
	store   func(name, at, val string) string       //
	konst   func(dst string, n int64) string        //
	move    func(dst, src string) string            //
	binop   map[litmus.BinaryOp]string              //
	op      func(name, dst, x, y string) []string   //
	jump    string                                  //
	cmp     func(x, y string, equal bool) []string  // ends with the branch, without its label
	// truth puts 1 into dst if x and y are equal, or are not, and 0 otherwise. It depends on both by data.
	truth func(dst, x, y string, equal bool, temp func() string) []string
	now   bool                                       // a store takes a constant
	xchg  func(suffix, dst, val, at string) []string // nil: a loop of exclusives, by the next two
	lock  func(mark event.Tag, dst, at string) string
	free  func(mark event.Tag, failed, val, at, again string) []string // it goes to again if it fails
	add   func(suffix, dst, val, at string) []string
	cas   func(suffix, dst, exp, val, at string, temp func() string) []string
}

var assemblers = map[string]*assembler{
	"x86": {
		regs: []string{"rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"},
		name: func(r string) string {
			if strings.ContainsAny(r, "0123456789") {
				return "%" + r + "d"
			}
			return "%e" + r[1:]
		},
		address: func(r string) string { return "%" + r },
		offset: func(at, base string, n int64) []string {
			return []string{fmt.Sprintf("movq %s,%s", base, at), fmt.Sprintf("addq $%d,%s", n, at)}
		},
		index: func(at, base, i string) []string {
			return []string{fmt.Sprintf("movslq %s,%s", i, at), fmt.Sprintf("shlq $2,%s", at), fmt.Sprintf("addq %s,%s", base, at)}
		},
		load:  func(_, dst, at string) string { return fmt.Sprintf("movl (%s),%s", at, dst) },
		store: func(_, at, val string) string { return fmt.Sprintf("movl %s,(%s)", val, at) },
		konst: func(dst string, n int64) string { return fmt.Sprintf("movl $%d,%s", n, dst) },
		move:  func(dst, src string) string { return fmt.Sprintf("movl %s,%s", src, dst) },
		binop: map[litmus.BinaryOp]string{litmus.Add: "addl", litmus.Sub: "subl", litmus.Xor: "xorl", litmus.And: "andl", litmus.Or: "orl", litmus.Mul: "imull"},
		op: func(name, dst, x, y string) []string {
			return []string{fmt.Sprintf("movl %s,%s", x, dst), fmt.Sprintf("%s %s,%s", name, y, dst)}
		},
		jump: "jmp",
		cmp: func(x, y string, equal bool) []string {
			return []string{fmt.Sprintf("cmpl %s,%s", y, x), map[bool]string{true: "je", false: "jne"}[equal]}
		},
		truth: func(dst, x, y string, equal bool, _ func() string) []string {
			return []string{fmt.Sprintf("cmpl %s,%s", y, x), "movl $0," + dst, map[bool]string{true: "sete ", false: "setne "}[equal] + byteOf(dst)}
		},
		now: true,
		xchg: func(_, dst, val, at string) []string {
			return []string{fmt.Sprintf("movl %s,%s", val, dst), fmt.Sprintf("xchgl %s,(%s)", dst, at)}
		},
		add: func(_, dst, val, at string) []string {
			return []string{fmt.Sprintf("movl %s,%s", val, dst), fmt.Sprintf("lock xaddl %s,(%s)", dst, at)}
		},
		cas: func(_, dst, exp, val, at string, temp func() string) []string {
			t := temp()
			return []string{fmt.Sprintf("movl %s,%s", val, t), fmt.Sprintf("movl %s,%%eax", exp), fmt.Sprintf("lock cmpxchgl %s,(%s)", t, at), fmt.Sprintf("movl %%eax,%s", dst)}
		},
	},
	"aarch64": {
		regs:    numbered("X", 8, 28),
		bases:   numbered("X", 0, 7),
		name:    func(r string) string { return "W" + r[1:] },
		address: func(r string) string { return r },
		offset:  func(at, base string, n int64) []string { return []string{fmt.Sprintf("ADD %s,%s,#%d", at, base, n)} },
		index: func(at, base, i string) []string {
			return []string{fmt.Sprintf("SXTW %s,%s", at, i), fmt.Sprintf("LSL %s,%s,#2", at, at), fmt.Sprintf("ADD %s,%s,%s", at, at, base)}
		},
		load:  func(name, dst, at string) string { return fmt.Sprintf("%s %s,[%s]", strings.ToUpper(name), dst, at) },
		store: func(name, at, val string) string { return fmt.Sprintf("%s %s,[%s]", strings.ToUpper(name), val, at) },
		konst: func(dst string, n int64) string { return fmt.Sprintf("MOV %s,#%d", dst, n) },
		move:  func(dst, src string) string { return fmt.Sprintf("MOV %s,%s", dst, src) },
		binop: map[litmus.BinaryOp]string{litmus.Add: "ADD", litmus.Sub: "SUB", litmus.Xor: "EOR", litmus.And: "AND", litmus.Or: "ORR", litmus.Mul: "MUL"},
		op:    threeOperands,
		jump:  "B",
		cmp: func(x, y string, equal bool) []string {
			return []string{fmt.Sprintf("CMP %s,%s", x, y), map[bool]string{true: "B.EQ", false: "B.NE"}[equal]}
		},
		truth: func(dst, x, y string, equal bool, _ func() string) []string {
			return []string{fmt.Sprintf("CMP %s,%s", x, y), fmt.Sprintf("CSET %s,%s", dst, map[bool]string{true: "EQ", false: "NE"}[equal])}
		},
		xchg: func(suffix, dst, val, at string) []string {
			return []string{fmt.Sprintf("SWP%s %s,%s,[%s]", suffix, val, dst, at)}
		},
		add: func(suffix, dst, val, at string) []string {
			return []string{fmt.Sprintf("LDADD%s %s,%s,[%s]", suffix, val, dst, at)}
		},
		cas: func(suffix, dst, exp, val, at string, _ func() string) []string {
			return []string{fmt.Sprintf("MOV %s,%s", dst, exp), fmt.Sprintf("CAS%s %s,%s,[%s]", suffix, dst, val, at)}
		},
	},
	"power": {
		regs:    numbered("r", 10, 31),
		bases:   numbered("r", 1, 9),
		name:    func(r string) string { return r },
		address: func(r string) string { return r },
		offset:  func(at, base string, n int64) []string { return []string{fmt.Sprintf("addi %s,%s,%d", at, base, n)} },
		index: func(at, base, i string) []string {
			return []string{fmt.Sprintf("extsw %s,%s", at, i), fmt.Sprintf("sldi %s,%s,2", at, at), fmt.Sprintf("add %s,%s,%s", at, at, base)}
		},
		load:  func(name, dst, at string) string { return fmt.Sprintf("%s %s,0(%s)", name, dst, at) },
		store: func(name, at, val string) string { return fmt.Sprintf("%s %s,0(%s)", name, val, at) },
		konst: func(dst string, n int64) string { return fmt.Sprintf("li %s,%d", dst, n) },
		move:  func(dst, src string) string { return fmt.Sprintf("mr %s,%s", dst, src) },
		binop: map[litmus.BinaryOp]string{litmus.Add: "add", litmus.Sub: "sub", litmus.Xor: "xor", litmus.And: "and", litmus.Or: "or", litmus.Mul: "mullw"},
		op:    threeOperands,
		jump:  "b",
		cmp: func(x, y string, equal bool) []string {
			return []string{fmt.Sprintf("cmpw %s,%s", x, y), map[bool]string{true: "beq", false: "bne"}[equal]}
		},
		truth: func(dst, x, y string, equal bool, temp func() string) []string { // the sign of d | -d is that d is not 0
			d, minus := temp(), temp()
			lines := []string{fmt.Sprintf("xor %s,%s,%s", d, x, y), fmt.Sprintf("neg %s,%s", minus, d), fmt.Sprintf("or %s,%s,%s", d, d, minus), fmt.Sprintf("srwi %s,%s,31", dst, d)}
			if equal {
				lines = append(lines, fmt.Sprintf("xori %s,%s,1", dst, dst))
			}
			return lines
		},
		lock: func(_ event.Tag, dst, at string) string { return fmt.Sprintf("lwarx %s,r0,%s", dst, at) },
		free: func(_ event.Tag, _, val, at, again string) []string {
			return []string{fmt.Sprintf("stwcx. %s,r0,%s", val, at), "bne " + again}
		},
	},
	"riscv": {
		regs:    numbered("x", 14, 31),
		bases:   numbered("x", 5, 13),
		name:    func(r string) string { return r },
		address: func(r string) string { return r },
		offset:  func(at, base string, n int64) []string { return []string{fmt.Sprintf("addi %s,%s,%d", at, base, n)} },
		index: func(at, base, i string) []string {
			return []string{fmt.Sprintf("slli %s,%s,2", at, i), fmt.Sprintf("add %s,%s,%s", at, at, base)}
		},
		load:  func(name, dst, at string) string { return fmt.Sprintf("%s %s,0(%s)", name, dst, at) },
		store: func(name, at, val string) string { return fmt.Sprintf("%s %s,0(%s)", name, val, at) },
		konst: func(dst string, n int64) string { return fmt.Sprintf("li %s,%d", dst, n) },
		move:  func(dst, src string) string { return fmt.Sprintf("mv %s,%s", dst, src) },
		binop: map[litmus.BinaryOp]string{litmus.Add: "addw", litmus.Sub: "subw", litmus.Xor: "xor", litmus.And: "and", litmus.Or: "or", litmus.Mul: "mulw"},
		op:    threeOperands,
		jump:  "j",
		cmp: func(x, y string, equal bool) []string {
			return []string{fmt.Sprintf("%s %s,%s,", map[bool]string{true: "beq", false: "bne"}[equal], x, y)}
		},
		truth: func(dst, x, y string, equal bool, temp func() string) []string {
			d := temp()
			return []string{fmt.Sprintf("xor %s,%s,%s", d, x, y), fmt.Sprintf("%s %s,%s", map[bool]string{true: "seqz", false: "snez"}[equal], dst, d)}
		},
		lock: func(mark event.Tag, dst, at string) string {
			return fmt.Sprintf("lr.w%s %s,0(%s)", rvMarks[mark], dst, at)
		},
		free: func(mark event.Tag, failed, val, at, again string) []string {
			return []string{fmt.Sprintf("sc.w%s %s,%s,0(%s)", rvMarks[mark], failed, val, at), fmt.Sprintf("bne %s,x0,%s", failed, again)}
		},
	},
}

// byteOf returns the lowest byte of a register of x86 with 4.
func byteOf(r string) string {
	switch {
	case strings.HasSuffix(r, "d"): // %r8d
		return strings.TrimSuffix(r, "d") + "b"
	case strings.HasSuffix(r, "x"): // %ebx
		return "%" + r[2:3] + "l"
	}
	return "%" + r[2:] + "l" // %esi
}

var rvMarks = map[event.Tag]string{event.AcquireA: ".aq", event.ReleaseL: ".rl", event.AqRl: ".aq.rl"}

func threeOperands(name, dst, x, y string) []string {
	return []string{fmt.Sprintf("%s %s,%s,%s", name, dst, x, y)}
}

func numbered(prefix string, from, to int) (names []string) {
	for i := from; i <= to; i++ {
		names = append(names, fmt.Sprint(prefix, i))
	}
	return names
}

// An emitter writes a compiled test.
type emitter struct {
	scheme *Scheme
	asm    *assembler
	code   *litmus.Test
	init   []string
	cols   [][]string
	regs   []map[litmus.Reg]string // by thread

	th    *litmus.Thread
	lines []string
	free  []string
	bases map[string]string // by variable
	alias map[litmus.Reg]litmus.Reg
	again string                     // the label of the exclusive load before
	truth map[litmus.Reg]litmus.Expr // comparisons that only branches look at
}

func (e *emitter) refuse(format string, args ...any) {
	panic(notWritten(fmt.Sprintf(format, args...)))
}

func (e *emitter) emit(lines ...string) { e.lines = append(e.lines, lines...) }

// fresh returns a register that was not used.
func (e *emitter) fresh() string {
	if len(e.free) == 0 {
		e.refuse("a thread with so many registers")
	}
	r := e.free[0]
	e.free = e.free[1:]
	return r
}

func (e *emitter) temp() string { return e.asm.name(e.fresh()) }

// reg returns the register of a register of the source, as instructions name it.
func (e *emitter) reg(r litmus.Reg) string {
	if a, ok := e.alias[r]; ok {
		r = a
	}
	regs := e.regs[len(e.regs)-1]
	if regs[r] == "" {
		regs[r] = e.fresh()
	}
	return e.asm.name(regs[r])
}

// place returns how instructions name the place at an address: a variable, or the register that has its address.
func (e *emitter) place(addr litmus.Expr) string {
	var index litmus.Expr
	if x, ok := addr.(*litmus.Binary); ok && x.Op == litmus.Add {
		addr, index = x.X, indexOf(x.Y)
	}
	v, ok := addr.(litmus.Value)
	if !ok || v.Kind != litmus.Addr || index != nil && v.Int != 0 {
		e.refuse("the address %s", addr)
	}
	x := e.code.Var(v.Sym)
	switch {
	case x == nil || x.Type.Size > 4:
		e.refuse("variables of more than 4 bytes")
	case !x.Array && e.asm.bases == nil:
		return v.Sym
	}
	base := e.base(v.Sym)
	if index == nil && v.Int == 0 {
		return base
	}
	at := e.asm.address(e.fresh())
	if index == nil {
		e.emit(e.asm.offset(at, base, int64(v.Int))...)
	} else {
		e.emit(e.asm.index(at, base, e.value(index, false))...)
	}
	return at
}

// indexOf returns the index of an element of 4 bytes whose offset is x, nil if it is none.
func indexOf(x litmus.Expr) litmus.Expr {
	if m, ok := x.(*litmus.Binary); ok && m.Op == litmus.Mul && m.Y == litmus.Expr(litmus.Number(4)) {
		if u, ok := m.X.(*litmus.Unary); ok && u.Op == litmus.SExt && u.Width == 32 {
			return u.X
		}
	}
	return nil
}

// base returns the register that has the address of a variable from the beginning.
func (e *emitter) base(name string) string {
	if e.bases[name] != "" {
		return e.bases[name]
	}
	r := ""
	switch {
	case e.asm.bases == nil:
		r = e.fresh()
	case len(e.bases) == len(e.asm.bases):
		e.refuse("a thread with so many variables")
	default:
		r = e.asm.bases[len(e.bases)]
	}
	e.init = append(e.init, fmt.Sprintf("%d:%s=%s;", e.th.ID, r, name))
	e.bases[name] = e.asm.address(r)
	return e.bases[name]
}

// value returns a register with the value of x; a constant as it is if that may be.
func (e *emitter) value(x litmus.Expr, constant bool) string {
	switch x := x.(type) {
	case litmus.Reg:
		return e.reg(x)
	case litmus.Value:
		if x.Kind != litmus.Int {
			e.refuse("the value %s", x)
		}
		n := int64(int32(uint32(x.Int)))
		if constant && e.asm.now {
			return fmt.Sprintf("$%d", n)
		}
		t := e.temp()
		e.emit(e.asm.konst(t, n))
		return t
	}
	t := e.temp()
	e.compute(t, x)
	return t
}

// compute puts the value of x into the register dst.
func (e *emitter) compute(dst string, x litmus.Expr) {
	switch x := x.(type) {
	case litmus.Reg:
		e.emit(e.asm.move(dst, e.reg(x)))
	case litmus.Value:
		if x.Kind != litmus.Int {
			e.refuse("the value %s", x)
		}
		e.emit(e.asm.konst(dst, int64(int32(uint32(x.Int)))))
	case *litmus.Binary:
		if x.Op == litmus.Eq || x.Op == litmus.Ne {
			e.emit(e.asm.truth(dst, e.value(x.X, false), e.value(x.Y, false), x.Op == litmus.Eq, e.temp)...)
			return
		}
		name := e.asm.binop[x.Op]
		if name == "" {
			e.refuse("the value %s", x)
		}
		a, b := e.value(x.X, false), e.value(x.Y, false)
		if dst == b && e.asm.now {
			e.refuse("the value %s", x)
		}
		e.emit(e.asm.op(name, dst, a, b)...)
	default:
		e.refuse("the value %s", x)
	}
}

// branch jumps to a label if x is true.
func (e *emitter) branch(x litmus.Expr, want bool, label string) {
	if r, ok := x.(litmus.Reg); ok && e.truth[r] != nil {
		x = e.truth[r]
	}
	switch y := x.(type) {
	case nil:
		e.emit(e.asm.jump + " " + label)
		return
	case *litmus.Unary:
		if y.Op == litmus.LNot {
			e.branch(y.X, !want, label)
			return
		}
	case *litmus.Binary:
		if y.Op != litmus.Eq && y.Op != litmus.Ne {
			break
		}
		if zero, ok := y.Y.(litmus.Value); ok && zero == litmus.Number(0) {
			if inner, ok := y.X.(*litmus.Binary); ok && (inner.Op == litmus.Eq || inner.Op == litmus.Ne) {
				e.branch(inner, want == (y.Op == litmus.Ne), label)
				return
			}
		}
		e.compare(y.X, y.Y, want == (y.Op == litmus.Eq), label)
		return
	case litmus.Reg, litmus.Value:
		e.compare(x, litmus.Number(0), !want, label)
		return
	}
	e.refuse("a branch on %s", x)
}

func (e *emitter) compare(x, y litmus.Expr, equal bool, label string) {
	lines := e.asm.cmp(e.value(x, false), e.value(y, true), equal)
	last := lines[len(lines)-1]
	if !strings.HasSuffix(last, ",") {
		last += " "
	}
	e.emit(append(lines[:len(lines)-1], last+label)...)
}

// thread writes a thread.
func (e *emitter) thread(th *litmus.Thread) {
	e.th, e.lines, e.free, e.bases, e.alias = th, nil, slices.Clone(e.asm.regs), map[string]string{}, map[litmus.Reg]litmus.Reg{}
	e.truth = map[litmus.Reg]litmus.Expr{}
	e.regs = append(e.regs, map[litmus.Reg]string{})
	labels := map[int]bool{}
	for i := range th.Ops {
		if op := &th.Ops[i]; op.Kind == litmus.Branch {
			labels[op.To] = true
		}
	}
	label := func(i int) string { return fmt.Sprintf("L%d%d", th.ID, i) }
	for i := 0; i < len(th.Ops); i++ {
		if labels[i] {
			e.emit(label(i) + ":")
		}
		op := &th.Ops[i]
		if op.Kind != litmus.Store && op.If != nil {
			e.refuse("%s", th.Instrs[op.Ins].Text)
		}
		switch op.Kind {
		case litmus.Set:
			if x, ok := op.X.(*litmus.Binary); ok && (x.Op == litmus.Eq || x.Op == litmus.Ne) && i > 0 && th.Ops[i-1].Excl {
				if e.isValue(op.Dst, i+1) {
					e.compute(e.reg(op.Dst), x)
				}
				e.truth[op.Dst] = x // of a compare-and-set
				continue
			}
			if e.reg(op.Dst) != e.valueOfCopy(op.X) {
				e.compute(e.reg(op.Dst), op.X)
			}
		case litmus.Branch:
			if op.To <= i {
				e.refuse("loops")
			}
			e.branch(op.X, true, label(op.To))
		case litmus.Fence:
			name := th.Instrs[op.Ins].Text
			if e.scheme.Target == "aarch64" {
				name = strings.ToUpper(name)
			}
			e.emit(name)
		case litmus.Load:
			if op.Excl {
				e.again = fmt.Sprintf("R%d%d", th.ID, i)
				e.emit(e.again+":", e.asm.lock(e.markOf(op.Sets), e.reg(op.Dst), e.place(op.Addr)))
				continue
			}
			if i+1 < len(th.Ops) {
				if next := &th.Ops[i+1]; next.Kind == litmus.Set && next.X == litmus.Expr(op.Dst) && !labels[i+1] {
					e.alias[op.Dst] = next.Dst
				}
			}
			if j := e.pair(i); j > 0 {
				e.update(i, j)
				i = j
				continue
			}
			e.emit(e.asm.load(e.scheme.Asm.Load[e.markOf(op.Sets)], e.reg(op.Dst), e.place(op.Addr)))
		case litmus.Store:
			val := e.value(op.X, true)
			if op.Excl {
				e.emit(e.asm.free(e.markOf(op.Sets), e.temp(), val, e.place(op.Addr), e.again)...)
				i++ // that it succeeds is assumed
				continue
			}
			e.emit(e.asm.store(e.scheme.Asm.Store[e.markOf(op.Sets)], e.place(op.Addr), val))
		default:
			e.refuse("%s", th.Instrs[op.Ins].Text)
		}
	}
	if labels[len(th.Ops)] {
		e.emit(label(len(th.Ops)) + ":")
	}
	e.cols = append(e.cols, e.lines)
}

// isValue reports whether an operation from i on uses r other than for a branch.
func (e *emitter) isValue(r litmus.Reg, i int) bool {
	uses := func(x litmus.Expr) bool { return x != nil && strings.Contains(x.String(), string(r)) }
	return slices.ContainsFunc(e.th.Ops[i:], func(op litmus.Op) bool { return op.Kind != litmus.Branch && (uses(op.X) || uses(op.Addr)) })
}

// valueOfCopy returns the register that x is, "" if it is none.
func (e *emitter) valueOfCopy(x litmus.Expr) string {
	if r, ok := x.(litmus.Reg); ok {
		return e.reg(r)
	}
	return ""
}

// markOf returns the mark of an access in these sets.
func (e *emitter) markOf(sets []string) event.Tag {
	for mark, set := range e.scheme.Marks {
		if slices.Contains(sets, set) {
			return mark
		}
	}
	return event.NoTag
}

// pair returns the store of the read-modify-write whose load is operation i, 0 if it is none.
func (e *emitter) pair(i int) int {
	for j := i + 1; j < len(e.th.Ops) && e.th.Ops[j].Ins == e.th.Ops[i].Ins; j++ {
		if e.th.Ops[j].Kind == litmus.Store && e.th.Ops[j].Pair == i {
			return j
		}
	}
	return 0
}

// update writes a read-modify-write, operations i to j, as one instruction, and whether it succeeded.
func (e *emitter) update(i, j int) {
	between := e.th.Ops[i+1 : j]
	cond := e.th.Ops[j].If
	for k := range between {
		if cond == litmus.Expr(between[k].Dst) {
			cond = between[k].X
		}
	}
	e.instruction(&e.th.Ops[i], &e.th.Ops[j], cond)
	for k := range between {
		e.compute(e.reg(between[k].Dst), between[k].X)
	}
}

// instruction writes a read-modify-write that stores if cond is true, or nil.
func (e *emitter) instruction(load, store *litmus.Op, cond litmus.Expr) {
	if e.asm.xchg == nil {
		e.refuse("%s", e.th.Instrs[load.Ins].Text)
	}
	dst, at := e.reg(load.Dst), e.place(load.Addr)
	name, _, _ := strings.Cut(e.th.Instrs[load.Ins].Text, " [")
	suffix := ""
	if e.scheme.Target == "aarch64" {
		for _, base := range slices.Sorted(maps.Values(e.scheme.Asm.Updates)) {
			if rest, ok := strings.CutPrefix(name, base); ok {
				suffix = strings.ToUpper(rest)
			}
		}
	}
	uses := func(x litmus.Expr) bool { return x != nil && strings.Contains(x.String(), string(load.Dst)) }
	switch x := store.X.(type) {
	case *litmus.Binary:
		if store.If == nil && x.Op == litmus.Add && x.X == litmus.Expr(load.Dst) && !uses(x.Y) {
			e.emit(e.asm.add(suffix, dst, e.value(x.Y, true), at)...)
			return
		}
	default:
		if store.If == nil && !uses(store.X) {
			e.emit(e.asm.xchg(suffix, dst, e.value(store.X, true), at)...)
			return
		}
		if c, ok := cond.(*litmus.Binary); ok && c.Op == litmus.Eq && c.X == litmus.Expr(load.Dst) && !uses(c.Y) && !uses(store.X) {
			e.emit(e.asm.cas(suffix, dst, e.value(c.Y, true), e.value(store.X, true), at, e.temp)...)
			return
		}
	}
	e.refuse("%s", e.th.Instrs[load.Ins].Text)
}

// text puts the test together.
func (e *emitter) text(test *litmus.Test) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n\"%s\"\n{\n", e.code.Arch, strings.ReplaceAll(test.Name+"+"+e.scheme.Name, " ", "-"), e.scheme.title)
	for _, v := range e.code.Vars {
		switch {
		case v.Array:
			var elems []string
			for _, x := range v.Init {
				elems = append(elems, x.String())
			}
			fmt.Fprintf(&b, "int %s[%d]={%s};\n", v.Name, len(elems), strings.Join(elems, ","))
		case len(v.Init) == 1 && v.Init[0].Kind == litmus.Int:
			fmt.Fprintf(&b, "%s=%s;\n", v.Name, v.Init[0])
		}
	}
	for _, line := range e.init {
		b.WriteString(line + "\n")
	}
	b.WriteString("}\n")
	writeColumns(&b, e.cols)
	var seen []string
	for _, l := range justify.Observed(test) {
		seen = append(seen, e.loc(l).String()+";")
	}
	fmt.Fprintf(&b, "locations [%s]\n%s\n", strings.Join(seen, " "), litmus.Cond{Quant: test.Cond.Quant, Prop: e.prop(test.Cond.Prop)})
	return b.String()
}

// writeColumns writes the threads of a test side by side.
func writeColumns(b *strings.Builder, cols [][]string) {
	width, rows := make([]int, len(cols)), 0
	for i, col := range cols {
		width[i] = len(fmt.Sprint("P", i))
		for _, line := range col {
			width[i] = max(width[i], len(line))
		}
		rows = max(rows, len(col))
	}
	row := func(cell func(i int) string) {
		for i := range cols {
			fmt.Fprintf(b, " %-*s %s", width[i], cell(i), map[bool]string{true: ";\n", false: "|"}[i == len(cols)-1])
		}
	}
	row(func(i int) string { return fmt.Sprint("P", i) })
	for r := range rows {
		row(func(i int) string {
			if r < len(cols[i]) {
				return cols[i][r]
			}
			return ""
		})
	}
}

// loc is a location of the source in the compiled test.
func (e *emitter) loc(l litmus.Loc) litmus.Loc {
	if !l.IsReg() {
		return l
	}
	for i, th := range e.code.Threads {
		if th.ID == l.Thread {
			if r := e.regs[i][l.Reg]; r != "" {
				l.Reg = litmus.Reg(r)
				return l
			}
		}
	}
	e.refuse("%s, which is not set", l)
	return l
}

func (e *emitter) prop(p *litmus.Prop) *litmus.Prop {
	q := *p
	q.Args = nil
	for _, a := range p.Args {
		q.Args = append(q.Args, e.prop(a))
	}
	if p.Atom != nil {
		a := *p.Atom
		a.Loc = e.loc(a.Loc)
		if a.Other != nil {
			o := e.loc(*a.Other)
			a.Other = &o
		}
		q.Atom = &a
	}
	return &q
}
