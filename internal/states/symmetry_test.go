package states

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"ravel/internal/brute"
	"ravel/internal/engine"
	"ravel/internal/event"
	"ravel/internal/ir"
)

// symmetricProgram returns a random program whose first two or three threads are equal. main joins them in some way, and then stores one more than it
// reads of the first location. Some threads wait for that at their end, so that it may never come. The globals are all that is of interest.
func symmetricProgram(rnd *rand.Rand) *ir.Program {
	p := brute.Random(rnd, brute.Config{Threads: 3, Total: 6, PerThread: 3})
	n := 2 + rnd.IntN(2)
	for len(p.Threads) < n {
		p.Threads = append(p.Threads, p.Threads[0])
	}
	prog := brute.Lower(p)
	b := prog.Main.Blocks[0]
	first := b.Instrs[0].Args[0]
	for i := range n {
		b.Instrs[i].Args[0] = first
	}
	join := find(prog, "__ravel_join", 1, 1)
	seen := &ir.Global{Name: "seen", Size: 4, Align: 4}
	prog.AddGlobal(seen)
	look := func() []ir.Instr {
		r := ir.Reg(prog.Main.Regs)
		prog.Main.Regs++
		ld := ir.Instr{Op: ir.Load, Dst: r, Dst2: ir.NoReg, A: ir.Imm(uint64(prog.Globals[0].Addr)), B: ir.Imm(0), C: ir.Imm(0), Size: 4, Mode: event.Rlx}
		st := ir.Instr{Op: ir.Store, Dst: ir.NoReg, Dst2: ir.NoReg, A: ir.Imm(uint64(seen.Addr)), B: ir.R(r), C: ir.Imm(0), Size: 4, Mode: event.Rlx}
		inc := ir.Instr{Op: ir.Add, Dst: r, Dst2: ir.NoReg, A: ir.R(r), B: ir.Imm(1), C: ir.Imm(0), Width: 32}
		return []ir.Instr{ld, inc, st}
	}
	if rnd.IntN(2) == 0 {
		await(prog, seen, 1+rnd.Uint64N(2))
	}
	ret := b.Instrs[len(b.Instrs)-1]
	b.Instrs = b.Instrs[:len(b.Instrs)-1]
	order := rnd.Perm(n)
	switch rnd.IntN(4) {
	case 0:
		order = nil
	case 1:
		order = order[:rnd.IntN(n)]
	}
	between := rnd.IntN(3) == 0
	for _, t := range order {
		r := ir.Reg(prog.Main.Regs)
		prog.Main.Regs++
		b.Instrs = append(b.Instrs, ir.Instr{Op: ir.Call, Callee: join, Dst: ir.NoReg, Dst2: ir.NoReg, Args: []ir.Operand{ir.R(b.Instrs[t].Results[0])}, Results: []ir.Reg{r}})
		if between {
			b.Instrs = append(b.Instrs, look()...)
		}
	}
	b.Instrs = append(append(b.Instrs, look()...), ret)
	return prog
}

// await has thread t0 wait at its end until g is not 0, unless it is one of the first k that get there.
func await(prog *ir.Program, g *ir.Global, k uint64) {
	i := slices.IndexFunc(prog.Funcs, func(f *ir.Func) bool { return f.Name == "t0" })
	f := prog.Funcs[i]
	turn := &ir.Global{Name: "turn", Size: 4, Align: 4}
	prog.AddGlobal(turn)
	b := f.Blocks[len(f.Blocks)-1]
	n := len(f.Blocks)
	ret := b.Instrs[len(b.Instrs)-1]
	b.Instrs = b.Instrs[:len(b.Instrs)-1]
	emit := func(in ir.Instr) ir.Operand {
		in.Dst, in.Dst2 = ir.Reg(f.Regs), ir.NoReg
		f.Regs++
		b.Instrs = append(b.Instrs, in)
		return ir.R(in.Dst)
	}
	mine := emit(ir.Instr{Op: ir.RMW, RMW: event.Add, A: ir.Imm(uint64(turn.Addr)), B: ir.Imm(1), C: ir.Imm(0), Size: 4, Mode: event.Rlx})
	late := emit(ir.Instr{Op: ir.Cmp, A: mine, B: ir.Imm(k), C: ir.Imm(0), Width: 32, Pred: ir.UGE})
	b.Instrs = append(b.Instrs, ir.Instr{Op: ir.Br, Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{n}})
	b = &ir.Block{Name: "spin"}
	x := emit(ir.Instr{Op: ir.Load, A: ir.Imm(uint64(g.Addr)), B: ir.Imm(0), C: ir.Imm(0), Size: 4, Mode: event.Rlx})
	unset := emit(ir.Instr{Op: ir.Cmp, A: x, B: ir.Imm(0), C: ir.Imm(0), Width: 32, Pred: ir.EQ})
	waits := emit(ir.Instr{Op: ir.And, A: late, B: unset, C: ir.Imm(0), Width: 32})
	b.Instrs = append(b.Instrs, ir.Instr{Op: ir.CondBr, A: waits, Dst: ir.NoReg, Dst2: ir.NoReg, Targets: []int{n, n + 1}})
	f.Blocks = append(f.Blocks, b, &ir.Block{Name: "end", Instrs: []ir.Instr{ret}})
}

// Symmetry changes no outcome, and no value that the globals have together in between.
func TestSymmetry(t *testing.T) {
	var with, without int64
	for i := range *programs {
		s := *seed + uint64(i)
		for _, m := range []Model{SC, TSO, PSO, LMO} {
			prog := symmetricProgram(rand.New(rand.NewPCG(s, 5)))
			finals := func(o Options) (map[string]bool, int64) {
				all := map[string]bool{}
				var last *run
				o.Model, o.Raw, o.Buffer, o.Workers, o.MemoryCheck = m, true, 12, 1+i%2, true
				note := func(w *worker, what string) {
					out := []any{what}
					for _, g := range prog.Globals {
						out = append(out, uint32(w.value(w.pageLeaf(g.Addr), g.Addr, 4).Lo))
					}
					w.mu.Lock()
					if w.run != last {
						last = w.run
						clear(all)
					}
					all[fmt.Sprint(out...)] = true
					w.mu.Unlock()
				}
				o.onFinal = func(w *worker) { note(w, "in the end") }
				if !o.POR { // otherwise it depends on what is merged
					o.onVisit = func(w *worker) { note(w, "") }
				}
				res := mustExplore(t, prog, o)
				if len(res.Errors) > 0 || res.GaveUp+res.Cut != "" {
					t.Fatalf("seed %d: %+v", s, res)
				}
				return all, res.Stored
			}
			por := i%4 > 1
			want, n := finals(Options{POR: por})
			got, k := finals(Options{Options: engine.Options{Symmetry: true}, POR: por})
			if !maps.Equal(got, want) || k > n && !por { // with it, an access of one symmetric thread is never taken for its own
				t.Fatalf("seed %d, model %v:\ngot  %v\nwant %v\n%d states, %d without symmetry", s, m, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), k, n)
			}
			with, without = with+k, without+n
		}
	}
	t.Logf("%d states with symmetry, %d without", with, without)
	if !testing.Short() && with*5 > without*4 {
		t.Errorf("symmetry leaves %d of %d states", with, without)
	}
}

// Threads that can be told from each other are not symmetric.
func TestSymmetricThreads(t *testing.T) {
	for _, test := range []struct {
		flag    string
		kind    string
		smaller bool
	}{
		{"-DNONE", "", true},
		{"-DBETWEEN", "", true},
		{"-DINDEX", "", true},
		{"-DNUMBER", "assertion", false},
		{"-DWRONG", "assertion", true},
		{"-DALLOC", "", false},
		{"-DSELF", "assertion", false},
		{"-DRESULT", "assertion", false},
		{"-DEARLY", "assertion", false},
		{"-DWAITS=1", "assertion", false},
		{"-DWAITS=2", "assertion", false},
	} {
		p := loadC(t, "twins.c", test.flag)
		for i, m := range []Model{SC, LMO, SC, LMO} {
			por := i < 2
			full := mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, RaceCheck: true, KeepGoing: true}, POR: por})
			res := mustExplore(t, p, Options{Model: m, Options: engine.Options{MemoryCheck: true, RaceCheck: true, KeepGoing: true, Symmetry: true}, POR: por})
			for _, r := range []*Result{full, res} {
				kind := ""
				if len(r.Errors) > 0 {
					kind = r.Errors[0].Kind
				}
				if kind != test.kind || len(r.Errors) > 0 && r.Errors[0].Execution == nil {
					t.Errorf("%s under %v (por %v): %q, want %q\n%+v", test.flag, m, por, kind, test.kind, r)
				}
			}
			if !por {
				continue // main stores results between its joins, which nothing says that no other thread sees
			}
			if smaller := res.Stored < full.Stored; smaller != test.smaller {
				t.Errorf("%s under %v: %d states with symmetry, %d without", test.flag, m, res.Stored, full.Stored)
			}
		}
	}
}
