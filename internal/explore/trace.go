package explore

import (
	"fmt"

	"ravel/internal/engine"
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
		w.cyclic.realised(func() { w.failHere(t, pos, id, err, others...) })
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
	w.done()
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
	if w.refused.Load() && !w.lenient {
		w.startAgain(func(r *run) { r.lenient = true })
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

// posOf returns the source position of an event.
func (w *worker) posOf(e *graph.Event) ir.Pos { return w.sourcePos(&w.pends[e.Pend]) }

// sourcePos returns where the program's source has the action of p.
func (w *worker) sourcePos(p *pending) ir.Pos { return w.prog.Source(&w.arena, p.state, p.act.Pos) }

// location returns what the source calls pos.
func (w *worker) location(pos ir.Pos) report.Location { return w.namer.Location(pos) }

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
	return x
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
		r.Text = e.Tag.String()
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
		r.Value = fmt.Sprint(act.Chosen(e.Val.Lo))
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
