package brute

import "ravel/internal/event"

// riscv is RVWMO: the rules of the chapter of that name of the unprivileged manual (2019), over reads and
// writes as in its axiomatic model for herd. There an AMO is one operation, so both halves of
// one have its .aq and .rl. Only a read-modify-write with a tag is an AMO; others are a load-reserved and a store-conditional.
func riscv(g *graph, raw bool) bool {
	mapped := g.untagged(raw) & g.locked
	aq := g.tagged(g.r|g.locked, event.AcquireA, event.AqRl) | mapped&g.r&g.acq
	rl := g.tagged(g.w|g.locked, event.ReleaseL, event.AqRl) | mapped&g.w&g.rel
	rcsc := (aq | rl) & g.locked // plain accesses with .aq and .rl are RCpc
	scRead := mapped & g.r & g.sc
	bs := g.barriers(mappingRISCV, raw)
	ctrl := or(g.ctrl, seq(id(mapped&g.w), g.po))
	r, w, m := id(g.r), id(g.w), id(g.r|g.w)
	rfi, poloc := and(g.rf, g.same), and(g.po, g.loc)

	ppo := []rel{
		seq(m, poloc, w), // 1
		minus(seq(r, minus(poloc, seq(opt(poloc), w, poloc)), r), seq(inv(g.rf), g.rf)), // 2
		seq(id(g.w&g.locked), rfi, r),      // 3
		riscvFences(g, bs),                 // 4
		seq(id(aq), g.po, m),               // 5
		seq(m, g.po, id(rl|scRead)),        // 6: lr.aqrl
		seq(id(rcsc), g.po, id(rcsc)),      // 7
		g.rmw,                              // 8
		g.addr,                             // 9
		g.data,                             // 10
		seq(ctrl, w),                       // 11
		seq(or(g.addr, g.data), w, rfi, r), // 12
		seq(g.addr, m, g.po, w),            // 13
	}
	rfe := minus(g.rf, g.same)
	return coherent(g, g.rf, g.co, g.fr) && atomic(g, g.co, g.fr) &&
		acyclic(or(g.co, rfe, g.fr, or(ppo...)))
}

// riscvFences is rule 4: fence pred,succ.
func riscvFences(g *graph, bs []barrier) (ppo rel) {
	ppo = g.threads()
	m := g.r | g.w
	for _, f := range []struct {
		tag        event.Tag
		pred, succ set
	}{
		{event.FenceRR, g.r, g.r},
		{event.FenceRW, g.r, g.w},
		{event.FenceRM, g.r, m},
		{event.FenceWR, g.w, g.r},
		{event.FenceWW, g.w, g.w},
		{event.FenceWM, g.w, m},
		{event.FenceMR, m, g.r},
		{event.FenceMW, m, g.w},
		{event.FenceMM, m, m},
		{event.FenceTSO, g.r, m},
		{event.FenceTSO, g.w, g.w},
	} {
		ppo = or(ppo, and(g.across(bs, f.tag), cross(f.pred, f.succ)))
	}
	return ppo
}

// mappingRISCV is table A.6 of the manual, which has no fences around read-modify-writes.
var mappingRISCV = mapping{
	fence: func(m event.Mode) event.Tag {
		switch m {
		case event.Acq:
			return event.FenceRM
		case event.Rel:
			return event.FenceMW
		case event.AcqRel:
			return event.FenceTSO
		}
		return event.FenceMM
	},
	before: func(e Event) event.Tag {
		switch {
		case e.Locked:
		case e.Kind == R && e.Mode == event.SC:
			return event.FenceMM
		case e.Kind == W && e.Mode.IsRel():
			return event.FenceMW
		}
		return event.NoTag
	},
	after: func(e Event) event.Tag {
		if e.Kind == R && !e.Locked && e.Mode.IsAcq() {
			return event.FenceRM
		}
		return event.NoTag
	},
}
