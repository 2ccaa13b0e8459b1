package herd

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"ravel/internal/cat"
	"ravel/internal/enumerate"
	"ravel/internal/event"
	"ravel/internal/explore"
	"ravel/internal/frontend/litmus"
	"ravel/internal/graph"
	"ravel/internal/model"
)

const xmm = model.XMM

// c11 are the axioms of rc11 without acyclic (po | rf): what xmm asks of each graph.
const c11 = `"C11 without a rule about cycles of po and rf"
include "atomics.cat"
include "psc.cat"
let rs = [W & Atomic]; (rf; update)*
let hb = Happens-before(rs)
irreflexive hb; eco? as coherence
empty update & (fr; co) as atomicity
acyclic psc-order(hb) as sc
undefined_unless empty races(hb) as race
`

// loadXMM returns what the executions of xmm are chosen from.
func loadXMM() (*enumerate.Model, error) {
	m, err := cat.LoadText(xmm, c11)
	if err != nil {
		return nil, err
	}
	return enumerate.New(xmm, m, nil), nil
}

// An outcome is what is kept of an execution that satisfies C11's axioms.
type outcome struct {
	state                        []litmus.Value
	positive, thinAir, undefined bool
}

// runXMM runs a test under xmm: all executions that satisfy C11's axioms are enumerated, then those are kept that others re-execute to (docs/xmm.md).
func runXMM(t *litmus.Test, m *enumerate.Model, o enumerate.Options) (*enumerate.Result, error) {
	if t.Arch != litmus.C {
		return nil, fmt.Errorf("%s: %s is a model of C, the test is in %s", t.File, xmm, t.Arch)
	}
	if t.Filter != nil {
		return nil, fmt.Errorf("%s: a filter is not supported under %s", t.File, xmm)
	}
	var foreign *enumerate.Event // one that has none of C11's modes
	var executions [][]explore.LitmusEvent
	var outcomes []outcome
	values := map[litmus.Value]uint64{}
	places := map[string]uint64{}
	o.OnExecution = func(x *enumerate.Execution) bool {
		for i := range x.Events {
			if e := &x.Events[i]; e.Thread >= 0 && modeOf(e) == noMode {
				foreign = e
				return false
			}
		}
		executions = append(executions, litmusEvents(t, x, values, places))
		outcomes = append(outcomes, outcome{slices.Clone(x.State), x.Positive, x.ThinAir, x.Result.Undefined})
		return true
	}
	res, err := enumerate.Run(t, m, o)
	if err != nil {
		return nil, err
	}
	if foreign != nil {
		return nil, fmt.Errorf("%s:%d: %s knows of C11's atomics and plain accesses only: %s", t.File, foreign.Instr.Line, xmm, foreign.Instr.Text)
	}
	var stop atomic.Bool
	defer context.AfterFunc(o.Ctx, func() { stop.Store(true) })()
	allowed := explore.Reexecuted(executions, &stop)
	res.Stopped = res.Stopped || stop.Load()
	res.Positive, res.Negative, res.ThinAir, res.Undefined = 0, 0, 0, false
	for i := range res.States {
		res.States[i].Executions = 0
	}
	for i, out := range outcomes {
		if !allowed[i] {
			continue
		}
		if out.positive {
			res.Positive++
		} else {
			res.Negative++
		}
		if out.thinAir {
			res.ThinAir++
		}
		res.Undefined = res.Undefined || out.undefined
		n := slices.IndexFunc(res.States, func(s enumerate.State) bool { return slices.Equal(s.Values, out.state) })
		res.States[n].Executions++
	}
	res.States = slices.DeleteFunc(res.States, func(s enumerate.State) bool { return s.Executions == 0 })
	return res, nil
}

// litmusEvents returns the events of x but for the initial writes. The same values and places get the same numbers in all executions.
func litmusEvents(t *litmus.Test, x *enumerate.Execution, values map[litmus.Value]uint64, places map[string]uint64) (out []explore.LitmusEvent) {
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
		l := explore.LitmusEvent{Thread: int32(e.Thread), Kind: kinds[e.Kind], Mode: modeOf(e), Source: -1}
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
