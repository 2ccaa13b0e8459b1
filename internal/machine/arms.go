package machine

import (
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/ir"
)

// A branch orders the writes after it on all processors, so CtrlDep has the reads that any earlier branch tested. The Linux kernel's model has a
// control dependency only where the write stands inside an arm of the `if`. With Options.Arms, OpenDep has the reads that the
// branches tested whose arms have not ended.
//
// Nothing is in the arm of an assumption: it is like `if (!r) return;`.
//
// The arms of a branch end at its immediate post-dominator; where the next round of a loop around it begins; and where the source says
// so: what follows `if (r) return;` is in none of its arms, though the control flow graph is that of `if (r) { } else …`. The
// debug information knows it: an `if` has a scope of its own. A function that does not return ends with the rounds of its loops.
//
// addArms numbers the branches and marks the ends. After the other passes, addShadows gives each branch a register for
// the reads that it has tested, which is cleared where its arms end. OpenDep is the union of these registers and of frameOpen, the OpenDep of
// the call.

// addArms numbers the branches of f and marks where their arms end.
func (f *fn) addArms(in scopes) {
	_, back := f.postorder()
	after := f.postDominators(back)
	ends := make([][]int, len(f.blocks))
	loops := []*loop{}
	for _, h := range headersOf(back) {
		loops = append(loops, f.loop(h, back))
	}
	for bi, b := range f.blocks {
		if op := b.last().Op; op != ir.CondBr && op != ir.Switch {
			continue
		}
		f.arms++
		b.last().arm = f.arms
		stop := make([]bool, len(f.blocks))
		if after[bi] >= 0 {
			stop[after[bi]] = true
		} else {
			f.unended = append(f.unended, f.arms)
		}
		for _, l := range loops {
			stop[l.header] = stop[l.header] || l.body[bi]
		}
		f.leaveScope(b, in, stop)
		for i, yes := range stop {
			if yes {
				at := f.pastEmpty(i)
				ends[at] = append(ends[at], f.arms)
			}
		}
	}
	for i, list := range ends {
		marks := make([]instr, 0, len(list))
		for _, arm := range list {
			marks = append(marks, armEnd(arm))
		}
		f.blocks[i].instrs = slices.Insert(f.blocks[i].instrs, 0, marks...)
	}
}

// pastEmpty returns the block that does something to which block i, if it does nothing, jumps. No arm is open for longer if it ends there.
func (f *fn) pastEmpty(i int) int {
	for range f.blocks {
		if b := f.blocks[i]; len(b.instrs) > 1 || b.last().Op != ir.Br {
			break
		}
		i = f.blocks[i].last().Targets[0]
	}
	return i
}

func armEnd(arm int) instr {
	return instr{Instr: ir.Instr{Op: midArmEnd, Dst: ir.NoReg, Dst2: ir.NoReg}, arm: arm}
}

// postDominators returns the immediate post-dominator of each block, -1 if there is none. Where a function can't return any more, the end of a
// loop's round counts as its end. Blocks that fail come to no end, and do not count.
func (f *fn) postDominators(back map[[2]int]bool) []int {
	n := len(f.blocks)
	preds := f.preds()
	comes := make([]bool, n) // to an end
	reach := func(b int) {
		work := []int{b}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !comes[b] {
				comes[b] = true
				work = append(work, preds[b]...)
			}
		}
	}
	final := make([]bool, n)
	for i, b := range f.blocks {
		if b.last().Op == ir.Ret {
			final[i] = true
			reach(i)
		}
	}
	for i := range f.blocks {
		for _, s := range f.blocks[i].succs() {
			if !comes[i] && back[[2]int{i, s}] {
				final[i] = true
				reach(i)
			}
		}
	}
	sets, sizes := f.postDominating(final, comes)
	list := make([]int, n)
	for i := range list {
		list[i] = -1
		if !comes[i] {
			continue
		}
		sets[i].Each(func(p ir.Reg) {
			if int(p) != i && sizes[p] == sizes[i]-1 {
				list[i] = int(p)
			}
		})
	}
	return list
}

// postDominating returns the blocks that are on every path from each block to a final one, and how many they are.
func (f *fn) postDominating(final, comes []bool) ([]regset, []int) {
	n := len(f.blocks)
	sets := make([]regset, n)
	for i := range sets {
		sets[i] = bitset.New[ir.Reg](n)
		for k := range n {
			sets[i].Add(ir.Reg(k))
		}
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			next := bitset.New[ir.Reg](n)
			if !final[i] {
				for k := range next {
					next[k] = ^uint64(0)
				}
				for _, s := range f.blocks[i].succs() {
					for k := range next {
						if comes[s] {
							next[k] &= sets[s][k]
						}
					}
				}
			}
			next.Add(ir.Reg(i))
			for k := range next {
				if next[k] &= sets[i][k]; next[k] != sets[i][k] {
					changed = true
				}
			}
			sets[i] = next
		}
	}
	sizes := make([]int, n)
	for i := range sets {
		sets[i].Each(func(ir.Reg) { sizes[i]++ })
	}
	return sets, sizes
}

// scopes are those of the source.
type scopes struct{ src *ir.Program }

// of returns the scope of a position in the function itself, 0 if it is not known.
func (s scopes) of(pos ir.Pos) int {
	for pos != ir.NoPos && s.src.Positions[pos].InlinedAt != ir.NoPos {
		pos = s.src.Positions[pos].InlinedAt
	}
	return s.src.Positions[pos].Scope
}

// contains reports whether scope x is in scope y, or is y.
func (s scopes) contains(y, x int) bool {
	for x != y && x != 0 {
		x = s.src.Scopes[x].Parent
	}
	return x == y
}

// leaveScope adds to stop the blocks behind b, up to those in stop, where the source has left what the branch at the end of b has arms in.
func (f *fn) leaveScope(b *block, in scopes, stop []bool) {
	last := b.last()
	around := in.of(last.Pos)
	if last.Op == ir.CondBr { // the condition of an if is in the scope of the if, the branch need not be
		for i := range b.instrs {
			if x := &b.instrs[i]; x.Dst == last.A.Reg && x.Dst != ir.NoReg {
				around = in.of(x.Pos)
			}
		}
	}
	if around == 0 {
		return
	}
	left := func(b *block) bool {
		for i := range b.instrs {
			if s := in.of(b.instrs[i].Pos); s != 0 {
				// The body of a switch has a scope of its own.
				return !in.contains(around, s) || last.Op == ir.Switch && s == around
			}
		}
		return false
	}
	seen := make([]bool, len(f.blocks))
	work := slices.Clone(b.succs())
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] || stop[i] {
			continue
		}
		seen[i] = true
		if stop[i] = left(f.blocks[i]); !stop[i] {
			work = append(work, f.blocks[i].succs()...)
		}
	}
}

// openArms returns for each block the branches whose arms may be open where it begins.
func (f *fn) openArms() []regset {
	open := make([]regset, len(f.blocks))
	for i := range open {
		open[i] = bitset.New[ir.Reg](f.arms + 1)
	}
	for changed := true; changed; {
		changed = false
		for i, b := range f.blocks {
			at := slices.Clone(open[i])
			for k := range b.instrs {
				b.instrs[k].moveArms(at)
			}
			for _, s := range b.succs() {
				changed = open[s].Join(at) || changed
			}
		}
	}
	return open
}

// moveArms makes open, the branches whose arms are open before x, those whose arms are open after it.
func (x *instr) moveArms(open regset) {
	switch x.Op {
	case midArmEnd:
		open.Remove(ir.Reg(x.arm))
	case ir.CondBr, ir.Switch:
		open.Add(ir.Reg(x.arm))
	}
}
