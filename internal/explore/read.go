package explore

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// read performs a load or the read of an RMW: it branches over the writes that it may read.
func (w *worker) read(t int32) bool {
	g := w.g
	loc, ok := w.locate(t)
	if !ok {
		return false
	}
	if w.observed {
		w.observedRead(t, loc)
		return false
	}
	if w.arrives(t, loc, &w.pendingOf(t).act) {
		co := g.Locs[loc].Co
		return w.addRead(t, loc, co[len(co)-1], 0) && w.addHalf(t)
	}
	co := g.Locs[loc].Co
	floors := w.floorsOf(loc, t)
	least := w.leastAbove(t, floors.plain)
	noLatest := w.dropsLatest(t, loc, co[len(co)-1])
	if noLatest && (int(least) == len(co)-1 || w.dropsAllBelow(t, loc, least)) {
		w.explored(w.weight)
		return false
	}
	if int(least) == len(co)-1 && w.pendingOf(t).act.Kind == machine.Load {
		return w.addRead(t, loc, co[least], 0) && w.resumeRead(t)
	}
	only, confirms := w.confirming(t)
	waiting := int(least) < len(co)-1 && w.dropsWaiting(t, loc)
	if waiting && !confirms && w.dropsAllBelow(t, loc, least) {
		least = int32(len(co) - 1)
		if w.pendingOf(t).act.Kind == machine.Load && w.twins == nil {
			return w.addRead(t, loc, co[least], 0) && w.resumeRead(t)
		}
	}
	n := len(co) - int(least)
	if act := &w.pendingOf(t).act; n == 1 && (!confirms || only == co[least]) && w.twins == nil && !(act.Weak && w.weak) {
		return w.update(t, loc, co[least])
	}
	isLoad, latest := w.pendingOf(t).act.Kind == machine.Load, int32(len(co)-1)
	from := latest + 1 // unknown
	for i := len(co) - 1; i >= int(least) && !w.stop.Load(); i-- {
		src := g.Locs[loc].Co[i]
		if confirms && src != only || i == len(co)-1 && noLatest || i < len(co)-1 && waiting && w.drops(t, loc, src) {
			if confirms && w.choices != nil {
				w.hasChoice(loc)
			}
			w.explored(w.weight / float64(n))
			continue
		}
		may, readsOnly := w.mayRead(&floors, t, loc, src)
		if !may || w.twins != nil && !w.twins.inOrder(t, loc, src) {
			w.explored(w.weight / float64(n))
			continue
		}
		switch {
		case !isLoad || readsOnly || w.traits.Readable == nil:
			w.readBranch(t, loc, src, n, readsOnly)
		case i > int(least) && i < int(from) && w.traits.ReadableOnly && from <= latest:
			w.explored(w.weight / float64(n))
		default:
			from = w.loadBranch(t, loc, src, n, least, from)
		}
	}
	return false
}

// loadBranch explores the executions in which thread t, at a load, reads from src. The model lets it read what other threads wrote from the place from on. It returns
// that place, which it finds out with the co-latest write: it is not below least.
func (w *worker) loadBranch(t, loc int32, src graph.ID, n int, least, from int32) int32 {
	m := w.mark()
	w.weight /= float64(n)
	id := w.newRead(t, loc, src, 0)
	w.g.Add(id, 0)
	if w.g.CoMaximal(&w.g.Events[id]) {
		from = w.traits.Readable(w.g, id, least)
	}
	isReadable := w.g.CoIndex(src) >= from && (src == graph.Init || w.g.Events[src].Thread != t)
	if (isReadable || w.isConsistent(id)) && w.isRight(id) && w.hasRead(t, loc, src) && w.resumeRead(t) {
		w.branch(1)
	}
	w.undo(m)
	return from
}

// update performs the RMW that t is at, which can only read from src, the co-latest write. It returns false if that ends the exploration of this graph.
func (w *worker) update(t, loc int32, src graph.ID) bool {
	v := w.valueOf(src, loc)
	if !succeeds(&w.pendingOf(t).act, v) || w.isStopped(t, w.cur[t], loc, src) {
		return w.addRead(t, loc, src, 0) && w.resumeRead(t)
	}
	if w.values != nil {
		w.writes(t, loc, w.rmwValue(t, v), w.pendingOf(t).act.Mode)
	}
	return w.addRead(t, loc, src, 0) && w.addHalf(t)
}

// addHalf adds the write of the RMW whose read, of the co-latest write, is the last event of t.
func (w *worker) addHalf(t int32) bool {
	wr, pos, ok := w.half(t)
	return ok && w.addWrite(&wr, pos)
}

// readBranch explores the executions in which the pending read of t reads from src, and does not write if readsOnly.
func (w *worker) readBranch(t, loc int32, src graph.ID, n int, readsOnly bool) {
	m := w.mark()
	w.weight /= float64(n)
	switch {
	case !readsOnly:
		w.readFrom(t, loc, src)
	case w.pendingOf(t).act.Weak && w.weak:
		w.spuriousBranch(t, loc, src)
	default:
		w.explored(w.weight)
	}
	w.undo(m)
}

// readFrom adds the pending read of t with src and explores.
func (w *worker) readFrom(t, loc int32, src graph.ID) {
	act := &w.pendingOf(t).act
	v := w.valueOf(src, loc)
	if act.Kind == machine.Load || !succeeds(act, v) || w.isStopped(t, w.cur[t], loc, src) {
		if w.addRead(t, loc, src, 0) && w.resumeRead(t) {
			w.branch(1)
		}
		return
	}
	if w.values != nil {
		w.writes(t, loc, w.rmwValue(t, v), act.Mode)
	}
	if act.Weak && w.weak {
		w.weight /= 2
		w.spuriousBranch(t, loc, src)
	}
	if c := w.takenBy(loc, src); c != graph.None {
		w.contend(t, loc, src, c)
		return
	}
	if w.addRead(t, loc, src, 0) {
		w.writeHalf(t)
	}
}

// takenBy returns the write of the RMW that reads from src, None if there is none.
func (w *worker) takenBy(loc int32, src graph.ID) graph.ID {
	g := w.g
	if w.observed {
		return w.observedTakenBy(loc, src)
	}
	co := g.Locs[loc].Co
	if next := w.g.CoIndex(src) + 1; int(next) < len(co) && g.Events[co[next]].Flags&graph.RMWPart != 0 {
		return co[next]
	}
	return graph.None
}

// contend handles an RMW that reads src, which another RMW reads already: taken is the write of that. Atomicity forbids both in
// one graph. But the write of this RMW may revisit a read, such that the other RMW is deleted. If that comes before it, it may still read from it if loads are buffered.
func (w *worker) contend(t, loc int32, src, taken graph.ID) {
	g := w.g
	if g.Events[taken].Thread == t {
		return
	}
	before := w.needed(taken, &g.Events[g.Last(t)]) || src != graph.None && w.needed(taken, &g.Events[src])
	if before && w.deps == nil {
		return
	}
	if !before && g.Events[taken].Flags&graph.Revisitor != 0 {
		return // it is never deleted
	}
	if !before && !w.observed && !w.latestWhenAdded(&g.Events[taken], taken) {
		w.explored(w.weight)
		return // it is not maximal
	}
	r := w.newRead(t, loc, src, 0)
	if !before && w.twins != nil && w.needed(taken, &g.Events[r]) {
		return
	}
	g.Add(r, 0)
	if before && !w.m.Consistent(g, r) {
		return
	}
	val := w.rmwValue(t, g.Events[r].Val)
	p := w.resumed(w.cur[t], g.Events[r].Val)
	wr := write{t, loc, val, w.pendingOf(t).act.Mode, graph.RMWPart, p, 0, 0}
	if w.deps != nil && w.deps.buffers(&wr) || before {
		return
	}
	w.revisits(&wr, taken, 0)
}

// succeeds reports whether an RMW that reads v writes.
func succeeds(act *machine.Action, v event.Value) bool {
	return act.RMW.Succeeds(v, act.Exp)
}

// addRead adds the read that t is at, from src. It returns false if the graph is not
// consistent then, or has an error.
func (w *worker) addRead(t, loc int32, src graph.ID, flags uint8) bool {
	id := w.newRead(t, loc, src, flags)
	w.g.Add(id, 0)
	return w.checkAccess(id) && w.hasRead(t, loc, src)
}

// hasRead looks at what thread t has read at loc from src, with its last event. It returns false if that is an error.
func (w *worker) hasRead(t, loc int32, src graph.ID) bool {
	if w.choices != nil && int(w.g.CoIndex(src)) < len(w.g.Locs[loc].Co)-1 {
		w.hasChoice(loc)
	}
	return src != graph.None || w.initialised(t, loc)
}

// newRead makes the read event that t is at, from src.
func (w *worker) newRead(t, loc int32, src graph.ID, flags uint8) graph.ID {
	g := w.g
	act := &w.pendingOf(t).act
	v := w.valueOf(src, loc)
	mode := act.Mode
	if act.Kind == machine.RMW {
		flags |= graph.Locked
		switch {
		case flags&graph.Spurious != 0 || !succeeds(act, v):
			mode = act.Fail
		case !w.isStopped(t, w.cur[t], loc, src):
			flags |= graph.RMWPart
			w.updates()
		}
	}
	id := w.newEvent(t, graph.Read, mode, loc)
	e := &g.Events[id]
	e.Flags = flags
	e.RF = src
	e.Val = v
	if src != graph.None {
		s := &g.Events[src]
		if s.Thread != t {
			e.Prefix = g.JoinEvent(e.Prefix, s.Prefix, s, t)
		}
	}
	if w.deps != nil {
		w.deps.learn(&g.Events[id], src)
	}
	if w.twins != nil {
		w.twins.reads(e)
	}
	w.m.Views(g, id)
	return id
}

// updates notes that there is a read-modify-write.
func (w *worker) updates() {
	if w.partial {
		w.notExplored(w.traits.Missing(true))
	}
}

// resumeRead resumes t with the value that its last event read.
func (w *worker) resumeRead(t int32) bool {
	e := &w.g.Events[w.g.Last(t)]
	if w.wasRefused(e) {
		return w.refuse(t)
	}
	p := w.cur[t]
	retries := w.pends[p].act.Retries
	w.cur[t] = w.resumedAfter(p, e, e.Val)
	if w.wakes {
		w.seesLock(t, e, p)
	}
	if retries && w.rereads && w.standsIn(t) {
		return w.reread(t)
	}
	return w.arrived(t)
}

// valueOf returns the value of the write src at location loc.
func (w *worker) valueOf(src graph.ID, loc int32) event.Value {
	if src == graph.Init {
		return w.initialValue(loc)
	}
	return w.g.Events[src].Val
}

// rmwValue is what the RMW that t is at writes when it reads v.
func (w *worker) rmwValue(t int32, v event.Value) event.Value {
	act := &w.pendingOf(t).act
	return act.RMW.Apply(v, act.Val, act.Size)
}
