package smt

import (
	"math/rand/v2"
	"os/exec"
	"testing"

	"ravel/internal/litmus"
	"ravel/internal/short"
)

var unaryOps = []litmus.UnaryOp{litmus.Neg, litmus.Not, litmus.LNot, litmus.SExt, litmus.Trunc}

// random returns an expression over a and b.
func random(r *rand.Rand, depth int, width uint8) litmus.Expr {
	if depth == 0 || r.IntN(8) == 0 {
		switch r.IntN(3) {
		case 0:
			return litmus.Number(int64(r.IntN(9) - 3))
		case 1:
			return litmus.Reg("a")
		}
		return litmus.Reg("b")
	}
	x := random(r, depth-1, width)
	switch r.IntN(8) {
	case 0:
		return &litmus.Unary{Op: unaryOps[r.IntN(len(unaryOps))], Width: width, X: x}
	case 1:
		return &litmus.Select{If: x, X: random(r, depth-1, width), Y: random(r, depth-1, width)}
	}
	op := litmus.BinaryOp(r.IntN(int(litmus.SLe) + 1))
	if op >= litmus.Mul && op <= litmus.SRem { // large circuits
		width = min(width, 8)
	}
	return &litmus.Binary{Op: op, Width: width, X: x, Y: random(r, depth-1, width)}
}

// problems calls yield with random conditions over two registers of three bits; the width of operations is a power of
// two, as shifts want it.
func problems(n int, yield func(p *Problem)) {
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		width := []uint8{4, 8, 32, 64}[r.IntN(4)]
		p := &Problem{Bits: map[litmus.Reg]uint8{"a": 3, "b": 3}}
		for range 1 + r.IntN(3) {
			p.Conds = append(p.Conds, random(r, 3, width))
		}
		yield(p)
	}
}

// exhaustive tries all values.
func exhaustive(p *Problem) bool {
	for a := range uint64(8) {
		for b := range uint64(8) {
			if p.Check(Model{"a": a, "b": b}) == nil {
				return true
			}
		}
	}
	return false
}

// TestEmbedded compares with all values of small registers, as litmus.Eval computes them.
func TestEmbedded(t *testing.T) {
	sat := 0
	n := short.Count(800, 160)
	problems(n, func(p *Problem) {
		m, err := Embedded().Solve(p)
		if err != nil {
			t.Fatalf("%v: %v", p.Conds, err)
		}
		if got, want := m != nil, exhaustive(p); got != want {
			t.Fatalf("%v: satisfiable %v, want %v", p.Conds, got, want)
		}
		if m != nil {
			sat++
		}
	})
	if sat < n/8 || sat > n*7/8 {
		t.Errorf("%d of %d are satisfiable: not much of a test", sat, n)
	}
}

// TestExternal compares the embedded solver with those that are installed.
func TestExternal(t *testing.T) {
	for _, name := range []string{"z3", "cvc5"} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("%s is not installed", name)
			}
			s, err := External(name)
			if err != nil {
				t.Fatal(err)
			}
			problems(30, func(p *Problem) {
				m, err := s.Solve(p)
				if err != nil {
					t.Fatalf("%v: %v", p.Conds, err)
				}
				if got, want := m != nil, exhaustive(p); got != want {
					t.Fatalf("%v: satisfiable %v, want %v", p.Conds, got, want)
				}
			})
		})
	}
}

// TestWide solves equations over all 32 and 64 bits; the solutions follow from arithmetic.
func TestWide(t *testing.T) {
	a := litmus.Reg("a")
	op := func(o litmus.BinaryOp, w uint8, x, y litmus.Expr) litmus.Expr {
		return &litmus.Binary{Op: o, Width: w, X: x, Y: y}
	}
	for _, test := range []struct {
		name string
		cond litmus.Expr
		sat  bool
	}{
		{"3a = 1 mod 2^32", op(litmus.Eq, 32, op(litmus.Mul, 32, a, litmus.Number(3)), litmus.Number(1)), true},
		{"2a = 1", op(litmus.Eq, 64, op(litmus.Mul, 64, a, litmus.Number(2)), litmus.Number(1)), false},
		{"a + 1 < a", op(litmus.SLt, 64, op(litmus.Add, 64, a, litmus.Number(1)), a), true},
		{"a = a|1 and a = 4", op(litmus.And, 1, op(litmus.Eq, 32, a, op(litmus.Or, 32, a, litmus.Number(1))), op(litmus.Eq, 32, a, litmus.Number(4))), false},
		{"a / 7 = 6 and a % 7 = 5", op(litmus.And, 1, op(litmus.Eq, 32, op(litmus.SDiv, 32, a, litmus.Number(7)), litmus.Number(6)),
			op(litmus.Eq, 32, op(litmus.SRem, 32, a, litmus.Number(7)), litmus.Number(5))), true},
	} {
		m, err := Embedded().Solve(&Problem{Conds: []litmus.Expr{test.cond}})
		if err != nil || (m != nil) != test.sat {
			t.Errorf("%s: %v, %v", test.name, m, err)
		}
	}
}

func TestNoSolver(t *testing.T) {
	if _, err := External("no-such-solver"); err == nil {
		t.Error("no error for a solver that is not there")
	}
	if _, err := External("cat"); err == nil {
		t.Error("no error for a program that is no solver")
	}
}

func TestAddress(t *testing.T) {
	if _, err := Embedded().Solve(&Problem{Conds: []litmus.Expr{litmus.AddrOf("x", 0)}}); err == nil {
		t.Error("an address is not a number")
	}
}
