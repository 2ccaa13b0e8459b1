package brute

import "ravel/internal/event"

// armv8 is the model of AArch64 of Pulte et al., "Simplifying ARM concurrency" (POPL'18), with
// the later changes of the architecture manual and of herd's aarch64.cat: LDAPR; only the read of a
// read-modify-write is ordered before an acquire that reads its write (rmw;rfi;[A|Q]); and lws, the
// local write successor, stands for the rules with coi; what comes after an atomic instruction that acquires and
// releases, such as SWPAL, comes after its write ([range([A];amo;[L])];po).
func armv8(g *graph, raw bool) bool {
	mapped := g.untagged(raw)
	a := g.tagged(g.r, event.AcquireA, event.AqRl) | mapped&g.r&(g.sc|g.acq&g.locked)
	q := g.tagged(g.r, event.AcquirePC) | mapped&g.r&g.acq&^a
	l := g.tagged(g.w, event.ReleaseL, event.AqRl) | mapped&g.w&g.rel
	bs := g.barriers(mappingARMv8, raw)
	rfi, isb := and(g.rf, g.same), g.tagged(g.f, event.ISB)

	obs := minus(or(g.rf, g.co, g.fr), g.same)
	dob := or(g.addr, g.data,
		seq(g.ctrl, id(g.w)),
		seq(or(g.ctrl, seq(g.addr, g.po)), id(isb), g.po, id(g.r)),
		seq(g.addr, g.po, id(g.w)),
		seq(or(g.addr, g.data), rfi))
	aob := or(g.rmw, seq(g.rmw, rfi, id(a|q)))
	bob := or(g.across(bs, event.DMBSY, event.DSBSY), g.threads(),
		seq(id(g.r), g.across(bs, event.DMBLD, event.DSBLD)),
		seq(id(g.w), g.across(bs, event.DMBST), id(g.w)),
		seq(id(g.w), g.across(bs, event.DSBST)),
		seq(id(l), g.po, id(a)),
		seq(id(a|q), g.po),
		seq(id(g.tagged(g.w&g.locked, event.AqRl)), g.po),
		seq(g.po, id(l)))
	lws := seq(and(g.po, g.loc), id(g.w))
	return coherent(g, g.rf, g.co, g.fr) && atomic(g, g.co, g.fr) &&
		acyclic(or(obs, dob, aob, bob, lws))
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
