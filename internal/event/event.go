// Package event defines what every engine and model shares: values, addresses, access modes and the operations of atomic
// read-modify-writes.
package event

import "fmt"

// A Value is what an access reads or writes. Of 16-byte accesses Hi has the upper half. Of smaller ones it says
// which bits of Lo are undefined: nothing was ever written there. Both have all bits above the size zero.
type Value struct{ Lo, Hi uint64 }

func (v Value) String() string {
	if v.Hi != 0 {
		return fmt.Sprintf("%#x%016x", v.Hi, v.Lo)
	}
	return fmt.Sprint(v.Lo)
}

// Mask clears the bits of v above size bytes.
func (v Value) Mask(size uint8) Value {
	if size >= 8 {
		return v
	}
	m := uint64(1)<<(8*size) - 1
	return Value{v.Lo & m, v.Hi & m}
}

// Undefined is a value of size bytes, at most 8, of which no bit is defined.
func Undefined(size uint8) Value { return Value{Hi: ^uint64(0)}.Mask(size) }

// A Mode is the strength of an access or a fence, as in C11.
// NA ⊏ Rlx ⊏ {Acq, Rel} ⊏ AcqRel ⊏ SC; Acq and Rel are incomparable.
type Mode uint8

const (
	NA  Mode = iota // not atomic
	Rlx             // relaxed (LLVM: unordered, monotonic)
	Acq
	Rel
	AcqRel
	SC
)

// IsAcq reports whether m is at least acquire.
func (m Mode) IsAcq() bool { return m == Acq || m >= AcqRel }

// IsRel reports whether m is at least release.
func (m Mode) IsRel() bool { return m >= Rel }

var modeNames = [...]string{"na", "rlx", "acq", "rel", "acqrel", "sc"}

func (m Mode) String() string { return modeNames[m] }

var orderNames = [...]string{"not atomic", "relaxed", "acquire", "release", "acq_rel", "seq_cst"}

// Order is the name of m as a memory order of C11.
func (m Mode) Order() string { return orderNames[m] }

// An RMWOp is what an atomic read-modify-write does with the value it reads.
type RMWOp uint8

const (
	Xchg RMWOp = iota
	Add
	Sub
	And
	Nand
	Or
	Xor
	Max // signed
	Min
	UMax
	UMin
	FAdd // float or double, by size
	FSub
	FMax
	FMin
	UIncWrap
	UDecWrap
	CAS       // writes only if the value read is the expected one
	AddUnless // adds, unless the value read is the expected one
)

var rmwNames = [...]string{
	"xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin",
	"fadd", "fsub", "fmax", "fmin", "uinc_wrap", "udec_wrap", "cas", "add_unless",
}

func (op RMWOp) String() string { return rmwNames[op] }

// MayFail reports whether the value read decides whether op writes.
func (op RMWOp) MayFail() bool { return op >= CAS }

// Succeeds reports whether op, which expects exp, writes if it reads v.
func (op RMWOp) Succeeds(v, exp Value) bool {
	return op < CAS || (v == exp) == (op == CAS)
}
