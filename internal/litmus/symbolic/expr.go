package symbolic

import "ravel/internal/litmus"

// Subst replaces registers by what they hold and computes what it can. Only equations that hold for all
// values are used: r^r is 0 whatever r is, so that false dependencies do not hide addresses.
func Subst(e litmus.Expr, get func(litmus.Reg) litmus.Expr) litmus.Expr {
	switch e := e.(type) {
	case litmus.Reg:
		return get(e)
	case *litmus.Unary:
		return Unary(e.Op, e.Width, Subst(e.X, get))
	case *litmus.Binary:
		return Binary(e.Op, e.Width, Subst(e.X, get), Subst(e.Y, get))
	case *litmus.Select:
		return Select(Subst(e.If, get), Subst(e.X, get), Subst(e.Y, get))
	}
	return e
}

// Unary returns op x.
func Unary(op litmus.UnaryOp, width uint8, x litmus.Expr) litmus.Expr {
	if v, ok := x.(litmus.Value); ok {
		return (&litmus.Unary{Op: op, Width: width}).Apply(v)
	}
	return &litmus.Unary{Op: op, Width: width, X: x}
}

// Binary returns x op y.
func Binary(op litmus.BinaryOp, width uint8, x, y litmus.Expr) litmus.Expr {
	a, okA := x.(litmus.Value)
	b, okB := y.(litmus.Value)
	if okA && okB {
		return (&litmus.Binary{Op: op, Width: width}).Apply(a, b)
	}
	zero := litmus.Value{}
	switch op {
	case litmus.And, litmus.Mul:
		if okA && a == zero || okB && b == zero {
			return zero
		}
	case litmus.Add, litmus.Or:
		if okA && a == zero && width == 64 {
			return y
		}
		if okB && b == zero && width == 64 {
			return x
		}
	}
	if !okA && !okB && same(x, y) {
		switch op {
		case litmus.Xor, litmus.Sub, litmus.Ne:
			return zero
		case litmus.Eq:
			return litmus.Number(1)
		}
	}
	return &litmus.Binary{Op: op, Width: width, X: x, Y: y}
}

// Equal returns x == y, of so many bits.
func Equal(width uint8, x, y litmus.Expr) litmus.Expr { return Binary(litmus.Eq, width, x, y) }

// Not returns 1 if x is 0, otherwise 0.
func Not(x litmus.Expr) litmus.Expr { return Unary(litmus.LNot, 64, x) }

// Select returns c ? x : y.
func Select(c, x, y litmus.Expr) litmus.Expr {
	if v, ok := c.(litmus.Value); ok {
		if is, ok := v.Truth(); ok {
			if is {
				return x
			}
			return y
		}
	}
	if same(x, y) {
		return x
	}
	return &litmus.Select{If: c, X: x, Y: y}
}

// same reports whether two expressions are the same text. Symbols of engines are comparable.
func same(x, y litmus.Expr) bool {
	switch x := x.(type) {
	case *litmus.Unary:
		y, ok := y.(*litmus.Unary)
		return ok && x.Op == y.Op && x.Width == y.Width && same(x.X, y.X)
	case *litmus.Binary:
		y, ok := y.(*litmus.Binary)
		return ok && x.Op == y.Op && x.Width == y.Width && same(x.X, y.X) && same(x.Y, y.Y)
	case *litmus.Select:
		y, ok := y.(*litmus.Select)
		return ok && same(x.If, y.If) && same(x.X, y.X) && same(x.Y, y.Y)
	}
	return x == y
}
