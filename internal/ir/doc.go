// Package ir is the program form of ravel. Front ends produce it and the machine runs it. It is a
// register code, not SSA: a function has numbered 64-bit registers, which may be assigned many times,
// and blocks of instructions. Front ends lower everything else:
//
//   - phi nodes are copies at the ends of the predecessors;
//   - structs, arrays and vectors held in registers are one register per scalar leaf;
//   - integers of 65 to 128 bits are two consecutive registers (low word first), named by the
//     first one; an operand of such an instruction is a register, never a constant;
//   - getelementptr is pointer arithmetic (Gep), addresses of globals and functions are constants;
//   - a register holds its value zero-extended to 64 bits: every instruction leaves the bits
//     above its width clear. float and double are their IEEE bits.
//
// # Instructions
//
//	Op            operands                                   meaning
//	arithmetic    by its Form, see op.go                     package arith has its meaning
//	  Unary       Dst A Width                                  Copy Freeze FNeg FAbs … Ctpop … Abs
//	  Binary      Dst A B Width                                Add … Xor FAdd … FRem SMin … UAddSat …
//	  Ternary     Dst A B C Width                              FShl FShr
//	  Comparison  Dst A B Width Pred                           Cmp FCmp: Dst = 0 or 1
//	  Cast        Dst A Width→To                               Trunc ZExt SExt FPToUI … FPExt
//	  Selection   Dst A B C Width                              Select: Dst = A ? B : C
//	  Overflow    Dst Dst2 A B Width                           UAddO …: Dst = result, Dst2 = overflow
//	Undef         Dst Width(≤64)                             Dst is undefined: 0, but using it in a branch or an address is an error
//	Gep           Dst A B Scale Off                          Dst = A + B*Scale + Off (64 bits)
//	TLSAddr       Dst Global                                 address of this thread's copy
//	Alloca        Dst A Align                                Dst = address of A fresh bytes of stack
//	Begin End     A                                          the stack object of the Alloca of register A begins, uninitialised, or ends
//	Load          Dst A Size Mode Tag                        Dst = memory at A (Size 16: a pair)
//	Store         A B Size Mode Tag                          memory at A = B
//	RMW           Dst A B Size Mode RMW Tag                  Dst = old; memory = RMW(old, B)
//	CmpXchg       Dst Dst2 A B C Size Mode Fail Tag          Dst = old, Dst2 = success; B expected, C new. RMW = AddUnless: success if old is not B, C is added
//	Fence         Mode Tag
//	MemCpy        A B C                                      copy C bytes from B to A; the two may overlap unless it is Disjoint
//	MemSet        A B C                                      C bytes of value B at A
//	Call          Callee|A Args Results Sig                  direct, or indirect through A
//	Br            Targets[0]
//	CondBr        A Targets[0] Targets[1]                    A ? Targets[0] : Targets[1]
//	Switch        A Width Cases Targets                      Targets[i] for Cases[i], last one default (Width up to 64)
//	Ret           Args
//	Unreachable                                              an error when reached
//	Unsupported   Message                                    the run ends with Message when reached
//
// Check names further errors of an instruction: conditions that the compiler promised not to hold.
//
// An instruction with a Tag is an instruction of a processor. The models of that processor use the
// tag, all others use Mode.
//
// Other threads may see the instructions from Load to MemSet, and Call. The instructions from Br to
// Unsupported end a block.
package ir
