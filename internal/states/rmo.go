package states

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// Under rmo an instruction that depends on a load in the buffer is itself deferred (thesis, §6.3.1), so its thread goes on past it. An access that lacks its
// address, its value or what it expects is in the buffer without that: it is incomplete. Such accesses have no names: the ith of them is the ith of machine.Pending.Incomplete.
// guess.go has the rules for younger accesses past one that lacks its address. Relaxed read-modify-writes are in the buffer like loads, whether or not they lack anything.
// Branches and the addresses of calls are waited for, as under lmo, unless branches are guessed (Options.Speculate, guess.go).

// An rmwOp is what a read-modify-write does.
type rmwOp = event.RMWOp

// The words of a machine.Pending, under rmo: the numbers of registers and of incomplete accesses, in one word, and Pending.Kept.
const pendingIncomplete = 16

// encodeWaits appends the words of v to buf.
func (w *worker) encodePending(v *machine.Pending, buf []uint64) []uint64 {
	if w.model >= RMO && len(v.Regs)+len(v.Incomplete)+int(v.Kept) > 0 {
		buf = append(buf, uint64(len(v.Regs))|uint64(len(v.Incomplete))<<pendingIncomplete, uint64(v.Kept))
	}
	for _, p := range v.Regs {
		buf = append(buf, uint64(p.Depth)<<32|uint64(p.Reg)<<16|uint64(p.Value))
	}
	for _, x := range v.Incomplete {
		buf = append(buf, uint64(x[0])|uint64(x[1])<<8|uint64(x[2])<<16|uint64(x[3])<<24)
	}
	for i := range v.Deferred {
		buf = v.Deferred[i].Encode(buf)
	}
	return buf
}

// decodeWaits makes v that of a local.
func (w *worker) decodePending(local []uint64, v *machine.Pending) {
	words := local[localHeader : localHeader+int(local[localMeta]>>32&0xffff)]
	v.Regs, v.Incomplete, v.Deferred, v.Kept = v.Regs[:0], v.Incomplete[:0], v.Deferred[:0], 0
	regs, incomplete := len(words), 0
	if w.model >= RMO && len(words) > 0 {
		regs, incomplete, v.Kept = int(words[0]&0xffff), int(words[0]>>pendingIncomplete), uint32(words[1])
		words = words[2:]
	}
	for _, x := range words[:regs] {
		v.Regs = append(v.Regs, machine.PendingReg{Depth: uint32(x >> 32), Reg: uint16(x >> 16), Value: uint8(x)})
	}
	for _, x := range words[regs : regs+incomplete] {
		v.Incomplete = append(v.Incomplete, machine.Missing{uint8(x), uint8(x >> 8), uint8(x >> 16), uint8(x >> 24)})
	}
	for words = words[regs+incomplete:]; len(words) > 0; words = words[machine.DeferredWords:] {
		v.Deferred = append(v.Deferred, machine.DecodeDeferred(words))
	}
}

// encodeFills returns the number of the chunk of fills, for fillAccesses.
func (w *worker) encodeFills(fills []machine.Fill) uint32 {
	if len(fills) == 0 {
		return 0
	}
	words := w.entryWords[:0]
	for _, f := range fills {
		words = append(words, uint64(f.Access)<<8|uint64(f.Part), f.Value)
	}
	w.entryWords = words
	return w.buffers.intern(words, nil)
}

// fillAccesses gives accesses in the buffer of t what they lacked. It returns false if one of them is an error or a guess was wrong.
func (w *worker) fillAccesses(t int32, fill uint32) bool {
	list := append(w.entries[:0], w.buffer(t)...)
	w.entries = list
	words := w.buffers.words(fill)
	k, still := uint64(0), 0
	known := map[int]ir.Pos{} // addresses, by place: where the access is in the program
	for i := range list {
		e := &list[i]
		if e.missing == 0 {
			continue
		}
		for ; len(words) > 0 && words[0]>>8 == k; words = words[2:] {
			part, v := words[0]&0xff, words[1]
			e.missing &^= 1 << part
			if part == machine.PartBranch {
				if v != e.val.Lo {
					w.wrong = true
					return false
				}
				continue
			}
			switch part {
			case machine.PartAddr:
				known[i] = ir.Pos(e.addr)
				e.addr = event.Addr(v)
			case machine.PartVal:
				e.val = event.Value{Lo: v, Hi: e.val.Hi}.Mask(e.size)
			case machine.PartExp:
				e.exp = v
			}
			if w.rec != nil {
				w.rec.fill(t, still, int(part), event.Value{Lo: v}.Mask(e.size))
			}
		}
		if e.missing != 0 && e.kind != branch {
			still++
		}
		k++
	}
	for i := range known {
		for _, g := range list[i+1:] {
			if g.kind == guess && uint64(list[i].addr-g.addr) < g.val.Lo || g.kind == guess && g.addr-list[i].addr < event.Addr(list[i].size) {
				w.wrong = true
				return false
			}
		}
	}
	w.setBuffer(t, list)
	for i := range list { // in the order of the program
		if pos, ok := known[i]; ok && !w.located(t, &list[i], &local{pos: pos}) {
			return false
		}
	}
	return true
}

// incompleteAt returns which of the incomplete accesses a load reads, if that is the one at place i of the buffer: a write that lacks nothing but
// its value, -1 if it is none.
func incompleteAt(list []entry, i int, a event.Addr, size uint8) int {
	if e := &list[i]; e.kind != write || e.missing != 1<<machine.PartVal || e.addr != a || e.size != size {
		return -1
	}
	k := 0
	for _, e := range list[:i] {
		if e.missing != 0 {
			k++
		}
	}
	return k
}

// aliasLoad lets the load that l is at read the kth of the incomplete accesses.
func (w *worker) aliasLoad(id uint32, l *local, list []entry, at, k int) bool {
	if list[at].val.Hi != 0 {
		w.deferredAll.Store(true) // its value is needed to tell which bits are undefined
		return false
	}
	w.overtakes(list, false, true)
	w.record(l, event.Value{})
	return w.arrive(l.thread, w.resume(id, opAlias+uint32(k), event.Value{}))
}

// entry returns the access that l is at, or waits with, as one in the buffer. A CAS that fails spuriously is a load.
func (l *local) entry(spurious bool) entry {
	a := &l.act
	if l.issue != nil {
		a = l.issue
	}
	e := entry{addr: a.Addr, size: a.Size, pastDeferred: l.pastDeferred, missing: l.missing}
	if e.missing&missingAddr != 0 {
		e.addr = event.Addr(l.pos)
	}
	switch {
	case a.Kind == machine.Load || spurious:
		e.kind, e.missing = read, l.missing&missingAddr
	case a.Kind == machine.RMW:
		e.kind, e.val, e.exp, e.op = rmw, a.Val.Mask(a.Size), a.Exp.Lo, a.RMW
	default:
		e.kind, e.val = write, a.Val.Mask(a.Size)
	}
	return e
}

// issue puts the access that l waits with into the buffer as it is.
func (w *worker) issue(id uint32, l *local, spurious bool) bool {
	a := l.issue
	list := w.buffer(l.thread)
	e := l.entry(spurious)
	if waits, _ := w.storeWaits(a, list); e.kind == write && waits {
		return false
	}
	if e.missing&missingAddr == 0 && !w.validAccess(&local{act: *a, pos: l.pos, thread: l.thread}) {
		return false
	}
	if w.bufferFull(list) || e.reads() && w.loadsFull(l) {
		return false
	}
	op := uint32(opIssue)
	if spurious {
		op = opIssueFail
	}
	st := w.resume(id, op, event.Value{})
	w.setBuffer(l.thread, append(list, e))
	if w.rec != nil {
		w.rec.issue(l, &e)
	}
	return w.arrive(l.thread, st)
}

// isRelaxed reports whether a read-modify-write may be in the buffer.
func isRelaxed(a *machine.Action) bool {
	return a.Size <= 8 && a.Mode <= event.Rlx && (!a.RMW.MayFail() || a.Fail <= event.Rlx)
}

// deferRMW puts the read-modify-write that l is at into the buffer. One that fails spuriously is a load.
func (w *worker) deferRMW(id uint32, l *local, spurious bool) bool {
	list := w.buffer(l.thread)
	if w.loadsFull(l) || w.bufferFull(list) {
		return false
	}
	e := l.entry(spurious)
	op := uint32(opDefer)
	if spurious {
		op = opDeferFail
	}
	st := w.resume(id, op, event.Value{})
	if st.next == 0 {
		return false // there was no room for more
	}
	w.setBuffer(l.thread, append(list, e))
	if w.rec != nil {
		w.rec.issue(l, &e)
	}
	return w.arrive(l.thread, st)
}

// loadsFull reports whether there are as many loads in the buffer of l's thread as can be.
func (w *worker) loadsFull(l *local) bool {
	if l.loads < machine.MaxLoads {
		return false
	}
	w.bounded.Store(true)
	return true
}

// leaveRMW performs the read-modify-write at place i of the buffer of t.
func (w *worker) leaveRMW(t int32, i int) bool {
	list := w.buffer(t)
	e := list[i]
	number, _ := count(list[:i])
	id := w.leaf(localLeaf(t))
	leaf := w.pageLeaf(e.addr)
	at := &local{act: machine.Action{Kind: machine.RMW, Addr: e.addr, Size: e.size}, pos: w.locals.at(id).local.pos, thread: t}
	if !w.validAccess(at) {
		return false
	}
	v := w.value(leaf, e.addr, e.size)
	if v.Hi != 0 {
		_, base := w.object(e.addr)
		w.fail(at, machine.Unwritten, about{base, allocated})
		return false
	}
	writes := e.op.Succeeds(v, event.Value{Lo: e.exp})
	x := e.op.Apply(v, e.val, e.size)
	if w.rec != nil {
		w.rec.readRMW(t, number, v, x, writes)
	}
	if writes && !w.put(leaf, e.addr, e.size, x) {
		return false
	}
	w.setBuffer(t, w.without(list, i))
	return w.arrive(t, w.resume(id, opDeliver+uint32(number), v))
}

// isBuffered reports whether what l accesses is in the buffer of its thread, or may be.
func (w *worker) isBuffered(l *local) bool {
	for _, e := range w.buffer(l.thread) {
		if e.missing&missingAddr != 0 || e.overlaps(l.act.Addr, l.act.Size) {
			return true
		}
	}
	return false
}

// issue notes that an access goes to the buffer.
func (c *recorder) issue(l *local, e *entry) {
	a := &l.act
	if l.issue != nil {
		a = l.issue
	}
	x := rawEvent{kind: report.Read, mode: a.Mode, addr: a.Addr, size: a.Size, val: e.val, pos: l.pos, missing: e.missing}
	x.waits = e.reads()
	if e.kind == write {
		x.kind = report.Write
	} else if a.Kind == machine.RMW {
		x.rmw = a.RMW.String()
	}
	c.waiting[l.thread] = append(c.waiting[l.thread], c.add(l.thread, x))
}

// fill notes a part of the number'th access of t that lacks something. The reads that have read it have it too.
func (c *recorder) fill(t int32, number, part int, v event.Value) {
	for _, r := range c.waiting[t] {
		x := c.at(r)
		if x.missing == 0 {
			continue
		}
		if number > 0 {
			number--
			continue
		}
		x.missing &^= 1 << part
		switch part {
		case machine.PartAddr:
			x.addr = event.Addr(v.Lo)
		case machine.PartVal:
			x.val = v
		}
		for i := range c.events[t] {
			if y := &c.events[t][i]; part == machine.PartVal && y.kind == report.Read && y.from != nil && *y.from == r {
				y.val = v
			}
		}
		return
	}
}

// readRMW notes that the number'th load of t that waits has read v, as part of a read-modify-write that makes x of it, if it writes.
func (c *recorder) readRMW(t int32, number int, v, x event.Value, writes bool) {
	r := c.read(t, number, v)
	if !writes {
		return
	}
	e := *c.at(r)
	e.kind, e.val, e.from = report.Write, x, nil
	c.order++
	e.order = c.order
	c.events[t] = slices.Insert(c.events[t], r.Index+1, e)
	move := func(o *report.Ref) {
		if o.Thread == int(t) && o.Index > r.Index {
			o.Index++
		}
	}
	for i := range c.waiting[t] {
		move(&c.waiting[t][i])
	}
	for a, o := range c.writers {
		move(&o)
		c.writers[a] = o
	}
	for _, evs := range c.events {
		for i := range evs {
			if evs[i].from != nil {
				from := *evs[i].from
				move(&from)
				evs[i].from = &from
			}
		}
	}
	c.wrote(report.Ref{Thread: int(t), Index: r.Index + 1})
}
