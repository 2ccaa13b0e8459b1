package llvm

import "ravel/internal/ir"

// setjmp and longjmp go by the results that exceptions have (unwind.go). longjmp of the library ends its function by an exception that says where to go. A function that
// calls setjmp looks, behind each call that may end so, whether the jump is to one of its own places. Registers keep their values: what C leaves undefined,
// variables that changed since setjmp and are not volatile, have the newer value.

// The library's functions for it.
const (
	lands  = "__ravel_lands"
	landed = "__ravel_landed"
	isJump = "__ravel_is_jump"
)

var (
	setjmps  = map[string]bool{"setjmp": true, "_setjmp": true, "__sigsetjmp": true, "sigsetjmp": true}
	longjmps = map[string]bool{"longjmp": true, "_longjmp": true, "siglongjmp": true, "__longjmp_chk": true, "__pthread_register_cancel": true}
)

// A jumper is a function that calls setjmp.
type jumper struct {
	frame  ir.Reg    // the address that stands for the activation
	places []landing // by the order of the calls
}

type landing struct {
	block int
	dst   ir.Reg // of the result of setjmp
}

// findJumps reports whether the program jumps between functions.
func (lk *linker) findJumps() bool {
	for _, m := range lk.mods {
		for _, s := range m.order {
			if m.runtime || s.kind != symFunc || s.decl {
				continue
			}
			for _, r := range s.refs {
				if longjmps[r.name] && lk.defs[lands] != nil {
					return true
				}
			}
		}
	}
	return false
}

// setjmpOf returns the call of setjmp that in is: the buffer, or false.
func (l *lowerer) setjmpOf(in *inst) (value, bool) {
	if in.op != opCall && in.op != opInvoke || in.args[0].kind != vConst || in.args[0].c.kind != cGlobal || len(in.args) < 2 {
		return value{}, false
	}
	s := l.lk.target(in.args[0].c.sym)
	return in.args[1], s.decl && setjmps[s.name]
}

// beginJumps makes the object that stands for the activation of a function that calls setjmp, and the blocks behind its calls.
func (l *lowerer) beginJumps() {
	for _, b := range l.f.blocks {
		for i := range b.insts {
			if _, ok := l.setjmpOf(&b.insts[i]); ok && l.jumps == nil {
				l.jumps = &jumper{frame: l.temp(1)}
				a := newInstr(ir.Alloca)
				a.Dst, a.A, a.Align = l.jumps.frame, ir.Imm(1), 1
				l.emit(a)
			}
			if _, ok := l.setjmpOf(&b.insts[i]); ok {
				p := landing{block: len(l.out.Blocks), dst: l.temp(1)}
				l.newBlock("setjmp")
				l.jumps.places = append(l.jumps.places, p)
			}
		}
	}
}

// lowerSetjmp writes to the buffer where a jump is to go, and goes on there.
func (l *lowerer) lowerSetjmp(buf value) {
	p := l.jumps.places[l.nextJump]
	l.nextJump++
	addr := l.operand(buf, 0)
	for i, word := range []ir.Operand{ir.R(l.jumps.frame), ir.Imm(uint64(l.nextJump))} {
		st := newInstr(ir.Store)
		st.A, st.B, st.Size = l.addrAt(addr, uint64(8*i)), word, 8
		l.emit(st)
	}
	l.copy(p.dst, ir.Imm(0))
	l.emit(jumpTo(p.block))
	l.cur, l.dead = l.out.Blocks[p.block], false
	if l.dst != ir.NoReg {
		l.copy(l.dst, ir.R(p.dst))
	}
}

// landOr returns the block for a call that ended by the exception in flight: it goes to the setjmp that this is a jump to, or to block other.
func (l *lowerer) landOr(other int) int {
	if l.jumps == nil {
		return other
	}
	block, dead := l.cur, l.dead
	n := len(l.out.Blocks)
	l.cur, l.dead = l.newBlock("jump"), false
	sw := newInstr(ir.Switch)
	sw.Width, sw.A = 64, ir.R(l.ask(lands, ir.R(l.inFlight()), ir.R(l.jumps.frame)))
	result := l.ask(landed)
	for i, p := range l.jumps.places {
		sw.Cases = append(sw.Cases, uint64(i+1))
		sw.Targets = append(sw.Targets, len(l.out.Blocks))
		b := l.newBlock("land")
		from := l.cur
		l.cur = b
		l.copy(p.dst, ir.R(result))
		l.emit(jumpTo(p.block))
		l.cur, l.dead = from, false
	}
	sw.Targets = append(sw.Targets, other)
	l.emit(sw)
	l.cur, l.dead = block, dead
	return n
}

// ask calls a function of the library that does not end by an exception.
func (l *lowerer) ask(name string, args ...ir.Operand) ir.Reg {
	c := newInstr(ir.Call)
	c.Callee, c.Args = l.lk.defs[name].irFunc, args
	for range hidden(c.Callee) {
		c.Results = append(c.Results, l.temp(1))
	}
	r := l.temp(1)
	c.Results = append(c.Results, r)
	l.emit(c)
	return r
}

// refuseJump stops a jump through a function with clean-ups or handlers of C++.
func (l *lowerer) refuseJump() {
	if !l.lk.jumps {
		return
	}
	yes, no := l.newBlock("jump"), l.newBlock("exception")
	br := newInstr(ir.CondBr)
	br.A, br.Targets = ir.R(l.ask(isJump, ir.R(l.inFlight()))), []int{len(l.out.Blocks) - 2, len(l.out.Blocks) - 1}
	l.emit(br)
	l.cur, l.dead = yes, false
	l.unsupported("longjmp() through a function of C++ that has something to clean up or to catch")
	l.cur, l.dead = no, false
}
