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
//	Copy          Dst A                                      Dst = A (Width > 64: a pair)
//	Add … Xor     Dst A B Width                              integer arithmetic modulo 2^Width
//	UDiv … SRem   Dst A B Width                              an error if B is 0 (or on signed overflow)
//	FAdd … FRem   Dst A B Width(32|64)                       floating point; FNeg, FAbs, FSqrt: Dst A
//	Cmp           Dst A B Width Pred                         Dst = 0 or 1
//	FCmp          Dst A B Width FPred                        Dst = 0 or 1
//	Trunc ZExt SExt        Dst A Width→To                    integer casts
//	FPToUI FPToSI UIToFP SIToFP FPTrunc FPExt  Dst A Width→To
//	Select        Dst A B C Width                            Dst = A ? B : C
//	Ctpop Ctlz Cttz BSwap BitReverse Abs  Dst A Width        bit intrinsics
//	Freeze        Dst A                                      Dst = A, and counts as initialised
//	Undef         Dst Width(≤64)                             Dst is undefined: 0, but using it in a branch or an address is an error
//	SMin SMax UMin UMax    Dst A B Width
//	FShl FShr     Dst A B C Width                            funnel shifts
//	UAddO SAddO USubO SSubO UMulO SMulO  Dst Dst2 A B Width  Dst = result, Dst2 = overflow
//	UAddSat SAddSat USubSat SSubSat      Dst A B Width
//	Gep           Dst A B Scale Off                          Dst = A + B*Scale + Off (64 bits)
//	TLSAddr       Dst Global                                 address of this thread's copy
//	Alloca        Dst A Align                                Dst = address of A fresh bytes of stack
//	Begin End     A                                          the stack object of the Alloca of register A begins, uninitialised, or ends
//	Load          Dst A Size Mode Tag                        Dst = memory at A (Size 16: a pair)
//	Store         A B Size Mode Tag                          memory at A = B
//	RMW           Dst A B Size Mode RMW Tag                  Dst = old; memory = RMW(old, B)
//	CmpXchg       Dst Dst2 A B C Size Mode Fail Tag          Dst = old, Dst2 = success; B expected, C new
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
