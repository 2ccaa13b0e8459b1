package machine

import (
	"math/bits"

	"ravel/internal/ir"
)

// A regset is a set of registers.
type regset []uint64

func newRegset(n int) regset       { return make(regset, (n+63)/64) }
func (s regset) add(r ir.Reg)      { s[r/64] |= 1 << (r % 64) }
func (s regset) remove(r ir.Reg)   { s[r/64] &^= 1 << (r % 64) }
func (s regset) has(r ir.Reg) bool { return s[r/64]>>(r%64)&1 != 0 }

// join adds the registers of t, and reports whether there were any new ones.
func (s regset) join(t regset) (more bool) {
	for i, w := range t {
		more = more || w&^s[i] != 0
		s[i] |= w
	}
	return more
}

// common returns how many registers are in both sets.
func (s regset) common(t regset) (n int) {
	for i := range min(len(s), len(t)) {
		n += bits.OnesCount64(s[i] & t[i])
	}
	return n
}

func (s regset) each(f func(ir.Reg)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(ir.Reg(i*64 + bits.TrailingZeros64(w)))
		}
	}
}

// liveness returns the registers that are live where each block begins and ends.
func (f *fn) liveness() (in, out []regset) {
	n := len(f.blocks)
	in, out = make([]regset, n), make([]regset, n)
	use, def := make([]regset, n), make([]regset, n)
	preds := make([][]int, n)
	for i, b := range f.blocks {
		in[i], out[i], use[i], def[i] = newRegset(f.regs), newRegset(f.regs), newRegset(f.regs), newRegset(f.regs)
		for k := range b.instrs {
			b.instrs[k].uses(func(r ir.Reg) {
				if !def[i].has(r) {
					use[i].add(r)
				}
			})
			b.instrs[k].defs(def[i].add)
		}
		for _, s := range b.succs() {
			preds[s] = append(preds[s], i)
		}
	}
	work := make([]int, n)
	queued := make([]bool, n)
	for i := range work {
		work[i], queued[i] = i, true
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work, queued[i] = work[:len(work)-1], false
		for _, s := range f.blocks[i].succs() {
			for w := range out[i] {
				out[i][w] |= in[s][w]
			}
		}
		changed := false
		for w := range in[i] {
			x := use[i][w] | out[i][w]&^def[i][w]
			changed = changed || x != in[i][w]
			in[i][w] = x
		}
		if !changed {
			continue
		}
		for _, q := range preds[i] {
			if !queued[q] {
				work, queued[q] = append(work, q), true
			}
		}
	}
	return in, out
}
