package ir

import (
	"path/filepath"
	"strings"

	"ravel/internal/event"
)

// A Program is a whole, linked program.
type Program struct {
	Space     event.Space // of its addresses: it says how large pointers are
	Globals   []*Global
	Funcs     []*Func
	Ctors     []*Func    // global constructors, in the order to run them
	Dtors     []*Func    // functions marked as destructors, in the order to run them at exit
	Main      *Func      // nil where the program has none
	Managed   bool       // nothing is ever freed, and pointers have the number of a class above the address
	Files     []string   // source files, as Position.File names them
	Positions []Position // Positions[0] is the unknown position
	Scopes    []Scope    // Scopes[0] is the unknown scope
	Warnings  []string
	Said      []string   // what compilers said about its files
	Assembly  []Assembly // inline assembly that accesses memory or is a fence
	Barriers  []Assembly // barriers for the compiler only

	nextSlot int // of owner 0
	nextTLS  int // from Space.TLSSlot on
}

// An Assembly is inline assembly.
type Assembly struct {
	Pos Pos
	For []string // the processors that it is for: x86, AArch64, ARM, Power, RISC-V
}

// A Position is a place in the source. Inlined calls form a chain to the outermost function.
type Position struct {
	File      int // index into Program.Files
	Line, Col int
	Func      string // the source function, demangled if possible
	InlinedAt Pos    // where Func was inlined, or NoPos
	Scope     int    // the innermost block of the source around it, an index into Program.Scopes
}

// A Scope is a function or a block of the source. The condition and the arms of an `if` are in a block of their own.
type Scope struct {
	Parent int // 0 for a function
}

// Pos is an index into Program.Positions.
type Pos int32

// NoPos is the position of what has no source.
const NoPos Pos = 0

// IsSystem reports whether a source file is of a compiler or a library of the system, where users do not look for a bug.
func IsSystem(file string) bool {
	for _, prefix := range []string{"/usr/include/", "/usr/lib/", "/usr/local/include/", "/rustc/", "/Library/", "java.base/"} {
		if strings.HasPrefix(file, prefix) {
			return true
		}
	}
	return strings.Contains(file, "/lib/clang/") || strings.Contains(file, "/lib/gcc/") || strings.Contains(file, "/rustlib/src/") || isOwnHeader(file)
}

// isOwnHeader reports whether a file is a header that ravel has for programs (check.prepare writes it).
func isOwnHeader(file string) bool {
	_, in, ok := strings.Cut(filepath.ToSlash(file), "/ravel-include-")
	return ok && strings.HasPrefix(strings.TrimLeft(in, "0123456789"), "/include/")
}

// A Global is a variable with static or thread storage.
type Global struct {
	Name  string
	Addr  event.Addr // of the variable; for TLS the slot number within TLSSlot…
	Size  uint64
	Align uint64
	Init  []byte // initial bytes; shorter than Size: zeros follow
	TLS   bool
	Const bool
	Decl  bool // declared, defined nowhere: an access is an error
	Pos   Pos
	Shape *Shape // what the debug information says of its type; may be nil
}

// A Var is what the debug information says of a variable on the stack.
type Var struct {
	Name   string
	Pos    Pos
	Shape  *Shape // may be nil
	Result bool   // it is the result of the function Name, which return statements assign to
}

// A Shape names the parts of a variable, for reports.
type Shape struct {
	Name   string  // of the type
	Fields []Field // of a struct or union
	Elem   *Shape  // of an array
	Size   uint64  // of this shape in bytes
	Signed bool    // a signed integer
	Char   bool    // print as a character
	Ptr    *Shape  // what a pointer points to, where known
	IsPtr  bool
	Halves bool // Java's long or double: a plain access may be two, of its halves
}

// A Field is one member of a struct or union.
type Field struct {
	Name   string
	Offset uint64
	Type   *Shape
}

// A Func is a function; one without Blocks is declared only, and calls of it go to
// the machine's built-in functions or are an error when reached.
type Func struct {
	Name     string // linkage name
	Addr     event.Addr
	Params   []Reg // the registers that receive the arguments
	Regs     int   // number of registers
	Results  int   // number of registers a call returns
	Blocks   []*Block
	Pos      Pos
	Variadic bool   // a defined one has the address of its other arguments, or 0, as its last parameter
	Sig      string // the kinds of its parameters, as in Instr.Sig
	Runtime  bool   // part of ravel's own library: reports show its caller
	Unwinds  bool   // its first result is the exception that ended it, or 0
}

// A Block ends with exactly one terminator: Br, CondBr, Switch, Ret, Unreachable or Unsupported.
type Block struct {
	Name   string
	Instrs []Instr
}

// A Reg numbers a register of a function.
type Reg int32

// NoReg marks an absent register.
const NoReg Reg = -1

// An Operand is a register, or the constant Imm where Reg is NoReg.
type Operand struct {
	Reg Reg
	Imm uint64
}

// R and Imm make operands.
func R(r Reg) Operand      { return Operand{Reg: r} }
func Imm(v uint64) Operand { return Operand{Reg: NoReg, Imm: v} }

// IsConst reports whether o is a constant.
func (o Operand) IsConst() bool { return o.Reg == NoReg }

// An Instr is one instruction; doc.go says which fields each Op uses.
// Unused registers are NoReg, unused operands Imm(0).
type Instr struct {
	Op       Op
	Width    uint8 // bits of the operands
	To       uint8 // bits of the result of a cast
	Pred     Pred
	Size     uint8 // bytes of an access: 1, 2, 4, 8 or 16
	Mode     event.Mode
	Fail     event.Mode // CmpXchg: mode of the read when it fails
	RMW      event.RMWOp
	Tag      event.Tag // Load, Store, RMW, CmpXchg, Fence: the instruction of an architecture that it is
	Volatile bool
	Weak     bool // CmpXchg: may fail spuriously. Select with Picks: B and C are equal where A holds, and the result comes from either
	Picks    bool // CmpXchg: it is one instruction, without a branch behind it. Select: it depends on what it selects, and A picks
	Check    Checks
	Dst      Reg
	Dst2     Reg
	A, B, C  Operand
	Scale    int64 // Gep
	Off      int64 // Gep
	Align    uint64
	Global   *Global   // TLSAddr
	Var      *Var      // Alloca: the variable that it is, or nil; Call of __ravel_alloc: its Shape is that of the object
	Callee   *Func     // Call: nil if indirect
	Args     []Operand // Call, Ret
	ArgTypes []ArgType // Call of a variadic function: the types of Args
	Sig      string    // Call: the kinds of the parameters that it expects, as below; "": any
	Results  []Reg     // Call
	Targets  []int     // block numbers
	Cases    []uint64  // Switch
	Message  string    // Unsupported
	Pos      Pos
}

// Checks say what is an error of the program though the instruction has a result.
type Checks uint8

const (
	NSW      Checks = 1 << iota // Add Sub Mul Shl Abs: the signed result does not fit; where that is asked for
	NUW                         // the same for the unsigned result
	InRange                     // a shift by Width bits or more; Ctlz Cttz: of 0
	Disjoint                    // MemCpy: A and B overlap, but are not the same
)

// A signature is a string that begins with "(" and has a letter for each parameter: p a pointer, f a float, d a double,
// e another floating point type, b c s i l o an integer of up to 1, 8, 16, 32, 64 and 128 bits. A star at the end means that more
// arguments may follow: then the last one of the call is the address of those, in memory, as C's va_arg expects them.

// IntKind returns the letter of an integer of bits.
func IntKind(bits int) byte {
	for i, n := range [...]int{1, 8, 16, 32, 64} {
		if bits <= n {
			return "bcsil"[i]
		}
	}
	return 'o'
}

// IsVariadic reports whether a signature lets more arguments follow.
func IsVariadic(sig string) bool { return strings.HasSuffix(sig, "*") }

// SigWords returns what a signature says, such as "(double, pointer)".
func SigWords(sig string) string {
	names := map[byte]string{
		'p': "pointer", 'f': "float", 'd': "double", 'e': "long double", 'b': "bool", 'c': "8-bit integer", 's': "16-bit integer",
		'i': "32-bit integer", 'l': "64-bit integer", 'o': "128-bit integer", '*': "...",
	}
	var words []string
	for i := 1; i < len(sig); i++ {
		words = append(words, names[sig[i]])
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// An ArgType tells printf and its like what an argument is.
type ArgType uint8

const (
	ArgInt ArgType = iota
	ArgPtr
	ArgFloat // double bits
	ArgWide  // first of two words
)

// Pred is the predicate of a Cmp (the integer ones) or of an FCmp (the others).
type Pred uint8

const (
	EQ Pred = iota
	NE
	ULT
	ULE
	UGT
	UGE
	SLT
	SLE
	SGT
	SGE

	FFalse
	FOEQ
	FOGT
	FOGE
	FOLT
	FOLE
	FONE
	FORD
	FUNO
	FUEQ
	FUGT
	FUGE
	FULT
	FULE
	FUNE
	FTrue
)

// PtrSize returns how many bytes a pointer has.
func (p *Program) PtrSize() uint64 {
	if p.Space == event.Narrow {
		return 4
	}
	return 8
}

// AddGlobal adds a global and gives it its address. It returns false if there is none left.
func (p *Program) AddGlobal(g *Global) bool {
	p.Globals = append(p.Globals, g)
	next, end := &p.nextSlot, p.Space.TLSSlot()
	if g.TLS {
		next, end = &p.nextTLS, p.Space.MaxSlots()
		*next = max(*next, p.Space.TLSSlot())
	}
	if g.Align > p.Space.MaxAlign() || g.Size > uint64(p.Space.MaxSlots())*p.Space.SlotSize() {
		return false
	}
	slot := p.Space.Place(max(*next, p.Space.FirstSlot()), g.Align)
	g.Addr = p.Space.Make(0, slot)
	*next = slot + p.Space.Slots(g.Size)
	return *next <= end
}

// AddFunc adds a function and gives it its address. It returns false if there is none left.
func (p *Program) AddFunc(f *Func) bool {
	p.Funcs = append(p.Funcs, f)
	slot := p.Space.Place(max(p.nextSlot, p.Space.FirstSlot()), 1)
	f.Addr = p.Space.Make(0, slot)
	p.nextSlot = slot + 1
	return p.nextSlot <= p.Space.TLSSlot()
}

// AddPos adds a position and returns its number.
func (p *Program) AddPos(pos Position) Pos {
	if len(p.Positions) == 0 {
		p.Positions = append(p.Positions, Position{File: -1})
	}
	p.Positions = append(p.Positions, pos)
	return Pos(len(p.Positions) - 1)
}
