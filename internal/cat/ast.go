package cat

// A File is one parsed file.
type File struct {
	Src    *Source
	Name   string // the first word of the header
	Title  string
	CatDep bool // the model computes dependencies itself
	Body   []Instr

	variants []string // that the file asks for
}

// An Instr is an instruction: *Let, *Check, *Show, *Unshow, *Include, *Procedure, *Call, *Enum,
// *Forall, *With, *MatchInstr, *IfVariant, *Debug or *Declare.
type Instr interface{ At() Pos }

// An Expr is an expression: *Const, *Var, *TagLit, *SetLit, *Unary, *Binary, *Tuple, *App, *Fun,
// *LetIn, *Try, *If, *MatchTag or *MatchSet.
type Expr interface{ At() Pos }

// At returns the place itself; it is embedded in all nodes.
func (p Pos) At() Pos { return p }

// A Pat is what a function takes or a let binds: one name, or a tuple of names. "" is _.
type Pat struct {
	Tuple bool
	Names []string
}

// A Bind is one equation of a let. A function f(x) = e is f = fun x -> e.
type Bind struct {
	Pos
	Pat  Pat
	Expr Expr
}

type (
	// Let is let [rec] binds [when test].
	Let struct {
		Pos
		Rec   bool
		Binds []Bind
		When  *Test
	}
	// A Test is [~](acyclic|irreflexive|empty) e [as name].
	Test struct {
		Pos
		Not  bool
		Kind TestKind
		Expr Expr
		Name string
	}
	// Check is [flag|undefined_unless|assert] test.
	Check struct {
		Pos
		Mode Mode
		Test Test
	}
	// Show is show items.
	Show struct {
		Pos
		Items []ShowItem
	}
	// A ShowItem is a name, or e as name.
	ShowItem struct {
		Expr Expr
		Name string
	}
	// Unshow is unshow names.
	Unshow struct {
		Pos
		Names []string
	}
	// Include is include "file".
	Include struct {
		Pos
		File string
	}
	// Procedure is procedure [rec] name(pat) = body end.
	Procedure struct {
		Pos
		Rec  bool
		Name string
		Pat  Pat
		Body []Instr
	}
	// Call is call name arg [as label].
	Call struct {
		Pos
		Name string
		Arg  Expr
		As   string
	}
	// Enum is enum name = 'a || 'b.
	Enum struct {
		Pos
		Name string
		Tags []string
	}
	// Forall is forall name in e do body end.
	Forall struct {
		Pos
		Name string
		Expr Expr
		Body []Instr
	}
	// With is with name from e.
	With struct {
		Pos
		Name string
		Expr Expr
	}
	// MatchInstr is match e with clauses end, between instructions.
	MatchInstr struct {
		Pos
		Expr    Expr
		Clauses []InstrClause
		Default []Instr // if HasDefault
		HasDef  bool
	}
	// An InstrClause is 'tag -> body.
	InstrClause struct {
		Tag  string
		Body []Instr
	}
	// IfVariant is if cond then [else els] end, between instructions.
	IfVariant struct {
		Pos
		Cond Cond
		Then []Instr
		Else []Instr
	}
	// Debug is debug e.
	Debug struct {
		Pos
		Expr Expr
	}
	// Declare is instructions kind[args] or default kind[args], of bell files.
	Declare struct {
		Pos
		Default bool
		Kind    string
		Args    []Expr
	}
)

type (
	// Const is 0, the empty relation, or _, all events or all pairs.
	Const struct {
		Pos
		Universe bool
	}
	// Var is a name.
	Var struct {
		Pos
		Name string
	}
	// TagLit is 'name.
	TagLit struct {
		Pos
		Name string
	}
	// SetLit is {a, b, …}; {} is the empty set of any kind.
	SetLit struct {
		Pos
		Elems []Expr
	}
	// Unary is an operator with one operand.
	Unary struct {
		Pos
		Op UnaryOp
		X  Expr
	}
	// Binary is an operator with two operands. Its place is that of the operator.
	Binary struct {
		Pos
		Op   BinaryOp
		X, Y Expr
	}
	// Tuple is (a, b, …) or ().
	Tuple struct {
		Pos
		Elems []Expr
	}
	// App is f x.
	App struct {
		Pos
		F, X Expr
	}
	// Fun is fun pat -> body.
	Fun struct {
		Pos
		Pat  Pat
		Body Expr
	}
	// LetIn is let [rec] binds in body.
	LetIn struct {
		Pos
		Rec   bool
		Binds []Bind
		Body  Expr
	}
	// Try is try x with els.
	Try struct {
		Pos
		X, Else Expr
	}
	// If is if cond then x else y.
	If struct {
		Pos
		Cond       Cond
		Then, Else Expr
	}
	// MatchTag is match x with || 'a -> e || _ -> def end.
	MatchTag struct {
		Pos
		X       Expr
		Clauses []TagClause
		Default Expr // or nil
	}
	// A TagClause is 'tag -> e.
	TagClause struct {
		Tag  string
		Expr Expr
	}
	// MatchSet is match x with || {} -> empty || pre | elem ++ rest -> body end. Without pre,
	// elem is some element and rest the others.
	MatchSet struct {
		Pos
		X      Expr
		Empty  Expr
		HasPre bool
		Pre    string
		Elem   string
		Rest   string
		Body   Expr
	}
)

// A Cond is a condition: *Compare, *Variant, *NotCond or *BoolCond.
type Cond interface{ At() Pos }

type (
	// Compare is x = y, x subset y or x in y.
	Compare struct {
		Pos
		Op   string
		X, Y Expr
	}
	// Variant is variant "name" or just "name".
	Variant struct {
		Pos
		Name string
	}
	// NotCond is not x.
	NotCond struct {
		Pos
		X Cond
	}
	// BoolCond is x && y or x || y, of variants.
	BoolCond struct {
		Pos
		Or   bool
		X, Y Cond
	}
)

// TestKind is what a test asks for.
type TestKind uint8

const (
	Acyclic TestKind = iota
	Irreflexive
	Empty
)

func (k TestKind) String() string { return [...]string{"acyclic", "irreflexive", "empty"}[k] }

// Mode is what follows from a test.
type Mode uint8

const (
	Require         Mode = iota // the execution is inconsistent if it fails
	Flag                        // its name is reported if it holds
	UndefinedUnless             // the behaviour is undefined if it fails
	Assert                      // evaluation stops with an error if it fails
)

func (m Mode) String() string { return [...]string{"", "flag", "undefined_unless", "assert"}[m] }

// UnaryOp is a unary operator.
type UnaryOp uint8

const (
	Star UnaryOp = iota
	Plus
	Opt
	Inverse
	Not
	ToID
)

// BinaryOp is a binary operator.
type BinaryOp uint8

const (
	Union BinaryOp = iota
	Append
	Seq
	Diff
	Inter
	Product
)

var binaryText = [...]string{"|", "++", ";", "\\", "&", "*"}

func (op BinaryOp) String() string { return binaryText[op] }
