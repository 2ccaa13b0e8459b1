package event

import "math/bits"

// A block of the heap that was freed may be allocated again. The program sees the same address. To an engine that keeps executions
// the block is another object, with other locations: its incarnation, counted from 0, is in the bits above the address.
const (
	incarnationShift = AddrBits + 1
	incarnationBits  = 11

	MaxIncarnations = 1 << incarnationBits
)

// Visible returns the address without its incarnation.
func (a Addr) Visible() Addr { return a & (1<<incarnationShift - 1) }

// Incarnation returns which object at its address a belongs to.
func (a Addr) Incarnation() int { return int(a >> incarnationShift) }

// Incarnate returns the same address in incarnation n.
func (a Addr) Incarnate(n int) Addr { return a.Visible() | Addr(n)<<incarnationShift }

// SameClass reports whether allocators keep objects of a and b bytes in blocks of the same size: glibc's has blocks for 24, 40, 56 … bytes, jemalloc's (and those
// that have its size classes) for 16, 32 … 128, 160, 192, 224, 256, 320 …
func SameClass(a, b uint64) bool {
	glibc := func(n uint64) uint64 { return max((n+8+15)&^15, 32) }
	jemalloc := func(n uint64) uint64 {
		n = max(n, 16)
		unit := max(uint64(1)<<bits.Len64(n-1)/8, 16)
		return (n + unit - 1) &^ (unit - 1)
	}
	return glibc(a) == glibc(b) || jemalloc(a) == jemalloc(b)
}
