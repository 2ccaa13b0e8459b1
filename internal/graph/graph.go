// Package graph holds execution graphs: the events of a program with po, rf and co. An engine changes a graph in place
// while it explores, and undoes the changes when it backtracks.
//
// A Graph belongs to one worker. Event records, views and pending actions live in arenas that grow and shrink as a stack.
// Mark and Release frame a subtree of the exploration. So nothing is allocated on the Go heap once the arenas have their
// size.
//
// The words are those of Kokologiannakis et al., "Truly stateless, optimal dynamic partial order reduction" (POPL'22):
//
//	po      program order: an event's Index within its Thread
//	rf      reads-from: Event.RF of a read (the create event for a Start, the End for a Join, the Free of the block that an Alloc reuses)
//	co      coherence: Loc.Co, the writes of a location in their order, the initial one first
//	trail   the events in the order of their addition; a stamp is the place of an event in it
//	prefix  (po ∪ rf)+ of an event, as a view
//	view    for each thread, how many of its events belong to a set that is closed under po
package graph

import (
	"slices"

	"ravel/internal/event"
)

// An ID names an event record of a Graph. It is valid until the arena is released below it.
type ID uint32

// What an ID means that is the name of no added event. All three have one value, so that a new record reads from Init and has no links, and the hot loops
// may look at the record of an ID without asking which it is: that of Init has no thread and no location. The names say what is meant.
const (
	// Init is the initial write of every location.
	Init ID = 0
	// None is not an event: the end of a chain, the free of an object that is not freed, the End of a thread that runs.
	None = Init
	// Hole, in Threads, is the place of an event that a revisit has deleted, though it keeps later ones of the thread.
	Hole = Init
)

// Kind is the kind of an event.
type Kind uint8

const (
	InitWrite Kind = iota
	Start          // first event of a thread; RF is the Create
	End            // last event of a thread
	Create
	Join // RF is the End of the thread
	Read
	Write
	Fence
	Alloc
	Free
	Choice
)

// Flags of an event.
const (
	// RMWPart marks the write of an RMW, and the read of one that succeeded.
	RMWPart uint8 = 1 << iota
	// Revisitor marks a write that was added by a revisit: it is never deleted by another one.
	Revisitor
	// Spurious marks the read of a weak CAS that failed although it read the expected value.
	Spurious
	// Locked marks the read of an RMW instruction, also of a CAS that failed.
	Locked
	// OnStack marks the allocation of a stack slot.
	OnStack
	// Zeroed marks an allocation whose memory reads as zero.
	Zeroed
	// Pulled marks what a revisit has kept or added though it came after the read (depsearch.go of
	// package explore): it is never revisited.
	Pulled
	// Bad marks the write of an RMW that stands where it can't, until a revisit deletes it.
	Bad
)

// Blind, of a write, marks that of an exchange: it does not depend on what the RMW reads.
const Blind = OnStack

// Passed, of a read, marks one that was passed over when only its thread had been at the location (buffer.go of package explore).
const Passed = OnStack

// Loose, of a write, marks one that had more than one place in co when it was added, by what was before it in hb (merge.go of package explore).
const Loose = Zeroed

// NoThread is the thread of the initial writes.
const NoThread = -1

// An Event is one event of a graph. Once it is added, an engine changes only Co, Flags, Pend (when dependencies are tracked)
// and Memo. The search for cores of xmm also sets RF of a read whose promise is kept.
type Event struct {
	Kind   Kind
	Mode   event.Mode
	Flags  uint8
	Alike  bool      // the thread has done what its twin has, up to this event (symmetry.go of package explore)
	Tag    event.Tag // the instruction of an architecture that it is; of accesses with models that track dependencies only
	Thread int32
	Index  int32  // place in the thread
	Stamp  uint32 // place in the order of addition; grows along the trail
	Loc    int32  // location, -1 if none; of Alloc and Free the object's
	RF     ID
	Co     int32 // a write's index in Loc.Co; of an End, how many threads have joined it
	Prev   ID    // the thread's previous read (of a read) or write (of a write) of the location, once added; of an End, a Join of it; of a Join, another one
	Pend   uint32
	Memo   int32       // of a write, what an engine has found out about it, 0 is nothing yet; of a Start, the twin of the thread, 0 is none; of an Alloc, 1 if no freed block is known then (reuse.go of package explore)
	Val    event.Value // value read or written

	// Views; the event's own thread is implicit: it has the events up to this one.
	Prefix View // (po ∪ rf)+
	Needs  View // what a revisit keeps with the event, if that is more than Prefix (symmetry.go of package explore)
	HB     View // happens-before, as the model defines it
	Rel    View // a write: what a reader that acquires from it learns; 0 is nothing
	Acq    View // what the reads so far would give to an acquire fence; inherited along po
	FenceR View // the view of the last release fence; inherited along po

	// Dependencies, for the models that track them: reads of the same thread that decide the
	// address, the value, the existence of the event, and the expected value of a CAS.
	Addr, Data, Ctrl, Exp event.DepSet
	// Open are those of Ctrl in whose arms the event is, for a model.Armed.
	Open event.DepSet
	// AddrPo are the reads that the address of an earlier access of the thread depends on.
	AddrPo event.DepSet
	// Of a write, Ordered has events all reads among which the model is known to order before it, and OrderedOwn says how many of its
	// own thread are such; reads that were passed over may be among them. Learnt is the union of Ordered of the writes that the
	// thread has read from; inherited along po.
	Ordered, Learnt View
	OrderedOwn      int32
	// Before is the place of the last event before this one, in its thread, that may matter to Ordered of a later write; -1 if there is none.
	Before int32
}

// A Graph is an execution graph.
//
// The events of a thread need not be there from the first to the last: with dependency-tracking
// models a revisit keeps events that come after deleted ones. Threads has Hole in their places.
type Graph struct {
	Events  []Event
	Threads [][]ID // in program order; never ends with a hole
	Trail   []ID
	Locs    []Loc
	// Contested are the locations where an access of one thread may be co- or fr-before one of another: there was one at some time, whether it is there now or not.
	Contested []int32
	SC        [][]ID // by thread: its sc accesses and fences, in program order
	NumSC     int    // how many those are
	SCFences  int    // how many of them are fences

	// Deleted has, for the holes that a cut has made, the events that were there: what comes again will be of the same
	// kind and mode, at the same place.
	Deleted [][]ID

	Heap         int    // how many heap objects there are
	Freed        [][]ID // by thread: its Free events of heap objects, in program order
	Frees        int    // how many Free events there are, those of stack slots included
	GracePeriods int    // how many grace periods of RCU and SRCU there are
	Reused       int    // how many Alloc events gave out a block that had been freed before: RF is its Free
	Holes        int    // how many holes the threads have
	Seen         Set    // scratch, for searches of models
	Keys         Keys   // the same, by location
	Marks        Marks  // the same

	Deps *event.DepTable // of the events' dependencies

	Loose int // how many writes are Loose
	Low   int // how much of the trail is as it was when an engine last set Low to its length

	scratch   [4][]int32
	fronts    []Front
	stride    int
	views     []uint32
	byAddr    addrTable
	unaligned bool      // a location is not at a multiple of its size
	removed   []removal // stack of what cuts took out
}

// New returns an empty graph for up to threads threads.
func New(threads int) *Graph {
	g := &Graph{stride: threads}
	g.Events = append(g.Events, Event{Thread: NoThread, Loc: -1})
	g.views = make([]uint32, threads) // view 0 is empty
	g.Threads = make([][]ID, threads)
	g.SC = make([][]ID, threads)
	g.Deleted = make([][]ID, threads)
	g.Freed = make([][]ID, threads)
	g.fronts = make([]Front, threads)
	for i := range g.scratch {
		g.scratch[i] = make([]int32, threads)
	}
	return g
}

// Scratch returns the i-th of four scratch slices with an element for each thread, filled with v.
func (g *Graph) Scratch(i int, v int32) []int32 {
	s := g.scratch[i]
	for j := range s {
		s[j] = v
	}
	return s
}

// A Front is what a search knows of a thread: the first event that it has come to, from where on it has looked at all, and how many events of the thread are in the prefix
// that it must not come to.
type Front struct{ First, Done, Prefix int32 }

// Fronts returns a scratch slice with an element for each thread.
func (g *Graph) Fronts() []Front { return g.fronts[:len(g.Threads)] }

// Use has the graph know its first n threads only. All that goes through the threads of a graph is slower the more it knows of. The number may grow
// at any time, up to what New has made room for. It may shrink while the graph is empty.
func (g *Graph) Use(n int) {
	old := len(g.Threads)
	g.Threads, g.SC, g.Deleted, g.Freed = g.Threads[:n], g.SC[:n], g.Deleted[:n], g.Freed[:n]
	for i := range g.scratch {
		g.scratch[i] = g.scratch[i][:n]
	}
	for i := range g.Locs {
		g.Locs[i].Last = g.Locs[i].Last[:n]
	}
	for v := 0; v < len(g.views) && old < n; v += g.stride {
		clear(g.views[v+old : v+n])
	}
}

// Last returns the last event of thread t, or None if it has none.
func (g *Graph) Last(t int32) ID {
	if n := len(g.Threads[t]); n > 0 {
		return g.Threads[t][n-1]
	}
	return None
}

// A Mark is a point to release the arenas to.
type Mark struct{ events, views int }

// Mark returns the present extent of the arenas.
func (g *Graph) Mark() Mark { return Mark{len(g.Events), len(g.views)} }

// Release drops the records and views made since m. The events must have been removed.
func (g *Graph) Release(m Mark) {
	g.Events = g.Events[:m.events]
	g.views = g.views[:m.views]
}

// NewEvent makes a record for the next event of thread t, with the views that it inherits from
// its po-predecessor. It is not part of the graph until Add.
func (g *Graph) NewEvent(t int32, kind Kind, mode event.Mode, loc int32) ID {
	last, index := None, len(g.Threads[t])
	if index > 0 {
		last = g.Threads[t][index-1]
	}
	id := ID(len(g.Events))
	if int(id) == cap(g.Events) {
		g.Events = slices.Grow(g.Events, 1)
	}
	g.Events = g.Events[:id+1]
	e, pred := &g.Events[id], &g.Events[last]
	*e = Event{}
	e.Kind, e.Mode, e.Thread, e.Index, e.Loc, e.Before = kind, mode, t, int32(index), loc, int32(index)-1
	e.Prefix, e.Needs, e.HB, e.Acq, e.FenceR, e.Learnt = pred.Prefix, pred.Needs, pred.HB, pred.Acq, pred.FenceR, pred.Learnt
	return id
}

// NewEventAt makes a record for the event at the given place of thread t, a hole or its end.
func (g *Graph) NewEventAt(t, index int32, kind Kind, mode event.Mode, loc int32) ID {
	g.Events = append(g.Events, Event{Kind: kind, Mode: mode, Thread: t, Index: index, Loc: loc})
	return ID(len(g.Events) - 1)
}

// At returns the event at place i of thread t or, if that is a hole, what was there before.
func (g *Graph) At(t, i int32) ID {
	if id := g.Threads[t][i]; id != Hole {
		return id
	}
	return g.Deleted[t][i]
}

// FirstHole returns the place of the first event that thread t lacks.
func (g *Graph) FirstHole(t int32) int32 {
	for i, id := range g.Threads[t] {
		if id == Hole {
			return int32(i)
		}
	}
	return int32(len(g.Threads[t]))
}

// Add appends event id to its thread and to the trail.
// A write is put at index co of its location's coherence order.
func (g *Graph) Add(id ID, co int32) {
	e := &g.Events[id]
	e.Stamp = 1
	if n := len(g.Trail); n > 0 {
		e.Stamp = g.Events[g.Trail[n-1]].Stamp + 1
	}
	g.Trail = append(g.Trail, id)
	g.link(id, co)
}

// AddAt is Add for a revisited read, which takes over place i of the trail and its stamp.
func (g *Graph) AddAt(id ID, i int, stamp uint32) {
	g.Events[id].Stamp = stamp
	g.Trail[i] = id
	g.link(id, 0)
}

// DropAt removes the event that AddAt put at place i, where event old was.
func (g *Graph) DropAt(i int, old ID) {
	g.unlink(g.Trail[i])
	g.Trail[i] = old
	g.Low = min(g.Low, i)
}

// Pop removes the last event of the trail. Who calls it sees to Low.
func (g *Graph) Pop() {
	n := len(g.Trail) - 1
	g.unlink(g.Trail[n])
	g.Trail = g.Trail[:n]
}

func (g *Graph) link(id ID, co int32) {
	e := &g.Events[id]
	g.fill(id, e)
	switch e.Kind {
	case Read:
		l := &g.Locs[e.Loc]
		g.chain(id, e, &l.Last[e.Thread].Read)
		l.Reads++
		if e.Mode == event.NA {
			l.NA++
		}
		if !l.contested {
			g.meet(l, e)
		}
	case Write:
		l := &g.Locs[e.Loc]
		g.chain(id, e, &l.Last[e.Thread].Write)
		if e.Mode == event.NA {
			l.NA++
		}
		l.insert(g, id, co)
		if e.Flags&Loose != 0 {
			g.Loose++
		}
		if !l.contested {
			g.meet(l, e)
		}
	case Fence:
		if e.Tag.IsGracePeriod() {
			g.GracePeriods++
		}
		if e.Mode == event.SC {
			g.SCFences++
		}
	case Join:
		end := &g.Events[e.RF]
		end.Co++
		e.Prev, end.Prev = end.Prev, id
	case Alloc:
		g.Locs[e.Loc].Alloc = id
		g.countHeap(e, 1)
		g.setAgain(e, id)
	case Free:
		g.Frees++
		g.Locs[e.Loc].Free = id
		g.countHeap(e, -1)
		if e.Flags&OnStack == 0 {
			g.enlist(g.Freed, id, e)
		}
	}
	if e.Mode == event.SC {
		g.enlist(g.SC, id, e)
		g.NumSC++
	}
}

func (g *Graph) unlink(id ID) {
	e := &g.Events[id]
	g.clear(e)
	switch e.Kind {
	case Read:
		l := &g.Locs[e.Loc]
		g.unchain(id, e, &l.Last[e.Thread].Read)
		l.Reads--
		if e.Mode == event.NA {
			l.NA--
		}
	case Write:
		l := &g.Locs[e.Loc]
		g.unchain(id, e, &l.Last[e.Thread].Write)
		if e.Mode == event.NA {
			l.NA--
		}
		l.remove(g, e.Co)
		if e.Flags&Loose != 0 {
			g.Loose--
		}
	case Fence:
		if e.Tag.IsGracePeriod() {
			g.GracePeriods--
		}
		if e.Mode == event.SC {
			g.SCFences--
		}
	case Join:
		end := &g.Events[e.RF]
		end.Co--
		g.unchain(id, e, &end.Prev)
	case Alloc:
		g.Locs[e.Loc].Alloc = None
		g.countHeap(e, -1)
		g.setAgain(e, None)
	case Free:
		g.Frees--
		g.Locs[e.Loc].Free = None
		g.countHeap(e, 1)
		if e.Flags&OnStack == 0 {
			g.delist(g.Freed, id, e)
		}
	}
	if e.Mode == event.SC {
		g.delist(g.SC, id, e)
		g.NumSC--
	}
}

// fill puts an event into its place of its thread.
func (g *Graph) fill(id ID, e *Event) {
	t := &g.Threads[e.Thread]
	if int(e.Index) < len(*t) {
		(*t)[e.Index] = id
		g.Holes--
		return
	}
	for len(*t) < int(e.Index) {
		*t = append(*t, Hole)
		g.Holes++
	}
	*t = append(*t, id)
}

// clear takes an event out of its place, and the holes that its thread ends with then.
func (g *Graph) clear(e *Event) {
	t := &g.Threads[e.Thread]
	n := len(*t) - 1
	if int(e.Index) < n {
		(*t)[e.Index] = Hole
		g.Holes++
		return
	}
	for n > 0 && (*t)[n-1] == Hole {
		n--
		g.Holes--
	}
	*t = (*t)[:n]
}

// chain puts an access into the list, by Prev, of those of its thread and location.
func (g *Graph) chain(id ID, e *Event, last *ID) {
	at := last
	for *at != None && g.Events[*at].Index > e.Index {
		at = &g.Events[*at].Prev
	}
	e.Prev = *at
	*at = id
}

func (g *Graph) unchain(id ID, e *Event, last *ID) {
	at := last
	for *at != id {
		at = &g.Events[*at].Prev
	}
	*at = e.Prev
}

// enlist puts an event into the list of its thread, which is in program order.
func (g *Graph) enlist(lists [][]ID, id ID, e *Event) {
	list := append(lists[e.Thread], id)
	for i := len(list) - 1; i > 0 && g.Events[list[i-1]].Index > e.Index; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	lists[e.Thread] = list
}

func (g *Graph) delist(lists [][]ID, id ID, e *Event) {
	list := lists[e.Thread]
	i := len(list) - 1
	for list[i] != id {
		i--
	}
	lists[e.Thread] = append(list[:i], list[i+1:]...)
}

func (g *Graph) countHeap(e *Event, n int) {
	if e.Flags&OnStack == 0 {
		g.Heap += n
	}
}

// setAgain notes which Alloc event gives out the block again that the Alloc event e reuses; None: none does.
func (g *Graph) setAgain(e *Event, alloc ID) {
	if e.RF == None {
		return
	}
	g.Locs[g.Events[e.RF].Loc].Again = alloc
	g.Reused++
	if alloc == None {
		g.Reused -= 2
	}
}

// Depends reports whether e depends on the read at place i of its thread.
func (g *Graph) Depends(e *Event, i int32) bool {
	for _, d := range [...]event.DepSet{e.Ctrl, e.Data, e.Addr, e.AddrPo, e.Exp} {
		if g.Deps.Has(d, i) {
			return true
		}
	}
	return false
}

// Become makes the event id, which is in the graph, a write of location loc at index co of its coherence order, and returns what
// undoes that.
func (g *Graph) Become(id ID, mode event.Mode, loc, co int32) (undo func()) {
	old := g.Events[id]
	g.unlink(id)
	e := &g.Events[id]
	e.Kind, e.Mode, e.Flags, e.Loc = Write, mode, 0, loc
	g.link(id, co)
	return func() {
		g.unlink(id)
		stamp := g.Events[id].Stamp
		g.Events[id] = old
		g.Events[id].Stamp = stamp
		g.link(id, 0)
	}
}
