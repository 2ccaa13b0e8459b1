package llvm

import (
	"path/filepath"
	"slices"

	"ravel/internal/ir"
)

// C++ exceptions, in programs that catch some: a function returns one more result, the first, which is the exception that ends it, or 0. A call
// is followed by a look at it. So unwinding is returning, and neither package ir nor the machine knows of exceptions. What an exception
// is, and which handlers take it, is in runtime/src/exception.c.
//
// In a program that catches none, a throw is an error where it is.

// The library's functions that have to do with it.
const (
	threadStart = "__ravel_thread_start" // where threads begin, if they end by an exception
	uncaught    = "__ravel_uncaught"     // the exception is not caught
	catches     = "__ravel_catches"      // whether a handler of a type takes the exception
	unwind      = "__ravel_unwind"       // end the function by an exception: lowered to a return
	unwinds     = "__ravel_unwinds"      // whether the program catches exceptions: lowered to a constant
	tryCall     = "__ravel_try"          // call a function and return the exception that ended it
	rustTry     = "__ravel_rust_try"     // a closure that catch_unwind runs begins (1) or ends (-1)
)

// lowered lists the functions that are not calls in the end.
var lowered = map[string]bool{unwind: true, unwinds: true, tryCall: true}

// The selectors of landing pads: that of a type is its slot, see typeID.
const (
	selectCleanup = 0
	selectFilter  = 1<<32 - 1
	selectAny     = 1<<31 - 1
)

// findCatches reports whether the program has exceptions that are caught: by a function of its own, or by a std::future.
func (lk *linker) findCatches() bool {
	if lk.jumps = lk.findJumps(); lk.jumps || lk.rustCatches {
		return true
	}
	if lk.defs[uncaught] == nil {
		return false
	}
	for _, m := range lk.mods {
		for _, s := range m.order {
			if m.runtime || s.kind != symFunc || s.decl || !slices.ContainsFunc(s.refs, func(r *symbol) bool { return r.name == "__cxa_begin_catch" }) {
				continue
			}
			if file := lk.fileName(m, s.fn.dbg); !ir.IsSystem(file) || filepath.Base(file) == "future" {
				return true
			}
		}
	}
	return false
}

// findUnwinding finds out which functions may end by an exception: those that call an address, or one that may.
func (lk *linker) findUnwinding() {
	lk.unwinding = map[*symbol]bool{}
	callers := map[*symbol][]*symbol{}
	var work []*symbol
	add := func(s *symbol) {
		if !lk.unwinding[s] {
			lk.unwinding[s] = true
			work = append(work, s)
		}
	}
	for _, s := range lk.live {
		if s.kind != symFunc || s.decl {
			continue
		}
		for _, b := range s.fn.blocks {
			for i := range b.insts {
				in := &b.insts[i]
				if in.op != opCall && in.op != opInvoke {
					continue
				}
				switch callee := in.args[0]; {
				case callee.kind != vConst || callee.c.kind != cGlobal:
					add(s)
				case callee.c.sym.name == unwind:
					add(s)
				default:
					t := lk.target(callee.c.sym)
					callers[t] = append(callers[t], s)
				}
			}
		}
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range callers[s] {
			add(c)
		}
	}
}

// findRoots finds the functions without callers: an exception ends there.
func (lk *linker) findRoots() {
	lk.roots = map[*symbol]bool{}
	for _, name := range append(slices.Clone(mains), threadStart) {
		if s := lk.defs[name]; s != nil {
			lk.roots[s] = true
		}
	}
	for _, m := range lk.mods {
		for _, c := range slices.Concat(m.ctors, m.dtors) {
			lk.roots[lk.target(c.fn)] = true
		}
	}
}

// hidden is 1 if the first result of f is the exception that ends it.
func hidden(f *ir.Func) int {
	if f.Unwinds {
		return 1
	}
	return 0
}

// mayUnwind reports whether a call of s may end by an exception.
func (l *lowerer) mayUnwind(s *symbol) bool {
	return l.lk.unwinds && (s == nil || l.lk.unwinding[l.lk.target(s)])
}

// afterCall goes to the landing pad of an invoke, or returns, if the call in ended by an exception.
func (l *lowerer) afterCall(in *inst) {
	switch may := l.exception != ir.NoReg; {
	case in.op == opInvoke && may:
		br := newInstr(ir.CondBr)
		l.copy(l.inFlight(), ir.R(l.exception))
		br.A, br.Targets = ir.R(l.exception), []int{l.landOr(l.edge(int(in.blocks[1]))), l.edge(int(in.blocks[0]))}
		l.emit(br)
	case in.op == opInvoke:
		l.branch(int(in.blocks[0]))
	case may:
		l.copy(l.inFlight(), ir.R(l.exception))
		br := newInstr(ir.CondBr)
		br.A, br.Targets = ir.R(l.exception), []int{l.landOr(l.unwindBlock()), 0}
		br.Targets[1] = len(l.out.Blocks)
		l.emit(br)
		l.cur, l.dead = l.newBlock("returned"), false
	}
	l.exception = ir.NoReg
}

// inFlight returns the register that holds the exception between a call and a landing pad.
func (l *lowerer) inFlight() ir.Reg {
	if l.thrown == ir.NoReg {
		l.thrown = l.temp(1)
	}
	return l.thrown
}

func (l *lowerer) newBlock(name string) *ir.Block {
	b := &ir.Block{Name: name}
	l.out.Blocks = append(l.out.Blocks, b)
	return b
}

// unwindBlock returns the block that ends the function by the exception in flight.
func (l *lowerer) unwindBlock() int {
	if l.unwindTo < 0 || l.lk.roots[l.s] { // where it is not caught, the error is at the call
		l.unwindTo = len(l.out.Blocks)
		block, dead := l.cur, l.dead
		l.cur, l.dead = l.newBlock("unwind"), false
		l.unwindWith(ir.R(l.inFlight()))
		l.cur, l.dead = block, dead
	}
	return l.unwindTo
}

// unwindWith ends the function by an exception.
func (l *lowerer) unwindWith(e ir.Operand) {
	l.countTry(-1)
	if l.lk.roots[l.s] {
		c := newInstr(ir.Call)
		c.Callee, c.Args = l.lk.defs[uncaught].irFunc, []ir.Operand{e}
		l.emit(c)
		l.emit(newInstr(ir.Unreachable))
		return
	}
	r := newInstr(ir.Ret)
	r.Args = make([]ir.Operand, l.out.Results)
	for i := range r.Args {
		r.Args[i] = ir.Imm(0)
	}
	r.Args[0] = e
	l.emit(r)
}

// lowerUnwinding lowers a call of one of the functions that are not calls.
func (l *lowerer) lowerUnwinding(name string, args []value) {
	switch {
	case name == unwinds:
		n := uint64(0)
		if l.lk.unwinds {
			n = 1
		}
		l.copy(l.dst, ir.Imm(n))
	case name == tryCall:
		c := newInstr(ir.Call)
		c.A = l.operand(args[0], 0)
		if l.lk.unwinds {
			c.Results = []ir.Reg{l.dst}
		} else {
			l.copy(l.dst, ir.Imm(0))
		}
		l.emit(c)
	case l.lk.unwinds:
		l.unwindWith(l.operand(args[0], 0))
	default:
		l.unsupported("an exception")
	}
}

// lowerLandingPad finds the first clause that takes the exception. Where none does, and there is nothing to clean up, the function ends.
func (l *lowerer) lowerLandingPad(in *inst) {
	if !l.lk.unwinds {
		l.unsupported("landingpad")
		return
	}
	if l.dst == ir.NoReg {
		l.dst = l.temp(2)
	}
	e, selector := l.dst, l.dst+1
	l.refuseJump()
	l.copy(e, ir.R(l.inFlight()))
	done := l.newBlock("caught")
	end := len(l.out.Blocks) - 1
	take := func(with uint64) {
		l.copy(selector, ir.Imm(with))
		br := newInstr(ir.Br)
		br.Targets = []int{end}
		l.emit(br)
	}
	for i, v := range in.args {
		if in.index[i] == clauseFilter {
			l.filter(v, take)
			continue
		}
		a := l.operand(v, 0)
		if a.IsConst() && a.Imm == 0 {
			if !l.catchesRust() {
				l.takes(a)
			}
			take(selectAny)
			break
		}
		l.ifTakes(a, func() { take(l.typeID(a.Imm)) })
	}
	if in.volatile { // there is something to clean up
		take(selectCleanup)
	} else {
		l.emit(jumpTo(l.unwindBlock()))
	}
	l.cur, l.dead = done, false
}

// filter takes exceptions of all types but those in v, which a function says that it may throw.
func (l *lowerer) filter(v value, take func(uint64)) {
	none := l.newBlock("allowed")
	n := len(l.out.Blocks) - 1
	for w := range l.lay.words(v.typ) {
		l.ifTakes(l.operand(v, w), func() { l.emit(jumpTo(n)) })
	}
	take(selectFilter)
	l.cur, l.dead = none, false
}

// takes calls the library to find out whether a handler of the type takes the exception in flight.
func (l *lowerer) takes(typeInfo ir.Operand) ir.Reg {
	return l.ask(catches, ir.R(l.inFlight()), typeInfo)
}

// ifTakes emits then for the case that a handler of the type takes the exception, and goes on with the other case.
func (l *lowerer) ifTakes(typeInfo ir.Operand, then func()) {
	yes, no := l.newBlock("handler"), l.newBlock("next")
	br := newInstr(ir.CondBr)
	br.A, br.Targets = ir.R(l.takes(typeInfo)), []int{len(l.out.Blocks) - 2, len(l.out.Blocks) - 1}
	l.emit(br)
	l.cur, l.dead = yes, false
	then()
	l.cur, l.dead = no, false
}

func jumpTo(block int) ir.Instr {
	br := newInstr(ir.Br)
	br.Targets = []int{block}
	return br
}

// lowerResume goes on with unwinding behind a clean-up.
func (l *lowerer) lowerResume(in *inst) {
	if !l.lk.unwinds {
		l.unsupported("resume")
		return
	}
	l.unwindWith(l.operand(in.args[0], 0))
}

// catchesRust reports whether the exceptions that the function catches are panics.
func (l *lowerer) catchesRust() bool {
	return l.rust || l.s.name == "__rust_try" || l.mod.syms[rustTry] != nil
}

// countTry tells the library that a closure that catch_unwind runs begins (1) or ends (-1), if the function is such a one.
func (l *lowerer) countTry(n int) {
	if !l.catching {
		return
	}
	c := newInstr(ir.Call)
	c.Callee, c.Args = l.lk.defs[rustTry].irFunc, []ir.Operand{ir.Imm(uint64(uint32(n)))}
	for range hidden(c.Callee) {
		c.Results = append(c.Results, l.temp(1))
	}
	l.emit(c)
}

// typeID returns the selector of a type: the slot of its description, of which there is one.
func (l *lowerer) typeID(typeInfo uint64) uint64 { return typeInfo / l.lk.prog.Space.SlotSize() }
