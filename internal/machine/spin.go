package machine

import (
	"cmp"
	"slices"
	"strings"

	"ravel/internal/bitset"
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// blockingPrefixes begin the names of functions that wait: a thread that spins in one waits for a lock.
var blockingPrefixes = []string{
	"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_barrier_wait",
	"pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_spin_lock", "pthread_join", "pthread_once",
	"mtx_lock", "cnd_wait", "thrd_join", "call_once", "sem_wait",
}

// blocking reports whether the function of that name waits.
func blocking(name string) bool {
	for _, p := range blockingPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return strings.Contains(name, "4sync4mpmc") // Rust's channels
}

// A realm says whom a loop belongs to: one in a function that waits is waiting for a lock, and so is one in what that calls, but not in
// what it calls back. Rust's threads, for one, run in a function of the library.
type realm uint8

const (
	callers realm = iota // to whom called the function
	blocks               // to a function that waits
	own                  // to the program
)

// realmOf returns the realm of a function.
func (c *compiler) realmOf(f *ir.Func) realm {
	switch {
	case f.Runtime || blocking(f.Name):
		return blocks
	case c.IsOwn(f.Pos):
		return own
	}
	return callers
}

// A loop is a header, the target of a back edge, and the blocks from which it can be
// reached again without leaving through it.
type loop struct {
	header  int
	body    []bool // includes the header
	latches []int  // where the back edges begin
	entries []int  // predecessors of the header outside
}

func (f *fn) loop(header int, back map[[2]int]bool) *loop {
	l := &loop{header: header, body: make([]bool, len(f.blocks))}
	l.body[header] = true
	preds := f.preds()
	var work []int
	for _, q := range preds[header] {
		if back[[2]int{q, header}] {
			l.latches = append(l.latches, q)
			work = append(work, q)
		} else {
			l.entries = append(l.entries, q)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if l.body[b] {
			continue
		}
		l.body[b] = true
		work = append(work, preds[b]...)
	}
	return l
}

// instrument adds checks to the loops: one that a loop does not spin and one that it does not exceed the bound.
//
// A loop spins if the thread comes back to the header with every live register as it was, and has only
// read in between. (Registers that the loop does not assign need no look.) As the thread is
// a function of what it reads and chooses, it would then do the same again as long as it reads and chooses the same. What it
// compares with is kept in registers, exactly; it is forgotten when the loop is entered anew. A loop that
// writes to memory, as one that moves a value about, asks the engine whether that made a difference.
//
// The argument for the header holds for any place in the loop. So the thread is looked at where the fewest registers are live, too (leanest): in
//
//	a = x; while (a != 0) a = x;
//
// each value of a makes another state at the header, but a is dead before the load.
func (c *compiler) instrument(f *fn) {
	f.tidy()
	_, back := f.postorder()
	headers := headersOf(back)
	f.markRounds(headers, back, c.opts.SpinAssume)
	if !c.opts.SpinAssume && c.opts.Unroll == 0 {
		return
	}
	live, out := f.liveness()
	idom := f.dominators()
	nested := make([]int, len(f.blocks)) // how many loops a block is in
	for _, h := range headers {
		for i, in := range f.loop(h, back).body {
			if in {
				nested[i]++
			}
		}
	}
	for _, h := range headers {
		l := f.loop(h, back)
		if c.opts.SpinAssume {
			reads := l.maySpin(f, live[h], (*instr).hasEffect)
			if reads || c.opts.Rounds && l.maySpin(f, live[h], (*instr).hasLastingEffect) {
				assigned := l.assigned(f)
				var clear []instr
				if at := f.leanest(l, assigned, live[h], out, idom, nested); at.block != nil {
					clear = f.addSpin(l, at, assigned, c.opts.Rounds)
				}
				clear = append(clear, f.addSpin(l, spot{f.blocks[h], 0, live[h]}, assigned, c.opts.Rounds)...)
				for _, q := range l.entries {
					f.insertOnEdge(q, h, clear)
				}
				l.mark(f, reads)
				l = f.loop(h, back)
			}
		}
		if c.opts.Unroll > 0 {
			f.addUnroll(l, uint64(c.opts.Unroll))
		}
	}
	f.tidy()
}

// headersOf returns the headers of the loops in order, which is part of what Compile returns.
func headersOf(back map[[2]int]bool) []int {
	var headers []int
	for edge := range back {
		headers = append(headers, edge[1])
	}
	slices.Sort(headers)
	return slices.Compact(headers)
}

// markRetried notes that what the last accesses before block bi read, which ends in a retry, may block the thread.
func (f *fn) markRetried(bi int) {
	preds := f.preds()
	seen := make([]bool, len(f.blocks))
	work := []int{bi}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		f.blocks[b].mark()
		if b == bi || !slices.ContainsFunc(f.blocks[b].instrs, func(x instr) bool { return x.awaits }) {
			work = append(work, preds[b]...)
		}
	}
}

// markRounds gives the ends of the rounds of spin loops that the program marks the time when the round began: when the innermost loop was last at its header.
// A mark outside of a loop is an assumption, and without SpinAssume marks mean nothing: the thread goes round. Nor does a retry.
func (f *fn) markRounds(headers []int, back map[[2]int]bool, spinAssume bool) {
	for bi, b := range f.blocks {
		for i := range b.instrs {
			x := &b.instrs[i]
			if x.isBuiltin(opRetry) {
				if spinAssume {
					f.markRetried(bi)
				} else {
					*x = copyTo(f.newReg(), ir.Imm(0), x.Pos)
				}
			}
			if !x.isBuiltin(opSpinEnd) || len(x.Args) != 1 {
				continue
			}
			inner := f.innermost(bi, headers, back)
			switch {
			case !spinAssume:
				*x = copyTo(f.newReg(), ir.Imm(0), x.Pos)
			case inner == nil:
				x.bi = builtins()["__ravel_assume"]
			default:
				began := f.newReg()
				x.Args = append(slices.Clone(x.Args), ir.R(began))
				clock := instr{Instr: ir.Instr{Op: midBuiltin, Dst: ir.NoReg, Dst2: ir.NoReg, Results: []ir.Reg{began}, Pos: x.Pos}, bi: &clockBuiltin}
				h := f.blocks[inner.header]
				h.instrs = slices.Insert(h.instrs, 0, clock)
				if inner.header == bi {
					f.markRounds(headers, back, spinAssume) // the instructions have moved
					return
				}
			}
		}
	}
}

var clockBuiltin = builtin{name: "the time", code: opClock}

// innermost returns the smallest loop with block bi, nil if there is none.
func (f *fn) innermost(bi int, headers []int, back map[[2]int]bool) (best *loop) {
	size := 0
	for _, h := range headers {
		l := f.loop(h, back)
		n := 0
		for _, in := range l.body {
			if in {
				n++
			}
		}
		if l.body[bi] && (best == nil || n < size) {
			best, size = l, n
		}
	}
	return best
}

// mark notes that the loop may go round, and, if it may do so by reading only, that what it reads may decide whether it spins.
func (l *loop) mark(f *fn, reads bool) {
	for i, in := range l.body {
		if !in {
			continue
		}
		for k := range f.blocks[i].instrs {
			f.blocks[i].instrs[k].retries = true
		}
		if reads {
			f.blocks[i].mark()
		}
	}
}

// mark notes that what the block reads may decide whether a loop spins.
func (b *block) mark() {
	for k := range b.instrs {
		switch b.instrs[k].Op {
		case ir.Load, ir.RMW, ir.CmpXchg, ir.Call:
			b.instrs[k].awaits = true
		}
	}
}

// markCalled marks the functions that loops which may spin call.
func (c *compiler) markCalled(fns []*fn) {
	marked := map[*fn]bool{}
	var visit func(f *fn)
	call := func(x *instr) {
		if !x.awaits || x.Op != ir.Call {
			return
		}
		if x.Callee != nil {
			visit(c.fns[x.Callee])
			return
		}
		for _, f := range fns { // it may be any
			visit(f)
		}
	}
	visit = func(f *fn) {
		if f == nil || marked[f] {
			return
		}
		marked[f] = true
		for _, b := range f.blocks {
			b.mark()
			for k := range b.instrs {
				call(&b.instrs[k])
			}
		}
	}
	for _, f := range fns {
		for _, b := range f.blocks {
			for k := range b.instrs {
				call(&b.instrs[k])
			}
		}
	}
}

// A spot is a place between two instructions of a block.
type spot struct {
	block *block
	index int
	live  regset
}

// leanest returns the place that each round of the loop comes to once where the fewest registers that the loop assigns are live. The block is nil if that is
// the header.
func (f *fn) leanest(l *loop, assigned, live regset, out []regset, idom, nested []int) (best spot) {
	least := live.Common(assigned)
	for i, in := range l.body {
		if least == 0 {
			break
		}
		if !in || i >= len(idom) || nested[i] > nested[l.header] || slices.ContainsFunc(l.latches, func(q int) bool { return !dominates(idom, i, q) }) {
			continue
		}
		live := slices.Clone(out[i])
		for k := len(f.blocks[i].instrs) - 1; k >= 0; k-- {
			x := &f.blocks[i].instrs[k]
			if x.Op == midSpin {
				continue // of another loop
			}
			x.defs(func(r ir.Reg) {
				if int(r)/64 < len(live) {
					live.Remove(r)
				}
			})
			x.uses(func(r ir.Reg) {
				if int(r)/64 < len(live) {
					live.Add(r)
				}
			})
			if n := live.Common(assigned); n < least {
				least, best = n, spot{f.blocks[i], k, slices.Clone(live)}
			}
		}
	}
	return best
}

// assigned returns the registers that the loop assigns.
func (l *loop) assigned(f *fn) regset {
	assigned := bitset.New[ir.Reg](f.regs)
	for i, in := range l.body {
		if in {
			for k := range f.blocks[i].instrs {
				f.blocks[i].instrs[k].defs(assigned.Add)
			}
		}
	}
	return assigned
}

// addSpin adds the check of a loop to a place. It returns what forgets the last visit.
func (f *fn) addSpin(l *loop, at spot, assigned regset, asks bool) []instr {
	b := at.block
	check := instr{
		realm: cmp.Or(b.realm, f.realm),
		asks:  asks,
		Instr: ir.Instr{Op: midSpin, Dst: f.newReg(), Dst2: ir.NoReg, Pos: b.pos(at.index)},
	}
	for i, in := range l.body {
		check.mixed = check.mixed || in && cmp.Or(f.blocks[i].realm, f.realm) != check.realm
	}
	clear := []instr{copyTo(check.Dst, ir.Imm(0), check.Pos)}
	at.live.Each(func(r ir.Reg) {
		if assigned.Has(r) {
			t := f.newReg()
			check.Args = append(check.Args, ir.R(r))
			check.Results = append(check.Results, t)
			clear = append(clear, copyTo(t, ir.Imm(0), check.Pos))
		}
	})
	b.instrs = slices.Insert(b.instrs, at.index, check)
	return clear
}

// insertOnEdge adds instructions to the way from one block to another.
func (f *fn) insertOnEdge(from, to int, list []instr) {
	b := f.blocks[from]
	if t := b.succs(); !slices.ContainsFunc(t, func(s int) bool { return s != to }) {
		b.instrs = slices.Insert(b.instrs, len(b.instrs)-1, list...)
		return
	}
	edge := &block{name: "edge", realm: f.blocks[to].realm, instrs: append(slices.Clone(list), jump(to, list[0].Pos))}
	t := b.last().Targets
	for i := range t {
		if t[i] == to {
			t[i] = len(f.blocks)
		}
	}
	f.blocks = append(f.blocks, edge)
}

// maySpin reports whether the thread may go round the loop without a side effect, as effect says, reading or choosing, and with the same registers.
func (l *loop) maySpin(f *fn, live regset, effect func(*instr) bool) bool {
	pure := make([]bool, len(f.blocks))
	reads := false
	for i, in := range l.body {
		if !in {
			continue
		}
		pure[i] = true
		for k := range f.blocks[i].instrs {
			x := &f.blocks[i].instrs[k]
			pure[i] = pure[i] && !effect(x)
			switch x.Op {
			case ir.Load, ir.RMW, ir.CmpXchg, ir.Fence, ir.MemCpy, ir.Call:
				reads = true
			case midBuiltin:
				reads = reads || x.bi.code == opChoose
			}
		}
	}
	if !reads || !l.round(f, pure) {
		return false
	}
	// A counter that each round changes can't be the same: then no round without its increments may be left.
	counts := slices.Clone(pure)
	for i, in := range l.body {
		if in && f.counts(l, i, live) {
			counts[i] = false
		}
	}
	return l.round(f, counts)
}

// round reports whether the header can be reached again through the given blocks only.
func (l *loop) round(f *fn, through []bool) bool {
	seen := make([]bool, len(f.blocks))
	work := []int{l.header}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] || !through[b] {
			continue
		}
		seen[b] = true
		for _, s := range f.blocks[b].succs() {
			if s == l.header {
				return true
			}
			work = append(work, s)
		}
	}
	return false
}

// hasEffect reports whether an instruction that runs always has a side effect.
func (x *instr) hasEffect() bool {
	switch x.Op {
	case ir.Store, ir.Alloca:
		return true
	case midFreeStack:
		return x.always && x.B.IsConst()
	case ir.MemCpy, ir.MemSet:
		return x.C.IsConst() && x.C.Imm != 0
	case ir.RMW:
		return (x.RMW == event.Add || x.RMW == event.Sub) && x.B.IsConst() && x.B.Imm != 0
	case midBuiltin:
		switch x.bi.code {
		case opCreate, opJoin, opSRCU, opAlloc, opFree, opNext:
			return true
		case opSize:
			return x.bi.n == 0
		}
	}
	return false
}

// hasLastingEffect reports whether an instruction that runs always has a side effect that another one can't take back.
func (x *instr) hasLastingEffect() bool {
	switch x.Op {
	case ir.Store, ir.RMW, ir.Alloca, midFreeStack, ir.MemCpy, ir.MemSet:
		return false
	case midBuiltin:
		if x.bi.code == opAlloc || x.bi.code == opFree { // a block may be freed in the round that allocates it
			return false
		}
	}
	return x.hasEffect()
}

// counts reports whether a block adds a constant to a register that lives at the header and that nothing else in the loop assigns.
func (f *fn) counts(l *loop, bi int, live regset) bool {
	b := f.blocks[bi]
	for i := range b.instrs {
		x := &b.instrs[i]
		if x.Dst == ir.NoReg || int(x.Dst)/64 >= len(live) || !live.Has(x.Dst) {
			continue
		}
		step := x.step(x.Dst)
		if x.Op == ir.Copy && x.A.Reg != ir.NoReg && x.A.Imm == 0 {
			for k := i - 1; k >= 0 && !step; k-- { // r = t where t = r + 1
				if b.instrs[k].assigns(x.A.Reg) {
					step = b.instrs[k].step(x.Dst)
					break
				}
			}
		}
		if step && l.assignments(f, x.Dst) == 1 {
			return true
		}
	}
	return false
}

// step reports whether the instruction computes r plus a constant that is not 0.
func (x *instr) step(r ir.Reg) bool {
	if x.A.Reg != r || x.Width > 64 {
		return false
	}
	switch x.Op {
	case ir.Copy:
		return x.A.Imm != 0
	case ir.Add, ir.Sub:
		return x.A.Imm == 0 && x.B.IsConst() && x.B.Imm&arith.Mask(x.Width) != 0
	}
	return false
}

func (x *instr) assigns(r ir.Reg) (yes bool) {
	x.defs(func(d ir.Reg) { yes = yes || d == r })
	return yes
}

func (l *loop) assignments(f *fn, r ir.Reg) (n int) {
	for i, in := range l.body {
		if !in {
			continue
		}
		for k := range f.blocks[i].instrs {
			if f.blocks[i].instrs[k].assigns(r) {
				n++
			}
		}
	}
	return n
}

// addUnroll lets the loop have n full iterations, each time it is entered. Where the header may leave the loop, as that of a
// while loop, entering the body is counted, so that it can be left after the last one. Otherwise visits of the header are:
// n if each way back is a condition, as in a do loop, and one more if the loop is left somewhere in between.
func (f *fn) addUnroll(l *loop, n uint64) {
	count := f.newReg()
	pos := f.blocks[l.header].pos(0)
	for _, q := range l.entries {
		f.insertOnEdge(q, l.header, []instr{copyTo(count, ir.Imm(0), pos)})
	}
	leaves := func(b int) bool {
		return slices.ContainsFunc(f.blocks[b].succs(), func(s int) bool { return s >= len(l.body) || !l.body[s] })
	}
	check := func(n uint64) []instr {
		return []instr{{Instr: ir.Instr{Op: midUnroll, Dst: count, Dst2: ir.NoReg, A: ir.Imm(n), Pos: pos}}}
	}
	if leaves(l.header) && !slices.Contains(l.latches, l.header) {
		for _, s := range slices.Compact(slices.Sorted(slices.Values(f.blocks[l.header].succs()))) {
			if s < len(l.body) && l.body[s] {
				f.insertOnEdge(l.header, s, check(n))
			}
		}
		return
	}
	for _, q := range l.latches {
		if !leaves(q) {
			n++
			break
		}
	}
	h := f.blocks[l.header]
	h.instrs = slices.Insert(h.instrs, 0, check(n)...)
}
