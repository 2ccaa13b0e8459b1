package ir

// An Op is the operation of an instruction; doc.go has the table.
type Op uint8

const (
	Invalid Op = iota

	Copy
	Freeze // a copy that counts as initialised
	Undef
	Add
	Sub
	Mul
	UDiv // an error if B is 0, as for the next three
	SDiv
	URem
	SRem
	Shl
	LShr
	AShr
	And
	Or
	Xor
	FAdd // floats of 32 or 64 bits
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
	FShl // funnel shifts
	FShr
	UAddO
	SAddO
	USubO
	SSubO
	UMulO
	SMulO
	UAddSat // saturating
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

// A Form says which operands and results an operation of the arithmetic has, and how wide they are.
type Form uint8

const (
	Other      Form = iota // not arithmetic: doc.go has its operands
	Unary                  // Dst = op A
	Binary                 // Dst = A op B
	Ternary                // Dst = op A B C
	Comparison             // Dst, one bit = A Pred B
	Cast                   // Dst, To bits = op A
	Selection              // Dst = A, one bit, ? B : C
	Overflow               // Dst = A op B; Dst2, one bit, says whether it does not fit
)

// An opInfo is all that the ir has to know of an operation. Package arith computes its result.
type opInfo struct {
	name     string
	form     Form
	operands int  // if form is Other: how many of A, B and C it uses
	float    bool // its operands are floats, so Width is 32 or 64
}

var ops = [...]opInfo{
	Invalid:     {name: "invalid"},
	Copy:        {name: "copy", form: Unary},
	Freeze:      {name: "freeze", form: Unary},
	Undef:       {name: "undef"},
	Add:         {name: "add", form: Binary},
	Sub:         {name: "sub", form: Binary},
	Mul:         {name: "mul", form: Binary},
	UDiv:        {name: "udiv", form: Binary},
	SDiv:        {name: "sdiv", form: Binary},
	URem:        {name: "urem", form: Binary},
	SRem:        {name: "srem", form: Binary},
	Shl:         {name: "shl", form: Binary},
	LShr:        {name: "lshr", form: Binary},
	AShr:        {name: "ashr", form: Binary},
	And:         {name: "and", form: Binary},
	Or:          {name: "or", form: Binary},
	Xor:         {name: "xor", form: Binary},
	FAdd:        {name: "fadd", form: Binary, float: true},
	FSub:        {name: "fsub", form: Binary, float: true},
	FMul:        {name: "fmul", form: Binary, float: true},
	FDiv:        {name: "fdiv", form: Binary, float: true},
	FRem:        {name: "frem", form: Binary, float: true},
	FNeg:        {name: "fneg", form: Unary, float: true},
	FAbs:        {name: "fabs", form: Unary, float: true},
	FSqrt:       {name: "fsqrt", form: Unary, float: true},
	Cmp:         {name: "cmp", form: Comparison},
	FCmp:        {name: "fcmp", form: Comparison, float: true},
	Trunc:       {name: "trunc", form: Cast},
	ZExt:        {name: "zext", form: Cast},
	SExt:        {name: "sext", form: Cast},
	FPToUI:      {name: "fptoui", form: Cast},
	FPToSI:      {name: "fptosi", form: Cast},
	UIToFP:      {name: "uitofp", form: Cast},
	SIToFP:      {name: "sitofp", form: Cast},
	FPTrunc:     {name: "fptrunc", form: Cast},
	FPExt:       {name: "fpext", form: Cast},
	Select:      {name: "select", form: Selection},
	Ctpop:       {name: "ctpop", form: Unary},
	Ctlz:        {name: "ctlz", form: Unary},
	Cttz:        {name: "cttz", form: Unary},
	BSwap:       {name: "bswap", form: Unary},
	BitReverse:  {name: "bitreverse", form: Unary},
	Abs:         {name: "abs", form: Unary},
	SMin:        {name: "smin", form: Binary},
	SMax:        {name: "smax", form: Binary},
	UMin:        {name: "umin", form: Binary},
	UMax:        {name: "umax", form: Binary},
	FShl:        {name: "fshl", form: Ternary},
	FShr:        {name: "fshr", form: Ternary},
	UAddO:       {name: "uaddo", form: Overflow},
	SAddO:       {name: "saddo", form: Overflow},
	USubO:       {name: "usubo", form: Overflow},
	SSubO:       {name: "ssubo", form: Overflow},
	UMulO:       {name: "umulo", form: Overflow},
	SMulO:       {name: "smulo", form: Overflow},
	UAddSat:     {name: "uaddsat", form: Binary},
	SAddSat:     {name: "saddsat", form: Binary},
	USubSat:     {name: "usubsat", form: Binary},
	SSubSat:     {name: "ssubsat", form: Binary},
	Gep:         {name: "gep", operands: 2},
	TLSAddr:     {name: "tlsaddr"},
	Alloca:      {name: "alloca", operands: 1},
	Begin:       {name: "begin", operands: 1},
	End:         {name: "end", operands: 1},
	Load:        {name: "load", operands: 1},
	Store:       {name: "store", operands: 2},
	RMW:         {name: "rmw", operands: 2},
	CmpXchg:     {name: "cmpxchg", operands: 3},
	Fence:       {name: "fence"},
	MemCpy:      {name: "memcpy", operands: 3},
	MemSet:      {name: "memset", operands: 3},
	Call:        {name: "call", operands: 1},
	Br:          {name: "br"},
	CondBr:      {name: "condbr", operands: 1},
	Switch:      {name: "switch", operands: 1},
	Ret:         {name: "ret"},
	Unreachable: {name: "unreachable"},
	Unsupported: {name: "unsupported"},
}

func (op Op) String() string { return ops[op].name }

// Form returns the form of op.
func (op Op) Form() Form { return ops[op].form }

// IsFloat reports whether op computes on floats or compares them.
func (op Op) IsFloat() bool { return ops[op].float }

// Operands returns how many of A, B and C op uses.
func (op Op) Operands() int {
	switch ops[op].form {
	case Unary, Cast:
		return 1
	case Binary, Comparison, Overflow:
		return 2
	case Ternary, Selection:
		return 3
	}
	return ops[op].operands
}

// Widths returns the bits of the result and of the operands of an operation of the arithmetic, 0 for those that it does not have.
func (in *Instr) Widths() (dst, a, b, c int) {
	w := int(in.Width)
	switch in.Op.Form() {
	case Unary:
		return w, w, 0, 0
	case Binary, Overflow:
		return w, w, w, 0
	case Ternary:
		return w, w, w, w
	case Comparison:
		return 1, w, w, 0
	case Cast:
		return int(in.To), w, 0, 0
	case Selection:
		return w, 1, w, w
	}
	return 0, 0, 0, 0
}

// IsTerminator reports whether op ends a block.
func (op Op) IsTerminator() bool { return op >= Br }
