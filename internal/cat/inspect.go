package cat

import (
	"slices"

	"ravel/internal/relation"
)

// Questions about the nodes of a compiled model, by their numbers, and about their values in an execution.

// Truth is what is known about an event.
type Truth uint8

const (
	No Truth = iota
	Maybe
	Yes
)

// Member reports whether an event is in the set of a node, given what it says about the sets of the
// vocabulary; about domain(rmw) and range(rmw) it is asked by these names.
func (p *Program) Member(set int32, base func(name string) Truth) Truth {
	n := &p.nodes[set]
	switch n.op {
	case opNone:
		return No
	case opAll:
		return Yes
	case opBase:
		return base(p.voc.Sets[n.aux])
	case opUnion:
		return max(p.Member(n.a, base), p.Member(n.b, base))
	case opInter:
		return min(p.Member(n.a, base), p.Member(n.b, base))
	case opDiff:
		return min(p.Member(n.a, base), Yes-p.Member(n.b, base))
	case opNot:
		return Yes - p.Member(n.a, base)
	case opDomain:
		if p.isBase(n.a, "rmw") {
			return base("domain(rmw)")
		}
	case opRange:
		if p.isBase(n.a, "rmw") {
			return base("range(rmw)")
		}
	}
	return Maybe
}

// SetText shows a set as it is written.
func (p *Program) SetText(set int32) string {
	if name, ok := p.names[set]; ok {
		return name
	}
	return ExprString(p.nodes[set].expr)
}

// Mentions returns the sets and relations of the vocabulary that checks depend on, all checks if none is given.
// It is false for what the interpreter computes, which may use any.
func (p *Program) Mentions(checks ...*Constraint) (sets, rels map[string]bool, ok bool) {
	if len(checks) == 0 {
		checks = p.Checks
	}
	ids := make([]int32, len(checks))
	for i, k := range checks {
		ids[i] = k.id
	}
	return p.MentionsOf(ids...)
}

// MentionsOf is Mentions for nodes.
func (p *Program) MentionsOf(ids ...int32) (sets, rels map[string]bool, ok bool) {
	sets, rels, ok = map[string]bool{}, map[string]bool{}, true
	seen := make([]bool, len(p.nodes))
	var visit func(id int32)
	visit = func(id int32) {
		if id < 0 || seen[id] {
			return
		}
		seen[id] = true
		n := &p.nodes[id]
		switch n.op {
		case opBase:
			if n.typ == tSet {
				sets[p.voc.Sets[n.aux]] = true
			} else {
				rels[p.voc.Rels[n.aux]] = true
			}
		case opFix:
			for _, body := range p.fixes[n.aux].bodies {
				visit(body)
			}
			return // its b is not a node
		case opDyn:
			ok = false
		case opPhi:
			return
		}
		visit(n.a)
		visit(n.b)
	}
	for _, id := range ids {
		visit(id)
	}
	return sets, rels, ok
}

// Straight reports whether the program just makes its checks: nothing is chosen, matched or run over while it runs.
func (p *Program) Straight() bool {
	for _, in := range p.code {
		switch in.(type) {
		case *withInstr, *forallInstr, *matchInstr, *fix:
			return false
		}
	}
	return true
}

// Always reports whether a check is made in every execution, not only where forall or match come to it.
func (p *Program) Always(k *Constraint) bool { return slices.Contains(p.code, instr(k)) }

// Settled reports whether an event is in a set of the vocabulary from its beginning, or never.
func Settled(set string) bool { return growing[set] == Stable }

// Orders returns the nodes that are transitive closures of unions with po: what may be a happens-before. rest are the
// other parts of the union, without that of Options.Order.
func (p *Program) Orders() (orders []int32, rest [][]int32) {
	for id := range p.nodes {
		inner, ok := p.Plus(int32(id))
		if !ok {
			continue
		}
		var parts []int32
		hasPo := false
		for _, part := range p.UnionOf(inner) {
			switch {
			case p.isBase(part, "po"):
				hasPo = true
			case p.opts.Order != "" && p.isBase(part, p.opts.Order):
			default:
				parts = append(parts, part)
			}
		}
		if hasPo {
			orders, rest = append(orders, int32(id)), append(rest, parts)
		}
	}
	return orders, rest
}

// Plus reports whether a node is a transitive closure, and of which node.
func (p *Program) Plus(id int32) (int32, bool) {
	n := &p.nodes[id]
	return n.a, n.op == opPlus
}

// IsClosure reports whether a node is a transitive closure, by an operator or by a recursive definition.
func (p *Program) IsClosure(id int32) bool {
	n := &p.nodes[id]
	return n.op == opPlus || n.op == opFix && p.closureParts(p.fixes[n.aux]) != nil
}

// UnionOf returns the parts of a node that is a union, or the node.
func (p *Program) UnionOf(id int32) []int32 {
	n := &p.nodes[id]
	if n.op != opUnion {
		return []int32{id}
	}
	return append(p.UnionOf(n.a), p.UnionOf(n.b)...)
}

// Without returns a node for the parts of a union other than a relation of the vocabulary, or the node itself if
// there is none. It does not make new nodes: the union must have been made of that part last.
func (p *Program) Without(id int32, name string) int32 {
	n := &p.nodes[id]
	switch {
	case n.op != opUnion:
	case p.isBase(n.a, name):
		return n.b
	case p.isBase(n.b, name):
		return n.a
	}
	return id
}

// Begin makes x the execution that Holds speaks of.
func (m *Machine) Begin(x *Exec) { m.begin(x, Structure) }

// Holds reports whether what a constraint tests holds in the present execution.
func (m *Machine) Holds(k *Constraint) (ok bool, err error) {
	if e := try(func() { ok = m.holds(k) }); e != nil {
		return false, e
	}
	return ok, nil
}

// Relation returns the relation that a constraint is about, in the present execution. It is valid until the next one.
func (m *Machine) Relation(k *Constraint) *relation.Rel { return m.rel(k.id) }

// RelationOf is Relation for a node.
func (m *Machine) RelationOf(id int32) *relation.Rel { return m.rel(id) }

// Pair returns the first pair of what a constraint is about, or the first event of a set, twice; -1, -1 if it is empty.
func (m *Machine) Pair(k *Constraint) (i, j int) {
	switch m.prog.nodes[k.id].typ {
	case tRel:
		return m.rel(k.id).First()
	case tSet:
		e := m.set(k.id).First()
		return e, e
	}
	return -1, -1
}
