package litmus

import "strings"

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
