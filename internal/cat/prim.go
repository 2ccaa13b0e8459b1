package cat

import (
	"strings"

	"ravel/internal/relation"
)

// A prim is a function of the language that is not written in it.
type prim struct {
	name string
	// unfold compiles a call to nodes, or returns nil to leave it to run.
	unfold func(c *compiler, arg sval, e *App) sval
	run    func(m *Machine, arg value, e *App) value
}

func (p *prim) String() string { return "<" + p.name + ">" }

var prims map[string]*prim

func init() {
	prims = map[string]*prim{}
	for _, p := range []*prim{
		{"domain", unfoldEnds(opDomain), runEnds((*relation.Set).Domain)},
		{"range", unfoldEnds(opRange), runEnds((*relation.Set).Range)},
		{"linearisations", nil, runLinearisations},
		{"classes-loc", nil, runClassesLoc},
		{"classes", nil, runClasses},
		{"lift", nil, runLift},
		{"delift", nil, runDelift},
		{"deliftinter", nil, runDeliftInter},
		{"bisimulation", nil, runBisimulation},
		{"tag2scope", unfoldTag(func(tag string) string { return tag }), runTag(func(tag string) string { return tag })},
		{"tag2level", unfoldTag(func(tag string) string { return tag }), runTag(func(tag string) string { return tag })},
		{"tag2events", unfoldTag(EventsOfTag), runTag(EventsOfTag)},
		{"tag2fenced", unfoldFenced, runFenced},
		{"fromto", unfoldFromTo, runFromTo},
		{"loc2events", nil, runLoc2Events},
		{"fail", unfoldFail, runFail},
		{"as_transitive", unfoldTransitive, runTransitive},
		{"inter_transitive", nil, runInterTransitive},
		{"different-values", unfoldFilter(differentValues), runFilter(differentValues)},
		{"same-oa", unfoldFilter(sameOA), runFilter(sameOA)},
		{"oa-changes", nil, runWrites(func(x *Exec) func(a, b int) bool { return negate(x.SameOA) })},
		{"at-least-one-writable", nil, runWrites(func(x *Exec) func(a, b int) bool { return x.Writable })},
	} {
		prims[p.name] = p
	}
}

// EventsOfTag is the name of the set of events with a tag: Once for 'once, Rcu-lock for 'rcu-lock.
func EventsOfTag(tag string) string { return strings.ToUpper(tag[:1]) + tag[1:] }

func (c *compiler) applyPrim(p *prim, arg sval, e *App) sval {
	if p.unfold != nil {
		if v := p.unfold(c, arg, e); v != nil {
			return v
		}
	}
	out := c.dyn(e, []sval{arg}, func(m *Machine) value { return p.run(m, m.value(arg), e) })
	if p.name == "classes" || p.name == "classes-loc" {
		c.elems[int32(out.(nodeVal))] = tSet
	}
	return out
}

// args takes an argument for a tuple of n.
func (m *Machine) args(name string, v value, n int, e *App) tuple {
	t, ok := v.(tuple)
	if !ok || len(t) != n {
		m.fail(e.X.At(), "%s takes %d arguments, found %s", name, n, valueType(v))
	}
	return t
}

func unfoldEnds(o op) func(*compiler, sval, *App) sval {
	return func(c *compiler, arg sval, e *App) sval {
		switch arg.(type) {
		case emptyVal, allVal:
			return arg
		}
		r := c.typed(arg, tRel, e.X)
		if c.is(r, opNone) || c.is(r, opAll) {
			return nodeVal(c.constant(c.nodes[r].op, tSet, e))
		}
		return nodeVal(c.unary(o, tSet, r, e))
	}
}

func runEnds(ends func(*relation.Set, *relation.Rel)) func(*Machine, value, *App) value {
	return func(m *Machine, v value, e *App) value {
		switch v.(type) {
		case emptyVal, allVal:
			return v
		}
		s := relation.NewSet(m.x.N)
		ends(s, m.asRel(v, e.X.At()))
		return s
	}
}

// runLinearisations returns the set of all total orders of a set, of events or of classes,
// that contain a relation.
func runLinearisations(m *Machine, v value, e *App) value {
	t := m.args("linearisations", v, 2, e)
	if classes, ok := t[0].(*valSet); ok {
		return m.linearClasses(classes, t[1], e)
	}
	s, r := m.asSet(t[0], e.X.At()), m.asRel(t[1], e.X.At())
	out := &valSet{}
	relation.LinearExtensions(s, r, func(order []int) bool {
		m.step(e.Pos, 1+len(order))
		o := relation.NewRel(m.x.N)
		o.Order(order)
		out.elems = append(out.elems, o)
		return true
	})
	return sortValues(out)
}

func (m *Machine) linearClasses(classes *valSet, v value, e *App) value {
	n := len(classes.elems)
	all, before := relation.NewSet(n), relation.NewRel(n)
	all.All()
	if _, ok := v.(emptyVal); !ok {
		r, ok := v.(*classRel)
		if !ok {
			m.fail(e.X.At(), "linearisations of classes takes a relation over classes, found %s", valueType(v))
		}
		at := func(s *relation.Set) int {
			for i, c := range classes.elems {
				if o, ok := compare(c, s); ok && o == 0 {
					return i
				}
			}
			return -1
		}
		for _, p := range r.pairs {
			if i, j := at(p[0]), at(p[1]); i >= 0 && j >= 0 {
				before.Add(i, j)
			}
		}
	}
	out := &valSet{}
	relation.LinearExtensions(all, before, func(order []int) bool {
		m.step(e.Pos, 1+len(order))
		var pairs []classPair
		for k, i := range order {
			for _, j := range order[k+1:] {
				pairs = append(pairs, classPair{m.asSet(classes.elems[i], e.X.At()), m.asSet(classes.elems[j], e.X.At())})
			}
		}
		out.elems = append(out.elems, makeClassRel(pairs))
		return true
	})
	return sortValues(out)
}

// runClassesLoc partitions a set of events by location. Events without one are in no class.
func runClassesLoc(m *Machine, v value, e *App) value {
	loc, ok := m.prog.voc.rels["loc"]
	if !ok {
		m.fail(e.Pos, "classes-loc: the execution has no relation loc")
	}
	s := m.asSet(v, e.X.At())
	r := relation.NewRel(m.x.N)
	r.RestrictDomain(s, &m.x.Rels[loc])
	r.RestrictRange(r, s)
	return m.classesOf(r)
}

// runClasses returns the classes of an equivalence.
func runClasses(m *Machine, v value, e *App) value { return m.classesOf(m.asRel(v, e.X.At())) }

func (m *Machine) classesOf(r *relation.Rel) value {
	// The classes are the components of the graph, should r not be an equivalence.
	both := relation.NewRel(m.x.N)
	both.Inverse(r)
	both.Union(both, r)
	both.Closure(both)
	seen := relation.NewSet(m.x.N)
	out := &valSet{}
	for i := range m.x.N {
		class := both.From(i)
		if !seen.Has(i) && !class.Empty() {
			seen.Union(seen, &class)
			out.elems = append(out.elems, class.Clone())
		}
	}
	return sortValues(out)
}

// runLift turns a relation over events into one over their classes.
func runLift(m *Machine, v value, e *App) value {
	t := m.args("lift", v, 2, e)
	classes, ok := t[0].(*valSet)
	if !ok && !isEmpty(t[0]) {
		m.fail(e.X.At(), "lift takes a set of classes, found %s", valueType(t[0]))
	}
	of := make([]*relation.Set, m.x.N)
	if classes != nil {
		for _, c := range classes.elems {
			s := m.asSet(c, e.X.At())
			for i := range s.Events() {
				of[i] = s
			}
		}
	}
	var pairs []classPair
	for i, j := range m.asRel(t[1], e.X.At()).Pairs() {
		if of[i] != nil && of[j] != nil {
			pairs = append(pairs, classPair{of[i], of[j]})
		}
	}
	return makeClassRel(pairs)
}

func (m *Machine) asClassRel(v value, e *App) *classRel {
	if isEmpty(v) {
		return &classRel{}
	}
	r, ok := v.(*classRel)
	if !ok {
		m.fail(e.X.At(), "expected a relation over classes, found %s", valueType(v))
	}
	return r
}

// runDelift relates all events of related classes.
func runDelift(m *Machine, v value, e *App) value {
	r, p := relation.NewRel(m.x.N), relation.NewRel(m.x.N)
	for _, c := range m.asClassRel(v, e).pairs {
		p.Product(c[0], c[1])
		r.Union(r, p)
	}
	return r
}

// runDeliftInter is the part of delift in a relation.
func runDeliftInter(m *Machine, v value, e *App) value {
	t := m.args("deliftinter", v, 2, e)
	r := runDelift(m, t[1], e).(*relation.Rel)
	r.Intersect(r, m.asRel(t[0], e.X.At()))
	return r
}

// runBisimulation returns the largest part of the relation eq in which related events have related successors by t.
func runBisimulation(m *Machine, v value, e *App) value {
	args := m.args("bisimulation", v, 2, e)
	t, eq := m.asRel(args[0], e.X.At()), m.asRel(args[1], e.X.At()).Clone()
	follows := func(i, j int, related func(a, b int) bool) bool {
		si, sj := t.From(i), t.From(j)
		for a := range si.Events() {
			found := false
			for b := range sj.Events() {
				found = found || related(a, b)
			}
			if !found {
				return false
			}
		}
		return true
	}
	for changed := true; changed; {
		changed = false
		for i, j := range eq.Clone().Pairs() {
			if !follows(i, j, eq.Has) || !follows(j, i, func(a, b int) bool { return eq.Has(b, a) }) {
				eq.Del(i, j)
				changed = true
			}
		}
	}
	return eq
}

// unfoldTag looks up the initial set or relation that belongs to a tag.
func unfoldTag(nameOf func(string) string) func(*compiler, sval, *App) sval {
	return func(c *compiler, arg sval, e *App) sval {
		t, ok := arg.(tagVal)
		if !ok {
			if c.isDyn(arg) {
				for _, name := range c.voc.Sets {
					c.initial(name)
				}
				for _, name := range c.voc.Rels {
					c.initial(name)
				}
				return nil
			}
			c.fail(e.X.At(), "expected a tag, found %s", c.typeName(arg))
		}
		v := c.initial(nameOf(t.name))
		if v == nil {
			c.fail(e.Pos, "the execution has no %s for '%s", nameOf(t.name), t.name)
		}
		return v.val
	}
}

func runTag(nameOf func(string) string) func(*Machine, value, *App) value {
	return func(m *Machine, v value, e *App) value {
		t, ok := v.(tagVal)
		if !ok {
			m.fail(e.X.At(), "expected a tag, found %s", valueType(v))
		}
		name := nameOf(t.name)
		if i, ok := m.prog.voc.sets[name]; ok {
			return m.x.Sets[i].Clone()
		}
		if i, ok := m.prog.voc.rels[name]; ok {
			return m.x.Rels[i].Clone()
		}
		m.fail(e.Pos, "the execution has no %s for '%s", name, t.name)
		return nil
	}
}

// unfoldFromTo is po;[S];po.
func unfoldFromTo(c *compiler, arg sval, e *App) sval {
	po := c.initial("po")
	if po == nil {
		c.fail(e.Pos, "fromto: the execution has no po")
	}
	r := c.typed(po.val, tRel, e)
	return nodeVal(c.seq(c.resRan(r, c.typed(arg, tSet, e.X), e), r, e))
}

func runFromTo(m *Machine, v value, e *App) value {
	i, ok := m.prog.voc.rels["po"]
	if !ok {
		m.fail(e.Pos, "fromto: the execution has no po")
	}
	po, r := &m.x.Rels[i], relation.NewRel(m.x.N)
	r.RestrictRange(po, m.asSet(v, e.X.At()))
	r.Compose(r, po)
	return r
}

// unfoldFenced is fromto of the events with a tag.
func unfoldFenced(c *compiler, arg sval, e *App) sval {
	v := prims["tag2events"].unfold(c, arg, e)
	if v == nil {
		return nil
	}
	return unfoldFromTo(c, v, e)
}

func runFenced(m *Machine, v value, e *App) value {
	return runFromTo(m, prims["tag2events"].run(m, v, e), e)
}

func runLoc2Events(m *Machine, v value, e *App) value {
	t, ok := v.(tagVal)
	if !ok {
		m.fail(e.X.At(), "loc2events takes a tag, found %s", valueType(v))
	}
	if m.x.AtLoc == nil {
		m.fail(e.Pos, "loc2events: the execution does not name locations")
	}
	s := m.x.AtLoc(t.name)
	return s.Clone()
}

func unfoldFail(c *compiler, arg sval, e *App) sval {
	if t, ok := arg.(tagVal); ok {
		c.fail(e.Pos, "fail: '%s", t.name)
	}
	c.fail(e.Pos, "fail: %s", c.typeName(arg))
	return nil
}

func runFail(m *Machine, v value, e *App) value {
	m.fail(e.Pos, "fail: %s", format(v))
	return nil
}

// unfoldTransitive is r⁺: as_transitive says that r stands for its closure.
func unfoldTransitive(c *compiler, arg sval, e *App) sval {
	return nodeVal(c.closure(opPlus, c.typed(arg, tRel, e.X), e))
}

func runTransitive(m *Machine, v value, e *App) value {
	r := relation.NewRel(m.x.N)
	r.Closure(m.asRel(v, e.X.At()))
	return r
}

func runInterTransitive(m *Machine, v value, e *App) value {
	t := m.args("inter_transitive", v, 2, e)
	r := relation.NewRel(m.x.N)
	r.Closure(m.asRel(t[0], e.X.At()))
	r.Intersect(r, m.asRel(t[1], e.X.At()))
	return r
}

func unfoldFilter(which int32) func(*compiler, sval, *App) sval {
	return func(c *compiler, arg sval, e *App) sval {
		r := c.typed(arg, tRel, e.X)
		return nodeVal(c.node(nodeKey{opFilter, tRel, r, -1, which}, e, c.nodes[r].deps))
	}
}

func runFilter(which int32) func(*Machine, value, *App) value {
	return func(m *Machine, v value, e *App) value {
		r := relation.NewRel(m.x.N)
		m.filter(&node{aux: which, expr: e}, m.asRel(v, e.X.At()), r)
		return r
	}
}

func negate(f func(a, b int) bool) func(a, b int) bool {
	if f == nil {
		return nil
	}
	return func(a, b int) bool { return !f(a, b) }
}

// runWrites keeps the events of a set that a relation relates to just one event, for which a predicate holds.
func runWrites(pred func(*Exec) func(a, b int) bool) func(*Machine, value, *App) value {
	return func(m *Machine, v value, e *App) value {
		name := ExprString(e.F)
		t := m.args(name, v, 2, e)
		ok := pred(m.x)
		if ok == nil {
			m.fail(e.Pos, "%s: the execution does not say", name)
		}
		s, r := m.asSet(t[0], e.X.At()), m.asRel(t[1], e.X.At())
		out := relation.NewSet(m.x.N)
		for w := range s.Events() {
			if next := r.From(w); next.Count() == 1 && ok(w, next.First()) {
				out.Add(w)
			}
		}
		return out
	}
}
