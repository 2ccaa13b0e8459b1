package enumerate

import (
	"fmt"
	mathbits "math/bits"

	"ravel/internal/litmus"
)

// A received is the value that the read with this index in its path received: the leaves of expressions
// whose values are not known before rf is chosen.
type received int

func (r received) String() string { return fmt.Sprintf("read%d", int(r)) }

// A symbol is what a register holds: an expression over received values, and the reads it was
// computed from, whether or not its value still depends on them.
type symbol struct {
	x    litmus.Expr
	deps bits
	pick bits // reads that only chose between values (conditional selects)
	made bits // with registers as events: the one that wrote the register; of a temporary, what it was computed from
}

// bits is a set of events of one path.
type bits [4]uint64

const maxEvents = 256 // of one thread

func bit(i int) (b bits) {
	b[i>>6] = 1 << (i & 63)
	return b
}

func (b bits) or(c bits) bits {
	return bits{b[0] | c[0], b[1] | c[1], b[2] | c[2], b[3] | c[3]}
}

func (b bits) minus(c bits) bits {
	return bits{b[0] &^ c[0], b[1] &^ c[1], b[2] &^ c[2], b[3] &^ c[3]}
}
func (b bits) has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }

// first returns the first event of the set, or -1.
func (b bits) first() int {
	for i, w := range b {
		if w != 0 {
			return i<<6 + mathbits.TrailingZeros64(w)
		}
	}
	return -1
}

func (b bits) empty() bool { return b == bits{} }

// subst replaces registers by what they hold and computes what it can. Only equations that hold for all
// values are used: r^r is 0 whatever r is, so that false dependencies do not hide addresses.
func subst(e litmus.Expr, get func(litmus.Reg) litmus.Expr) litmus.Expr {
	switch e := e.(type) {
	case litmus.Reg:
		return get(e)
	case *litmus.Unary:
		return unary(e, subst(e.X, get))
	case *litmus.Binary:
		return binary(e, subst(e.X, get), subst(e.Y, get))
	case *litmus.Select:
		return choice(subst(e.If, get), subst(e.X, get), subst(e.Y, get))
	}
	return e
}

func unary(e *litmus.Unary, x litmus.Expr) litmus.Expr {
	if v, ok := x.(litmus.Value); ok {
		return e.Apply(v)
	}
	return &litmus.Unary{Op: e.Op, Width: e.Width, X: x}
}

func binary(e *litmus.Binary, x, y litmus.Expr) litmus.Expr {
	a, okA := x.(litmus.Value)
	b, okB := y.(litmus.Value)
	if okA && okB {
		return e.Apply(a, b)
	}
	zero := litmus.Value{}
	switch e.Op {
	case litmus.And, litmus.Mul:
		if okA && a == zero || okB && b == zero {
			return zero
		}
	case litmus.Add, litmus.Or:
		if okA && a == zero && e.Width == 64 {
			return y
		}
		if okB && b == zero && e.Width == 64 {
			return x
		}
	}
	if !okA && !okB && same(x, y) {
		switch e.Op {
		case litmus.Xor, litmus.Sub, litmus.Ne:
			return zero
		case litmus.Eq:
			return litmus.Number(1)
		}
	}
	return &litmus.Binary{Op: e.Op, Width: e.Width, X: x, Y: y}
}

func choice(c, x, y litmus.Expr) litmus.Expr {
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

// same reports whether two expressions are the same text.
func same(x, y litmus.Expr) bool {
	switch x := x.(type) {
	case litmus.Value:
		return x == y
	case received:
		return x == y
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
	return false
}

// eval computes an expression where values says what was received; ok is false where that is not known yet.
func eval(e litmus.Expr, values []value) (v litmus.Value, ok bool) {
	switch e := e.(type) {
	case litmus.Value:
		return e, true
	case received:
		return values[e].v, values[e].known
	case *litmus.Unary:
		if v, ok = eval(e.X, values); ok {
			v = e.Apply(v)
		}
		return v, ok
	case *litmus.Binary:
		x, okX := eval(e.X, values)
		y, okY := eval(e.Y, values)
		if okX && okY {
			return e.Apply(x, y), true
		}
		zero := litmus.Value{}
		if (e.Op == litmus.And || e.Op == litmus.Mul) && (okX && x == zero || okY && y == zero) {
			return zero, true
		}
		return v, false
	case *litmus.Select:
		c, ok := eval(e.If, values)
		if !ok {
			return v, false
		}
		is, ok := c.Truth()
		switch {
		case !ok:
			return litmus.Value{Kind: litmus.Undef}, true
		case is:
			return eval(e.X, values)
		}
		return eval(e.Y, values)
	}
	panic(fmt.Sprintf("enumerate: expression %T", e))
}

// A value is what an event reads or writes, once it is known.
type value struct {
	v     litmus.Value
	known bool
}
