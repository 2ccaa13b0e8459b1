package model

import (
	"ravel/internal/arch"
	"ravel/internal/event"
	"ravel/internal/graph"
)

// armv8 is AArch64: Pulte, Flur, Deacon, French, Sarkar, Sewell, POPL'18, and its later updates.
type armv8 struct {
	processor
}

var _ = register("armv8", native{make: func(o Options) Model { return &armv8{processor{raw: o.Raw}} }})

func (*armv8) Name() string { return "armv8" }

func (*armv8) Doc() string {
	return `ARMv8, multi-copy atomic
(Pulte, Flur, Deacon, French, Sarkar, Sewell: Simplifying ARM concurrency, POPL'18, with LDAPR and the later changes of the manual)

  obs = rfe ∪ coe ∪ fre
  dob = addr ∪ data ∪ ctrl;[W] ∪ (ctrl ∪ addr;po);[ISB];po;[R] ∪ addr;po;[W] ∪ (addr ∪ data);rfi
  aob = rmw ∪ [range(rmw)];rfi;[A ∪ Q]
  bob = po;[dmb.sy];po ∪ [R];po;[dmb.ld];po ∪ [W];po;[dmb.st];po;[W] ∪ [W];po;[dsb.st];po ∪ [L];po;[A] ∪ [A ∪ Q];po ∪ po;[L] ∪ [range([A];amo;[L])];po
  lws = po|loc;[W]
  acyclic po|loc ∪ rf ∪ co ∪ fr   rmw ∩ (fr;co) = ∅   acyclic obs ∪ dob ∪ aob ∪ bob ∪ lws

  Mapping c11: acquire loads are LDAPR, sc loads LDAR, release and sc stores STLR; read-modify-writes are
  exclusives, LDAXR if acquire, STLXR if release; acquire fences are DMB LD, others DMB SY.`
}

// isA, isQ and isL are the loads LDAR and LDAPR and the store STLR, and the exclusives LDAXR and STLXR.
func (m *armv8) isA(e *graph.Event) bool {
	if e.Kind != graph.Read {
		return false
	}
	t := mappingARMv8.mark(e, m.raw)
	return t == event.AcquireA || t == event.AqRl
}

func (m *armv8) isQ(e *graph.Event) bool {
	return e.Kind == graph.Read && mappingARMv8.mark(e, m.raw) == event.AcquirePC
}

// isAQ reports whether e is of A or Q.
func (m *armv8) isAQ(e *graph.Event) bool {
	if e.Kind != graph.Read {
		return false
	}
	t := mappingARMv8.mark(e, m.raw)
	return t == event.AcquireA || t == event.AqRl || t == event.AcquirePC
}

func (m *armv8) isL(e *graph.Event) bool {
	if e.Kind != graph.Write {
		return false
	}
	t := mappingARMv8.mark(e, m.raw)
	return t == event.ReleaseL || t == event.AqRl || e.Tag == event.Full
}

// isAmo reports whether x is the write of an atomic instruction that acquires and releases, such as SWPAL: later accesses come after it.
func isAmo(x *graph.Event) bool {
	return x.Kind == graph.Write && x.Tag == event.AqRl && x.Flags&graph.RMWPart != 0
}

// Traits implements Model.
func (m *armv8) Traits() Traits {
	return Traits{Arch: arch.AArch64, Deps: m, TracksDeps: true, TotalCo: true, Through: !m.raw, Readable: m.readable, ReadableOnly: true}
}

// OrdersPo implements DepModel. Accesses on both sides of a fence are ordered through it: an access of one side
// with the fence, and the fence with one of the other.
func (m *armv8) OrdersPo(g *graph.Graph, x, e *graph.Event) bool {
	switch {
	case isSync(x) || isSync(e):
		return true
	case x.Kind == graph.Fence:
		return isAccess(e) && m.fenceBefore(mappingARMv8.tagOf(x), e)
	case e.Kind == graph.Fence:
		return isAccess(x) && m.fenceAfter(mappingARMv8.tagOf(e), x)
	case !isAccess(x) || !isAccess(e):
		return false
	case isFull(x) && x.Tag == event.Full:
		return true // a fence comes after it
	case m.isAQ(x) || m.isL(e) || e.Kind == graph.Read && m.isL(x) && m.isA(e) || isAmo(x):
		return true
	}
	return sameLocOrdered(g, x, e)
}

// fenceBefore reports whether a fence comes before the later access e. What an ISB orders with it depends on
// dependencies.
func (m *armv8) fenceBefore(tag event.Tag, e *graph.Event) bool {
	switch tag {
	case event.DMBSY, event.DMBLD, event.DSBST:
		return true
	case event.DMBST:
		return e.Kind == graph.Write
	case event.ISB:
		return e.Kind == graph.Read
	}
	return false
}

// fenceAfter reports whether a fence comes after the earlier access x.
func (m *armv8) fenceAfter(tag event.Tag, x *graph.Event) bool {
	switch tag {
	case event.DMBSY:
		return true
	case event.DMBLD:
		return isLoad(x)
	case event.DMBST, event.DSBST:
		return x.Kind == graph.Write
	}
	return false
}

// isLoad reports whether DMB LD orders x: the read of an atomic instruction without a result is none.
func isLoad(x *graph.Event) bool { return x.Kind == graph.Read && x.Tag != event.Noreturn }

// Consistent implements Model.
func (m *armv8) Consistent(g *graph.Graph, id graph.ID) bool { return acyclicWith(g, id, m) }

// readable implements Traits.Readable.
func (m *armv8) readable(g *graph.Graph, id graph.ID, least int32) int32 {
	return readableFrom(g, id, least, m)
}

// before implements localOrder: dob ∪ aob ∪ bob ∪ lws, step by step through fences.
func (m *armv8) before(g *graph.Graph, x, y *graph.Event) bool {
	switch {
	case isSync(x) || isSync(y):
		return true
	case x.Kind == graph.Fence:
		return isAccess(y) && m.fenceBefore(mappingARMv8.tagOf(x), y)
	case !isAccess(x):
		return false
	case y.Kind == graph.Fence:
		tag := mappingARMv8.tagOf(y)
		return m.fenceAfter(tag, x) || tag == event.ISB && x.Kind == graph.Read && dependsLate(g, x, y)
	case !isAccess(y):
		return false
	case isFull(x) && x.Tag == event.Full:
		return true // a fence comes after it
	case m.isAQ(x) || m.isL(y) || y.Kind == graph.Read && m.isL(x) && m.isA(y) || isAmo(x):
		return true
	case y.Kind == graph.Write && x.Loc == y.Loc:
		return true
	case x.Kind != graph.Read:
		return false
	case addrOrData(g, x, y) || y.Kind == graph.Write && dependsLate(g, x, y):
		return true
	}
	w := internalSource(g, y)
	return w != nil && (addrOrData(g, x, w) ||
		w.Flags&graph.RMWPart != 0 && w.Index == x.Index+1 && m.isAQ(y))
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
	bob := x.union(x.across(mappingARMv8, m.raw, event.DMBSY), x.seq(x.id(x.where(isLoad)), x.across(mappingARMv8, m.raw, event.DMBLD)),
		x.seq(x.id(l), x.po, x.id(a)), x.seq(x.id(aq), x.po), x.seq(x.po, x.id(l)))
	if x.hasTags() {
		isb := x.id(x.where(isISB))
		bob = x.union(bob, x.seq(x.id(x.where(isAmo)), x.po))
		dob = x.union(dob, x.seq(x.union(x.ctrl, x.addrPo), isb, x.po, r))
		bob = x.union(bob, x.seq(w, x.across(mappingARMv8, m.raw, event.DMBST), w),
			x.seq(w, x.across(mappingARMv8, m.raw, event.DSBST)))
	}
	return x.union(obs, dob, aob, bob, x.seq(poLoc, w), x.threadOrder()).Acyclic()
}

func isISB(e *graph.Event) bool { return e.Kind == graph.Fence && e.Tag == event.ISB }
