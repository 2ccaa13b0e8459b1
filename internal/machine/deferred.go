package machine

import "ravel/internal/event"

// A Deferred is an instruction that the thread has passed, and whose result is to come. It is the one at pc or, if that
// is -1, the sum of A and B, cut to C bytes.
type Deferred struct {
	pc      int32
	of      [3]uint8 // the values that the operands a, b and c wait for, or noValue
	operand [3]uint64
}

const noValue = 255

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

// A Fill is the value of an owed store.
type Fill struct {
	Store int // which of those owed
	Value uint64
}

// postpone lets the thread pass the instruction at pc, which reads a pending register, if it may.
func (l *Lazy) postpone(r frame, d uint16, pc int, in *insn) bool {
	var value int
	switch {
	case in.op == opMov && in.ia == 0:
		value = l.pending(d, in.a)
	case l.Deep && in.op >= opMov && in.op <= opSLE:
		n := Deferred{pc: int32(pc)}
		for i, reg := range [...]uint16{in.a, in.b, in.c} {
			n.of[i], n.operand[i] = noValue, 0
			if v := l.pending(d, reg); v >= 0 {
				n.of[i] = uint8(v)
			} else if reg >= frameHeader {
				n.operand[i] = r[reg]
			}
		}
		if value = l.put(n); value < 0 {
			return false
		}
	default:
		return false
	}
	l.forget(d, in.dst)
	l.Regs = append(l.Regs, Pending{d, in.dst, uint8(value)})
	r[in.dst] = 0
	return true
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

// mayOwe reports whether in is a store whose value alone is to come.
func (l *Lazy) mayOwe(r frame, d uint16, in *insn) bool {
	if !l.Deep || in.op != opStore || in.flags&flagWide != 0 || l.pending(d, in.a) >= 0 || (r[in.a]+in.ia)&uint64(in.size-1) != 0 {
		return false
	}
	if len(l.Deferred) == maxDeferred {
		l.Full = true
		return false
	}
	return true
}

// owe notes that the store in, which the thread is stopped at, has no value yet.
func (l *Lazy) owe(d uint16, in *insn, act *Action) {
	n := Deferred{pc: -1, of: [3]uint8{uint8(l.pending(d, in.b)), noValue, noValue}, operand: [3]uint64{0, in.ib, uint64(in.size)}}
	l.Act = l.put(n)
	act.Val = event.Value{}
}

// Owe lets a thread that is at a store without a value go on.
func (l *Lazy) Owe(a *Arena, s State, act *Action) (next State, need int) {
	l.Owed = append(l.Owed, uint8(l.Act))
	l.Act = -1
	return l.Resume(a, s, event.Value{}, false, act)
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
			if of == noValue {
				continue
			}
			if x, ok := k.get(of); ok {
				n.of[j], n.operand[j] = noValue, x
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
	if n.pc < 0 {
		return event.Value{Lo: n.operand[0] + n.operand[1]}.Mask(uint8(n.operand[2])).Lo
	}
	in := &l.p.code[n.pc]
	top := a.top
	a.reserve(top)
	r := a.frame(top)
	r[frameZero] = 0
	for i, reg := range [...]uint16{in.a, in.b, in.c} {
		if reg >= frameHeader {
			r[reg] = n.operand[i]
		}
	}
	l.load(in)
	var act Action
	l.one.run(a, top, 0, top, &act)
	x := a.frame(top)[in.dst]
	a.top = top
	return x
}

// settle gives what is known to the stores that wait for it.
func (l *Lazy) settle(k *values, act *Action) []Fill {
	l.fills = l.fills[:0]
	rest := l.Owed[:0]
	for i, v := range l.Owed {
		if x, ok := k.get(v); ok {
			l.fills = append(l.fills, Fill{i, x})
		} else {
			rest = append(rest, k.number(v))
		}
	}
	l.Owed = rest
	if l.Act >= 0 {
		if x, ok := k.get(uint8(l.Act)); ok {
			act.Val, l.Act = event.Value{Lo: x}, -1
		} else {
			l.Act = int(k.number(uint8(l.Act)))
		}
	}
	return l.fills
}

// renumber forgets the values that nobody needs and numbers the rest anew, see Prune.
func (l *Lazy) renumber(loads, need int) (left int, drop uint32) {
	var used uint64
	for _, q := range l.Regs {
		used |= 1 << q.Value
	}
	for _, v := range l.Owed {
		used |= 1 << v
	}
	for _, v := range [...]int{l.Act, need} {
		if v >= 0 {
			used |= 1 << v
		}
	}
	for i := len(l.Deferred) - 1; i >= 0; i-- { // they only wait for older ones
		if used>>(maxLoads+i)&1 != 0 {
			for _, of := range l.Deferred[i].of {
				if of != noValue {
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
			if of != noValue {
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
	for i, v := range l.Owed {
		l.Owed[i] = number[v]
	}
	if l.Act >= 0 {
		l.Act = int(number[l.Act])
	}
	if need >= 0 {
		need = int(number[need])
	}
	return need, drop
}
