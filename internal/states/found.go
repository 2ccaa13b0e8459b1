package states

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// reportError makes the report of an error.
func (r *run) reportError(f *found) (report.Error, []Step) {
	e := report.Error{Kind: string(f.err.Kind), Message: f.err.Message, Location: f.loc, Thread: int(f.thread), Label: f.err.Label, StrongestModel: f.level.String()}
	if r.stop.GaveUp() != "" && (f.level > r.level || f.lasso != nil) {
		e.StrongestModel = "" // a stronger model may have it
	}
	if f.err.Help != "" {
		e.Help = []string{f.err.Help}
	}
	w := newWorker(r)
	rec := newRecorder(r.threads)
	moves, ok := r.traceOf(w, f)
	if r.again.Load() {
		return e, nil
	}
	if !ok {
		e.Notes = append(e.Notes, "the state space is too large to search for a trace within the limits")
		return e, nil
	}
	r.stop.Store(false) // the time may be over, but all of this was run before
	w.arena.Stop = nil
	moves = w.unsorted(moves)
	clear(w.tree)
	w.rec, w.concrete = rec, true
	w.begins()
	c := cost(0)
	for _, m := range moves {
		if m.kind == stutter {
			continue
		}
		w.perform(m)
		c = c.add(w.cost)
		w.state()
		w.changes, w.inner = w.changes[:0], w.inner[:0]
	}
	// The trace may show the same error in another thread than the one it was found in.
	if actual := w.actual(f); actual != nil {
		f.fault = *actual
		e.Message, e.Thread = f.err.Message, int(f.thread)
	}
	rec.add(f.thread, rawEvent{kind: report.Failure, pos: f.pos, text: f.err.Message})
	e.Execution = w.execution(rec)
	for _, a := range f.abouts {
		if rel, ok := w.related(rec, a); ok {
			e.Related = append(e.Related, rel)
		}
	}
	if f.err.Kind == machine.UninitError && len(f.abouts) == 0 {
		e.Related = append(e.Related, w.undefinedOrigins(rec, f)...)
	}
	e.Related = append(e.Related, w.reuses(rec)...)
	if note := c.String(); note != "" {
		e.Notes = append(e.Notes, note)
	}
	if f.lasso != nil {
		for _, m := range f.lasso.cycle {
			if m.kind != stutter {
				e.Repeats++
			}
		}
		switch e.Repeats {
		case 0:
			e.Notes = append(e.Notes, "after the last move nothing changes any more")
		case 1:
			e.Notes = append(e.Notes, "the last move repeats for ever")
		default:
			e.Notes = append(e.Notes, fmt.Sprintf("the last %d moves repeat for ever", e.Repeats))
		}
	}
	return e, r.steps(moves)
}

// A Step is one move of a trace.
type Step = report.Step

// steps replays moves and says what each does. The namer knows the names already.
func (r *run) steps(moves []move) (list []Step) {
	w := newWorker(r)
	w.concrete = true
	w.begins()
	for _, m := range moves {
		if m.kind == stutter {
			continue
		}
		s := Step{Thread: int(m.thread), Text: w.moveWords(m), Instruction: w.instruction(m)}
		if m.kind != leave {
			s.Location = w.namer.Location(w.locals.at(w.leaf(localLeaf(m.thread))).local.pos)
		}
		w.perform(m)
		w.changes = w.changes[:0]
		for t := range int32(w.threads) {
			var entries []string
			for _, e := range w.buffer(t) {
				entries = append(entries, w.entryWord(&e))
			}
			s.Buffers = append(s.Buffers, strings.Join(entries, ", "))
		}
		for len(s.Buffers) > 0 && s.Buffers[len(s.Buffers)-1] == "" {
			s.Buffers = s.Buffers[:len(s.Buffers)-1]
		}
		if len(s.Buffers) == 0 {
			s.Buffers = nil
		}
		list = append(list, s)
	}
	return list
}

// entryWord says what an entry of a buffer is.
func (w *worker) entryWord(e *entry) string {
	loc, val := "?", "?"
	if e.missing&missingAddr == 0 {
		loc = w.namer.Loc(e.addr, max(e.size, 1))
	}
	if e.missing&(1<<machine.PartVal) == 0 && loc != "?" {
		val = w.namer.Value(e.addr, e.size, e.val)
	} else if e.missing&(1<<machine.PartVal) == 0 {
		val = e.val.String()
	}
	switch e.kind {
	case write:
		return loc + "=" + val
	case read:
		return "reads " + loc
	case rmw:
		return fmt.Sprintf("%v %s", e.op, loc)
	case guess:
		return "not " + loc
	case branch:
		return fmt.Sprintf("branch %d", e.val.Lo)
	}
	return "|"
}

// actual returns the fault that the replayed trace ends with.
func (w *worker) actual(f *found) (actual *fault) {
	switch {
	case f.lasso != nil:
	case w.fault != nil:
		return w.fault
	case f.err.Kind == machine.RaceError:
		w.races(func(g *fault) {
			if actual == nil && w.same(g, f) {
				actual = g
			}
		})
	default:
		return w.stuck()
	}
	return actual
}

// traceOf returns the moves that lead to f.
func (r *run) traceOf(w *worker, f *found) ([]move, bool) {
	if r.initial == 0 {
		return nil, true // it fails before there is a state
	}
	if f.lasso != nil && f.lasso.stem != nil {
		return append(slices.Clone(f.lasso.stem), f.lasso.cycle...), true
	}
	if f.lasso != nil {
		moves, ok := w.trace(goal{state: f.lasso.state}, f.level)
		return append(moves, f.lasso.cycle...), ok
	}
	return w.trace(goal{found: f}, f.level)
}

// String says how relaxed an execution is.
func (c cost) String() string {
	var parts []string
	add := func(n uint64, what, than string) {
		if n > 1 {
			what = strings.Replace(strings.Replace(what, "access", "accesse", 1), " ", "s ", 1)
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s before an older %s of the same thread", n, what, than))
		}
	}
	add(uint64(c)>>54, "access performed", "read")
	add(uint64(c)>>40&(1<<14-1), "write performed", "write")
	add(uint64(c)>>24&(1<<16-1), "read performed", "write")
	if len(parts) == 0 {
		return ""
	}
	return "this execution has " + strings.Join(parts, ", ")
}

// related returns the place of something that has to do with an error.
func (w *worker) related(rec *recorder, a about) (report.Related, bool) {
	kind, text := report.Alloc, engine.AllocatedHere
	place := func(pos ir.Pos, t int, text string) (report.Related, bool) { return w.relatedAt(pos, t, text), true }
	switch a.what {
	case pointsInto:
		text = engine.PointsInto
	case joinedBefore:
		for t := range rec.events {
			for _, e := range rec.events[t] {
				if e.kind == report.Join && e.other == int(a.base) {
					return place(e.pos, t, "joined here")
				}
			}
		}
		return report.Related{}, false
	case otherWaiter:
		return place(w.accessOf(int32(a.base)).pos, int(a.base), engine.WaitsAsWell)
	case freed:
		kind, text = report.Free, engine.FreedHere
	case freedBefore:
		kind, text = report.Free, engine.FreedBefore
	case otherAccess:
		l := w.accessOf(int32(a.base))
		return place(l.pos, int(a.base), kindOf(l).String())
	}
	for t := range rec.events {
		for _, e := range slices.Backward(rec.events[t]) {
			if e.kind == kind && e.addr == a.base {
				return place(e.pos, t, text)
			}
		}
	}
	return report.Related{}, false
}

// undefinedOrigins tells where the undefined bits come from that f uses: the variable, or what its thread read last that has some, through
// which writes that came to it, and what object was never written.
func (w *worker) undefinedOrigins(rec *recorder, f *found) (list []report.Related) {
	at := func(pos ir.Pos, text string) report.Related {
		p := w.namer.Location(pos)
		return report.Related{File: p.File, Line: p.Line, Column: p.Column, Function: p.Function, Message: text}
	}
	if f.err.Decl != ir.NoPos {
		rel := at(f.err.Decl, "declared here")
		rel.Declaration = true
		return []report.Related{rel}
	}
	t := int(f.thread)
	for i := len(rec.events[t]) - 1; i >= 0 && len(list) < 8; i-- {
		e := &rec.events[t][i]
		if e.kind != report.Read || e.val.Hi == 0 || e.size > 8 {
			continue
		}
		if e.from == nil || rec.events[e.from.Thread][e.from.Index].val.Hi == 0 { // or some of its bytes come from there
			_, base := w.object(e.addr)
			if rel, ok := w.related(rec, about{base, allocated}); ok {
				list = append(list, rel)
			}
			break
		}
		t, i = e.from.Thread, e.from.Index
		rel := at(rec.events[t][i].pos, "copied here")
		rel.Thread = t
		list = append(list, rel)
	}
	return list
}

// reuses returns the places of the first allocations that return blocks which were freed, and of what freed them.
func (w *worker) reuses(rec *recorder) (list []report.Related) {
	const most = 3
	for t, evs := range rec.events {
		for _, e := range evs {
			if !e.again || len(list) == 2*most {
				continue
			}
			name := w.namer.Loc(e.addr, 0)
			freed, by := rawEvent{}, 0
			for u, evs := range rec.events {
				for _, f := range evs {
					if f.kind == report.Free && f.addr == e.addr && f.order < e.order && f.order >= freed.order {
						freed, by = f, u
					}
				}
			}
			free, alloc := engine.Reuse(name)
			list = append(list, w.relatedAt(freed.pos, by, free), w.relatedAt(e.pos, t, alloc))
		}
	}
	return list
}

// relatedAt says that pos, where thread t is, has to do with an error.
func (w *worker) relatedAt(pos ir.Pos, t int, text string) report.Related {
	p := w.namer.Location(pos)
	return report.Related{File: p.File, Line: p.Line, Column: p.Column, Function: p.Function, Thread: t, Message: text}
}

// execution gives the events of a trace their names.
func (w *worker) execution(rec *recorder) *report.Execution {
	n := w.namer
	n.Reset()
	for _, evs := range rec.events {
		for _, e := range evs {
			switch e.kind {
			case report.Alloc:
				n.Alloc(e.addr, e.val.Lo, e.stack)
				n.Site(e.addr, e.pos)
			case report.Write:
				if e.missing&missingAddr == 0 {
					n.Store(e.addr, e.val)
				}
			}
		}
	}
	x := &report.Execution{}
	for t, evs := range rec.events {
		if len(evs) == 0 {
			continue
		}
		th := report.Thread{ID: t, Name: "main"}
		for _, e := range evs {
			r := report.Event{Kind: e.kind, Mode: e.mode, RMW: e.rmw, Other: e.other, From: e.from, CoIndex: e.co, Order: e.order, Location: n.Location(e.pos)}
			switch e.kind {
			case report.Read, report.Write:
				r.Loc, r.Value = "?", "?"
				if e.missing&missingAddr == 0 {
					r.Loc = n.Loc(e.addr, e.size)
				}
				if e.missing == 0 {
					r.Value = n.Value(e.addr, e.size, e.val)
				}
				if e.waits {
					r = report.Event{Kind: report.Blocked, Value: cmp.Or(e.rmw, "read") + " of " + r.Loc + " is not performed", Order: e.order, Location: r.Location}
				}
			case report.Alloc:
				r.Loc, r.Value = n.Loc(e.addr, 0), fmt.Sprint(e.val.Lo)
			case report.Free:
				r.Loc, r.OnStack = n.Loc(e.addr, 0), n.OnStack(e.addr)
			case report.Choice:
				r.Value, r.Text = e.val.String(), e.text
			case report.Failure:
				r.Value = e.text
			}
			th.Events = append(th.Events, r)
		}
		if t > 0 {
			th.Name = n.Thread(rec.fns[t], th.Events)
		}
		x.Threads = append(x.Threads, th)
	}
	return x
}

// races calls f for every two threads whose next accesses conflict, one of them not atomic. As
// all executions here are of models in which what happens before an event is an execution too, that is
// when there is a race.
func (w *worker) races(f func(*fault)) {
	for t := range int32(w.threads) {
		l := w.accessOf(t)
		if l == nil {
			continue
		}
		for u := range t {
			o := w.accessOf(u)
			if o == nil || l.act.Mode != event.NA && o.act.Mode != event.NA || l.act.Kind == machine.Load && o.act.Kind == machine.Load {
				continue
			}
			a, b := &l.act, &o.act
			if a.Addr < b.Addr+event.Addr(b.Size) && b.Addr < a.Addr+event.Addr(a.Size) {
				w.mu.Lock()
				name := w.namer.Loc(a.Addr, a.Size)
				w.mu.Unlock()
				f(&fault{engine.Race(name, kindOf(l), kindOf(o)), l.pos, t, []about{{event.Addr(u), otherAccess}}})
			}
		}
	}
}

func (w *worker) accessOf(t int32) *local {
	id := w.leaf(localLeaf(t))
	if id == 0 {
		return nil
	}
	if l := w.locals.at(id).local; l.isAccess() && !w.guessesBranch(t) {
		return l
	}
	return nil
}

// kindOf says what kind of access l is at.
func kindOf(l *local) engine.Access {
	return engine.Access{Write: l.act.Kind != machine.Load, Atomic: l.act.Mode != event.NA}
}
