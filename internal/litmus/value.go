package litmus

import "fmt"

// A ValueKind says what a Value is.
type ValueKind uint8

const (
	Int   ValueKind = iota // Int
	Addr                   // the address of byte Int of variable Sym
	Code                   // label Sym of thread Int: a place in the code
	Undef                  // not known: it depends on the number of an address
)

// A Value is what registers and memory hold.
type Value struct {
	Kind ValueKind
	Int  uint64
	Sym  string
}

// Number returns an integer.
func Number(n int64) Value { return Value{Int: uint64(n)} }

// AddrOf returns the address of a byte of a variable.
func AddrOf(name string, off int64) Value { return Value{Addr, uint64(off), name} }

func (v Value) String() string {
	switch v.Kind {
	case Addr:
		if v.Int != 0 {
			return fmt.Sprintf("%s%+d", v.Sym, int64(v.Int))
		}
		return v.Sym
	case Code:
		return fmt.Sprintf("%d:%s", v.Int, v.Sym)
	case Undef:
		return "undef"
	}
	if n := int64(v.Int); n < 0 && n > -1<<20 {
		return fmt.Sprint(n)
	}
	return fmt.Sprint(v.Int)
}

// Truth is the value as a condition; ok is false for Undef. Addresses are not null.
func (v Value) Truth() (is, ok bool) { return v.Kind != Int || v.Int != 0, v.Kind != Undef }

// A Type is the type of a variable or of a register, as far as it matters.
type Type struct {
	Name   string // as written, with stars; "" if none is
	Size   uint8  // in bytes: 1, 2, 4, 8 or 16
	Signed bool
}
