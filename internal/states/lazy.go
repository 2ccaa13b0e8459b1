package states

import (
	"math/bits"

	"ravel/internal/event"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// Under lmo a load goes to the buffer, and its thread goes on until it uses the value. The reads in a
// buffer have no names: the ith of them is the load with number i of the thread (machine.Pending).

// isLazy reports whether threads go on without the values of their loads.
func (r *run) isLazy() bool { return r.model >= LMO }

// defers reports whether the load that l is at goes to the buffer.
func (w *worker) defers(l *local) bool {
	return w.isLazy() && l.whole && l.act.Size <= 8 && (w.opts.Raw || l.act.Mode <= event.Rlx)
}

// deferLoad puts the load that l is at into the buffer.
func (w *worker) deferLoad(id uint32, l *local, list []entry) bool {
	if w.loadsFull(l) || w.bufferFull(list) {
		return false
	}
	e := l.entry(false)
	w.setBuffer(l.thread, append(list, e))
	if w.rec != nil {
		w.rec.issue(l, &e)
	}
	return w.arrive(l.thread, w.resume(id, opDefer, event.Value{}))
}

// arrives performs the read at place i of the buffer of t.
func (w *worker) arrives(t int32, i int) bool {
	list := w.buffer(t)
	e := list[i]
	number, _ := count(list[:i])
	id := w.leaf(localLeaf(t))
	leaf := w.pageLeaf(e.addr)
	at := &local{act: machine.Action{Kind: machine.Load, Addr: e.addr, Size: e.size}, pos: w.locals.at(id).local.pos, thread: t}
	if !w.validAccess(at) {
		return false
	}
	var v event.Value
	if k, _ := source(list[:i], e.addr, e.size); k >= 0 {
		v = list[k].part(e.addr, e.size)
	} else {
		v = w.value(leaf, e.addr, e.size)
	}
	if v.Hi != 0 { // see doLoad
		if !w.opts.Machine.Undef {
			w.fail(at, machine.Untracked)
		}
		return false
	}
	if w.rec != nil {
		w.rec.read(t, number, v)
	}
	w.setBuffer(t, w.without(list, i))
	return w.arrive(t, w.resume(id, opDeliver+uint32(number), v))
}

// dropLoads removes the reads whose values are not needed from the buffer of t: they could
// be performed at any time, and no thread would see a difference.
func (w *worker) dropLoads(t int32, drop uint32) {
	list := w.buffer(t)
	rest := w.entries[:0]
	n, dropped := 0, 0
	for _, e := range list {
		if e.reads() {
			n++
			if drop>>(n-1)&1 != 0 {
				if w.rec != nil {
					w.rec.drop(t, n-1-dropped)
				}
				dropped++
				continue
			}
		}
		rest = append(rest, e)
	}
	w.entries = rest
	w.setBuffer(t, rest)
}

// thawLazily is thaw of a thread that has gone on without the values of loads: with the callers that wait for one, which may change.
func (w *worker) thawLazily(id uint32, v *machine.Pending, callers int) machine.State {
	words := w.locals.words(id)
	top := words[localHeader+int(words[localMeta]>>32&0xffff):]
	changing := 0
	for _, q := range v.Regs {
		changing = max(changing, machine.Depth(top)-int(q.Depth))
	}
	s := w.thaw(id, max(callers, changing+1))
	w.thawed = w.thawed[changing:]
	return s
}

// computeLazily is compute where loads are deferred, with so many callers. It returns false if it takes more.
func (w *worker) computeLazily(id uint32, l *local, callers int, op uint32, v event.Value) (step, bool) {
	if w.lazy == nil {
		w.lazy = w.prog.NewLazy(w.freezer)
		w.lazy.Deep, w.lazy.Raw, w.lazy.Speculate = w.model >= RMO, w.opts.Raw, w.model >= RMO && w.opts.Speculate
	}
	z := w.lazy
	w.decodePending(w.locals.words(id), &z.Pending)
	s := w.thawLazily(id, &z.Pending, callers)
	loads := l.loads
	var need int
	a := l.act
	var fills []machine.Fill
	switch {
	case op >= opAlias:
		s, need, _ = z.Defer(&w.arena, s, z.Incomplete[op-opAlias][machine.PartVal], false, &a)
	case op >= opDeliver:
		loads--
		s, need, fills = z.Deliver(&w.arena, s, uint8(op-opDeliver), v, l.waits, &a)
	case op == opIssue || op == opIssueFail:
		s, need = z.Issue(&w.arena, s, uint8(loads), op == opIssueFail, &a)
		if l.issue.Kind != machine.Store {
			loads++
		}
	case op == opGuess:
		s, need = z.Guess(&w.arena, s, v.Lo, &a)
	case op == opDefer || op == opDeferFail:
		var ok bool
		if s, need, ok = z.Defer(&w.arena, s, uint8(loads), op == opDeferFail, &a); !ok {
			w.deferredAll.Store(true)
			return step{}, true
		}
		loads++
	default:
		s, need = z.Resume(&w.arena, s, v, op == opFail, &a)
	}
	if w.below != 0 && !w.intact(s, &a) {
		return step{}, false
	}
	if need >= 0 {
		a = machine.Action{Kind: waitKind, Pos: w.prog.Pos(&w.arena, s)}
	}
	fill := w.encodeFills(fills)
	if a.Kind == machine.Exit {
		return step{w.freeze(s, &a, l.thread, l.lineageAfter(op), nil, 0, -1), 1<<loads - 1, fill}, true
	}
	need, drop := z.Prune(&w.arena, s, loads, need)
	loads -= bits.OnesCount32(drop)
	next := w.freeze(s, &a, l.thread, l.lineageAfter(op), &z.Pending, loads, need)
	if z.Full {
		w.deferredAll.Store(true)
	}
	return step{next, drop, fill}, true
}

// read notes that the number'th load of t that waits has read v.
func (c *recorder) read(t int32, number int, v event.Value) report.Ref {
	i := c.waitingRead(t, number)
	r := c.waiting[t][i]
	e := c.at(r)
	e.val, e.waits = v, false
	e.from = c.source(c.waiting[t][:i], e.addr, e.size)
	c.waiting[t] = append(c.waiting[t][:i], c.waiting[t][i+1:]...)
	return r
}

// drop notes that the number'th load of t that waits is not needed.
func (c *recorder) drop(t int32, number int) {
	i := c.waitingRead(t, number)
	c.waiting[t] = append(c.waiting[t][:i], c.waiting[t][i+1:]...)
}

func (c *recorder) waitingRead(t int32, number int) int {
	for i, r := range c.waiting[t] {
		if c.at(r).kind == report.Read {
			if number == 0 {
				return i
			}
			number--
		}
	}
	panic("no such read")
}
