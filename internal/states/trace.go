package states

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// The search keeps no way back from a state: that would be half as much memory again. A trace is found by a
// second search, from the beginning, in order of cost: ⟨r, ww, wr⟩, compared lexicographically, are the numbers of accesses performed before an
// older read of their thread, of writes before older writes and of reads before older writes (thesis, §3.4); then the number of moves. So it is
// the least relaxed and then the shortest one.

// maxTrace bounds the states that the second search remembers, maxReducedTrace those if it explores persistent sets.
const (
	maxTrace        = 4_000_000
	maxReducedTrace = 4 * maxTrace
)

// A cost is r:10 ww:14 wr:16 moves:24.
type cost uint64

func (c cost) add(m Model) cost {
	c++
	switch m {
	case TSO:
		c += 1 << 24
	case PSO:
		c += 1 << 40
	case LMO, RMO:
		c += 1 << 54
	}
	return c
}

// A hop is a move from a state.
type hop struct {
	from uint64
	m    move
}

type queued struct {
	cost  cost
	nth   int    // first come, first served
	state uint64 // 0: the goal
	hop   hop
}

type queue []queued

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].cost < q[j].cost || q[i].cost == q[j].cost && q[i].nth < q[j].nth
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(queued)) }
func (q *queue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// A goal is what a trace should lead to: a fault, or a state.
type goal struct {
	found *found
	state uint64
}

// trace returns the moves of an execution that leads to the goal: the cheapest one, unless that takes too large a search. It returns false if any does.
func (w *worker) trace(g goal, level Model) (moves []move, ok bool) {
	if w.persistent && w.visited.count.Load() > maxTrace/4 { // all states are many more
		return w.cheapest(g, level, true)
	}
	if moves, ok = w.cheapest(g, level, false); !ok && w.persistent && !w.exhausted() {
		moves, ok = w.cheapest(g, level, true)
	}
	return moves, ok
}

// cheapest returns the moves of the cheapest execution that leads to the goal, of all or of those in persistent sets.
func (w *worker) cheapest(g goal, level Model, persistent bool) (moves []move, ok bool) {
	came := map[uint64]hop{}
	q := &queue{{state: w.initial}}
	n := 0
	push := func(c cost, state uint64, h hop) {
		n++
		heap.Push(q, queued{c, n, state, h})
	}
	for q.Len() > 0 {
		x := heap.Pop(q).(queued)
		if x.state != 0 {
			if _, old := came[x.state]; old {
				continue
			}
			if len(came) > maxTrace && (!persistent || len(came) > maxReducedTrace) || len(came)&1023 == 1023 && w.exhausted() {
				return nil, false
			}
			came[x.state] = x.hop
		}
		if x.state == 0 || w.isGoal(x.state, g) {
			if x.state == 0 {
				moves = append(moves, x.hop.m)
			}
			at := x.state
			if at == 0 {
				at = x.hop.from
			}
			for at != w.initial {
				h := came[at]
				moves = append(moves, h.m)
				at = h.from
			}
			slices.Reverse(moves)
			return moves, true
		}
		w.hold(x.state)
		explore := func(moving persistentSet) (progress bool) {
			w.try(moving, func(m move, ok bool) bool {
				c := x.cost.add(w.cost)
				switch {
				case w.cost > level:
				case ok && len(w.changes) > 0:
					to := w.state()
					if _, old := came[to]; !old {
						push(c, to, hop{x.state, m})
						progress = true
					}
				case !ok && g.found != nil && w.same(w.fault, g.found):
					push(c, 0, hop{x.state, m})
				}
				return true
			})
			return progress
		}
		if persistent {
			w.tryPersistentSets(explore)
		} else {
			explore(allThreads)
		}
	}
	return nil, false
}

// exhausted reports whether there is no time, memory or patience left.
func (r *run) exhausted() bool {
	return r.ctx.Err() != nil || r.opts.MaxMemory > 0 && r.heapFull()
}

// isGoal reports whether a state is the goal.
func (w *worker) isGoal(state uint64, g goal) bool {
	if g.found == nil {
		return state == g.state
	}
	switch g.found.err.Kind {
	case machine.RaceError:
		w.hold(state)
		is := false
		w.races(func(f *fault) { is = is || w.same(f, g.found) })
		return is
	case machine.DeadlockError, machine.LivenessError, machine.LeakError:
		w.hold(state)
		if w.try(allThreads, func(_ move, ok bool) bool { return !ok || len(w.changes) > 0 }) {
			return false
		}
		f := w.stuck()
		return f != nil && w.same(f, g.found)
	}
	return false
}

// A raw event is one of a trace before things have names.
type rawEvent struct {
	kind    report.Kind
	mode    event.Mode
	rmw     string
	addr    event.Addr
	size    uint8
	val     event.Value
	other   int
	from    *report.Ref
	co      int
	order   int
	pos     ir.Pos
	text    string
	stack   bool
	again   bool  // an allocation that returns a block which was freed
	missing uint8 // as in an entry
	waits   bool  // a read that is in the buffer
}

// A recorder writes down what a worker does.
type recorder struct {
	events  [][]rawEvent // by thread
	fns     []event.Addr
	order   int
	writers map[event.Addr]report.Ref // by byte of memory
	co      map[event.Addr]int
	waiting [][]report.Ref // by thread: the writes and reads in its buffer
}

func newRecorder(threads int) *recorder {
	return &recorder{
		events: make([][]rawEvent, threads), fns: make([]event.Addr, threads), waiting: make([][]report.Ref, threads),
		writers: map[event.Addr]report.Ref{}, co: map[event.Addr]int{},
	}
}

func (c *recorder) add(t int32, e rawEvent) report.Ref {
	c.order++
	e.order = c.order
	c.events[t] = append(c.events[t], e)
	return report.Ref{Thread: int(t), Index: len(c.events[t]) - 1}
}

func (c *recorder) at(r report.Ref) *rawEvent { return &c.events[r.Thread][r.Index] }

func (c *recorder) start(t int32, fn event.Addr) {
	c.fns[t] = fn
	c.add(t, rawEvent{kind: report.Start})
}

func (c *recorder) end(l *local) {
	c.add(l.thread, rawEvent{kind: report.End, pos: l.pos})
}

// wrote notes that the write r is in memory.
func (c *recorder) wrote(r report.Ref) {
	e := c.at(r)
	for i := range event.Addr(e.size) {
		c.writers[e.addr+i] = r
	}
	c.co[e.addr]++
	e.co = c.co[e.addr]
}

// left notes that a write leaves its buffer.
func (c *recorder) left(t int32, e *entry) {
	for i, r := range c.waiting[t] {
		if x := c.at(r); x.kind == report.Write && x.addr == e.addr && x.size == e.size && x.val == e.val {
			c.wrote(r)
			c.waiting[t] = slices.Delete(c.waiting[t], i, i+1)
			return
		}
	}
}

// source returns the write that a read at a reads, where those that wait are the older ones of its thread.
func (c *recorder) source(waiting []report.Ref, a event.Addr, size uint8) *report.Ref {
	for _, r := range slices.Backward(waiting) {
		if x := c.at(r); x.kind == report.Write && x.missing&missingAddr == 0 && x.addr <= a && a+event.Addr(size) <= x.addr+event.Addr(x.size) {
			return &r
		}
	}
	if r, ok := c.writers[a]; ok {
		return &r
	}
	return nil
}

var recordKinds = map[machine.ActionKind]report.Kind{
	machine.Load: report.Read, machine.Store: report.Write, machine.Fence: report.Fence, machine.Create: report.Create,
	machine.Join: report.Join, machine.Alloc: report.Alloc, machine.Free: report.Free, machine.Choice: report.Choice,
}

// record writes down that l did what it was at, with v.
func (w *worker) record(l *local, v event.Value) {
	if w.rec == nil {
		return
	}
	a := &l.act
	e := rawEvent{kind: recordKinds[a.Kind], mode: a.Mode, addr: a.Addr, size: a.Size, val: v, pos: l.pos, stack: a.Stack}
	switch a.Kind {
	case machine.Load:
		e.from = w.rec.source(w.rec.waiting[l.thread], a.Addr, a.Size)
	case machine.Create:
		e.other = int(v.Lo)
	case machine.Join:
		e.other = int(a.Val.Lo)
	case machine.Alloc:
		e.addr, e.val, e.again = event.Addr(v.Lo), a.Val, v.Lo != uint64(a.Addr)
	case machine.Choice:
		e.val.Lo = a.Chosen(v.Lo)
	}
	r := w.rec.add(l.thread, e)
	if a.Kind == machine.Store {
		w.rec.waiting[l.thread] = append(w.rec.waiting[l.thread], r)
	}
}

// recordLeft writes down that the store of l is in memory at once.
func (w *worker) recordLeft(l *local, v event.Value) {
	if w.rec != nil {
		w.rec.left(l.thread, &entry{addr: l.act.Addr, size: l.act.Size, val: v})
	}
}

func (w *worker) recordRMW(l *local, old, new event.Value, wrote bool) {
	if w.rec == nil {
		return
	}
	a := &l.act
	mode := a.Mode
	if !wrote {
		mode = a.Fail
	}
	e := rawEvent{
		kind: report.Read, mode: mode, rmw: a.RMW.String(), addr: a.Addr, size: a.Size, val: old, pos: l.pos,
		from: w.rec.source(w.rec.waiting[l.thread], a.Addr, a.Size),
	}
	w.rec.add(l.thread, e)
	if wrote {
		e.kind, e.val, e.from = report.Write, new, nil
		w.rec.wrote(w.rec.add(l.thread, e))
	}
}

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
				r.Value = e.val.String()
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
	if l := w.locals.at(id).local; l.isAccess() {
		return l
	}
	return nil
}

// kindOf says what kind of access l is at.
func kindOf(l *local) engine.Access {
	return engine.Access{Write: l.act.Kind != machine.Load, Atomic: l.act.Mode != event.NA}
}
