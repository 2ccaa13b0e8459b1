package catmodel

import (
	"slices"

	"ravel/internal/cat"
	"ravel/internal/graph"
)

// A viewPlan computes, for the order hb = (po ∪ s)+ of a model, what happens before an event: a vector clock. Every event
// keeps, for the states of the automaton of s that it can be left from, what has come to it in that state; so the clock of a new
// event follows from its neighbours alone.
//
// The states are told apart by the step that leads to them. States reached by po are passed on along po, in Acq and FenceR,
// which events inherit. States reached by rf or rmw are in Rel, of a read or a write.
type viewPlan struct {
	order  int32 // the node of hb
	auto   automaton
	kind   []rel  // of each state: the step that leads to it
	field  []slot // where it is kept
	masks  *maskTable
	hides  kinds    // that models do not see: walks do not begin or end there
	into   [][]edge // of each state: the edges that lead to it, with the state they come from
	po, rf []int    // states that po, and rf, lead to
	rmw    []int
}

// A slot is a field of an event.
type slot uint8

const (
	nowhere slot = iota
	inAcq
	inFenceR
	inRel
)

// planViews makes a plan for an order (po ∪ parts)+, or returns nil if its steps are not of the kind that clocks can follow.
func (m *Model) planViews(order int32, parts []int32) *viewPlan {
	path := &cat.Path{}
	for _, part := range parts {
		p, err := m.prog.Path(part)
		if err != nil {
			return nil
		}
		if path.Kind == cat.PathNone {
			path = p
		} else {
			path = &cat.Path{Kind: cat.PathUnion, X: path, Y: p}
		}
	}
	auto, err := m.automatonOf(path, &m.tests, false)
	if err != nil || len(auto) == 0 {
		return nil
	}
	auto, kind, ok := auto.byArrival()
	if !ok {
		return nil
	}
	v := &viewPlan{order: order, auto: auto, kind: kind, field: make([]slot, len(auto)), hides: m.d.hides(), into: auto.into()}
	if !v.shaped() || !v.place() {
		return nil
	}
	return v
}

// byArrival splits states by the steps that lead to them, and makes those one that the same steps from the same states lead to.
// It fails if there are steps that clocks can't follow.
func (a automaton) byArrival() (automaton, []rel, bool) {
	type key struct {
		state int
		rel   rel
	}
	number := map[key]int{}
	var out automaton
	var kinds []rel
	add := func(k key) int {
		n, ok := number[k]
		if !ok {
			n = len(out)
			number[k] = n
			out = append(out, state{})
			kinds = append(kinds, k.rel)
		}
		return n
	}
	start := key{0, stepView} // no step leads to the first one
	add(start)
	queue := []key{start}
	for i := 0; i < len(queue); i++ {
		n := number[queue[i]]
		s := a[queue[i].state]
		out[n].accept = s.accept
		for _, e := range s.out {
			switch {
			case e.step == step{rel: stepPo, filter: cat.SameLoc}:
				e.step.rel = stepPoLoc
			case e.step.filter != 0 || e.step.rel != stepPo && e.step.rel != stepRf && e.step.rel != stepRmw:
				return nil, nil, false
			}
			e.step.filter = 0
			k := key{e.to, e.step.rel}
			if _, ok := number[k]; !ok {
				queue = append(queue, k)
			}
			e.to = add(k)
			out[n].out = addEdge(out[n].out, e)
		}
	}
	return out.mergeBack(kinds)
}

// mergeBack makes states one that are reached in the same way: what comes to them is the same.
func (a automaton) mergeBack(kinds []rel) (automaton, []rel, bool) {
	for again := true; again; {
		again = false
		into := a.into()
		for i := range a {
			for j := i + 1; j < len(a) && i > 0; j++ {
				if kinds[i] != kinds[j] || !slices.Equal(into[i], into[j]) {
					continue
				}
				block := make([]int, len(a))
				for k := range block {
					block[k] = k
					if k == j {
						block[k] = i
					} else if k > j {
						block[k]--
					}
				}
				a, kinds = a.quotient(block), slices.Delete(slices.Clone(kinds), j, j+1)
				again = true
				break
			}
			if again {
				break
			}
		}
	}
	return a, kinds, true
}

// into returns, for each state, the edges that lead to it, with the state they come from instead.
func (a automaton) into() [][]edge {
	into := make([][]edge, len(a))
	for i, s := range a {
		for _, e := range s.out {
			to := e.to
			e.to = i
			into[to] = append(into[to], e)
		}
	}
	return into
}

// shaped reports whether the walks of s are of the form po* (rf rmw)* rf po*, with fences at their ends if they end with po. Then coherence
// of an access with respect to hb is coherence with respect to hb of the event before it: what an access acquires from
// the write it reads is coherent with that write already.
func (v *viewPlan) shaped() bool {
	const (
		before  = 1 << iota // po so far
		reads               // after rf
		updates             // after rf;rmw
		after               // po, after rf
	)
	seen := make([]uint8, len(v.auto))
	ok := true
	var visit func(s int, phase uint8)
	visit = func(s int, phase uint8) {
		if seen[s]&phase != 0 {
			return
		}
		seen[s] |= phase
		for _, e := range v.auto[s].out {
			switch {
			case (e.step.rel == stepPo || e.step.rel == stepPoLoc) && phase == before:
				visit(e.to, before)
			case e.step.rel == stepPo && (phase == reads || phase == after):
				visit(e.to, after)
			case e.step.rel == stepRf && (phase == before || phase == updates):
				visit(e.to, reads)
			case e.step.rel == stepRmw && phase == reads:
				visit(e.to, updates)
			default:
				ok = false
			}
		}
	}
	visit(0, before)
	return ok
}

// endsAtFences reports whether walks that end with po after rf end at events that are not accesses.
func (v *viewPlan) endsAtFences(m *Model) bool {
	for s, k := range v.kind {
		if k != stepPo {
			continue
		}
		for _, need := range v.auto[s].accept {
			for _, acc := range [...]kind{read, write} {
				for _, mask := range m.tests.masks(m.prog, m.d, acc, 0) {
					if need&^mask == 0 {
						return false
					}
				}
			}
		}
	}
	return true
}

// place finds a field for what has to be kept in each state. What comes by po within a location is not kept but looked for
// when it is needed.
func (v *viewPlan) place() bool {
	for s, k := range v.kind {
		if k == stepPoLoc && slices.ContainsFunc(v.into[s], func(e edge) bool { return e.to != 0 && v.kind[e.to] != stepPo }) {
			return false
		}
	}
	free := []slot{inAcq, inFenceR}
	rf, rmw := false, false
	for s, k := range v.kind {
		if s == 0 || k == stepPoLoc || len(v.auto[s].out) == 0 && k != stepPo {
			if s > 0 {
				v.list(s, k)
			}
			continue
		}
		switch k {
		case stepPo:
			if len(free) == 0 {
				return false
			}
			v.field[s], free = free[0], free[1:]
		case stepRf:
			if rf {
				return false
			}
			rf, v.field[s] = true, inRel
		case stepRmw:
			if rmw {
				return false
			}
			rmw, v.field[s] = true, inRel
		}
		v.list(s, k)
	}
	return true
}

func (v *viewPlan) list(s int, k rel) {
	switch k {
	case stepPo:
		v.po = append(v.po, s)
	case stepRf:
		v.rf = append(v.rf, s)
	case stepRmw:
		v.rmw = append(v.rmw, s)
	}
}

// views sets HB and what is kept of the event id, which is about to be added.
func (v *viewPlan) views(g *graph.Graph, id graph.ID) {
	e := &g.Events[id]
	mask := v.masks.of(e)
	switch e.Kind {
	case graph.Start, graph.Join:
		if e.RF != graph.Init {
			src := &g.Events[e.RF]
			e.HB = g.JoinEvent(e.HB, src.HB, src, e.Thread)
		}
	case graph.Read:
		if e.RF != graph.Init {
			for _, s := range v.rf {
				v.arrive(g, id, mask, s, stepRf, &g.Events[e.RF])
			}
		}
	case graph.Write:
		if e.Flags&graph.RMWPart != 0 {
			for _, s := range v.rmw {
				v.arrive(g, id, mask, s, stepRmw, &g.Events[g.Threads[e.Thread][e.Index-1]])
			}
		}
	}
	if len(v.po) == 0 || e.Index == 0 {
		return
	}
	pred := &g.Events[g.Threads[e.Thread][e.Index-1]]
	for _, s := range v.po {
		v.arrive(g, id, mask, s, stepPo, pred)
	}
}

// arrive computes what comes to state s at the event id along a step from the event from.
func (v *viewPlan) arrive(g *graph.Graph, id graph.ID, mask uint64, s int, r rel, from *graph.Event) {
	e := &g.Events[id]
	var view graph.View
	if r == stepPo {
		view = *slotOf(e, v.field[s]) // inherited
	}
	fromMask := v.masks.of(from)
	for _, x := range v.into[s] {
		switch {
		case x.need&^fromMask != 0 || v.hides.has(from):
		case x.to == 0:
			view = g.Join(view, from.HB, from.Thread, from.Index+1, graph.NoThread)
		case v.kind[x.to] == stepPoLoc:
			view = v.joinEarlier(g, view, from, x.to)
		default:
			view = g.Join(view, *slotOf(from, v.field[x.to]), e.Thread, 0, graph.NoThread)
		}
	}
	if v.field[s] != nowhere {
		*slotOf(e, v.field[s]) = view
	}
	if view == 0 || v.hides.has(e) {
		return
	}
	for _, need := range v.auto[s].accept {
		if need&^mask == 0 {
			e.HB = g.Join(e.HB, view, e.Thread, 0, e.Thread)
			break
		}
	}
}

// joinEarlier adds to view what comes to state s at an access from the accesses of its location before it in its thread.
// The last one that an edge can start from knows most.
func (v *viewPlan) joinEarlier(g *graph.Graph, view graph.View, at *graph.Event, s int) graph.View {
	if !isAccess(at) {
		return view
	}
	last := &g.Locs[at.Loc].Last[at.Thread]
	for _, x := range v.into[s] {
		for _, id := range [2]graph.ID{last.Write, last.Read} {
			for ; id != graph.None; id = g.Events[id].Prev {
				from := &g.Events[id]
				if from.Index >= at.Index || x.need&^v.masks.of(from) != 0 {
					continue
				}
				if x.to == 0 {
					view = g.Join(view, from.HB, from.Thread, from.Index+1, graph.NoThread)
				} else {
					view = g.Join(view, *slotOf(from, v.field[x.to]), from.Thread, 0, graph.NoThread)
				}
				break
			}
		}
	}
	return view
}

func slotOf(e *graph.Event, f slot) *graph.View {
	switch f {
	case inAcq:
		return &e.Acq
	case inFenceR:
		return &e.FenceR
	}
	return &e.Rel
}
