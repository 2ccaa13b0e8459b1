package cat

import (
	"fmt"
	"slices"
	"strings"
)

// An sval is a value at compile time: emptyVal, allVal, nodeVal, tagVal, tagSet, tupleVal, *closure, *prim or
// *procVal. Everything that does not depend on the execution is known then: functions are unfolded
// where they are called, matches on tags, variants and tries are decided. Nodes are left.
type sval any

type (
	emptyVal struct{} // {}: empty, of any type
	allVal   struct{} // _
	nodeVal  int32
	tagVal   struct{ enum, name string }
	tagSet   []tagVal // sorted, not empty
	tupleVal []sval
	closure  struct {
		pat  Pat
		body Expr
		env  env
		name string
	}
	procVal struct {
		def *Procedure
		env env
	}
)

// A failure is the panic that carries an *Error out of the compiler.
type failure struct{ err *Error }

func (c *compiler) fail(pos Pos, format string, args ...any) {
	panic(failure{errorf(pos, format, args...)})
}

// try returns the error of f.
func try(f func()) (err *Error) {
	defer func() {
		if r := recover(); r != nil {
			fail, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = fail.err
		}
	}()
	f()
	return nil
}

// Limits on what the compiler unfolds: a model that is not written to exhaust it stays far below.
const (
	maxUnfold = 4_000_000 // expressions
	maxCalls  = 300       // nested
)

// force evaluates a thunk at most once.
func (c *compiler) force(t *thunk, pos Pos) sval {
	switch t.state {
	case busy:
		c.fail(pos, "a definition that needs itself: write let rec")
	case fresh:
		t.state = busy
		t.err = try(func() { t.val = t.eval() })
		t.state = done
		t.eval = nil
	}
	if t.err != nil {
		panic(failure{t.err})
	}
	return t.val
}

// typeName names the type of a value in messages.
func (c *compiler) typeName(v sval) string {
	switch v := v.(type) {
	case emptyVal:
		return "{}"
	case allVal:
		return "_"
	case nodeVal:
		return "a " + c.nodes[v].typ.String()
	case tagVal:
		return "a tag"
	case tagSet:
		return "a set of tags"
	case tupleVal:
		return "a tuple"
	case *closure, *prim:
		return "a function"
	case *procVal:
		return "a procedure"
	}
	return fmt.Sprintf("%T", v)
}

func (c *compiler) isDyn(v sval) bool {
	n, ok := v.(nodeVal)
	return ok && c.nodes[n].typ == tDyn
}

// typed returns the node of a set or relation that v is or is taken for, of type t.
func (c *compiler) typed(v sval, t typ, e Expr) int32 {
	switch v := v.(type) {
	case emptyVal:
		return c.constant(opNone, t, e)
	case allVal:
		return c.constant(opAll, t, e)
	case nodeVal:
		switch got := c.nodes[v].typ; {
		case got == t:
			return int32(v)
		case got == tDyn && t == tSet:
			return c.unary(opAsSet, tSet, int32(v), e)
		case got == tDyn:
			return c.unary(opAsRel, tRel, int32(v), e)
		}
	}
	c.fail(e.At(), "expected a %v, found %s", t, c.typeName(v))
	return 0
}

// eval evaluates an expression at compile time.
func (c *compiler) eval(e Expr, env env) sval {
	if c.steps++; c.steps > maxUnfold {
		c.fail(e.At(), "the functions of this model unfold to more than %d expressions", maxUnfold)
	}
	if c.depth++; c.depth > 20*maxCalls {
		c.fail(e.At(), "expressions nested too deeply")
	}
	defer func() { c.depth-- }()
	switch e := e.(type) {
	case *Const:
		if e.Universe {
			return allVal{}
		}
		return nodeVal(c.constant(opNone, tRel, e))
	case *Var:
		t := c.lookup(env, e.Name)
		if t == nil {
			c.fail(e.Pos, "unbound name %s%s", e.Name, c.suggest(e.Name))
		}
		return c.force(t, e.Pos)
	case *TagLit:
		enum, ok := c.tags[e.Name]
		if !ok {
			c.fail(e.Pos, "tag '%s is not in any enum", e.Name)
		}
		return tagVal{enum, e.Name}
	case *SetLit:
		return c.setLit(e, env)
	case *Unary:
		return c.evalUnary(e, env)
	case *Binary:
		return c.evalBinary(e, env)
	case *Tuple:
		t := make(tupleVal, len(e.Elems))
		for i, x := range e.Elems {
			t[i] = c.eval(x, env)
		}
		return t
	case *App:
		f := c.eval(e.F, env)
		return c.apply(f, c.eval(e.X, env), e)
	case *Fun:
		return &closure{e.Pat, e.Body, env, ""}
	case *LetIn:
		c.inner++
		defer func() { c.inner-- }()
		if e.Rec {
			env, _ = c.rec(e.Pos, e.Binds, nil, env)
		} else {
			env = c.lets(e.Binds, env)
		}
		return c.eval(e.Body, env)
	case *Try:
		var v sval
		if err := try(func() { v = c.eval(e.X, env) }); err != nil {
			return c.eval(e.Else, env)
		}
		if c.mayFail(v) {
			return c.interpreted(e, env)
		}
		return v
	case *If:
		if cmp, ok := e.Cond.(*Compare); ok {
			if yes, ok := c.compareStatic(cmp, env); ok {
				return c.eval(pick(yes, e.Then, e.Else), env)
			}
			return c.interpreted(e, env)
		}
		return c.eval(pick(c.variant(e.Cond), e.Then, e.Else), env)
	case *MatchTag:
		v := c.eval(e.X, env)
		tag, ok := v.(tagVal)
		if !ok {
			if c.isDyn(v) {
				return c.interpreted(e, env)
			}
			c.fail(e.X.At(), "match on %s: expected a tag", c.typeName(v))
		}
		for _, cl := range e.Clauses {
			if cl.Tag == tag.name {
				return c.eval(cl.Expr, env)
			}
		}
		if e.Default == nil {
			c.fail(e.Pos, "no clause for '%s", tag.name)
		}
		return c.eval(e.Default, env)
	case *MatchSet:
		v := c.eval(e.X, env)
		switch v.(type) {
		case emptyVal:
			return c.eval(e.Empty, env)
		case nodeVal, tagSet:
			return c.interpreted(e, env)
		}
		c.fail(e.X.At(), "match on %s: expected a set", c.typeName(v))
	}
	panic(fmt.Sprintf("cat: no evaluation of %T", e))
}

func pick(yes bool, a, b Expr) Expr {
	if yes {
		return a
	}
	return b
}

// mayFail reports whether computing v may be an error at run time.
func (c *compiler) mayFail(v sval) bool {
	switch v := v.(type) {
	case nodeVal:
		return c.dynamic(int32(v))
	case tupleVal:
		return slices.ContainsFunc(v, c.mayFail)
	}
	return false
}

// dynamic reports whether the interpreter takes part in computing a node.
func (c *compiler) dynamic(id int32) bool {
	if yes, ok := c.dynMemo[id]; ok {
		return yes
	}
	n := c.nodes[id]
	yes := n.op == opDyn || n.op == opFilter ||
		n.op != opFix && (n.a >= 0 && c.dynamic(n.a) || n.b >= 0 && c.dynamic(n.b))
	c.dynMemo[id] = yes
	return yes
}

func (c *compiler) setLit(e *SetLit, env env) sval {
	if len(e.Elems) == 0 {
		return emptyVal{}
	}
	vals := make([]sval, len(e.Elems))
	var tags tagSet
	for i, x := range e.Elems {
		vals[i] = c.eval(x, env)
		switch v := vals[i].(type) {
		case tagVal:
			tags = append(tags, v)
		case allVal:
			c.fail(x.At(), "_ cannot be an element of a set")
		case *closure, *prim, *procVal:
			c.fail(x.At(), "%s cannot be an element of a set", c.typeName(v))
		}
	}
	if len(tags) == len(vals) {
		return sortTags(tags)
	}
	set := c.dyn(e, vals, func(m *Machine) value {
		elems := make([]value, len(vals))
		for i, v := range vals {
			elems[i] = m.value(v)
		}
		return m.makeSet(elems, e.Pos)
	})
	if n, ok := vals[0].(nodeVal); ok {
		c.elems[int32(set.(nodeVal))] = c.nodes[n].typ
	}
	return set
}

func sortTags(s tagSet) sval {
	if len(s) == 0 {
		return emptyVal{}
	}
	s = slices.Clone(s)
	slices.SortFunc(s, func(a, b tagVal) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(s)
}

func (c *compiler) evalUnary(e *Unary, env env) sval {
	v := c.eval(e.X, env)
	switch e.Op {
	case Not:
		switch v := v.(type) {
		case emptyVal:
			return allVal{}
		case allVal:
			return emptyVal{}
		case tagVal:
			return c.notTags(tagSet{v})
		case tagSet:
			return c.notTags(v)
		case nodeVal:
			if c.isDyn(v) {
				return c.dyn(e, []sval{v}, func(m *Machine) value { return m.not(m.value(v), e.Pos) })
			}
			return nodeVal(c.not(c.nodes[v].typ, int32(v), e))
		}
		c.fail(e.X.At(), "expected a set or a relation, found %s", c.typeName(v))
	case ToID:
		return nodeVal(c.toID(c.typed(v, tSet, e.X), e))
	case Inverse:
		switch v.(type) {
		case emptyVal, allVal:
			return v
		}
		if c.isDyn(v) { // a relation over classes or a pair
			return c.dyn(e, []sval{v}, func(m *Machine) value { return m.inverse(m.value(v), e.Pos) })
		}
		return nodeVal(c.inverse(c.typed(v, tRel, e.X), e))
	}
	if _, all := v.(allVal); all {
		return v
	}
	o := [...]op{Star: opStar, Plus: opPlus, Opt: opOpt}[e.Op]
	return nodeVal(c.closure(o, c.typed(v, tRel, e.X), e))
}

// notTags is the complement in the enum of the tags.
func (c *compiler) notTags(s tagSet) sval {
	var rest tagSet
	for _, name := range c.enums[s[0].enum] {
		if t := (tagVal{s[0].enum, name}); !slices.Contains(s, t) {
			rest = append(rest, t)
		}
	}
	return sortTags(rest)
}

// asTags turns a tag into the set of it.
func asTags(v sval) sval {
	if t, ok := v.(tagVal); ok {
		return tagSet{t}
	}
	return v
}

func (c *compiler) evalBinary(e *Binary, env env) sval {
	x, y := c.eval(e.X, env), c.eval(e.Y, env)
	switch e.Op {
	case Product:
		return nodeVal(c.product(c.typed(x, tSet, e.X), c.typed(y, tSet, e.Y), e))
	case Append:
		if _, ok := x.(allVal); ok {
			c.fail(e.X.At(), "_ cannot be an element of a set")
		}
		if _, ok := y.(allVal); ok {
			return y
		}
		if s, ok := y.(tagSet); ok {
			if t, ok := x.(tagVal); ok {
				return sortTags(append(slices.Clone(s), t))
			}
		}
		if _, ok := y.(emptyVal); ok {
			if t, ok := x.(tagVal); ok {
				return tagSet{t}
			}
		}
		c.noFunction(x, e.X)
		c.noFunction(y, e.Y)
		return c.dyn(e, []sval{x, y}, func(m *Machine) value { return m.appendSet(m.value(x), m.value(y), e) })
	case Seq:
		if c.isDyn(x) && c.isDyn(y) { // perhaps relations over classes
			return c.dyn(e, []sval{x, y}, func(m *Machine) value { return m.seq(m.value(x), m.value(y), e) })
		}
		for _, v := range []sval{x, y} {
			if _, ok := v.(emptyVal); ok {
				return emptyVal{}
			}
		}
		return nodeVal(c.seq(c.typed(x, tRel, e.X), c.typed(y, tRel, e.Y), e))
	}
	return c.boolean(e, asTags(x), asTags(y))
}

func (c *compiler) noFunction(v sval, e Expr) {
	switch v.(type) {
	case *closure, *prim, *procVal:
		c.fail(e.At(), "%s cannot be in a set", c.typeName(v))
	}
}

// boolean is |, & and \, which are defined on sets of all kinds and on relations.
func (c *compiler) boolean(e *Binary, x, y sval) sval {
	if v, ok := polymorphic(e.Op, x, y); ok {
		return v
	}
	if xs, ok := x.(tagSet); ok {
		switch y := y.(type) {
		case tagSet:
			return tagOp(e.Op, xs, y)
		case allVal: // \ and & are left
			return emptyVal{}
		}
	}
	if _, ok := x.(allVal); ok {
		if s, ok := y.(tagSet); ok && e.Op == Diff {
			return c.notTags(s)
		}
	}
	t, ok := c.common(x, y)
	if !ok {
		c.fail(e.Pos, "%s and %s in %s", c.typeName(x), c.typeName(y),
			[...]string{Union: "a union", Inter: "an intersection", Diff: "a difference"}[e.Op])
	}
	if t == tDyn {
		return c.dyn(e, []sval{x, y}, func(m *Machine) value { return m.boolean(e.Op, m.value(x), m.value(y), e) })
	}
	a, b := c.typed(x, t, e.X), c.typed(y, t, e.Y)
	switch e.Op {
	case Union:
		return nodeVal(c.union(t, a, b, e))
	case Inter:
		return nodeVal(c.inter(t, a, b, e))
	}
	return nodeVal(c.diff(t, a, b, e))
}

// polymorphic is what {} and _ decide whatever the other operand is.
func polymorphic(o BinaryOp, x, y sval) (sval, bool) {
	_, noX := x.(emptyVal)
	_, noY := y.(emptyVal)
	_, allX := x.(allVal)
	_, allY := y.(allVal)
	switch {
	case o == Union && (allX || allY):
		return allVal{}, true
	case o == Union && noX, o == Inter && allX:
		return y, true
	case o == Union && noY, o == Inter && allY, o == Diff && noY:
		return x, true
	case o == Inter && (noX || noY), o == Diff && (noX || allY):
		return emptyVal{}, true
	}
	return nil, false
}

// common is the type in which x and y are combined.
func (c *compiler) common(x, y sval) (typ, bool) {
	one := func(v sval) (t typ, known, ok bool) {
		switch v := v.(type) {
		case nodeVal:
			return c.nodes[v].typ, c.nodes[v].typ != tDyn, true
		case tagSet:
			return tDyn, false, true
		case allVal, emptyVal:
			return tDyn, false, true
		}
		return 0, false, false
	}
	tx, knownX, okX := one(x)
	ty, knownY, okY := one(y)
	_, tagsX := x.(tagSet)
	_, tagsY := y.(tagSet)
	switch {
	case !okX || !okY || knownX && knownY && tx != ty || knownX && tagsY || knownY && tagsX:
		return 0, false
	case knownX:
		return tx, true
	}
	return ty, true
}

func tagOp(o BinaryOp, x, y tagSet) sval {
	var out tagSet
	if o == Union {
		out = append(slices.Clone(x), y...)
	} else {
		for _, t := range x {
			if slices.Contains(y, t) == (o == Inter) {
				out = append(out, t)
			}
		}
	}
	return sortTags(out)
}

// compareStatic decides a comparison that does not depend on the execution.
func (c *compiler) compareStatic(e *Compare, env env) (yes, ok bool) {
	x, y := c.eval(e.X, env), c.eval(e.Y, env)
	if e.Op == "in" {
		t, ok1 := x.(tagVal)
		s, ok2 := asTags(y).(tagSet)
		if _, none := y.(emptyVal); none && ok1 {
			return false, true
		}
		return ok1 && ok2 && slices.Contains(s, t), ok1 && ok2
	}
	static := func(v sval) (tagSet, bool) {
		switch v := asTags(v).(type) {
		case emptyVal:
			return nil, true
		case tagSet:
			return v, true
		}
		return nil, false
	}
	s, ok1 := static(x)
	t, ok2 := static(y)
	if !ok1 || !ok2 {
		return false, false
	}
	if e.Op == "=" {
		return slices.Equal(s, t), true
	}
	return !slices.ContainsFunc(s, func(v tagVal) bool { return !slices.Contains(t, v) }), true
}

// apply calls a function.
func (c *compiler) apply(f, arg sval, e *App) sval {
	switch f := f.(type) {
	case *closure:
		if c.calls++; c.calls > maxCalls {
			c.fail(e.Pos, "calls nested more than %d deep", maxCalls)
		}
		defer func() { c.calls-- }()
		c.inner++
		defer func() { c.inner-- }()
		env, ok := c.match(f.pat, arg, f.env)
		if !ok {
			c.fail(e.X.At(), "the function takes %d arguments, found %s", len(f.pat.Names), c.typeName(arg))
		}
		var v sval
		if err := try(func() { v = c.eval(f.body, env) }); err != nil {
			panic(failure{err.via(e.F.At())})
		}
		return v
	case *prim:
		return c.applyPrim(f, arg, e)
	case nodeVal:
		if c.isDyn(f) {
			return c.dyn(e, []sval{f, arg}, func(m *Machine) value { return m.apply(m.value(f), m.value(arg), e) })
		}
	}
	c.fail(e.F.At(), "expected a function, found %s", c.typeName(f))
	return nil
}

// match binds the names of a pattern to the parts of v.
func (c *compiler) match(pat Pat, v sval, e env) (env, bool) {
	if !pat.Tuple {
		return e.with(pat.Names[0], known(v)), true
	}
	for i, name := range pat.Names {
		part, ok := c.part(v, i, len(pat.Names))
		if !ok {
			return e, false
		}
		e = e.with(name, known(part))
	}
	if t, ok := v.(tupleVal); ok && len(t) != len(pat.Names) {
		return e, false
	}
	return e, true
}

// part is component i of a tuple with n of them.
func (c *compiler) part(v sval, i, n int) (sval, bool) {
	if t, ok := v.(tupleVal); ok {
		if len(t) != n {
			return nil, false
		}
		return t[i], true
	}
	if !c.isDyn(v) {
		return nil, false
	}
	e := c.nodes[v.(nodeVal)].expr
	return c.dyn(e, []sval{v}, func(m *Machine) value {
		t, ok := m.value(v).(tuple)
		if !ok || len(t) != n {
			m.fail(e.At(), "expected a tuple of %d", n)
		}
		return t[i]
	}), true
}
