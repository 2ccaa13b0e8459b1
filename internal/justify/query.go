package justify

import (
	"fmt"
	"strings"

	"ravel/internal/litmus"
	"ravel/internal/litmus/symbolic"
)

// A Witness shows that a proposition is true in some final state.
type Witness struct {
	Outcome *Outcome // nil: the values below are those of an execution in which nothing determines them
	Values  []uint64 // of Locs
}

// Allows returns a witness of a proposition, or nil if no allowed final state satisfies it.
func (a *Analysis) Allows(p *litmus.Prop) (*Witness, error) {
	for _, o := range a.Outcomes {
		if p.Eval(a.Getter(o.Values)) {
			return &Witness{o, o.Values}, nil
		}
	}
	for _, g := range a.open {
		w, err := a.solve(g, p)
		if w != nil || err != nil {
			return w, err
		}
	}
	return nil, nil
}

// Getter returns the values of a final state by location.
func (a *Analysis) Getter(values []uint64) func(litmus.Loc) litmus.Value {
	return func(l litmus.Loc) litmus.Value {
		for i, o := range a.Locs {
			if o == l || o.Thread < 0 && l.Thread < 0 && o.Var == l.Var && max(o.Index, 0) == max(l.Index, 0) {
				return litmus.Value{Int: values[i]}
			}
		}
		return litmus.Value{Kind: litmus.Undef}
	}
}

// solve asks whether an execution with undetermined values has some that satisfy p.
func (a *Analysis) solve(g *graph, p *litmus.Prop) (*Witness, error) {
	terms := make([]litmus.Expr, len(a.Locs))
	var try func(i int) (*Witness, error)
	try = func(i int) (*Witness, error) {
		if i < len(terms) {
			for _, x := range g.finalTerms(a.Locs[i]) {
				terms[i] = x
				if w, err := try(i + 1); w != nil || err != nil {
					return w, err
				}
			}
			return nil, nil
		}
		q := g.problem(g.rf)
		q.Conds = append(q.Conds, a.expr(p, terms))
		m, err := a.solver.Solve(q)
		if m == nil || err != nil {
			return nil, err
		}
		w := &Witness{}
		for _, x := range terms {
			v, _ := evaluate(x, func(r litmus.Reg) (uint64, bool) { return m[r], true })
			w.Values = append(w.Values, v)
		}
		return w, nil
	}
	return try(0)
}

// expr is a proposition as an expression, where terms are those of Locs.
func (a *Analysis) expr(p *litmus.Prop, terms []litmus.Expr) litmus.Expr {
	get := func(l litmus.Loc) litmus.Expr {
		for i, o := range a.Locs {
			if o == l || o.Thread < 0 && l.Thread < 0 && o.Var == l.Var && max(o.Index, 0) == max(l.Index, 0) {
				return terms[i]
			}
		}
		return litmus.Value{}
	}
	switch p.Kind {
	case litmus.PTrue:
		return litmus.Number(1)
	case litmus.PFalse:
		return litmus.Number(0)
	case litmus.PNot:
		return symbolic.Not(a.expr(p.Args[0], terms))
	case litmus.PImplies:
		return join(litmus.Or, symbolic.Not(a.expr(p.Args[0], terms)), a.expr(p.Args[1], terms))
	case litmus.PAnd, litmus.POr:
		op, unit := litmus.And, litmus.Expr(litmus.Number(1))
		if p.Kind == litmus.POr {
			op, unit = litmus.Or, litmus.Number(0)
		}
		x := unit
		for _, arg := range p.Args {
			x = join(op, x, a.expr(arg, terms))
		}
		return x
	}
	atom := p.Atom
	bits := 8 * atom.Type.Size
	if bits == 0 {
		bits = 32
	}
	x := litmus.Expr(litmus.Number(1))
	switch {
	case atom.Elems != nil:
		for i, v := range atom.Elems {
			l := atom.Loc
			l.Index = i
			x = join(litmus.And, x, symbolic.Equal(bits, get(l), v))
		}
	case atom.Other != nil:
		x = symbolic.Equal(bits, get(atom.Loc), get(*atom.Other))
	default:
		x = symbolic.Equal(bits, get(atom.Loc), atom.Value)
	}
	if atom.NotEqual {
		x = symbolic.Not(x)
	}
	return x
}

func join(op litmus.BinaryOp, x, y litmus.Expr) litmus.Expr {
	return symbolic.Binary(op, 1, x, y)
}

// State returns a final state in words: "0:r1=1; 1:r2=0;".
func (a *Analysis) State(values []uint64) string {
	var b strings.Builder
	for i, l := range a.Locs {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s=%d;", l, a.signed(l, values[i]))
	}
	return b.String()
}

// size returns how many bytes a location has.
func (a *Analysis) size(l litmus.Loc) uint8 {
	if l.Thread < 0 {
		return a.Test.Var(l.Var).Type.Size
	}
	for _, th := range a.Test.Threads {
		if th.ID == l.Thread && th.Types[l.Reg].Size > 0 {
			return th.Types[l.Reg].Size
		}
	}
	return 4
}

// signed returns a value as a number of the type of its location.
func (a *Analysis) signed(l litmus.Loc, v uint64) int64 { return number(v, a.size(l)) }

// Numbers returns a final state by the names of its locations.
func (a *Analysis) Numbers(values []uint64) map[string]int64 {
	m := map[string]int64{}
	for i, l := range a.Locs {
		m[l.String()] = a.signed(l, values[i])
	}
	return m
}

// AllowsState reports whether a final state is allowed.
func (a *Analysis) AllowsState(values []uint64) (bool, error) {
	p := &litmus.Prop{Kind: litmus.PAnd}
	for i, l := range a.Locs {
		atom := &litmus.Atom{Loc: l, Value: litmus.Value{Int: values[i]}, Type: litmus.Type{Name: "int", Size: a.size(l), Signed: true}}
		p.Args = append(p.Args, &litmus.Prop{Kind: litmus.PAtom, Atom: atom})
	}
	w, err := a.Allows(p)
	return w != nil, err
}
