package engine

import (
	"fmt"

	"ravel/internal/machine"
	"ravel/internal/report"
)

// An Access is one that a race or another error is about.
type Access struct{ Write, Atomic bool }

// String says what kind of access it is.
func (a Access) String() string {
	kind, atomic := "read", "non-atomic"
	if a.Write {
		kind = "write"
	}
	if a.Atomic {
		atomic = "atomic"
	}
	return atomic + " " + kind
}

func (a Access) withArticle() string {
	if a.Atomic {
		return "an " + a.String()
	}
	return "a " + a.String()
}

// Race returns the error of a race of the access a of a location with the access b of another thread.
func Race(location string, a, b Access) *machine.Error {
	return &machine.Error{
		Kind:    machine.RaceError,
		Message: fmt.Sprintf("data race on `%s`: %s and %s of another thread are not ordered", location, a.withArticle(), b.withArticle()),
		Label:   a.String(),
		Help:    "make both accesses atomic, or order them: by a lock, or by a release store that the other thread reads with an acquire load",
	}
}

// What is wrong with a use of memory.
const (
	NoObject      = "access of an address that belongs to no object"
	UseAfterFree  = "use after free"
	DoubleFree    = "double free"
	NotAllocated  = "free of an address that no allocation returned"
	StillAccessed = "free of memory that another thread may still access"
)

// What other events have to do with an error.
const (
	AllocatedHere = "allocated here"
	FreedHere     = "freed here"
	FreedBefore   = "freed here before"
	PointsInto    = "the object it points into"
	WaitsAsWell   = "this one waits as well"
)

// Why not all executions were explored.
const (
	MemoryLimit   = "stopped at the memory limit (--max-memory)"
	NoLeaksAtExit = "leaks were not looked for where the program calls exit"
)

// Unrolled says that loops were cut after n iterations.
func Unrolled(n int) string { return fmt.Sprintf("loops were cut after %d iterations (--unroll)", n) }

// NotFreed warns of memory that no thread frees.
func NotFreed(at report.Location) string {
	return fmt.Sprintf("%s: memory allocated here is not freed in some execution", at)
}

// Reuse says of two events that one frees a block and the other allocates it again.
func Reuse(block string) (free, alloc string) {
	return fmt.Sprintf("the block of `%s` is freed here", block), fmt.Sprintf("this allocation returns the block of `%s` again", block)
}

// Leak is the error of memory that nothing points to at the end.
func Leak() *machine.Error {
	return &machine.Error{
		Kind: machine.LeakError, Message: "memory leak: at the end of the program nothing points to the memory allocated here", Label: AllocatedHere,
	}
}

// Deadlock is the error of a thread that waits for a lock or another thread's write for ever.
func Deadlock() *machine.Error {
	return &machine.Error{Kind: machine.DeadlockError, Message: "deadlock: this thread waits forever"}
}

// JoinDeadlock is the error of a thread that waits for the end of another one for ever.
func JoinDeadlock() *machine.Error {
	return &machine.Error{Kind: machine.DeadlockError, Message: "deadlock: this thread waits for one that never ends"}
}

// Spins is the error of a loop that waits for a change that never comes.
func Spins() *machine.Error {
	return &machine.Error{Kind: machine.LivenessError, Message: "this loop spins forever: no other thread will change what it reads"}
}

// JoinedBefore is the error of a second join of a thread.
func JoinedBefore() *machine.Error {
	return &machine.Error{Kind: machine.CallError, Message: "this thread was joined before"}
}
