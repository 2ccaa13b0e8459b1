package model

import (
	"ravel/internal/arch"
	"ravel/internal/event"
	"ravel/internal/graph"
)

// An Architecture says what the events of a C program are on a machine: the instructions that the accesses become and
// the barriers that stand between them. It is for models that are not written in this package.
type Architecture struct {
	raw bool
	m   *mapping
}

// ArchitectureOf returns the architecture of a processor, nil if it has no table for C11. raw is Options.Raw.
func ArchitectureOf(name arch.Name, raw bool) *Architecture {
	if d := arch.Of(name); d == nil || d.C11 == nil {
		return nil
	}
	return &Architecture{raw, newMapping(name)}
}

// Access returns what the read or write e is: AcquireA, AcquirePC, ReleaseL, AqRl, or NoTag if it has no order.
func (a *Architecture) Access(e *graph.Event) event.Tag {
	t := a.m.mark(e, a.raw)
	switch {
	case isTagged(e) && e.Tag == event.AqRl:
		return t // both halves of one instruction
	case e.Kind == graph.Write && (t == event.ReleaseL || t == event.AqRl):
		t = event.ReleaseL
	case e.Kind == graph.Read && e.Tag == event.AqRl:
		t = event.AcquireA
	}
	if a.m.marks[t] == "" {
		return event.NoTag
	}
	return t
}

// Fence returns what the fence e is.
func (a *Architecture) Fence(e *graph.Event) event.Tag { return a.m.tagOf(e) }

// Branches reports whether all that comes after the access e in its thread depends on it by control, whatever the program does.
func (a *Architecture) Branches(e *graph.Event) bool { return a.m.branches(e, a.raw) }

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
