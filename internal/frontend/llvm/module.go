package llvm

import (
	"ravel/internal/event"
	"ravel/internal/ir"
)

// A Module is one parsed text module, not yet linked.
type Module struct {
	Name string // of the file
	file string // that it was compiled from

	src      string
	lay      *layout
	triple   string // the target
	syms     map[string]*symbol
	order    []*symbol // in the order of the text
	ctors    []ctor
	dtors    []ctor
	meta     metaTable
	labels   map[label]uint64 // the numbers that stand for the addresses of blocks
	runtime  bool             // ravel's own library
	archived bool             // of an archive: it is there for modules that need it
	warning  string           // what the user should know about how it was compiled
}

// A label is the name of a block in a function.
type label struct{ function, block string }

// addressOf returns the number that stands for the address of a block. It is the address of nothing else.
func (m *Module) addressOf(l label) uint64 {
	n, ok := m.labels[l]
	if !ok {
		if m.labels == nil {
			m.labels = map[label]uint64{}
		}
		n = uint64(len(m.labels)) + 1
		m.labels[l] = n
	}
	return n
}

// A ctor is an entry of llvm.global_ctors or llvm.global_dtors.
type ctor struct {
	priority int64
	fn       *symbol
}

type symKind uint8

const (
	symUndefined symKind = iota // used, not yet seen
	symFunc
	symVar
	symAlias
	symIFunc
)

// A symbol is a name with an @ in one module.
type symbol struct {
	name    string
	mod     *Module
	kind    symKind
	link    linkage
	decl    bool // declared only
	implied bool // called by what an intrinsic is lowered to
	pos     int32
	fn      *function
	gv      *globalVar
	aliasee value
	refs    []*symbol // what the definition mentions
	addr    *constant // its address

	// Filled by the linker; see link.go.
	def     *symbol
	live    bool
	irFunc  *ir.Func
	irVar   *ir.Global
	resolve bool // an alias being followed
}

type linkage uint8

const (
	linkExternal  linkage = iota
	linkLocal             // internal, private
	linkWeak              // weak, weak_odr, common
	linkOnce              // linkonce, linkonce_odr: dropped when unused
	linkAvailable         // available_externally: a copy of a definition elsewhere
	linkAppending
	linkExternWeak // a declaration that may stay undefined
)

type globalVar struct {
	typ     *Type
	init    value
	hasInit bool
	isConst bool
	tls     bool
	align   uint64
	dbg     int32
}

// A function is a definition or a declaration.
type function struct {
	typ      *Type
	params   []param
	locals   []local
	blocks   []*block
	declares []declare
	dbg      int32
}

// A declare is a #dbg_declare or a call of llvm.dbg.declare: a local is the address of a variable.
type declare struct {
	local    int32
	variable int32 // number of its DILocalVariable
	loc      int32 // number of its DILocation, or -1
}

// locFollows is the loc of a declare whose !dbg has not been read yet.
const locFollows = -2

type param struct {
	local int32
	byval
}

// A byval is what a pointer stands for that is passed as an object of its own; typ is nil for other parameters.
type byval struct {
	typ   *Type
	align uint64
}

// A local is a numbered value of a function.
type local struct {
	name    string
	typ     *Type
	pos     int32 // of the first mention
	defined bool
}

type block struct {
	name    string
	insts   []inst
	pos     int32
	defined bool
}

type valueKind uint8

const (
	vNone  valueKind = iota
	vLocal           // local number id
	vInt             // a scalar of at most 64 bits: integer, null, float
	vZero            // zero, of any type
	vUndef           // undefined, of any type
	vConst           // see c
)

// A value is an operand.
type value struct {
	typ  *Type
	kind valueKind
	id   int32
	bits uint64
	c    *constant
}

type constKind uint8

const (
	cWords  constKind = iota // a scalar of more than 64 bits
	cGlobal                  // the address of sym
	cElems                   // an aggregate or vector
	cBytes                   // c"…"
	cSplat                   // a vector of elems[0]
	cExpr                    // a constant expression
	cAsm                     // inline assembly
	cBad                     // something unsupported: text says what
)

// A constant is a value that is more than a number.
type constant struct {
	kind  constKind
	sym   *symbol
	words []uint64
	elems []value
	text  string // cBytes: the bytes; cAsm: the template; cBad: the message
	cons  string // cAsm: the constraints
	intel bool   // cAsm: the syntax is Intel's
	expr  *inst

	evaluated bool // words is the value (any kind)
	tls       int8 // 1: mentions a thread-local variable; -1: does not; 0: not known
}

// An inst is an instruction, or the operation of a constant expression.
type inst struct {
	op       opcode
	sub      ir.Op // opBin, opCast: which
	noop     bool  // opCast: ptrtoint, inttoptr, bitcast, addrspacecast
	pred     ir.Pred
	mode     event.Mode
	fail     event.Mode
	rmw      event.RMWOp
	volatile bool
	weak     bool
	single   bool // syncscope("singlethread")
	check    ir.Checks
	res      int32
	pos      int32
	dbg      int32 // number of the DILocation, or -1
	align    uint64
	typ      *Type // of the result
	elem     *Type // what alloca allocates, getelementptr steps over; the function type of a call
	args     []value
	blocks   []int32       // targets of branches; predecessors of a phi
	index    []int         // of extractvalue and insertvalue
	byval    map[int]byval // of a call: its arguments that are copied, by number
	what     string        // opUnsupported: the instruction
}

type opcode uint8

const (
	opBad   opcode = iota
	opBin          // sub says which
	opUnary        // … with one operand
	opICmp
	opFCmp
	opCast
	opGEP
	opLoad
	opStore
	opCmpXchg
	opRMW
	opFence
	opAlloca
	opPhi
	opSelect
	opSwitch
	opIndirectBr // to blocks[i] if args[0] is args[i+1]
	opBr
	opCondBr
	opRet
	opCall   // args[0] is the callee
	opInvoke // the same, blocks[0] the normal destination, blocks[1] the other
	opCallBr // asm goto: blocks[0] is where it goes on, the others are its labels
	opUnreachable
	opExtractValue
	opInsertValue
	opExtractElement
	opInsertElement
	opShuffle
	opFreeze
	opLandingPad // a clause for each argument, index its kind; volatile: cleanup
	opResume
	opNothing
	opUnsupported     // what says which; ends the path when reached
	opUnsupportedTerm // the same, and ends the block
)
