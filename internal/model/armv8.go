package model

import (
	"ravel/internal/event"
	"ravel/internal/graph"
)

// armv8 is AArch64: Pulte, Flur, Deacon, French, Sarkar, Sewell, POPL'18, and its later updates.
type armv8 struct {
	depOnly
	raw bool
}

func (*armv8) Name() string { return "armv8" }

func (*armv8) Doc() string {
	return `ARMv8, multi-copy atomic
(Pulte, Flur, Deacon, French, Sarkar, Sewell: Simplifying ARM concurrency, POPL'18, with LDAPR and the later changes of the manual)

  obs = rfe ∪ coe ∪ fre
  dob = addr ∪ data ∪ ctrl;[W] ∪ (ctrl ∪ addr;po);[ISB];po;[R] ∪ addr;po;[W] ∪ (addr ∪ data);rfi
  aob = rmw ∪ [range(rmw)];rfi;[A ∪ Q]
  bob = po;[dmb.sy];po ∪ [R];po;[dmb.ld];po ∪ [W];po;[dmb.st];po;[W] ∪ [L];po;[A] ∪ [A ∪ Q];po ∪ po;[L]
  lws = po|loc;[W]
  acyclic po|loc ∪ rf ∪ co ∪ fr   rmw ∩ (fr;co) = ∅   acyclic obs ∪ dob ∪ aob ∪ bob ∪ lws

  Mapping c11: acquire loads are LDAPR, sc loads LDAR, release and sc stores STLR; read-modify-writes are
  exclusives, LDAXR if acquire, STLXR if release; acquire fences are DMB LD, others DMB SY.`
}

var mappingARMv8 = mapping{
	fence: func(m event.Mode) event.Tag {
		if m == event.Acq {
			return event.DMBLD
		}
		return event.DMBSY
	},
	before: noTag, after: noTag,
}

// isA, isQ and isL are the loads LDAR and LDAPR and the store STLR.
func (m *armv8) isA(e *graph.Event) bool {
	return !m.raw && e.Kind == graph.Read && (e.Mode == event.SC || e.Mode.IsAcq() && e.Flags&graph.Locked != 0)
}

func (m *armv8) isQ(e *graph.Event) bool {
	return !m.raw && e.Kind == graph.Read && e.Mode.IsAcq() && !m.isA(e)
}

func (m *armv8) isL(e *graph.Event) bool { return !m.raw && e.Kind == graph.Write && e.Mode.IsRel() }

// OrdersPo implements DepModel.
func (m *armv8) OrdersPo(g *graph.Graph, x, e *graph.Event) bool {
	switch {
	case !isAccess(x) || !isAccess(e):
		return (isBarrier(x) || isBarrier(e)) && fenceOrders(x, e)
	case m.isA(x) || m.isQ(x) || m.isL(e) || m.isL(x) && m.isA(e):
		return true
	}
	return sameLocOrdered(g, x, e)
}

// fenceOrders reports whether a fence, x or e, is ordered with the other, an access or a fence; what lies on its other
// side is then reached through it. An acquire fence orders reads before it.
func fenceOrders(x, e *graph.Event) bool {
	if e.Kind == graph.Fence && e.Mode == event.Acq {
		return x.Kind != graph.Write
	}
	return true
}

// CheckLast implements DepModel.
func (m *armv8) CheckLast(g *graph.Graph, id graph.ID) bool { return checkLast(g, id, m) }

// Check implements DepModel.
func (m *armv8) Check(g *graph.Graph) bool {
	x := newExec(g)
	defer x.done()
	poLoc := x.and(x.po, x.sameLoc)
	if !x.union(poLoc, x.rf, x.co, x.fr).Acyclic() || !x.atomic() {
		return false
	}
	a, q, l := x.where(m.isA), x.where(m.isQ), x.where(m.isL)
	aq := x.newSet()
	aq.Union(a, q)
	r, w := x.id(x.r), x.id(x.w)
	rfi := x.minus(x.rf, x.ext)
	obs := x.and(x.union(x.rf, x.co, x.fr), x.ext)
	dob := x.union(x.addr, x.data, x.seq(x.ctrl, w), x.seq(x.addrPo, w), x.seq(x.union(x.addr, x.data), rfi))
	aob := x.union(x.rmw, x.seq(x.rmw, rfi, x.id(aq)))
	bob := x.union(x.across(&mappingARMv8, m.raw, event.DMBSY), x.seq(r, x.across(&mappingARMv8, m.raw, event.DMBLD)),
		x.seq(x.id(l), x.po, x.id(a)), x.seq(x.id(aq), x.po), x.seq(x.po, x.id(l)))
	return x.union(obs, dob, aob, bob, x.seq(poLoc, w), x.threadOrder()).Acyclic()
}
