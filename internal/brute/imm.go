package brute

// imm is IMM-consistency for the happens-before relation h. The parts are called as in the paper.
func imm(g *graph, h rel) bool {
	rfi, rfe := and(g.rf, g.same), minus(g.rf, g.same)
	wrel, racq, fences := id(g.w&g.rel), id(g.r&g.acq), id(g.f&(g.acq|g.rel))
	bob := or(seq(g.po, wrel), seq(racq, g.po), seq(g.po, fences), seq(fences, g.po),
		seq(wrel, and(g.po, g.loc), id(g.w)))
	deps := or(g.data, g.ctrl, seq(g.addr, opt(g.po)), g.casdep, seq(id(g.r&g.locked), g.po))
	ppo := seq(id(g.r), plus(or(deps, rfi)), id(g.w))
	detour := and(seq(minus(g.co, g.same), rfe), g.po)
	fsc := id(g.f & g.sc)
	pscFences := seq(fsc, h, eco(g), h, fsc)
	return irreflexive(seq(h, opt(eco(g)))) &&
		atomic(g, g.co, g.fr) &&
		psc(g, h) &&
		acyclic(or(rfe, bob, ppo, detour, pscFences, g.threads()))
}

// hb2019 is hb of the IMM paper: release sequences go on in the same thread, also after
// read-modify-writes and up to the last write that is read from outside.
func hb2019(g *graph) rel {
	poloc := and(g.po, g.loc)
	rfi, rfe := and(g.rf, g.same), minus(g.rf, g.same)
	rs := seq(id(g.w), or(seq(poloc, id(g.w)), star(seq(opt(poloc), g.rf, g.rmw))))
	release := seq(id(g.rel), opt(seq(id(g.f), g.po)), rs)
	sw := seq(release, or(rfi, seq(opt(poloc), rfe)), opt(seq(g.po, id(g.f))), id(g.acq))
	return plus(or(g.po, sw))
}
