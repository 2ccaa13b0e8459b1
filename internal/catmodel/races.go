package catmodel

import (
	"ravel/internal/cat"
	"ravel/internal/event"
)

// findRaces looks for a constraint that says what the engine takes for races: conflicting accesses, one of them not atomic,
// that the order of the views does not order.
func (m *Model) findRaces() {
	for _, c := range m.checks {
		pairs, without, order, ok := m.prog.Races(c.Constraint)
		if ok && m.plan != nil && m.plan.order == order && m.conflicts(pairs, without) {
			m.races = c.Constraint
			return
		}
	}
}

// conflicts reports whether a relation, without others, is that of conflicting accesses of different threads, one of them not atomic. It can only
// be so if it depends on what the two events are and whether they are at one location; then one execution with
// all kinds of events tells.
func (m *Model) conflicts(pairs int32, without []int32) bool {
	_, rels, ok := m.prog.MentionsOf(append(without, pairs)...)
	if !ok {
		return false
	}
	for name := range rels {
		if name != "loc" && name != "int" {
			return false
		}
	}
	var all []class
	for _, k := range [...]kind{initial, read, write, fence, sync} {
		if m.d.hides()>>k&1 != 0 {
			continue
		}
		classes(k, func(c class) {
			if c.tag == event.NoTag {
				all = append(all, c, c) // at two locations
			}
		})
	}
	x := newExec(m.d, nil)
	x.x.Reset(len(all))
	at := func(i int) int {
		if k := all[i].kind; k != read && k != write && k != initial {
			return -1
		}
		return i % 2
	}
	for i, c := range all {
		x.classify(i, c)
		if c.kind != initial {
			x.x.Rel("int").Add(i, i)
		}
		for j := range all {
			if at(i) >= 0 && at(i) == at(j) {
				x.x.Rel("loc").Add(i, j)
			}
		}
	}
	machine := m.prog.NewMachine()
	machine.Begin(x.x)
	r := machine.RelationOf(pairs).Clone()
	for _, id := range without {
		r.Minus(r, machine.RelationOf(id))
	}
	access := func(c class) bool { return c.kind == read || c.kind == write }
	for i, a := range all {
		for j, b := range all {
			want := i != j && at(i) == at(j) && access(a) && access(b) && (a.kind == write || b.kind == write) &&
				(a.mode == event.NA || b.mode == event.NA)
			if (r.Has(i, j) || r.Has(j, i)) != want {
				return false
			}
		}
	}
	return true
}

// Races returns the constraint that races are found by, nil if the model has none that the engine can look for.
func (m *Model) Races() *cat.Constraint { return m.races }
