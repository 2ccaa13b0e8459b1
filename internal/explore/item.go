package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/limits"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// Pieces of a search, for runs that survive their process and that spread over machines.
//
// An Item names a piece of the tree of the search. To explore it for a while gives a Record: what was found, and the item that is left. Any number of
// processes may explore items, in any order; an item may be explored many times, if one of its records counts. Then the sum of the records is what one
// exploration finds.
//
// That holds because the tree is the same for all. What an exploration learns on its way, and then does differently, is in a Setup, which does not
// change. Where a plain exploration goes on with what it has learnt, that of an item only notes it. A Setup under which nothing was learnt that
// matters gives the result. Otherwise there is another Setup, and all begins anew: a new generation. There is one exception. A thread
// that was not known gets the next number; nothing changes for pieces without that thread, so their records still count.

// An Item is a piece of the tree: the nodes on Path from depth Top on, each after the branch that the path takes, and all below. A hunt has
// one item for each chain of walks.
type Item struct {
	Path []int32
	Top  int
	Walk uint64 // of a hunt: the number of the chain
}

// Root is the item that is the whole tree.
func Root() Item { return Item{Path: []int32{0}} }

// Split cuts an item into at most n others. The first ones have the nodes nearest to the root, below which most is left.
func (it Item) Split(n int) []Item {
	var items []Item
	for top := it.Top; top < len(it.Path); top++ {
		if len(items) == n-1 {
			return append(items, Item{Path: it.Path, Top: top, Walk: it.Walk})
		}
		items = append(items, Item{Path: it.Path[:top+1], Top: top, Walk: it.Walk})
	}
	return items
}

// valid reports whether it can be an item: a record may have come from anywhere.
func (it *Item) valid() bool {
	return len(it.Path) > 0 && len(it.Path) <= maxBranches+1 && it.Top >= 0 && it.Top < len(it.Path) && slices.Min(it.Path) >= 0
}

// A Setup is what an exploration knows before it begins. The zero Setup knows nothing.
type Setup struct {
	Threads     []engine.ThreadKey `json:",omitempty"` // thread i+1 is Threads[i]
	Cyclic      bool               `json:",omitempty"` // explore cycles in po ∪ rf (depsearch.go)
	Undef       bool               `json:",omitempty"` // registers may have undefined bits
	Lenient     bool               `json:",omitempty"` // rounds that others may see are waits (round.go)
	Polls       bool               `json:",omitempty"` // rounds are waits under a model that re-executes (sync.go)
	Seen        bool               `json:",omitempty"` // threads see that others hold a lock before and after they wait for a signal (vain.go)
	Layout      []machine.Granule
	Recut       []event.Addr  `json:",omitempty"`
	Apart       []event.Addr  `json:",omitempty"`
	Unserial    []event.Addr  `json:",omitempty"` // await.go
	Excluded    []event.Addr  `json:",omitempty"`
	Rewritten   []event.Addr  `json:",omitempty"` // buffer.go
	Turned      []event.Addr  `json:",omitempty"` // turn.go
	Choices     bool          `json:",omitempty"` // look which accesses have a choice (spurious.go)
	HasChoice   []event.Addr  `json:",omitempty"`
	Disciplines []Discipline  `json:",omitempty"` // discipline.go
	Written     []Written     `json:",omitempty"` // confirm.go
	Settled     []Settled     `json:",omitempty"` // settled.go
	Writers     []Writers     `json:",omitempty"` // lost.go
	EndsSeen    bool          `json:",omitempty"` // aftermath.go
	Loud        []ir.Pos      `json:",omitempty"` // aftermath.go
	Suspects    []RoundAccess `json:",omitempty"`
	Twinned     bool          `json:",omitempty"` // there may be equal threads (symmetry.go)
	AllUnlike   bool          `json:",omitempty"`
	Unlike      []Origin      `json:",omitempty"`
	Ownings     []Owning      `json:",omitempty"`
}

// A Discipline is how a location is used (discipline.go).
type Discipline struct {
	Addr   event.Addr
	Held   []Holding     `json:",omitempty"`
	Takes  []Taking      `json:",omitempty"`
	Uneven bool          `json:",omitempty"`
	Vals   []event.Value `json:",omitempty"`
	None   bool
	Owner  int32

	Lock, NoLock  bool        `json:",omitempty"`
	Free          event.Value `json:",omitzero"`
	Guarded, Bare bool        `json:",omitempty"`
	Guard         event.Addr  `json:",omitempty"`
	GuardSize     uint8       `json:",omitempty"`
	Fixed         []int32     `json:",omitempty"`
	Loose         bool        `json:",omitempty"`
}

// A Holding is a value that is there because of a round of a thread (discipline.go).
type Holding struct {
	Thread   int32
	Val      event.Value
	Counted  bool
	Instead  event.Value
	Stores   bool
	Followed bool `json:",omitempty"`
}

// A Taking is what a thread may have taken of a counter that refuses it (refuse.go).
type Taking struct {
	Thread int32
	Val    event.Value
}

// Written are the values that are written to a location (confirm.go).
type Written struct {
	Addr event.Addr
	Vals []event.Value `json:",omitempty"`
	None bool
}

// Settled is a location that is settled for all threads but some (settled.go).
type Settled struct {
	Addr event.Addr
	Not  uint64 `json:",omitempty"` // bit t is thread t
}

// Writers are the functions that write to a location (lost.go).
type Writers struct {
	Addr  event.Addr
	Funcs []event.Addr `json:",omitempty"`
}

// Extends reports whether s differs from old only by more threads: records of old count under s.
func (s *Setup) Extends(old *Setup) bool {
	if len(s.Threads) < len(old.Threads) || !slices.Equal(s.Threads[:len(old.Threads)], old.Threads) {
		return false
	}
	return s.Cyclic == old.Cyclic && s.Undef == old.Undef && s.Lenient == old.Lenient && s.Polls == old.Polls && s.Seen == old.Seen && s.Choices == old.Choices && s.EndsSeen == old.EndsSeen &&
		s.Twinned == old.Twinned && s.AllUnlike == old.AllUnlike && slices.Equal(s.Unlike, old.Unlike) && slices.Equal(s.Ownings, old.Ownings) &&
		slices.Equal(s.Layout, old.Layout) && slices.Equal(s.Recut, old.Recut) && slices.Equal(s.Apart, old.Apart) &&
		slices.Equal(s.Unserial, old.Unserial) && slices.Equal(s.Excluded, old.Excluded) && slices.Equal(s.HasChoice, old.HasChoice) && slices.Equal(s.Turned, old.Turned) && slices.Equal(s.Settled, old.Settled) && slices.Equal(s.Loud, old.Loud) && slices.Equal(s.Suspects, old.Suspects) &&
		slices.EqualFunc(s.Disciplines, old.Disciplines, func(a, b Discipline) bool {
			return a.Addr == b.Addr && a.None == b.None && a.Owner == b.Owner && a.Uneven == b.Uneven && slices.Equal(a.Takes, b.Takes) && slices.Equal(a.Held, b.Held) && slices.Equal(a.Vals, b.Vals)
		}) &&
		slices.EqualFunc(s.Written, old.Written, func(a, b Written) bool {
			return a.Addr == b.Addr && a.None == b.None && slices.Equal(a.Vals, b.Vals)
		}) &&
		slices.EqualFunc(s.Writers, old.Writers, func(a, b Writers) bool {
			return a.Addr == b.Addr && slices.Equal(a.Funcs, b.Funcs)
		})
}

// A Record is what the exploration of an item for a while gave.
type Record struct {
	Counts
	Share    float64 // of the whole tree, by an estimate
	Errors   []report.Error
	Warnings []string
	Waits    []report.Wait
	Spins    []report.Wait
	Bounded  bool   // loops were cut
	Racy     bool   // there may be executions with cycles, under a model that re-executes
	Barriers bool   // of arrivals one order was explored
	Vain     bool   // vain waits were left out
	Ordered  bool   // of executions that differ by a permutation of equal threads not all were explored
	Rounded  bool   // a thread waits after a round that has written, under a model that re-executes
	Unsynced bool   // threads do not synchronise whenever they communicate, under such a model
	Missing  string // why executions are not explored
	Sampled  string // which values were not tried
	GaveUp   string // why the exploration ends before it is complete

	// What was noted of locations. If several records together show that the Setup is wrong, there is another one (Sum.Next).
	Unserial, Displaced, HasChoice, Relied []event.Addr

	// The same of threads.
	Unlike, Linked []Origin

	// The same of rounds, and of what may be late for them (aftermath.go).
	Rounds []RoundAccess `json:",omitempty"`
	Late   []LateEvent   `json:",omitempty"`
	Over   bool          `json:",omitempty"`

	Next        *Setup              // the item can't be explored under this Setup, but under that one; then nothing else counts
	Unsupported *engine.Unsupported // the exploration ends: ravel can't do that

	Rest Item // what is left, if its Path is not empty

	Walks  int64 // of a hunt
	Prints Prints
}

// Ends reports whether the record ends the whole search.
func (r *Record) Ends(keepGoing bool) bool {
	return r.Unsupported != nil || r.GaveUp != "" || len(r.Errors) > 0 && !keepGoing
}

// A Slice says how long to explore an item.
type Slice struct {
	Due        *atomic.Bool // until that is set, and the next branch has been explored; nil: never
	Executions int          // until so many have ended; 0: no matter how many
	Stop       *atomic.Bool // give up when that is set: the record is not complete, and must not be used; nil: never
}

func (s *Slice) over(w *worker) bool {
	return s.Due != nil && s.Due.Load() || s.Executions > 0 && w.leaves >= s.Executions
}

// cut ends the search here, after a branch: what is left belongs to the next one.
func (w *worker) cut() {
	w.follow = append(w.follow[:0], w.path...)
	w.top = len(w.path)
	w.isCut = true
}

// A Search explores items of one program under one Setup. It is for many goroutines.
type Search struct {
	src   *ir.Program
	opts  Options
	prog  *machine.Program
	setup Setup
}

// NewSearch makes a search of p. Options that are about one process, such as Timeout, do not matter to it.
func NewSearch(p *ir.Program, opts Options, setup Setup) (*Search, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	if t := opts.Model.Traits(); opts.Observed && opts.Hunt == 0 && (t.TotalCo || t.Deps != nil || opts.LeakCheck) {
		return nil, fmt.Errorf("--coherence observed is for one process under %s: executions that differ only in co may be in several pieces of the search", opts.Model.Name())
	}
	mopts := opts.machine()
	mopts.Undef = mopts.Undef || setup.Undef
	prog, err := opts.Compile(p, mopts)
	if err != nil {
		return nil, err
	}
	return &Search{p, opts, prog.WithLayout(machine.NewLayout(setup.Layout)), setup}, nil
}

// Setup returns the Setup of the search.
func (s *Search) Setup() *Setup { return &s.setup }

// run makes a run that knows what the Setup says.
func (s *Search) run(namer *report.Namer) *run {
	u := &s.setup
	r := &run{
		src: s.src, opts: s.opts, prog: s.prog, namer: namer, tracks: s.opts.Model.Traits().TracksDeps, items: true, observed: s.opts.Observed && s.opts.Hunt == 0,
		knowledge: knowledge{
			cyclic: u.Cyclic, undef: u.Undef, lenient: u.Lenient, polls: u.Polls, seen: u.Seen, twinned: u.Twinned, allUnlike: u.AllUnlike, ownings: u.Ownings,
			layout: machine.NewLayout(u.Layout), recut: u.Recut, apart: u.Apart, endsSeen: u.EndsSeen, heard: u.Loud, suspected: u.Suspects,
		},
	}
	r.names.Keys = slices.Clone(u.Threads)
	r.threads = 4
	r.threads = r.roomFor()
	r.shared = make(map[event.Addr]uint8, len(u.Unserial)+len(u.Excluded))
	for _, a := range u.Unserial {
		r.shared[a] |= unserial
	}
	for _, a := range u.Excluded {
		r.shared[a] |= excluded
	}
	r.rewritten = make(map[event.Addr]bool, len(u.Rewritten))
	for _, a := range u.Rewritten {
		r.rewritten[a] = true
	}
	r.rewrites = r.rewritten
	if u.Choices {
		r.choices = &choices{}
		for _, a := range u.HasChoice {
			r.choices.has.Store(a, true)
		}
	}
	if len(u.Disciplines) > 0 {
		r.learnt = map[event.Addr]discipline{}
		for _, d := range u.Disciplines {
			k := discipline{
				vals: d.Vals, none: d.None, uneven: d.Uneven, owner: d.Owner,
				lock: d.Lock, noLock: d.NoLock, free: d.Free, guarded: d.Guarded, bare: d.Bare, guard: d.Guard, guardSize: d.GuardSize, fixed: d.Fixed, loose: d.Loose,
			}
			for _, h := range d.Held {
				k.held = append(k.held, holding{h.Thread, h.Val, h.Counted, h.Instead, h.Stores, h.Followed})
			}
			for _, o := range d.Takes {
				k.takes = append(k.takes, taking{o.Thread, o.Val})
			}
			r.learnt[d.Addr] = k
		}
		r.disciplines = r.learnt
	}
	if len(u.Written) > 0 {
		r.written = map[event.Addr]valueSet{}
		for _, s := range u.Written {
			r.written[s.Addr] = valueSet{s.Vals, s.None}
		}
		r.values = r.written
	}
	for _, a := range u.Turned {
		if r.turned == nil {
			r.turned = map[event.Addr]bool{}
		}
		r.turned[a] = true
	}
	if len(u.Settled) > 0 {
		r.stirred = map[event.Addr]uint64{}
		for _, s := range u.Settled {
			r.stirred[s.Addr] = s.Not
		}
		r.unsettled = r.stirred
	}
	if len(u.Writers) > 0 {
		r.wrote = map[event.Addr][]event.Addr{}
		for _, s := range u.Writers {
			r.wrote[s.Addr] = s.Funcs
		}
		r.writers = r.wrote
	}
	r.unlike = make(map[Origin]bool, len(u.Unlike))
	for _, o := range u.Unlike {
		r.unlike[o] = true
	}
	if s.opts.Reexecution != nil {
		r.reexecution = s.opts.Reexecution()
	}
	r.asksLoud()
	r.compares()
	return r
}

// known returns what r knows, as the Setup of another exploration.
func (r *run) known() *Setup {
	u := &Setup{
		Threads: slices.Clone(r.names.Keys), Cyclic: r.cyclic, Undef: r.undef, Lenient: r.lenient, Polls: r.polls, Seen: r.seen,
		Layout: r.layout.Granules(), Recut: r.recut, Apart: r.apart, Choices: r.choices != nil,
		Twinned: r.twinned, AllUnlike: r.allUnlike, EndsSeen: r.endsSeen, Loud: r.heard, Suspects: r.suspected, Unlike: slices.SortedFunc(maps.Keys(r.unlike), Origin.compare), Ownings: r.ownings,
	}
	for a, k := range r.shared {
		switch {
		case k&excluded != 0:
			u.Excluded = append(u.Excluded, a)
		case k&unserial != 0:
			u.Unserial = append(u.Unserial, a)
		}
	}
	u.Rewritten = slices.AppendSeq(u.Rewritten, maps.Keys(r.rewrites))
	u.Turned = slices.AppendSeq(u.Turned, maps.Keys(r.turned))
	if r.choices != nil {
		r.choices.has.Range(func(a, _ any) bool {
			u.HasChoice = append(u.HasChoice, a.(event.Addr))
			return true
		})
	}
	for a, d := range r.learnt {
		k := Discipline{
			Addr: a, Vals: d.vals, None: d.none, Uneven: d.uneven, Owner: d.owner,
			Lock: d.lock, NoLock: d.noLock, Free: d.free, Guarded: d.guarded, Bare: d.bare, Guard: d.guard, GuardSize: d.guardSize, Fixed: d.fixed, Loose: d.loose,
		}
		for _, h := range d.held {
			k.Held = append(k.Held, Holding{h.thread, h.val, h.counted, h.instead, h.stores, h.followed})
		}
		for _, o := range d.takes {
			k.Takes = append(k.Takes, Taking{o.thread, o.val})
		}
		u.Disciplines = append(u.Disciplines, k)
	}
	slices.SortFunc(u.Disciplines, func(a, b Discipline) int { return cmp.Compare(a.Addr, b.Addr) })
	for a, s := range r.written {
		u.Written = append(u.Written, Written{a, s.vals, s.none})
	}
	slices.SortFunc(u.Written, func(a, b Written) int { return cmp.Compare(a.Addr, b.Addr) })
	for a, not := range r.stirred {
		u.Settled = append(u.Settled, Settled{a, not})
	}
	slices.SortFunc(u.Settled, func(a, b Settled) int { return cmp.Compare(a.Addr, b.Addr) })
	for a, fns := range r.wrote {
		u.Writers = append(u.Writers, Writers{a, fns})
	}
	slices.SortFunc(u.Writers, func(a, b Writers) int { return cmp.Compare(a.Addr, b.Addr) })
	for _, list := range [...][]event.Addr{u.Unserial, u.Excluded, u.Rewritten, u.HasChoice, u.Turned} {
		slices.Sort(list)
	}
	return u
}

// An Explorer explores items, one at a time.
type Explorer struct {
	*Search
	w      *worker
	namer  *report.Namer
	hunter *hunter
}

// NewExplorer returns an Explorer. Each has its own memory.
func (s *Search) NewExplorer() *Explorer {
	return &Explorer{Search: s, namer: report.NewNamer(s.src)}
}

// Explore explores it for a while.
func (x *Explorer) Explore(it Item, s Slice) *Record {
	if !it.valid() {
		return &Record{GaveUp: fmt.Sprintf("an item is damaged: it has %d levels and begins at level %d", len(it.Path), it.Top)}
	}
	r := x.run(x.namer)
	if x.w == nil {
		x.w = newWorker(r)
		x.w.run = r
	}
	w := x.w
	w.run, w.until, w.isCut = r, &s, false
	w.arena.Stop = r.stop.Load
	w.known, w.spun = w.known[:0], nil
	if w.twins != nil {
		w.twins.noted = nil
	}
	w.count, w.share, w.leaves = Counts{}, 0, 0
	w.weight, w.path, w.last = 1, append(w.path[:0], 0), 0
	r.idle = make(chan *worker)
	r.all = []*worker{w}
	finished := make(chan struct{})
	if s.Stop != nil {
		go watchStop(r, s.Stop, finished)
	}
	if len(w.g.Trail) > 0 || w.begin() {
		if x.opts.Hunt > 0 {
			x.walk(it.Walk, &s)
		} else {
			w.follow, w.top = append(w.follow[:0], it.Path...), it.Top
			w.visit()
		}
	}
	w.flush()
	close(finished)
	rec := x.record(r, it)
	if r.stop.Load() {
		x.w = nil // it may have been left in the middle of something
	}
	return rec
}

// watchStop ends r when stop is set.
func watchStop(r *run, stop *atomic.Bool, finished chan struct{}) {
	defer limits.Crash()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-finished:
			return
		case <-tick.C:
			if stop.Load() {
				r.stop.GiveUp("interrupted")
			}
		}
	}
}

// record returns what r found when it explored it.
func (x *Explorer) record(r *run, it Item) *Record {
	w := x.w
	if r.again {
		return &Record{Next: r.known()}
	}
	rec := &Record{
		Counts: r.total, Share: r.share, Errors: r.errors, Warnings: r.warnings, Waits: r.waits, Spins: r.spins,
		Bounded: r.bounded.Load(), Barriers: r.barriers.Load(), Vain: r.later.Load(), Ordered: r.ordered.Load(), Rounded: r.rounded.Load(), Unsynced: r.unsynced.Load(), GaveUp: r.stop.GaveUp(), Unsupported: r.unsupported,
		Walks: r.walks, Prints: r.sketch,
	}
	if r.reexecution != nil {
		rec.Racy = r.reexecution.Needed()
	}
	if r.missing.Load() {
		rec.Missing = r.unexplored
	}
	if s := r.sampled.Load(); s != nil {
		rec.Sampled = s.values.Untried(s.at)
	}
	for a, k := range r.shared {
		switch {
		case k&noted != 0:
			rec.Unserial = append(rec.Unserial, a)
		case k&displaced != 0:
			rec.Displaced = append(rec.Displaced, a)
		}
	}
	if c := r.choices; c != nil {
		c.noted.Range(func(a, _ any) bool {
			rec.HasChoice = append(rec.HasChoice, a.(event.Addr))
			return true
		})
		c.relied.Range(func(a, _ any) bool {
			if _, known := c.has.Load(a); !known {
				rec.Relied = append(rec.Relied, a.(event.Addr))
			}
			return true
		})
	}
	for _, list := range [...][]event.Addr{rec.Unserial, rec.Displaced, rec.HasChoice, rec.Relied} {
		slices.Sort(list)
	}
	for o, isNew := range r.unequals {
		if isNew {
			rec.Unlike = append(rec.Unlike, o)
		}
	}
	slices.SortFunc(rec.Unlike, Origin.compare)
	rec.Linked = slices.SortedFunc(maps.Keys(r.linked), Origin.compare)
	rec.Over = w.sawOver
	rec.Rounds = slices.SortedFunc(maps.Keys(w.wentRound), RoundAccess.compare)
	w.eachLate(func(place event.Addr, k conflicts) { rec.Late = append(rec.Late, LateEvent{place, k}) })
	if w.isCut && !r.stop.Load() {
		rec.Rest = Item{Path: slices.Clone(w.follow), Top: it.Top}
		if x.opts.Hunt > 0 {
			rec.Rest = Item{Path: it.Path, Top: it.Top, Walk: it.Walk + walkStride}
		}
	}
	return rec
}

// A Sum adds records of one Setup up.
type Sum struct {
	Record
	unserial, displaced, hasChoice, relied map[event.Addr]bool
	unlike, linked                         map[Origin]bool
	rounds                                 map[RoundAccess]bool
	late                                   map[event.Addr]conflicts
}

// Add adds a record that has no Next.
func (s *Sum) Add(r *Record, keepGoing bool) {
	s.Counts.Add(r.Counts)
	s.Share += r.Share
	for i := range r.Errors {
		s.addError(&r.Errors[i], keepGoing)
	}
	for _, w := range r.Warnings {
		if !slices.Contains(s.Warnings, w) && len(s.Warnings) == 0 { // a run warns of one leak
			s.Warnings = append(s.Warnings, w)
		}
	}
	addWaits(&s.Waits, r.Waits)
	addWaits(&s.Spins, r.Spins)
	s.Bounded, s.Racy, s.Barriers, s.Rounded = s.Bounded || r.Bounded, s.Racy || r.Racy, s.Barriers || r.Barriers, s.Rounded || r.Rounded
	s.Ordered, s.Unsynced, s.Vain = s.Ordered || r.Ordered, s.Unsynced || r.Unsynced, s.Vain || r.Vain
	s.Missing = least(s.Missing, r.Missing)
	s.Sampled = least(s.Sampled, r.Sampled)
	s.GaveUp = cmp.Or(s.GaveUp, r.GaveUp)
	s.Unsupported = cmp.Or(s.Unsupported, r.Unsupported)
	s.Walks += r.Walks
	s.Prints.add(r.Prints)
	s.unserial = addTo(s.unserial, r.Unserial)
	s.displaced = addTo(s.displaced, r.Displaced)
	s.hasChoice = addTo(s.hasChoice, r.HasChoice)
	s.relied = addTo(s.relied, r.Relied)
	s.unlike = addTo(s.unlike, r.Unlike)
	s.linked = addTo(s.linked, r.Linked)
	s.Over = s.Over || r.Over
	s.rounds = addTo(s.rounds, r.Rounds)
	for _, l := range r.Late {
		if s.late == nil {
			s.late = map[event.Addr]conflicts{}
		}
		s.late[l.Place] |= l.Kind
	}
}

// addError adds an error, unless there is one of its kind at its place.
func (s *Sum) addError(e *report.Error, keepGoing bool) {
	same := func(o report.Error) bool { return o.Kind == e.Kind && o.Location == e.Location }
	if len(s.Errors) > 0 && !keepGoing || slices.ContainsFunc(s.Errors, same) {
		return
	}
	s.Errors = append(s.Errors, *e)
}

func addWaits(list *[]report.Wait, more []report.Wait) {
	for _, w := range more {
		if len(*list) < maxWaits && !slices.ContainsFunc(*list, func(o report.Wait) bool { return o.Location == w.Location }) {
			*list = append(*list, w)
		}
	}
}

// least returns the first of two texts, of those that are not empty: which record came first does not matter.
func least(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

func addTo[T comparable](set map[T]bool, list []T) map[T]bool {
	if set == nil && len(list) > 0 {
		set = map[T]bool{}
	}
	for _, a := range list {
		set[a] = true
	}
	return set
}

// Next returns another Setup if the records together show that old is wrong, nil if not.
func (s *Sum) Next(old *Setup) *Setup {
	next := *old
	next.Unserial = merge(old.Unserial, s.unserial, s.displaced, cmp.Compare)
	next.HasChoice = merge(old.HasChoice, s.hasChoice, s.relied, cmp.Compare)
	next.Unlike = merge(old.Unlike, s.unlike, s.linked, Origin.compare)
	k := knowledge{endsSeen: old.EndsSeen, heard: old.Loud, suspected: slices.Clone(old.Suspects)}
	if !old.Cyclic {
		k.suspect(s.rounds, s.late, s.Over)
	}
	next.EndsSeen, next.Loud, next.Suspects = k.endsSeen, k.heard, k.suspected
	next.Twinned = old.Twinned && len(next.Unlike) == len(old.Unlike)
	if next.Extends(old) {
		return nil
	}
	return &next
}

// merge returns list, and what is in both sets.
func merge[T comparable](list []T, a, b map[T]bool, compare func(x, y T) int) []T {
	list = slices.Clone(list)
	for x := range a {
		if b[x] && !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, compare)
	return list
}

// Result returns what all records together say of the program. Under a model that re-executes it explores
// the executions with cycles, which takes all others at once. If that shows that the Setup is wrong it returns another one.
func (s *Search) Result(ctx context.Context, sum *Sum) (*Result, *Setup, error) {
	r := s.run(report.NewNamer(s.src))
	r.items = false
	r.total, r.errors, r.warnings, r.waits, r.spins = sum.Counts, sum.Errors, sum.Warnings, sum.Waits, sum.Spins
	r.unsupported, r.share, r.unexplored = sum.Unsupported, sum.Share, sum.Missing
	if sum.GaveUp != "" {
		r.stop.GiveUp(sum.GaveUp)
	}
	r.missing.Store(sum.Missing != "")
	if s.setup.Cyclic {
		r.mayRaceLater(sum.rounds, sum.late)
	}
	r.barriers.Store(sum.Barriers)
	r.later.Store(sum.Vain)
	r.ordered.Store(sum.Ordered)
	r.rounded.Store(sum.Rounded)
	r.unsynced.Store(sum.Unsynced)
	r.bounded.Store(sum.Bounded)
	var hunt *Hunt
	if s.opts.Hunt > 0 {
		hunt = sum.Prints.hunt(sum.Walks)
	} else if (sum.Racy || r.roundsMatter()) && sum.GaveUp == "" && (len(sum.Errors) == 0 || s.opts.KeepGoing) {
		r.reexecute(ctx, time.Now())
		if r.again {
			return nil, r.known(), nil
		}
	}
	res, err := r.result(hunt)
	if res != nil && sum.Sampled != "" && hunt == nil && !sum.Bounded {
		res.Cut = sum.Sampled
	}
	return res, nil, err
}
