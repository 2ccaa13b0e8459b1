package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// rc11 is "repaired C11": Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI'17, and its fragments.
type rc11 struct {
	name, doc  string
	psc        bool // check the axiom on sc events
	reexecutes bool // executions are also what those of the model re-execute to
	sameThread bool // release sequences go on with later writes of the same thread
}

var (
	_ = register("rc11", native{make: func(Options) Model { return &rc11{name: "rc11", doc: rc11Doc, psc: true} }})
	_ = register("rc11-2017", native{make: func(Options) Model { return &rc11{name: "rc11-2017", doc: rc112017Doc, psc: true, sameThread: true} }})
	_ = register("ra", native{make: func(Options) Model { return &rc11{name: "ra", doc: raDoc} }})
	_ = register(XMM, native{make: func(Options) Model { return &rc11{name: XMM, doc: xmmDoc, psc: true, reexecutes: true} }})
)

func (m *rc11) Name() string { return m.name }

func (m *rc11) Doc() string { return m.doc }

// Traits implements Model.
func (m *rc11) Traits() Traits {
	return Traits{ByRelease: m.psc, Reexecutes: m.reexecutes, TotalCo: m.reexecutes}
} // executions of ra are counted in full

const rc11Doc = `RC11, with C++20's release sequences
(Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing sequential consistency in C/C++11, PLDI'17)

  rs  = [W⊒rlx];(rf;rmw)*
  sw  = [⊒rel];([F];po)?;rs;rf;[R⊒rlx];(po;[F])?;[⊒acq]
  hb  = (po ∪ sw)+            thread creation and join synchronise
  eco = (rf ∪ co ∪ fr)+
  scb = po ∪ po|≠loc;hb;po|≠loc ∪ hb|loc ∪ co ∪ fr
  psc = ([Esc] ∪ [Fsc];hb?);scb;([Esc] ∪ hb?;[Fsc]) ∪ [Fsc];(hb ∪ hb;eco;hb);[Fsc]

  irreflexive hb;eco?   rmw ∩ (fr;co) = ∅   acyclic po ∪ rf   acyclic psc
  A race is a pair of conflicting accesses, one of them not atomic, unordered by hb.`

const rc112017Doc = `RC11 as published in 2017: as rc11, but a release sequence goes on
with the later writes of the same thread to the location

  rs = [W];(po|loc)?;[W⊒rlx];(rf;rmw)*`

const raDoc = `Release/acquire with relaxed accesses: rc11 without the axiom on sc events.
An sc access or fence is an acq_rel one.`

// XMM is the model whose executions are those of rc11 and what these re-execute to. Here it is rc11: the rest
// is a search of package explore/xmm.
const XMM = "xmm"

const xmmDoc = `XMM: rc11, and load buffering by re-execution
(Meluzzi: Model Checking the XMM Memory Model; Moiseenko and others: Relaxed Memory
Concurrency Re-executed, POPL'25)

  rpo = ([R⊒rlx];po;[F⊒acq] ∪ [⊒acq];po ∪ po;[⊒rel] ∪ [F⊒rel];po;[W⊒rlx])+
  re  = pairs of a write and a read of its location that is not hb-before it

  An execution G re-executes to G' if G' is consistent in rc11 without acyclic po ∪ rf,
  and has a committed set C and an injective f from C to G that keeps threads, labels,
  and rf, co and rpo within C, such that
    a committed read reads from a committed write; rpo;[C] begins in C
    po ∪ rf;[uncommitted] is acyclic
    some order of the threads contains rf;[uncommitted] between threads
    (po ∪ rf)+ within C is in (po ∪ re)+ of G
  and G' goes on as rc11 does. Those of rc11 are executions, and what they re-execute to.`

// Views implements Model.
func (m *rc11) Views(g *graph.Graph, id graph.ID) {
	e := &g.Events[id]
	switch e.Kind {
	case graph.Start, graph.Join:
		if e.RF != graph.Init {
			src := &g.Events[e.RF]
			e.HB = learnt(g, e, e.HB, src)
		}
	case graph.Read:
		src := &g.Events[e.RF]
		switch {
		case e.Mode == event.NA:
		case releasesAll(g, src):
			if src.Thread == e.Thread {
				break
			}
			if e.Mode.IsAcq() {
				e.HB = learnt(g, e, e.HB, src)
			} else {
				e.Acq = g.JoinEvent(e.Acq, src.HB, src, e.Thread)
			}
		case src.Rel == 0:
		case e.Mode.IsAcq():
			e.HB = g.Join(e.HB, src.Rel, e.Thread, 0, e.Thread)
		default:
			e.Acq = g.Join(e.Acq, src.Rel, e.Thread, 0, e.Thread)
		}
	case graph.Write:
		e.Rel = m.release(g, e)
	case graph.Fence:
		if e.Mode.IsAcq() {
			e.HB = g.Join(e.HB, e.Acq, e.Thread, 0, e.Thread)
		}
		if e.Mode.IsRel() {
			e.FenceR = g.With(e.HB, e.Thread, e.Index+1)
		}
	}
}

// learnt returns hb ∪ hb(src) ∪ {src}, for e, which synchronises with src, an event of another thread, and has hb of its po-predecessor. Where hb is all of the
// prefix in both threads, that is the prefix of e, which is there already.
func learnt(g *graph.Graph, e *graph.Event, hb graph.View, src *graph.Event) graph.View {
	before := graph.View(0)
	if e.Index > 0 {
		before = g.Events[g.Threads[e.Thread][e.Index-1]].Prefix
	}
	if before == hb && src.Prefix == src.HB {
		return e.Prefix
	}
	return g.JoinEvent(hb, src.HB, src, e.Thread)
}

// releasesAll reports whether an acquiring reader of the write e learns all that happens before e, and e, and no more. Then Rel is not set. What an RMW learns of the release sequence
// that it goes on with happens before it if it acquires. Instructions of processors, and RMWs of what the thread itself wrote, are left out: see processor.
func releasesAll(g *graph.Graph, e *graph.Event) bool {
	switch {
	case !e.Mode.IsRel() || e.Tag != event.NoTag:
		return false
	case e.Flags&graph.RMWPart == 0:
		return true
	}
	read := &g.Events[g.Threads[e.Thread][e.Index-1]]
	return read.Mode.IsAcq() && g.Events[read.RF].Thread != e.Thread
}

// release returns what an acquiring reader of the write e learns: the views of the release
// events that head a release sequence which e belongs to.
func (m *rc11) release(g *graph.Graph, e *graph.Event) graph.View {
	if e.Mode == event.NA || releasesAll(g, e) {
		return 0
	}
	rel := e.FenceR
	if e.Mode.IsRel() {
		rel = g.With(e.HB, e.Thread, e.Index+1)
	} else if m.sameThread {
		for w := g.Locs[e.Loc].Last[e.Thread].Write; w != graph.None; w = g.Events[w].Prev {
			if p := &g.Events[w]; p.Mode.IsRel() {
				rel = g.Join(rel, p.HB, p.Thread, p.Index+1, graph.NoThread)
				break
			}
		}
	}
	if e.Flags&graph.RMWPart != 0 {
		read := &g.Events[g.Threads[e.Thread][e.Index-1]]
		if src := &g.Events[read.RF]; releasesAll(g, src) {
			rel = g.Join(rel, src.HB, src.Thread, src.Index+1, graph.NoThread)
		} else {
			rel = g.Join(rel, src.Rel, e.Thread, 0, graph.NoThread)
		}
	}
	return rel
}

// Consistent implements Model.
func (m *rc11) Consistent(g *graph.Graph, id graph.ID) bool {
	if !m.psc || g.NumSC < 2 {
		return true
	}
	return pscAcyclic(g, &g.Events[id])
}

// Local implements Model.
func (m *rc11) Local() bool { return true }

// RaceView implements Model.
func (m *rc11) RaceView(e *graph.Event) graph.View { return e.HB }
