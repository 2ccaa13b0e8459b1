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
			s := l.lk.target(c.sym)
			if s.isIntrinsic() {
				l.intrinsic(in, s.name, args)
				return
			}
			if buf, ok := l.setjmpOf(in); ok {
				l.lowerSetjmp(buf)
				return
			}
			if s.decl && lowered[s.name] {
				l.lowerUnwinding(s.name, args)
				return
			}
			if f := l.lk.funcOf(c.sym); f != nil {
				if printed, ok := l.printsOnly(in, s, args); ok {
					f, args = l.lk.printer(), printed
				}
				l.call(in, f, ir.Imm(0), args)
				l.countBackOff(c.sym.name)
				if !l.mayUnwind(c.sym) {
					l.exception = ir.NoReg
				}
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
	fixed := l.fixedArgs(in, f, args)
	passed := args
	if f != nil && fixed < len(args) {
		passed = args[:fixed]
	}
	for _, a := range passed {
		for w := range l.lay.words(a.typ) {
			c.Args = append(c.Args, l.operand(a, w))
		}
	}
	if in.elem.variadic || f != nil && f.Variadic {
		for _, a := range passed {
			c.ArgTypes = l.argTypes(c.ArgTypes, a.typ)
		}
	}
	c.Sig = l.signature(in, f, args[:min(fixed, len(args))], fixed < len(args))
	if ir.IsVariadic(c.Sig) {
		c.Args = append(c.Args, l.varargs(in, args, fixed))
		c.ArgTypes = append(c.ArgTypes, ir.ArgPtr)
	}
	if l.lk.unwinds && (f == nil || f.Unwinds && !l.lk.declared[f]) {
		l.exception = l.temp(1)
		c.Results = append(c.Results, l.exception)
	}
	for w := range l.lay.words(in.typ) {
		c.Results = append(c.Results, l.dst+ir.Reg(w))
	}
	if l.exception != ir.NoReg && f != nil && len(c.Results) == 1 {
		for range f.Results - 1 {
			c.Results = append(c.Results, l.temp(1))
		}
	}
	if f != nil && f.Runtime && strings.HasPrefix(f.Name, "rust.") && len(c.Args) > len(f.Params) {
		c.Args = c.Args[:len(f.Params)] // rust.panic stands for functions of all types
	}
	var none []ir.Reg
	if f != nil && f.Runtime && !l.lk.declared[f] && len(c.Results) > f.Results {
		none = c.Results[f.Results:] // declared with a result that the library's function does not have
		c.Results = c.Results[:f.Results]
	}
	if f != nil && !l.fits(f, &c) {
		c.Callee, c.A = nil, ir.Imm(uint64(f.Addr))
	}
	l.emit(c)
	for _, r := range none {
		l.copy(r, ir.Imm(0))
	}
}

// fits reports whether a call passes and expects what f has. Declared functions take anything.
func (l *lowerer) fits(f *ir.Func, c *ir.Instr) bool {
	if l.lk.declared[f] {
		return true
	}
	n := len(c.Args)
	return (n == len(f.Params) || n > len(f.Params) && f.Variadic) && (len(c.Results) == 0 || len(c.Results) == f.Results)
}

// takesVarargs reports whether f is defined, and takes the address of further arguments.
func (l *lowerer) takesVarargs(f *ir.Func) bool { return f != nil && f.Variadic && !l.lk.declared[f] }

// fixedArgs returns how many of the arguments of a call are passed as such. The others go through memory: all that a
// function which is defined, or any that a pointer may point to, gets from va_arg.
func (l *lowerer) fixedArgs(in *inst, f *ir.Func, args []value) int {
	switch {
	case l.takesVarargs(f):
		n := 0
		for words := 0; n < len(args) && words < len(f.Params)-1; n++ {
			words += l.lay.words(args[n].typ)
		}
		return n
	case f == nil && in.elem.variadic:
		return len(in.elem.fields)
	}
	return len(args)
}

// signature returns what a call expects of the function; more says whether there are arguments for va_arg. C's calls without a
// prototype look like those of a function with variable arguments that has none: they expect nothing.
func (l *lowerer) signature(in *inst, f *ir.Func, fixed []value, more bool) string {
	if l.mod.runtime && l.takesVarargs(f) {
		return l.lay.signature(nil, true)
	}
	if l.mod.runtime || in.elem.variadic && !more && !l.takesVarargs(f) {
		return ""
	}
	var types []*Type
	for _, a := range fixed {
		types = append(types, a.typ)
	}
	return l.lay.signature(types, more || l.takesVarargs(f))
}

// signature returns the signature of a function with parameters of these types.
func (l *layout) signature(params []*Type, variadic bool) string {
	sig := []byte("(")
	for _, t := range params {
		for _, f := range l.leaves(t) {
			s := f.typ.scalar()
			kind := byte('e')
			switch s.kind {
			case kPtr:
				kind = 'p'
			case kFloat:
				kind = 'f'
			case kDouble:
				kind = 'd'
			case kInt:
				kind = ir.IntKind(s.bits)
			}
			for range f.typ.lanes() {
				sig = append(sig, kind)
			}
		}
	}
	if variadic {
		sig = append(sig, '*')
	}
	return string(sig)
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
