package xmm

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Commits are what has to be committed in a graph that search builds, whatever comes next. Each external read of a re-executed graph either is committed, then some one
// execution has its rf edge and those of all that is committed with it; or it agrees with an order of the threads (docs/xmm.md).
type commits struct {
	number []int32     // by event: the number of its class; none if no execution has it, unknown if that was not needed yet
	strong []int32     // by event: the place in its thread of the last event up to it that is stronger than relaxed; none if there is none
	colour []uint8     // by event: committed and on the path, or committed with all that is before it
	beside bitSet      // the classes that some execution has beside each class that is committed
	times  []int32     // by class: how many events of it are committed
	added  []int32     // the classes that are committed
	before []threadSet // by thread: those that come before it
	lone   int         // how many reads have an rf edge that no execution has

	keeping bool // the last write may keep promises that are not kept
}

// unknown is the number of a class that was not looked for yet.
const unknown = -2

const (
	onPath uint8 = iota + 1
	done
)

// event takes note of the new event id.
func (c *commits) event(g *graph.Graph, id graph.ID) {
	for len(c.number) <= int(id) {
		c.number, c.strong = append(c.number, unknown), append(c.strong, none)
	}
	c.number[id] = unknown
	switch e := &g.Events[id]; {
	case e.Mode > event.Rlx:
		c.strong[id] = e.Index
	case e.Index == 0:
		c.strong[id] = none
	default:
		c.strong[id] = c.strong[g.Threads[e.Thread][e.Index-1]]
	}
}

// read takes note of the new read id, of the promise e if that is not nil.
func (c *commits) read(s *search, id graph.ID, e *edge) {
	c.event(s.g, id)
	switch {
	case e != nil:
		c.number[id] = e.number
	case external(s.g, id) && c.class(s, id) == none:
		c.lone++
	}
}

// external reports whether the read id reads from another thread, and not from a promise that is not kept.
func external(g *graph.Graph, id graph.ID) bool {
	r := &g.Events[id]
	return r.RF != graph.Init && g.Events[r.RF].Thread != r.Thread
}

// class returns the number of the class of the event id, none if no execution has it.
func (c *commits) class(s *search, id graph.ID) int32 {
	if c.number[id] == unknown {
		c.number[id] = c.find(s, id)
	}
	return c.number[id]
}

// find is class if the number is unknown.
func (c *commits) find(s *search, id graph.ID) int32 {
	e := &s.g.Events[id]
	from := int32(none)
	if w := source(e); w != graph.None {
		if from = c.class(s, w); from == none {
			return none
		}
	}
	n, ok := s.classes.numbers[classOf(e.Thread, from, labelOf(s.g, e))]
	if !ok || s.kinds[n].most == 0 {
		return none
	}
	return n
}

// changed reports whether what possible looks at may have changed with the read id, of the promise e if that is not nil.
func (c *commits) changed(s *search, id graph.ID, e *edge) bool {
	return e != nil || s.g.Events[id].Mode.IsAcq() || external(s.g, id)
}

// possible reports whether there may be an execution that all that has to be committed is embedded in. A cycle in rpo ∪ rf is one of the things that there is none with:
// each of its events would be committed, so that the execution would have it as well.
func (c *commits) possible(s *search) bool {
	c.colour = append(c.colour[:0], make([]uint8, len(s.g.Events))...)
	for _, n := range c.added {
		c.times[n] = 0
	}
	c.added = c.added[:0]
	for len(c.times) < len(s.kinds) {
		c.times = append(c.times, 0)
	}
	for i := range s.promises {
		if p := &s.promises[i]; !p.kept && !c.keeping && c.times[p.wrote] == 0 && !c.add(s.reexecution, p.wrote) {
			return false
		}
	}
	for i := range s.promises {
		if !c.commit(s, s.promises[i].read) {
			return false
		}
	}
	return c.inOrder(s)
}

// commit commits the event id and all that is committed with it.
func (c *commits) commit(s *search, id graph.ID) bool {
	switch c.colour[id] {
	case onPath:
		return false
	case done:
		return true
	}
	c.colour[id] = onPath
	g := s.g
	e := &g.Events[id]
	if n := c.class(s, id); n == none || !c.add(s.reexecution, n) || !c.prefix(s, e.Thread, e.Index, e.Kind, e.Mode) {
		return false
	}
	if e.Kind == graph.Read {
		if e.RF != graph.Init {
			if !c.commit(s, e.RF) {
				return false
			}
		} else if p := s.promiseOf(id); p != nil && !c.promised(s, p) {
			return false
		}
	}
	c.colour[id] = done
	return true
}

// promised commits what is before the write that keeps the promise p in rpo.
func (c *commits) promised(s *search, p *promise) bool {
	return c.future(s, p.from, p.write.mode, p.keepers)
}

// future commits what is in rpo before a write that thread t has yet to do, of a mode that is at least this one, by an instruction of all.
//
// Lemma. (a) Let a barrier come before that write on all ways that the thread may still go, or let the write be a release. Then all that the thread has done is committed, and the read that it waits at.
// (b) Let an acquire fence come before that write on all ways. Then the atomic reads that the thread has done are committed, and the one that it waits at.
// (c) If that read waits for a write of thread o, all that is in rpo before every such write is committed as well.
//
// Proof. (a) Whatever comes before a barrier is before it in rpo, and the barrier is before the write. Whatever comes before a release is before it in rpo. So rule 5 commits it with the write.
// (b) The same with the atomic reads before the fence. (c) The read will read a write that o has yet to do (await), which rule 2 commits. ∎
func (c *commits) future(s *search, t int32, mode event.Mode, all machine.WriteSet) bool {
	kind := graph.Write
	act := s.Action(t)
	if act != nil && s.java == nil && !c.keeping {
		switch {
		case !s.MayWriteNear(s.ahead, t, all, s.every):
			kind, mode = graph.Fence, event.SC
		case !s.MayWriteUnfenced(s.ahead, t, all, s.every):
			kind, mode = graph.Fence, event.Acq
		}
	}
	if s.waiting[t] && waitsInOrder(act, kind, mode) {
		for i := range s.goals {
			if w := &s.goals[i]; w.kind == machine.Store && w.waiter == t && !c.awaited(s, w) {
				return false
			}
		}
	}
	return c.prefix(s, t, int32(len(s.g.Threads[t])), kind, mode)
}

// waitsInOrder reports whether the read act, which a thread waits at, is in rpo before a later event of this kind and mode.
func waitsInOrder(act *machine.Action, kind graph.Kind, mode event.Mode) bool {
	switch {
	case kind == graph.Fence && mode == event.SC:
		return true
	case kind == graph.Fence && (act.Kind == machine.RMW || act.Mode != event.NA):
		return true
	}
	return act.Mode.IsAcq() && (act.Kind != machine.RMW || !act.RMW.MayFail())
}

// awaited commits what is in rpo before the write that g waits for. hopeless says which instructions that may be.
func (c *commits) awaited(s *search, g *goal) bool {
	l := &s.g.Locs[g.loc]
	all := slices.Clone(s.writers(threadLoc{g.thread, l.Addr, l.Size}))
	s.releases.Each(all.Remove)
	return c.future(s, g.thread, event.NA, all)
}

// prefix commits what is before an event of the given kind and mode at place n of thread t in rpo.
func (c *commits) prefix(s *search, t, n int32, kind graph.Kind, mode event.Mode) bool {
	if s.java != nil {
		return true
	}
	ids := s.g.Threads[t]
	for i := n - 1; i >= 0; i-- {
		if kind != graph.Fence && !mode.IsRel() { // then nothing that is relaxed is
			if i = c.strong[ids[i]]; i < 0 {
				break
			}
		}
		id := ids[i]
		e := &s.g.Events[id]
		if !kept(e.Kind, e.Mode, kind, mode) {
			continue
		}
		if !c.commit(s, id) {
			return false
		}
		if e.Mode.IsRel() {
			break // all that is before it has been committed with it
		}
	}
	return true
}

// add adds an event of a class, unless no execution has it beside the others.
func (c *commits) add(x *reexecution, class int32) bool {
	k := &x.kinds[class]
	c.times[class]++
	if c.times[class] > 1 {
		return c.times[class] <= k.most
	}
	c.added = append(c.added, class)
	if len(c.added) == 1 {
		c.beside = append(c.beside[:0], k.beside...)
		return true
	}
	if !c.beside.has(class) {
		return false
	}
	c.beside.intersect(k.beside)
	return true
}

// inOrder reports whether there is an order of the threads that all reads which can't be committed agree with. What does not agree with it is committed.
func (c *commits) inOrder(s *search) bool {
	g := s.g
	c.before = append(c.before[:0], make([]threadSet, len(g.Threads))...)
	for _, id := range g.Trail {
		if e := &g.Events[id]; e.Kind == graph.Read && c.number[id] == none && external(g, id) {
			if c.colour[id] != 0 || !c.order(g.Events[e.RF].Thread, e.Thread) {
				return false
			}
		}
	}
	for _, id := range g.Trail {
		e := &g.Events[id]
		if e.Kind != graph.Read || c.number[id] < 0 || c.colour[id] != 0 || !external(g, id) {
			continue
		}
		if c.before[g.Events[e.RF].Thread].has(e.Thread) && !c.commit(s, id) {
			return false
		}
	}
	return true
}

// order makes thread t come before u. It returns false if u comes before t.
func (c *commits) order(t, u int32) bool {
	if c.before[t].has(u) {
		return false
	}
	c.before[t].add(t) // for what follows
	for v := range c.before {
		if int32(v) == u || c.before[v].has(u) {
			c.before[v].union(&c.before[t])
		}
	}
	c.before[t].remove(t)
	return true
}

// promiseOf returns the promise that the read id has its value from, nil if there is none.
func (s *search) promiseOf(id graph.ID) *promise {
	for i := range s.promises {
		if s.promises[i].read == id {
			return &s.promises[i]
		}
	}
	return nil
}
