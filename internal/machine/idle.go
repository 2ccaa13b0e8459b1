package machine

import (
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/ir"
)

// Idle code.
//
//	while (!try()) { for (i = 0; i < delay; i++) pause(); if (delay < max) delay *= 2; }
//
// How long a thread waits between two attempts makes no difference to what it does. But as long as delay is there, the thread is never in the state that it was in one round
// before, and its loop is no wait (spin.go). So what makes no difference is dropped.
//
// Definition. What matters is the least set of instructions and blocks such that
//
//	1. an instruction matters that is an action, other than a choice of a value, or may fail, and a return;
//	2. so does one that assigns a register which one that matters uses;
//	3. a block matters if one of its instructions does, or if it is the header of a loop that is not known to end (finite.go);
//	4. a branch matters if different blocks that matter may be the first ones after it;
//	5. a branch matters that tests what depends on something undefined, or, if dependencies or undefined bits are tracked, on something but constants and chosen values.
//
// Lemma. The thread does the same if the instructions that do not matter are dropped, and each branch that does not matter is a jump to the first block after it that does. Only choices that made no difference are missing.
//
// Proof. Let both threads be at the same place, with the same values in the registers that instructions which matter use. By 2, that stays so after an instruction that matters, and others assign none of
// these. A choice that does not matter, as the random length of a delay, is not seen by other threads either. At a branch that matters, both go the same way. At another one, by 4 there is only one block that matters to come to, unless the thread stays among blocks that do not matter for ever. Then it goes round a loop for
// ever, and by 3 that is finite. (Take the blocks that it comes to infinitely often. Each back edge among them leads to a header that dominates where it comes from, else that would matter. So one of the headers
// dominates all of them, and their loop does not end.) By 5, a branch that does not matter adds nothing to the dependencies of what follows, and does not use undefined bits. ∎

// dropIdle drops what makes no difference, and reports whether there was something.
func (f *fn) dropIdle() bool {
	if !slices.ContainsFunc(f.blocks, func(b *block) bool { return len(b.succs()) > 1 }) {
		return false
	}
	auto := f.autonomous()
	changed := false
	if grows := f.growing(auto); f.mayMatter(auto, true).lacks(grows) && f.foldRanges(grows) {
		changed = true
		f.simplify()
		auto = f.autonomous()
	}
	return f.mayMatter(auto, false).drop() || changed
}

// mayMatter returns what matters. With hope, that is as if autonomous registers never led to an error, and the ways that branches on them go were the same.
func (f *fn) mayMatter(auto regset, hope bool) *idleSearch {
	s := &idleSearch{f: f, auto: auto, hope: hope, unread: f.unread(true), used: bitset.New[ir.Reg](f.regs), matters: make([]bool, len(f.blocks)), tests: make([]bool, len(f.blocks))}
	s.findRoots()
	for s.spread() {
	}
	return s
}

// An idleSearch finds what matters.
type idleSearch struct {
	f       *fn
	auto    regset // the autonomous registers
	hope    bool   // see mayMatter
	unread  regset // what depends on nothing but constants and chosen values
	used    regset // by what matters
	matters []bool // by block
	tests   []bool // by block: the branch at its end matters
	first   []int  // by block: the first one that matters from there on
}

// Instead of a block that is the first one that matters.
const (
	noBlock    = -1 - iota // none is known yet
	manyBlocks             // there are several
)

// findRoots finds what matters by 1, 3 and 5.
func (s *idleSearch) findRoots() {
	f := s.f
	undefined := f.undefined()
	tested := make([]bool, f.arms+1) // branches that test what depends on something read
	for i, b := range f.blocks {
		last := b.last()
		if last.Op != ir.CondBr && last.Op != ir.Switch || last.A.IsConst() || s.unread.Has(last.A.Reg) {
			continue
		}
		tested[last.arm] = true
		s.tests[i] = f.deps || f.undef || undefined.Has(last.A.Reg)
	}
	for i, b := range f.blocks {
		for k := range b.instrs {
			switch x := &b.instrs[k]; x.Op {
			case ir.Br, ir.CondBr, ir.Switch:
			case midArmEnd:
				s.matters[i] = s.matters[i] || tested[x.arm]
			default:
				if !x.pure() && !x.choosesValue() && !(s.hope && x.arithmetic() && s.auto.Has(x.Dst)) {
					s.matters[i] = true
					x.uses(s.used.Add)
				}
			}
		}
	}
	_, back := f.postorder()
	headers := headersOf(back)
	loops := make([]*loop, len(headers))
	nested := make([]int, len(f.blocks))
	for k, h := range headers {
		loops[k] = f.loop(h, back)
		for i, in := range loops[k].body {
			if in {
				nested[i]++
			}
		}
	}
	idom := f.dominators()
	for k, h := range headers {
		if !s.matters[h] {
			s.matters[h] = !loops[k].finite(f, idom, nested)
		}
	}
}

// undefined returns the registers that depend on undefined values.
func (f *fn) undefined() regset {
	set := bitset.New[ir.Reg](f.regs)
	for changed := true; changed; {
		changed = false
		for _, b := range f.blocks {
			for i := range b.instrs {
				x := &b.instrs[i]
				from := x.Op == midUndef
				x.uses(func(r ir.Reg) { from = from || set.Has(r) })
				if !from {
					continue
				}
				x.defs(func(r ir.Reg) {
					changed = changed || !set.Has(r)
					set.Add(r)
				})
			}
		}
	}
	return set
}

// spread finds what matters by 2 to 4 because of what does. It reports whether it has found more.
func (s *idleSearch) spread() (more bool) {
	f := s.f
	for i, b := range f.blocks {
		for k := len(b.instrs) - 1; k >= 0; k-- {
			x := &b.instrs[k]
			needed := k == len(b.instrs)-1 && s.tests[i]
			x.defs(func(r ir.Reg) { needed = needed || s.used.Has(r) })
			if !needed {
				continue
			}
			more = more || !s.matters[i]
			s.matters[i] = true
			x.uses(func(r ir.Reg) {
				more = more || !s.used.Has(r)
				s.used.Add(r)
			})
		}
	}
	s.findFirst()
	for i, b := range f.blocks {
		if last := b.last(); len(last.Targets) < 2 || s.tests[i] || s.hope && (last.A.IsConst() || s.auto.Has(last.A.Reg)) {
			continue
		}
		if s.next(i) == manyBlocks {
			s.tests[i], more = true, true
		}
	}
	return more
}

// lacks reports whether a register of the set is not used by what matters.
func (s *idleSearch) lacks(set regset) bool {
	for i := range set {
		if set[i]&^s.used[i] != 0 {
			return true
		}
	}
	return false
}

// findFirst finds the first block that matters from each block on.
func (s *idleSearch) findFirst() {
	s.first = make([]int, len(s.f.blocks))
	for i := range s.first {
		s.first[i] = noBlock
		if s.matters[i] {
			s.first[i] = i
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(s.first) - 1; i >= 0; i-- {
			if s.matters[i] {
				continue
			}
			if n := s.next(i); n != s.first[i] {
				s.first[i], changed = n, true
			}
		}
	}
}

// next returns the first block that matters after block i.
func (s *idleSearch) next(i int) int {
	next := noBlock
	for _, to := range s.f.blocks[i].succs() {
		switch n := s.first[to]; {
		case n == noBlock || n == next:
		case next == noBlock:
			next = n
		default:
			return manyBlocks
		}
	}
	return next
}

// drop drops what does not matter.
func (s *idleSearch) drop() (changed bool) {
	for i, b := range s.f.blocks {
		last := b.last()
		if len(last.Targets) < 2 || s.tests[i] {
			continue
		}
		if to := s.next(i); to >= 0 {
			last.Op, last.Targets, last.Cases, last.A = ir.Br, []int{to}, nil, ir.Imm(0)
			changed = true
		}
	}
	for _, b := range s.f.blocks {
		n := len(b.instrs)
		b.instrs = slices.DeleteFunc(b.instrs, func(x instr) bool {
			if x.Op == ir.Br || !x.pure() && !x.choosesValue() {
				return false
			}
			used := false
			x.defs(func(r ir.Reg) { used = used || s.used.Has(r) })
			return !used
		})
		changed = changed || len(b.instrs) != n
	}
	return changed
}
