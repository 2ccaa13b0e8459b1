package machine

import (
	"math/bits"
	"slices"

	"ravel/internal/event"
	"ravel/internal/ir/arith"
)

// A Deferred is an instruction that the thread has passed, and whose result is to come. It is the one at pc, or what that says.
type Deferred struct {
	pc      int32
	of      [3]uint8 // the values that the operands a, b and c wait for, or NoValue
	operand [3]uint64
}

// Instead of a pc.
const (
	deferredSum   = -1 - iota // A + B
	deferredEqual             // A == B
)

// DeferredWords is how many words Encode makes of a Deferred.
const DeferredWords = 4

// Encode appends the words of d to buf.
func (d *Deferred) Encode(buf []uint64) []uint64 {
	head := uint64(uint32(d.pc))<<32 | uint64(d.of[0])<<16 | uint64(d.of[1])<<8 | uint64(d.of[2])
	return append(buf, head, d.operand[0], d.operand[1], d.operand[2])
}

// DecodeDeferred is the inverse of Encode.
func DecodeDeferred(words []uint64) (d Deferred) {
	d.pc = int32(words[0] >> 32)
	d.of = [3]uint8{uint8(words[0] >> 16), uint8(words[0] >> 8), uint8(words[0])}
	copy(d.operand[:], words[1:])
	return d
}

// A Fill is a value that an access has waited for.
type Fill struct {
	Access int // which of the incomplete ones
	Part   int
	Value  uint64
}

// postpone lets the thread pass the instruction at pc, which reads a pending register, if it may.
func (l *Lazy) postpone(r frame, d uint32, pc int, in *insn) bool {
	var value int
	switch {
	case in.op == opMov && in.ia == 0:
		value = l.pending(d, in.a)
	case l.Deep && in.op >= opMov && in.op <= opSLE:
		if value = l.put(l.deferred(r, d, pc, in)); value < 0 {
			return false
		}
	default:
		return false
	}
	l.forget(d, in.dst)
	l.Regs = append(l.Regs, PendingReg{d, in.dst, uint8(value)})
	r[in.dst] = 0
	return true
}

// deferred returns the instruction at pc with its operands, as far as they are known.
func (l *Lazy) deferred(r frame, d uint32, pc int, in *insn) Deferred {
	n := Deferred{pc: int32(pc)}
	for i, reg := range [...]uint16{in.a, in.b, in.c} {
		n.of[i], n.operand[i] = NoValue, 0
		if v := l.pending(d, reg); v >= 0 {
			n.of[i] = uint8(v)
		} else if reg >= frameHeader {
			n.operand[i] = r[reg]
		}
	}
	return n
}

// put adds a deferred instruction and returns the number of its result, -1 if there is no room.
func (l *Lazy) put(n Deferred) int {
	if len(l.Deferred) == maxDeferred {
		l.Full = true
		return -1
	}
	l.Deferred = append(l.Deferred, n)
	return maxLoads + len(l.Deferred) - 1
}

// room reports whether n more instructions can be deferred.
func (l *Lazy) room(n int) bool {
	l.Full = l.Full || len(l.Deferred)+n > maxDeferred
	return len(l.Deferred)+n <= maxDeferred
}

// passesOn reports whether in is a call or a return that can go on though a value that it passes is to come.
func (l *Lazy) passesOn(r frame, d uint32, in *insn) bool {
	if !l.Deep {
		return false
	}
	switch in.op {
	case opCall, opCallAddr:
		c := &l.p.calls[in.t]
		if in.op == opCallAddr && l.pending(d, in.a) >= 0 || c.va && l.pending(d, c.args[len(c.args)-1].reg) >= 0 {
			return false
		}
		return l.room(len(c.args))
	case opRet:
		return r[frameCode]>>32 != 0 && l.room(len(l.p.rets[in.t]))
	}
	return false
}

// sum returns the number of the value of an operand, NoValue if that is known. There must be room for it.
func (l *Lazy) sum(d uint32, reg uint16, imm uint64) uint8 {
	v := l.pending(d, reg)
	if v < 0 {
		return NoValue
	}
	return uint8(l.put(Deferred{pc: deferredSum, of: [3]uint8{uint8(v), NoValue, NoValue}, operand: [3]uint64{0, imm, 0}}))
}

// sums is sum for several.
func (l *Lazy) sums(d uint32, list []operand) []uint8 {
	if len(l.Regs) == 0 {
		return nil
	}
	vals := make([]uint8, len(list))
	for i, o := range list {
		vals[i] = l.sum(d, o.reg, o.imm)
	}
	return vals
}

// pend has registers wait for values, as far as those are to come.
func (l *Lazy) pend(d uint32, regs []uint16, vals []uint8) {
	for i, v := range vals {
		if v != NoValue && i < len(regs) && regs[i] != noColour {
			l.Regs = append(l.Regs, PendingReg{d, regs[i], v})
		}
	}
}

// firstMissing returns a value that the thread needs before it can end, -1 if there is none.
func (l *Lazy) firstMissing() int {
	for _, missing := range l.Incomplete {
		for _, v := range missing {
			if v != NoValue {
				return int(v)
			}
		}
	}
	if l.Kept != 0 {
		return bits.TrailingZeros32(l.Kept)
	}
	return -1
}

// guessed returns a value that decides a branch which was guessed, -1 if there is none.
func (l *Lazy) guessed() int {
	for _, missing := range l.Incomplete {
		if missing[PartBranch] != NoValue {
			return int(missing[PartBranch])
		}
	}
	return -1
}

// isBranch reports whether in goes to one of several places.
func (in *insn) isBranch() bool { return in.op >= opBr && in.op <= opSwitch }

// Outcomes returns in how many ways the branch that s waits at may go, 0 if it is at none or may not guess it.
func (l *Lazy) Outcomes(a *Arena, s State) int {
	in := &l.p.code[uint32(a.frame(int(s))[frameCode])]
	switch {
	case !l.Speculate || !in.isBranch() || !l.room(1):
		return 0
	case in.op == opSwitch:
		return len(l.p.switches[in.t].targets)
	}
	return 2
}

// Guess lets a thread that waits at a branch go on where it leads if it has this outcome.
func (l *Lazy) Guess(a *Arena, s State, outcome uint64, act *Action) (next State, need int) {
	r := a.frame(int(s))
	pc := int(uint32(r[frameCode]))
	in := &l.p.code[pc]
	missing := nothingMissing
	missing[PartBranch] = uint8(l.put(l.deferred(r, depth(r), pc, in)))
	l.Incomplete = append(l.Incomplete, missing)
	to := in.u
	switch {
	case in.op == opSwitch:
		to = l.p.switches[in.t].targets[outcome]
	case outcome == 1:
		to = in.t
	}
	return l.run(a, int(s), int(to), act)
}

// Issuable returns the access that s, which waits for a value, may issue without it, and which parts of it are to come; false if there is none.
func (l *Lazy) Issuable(a *Arena, s State) (act Action, missing [3]bool, ok bool) {
	r := a.frame(int(s))
	pc := uint32(r[frameCode])
	in := &l.p.code[pc]
	d := depth(r)
	if !l.Deep || in.op < opLoad || in.op > opCAS || in.flags&flagWide != 0 {
		return act, missing, false
	}
	act = l.p.actions[in.t]
	act.Addr = event.Addr(r[in.a] + in.ia)
	switch in.op {
	case opLoad:
		ok = l.Raw || act.Mode <= event.Rlx
	case opStore, opRMW:
		act.Val.Lo = r[in.b] + in.ib
		if in.flags&flagUndef != 0 {
			act.Val.Hi = r[l.p.masks[pc].data]
		}
		missing[PartVal] = l.pending(d, in.b) >= 0
		ok = in.op == opStore || act.Mode <= event.Rlx
	case opCAS:
		act.Exp.Lo, act.Val.Lo = r[in.b]+in.ib, r[in.c]+in.ic
		if in.flags&flagUndef != 0 {
			act.Val.Hi = r[l.p.masks[pc].data]
		}
		missing[PartExp], missing[PartVal] = l.pending(d, in.b) >= 0, l.pending(d, in.c) >= 0
		ok = act.Mode <= event.Rlx && act.Fail <= event.Rlx
	}
	if missing[PartAddr] = l.pending(d, in.a) >= 0; missing[PartAddr] {
		act.Addr = 0
	} else if !l.p.valid(uint64(act.Addr), in.size, in.flags) || uint64(act.Addr)&uint64(in.size-1) != 0 {
		ok = false // it will be found when it is performed; in pieces it waits
	}
	return act, missing, ok && l.room(4)
}

// Issue lets a thread go on past an access that is Issuable. If it reads, its value has the number value.
func (l *Lazy) Issue(a *Arena, s State, value uint8, spurious bool, act *Action) (next State, need int) {
	r := a.frame(int(s))
	pc := int(uint32(r[frameCode]))
	in := &l.p.code[pc]
	d := depth(r)
	missing := nothingMissing
	missing[PartAddr] = l.sum(d, in.a, in.ia)
	switch in.op {
	case opStore, opRMW:
		missing[PartVal] = l.sum(d, in.b, in.ib)
	case opCAS:
		if !spurious { // else it is a read
			missing[PartVal], missing[PartExp] = l.sum(d, in.c, in.ic), l.sum(d, in.b, in.ib)
		}
	}
	if missing != nothingMissing {
		l.Incomplete = append(l.Incomplete, missing)
	}
	if in.op != opStore {
		l.receive(r, pc, value, spurious)
	}
	if missing[PartAddr] != NoValue && in.op != opStore { // it may be an error
		l.Kept |= 1 << value
	}
	return l.run(a, int(s), pc+1, act)
}

// receive has the results of the instruction at pc wait for the value of its load. It returns false if there is no room.
func (l *Lazy) receive(r frame, pc int, value uint8, spurious bool) bool {
	in := &l.p.code[pc]
	d := depth(r)
	success := Deferred{pc: deferredEqual, of: [3]uint8{value, NoValue, NoValue}, operand: [3]uint64{0, r[in.b] + in.ib, 0}}
	if in.op == opCAS && !spurious {
		if !l.room(2) {
			return false
		}
		success.of[1] = l.sum(d, in.b, in.ib)
	}
	l.p.codeDefs(pc, func(reg uint16) { l.forget(d, reg) })
	r[in.dst] = 0
	if in.op == opLoad && in.flags&flagUndef != 0 {
		r[l.p.masks[pc].dst] = 0 // else it is not delivered
	}
	l.Regs = append(l.Regs, PendingReg{d, in.dst, value})
	if in.op == opCAS {
		r[in.dst2] = 0
		if !spurious {
			l.Regs = append(l.Regs, PendingReg{d, in.dst2, uint8(l.put(success))})
		}
	}
	if in.op != opLoad && !spurious {
		l.Kept |= 1 << value
	}
	return true
}

// AccessFault says what is wrong with an access of this kind at addr, nil if nothing is.
func (p *Program) AccessFault(addr event.Addr, size uint8, writes, plain bool) *Error {
	flags := uint8(0)
	if writes {
		flags |= flagWrite
	}
	if plain {
		flags |= flagPlain
	}
	if p.valid(uint64(addr), size, flags) {
		return nil
	}
	return p.fault(uint64(addr), size, flags)
}

// values are what is known when a load is delivered, and the numbers of the values that are not.
type values struct {
	load uint8
	has  uint64 // bit i: that value i is known
	val  [maxLoads + maxDeferred]uint64
	num  [maxDeferred]uint8
}

func (k *values) get(v uint8) (uint64, bool) { return k.val[v], k.has>>v&1 != 0 }

// number returns the number of v once what is known has none.
func (k *values) number(v uint8) uint8 {
	switch {
	case v >= maxLoads:
		return k.num[v-maxLoads]
	case v > k.load:
		return v - 1
	}
	return v
}

// evaluate executes the deferred instructions that wait for nothing but load.
func (l *Lazy) evaluate(a *Arena, load uint8, v uint64) *values {
	k := &values{load: load, has: 1 << load}
	k.val[load] = v
	rest := l.Deferred[:0]
	for i, n := range l.Deferred {
		ready := true
		for j, of := range n.of {
			if of == NoValue {
				continue
			}
			if x, ok := k.get(of); ok {
				n.of[j], n.operand[j] = NoValue, x
			} else {
				n.of[j] = k.number(of)
				ready = false
			}
		}
		if !ready {
			k.num[i] = uint8(maxLoads + len(rest))
			rest = append(rest, n)
			continue
		}
		k.has |= 1 << (maxLoads + i)
		k.val[maxLoads+i] = l.execute(a, &n)
	}
	l.Deferred = rest
	return k
}

// execute returns the result of a deferred instruction, in a frame of its own.
func (l *Lazy) execute(a *Arena, n *Deferred) uint64 {
	switch n.pc {
	case deferredSum:
		return n.operand[0] + n.operand[1]
	case deferredEqual:
		return arith.Truth(n.operand[0] == n.operand[1])
	}
	in := &l.p.code[n.pc]
	if in.op == opSwitch {
		t := &l.p.switches[in.t]
		if i := slices.Index(t.cases, n.operand[0]+in.ia); i >= 0 {
			return uint64(i)
		}
		return uint64(len(t.cases))
	}
	top := a.top
	a.reserve(top)
	r := a.frame(top)
	r[frameZero] = 0
	for i, reg := range [...]uint16{in.a, in.b, in.c} {
		if reg >= frameHeader {
			r[reg] = n.operand[i]
		}
	}
	l.load(int(n.pc))
	var act Action
	l.one.run(a, top, 0, top, &act)
	a.top = top
	if in.isBranch() {
		return arith.Truth(act.Error == branched)
	}
	return a.frame(top)[in.dst]
}

// settle gives what is known to the accesses that wait for it.
func (l *Lazy) settle(k *values) []Fill {
	l.fills = l.fills[:0]
	rest := l.Incomplete[:0]
	for i, missing := range l.Incomplete {
		for part, v := range missing {
			if v == NoValue {
				continue
			}
			missing[part] = NoValue
			if x, ok := k.get(v); ok {
				l.fills = append(l.fills, Fill{i, part, x})
			} else {
				missing[part] = k.number(v)
			}
		}
		if missing != nothingMissing {
			rest = append(rest, missing)
		}
	}
	l.Incomplete = rest
	below := uint32(1)<<k.load - 1
	l.Kept = l.Kept&below | l.Kept>>1&^below
	return l.fills
}

// renumber forgets unused values and numbers the rest anew, see Prune.
func (l *Lazy) renumber(loads, need int) (left int, drop uint32) {
	used := uint64(l.Kept)
	for _, q := range l.Regs {
		used |= 1 << q.Value
	}
	for _, missing := range l.Incomplete {
		for _, v := range missing {
			used |= 1 << v // of NoValue, nothing
		}
	}
	if need >= 0 {
		used |= 1 << need
	}
	for i := len(l.Deferred) - 1; i >= 0; i-- { // they only wait for older ones
		if used>>(maxLoads+i)&1 != 0 {
			for _, of := range l.Deferred[i].of {
				if of != NoValue {
					used |= 1 << of
				}
			}
		}
	}
	var number [maxLoads + maxDeferred]uint8
	n := uint8(0)
	for i := range loads {
		if used>>i&1 != 0 {
			number[i] = n
			n++
		} else {
			drop |= 1 << i
		}
	}
	rest := l.Deferred[:0]
	for i, d := range l.Deferred {
		if used>>(maxLoads+i)&1 == 0 {
			continue
		}
		for j, of := range d.of {
			if of != NoValue {
				d.of[j] = number[of]
			}
		}
		number[maxLoads+i] = uint8(maxLoads + len(rest))
		rest = append(rest, d)
	}
	l.Deferred = rest
	for i := range l.Regs {
		l.Regs[i].Value = number[l.Regs[i].Value]
	}
	for i := range l.Incomplete {
		for part, v := range l.Incomplete[i] {
			if v != NoValue {
				l.Incomplete[i][part] = number[v]
			}
		}
	}
	kept := l.Kept
	for l.Kept = 0; kept != 0; kept &= kept - 1 {
		l.Kept |= 1 << number[bits.TrailingZeros32(kept)]
	}
	if need >= 0 {
		need = int(number[need])
	}
	return need, drop
}
