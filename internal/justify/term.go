package justify

import "ravel/internal/litmus"

// Expressions are those of litmus, over the symbols of reads. They are shared and never changed.

// substitute replaces registers by what they hold; a register without a value is 0.
func substitute(e litmus.Expr, regs map[litmus.Reg]litmus.Expr) litmus.Expr {
	switch e := e.(type) {
	case litmus.Reg:
		if x, ok := regs[e]; ok {
			return x
		}
		return litmus.Value{}
	case *litmus.Unary:
		return fold(&litmus.Unary{Op: e.Op, Width: e.Width, X: substitute(e.X, regs)})
	case *litmus.Binary:
		return fold(&litmus.Binary{Op: e.Op, Width: e.Width, X: substitute(e.X, regs), Y: substitute(e.Y, regs)})
	case *litmus.Select:
		return choose(substitute(e.If, regs), substitute(e.X, regs), substitute(e.Y, regs))
	}
	return e
}

// fold computes an operation on constants.
func fold(e litmus.Expr) litmus.Expr {
	constant := func(x litmus.Expr) bool { _, ok := x.(litmus.Value); return ok }
	switch x := e.(type) {
	case *litmus.Unary:
		if !constant(x.X) {
			return e
		}
	case *litmus.Binary:
		if !constant(x.X) || !constant(x.Y) {
			return e
		}
	}
	return litmus.Eval(e, nil)
}

func choose(cond, x, y litmus.Expr) litmus.Expr {
	if v, ok := cond.(litmus.Value); ok {
		if v.Int != 0 {
			return x
		}
		return y
	}
	return &litmus.Select{If: cond, X: x, Y: y}
}

func not(x litmus.Expr) litmus.Expr {
	return fold(&litmus.Unary{Op: litmus.LNot, Width: 64, X: x})
}

func equal(x, y litmus.Expr, bits uint8) litmus.Expr {
	return fold(&litmus.Binary{Op: litmus.Eq, Width: bits, X: x, Y: y})
}

func truncate(x litmus.Expr, size uint8) litmus.Expr {
	if size == 8 {
		return x
	}
	return fold(&litmus.Unary{Op: litmus.Trunc, Width: 8 * size, X: x})
}

// evaluate returns the value of e if known tells those of all its symbols.
func evaluate(e litmus.Expr, known func(litmus.Reg) (uint64, bool)) (uint64, bool) {
	ok := true
	v := litmus.Eval(e, func(r litmus.Reg) litmus.Value {
		x, have := known(r)
		ok = ok && have
		return litmus.Value{Int: x}
	})
	return v.Int, ok
}
