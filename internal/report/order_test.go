package report

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"ravel/internal/event"
)

// shuffle gives events arbitrary stamps, as revisits do.
func shuffle(x *Execution, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	for i := range x.Threads {
		for j := range x.Threads[i].Events {
			x.Threads[i].Events[j].Order = rnd.IntN(50)
		}
	}
}

// The executions of random are sequentially consistent: whatever the stamps are, the rows must be
// an interleaving that shows it.
func TestOrder(t *testing.T) {
	for seed := range uint64(300) {
		x := random(seed, 2+int(seed%3), 5+int(seed%56))
		if seed%2 == 1 {
			shuffle(x, seed)
		}
		tr := newTrace(x, true)
		place := map[*step]int{}
		for i, s := range tr.order {
			place[s] = i
		}
		for col, po := range tr.po {
			for i := 1; i < len(po); i++ {
				if place[po[i-1]] >= place[po[i]] {
					t.Fatalf("seed %d: thread %d out of program order", seed, col)
				}
			}
		}
		for _, s := range tr.order {
			if s.from != nil && place[s.from] >= place[s] {
				t.Fatalf("seed %d: a read before its write", seed)
			}
			if s.stale || s.early || s.overtaken != nil {
				t.Fatalf("seed %d: %s does not fit, but the execution is sequentially consistent", seed, tr.describe(s, noLimit))
			}
		}
	}
}

// 2+2W: the writes of at least one location appear in the order opposite to co.
func TestOrderOfWrites(t *testing.T) {
	w := func(loc, value string, co, line int) Event {
		return Event{Kind: Write, Mode: event.Rlx, Loc: loc, Value: value, CoIndex: co, Location: Location{"w.c", line, 1, ""}}
	}
	x := &Execution{Threads: []Thread{
		{ID: 1, Events: []Event{w("x", "1", 2, 1), w("y", "2", 1, 2)}},
		{ID: 2, Events: []Event{w("y", "1", 2, 11), w("x", "2", 1, 12)}},
	}}
	tr := newTrace(x, false)
	n := 0
	for _, s := range tr.rows {
		if s.overtaken != nil {
			n++
			if got := tr.describe(s, noLimit); got != "x = 2 (rlx) (before T1:1)" {
				t.Error(got)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d writes are overtaken", n)
	}
}

// Only what tells little is folded: not what others read, not what is marked.
func TestFold(t *testing.T) {
	b := &build{file: "f.c"}
	b.thread(0, "main")
	b.thread(1, "t")
	var read *Ref
	for i := range 8 {
		r := b.add(0, i+1, Event{Kind: Write, Loc: string(rune('a' + i)), Value: "0", CoIndex: 1})
		switch i {
		case 3:
			read = r
		case 7:
			b.mark(r, "here")
		}
	}
	b.add(0, 20, Event{Kind: Create, Other: 1})
	b.add(1, 21, Event{Kind: Read, Loc: "d", Value: "0", From: read})
	var got []string
	tr := newTrace(&b.Execution, false)
	for _, s := range tr.rows {
		got = append(got, tr.describe(s, noLimit))
	}
	want := []string{"… 3 initialising writes", "d = 0", "… 3 initialising writes", "h = 0", "create T1", "r: d → 0"}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("row %d: got %q, want %q", i+1, got[i], want[i])
		}
	}
	if full := newTrace(&b.Execution, true); len(full.rows) != 10 {
		t.Errorf("%d rows in full", len(full.rows))
	}
}

func TestFoldPrivate(t *testing.T) {
	x := random(3, 3, 40)
	th := &x.Threads[1]
	for i := range 6 {
		th.Events = append(th.Events, Event{Kind: Write, Loc: "mine", Value: strconv.Itoa(i), CoIndex: i + 1, Order: 1000, Location: Location{File: "q.c", Line: 5}})
	}
	tr := newTrace(x, false)
	if got := tr.describe(tr.rows[len(tr.rows)-1], noLimit); got != "… 6 private writes" {
		t.Errorf("got %s", got)
	}
}

// What has no place in the source is a library's, if anything has one.
func TestFoldLibrary(t *testing.T) {
	for _, file := range []string{"", "q.c"} {
		x := &Execution{Threads: []Thread{{ID: 0}, {ID: 1}}}
		for i := range 20 {
			x.Threads[0].Events = append(x.Threads[0].Events, Event{Kind: Write, Loc: "x", Value: strconv.Itoa(i), CoIndex: i + 1, Order: i, Location: Location{File: file, Line: 3}})
			x.Threads[1].Events = append(x.Threads[1].Events, Event{Kind: Write, Loc: "x", Value: strconv.Itoa(i), CoIndex: i + 21, Order: 100 + i})
		}
		rows := newTrace(x, false).rows
		if want := map[string]int{"": 40, "q.c": 2}[file]; len(rows) != want {
			t.Errorf("%q: %d rows, want %d", file, len(rows), want)
		}
	}
}

// Nothing that an engine may fill in wrongly makes the report panic.
func TestNonsense(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		x := &Execution{}
		for range 3 {
			th := Thread{ID: rnd.IntN(3), Name: "f"}
			for range rnd.IntN(12) {
				e := Event{
					Kind: Kind(rnd.IntN(len(kindNames))), Mode: event.Mode(rnd.IntN(6)), Loc: []string{"x", "y", ""}[rnd.IntN(3)],
					Other: rnd.IntN(5) - 1, CoIndex: rnd.IntN(4), Location: Location{"", rnd.IntN(3), -1, ""},
				}
				if rnd.IntN(2) == 0 {
					e.From = &Ref{rnd.IntN(4) - 1, rnd.IntN(14) - 1}
				}
				if rnd.IntN(3) == 0 {
					e.RMW = "cas"
				}
				if rnd.IntN(9) == 0 {
					e.Mark = "m"
				}
				th.Events = append(th.Events, e)
			}
			x.Threads = append(x.Threads, th)
		}
		r := &Result{Errors: []Error{{Kind: "race", Execution: x}}}
		allForms(t, r)
	}
}
