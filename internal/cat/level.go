package cat

// A Level says what of an execution a value depends on. An enumerator fixes the events first, then what
// reads read from, then the coherence order: what does not depend on a later choice is computed once.
type Level uint8

const (
	Structure Level = iota // the events, program order, dependencies, locations
	ReadsFrom              // rf too
	Coherence              // co too
	Final                  // the last writes too, what the model chooses itself (with … from), or anything
)

// baseLevels has the names of the vocabulary that are chosen after the events.
var baseLevels = map[string]Level{
	"rf": ReadsFrom, "rfe-lf": ReadsFrom, "rfe-rl": ReadsFrom, "rfe-ru": ReadsFrom,
	"co": Coherence, "fr": Coherence, "lock-co": Coherence,
	"FW": Final, "Tested": Final,
}

// setLevels computes the level of every node: that of the names in it. What the interpreter computes
// and the variables of with are taken to depend on everything.
func (p *Program) setLevels() {
	p.levels = make([]Level, len(p.nodes))
	inFix := map[int32]bool{} // the variables of fixpoints
	for _, f := range p.fixes {
		for _, v := range f.vars {
			inFix[v] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for id := range p.nodes {
			n := &p.nodes[id]
			var l Level
			switch {
			case n.op == opBase && n.typ == tSet:
				l = baseLevels[p.voc.Sets[n.aux]]
			case n.op == opBase:
				l = baseLevels[p.voc.Rels[n.aux]]
			case n.op == opDyn || n.op == opFilter || n.op == opPhi && !inFix[int32(id)]:
				l = Final
			case n.op == opFix:
				f := p.fixes[n.aux]
				if f.when != nil {
					l = Final
				}
				for _, b := range f.bodies {
					l = max(l, p.levels[b])
				}
			default:
				if n.a >= 0 {
					l = p.levels[n.a]
				}
				if n.b >= 0 {
					l = max(l, p.levels[n.b])
				}
			}
			if l != p.levels[id] {
				p.levels[id], changed = l, true
			}
		}
	}
}

// Monotone returns the indices of the checks that stay violated, once they are, when rf and co gain pairs and
// nothing else changes. They can be evaluated before all choices are made (Machine.Violated).
func (p *Program) Monotone() []int {
	g := &growth{p: p, memo: map[int32]Growth{}, fixes: map[int32]Growth{}, fixed: true}
	var out []int
	for i, k := range p.Checks {
		v := g.of(k.id)
		if k.Mode == Require && (v == Stable || v == Grows && !k.Not) {
			out = append(out, i)
		}
	}
	return out
}

// Uses reports whether the model looks at a name of the vocabulary.
func (p *Program) Uses(name string) bool {
	for i := range p.nodes {
		if n := &p.nodes[i]; n.op == opBase && (n.typ == tSet && p.voc.Sets[n.aux] == name || n.typ == tRel && p.voc.Rels[n.aux] == name) {
			return true
		}
	}
	return false
}

// SeesValues reports whether the model may tell events apart by their values or the names of their locations, rather
// than by sets and relations only.
func (p *Program) SeesValues() bool {
	for i := range p.nodes {
		if op := p.nodes[i].op; op == opFilter || op == opDyn {
			return true
		}
	}
	return false
}

// Violated reports whether one of the checks, given by their indices, fails on x. What depends on nothing
// from the given level on is kept from the last evaluation, which must have been of the same execution except for that.
func (m *Machine) Violated(x *Exec, from Level, checks []int) (bad bool, err error) {
	if x.Voc != m.prog.voc {
		return false, &Error{Msg: "the execution has another vocabulary than the model was compiled for"}
	}
	m.begin(x, from)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			panic(r)
		}
	}()
	for _, i := range checks {
		if !m.holds(m.prog.Checks[i]) {
			return true, nil
		}
	}
	return false, nil
}
