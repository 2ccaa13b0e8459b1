package states

import (
	"slices"
	"strings"

	"ravel/internal/ir"
	"ravel/internal/machine"
	"ravel/internal/report"
)

// HasProcedures reports whether p is in the form of procedures: it has no main, but functions llmc_proc*.
func HasProcedures(p *ir.Program) bool {
	return p.Main == nil && slices.ContainsFunc(p.Funcs, isProcedure)
}

func isProcedure(f *ir.Func) bool { return len(f.Blocks) > 0 && strings.HasPrefix(f.Name, "llmc_proc") }

// procMode returns the program to compile, and whether it is in the form of procedures: without main, llmc_init runs first and alone, then
// all llmc_proc* at once, then llmc_fini.
func procMode(p *ir.Program) (*ir.Program, bool) {
	if p.Main != nil {
		return p, false
	}
	var ps struct {
		init, fini *ir.Func
		procs      []*ir.Func
	}
	for _, f := range p.Funcs {
		switch {
		case len(f.Blocks) == 0:
		case f.Name == "llmc_init":
			ps.init = f
		case f.Name == "llmc_fini":
			ps.fini = f
		case isProcedure(f):
			ps.procs = append(ps.procs, f)
		}
	}
	if len(ps.procs) == 0 {
		return p, false
	}
	// Thread 0 is the one that runs llmc_init and llmc_fini, with the procedures between them.
	create := find(p, "__ravel_create", 2, 1)
	join := find(p, "__ravel_join", 1, 1)
	main := &ir.Func{Name: "main", Results: 1}
	b := &ir.Block{Name: "entry"}
	main.Blocks = []*ir.Block{b}
	call := func(f *ir.Func, args ...ir.Operand) ir.Reg {
		in := ir.Instr{Op: ir.Call, Callee: f, Dst: ir.NoReg, Dst2: ir.NoReg, Args: args, Pos: f.Pos}
		r := ir.Reg(main.Regs)
		for range f.Results {
			in.Results = append(in.Results, ir.Reg(main.Regs))
			main.Regs++
		}
		b.Instrs = append(b.Instrs, in)
		return r
	}
	if ps.init != nil {
		call(ps.init)
	}
	var tids []ir.Reg
	for _, f := range ps.procs {
		tids = append(tids, call(create, ir.Imm(uint64(f.Addr)), ir.Imm(0)))
	}
	if ps.fini != nil {
		for _, t := range tids {
			call(join, ir.R(t))
		}
		call(ps.fini)
	}
	b.Instrs = append(b.Instrs, ir.Instr{Op: ir.Ret, Dst: ir.NoReg, Dst2: ir.NoReg, Args: []ir.Operand{ir.Imm(0)}})
	q := *p
	q.Funcs = slices.Clone(p.Funcs)
	q.AddFunc(main)
	q.Main = main
	p = &q
	return p, true
}

// find returns the declaration of a builtin function, which it adds to p if needed.
func find(p *ir.Program, name string, params, results int) *ir.Func {
	for _, f := range p.Funcs {
		if f.Name == name {
			return f
		}
	}
	f := &ir.Func{Name: name, Regs: params, Results: results}
	for i := range params {
		f.Params = append(f.Params, ir.Reg(i))
	}
	p.AddFunc(f)
	return f
}

// begins makes the initial state. It returns false if the program fails before that, or there is no room for it.
func (w *worker) begins() (uint64, bool) {
	if !w.beginMain() {
		w.undo()
		return 0, false
	}
	s := w.state()
	w.changes, w.inner = w.changes[:0], w.inner[:0]
	return s, true
}

// beginMain starts the first thread. Where the program is procedures, it goes on until they are all started: nothing
// else can move before that, so it is not part of the state space.
func (w *worker) beginMain() bool {
	w.fault = nil
	w.arena.Release(0)
	w.thawed, w.below = w.thawed[:0], 0
	var a machine.Action
	s := w.prog.StartMain(&w.arena, &a)
	if w.rec != nil {
		w.rec.add(0, rawEvent{kind: report.Start})
	}
	if !w.arrive(0, step{next: w.freeze(s, &a, 0, lineage{}, nil, 0, -1)}) || !w.goOn(0) {
		return false
	}
	for w.procs && !w.stop.Load() {
		if w.leaf(bufferLeaf(0)) != 0 {
			if !w.perform(move{0, leave, 0}) {
				return false
			}
			continue
		}
		id := w.leaf(localLeaf(0))
		l := w.locals.at(id).local
		switch l.act.Kind {
		case machine.Exit, machine.Join, machine.Block, machine.Choice, waitKind:
			return true
		}
		if !w.do(move{0, act, 0}, id, l) || !w.goOn(0) {
			return false
		}
	}
	return !w.stop.Load()
}
