package states

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
)

// A ref is a direct reading of the eleven rules of §3.2.3 of the thesis, for programs of brute; if deep, with its §6.3.1: what
// depends on a load in the buffer is itself deferred, but for branches, and relaxed read-modify-writes are in the buffer as well. It knows
// the locations of accesses before their addresses: they are those of the program or, if wild, guessed, and a wrong guess is given up. So it has no guesses in buffers.
type ref struct {
	deep    bool
	guesses bool // branches are guessed: later writes wait until they are known
	wild    bool // an address is that of Loc, or of the next location if its register is odd
	mem     []uint32
	threads []refThread
}

type refThread struct {
	todo    [][]brute.Stmt // innermost last
	regs    []refValue
	loads   []refLoad
	buffer  []refOp
	guesses []refGuess
}

// A refValue is add, plus the value of a load if that is not -1, which may count for nothing.
type refValue struct {
	load int
	zero bool
	add  uint32
}

type refLoad struct {
	known bool
	val   uint32
}

type refOp struct {
	reads, writes bool
	loc           int
	addr          refValue // must be known
	val           refValue
	load          int
	kind          brute.Kind
	exp           refValue
	guesses       int // of its thread before it
}

// A refGuess is that the last bit of a value is bit or, if it is of a branch, whether the value is is.
type refGuess struct {
	val    refValue
	bit    uint32
	branch bool
	is     uint32
}

// get returns a value, if it is known.
func (t *refThread) get(v refValue) (uint32, bool) {
	switch {
	case v.load < 0:
		return v.add, true
	case v.zero:
		return v.add, t.loads[v.load].known
	}
	return t.loads[v.load].val + v.add, t.loads[v.load].known
}

func (r ref) clone() ref {
	r.mem = slices.Clone(r.mem)
	r.threads = slices.Clone(r.threads)
	for i := range r.threads {
		t := &r.threads[i]
		t.todo, t.regs, t.loads, t.buffer, t.guesses = slices.Clone(t.todo), slices.Clone(t.regs), slices.Clone(t.loads), slices.Clone(t.buffer), slices.Clone(t.guesses)
	}
	return r
}

// next returns the next statement of a thread, and takes it off.
func (t *refThread) next() *brute.Stmt {
	for len(t.todo) > 0 {
		last := &t.todo[len(t.todo)-1]
		if len(*last) == 0 {
			t.todo = t.todo[:len(t.todo)-1]
			continue
		}
		s := &(*last)[0]
		*last = (*last)[1:]
		return s
	}
	return nil
}

func (t *refThread) expr(e brute.Expr) refValue {
	if e.Reg == brute.NoReg {
		return refValue{-1, false, e.Const}
	}
	v := t.regs[e.Reg]
	if e.Zero { // a use like any other
		return refValue{v.load, true, e.Const}
	}
	v.add += e.Const
	return v
}

// wrong reports whether a guess is known to be wrong.
func (t *refThread) wrong() bool {
	return slices.ContainsFunc(t.guesses, func(g refGuess) bool {
		x, known := t.get(g.val)
		if g.branch {
			return known && (x == g.is) != (g.bit == 1)
		}
		return known && x&1 != g.bit
	})
}

// source returns the newest op of a list that is to a location, nil if none is.
func refSource(list []refOp, loc int) *refOp {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].loc == loc {
			return &list[i]
		}
	}
	return nil
}

// leave performs the kth op in the buffer of thread i: Update, Retrieve. It returns false if it can't.
func (r *ref) leave(i, k int) bool {
	t := &r.threads[i]
	op := t.buffer[k]
	old := refSource(t.buffer[:k], op.loc)
	_, placed := t.get(op.addr)
	val, ok := t.get(op.val)
	exp, ok2 := t.get(op.exp)
	if !placed || !ok || !ok2 {
		return false
	}
	for _, g := range t.guesses[:op.guesses] {
		if _, known := t.get(g.val); g.branch && op.writes && !known {
			return false
		}
	}
	x := r.mem[op.loc]
	if old != nil {
		_, placed := t.get(old.addr)
		v, known := t.get(old.val)
		if op.writes || old.reads || !placed || !known {
			return false
		}
		x = v
	}
	t.buffer = slices.Delete(t.buffer, k, k+1)
	switch {
	case op.kind == brute.FAdd:
		r.mem[op.loc] += val
	case op.kind == brute.CAS && x != exp:
	case op.writes:
		r.mem[op.loc] = val
	}
	if op.reads {
		t.loads[op.load] = refLoad{true, x}
	}
	return true
}

func (r ref) run(seen, out map[string]bool) {
	key := fmt.Sprint(r)
	if seen[key] {
		return
	}
	seen[key] = true
	done := true
	next := func(n ref, i int, ok bool) {
		if ok {
			done = false
			if !n.threads[i].wrong() {
				n.run(seen, out)
			}
		}
	}
	for i := range r.threads {
		for k := range r.threads[i].buffer {
			n := r.clone()
			next(n, i, n.leave(i, k))
		}
		for bit := range 2 {
			n := r.clone()
			next(n, i, n.step(i, uint32(bit)))
		}
	}
	if done {
		all := slices.Clone(r.mem)
		for _, t := range r.threads {
			for _, v := range t.regs {
				x, _ := t.get(v)
				all = append(all, x)
			}
		}
		out[fmt.Sprint(all)] = true
	}
}

// step performs the next statement of thread i; false if it can't. An address that has to be guessed has this last bit.
func (r *ref) step(i int, bit uint32) bool {
	t := &r.threads[i]
	s := t.next()
	if s == nil {
		return false
	}
	has := func(f func(o refOp) bool) bool { return slices.ContainsFunc(t.buffer, f) }
	reads := func(o refOp) bool { return o.reads }
	writes := func(o refOp) bool { return o.writes }
	op := refOp{loc: s.Loc, addr: refValue{load: -1}, val: refValue{load: -1}, exp: refValue{load: -1}, kind: s.Kind}
	guessed := false
	if s.Kind != brute.If && s.Kind != brute.Fence && s.Addr != brute.NoReg {
		op.addr = t.regs[s.Addr]
		x, known := t.get(op.addr)
		if !known && !r.deep {
			return false
		}
		if r.wild {
			if !known {
				guessed = true
				x = bit
				t.guesses = append(t.guesses, refGuess{val: op.addr, bit: bit})
			}
			op.loc += int(x & 1)
		}
	}
	if s.Kind == brute.If && r.guesses && len(s.Then)+len(s.Else) > 0 {
		if _, known := t.get(t.regs[s.Reg]); !known {
			guessed = true
			t.guesses = append(t.guesses, refGuess{val: t.regs[s.Reg], bit: bit, branch: true, is: s.Is})
		}
	}
	if bit == 1 && !guessed {
		return false // as with 0
	}
	op.guesses = len(t.guesses)
	_, placed := t.get(op.addr)
	switch s.Kind {
	case brute.If:
		if len(s.Then)+len(s.Else) == 0 {
			return true // the machine's compiler drops it
		}
		x, known := t.get(t.regs[s.Reg])
		if !known && !guessed {
			return false
		}
		if known && x == s.Is || !known && bit == 1 {
			t.todo = append(t.todo, s.Then)
		} else {
			t.todo = append(t.todo, s.Else)
		}
		return true
	case brute.Fence:
		switch s.Mode {
		case event.Acq:
			return !has(reads)
		case event.Rel:
			return !has(writes)
		}
		return len(t.buffer) == 0
	case brute.Store:
		op.writes, op.val = true, t.expr(s.Val)
		if _, known := t.get(op.val); !known && !r.deep {
			return false
		}
		t.buffer = append(t.buffer, op)
		return true
	case brute.Load:
		if o := refSource(t.buffer, op.loc); o != nil && !o.reads && placed {
			if _, known := t.get(o.addr); known {
				if s.Reg != brute.NoReg {
					t.regs[s.Reg] = o.val
				}
				return true
			}
		}
		if s.Reg == brute.NoReg {
			return true // nobody can tell
		}
		op.reads = true
	default:
		op.reads, op.writes, op.val = true, true, t.expr(s.Val)
		fail := s.Mode
		if s.Kind == brute.CAS {
			op.exp, fail = t.expr(s.Exp), s.Fail
		}
		if r.deep && s.Mode <= event.Rlx && fail <= event.Rlx {
			break
		}
		// It is performed at once.
		exp, ok := t.get(op.exp)
		mode := s.Mode
		if s.Kind == brute.CAS && ok && r.mem[op.loc] != exp {
			mode = fail
		}
		if mode > event.Rlx && len(t.buffer) > 0 || has(func(o refOp) bool { return o.loc == op.loc }) {
			return false
		}
		op.load = len(t.loads)
		t.loads = append(t.loads, refLoad{})
		t.buffer = append(t.buffer, op)
		if !r.leave(i, len(t.buffer)-1) {
			return false
		}
		if s.Reg != brute.NoReg {
			t.regs[s.Reg] = refValue{-1, false, t.loads[op.load].val}
		}
		return true
	}
	op.load = len(t.loads)
	t.loads = append(t.loads, refLoad{})
	t.buffer = append(t.buffer, op)
	if s.Reg != brute.NoReg {
		t.regs[s.Reg] = refValue{load: op.load}
	}
	return true
}

// deferrals returns a random program with many stores, addresses and read-modify-writes that depend on loads.
func deferrals(rnd *rand.Rand) *brute.Prog {
	var threads []string
	for range 2 {
		var text []string
		regs := 0
		loc := func() string { return string("xyz"[rnd.IntN(3)]) }
		reg := func() string { return fmt.Sprintf("r%d", rnd.IntN(regs)) }
		place := func() string {
			if regs > 0 && rnd.IntN(2) == 0 {
				return fmt.Sprintf("[%s+%s]", loc(), reg())
			}
			return loc()
		}
		value := func() string {
			if regs > 0 && rnd.IntN(2) == 0 {
				return fmt.Sprintf("%s+%d", reg(), rnd.IntN(2))
			}
			return "1"
		}
		for range 3 + rnd.IntN(2) {
			switch k := rnd.IntN(12); {
			case regs == 0 || k < 4:
				text = append(text, fmt.Sprintf("r%d=%s", regs, place()))
				regs++
			case k < 8:
				text = append(text, fmt.Sprintf("%s=%s", place(), value()))
			case k < 9:
				text = append(text, fmt.Sprintf("r%d=FADD(%s,%s)", regs, place(), value()))
				regs++
			case k < 10:
				text = append(text, fmt.Sprintf("r%d=CAS(%s,%s,%s)", regs, place(), value(), value()))
				regs++
			case k < 11:
				text = append(text, []string{"F.acq", "F.rel"}[rnd.IntN(2)])
			default:
				text = append(text, fmt.Sprintf("if(%s==1){%s=1}", reg(), place()))
			}
		}
		threads = append(threads, strings.Join(text, "; "))
	}
	if rnd.IntN(2) == 0 { // the second shows what the first does early
		_, rest, _ := strings.Cut(threads[0], "; ")
		threads[0] = "r0=x; " + rest + "; z=1"
		threads[1] = "r0=z; if(r0==1){x=1}"
	}
	return brute.MustParse(strings.Join(threads, " || "))
}

// wild makes the addresses of p that depend on a register be to one of two locations; see ref. It returns false if there is only one.
func wild(p *brute.Prog) bool {
	var body func([]brute.Stmt)
	body = func(list []brute.Stmt) {
		for i := range list {
			s := &list[i]
			if s.Kind != brute.If && s.Kind != brute.Fence && s.Addr != brute.NoReg {
				s.Loc = min(s.Loc, len(p.Locs)-2)
			}
			body(s.Then)
			body(s.Else)
		}
	}
	if len(p.Locs) < 2 {
		return false
	}
	for i := range p.Threads {
		body(p.Threads[i].Body)
	}
	return true
}

// lowerWild makes the addresses of the lowered program those of wild: the zero that brute adds is bit 1 of a square, and bit 0 is that of the register.
func lowerWild(prog *ir.Program) {
	for _, f := range prog.Funcs {
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				switch in := &b.Instrs[i]; {
				case in.Op == ir.And && in.B == ir.Imm(2):
					in.B = ir.Imm(1)
				case in.Op == ir.Gep:
					in.Scale = int64(prog.Globals[1].Addr - prog.Globals[0].Addr)
				}
			}
		}
	}
}

// ruled returns the outcomes that the rules allow.
func ruled(p *brute.Prog, deep, wild bool) map[string]bool {
	return ref{deep: deep, wild: wild}.outcomes(p)
}

func (r ref) outcomes(p *brute.Prog) map[string]bool {
	r.mem = make([]uint32, len(p.Locs))
	for _, th := range p.Threads {
		regs := make([]refValue, len(th.Regs))
		for k := range regs {
			regs[k].load = -1
		}
		r.threads = append(r.threads, refThread{todo: [][]brute.Stmt{th.Body}, regs: regs})
	}
	out := map[string]bool{}
	r.run(map[string]bool{}, out)
	return out
}

// TestLMO compares the outcomes of random programs under lmo and rmo with those of the rules.
func TestLMO(t *testing.T) {
	more := 0
	for i := range *programs {
		s := *seed + uint64(i)
		rnd := rand.New(rand.NewPCG(s, 7))
		p := deferrals(rnd)
		if i%3 == 0 {
			p = brute.Random(rnd, brute.Config{Threads: 3, Total: 7, Deps: i%2 == 0})
		}
		isWild := i%3 == 1 && wild(p)
		want := map[Model]map[string]bool{LMO: ruled(p, false, isWild), RMO: ruled(p, true, isWild)}
		for _, m := range []Model{LMO, RMO} {
			for _, por := range []bool{false, true} {
				prog, vars := withOutcome(p)
				if isWild {
					lowerWild(prog)
				}
				got := exploredVars(t, prog, vars, Options{Model: m, Options: engine.Options{Workers: 1 + i%2}, Raw: true, Buffer: 12, POR: por})
				compare(t, fmt.Sprintf("seed %d, model %v, por %v, wild %v:\n%v", s, m, por, isWild, p), got, m, want)
			}
		}
		if len(want[RMO]) > len(want[LMO]) {
			more++
		}
	}
	if t.Logf("%d programs have more outcomes under rmo than under lmo", more); !testing.Short() && (more == 0) {
		t.Error("no program tells rmo from lmo")
	}
}

// branches returns a random program with many branches.
func branches(rnd *rand.Rand) *brute.Prog {
	var threads []string
	for range 2 {
		regs := 0
		access := func() string {
			loc := string("xyz"[rnd.IntN(3)])
			switch k := rnd.IntN(8); {
			case k < 4 || regs == 0:
				regs++
				return fmt.Sprintf("r%d=%s", regs-1, loc)
			case k < 6:
				return fmt.Sprintf("%s=%d", loc, 1+rnd.IntN(2))
			case k < 7:
				regs++
				return fmt.Sprintf("r%d=FADD(%s,1)", regs-1, loc)
			}
			return fmt.Sprintf("%s=r%d", loc, rnd.IntN(regs))
		}
		text := []string{access()}
		for range 2 {
			switch k := rnd.IntN(8); {
			case k < 4:
				at := rnd.IntN(regs)
				text = append(text, fmt.Sprintf("if(r%d==%d){%s}", at, rnd.IntN(2), access()))
			case k < 5:
				at := rnd.IntN(regs)
				text = append(text, fmt.Sprintf("if(r%d==%d){%s}else{%s}", at, rnd.IntN(2), access(), access()))
			case k < 6:
				text = append(text, []string{"F.acq", "F.rel"}[rnd.IntN(2)])
			default:
				text = append(text, access())
			}
		}
		threads = append(threads, strings.Join(text, "; "))
	}
	if rnd.IntN(2) == 0 { // the second shows what the first does early
		threads[1] = "x=1; F.rel; y=1; z=1"
	}
	return brute.MustParse(strings.Join(threads, " || "))
}

// TestSpeculation compares the outcomes of random programs whose branches are guessed with those of the rules.
func TestSpeculation(t *testing.T) {
	more := 0
	for i := range *programs {
		s := *seed + uint64(i)
		rnd := rand.New(rand.NewPCG(s, 9))
		p := branches(rnd)
		if i%4 == 0 {
			p = deferrals(rnd)
		}
		isWild := i%8 == 0 && wild(p)
		want := map[Model]map[string]bool{LMO: ruled(p, false, isWild), RMO: ref{deep: true, wild: isWild, guesses: true}.outcomes(p)}
		for _, por := range []bool{false, true} {
			prog, vars := withOutcome(p)
			if isWild {
				lowerWild(prog)
			}
			got := exploredVars(t, prog, vars, Options{Model: RMO, Speculate: true, Options: engine.Options{Workers: 1 + i%2}, Raw: true, Buffer: 16, POR: por})
			compare(t, fmt.Sprintf("seed %d, por %v, wild %v:\n%v", s, por, isWild, p), got, RMO, want)
		}
		if len(want[RMO]) > len(ruled(p, true, isWild)) {
			more++
		}
	}
	if t.Logf("%d programs have more outcomes than under rmo that waits", more); !testing.Short() && more == 0 {
		t.Error("no program tells the difference")
	}
}

// failing returns p lowered, with an assertion at the end of a thread that a register is not bad.
func failing(p *brute.Prog, thread, reg int, bad uint64) *ir.Program {
	prog := brute.Lower(p)
	i := slices.IndexFunc(prog.Funcs, func(f *ir.Func) bool { return f.Name == fmt.Sprintf("t%d", thread) })
	f := prog.Funcs[i]
	last := f.Blocks[len(f.Blocks)-1]
	n := len(last.Instrs) - 1
	ret, is := last.Instrs[n], ir.Reg(f.Regs)
	f.Regs++
	at := len(f.Blocks)
	last.Instrs = append(slices.Clone(last.Instrs[:n]),
		ir.Instr{Op: ir.Cmp, A: ir.R(ir.Reg(1 + reg)), B: ir.Imm(bad), C: ir.Imm(0), Dst: is, Dst2: ir.NoReg, Width: 32, Pred: ir.EQ},
		ir.Instr{Op: ir.CondBr, A: ir.R(is), Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{at, at + 1}})
	f.Blocks = append(f.Blocks,
		&ir.Block{Name: "fail", Instrs: []ir.Instr{{Op: ir.Call, Callee: find(prog, "reach_error", 0, 0), Dst: ir.NoReg, Dst2: ir.NoReg}, {Op: ir.Br, Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{at + 1}}}},
		&ir.Block{Name: "end", Instrs: []ir.Instr{ret}})
	return prog
}

// TestDeferredErrors compares verdicts on an assertion at the end of a thread with the outcomes that the rules allow. Under rmo, when it fails, addresses of
// its thread and of others may still be to come: it is an error only if the guesses about them are right.
func TestDeferredErrors(t *testing.T) { deferredErrors(t, false) }

// TestSpeculatedErrors does it for threads that guess branches.
func TestSpeculatedErrors(t *testing.T) { deferredErrors(t, true) }

func deferredErrors(t *testing.T, speculate bool) {
	var wrong [models]int
	for i := range *programs {
		s := *seed + uint64(i)
		rnd := rand.New(rand.NewPCG(s, 8))
		p := deferrals(rnd)
		if speculate && i%4 > 0 {
			p = branches(rnd)
		}
		isWild := i%2 == 0 && wild(p)
		// A value of a register, best one that takes rmo.
		type choice struct{ thread, reg, bad int }
		has := map[Model]map[choice]bool{LMO: {}, RMO: {}}
		for m := range has {
			for out := range (ref{deep: m == RMO, wild: isWild, guesses: m == RMO && speculate}).outcomes(p) {
				regs := numbers(out)[len(p.Locs):]
				for thread := range p.Threads {
					for reg := range p.Threads[thread].Regs {
						has[m][choice{thread, reg, regs[0]}] = true
						regs = regs[1:]
					}
				}
			}
		}
		thread := rnd.IntN(2)
		if len(p.Threads[thread].Regs) == 0 {
			thread = 1 - thread
		}
		c := choice{thread, rnd.IntN(len(p.Threads[thread].Regs)), rnd.IntN(3)}
		for x := range has[RMO] {
			if !has[LMO][x] {
				c = x
			}
		}
		want := models
		for _, m := range []Model{RMO, LMO} {
			if has[m][c] {
				want = m
			}
		}
		prog := failing(p, c.thread, c.reg, uint64(c.bad))
		if isWild {
			lowerWild(prog)
		}
		for m := LMO; m <= RMO; m++ {
			res := mustExplore(t, prog, Options{Model: m, Speculate: speculate, Options: engine.Options{Workers: 1, MemoryCheck: true}, Raw: true, Buffer: 16, POR: i%4 > 0})
			found := len(res.Errors) > 0
			if found != (want <= m) || found && m == RMO && (res.Errors[0].StrongestModel == "rmo") != (want == RMO) || res.Cut+res.GaveUp != "" {
				t.Fatalf("seed %d, wild %v, %v: the rules say %v\n%v\n%+v\n%+v", s, isWild, m, want, p, res, c)
			}
			if found && m == RMO {
				wrong[want]++
				if want == RMO && len(res.Traces[0]) == 0 {
					t.Errorf("seed %d: no trace\n%v", s, p)
				}
			}
		}
	}
	t.Logf("of %d programs, %d are wrong up to lmo, %d under rmo only", *programs, wrong[LMO], wrong[RMO])
}

// The shapes of the literature, by the names that it gives them, and what tells rmo from lmo. Each outcome is allowed from a model on, for the reason given.
// What rmo allows is what SPARC V9's RMO does (appendix D: dependencies, fences and accesses to the same location are ordered, nothing else),
// but for two loads of the same location and for branches, which are waited for. If they are guessed instead, only MP+rel+ctrl changes.
func TestRMO(t *testing.T) {
	for _, test := range []struct {
		name, prog, outcome string
		strongest           string // the model that has it, or "" if none has
		because             string
	}{
		{"SB", "x=1; r=y || y=1; s=x", "r=0 s=0", "tso", "loads pass stores"},
		{"MP", "x=1; y=1 || r=y; s=x", "r=1 s=0", "pso", "stores pass stores"},
		{"MP+rel+po", "x=1; F.rel; y=1 || r=y; s=x", "r=1 s=0", "lmo", "loads pass loads"},
		{"MP+rel+addr", "x=1; F.rel; y=1 || r=y; s=[x+r]", "r=1 s=0", "", "an address orders (not on Alpha)"},
		{"MP+rel+addr-po", "x=1; F.rel; y=1 || r=y; q=[z+r]; s=x", "r=1 s=0", "rmo", "a load passes an address"},
		{"MP+rel+data-po", "x=1; F.rel; y=1 || r=y; z=r+1; s=x", "r=1 s=0", "rmo", "figure 3.9 of the thesis"},
		{"MP+rel+ctrl", "x=1; F.rel; y=1 || r=y; if(r==1){s=x}; q=z", "r=1 s=0", "", "branches are waited for (RMO, Power and ARM allow it)"},
		{"MP+rel+acq", "x=1; F.rel; y=1 || r=y; F.acq; s=x", "r=1 s=0", "", "fences order"},
		{"LB", "r=x; y=1 || s=y; x=1", "r=1 s=1", "lmo", "stores pass loads"},
		{"LB+datas", "r=x; y=r || s=y; x=s", "r=1 s=1", "", "no value comes from nowhere"},
		{"LB+data+po", "r=x; y=r || s=y; x=1", "r=1 s=1", "lmo", "a store passes a load of the second thread"},
		{"LB+data+data-1", "r=x; y=r+1 || s=y; x=s", "r=1 s=1", "", "data orders"},
		{"LB+addrs", "r=x; [y+r]=1 || s=y; [x+s]=1", "r=1 s=1", "", "an address orders"},
		{"LB+addrs+WW", "r=x; [y+r]=1; z=1 || s=z; [w+s]=1; x=1", "r=1 s=1", "rmo", "stores pass addresses (not on Power, ARM, RISC-V)"},
		{"LB+data-po+ctrl", "r=x; y=r; z=1 || s=z; if(s==1){x=1}", "r=1 s=1", "rmo", "a store passes a deferred one"},
		{"LB+ctrl-po+ctrl", "r=x; if(r==0){y=1}; z=1 || s=z; if(s==1){x=1}", "r=1 s=1", "", "a branch orders stores"},
		{"LB+data+ctrl", "r=x; z=r || s=z; if(s==1){x=1}", "r=1 s=1", "", "data and control order stores"},
		{"LB+datarfi-po+ctrl", "r=x; y=r; q=y; z=1 || s=z; if(s==1){x=1}", "r=1 s=1", "rmo", "q is r"},
		{"LB+datarfi-addr+ctrl", "r=x; y=r; q=y; [z+q]=1 || s=z; if(s==1){x=1}", "r=1 s=1", "", "an address through a store orders"},
		{"LB+data-sc+ctrl", "r=x; y=r; F.sc; z=1 || s=z; if(s==1){x=1}", "r=1 s=1", "", "fences order"},
		{"LB+rmws", "r=FADD(x,0); y=1 || s=FADD(y,0); x=1", "r=1 s=1", "rmo", "stores pass relaxed read-modify-writes"},
		{"LB+rmws+sc", "r=FADD(x,0).sc; y=1 || s=FADD(y,0).sc; x=1", "r=1 s=1", "", "but not others"},
		{"LB+rmw-data-po", "r=x; FADD(y,r); z=1 || s=z; if(s==1){x=1}", "r=1 s=1", "rmo", "an operand is waited for in the buffer"},
		{"LB+rmw-data", "r=x; FADD(y,r) || s=y; if(s==1){x=1}", "r=1 s=1", "", "an operand orders"},
		{"LB+cas-data", "r=x; q=CAS(y,0,r) || s=y; if(s==1){x=1}", "r=1 s=1", "", "an operand orders"},
		{"LB+cas-exp", "r=x; q=CAS(y,r,1); z=1 || s=z; if(s==1){x=1}", "r=1 s=1", "rmo", "what is expected is waited for in the buffer"},
		{"S+rel+data", "x=2; F.rel; y=1 || r=y; x=r", "x=2 r=1", "", "data orders"},
		{"S+rel+addr", "x=2; F.rel; y=1 || r=y; [x+r]=1", "x=2 r=1", "", "an address orders"},
		{"CoRR", "x=1 || r=x; s=x", "r=1 s=0", "", "loads of a location are in order"},
		{"CoRR+addr", "x=1 || a=y; r=[x+a]; s=x", "r=1 s=0", "", "also if the address of the first comes late"},
		{"CoWR+addr", "a=y; [x+a]=1; s=x || x=2", "s=0", "", "a load does not miss its thread's store"},
		{"CoWR+addr-2", "x=1; a=y; [x+a]=2; s=x", "s=1", "", "nor reads an older one"},
		{"CoWW+addr", "a=y; [x+a]=1; x=2", "x=1", "", "stores to a location are in order"},
		{"IRIW+addrs", "x=1 || r=x; s=[y+r] || y=1 || a=y; b=[x+a]", "r=1 s=0 a=1 b=0", "", "memory is multi-copy atomic"},
	} {
		p := brute.MustParse(test.prog)
		for _, m := range []Model{SC, TSO, PSO, LMO, RMO, models} {
			o := Options{Model: min(m, RMO), Speculate: m == models, Raw: true, POR: true, Buffer: 12}
			if test.name == "MP+rel+ctrl" && o.Speculate {
				test.strongest = "rmo"
			}
			has := false
			for out := range explored(t, p, o) {
				has = has || isOutcome(t, p, numbers(out), test.outcome)
			}
			model, err := ModelByName(test.strongest)
			if want := err == nil && m >= model; has != want {
				t.Errorf("%s under %v: %s is %v, want %v: %s", test.name, m, test.outcome, has, want, test.because)
			}
		}
	}
}

// isOutcome reports whether the values of locations and registers are those of the text.
func isOutcome(t *testing.T, p *brute.Prog, vals []int, text string) bool {
	at := map[string]int{}
	for i, name := range p.Locs {
		at[name] = vals[i]
	}
	k := len(p.Locs)
	for _, th := range p.Threads {
		for _, name := range th.Regs {
			at[name] = vals[k]
			k++
		}
	}
	for _, f := range strings.Fields(text) {
		name, val, _ := strings.Cut(f, "=")
		x, ok := at[name]
		if !ok {
			t.Fatalf("%s is not in the program", name)
		}
		if fmt.Sprint(x) != val {
			return false
		}
	}
	return true
}
