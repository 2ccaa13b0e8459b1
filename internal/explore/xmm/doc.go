// Package xmm explores the executions of the model xmm: those of rc11, and those with cycles in po ∪ rf that others re-execute to.
// docs/xmm.md has the definition, the algorithm and the proofs. Java's models have executions with cycles by similar rules (java.go, docs/jam21.md).
//
// Package explore visits the executions without cycles and tells a reexecution of them (lbrace.go). If one of them has a load-buffering race, the
// reexecution explores the rest (cores.go). It alternates between two steps until nothing is new:
//
//   - A scan explores the extensions of each core. It collects what they have (flow.go) and looks for embeddings of candidates in them (embed.go).
//   - A search (search.go, commits.go, loose.go) builds candidates for cores on top of each core.
//
// It works on sketches, which are graphs by themselves (sketch.go, consistent.go). load.go makes a sketch the graph of a worker again.
//
// The executions of a litmus test are all known before. Reexecuted (litmus.go) only decides which of them xmm allows.
package xmm

import (
	"ravel/internal/explore"
	"ravel/internal/report"
)

// maxEvents bounds the events of an execution by default: time and memory are quadratic in their number.
const maxEvents = 20_000

// Use prepares the exploration of a model that re-executes. It does nothing if the model of opts does not. explain, if it is not nil, is called with the graphs
// that executions with cycles come from, in the order in which they were found.
func Use(opts *explore.Options, explain func(title string, x *report.Execution)) {
	traits := opts.Model.Traits()
	if !traits.Reexecutes && (traits.Cycles == nil || opts.Bound > 0) {
		return
	}
	if opts.MaxEvents == 0 && traits.Reexecutes {
		opts.MaxEvents = maxEvents
	}
	opts.Reexecution = func() explore.Reexecution {
		return &reexecution{explain: explain, java: traits.Cycles}
	}
}
