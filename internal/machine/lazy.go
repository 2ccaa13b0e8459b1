package machine

import (
	"slices"

	"ravel/internal/event"
)

// Pending holds what a thread that went on without the values of its loads waits for. A value to come has a
// number: below maxLoads that of a load in the order of the thread, from there on that of a deferred instruction.
type Pending struct {
	Regs       []PendingReg
	Deferred   []Deferred
	Incomplete []Missing // of the accesses that the thread has issued, the oldest first
	Kept       uint32    // bit i: load i is performed whether or not anyone needs its value: that of a read-modify-write, or one that lacked its address
}

// Missing holds the values that an access waits for: of its address, of what it writes or is its operand, and of what a CAS expects; NoValue
// where that is known. A branch that was guessed is among the accesses: it waits for where it goes.
type Missing [4]uint8

// The parts of an access, and the one of a branch.
const (
	PartAddr = iota
	PartVal
	PartExp
	PartBranch
)

var nothingMissing = Missing{NoValue, NoValue, NoValue, NoValue}

// NoValue is the number of no value.
const NoValue = 255

// A PendingReg is a register that waits for a value.
type PendingReg struct {
	Depth uint32 // of the frame, the thread's first is 0
	Reg   uint16
	Value uint8
}

const (
	maxLoads    = 32
	maxDeferred = 32
)

// MaxLoads is how many loads of a thread may be on their way.
const MaxLoads = maxLoads

// A Lazy runs threads that do not wait for what they load until they use it, as a processor does
// that keeps a scoreboard of its registers. One per worker.
//
// It runs one instruction at a time by the machine's own interpreter, on a code of that instruction and a stop. So
// it is slow, and has no semantics of its own except for this: an instruction that reads a pending register does not begin;
// a copy of one is pending too; an instruction that writes one ends its wait. If Deep is set, arithmetic on a pending
// register is deferred: the thread goes on, and the result is pending; a call passes what is pending on, and so does a return; and an access that waits may
// be issued (deferred.go). If Speculate is set as well, a thread that waits at a branch may guess it.
type Lazy struct {
	Pending
	Deep      bool
	Speculate bool
	Raw       bool // access modes of loads and stores have no effect
	Full      bool // an instruction was waited for that could have been deferred: there were too many

	p     *Program
	z     *Freezer
	one   Program
	fills []Fill
}

// NewLazy returns a Lazy for a program whose threads z freezes.
func (p *Program) NewLazy(z *Freezer) *Lazy {
	l := &Lazy{p: p, z: z, one: *p}
	l.one.actions = slices.Concat(p.actions, []Action{{Kind: Fail, Error: fellThrough}, {Kind: Fail, Error: branched}})
	l.one.code = make([]insn, 3)
	if p.masks != nil {
		l.one.masks = make([]shadow, 3)
	}
	for i := range 2 {
		l.one.code[1+i] = insn{op: opFailNow, t: int32(len(p.actions) + i)}
	}
	return l
}

// How an instruction that does not stop the thread ends.
var fellThrough, branched = new(Error), new(Error)

// load makes the instruction at pc the one that one runs.
func (l *Lazy) load(pc int) {
	in := &l.p.code[pc]
	c := *in
	if l.p.masks != nil {
		l.one.masks[0] = l.p.masks[pc]
	}
	if in.op >= opBr && in.op <= opBrSLE {
		c.t, c.u = 2, 1
	}
	l.one.code[0] = c
	for i := 1; i < 3; i++ {
		l.one.code[i].live, l.one.code[i].frame = in.frame, in.frame
	}
}

// Resume is Program.Resume of a thread with pending registers; spurious lets a weak CAS fail. need is the value
// that the thread stopped for, or -1. s must not be used again.
func (l *Lazy) Resume(a *Arena, s State, v event.Value, spurious bool, act *Action) (next State, need int) {
	if len(l.Regs)+len(l.Incomplete) == 0 && l.Kept == 0 {
		if spurious {
			return l.p.ResumeFailed(a, s, v, act), -1
		}
		return l.p.Resume(a, s, v, act), -1
	}
	f := a.words[s:]
	code := f[frameCode]
	pc := int(uint32(code))
	l.load(pc)
	f[frameCode] = code >> 32 << 32 // the code of one begins at 0
	if spurious {
		next = l.one.ResumeFailed(a, s, v, act)
	} else {
		next = l.one.Resume(a, s, v, act)
	}
	a.words[next+frameCode] = code
	l.overwritten(a, next, pc)
	if act.Kind != Fail || act.Error != fellThrough {
		return next, -1
	}
	return l.run(a, int(next), pc+1, act)
}

// Defer lets a thread that is at a load or a read-modify-write go on without its value, which has the number value. It returns false if
// that can't be.
func (l *Lazy) Defer(a *Arena, s State, value uint8, spurious bool, act *Action) (next State, need int, ok bool) {
	pc := int(uint32(a.frame(int(s))[frameCode]))
	a.top = int(s) + int(l.p.code[pc].frame)
	a.reserve(a.top)
	if !l.receive(a.frame(int(s)), pc, value, spurious) {
		return s, -1, false
	}
	next, need = l.run(a, int(s), pc+1, act)
	return next, need, true
}

// Deliver gives a thread the value of a load. If it was waiting for that, or for what follows from it, it goes on. It returns the values of
// the incomplete stores that are known now.
func (l *Lazy) Deliver(a *Arena, s State, load uint8, v event.Value, waits int, act *Action) (next State, need int, fills []Fill) {
	known := l.evaluate(a, load, v.Lo)
	rest := l.Regs[:0]
	for _, q := range l.Regs {
		x, ok := known.get(q.Value)
		if !ok {
			q.Value = known.number(q.Value)
			rest = append(rest, q)
			continue
		}
		f := s
		for depth(a.frame(int(f))) != q.Depth {
			f = State(a.words[f+frameCode] >> 32)
		}
		a.words[int(f)+int(q.Reg)] = x
	}
	l.Regs = rest
	fills = l.settle(known)
	if waits < 0 {
		return s, -1, fills
	}
	if _, ok := known.get(uint8(waits)); !ok {
		return s, int(known.number(uint8(waits))), fills
	}
	next, need = l.run(a, int(s), int(uint32(a.words[s+frameCode])), act)
	return next, need, fills
}

func depth(r frame) uint32 { return uint32(r[frameThread] >> depthShift & depthMask) }

// overwritten forgets the registers that the instruction at pc writes.
func (l *Lazy) overwritten(a *Arena, s State, pc int) {
	d := depth(a.frame(int(s)))
	l.p.codeDefs(pc, func(reg uint16) { l.forget(d, reg) })
}

func (l *Lazy) forget(d uint32, reg uint16) {
	l.Regs = slices.DeleteFunc(l.Regs, func(q PendingReg) bool { return q.Depth == d && q.Reg == reg })
}

// pending returns the value that a register waits for, or -1.
func (l *Lazy) pending(d uint32, reg uint16) int {
	for _, q := range l.Regs {
		if q.Depth == d && q.Reg == reg {
			return int(q.Value)
		}
	}
	return -1
}

// uses returns a value that the instruction at pc needs, or -1.
func (l *Lazy) uses(d uint32, pc int) int {
	need := -1
	l.p.codeUses(pc, func(reg uint16) { need = max(need, l.pending(d, reg)) })
	return need
}

// run goes on from pc in the frame at base to the next action, or to where it needs a pending register.
func (l *Lazy) run(a *Arena, base, pc int, act *Action) (State, int) {
	p := l.p
	mark := base
	for jumps, look := 0, firstLook; ; {
		a.reserve(base)
		r := a.frame(base)
		in := &p.code[pc]
		d := depth(r)
		stop := func() State {
			r[frameCode] = r[frameCode]>>32<<32 | uint64(pc)
			a.top = base + int(in.frame)
			return State(base)
		}
		need := l.uses(d, pc)
		if need >= 0 && in.op == opMask && !p.maskOps[in.t].any(r) {
			need = -1 // whatever the values are
		}
		if need >= 0 {
			a.round.pc = -1 // what is pending may change
			if l.postpone(r, d, pc, in) {
				pc++
				continue
			}
			if !l.passesOn(r, d, in) {
				return stop(), need
			}
		}
		if jumps++; jumps > look {
			if look = p.goesRound(a, base, mark, pc, jumps, in, act); look == 0 {
				return stop(), -1
			}
		}
		if in.op > opFence && in.op != opAlloca && in.op != opAlloc && in.op != opChoose {
			if missing := l.guessed(); missing >= 0 { // it can't be undone, or others see it
				return stop(), missing
			}
		}
		switch in.op {
		case opJmp:
			pc = int(in.t)
			continue
		case opSwitch:
			t := &p.switches[in.t]
			to := t.targets[len(t.cases)]
			if i := slices.Index(t.cases, r[in.a]+in.ia); i >= 0 {
				to = t.targets[i]
			}
			pc = int(to)
			continue
		case opCall, opCallAddr:
			stop()
			f := p.enter(a, r, base, in, act)
			if f == nil {
				return State(base), -1
			}
			args := l.sums(d, p.calls[in.t].args)
			l.overwritten(a, State(base), pc)
			l.pend(d+1, f.params, args)
			base += int(in.live)
			pc = int(f.entry)
			continue
		case opRet:
			if parent := int(r[frameCode] >> 32); parent != 0 {
				results := p.calls[p.code[uint32(a.words[parent+frameCode])].t].results
				vals := l.sums(d, p.rets[in.t][:len(results)])
				l.Regs = slices.DeleteFunc(l.Regs, func(q PendingReg) bool { return q.Depth == d })
				base = p.leave(a, base, parent, mark, in)
				l.pend(d-1, results, vals)
				pc = int(uint32(a.words[base+frameCode])) + 1
				continue
			}
			fallthrough
		case opExit:
			if missing := l.firstMissing(); missing >= 0 { // what it does must be known before it ends
				return stop(), missing
			}
		}
		code := r[frameCode]
		l.load(pc)
		l.one.run(a, base, 0, base, act)
		r = a.frame(base)
		r[frameCode] = code>>32<<32 | uint64(pc)
		l.keepAtStop(in, r, pc)
		switch {
		case act.Kind == Fail && act.Error == fellThrough:
			pc++
			if in.op >= opBr && in.op <= opBrSLE {
				pc = int(in.u)
			}
		case act.Kind == Fail && act.Error == branched:
			pc = int(in.t)
		default:
			return State(base), -1
		}
	}
}

// keepAtStop forgets the registers that in has written.
func (l *Lazy) keepAtStop(in *insn, r frame, pc int) {
	if in.op >= opLoad && in.op != opAlloca {
		return // it writes when it is resumed
	}
	d := depth(r)
	l.p.codeDefs(pc, func(reg uint16) { l.forget(d, reg) })
}

// Prune forgets the registers of s that are not live, and the values that are not needed any more, and numbers the rest anew.
// loads is how many loads there were; drop has a bit for each that is not needed.
func (l *Lazy) Prune(a *Arena, s State, loads, need int) (left int, drop uint32) {
	frames := map[uint32][]uint16{}
	for f, top := s, true; f != 0 && len(l.Regs) > 0; top = false {
		r := a.frame(int(f))
		pc := uint32(r[frameCode])
		live := l.z.live[pc]
		if top && need >= 0 {
			live = l.z.before[pc]
		}
		if top && r[frameThread]&phaseMask != 0 {
			more, n := l.p.pieces(pc)
			live = slices.Concat(live, more[:n])
		}
		frames[depth(r)] = live
		f = State(r[frameCode] >> 32)
	}
	l.Regs = slices.DeleteFunc(l.Regs, func(q PendingReg) bool { return !slices.Contains(frames[q.Depth], q.Reg) })
	slices.SortFunc(l.Regs, func(p, q PendingReg) int {
		return int(p.Depth)<<24 + int(p.Reg) - int(q.Depth)<<24 - int(q.Reg)
	})
	return l.renumber(loads, need)
}
