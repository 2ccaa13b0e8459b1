package machine

import (
	"slices"

	"ravel/internal/ir"
)

// Tail calls.
//
//	bool push(node *n) { n->next = top; return CAS(&top, n->next, n) || push(n); }
//
// A function that tries again by calling itself, and returns what that returns, goes round a loop. As a loop it needs no new frame for each round, and a thread that waits in it is recognised (spin.go).

// loopTailCalls makes jumps to the entry of calls of f itself after which f only returns what they return. It reports whether there were some. None is left of the local
// variables of f that have an address: they would be others in each call.
func (c *compiler) loopTailCalls(f *fn) (changed bool) {
	if f.tracksArms || f.va || slices.ContainsFunc(f.blocks, func(b *block) bool {
		return slices.ContainsFunc(b.instrs, func(x instr) bool { return x.Op == ir.Alloca })
	}) {
		return false
	}
	for _, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			if x.Op == ir.Call && x.Callee != nil && c.fns[x.Callee] == f && f.accepts(x) && len(x.Args) >= len(f.params) && f.returnsResults(b, i) {
				b.instrs = append(b.instrs[:i:i], f.enterAgain(x)...)
				changed = true
				break
			}
		}
	}
	return changed
}

// A heldResult is which result of a call a register holds, and how many of its bits.
type heldResult struct {
	result int
	bits   uint8
}

// returnsResults reports whether, after the call at instruction i of block b, f does nothing but return the results of the call. A result of type bool is stored as a byte and cut to a bit
// again where f returns. If f returns at one place only, the result of the call has come from there, and has one bit already.
func (f *fn) returnsResults(b *block, i int) bool {
	held := map[ir.Reg]heldResult{}
	for k, r := range b.instrs[i].Results {
		held[r] = heldResult{k, 64}
	}
	for range f.blocks {
		cut := map[ir.Reg]uint8{} // by register: to how many bits this block has cut it
		for i++; i < len(b.instrs)-1; i++ {
			x := &b.instrs[i]
			h, ok := held[x.A.Reg]
			bits := uint8(64)
			switch {
			case x.Op == ir.Copy && x.Width <= 64:
			case x.Op == ir.ZExt && x.To <= 64:
				bits = x.Width
			case x.Op == ir.Trunc && x.Width <= 64:
				bits = x.To
				cut[x.Dst] = bits
			default:
				return false
			}
			if delete(held, x.Dst); ok && x.A.Imm == 0 {
				held[x.Dst] = heldResult{h.result, min(h.bits, bits)}
			}
		}
		last := b.last()
		switch last.Op {
		case ir.Br:
			b, i = f.blocks[last.Targets[0]], -1
		case ir.Ret:
			for k, a := range last.Args {
				h, ok := held[a.Reg]
				if !ok || h.result != k || a.Imm != 0 || h.bits < 64 && (cut[a.Reg] != h.bits || f.returns() > 1) {
					return false
				}
			}
			return true
		default:
			return false
		}
	}
	return false
}

// returns counts the places where f returns.
func (f *fn) returns() (n int) {
	for _, b := range f.blocks {
		if b.last().Op == ir.Ret {
			n++
		}
	}
	return n
}

// enterAgain returns what takes the place of a call of f by itself: its parameters get their values, what is 0 in a new frame is 0, and f begins again.
func (f *fn) enterAgain(call *instr) []instr {
	var first, second []instr
	for k, r := range f.params {
		t := f.newReg()
		first = append(first, copyTo(t, call.Args[k], call.Pos))
		second = append(second, copyTo(r, ir.R(t), call.Pos))
	}
	in, _ := f.liveness()
	in[0].Each(func(r ir.Reg) {
		if !slices.Contains(f.params, r) {
			second = append(second, copyTo(r, ir.Imm(0), call.Pos))
		}
	})
	return append(append(first, second...), jump(0, call.Pos))
}
