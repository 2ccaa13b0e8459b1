package xmm

import (
	"fmt"

	"ravel/internal/graph"
	"ravel/internal/report"
)

// explainAll tells where the cores come from: for each the execution that re-executes to it, and the core itself, both with
// the committed events marked. A core comes after that of its source, so that a reader can follow the chain back to rc11.
func (x *reexecution) explainAll() {
	tell := x.explain
	if tell == nil {
		return
	}
	number := map[*core]int{}
	for _, c := range x.cores[1:] {
		number[c] = len(number) + 1
		from := "an execution of rc11"
		if x.java != nil {
			from = "an execution without cycles"
		}
		if n := number[c.of]; n > 0 {
			from = fmt.Sprintf("an execution with cycle %d", n)
		}
		committed := make([]bool, len(c.source.evs))
		for _, y := range c.image {
			if y != none {
				committed[y] = true
			}
		}
		tell(fmt.Sprintf("%s, which re-executes to cycle %d", from, number[c]), x.picture(c.source, committed))
		committed = make([]bool, len(c.evs))
		for i, y := range c.image {
			committed[i] = y != none
		}
		tell(fmt.Sprintf("cycle %d, and what is before it", number[c]), x.picture(c.sketch, committed))
	}
}

// picture returns s as reports show it.
func (x *reexecution) picture(s *sketch, committed []bool) *report.Execution {
	m := x.Mark()
	defer x.Undo(m)
	x.load(s)
	counts := make([]int32, len(x.Graph.Threads))
	for t := range s.first[1:] {
		counts[t] = s.first[t+1] - s.first[t]
	}
	var marked []graph.ID
	for i := range s.evs {
		if e := &s.evs[i]; committed[i] {
			marked = append(marked, x.Graph.Threads[e.thread][int32(i)-s.first[e.thread]])
		}
	}
	return x.Picture(counts, marked, "committed")
}
