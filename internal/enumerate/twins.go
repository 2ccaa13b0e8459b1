package enumerate

import (
	"math"
	"slices"

	"ravel/internal/cat"
	"ravel/internal/litmus"
)

// Writes that a model cannot tell apart may change places in coherence order: such twins are the only
// events of their threads, go to the same location with the same sets, and are not read. Only orders
// with twins in the order of their numbers are looked at. Each stands for all orders that permute them: k! for k twins, of
// which each twin is last equally often if one is. So n writers to one location have one order to check, not n!.

// group finds the twins for the current rf.
func (s *search) group() {
	s.twin, s.kin = s.twin[:0], s.kin[:0]
	for range s.events {
		s.twin, s.kin = append(s.twin, -1), append(s.kin, 1)
	}
	s.weight = 1
	if !s.c.blind || s.opts.OnExecution != nil || s.opts.OnRejected != nil || s.test.Arch == litmus.LISA {
		return
	}
	var class []int
	done := make([]bool, len(s.events))
	for i, w := range s.writes {
		if done[w] || !s.lonely(w) {
			continue
		}
		class = append(class[:0], w)
		for _, v := range s.writes[i+1:] {
			if !done[v] && s.at[v] == s.at[w] && s.lonely(v) && slices.Equal(s.events[v].sets, s.events[w].sets) && s.weight <= math.MaxInt64/(len(class)+1) {
				class = append(class, v)
				s.weight *= len(class)
				s.twin[v] = class[len(class)-2]
				done[v] = true
			}
		}
		for _, v := range class {
			s.kin[v] = len(class)
		}
	}
}

// lonely reports whether a write is all that its thread does, and is not read.
func (s *search) lonely(w int) bool {
	if len(s.chosen[s.thread[w]].events) != 1 {
		return false
	}
	return !slices.ContainsFunc(s.reads, func(r int) bool { return s.src[r] == w })
}

// countTwins counts the current execution and those that permute its twins: from location l on, the last write is
// each of the twins that it may be.
func (s *search) countTwins(l, weight int, r *cat.Result) {
	for ; l < len(s.locs); l++ {
		last := s.last(l)
		if s.events[last] == nil || s.kin[last] == 1 {
			continue
		}
		end := len(s.order[l]) - 1
		weight /= s.kin[last]
		// The last one of the class has the highest number; the others are its predecessors.
		for w := last; w >= 0; w = s.twin[w] {
			s.order[l][end] = w
			s.countTwins(l+1, weight, r)
		}
		s.order[l][end] = last
		return
	}
	s.count(r, weight)
}
