package justify

import "ravel/internal/bitset"

import "ravel/internal/litmus"

// A view is an execution seen as a stage of the justification of a target: all that the rules ask of it, as sets
// of events of the target.
type view struct {
	g       *graph
	toG     []int // the event of g for each event of the target, -1 if there is none
	same    mask  // events that are in g
	never   mask  // events that can't be committed in g whatever else is: their value or order differs
	differ  []mask
	rfSame  mask  // reads that see in g what they see in the target
	unsafe  mask  // reads that see in g a write that does not happen before them
	rfIn    []int // what the reads that are in g see there, as events of the target; -1 if that is not in it
	hasSW   uint64
	needs   []need // rule 8
	before  []mask // rule 9: for each event, the external actions that happen before it in g
	ordered mask   // events that have such actions
	open    mask   // writes of g whose values are known only when more is committed
}

// A need is a synchronization that must stay once an event of after is committed.
type need struct {
	edge  uint64 // of the target's sw
	after mask
}

// view returns g as a stage for the target under a map of events, or nil if g can be no stage at all.
func (j *justifier) view(g *graph, toG []int) *view {
	t := j.target
	v := &view{g: g, toG: toG, differ: make([]mask, len(t.events)), rfIn: make([]int, len(t.events)), before: make([]mask, len(t.events))}
	fromG := make([]int, len(g.events))
	for i := range fromG {
		fromG[i] = -1
	}
	for a, b := range toG {
		if b >= 0 {
			v.same |= bitset.One(a)
			fromG[b] = a
		}
	}
	for _, r := range members(g.reads) {
		w := g.rf[r]
		a := fromG[r]
		if a >= 0 {
			v.rfIn[a] = fromG[w]
			if fromG[w] == t.rf[a] {
				v.rfSame |= bitset.One(a)
			}
		}
		if !g.safe(r) {
			if a < 0 || !v.rfSame.Has(a) {
				return nil // rules 5 and 6
			}
			v.unsafe |= bitset.One(a)
		}
	}
	if j.rules == AspinallSevcik {
		v.compareReads(t)
	} else {
		v.compareOrders(t)
	}
	v.compareValues(j)
	if j.rules == JLS && j.identity == Index {
		v.synchronizations(j, fromG)
	}
	v.externals(j, fromG)
	for a, b := range v.before {
		if b != 0 {
			v.ordered |= bitset.One(a)
		}
	}
	return v
}

func members(m mask) []int {
	var out []int
	m.Each(func(i int) { out = append(out, i) })
	return out
}

// compareOrders is rules 2 and 3: hb and so of committed events are those of the target.
func (v *view) compareOrders(t *graph) {
	inits := bitset.Below(t.inits)
	for _, a := range members(v.same) {
		for _, b := range members(v.same) {
			x, y := v.toG[a], v.toG[b]
			if v.g.hb[x].Has(y) != t.hb[a].Has(b) || v.g.so[x].Has(y) != t.so[a].Has(b) {
				v.differ[a] |= bitset.One(b)
				v.differ[b] |= bitset.One(a)
			}
		}
	}
	for _, a := range members(v.same &^ inits) {
		if v.differ[a]&inits != 0 || v.differ[a].Has(a) {
			v.never |= bitset.One(a)
		}
	}
}

// compareReads is rule 2 of Aspinall and Ševčík: a committed read and what it sees in the target are ordered as
// there, and never the other way round.
func (v *view) compareReads(t *graph) {
	for _, r := range members(v.same & t.reads) {
		w := t.rf[r]
		if !v.same.Has(w) {
			v.never |= bitset.One(r)
			continue
		}
		x, y := v.toG[w], v.toG[r]
		if v.g.hb[x].Has(y) != t.hb[w].Has(r) || v.g.hb[y].Has(x) {
			v.never |= bitset.One(r)
		}
	}
}

// compareValues is rule 4, as far as values are known; an external action is the same if it shows the same.
func (v *view) compareValues(j *justifier) {
	t := j.target
	for _, a := range members(v.same &^ (1<<t.inits - 1)) {
		switch e := t.events[a]; {
		case e.writes() && t.values.writtenOK.Has(a) && v.g.values.writtenOK.Has(v.toG[a]):
			if t.values.written[a] != v.g.values.written[v.toG[a]] {
				v.never |= bitset.One(a)
			}
		case e.kind == externalEvent && t.values.complete(t.shape) && v.g.values.complete(v.g.shape):
			if t.values.shown(t, a) != v.g.values.shown(v.g, v.toG[a]) {
				v.never |= bitset.One(a)
			}
		}
	}
	for _, a := range members(v.same) {
		if b := v.toG[a]; v.g.writes.Has(b) && !v.g.values.writtenOK.Has(b) {
			v.open |= bitset.One(a)
		}
	}
}

// shown returns what a write wrote or an external action shows; all values are known.
func (v *values) shown(g *graph, i int) uint64 {
	x, _ := evaluate(g.events[i].value, func(r litmus.Reg) (uint64, bool) { return v.read[g.symbol[r]], true })
	return x
}

// synchronizations prepares rule 8: the sw edges that are edges of the transitive reduction of hb and not of po.
// An edge from an initial write is one to the first action of a thread, which all executions have.
func (v *view) synchronizations(j *justifier, fromG []int) {
	g := v.g
	for x := g.inits; x < len(g.events); x++ {
		for _, y := range members(g.sw[x]) {
			if g.events[x].thread == g.events[y].thread || g.between(x, y) {
				continue
			}
			var after mask
			for _, z := range append(members(g.hb[y]), y) {
				if a := fromG[z]; a >= 0 {
					after |= bitset.One(a)
				}
			}
			edge, ok := j.edges[[2]int{fromG[x], fromG[y]}]
			if !ok {
				v.never |= after
				continue
			}
			v.needs = append(v.needs, need{edge, after})
		}
	}
	for pair, edge := range j.edges {
		if x, y := v.toG[pair[0]], v.toG[pair[1]]; x >= 0 && y >= 0 && g.sw[x].Has(y) {
			v.hasSW |= edge
		}
	}
}

// between reports whether an event comes between x and y in hb.
func (g *graph) between(x, y int) bool {
	for _, z := range members(g.hb[x]) {
		if z != y && g.hb[z].Has(y) {
			return true
		}
	}
	return false
}

// externals prepares rule 9. In the specification, an external action that happens before a committed one in the
// stage is committed; for Aspinall and Ševčík all that happens before a committed external action in the target is.
func (v *view) externals(j *justifier, fromG []int) {
	if j.rules == AspinallSevcik {
		for a, e := range j.target.events {
			if e.kind == externalEvent {
				for b := j.target.inits; b < len(j.target.events); b++ {
					if j.target.hb[b].Has(a) {
						v.before[a] |= bitset.One(b)
					}
				}
			}
		}
		return
	}
	for x, e := range v.g.events {
		if e.kind != externalEvent {
			continue
		}
		for _, y := range members(v.g.hb[x]) {
			switch a, b := fromG[x], fromG[y]; {
			case b < 0:
			case a < 0:
				v.never |= bitset.One(b)
			default:
				v.before[b] |= bitset.One(a)
			}
		}
	}
}
