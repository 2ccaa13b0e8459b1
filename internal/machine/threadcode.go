package machine

import (
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/event"
)

// A ThreadCode is the code that a thread may come to, by control flow, and what it may read there before it does something else. Calls of functions that are not known may be of any function.
type ThreadCode struct {
	Writes WriteSet // the instructions that write

	h       *Ahead
	thread  int32
	parent  int32
	roots   []Root    // what it runs
	open    bool      // it may run something else that its parent names
	may     *Forecast // where it reads; nil: anywhere
	wrapped bool      // the function of the thread is called by one of the library
	pcs     bitset.Set[int32]
	late    bitset.Set[int32] // those that a thread creation may come before
	unknown []int32           // calls of functions that are not known
	returns []int32           // if there are such calls: the ends of all functions
	writes  []*Before         // by number
	others  []*Before         // by number, without the read of the same instruction
	creates *Before
	ends    *Before
}

// Before is what a thread may read before it comes to an instruction.
type Before struct {
	Reads []EarlierRead
	Joins bool // the thread may have waited for the end of another one
}

// An EarlierRead is a read of a place.
type EarlierRead struct {
	Place
	Late bool // a thread creation may come before it
}

// Meets reports whether there is a read of a part of the place.
func (b *Before) Meets(p Place) bool {
	return slices.ContainsFunc(b.Reads, func(r EarlierRead) bool { return r.Meets(p) })
}

// FuncAt returns the number of the function at an address, -1 if there is none.
func (h *Ahead) FuncAt(addr event.Addr) int32 {
	h.findPreds()
	if f := h.p.funcAt(uint64(addr)); f != nil {
		return h.entries[f.entry]
	}
	return -1
}

// Main returns the number of the function that the first thread runs.
func (h *Ahead) Main() int32 { return int32(h.p.start) }

// A Root is a function that a thread runs, with its argument.
type Root struct {
	Func int32
	Arg  uint64
}

// Code returns the code of a thread that runs one of the roots, or, if parent is not nil, what its parent names when it creates it.
func (h *Ahead) Code(thread int32, roots []Root, parent *ThreadCode) *ThreadCode {
	h.findPreds()
	p := h.p
	c := &ThreadCode{h: h, thread: thread, roots: roots, open: parent != nil, Writes: h.NewSet(), pcs: bitset.New[int32](len(p.code))}
	var todo []int32
	visit := func(pc int32) {
		if pc >= 0 && !c.pcs.Has(pc) {
			c.pcs.Add(pc)
			todo = append(todo, pc)
		}
	}
	for _, r := range roots {
		visit(p.funcs[r.Func].entry)
	}
	if parent != nil {
		c.parent = parent.thread
		for _, f := range parent.names() {
			visit(p.funcs[f].entry)
		}
	}
	if c.wrapped = p.wrapper >= 0 && thread > 0; c.wrapped {
		visit(p.funcs[p.wrapper].entry)
	}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch in := &p.code[pc]; in.op {
		case opStore, opRMW, opCAS, opMemCpy, opMemSet:
			c.Writes.Add(h.number[pc])
		case opCall:
			visit(p.funcs[p.calls[in.t].fn].entry)
		case opCallAddr:
			if !c.isWrapper(pc) {
				for f := range p.funcs {
					visit(p.funcs[f].entry)
				}
			}
		}
		p.codeSuccs(int(pc), func(next int) { visit(int32(next)) })
	}
	c.reset(nil)
	return c
}

// reset takes note of what the thread may come to, and where it reads.
func (c *ThreadCode) reset(f *Forecast) {
	p := c.h.p
	c.may, c.creates, c.ends = f, nil, nil
	c.writes, c.others = make([]*Before, len(c.h.pcs)), make([]*Before, len(c.h.pcs))
	if f != nil && !f.threads[c.thread].all {
		c.pcs = f.threads[c.thread].seen
	}
	c.unknown, c.returns = c.all(opCallAddr), nil
	if len(c.unknown) > 0 {
		c.returns = slices.Concat(c.h.rets...)
	}
	c.late = bitset.New[int32](len(p.code))
	var todo []int32
	visit := func(pc int32) {
		if !c.late.Has(pc) {
			c.late.Add(pc)
			todo = append(todo, pc)
		}
	}
	for _, pc := range c.all(opCreate) {
		c.eachNext(pc, visit)
	}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		c.eachNext(pc, visit)
	}
}

// isWrapper reports whether the instruction at pc is of the function that calls the ones that threads run.
func (c *ThreadCode) isWrapper(pc int32) bool {
	return c.wrapped && c.h.p.funcOf(pc) == &c.h.p.funcs[c.h.p.wrapper]
}

// eachNext calls f with what may come after the instruction at pc, and perhaps more.
func (c *ThreadCode) eachNext(pc int32, f func(int32)) {
	p := c.h.p
	in := c.pcs
	yield := func(next int32) {
		if next >= 0 && in.Has(next) {
			f(next)
		}
	}
	switch in := &p.code[pc]; in.op {
	case opCall:
		yield(p.funcs[p.calls[in.t].fn].entry)
	case opCallAddr:
		for i := range p.funcs {
			yield(p.funcs[i].entry)
		}
	case opRet:
		fn := c.h.entries[p.funcOf(pc).entry]
		for _, call := range slices.Concat(c.h.callers[fn], c.unknown) {
			yield(call + 1)
		}
	}
	p.codeSuccs(int(pc), func(next int) { yield(int32(next)) })
}

// BeforeWrite returns what may be read before the write of this number.
func (c *ThreadCode) BeforeWrite(number int32) *Before {
	if c.writes[number] == nil {
		b := *c.BeforeRMW(number)
		b.Reads = slices.Clone(b.Reads)
		b.add(c, c.h.pcs[number])
		c.writes[number] = &b
	}
	return c.writes[number]
}

// BeforeRMW is BeforeWrite without the read of the same instruction, unless it is performed again.
func (c *ThreadCode) BeforeRMW(number int32) *Before {
	if c.others[number] == nil {
		c.others[number] = c.find([]int32{c.h.pcs[number]})
	}
	return c.others[number]
}

// BeforeCreation returns what may be read before a thread is created; nil if none is.
func (c *ThreadCode) BeforeCreation() *Before {
	if c.creates == nil {
		if from := c.all(opCreate); from != nil {
			c.creates = c.find(from)
		}
	}
	return c.creates
}

// MayDecide returns what the thread may read before it creates a thread, and that may depend on other threads. What the first thread reads before it has created one does not.
func (c *ThreadCode) MayDecide() (b Before) {
	if all := c.BeforeCreation(); all != nil {
		b.Joins = all.Joins
		for _, r := range all.Reads {
			if r.Late || c.thread > 0 {
				b.Reads = append(b.Reads, r)
			}
		}
	}
	return b
}

// BeforeEnd returns what may be read before the thread ends.
func (c *ThreadCode) BeforeEnd() *Before {
	if c.ends == nil {
		c.ends = &Before{}
		c.pcs.Each(func(pc int32) { c.ends.add(c, pc) })
	}
	return c.ends
}

// names returns the functions that new threads may run, by the code.
func (c *ThreadCode) names() (list []int32) {
	for _, pc := range c.all(opCreate) {
		in := &c.h.p.code[pc]
		f := int32(-1)
		if in.a == frameZero {
			f = c.h.FuncAt(event.Addr(in.ia))
		}
		if f < 0 { // any
			list = list[:0]
			for f := range c.h.p.funcs {
				list = append(list, int32(f))
			}
			return list
		}
		list = append(list, f)
	}
	return list
}

// CreatesOnce reports whether thread creations come after no read of what another thread may write, or are those at the given places in the code, each of them once.
func (c *ThreadCode) CreatesOnce(f *Forecast, at []int32) bool {
	b := c.MayDecide()
	if !b.Joins && !slices.ContainsFunc(b.Reads, func(r EarlierRead) bool { return f.sharedPlace(c.thread, r.Place) }) {
		return true
	}
	return !slices.ContainsFunc(c.all(opCreate), func(pc int32) bool { return !slices.Contains(at, pc) || c.late.Has(pc) && c.again(pc) })
}

// again reports whether the thread may come to the instruction at pc a second time.
func (c *ThreadCode) again(pc int32) bool {
	seen := bitset.New[int32](len(c.h.p.code))
	todo := []int32{pc}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		c.eachNext(at, func(next int32) {
			if !seen.Has(next) {
				seen.Add(next)
				todo = append(todo, next)
			}
		})
	}
	return seen.Has(pc)
}

// all returns the instructions with this opcode.
func (c *ThreadCode) all(op opcode) (list []int32) {
	c.pcs.Each(func(pc int32) {
		if c.h.p.code[pc].op == op {
			list = append(list, pc)
		}
	})
	return list
}

// find follows the code back from these instructions. They do not count unless they may come before themselves.
func (c *ThreadCode) find(todo []int32) *Before {
	h, p := c.h, c.h.p
	if c.may != nil && c.may.threads[c.thread].all {
		return &Before{Reads: []EarlierRead{{Anywhere, true}}, Joins: true}
	}
	seen := bitset.New[int32](len(p.code))
	visit := func(pc int32) {
		if c.pcs.Has(pc) && !seen.Has(pc) {
			seen.Add(pc)
			todo = append(todo, pc)
		}
	}
	b := &Before{}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen.Has(pc) {
			b.add(c, pc)
		}
		if f, ok := h.entries[pc]; ok {
			for _, q := range h.callers[f] {
				visit(q)
			}
			for _, q := range c.unknown {
				visit(q)
			}
		}
		for _, q := range h.preds[pc] {
			visit(q)
			switch in := &p.code[q]; in.op { // what was called comes before
			case opCall:
				for _, ret := range h.rets[p.calls[in.t].fn] {
					visit(ret)
				}
			case opCallAddr:
				for _, ret := range c.returns {
					visit(ret)
				}
			}
		}
	}
	return b
}

// add adds what the instruction at pc reads.
func (b *Before) add(c *ThreadCode, pc int32) {
	switch c.h.p.code[pc].op {
	case opLoad, opRMW, opCAS, opMemCpy:
	case opJoin:
		b.Joins = true
		return
	default:
		return
	}
	list := []Place{Anywhere}
	if c.may != nil {
		list = c.may.readsFrom(c.thread, pc)
	}
	for _, at := range list {
		i := slices.IndexFunc(b.Reads, func(r EarlierRead) bool { return r.Place == at })
		if i < 0 {
			i = len(b.Reads)
			b.Reads = append(b.Reads, EarlierRead{Place: at})
		}
		b.Reads[i].Late = b.Reads[i].Late || c.late.Has(pc)
	}
}
