package litmus

import (
	"fmt"
	"strings"

	"ravel/internal/litmus"
)

// A Statement is a statement of inline assembly with its operands put in, and where it is in the template.
type Statement struct {
	Text      string
	Line, Col int // from 1
}

// asmForm says how instructions are written, where the dialect alone does not.
type asmForm struct {
	inline bool // they are inline assembly of a program: variables are operands, there is no initial state
	intel  bool // x86: the destination comes first
}

// Inline reads the statements of inline assembly as the code of one thread: the instructions and their operations are those of litmus tests. X86_64 is
// in AT&T's order of operands, unless intel. A branch to one of the labels in gotos has To = len(Ops)+1+i, for label number i. The error is an *Error, whose
// Line and Col are those of the statement.
func Inline(arch litmus.Arch, intel bool, stmts []Statement, gotos []string) (th *litmus.Thread, err error) {
	p := &parser{vars: map[string]*litmus.Var{}, test: &litmus.Test{Arch: arch}, dia: dialects[arch], form: asmForm{inline: true, intel: intel}}
	var at Statement
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *litmus.Error:
			r.Line, r.Col, r.Source = at.Line, at.Col, at.Text
			th, err = nil, r
		default:
			panic(r)
		}
	}()
	p.source = newSource("", "")
	b := newBuilder(p, 0)
	var offs []int
	for _, at = range stmts {
		p.source = newSource("", at.Text)
		p.cell(span{0, len(at.Text)}, b, &offs, p.dia.ins)
		if n := len(b.th.Instrs); n > len(b.froms) {
			b.froms = append(b.froms, at)
		}
	}
	b.finish(func(int) int { return 0 })
	for i := range b.th.Ops {
		op := &b.th.Ops[i]
		if op.Label == "" || op.To >= 0 {
			continue
		}
		for k, name := range gotos {
			if op.Label == name {
				op.To = len(b.th.Ops) + 1 + k
			}
		}
		if op.To < 0 {
			at = b.froms[op.Ins]
			p.fail(0, "there is no label %q in this template", op.Label)
		}
	}
	return b.th, nil
}

// Condition returns the expression for the condition of a flag output, such as "z" of =@ccz.
func Condition(arch litmus.Arch, name string) (litmus.Expr, bool) {
	switch arch {
	case litmus.X86_64:
		return x86Cond(strings.ToUpper(name))
	case litmus.AArch64, litmus.ARM:
		return armCond(name)
	}
	return nil, false
}

// Register returns the register with a name, and how many bits the name stands for.
func Register(arch litmus.Arch, name string) (r litmus.Reg, bits int, ok bool) {
	switch arch {
	case litmus.X86_64:
		n, ok := x86Names[strings.ToUpper(name)]
		return litmus.Reg(n.reg), n.width, ok
	case litmus.AArch64:
		n, ok := aarch64Operand(name)
		return n.reg, n.bits, ok
	}
	r, ok = dialects[arch].reg(name)
	bits = 64
	if arch == litmus.ARM {
		bits = 32
	}
	return r, bits, ok
}

// unknownValue sets a register to whatever the machine has there: a clock, what the processor is. Litmus tests have no such values.
func (a *asm) unknownValue(d litmus.Reg, width int, feature string) {
	if !a.p.form.inline {
		a.refuse(a.at, feature, a.name)
	}
	if d == "" {
		return
	}
	a.emit(litmus.Op{Kind: litmus.Any, Dst: d, Size: uint8(width / 8)})
}

// variable is the address of a variable that an instruction names.
func (a *asm) variable(off int, name string) litmus.Value {
	if a.p.form.inline {
		a.fail(off, "the template names %q: make it an operand", name)
	}
	return a.p.addr(off, name)
}

// hint skips the operands of an instruction that does nothing here.
func (a *asm) hint() {
	for a.tok.kind != 0 {
		a.next()
	}
}

// virtual is how many registers X86_64 has in addition, for the operands of inline assembly: R16 and so on, as APX names them.
const virtual = 40

func init() {
	for i := range virtual {
		l := fmt.Sprint("R", 16+i)
		x86Names[l+"B"], x86Names[l+"W"], x86Names[l+"D"], x86Names[l] = x86Name{l, 8}, x86Name{l, 16}, x86Name{l, 32}, x86Name{l, 64}
	}
}
