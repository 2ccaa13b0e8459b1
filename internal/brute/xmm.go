package brute

import "math/bits"

type xmmRules struct {
	rpoClosed bool
	causal    bool
	subset    bool // embedding ⊆ instead of =
	verbose   bool
}

// c11 is RC11 without acyclic(po ∪ rf).
func c11(g *graph) bool {
	h := hb(g, rs(g))
	return irreflexive(seq(h, opt(eco(g)))) && atomic(g, g.co, g.fr) && psc(g, h)
}

func porf(g *graph) rel { return plus(or(g.po, g.rf)) }

func rpo(g *graph) rel {
	rlx := all &^ g.na
	return plus(or(
		seq(id(g.r&rlx), g.po, id(g.f&g.acq)),
		seq(id(g.acq), g.po),
		seq(g.po, id(g.rel)),
		seq(id(g.f&g.rel), g.po, id(g.w&rlx)),
	))
}

type xgraph struct {
	*graph
	co   [][]int
	rpo  rel
	re   rel // (po ∪ re)+
	core set
	cyc  bool
	ok   bool
}

func bit(i int) set { return 1 << i }

func newX(p *Prog, g0 *graph, co [][]int) *xgraph {
	g := *g0
	x := &xgraph{graph: &g}
	for _, o := range co {
		x.co = append(x.co, append([]int(nil), o...))
	}
	x.rpo = rpo(&g)
	h := hb(&g, rs(&g))
	wr := and(g.loc, cross(g.w, g.r))
	racing := minus(wr, or(h, inv(h)))
	hbloc := and(wr, h)
	initial := and(wr, cross(g.init, all))
	x.re = plus(or(g.po, racing, hbloc, initial))
	pf := porf(&g)
	var cyc set
	for i := range g.evs {
		if pf.has(i, i) {
			cyc |= bit(i)
		}
	}
	x.cyc = cyc != 0
	x.core = cyc
	for i := range g.evs {
		if g.refs[i] != Init && pf[i]&cyc != 0 {
			x.core |= bit(i)
		}
	}
	x.ok = !x.cyc
	return x
}

func sameLabel(a, b Event) bool {
	return a.Kind == b.Kind && a.Loc == b.Loc && a.Val == b.Val && a.Mode == b.Mode && a.Tag == b.Tag && a.Locked == b.Locked
}

// commits calls yield with every committed set of k that satisfies what does not depend on the source.
func (k *xgraph) commits(ru xmmRules, yield func(c set) bool) bool {
	reads := k.core & k.r
	src := inv(k.rf)
	for sub := reads; ; sub = (sub - 1) & reads {
		c := sub
		for again := true; again; {
			again = false
			add := func(s set) {
				if s&^c != 0 {
					c |= s
					again = true
				}
			}
			for i := range k.evs {
				if !c.has(i) {
					continue
				}
				if k.evs[i].Kind == R {
					add(src[i])
				}
				if ru.rpoClosed {
					add(inv(k.rpo)[i])
				}
			}
		}
		if c&k.r == sub {
			u := k.core & k.r &^ c
			if acyclic(and(or(k.po, seq(k.rf, id(u))), cross(k.core|k.init, k.core))) && k.stable(u) {
				if yield(c) {
					return true
				}
			}
		}
		if sub == 0 {
			return false
		}
	}
}

func (k *xgraph) stable(u set) bool {
	var thr rel
	for w := range k.evs {
		if k.refs[w] == Init {
			continue
		}
		for row := k.rf[w] & u; row != 0; row &= row - 1 {
			r := bits.TrailingZeros32(uint32(row))
			if k.refs[r].Thread != k.refs[w].Thread {
				thr.add(k.refs[w].Thread, k.refs[r].Thread)
			}
		}
	}
	return acyclic(thr)
}

func (k *xgraph) embeds(c set, g *xgraph, ru xmmRules) bool {
	var list []int
	for i := range k.evs {
		if c.has(i) && k.refs[i] != Init {
			list = append(list, i)
		}
	}
	f := make([]int, len(k.evs))
	for i := range f {
		f[i] = -1
		if k.refs[i] == Init {
			f[i] = i
		}
	}
	pf := porf(k.graph)
	agree := func(a, b int) bool { // pair (a,b) of K, mapped
		x, y := f[a], f[b]
		ok := func(kr, gr rel) bool {
			if ru.subset {
				return !kr.has(a, b) || gr.has(x, y)
			}
			return kr.has(a, b) == gr.has(x, y)
		}
		if !ok(k.rpo, g.rpo) || !ok(k.rf, g.rf) || !ok(k.graph.co, g.graph.co) {
			return false
		}
		if ru.causal && k.refs[a] != Init && pf.has(a, b) && !g.re.has(x, y) {
			return false
		}
		return true
	}
	var assign func(n int, used set) bool
	assign = func(n int, used set) bool {
		if n == len(list) {
			return true
		}
		e := list[n]
		for x := range g.evs {
			if g.refs[x] == Init || used.has(x) || g.refs[x].Thread != k.refs[e].Thread || !sameLabel(k.evs[e], g.evs[x]) {
				continue
			}
			f[e] = x
			good := agree(e, e)
			for i := range k.evs {
				if good && i != e && (k.refs[i] == Init || f[i] >= 0) {
					good = agree(e, i) && agree(i, e)
				}
			}
			if good && assign(n+1, used|bit(x)) {
				return true
			}
			f[e] = -1
		}
		return false
	}
	return assign(0, 0)
}

func xmm(p *Prog, ru xmmRules) (ok, allC int, xs []*xgraph) {
	eachChoice(p.paths(p.values()), func(threads [][]Event) {
		g := newGraph(p, threads)
		g.eachRfCo(true, func(co [][]int) {
			if c11(g) {
				xs = append(xs, newX(p, g, co))
			}
		})
	})
	for again := true; again; {
		again = false
		for _, k := range xs {
			if k.ok {
				continue
			}
			if k.commits(ru, func(c set) bool {
				for _, g := range xs {
					if g.ok && k.embeds(c, g, ru) {
						return true
					}
				}
				return false
			}) {
				k.ok = true
				again = true
			}
		}
	}
	for _, x := range xs {
		if x.ok {
			ok++
		}
	}
	return ok, len(xs), xs
}

// XMM returns the executions of p under xmm.
func XMM(p *Prog) (out []Execution) {
	_, _, xs := xmm(p, xmmRules{rpoClosed: true, causal: true})
	for _, x := range xs {
		if x.ok {
			out = append(out, x.graph.execution(p, x.co, false))
		}
	}
	return out
}
