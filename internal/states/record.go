package states

import (
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

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
		e.val.Lo, e.text = a.Chosen(v.Lo), a.Wakeup(v.Lo)
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
