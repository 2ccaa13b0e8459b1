package cat

import "fmt"

// Growth says how the value of an expression changes when an execution grows: when events are
// added, and edges of rf, co and the like between them. Only what it says of the old events counts.
type Growth uint8

const (
	Stable  Growth = iota // never changes: po, loc, the kinds of events, and what is made of them without looking elsewhere
	Grows                 // only gains
	Shrinks               // only loses
	Varies                // may do both
)

func (g Growth) String() string { return [...]string{"stable", "grows", "shrinks", "varies"}[g] }

// An Explanation is what is known about a constraint before any execution.
type Explanation struct {
	*Constraint
	// Monotone: once violated, it stays violated when the execution grows. Such a constraint may be checked at every
	// step of an exploration; others only when an execution is complete.
	Monotone bool
	Why      string // if not monotone: the subexpression to blame
	At       Pos    // of that subexpression
	Growth   Growth // of what is tested
}

// Bases whose pairs or members are not settled when their events are added.
var growing = map[string]Growth{
	"rf": Grows, "co": Grows, "lock-co": Grows, "fr": Grows,
	"rfe-lf": Grows, "rfe-rl": Grows, "rfe-ru": Grows,
	"FW": Varies, "Tested": Varies, // the last writes so far
}

// Explain says for each constraint whether it is monotone, and why not.
//
// The analysis is on the structure of the compiled expression: unions, intersections, compositions and
// closures of what grows grow; differences and complements turn growing into shrinking; what the
// interpreter computes and the orders that with … from chooses vary. Threads grow at their ends only.
// It errs on the side of not monotone.
func (p *Program) Explain() []Explanation {
	g := &growth{p: p, memo: map[int32]Growth{}, fixes: map[int32]Growth{}}
	out := make([]Explanation, len(p.Checks))
	for i, k := range p.Checks {
		e := Explanation{Constraint: k, Growth: g.of(k.id)}
		e.Monotone = e.Growth <= Grows && !k.Not || k.Not && k.Kind == Empty && (e.Growth == Stable || e.Growth == Shrinks)
		if k.Mode != Require {
			e.Monotone = false
		}
		switch {
		case e.Monotone:
		case k.Mode != Require:
			e.Why, e.At = fmt.Sprintf("%v speaks of complete executions", k.Mode), k.Pos
		case k.Not:
			e.Why, e.At = "it asks for something that may still come", k.Pos
		default:
			e.Why, e.At = g.blame(k.id)
		}
		out[i] = e
	}
	return out
}

type growth struct {
	p     *Program
	memo  map[int32]Growth
	fixes map[int32]Growth
	fixed bool // all events are there, only rf and co grow
}

func join(a, b Growth) Growth {
	switch {
	case a == b || b == Stable:
		return a
	case a == Stable:
		return b
	}
	return Varies
}

func flip(a Growth) Growth { return [...]Growth{Stable, Shrinks, Grows, Varies}[a] }

// exists is the growth of what quantifies over events in between: more events, more of it. But what is
// between two events in program order is there before the second one.
func (g *growth) exists(a Growth, inPo bool) Growth {
	switch {
	case g.fixed:
		return a
	case a == Stable && inPo:
		return Stable
	case a <= Grows:
		return Grows
	}
	return Varies
}

// Bases that are part of program order.
var poBases = map[string]bool{
	"po": true, "addr": true, "data": true, "ctrl": true, "rmw": true, "amo": true, "lxsx": true,
	"iico_data": true, "iico_ctrl": true, "iico_order": true, "partial_po": true,
}

// inPo reports whether a relation is surely part of po and the identity.
func (g *growth) inPo(id int32) bool {
	n := &g.p.nodes[id]
	switch n.op {
	case opBase:
		return poBases[g.p.voc.Rels[n.aux]]
	case opNone, opID, opToID:
		return true
	case opUnion, opSeq:
		return g.inPo(n.a) && g.inPo(n.b)
	case opInter:
		return g.inPo(n.a) || g.inPo(n.b)
	case opDiff, opPlus, opStar, opOpt, opResRan, opFilter:
		return g.inPo(n.a)
	case opResDom:
		return g.inPo(n.b)
	}
	return false
}

func (g *growth) of(id int32) Growth {
	if v, ok := g.memo[id]; ok {
		return v
	}
	v := Stable
	if !g.fixed || g.p.levels[id] != Structure {
		v = g.compute(id)
	}
	g.memo[id] = v
	return v
}

func (g *growth) compute(id int32) Growth {
	n := &g.p.nodes[id]
	switch n.op {
	case opBase:
		name := g.p.voc.Sets
		if n.typ == tRel {
			name = g.p.voc.Rels
		}
		return growing[name[n.aux]]
	case opNone, opAll, opID:
		return Stable
	case opUnion, opInter, opProduct, opResDom, opResRan:
		return join(g.of(n.a), g.of(n.b))
	case opDiff:
		return join(g.of(n.a), flip(g.of(n.b)))
	case opNot:
		return flip(g.of(n.a))
	case opInverse, opOpt, opToID, opFilter:
		return g.of(n.a)
	case opSeq:
		return g.exists(join(g.of(n.a), g.of(n.b)), g.inPo(n.a) && g.inPo(n.b))
	case opPlus, opStar, opRange:
		return g.exists(g.of(n.a), g.inPo(n.a))
	case opDomain:
		return g.exists(g.of(n.a), false)
	case opFix:
		return g.fix(n.aux)
	}
	return Varies // phis of with, and what the interpreter computes
}

// fix assumes that the variables grow; the fixpoint does if then the equations do.
func (g *growth) fix(k int32) Growth {
	if v, ok := g.fixes[k]; ok {
		return v
	}
	f := g.p.fixes[k]
	for _, v := range f.vars {
		g.memo[v] = Grows
	}
	out := Grows
	for _, b := range f.bodies {
		if g.of(b) > Grows {
			out = Varies
		}
	}
	g.fixes[k] = out
	return out
}

// blame finds the innermost subexpression that makes a node other than growing.
func (g *growth) blame(id int32) (string, Pos) {
	n := &g.p.nodes[id]
	text := g.text(id)
	switch n.op {
	case opFix:
		for _, b := range g.p.fixes[n.aux].bodies {
			if g.of(b) > Grows {
				return g.blame(b)
			}
		}
	case opDiff:
		if g.of(n.a) <= Grows && g.of(n.b) != Shrinks {
			return fmt.Sprintf("%s takes away %s, which %v", text, g.text(n.b), g.of(n.b)), n.expr.At()
		}
		if g.of(n.a) <= Grows {
			return g.blame(n.b)
		}
	case opNot:
		if g.of(n.a) == Grows {
			return fmt.Sprintf("%s is the complement of %s, which grows", text, g.text(n.a)), n.expr.At()
		}
	case opBase:
		return fmt.Sprintf("%s %v", text, g.of(id)), n.expr.At()
	case opPhi:
		return fmt.Sprintf("%s is chosen for complete executions", text), n.expr.At()
	case opDyn:
		return fmt.Sprintf("%s is computed from complete executions", text), n.expr.At()
	}
	for _, x := range []int32{n.a, n.b} {
		if x >= 0 && g.of(x) > Grows {
			return g.blame(x)
		}
	}
	return fmt.Sprintf("%s %v", text, g.of(id)), n.expr.At()
}

// text shows a node: its name, or the expression.
func (g *growth) text(id int32) string {
	if name, ok := g.p.names[id]; ok {
		return name
	}
	return ExprString(g.p.nodes[id].expr)
}
