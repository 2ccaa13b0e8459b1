package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// An Architecture says what the events of a C program are on a machine: the instructions that the accesses become and
// the barriers that stand between them. It is for models that are not written in this package.
type Architecture struct {
	raw  bool
	m    *mapping
	read func(*graph.Event) event.Tag // what a read is: AcquireA, AcquirePC, AqRl or NoTag
	rel  func(*graph.Event) bool      // the write is a release
	// branch reports whether the instructions of the access end with a branch on what it read, or whether it wrote.
	branch func(*graph.Event) bool
}

// ArchitectureOf returns the architecture of a model: armv8, armv7, power or riscv. raw is Options.Raw.
func ArchitectureOf(name string, raw bool) *Architecture {
	no := func(*graph.Event) bool { return false }
	a := &Architecture{raw: raw, rel: no, branch: no, read: noTag}
	switch name {
	case "armv8":
		m := &armv8{raw: raw}
		a.m, a.rel = &mappingARMv8, m.isL
		a.read = func(e *graph.Event) event.Tag {
			switch {
			case m.isA(e):
				return event.AcquireA
			case m.isQ(e):
				return event.AcquirePC
			}
			return event.NoTag
		}
	case "riscv":
		m := &riscv{raw: raw}
		a.m, a.rel, a.branch = &mappingRISCV, m.isRl, m.loops
		a.read = func(e *graph.Event) event.Tag {
			switch {
			case m.isAqRl(e):
				return event.AqRl
			case m.isAq(e):
				return event.AcquireA
			}
			return event.NoTag
		}
	case "armv7", "power":
		m := &cats{raw: raw, armv7: name == "armv7"}
		a.m, a.branch = m.mapping(), m.tested
	default:
		return nil
	}
	return a
}

// Access returns what the read or write e is: AcquireA, AcquirePC, ReleaseL, AqRl, or NoTag if it has no order.
func (a *Architecture) Access(e *graph.Event) event.Tag {
	switch {
	case e.Kind == graph.Read:
		return a.read(e)
	case a.rel(e):
		return event.ReleaseL
	}
	return event.NoTag
}

// Fence returns what the fence e is.
func (a *Architecture) Fence(e *graph.Event) event.Tag { return a.m.tagOf(e) }

// Branches reports whether all that comes after the access e in its thread depends on it by control, whatever the program does.
func (a *Architecture) Branches(e *graph.Event) bool { return a.branch(e) }

// A Barrier is one that the mapping has put between two events of a thread.
type Barrier struct {
	Before int // the place of the event that it stands before
	Tag    event.Tag
}

// Barriers appends the barriers that the mapping adds to thread t, in program order. Those around events that
// are missing for now count too.
func (a *Architecture) Barriers(g *graph.Graph, t int32, to []Barrier) []Barrier {
	if a.raw {
		return to
	}
	for _, b := range a.m.barriersOf(g, int(t), len(g.Threads[t]), false) {
		if b.at&1 != 0 {
			to = append(to, Barrier{(b.at + 1) >> 1, b.tag})
		}
	}
	return to
}
