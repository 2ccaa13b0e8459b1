package litmus

// NewBinary, NewUnary, NewSelect and NewNot make expressions. They compute what is constant and keep everything else, so that dependencies are those of the program.

func NewBinary(op BinaryOp, width int, x, y Expr) Expr {
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

func NewUnary(op UnaryOp, width int, x Expr) Expr {
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

func NewSelect(c, x, y Expr) Expr {
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
func NewNot(x Expr) Expr { return NewUnary(LNot, 64, x) }
