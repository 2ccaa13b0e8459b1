// Package engine has what the engines share: the common part of their options and results, how they stop, the numbers of threads, and the
// wording of errors. The engines are packages explore (execution graphs) and states (states with store buffers).
// Package justify, for litmus tests, runs no machine and shares none of this.
package engine

import (
	"fmt"
	"time"

	"ravel/internal/cache"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// Options say what to explore and what counts as an error, in all engines.
type Options struct {
	Machine       machine.Options
	Workers       int // 0 is one per core
	RaceCheck     bool
	MemoryCheck   bool
	Liveness      bool // an endless execution is an error
	NoSpuriousCAS bool // a weak CAS does not fail if it reads the expected value
	LeakCheck     bool // memory that nothing points to at the end is an error
	NoReuse       bool // an allocation never returns memory that was freed
	Symmetry      bool // identify executions or states that differ only by a permutation of threads; each engine says of which
	KeepGoing     bool // report every distinct error
	MaxMemory     int64
	Timeout       time.Duration // give up after so long; see WithTimeout
	Cache         *cache.Store  // keeps the code of large programs; nil: nothing

	// OnProgress is called now and then, by one goroutine at a time.
	OnProgress func(Progress)
}

// Progress is how far an exploration is.
type Progress struct {
	Done  int64   // executions or states
	Share float64 // the share of the whole that this is estimated to be; 0 if unknown
}

// A Result is what an exploration found, in all engines.
type Result struct {
	Errors   []report.Error
	Warnings []string
	Waits    []report.Wait // where threads stay for ever, if no execution comes to its end
	Spins    []report.Wait // where threads can spin for ever
	Cut      string        // why executions were cut short or left out, "" if none was
	GaveUp   string        // why the exploration is not complete, "" if it is
}

// An Unsupported error is about what ravel can't do.
type Unsupported struct {
	Location report.Location
	Message  string
}

func (u *Unsupported) Error() string { return fmt.Sprintf("%s: %s", u.Location, u.Message) }
