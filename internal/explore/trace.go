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
func (x *Execution) Report() *report.Execution { return x.w.report(nil) }

// markEvent points out event id of a trace.
func (w *worker) markEvent(x *report.Execution, id graph.ID, words string) {
	e := &w.g.Events[id]
	for _, th := range x.Threads {
		for i := range th.Events {
			if ev := &th.Events[i]; th.ID == int(e.Thread) && ev.Order == int(e.Stamp) && ev.Kind != report.Failure {
				ev.Mark = words
			}
		}
	}
}

// posOf returns the source position of an event.
func (w *worker) posOf(e *graph.Event) ir.Pos { return w.sourcePos(&w.pends[e.Pend]) }

// sourcePos returns where the program's source has the action of p.
func (w *worker) sourcePos(p *pending) ir.Pos { return w.prog.Source(&w.arena, p.state, p.act.Pos) }

// location returns what the source calls pos.
func (w *worker) location(pos ir.Pos) report.Location { return w.namer.Location(pos) }

// report returns the graph as reports show it, or as many events of each thread as keep says, with
// the actions that threads are stopped at if those are errors or blocks.
func (w *worker) report(keep []int32) *report.Execution {
	g := w.g
	x := &report.Execution{}
	w.nameObjects()
	for t := range g.Threads {
		if len(g.Threads[t]) == 0 {
			continue
		}
		th := report.Thread{ID: t, Name: "main"}
		whole := keep == nil || int(keep[t]) == len(g.Threads[t])
		for _, id := range g.Threads[t] {
			if id == graph.Hole {
				continue // a hole
			}
			if whole || g.Events[id].Index < keep[t] {
				th.Events = append(th.Events, w.reportEvent(&g.Events[id]))
			}
		}
		if len(th.Events) == 0 {
			continue
		}
		if t > 0 {
			create := &w.g.Events[w.g.Events[w.g.Threads[t][0]].RF]
			th.Name = w.namer.Thread(w.pends[create.Pend].act.Addr, th.Events)
		}
		if whole && w.cur[t] != 0 {
			if e, ok := w.stopEvent(int32(t)); ok {
				th.Events = append(th.Events, e)
			}
		}
		x.Threads = append(x.Threads, th)
	}
	if w.cyclic == nil { // otherwise the events have no views
		if hb := w.happensBefore(x, keep); len(hb.Pairs) > 0 {
			x.Relations = append(x.Relations, hb)
		}
	}
	x.Relations = append(x.Relations, w.dependencies(x)...)
	return x
}

// dependencies returns the dependencies of the events of x, where the model tracks them. What decides whether an event is there also decides it for those after it, which
// is left out.
func (w *worker) dependencies(x *report.Execution) (list []report.Relation) {
	g := w.g
	addr := report.Relation{Name: "addr", Long: "the address depends on it"}
	data := report.Relation{Name: "data", Long: "the value depends on it"}
	ctrl := report.Relation{Name: "ctrl", Long: "whether it runs depends on it"}
	for _, th := range x.Threads {
		known := map[int32]bool{} // reads that decided about an event before
		n := 0
		for _, id := range g.Threads[th.ID] {
			if id == graph.Hole {
				continue
			}
			if n++; n > len(th.Events) {
				break
			}
			e := &g.Events[id]
			add := func(r *report.Relation, set event.DepSet) {
				for _, place := range g.Deps.Members(set) {
					if from := g.Threads[th.ID][place]; from != graph.Hole && from != id {
						r.Pairs = append(r.Pairs, report.Pair{From: w.ref(&g.Events[from]), To: w.ref(e)})
					}
				}
			}
			add(&addr, e.Addr)
			add(&data, g.Deps.Join(e.Data, e.Exp))
			for _, place := range g.Deps.Members(e.Ctrl) {
				if !known[place] {
					known[place] = true
					add(&ctrl, g.Deps.Single(place))
				}
			}
		}
	}
	for _, r := range []report.Relation{addr, data, ctrl} {
		if len(r.Pairs) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// happensBefore returns the pairs of hb between threads that do not follow from po and other pairs: for each event, the last one of another thread that happens
// before it, unless that also happens before an event which happens before it.
func (w *worker) happensBefore(x *report.Execution, keep []int32) report.Relation {
	g := w.g
	hb := report.Relation{Name: "hb", Long: "happens before, as " + w.opts.Model.Name() + " defines it"}
	kept := func(e *graph.Event) bool {
		return keep == nil || e.Index < keep[e.Thread] || int(keep[e.Thread]) == len(g.Threads[e.Thread])
	}
	for _, th := range x.Threads {
		var prev *graph.Event
		for _, id := range g.Threads[th.ID] {
			if id == graph.Hole || !kept(&g.Events[id]) {
				continue
			}
			e := &g.Events[id]
			for _, other := range x.Threads {
				t := int32(other.ID)
				n := g.Count(e.HB, t)
				if t == e.Thread || n == 0 || prev != nil && g.Count(prev.HB, t) >= n {
					continue
				}
				if last := &g.Events[g.Threads[t][n-1]]; kept(last) && !w.impliedHB(e, last) {
					hb.Pairs = append(hb.Pairs, report.Pair{From: w.ref(last), To: w.ref(e)})
				}
			}
			prev = e
		}
	}
	return hb
}

// impliedHB reports whether a third thread is between two events in hb.
func (w *worker) impliedHB(e, last *graph.Event) bool {
	g := w.g
	for t := range g.Threads {
		if n := g.Count(e.HB, int32(t)); n > 0 && int32(t) != e.Thread && int32(t) != last.Thread {
			if g.Count(g.Events[g.Threads[t][n-1]].HB, last.Thread) > last.Index {
				return true
			}
		}
	}
	return false
}

func (w *worker) ref(e *graph.Event) report.Ref {
	return report.Ref{Thread: int(e.Thread), Index: w.rank(e)}
}

// nameObjects tells the namer what this execution allocates and stores.
func (w *worker) nameObjects() {
	g := w.g
	w.namer.Reset()
	for _, id := range g.Trail {
		switch e := &g.Events[id]; e.Kind {
		case graph.Alloc:
			w.namer.Alloc(g.Locs[e.Loc].Addr, e.Val.Lo, e.Flags&graph.OnStack != 0)
			if v := w.variable(e); v != nil {
				w.namer.Variable(g.Locs[e.Loc].Addr, v)
			}
			w.namer.Site(g.Locs[e.Loc].Addr, w.posOf(e))
		case graph.Write:
			w.namer.Store(g.Locs[e.Loc].Addr, e.Val)
		}
	}
}

// variable returns the variable that the Alloc event e begins, nil if it has no name.
func (w *worker) variable(e *graph.Event) *ir.Var {
	if s := w.pends[e.Pend].state; s != 0 {
		return w.prog.Variable(&w.arena, s)
	}
	return nil
}

func (w *worker) stopEvent(t int32) (report.Event, bool) {
	act := &w.pendingOf(t).act
	e := report.Event{Order: len(w.g.Trail) + int(t), Location: w.location(w.sourcePos(w.pendingOf(t)))}
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
	r := report.Event{Mode: e.Mode, Order: int(e.Stamp), Location: w.location(w.posOf(e)), Kind: reportKinds[e.Kind]}
	if p := &w.pends[e.Pend]; p.state != 0 {
		r.Via = w.prog.Via(&w.arena, p.state, p.act.Pos)
	}
	switch e.Kind {
	case graph.Read, graph.Write:
		l := &g.Locs[e.Loc]
		r.Loc = w.namer.Loc(l.Addr, l.Size)
		r.Value = w.namer.Value(l.Addr, l.Size, e.Val)
		if act.Kind == machine.RMW {
			r.RMW = act.RMW.String()
		}
		if e.Kind == graph.Write {
			r.CoIndex = int(e.Co)
		} else if e.RF != graph.Init {
			s := &g.Events[e.RF]
			from := w.ref(s)
			r.From = &from
		}
	case graph.Fence:
		if r.Text = e.Tag.String(); e.Tag == event.Plain {
			r.Text = "no write"
		}
	case graph.Create:
		r.Other = int(e.Val.Lo)
	case graph.Join:
		r.Other = int(g.Events[e.RF].Thread)
	case graph.Alloc:
		r.Loc, r.Value = w.namer.Loc(g.Locs[e.Loc].Addr, 0), fmt.Sprint(e.Val.Lo)
	case graph.Free:
		r.Loc = w.namer.Loc(g.Locs[e.Loc].Addr, 0)
		r.OnStack = w.namer.OnStack(g.Locs[e.Loc].Addr)
	case graph.Choice:
		r.Value, r.Text = fmt.Sprint(act.Chosen(e.Val.Lo)), act.Wakeup(e.Val.Lo)
	}
	return r
}

// rank returns how many events come before e in its thread, which may have holes.
func (w *worker) rank(e *graph.Event) int {
	if w.cyclic == nil {
		return int(e.Index)
	}
	n := 0
	for _, id := range w.g.Threads[e.Thread][:e.Index] {
		if id != graph.Hole {
			n++
		}
	}
	return n
}

var reportKinds = [...]report.Kind{
	graph.Start: report.Start, graph.End: report.End, graph.Create: report.Create, graph.Join: report.Join,
	graph.Read: report.Read, graph.Write: report.Write, graph.Fence: report.Fence,
	graph.Alloc: report.Alloc, graph.Free: report.Free, graph.Choice: report.Choice,
}
