package machine

import (
	"ravel/internal/event"
	"ravel/internal/ir"
	"ravel/internal/ir/arith"
)

// A fn is a function on its way to code. The passes change it in place; the ir function it
// came from stays as it is.
//
// Inside a fn, an operand with both a register and an Imm means their sum modulo 2⁶⁴.
// (The ir has only one or the other.) That way address arithmetic costs no instructions.
type fn struct {
	name       string
	src        *ir.Func // nil for what Compile makes up
	params     []ir.Reg
	regs       int
	results    int
	sig        string   // of its parameters; "": any call will do
	va         bool     // its last parameter is the address of variable arguments
	blocks     []*block // blocks[0] is the entry
	pos        ir.Pos
	runtime    bool
	realm      realm
	index      int      // into Program.funcs
	word       uint8    // bits of a pointer
	lenient    bool     // a read of a variable that was never written is 0, not an error
	deps       bool     // dependencies are tracked
	tracksArms bool     // and arms, see arms.go
	shadows    []ir.Reg // of the params, see shadow.go
	arms       int      // how many branches have arms, see arms.go
	unended    []int    // those whose arms go to the end of the function
	undef      bool     // undefined bits are tracked
	masks      []ir.Reg // of the params, see undef.go
}

// A block ends with exactly one terminator, whose Targets are indices into fn.blocks.
type block struct {
	name   string
	instrs []instr
	realm  realm // of the function that it comes from, if that was inlined
}

// An instr is an ir instruction with what the machine has to know besides.
type instr struct {
	ir.Instr
	bi       *builtin // midBuiltin
	kind     ErrorKind
	private  bool    // of ravel's own library
	realm    realm   // midSpin, Call: of the function that it comes from; Call: if that was inlined
	asks     bool    // midSpin: see spin
	mixed    bool    // midSpin: see spin
	always   bool    // midFreeStack: also if the thread ends here
	deps     *deps   // see shadow.go; may be nil
	undef    *deps   // see undef.go; may be nil
	oneLoad  bool    // midBuiltin: an assumption about the value of one load
	values   *Values // midBuiltin of a nondet: its values
	awaits   bool    // an access or a call inside a loop that may spin, or an access right before an assumption
	retries  bool    // an access inside a loop that may go round, writing only what the engine may take for nothing
	persists bool    // CmpXchg: see persist.go
	safe     bool    // UDiv SDiv URem SRem: B is not 0, nor -1, see ranges.go
	arrives  bool    // RMW: the arrival at a barrier of C threads
	arm      int     // CondBr, Switch, midArmEnd: the number of the branch, see arms.go; 0: none

	masked *ir.Instr // midMask: of which instruction
	pairs  bool      // midMask: its operands are register pairs
}

// Operations that only the machine has.
const (
	midFreeStack ir.Op = ir.Unsupported + 1 + iota // the stack object at A ends if B is not 0, unless the thread does
	midBuiltin                                     // Results = bi(Args)
	midFail                                        // an error of kind, Message
	midSpin                                        // see spin.go: Dst the time of the last visit, Args compared with Results
	midUninit                                      // an Untracked error if A is 0: a variable is read that was never written
	midUnroll                                      // see spin.go: Dst counts the visits, A of which are allowed
	midGet                                         // see array.go: Dst = the element at offset A of the array of Results
	midSet                                         // see array.go: the element at offset A of the array of Results = B
	midPick                                        // see shadow.go: Dst = the set A, and what B picks
	midDeps                                        // see shadow.go: Dst = the union of the sets A, B and C
	midCtrl                                        // see shadow.go: all that follows depends on the sets A and B
	midArmEnd                                      // see arms.go: the arms of a branch have ended
	midUndef                                       // see undef.go: Dst, of Width bits, is undefined
	midMask                                        // see undef.go: Results are the masks of the results of masked; Args its operands, then their masks
	midUse                                         // see undef.go: an error if A, a mask, is not 0
	midOutput                                      // see undef.go: Args leave the program
)

// header returns how many words of the frame come before the registers.
func (f *fn) header() int {
	if f.tracksArms {
		return frameOpen + 1
	}
	if f.deps {
		return frameDeps + 1
	}
	return frameHeader
}

func (f *fn) newReg() ir.Reg {
	f.regs++
	return ir.Reg(f.regs - 1)
}

func (b *block) last() *instr { return &b.instrs[len(b.instrs)-1] }

// pos returns the position of instruction i, or of the next one that does something.
func (b *block) pos(i int) ir.Pos {
	for b.instrs[i].Op == midArmEnd {
		i++
	}
	return b.instrs[i].Pos
}

func (b *block) succs() []int { return b.last().Targets }

// wide says which of the operands and the result of an instruction are register pairs.
func (in *instr) wide() (dst, a, b, c bool) {
	switch in.Op {
	case ir.Load:
		return in.Size == 16, false, false, false
	case ir.Store:
		return false, false, in.Size == 16, false
	case ir.RMW:
		return in.Size == 16, false, in.Size == 16, false
	case ir.CmpXchg:
		return in.Size == 16, false, in.Size == 16, in.Size == 16
	}
	if in.Op > ir.Unsupported {
		return false, false, false, false
	}
	wd, wa, wb, wc := in.Widths()
	return wd > 64, wa > 64, wb > 64, wc > 64
}

// isWide reports whether the instruction has a register pair anywhere.
func (in *instr) isWide() bool {
	d, a, b, c := in.wide()
	return d || a || b || c
}

// operands says which of A, B and C the instruction uses.
func (in *instr) operands() (a, b, c bool) {
	switch in.Op {
	case midBuiltin, midFail, midSpin, midUnroll, midUndef, midMask, midOutput, midArmEnd:
		return false, false, false
	case midUninit, midUse, midGet:
		return true, false, false
	case midPick:
		return true, true, false
	case midDeps:
		return true, true, true
	case ir.Call:
		return in.Callee == nil, false, false
	case ir.RMW:
		return true, true, in.arrives
	case ir.Fence:
		return in.Picks, false, false
	}
	if in.Op > ir.Unsupported {
		return true, true, false
	}
	n := in.Op.Operands()
	return n > 0, n > 1, n > 2
}

// eachOperand calls f for every operand, with whether it is a pair.
func (in *instr) eachOperand(f func(o *ir.Operand, wide bool)) {
	a, b, c := in.operands()
	_, wa, wb, wc := in.wide()
	if a {
		f(&in.A, wa)
	}
	if b {
		f(&in.B, wb)
	}
	if c {
		f(&in.C, wc)
	}
	for i := range in.Args {
		f(&in.Args[i], false)
	}
}

// uses calls f for every register that the instruction reads.
func (in *instr) uses(f func(ir.Reg)) {
	in.eachOperand(func(o *ir.Operand, wide bool) {
		if o.Reg != ir.NoReg {
			f(o.Reg)
			if wide {
				f(o.Reg + 1)
			}
		}
	})
	switch in.Op {
	case midSpin:
		f(in.Dst)
		for _, r := range in.Results {
			f(r)
		}
	case midGet, midSet:
		for _, r := range in.Results {
			f(r)
		}
	case midUnroll:
		f(in.Dst)
	}
	for _, d := range [...]*deps{in.deps, in.undef} {
		if d != nil {
			d.uses(f)
		}
	}
}

// defs calls f for every register that the instruction writes.
func (in *instr) defs(f func(ir.Reg)) {
	if in.Dst != ir.NoReg {
		f(in.Dst)
		if d, _, _, _ := in.wide(); d {
			f(in.Dst + 1)
		}
	}
	if in.Dst2 != ir.NoReg {
		f(in.Dst2)
	}
	for _, r := range in.Results {
		f(r)
	}
	for _, d := range [...]*deps{in.deps, in.undef} {
		if d != nil {
			d.defs(f)
		}
	}
}

// holds reports whether the operands must keep their registers until the instruction is over,
// because it stops in between and needs them again.
func (in *instr) holds() bool {
	switch in.Op {
	case ir.Load, ir.Store: // it may be done in pieces
		return in.Mode == event.NA
	case ir.RMW, ir.CmpXchg, ir.MemCpy, ir.MemSet:
		return true
	}
	return false
}

// stops reports whether the thread may stop at the instruction to have an action performed.
func (in *instr) stops() bool {
	switch in.Op {
	case ir.Alloca, ir.Load, ir.Store, ir.RMW, ir.CmpXchg, ir.Fence, ir.MemCpy, ir.MemSet, ir.Call, midFreeStack:
		return true
	case midBuiltin:
		return in.bi.stops
	}
	return false
}

// arithmetic reports whether the instruction is one of the arithmetic.
func (in *instr) arithmetic() bool { return in.Op <= ir.Unsupported && in.Op.Form() != ir.Other }

// pure reports whether the instruction only computes its results, so that it may go when they are not used.
func (in *instr) pure() bool {
	switch in.Op {
	case ir.Shl, ir.LShr, ir.AShr:
		return in.Check == 0 || in.Check == ir.InRange && !in.isWide() && in.B.IsConst() && in.B.Imm < uint64(in.Width)
	case ir.UDiv, ir.URem:
		return in.safe || !in.isWide() && in.B.IsConst() && in.B.Imm != 0
	case ir.SDiv, ir.SRem:
		return in.safe || !in.isWide() && in.B.IsConst() && in.B.Imm != 0 && in.B.Imm != arith.Mask(in.Width)
	case midBuiltin:
		return in.bi.pure
	case midDeps, midPick, midUndef, midMask:
		return true
	}
	return in.Op < ir.Alloca && in.Check == 0
}
