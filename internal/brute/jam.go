package brute

import "ravel/internal/event"

// The models of Java's access modes. C11's modes stand for Java's: na is plain, rlx opaque, sc volatile; an acq_rel fence
// is both an acquire and a release fence.
//
//   - JAM21: Liu, Bender, Palsberg, "Compiling volatile correctly in Java" (ECOOP'22), in the form of their herd model, where
//     pushto extends what follows from po ∪ rf. JAM21Direct: it extends only the pairs of po ∪ rf themselves, as herd has it.
//     JAM21C11: an RMW is two events, a read and a write, and executions are coherent in RC11 of 2017 too. JAM21Cat: both.
//   - JAM19: Bender, Palsberg, "A formalization of Java's concurrent access modes" (OOPSLA'19).
//   - JAM21Thesis: the text of the document that JAM21 was implemented from once, taken word for word, among the
//     executions that are coherent in RC11 of 2017.
//
// The first three derive a partial order of the writes of a location. Executions of this package have a total one, co: an
// execution is consistent if some pushto makes co extend what is derived. That changes nothing for rf and the last writes, as
// every acyclic order can be extended. Then the rules for read-modify-writes say that nothing comes between one and what it reads.
//
// Two things are not as in the papers: po ∪ rf is acyclic, and initial writes are opaque. Reexecuted has the executions with cycles.
const (
	JAM21       Model = "jam21"
	JAM21Direct Model = "jam21-direct"
	JAM21C11    Model = "jam21-c11"
	JAM21Cat    Model = "jam21-c11-direct"
	JAM19       Model = "jam19"
	JAM21Thesis Model = "jam21-thesis"
	// Coherent is what they have in common here: po ∪ rf is acyclic and every location coherent, but for what looselyCoherent allows.
	Coherent Model = "coherent"
	// PerLocation is that without the first. JAM21Cycles, JAM21DirectCycles and JAM19Cycles are the models with the cycles that they allow, thin air included.
	PerLocation       Model = "per-location"
	JAM21Cycles       Model = "jam21-cycles"
	JAM21DirectCycles Model = "jam21-direct-cycles"
	JAM19Cycles       Model = "jam19-cycles"
)

// Java are the models of Java's access modes.
var Java = []Model{JAM21, JAM21Direct, JAM21C11, JAM21Cat, JAM19, JAM21Thesis}

// loose are the models under which reads of a location may go backwards.
var loose = map[Model]bool{JAM21: true, JAM21Direct: true, JAM21Cycles: true, JAM21DirectCycles: true, Coherent: true, PerLocation: true}

// looselyCoherent is coherent without what JAM21 does not ask: two reads of a thread may read co-later and then co-earlier writes, unless both writes are opaque.
func looselyCoherent(g *graph, rf, co, fr rel) bool {
	opaque := id(all&^g.na | g.init)
	poloc := and(g.po, g.loc)
	order := minus(poloc, cross(g.r, g.r))
	eco := plus(or(rf, co, fr))
	backward := and(seq(rf, poloc, inv(rf)), inv(co))
	return irreflexive(seq(order, eco)) && empty(seq(opaque, backward, opaque))
}

func init() {
	models[JAM21] = func(g *graph) bool { return newJam(g, false, g.rmw).consistent(true, false) }
	models[JAM21Direct] = func(g *graph) bool { return newJam(g, false, g.rmw).consistent(false, false) }
	models[JAM21C11] = func(g *graph) bool { return ra(g, hb(g, rs2017(g))) && newJam(g, false, rel{}).consistent(true, false) }
	models[JAM21Cat] = func(g *graph) bool {
		return ra(g, hb(g, rs2017(g))) && newJam(g, false, rel{}).consistent(false, false)
	}
	models[JAM19] = func(g *graph) bool {
		return coherent(g, g.rf, g.co, g.fr) && newJam(g, true, g.rmw).consistent(false, true)
	}
	models[JAM21Thesis] = jamThesis
	models[PerLocation] = func(*graph) bool { return true } // what prune asks
	models[JAM21Cycles] = func(g *graph) bool { return bufferedJam(g, JAM21) }
	models[JAM21DirectCycles] = func(g *graph) bool { return bufferedJam(g, JAM21Direct) }
	models[JAM19Cycles] = func(g *graph) bool { return coherent(g, g.rf, g.co, g.fr) && bufferedJam(g, JAM19) }
	models[Coherent] = func(g *graph) bool { return acyclic(or(g.po, g.rf)) }
}

// A jam is an execution with what Java's models define.
type jam struct {
	r, w, v         set
	po, rf, loc, co rel
	svo, ra, push   rel
	toFinal         rel
	vvo             rel // without pushto
	half            rel // from the events of the graph to what stands for them here
	acyclicPoRf     bool
	acyclicOpaque   bool // the same, where cycles of opaque events are the only ones that count
}

// newJam returns g with the halves of the read-modify-writes rmw joined to one event, a read and a write.
func newJam(g *graph, of2019 bool, rmw rel) *jam {
	half := or(inv(rmw), id(all&^range_(rmw)))
	one := func(s rel) rel { return seq(inv(half), s, half) }
	j := &jam{r: g.r, w: g.w, v: g.sc, half: half}
	for i := range g.evs {
		if rmw[i] != 0 {
			j.w |= 1 << i
		}
	}
	halves := range_(rmw)
	j.w &^= halves
	j.v &^= halves
	j.po, j.rf, j.loc, j.co = minus(one(g.po), id(all)), one(g.rf), one(g.loc), one(g.co)
	j.acyclicPoRf = acyclic(or(g.po, g.rf))
	opaque := id(all &^ g.na)
	if of2019 {
		j.acyclicOpaque = acyclic(seq(opaque, or(g.po, g.rf), opaque))
	} else {
		j.acyclicOpaque = acyclic(seq(or(g.po, g.rf), opaque))
	}

	release := j.w & (g.rel | g.sc)
	acquire := g.r & (g.acq | g.sc)
	fences := func(has func(m event.Mode) bool) (s set) {
		for i, e := range g.evs {
			if e.Kind == F && e.Mode != event.SC && has(e.Mode) {
				s |= 1 << i
			}
		}
		return s
	}
	relF, acqF := fences(event.Mode.IsRel), fences(event.Mode.IsAcq)
	j.svo = or(seq(j.po, id(relF), j.po, id(j.w)), seq(id(j.r), j.po, id(acqF), j.po))
	j.ra = or(seq(j.po, id(release)), seq(id(acquire), j.po))
	spush := seq(j.po, id(g.f&j.v), j.po)
	volint := seq(id(j.v), j.po, id(j.v))
	if of2019 {
		volint = or(seq(j.po, id(j.v&j.r)), seq(id(j.v&j.w), j.po))
	}
	j.push = or(spush, volint)
	j.vvo = or(j.svo, j.ra, j.push, j.rf)
	for i := range g.evs {
		if j.w.has(i) && j.co[i] == 0 { // the last write of its location
			for k := range g.evs {
				if k != i && j.w.has(k) && j.loc.has(k, i) {
					j.toFinal.add(k, i)
				}
			}
		}
	}
	return j
}

// range_ is the set of events that r leads to.
func range_(r rel) (s set) {
	for _, row := range r {
		s |= row
	}
	return s
}

// consistent reports whether some pushto makes co extend the order that is derived. pushto extends the closure of po ∪ rf, or
// that of the trace, or only the pairs of po ∪ rf.
func (j *jam) consistent(closed, trace bool) bool { return j.acyclicPoRf && j.orderable(closed, trace) }

// orderable is consistent, whatever cycles po ∪ rf has.
func (j *jam) orderable(closed, trace bool) bool {
	before := or(j.toFinal, j.rf, j.po)
	if closed {
		before = minus(or(j.toFinal, plus(or(j.rf, j.po))), id(all))
	}
	if trace {
		before = plus(or(j.toFinal, j.vvo))
	}
	return eachPushto(j.push, before, func(pushto rel) bool {
		vo := or(plus(or(j.vvo, seq(pushto, j.push))), and(j.po, j.loc))
		return empty(minus(j.derived(vo), j.co))
	})
}

// Reexecuted returns the executions of p under JAM21, JAM21Direct or JAM19 that docs/jam21.md calls free of thin air: those without cycles in po ∪ rf, and those that others
// re-execute to.
func Reexecuted(p *Prog, m Model) (out []Execution) {
	for _, x := range reexecute(p, xmmRules{java: m, causal: true}) {
		if x.reached {
			out = append(out, x.execution(p, x.order, false))
		}
	}
	return out
}

// bufferedJam reports whether g is consistent under m, whatever cycles po ∪ rf has.
func bufferedJam(g *graph, m Model) bool {
	j := newJam(g, m == JAM19, g.rmw)
	return j.acyclicOpaque && j.orderable(m == JAM21, m == JAM19)
}

// javaCauses sets cause of all graphs to (po ∪ rf ∪ re)⁺, where re has the pairs of a write and a read of one location whose threads race there in that way in some graph without
// cycles: vo, without pushto, does not order them.
func javaCauses(graphs []*xmmGraph, m Model) {
	type race struct{ writer, reader, loc int }
	races := map[race]bool{}
	pairs := func(k *xmmGraph, yield func(w, r int, at race)) {
		for w := range k.evs {
			for r := range k.evs {
				if k.w.has(w) && k.r.has(r) && k.loc.has(w, r) && !k.init.has(w) && k.refs[w].Thread != k.refs[r].Thread {
					yield(w, r, race{k.refs[w].Thread, k.refs[r].Thread, k.evs[w].Loc})
				}
			}
		}
	}
	for _, k := range graphs {
		if !k.reached {
			continue
		}
		j := newJam(k.graph, m == JAM19, k.rmw)
		vo := seq(j.half, plus(j.vvo), inv(j.half))
		pairs(k, func(w, r int, at race) {
			races[at] = races[at] || !vo.has(w, r) && !vo.has(r, w) && (k.na.has(w) || k.na.has(r))
		})
	}
	for _, k := range graphs {
		k.cause = or(k.po, k.rf)
		pairs(k, func(w, r int, at race) {
			if races[at] {
				k.cause.add(w, r)
			}
		})
		k.cause = plus(k.cause)
	}
}

// derived is the order of writes by vo, except for the rules that hold of every total co that is coherent and atomic.
func (j *jam) derived(vo rel) rel {
	ww := or(vo, seq(vo, inv(j.rf)), seq(vo, j.po))
	return minus(and(ww, and(cross(j.w, j.w), j.loc)), id(all))
}

// eachPushto reports whether ok holds for a total order of the domain of push that extends before.
func eachPushto(push, before rel, ok func(pushto rel) bool) bool {
	var dom []int
	for i, row := range push {
		if row != 0 {
			dom = append(dom, i)
		}
	}
	found := false
	eachOrder(dom, func(a, b int) bool { return found || before.has(a, b) }, func(order []int) {
		var pushto rel
		for i, a := range order {
			for _, b := range order[i+1:] {
				pushto.add(a, b)
			}
		}
		found = found || ok(pushto)
	})
	return found
}

// jamThesis is section 4.2 of the document word for word. There is one initial write, to all locations, before everything in po.
// Its order of writes has nothing to do with co.
func jamThesis(g *graph) bool {
	if !ra(g, hb(g, rs2017(g))) {
		return false
	}
	strong := g.sc | g.rel | g.acq
	po := g.po
	for i := range g.evs {
		for k := range g.evs {
			if g.init.has(i) && !g.init.has(k) {
				po.add(i, k)
			}
		}
	}
	spush := seq(po, id(g.f&g.sc), po)
	volint := seq(id(g.sc), po, id(g.sc))
	var relF, acqF set
	for i, e := range g.evs {
		if e.Kind == F && e.Mode != event.SC {
			if e.Mode.IsRel() {
				relF |= 1 << i
			}
			if e.Mode.IsAcq() {
				acqF |= 1 << i
			}
		}
	}
	svo := seq(po, id(relF), po, id(g.r|g.w), po, id(acqF), po)
	push := or(spush, volint)
	base := or(g.rf, seq(po, id(strong), po), svo, push)
	ww := func(r rel) rel { return minus(and(r, and(cross(g.w, g.w), g.loc)), id(all)) }
	before := plus(or(po, g.rf))
	return eachPushto(push, before, func(pushto rel) bool {
		vo := or(plus(or(base, seq(pushto, push))), and(po, g.loc))
		return acyclic(or(ww(vo), ww(seq(vo, inv(g.rf))), ww(seq(vo, po)), ww(seq(g.rf, po, inv(g.rf)))))
	})
}
