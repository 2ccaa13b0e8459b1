// Package model has the memory models in Go, each a checker of execution graphs behind one interface.
//
// A Model is asked about graphs in which po ∪ rf is acyclic. The engine adds events in an order that respects (po ∪ rf)+.
// An event that reads from, or is, the co-maximal write of its location has no successor in co or fr, and is consistent.
// So the engine asks a Model only about other events.
//
// Some models allow cycles in po ∪ rf. imm, armv8, riscv, armv7, power and lkmm are DepModels: they also check graphs with
// cycles and holes, by their dependencies. xmm is rc11 here; package explore/xmm adds its executions with cycles. Java's models are
// LateModels: some of their constraints are decided on complete executions.
package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"ravel/internal/arch"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// A Model says which execution graphs are consistent.
type Model interface {
	// Name is what --model calls it.
	Name() string
	// Doc is its definition, with its source.
	Doc() string
	// Views sets HB, Rel, Acq and FenceR of an event that is about to be added, which has its RF,
	// its Prefix and what it inherited from its po-predecessor. Coherence with respect to HB
	// (irreflexive hb;eco, through graph.MinCo) is the engine's.
	Views(g *graph.Graph, id graph.ID)
	// Consistent reports whether the graph, consistent without event id, is so with it.
	// It is called only if id has a co- or fr-successor.
	Consistent(g *graph.Graph, id graph.ID) bool
	// Local reports whether, in graphs with fewer than two sc events, coherence of each location by
	// itself makes a graph consistent.
	Local() bool
	// RaceView is the order that conflicting non-atomic accesses must have.
	RaceView(e *graph.Event) graph.View
	// Traits say what else there is to know of it.
	Traits() Traits
}

// A DepModel is a model that tracks dependencies: an execution may have cycles in po ∪ rf.
type DepModel interface {
	Model
	// AcyclicFirst reports whether graphs without such cycles and without holes can be explored by Views and Consistent, which
	// is faster. If not, these are not used.
	AcyclicFirst() bool
	// Check reports whether the graph, which may have holes, is consistent.
	// Writes with the flag graph.Bad need not be atomic.
	Check(g *graph.Graph) bool
	// CheckLast is Check for a graph that is consistent without event id, the last one of its thread.
	CheckLast(g *graph.Graph, id graph.ID) bool
	// OrdersPo reports whether the model orders x before e, which is po-later, by a barrier or by their location:
	// what else than dependencies belongs to the prefix of e.
	OrdersPo(g *graph.Graph, x, e *graph.Event) bool
	// AddrPo reports whether addr;po is in the order of the model: whether it belongs to prefixes.
	AddrPo() bool
	// Latest reports whether it is always consistent for the last event of a thread to read from, or to be, the co-latest write.
	Latest(g *graph.Graph) bool
}

// An Armed model has control dependencies only where the event is in an arm of the branch (graph.Event.Open).
type Armed interface {
	// OrdersPoAmong is OrdersPo if of the events between x and e only those were there that keep says.
	OrdersPoAmong(g *graph.Graph, x, e *graph.Event, keep func(*graph.Event) bool) bool
}

// A LateModel can't tell of a graph that will grow all that it tells of a complete one: Consistent lets graphs through that
// no consistent execution extends.
type LateModel interface {
	// Complete reports whether a graph is consistent to which nothing will be added. An error is one of deciding it; one is that
	// stop was set before it was decided.
	Complete(g *graph.Graph, stop *atomic.Bool) (bool, error)
	// Possible reports whether a graph seems to be part of an execution. If certain, it is false only if none extends the graph,
	// or if stop was set before that was known.
	Possible(g *graph.Graph, stop *atomic.Bool) (ok, certain bool)
}

// A CycleModel allows executions with cycles in po ∪ rf that have nothing to do with dependencies. Which of them are not out of thin air is decided by re-execution (docs/jam21.md).
type CycleModel interface {
	// Allows reports whether a graph is consistent, whatever cycles po ∪ rf has, as far as it can be told before it is complete.
	Allows(g *graph.Graph) bool
	// Backward reports whether reads of a location may go backwards in co where a plain write is read (backward.go of package explore).
	Backward() bool
	// Visible returns what the model orders in every execution that extends the graph. Events are numbered thread by thread, in program order.
	Visible(g *graph.Graph) *relation.Rel
	// Ordered returns a part of Visible that co has to follow.
	Ordered(g *graph.Graph) *relation.Rel
	// OpaqueAcyclic reports whether no cycle in po ∪ rf has opaque events only.
	OpaqueAcyclic() bool
}

// Traits are what engines must know of a model. The zero value is that of a model whose executions have no cycles in po ∪ rf, whose graphs are judged event by
// event, and whose races are those of RaceView.
type Traits struct {
	// Deps is the model itself if executions may have cycles in po ∪ rf.
	Deps DepModel
	// Armed is the model itself if its control dependencies end with the arms of branches.
	Armed Armed
	// TracksDeps: the model is told of dependencies and instructions. It is so with Deps.
	TracksDeps bool
	// Late is the model itself if it judges complete graphs more strictly.
	Late  LateModel
	Races Races
	// Floor, if set, returns the least place in co of a write that an access of location loc may read, or be placed after, when it follows pred in its thread, beyond what HB says
	// (graph.MinCo). The engine does not try anything below.
	Floor func(g *graph.Graph, loc int32, pred *graph.Event) int32
	// Readable, if set, returns the place in co, not below least, from which on Consistent lets a load read all writes of other threads. If ReadableOnly is set, it lets the load read none between least and
	// there. The load is the event id, and reads the co-latest write.
	Readable     func(g *graph.Graph, id graph.ID, least int32) int32
	ReadableOnly bool
	// InEffect, if set, reports whether the write w has taken effect when event id happens, which has heard of it: others may hear of what a thread does after a
	// write before the write takes effect.
	InEffect func(g *graph.Graph, w, id graph.ID) bool
	// Arch is the processor that the model is about, or a language; "" is one of stores in general.
	Arch arch.Name
	// TotalCo: the exploration needs co, even if executions that differ only in it are taken for one.
	TotalCo bool
	// ByRelease: threads synchronise by release and acquire only. What a thread does to a block that it has allocated is in hb before all that others do to it, from its first
	// release on.
	ByRelease bool
	// Reexecutes: executions are those of the checker, and what these re-execute to.
	Reexecutes bool
	// Cycles is the model itself if it allows cycles in po ∪ rf that the checker does not build.
	Cycles CycleModel
	// Rounds: iterations of loops that leave memory as it was may be left out (round.go of package explore), though Late or Races would say otherwise.
	Rounds bool
	// Through: under a model with dependencies, what an RMW that acquires reads from, and what comes before that, is ordered before what reads its write.
	Through bool
	// FreeRfi: under a model with dependencies, what a write depends on is not ordered before what comes after a read of it in its thread, unless the read's value matters there.
	FreeRfi bool
	// CutsMatter: of Java's models, one of which it was not shown that the rounds of a loop that waits make no difference. Where a loop is cut, the verdict is bounded.
	CutsMatter bool
	// Linked: po alone does not order the writes of a location before the last one.
	Linked bool
	// Kernel: the model knows the read-side critical sections of RCU.
	Kernel bool
	// Missing, if set, says which executions that the model allows are not explored, of those with and without read-modify-writes; "" if none.
	Missing func(rmw bool) string
	// Fork, if set, returns a copy of the model, which has memory of its own: every worker asks its own copy.
	Fork func() Model
}

// Picks reports whether instructions that select, and those that compare and swap, order less than a branch does (shadow.go of package machine).
func (t *Traits) Picks() bool {
	return t.TracksDeps && (t.Arch == arch.AArch64 || t.Arch == arch.RISCV)
}

// Races say what a data race is under a model, and whether it is an error.
type Races struct {
	// Allowed: a race is not an error, as in Java.
	Allowed bool
	// Own: the model says itself what a race is, or nothing about it. Then races are those of RaceView only if ByView, and Flags has others.
	Own, ByView bool
	// Pairs, if set, calls yield with the pairs of accesses of a complete graph that race, until it returns false.
	Pairs func(g *graph.Graph, yield func(a, b graph.ID) bool)
	// Flags, if set, reports what the model has against an execution that can't go on.
	Flags func(g *graph.Graph, report func(Flag))
}

// A Flag is a mistake of a program by the word of the model.
type Flag struct {
	Name string
	At   string   // where the model says so
	A, B graph.ID // the events that it is about; Init if there are none
}

// Options choose between variants of a model.
type Options struct {
	// Checker is how Java's models are checked, one of Checkers.
	Checker string
	// Variants of the model.
	Variants []string
	// Raw ignores the access modes under hardware models (except those of fences),
	// instead of compiling them as C11 compilers do.
	Raw bool
}

// A native is a model of this package: how to make it, and the options that it has.
type native struct {
	make     func(Options) Model
	checkers bool     // it has Checkers
	variants []string // it has these variants
}

var natives = map[string]native{}

// register makes a model known. Each has a call of it beside its checker.
func register(name string, n native) bool {
	natives[name] = n
	return true
}

// Names lists the models in the order of their names; package memmodel has all that is to be told about them.
func Names() []string { return slices.Sorted(maps.Keys(natives)) }

// Get returns the model of that name.
func Get(name string, opts Options) (Model, error) {
	n, ok := natives[name]
	if !ok {
		return nil, fmt.Errorf("no native checker for the memory model %q", name)
	}
	return n.make(opts), CheckOptions(name, opts)
}

// CheckOptions reports options that a model does not have. One in cat has none.
func CheckOptions(name string, o Options) error {
	n := natives[name]
	if !n.checkers && o.Checker != "" {
		return fmt.Errorf("--checker is for Java's models, jam19, jam21 and jam21-thesis: %s has one way to be checked", name)
	}
	if o.Checker != "" && !slices.Contains(Checkers, o.Checker) {
		return fmt.Errorf("unknown checker %q: the checkers are %s", o.Checker, strings.Join(Checkers, ", "))
	}
	for _, v := range o.Variants {
		if !slices.Contains(n.variants, v) {
			return fmt.Errorf("%s has no variant %q: jam21 has direct and c11, with --engine states pso has relaxed-rmw and rmo has speculate, other models have none", name, v)
		}
	}
	return nil
}
