package engine

import (
	"fmt"

	"ravel/internal/machine"
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
