package report

import (
	"bytes"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	cases := []struct {
		name  string
		r     *Result
		o     Options
		color bool
	}{
		{name: "mp.txt", r: messagePassing(), o: testOptions(110)},
		{name: "mp-color.txt", r: messagePassing(), o: testOptions(110), color: true},
		{name: "mp-narrow.txt", r: messagePassing(), o: testOptions(50)},
		{name: "sb.txt", r: storeBuffering(), o: testOptions(110)},
		{name: "treiber.txt", r: treiber(), o: testOptions(200)},
		{name: "treiber-120.txt", r: treiber(), o: testOptions(120)},
		{name: "treiber-80.txt", r: treiber(), o: testOptions(80)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.o.Color = c.color
			golden(t, c.name, render(t, func(b *bytes.Buffer) error { return WriteText(b, c.r, c.o) }))
		})
	}
}

func TestSummary(t *testing.T) {
	cases := []struct {
		r    Result
		want string
	}{
		{
			Result{Verdict: Verified, Model: "rc11", Executions: Executions{Complete: 4, Blocked: 2}, Seconds: 0.0123},
			"verified: no errors in 4 executions (rc11, 2 blocked) in 0.01 s",
		},
		{
			Result{Verdict: Verified, Model: "sc", Executions: Executions{Complete: 1}, Seconds: 0.002},
			"verified: no errors in 1 execution (sc) in 0.002 s",
		},
		{
			Result{Verdict: Verified, Model: "tso", Engine: "states", States: States{1234567, 7654321}, Seconds: 75},
			"verified: no errors in 1,234,567 states (tso, 7,654,321 transitions) in 75 s",
		},
		{
			Result{Verdict: Wrong, Model: "ra", Errors: make([]Error, 1), Executions: Executions{Complete: 3, Moot: 1000}, Seconds: 600},
			"error: 1 error after 3 executions (ra, 1,000 moot) in 10 min",
		},
		{
			Result{Verdict: Verified, Model: "ra", Errors: []Error{{Kind: "unfreed"}}, Executions: Executions{Complete: 3}},
			"verified: no errors and 1 warning in 3 executions (ra) in 0.000 s",
		},
		{
			Result{Verdict: Bounded, Reason: "loops were cut after 3 iterations (--unroll)", Model: "rc11", Executions: Executions{Complete: 4}, Seconds: 3.14159},
			"bounded: loops were cut after 3 iterations (--unroll); no errors in 4 executions (rc11) in 3.14 s",
		},
		{
			Result{Verdict: Unknown, Model: "rc11", Executions: Executions{Complete: 4}, Seconds: 7200},
			"unknown: not everything was explored; no errors in 4 executions (rc11) in 2.0 h",
		},
	}
	for _, c := range cases {
		if got := Summary(&c.r); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		text := string(render(t, func(b *bytes.Buffer) error { return WriteText(b, &c.r, Options{}) }))
		if c.r.Verdict != Verified && strings.Contains(text, "verified") {
			t.Errorf("says verified, but is not: %s", text)
		}
	}
}

// The moves of the state engine are shown where something waits in a buffer, or they go on for ever.
func TestSteps(t *testing.T) {
	steps := []Step{
		{Thread: 1, Text: "x = 1", Location: Location{"q.c", 9, 1, "f"}, Buffers: []string{"", "x=1"}},
		{Thread: 2, Text: "read y", Location: Location{"q.c", 12, 1, "g"}, Buffers: []string{"", "x=1", "reads y"}},
		{Thread: 1, Text: "x = 1 reaches memory"},
	}
	for _, c := range []struct {
		e    Error
		want string
	}{
		{Error{Kind: "assertion", StrongestModel: "sc", Steps: steps}, ""},
		{Error{Kind: "assertion", StrongestModel: "tso", Steps: steps}, `
    the moves in their order, and what waits to be performed after each
    T1  9 x = 1                │ T1: x=1
    T2 12 read y               │ T1: x=1   T2: reads y
    T1    x = 1 reaches memory
`},
		{Error{Kind: "liveness", StrongestModel: "sc", Steps: steps[2:], Repeats: 1}, `
    the moves in their order
    again and again:
    T1   x = 1 reaches memory
`},
	} {
		r := &Result{Verdict: Wrong, Model: "tso", Engine: "states", Errors: []Error{c.e}}
		text := string(render(t, func(b *bytes.Buffer) error { return WriteText(b, r, Options{}) }))
		if !strings.Contains(text, c.want) || c.want == "" && strings.Contains(text, "moves") {
			t.Errorf("got\n%s\nwant\n%s", text, c.want)
		}
	}
}

func TestExcerpts(t *testing.T) {
	long := strings.Repeat("very_long_name += ", 20) + "x;\n"
	files := map[string]string{
		"long.c": long,
		"esc.c":  "x = \x1b[31m1; // \u202e\xff\n",
		"crlf.c": "int x;\r\nint y;\r\n",
	}
	source := func(name string) ([]byte, error) {
		if s, ok := files[name]; ok {
			return []byte(s), nil
		}
		return testSource(name)
	}
	var b bytes.Buffer
	for _, c := range []struct {
		what string
		e    Error
	}{
		{"both threads at the same place", Error{
			Location: Location{"größe.c", 3, 27, "f"}, Thread: 1,
			Related: []Related{{File: "größe.c", Line: 3, Column: 27, Thread: 2, Message: "the other access"}},
		}},
		{"two places on a line with tabs and wide characters", Error{
			Location: Location{"größe.c", 4, 40, "g"}, Thread: 2, Label: "reads `größe`",
			Related: []Related{{File: "größe.c", Line: 4, Column: 31, Thread: 2, Message: "writes `数量`"}, {File: "größe.c", Line: 2, Column: 5, Message: "declared here", Thread: 0}},
		}},
		{"a column in the middle of a character", Error{Location: Location{"größe.c", 2, 8, ""}}},
		{"no column", Error{Location: Location{"mp.c", 11, 0, "writer"}, Thread: 1}},
		{"a call", Error{Location: Location{"mp.c", 17, 6, "reader"}, Thread: 2}},
		{"a column past the end", Error{Location: Location{"mp.c", 9, 77, "writer"}, Thread: 1}},
		{"neighbours", Error{
			Location: Location{"mp.c", 12, 2, "writer"}, Thread: 1,
			Related: []Related{{File: "mp.c", Line: 11, Column: 2, Thread: 1, Message: "first"}, {File: "mp.c", Line: 9, Column: 1, Thread: 1, Message: "zeroth"}},
		}},
		{"three on a line", Error{
			Location: Location{"mp.c", 11, 32, "writer"}, Thread: 1, Label: "one",
			Related: []Related{{File: "mp.c", Line: 11, Column: 2, Thread: 1, Message: "two"}, {File: "mp.c", Line: 11, Column: 38, Thread: 1, Message: "three"}},
		}},
		{"labels that don't fit beside the source", Error{
			Location: Location{"mp.c", 11, 2, "writer"}, Thread: 1, Label: "a label that is too long for the line",
			Related: []Related{{File: "mp.c", Line: 11, Column: 2, Thread: 2, Message: "another one, just as long, at the same place"}},
		}},
		{"no such file", Error{
			Location: Location{"gone.c", 12, 2, "writer"}, Thread: 1, Help: []string{"look elsewhere"},
			Related: []Related{{File: "gone.c", Line: 14, Column: 2, Thread: 2, Message: "the other access", Function: "reader"}},
		}},
		{"a line past the end of the file", Error{Location: Location{"mp.c", 1200, 2, "writer"}, Thread: 1}},
		{"nothing known", Error{Thread: 1}},
		{"a long line", Error{Location: Location{"long.c", 1, len(long) - 2, "f"}, Thread: 1}},
		{"control characters", Error{Location: Location{"esc.c", 1, 1, "f\x1b[2J"}, Message: "bell \a"}},
		{"a file with \\r\\n", Error{Location: Location{"crlf.c", 2, 5, "f"}}},
	} {
		c.e.Kind = "race"
		b.WriteString("=== " + c.what + "\n")
		p := newPrinter(Options{Width: 80, Source: source})
		p.error(&c.e)
		b.WriteString(p.String())
	}
	golden(t, "excerpts.txt", b.Bytes())
	if bytes.ContainsAny(b.Bytes(), "\x1b\a\r") {
		t.Error("control characters reach the terminal")
	}
}

func TestColumns(t *testing.T) {
	empty := &Execution{Threads: []Thread{{ID: 0, Name: "main", Events: []Event{{Kind: Start}, {Kind: End}}}}}
	for _, c := range []struct {
		name string
		x    *Execution
		o    Options
	}{
		{"lb.txt", loadBuffering(), testOptions(80)},
		{"random-20.txt", random(1, 3, 20), testOptions(130)},
		{"random-60.txt", random(2, 4, 60), testOptions(160)},
		{"random-60-full.txt", random(2, 4, 60), Options{Width: 100, Full: true}},
		{"empty.txt", empty, testOptions(80)},
		{"no-threads.txt", &Execution{}, testOptions(80)},
	} {
		got := render(t, func(b *bytes.Buffer) error { return WriteExecution(b, "execution 1", c.x, c.o) })
		golden(t, c.name, got)
		for l := range strings.Lines(string(got)) {
			if w := textWidth(strings.TrimSuffix(l, "\n")); w > c.o.Width {
				t.Errorf("%s: %d columns: %s", c.name, w, l)
			}
		}
	}
}

// An engine that marks nothing still gets the events of the error pointed out.
func TestMarked(t *testing.T) {
	e := messagePassing().Errors[0]
	own, other := &e.Execution.Threads[2].Events[2], &e.Execution.Threads[1].Events[1]
	own.Mark, other.Mark = "", ""
	own.Location, other.Location = e.Location, e.Related[0].Location()
	x := e.Marked()
	if got := x.Threads[2].Events[2].Mark; got != "non-atomic read" {
		t.Errorf("own: %q", got)
	}
	if got := x.Threads[1].Events[1].Mark; got != "non-atomic write by thread 1" {
		t.Errorf("other: %q", got)
	}
	if own.Mark != "" {
		t.Error("Marked changes the execution it is given")
	}
}
