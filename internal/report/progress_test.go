package report

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		s    Sample
		rate float64
		want string
	}{
		{Sample{Done: 12345, Total: 41234}, 4123, "12,345 executions, 4,100/s, about 30% of 41,000, 8 s left"},
		{Sample{Done: 1, Total: 3e14}, 0.5, "1 execution, 0.5/s, less than 0.01% of 3.0e+14, more than 100 years left"},
		{Sample{Done: 997, Total: 1000}, 500, "997 executions, 500/s, about 99% of 1,000, 1 s left"},
		{Sample{Done: 4, Total: 1000}, 0, "4 executions, 0/s, about 0.4% of 1,000"},
		{Sample{Done: 100, Total: 50, Noun: "state"}, 20, "100 states, 20/s"},
		{Sample{Done: 0, Total: 50}, 0, "0 executions, 0/s, less than 0.01% of 50"},
	} {
		if got := progressLine(c.s, c.rate); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestProgress(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	done := int64(0)
	p := newProgress(&b, func() Sample { return Sample{Done: done, Total: 10000} }, start)
	for i := range 16 {
		done += 100
		p.show(start.Add(time.Duration(i+1) * progressEvery))
		if i == 5 && b.Len() > 0 {
			t.Errorf("too early: %q", b.String())
		}
	}
	if got := strings.Count(b.String(), "\r"); got != 9 {
		t.Errorf("%d lines: %q", got, b.String())
	}
	if want := "\r1,600 executions, 400/s, about 16% of 10,000, 21 s left\x1b[K"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %q", b.String())
	}
	p.clear()
	if !strings.HasSuffix(b.String(), "\r\x1b[K") {
		t.Errorf("not cleared: %q", b.String())
	}
}

func TestProgressNeedsTerminal(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := StartProgress(f, func() Sample { t.Error("asked"); return Sample{} })
	p.Stop()
	p.Stop()
	if o := OptionsFor(f); o.Color || o.Width != 0 {
		t.Errorf("%+v for a file", o)
	}
}
