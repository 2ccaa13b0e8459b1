package cat

import "slices"

// A typ is what a node computes.
type typ uint8

const (
	tSet typ = iota
	tRel
	tDyn // a value that only the interpreter understands: sets of sets, tags, events, …
)

func (t typ) String() string { return [...]string{"set of events", "relation", "value"}[t] }

// An op is what a node does with its operands a and b.
type op uint8

const (
	opBase  op = iota // aux: index in the vocabulary
	opNone            // the empty set or relation
	opAll             // all events, all pairs
	opID              // the identity
	opUnion           // of two sets or two relations, as the next three
	opInter
	opDiff
	opNot
	opDomain
	opRange
	opSeq
	opInverse
	opPlus
	opStar
	opOpt
	opToID
	opProduct
	opResDom // [a];b
	opResRan // a;[b]
	opFilter // pairs of a for which predicate aux holds
	opPhi    // a variable that with, forall or a fixpoint sets; aux: its number
	opFix    // component b of fixpoint aux
	opDyn    // aux: index in Program.dyns
	opAsSet  // a is dynamic
	opAsRel
)

// A node is one operation of a program. Nodes are numbered so that operands come before
// their users, except for fixpoints, whose bodies contain their own variables.
type node struct {
	op   op
	typ  typ
	a, b int32
	aux  int32
	deps []int32 // the variables (numbers of phis) that the value depends on, sorted
	expr Expr    // the first expression that made it, for messages
}

type nodeKey struct {
	op        op
	typ       typ
	a, b, aux int32
}

// A dag is the nodes of a program, each different one once.
type dag struct {
	nodes []node
	index map[nodeKey]int32
	phis  []int32          // nodes of the variables
	names map[int32]string // of the nodes that a let names
	order int32            // of Options.Order, -1 if there is none
	po    int32            // the number of po in the vocabulary, if there is an order
}

func newDag() *dag { return &dag{index: map[nodeKey]int32{}, names: map[int32]string{}, order: -1} }

// node returns the node for the key, a new one if there is none.
func (d *dag) node(k nodeKey, e Expr, more ...[]int32) int32 {
	if id, ok := d.index[k]; ok {
		return id
	}
	n := node{op: k.op, typ: k.typ, a: k.a, b: k.b, aux: k.aux, expr: e}
	for _, deps := range more {
		n.deps = merge(n.deps, deps)
	}
	id := int32(len(d.nodes))
	d.nodes = append(d.nodes, n)
	d.index[k] = id
	return id
}

func (d *dag) unary(o op, t typ, a int32, e Expr) int32 {
	return d.node(nodeKey{o, t, a, -1, 0}, e, d.nodes[a].deps)
}

func (d *dag) binary(o op, t typ, a, b int32, e Expr) int32 {
	return d.node(nodeKey{o, t, a, b, 0}, e, d.nodes[a].deps, d.nodes[b].deps)
}

func (d *dag) constant(o op, t typ, e Expr) int32 { return d.node(nodeKey{o, t, -1, -1, 0}, e) }

// phi makes a new variable.
func (d *dag) phi(t typ, e Expr) int32 {
	k := int32(len(d.phis))
	id := d.node(nodeKey{opPhi, t, -1, -1, k}, e, []int32{k})
	d.phis = append(d.phis, id)
	return id
}

// merge is the union of two sorted lists; it shares memory with them.
func merge(a, b []int32) []int32 {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0 || slices.Equal(a, b):
		return a
	}
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

func (d *dag) is(id int32, o op) bool { return d.nodes[id].op == o }

// The operators below simplify what they can: restrictions instead of compositions with
// identities and intersections with products, differences instead of complements, one closure
// instead of two. Each is an equation that holds for all relations.

func (d *dag) union(t typ, a, b int32, e Expr) int32 {
	switch {
	case a == b || d.is(b, opNone) || d.is(a, opAll):
		return a
	case d.is(a, opNone) || d.is(b, opAll):
		return b
	}
	if a > b {
		a, b = b, a
	}
	return d.binary(opUnion, t, a, b, e)
}

func (d *dag) inter(t typ, a, b int32, e Expr) int32 {
	switch {
	case a == b || d.is(a, opNone) || d.is(b, opAll):
		return a
	case d.is(b, opNone) || d.is(a, opAll):
		return b
	case d.is(b, opNot):
		return d.diff(t, a, d.nodes[b].a, e)
	case d.is(a, opNot):
		return d.diff(t, b, d.nodes[a].a, e)
	case d.is(b, opProduct):
		return d.restrict(d.nodes[b].a, a, d.nodes[b].b, e)
	case d.is(a, opProduct):
		return d.restrict(d.nodes[a].a, b, d.nodes[a].b, e)
	}
	if a > b {
		a, b = b, a
	}
	return d.binary(opInter, t, a, b, e)
}

// restrict is [s];r;[t].
func (d *dag) restrict(s, r, t int32, e Expr) int32 {
	return d.resDom(s, d.resRan(r, t, e), e)
}

func (d *dag) resDom(s, r int32, e Expr) int32 {
	switch {
	case d.is(s, opAll) || d.is(r, opNone):
		return r
	case d.is(s, opNone):
		return d.constant(opNone, tRel, e)
	case d.is(r, opAll):
		return d.product(s, d.constant(opAll, tSet, e), e)
	case d.is(r, opProduct):
		return d.product(d.inter(tSet, s, d.nodes[r].a, e), d.nodes[r].b, e)
	}
	return d.binary(opResDom, tRel, s, r, e)
}

func (d *dag) resRan(r, s int32, e Expr) int32 {
	switch {
	case d.is(s, opAll) || d.is(r, opNone):
		return r
	case d.is(s, opNone):
		return d.constant(opNone, tRel, e)
	case d.is(r, opAll):
		return d.product(d.constant(opAll, tSet, e), s, e)
	case d.is(r, opProduct):
		return d.product(d.nodes[r].a, d.inter(tSet, d.nodes[r].b, s, e), e)
	}
	return d.binary(opResRan, tRel, r, s, e)
}

func (d *dag) diff(t typ, a, b int32, e Expr) int32 {
	switch {
	case d.is(a, opNone) || d.is(b, opNone):
		return a
	case a == b || d.is(b, opAll):
		return d.constant(opNone, t, e)
	case d.is(a, opAll):
		return d.not(t, b, e)
	case d.is(b, opNot):
		return d.inter(t, a, d.nodes[b].a, e)
	}
	return d.binary(opDiff, t, a, b, e)
}

func (d *dag) not(t typ, a int32, e Expr) int32 {
	switch {
	case d.is(a, opNot):
		return d.nodes[a].a
	case d.is(a, opNone):
		return d.constant(opAll, t, e)
	case d.is(a, opAll):
		return d.constant(opNone, t, e)
	}
	return d.unary(opNot, t, a, e)
}

func (d *dag) seq(a, b int32, e Expr) int32 {
	switch {
	case d.is(a, opNone) || d.is(b, opID):
		return a
	case d.is(b, opNone) || d.is(a, opID):
		return b
	case d.is(a, opToID) && d.is(b, opToID):
		return d.toID(d.inter(tSet, d.nodes[a].a, d.nodes[b].a, e), e)
	case d.is(a, opToID):
		return d.resDom(d.nodes[a].a, b, e)
	case d.is(b, opToID):
		return d.resRan(a, d.nodes[b].a, e)
	}
	return d.binary(opSeq, tRel, a, b, e)
}

func (d *dag) product(a, b int32, e Expr) int32 {
	if d.is(a, opAll) && d.is(b, opAll) {
		return d.constant(opAll, tRel, e)
	}
	if d.is(a, opNone) || d.is(b, opNone) {
		return d.constant(opNone, tRel, e)
	}
	return d.binary(opProduct, tRel, a, b, e)
}

func (d *dag) toID(s int32, e Expr) int32 {
	switch {
	case d.is(s, opAll):
		return d.constant(opID, tRel, e)
	case d.is(s, opNone):
		return d.constant(opNone, tRel, e)
	}
	return d.unary(opToID, tRel, s, e)
}

func (d *dag) inverse(a int32, e Expr) int32 {
	switch d.nodes[a].op {
	case opInverse:
		return d.nodes[a].a
	case opNone, opAll, opID, opToID:
		return a
	case opProduct:
		return d.product(d.nodes[a].b, d.nodes[a].a, e)
	}
	return d.unary(opInverse, tRel, a, e)
}

// hasPo reports whether po is a part of a union.
func (d *dag) hasPo(a int32) bool {
	n := &d.nodes[a]
	return n.op == opUnion && (d.hasPo(n.a) || d.hasPo(n.b)) || n.op == opBase && n.typ == tRel && n.aux == d.po
}

// ordered adds the order that acyclic relations contain: it returns a closure if a is one.
func (d *dag) ordered(a int32, e Expr) int32 {
	switch n := d.nodes[a]; n.op {
	case opPlus:
		return d.unary(opPlus, tRel, d.union(tRel, n.a, d.order, e), e)
	case opFix:
		return d.unary(opPlus, tRel, d.union(tRel, a, d.order, e), e)
	}
	return d.union(tRel, a, d.order, e)
}

// closure is a⁺, a* or a?.
func (d *dag) closure(o op, a int32, e Expr) int32 {
	if o != opOpt && d.order >= 0 && d.hasPo(a) {
		a = d.union(tRel, a, d.order, e)
	}
	n := &d.nodes[a]
	switch n.op {
	case opNone:
		if o == opPlus {
			return a
		}
		return d.constant(opID, tRel, e)
	case opAll, opID:
		return a
	case opStar: // (r*)⁺ = (r*)* = (r*)? = r*
		return a
	case opPlus:
		if o == opPlus {
			return a
		}
		return d.unary(opStar, tRel, n.a, e)
	case opOpt:
		if o == opOpt {
			return a
		}
		return d.unary(opStar, tRel, n.a, e)
	}
	return d.unary(o, tRel, a, e)
}
