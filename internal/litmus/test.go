package litmus

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ravel/internal/arch"
)

// An Arch is a dialect.
type Arch = arch.Name

const (
	AArch64 = arch.AArch64
	ARM     = arch.ARM
	PPC     = arch.PPC
	X86     = arch.X86
	X86_64  = arch.X86_64
	RISCV   = arch.RISCV
	MIPS    = arch.MIPS
	LISA    = arch.LISA
	BPF     = arch.BPF
	C       = arch.C
	Java    = arch.Java
)

// A Test is a litmus test.
type Test struct {
	File      string
	Arch      Arch
	Name      string
	Doc       string
	Info      []Info
	Vars      []*Var
	Threads   []*Thread
	Scopes    string // LISA: the scope tree, as written
	Locations []Observed
	Filter    *Prop // nil: none
	Cond      Cond
	Required  []*Prop // of the clauses required (…): each is to be seen
	Forbidden []*Prop // of the clauses forbidden (…): none is
}

// An Info is a line key=value before the initial state.
type Info struct{ Key, Value string }

// A Var is a variable in memory: those of the initial state, and all others that the test names.
type Var struct {
	Name  string
	Type  Type // of an element
	Array bool
	Init  []Value // of the elements
	Typed bool
}

// Size returns how many bytes v has.
func (v *Var) Size() int { return int(v.Type.Size) * len(v.Init) }

// Var returns the variable with a name, or nil.
func (t *Test) Var(name string) *Var {
	for _, v := range t.Vars {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// A Loc is something a final state has a value for: a register, or a variable or an element of it.
type Loc struct {
	Thread int    // -1 for memory
	Reg    Reg    // of the thread
	Var    string // of memory
	Index  int    // the element, or -1 for the variable
}

func (l Loc) IsReg() bool { return l.Thread >= 0 }

// An Observed is an item of the locations clause.
type Observed struct {
	Loc  Loc
	Type Type // as written there; Name is "" if none is
}

// A Quantifier says how a condition ranges over the final states. final, observed and a condition
// without a word ask whether there is such a state; no condition at all is forall true.
type Quantifier uint8

const (
	Exists Quantifier = iota
	NotExists
	ForAll
)

func (q Quantifier) String() string { return [...]string{"exists", "~exists", "forall"}[q] }

// A Cond is the condition of a test.
type Cond struct {
	Quant Quantifier
	Prop  *Prop
}

// Holds reports whether the condition holds, given in how many final states or
// executions the proposition is true and false.
func (c Cond) Holds(positive, negative int) bool {
	switch c.Quant {
	case Exists:
		return positive > 0
	case NotExists:
		return positive == 0
	}
	return negative == 0
}

// Observed returns what herd's states are made of: the locations clause, then what the condition
// names, each once. An array is in the list as a whole.
func (t *Test) Observed() []Loc {
	var locs []Loc
	seen := map[Loc]bool{}
	add := func(l Loc) {
		if !seen[l] {
			seen[l] = true
			locs = append(locs, l)
		}
	}
	for _, o := range t.Locations {
		add(o.Loc)
	}
	t.Cond.Prop.walk(add)
	for _, p := range append(t.Required[:len(t.Required):len(t.Required)], t.Forbidden...) {
		p.walk(add)
	}
	slices.SortStableFunc(locs, compareLocs)
	return locs
}

// compareLocs is herd's order of the parts of a state: registers first, by their threads, then variables by their names.
func compareLocs(a, b Loc) int {
	if a.IsReg() != b.IsReg() {
		return map[bool]int{true: -1, false: 1}[a.IsReg()]
	}
	if !a.IsReg() {
		return cmp.Or(strings.Compare(a.Var, b.Var), cmp.Compare(a.Index, b.Index))
	}
	nameA, numA := regNumber(a.Reg)
	nameB, numB := regNumber(b.Reg)
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), strings.Compare(nameA, nameB), cmp.Compare(numA, numB))
}

// regNumber splits the name of a register: X and 7.
func regNumber(r Reg) (name string, number int) {
	name = strings.TrimRight(string(r), "0123456789")
	number, err := strconv.Atoi(string(r)[len(name):])
	if err != nil {
		return string(r), -1
	}
	return name, number
}
