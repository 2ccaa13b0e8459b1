package event

import "testing"

// TestSameClass checks sizes that glibc's malloc and jemalloc keep in the same blocks, by their documented size classes.
func TestSameClass(t *testing.T) {
	for _, c := range []struct {
		a, b uint64
		same bool
	}{
		{1, 24, true},    // glibc: the smallest block
		{24, 25, true},   // jemalloc: 32
		{24, 40, false},  // glibc: 24 and 40, jemalloc: 32 and 48
		{25, 40, true},   // glibc: 40
		{16, 33, false},  // glibc: 24 and 40
		{130, 160, true}, // jemalloc: 160
		{160, 161, true}, // glibc: 168
		{160, 177, false},
		{0, 8, true},
	} {
		if got := SameClass(c.a, c.b); got != c.same || SameClass(c.b, c.a) != got {
			t.Errorf("objects of %d and %d bytes in the same block: %v, want %v", c.a, c.b, got, c.same)
		}
	}
}
