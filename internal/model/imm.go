package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// imm is the intermediate memory model: Podkopaev, Lahav, Vafeiadis, POPL'19.
type imm struct{ rc11 }

var _ = register("imm", native{make: func(Options) Model { return &imm{rc11{psc: true}} }})

func (imm) Name() string { return "imm" }

func (imm) Doc() string {
	return `IMM, the intermediate memory model between C11 and hardware
(Podkopaev, Lahav, Vafeiadis: Bridging the gap between programming languages and hardware weak
memory models, POPL'19; sc accesses as in RC11)

  rs, sw, hb, eco, psc as in rc11
  bob = po;[Wrel] ∪ [Racq];po ∪ po;[F] ∪ [F];po ∪ [Wrel];po|loc;[W]
  ppo = [R];(data ∪ ctrl ∪ addr;po? ∪ casdep ∪ [Rex];po ∪ rfi)+;[W]
  detour = (coe;rfe) ∩ po
  irreflexive hb;eco?   rmw ∩ (fr;co) = ∅   acyclic psc
  acyclic rfe ∪ bob ∪ ppo ∪ detour ∪ [Fsc];hb;eco;hb;[Fsc]`
}

// Traits implements Model.
func (m *imm) Traits() Traits { return Traits{Deps: m, TracksDeps: true, Through: true, FreeRfi: true} }

// OrdersPo implements DepModel.
func (imm) OrdersPo(g *graph.Graph, x, e *graph.Event) bool {
	switch {
	case isBarrier(x), isBarrier(e):
		return true
	case x.Kind == graph.Read && x.Mode.IsAcq(), e.Kind == graph.Write && e.Mode.IsRel():
		return true
	case x.Kind == graph.Read && x.Flags&graph.Locked != 0:
		return true // [Rex];po
	case x.Kind == graph.Write && x.Loc == e.Loc:
		return e.Kind == graph.Write && x.Mode.IsRel() || // [Wrel];po|loc;[W]
			e.Kind == graph.Read && e.RF != graph.Init && g.Events[e.RF].Thread != e.Thread // detour
	}
	return false
}

// isAccess reports whether e is a read or a write.
func isAccess(e *graph.Event) bool { return e.Kind == graph.Read || e.Kind == graph.Write }

// isSync reports whether e synchronises with another thread as a whole: creation and join.
func isSync(e *graph.Event) bool {
	switch e.Kind {
	case graph.Start, graph.End, graph.Create, graph.Join:
		return true
	}
	return false
}

// isBarrier reports whether e is a fence that orders anything or synchronises with another thread as a whole.
func isBarrier(e *graph.Event) bool { return e.Kind == graph.Fence && e.Mode > event.Rlx || isSync(e) }

// CheckLast implements DepModel. Only co and fr, which are in psc, lead from the last event of a thread to others: without sc events
// it can't be in a cycle.
func (m imm) CheckLast(g *graph.Graph, id graph.ID) bool {
	e := &g.Events[id]
	switch {
	case !isAccess(e):
		return true
	case !atomicLast(g, e):
		return false
	case g.CoMaximal(e):
		return true
	case g.NumSC < 2:
		return coherentLast(g, e)
	case g.Holes > 0:
		return m.Check(g)
	}
	mark := g.Mark()
	defer g.Release(mark)
	return coherentLast(g, e) && fillViews(g) && pscAcyclic(g, e) && !arFenceCycle(g, e)
}

// AcyclicFirst, AddrPo and Latest implement DepModel.
func (imm) AcyclicFirst() bool       { return true }
func (imm) AddrPo() bool             { return true }
func (imm) Latest(*graph.Graph) bool { return true }

// Consistent implements Model: of ar, only psc edges are not in po ∪ rf.
func (m imm) Consistent(g *graph.Graph, id graph.ID) bool {
	if g.NumSC < 2 {
		return true
	}
	e := &g.Events[id]
	return pscAcyclic(g, e) && !arFenceCycle(g, e)
}

// Check implements DepModel.
func (imm) Check(g *graph.Graph) bool {
	x := newExec(g)
	defer x.done()
	isAcq := x.where(func(e *graph.Event) bool { return e.Mode.IsAcq() })
	isRel := x.where(func(e *graph.Event) bool { return e.Mode.IsRel() })
	atomicW := x.where(func(e *graph.Event) bool { return e.Kind == graph.Write && e.Mode >= event.Rlx })
	atomicR := x.where(func(e *graph.Event) bool { return e.Kind == graph.Read && e.Mode >= event.Rlx })
	poLoc := x.and(x.po, x.sameLoc)
	w, f := x.id(x.w), x.id(x.f)

	rs := x.seq(x.id(atomicW), x.star(x.seq(x.rf, x.rmw)))
	sw := x.seq(x.id(isRel), x.opt(x.seq(f, x.po)), rs, x.rf, x.id(atomicR), x.opt(x.seq(x.po, f)), x.id(isAcq))
	initFirst := x.newRel()
	initFirst.Product(x.init, x.where(func(*graph.Event) bool { return true }))
	hb := x.plus(x.union(x.po, sw, x.start, initFirst))
	if !x.coherent(hb) {
		return false
	}

	relW := x.where(func(e *graph.Event) bool { return e.Kind == graph.Write && e.Mode.IsRel() })
	acqR := x.where(func(e *graph.Event) bool { return e.Kind == graph.Read && e.Mode.IsAcq() })
	rex := x.where(func(e *graph.Event) bool { return e.Kind == graph.Read && e.Flags&graph.Locked != 0 })
	barrier := x.id(x.where(isBarrier))
	bob := x.union(x.seq(x.po, x.id(relW)), x.seq(x.id(acqR), x.po), x.seq(x.po, barrier), x.seq(barrier, x.po),
		x.seq(x.id(relW), poLoc, w))
	rfe, rfi := x.and(x.rf, x.ext), x.minus(x.rf, x.ext)
	coe := x.and(x.co, x.ext)
	ppo := x.seq(x.id(x.r), x.plus(x.union(x.data, x.ctrl, x.addr, x.addrPo, x.exp, x.seq(x.id(rex), x.po), rfi)), w)
	detour := x.and(x.seq(coe, rfe), x.po)
	fsc := x.id(x.where(func(e *graph.Event) bool { return e.Mode == event.SC && e.Kind == graph.Fence }))
	return x.union(rfe, bob, ppo, detour, x.seq(fsc, hb, x.eco(), hb, fsc), x.start).Acyclic() && x.psc(hb).Acyclic()
}

// inThread has the methods of Model for a DepModel whose coherence is that of each location by itself.
type inThread struct{}

func (inThread) Views(g *graph.Graph, id graph.ID) {
	if e := &g.Events[id]; (e.Kind == graph.Start || e.Kind == graph.Join) && e.RF != graph.Init {
		src := &g.Events[e.RF]
		e.HB = g.JoinEvent(e.HB, src.HB, src, e.Thread)
	}
}

// A processor has the methods of Model for that of a processor.
//
// Lemma. Let hb be that of rc11, but for acquires that read what their own thread wrote. If accesses are compiled by the mapping, no consistent execution has hb;eco with the same
// beginning and end: that is what the mappings are for (Lahav et al., PLDI'17, for POWER; Podkopaev et al., POPL'19, for the others).
//
// Proof, for one step of sw from the release A to the acquire B: fences, or the access itself, order all that is before A in its thread before its write, in fence or ppo or ob.
// Each RMW of the release sequence has its read before its write, and writes of a thread to one location are in order. The write that B reads comes before B by rfe. And B comes before
// all that is after it. An access in hb of e that is eco-after e closes the cycle: of ob, or of fre;prop;hb*, or of co and prop, where a read comes in by rfe;fence. ∎
//
// So what an access reads is bounded from below before the model is asked. Under ARMv8, only the read of an RMW comes before an acquire that reads its write, and not what came before that
// write. Instructions that are none of C11 are left out.
type processor struct {
	inThread
	raw bool
}

var releaseAcquire rc11

func (m *processor) Views(g *graph.Graph, id graph.ID) {
	e := &g.Events[id]
	switch {
	case m.raw || e.Tag != event.NoTag:
		m.inThread.Views(g, id)
	case e.Kind != graph.Read || g.Events[e.RF].Thread != e.Thread:
		releaseAcquire.Views(g, id)
	}
}

func (inThread) AcyclicFirst() bool                 { return true }
func (inThread) Local() bool                        { return false }
func (inThread) RaceView(e *graph.Event) graph.View { return e.HB }

// AddrPo and Latest implement DepModel, for most models.
func (inThread) AddrPo() bool             { return true }
func (inThread) Latest(*graph.Graph) bool { return true }
