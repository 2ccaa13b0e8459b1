package ir

import (
	"fmt"
	"strings"

	"ravel/internal/event"
)

// String returns the program as text: its variables, then its functions. Functions of the library that it is linked with come last.
func (p *Program) String() string {
	var b strings.Builder
	for _, g := range p.Globals {
		fmt.Fprintf(&b, "global %s %d bytes, align %d", g.Name, g.Size, g.Align)
		for _, w := range []struct {
			is   bool
			word string
		}{{g.Const, "const"}, {g.TLS, "thread-local"}, {g.Decl, "declared only"}} {
			if w.is {
				b.WriteString(", " + w.word)
			}
		}
		if !g.Decl {
			fmt.Fprintf(&b, " = %x", g.Init)
		}
		b.WriteString("\n")
	}
	for _, library := range []bool{false, true} {
		for _, f := range p.Funcs {
			if f.Runtime == library {
				b.WriteString("\n" + f.String())
			}
		}
	}
	return b.String()
}

// String returns the function as text, one instruction a line.
func (f *Func) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(", f.Name)
	for i, r := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "r%d", r)
	}
	if f.Variadic {
		b.WriteString(" ...")
	}
	b.WriteString(")")
	if f.Results > 0 {
		fmt.Fprintf(&b, " %d", f.Results)
	}
	if f.Blocks == nil {
		b.WriteString("\n")
		return b.String()
	}
	b.WriteString(" {\n")
	for i, bl := range f.Blocks {
		fmt.Fprintf(&b, "%d: ; %s\n", i, bl.Name)
		for j := range bl.Instrs {
			fmt.Fprintf(&b, "\t%s\n", bl.Instrs[j].String())
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func (o Operand) String() string {
	if !o.IsConst() {
		return fmt.Sprintf("r%d", o.Reg)
	}
	if o.Imm >= 1<<20 {
		return fmt.Sprintf("%#x", o.Imm)
	}
	return fmt.Sprint(o.Imm)
}

var predNames = [...]string{
	"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge",
	"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true",
}

func (p Pred) String() string { return predNames[p] }

// String returns the instruction as text: results = op.width operands.
func (in *Instr) String() string {
	var b strings.Builder
	if rs := in.results(); len(rs) > 0 {
		b.WriteString(strings.Join(rs, ", ") + " = ")
	}
	b.WriteString(in.Op.String())
	switch in.Op {
	case Cmp, FCmp:
		fmt.Fprintf(&b, ".%s.%d", in.Pred, in.Width)
	case RMW:
		fmt.Fprintf(&b, ".%s.%d.%s", in.RMW, in.Size, in.Mode)
	case CmpXchg:
		if in.RMW == event.AddUnless {
			fmt.Fprintf(&b, ".%s", in.RMW)
		}
		fmt.Fprintf(&b, ".%d.%s.%s", in.Size, in.Mode, in.Fail)
	case Load, Store:
		fmt.Fprintf(&b, ".%d.%s", in.Size, in.Mode)
	case Fence:
		fmt.Fprintf(&b, ".%s", in.Mode)
	default:
		if in.Width != 0 && in.To != 0 {
			fmt.Fprintf(&b, ".%d.%d", in.Width, in.To)
		} else if in.Width != 0 && in.Op != Copy {
			fmt.Fprintf(&b, ".%d", in.Width)
		}
	}
	if in.Tag != event.NoTag {
		fmt.Fprintf(&b, ".%s", in.Tag)
	}
	if in.Weak {
		b.WriteString(".weak")
	}
	if in.Picks {
		b.WriteString(".picks")
	}
	if in.Volatile {
		b.WriteString(".volatile")
	}
	if s := in.operands(); s != "" {
		b.WriteString(" " + s)
	}
	return b.String()
}

func (in *Instr) results() []string {
	var out []string
	for _, r := range append([]Reg{in.Dst, in.Dst2}, in.Results...) {
		if r != NoReg {
			out = append(out, fmt.Sprintf("r%d", r))
		}
	}
	return out
}

func (in *Instr) operands() string {
	switch in.Op {
	case Gep:
		s := in.A.String()
		if in.Scale != 0 {
			s += fmt.Sprintf(" + %s*%d", in.B, in.Scale)
		}
		if in.Off != 0 {
			s += fmt.Sprintf(" + %d", in.Off)
		}
		return s
	case TLSAddr:
		return in.Global.Name
	case Alloca:
		return fmt.Sprintf("%s align %d", in.A, in.Align)
	case Call:
		callee := "*" + in.A.String()
		if in.Callee != nil {
			callee = in.Callee.Name
		}
		return callee + "(" + operandList(in.Args) + ")"
	case Ret:
		return operandList(in.Args)
	case Br:
		return fmt.Sprintf("→%d", in.Targets[0])
	case CondBr:
		return fmt.Sprintf("%s →%d →%d", in.A, in.Targets[0], in.Targets[1])
	case Switch:
		s := in.A.String()
		for i, c := range in.Cases {
			s += fmt.Sprintf(" %d→%d", c, in.Targets[i])
		}
		return s + fmt.Sprintf(" →%d", in.Targets[len(in.Cases)])
	case Fence, Unreachable:
		return ""
	case Unsupported:
		return fmt.Sprintf("%q", in.Message)
	}
	return operandList([]Operand{in.A, in.B, in.C}[:in.Op.Operands()])
}

func operandList(ops []Operand) string {
	var s []string
	for _, o := range ops {
		s = append(s, o.String())
	}
	return strings.Join(s, ", ")
}
