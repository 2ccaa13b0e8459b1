package enumerate

import (
	"slices"

	"ravel/internal/cat"
)

// place puts the writes of each location in coherence order.
func (s *search) place() {
	s.todo = s.todo[:0]
	if !s.c.usesCo {
		s.finals(0)
		return
	}
	s.todo = append(s.todo, s.writes...)
	s.group()
	s.insert(0)
}

// insert places write k in the order of its location, at every place where the model does not forbid it.
func (s *search) insert(k int) {
	if k == len(s.todo) {
		s.evaluate()
		return
	}
	w := s.todo[k]
	l := s.at[w]
	n := len(s.order[l])
	if n == 0 {
		s.order[l] = append(s.order[l], w)
		s.insert(k + 1)
		s.order[l] = s.order[l][:0]
		return
	}
	first := 0
	if twin := s.twin[w]; twin >= 0 {
		first = slices.Index(s.order[l], twin) + 1
	}
	// From the end on: w comes later in its thread than those that are placed.
	for i := n; i >= first; i-- {
		if s.contradicts(w, s.order[l], i) {
			continue
		}
		s.order[l] = append(s.order[l], 0)
		copy(s.order[l][i+1:], s.order[l][i:])
		s.order[l][i] = w
		for j, v := range s.order[l] {
			if j < i {
				s.before(v, w)
			} else if j > i {
				s.before(w, v)
			}
		}
		if !s.violated(cat.Coherence) {
			s.insert(k + 1)
		}
		for j, v := range s.order[l] {
			if j < i && !s.must.Has(v, w) {
				s.unorder(v, w)
			} else if j > i && !s.must.Has(w, v) {
				s.unorder(w, v)
			}
		}
		copy(s.order[l][i:], s.order[l][i+1:])
		s.order[l] = s.order[l][:n]
	}
}

// contradicts reports whether w at place i of an order is against what decide found.
func (s *search) contradicts(w int, order []int, i int) bool {
	for j, v := range order {
		if j < i && s.must.Has(w, v) || j >= i && s.must.Has(v, w) {
			return true
		}
	}
	return false
}

// decide looks at the places of w, the write of a read-modify-write whose read just got its source, relative to the
// other writes of the location: where the model forbids one, the other is certain. It returns false if both
// are forbidden, as when another one read the same write. Without this all combinations of sources are tried.
func (s *search) decide(w int) bool {
	for _, v := range s.writes {
		if v == w || s.at[v] != s.at[w] || s.co.Has(v, w) || s.co.Has(w, v) {
			continue
		}
		s.decided = true
		if !s.decidePair(w, v) {
			return false
		}
	}
	return true
}

// decideOwn looks at the place of w, which r reads from, relative to the last write of r's thread to the location before it. It is as decide: without this,
// a loop that writes what it reads has a product of sources, none of which coherence allows.
func (s *search) decideOwn(r, w int) bool {
	if s.opts.OnRejected != nil || !s.c.usesCo {
		return true
	}
	own := -1
	for v := s.base[s.thread[r]]; v < r; v++ {
		if s.events[v].kind == write && s.at[v] == s.at[r] {
			own = v
		}
	}
	if own < 0 || own == w {
		return true
	}
	if s.co.Has(w, own) || s.co.Has(own, w) {
		return !s.violated(cat.Coherence)
	}
	s.decided = true
	return s.decidePair(own, w)
}

// decidePair orders two writes if the model leaves no choice, and returns false if it allows neither order.
func (s *search) decidePair(w, v int) bool {
	after, before := s.try(w, v), s.try(v, w)
	switch {
	case !after && !before:
		return false
	case !before:
		s.force(w, v)
	case !after:
		s.force(v, w)
	}
	return true
}

// try reports whether a may be before b.
func (s *search) try(a, b int) bool {
	s.before(a, b)
	bad := s.violated(cat.Coherence)
	s.unorder(a, b)
	return !bad
}

// before adds a pair to co. A model that knows of locks merges unlocks into co itself.
func (s *search) before(a, b int) {
	s.co.Add(a, b)
	if s.shown != nil && !s.unlocks(a) && !s.unlocks(b) {
		s.shown.Add(a, b)
	}
}

// unorder takes a pair out again.
func (s *search) unorder(a, b int) {
	s.co.Del(a, b)
	if s.shown != nil {
		s.shown.Del(a, b)
	}
}

func (s *search) unlocks(e int) bool {
	return s.events[e] != nil && slices.Contains(s.events[e].sets, "UL")
}

func (s *search) force(a, b int) {
	s.before(a, b)
	s.must.Add(a, b)
	s.forced = append(s.forced, [2]int{a, b})
}

func (s *search) unforce(mark int) {
	for _, p := range s.forced[mark:] {
		s.unorder(p[0], p[1])
		s.must.Del(p[0], p[1])
	}
	s.forced = s.forced[:mark]
}

// finals chooses the last write of each location, for models that do not look at coherence.
func (s *search) finals(l int) {
	if l == len(s.locs) {
		s.evaluate()
		return
	}
	chosen := false
	for _, w := range s.writes {
		if s.at[w] == l {
			chosen = true
			s.order[l] = append(s.order[l][:0], w)
			s.finals(l + 1)
		}
	}
	s.order[l] = s.order[l][:0]
	if !chosen {
		s.finals(l + 1)
	}
}

// last is the final write of a location.
func (s *search) last(l int) int {
	if order := s.order[l]; len(order) > 0 {
		return order[len(order)-1]
	}
	return l
}

// evaluate runs the model on the execution, which is complete now.
func (s *search) evaluate() {
	s.poll()
	fw := s.x.Set("FW")
	fw.Reset(len(s.events))
	tested := s.x.Set("Tested")
	tested.Reset(len(s.events))
	for l, place := range s.locs {
		last, observed := s.last(l), s.observed.names(place.name)
		if observed {
			tested.Add(last)
		}
		// A lock's final write is that of a test that asks for it, and then the initial one.
		if e := s.events[last]; e == nil || !s.c.locks || !e.locks() {
			fw.Add(last)
		} else if observed {
			fw.Add(l)
		}
	}
	level := cat.Final
	switch {
	case s.opts.OnRejected != nil:
		level = cat.Structure // nothing was evaluated before
	case s.decided:
		level = cat.Coherence // decide may have been the last to ask
	}
	err := s.m.RunFrom(s.view(), level, func(r *cat.Result) bool {
		if s.c.usesCo {
			s.countTwins(0, s.weight, r)
		} else {
			s.count(r, 1)
		}
		return true
	})
	if err != nil {
		panic(failure{err})
	}
}
