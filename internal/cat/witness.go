package cat

import "ravel/internal/relation"

// A Witness says why a check failed.
type Witness struct {
	// Events is a cycle for acyclic and irreflexive, shortest first: each event is related to the
	// next and the last to the first. For empty it is a pair, or one event of a set.
	Events []int
	// Edges names, for each event, the relation to the next: the part of a union that
	// has the pair, by its name or as written.
	Edges []string
}

// Rel returns the relation that the model calls name, in the evaluation that r is the result of; nil if there is none.
func (r *Result) Rel(name string) *relation.Rel {
	for id, n := range r.m.prog.names {
		if n == name && r.m.prog.nodes[id].typ == tRel {
			return r.m.rel(id)
		}
	}
	return nil
}

// Part names the part of the relation called name that has a pair: "sw" of hb, for example. It is "" if there is no such relation.
func (r *Result) Part(name string, i, j int) string {
	for id, n := range r.m.prog.names {
		if n == name && r.m.prog.nodes[id].typ == tRel {
			return r.m.edge(id, i, j)
		}
	}
	return ""
}

// Witness returns why the failed check does not hold: nil if it is a negated one, where there is nothing
// to point at, or if the execution is consistent.
func (r *Result) Witness() *Witness {
	k := r.Failed
	if k == nil || k.Not {
		return nil
	}
	m, id := r.m, k.id
	n := &m.prog.nodes[id]
	switch n.typ {
	case tSet:
		return &Witness{Events: []int{m.set(id).First()}}
	case tDyn:
		return &Witness{}
	}
	if k.Kind == Empty {
		i, j := m.rel(id).First()
		return &Witness{[]int{i, j}, []string{m.edge(id, i, j)}}
	}
	if n.op == opPlus {
		id = n.a
	} else if k.Kind == Irreflexive {
		i := m.rel(id).Reflexive()
		return m.path(id, i, i)
	}
	w := &Witness{Events: m.rel(id).Cycle()}
	for i, e := range w.Events {
		w.Edges = append(w.Edges, m.edge(id, e, w.Events[(i+1)%len(w.Events)]))
	}
	return w
}

// path shows the steps from i to j in a composition, and one edge in other relations.
func (m *Machine) path(id int32, i, j int) *Witness {
	n := &m.prog.nodes[id]
	switch n.op {
	case opSeq:
		for k := range m.x.N {
			if m.rel(n.a).Has(i, k) && m.rel(n.b).Has(k, j) {
				a, b := m.path(n.a, i, k), m.path(n.b, k, j)
				return &Witness{append(a.Events, b.Events...), append(a.Edges, b.Edges...)}
			}
		}
	case opOpt:
		if i == j {
			return &Witness{}
		}
		return m.path(n.a, i, j)
	}
	return &Witness{[]int{i}, []string{m.edge(id, i, j)}}
}

// edge names the part of a relation that has a pair.
func (m *Machine) edge(id int32, i, j int) string {
	for {
		n := &m.prog.nodes[id]
		switch { // what one step of a closure, or one half of a composition, explains
		case n.op == opPlus && m.rel(n.a).Has(i, j):
			id = n.a
			continue
		case n.op == opSeq && m.rel(n.b).Has(j, j) && m.rel(n.a).Has(i, j):
			id = n.a
			continue
		}
		if n.op == opFix { // its last round says why
			if body := m.prog.fixes[n.aux].bodies[n.b]; m.rel(body).Has(i, j) {
				id = body
				continue
			}
		}
		if name, ok := m.prog.names[id]; ok && n.op != opUnion {
			return name
		}
		switch n.op {
		case opUnion:
			if id = n.a; !m.rel(n.a).Has(i, j) {
				id = n.b
			}
		case opResDom:
			id = n.b
		case opResRan:
			id = n.a
		default:
			return ExprString(n.expr)
		}
	}
}
