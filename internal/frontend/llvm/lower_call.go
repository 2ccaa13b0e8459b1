package llvm

import (
	"strings"

	"ravel/internal/ir"
)

func (l *lowerer) lowerCall(in *inst) {
	callee := in.args[0]
	for callee.kind == vConst && callee.c.kind == cExpr && callee.c.expr.noop {
		callee = callee.c.expr.args[0]
	}
	args := in.args[1:]
	if callee.kind == vConst {
		switch c := callee.c; c.kind {
		case cAsm:
			l.lowerAsm(in, c, args)
			return
		case cGlobal:
			if s := l.lk.target(c.sym); s.isIntrinsic() {
				l.intrinsic(in, s.name, args)
				return
			}
			if f := l.lk.funcOf(c.sym); f != nil {
				l.call(in, f, ir.Imm(0), args)
				return
			}
		}
	}
	l.call(in, nil, l.operand(callee, 0), args)
}

// call emits a call of f, or of the address fn where f is nil. A call whose arguments do not fit the
// definition of f goes through its address, so that the machine judges it.
func (l *lowerer) call(in *inst, f *ir.Func, fn ir.Operand, args []value) {
	c := newInstr(ir.Call)
	c.Callee, c.A = f, fn
	for _, a := range args {
		for w := range l.lay.words(a.typ) {
			c.Args = append(c.Args, l.operand(a, w))
		}
	}
	if in.elem.variadic || f != nil && f.Variadic {
		for _, a := range args {
			c.ArgTypes = l.argTypes(c.ArgTypes, a.typ)
		}
	}
	for w := range l.lay.words(in.typ) {
		c.Results = append(c.Results, l.dst+ir.Reg(w))
	}
	if f != nil && f.Runtime && strings.HasPrefix(f.Name, "rust.") && len(c.Args) > len(f.Params) {
		c.Args = c.Args[:len(f.Params)] // rust.panic stands for functions of all types
	}
	if f != nil && !l.fits(f, &c) {
		c.Callee, c.A = nil, ir.Imm(uint64(f.Addr))
	}
	l.emit(c)
}

// fits reports whether a call passes and expects what f has. Declared functions take anything.
func (l *lowerer) fits(f *ir.Func, c *ir.Instr) bool {
	if l.lk.declared[f] {
		return true
	}
	n := len(c.Args)
	return (n == len(f.Params) || n > len(f.Params) && f.Variadic) && (len(c.Results) == 0 || len(c.Results) == f.Results)
}

// argTypes appends what printf has to know of an argument of type t.
func (l *lowerer) argTypes(out []ir.ArgType, t *Type) []ir.ArgType {
	for _, f := range l.lay.leaves(t) {
		s := f.typ.scalar()
		for range f.typ.lanes() {
			switch {
			case s.kind == kPtr:
				out = append(out, ir.ArgPtr)
			case s.kind == kDouble || s.kind == kFloat:
				out = append(out, ir.ArgFloat)
			case l.lay.words(s) > 1:
				out = append(out, ir.ArgWide)
				for range l.lay.words(s) - 1 {
					out = append(out, ir.ArgInt)
				}
			default:
				out = append(out, ir.ArgInt)
			}
		}
	}
	return out
}
