package litmus

import (
	"testing"

	"ravel/internal/litmus"
)

// TestCondition evaluates conditions in one final state.
func TestCondition(t *testing.T) {
	state := map[litmus.Loc]litmus.Value{
		{Thread: 0, Reg: "X1", Var: "", Index: -1}: litmus.Number(1), {Thread: 0, Reg: "X2", Var: "", Index: -1}: {Int: 0xffffffff}, {Thread: 0, Reg: "X3", Var: "", Index: -1}: litmus.AddrOf("y", 0), {Thread: 0, Reg: "X5", Var: "", Index: -1}: litmus.AddrOf("t", 4),
		{Thread: 1, Reg: "X1", Var: "", Index: -1}: litmus.Number(1), {Thread: -1, Reg: "", Var: "x", Index: -1}: litmus.Number(2), {Thread: -1, Reg: "", Var: "y", Index: -1}: litmus.AddrOf("x", 0), {Thread: -1, Reg: "", Var: "b", Index: -1}: {Int: 0xff},
		{Thread: -1, Reg: "", Var: "t", Index: 0}: litmus.Number(7), {Thread: -1, Reg: "", Var: "t", Index: 1}: {Int: 0xfffffffe},
	}
	for _, test := range []struct {
		cond string
		want bool
		q    litmus.Quantifier
	}{
		{"exists (0:X1=1)", true, litmus.Exists},
		{"~exists (0:X1=1)", true, litmus.NotExists},
		{"not exists (0:X1=0)", false, litmus.NotExists},
		{"forall true", true, litmus.ForAll},
		{"forall false", false, litmus.ForAll},
		{"", true, litmus.ForAll},
		{"final (0:X1=1)", true, litmus.Exists},
		{"(0:X1=1)", true, litmus.Exists},
		{"exists 0:X1=1 /\\ x=2", true, litmus.Exists},
		{"exists 0:X1=1 /\\ x=3 \\/ 1:X1=1", true, litmus.Exists},
		{"exists 1:X1=1 \\/ 0:X1=1 /\\ x=3", true, litmus.Exists},
		{"exists (0:X1=0 => x=7)", true, litmus.Exists},
		{"exists (0:X1=1 => x=7)", false, litmus.Exists},
		{"exists 0:X1=0 /\\ x=7 => x=2", false, litmus.Exists}, // => binds more than /\
		{"exists ~x=3 /\\ not (x=4)", true, litmus.Exists},
		{"exists [x]=2 /\\ *x=2 /\\ x==2", true, litmus.Exists},
		{"exists x!=3 /\\ 0:X1<>2", true, litmus.Exists},
		{"exists 0:X2=-1", true, litmus.Exists},
		{"exists 0:X3=y /\\ y=x", true, litmus.Exists},
		{"exists 0:X3=x", false, litmus.Exists},
		{"exists 0:X3=&y", true, litmus.Exists},
		{"exists 0:X5=t[1]", true, litmus.Exists},
		{"exists 0:X1=1:X1", true, litmus.Exists},
		{"exists P0:X1=P1:X1", true, litmus.Exists},
		{"exists 0:X1=[x]", false, litmus.Exists},
		{"exists b=-1 /\\ b=255", true, litmus.Exists},
		{"exists t={7,-2} /\\ t[1]=-2 /\\ t[0]=0x7", true, litmus.Exists},
		{"exists t={7,2}", false, litmus.Exists},
		{"observed 0:X1=0; x=2; and 0:X1=1; x=2;", true, litmus.Exists},
		{"observed 0:X1=0; x=2;", false, litmus.Exists},
		{"exists (x=2) with tso: exists; pso: ~exists;", true, litmus.Exists},
	} {
		src := "AArch64 t\n{ x; y; int t[2]; int8_t b; 0:X9=y; }\nP0|P1;\nNOP|NOP;\nlocations [x; 0:X1; t; 0:X3 int*;]\nfilter (x=2)\n" + test.cond
		p, err := Parse("t.litmus", []byte(src))
		if err != nil {
			t.Errorf("%s: %v", test.cond, err)
			continue
		}
		get := func(l litmus.Loc) litmus.Value {
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
		q        litmus.Quantifier
		pos, neg int
		want     bool
	}{{litmus.Exists, 0, 0, false}, {litmus.Exists, 1, 5, true}, {litmus.NotExists, 0, 3, true}, {litmus.NotExists, 1, 3, false}, {litmus.ForAll, 0, 0, true}, {litmus.ForAll, 3, 1, false}} {
		if got := (litmus.Cond{Quant: c.q}).Holds(c.pos, c.neg); got != c.want {
			t.Errorf("%v with %d and %d: %v", c.q, c.pos, c.neg, got)
		}
	}
}

// TestEval computes with addresses: what does not depend on their numbers is known.
func TestEval(t *testing.T) {
	regs := map[litmus.Reg]litmus.Value{"a": litmus.AddrOf("x", 4), "b": litmus.AddrOf("x", 12), "c": litmus.AddrOf("y", 0), "n": litmus.Number(3), "m": litmus.Number(-8)}
	undef := litmus.Value{Kind: litmus.Undef}
	for _, test := range []struct {
		e    litmus.Expr
		want litmus.Value
	}{
		{bin(litmus.Add, 64, litmus.Reg("a"), litmus.Reg("n")), litmus.AddrOf("x", 7)},
		{bin(litmus.Add, 32, litmus.Reg("n"), litmus.Reg("c")), litmus.AddrOf("y", 3)},
		{bin(litmus.Sub, 64, litmus.Reg("b"), litmus.Reg("a")), litmus.Number(8)},
		{bin(litmus.Sub, 64, litmus.Reg("c"), litmus.Reg("a")), undef},
		{bin(litmus.Xor, 32, litmus.Reg("c"), litmus.Reg("c")), litmus.Number(0)},
		{bin(litmus.And, 64, litmus.Reg("c"), num(0)), litmus.Number(0)},
		{bin(litmus.Or, 64, num(0), litmus.Reg("c")), litmus.AddrOf("y", 0)},
		{bin(litmus.Eq, 64, litmus.Reg("c"), num(0)), litmus.Number(0)},
		{bin(litmus.Ne, 64, litmus.Reg("a"), litmus.Reg("b")), litmus.Number(1)},
		{bin(litmus.ULt, 64, litmus.Reg("a"), litmus.Reg("b")), litmus.Number(1)},
		{bin(litmus.Shl, 64, litmus.Reg("a"), num(1)), undef},
		{lnot(litmus.Reg("a")), litmus.Number(0)},
		{un(litmus.Trunc, 32, litmus.Reg("a")), litmus.AddrOf("x", 4)},
		{un(litmus.Trunc, 8, litmus.Reg("a")), undef},
		{sel(litmus.Reg("n"), litmus.Reg("a"), litmus.Reg("b")), litmus.AddrOf("x", 4)},
		{sel(bin(litmus.ULt, 64, litmus.Reg("a"), litmus.Reg("c")), litmus.Reg("a"), litmus.Reg("b")), undef},
		{bin(litmus.SDiv, 32, litmus.Reg("m"), litmus.Reg("n")), litmus.Value{Int: 0xfffffffe}},
		{bin(litmus.SRem, 64, litmus.Reg("m"), litmus.Reg("n")), litmus.Number(-2)},
		{bin(litmus.UDiv, 64, litmus.Reg("n"), num(0)), litmus.Number(0)},
		{bin(litmus.Ror, 32, litmus.Reg("n"), num(1)), litmus.Value{Int: 0x80000001}},
		{bin(litmus.AShr, 16, litmus.Reg("m"), num(2)), litmus.Value{Int: 0xfffe}},
		{un(litmus.SExt, 8, bin(litmus.And, 64, litmus.Reg("m"), num(0xff))), litmus.Number(-8)},
	} {
		if got := litmus.Eval(test.e, func(r litmus.Reg) litmus.Value { return regs[r] }); got != test.want {
			t.Errorf("%s is %v, want %v", test.e, got, test.want)
		}
	}
}
