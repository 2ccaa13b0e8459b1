package catmodel

import (
	"fmt"
	"slices"

	"ravel/internal/cat"
)

// A walk is a constraint as an automaton: a cycle of its relation is a walk that comes back.
type walk struct {
	auto automaton
	// A cycle through an event passes it in a state, starts, and comes back to it in the state in ends. They are the same for acyclic
	// relations. For irreflexive ones the automaton has two halves: a walk goes over from the first to the second where it ends
	// and begins.
	starts, ends []int
	half         int // where the second half begins, 0 if there is none

	entry   []uint64 // by state: the tests that every edge from it needs
	sc      []bool   // by state: only sc events pass these
	first   []bool   // by state: what leads on from an event does so from those before it in its thread too
	needsSC bool     // every cycle has a test that only sc events pass
}

// walkOf makes a walk of an acyclic or irreflexive relation.
func (m *Model) walkOf(k *cat.Constraint, known ...int32) (*walk, error) {
	id, closure := m.relationOf(k, known)
	if closure && m.syncFollows(id, known) {
		id = m.prog.Without(id, syncName)
	}
	path, err := m.prog.Path(id, known...)
	if err != nil {
		return nil, err
	}
	w := &walk{}
	if closure {
		if w.auto, err = m.automatonOf(path, &m.tests, true); err != nil {
			return nil, err
		}
		for s, into := range w.auto.into() {
			if len(into) > 0 {
				w.starts, w.ends = append(w.starts, s), append(w.ends, s)
			}
		}
	} else {
		one, err := m.automatonOf(path, &m.tests, false)
		if err != nil {
			return nil, err
		}
		w.auto, w.half = one.twice(), len(one)
		for s := 1; s < len(one); s++ {
			w.starts, w.ends = append(w.starts, s), append(w.ends, s+len(one))
		}
	}
	for _, s := range w.auto {
		for _, e := range s.out {
			if e.step.rel == stepDep || e.step.rel == stepView && len(known) == 0 {
				return nil, errStep
			}
		}
	}
	w.dropStarts()
	return w, nil
}

// twice puts two copies of an automaton one after the other: where the first accepts, the second begins, at the same event.
func (a automaton) twice() automaton {
	n := len(a)
	out := make(automaton, 2*n)
	for i, s := range a {
		for _, e := range s.out {
			out[i].out = append(out[i].out, e)
			e.to += n
			out[n+i].out = append(out[n+i].out, e)
		}
		for _, need := range s.accept {
			for _, e := range a[0].out {
				e.need |= need
				e.to += n
				out[i].out = addEdge(out[i].out, e)
			}
		}
	}
	return out
}

// syncFollows reports whether the order of threads need not be walked along in the cycles of an acyclic relation: where they follow it, the
// rest of the relation leads too, by what comes before and after the creation or the end of a thread.
func (m *Model) syncFollows(id int32, known []int32) bool {
	if len(known) == 0 {
		return false
	}
	l := m.languageOf(m.prog.Without(id, syncName), true, known...)
	if l == nil {
		return false
	}
	if slices.ContainsFunc(l.masks[added], l.auto.ends) || slices.ContainsFunc(l.masks[added], l.auto.begins) {
		return false
	}
	for _, from := range [...]kind{read, write, fence} {
		for _, x := range l.masks[from] {
			if !l.auto.ends(x) {
				continue
			}
			for _, to := range [...]kind{read, write, fence} {
				for _, y := range l.masks[to] {
					if l.auto.begins(y) && !l.crosses(from, x, to, y) {
						return false
					}
				}
			}
		}
	}
	return true
}

// ends reports whether walks of one step or more may end at events with this mask, begins whether they may begin there.
func (a automaton) ends(mask uint64) bool {
	for i := range a {
		if a.accepts(1<<i, mask) {
			return true
		}
	}
	return false
}

func (a automaton) begins(mask uint64) bool {
	return slices.ContainsFunc(a[0].out, func(e edge) bool { return e.need&^mask == 0 })
}

// crosses reports whether the language leads from an event to another that comes after it in its thread, and to one that the
// creation or the end of a thread is between.
func (l *language) crosses(from kind, x uint64, to kind, y uint64) bool {
	pos := []step{poElse}
	if from != fence && to != fence {
		pos = append(pos, poLoc)
	}
	for _, po := range pos {
		if !l.auto.accepts(l.auto.after(1, x, po), y) {
			return false
		}
	}
	return l.auto.accepts(l.auto.after(1, x, viewAny), y)
}

// leaves reports whether an edge may lead on from the last event of a thread.
func (e *edge) leaves() bool {
	return e.step.rel == stepCo || e.step.rel == stepFr || e.step.rel == stepRf
}

// dropStarts leaves out states that no new event can be passed in: from the last event of a thread, only co and fr lead on.
func (w *walk) dropStarts() {
	var starts, ends []int
	for i, s := range w.starts {
		if slices.ContainsFunc(w.auto[s].out, func(e edge) bool { return e.leaves() }) {
			starts, ends = append(starts, s), append(ends, w.ends[i])
		}
	}
	w.starts, w.ends = starts, ends
}

// finish finds out what the states need; only are the tests that only sc events pass.
func (w *walk) finish(only uint64) {
	w.entry, w.sc, w.first = make([]uint64, len(w.auto)), make([]bool, len(w.auto)), make([]bool, len(w.auto))
	for i, s := range w.auto {
		if len(s.out) == 0 {
			continue
		}
		w.entry[i] = ^uint64(0)
		for _, e := range s.out {
			w.entry[i] &= e.need
		}
		w.sc[i] = w.entry[i]&only != 0
		w.first[i] = !slices.ContainsFunc(s.out, func(e edge) bool {
			return e.need != 0 || e.step.filter != 0 || e.step.rel != stepPo && e.step.rel != stepView && e.step.rel != stepSync
		})
	}
	w.needsSC = w.allNeed(only)
}

// A start is one search: from an event in a state, to it in one of several states that lead on in the same way.
type start struct {
	state int
	ends  []bool
}

// startsAt returns the searches for an event with this mask. States from which the same edges lead on need one search.
func (w *walk) startsAt(mask uint64) []start {
	enabled := func(s int) []edge {
		var out []edge
		for _, e := range w.auto[s].out {
			if e.need&^mask == 0 && e.leaves() {
				e.need = 0
				out = append(out, e)
			}
		}
		return out
	}
	var list []start
	done := map[string]bool{}
	for _, s := range w.starts {
		edges := enabled(s)
		key := fmt.Sprint(edges)
		if len(edges) == 0 || done[key] {
			continue
		}
		done[key] = true
		st := start{s, make([]bool, len(w.auto))}
		for i, o := range w.starts {
			if other := enabled(o); !slices.ContainsFunc(edges, func(e edge) bool { return !slices.Contains(other, e) }) {
				st.ends[w.ends[i]] = true
			}
		}
		list = append(list, st)
	}
	return list
}

// allNeed reports whether all cycles pass one of some tests.
func (w *walk) allNeed(only uint64) bool {
	if len(w.starts) == 0 || w.half > 0 {
		return false
	}
	// Is there a cycle without such a test? One of rf, co and fr alone is none, nor is one of po and rf.
	for i, s := range w.auto {
		for _, e := range s.out {
			if com := e.step.rel == stepCo || e.step.rel == stepFr; com && e.need&only == 0 && w.returns(e.to, i, only) {
				return false
			}
		}
	}
	return true
}

// returns reports whether edges that need none of the tests not lead from a state to another, one of them along po.
func (w *walk) returns(from, to int, not uint64) bool {
	type node struct {
		state int
		po    bool
	}
	seen := map[node]bool{}
	todo := []node{{from, false}}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if n.po && n.state == to {
			return true
		}
		for _, e := range w.auto[n.state].out {
			if e.need&not == 0 {
				com := e.step.rel == stepCo || e.step.rel == stepFr || e.step.rel == stepRf
				todo = append(todo, node{e.to, n.po || !com})
			}
		}
	}
	return false
}
