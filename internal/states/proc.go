package states

import (
	"strings"

	"ravel/internal/event"
	"ravel/internal/ir"
)

// procs are the functions of a program in the form of procedures (llmc.md): llmc_init runs first and alone,
// then all llmc_proc* at once, then llmc_fini.
type procs struct {
	init, fini *ir.Func
	procs      []*ir.Func
}

// procMode returns the program to compile and, if it has no main but procedures, these.
func procMode(p *ir.Program) (*ir.Program, *procs) {
	if p.Main != nil {
		return p, nil
	}
	ps := &procs{}
	for _, f := range p.Funcs {
		switch {
		case len(f.Blocks) == 0:
		case f.Name == "llmc_init":
			ps.init = f
		case f.Name == "llmc_fini":
			ps.fini = f
		case strings.HasPrefix(f.Name, "llmc_proc"):
			ps.procs = append(ps.procs, f)
		}
	}
	if len(ps.procs) == 0 {
		return p, nil
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
	q.Funcs = append(p.Funcs[:len(p.Funcs):len(p.Funcs)])
	q.AddFunc(main)
	q.Main = main
	p = &q
	return p, ps
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
func (w *worker) begins(ps *procs) (uint64, bool) {
	if !w.beginMain() || !w.goOn(0) {
		w.undo()
		return 0, false
	}
	for ps != nil && w.creating() {
		// Nothing else can move yet: llmc_init and the start of the procedures are not part of the state space.
		id := w.leaf(localLeaf(0))
		if !w.do(move{0, act, 0}, id, w.locals.at(id).local) || !w.goOn(0) {
			break
		}
	}
	if w.fault != nil || w.stop.Load() {
		w.undo()
		return 0, false
	}
	s := w.state()
	w.changes, w.inner = w.changes[:0], w.inner[:0]
	return s, true
}

// creating reports whether procedures are still to be started.
func (w *worker) creating() bool {
	return !w.stop.Load()
}

var _ = event.MaxOwners
