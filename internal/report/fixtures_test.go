package report

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ravel/internal/event"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update writes it):\n--- got\n%s\n--- want\n%s", file, got, want)
	}
}

// testSource reads the sources of the fixtures.
func testSource(file string) ([]byte, error) {
	return os.ReadFile(filepath.Join("testdata", "src", file))
}

func testOptions(width int) Options { return Options{Width: width, Source: testSource} }

// A build makes an execution: each call adds an event, in the order of Event.Order.
type build struct {
	Execution
	file  string
	order int
}

func (b *build) thread(id int, name string) {
	b.Threads = append(b.Threads, Thread{ID: id, Name: name})
}

func (b *build) add(id, line int, e Event) *Ref {
	b.order++
	e.Order = b.order
	if e.Location.File == "" {
		e.Location.File = b.file
	}
	for i := range b.Threads {
		if th := &b.Threads[i]; th.ID == id {
			e.Location.Line = line
			e.Location.Function = th.Name
			th.Events = append(th.Events, e)
			return &Ref{id, len(th.Events) - 1}
		}
	}
	panic("no such thread")
}

func (b *build) mark(r *Ref, text string) {
	for i := range b.Threads {
		if b.Threads[i].ID == r.Thread {
			b.Threads[i].Events[r.Index].Mark = text
		}
	}
}

// messagePassing is a race: the flag is stored relaxed.
func messagePassing() *Result {
	b := &build{file: "mp.c"}
	b.thread(0, "main")
	b.thread(1, "writer")
	b.thread(2, "reader")
	b.add(0, 26, Event{Kind: Create, Other: 1})
	b.add(0, 27, Event{Kind: Create, Other: 2})
	b.add(1, 8, Event{Kind: Start})
	data := b.add(1, 10, Event{Kind: Write, Loc: "data", Value: "42", CoIndex: 1, Mark: "the race"})
	flag := b.add(1, 11, Event{Kind: Write, Mode: event.Rlx, Loc: "flag", Value: "1", CoIndex: 1})
	b.add(1, 12, Event{Kind: End})
	b.add(2, 15, Event{Kind: Start})
	b.add(2, 17, Event{Kind: Read, Mode: event.Acq, Loc: "flag", Value: "1", From: flag})
	b.add(2, 18, Event{Kind: Read, Loc: "data", Value: "42", From: data, Mark: "the race"})
	return &Result{
		Verdict: Wrong, Model: "rc11", Engine: "graphs", File: "mp.c",
		Executions: Executions{Complete: 2, Blocked: 0},
		Seconds:    0.0042, PeakMemory: 12345678, Version: "0.1.0",
		Errors: []Error{{
			Kind: "race", Message: "data race on `data`: thread 2 reads it while thread 1 writes it",
			Location: Location{"mp.c", 18, 10, "reader"}, Thread: 2,
			Label:          "non-atomic read",
			Related:        []Related{{File: "mp.c", Line: 10, Column: 7, Thread: 1, Message: "non-atomic write by thread 1", Function: "writer"}},
			StrongestModel: "rc11",
			Help:           []string{"make the store to `flag` at mp.c:11 a release store"},
			Execution:      &b.Execution,
		}},
	}
}

// storeBuffering is an assertion that fails because of one stale read.
func storeBuffering() *Result {
	b := &build{file: "sb.c"}
	b.thread(0, "main")
	b.thread(1, "left")
	b.thread(2, "right")
	b.add(0, 26, Event{Kind: Create, Other: 1})
	b.add(0, 27, Event{Kind: Create, Other: 2})
	b.add(1, 10, Event{Kind: Write, Mode: event.Rel, Loc: "x", Value: "1", CoIndex: 1})
	b.add(1, 11, Event{Kind: Read, Mode: event.Acq, Loc: "y", Value: "0"})
	r1 := b.add(1, 11, Event{Kind: Write, Loc: "r1", Value: "0", CoIndex: 1})
	b.add(1, 12, Event{Kind: End})
	b.add(2, 17, Event{Kind: Write, Mode: event.Rel, Loc: "y", Value: "1", CoIndex: 1})
	b.add(2, 18, Event{Kind: Read, Mode: event.Acq, Loc: "x", Value: "0"})
	r2 := b.add(2, 18, Event{Kind: Write, Loc: "r2", Value: "0", CoIndex: 1})
	b.add(2, 19, Event{Kind: End})
	b.add(0, 28, Event{Kind: Join, Other: 1})
	b.add(0, 29, Event{Kind: Join, Other: 2})
	b.add(0, 30, Event{Kind: Read, Loc: "r1", Value: "0", From: r1})
	b.add(0, 30, Event{Kind: Read, Loc: "r2", Value: "0", From: r2})
	b.add(0, 30, Event{Kind: Failure, Value: "assertion failed: r1 == 1 || r2 == 1", Mark: "the assertion"})
	return &Result{
		Verdict: Wrong, Model: "rc11", Engine: "graphs", File: "sb.c",
		Executions: Executions{Complete: 3}, Seconds: 0.0012, PeakMemory: 9 << 20, Version: "0.1.0",
		Warnings: []string{"sb.c:8: `left` ignores its argument"},
		Errors: []Error{{
			Kind: "assertion", Message: "assertion failed: `r1 == 1 || r2 == 1`",
			Location: Location{"sb.c", 30, 2, "main"}, Thread: 0,
			StrongestModel: "tso",
			Notes:          []string{"under sc every execution satisfies it"},
			Help:           []string{"make the accesses to `x` and `y` sequentially consistent, or put a fence between them"},
			Execution:      &b.Execution,
		}},
	}
}

// treiber is a stack over two files with CAS, heap objects and four threads.
func treiber() *Result {
	h, c := Location{File: "stack.h"}, Location{File: "stack.c"}
	b := &build{file: "stack.c"}
	b.thread(0, "main")
	b.thread(1, "pusher")
	b.thread(2, "pusher")
	b.thread(3, "popper")
	init := make([]*Ref, 6)
	for i := range init {
		init[i] = b.add(0, 20+i, Event{Kind: Write, Loc: fmt.Sprintf("config.limits[%d]", i), Value: fmt.Sprint(8 * i), CoIndex: 1})
	}
	top0 := b.add(0, 30, Event{Kind: Write, Mode: event.Rlx, Loc: "top", Value: "null", CoIndex: 1})
	for i := 1; i <= 3; i++ {
		b.add(0, 31+i, Event{Kind: Create, Other: i})
	}
	top := top0
	var value *Ref
	co := 1
	for id := 1; id <= 2; id++ {
		node := fmt.Sprintf("heap#1(T%d)", id)
		old := []string{"null", "&heap#1(T1)"}[id-1]
		b.add(id, 10, Event{Kind: Alloc, Loc: node, Value: "16", Location: c})
		value = b.add(id, 11, Event{Kind: Write, Loc: node + ".value", Value: fmt.Sprint(10 * id), CoIndex: 1, Location: c})
		b.add(id, 4, Event{Kind: Read, Mode: event.Rlx, Loc: "top", Value: old, From: top, Location: h})
		b.add(id, 4, Event{Kind: Write, Loc: node + ".next", Value: old, CoIndex: 1, Location: h})
		if id == 2 {
			b.add(id, 5, Event{Kind: Read, RMW: "cas", Mode: event.Rlx, Loc: "top", Value: "null", From: top0, Location: h})
		}
		co++
		b.add(id, 5, Event{Kind: Read, RMW: "cas", Mode: event.Rlx, Loc: "top", Value: old, From: top, Location: h})
		top = b.add(id, 5, Event{Kind: Write, RMW: "cas", Mode: event.Rlx, Loc: "top", Value: "&" + node, CoIndex: co, Location: h})
	}
	b.add(3, 4, Event{Kind: Read, Mode: event.Acq, Loc: "top", Value: "&heap#1(T2)", From: top, Location: c})
	b.add(3, 6, Event{Kind: Fence, Mode: event.SC, Location: c})
	bad := b.add(3, 7, Event{Kind: Read, Loc: "heap#1(T2).value", Value: "20", From: value, Location: c})
	b.mark(value, "the race")
	b.mark(bad, "the race")
	return &Result{
		Verdict: Wrong, Model: "rc11", Engine: "graphs", File: "stack.c",
		Executions: Executions{Complete: 120, Blocked: 7}, Seconds: 1.5, PeakMemory: 64 << 20, Version: "0.1.0",
		Errors: []Error{{
			Kind: "race", Message: "data race on `heap#1(T2).value`",
			Location: Location{"stack.c", 7, 13, "pop"}, Thread: 3,
			Related: []Related{
				{File: "stack.h", Line: 5, Column: 10, Thread: 2, Message: "publishes the object without release", Function: "push"},
				{File: "nowhere.c", Line: 11, Column: 4, Thread: 2, Message: "the other access", Function: "pusher"},
			},
			Execution: &b.Execution,
		}},
	}
}

// loadBuffering has a cycle in po ∪ rf.
func loadBuffering() *Execution {
	return &Execution{Threads: []Thread{
		{ID: 1, Name: "P0", Events: []Event{
			{Kind: Read, Mode: event.Rlx, Loc: "x", Value: "1", From: &Ref{2, 1}, Order: 1},
			{Kind: Write, Mode: event.Rlx, Loc: "y", Value: "1", CoIndex: 1, Order: 2},
		}},
		{ID: 2, Name: "P1", Events: []Event{
			{Kind: Read, Mode: event.Rlx, Loc: "y", Value: "1", From: &Ref{1, 1}, Order: 3},
			{Kind: Write, Mode: event.Rlx, Loc: "x", Value: "1", CoIndex: 1, Order: 4},
		}},
	}}
}

// random is a sequentially consistent execution, with its events in the order of an interleaving.
func random(seed uint64, threads, events int) *Execution {
	rnd := rand.New(rand.NewPCG(seed, 1))
	b := &build{file: "random.c"}
	for id := range threads {
		b.thread(id, []string{"main", "producer", "consumer", "helper_with_a_long_name"}[id%4])
	}
	for id := 1; id < threads; id++ {
		b.add(0, 100+id, Event{Kind: Create, Other: id})
	}
	last := map[string]*Ref{}
	value := map[string]string{}
	co := map[string]int{}
	write := func(id, line int, e Event) {
		co[e.Loc]++
		e.Kind, e.CoIndex = Write, co[e.Loc]
		last[e.Loc] = b.add(id, line, e)
		value[e.Loc] = e.Value
	}
	locs := []string{"x", "flag", "queue.head", "queue.items[2].next", "lock"}
	modes := []event.Mode{event.NA, event.Rlx, event.Acq, event.SC}
	for i := range events {
		id := rnd.IntN(threads)
		loc := locs[rnd.IntN(len(locs))]
		old := value[loc]
		if old == "" {
			old = "0"
		}
		line := 10*id + i%10 + 10
		e := Event{Mode: modes[rnd.IntN(len(modes))], Loc: loc, Value: old, From: last[loc]}
		switch rnd.IntN(8) {
		case 0, 1, 2:
			write(id, line, Event{Mode: e.Mode, Loc: loc, Value: fmt.Sprint(i)})
		case 3:
			e.RMW = "cas"
			b.add(id, line, e)
			write(id, line, Event{RMW: "cas", Mode: e.Mode, Loc: loc, Value: fmt.Sprint(i)})
		case 4:
			b.add(id, line, Event{Kind: Fence, Mode: event.SC})
		default:
			b.add(id, line, e)
		}
	}
	return &b.Execution
}

func render(t *testing.T, f func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
