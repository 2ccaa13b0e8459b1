package cat

import (
	"maps"
	"slices"
	"strings"
)

// A compiler turns the instructions of a model into a Program.
type compiler struct {
	*dag
	prog    *Program
	voc     *Vocabulary
	model   *Model
	opts    Options
	globals map[string][]global
	version int
	base    map[string]*thunk
	tags    map[string]string
	enums   map[string][]string
	dynMemo map[int32]bool
	untyped map[symbol]*thunk // names whose types Options.types asks for
	withs   map[place]typ
	guessed []Pos         // of with whose elements are taken for relations
	elems   map[int32]typ // types of the elements of sets, by their nodes, where known

	inner  int // > 0 inside functions and bodies, whose names are local
	calls  int
	depth  int
	steps  int
	files  []Pos    // the includes we are in
	labels []string // of the calls we are in
}

// Compile compiles a model for executions with the given vocabulary: the standard library first,
// then the bell file if there is one, then the model. An error is an *Error.
func Compile(m *Model, voc *Vocabulary, opts Options) (*Program, error) {
	return compile(m, voc, opts, nil)
}

func compile(m *Model, voc *Vocabulary, opts Options, withs map[place]typ) (p *Program, err error) {
	opts.defaults()
	c := &compiler{
		dag: newDag(), voc: voc, model: m, opts: opts,
		globals: map[string][]global{}, base: map[string]*thunk{},
		tags: map[string]string{}, enums: map[string][]string{}, dynMemo: map[int32]bool{},
		withs: withs, elems: map[int32]typ{},
	}
	c.prog = &Program{
		Name: m.File.Name, Title: m.File.Title, voc: voc, opts: opts, model: m, withs: withs,
		tags: c.tags, enums: c.enums, Bell: Bell{Enums: c.enums, Orders: map[string][][2]string{}},
	}
	c.prog.lookup = c.lookup
	if i, ok := voc.rels[opts.Order]; ok {
		c.order = c.node(nodeKey{opBase, tRel, -1, -1, int32(i)}, &Var{Name: opts.Order})
		c.po = int32(voc.rels["po"])
	}
	if opts.types != nil {
		defer c.forceTypes()
	}
	if e := try(func() {
		env := env{at: 1}
		var code []instr
		lib, err := m.find("stdlib.cat", nil)
		if err != nil {
			c.fail(Pos{}, "%v", err)
		}
		for _, f := range []*Model{lib, opts.Bell, m} {
			if f != nil {
				code, env = c.file(f.File, env, code)
			}
		}
		c.prog.code = code
	}); e != nil {
		for _, f := range slices.Backward(c.files) {
			e.Via = append(e.Via, f)
		}
		if len(c.guessed) > 0 {
			other := maps.Clone(withs)
			if other == nil {
				other = map[place]typ{}
			}
			for _, pos := range c.guessed {
				other[pos.place()] = tDyn
			}
			if p, err := compile(m, voc, opts, other); err == nil {
				return p, nil
			}
		}
		return nil, e
	}
	c.prog.nodes, c.prog.phis, c.prog.names = c.nodes, c.phis, c.names
	c.prog.finish()
	return c.prog, nil
}

// file compiles the instructions of a file and appends them to code.
func (c *compiler) file(f *File, env env, code []instr) ([]instr, env) {
	c.prog.Variants = append(c.prog.Variants, f.variants...)
	return c.instrs(f.Body, env, code)
}

// instrs compiles a list of instructions and appends them to code.
func (c *compiler) instrs(body []Instr, env env, code []instr) ([]instr, env) {
	for _, in := range body {
		code, env = c.instr(in, env, code)
	}
	return code, env
}

// inside compiles a body whose names are not seen outside.
func (c *compiler) inside(body []Instr, env env, code []instr) []instr {
	c.inner++
	defer func() { c.inner-- }()
	code, _ = c.instrs(body, env, code)
	return code
}

func (c *compiler) instr(in Instr, env env, code []instr) ([]instr, env) {
	if c.steps++; c.steps > maxUnfold {
		c.fail(in.At(), "the procedures of this model unfold to more than %d instructions", maxUnfold)
	}
	switch in := in.(type) {
	case *Let:
		if !in.Rec {
			env = c.lets(in.Binds, env)
		} else {
			var w instr
			if env, w = c.rec(in.Pos, in.Binds, in.When, env); w != nil {
				code = append(code, w)
			}
		}
		c.orders(in.Binds, env)
		if c.opts.types != nil && c.inner == 0 {
			c.typeOf(in.Binds, env)
		}
	case *Check:
		if name := c.label(in.Test.Name); name == "" || !slices.Contains(c.opts.Skip, name) {
			k := c.constraint(&in.Test, in.Mode, env)
			c.prog.Checks = append(c.prog.Checks, k)
			code = append(code, k)
		}
	case *Show:
		for _, item := range in.Items {
			var v sval
			// A relation that cannot be shown is not an error: library files show relations that only some executions have.
			if x, ok := item.Expr.(*Var); ok && c.lookup(env, x.Name) == nil {
				continue
			}
			if try(func() { v = c.eval(item.Expr, env) }) != nil {
				continue
			}
			switch v.(type) {
			case nodeVal, emptyVal, allVal:
				code = append(code, &showInstr{item.Name, v, in.Pos})
			}
		}
	case *Unshow:
		code = append(code, &unshowInstr{in.Names})
	case *Include:
		return c.include(in, env, code)
	case *Procedure:
		p := &procVal{in, env}
		env = c.bind(env, in.Name, known(p))
		if in.Rec {
			p.env = env
		}
	case *Call:
		code = c.call(in, env, code)
	case *Enum:
		c.enum(in)
		var all tagSet
		for _, t := range in.Tags {
			all = append(all, tagVal{in.Name, t})
		}
		env = c.bind(env, in.Name, known(sortTags(all)))
	case *Forall:
		code = c.forall(in, env, code)
	case *With:
		return c.with(in, env, code)
	case *MatchInstr:
		return c.matchInstr(in, env, code)
	case *IfVariant:
		if c.variant(in.Cond) {
			return c.instrs(in.Then, env, code)
		}
		return c.instrs(in.Else, env, code)
	case *Debug:
		code = append(code, &debugInstr{c.eval(in.Expr, env), in.Expr.At()})
	case *Declare:
		c.declare(in, env)
	}
	return code, env
}

// label is the name of a check: its own, or that of the innermost call.
func (c *compiler) label(name string) string {
	if name == "" && len(c.labels) > 0 {
		return c.labels[len(c.labels)-1]
	}
	return name
}

func (c *compiler) constraint(t *Test, mode Mode, env env) *Constraint {
	k := &Constraint{Name: c.label(t.Name), Mode: mode, Not: t.Not, Kind: t.Kind, Pos: t.Pos, Expr: t.Expr}
	v := c.eval(t.Expr, env)
	if n, ok := v.(nodeVal); ok && t.Kind == Empty {
		k.id = int32(n) // a set or a value is as good as a relation
	} else {
		k.id = c.typed(v, tRel, t.Expr)
	}
	if mode == Require && c.order >= 0 && k.Kind != Empty && !c.perLocation(k.id) {
		c.prog.nodes = c.nodes
		if k.Kind == Acyclic || c.prog.IsClosure(k.id) {
			k.id = c.ordered(k.id, t.Expr)
		}
	}
	return k
}

// perLocation reports whether a relation is about one location at a time: po & loc, rf, co, fr and their parts and unions.
func (c *compiler) perLocation(id int32) bool { return c.perLocationIn(id, memo{}) }

func (c *compiler) perLocationIn(id int32, seen memo) bool {
	return seen.get(id, func(id int32) bool { return c.isPerLocation(id, seen) })
}

func (c *compiler) isPerLocation(id int32, seen memo) bool {
	n := &c.nodes[id]
	switch n.op {
	case opBase:
		switch c.voc.Rels[n.aux] {
		case "rf", "co", "fr", "loc", "rmw":
			return true
		}
	case opInter:
		return c.perLocationIn(n.a, seen) || c.perLocationIn(n.b, seen)
	case opUnion, opSeq:
		return c.perLocationIn(n.a, seen) && c.perLocationIn(n.b, seen)
	case opDiff, opPlus, opStar, opOpt, opInverse, opResRan:
		return c.perLocationIn(n.a, seen)
	case opResDom:
		return c.perLocationIn(n.b, seen)
	case opNone, opID, opToID:
		return true
	}
	return false
}

func (c *compiler) variant(cond Cond) bool {
	switch cond := cond.(type) {
	case *Variant:
		return slices.Contains(c.opts.Variants, cond.Name)
	case *NotCond:
		return !c.variant(cond.X)
	case *BoolCond:
		if cond.Or {
			return c.variant(cond.X) || c.variant(cond.Y)
		}
		return c.variant(cond.X) && c.variant(cond.Y)
	}
	panic("cat: a condition of another kind")
}

func (c *compiler) include(in *Include, env env, code []instr) ([]instr, env) {
	m, err := c.model.find(in.File, in.Pos.Src)
	if err != nil {
		e, ok := err.(*Error)
		if !ok {
			e = errorf(in.Pos, "%v", err)
		}
		panic(failure{e})
	}
	if len(c.files) > 50 {
		c.fail(in.Pos, "includes nested too deeply")
	}
	c.files = append(c.files, in.Pos)
	code, env = c.file(m.File, env, code)
	c.files = c.files[:len(c.files)-1]
	return code, env
}

func (c *compiler) call(in *Call, env env, code []instr) []instr {
	if slices.Contains(c.opts.Skip, in.As) && in.As != "" || slices.Contains(c.opts.Skip, in.Name) {
		return code
	}
	t := c.lookup(env, in.Name)
	if t == nil {
		c.fail(in.Pos, "unbound procedure %s%s", in.Name, c.suggest(in.Name))
	}
	p, ok := c.force(t, in.Pos).(*procVal)
	if !ok {
		c.fail(in.Pos, "%s is not a procedure but %s", in.Name, c.typeName(t.val))
	}
	inner, ok := c.match(p.def.Pat, c.eval(in.Arg, env), p.env)
	if !ok {
		c.fail(in.Arg.At(), "procedure %s takes %d arguments", in.Name, len(p.def.Pat.Names))
	}
	if c.calls++; c.calls > maxCalls {
		c.fail(in.Pos, "calls nested more than %d deep", maxCalls)
	}
	label := in.As
	if label == "" {
		label = in.Name
	}
	c.labels = append(c.labels, label)
	code = c.inside(p.def.Body, inner, code)
	c.labels = c.labels[:len(c.labels)-1]
	c.calls--
	return code
}

func (c *compiler) enum(in *Enum) {
	for _, t := range in.Tags {
		c.tags[t] = in.Name
	}
	c.enums[in.Name] = in.Tags
}

func (c *compiler) forall(in *Forall, env env, code []instr) []instr {
	v := asTags(c.eval(in.Expr, env))
	switch v := v.(type) {
	case emptyVal:
		return code
	case tagSet:
		for _, t := range v {
			code = c.inside(in.Body, env.with(in.Name, known(t)), code)
		}
		return code
	case nodeVal:
		if c.isDyn(v) {
			phi := c.phi(tDyn, &Var{in.Pos, in.Name})
			body := c.inside(in.Body, env.with(in.Name, known(nodeVal(phi))), nil)
			return append(code, &forallInstr{v, phi, body, in.Pos})
		}
	}
	c.fail(in.Expr.At(), "forall over %s: expected a set of values", c.typeName(v))
	return nil
}

// elemType is the type of the elements of a set, if it can be told.
func (c *compiler) elemType(v sval) (typ, bool) {
	n, ok := v.(nodeVal)
	if !ok {
		return tDyn, true // tags
	}
	t, ok := c.elems[int32(n)]
	return t, ok
}

// with compiles with x from e: the rest of the code is run once for each element. Where their type
// cannot be told, elements are taken for relations: if that is wrong it is found at once
// (Compile) or by a run (Machine.start), and the model is compiled again.
func (c *compiler) with(in *With, env env, code []instr) ([]instr, env) {
	if slices.Contains(c.opts.Given, in.Name) {
		t := c.initial(in.Name)
		if t == nil {
			c.fail(in.Pos, "%s is to be given, but the vocabulary does not have it", in.Name)
		}
		return code, c.bind(env, in.Name, t)
	}
	v := asTags(c.eval(in.Expr, env))
	switch v.(type) {
	case emptyVal, tagSet:
	default:
		if !c.isDyn(v) {
			c.fail(in.Expr.At(), "with … from %s: expected a set of values", c.typeName(v))
		}
	}
	t, ok := c.withs[in.Pos.place()]
	if !ok {
		if t, ok = c.elemType(v); !ok {
			t = tRel
			c.guessed = append(c.guessed, in.Pos)
		}
	}
	at := &Var{in.Pos, in.Name}
	phi := c.phi(t, at)
	c.names[phi] = in.Name
	code = append(code, &withInstr{in.Name, v, phi, in.Pos})
	return code, c.bind(env, in.Name, known(nodeVal(phi)))
}

func (c *compiler) matchInstr(in *MatchInstr, env env, code []instr) ([]instr, env) {
	v := c.eval(in.Expr, env)
	if tag, ok := v.(tagVal); ok {
		for _, cl := range in.Clauses {
			if cl.Tag == tag.name {
				return c.instrs(cl.Body, env, code)
			}
		}
		if !in.HasDef {
			c.fail(in.Pos, "no clause for '%s", tag.name)
		}
		return c.instrs(in.Default, env, code)
	}
	if !c.isDyn(v) {
		c.fail(in.Expr.At(), "match on %s: expected a tag", c.typeName(v))
	}
	m := &matchInstr{src: v, clauses: map[string][]instr{}, hasDef: in.HasDef, pos: in.Pos}
	for _, cl := range in.Clauses {
		m.clauses[cl.Tag] = c.inside(cl.Body, env, nil)
	}
	m.def = c.inside(in.Default, env, nil)
	return append(code, m), env
}

func (c *compiler) declare(in *Declare, env env) {
	d := Declaration{Kind: in.Kind, Default: in.Default}
	for _, a := range in.Args {
		var tags []string
		switch v := asTags(c.eval(a, env)).(type) {
		case tagSet:
			for _, t := range v {
				tags = append(tags, t.name)
			}
		case emptyVal:
		default:
			c.fail(a.At(), "expected a set of tags, found %s", c.typeName(v))
		}
		d.Args = append(d.Args, tags)
	}
	c.prog.Bell.Instructions = append(c.prog.Bell.Instructions, d)
}

// orders notes what functions called narrower and wider say about scopes.
func (c *compiler) orders(binds []Bind, env env) {
	for _, b := range binds {
		if b.Pat.Tuple || b.Pat.Names[0] != "narrower" && b.Pat.Names[0] != "wider" {
			continue
		}
		name := b.Pat.Names[0]
		for _, scope := range c.enums["scopes"] {
			_ = try(func() { // tags without a clause have nothing narrower
				f := c.force(c.lookup(env, name), b.Pos)
				at := &App{Pos: b.Pos, F: &Var{b.Pos, name}, X: &TagLit{b.Pos, scope}}
				if s, ok := asTags(c.apply(f, tagVal{"scopes", scope}, at)).(tagSet); ok {
					for _, t := range s {
						c.prog.Bell.Orders[name] = append(c.prog.Bell.Orders[name], [2]string{scope, t.name})
					}
				}
			})
		}
	}
}

// lets binds the names of a let that is not recursive; nothing is evaluated yet.
func (c *compiler) lets(binds []Bind, env env) env {
	out, top := env, c.inner == 0
	for _, b := range binds {
		t := &thunk{}
		t.eval = func() sval {
			v := c.eval(b.Expr, env)
			if n, ok := v.(nodeVal); ok && !b.Pat.Tuple && top {
				if _, named := c.names[int32(n)]; !named {
					c.names[int32(n)] = b.Pat.Names[0]
				}
			}
			return v
		}
		if !b.Pat.Tuple {
			out = c.bind(out, b.Pat.Names[0], t)
			continue
		}
		for i, name := range b.Pat.Names {
			part := &thunk{}
			part.eval = func() sval {
				v, ok := c.part(c.force(t, b.Pos), i, len(b.Pat.Names))
				if !ok {
					c.fail(b.Expr.At(), "expected a tuple of %d, found %s", len(b.Pat.Names), c.typeName(t.val))
				}
				return v
			}
			out = c.bind(out, name, part)
		}
	}
	return out
}

// suggest returns a hint if there is something to say about a name, or a known one is nearly the same.
func (c *compiler) suggest(name string) string {
	if c.opts.Hint != nil {
		if hint := c.opts.Hint(name); hint != "" {
			return "; " + hint
		}
	}
	best, dist := "", 3
	try1 := func(s string) {
		if d := distance(name, s); d < dist || d == dist && s < best {
			best, dist = s, d
		}
	}
	for s := range c.globals {
		try1(s)
	}
	for _, s := range slices.Concat(c.voc.Sets, c.voc.Rels) {
		try1(s)
	}
	for s := range prims {
		try1(s)
	}
	if best == "" || dist >= len(name) {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is the number of letters to change, insert or delete; 1 if only the case differs.
func distance(a, b string) int {
	if strings.EqualFold(a, b) {
		return 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost++
			}
			prev = row[j+1]
			row[j+1] = min(cost, row[j]+1, prev+1)
		}
	}
	return row[len(b)]
}
