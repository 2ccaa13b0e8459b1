package cat

import (
	"fmt"
	"slices"
)

// An Extension is how a relation changes when an execution gets one more event e, after which nothing comes: e is the last
// of its thread, reads from or is the co-last write of its location, and no read reads from it.
type Extension uint8

const (
	// Into: only pairs (x, e) with an older x are new.
	Into Extension = iota
	// IntoSelf: these, and (e, e).
	IntoSelf
	// Around: any pairs with e, none between older events.
	Around
	// Anything else.
	Anything
)

// A Safety is what an exploration needs to know about a constraint.
type Safety struct {
	// Monotone: what is violated stays so when events are added, wherever they are in co, in an order that follows po and rf.
	Monotone bool
	// Extensible: adding an event after which nothing comes does not violate it.
	Extensible bool
	Why        string // if one of them was not shown: the subexpression to blame
	At         Pos
}

// Safety analyses a constraint. Between events that are there, all base relations stay as they are when another event comes:
// that is what makes differences harmless in most models.
func (p *Program) Safety(k *Constraint) Safety {
	s := newSafety(p)
	out := Safety{Monotone: s.monotone(k.id), Extensible: true}
	switch {
	case k.Not:
		return Safety{Why: "it asks for something that may still come", At: k.Pos}
	case !out.Monotone:
	case k.Kind == Empty:
		out.Extensible = p.IsAtomicity(k)
		if !out.Extensible {
			s.blame, s.why = k.id, "may get a pair by an event after which nothing comes"
		}
	default:
		id := k.id
		if n := &p.nodes[id]; n.op == opPlus {
			id = n.a
		}
		if e := s.of(id); e != Into {
			out.Extensible = false
			if s.why == "" {
				s.blame, s.why = id, "may lead on from an event after which nothing comes"
			}
		}
	}
	if s.why != "" {
		n := &p.nodes[s.blame]
		out.Why, out.At = fmt.Sprintf("%s %s", p.SetText(s.blame), s.why), n.expr.At()
		if out.At.Src == nil {
			out.At = k.Pos
		}
	}
	return out
}

type safety struct {
	p     *Program
	ext   map[int32]Extension
	blame int32
	why   string

	settledNodes, forwardNodes, backwardNodes memo
}

func newSafety(p *Program) *safety {
	return &safety{p: p, ext: map[int32]Extension{}, settledNodes: memo{}, forwardNodes: memo{}, backwardNodes: memo{}}
}

// A memo keeps what was found out about nodes: each is looked at once, however often it is used.
type memo map[int32]bool

func (m memo) get(id int32, compute func(id int32) bool) bool {
	v, ok := m[id]
	if !ok {
		v = compute(id)
		m[id] = v
	}
	return v
}

func (s *safety) because(id int32, why string) {
	if s.why == "" {
		s.blame, s.why = id, why
	}
}

// monotone reports whether a set or relation only gains. It does unless something that may gain is taken away.
func (s *safety) monotone(id int32) bool { return s.monotoneIn(id, map[int32]bool{}) }

func (s *safety) monotoneIn(id int32, seen map[int32]bool) bool {
	if id < 0 || seen[id] {
		return true
	}
	seen[id] = true
	n := &s.p.nodes[id]
	switch n.op {
	case opBase:
		if n.typ == tSet && growing[s.p.voc.Sets[n.aux]] != Stable {
			s.because(id, "varies")
			return false
		}
		return true
	case opNone, opAll, opID:
		return true
	case opDiff:
		if !s.settled(n.b) {
			s.because(id, fmt.Sprintf("takes away %s, which may still grow", s.p.SetText(n.b)))
			return false
		}
		return s.monotoneIn(n.a, seen)
	case opNot:
		if !s.settled(n.a) {
			s.because(id, fmt.Sprintf("is the complement of %s, which may still grow", s.p.SetText(n.a)))
			return false
		}
		return true
	case opFix:
		if s.p.fixes[n.aux].when != nil {
			s.because(id, "has a condition on its result")
			return false
		}
		for _, b := range s.p.fixes[n.aux].bodies {
			if !s.monotoneIn(b, seen) {
				return false
			}
		}
		return true
	case opPhi:
		for _, f := range s.p.fixes {
			for _, v := range f.vars {
				if v == id {
					return true
				}
			}
		}
		s.because(id, "is chosen for complete executions")
		return false
	case opDyn, opAsSet, opAsRel, opFilter:
		s.because(id, "is computed from complete executions")
		return false
	}
	return s.monotoneIn(n.a, seen) && s.monotoneIn(n.b, seen)
}

// settled reports whether a set or relation never changes between events that are there.
func (s *safety) settled(id int32) bool { return s.settledNodes.get(id, s.settledOf) }

func (s *safety) settledOf(id int32) bool {
	if id < 0 {
		return true
	}
	n := &s.p.nodes[id]
	switch n.op {
	case opBase:
		return n.typ == tRel || growing[s.p.voc.Sets[n.aux]] == Stable
	case opNone, opAll, opID:
		return true
	case opUnion, opInter, opDiff, opNot, opInverse, opOpt, opToID, opProduct, opResDom, opResRan:
		return s.settled(n.a) && s.settled(n.b)
	case opSeq:
		// An event between the two is there if it comes before one of them.
		return s.settled(n.a) && s.settled(n.b) && (s.forward(n.b) || s.backward(n.a) || s.p.isFr(id))
	case opPlus, opStar:
		return s.settled(n.a) && (s.forward(n.a) || s.backward(n.a))
	case opRange:
		return s.settled(n.a) && s.forward(n.a)
	case opDomain:
		return s.p.isBase(n.a, "rmw") || s.settled(n.a) && s.backward(n.a)
	}
	return false
}

// forward reports whether a relation is surely part of (po ∪ rf)*.
func (s *safety) forward(id int32) bool { return s.forwardNodes.get(id, s.forwardOf) }

func (s *safety) forwardOf(id int32) bool {
	n := &s.p.nodes[id]
	switch n.op {
	case opBase:
		return n.typ == tRel && (poBases[s.p.voc.Rels[n.aux]] || s.p.voc.Rels[n.aux] == "rf" || s.p.voc.Rels[n.aux] == "casdep" || s.p.voc.Rels[n.aux] == s.p.opts.Order)
	case opNone, opID, opToID:
		return true
	case opUnion, opSeq:
		return s.forward(n.a) && s.forward(n.b)
	case opInter:
		return s.forward(n.a) || s.forward(n.b)
	case opDiff, opPlus, opStar, opOpt, opResRan:
		return s.forward(n.a)
	case opResDom:
		return s.forward(n.b)
	}
	return false
}

// backward is forward for the inverse.
func (s *safety) backward(id int32) bool { return s.backwardNodes.get(id, s.backwardOf) }

func (s *safety) backwardOf(id int32) bool {
	n := &s.p.nodes[id]
	switch n.op {
	case opInverse:
		return s.forward(n.a)
	case opNone, opID, opToID:
		return true
	case opUnion, opSeq:
		return s.backward(n.a) && s.backward(n.b)
	case opInter:
		return s.backward(n.a) || s.backward(n.b)
	case opDiff, opPlus, opStar, opOpt, opResRan:
		return s.backward(n.a)
	case opResDom:
		return s.backward(n.b)
	}
	return false
}

// of returns how a relation is extended.
func (s *safety) of(id int32) Extension {
	if e, ok := s.ext[id]; ok {
		return e
	}
	e := s.compute(id)
	s.ext[id] = e
	return e
}

func (s *safety) compute(id int32) Extension {
	n := &s.p.nodes[id]
	if n.typ == tSet {
		if s.settled(id) {
			return Into
		}
		return Anything
	}
	if s.p.isFr(id) || s.p.isOvertaken(id) {
		return Into
	}
	if _, rest, ok := s.p.leadingCom(id); ok {
		if rest >= 0 && s.of(rest) > IntoSelf {
			return Anything
		}
		return Into
	}
	switch n.op {
	case opNone:
		return Into
	case opBase:
		switch s.p.voc.Rels[n.aux] {
		case "loc", "int":
			return Around
		case "si":
			return IntoSelf
		}
		return Into
	case opID, opToID:
		if n.op == opToID && s.of(n.a) == Anything {
			return Anything
		}
		return IntoSelf
	case opAll, opProduct:
		if n.op == opProduct && s.p.onlyInitial(n.a) && s.p.noInitial(n.b) && s.of(n.b) == Into {
			return Into
		}
		if n.op == opProduct && (s.of(n.a) == Anything || s.of(n.b) == Anything) {
			return Anything
		}
		return Around
	case opUnion:
		return max(s.of(n.a), s.of(n.b))
	case opInter:
		a, b := s.of(n.a), s.of(n.b)
		if max(a, b) == Anything {
			return Anything
		}
		return min(a, b)
	case opDiff:
		a, b := s.of(n.a), s.of(n.b)
		if b == Anything && !s.settled(n.b) {
			return Anything
		}
		return a
	case opNot, opInverse:
		if s.of(n.a) == Anything {
			return Anything
		}
		return Around
	case opResDom, opResRan:
		return max(s.of(n.a), s.of(n.b))
	case opSeq:
		a, b := s.of(n.a), s.of(n.b)
		switch {
		case max(a, b) == Anything, b == Around:
			return Anything
		case a == Around:
			return Around
		}
		return min(a, b)
	case opPlus:
		if a := s.of(n.a); a < Around {
			return a
		}
	case opStar:
		if s.of(n.a) < Around {
			return IntoSelf
		}
	case opOpt:
		return max(s.of(n.a), IntoSelf)
	case opFix:
		return s.fix(n.aux)
	}
	return Anything
}

// fix assumes the best of the variables, and takes it back until the equations agree.
func (s *safety) fix(k int32) Extension {
	f := s.p.fixes[k]
	level := Into
	for {
		inner := newSafety(s.p)
		for _, v := range f.vars {
			inner.ext[v] = level
		}
		next := level
		for _, b := range f.bodies {
			next = max(next, inner.of(b))
		}
		if next == level || next == Anything {
			return next
		}
		level = next
	}
}

// IsAtomicity recognises the constraint that nothing comes between the two halves of a read-modify-write, or one
// about events that both read and write, which there are none of.
func (p *Program) IsAtomicity(k *Constraint) bool {
	if k.Not || k.Kind != Empty {
		return false
	}
	n := &p.nodes[k.id]
	if n.op == opResDom { // [S];(fr;co) & id, and the like
		return p.never(k.id)
	}
	if n.op != opInter {
		return p.never(k.id)
	}
	for _, s := range [2][2]int32{{n.a, n.b}, {n.b, n.a}} {
		between := &p.nodes[s[1]]
		if !p.isUpdate(s[0]) || between.op != opSeq {
			continue
		}
		fr, co := p.external(between.a), p.external(between.b)
		if p.isFr(fr) && p.isBase(co, "co") {
			return true
		}
	}
	return p.never(k.id)
}

// isUpdate recognises rmw, also with events by themselves, which models have that take a read-modify-write for one event: no
// event is both a read and a write here, as fr;co would need.
func (p *Program) isUpdate(id int32) bool {
	switch n := &p.nodes[id]; n.op {
	case opUnion:
		return p.isUpdate(n.a) && p.isUpdate(n.b)
	case opID, opToID:
		return true
	}
	return p.isBase(id, "rmw") || p.never(id)
}

// external strips r & ext: of r.
func (p *Program) external(id int32) int32 {
	n := &p.nodes[id]
	switch {
	case n.op == opDiff && p.isBase(n.b, "int"):
		return n.a
	case n.op == opInter && p.isExt(n.b):
		return n.a
	case n.op == opInter && p.isExt(n.a):
		return n.b
	}
	return id
}

// isOvertaken recognises rmw⁻¹;fr, also with si in between or without what is in the thread. It leads from the write of a read-modify-write to
// the writes after it: nothing comes between the two halves.
func (p *Program) isOvertaken(id int32) bool {
	n := &p.nodes[id]
	if n.op != opSeq || p.nodes[n.a].op != opInverse || !p.isBase(p.nodes[n.a].a, "rmw") {
		return false
	}
	rest := n.b
	if r := &p.nodes[rest]; r.op == opSeq && p.isBase(r.a, "si") {
		rest = r.b
	}
	return p.isFr(p.external(rest))
}

// isExt recognises ext (compiler.derived), and ~int, which is the same except for two initial writes.
func (p *Program) isExt(id int32) bool {
	n := &p.nodes[id]
	if n.op == opDiff {
		if pairs := &p.nodes[n.b]; pairs.op == opProduct && p.isSet(pairs.a, "IW") && p.isSet(pairs.b, "IW") {
			n = &p.nodes[n.a]
		}
	}
	return n.op == opNot && p.isBase(n.a, "int")
}

// never reports whether a set or relation is empty because no event both reads and writes.
func (p *Program) never(id int32) bool { return p.neverIn(id, memo{}) }

func (p *Program) neverIn(id int32, seen memo) bool {
	if id < 0 {
		return false
	}
	return seen.get(id, func(id int32) bool { return p.isNever(id, seen) })
}

func (p *Program) isNever(id int32, seen memo) bool {
	n := &p.nodes[id]
	switch n.op {
	case opNone:
		return true
	case opInter:
		if n.typ == tSet && (p.isSet(n.a, "R") && p.isSet(n.b, "W") || p.isSet(n.a, "W") && p.isSet(n.b, "R")) {
			return true
		}
		return p.neverIn(n.a, seen) || p.neverIn(n.b, seen)
	case opToID, opDiff:
		return p.neverIn(n.a, seen)
	case opSeq, opResDom, opResRan:
		return p.neverIn(n.a, seen) || p.neverIn(n.b, seen)
	case opUnion:
		return p.neverIn(n.a, seen) && p.neverIn(n.b, seen)
	}
	return false
}

func (p *Program) isSet(id int32, name string) bool {
	n := &p.nodes[id]
	return n.op == opBase && n.typ == tSet && p.voc.Sets[n.aux] == name
}

// Races recognises a constraint on races: the pairs of a node, without those of others, that an order does not order one way or
// the other.
func (p *Program) Races(k *Constraint) (pairs int32, without []int32, order int32, ok bool) {
	if k.Kind != Empty || k.Mode != UndefinedUnless && k.Mode != Flag || k.Not != (k.Mode == Flag) {
		return 0, nil, 0, false
	}
	pairs = k.id
	for p.nodes[pairs].op == opDiff {
		n := &p.nodes[pairs]
		without = append(without, p.UnionOf(n.b)...)
		pairs = n.a
	}
	for i, inv := range without {
		n := &p.nodes[inv]
		if n.op != opInverse {
			continue
		}
		if j := slices.Index(without, n.a); j >= 0 {
			order = n.a
			without = slices.DeleteFunc(slices.Clone(without), func(id int32) bool { return id == order || id == without[i] })
			return pairs, without, order, true
		}
	}
	return 0, nil, 0, false
}

// Between finds a difference or a complement in a constraint that takes away what has events in between: compositions, domains and
// ranges. With writes, those of accesses to one location with a write to it in between are left out.
func (p *Program) Between(k *Constraint, writes bool) (why string, at Pos, found bool) {
	seen := map[int32]bool{}
	var visit func(id int32) bool
	visit = func(id int32) bool {
		if id < 0 || seen[id] {
			return false
		}
		seen[id] = true
		n := &p.nodes[id]
		away := int32(-1)
		switch n.op {
		case opDiff:
			away = n.b
		case opNot:
			away = n.a
		case opFix:
			return slices.ContainsFunc(p.fixes[n.aux].bodies, visit)
		case opPhi:
			return false
		}
		if away >= 0 && p.hasBetween(away) && !(writes && p.writeBetween(away)) && !p.isFr(id) {
			why, at = fmt.Sprintf("%s takes away %s", p.SetText(id), p.SetText(away)), n.expr.At()
			return true
		}
		return visit(n.a) || n.op != opFix && visit(n.b)
	}
	found = visit(k.id)
	return why, at, found
}

// hasBetween reports whether a set or relation may depend on events other than the one or two that it is about, and the writes
// that they read from.
func (p *Program) hasBetween(id int32) bool { return p.hasBetweenIn(id, memo{}) }

func (p *Program) hasBetweenIn(id int32, seen memo) bool {
	if id < 0 {
		return false
	}
	return seen.get(id, func(id int32) bool { return p.isBetween(id, seen) })
}

func (p *Program) isBetween(id int32, seen memo) bool {
	n := &p.nodes[id]
	switch n.op {
	case opSeq:
		if p.nodes[n.a].op == opInverse && p.isBase(p.nodes[n.a].a, "rf") && p.isBase(n.b, "rf") {
			return false
		}
		return true
	case opDomain, opRange:
		return !p.isBase(n.a, "rmw")
	case opPlus, opStar, opFix, opDyn, opAsRel, opAsSet:
		return true
	}
	return p.hasBetweenIn(n.a, seen) || p.hasBetweenIn(n.b, seen)
}

// writeBetween recognises po-loc; [W]; po-loc, with or without the first po-loc.
func (p *Program) writeBetween(id int32) bool {
	n := &p.nodes[id]
	if n.op != opSeq {
		return false
	}
	first, last := n.a, n.b
	if r := &p.nodes[last]; r.op == opResDom && p.isSet(r.a, "W") {
		last = r.b
	} else if r := &p.nodes[first]; r.op == opResRan && p.isSet(r.b, "W") {
		first = r.a
	} else {
		return false
	}
	if r := &p.nodes[first]; r.op == opOpt {
		first = r.a
	}
	return p.isPoLoc(first) && p.isPoLoc(last)
}

func (p *Program) isPoLoc(id int32) bool {
	n := &p.nodes[id]
	return n.op == opInter && (p.isBase(n.a, "po") && p.isBase(n.b, "loc") || p.isBase(n.a, "loc") && p.isBase(n.b, "po"))
}
