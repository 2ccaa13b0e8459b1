package model

import (
	"ravel/internal/arch"
	"ravel/internal/event"
	"ravel/internal/graph"
)

// tso is x86 and SPARC TSO, or SPARC PSO.
type tso struct {
	raw bool // access modes do not matter
	pso bool // writes to different locations are not ordered
}

var (
	_ = register("tso", native{make: func(o Options) Model { return &tso{raw: o.Raw} }})
	_ = register("pso", native{make: func(o Options) Model { return &tso{raw: o.Raw, pso: true} }})
)

func (m *tso) Name() string {
	if m.pso {
		return "pso"
	}
	return "tso"
}

func (m *tso) Doc() string {
	if m.pso {
		return psoDoc
	}
	return tsoDoc
}

const tsoDoc = `Total store order
(SPARC Architecture Manual v8; Owens, Sarkar, Sewell: A better x86 memory model, TPHOLs'09)

  ppo   = po ∩ (R×R ∪ R×W ∪ W×W)
  fence = po;[Fsc];po ∪ [RMW];po ∪ po;[RMW]      a failed CAS is an RMW too: it locks
  acyclic po|loc ∪ rf ∪ co ∪ fr   rmw ∩ (fr;co) = ∅   acyclic ppo ∪ fence ∪ rfe ∪ co ∪ fr
  Mapping c11 compiles an sc store to a store and a full fence; other modes have no effect.
  With --mapping raw no access mode has any.`

const psoDoc = `Partial store order
(SPARC Architecture Manual v8)

  as tso with ppo = po ∩ (R×R ∪ R×W) ∪ po;[F⊒rel];po ∩ (W×W)
  Mapping c11 puts a store-store fence before a release store, and a full fence after an sc store.
  With --mapping raw no access mode has any effect.
  --variant relaxed-rmw (--engine states): stores may overtake later relaxed read-modify-writes of other locations, as in LLMC`

// Views implements Model. Under tso a chain of (po ∪ rf)+ between threads enters each by a
// read and leaves it by a write, so all of its po edges are in ppo, and coherence holds
// with respect to the whole prefix. Under pso only po gives coherence at once.
func (m *tso) Views(g *graph.Graph, id graph.ID) {
	e := &g.Events[id]
	switch {
	case !m.pso:
		e.HB = e.Prefix
	case e.Kind == graph.Start || e.Kind == graph.Join:
		if e.RF != graph.Init {
			src := &g.Events[e.RF]
			e.HB = g.JoinEvent(e.HB, src.HB, src, e.Thread)
		}
	}
}

// Consistent implements Model.
func (m *tso) Consistent(g *graph.Graph, id graph.ID) bool { return acyclicWith(g, id, m) }

// readable implements Traits.Readable.
func (m *tso) readable(g *graph.Graph, id graph.ID, least int32) int32 {
	return readableFrom(g, id, least, m)
}

// before implements localOrder: ppo ∪ fence.
func (m *tso) before(g *graph.Graph, x, y *graph.Event) bool {
	o := m.order(x)
	switch {
	case o&ordersAll != 0 || m.order(y)&afterAll != 0:
		return true
	case y.Kind != graph.Write:
		return false
	case o&ordersWrites != 0:
		return true
	case x.Kind != graph.Write || !m.pso:
		return false
	}
	for _, id := range g.Threads[x.Thread][x.Index+1 : y.Index+1] {
		if m.order(&g.Events[id])&afterWrites != 0 {
			return true
		}
	}
	return false
}

// Traits implements Model. Under pso a write waits for no one.
func (m *tso) Traits() Traits {
	t := Traits{Readable: m.readable, ReadableOnly: true}
	if m.pso {
		t.InEffect = m.inEffect
	} else {
		t.Arch = arch.X86_64
	}
	return t
}

func (m *tso) inEffect(g *graph.Graph, w, id graph.ID) bool {
	g.Seen.Clear(g)
	return (&orderSearch{g: g, m: m, goal: id}).leads(w)
}

// Local implements Model.
func (m *tso) Local() bool { return false }

// RaceView implements Model.
func (m *tso) RaceView(e *graph.Event) graph.View { return e.Prefix }

// An ordering says which events of its thread an event is ordered with by ppo and fences.
type ordering uint8

const (
	ordersNone   ordering = 0
	ordersWrites ordering = 1 << iota // the event comes before all po-later writes
	ordersAll                         // … all po-later events
	afterAll                          // the event comes after all po-earlier events
	afterWrites                       // a store barrier is before the event: it and all that follow, if they are writes, come after all po-earlier writes
)

// order is what ppo and fences make of an event.
func (m *tso) order(e *graph.Event) ordering {
	switch e.Kind {
	case graph.Read:
		if e.Flags&graph.Locked != 0 {
			return ordersAll | afterAll
		}
		return ordersAll
	case graph.Write:
		switch {
		case e.Flags&graph.RMWPart != 0:
			return ordersAll
		case m.raw && m.pso:
			return ordersNone
		case m.raw:
			return ordersWrites
		}
		return m.compiledStore(e.Mode)
	case graph.Fence:
		switch t := mappingX86.Fence[e.Mode]; {
		case t == event.MFENCE:
			return ordersAll | afterAll
		case m.pso && t == event.SFENCE:
			return ordersWrites | afterAll
		}
		return ordersNone
	}
	if isSync(e) {
		return ordersAll | afterAll
	}
	return ordersNone // allocations and choices
}

// compiledStore is the order of a store as C11 compilers translate it.
func (m *tso) compiledStore(mode event.Mode) ordering {
	o, c11 := ordersWrites, &mappingX86.Store[mode]
	if m.pso {
		o = ordersNone
		if c11.Before == event.SFENCE {
			o = afterWrites // reads come before it anyway
		}
	}
	if c11.After == event.MFENCE {
		o |= ordersAll
	}
	return o
}
