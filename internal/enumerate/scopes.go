package enumerate

import (
	"slices"
	"strconv"
	"strings"

	"ravel/internal/litmus"
)

// A scope is a node of the scope tree of a LISA test: the threads that share one instance of a level.
type scope struct {
	level   string
	threads []int // IDs
}

// scopes reads the tree, (system (gpu (cta P0 P1) (cta P2))), into the list of its nodes.
func scopes(tree string) []scope {
	_, tree, _ = strings.Cut(tree, ":")
	var done, open []scope
	for _, word := range strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(tree)) {
		switch {
		case word == "(":
			open = append(open, scope{})
		case len(open) == 0:
		case word == ")":
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if len(open) > 0 {
				open[len(open)-1].threads = append(open[len(open)-1].threads, last.threads...)
			}
			done = append(done, last)
		default:
			top := &open[len(open)-1]
			if id, err := strconv.Atoi(strings.TrimPrefix(word, "P")); err == nil {
				top.threads = append(top.threads, id)
			} else {
				top.level = word
			}
		}
	}
	return done
}

// fillScopes relates the events of threads that share a scope, for the levels that the model declares.
func (s *search) fillScopes() {
	if s.test.Arch != litmus.LISA || s.test.Scopes == "" {
		return
	}
	for _, sc := range scopes(s.test.Scopes) {
		if !slices.Contains(s.c.voc.Rels, sc.level) {
			continue
		}
		inside := func(e int) bool {
			return s.thread[e] >= 0 && slices.Contains(sc.threads, s.test.Threads[s.thread[e]].ID)
		}
		r := s.x.Rel(sc.level)
		for i := range s.events {
			for j := range s.events {
				if inside(i) && inside(j) {
					r.Add(i, j)
				}
			}
		}
	}
}
