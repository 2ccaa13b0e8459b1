package machine

import (
	"encoding/binary"
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/event"
	"ravel/internal/ir/arith"
)

// A Forecast is which instructions of the threads may write where, whatever the threads read.
//
// Each thread runs by itself, by abstract interpretation. A read of a location that another thread may write to may get any value, and both ways of a branch on such a value are taken. Any other read gets what
// the thread has written last, or the initial value. That is repeated until no thread writes anything new: docs/xmm.md, Lemma 6. A thread that takes too many steps, or calls functions, may do all
// that its code says (ThreadCode).
type Forecast struct {
	codes []*ThreadCode
	to    []map[int32][]Place // by thread: by the number of the instruction
	all   []bool              // by thread: it may do all that its code says
}

// maxForecast bounds the states of a thread in a forecast.
const maxForecast = 20_000

// NewForecast returns the forecast of threads with this code. If all, they may do all that it says.
func NewForecast(codes []*ThreadCode, all bool) *Forecast {
	f := &Forecast{codes: codes, all: make([]bool, len(codes))}
	for t, c := range codes {
		f.to = append(f.to, map[int32][]Place{})
		if f.all[t] = all || !c.argKnown || len(c.roots) != 1 || c.wrapped || c.h.p.layout != nil || c.h.p.space != event.Wide; f.all[t] {
			f.everything(int32(t))
		}
	}
	for again := true; again; {
		again = false
		for t := range codes {
			if !f.all[t] && f.run(int32(t)) {
				again = true
			}
		}
	}
	return f
}

// WritesTo returns the places that the instruction of this number may write to in thread t: none if the thread never comes to it.
func (f *Forecast) WritesTo(t, number int32) []Place { return f.to[t][number] }

// Each calls yield with the instructions that thread t may write by, and where.
func (f *Forecast) Each(t int32, yield func(number int32, places []Place)) {
	f.codes[t].Writes.Each(func(number int32) {
		if list := f.to[t][number]; len(list) > 0 {
			yield(number, list)
		}
	})
}

// MayWrite reports whether the instruction of this number may write to the address in thread t.
func (f *Forecast) MayWrite(t, number int32, addr uint64) bool {
	return slices.ContainsFunc(f.to[t][number], func(p Place) bool { return p.Meets(Place{addr, addr}) })
}

// everything lets thread t do all that its code says.
func (f *Forecast) everything(t int32) {
	f.all[t] = true
	c := f.codes[t]
	c.Writes.Each(func(number int32) { f.to[t][number] = []Place{c.WritesTo(number)} })
}

// add adds a place. It returns whether it is new.
func (f *Forecast) add(t, number int32, p Place) bool {
	if slices.Contains(f.to[t][number], p) {
		return false
	}
	f.to[t][number] = append(f.to[t][number], p)
	return true
}

// shared reports whether a thread other than t may write to one of size bytes at addr.
func (f *Forecast) shared(t int32, addr uint64, size uint8) bool {
	for u := range f.to {
		if int32(u) != t && f.writes(int32(u), addr, size, false) {
			return true
		}
	}
	return false
}

// sharedPlace reports whether a thread other than t may write to a part of the place.
func (f *Forecast) sharedPlace(t int32, p Place) bool {
	p.Lo -= min(p.Lo, 15) // a write of 16 bytes may begin before it
	for u := range f.to {
		for _, list := range f.to[u] {
			if int32(u) != t && slices.ContainsFunc(list, p.Meets) {
				return true
			}
		}
	}
	return false
}

// writes reports whether thread t may write to one of size bytes at addr: if wild, by an instruction of which it is not known where it writes.
func (f *Forecast) writes(t int32, addr uint64, size uint8, wild bool) bool {
	h := f.codes[t].h
	for number, list := range f.to[t] {
		n := uint64(max(h.p.code[h.pcs[number]].size, 1))
		for _, q := range list {
			if q.Lo <= addr+uint64(size)-1 && (q.Hi >= addr || addr-q.Hi < n) && !(wild && q.IsOne()) {
				return true
			}
		}
	}
	return false
}

// A maybe is a value, if it is known.
type maybe struct {
	v     uint64
	known bool
}

// A ownWrite is what a thread has written to an address last.
type ownWrite struct {
	addr uint64
	size uint8
	val  maybe
}

// A foreState is a thread that stands before the instruction at pc.
type foreState struct {
	pc   int32
	regs []maybe
	mem  []ownWrite // by address, without overlaps
}

// appendTo appends what tells the state from others.
func (s *foreState) appendTo(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(s.pc))
	put := func(m maybe) {
		if !m.known {
			b = append(b, 0)
			return
		}
		b = binary.LittleEndian.AppendUint64(append(b, 1), m.v)
	}
	for _, r := range s.regs {
		put(r)
	}
	for _, w := range s.mem {
		b = append(binary.LittleEndian.AppendUint64(b, w.addr), w.size)
		put(w.val)
	}
	return b
}

// get returns a register plus a constant.
func (s *foreState) get(reg uint16, imm uint64) maybe {
	if int(reg) >= len(s.regs) || !s.regs[reg].known {
		return maybe{}
	}
	return maybe{s.regs[reg].v + imm, true}
}

// write lets the thread write to the addresses of p, of which nothing is known then, or the value v if the place is one address.
func (s *foreState) write(p Place, size uint8, v maybe) {
	last := p.Hi + uint64(size) - 1
	if last < p.Hi {
		last = ^uint64(0)
	}
	mem := make([]ownWrite, 0, len(s.mem)+1)
	at := 0
	for _, c := range s.mem {
		if c.addr <= last && p.Lo <= c.addr+uint64(c.size)-1 {
			if p.IsOne() && c.addr == p.Lo && c.size == size {
				continue
			}
			c.val = maybe{}
		}
		if c.addr < p.Lo {
			at++
		}
		mem = append(mem, c)
	}
	if p.IsOne() {
		mem = slices.Insert(mem, at, ownWrite{p.Lo, size, v})
	}
	s.mem = mem
}

// run lets thread t run in all ways. It returns whether it writes something new.
func (f *Forecast) run(t int32) (more bool) {
	c := f.codes[t]
	p := c.h.p
	fn := &p.funcs[c.roots[0]]
	first := foreState{pc: fn.entry, regs: make([]maybe, fn.frame)}
	first.regs[frameZero].known = true
	for _, r := range fn.zero {
		first.regs[r].known = true
	}
	if len(fn.params) > 0 && int(fn.params[0]) < len(first.regs) {
		first.regs[fn.params[0]] = maybe{c.arg, true}
	}
	joins := bitset.New[int32](len(p.code)) // where ways meet: states are compared there
	c.pcs.Each(func(pc int32) {
		if len(c.h.preds[pc]) > 1 {
			joins.Add(pc)
		}
	})
	r := &forecaster{f: f, c: c, t: t, seen: map[string]bool{}, todo: []foreState{first}, joins: joins}
	for len(r.todo) > 0 {
		s := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		for r.step(&s) {
		}
	}
	if r.tooMuch {
		f.everything(t)
		return true
	}
	return r.more
}

// A forecaster lets one thread run.
type forecaster struct {
	f       *Forecast
	c       *ThreadCode
	t       int32
	joins   bitset.Set[int32]
	seen    map[string]bool
	todo    []foreState
	steps   int
	more    bool // it writes something new
	tooMuch bool
	key     []byte
	after   []int32
}

// step lets s go on by one instruction. It puts all ways but one into todo. It returns whether there is one.
func (r *forecaster) step(s *foreState) bool {
	p, pc := r.c.h.p, s.pc
	if r.joins.Has(pc) {
		if r.key = s.appendTo(r.key[:0]); r.seen[string(r.key)] {
			return false
		}
		r.seen[string(r.key)] = true
	}
	in := &p.code[pc]
	r.steps++
	switch {
	case r.steps > 50*maxForecast, len(r.seen) > maxForecast, in.op == opCall, in.op == opCallAddr, in.op == opMemCpy, in.op == opMemSet, in.op == opSet:
		r.todo, r.tooMuch = nil, true
		return false
	}
	r.after = r.after[:0]
	var v, v2 maybe
	a, b, d := s.get(in.a, in.ia), s.get(in.b, in.ib), s.get(in.c, in.ic)
	vague := in.flags&(flagWide|flagUndef) != 0
	switch {
	case in.op == opStore || in.op == opRMW || in.op == opCAS:
		r.write(s, in, a, b, vague)
	case vague:
	case in.op == opLoad && a.known:
		v = r.f.read(r.t, s, a.v, in.size)
	case in.op >= opMov && in.op <= opEval:
		v, v2 = p.forecast(in, a, b, d)
	case in.op >= opBr && in.op <= opBrSLE:
		if taken, known := branches(in, a, b); known {
			to := in.u
			if taken {
				to = in.t
			}
			r.after = append(r.after, to)
		}
	case in.op == opSwitch && a.known:
		sw := &p.switches[in.t]
		to := sw.targets[len(sw.cases)]
		if i := slices.Index(sw.cases, a.v); i >= 0 {
			to = sw.targets[i]
		}
		r.after = append(r.after, to)
	}
	if in.op >= opLoad && in.live > frameHeader { // the rest is not needed any more
		for i := int(in.live); i < len(s.regs); i++ {
			s.regs[i] = maybe{}
		}
	}
	p.codeDefs(int(pc), func(reg uint16) {
		if int(reg) < len(s.regs) {
			s.regs[reg] = maybe{}
		}
	})
	if v.known {
		s.regs[in.dst] = v
	}
	if v2.known && in.op == opEval && p.evals[in.t].Dst2 >= 0 {
		s.regs[in.dst2] = v2
	}
	s.regs[frameZero] = maybe{0, true}
	if len(r.after) == 0 {
		p.codeSuccs(int(pc), func(to int) { r.after = append(r.after, int32(to)) })
	}
	if len(r.after) == 0 {
		return false
	}
	for _, to := range r.after[1:] {
		r.todo = append(r.todo, foreState{to, slices.Clone(s.regs), s.mem})
	}
	s.pc = r.after[0]
	return true
}

// write lets s perform a write to the address a, of the value b if it is a store. If vague, neither is known.
func (r *forecaster) write(s *foreState, in *insn, a, b maybe, vague bool) {
	number := r.c.h.number[s.pc]
	at, size, v := r.c.WritesTo(number), in.size, maybe{}
	switch {
	case vague:
		size = 16
	case a.known:
		at = Place{a.v, a.v}
	}
	if in.op == opStore && b.known && !vague {
		v = maybe{b.v & arith.Mask(8*in.size), true}
	}
	r.more = r.f.add(r.t, number, at) || r.more
	s.write(at, size, v)
}

// read returns what thread t reads.
func (f *Forecast) read(t int32, s *foreState, addr uint64, size uint8) maybe {
	p := f.codes[t].h.p
	if f.shared(t, addr, size) {
		return maybe{}
	}
	for _, c := range s.mem {
		switch {
		case c.addr == addr && c.size == size:
			return c.val
		case c.addr < addr+uint64(size) && addr < c.addr+uint64(c.size):
			return maybe{}
		}
	}
	if f.writes(t, addr, size, true) { // that may have been before
		return maybe{}
	}
	v, ok := p.InitialValue(event.Addr(addr), size)
	return maybe{v.Lo, ok && size <= 8}
}

// forecast returns the results of an instruction that computes something.
func (p *Program) forecast(in *insn, a, b, c maybe) (v, v2 maybe) {
	x, y := a.v, b.v
	switch {
	case in.op == opMov:
		return a, v2
	case in.op == opSelect:
		switch {
		case a.known && a.v != 0:
			return b, v2
		case a.known:
			return c, v2
		case b == c:
			return b, v2
		}
		return v, v2
	case in.op == opSExt && a.known:
		return maybe{uint64(int64(x<<(in.width&63))>>(in.width&63)) & in.ic, true}, v2
	case !a.known || !b.known || in.op == opEval && !c.known || in.op == opSExt:
		return v, v2
	}
	v.known = true
	switch in.op {
	case opGep:
		v.v = x + y*in.ic
	case opAdd:
		v.v = (x + y) & in.ic
	case opSub:
		v.v = (x - y) & in.ic
	case opMul:
		v.v = x * y & in.ic
	case opAnd:
		v.v = x & y
	case opOr:
		v.v = x | y
	case opXor:
		v.v = x ^ y
	case opEQ:
		v.v = arith.Truth(x == y)
	case opNE:
		v.v = arith.Truth(x != y)
	case opULT:
		v.v = arith.Truth(x < y)
	case opULE:
		v.v = arith.Truth(x <= y)
	case opSLT:
		v.v = arith.Truth(int64(x<<(in.width&63)) < int64(y<<(in.width&63)))
	case opSLE:
		v.v = arith.Truth(int64(x<<(in.width&63)) <= int64(y<<(in.width&63)))
	case opEval:
		r, r2, fault := arith.Eval(&p.evals[in.t], x, y, c.v)
		return maybe{r, fault == ""}, maybe{r2, fault == ""}
	default:
		return maybe{}, v2
	}
	return v, v2
}

// branches reports whether the branch is taken, and whether that is known.
func branches(in *insn, a, b maybe) (taken, known bool) {
	x, y := a.v, b.v
	switch in.op {
	case opBr:
		return x != 0, a.known
	case opBrEQ:
		taken = x == y
	case opBrNE:
		taken = x != y
	case opBrULT:
		taken = x < y
	case opBrULE:
		taken = x <= y
	case opBrSLT:
		taken = int64(x<<(in.width&63)) < int64(y<<(in.width&63))
	default:
		taken = int64(x<<(in.width&63)) <= int64(y<<(in.width&63))
	}
	return taken, a.known && b.known
}
