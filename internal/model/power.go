package model

import (
	"ravel/internal/arch"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// herdingCats is a model of the framework of Alglave, Maranget, Tautschnig, "Herding cats", TOPLAS'14: POWER or ARMv7.
type herdingCats struct {
	processor
	armv7 bool
}

var (
	_ = register("armv7", native{make: func(o Options) Model { return &herdingCats{processor{raw: o.Raw}, true} }})
	_ = register("power", native{make: func(o Options) Model { return &herdingCats{processor{raw: o.Raw}, false} }})
)

func (m *herdingCats) Name() string {
	if m.armv7 {
		return "armv7"
	}
	return "power"
}

func (m *herdingCats) Doc() string {
	if m.armv7 {
		return `ARMv7
(Alglave, Maranget, Tautschnig: Herding cats, TOPLAS'14)

  as power, with cc0 = addr ∪ data ∪ ctrl ∪ addr;po ∪ rmw, isb for isync, and dmb for all fences; dmb.st is one for writes.`
	}
	return `IBM POWER
(Alglave, Maranget, Tautschnig: Herding cats, TOPLAS'14)

  rdw = po|loc ∩ (fre;rfe)   detour = po|loc ∩ (coe;rfe)
  ii0 = addr ∪ data ∪ rdw ∪ rfi   ic0 = ∅   ci0 = ctrl+isync ∪ detour   cc0 = addr ∪ data ∪ po|loc ∪ ctrl ∪ addr;po
  ii = ii0 ∪ ci ∪ ic;ci ∪ ii;ii    ic = ic0 ∪ ii ∪ cc ∪ ic;cc ∪ ii;ic
  ci = ci0 ∪ ci;ii ∪ cc;ci         cc = cc0 ∪ ci ∪ ci;ic ∪ cc;cc
  ppo = (ii ∩ R×R) ∪ (ic ∩ R×W)
  fence = sync ∪ lwsync without W×R ∪ eieio ∩ W×W
  hb = ppo ∪ fence ∪ rfe
  propbase = (fence ∪ rfe;fence);hb*   prop = propbase ∩ W×W ∪ com*;propbase*;sync;hb*
  acyclic po|loc ∪ rf ∪ co ∪ fr   rmw ∩ (fr;co) = ∅   acyclic hb
  irreflexive fre;prop;hb*   acyclic co ∪ prop   acyclic co ∪ ([RMW];po;[RMW])

  Mapping c11 is the leading-fence one: sc load = sync; ld; ctrl; isync, acquire load = ld; ctrl; isync, release store = lwsync; st,
  sc store = sync; st, sc fence = sync, other fences = lwsync (Batty et al., POPL'12).`
}

func (m *herdingCats) mapping() *mapping {
	if m.armv7 {
		return mappingARMv7
	}
	return mappingPower
}

// isync is the fence that a control dependency needs to order reads.
func (m *herdingCats) isync() event.Tag {
	if m.armv7 {
		return event.ISB
	}
	return event.ISYNC
}

// orders reports whether a barrier orders the access x before e.
func (m *herdingCats) orders(tag event.Tag, x, e *graph.Event) bool {
	switch tag {
	case event.SYNC, event.DMBSY, fullBarrier:
		return true
	case event.LWSYNC:
		return x.Kind == graph.Read || e.Kind == graph.Write
	case event.EIEIO, event.DMBST:
		return x.Kind == graph.Write && e.Kind == graph.Write
	}
	return false
}

// tested reports whether a branch on the value of x follows it: an acquire load, or the loop of an RMW.
func (m *herdingCats) tested(x *graph.Event) bool { return m.mapping().branches(x, m.raw) }

// Traits implements Model.
func (m *herdingCats) Traits() Traits {
	t := Traits{Arch: arch.PPC, Deps: m, TracksDeps: true, TotalCo: true, Readable: m.readable}
	if m.armv7 {
		t.Arch = arch.ARM
	}
	return t
}

// OrdersPo implements DepModel.
func (m *herdingCats) OrdersPo(g *graph.Graph, x, e *graph.Event) bool {
	switch {
	case !isAccess(x) || !isAccess(e):
		return isSync(x) || isSync(e)
	case x.Loc == e.Loc && !m.armv7, sameLocOrdered(g, x, e) && e.Kind == graph.Read, m.tested(x) && (e.Kind == graph.Write || x.Mode.IsAcq()):
		return true
	case x.Kind == graph.Read && m.isyncBetween(g, x, e):
		return true
	}
	return m.fencedBy(g, x, e)
}

// isyncBetween reports whether a branch on the read x, and then an isync of the program, come before e.
func (m *herdingCats) isyncBetween(g *graph.Graph, x, e *graph.Event) bool {
	evs := g.Threads[x.Thread]
	for i := x.Index + 1; i < e.Index && int(i) < len(evs); i++ {
		if evs[i] == graph.Hole {
			continue
		}
		f := &g.Events[evs[i]]
		if f.Kind == graph.Fence && f.Tag == m.isync() && (m.tested(x) || g.Deps.Has(f.Ctrl, x.Index)) {
			return true
		}
	}
	return false
}

// Consistent implements Model: whatever the axioms forbid has a cycle of com and before, and most graphs have none.
func (m *herdingCats) Consistent(g *graph.Graph, id graph.ID) bool {
	return acyclicWith(g, id, m) || !m.forbidden(g, id)
}

// readable implements Traits.Readable. A forbidden cycle that goes from e by fr to w', and comes back to e from what it reads, w, by rf, is one without e: prop;hb* that leads
// from w' to w is prop, and w comes before w' in co.
func (m *herdingCats) readable(g *graph.Graph, id graph.ID, least int32) int32 {
	return readableFrom(g, id, least, m)
}

// before implements localOrder: all that ppo and fences are made of, and more. An isync orders nothing that does not depend on the
// read that was tested.
func (m *herdingCats) before(g *graph.Graph, x, y *graph.Event) bool {
	switch {
	case isSync(x) || isSync(y):
		return true
	case !isAccess(x) || !isAccess(y):
		return false
	case x.Loc == y.Loc || m.tested(x) || g.Depends(y, x.Index) || isLocked(x) && isLocked(y):
		return true
	}
	return m.fencedBy(g, x, y)
}

// fencedBy reports whether a fence between two accesses orders them.
func (m *herdingCats) fencedBy(g *graph.Graph, x, y *graph.Event) bool {
	return m.mapping().between(g, x, y, m.raw, func(t event.Tag) bool { return m.orders(t, x, y) })
}

// isLocked reports whether e is of an RMW.
func isLocked(e *graph.Event) bool {
	return e.Kind == graph.Read && e.Flags&graph.Locked != 0 || e.Kind == graph.Write && e.Flags&graph.RMWPart != 0
}

// CheckLast implements DepModel.
func (m *herdingCats) CheckLast(g *graph.Graph, id graph.ID) bool { return checkLast(g, id, m) }

// Check implements DepModel.
func (m *herdingCats) Check(g *graph.Graph) bool {
	x := newExec(g)
	defer x.done()
	poLoc := x.and(x.po, x.sameLoc)
	if !x.union(poLoc, x.rf, x.co, x.fr).Acyclic() || !x.atomic() {
		return false
	}
	rfe, fre := x.and(x.rf, x.ext), x.and(x.fr, x.ext)
	com := x.union(x.rf, x.co, x.fr)
	strong := x.across(m.mapping(), m.raw, event.SYNC, event.DMBSY)
	writes := x.newRel()
	writes.Product(x.w, x.w)
	light := x.newRel()
	if !m.armv7 {
		writeRead := x.newRel()
		writeRead.Product(x.w, x.r)
		light = x.minus(x.across(m.mapping(), m.raw, event.LWSYNC), writeRead)
	}
	if x.hasTags() {
		stores := x.and(x.across(m.mapping(), m.raw, event.EIEIO, event.DMBST), writes)
		if m.armv7 {
			strong = x.union(strong, stores)
		} else {
			light = x.union(light, stores)
		}
	}
	fence := x.union(strong, light, x.threadOrder())
	hb := x.union(m.ppo(x), fence, rfe)
	if !hb.Acyclic() {
		return false
	}
	hbStar := x.star(hb)
	base := x.seq(x.union(fence, x.seq(rfe, fence)), hbStar)
	prop := x.union(x.and(base, writes), x.seq(x.star(com), x.star(base), x.union(strong, x.threadOrder()), hbStar))
	locked := x.id(x.where(isLocked))
	return x.seq(fre, prop, hbStar).Irreflexive() && x.union(x.co, prop).Acyclic() &&
		x.union(x.co, x.seq(locked, x.po, locked)).Acyclic()
}

// ppo is the preserved program order: i and c stand for the initiation and the commit of instructions.
func (m *herdingCats) ppo(x *exec) *relation.Rel {
	coe, fre, rfe := x.and(x.co, x.ext), x.and(x.fr, x.ext), x.and(x.rf, x.ext)
	poLoc := x.and(x.po, x.sameLoc)
	dd := x.union(x.addr, x.data)
	ctrl := x.union(x.ctrl, x.seq(x.id(x.where(m.tested)), x.po))
	ii0 := x.union(dd, x.and(poLoc, x.seq(fre, rfe)), x.minus(x.rf, x.ext))
	ci0 := x.union(m.ctrlFence(x, ctrl), x.and(poLoc, x.seq(coe, rfe)))
	cc0 := x.union(dd, ctrl, x.addrPo)
	if m.armv7 {
		cc0 = x.union(cc0, x.rmw)
	} else {
		cc0 = x.union(cc0, poLoc)
	}
	none := x.newRel()
	ii, ic, ci, cc := none, none, none, none
	for {
		a := x.union(ii0, ci, x.seq(ic, ci), x.seq(ii, ii))
		b := x.union(ii, cc, x.seq(ic, cc), x.seq(ii, ic))
		c := x.union(ci0, x.seq(ci, ii), x.seq(cc, ci))
		d := x.union(cc0, ci, x.seq(ci, ic), x.seq(cc, cc))
		if a.Equal(ii) && b.Equal(ic) && c.Equal(ci) && d.Equal(cc) {
			break
		}
		ii, ic, ci, cc = a, b, c, d
	}
	r := x.id(x.r)
	return x.union(x.seq(r, ii, r), x.seq(r, ic, x.id(x.w)))
}

// ctrlFence is ctrl;[isync];po, for those of the program and those of the mapping, which stand after the branch on the access before them.
func (m *herdingCats) ctrlFence(x *exec, ctrl *relation.Rel) *relation.Rel {
	r := x.newRel()
	for t, bs := range x.barriers(m.mapping(), m.raw) {
		evs := x.g.Threads[t]
		for _, b := range bs {
			if b.tag != m.isync() {
				continue
			}
			at := x.g.At(int32(t), int32(b.at/2))
			if evs[b.at/2] == graph.Hole {
				continue
			}
			for i, a := range evs[:b.at/2+1] {
				if a == graph.Init || x.g.Events[a].Kind != graph.Read || i < b.at/2 && !ctrl.Has(int(x.num[a]), int(x.num[at])) {
					continue
				}
				for _, c := range evs[b.at/2+1:] {
					if c != graph.Init && isAccess(&x.g.Events[c]) {
						r.Add(int(x.num[a]), int(x.num[c]))
					}
				}
			}
		}
	}
	return r
}
