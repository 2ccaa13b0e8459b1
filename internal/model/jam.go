package model

import (
	"cmp"
	"errors"
	"slices"
	"sync/atomic"

	"ravel/internal/event"
	"ravel/internal/graph"
)

// A jam is a model of Java's access modes. C11's modes are read as Java's: na is plain, rlx is
// opaque, sc is volatile; an acq_rel fence is an acquire and a release fence.
//
// The published models derive an order of the writes of a location; graphs have a total one, co. A graph is consistent if
// some pushto makes co extend what is derived. rf and the last writes of consistent graphs are the same in both views, because an
// acyclic order can be extended to a total one, and FW, the last writes, are in the derived order too.
//
// In graphs of `check` each location is coherent by itself, but for reads that go backwards (backward.go of package explore). po ∪ rf is acyclic, except in graphs that others re-execute
// to (jamcycle.go, package explore/xmm).
type jam struct {
	name    string
	of2019  bool // volint is that of 2019, and pushto part of a trace
	direct  bool // pushto extends po and rf, not what follows from them
	thesis  bool // the text of the document, literally
	c11     bool // an RMW is two events, and graphs are coherent in rc11-2017 too
	checker string
	base    rc11 // whose views give coherence, if thesis or c11
}

// Checkers are the ways to check Java's models; the first is the default.
var Checkers = []string{"order", "vector", "relation"}

var (
	_ = register("jam19", native{make: func(o Options) Model { return newJam("jam19", o) }, checkers: true})
	_ = register("jam21", native{make: func(o Options) Model { return newJam("jam21", o) }, checkers: true, variants: []string{"direct", "c11"}})
	_ = register("jam21-thesis", native{make: func(o Options) Model { return newJam("jam21-thesis", o) }, checkers: true})
)

func newJam(name string, o Options) Model {
	return &jam{
		name: name, of2019: name == "jam19", thesis: name == "jam21-thesis",
		direct: slices.Contains(o.Variants, "direct"), c11: slices.Contains(o.Variants, "c11"),
		checker: cmp.Or(o.Checker, Checkers[0]),
		base:    rc11{name: "rc11-2017", sameThread: true},
	}
}

// Name implements Model.
func (m *jam) Name() string { return m.name }

// Doc implements Model.
func (m *jam) Doc() string {
	switch {
	case m.thesis:
		return thesisDoc
	case m.of2019:
		return jam19Doc
	}
	return jam21Doc
}

const jam21Doc = `JAM21, Java's access modes
(Bender, Palsberg: A formalization of Java's concurrent access modes, OOPSLA'19, as repaired by
 Liu, Bender, Palsberg: Compiling volatile correctly in Java, ECOOP'22)

  rel  = W & (REL | V)   acq = R & (ACQ | V)   V: volatile accesses and full fences
  svo  = po;[F&REL];po;[W] ∪ [R];po;[F&ACQ];po       ra = po;[rel] ∪ [acq];po
  push = po;[F&V];po ∪ [V];po;[V]
  pushto: some total order of dom(push) with (po ∪ rf)+ and every write before the last of its location
  vo   = (svo ∪ ra ∪ push ∪ rf ∪ pushto;push)+ ∪ po|loc

  co extends, for different writes of a location, vo ∪ vo;rf⁻¹ ∪ vo;po, and rf;po;rf⁻¹ of opaque or stronger ones   rmw ∩ (fr;co) = ∅
  an RMW is one event, R and W; acyclic (po ∪ rf);[opaque or stronger]
  without values out of thin air: executions with cycles in po ∪ rf are re-executions of others (docs/jam21.md)

  C11's modes are Java's: na plain, rlx opaque, sc volatile. Creation and join of threads
  synchronise. A race is no error.
  --variant direct: pushto extends only the pairs of po ∪ rf themselves, as in the authors' herd model
  --variant c11: an RMW is two events, and executions are coherent in C11 (rc11-2017) as well`

const jam19Doc = `JAM19, Java's access modes as first published
(Bender, Palsberg: A formalization of Java's concurrent access modes, OOPSLA'19)

  as jam21, but co extends rf;po;rf⁻¹ of all writes, and
  push = po;[F&V];po ∪ po;[V&R] ∪ [V&W];po
  pushto is part of a trace: a total order with (svo ∪ ra ∪ push ∪ rf)+ and every write before the last of its location`

const thesisDoc = `JAM21 by the letter of the thesis that implemented it first, to reproduce its tables

  ra   = po;[sc ∪ rel ∪ acq];po     svo = po;[Frel];po;[W ∪ R];po;[Facq];po
  push = po;[Fsc];po ∪ [sc];po;[sc]
  pushto: some total order of dom(push) with (po ∪ rf)+
  vo   = (rf ∪ ra ∪ svo ∪ push ∪ pushto;push)+ ∪ po|loc

  acyclic, over different writes of a location, vo ∪ vo;rf⁻¹ ∪ vo;po ∪ rf;po;rf⁻¹
  among the executions that are coherent in rc11-2017; co itself plays no part

  It is for litmus tests: without co, deciding whether there is a pushto takes long in large executions.`

// Views implements Model. A view is a part of vo that is closed under po. That is enough to rule writes out early;
// Consistent knows all of it.
func (m *jam) Views(g *graph.Graph, id graph.ID) {
	if m.thesis || m.c11 {
		m.base.Views(g, id)
		return
	}
	e := &g.Events[id]
	switch e.Kind {
	case graph.Start, graph.Join:
		if e.RF != graph.Init {
			src := &g.Events[e.RF]
			e.HB = g.JoinEvent(e.HB, g.Join(src.HB, src.Acq, e.Thread, 0, src.Thread), src, e.Thread)
		}
	case graph.Read:
		if m.of2019 && e.Mode == event.SC {
			e.HB = m.all(g, e)
		}
		if rel := g.Events[e.RF].Rel; rel == 0 {
		} else if e.Mode.IsAcq() {
			e.HB = g.Join(e.HB, rel, e.Thread, 0, e.Thread)
		} else {
			e.Acq = g.Join(e.Acq, rel, e.Thread, 0, e.Thread)
		}
	case graph.Write:
		e.Rel = m.release(g, e)
		if m.of2019 && e.Mode == event.SC {
			e.HB = m.all(g, e)
		}
	case graph.Fence:
		all := m.all(g, e)
		if e.Mode.IsAcq() {
			e.HB = all
		}
		if e.Mode.IsRel() {
			e.FenceR = g.With(all, e.Thread, e.Index+1)
		}
	}
}

// all is what the events before e in its thread know.
func (m *jam) all(g *graph.Graph, e *graph.Event) graph.View {
	return g.Join(e.HB, e.Acq, e.Thread, 0, e.Thread)
}

// release returns what a reader of the write e learns: of a release write, all that its thread knows; otherwise what is
// before the last release or full fence, and what acquire reads have learnt.
func (m *jam) release(g *graph.Graph, e *graph.Event) graph.View {
	var rel graph.View
	if e.Mode.IsRel() {
		rel = g.With(m.all(g, e), e.Thread, e.Index+1)
	} else {
		rel = g.Join(e.FenceR, e.HB, e.Thread, 0, graph.NoThread)
	}
	if e.Flags&graph.RMWPart != 0 {
		read := &g.Events[g.Threads[e.Thread][e.Index-1]]
		rel = g.Join(rel, g.Events[read.RF].Rel, e.Thread, 0, graph.NoThread)
	}
	return rel
}

// Consistent implements Model. The graph without id may be consistent here and not be part of a consistent
// execution: what is asked must not depend on events to come (jamsearch.go). Complete asks the rest.
func (m *jam) Consistent(g *graph.Graph, id graph.ID) bool {
	if m.thesis || m.checker == "relation" {
		return true
	}
	return !m.cycle(g, id)
}

// Traits implements Model.
func (m *jam) Traits() Traits {
	t := Traits{Late: m, TotalCo: true, Races: Races{Allowed: true}}
	if !m.thesis && !m.c11 {
		t.Cycles = m
		t.Rounds, t.Linked = !m.direct, m.of2019
	}
	return t
}

// Complete implements Late.
func (m *jam) Complete(g *graph.Graph, stop *atomic.Bool) (bool, error) {
	return m.check(g, true, stop)
}

// Possible implements Late. Which writes are the last ones is not known before the end; all else that makes a graph
// inconsistent stays when it grows.
func (m *jam) Possible(g *graph.Graph, stop *atomic.Bool) (ok, certain bool) {
	ok, err := m.check(g, false, stop)
	return ok && err == nil, true
}

func (m *jam) check(g *graph.Graph, complete bool, stop *atomic.Bool) (bool, error) {
	if !m.thesis && g.NumSC == 0 && m.checker != "relation" {
		return true, nil // nothing to push
	}
	if m.checker == "order" && sequential(g) {
		return true, nil
	}
	x := m.newExec(g, complete, hasCore(g))
	defer jamExecs.Put(x)
	x.stop = stop
	ok := false
	switch {
	case m.checker == "relation":
		ok = m.tryAll(x)
	case m.checker == "vector" && !x.cyclic:
		ok = m.tryClocks(x)
	case m.thesis || m.direct:
		ok = m.solve(x)
	default:
		ok = x.orderable()
	}
	if !ok && stop.Load() {
		return false, errors.New("stopped") // perhaps not all was tried
	}
	return ok, nil
}

// Local implements Model.
func (m *jam) Local() bool { return false }

// RaceView implements Model.
func (m *jam) RaceView(e *graph.Event) graph.View { return e.HB }
