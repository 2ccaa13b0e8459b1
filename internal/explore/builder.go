package explore

import (
	"context"
	"sync/atomic"
	"time"

	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// A Reexecution finds the executions of a model that re-executes (model.Traits.Reexecutes and Cycles): those with cycles in po ∪ rf,
// which the search does not build. Package xmm has one. A run makes a new one.
type Reexecution interface {
	// Ended looks at an execution without cycles that ends, and returns how many load-buffering races it has. All workers call it.
	Ended(b Builder) (lbRaces int64)

	// Racy notes that an execution without cycles has a race because of which there may be cycles: Java's models find out by themselves (java.go).
	Racy()

	// Needed reports whether there may be executions with cycles, once all others have been explored.
	Needed() bool

	// Explore explores the executions with cycles, with the graph of b, which is empty. It returns their numbers.
	Explore(b Builder) Counts
}

// A Builder is the part of a worker that a Reexecution uses. It builds graphs event by event, in any way, and explores the executions that extend them. Errors are reported
// and executions are counted during Extensions only.
type Builder struct {
	Graph *graph.Graph
	w     *worker
}

func (w *worker) builder() Builder { return Builder{w.g, w} }

// reexecute explores the executions with cycles, after all others have been explored.
func (r *run) reexecute(ctx context.Context, start time.Time) {
	if r.rounded.Load() {
		why := "iterations of loops that leave memory as it was may make a difference in executions with cycles in po ∪ rf, which were not explored"
		if r.opts.Model.Traits().Reexecutes {
			why += " (--unroll N searches for those with at most N iterations)"
		}
		r.notExplored(why)
		return
	}
	finished := make(chan struct{})
	defer close(finished)
	go r.watch(start, finished)
	defer r.stop.Follow(ctx)()
	r.idle = nil
	r.mu.Lock()
	before := r.total
	r.mu.Unlock()
	w := newWorker(r)
	w.builds, w.tentative = true, true
	before.Add(r.reexecution.Explore(w.builder()))
	r.mu.Lock()
	r.total = before
	r.mu.Unlock()
}

// reexecutes passes an execution that ends to the Reexecution. It returns false if the execution does not count.
func (w *worker) reexecutes(blocked bool) bool {
	counts, races := true, int64(0)
	if w.atLeaf != nil {
		counts, races = w.atLeaf(blocked)
	} else {
		races = w.reexecution.Ended(w.builder())
	}
	if counts && !blocked {
		w.count.LBRaces += races
	}
	return counts
}

// Workers returns how many workers there are.
func (b Builder) Workers() int { return b.w.opts.Workers }

// Another returns a Builder with an empty graph of its own, for another goroutine. Extensions is not for it.
func (b Builder) Another() Builder {
	w := newWorker(b.w.run)
	w.builds, w.tentative = true, true
	return w.builder()
}

// Stop is set when the exploration has to end.
func (b Builder) Stop() *atomic.Bool { return &b.w.stop.Bool }

// GiveUp ends the exploration before it is complete, and says why.
func (b Builder) GiveUp(why string) { b.w.stop.GiveUp(why) }

// NotExplored notes why the model may allow executions that are not explored.
func (b Builder) NotExplored(why string) { b.w.notExplored(why) }

// Parents returns, by thread, which thread creates it.
func (b Builder) Parents() []int32 {
	return b.w.names.Parents(b.w.threads)
}

// A Mark is a point to come back to.
type Mark struct{ mark }

// Mark returns the present point.
func (b Builder) Mark() Mark { return Mark{b.w.mark()} }

// Undo takes back what was added to the graph since m.
func (b Builder) Undo(m Mark) { b.w.undo(m.mark) }

// Extensions explores the executions that extend the graph. It calls at for each that ends; at returns whether the execution counts, and how many
// load-buffering races it then has. If first, errors are reported, also those of the graph itself. It returns the numbers of executions.
func (b Builder) Extensions(first bool, at func(blocked bool) (counts bool, lbRaces int64)) (n Counts) {
	w, r := b.w, b.w.run
	w.count = Counts{}
	r.mu.Lock()
	r.total = Counts{}
	r.mu.Unlock()
	w.tentative, w.skipRest = !first, false
	w.atLeaf = at
	if !first || w.rightSoFar() {
		w.visit()
	}
	w.tentative, w.skipRest, w.atLeaf = true, false, nil
	w.flush()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// SkipRest ends Extensions early.
func (b Builder) SkipRest() { b.w.skipRest = true }

// Begin adds the start of the main thread.
func (b Builder) Begin() { b.w.begin() }

// Action returns the action that thread t is at, nil if it has not begun or has ended.
func (b Builder) Action(t int32) *machine.Action {
	if b.w.cur[t] == 0 {
		return nil
	}
	return &b.w.pendingOf(t).act
}

// ActionOf returns the action that the event e is of.
func (b Builder) ActionOf(e *graph.Event) *machine.Action { return &b.w.pends[e.Pend].act }

// EndOf returns the End event of a thread, None if it has not ended.
func (b Builder) EndOf(thread uint64) graph.ID { return b.w.ended(thread) }

// NewAhead returns what knows which writes the threads may still come to.
func (b Builder) NewAhead() *machine.Ahead { return b.w.prog.NewAhead() }

// WriteAt returns the number of the instruction that the write e is of.
func (b Builder) WriteAt(h *machine.Ahead, e *graph.Event) int32 {
	return h.At(&b.w.arena, b.w.pends[e.Pend].state)
}

// InstructionOf returns the place in the code of the instruction that the event e is of.
func (b Builder) InstructionOf(e *graph.Event) int32 {
	return int32(b.w.arena.PC(b.w.pends[e.Pend].state))
}

// MayWrite reports whether thread t, which is at an action, may still come to a write of all, or one that is not of but.
func (b Builder) MayWrite(h *machine.Ahead, t int32, all, but machine.WriteSet) bool {
	return h.May(&b.w.arena, b.w.pendingOf(t).state, all, but)
}

// MayWriteNear is MayWrite for the writes that the thread may come to before a barrier (machine.Ahead.MayNear).
func (b Builder) MayWriteNear(h *machine.Ahead, t int32, all, but machine.WriteSet) bool {
	return h.MayNear(&b.w.arena, b.w.pendingOf(t).state, all, but)
}

// MayWriteUnfenced is MayWrite for the writes that the thread may come to before an acquire fence (machine.Ahead.MayUnfenced).
func (b Builder) MayWriteUnfenced(h *machine.Ahead, t int32, all, but machine.WriteSet) bool {
	return h.MayUnfenced(&b.w.arena, b.w.pendingOf(t).state, all, but)
}

// Loc returns the location of the access that thread t is at. It returns false if that is an error.
func (b Builder) Loc(t int32) (int32, bool) { return b.w.locate(t) }

// LocOf returns the location of an access, without checks.
func (b Builder) LocOf(act *machine.Action) int32 {
	loc, old := b.Graph.Loc(act.Addr, act.Size)
	if !old {
		v, static := b.w.prog.InitialValue(act.Addr, act.Size)
		b.Graph.Locs[loc].Init = v
		b.w.addToObject(loc, act.Addr, static)
	}
	return loc
}

// ValueOf returns the value of the write src at location loc.
func (b Builder) ValueOf(src graph.ID, loc int32) event.Value { return b.w.valueOf(src, loc) }

// Outcomes returns the flags that the read which thread t is at may have if it reads v.
func (b Builder) Outcomes(t int32, v event.Value) []uint8 { return b.w.outcomes(t, v) }

// NewRead makes the read that thread t is at, of value v, with these flags. The caller sets what it reads from, and adds it.
func (b Builder) NewRead(t, loc int32, v event.Value, flags uint8) graph.ID {
	act := &b.w.pendingOf(t).act
	mode := act.Mode
	if act.Kind == machine.RMW {
		flags |= graph.Locked
		if flags&graph.Spurious == 0 && succeeds(act, v) {
			flags |= graph.RMWPart
		} else {
			mode = act.Fail
		}
	}
	id := b.Graph.NewEvent(t, graph.Read, mode, loc)
	e := &b.Graph.Events[id]
	e.Flags, e.Pend, e.Val = flags, b.w.cur[t], v
	return id
}

// Views sets the views of the event id.
func (b Builder) Views(id graph.ID) { b.w.m.Views(b.Graph, id) }

// AddStore adds the store that thread t is at, co-last.
func (b Builder) AddStore(t, loc int32) graph.ID {
	act := &b.w.pendingOf(t).act
	return b.addWrite(&write{thread: t, loc: loc, val: act.Val, mode: act.Mode})
}

// AddUpdate adds the write of the RMW that thread t is at, which reads v, co-last.
func (b Builder) AddUpdate(t, loc int32, v event.Value) graph.ID {
	return b.addWrite(&write{thread: t, loc: loc, val: b.w.rmwValue(t, v), mode: b.w.pendingOf(t).act.Mode, flags: graph.RMWPart})
}

func (b Builder) addWrite(wr *write) graph.ID {
	id := b.w.newWrite(wr)
	b.Graph.Add(id, int32(len(b.Graph.Locs[wr.loc].Co)))
	return id
}

// AddChoice adds the choice that thread t is at, of v.
func (b Builder) AddChoice(t int32, v event.Value) {
	id := b.w.simple(t, graph.Choice, event.NA)
	b.Graph.Events[id].Val = v
}

// AddFree adds the free that thread t is at.
func (b Builder) AddFree(t int32) {
	act := &b.w.pendingOf(t).act
	id := b.Graph.NewEvent(t, graph.Free, event.NA, b.w.objectAt(act.Addr))
	b.Graph.Events[id].Pend, b.Graph.Events[id].Flags = b.w.cur[t], allocFlags(act)
	b.Graph.Add(id, 0)
}

// Step performs the action that thread t is at, if there is one way only.
func (b Builder) Step(t int32) { b.w.step(t) }

// Resume resumes thread t with v, after its last event. It does not look at the action that the thread comes to.
func (b Builder) Resume(t int32, v event.Value) {
	w := b.w
	w.cur[t] = w.resumedAfter(w.cur[t], &w.g.Events[w.g.Last(t)], v)
	w.answered(t, firstHole)
}

// EndRound blocks thread t if it is where it was before a weak CAS failed or a wait ended spuriously (spurious.go, wakeup.go).
func (b Builder) EndRound(t int32) {
	switch act := &b.w.pendingOf(t).act; {
	case b.w.weak && b.w.triesAgain(t):
		b.w.again(t)
	case act.Kind == machine.Choice && act.Weak && b.w.waitsAgain(t):
		b.w.waitAgain(t)
	}
}

// Picture returns the first counts[t] events of each thread t as reports show them, with a mark at some.
func (b Builder) Picture(counts []int32, marked []graph.ID, mark string) *report.Execution {
	out := b.w.report(counts)
	for _, id := range marked {
		b.w.markEvent(out, id, mark)
	}
	return out
}

// rightSoFar looks for errors in a graph that was not built by steps. It returns false if there is one, or the executions that extend it need not be explored.
func (w *worker) rightSoFar() bool {
	for t := range w.cur {
		if w.cur[t] != 0 && !w.arrived(int32(t)) {
			return false
		}
	}
	g := w.g
	for _, id := range g.Trail {
		e := &g.Events[id]
		if e.Kind != graph.Read && e.Kind != graph.Write {
			continue
		}
		if obj := w.object[e.Loc]; obj >= 0 && w.opts.MemoryCheck {
			if free := g.Locs[obj].Free; free != graph.None && !g.InHB(id, &g.Events[free]) {
				w.failEvent(id, memoryError(engine.UseAfterFree), related{id: free, what: engine.FreedHere})
				return false
			}
		}
		if g.Locs[e.Loc].NA > 0 && w.opts.RaceCheck && !w.raceFreeLater(id) {
			return false
		}
	}
	return true
}

// raceFreeLater checks the access id for races with those that come after it in the trail.
func (w *worker) raceFreeLater(id graph.ID) bool {
	g := w.g
	e := &g.Events[id]
	for _, other := range g.Trail {
		o := &g.Events[other]
		if o.Stamp <= e.Stamp || o.Loc != e.Loc || o.Thread == e.Thread || o.Kind != graph.Read && o.Kind != graph.Write {
			continue
		}
		if (o.Kind == graph.Write || e.Kind == graph.Write) && (o.Mode == event.NA || e.Mode == event.NA) && !g.InHB(id, o) && !g.InHB(other, e) {
			return w.race(other, id)
		}
	}
	return true
}
