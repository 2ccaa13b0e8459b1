package litmus

import (
	"strings"

	"ravel/internal/litmus"
)

var intType = scalar(4, true)

// scalarTypes are the types of initial states and of C, without spaces.
var scalarTypes = map[string]litmus.Type{
	"int": scalar(4, true), "signed": scalar(4, true), "signed int": scalar(4, true), "unsigned": scalar(4, false), "unsigned int": scalar(4, false),
	"char": scalar(1, true), "signed char": scalar(1, true), "unsigned char": scalar(1, false), "short": scalar(2, true), "unsigned short": scalar(2, false),
	"long": scalar(8, true), "unsigned long": scalar(8, false), "long long": scalar(8, true), "unsigned long long": scalar(8, false),
	"int8_t": scalar(1, true), "int16_t": scalar(2, true), "int32_t": scalar(4, true), "int64_t": scalar(8, true),
	"uint8_t": scalar(1, false), "uint16_t": scalar(2, false), "uint32_t": scalar(4, false), "uint64_t": scalar(8, false),
	"int128_t": scalar(16, true), "uint128_t": scalar(16, false), "__int128": scalar(16, true), "__int128_t": scalar(16, true), "__uint128_t": scalar(16, false),
	"unsigned __int128": scalar(16, false), "intptr_t": scalar(8, true), "uintptr_t": scalar(8, false), "size_t": scalar(8, false), "ptrdiff_t": scalar(8, true),
	"u8": scalar(1, false), "u16": scalar(2, false), "u32": scalar(4, false), "u64": scalar(8, false),
	"s8": scalar(1, true), "s16": scalar(2, true), "s32": scalar(4, true), "s64": scalar(8, true),
	"boolean": {Name: "boolean", Size: 4, Signed: false}, "bool": scalar(1, false), "_Bool": scalar(1, false), "atomic_bool": scalar(1, false), "atomic_char": scalar(1, true),
	"atomic_int": scalar(4, true), "atomic_uint": scalar(4, false), "atomic_long": scalar(8, true), "atomic_ulong": scalar(8, false),
	"atomic_intptr_t": scalar(8, true), "atomic_uintptr_t": scalar(8, false), "atomic_short": scalar(2, true),
	"atomic_t": scalar(4, true), "atomic_long_t": scalar(8, true), "atomic64_t": scalar(8, true), "spinlock_t": scalar(4, true), "rwlock_t": scalar(4, true),
	"struct srcu_struct": scalar(4, true), "srcu_struct": scalar(4, true), "mutex": scalar(4, true), "struct mutex": scalar(4, true), "mtx_t": scalar(4, true),
	"void": scalar(8, false), "ins_t": scalar(4, false),
}

// qualifiers say nothing about size.
var qualifiers = map[string]bool{"volatile": true, "const": true, "_Atomic": true, "atomic": true, "__rcu": true, "static": true, "register": true}

// makeType returns the type with this name and so many stars.
func makeType(words []string, stars int) (litmus.Type, bool) {
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

func scalar(size uint8, signed bool) litmus.Type { return litmus.Type{Size: size, Signed: signed} }
