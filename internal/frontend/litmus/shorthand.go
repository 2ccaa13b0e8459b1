package litmus

// Shorthands that simplify what is constant, so that dependencies are those of the program only.

func num(n int64) Expr { return Number(n) }

func bin(op BinaryOp, width int, x, y Expr) Expr {
	a, ok1 := x.(Value)
	b, ok2 := y.(Value)
	if ok1 && ok2 {
		return (&Binary{Op: op, Width: uint8(width)}).Apply(a, b)
	}
	if op == Add && ok2 && b == (Value{}) && width == 64 {
		return x
	}
	return &Binary{Op: op, Width: uint8(width), X: x, Y: y}
}

func un(op UnaryOp, width int, x Expr) Expr {
	if v, ok := x.(Value); ok {
		return (&Unary{Op: op, Width: uint8(width)}).Apply(v)
	}
	if op == Trunc && width == 64 {
		return x
	}
	if t, ok := x.(*Unary); ok && op == Trunc && t.Op == Trunc {
		width, x = min(width, int(t.Width)), t.X
	}
	return &Unary{Op: op, Width: uint8(width), X: x}
}

func sel(c, x, y Expr) Expr {
	if v, ok := c.(Value); ok {
		if is, ok := v.Truth(); ok {
			if is {
				return x
			}
			return y
		}
	}
	return &Select{If: c, X: x, Y: y}
}
func lnot(x Expr) Expr { return un(LNot, 64, x) }
