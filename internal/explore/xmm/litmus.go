package xmm

import (
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// An Event is an event of an execution of a litmus test. Numbers stand for places and values.
type Event struct {
	Thread int32
	Kind   graph.Kind // Read, Write or Fence
	Mode   event.Mode
	Loc    uint64
	Val    uint64
	RMW    bool  // of a read-modify-write instruction
	Update bool  // the write of one, whose read is the event before
	Source int32 // of a read: the number of the event that it reads from, -1 if that is the initial value
	Co     int32 // of a write: its place in co, from 1
}

// Reexecuted decides which of the executions of a litmus test xmm allows. They are all that satisfy C11's axioms, those of rc11 without acyclic(po ∪ rf), with the events of a
// thread together and in program order. It gives up when stop is set: then others may be allowed too.
func Reexecuted(executions [][]Event, stop *atomic.Bool) []bool {
	all := make([]*facts, len(executions))
	allowed := make([]bool, len(executions))
	cores := map[string]*litmusCore{} // by key
	var sources []*facts
	for i, evs := range executions {
		all[i] = factsOf(litmusSketch(evs), true)
		counts := all[i].core()
		if counts == nil {
			allowed[i] = true
			sources = append(sources, all[i])
			continue
		}
		p := all[i].prefix(counts)
		key := p.key()
		if cores[key] == nil {
			cores[key] = &litmusCore{facts: factsOf(p, false)}
		}
		cores[key].of = append(cores[key].of, i)
	}
	for n := 0; n < len(sources); n++ { // the list grows
		for key, c := range cores {
			if stop.Load() {
				return allowed
			}
			if embed(c.facts, sources[n], stop) == nil {
				continue
			}
			for _, i := range c.of {
				allowed[i] = true
				sources = append(sources, all[i])
			}
			delete(cores, key)
		}
	}
	return allowed
}

// A litmusCore is a core that is not known to be allowed, with the executions that have it.
type litmusCore struct {
	*facts
	of []int
}

func litmusSketch(evs []Event) *sketch {
	s := &sketch{}
	for i, e := range evs {
		for int32(len(s.first)) <= e.Thread {
			s.first = append(s.first, int32(i))
		}
		l := label{kind: e.Kind, mode: e.Mode, locked: e.RMW, addr: event.Addr(e.Loc), val: event.Value{Lo: e.Val}}
		s.evs = append(s.evs, sketchEvent{label: l, thread: e.Thread, src: e.Source, co: e.Co, rmw: e.Update})
	}
	s.first = append(s.first, int32(len(evs)))
	return s
}
