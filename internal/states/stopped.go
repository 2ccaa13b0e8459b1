package states

import (
	"fmt"

	"ravel/internal/ir"
)

// manyLocals is how many states a thread has at a place that is told about when time or memory ran out.
const manyLocals = 50

// advice says what took the time, and what to try. A loop that counts shows in the states of its thread alone: at some place there are many.
func (r *run) advice() string {
	type place struct {
		thread int32
		pos    ir.Pos
	}
	states := map[place]int{}
	var most place
	for l := range r.locals.eachLocal {
		p := place{l.thread, l.pos}
		states[p]++
		if n := states[p]; n > states[most] || n == states[most] && p.pos < most.pos {
			most = p
		}
	}
	if at := r.namer.Location(most.pos); states[most] >= manyLocals && at.Line > 0 {
		return fmt.Sprintf("where the time went: thread %d comes to %s in %d states of its own; if that is a loop, bound it (--unroll 5), make it shorter, or try --engine graphs", most.thread, at, states[most])
	}
	return "where the time went: there are many states, because the steps of threads come in many orders; try fewer threads or operations, or --engine graphs"
}
