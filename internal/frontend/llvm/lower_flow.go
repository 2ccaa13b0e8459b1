package llvm

import (
	"slices"

	"ravel/internal/ir"
)

// branch ends the block with a jump, after the copies for the phis of the target.
func (l *lowerer) branch(to int) {
	l.phiCopies(l.at, to)
	in := newInstr(ir.Br)
	in.Targets = []int{to}
	l.emit(in)
}

func (l *lowerer) condBranch(in *inst) {
	a, b := int(in.blocks[0]), int(in.blocks[1])
	c := l.operand(in.args[0], 0)
	if a == b || c.IsConst() {
		if c.IsConst() && c.Imm == 0 {
			a = b
		}
		l.branch(a)
		return
	}
	br := newInstr(ir.CondBr)
	br.A, br.Targets = c, []int{l.edge(a), l.edge(b)}
	l.emit(br)
}

func (l *lowerer) lowerSwitch(in *inst) {
	v := in.args[0]
	sw := newInstr(ir.Switch)
	sw.Width, sw.A = uint8(min(v.typ.bits, 64)), l.operand(v, 0)
	edges := map[int]int{}
	target := func(n int32) int {
		t, ok := edges[int(n)]
		if !ok {
			t = l.edge(int(n))
			edges[int(n)] = t
		}
		return t
	}
	// The cases with the same words above the lowest one are one switch.
	var groups []*wideCases
	for i, c := range in.args[1:] {
		words, bad := l.lk.eval(l.mod, c)
		if bad != "" {
			l.unsupported("switch case of " + v.typ.String())
			return
		}
		k := slices.IndexFunc(groups, func(g *wideCases) bool { return slices.Equal(g.upper, words[1:]) })
		if k < 0 {
			k = len(groups)
			groups = append(groups, &wideCases{upper: words[1:]})
		}
		groups[k].cases = append(groups[k].cases, words[0])
		groups[k].targets = append(groups[k].targets, target(in.blocks[i+1]))
	}
	other := target(in.blocks[0])
	for _, g := range groups {
		next := -1
		if len(g.upper) > 0 {
			next = l.skipUnless(v, g.upper)
		}
		sw.Cases, sw.Targets = g.cases, append(g.targets, other)
		l.emit(sw)
		if next < 0 {
			return
		}
		l.cur, l.dead = l.out.Blocks[next], false
	}
	br := newInstr(ir.Br)
	br.Targets = []int{other}
	l.emit(br)
}

// wideCases are the cases of a switch whose values have the same words above the lowest.
type wideCases struct {
	upper   []uint64
	cases   []uint64
	targets []int
}

// skipUnless goes on if v has these words above the lowest. It returns the block where control goes otherwise.
func (l *lowerer) skipUnless(v value, upper []uint64) int {
	diff := l.temp(1)
	l.copy(diff, ir.Imm(0))
	for w, want := range upper {
		x := l.temp(1)
		l.bin(ir.Xor, 64, x, l.operand(v, w+1), ir.Imm(want))
		l.bin(ir.Or, 64, diff, ir.R(diff), ir.R(x))
	}
	br := newInstr(ir.CondBr)
	l.cmp(ir.Cmp, ir.EQ, 64, diff, ir.R(diff), ir.Imm(0))
	same, next := len(l.out.Blocks), len(l.out.Blocks)+1
	l.newBlock("same")
	l.newBlock("other")
	br.A, br.Targets = ir.R(diff), []int{same, next}
	l.emit(br)
	l.cur, l.dead = l.out.Blocks[same], false
	return next
}

// indirectBranch is a switch over the addresses of blocks. Other addresses are undefined behaviour.
func (l *lowerer) indirectBranch(in *inst) {
	sw := newInstr(ir.Switch)
	sw.Width, sw.A = 64, l.operand(in.args[0], 0)
	for i, b := range in.blocks {
		if c := in.args[i+1].bits; !slices.Contains(sw.Cases, c) {
			sw.Cases = append(sw.Cases, c)
			sw.Targets = append(sw.Targets, l.edge(int(b)))
		}
	}
	elsewhere := newInstr(ir.Unreachable)
	elsewhere.Pos = l.pos
	sw.Targets = append(sw.Targets, len(l.out.Blocks))
	l.out.Blocks = append(l.out.Blocks, &ir.Block{Name: l.f.blocks[l.at].name + "→?", Instrs: []ir.Instr{elsewhere}})
	l.emit(sw)
}

func (l *lowerer) ret(in *inst) {
	l.endSection()
	l.countTry(-1)
	r := newInstr(ir.Ret)
	for range hidden(l.out) {
		r.Args = append(r.Args, ir.Imm(0))
	}
	for _, v := range in.args {
		for w := range l.lay.words(v.typ) {
			r.Args = append(r.Args, l.operand(v, w))
		}
	}
	l.emit(r)
}

// edge returns the block that a branch with several targets has to go to for the block to:
// a new block with the copies where to has phis.
func (l *lowerer) edge(to int) int {
	if insts := l.f.blocks[to].insts; insts[0].op != opPhi {
		return to
	}
	from, block, dead := l.at, l.cur, l.dead
	n := len(l.out.Blocks)
	l.cur = &ir.Block{Name: l.f.blocks[from].name + "→" + l.f.blocks[to].name}
	l.out.Blocks = append(l.out.Blocks, l.cur)
	l.dead = false
	l.phiCopies(from, to)
	in := newInstr(ir.Br)
	in.Targets = []int{to}
	l.emit(in)
	l.cur, l.dead = block, dead
	return n
}

// A move is one word of a parallel copy.
type move struct {
	dst ir.Reg
	src ir.Operand
}

// phiCopies gives the phis of block to the values they have when control comes from block from.
func (l *lowerer) phiCopies(from, to int) {
	var moves []move
	insts := l.f.blocks[to].insts
	for i := range insts {
		in := &insts[i]
		if in.op != opPhi {
			break
		}
		n := l.lay.words(in.typ)
		if n > maxWords {
			l.unsupported("phi of type '" + in.typ.String() + "'")
			return
		}
		k := -1
		for j, b := range in.blocks {
			if int(b) == from {
				k = j
				break
			}
		}
		if k < 0 {
			l.fail(in.pos, "phi has no value for predecessor '%%%s'", l.f.blocks[from].name)
		}
		dst := l.reg(in.res)
		for w := range n {
			src := l.operand(in.args[k], w)
			if src.Reg != dst+ir.Reg(w) {
				moves = append(moves, move{dst + ir.Reg(w), src})
			}
		}
	}
	l.parallelCopy(moves)
}

// parallelCopy does all moves at once: a move is emitted when nothing still has to read its
// destination; what then remains are cycles, each broken by a temporary.
func (l *lowerer) parallelCopy(moves []move) {
	for len(moves) > 0 {
		progress := false
		for i := 0; i < len(moves); i++ {
			m := moves[i]
			if reads(moves, m.dst) > 0 {
				continue
			}
			l.copy(m.dst, m.src)
			moves = append(moves[:i], moves[i+1:]...)
			i--
			progress = true
		}
		if progress || len(moves) == 0 {
			continue
		}
		t := l.temp(1)
		d := moves[0].dst
		l.copy(t, ir.R(d))
		for i := range moves {
			if moves[i].src.Reg == d {
				moves[i].src = ir.R(t)
			}
		}
	}
}

func reads(moves []move, r ir.Reg) int {
	n := 0
	for _, m := range moves {
		if m.src.Reg == r {
			n++
		}
	}
	return n
}
