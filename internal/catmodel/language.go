package catmodel

import (
	"slices"

	"ravel/internal/cat"
	"ravel/internal/graph"
)

// A language is what a model constrains, as an automaton over steps between events of known kinds: enough to decide
// whether certain walks belong to it.
type language struct {
	auto    automaton
	masks   [numKinds][]uint64
	updates [2][]uint64 // of the reads and the writes of read-modify-writes
}

// languageOf returns a language that a relation has, or its transitive closure: what of it is not a path is left out.
func (m *Model) languageOf(id int32, closure bool, known ...int32) *language {
	path := m.prog.PathBelow(id, known...)
	if closure {
		path = &cat.Path{Kind: cat.PathPlus, X: path}
	}
	var t tests
	auto, err := m.automatonOf(path, &t, false)
	if err != nil || len(auto) == 0 || len(auto) > 64 {
		return nil
	}
	l := &language{auto: auto}
	for k := range numKinds {
		l.masks[k] = t.masks(m.prog, m.d, k, 0)
	}
	l.updates = [2][]uint64{t.masks(m.prog, m.d, read, graph.RMWPart), t.masks(m.prog, m.d, write, graph.RMWPart)}
	return l
}

// A stride is a step of a walk that a language is asked about: to an event of a kind.
type stride struct {
	step step // its filter is all that is known about the two events
	to   kind
}

// after returns the states that a step leads to, from an event with a mask. Dependencies and rmw are part of po.
func (a automaton) after(from uint64, mask uint64, s step) (to uint64) {
	for i := range a {
		if from>>i&1 == 0 {
			continue
		}
		for _, e := range a[i].out {
			same := e.step.rel == s.rel && e.step.name == s.name || e.step.rel == stepPo && (s.rel == stepDep || s.rel == stepRmw)
			if same && e.step.filter&^s.filter == 0 && e.need&^mask == 0 {
				to |= 1 << e.to
			}
		}
	}
	return to
}

func (a automaton) accepts(states, mask uint64) bool {
	for i := range a {
		if states>>i&1 == 0 {
			continue
		}
		for _, need := range a[i].accept {
			if need&^mask == 0 {
				return true
			}
		}
	}
	return false
}

// has reports whether all walks of this form, from an event of kind from, are in the language. With round, the last event
// is the first one.
func (l *language) has(from kind, round bool, walk ...stride) bool {
	if l == nil {
		return false
	}
	for _, first := range l.masks[from] {
		if !l.hasRest(1, first, first, round, walk) {
			return false
		}
	}
	return true
}

func (l *language) hasRest(states, mask, first uint64, round bool, walk []stride) bool {
	if len(walk) == 0 {
		return l.auto.accepts(states, mask)
	}
	next := l.auto.after(states, mask, walk[0].step)
	if next == 0 {
		return false
	}
	masks := l.masks[walk[0].to]
	if round && len(walk) == 1 {
		masks = []uint64{first}
	}
	for _, m := range masks {
		if !l.hasRest(next, m, first, round, walk[1:]) {
			return false
		}
	}
	return true
}

// Steps that proofs speak of.
var (
	poLoc   = step{stepPo, "", cat.SameLoc | cat.SameThread}
	poElse  = step{stepPo, "", cat.OtherLoc | cat.SameThread}
	rfi     = step{stepRf, "", cat.SameLoc | cat.SameThread}
	rfe     = step{stepRf, "", cat.SameLoc | cat.OtherThread}
	coi     = step{stepCo, "", cat.SameLoc | cat.SameThread}
	coe     = step{stepCo, "", cat.SameLoc | cat.OtherThread}
	fri     = step{stepFr, "", cat.SameLoc | cat.SameThread}
	fre     = step{stepFr, "", cat.SameLoc | cat.OtherThread}
	viewAny = step{stepView, "", 0}
)

// hasExternal reports whether the language has rf, co and fr between threads.
func (l *language) hasExternal() bool {
	return l.has(write, false, stride{rfe, read}) && l.has(write, false, stride{coe, write}) && l.has(read, false, stride{fre, write})
}

// hasUpdates reports whether the language has rmw.
func (l *language) hasUpdates() bool {
	for _, r := range l.updates[0] {
		at := l.auto.after(1, r, step{stepRmw, "", cat.SameLoc | cat.SameThread})
		if slices.ContainsFunc(l.updates[1], func(w uint64) bool { return !l.auto.accepts(at, w) }) {
			return false
		}
	}
	return true
}

// hasPo reports whether the language has po between events of these kinds.
func (l *language) hasPo(from, to kind) bool {
	return l.has(from, false, stride{poLoc, to}) && l.has(from, false, stride{poElse, to})
}

// A cycle is a closed walk, from an event of a kind.
type cycle struct {
	from kind
	walk []stride
}

// incoherences returns the cycles first;eco, where eco = rf ∪ co;rf? ∪ fr;rf?.
func incoherences(first step) []cycle {
	var out []cycle
	add := func(from, via kind, eco ...stride) {
		out = append(out, cycle{from, append([]stride{{first, via}}, eco...)})
	}
	rfs, cos, frs := [2]step{rfi, rfe}, [2]step{coi, coe}, [2]step{fri, fre}
	for i := range 2 {
		add(read, write, stride{rfs[i], read})
		add(write, write, stride{cos[i], write})
		add(write, read, stride{frs[i], write})
		for j := range 2 {
			add(read, write, stride{cos[i], write}, stride{rfs[j], read})
			add(read, read, stride{frs[i], write}, stride{rfs[j], read})
		}
	}
	return out
}

// rotate returns the cycle from its second event on.
func (c cycle) rotate() cycle {
	return cycle{c.walk[0].to, append(slices.Clone(c.walk[1:]), c.walk[0])}
}

// forbids reports whether a constraint that has the language forbids a cycle.
func (l *language) forbids(c cycle, closure bool) bool {
	if l == nil {
		return false
	}
	if closure {
		from := c.from
		for _, s := range c.walk {
			if !l.has(from, false, s) {
				return false
			}
			from = s.to
		}
		return true
	}
	r := c.rotate()
	return l.has(c.from, true, c.walk...) || l.has(r.from, true, r.walk...)
}

// forbidsPorf reports whether the language of an irreflexive relation has all cycles ([R];po;[W];rfe)+.
func (l *language) forbidsPorf() bool {
	if l == nil {
		return false
	}
	type place struct{ states, mask uint64 }
	for _, first := range l.masks[read] {
		seen := map[place]bool{}
		todo := []place{{1, first}}
		for len(todo) > 0 {
			p := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[p] {
				continue
			}
			seen[p] = true
			for _, po := range [2]step{poLoc, poElse} {
				atW := l.auto.after(p.states, p.mask, po)
				for _, w := range l.masks[write] {
					atR := l.auto.after(atW, w, rfe)
					if atR == 0 || !l.auto.accepts(atR, first) {
						return false
					}
					for _, r := range l.masks[read] {
						todo = append(todo, place{atR, r})
					}
				}
			}
		}
	}
	return true
}
