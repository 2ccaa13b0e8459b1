package machine

import (
	"slices"

	"ravel/internal/ir"
)

// preds returns the predecessors of each block; one that branches there twice is there once.
func (f *fn) preds() [][]int {
	preds := make([][]int, len(f.blocks))
	for i, b := range f.blocks {
		for _, s := range b.succs() {
			if n := len(preds[s]); n == 0 || preds[s][n-1] != i {
				preds[s] = append(preds[s], i)
			}
		}
	}
	return preds
}

// postorder returns the reachable blocks, each after its successors except for back edges,
// and the back edges: those to a block that the search has entered and not left.
func (f *fn) postorder() (order []int, back map[[2]int]bool) {
	back = map[[2]int]bool{}
	const (
		unseen = iota
		active
		done
	)
	state := make([]uint8, len(f.blocks))
	type item struct{ b, next int }
	stack := []item{{0, 0}}
	state[0] = active
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succs := f.blocks[top.b].succs()
		if top.next == len(succs) {
			state[top.b] = done
			order = append(order, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		// The last successor first: then the first one comes right after its block in reverse postorder.
		s := succs[len(succs)-1-top.next]
		top.next++
		switch state[s] {
		case unseen:
			state[s] = active
			stack = append(stack, item{s, 0})
		case active:
			back[[2]int{top.b, s}] = true
		}
	}
	return order, back
}

// tidy drops blocks that are not reachable, joins those that always follow each other, skips
// empty ones, and puts the rest in reverse postorder.
func (f *fn) tidy() {
	f.skipEmpty()
	f.join()
	order, _ := f.postorder()
	slices.Reverse(order)
	index := make([]int, len(f.blocks))
	blocks := make([]*block, len(order))
	for i, b := range order {
		index[b] = i
		blocks[i] = f.blocks[b]
	}
	for _, b := range blocks {
		t := b.last().Targets
		for i := range t {
			t[i] = index[t[i]]
		}
	}
	f.blocks = blocks
}

// skipEmpty redirects jumps to blocks that only jump on.
func (f *fn) skipEmpty() {
	for _, b := range f.blocks {
		t := b.last().Targets
		for i := range t {
			for n := 0; n < len(f.blocks); n++ {
				to := f.blocks[t[i]]
				if len(to.instrs) != 1 || to.last().Op != ir.Br || to.last().Targets[0] == t[i] {
					break
				}
				t[i] = to.last().Targets[0]
			}
		}
		if last := b.last(); last.Op == ir.CondBr && t[0] == t[1] && !f.deps && !f.undef {
			last.Op, last.Targets = ir.Br, t[:1]
		}
	}
}

// join appends to each block the one that it jumps to, if nothing else does.
func (f *fn) join() {
	count := make([]int, len(f.blocks))
	count[0] = 1
	order, _ := f.postorder()
	for _, i := range order {
		for _, s := range f.blocks[i].succs() {
			count[s]++
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		b := f.blocks[order[i]]
		for len(b.instrs) > 0 {
			last := b.last()
			if last.Op != ir.Br || count[last.Targets[0]] != 1 || f.blocks[last.Targets[0]] == b {
				break
			}
			to := f.blocks[last.Targets[0]]
			b.instrs = append(b.instrs[:len(b.instrs)-1], to.instrs...)
			to.instrs = []instr{{Instr: ir.Instr{Op: ir.Unreachable, Dst: ir.NoReg, Dst2: ir.NoReg}}}
		}
	}
}

// dominators returns the immediate dominator of each block, by Cooper, Harvey and Kennedy,
// "A simple, fast dominance algorithm". The blocks must be in reverse postorder, as tidy leaves them.
func (f *fn) dominators() []int {
	preds := f.preds()
	idom := make([]int, len(f.blocks))
	for i := range idom {
		idom[i] = -1
	}
	idom[0] = 0
	for changed := true; changed; {
		changed = false
		for b := 1; b < len(f.blocks); b++ {
			d := -1
			for _, q := range preds[b] {
				if idom[q] < 0 {
					continue
				}
				if d < 0 {
					d = q
					continue
				}
				x, y := q, d
				for x != y {
					for x > y {
						x = idom[x]
					}
					for y > x {
						y = idom[y]
					}
				}
				d = x
			}
			if d != idom[b] {
				idom[b] = d
				changed = true
			}
		}
	}
	return idom
}

// dominates reports whether block a is on every path to block b.
func dominates(idom []int, a, b int) bool {
	for b > a {
		b = idom[b]
	}
	return a == b
}
