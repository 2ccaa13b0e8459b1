package litmus

import "testing"

// TestCondition evaluates conditions in one final state.
func TestCondition(t *testing.T) {
	state := map[Loc]Value{
		{0, "X1", "", -1}: Number(1), {0, "X2", "", -1}: {Int: 0xffffffff}, {0, "X3", "", -1}: AddrOf("y", 0), {0, "X5", "", -1}: AddrOf("t", 4),
		{1, "X1", "", -1}: Number(1), {-1, "", "x", -1}: Number(2), {-1, "", "y", -1}: AddrOf("x", 0), {-1, "", "b", -1}: {Int: 0xff},
		{-1, "", "t", 0}: Number(7), {-1, "", "t", 1}: {Int: 0xfffffffe},
	}
	for _, test := range []struct {
		cond string
		want bool
		q    Quantifier
	}{
		{"exists (0:X1=1)", true, Exists},
		{"~exists (0:X1=1)", true, NotExists},
		{"not exists (0:X1=0)", false, NotExists},
		{"forall true", true, ForAll},
		{"forall false", false, ForAll},
		{"", true, ForAll},
		{"final (0:X1=1)", true, Exists},
		{"(0:X1=1)", true, Exists},
		{"exists 0:X1=1 /\\ x=2", true, Exists},
		{"exists 0:X1=1 /\\ x=3 \\/ 1:X1=1", true, Exists},
		{"exists 1:X1=1 \\/ 0:X1=1 /\\ x=3", true, Exists},
		{"exists (0:X1=0 => x=7)", true, Exists},
		{"exists (0:X1=1 => x=7)", false, Exists},
		{"exists 0:X1=0 /\\ x=7 => x=2", false, Exists}, // => binds more than /\
		{"exists ~x=3 /\\ not (x=4)", true, Exists},
		{"exists [x]=2 /\\ *x=2 /\\ x==2", true, Exists},
		{"exists x!=3 /\\ 0:X1<>2", true, Exists},
		{"exists 0:X2=-1", true, Exists},
		{"exists 0:X3=y /\\ y=x", true, Exists},
		{"exists 0:X3=x", false, Exists},
		{"exists 0:X3=&y", true, Exists},
		{"exists 0:X5=t[1]", true, Exists},
		{"exists 0:X1=1:X1", true, Exists},
		{"exists P0:X1=P1:X1", true, Exists},
		{"exists 0:X1=[x]", false, Exists},
		{"exists b=-1 /\\ b=255", true, Exists},
		{"exists t={7,-2} /\\ t[1]=-2 /\\ t[0]=0x7", true, Exists},
		{"exists t={7,2}", false, Exists},
		{"observed 0:X1=0; x=2; and 0:X1=1; x=2;", true, Exists},
		{"observed 0:X1=0; x=2;", false, Exists},
		{"exists (x=2) with tso: exists; pso: ~exists;", true, Exists},
	} {
		src := "AArch64 t\n{ x; y; int t[2]; int8_t b; 0:X9=y; }\nP0|P1;\nNOP|NOP;\nlocations [x; 0:X1; t; 0:X3 int*;]\nfilter (x=2)\n" + test.cond
		p, err := Parse("t.litmus", []byte(src))
		if err != nil {
			t.Errorf("%s: %v", test.cond, err)
			continue
		}
		get := func(l Loc) Value {
			v, ok := state[l]
			if !ok {
				t.Errorf("%s asks for %v", test.cond, l)
			}
			return v
		}
		if got := p.Cond.Prop.Eval(get); got != test.want || p.Cond.Quant != test.q {
			t.Errorf("%s: %v %v, want %v %v", test.cond, p.Cond.Quant, got, test.q, test.want)
		}
		if !p.Filter.Eval(get) || len(p.Locations) != 4 || len(p.Observed()) < 4 {
			t.Errorf("%s: filter %v, locations %v", test.cond, p.Filter, p.Locations)
		}
		if again, err := Parse("t.litmus", []byte(src)); err != nil || again.Cond.String() != p.Cond.String() {
			t.Errorf("%s: printed %s, then %v %v", test.cond, p.Cond, again, err)
		}
	}
	for _, c := range []struct {
		q        Quantifier
		pos, neg int
		want     bool
	}{{Exists, 0, 0, false}, {Exists, 1, 5, true}, {NotExists, 0, 3, true}, {NotExists, 1, 3, false}, {ForAll, 0, 0, true}, {ForAll, 3, 1, false}} {
		if got := (Cond{Quant: c.q}).Holds(c.pos, c.neg); got != c.want {
			t.Errorf("%v with %d and %d: %v", c.q, c.pos, c.neg, got)
		}
	}
}

// TestEval computes with addresses: what does not depend on their numbers is known.
func TestEval(t *testing.T) {
	regs := map[Reg]Value{"a": AddrOf("x", 4), "b": AddrOf("x", 12), "c": AddrOf("y", 0), "n": Number(3), "m": Number(-8)}
	undef := Value{Kind: Undef}
	for _, test := range []struct {
		e    Expr
		want Value
	}{
		{bin(Add, 64, Reg("a"), Reg("n")), AddrOf("x", 7)},
		{bin(Add, 32, Reg("n"), Reg("c")), AddrOf("y", 3)},
		{bin(Sub, 64, Reg("b"), Reg("a")), Number(8)},
		{bin(Sub, 64, Reg("c"), Reg("a")), undef},
		{bin(Xor, 32, Reg("c"), Reg("c")), Number(0)},
		{bin(And, 64, Reg("c"), num(0)), Number(0)},
		{bin(Or, 64, num(0), Reg("c")), AddrOf("y", 0)},
		{bin(Eq, 64, Reg("c"), num(0)), Number(0)},
		{bin(Ne, 64, Reg("a"), Reg("b")), Number(1)},
		{bin(ULt, 64, Reg("a"), Reg("b")), Number(1)},
		{bin(Shl, 64, Reg("a"), num(1)), undef},
		{lnot(Reg("a")), Number(0)},
		{un(Trunc, 32, Reg("a")), AddrOf("x", 4)},
		{un(Trunc, 8, Reg("a")), undef},
		{sel(Reg("n"), Reg("a"), Reg("b")), AddrOf("x", 4)},
		{sel(bin(ULt, 64, Reg("a"), Reg("c")), Reg("a"), Reg("b")), undef},
		{bin(SDiv, 32, Reg("m"), Reg("n")), Value{Int: 0xfffffffe}},
		{bin(SRem, 64, Reg("m"), Reg("n")), Number(-2)},
		{bin(UDiv, 64, Reg("n"), num(0)), Number(0)},
		{bin(Ror, 32, Reg("n"), num(1)), Value{Int: 0x80000001}},
		{bin(AShr, 16, Reg("m"), num(2)), Value{Int: 0xfffe}},
		{un(SExt, 8, bin(And, 64, Reg("m"), num(0xff))), Number(-8)},
	} {
		if got := Eval(test.e, func(r Reg) Value { return regs[r] }); got != test.want {
			t.Errorf("%s is %v, want %v", test.e, got, test.want)
		}
	}
}
