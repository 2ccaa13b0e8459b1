package smt

import (
	"fmt"

	"github.com/crillab/gophersat/solver"

	"ravel/internal/litmus"
)

// A lit is a literal: a variable of the clauses or its negation. yes is true in every model.
type lit int

const (
	yes lit = 1
	no  lit = -yes
)

// A word is a number of 64 bits, the lowest first.
type word [64]lit

// A blaster makes clauses of expressions. Gates whose inputs are constant are not gates, and
// the same gate is made once.
type blaster struct {
	p       *Problem
	vars    int
	clauses [][]int
	regs    map[litmus.Reg]*word
	words   map[litmus.Expr]*word // of *Unary, *Binary, *Select
	ands    map[[2]lit]lit
	xors    map[[2]lit]lit
}

// Embedded returns the solver that needs no other program.
func Embedded() Solver { return embedded{} }

type embedded struct{}

func (embedded) Solve(p *Problem) (m Model, err error) {
	b := &blaster{
		p: p, vars: 1, clauses: [][]int{{int(yes)}}, regs: map[litmus.Reg]*word{}, words: map[litmus.Expr]*word{},
		ands: map[[2]lit]lit{}, xors: map[[2]lit]lit{},
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unsupported:
			m, err = nil, r
		default:
			panic(r)
		}
	}()
	for _, c := range p.Conds {
		switch t := b.truth(b.word(c)); t {
		case yes:
		case no:
			return nil, nil
		default:
			b.clause(t)
		}
	}
	values := make([]bool, b.vars)
	if len(b.clauses) > 1 {
		s := solver.New(solver.ParseSliceNb(b.clauses, b.vars))
		if s.Solve() != solver.Sat {
			return nil, nil
		}
		values = s.Model()
	}
	m = Model{}
	for r, w := range b.regs {
		v := uint64(0)
		for i, l := range w {
			if l > yes && values[l-1] || l == yes {
				v |= 1 << i
			}
		}
		m[r] = v
	}
	if err := p.Check(m); err != nil {
		return nil, fmt.Errorf("smt: wrong model: %w", err)
	}
	return m, nil
}

// unsupported is the panic for an expression that is not about numbers.
type unsupported struct{ expr litmus.Expr }

func (u unsupported) Error() string { return fmt.Sprintf("smt: %s is not a number", u.expr) }

func (b *blaster) clause(ls ...lit) {
	c := make([]int, len(ls))
	for i, l := range ls {
		c[i] = int(l)
	}
	b.clauses = append(b.clauses, c)
}

func (b *blaster) fresh() lit {
	b.vars++
	return lit(b.vars)
}

func (b *blaster) and(x, y lit) lit {
	switch {
	case x == no || y == no || x == -y:
		return no
	case x == yes || x == y:
		return y
	case y == yes:
		return x
	}
	if x > y {
		x, y = y, x
	}
	if z, ok := b.ands[[2]lit{x, y}]; ok {
		return z
	}
	z := b.fresh()
	b.clause(-z, x)
	b.clause(-z, y)
	b.clause(z, -x, -y)
	b.ands[[2]lit{x, y}] = z
	return z
}

func (b *blaster) or(x, y lit) lit { return -b.and(-x, -y) }

func (b *blaster) xor(x, y lit) lit {
	switch {
	case x == no:
		return y
	case x == yes:
		return -y
	case y == no:
		return x
	case y == yes:
		return -x
	case x == y:
		return no
	case x == -y:
		return yes
	}
	sign := lit(1)
	if x < 0 {
		x, sign = -x, -sign
	}
	if y < 0 {
		y, sign = -y, -sign
	}
	if x > y {
		x, y = y, x
	}
	if z, ok := b.xors[[2]lit{x, y}]; ok {
		return sign * z
	}
	z := b.fresh()
	b.clause(-z, x, y)
	b.clause(-z, -x, -y)
	b.clause(z, -x, y)
	b.clause(z, x, -y)
	b.xors[[2]lit{x, y}] = z
	return sign * z
}

func (b *blaster) mux(c, x, y lit) lit {
	if x == y {
		return x
	}
	return b.or(b.and(c, x), b.and(-c, y))
}

// truth is whether w is not 0.
func (b *blaster) truth(w *word) lit {
	t := no
	for _, l := range w {
		t = b.or(t, l)
	}
	return t
}

func (b *blaster) word(e litmus.Expr) *word {
	switch e := e.(type) {
	case litmus.Value:
		if e.Kind != litmus.Int {
			panic(unsupported{e})
		}
		return constant(e.Int)
	case litmus.Reg:
		w, ok := b.regs[e]
		if !ok {
			w = constant(0)
			for i := range b.p.bits(e) {
				w[i] = b.fresh()
			}
			b.regs[e] = w
		}
		return w
	}
	w, ok := b.words[e]
	if !ok {
		switch e := e.(type) {
		case *litmus.Unary:
			w = b.unary(e.Op, int(e.Width), b.word(e.X))
		case *litmus.Binary:
			w = b.binary(e.Op, int(e.Width), b.word(e.X), b.word(e.Y))
		case *litmus.Select:
			c, x, y := b.truth(b.word(e.If)), b.word(e.X), b.word(e.Y)
			w = &word{}
			for i := range w {
				w[i] = b.mux(c, x[i], y[i])
			}
		default:
			panic(fmt.Sprintf("smt: expression %T", e))
		}
		b.words[e] = w
	}
	return w
}

func constant(n uint64) *word {
	w := &word{}
	for i := range w {
		w[i] = no
		if n>>i&1 != 0 {
			w[i] = yes
		}
	}
	return w
}

// cut keeps the lowest bits.
func cut(w *word, bits int) *word {
	r := *w
	for i := bits; i < 64; i++ {
		r[i] = no
	}
	return &r
}

// extend repeats the sign of a number of so many bits.
func extend(w *word, bits int) *word {
	r := *w
	for i := bits; i < 64; i++ {
		r[i] = w[bits-1]
	}
	return &r
}

func bit(l lit) *word {
	w := constant(0)
	w[0] = l
	return w
}

func (b *blaster) unary(op litmus.UnaryOp, bits int, x *word) *word {
	switch op {
	case litmus.Neg:
		return cut(b.add(invert(x), constant(0), yes), bits)
	case litmus.Not:
		return cut(invert(x), bits)
	case litmus.LNot:
		return bit(-b.truth(cut(x, bits)))
	case litmus.SExt:
		return extend(x, bits)
	}
	return cut(x, bits)
}

func invert(x *word) *word {
	r := &word{}
	for i, l := range x {
		r[i] = -l
	}
	return r
}

func (b *blaster) add(x, y *word, carry lit) *word {
	r := &word{}
	for i := range r {
		s := b.xor(x[i], y[i])
		r[i] = b.xor(s, carry)
		carry = b.or(b.and(x[i], y[i]), b.and(s, carry))
	}
	return r
}

func (b *blaster) binary(op litmus.BinaryOp, bits int, x, y *word) *word {
	x, y = cut(x, bits), cut(y, bits)
	switch op {
	case litmus.Add:
		return cut(b.add(x, y, no), bits)
	case litmus.Sub:
		return cut(b.add(x, invert(y), yes), bits)
	case litmus.Mul:
		return b.mul(x, y, bits)
	case litmus.UDiv, litmus.URem, litmus.SDiv, litmus.SRem:
		return b.divide(op, bits, x, y)
	case litmus.And, litmus.Or, litmus.Xor:
		gate := map[litmus.BinaryOp]func(x, y lit) lit{litmus.And: b.and, litmus.Or: b.or, litmus.Xor: b.xor}[op]
		r := &word{}
		for i := range r {
			r[i] = gate(x[i], y[i])
		}
		return r
	case litmus.Shl, litmus.LShr, litmus.AShr, litmus.Ror:
		return b.shift(op, bits, x, y)
	case litmus.Eq:
		return bit(-b.different(x, y))
	case litmus.Ne:
		return bit(b.different(x, y))
	case litmus.ULt:
		return bit(b.less(x, y))
	case litmus.ULe:
		return bit(-b.less(y, x))
	case litmus.SLt:
		return bit(b.less(flip(x, bits), flip(y, bits)))
	case litmus.SLe:
		return bit(-b.less(flip(y, bits), flip(x, bits)))
	}
	panic(fmt.Sprintf("smt: operation %d", op))
}

func (b *blaster) different(x, y *word) lit {
	d := no
	for i := range x {
		d = b.or(d, b.xor(x[i], y[i]))
	}
	return d
}

// flip makes the order of signed numbers that of unsigned ones.
func flip(x *word, bits int) *word {
	r := *x
	r[bits-1] = -x[bits-1]
	return &r
}

// less is x < y, of unsigned numbers: the highest bit that differs decides.
func (b *blaster) less(x, y *word) lit {
	l := no
	for i := range x {
		l = b.mux(b.xor(x[i], y[i]), y[i], l)
	}
	return l
}

func (b *blaster) mul(x, y *word, bits int) *word {
	sum := constant(0)
	for i := range bits {
		if y[i] == no {
			continue
		}
		part := constant(0)
		for j := i; j < bits; j++ {
			part[j] = b.and(x[j-i], y[i])
		}
		sum = cut(b.add(sum, part, no), bits)
	}
	return sum
}

// shift moves by each power of two that the distance has; it is taken modulo the width, a power of two.
func (b *blaster) shift(op litmus.BinaryOp, bits int, x, y *word) *word {
	fill := no
	if op == litmus.AShr {
		fill = x[bits-1]
	}
	for k := 0; 1<<k < bits; k++ {
		r := &word{}
		for i := range r {
			moved := fill
			switch from := i + 1<<k; {
			case i >= bits:
				moved = no
			case op == litmus.Shl && i-1<<k >= 0:
				moved = x[i-1<<k]
			case op == litmus.Shl:
				moved = no
			case op == litmus.Ror:
				moved = x[from%bits]
			case from < bits:
				moved = x[from]
			}
			r[i] = b.mux(y[k], moved, x[i])
		}
		x = r
	}
	return x
}

// divide divides as on paper; a quotient by 0 is 0, the remainder what was to be divided, as in litmus.
func (b *blaster) divide(op litmus.BinaryOp, bits int, x, y *word) *word {
	signed := op == litmus.SDiv || op == litmus.SRem
	n, d := x, y
	if signed {
		n, d = b.abs(x, bits), b.abs(y, bits)
	}
	q, r := constant(0), constant(0)
	for i := bits - 1; i >= 0; i-- {
		// r has at most the width of d, which may be all of the 64 bits: over is what is shifted out.
		over := r[63]
		copy(r[1:], r[:63])
		r[0] = n[i]
		fits := b.or(over, -b.less(r, d))
		rest := b.add(r, invert(d), yes)
		next := &word{}
		for k := range next {
			next[k] = b.mux(fits, rest[k], r[k])
		}
		q[i], r = fits, next
	}
	zero := -b.truth(y)
	out := q
	sign := no
	if op == litmus.URem || op == litmus.SRem {
		out = r
	}
	switch op {
	case litmus.SDiv:
		sign = b.xor(x[bits-1], y[bits-1])
	case litmus.SRem:
		sign = x[bits-1]
	}
	out = b.negateIf(sign, out, bits)
	byZero := constant(0)
	if op == litmus.URem || op == litmus.SRem {
		byZero = x
	}
	res := &word{}
	for i := range res {
		res[i] = b.mux(zero, byZero[i], out[i])
	}
	return cut(res, bits)
}

func (b *blaster) abs(x *word, bits int) *word { return b.negateIf(x[bits-1], x, bits) }

func (b *blaster) negateIf(c lit, x *word, bits int) *word {
	n := cut(b.add(invert(x), constant(0), yes), bits)
	r := &word{}
	for i := range r {
		r[i] = b.mux(c, n[i], x[i])
	}
	return r
}
