package litmus

import (
	"fmt"
	"strings"
)

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

var intType = Type{"", 4, true}

// scalarTypes are the types of initial states and of C, without spaces.
var scalarTypes = map[string]Type{
	"int": {"", 4, true}, "signed": {"", 4, true}, "signed int": {"", 4, true}, "unsigned": {"", 4, false}, "unsigned int": {"", 4, false},
	"char": {"", 1, true}, "signed char": {"", 1, true}, "unsigned char": {"", 1, false}, "short": {"", 2, true}, "unsigned short": {"", 2, false},
	"long": {"", 8, true}, "unsigned long": {"", 8, false}, "long long": {"", 8, true}, "unsigned long long": {"", 8, false},
	"int8_t": {"", 1, true}, "int16_t": {"", 2, true}, "int32_t": {"", 4, true}, "int64_t": {"", 8, true},
	"uint8_t": {"", 1, false}, "uint16_t": {"", 2, false}, "uint32_t": {"", 4, false}, "uint64_t": {"", 8, false},
	"int128_t": {"", 16, true}, "uint128_t": {"", 16, false}, "__int128": {"", 16, true}, "__int128_t": {"", 16, true}, "__uint128_t": {"", 16, false},
	"unsigned __int128": {"", 16, false}, "intptr_t": {"", 8, true}, "uintptr_t": {"", 8, false}, "size_t": {"", 8, false}, "ptrdiff_t": {"", 8, true},
	"u8": {"", 1, false}, "u16": {"", 2, false}, "u32": {"", 4, false}, "u64": {"", 8, false},
	"s8": {"", 1, true}, "s16": {"", 2, true}, "s32": {"", 4, true}, "s64": {"", 8, true},
	"boolean": {"boolean", 4, false}, "bool": {"", 1, false}, "_Bool": {"", 1, false}, "atomic_bool": {"", 1, false}, "atomic_char": {"", 1, true},
	"atomic_int": {"", 4, true}, "atomic_uint": {"", 4, false}, "atomic_long": {"", 8, true}, "atomic_ulong": {"", 8, false},
	"atomic_intptr_t": {"", 8, true}, "atomic_uintptr_t": {"", 8, false}, "atomic_short": {"", 2, true},
	"atomic_t": {"", 4, true}, "atomic_long_t": {"", 8, true}, "atomic64_t": {"", 8, true}, "spinlock_t": {"", 4, true}, "rwlock_t": {"", 4, true},
	"struct srcu_struct": {"", 4, true}, "srcu_struct": {"", 4, true}, "mutex": {"", 4, true}, "struct mutex": {"", 4, true}, "mtx_t": {"", 4, true},
	"void": {"", 8, false}, "ins_t": {"", 4, false},
}

// qualifiers say nothing about size.
var qualifiers = map[string]bool{"volatile": true, "const": true, "_Atomic": true, "atomic": true, "__rcu": true, "static": true, "register": true}

// makeType returns the type with this name and so many stars.
func makeType(words []string, stars int) (Type, bool) {
	var kept []string
	for _, w := range words {
		if !qualifiers[w] {
			kept = append(kept, w)
		}
	}
	name := strings.Join(kept, " ")
	t, ok := scalarTypes[name]
	if !ok && len(kept) == 0 && len(words) > 0 {
		t, ok = intType, true
	}
	t.Name = strings.Join(words, " ") + strings.Repeat("*", stars)
	if stars > 0 {
		t.Size, t.Signed = 8, false
	}
	return t, ok
}
