package machine

import (
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/event"
	"ravel/internal/ir"
)

// lifetimes replaces Begin and End, and ends what is left of a function's stack objects where it returns:
//
//   - An Alloca moves to the Begin of its object, so that each round of a loop has an object of its own.
//   - An End becomes a midFreeStack.
//   - A return ends the objects that may still be alive, in the order in which they began, if atReturn is set.
//
// An object that the front end gave no Begin lives from its Alloca on. If several objects of one Alloca are alive (alloca in
// a loop), only the last one ends; the others stay until the thread exits.
func (f *fn) lifetimes(atReturn bool) {
	f.placeAllocas()
	f.joinEnds()
	objects := f.stackObjects()
	if len(objects) == 0 {
		f.replace(ir.End, func(out []instr, _ instr) []instr { return out })
		return
	}
	f.addFrees(objects, atReturn)
}

// replace rewrites every instruction of an operation.
func (f *fn) replace(op ir.Op, by func(out []instr, x instr) []instr) {
	for _, b := range f.blocks {
		if !slices.ContainsFunc(b.instrs, func(x instr) bool { return x.Op == op }) {
			continue
		}
		out := make([]instr, 0, len(b.instrs)+2)
		for _, x := range b.instrs {
			if x.Op == op {
				out = by(out, x)
			} else {
				out = append(out, x)
			}
		}
		b.instrs = out
	}
}

// placeAllocas moves each Alloca to the Begin of its object. Optimised code may compute an address before the Begin, or
// have several: such an object lives from its Alloca to the return.
func (f *fn) placeAllocas() {
	type scope struct {
		alloca       instr
		begins       int
		block, index int
		bad          bool
	}
	scopes := map[ir.Reg]*scope{}
	for _, b := range f.blocks {
		for i := range b.instrs {
			if x := &b.instrs[i]; x.Op == ir.Begin {
				scopes[x.A.Reg] = &scope{bad: true}
			}
		}
	}
	if len(scopes) == 0 {
		return
	}
	f.tidy()
	defs := f.singles()
	for bi, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			if s := scopes[x.A.Reg]; x.Op == ir.Begin {
				s.begins++
				s.block, s.index = bi, i
			}
			if s := scopes[x.Dst]; x.Op == ir.Alloca && s != nil && bi == 0 && !defs[x.Dst].many {
				s.alloca, s.bad = *x, false
			}
		}
	}
	idom := f.dominators()
	for bi, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			if x.Op == ir.Begin || x.Op == ir.End {
				continue
			}
			x.uses(func(r ir.Reg) {
				if s := scopes[r]; s != nil && !(s.block == bi && s.index < i || s.block != bi && dominates(idom, s.block, bi)) {
					s.bad = true
				}
			})
		}
	}
	moves := func(r ir.Reg) bool { s := scopes[r]; return s != nil && !s.bad && s.begins == 1 }
	f.replace(ir.Alloca, func(out []instr, x instr) []instr {
		if moves(x.Dst) {
			return out
		}
		return append(out, x)
	})
	f.replace(ir.Begin, func(out []instr, x instr) []instr {
		if moves(x.A.Reg) {
			return append(out, scopes[x.A.Reg].alloca)
		}
		return out
	})
	f.replace(ir.End, func(out []instr, x instr) []instr {
		if scopes[x.A.Reg] != nil && !moves(x.A.Reg) {
			return out
		}
		return append(out, x)
	})
}

// joinEnds drops an End that nothing but a return follows: the return ends the object. Between them are only loads of
// the function's variables by name: clang loads the result.
func (f *fn) joinEnds() {
	var variables map[ir.Reg]bool
	for _, b := range f.blocks {
		if b.last().Op != ir.Ret || !slices.ContainsFunc(b.instrs, func(x instr) bool { return x.Op == ir.End }) {
			continue
		}
		if variables == nil {
			variables = map[ir.Reg]bool{}
			f.replace(ir.Alloca, func(out []instr, x instr) []instr {
				variables[x.Dst] = true
				return append(out, x)
			})
		}
		from := len(b.instrs) - 1
		for ; from > 0; from-- {
			x := &b.instrs[from-1]
			if x.Op != ir.End && !x.pure() && !(x.Op == ir.Load && x.Mode == event.NA && variables[x.A.Reg]) {
				break
			}
		}
		b.instrs = append(b.instrs[:from:from], slices.DeleteFunc(slices.Clone(b.instrs[from:]), func(x instr) bool { return x.Op == ir.End })...)
	}
}

// A stackObject is what one Alloca makes. It has a register of its own for its address, because the one that the program uses may be
// assigned again.
type stackObject struct {
	dst, addr ir.Reg
	alive     ir.Reg // whether there is one, where the place in the code does not tell; else NoReg
}

// stackObjects finds the objects and gives them their registers.
func (f *fn) stackObjects() []*stackObject {
	var objects []*stackObject
	f.replace(ir.Alloca, func(out []instr, x instr) []instr {
		o := &stackObject{dst: x.Dst, addr: f.newReg(), alive: ir.NoReg}
		objects = append(objects, o)
		x.Dst = o.addr
		return append(out, x, copyTo(o.dst, ir.R(o.addr), x.Pos))
	})
	return objects
}

// addFrees ends objects.
func (f *fn) addFrees(objects []*stackObject, atReturn bool) {
	n := len(objects)
	byAddr, byDst := map[ir.Reg]int{}, map[ir.Reg]int{}
	for i, o := range objects {
		byAddr[o.addr], byDst[o.dst] = i, i
	}
	// For each object, whether it may be alive and whether it may not be, at the beginning of each block.
	alive, gone := make([]regset, len(f.blocks)), make([]regset, len(f.blocks))
	for i := range f.blocks {
		alive[i], gone[i] = bitset.New[ir.Reg](n), bitset.New[ir.Reg](n)
	}
	step := func(a, g regset, x *instr) {
		switch x.Op {
		case ir.Alloca:
			i := ir.Reg(byAddr[x.Dst])
			a.Add(i)
			g.Remove(i)
		case ir.End:
			if k, ok := byDst[x.A.Reg]; ok {
				a.Remove(ir.Reg(k))
				g.Add(ir.Reg(k))
			}
		}
	}
	for i := range n {
		gone[0].Add(ir.Reg(i))
	}
	seen := make([]bool, len(f.blocks))
	for work := []int{0}; len(work) > 0; {
		bi := work[len(work)-1]
		work = work[:len(work)-1]
		seen[bi] = true
		a, g := slices.Clone(alive[bi]), slices.Clone(gone[bi])
		for i := range f.blocks[bi].instrs {
			step(a, g, &f.blocks[bi].instrs[i])
		}
		for _, s := range f.blocks[bi].succs() {
			more := alive[s].Join(a)
			more = gone[s].Join(g) || more
			if more || !seen[s] {
				work = append(work, s)
			}
		}
	}
	free := func(out []instr, i int, a, g regset, x *instr) []instr {
		o := objects[i]
		if !a.Has(ir.Reg(i)) {
			return out
		}
		end := instr{always: x.Op == ir.End, Instr: ir.Instr{Op: midFreeStack, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.R(o.addr), B: ir.Imm(1), Pos: x.Pos}}
		if g.Has(ir.Reg(i)) {
			if o.alive == ir.NoReg {
				o.alive = f.newReg()
			}
			end.B = ir.R(o.alive)
		}
		return append(out, end)
	}
	for bi, b := range f.blocks {
		if !seen[bi] {
			continue
		}
		a, g := alive[bi], gone[bi]
		out := make([]instr, 0, len(b.instrs)+2)
		for k := range b.instrs {
			x := &b.instrs[k]
			switch {
			case x.Op == ir.End:
				if i, ok := byDst[x.A.Reg]; ok {
					out = free(out, i, a, g, x)
				}
			case x.Op == ir.Ret && atReturn:
				for i := range n {
					out = free(out, i, a, g, x)
				}
			}
			step(a, g, x)
			out = append(out, *x)
		}
		b.instrs = out
	}
	note := func(out []instr, i int, v uint64, pos ir.Pos) []instr {
		if objects[i].alive == ir.NoReg {
			return out
		}
		return append(out, copyTo(objects[i].alive, ir.Imm(v), pos))
	}
	f.replace(ir.Alloca, func(out []instr, x instr) []instr { return note(append(out, x), byAddr[x.Dst], 1, x.Pos) })
	f.replace(ir.End, func(out []instr, x instr) []instr {
		if i, ok := byDst[x.A.Reg]; ok {
			return note(out, i, 0, x.Pos)
		}
		return out
	})
}
