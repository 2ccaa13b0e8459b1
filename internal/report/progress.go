package report

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"ravel/internal/limits"
)

// A Sample is how far a run has come.
type Sample struct {
	Done  int64   // executions or states explored so far
	Total float64 // estimate of how many there are; 0 if there is none
	Noun  string  // what is counted; "" is "execution"
}

// Progress shows on a terminal, in one line that is rewritten, how far a run has come.
type Progress struct {
	w      io.Writer
	width  func() int
	sample func() Sample
	stop   chan struct{}
	ended  chan struct{}

	mu    sync.Mutex // below
	shown bool       // a line is on the screen
	start time.Time
	last  time.Time
	count int64
	rate  float64 // per second, of late
}

const (
	progressDelay = 2 * time.Second // a run that is shorter shows nothing
	progressEvery = 250 * time.Millisecond
)

// StartProgress shows progress on w until Stop; if w is not a terminal, it does nothing.
// It calls sample, which must be safe to call from another goroutine, a few times per second.
func StartProgress(w io.Writer, sample func() Sample) *Progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return &Progress{}
	}
	p := newProgress(w, sample, time.Now())
	p.width = func() int {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
		return 80
	}
	p.stop, p.ended = make(chan struct{}), make(chan struct{})
	go p.run()
	return p
}

func newProgress(w io.Writer, sample func() Sample, now time.Time) *Progress {
	return &Progress{w: w, sample: sample, width: func() int { return 80 }, start: now, last: now}
}

func (p *Progress) run() {
	defer close(p.ended)
	defer limits.Crash()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case now := <-tick.C:
			p.show(now)
		}
	}
}

// Stop ends the display and clears its line. It may be called more than once, but not at once.
func (p *Progress) Stop() {
	if p.stop == nil {
		return
	}
	close(p.stop)
	<-p.ended
	p.stop = nil
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) clear() {
	if p.shown {
		io.WriteString(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// show rewrites the line for the time now.
func (p *Progress) show(now time.Time) {
	s := p.sample()
	p.mu.Lock()
	defer p.mu.Unlock()
	if dt := now.Sub(p.last).Seconds(); dt > 0 {
		rate := float64(s.Done-p.count) / dt
		if p.count == 0 {
			p.rate = rate
		}
		p.rate += (rate - p.rate) * (1 - math.Exp(-dt/2)) // forgets what is older than some seconds
		p.last, p.count = now, s.Done
	}
	if now.Sub(p.start) < progressDelay {
		return
	}
	io.WriteString(p.w, "\r"+cut(progressLine(s, p.rate), p.width()-1)+"\x1b[K")
	p.shown = true
}

// progressLine returns "12,345 executions, 4,100/s, about 30% of 41,000, 7 s left".
func progressLine(s Sample, rate float64) string {
	noun := s.Noun
	if noun == "" {
		noun = "execution"
	}
	parts := []string{count(s.Done, noun), Approximately(rate) + "/s"}
	if s.Total > float64(s.Done) {
		parts = append(parts, percent(float64(s.Done)/s.Total)+" of "+Approximately(s.Total))
		if rate > 0 {
			parts = append(parts, remaining((s.Total-float64(s.Done))/rate)+" left")
		}
	}
	return strings.Join(parts, ", ")
}

// percent returns a share in per cent, with two digits that count at most.
func percent(share float64) string {
	switch share *= 100; {
	case share < 0.01:
		return "less than 0.01%"
	case share < 1:
		return fmt.Sprintf("about %.2g%%", share)
	}
	return fmt.Sprintf("about %.0f%%", min(share, 99))
}

func remaining(seconds float64) string {
	switch {
	case seconds < 9.5:
		return fmt.Sprintf("%.0f s", math.Ceil(seconds))
	case seconds > 100*365*86400:
		return "more than 100 years"
	}
	return duration(seconds)
}

// CountExecutions returns "1 execution", "1,234 executions".
func CountExecutions(n int64) string { return count(n, "execution") }

// Approximately returns f with two digits that count.
func Approximately(f float64) string {
	switch {
	case f < 10:
		return fmt.Sprintf("%.2g", f)
	case f >= 1e12:
		return fmt.Sprintf("%.1e", f)
	}
	unit := math.Pow(10, math.Floor(math.Log10(f))-1)
	return thousands(int64(math.Round(f/unit) * unit))
}
