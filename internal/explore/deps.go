package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
	"ravel/internal/model"
)

// A tracker has what a worker needs under a model that tracks dependencies and allows cycles in po ∪ rf: it finds out whether there may be one (buffer.go, arms.go), and
// looks for errors that the dependencies decide on (deperrors.go).
type tracker struct {
	*worker
	model    model.DepModel // the model of the worker
	armed    model.Armed    // the same, if its control dependencies end with the arms of branches
	prefix   prefix         // scratch
	suspects []graph.ID     // scratch: see buffers
	firm     firm           // scratch
	next     graph.Event    // scratch: see eventOf
	known    graph.Event    // scratch: see orderedBefore
	fronts   []front        // scratch: see leads
	later    graph.Event    // scratch: see holdsBack

	// Of findRace.
	onRace  func(a, b graph.ID) bool
	hasRace bool // there is one
}

// setDeps sets what e, which its thread is at, depends on, if the model tracks dependencies.
func (w *worker) setDeps(e *graph.Event) {
	if !w.tracks {
		return
	}
	act := &w.pendingOf(e.Thread).act
	e.Tag = act.Tag
	e.Addr, e.Ctrl, e.Exp, e.Open = act.AddrDep, act.CtrlDep, act.ExpDep, act.OpenDep
	evs := w.g.Threads[e.Thread]
	if i := e.Index; i > 0 && int(i) <= len(evs) && evs[i-1] != graph.Hole {
		prev := &w.g.Events[evs[i-1]]
		e.AddrPo = w.g.Deps.Join(prev.AddrPo, prev.Addr)
	}
	if e.Kind != graph.Write {
		return
	}
	e.Data = act.DataDep
	if act.Kind != machine.RMW {
		return
	}
	switch act.RMW {
	case event.Xchg:
		e.Flags |= graph.Blind
	case event.CAS, event.AddUnless:
		// The write comes after a branch on the comparison.
		test := w.g.Deps.Join(e.Exp, w.g.Deps.Single(e.Index-1))
		e.Ctrl = w.g.Deps.Join(e.Ctrl, test)
		if w.traits.Armed != nil {
			e.Open = w.g.Deps.Join(e.Open, test)
		}
	}
}
