package ir

// An Op is the operation of an instruction; doc.go has the table.
type Op uint8

const (
	Invalid Op = iota

	Copy
	Freeze
	Undef
	Add
	Sub
	Mul
	UDiv
	SDiv
	URem
	SRem
	Shl
	LShr
	AShr
	And
	Or
	Xor
	FAdd
	FSub
	FMul
	FDiv
	FRem
	FNeg
	FAbs
	FSqrt
	Cmp
	FCmp
	Trunc
	ZExt
	SExt
	FPToUI
	FPToSI
	UIToFP
	SIToFP
	FPTrunc
	FPExt
	Select
	Ctpop
	Ctlz
	Cttz
	BSwap
	BitReverse
	Abs
	SMin
	SMax
	UMin
	UMax
	FShl
	FShr
	UAddO
	SAddO
	USubO
	SSubO
	UMulO
	SMulO
	UAddSat
	SAddSat
	USubSat
	SSubSat
	Gep
	TLSAddr
	Alloca

	Begin
	End
	Load
	Store
	RMW
	CmpXchg
	Fence
	MemCpy
	MemSet
	Call

	Br
	CondBr
	Switch
	Ret
	Unreachable
	Unsupported
)

var opNames = [...]string{
	"invalid", "copy", "freeze", "undef", "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr",
	"and", "or", "xor", "fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fabs", "fsqrt", "cmp", "fcmp",
	"trunc", "zext", "sext", "fptoui", "fptosi", "uitofp", "sitofp", "fptrunc", "fpext", "select",
	"ctpop", "ctlz", "cttz", "bswap", "bitreverse", "abs", "smin", "smax", "umin", "umax", "fshl", "fshr",
	"uaddo", "saddo", "usubo", "ssubo", "umulo", "smulo", "uaddsat", "saddsat", "usubsat", "ssubsat",
	"gep", "tlsaddr", "alloca", "begin", "end", "load", "store", "rmw", "cmpxchg", "fence", "memcpy", "memset", "call",
	"br", "condbr", "switch", "ret", "unreachable", "unsupported",
}

func (op Op) String() string { return opNames[op] }

// IsTerminator reports whether op ends a block.
func (op Op) IsTerminator() bool { return op >= Br }
