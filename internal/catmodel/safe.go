package catmodel

import (
	"fmt"
	"slices"
	"strings"

	"ravel/internal/cat"
)

// An Engine is what explores the executions of a model.
type Engine uint8

const (
	PorfEngine Engine = iota // for executions without cycles of po ∪ rf
	DepEngine                // for executions without cycles of rf and dependencies
)

func (e Engine) String() string {
	return [...]string{"po ∪ rf", "rf and dependencies"}[e]
}

// proofs is what was shown about a model, each with the constraint that it follows from.
type proofs struct {
	coherence         []*cat.Constraint // all that it takes
	atomicity, noPorf *cat.Constraint
	global            []*cat.Constraint // acyclic relations that contain rfe
	dependencies      *cat.Constraint   // one of these that contains the dependencies that order
	updates           bool              // it contains rmw
	addrPo            bool              // one of these contains addr;po;[W]
	prefix            bool              // coherence holds along (po ∪ rf)+, not only along po
}

// analyse finds out which engine explores the executions of the model, and which constraints can be checked while graphs grow.
//
// The engines visit each execution of a model once that implies coherence, atomicity and the absence of cycles, and whose other
// constraints stay violated once they are and do not keep graphs from going on. What is not like that is postponed: it is
// checked on complete executions. Then the engine explores a weaker model, the one without these constraints but with coherence, atomicity and
// without cycles. All of this stays violated in a graph that grows, so an execution of the model is one of the weaker model if these follow
// from the model, whichever of its constraints they follow from; what does not follow is what Missing says.
func (m *Model) analyse() {
	for _, c := range m.checks {
		switch {
		case c.Mode == cat.Assert:
			c.postpone("it speaks of complete executions", c.Pos)
		case c.Mode != cat.Require:
		case !m.prog.Always(c.Constraint):
			c.postpone("it is made for values that depend on the execution", c.Pos)
		case !c.safety.Monotone:
			c.postpone(c.safety.Why, c.safety.At)
		}
	}
	if m.prove(m.always); m.usesDeps() || m.noPorf == nil {
		m.engine = DepEngine
		postponed := append(m.postponeHoles(), m.postponeEnds()...)
		if m.prove((*check).early); len(m.coherence) > 0 && m.dependencies != nil {
			return
		}
		for _, c := range postponed {
			c.how = byWhole
		}
		m.prove(m.always)
	}
	m.engine = PorfEngine
	m.postponeEnds()
}

// postponeEnds postpones constraints that an event after which nothing comes may violate: a read that violates one has no consistent
// source yet, but may get one by a write that comes later.
func (m *Model) postponeEnds() (postponed []*check) {
	for _, c := range m.checks {
		if c.early() && !c.safety.Extensible {
			c.postpone(c.safety.Why, c.safety.At)
			postponed = append(postponed, c)
		}
	}
	return postponed
}

// postpone has a constraint checked on complete executions.
func (c *check) postpone(why string, at cat.Pos) {
	c.how, c.late, c.lateAt = late, why, at
}

// early reports whether a constraint can be checked while graphs grow.
func (c *check) early() bool { return c.Mode == cat.Require && c.how != late }

// always reports whether a constraint holds of every complete execution.
func (m *Model) always(c *check) bool { return c.Mode == cat.Require && m.prog.Always(c.Constraint) }

// prove finds out what follows from some of the constraints.
func (m *Model) prove(from func(*check) bool) {
	m.proofs = proofs{}
	m.basis = m.basis[:0]
	for _, c := range m.checks {
		if from(c) {
			m.basis = append(m.basis, c)
			m.find(c)
		}
	}
	m.coherence = m.forbidding(incoherences(poLoc))
}

// forbidding returns constraints that forbid all of some cycles, nil if they do not. known are nodes that are steps.
func (m *Model) forbidding(cycles []cycle, known ...int32) (by []*cat.Constraint) {
	for _, c := range m.basis {
		if c.Not || c.Kind == cat.Empty {
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
	if k.Not {
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
			m.dependencies, m.updates = k, m.updates || l.hasUpdates()
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

// postponeHoles postpones constraints that the engine for dependencies can't check: there, events of a thread may come after later ones, so
// nothing may be taken away that has events in between. But to take away pairs of accesses with a write to their location between them is
// harmless in models that order accesses before later writes to their location, and those before what is read from others: what
// is taken away is ordered by that write.
func (m *Model) postponeHoles() (postponed []*check) {
	m.prove((*check).early)
	harmless := false
	for _, k := range m.global {
		id, closure := m.relationOf(k, nil)
		l := m.languageOf(id, closure)
		harmless = harmless || l.has(read, false, stride{poLoc, write}) && l.has(write, false, stride{poLoc, write}) &&
			l.has(write, false, stride{coe, write}) && l.has(write, false, stride{rfe, read})
	}
	for _, c := range m.checks {
		if !c.early() {
			continue
		}
		if why, at, ok := m.prog.Between(c.Constraint, harmless); ok {
			c.postpone(why+", which may depend on events that come later", at)
			postponed = append(postponed, c)
		}
	}
	return postponed
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

// isLate reports whether there are constraints that are checked on complete executions.
func (m *Model) isLate() bool {
	return !m.straight || slices.ContainsFunc(m.checks, func(c *check) bool { return c.how == late })
}

// Missing implements model.Partial: it says which executions of the model the engine does not make.
func (m *Model) Missing(rmw bool) string {
	var not []string
	if m.java != nil {
		if !rmw || m.java.updates {
			return ""
		}
		return fmt.Sprintf("executions in which another write comes between those of a read-modify-write are not explored, and it was not shown that %s forbids them; ravel litmus has no such limit", m.Name)
	}
	if m.engine == PorfEngine && m.noPorf == nil {
		not = append(not, "with cycles of po | rf")
	}
	if m.engine == DepEngine && rmw && m.d.arch == nil && !m.updates {
		not = append(not, "with cycles of rf, dependencies and rmw")
	}
	if len(m.coherence) == 0 {
		not = append(not, "that are not coherent (acyclic (po & loc) | rf | co | fr)")
	}
	if rmw && m.atomicity == nil {
		not = append(not, "in which another write comes between those of a read-modify-write (empty rmw & (fr; co))")
	}
	if len(not) == 0 {
		return ""
	}
	return fmt.Sprintf("executions %s are not explored, and it was not shown that %s forbids them; ravel litmus has no such limit",
		strings.Join(not, ", or "), m.Name)
}
