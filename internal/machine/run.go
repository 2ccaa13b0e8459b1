package machine

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir/arith"
)

const (
	maxDepth = 1 << 20 // frames of a thread: natively, the smallest ones would take 16 MiB of stack
)

// StartMain makes thread 0: it runs the global constructors in order, then main, to the first action.
func (p *Program) StartMain(a *Arena, act *Action) State {
	if p.start < 0 {
		return p.trap(a, 0, 0, act, "the program has no function `main`")
	}
	base := p.push(a, max(a.top, 1), &p.funcs[p.start], 0)
	return p.run(a, base, int(p.funcs[p.start].entry), base, act)
}

// Start makes thread tid, which begins to run fn(arg), and runs it to its first action.
// Where the library has something to do when a thread ends, it defines __ravel_thread_start(fn, arg),
// which is run instead, and __ravel_thread_exit(), which is called before __ravel_exit.
func (p *Program) Start(a *Arena, tid int, fn event.Addr, arg event.Value, act *Action) State {
	f := p.funcAt(uint64(fn))
	if f == nil {
		return p.trap(a, tid, 0, act, fmt.Sprintf("a thread starts at %#x, where no function is", p.seen(uint64(fn))))
	}
	if tid >= p.space.MaxOwners()-1 {
		s := p.trap(a, tid, int(f.entry), act, fmt.Sprintf("the addresses of a program of 32 bits have room for %d threads: compile it for 64 bits", tid))
		act.Error.Kind = Unsupported
		return s
	}
	if len(f.params) > 1 {
		return p.trap(a, tid, int(f.entry), act, fmt.Sprintf("a thread starts in `%s`, which takes %d arguments", f.name, len(f.params)))
	}
	args := []uint64{arg.Lo}
	if p.wrapper >= 0 {
		f, args = &p.funcs[p.wrapper], []uint64{p.seen(uint64(fn)), arg.Lo}
	}
	base := p.push(a, max(a.top, 1), f, uint64(tid))
	for i, r := range f.params {
		if r != noColour {
			a.words[base+int(r)] = args[i]
		}
	}
	for i, r := range f.masks {
		if r == noColour {
			continue
		}
		if a.words[base+int(r)] = 0; i == len(args)-1 {
			a.words[base+int(r)] = arg.Hi
		}
	}
	for _, r := range f.shadows {
		if r != noColour {
			a.words[base+int(r)] = 0
		}
	}
	return p.run(a, base, int(f.entry), base, act)
}

// trap makes a thread that fails at once.
func (p *Program) trap(a *Arena, tid, pc int, act *Action, text string) State {
	base := max(a.top, 1)
	a.reserve(base)
	r := a.frame(base)
	r[frameCode], r[frameThread], r[frameClock], r[frameZero] = uint64(pc), uint64(tid), 0, 0
	a.top = base + frameHeader
	*act = Action{Kind: Fail, Pos: p.code[pc].pos, Error: &Error{Kind: CallError, Message: text}}
	return State(base)
}

// push begins the frame of f at base; thread is the header's word.
func (p *Program) push(a *Arena, base int, f *function, thread uint64) int {
	a.reserve(base)
	r := a.frame(base)
	r[frameCode], r[frameThread], r[frameClock], r[frameZero] = 0, thread, 0, 0
	for _, z := range f.zero {
		r[z] = 0
	}
	if p.shadows != nil {
		r[frameDeps] = 1 // the thread's Start event has place 0
		if p.arms {
			r[frameOpen] = 0
		}
	}
	return base
}

func (p *Program) funcAt(addr uint64) *function {
	if s, local := p.slot(addr); s != nil && s.fn >= 0 && local == s.base {
		return &p.funcs[s.fn]
	}
	return nil
}

// addrOf returns the address of a function.
func (p *Program) addrOf(fn int32) (addr uint64, ok bool) {
	i := slices.IndexFunc(p.slots, func(s slot) bool { return int32(s.fn) == fn })
	if i < 0 {
		return 0, false
	}
	return p.slots[i].base, true
}

// ResumeFailed gives s, which waits at a weak CAS, the value that it expects, but lets it fail spuriously.
func (p *Program) ResumeFailed(a *Arena, s State, v event.Value, act *Action) State {
	base, pc := p.copyTop(a, s)
	r := a.frame(base)
	in := &p.code[pc]
	if p.shadows != nil {
		p.countEvents(a, r, in, pc, v, true)
	}
	if v.Hi != 0 && in.flags&flagWide == 0 {
		return p.stop(a, base, pc, act, Unwritten)
	}
	p.deliverCAS(r, in, v, true)
	return p.run(a, base, pc+1, base, act)
}

// stop makes a thread that fails at pc, in the frame at base, after the instruction there was performed: its address may be gone, and what that depends on.
func (p *Program) stop(a *Arena, base, pc int, act *Action, err *Error) State {
	in := &p.code[pc]
	a.top = base + int(in.frame)
	*act = Action{Kind: Fail, Pos: in.pos, Error: err}
	if p.shadows != nil {
		act.CtrlDep = event.DepSet(a.frame(base)[frameDeps] >> ctrlShift)
	}
	return State(base)
}

// copyTop copies the top frame of s to the end of the arena and counts the event.
func (p *Program) copyTop(a *Arena, s State) (base, pc int) {
	base = max(a.top, 1)
	a.reserve(base)
	src := a.words[s:]
	n := p.size(src)
	copy(a.words[base:], src[:n])
	a.words[base+frameClock]++
	return base, int(uint32(src[frameCode]))
}

// Resume gives the value v to s, which waits for one, and runs the thread to its next action, which is
// left in act. s is unchanged: it may be resumed again with another value.
func (p *Program) Resume(a *Arena, s State, v event.Value, act *Action) State {
	base := a.top
	if base+window > len(a.words) {
		a.reserve(base)
	}
	from, r := a.frame(int(s)), a.frame(base)
	pc := int(uint32(from[frameCode]))
	in := &p.code[pc]
	n := int(in.live)
	if from[frameThread]&phaseMask != 0 {
		n = int(in.frame)
	}
	copy(r[:n], from[:n])
	r[frameClock]++
	if p.shadows != nil {
		p.countEvents(a, r, in, pc, v, false)
	}
	switch in.op {
	case opLoad:
		if r[frameThread]&phaseMask != 0 {
			complete, lost := p.loadedPiece(r, in, pc, v)
			if lost {
				return p.stop(a, base, pc, act, Untracked)
			}
			if !complete {
				return p.run(a, base, pc, base, act)
			}
			break
		}
		r[in.dst] = v.Lo
		if v.Hi != 0 || in.flags&(flagWide|flagUndef) != 0 {
			if !p.loadedHi(r, in, pc, v.Hi) {
				return p.stop(a, base, pc, act, Untracked)
			}
		}
	case opStore:
		r[frameClock] += effectOne
		if r[frameThread]&phaseMask != 0 && !p.storedPiece(r, in) {
			return p.run(a, base, pc, base, act)
		}
	case opRMW, opCAS:
		if v.Hi != 0 && in.flags&flagWide == 0 {
			return p.stop(a, base, pc, act, Unwritten)
		}
		if in.op == opRMW {
			p.deliverRMW(r, in, v)
		} else {
			p.deliverCAS(r, in, v, false)
		}
	case opFence:
	case opAlloc:
		r[frameClock] += effectOne
		r[in.dst] = p.seen(v.Lo)
	case opCreate, opJoin, opSRCU:
		r[frameClock] += effectOne
		r[in.dst] = v.Lo
		if in.op == opJoin && in.flags&flagUndef != 0 {
			r[p.masks[pc].dst] = v.Hi
		}
	case opChoose:
		if act := &p.actions[in.t]; act.Weak && v.Lo != 0 {
			r[frameClock] += effectOne
		}
		r[in.dst] = p.actions[in.t].Chosen(v.Lo)
	case opSpinCheck: // no event
		r[frameClock]--
		s := &p.spins[in.t]
		if v.Lo != 1 {
			p.visit(r, s)
			break
		}
		r[s.seen] = r[frameClock]&^eventMask | r[s.seen]&eventMask // nothing was done since
		a.blocks = true
		state := p.run(a, base, pc, base, act)
		a.blocks = false
		if s.mixed && act.Block == Lock {
			act.Block = Spin // a loop of the program around one that waits, which has got what it waited for
		}
		return state
	case opSize, opNext: // no event, but nothing that a spinning loop has, except for a size that never changes
		r[frameClock] += effectOne - 1
		if in.op == opSize && in.u != 0 {
			r[frameClock] -= effectOne
		}
		r[in.dst] = v.Lo
	case opMemCpy, opMemSet:
		p.moved(r, in, v)
		return p.run(a, base, pc, base, act)
	default: // opAlloca, opFree, opFreeStack
		r[frameClock] += effectOne
	}
	return p.run(a, base, pc+1, base, act)
}

func (p *Program) deliverRMW(r frame, in *insn, v event.Value) {
	arg := event.Value{Lo: r[in.b] + in.ib}
	if in.flags&flagWide != 0 {
		w := &p.wides[in.u]
		arg = event.Value{Lo: r[w.b], Hi: r[w.bHi]}
		r[w.dstHi] = v.Hi
	}
	r[in.dst] = v.Lo
	// One that writes what was there changes nothing that a loop could wait for.
	if p.actions[in.t].RMW.Apply(v, arg, in.size) != v {
		r[frameClock] += effectOne
	}
}

func (p *Program) deliverCAS(r frame, in *insn, v event.Value, spurious bool) {
	exp, val := p.casOperands(r, in)
	if in.flags&flagWide != 0 {
		r[p.wides[in.u].dstHi] = v.Hi
	}
	op := p.actions[in.t].RMW
	ok := op.Succeeds(v, exp) && !spurious
	r[in.dst] = v.Lo
	r[in.dst2] = arith.Truth(ok)
	if ok && op.Apply(v, val, in.size) != v {
		r[frameClock] += effectOne
	}
}

// loadedHi takes the upper half of what a 16-byte load reads, of others which bits are undefined. It returns false if nothing keeps track of those.
func (p *Program) loadedHi(r frame, in *insn, pc int, hi uint64) bool {
	switch {
	case in.flags&flagWide != 0:
		r[p.wides[in.u].dstHi] = hi
	case in.flags&flagUndef != 0:
		r[p.masks[pc].dst] = hi
	default:
		return false
	}
	return true
}

// storedHi returns the upper half of what a 16-byte access writes, of others which bits are undefined.
func (p *Program) storedHi(r frame, in *insn, pc int) uint64 {
	switch {
	case in.flags&flagUndef != 0:
		return r[p.masks[pc].data]
	case in.op == opCAS:
		return r[p.wides[in.u].cHi]
	}
	return r[p.wides[in.u].bHi]
}

// casOperands returns the expected and the new value of a CAS.
func (p *Program) casOperands(r frame, in *insn) (exp, val event.Value) {
	if in.flags&flagWide != 0 {
		w := &p.wides[in.u]
		return event.Value{Lo: r[w.b], Hi: r[w.bHi]}, event.Value{Lo: r[w.c], Hi: r[w.cHi]}
	}
	return event.Value{Lo: r[in.b] + in.ib}, event.Value{Lo: r[in.c] + in.ic}
}

// run interprets from pc, in the frame at base, to the next action. Frames from mark on are this
// run's own and may be changed; those below belong to states.
func (p *Program) run(a *Arena, base, pc, mark int, act *Action) State {
	code := p.code
	r := a.frame(base)
	jumps, look := 0, firstLook
	var in *insn
	for {
		in = &code[pc]
		pc++
		switch in.op {
		case opMov:
			r[in.dst] = r[in.a] + in.ia
		case opAdd:
			r[in.dst] = (r[in.a] + in.ia + r[in.b] + in.ib) & in.ic
		case opSub:
			r[in.dst] = (r[in.a] + in.ia - r[in.b] - in.ib) & in.ic
		case opMul:
			r[in.dst] = ((r[in.a] + in.ia) * (r[in.b] + in.ib)) & in.ic
		case opAnd:
			r[in.dst] = (r[in.a] + in.ia) & (r[in.b] + in.ib)
		case opOr:
			r[in.dst] = (r[in.a] + in.ia) | (r[in.b] + in.ib)
		case opXor:
			r[in.dst] = (r[in.a] + in.ia) ^ (r[in.b] + in.ib)
		case opShl:
			x := (r[in.a] + in.ia) << (r[in.b] + in.ib) & in.ic
			if r[in.b]+in.ib >= uint64(in.width) {
				if in.flags&flagCheck != 0 {
					p.fail(act, in, ArithError, arith.ShiftFault(r[in.b]+in.ib, in.width))
					goto stop
				}
				x = 0
			}
			r[in.dst] = x
		case opLShr:
			x := (r[in.a] + in.ia) >> (r[in.b] + in.ib)
			if r[in.b]+in.ib >= uint64(in.width) {
				if in.flags&flagCheck != 0 {
					p.fail(act, in, ArithError, arith.ShiftFault(r[in.b]+in.ib, in.width))
					goto stop
				}
				x = 0
			}
			r[in.dst] = x
		case opAShr:
			if in.flags&flagCheck != 0 && r[in.b]+in.ib >= uint64(in.width) {
				p.fail(act, in, ArithError, arith.ShiftFault(r[in.b]+in.ib, in.width))
				goto stop
			}
			r[in.dst] = uint64(arith.Signed(r[in.a]+in.ia, in.width)>>min(r[in.b]+in.ib, 63)) & in.ic
		case opSExt:
			r[in.dst] = uint64(int64((r[in.a]+in.ia)<<(in.width&63))>>(in.width&63)) & in.ic
		case opSelect:
			if r[in.a]+in.ia != 0 {
				r[in.dst] = r[in.b] + in.ib
			} else {
				r[in.dst] = r[in.c] + in.ic
			}
		case opGep:
			r[in.dst] = r[in.a] + in.ia + (r[in.b]+in.ib)*in.ic
		case opEQ:
			r[in.dst] = arith.Truth(r[in.a]+in.ia == r[in.b]+in.ib)
		case opNE:
			r[in.dst] = arith.Truth(r[in.a]+in.ia != r[in.b]+in.ib)
		case opULT:
			r[in.dst] = arith.Truth(r[in.a]+in.ia < r[in.b]+in.ib)
		case opULE:
			r[in.dst] = arith.Truth(r[in.a]+in.ia <= r[in.b]+in.ib)
		case opSLT:
			r[in.dst] = arith.Truth(int64((r[in.a]+in.ia)<<(in.width&63)) < int64((r[in.b]+in.ib)<<(in.width&63)))
		case opSLE:
			r[in.dst] = arith.Truth(int64((r[in.a]+in.ia)<<(in.width&63)) <= int64((r[in.b]+in.ib)<<(in.width&63)))
		case opEval:
			x, x2, fault := arith.Eval(&p.evals[in.t], r[in.a]+in.ia, r[in.b]+in.ib, r[in.c]+in.ic)
			if fault != "" {
				p.fail(act, in, ArithError, fault)
				goto stop
			}
			r[in.dst] = x
			if p.evals[in.t].Dst2 >= 0 {
				r[in.dst2] = x2
			}
		case opWide:
			if fault := p.wides[in.t].run(r); fault != "" {
				p.fail(act, in, ArithError, fault)
				goto stop
			}
		case opTLS:
			a.named(r)
			r[in.dst] = p.seen(p.ownerBase(int(r[frameThread]&threadMask)+1)) + in.ia
		case opClock:
			r[in.dst] = r[frameClock]
		case opSelf:
			a.named(r)
			r[in.dst] = r[frameThread] & threadMask
		case opOwner:
			r[in.dst] = r[frameThread] & threadMask
		case opMath:
			r[in.dst] = p.builtins[in.t].math(r[in.a]+in.ia, r[in.b]+in.ib)
		case opWords:
			var words [maxWords]uint64
			args := p.calls[in.u].args
			for i, o := range args {
				words[i] = r[o.reg] + o.imm
			}
			r[in.dst] = p.builtins[in.t].words(p, words[:len(args)])

		case opMask:
			p.maskOps[in.t].run(r)
		case opDeps:
			r[in.dst] = a.join(a.join(r[in.a], r[in.b]), r[in.c])
		case opPick:
			r[in.dst] = a.join(r[in.a], a.picked(r[in.b]))

		case opJmp:
			if int(in.t) < pc {
				if jumps++; jumps > look {
					if look = p.goesRound(a, base, mark, pc, jumps, in, act); look == 0 {
						goto stop
					}
				}
			}
			pc = int(in.t)
		case opBr, opBrEQ, opBrNE, opBrULT, opBrULE, opBrSLT, opBrSLE:
			x, y := r[in.a]+in.ia, r[in.b]+in.ib
			var taken bool
			switch in.op {
			case opBr:
				taken = x != 0
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
			to := int(in.u)
			if taken {
				to = int(in.t)
			}
			if to < pc {
				if jumps++; jumps > look {
					if look = p.goesRound(a, base, mark, pc, jumps, in, act); look == 0 {
						goto stop
					}
				}
			}
			pc = to
		case opSwitch:
			s := &p.switches[in.t]
			x := r[in.a] + in.ia
			to := s.targets[len(s.cases)]
			for i, c := range s.cases {
				if c == x {
					to = s.targets[i]
					break
				}
			}
			if int(to) < pc {
				if jumps++; jumps > look {
					if look = p.goesRound(a, base, mark, pc, jumps, in, act); look == 0 {
						goto stop
					}
				}
			}
			pc = int(to)

		case opCall, opCallAddr:
			if jumps++; jumps > look {
				if look = p.goesRound(a, base, mark, pc, jumps, in, act); look == 0 {
					goto stop
				}
			}
			r[frameCode] = r[frameCode]>>32<<32 | uint64(pc-1)
			f := p.enter(a, r, base, in, act)
			if f == nil {
				goto stop
			}
			base += int(in.live)
			r = a.frame(base)
			pc = int(f.entry)
		case opRet:
			parent := int(r[frameCode] >> 32)
			if parent == 0 {
				*act = Action{Kind: Exit, Pos: in.pos}
				if ret := p.rets[in.t]; len(ret) > 0 {
					act.Val.Lo = r[ret[0].reg] + ret[0].imm
					if p.masks != nil {
						act.Val.Hi = r[p.retMasks[in.t][0]]
					}
				}
				goto stop
			}
			base = p.leave(a, base, parent, mark, in)
			r = a.frame(base)
			pc = int(uint32(r[frameCode])) + 1

		case opSpinCheck:
			if p.spinning(a, r, in, act) {
				goto stop
			}
		case opCtrl:
			a.tested(r, a.join(r[in.a], r[in.b]))
		case opGet:
			x, ok := p.arrays[in.t].get(r, r[in.a]+in.ia)
			if !ok {
				*act = Action{Kind: Fail, Pos: in.pos, Error: Untracked}
				goto stop
			}
			r[in.dst] = x
		case opSet:
			if !p.arrays[in.t].put(r, r[in.a]+in.ia, r[in.b]+in.ib) {
				*act = Action{Kind: Fail, Pos: in.pos, Error: Untracked}
				goto stop
			}
		case opUninit:
			if r[in.a]+in.ia == 0 {
				*act = p.actions[in.t]
				goto stop
			}
		case opUse:
			if r[in.a] != 0 {
				*act = p.actions[in.t]
				goto stop
			}
		case opUnrollCheck:
			if r[in.dst]++; r[in.dst] > in.ia {
				*act = Action{Kind: Block, Block: Unroll, Pos: in.pos}
				goto stop
			}

		case opLoad:
			addr := r[in.a] + in.ia
			if in.flags&flagValid == 0 && !p.valid(addr, in.size, in.flags) {
				*act = Action{Kind: Fail, Pos: in.pos, Addr: event.Addr(addr), Size: in.size, Error: p.fault(addr, in.size, in.flags)}
				goto stop
			}
			*act = p.actions[in.t]
			act.Addr = event.Addr(addr)
			if p.layout != nil || addr&uint64(in.size-1) != 0 {
				p.loadPiece(r, in, pc-1, act)
			}
			goto stop
		case opStore:
			addr := r[in.a] + in.ia
			if in.flags&flagValid == 0 && !p.valid(addr, in.size, in.flags) {
				*act = Action{Kind: Fail, Pos: in.pos, Addr: event.Addr(addr), Size: in.size, Error: p.fault(addr, in.size, in.flags)}
				goto stop
			}
			*act = p.actions[in.t]
			act.Addr = event.Addr(addr)
			act.Val.Lo = r[in.b] + in.ib
			if in.flags&(flagWide|flagUndef) != 0 {
				act.Val.Hi = p.storedHi(r, in, pc-1)
			}
			if p.layout != nil || addr&uint64(in.size-1) != 0 {
				p.storePiece(r, in, act)
			}
			goto stop
		case opRMW, opCAS:
			addr := r[in.a] + in.ia
			if in.flags&flagValid == 0 && !p.valid(addr, in.size, in.flags) {
				*act = Action{Kind: Fail, Pos: in.pos, Addr: event.Addr(addr), Size: in.size, Error: p.fault(addr, in.size, in.flags)}
				goto stop
			}
			*act = p.actions[in.t]
			act.Addr = event.Addr(addr)
			act.Val.Lo = r[in.b] + in.ib
			switch {
			case in.op == opCAS:
				act.Exp, act.Val.Lo = act.Val, r[in.c]+in.ic
			case act.Arrives != 0:
				act.Arrives = uint32(r[in.c] + in.ic)
			}
			if in.flags&(flagWide|flagUndef) != 0 {
				act.Val.Hi = p.storedHi(r, in, pc-1)
				if in.flags&flagWide != 0 {
					act.Exp.Hi = r[p.wides[in.u].bHi]
				}
			}
			if p.layout != nil {
				p.wholeGranule(in, act)
			}
			goto stop
		case opFence:
			if in.flags&flagPicks != 0 && r[in.a]+in.ia != 0 {
				continue
			}
			*act = p.actions[in.t]
			goto stop
		case opMemCpy:
			if !p.copyPiece(r, in, act) {
				goto stop
			}
		case opMemSet:
			if !p.setPiece(r, in, pc-1, act) {
				goto stop
			}
		case opAlloca, opAlloc:
			*act = p.actions[in.t]
			p.allocate(a, r, in, act)
			goto stop
		case opFreeStack:
			if (r[frameCode]>>32 != 0 || in.flags&flagAlways != 0) && r[in.b]+in.ib != 0 {
				*act = p.actions[in.t]
				act.Addr = event.Addr(r[in.a] + in.ia)
				goto stop
			}
		case opFree, opSize:
			*act = p.actions[in.t]
			act.Addr = event.Addr(r[in.a] + in.ia)
			if in.op == opFree {
				act.Family, act.Val.Lo = Family(r[in.b]+in.ib), r[in.c]+in.ic
			}
			goto stop
		case opCreate, opSRCU:
			*act = p.actions[in.t]
			act.Addr = event.Addr(r[in.a] + in.ia)
			act.Val.Lo = r[in.b] + in.ib
			if in.flags&flagUndef != 0 {
				act.Val.Hi = r[p.masks[pc-1].data]
			}
			goto stop
		case opJoin, opExit:
			*act = p.actions[in.t]
			act.Val.Lo = r[in.a] + in.ia
			if in.flags&flagUndef != 0 {
				act.Val.Hi = r[p.masks[pc-1].data]
			}
			if in.op == opJoin && act.Val.Lo == r[frameThread]&threadMask {
				p.fail(act, in, CallError, "a thread joins itself")
			}
			goto stop
		case opChoose:
			*act = p.actions[in.t]
			n := r[in.a] + in.ia
			if n == 0 || n > 1<<31 {
				p.fail(act, in, CallError, fmt.Sprintf("choice between %d alternatives", n))
			}
			act.N = int(n)
			goto stop
		case opAssume:
			if uint32(r[in.a]+in.ia) == 0 {
				*act = p.actions[in.t]
				goto stop
			}
		case opSpinEnd:
			if clock, began := r[frameClock], r[in.b]; uint32(r[in.a]+in.ia) == 0 && clock>>32 == began>>32 {
				*act = p.actions[in.t]
				act.N = int(clock&eventMask - began&eventMask)
				goto stop
			}
		case opRetry, opEnded, opFailNow, opNext:
			*act = p.actions[in.t]
			goto stop
		case opFailCall:
			b := p.builtins[in.u]
			text := b.text
			if strings.Contains(text, "%s") {
				text = fmt.Sprintf(text, p.text(r[in.a]+in.ia))
			}
			p.fail(act, in, b.kind, text)
			goto stop
		case opError:
			text, mark, _ := strings.Cut(p.text(r[in.b]+in.ib), "\n")
			p.fail(act, in, ErrorKind(p.text(r[in.a]+in.ia)), text)
			act.Addr, act.Error.Mark = event.Addr(r[in.c]+in.ic), mark
			goto stop
		case opErrorText:
			text, mark, marked := strings.Cut(p.text(r[in.b]+in.ib), "\n")
			words := p.calls[in.u].args[2:]
			var addr uint64
			if marked {
				addr = r[words[0].reg] + words[0].imm + uint64(p.space.Tag())
				words = words[1:]
			}
			p.fail(act, in, ErrorKind(p.text(r[in.a]+in.ia)), text+wordsText(r, words))
			act.Addr, act.Error.Mark = event.Addr(addr), mark
			goto stop
		default:
			p.fail(act, in, Unsupported, "internal error: no such instruction")
			goto stop
		}
	}
stop:
	r[frameCode] = r[frameCode]>>32<<32 | uint64(pc-1)
	a.top = base + int(in.live)
	if r[frameThread]&phaseMask != 0 {
		a.top = base + int(in.frame)
	}
	if p.shadows != nil {
		p.addDeps(a, r, in, pc-1, act)
	}
	return State(base)
}

func (p *Program) fail(act *Action, in *insn, kind ErrorKind, text string) {
	*act = Action{Kind: Fail, Pos: in.pos, Error: &Error{Kind: kind, Message: text}}
}

// wordsText returns the characters that words hold, up to a zero, on one line.
func wordsText(r frame, words []operand) string {
	var text []byte
	for _, w := range words {
		text = binary.LittleEndian.AppendUint64(text, r[w.reg]+w.imm)
	}
	text, _, cut := bytes.Cut(text, []byte{0})
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(string(text), "")) {
		lines = append(lines, strings.TrimSpace(line))
	}
	s := strings.Join(lines, ", ")
	if !cut {
		s += "…"
	}
	return s
}

// endless ends a thread that seems to go on for ever.
func (p *Program) endless(act *Action, in *insn, text, help string) {
	p.fail(act, in, Unsupported, text)
	act.Error.Endless, act.Error.Help = true, help
}

// spinning reports whether the thread is where it was at the last visit of this loop header, having only read since.
func (p *Program) spinning(a *Arena, r frame, in *insn, act *Action) bool {
	s := &p.spins[in.t]
	clock := r[frameClock]
	seen := r[s.seen]
	pure := seen>>32 == clock>>32
	same := seen != 0 && (pure || s.asks) && seen&eventMask-1 != clock&eventMask
	for i := 0; same && i < len(s.now); i++ {
		same = r[s.now[i].reg]+s.now[i].imm == r[s.then[i]]
	}
	if !same {
		p.visit(r, s)
		return false
	}
	*act = Action{Kind: Block, Block: Spin, Pos: in.pos, N: int(clock&eventMask - (seen&eventMask - 1))}
	if p.shadows != nil {
		act.CtrlDep = event.DepSet(r[frameDeps] >> ctrlShift)
	}
	if !pure || s.asksAlways && !a.blocks {
		act.Kind = Round
		return true
	}
	if s.realm == blocks || s.realm == callers && p.callerOf(a, r) == blocks {
		act.Block = Lock
	}
	return true
}

// visit notes the time and the registers of a visit of a loop header.
func (p *Program) visit(r frame, s *spin) {
	r[s.seen] = r[frameClock] + 1
	for i := range s.now {
		r[s.then[i]] = r[s.now[i].reg] + s.now[i].imm
	}
}

// callerOf returns the realm of the innermost caller of frame r that has one.
func (p *Program) callerOf(a *Arena, r frame) realm {
	for parent := r[frameCode] >> 32; parent != 0; parent = a.words[parent] >> 32 {
		if of := p.realmAt(int32(uint32(a.words[parent]))); of != callers {
			return of
		}
	}
	return callers
}

// realmAt returns the realm of the call at pc.
func (p *Program) realmAt(pc int32) realm {
	switch flags := p.code[pc].flags; {
	case flags&flagLock != 0:
		return blocks
	case flags&flagOwn != 0:
		return own
	}
	return p.funcOf(pc).realm
}

// funcOf returns the function whose code is at pc.
func (p *Program) funcOf(pc int32) *function {
	i, found := slices.BinarySearchFunc(p.funcs, pc, func(f function, pc int32) int { return cmp.Compare(f.entry, pc) })
	if !found {
		i--
	}
	if i < 0 { // a thread that fails at once
		return &function{}
	}
	return &p.funcs[i]
}
