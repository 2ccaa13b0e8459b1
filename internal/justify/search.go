package justify

import (
	"fmt"
	"slices"

	"ravel/internal/bitset"
)

// A justifier searches for the justifications of one target.
//
// A stage commits some events of the target. Whether it may depends on what was committed before, on what is
// committed then, and on the execution of the stage: not on how one got there, except for the synchronizations that
// rule 8 keeps. So the search is one for a path through sets of events, each visited once; it is not
// over sequences of executions. These facts make it small; docs/jmm.md has the arguments.
//
//   - A stage that commits several events can be split, in the same execution: first what is not a read, one by
//     one, then the reads, together. So a stage commits one event, or a set of reads.
//   - An event that all executions that are left have, with the same value and the same order to all others,
//     can be committed at once.
//   - All values are known when they are needed: a read that is not committed sees a write that happens before
//     it, and a read that is committed sees a committed one.
type justifier struct {
	target   *graph
	rules    Rules
	identity Identity
	views    []*view
	edges    map[[2]int]uint64 // the target's sw, without initial writes
	all      mask
	inits    mask
	together mask // events that a stage commits together: reads, or all if there are external actions
	visited  map[state]bool
	later    map[string]bool // as visited, for targets whose values are not known
	trail    []stage
	// undetermined: there was a stage whose values depend on themselves.
	undetermined bool
	deadline     func() error
	yield        func(v *values, stages []stage) bool
}

// A state is where a search is: what is committed, and which synchronizations must stay.
type state struct {
	committed mask
	kept      uint64
}

// A stage is one step of a justification.
type stage struct {
	view *view
	from mask // committed before
	to   mask // committed then
}

// newJustifier prepares the search; graphs are all executions.
func newJustifier(target *graph, graphs []*graph, rules Rules, identity Identity, deadline func() error) (*justifier, error) {
	n := len(target.events)
	j := &justifier{target: target, rules: rules, identity: identity, edges: map[[2]int]uint64{}, deadline: deadline}
	j.inits = 1<<target.inits - 1
	j.all = bitset.Below(n)
	j.together = target.reads
	for i, e := range target.events {
		if e.kind == externalEvent { // rule 9 is about all events of a stage: it can't be split
			j.together = j.all &^ j.inits
		}
		for _, y := range members(target.sw[i]) {
			if i >= target.inits {
				if len(j.edges) == 64 {
					return nil, fmt.Errorf("%s: an execution has more than 64 synchronizations", target.prog.test.File)
				}
				j.edges[[2]int{i, y}] = 1 << len(j.edges)
			}
		}
	}
	for _, g := range graphs {
		if err := deadline(); err != nil {
			return nil, err
		}
		correspondences(target, g, identity, func(toG []int) {
			if v := j.view(g, toG); v != nil {
				j.views = append(j.views, v)
			}
		})
	}
	return j, nil
}

// correspondences calls yield with each way to see events of g as those of the target: one for index identity.
func correspondences(t, g *graph, identity Identity, yield func(toG []int)) {
	toG := make([]int, len(t.events))
	for i := range toG {
		toG[i] = -1
	}
	for i := range t.inits {
		toG[i] = i
	}
	similar := func(a, b int) bool {
		return b >= g.inits && t.events[a].thread == g.events[b].thread && t.events[a].similar(g.events[b])
	}
	if identity != Free {
		for a := t.inits; a < len(t.events); a++ {
			for b := range g.events {
				if similar(a, b) && t.events[a].index == g.events[b].index {
					toG[a] = b
				}
			}
		}
		yield(toG)
		return
	}
	var used mask
	var choose func(a int)
	choose = func(a int) {
		if a == len(t.events) {
			yield(slices.Clone(toG))
			return
		}
		free, partners := false, 0
		for b := range g.events {
			if similar(a, b) {
				partners++
				if !used.Has(b) {
					free = true
					used |= bitset.One(b)
					toG[a] = b
					choose(a + 1)
					toG[a] = -1
					used &^= bitset.One(b)
				}
			}
		}
		// Without a partner only if there are fewer than events that want one.
		wanted := 0
		for o := t.inits; o < len(t.events); o++ {
			if t.events[o].thread == t.events[a].thread && t.events[o].similar(t.events[a]) {
				wanted++
			}
		}
		if !free || wanted > partners {
			choose(a + 1)
		}
	}
	choose(t.inits)
}

// run searches; yield gets the values of the target and the stages, and returns whether to go on.
func (j *justifier) run(yield func(*values, []stage) bool) error {
	j.yield = yield
	j.visited, j.later = map[state]bool{}, map[string]bool{}
	known := j.target.values.complete(j.target.shape)
	var given []uint64
	if !known {
		given = make([]uint64, len(j.target.events))
		j.inits.Each(func(i int) { given[i] = j.target.values.written[i] })
	}
	_, err := j.from(state{committed: j.inits}, j.views, given)
	if err == nil && j.undetermined { // only final fields can do that: hb-final is not part of hb
		err = fmt.Errorf("%s: not supported: values depend on themselves by way of final fields", j.target.prog.test.File)
	}
	return err
}

// from goes on from a state. given are the values of committed writes where the target's values are not
// known, else nil. It returns false to stop the search.
func (j *justifier) from(s state, views []*view, given []uint64) (bool, error) {
	if given == nil {
		if j.visited[s] {
			return true, nil
		}
		j.visited[s] = true
	} else {
		key := fmt.Sprint(s, given)
		if j.later[key] {
			return true, nil
		}
		j.later[key] = true
	}
	if err := j.deadline(); err != nil {
		return false, err
	}
	if s.committed == j.all {
		return j.complete(given), nil
	}
	// An execution that cannot be a stage now cannot be one later.
	var left []*view
	for _, v := range views {
		if s.committed&^v.same == 0 && s.committed&v.never == 0 && s.committed&j.target.reads&^v.rfSame == 0 && s.kept&^v.hasSW == 0 && v.agrees(s.committed) {
			left = append(left, v)
		}
	}
	if e := j.harmless(s, left); e != 0 {
		for _, v := range left {
			if v.unsafe&^s.committed != 0 {
				continue
			}
			if _, ok := j.commitValues(s, v, e, given); ok {
				return j.step(s, v, left, e, given)
			}
		}
		return true, nil
	}
	for _, v := range left {
		if v.unsafe&^s.committed != 0 {
			continue
		}
		more, err := j.stages(s, v, left, given)
		if !more || err != nil {
			return more, err
		}
	}
	return true, nil
}

// agrees reports whether no two of these events are ordered otherwise than in the target.
func (v *view) agrees(committed mask) bool {
	for m := committed; m != 0; m &= m - 1 {
		if v.differ[m.First()]&committed != 0 {
			return false
		}
	}
	return true
}

// harmless returns an event that is not a read and that all views agree about with the target, or 0. What
// it would make rule 8 keep, all of them have.
func (j *justifier) harmless(s state, views []*view) mask {
	if len(views) == 0 {
		return 0
	}
	t := j.target
	good := j.all &^ s.committed &^ j.together &^ (t.writes &^ t.values.writtenOK)
	kept := ^uint64(0)
	for _, v := range views {
		kept &= v.hasSW
	}
	for _, v := range views {
		good &= v.same &^ v.never &^ v.open
		for _, n := range v.needs {
			if n.edge&^kept != 0 {
				good &^= n.after
			}
		}
		for m := good; m != 0; m &= m - 1 {
			if i := m.First(); v.differ[i] != 0 || v.before[i] != 0 {
				good &^= bitset.One(i)
			}
		}
		if good == 0 {
			return 0
		}
	}
	return good & -good
}

// stages goes on with each set of events that can be committed in v.
func (j *justifier) stages(s state, v *view, left []*view, given []uint64) (bool, error) {
	free := v.same &^ v.never &^ s.committed
	var group []int
	for _, e := range members(free) {
		if v.differ[e]&s.committed != 0 {
			continue
		}
		if j.together.Has(e) {
			if j.mayCommit(s, v, e) {
				group = append(group, e)
			}
			continue
		}
		if more, err := j.step(s, v, left, bitset.One(e), given); !more || err != nil {
			return more, err
		}
	}
	for set := 1<<len(group) - 1; set > 0; set-- {
		var add mask
		for i, e := range group {
			if set>>i&1 != 0 {
				add |= bitset.One(e)
			}
		}
		ok := true
		for _, e := range members(add) {
			ok = ok && v.differ[e]&add == 0
		}
		if !ok {
			continue
		}
		if more, err := j.step(s, v, left, add, given); !more || err != nil {
			return more, err
		}
	}
	return true, nil
}

// mayCommit is rule 7: what a read sees, in the stage and in the target, has been committed.
func (j *justifier) mayCommit(s state, v *view, r int) bool {
	if !j.target.reads.Has(r) {
		return true // an external action
	}
	if !s.committed.Has(j.target.rf[r]) {
		return false
	}
	return j.rules == AspinallSevcik || v.rfIn[r] >= 0 && s.committed.Has(v.rfIn[r])
}

// step commits events in v and goes on.
func (j *justifier) step(s state, v *view, left []*view, add mask, given []uint64) (bool, error) {
	next := state{s.committed | add, s.kept}
	for _, n := range v.needs {
		if n.after&next.committed != 0 {
			next.kept |= n.edge
		}
	}
	if next.kept&^v.hasSW != 0 {
		return true, nil
	}
	for _, e := range members(next.committed & v.ordered) { // rule 9
		if v.before[e]&^next.committed != 0 {
			return true, nil
		}
	}
	given, ok := j.commitValues(s, v, add, given)
	if !ok {
		return true, nil
	}
	j.trail = append(j.trail, stage{v, s.committed, next.committed})
	more, err := j.from(next, left, given)
	j.trail = j.trail[:len(j.trail)-1]
	return more, err
}

// commitValues is rule 4: it computes the values of a stage from those of the committed events, and returns
// given with those of the events that are committed then. It returns false if they contradict each other. Where
// the target's values are known, so that given is nil, only a stage whose own values are not known needs a look.
func (j *justifier) commitValues(s state, v *view, add mask, given []uint64) ([]uint64, bool) {
	g, t := v.g, j.target
	if given == nil && v.g.values.complete(v.g.shape) {
		return nil, true
	}
	inG := make([]uint64, len(g.events))
	var fixed mask
	for _, a := range members(s.committed & t.writes) {
		fixed |= bitset.One(v.toG[a])
		if given != nil {
			inG[v.toG[a]] = given[a]
		} else {
			inG[v.toG[a]] = t.values.written[a]
		}
	}
	var vals values
	if !g.propagate(g.rf, fixed, inG, &vals) {
		return nil, false
	}
	if !vals.complete(g.shape) {
		j.undetermined = true
		return nil, false
	}
	next := slices.Clone(given)
	for _, a := range members((s.committed | add) &^ j.inits) {
		if e := t.events[a]; !e.writes() && e.kind != externalEvent {
			continue
		}
		x := vals.shown(g, v.toG[a])
		switch {
		case given == nil:
			if x != t.values.shown(t, a) {
				return nil, false
			}
		case s.committed.Has(a):
			if x != given[a] {
				return nil, false
			}
		default:
			next[a] = x
		}
	}
	return next, true
}

// complete is reached when all is committed: the last stage is the target itself.
func (j *justifier) complete(given []uint64) bool {
	t := j.target
	vals := &t.values
	if given != nil {
		vals = &values{}
		if !t.propagate(t.rf, t.writes, given, vals) || !vals.complete(t.shape) {
			return true
		}
		for a, e := range t.events {
			if e.kind == externalEvent && vals.shown(t, a) != given[a] {
				return true
			}
		}
	}
	return j.yield(vals, j.trail)
}
