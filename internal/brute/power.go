package brute

import "ravel/internal/event"

// power is the Power model of Herding Cats.
func power(g *graph, raw bool) bool {
	bs := g.barriers(mappingPower, raw)
	ctrl := g.loopCtrl(bs, event.ISYNC, raw)
	accesses := or(cross(g.r, g.r|g.w), cross(g.w, g.w)) // lwsync keeps all but a write before a read
	return cats(g, axioms{
		ppo:    catsPPO(g, ctrl, g.ctrlFence(bs, ctrl, event.ISYNC), and(g.po, g.loc)),
		strong: or(g.across(bs, event.SYNC), g.threads()),
		light:  or(and(g.across(bs, event.LWSYNC), accesses), seq(id(g.w), g.across(bs, event.EIEIO), id(g.w))),
	})
}

// armv7 is the ARM model of Herding Cats: po|loc is not in cc0 (which allows early commits), and dmb.st
// is a full fence for writes. But a store-exclusive comes after its load-exclusive, which sets the monitor that it
// tests: rmw is in cc0. The paper is silent about exclusives; only an exchange without a loop around it, in the raw model, tells.
func armv7(g *graph, raw bool) bool {
	bs := g.barriers(mappingARMv7, raw)
	ctrl := g.loopCtrl(bs, event.ISB, raw)
	return cats(g, axioms{
		ppo:    catsPPO(g, ctrl, g.ctrlFence(bs, ctrl, event.ISB), g.rmw),
		strong: or(g.across(bs, event.DMBSY, event.DSBSY), g.threads(), seq(id(g.w), g.across(bs, event.DMBST, event.DSBST), id(g.w))),
	})
}

// The leading-fence mappings: Batty et al., "Clarifying and compiling C/C++ concurrency" (POPL'12).
var (
	mappingPower = leading(event.SYNC, event.LWSYNC, event.ISYNC)
	mappingARMv7 = leading(event.DMBSY, event.DMBSY, event.ISB)
)

func leading(full, light, isync event.Tag) mapping {
	return mapping{
		fence: func(m event.Mode) event.Tag {
			if m == event.SC {
				return full
			}
			return light
		},
		before: func(e Event) event.Tag {
			switch {
			case e.Mode == event.SC:
				return full
			case e.Mode.IsRel():
				return light
			}
			return event.NoTag
		},
		after: func(e Event) event.Tag {
			if e.Mode.IsAcq() && (e.Kind == R || e.Locked) {
				return isync
			}
			return event.NoTag
		},
	}
}

// loopCtrl is ctrl and what the mapping adds to it: an acquire load branches on its value, and
// a read-modify-write is a loop that is left when the write succeeds.
func (g *graph) loopCtrl(bs []barrier, isync event.Tag, raw bool) rel {
	if raw {
		return g.ctrl
	}
	tested := g.untagged(raw) & g.r & g.locked
	for _, b := range bs {
		if b.at%2 == 1 && b.tag == isync {
			tested |= g.r & (1 << (b.at / 2))
		}
	}
	return or(g.ctrl, seq(id(tested), g.po))
}

// ctrlFence is ctrl;[isync];po for isync of the program and of the mapping, which
// stands after the branch of the access that it follows.
func (g *graph) ctrlFence(bs []barrier, ctrl rel, isync event.Tag) (r rel) {
	to := inv(ctrl)
	for _, b := range bs {
		if b.tag == isync {
			i := b.at / 2
			r = or(r, cross(to[i]|g.r&(1<<i), g.po[i]))
		}
	}
	return and(r, cross(g.r|g.w, g.r|g.w))
}

// catsPPO is the preserved program order of Herding Cats: i and c say whether it is about the
// beginning (initiation) or the end (commit) of the instructions.
func catsPPO(g *graph, ctrl, ctrlFence, poloc rel) rel {
	coe, fre, rfe := minus(g.co, g.same), minus(g.fr, g.same), minus(g.rf, g.same)
	dd := or(g.addr, g.data)
	rdw := and(and(g.po, g.loc), seq(fre, rfe))
	detour := and(and(g.po, g.loc), seq(coe, rfe))
	ii0 := or(dd, rdw, and(g.rf, g.same))
	ci0 := or(ctrlFence, detour)
	cc0 := or(dd, poloc, ctrl, seq(g.addr, g.po))
	var ii, ic, ci, cc rel
	for {
		a := or(ii0, ci, seq(ic, ci), seq(ii, ii))
		b := or(ii, cc, seq(ic, cc), seq(ii, ic))
		c := or(ci0, seq(ci, ii), seq(cc, ci))
		d := or(cc0, ci, seq(ci, ic), seq(cc, cc))
		if a == ii && b == ic && c == ci && d == cc {
			return or(and(ii, cross(g.r, g.r)), and(ic, cross(g.r, g.w)))
		}
		ii, ic, ci, cc = a, b, c, d
	}
}

// axioms are the parts in which the models of Herding Cats differ.
type axioms struct {
	ppo, strong, light rel // light fences are lwsync and its like
}

func cats(g *graph, x axioms) bool {
	rfe, fre := minus(g.rf, g.same), minus(g.fr, g.same)
	com := or(g.rf, g.co, g.fr)
	fence := or(x.strong, x.light)
	hb := or(x.ppo, fence, rfe)
	base := seq(or(fence, seq(rfe, fence)), star(hb))
	prop := or(and(base, cross(g.w, g.w)), seq(star(com), star(base), x.strong, star(hb)))
	// The last axiom is not in the paper but in herd's ppc.cat: exclusives in po agree with co.
	return coherent(g, g.rf, g.co, g.fr) && atomic(g, g.co, g.fr) &&
		acyclic(hb) &&
		irreflexive(seq(fre, prop, star(hb))) &&
		acyclic(or(g.co, prop)) &&
		acyclic(or(g.co, and(g.po, cross(g.locked, g.locked))))
}
