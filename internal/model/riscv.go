package model

import (
	"ravel/internal/arch"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/relation"
)

// riscv is RVWMO: chapter 17 and appendix A of the unprivileged RISC-V manual (2019).
type riscv struct {
	processor
}

var _ = register("riscv", native{make: func(o Options) Model { return &riscv{processor{raw: o.Raw}} }})

func (*riscv) Name() string { return "riscv" }

func (*riscv) Doc() string {
	return `RISC-V weak memory ordering, RVWMO
(The RISC-V instruction set manual, volume I, chapter 17 and appendix A, 2019)

  ppo, by the rules of the manual:
   1 po|loc;[W]                          8 rmw
   2 [R];po|loc without a write between;[R], unless both read the same write
   3 [AMO or sc write];rfi               9 addr
   4 fences, by their sets              10 data
   5 [aq];po                            11 ctrl;[W]
   6 po;[rl]                            12 (addr ∪ data);[W];rfi
   7 [aq or rl of RMWs];po;[the same]   13 addr;po;[W]
  acyclic co ∪ rfe ∪ fr ∪ ppo   acyclic po|loc ∪ rf ∪ co ∪ fr   rmw ∩ (fr;co) = ∅

  Mapping c11 is table A.6: sc load = fence rw,rw; l; fence r,rw; acquire load = l; fence r,rw; release and
  sc store = fence rw,w; s; read-modify-writes are lr/sc with .aq and .rl; fences: acquire r,rw, release rw,w, acq_rel tso, sc rw,rw.`
}

// fenceSets are what the fences order: pred before succ, r for reads and w for writes.
var fenceSets = map[event.Tag][2]string{
	event.FenceRR: {"r", "r"}, event.FenceRW: {"r", "w"}, event.FenceRM: {"r", "rw"},
	event.FenceWR: {"w", "r"}, event.FenceWW: {"w", "w"}, event.FenceWM: {"w", "rw"},
	event.FenceMR: {"rw", "r"}, event.FenceMW: {"rw", "w"}, event.FenceMM: {"rw", "rw"},
	fullBarrier: {"rw", "rw"},
}

// fencePair reports whether a fence orders x before e.
func fencePair(tag event.Tag, x, e *graph.Event) bool {
	if tag == event.FenceTSO {
		return x.Kind == graph.Read || e.Kind == graph.Write
	}
	sets := fenceSets[tag]
	in := func(e *graph.Event, set string) bool {
		return set == "rw" || set == "r" && e.Kind == graph.Read || set == "w" && e.Kind == graph.Write
	}
	return sets[0] != "" && in(x, sets[0]) && in(e, sets[1])
}

// isTagged reports whether e is a half of an amo of the program: both halves have its order.
func isTagged(e *graph.Event) bool { return isLocked(e) && e.Tag != event.NoTag && !e.Tag.IsKernel() }

// isAq and isRl are accesses with .aq and .rl.
func (m *riscv) isAq(e *graph.Event) bool {
	if e.Kind != graph.Read && !isTagged(e) {
		return false
	}
	t := mappingRISCV.mark(e, m.raw)
	return t == event.AcquireA || t == event.AqRl
}

func (m *riscv) isRl(e *graph.Event) bool {
	if e.Kind != graph.Write && !isTagged(e) {
		return false
	}
	t := mappingRISCV.mark(e, m.raw)
	return t == event.ReleaseL || t == event.AqRl
}

// isRCsc: .aq and .rl of RMWs are RCsc, those of other accesses RCpc.
func (m *riscv) isRCsc(e *graph.Event) bool {
	return e.Flags&(graph.Locked|graph.RMWPart) != 0 && (m.isAq(e) || m.isRl(e))
}

// isAqRl: the read of an sc RMW is lr.aqrl, or that of an amo.aqrl.
func (m *riscv) isAqRl(e *graph.Event) bool {
	return e.Kind == graph.Read && mappingRISCV.mark(e, m.raw) == event.AqRl
}

// loops reports whether x is the write of an RMW whose result a branch tests: that which ends its loop.
func (m *riscv) loops(x *graph.Event) bool { return mappingRISCV.branches(x, m.raw) }

// Traits implements Model.
func (m *riscv) Traits() Traits {
	return Traits{Arch: arch.RISCV, Deps: m, TracksDeps: true, TotalCo: true, Through: !m.raw, Readable: m.readable, ReadableOnly: true}
}

// OrdersPo implements DepModel.
func (m *riscv) OrdersPo(g *graph.Graph, x, e *graph.Event) bool {
	switch {
	case !isAccess(x) || !isAccess(e):
		return isSync(x) || isSync(e)
	case m.isAq(x), m.isRl(e), m.isAqRl(e):
		return true
	case m.isRCsc(x) && m.isRCsc(e):
		return true
	case m.loops(x) && e.Kind == graph.Write:
		return true
	case sameLocOrdered(g, x, e):
		return true
	}
	return mappingRISCV.between(g, x, e, m.raw, func(t event.Tag) bool { return fencePair(t, x, e) })
}

// sameLocOrdered reports whether x comes before e because of their location: e is a write, or a read of another thread's write.
func sameLocOrdered(g *graph.Graph, x, e *graph.Event) bool {
	return x.Loc == e.Loc && (e.Kind == graph.Write || e.RF != graph.Init && g.Events[e.RF].Thread != e.Thread)
}

// Consistent implements Model.
func (m *riscv) Consistent(g *graph.Graph, id graph.ID) bool { return acyclicWith(g, id, m) }

// readable implements Traits.Readable.
func (m *riscv) readable(g *graph.Graph, id graph.ID, least int32) int32 {
	return readableFrom(g, id, least, m)
}

// before implements localOrder: ppo.
func (m *riscv) before(g *graph.Graph, x, y *graph.Event) bool {
	switch {
	case isSync(x) || isSync(y):
		return true
	case !isAccess(x) || !isAccess(y):
		return false
	case x.Loc == y.Loc && (y.Kind == graph.Write || x.Kind == graph.Read && x.RF != y.RF && !writesBetween(g, x, y)):
		return true
	case m.isAq(x) || m.isRl(y) || m.isAqRl(y) || m.isRCsc(x) && m.isRCsc(y):
		return true
	case y.Kind == graph.Write && m.loops(x):
		return true
	case mappingRISCV.between(g, x, y, m.raw, func(t event.Tag) bool { return fencePair(t, x, y) }):
		return true
	}
	w := internalSource(g, y)
	if x.Kind == graph.Write {
		return w == x && x.Flags&graph.RMWPart != 0
	}
	return addrOrData(g, x, y) || y.Kind == graph.Write && dependsLate(g, x, y) || w != nil && addrOrData(g, x, w)
}

// writesBetween reports whether there is a write of their location between x and y of one thread.
func writesBetween(g *graph.Graph, x, y *graph.Event) bool {
	for _, id := range g.Threads[x.Thread][x.Index+1 : y.Index] {
		if e := &g.Events[id]; e.Kind == graph.Write && e.Loc == x.Loc {
			return true
		}
	}
	return false
}

// CheckLast implements DepModel.
func (m *riscv) CheckLast(g *graph.Graph, id graph.ID) bool { return checkLast(g, id, m) }

// Check implements DepModel.
func (m *riscv) Check(g *graph.Graph) bool {
	x := newExec(g)
	defer x.done()
	poLoc := x.and(x.po, x.sameLoc)
	if !x.union(poLoc, x.rf, x.co, x.fr).Acyclic() || !x.atomic() {
		return false
	}
	r, w := x.id(x.r), x.id(x.w)
	accesses := x.newSet()
	accesses.Union(x.r, x.w)
	mem := x.id(accesses)
	rfi, rfe := x.minus(x.rf, x.ext), x.and(x.rf, x.ext)
	aq, rl := x.where(m.isAq), x.where(m.isRl)
	rcsc := x.id(x.where(m.isRCsc))
	ordersBefore := x.newSet()
	ordersBefore.Union(rl, x.where(m.isAqRl))
	rmwW := x.where(func(e *graph.Event) bool { return e.Kind == graph.Write && e.Flags&graph.RMWPart != 0 })
	ctrl := x.union(x.ctrl, x.seq(x.id(x.where(m.loops)), x.po))
	direct := x.minus(poLoc, x.seq(x.opt(poLoc), w, poLoc)) // no write between
	ppo := x.union(
		x.seq(mem, poLoc, w),
		x.minus(x.seq(r, direct, r), x.seq(x.inverse(x.rf), x.rf)),
		x.seq(x.id(rmwW), rfi, r),
		x.riscvFences(m.raw),
		x.seq(x.id(aq), x.po, mem),
		x.seq(mem, x.po, x.id(ordersBefore)),
		x.seq(rcsc, x.po, rcsc),
		x.rmw, x.addr, x.data,
		x.seq(ctrl, w),
		x.seq(x.union(x.addr, x.data), w, rfi, r),
		x.seq(x.addrPo, w),
	)
	return x.union(x.co, rfe, x.fr, ppo, x.threadOrder()).Acyclic()
}

// riscvFences is rule 4.
func (x *exec) riscvFences(raw bool) *relation.Rel {
	r := x.newRel()
	for t, bs := range x.barriers(mappingRISCV, raw) {
		evs := x.g.Threads[t]
		for _, b := range bs {
			for i, a := range evs {
				for j := i + 1; j < len(evs); j++ {
					c := evs[j]
					if a == graph.Init || c == graph.Init || 2*i >= b.at || b.at >= 2*j {
						continue
					}
					ea, ec := &x.g.Events[a], &x.g.Events[c]
					if isAccess(ea) && isAccess(ec) && fencePair(b.tag, ea, ec) {
						r.Add(int(x.num[a]), int(x.num[c]))
					}
				}
			}
		}
	}
	return r
}

// threadOrder is the order that creating and joining threads gives.
func (x *exec) threadOrder() *relation.Rel {
	sync := x.id(x.where(isSync))
	return x.union(x.start, x.seq(x.po, sync), x.seq(sync, x.po))
}
