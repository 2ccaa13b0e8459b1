package machine

import (
	"ravel/internal/bitset"
	"ravel/internal/event"
)

// Ahead knows which instructions that write to memory a stopped thread may still come to, by the control flow of the code. The instructions are numbered. One
// per worker.
type Ahead struct {
	p      *Program
	number []int32    // by pc: the number of an instruction that writes
	pcs    []int32    // by number
	after  []*reached // by the pc that a frame goes on at
	near   []*reached // those that no barrier comes before
	bare   []*reached // those that no acquire fence comes before

	loose         []Looseness // by number
	preds         [][]int32   // by pc, within the function
	callers, rets [][]int32   // by function
	entries       map[int32]int32
	indirect      bool // there are calls of functions that are not known

	expected map[expectation]bool // see mayExpect
}

// A WriteSet is a set of instructions that write.
type WriteSet = bitset.Set[int32]

// reached are the writes that follow a place in a function, those of the functions that are called included.
type reached struct {
	writes WriteSet
	any    bool // there is a call of a function that is not known: it may be any
	ends   bool // so does the end of a function
}

// NewAhead returns an Ahead for p.
func (p *Program) NewAhead() *Ahead {
	h := &Ahead{p: p, number: make([]int32, len(p.code)), after: make([]*reached, len(p.code)+1), near: make([]*reached, len(p.code)+1), bare: make([]*reached, len(p.code)+1)}
	for pc := range p.code {
		switch p.code[pc].op {
		case opStore, opRMW, opCAS, opMemCpy, opMemSet:
			h.number[pc] = int32(len(h.pcs))
			h.pcs = append(h.pcs, int32(pc))
		}
	}
	return h
}

// NewSet returns an empty set.
func (h *Ahead) NewSet() WriteSet { return bitset.New[int32](len(h.pcs)) }

// Every returns the set of all instructions that write.
func (h *Ahead) Every() WriteSet {
	set := h.NewSet()
	for number := range h.pcs {
		set.Add(int32(number))
	}
	return set
}

// Releases returns the set of the instructions that write with release order or a stronger one.
func (h *Ahead) Releases() WriteSet {
	set := h.NewSet()
	for number, pc := range h.pcs {
		switch in := &h.p.code[pc]; in.op {
		case opStore, opRMW, opCAS:
			if h.p.actions[in.t].Mode.IsRel() {
				set.Add(int32(number))
			}
		}
	}
	return set
}

// Unlike returns the set of the instructions that never write the value v of this size with this mode, as a part of a read-modify-write or not.
func (h *Ahead) Unlike(mode event.Mode, rmw bool, size uint8, v event.Value) WriteSet {
	set := h.NewSet()
	for number, pc := range h.pcs {
		in := &h.p.code[pc]
		reg, val := in.b, in.ib
		switch {
		case in.op == opCAS && h.p.actions[in.t].RMW == event.CAS:
			reg, val = in.c, in.ic
		case in.op == opRMW, in.op == opCAS:
			reg = frameClock // it depends on what is read
		case in.op == opMemCpy, in.op == opMemSet:
			if rmw || mode != event.NA {
				set.Add(int32(number))
			}
			continue
		}
		constant := reg == frameZero && in.size == size && in.flags&(flagWide|flagUndef) == 0 // a smaller piece may have another value
		if rmw != (in.op != opStore) || mode != h.p.actions[in.t].Mode || constant && v != (event.Value{Lo: val}) {
			set.Add(int32(number))
		}
	}
	return set
}

// At returns the number of the instruction that the thread of s, which is about to write, is at.
func (h *Ahead) At(a *Arena, s State) int32 { return h.number[a.PC(s)] }

// May reports whether the thread of s may still come to an instruction that is in the set all, or not in the set but.
func (h *Ahead) May(a *Arena, s State, all, but WriteSet) bool {
	return h.may(a, s, all, but, h.after, nil)
}

// MayNear is May for what the thread may come to before a barrier: one that rpo (docs/xmm.md) puts after all that is before it, and before all that is after it.
func (h *Ahead) MayNear(a *Arena, s State, all, but WriteSet) bool {
	return h.may(a, s, all, but, h.near, h.barrier)
}

// MayUnfenced is May for what the thread may come to before an acquire fence, or a barrier.
func (h *Ahead) MayUnfenced(a *Arena, s State, all, but WriteSet) bool {
	return h.may(a, s, all, but, h.bare, h.acquireFence)
}

// may is May for what comes before an instruction for which ends holds, unless that is nil.
func (h *Ahead) may(a *Arena, s State, all, but WriteSet, known []*reached, ends func(*insn) bool) bool {
	if s == 0 {
		return true
	}
	for pc := a.PC(s); ; pc = a.PC(s) + 1 {
		r := h.from(pc, known, ends)
		if r.any {
			return true
		}
		for i, w := range r.writes {
			if w&(all[i]|^but[i]) != 0 {
				return true
			}
		}
		if s = a.Caller(s); s == 0 || ends != nil && !r.ends {
			return false
		}
	}
}

// from returns what is reached from pc.
func (h *Ahead) from(pc uint32, known []*reached, ends func(*insn) bool) *reached {
	r := known[pc]
	if r == nil {
		known[pc] = &reached{writes: h.NewSet(), any: true, ends: true} // of a function that calls itself nothing is known
		r = h.walk(pc, known, ends)
		known[pc] = r
	}
	return r
}

// barrier reports whether the instruction is a barrier.
func (h *Ahead) barrier(in *insn) bool {
	switch in.op {
	case opFence, opStore, opRMW:
		mode := h.p.actions[in.t].Mode
		return mode.IsRel() && mode.IsAcq()
	}
	return false
}

// acquireFence reports whether the instruction is an acquire fence or a barrier.
func (h *Ahead) acquireFence(in *insn) bool {
	return in.op == opFence && h.p.actions[in.t].Mode.IsAcq() || h.barrier(in)
}

// AddAfter adds to the set the writes that the thread of s, which is about to read, may come to after this read. The write of the same read-modify-write is not one of them, unless it is
// performed again.
func (h *Ahead) AddAfter(a *Arena, s State, set WriteSet) {
	pc := a.PC(s)
	if op := h.p.code[pc].op; op == opRMW || op == opCAS {
		pc++
	}
	h.addFrom(a, s, pc, set)
}

// addFrom adds to the set the writes that the thread of s may come to if it goes on at pc.
func (h *Ahead) addFrom(a *Arena, s State, pc uint32, set WriteSet) {
	for ; ; pc = a.PC(s) + 1 {
		r := h.from(pc, h.after, nil)
		set.Join(r.writes)
		for number := int32(0); r.any && int(number) < len(h.pcs); number++ {
			set.Add(number)
		}
		if s = a.Caller(s); s == 0 {
			return
		}
	}
}

// walk returns what follows pc, the instruction there included: what comes before an instruction for which ends holds, unless that is nil.
func (h *Ahead) walk(pc uint32, known []*reached, ends func(*insn) bool) *reached {
	p := h.p
	r := &reached{writes: h.NewSet()}
	seen := bitset.New[uint32](len(p.code))
	seen.Add(pc)
	todo := []uint32{pc}
	visit := func(at int) {
		if !seen.Has(uint32(at)) {
			seen.Add(uint32(at))
			todo = append(todo, uint32(at))
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		in := &p.code[at]
		switch in.op {
		case opStore, opRMW, opCAS, opMemCpy, opMemSet:
			r.writes.Add(h.number[at])
		case opCall:
			entry := p.funcs[p.calls[in.t].fn].entry
			if ends == nil {
				visit(int(entry))
				break
			}
			called := h.from(uint32(entry), known, ends)
			r.writes.Join(called.writes)
			r.any = r.any || called.any
			if !called.ends {
				continue
			}
		case opCallAddr:
			r.any = true
		case opRet:
			r.ends = true
		}
		if ends != nil && ends(in) {
			continue
		}
		p.codeSuccs(int(at), visit)
	}
	return r
}

// Loose returns which reads may come before the write of this number in a way that no mode or fence between them orders them, as rpo does
// (docs/xmm.md). It follows the code backwards. It takes calls for the worst of what they may do.
func (h *Ahead) Loose(number int32) Looseness {
	if h.loose == nil {
		h.loose = make([]Looseness, len(h.pcs))
	}
	if h.loose[number] == unknownLoose {
		h.loose[number] = h.findLoose(number)
	}
	return h.loose[number]
}

// A Looseness is which reads before a write are not before it in rpo.
type Looseness uint8

const (
	unknownLoose Looseness = iota
	LooseNone              // none
	LooseOwn               // only the read of the same read-modify-write
	LooseAny               // maybe others
)

// A backPoint is a place that a write was followed back to, without the instruction there: fenced if an acquire fence comes after it, so that atomic reads before it are ordered.
type backPoint struct {
	pc     int32
	fenced bool
}

func (h *Ahead) findLoose(number int32) Looseness {
	p := h.p
	h.findPreds()
	at := h.pcs[number]
	plain := p.code[at].op == opMemSet
	least := LooseNone
	switch p.code[at].op {
	case opMemCpy:
		return LooseAny // it reads, too
	case opRMW, opCAS, opStore:
		mode := p.actions[p.code[at].t].Mode
		switch {
		case mode.IsRel():
			return LooseNone
		case p.code[at].op == opStore:
			plain = mode == event.NA
		case !mode.IsAcq():
			least = LooseOwn
		}
	}
	seen := map[backPoint]bool{}
	todo := []backPoint{{at, false}}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if f, ok := h.entries[b.pc]; ok {
			if h.indirect {
				return LooseAny
			}
			for _, q := range h.callers[f] {
				todo = append(todo, backPoint{q, b.fenced})
			}
		}
		for _, q := range h.preds[b.pc] {
			in := &p.code[q]
			next := backPoint{q, b.fenced}
			switch in.op {
			case opMemCpy, opCallAddr:
				return LooseAny
			case opLoad, opRMW, opCAS:
				act := &p.actions[in.t]
				weak := !act.Mode.IsAcq() || in.op == opCAS && !act.Fail.IsAcq()
				if weak && (!b.fenced || act.Mode == event.NA) {
					return LooseAny
				}
				if in.op == opRMW && act.Mode.IsRel() {
					continue // all that is before it is ordered
				}
			case opStore:
				if mode := p.actions[in.t].Mode; mode.IsRel() && mode.IsAcq() {
					continue
				}
			case opFence:
				mode := p.actions[in.t].Mode
				if mode.IsRel() && (mode.IsAcq() || !plain) {
					continue
				}
				next.fenced = next.fenced || mode.IsAcq()
			case opCall:
				for _, ret := range h.rets[p.calls[in.t].fn] {
					todo = append(todo, backPoint{ret, b.fenced})
				}
			}
			todo = append(todo, next)
		}
	}
	return least
}

// findPreds computes what comes before the instructions.
func (h *Ahead) findPreds() {
	if h.preds != nil {
		return
	}
	p := h.p
	h.preds = make([][]int32, len(p.code))
	h.callers, h.rets, h.entries = make([][]int32, len(p.funcs)), make([][]int32, len(p.funcs)), map[int32]int32{}
	for f := range p.funcs {
		h.entries[p.funcs[f].entry] = int32(f)
	}
	for pc := range p.code {
		p.codeSuccs(pc, func(next int) { h.preds[next] = append(h.preds[next], int32(pc)) })
		switch in := &p.code[pc]; in.op {
		case opCall:
			fn := p.calls[in.t].fn
			h.callers[fn] = append(h.callers[fn], int32(pc))
		case opCallAddr:
			h.indirect = true
		case opRet:
			f := p.funcOf(int32(pc))
			h.rets[h.entries[f.entry]] = append(h.rets[h.entries[f.entry]], int32(pc))
		}
	}
}
