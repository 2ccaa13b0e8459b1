package explore

import (
	"fmt"

	"ravel/internal/machine"
	"ravel/internal/model"
)

// Models with constraints that are decided on complete executions only (model.LateModel): Java's, and those in cat that are not monotone.
//
// Definition. Let M be such a model, and B the model without these constraints, which is explored. An execution of B is one of M if Complete says so.
//
// Lemma. If all executions of B are explored, those of M are counted exactly once. Proof: B is weaker than M, so the executions of M are among those of B, and each of those is visited
// once. ∎
//
// Three things need care:
//
//   - An error that ends a thread, as a failed assertion, is one of an execution in which this thread stops there, and the others run on to their ends. That is a complete
//     execution, and the error is reported there.
//   - Other errors are found when an event is added. They are reported if the graph fulfils all constraints as it is. That is not exact: the graph may fulfil
//     them, and no execution that it is part of, or the other way round. In the first case the report says so. In the second the verdict is not that the program is
//     verified (possible).
//   - A thread that waits is blocked after one round of its loop, and a graph in which a thread has read something old is not explored on (stale), because the others do the same where it
//     reads the latest. Constraints on complete executions may tell these apart. So the second is not done, and where a loop is cut, the verdict is bounded.

// A late decides on complete executions under such a model.
type late struct {
	*worker
	model  model.LateModel // the model of the worker
	judged bool            // the graph is complete and consistent
}

// finished reports whether the graph, in which no thread can move, is an execution. If threads have come to errors
// there, it reports them.
func (l *late) finished() bool {
	ok, err := l.model.Complete(l.g, &l.stop.Bool)
	if err != nil && !l.stop.Load() {
		l.stop.GiveUp(err.Error())
	}
	if !ok {
		l.done()
		return false
	}
	l.judged = true
	for t := range l.cur {
		if l.cur[t] == 0 {
			continue
		}
		if act := &l.pendingOf(int32(t)).act; act.Kind == machine.Fail {
			l.fail(int32(t), act.Error, l.about(int32(t), act)...)
		}
	}
	return true
}

// stops reports whether an error ends its thread and nothing else: not what ends the exploration, because it is not known how the thread goes on.
func stops(err *machine.Error) bool { return !err.Endless && err.Kind != machine.Unsupported }

// possible reports whether an error of the graph is one of an execution. note is what the report has to say about that.
func (l *late) possible(err *machine.Error) (ok bool, note string) {
	if l.judged {
		return true, ""
	}
	ok, certain := l.model.Possible(l.g, &l.stop.Bool)
	switch {
	case certain:
		return ok, ""
	case !stops(err):
		return true, ""
	case ok:
		return true, fmt.Sprintf("%s has constraints that are decided on complete executions: this one fulfils them as far as it goes", l.m.Name())
	}
	l.notExplored(fmt.Sprintf("there is an error in an execution that %s does not allow as far as it goes: whether it is allowed when it is complete was not found out", l.m.Name()))
	return false, ""
}

// cutsLoop notes that a loop which waits is not explored on.
func (l *late) cutsLoop(act *machine.Action) {
	if act.Block == machine.Spin || act.Block == machine.Lock {
		l.notExplored(fmt.Sprintf("loops that wait were cut after one round, and %s has constraints that are decided on complete executions, where more rounds may matter", l.m.Name()))
	}
}
