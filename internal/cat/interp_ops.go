package cat

import (
	"slices"

	"ravel/internal/relation"
)

// asSet takes a value for a set of events.
func (m *Machine) asSet(v value, pos Pos) *relation.Set {
	switch v := v.(type) {
	case *relation.Set:
		return v
	case emptyVal:
		return relation.NewSet(m.x.N)
	case allVal:
		s := relation.NewSet(m.x.N)
		s.All()
		return s
	case eventVal:
		return relation.NewSet(m.x.N, int(v))
	}
	m.fail(pos, "expected a set of events, found %s", valueType(v))
	return nil
}

// asRel takes a value for a relation.
func (m *Machine) asRel(v value, pos Pos) *relation.Rel {
	switch v := v.(type) {
	case *relation.Rel:
		return v
	case emptyVal:
		return relation.NewRel(m.x.N)
	case allVal:
		r := relation.NewRel(m.x.N)
		r.All()
		return r
	case pairVal:
		return relation.NewRel(m.x.N, v)
	}
	m.fail(pos, "expected a relation, found %s", valueType(v))
	return nil
}

// concrete replaces _ by all events or all pairs, as the other value demands.
func (m *Machine) concrete(v, other value) value {
	if _, ok := v.(allVal); ok {
		switch other.(type) {
		case *relation.Set:
			return m.asSet(v, Pos{})
		case *relation.Rel:
			return m.asRel(v, Pos{})
		}
	}
	return v
}

// makeSet makes the set of the given values: of events, of pairs, or of values of one type.
func (m *Machine) makeSet(elems []value, pos Pos) value {
	var out value = emptyVal{}
	for _, v := range elems {
		out = m.insert(v, out, pos)
	}
	return out
}

func (m *Machine) appendSet(x, y value, e *Binary) value { return m.insert(x, y, e.Pos) }

// insert is x ++ y.
func (m *Machine) insert(x, y value, pos Pos) value {
	if _, ok := x.(allVal); ok {
		m.fail(pos, "_ cannot be an element of a set")
	}
	switch y := y.(type) {
	case allVal:
		return y
	case emptyVal:
		switch x := x.(type) {
		case eventVal:
			return relation.NewSet(m.x.N, int(x))
		case pairVal:
			return relation.NewRel(m.x.N, x)
		case *funVal, *prim:
			m.fail(pos, "functions cannot be in a set")
		}
		return &valSet{[]value{x}}
	case *relation.Set:
		if x, ok := x.(eventVal); ok {
			s := y.Clone()
			s.Add(int(x))
			return s
		}
	case *relation.Rel:
		if t, ok := x.(tuple); ok && len(t) == 2 {
			a, ok1 := t[0].(eventVal)
			b, ok2 := t[1].(eventVal)
			if ok1 && ok2 {
				x = pairVal{int(a), int(b)}
			}
		}
		if x, ok := x.(pairVal); ok {
			r := y.Clone()
			r.Add(x[0], x[1])
			return r
		}
	case *valSet:
		m.step(pos, 1+len(y.elems)/16)
		i, found := slices.BinarySearchFunc(y.elems, x, func(v, x value) int {
			o, ok := compare(v, x)
			if !ok {
				m.fail(pos, "%s in a set with %s", valueType(x), valueType(v))
			}
			return o
		})
		if found {
			return y
		}
		return &valSet{slices.Insert(slices.Clone(y.elems), i, x)}
	}
	m.fail(pos, "%s cannot be added to %s", valueType(x), valueType(y))
	return nil
}

func (m *Machine) unary(e *Unary, v value) value {
	switch e.Op {
	case Not:
		return m.not(v, e.X.At())
	case Inverse:
		return m.inverse(v, e.X.At())
	case ToID:
		r := relation.NewRel(m.x.N)
		r.Identity(m.asSet(v, e.X.At()))
		return r
	}
	if _, ok := v.(allVal); ok {
		return v
	}
	a, r := m.asRel(v, e.X.At()), relation.NewRel(m.x.N)
	switch e.Op {
	case Star:
		r.Star(a)
	case Plus:
		r.Closure(a)
	case Opt:
		r.Opt(a)
	}
	return r
}

func (m *Machine) not(v value, pos Pos) value {
	switch v := v.(type) {
	case emptyVal:
		return allVal{}
	case allVal:
		return emptyVal{}
	case *relation.Set:
		s := relation.NewSet(m.x.N)
		s.Complement(v)
		return s
	case *relation.Rel:
		r := relation.NewRel(m.x.N)
		r.Complement(v)
		return r
	case tagVal:
		return m.not(&valSet{[]value{v}}, pos)
	case *valSet:
		if all := m.universe(v, pos); all != nil {
			return m.boolean(Diff, all, v, &Binary{Pos: pos})
		}
		return emptyVal{}
	}
	m.fail(pos, "expected a set or a relation, found %s", valueType(v))
	return nil
}

// universe is the set of all tags of the enum that those of s are from; nil if s is empty.
func (m *Machine) universe(s *valSet, pos Pos) value {
	if len(s.elems) == 0 {
		return nil
	}
	t, ok := s.elems[0].(tagVal)
	if !ok {
		m.fail(pos, "a set of values has no complement")
	}
	var out value = emptyVal{}
	for _, name := range m.prog.enums[t.enum] {
		out = m.insert(tagVal{t.enum, name}, out, pos)
	}
	return out
}

func (m *Machine) inverse(v value, pos Pos) value {
	switch v := v.(type) {
	case emptyVal, allVal:
		return v
	case pairVal:
		return pairVal{v[1], v[0]}
	case *classRel:
		var pairs []classPair
		for _, p := range v.pairs {
			pairs = append(pairs, classPair{p[1], p[0]})
		}
		return makeClassRel(pairs)
	}
	r := relation.NewRel(m.x.N)
	r.Inverse(m.asRel(v, pos))
	return r
}

func (m *Machine) seq(x, y value, e *Binary) value {
	cx, ok1 := x.(*classRel)
	cy, ok2 := y.(*classRel)
	if ok1 && ok2 {
		var pairs []classPair
		for _, p := range cx.pairs {
			for _, q := range cy.pairs {
				if p[1].Equal(q[0]) {
					pairs = append(pairs, classPair{p[0], q[1]})
				}
			}
		}
		m.step(e.Pos, len(cx.pairs)*len(cy.pairs))
		return makeClassRel(pairs)
	}
	for _, v := range []value{x, y} {
		if _, ok := v.(emptyVal); ok {
			return v
		}
	}
	r := relation.NewRel(m.x.N)
	r.Compose(m.asRel(x, e.X.At()), m.asRel(y, e.Y.At()))
	return r
}

// boolean is |, & and \.
func (m *Machine) boolean(o BinaryOp, x, y value, e *Binary) value {
	x, y = plural(x, m.x.N), plural(y, m.x.N)
	if v, ok := polymorphic(o, x, y); ok {
		return v
	}
	x, y = m.concrete(x, y), m.concrete(y, x)
	if _, ok := x.(allVal); ok {
		if s, ok := y.(*valSet); ok && len(s.elems) > 0 {
			x = m.universe(s, e.Pos)
		}
	}
	switch x := x.(type) {
	case *relation.Set:
		if y, ok := y.(*relation.Set); ok {
			s := relation.NewSet(m.x.N)
			[...]func(a, b *relation.Set){Union: s.Union, Inter: s.Intersect, Diff: s.Minus}[o](x, y)
			return s
		}
	case *relation.Rel:
		if y, ok := y.(*relation.Rel); ok {
			r := relation.NewRel(m.x.N)
			[...]func(a, b *relation.Rel){Union: r.Union, Inter: r.Intersect, Diff: r.Minus}[o](x, y)
			return r
		}
	case *valSet:
		if y, ok := y.(*valSet); ok {
			return m.setOp(o, x, y, e.Pos)
		}
	case *classRel:
		if y, ok := y.(*classRel); ok {
			return classOp(o, x, y)
		}
	}
	m.fail(e.Pos, "%s and %s in one set operation", valueType(x), valueType(y))
	return nil
}

// plural turns single tags, events and pairs into sets.
func plural(v value, n int) value {
	switch v := v.(type) {
	case tagVal:
		return &valSet{[]value{v}}
	case eventVal:
		return relation.NewSet(n, int(v))
	case pairVal:
		return relation.NewRel(n, v)
	}
	return v
}

func (m *Machine) setOp(o BinaryOp, x, y *valSet, pos Pos) value {
	if o == Union {
		var out value = x
		for _, v := range y.elems {
			out = m.insert(v, out, pos)
		}
		return out
	}
	out := &valSet{}
	for _, v := range x.elems {
		_, found := slices.BinarySearchFunc(y.elems, v, func(a, b value) int {
			order, ok := compare(a, b)
			if !ok {
				m.fail(pos, "a set of %s and a set of %s", valueType(b), valueType(a))
			}
			return order
		})
		if found == (o == Inter) {
			out.elems = append(out.elems, v)
		}
	}
	return out
}

func classOp(o BinaryOp, x, y *classRel) value {
	if o == Union {
		return makeClassRel(slices.Concat(x.pairs, y.pairs))
	}
	return &classRel{slices.DeleteFunc(slices.Clone(x.pairs), func(p classPair) bool {
		_, found := slices.BinarySearchFunc(y.pairs, p, comparePairs)
		return found != (o == Inter)
	})}
}

// subset is inclusion.
func (m *Machine) subset(x, y value, pos Pos) bool {
	x, y = plural(x, m.x.N), plural(y, m.x.N)
	x, y = m.concrete(x, y), m.concrete(y, x)
	if tx, ok := x.(tuple); ok { // of a fixpoint
		ty, ok := y.(tuple)
		if !ok || len(tx) != len(ty) {
			m.fail(pos, "%s and %s cannot be compared", valueType(x), valueType(y))
		}
		for i := range tx {
			if !m.subset(tx[i], ty[i], pos) {
				return false
			}
		}
		return true
	}
	if isEmpty(x) {
		return true
	}
	if _, ok := y.(allVal); ok {
		return true
	}
	if isEmpty(y) {
		if r := rank(x); r == 1 || r == 2 || r == 6 || r == 7 || r == 10 {
			return false
		}
	}
	switch x := x.(type) {
	case *relation.Set:
		if y, ok := y.(*relation.Set); ok {
			return x.SubsetOf(y)
		}
	case *relation.Rel:
		if y, ok := y.(*relation.Rel); ok {
			return x.SubsetOf(y)
		}
	case *valSet, *classRel:
		if rank(x) == rank(y) {
			return isEmpty(m.boolean(Diff, x, y, &Binary{Pos: pos}))
		}
	}
	m.fail(pos, "%s and %s cannot be compared", valueType(x), valueType(y))
	return false
}
