package xmm

import (
	"ravel/internal/event"
	"ravel/internal/graph"
	"ravel/internal/machine"
)

// Commits are what has to be committed in a graph that search builds, whatever comes next. Each external read of a re-executed graph either is committed, then some one
// execution has its rf edge and those of all that is committed with it; or it agrees with an order of the threads (docs/xmm.md).
type commits struct {
	number []int32     // by read: the number of its rf edge; none if no execution has it, internal if it reads what its thread wrote or an initial value
	colour []uint8     // by event: committed and on the path, or committed with all that is before it
	edges  []*edge     // of the reads that are committed
	before []threadSet // by thread: those that come before it
	lone   int         // how many reads have an rf edge that no execution has

	keeping bool // the last write may keep promises that are not kept
}

// internal is the number of the rf edge of a read that reads from its own thread.
const internal = -2

const (
	onPath uint8 = iota + 1
	done
)

// read takes note of the read id, of the promise e if that is not nil.
func (c *commits) read(s *search, id graph.ID, e *edge) {
	for len(c.number) <= int(id) {
		c.number = append(c.number, internal)
	}
	g := s.g
	r := &g.Events[id]
	c.number[id] = internal
	if e == nil && r.RF != graph.Init && g.Events[r.RF].Thread != r.Thread {
		w := &g.Events[r.RF]
		e = s.reexecution.edges[edgeKey{from: w.Thread, to: r.Thread, write: labelOf(g, w), read: labelOf(g, r)}]
		c.number[id] = none
	}
	if e != nil && e.most > 0 {
		c.number[id] = e.number
	}
	if c.number[id] == none {
		c.lone++
	}
}

// changed reports whether what possible looks at may have changed with the read id, of the promise e if that is not nil.
func (c *commits) changed(s *search, id graph.ID, e *edge) bool {
	return e != nil || s.g.Events[id].Mode.IsAcq() || c.number[id] == none || c.number[id] >= 0 && c.lone > 0
}

// possible reports whether there may be an execution that all that has to be committed is embedded in. A cycle in rpo ∪ rf is one of the things that there is none with:
// each of its events would be committed, so that the execution would have it as well.
func (c *commits) possible(s *search) bool {
	c.colour = append(c.colour[:0], make([]uint8, len(s.g.Events))...)
	c.edges = c.edges[:0]
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
	if !c.prefix(s, e.Thread, e.Index, e.Kind, e.Mode) {
		return false
	}
	if e.Kind == graph.Read {
		if n := c.number[id]; n == none || n >= 0 && !c.add(s.reexecution, n) {
			return false
		}
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
//
// Lemma. Let a barrier come before that write on all ways that its thread may still go. Then all that the thread has done is committed, and the read that it waits at. If that
// read waits for thread o, what is before a plain write at the end of o in rpo is committed as well.
//
// Proof. Whatever comes before a barrier is before it in rpo, and the barrier is before the write. So rule 5 commits it with the write. The read will read a write that o has yet
// to do (await), which rule 2 commits. What is in rpo before a plain write at the end of o is so before every later write of o. ∎
func (c *commits) promised(s *search, p *promise) bool {
	kind, mode := graph.Write, p.write.mode
	act := s.Action(p.from)
	if act != nil && s.java == nil && !c.keeping && !s.MayWriteNear(s.ahead, p.from, p.keepers, p.never) {
		kind, mode = graph.Fence, event.SC
	}
	if s.waiting[p.from] && (kind == graph.Fence || act.Mode.IsAcq() && (act.Kind != machine.RMW || act.RMW != event.CAS)) {
		for i := range s.goals {
			if w := &s.goals[i]; w.kind == machine.Store && w.waiter == p.from && !c.prefix(s, w.thread, int32(len(s.g.Threads[w.thread])), graph.Write, event.NA) {
				return false
			}
		}
	}
	return c.prefix(s, p.from, int32(len(s.g.Threads[p.from])), kind, mode)
}

// prefix commits what is before an event of the given kind and mode at place n of thread t in rpo.
func (c *commits) prefix(s *search, t, n int32, kind graph.Kind, mode event.Mode) bool {
	if s.java != nil {
		return true
	}
	for i := n - 1; i >= 0; i-- {
		id := s.g.Threads[t][i]
		e := &s.g.Events[id]
		if e.Mode <= event.Rlx && kind != graph.Fence && !mode.IsRel() || !kept(e.Kind, e.Mode, kind, mode) {
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

// add adds the rf edge of a committed read, unless no execution has it beside the others.
func (c *commits) add(x *reexecution, number int32) bool {
	e := x.numbered[number]
	same := int32(1)
	for _, o := range c.edges {
		if o == e {
			same++
		} else if !e.beside.has(o.number) {
			return false
		}
	}
	c.edges = append(c.edges, e)
	return same <= e.most
}

// inOrder reports whether there is an order of the threads that all reads which can't be committed agree with. What does not agree with it is committed.
func (c *commits) inOrder(s *search) bool {
	g := s.g
	c.before = append(c.before[:0], make([]threadSet, len(g.Threads))...)
	for _, id := range g.Trail {
		if e := &g.Events[id]; e.Kind == graph.Read && c.number[id] == none {
			if c.colour[id] != 0 || !c.order(g.Events[e.RF].Thread, e.Thread) {
				return false
			}
		}
	}
	for _, id := range g.Trail {
		e := &g.Events[id]
		if e.Kind != graph.Read || c.number[id] < 0 || c.colour[id] != 0 || e.RF == graph.Init {
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
