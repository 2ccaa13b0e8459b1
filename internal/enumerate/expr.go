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
