package machine

import "fmt"

// A Family is a pair of functions that allocate and free memory: what one of them allocated, the other one of the same family must free.
type Family uint8

const (
	Malloc Family = iota
	New
	NewArray
	NewAligned
	NewArrayAligned
	Mapped
)

var families = [...]struct{ alloc, free string }{
	Malloc: {"malloc", "free"}, New: {"new", "delete"}, NewArray: {"new[]", "delete[]"},
	NewAligned: {"aligned new", "aligned delete"}, NewArrayAligned: {"aligned new[]", "aligned delete[]"},
	Mapped: {"mmap", "munmap"},
}

// Mismatch says what is wrong with act, which frees an object of a family and size; "" if nothing.
func (act *Action) Mismatch(from Family, size uint64) string {
	switch {
	case act.Stack:
		return ""
	case act.Family != from:
		return fmt.Sprintf("memory that `%s` allocated is freed with `%s`", families[from].alloc, families[act.Family].free)
	case act.Val.Lo != 0 && act.Val.Lo-1 != size:
		return fmt.Sprintf("an object of %d bytes is deleted as one of %d bytes", size, act.Val.Lo-1)
	}
	return ""
}

// Allocator names the function that allocates memory of a family.
func (f Family) Allocator() string { return families[f].alloc }
