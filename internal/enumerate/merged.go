package enumerate

import (
	"slices"

	"ravel/internal/cat"
	"ravel/internal/litmus"
	"ravel/internal/relation"
)

// A read-modify-write is two events here, related by rmw. To herd it is one in C11 and in Java, which is in R and in W, and a model that never speaks of
// rmw relies on that: under acyclic (po | rf | co | fr) it is atomic only if it is one event. Such a model sees executions
// in which the two are one. In BPF all but a compare-and-swap are one event to any model.

// mergesUpdates reports whether to show such executions of t to a program.
func mergesUpdates(t *litmus.Test, p *cat.Program) bool {
	if t.Arch == litmus.BPF {
		return true
	}
	if t.Arch != litmus.C && t.Arch != litmus.Java || uses(t, isKernel) {
		return false
	}
	return !slices.ContainsFunc([]string{"rmw", "amo", "lxsx"}, p.Uses)
}

// merge numbers the events as the model sees them, and returns whether there are fewer.
func (s *search) merge() bool {
	s.seen, s.shows = s.seen[:0], s.shows[:0]
	for i, e := range s.events {
		if e != nil && e.pair >= 0 && e.amo && !(e.cond && s.test.Arch == litmus.BPF) {
			n := s.seen[s.base[s.thread[i]]+e.pair]
			s.seen = append(s.seen, n)
			s.shows[n] = i
			continue
		}
		s.seen = append(s.seen, len(s.shows))
		s.shows = append(s.shows, i)
	}
	return len(s.shows) < len(s.events)
}

// view returns the execution as the model sees it.
func (s *search) view() *cat.Exec {
	if !s.merged {
		return s.x
	}
	if s.y == nil {
		s.y = cat.NewExec(s.c.voc, 0)
		s.y.SameValue = func(a, b int) bool { return s.x.SameValue(s.shows[a], s.shows[b]) }
		s.y.AtLoc = func(name string) relation.Set {
			set, out := s.x.AtLoc(name), relation.NewSet(s.y.N)
			for i := range set.Events() {
				out.Add(s.seen[i])
			}
			return *out
		}
	}
	s.y.Reset(len(s.shows))
	for k := range s.x.Sets {
		for i := range s.x.Sets[k].Events() {
			s.y.Sets[k].Add(s.seen[i])
		}
	}
	for k, name := range s.c.voc.Rels {
		s.mergeRel(&s.y.Rels[k], &s.x.Rels[k], name == "po")
	}
	return s.y
}

// mergeRel makes out what r is between the events that the model sees. Those of one event are not in program order.
func (s *search) mergeRel(out, r *relation.Rel, strict bool) {
	for i, j := range r.Pairs() {
		if a, b := s.seen[i], s.seen[j]; a != b || !strict {
			out.Add(a, b)
		}
	}
}
