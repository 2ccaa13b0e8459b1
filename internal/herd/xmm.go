package herd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"ravel/internal/catmodel"
	"ravel/internal/enumerate"
	"ravel/internal/event"
	"ravel/internal/explore/xmm"
	"ravel/internal/graph"
	"ravel/internal/litmus"
	"ravel/internal/memmodel"
)

// Load returns a model for litmus tests by its name or file.
func Load(name string) (*enumerate.Model, error) {
	m, err := enumerate.Load(name)
	if err != nil {
		return nil, err
	}
	if d, err := memmodel.Find(m.Name); err == nil && d.Selects() && !catmodel.IsFile(name) {
		m.UseSelector(newReexecution)
	}
	return m, nil
}

// A reexecution selects the executions of xmm: those that others re-execute to (docs/xmm.md).
type reexecution struct {
	test       *litmus.Test
	executions [][]xmm.Event
	values     map[litmus.Value]uint64
	places     map[string]uint64
	steps      []*xmm.Step
}

func newReexecution(t *litmus.Test) (enumerate.Selector, error) {
	if t.Arch != litmus.C {
		return nil, fmt.Errorf("%s: xmm is a model of C, the test is in %s", t.File, t.Arch)
	}
	if t.Filter != nil {
		return nil, fmt.Errorf("%s: a filter is not supported under xmm", t.File)
	}
	return &reexecution{test: t, values: map[litmus.Value]uint64{}, places: map[string]uint64{}}, nil
}

// See implements enumerate.Selector.
func (r *reexecution) See(x *enumerate.Execution) error {
	for i := range x.Events {
		if e := &x.Events[i]; e.Thread >= 0 && modeOf(e) == noMode {
			return fmt.Errorf("%s:%d: xmm knows of C11's atomics and plain accesses only: %s", r.test.File, e.Instr.Line, e.Instr.Text)
		}
	}
	r.executions = append(r.executions, litmusEvents(r.test, x, r.values, r.places))
	return nil
}

// Allowed implements enumerate.Selector.
func (r *reexecution) Allowed(ctx context.Context) ([]bool, bool) {
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	r.steps = xmm.Reexecuted(r.executions, &stop)
	allowed := make([]bool, len(r.steps))
	for i, s := range r.steps {
		allowed[i] = s != nil
	}
	return allowed, !stop.Load()
}

// Derivation implements enumerate.Selector: the re-executions that lead to an execution, from one of rc11 on.
func (r *reexecution) Derivation(i int) []string {
	s := r.steps[i]
	if s.From < 0 {
		return nil
	}
	lines := append(r.Derivation(s.From), "re-executed from")
	for t := range r.test.Threads {
		lines = append(lines, fmt.Sprintf("  P%d: %s", r.test.Threads[t].ID, r.words(s.From, t, nil)))
	}
	lines = append(lines, "with these committed")
	for t := range r.test.Threads {
		if words := r.words(i, t, s.Committed); words != "" {
			lines = append(lines, fmt.Sprintf("  P%d: %s", r.test.Threads[t].ID, words))
		}
	}
	return lines
}

// words lists the events of a thread of an execution: all, or those of a list.
func (r *reexecution) words(execution, thread int, only []int32) string {
	var words []string
	for i, e := range r.executions[execution] {
		if int(e.Thread) != thread || only != nil && !slices.Contains(only, int32(i)) {
			continue
		}
		switch e.Kind {
		case graph.Read:
			words = append(words, fmt.Sprintf("R %s = %v", numbered(r.places, e.Loc), numbered(r.values, e.Val)))
		case graph.Write:
			words = append(words, fmt.Sprintf("W %s = %v", numbered(r.places, e.Loc), numbered(r.values, e.Val)))
		default:
			words = append(words, "F")
		}
	}
	return strings.Join(words, ", ")
}

// numbered returns what has the number n.
func numbered[T comparable](numbers map[T]uint64, n uint64) (v T) {
	for k, m := range numbers {
		if m == n {
			return k
		}
	}
	return v
}

// Rule implements enumerate.Selector.
func (r *reexecution) Rule() string { return "re-execution: no execution that xmm allows leads to it" }

// litmusEvents returns the events of x except for the initial writes. The same values and places get the same numbers in all executions.
func litmusEvents(t *litmus.Test, x *enumerate.Execution, values map[litmus.Value]uint64, places map[string]uint64) (out []xmm.Event) {
	at := make([]int32, len(x.Events)) // by event: its number in out
	var from []int                     // the event of each of those
	for th := range t.Threads {
		for i := range x.Events {
			if x.Events[i].Thread == th {
				at[i] = int32(len(from))
				from = append(from, i)
			}
		}
	}
	rf, rmw := x.Exec.Rel("rf"), x.Exec.Rel("rmw")
	for _, i := range from {
		e := &x.Events[i]
		l := xmm.Event{Thread: int32(e.Thread), Kind: kinds[e.Kind], Mode: modeOf(e), Source: -1}
		if l.Kind != graph.Fence {
			l.Loc, l.Val = number(places, e.Loc), number(values, e.Value)
			l.RMW = isUpdate(t.Threads[e.Thread], e)
		}
		for j := range x.Events {
			if l.Kind == graph.Read && rf.Has(j, i) && x.Events[j].Thread >= 0 {
				l.Source = at[j]
			}
			if l.Kind == graph.Write && x.Co.Has(j, i) {
				l.Co++ // the initial write is there, too
			}
			l.Update = l.Update || rmw.Has(j, i)
		}
		out = append(out, l)
	}
	return out
}

var kinds = map[string]graph.Kind{"R": graph.Read, "W": graph.Write, "F": graph.Fence}

// number returns the number of v, a new one if it has none.
func number[T comparable](numbers map[T]uint64, v T) uint64 {
	n, ok := numbers[v]
	if !ok {
		n = uint64(len(numbers) + 1)
		numbers[v] = n
	}
	return n
}

// modes are the sets that tell the mode of an event of a C test.
var modes = map[string]event.Mode{
	"NA": event.NA, "RLX": event.Rlx, "CON": event.Rlx, "ACQ": event.Acq, "REL": event.Rel, "ACQ_REL": event.AcqRel, "SC": event.SC,
}

// noMode is the mode of events that have none of those.
const noMode = ^event.Mode(0)

// modeOf returns the access mode of an event.
func modeOf(e *enumerate.Event) event.Mode {
	for _, name := range e.Sets {
		if mode, ok := modes[name]; ok {
			return mode
		}
	}
	return noMode
}

// isUpdate reports whether the access e is of a read-modify-write, also one that fails.
func isUpdate(th *litmus.Thread, e *enumerate.Event) bool {
	return slices.ContainsFunc(th.Ops, func(op litmus.Op) bool {
		return op.Kind == litmus.Store && op.Pair >= 0 && &th.Instrs[op.Ins] == e.Instr
	})
}
