package cat

import (
	"slices"
	"strings"
)

// An Index says what the names in the text of a model mean, for editors.
type Index struct {
	Uses []Use // in the order of the text
	// Err is a mistake that the model has for every vocabulary, that of the vocabulary which it comes farthest with; nil if there is none.
	Err *Error
}

// A Use is where a file has a name, or names a file.
type Use struct {
	Start, End int // in bytes
	Def        *Definition
}

// A Definition is what a name means, or the file that is included.
type Definition struct {
	Name string
	Pos  Pos    // of the name; Src is nil if it is built in
	Text string // as it could be written
	Type string // a relation, a set of events, a function, …; "" if it is not known
	Doc  string
}

// A Dialect is what Compile needs to know of the tests or programs that a model is for.
type Dialect struct {
	Vocabulary *Vocabulary
	Options    Options
}

// NewIndex reads the names of the file of a model. Types are those of the first dialect that has a type.
func NewIndex(m *Model, dialects []Dialect) *Index {
	r := &indexer{model: m, main: m.File.Src, globals: map[string]*Definition{}, tokens: map[*Source][]token{}, types: map[symbol]string{}}
	ix := &Index{}
	fits := false
	for _, d := range dialects {
		d.Options.types = map[symbol]string{}
		_, err := Compile(m, d.Vocabulary, d.Options)
		e, ok := err.(*Error)
		switch {
		case err == nil:
			fits = true
		case ok && (ix.Err == nil || farther(m, e, ix.Err)):
			ix.Err = e
		}
		for s, t := range d.Options.types {
			if _, ok := r.types[s]; !ok {
				r.types[s] = t
			}
		}
	}
	if fits {
		ix.Err = nil
	}
	r.builtIn(dialects)
	if lib, err := m.find("stdlib.cat", nil); err == nil {
		r.instrs(lib.File.Body, nil)
	}
	r.instrs(m.File.Body, nil)
	ix.Uses = r.uses
	slices.SortFunc(ix.Uses, func(a, b Use) int { return a.Start - b.Start })
	return ix
}

// farther reports whether error a is farther on in the model than b, by where its file leads to it.
func farther(m *Model, a, b *Error) bool { return inFile(m, a).Off > inFile(m, b).Off }

// inFile returns the place of the model's own file that leads to an error.
func inFile(m *Model, e *Error) Pos {
	for _, p := range append([]Pos{e.Pos}, e.Via...) {
		if p.Src == m.File.Src {
			return p
		}
	}
	return Pos{m.File.Src, 0}
}

// Place returns the place of the model's own file that leads to an error.
func (m *Model) Place(e *Error) Pos { return inFile(m, e) }

// At returns the use at an offset, or nil.
func (ix *Index) At(off int) *Use {
	for i := range ix.Uses {
		if u := &ix.Uses[i]; u.Start <= off && off <= u.End {
			return u
		}
	}
	return nil
}

// A symbol is a name and where its definition begins.
type symbol struct {
	place
	name string
}

// typeOf notes names whose types are asked for.
func (c *compiler) typeOf(binds []Bind, env env) {
	if c.untyped == nil {
		c.untyped = map[symbol]*thunk{}
	}
	for _, b := range binds {
		for _, n := range b.Pat.Names {
			if t := c.lookup(env, n); t != nil {
				c.untyped[symbol{b.Pos.place(), n}] = t
			}
		}
	}
}

// forceTypes finds the types out. A name that cannot be evaluated has none.
func (c *compiler) forceTypes() {
	for s, t := range c.untyped {
		if try(func() { c.force(t, Pos{}) }) == nil {
			c.opts.types[s] = c.typeName(t.val)
		}
	}
}

// An indexer resolves names as the compiler does, but in all the code, used or not.
type indexer struct {
	model   *Model
	main    *Source
	globals map[string]*Definition
	types   map[symbol]string
	tokens  map[*Source][]token
	uses    []Use
	depth   int
}

// A scope is the names that are bound inside an instruction or expression.
type scope struct {
	name string
	def  *Definition
	next *scope
}

func (s *scope) with(d *Definition) *scope {
	if d == nil {
		return s
	}
	return &scope{d.Name, d, s}
}

func (r *indexer) builtIn(dialects []Dialect) {
	add := func(name, typ string) {
		if r.globals[name] == nil {
			r.globals[name] = &Definition{Name: name, Type: typ, Doc: builtIn[name]}
		}
	}
	for _, d := range dialects {
		for _, s := range d.Vocabulary.Sets {
			add(s, "a set of events")
		}
		for _, s := range d.Vocabulary.Rels {
			add(s, "a relation")
		}
		for _, s := range d.Options.NoSets {
			add(s, "a set of events")
		}
	}
	add("M", "a set of events")
	add("I", "a set of events")
	add("id", "a relation")
	add("ext", "a relation")
	for p := range prims {
		add(p, "a function")
	}
}

// use notes that there is a name at a place of the file.
func (r *indexer) use(pos Pos, length int, d *Definition) {
	if pos.Src == r.main && d != nil {
		r.uses = append(r.uses, Use{pos.Off, pos.Off + length, d})
	}
}

// find returns where the first token of a kind with a text is, from a place on.
func (r *indexer) find(from Pos, k kind, text string) Pos {
	if from.Src == nil {
		return from
	}
	toks, ok := r.tokens[from.Src]
	if !ok {
		toks, _ = lex(from.Src)
		r.tokens[from.Src] = toks
	}
	i, _ := slices.BinarySearchFunc(toks, from.Off, func(t token, off int) int { return t.off - off })
	for ; i < len(toks); i++ {
		if toks[i].kind == k && toks[i].text == text {
			return Pos{from.Src, toks[i].off}
		}
	}
	return from
}

// define makes a definition of a name that is behind a place; nil for _.
func (r *indexer) define(at Pos, name, text, typ string) *Definition {
	if name == "" {
		return nil
	}
	d := &Definition{Name: name, Pos: r.find(at, kName, name), Text: text, Type: typ}
	if t, ok := r.types[symbol{at.place(), name}]; ok {
		d.Type = t
	}
	r.use(d.Pos, len(name), d)
	return d
}

func (r *indexer) global(d *Definition, in Instr) {
	if d != nil {
		d.Doc = commentBefore(in.At())
		r.globals[d.Name] = d
	}
}

func (r *indexer) lookup(s *scope, name string) *Definition {
	for ; s != nil; s = s.next {
		if s.name == name {
			return s.def
		}
	}
	return r.globals[name]
}

func (r *indexer) instrs(body []Instr, s *scope) {
	for _, in := range body {
		s = r.instr(in, s)
	}
}

// instr returns the scope of what follows; names between instructions are global if s is nil.
func (r *indexer) instr(in Instr, s *scope) *scope {
	bind := func(d *Definition) {
		switch {
		case s == nil:
			r.global(d, in)
		default:
			s = s.with(d)
		}
	}
	switch in := in.(type) {
	case *Let:
		defs := r.defineAll(in.Rec, in.Binds)
		if in.Rec {
			for _, d := range defs {
				bind(d)
			}
		}
		for _, b := range in.Binds {
			r.expr(b.Expr, s)
		}
		if !in.Rec {
			for _, d := range defs {
				bind(d)
			}
		}
		if in.When != nil {
			r.expr(in.When.Expr, s)
		}
	case *Check:
		r.expr(in.Test.Expr, s)
	case *Show:
		for _, item := range in.Items {
			r.expr(item.Expr, s)
		}
	case *Unshow:
		at := in.Pos
		for _, n := range in.Names {
			at = r.find(at, kName, n)
			r.use(at, len(n), r.lookup(s, n))
		}
	case *Include:
		r.include(in)
	case *Procedure:
		d := r.define(in.Pos, in.Name, "procedure "+in.Name+in.Pat.String(), "a procedure")
		bind(d)
		r.instrs(in.Body, r.params(d.Pos, in.Pat, &scope{next: s}))
	case *Call:
		r.use(r.find(in.Pos, kName, in.Name), len(in.Name), r.lookup(s, in.Name))
		r.expr(in.Arg, s)
	case *Enum:
		text := "enum " + in.Name + " = '" + strings.Join(in.Tags, " || '")
		bind(r.define(in.Pos, in.Name, text, "a set of tags"))
		for _, t := range in.Tags {
			d := &Definition{Name: t, Pos: r.find(in.Pos, kTag, t), Text: text, Type: "a tag"}
			r.globals["'"+t] = d
			r.use(d.Pos, 1+len(t), d)
		}
	case *Forall:
		r.expr(in.Expr, s)
		r.instrs(in.Body, (&scope{next: s}).with(r.define(in.Pos, in.Name, "forall "+in.Name+" in "+ExprString(in.Expr), "")))
	case *With:
		r.expr(in.Expr, s)
		bind(r.define(in.Pos, in.Name, "with "+in.Name+" from "+ExprString(in.Expr), ""))
	case *MatchInstr:
		r.expr(in.Expr, s)
		for _, c := range in.Clauses {
			r.instrs(c.Body, s)
		}
		r.instrs(in.Default, s)
	case *IfVariant:
		r.instrs(in.Then, s)
		r.instrs(in.Else, s)
	case *Debug:
		r.expr(in.Expr, s)
	case *Declare:
		for _, a := range in.Args {
			r.expr(a, s)
		}
	}
	return s
}

// include goes on in the file that is included.
func (r *indexer) include(in *Include) {
	m, err := r.model.find(in.File, in.Pos.Src)
	if err != nil || r.depth > 50 {
		return
	}
	d := &Definition{Name: in.File, Pos: Pos{m.File.Src, 0}, Text: "include \"" + in.File + "\"", Type: "a file", Doc: m.File.Title}
	at := r.find(in.Pos, kString, in.File)
	r.use(at, len(in.File)+2, d)
	r.depth++
	r.instrs(m.File.Body, nil)
	r.depth--
}

// defineAll makes the definitions of a let.
func (r *indexer) defineAll(rec bool, binds []Bind) (list []*Definition) {
	for _, b := range binds {
		p := &printer{}
		p.let(rec, []Bind{b})
		for _, n := range b.Pat.Names {
			typ := ""
			if _, ok := b.Expr.(*Fun); ok {
				typ = "a function"
			}
			if d := r.define(b.Pos, n, p.b.String(), typ); d != nil {
				list = append(list, d)
			}
		}
	}
	return list
}

// params binds parameters, which are behind a place.
func (r *indexer) params(at Pos, pat Pat, s *scope) *scope {
	for _, n := range pat.Names {
		if n != "" {
			after := at
			if at.Src != nil {
				after.Off++ // not the function, if it has the name of its parameter
			}
			s = s.with(r.define(after, n, n, "a parameter"))
		}
	}
	return s
}

func (r *indexer) expr(e Expr, s *scope) {
	switch e := e.(type) {
	case *Var:
		r.use(e.Pos, len(e.Name), r.lookup(s, e.Name))
	case *TagLit:
		r.use(e.Pos, 1+len(e.Name), r.globals["'"+e.Name])
	case *SetLit:
		r.exprs(e.Elems, s)
	case *Tuple:
		r.exprs(e.Elems, s)
	case *Unary:
		r.expr(e.X, s)
	case *Binary:
		r.exprs([]Expr{e.X, e.Y}, s)
	case *App:
		r.exprs([]Expr{e.F, e.X}, s)
	case *Fun:
		r.expr(e.Body, r.params(e.Pos, e.Pat, s))
	case *LetIn:
		inner := s
		for _, d := range r.defineAll(e.Rec, e.Binds) {
			inner = inner.with(d)
		}
		for _, b := range e.Binds {
			if e.Rec {
				r.expr(b.Expr, inner)
			} else {
				r.expr(b.Expr, s)
			}
		}
		r.expr(e.Body, inner)
	case *Try:
		r.exprs([]Expr{e.X, e.Else}, s)
	case *If:
		if c, ok := e.Cond.(*Compare); ok {
			r.exprs([]Expr{c.X, c.Y}, s)
		}
		r.exprs([]Expr{e.Then, e.Else}, s)
	case *MatchTag:
		r.expr(e.X, s)
		for _, c := range e.Clauses {
			r.expr(c.Expr, s)
		}
		if e.Default != nil {
			r.expr(e.Default, s)
		}
	case *MatchSet:
		r.exprs([]Expr{e.X, e.Empty}, s)
		inner := s
		for _, n := range []string{e.Pre, e.Elem, e.Rest} {
			inner = inner.with(r.define(e.Pos, n, n, ""))
		}
		r.expr(e.Body, inner)
	}
}

func (r *indexer) exprs(list []Expr, s *scope) {
	for _, e := range list {
		r.expr(e, s)
	}
}

// commentBefore returns the comment that ends right before a place, "" if there is none.
func commentBefore(p Pos) string {
	if p.Src == nil {
		return ""
	}
	before := p.Src.Text[:p.Off]
	text := strings.TrimRight(before, " \t\r\n")
	if strings.Count(before[len(text):], "\n") > 1 || !strings.HasSuffix(text, "*)") {
		return ""
	}
	start := strings.LastIndex(text, "(*")
	if start < 0 {
		return ""
	}
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text[start+2 : len(text)-2])) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, " ")
}

// builtIn says what the names mean that executions define, and the functions of the language.
var builtIn = map[string]string{
	"R":    "The reads, also those of read-modify-writes.",
	"W":    "The writes, initial ones too, and those of read-modify-writes.",
	"M":    "The memory accesses: `R | W`.",
	"F":    "The fences.",
	"IW":   "The initial writes: one for each location.",
	"I":    "The initial writes: an older name of `IW`.",
	"FW":   "The final writes: the last write to each location in coherence order.",
	"NA":   "What is not atomic: everything that has no access mode, as in herd.",
	"A":    "In C the atomic accesses, on AArch64 the acquire accesses, on x86 the locked ones.",
	"Q":    "The accesses of AArch64 that acquire RCpc (LDAPR).",
	"L":    "The release accesses of AArch64 and Arm.",
	"X":    "The accesses of read-modify-writes and the exclusive ones.",
	"EX":   "The exclusive accesses.",
	"RLX":  "The relaxed accesses and fences of C11.",
	"ACQ":  "The acquire accesses and fences of C11.",
	"REL":  "The release accesses and fences of C11.",
	"SC":   "The seq_cst accesses and fences of C11.",
	"RMW":  "The events of read-modify-writes.",
	"CON":  "The consume reads of C11.",
	"O":    "The opaque accesses of Java.",
	"V":    "The volatile accesses of Java.",
	"RA":   "The release and acquire accesses of Java.",
	"Exp":  "The events that instructions ask for explicitly.",
	"NExp": "The events that instructions do not ask for, as those of page tables.",

	"ACQ_REL": "The accesses and fences of C11 that acquire and release.",

	"po":   "Program order: an event is before all later ones of its thread.",
	"rf":   "Reads-from: from a write to each read that gets its value.",
	"co":   "Coherence order: a total order of the writes to each location, initial ones first.",
	"fr":   "From-reads: from a read to the writes that are later in coherence order than the one it reads: `rf^-1; co`.",
	"loc":  "Same location.",
	"int":  "Internal: two events of the same thread.",
	"ext":  "External: two events of different threads.",
	"id":   "The identity: every event with itself.",
	"rmw":  "From the read of a read-modify-write to its write.",
	"amo":  "As `rmw`, of single instructions.",
	"lxsx": "As `rmw`, of a load-exclusive and a store-exclusive.",
	"addr": "Address dependency: from a read to an access whose address depends on it.",
	"data": "Data dependency: from a read to a write whose value depends on it.",
	"ctrl": "Control dependency: from a read to the events after a branch that depends on it.",
	"si":   "Same instance: the parts of one access.",
	"sm":   "The parts of accesses that are single-copy atomic together.",

	"same-instance": "The parts of one access.",

	"domain":         "`domain(r)`: the events that `r` begins at.",
	"range":          "`range(r)`: the events that `r` ends at.",
	"linearisations": "`linearisations(S, r)`: all total orders of `S` that contain `r`.",
	"classes-loc":    "`classes-loc(S)`: the events of `S` by location.",
	"classes":        "`classes(r)`: the classes of the equivalence `r`.",
	"tag2events":     "`tag2events('t)`: the events with the tag.",
	"tag2scope":      "`tag2scope('t)`: the relation of a scope.",
	"fromto":         "`fromto(S)`: pairs of events with an event of `S` between them in program order.",
	"fencerel":       "`fencerel(S)`: pairs of events with an event of `S` between them in program order.",
}
