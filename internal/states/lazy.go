package states

import (
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
	if w.bufferFull(list) {
		return false
	}
	a := &l.act
	w.setBuffer(l.thread, append(list, entry{addr: a.Addr, size: a.Size, kind: read}))
	if w.rec != nil {
		r := w.rec.add(l.thread, rawEvent{kind: report.Read, mode: a.Mode, addr: a.Addr, size: a.Size, pos: l.pos})
		w.rec.waiting[l.thread] = append(w.rec.waiting[l.thread], r)
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
	if !w.validAccess(at) || !w.initialised(at, leaf) {
		return false
	}
	v := w.value(leaf, e.addr, e.size)
	if w.rec != nil {
		w.rec.read(t, number, v)
	}
	w.setBuffer(t, append(list[:i], list[i+1:]...))
	return w.arrive(t, w.resume(id, opDeliver+uint32(number), v))
}

// dropLoads takes the reads that nobody needs any more out of the buffer of t: they could
// be performed at any time, and nobody could tell.
func (w *worker) dropLoads(t int32, drop uint32) {
	list := w.buffer(t)
	rest := list[:0]
	n, dropped := 0, 0
	for _, e := range list {
		if e.kind == read {
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
	w.setBuffer(t, rest)
}

// computeLazily is compute where loads are deferred.
func (w *worker) computeLazily(id uint32, l *local, s machine.State, op uint32, v event.Value) step {
	if w.lazy == nil {
		w.lazy = w.prog.NewLazy(w.freezer)
	}
	words := w.locals.words(id)
	pend := w.pend[:0]
	for _, x := range words[localHeader : localHeader+int(words[localMeta]>>32&0xffff)] {
		pend = append(pend, machine.Pending{Depth: uint16(x >> 32), Reg: uint16(x >> 16), Load: uint8(x)})
	}
	creates, loads, need := l.creates, l.loads, -1
	a := l.act
	switch {
	case op >= opDeliver:
		loads--
		s, pend, need = w.lazy.Deliver(&w.arena, s, uint8(op-opDeliver), v, pend, l.waits, &a)
	case op == opDefer:
		s, pend, need = w.lazy.Defer(&w.arena, s, uint8(loads), pend, &a)
		loads++
	default:
		if op == opCreated {
			creates++
		}
		s, pend, need = w.lazy.Resume(&w.arena, s, v, op == opFail, pend, &a)
	}
	w.pend = pend
	if need >= 0 {
		a = machine.Action{Kind: waitKind, Pos: w.prog.Pos(&w.arena, s)}
	}
	pend, need, drop := w.lazy.Prune(&w.arena, s, loads, need, pend)
	if a.Kind == machine.Exit {
		drop = 1<<loads - 1
		pend = nil
	}
	return step{w.freeze(s, &a, l.thread, creates, pend, need), drop}
}

// read notes that the number'th load of t that waits has read v.
func (c *recorder) read(t int32, number int, v event.Value) {
	i := c.waitingRead(t, number)
	r := c.waiting[t][i]
	c.waiting[t] = append(c.waiting[t][:i], c.waiting[t][i+1:]...)
	e := c.at(r)
	e.val = v
	if w, ok := c.writers[e.addr]; ok {
		e.from = &w
	}
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
