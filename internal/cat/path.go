package cat

import (
	"fmt"
	"maps"
	"slices"
)

// A PathKind is what a Path does.
type PathKind uint8

const (
	PathNone  PathKind = iota // nothing
	PathID                    // stay
	PathTest                  // stay at an event of a set (or not of it: Not)
	PathStep                  // along one base relation, or one that the caller knows
	PathSeq                   // X then Y
	PathUnion                 // X or Y
	PathPlus                  // X once or more
	PathStar                  // X any number of times
	PathOpt                   // X or stay
)

// A Filter is a condition on the two ends of a step.
type Filter uint8

const (
	SameLoc Filter = 1 << iota
	OtherLoc
	SameThread
	OtherThread
)

// A Path is a relation as a regular expression: the pairs of events that are connected by steps along base
// relations, past tests. A cycle of it is found by walking, from any event of the cycle; there is no need to
// compute the relation.
type Path struct {
	Kind   PathKind
	X, Y   *Path
	Rel    string // of a step: a relation of the vocabulary, or fr
	Known  int32  // of a step with Rel "": the node that the caller knows
	Filter Filter
	Set    int32 // of a test: see Program.Member
	Not    bool
}

// Node is the number of the node that a constraint is about.
func (k *Constraint) Node() int32 { return k.id }

// Path returns the relation of a node as a path. known are the nodes that are steps by themselves.
// The error says what is not regular.
func (p *Program) Path(id int32, known ...int32) (path *Path, err error) {
	b := &pathBuilder{p: p, known: known}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case irregular:
			path, err = nil, r.err
		default:
			panic(r)
		}
	}()
	return b.rel(id, 0), nil
}

// PathBelow returns a path that is part of the relation of a node: what is not regular is left out, and recursive definitions are unfolded twice.
func (p *Program) PathBelow(id int32, known ...int32) *Path {
	b := &pathBuilder{p: p, known: known, below: true}
	return b.rel(id, 0)
}

// irregular is the panic of a pathBuilder.
type irregular struct{ err error }

type pathBuilder struct {
	p     *Program
	known []int32
	size  int
	below bool            // leave out what is not regular
	vars  map[int32]*Path // of recursive definitions, while they are unfolded
}

// fail is what is not regular.
func (b *pathBuilder) fail(id int32) *Path {
	if b.below {
		return &Path{}
	}
	n := &b.p.nodes[id]
	panic(irregular{fmt.Errorf("%s is no path of steps", ExprString(n.expr))})
}

// maxPath bounds the parts of a path: no model that is not written to exhaust memory comes near it.
const maxPath = 20_000

// rel is the path of a node whose pairs also fulfil a filter.
func (b *pathBuilder) rel(id int32, f Filter) *Path {
	if b.size++; b.size > maxPath {
		return b.fail(id)
	}
	p := b.p
	n := &p.nodes[id]
	for _, k := range b.known {
		if k == id {
			return &Path{Kind: PathStep, Known: id, Filter: f}
		}
		if inner, plus := p.Plus(k); plus && n.op == opStar && n.a == inner && f == 0 { // r* is (r⁺)?
			return &Path{Kind: PathOpt, X: &Path{Kind: PathStep, Known: k}}
		}
	}
	if p.isFr(id) {
		return &Path{Kind: PathStep, Rel: "fr", Filter: f}
	}
	if opt, rest, ok := p.leadingCom(id); ok && (f == 0 || rest < 0) {
		com := &Path{Kind: PathStep, Rel: "fr", Filter: f}
		if opt {
			com = pathUnion(com, &Path{Kind: PathStep, Rel: "co", Filter: f})
		}
		if rest < 0 {
			return com
		}
		return pathSeq(com, b.rel(rest, 0))
	}
	switch n.op {
	case opNone:
		return &Path{}
	case opProduct:
		if p.onlyInitial(n.a) && p.noInitial(n.b) {
			return &Path{} // no walk comes to an initial write
		}
	case opBase:
		switch name := p.voc.Rels[n.aux]; name {
		case "loc", "int":
			return b.fail(id)
		default:
			return &Path{Kind: PathStep, Rel: name, Filter: f}
		}
	case opUnion:
		return pathUnion(b.rel(n.a, f), b.rel(n.b, f))
	case opInter:
		return b.inter(n.a, n.b, f, id)
	case opDiff:
		return b.diff(n.a, n.b, f, id)
	case opResDom:
		return pathSeq(&Path{Kind: PathTest, Set: n.a}, b.rel(n.b, f))
	case opResRan:
		return pathSeq(b.rel(n.a, f), &Path{Kind: PathTest, Set: n.b})
	}
	if f == 0 {
		switch n.op {
		case opID:
			return &Path{Kind: PathID}
		case opToID:
			return &Path{Kind: PathTest, Set: n.a}
		case opOpt:
			return &Path{Kind: PathOpt, X: b.rel(n.a, 0)}
		case opSeq:
			return pathSeq(b.rel(n.a, 0), b.rel(n.b, 0))
		case opPlus:
			return pathPlus(b.rel(n.a, 0))
		case opStar:
			return &Path{Kind: PathStar, X: b.rel(n.a, 0)}
		case opFix:
			if parts := b.p.closureParts(b.p.fixes[n.aux]); parts != nil {
				path := &Path{}
				for _, part := range parts {
					path = pathUnion(path, b.rel(part, 0))
				}
				return pathPlus(path)
			}
			if b.below {
				return b.unfold(b.p.fixes[n.aux], int(n.b))
			}
		case opPhi:
			if path := b.vars[id]; path != nil {
				return path
			}
		}
	}
	return b.fail(id)
}

// unfold computes the second approximation of a recursive definition.
func (b *pathBuilder) unfold(f *fix, component int) *Path {
	outer := b.vars
	defer func() { b.vars = outer }()
	b.vars = maps.Clone(outer)
	if b.vars == nil {
		b.vars = map[int32]*Path{}
	}
	for _, v := range f.vars {
		b.vars[v] = &Path{}
	}
	for range 2 {
		for i, v := range f.vars {
			b.vars[v] = b.rel(f.bodies[i], 0)
		}
	}
	return b.vars[f.vars[component]]
}

func pathUnion(x, y *Path) *Path {
	switch {
	case x.Kind == PathNone:
		return y
	case y.Kind == PathNone:
		return x
	}
	return &Path{Kind: PathUnion, X: x, Y: y}
}

func pathSeq(x, y *Path) *Path {
	if x.Kind == PathNone || y.Kind == PathNone {
		return &Path{}
	}
	return &Path{Kind: PathSeq, X: x, Y: y}
}

func pathPlus(x *Path) *Path {
	if x.Kind == PathNone {
		return x
	}
	return &Path{Kind: PathPlus, X: x}
}

// filterOf returns what an intersection with a relation asks of the two ends of a step.
func (b *pathBuilder) filterOf(id int32) (Filter, bool) {
	n := &b.p.nodes[id]
	switch {
	case b.p.isBase(id, "loc"):
		return SameLoc, true
	case b.p.isBase(id, "int"):
		return SameThread, true
	case b.p.isExt(id):
		return OtherThread, true
	case n.op == opNot:
		f, ok := b.filterOf(n.a)
		return opposite[f], ok
	}
	return 0, false
}

var opposite = map[Filter]Filter{SameLoc: OtherLoc, OtherLoc: SameLoc, SameThread: OtherThread, OtherThread: SameThread}

func (b *pathBuilder) inter(x, y int32, f Filter, id int32) *Path {
	for _, s := range [2][2]int32{{x, y}, {y, x}} {
		if g, ok := b.filterOf(s[1]); ok {
			return b.rel(s[0], f|g)
		}
	}
	for _, s := range [2][2]int32{{x, y}, {y, x}} {
		switch n := &b.p.nodes[s[1]]; n.op {
		case opProduct:
			return pathSeq(&Path{Kind: PathTest, Set: n.a}, pathSeq(b.rel(s[0], f), &Path{Kind: PathTest, Set: n.b}))
		case opUnion: // of products, perhaps
			if b.isMask(n.a) && b.isMask(n.b) {
				return pathUnion(b.inter(s[0], n.a, f, id), b.inter(s[0], n.b, f, id))
			}
		case opResDom:
			if b.isMask(n.b) {
				return pathSeq(&Path{Kind: PathTest, Set: n.a}, b.inter(s[0], n.b, f, id))
			}
		case opResRan:
			if b.isMask(n.a) {
				return pathSeq(b.inter(s[0], n.a, f, id), &Path{Kind: PathTest, Set: n.b})
			}
		case opInter:
			if b.isMask(n.a) && b.isMask(n.b) {
				if g, ok := b.filterOf(n.a); ok {
					return b.inter(s[0], n.b, f|g, id)
				}
				if g, ok := b.filterOf(n.b); ok {
					return b.inter(s[0], n.a, f|g, id)
				}
			}
		}
	}
	return b.fail(id)
}

// isMask reports whether a relation says only what the two ends are.
func (b *pathBuilder) isMask(id int32) bool {
	if _, ok := b.filterOf(id); ok {
		return true
	}
	switch n := &b.p.nodes[id]; n.op {
	case opProduct:
		return true
	case opUnion, opInter:
		return b.isMask(n.a) && b.isMask(n.b)
	case opResDom:
		return b.isMask(n.b)
	case opResRan:
		return b.isMask(n.a)
	}
	return false
}

func (b *pathBuilder) diff(x, y int32, f Filter, id int32) *Path {
	if g, ok := b.filterOf(y); ok {
		return b.rel(x, f|opposite[g])
	}
	if from, to, ok := b.p.partOf(y, x); ok {
		path := b.rel(x, f)
		out := &Path{}
		if from >= 0 {
			out = pathUnion(out, pathSeq(&Path{Kind: PathTest, Set: from, Not: true}, path))
		}
		if to >= 0 {
			out = pathUnion(out, pathSeq(path, &Path{Kind: PathTest, Set: to, Not: true}))
		}
		return out
	}
	switch n := &b.p.nodes[y]; n.op {
	case opProduct: // not from the one to the other: not from the one, or not to the other
		path := b.rel(x, f)
		return pathUnion(pathSeq(&Path{Kind: PathTest, Set: n.a, Not: true}, path),
			pathSeq(path, &Path{Kind: PathTest, Set: n.b, Not: true}))
	case opUnion:
		if b.isMask(n.a) && b.p.nodes[n.a].op != opUnion {
			if g, ok := b.filterOf(n.a); ok {
				return b.diff(x, n.b, f|opposite[g], id)
			}
		}
	case opID:
		if b.irreflexive(x) {
			return b.rel(x, f)
		}
	}
	return b.fail(id)
}

// irreflexive reports whether a relation surely has no event related to itself: a step.
func (b *pathBuilder) irreflexive(id int32) bool {
	switch n := &b.p.nodes[id]; n.op {
	case opBase:
		_, filter := b.filterOf(id)
		return !filter && !b.p.isBase(id, "si")
	case opInter:
		return b.irreflexive(n.a) || b.irreflexive(n.b)
	case opDiff, opResRan:
		return b.irreflexive(n.a)
	case opResDom:
		return b.irreflexive(n.b)
	case opUnion:
		return b.irreflexive(n.a) && b.irreflexive(n.b)
	}
	return b.p.isFr(id)
}

// isFr recognises fr, in a vocabulary that has co: rf⁻¹;co, without the identity or not.
func (p *Program) isFr(id int32) bool {
	n := &p.nodes[id]
	if n.op == opDiff && p.nodes[n.b].op == opID {
		return p.isFr(n.a)
	}
	if n.op == opBase && n.typ == tRel && p.voc.Rels[n.aux] == "fr" {
		return true
	}
	if n.op != opSeq || p.nodes[n.a].op != opInverse {
		return false
	}
	return p.isBase(p.nodes[n.a].a, "rf") && p.isBase(n.b, "co")
}

// leadingCom recognises rf⁻¹;co;rest, or (rf⁻¹)?;co;rest, which is fr;rest, or (fr | co);rest. rest is -1 if there is none.
func (p *Program) leadingCom(id int32) (opt bool, rest int32, ok bool) {
	n := &p.nodes[id]
	if n.op != opSeq {
		return false, 0, false
	}
	inv := n.a
	if p.nodes[inv].op == opOpt {
		opt, inv = true, p.nodes[inv].a
	}
	if p.nodes[inv].op != opInverse || !p.isBase(p.nodes[inv].a, "rf") {
		return false, 0, false
	}
	if p.isBase(n.b, "co") {
		return opt, -1, true
	}
	if b := &p.nodes[n.b]; b.op == opSeq && p.isBase(b.a, "co") {
		return opt, b.b, true
	}
	return false, 0, false
}

// onlyInitial reports whether a set has only initial writes.
func (p *Program) onlyInitial(id int32) bool {
	n := &p.nodes[id]
	switch n.op {
	case opInter:
		return p.onlyInitial(n.a) || p.onlyInitial(n.b)
	case opDiff:
		return p.onlyInitial(n.a)
	}
	return p.isSet(id, "IW")
}

// noInitial reports whether a set surely has no initial writes.
func (p *Program) noInitial(id int32) bool {
	n := &p.nodes[id]
	switch n.op {
	case opUnion:
		return p.noInitial(n.a) && p.noInitial(n.b)
	case opInter:
		return p.noInitial(n.a) || p.noInitial(n.b)
	case opDiff:
		return p.isSet(n.b, "IW") || p.noInitial(n.a)
	case opNot:
		return p.isSet(n.a, "IW")
	}
	return p.isSet(id, "R") || p.isSet(id, "F")
}

// closureParts recognises let rec r = a | b | r; r, the closure of a | b, and returns a and b.
func (p *Program) closureParts(f *fix) []int32 {
	if len(f.vars) != 1 || p.nodes[f.bodies[0]].typ != tRel {
		return nil
	}
	v := f.vars[0]
	var parts []int32
	for _, part := range p.UnionOf(f.bodies[0]) {
		n := &p.nodes[part]
		switch {
		case n.op == opSeq && n.a == v && n.b == v:
		case slices.Contains(n.deps, p.nodes[v].aux):
			return nil
		default:
			parts = append(parts, part)
		}
	}
	return parts
}

// partOf recognises [S];r;[T], or with one of the two, as a part of r. A set that is not there is -1.
func (p *Program) partOf(id, r int32) (from, to int32, ok bool) {
	from, to = -1, -1
	for {
		n := &p.nodes[id]
		switch {
		case id == r:
			return from, to, from >= 0 || to >= 0
		case n.op == opResDom && from < 0:
			from, id = n.a, n.b
		case n.op == opResRan && to < 0:
			to, id = n.b, n.a
		default:
			return -1, -1, false
		}
	}
}

// isBase reports whether a node is a relation of the vocabulary.
func (p *Program) isBase(id int32, name string) bool {
	n := &p.nodes[id]
	return n.op == opBase && n.typ == tRel && p.voc.Rels[n.aux] == name
}
