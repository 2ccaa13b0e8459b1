package brute

import "ravel/internal/event"

// linux is a candidate with what the Linux kernel's model calls its events. na is a plain access, rlx is once.
type linux struct {
	*graph
	m, marked, plain           set
	acquire, release, noreturn set
	full, atomic               set // Mb on read-modify-writes that succeed; RMW
	lkr, lkw, ul               set

	hb, pb, rb, prop, cumul, rmwSeq rel
	fence, nonrw, strong            rel
	addr2                           rel
	ctrl                            rel
}

// around is fencerel: po;[t];po. A C11 fence is smp_mb.
func (l *linux) around(t event.Tag) rel { return seq(l.po, id(l.fences(t)), l.po) }

func (l *linux) fences(t event.Tag) set {
	f := l.tagged(l.f, t)
	if t == event.SmpMB {
		for i, e := range l.evs {
			if e.Kind == F && e.Tag == event.NoTag && e.Mode > event.Rlx {
				f |= 1 << i
			}
		}
	}
	return f
}

func newLinux(g *graph, ctrl rel) *linux {
	l := &linux{graph: g, ctrl: ctrl}
	succeeds := set(0)
	for i := range g.evs {
		if g.rmw[i] != 0 {
			succeeds |= 1<<i | g.rmw[i]
		}
	}
	l.m = g.r | g.w
	l.plain = l.m & g.na &^ g.init
	l.marked = all &^ l.plain
	l.lkr, l.lkw = g.tagged(g.r, event.Lock)&succeeds, g.tagged(g.w, event.Lock)
	l.ul = g.tagged(g.w, event.Unlock)
	l.acquire, l.release = g.r&g.acq|l.lkr, g.w&g.rel|l.ul
	l.noreturn = g.tagged(g.r, event.Noreturn)
	l.full = succeeds & (g.sc | g.tagged(l.m, event.Full))
	l.atomic = g.locked
	return l
}

// mb is what orders everything: smp_mb and what is as strong in its place.
func (l *linux) mb() rel {
	m := id(l.m)
	acc := seq(m, opt(l.po))
	// an sc access of C11 that is not a read-modify-write has smp_mb before it
	var fenced rel
	for i, e := range l.evs {
		if l.m.has(i) && e.Mode == event.SC && !l.full.has(i) {
			fenced = or(fenced, seq(m, l.po, id(1<<i), opt(l.po), m))
		}
	}
	return or(fenced, l.threads(),
		seq(m, l.around(event.SmpMB), m),
		seq(m, l.po, id(l.full&l.r)), seq(id(l.full&l.w), l.po, m),
		seq(m, l.around(event.BeforeAtomic), id(l.atomic), opt(l.po), m),
		seq(acc, id(l.atomic), l.around(event.AfterAtomic), m),
		seq(acc, id(l.lkw), l.around(event.AfterSpinlock), m),
		seq(m, l.po, id(l.ul), or(l.co, l.po), id(l.lkw), l.around(event.AfterUnlockLock), m))
}

// lkmm is the model of the Linux kernel, as lkmm.cat of package cat has it, without SRCU.
// ctrl are its control dependencies.
func lkmm(g *graph, ctrl rel) bool {
	l := newLinux(g, ctrl)
	return coherent(g, g.rf, g.co, g.fr) && atomic(g, g.co, g.fr) && l.ordered() && l.plainCoherent() && l.fromSomewhere()
}

// ordered makes the relations and reports whether happens-before, propagates-before and RCU hold.
func (l *linux) ordered() bool {
	g := l.graph
	m, r, w, mk := id(l.m), id(g.r), id(g.w), id(l.marked)
	rfe, rfi := minus(g.rf, g.same), and(g.rf, g.same)
	carry := star(seq(g.data, rfi))
	l.addr2 = seq(carry, g.addr)
	data, ctrl := seq(carry, g.data), seq(carry, l.ctrl)

	ordered := id(g.r &^ l.noreturn)
	rmb := seq(ordered, l.around(event.SmpRMB), ordered)
	wmb := seq(w, l.around(event.SmpWMB), w)
	poRel, acqPo := seq(m, g.po, id(l.release)), seq(id(l.acquire), g.po, m)
	unlockLock := seq(g.po, id(l.ul), or(g.po, g.rf), id(l.lkr), g.po)
	gp := seq(g.po, id(l.fences(event.SyncRCU)), opt(g.po))
	l.strong = or(l.mb(), gp)
	l.nonrw = or(l.strong, poRel, acqPo)
	l.fence = or(l.nonrw, wmb, rmb)

	dep, overwrite := or(l.addr2, data), or(g.co, g.fr)
	toW := or(seq(or(dep, ctrl), w), and(overwrite, g.same), seq(l.addr2, id(l.plain), wmb))
	toR := or(seq(l.addr2, r), seq(dep, mk, rfi))
	ppo := or(toR, toW, and(or(l.fence, unlockLock), g.same), l.threads())
	l.rmwSeq = star(seq(g.rf, g.rmw))
	aCumul := seq(opt(seq(rfe, mk)), or(l.strong, poRel))
	l.cumul = seq(mk, or(aCumul, wmb, unlockLock), mk, l.rmwSeq)
	l.prop = seq(mk, opt(minus(overwrite, g.same)), star(l.cumul), mk, opt(rfe), mk)
	l.hb = seq(mk, or(ppo, rfe, and(minus(l.prop, id(all)), g.same)), mk)
	l.pb = seq(l.prop, l.strong, star(l.hb), mk)
	if !acyclic(l.hb) || !acyclic(l.pb) {
		return false
	}
	rcuFence := seq(g.po, l.rcuOrder(), opt(g.po))
	l.fence, l.strong = or(l.fence, rcuFence), or(l.strong, rcuFence)
	l.rb = seq(l.prop, rcuFence, star(l.hb), star(l.pb), mk)
	return irreflexive(l.rb) && acyclic(or(l.hb, l.pb, l.rb))
}

// rcuOrder has the chains with at least as many grace periods as critical sections.
func (l *linux) rcuOrder() rel {
	gp := id(l.fences(event.SyncRCU))
	rscsi := inv(l.sections())
	link := seq(opt(l.po), star(l.hb), star(l.pb), l.prop, l.po)
	var order rel
	for {
		next := or(order, gp, seq(gp, link, rscsi), seq(rscsi, link, gp),
			seq(gp, link, order, link, rscsi), seq(rscsi, link, order, link, gp), seq(order, link, order))
		if next == order {
			return order
		}
		order = next
	}
}

// sections pairs the beginnings and ends of critical sections like brackets.
func (l *linux) sections() (pairs rel) {
	lock, unlock := l.fences(event.RCULock), l.fences(event.RCUUnlock)
	for i := range l.evs {
		depth := 0
		for j := i; lock.has(i) && j < len(l.evs); j++ {
			if !l.same.has(i, j) {
				break
			}
			switch {
			case lock.has(j):
				depth++
			case unlock.has(j):
				if depth--; depth == 0 {
					pairs.add(i, j)
				}
			}
			if depth == 0 {
				break
			}
		}
	}
	return pairs
}

// visible is ww-vis, wr-vis and rw-xbstar.
func (l *linux) visible() (ww, wr, rwXbstar rel) {
	g, mk := l.graph, id(l.marked)
	xbstar := star(or(l.hb, l.pb, l.rb))
	rfe := minus(g.rf, g.same)
	vis := seq(star(l.cumul), opt(rfe), mk, or(seq(l.strong, mk, xbstar), and(xbstar, or(g.same, id(all)))))
	ordered, other := id(g.r&^l.noreturn), id(all&^l.noreturn)
	wPre := seq(mk, opt(or(l.addr2, l.fence)))
	rPre := seq(mk, opt(or(l.addr2, l.nonrw, seq(ordered, l.around(event.SmpRMB), other))))
	wPost := seq(opt(l.fence), mk, l.rmwSeq)
	rPost := seq(opt(or(l.nonrw, seq(other, l.around(event.SmpRMB), ordered))), mk)
	ww = or(l.fence, seq(l.strong, xbstar, wPre), seq(wPost, vis, wPre))
	wr = or(l.fence, seq(l.strong, xbstar, rPre), seq(wPost, vis, rPre))
	rwXbstar = or(l.fence, seq(rPost, xbstar, wPre))
	return ww, wr, rwXbstar
}

// preRace are the pairs of different threads one of which is plain.
func (l *linux) preRace() rel {
	return minus(or(cross(l.plain, l.m), cross(l.m&^l.init, l.plain)), l.same)
}

func (l *linux) plainCoherent() bool {
	ww, wr, rwXbstar := l.visible()
	return empty(and(l.preRace(), or(and(l.rf, inv(rwXbstar)), and(l.fr, inv(wr)), and(l.co, inv(ww)))))
}

// fromSomewhere reports whether no value comes out of thin air: marked accesses exclude that anyway.
func (l *linux) fromSomewhere() bool {
	return acyclic(or(l.rf, l.addr, l.data, l.ctrl, l.casdep))
}

// races reports whether there is a data race.
func (l *linux) races() bool {
	pre := l.preRace()
	ww, wr, rwXbstar := l.visible()
	wwRace := minus(and(pre, l.co), and(ww, and(or(cross(l.marked, l.w), rwXbstar), or(cross(l.w, l.marked), wr))))
	wrRace := minus(minus(and(pre, seq(opt(l.co), l.rf)), wr), inv(rwXbstar))
	rwRace := minus(and(pre, l.fr), rwXbstar)
	return !empty(or(wwRace, wrRace, rwRace))
}
