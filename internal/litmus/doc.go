// Package litmus is the form of a litmus test, whatever its dialect: the initial state, one Thread for each column or function, the observed
// locations, and the quantified condition with its evaluator.
//
// All threads are in the same micro code. So an engine runs AArch64, C and Java alike. It resumes a thread and makes
// an event for each Load, Store and Fence. It puts the event in the sets that the operation names
// (herd's names, for .cat models), and follows registers for dependencies.
//
// Package frontend/litmus reads tests. Package symbolic runs threads with symbols for the values of reads. Compiled translates a test of C11 to a
// processor, and Updates finds the read-modify-writes of a thread.
//
// # Micro code
//
// A register has a name. It holds 64 bits (zero-extended), an address, or a place in the code.
//
//	Kind    fields                               meaning
//	Set     Dst X                                Dst = X
//	Load    Dst Addr Size Sets Else Excl         Dst = memory at Addr, zero-extended
//	Store   Addr X Size Sets Pair                memory at Addr = X
//	Store   Addr X Size Sets Excl Dst            store-exclusive: Dst = 0 and the store happens, paired with the
//	                                             last exclusive load, or Dst = 1 and it does not
//	Fence   Sets Addr                            a fence event; Addr only for srcu's grace periods
//	Branch  X To Join                            go to To if X is not 0, or if X is nil
//	Jump    X To                                 go to the place in the code that X is, or to To, if that is not -1, if X is none
//	Assume  X                                    the thread stays here for ever if X is 0
//	Choose  Dst                                  Dst = 0 or 1, both are tried
//	Lock    Addr                                 enter the monitor at Addr (Java); Unlock leaves it
//	Start   X                                    start the thread X (Java); Join waits for its end
//	External X                                   print X: an external action (Java)
//	Clear                                        forget the last exclusive load
//	Any     Dst Size                             Dst = any value (inline assembly only)
//	Freeze                                       the end of a constructor: final fields written before are frozen (Java)
//
// An operation with If is skipped when If is 0. This is part of one instruction (a compare-and-swap that
// fails, a predicated instruction) and not a branch: If makes no control dependency.
//
//   - Pair of a Store is the index of the Load with which it forms a read-modify-write (rmw and amo), or -1.
//     A Load has the sets of Else instead of Sets if its paired Store is skipped.
//   - A store-exclusive may succeed only if the last exclusive access of its thread was a load of the same size from the
//     same address. It may always fail. On RISC-V, size and address may differ. On AArch64 the address may differ; then the
//     two are not a read-modify-write. Of a pair (STXP), the second store has If instead of a Dst of its own.
//   - Ops of one instruction have the same Ins. A Store that uses the value of a Load of its own
//     instruction does not depend on it (herd's iico). In C and Java each access is an instruction.
//   - To and Join are indices of Ops; len(Ops) is the end of the thread. A control dependency of a Branch
//     reaches the operations before Join, or all later ones if Join is -1. In C and Java it ends with the if.
//   - A thread that may jump to labels of another one has a copy of that one's code behind its own, with labels such as
//     P1:L0. Place finds them.
//   - Uses returns the registers that an operation reads. Those of Addr make address dependencies,
//     those of X in a Store data dependencies, those of X in a Branch or Jump control dependencies.
//   - Condition flags are registers (N Z C V; ZF SF CF OF; CR0.LT …), written by the instruction that sets them.
//   - A register whose name begins with $ is a temporary of one instruction or expression.
//   - An instruction that computes its result from a condition (CSEL, CMOV, ANDEQ) has a Select. Its condition
//     is a pick dependency in Arm's model. A front end cannot tell whether it matters.
//
// Expressions are constants, registers, and operations of a width in bits. Operands are truncated to the
// width, and results are zero-extended from it. Eval computes them, addresses included. An address
// is a variable and an offset, never a number; a result that depends on the number is Undef.
//
// # Sets
//
// Sets never contain R, W, M, F, IW, FW, which follow from the kind of the operation. The names are:
//
//	AArch64  A Q L (acquire, acquirePC, release), X (atomics and exclusives), EX (exclusives), NoRet, NT (LDNP),
//	         DMB.SY DMB.ISH … DSB.SY … ISB
//	ARM      A L, X EX, DMB DMB.ISH DMB.ST DSB DSB.ST ISB
//	PPC      X EX, SYNC LWSYNC EIEIO ISYNC
//	X86(_64) X, MFENCE SFENCE LFENCE, NT
//	RISCV    Acq Rel AcqRel, X EX, Fence.rw.w … Fence.tso Fence.i
//	MIPS     X EX, SYNC
//	BPF      SC (atomics that fetch), X (atomics that do not), AQ RL
//	LISA     the tags, capitalised (Once, Rcu-lock …); Tags has them as written; RMW
//	C        NA, or A with RLX CON ACQ REL ACQ_REL SC; RMW
//	C, LKMM  Once Acquire Release Noreturn Mb, RMW; Mb Rmb Wmb Barrier Rcu-lock Rcu-unlock Sync-rcu
//	         Before-atomic After-atomic After-spinlock After-unlock-lock After-srcu-read-unlock;
//	         Srcu-lock Srcu-unlock Sync-srcu; LKR LKW UL RL RU. A plain access is NA.
//	Java     O, RA with ACQ or REL, V; RMW; loadLoadFence is also LL, storeStoreFence also SS; a write of a final field is Final
package litmus
