package litmus

import "fmt"

// An Expr is a value computed from registers: a Value, a Reg, *Unary, *Binary or *Select.
type Expr interface{ String() string }

// A Unary is Op X. SExt makes a number of Width bits one of 64; Trunc keeps Width bits.
type Unary struct {
	Op    UnaryOp
	Width uint8
	X     Expr
}

// A Binary is X Op Y, in Width bits; shifts take the number modulo Width. Comparisons are 0 or 1.
type Binary struct {
	Op    BinaryOp
	Width uint8
	X, Y  Expr
}

// A Select is If ? X : Y.
type Select struct {
	If, X, Y Expr
	// Same says that X and Y are equal where If holds: the result then comes from either, and from Y without a choice where If does
	// not hold. The compared register of AArch64's CAS is so.
	Same bool
}

type UnaryOp uint8

const (
	Neg   UnaryOp = iota
	Not           // every bit
	LNot          // 1 if X is 0, else 0
	SExt          // to 64 bits
	Trunc         // to Width bits
)

type BinaryOp uint8

const (
	Add BinaryOp = iota
	Sub
	Mul
	UDiv // 0 if Y is 0, as Arm has it
	SDiv
	URem
	SRem
	And
	Or
	Xor
	Shl
	LShr
	AShr
	Ror
	Eq
	Ne
	ULt
	ULe
	SLt
	SLe
)

var (
	unaryNames  = [...]string{"-", "~", "!", "sext", "trunc"}
	binaryNames = [...]string{"+", "-", "*", "/u", "/s", "%u", "%s", "&", "|", "^", "<<", ">>u", ">>s", "ror", "==", "!=", "<u", "<=u", "<s", "<=s"}
)

func (r Reg) String() string { return string(r) }
func (x *Unary) String() string {
	if x.Op >= SExt {
		return fmt.Sprintf("%s%d(%s)", unaryNames[x.Op], x.Width, x.X)
	}
	return fmt.Sprintf("%s%s", unaryNames[x.Op], operand(x.X))
}

func (x *Binary) String() string {
	w := ""
	if x.Width != 64 {
		w = fmt.Sprintf(".%d", x.Width)
	}
	return fmt.Sprintf("%s %s%s %s", operand(x.X), binaryNames[x.Op], w, operand(x.Y))
}

func (x *Select) String() string {
	return fmt.Sprintf("%s ? %s : %s", operand(x.If), operand(x.X), operand(x.Y))
}

func operand(e Expr) string {
	switch e.(type) {
	case *Binary, *Select:
		return "(" + e.String() + ")"
	}
	return e.String()
}

func EachReg(e Expr, visit func(Reg)) {
	switch e := e.(type) {
	case Reg:
		visit(e)
	case *Unary:
		EachReg(e.X, visit)
	case *Binary:
		EachReg(e.X, visit)
		EachReg(e.Y, visit)
	case *Select:
		EachReg(e.If, visit)
		EachReg(e.X, visit)
		EachReg(e.Y, visit)
	}
}

// Eval returns the value of e when get returns those of the registers.
func Eval(e Expr, get func(Reg) Value) Value {
	switch e := e.(type) {
	case Value:
		return e
	case Reg:
		return get(e)
	case *Unary:
		return evalUnary(e.Op, e.Width, Eval(e.X, get))
	case *Binary:
		return evalBinary(e.Op, e.Width, Eval(e.X, get), Eval(e.Y, get))
	case *Select:
		is, ok := Eval(e.If, get).Truth()
		if !ok {
			return Value{Kind: Undef}
		}
		if is {
			return Eval(e.X, get)
		}
		return Eval(e.Y, get)
	}
	panic(fmt.Sprintf("litmus: expression %T", e))
}

// Apply returns the value of x when its operand has the value v.
func (x *Unary) Apply(v Value) Value { return evalUnary(x.Op, x.Width, v) }

// Apply returns the value of x when its operands have the values a and b.
func (x *Binary) Apply(a, b Value) Value { return evalBinary(x.Op, x.Width, a, b) }

func Mask(n uint64, width uint8) uint64 {
	if width >= 64 {
		return n
	}
	return n & (1<<width - 1)
}

func sext(n uint64, width uint8) int64 {
	if width >= 64 {
		return int64(n)
	}
	return int64(n<<(64-width)) >> (64 - width)
}

func evalUnary(op UnaryOp, w uint8, v Value) Value {
	if v.Kind != Int {
		switch {
		case op == LNot && v.Kind != Undef:
			return Value{}
		case (op == Trunc || op == SExt) && w >= 32: // addresses are small enough for any register
			return v
		}
		return Value{Kind: Undef}
	}
	switch op {
	case Neg:
		return Value{Int: Mask(-v.Int, w)}
	case Not:
		return Value{Int: Mask(^v.Int, w)}
	case LNot:
		return Bool(Mask(v.Int, w) == 0)
	case SExt:
		return Value{Int: uint64(sext(v.Int, w))}
	}
	return Value{Int: Mask(v.Int, w)}
}

func Bool(b bool) Value {
	if b {
		return Value{Int: 1}
	}
	return Value{}
}

func evalBinary(op BinaryOp, w uint8, x, y Value) Value {
	if x.Kind != Int || y.Kind != Int {
		return evalSymbolic(op, w, x, y)
	}
	a, b := Mask(x.Int, w), Mask(y.Int, w)
	sa, sb := sext(a, w), sext(b, w)
	shift := b % uint64(max(w, 1))
	var r uint64
	switch op {
	case Add:
		r = a + b
	case Sub:
		r = a - b
	case Mul:
		r = a * b
	case UDiv:
		if b != 0 {
			r = a / b
		}
	case SDiv:
		if sb == -1 {
			r = -a
		} else if sb != 0 {
			r = uint64(sa / sb)
		}
	case URem:
		if r = a; b != 0 {
			r = a % b
		}
	case SRem:
		if r = a; sb == -1 {
			r = 0
		} else if sb != 0 {
			r = uint64(sa % sb)
		}
	case And:
		r = a & b
	case Or:
		r = a | b
	case Xor:
		r = a ^ b
	case Shl:
		r = a << shift
	case LShr:
		r = a >> shift
	case AShr:
		r = uint64(sa >> shift)
	case Ror:
		r = a>>shift | a<<(uint64(w)-shift)
	case Eq:
		return Bool(a == b)
	case Ne:
		return Bool(a != b)
	case ULt:
		return Bool(a < b)
	case ULe:
		return Bool(a <= b)
	case SLt:
		return Bool(sa < sb)
	case SLe:
		return Bool(sa <= sb)
	}
	return Value{Int: Mask(r, w)}
}

// evalSymbolic computes with addresses as far as their numbers do not matter. An address is never 0.
func evalSymbolic(op BinaryOp, w uint8, x, y Value) Value {
	undef := Value{Kind: Undef}
	if x.Kind == Undef || y.Kind == Undef {
		return undef
	}
	same := x.Kind == y.Kind && x.Sym == y.Sym && (x.Kind == Addr || x.Int == y.Int)
	switch op {
	case Add:
		if x.Kind == Addr && y.Kind == Int {
			return Value{Addr, x.Int + uint64(sext(y.Int, w)), x.Sym}
		}
		if y.Kind == Addr && x.Kind == Int {
			return Value{Addr, y.Int + uint64(sext(x.Int, w)), y.Sym}
		}
	case Sub:
		if x.Kind == Addr && y.Kind == Int {
			return Value{Addr, x.Int - uint64(sext(y.Int, w)), x.Sym}
		}
		if same && x.Kind == Addr {
			return Value{Int: Mask(x.Int-y.Int, w)}
		}
	case Xor:
		if x == y {
			return Value{}
		}
		if x == (Value{}) {
			return y
		}
		if y == (Value{}) {
			return x
		}
	case And:
		if x == y {
			return x
		}
		if x == (Value{}) || y == (Value{}) {
			return Value{}
		}
	case Or:
		if x == y || y == (Value{}) {
			return x
		}
		if x == (Value{}) {
			return y
		}
	case Mul:
		if x == (Value{}) || y == (Value{}) {
			return Value{}
		}
	case Eq:
		return Bool(x == y)
	case Ne:
		return Bool(x != y)
	case ULt, ULe, SLt, SLe:
		if same && x.Kind == Addr {
			return evalBinary(op, 64, Value{Int: x.Int}, Value{Int: y.Int})
		}
	}
	return undef
}
