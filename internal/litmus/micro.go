package litmus

import (
	"fmt"
	"slices"
)

// A Reg is a register of a thread, by its name: the widest one of an architecture's aliases (X3, RAX, x10),
// a local variable of C or Java, a flag, or a temporary ($1).
type Reg string

// A Kind is what an Op does.
type Kind uint8

const (
	Set Kind = iota
	Load
	Store
	Fence
	Branch
	Jump
	Assume
	Choose
	Lock
	Unlock
	Start
	Join
	External
	Freeze
	Clear
	Any
)

// An Op is one operation of the micro code; the package comment has the table.
type Op struct {
	Kind  Kind
	Dst   Reg // "" for none
	Addr  Expr
	X     Expr
	If    Expr // nil: always
	Ref   Expr // Java: the reference to the object whose field this accesses, nil if it is not known
	Size  uint8
	Excl  bool
	Sets  []string
	Else  []string
	Tags  []string // LISA: the annotations as written
	Pair  int
	To    int
	Join  int
	Ins   int // which of the thread's Instrs
	Label string
}

// An Instr is an instruction or a statement of the source.
type Instr struct {
	Text      string
	Line, Col int
	Off       int
}

// A Thread is one thread of a test.
type Thread struct {
	ID     int
	Instrs []Instr
	Ops    []Op
	Labels map[string]int // to Ops
	Found  []Value        // the places in the code that a load may bring
	Init   []RegInit
	Types  map[Reg]Type // of registers that the test or the program gives a type
}

// A RegInit is the initial value of a register; all others are 0.
type RegInit struct {
	Reg   Reg
	Type  Type
	Value Value
}

// Uses returns the registers that an expression reads, each once.
func Uses(e Expr) []Reg {
	var regs []Reg
	EachReg(e, func(r Reg) {
		if !slices.Contains(regs, r) {
			regs = append(regs, r)
		}
	})
	return regs
}

// Uses returns the registers that op reads: for its address, for its value or condition, for its guard.
func (op *Op) Uses() (addr, x, guard []Reg) { return Uses(op.Addr), Uses(op.X), Uses(op.If) }

// Regs returns the registers of a thread, initialised or used, in order of appearance.
func (t *Thread) Regs() []Reg {
	var regs []Reg
	seen := map[Reg]bool{}
	add := func(r Reg) {
		if r != "" && !seen[r] {
			seen[r] = true
			regs = append(regs, r)
		}
	}
	for _, i := range t.Init {
		add(i.Reg)
	}
	for i := range t.Ops {
		op := &t.Ops[i]
		for _, e := range []Expr{op.Addr, op.X, op.If} {
			EachReg(e, add)
		}
		add(op.Dst)
	}
	return regs
}

// Place returns the operation of a thread at a place in the code, which may be of another thread.
func (t *Thread) Place(v Value) (int, bool) {
	label := v.Sym
	if int(v.Int) != t.ID {
		label = fmt.Sprintf("P%d:%s", v.Int, v.Sym)
	}
	to, ok := t.Labels[label]
	return to, ok && v.Kind == Code
}
