package machine

import (
	"ravel/internal/bitset"
	"ravel/internal/ir"
)

// A regset is a set of registers.
type regset = bitset.Set[ir.Reg]

// liveness returns the registers that are live where each block begins and ends.
func (f *fn) liveness() (in, out []regset) {
	n := len(f.blocks)
	in, out = make([]regset, n), make([]regset, n)
	use, def := make([]regset, n), make([]regset, n)
	preds := make([][]int, n)
	for i, b := range f.blocks {
		in[i], out[i], use[i], def[i] = bitset.New[ir.Reg](f.regs), bitset.New[ir.Reg](f.regs), bitset.New[ir.Reg](f.regs), bitset.New[ir.Reg](f.regs)
		for k := range b.instrs {
			b.instrs[k].uses(func(r ir.Reg) {
				if !def[i].Has(r) {
					use[i].Add(r)
				}
			})
			b.instrs[k].defs(def[i].Add)
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
