package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"

	"ravel/internal/lazy"
)

// Steps that tell little are folded: one row stands for a run of them. The events that an error is about are never folded, nor are writes that another
// thread reads.

// fold folds rounds of loops that are equal, calls of libraries, accesses that other threads do not see and, in long executions, everything far from the error.
func (t *trace) fold() {
	t.readBy = map[*step]bool{}
	for _, s := range t.steps() {
		if s.from != nil && s.from.col != s.col && !(t.source && s.inLibrary()) {
			t.readBy[s.from] = true
		}
	}
	for _, po := range t.po {
		t.foldRounds(po)
	}
	rows := 0
	for _, s := range t.order {
		if !s.hidden {
			rows++
		}
	}
	t.foldLibrary()
	if rows > longTrace {
		for col, po := range t.po {
			alone := 0 // steps of the first thread while there is no other
			if col == 0 {
				alone = slices.IndexFunc(po, func(s *step) bool { return s.ev.Kind == Create })
			}
			t.foldCalls(po, alone)
		}
	}
	t.foldInit()
	t.foldPrivate(rows)
	t.foldFar()
}

const (
	longTrace = 12 // steps, from which on library code is folded
	maxRound  = 64 // steps of a round of a loop
	minRounds = 3  // that are folded
)

// foldRounds folds rounds of loops that do the same again and again, such as those of a loop that waits: one round is shown, with how often it happens.
func (t *trace) foldRounds(po []*step) {
	words := make([]string, len(po))
	for i, s := range po {
		words[i] = t.signature(s, i)
	}
	for i := 0; i < len(po); {
		size, rounds := 0, 1
		for n := 1; n <= maxRound && i+minRounds*n <= len(po); n++ {
			if r := countRounds(words[i:], n); r >= minRounds && r*n > size*rounds {
				size, rounds = n, r
			}
		}
		if size == 0 {
			i++
			continue
		}
		again := po[i+size : i+size*rounds]
		for _, s := range again {
			s.hidden = true
		}
		if size == 1 {
			po[i].times = rounds
		} else {
			again[0].hidden = false
			again[0].fold = fmt.Sprintf("↻ these %d steps ×%d", size, rounds)
		}
		i += size * rounds
	}
}

// countRounds returns how often the first size words are there in a row.
func countRounds(words []string, size int) int {
	n := 1
	for (n+1)*size <= len(words) && slices.Equal(words[:size], words[n*size:(n+1)*size]) {
		n++
	}
	return n
}

// signature returns what a step is, in words that are those of no other step if it must not be folded.
func (t *trace) signature(s *step, number int) string {
	if s.hidden || s.pointed() || t.readBy[s] || s.ev.Kind != Read && s.ev.Kind != Write && s.ev.Kind != Fence {
		return strconv.Itoa(number)
	}
	text := t.describe(s, noLimit) + " at " + s.ev.Location.String()
	switch {
	case s.from != nil:
		text += fmt.Sprintf(" from %d %s", s.from.col, s.from.ev.Location)
	case s.read != nil && s.read.From != nil:
		text += fmt.Sprintf(" from %v", *s.read.From)
	}
	return text
}

// foldCalls folds calls of library functions that take several steps, except for atomic accesses while there are several
// threads: by those they communicate.
func (t *trace) foldCalls(po []*step, alone int) {
	var run []*step
	flush := func() {
		if len(run) >= 3 {
			for _, s := range run {
				s.hidden = true
			}
			run[0].hidden, run[0].inCall = false, true
			run[0].fold = fmt.Sprintf("… %d steps in %s", len(run), shortCall(run[0].ev.Via))
		}
		run = nil
	}
	for i, s := range po {
		if s.hidden && s.ev.Kind != Start && s.ev.Kind != End {
			continue
		}
		if s.ev.Via == "" || s.fold != "" || s.times > 1 || s.pointed() || t.readBy[s] || s.ev.Mode != event.NA && i >= alone || s.ev.Kind == Create || s.ev.Kind == Join || s.ev.Text != "" {
			flush()
			continue
		}
		if len(run) > 0 && (run[0].ev.Via != s.ev.Via || run[0].ev.Location != s.ev.Location) {
			flush()
		}
		run = append(run, s)
	}
	flush()
}

// shortCall returns the name of a function without the arguments of its template.
func shortCall(name string) string {
	name = clean(name)
	if short, _, ok := strings.Cut(name, "<"); ok && !strings.HasPrefix(name, "operator") && short != "" {
		return short
	}
	return name
}

const (
	manyRows = 60 // more than these are too many to read
	someRows = 40 // so many stay
	before   = 6  // steps of a thread before one that the error is about
)

// foldFar folds what is far from the events that the error is about, where there are too many rows. What stays is those events, what their threads do just
// before, what they read, and then the latest communication between threads.
func (t *trace) foldFar() {
	var shown []*step
	for _, s := range t.order {
		if !s.hidden {
			shown = append(shown, s)
		}
	}
	keep := map[*step]bool{}
	involved := map[int]bool{}
	for _, s := range shown {
		if s.pointed() || s.ev.Kind == Blocked {
			keep[s] = true
			involved[s.col] = true
		}
	}
	if len(shown) <= manyRows || len(keep) == 0 {
		return
	}
	for _, po := range t.po {
		rows := slices.DeleteFunc(slices.Clone(po), func(s *step) bool { return s.hidden })
		for i, s := range rows {
			switch {
			case s.ev.Kind == Create && len(t.threads) < someRows/2:
				keep[s] = true
			case !keep[s] || !s.pointed() && s.ev.Kind != Blocked:
				continue
			}
			for j := max(0, i-before); j < i && s.ev.Kind != Create; j++ {
				keep[rows[j]] = true
			}
		}
	}
	for _, s := range shown {
		if s.pointed() && s.from != nil && !s.from.hidden {
			keep[s.from] = true
		}
	}
	for _, s := range slices.Backward(shown) {
		if len(keep) >= someRows {
			break
		}
		if s.fold == "" && (t.readBy[s] || s.from != nil && s.from.col != s.col) {
			keep[s] = true
			if s.from != nil && !s.from.hidden {
				keep[s.from] = true
			}
		}
	}
	for _, po := range t.po {
		t.foldBetween(po, keep)
	}
}

// foldBetween folds the runs of steps that are not kept.
func (t *trace) foldBetween(po []*step, keep map[*step]bool) {
	for i := 0; i < len(po); {
		n, rows := i, 0
		for n < len(po) && !keep[po[n]] {
			if !po[n].hidden {
				rows++
			}
			n++
		}
		if rows > 1 {
			steps := 0
			var first *step
			for _, s := range po[i:n] {
				if s.ev.Kind != Start && s.ev.Kind != End {
					steps++
				}
				if !s.hidden && first == nil {
					first = s
				}
				s.hidden = true
			}
			first.hidden, first.inCall = false, false
			first.fold = fmt.Sprintf("… %d steps", steps)
			t.far = true
		}
		i = n + 1
	}
}

// foldInit folds what the first thread does before it creates another one, except for the writes
// that other threads read.
func (t *trace) foldInit() {
	if len(t.po) == 0 {
		return
	}
	main := t.po[0]
	create := slices.IndexFunc(main, func(s *step) bool { return s.ev.Kind == Create })
	if create < 0 {
		return
	}
	t.foldRuns(main[:create], 3, "initialising", func(s *step) bool { return isAccess(s) || isLeave(s) })
}

// foldLibrary folds what a thread does before and after the program's own code, in executions that are long.
func (t *trace) foldLibrary() {
	if len(t.order) <= longTrace || !t.source {
		return
	}
	for _, po := range t.po {
		t.foldRuns(po, 2, "library", func(s *step) bool { return s.inLibrary() })
	}
}

// inLibrary reports whether a step is none of the program's code, nor of anything that it calls.
func (s *step) inLibrary() bool {
	switch s.ev.Kind {
	case Read, Write, Alloc, Free, Fence:
		return !isOwn(s.ev.Location)
	}
	return false
}

// isOwn reports whether a place is in the program's own source.
func isOwn(l Location) bool { return l.File != "" && l.Line > 0 && !ir.IsSystem(l.File) }

// foldPrivate folds accesses to what only one thread ever touches, in executions that are long.
func (t *trace) foldPrivate(rows int) {
	if rows <= 30 {
		return
	}
	owner := map[string]int{}
	for _, s := range t.steps() {
		if t.source && s.inLibrary() {
			continue
		}
		if c, ok := owner[s.ev.Loc]; ok && c != s.col {
			owner[s.ev.Loc] = -1
		} else if !ok {
			owner[s.ev.Loc] = s.col
		}
	}
	for _, po := range t.po {
		t.foldRuns(po, 4, "private", func(s *step) bool {
			return isAccess(s) && (owner[s.ev.Loc] == s.col || isConstant(s.ev.Loc)) || isLeave(s)
		})
	}
}

func isAccess(s *step) bool {
	k := s.ev.Kind
	return (k == Read || k == Write || k == Alloc) && s.ev.Text == ""
}

// isLeave reports whether a step is the end of a variable on the stack.
func isLeave(s *step) bool { return s.ev.Kind == Free && s.ev.OnStack }

// isConstant reports whether a variable is one of the constants of rustc, which have no names.
func isConstant(loc string) bool { return rustConstant().MatchString(loc) }

var rustConstant = lazy.Regexp(`^(alloc_[0-9a-f]{32}|anon\.[0-9a-f]{32}\.|vtable\.)`)

// foldRuns folds the runs of at least atLeast steps that are dull.
func (t *trace) foldRuns(po []*step, atLeast int, word string, dull func(*step) bool) {
	var run []*step
	flush := func() {
		if len(run) >= atLeast {
			for _, s := range run {
				s.hidden = true
			}
			run[0].hidden = false
			run[0].fold = foldText(run, word)
		}
		run = nil
	}
	for _, s := range po {
		switch {
		case s.hidden || s.fold != "":
		case dull(s) && !t.readBy[s] && !s.pointed() && s.times <= 1:
			run = append(run, s)
		default:
			flush()
		}
	}
	flush()
}

func foldText(run []*step, word string) string {
	what := "writes"
	for _, s := range run {
		if word == "library" {
			what = "steps"
		} else if s.ev.Kind != Write {
			what = "accesses"
		}
	}
	return fmt.Sprintf("… %d %s %s", len(run), word, what)
}
