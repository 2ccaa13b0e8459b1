package justify

import (
	"ravel/internal/litmus"
	"ravel/internal/litmus/symbolic"
)

// Expressions are those of litmus, over the symbols of reads. They are shared and never changed.

func truncate(x litmus.Expr, size uint8) litmus.Expr {
	if size == 8 {
		return x
	}
	return symbolic.Unary(litmus.Trunc, 8*size, x)
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
