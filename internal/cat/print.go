package cat

import (
	"fmt"
	"strings"
)

// String prints the file so that Parse reads the same tree from it. Comments are lost.
func (f *File) String() string {
	var p printer
	switch {
	case f.Name != "" && f.Title != "":
		p.put("%s \"%s\"", f.Name, f.Title)
	case f.Title != "":
		p.put("\"%s\"", f.Title)
	default:
		p.put("%s", f.Name)
	}
	if f.CatDep {
		p.put(" catdep")
	}
	p.line()
	p.instrs(f.Body)
	return strings.TrimLeft(p.b.String(), "\n")
}

// ExprString prints an expression.
func ExprString(e Expr) string {
	var p printer
	p.expr(e)
	return p.b.String()
}

type printer struct {
	b      strings.Builder
	indent int
}

func (p *printer) put(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *printer) line() {
	p.b.WriteByte('\n')
	for range p.indent {
		p.b.WriteString("  ")
	}
}

func (p *printer) instrs(body []Instr) {
	for i, in := range body {
		if i > 0 {
			p.line()
		}
		p.instr(in)
	}
}

// block prints the instructions of a body, indented, up to a line of its own for what follows.
func (p *printer) block(body []Instr) {
	p.indent++
	for _, in := range body {
		p.line()
		p.instr(in)
	}
	p.indent--
	p.line()
}

func (p *printer) instr(in Instr) {
	switch in := in.(type) {
	case *Let:
		p.let(in.Rec, in.Binds)
		if in.When != nil {
			p.put(" when ")
			p.test(in.When)
		}
	case *Check:
		if in.Mode != Require {
			p.put("%v ", in.Mode)
		}
		p.test(&in.Test)
	case *Show:
		p.put("show ")
		for i, item := range in.Items {
			if i > 0 {
				p.put(", ")
			}
			p.operand(item.Expr, 0)
			if v, ok := item.Expr.(*Var); !ok || v.Name != item.Name {
				p.put(" as %s", item.Name)
			}
		}
	case *Unshow:
		p.put("unshow %s", strings.Join(in.Names, ", "))
	case *Include:
		p.put("include \"%s\"", in.File)
	case *Procedure:
		p.put("procedure ")
		if in.Rec {
			p.put("rec ")
		}
		p.put("%s%s =", in.Name, in.Pat)
		p.block(in.Body)
		p.put("end")
	case *Call:
		p.put("call %s ", in.Name)
		p.operand(in.Arg, argLevel)
		p.as(in.As)
	case *Enum:
		p.put("enum %s = '%s", in.Name, strings.Join(in.Tags, " || '"))
	case *Forall:
		p.put("forall %s in ", in.Name)
		p.expr(in.Expr)
		p.put(" do")
		p.block(in.Body)
		p.put("end")
	case *With:
		p.put("with %s from ", in.Name)
		p.expr(in.Expr)
	case *MatchInstr:
		p.put("match ")
		p.expr(in.Expr)
		p.put(" with")
		for _, c := range in.Clauses {
			p.line()
			p.put("|| '%s ->", c.Tag)
			p.block(c.Body)
		}
		if in.HasDef {
			p.line()
			p.put("|| _ ->")
			p.block(in.Default)
		}
		p.put("end")
	case *IfVariant:
		p.put("if ")
		p.cond(in.Cond)
		p.block(in.Then)
		if in.Else != nil {
			p.put("else")
			p.block(in.Else)
		}
		p.put("end")
	case *Debug:
		p.put("debug ")
		p.expr(in.Expr)
	case *Declare:
		word := "instructions"
		if in.Default {
			word = "default"
		}
		p.put("%s %s[", word, in.Kind)
		p.list(in.Args)
		p.put("]")
	default:
		panic(fmt.Sprintf("cat: no printer for %T", in))
	}
}

func (p *printer) as(name string) {
	if name != "" {
		p.put(" as %s", name)
	}
}

func (p *printer) test(t *Test) {
	if t.Not {
		p.put("~")
	}
	p.put("%v ", t.Kind)
	p.expr(t.Expr)
	p.as(t.Name)
}

// String prints a parameter: with the space or the bracket that goes before it.
func (pat Pat) String() string {
	names := make([]string, len(pat.Names))
	for i, n := range pat.Names {
		if names[i] = n; n == "" {
			names[i] = "_"
		}
	}
	if !pat.Tuple {
		return " " + names[0]
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func (p *printer) let(rec bool, binds []Bind) {
	p.put("let ")
	if rec {
		p.put("rec ")
	}
	for i, b := range binds {
		if i > 0 {
			p.line()
			p.put("and ")
		}
		e := b.Expr
		p.put("%s", strings.TrimLeft(b.Pat.String(), " "))
		if f, ok := e.(*Fun); ok && !b.Pat.Tuple && b.Pat.Names[0] != "" {
			p.put("%s", f.Pat)
			e = f.Body
		}
		p.put(" = ")
		p.expr(e)
	}
}

// The levels of expressions that are not operators: those that begin with a keyword and tuples
// must be in parentheses inside operators; an argument is a simple expression.
const (
	exprLevel = -1
	appLevel  = 8
	argLevel  = 9
)

func levelOf(e Expr) int {
	switch e := e.(type) {
	case *LetIn, *Fun, *Try, *If, *MatchTag, *MatchSet:
		return exprLevel
	case *Tuple:
		if len(e.Elems) == 0 {
			return argLevel
		}
		return exprLevel
	case *Binary:
		if e.Op == Product {
			return levelPostfix
		}
		return levels[kind(e.Op.String())].level
	case *Unary:
		switch e.Op {
		case ToID:
			return argLevel
		case Inverse:
			return levelInverse
		}
		return levelPostfix
	case *App:
		return appLevel
	}
	return argLevel
}

// operand prints e, in parentheses if it is looser than level.
func (p *printer) operand(e Expr, level int) {
	if levelOf(e) < level {
		p.put("(")
		p.expr(e)
		p.put(")")
		return
	}
	p.expr(e)
}

func (p *printer) list(es []Expr) {
	for i, e := range es {
		if i > 0 {
			p.put(", ")
		}
		p.operand(e, 0)
	}
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Const:
		if e.Universe {
			p.put("_")
		} else {
			p.put("0")
		}
	case *Var:
		p.put("%s", e.Name)
	case *TagLit:
		p.put("'%s", e.Name)
	case *SetLit:
		p.put("{")
		p.list(e.Elems)
		p.put("}")
	case *Unary:
		p.unary(e)
	case *Binary:
		p.binary(e)
	case *Tuple:
		p.tuple(e)
	case *App:
		p.operand(e.F, appLevel)
		p.put(" ")
		p.operand(e.X, argLevel)
	case *Fun:
		p.put("fun%s -> ", e.Pat)
		p.expr(e.Body)
	case *LetIn:
		p.let(e.Rec, e.Binds)
		p.put(" in")
		p.line()
		p.expr(e.Body)
	case *Try:
		p.put("try ")
		p.expr(e.X)
		p.put(" with ")
		p.expr(e.Else)
	case *If:
		p.put("if ")
		p.cond(e.Cond)
		p.put(" then ")
		p.expr(e.Then)
		p.put(" else ")
		p.expr(e.Else)
	case *MatchTag:
		p.put("match ")
		p.expr(e.X)
		p.put(" with")
		for _, c := range e.Clauses {
			p.put(" || '%s -> ", c.Tag)
			p.expr(c.Expr)
		}
		if e.Default != nil {
			p.put(" || _ -> ")
			p.expr(e.Default)
		}
		p.put(" end")
	case *MatchSet:
		p.put("match ")
		p.expr(e.X)
		p.put(" with || {} -> ")
		p.expr(e.Empty)
		p.put(" ||")
		if e.HasPre {
			p.put("%s |", Pat{Names: []string{e.Pre}})
		}
		p.put("%s ++%s -> ", Pat{Names: []string{e.Elem}}, Pat{Names: []string{e.Rest}})
		p.expr(e.Body)
		p.put(" end")
	default:
		panic(fmt.Sprintf("cat: no printer for %T", e))
	}
}

func (p *printer) unary(e *Unary) {
	switch e.Op {
	case ToID:
		p.put("[")
		p.expr(e.X)
		p.put("]")
	case Not:
		p.put("~")
		level := levelInverse
		if u, ok := e.X.(*Unary); ok && u.Op == Not {
			level = levelPostfix
		}
		p.operand(e.X, level)
	case Inverse:
		p.operand(e.X, levelInverse)
		p.put("^-1")
	default:
		// Closures of closures need no parentheses; of products and complements they do.
		level := levelInverse
		if u, ok := e.X.(*Unary); ok && u.Op <= Opt {
			level = levelPostfix
		}
		p.operand(e.X, level)
		p.put("%s", [...]string{"*", "+", "?"}[e.Op])
	}
}

func (p *printer) binary(e *Binary) {
	if e.Op == Product {
		p.operand(e.X, levelInverse)
		p.put(" * ")
		p.operand(e.Y, levelInverse)
		return
	}
	l := levels[kind(e.Op.String())]
	x, y := l.level+1, l.level
	if !l.right {
		x, y = y, x
	}
	p.operand(e.X, x)
	p.put(" %v ", e.Op)
	p.operand(e.Y, y)
}

func (p *printer) tuple(e *Tuple) {
	p.put("(")
	p.list(e.Elems)
	p.put(")")
}

func (p *printer) cond(c Cond) {
	switch c := c.(type) {
	case *Compare:
		p.expr(c.X)
		p.put(" %s ", c.Op)
		p.expr(c.Y)
	case *Variant:
		p.put("\"%s\"", c.Name)
	case *NotCond:
		p.put("not (")
		p.cond(c.X)
		p.put(")")
	case *BoolCond:
		op := "&&"
		if c.Or {
			op = "||"
		}
		p.put("(")
		p.cond(c.X)
		p.put(" %s ", op)
		p.cond(c.Y)
		p.put(")")
	}
}
