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

// A Step is where an execution with cycles comes from.
type Step struct {
	From      int     // the number of the execution that re-executes to it, -1 if it has no cycles
	Committed []int32 // the numbers of the events that are committed
}

// Reexecuted decides which of the executions of a litmus test xmm allows. They are all that satisfy C11's axioms, those of rc11 without acyclic(po ∪ rf), with the events of a
// thread together and in program order. It gives up when stop is set: then others may be allowed too. What is
// not allowed has no Step.
func Reexecuted(executions [][]Event, stop *atomic.Bool) []*Step {
	all := make([]*facts, len(executions))
	steps := make([]*Step, len(executions))
	classes := newClasses()
	byKey := map[string]*litmusCore{}
	var cores []*litmusCore // those that are not known to be allowed
	var sources []int
	for i, evs := range executions {
		all[i] = factsOf(litmusSketch(evs), true)
		counts := all[i].core()
		if counts == nil {
			steps[i] = &Step{From: -1}
			sources = append(sources, i)
			continue
		}
		p := all[i].prefix(counts)
		key := p.key()
		if byKey[key] == nil {
			f := factsOf(p, false)
			byKey[key] = &litmusCore{f, newCommitments(f, classes), nil}
			cores = append(cores, byKey[key])
		}
		byKey[key].of = append(byKey[key].of, i)
	}
	to := target{stop: stop}
	for n := 0; n < len(sources); n++ { // the list grows
		to.aim(classes.of(all[sources[n]].sketch), len(classes.numbers), func() *facts { return all[sources[n]] })
		left := cores[:0]
		for _, c := range cores {
			if stop.Load() {
				return steps
			}
			images := to.embed(c.may)
			if images == nil {
				left = append(left, c)
				continue
			}
			for _, i := range c.of {
				steps[i] = &Step{sources[n], c.committed(images, all[i])}
				sources = append(sources, i)
			}
		}
		cores = left
	}
	return steps
}

// committed returns the events of f, whose core is c, that have images.
func (c *litmusCore) committed(images []int32, f *facts) (list []int32) {
	for t := range c.first[1:] {
		for i := c.first[t]; i < c.first[t+1]; i++ {
			if images[i] != none {
				list = append(list, f.first[t]+i-c.first[t])
			}
		}
	}
	return list
}

// A litmusCore is a core with the executions that have it.
type litmusCore struct {
	*facts
	may *commitments
	of  []int
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
