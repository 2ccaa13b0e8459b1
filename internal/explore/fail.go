package explore

import (
	"fmt"

	"ravel/internal/engine"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// related is another event that has to do with an error, or, if id is None, the declaration at pos.
type related struct {
	id   graph.ID
	what string
	pos  ir.Pos
}

// about returns what else an error that the machine found has to do with.
func (w *worker) about(t int32, act *machine.Action) []related {
	g := w.g
	if mark := act.Error.Mark; mark != "" {
		evs := g.Threads[t]
		for i := len(evs) - 1; i >= 0; i-- {
			if e := &g.Events[evs[i]]; e.Kind == graph.Read && g.Locs[e.Loc].Addr.Visible() == act.Addr {
				if e.RF == graph.Init {
					return nil
				}
				return []related{{id: e.RF, what: mark}}
			}
		}
		return nil
	}
	if act.Error.Kind == machine.UninitError && act.Error.Decl == ir.NoPos {
		return w.undefinedOrigins(t)
	}
	decl := act.Error.Decl
	if v, _ := w.prog.Object(act.Addr); v != nil {
		decl = v.Pos
	}
	if decl == ir.NoPos {
		return nil
	}
	return []related{{what: "declared here", pos: decl}}
}

// fail reports an error of thread t in the action that it is at, or, if the source has no place for that, at the first of the others.
func (w *worker) fail(t int32, err *machine.Error, others ...related) {
	pos := w.sourcePos(w.pendingOf(t))
	if w.location(pos).Line == 0 && len(others) > 0 && others[0].id != graph.None {
		pos = w.posOf(&w.g.Events[others[0].id])
	}
	w.failAt(t, pos, graph.None, err, others...)
}

// failEvent reports an error of the event id.
func (w *worker) failEvent(id graph.ID, err *machine.Error, others ...related) {
	e := &w.g.Events[id]
	w.failAt(e.Thread, w.posOf(e), id, err, others...)
}

// failAt reports an error of thread t at pos, by event id if that is not None.
func (w *worker) failAt(t int32, pos ir.Pos, id graph.ID, err *machine.Error, others ...related) {
	switch {
	case w.tentative || w.belongsToOther(): // this is not an execution, or it is another worker's
	case w.cyclic != nil:
		w.cyclic.realised(t, func() { w.failHere(t, pos, id, err, others...) })
	default:
		w.failHere(t, pos, id, err, others...)
	}
}

// failHere is failAt in a graph that is part of an execution.
func (w *worker) failHere(t int32, pos ir.Pos, id graph.ID, err *machine.Error, others ...related) {
	if err.Untracked {
		w.startAgain(func(r *run) { r.undef = true })
		return
	}
	note := ""
	if w.late != nil {
		ok := false
		if ok, note = w.late.possible(err); !ok {
			return
		}
	}
	if stopped := id == graph.None && w.pendingOf(t).act.Kind == machine.Fail; !stopped || !w.goesOnAfter(err) {
		w.done()
	}
	loc := w.location(pos)
	if err.Endless {
		w.stop.GiveUp(fmt.Sprintf("%s at %s in thread %d: %s", err.Message, loc, t, err.Help))
		return
	}
	r := w.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if err.Kind == machine.Unsupported {
		if r.unsupported == nil {
			r.unsupported = &engine.Unsupported{Location: loc, Message: err.Message}
		}
		r.stop.Store(true)
		return
	}
	for _, e := range r.errors {
		if e.Kind == string(err.Kind) && e.Location == loc {
			return
		}
	}
	if len(r.errors) > 0 && !r.opts.KeepGoing {
		return
	}
	keep := w.relevant(t, err, others)
	e := report.Error{Kind: string(err.Kind), Message: err.Message, Location: loc, Thread: int(t), Label: err.Label, Execution: w.report(keep)}
	for _, help := range [...]string{err.Help, note} {
		if help != "" {
			e.Help = append(e.Help, help)
		}
	}
	if id != graph.None {
		w.markEvent(e.Execution, id, err.Label)
	} else {
		w.addFailure(e.Execution, t, loc, err.Message)
	}
	for _, o := range append(others[:len(others):len(others)], w.reuses(keep)...) {
		l := w.location(o.pos)
		r := report.Related{Message: o.what, Declaration: true}
		if o.id != graph.None {
			x := &w.g.Events[o.id]
			w.markEvent(e.Execution, o.id, o.what)
			l = w.location(w.posOf(x))
			r.Thread, r.Declaration = int(x.Thread), false
		}
		r.File, r.Line, r.Column, r.Function = l.File, l.Line, l.Column, l.Function
		e.Related = append(e.Related, r)
	}
	r.errors = append(r.errors, e)
	if !r.opts.KeepGoing {
		r.stop.Store(true)
	}
}

// goesOnAfter reports whether the graph is explored on when a thread has come to err: the thread stops there, and the others go on. They may
// come to other errors, and what they write may revisit reads of the thread, so that it does not come to this one.
func (w *worker) goesOnAfter(err *machine.Error) bool {
	return (w.opts.KeepGoing || w.late != nil) && stops(err)
}

// reuses returns the first allocations of blocks that were freed before, among the events that keep has of each thread.
func (w *worker) reuses(keep []int32) (others []related) {
	const most = 3
	g := w.g
	for t, evs := range g.Threads {
		for _, id := range evs {
			e := &g.Events[id]
			if id == graph.Hole || e.Kind != graph.Alloc || e.RF == graph.None || keep != nil && e.Index >= keep[t] || len(others) == 2*most {
				continue
			}
			block := w.namer.Loc(g.Locs[e.Loc].Addr.Visible(), 0)
			free, alloc := engine.Reuse(block)
			others = append(others, related{id: e.RF, what: free}, related{id: id, what: alloc})
		}
	}
	return others
}

// addFailure adds what thread t failed to do at loc to a trace, unless its end says so already.
func (w *worker) addFailure(x *report.Execution, t int32, loc report.Location, msg string) {
	if k := w.pendingOf(t).act.Kind; k == machine.Fail || k == machine.Block {
		return
	}
	for i := range x.Threads {
		if th := &x.Threads[i]; th.ID == int(t) {
			th.Events = append(th.Events, report.Event{Order: len(w.g.Trail) + int(t), Location: loc, Kind: report.Failure, Value: msg})
		}
	}
}

// unfreed warns of the heap object of the Alloc event id, which no thread freed.
func (w *worker) unfreed(id graph.ID) {
	if w.leaked.Swap(true) {
		return
	}
	l := w.location(w.posOf(&w.g.Events[id]))
	w.mu.Lock()
	w.warnings = append(w.warnings, engine.NotFreed(l))
	w.mu.Unlock()
}

// endless gives up on an execution that is too long.
func (w *worker) endless(t int32) {
	if w.refused.Load() && w.takeLenient() {
		return
	}
	l := w.location(w.sourcePos(w.pendingOf(t)))
	what := fmt.Sprintf("%d events", w.opts.MaxEvents)
	more := ", or allow more with --max-events"
	if len(w.g.Trail) <= w.opts.MaxEvents {
		what, more = fmt.Sprintf("%d events with several ways to go on", maxBranches), ""
	}
	w.stop.GiveUp(fmt.Sprintf("an execution has more than %s, the last one at %s in thread %d: bound its loops with --unroll%s, or try --engine states, which knows states that it has seen", what, l, t, more))
}

// relevant returns how many events of each thread an error of thread t needs: those in the prefixes
// of the events that it is about, an execution by themselves. nil is all of them.
func (w *worker) relevant(t int32, err *machine.Error, others []related) []int32 {
	if w.cyclic != nil || err.Kind == machine.DeadlockError || err.Kind == machine.LivenessError {
		return nil
	}
	g := w.g
	keep := make([]int32, len(g.Threads))
	for _, id := range append([]graph.ID{g.Last(t)}, relatedIDs(others)...) {
		e := &g.Events[id]
		for u := range keep {
			n := g.Count(e.Prefix, int32(u))
			if int32(u) == e.Thread {
				n = e.Index + 1
			}
			keep[u] = max(keep[u], n)
		}
	}
	return keep
}

func relatedIDs(others []related) []graph.ID {
	var ids []graph.ID
	for _, o := range others {
		if o.id != graph.None {
			ids = append(ids, o.id)
		}
	}
	return ids
}
