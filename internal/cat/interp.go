package cat

import (
	"slices"

	"ravel/internal/relation"
)

// The interpreter evaluates the few expressions that compilation leaves: those whose course depends on
// the execution, such as matches on sets of orders. It is slow and allocates.

// An renv is an environment at run time: names bound by the interpreter, then those of the compiler.
type renv struct {
	local  *rframe
	base   env
	lookup func(env, string) *thunk
}

type rframe struct {
	name string
	val  *rthunk
	next *rframe
}

// An rthunk is a let of the interpreter.
type rthunk struct {
	eval func() value
	val  value
	err  *Error
	done bool
}

func (e renv) with(name string, t *rthunk) renv {
	if name != "" {
		e.local = &rframe{name, t, e.local}
	}
	return e
}

func (e renv) bind(name string, v value) renv { return e.with(name, &rthunk{val: v, done: true}) }

func (t *rthunk) force() value {
	if !t.done {
		t.err = try(func() { t.val = t.eval() })
		t.done, t.eval = true, nil
	}
	if t.err != nil {
		panic(failure{t.err})
	}
	return t.val
}

// maxRunDepth bounds the recursion of functions that the interpreter runs.
const maxRunDepth = 100_000

// value is the value of what the compiler knows.
func (m *Machine) value(v sval) value {
	switch v := v.(type) {
	case nodeVal:
		switch m.prog.nodes[v].typ {
		case tSet:
			return m.set(int32(v)).Clone()
		case tRel:
			return m.rel(int32(v)).Clone()
		}
		return m.dynamic(int32(v))
	case tagSet:
		s := &valSet{}
		for _, t := range v {
			s.elems = append(s.elems, t)
		}
		return s
	case tupleVal:
		t := make(tuple, len(v))
		for i, x := range v {
			t[i] = m.value(x)
		}
		return t
	case *closure:
		return &funVal{v.pat, v.body, renv{base: v.env, lookup: m.prog.lookup}}
	}
	return v // {}, _, a tag, a primitive
}

func (m *Machine) eval(e Expr, env renv) value {
	m.step(e.At(), 1)
	if m.depth++; m.depth > maxRunDepth {
		m.fail(e.At(), "functions call themselves more than %d deep", maxRunDepth)
	}
	defer func() { m.depth-- }()
	switch e := e.(type) {
	case *Const:
		if e.Universe {
			return allVal{}
		}
		return relation.NewRel(m.x.N)
	case *Var:
		return m.variable(e, env)
	case *TagLit:
		enum, ok := m.prog.tags[e.Name]
		if !ok {
			m.fail(e.Pos, "tag '%s is not in any enum", e.Name)
		}
		return tagVal{enum, e.Name}
	case *SetLit:
		if len(e.Elems) == 0 {
			return emptyVal{}
		}
		return m.makeSet(m.evalAll(e.Elems, env), e.Pos)
	case *Unary:
		return m.unary(e, m.eval(e.X, env))
	case *Binary:
		x, y := m.eval(e.X, env), m.eval(e.Y, env)
		switch e.Op {
		case Product:
			r := relation.NewRel(m.x.N)
			r.Product(m.asSet(x, e.X.At()), m.asSet(y, e.Y.At()))
			return r
		case Append:
			return m.appendSet(x, y, e)
		case Seq:
			return m.seq(x, y, e)
		}
		return m.boolean(e.Op, x, y, e)
	case *Tuple:
		return tuple(m.evalAll(e.Elems, env))
	case *App:
		f := m.eval(e.F, env)
		return m.apply(f, m.eval(e.X, env), e)
	case *Fun:
		return &funVal{e.Pat, e.Body, env}
	case *LetIn:
		if e.Rec {
			return m.eval(e.Body, m.rec(e, env))
		}
		return m.eval(e.Body, m.lets(e.Binds, env))
	case *Try:
		depth := m.depth
		var v value
		if err := try(func() { v = m.eval(e.X, env) }); err != nil {
			m.depth = depth
			m.step(e.Pos, 1) // the limits still hold
			return m.eval(e.Else, env)
		}
		return v
	case *If:
		return m.eval(pick(m.cond(e.Cond, env), e.Then, e.Else), env)
	case *MatchTag:
		t, ok := m.eval(e.X, env).(tagVal)
		if !ok {
			m.fail(e.X.At(), "match on a value that is not a tag")
		}
		for _, c := range e.Clauses {
			if c.Tag == t.name {
				return m.eval(c.Expr, env)
			}
		}
		if e.Default == nil {
			m.fail(e.Pos, "no clause for '%s", t.name)
		}
		return m.eval(e.Default, env)
	case *MatchSet:
		return m.matchSet(e, env)
	}
	panic("cat: an expression of another kind")
}

func (m *Machine) evalAll(es []Expr, env renv) []value {
	out := make([]value, len(es))
	for i, e := range es {
		out[i] = m.eval(e, env)
	}
	return out
}

func (m *Machine) variable(e *Var, env renv) value {
	for f := env.local; f != nil; f = f.next {
		if f.name == e.Name {
			return f.val.force()
		}
	}
	t := env.lookup(env.base, e.Name)
	if t == nil {
		m.fail(e.Pos, "unbound name %s", e.Name)
	}
	if t.err != nil {
		panic(failure{t.err})
	}
	if t.state != done {
		m.fail(e.Pos, "%s is defined by itself", e.Name)
	}
	return m.value(t.val)
}

// matchSet takes a set apart: its first element and the others, or its middle element and those around it.
func (m *Machine) matchSet(e *MatchSet, env renv) value {
	v := m.eval(e.X, env)
	if t, ok := v.(tagVal); ok {
		v = &valSet{[]value{t}}
	}
	if isEmpty(v) {
		return m.eval(e.Empty, env)
	}
	var pre, elem, rest value
	switch v := v.(type) {
	case *valSet:
		k := 0
		if e.HasPre {
			k = len(v.elems) / 2
		}
		pre, elem, rest = &valSet{v.elems[:k:k]}, v.elems[k], &valSet{v.elems[k+1:]}
	case *relation.Set:
		before, after, k := relation.NewSet(m.x.N), v.Clone(), v.First()
		if e.HasPre {
			for i := range v.Events() {
				if k = i; before.Count() >= v.Count()/2 {
					break
				}
				before.Add(i)
				after.Del(i)
			}
		}
		after.Del(k)
		pre, elem, rest = before, eventVal(k), after
	case *relation.Rel:
		before, after := relation.NewRel(m.x.N), v.Clone()
		i, j := v.First()
		if e.HasPre {
			for a, b := range v.Pairs() {
				if i, j = a, b; before.Count() >= v.Count()/2 {
					break
				}
				before.Add(a, b)
				after.Del(a, b)
			}
		}
		after.Del(i, j)
		pre, elem, rest = before, pairVal{i, j}, after
	default:
		m.fail(e.X.At(), "match on %s: expected a set", valueType(v))
	}
	if e.HasPre {
		env = env.bind(e.Pre, pre)
	}
	return m.eval(e.Body, env.bind(e.Elem, elem).bind(e.Rest, rest))
}

func (m *Machine) lets(binds []Bind, env renv) renv {
	out := env
	for _, b := range binds {
		t := &rthunk{eval: func() value { return m.eval(b.Expr, env) }}
		if !b.Pat.Tuple {
			out = out.with(b.Pat.Names[0], t)
			continue
		}
		for i, name := range b.Pat.Names {
			out = out.with(name, &rthunk{eval: func() value { return m.parts(t.force(), b)[i] }})
		}
	}
	return out
}

func (m *Machine) parts(v value, b Bind) tuple {
	t, ok := v.(tuple)
	if !ok || len(t) != len(b.Pat.Names) {
		m.fail(b.Expr.At(), "expected a tuple of %d, found %s", len(b.Pat.Names), valueType(v))
	}
	return t
}

// rec binds recursive functions and fixpoints, which may be of any type: they begin as {}.
func (m *Machine) rec(e *LetIn, env renv) renv {
	var funs, vals []Bind
	for _, b := range e.Binds {
		if _, ok := b.Expr.(*Fun); ok && !b.Pat.Tuple {
			funs = append(funs, b)
		} else {
			vals = append(vals, b)
		}
	}
	now := make([]value, len(vals))
	for i, b := range vals {
		now[i] = emptyVal{}
		if b.Pat.Tuple {
			now[i] = tuple(slices.Repeat([]value{emptyVal{}}, len(b.Pat.Names)))
		}
	}
	bound := func() renv {
		out := env
		for i, b := range vals {
			if !b.Pat.Tuple {
				out = out.bind(b.Pat.Names[0], now[i])
				continue
			}
			for k, v := range m.parts(now[i], b) {
				out = out.bind(b.Pat.Names[k], v)
			}
		}
		closures := make([]*funVal, len(funs))
		for i, b := range funs {
			f := b.Expr.(*Fun)
			closures[i] = &funVal{pat: f.Pat, body: f.Body}
			out = out.bind(b.Pat.Names[0], closures[i])
		}
		for _, f := range closures {
			f.env = out
		}
		return out
	}
	for changed := len(vals) > 0; changed; {
		changed = false
		m.step(e.Pos, 1)
		for i, b := range vals {
			v := m.eval(b.Expr, bound())
			changed = changed || !m.subset(v, now[i], b.Pos)
			now[i] = v
		}
	}
	return bound()
}

func (m *Machine) apply(f, arg value, e *App) value {
	switch f := f.(type) {
	case *funVal:
		env := f.env
		if !f.pat.Tuple {
			return m.eval(f.body, env.bind(f.pat.Names[0], arg))
		}
		t, ok := arg.(tuple)
		if !ok || len(t) != len(f.pat.Names) {
			m.fail(e.X.At(), "the function takes %d arguments, found %s", len(f.pat.Names), valueType(arg))
		}
		for i, name := range f.pat.Names {
			env = env.bind(name, t[i])
		}
		return m.eval(f.body, env)
	case *prim:
		return f.run(m, arg, e)
	}
	m.fail(e.F.At(), "expected a function, found %s", valueType(f))
	return nil
}

func (m *Machine) cond(c Cond, env renv) bool {
	switch c := c.(type) {
	case *Variant:
		return m.prog.variantOn(c.Name)
	case *NotCond:
		return !m.cond(c.X, env)
	case *BoolCond:
		if c.Or {
			return m.cond(c.X, env) || m.cond(c.Y, env)
		}
		return m.cond(c.X, env) && m.cond(c.Y, env)
	}
	cmp := c.(*Compare)
	x, y := m.eval(cmp.X, env), m.eval(cmp.Y, env)
	switch cmp.Op {
	case "=":
		o, ok := compare(m.concrete(x, y), m.concrete(y, x))
		if !ok {
			m.fail(cmp.Pos, "%s and %s cannot be compared", valueType(x), valueType(y))
		}
		return o == 0
	case "subset":
		return m.subset(x, y, cmp.Pos)
	}
	return m.in(x, y, cmp)
}

// in is membership.
func (m *Machine) in(x, y value, c *Compare) bool {
	if t, ok := x.(tuple); ok && len(t) == 2 {
		a, ok1 := t[0].(eventVal)
		b, ok2 := t[1].(eventVal)
		if ok1 && ok2 {
			x = pairVal{int(a), int(b)}
		}
	}
	switch x := x.(type) {
	case eventVal:
		return m.asSet(y, c.Y.At()).Has(int(x))
	case pairVal:
		return m.asRel(y, c.Y.At()).Has(x[0], x[1])
	}
	switch y := y.(type) {
	case emptyVal:
		return false
	case *valSet:
		return slices.ContainsFunc(y.elems, func(v value) bool {
			o, ok := compare(x, v)
			if !ok {
				m.fail(c.Pos, "%s in a set of %s", valueType(x), valueType(v))
			}
			return o == 0
		})
	}
	m.fail(c.Y.At(), "expected a set, found %s", valueType(y))
	return false
}
