package machine

import (
	"math"
	"strconv"
	"testing"

	"ravel/internal/ir/arith"
)

var inf = math.Inf(1)

// TestFormatNumber has what C11 7.21.6.1 says of each conversion, and glibc's choices; TestNative of package rt compares with a C library.
func TestFormatNumber(t *testing.T) {
	spec := func(letter byte, flags, width, precision uint64) numberSpec {
		return numberSpec(uint64(letter) | flags<<8 | width<<16 | (precision+1)<<32)
	}
	const none = ^uint64(0)
	double := func(v float64) uint64 { return arith.FromFloat(v, 64) }
	for _, c := range []struct {
		spec  numberSpec
		value uint64
		want  string
	}{
		{spec('d', 0, 0, none), none, "-1"},
		{spec('d', specPlus|specZero, 5, none), 7, "+0007"},
		{spec('d', specZero, 5, 2), 7, "   07"},
		{spec('d', specLeft|specSpace, 5, none), 7, " 7   "},
		{spec('u', 0, 0, none), none, "18446744073709551615"},
		{spec('u', 0, 0, 0), 0, ""},
		{spec('o', specAlt, 0, 0), 0, "0"},
		{spec('o', specAlt, 0, none), 8, "010"},
		{spec('x', specAlt, 0, none), 0, "0"},
		{spec('X', specAlt|specZero, 8, none), 255, "0X0000FF"},
		{spec('p', 0, 7, none), 0, "  (nil)"},
		{spec('p', 0, 0, none), 255, "0xff"},
		{spec('f', 0, 0, 1), double(0.25), "0.2"},
		{spec('f', 0, 0, 0), double(2.5), "2"},
		{spec('f', specAlt, 0, 0), double(3.5), "4."},
		{spec('e', 0, 0, none), double(12345.678), "1.234568e+04"},
		{spec('g', 0, 0, none), double(100000), "100000"},
		{spec('g', 0, 0, none), double(1000000), "1e+06"},
		{spec('g', 0, 0, none), double(0.0001), "0.0001"},
		{spec('g', specAlt, 0, 3), double(1), "1.00"},
		{spec('G', 0, 0, none), double(0.00001), "1E-05"},
		{spec('a', 0, 0, none), double(1.5), "0x1.8p+0"},
		{spec('a', 0, 0, 0), double(1.5), "0x2p+0"},
		{spec('A', 0, 0, 2), double(0), "0X0.00P+0"},
		{spec('a', 0, 0, none), 1, "0x0.0000000000001p-1022"},
		{spec('f', specZero, 6, none), double(inf), "   inf"},
		{spec('F', specPlus, 0, none), double(inf), "+INF"},
		{spec('f', 0, 0, none), double(-inf), "-inf"},
	} {
		if got := formatNumber(c.value, c.spec); got != c.want {
			t.Errorf("%%%c %#x of %#x: %q, want %q", c.spec.letter(), uint64(c.spec), c.value, got, c.want)
		}
	}
}

// TestTiny has numbers at the edge of what is too small (C11 7.22.1.3p10), where glibc reports ERANGE.
func TestTiny(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want bool
	}{
		{"1e0", 64, false},
		{"0e-400", 64, false},
		{"1e-400", 64, true},
		{"0x1p-1074", 64, false},
		{"0x3p-1075", 64, true},
		{"0x1p-1022", 64, false},
		{"0x1fffffffffffff4p-1079", 64, true},  // rounds to 2^-1022 with 52 bits only
		{"0x1fffffffffffff8p-1079", 64, false}, // with 53 as well: a tie, to even
		{"0x1p-149", 32, false},
		{"1e-40", 32, true},
	} {
		v, _ := strconv.ParseFloat(c.text, c.size)
		if got := tiny(c.text, v, c.size); got != c.want {
			t.Errorf("%s with %d bits: %v, want %v", c.text, c.size, got, c.want)
		}
	}
}
