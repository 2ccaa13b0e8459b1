package machine

import (
	"cmp"
	"slices"

	"ravel/internal/bitset"
	"ravel/internal/ir"
)

// Sizes, in instructions. Without optimisation C++ and Rust hide every atomic access behind several calls and
// hand pointers to locals down: a callee that gets one is worth more, as the local may then become a register.
const (
	inlineAlways  = 60
	inlinePointer = 400
	inlineInto    = 6000
)

// optimise runs the passes on every function, callees first, so that what is inlined is already small.
func (c *compiler) optimise(fns []*fn) {
	if c.opts.plain {
		for _, f := range fns {
			f.tidy()
			c.touch(f)
			f.findChoices()
			c.instrument(f)
		}
		c.markCalled(fns)
		return
	}
	order, recursive := c.callOrder(fns)
	c.findArrivals(fns)
	c.markLocks()
	for _, f := range order {
		f.clean()
		if recursive[f] && c.loopTailCalls(f) {
			f.clean()
			recursive[f] = c.callsAny(f, recursive)
		}
		for range 8 { // a callee that was too large for its pointers may fit once they are gone
			if !c.inline(f, recursive) {
				break
			}
			f.clean()
		}
		if c.foldConstants(f) {
			f.clean()
		}
		if f.dropIdle() {
			f.clean()
		}
	}
	for _, f := range fns {
		if f.tracksArms {
			f.findPersistent()
		}
		c.touch(f)
		f.findChoices()
		c.instrument(f)
	}
	c.markCalled(fns)
}

// clean simplifies and promotes until nothing changes.
func (f *fn) clean() {
	f.simplify()
	for range 20 {
		if !f.promote() {
			break
		}
		f.simplify()
	}
	f.compact()
}

// compact renumbers the registers that are still used. Pairs stay together, as the order does not change.
func (f *fn) compact() {
	used := bitset.New[ir.Reg](f.regs)
	for _, r := range f.params {
		used.Add(r)
	}
	for _, b := range f.blocks {
		for i := range b.instrs {
			b.instrs[i].uses(used.Add)
			b.instrs[i].defs(used.Add)
		}
	}
	number := make([]ir.Reg, f.regs)
	f.regs = 0
	used.Each(func(r ir.Reg) { number[r] = f.newReg() })
	rename := func(r *ir.Reg) {
		if *r != ir.NoReg {
			*r = number[*r]
		}
	}
	for i := range f.params {
		rename(&f.params[i])
	}
	for _, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			x.eachOperand(func(o *ir.Operand, _ bool) { rename(&o.Reg) })
			rename(&x.Dst)
			rename(&x.Dst2)
			for k := range x.Results {
				rename(&x.Results[k])
			}
		}
	}
}

func (f *fn) size() (n int) {
	for _, b := range f.blocks {
		n += len(b.instrs)
		for i := range b.instrs {
			if b.instrs[i].Op == midArmEnd {
				n--
			}
		}
	}
	return n
}

// callOrder returns the functions with callees before callers, and those that can reach themselves.
func (c *compiler) callOrder(fns []*fn) (order []*fn, recursive map[*fn]bool) {
	// Tarjan's algorithm: a component comes after those it calls.
	recursive = map[*fn]bool{}
	index, low := map[*fn]int{}, map[*fn]int{}
	onStack := map[*fn]bool{}
	var stack []*fn
	var visit func(f *fn)
	visit = func(f *fn) {
		index[f] = len(index) + 1
		low[f] = index[f]
		stack = append(stack, f)
		onStack[f] = true
		for _, b := range f.blocks {
			for i := range b.instrs {
				if x := &b.instrs[i]; x.Op == ir.Call && x.Callee != nil {
					g := c.fns[x.Callee]
					if g == f {
						recursive[f] = true
					}
					if index[g] == 0 {
						visit(g)
						low[f] = min(low[f], low[g])
					} else if onStack[g] {
						low[f] = min(low[f], index[g])
					}
				}
			}
		}
		if low[f] != index[f] {
			return
		}
		first := slices.Index(stack, f)
		component := stack[first:]
		for _, g := range component {
			onStack[g] = false
			recursive[g] = recursive[g] || len(component) > 1
			order = append(order, g)
		}
		stack = stack[:first]
	}
	for _, f := range fns {
		if index[f] == 0 {
			visit(f)
		}
	}
	return order, recursive
}

// callsAny reports whether f calls one of the functions.
func (c *compiler) callsAny(f *fn, of map[*fn]bool) bool {
	return slices.ContainsFunc(f.blocks, func(b *block) bool {
		return slices.ContainsFunc(b.instrs, func(x instr) bool { return x.Op == ir.Call && x.Callee != nil && of[c.fns[x.Callee]] })
	})
}

// inline replaces calls in f by the bodies of the callees, and reports whether it did.
func (c *compiler) inline(f *fn, recursive map[*fn]bool) (changed bool) {
	size := f.size()
	locals := f.findLocals()
	for bi := 0; bi < len(f.blocks); bi++ {
		b := f.blocks[bi]
		for i := range b.instrs {
			x := &b.instrs[i]
			if x.Op == ir.Call && x.Callee == nil && x.A.IsConst() { // a pointer that turned out to be known
				if known := c.byAddr[c.Pointer(x.A.Imm)]; known != nil {
					x.Callee = c.resolve(known)
				}
			}
			if x.Op != ir.Call || x.Callee == nil {
				continue
			}
			g := c.fns[x.Callee]
			if g == f || recursive[g] || !g.accepts(x) || len(x.Args) < len(g.params) || len(x.Results) > g.results || f.src == nil && g.src == c.src.Main {
				continue
			}
			limit := inlineAlways
			for _, a := range x.Args {
				if _, ok := locals.at(a); ok {
					limit = inlinePointer
				}
			}
			n := g.size()
			if n > limit || size+n > inlineInto || f.regs+g.regs > window/2 {
				continue
			}
			size += n
			c.inlineCall(f, bi, i, g)
			changed = true
			break // the rest of the block is a new block, at the end
		}
	}
	return changed
}

// accepts reports whether a call passes what f expects.
func (f *fn) accepts(call *instr) bool {
	if f.va {
		return ir.IsVariadic(call.Sig)
	}
	return f.sig == "" || call.Sig == "" || f.sig == call.Sig
}

// inlineCall replaces instruction i of block bi, a call of g.
func (c *compiler) inlineCall(f *fn, bi, i int, g *fn) {
	b := f.blocks[bi]
	call := b.instrs[i]
	rest := &block{name: b.name, realm: b.realm, instrs: slices.Clone(b.instrs[i+1:])}
	base := ir.Reg(f.regs)
	f.regs += g.regs
	cont := len(f.blocks)
	f.blocks = append(f.blocks, rest)
	first := len(f.blocks)

	b.instrs = b.instrs[:i:i]
	isParam := make([]bool, g.regs)
	for k, r := range g.params {
		isParam[r] = true
		if g.va && k == len(g.params)-1 {
			k = len(call.Args) - 1
		}
		b.instrs = append(b.instrs, copyTo(base+r, call.Args[k], call.Pos))
	}
	// A register that g reads before it writes it is 0 in a new frame. In the second round of a loop it would not be.
	in, _ := g.liveness()
	in[0].Each(func(r ir.Reg) {
		if !isParam[r] {
			b.instrs = append(b.instrs, copyTo(base+r, ir.Imm(0), call.Pos))
		}
	})
	entryPreds := len(g.preds()[0]) > 0
	for k, gb := range g.blocks {
		nb := &block{name: g.name + "." + gb.name, realm: cmp.Or(gb.realm, g.realm)}
		for _, x := range gb.instrs {
			if x.arm > 0 {
				x.arm += f.arms
			}
			if x.Op == ir.Ret {
				for _, arm := range g.unended {
					nb.instrs = append(nb.instrs, armEnd(arm+f.arms))
				}
			}
			nb.instrs = c.inlineInstr(nb.instrs, x, base, first, cont, &call, g)
		}
		if k == 0 && !entryPreds {
			// The entry goes on in the caller's block, so that a loop around the call stays the caller's.
			b.instrs = append(b.instrs, nb.instrs...)
			nb = &block{instrs: []instr{{Instr: ir.Instr{Op: ir.Unreachable, Dst: ir.NoReg, Dst2: ir.NoReg}}}}
		}
		f.blocks = append(f.blocks, nb)
	}
	f.arms += g.arms
	if entryPreds {
		b.instrs = append(b.instrs, jump(first, call.Pos))
	}
}

func jump(to int, pos ir.Pos) instr {
	return instr{Instr: ir.Instr{Op: ir.Br, Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{to}, Pos: pos}}
}

// inlineInstr appends a copy of x, an instruction of g, with registers from base on and blocks from first on.
func (c *compiler) inlineInstr(out []instr, x instr, base ir.Reg, first, cont int, call *instr, g *fn) []instr {
	move := func(r ir.Reg) ir.Reg {
		if r == ir.NoReg {
			return r
		}
		return r + base
	}
	x.Dst, x.Dst2 = move(x.Dst), move(x.Dst2)
	x.Args = slices.Clone(x.Args)
	x.Results = slices.Clone(x.Results)
	for i := range x.Results {
		x.Results[i] = move(x.Results[i])
	}
	x.eachOperand(func(o *ir.Operand, wide bool) { o.Reg = move(o.Reg) })
	x.Pos = c.inlinedAt(x.Pos, call.Pos, g)
	if x.Op == midFreeStack {
		x.always = true
	}
	if x.Op == ir.Call {
		x.realm = cmp.Or(x.realm, g.realm)
	}
	if x.Op == ir.Ret {
		// g's registers are all different from the caller's, so the order does not matter.
		for i, r := range call.Results {
			out = append(out, copyTo(r, x.Args[i], x.Pos))
		}
		return append(out, jump(cont, x.Pos))
	}
	x.Targets = slices.Clone(x.Targets)
	for i := range x.Targets {
		x.Targets[i] += first
	}
	return append(out, x)
}

// inlinedAt returns the position of code at pos of g that was inlined at call.
func (c *compiler) inlinedAt(pos, call ir.Pos, g *fn) ir.Pos {
	key := [2]ir.Pos{pos, call}
	if pos == ir.NoPos {
		key[0] = ir.Pos(-1 - g.index)
	}
	if p, ok := c.pos[key]; ok {
		return p
	}
	at := ir.Position{File: -1, Func: g.name, InlinedAt: call}
	if pos != ir.NoPos {
		at = c.src.Positions[pos]
		if at.InlinedAt == ir.NoPos {
			at.InlinedAt = call
		} else {
			at.InlinedAt = c.inlinedAt(at.InlinedAt, call, g)
		}
	}
	p, ok := c.positions[at]
	if !ok {
		p = c.src.AddPos(at)
		c.positions[at] = p
	}
	c.pos[key] = p
	return p
}
