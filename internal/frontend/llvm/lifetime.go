package llvm

import (
	"ravel/internal/ir"
)

// The lifetime of a stack object is that of its alloca, unless there are markers: clang prints llvm.lifetime.start and end for
// each variable and temporary of a block (see runClang), and saves and restores the stack pointer around variable length arrays.

// A lifetimes has the markers of a function.
type lifetimes struct {
	scoped   map[int32]bool    // allocas that have a start
	restores map[*inst][]int32 // the allocas that a stackrestore ends
}

// findLifetimes reads the markers. If one of them is about anything but an alloca, as optimised code may have it, none is used.
// The code of ravel's library, which is optimised, needs none.
func (l *lowerer) findLifetimes() (found lifetimes) {
	if l.mod.runtime {
		return found
	}
	allocas := map[int32]bool{}
	var marks, restores []*inst
	for _, b := range l.f.blocks {
		for i := range b.insts {
			in := &b.insts[i]
			switch l.intrinsicName(in) {
			case "lifetime.start", "lifetime.end":
				marks = append(marks, in)
			case "stackrestore":
				restores = append(restores, in)
			}
			if in.op == opAlloca {
				allocas[in.res] = true
			}
		}
	}
	for _, in := range marks {
		id := l.marked(in)
		if !allocas[id] {
			found.scoped = nil
			break
		}
		if found.scoped == nil {
			found.scoped = map[int32]bool{}
		}
		if l.intrinsicName(in) == "lifetime.start" {
			found.scoped[id] = true
		}
	}
	if len(restores) > 0 {
		found.restores = map[*inst][]int32{}
		for _, in := range restores {
			found.restores[in] = l.endedBy(in)
		}
	}
	return found
}

// intrinsicName returns the name of the intrinsic that in calls, without its types; "" if it calls none.
func (l *lowerer) intrinsicName(in *inst) string {
	if in.op != opCall || in.args[0].kind != vConst || in.args[0].c.kind != cGlobal {
		return ""
	}
	s := l.lk.target(in.args[0].c.sym)
	if !s.isIntrinsic() {
		return ""
	}
	base, _ := splitIntrinsic(s.name)
	return base
}

// marked returns the local that a marker is about, -1 if it is none.
func (l *lowerer) marked(in *inst) int32 {
	v := in.args[len(in.args)-1]
	if v.kind != vLocal {
		return -1
	}
	id := v.id
	for range len(l.share) {
		if l.share[id].id < 0 {
			break
		}
		id = l.share[id].id
	}
	return id
}

// lifetime emits the marker in.
func (l *lowerer) lifetime(in *inst, op ir.Op) {
	if id := l.marked(in); id >= 0 && l.lives.scoped[id] {
		l.mark(op, id)
	}
}

// restore ends the objects that were allocated since the stack pointer was saved.
func (l *lowerer) restore(in *inst) {
	for _, id := range l.lives.restores[in] {
		l.mark(ir.End, id)
	}
}

func (l *lowerer) mark(op ir.Op, id int32) {
	m := newInstr(op)
	m.A = ir.R(l.reg(id))
	l.emit(m)
}

// endedBy returns the allocas on the ways from the stacksave that a stackrestore belongs to.
func (l *lowerer) endedBy(restore *inst) (ids []int32) {
	saves := l.savesOf(restore)
	if len(saves) == 0 {
		return nil
	}
	preds := make([][]int, len(l.f.blocks))
	first, from := -1, -1
	for bi, b := range l.f.blocks {
		for i := range b.insts {
			if in := &b.insts[i]; in == restore {
				first, from = bi, i
			}
		}
		last := &b.insts[len(b.insts)-1]
		for _, s := range last.blocks {
			preds[s] = append(preds[s], bi)
		}
	}
	seen := make([]bool, len(l.f.blocks))
	found := map[int32]bool{}
	var walk func(bi, i int)
	walk = func(bi, i int) {
		insts := l.f.blocks[bi].insts
		for ; i >= 0; i-- {
			in := &insts[i]
			if saves[in] {
				return
			}
			if in.op == opAlloca && !found[in.res] {
				found[in.res] = true
				ids = append(ids, in.res)
			}
		}
		for _, q := range preds[bi] {
			if !seen[q] {
				seen[q] = true
				walk(q, len(l.f.blocks[q].insts)-1)
			}
		}
	}
	walk(first, from)
	return ids
}

// savesOf returns the stacksaves whose result a stackrestore gets, directly or through a variable.
func (l *lowerer) savesOf(restore *inst) map[*inst]bool {
	v := restore.args[1]
	if v.kind != vLocal {
		return nil
	}
	from := map[int32]bool{v.id: true} // values, and variables that hold them
	for _, b := range l.f.blocks {
		for i := range b.insts {
			if in := &b.insts[i]; in.op == opLoad && in.res == v.id && in.args[0].kind == vLocal {
				from[in.args[0].id] = true
			}
		}
	}
	for _, b := range l.f.blocks {
		for i := range b.insts {
			if in := &b.insts[i]; in.op == opStore && in.args[0].kind == vLocal && in.args[1].kind == vLocal && from[in.args[1].id] {
				from[in.args[0].id] = true
			}
		}
	}
	saves := map[*inst]bool{}
	for _, b := range l.f.blocks {
		for i := range b.insts {
			if in := &b.insts[i]; in.res >= 0 && from[in.res] && l.intrinsicName(in) == "stacksave" {
				saves[in] = true
			}
		}
	}
	return saves
}
