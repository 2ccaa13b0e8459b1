package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// A step is one row of a report: an event, both halves of a read-modify-write, or a run of
// events that are folded into one.
type step struct {
	col   int    // its thread, as an index into Execution.Threads
	ev    *Event // the event; of a read-modify-write, the read
	read  *Event // what it reads with, or nil
	write *Event // what it writes with, or nil

	hidden bool   // a start or an end that has no row
	fold   string // if set, the words for the run that starts here
	inCall bool   // the run is a call of a library, at the place of s
	times  int    // how often it happens in a row, if more than once
	row    int    // from 1, of the steps that have a row

	from *step   // rf: what it reads from; nil for the initial value
	hard []*step // must come before, except for rf in a cycle: rf, create → start, end → join
	soft []*step // come before it in co and fr

	overtaken *step // a write above it that it precedes in co
	stale     bool  // a write above it comes after what it reads in co
	early     bool  // reads from a row below it: po ∪ rf has a cycle
	done      bool
}

// pointed reports whether the report should point at s.
func (s *step) pointed() bool {
	return s.mark() != "" || s.ev.Kind == Failure
}

// mark returns the words that point it out.
func (s *step) mark() string {
	if s.ev.Mark == "" && s.write != nil {
		return s.write.Mark
	}
	return s.ev.Mark
}

// A trace is an execution in the order in which it is shown.
type trace struct {
	x       *Execution
	threads []Thread
	order   []*step   // all steps
	rows    []*step   // those that have a row, from top to bottom
	po      [][]*step // every step of each thread
	co      map[string][]*step
	byRef   map[Ref]*step
	mainly  string         // the file that most events are in
	others  []string       // the files that are named by letters
	readBy  map[*step]bool // writes that another thread reads
	far     bool           // what is far from the error is folded
	source  bool           // some of it is in the program's own source; without debug information nothing is a library's
}

// newTrace orders x and, unless full is set, folds what tells little.
func newTrace(x *Execution, full bool) *trace {
	t := &trace{x: x, threads: x.Threads, co: map[string][]*step{}, mainly: mainFile(x)}
	t.byRef = t.split(x)
	t.link(t.byRef)
	t.order = t.sort()
	t.source = slices.ContainsFunc(t.order, func(s *step) bool { return isOwn(s.ev.Location) })
	if !full {
		t.fold()
	}
	for _, s := range t.order {
		if !s.hidden {
			t.rows = append(t.rows, s)
			s.row = len(t.rows)
		}
	}
	t.judge()
	return t
}

// split makes the steps, with the halves of read-modify-writes joined.
func (t *trace) split(x *Execution) map[Ref]*step {
	byRef := map[Ref]*step{}
	for col := range x.Threads {
		th := &x.Threads[col]
		var po []*step
		for i := 0; i < len(th.Events); i++ {
			e := &th.Events[i]
			s := &step{col: col, ev: e}
			byRef[Ref{th.ID, i}] = s
			switch e.Kind {
			case Read:
				s.read = e
				if i+1 < len(th.Events) && isPair(e, &th.Events[i+1]) {
					i++
					s.write = &th.Events[i]
					byRef[Ref{th.ID, i}] = s
				}
			case Write:
				s.write = e
			case Start, End:
				s.hidden = !s.pointed()
			}
			po = append(po, s)
		}
		t.po = append(t.po, po)
	}
	return byRef
}

func isPair(r, w *Event) bool {
	return r.RMW != "" && w.RMW == r.RMW && w.Kind == Write && w.Loc == r.Loc
}

// link finds the edges between steps.
func (t *trace) link(byRef map[Ref]*step) {
	column := map[int]int{}
	for i, th := range t.threads {
		column[th.ID] = i
	}
	for _, s := range t.steps() {
		if s.write != nil && s.write.CoIndex > 0 {
			t.co[s.write.Loc] = append(t.co[s.write.Loc], s)
		}
		if s.read != nil && s.read.From != nil {
			if w := byRef[*s.read.From]; w != nil && w != s && w.write != nil {
				s.from = w
				s.hard = append(s.hard, w)
			}
		}
		if s.ev.Kind != Create && s.ev.Kind != Join {
			continue
		}
		other, ok := column[s.ev.Other]
		if !ok || len(t.po[other]) == 0 {
			continue
		}
		if po := t.po[other]; s.ev.Kind == Create {
			po[0].hard = append(po[0].hard, s)
		} else {
			s.hard = append(s.hard, po[len(po)-1])
		}
	}
	for _, ws := range t.co {
		slices.SortStableFunc(ws, func(a, b *step) int { return cmp.Compare(a.write.CoIndex, b.write.CoIndex) })
		for i := 1; i < len(ws); i++ {
			ws[i].soft = append(ws[i].soft, ws[i-1])
		}
	}
	for _, s := range t.steps() {
		if w := t.overwriter(s); w != nil {
			w.soft = append(w.soft, s) // fr
		}
	}
}

// steps returns all steps, thread by thread.
func (t *trace) steps() []*step { return slices.Concat(t.po...) }

// overwriter returns the first write, other than s itself, that is after the one that s reads
// from in co: the target of fr that implies the others.
func (t *trace) overwriter(s *step) *step {
	if s.read == nil || s.from != nil && s.from.write.CoIndex == 0 {
		return nil
	}
	if s.from == nil && s.read.From != nil {
		return nil // reads from something that is not in the execution
	}
	i := 0
	if s.from != nil {
		i = s.from.write.CoIndex
	}
	for _, w := range t.co[s.read.Loc] {
		if w.write.CoIndex > i && w != s {
			return w
		}
	}
	return nil
}

// sort returns all steps in a linear extension of po and rf, if there is one, and of co and fr,
// if there is one; Event.Order decides between the threads that can go on.
func (t *trace) sort() []*step {
	all := func(steps []*step) bool {
		return !slices.ContainsFunc(steps, func(s *step) bool { return !s.done })
	}
	rank := func(s *step) int {
		switch {
		case s.ev.Kind == Failure: // what the others did may be why
			return 3
		case !all(s.hard):
			return 2
		case !all(s.soft):
			return 1
		}
		return 0
	}
	next := make([]int, len(t.po))
	var rows []*step
	for {
		var best *step
		bestRank := 0
		for col, po := range t.po {
			if next[col] == len(po) {
				continue
			}
			s := po[next[col]]
			r := rank(s)
			if best == nil || r < bestRank || r == bestRank && s.ev.Order < best.ev.Order {
				best, bestRank = s, r
			}
		}
		if best == nil {
			return rows
		}
		best.done = true
		next[best.col]++
		rows = append(rows, best)
	}
}

// judge marks the steps that don't fit an interleaving, now that the order of rows is known.
func (t *trace) judge() {
	last := map[string]*step{} // the write above that is last in co
	seen := map[*step]bool{}
	for _, s := range t.order {
		if s.read != nil {
			s.early = s.from != nil && !seen[s.from]
			w := last[s.read.Loc]
			switch {
			case s.early || w == nil:
			case s.from == nil:
				s.stale = s.read.From == nil
			case s.from.write.CoIndex > 0:
				s.stale = w.write.CoIndex > s.from.write.CoIndex
			}
		}
		if s.write != nil && s.write.CoIndex > 0 {
			if w := last[s.write.Loc]; w == nil || w.write.CoIndex < s.write.CoIndex {
				last[s.write.Loc] = s
			} else {
				s.overtaken = w
			}
		}
		seen[s] = true
	}
}

// mainFile returns the file that most events are in.
func mainFile(x *Execution) string {
	count := map[string]int{}
	best := ""
	for _, th := range x.Threads {
		for _, e := range th.Events {
			f := e.Location.File
			if count[f]++; f != "" && (best == "" || count[f] > count[best]) {
				best = f
			}
		}
	}
	return best
}

// threadName returns "T1 push".
func threadName(th Thread) string {
	if th.Name == "" {
		return "T" + strconv.Itoa(th.ID)
	}
	return fmt.Sprintf("T%d %s", th.ID, clean(th.Name))
}
