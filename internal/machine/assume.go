package machine

import "ravel/internal/ir"

// findAssumptions marks the assumptions that are a function of one load: of no other value that the thread
// got from outside, and not of the way on which it came there. It also marks the accesses that come right before an assumption.
func (f *fn) findAssumptions() {
	var s *slicer
	for bi, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			if x.Op != midBuiltin || x.bi.code != opAssume || len(x.Args) == 0 {
				continue
			}
			f.markBefore(bi, i)
			if s == nil {
				s = &slicer{f: f, defs: f.singles(), preds: f.preds(), idom: f.dominators()}
			}
			s.loads = map[*instr]bool{}
			s.seen = map[*instr]bool{}
			x.oneLoad = s.follow(bi, i, x.Args[0].Reg) && len(s.loads) == 1
		}
	}
}

// A slicer finds what a register depends on.
type slicer struct {
	f     *fn
	defs  []single
	preds [][]int
	idom  []int
	loads map[*instr]bool
	seen  map[*instr]bool
}

// follow adds the loads that the value of r before instruction i of block bi depends on. It returns false if that
// depends on anything else, or on the way.
func (s *slicer) follow(bi, i int, r ir.Reg) bool {
	if r == ir.NoReg {
		return true
	}
	bi, i, ok := s.definition(bi, i, r)
	if !ok {
		return false
	}
	x := &s.f.blocks[bi].instrs[i]
	if s.seen[x] {
		return true
	}
	s.seen[x] = true
	switch {
	case x.Op == ir.Load, x.Op == ir.RMW, x.Op == ir.CmpXchg:
		s.loads[x] = true
		return true
	case x.Op >= ir.Alloca && !(x.Op == midBuiltin && x.bi.pure):
		return false
	}
	x.uses(func(u ir.Reg) { ok = ok && s.follow(bi, i, u) })
	return ok
}

// definition returns the instruction that assigned r before instruction i of block bi, if there is just one that
// may have.
func (s *slicer) definition(bi, i int, r ir.Reg) (block, index int, ok bool) {
	if d := s.defs[r]; !d.many {
		before := d.block == bi && d.index < i || d.block != bi && dominates(s.idom, d.block, bi)
		return d.block, d.index, d.seen && d.index >= 0 && before
	}
	for range len(s.f.blocks) {
		b := s.f.blocks[bi]
		for i--; i >= 0; i-- {
			if b.instrs[i].assigns(r) {
				return bi, i, true
			}
		}
		if len(s.preds[bi]) != 1 {
			return 0, 0, false
		}
		bi = s.preds[bi][0]
		i = len(s.f.blocks[bi].instrs)
	}
	return 0, 0, false
}

// markBefore notes that what the last accesses before instruction i of block bi read may block the thread. An access to private memory may be none.
func (f *fn) markBefore(bi, i int) {
	preds := f.preds()
	seen := make([]bool, len(f.blocks))
	type place struct{ block, index int }
	work := []place{{bi, i}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		found := false
		for k := at.index - 1; k >= 0 && !found; k-- {
			switch x := &f.blocks[at.block].instrs[k]; x.Op {
			case ir.Load, ir.RMW, ir.CmpXchg:
				x.awaits = true
				found = !x.private
			case ir.Call:
				found = true
			}
		}
		if found {
			continue
		}
		for _, p := range preds[at.block] {
			if !seen[p] {
				seen[p] = true
				work = append(work, place{p, len(f.blocks[p].instrs)})
			}
		}
	}
}
