package cat

import "slices"

// rec binds the names of a recursive let: functions, and sets and relations, which are least fixpoints.
// The interpreter does the rest. w is the instruction that checks when, or nil.
func (c *compiler) rec(pos Pos, binds []Bind, when *Test, env env) (out env, w instr) {
	var funs, vals []Bind
	tuples := false
	for _, b := range binds {
		if _, ok := b.Expr.(*Fun); ok && !b.Pat.Tuple {
			funs = append(funs, b)
		} else {
			vals = append(vals, b)
			tuples = tuples || b.Pat.Tuple
		}
	}
	if len(vals) == 0 {
		return c.recFuns(funs, env), nil
	}
	var err *Error
	if !tuples {
		var f *fix
		if f, err = c.infer(pos, vals, funs, when, env); err == nil {
			return c.recDone(f, vals, funs, env)
		}
	}
	if when != nil {
		if err == nil {
			c.fail(pos, "when after a let rec of tuples is not supported")
		}
		panic(failure{err})
	}
	return c.recInterpreted(pos, binds, vals, funs, env), nil
}

// infer finds the types of the variables: it takes all for relations and corrects what the
// equations then say, until they agree.
func (c *compiler) infer(pos Pos, vals, funs []Bind, when *Test, env env) (*fix, *Error) {
	types := make([]typ, len(vals))
	for i := range types {
		types[i] = tRel
	}
	for range 2*len(vals) + 1 {
		f, found, err := c.recVals(pos, vals, funs, when, env, types)
		if slices.Equal(found, types) {
			return f, err
		}
		types = found
	}
	return nil, errorf(pos, "these definitions have no types")
}

// recFuns binds recursive functions.
func (c *compiler) recFuns(funs []Bind, env env) env {
	closures := make([]*closure, len(funs))
	for i, b := range funs {
		f := b.Expr.(*Fun)
		closures[i] = &closure{pat: f.Pat, body: f.Body, name: b.Pat.Names[0]}
		env = c.bind(env, b.Pat.Names[0], known(closures[i]))
	}
	for _, f := range closures {
		f.env = env
	}
	return env
}

// recVals compiles the equations with variables of the given types. found are the types of the
// right-hand sides, as far as they have one; err is the first error.
func (c *compiler) recVals(pos Pos, vals, funs []Bind, when *Test, env env, types []typ) (f *fix, found []typ, err *Error) {
	f = &fix{pos: pos}
	var own, deps []int32 // numbers of variables
	c.inner++
	defer func() { c.inner-- }()
	for i, b := range vals {
		id := c.phi(types[i], &Var{b.Pos, b.Pat.Names[0]})
		own = append(own, c.nodes[id].aux)
		f.vars = append(f.vars, id)
		env = env.with(b.Pat.Names[0], known(nodeVal(id)))
	}
	env = c.recFuns(funs, env)
	found = slices.Clone(types)
	for i, b := range vals {
		e := try(func() {
			v := c.eval(b.Expr, env)
			if n, ok := v.(nodeVal); ok && c.nodes[n].typ != tDyn {
				found[i] = c.nodes[n].typ
			}
			f.bodies = append(f.bodies, c.typed(v, found[i], b.Expr))
		})
		if err == nil {
			err = e
		}
	}
	if err != nil || !slices.Equal(found, types) {
		return nil, found, err
	}
	if when != nil {
		if err = try(func() { f.when = c.constraint(when, Require, env) }); err != nil {
			return nil, found, err
		}
	}
	for _, b := range f.bodies {
		deps = merge(deps, c.nodes[b].deps)
	}
	deps = slices.DeleteFunc(slices.Clone(deps), func(d int32) bool { return slices.Contains(own, d) })
	k := int32(len(c.prog.fixes))
	c.prog.fixes = append(c.prog.fixes, f)
	for i, b := range vals {
		id := c.node(nodeKey{opFix, types[i], -1, int32(i), k}, &Var{b.Pos, b.Pat.Names[0]}, deps)
		c.names[id] = b.Pat.Names[0]
		f.outs = append(f.outs, id)
	}
	return f, found, nil
}

// recDone binds the names to the results of the fixpoint.
func (c *compiler) recDone(f *fix, vals, funs []Bind, env env) (env, instr) {
	for i, b := range vals {
		env = c.bind(env, b.Pat.Names[0], known(nodeVal(f.outs[i])))
	}
	env = c.recFuns(funs, env)
	if f.when == nil {
		return env, nil
	}
	c.prog.Checks = append(c.prog.Checks, f.when)
	return env, f
}

// recInterpreted leaves the equations to the interpreter: their result is a tuple.
func (c *compiler) recInterpreted(pos Pos, binds, vals, funs []Bind, env env) env {
	var names []string
	for _, b := range vals {
		for _, n := range b.Pat.Names {
			if n != "" {
				names = append(names, n)
			}
		}
	}
	elems := make([]Expr, len(names))
	for i, n := range names {
		elems[i] = &Var{pos, n}
	}
	all := c.interpreted(&LetIn{pos, true, binds, &Tuple{pos, elems}}, env)
	out := env
	for i, n := range names {
		part, _ := c.part(all, i, len(names))
		out = c.bind(out, n, known(part))
	}
	return c.recFuns(funs, out)
}

// dyn makes a node that f computes when the program runs, from args.
func (c *compiler) dyn(e Expr, args []sval, f func(*Machine) value) sval {
	var deps []int32
	seen := map[any]bool{}
	for _, a := range args {
		deps = merge(deps, c.depsOf(a, seen))
	}
	c.prog.dyns = append(c.prog.dyns, f)
	k := int32(len(c.prog.dyns) - 1)
	return nodeVal(c.node(nodeKey{opDyn, tDyn, -1, -1, k}, e, deps))
}

// interpreted makes a node that the interpreter computes: for matches on sets and whatever else
// the execution decides.
func (c *compiler) interpreted(e Expr, env env) sval {
	deps := c.resolve(e, env, map[any]bool{})
	c.prog.dyns = append(c.prog.dyns, func(m *Machine) value {
		return m.eval(e, renv{base: env, lookup: c.lookup})
	})
	k := int32(len(c.prog.dyns) - 1)
	return nodeVal(c.node(nodeKey{opDyn, tDyn, -1, -1, k}, e, deps))
}

// depsOf returns the variables that a value depends on.
func (c *compiler) depsOf(v sval, seen map[any]bool) (deps []int32) {
	switch v := v.(type) {
	case nodeVal:
		return c.nodes[v].deps
	case tupleVal:
		for _, x := range v {
			deps = merge(deps, c.depsOf(x, seen))
		}
	case *closure:
		if !seen[v] {
			seen[v] = true
			return c.resolve(v.body, v.env, seen)
		}
	}
	return deps
}

// resolve looks up all names of e now, because a program does not change when it runs, and returns the
// variables that they depend on. A name that e binds itself may be looked up for nothing.
func (c *compiler) resolve(e Expr, env env, seen map[any]bool) (deps []int32) {
	walk(e, func(x Expr) {
		v, ok := x.(*Var)
		if !ok {
			return
		}
		t := c.lookup(env, v.Name)
		if t == nil || t.state == busy || seen[t] {
			return
		}
		seen[t] = true
		if try(func() { c.force(t, v.Pos) }) == nil {
			deps = merge(deps, c.depsOf(t.val, seen))
		}
	})
	return deps
}

// walk calls f for e and all expressions in it.
func walk(e Expr, f func(Expr)) {
	f(e)
	binds := func(bs []Bind) {
		for _, b := range bs {
			walk(b.Expr, f)
		}
	}
	switch e := e.(type) {
	case *SetLit:
		for _, x := range e.Elems {
			walk(x, f)
		}
	case *Tuple:
		for _, x := range e.Elems {
			walk(x, f)
		}
	case *Unary:
		walk(e.X, f)
	case *Binary:
		walk(e.X, f)
		walk(e.Y, f)
	case *App:
		walk(e.F, f)
		walk(e.X, f)
	case *Fun:
		walk(e.Body, f)
	case *LetIn:
		binds(e.Binds)
		walk(e.Body, f)
	case *Try:
		walk(e.X, f)
		walk(e.Else, f)
	case *If:
		if cmp, ok := e.Cond.(*Compare); ok {
			walk(cmp.X, f)
			walk(cmp.Y, f)
		}
		walk(e.Then, f)
		walk(e.Else, f)
	case *MatchTag:
		walk(e.X, f)
		for _, cl := range e.Clauses {
			walk(cl.Expr, f)
		}
		if e.Default != nil {
			walk(e.Default, f)
		}
	case *MatchSet:
		walk(e.X, f)
		walk(e.Empty, f)
		walk(e.Body, f)
	}
}
