package catmodel

import (
	"fmt"
	"slices"

	"ravel/internal/cat"
)

// An Engine is what explores the executions of a model.
type Engine uint8

const (
	NoEngine   Engine = iota // none can be trusted with it
	PorfEngine               // for models without cycles of po ∪ rf
	DepEngine                // for models without cycles of rf and dependencies
)

func (e Engine) String() string {
	return [...]string{"none", "po ∪ rf", "rf and dependencies"}[e]
}

// proofs is what was shown about a model, each with the constraint that it follows from.
type proofs struct {
	engine            Engine
	coherence         []*cat.Constraint // all that it takes
	atomicity, noPorf *cat.Constraint
	global            []*cat.Constraint // acyclic relations that contain rfe
	dependencies      *cat.Constraint   // one of these that contains the dependencies that order
	addrPo            bool              // one of these contains addr;po;[W]
	prefix            bool              // coherence holds along (po ∪ rf)+, not only along po
	refusal           error             // why there is no engine
}

// A Refusal is the error of a model that programs can't be explored under.
type Refusal struct {
	At  cat.Pos
	Msg string
}

func (r *Refusal) Error() string {
	if r.At.Src == nil {
		return r.Msg
	}
	return (&cat.Error{Pos: r.At, Msg: r.Msg}).Error()
}

// analyse decides whether, and how, programs can be explored under the model.
func (m *Model) analyse() {
	if err := m.prog.Straight(); err != nil {
		e := err.(*cat.Error)
		m.refusal = &Refusal{e.Pos, e.Msg + ": programs can be explored only under models whose constraints are the same for every graph"}
		return
	}
	if _, _, ok := m.prog.Mentions(); !ok {
		m.refusal = &Refusal{Msg: "a constraint of this model is computed from sets of sets: programs can't be explored under it"}
		return
	}
	for _, c := range m.checks {
		m.find(c)
	}
	m.coherence = m.forbidding(incoherences(poLoc))
	m.decide()
}

// forbidding returns constraints that forbid all of some cycles, nil if they do not. known are nodes that are steps.
func (m *Model) forbidding(cycles []cycle, known ...int32) (by []*cat.Constraint) {
	for _, c := range m.checks {
		if c.Mode != cat.Require || c.Not || c.Kind == cat.Empty {
			continue
		}
		id, closure := m.relationOf(c.Constraint, known)
		l := m.languageOf(id, closure, known...)
		n := len(cycles)
		cycles = slices.DeleteFunc(slices.Clone(cycles), func(c cycle) bool { return l.forbids(c, closure) })
		if len(cycles) < n {
			by = append(by, c.Constraint)
		}
	}
	if len(cycles) > 0 {
		return nil
	}
	return by
}

// relationOf returns the relation of a constraint, and whether its closure must be irreflexive.
func (m *Model) relationOf(k *cat.Constraint, known []int32) (id int32, closure bool) {
	id, closure = k.Node(), k.Kind == cat.Acyclic
	if r, ok := m.prog.Plus(id); ok && !slices.Contains(known, id) {
		return r, true
	}
	return id, closure || m.prog.IsClosure(id) && !slices.Contains(known, id)
}

// find looks for what a constraint implies.
func (m *Model) find(c *check) {
	k := c.Constraint
	if k.Mode != cat.Require || k.Not {
		return
	}
	if m.prog.IsAtomicity(k) {
		c.atomicity = true
		if _, rels, _ := m.prog.Mentions(k); rels["rmw"] {
			m.atomicity = k
		}
		return
	}
	if k.Kind == cat.Empty {
		return
	}
	id, closure := m.relationOf(k, nil)
	l := m.languageOf(id, closure)
	if !closure {
		if l.forbidsPorf() {
			m.noPorf = k
		}
		return
	}
	if l.has(write, false, stride{rfe, read}) {
		if l.hasPo(read, write) {
			m.noPorf = k
		}
		if !l.auto.perLocation() {
			m.global = append(m.global, k)
			m.addrPo = m.addrPo || l.hasAddrPo()
		}
		if m.ordersDeps(l) {
			m.dependencies = k
		}
		if l.hasExternal() && l.hasPo(read, write) && l.hasPo(write, write) && l.hasPo(read, read) {
			m.prefix = true
		}
	}
}

// ordersDeps reports whether a language has the dependencies that must not be in a cycle with rf, or else values could come out of
// thin air: those that decide what a write writes, where, and whether.
func (m *Model) ordersDeps(l *language) bool {
	for _, name := range [...]string{"addr", "data", "ctrl"} {
		for _, loc := range [...]cat.Filter{cat.SameLoc, cat.OtherLoc} {
			if !l.has(read, false, stride{step{stepDep, name, loc | cat.SameThread}, write}) {
				return false
			}
		}
	}
	return true
}

// usesDeps reports whether the model speaks of dependencies: then the engine has to track them, even if there are no cycles of po ∪ rf.
func (m *Model) usesDeps() bool {
	return m.uses["addr"] || m.uses["data"] || m.uses["ctrl"] || m.uses["casdep"]
}

// holes returns a constraint that the engine for dependencies can't check: there, events of a thread may come after later ones, so nothing
// may be taken away that has events in between. But to take away pairs of accesses with a write to their location between them is
// harmless in models that order accesses before later writes to their location, and those before what is read from others: what
// is taken away is ordered by that write.
func (m *Model) holes() (c *check, why string, at cat.Pos) {
	harmless := false
	for _, k := range m.global {
		id, closure := m.relationOf(k, nil)
		l := m.languageOf(id, closure)
		harmless = harmless || l.has(read, false, stride{poLoc, write}) && l.has(write, false, stride{poLoc, write}) &&
			l.has(write, false, stride{coe, write}) && l.has(write, false, stride{rfe, read})
	}
	for _, c := range m.checks {
		if c.Mode != cat.Require {
			continue
		}
		if why, at, ok := m.prog.Between(c.Constraint, harmless); ok {
			return c, why, at
		}
	}
	return nil, "", cat.Pos{}
}

// hasAddrPo reports whether a language has addr;po to writes.
func (l *language) hasAddrPo() bool {
	for _, via := range [...]kind{read, write} {
		for _, po := range [...]step{poLoc, poElse} {
			for _, loc := range [...]cat.Filter{cat.SameLoc, cat.OtherLoc} {
				if !l.has(read, false, stride{step{stepDep, "addr", loc | cat.SameThread}, via}, stride{po, write}) {
					return false
				}
			}
		}
	}
	return true
}

// extensible reports whether every graph can go on: an event after which nothing comes violates no constraint.
func (m *Model) extensible() bool {
	for _, c := range m.checks {
		if c.Mode == cat.Require && !c.safety.Extensible {
			return false
		}
	}
	return true
}

// decide chooses the engine.
func (m *Model) decide() {
	refuse := func(format string, args ...any) {
		m.refusal = &Refusal{Msg: fmt.Sprintf(format, args...)}
	}
	for _, c := range m.checks {
		if c.Mode == cat.Assert {
			m.refusal = &Refusal{c.Pos, "assert speaks of complete executions"}
			return
		}
		if c.Mode == cat.Require && !c.safety.Monotone {
			m.refusal = &Refusal{c.safety.At, fmt.Sprintf("programs can't be explored under this model: %s, so that a graph that violates `%s` may become consistent when it grows", c.safety.Why, c.Title())}
			return
		}
	}
	switch {
	case len(m.coherence) == 0:
		refuse("programs can't be explored under this model: it was not shown that it implies coherence, acyclic (po & loc) | rf | co | fr")
	case m.atomicity == nil:
		refuse("programs can't be explored under this model: it was not shown that it implies atomicity, empty rmw & (fr; co)")
	case m.noPorf != nil && !m.usesDeps():
		for _, c := range m.checks {
			if c.Mode == cat.Require && !c.safety.Extensible {
				m.refusal = &Refusal{c.safety.At, fmt.Sprintf("programs can't be explored under this model: %s, so that `%s` may forbid every way to go on", c.safety.Why, c.Title())}
				return
			}
		}
		m.engine = PorfEngine
	case m.dependencies != nil:
		if c, why, at := m.holes(); c != nil {
			m.refusal = &Refusal{at, fmt.Sprintf("programs can't be explored under this model: %s, which may depend on events that come later, so that a graph that violates `%s` may become consistent when it grows", why, c.Title())}
			return
		}
		m.engine = DepEngine
	default:
		refuse("programs can't be explored under this model: it was not shown that it forbids cycles of po | rf, nor of rf and the dependencies addr, data and ctrl, so values may come out of thin air")
	}
}
