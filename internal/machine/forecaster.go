package machine

import (
	"encoding/binary"
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir/arith"
)

// This file lets one thread of a Forecast run: its states, and what instructions do to them. foreways.go has the ways that it may go.

// An ownWrite is what a thread has written to an address last.
type ownWrite struct {
	addr uint64
	size uint8
	val  valueSet
	sum  uint64 // of what it has added there, by instructions that add a constant; many if that is not known
}

// A foreState is a thread that stands before the instruction at pc.
type foreState struct {
	pc   int32
	slot int32 // the next one that it may allocate, -1 if that is not known
	up   int32 // of its caller, in forecaster.frames
	regs []valueSet
	mem  []ownWrite // by address, without overlaps; it is shared by states
}

// A foreFrame is a call that a thread is in.
type foreFrame struct {
	call int32 // the place of the call
	up   int32
	deep int32
	regs []valueSet
}

// appendTo appends what tells the state from others.
func (s *foreState) appendTo(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(s.slot))
	b = appendSets(b, s.regs)
	for _, w := range s.mem {
		b = append(binary.LittleEndian.AppendUint64(b, w.addr), w.size)
		b = binary.LittleEndian.AppendUint32(b, uint32(w.val))
		b = binary.LittleEndian.AppendUint64(b, w.sum)
	}
	return b
}

func appendSets(b []byte, sets []valueSet) []byte {
	for _, v := range sets {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// run lets thread t run in all ways.
func (f *Forecast) run(t int32) {
	c := f.codes[t]
	r := &forecaster{f: f, v: f.sets, c: c, p: c.h.p, t: t, frames: []foreFrame{{}}, frameAt: map[string]int32{}, places: map[forePlace]*placeStates{}}
	for _, root := range c.roots {
		r.begin(root.Func, f.sets.one(root.Arg))
	}
	for fn, arg := range f.threads[t].runs {
		r.begin(fn, arg)
	}
	for len(r.todo) > 0 && !r.tooMuch {
		s := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		for r.step(&s) {
		}
	}
	if r.tooMuch {
		f.everything(t)
	}
}

// A forecaster lets one thread run.
type forecaster struct {
	f       *Forecast
	v       *valueSets
	c       *ThreadCode
	p       *Program
	t       int32
	frames  []foreFrame
	frameAt map[string]int32
	places  map[forePlace]*placeStates
	todo    []foreState
	steps   int
	tooMuch bool
	key     []byte
	after   []int32
}

// A forePlace is a place in the code, and the calls that lead there.
type forePlace struct{ pc, up int32 }

// placeStates are the states at a place. If there are many, they are one.
type placeStates struct {
	seen map[string]bool
	one  *foreState
}

// begin lets the thread begin with a function.
func (r *forecaster) begin(root int32, arg valueSet) {
	fn, args := &r.p.funcs[root], []valueSet{arg}
	if r.c.wrapped {
		addr := allValues
		if a, ok := r.p.addrOf(root); ok {
			addr = r.v.one(r.p.seen(a))
		}
		fn, args = &r.p.funcs[r.p.wrapper], []valueSet{addr, arg}
	}
	r.todo = append(r.todo, foreState{pc: fn.entry, regs: r.frame(fn, args)})
}

// create lets the threads that this one creates run these functions, if it decides what they run.
func (r *forecaster) create(fns, arg valueSet) {
	for u, c := range r.f.codes {
		if !c.open || c.parent != r.t || r.f.threads[u].all {
			continue
		}
		for _, at := range r.v.lists[fns] {
			fn := r.p.funcAt(at.Lo)
			switch {
			case !at.IsOne():
				r.f.everything(int32(u))
			case fn != nil:
				n := c.h.entries[fn.entry]
				old, ok := r.f.threads[u].runs[n]
				if !ok {
					old = noValues
				}
				if all := r.v.union(old, arg); all != old {
					r.f.threads[u].runs[n] = all
					r.f.version++
				}
			}
		}
	}
}

// frame returns the registers at the beginning of a function.
func (r *forecaster) frame(fn *function, args []valueSet) []valueSet {
	regs := make([]valueSet, fn.frame)
	zero := r.v.one(0)
	regs[frameZero] = zero
	for _, reg := range fn.zero {
		regs[reg] = zero
	}
	for i, reg := range fn.params {
		if int(reg) < len(regs) && i < len(args) {
			regs[reg] = args[i]
		}
	}
	return regs
}

// operand returns a register plus a constant.
func (r *forecaster) operand(s *foreState, reg uint16, imm uint64) valueSet {
	if int(reg) >= len(s.regs) {
		return allValues
	}
	return r.v.plus(s.regs[reg], imm)
}

// step lets s go on by one instruction. It puts all ways but one into todo. It returns whether there is one.
func (r *forecaster) step(s *foreState) bool {
	p, pc := r.p, s.pc
	if r.meets(pc) && !r.arrive(s) {
		return false
	}
	r.steps++
	r.f.steps++
	if r.steps > maxForecast || r.f.steps > 10*maxForecast {
		r.tooMuch = true
		return false
	}
	r.f.threads[r.t].seen.Add(pc)
	in := &p.code[pc]
	switch {
	case in.op == opCall || in.op == opCallAddr:
		return r.call(s, in)
	case in.op == opRet:
		return r.leave(s, in)
	case in.op >= opBr && in.op <= opBrSLE:
		return r.branch(s, in)
	case in.op == opSwitch:
		return r.switches(s, in)
	}
	v, v2 := allValues, allValues
	a, b, c := r.operand(s, in.a, in.ia), r.operand(s, in.b, in.ib), r.operand(s, in.c, in.ic)
	wide := in.flags&flagWide != 0
	switch {
	case in.op >= opLoad && in.op <= opCAS:
		if a = r.addresses(a, in); a == noValues {
			return false // the program is wrong
		}
		v, v2 = r.access(s, in, a, b, c, wide)
	case in.op == opMemCpy:
		r.reads(pc, r.v.objects(b))
		r.writes(s, r.v.objects(a), 1, allValues)
	case in.op == opMemSet:
		r.writes(s, r.v.objects(a), 1, allValues)
	case in.op == opCreate:
		r.create(a, b)
	case in.op == opAlloca || in.op == opAlloc:
		v = r.allocate(s, in, a, c)
	case in.op == opSet || in.op == opGet:
		v = r.element(s, in, a, b)
	case wide:
	case in.op == opTLS:
		v = r.v.one(p.seen(p.ownerBase(int(r.t)+1)) + in.ia)
	case in.op == opSelf || in.op == opOwner:
		v = r.v.one(uint64(r.t))
	case in.op >= opMov && in.op <= opEval:
		v, v2 = r.compute(in, a, b, c)
	}
	p.codeDefs(int(pc), func(reg uint16) {
		if int(reg) < len(s.regs) {
			s.regs[reg] = allValues
		}
	})
	if v != allValues && int(in.dst) < len(s.regs) {
		s.regs[in.dst] = v
	}
	if v2 != allValues && int(in.dst2) < len(s.regs) {
		s.regs[in.dst2] = v2
	}
	s.regs[frameZero] = r.v.one(0)
	r.after = r.after[:0]
	p.codeSuccs(int(pc), func(to int) { r.after = append(r.after, int32(to)) })
	if len(r.after) == 0 {
		return false
	}
	s.pc = r.after[0]
	return true
}

// meets reports whether ways meet at pc. They do at the beginning of a function that is also one of a loop.
func (r *forecaster) meets(pc int32) bool {
	n := len(r.c.h.preds[pc])
	if n == 1 {
		_, isEntry := r.c.h.entries[pc]
		return isEntry
	}
	return n > 1
}

// arrive notes that s has come to a place where ways meet. It returns whether there is anything new in that. s becomes what is known of all states there if there are many.
func (r *forecaster) arrive(s *foreState) bool {
	at := forePlace{s.pc, s.up}
	l := r.places[at]
	if l == nil {
		l = &placeStates{seen: map[string]bool{}}
		r.places[at] = l
	}
	if l.one != nil {
		old := *l.one
		r.merge(l.one, s)
		l.one.widen(&old)
		if same(&old, l.one) {
			return false
		}
		*s = foreState{s.pc, l.one.slot, s.up, slices.Clone(l.one.regs), l.one.mem}
		return true
	}
	r.key = s.appendTo(r.key[:0])
	if l.seen[string(r.key)] {
		return false
	}
	l.seen[string(r.key)] = true
	if len(l.seen) > maxApart {
		l.one = &foreState{s.pc, s.slot, s.up, slices.Clone(s.regs), s.mem}
	}
	return true
}

// same reports whether two states at the same place are equal.
func same(a, b *foreState) bool {
	return a.slot == b.slot && slices.Equal(a.regs, b.regs) && slices.Equal(a.mem, b.mem)
}

// merge makes one state of s and another one at the same place.
func (r *forecaster) merge(one, s *foreState) {
	if one.slot != s.slot {
		one.slot = -1
	}
	regs := make([]valueSet, len(one.regs))
	for i := range regs {
		regs[i] = r.v.union(one.regs[i], s.regs[i])
	}
	one.regs = regs
	var mem []ownWrite
	a, b := one.mem, s.mem
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].addr < b[0].addr:
			mem = append(mem, r.unless(a[0]))
			a = a[1:]
		case len(a) == 0 || b[0].addr < a[0].addr:
			mem = append(mem, r.unless(b[0]))
			b = b[1:]
		case a[0].size != b[0].size:
			mem = append(mem, ownWrite{a[0].addr, max(a[0].size, b[0].size), allValues, many})
			a, b = a[1:], b[1:]
		default:
			mem = append(mem, ownWrite{a[0].addr, a[0].size, r.v.union(a[0].val, b[0].val), max(a[0].sum, b[0].sum)})
			a, b = a[1:], b[1:]
		}
	}
	one.mem = mem
}

// unless returns what is known of a write that the thread may not have done.
func (r *forecaster) unless(w ownWrite) ownWrite {
	at := At(w.addr)
	w.val = r.v.union(w.val, r.v.union(r.f.initial(at, w.size), r.f.written(r.t, at, w.size, true)))
	return w
}

// addresses returns the addresses that an access may have without being an error.
func (r *forecaster) addresses(a valueSet, in *insn) valueSet {
	switch {
	case r.p.space != event.Wide && in.a != frameZero:
		return allValues
	case r.p.layout != nil:
		return r.v.objects(a)
	case a == allValues || in.flags&flagValid != 0:
		return a
	}
	list := slices.DeleteFunc(slices.Clone(r.v.lists[a]), func(q Place) bool { return q.IsOne() && !r.p.valid(q.Lo, in.size, in.flags) })
	return r.v.of(list)
}

// access lets s perform an access at these addresses. It returns the results.
func (r *forecaster) access(s *foreState, in *insn, at, b, c valueSet, wide bool) (v, v2 valueSet) {
	size := in.size
	old, val := allValues, allValues
	if in.op != opStore {
		r.reads(s.pc, at)
		if !wide {
			old = r.f.read(r.t, s, at, size)
		}
	}
	if in.op == opLoad {
		return old, allValues
	}
	v2 = allValues
	switch {
	case wide:
	case in.op == opStore:
		val = b
	case in.op == opCAS && r.p.actions[in.t].RMW == event.AddUnless:
		v2 = r.v.of([]Place{At(0), At(1)})
		val = r.v.mapped(old, c, r.v.one(0), func(x, y, _ uint64) (uint64, bool) { return x + y, true })
	case in.op == opCAS:
		val = c
		if v2 = r.v.of([]Place{At(0), At(1)}); b != allValues && r.v.filter(old, b, func(x, y uint64) bool { return x == y }) == noValues {
			return old, r.v.one(0)
		}
	default:
		op := r.p.actions[in.t].RMW
		if val = b; op != event.Xchg {
			val = r.v.mapped(old, b, r.v.one(0), func(x, y, _ uint64) (uint64, bool) {
				return op.Apply(event.Value{Lo: x}, event.Value{Lo: y}, size).Lo, true
			})
		}
	}
	if val != allValues && size < 8 {
		val = r.v.mapped(val, r.v.one(0), r.v.one(0), func(x, _, _ uint64) (uint64, bool) { return x & arith.Mask(8*size), true })
	}
	if in.op == opCAS { // it may fail
		before := *s
		r.writes(s, at, size, val)
		r.merge(s, &before)
	} else {
		r.writes(s, at, size, val)
	}
	return old, v2
}

// reads takes note that the instruction at pc reads at these addresses.
func (r *forecaster) reads(pc int32, at valueSet) {
	from := r.f.threads[r.t].from
	old, ok := from[pc]
	if !ok {
		old = noValues
	}
	from[pc] = r.v.union(old, at)
}

// writes lets s write a value to one of these addresses.
func (r *forecaster) writes(s *foreState, at valueSet, size uint8, val valueSet) {
	th, number := &r.f.threads[r.t], r.c.h.number[s.pc]
	oldTo, ok := th.to[number]
	oldVal := th.vals[number]
	if !ok {
		oldTo, oldVal = noValues, noValues
	}
	to, vals := r.v.union(oldTo, at), r.v.union(oldVal, val)
	if !ok || to != oldTo || vals != oldVal {
		th.to[number], th.vals[number] = to, vals
		r.f.version++
	}
	list := r.v.lists[at]
	sure := len(list) == 1 && list[0].IsOne()
	if !sure && !th.wild[number] {
		th.wild[number] = true
		r.f.version++
	}
	mem := make([]ownWrite, 0, len(s.mem)+1)
	place := 0
	sum, _ := r.p.increment(&r.p.code[s.pc])
	for _, c := range s.mem {
		meets := slices.ContainsFunc(list, func(q Place) bool { some, _ := At(c.addr).overlaps(c.size, q, size); return some })
		switch {
		case !meets:
		case sure && c.addr == list[0].Lo && c.size == size:
			if sum > 0 {
				sum = min(sum+c.sum, many)
			}
			continue
		case sure || c.size != size:
			c.val = allValues
		default:
			c.val = r.v.union(c.val, val)
		}
		if c.addr < list[0].Lo {
			place++
		}
		mem = append(mem, c)
	}
	if sure {
		mem = slices.Insert(mem, place, ownWrite{list[0].Lo, size, val, sum})
		if sum > 0 {
			r.counts(list[0].Lo, sum)
		}
	}
	s.mem = mem
}

// allocate returns the addresses of a new object of a size and an alignment.
func (r *forecaster) allocate(s *foreState, in *insn, size, align valueSet) valueSet {
	if r.p.space != event.Wide {
		return allValues
	}
	block := r.newBlock(s, size, align)
	if in.op != opAlloc || !r.f.frees {
		return block
	}
	if all := r.v.union(r.f.blocks, block); all != r.f.blocks {
		r.f.blocks = all
		r.f.version++
	}
	return r.f.blocks
}

// newBlock returns the addresses of a new block.
func (r *forecaster) newBlock(s *foreState, size, align valueSet) valueSet {
	if s.slot >= 0 && r.v.known(size) == 1 && r.v.known(align) == 1 && r.p.layout == nil {
		n := r.v.lists[size][0].Lo
		thread := uint64(r.t) | uint64(s.slot)<<slotShift
		if slot := r.p.slotFor(thread, n, r.v.lists[align][0].Lo, 0); slot >= 0 {
			s.slot = int32(slot + r.p.space.Slots(n))
			return r.v.one(uint64(r.p.space.Make(int(r.t)+1, slot)))
		}
	}
	s.slot = -1
	return r.v.of([]Place{r.v.region(int(r.t) + 1)})
}

// element lets s access an array that is in registers, at offset a, and write b if it is opSet. It returns what is there.
func (r *forecaster) element(s *foreState, in *insn, a, b valueSet) valueSet {
	o := &r.p.arrays[in.t]
	var list []uint16
	for _, at := range r.v.lists[a] {
		i, ok := o.element(at.Lo)
		if !at.IsOne() {
			list = o.elements
			break
		}
		if ok {
			list = append(list, o.elements[i])
		}
	}
	all := noValues
	for _, reg := range list {
		if in.op == opSet {
			if s.regs[reg] = r.v.union(s.regs[reg], b); len(list) == 1 {
				s.regs[reg] = b
			}
		}
		all = r.v.union(all, s.regs[reg])
	}
	if in.op == opSet {
		s.regs[o.set] = allValues
		return allValues
	}
	return all
}

// compute returns the results of an instruction that computes something.
func (r *forecaster) compute(in *insn, a, b, c valueSet) (v, v2 valueSet) {
	zero := r.v.one(0)
	switch in.op {
	case opMov:
		return a, allValues
	case opSelect:
		switch is := r.v.filter(a, zero, func(x, _ uint64) bool { return x != 0 }); {
		case is == noValues:
			return c, allValues
		case r.v.filter(a, zero, func(x, _ uint64) bool { return x == 0 }) == noValues:
			return b, allValues
		}
		return r.v.union(b, c), allValues
	case opSExt:
		return r.v.mapped(a, zero, zero, func(x, _, _ uint64) (uint64, bool) {
			return uint64(int64(x<<(in.width&63))>>(in.width&63)) & in.ic, true
		}), allValues
	case opGep:
		if r.v.known(a) > 0 && r.v.known(b) > 0 {
			break
		}
		if n := r.v.known(b); n == 1 {
			return r.v.plus(a, r.v.lists[b][0].Lo*in.ic), allValues
		}
		return r.v.elements(a, uint64(max(int64(in.ic), -int64(in.ic)))), allValues
	case opEval:
		e := &r.p.evals[in.t]
		v = r.v.mapped(a, b, c, func(x, y, z uint64) (uint64, bool) {
			res, _, fault := arith.Eval(e, x, y, z)
			return res, fault == ""
		})
		if e.Dst2 >= 0 {
			v2 = r.v.mapped(a, b, c, func(x, y, z uint64) (uint64, bool) {
				_, res, fault := arith.Eval(e, x, y, z)
				return res, fault == ""
			})
		}
		return v, v2
	}
	return r.v.mapped(a, b, zero, func(x, y, _ uint64) (uint64, bool) { return in.compute(x, y) }), allValues
}

// compute returns the result of an instruction with two operands, false if it is not one that is known here.
func (in *insn) compute(x, y uint64) (uint64, bool) {
	signed := func(v uint64) int64 { return int64(v << (in.width & 63)) }
	switch in.op {
	case opGep:
		return x + y*in.ic, true
	case opAdd:
		return (x + y) & in.ic, true
	case opSub:
		return (x - y) & in.ic, true
	case opMul:
		return x * y & in.ic, true
	case opAnd:
		return x & y, true
	case opOr:
		return x | y, true
	case opXor:
		return x ^ y, true
	case opEQ:
		return arith.Truth(x == y), true
	case opNE:
		return arith.Truth(x != y), true
	case opULT:
		return arith.Truth(x < y), true
	case opULE:
		return arith.Truth(x <= y), true
	case opSLT:
		return arith.Truth(signed(x) < signed(y)), true
	case opSLE:
		return arith.Truth(signed(x) <= signed(y)), true
	}
	return 0, false
}

// takes reports whether the branch is taken with these operands.
func (in *insn) takes(x, y uint64) bool {
	signed := func(v uint64) int64 { return int64(v << (in.width & 63)) }
	switch in.op {
	case opBr:
		return x != 0
	case opBrEQ:
		return x == y
	case opBrNE:
		return x != y
	case opBrULT:
		return x < y
	case opBrULE:
		return x <= y
	case opBrSLT:
		return signed(x) < signed(y)
	}
	return signed(x) <= signed(y)
}
