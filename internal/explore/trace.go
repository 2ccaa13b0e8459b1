package explore

import (
	"fmt"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// An Execution is a graph as Options.OnExecution sees it. It is valid during the call.
type Execution struct {
	Graph   *graph.Graph
	Blocked bool // a thread can't go on
	w       *worker
}

// Report returns the execution as reports show it.
func (x *Execution) Report() *report.Execution { return x.w.report() }

// related is another event that has to do with an error.
type related struct {
	id   graph.ID
	what string
}

// fail reports an error of thread t at pos.
func (w *worker) fail(t int32, err *machine.Error, pos ir.Pos, others ...related) {
	w.done()
	loc := w.location(pos)
	r := w.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if err.Kind == machine.Unsupported {
		if r.unsupported == nil {
			r.unsupported = &Unsupported{loc, err.Message}
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
	e := report.Error{Kind: string(err.Kind), Message: err.Message, Location: loc, Thread: int(t), Execution: w.report()}
	for _, o := range others {
		x := &w.g.Events[o.id]
		l := w.location(w.posOf(x))
		e.Related = append(e.Related, report.Related{File: l.File, Line: l.Line, Column: l.Column, Function: l.Function, Thread: int(x.Thread), Message: o.what})
	}
	r.errors = append(r.errors, e)
	if !r.opts.KeepGoing {
		r.stop.Store(true)
	}
}

// leak warns of the heap object obj, which nobody freed.
func (w *worker) leak(obj int32) {
	if w.leaked.Swap(true) {
		return
	}
	l := w.location(w.posOf(&w.g.Events[w.g.Locs[obj].Alloc]))
	w.mu.Lock()
	w.warnings = append(w.warnings, fmt.Sprintf("%s: memory allocated here is not freed in some execution", l))
	w.mu.Unlock()
}

// endless gives up on an execution that is too long.
func (w *worker) endless(t int32) {
	l := w.location(w.pendingOf(t).act.Pos)
	w.giveUp(fmt.Sprintf("an execution has more than %d events, the last one at %s in thread %d: bound its loops with --unroll", w.opts.MaxEvents, l, t))
}

// posOf returns the source position of an event.
func (w *worker) posOf(e *graph.Event) ir.Pos { return w.pends[e.Pend].act.Pos }

// location returns what the source calls pos; for positions in ravel's own library, that of its caller.
func (w *worker) location(pos ir.Pos) report.Location {
	if pos == ir.NoPos || int(pos) >= len(w.src.Positions) {
		return report.Location{}
	}
	p := &w.src.Positions[pos]
	l := report.Location{Line: p.Line, Column: p.Col, Function: p.Func}
	if p.File >= 0 && p.File < len(w.src.Files) {
		l.File = w.src.Files[p.File]
	}
	return l
}

// report returns the graph as reports show it, with the actions that threads are stopped at
// if those are errors or blocks.
func (w *worker) report() *report.Execution {
	g := w.g
	x := &report.Execution{}
	for t := range g.Threads {
		if len(g.Threads[t]) == 0 {
			continue
		}
		th := report.Thread{ID: t, Name: "main"}
		for _, id := range g.Threads[t] {
			th.Events = append(th.Events, w.reportEvent(&g.Events[id]))
		}
		if t > 0 {
			th.Name = w.threadName(int32(t))
		}
		if w.cur[t] != 0 {
			if e, ok := w.stopEvent(int32(t)); ok {
				th.Events = append(th.Events, e)
			}
		}
		x.Threads = append(x.Threads, th)
	}
	return x
}

// threadName returns the name of the function that t runs.
func (w *worker) threadName(t int32) string {
	create := &w.g.Events[w.g.Events[w.g.Threads[t][0]].RF]
	addr := w.pends[create.Pend].act.Addr
	for _, f := range w.src.Funcs {
		if f.Addr == addr {
			return f.Name
		}
	}
	return fmt.Sprint("thread ", t)
}

func (w *worker) stopEvent(t int32) (report.Event, bool) {
	act := &w.pendingOf(t).act
	e := report.Event{Order: len(w.g.Trail) + int(t), Location: w.location(act.Pos)}
	switch act.Kind {
	case machine.Fail:
		e.Kind, e.Value = report.Failure, act.Error.Message
	case machine.Block:
		e.Kind, e.Value = report.Blocked, blockNames[act.Block]
	default:
		return e, false
	}
	return e, true
}

var blockNames = map[machine.BlockKind]string{
	machine.Assume: "assumption does not hold",
	machine.Spin:   "spins",
	machine.Lock:   "waits",
	machine.Unroll: "loop bound",
	machine.Ended:  "exit",
}

func (w *worker) reportEvent(e *graph.Event) report.Event {
	g := w.g
	act := &w.pends[e.Pend].act
	r := report.Event{Mode: e.Mode, Order: int(e.Stamp), Location: w.location(act.Pos), Kind: reportKinds[e.Kind]}
	switch e.Kind {
	case graph.Read, graph.Write:
		l := &g.Locs[e.Loc]
		r.Loc = w.name(l.Addr)
		r.Value = e.Val.String()
		if act.Kind == machine.RMW {
			r.RMW = act.RMW.String()
		}
		if e.Kind == graph.Write {
			r.CoIndex = int(e.Co)
		} else if e.RF != graph.Init {
			s := &g.Events[e.RF]
			r.From = &report.Ref{Thread: int(s.Thread), Index: int(s.Index)}
		}
	case graph.Create:
		r.Other = int(e.Val.Lo)
	case graph.Join:
		r.Other = int(g.Events[e.RF].Thread)
	case graph.Alloc:
		r.Loc, r.Value = w.name(g.Locs[e.Loc].Addr), fmt.Sprint(e.Val.Lo)
	case graph.Free:
		r.Loc = w.name(g.Locs[e.Loc].Addr)
	case graph.Choice:
		r.Value = e.Val.String()
	}
	return r
}

var reportKinds = [...]report.Kind{
	graph.Start: report.Start, graph.End: report.End, graph.Create: report.Create, graph.Join: report.Join,
	graph.Read: report.Read, graph.Write: report.Write, graph.Fence: report.Fence,
	graph.Alloc: report.Alloc, graph.Free: report.Free, graph.Choice: report.Choice,
}

// name returns what the program calls the memory at addr.
func (w *worker) name(addr event.Addr) string {
	if g, off := w.prog.Object(addr); g != nil {
		if off == 0 {
			return g.Name
		}
		return fmt.Sprintf("%s+%d", g.Name, off)
	}
	return fmt.Sprintf("%#x", uint64(addr))
}
