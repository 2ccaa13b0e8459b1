package llvm

import (
	"strings"

	"ravel/internal/ir"
)

// Functions in the headers of libstdc++ that are not what C++ says of them under weak memory models, or that programs have without end:
//
//   - std::atomic<T>::notify_one looks at a count of waiting threads, and may miss one that begins to wait: the count
//     is left out, so that there is always a wake-up (runtime/src/futex.c);
//   - std::atomic<T>::wait counts notifications by the low bits of the address: by all of it (runtime/src/futex.c);
//   - std::atomic<T>::wait asks the kernel to wait, and looks again: that is left out where it makes no difference (runtime/src/futex.c);
//   - std::atomic<std::shared_ptr<T>>::load ends its critical section with a relaxed operation: it is a release;
//   - std::atomic<T>::wait looks at the value sixteen times before it asks the kernel, for speed: once is enough;
//   - std::lock goes back and begins anew when a mutex is taken, any number of times: once is enough;
//   - std::atomic<T>::compare_exchange_strong compares the padding of a struct, which C++20 does not ([atomics.types.operations]): it is cleared in all that
//     is stored or compared, as libstdc++ 13 does with compilers that have __builtin_clear_padding.

// byHeader lists the functions that are the library's even if a header defines them.
var byHeader = map[string]bool{
	"_ZNSt8__detail18__waiter_pool_base13_M_enter_waitEv": true,
	"_ZNSt8__detail18__waiter_pool_base13_M_leave_waitEv": true,
	"_ZNKSt8__detail18__waiter_pool_base10_M_waitingEv":   true,
	"_ZNSt8__detail18__waiter_pool_base6_S_forEPKv":       true,
	"_ZNSt8__detail15__platform_waitIiEEvPKT_i":           true,
	"_ZNSt8__detail17__platform_notifyIiEEvPKT_b":         true,
}

// headerStandIn returns the library's definition that is put in the place of s, a function of a header; nil if there is none.
func (lk *linker) headerStandIn(s *symbol) *symbol {
	name := s.name
	switch {
	case s.kind != symFunc || s.mod.runtime || s.decl || !isMangled(name):
		return nil
	case strings.HasPrefix(name, "_ZNKSt10_Sp_atomicI") && strings.HasSuffix(name, "13_Atomic_count6unlockESt12memory_order"):
		name = "__ravel_unlock_count"
	case !byHeader[name]:
		return nil
	}
	if d := lk.defs[name]; d != nil && d.mod.runtime {
		return d
	}
	return nil
}

// spins is how often the functions that spinsAWhile knows look for what they wait for.
const spins = 16

func spinsAWhile(name string) bool { return strings.HasPrefix(name, "_ZNSt8__detail13__atomic_spinI") }

// spinOnce lets such a function look once.
func (l *lowerer) spinOnce() {
	if !spinsAWhile(l.s.name) {
		return
	}
	for _, b := range l.f.blocks {
		for i := range b.insts {
			if in := &b.insts[i]; in.op == opICmp && in.args[1].kind == vInt && in.args[1].bits == spins {
				in.args[1].bits = 1
			}
		}
	}
}

// backsOff reports whether a function is std::lock, or what it is made of: it locks one mutex, tries the others, and if one of
// them is taken it unlocks all and begins with that one.
func backsOff(name string) bool {
	return strings.HasPrefix(name, "_ZSt4lockI") || strings.HasPrefix(name, "_ZNSt8__detail11__lock_implI")
}

// beginBackOff prepares the register that says that the function went back.
func (l *lowerer) beginBackOff() {
	if backsOff(l.s.name) {
		l.wentBack = l.temp(1)
		l.copy(l.wentBack, ir.Imm(0))
	}
}

// countBackOff follows a call in such a function. One that went back still has to get the mutex that was taken, for there is a deadlock
// if it never does, but is not followed any further: without this round, the execution is the same to the rest of the program.
func (l *lowerer) countBackOff(callee string) {
	if l.wentBack == ir.NoReg {
		return
	}
	switch lock := strings.HasPrefix(callee, "_ZNSt11unique_lockI"); {
	case lock && strings.HasSuffix(callee, "E6unlockEv"), strings.Contains(callee, "__gthread_yield"):
		l.copy(l.wentBack, ir.Imm(1))
	case lock && (strings.HasSuffix(callee, "E4lockEv") || strings.Contains(callee, "EC1ER") || strings.Contains(callee, "EC2ER")):
		fresh := l.temp(1)
		l.cmp(ir.Cmp, ir.EQ, 64, fresh, ir.R(l.wentBack), ir.Imm(0))
		c := newInstr(ir.Call)
		c.Callee, c.Args = l.lk.funcOf(l.mod.syms[standsFor]), []ir.Operand{ir.R(fresh)}
		l.emit(c)
	}
}

// standsFor ends an execution that another one stands for, unless its argument is true.
const standsFor = "__ravel_unless_redundant"

// clearPadding clears the padding of the arguments of a function of std::atomic<T>, for a struct T. They are in variables without markers of lifetimes, or with 32 bits in copies (copyByval), and
// what is expected is behind the pointer that comes after this. It is called before the first instruction that may look at them.
func (l *lowerer) clearPadding() {
	if !strings.HasPrefix(l.s.name, "_ZNSt6atomicI") {
		return
	}
	var padded *Type
	for i := range l.f.blocks[0].insts {
		in := &l.f.blocks[0].insts[i]
		if in.op != opAlloca || in.elem.kind != kStruct || l.lives.scoped[in.res] {
			continue
		}
		if gaps := l.lay.padding(in.elem); len(gaps) > 0 {
			padded = in.elem
			l.clear(ir.R(l.reg(in.res)), gaps)
		}
	}
	for _, p := range l.f.params {
		if p.typ == nil {
			continue
		}
		if gaps := l.lay.padding(p.typ); len(gaps) > 0 {
			padded = p.typ
			l.clear(ir.R(l.reg(p.local)), gaps)
		}
	}
	if padded != nil && strings.Contains(l.s.name, "compare_exchange_") && len(l.f.params) > 1 {
		l.clear(ir.R(l.regs[l.f.params[1].local]), l.lay.padding(padded))
	}
}

// mayUseArguments reports whether an instruction at the start of an unoptimised function is behind those that store its arguments.
func (l *lowerer) mayUseArguments(in *inst) bool {
	return in.isTerminator() || in.op == opCall && !strings.HasPrefix(l.intrinsicName(in), "lifetime.")
}

// clear stores 0 to some bytes of an object.
func (l *lowerer) clear(base ir.Operand, gaps []gap) {
	for _, g := range gaps {
		for off := g.from; off < g.to; {
			st := newInstr(ir.Store)
			n := chunkSize(g.to - off)
			st.A, st.B, st.Size = l.addrAt(base, off), ir.Imm(0), uint8(n)
			l.emit(st)
			off += n
		}
	}
}
