package machine

import (
	"encoding/binary"
	"slices"
)

// This file has the ways that a thread of a Forecast may go: branches, calls and returns.

// branch lets s take the ways of a branch that its operands allow. What is tested has the values that lead there.
func (r *forecaster) branch(s *foreState, in *insn) bool {
	var ways []foreState
	for _, taken := range []bool{true, false} {
		to := in.u
		if taken {
			to = in.t
		}
		n := foreState{to, s.slot, s.up, slices.Clone(s.regs), s.mem}
		a, b := r.operand(s, in.a, in.ia), r.operand(s, in.b, in.ib)
		equal := in.op == opBrEQ && taken || in.op == opBrNE && !taken
		switch {
		case equal && a == allValues:
			a = b
		case equal && b == allValues:
			b = a
		default:
			was := a
			a = r.v.filter(a, b, func(x, y uint64) bool { return in.takes(x, y) == taken })
			b = r.v.filter(b, was, func(y, x uint64) bool { return in.takes(x, y) == taken })
		}
		if a == noValues || b == noValues {
			continue
		}
		n.learn(in.a, in.ia, a)
		n.learn(in.b, in.ib, b)
		ways = append(ways, n)
	}
	return r.fork(s, ways)
}

// learn takes note that a register plus a constant has these values.
func (s *foreState) learn(reg uint16, imm uint64, v valueSet) {
	if reg != frameZero && imm == 0 && int(reg) < len(s.regs) && v != allValues {
		s.regs[reg] = v
	}
}

// switches is branch for a switch.
func (r *forecaster) switches(s *foreState, in *insn) bool {
	sw, a := &r.p.switches[in.t], r.operand(s, in.a, in.ia)
	var ways []foreState
	add := func(to int32, v valueSet) {
		if v == noValues {
			return
		}
		n := foreState{to, s.slot, s.up, slices.Clone(s.regs), s.mem}
		n.learn(in.a, in.ia, v)
		ways = append(ways, n)
	}
	for i, c := range sw.cases {
		if a == allValues || r.v.filter(a, r.v.one(c), func(x, y uint64) bool { return x == y }) != noValues {
			add(sw.targets[i], r.v.one(c))
		}
	}
	add(sw.targets[len(sw.cases)], r.v.filter(a, r.v.one(0), func(x, _ uint64) bool { return !slices.Contains(sw.cases, x) }))
	return r.fork(s, ways)
}

// fork lets s go on in one of the ways, and puts the others into todo.
func (r *forecaster) fork(s *foreState, ways []foreState) bool {
	if len(ways) == 0 {
		return false
	}
	*s = ways[0]
	r.todo = append(r.todo, ways[1:]...)
	return true
}

// call lets s enter the functions that it may call.
func (r *forecaster) call(s *foreState, in *insn) bool {
	c := &r.p.calls[in.t]
	fns := []*function{&r.p.funcs[c.fn]}
	if in.op == opCallAddr {
		fns = fns[:0]
		to := r.operand(s, in.a, in.ia)
		for _, at := range r.v.lists[to] {
			if !at.IsOne() {
				r.tooMuch = true
				return false
			}
			if f := r.p.funcAt(at.Lo); f != nil {
				fns = append(fns, f)
			}
		}
	}
	up := r.push(s)
	if r.frames[up].deep > maxCalls {
		r.tooMuch = true
		return false
	}
	var ways []foreState
	for _, fn := range fns {
		if !c.fits && c.misfit(fn) != "" {
			continue
		}
		params := len(fn.params)
		if fn.va {
			params--
		}
		var args []valueSet
		for _, a := range c.args[:params] {
			args = append(args, r.operand(s, a.reg, a.imm))
		}
		if fn.va {
			last := r.v.one(0)
			if c.va {
				a := c.args[len(c.args)-1]
				last = r.operand(s, a.reg, a.imm)
			}
			args = append(args, last)
		}
		ways = append(ways, foreState{fn.entry, s.slot, up, r.frame(fn, args), s.mem})
	}
	return r.fork(s, ways)
}

// push returns the frame of a call that s is at.
func (r *forecaster) push(s *foreState) int32 {
	r.key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(r.key[:0], uint32(s.pc)), uint32(s.up))
	live := s.regs[:min(int(r.p.code[s.pc].live), len(s.regs))]
	r.key = appendSets(r.key, live)
	up, ok := r.frameAt[string(r.key)]
	if !ok {
		up = int32(len(r.frames))
		r.frames = append(r.frames, foreFrame{s.pc, s.up, r.frames[s.up].deep + 1, slices.Clone(live)})
		r.frameAt[string(r.key)] = up
	}
	return up
}

// leave lets s return to its caller.
func (r *forecaster) leave(s *foreState, in *insn) bool {
	if s.up == 0 {
		return false
	}
	f := &r.frames[s.up]
	ret, call := r.p.rets[in.t], &r.p.calls[r.p.code[f.call].t]
	regs := make([]valueSet, r.p.code[f.call].frame)
	copy(regs, f.regs)
	regs[frameZero] = r.v.one(0)
	for i, reg := range call.results {
		regs[reg] = r.operand(s, ret[i].reg, ret[i].imm)
	}
	for _, reg := range call.maskResults {
		regs[reg] = allValues
	}
	*s = foreState{f.call + 1, s.slot, f.up, regs, s.mem}
	return true
}
