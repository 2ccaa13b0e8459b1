package litmus

import "ravel/internal/litmus"

// Shorthands for the expressions that readers make.

func num(n int64) litmus.Expr { return litmus.Number(n) }

func bin(op litmus.BinaryOp, width int, x, y litmus.Expr) litmus.Expr {
	return litmus.NewBinary(op, width, x, y)
}

func un(op litmus.UnaryOp, width int, x litmus.Expr) litmus.Expr {
	return litmus.NewUnary(op, width, x)
}

func sel(c, x, y litmus.Expr) litmus.Expr { return litmus.NewSelect(c, x, y) }

func lnot(x litmus.Expr) litmus.Expr { return litmus.NewNot(x) }
