package cat

import (
	"slices"
	"strings"
)

// What a model chooses (with … from) and the last writes (FW) are known of complete executions only. A model that is weaker than another one, and does not look at these, is known of all.

// Flat returns the model with the text of the files that it includes in their places, and of its branches those that are taken if no variant is on. It is nil if it has other instructions than definitions,
// constraints and choices.
func (m *Model) Flat() *Model {
	body, ok := m.flatten(0)
	if !ok {
		return nil
	}
	f := *m.File
	f.Body = body
	return &Model{&f, m.dirs}
}

func (m *Model) flatten(depth int) (out []Instr, ok bool) {
	if depth > 50 {
		return nil, false
	}
	var walk func(body []Instr) bool
	walk = func(body []Instr) bool {
		for _, in := range body {
			switch in := in.(type) {
			case *Let, *Check, *With:
				out = append(out, in)
			case *Include:
				f, err := m.find(in.File, m.File.Src)
				if err != nil {
					return false
				}
				inner, ok := f.flatten(depth + 1)
				if !ok {
					return false
				}
				out = append(out, inner...)
			case *IfVariant:
				on, ok := off(in.Cond)
				branch := in.Else
				if on {
					branch = in.Then
				}
				if !ok || !walk(branch) {
					return false
				}
			case *Show, *Unshow, *Procedure: // it is not called
			default:
				return false
			}
		}
		return true
	}
	ok = walk(m.File.Body)
	return out, ok
}

// off decides a condition if no variant is on.
func off(c Cond) (on, ok bool) {
	switch c := c.(type) {
	case *Variant:
		return false, true
	case *NotCond:
		on, ok = off(c.X)
		return !on, ok
	case *BoolCond:
		x, ok := off(c.X)
		y, ok2 := off(c.Y)
		return c.Or && (x || y) || x && y, ok && ok2
	}
	return false, false
}

// Speaks reports whether the flat model has one of these names in a definition or a constraint.
func (m *Model) Speaks(names ...string) bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	for _, in := range m.File.Body {
		switch in := in.(type) {
		case *Let:
			if slices.ContainsFunc(in.Binds, func(b Bind) bool { return uses(b.Expr, set) }) {
				return true
			}
		case *Check:
			if uses(in.Test.Expr, set) {
				return true
			}
		case *With:
			if set[in.Name] || uses(in.Expr, set) {
				return true
			}
		}
	}
	return false
}

// Weaken returns the flat model in which all that it chooses is empty and, unless last, FW, too. It is nil if it was not shown to be weaker: something that is taken away, complemented, compared or matched may depend on these.
// What is given is not chosen. The relation called name is made a flag of that name.
//
// Lemma. Every execution that m allows is one of the weaker model.
//
// Proof. Let m allow an execution by some choices. The relations of its constraints are monotone in these and in FW, so those of the weaker model are parts of them. A part of a relation that is
// acyclic, irreflexive or empty is so, too. ∎
func (m *Model) Weaken(name string, last bool, given ...string) *Model {
	w := &weakening{varies: map[string]bool{"FW": true}, funs: map[string]*Fun{}}
	var at Pos
	var body []Instr
	for _, in := range m.File.Body {
		at = in.At()
		switch x := in.(type) {
		case *Let:
			if x.When != nil || !w.lets(x.Binds) {
				return nil
			}
		case *Check:
			if varies, ok := w.expr(x.Test.Expr); !ok || x.Mode != Require || varies && x.Test.Not {
				return nil
			}
		case *With:
			if !slices.Contains(given, x.Name) {
				w.varies[x.Name] = true
				in = &Let{Pos: at, Binds: []Bind{{at, Pat{Names: []string{x.Name}}, &Const{Pos: at}}}}
			}
		}
		body = append(body, in)
	}
	set := func(name string) Expr { return &Var{at, name} }
	none := &Let{Pos: at, Binds: []Bind{{at, Pat{Names: []string{"FW"}}, &Binary{at, Diff, set("W"), set("W")}}}}
	f := *m.File
	if f.Body = body; !last {
		f.Body = append([]Instr{none}, body...)
	}
	f.Body = append(f.Body, &Check{at, Flag, Test{Pos: at, Not: true, Kind: Empty, Expr: set(name), Name: name}})
	return &Model{&f, m.dirs}
}

// A weakening knows what of a model may depend on choices and on FW.
type weakening struct {
	varies map[string]bool // names; they stay here if they are defined again
	funs   map[string]*Fun
}

// lets takes note of definitions. It reports whether they are monotone.
func (w *weakening) lets(binds []Bind) bool {
	for again := true; again; { // they may be recursive
		again = false
		for _, b := range binds {
			if f, ok := b.Expr.(*Fun); ok && len(b.Pat.Names) == 1 {
				if old := w.funs[b.Pat.Names[0]]; old != nil && old != f {
					return false // others may call the old one
				}
				w.funs[b.Pat.Names[0]] = f
				if uses(f.Body, w.varies) {
					return false // what it returns would vary with what it is not given
				}
				continue
			}
			varies, ok := w.expr(b.Expr)
			if !ok {
				return false
			}
			for _, name := range b.Pat.Names {
				delete(w.funs, name)
				if varies && !w.varies[name] {
					w.varies[name], again = true, true
				}
			}
		}
	}
	return true
}

// expr reports whether an expression may vary, and whether it is monotone in what does.
func (w *weakening) expr(e Expr) (varies, ok bool) {
	if !uses(e, w.varies) {
		return false, true
	}
	switch e := e.(type) {
	case *Var:
		return true, true
	case *Unary:
		_, ok := w.expr(e.X)
		return true, ok && e.Op != Not
	case *Binary:
		_, ok := w.expr(e.X)
		taken, ok2 := w.expr(e.Y)
		return true, ok && ok2 && !(e.Op == Diff && taken)
	case *Tuple:
		for _, x := range e.Elems {
			if _, ok := w.expr(x); !ok {
				return true, false
			}
		}
		return true, true
	case *App:
		return true, w.app(e)
	}
	return true, false
}

// app reports whether an application is monotone in what varies.
func (w *weakening) app(e *App) bool {
	f, ok := e.F.(*Var)
	if !ok {
		return false
	}
	if _, ok := w.expr(e.X); !ok {
		return false
	}
	fun := w.funs[f.Name]
	if fun == nil {
		return f.Name == "domain" || f.Name == "range"
	}
	inner := &weakening{varies: map[string]bool{}, funs: w.funs}
	for _, name := range fun.Pat.Names {
		inner.varies[name] = true
	}
	_, ok = inner.expr(fun.Body)
	return ok
}

// uses reports whether an expression has one of the names.
func uses(e Expr, names map[string]bool) bool {
	any := func(es ...Expr) bool {
		return slices.ContainsFunc(es, func(e Expr) bool { return e != nil && uses(e, names) })
	}
	switch e := e.(type) {
	case *Const, *TagLit:
		return false
	case *Var:
		return names[e.Name]
	case *SetLit:
		return any(e.Elems...)
	case *Unary:
		return any(e.X)
	case *Binary:
		return any(e.X, e.Y)
	case *Tuple:
		return any(e.Elems...)
	case *App:
		return any(e.F, e.X)
	case *Fun:
		return any(e.Body)
	case *Try:
		return any(e.X, e.Else)
	case *LetIn:
		return slices.ContainsFunc(e.Binds, func(b Bind) bool { return any(b.Expr) }) || any(e.Body)
	case *MatchSet:
		return any(e.X, e.Empty, e.Body)
	case *MatchTag:
		return any(e.X, e.Default) || slices.ContainsFunc(e.Clauses, func(c TagClause) bool { return any(c.Expr) })
	}
	return true // an if: nothing is known of it
}

// Join returns the flat model in which the acyclic relations at some places are joined with the relation called name, which is to have only pairs of writes of one location there. If they have others, the
// flag called outside is raised.
func (m *Model) Join(name, outside string, at map[Pos]bool) *Model {
	f := *m.File
	f.Body = nil
	for _, in := range m.File.Body {
		if x, ok := in.(*Check); ok && x.Mode == Require && at[x.Test.Pos] {
			p := x.Pos
			set := func(name string) Expr { return &Var{p, name} }
			writes := &Binary{p, Inter, &Binary{p, Product, set("W"), set("W")}, set("loc")}
			y := *x
			y.Test.Expr = &Binary{p, Union, x.Test.Expr, set(name)}
			f.Body = append(f.Body, &Check{p, Flag, Test{Pos: p, Not: true, Kind: Empty, Expr: &Binary{p, Diff, x.Test.Expr, writes}, Name: outside}})
			in = &y
		}
		f.Body = append(f.Body, in)
	}
	return &Model{&f, m.dirs}
}

// Closed reports whether an expression of the flat model is a relation that is closed for updates: if a write that an update reads is before another write of its location, the update is so, too. It is if it
// is defined as
//
//	let rec order = … | ww((rf; update)^-1; order) | …
//
// with the ww and the update of the library's java.cat.
func (m *Model) Closed(e Expr) bool {
	v, ok := e.(*Var)
	if !ok {
		return false
	}
	closed := false
	for _, in := range m.File.Body {
		let, ok := in.(*Let)
		if !ok {
			continue
		}
		for _, b := range let.Binds {
			for _, name := range b.Pat.Names {
				switch {
				case name == "rf" || name == "rmw" || name == "loc" || name == "R" || name == "W" || name == "id":
					return false
				case (name == "ww" || name == "update") && let.Src.Name != EmbeddedPrefix+"lib/java.cat":
					return false
				case name == v.Name:
					closed = let.Rec && len(let.Binds) == 1 && len(b.Pat.Names) == 1 && hasPart(b.Expr, "ww((rf; update)^-1; "+v.Name+")")
				}
			}
		}
	}
	return closed
}

// hasPart reports whether an expression is a union with a part that is written so, but for spaces.
func hasPart(e Expr, text string) bool {
	if b, ok := e.(*Binary); ok && b.Op == Union {
		return hasPart(b.X, text) || hasPart(b.Y, text)
	}
	plain := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	return plain(ExprString(e)) == plain(text)
}
