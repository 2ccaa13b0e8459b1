package cat

import (
	"fmt"

	"ravel/internal/relation"
)

// The value of a node is computed when it is first asked for in an execution, and kept: stamp says
// whether it is there. A set or relation is written into the memory of the node, or is a view of the
// memory that it comes from: of the execution, of a value, of the variable of a fixpoint.

func (m *Machine) force(id int32) {
	if m.stamp[id] != m.gens[m.prog.levels[id]] {
		m.compute(id)
		m.mark(id)
	}
}

// mark notes that a node has a value.
func (m *Machine) mark(id int32) { m.stamp[id] = m.gens[m.prog.levels[id]] }

func (m *Machine) set(id int32) *relation.Set {
	m.force(id)
	return &m.sets[id]
}

func (m *Machine) rel(id int32) *relation.Rel {
	m.force(id)
	return &m.rels[id]
}

func (m *Machine) dynamic(id int32) value {
	m.force(id)
	return m.dyns[id]
}

func (m *Machine) compute(id int32) {
	n := &m.prog.nodes[id]
	switch {
	case n.op == opFix:
		m.runFix(m.prog.fixes[n.aux])
	case n.op == opPhi:
		panic(fmt.Sprintf("cat: variable %s is used before it has a value", ExprString(n.expr)))
	case n.typ == tRel:
		m.computeRel(n, id)
	case n.typ == tSet:
		m.computeSet(n, id)
	default:
		m.dyns[id] = m.prog.dyns[n.aux](m)
	}
}

func (m *Machine) computeSet(n *node, id int32) {
	s := &m.sets[id]
	switch n.op {
	case opBase:
		*s = m.x.Sets[n.aux]
		return
	case opAsSet:
		*s = *m.asSet(m.dynamic(n.a), n.expr.At())
		return
	case opNone:
		s.Reset(m.x.N)
		return
	}
	var a, b *relation.Set
	if n.a >= 0 && m.prog.nodes[n.a].typ == tSet {
		a = m.set(n.a)
	}
	if n.b >= 0 {
		b = m.set(n.b)
	}
	var r *relation.Rel
	if n.op == opDomain || n.op == opRange {
		r = m.rel(n.a)
	}
	s.Reset(m.x.N)
	switch n.op {
	case opAll:
		s.All()
	case opUnion:
		s.Union(a, b)
	case opInter:
		s.Intersect(a, b)
	case opDiff:
		s.Minus(a, b)
	case opNot:
		s.Complement(a)
	case opDomain:
		s.Domain(r)
	case opRange:
		s.Range(r)
	default:
		panic(fmt.Sprintf("cat: no set operation %d", n.op))
	}
}

func (m *Machine) computeRel(n *node, id int32) {
	r := &m.rels[id]
	switch n.op {
	case opBase:
		*r = m.x.Rels[n.aux]
	case opAsRel:
		*r = *m.asRel(m.dynamic(n.a), n.expr.At())
	case opNone:
		r.Reset(m.x.N)
	case opAll:
		r.Resize(m.x.N)
		r.All()
	case opID:
		r.Resize(m.x.N)
		r.IdentityAll()
	case opToID:
		s := m.set(n.a)
		r.Resize(m.x.N)
		r.Identity(s)
	case opProduct:
		a, b := m.set(n.a), m.set(n.b)
		r.Resize(m.x.N)
		r.Product(a, b)
	case opResDom:
		s, a := m.set(n.a), m.rel(n.b)
		r.Resize(m.x.N)
		r.RestrictDomain(s, a)
	case opResRan:
		a, s := m.rel(n.a), m.set(n.b)
		r.Resize(m.x.N)
		r.RestrictRange(a, s)
	case opFilter:
		m.filter(n, m.rel(n.a), r)
	case opUnion, opInter, opDiff, opSeq:
		a, b := m.rel(n.a), m.rel(n.b)
		r.Resize(m.x.N)
		switch n.op {
		case opUnion:
			r.Union(a, b)
		case opInter:
			r.Intersect(a, b)
		case opDiff:
			r.Minus(a, b)
		case opSeq:
			r.Compose(a, b)
		}
	default:
		a := m.rel(n.a)
		r.Resize(m.x.N)
		switch n.op {
		case opNot:
			r.Complement(a)
		case opInverse:
			r.Inverse(a)
		case opPlus:
			r.Closure(a)
		case opStar:
			r.Star(a)
		case opOpt:
			r.Opt(a)
		default:
			panic(fmt.Sprintf("cat: no relation operation %d", n.op))
		}
	}
}

// The predicates of opFilter.
const (
	differentValues = iota
	sameOA
)

func (m *Machine) filter(n *node, a, r *relation.Rel) {
	name, keep := "different-values", m.x.SameValue
	if n.aux == sameOA {
		name, keep = "same-oa", m.x.SameOA
	}
	if keep == nil {
		m.fail(n.expr.At(), "%s: the execution does not say", name)
	}
	r.Reset(m.x.N)
	for i, j := range a.Pairs() {
		if keep(i, j) == (n.aux == sameOA) {
			r.Add(i, j)
		}
	}
}

// runFix computes a least fixpoint from empty variables, in Gauss–Seidel order: an equation sees what
// those before it have just found. As in herd it ends when a round adds nothing.
func (m *Machine) runFix(f *fix) {
	p := m.prog
	isSet := func(v int32) bool { return p.nodes[v].typ == tSet }
	for _, v := range f.vars {
		if isSet(v) {
			m.sets[v].Reset(m.x.N)
		} else {
			m.rels[v].Reset(m.x.N)
		}
		m.mark(v)
		m.forget(p.nodes[v].aux)
	}
	failed := false
	for changed := true; changed && !failed; {
		changed = false
		for i, v := range f.vars {
			m.step(f.pos, 1+len(p.users[p.nodes[v].aux]))
			var same bool
			if isSet(v) {
				now := m.set(f.bodies[i])
				changed = changed || !now.SubsetOf(&m.sets[v])
				if same = now.Equal(&m.sets[v]); !same {
					m.sets[v].Copy(now)
				}
			} else {
				now := m.rel(f.bodies[i])
				changed = changed || !now.SubsetOf(&m.rels[v])
				if same = now.Equal(&m.rels[v]); !same {
					m.rels[v].Copy(now)
				}
			}
			if !same {
				m.forget(p.nodes[v].aux)
			}
		}
		failed = f.when != nil && !m.holds(f.when)
	}
	if failed {
		m.failed = append(m.failed, f)
	}
	for i, v := range f.vars {
		m.sets[f.outs[i]], m.rels[f.outs[i]] = m.sets[v], m.rels[v]
		m.mark(f.outs[i])
	}
}
