package explore

import (
	"fmt"

	"ravel/internal/engine"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// When time or memory runs out, the user wants to know what took it: loops that make executions long, or the number of executions.

// manyRounds is how often an execution passes a place that is told about.
const manyRounds = 20

// A hot is the place that one thread of an execution passes most often.
type hot struct {
	at     report.Location
	thread int32
	times  int
	events int // of the execution
}

// stopped remembers the hottest place of the present graph if the run was given up, once per worker.
func (w *worker) stopped() {
	w.told = true
	w.mu.Lock()
	defer w.mu.Unlock()
	if !engine.RanOut(w.stop.GaveUp()) {
		return
	}
	h := hot{events: len(w.g.Trail)}
	type place struct {
		thread int32
		pos    ir.Pos
	}
	times := map[place]int{}
	for _, id := range w.g.Trail {
		e := &w.g.Events[id]
		if e.Kind == graph.Write && w.pends[e.Pend].act.Kind == machine.RMW {
			continue // its read was counted
		}
		p := place{e.Thread, w.pends[e.Pend].act.Pos}
		if times[p]++; times[p] > h.times {
			h.times, h.thread, h.at = times[p], e.Thread, w.location(w.posOf(e))
		}
	}
	if h.times > w.hottest.times || w.hottest.events == 0 {
		w.hottest = h
	}
}

// advice says what took the time, and what to try.
func (r *run) advice() string {
	switch h := &r.hottest; {
	case h.times >= manyRounds && h.at.Line > 0:
		return fmt.Sprintf("where the time went: executions are long, thread %d passes %s %d times in one of %d events; bound that loop (--unroll 5), make it shorter, or try --engine states",
			h.thread, h.at, h.times, h.events)
	}
	long := ""
	if r.hottest.events > 0 {
		long = fmt.Sprintf(", of about %d events", r.hottest.events)
	}
	return fmt.Sprintf("where the time went: there are many executions%s; try fewer threads or operations, look for errors only (--hunt 1m), or see how many there are (--estimate)", long)
}
