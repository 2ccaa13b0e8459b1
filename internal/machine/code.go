package machine

import (
	"ravel/internal/ir"
)

// An insn is one instruction of the code. An operand is the sum of a register and a constant;
// a constant alone is on the register that is always 0. So no operand needs a branch.
type insn struct {
	op         opcode
	width      uint8 // of signed operations: 64 minus the bits
	size       uint8 // of accesses
	flags      uint8
	dst, dst2  uint16
	a, b, c    uint16
	live       uint16 // words of the frame that a stop here keeps
	frame      uint16 // words of the whole frame
	ia, ib, ic uint64
	t, u       int32 // jump targets, or indices into a table of Program
	pos        ir.Pos
}

const (
	flagValid = 1 << iota // the address is known to be good
	flagPlain             // not atomic: may be performed in pieces
	flagWrite
	flagWide   // a register pair
	flagAlways // opFreeStack: also if the thread ends here
	flagCheck  // what ir.InRange and ir.Disjoint say is an error
	flagLock   // opCall: from a blocking function that was inlined
	flagUndef  // the masks of its operands and of its result are in Program.masks

	flagOwn   = flagPlain  // opCall: from a function of the program that was inlined
	flagPicks = flagAlways // opCAS: there is no branch behind it; opFence: only if A is 0
)

type opcode uint8

const (
	opNop opcode = iota
	opTrap

	opMov // dst = A
	opAdd // dst = (A + B) & ic, and so on
	opSub
	opMul
	opAnd // dst = A & B
	opOr
	opXor
	opShl
	opLShr
	opAShr
	opSExt
	opSelect
	opGep // dst = A + B*ic
	opEQ
	opNE
	opULT
	opULE
	opSLT
	opSLE
	opEval // by eval, t indexes Program.evals
	opWide // t indexes Program.wides
	opTLS
	opSelf
	opOwner // the same, for lock words only
	opClock // dst = the events and effects of the thread so far
	opMath  // t indexes Program.builtins
	opWords // the same; u indexes Program.calls, which has the arguments
	opDeps  // dst = A ∪ B ∪ C, see shadow.go
	opPick  // dst = A ∪ what B picks
	opMask  // t indexes Program.maskOps, see undef.go
	opGet   // dst = the element at offset A of an array; t indexes Program.arrays, see array.go

	opJmp // to t
	opBr  // A ? t : u
	opBrEQ
	opBrNE
	opBrULT
	opBrULE
	opBrSLT
	opBrSLE
	opSwitch // t indexes Program.switches

	opCall     // t indexes Program.calls
	opCallAddr // of the function at A
	opRet      // t indexes Program.rets

	opSet // the element at offset A of an array = B; t indexes Program.arrays, see array.go
	opUninit
	opUse       // an error if A is not 0, see undef.go
	opSpinCheck // t indexes Program.spins
	opUnrollCheck
	opCtrl // all that follows depends on A ∪ B, see shadow.go

	// The rest end in an action; t indexes Program.actions, the parts of it that are known.
	opLoad
	opStore
	opRMW
	opCAS
	opFence
	opMemCpy
	opMemSet
	opAlloca
	opFreeStack
	opCreate
	opJoin
	opChoose
	opSRCU // a fence with an address and a value, and a result
	opAlloc
	opFree
	opSize
	opNext
	opExit
	opAssume
	opSpinEnd // blocks if A is 0 and nothing was done since B, the time when the round began
	opRetry   // blocks: the last event of the thread is to be done again
	opEnded
	opFailNow
	opFailCall
	opError
	opErrorText
)

// A function is what calls need to know of a compiled function.
type function struct {
	name    string
	entry   int32
	frame   uint16
	params  []uint16 // noColour: never read
	shadows []uint16 // of the params, the same
	masks   []uint16 // of the params, the same
	zero    []uint16 // registers that may be read before they are written
	results int
	sig     string // as in fn
	va      bool
	realm   realm
	pos     ir.Pos
}

type operand struct {
	reg uint16
	imm uint64
}

type call struct {
	fn      int32 // into Program.funcs
	args    []operand
	results []uint16
	sig     string // what it expects of the function; "": anything
	va      bool   // the last argument is the address of variable arguments
	fits    bool   // known to be what the function expects

	deps, depResults   []uint16 // the shadows of both
	open               uint16   // the shadow of the open arms around it
	masks, maskResults []uint16 // the masks of both
}

type switchTable struct {
	cases   []uint64
	targets []int32 // one more: the default
}

type spin struct {
	seen  uint16    // the clock of the last visit, events plus one; 0: none
	now   []operand // compared with
	then  []uint16
	realm realm
	asks  bool // whether what was done to memory since matters is for the engine to say (Round)
	mixed bool // the loop is not all of the realm

	asksAlways bool // also if nothing was done to memory (WithQuestions)
}
