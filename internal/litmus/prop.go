package litmus

import "slices"

// A PropKind is what a Prop is.
type PropKind uint8

const (
	PTrue PropKind = iota
	PFalse
	PAtom
	PNot
	PAnd
	POr
	PImplies
)

// A Prop is a proposition over final states.
type Prop struct {
	Kind PropKind
	Args []*Prop // of PNot, PAnd, POr, PImplies
	Atom *Atom
}

// An Atom compares a location with a value, with another location, or with the elements of an array.
type Atom struct {
	Loc      Loc
	NotEqual bool
	Value    Value
	Other    *Loc    // instead of Value
	Elems    []Value // instead of Value
	Type     Type    // of Loc: numbers are compared in its size
}

func (x *Prop) walk(visit func(Loc)) {
	for _, a := range x.Args {
		a.walk(visit)
	}
	if x.Atom != nil {
		visit(x.Atom.Loc)
		if x.Atom.Other != nil {
			visit(*x.Atom.Other)
		}
	}
}

// Eval returns whether x is true in the final state where get returns the value of each
// register, variable or element. An array is asked for element by element.
func (x *Prop) Eval(get func(Loc) Value) bool {
	switch x.Kind {
	case PTrue:
		return true
	case PFalse:
		return false
	case PNot:
		return !x.Args[0].Eval(get)
	case PImplies:
		return !x.Args[0].Eval(get) || x.Args[1].Eval(get)
	case PAnd, POr:
		for _, a := range x.Args {
			if a.Eval(get) == (x.Kind == POr) {
				return x.Kind == POr
			}
		}
		return x.Kind == PAnd
	}
	return x.Atom.equal(get) != x.Atom.NotEqual
}

func (a *Atom) equal(get func(Loc) Value) bool {
	if a.Elems != nil {
		for i, v := range a.Elems {
			l := a.Loc
			l.Index = i
			if !a.same(get(l), v) {
				return false
			}
		}
		return true
	}
	if a.Other != nil {
		return a.same(get(a.Loc), get(*a.Other))
	}
	return a.same(get(a.Loc), a.Value)
}

// same compares numbers in the size of the type; without one, a number of 32 bits is also
// what its sign extension is written as.
func (a *Atom) same(x, y Value) bool {
	if x.Kind != Int || y.Kind != Int {
		return x == y && x.Kind != Undef
	}
	if a.Type.Name != "" || !a.Loc.IsReg() {
		w := 8 * a.Type.Size
		return Mask(x.Int, w) == Mask(y.Int, w)
	}
	return x.Int == y.Int || x.Int>>32 == 0 && uint64(sext(x.Int, 32)) == y.Int || y.Int>>32 == 0 && uint64(sext(y.Int, 32)) == x.Int
}

// Locs returns the locations that x names, each once.
func (x *Prop) Locs() []Loc {
	var locs []Loc
	x.walk(func(l Loc) {
		if !slices.Contains(locs, l) {
			locs = append(locs, l)
		}
	})
	return locs
}

// Values visits the values that x compares with.
func (x *Prop) Values(visit func(Value)) {
	for _, a := range x.Args {
		a.Values(visit)
	}
	if x.Atom != nil && x.Atom.Other == nil {
		for _, v := range append([]Value{x.Atom.Value}, x.Atom.Elems...) {
			visit(v)
		}
	}
}
