package machine

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"ravel/internal/ir"
)

// A Freezer turns stopped threads into words and back, for engines that store states. Two stopped
// threads with the same words do the same for ever: a register that will not be read again is left
// out, and so is what only spin detection needs. It never changes, so any number of workers may use it.
//
// A thread's frames are frozen one by one, from the innermost, so that an engine can share those of callers.
type Freezer struct {
	p    *Program
	live [][]uint16 // by pc, where a thread may stop: the registers that are live there, in ascending order

	before [][]uint16 // by pc: those that are live before the instruction, where a Lazy may stop

	values bool // registers that only checks of loops and dependencies read are not live

	entries []int       // of the functions, in ascending order, and the end of the code
	wanted  []sync.Once // by function in that order, if they are analysed when a thread first stops in them; otherwise nil
}

// NewFreezer finds out which registers are live where threads of p may stop; lazy if a Lazy runs them.
func (p *Program) NewFreezer(lazy bool) *Freezer {
	z := &Freezer{p: p, live: make([][]uint16, len(p.code))}
	if lazy {
		z.before = make([][]uint16, len(p.code))
	}
	z.findEntries()
	for i := range len(z.entries) - 1 {
		z.analyse(z.entries[i], z.entries[i+1])
	}
	return z
}

// NewFreezerOnDemand is NewFreezer for an engine that looks at few states: a function is analysed when a thread that is looked at stops in it.
func (p *Program) NewFreezerOnDemand() *Freezer {
	z := &Freezer{p: p, live: make([][]uint16, len(p.code))}
	z.findEntries()
	z.wanted = make([]sync.Once, len(z.entries))
	return z
}

func (z *Freezer) findEntries() {
	for i := range z.p.funcs {
		z.entries = append(z.entries, int(z.p.funcs[i].entry))
	}
	z.entries = append(z.entries, len(z.p.code))
	slices.Sort(z.entries)
	z.entries = slices.Compact(z.entries)
}

// analyse finds the live registers of the function whose code is [from, to), by iteration to the greatest fixed point
// of "may be read before it is written".
func (z *Freezer) analyse(from, to int) {
	p := z.p
	n := to - from
	if n == 0 {
		return
	}
	words := int(p.code[from].frame)/64 + 1
	in := make([]uint64, (n+1)*words)
	at := func(pc int) []uint64 { return in[(pc-from)*words : (pc-from+1)*words] }
	live := make([]uint64, words)
	for changed := true; changed; {
		changed = false
		for pc := to - 1; pc >= from; pc-- {
			z.liveOut(pc, at, live)
			matters := !z.values || p.code[pc].matters(live)
			p.codeDefs(pc, func(r uint16) { live[r/64] &^= 1 << (r % 64) })
			if matters {
				p.codeUses(pc, func(r uint16) { live[r/64] |= 1 << (r % 64) })
			}
			for i, w := range at(pc) {
				if live[i] != w {
					changed = true
				}
			}
			copy(at(pc), live)
		}
	}
	for pc := from; pc < to; pc++ {
		if z.before != nil {
			z.before[pc] = members(at(pc))
		}
		op := p.code[pc].op
		if op < opLoad && op != opCall && op != opCallAddr {
			continue
		}
		z.liveOut(pc, at, live)
		if op != opAlloca { // that knows its result before it stops
			p.codeDefs(pc, func(r uint16) { live[r/64] &^= 1 << (r % 64) })
		}
		p.codeHolds(pc, func(r uint16) { live[r/64] |= 1 << (r % 64) })
		z.live[pc] = members(live)
	}
}

// members returns the registers in a set, in ascending order.
func members(set []uint64) []uint16 {
	list := []uint16{}
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			if r := uint16(i*64 + bits.TrailingZeros64(w)); r >= frameHeader {
				list = append(list, r)
			}
		}
	}
	return list
}

// liveOut sets live to the registers that are live after the instruction at pc, given those before each.
func (z *Freezer) liveOut(pc int, at func(int) []uint64, live []uint64) {
	clear(live)
	z.p.codeSuccs(pc, func(s int) {
		for i, w := range at(s) {
			live[i] |= w
		}
	})
}

// codeSuccs calls f for every instruction of the same function that may come after the one at pc.
func (p *Program) codeSuccs(pc int, f func(int)) {
	in := &p.code[pc]
	switch in.op {
	case opJmp:
		f(int(in.t))
	case opBr, opBrEQ, opBrNE, opBrULT, opBrULE, opBrSLT, opBrSLE:
		f(int(in.t))
		f(int(in.u))
	case opSwitch:
		for _, t := range p.switches[in.t].targets {
			f(int(t))
		}
	case opRet, opExit, opRetry, opEnded, opFailNow, opFailCall, opError, opErrorText, opTrap:
	default:
		f(pc + 1)
	}
}

// codeUses calls f for every register that the instruction at pc reads, or more, except for spin detection.
func (p *Program) codeUses(pc int, f func(uint16)) {
	in := &p.code[pc]
	f(in.a)
	f(in.b)
	f(in.c)
	switch {
	case in.op == opWide:
		p.wides[in.t].uses(f)
	case in.op >= opLoad && in.op <= opCAS && in.flags&flagWide != 0:
		p.wides[in.u].uses(f)
	case in.op == opCall || in.op == opCallAddr:
		for _, a := range p.calls[in.t].args {
			f(a.reg)
		}
	case in.op == opWords || in.op == opErrorText:
		for _, a := range p.calls[in.u].args {
			f(a.reg)
		}
	case in.op == opRet:
		for _, a := range p.rets[in.t] {
			f(a.reg)
		}
	case in.op == opGet || in.op == opSet:
		o := &p.arrays[in.t]
		for _, r := range o.elements {
			f(r)
		}
		f(o.set)
	case in.op == opUnrollCheck:
		f(in.dst)
	case in.op == opMask:
		m := &p.maskOps[in.t]
		for i, o := range m.values {
			f(o.reg)
			f(m.masks[i])
		}
	}
	p.maskUses(pc, f)
}

// maskUses calls f for every mask that the instruction at pc reads.
func (p *Program) maskUses(pc int, f func(uint16)) {
	in := &p.code[pc]
	switch {
	case p.masks == nil:
	case in.op == opCall || in.op == opCallAddr:
		for _, m := range p.calls[in.t].masks {
			f(m)
		}
	case in.op == opRet:
		for _, m := range p.retMasks[in.t] {
			f(m)
		}
	case in.flags&flagUndef != 0:
		f(p.masks[pc].data)
	}
}

func (w *wideOp) uses(f func(uint16)) {
	f(w.a)
	f(w.b)
	f(w.c)
	if w.wideA {
		f(w.aHi)
	}
	if w.wideB {
		f(w.bHi)
	}
	if w.wideC {
		f(w.cHi)
	}
}

// codeDefs calls f for registers that the instruction at pc always writes.
func (p *Program) codeDefs(pc int, f func(uint16)) {
	in := &p.code[pc]
	switch {
	case in.op == opCall || in.op == opCallAddr:
		for _, r := range p.calls[in.t].results {
			f(r)
		}
		for _, r := range p.calls[in.t].maskResults {
			f(r)
		}
	case in.op == opMask:
		for _, r := range p.maskOps[in.t].dst {
			f(r)
		}
	case in.op == opWide:
		w := &p.wides[in.t]
		f(w.dst)
		if w.wideDst {
			f(w.dstHi)
		}
	case in.op >= opMov && in.op < opJmp, in.op == opCreate, in.op == opJoin, in.op == opChoose, in.op == opSRCU, in.op == opSize, in.op == opNext, in.op == opAlloc, in.op == opAlloca:
		f(in.dst)
	case in.op == opLoad, in.op == opRMW:
		f(in.dst)
		if in.flags&flagWide != 0 {
			f(p.wides[in.u].dstHi)
		}
	case in.op == opCAS:
		f(in.dst)
		f(in.dst2)
		if in.flags&flagWide != 0 {
			f(p.wides[in.u].dstHi)
		}
	case in.op == opMemCpy, in.op == opMemSet:
		f(in.dst)
		f(in.dst2)
		if in.op == opMemCpy {
			f(uint16(in.u))
		}
	}
	if in.flags&flagUndef != 0 && (in.op == opLoad || in.op == opJoin) {
		f(p.masks[pc].dst)
	}
}

// codeHolds calls f for every register that the instruction at pc reads when it is resumed.
// An access in pieces reads more, see pieces.
func (p *Program) codeHolds(pc int, f func(uint16)) {
	in := &p.code[pc]
	switch in.op {
	case opCAS:
		f(in.b)
		if in.flags&flagWide != 0 {
			f(p.wides[in.u].b)
			f(p.wides[in.u].bHi)
		}
	case opMemCpy, opMemSet:
		f(in.a)
		f(in.b)
		f(in.c)
		f(in.dst)
		f(in.dst2)
		if in.op == opMemCpy {
			f(uint16(in.u))
		} else if in.flags&flagUndef != 0 {
			f(p.masks[pc].data)
		}
	}
}

// pieces returns the registers that a load or store in pieces, at pc, needs besides.
func (p *Program) pieces(pc uint32) (more [3]uint16, n int) {
	in := &p.code[pc]
	switch in.op {
	case opLoad:
		more, n = [3]uint16{in.a, in.dst}, 2
		if in.flags&flagUndef != 0 {
			more[2], n = p.masks[pc].dst, 3
		}
	case opStore:
		more, n = [3]uint16{in.a, in.b}, 2
		if in.flags&flagUndef != 0 {
			more[2], n = p.masks[pc].data, 3
		}
	}
	return more, n
}

// A Part says which frame of a thread is meant.
type Part uint8

const (
	Caller  Part = iota // the frame of a function that has called another
	Stopped             // the top frame of a thread at an action
	Waiting             // … of one that a Lazy stopped before an instruction
)

// Top appends the words of the frame s to buf, without the frames of its callers: the first of
// them is parent, 0 if there is none.
func (z *Freezer) Top(a *Arena, s State, part Part, buf []uint64) (words []uint64, parent State) {
	f := a.words[s:]
	code := f[frameCode]
	pc := uint32(code)
	thread := f[frameThread]
	if part == Caller {
		thread &= depthMask << depthShift
	}
	buf = append(buf, uint64(pc), thread)
	for _, r := range z.registers(pc, part) {
		buf = append(buf, f[r])
	}
	if thread&phaseMask != 0 {
		more, n := z.p.pieces(pc)
		for _, r := range more[:n] {
			buf = append(buf, f[r])
		}
	}
	return buf, State(code >> 32)
}

// registers returns what a frame keeps at pc.
func (z *Freezer) registers(pc uint32, part Part) []uint16 {
	if part == Waiting {
		return z.before[pc]
	}
	if z.wanted != nil {
		i, found := slices.BinarySearch(z.entries, int(pc))
		if !found {
			i--
		}
		if i >= 0 { // otherwise it is not a function that a thread could be in
			z.wanted[i].Do(func() { z.analyse(z.entries[i], z.entries[i+1]) })
		}
	}
	return z.live[pc]
}

// InPieces reports whether the words are of a frame that is at a piece of an access.
func InPieces(words []uint64) bool { return words[1]&phaseMask != 0 }

// AtPiece reports whether s is at a piece of an access, and how many bytes of it were accessed before.
func (p *Program) AtPiece(a *Arena, s State) (done uint8, ok bool) {
	r := a.frame(int(s))
	return phase(r), r[frameThread]&phaseMask != 0
}

// Thaw makes the frame that Top froze, above parent.
func (z *Freezer) Thaw(a *Arena, words []uint64, part Part, parent State) State {
	base := max(a.top, 1)
	a.reserve(base)
	f := a.frame(base)
	pc := uint32(words[0])
	in := &z.p.code[pc]
	n := in.live
	if words[1]&phaseMask != 0 || part == Waiting {
		n = in.frame
	}
	for i := range n {
		f[i] = deadWord
	}
	f[frameCode] = uint64(pc) | uint64(parent)<<32
	f[frameThread] = words[1]
	f[frameClock], f[frameZero] = 0, 0
	live := z.registers(pc, part)
	for i, r := range live {
		f[r] = words[2+i]
	}
	if words[1]&phaseMask != 0 {
		more, k := z.p.pieces(pc)
		for i, r := range more[:k] {
			if r >= frameHeader {
				f[r] = words[2+len(live)+i]
			}
		}
	}
	a.top = base + int(n)
	return State(base)
}

// deadWord is what Thaw gives to registers that are not live: tests change it.
var deadWord uint64

// Pos returns where the thread of s is stopped.
func (p *Program) Pos(a *Arena, s State) ir.Pos { return p.code[uint32(a.words[s+frameCode])].pos }

// Depth returns how many callers a frozen frame has.
func Depth(words []uint64) int { return int(words[1] >> depthShift & depthMask) }

// PC returns where the frame of s is in the program.
func (a *Arena) PC(s State) uint32 { return uint32(a.words[s+frameCode]) }

// Caller returns the frame that called the one of s, 0 if it is the first of its thread.
func (a *Arena) Caller(s State) State { return State(a.words[s+frameCode] >> 32) }

// BlockingCaller reports whether the words are of a frame that has called another to wait for others. It is not known if that depends on its own caller.
func (p *Program) BlockingCaller(words []uint64) (yes, known bool) {
	of := p.realmAt(int32(uint32(words[0])))
	return of == blocks, of != callers
}

// Blocking reports whether the thread is inside a function that waits for others, such as a lock. It is not known if none of its frames in the arena says.
func (p *Program) Blocking(a *Arena, s State) (yes, known bool) {
	r := a.frame(int(s))
	pc := int32(uint32(r[frameCode]))
	for pos := p.code[pc].pos; pos != ir.NoPos; pos = p.src.Positions[pos].InlinedAt {
		if p.IsOwn(pos) { // what of the library was inlined there is Private
			return false, true
		}
	}
	of := cmp.Or(p.funcOf(pc).realm, p.callerOf(a, r))
	return of == blocks, of != callers
}
