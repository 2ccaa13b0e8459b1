package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ravel/internal/event"
)

func texts(t *trace) (list []string) {
	for _, s := range t.rows {
		list = append(list, t.describe(s, noLimit))
	}
	return list
}

// Equal rounds of a loop are one, with how many there are. A round in which something differs, or that others read, is not folded.
func TestFoldRounds(t *testing.T) {
	at := func(line int) Location { return Location{File: "q.c", Line: line} }
	var evs []Event
	read := func(loc, value string, line int) {
		evs = append(evs, Event{Kind: Read, Mode: event.Acq, Loc: loc, Value: value, Location: at(line), Order: len(evs)})
	}
	for range 100 {
		read("flag", "0", 3)
	}
	for range 50 {
		read("head", "1", 5)
		read("tail", "1", 6)
		evs = append(evs, Event{Kind: Fence, Mode: event.SC, Location: at(7), Order: len(evs)})
	}
	read("head", "1", 5)
	for i := range 3 {
		read("n", fmt.Sprint(i), 9)
	}
	x := &Execution{Threads: []Thread{{ID: 0, Name: "f", Events: evs}}}
	want := []string{
		"r: flag → 0 (acq) ×100", "r: head → 1 (acq)", "r: tail → 1 (acq)", "fence sc", "↻ these 3 steps ×50", "r: head → 1 (acq)",
		"r: n → 0 (acq)", "r: n → 1 (acq)", "r: n → 2 (acq)",
	}
	if got := texts(newTrace(x, false)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := newTrace(x, true); len(got.rows) != len(evs) {
		t.Errorf("%d rows in full, want %d", len(got.rows), len(evs))
	}
	r := &Result{Errors: []Error{{Kind: "assertion", Execution: x}}}
	for _, f := range Formats() {
		var b bytes.Buffer
		if err := f.Write(&b, r, Options{}); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(b.String(), "×100"); has == (f.Name == "sarif") {
			t.Errorf("%s: ×100 is there: %t", f.Name, has)
		}
	}
}

// What a call of a library does is one row, but atomic accesses in it have their own.
func TestFoldCalls(t *testing.T) {
	var evs []Event
	add := func(kind Kind, mode event.Mode, loc, via string) {
		evs = append(evs, Event{Kind: kind, Mode: mode, Loc: loc, Value: fmt.Sprint(len(evs)), Via: via, Location: Location{File: "q.cc", Line: 4}, Order: len(evs)})
	}
	for range 8 {
		add(Read, event.NA, "v", "push_back<int, allocator>")
	}
	add(Write, event.Rel, "x", "store")
	add(Write, event.Rel, "y", "store")
	add(Write, event.Rel, "z", "store")
	add(Write, event.NA, "mine", "")
	add(Read, event.NA, "v", "pop_back")
	got := texts(newTrace(&Execution{Threads: []Thread{{Events: evs}}}, false))
	want := []string{"… 8 steps in push_back", "x = 8 (rel)", "y = 9 (rel)", "z = 10 (rel)", "mine = 11", "r: v → 12"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A trace of a thousand steps shows the events of the error, and what comes before them.
func TestFoldFar(t *testing.T) {
	x := &Execution{Threads: []Thread{{ID: 0, Name: "main"}, {ID: 1, Name: "f"}}}
	for i := range 1000 {
		for j := range x.Threads {
			x.Threads[j].Events = append(x.Threads[j].Events, Event{
				Kind: Write, Mode: event.Rlx, Loc: fmt.Sprintf("x%d", i%7), Value: fmt.Sprint(i), Order: 2*i + j, Location: Location{File: "q.c", Line: i%50 + 1},
			})
		}
	}
	x.Threads[0].Events[500].Mark = "one access"
	x.Threads[1].Events[900].Mark = "the other"
	tr := newTrace(x, false)
	got := texts(tr)
	if len(got) > manyRows {
		t.Errorf("%d rows", len(got))
	}
	for _, want := range []string{"… 494 steps", "x3 = 500 (rlx)", "x2 = 499 (rlx)", "… 499 steps", "… 894 steps", "x4 = 900 (rlx)", "… 99 steps"} {
		if !slices.Contains(got, want) {
			t.Errorf("no row %q in %q", want, got)
		}
	}
	if l := strings.Join(tr.legend(), "\n"); !strings.Contains(l, "--full-trace") {
		t.Errorf("the legend is %q", l)
	}
	if full := newTrace(x, true); len(full.rows) != 2000 {
		t.Errorf("%d rows in full", len(full.rows))
	}
}
