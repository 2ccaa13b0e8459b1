package machine

import (
	"slices"

	"ravel/internal/event"
)

// A Pending is a register that waits for the value of a load: the thread went on without it.
type Pending struct {
	Depth uint16 // of the frame, the thread's first is 0
	Reg   uint16
	Load  uint8 // which of the loads that have not been performed yet, the oldest is 0
}

// A Lazy runs threads that do not wait for what they load until they use it, as a processor does
// that keeps a scoreboard of its registers. One per worker.
//
// It runs one instruction at a time by the machine's own interpreter, on a code of that instruction and a stop. So
// it is slow, and has no semantics of its own but for this: an instruction that reads a pending register does not begin;
// a copy of one is pending too; an instruction that writes one ends its wait.
type Lazy struct {
	p   *Program
	z   *Freezer
	one Program
}

// NewLazy returns a Lazy for a program whose threads z freezes.
func (p *Program) NewLazy(z *Freezer) *Lazy {
	l := &Lazy{p: p, z: z, one: *p}
	l.one.actions = slices.Concat(p.actions, []Action{{Kind: Fail, Error: fellThrough}, {Kind: Fail, Error: branched}})
	l.one.code = make([]insn, 3)
	for i := range 2 {
		l.one.code[1+i] = insn{op: opFailNow, t: int32(len(p.actions) + i)}
	}
	return l
}

// How an instruction that does not stop the thread ends.
var fellThrough, branched = new(Error), new(Error)

// load makes in the instruction that one runs.
func (l *Lazy) load(in *insn) {
	c := *in
	if in.op >= opBr && in.op <= opBrSLE {
		c.t, c.u = 2, 1
	}
	l.one.code[0] = c
	for i := 1; i < 3; i++ {
		l.one.code[i].live, l.one.code[i].frame = in.frame, in.frame
	}
}

// Resume is Program.Resume of a thread with pending registers; spurious lets a weak CAS fail. need is the load whose
// value the thread stopped for, or -1. s must not be used again, and pend is changed.
func (l *Lazy) Resume(a *Arena, s State, v event.Value, spurious bool, pend []Pending, act *Action) (next State, rest []Pending, need int) {
	if len(pend) == 0 && !spurious {
		return l.p.Resume(a, s, v, act), pend, -1
	}
	if len(pend) == 0 {
		return l.p.ResumeFailed(a, s, v, act), pend, -1
	}
	f := a.words[s:]
	code := f[frameCode]
	pc := int(uint32(code))
	l.load(&l.p.code[pc])
	f[frameCode] = code >> 32 << 32 // the code of one begins at 0
	if spurious {
		next = l.one.ResumeFailed(a, s, v, act)
	} else {
		next = l.one.Resume(a, s, v, act)
	}
	a.words[next+frameCode] = code
	pend = l.overwritten(a, next, pc, pend)
	if act.Kind != Fail || act.Error != fellThrough {
		return next, pend, -1
	}
	return l.run(a, int(next), pc+1, pend, act)
}

// Defer lets a thread that is at a load go on without its value. The load has the number load.
func (l *Lazy) Defer(a *Arena, s State, load uint8, pend []Pending, act *Action) (next State, rest []Pending, need int) {
	r := a.frame(int(s))
	pc := int(uint32(r[frameCode]))
	in := &l.p.code[pc]
	pend = l.overwritten(a, s, pc, pend)
	a.top = int(s) + int(in.frame)
	a.reserve(a.top)
	r = a.frame(int(s))
	r[in.dst] = 0
	pend = append(pend, Pending{depth(r), in.dst, load})
	return l.run(a, int(s), pc+1, pend, act)
}

// Deliver gives a thread the value of a load. If it was waiting for that (need) it goes on.
func (l *Lazy) Deliver(a *Arena, s State, load uint8, v event.Value, pend []Pending, waits int, act *Action) (next State, rest []Pending, need int) {
	rest = pend[:0]
	for _, q := range pend {
		if q.Load != load {
			if q.Load > load {
				q.Load--
			}
			rest = append(rest, q)
			continue
		}
		f := s
		for depth(a.frame(int(f))) != q.Depth {
			f = State(a.words[f+frameCode] >> 32)
		}
		a.words[int(f)+int(q.Reg)] = v.Lo
	}
	if waits > int(load) {
		return s, rest, waits - 1
	}
	if waits != int(load) {
		return s, rest, waits
	}
	return l.run(a, int(s), int(uint32(a.words[s+frameCode])), rest, act)
}

func depth(r frame) uint16 { return uint16(r[frameThread] >> depthShift & depthMask) }

// overwritten returns pend without the registers that the instruction at pc writes.
func (l *Lazy) overwritten(a *Arena, s State, pc int, pend []Pending) []Pending {
	d := depth(a.frame(int(s)))
	l.p.codeDefs(pc, func(reg uint16) {
		pend = slices.DeleteFunc(pend, func(q Pending) bool { return q.Depth == d && q.Reg == reg })
	})
	return pend
}

// uses returns a load whose value the instruction at pc needs, or -1.
func (l *Lazy) uses(d uint16, pc int, pend []Pending) int {
	need := -1
	l.p.codeUses(pc, func(reg uint16) {
		for _, q := range pend {
			if q.Depth == d && q.Reg == reg {
				need = int(q.Load)
			}
		}
	})
	return need
}

// run goes on from pc in the frame at base to the next action, or to where it needs a pending register.
func (l *Lazy) run(a *Arena, base, pc int, pend []Pending, act *Action) (State, []Pending, int) {
	p := l.p
	mark := base
	for jumps := 0; ; {
		a.reserve(base)
		r := a.frame(base)
		in := &p.code[pc]
		d := depth(r)
		stop := func() State {
			r[frameCode] = r[frameCode]>>32<<32 | uint64(pc)
			a.top = base + int(in.frame)
			return State(base)
		}
		if need := l.uses(d, pc, pend); need >= 0 {
			if in.op != opMov || in.ia != 0 {
				return stop(), pend, need
			}
			pend = slices.DeleteFunc(pend, func(q Pending) bool { return q.Depth == d && q.Reg == in.dst })
			pend = append(pend, Pending{d, in.dst, uint8(need)})
			r[in.dst] = 0
			pc++
			continue
		}
		if jumps++; jumps > maxJumps {
			p.endless(act, in)
			return stop(), pend, -1
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
				return State(base), pend, -1
			}
			pend = l.overwritten(a, State(base), pc, pend)
			base += int(in.live)
			pc = int(f.entry)
			continue
		case opRet:
			if parent := int(r[frameCode] >> 32); parent != 0 {
				pend = slices.DeleteFunc(pend, func(q Pending) bool { return q.Depth == d })
				base = p.leave(a, base, parent, mark, in)
				pc = int(uint32(a.words[base+frameCode])) + 1
				continue
			}
		}
		code := r[frameCode]
		l.load(in)
		l.one.run(a, base, 0, base, act)
		r = a.frame(base)
		r[frameCode] = code>>32<<32 | uint64(pc)
		pend = l.keepAtStop(in, r, pc, pend)
		switch {
		case act.Kind == Fail && act.Error == fellThrough:
			pc++
			if in.op >= opBr && in.op <= opBrSLE {
				pc = int(in.u)
			}
		case act.Kind == Fail && act.Error == branched:
			pc = int(in.t)
		default:
			return State(base), pend, -1
		}
	}
}

// keepAtStop drops the registers that in has written from pend.
func (l *Lazy) keepAtStop(in *insn, r frame, pc int, pend []Pending) []Pending {
	if in.op >= opLoad && in.op != opAlloca && in.op != opAlloc {
		return pend // it writes when it is resumed
	}
	d := depth(r)
	l.p.codeDefs(pc, func(reg uint16) {
		pend = slices.DeleteFunc(pend, func(q Pending) bool { return q.Depth == d && q.Reg == reg })
	})
	return pend
}

// Prune drops from pend the registers of s that are not live, and numbers the loads that are left anew.
// loads is how many there were; drop has a bit for each that nobody needs any more.
func (l *Lazy) Prune(a *Arena, s State, loads int, need int, pend []Pending) (rest []Pending, left int, drop uint32) {
	frames := map[uint16][]uint16{}
	for f, top := s, true; f != 0; top = false {
		r := a.frame(int(f))
		pc := uint32(r[frameCode])
		live := l.z.live[pc]
		if top && need >= 0 {
			live = l.z.before[pc]
		}
		if top && r[frameThread]&phaseMask != 0 {
			more, n := l.p.pieces(&l.p.code[pc])
			live = slices.Concat(live, more[:n])
		}
		frames[depth(r)] = live
		f = State(r[frameCode] >> 32)
	}
	rest = slices.DeleteFunc(pend, func(q Pending) bool { return !slices.Contains(frames[q.Depth], q.Reg) })
	var number [32]uint8
	n := uint8(0)
	for i := range loads {
		if slices.ContainsFunc(rest, func(q Pending) bool { return int(q.Load) == i }) {
			number[i] = n
			n++
		} else {
			drop |= 1 << i
		}
	}
	for i := range rest {
		rest[i].Load = number[rest[i].Load]
	}
	slices.SortFunc(rest, func(p, q Pending) int {
		return int(p.Depth)<<24 + int(p.Reg) - int(q.Depth)<<24 - int(q.Reg)
	})
	if need >= 0 {
		need = int(number[need])
	}
	return rest, need, drop
}
