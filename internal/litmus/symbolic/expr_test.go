package symbolic

import (
	"math/rand/v2"
	"testing"

	"ravel/internal/litmus"
)

// randomExpr returns an expression over registers a, b and c.
func randomExpr(r *rand.Rand, depth int) litmus.Expr {
	width := []uint8{1, 8, 32, 64}[r.IntN(4)]
	switch k := r.IntN(5); {
	case depth == 0 && k < 2:
		return litmus.Number(int64(r.IntN(3)))
	case depth == 0:
		return []litmus.Reg{"a", "b", "c"}[r.IntN(3)]
	case k == 0:
		return &litmus.Unary{Op: []litmus.UnaryOp{litmus.Not, litmus.Neg, litmus.LNot, litmus.Trunc}[r.IntN(4)], Width: width, X: randomExpr(r, depth-1)}
	case k == 1:
		return &litmus.Select{If: randomExpr(r, depth-1), X: randomExpr(r, depth-1), Y: randomExpr(r, depth-1)}
	}
	ops := []litmus.BinaryOp{litmus.Add, litmus.Sub, litmus.Mul, litmus.And, litmus.Or, litmus.Xor, litmus.Eq, litmus.Ne, litmus.ULt, litmus.SLt, litmus.Shl, litmus.LShr}
	return &litmus.Binary{Op: ops[r.IntN(len(ops))], Width: width, X: randomExpr(r, depth-1), Y: randomExpr(r, depth-1)}
}

// TestSubst replaces some registers by values or by other registers: the result has the value of the expression.
func TestSubst(t *testing.T) {
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 1))
		e := randomExpr(r, 3)
		values := map[litmus.Reg]litmus.Value{"s": litmus.Number(int64(r.IntN(4)) - 1), "t": litmus.Number(int64(r.IntN(4)) - 1)}
		holds := map[litmus.Reg]litmus.Expr{}
		for _, reg := range []litmus.Reg{"a", "b", "c"} {
			holds[reg] = []litmus.Expr{litmus.Number(int64(r.IntN(4)) - 1), litmus.Reg("s"), litmus.Reg("t")}[r.IntN(3)]
		}
		of := func(r litmus.Reg) litmus.Value { return values[r] }
		x := Subst(e, func(r litmus.Reg) litmus.Expr { return holds[r] })
		got := litmus.Eval(x, of)
		want := litmus.Eval(e, func(r litmus.Reg) litmus.Value { return litmus.Eval(holds[r], of) })
		if got != want {
			t.Fatalf("seed %d: %v with %v is %v = %v, want %v", seed, e, holds, x, got, want)
		}
	}
}
